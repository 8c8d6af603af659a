# SPDX-License-Identifier: MIT
"""Panels of a line on which given functions are polynomials: a rule that integrates them whatever their width.

    [a, b] is halved until  |c_k| <= TOL max|g|,  k = DEGREE - 2 … DEGREE,  of the Chebyshev series of every g on every panel.

A line runs along one coordinate through a point of space and time. Halving alone sees nothing that falls between its first points: panels
begin with an edge at every place that a formula names, which the ends of panels, being points of theirs, then see (`inner_parts`), and, for
functions of the user's and tables, with edges where a scan sees a change. What a scan of SCAN places does not see is not seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from lrfm.problem.algebra import Expr
from lrfm.problem.jets import coordinate_symbols
from lrfm.problem.landmarks import below_end, cost_of, inner_parts
from lrfm.problem.program import Program

DEGREE = 12  # of the polynomials
TOL = 1e-5  # of the largest value of a function
FINEST = 2.0**-36  # width of a panel, relative to the line: a jump has none
MOST = 3000  # panels of a line
FIRST = 8  # equal ones
SAMPLES = 1025  # places of a line on which an inner function is looked at,
HALVINGS = 60  # and cuts of the interval around the least of its values
NAMED = 64  # places that one inner function, or a scan, may name
SCAN = 2**18  # places of a line at which functions of the user's are looked at, where there is one line
CHANGED = 1e-3  # part of its range by which such a function changes from place to place where it is thin

Values = Callable[[np.ndarray], np.ndarray]  # places (n,) to the values of m functions (m, n)


@dataclass(frozen=True)
class Panels:
    """Intervals between edges, in order, and the edges they began with; `complete` says whether every function is a polynomial on every one of them."""

    edges: np.ndarray
    begun: np.ndarray
    complete: bool = True

    def rule(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Gauss points and weights of all panels, (panels, count) each."""
        x, w = np.polynomial.legendre.leggauss(count)
        half, middle = 0.5 * np.diff(self.edges)[:, None], 0.5 * (self.edges[1:] + self.edges[:-1])[:, None]
        return middle + half * x, half * w

    def thin(self, part: float) -> np.ndarray:
        """Which panels are narrower than a part of the line because functions are thin there.

        One that was not halved, between the end of an eighth and a place that was named, is narrow by chance, unless others beside it are thin.
        """
        low, high = self.edges[0], self.edges[-1]
        narrow = np.diff(self.edges) < part * (high - low)
        whole, equal = np.isin(self.edges, self.begun), np.isin(self.edges, _equal(low, high))
        chance = whole[:-1] & whole[1:] & (equal[:-1] | equal[1:])
        thin = narrow & ~chance
        return thin | (narrow & (np.append(thin[1:], False) | np.append(False, thin[:-1])))


def _equal(low: float, high: float) -> np.ndarray:
    """The ends of the panels that a line begins with."""
    return np.linspace(low, high, FIRST + 1)


def resolve(values: Values, low: float, high: float, places: Iterable[float] = ()) -> Panels:
    """Panels of [low, high] on which functions are polynomials, with edges at some places."""
    return resolve_lines(lambda lines, x: values(x), low, high, [places])[0]


def resolve_lines(
    values: Callable[[np.ndarray, np.ndarray], np.ndarray],
    low: float,
    high: float,
    places: Sequence[Iterable[float]],
) -> list[Panels]:
    """The same of several lines with the same ends: lines (n,) and places (n,) to the values of m functions (m, n). All lines are halved together, since formulas cost as much for ten places as for a thousand."""
    begun = [_begun(low, high, own) for own in places]
    nodes, analysis = _chebyshev()
    left, right = (np.concatenate([e[cut] for e in begun]) for cut in (slice(-1), slice(1, None)))
    owner = np.repeat(np.arange(len(begun)), [len(e) - 1 for e in begun])
    count = np.array([len(e) for e in begun])
    done, scale = [(np.repeat(np.arange(len(begun)), count), np.concatenate(begun))], np.zeros((0, 0))
    while len(left):
        middle, half = 0.5 * (left + right), 0.5 * (right - left)
        points = middle[:, None] + half[:, None] * nodes
        points[:, 0], points[:, -1] = left, right  # as they are: a pulse may be no wider than their rounding
        found = values(np.repeat(owner, len(nodes)), points.ravel())
        found = np.where(np.isfinite(found), found, 0.0).reshape(len(found), *points.shape)
        scale = scale if scale.size else np.zeros((len(begun), len(found)))
        np.maximum.at(scale, owner, np.abs(found).max(axis=2, initial=0.0).T)
        tails = np.abs(found @ analysis.T).max(axis=2, initial=0.0)
        rough = np.any(tails > TOL * scale[owner].T, axis=0) & (2 * half > FINEST * (high - low))
        done.append((owner[rough], middle[rough]))
        count += np.bincount(owner[rough], minlength=len(begun))
        rough &= count[owner] <= MOST
        left = np.concatenate([left[rough], middle[rough]])
        right = np.concatenate([middle[rough], right[rough]])
        owner = np.tile(owner[rough], 2)
    lines, edges = (np.concatenate(part) for part in zip(*done, strict=True))
    order = np.lexsort((edges, lines))
    parts = np.split(edges[order], np.cumsum(count)[:-1])
    whole = [
        np.unique(own) if n > MOST else _graded(np.unique(own)) for own, n in zip(parts, count, strict=True)
    ]
    return [Panels(own, e, n <= MOST) for own, e, n in zip(whole, begun, count.tolist(), strict=True)]


def _begun(low: float, high: float, places: Iterable[float]) -> np.ndarray:
    """The edges that a line begins with: equal panels, and places that are named."""
    inside = [p for p in places if low < p < high]
    edges = np.unique(np.concatenate([_equal(low, high), inside]))
    edges = edges[np.append(True, np.diff(edges) > FINEST * (high - low))]
    edges[-1] = high
    return edges


def _graded(edges: np.ndarray) -> np.ndarray:
    """Edges that come closer by halves from both sides to every jump: halving ends at one, and from one side only where it is an edge."""
    length, widths = edges[-1] - edges[0], np.diff(edges)
    jumps = edges[:-1][widths < 4 * FINEST * length]
    jumps = (
        jumps[np.append(True, np.diff(jumps) > 8 * FINEST * length)][: MOST // 50] if len(jumps) else jumps
    )
    steps = length * 2.0 ** -np.arange(5, round(-np.log2(FINEST)))
    more = [jump + sign * steps for jump in jumps for sign in (1, -1)]
    more = np.concatenate([edges, *more])
    return np.unique(more[(more >= edges[0]) & (more <= edges[-1])])


@lru_cache(maxsize=1)
def _chebyshev() -> tuple[np.ndarray, np.ndarray]:
    """Points of a panel in [-1, 1], its ends among them, and the matrix of the last three coefficients of a series."""
    nodes = -np.cos(np.pi * np.arange(DEGREE + 1) / DEGREE)
    return nodes, np.linalg.inv(np.polynomial.chebyshev.chebvander(nodes, DEGREE))[-3:]


def named_places(
    formulas: Iterable[Expr],
    coordinates: Sequence[str],
    through: np.ndarray,
    axis: int,
    low: float,
    high: float,
) -> list[list[float]]:
    """Places of the lines along one coordinate through points (lines, axes + 1) at which parts of formulas have a top, a pole or a zero."""
    found: list[list[float]] = [[] for _ in through]
    symbols = coordinate_symbols(coordinates)
    for inner, wanted in inner_parts(formulas, set(coordinates)):
        program = _compiled(inner)

        def cost(
            lines: np.ndarray, x: np.ndarray, program: Program = program, wanted: str = wanted
        ) -> np.ndarray:
            known = dict(zip(symbols, through[lines].T, strict=True)) | {symbols[axis]: x}
            value = np.asarray(program(known)[0], dtype=float)
            return cost_of(np.broadcast_to(value, x.shape), wanted)

        for line, place in zip(*least(cost, len(through), np.linspace(low, high, SAMPLES)), strict=True):
            found[line].append(float(place))
    return found


@lru_cache(maxsize=256)
def _compiled(inner: Expr) -> Program:
    return Program([inner])


def least(
    cost: Callable[[np.ndarray, np.ndarray], np.ndarray], count: int, x: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Lines and places inside of the local minima of a function on some lines, from samples by golden section; the lowest of a line, if many."""
    c = cost(np.repeat(np.arange(count), len(x)), np.tile(x, count)).reshape(count, len(x))
    lines, middle = lowest(c)
    places = closer(cost, lines, *beside(x, middle))
    at_end = (middle == 0) | (middle == len(x) - 1)
    next_ = c[lines, np.clip(middle, 1, len(x) - 2)]
    inside = ~at_end | below_end(cost(lines, places) if len(lines) else places, c[lines, middle], next_)
    return lines[inside], places[inside]


def lowest(c: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Lines and numbers of the samples (lines, samples) that are below their neighbors, an end with one neighbor among them, since the least may be between the two; the lowest of a line, if many."""
    padded = np.pad(c, ((0, 0), (1, 1)), constant_values=np.inf)
    below = np.where((c < padded[:, :-2]) & (c <= padded[:, 2:]), c, np.inf)
    order = np.argsort(below, axis=1, kind="stable")[:, :NAMED]
    lines, number = np.nonzero(np.isfinite(np.take_along_axis(below, order, axis=1)))
    return lines, order[lines, number]


def beside(x: np.ndarray, middle: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The samples around some of a line, which ends at its ends."""
    return x[np.maximum(middle - 1, 0)], x[np.minimum(middle + 1, len(x) - 1)]


def closer(
    cost: Callable[[np.ndarray, np.ndarray], np.ndarray], lines: np.ndarray, a: np.ndarray, b: np.ndarray
) -> np.ndarray:
    """Where a function is least between two places of each line, by golden section."""
    part = 0.5 * (np.sqrt(5.0) - 1)
    p, q = b - part * (b - a), a + part * (b - a)
    at_p, at_q = (cost(lines, s) if len(lines) else s for s in (p, q))
    for _ in range(HALVINGS if len(lines) else 0):
        lower = at_p <= at_q
        a, b = np.where(lower, a, p), np.where(lower, q, b)
        new = np.where(lower, b - part * (b - a), a + part * (b - a))
        at = cost(lines, new)
        p, q = np.where(lower, new, q), np.where(lower, p, new)
        at_p, at_q = np.where(lower, at, at_q), np.where(lower, at_p, at)
    return 0.5 * (a + b)


def changed_places(values: Values, low: float, high: float, count: int = SCAN) -> list[float]:
    """Places of a line between which functions change fast, from a scan; the fastest, where there are many."""
    x = low + (high - low) * (np.arange(count) + 0.5) / count
    found: list[float] = []
    for v in values(x):
        v = np.where(np.isfinite(v), v, 0.0)
        steps = np.abs(np.diff(v))
        rough = np.flatnonzero(steps > CHANGED * max(float(np.ptp(v)), 1e-300))
        if len(rough):
            # One place for each cluster of changes: the middle of the fastest, and its ends.
            groups = np.split(rough, np.flatnonzero(np.diff(rough) > 2) + 1)
            groups.sort(key=lambda g: -float(steps[g].max()))
            for g in groups[:NAMED]:
                best = g[int(np.argmax(steps[g]))]
                found += [float(x[best]), float(x[best + 1]), float(x[g[0]]), float(x[g[-1] + 1])]
    return found
