# SPDX-License-Identifier: MIT
"""Functions of one coordinate that a basis along an axis has to hold: cuts through the data or through a solution.

In one dimension a cut is the function itself. In boxes it is what the function is on a line parallel to the axis; lines go through
random places and through those where the data are largest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from lrfm.problem.data import Datum
from lrfm.solver.lines.form import Form
from lrfm.spaces.axes.product import ProductBasis

CUTS = 24
SEARCHED = 4096  # random places among which the largest values are looked for


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

    def on(self, points: np.ndarray) -> np.ndarray:
        """All components at points (n, d): (components, n)."""
        full = self._full(points)
        values = np.zeros((len(self.form.components), len(points)))
        for c, datum, field in self.given:
            values[c] = datum.part(full, field)
        return values

    def driven(self) -> np.ndarray:
        """Components without data, or whose data are zero: they have no size of their own at first."""
        box = self.form.problem.domain
        unit = np.random.default_rng(0).random((512, box.dimension))
        return ~np.any(self.on(box.lower + (box.upper - box.lower) * unit) != 0, axis=1)

    def _full(self, points: np.ndarray) -> np.ndarray:
        return np.column_stack([points, np.full(len(points), self.start)])

    def anchors(self, rng: np.random.Generator) -> np.ndarray:
        """Points through which cuts are laid; one is enough where there is one axis."""
        box = self.form.problem.domain
        if box.dimension == 1:
            return box.lower[None, :]
        points = box.lower + (box.upper - box.lower) * rng.random((SEARCHED, box.dimension))
        values = self.on(points)
        largest = [int(np.argmax(np.abs(v - v.mean()))) for v in values]
        return np.concatenate([points[:CUTS], points[largest]])

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


def _along(anchors: np.ndarray, axis: int, x: np.ndarray) -> np.ndarray:
    """Points (len(x) · anchors, d): every anchor moved along the axis to every place."""
    points = np.repeat(anchors[None], len(x), axis=0)
    points[:, :, axis] = x[:, None]
    return points.reshape(-1, anchors.shape[1])


def solution_cuts(basis: ProductBasis, states: Sequence[np.ndarray], axis: int, anchors: np.ndarray) -> Cuts:
    """States (components, R) along an axis, each of them a family of columns."""
    components = len(states[0])
    work = np.concatenate(states).reshape(len(states) * components, *basis.shape)
    work = np.moveaxis(work, axis + 1, 1)  # (states, r_axis, others …)
    tables = [b.at(anchors[:, k], 0)[0] for k, b in enumerate(basis.axes) if k != axis]
    lines = work[..., None] if not tables else _contract(work, tables)
    lines = lines.transpose(1, 0, 2).reshape(basis.shape[axis], -1)
    owners = np.repeat(
        np.tile(np.arange(components), len(states)), lines.shape[1] // (len(states) * components)
    )
    return Cuts(lambda x: basis.axes[axis].combine(x, lines), owners)


def _contract(work: np.ndarray, tables: Sequence[np.ndarray]) -> np.ndarray:
    """(states, r, r₂, r₃ …) with tables (anchors, r_k): (states, r, anchors)."""
    total = np.tensordot(work, tables[0], axes=(2, 1))
    for table in tables[1:]:
        total = np.einsum("srq...n,nq->sr...n", total, table)
    return total
