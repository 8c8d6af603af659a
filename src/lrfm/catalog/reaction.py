# SPDX-License-Identifier: MIT
"""Reaction and diffusion: a travelling front and the classical two-component systems."""

import functools

import numpy as np
from numpy.typing import NDArray

from lrfm.catalog.record import FOURIER, entry
from lrfm.catalog.reference import PeriodicGrid, evolve
from lrfm.catalog.series import Series
from lrfm.problem import Box, Problem


@entry(
    "Fisher-KPP front",
    "u_t = D u_xx + r u(1 - u)",
    source="Ablowitz and Zeppetella (1979)",
    summary="The one travelling front known in closed form.",
)
def fisher_kpp(*, D: float = 0.1, r: float = 1.0, T: float = 1.0) -> Problem:
    """u_t = D u_xx + r u(1 - u),  u⋆ = (1 + exp(√(r/6D) x - 5rt/6))^{-2}: the front of speed 5√(rD/6)."""
    return Problem(
        "u_t = D*u_xx + r*u*(1 - u)",
        domain=Box(x=(-3, 3)),
        time=(0, T),
        initial="(1 + exp(sqrt(r/(6*D))*x))**(-2)",
        boundary="u = (1 + exp(sqrt(r/(6*D))*x - 5*r*t/6))**(-2)",
        parameters={"D": D, "r": r},
        reference=lambda x, t: (1 + np.exp(np.sqrt(r / (6 * D)) * x - 5 * r * t / 6)) ** -2.0,
    )


@functools.cache
def gray_scott_series(
    Du: float, Dv: float, F: float, k: float, T: float, modes: int = 64, panels: int = 4
) -> tuple[Series, ...]:
    """Even periodic extension to [0, 2]; linear parts -D k² - F and -D k² - (F + k) are exact."""

    def nonlinear(grid: PeriodicGrid, hat: NDArray) -> list[NDArray]:
        u, v = grid.values(hat[:, 0]), grid.values(hat[:, 1])
        return [grid.hat(F - u * v**2), grid.hat(u * v**2)]

    return evolve(
        box=[(0.0, 2.0)],
        T=T,
        initial=lambda x: (0.75 + 0.25 * np.cos(2 * np.pi * x), 0.25 - 0.2 * np.cos(2 * np.pi * x)),
        rates=lambda q: (-Du * q**2 - F, -Dv * q**2 - F - k),
        nonlinear=nonlinear,
        modes=modes,
        panels=panels,
    )


@entry(
    "Gray-Scott reaction",
    "u_t = D_u Δu - u v² + F(1 - u),  v_t = D_v Δv + u v² - (F + k) v",
    source="Gray and Scott (1984)",
    summary="Two reacting species between insulated ends.",
    reference=FOURIER,
)
def gray_scott(
    *, Du: float = 0.01, Dv: float = 0.005, F: float = 0.04, k: float = 0.06, T: float = 5.0
) -> Problem:
    """u_t = D_u Δu - u v² + F(1 - u),  v_t = D_v Δv + u v² - (F + k) v on [0, 1] with insulated ends."""
    return Problem(
        ["u_t = Du*lap(u) - u*v**2 + F*(1 - u)", "v_t = Dv*lap(v) + u*v**2 - (F + k)*v"],
        unknowns={"u": float, "v": float},
        domain=Box(x=(0, 1)),
        time=(0, T),
        initial={"u": "0.75 + 0.25*cos(2*pi*x)", "v": "0.25 - 0.2*cos(2*pi*x)"},
        boundary={"*": ["u_n = 0", "v_n = 0"]},
        parameters={"Du": Du, "Dv": Dv, "F": F, "k": k},
        reference={
            "u": lambda x, t: gray_scott_series(Du, Dv, F, k, T)[0](x, t),
            "v": lambda x, t: gray_scott_series(Du, Dv, F, k, T)[1](x, t),
        },
    )


@functools.cache
def fitzhugh_nagumo_series(
    D: float, eps: float, a: float, b: float, T: float, modes: int = 64, panels: int = 8
) -> tuple[Series, ...]:
    """λ_u = 1 - D k², λ_v = -εb; the recovery variable does not diffuse."""

    def nonlinear(grid: PeriodicGrid, hat: NDArray) -> list[NDArray]:
        u, v = grid.values(hat[:, 0]), grid.values(hat[:, 1])
        return [grid.hat(-(u**3) / 3 - v), grid.hat(eps * (u + a))]

    return evolve(
        box=[(-10.0, 10.0)],
        T=T,
        initial=lambda x: (0.2 + np.cos(np.pi * x / 10), 0.3 * np.sin(np.pi * x / 10)),
        rates=lambda q: (1 - D * q**2, -eps * b),
        nonlinear=nonlinear,
        modes=modes,
        panels=panels,
    )


@entry(
    "FitzHugh-Nagumo membrane",
    "u_t = D u_xx + u - u³/3 - v,  v_t = ε(u + a - b v)",
    source="FitzHugh (1961), Nagumo, Arimoto and Yoshizawa (1962)",
    summary="An excitable ring; the second unknown has no space derivative.",
    reference=FOURIER,
)
def fitzhugh_nagumo(
    *, D: float = 1.0, eps: float = 0.08, a: float = 0.7, b: float = 0.8, T: float = 2.0
) -> Problem:
    """u_t = D u_xx + u - u³/3 - v,  v_t = ε(u + a - b v), periodic: an excitable membrane."""
    return Problem(
        ["u_t = D*u_xx + u - u**3/3 - v", "v_t = eps*(u + a - b*v)"],
        unknowns={"u": float, "v": float},
        domain=Box(x=(-10, 10)),
        time=(0, T),
        initial={"u": "0.2 + cos(pi*x/10)", "v": "0.3*sin(pi*x/10)"},
        boundary="periodic",
        parameters={"D": D, "eps": eps, "a": a, "b": b},
        reference={
            "u": lambda x, t: fitzhugh_nagumo_series(D, eps, a, b, T)[0](x, t),
            "v": lambda x, t: fitzhugh_nagumo_series(D, eps, a, b, T)[1](x, t),
        },
    )


@functools.cache
def brusselator_series(
    D: float, a: float, b: float, T: float, modes: int = 32, panels: int = 4
) -> tuple[Series, ...]:
    """Even periodic extension to [0, 2]²; λ_u = -D k² - b - 1, λ_v = -D k²."""

    def nonlinear(grid: PeriodicGrid, hat: NDArray) -> list[NDArray]:
        u, v = grid.values(hat[:, 0]), grid.values(hat[:, 1])
        return [grid.hat(a + u**2 * v), grid.hat(b * u - u**2 * v)]

    def initial(x: NDArray, y: NDArray) -> tuple[NDArray, NDArray]:
        return 1 + 0.3 * np.cos(np.pi * x) * np.cos(np.pi * y), 2 + 0.3 * np.cos(np.pi * y) + 0 * x

    return evolve(
        box=[(0.0, 2.0)] * 2,
        T=T,
        initial=initial,
        rates=lambda p, q: (-D * (p**2 + q**2) - b - 1, -D * (p**2 + q**2)),
        nonlinear=nonlinear,
        modes=modes,
        panels=panels,
    )


@entry(
    "Brusselator in two dimensions",
    "u_t = DΔu + a - (b + 1)u + u²v,  v_t = DΔv + bu - u²v",
    source="Prigogine and Lefever (1968)",
    summary="A chemical oscillator on a square with insulated sides.",
    reference=FOURIER,
)
def brusselator(*, D: float = 0.02, a: float = 1.0, b: float = 2.0, T: float = 1.0) -> Problem:
    """u_t = DΔu + a - (b + 1)u + u²v,  v_t = DΔv + bu - u²v on the unit square with insulated sides."""
    return Problem(
        ["u_t = D*lap(u) + a - (b + 1)*u + u**2*v", "v_t = D*lap(v) + b*u - u**2*v"],
        unknowns={"u": float, "v": float},
        domain=Box(x=(0, 1), y=(0, 1)),
        time=(0, T),
        initial={"u": "1 + 0.3*cos(pi*x)*cos(pi*y)", "v": "2 + 0.3*cos(pi*y)"},
        boundary={"*": ["u_n = 0", "v_n = 0"]},
        parameters={"D": D, "a": a, "b": b},
        reference={
            "u": lambda x, y, t: brusselator_series(D, a, b, T)[0](x, y, t),
            "v": lambda x, y, t: brusselator_series(D, a, b, T)[1](x, y, t),
        },
    )
