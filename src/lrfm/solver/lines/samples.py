# SPDX-License-Identifier: MIT
"""Functions of one coordinate that a basis along an axis has to hold: cuts through the data or through a solution.

In one dimension a cut is the function itself. In boxes it is what the function is on a line parallel to the axis; lines of data go through
random places, through those where they are largest, and through those that their formulas name; those of a solution are where it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from lrfm.error.marks import marks
from lrfm.problem import Row
from lrfm.problem.algebra import Number, Symbol
from lrfm.problem.data import Datum
from lrfm.problem.jets import SIDE, GivenSymbol
from lrfm.problem.landmarks import landmarks
from lrfm.solver.lines.form import Form
from lrfm.spaces.axes.product import ProductBasis, tensor_points

CUTS = 24
SEARCHED = 4096  # random places among which the largest values are looked for
LINES = 400  # places through which cuts of a state may be laid,
HELD = 4_000_000  # and numbers that may be held for them
TOLD = 1e-20  # square of what lines leave of all others, of which nothing is left
NAMED = 8  # places taken from formulas
DENSE, WITHIN = (
    20_000,
    4_000,
)  # places of a line on which sources are looked at: functions, and formulas, which name what is thin in them
SEEN = 0.3  # relative error of the integral of s² by a quadrature that sees a source
TIMES = 5  # at which they are, besides those that their formulas name
LOOKED_AT = 8  # cuts on which coefficients are looked at


@dataclass(frozen=True)
class Cuts:
    """Values along an axis: `values(x)` is (places, columns), `owners` the component of each column."""

    values: Callable[[np.ndarray], np.ndarray]
    owners: np.ndarray
    derivatives: tuple[Callable[[np.ndarray], np.ndarray], ...] = ()

    def ranges(self, values: np.ndarray, components: int) -> np.ndarray:
        """R for each component from values on many places: the largest |v − mean v|; 0 where nothing varies."""
        found = np.zeros(components)
        for c in np.unique(self.owners):
            part = values[:, self.owners == c]
            spread = float(np.max(np.abs(part - part.mean())))
            found[c] = spread if spread > 1e-10 * np.max(np.abs(part)) else 0.0
        return found


class Data:
    """The initial data of every component as functions of the points, zero for what has none."""

    def __init__(self, form: Form):
        self.form = form
        self.start = form.problem.time[0]
        self.given: list[tuple[int, Datum, str]] = []
        for c, (field, level) in enumerate(form.components):
            datum = form.problem.initial_data.get((field.partition(".")[0], level))
            if datum is not None:
                self.given.append((c, datum, field))

    def on(self, points: np.ndarray, side: str = "") -> np.ndarray:
        """All components at points (n, d), as they are in a layer or at the points themselves: (components, n)."""
        full, seen = self._full(points), f"{SIDE}{side}" if side else ""
        values = np.zeros((len(self.form.components), len(points)))
        for c, datum, field in self.given:
            values[c] = datum.part(full, field + seen)
        return values

    def _full(self, points: np.ndarray) -> np.ndarray:
        return np.column_stack([points, np.full(len(points), self.start)])

    def zero(self) -> np.ndarray:
        """Components without data, or whose data are zero: they have no size of their own at first."""
        box = self.form.problem.domain
        unit = np.random.default_rng(0).random((512, box.dimension))
        return ~np.any(self.on(box.lower + (box.upper - box.lower) * unit) != 0, axis=1)

    def anchors(self, rng: np.random.Generator) -> np.ndarray:
        """Points through which cuts are laid; one is enough where there is one axis."""
        box = self.form.problem.domain
        if box.dimension == 1:
            return box.lower[None, :]
        points = box.lower + (box.upper - box.lower) * rng.random((SEARCHED, box.dimension))
        values = self.on(points)
        largest = [int(np.argmax(np.abs(v - v.mean()))) for v in values]
        formulas = [part for _, datum, _ in self.given for part in datum.value or ()]
        named = landmarks(formulas, box.names, box.lower, box.upper)[:NAMED]
        return np.concatenate([points[:CUTS], points[largest], named])

    def cuts(self, axis: int, anchors: np.ndarray) -> Cuts:
        """The data along an axis, with their derivatives along it where these are formulas."""
        top = self.form.tops[axis]
        owners = np.repeat([c for c, _, _ in self.given], len(anchors))

        def at(order: int) -> Callable[[np.ndarray], np.ndarray] | None:
            orders = [order if k == axis else 0 for k in range(len(self.form.tops))]
            data = [(datum.derivative(orders), field) for _, datum, field in self.given]
            if any(datum is None for datum, _ in data):
                return None

            def values(x: np.ndarray) -> np.ndarray:
                points = self._full(_along(anchors, axis, x))
                parts = [d.part(points, f).reshape(len(x), -1) for d, f in data if d is not None]
                return np.concatenate(parts, axis=1)

            return values

        found = [at(order) for order in range(top + 1)]
        plain = found[0]
        assert plain is not None
        return Cuts(plain, owners, tuple(f for f in found[1:] if f is not None) if None not in found else ())


class Sources:
    """Terms of s of the equations along each axis, on cuts through places and times at which sources may be thin."""

    def __init__(self, form: Form):
        problem = form.problem
        box, (start, end) = problem.domain, problem.time
        self.rows = [row for row in form.equations if not isinstance(row.source_part, Number)]
        self.marks = marks(problem) if self.rows else ((),) * (box.dimension + 1)
        self.lower, self.upper = box.lower, box.upper
        times = (
            np.unique(np.append(np.linspace(start, end, TIMES), self.marks[-1])) if self.rows else np.zeros(0)
        )
        formulas = [row.source_part for row in self.rows]
        corner = np.append(box.lower, start), np.append(box.upper, end)
        named = landmarks(formulas, (*box.names, "t"), *corner)[: 2 * NAMED]
        middle = np.column_stack([np.repeat([0.5 * (box.lower + box.upper)], len(times), axis=0), times])
        self.anchors = np.concatenate([named, middle])
        self._known: dict[int, list[tuple[Row, np.ndarray, np.ndarray, np.ndarray]]] = {}

    def unseen(self, axis: int, points: np.ndarray, weights: np.ndarray) -> float | None:
        """A place at which a source is, though a quadrature along an axis does not see it; None where it sees all of them."""
        worst, place = SEEN, None
        for row, dense, fine, whole in self._lines(axis):
            # One point on a needle sees too much of it, none sees nothing.
            missed = np.abs(1.0 - (weights @ self._squares(row, axis, points)) / np.maximum(whole, 1e-300))
            missed = np.where(whole > 1e-6 * self._largest(whole), missed, 0.0)
            if missed.size and missed.max() > worst:
                worst, column = float(missed.max()), int(np.argmax(missed))
                place = float(dense[int(np.argmax(fine[:, column]))])
        return place

    def _lines(self, axis: int) -> list[tuple[Row, np.ndarray, np.ndarray, np.ndarray]]:
        """For every row with a source: places close to each other along an axis, s² on the cuts there, and its integrals."""
        if axis in self._known:
            return self._known[axis]
        low, high = float(self.lower[axis]), float(self.upper[axis])
        steps = (high - low) * 2.0 ** -np.arange(4.0, 26.0)
        near = [place + sign * steps for place in self.marks[axis] for sign in (1, -1)]
        count = DENSE if any(row.functions for row in self.rows) else WITHIN
        dense = np.unique(np.clip(np.concatenate([np.linspace(low, high, count + 1), *near]), low, high))
        found = []
        for row in self.rows:
            fine = self._squares(row, axis, dense)
            found.append((row, dense, fine, 0.5 * np.diff(dense) @ (fine[1:] + fine[:-1])))
        self._known[axis] = found
        return found

    def _largest(self, whole: np.ndarray) -> np.ndarray:
        """The largest integral of each term over all cuts: what is small beside another term is not small by itself."""
        terms = whole.reshape(-1, len(self.anchors)).max(axis=1, initial=0.0)
        return np.repeat(terms, len(self.anchors))

    def _squares(self, row: Row, axis: int, x: np.ndarray) -> np.ndarray:
        """The squares of all terms of s on every cut: (places, terms · cuts)."""
        terms = row.source_terms(_along(self.anchors, axis, x))
        values = np.concatenate([term.reshape(len(x), -1) for term in terms], axis=1)
        return np.where(np.isfinite(values), values, 0.0) ** 2


class Coefficients:
    """What stands before unknowns in the equations, along each axis: u feels its waves, however smooth the data are."""

    def __init__(self, form: Form):
        box, span = form.problem.domain, form.problem.time
        coordinates = {Symbol(name) for name in box.names}
        self.rows = [row for row in form.equations if _varies(row, coordinates)]
        unit = np.random.default_rng(0).random((LOOKED_AT, box.dimension + 1))
        unit[:TIMES, -1] = np.linspace(0, 1, TIMES)
        lower, upper = np.append(box.lower, span[0]), np.append(box.upper, span[1])
        self.anchors = lower + (upper - lower) * unit

    def along(self, axis: int, x: np.ndarray) -> np.ndarray:
        """Those that vary, on cuts through some places and times: (places, coefficients · cuts)."""
        points, found = _along(self.anchors, axis, x), []
        for row in self.rows:
            with np.errstate(all="ignore"):
                parts = [*row.affine(points)[1].values(), *row.factors(points)]
            found += [np.broadcast_to(part, len(points)).reshape(len(x), -1) for part in parts]
        values = np.concatenate(found, axis=1)
        return np.where(np.isfinite(values), values, 0.0)


def _varies(row: Row, coordinates: set[Symbol]) -> bool:
    """Whether something that stands before an unknown depends on the place."""
    parts = [*row.linear_part.values(), *row.given_factors]
    return any(
        symbol in coordinates or isinstance(symbol, GivenSymbol) for p in parts for symbol in p.symbols
    )


def coefficients_of(form: Form) -> Coefficients:
    """The coefficients of a form, looked for once for all draws."""
    if "coefficients" not in form.found:
        form.found["coefficients"] = Coefficients(form)
    return form.found["coefficients"]


def sources_of(form: Form) -> Sources:
    """The sources of a form, looked at once for all draws."""
    if "sources" not in form.found:
        form.found["sources"] = Sources(form)
    return form.found["sources"]


def _along(anchors: np.ndarray, axis: int, x: np.ndarray) -> np.ndarray:
    """Points (len(x) · anchors, d): every anchor moved along the axis to every place."""
    points = np.repeat(anchors[None], len(x), axis=0)
    points[:, :, axis] = x[:, None]
    return points.reshape(-1, anchors.shape[1])


def telling(basis: ProductBasis, states: Sequence[np.ndarray], axis: int) -> np.ndarray:
    """Points through which cuts along an axis tell most of some states (components, R): (CUTS, d).

    The slopes along the line through each place are a column; the largest is taken, then the largest of what the lines before leave of the
    others. Lines that were drawn once see less and less of what moves: 24 of them counted 88 modes of rings for which 200 were needed.
    """
    others = [k for k in range(len(basis.axes)) if k != axis]
    if not others:
        return np.array([[basis.axes[0].axis.lower]])
    work = np.moveaxis(np.concatenate(states).reshape(-1, *basis.shape), axis + 1, 1)
    most = min(LINES, max(CUTS, HELD * basis.shape[others[0]] // work.size))
    each = max(2, int(most ** (1 / len(others))))
    places = [_thinned(basis.axes[k].points, each) for k in others]
    points = np.zeros((prod(len(x) for x in places), len(basis.axes)))
    points[:, others] = tensor_points(places)
    tables = [basis.axes[k].at(points[:, k], 0)[0] for k in others]
    slope = basis.matrices[axis][min(1, basis.tops[axis])]
    columns = slope @ _contract(work, tables)
    sizes = np.linalg.norm(columns, axis=(1, 2), keepdims=True)
    columns = (columns / np.where(sizes > 0, sizes, 1.0)).reshape(-1, len(points))
    chosen: list[int] = []
    for _ in range(min(CUTS, len(points))):
        squares = np.sum(columns**2, axis=0)
        chosen.append(int(np.argmax(squares)))
        if squares[chosen[-1]] < TOLD:
            break
        one = columns[:, chosen[-1]] / np.sqrt(squares[chosen[-1]])
        columns -= np.outer(one, one @ columns)
    return points[chosen]


def _thinned(places: np.ndarray, most: int) -> np.ndarray:
    """At most so many of some places, evenly among them."""
    return places[np.unique(np.linspace(0, len(places) - 1, min(most, len(places))).round().astype(int))]


def solution_cuts(basis: ProductBasis, states: Sequence[np.ndarray], axis: int) -> Cuts:
    """States (components, R) along the lines of an axis that tell most of them, each of them a family of columns."""
    components, anchors = len(states[0]), telling(basis, states, axis)
    work = np.concatenate(states).reshape(len(states) * components, *basis.shape)
    work = np.moveaxis(work, axis + 1, 1)  # (states, r_axis, others …)
    tables = [b.at(anchors[:, k], 0)[0] for k, b in enumerate(basis.axes) if k != axis]
    lines = work[..., None] if not tables else _contract(work, tables)
    rows = lines.transpose(0, 2, 1).reshape(-1, basis.shape[axis])
    owners = np.repeat(np.tile(np.arange(components), len(states)), len(rows) // (len(states) * components))
    return Cuts(lambda x: basis.axes[axis].sums(x, (0,), rows)[0].T, owners)


def _contract(work: np.ndarray, tables: Sequence[np.ndarray]) -> np.ndarray:
    """(states, r, r₂, r₃ …) with tables (anchors, r_k): (states, r, anchors)."""
    total = np.tensordot(work, tables[0], axes=(2, 1))
    for table in tables[1:]:
        total = np.einsum("srq...n,nq->sr...n", total, table)
    return total
