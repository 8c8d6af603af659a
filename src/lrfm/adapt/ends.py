# SPDX-License-Identifier: MIT
"""Data of chains u, u_t, … that meet their conditions:  B(u₀ + δ) = 0,  δ a change of derivatives below the order m at the ends.

A condition on u is imposed as one on u_t; what u₀ lacks of it at the start it lacks for ever. Coefficients that are right to ten digits have third derivatives at the end of a
cell that are right to five: a force on the free end of a beam that nobody stated.
"""

from __future__ import annotations

import numpy as np

from lrfm.discretize.evolution import Condition
from lrfm.discretize.line.collocation import _slopes
from lrfm.discretize.line.layout import Layout
from lrfm.problem import Jet
from lrfm.spaces.cells import Mesh
from lrfm.spaces.cells.reference import connecting, values


def met(layout: Layout, mesh: Mesh, y: np.ndarray, most: float) -> np.ndarray:
    """The state with conditions met at each place; as it is there where that would change a component by more than `most` of it: data that contradict them."""
    system, result = layout.system, y.copy()
    lower = [
        c for c in system.constraints if all(_component(layout, j) not in system.last for j in c.row.jets)
    ]
    shares = mesh.widths / np.sum(mesh.widths)
    sizes = np.sqrt(np.einsum("cks,k->c", y**2, shares))
    for place in sorted({c.place for c in lower}):
        here = [c for c in lower if c.place == place]
        edge = int(np.argmin(np.abs(mesh.edges - place)))
        change = _change(layout, mesh, y, here, edge)
        moved = np.sqrt(np.einsum("cks,k->c", change**2, shares))
        if np.all(moved <= most * sizes):
            result += change
    return result


def _component(layout: Layout, jet: Jet) -> int:
    return layout.system.entry(jet).component


def _change(layout: Layout, mesh: Mesh, y: np.ndarray, conditions: list[Condition], edge: int) -> np.ndarray:
    """δ as coefficients: derivatives of components on either side of one edge, in units of half a cell."""
    points = np.array([[conditions[0].place, layout.system.problem.time[0]]])
    columns: dict[tuple[int, int, int, int], int] = {}  # component, cell, end, derivative
    rows, gaps = [], []
    for c in conditions:
        jets, places = {}, {}
        for jet in c.row.jets:
            end = int(c.upper == (jet.side in ("", c.inner)))
            component, order, cell = _component(layout, jet), jet.index[0], edge - end
            at = values(np.array([-1.0, 1.0])[[end]], y.shape[-1], order, layout.functions)[0]
            scale = (2.0 / mesh.widths[cell]) ** order
            jets[jet] = np.array([scale * (at @ y[component, cell])])
            places[jet] = (component, cell, end, order), scale
        row: dict[int, float] = {}
        for jet, slope in _slopes(c.row, points, jets).items():
            key, scale = places[jet]
            if key[3] < _order(layout, key[0]):
                number = columns.setdefault(key, len(columns))
                row[number] = row.get(number, 0.0) + scale * float(np.ravel(slope)[0])
        rows.append(row)
        gaps.append(float(c.row.residual(points, jets)[0]))
    matrix = np.zeros((len(rows), len(columns)))
    for i, row in enumerate(rows):
        matrix[i, list(row)] = list(row.values())
    found = np.linalg.lstsq(matrix, -np.array(gaps), rcond=None)[0] if columns else []
    change = np.zeros_like(y)
    for (component, cell, end, order), value in zip(columns, found, strict=True):
        m = _order(layout, component)
        # Hermite's polynomial of degree 2m − 1, or the first 2m functions: the smallest one of all has derivatives of order m as large as rounding.
        change[component, cell, : 2 * m] += connecting(2 * m, m, layout.functions)[:, end, order] * value
    return change


def _order(layout: Layout, component: int) -> int:
    """The order in space of the field of a component."""
    return layout.orders[layout.system.fields.index(layout.system.components[component][0])]
