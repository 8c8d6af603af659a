# SPDX-License-Identifier: MIT
"""Incompressible flow by vorticity w and stream function ψ; ψ has no time derivative and no initial value.

w_t + ψ_y w_x - ψ_x w_y = ν Δw,  Δψ = -w. On a square with w = ψ = 0 on the walls (free slip) ψ is unique; on
the torus it is so only up to a constant. Odd reflection turns the first statement into the second.
"""

import functools

import numpy as np
from numpy.typing import NDArray

from lrfm.catalog.record import FOURIER, entry
from lrfm.catalog.reference import PeriodicGrid, evolve
from lrfm.catalog.series import Series
from lrfm.problem import Box, Problem

EQUATIONS = ["w_t + psi_y*w_x - psi_x*w_y = nu*lap(w)", "lap(psi) = -w"]


@entry(
    "Taylor-Green vortex",
    "w_t + ψ_y w_x - ψ_x w_y = ν Δw,  Δψ = -w",
    source="Taylor and Green (1937), two-dimensional vortex",
    summary="A decaying vortex; an unknown without a time derivative.",
)
def taylor_green(*, nu: float = 0.1, T: float = 1.0) -> Problem:
    """ψ⋆ = sin x sin y e^{-2νt},  w⋆ = 2ψ⋆ on [0, π]²: one decaying vortex; its transport term vanishes."""

    def stream(x: NDArray, y: NDArray, t: NDArray) -> NDArray:
        return np.sin(x) * np.sin(y) * np.exp(-2 * nu * t)

    return Problem(
        EQUATIONS,
        unknowns={"w": float, "psi": float},
        domain=Box(x=(0, np.pi), y=(0, np.pi)),
        time=(0, T),
        initial={"w": "2*sin(x)*sin(y)"},
        boundary={"*": ["w = 0", "psi = 0"]},
        parameters={"nu": nu},
        reference={"w": lambda x, y, t: 2 * stream(x, y, t), "psi": stream},
    )


@functools.cache
def vortices_series(nu: float, T: float, modes: int = 32, panels: int = 4) -> tuple[Series, Series]:
    """ŵ_k' = -νk² ŵ_k - (ψ_y w_x - ψ_x w_y)^_k,  ψ̂_k = ŵ_k/k², odd periodic extension to [0, 2π]²."""

    def inverse(p: NDArray, q: NDArray) -> NDArray:
        square = p**2 + q**2
        return np.where(square == 0, 0.0, 1 / np.where(square == 0, 1.0, square))

    def nonlinear(grid: PeriodicGrid, hat: NDArray) -> list[NDArray]:
        w, (p, q) = hat[:, 0], grid.k
        psi = w * inverse(p, q)
        w_x, w_y, psi_x, psi_y = (grid.values(1j * k * f) for f in (w, psi) for k in (p, q))
        return [-grid.hat(psi_y * w_x - psi_x * w_y)]

    (w,) = evolve(
        box=[(0.0, 2 * np.pi)] * 2,
        T=T,
        initial=lambda x, y: (2 * np.sin(x) * np.sin(y) + 1.5 * np.sin(2 * x) * np.sin(y),),
        rates=lambda p, q: (-nu * (p**2 + q**2),),
        nonlinear=nonlinear,
        modes=modes,
        panels=panels,
    )
    return w, w.scaled(inverse)


@entry(
    "Two vortices in a free-slip box",
    "w_t + ψ_y w_x - ψ_x w_y = ν Δw,  Δψ = -w",
    source="Two-dimensional Navier-Stokes equations, free-slip walls",
    summary="Two unequal vortices stir each other; transport that does not vanish.",
    reference=FOURIER,
)
def vortices(*, nu: float = 0.1, T: float = 0.5) -> Problem:
    """Two unequal vortices in a free-slip box [0, π]²: w(0) = 2 sin x sin y + 1.5 sin 2x sin y."""
    return Problem(
        EQUATIONS,
        unknowns={"w": float, "psi": float},
        domain=Box(x=(0, np.pi), y=(0, np.pi)),
        time=(0, T),
        initial={"w": "2*sin(x)*sin(y) + 1.5*sin(2*x)*sin(y)"},
        boundary={"*": ["w = 0", "psi = 0"]},
        parameters={"nu": nu},
        reference={
            "w": lambda x, y, t: vortices_series(nu, T)[0](x, y, t),
            "psi": lambda x, y, t: vortices_series(nu, T)[1](x, y, t),
        },
    )
