# SPDX-License-Identifier: MIT
"""Where a formula may have what is thin: read off the formula instead of searched for by samples.

    exp(g)                          where g is largest: the top of a pulse, however narrow
    g^(−p), p > 0                   where |g| is least: a pole, or the top of a bell
    g^p, p ≥ 8 a whole number       where |g| is largest: powers of a wave are pulses, too
    |g|, sign g, tanh g, erf g, …   where g = 0: a kink, a jump, a layer; where(g > 0, a, b) alike

The inner g is broad where the function itself is thin, so that a few samples and a search from the best of them find the place.

Coefficients and sources that grow without bound inside the domain, such as tan(3x) at x = π/6, are found by looking closer: |c(x)| is largest there, and larger the closer one looks.
A domain is split there by what is stated, whatever was meant: characteristics end, counts of conditions mean nothing. Poles on a face, as 1/r has one at r = 0, are left alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from lrfm.problem.algebra import Call, Expr, Number, Power, Symbol, postorder, symbols_in
from lrfm.problem.delays import DelayedSymbol
from lrfm.problem.equation import Row
from lrfm.problem.jets import JetSymbol, coordinate_symbols
from lrfm.problem.program import Program

if TYPE_CHECKING:
    from lrfm.problem.problem import Problem

SAMPLES = 1024
STARTS = 4  # from which a search goes out
HALVINGS = 44
ALONG = 4096  # intervals of a scan along one coordinate,
PLACES = 24  # places that are kept of one part,
BISECTIONS = 60  # and how often the interval around one of them is made smaller
NOISE = 16 * float(np.finfo(float).eps)  # of a value, relative to those around it
MOST = 24  # parts of a formula that are looked at
STEEP = frozenset({"tanh", "erf", "atan", "sign", "absolute", "sech", "angle", "log", "choice"})
HIGH = 8  # whole powers from which on what is broad becomes thin
# What is looked for of an inner function: its maximum, the minimum of its modulus, the maximum of that.
TOP, ZERO, SIZE = "top", "zero", "size"


def landmarks(
    formulas: Iterable[Expr],
    coordinates: Sequence[str],
    lower: np.ndarray,
    upper: np.ndarray,
    together: bool = False,
) -> np.ndarray:
    """Points (n, coordinates) between two corners at which parts of formulas have a top, a pole or a zero.

    With `together` only parts are looked at that depend on all of the coordinates.
    """
    found: list[np.ndarray] = []
    names, corners = tuple(coordinates), (tuple(map(float, lower)), tuple(map(float, upper)))
    for inner, wanted in inner_parts(formulas, set(names)):
        if together and {s.name for s in symbols_in(inner)} != set(names):
            continue
        found.append(_search(inner, wanted, names, *corners))
        if len(found) == MOST:
            break
    if not found:
        return np.zeros((0, len(coordinates)))
    points = np.vstack(found)
    return points[np.unique(np.round((points - lower) / (upper - lower), 9), axis=0, return_index=True)[1]]


def along(formulas: Iterable[Expr], name: str, low: float, high: float) -> np.ndarray:
    """All places of one coordinate at which parts that depend on it alone have a top, a pole or a zero, as far as a scan tells them apart."""
    found: list[np.ndarray] = []
    for inner, wanted in inner_parts(formulas, {name}):
        found += _along(inner, wanted, name, float(low), float(high))
        if len(found) >= MOST:
            break
    return np.unique(np.concatenate(found)) if found else np.zeros(0)


@lru_cache(maxsize=256)
def _along(inner: Expr, wanted: str, name: str, low: float, high: float) -> tuple[np.ndarray, ...]:
    """Tops, poles or zeros of one part; the same part is scanned once."""
    value, grid = _scanned(inner, name, low, high)
    with np.errstate(all="ignore"):
        if wanted == TOP:
            return tuple(_tops(value, grid))
        if wanted == SIZE:
            return tuple(_tops(lambda x: np.abs(value(x)), grid))
        return (*_zeros(value, grid), *_tops(lambda x: -np.abs(value(x)), grid))


def zeros(inner: Expr, name: str, low: float, high: float) -> list[float]:
    """Places of one coordinate at which a formula of it changes its sign; those of `along` to the last bit."""
    with np.errstate(all="ignore"):
        return [float(x) for found in _zeros(*_scanned(inner, name, low, high)) for x in found]


def _scanned(
    inner: Expr, name: str, low: float, high: float
) -> tuple[Callable[[np.ndarray], np.ndarray], np.ndarray]:
    """A formula of one coordinate as a function, and the grid on which it is scanned."""
    program, symbol = Program([inner]), coordinate_symbols((name,))[0]

    def value(x: np.ndarray) -> np.ndarray:
        return np.broadcast_to(np.asarray(program({symbol: x})[0], dtype=float), x.shape)

    return value, low + (high - low) * np.linspace(0.0, 1.0, ALONG + 1)


def _zeros(value: Callable[[np.ndarray], np.ndarray], grid: np.ndarray) -> list[np.ndarray]:
    """Where g changes its sign, by bisection."""
    signs = np.sign(value(grid))
    at = np.flatnonzero((signs[:-1] * signs[1:] <= 0) & (signs[:-1] != 0))[:PLACES]
    low, high, first = grid[at], grid[at + 1], signs[at]
    for _ in range(BISECTIONS if len(at) else 0):
        middle = 0.5 * (low + high)
        left = np.sign(value(middle)) == first
        low, high = np.where(left, middle, low), np.where(left, high, middle)
    return [low] if len(at) else []


def _tops(value: Callable[[np.ndarray], np.ndarray], grid: np.ndarray) -> list[np.ndarray]:
    """Inner places at which g is larger than around them, by a search that closes in from both sides.

    Between the last sample and the one before it there may be one, too: an end that is above its neighbor is looked at, and is none if nothing beside it is larger by more than rounding.
    """
    g = value(grid)
    before, after = np.append(-np.inf, g[:-1]), np.append(g[1:], -np.inf)
    at = np.flatnonzero((g >= before) & (g >= after) & (g > np.minimum(before, after)))
    at = at[np.argsort(-g[at], kind="stable")][:PLACES]
    low, high = grid[np.maximum(at - 1, 0)], grid[np.minimum(at + 1, len(grid) - 1)]
    for _ in range(BISECTIONS if len(at) else 0):
        a, b = low + (high - low) / 3, high - (high - low) / 3
        left, right = value(np.concatenate([a, b])).reshape(2, -1)
        right = left < right
        low, high = np.where(right, a, low), np.where(right, high, b)
    places = 0.5 * (low + high)
    at_end = (at == 0) | (at == len(g) - 1)
    inside = ~at_end | below_end(-value(places), -g[at], -g[np.clip(at, 1, len(g) - 2)])
    return [places[inside]] if inside.any() else []


def below_end(found: np.ndarray, end: np.ndarray, beside: np.ndarray) -> np.ndarray:
    """Whether values found between an end and the sample beside it are below that at the end by more than rounding."""
    noise = NOISE * np.maximum(np.abs(end), np.where(np.isfinite(beside), np.abs(beside), 0.0))
    return found < end - noise


def inner_parts(formulas: Iterable[Expr], known: set[str]) -> list[tuple[Expr, str]]:
    """Inner functions of coordinates alone, and what is looked for of them: TOP, ZERO or SIZE."""
    return list({part[:2]: None for part in _thin(formulas) if _known(part[0], known)})


def inner_of_unknowns(formulas: Iterable[Expr]) -> list[tuple[Expr, str, str]]:
    """Inner functions of unknowns, in the past, too, what is looked for of them, and the name of the function that they stand in."""
    unknown = JetSymbol, DelayedSymbol
    found = {p: None for p in _thin(formulas) if any(isinstance(s, unknown) for s in symbols_in(p[0]))}
    return list(found)[:MOST]


def _thin(formulas: Iterable[Expr]) -> Iterator[tuple[Expr, str, str]]:
    """Inner functions of all parts of formulas that may be thin, what is looked for of them, and the name of the outer one."""
    for node in postorder(*formulas):
        if isinstance(node, Call) and node.function.name == "exp":
            yield node.args[0], TOP, "exp"
        elif isinstance(node, Call) and node.function.name in STEEP:
            yield node.args[0], ZERO, node.function.name
        elif isinstance(node, Power) and isinstance(node.exponent, Number):
            exponent = float(node.exponent)
            if exponent < 0 or exponent != round(exponent):
                yield node.base, ZERO, "power"
            elif exponent >= HIGH:
                yield node.base, SIZE, "power"


def _known(inner: Expr, names: set[str]) -> bool:
    """Whether a formula depends on some coordinates, and on nothing else."""
    symbols = symbols_in(inner)
    return bool(symbols) and all(type(s) is Symbol and s.name in names for s in symbols)


@lru_cache(maxsize=256)
def _search(
    inner: Expr,
    wanted: str,
    coordinates: tuple[str, ...],
    lower_corner: tuple[float, ...],
    upper_corner: tuple[float, ...],
) -> np.ndarray:
    """The best points found from a scatter of samples by a search along the axes with halved steps; the same part is searched once."""
    lower, upper = np.array(lower_corner), np.array(upper_corner)
    program, span = Program([inner]), upper - lower
    symbols = coordinate_symbols(coordinates)

    def cost(points: np.ndarray) -> np.ndarray:
        value = program(dict(zip(symbols, points.T, strict=True)))[0]
        value = np.broadcast_to(np.asarray(value, dtype=float), (len(points),))
        return cost_of(value, wanted)

    unit = _spread(SAMPLES, len(lower))
    values = cost(lower + span * unit)
    best = _apart(unit, values)
    least = cost(lower + span * best)
    step = 2.0 / SAMPLES ** (1.0 / len(lower))
    moves = np.concatenate([np.zeros((1, len(lower))), np.eye(len(lower)), -np.eye(len(lower))])
    for _ in range(HALVINGS):
        tried = np.clip(best[:, None] + step * moves, 0.0, 1.0)
        costs = cost(lower + span * tried.reshape(-1, len(lower))).reshape(len(best), -1)
        chosen = np.argmin(costs, axis=1)
        best, least = tried[np.arange(len(best)), chosen], costs[np.arange(len(best)), chosen]
        step *= 0.65
    good = least <= np.min(least) + 1e-6 * (np.ptp(values[np.isfinite(values)]) if len(values) else 0.0)
    return lower + span * (best if wanted == ZERO else best[good | (least < np.quantile(values, 0.01))])


def cost_of(value: np.ndarray, wanted: str) -> np.ndarray:
    """What is least where an inner function has what is looked for; infinite where it is none."""
    with np.errstate(invalid="ignore"):
        found = -value if wanted == TOP else np.abs(value) if wanted == ZERO else -np.abs(value)
    return np.where(np.isfinite(found), found, np.inf)


def _spread(count: int, dimension: int) -> np.ndarray:
    """Points spread evenly over the unit cube: multiples of irrational numbers."""
    golden = 2.0
    for _ in range(30):
        golden = (1.0 + golden) ** (1.0 / (dimension + 1))
    alpha = golden ** -np.arange(1.0, dimension + 1)
    return np.mod(0.5 + np.outer(np.arange(1, count + 1), alpha), 1.0)


def _apart(unit: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The best samples that are not neighbors of better ones."""
    chosen: list[np.ndarray] = []
    for i in np.argsort(values, kind="stable")[: 40 * STARTS]:
        if all(np.max(np.abs(unit[i] - c)) > 0.06 for c in chosen):
            chosen.append(unit[i])
        if len(chosen) == STARTS:
            break
    return np.array(chosen)


MOST_AXES = 3
SCAN = 400  # places along an axis
TALLEST = 3  # of which so many are looked at closely,
CLOSER, ROUNDS = 5, 12  # with so many times closer places, so often
TALL, GROWS = (
    1e6,
    1e3,
)  # what a pole is at last, relative to the mean, and to half of the rounds before: 5⁶ = 15625 where it is one of first order
INSIDE = 1e-6  # part of an axis between a face and what is inside


def poles(problem: Problem) -> list[tuple[str, str, float]]:
    """Label of an equation, axis and place of each pole of what is given in it, the first one of each axis."""
    return _poles(problem.alike or problem)


@lru_cache(maxsize=16)
def _poles(problem: Problem) -> list[tuple[str, str, float]]:
    """The same, found once for statements that are given the same functions."""
    box, found = problem.domain, []
    if not box.is_box or box.dimension > MOST_AXES:
        return []
    middle = np.append(
        box.lower + 0.618 * (box.upper - box.lower), problem.time[0] + 0.618 * np.ptp(problem.time)
    )
    for row in problem.rows:
        for axis, name in enumerate(box.names):
            place = next(
                _poles_along(row, middle, axis, float(box.lower[axis]), float(box.upper[axis])), None
            )
            if place is not None:
                found.append((row.label, name, place))
    return found


def warnings_of_poles(problem: Problem) -> list[str]:
    """A warning for each of them."""
    return [
        f"{label}: a coefficient or source in it grows without bound at {name}={place:.6g}, inside the domain. What is solved on either side of it does not "
        "belong together; end the domain before it, or write what is meant without the pole."
        for label, name, place in poles(problem)
    ]


def _poles_along(row: Row, middle: np.ndarray, axis: int, low: float, high: float) -> Iterator[float]:
    """Poles of what is given in a row, along a line through the domain."""

    def sizes(x: np.ndarray) -> list[np.ndarray]:
        points = np.repeat(middle[None], len(x), axis=0)
        points[:, axis] = x
        with np.errstate(all="ignore"):
            return [np.nan_to_num(np.abs(v), nan=0.0, posinf=1e300) for v in row.given(points)]

    x = low + (high - low) * (np.arange(SCAN) + 0.5) / SCAN
    for number, values in enumerate(sizes(x)):
        mean = float(np.median(values))
        if np.ptp(values) == 0.0 or mean == 0.0:
            continue
        inner = (values[1:-1] >= values[:-2]) & (values[1:-1] >= values[2:])
        tops = np.flatnonzero(inner) + 1
        tops = tops[np.argsort(-values[tops])][:TALLEST]
        place, width, heights = x[tops], (high - low) / SCAN, [values[tops]]
        for _ in range(ROUNDS if len(tops) else 0):
            near = np.clip(place[:, None] + width * np.linspace(-1, 1, 2 * CLOSER + 1), low, high)
            found = sizes(near.ravel())[number].reshape(near.shape)
            place, width = near[np.arange(len(tops)), np.argmax(found, axis=1)], width / CLOSER
            heights.append(found.max(axis=1))
        tall = heights[-1] > np.maximum(TALL * mean, GROWS * heights[ROUNDS // 2 if len(tops) else 0])
        away = INSIDE * (high - low)
        yield from place[tall & (low + away < place) & (place < high - away)].tolist()
