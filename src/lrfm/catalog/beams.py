# SPDX-License-Identifier: MIT
"""Vibrating beams: fourth order in space, second in time, with two conditions at each end."""

import numpy as np
from numpy.typing import NDArray

from lrfm.catalog.record import entry
from lrfm.problem import Box, Problem


@entry(
    "Euler-Bernoulli beam, simply supported",
    "u_tt = -u_xxxx",
    source="Euler-Bernoulli beam, textbook modes",
    summary="Two modes of a beam on two supports; fourth order in space.",
)
def beam(*, T: float = 0.3) -> Problem:
    """u_tt = -u_xxxx,  u⋆ = sin πx cos π²t + ⅕ sin 2πx cos 4π²t; simply supported."""

    def exact(x: NDArray, t: NDArray) -> NDArray:
        second = np.sin(2 * np.pi * x) * np.cos(4 * np.pi**2 * t)
        return np.sin(np.pi * x) * np.cos(np.pi**2 * t) + second / 5

    return Problem(
        "u_tt = -u_xxxx",
        domain=Box(x=(0, 1)),
        time=(0, T),
        initial={"u": "sin(pi*x) + 0.2*sin(2*pi*x)", "u_t": "0"},
        boundary={"*": ["u = 0", "u_xx = 0"]},
        reference=exact,
    )


# First two roots of cos β cosh β = -1.
CANTILEVER_ROOTS = (1.8751040687119611664, 4.6940911329741745764)


def _cantilever_mode(x: NDArray, beta: float) -> NDArray:
    """X = cosh βx - cos βx - σ(sinh βx - sin βx),  σ = (cosh β + cos β)/(sinh β + sin β)."""
    sigma = (np.cosh(beta) + np.cos(beta)) / (np.sinh(beta) + np.sin(beta))
    return np.cosh(beta * x) - np.cos(beta * x) - sigma * (np.sinh(beta * x) - np.sin(beta * x))


@entry(
    "Euler-Bernoulli beam, clamped and free",
    "u_tt = -u_xxxx",
    source="Euler-Bernoulli beam, textbook modes",
    summary="Two modes of a cantilever; conditions up to u_xxx, initial data as a function.",
)
def cantilever(*, T: float = 0.5) -> Problem:
    """u_tt = -u_xxxx,  u⋆ = ½ X₁(x) cos β₁²t + ⅒ X₂(x) cos β₂²t; clamped at x = 0, free at x = 1.

    The initial shape is a NumPy function; the free end takes u_xx = u_xxx = 0.
    """

    def exact(x: NDArray, t: NDArray | float) -> NDArray:
        first, second = CANTILEVER_ROOTS
        slow = _cantilever_mode(x, first) * np.cos(first**2 * t) / 2
        return slow + _cantilever_mode(x, second) * np.cos(second**2 * t) / 10

    return Problem(
        "u_tt = -u_xxxx",
        domain=Box(x=(0, 1)),
        time=(0, T),
        initial={"u": lambda x: exact(x, 0.0), "u_t": "0"},
        boundary={"x-": ["u = 0", "u_x = 0"], "x+": ["u_xx = 0", "u_xxx = 0"]},
        reference=exact,
    )
