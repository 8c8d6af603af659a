# SPDX-License-Identifier: MIT
"""Solitary waves: dispersive and nonlinear equations with travelling exact solutions."""

import numpy as np
from numpy.typing import NDArray

from lrfm.catalog.record import entry
from lrfm.problem import Box, Problem

KDV_SOLITON = "0.5*c*sech(0.5*sqrt(c)*(x - x0 - c*t))**2"
KDV_SLOPE = "-0.5*c*sqrt(c)*sech(0.5*sqrt(c)*(x - x0 - c*t))**2*tanh(0.5*sqrt(c)*(x - x0 - c*t))"
NLS_SOLITON = "eta*sech(eta*(x - x0 - v*t))*exp(1j*(v*(x - x0) + 0.5*(eta**2 - v**2)*t))"
BBM_SOLITON = "3*(c - 1)*sech(0.5*sqrt((c - 1)/c)*(x - x0 - c*t))**2"
KINK = "tanh((x - v*t)/sqrt(2*(1 - v**2)))"
BREATHER = "4*atan(sqrt(1 - w**2)/w*sin(w*t)*sech(sqrt(1 - w**2)*x))"


def sech(z: NDArray) -> NDArray:
    """1/cosh z without overflow for real z of any size."""
    e = np.exp(-np.abs(z))
    return 2 * e / (1 + e * e)


def kdv_soliton(x: NDArray, t: NDArray | float, c: float, x0: float) -> NDArray:
    """u = c/2 sech²(√c/2 (x - x₀ - ct))."""
    return 0.5 * c * sech(0.5 * np.sqrt(c) * (x - x0 - c * t)) ** 2


def nls_soliton(x: NDArray, t: NDArray, eta: float, v: float, x0: float) -> NDArray:
    """ψ = η sech(η(x - x₀ - vt)) exp(i[v(x - x₀) + ½(η² - v²)t]).  Paper, eq:nls-exact."""
    return eta * sech(eta * (x - x0 - v * t)) * np.exp(1j * (v * (x - x0) + 0.5 * (eta**2 - v**2) * t))


@entry(
    "Korteweg-de Vries equation, consistent data",
    "u_t + 6 u u_x + u_xxx = 0",
    source="Soliton of the paper's row with data that agree with it",
    summary="The paper's soliton on [-8, 8] with its own end values and right slope.",
)
def kdv_consistent(*, c: float = 2.0, x0: float = -3.0, T: float = 0.5) -> Problem:
    """u_t + 6 u u_x + u_xxx = 0 with the soliton's own data: u at both ends and u_x at the right end.

    A third-order equation with this sign takes one condition on the left and two on the right.
    """
    return Problem(
        "u_t + 6*u*u_x + u_xxx = 0",
        domain=Box(x=(-8, 8)),
        time=(0, T),
        initial=KDV_SOLITON.replace(" - c*t", ""),
        boundary={"x-": f"u = {KDV_SOLITON}", "x+": [f"u = {KDV_SOLITON}", f"u_x = {KDV_SLOPE}"]},
        parameters={"c": c, "x0": x0},
        reference=lambda x, t: kdv_soliton(x, t, c, x0),
    )


@entry(
    "Korteweg-de Vries equation on a wide period",
    "u_t + 6 u u_x + u_xxx = 0",
    source="Korteweg and de Vries (1895)",
    summary="A soliton on [-20, 20], periodic to 1e-11.",
)
def kdv_periodic(*, c: float = 2.0, x0: float = -0.5, T: float = 0.5) -> Problem:
    """u_t + 6 u u_x + u_xxx = 0, periodic on [-20, 20]: the soliton is periodic to 1e-11."""

    def exact(x: NDArray, t: NDArray) -> NDArray:
        # The nearest image of the soliton, so that the reference is periodic where it wraps around.
        distance = np.mod(x - x0 - c * t + 20, 40) - 20
        return kdv_soliton(distance, 0.0, c, 0.0)

    return Problem(
        "u_t + 6*u*u_x + u_xxx = 0",
        domain=Box(x=(-20, 20)),
        time=(0, T),
        initial=KDV_SOLITON.replace(" - c*t", ""),
        boundary="periodic",
        parameters={"c": c, "x0": x0},
        reference=exact,
    )


@entry(
    "Benjamin-Bona-Mahony equation",
    "u_t + u_x + u u_x - u_xxt = 0",
    source="Benjamin, Bona and Mahony (1972)",
    summary="A long water wave; the time derivative appears under ∂ₓ².",
)
def bbm(*, c: float = 2.0, x0: float = -1.0, T: float = 1.0) -> Problem:
    """u_t + u_x + u u_x - u_xxt = 0,  u⋆ = 3(c-1) sech²(½√((c-1)/c) (x - x₀ - ct)); mixed u_xxt."""
    return Problem(
        "u_t + u_x + u*u_x - u_xxt = 0",
        domain=Box(x=(-10, 10)),
        time=(0, T),
        initial=BBM_SOLITON.replace(" - c*t", ""),
        boundary=f"u = {BBM_SOLITON}",
        parameters={"c": c, "x0": x0},
        reference=lambda x, t: 3 * (c - 1) * sech(0.5 * np.sqrt((c - 1) / c) * (x - x0 - c * t)) ** 2,
    )


@entry(
    "Sine-Gordon breather",
    "u_tt = u_xx - sin u",
    source="Ablowitz, Kaup, Newell and Segur (1973)",
    summary="A bound state swings up from rest; second order in time.",
)
def sine_gordon(*, w: float = 0.6, T: float = 2.0) -> Problem:
    """u_tt = u_xx - sin u,  u⋆ = 4 arctan(q/ω sin(ωt) sech(qx)),  q = √(1-ω²): the breather."""

    def exact(x: NDArray, t: NDArray) -> NDArray:
        q = np.sqrt(1 - w**2)
        return 4 * np.arctan(q / w * np.sin(w * t) * sech(q * x))

    return Problem(
        "u_tt = u_xx - sin(u)",
        domain=Box(x=(-6, 6)),
        time=(0, T),
        initial={"u": "0", "u_t": "4*sqrt(1 - w**2)*sech(sqrt(1 - w**2)*x)"},
        boundary=f"u = {BREATHER}",
        parameters={"w": w},
        reference=exact,
    )


@entry(
    "Kink of the φ⁴ equation",
    "u_tt = u_xx + u - u³",
    source="Nonlinear Klein-Gordon equation, textbook kink",
    summary="A moving kink between the two stable states.",
)
def phi_four(*, v: float = 0.4, T: float = 2.0) -> Problem:
    """u_tt = u_xx + u - u³,  u⋆ = tanh((x - vt)/√(2(1-v²))): a kink moving at the speed v."""
    return Problem(
        "u_tt = u_xx + u - u**3",
        domain=Box(x=(-5, 5)),
        time=(0, T),
        initial={
            "u": KINK.replace(" - v*t", ""),
            "u_t": "-v/sqrt(2*(1 - v**2))*sech(x/sqrt(2*(1 - v**2)))**2",
        },
        boundary=f"u = {KINK}",
        parameters={"v": v},
        reference=lambda x, t: np.tanh((x - v * t) / np.sqrt(2 * (1 - v**2))),
    )
