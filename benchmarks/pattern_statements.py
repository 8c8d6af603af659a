# SPDX-License-Identifier: MIT
"""Statements of `benchmarks/patterns.py`: patterns, flows, chaos and waves with many modes and many steps, each with its tolerance and the CPU seconds that it may take.

Data are fixed and smooth: sums of a few waves. `spin2` and `spin3` are the demos of Chebfun with its parameters.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

import lrfm
from lrfm import catalog

STATEMENTS: dict[str, tuple[Callable[[], lrfm.Problem], float, float]] = {}


def statement(seconds: float, tol: float = 1e-3):
    def kept(make):
        STATEMENTS[make.__name__.replace("_", " ")] = make, tol, seconds
        return make

    return kept


def waves(seed: int, lengths, most: int, size: float, count: int = 12) -> str:
    """A sum of waves with whole wave numbers up to `most` along each axis."""
    rng, names = np.random.default_rng(seed), "xyz"
    terms = []
    for _ in range(count):
        numbers = rng.integers(-most, most + 1, len(lengths))
        inner = " + ".join(
            f"({2 * math.pi * k / L})*{n}" for k, L, n in zip(numbers, lengths, names, strict=False)
        )
        terms.append(f"({size * rng.normal():.5f})*cos({inner} + {rng.uniform(0, 6.28):.4f})")
    return " + ".join(terms)


def cosines(seed: int, lengths, most: int, size: float, count: int = 12) -> str:
    """The same with u_n = 0 at the walls."""
    rng = np.random.default_rng(seed)
    terms = []
    for _ in range(count):
        numbers = rng.integers(0, 2 * most + 1, len(lengths))
        inner = "*".join(
            f"cos({math.pi * k / L}*{n})" for k, L, n in zip(numbers, lengths, "xyz", strict=False)
        )
        terms.append(f"({size * rng.normal():.5f})*{inner}")
    return " + ".join(terms)


def box(equations, lengths, end, initial, boundary="periodic", **more) -> lrfm.Problem:
    domain = lrfm.Box(**dict(zip("xyz", [(0, length) for length in lengths], strict=False)))
    return lrfm.Problem(equations, domain=domain, time=(0, end), initial=initial, boundary=boundary, **more)


# Chebfun's demos in the plane and in space -------------------------------------------------------------------

LANDAU = "A_t = lap(A) + A - (1 + 1.3*1j)*A*abs(A)**2"
SCOTT = ["u_t = 2e-5*lap(u) + 0.035*(1 - u) - u*v**2", "v_t = 1e-5*lap(v) - 0.095*v + u*v**2"]
SCHNAK = ["u_t = lap(u) + 0.1 - u + u**2*v", "v_t = 10*lap(v) + 0.9 - u**2*v"]
SWIFT = "u_t = -2*lap(u) - lap(lap(u)) - 0.9*u + u**2 - u**3"


def bump(lengths, center: float, width: float, *stretched: float) -> str:
    """A periodic function like exp(−r²/w²) around the middle."""
    terms = [
        f"{s * (L / (2 * math.pi * width)) ** 2 * 2}*(cos({2 * math.pi / L}*({n} - {L * center})) - 1)"
        for L, n, s in zip(lengths, "xyz", stretched or (1.0,) * 3, strict=False)
    ]
    return f"exp({' + '.join(terms)})"


@statement(120)
def spin2_gl2():
    lengths = (200.0, 200.0)
    return box(LANDAU, lengths, 100, {"A": waves(1, lengths, 10, 0.1)}, unknowns={"A": complex})


@statement(120)
def spin2_gs2():
    """Gray-Scott in patterns to T = 3500."""
    lengths = (1.25, 1.25)
    first = {
        "u": "1 - " + bump(lengths, 1 / 2.05, 150**-0.5),
        "v": bump(lengths, 0.5, 150**-0.5, 1.0, 2.0),
    }
    return box(SCOTT, lengths, 3500, first)


@statement(120)
def spin2_schnak2():
    lengths = (50.0, 50.0)
    first = {"u": "1 - " + bump(lengths, 0.5, 10**-0.5), "v": bump(lengths, 0.5, 10**-0.5, 1.0, 2.0)}
    return box(SCHNAK, lengths, 200, first)


@statement(120)
def spin2_sh2():
    lengths = (50.0, 50.0)
    return box(SWIFT, lengths, 200, waves(2, lengths, 8, 0.1))


@statement(120)
def spin3_sh3():
    lengths = (50.0, 50.0, 50.0)
    # Whole waves: those of the demo, 2.5 and 12.5 of them, jump where the box closes.
    a, b = 3 * 2 * math.pi / 50, 12 * 2 * math.pi / 50
    first = " + ".join([f"0.25*sin({a}*{n})" for n in "xyz"])
    first += "".join(f" + 0.25*sin({b}*{m})*sin({b}*{n})" for m, n in ("xy", "xz", "yz"))
    return box(SWIFT, lengths, 200, first)


@statement(120)
def spin3_schnak3():
    lengths = (20.0, 20.0, 20.0)
    first = {"u": "1 - " + bump(lengths, 0.5, 10**-0.5), "v": bump(lengths, 0.5, 10**-0.5, 1.0, 2.0, 1.0)}
    return box(SCHNAK, lengths, 200, first)


@statement(120)
def spin3_gl3():
    lengths = (100.0, 100.0, 100.0)
    return box(LANDAU, lengths, 50, {"A": waves(3, lengths, 4, 0.1)}, unknowns={"A": complex})


@statement(120)
def spin3_gs3():
    lengths = (0.75, 0.75, 0.75)
    first = {"u": "1 - " + bump(lengths, 0.5, 150**-0.5), "v": bump(lengths, 0.5, 150**-0.5, 1.0, 2.0, 1.0)}
    return box(SCOTT, lengths, 1600, first)


# Patterns in the plane, on twenty wavelengths and more -------------------------------------------------------

BRUSSELATOR = ["u_t = lap(u) + 1 - 4*u + u**2*v", "v_t = 0.1*lap(v) + 3*u - u**2*v"]
NAGUMO = ["u_t = lap(u) + u - u**3/3 - v", "v_t = 0.08*(u + 0.7 - 0.8*v)"]
HILLIARD = "c_t = lap(c**3 - c - lap(c))"


def _brusselator(side: float, walls: bool):
    lengths, data = (side, side), cosines if walls else waves
    first = {"u": "1 + " + data(4, lengths, 6, 0.05), "v": "3 + " + data(5, lengths, 6, 0.05)}
    return box(BRUSSELATOR, lengths, 20, first, ["u_n = 0", "v_n = 0"] if walls else "periodic")


@statement(60)
def brusselator():
    return _brusselator(100.0, False)


@statement(60)
def brusselator_between_walls():
    return _brusselator(100.0, True)


@statement(60)
def brusselator_on_64():
    return _brusselator(64.0, False)


@statement(60)
def brusselator_on_64_between_walls():
    return _brusselator(64.0, True)


@statement(60)
def fitzhugh_nagumo_spirals():
    lengths, q = (300.0, 300.0), 2 * math.pi / 300
    first = {"u": f"1.5*sin({q}*x)", "v": f"0.6*sin({q}*y)"}
    return box(NAGUMO, lengths, 200, first)


@statement(60)
def fitzhugh_nagumo_between_walls():
    lengths, q = (150.0, 150.0), math.pi / 150
    first = {"u": f"-1.5*cos({q}*x)", "v": f"-0.6*cos({q}*y)"}
    return box(NAGUMO, lengths, 200, first, ["u_n = 0", "v_n = 0"])


@statement(60)
def swift_hohenberg_20_waves():
    lengths = (40 * math.pi, 40 * math.pi)
    return box(SWIFT, lengths, 50, waves(6, lengths, 20, 0.1))


@statement(60)
def cahn_hilliard_20_waves():
    lengths = (180.0, 180.0)
    return box(HILLIARD, lengths, 30, waves(7, lengths, 20, 0.05))


@statement(60)
def cahn_hilliard_in_two_fields():
    lengths = (180.0, 180.0)
    return box(["c_t = lap(m)", "m = c**3 - c - lap(c)"], lengths, 30, {"c": waves(7, lengths, 20, 0.05)})


@statement(60)
def cahn_hilliard_between_walls():
    lengths = (180.0, 180.0)
    return box(
        ["c_t = lap(m)", "m = c**3 - c - lap(c)"],
        lengths,
        30,
        {"c": cosines(7, lengths, 20, 0.05)},
        ["c_n = 0", "m_n = 0"],
    )


def _epidemic(spread: float, end: float, walls: bool):
    """A front of the width √D/2 or so, from one place."""
    rows = [f"s_t = {spread}*lap(s) - 2*s*r", f"r_t = {spread}*lap(r) + 2*s*r - 0.5*r"]
    lengths, q = (50.0, 50.0) if walls else (100.0, 100.0), math.pi / 50
    data = f"exp(10*(cos({q}*x) + cos({q}*y) - 2))" if walls else bump(lengths, 0.5, 5.0)
    return box(
        rows, lengths, end, {"s": "1", "r": f"0.1*{data}"}, ["s_n = 0", "r_n = 0"] if walls else "periodic"
    )


@statement(60)
def sir():
    return _epidemic(0.1, 40, False)


@statement(60)
def sir_between_walls():
    return _epidemic(0.1, 40, True)


@statement(60)
def sir_with_wide_fronts():
    return _epidemic(1.0, 15, False)


@statement(60)
def sir_with_wide_fronts_between_walls():
    return _epidemic(1.0, 15, True)


@statement(60)
def ginzburg_landau_spirals():
    lengths = (100.0, 100.0)
    return box(LANDAU, lengths, 60, {"A": waves(8, lengths, 5, 0.2)}, unknowns={"A": complex})


# Flows -------------------------------------------------------------------------------------------------------

FLOW = ["w_t + psi_y*w_x - psi_x*w_y = 0.001*lap(w)", "lap(psi) = -w"]


@statement(60)
def shear_layers_at_1000():
    lengths = (2 * math.pi, 2 * math.pi)
    return box(FLOW, lengths, 5, {"w": "4*cos(y)*exp(-8*sin(y)**2) + 0.1*cos(x)"})


@statement(60)
def random_vorticity_to_5():
    lengths, rng = (2 * math.pi, 2 * math.pi), np.random.default_rng(1)
    rows = [(*rng.integers(-6, 7, 2), rng.normal(), rng.uniform(0, 6.28)) for _ in range(40)]
    text = " + ".join(f"({c:.4f})*cos({int(a) or 1}*x + ({b})*y + {s:.4f})" for a, b, c, s in rows)
    return box(FLOW, lengths, 5, {"w": text})


@statement(60)
def kolmogorov_flow():
    lengths = (2 * math.pi, 2 * math.pi)
    rows = ["w_t + psi_y*w_x - psi_x*w_y = 0.02*lap(w) - 0.02*16*cos(4*y)", "lap(psi) = -w"]
    return box(rows, lengths, 20, {"w": "0.3*cos(x + y) + 0.2*sin(2*x - y) - cos(4*y)"})


@statement(60)
def taylor_green_in_space():
    lengths = (2 * math.pi,) * 3
    rows = [f"{a}_t + u*{a}_x + v*{a}_y + w*{a}_z = -p_{x} + 0.01*lap({a})" for a, x in ("ux", "vy", "wz")]
    first = {"u": "sin(x)*cos(y)*cos(z)", "v": "-cos(x)*sin(y)*cos(z)", "w": "0"}
    return box([*rows, "u_x + v_y + w_z = 0"], lengths, 1, first)


def convection(rayleigh: float, wave: float, end: float, first: str, prandtl: float = 0.71) -> lrfm.Problem:
    """Rolls between plates in units of the height and the free fall."""
    nu, kappa = math.sqrt(prandtl / rayleigh), 1 / math.sqrt(prandtl * rayleigh)
    rows = [
        "u_t + u*u_x + v*u_y = -p_x + nu*lap(u)",
        "v_t + u*v_x + v*v_y = -p_y + nu*lap(v) + T",
        "u_x + v_y = 0",
        "T_t + u*T_x + v*T_y = kappa*lap(T)",
    ]
    walls = {"x": "periodic", "y-": ["u = 0", "v = 0", "T = 1"], "y+": ["u = 0", "v = 0", "T = 0"]}
    domain = lrfm.Box(x=(0, 2 * math.pi / wave), y=(0, 1))
    initial = {"u": "0", "v": "0", "T": first}
    numbers = {"nu": nu, "kappa": kappa}
    return lrfm.Problem(
        rows, domain=domain, time=(0, end), initial=initial, boundary=walls, parameters=numbers
    )


@statement(60)
def rolls_at_1e5():
    return convection(1e5, 3.117, 60, "1 - y + 0.1*cos(3.117*x)*sin(pi*y)")


@statement(600)
def convection_at_2e6():
    """Dedalus' example: Pr = 1, a box of 4 x 1; its noise is replaced by a few waves."""
    q = math.pi / 2
    noise = " + ".join(f"{0.01 / k}*cos({k * q}*x + {k * k})" for k in range(1, 9))
    return convection(2e6, q, 25, f"1 - y + ({noise})*sin(pi*y)", 1.0)


# Linear waves ------------------------------------------------------------------------------------------------


@statement(0.5, 1e-9)
def waves_of_maxwell():
    """Two of them across each other, E ⊥ B."""
    rows = ["E_t = H_x - G_y", "G_t = -E_y", "H_t = E_x"]
    first = {"E": "sin(x) + cos(2*y)", "G": "cos(2*y)", "H": "-sin(x)"}
    return box(rows, (2 * math.pi, 2 * math.pi), 2 * math.pi, first)


@statement(0.5, 1e-9)
def waves_of_acoustics():
    rows = ["p_t = -u_x - v_y", "u_t = -p_x", "v_t = -p_y"]
    first = {"p": "sin(x) + cos(3*x + 4*y)", "u": "sin(x) + 0.6*cos(3*x + 4*y)", "v": "0.8*cos(3*x + 4*y)"}
    return box(rows, (2 * math.pi, 2 * math.pi), 2 * math.pi, first)


@statement(0.5, 1e-9)
def waves_of_elasticity():
    rows = ["u_tt = 3*u_xx + u_yy + 2*v_xy", "v_tt = v_xx + 3*v_yy + 2*u_xy"]
    first = {"u": "sin(x)", "u_t": f"{-math.sqrt(3)}*cos(x)", "v": "cos(x)", "v_t": "sin(x)"}
    return box(rows, (2 * math.pi, 2 * math.pi), 2 * math.pi, first)


@statement(20, 1e-4)
def pulse_in_a_cube():
    lengths = (1.0, 1.0, 1.0)
    first = {"u": bump(lengths, 0.5, 0.1), "u_t": "0"}
    return box("u_tt = lap(u)", lengths, 1, first)


# Chebfun's demos on a circle ---------------------------------------------------------------------------------


@statement(60)
def spin_ks():
    return catalog.get("spin-ks")


@statement(60)
def spin_bz():
    return catalog.get("spin-bz")


@statement(120, 1e-6)
def spin_gs():
    return catalog.get("spin-gs")
