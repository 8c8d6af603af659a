# SPDX-License-Identifier: MIT
"""A(s) = Σ_p s^p B_p with sparse blocks. Where p ≤ 1, factors of A(σ) at σ = 16^k serve for all s, real or complex, with |s|/σ from 1/8 to 2:

    A(σ)⁻¹A(s) = (s/σ) I + (1 − s/σ) A(σ)⁻¹B₀,

whose eigenvalues lie between 1 and s/σ for a positive pencil, so that GMRES takes a dozen solutions with real factors (28 of which cost what the factors do). Three complex shifts of a step of Radau IIA cost one real factorization.
What is solved so depends on s alone, not on what was solved before: an integration that goes on from a checkpoint takes the same steps.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from lrfm.discretize.collocation import Pencil
from lrfm.discretize.options import PLANE
from lrfm.linalg.banded import Solve
from lrfm.linalg.nearby import krylov
from lrfm.linalg.sparse import factored

if TYPE_CHECKING:
    from lrfm.discretize.galerkin import PlaneGalerkin


class SparsePencil(Pencil):
    """Linearized at one state."""

    def __init__(self, discretization: PlaneGalerkin, values: np.ndarray):
        super().__init__(discretization, values)  # pyright: ignore[reportArgumentType]
        self._kept: dict[complex, Solve] = {}

    @property
    def rate(self) -> float:
        """Where rows are linear and stay the same, that of GMRES: what it leaves in the norm of factors, with room for other norms."""
        system = self._made.system
        return PLANE.rate if system.linear and system.stationary else 1.0

    @cached_property
    def matrices(self) -> list[Any]:
        """B_p, without the zeros of the common pattern."""
        from scipy.sparse import csr_matrix

        made = self._made
        shape = (made.size, made.size)
        found = [csr_matrix((v, (made.rows, made.columns)), shape=shape) for v in self._values]
        for matrix in found:
            matrix.eliminate_zeros()
        return found

    def rates(self, right: np.ndarray) -> np.ndarray:
        """The limit s → 0: B₀ is block diagonal, the identity where fields have rates of their own."""
        return factored(self.matrices[0].tocsc())(right)

    def at(self, shift: complex) -> Solve:
        """The solution of A(s) z = r, by factors of a real shift nearby; by own ones where steps stay as they are."""
        return self._to(shift, PLANE.inexact)

    def roughly(self, shift: complex) -> Solve:
        """The same to two digits."""
        return self._to(shift, PLANE.roughly)

    def _to(self, shift: complex, residual: float) -> Solve:
        shift = complex(shift) if np.imag(shift) else float(np.real(shift))
        if self._made.system.undamped or len(self._values) > 2 or np.real(shift) <= 0:
            return self._factored(shift)
        # Larger factors serve better than smaller ones: s/σ from 2/16 to 2.
        near = PLANE.nearby ** np.ceil(np.log(abs(shift) / 2) / np.log(PLANE.nearby))
        return self._by(shift, float(near), residual)

    def _factored(self, shift: complex) -> Solve:
        """Factors, of which a few are kept."""
        if shift not in self._kept:
            self._factors.clear()
            self._kept = dict([*self._kept.items()][1 - PLANE.factors :]) | {shift: super().at(shift)}
        return self._kept[shift]

    def _by(self, shift: complex, near: float, residual: float) -> Solve:
        known, rates = self._factored(near), self.matrices[0]
        lowest = self._made.lowest.astype(float)
        # The factors know the rows of their own shift.
        scale, back, ratio = shift**-lowest, near**lowest, shift / near

        def nearby(right: np.ndarray) -> np.ndarray:
            right = back * right
            if not np.iscomplexobj(right):
                return known(right)
            both = known(np.column_stack([np.real(right), np.imag(right)]))
            return both[:, 0] + 1j * both[:, 1]

        def solve(right: np.ndarray) -> np.ndarray:
            if right.ndim > 1:
                return np.column_stack([solve(column) for column in right.T])
            wanted = (scale * right).astype(type(shift))
            apply = lambda v: ratio * v + (1 - ratio) * nearby(rates @ v)  # noqa: E731
            found, count = krylov(apply, nearby(wanted), residual, PLANE.krylov)
            return found if count < PLANE.krylov else self._factored(shift)(right)

        return solve
