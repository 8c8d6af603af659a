# SPDX-License-Identifier: MIT
"""A(s) z = r of a box by GMRES with the separable operator nearest to A(s): neither A nor factors of it are ever there.

The iteration sees how far slopes are from their means over the other axes, mixed derivatives, and what couples fields of different conditions: as many steps for 10 modes as for 100, where the derivatives that are left out are not larger than those that are solved.
Where it does not converge, a matrix of up to 3000 rows is made and factored instead.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from lrfm.discretize.box.operator import BoxOperator
from lrfm.discretize.box.saddle import Saddle
from lrfm.discretize.box.separable import Separable
from lrfm.discretize.box.waves import BoxWaves
from lrfm.discretize.options import PLANE, ROUNDING, SAFEGUARDS, Options
from lrfm.linalg.banded import SingularError, Solve
from lrfm.linalg.chebyshev import spectral_range
from lrfm.linalg.nearby import krylov

if TYPE_CHECKING:
    from lrfm.discretize.box.galerkin import BoxGalerkin
    from lrfm.discretize.box.pencil import DensePencil


class IteratedPencil:
    """Linearized at one state."""

    def __init__(self, made: BoxGalerkin, time: float, y: np.ndarray, z: np.ndarray):
        self.made, self.at_state = made, (time, y, z)
        self.operator = BoxOperator(made, time, y, z)
        self.shape = (made.fields, *made.sizes)

    @property
    def rate(self) -> float:
        """Where rows are linear and stay the same, that of GMRES."""
        system = self.made.system
        return PLANE.rate if system.linear and system.stationary else 1.0

    @cached_property
    def near(self) -> Separable | Saddle:
        """The separable operator, with a pressure where there is one."""
        return Saddle(self.operator) if self.made.system.multipliers else Separable(self.operator)

    @cached_property
    def dense(self) -> DensePencil:
        """The matrix, where iterations do not converge."""
        if self.made.size > SAFEGUARDS.box_unknowns:
            raise SingularError("Iterations with the terms of a box do not converge.")
        self.made.iterates = False
        return self.made.assembled(*self.at_state)

    def _weights(self, shift: complex) -> list[complex]:
        return [shift**p for p in range(self.operator.top + 1)]

    def apply(self, vector: np.ndarray, power: int) -> np.ndarray:
        """B_p v of the rows in which rates occur; zero in all others."""
        if power > self.operator.top:
            return np.zeros(len(vector))
        weights = [float(p == power) for p in range(self.operator.top + 1)]
        found = self.operator(vector.reshape(self.shape), weights).reshape(-1)
        return np.where(self.made.lowest == 0, found, 0.0)

    def rates(self, right: np.ndarray) -> np.ndarray:
        """The limit s → 0."""
        found = self._solved(right, 0.0, ROUNDING.iterated)
        return self.dense.rates(right) if found is None else found

    def projected(self, right: np.ndarray) -> np.ndarray:
        """z and q with  E z + A_q q = r  in the rows with rates, and the other rows of z alone."""
        near, weights = self.near, self._weights(0.0)
        assert isinstance(near, Saddle)

        def apply(vector: np.ndarray) -> np.ndarray:
            x = vector.reshape(self.shape)
            rows = self.operator(x, weights) + near.gradient(x)
            return near.solve(rows, weights, 1.0).reshape(-1)

        first = near.solve(right.reshape(self.shape), weights, 1.0).reshape(-1)
        found, count = krylov(apply, first, ROUNDING.iterated, 2 * SAFEGUARDS.krylov)
        return found if count < 2 * SAFEGUARDS.krylov else self.dense.projected(right)

    def at(self, shift: complex) -> Solve:
        """The solution of A(s) z = r."""
        return self._to(shift, ROUNDING.small)

    def roughly(self, shift: complex) -> Solve:
        """The same to two digits."""
        return self._to(shift, Options.minor**2)

    def factored(self, shift: float) -> Solve:
        """The same to rounding."""
        return self._to(shift, ROUNDING.iterated)

    def together(self, shifts: Sequence[complex], needed: Callable[[np.ndarray], float]) -> Solve:
        """The solutions of A(s_k) z_k = r_k for several shifts, as a function of r (shifts, n), as near as is needed."""

        def solve(right: np.ndarray) -> np.ndarray:
            real = [r if np.imag(s) else np.real(r) for s, r in zip(shifts, right, strict=True)]
            firsts = [self._first(r, s) for s, r in zip(shifts, real, strict=True)]
            residual = max(ROUNDING.small, Options.minor**2 * needed(np.stack(firsts)))
            residual = min(residual, Options.minor**2)
            return np.stack(
                [self._to(s, residual, first)(r) for s, r, first in zip(shifts, real, firsts, strict=True)]
            )

        return solve

    # Waves --------------------------------------------------------------------------------------------------

    @cached_property
    def _waves(self) -> BoxWaves:
        return BoxWaves(self.operator)

    def turned(self, vectors: np.ndarray) -> np.ndarray:
        """Columns of coefficients in the coordinates in which G is applied."""
        return self._waves.turned(vectors)

    def returned(self, vectors: np.ndarray) -> np.ndarray:
        """The other way round."""
        return self._waves.returned(vectors)

    def acceleration(self, vectors: np.ndarray) -> np.ndarray:
        """G v of columns, u_tt + G u = f: of first order in time, u_t + D u = f, it is −D²."""
        found = self._waves.slope(vectors)
        return found if self.made.system.links else -self._waves.slope(found)

    def bent(self, vectors: np.ndarray) -> np.ndarray:
        """u_tt of columns u_t where equations are of first order in time: −D u_t."""
        return -self._waves.slope(vectors)

    @cached_property
    def oscillations(self) -> tuple[float, float, float]:
        """The ends of the spectrum of G, and how far it is from real."""
        return spectral_range(
            lambda v: self.acceleration(v[:, None])[:, 0], self._waves.inside.reshape(-1).astype(float)
        )

    def explicit(self, products: float, shifts: int) -> bool:
        """Whether products with G cost less than steps that solve with A(s): these have to follow every wave that is there."""
        return self._waves.light

    def _to(self, shift: complex, residual: float, first: np.ndarray | None = None) -> Solve:
        s = complex(shift) if np.imag(shift) else float(np.real(shift))

        def solve(right: np.ndarray) -> np.ndarray:
            if right.ndim > 1:
                return np.column_stack([solve(column) for column in right.T])
            found = self._solved(right, s, residual, first) if self.made.iterates else None
            return self.dense.at(s)(right) if found is None else found

        return solve

    def _first(self, right: np.ndarray, shift: complex) -> np.ndarray:
        """What the separable operator makes of a right side."""
        scale = shift ** -self.made.lowest.astype(float) if shift != 0 else 1.0
        return self.near.solve((scale * right).reshape(self.shape), self._weights(shift)).reshape(-1)

    def _solved(
        self, right: np.ndarray, shift: complex, residual: float, first: np.ndarray | None = None
    ) -> np.ndarray | None:
        """By GMRES; None where it does not converge."""
        weights = self._weights(shift)
        if first is None:
            first = self._first(right, shift)

        def apply(vector: np.ndarray) -> np.ndarray:
            rows = self.operator(vector.reshape(self.shape), weights)
            return self.near.solve(rows, weights).reshape(-1)

        found, count = krylov(apply, first, residual, 2 * SAFEGUARDS.krylov)
        return found if count < 2 * SAFEGUARDS.krylov else None
