# SPDX-License-Identifier: MIT
"""Linear waves: transport, strings, membranes, sound and a quantum oscillator, all with exact solutions."""

import numpy as np
from numpy.typing import NDArray

from lrfm.catalog.record import entry
from lrfm.problem import Box, Problem


@entry(
    "Wave equation",
    "u_tt = c² u_xx",
    source="d'Alembert (1747)",
    summary="Three modes of a string held at both ends.",
)
def wave(*, c: float = 1.0, T: float = 1.0) -> Problem:
    """u_tt = c² u_xx,  u⋆ = sin πx cos πct + ¼ sin 2πx sin 2πct + ⅕ sin 3πx cos 3πct."""

    def exact(x: NDArray, t: NDArray) -> NDArray:
        return (
            np.sin(np.pi * x) * np.cos(np.pi * c * t)
            + np.sin(2 * np.pi * x) * np.sin(2 * np.pi * c * t) / 4
            + np.sin(3 * np.pi * x) * np.cos(3 * np.pi * c * t) / 5
        )

    return Problem(
        "u_tt = c**2*u_xx",
        domain=Box(x=(0, 1)),
        time=(0, T),
        initial={"u": "sin(pi*x) + sin(3*pi*x)/5", "u_t": "0.5*pi*c*sin(2*pi*x)"},
        boundary="u = 0",
        parameters={"c": c},
        reference=exact,
    )


@entry(
    "Wave equation in two dimensions",
    "u_tt = c² Δu",
    source="Square membrane, textbook modes",
    summary="Two modes of a square membrane with incommensurable frequencies.",
)
def wave_2d(*, c: float = 1.0, T: float = 0.5) -> Problem:
    """u_tt = c² Δu,  u⋆ = sin πx sin πy cos(√2 πct) + ⅓ sin 2πx sin πy cos(√5 πct); a square membrane."""

    def exact(x: NDArray, y: NDArray, t: NDArray) -> NDArray:
        first = np.sin(np.pi * x) * np.cos(np.sqrt(2) * np.pi * c * t)
        second = np.sin(2 * np.pi * x) * np.cos(np.sqrt(5) * np.pi * c * t)
        return np.sin(np.pi * y) * (first + second / 3)

    return Problem(
        "u_tt = c**2*lap(u)",
        domain=Box(x=(0, 1), y=(0, 1)),
        time=(0, T),
        initial={"u": "sin(pi*y)*(sin(pi*x) + sin(2*pi*x)/3)", "u_t": "0"},
        boundary="u = 0",
        parameters={"c": c},
        reference=exact,
    )


@entry(
    "Advection",
    "u_t + a u_x = 0",
    source="Textbook transport equation",
    summary="A smooth profile carried around half a period.",
)
def advection(*, a: float = 1.0, T: float = 0.5) -> Problem:
    """u_t + a u_x = 0,  u⋆ = exp(sin 2π(x - at)), periodic."""
    return Problem(
        "u_t + a*u_x = 0",
        domain=Box(x=(0, 1)),
        time=(0, T),
        initial="exp(sin(2*pi*x))",
        boundary="periodic",
        parameters={"a": a},
        reference=lambda x, t: np.exp(np.sin(2 * np.pi * (x - a * t))),
    )


@entry(
    "Advection with inflow and outflow",
    "u_t + a u_x = 0",
    source="Textbook transport equation",
    summary="A pulse moves right; the outflow face has no condition.",
)
def advection_outflow(*, a: float = 1.0, T: float = 0.5) -> Problem:
    """u_t + a u_x = 0,  u⋆ = exp(-20(x - at - ¼)²): given at the inflow, free at the outflow."""
    return Problem(
        "u_t + a*u_x = 0",
        domain=Box(x=(0, 1)),
        time=(0, T),
        initial="exp(-20*(x - 0.25)**2)",
        boundary={"x-": "u = exp(-20*(a*t + 0.25)**2)", "x+": None},
        parameters={"a": a},
        reference=lambda x, t: np.exp(-20 * (x - a * t - 0.25) ** 2),
    )


@entry(
    "Klein-Gordon equation",
    "u_tt = u_xx - m² u",
    source="Klein (1926), Gordon (1926)",
    summary="Two dispersive modes between fixed ends.",
)
def klein_gordon(*, m: float = 4.0, T: float = 1.0) -> Problem:
    """u_tt = u_xx - m² u,  u⋆ = sin πx cos ω₁t + ½ sin 2πx cos ω₂t,  ω_n = √(n²π² + m²): dispersive waves."""

    def exact(x: NDArray, t: NDArray) -> NDArray:
        first, second = np.sqrt(np.pi**2 + m**2), np.sqrt(4 * np.pi**2 + m**2)
        return np.sin(np.pi * x) * np.cos(first * t) + np.sin(2 * np.pi * x) * np.cos(second * t) / 2

    return Problem(
        "u_tt = u_xx - m**2*u",
        domain=Box(x=(0, 1)),
        time=(0, T),
        initial={"u": "sin(pi*x) + 0.5*sin(2*pi*x)", "u_t": "0"},
        boundary="u = 0",
        parameters={"m": m},
        reference=exact,
    )


@entry(
    "Sound in a closed pipe",
    "p_t + ρc² v_x = 0, ρ v_t + p_x = 0",
    source="Linear acoustics, textbook modes",
    summary="A first-order system; the walls fix the velocity and leave the pressure free.",
)
def acoustics(*, rho: float = 2.0, c: float = 1.0, T: float = 1.0) -> Problem:
    """p_t + ρc² v_x = 0,  ρ v_t + p_x = 0 between rigid walls; conditions on v only.

    p⋆ = cos πx cos πct + ½ cos 2πx cos 2πct,  v⋆ = (sin πx sin πct + ½ sin 2πx sin 2πct)/(ρc).
    """

    def pressure(x: NDArray, t: NDArray) -> NDArray:
        second = np.cos(2 * np.pi * x) * np.cos(2 * np.pi * c * t) / 2
        return np.cos(np.pi * x) * np.cos(np.pi * c * t) + second

    def velocity(x: NDArray, t: NDArray) -> NDArray:
        second = np.sin(2 * np.pi * x) * np.sin(2 * np.pi * c * t) / 2
        return (np.sin(np.pi * x) * np.sin(np.pi * c * t) + second) / (rho * c)

    return Problem(
        ["p_t + rho*c**2*v_x = 0", "rho*v_t + p_x = 0"],
        unknowns={"p": float, "v": float},
        domain=Box(x=(0, 1)),
        time=(0, T),
        initial={"p": "cos(pi*x) + 0.5*cos(2*pi*x)", "v": "0"},
        boundary="v = 0",
        parameters={"rho": rho, "c": c},
        reference={"p": pressure, "v": velocity},
    )


COHERENT_STATE = "pi**(-0.25)*exp(-0.5*(x - q*cos(t))**2 - 1j*(0.5*t + q*x*sin(t) - 0.5*q**2*sin(t)*cos(t)))"


@entry(
    "Linear Schrödinger equation in a harmonic well",
    "i ψ_t = -½ ψ_xx + ½ x² ψ",
    source="Schrödinger (1926)",
    summary="A coherent state swings without spreading; complex, variable coefficient.",
)
def schroedinger(*, q: float = 1.0, T: float = 1.0) -> Problem:
    """i ψ_t = -½ ψ_xx + ½ x² ψ: a coherent state, displaced by q, swings in a harmonic well.

    ψ⋆ = π^{-1/4} exp(-½(x - q cos t)² - i[t/2 + q x sin t - ½ q² sin t cos t]).
    """

    def exact(x: NDArray, t: NDArray) -> NDArray:
        phase = t / 2 + q * x * np.sin(t) - q**2 * np.sin(t) * np.cos(t) / 2
        return np.pi**-0.25 * np.exp(-0.5 * (x - q * np.cos(t)) ** 2 - 1j * phase)

    return Problem(
        "1j*psi_t = -0.5*psi_xx + 0.5*x**2*psi",
        unknowns={"psi": complex},
        domain=Box(x=(-5, 5)),
        time=(0, T),
        initial="pi**(-0.25)*exp(-0.5*(x - q)**2)",
        boundary=f"psi = {COHERENT_STATE}",
        parameters={"q": q},
        reference=exact,
    )
