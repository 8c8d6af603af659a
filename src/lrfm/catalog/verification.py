# SPDX-License-Identifier: MIT
"""The paper's linear problems with prescribed solutions: heat decay and separated relaxation times."""

import numpy as np
from numpy.typing import NDArray

from lrfm.catalog.record import entry
from lrfm.problem import Box, Problem


@entry(
    "Heat equation in one dimension",
    "u_t = u_xx",
    source='The paper, "Assembly verification and collocation sensitivity"',
    summary="One decaying sine mode between cold ends.",
)
def heat_1d(*, T: float = 0.25) -> Problem:
    """u_t = u_xx,  u⋆ = e^{-π²t} sin πx.  Paper, subsec:verification-convergence."""
    return Problem(
        "u_t = u_xx",
        domain=Box(x=(-1, 1)),
        time=(0, T),
        initial="sin(pi*x)",
        boundary="u = 0",
        reference=lambda x, t: np.exp(-(np.pi**2) * t) * np.sin(np.pi * x),
    )


@entry(
    "Heat equation in two dimensions",
    "u_t = Δu",
    source='The paper, "Assembly verification and collocation sensitivity"',
    summary="One decaying product mode on the unit square.",
)
def heat_2d(*, T: float = 0.12) -> Problem:
    """u_t = Δu,  u⋆ = e^{-2π²t} sin πx sin πy.  Paper, subsec:verification-convergence."""
    return Problem(
        "u_t = lap(u)",
        domain=Box(x=(0, 1), y=(0, 1)),
        time=(0, T),
        initial="sin(pi*x)*sin(pi*y)",
        boundary="u = 0",
        reference=lambda x, y, t: np.exp(-2 * np.pi**2 * t) * np.sin(np.pi * x) * np.sin(np.pi * y),
    )


def _relaxation(t: NDArray) -> NDArray:
    """q(t) = (e^{-t} + e^{-100t} + e^{-10000t})/3.  Paper, eq:mms-multiscale with all α_j = 1/3."""
    return (np.exp(-t) + np.exp(-100 * t) + np.exp(-10000 * t)) / 3


@entry(
    "Three relaxation times in one dimension",
    "u_t - u_xx = f",
    source='The paper, "Mechanism tests: temporal scales, diffusion scale, and conditioning"',
    summary="Decay with times 1, 1e-2 and 1e-4 on one sine mode.",
)
def multiscale_1d(*, T: float = 0.1) -> Problem:
    """u_t - u_xx = f,  u⋆ = sin(πx) q(t) with relaxation times 1, 1e-2, 1e-4.  Paper, eq:mms-multiscale."""
    return Problem(
        "u_t - u_xx = sin(pi*x)/3*((pi**2 - 1)*exp(-t) + (pi**2 - 100)*exp(-100*t)"
        " + (pi**2 - 10000)*exp(-10000*t))",
        domain=Box(x=(-1, 1)),
        time=(0, T),
        initial="sin(pi*x)",
        boundary="periodic",
        reference=lambda x, t: np.sin(np.pi * x) * _relaxation(t),
    )


@entry(
    "Three relaxation times in three dimensions",
    "u_t - Δu = f",
    source='The paper, "Three-dimensional prescribed temporal-scale check"',
    summary="Decay with times 1, 1e-2 and 1e-4 on the periodic cube.",
)
def multiscale_3d(*, T: float = 0.1) -> Problem:
    """u_t - Δu = f,  u⋆ = (1 + (sin πx + sin πy + sin πz)/3) q(t), periodic.  Paper, eq:mms3d-exact."""

    def exact(x: NDArray, y: NDArray, z: NDArray, t: NDArray) -> NDArray:
        return (1 + (np.sin(np.pi * x) + np.sin(np.pi * y) + np.sin(np.pi * z)) / 3) * _relaxation(t)

    sines = "(sin(pi*x) + sin(pi*y) + sin(pi*z))"
    return Problem(
        f"u_t - lap(u) = -(1 + {sines}/3)*(exp(-t) + 100*exp(-100*t) + 10000*exp(-10000*t))/3"
        f" + pi**2*{sines}/9*(exp(-t) + exp(-100*t) + exp(-10000*t))",
        domain=Box(x=(-1, 1), y=(-1, 1), z=(-1, 1)),
        time=(0, T),
        initial=f"1 + {sines}/3",
        boundary="periodic",
        reference=exact,
    )
