# SPDX-License-Identifier: MIT
"""u_tt + G u = f, or u_t + G u = f, on a box, G in *row coordinates* r = ⊗R_a c, R_a = (W_aᵀ; B_a): functions that meet the homogeneous conditions have r = 0 on faces, and G leaves them so,

    G r = Σ_jets (g/e) ⊗_a N_a r,    N_a = W_aᵀ ∂ⁿ W_a,

of which N_a = 1 along axes without derivatives: a Laplacian takes one product for each axis. G is symmetric where the equations are. Coefficients that are functions are multiplied on the grid.
"""

from __future__ import annotations

import itertools
from functools import cached_property

import numpy as np

from lrfm.discretize.box.operator import BoxOperator, LinearPatch, Slope
from lrfm.linalg.deadline import check_deadline
from lrfm.spaces.series.polynomials import along


class BoxWaves:
    """G of the linearized rows of a box, as a function of columns."""

    def __init__(self, operator: BoxOperator):
        self.made, tests = operator.made, operator.made.tests
        self.top = operator.top
        self.parts = [part for part in operator.parts if part.patch.wall is None]
        self.axes = range(self.made.mesh.dimension)
        fields = range(self.made.fields)
        self.at = [tuple(slice(0, tests.inner(i, a)) for a in self.axes) for i in fields]
        self.inside = np.zeros((self.made.fields, *self.made.sizes), dtype=bool)
        for i in fields:
            self.inside[(i, *self.at[i])] = True
        self._matrices: dict[tuple[int, int], np.ndarray | None] = {}

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

    def _arrays(self, vectors: np.ndarray) -> np.ndarray:
        """Columns (n, k) as arrays (k, fields, *sizes): a product along an axis is one of matrices then, not one for each place."""
        return vectors.T.reshape(-1, *self.inside.shape)

    def _products(self, vectors: np.ndarray, back: bool) -> np.ndarray:
        tests, arrays = self.made.tests, self._arrays(vectors)
        found = np.where(self.inside, arrays, 0.0) if back else arrays
        own = [found[:, i] for i in range(self.made.fields)]
        for i, a in itertools.product(range(self.made.fields), self.axes):
            own[i] = along(tests.returned(i, a) if back else tests.rows[i, a], own[i], 1 + a)
        found = np.stack(own, axis=1)
        return (found if back else np.where(self.inside, found, 0.0)).reshape(vectors.shape[1], -1).T

    def slope(self, vectors: np.ndarray) -> np.ndarray:
        """G r of columns (n, k): −u_tt of a chain, −u_t of what is of first order in time."""
        check_deadline()  # polynomials of G are hundreds of products
        r = self._arrays(vectors)
        found = np.zeros_like(r)
        for part in self.parts:
            i, mass = part.patch.field, 0.0
            for slope in part.slopes:
                if slope.power == 0:
                    mass = mass + float(slope.values)
            own = sum(self._term(part, s, r) for s in part.slopes if s.power == self.top)
            found[(slice(None), i, *self.at[i])] = own / mass
        return found.reshape(vectors.shape[1], -1).T

    def _term(self, part: LinearPatch, slope: Slope, r: np.ndarray) -> np.ndarray:
        """One jet of a row: products along the axes, on the grid where its coefficient is no product of functions of the axes."""
        own, on_grid = r[(slice(None), slope.field, *self.at[slope.field])], slope.on_grid
        for a in self.axes:
            matrix = self._matrix(part, slope, a)
            own = own if matrix is None else along(matrix, own, 1 + a)
        if not on_grid:
            return own if slope.matrices else float(slope.values) * own
        own = slope.values * own
        for a in self.axes:
            own = along(part.patch.tests[a], own, 1 + a)
        return own

    def _matrix(self, part: LinearPatch, slope: Slope, axis: int) -> np.ndarray | None:
        """U W of an axis, tested where nothing is multiplied on the grid; None where it is the identity."""
        key = id(slope), axis
        if key not in self._matrices:
            tests, j = self.made.tests, slope.field
            inner = tests.rows[j, axis][: tests.inner(j, axis)].T
            if slope.matrices:
                table = slope.matrices[axis] @ inner
            else:
                table = self.made._table(part.patch, axis, slope.orders[axis]) @ inner
                table = table if slope.on_grid else part.patch.tests[axis] @ table
            shape = table.shape
            same = not slope.on_grid and shape[0] == shape[1] and np.allclose(table, np.eye(len(table)))
            self._matrices[key] = None if same else table
        return self._matrices[key]
