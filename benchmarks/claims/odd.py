# SPDX-License-Identifier: MIT
"""Odd combinations with manufactured solutions: thin coefficients beside smooth answers, means, mixed derivatives, kernels, memory, ends that move, conditions of every kind.

A smooth u⋆ is put into a statement and what is left over is its source, by SymPy: the source then has what is thin, and u⋆ shows none of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import sympy as sp

import lrfm
from claims.statement import Dice, Stated
from lrfm.problem import Box, Problem

x, y, t, s = sp.symbols("x y t s", real=True)
UNIT, SQUARE = Box(x=(0, 1)), Box(x=(0, 1), y=(0, 1))
PI = sp.Float(np.pi, 17)


def said(formula: sp.Expr) -> str:
    """A formula in the language of a statement."""
    return "(" + str(sp.N(formula, 17)).replace("I", "1j") + ")"


def evaluated(formula: sp.Expr) -> Callable[..., np.ndarray]:
    """The same as a function of coordinates by name."""
    names = (x, y, t) if y in formula.free_symbols else (x, t)
    function = sp.lambdify(names, formula, "numpy")
    return lambda **at: function(*(at[str(n)] for n in names))


def stated(problem: Problem, exact: Mapping[str, sp.Expr], **near: list[float]) -> Stated:
    return Stated(problem, {name: evaluated(u) for name, u in exact.items()}, near)


def field(d: Dice) -> sp.Expr:
    """Two waves that fade, above zero."""
    a, b, p, q = d.uniform(1, 4), d.uniform(1, 6), d.uniform(0, 6), d.uniform(0.3, 2)
    return 2 + sp.exp(-q * t) * sp.sin(a * x + p) + sp.Float(0.4) * sp.cos(b * x - q * t)


def thin(v: sp.Expr, center: float, width: float) -> sp.Expr:
    return sp.exp(-(((v - center) / width) ** 2))


def ends(u: sp.Expr) -> dict[str, str]:
    """Values at both ends."""
    return {f"x{sign}": f"u = {said(u.subs(x, place))}" for sign, place in (("-", 0), ("+", 1))}


def line(
    equation: str, u: sp.Expr, left: sp.Expr, boundary: object = None, time: float = 0.5, **more: object
) -> Problem:
    """An equation of u on (0, 1) with what is left of it when u is put in as its source."""
    return Problem(
        f"{equation} + {said(left)}", domain=UNIT, time=(0, time), initial=said(u.subs(t, 0)),
        boundary=ends(u) if boundary is None else boundary, **more,
    )  # fmt: skip


def thin_diffusivity(d: Dice) -> Stated:
    """u_t = (k u_x)_x + f, k thin: k′ u_x in f is as large as one over the width."""
    u, c, w = field(d), d.uniform(0.2, 0.8), d.spread(1e-4, 1e-2)
    k = 1 + d.uniform(1, 5) * thin(x, c, w)
    left = sp.diff(u, t) - sp.diff(k * sp.diff(u, x), x)
    return stated(line(f"u_t = diff({said(k)}*u_x, x)", u, left), {"u": u}, x=[c])


def thin_barrier(d: Dice) -> Stated:
    """u_t = u_xx − V u + f, V thin."""
    u, c, w = field(d), d.uniform(0.2, 0.8), d.spread(1e-4, 1e-2)
    V = d.uniform(1, 20) / w * thin(x, c, w)
    left = sp.diff(u, t) - sp.diff(u, x, 2) + V * u
    return stated(line(f"u_t = u_xx - {said(V)}*u", u, left), {"u": u}, x=[c])


def travelling_coefficient(d: Dice) -> Stated:
    """u_t = k u_xx + f, k thin around a place that travels."""
    u, c, w = field(d), d.uniform(0.2, 0.4), d.spread(3e-3, 3e-2)
    k = 1 + d.uniform(1, 4) * thin(x - d.uniform(0.3, 0.8) * t, c, w)
    left = sp.diff(u, t) - k * sp.diff(u, x, 2)
    return stated(line(f"u_t = {said(k)}*u_xx", u, left), {"u": u})


def pseudo_parabolic(d: Dice) -> Stated:
    """u_t − a u_xxt + u u_x = b u_xx + f."""
    u, a, b = field(d), d.spread(1e-3, 1), d.spread(1e-3, 1)
    left = sp.diff(u, t) - a * sp.diff(u, x, 2, t) + u * sp.diff(u, x) - b * sp.diff(u, x, 2)
    return stated(line(f"u_t - {a}*u_xxt + u*u_x = {b}*u_xx", u, left), {"u": u})


def skewed(d: Dice) -> Stated:
    """u_t = u_xx + 2c u_xy + u_yy + f on a square."""
    u = field(d) + sp.sin(d.uniform(1, 3) * y + x) * sp.exp(-t)
    c = d.uniform(-0.9, 0.9)
    left = sp.diff(u, t) - sp.diff(u, x, 2) - 2 * c * sp.diff(u, x, y) - sp.diff(u, y, 2)
    problem = Problem(
        f"u_t = u_xx + {2 * c}*u_xy + u_yy + {said(left)}", domain=SQUARE, time=(0, 0.3), initial=said(u.subs(t, 0)),
        boundary=f"u = {said(u)}",
    )  # fmt: skip
    return stated(problem, {"u": u})


def means(d: Dice) -> Stated:
    """Two fields that feel each other's means and integrals of squares."""
    a, b, c = d.whole(1, 3), d.whole(1, 4), d.uniform(0.5, 2)
    u, v = 1 + sp.exp(-c * t) * sp.sin(a * PI * x), 2 + sp.cos(b * PI * x) * sp.cos(3 * t)
    mean_v, square = sp.Integer(2), sp.integrate(sp.expand(u**2), (x, 0, 1))
    f = sp.diff(u, t) - sp.diff(u, x, 2) - mean_v + v * u
    g = sp.diff(v, t) - sp.Rational(1, 10) * sp.diff(v, x, 2) - square
    problem = Problem(
        [f"u_t = u_xx + mean(v) - u*v + {said(f)}", f"v_t = 0.1*v_xx + integral(u**2) + {said(g)}"], domain=UNIT, time=(0, 0.5),
        initial={"u": said(u.subs(t, 0)), "v": said(v.subs(t, 0))}, boundary=["u = 1", "v_n = 0"],
    )  # fmt: skip
    return stated(problem, {"u": u, "v": v})


def complex_well(d: Dice) -> Stated:
    """i ψ_t + ψ_xx + V(x, t) ψ + |ψ|² ψ = f."""
    a, b = d.uniform(1, 4), d.uniform(0.5, 3)
    size = 1 + sp.Float(0.5) * sp.cos(a * x - b * t)
    psi, V = size * sp.exp(sp.I * (b * x - a * t)), 5 * thin(x, d.uniform(0.3, 0.7), d.spread(1e-2, 1e-1))
    f = sp.I * sp.diff(psi, t) + sp.diff(psi, x, 2) + V * psi + size**2 * psi
    problem = Problem(
        f"1j*psi_t + psi_xx + {said(V)}*psi + abs(psi)**2*psi = {said(f)}", unknowns={"psi": complex}, domain=UNIT, time=(0, 0.3),
        initial=said(psi.subs(t, 0)), boundary={f"x{e}": f"psi = {said(psi.subs(x, p))}" for e, p in (("-", 0), ("+", 1))},
    )  # fmt: skip
    return stated(problem, {"psi": psi})


def radiating_end(d: Dice) -> Stated:
    """u_x = g − b u⁴ on the right, u_x = c(t) u + h with a thin c on the left."""
    u, b, when = field(d), d.spread(0.1, 10), d.uniform(0.1, 0.4)
    c = 3 * thin(t, when, d.spread(1e-3, 1e-1))
    g, h = sp.diff(u, x) + b * u**4, sp.diff(u, x) - c * u
    boundary = {
        "x+": f"u_x = {said(g.subs(x, 1))} - {b}*u**4",
        "x-": f"u_x = {said(c)}*u + {said(h.subs(x, 0))}",
    }
    return stated(line("u_t = u_xx", u, sp.diff(u, t) - sp.diff(u, x, 2), boundary), {"u": u}, t=[when])


def living_end(d: Dice) -> Stated:
    """u_t + b u_x = g at the right end."""
    u, b = field(d), d.spread(0.1, 5)
    g = (sp.diff(u, t) + b * sp.diff(u, x)).subs(x, 1)
    boundary = {"x-": ends(u)["x-"], "x+": f"u_t + {b}*u_x = {said(g)}"}
    return stated(line("u_t = u_xx", u, sp.diff(u, t) - sp.diff(u, x, 2), boundary), {"u": u})


def kernel(d: Dice) -> Stated:
    """u_t = a u_xx + ∫ cos(b (x − y)) u(y) dy + f."""
    u, a, b = field(d), d.spread(1e-2, 1), d.uniform(1, 5)
    inside = sp.expand_trig(sp.cos(b * (s - x))) * u.subs(x, s)
    whole = sum(
        sp.integrate(sp.expand(sp.expand_trig(part)), (s, 0, 1))
        for part in sp.Add.make_args(sp.expand(inside))
    )
    left = sp.diff(u, t) - a * sp.diff(u, x, 2) - whole
    return stated(line(f"u_t = {a}*u_xx + integral(cos({b}*(x - y))*u(y), y)", u, left), {"u": u})


def memory(d: Dice) -> Stated:
    """u_t = a u_xx − ∫₀ᵗ e^(−b(t−s)) u(s) ds + f."""
    a, b, r, k = d.spread(1e-2, 1), d.uniform(0.5, 8), d.uniform(1, 4), d.whole(1, 3)
    u = (1 + sp.exp(-r * t)) * sp.sin(k * PI * x)
    past = sp.sin(k * PI * x) * ((1 - sp.exp(-b * t)) / b + (sp.exp(-r * t) - sp.exp(-b * t)) / (b - r))
    left = sp.diff(u, t) - a * sp.diff(u, x, 2) + past
    return stated(line(f"u_t = {a}*u_xx - integral(exp(-{b}*(t - s))*u(s), s)", u, left, "u = 0"), {"u": u})


def switched(d: Dice) -> Stated:
    """A source that is switched on, and one for a moment: u = sin kπx (1 + (t − t₁)₊ + (height of a pulse))."""
    k, first, second, short = d.whole(1, 3), d.uniform(0.1, 0.2), d.uniform(0.25, 0.4), d.spread(1e-5, 1e-2)
    rate = (k * np.pi) ** 2

    def level(t: np.ndarray) -> np.ndarray:
        return 1 + np.maximum(t - first, 0) + np.clip((t - second) / short, 0, 1)

    amount = f"(1 + max(t - {first}, 0) + min(max((t - {second})/{short}, 0), 1))"
    rates = (
        f"(where(t > {first}, 1, 0) + where(t > {second}, 1, 0)*where(t < {second + short!r}, 1, 0)/{short})"
    )
    problem = Problem(
        f"u_t = u_xx + sin({k}*pi*x)*({rates} + {rate!r}*{amount})", domain=UNIT, time=(0, 0.5), initial=f"sin({k}*pi*x)", boundary="u = 0"
    )  # fmt: skip
    return Stated(
        problem, {"u": lambda x, t: np.sin(k * np.pi * x) * level(t)}, {"t": [first, second, second + short]}
    )


def porous(d: Dice) -> Stated:
    """u_t = (u^m)_xx + f, u > 0."""
    u, m = field(d), d.whole(2, 4)
    left = sp.diff(u, t) - sp.diff(u**m, x, 2)
    return stated(line(f"u_t = diff(u**{m}, x, x)", u, left), {"u": u})


def uneven_string(d: Dice) -> Stated:
    """u_tt = (c u_x)_x + f, c thin."""
    u, c, w = field(d), d.uniform(0.2, 0.8), d.spread(3e-3, 1e-1)
    k = 1 + d.uniform(0.5, 3) * thin(x, c, w)
    left = sp.diff(u, t, 2) - sp.diff(k * sp.diff(u, x), x)
    problem = Problem(
        f"u_tt = diff({said(k)}*u_x, x) + {said(left)}", domain=UNIT, time=(0, 0.5),
        initial={"u": said(u.subs(t, 0)), "u_t": said(sp.diff(u, t).subs(t, 0))}, boundary=ends(u),
    )  # fmt: skip
    return stated(problem, {"u": u}, x=[c])


def thin_film(d: Dice) -> Stated:
    """u_t = −(u² u_xxx)_x + f, with values and slopes at both ends."""
    u = field(d)
    left = sp.diff(u, t) + sp.diff(u**2 * sp.diff(u, x, 3), x)
    boundary = {
        f"x{e}": [f"u = {said(u.subs(x, p))}", f"u_x = {said(sp.diff(u, x).subs(x, p))}"]
        for e, p in (("-", 0), ("+", 1))
    }
    return stated(line("u_t = -diff(u**2*u_xxx, x)", u, left, boundary, time=0.05), {"u": u})


def algebraic(d: Dice) -> Stated:
    """u_t = u_xx + p, p³ + p = u + g."""
    u, p = field(d), sp.Float(0.7) + sp.Float(0.3) * sp.sin(d.uniform(1, 5) * x + t)
    f, g = sp.diff(u, t) - sp.diff(u, x, 2) - p, p**3 + p - u
    problem = Problem(
        [f"u_t = u_xx + p + {said(f)}", f"p**3 + p = u + {said(g)}"], domain=UNIT, time=(0, 0.5), initial={"u": said(u.subs(t, 0))},
        boundary=ends(u),
    )  # fmt: skip
    return stated(problem, {"u": u, "p": p})


def dispersive(d: Dice) -> Stated:
    """u_t + u u_x + a u_xxx = f between two ends."""
    u, a = field(d), d.spread(1e-2, 1)
    left = sp.diff(u, t) + u * sp.diff(u, x) + a * sp.diff(u, x, 3)
    boundary = {"x-": ends(u)["x-"], "x+": [ends(u)["x+"], f"u_x = {said(sp.diff(u, x).subs(x, 1))}"]}
    return stated(line(f"u_t + u*u_x + {a}*u_xxx = 0", u, left, boundary), {"u": u})


def slow_mass(d: Dice) -> Stated:
    """(1 + a u² + thin) u_t = u_xx + f."""
    u, c, w = field(d), d.uniform(0.2, 0.8), d.spread(1e-3, 1e-1)
    mass = d.uniform(1, 30) * thin(x, c, w)
    left = (1 + u**2 + mass) * sp.diff(u, t) - sp.diff(u, x, 2)
    return stated(line(f"(1 + u**2 + {said(mass)})*u_t = u_xx", u, left), {"u": u}, x=[c])


def curve(d: Dice) -> Stated:
    """u_t = u_xx/(1 + u_x²) + f."""
    u = field(d) * d.uniform(0.5, 3)
    left = sp.diff(u, t) - sp.diff(u, x, 2) / (1 + sp.diff(u, x) ** 2)
    return stated(line("u_t = u_xx/(1 + u_x**2)", u, left), {"u": u})


def hasty(d: Dice) -> Stated:
    """u_t = u_xx + f where u has a ripple of a percent that is fast in time, for a moment."""
    k, omega, when = d.whole(1, 3), d.spread(1e2, 1e4), d.uniform(0.1, 0.4)
    u = sp.sin(k * PI * x) * (1 + sp.Float(0.01) * sp.sin(omega * t) * thin(t, when, 10 / omega))
    left = sp.diff(u, t) - sp.diff(u, x, 2)
    return stated(line("u_t = u_xx", u, left, "u = 0"), {"u": u}, t=[when])


def moving_end(d: Dice) -> Stated:
    """u_t = u_xx + u u_x + f for 0 < x < 1 + a sin bt."""
    u, a, b = field(d), d.uniform(0.05, 0.3), d.uniform(1, 8)
    left = sp.diff(u, t) - sp.diff(u, x, 2) - u * sp.diff(u, x)
    domain = lrfm.Region(f"x < 1 + {a}*sin({b}*t)", x=(0, 1.5), names=["end"])
    problem = Problem(
        f"u_t = u_xx + u*u_x + {said(left)}", domain=domain, time=(0, 0.5), initial=said(u.subs(t, 0)),
        boundary={"x-": ends(u)["x-"], "end": f"u = {said(u)}"},
    )  # fmt: skip
    # The rule of a box would have places outside: those of the narrowest interval are in all of them.
    return Stated(problem, {"u": evaluated(u)}, {}, {"x": (0.0, 1 - a)})


def oblique_front(d: Dice) -> Stated:
    """u_t + u u_x + u u_y = ν Δu + f, a front across a square."""
    w, speed = d.spread(0.03, 0.2), d.uniform(0.2, 1)
    u = 1 + sp.tanh((x + y - sp.Float(0.8) - speed * t) / w) / 2
    nu = d.spread(1e-2, 1e-1)
    lap = sp.diff(u, x, 2) + sp.diff(u, y, 2)
    left = sp.diff(u, t) + u * sp.diff(u, x) + u * sp.diff(u, y) - nu * lap
    problem = Problem(
        f"u_t + u*u_x + u*u_y = {nu}*lap(u) + {said(left)}", domain=SQUARE, time=(0, 0.3), initial=said(u.subs(t, 0)), boundary=f"u = {said(u)}"
    )  # fmt: skip
    return stated(problem, {"u": u})


def stripe(d: Dice) -> Stated:
    """u_t = (k u_x)_x + (k u_y)_y + f, k thin in y."""
    u, c, w = field(d) + sp.cos(2 * y) * sp.exp(-t), d.uniform(0.2, 0.8), d.spread(1e-2, 1e-1)
    k = 1 + d.uniform(1, 10) * thin(y, c, w)
    left = sp.diff(u, t) - sp.diff(k * sp.diff(u, x), x) - sp.diff(k * sp.diff(u, y), y)
    problem = Problem(
        f"u_t = diff({said(k)}*u_x, x) + diff({said(k)}*u_y, y) + {said(left)}", domain=SQUARE, time=(0, 0.3), initial=said(u.subs(t, 0)),
        boundary=f"u = {said(u)}",
    )  # fmt: skip
    return stated(problem, {"u": u}, y=[c])


def rows_and_columns(d: Dice) -> Stated:
    """u_t = Δu + mean of u along y + f."""
    k, r = d.whole(1, 3), d.uniform(0.5, 3)
    u = 1 + sp.exp(-r * t) * sp.cos(k * PI * x) * (1 + sp.cos(PI * y))
    along = 1 + sp.exp(-r * t) * sp.cos(k * PI * x)
    left = sp.diff(u, t) - sp.diff(u, x, 2) - sp.diff(u, y, 2) - along
    problem = Problem(
        f"u_t = lap(u) + mean(u, y) + {said(left)}", domain=SQUARE, time=(0, 0.3), initial=said(u.subs(t, 0)), boundary="u_n = 0"
    )  # fmt: skip
    return stated(problem, {"u": u})


MAKERS = (
    thin_diffusivity, thin_barrier, travelling_coefficient, pseudo_parabolic, skewed, means, complex_well, radiating_end, living_end, kernel,
    memory, switched, porous, uneven_string, thin_film, algebraic, dispersive, slow_mass, curve, hasty, moving_end, oblique_front, stripe,
    rows_and_columns,
)  # fmt: skip
