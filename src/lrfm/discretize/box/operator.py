# SPDX-License-Identifier: MIT
"""Linearized rows of a box without a matrix of them:  Σ_jets s^p T_x T_y (g ∘ U_x U_y c),  one axis after the other (Orszag, J. Comput. Phys. 37, 1980).

T are tests, U derivatives of polynomials, g the slope of a row by one of its jets. Of K^d coefficients this takes K^(d + 1) operations, a product with the full matrix K^(2d). Where g is a product of functions of the axes, as a number is, T (g_a ∘ U)
is one matrix for each axis.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING

import numpy as np

from lrfm.discretize.box.axis_tests import Patch
from lrfm.discretize.line.collocation import _slopes
from lrfm.discretize.options import ROUNDING
from lrfm.spaces.series.polynomials import along

if TYPE_CHECKING:
    from lrfm.discretize.box.galerkin import BoxGalerkin


@dataclass(frozen=True)
class Slope:
    """g of a row by one jet: a number, or values on the grid of a patch; p is its power of s over the lowest one of the row. `matrices` are T (g_a ∘ U) of the axes where g is a product."""

    field: int
    power: int
    orders: tuple[int, ...]
    values: np.ndarray
    matrices: Sequence[np.ndarray] | None = None

    @property
    def on_grid(self) -> bool:
        """Whether it is multiplied on the grid."""
        return bool(self.values.ndim) and self.matrices is None


@dataclass(frozen=True)
class LinearPatch:
    """The slopes of one patch."""

    patch: Patch
    slopes: Sequence[Slope]


class BoxOperator:
    """A(s) = Σ_p s^p B_p as a function of coefficients."""

    def __init__(self, made: BoxGalerkin, time: float, y: np.ndarray, z: np.ndarray):
        self.made, self.parts = made, []
        self.top = 0
        for patch in made.tests.patches:
            patch.points[:, -1] = time
            slopes = _slopes(patch.row, patch.points, made._jets(patch, y[None], z[None]))
            found = [self._slope(patch, jet, g) for jet, g in slopes.items() if np.any(g)]
            self.parts.append(LinearPatch(patch, found))
            self.top = max([self.top, *(s.power for s in found)])

    def _slope(self, patch: Patch, jet, g: np.ndarray) -> Slope:
        field, power = self.made.power(jet)
        values = np.asarray(g, dtype=float)
        if values.ndim:
            values = values.reshape(patch.grid)
            if np.ptp(values) == 0:
                values = values.flat[0]
        orders, values = self.made.tests.orders(jet), np.asarray(values)
        factors, matrices = _factors(values), None
        if factors is not None:
            tables = [self.made._table(patch, a, order) for a, order in enumerate(orders)]
            matrices = [t @ (g[:, None] * u) for t, g, u in zip(patch.tests, factors, tables, strict=True)]
        return Slope(field, power - self.made._lowest(patch), orders, values, matrices)

    def __call__(self, x: np.ndarray, weights: Sequence[complex]) -> np.ndarray:
        """Σ_p w_p B_p x of an array (fields, *sizes)."""
        made = self.made
        kind = np.result_type(x.dtype, *[type(w) for w in weights])
        found = np.zeros(x.shape, dtype=kind)
        for part in self.parts:
            patch = part.patch
            values = self._on_grid(part, x, weights)
            total = 0.0
            if values is not None:
                for a, tests in enumerate(patch.tests):
                    values = along(tests, values, a)
                total = values
            for s in part.slopes:
                if not s.on_grid and weights[s.power] != 0:
                    number = 1.0 if s.matrices else s.values
                    total = total + (weights[s.power] * number) * self._tested(patch, s, x)
            found[(patch.field, *patch.target)] = total
        absent = made.tests.absent
        found[absent] = x[absent]
        return found

    def _on_grid(self, part: LinearPatch, x: np.ndarray, weights: Sequence[complex]) -> np.ndarray | None:
        """Σ w_p g U c of the slopes that are functions."""
        total = None
        for s in part.slopes:
            if not s.on_grid or weights[s.power] == 0:
                continue
            own = x[s.field]
            for a, order in enumerate(s.orders):
                own = along(self.made._table(part.patch, a, order), own, a)
            own = (weights[s.power] * s.values) * own
            total = own if total is None else total + own
        return total

    def _tested(self, patch: Patch, slope: Slope, x: np.ndarray) -> np.ndarray:
        """T U c of every axis."""
        own = x[slope.field]
        for a, order in enumerate(slope.orders):
            own = along(slope.matrices[a] if slope.matrices else self.made.tested(patch, a, order), own, a)
        return own


def _factors(values: np.ndarray) -> list[np.ndarray] | None:
    """g_a of values = ⊗_a g_a on a grid; None where they are no product, or one number."""
    if values.ndim < 2:
        return None
    most = np.unravel_index(np.argmax(np.abs(values)), values.shape)
    top, lines = values[most], [np.moveaxis(values, a, -1) for a in range(values.ndim)]
    lines = [line[tuple(np.delete(most, a))] for a, line in enumerate(lines)]
    factors = [lines[0], *(line / top for line in lines[1:])]
    gap = np.max(np.abs(values - reduce(np.multiply.outer, factors)))
    return factors if gap <= ROUNDING.last * abs(top) else None
