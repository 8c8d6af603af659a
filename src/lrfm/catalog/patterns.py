# SPDX-License-Identifier: MIT
"""Equations that make patterns: fourth order, separation of phases, complex amplitude; all periodic."""

import functools

import numpy as np
from numpy.typing import NDArray

from lrfm.catalog.record import FOURIER, entry
from lrfm.catalog.reference import evolve
from lrfm.catalog.series import Series
from lrfm.problem import Box, Problem


@functools.cache
def kuramoto_sivashinsky_series(T: float, modes: int = 64, panels: int = 8) -> Series:
    """û_k' = (k² - k⁴) û_k - ½ik (u²)^_k."""
    (u,) = evolve(
        box=[(0.0, 8 * np.pi)],
        T=T,
        initial=lambda x: (np.cos(x / 4) * (1 + np.sin(x / 4)),),
        rates=lambda k: (k**2 - k**4,),
        nonlinear=lambda grid, hat: [-0.5j * grid.k[0] * grid.hat(grid.values(hat[:, 0]) ** 2)],
        modes=modes,
        panels=panels,
    )
    return u


@entry(
    "Kuramoto-Sivashinsky equation",
    "u_t + u u_x + u_xx + u_xxxx = 0",
    source="Kuramoto (1978), Sivashinsky (1977)",
    summary="Unstable flame front over a short time.",
    reference=FOURIER,
)
def kuramoto_sivashinsky(*, T: float = 2.0) -> Problem:
    """u_t + u u_x + u_xx + u_xxxx = 0, periodic on [0, 8π], before chaos sets in."""
    return Problem(
        "u_t + u*u_x + u_xx + u_xxxx = 0",
        domain=Box(x=(0, 8 * np.pi)),
        time=(0, T),
        initial="cos(x/4)*(1 + sin(x/4))",
        boundary="periodic",
        reference=lambda x, t: kuramoto_sivashinsky_series(T)(x, t),
    )


@functools.cache
def cahn_hilliard_series(eps: float, T: float, modes: int = 64, panels: int = 8) -> Series:
    """û_k' = (k² - εk⁴) û_k - k² (u³)^_k."""
    (u,) = evolve(
        box=[(-1.0, 1.0)],
        T=T,
        initial=lambda x: (0.4 * np.cos(np.pi * x) + 0.2 * np.sin(2 * np.pi * x),),
        rates=lambda k: (k**2 - eps * k**4,),
        nonlinear=lambda grid, hat: [-(grid.k[0] ** 2) * grid.hat(grid.values(hat[:, 0]) ** 3)],
        modes=modes,
        panels=panels,
    )
    return u


@entry(
    "Cahn-Hilliard equation",
    "u_t = (u³ - u)_xx - ε u_xxxx",
    source="Cahn and Hilliard (1958)",
    summary="Two phases start to separate; nonlinear in the second derivative.",
    reference=FOURIER,
)
def cahn_hilliard(*, eps: float = 0.02, T: float = 0.05) -> Problem:
    """u_t = (u³ - u)_xx - ε u_xxxx, written out: u_t = (3u² - 1) u_xx + 6u u_x² - ε u_xxxx, periodic."""
    return Problem(
        "u_t = 3*u**2*u_xx + 6*u*u_x**2 - u_xx - eps*u_xxxx",
        domain=Box(x=(-1, 1)),
        time=(0, T),
        initial="0.4*cos(pi*x) + 0.2*sin(2*pi*x)",
        boundary="periodic",
        parameters={"eps": eps},
        reference=lambda x, t: cahn_hilliard_series(eps, T)(x, t),
    )


@functools.cache
def swift_hohenberg_series(r: float, T: float, modes: int = 64, panels: int = 8) -> Series:
    """û_k' = (r - (1 - k²)²) û_k - (u³)^_k."""
    (u,) = evolve(
        box=[(0.0, 4 * np.pi)],
        T=T,
        initial=lambda x: (0.3 * np.cos(x) + 0.2 * np.sin(x / 2),),
        rates=lambda k: (r - (1 - k**2) ** 2,),
        nonlinear=lambda grid, hat: [-grid.hat(grid.values(hat[:, 0]) ** 3)],
        modes=modes,
        panels=panels,
    )
    return u


@entry(
    "Swift-Hohenberg equation",
    "u_t = r u - (1 + ∂ₓ²)² u - u³",
    source="Swift and Hohenberg (1977)",
    summary="A pattern of the preferred wavelength grows.",
    reference=FOURIER,
)
def swift_hohenberg(*, r: float = 0.5, T: float = 3.0) -> Problem:
    """u_t = r u - (1 + ∂ₓ²)² u - u³, written out: (r - 1) u - 2 u_xx - u_xxxx - u³, periodic on [0, 4π]."""
    return Problem(
        "u_t = (r - 1)*u - 2*u_xx - u_xxxx - u**3",
        domain=Box(x=(0, 4 * np.pi)),
        time=(0, T),
        initial="0.3*cos(x) + 0.2*sin(x/2)",
        boundary="periodic",
        parameters={"r": r},
        reference=lambda x, t: swift_hohenberg_series(r, T)(x, t),
    )


@functools.cache
def ginzburg_landau_series(a: float, b: float, T: float, modes: int = 64, panels: int = 8) -> Series:
    """Â_k' = (1 - (1 + ia)k²) Â_k - (1 + ib)(|A|²A)^_k."""

    def cubic(values: NDArray) -> NDArray:
        return -(1 + 1j * b) * np.abs(values) ** 2 * values

    (amplitude,) = evolve(
        box=[(0.0, 4 * np.pi)],
        T=T,
        initial=lambda x: (0.6 * np.exp(0.5j * x) + 0.2 * np.cos(x),),
        rates=lambda k: (1 - (1 + 1j * a) * k**2,),
        nonlinear=lambda grid, hat: [grid.hat(cubic(grid.values(hat[:, 0])))],
        real=False,
        modes=modes,
        panels=panels,
    )
    return amplitude


@entry(
    "Complex Ginzburg-Landau equation",
    "A_t = A + (1 + ia) A_xx - (1 + ib)|A|²A",
    source="Aranson and Kramer (2002)",
    summary="A perturbed plane wave with complex coefficients.",
    reference=FOURIER,
)
def ginzburg_landau(*, a: float = 1.0, b: float = -1.0, T: float = 2.0) -> Problem:
    """A_t = A + (1 + ia) A_xx - (1 + ib)|A|²A, complex, periodic on [0, 4π]: a perturbed plane wave."""
    return Problem(
        "A_t = A + (1 + 1j*a)*A_xx - (1 + 1j*b)*abs(A)**2*A",
        unknowns={"A": complex},
        domain=Box(x=(0, 4 * np.pi)),
        time=(0, T),
        initial="0.6*exp(0.5j*x) + 0.2*cos(x)",
        boundary="periodic",
        parameters={"a": a, "b": b},
        reference=lambda x, t: ginzburg_landau_series(a, b, T)(x, t),
    )
