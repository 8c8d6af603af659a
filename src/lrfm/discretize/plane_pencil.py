# SPDX-License-Identifier: MIT
"""A(s) = Σ_p s^p B_p with sparse blocks, factored at shifts 4^k e^(iθ) only: the nearest of these, at most twice as large or small, serves for s.

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

if TYPE_CHECKING:
    from lrfm.discretize.galerkin import PlaneGalerkin


class SparsePencil(Pencil):
    """Linearized at one state."""

    def __init__(self, discretization: PlaneGalerkin, values: np.ndarray):
        super().__init__(discretization, values)  # pyright: ignore[reportArgumentType]
        self._kept: dict[complex, Solve] = {}

    @cached_property
    def matrices(self) -> list[Any]:
        """B_p, all with one pattern."""
        from scipy.sparse import csr_matrix

        made = self._made
        shape = (made.size, made.size)
        return [csr_matrix((v, (made.rows, made.columns)), shape=shape) for v in self._values]

    def at(self, shift: complex) -> Solve:
        """The solution of A(s) z = r, by factors of a shift nearby; by own ones where steps stay as they are."""
        shift = complex(shift) if np.imag(shift) else float(np.real(shift))
        if self._made.system.undamped or len(self._values) > 2:
            return self._factored(shift)
        near = _nearest(shift)
        return self._by(shift, near, self._factored(near))

    def _factored(self, shift: complex) -> Solve:
        """Factors, of which a few are kept."""
        if shift not in self._kept:
            self._factors.clear()
            self._kept = dict([*self._kept.items()][1 - PLANE.factors :]) | {shift: super().at(shift)}
        return self._kept[shift]

    def _by(self, shift: complex, near: complex, known: Solve) -> Solve:
        lowest = self._made.lowest.astype(float)
        # The factors know the rows of their own shift.
        scale, back = shift**-lowest, near**lowest
        total = self.matrices[0] + shift * self.matrices[1]
        dtype = complex if np.imag(shift) else float

        def solve(right: np.ndarray) -> np.ndarray:
            wanted = (scale * right).astype(dtype)
            apply, nearby = lambda v: total @ v, lambda v: known(back * v)
            return krylov(apply, nearby, wanted, PLANE.inexact, PLANE.krylov)[0]

        return solve


def _nearest(shift: complex) -> complex:
    """4^k e^(iθ) with the direction of a shift, up to rounding."""
    size = 4.0 ** round(np.log(abs(shift)) / np.log(4.0))
    if not np.imag(shift):
        return float(np.sign(np.real(shift)) * size)
    return complex(size * np.exp(1j * np.round(np.angle(shift), 9)))
