# SPDX-License-Identifier: MIT
"""Random statements on random shapes with known solutions: is a claim on a domain that is no box true?

u = Σ A e^(−λt) sin(k·x + ωt + φ) with random numbers, |k| up to 2.5 in the first 48 and to 8 in the others, is put into a random
equation on a random shape, and what comes out is the source and the data of random conditions. Normals come from the level functions used here, not from lrfm.
From number 72 on: coefficients that are smooth fields, pairs of fields, fast advection, and coefficients that jump across a line or a circle, with
u = C + g B/k there (the flux k u_g is B on both sides of g = 0) or u = V + max(g, 0)² W (both derivatives continuous, for k lap u and reactions that jump).

    python benchmarks/random_shapes.py                      # all of them at 1e-3 and 1e-5, into results/random_shapes.jsonl
    python benchmarks/random_shapes.py --only 3 17 --tol 1e-5
    python benchmarks/random_shapes.py --summary
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable

import harness  # sets the number of threads, so it comes before NumPy
import numpy as np
import sympy as sp

import lrfm
from lrfm.problem.shapes.protocol import Domain
from lrfm.solution.reference import relative_l2, true_error

RESULT = harness.RESULTS / "random_shapes.jsonl"
SMOOTH, PLAIN, COUNT = 48, 72, 120  # statements of long waves, with constant coefficients, all
SEED = 20  # where their numbers come from
LONG, SHORT = 2.5, 8.0  # largest slopes of phases along an axis
x, y, t = sp.symbols("x y t", real=True)
Levels = dict[str, sp.Expr]  # level functions by the name of a part, negative inside
Made = tuple[Domain, Levels]


# Shapes -----------------------------------------------------------------------------------------


def _oval(center: np.ndarray, radii: np.ndarray) -> sp.Expr:
    return ((x - center[0]) / radii[0]) ** 2 + ((y - center[1]) / radii[1]) ** 2 - 1


def ellipse(rng: np.random.Generator) -> Made:
    center, radii = rng.uniform(-1, 1, 2), rng.uniform(0.5, 1.3, 2)
    shape = lrfm.Ellipse(center=center.tolist(), radii=radii.tolist(), name="rim")
    return shape, {"rim": _oval(center, radii)}


def polygon(rng: np.random.Generator) -> Made:
    """Corners around a point, some of them reentrant."""
    count = int(rng.integers(3, 7))
    angles = 2 * np.pi * (np.arange(count) + rng.uniform(-0.25, 0.25, count)) / count
    corners = rng.uniform(0.6, 1.1, (count, 1)) * np.column_stack([np.cos(angles), np.sin(angles)])
    names = [f"side{i + 1}" for i in range(count)]
    levels = {}
    for name, (a, b) in zip(names, zip(corners, np.roll(corners, -1, axis=0), strict=True), strict=True):
        levels[name] = (b[1] - a[1]) * (x - a[0]) - (b[0] - a[0]) * (y - a[1])
    return lrfm.Polygon(corners.tolist(), names=names), levels


def flower(rng: np.random.Generator) -> Made:
    """r < 1 + ε cos kθ, as text."""
    petals, depth = int(rng.integers(2, 6)), round(float(rng.uniform(0.05, 0.25)), 3)
    wave = sp.expand(sp.re(sp.expand((x + sp.I * y) ** petals)))
    square = x**2 + y**2
    level = square ** sp.Rational(petals + 1, 2) - square ** sp.Rational(petals, 2) - depth * wave
    text = f"(x**2 + y**2)**{(petals + 1) / 2} < (x**2 + y**2)**{petals / 2} + {depth}*({wave})"
    return lrfm.Region(text, x=(-1.4, 1.4), y=(-1.4, 1.4), names=["rim"]), {"rim": level}


def holed(rng: np.random.Generator) -> Made:
    """An ellipse or a box with a round hole."""
    radius, center = rng.uniform(0.2, 0.35), rng.uniform(-0.3, 0.3, 2)
    hole = lrfm.Disk(center=center.tolist(), radius=radius, name="hole")
    levels = {"hole": -_oval(center, np.array([radius, radius]))}
    if rng.random() < 0.5:
        radii = rng.uniform(0.9, 1.4, 2)
        outer = lrfm.Ellipse(radii=radii.tolist(), name="rim")
        return outer - hole, {"rim": _oval(np.zeros(2), radii), **levels}
    a, b = rng.uniform(0.9, 1.4, 2)
    outer = lrfm.Box(x=(-a, a), y=(-b, b), name="box")
    faces = {"box.x-": -x - a, "box.x+": x - a, "box.y-": -y - b, "box.y+": y - b}
    return outer - hole, {**faces, **levels}


def cut_disc(rng: np.random.Generator) -> Made:
    """A disc without what lies beyond a line."""
    angle, depth = rng.uniform(0, 2 * np.pi), rng.uniform(-0.2, 0.5)
    normal = np.array([np.cos(angle), np.sin(angle)])
    half = lrfm.HalfSpace(normal=normal.tolist(), point=(depth * normal).tolist(), name="floor")
    levels = {"rim": _oval(np.zeros(2), np.ones(2)), "floor": normal[0] * x + normal[1] * y - depth}
    return lrfm.Disk(name="rim") & half, levels


def two_discs(rng: np.random.Generator) -> Made:
    """A union: two corners that point inwards."""
    away, radius = rng.uniform(0.6, 1.0), rng.uniform(0.6, 1.0)
    center = np.array([away, rng.uniform(-0.3, 0.3)])
    other = lrfm.Disk(center=center.tolist(), radius=radius, name="right")
    levels = {"left": _oval(np.zeros(2), np.ones(2)), "right": _oval(center, np.array([radius, radius]))}
    return lrfm.Disk(name="left") | other, levels


SHAPES = (ellipse, polygon, flower, holed, cut_disc, two_discs)


# Statements -------------------------------------------------------------------------------------


def solution_of(reach: float, rng: np.random.Generator) -> sp.Expr:
    total = sp.Integer(0)
    for _ in range(2):
        a, decay, turn, phase = (round(float(v), 3) for v in rng.uniform((0.5, 0, -2, 0), (1.5, 1, 2, 6)))
        k = [round(float(v), 3) for v in rng.uniform(-reach, reach, 2)]
        total += a * sp.exp(-decay * t) * sp.sin(k[0] * x + k[1] * y + turn * t + phase)
    return total


def _equation(rng: np.random.Generator) -> tuple[str, Callable[[sp.Expr], sp.Expr], int]:
    """The right side as text and as a map, and the order in time."""
    k, a, b, c = (round(float(v), 3) for v in rng.uniform((0.1, -1, -1, -1), (1, 1, 1, 1)))
    lap = lambda u: sp.diff(u, x, 2) + sp.diff(u, y, 2)  # noqa: E731
    dx, dy = (lambda u: sp.diff(u, x)), (lambda u: sp.diff(u, y))
    options = [
        (f"{k}*lap(u) + {a}*u_x + {b}*u_y + {c}*u", lambda u: k * lap(u) + a * dx(u) + b * dy(u) + c * u, 1),
        (f"{k}*lap(u) + u - u**3", lambda u: k * lap(u) + u - u**3, 1),
        (f"{k}*lap(u) - u*u_x + {b}*u_y", lambda u: k * lap(u) - u * dx(u) + b * dy(u), 1),
        (
            f"{k}*u_xx + {0.5 * k}*u_xy + {1.5 * k}*u_yy",
            lambda u: k * sp.diff(u, x, 2) + 0.5 * k * sp.diff(u, x, y) + 1.5 * k * sp.diff(u, y, 2),
            1,
        ),
        (f"{k}*lap(u)", lambda u: k * lap(u), 2),
    ]
    return options[int(rng.integers(len(options)))]


def _condition(u: sp.Expr, level: sp.Expr, order: int, rng: np.random.Generator) -> dict[str, Callable]:
    """Values, slopes along the normal, or both."""
    kind = 0 if order == 2 else int(rng.integers(3))
    if kind == 0:
        return {"u": sp.lambdify((x, y, t), u, "numpy")}
    a = round(float(rng.uniform(0.5, 2)), 3) if kind == 2 else 0.0
    slope = [sp.diff(level, v) for v in (x, y)]
    flux = (slope[0] * sp.diff(u, x) + slope[1] * sp.diff(u, y)) / sp.sqrt(slope[0] ** 2 + slope[1] ** 2)
    data = sp.lambdify((x, y, t), flux + a * u, "numpy")
    return {f"u_n + {a}*u" if a else "u_n": lambda x, y, t: data(x, y, t) + 0 * x}


def build(number: int) -> tuple[lrfm.Problem, sp.Expr]:
    """A statement and its solution."""
    if number >= PLAIN:
        import random_fields

        return random_fields.build(number)
    rng = np.random.default_rng([SEED, number])
    domain, levels = SHAPES[number % len(SHAPES)](rng)
    u = solution_of(LONG if number < SMOOTH else SHORT, rng)
    text, right, order = _equation(rng)
    source = sp.diff(u, t, order) - right(u)
    conditions = {name: _condition(u, levels[name], order, rng) for name in domain.parts}
    start = [sp.lambdify((x, y), sp.diff(u, t, i).subs(t, 0), "numpy") for i in range(order)]
    exact = sp.lambdify((x, y, t), u, "numpy")
    problem = lrfm.Problem(
        f"{'u_t' if order == 1 else 'u_tt'} = {text} + {sp.expand(source)}",
        domain=domain,
        time=(0, round(float(rng.uniform(0.2, 1)), 3)),
        initial=start[0] if order == 1 else {"u": start[0], "u_t": start[1]},
        boundary=conditions,
        reference=exact,
    )
    return problem, u


# Runs -------------------------------------------------------------------------------------------


def run(number: int, tol: float, seconds: float) -> dict[str, object]:
    (problem, _), shape = build(number), SHAPES[number % len(SHAPES)].__name__
    began = time.process_time()
    asked = {"number": number, "shape": shape, "tol": tol, "seconds": seconds} | harness.as_installed()
    try:
        solution = lrfm.solve(problem, tol=tol, max_seconds=seconds, strict=False)
    except lrfm.ConvergenceError as error:
        return asked | {"claimed": False, "status": str(error), "cpu_seconds": time.process_time() - began}
    spent, report = time.process_time() - began, solution.report
    points, weights = problem.domain.quadrature(1500)
    reached = problem.time[0], report.block_reports[-1].window[1]  # as far as it came
    nodes, shares = np.polynomial.legendre.leggauss(6)
    times, roots = (
        np.repeat(np.interp(nodes, (-1, 1), reached), len(points)),
        np.sqrt(np.kron(shares, weights)),
    )
    at = {"x": np.tile(points[:, 0], 6), "y": np.tile(points[:, 1], 6), "t": times}
    estimate = report.error_estimate
    return asked | {
        "method": report.method,
        "claimed": bool(report.solved),
        "error": true_error(solution, at, lambda found, exact: relative_l2(roots * found, roots * exact)),
        "estimate": float(estimate) if np.isfinite(estimate) else None,
        "features": report.features,
        "cpu_seconds": round(spent, 2),
        "decided_by": report.decided_by,
        "status": report.status,
    }


def summary() -> None:
    rows = [json.loads(line) for line in RESULT.read_text(encoding="utf-8").splitlines()]
    for tol in sorted({r["tol"] for r in rows}, reverse=True):
        some = [r for r in rows if r["tol"] == tol]
        claims = [r for r in some if r["claimed"]]
        above = [r["number"] for r in claims if r["error"] > tol]
        far = [r["number"] for r in claims if r["error"] > 10 * tol]
        print(
            f"tol {tol:g}: {len(some)} statements, {len(claims)} claims, above tol {above}, above 10 tol {far}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", type=int, nargs="*")
    parser.add_argument("--tol", type=float, nargs="*", default=[1e-3, 1e-5])
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--summary", action="store_true")
    asked = parser.parse_args()
    if asked.summary:
        summary()
        return
    for tol in asked.tol:
        for number in asked.only or range(COUNT):
            found = run(number, tol, asked.seconds)
            kept = [r for r in harness.read_result(RESULT) if (r["number"], r["tol"]) != (number, tol)]
            text = "".join(json.dumps(row) + "\n" for row in [*kept, found])
            RESULT.write_text(text, encoding="utf-8")
            print(found, flush=True)


if __name__ == "__main__":
    main()
