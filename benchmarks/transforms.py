# SPDX-License-Identifier: MIT
"""Periodic boxes with many modes: `lrfm.solve` beside a Fourier code with exponential Runge-Kutta that was written for each statement.

    python benchmarks/transforms.py            # all, into benchmarks/results/transforms.jsonl
    python benchmarks/transforms.py shear      # those whose name contains a word

The code beside it (`march`) knows the symbol of the linear part and the products of each statement, takes steps of ETDRK4 (Cox, Matthews, 2002; Kassam, Trefethen, 2005) over h and twice over h/2, and doubles its
number of points by the tail of the coefficients. Errors are relative L² errors over space and time, which the estimate is of, and at the end, where both codes are compared, measured by this code at a much stricter tolerance on a fine grid. Its time at the error of lrfm is read between
the logarithms of errors and times of three tolerances; beyond them that of the nearest counts. Times are CPU seconds of one process, the less of two runs; those of lrfm, which is given `tol` alone, include both solves and the estimate.
"""

from __future__ import annotations

import json
import math
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.fft as transforms

import lrfm

RESULT = Path(__file__).resolve().parent / "results" / "transforms.jsonl"
PI = math.pi
TOLS = (1e-2, 1e-3, 1e-4)  # of the code beside it,
FINE = 1e-5  # and of what errors are measured by
STOPS = 24  # times between at which it is kept, for errors over space and time
CIRCLE = 24  # points of the circle over which φ functions are averaged


# The code beside it -----------------------------------------------------------------------------------------


class Grid:
    """n points along each axis of a periodic box; the upper third of the modes is zero."""

    def __init__(self, lengths, n):
        self.lengths, self.n, d = lengths, n, len(lengths)
        waves = [2 * PI / length * np.fft.fftfreq(n, 1 / n) for length in lengths[:-1]]
        waves.append(2 * PI / lengths[-1] * np.arange(n // 2 + 1))
        self.k = [w.reshape([-1 if a == b else 1 for b in range(d)]) for a, w in enumerate(waves)]
        self.k2 = sum(k**2 for k in self.k)
        kept = [np.abs(k) * length / (2 * PI) for k, length in zip(self.k, lengths, strict=True)]
        self.mask = np.ones(self.k2.shape)
        for part in kept:
            self.mask = self.mask * (part <= n // 3)
        self.high = (self.mask > 0) & (np.maximum.reduce([p + 0 * self.k2 for p in kept]) > 0.85 * (n // 3))
        self.axes = tuple(range(-d, 0))
        self.x = np.meshgrid(*[length * np.arange(n) / n for length in lengths], indexing="ij")

    def forward(self, u):
        return transforms.rfftn(u, axes=self.axes)

    def back(self, v):
        return transforms.irfftn(v, s=[self.n] * len(self.axes), axes=self.axes)


def phis(z):
    """φ₁, φ₂, φ₃ as means over a circle around each z."""
    found = [np.zeros(z.shape, complex) for _ in range(3)]
    for q in np.exp(2j * PI * (np.arange(CIRCLE) + 0.5) / CIRCLE):
        w = z + q
        e = np.exp(w)
        found[0] += (e - 1) / w / CIRCLE
        found[1] += (e - 1 - w) / w**2 / CIRCLE
        found[2] += (e - 1 - w - w * w / 2) / w**3 / CIRCLE
    return found


def march(beside: Beside, tol: float, n: int = 32, stops: tuple[float, ...] = ()):
    """The fields at the end on a grid, and at some times before that, and CPU seconds."""
    began = time.process_time()
    end, d, kept, ahead = beside.end, len(beside.lengths), [], [*stops, beside.end]
    while True:
        grid = Grid(beside.lengths, n)
        v = grid.forward(np.array(beside.data(*grid.x)))
        if np.abs(v[:, grid.high]).max() < 0.01 * tol * np.abs(v).max() or n >= beside.most:
            break
        n *= 2

    def prepared(grid):
        symbol, product = beside.made(grid)
        return np.broadcast_to(symbol, v.shape), (lambda w: product(w * grid.mask) * grid.mask), {}

    symbol, rest, known = prepared(grid)

    def coefficients(h):
        if h not in known:
            if len(known) > 8:
                known.clear()
            z = h * symbol
            a, (p1, p2, p3) = phis(z / 2)[0], phis(z)
            found = (
                np.exp(z),
                np.exp(z / 2),
                h / 2 * a,
                h * (p1 - 3 * p2 + 4 * p3),
                h * (2 * p2 - 4 * p3),
                h * (4 * p3 - p2),
            )
            known[h] = found if np.iscomplexobj(symbol) else tuple(np.real(f) for f in found)
        return known[h]

    def step(v, h, a):
        whole, half, q, f1, f2, f3 = coefficients(h)
        va = half * v + q * a
        b = rest(va)
        c = rest(half * v + q * b)
        return whole * v + f1 * a + f2 * (b + c) + f3 * rest(half * va + q * (2 * c - a))

    t, size, ratio = 0.0, np.linalg.norm(v), 2**0.25
    h = ratio ** math.floor(math.log(end / 200) / math.log(ratio))
    while t < end * (1 - 1e-12):
        own = min(h, ahead[0] - t)
        f = rest(v)
        big, middle = step(v, own, f), step(v, own / 2, f)
        two = step(middle, own / 2, rest(middle))
        error, allowed = np.linalg.norm(two - big) / 15 / size, 0.1 * tol * (own / end) ** 0.75
        if not np.isfinite(error):
            h /= 4
            continue
        if error <= allowed:
            v, t = two + (two - big) / 15, t + own
            if t >= ahead[0] * (1 - 1e-12):
                kept.append(grid.back(v))
                del ahead[0]
            size = max(size, np.linalg.norm(v))
            if np.abs(v[:, grid.high]).max() > 0.03 * tol * np.abs(v).max() and n < beside.most:
                old, n = grid, 2 * n
                grid = Grid(beside.lengths, n)
                v, size = 2**d * padded(v, old.n, n), 2**d * size
                symbol, rest, known = prepared(grid)
        factor = min(4.0, max(0.2, 0.9 * (allowed / max(error, 1e-300)) ** 0.25))
        if factor < 1 or (factor > 1.25 and own == h):
            h = ratio ** math.floor(math.log(own * factor) / math.log(ratio))
    return kept, time.process_time() - began


def padded(v, n, m):
    """The same coefficients on a finer grid."""
    d, half = v.ndim - 1, n // 2
    result = np.zeros((len(v), *[m] * (d - 1), m // 2 + 1), complex)
    parts = [([], [])]
    for _ in range(d - 1):
        parts = [([*s, p], [*t, p]) for s, t in parts for p in (slice(0, half), slice(-half + 1, None))]
    for source, target in parts:
        result[(slice(None), *target, slice(0, half))] = v[(slice(None), *source, slice(0, half))]
    return result


# Statements -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Beside:
    """A statement as the code beside lrfm knows it."""

    lengths: tuple[float, ...]
    end: float
    data: Any
    made: Any
    most: int = 512


STATEMENTS: dict[str, Any] = {}


def statement(make):
    STATEMENTS[make.__name__.replace("_", " ")] = make
    return make


def problem(equations, lengths, end, initial, **more):
    domain = lrfm.Box(**dict(zip("xyz", [(0, length) for length in lengths], strict=False)))
    return lrfm.Problem(equations, domain=domain, time=(0, end), initial=initial, boundary="periodic", **more)


def pointwise(function):
    """A product without derivatives."""
    return lambda g: lambda v: g.forward(np.array(function(*g.back(v))))


@statement
def kuramoto_sivashinsky():
    lengths, end = (32 * PI,), 40.0
    made = lambda g: (g.k2 - g.k2**2, lambda v: -0.5j * g.k[0] * g.forward(g.back(v) ** 2))  # noqa: E731
    data = lambda x: [np.cos(x / 16) * (1 + np.sin((x - 1) / 16))]  # noqa: E731
    text = problem("u_t + u*u_x + u_xx + u_xxxx = 0", lengths, end, "cos(x/16)*(1 + sin((x - 1)/16))")
    return text, Beside(lengths, end, data, made)


@statement
def korteweg_de_vries():
    lengths, end = (2.0,), 0.5
    made = lambda g: (0.000484j * g.k[0] ** 3, lambda v: -0.5j * g.k[0] * g.forward(g.back(v) ** 2))  # noqa: E731
    text = problem("u_t + u*u_x + 0.000484*u_xxx = 0", lengths, end, "cos(pi*x)")
    return text, Beside(lengths, end, lambda x: [np.cos(PI * x)], made)


@statement
def burgers():
    lengths, end = (2 * PI,), 2.0
    made = lambda g: (-0.03 * g.k2, lambda v: -0.5j * g.k[0] * g.forward(g.back(v) ** 2))  # noqa: E731
    text = problem("u_t + u*u_x = 0.03*u_xx", lengths, end, "sin(x) + 0.5*cos(2*x)")
    return text, Beside(lengths, end, lambda x: [np.sin(x) + 0.5 * np.cos(2 * x)], made)


@statement
def allen_cahn():
    lengths, end = (2 * PI,), 60.0
    made = lambda g: (1 - 0.005 * g.k2, lambda v: -g.forward(g.back(v) ** 3))  # noqa: E731
    text = problem(
        "u_t = 0.005*u_xx + u - u**3", lengths, end, "0.4*sin(x) + 0.3*cos(3*x) + 0.2*sin(5*x + 1)"
    )
    data = lambda x: [0.4 * np.sin(x) + 0.3 * np.cos(3 * x) + 0.2 * np.sin(5 * x + 1)]  # noqa: E731
    return text, Beside(lengths, end, data, made)


@statement
def cahn_hilliard():
    lengths, end = (2.0, 2.0), 5.0
    made = lambda g: (0.01 * (g.k2 - 4e-3 * g.k2**2), lambda v: -0.01 * g.k2 * g.forward(g.back(v) ** 3))  # noqa: E731
    first = "0.3*cos(pi*x)*cos(2*pi*y) + 0.2*sin(3*pi*x + pi*y)"
    text = problem("u_t = 0.01*lap(u**3 - u - 0.004*lap(u))", lengths, end, first)
    data = lambda x, y: [0.3 * np.cos(PI * x) * np.cos(2 * PI * y) + 0.2 * np.sin(3 * PI * x + PI * y)]  # noqa: E731
    return text, Beside(lengths, end, data, made)


@statement
def swift_hohenberg():
    lengths, end = (40.0, 40.0), 30.0
    made = lambda g: (0.3 - (1 - g.k2) ** 2, pointwise(lambda u: [1.2 * u**2 - u**3])(g))  # noqa: E731
    q = 2 * PI / 40
    first = f"0.3*cos({3 * q}*x)*cos({5 * q}*y) + 0.2*sin({6 * q}*x - {2 * q}*y) + 0.1*cos({4 * q}*(x + y))"
    text = problem("u_t = -0.7*u - 2*lap(u) - lap(lap(u)) + 1.2*u**2 - u**3", lengths, end, first)

    def data(x, y):
        return [
            0.3 * np.cos(3 * q * x) * np.cos(5 * q * y)
            + 0.2 * np.sin(q * (6 * x - 2 * y))
            + 0.1 * np.cos(4 * q * (x + y))
        ]

    return text, Beside(lengths, end, data, made)


@statement
def schnakenberg():
    lengths, end, q = (30.0, 30.0), 20.0, 2 * PI / 30
    rest = pointwise(lambda u, v: [3 * (0.1 - u + u**2 * v), 3 * (0.9 - u**2 * v)])
    made = lambda g: (-np.array([1.0, 10.0]).reshape(2, 1, 1) * g.k2, rest(g))  # noqa: E731
    first = {
        "u": f"1 + 0.1*cos({q}*x)*sin({2 * q}*y) + 0.05*sin({3 * q}*x + 1)",
        "v": f"0.9 + 0.05*cos({2 * q}*x + {q}*y)",
    }
    text = problem(
        ["u_t = lap(u) + 3*(0.1 - u + u**2*v)", "v_t = 10*lap(v) + 3*(0.9 - u**2*v)"], lengths, end, first
    )

    def data(x, y):
        u = 1 + 0.1 * np.cos(q * x) * np.sin(2 * q * y) + 0.05 * np.sin(3 * q * x + 1)
        return [u, 0.9 + 0.05 * np.cos(2 * q * x + q * y)]

    return text, Beside(lengths, end, data, made)


@statement
def gray_scott():
    lengths, end = (1.5, 1.5), 100.0
    rest = pointwise(lambda u, v: [0.035 - u * v**2, u * v**2])
    made = lambda g: (np.stack([-2e-5 * g.k2 - 0.035, -1e-5 * g.k2 - 0.1]), rest(g))  # noqa: E731
    bump = "exp(6*(cos({0}*(x - 0.7)) + cos({0}*(y - 0.8)) - 2))".format(2 * PI / 1.5)
    text = problem(
        ["u_t = 2e-5*lap(u) + 0.035*(1 - u) - u*v**2", "v_t = 1e-5*lap(v) - 0.1*v + u*v**2"],
        lengths,
        end,
        {"u": f"1 - 0.5*{bump}", "v": f"0.25*{bump}"},
    )

    def data(x, y):
        q = 2 * PI / 1.5
        b = np.exp(6 * (np.cos(q * (x - 0.7)) + np.cos(q * (y - 0.8)) - 2))
        return [1 - 0.5 * b, 0.25 * b]

    return text, Beside(lengths, end, data, made)


@statement
def ginzburg_landau():
    """a + ib as two fields: (1 + i)∇², which the code beside turns into one number by a complex unknown in real and imaginary part."""
    lengths, end, q = (50.0, 50.0), 10.0, 2 * PI / 50

    def made(g):
        def product(v):
            a, b = g.back(v)
            s = a**2 + b**2
            linear = np.stack([v[0], v[1]])
            return g.forward(np.array([-s * (a + 1.3 * b), -s * (b - 1.3 * a)])) + linear

        return np.stack([-g.k2, -g.k2]), product

    first = f"0.4*cos({3 * q}*x)*cos({2 * q}*y) + 0.3*sin({4 * q}*x + {q}*y)"
    second = f"0.3*sin({2 * q}*x - {3 * q}*y)"
    text = problem(
        ["a_t = lap(a) + a - (a**2 + b**2)*(a + 1.3*b)", "b_t = lap(b) + b - (a**2 + b**2)*(b - 1.3*a)"],
        lengths,
        end,
        {"a": first, "b": second},
    )

    def data(x, y):
        a = 0.4 * np.cos(3 * q * x) * np.cos(2 * q * y) + 0.3 * np.sin(4 * q * x + q * y)
        return [a, 0.3 * np.sin(2 * q * x - 3 * q * y)]

    return text, Beside(lengths, end, data, made)


@statement
def zakharov_kuznetsov():
    """Solitary waves of a plasma in the plane: dispersion alone, and nothing that damps."""
    lengths, end, q = (30.0, 20.0), 4.0, 2 * PI / 30
    made = lambda g: (1j * g.k[0] * g.k2, lambda v: -0.5j * g.k[0] * g.forward(g.back(v) ** 2))  # noqa: E731
    first = f"3*exp(4*(cos({q}*(x - 10)) - 1))*(1 + 0.2*cos(pi*y/10))"
    text = problem("u_t + u*u_x + u_xxx + u_xyy = 0", lengths, end, first)
    data = lambda x, y: [3 * np.exp(4 * (np.cos(q * (x - 10)) - 1)) * (1 + 0.2 * np.cos(PI * y / 10))]  # noqa: E731
    return text, Beside(lengths, end, data, made, most=256)


def vorticity(g):
    inverse = np.where(g.k2 > 0, 1 / np.where(g.k2 == 0, 1, g.k2), 0)

    def product(v):
        w = v[0]
        p = w * inverse
        kx, ky = g.k
        return -g.forward(
            g.back(1j * ky * p) * g.back(1j * kx * w) - g.back(1j * kx * p) * g.back(1j * ky * w)
        )[None]

    return product


FLOW = ["w_t + psi_y*w_x - psi_x*w_y = 0.001*lap(w)", "lap(psi) = -w"]


@statement
def shear_layers():
    lengths, end = (2 * PI, 2 * PI), 2.0
    made = lambda g: (-1e-3 * g.k2, vorticity(g))  # noqa: E731
    text = problem(FLOW, lengths, end, {"w": "2*cos(y)*exp(-2*sin(y)**2) + 0.1*cos(2*x)"})
    data = lambda x, y: [2 * np.cos(y) * np.exp(-2 * np.sin(y) ** 2) + 0.1 * np.cos(2 * x)]  # noqa: E731
    return text, Beside(lengths, end, data, made, most=256)


@statement
def random_vorticity():
    lengths, end, rng = (2 * PI, 2 * PI), 0.5, np.random.default_rng(1)
    waves = [(*rng.integers(-6, 7, 2), rng.normal(), rng.uniform(0, 6.28)) for _ in range(40)]
    waves = [(int(a) or 1, int(b), round(c, 4), round(s, 4)) for a, b, c, s in waves]
    made = lambda g: (-1e-3 * g.k2, vorticity(g))  # noqa: E731
    text = problem(
        FLOW, lengths, end, {"w": " + ".join(f"({c})*cos({a}*x + ({b})*y + {s})" for a, b, c, s in waves)}
    )
    data = lambda x, y: [sum(c * np.cos(a * x + b * y + s) for a, b, c, s in waves)]  # noqa: E731
    return text, Beside(lengths, end, data, made, most=256)


@statement
def taylor_green_in_space():
    lengths, end = (2 * PI,) * 3, 0.5

    def made(g):
        inverse = np.where(g.k2 > 0, 1 / np.where(g.k2 == 0, 1, g.k2), 0)

        def product(v):
            u = g.back(v)
            f = np.zeros_like(v)
            for i in range(3):
                for j in range(i, 3):
                    p = g.forward(u[i] * u[j])
                    f[i] -= 1j * g.k[j] * p
                    if i != j:
                        f[j] -= 1j * g.k[i] * p
            div = sum(k * part for k, part in zip(g.k, f, strict=True)) * inverse
            return np.array([part - k * div for k, part in zip(g.k, f, strict=True)])

        return -0.01 * g.k2, product

    rows = [
        f"{a}_t + u*{a}_x + v*{a}_y + w*{a}_z = -p_{x} + 0.01*lap({a})"
        for a, x in zip("uvw", "xyz", strict=True)
    ]
    first = {"u": "sin(x)*cos(y)*cos(z)", "v": "-cos(x)*sin(y)*cos(z)", "w": "0"}
    text = problem([*rows, "u_x + v_y + w_z = 0"], lengths, end, first)

    def data(x, y, z):
        return [np.sin(x) * np.cos(y) * np.cos(z), -np.cos(x) * np.sin(y) * np.cos(z), 0 * x]

    return text, Beside(lengths, end, data, made, most=64)


@statement
def allen_cahn_in_space():
    lengths, end = (2 * PI,) * 3, 3.0
    made = lambda g: (1 - 0.1 * g.k2, lambda v: -g.forward(g.back(v) ** 3))  # noqa: E731
    text = problem("u_t = 0.1*lap(u) + u - u**3", lengths, end, "cos(x)*sin(y)*cos(z) + 0.5*sin(x + y)")
    data = lambda x, y, z: [np.cos(x) * np.sin(y) * np.cos(z) + 0.5 * np.sin(x + y)]  # noqa: E731
    return text, Beside(lengths, end, data, made, most=64)


# Measuring --------------------------------------------------------------------------------------------------


def apart(u, exact):
    """The largest relative L² distance of fields on grids of which one holds the other."""
    n, m = u.shape[-1], exact.shape[-1]
    g = min(n, m)
    cut = lambda v, k: v[(slice(None), *[slice(None, None, k // g)] * (v.ndim - 1))]  # noqa: E731
    a, b = cut(u, n), cut(exact, m)
    return max(
        float(np.linalg.norm(p - q) / max(np.linalg.norm(q), 1e-300))
        for p, q in zip(a, b, strict=True)
        if np.any(q)
    )


def at_error(points, error: float) -> float:
    """The time of a code at an error, from errors and times of some runs: between them by their logarithms, beyond them that of the last one."""
    errors, times = np.log(np.array(sorted(points))).T
    # What meets an error meets a larger one, too.
    return math.exp(np.interp(math.log(max(error, 1e-15)), errors, np.minimum.accumulate(times)))


def measured(name: str, tol: float = 1e-3) -> dict:
    text, beside = STATEMENTS[name]()
    nodes, weights = np.polynomial.legendre.leggauss(STOPS)
    stops = tuple(0.5 * beside.end * (1 + nodes))
    (*inside, exact), _ = march(beside, FINE, {1: 512, 2: 128, 3: 32}[len(beside.lengths)], stops)
    times, errors = np.full(len(TOLS), math.inf), np.zeros(len(TOLS))
    seconds, solution = math.inf, None
    for _ in range(2):  # in turn: a machine that others use, too, is as slow for both
        began = time.process_time()
        solution = lrfm.solve(text, tol=tol, strict=False, max_seconds=300)
        seconds = min(seconds, time.process_time() - began)
        for i, own in enumerate(TOLS):
            (u,), spent = march(beside, own)
            errors[i], times[i] = apart(u, exact), min(times[i], spent)
    points = list(zip(errors.tolist(), times.tolist(), strict=True))
    jets = [j for j in text.value_jets if text.time_orders[j.field] > 0]
    (piece,) = solution.pieces

    def at(t, n):
        places = [length * np.arange(n) / n for length in beside.lengths]
        values = piece.on_grid(jets, places, np.array([t]))
        return np.stack([values[j][0] for j in jets])

    error = apart(at(beside.end, exact.shape[-1]), exact)
    squares = np.zeros((2, len(jets)))
    for t, w, known in zip(stops, weights, inside, strict=True):
        axes = tuple(range(1, known.ndim))
        found = at(t, known.shape[-1])
        squares += w * np.stack([np.mean((found - known) ** 2, axis=axes), np.mean(known**2, axis=axes)])
    whole = float(np.sqrt(np.max(squares[0] / np.maximum(squares[1], 1e-300))))
    other = at_error(points, error)
    return {
        "name": name,
        "tol": tol,
        "error": whole,
        "error_at_end": error,
        "estimate": solution.report.error_estimate,
        "seconds": round(seconds, 3),
        "size": solution.report.engine.size,
        "beside": [[float(f"{e:.2e}"), round(s, 3)] for e, s in points],
        "beside_at_this_error": round(other, 3),
        "ratio": round(seconds / other, 2),
    }


def main(words) -> None:
    import harness

    kept, where = {}, harness.as_installed()
    if RESULT.exists():
        kept = {row["name"]: row for row in map(json.loads, RESULT.read_text(encoding="utf-8").splitlines())}
    for name in STATEMENTS:
        if words and not any(word in name for word in words):
            continue
        row = measured(name) | where
        kept[name] = row
        print(
            f"{name:24} error {row['error']:.1e} at the end {row['error_at_end']:.1e} estimate {row['estimate']:.1e} {row['seconds']:7.2f} s   beside {row['beside_at_this_error']:6.2f} s   ratio {row['ratio']:.1f}",
            flush=True,
        )
        RESULT.write_text("".join(json.dumps(r) + "\n" for r in kept.values()), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
