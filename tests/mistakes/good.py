# SPDX-License-Identifier: MIT
"""The good statements that the tables of mistakes change."""

from lrfm import Box

GOOD = dict(
    equation="u_t = u_xx", domain=lambda: Box(x=(-1, 1)), time=(0, 1), initial="sin(pi*x)", boundary="u = 0"
)
PLANE = dict(domain=lambda: Box(x=(0, 1), y=(0, 1)), boundary="u = 0", initial="0")
SYSTEM = dict(
    equation=["u_t = u_xx + v", "v_t = v_xx - u"],
    initial={"u": "0", "v": "0"},
    boundary={"*": ["u = 0", "v = 0"]},
)
WAVE = dict(equation="u_tt = u_xx", initial={"u": "sin(pi*x)", "u_t": "0"})
