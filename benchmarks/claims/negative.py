# SPDX-License-Identifier: MIT
"""Statements on which nothing may be claimed: ill-posed, with too few conditions, without a solution."""

from __future__ import annotations

from claims.statement import Dice, Stated
from lrfm.problem import Box, Problem

UNIT, SQUARE = Box(x=(0, 1)), Box(x=(0, 1), y=(0, 1))


def _stated(equation, domain, end, initial, boundary) -> Stated:
    return Stated(Problem(equation, domain=domain, time=(0, end), initial=initial, boundary=boundary), None)


def backward(d: Dice) -> Stated:
    return _stated(f"u_t = -{d.spread(1e-3, 1)}*u_xx", UNIT, 1, "sin(pi*x)", "u = 0")


def oblique(d: Dice) -> Stated:
    D, b = d.spread(1e-2, 1), d.uniform(2.2, 5)
    return _stated(f"u_t = {D}*(u_xx + {b}*u_xy + u_yy)", SQUARE, 0.5, "cos(2*pi*x)*cos(2*pi*y)", "periodic")


def elliptic(d: Dice) -> Stated:
    c = d.uniform(0.3, 2)
    return _stated(f"u_tt = -{c}*u_xx", UNIT, 0.5, {"u": "cos(2*pi*x)", "u_t": "0"}, "periodic")


def backward_later(d: Dice) -> Stated:
    """Diffusion whose sign depends on u, and changes."""
    s = d.uniform(0.3, 0.8)
    return _stated(f"u_t = diff((u**2 - {s})*u_x, x)", UNIT, 1, "cos(2*pi*x)", "periodic")


def no_inflow(d: Dice) -> Stated:
    c = d.uniform(0.5, 2)
    return _stated(f"u_t + {c}*u_x = 0", UNIT, 0.5, "sin(2*pi*x)", {"x-": None, "x+": None})


def wrong_end(d: Dice) -> Stated:
    c = d.uniform(0.5, 2)
    return _stated(f"u_t + {c}*u_x = 0", UNIT, 0.2, "sin(pi*x)**4", {"x-": None, "x+": "u = 0"})


def one_wall(d: Dice) -> Stated:
    D = d.spread(1e-2, 1)
    return _stated(f"u_t = {D}*u_xx", UNIT, 1, "sin(pi*x)", {"x-": "u = 0", "x+": None})


def free_string(d: Dice) -> Stated:
    c = d.uniform(0.5, 2)
    return _stated(
        f"u_tt = {c}*u_xx", UNIT, 0.3, {"u": "sin(pi*x)**3", "u_t": "0"}, {"x-": "u = 0", "x+": None}
    )


def loose_beam(d: Dice) -> Stated:
    a = d.spread(1e-3, 1e-1)
    return _stated(
        f"u_tt + {a}*u_xxxx = 0",
        UNIT,
        0.3,
        {"u": "sin(pi*x)**4", "u_t": "0"},
        {"x-": ["u = 0", "u_x = 0"], "x+": "u = 0"},
    )


def viscous_outflow(d: Dice) -> Stated:
    nu = d.spread(1e-3, 1e-1)
    return _stated(f"u_t + u*u_x = {nu}*u_xx", UNIT, 0.5, "1 + 0.2*sin(2*pi*x)", {"x-": "u = 1", "x+": None})


def blow_up(d: Dice) -> Stated:
    a = d.uniform(15, 40)
    return _stated("u_t = 0.1*u_xx + u**2", UNIT, 0.5, f"{a}*sin(pi*x)", "u = 0")


def too_much(d: Dice) -> Stated:
    c = d.uniform(0.5, 2)
    return _stated(f"u_t + {c}*u_x = 0", UNIT, 0.8, "sin(pi*x)", "u = 0")


MAKERS = (
    backward, oblique, elliptic, backward_later, no_inflow, wrong_end, one_wall, free_string, loose_beam, viscous_outflow,
    blow_up, too_much,
)  # fmt: skip
