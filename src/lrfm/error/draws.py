# SPDX-License-Identifier: MIT
"""‖u₁ − u₂‖ / ‖u₁‖ for independent features and points: the size of the error, as far as the two do not share it.

The difference of two draws lay between 0.4 and 6 times the error in trial runs; SAFETY times it is reported.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lrfm.error.marks import followed, in_order, marks
from lrfm.error.sizes import NOTHING, jets_of, measured, measured_along, sizes_over, unjudged
from lrfm.linalg.deadline import check_deadline
from lrfm.problem import Jet, Problem
from lrfm.problem.shapes.gauss import legendre
from lrfm.rows.pieces import OnCells, OnModes, Piece, carried_along, grid_values, on_grids, travels, values_at

SAFETY = 3.0
ENOUGH = 4000  # points of an integration
INSTANTS = 24  # times of a profile, closer together towards the start
LATE, EVEN = np.append(0.0, np.geomspace(1e-4, 1.0, INSTANTS)), np.linspace(0.0, 1.0, INSTANTS + 1)
# Along one axis a grid of random places and times costs less than a tenth of as many scattered points.
ALONG, LEAST_ALONG = 500, 200  # places,
OF_A_CELL = 16  # Gauss points of each cell, where there are not too many cells: exact for squares of polynomials of degree 15
MOMENTS, LEAST_MOMENTS = 96, 12  # and times, of an integration and of each of its windows at least,
OF_A_STEP, MOST_MOMENTS = 6, 600  # of each step, as long as they are not too many
# The same for series along two and three axes, whose sums over modes are products per axis on a grid, and on scattered points are not.
EACH = {2: 40, 3: 20}  # places along each axis,
OF_A_LONG_STEP, MOST_OF_THEM = 1, 200  # and times

Jets = dict[Jet, np.ndarray]


@dataclass(frozen=True)
class Differences:
    """Mean squares of u₁ − u₂ and of what it is measured by, and relative differences, by unknown.

    `profile` is a list of (t, relative L² difference from t to the end, the worst unknown), `early` one of the differences from the start to t, at times that are equally
    far apart; `unjudged` are unknowns that are taken for zero, and measured by the largest one.
    """

    squares: dict[str, float]
    sizes: dict[str, float]
    l2: dict[str, float]
    linf: dict[str, float]
    profile: tuple[tuple[float, float], ...]
    unjudged: tuple[str, ...] = ()
    early: tuple[tuple[float, float], ...] = ()

    @property
    def worst(self) -> str:
        """The unknown with the largest relative difference."""
        return max(self.l2, key=lambda name: self.l2[name])


def differences(
    problem: Problem,
    first: Sequence[Piece],
    second: Sequence[Piece],
    rng: np.random.Generator,
    count: int = ENOUGH,
    nothing: float = NOTHING,
) -> Differences:
    """‖u₁ − u₂‖ / ‖u₁‖ in L² and in L∞ at random points of space and time that follow the data; `nothing` may be rounding."""
    start, end = first[0].window[0], first[-1].window[1]
    late, even = (start + (end - start) * part for part in (LATE, EVEN))
    edges = np.unique([*late, *even])
    some = len(edges) - 1
    bins = {name: np.zeros((2, some)) for name in problem.unknowns}
    largest = {name: np.zeros(2) for name in problem.unknowns}
    still = not travels(first)
    pieces = (*first, *second)
    series = problem.domain.dimension in EACH and all(isinstance(p, OnModes) for p in pieces)
    gridded = problem.domain.is_box and (problem.domain.dimension == 1 or series) and still
    compare = _on_grid if gridded and on_grids(pieces) else _scattered
    for piece in first:
        check_deadline()
        t0, t1 = piece.window
        times, within, along, u, v = compare(problem, piece, second, count / len(first), rng)
        within = (t1 - t0) * within / (within.sum() * along.sum())
        owner = np.clip(np.searchsorted(edges, times, side="right") - 1, 0, some - 1)
        for name in problem.unknowns:
            jets = jets_of(problem, name, u)
            gap, size = _squares([u[j] - v[j] for j in jets]), _squares([u[j] for j in jets])
            for k, values in enumerate((gap, size)):
                bins[name][k] += np.bincount(owner, weights=within * (values @ along), minlength=some)
            largest[name] = np.maximum(largest[name], [np.max(gap), np.max(size)])
    whole = {name: found.sum(axis=1) / (end - start) for name, found in bins.items()}
    l2, sizes = _relative(problem, whole, nothing)
    linf, _ = _relative(problem, largest, nothing, max)
    whole_time = np.stack([bins[name] for name in problem.unknowns])  # (unknowns, 2, parts)
    after = np.cumsum(whole_time[:, :, ::-1], axis=2)[:, :, ::-1]
    before = np.cumsum(whole_time, axis=2)
    profile = zip(
        late[:-1], _worst(problem, after[:, :, np.searchsorted(edges, late[:-1])], nothing), strict=True
    )
    early = zip(
        even[1:], _worst(problem, before[:, :, np.searchsorted(edges, even[1:]) - 1], nothing), strict=True
    )
    squares = {name: float(gap) for name, (gap, _) in whole.items()}
    # What is exactly zero in both draws is zero: there is nothing to be said of it.
    left = unjudged(problem, {name: size for name, (_, size) in whole.items()}, squares, nothing)
    left = tuple(name for name in left if squares[name] > 0)
    later, sooner = (tuple((float(t), float(gap)) for t, gap in pairs) for pairs in (profile, early))
    return Differences(squares, sizes, l2, linf, later, left, sooner)


def _squares(parts: Sequence[np.ndarray]) -> np.ndarray:
    """Σ f² of the parts of an unknown."""
    total = parts[0] * parts[0]
    for part in parts[1:]:
        total += part * part
    return total


def _relative(
    problem: Problem,
    found: Mapping[str, np.ndarray],
    nothing: float,
    joined: Callable[[Iterable[float]], float] = sum,
) -> tuple[dict[str, float], dict[str, float]]:
    """√(gap/size) by unknown from pairs of squares, and what was taken for the size."""
    gaps, own = ({name: float(pair[i]) for name, pair in found.items()} for i in (0, 1))
    sizes = measured(problem, own, gaps, nothing, joined)
    return {name: math.sqrt(gap / sizes[name]) for name, gap in gaps.items()}, sizes


def _worst(problem: Problem, found: np.ndarray, nothing: float) -> np.ndarray:
    """√(gap/size) of the worst unknown in each part of the time, from pairs of squares (unknowns, 2, parts)."""
    gaps, own = found[:, 0], found[:, 1]
    return np.sqrt(np.max(gaps / measured_along(problem, own, gaps, nothing), axis=0))


def _scattered(
    problem: Problem, piece: Piece, second: Sequence[Piece], count: float, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray, Jets, Jets]:
    """Times and weights of random points of a window, and both draws there: one place at each time, (times, 1)."""
    some = min(max(200, int(count)), max(64, int(3 * count)))
    points, weights = followed(problem, piece.window, some, rng)
    # At a corner with r^α cells of any size h miss h^α, on an area that no random point meets: it has no weight in L², and all of it in the maximum.
    tips = _tips(problem, piece.window, some, rng)
    points, weights = np.vstack([points, tips]), np.append(weights, np.zeros(len(tips)))
    points, jets = carried_along([piece], points), problem.value_jets
    u, v = piece.values(jets, points), values_at(second, jets, points)
    # Both miss it with one sign, and a comparison half as much or less: 2v − u is v without it (Richardson 1911).
    v = {jet: values + np.where(weights > 0, 0.0, values - u[jet]) for jet, values in v.items()}
    u, v = ({jet: values[:, None] for jet, values in found.items()} for found in (u, v))
    return points[:, -1], weights, np.ones(1), u, v


def _tips(problem: Problem, window: tuple[float, float], count: int, rng: np.random.Generator) -> np.ndarray:
    """Random points towards corners of more than 90° of the plane, where u may be like r^α with α < 1: (x, y, t), with log r down to rounding, the angle and t equally distributed.

    Not the corners alone: at which distance, and in which direction, a cell is worst depends on how boxes lie around them.
    """
    domain = problem.domain
    wide = [c for c in domain.corners if c.angle > 0.5 * np.pi and not math.isclose(c.angle, 0.5 * np.pi)]
    if not wide:
        return np.zeros((0, domain.dimension + 1))
    own = rng.integers(len(wide), size=count)
    points, angles, starts = (np.array([c[i] for c in wide], dtype=float)[own] for i in (0, 1, 3))
    digits, along, times = rng.uniform(size=(3, count))
    r = np.max(domain.upper - domain.lower) * np.finfo(float).eps ** digits
    theta = starts + angles * along
    found = points + (r * np.array([np.cos(theta), np.sin(theta)])).T
    return np.column_stack([found, window[0] + (window[1] - window[0]) * times])[domain.contains(found)]


def _on_grid(
    problem: Problem, piece: Any, second: Sequence[Any], count: float, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray, Jets, Jets]:
    """The same on a grid of random places of each axis and random times: their weights, and values (times, places)."""
    axes, (*near, early) = list(problem.domain.axes.values()), marks(problem)
    each = EACH.get(len(axes), int(min(max(LEAST_ALONG, count), ALONG)))
    spreads = [in_order(*ends, m, each, rng) for ends, m in zip(axes, near, strict=True)]
    if len(axes) == 1:
        spreads = [_places_of_cells([piece, *second], *axes[0]) or spreads[0]]
    places, along = zip(*spreads, strict=True)
    moments = int(max(LEAST_MOMENTS, MOMENTS * min(1.0, count / ENOUGH)))
    of_a_step, most = (OF_A_STEP, MOST_MOMENTS) if len(axes) == 1 else (OF_A_LONG_STEP, MOST_OF_THEM)
    (start, end) = piece.window
    # An error in time lies where steps are short, at a layer or a kink of the data, and is missed by few times that are spread over all of them.
    ends = _step_ends([piece, *second])
    moments = max(moments, min(of_a_step * int(np.sum((ends > start) & (ends < end))), most))
    times, within = _times_of_steps(start, end, ends, moments) or in_order(
        start, end, early, moments, rng, ends
    )
    weights = along[0]
    for own in along[1:]:
        weights = np.outer(weights, own).ravel()
    both = (grid_values(p, problem.value_jets, places, times) for p in ([piece], second))
    u, v = ({jet: values.reshape(len(times), -1) for jet, values in found.items()} for found in both)
    return times, within, weights, u, v


def _times_of_steps(
    start: float, end: float, ends: np.ndarray, most: int
) -> tuple[np.ndarray, np.ndarray] | None:
    """Gauss' rule between the ends of all steps, on which both solutions are polynomials in time; None where there are more of these than times.

    Random times had a third of the difference where one step in an initial layer held most of it.
    """
    inside = ends[(ends > start) & (ends < end)]
    edges = np.unique(np.concatenate([np.linspace(start, end, LEAST_MOMENTS + 1), inside]))
    nodes = min(most // (len(edges) - 1), OF_A_STEP)
    if not len(inside) or nodes < 2:
        return None
    return _gauss(edges, nodes)


def _places_of_cells(pieces: Sequence[Any], low: float, high: float) -> tuple[np.ndarray, np.ndarray] | None:
    """Gauss' rule between the edges of the cells of all steps, where both solutions are polynomials of x; None where they are not, or where there are more of these than places.

    Random places had a quarter to a half of the difference where narrow initial data hold most of it.
    """
    if not all(isinstance(piece, OnCells) for piece in pieces):
        return None
    ends = _step_ends(pieces)
    times = [
        np.append(piece.window[0], ends[(ends > piece.window[0]) & (ends < piece.window[1])])
        for piece in pieces
    ]
    found = [piece.cells_at(float(t)) for piece, own in zip(pieces, times, strict=True) for t in own]
    edges = np.unique(np.concatenate([np.array([low, high]), *found]))
    edges = edges[(edges >= low) & (edges <= high)]
    nodes = min(ALONG // (len(edges) - 1), OF_A_CELL)
    return _gauss(edges, nodes) if nodes >= 2 else None


def _gauss(edges: np.ndarray, nodes: int) -> tuple[np.ndarray, np.ndarray]:
    """Places and weights of Gauss' rule, so many between each two edges."""
    x, w = legendre(nodes)
    lengths = np.diff(edges)[:, None]
    return (edges[:-1, None] + 0.5 * lengths * (1 + x)).ravel(), (0.5 * lengths * w).ravel()


def _step_ends(pieces: Sequence[Any]) -> np.ndarray:
    """The ends of the steps of some pieces, as far as they have any."""
    return np.concatenate([np.zeros(0), *(np.asarray(getattr(piece, "edges", ())) for piece in pieces)])


def difference(
    problem: Problem,
    first: Sequence[Piece],
    second: Sequence[Piece],
    rng: np.random.Generator,
    count: int = ENOUGH,
) -> tuple[float, float]:
    """‖u₁ − u₂‖ / ‖u₁‖ in L² and in L∞, the worst over unknowns, at random points of space and time."""
    found = differences(problem, first, second, rng, count)
    return max(found.l2.values()), max(found.linf.values())


def amplified(
    problem: Problem,
    first: Sequence[Piece],
    second: Sequence[Piece],
    growth: Sequence[float],
    rng: np.random.Generator,
) -> float:
    """‖u₁ − u₂‖ of the first window times the mean over windows b of Π_{c<b} ρ_c, relative to ‖u‖ of the integration.

    Two draws show what has grown by the end; this is what may have grown, had the worst direction been met at once.
    """
    gap, _ = difference(problem, first[:1], second[:1], rng)
    with np.errstate(over="ignore"):
        factors = np.cumprod([1.0, *growth[:-1]])
    early, whole = sizes_over(problem, first[:1], rng), sizes_over(problem, first, rng)
    ratio = max(math.sqrt(early[name] / whole[name]) for name in problem.unknowns)
    return float(gap * ratio * np.mean(factors))
