# SPDX-License-Identifier: MIT
"""The nine demos in one dimension of Chebfun's `spin`, with its parameters: long, stiff, and chaotic in part.

u_t = Lu + N(u), periodic. Only one of them has a solution in closed form.
"""

import math

import numpy as np
from numpy.typing import NDArray

from lrfm.catalog.record import NONE, entry
from lrfm.problem import Box, Problem

SOURCE = "Chebfun, spin('{}'); Montanelli and Bootland (2020)"
WAVES = "cos(x/16)*(1 + sin((x - 1)/16))"
# What Chebfun calls them.
SHORT = {
    "spin-ac": "spin-allen-cahn",
    "spin-burg": "spin-burgers",
    "spin-bz": "spin-belousov-zhabotinsky",
    "spin-ch": "spin-cahn-hilliard",
    "spin-gs": "spin-gray-scott",
    "spin-ks": "spin-kuramoto-sivashinsky",
    "spin-niko": "spin-nikolaevskiy",
}


@entry(
    "Allen-Cahn equation, metastable plateaus",
    "u_t = eps u_xx + u - u³",
    source=SOURCE.format("ac"),
    summary="Plateaus that live long, and vanish one by one.",
    reference=NONE,
)
def spin_allen_cahn(*, eps: float = 0.005, T: float = 500.0) -> Problem:
    """u_t = eps u_xx + u - u³: plateaus that live long, and vanish one by one."""
    return Problem(
        "u_t = eps*u_xx + u - u**3",
        domain=Box(x=(0, 2 * math.pi)),
        time=(0, T),
        initial="tanh(2*sin(x))/3 - exp(-23.5*(x - pi/2)**2) + exp(-27*(x - 4.2)**2) + exp(-38*(x - 5.4)**2)",
        boundary="periodic",
        parameters={"eps": eps},
    )


@entry(
    "Viscous Burgers equation, a travelling shock",
    "u_t = nu u_xx - u u_x",
    source=SOURCE.format("burg"),
    summary="A shock forms, travels and decays.",
    reference=NONE,
)
def spin_burgers(*, nu: float = 1e-3, T: float = 20.0) -> Problem:
    """u_t = nu u_xx - u u_x: a shock forms, travels and decays."""
    return Problem(
        "u_t = nu*u_xx - u*u_x",
        domain=Box(x=(-1, 1)),
        time=(0, T),
        initial="(1 - x**2)*exp(-30*(x + 1/2)**2)",
        boundary="periodic",
        parameters={"nu": nu},
        check_corners=False,  # the slope jumps by 1.1e-3 where the interval closes
    )


@entry(
    "Belousov-Zhabotinsky reaction",
    "u_t = D u_xx + u + v - uv - u², and v, w",
    source=SOURCE.format("bz"),
    summary="Three species grow out of nothing; so does whatever is left of rounding.",
    reference=NONE,
)
def spin_belousov_zhabotinsky(*, D: float = 1e-5, T: float = 30.0) -> Problem:
    """u_t = D u_xx + u + v - uv - u²,  v_t = 2D v_xx + w - v - uv,  w_t = D w_xx + u - w.

    Tails and rounding errors grow like e^{1.3t} where u = v = w = 0.
    """
    return Problem(
        [
            "u_t = D*u_xx + u + v - u*v - u**2",
            "v_t = 2*D*v_xx + w - v - u*v",
            "w_t = D*w_xx + u - w",
        ],
        unknowns={"u": float, "v": float, "w": float},
        domain=Box(x=(-1, 1)),
        time=(0, T),
        initial={"u": "exp(-100*(x + 0.5)**2)", "v": "exp(-100*x**2)", "w": "exp(-100*(x - 0.5)**2)"},
        boundary="periodic",
        parameters={"D": D},
        check_corners=False,  # tails of 1e-11
    )


@entry(
    "Cahn-Hilliard equation, metastable",
    "u_t = a ((u³)_xx - u_xx - eps u_xxxx)",
    source=SOURCE.format("ch"),
    summary="Two phases separate; some layers meet late.",
    reference=NONE,
)
def spin_cahn_hilliard(*, a: float = 0.01, eps: float = 1e-3, T: float = 100.0) -> Problem:
    """u_t = a ((u³)_xx - u_xx - eps u_xxxx), written out: two phases separate."""
    return Problem(
        "u_t = a*(3*u**2*u_xx + 6*u*u_x**2 - u_xx - eps*u_xxxx)",
        domain=Box(x=(-1, 1)),
        time=(0, T),
        initial="sin(4*pi*x)**5/5 - 4*sin(pi*x)/5",
        boundary="periodic",
        parameters={"a": a, "eps": eps},
    )


@entry(
    "Gray-Scott equations, splitting pulses",
    "u_t = u_xx + b(1-u) - uv², v_t = d v_xx - cv + uv²",
    source=SOURCE.format("gs"),
    summary="Pulses that split until they fill the circle.",
    reference=NONE,
)
def spin_gray_scott(*, b: float = 0.02, c: float = 0.0862, d: float = 0.01, T: float = 8000.0) -> Problem:
    """u_t = u_xx + b(1 - u) - uv²,  v_t = d v_xx - c v + uv²: pulses that split."""
    return Problem(
        ["u_t = u_xx + b*(1 - u) - u*v**2", "v_t = d*v_xx - c*v + u*v**2"],
        unknowns={"u": float, "v": float},
        domain=Box(x=(-50, 50)),
        time=(0, T),
        initial={"u": "1 - 0.5*sin(pi*(x - 50)/100)**100", "v": "0.25*sin(pi*(x - 50)/100)**100"},
        boundary="periodic",
        parameters={"b": b, "c": c, "d": d},
    )


@entry(
    "Korteweg-de Vries equation, two solitons",
    "u_t + u u_x + u_xxx = 0",
    source=SOURCE.format("kdv"),
    summary="Two solitons; the taller one overtakes the other.",
    reference=NONE,
)
def spin_kdv(*, A: float = 25.0, B: float = 16.0, T: float = 0.03015) -> Problem:
    """u_t = -u u_x - u_xxx: two solitons of heights 3A² and 3B², the taller overtakes the other."""
    return Problem(
        "u_t = -u*u_x - u_xxx",
        domain=Box(x=(-math.pi, math.pi)),
        time=(0, T),
        initial="3*A**2*sech(0.5*A*(x + 2))**2 + 3*B**2*sech(0.5*B*(x + 1))**2",
        boundary="periodic",
        parameters={"A": A, "B": B},
        check_corners=False,  # tails of 1e-12 of the height, steep ones
    )


@entry(
    "Kuramoto-Sivashinsky equation, chaos",
    "u_t = -u u_x - u_xx - u_xxxx",
    source=SOURCE.format("ks"),
    summary="Chaos on a circle of 16 periods: errors grow by e within some ten units of time.",
    reference=NONE,
)
def spin_kuramoto_sivashinsky(*, T: float = 200.0) -> Problem:
    """u_t = -u u_x - u_xx - u_xxxx on [0, 32π]: chaos."""
    return Problem(
        "u_t = -u*u_x - u_xx - u_xxxx",
        domain=Box(x=(0, 32 * math.pi)),
        time=(0, T),
        initial=WAVES,
        boundary="periodic",
    )


@entry(
    "Nikolaevskiy equation, chaos",
    "u_t = -u u_x + r u_xx + u_xxxx + u_xxxxxx",
    source=SOURCE.format("niko"),
    summary="Chaos of sixth order; errors grow by 3e4.",
    reference=NONE,
)
def spin_nikolaevskiy(*, r: float = 0.1, T: float = 300.0) -> Problem:
    """u_t = -u u_x + r u_xx + u_xxxx + u_xxxxxx on [0, 32π]: chaos of sixth order."""
    return Problem(
        "u_t = -u*u_x + r*u_xx + u_xxxx + u_xxxxxx",
        domain=Box(x=(0, 32 * math.pi)),
        time=(0, T),
        initial=WAVES,
        boundary="periodic",
        parameters={"r": r},
    )


@entry(
    "Focusing Schrödinger equation, a breather",
    "u_t = i u_xx + i |u|²u",
    source=f"{SOURCE.format('nls')}; Akhmediev (1986)",
    summary="A breather at its peak leaves a plane wave, around which perturbations grow like e^t.",
)
def spin_nls(*, T: float = 20.0) -> Problem:
    """u_t = i u_xx + i|u|²u,  u⋆ = e^{it} ((2 cosh t + 2i sinh t)/(2 cosh t - √2 cos x) - 1): Akhmediev's breather.

    It leaves a plane wave; perturbations of it grow like e^t.
    """

    def exact(x: NDArray, t: NDArray) -> NDArray:
        return np.exp(1j * t) * ((2 + 2j * np.tanh(t)) / (2 - np.sqrt(2) * np.cos(x) / np.cosh(t)) - 1)

    return Problem(
        "u_t = 1j*u_xx + 1j*abs(u)**2*u",
        unknowns={"u": complex},
        domain=Box(x=(-math.pi, math.pi)),
        time=(0, T),
        initial="2/(2 - sqrt(2)*cos(x)) - 1",
        boundary="periodic",
        reference=exact,
    )
