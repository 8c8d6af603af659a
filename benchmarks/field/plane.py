# SPDX-License-Identifier: MIT
"""Two, three and five dimensions, on boxes: patterns, rotation, flow with its pressure, plates, waves, quanta."""

from __future__ import annotations

import math

import numpy as np
import sympy as sp

from field.record import Statement, Stored, goals
from lrfm.problem import Box, Problem

GROUP = "boxes"
TORUS = {"x": (-1, 1), "y": (-1, 1)}
NAVIER_STOKES = [
    "u_t + u*u_x + v*u_y = -p_x + nu*lap(u)",
    "v_t + u*v_x + v*v_y = -p_y + nu*lap(v)",
    "u_x + v_y = 0",
]
FLOW = {"u": float, "v": float, "p": float}


def heat2d_multiscale() -> Problem:
    """u_t = u_xx/(500π)² + u_yy/π²,  u⋆ = sin 20πx sin πy e^{−1.0016t}."""
    rate = (20 * math.pi) ** 2 / (500 * math.pi) ** 2 + 1
    return Problem(
        "u_t = u_xx/(500*pi)**2 + u_yy/pi**2",
        domain=Box(x=(0, 1), y=(0, 1)),
        time=(0, 5),
        initial="sin(20*pi*x)*sin(pi*y)",
        boundary="u = 0",
        reference=lambda x, y, t: np.sin(20 * np.pi * x) * np.sin(np.pi * y) * np.exp(-rate * t),
        name="heat2d-multiscale",
    )


def gray_scott_2d(*, Du: float, Dv: float, T: float) -> Problem:
    """u_t = D_u Δu + 0.04(1 − u) − uv²,  v_t = D_v Δv − 0.1 v + uv²: a spot becomes a ring becomes a pattern."""
    return Problem(
        ["u_t = Du*lap(u) + 0.04*(1 - u) - u*v**2", "v_t = Dv*lap(v) - 0.1*v + u*v**2"],
        unknowns={"u": float, "v": float},
        domain=Box(**TORUS),
        time=(0, T),
        initial={
            "u": "1 - exp(-80*((x + 0.05)**2 + (y + 0.02)**2))",
            "v": "exp(-80*((x - 0.05)**2 + (y - 0.02)**2))",
        },
        boundary="periodic",
        parameters={"Du": Du, "Dv": Dv},
    )


def ginzburg_landau_2d(T: float) -> Problem:
    """A_t = 0.004 ΔA + 10A − 10(1 + 1.5i)|A|²A from (10y + 10ix) e^{−25r²}: a spiral."""
    return Problem(
        "A_t = 0.004*lap(A) + 10*A - (10 + 15*1j)*abs(A)**2*A",
        unknowns={"A": complex},
        domain=Box(**TORUS),
        time=(0, T),
        initial="(10*y + 10*1j*x)*exp(-25*(x**2 + y**2))",
        boundary="periodic",
        check_corners=False,
    )


def fisher_kpp(axes: str) -> Problem:
    """u_t = ½ Δu + u(1 − u) from e^{−r²} in the middle of a box of width 10 with insulated walls."""
    square = " + ".join(f"({a} - 5)**2" for a in axes)
    return Problem(
        "u_t = 0.5*lap(u) + u*(1 - u)",
        domain=Box(**{a: (0, 10) for a in axes}),
        time=(0, 3),
        initial=f"exp(-({square}))",
        boundary="u_n = 0",
        check_corners=False,
        name=f"fisher-kpp-{len(axes)}d",
    )


def rotating_gaussian(*, nu: float = 1e-4, sigma: float = 0.07) -> Problem:
    """u_t = ν Δu + 2π(y u_x − x u_y): a Gaussian of width 0.07 is carried once around and spreads a little."""

    def exact(x, y, t):
        variance = sigma**2 + 2 * nu * t
        turn = 2 * np.pi * t
        square = (x - 0.4 * np.cos(turn)) ** 2 + (y + 0.4 * np.sin(turn)) ** 2
        return sigma**2 / variance * np.exp(-square / (2 * variance))

    return Problem(
        "u_t = nu*lap(u) - 2*pi*(y*u_x - x*u_y)",
        domain=Box(**TORUS),
        time=(0, 1),
        initial="exp(-((x - 0.4)**2 + y**2)/(2*sigma**2))",
        boundary="u = 0",
        parameters={"nu": nu, "sigma": sigma},
        check_corners=False,
        reference=exact,
        name="rotating-gaussian",
    )


def cavity(*, Re: float = 100.0, T: float = 20.0) -> Problem:
    """Navier-Stokes in the unit square under a lid 16x²(1 − x)²(1 − e^{−4t}): it starts from rest and settles."""
    walls = {face: ["u = 0", "v = 0"] for face in ("x-", "x+", "y-")}
    return Problem(
        NAVIER_STOKES,
        unknowns=FLOW,
        domain=Box(x=(0, 1), y=(0, 1)),
        time=(0, T),
        initial={"u": "0", "v": "0"},
        boundary={**walls, "y+": ["u = 16*x**2*(1 - x)**2*(1 - exp(-4*t))", "v = 0"]},
        parameters={"nu": 1 / Re},
        name="cavity-100",
    )


def taylor_green(*, nu: float = 0.1, T: float = 1.0) -> Problem:
    """u⋆ = cos x sin y e^{−2νt}, v⋆ = −sin x cos y e^{−2νt}, p⋆ = −¼(cos 2x + cos 2y) e^{−4νt} on [0, π]², u and v
    given on the walls."""
    decay = "exp(-2*nu*t)"

    def pressure(x, y, t):
        return -0.25 * (np.cos(2 * x) + np.cos(2 * y)) * np.exp(-4 * nu * t)

    return Problem(
        NAVIER_STOKES,
        unknowns=FLOW,
        domain=Box(x=(0, math.pi), y=(0, math.pi)),
        time=(0, T),
        initial={"u": "cos(x)*sin(y)", "v": "-sin(x)*cos(y)"},
        boundary={"*": [f"u = cos(x)*sin(y)*{decay}", f"v = -sin(x)*cos(y)*{decay}"]},
        parameters={"nu": nu},
        reference={
            "u": lambda x, y, t: np.cos(x) * np.sin(y) * np.exp(-2 * nu * t),
            "v": lambda x, y, t: -np.sin(x) * np.cos(y) * np.exp(-2 * nu * t),
            "p": pressure,
        },
        name="taylor-green-pressure",
    )


def clamped_plate(T: float = 2.0) -> Problem:
    """u_tt + Δ²u = f, u = u_n = 0: u⋆ = 256 (x(1 − x)y(1 − y))² e^{xy} cos 6t."""
    x, y, t = sp.symbols("x y t", real=True)
    shape = 256 * (x * (1 - x) * y * (1 - y)) ** 2 * sp.exp(x * y)
    lap = lambda w: sp.diff(w, x, 2) + sp.diff(w, y, 2)  # noqa: E731
    exact = shape * sp.cos(6 * t)
    source = sp.diff(exact, t, 2) + lap(lap(exact))
    return Problem(
        "u_tt + lap(lap(u)) = f",
        domain=Box(x=(0, 1), y=(0, 1)),
        time=(0, T),
        initial={"u": sp.lambdify((x, y), shape, "numpy"), "u_t": "0"},
        boundary={"*": ["u = 0", "u_n = 0"]},
        parameters={"f": sp.lambdify((x, y, t), source, "numpy", cse=True)},
        reference=sp.lambdify((x, y, t), exact, "numpy"),
        name="clamped-plate",
    )


def wave_walls(T: float = 10.0) -> Problem:
    """u_tt = Δu in the unit square, u_n = 0: three modes that never meet again."""
    modes = ((1, 0, 1.0), (1, 2, 0.5), (3, 2, 0.3))

    def exact(x, y, t):
        return sum(
            c * np.cos(p * np.pi * x) * np.cos(q * np.pi * y) * np.cos(math.hypot(p, q) * np.pi * t)
            for p, q, c in modes
        )

    return Problem(
        "u_tt = lap(u)",
        domain=Box(x=(0, 1), y=(0, 1)),
        time=(0, T),
        initial={"u": " + ".join(f"{c}*cos({p}*pi*x)*cos({q}*pi*y)" for p, q, c in modes), "u_t": "0"},
        boundary="u_n = 0",
        reference=exact,
        name="wave-walls",
    )


def schroedinger_2d(T: float = 2 * math.pi) -> Problem:
    """i ψ_t = −½ Δψ + ½ r²ψ on [−7, 7]²: a coherent state goes around once; displaced by 1, kicked by ½."""

    def line(x, t, q, p):
        place, push = q * np.cos(t) + p * np.sin(t), p * np.cos(t) - q * np.sin(t)
        phase = -0.5 * t + push * x - 0.5 * place * push
        return np.pi**-0.25 * np.exp(-0.5 * (x - place) ** 2 + 1j * phase)

    return Problem(
        "1j*psi_t = -0.5*lap(psi) + 0.5*(x**2 + y**2)*psi",
        unknowns={"psi": complex},
        domain=Box(x=(-7, 7), y=(-7, 7)),
        time=(0, T),
        initial="exp(-0.5*(x - 1)**2 - 0.5*y**2 + 0.5*1j*y)/sqrt(pi)",
        boundary="psi = 0",
        check_corners=False,
        reference=lambda x, y, t: line(x, t, 1.0, 0.0) * line(y, t, 0.0, 0.5),
        name="schroedinger-2d",
    )


def advection_diffusion_3d(*, nu: float = 0.01, sigma: float = 0.2, T: float = 0.5) -> Problem:
    """u_t + a·∇u = ν Δu in the unit cube, a = (0.6, −0.4, 0.5): a Gaussian drifts and spreads; its own walls."""
    speed = {"x": 0.6, "y": -0.4, "z": 0.5}
    start = {"x": 0.3, "y": 0.7, "z": 0.35}
    variance = "(sigma**2 + 2*nu*t)"
    square = " + ".join(f"({a} - ({start[a]}) - ({speed[a]})*t)**2" for a in "xyz")
    text = f"(sigma**2/{variance})**1.5*exp(-({square})/(2*{variance}))"

    def exact(x, y, z, t):
        width = sigma**2 + 2 * nu * t
        total = sum((v - start[a] - speed[a] * t) ** 2 for a, v in (("x", x), ("y", y), ("z", z)))
        return (sigma**2 / width) ** 1.5 * np.exp(-total / (2 * width))

    return Problem(
        "u_t + 0.6*u_x - 0.4*u_y + 0.5*u_z = nu*lap(u)",
        domain=Box(x=(0, 1), y=(0, 1), z=(0, 1)),
        time=(0, T),
        initial=text.replace("*t)", "*0)"),
        boundary=f"u = {text}",
        parameters={"nu": nu, "sigma": sigma},
        reference=exact,
        name="advection-diffusion-3d",
    )


def heat_5d(T: float = 0.02) -> Problem:
    """u_t = Δu in [0, 1]⁵, u = 0 on the walls: three modes."""
    modes = (((1, 1, 1, 1, 1), 1.0), ((2, 1, 1, 2, 1), 0.5), ((1, 2, 3, 1, 1), 0.3))
    axes = ("a", "b", "c", "d", "e")

    def exact(a, b, c, d, e, t):
        total = 0.0
        for numbers, size in modes:
            product = size * np.exp(-sum(n * n for n in numbers) * np.pi**2 * t)
            for n, value in zip(numbers, (a, b, c, d, e), strict=True):
                product = product * np.sin(n * np.pi * value)
            total = total + product
        return total

    terms = [
        f"{size}*" + "*".join(f"sin({n}*pi*{x})" for n, x in zip(numbers, axes, strict=True))
        for numbers, size in modes
    ]
    return Problem(
        "u_t = lap(u)",
        domain=Box(**{x: (0, 1) for x in axes}),
        time=(0, T),
        initial=" + ".join(terms),
        boundary="u = 0",
        reference=exact,
        name="heat-5d",
    )


def _box(name: str, build, *pairs, mark: str = "", stored: bool = False, **more) -> Statement:
    reference = Stored(name) if stored else None
    return Statement(
        name=name, group=GROUP, build=build, wanted=goals(*pairs), mark=mark, reference=reference, **more
    )


STATEMENTS = (
    _box("heat2d-multiscale", heat2d_multiscale, 1e-4, 1e-8, mark="PINNacle 6.2e-2 (N)"),
    _box(
        "gray-scott-2d",
        lambda: gray_scott_2d(Du=1e-5, Dv=5e-6, T=20.0),
        1e-3,
        mark="jaxpi2 7e-3, GPU; PINNacle's parameters (S)",
        stored=True,
        note="the first tenth of PINNacle's window",
    ),
    _box(
        "ginzburg-landau-2d",
        lambda: ginzburg_landau_2d(0.2),
        1e-3,
        mark="jaxpi2 1.1e-2, GPU (S)",
        stored=True,
        note="the first fifth of jaxpi2's window",
    ),
    _box(
        "ginzburg-landau-2d-long",
        lambda: ginzburg_landau_2d(1.0),
        1e-2,
        mark="jaxpi2 1.1e-2, GPU (S)",
        stored=True,
        note="jaxpi2's whole window",
    ),
    _box(
        "fisher-kpp-2d",
        lambda: fisher_kpp("xy"),
        (1e-4, 30),
        1e-6,
        mark="lrfm 0.1: unresolved at 1e-2 (M)",
        stored=True,
    ),
    _box("rotating-gaussian", rotating_gaussian, (1e-4, 30), mark="lrfm 0.1: fails (M)"),
    _box(
        "gray-scott-200",
        lambda: gray_scott_2d(Du=2e-5, Dv=1e-5, T=200.0),
        1e-2,
        (1e-4, 30),
        mark="lrfm 0.1: fails (M)",
        stored=True,
    ),
    _box(
        "cavity-100",
        cavity,
        1e-3,
        (1e-4, 30),
        mark="lrfm 0.1: fails (M)",
        stored=True,
        gauge=frozenset("p"),
    ),
    _box("clamped-plate", clamped_plate, (1e-4, 30), 1e-8, mark="lrfm 0.1: fails (M)"),
    _box("wave-walls", wave_walls, (1e-4, 30), 1e-6),
    _box("taylor-green-pressure", taylor_green, (1e-4, 30), 1e-6, gauge=frozenset("p")),
    _box("schroedinger-2d", schroedinger_2d, (1e-4, 30), 1e-6),
    _box("fisher-kpp-3d", lambda: fisher_kpp("xyz"), (1e-4, 30), stored=True),
    _box("advection-diffusion-3d", advection_diffusion_3d, (1e-4, 30)),
    _box("heat-5d", heat_5d, (1e-3, 30), mark="PINNacle's ball in five dimensions 1.2e-4 (N)"),
)
