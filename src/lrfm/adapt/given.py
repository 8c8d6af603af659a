# SPDX-License-Identifier: MIT
"""What a statement is given: initial data, sources, coefficients, data of conditions; as functions of x and t, with their singular points.

Places at which formulas have a top, a pole, a jump or a kink are read off the formulas (`lrfm.problem.landmarks`), whatever their width. Functions and tables
are scanned. Both become edges of cells, or times at which a step ends.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache

import numpy as np

from lrfm.discretize.evolution import Condition, EvolutionSystem, sides
from lrfm.discretize.options import ROUNDING, SAFEGUARDS, SCAN, SCANS
from lrfm.linalg.deadline import check_deadline
from lrfm.problem import Problem, Row
from lrfm.problem.algebra import Expr, Symbol, number, symbols_in
from lrfm.problem.data import Datum
from lrfm.problem.expression import substituted
from lrfm.problem.jets import GivenSymbol
from lrfm.problem.landmarks import along, landmarks
from lrfm.problem.shapes.protocol import is_layered
from lrfm.spaces.cells.reference import nodes, table


class Given:
    """Initial data and given functions of a statement in one dimension."""

    def __init__(self, system: EvolutionSystem):
        self.system = system
        self.box, (self.start, self.end) = system.problem.domain, system.problem.time
        self.data: list[tuple[int, Datum, str]] = []
        for c, (field, level) in enumerate(system.components):
            key = field.partition(".")[0], level
            datum = system.problem.initial_data.get(key) or system.problem.guesses.get(key)
            if datum is not None:
                self.data.append((c, datum, field))

    def initial(self, x: np.ndarray) -> np.ndarray:
        """All components at the start, zero for what has no data: (components, places)."""
        points = np.column_stack([x, np.full(len(x), self.start)])
        values = np.zeros((len(self.system.components), len(x)))
        for c, datum, field in self.data:
            values[c] = datum.part(points, field)
        return values

    @cached_property
    def _rows(self) -> list[Row]:
        """Equations that hold on all of the interval."""
        flat = self.system.flat
        return [
            row
            for field, row in zip(self.system.fields, self.system.equations, strict=True)
            if self.system.first[field] not in flat
        ]

    @cached_property
    def _varying(self) -> list[Row]:
        """Equations with something given that depends on x."""
        return [row for row in self._rows if _depends(row, self.box.names[0])]

    @property
    def varies(self) -> bool:
        """Whether something given depends on x."""
        return bool(self._varying)

    @cached_property
    def moving(self) -> bool:
        """Whether something given depends on x and changes in time."""
        return any(row.time_dependent for row in self._varying)

    def functions(self, x: np.ndarray, time: float, only_moving: bool = False) -> np.ndarray:
        """Sources, coefficients and other given parts of the equations that are no numbers: (functions, places)."""
        points = np.column_stack([x, np.full(len(x), time)])
        rows = [row for row in self._varying if row.time_dependent or not only_moving]
        values = [v for row in rows for v in row.given(points) if any(v.strides)]
        values = [np.where(np.isfinite(v), v, 0.0) for v in values]
        return np.array(values) if values else np.zeros((0, len(x)))

    # Singular points ----------------------------------------------------------------------------------------

    @cached_property
    def _inside(self) -> list[Expr]:
        """Formulas of the equations."""
        return [row.expression for row in self.system.problem.rows]

    @cached_property
    def _at_start(self) -> list[Expr]:
        """Formulas of the initial data."""
        data = self.system.problem.initial_data.values()
        return [part for datum in data for part in datum.value or ()]

    @cached_property
    def _at_ends(self) -> list[Expr]:
        """Formulas of the conditions, each at its end: what a wave is inside of the interval is none of its data."""
        problem, x = self.system.problem, Symbol(self.box.names[0])
        return [
            substituted(row.expression, {x: number(place)})
            for face, rows in problem.face_rows.items()
            for _, _, place in sides(self.box, face)
            for row in rows
        ]

    @cached_property
    def _moving_landmarks(self) -> np.ndarray:
        """(x, t) of what equations name that depends on both."""
        low, high = self.system.interval
        lower, upper = np.array([low, self.start]), np.array([high, self.end])
        return landmarks(self._inside, (self.box.names[0], "t"), lower, upper, together=True)

    @cached_property
    def places(self) -> np.ndarray:
        """Singular points of the interval, inside of it; of statements that are given the same functions those of one."""
        like = self.system.original.alike
        if like is not None and self.system.motion is None and type(self.system) is EvolutionSystem:
            return _places_of(like)

        def values(x: np.ndarray) -> np.ndarray:
            return np.concatenate([self.initial(x), self.functions(x, self.start)])

        return self._singular([*self._inside, *self._at_start], values, len(self.system.components))

    @cached_property
    def lasting(self) -> np.ndarray:
        """Those of them that equations and interfaces have at all times."""

        def values(x: np.ndarray) -> np.ndarray:
            return np.concatenate([np.zeros((1, len(x))), self.functions(x, self.start)])

        return self._singular(self._inside, values)

    def _singular(
        self, formulas: Sequence[Expr], values: Callable[[np.ndarray], np.ndarray], data: int = 0
    ) -> np.ndarray:
        """Places that formulas name, at which functions are thin or jump, at which something is asked for, and at which layers touch; the first of the functions are initial `data`."""
        name, (low, high) = self.box.names[0], self.system.interval
        x = low + (high - low) * (np.arange(SCANS.axis) + 0.5) / SCANS.axis
        with np.errstate(all="ignore"):
            ranges = np.ptp(values(x), axis=1)
            least = np.zeros(len(ranges))
            if data:
                least[:data] = self.system.counted(ranges[:data], ROUNDING.zero)
            inner = [f.place for f in self.system.problem.functionals if f.place is not None]
            named = [
                along(formulas, name, low, high),
                self._moving_landmarks[:, 0],
                np.array(inner, dtype=float),
            ]
            found = unnamed(thin(x, values, least), np.concatenate(named), high - low)
            at = distinct(np.concatenate([*named, found]), low, high)
            at = distinct(_at_jumps(at, values, high - low, np.maximum(least, ranges)), low, high)
        between = self._interfaces
        apart = np.min(np.abs(at[:, None] - between), axis=1, initial=np.inf) > ROUNDING.zero * (high - low)
        return np.sort(np.concatenate([at[apart], between]))

    @cached_property
    def _interfaces(self) -> np.ndarray:
        """Places at which two layers touch."""
        parts = self.box.interfaces if is_layered(self.box) else ()
        return np.unique([place for part in parts for _, _, place in sides(self.box, part)])

    @cached_property
    def named_times(self) -> np.ndarray:
        """Times inside of the time span at which something given has a top, a pole, a jump or a kink, or is thin."""
        if self.system.autonomous:
            return np.zeros(0)
        named = along([*self._inside, *self._at_ends], "t", self.start, self.end)
        named = np.concatenate([named, self._moving_landmarks[:, 1]])
        scanned = [unnamed(times, named, self.end - self.start) for times in self._scanned_times()]
        at = distinct(np.concatenate([named, *scanned]), self.start, self.end)
        ranges = np.ptp(self._all_in_time(np.linspace(self.start, self.end, SCANS.coarse + 1)), axis=1)
        return distinct(_at_jumps(at, self._all_in_time, self.end - self.start, ranges), self.start, self.end)

    @cached_property
    def times(self) -> np.ndarray:
        """Singular times: those at which something given is not smooth, and the integration begins anew."""
        at = self.named_times
        return at[~smooth(at, self._all_in_time, self.start, self.end)]

    def _all_in_time(self, t: np.ndarray, unnamed: bool = False) -> np.ndarray:
        """Everything given that changes in time: (functions at places, times)."""
        return np.concatenate([np.zeros((1, len(t))), *self.in_time(t, unnamed)])

    def _scanned_times(self) -> list[np.ndarray]:
        """Times at which functions and tables of the user are thin, by a scan and by one that is finer: formulas name theirs."""
        rows = [*self._rows, *(c.row for c in self.system.conditions)]
        if not any(row.time_dependent and row.functions for row in rows):
            return []
        grids = [np.linspace(self.start, self.end, n + 1) for n in (SCANS.axis, SCANS.finer * SCANS.axis)]
        with np.errstate(all="ignore"):
            return [thin(t, lambda t: self._all_in_time(t, unnamed=True)) for t in grids]

    @cached_property
    def driven(self) -> np.ndarray:
        """What data of conditions and sources make of each component, at the most: max |g| of u = g, T max |s| at the start and ∫ max |s| dt of u_t = s."""
        low, high = self.system.interval
        times = np.linspace(self.start, self.end, SCANS.axis + 1)
        x = np.concatenate([low + (high - low) * (np.arange(SCANS.axis) + 0.5) / SCANS.axis, self.places])
        at = np.column_stack([x, np.full(len(x), self.start)])

        def size(row: Row) -> float:
            return max(float(np.max(np.abs(row.affine(at)[0]))), self._mean_source(row))

        return self._driven_by(lambda c: np.column_stack([np.full(len(times), c.place), times]), size)

    def _driven_by(self, at: Callable[[Condition], np.ndarray], size: Callable[[Row], float]) -> np.ndarray:
        """The same by conditions at some points (places, times), and by the size of the source of an equation."""
        system, found = self.system, np.zeros(len(self.system.components))
        for c in system.conditions:
            source, slopes = c.row.affine(at(c))
            for jet, slope in slopes.items():
                entry = system.entry(jet)
                if not entry.rate and not any(entry.index) and np.all(slope):
                    most = float(np.max(np.abs(source / slope)))
                    found[entry.component] = max(found[entry.component], most)
        for field, row in zip(system.fields, system.equations, strict=True):
            own, count = size(row), max(1, system.orders[field])
            for level in range(count):
                component = system.first[field] + level
                found[component] = max(found[component], own * (self.end - self.start) ** (count - level))
        return np.where(np.isfinite(found), found, 0.0)

    def _mean_source(self, row: Row) -> float:
        """Mean over time of max |s| of a source: what is switched on later is nothing at the start."""
        if not row.time_dependent:
            return 0.0
        low, high = self.system.interval
        times = np.union1d(np.linspace(self.start, self.end, SCANS.coarse + 1), self.pace.edges)
        inner = low + (high - low) * (np.arange(SCANS.along) + 0.5) / SCANS.along
        source = sampled(row, np.union1d(inner, self.places)[:, None], times)[0]
        return float(np.trapezoid(np.max(np.abs(source), axis=0), times)) / (self.end - self.start)

    @cached_property
    def pace(self) -> Pace:
        """How fast what is given changes in time."""
        return Pace(self)

    def limit(self, time: float) -> float:
        """The longest step from a time that passes over nothing given."""
        return self.pace.limit(time)

    def in_time(self, times: np.ndarray, unnamed: bool = False) -> list[np.ndarray]:
        """Everything given that changes in time, at some places of the interval: for each function (places, times). With `unnamed` of rows alone in which users have functions or tables."""
        found = []
        for row, places in self._looked_at(unnamed):
            if row.time_dependent and (row.functions or not unnamed):
                found += sampled(row, places, times)
        return found

    def _looked_at(self, unnamed: bool) -> list[tuple[Row, np.ndarray]]:
        """Equations and conditions, and places (n, axes) at which they are looked at over time."""
        low, high = self.system.interval
        inner = low + (high - low) * (np.arange(SCANS.along) + 0.5) / SCANS.along
        places = np.union1d(inner, self.places)[:, None]
        ends = [(c.row, np.full((1, 1), c.place)) for c in self.system.conditions]
        return [*((row, places) for row in self._rows), *ends]


@lru_cache(maxsize=16)
def _places_of(problem: Problem) -> np.ndarray:
    """Singular points of a statement, found once."""
    return Given(EvolutionSystem(problem)).places


def sampled(row: Row, places: np.ndarray, times: np.ndarray) -> list[np.ndarray]:
    """What is given in a row, each function at (places, times): some places at a time, since functions of the user may be slow."""
    found = []
    for part in np.array_split(places, -(-len(places) * len(times) // (SCANS.finer * SCANS.axis))):
        check_deadline()
        points = np.column_stack([np.repeat(part, len(times), axis=0), np.tile(times, len(part))])
        values = [np.where(np.isfinite(v), v, 0.0) for v in row.given(points)]
        found.append([v.reshape(len(part), len(times)) for v in values])
    return [np.concatenate(parts) for parts in zip(*found, strict=True)]


class Pace:
    """Intervals of time on each of which all that is given is a polynomial to a hundredth: no step may pass over a short one."""

    def __init__(self, given: Given):
        self.named = given.named_times
        self.edges = np.array([given.start, *self.named, given.end])
        if given.system.autonomous:
            return
        # At singular times, too: a pulse between two times of the scan has no range otherwise.
        grid = np.union1d(np.linspace(given.start, given.end, SCANS.axis + 1), self.named)
        whole = given.in_time(grid)
        tops = [_extremes(grid, values) for values in whole]
        self.edges = np.unique(np.concatenate([self.edges, *tops]))
        # By function, the largest of all places: where it is nearly zero it is not looked at more closely.
        ranges = np.array([np.max(np.ptp(values, axis=1)) for values in whole])
        sizes = np.array([np.max(np.abs(values)) for values in whole])
        points, weights = nodes(SCANS.samples, 0)
        ends = np.array([-1.0 + ROUNDING.zero, 1.0 - ROUNDING.zero])  # inside: a jump stands at an end
        here, there = table(points, SCANS.samples), table(ends, SCANS.samples)
        shortest = (given.end - given.start) * 2.0**-SAFEGUARDS.halvings
        changes = ranges > ROUNDING.sums * sizes
        for _ in range(SAFEGUARDS.halvings if changes.any() else 0):
            middles, halves = 0.5 * (self.edges[:-1] + self.edges[1:]), 0.5 * np.diff(self.edges)
            inner = given.in_time((middles[:, None] + halves[:, None] * points).ravel())
            outer = given.in_time((middles[:, None] + halves[:, None] * ends).ravel())
            rough = np.zeros(len(halves), dtype=bool)
            for i in np.flatnonzero(changes):
                own = inner[i].reshape(-1, len(halves), SCANS.samples) * weights
                fitted = own @ here @ there.T
                gaps = np.abs(fitted - outer[i].reshape(-1, len(halves), 2)).max(axis=(0, 2))
                tail = np.abs(own @ here[:, -2:]).max(axis=(0, 2))
                rough |= np.maximum(gaps, tail) > SCAN.visible * ranges[i]
            rough &= halves > shortest
            if not rough.any() or len(halves) > SCANS.axis:
                break
            self.edges = np.sort(np.concatenate([self.edges, middles[rough]]))

    def limit(self, time: float) -> float:
        """The longest step from here that overlaps no interval shorter than a quarter of it, and that does not pass over a top between two such."""
        first = int(np.searchsorted(self.edges, time + ROUNDING.sums * abs(time), side="right"))
        if first >= len(self.edges):
            return np.inf
        # Intervals that end later than this time: the first of them begins before it.
        before = max(first - 1, 0)
        limit = float(np.maximum(self.edges[before:-1] - time, self._longest[before:]).min())
        if not len(self._tops):
            return limit
        tops = self._tops[(self._tops > time) & (self._tops < time + limit) & (self._near <= limit)]
        return float(tops[0]) - time if len(tops) else limit

    @cached_property
    def _tops(self) -> np.ndarray:
        """Named times among the edges."""
        return self.edges[np.isin(self.edges, self.named)]

    @cached_property
    def _near(self) -> np.ndarray:
        """The longest step over the shorter one of the two intervals beside each of them."""
        at, longest = np.searchsorted(self.edges, self._tops), self._longest
        return np.minimum(longest[at - 1], longest[np.minimum(at, len(longest) - 1)])

    @cached_property
    def _longest(self) -> np.ndarray:
        """The longest step over each interval."""
        return SCAN.overlap * np.diff(self.edges)


def _extremes(times: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Inner times at which a function is larger or smaller than before and after, the most prominent ones: a pulse that few points of an interval miss has one."""
    turns = np.diff(values[:, 1:], axis=1) * np.diff(values[:, :-1], axis=1) < 0
    off = np.abs(values - np.median(values, axis=1, keepdims=True))[:, 1:-1]
    worst = np.max(np.where(turns, off, 0.0), axis=0, initial=0.0)
    order = np.argsort(-worst)[: SAFEGUARDS.singular_points]
    return times[1:-1][order[worst[order] > SCAN.visible * np.max(off, initial=0.0)]]


def _depends(row: Row, name: str) -> bool:
    """Whether something given in a row depends on the coordinate."""
    symbols = symbols_in(row.source_part, *row.linear_part.values(), *row.given_factors)
    own = (s.depends(row.coordinates) for s in symbols if isinstance(s, GivenSymbol))
    return Symbol(name) in symbols or any(name in known for known in own)


def thin(
    x: np.ndarray, function: Callable[[np.ndarray], np.ndarray], least: np.ndarray | None = None
) -> np.ndarray:
    """Where a function changes by a good part of its range between two places of a scan: in the half that changes more, again and again. Ranges count as so much at the `least`."""
    values = function(x)
    ranges = np.ptp(values, axis=1, keepdims=True)
    if least is not None:
        ranges = np.maximum(ranges, least[:, None])
    steps = np.abs(np.diff(values, axis=1)) / np.where(ranges > 0, ranges, 1.0)
    worst = np.max(steps, axis=0, initial=0.0)
    order = np.argsort(-worst)[: SAFEGUARDS.singular_points]
    at = order[worst[order] > SCAN.rough]
    if not len(at):
        return np.zeros(0)
    which, own = np.argmax(steps[:, at], axis=0), np.arange(len(at))
    # What changes more in the next interval has its place there: a front of several intervals is steepest in one.
    around = np.pad(steps, ((0, 0), (1, 1)))[which, at + np.array([[0], [1], [2]])]
    most = (around[1] >= around[0]) & (around[1] > around[2])
    at, which, own = at[most], which[most], own[: np.count_nonzero(most)]
    low, high = x[at], x[at + 1]
    for _ in range(SAFEGUARDS.halvings // 2 if len(at) else 0):
        middle = 0.5 * (low + high)
        left, here, right = (function(place)[which, own] for place in (low, middle, high))
        first = np.abs(here - left) >= np.abs(right - here)
        low, high = np.where(first, low, middle), np.where(first, middle, high)
    return 0.5 * (low + high)


def unnamed(scanned: np.ndarray, named: np.ndarray, length: float) -> np.ndarray:
    """Places of a scan without those that a formula names: twice the same would make a cell of nothing but rounding, whose derivatives are none.

    f is steepest where δ²f‴ has its zero, which is told from rounding for |δ| > ε^(1/3) w; w is at most the width that a scan calls thin.
    """
    near = np.finfo(float).eps ** (1 / 3) * length / SCANS.axis / SCAN.rough
    return scanned[np.min(np.abs(scanned[:, None] - named), axis=1, initial=np.inf) > near]


def _at_jumps(
    places: np.ndarray,
    values: Callable[[np.ndarray], np.ndarray],
    length: float,
    sizes: np.ndarray,
) -> np.ndarray:
    """Places at which something jumps, to the last digit on the left of the jump; others as they are. Functions count as much as they vary elsewhere: beside a kink at zero all is small."""
    if not len(places):
        return places
    low, high = places - ROUNDING.root * length, places + ROUNDING.root * length
    left, right = values(low), values(high)
    ranges = np.max(np.abs(np.concatenate([left, right], axis=1)), axis=1)
    ranges = np.maximum(np.maximum(ranges, sizes), np.finfo(float).tiny)[:, None]
    gap = np.abs(right - left) / ranges
    which = np.argmax(gap, axis=0)
    jumps = np.flatnonzero(np.max(gap, axis=0) > SCAN.same)
    which, low, high = which[jumps], low[jumps], high[jumps]
    a, b = left[which, jumps], right[which, jumps]
    for _ in range(SAFEGUARDS.halvings if len(jumps) else 0):
        middle = 0.5 * (low + high)
        at = values(middle)[which, np.arange(len(jumps))]
        after = np.abs(at - a) > np.abs(at - b)
        low, high = np.where(after, low, middle), np.where(after, middle, high)
    result = places.copy()
    result[jumps] = low
    return result


def smooth(
    places: np.ndarray, values: Callable[[np.ndarray], np.ndarray], low: float, high: float
) -> np.ndarray:
    """Whether functions are smooth around places: polynomials of ever shorter intervals around them have last coefficients that vanish beside the others.

    With eight points these fall like δ⁷ beside δ where a function is smooth, and stay a part of the others at a jump, a kink, a pole. A polynomial has to
    meet the values of all shorter intervals, too: the points of a wide one may lie beside a pulse, where there is nothing.
    """
    if not len(places):
        return np.zeros(0, dtype=bool)
    points, weights = nodes(SCANS.samples, 0)
    room = np.minimum(places - low, high - places)
    widths = np.minimum((high - low) * SCANS.samples ** -np.arange(1.0, SCANS.windows + 1)[:, None], room)
    with np.errstate(all="ignore"):
        found = values((places[:, None] + widths[:, :, None] * points).ravel())
    found = np.where(np.isfinite(found), found, 0.0).reshape(len(found), *widths.shape, SCANS.samples)
    sizes = np.max(np.abs(found), axis=(1, 2, 3), initial=0.0)[:, None, None]
    parts = (found * weights) @ table(points, SCANS.samples)
    last, all_ = np.sum(parts[..., -2:] ** 2, axis=-1), np.sum(parts[..., 1:] ** 2, axis=-1)
    least = np.finfo(float).eps * SCANS.samples**2 * sizes
    gaps = np.zeros_like(last)
    for wide in range(SCANS.windows - 1):
        inner = table((widths[wide + 1 :] / widths[wide])[..., None] * points, SCANS.samples)
        fitted = np.einsum("fpk,npqk->fnpq", parts[:, wide], inner)
        gaps[:, wide] = np.max(np.abs(fitted - found[:, wide + 1 :]), axis=(1, 3))
    good = np.sqrt(last) <= ROUNDING.small * np.sqrt(all_) + least
    met = gaps <= SCANS.samples * (ROUNDING.small * np.sqrt(all_) + least)
    return np.all(np.any(good & met, axis=1), axis=0)


def distinct(places: np.ndarray, low: float, high: float) -> np.ndarray:
    """Different places strictly inside an interval, at most so many."""
    unit = (np.sort(places) - low) / (high - low)
    unit = unit[(unit > ROUNDING.zero) & (unit < 1 - ROUNDING.zero)]
    keep = (
        np.append(True, np.diff(unit) > ROUNDING.zero)[: len(unit)] if len(unit) else np.zeros(0, dtype=bool)
    )
    return (low + (high - low) * unit[keep])[: SAFEGUARDS.singular_points]
