# SPDX-License-Identifier: MIT
"""Random statements on random shapes whose coefficients are fields or jump, with known solutions: the later numbers of `random_shapes.py`.

Across g = 0, a line or a circle, u = C(t) + g B/k with k = k₊, k₋ has the flux B |∇g| on both sides, and u = V + max(g, 0)² W two continuous slopes.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import random_shapes as shapes
import sympy as sp
from random_shapes import t, x, y

import lrfm

Sides = tuple[sp.Expr, sp.Expr]  # what a function is where g > 0, and elsewhere


def _lap(u: sp.Expr) -> sp.Expr:
    return sp.diff(u, x, 2) + sp.diff(u, y, 2)


def _numbers(rng: np.random.Generator, low: float, high: float, count: int) -> list[float]:
    return [round(float(v), 3) for v in rng.uniform(low, high, count)]


def _plain(function: sp.Expr) -> Callable:
    made = sp.lambdify((x, y, t), function, "numpy")
    return lambda x, y, t: made(x, y, t) + 0.0 * (x + t)


def _sided(sides: Sides, g: sp.Expr | None) -> Callable:
    """A function of places and times that changes its formula at g = 0."""
    if g is None:
        return _plain(sides[0])
    level, over, under = _plain(g), _plain(sides[0]), _plain(sides[1])
    return lambda x, y, t: np.where(level(x, y, t) > 0, over(x, y, t), under(x, y, t))


def _condition(name: str, u: Sides, g: sp.Expr | None, level: sp.Expr, rng: np.random.Generator, waves: bool) -> dict:  # fmt: skip
    """A value, a slope along the normal, or both."""
    kind = 0 if waves else int(rng.integers(3))
    if kind == 0:
        return {name: _sided(u, g)}
    a = _numbers(rng, 0.5, 2, 1)[0] if kind == 2 else 0.0
    n = [sp.diff(level, v) / sp.sqrt(sp.diff(level, x) ** 2 + sp.diff(level, y) ** 2) for v in (x, y)]
    data = tuple(n[0] * sp.diff(w, x) + n[1] * sp.diff(w, y) + a * w for w in u)
    return {f"{name}_n + {a}*{name}" if a else f"{name}_n": _sided(data, g)}


def _divider(rng: np.random.Generator) -> sp.Expr:
    """A line or a circle near the middle."""
    a, b, angle, radius = _numbers(rng, -0.3, 0.3, 2) + _numbers(rng, 0, 6.28, 1) + _numbers(rng, 0.3, 0.5, 1)
    if rng.random() < 0.5:
        c, s = round(float(np.cos(angle)), 3), round(float(np.sin(angle)), 3)
        return c * (x - a) + s * (y - b)
    return ((x - a) ** 2 + (y - b) ** 2 - radius**2) / (2 * radius)


def _joined(g: sp.Expr, sides: Sides) -> str:
    return f"where({g} > 0, {sides[0]}, {sides[1]})"


def build(number: int) -> tuple[lrfm.Problem, sp.Expr]:
    """A statement and its solution (where g > 0)."""
    rng = np.random.default_rng([shapes.SEED, number])
    domain, levels = shapes.SHAPES[number % len(shapes.SHAPES)](rng)
    kind = KINDS[(number // len(shapes.SHAPES)) % len(KINDS)]
    equations, fields, g, order = kind(rng)
    waves = order == 2
    conditions = {
        part: {k: v for name, u in fields.items() for k, v in _condition(name, u, g, levels[part], rng, waves).items()}
        for part in domain.parts
    }  # fmt: skip
    exact = {name: _sided(u, g) for name, u in fields.items()}
    start = {}
    for name, u in fields.items():
        for i in range(order):
            rate = _sided((sp.diff(u[0], t, i), sp.diff(u[1], t, i)), g)
            start[name if i == 0 else f"{name}_t"] = lambda x, y, rate=rate: rate(x, y, 0.0 * x)
    problem = lrfm.Problem(
        equations,
        domain=domain,
        time=(0, round(float(rng.uniform(0.2, 1)), 3)),
        initial=start,
        boundary=conditions,
        reference=exact,
    )
    return problem, next(iter(fields.values()))[0]


def _field(rng: np.random.Generator) -> sp.Expr:
    """A smooth positive coefficient."""
    a, b, c, d = _numbers(rng, -4, 4, 4)
    k = _numbers(rng, 0.2, 1, 1)[0]
    return k * (1 + 0.3 * sp.sin(a * x + b * y) + 0.2 * sp.cos(c * x + d * y))


def diffused(rng: np.random.Generator):
    """u_t = div(k ∇u) + a u_x + f  with a field k."""
    u, k, (a, c) = shapes.solution_of(4.0, rng), _field(rng), _numbers(rng, -1, 1, 2)
    right = sp.diff(k * sp.diff(u, x), x) + sp.diff(k * sp.diff(u, y), y) + a * sp.diff(u, x) + c * u
    text = f"u_t = diff(({k})*u_x, x) + diff(({k})*u_y, y) + {a}*u_x + {c}*u + {sp.diff(u, t) - right}"
    return text, {"u": (u, u)}, None, 1


def waving(rng: np.random.Generator):
    """u_tt = c² lap u + f  with a field c²."""
    u, k = shapes.solution_of(4.0, rng), _field(rng)
    return f"u_tt = ({k})*lap(u) + {sp.diff(u, t, 2) - k * _lap(u)}", {"u": (u, u)}, None, 2


def paired(rng: np.random.Generator):
    """Two fields that drive each other."""
    u, v = (shapes.solution_of(3.0, rng) for _ in range(2))
    (k, m), (a, b, c) = _numbers(rng, 0.1, 1, 2), _numbers(rng, -1, 1, 3)
    first = k * _lap(u) + a * v - u * v
    second = m * _lap(v) + b * u + c * sp.diff(u, x)
    texts = [
        f"u_t = {k}*lap(u) + {a}*v - u*v + {sp.expand(sp.diff(u, t) - first)}",
        f"v_t = {m}*lap(v) + {b}*u + {c}*u_x + {sp.expand(sp.diff(v, t) - second)}",
    ]
    return texts, {"u": (u, u), "v": (v, v)}, None, 1


def carried(rng: np.random.Generator):
    """Little diffusion beside a rotation."""
    u, k, (a, b) = shapes.solution_of(4.0, rng), _numbers(rng, 0.003, 0.02, 1)[0], _numbers(rng, -1, 1, 2)
    right = k * _lap(u) + (a - y) * sp.diff(u, x) + (b + x) * sp.diff(u, y)
    text = f"u_t = {k}*lap(u) + ({a} - y)*u_x + ({b} + x)*u_y + {sp.expand(sp.diff(u, t) - right)}"
    return text, {"u": (u, u)}, None, 1


def conducted(rng: np.random.Generator):
    """u_t = div(k ∇u) + f,  k jumps: the flux does not."""
    g, k = _divider(rng), (round(float(10 ** rng.uniform(-1, 1.5)), 3), 1.0)
    base, slope = shapes.solution_of(3.0, rng).subs({x: 0, y: 0}), shapes.solution_of(3.0, rng)
    u = tuple(base + g * slope / own for own in k)
    sources = tuple(sp.diff(w, t) - own * _lap(w) for w, own in zip(u, k, strict=True))
    own = _joined(g, k)
    text = f"u_t = diff({own}*u_x, x) + diff({own}*u_y, y) + {_joined(g, sources)}"
    return text, {"u": u}, g, 1


def _kinked(rng: np.random.Generator) -> tuple[sp.Expr, Sides]:
    g, base, other = _divider(rng), shapes.solution_of(3.0, rng), shapes.solution_of(3.0, rng)
    return g, (base + g**2 * other, base)


def sped(rng: np.random.Generator):
    """u_tt = c² lap u + f,  c² jumps."""
    (g, u), k = _kinked(rng), _numbers(rng, 0.3, 4, 2)
    sources = tuple(sp.diff(w, t, 2) - own * _lap(w) for w, own in zip(u, k, strict=True))
    return f"u_tt = {_joined(g, k)}*lap(u) + {_joined(g, sources)}", {"u": u}, g, 2


def reacting(rng: np.random.Generator):
    """A reaction in a part."""
    (g, u), k, (a, b) = _kinked(rng), _numbers(rng, 0.05, 0.5, 1)[0], _numbers(rng, -3, 3, 2)
    sources = tuple(sp.diff(w, t) - k * _lap(w) - c * w * (1 - w) for w, c in zip(u, (a, b), strict=True))
    text = f"u_t = {k}*lap(u) + {_joined(g, (a, b))}*u*(1 - u) + {_joined(g, sources)}"
    return text, {"u": u}, g, 1


KINDS = (diffused, conducted, paired, reacting, waving, carried, sped)
