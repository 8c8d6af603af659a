# SPDX-License-Identifier: MIT
"""Diffusion and drift with all kinds of ends: flux (Robin), radiating (nonlinear), given as functions."""

import numpy as np
from numpy.typing import NDArray

from lrfm.catalog.record import entry
from lrfm.problem import Box, Problem


@entry(
    "Advection and diffusion in a closed tube",
    "u_t + a u_x = D u_xx",
    source="Danckwerts (1953), flux conditions",
    summary="No flux through the ends: a Robin condition on both, and conserved mass.",
)
def advection_diffusion(*, a: float = 1.0, D: float = 0.5, T: float = 0.5) -> Problem:
    """u_t + a u_x = D u_xx on [0, 1] without flux through the ends, a u - D u_x = 0 (Robin).

    With u = e^{ax/2D} w the flux condition becomes w_x = (a/2D) w, so that
    u⋆ = ½ e^{ax/D} + e^{ax/2D} (cos πx + a/(2πD) sin πx) exp(-(π²D + a²/4D) t),  with constant integral.
    """

    def exact(x: NDArray, t: NDArray) -> NDArray:
        mode = np.cos(np.pi * x) + a / (2 * np.pi * D) * np.sin(np.pi * x)
        decay = np.exp(-(np.pi**2 * D + a**2 / (4 * D)) * t)
        return 0.5 * np.exp(a * x / D) + np.exp(a * x / (2 * D)) * mode * decay

    return Problem(
        "u_t + a*u_x = D*u_xx",
        domain=Box(x=(0, 1)),
        time=(0, T),
        initial="0.5*exp(a*x/D) + exp(0.5*a*x/D)*(cos(pi*x) + 0.5*a/(pi*D)*sin(pi*x))",
        boundary="a*u - D*u_x = 0",
        parameters={"a": a, "D": D},
        reference=exact,
    )


@entry(
    "Viscous front of the Burgers equation",
    "u_t + u u_x = ν u_xx",
    source="Burgers (1948)",
    summary="A travelling tanh front with its exact values at both ends.",
)
def burgers_front(*, nu: float = 0.1, a: float = 0.5, c: float = 0.5, T: float = 1.0) -> Problem:
    """u_t + u u_x = ν u_xx,  u⋆ = c - a tanh(a(x - ct)/2ν): a viscous front between c + a and c - a."""
    return Problem(
        "u_t + u*u_x = nu*u_xx",
        domain=Box(x=(-1, 1)),
        time=(0, T),
        initial="c - a*tanh(0.5*a*x/nu)",
        boundary="u = c - a*tanh(0.5*a*(x - c*t)/nu)",
        parameters={"nu": nu, "a": a, "c": c},
        reference=lambda x, t: c - a * np.tanh(a * (x - c * t) / (2 * nu)),
    )


@entry(
    "Heat equation with a radiating end",
    "u_t = κ u_xx,  u_n = β(A(t) - u⁴)",
    source="Stefan-Boltzmann law; surroundings chosen to fit the solution",
    summary="A linear equation with a nonlinear boundary condition.",
)
def heat_radiation(*, kappa: float = 0.5, beta: float = 0.5, T: float = 0.5) -> Problem:
    """u_t = κ u_xx, insulated at x = 0, radiating at x = 1: u_n = β(A(t) - u⁴), a nonlinear condition.

    u⋆ = 1 + 0.3 e^{-4κt} cos 2x; the surroundings A(t) = u⋆⁴ + u⋆_x/β at x = 1 are chosen to fit it.
    """

    ambient = "(1 + 0.3*exp(-4*kappa*t)*cos(2))**4 - 0.6*exp(-4*kappa*t)*sin(2)/beta"
    return Problem(
        "u_t = kappa*u_xx",
        domain=Box(x=(0, 1)),
        time=(0, T),
        initial="1 + 0.3*cos(2*x)",
        boundary={"x-": "u_n = 0", "x+": f"u_n = beta*({ambient} - u**4)"},
        parameters={"kappa": kappa, "beta": beta},
        reference=lambda x, t: 1 + 0.3 * np.exp(-4 * kappa * t) * np.cos(2 * x),
    )


@entry(
    "Fokker-Planck equation, Ornstein-Uhlenbeck process",
    "p_t = (θ x p)_x + D p_xx",
    source="Uhlenbeck and Ornstein (1930)",
    summary="A probability density relaxes to its equilibrium; variable coefficients.",
)
def fokker_planck(*, theta: float = 1.0, D: float = 0.5, T: float = 1.0) -> Problem:
    """p_t = (θ x p)_x + D p_xx: the density of an Ornstein-Uhlenbeck process, a drifting Gaussian.

    p⋆ = (2πS)^{-1/2} exp(-(x - e^{-θt})²/2S),  S = D/θ + (¼ - D/θ) e^{-2θt}.
    """

    def exact(x: NDArray, t: NDArray) -> NDArray:
        variance = D / theta + (0.25 - D / theta) * np.exp(-2 * theta * t)
        return np.exp(-((x - np.exp(-theta * t)) ** 2) / (2 * variance)) / np.sqrt(2 * np.pi * variance)

    variance = "(D/theta + (0.25 - D/theta)*exp(-2*theta*t))"
    return Problem(
        "p_t = theta*p + theta*x*p_x + D*p_xx",
        domain=Box(x=(-3, 4)),
        time=(0, T),
        initial="exp(-2*(x - 1)**2)/sqrt(0.5*pi)",
        boundary=f"p = exp(-0.5*(x - exp(-theta*t))**2/{variance})/sqrt(2*pi*{variance})",
        parameters={"theta": theta, "D": D},
        reference=exact,
    )


def call_price(s: NDArray, tau: NDArray | float, sigma: float, r: float) -> NDArray:
    """V = s Φ(d₁) - e^{-rτ} Φ(d₂),  d₁ = (ln s + (r + ½σ²)τ)/(σ√τ),  d₂ = d₁ - σ√τ: a call at strike 1."""
    from scipy.special import ndtr

    width = sigma * np.sqrt(tau)
    d1 = (np.log(s) + (r + 0.5 * sigma**2) * tau) / width
    return s * ndtr(d1) - np.exp(-r * tau) * ndtr(d1 - width)


@entry(
    "Black-Scholes price of a call",
    "V_t = ½σ²s² V_ss + r s V_s - r V",
    source="Black and Scholes (1973)",
    summary="A call option in time to maturity; data given as NumPy functions.",
)
def black_scholes(*, sigma: float = 0.3, r: float = 0.05, tau0: float = 0.5, T: float = 0.5) -> Problem:
    """V_t = ½σ²s² V_ss + r s V_s - r V: a European call, time counted backwards from `tau0` before maturity.

    s is the price in units of the strike, s ∈ [0.5, 2]. Starting at `tau0` > 0 avoids the kink of the payoff.
    Initial and boundary data are NumPy functions.
    """

    def exact(s: NDArray, t: NDArray) -> NDArray:
        return call_price(s, tau0 + t, sigma, r)

    return Problem(
        "V_t = 0.5*sigma**2*s**2*V_ss + r*s*V_s - r*V",
        domain=Box(s=(0.5, 2)),
        time=(0, T),
        initial=lambda s: call_price(s, tau0, sigma, r),
        boundary={"s": {"V": exact}},
        parameters={"sigma": sigma, "r": r},
        reference=exact,
    )
