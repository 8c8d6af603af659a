# SPDX-License-Identifier: MIT
"""Chebfun's nine demos in one dimension, `spin('ac')` … `spin('nls')`, with the parameters of its source (S)."""

from __future__ import annotations

import math

import numpy as np

from field.record import Statement, Stored, goals
from lrfm.problem import Box, Problem

GROUP = "spin"
WAVES = "cos(x/16)*(1 + sin((x - 1)/16))"


def allen_cahn() -> Problem:
    """u_t = 0.005 u_xx + u − u³: plateaus that live long, and vanish one by one."""
    return Problem(
        "u_t = 0.005*u_xx + u - u**3",
        domain=Box(x=(0, 2 * math.pi)),
        time=(0, 500),
        initial="tanh(2*sin(x))/3 - exp(-23.5*(x - pi/2)**2) + exp(-27*(x - 4.2)**2) + exp(-38*(x - 5.4)**2)",
        boundary="periodic",
    )


def burgers() -> Problem:
    """u_t = 1e-3 u_xx − u u_x: a shock forms, travels and decays."""
    return Problem(
        "u_t = 0.001*u_xx - u*u_x",
        domain=Box(x=(-1, 1)),
        time=(0, 20),
        initial="(1 - x**2)*exp(-30*(x + 1/2)**2)",
        boundary="periodic",
        check_corners=False,
    )


def belousov_zhabotinsky() -> Problem:
    """Three species that grow out of nothing: tails and rounding errors grow like e^{1.3t} where u = v = w = 0."""
    return Problem(
        [
            "u_t = 0.00001*u_xx + u + v - u*v - u**2",
            "v_t = 0.00002*v_xx + w - v - u*v",
            "w_t = 0.00001*w_xx + u - w",
        ],
        unknowns={"u": float, "v": float, "w": float},
        domain=Box(x=(-1, 1)),
        time=(0, 30),
        initial={"u": "exp(-100*(x + 0.5)**2)", "v": "exp(-100*x**2)", "w": "exp(-100*(x - 0.5)**2)"},
        boundary="periodic",
        check_corners=False,
    )


def cahn_hilliard() -> Problem:
    """u_t = 0.01(−u_xx − 0.001 u_xxxx + (u³)_xx), written out."""
    return Problem(
        "u_t = 0.01*(3*u**2*u_xx + 6*u*u_x**2 - u_xx - 0.001*u_xxxx)",
        domain=Box(x=(-1, 1)),
        time=(0, 100),
        initial="sin(4*pi*x)**5/5 - 4*sin(pi*x)/5",
        boundary="periodic",
    )


def gray_scott() -> Problem:
    """u_t = u_xx + 0.02(1 − u) − uv², v_t = 0.01 v_xx − 0.0862 v + uv²: pulses that split."""
    return Problem(
        ["u_t = u_xx + 0.02*(1 - u) - u*v**2", "v_t = 0.01*v_xx - 0.0862*v + u*v**2"],
        unknowns={"u": float, "v": float},
        domain=Box(x=(-50, 50)),
        time=(0, 8000),
        initial={"u": "1 - 0.5*sin(pi*(x - 50)/100)**100", "v": "0.25*sin(pi*(x - 50)/100)**100"},
        boundary="periodic",
    )


def kdv() -> Problem:
    """u_t = −u u_x − u_xxx: two solitons, the taller overtakes the other."""
    return Problem(
        "u_t = -u*u_x - u_xxx",
        domain=Box(x=(-math.pi, math.pi)),
        time=(0, 0.03015),
        initial="3*A**2*sech(0.5*A*(x + 2))**2 + 3*B**2*sech(0.5*B*(x + 1))**2",
        boundary="periodic",
        parameters={"A": 25, "B": 16},
        check_corners=False,
    )


def kuramoto_sivashinsky() -> Problem:
    """u_t = −u u_x − u_xx − u_xxxx on [0, 32π]: chaos."""
    return Problem(
        "u_t = -u*u_x - u_xx - u_xxxx",
        domain=Box(x=(0, 32 * math.pi)),
        time=(0, 200),
        initial=WAVES,
        boundary="periodic",
    )


def nikolaevskiy() -> Problem:
    """u_t = −u u_x + 0.1 u_xx + u_xxxx + u_xxxxxx on [0, 32π]: chaos of sixth order."""
    return Problem(
        "u_t = -u*u_x + 0.1*u_xx + u_xxxx + u_xxxxxx",
        domain=Box(x=(0, 32 * math.pi)),
        time=(0, 300),
        initial=WAVES,
        boundary="periodic",
    )


def nls() -> Problem:
    """u_t = i u_xx + i|u|²u: a breather at its peak, which leaves a plane wave; perturbations of it grow like e^t.

    u⋆ = e^{it} ((2 cosh t + 2i sinh t)/(2 cosh t − √2 cos x) − 1)  (Akhmediev 1986).
    """

    def exact(x, t):
        return np.exp(1j * t) * ((2 + 2j * np.tanh(t)) / (2 - np.sqrt(2) * np.cos(x) / np.cosh(t)) - 1)

    return Problem(
        "u_t = 1j*u_xx + 1j*abs(u)**2*u",
        unknowns={"u": complex},
        domain=Box(x=(-math.pi, math.pi)),
        time=(0, 20),
        initial="2/(2 - sqrt(2)*cos(x)) - 1",
        boundary="periodic",
        reference=exact,
    )


DEMOS = {
    "ac": allen_cahn,
    "burg": burgers,
    "bz": belousov_zhabotinsky,
    "ch": cahn_hilliard,
    "gs": gray_scott,
    "kdv": kdv,
    "ks": kuramoto_sivashinsky,
    "niko": nikolaevskiy,
    "nls": nls,
}
STATEMENTS = tuple(
    Statement(
        name=f"spin-{key}",
        group=GROUP,
        build=build,
        reference=None if key == "nls" else Stored(f"spin-{key}"),
        wanted=goals(1e-3, 1e-5) if key == "gs" else goals(1e-3, 1e-6),  # as far as the reference is known
        mark=f"Chebfun spin('{key}'): spectral accuracy in seconds (S)",
        note=(build.__doc__ or "").splitlines()[0],
    )
    for key, build in DEMOS.items()
)
