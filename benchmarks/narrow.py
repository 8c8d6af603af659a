# SPDX-License-Identifier: MIT
"""Narrow data: is what is given seen, however thin it is? Random statements against finite elements on a mesh that is graded to it.

    python benchmarks/narrow.py --count 400                        # draws 0 to 399; what is there is not run again
    python benchmarks/narrow.py --summary

Sources, coefficients, potentials, boundary data in t and initial data; Gaussians, sech², rational pulses, tanh steps, pulses times waves; widths
from 1e-1 to 1e-6 of the domain or the duration; as text, with parameters, as functions, as tables; one dimension and two. A claim is false
where the true relative L² error is above the tolerance that is said to be met.

The reference is  M u' + K u = b  for elements of degree eight, closer towards the center, down to a third of the width, and towards the walls, and integrated by Gauss's
rule, solved by its eigenvectors: exact in time; boundary data that change in time are taken as linear between times that are graded alike.
"""

from __future__ import annotations

import functools
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

if __name__ == "__main__":
    time.perf_counter = (
        time.process_time
    )  # budgets are seconds of CPU: the machine may have other things to do

import harness  # sets the number of threads, so it comes before NumPy
import numpy as np
import scipy.linalg
from numpy.polynomial import legendre

import lrfm

RESULT = harness.RESULTS / "narrow.jsonl"
COUNT, SECONDS = 400, 8.0
ROLES = ("source", "coefficient", "potential", "boundary", "initial")
SHAPES = ("gauss", "sech2", "rational", "tanh", "wave")
FORMS = ("text", "parameters", "function", "table")
WIDEST, NARROWEST = -1.0, -6.0  # decimal logarithms of widths
DEGREE = 8  # of the reference's elements; quadratic ones of a twelfth of a width had errors of 5e-5 where waves begin
REFERENCE = 1e-7  # accuracy of the reference, where an estimate is smaller
PLANE = 0.15  # part of the draws that are in the plane
TEXTS = {
    "gauss": "exp(-(({v} - {c})/{w})**2)",
    "sech2": "sech(({v} - {c})/{w})**2",
    "rational": "1/(1 + (({v} - {c})/{w})**2)",
    "tanh": "(1 + tanh(({v} - {c})/{w}))/2",
    "wave": "exp(-(({v} - {c})/{w})**2)*cos(3*({v} - {c})/{w})",
}
MASS = {
    "gauss": 1.7725,
    "sech2": 2.0,
    "rational": 3.1416,
    "tanh": 1.0,
    "wave": 0.1868,
}  # ∫ / width, beside a tanh


@dataclass(frozen=True)
class Draw:
    """One random statement."""

    number: int
    role: str
    shape: str
    form: str
    plane: bool
    width: float
    center: float
    amplitude: float
    diffusion: float
    duration: float
    tol: float

    def pulse(self, v: np.ndarray) -> np.ndarray:
        """The shape, of height one; where it is a table, what the table makes of it."""
        return table_of(self)(**{self.variable: v}) if self.form == "table" else shape_of(self)(v)

    @property
    def variable(self) -> str:
        return "t" if self.role == "boundary" else "x"


def draw(number: int) -> Draw:
    """The statement of a number."""
    rng = np.random.default_rng([20261117, number])
    role, shape, form = (str(rng.choice(some)) for some in (ROLES, SHAPES, FORMS))
    plane, duration = bool(rng.random() < PLANE), float(rng.choice([0.05, 0.2, 0.5]))
    width = float(f"{10 ** rng.uniform(NARROWEST, WIDEST):.3g}")
    center, span = float(f"{rng.uniform(0.15, 0.85):.6f}"), 1.0
    if role == "boundary":
        center, span = float(f"{center * duration:.6f}"), duration
    width *= span
    mass, step = 10 ** rng.uniform(-0.7, 0.9), shape == "tanh"
    amplitude = {
        "source": 10 * mass if step else mass / (MASS[shape] * width),
        "potential": 10 * mass if step else 3 * mass / (MASS[shape] * width),
        "coefficient": float(rng.choice([-1.0, 1.0])) * (1 - 10 ** rng.uniform(-3, -0.5)),
        "boundary": 10 ** rng.uniform(-0.5, 0.5),
        "initial": 10 ** rng.uniform(-0.5, 0.5) * (1.0 if step else min(3.0, width**-0.5 / 3)),
    }[role]
    amplitude = 0.9 * abs(amplitude) if role == "coefficient" and shape == "wave" else amplitude
    diffusion, tol = float(rng.choice([1.0, 0.1, 0.02])), float(rng.choice([1e-2, 1e-3, 1e-4]))
    return Draw(
        number, role, shape, form, plane, width, center, float(f"{amplitude:.4g}"), diffusion, duration, tol
    )


def shape_of(d: Draw) -> Callable[[np.ndarray], np.ndarray]:
    """The shape as a function."""

    def pulse(v: Any) -> np.ndarray:
        with np.errstate(over="ignore"):
            z = (np.asarray(v, dtype=float) - d.center) / d.width
            if d.shape in ("gauss", "wave"):
                return np.exp(-(z**2)) * (np.cos(3 * z) if d.shape == "wave" else 1.0)
            if d.shape == "sech2":
                return 1 / np.cosh(np.clip(z, -300, 300)) ** 2
            return 1 / (1 + z**2) if d.shape == "rational" else 0.5 * (1 + np.tanh(z))

    return pulse


@functools.lru_cache(maxsize=4)
def table_of(d: Draw) -> lrfm.Table:
    """The shape at places that are dense where it is thin."""
    high = d.duration if d.role == "boundary" else 1.0
    near = np.concatenate([np.linspace(0, 8, 97), np.geomspace(8, 1e6, 60)[1:]])
    places = np.concatenate([np.linspace(0, high, 61), d.center + d.width * near, d.center - d.width * near])
    places = np.unique(np.clip(places, 0, high))
    places = places[np.append(True, np.diff(places) > 1e-3 * d.width)]
    return lrfm.Table(shape_of(d)(places), **{d.variable: places})


def statement(d: Draw) -> lrfm.Problem:
    """A draw as a problem; in the plane everything has the factor sin πy, Gaussians as sources are pulses in both."""
    given: dict[str, object] = {}
    v = d.variable
    if d.form == "text":
        f = TEXTS[d.shape].format(v=v, c=d.center, w=d.width)
    elif d.form == "parameters":
        f, given = TEXTS[d.shape].format(v=v, c="c", w="w"), {"c": d.center, "w": d.width}
    else:
        pulse = shape_of(d)
        f, given = "f", {"f": table_of(d)}
        if d.form == "function":
            given = {"f": (lambda t: pulse(t)) if v == "t" else (lambda x: pulse(x))}
    D, A = d.diffusion, d.amplitude
    y, lap = ("*sin(pi*y)", f"{D}*u_xx + {D}*u_yy") if d.plane else ("", f"{D}*u_xx")
    u0, left, right = f"sin(pi*x){y}", "0", lap
    start = float(d.pulse(np.array([0.0]))[0]) if d.role == "boundary" else 0.0
    if d.role == "source":
        right = f"{lap} + {A}*({f})" + (f"*exp(-((y - 0.4)/{d.width})**2)/{d.width}" if round_(d) else y)
    elif d.role == "potential":
        right = f"{lap} - {A}*({f})*u"
    elif d.role == "coefficient":
        across = f" + {D}*u_yy" if d.plane else ""
        right = f"{D}*diff((1 + {A}*({f}))*u_x, x){across}"
        if d.form == "function":  # a function has no derivative
            pulse, h = shape_of(d), 1e-4 * d.width
            given["g"] = lambda x: (pulse(np.asarray(x) + h) - pulse(np.asarray(x) - h)) / (2 * h)
            right = f"{D}*((1 + {A}*f)*u_xx + {A}*g*u_x){across}"
    elif d.role == "boundary":
        left, u0 = f"{A}*({f}){y}", f"(sin(pi*x) + {A * start!r}*(1 - x)){y}"
    if d.role == "initial" and d.form in ("text", "parameters"):
        u0 = f"sin(pi*x)*(1 + {A}*({f})){y}"
    elif d.role == "initial":
        pulse, given = d.pulse, {}
        u0 = (  # type: ignore[assignment]
            (lambda x, y: np.sin(np.pi * x) * (1 + A * pulse(x)) * np.sin(np.pi * y))
            if d.plane
            else (lambda x: np.sin(np.pi * x) * (1 + A * pulse(x)))
        )
    faces = {"x-": f"u = {left}", "x+": "u = 0"} | ({"y-": "u = 0", "y+": "u = 0"} if d.plane else {})
    box = lrfm.Box(x=(0, 1), y=(0, 1)) if d.plane else lrfm.Box(x=(0, 1))
    return lrfm.Problem(
        f"u_t = {right}", domain=box, time=(0, d.duration), initial=u0, boundary=faces, parameters=given
    )


def round_(d: Draw) -> bool:
    """Whether a source is a pulse in both directions of the plane."""
    return d.plane and d.role == "source" and d.shape == "gauss" and d.width > 1e-4


# The reference ------------------------------------------------------------------------------------------------


def graded(
    center: float, width: float, high: float, parts: int, levels: float, growth: float = 0.24
) -> np.ndarray:
    """Edges between 0 and `high`, closer towards the center down to a part of the width."""
    steps = [0.0]
    size = width / levels
    while steps[-1] < high:
        steps.append(
            steps[-1] + max(size, min(growth * steps[-1], high / parts) if steps[-1] > 6 * width else size)
        )
    edges = np.concatenate([center + np.array(steps), center - np.array(steps), [0.0, high]])
    edges = np.unique(np.clip(edges, 0, high))
    return edges[np.append(True, np.diff(edges) > 1e-12 * high)]


class Elements:
    """Elements of degree `DEGREE` on (0, 1) with u = 0 at both ends: (k u_x)_x - V u = K, and its eigenvectors."""

    def __init__(self, edges: np.ndarray, k: Callable, V: Callable):
        x, w = legendre.leggauss(DEGREE + 4)
        self.shapes, slopes = lagrange(-np.cos(np.pi * np.arange(DEGREE + 1) / DEGREE), x)
        h, count = np.diff(edges), DEGREE * (len(edges) - 1) + 1
        self.points = 0.5 * (edges[1:] + edges[:-1])[:, None] + 0.5 * h[:, None] * x
        self.weights, self.size = 0.5 * h[:, None] * w, count
        self.index = DEGREE * np.arange(len(h))[:, None] + np.arange(DEGREE + 1)
        # What is negative in V makes modes grow: (K + s M) is positive for s = -min V.
        shift = max(0.0, -float(V(self.points).min()))
        B, C, W = (np.zeros((len(h), len(x), count)) for _ in range(3))
        element, point = np.arange(len(h))[:, None, None], np.arange(len(x))[:, None]
        place = (element, point, self.index[:, None])
        sizes = [
            self.weights * k(self.points) * (2 / h[:, None]) ** 2,
            self.weights * (V(self.points) + shift),
        ]
        for matrix, size, f in zip(
            (B, C, W), (*sizes, self.weights), (slopes, *(2 * [self.shapes])), strict=True
        ):
            matrix[place] = np.sqrt(size)[:, :, None] * f.T
        B, C, W = (matrix.reshape(-1, count)[:, 1:-1] for matrix in (B, C, W))
        # K = BᵀB + CᵀC = RᵀR, and K itself is not made: thin elements beside wide ones would cost 1e-7 of the slowest rate.
        # Rounding of the inverse, R⁻ᵀ M R⁻¹, spoils the fastest modes, which are gone at once, and not the slowest.
        R = scipy.linalg.qr(np.vstack([B, C]) if np.any(C) else B, mode="r")[0][: count - 2]
        half = scipy.linalg.solve_triangular(R, W.T, trans=1)
        slow, vectors = np.linalg.eigh(half @ half.T)
        kept = slow > 1e-14 * slow.max()
        self.rates = 1 / slow[kept] - shift
        self.vectors = scipy.linalg.solve_triangular(R, vectors[:, kept]) / np.sqrt(slow[kept])

    def load(self, f: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        """The coefficients of a function on eigenvectors."""
        values, b = f(self.points) * self.weights, np.zeros(self.size)
        for i, shape in enumerate(self.shapes):
            np.add.at(b, self.index[:, i], values @ shape)
        return self.vectors.T @ b[1:-1]

    def at_points(self, modes: np.ndarray) -> np.ndarray:
        """u at all Gauss points, from coefficients on eigenvectors (times, modes): (times, elements, points)."""
        nodes = np.pad(modes @ self.vectors.T, ((0, 0), (1, 1)))
        return np.einsum("tei,ig->teg", nodes[:, self.index], self.shapes)


def lagrange(nodes: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The polynomials that are one at a node and zero at the others, and their slopes, at points: (nodes, points)."""
    coefficients = np.linalg.inv(legendre.legvander(nodes, len(nodes) - 1))
    return legendre.legval(x, coefficients), legendre.legval(x, legendre.legder(coefficients))


def grown(rates: np.ndarray, t: np.ndarray) -> np.ndarray:
    """∫₀ᵗ e^(−λ(t−s)) ds, (times, modes)."""
    return -np.expm1(-np.outer(t, rates)) / rates


def reference(d: Draw, times: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points (n,), weights, and v(x, t) at them (times, n), with u = v in one dimension and v sin πy in the plane."""
    D, A, zero = d.diffusion, d.amplitude, lambda x: np.zeros_like(x)
    # What changes within w at a wall reaches √(Dw) into the domain.
    thin = (0.0, max(1e-4, math.sqrt(D * d.width))) if d.role == "boundary" else (d.center, d.width)
    if d.role == "coefficient":  # u_x = q/k, and k = 1 + A + |A| z² … where A is close to -1
        thin = (d.center, d.width * math.sqrt(min(1.0, 1 + A)))
    mesh = graded(*thin, 1.0, 20, 3.0)
    walls = np.geomspace(1e-4, 0.05, 12)  # a source that does not vanish there has layers at them
    mesh = np.unique(np.concatenate([mesh, walls, 1 - walls]))
    mesh = mesh[np.append(True, np.diff(mesh) > 1e-9)]
    more = D * np.pi**2 if d.plane else 0.0
    k = (lambda x: D * (1 + A * d.pulse(x))) if d.role == "coefficient" else (lambda x: D + zero(x))
    V = (lambda x: more + A * d.pulse(x)) if d.role == "potential" else (lambda x: more + zero(x))
    made = Elements(mesh, k, V)
    modulation = (lambda x: 1 + A * d.pulse(x)) if d.role == "initial" else (lambda x: 1 + zero(x))
    q = made.load(lambda x: np.sin(np.pi * x) * modulation(x)) * np.exp(-np.outer(times, made.rates))
    if d.role == "source":
        q = q + made.load(lambda x: A * d.pulse(x)) * grown(made.rates, times)
    lift = np.zeros((len(times), 1, 1))
    if d.role == "boundary":
        # v = u - g(t)(1 - x):  v' = (k v_x)_x - V v - (g' + π² D g)(1 - x),  g linear from time to time; v starts from sin πx.
        steps = np.unique(np.append(graded(d.center, d.width, d.duration, 400, 80.0, 0.12), times))
        g, ramp = A * d.pulse(steps), made.load(lambda x: 1 - x)
        q, now, kept = np.zeros((len(times), len(ramp))), made.load(lambda x: np.sin(np.pi * x)), {}
        for i in range(len(steps)):
            if i:
                h = steps[i] - steps[i - 1]
                z = made.rates * h
                one = -np.expm1(-z) / made.rates
                two = (h - one) / made.rates / h
                drive = -((g[i] - g[i - 1]) / h + more * g[i - 1]) * one - more * (g[i] - g[i - 1]) * two
                now = np.exp(-z) * now + ramp * drive
            kept[steps[i]] = now
        q = np.array([kept[t] for t in times])
        lift = A * d.pulse(times)[:, None, None] * (1 - made.points)
    values = made.at_points(q) + lift
    return made.points.ravel(), made.weights.ravel(), values.reshape(len(times), -1)


def true_error(d: Draw, solution: lrfm.Solution) -> float:
    """Relative L² error over space and time."""
    if round_(d):
        return round_error(d, solution, *graded_times(d, 8, 2))
    t, w = graded_times(d)
    x, weights, v = reference(d, t)
    if not d.plane:
        u = solution(x=x[None], t=t[:, None])
        return math.sqrt(w @ ((u - v) ** 2 @ weights) / (w @ (v**2 @ weights)))
    y, wy = legendre.leggauss(9)
    gap = size = 0.0
    # Not at some random ones: of panels that halve towards the start the last holds half of the norm.
    for i in range(len(t)):
        u = solution(x=x[:, None], y=0.5 * (y + 1)[None], t=t[i])
        exact = v[i][:, None] * np.sin(0.5 * np.pi * (y + 1))
        gap, size = gap + w[i] * (weights @ (u - exact) ** 2 @ wy), size + w[i] * (weights @ exact**2 @ wy)
    return math.sqrt(gap / size)


def graded_times(d: Draw, halved: int = 20, points: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Times and weights: Gauss's rule on panels that are closer to the start, and to a pulse in time."""
    # A narrow start is gone by a millionth of the time: with panels down to 2⁻⁸ errors were 1.4 times too large.
    edges = [0.0, *(d.duration * 2.0 ** -np.arange(float(halved), -1.0, -1.0))]
    if d.role == "boundary":
        edges += [d.center + sign * d.width * 2.0**k for sign in (1, -1) for k in range(-1, 6)] + [d.center]
    edges = np.unique(np.clip(edges, 0, d.duration))
    edges = edges[np.append(True, np.diff(edges) > 1e-9 * d.duration)]
    x, w = legendre.leggauss(points)
    h = np.diff(edges)[:, None]
    return (edges[:-1, None] + 0.5 * h * (1 + x)).ravel(), (0.5 * h * w).ravel()


def round_error(d: Draw, solution: lrfm.Solution, t: np.ndarray, w: np.ndarray) -> float:
    """The same for a pulse in both directions: products of the elements of both."""
    zero = lambda x: np.zeros_like(x)  # noqa: E731
    ax, ay = (
        Elements(graded(c, d.width, 1.0, 12, 2.0), lambda x: d.diffusion + zero(x), zero)
        for c in (d.center, 0.4)
    )
    bx = ax.load(d.pulse) * d.amplitude
    by = ay.load(lambda y: np.exp(-(((y - 0.4) / d.width) ** 2)) / d.width)
    sine = np.outer(*(e.load(lambda x: np.sin(np.pi * x)) for e in (ax, ay)))
    rates = ax.rates[:, None] + ay.rates
    gap = size = 0.0
    for i in range(len(t)):
        decay = np.exp(-rates * t[i])
        modes = sine * decay + np.outer(bx, by) * -np.expm1(-rates * t[i]) / rates
        half = ay.at_points(modes).reshape(len(ax.rates), -1)
        exact = ax.at_points(half.T).reshape(half.shape[1], -1).T
        u = solution(x=ax.points.ravel()[:, None], y=ay.points.ravel()[None], t=t[i])
        both = np.outer(ax.weights, ay.weights)
        gap, size = gap + w[i] * np.sum(both * (u - exact) ** 2), size + w[i] * np.sum(both * exact**2)
    return math.sqrt(gap / size)


def run_one(number: int, seconds: float) -> harness.Row:
    """One draw: solved, and held against the reference."""
    d = draw(number)
    row: harness.Row = {
        "draw": number,
        "role": d.role,
        "shape": d.shape,
        "form": d.form,
        "dimension": 1 + d.plane,
    }
    row |= {"width": d.width, "tol": d.tol, "seconds_given": seconds}
    solution, found = harness.run_solve(statement(d), tol=d.tol, max_seconds=seconds)
    row |= {name: found[name] for name in ("status", "met", "estimate", "cpu_seconds")}
    row |= {"decided_by": solution.report.decided_by}
    whole = solution.block_edges[-1] >= (1 - 1e-9) * d.duration
    error = true_error(d, solution) if whole else math.inf
    return row | {"error": harness.plain(error), "false": bool(found["met"] and not error <= d.tol)}


def jobs(args: Any) -> Iterator[tuple[str, functools.partial]]:
    for number in range(args.first, args.first + args.count):
        plane = draw(number).plane
        if not (args.line and plane) and not (args.plane and not plane):
            yield f"draw {number}", functools.partial(run_one, number, args.max_seconds)


def report(rows: list[harness.Row]) -> str:
    """Draws, claims and false claims, by what was narrow."""
    lines = []
    for role in (*ROLES, "all"):
        some = [r for r in rows if role in ("all", r.get("role"))]
        met, false = [r for r in some if r.get("met")], [r for r in some if r.get("false")]
        low = [r for r in met if harness.number(r, "error") > max(harness.number(r, "estimate"), REFERENCE)]
        good = [r for r in some if harness.number(r, "error") <= harness.number(r, "tol")]
        lines.append([role, *(str(len(part)) for part in (some, met, false, low, good))])
    head = (
        "narrow",
        "draws",
        "claimed",
        "false",
        "claimed, estimate below the error",
        "right to the tolerance",
    )
    worst = [f"\n{r['key']}: {r}" for r in rows if r.get("false")]
    return harness.table(head, lines) + "".join(worst)


def main() -> None:
    parser = harness.job_options(__doc__, RESULT, jobs=1, seconds=SECONDS)
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--first", type=int, default=0, help="number of the first draw")
    parser.add_argument("--line", action="store_true", help="only draws in one dimension")
    parser.add_argument("--plane", action="store_true", help="only draws in the plane")
    args = parser.parse_args()
    harness.run_asked(args, jobs(args))
    print(report(list(harness.read_rows(args.out).values())))


if __name__ == "__main__":
    main()
