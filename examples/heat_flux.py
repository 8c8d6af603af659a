# SPDX-License-Identifier: MIT
"""Heat leaving a cooling bar: the flux u_x at the wall, an exact derivative of the computed solution."""

import lrfm

problem = lrfm.Problem(
    "u_t = u_xx",
    domain=lrfm.Box(x=(0, 1)),
    time=(0, 0.1),
    initial="sin(pi*x)",
    boundary="u = 0",
)
solution = lrfm.solve(problem, tol=1e-8)
flux = solution.derivative("u_x")(x=0.0, t=0.1)

print(f"{flux:.7f}")  # π exp(-π²/10) = 1.1708962
