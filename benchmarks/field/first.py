# SPDX-License-Identifier: MIT
"""What users try first, on intervals: localized fields, kinks, layers, ignition, data that contradict each other."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import erf

from field import formulas
from field.record import Statement, Stored, goals
from lrfm import catalog
from lrfm.catalog.solitons import BREATHER
from lrfm.problem import Box, Problem

GROUP = "first"


def coherent_state(*, q: float = 1.0, T: float = 2.0, half: float = 8.0) -> Problem:
    """i ψ_t = −½ ψ_xx + ½ x²ψ on [−8, 8], ψ = 0 at the ends, where the state is 2e-11."""
    small = catalog.schroedinger(q=q, T=T)
    return small.replace(domain=Box(x=(-half, half)), boundary="psi = 0", name="coherent-state")


def breather(*, w: float = 0.6, T: float = 10.0) -> Problem:
    """u_tt = u_xx − sin u on [−20, 20], nearly one period of the breather, with its own values at the ends."""
    small = catalog.sine_gordon(w=w, T=T)
    return small.replace(domain=Box(x=(-20, 20)), boundary=f"u = {BREATHER}", name="sine-gordon-breather")


def bbm_soliton(*, c: float = 2.0, x0: float = -3.0, T: float = 3.0) -> Problem:
    """u_t + u_x + u u_x − u_xxt = 0 on [−60, 60], u = 0 at the ends, where the soliton is 1e-16."""
    small = catalog.bbm(c=c, x0=x0, T=T)
    return small.replace(domain=Box(x=(-60, 60)), boundary="u = 0", name="bbm-soliton")


def tent_heat() -> Problem:
    """u_t = u_xx from a tent: a kink at the start, smooth at every later time."""
    return Problem(
        "u_t = u_xx",
        domain=Box(x=(0, 1)),
        time=(0, 0.1),
        initial="1 - abs(2*x - 1)",
        boundary="u = 0",
        reference=formulas.tent,
        name="tent-heat",
    )


def heat_kernel() -> Problem:
    """u_t = u_xx,  u⋆ = e^{−x²/4t}/√(4πt) from t = 0.002: a needle of width 0.06 that spreads."""
    kernel = "exp(-x**2/(4*t))/sqrt(4*pi*t)"
    return Problem(
        "u_t = u_xx",
        domain=Box(x=(-1, 1)),
        time=(0.002, 0.2),
        initial="exp(-x**2/0.008)/sqrt(0.008*pi)",
        boundary=f"u = {kernel}",
        reference=lambda x, t: np.exp(-(x**2) / (4 * t)) / np.sqrt(4 * np.pi * t),
        name="heat-kernel",
    )


def ignition() -> Problem:
    """u_t = 0.01 u_xx + u²(1 − u), u₀ = 0.02(1 + 0.2 cos πx), insulated: nothing until t = 45, then all at once."""
    return Problem(
        "u_t = 0.01*u_xx + u**2*(1 - u)",
        domain=Box(x=(0, 1)),
        time=(0, 80),
        initial="0.02 + 0.004*cos(pi*x)",
        boundary="u_n = 0",
        name="ignition",
    )


def boundary_layer(*, eps: float = 1e-3) -> Problem:
    """u_t + u_x − ε u_xx = f, u = 0 at both ends: u⋆ = (1 + ½ sin t) w, a layer of width ε at x = 1.

    w = x − (e^{(x−1)/ε} − e^{−1/ε})/(1 − e^{−1/ε}) solves w_x − ε w_xx = 1.
    """
    w = "(x - (exp((x - 1)/eps) - exp(-1/eps))/(1 - exp(-1/eps)))"

    def exact(x, t):
        profile = x - (np.exp((x - 1) / eps) - np.exp(-1 / eps)) / (1 - np.exp(-1 / eps))
        return (1 + 0.5 * np.sin(t)) * profile

    return Problem(
        f"u_t + u_x - eps*u_xx = 1 + 0.5*sin(t) + 0.5*cos(t)*{w}",
        domain=Box(x=(0, 1)),
        time=(0, 2),
        initial=w,
        boundary="u = 0",
        parameters={"eps": eps},
        reference=exact,
        name="boundary-layer",
    )


def erf_step(*, D: float = 0.01) -> Problem:
    """u_t = D u_xx,  u⋆ = erf(x/√4Dt) from t = 0.01: a step of width 0.02 that opens to 0.2; u = ±1 at the ends."""
    return Problem(
        "u_t = D*u_xx",
        domain=Box(x=(-1, 1)),
        time=(0.01, 1),
        initial=lambda x: erf(x / np.sqrt(0.04 * D)),
        boundary={"x-": "u = -1", "x+": "u = 1"},
        parameters={"D": D},
        reference=lambda x, t: erf(x / np.sqrt(4 * D * t)),
        name="erf-step",
    )


def heat_two_modes() -> Problem:
    """u_t = u_xx,  u⋆ = sin πx e^{−π²t} + ½ sin 3πx e^{−9π²t}."""

    def exact(x, t):
        slow = np.sin(np.pi * x) * np.exp(-(np.pi**2) * t)
        return slow + 0.5 * np.sin(3 * np.pi * x) * np.exp(-9 * np.pi**2 * t)

    return Problem(
        "u_t = u_xx",
        domain=Box(x=(0, 1)),
        time=(0, 0.2),
        initial="sin(pi*x) + 0.5*sin(3*pi*x)",
        boundary="u = 0",
        reference=exact,
        name="heat-two-modes",
    )


def robin_slab(*, h: float = 1.0) -> Problem:
    """u_t = u_xx on [−1, 1], u_n + hu = 0, u₀ = 1: at t = 0 the data contradict each other."""
    return Problem(
        "u_t = u_xx",
        domain=Box(x=(-1, 1)),
        time=(0, 1),
        initial="1",
        boundary="u_n + h*u = 0",
        parameters={"h": h},
        check_corners=False,
        reference=lambda x, t: formulas.robin_slab(x, t, h),
        name="robin-slab",
    )


def quench() -> Problem:
    """u_t = u_xx, u₀ = 1, u = 0 at the ends: a jump in both corners."""
    return Problem(
        "u_t = u_xx",
        domain=Box(x=(0, 1)),
        time=(0, 0.2),
        initial="1",
        boundary="u = 0",
        check_corners=False,
        reference=formulas.quench,
        name="quench",
    )


def plucked_string(*, T: float = 2.0) -> Problem:
    """u_tt = u_xx, pulled up at x = 0.3 and let go: two kinks that travel for ever."""
    return Problem(
        "u_tt = u_xx",
        domain=Box(x=(0, 1)),
        time=(0, T),
        initial={"u": formulas.plucked_shape, "u_t": "0"},
        boundary="u = 0",
        reference=formulas.plucked_string,
        name="plucked-string",
    )


def allen_cahn_kink() -> Problem:
    """u_t = 1e-4 u_xx + u − u³ up to t = 2 from x² cos πx: the kink of the networks' problem, half as stiff."""
    return Problem(
        "u_t = 0.0001*u_xx + u - u**3",
        domain=Box(x=(-1, 1)),
        time=(0, 2),
        initial="x**2*cos(pi*x)",
        boundary="periodic",
        check_corners=False,
        name="allen-cahn-kink",
    )


def _plain(name: str, build, *pairs, today: str = "", **more) -> Statement:
    mark = f"lrfm 0.1: {today} (M)" if today else ""
    return Statement(name=name, group=GROUP, build=build, wanted=goals(*pairs), mark=mark, **more)


STATEMENTS = (
    _plain("coherent-state", coherent_state, (1e-6, 0.09), 1e-9, today="78 s to 1e-6"),
    _plain("sine-gordon-breather", breather, (1e-6, 0.3), 1e-9, today="30 s to 1e-6"),
    _plain("bbm-soliton", bbm_soliton, (1e-6, 0.84), 1e-9, today="38 s to 1e-6"),
    _plain("tent-heat", tent_heat, 1e-3, (1e-6, 1.8), today="false claim or unresolved at 1e-3"),
    _plain("heat-kernel", heat_kernel, 1e-3, (1e-6, 4.5), today="unresolved at 1e-3"),
    _plain(
        "ignition", ignition, 1e-3, (1e-6, 0.24), today="unresolved at 1e-3", reference=Stored("ignition")
    ),
    _plain("boundary-layer", boundary_layer, 1e-3, (1e-6, 0.12), today="unresolved at 1e-3"),
    _plain("erf-step", erf_step, 1e-3, (1e-6, 0.39), today="unresolved at 1e-3"),
    _plain("heat-two-modes", heat_two_modes, (1e-6, 0.09), 1e-12, today="0.3 to 5 s to 1e-6"),
    _plain("kpp-wave", catalog.fisher_kpp, (1e-6, 0.03), 1e-12, today="1.6 s to 1e-6"),
    _plain("advection", catalog.advection, (1e-6, 0.03), 1e-12, today="0.3 to 5 s to 1e-6"),
    _plain("beam", catalog.beam, (1e-6, 0.24), 1e-12, today="1.3 s to 1e-6"),
    _plain("stiff-forcing", catalog.multiscale_1d, (1e-6, 0.06), 1e-9, today="4.9 s to 1e-6"),
    _plain(
        "robin-slab",
        robin_slab,
        1e-3,
        1e-6,
        (1e-9, 0.21),
        today="refused; if forced 9e-2 in 122 s",
        after=1e-3,
        note="errors count from t = 1e-3 on",
    ),
    _plain("quench", quench, 1e-3, 1e-6, after=1e-3, note="errors count from t = 1e-3 on"),
    _plain("plucked-string", plucked_string, 1e-2, 1e-3, today="unresolved at 1e-3"),
    _plain(
        "allen-cahn-2",
        catalog.allen_cahn_long,
        1e-6,
        1e-9,
        reference=Stored("allen-cahn-2"),
        note="interfaces of width 0.02 from smooth data",
    ),
    _plain(
        "allen-cahn-kink",
        allen_cahn_kink,
        1e-4,
        1e-6,
        reference=Stored("allen-cahn-kink"),
        after=0.01,
        note="errors count from t = 0.01 on",
    ),
)


# Long times -------------------------------------------------------------------------------------


def wave_long(T: float = 1000.0) -> Problem:
    """u_tt = u_xx on [0, π]: modes 1 to 4, about 160 periods of the slowest and 640 of the fastest."""

    def exact(x, t):
        return sum(np.sin(n * x) * np.cos(n * t + 0.3 * n) / n for n in range(1, 5))

    return Problem(
        "u_tt = u_xx",
        domain=Box(x=(0, math.pi)),
        time=(0, T),
        initial={
            "u": " + ".join(f"sin({n}*x)*cos({0.3 * n})/{n}" for n in range(1, 5)),
            "u_t": " - ".join(["0", *(f"sin({n}*x)*sin({0.3 * n})" for n in range(1, 5))]),
        },
        boundary="u = 0",
        reference=exact,
        name="wave-long",
    )


def advection_long(T: float = 1000.0) -> Problem:
    """u_t + u_x = 0 on the unit circle, from exp(sin 2πx): a thousand rounds."""
    return catalog.advection(T=T).replace(name="advection-long")


def schroedinger_long(T: float = 1000.0) -> Problem:
    """i ψ_t + ½ ψ_xx = 0, periodic on [0, 2π]: modes −3 to 3 that turn at 0, ½, 2 and 4½."""

    def exact(x, t):
        return sum(np.exp(1j * (k * x - 0.5 * k * k * t)) / (1 + k * k) for k in range(-3, 4))

    waves = " + ".join(f"exp(1j*({k})*x)/{1 + k * k}" for k in range(-3, 4))
    return Problem(
        "1j*psi_t + 0.5*psi_xx = 0",
        unknowns={"psi": complex},
        domain=Box(x=(0, 2 * math.pi)),
        time=(0, T),
        initial=waves,
        boundary="periodic",
        reference=exact,
        name="schroedinger-long",
    )


LONG = tuple(
    Statement(
        name=name, group="long", build=build, wanted=goals(*wanted), mark="lrfm 0.1: 2000 blocks at most (M)"
    )
    for name, build, wanted in (
        ("wave-long", wave_long, (1e-6, 1e-9)),
        ("advection-long", advection_long, (1e-6, (1e-9, 3.0))),
        ("schroedinger-long", schroedinger_long, (1e-6, 1e-9)),
    )
)
