# SPDX-License-Identifier: MIT
"""A(s) = Σ_p s^p B_p with sparse blocks: factors of one shift serve for others that are near, until new ones cost less."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from lrfm.discretize.collocation import Pencil
from lrfm.discretize.options import PLANE
from lrfm.linalg.banded import Solve
from lrfm.linalg.nearby import krylov

if TYPE_CHECKING:
    from lrfm.discretize.galerkin import PlaneGalerkin


class SparsePencil(Pencil):
    """Linearized at one state."""

    def __init__(self, discretization: PlaneGalerkin, values: np.ndarray):
        super().__init__(discretization, values)  # pyright: ignore[reportArgumentType]
        self._known: list[tuple[complex, Solve]] = []
        self._used: dict[complex, int] = {}

    @cached_property
    def matrices(self) -> list[Any]:
        """B_p, all with one pattern."""
        from scipy.sparse import csr_matrix

        made = self._made
        shape = (made.size, made.size)
        return [csr_matrix((v, (made.rows, made.columns)), shape=shape) for v in self._values]

    def at(self, shift: complex) -> Solve:
        """The solution of A(s) z = r, by own factors or by those of a shift nearby."""
        shift = complex(shift) if np.imag(shift) else float(np.real(shift))
        if shift in self._factors:
            return self._factors[shift]
        near = self._nearest(shift)
        if near is None or self._used.get(shift, 0) > PLANE.solutions:
            found = super().at(shift)
            self._known = [*self._known[1 - PLANE.factors :], (shift, found)]
            self._factors = dict(self._known)
            return found
        return self._by(shift, near)

    def _nearest(self, shift: complex) -> tuple[complex, Solve] | None:
        """Factors of a shift in the same direction, at most so many times as large or small."""

        def distance(other: complex) -> float:
            ratio = shift / other
            return max(abs(ratio), 1 / abs(ratio)) if abs(np.angle(ratio)) < 1e-9 else np.inf

        near = min(self._known, key=lambda entry: distance(entry[0]), default=None)
        return near if near is not None and distance(near[0]) <= PLANE.reuse else None

    def _by(self, shift: complex, near: tuple[complex, Solve]) -> Solve:
        scale = shift ** (-self._made.lowest.astype(float))
        # The factors know the rows of their own shift.
        back = near[0] ** self._made.lowest.astype(float)
        powers = [shift**p for p in range(len(self._values))]
        total = sum((c * m for c, m in zip(powers[1:], self.matrices[1:], strict=True)), self.matrices[0])

        def solve(right: np.ndarray) -> np.ndarray:
            dtype = complex if np.imag(shift) else float
            found, count = krylov(
                lambda v: total @ v,
                lambda v: near[1](back * v),
                (scale * right).astype(dtype),
                PLANE.inexact,
                PLANE.krylov,
            )
            self._used[shift] = self._used.get(shift, 0) + count
            return found

        return solve
