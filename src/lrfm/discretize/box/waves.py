# SPDX-License-Identifier: MIT
"""u_tt + G u = f on a box, G in *row coordinates* r = ⊗R_a c, R_a = (W_aᵀ; B_a): functions that meet the homogeneous conditions have r = 0 on faces, and G leaves them so,

    G r = Σ_jets (g/e) ⊗_a N_a r,    N_a = W_aᵀ ∂ⁿ W_a,

of which N_a = 1 along axes without derivatives: a Laplacian takes one product for each axis. G is symmetric where the equations are. Coefficients that are functions are multiplied on the grid.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from lrfm.discretize.box.operator import BoxOperator, LinearPatch, Slope
from lrfm.spaces.series.polynomials import along


class BoxWaves:
    """G of the linearized rows of a box, as a function of columns."""

    def __init__(self, operator: BoxOperator):
        self.made, tests = operator.made, operator.made.tests
        self.parts = [part for part in operator.parts if part.patch.wall is None]
        self.axes = range(self.made.mesh.dimension)
        fields = range(self.made.fields)
        self.at = [tuple(slice(0, tests.inner(i, a)) for a in self.axes) for i in fields]
        self.inside = np.zeros((self.made.fields, *self.made.sizes), dtype=bool)
        for i in fields:
            self.inside[(i, *self.at[i])] = True
        self._matrices: dict[tuple[int, int, int, int, bool], np.ndarray | None] = {}

    @cached_property
    def light(self) -> bool:
        """Whether B₀ is a number for each field."""
        return all(
            s.field == part.patch.field and not (s.values.ndim or any(s.orders))
            for part in self.parts
            for s in part.slopes
            if s.power == 0
        )

    def turned(self, vectors: np.ndarray) -> np.ndarray:
        """r of columns of coefficients (n, k), without what conditions give."""
        return self._products(vectors, back=False)

    def returned(self, vectors: np.ndarray) -> np.ndarray:
        """Columns of coefficients of r."""
        return self._products(vectors, back=True)

    def _products(self, vectors: np.ndarray, back: bool) -> np.ndarray:
        tests, found = self.made.tests, []
        for i, own in enumerate(vectors.reshape(*self.inside.shape, -1)):
            own = np.where(self.inside[i][..., None], own, 0.0) if back else own
            for a in self.axes:
                own = along(tests.returned(i, a) if back else tests.rows[i, a], own, a)
            found.append(own if back else np.where(self.inside[i][..., None], own, 0.0))
        return np.stack(found).reshape(vectors.shape)

    def acceleration(self, vectors: np.ndarray) -> np.ndarray:
        """G r of columns (n, k)."""
        r = vectors.reshape(*self.inside.shape, -1)
        found = np.zeros_like(r)
        for part in self.parts:
            i, mass = part.patch.field, 0.0
            for slope in part.slopes:
                if slope.power == 0:
                    mass = mass + float(slope.values)
            own = sum(self._term(part, s, r) for s in part.slopes if s.power == 2)
            found[(i, *self.at[i])] = own / mass
        return found.reshape(vectors.shape)

    def _term(self, part: LinearPatch, slope: Slope, r: np.ndarray) -> np.ndarray:
        """One jet of a row: products along the axes, on the grid where its coefficient is a function."""
        i, j = part.patch.field, slope.field
        own, on_grid = r[(j, *self.at[j])], bool(slope.values.ndim)
        for a in self.axes:
            matrix = self._matrix(part, (i, j, a, slope.orders[a], on_grid))
            own = own if matrix is None else along(matrix, own, a)
        if not on_grid:
            return float(slope.values) * own
        own = slope.values[..., None] * own
        for a in self.axes:
            own = along(part.patch.tests[a], own, a)
        return own

    def _matrix(self, part: LinearPatch, key: tuple[int, int, int, int, bool]) -> np.ndarray | None:
        """U W of an axis, tested where nothing is multiplied on the grid; None where it is the identity."""
        if key not in self._matrices:
            _, j, a, order, on_grid = key
            tests = self.made.tests
            inner = tests.rows[j, a][: tests.inner(j, a)].T
            table = self.made._table(part.patch, a, order) @ inner
            table = table if on_grid else part.patch.tests[a] @ table
            same = not on_grid and table.shape[0] == table.shape[1] and np.allclose(table, np.eye(len(table)))
            self._matrices[key] = None if same else table
        return self._matrices[key]
