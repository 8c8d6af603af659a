# SPDX-License-Identifier: MIT
"""A x = b of dense blocks between neighbors, for more unknowns than factors have room: GMRES with one V-cycle over degrees.

Each block is what one cell says of another in functions φ₁, φ₂, … of growing degree; the first ones of every cell span a coarser space, whose matrix is made of the
leading parts of the blocks. A cycle from zero is, with D the diagonal blocks and C the cycle of the coarser space,

    x ← ω D⁻¹b,   x ← x + C(b − A x),   x ← x + ω D⁻¹(b − A x);

the coarsest matrix, of linear functions, is factored (Fidkowski, Oliver, Lu, Darmofal, J. Comput. Phys. 207, 2005). Iterations do not grow with the number
of cells (degree 5, 25 to 334 cells: 15 to 25), and memory is linear in the unknowns.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from lrfm.linalg.banded import SingularError, Solve
from lrfm.linalg.deadline import check_deadline
from lrfm.linalg.nearby import krylov
from lrfm.linalg.processes import anywhere, group
from lrfm.linalg.room import reserve
from lrfm.linalg.sparse import PIVOT, sparse_solver

DAMPING = 0.7  # ω: neighbors in two colors would bound the spectrum of D⁻¹A by 2, and ω = 2/3 damps its upper half best
RESIDUAL = 1e-12  # of a matrix that is solved with alone
MOST = 120  # iterations after which a matrix is factored
PATIENCE = 25  # those that the hardest of regular ones took: waves have less than a digit by then


@dataclass(frozen=True)
class BlockPlaces:
    """Places of dense blocks (n, m, m) by rows: as SciPy's `bsr_matrix` has them; `own` are the numbers of the diagonal ones."""

    indices: np.ndarray
    starts: np.ndarray
    own: np.ndarray

    @staticmethod
    def of(rows: np.ndarray, columns: np.ndarray) -> tuple[BlockPlaces, np.ndarray]:
        """The places of blocks at some rows and columns, and the order in which they come."""
        order = np.lexsort([columns, rows])
        rows, columns = rows[order], columns[order]
        starts = np.searchsorted(rows, np.arange(rows[-1] + 2)).astype(np.int32)
        return BlockPlaces(columns.astype(np.int32), starts, np.flatnonzero(rows == columns)), order

    @property
    def rows(self) -> np.ndarray:
        """Of each block."""
        return np.repeat(np.arange(len(self.own)), np.diff(self.starts))

    def matrix(self, values: np.ndarray) -> Any:
        """The matrix of blocks, without those that are zero."""
        from scipy.sparse import bsr_matrix

        size = len(self.own) * values.shape[1]
        full = np.any(values, axis=(1, 2))
        if full.all():
            return bsr_matrix((values, self.indices, self.starts), shape=(size, size))
        starts = np.concatenate([[0], np.cumsum(full)])[self.starts].astype(np.int32)
        return bsr_matrix((values[full], self.indices[full], starts), shape=(size, size))

    def factored(self, matrix: Any) -> Solve:
        """The factors of a matrix whose unknowns are in the order of elimination."""
        from scipy.sparse.linalg import splu

        try:
            found = splu(
                matrix.tocsc(),
                permc_spec="NATURAL",
                diag_pivot_thresh=PIVOT,
                options={"SymmetricMode": True},
            )
        except RuntimeError as error:
            raise SingularError("The sparse matrix is singular.") from error
        return lambda b: found.solve(np.ascontiguousarray(b))


class Places(Protocol):
    """Places of blocks, of all cells or of those of one process."""

    @property
    def own(self) -> np.ndarray: ...

    def matrix(self, values: np.ndarray) -> Any: ...

    def factored(self, matrix: Any) -> Solve: ...


class Cycle:
    """M⁻¹ ≈ A⁻¹ as a function of vectors (n,) or (n, k).

    Parameters
    ----------
    blocks, values
        The matrix.
    levels
        Which functions of a cell each coarser space has, as places among those of the one before; on the last it is factored.
    """

    def __init__(self, blocks: Places, values: np.ndarray, levels: Sequence[np.ndarray]):
        check_deadline()
        self._cells, self._size = len(blocks.own), values.shape[1]
        self._matrix = blocks.matrix(values)
        self._coarser: Callable[[np.ndarray], np.ndarray] | None = None
        if not levels:
            self._solve = blocks.factored(self._matrix)
            return
        singular = False
        try:
            self._inverse = DAMPING * np.linalg.inv(values[blocks.own])
        except np.linalg.LinAlgError:
            singular = True
        if anywhere(singular):
            raise SingularError("A diagonal block of the sparse matrix is singular.")
        self._keep = levels[0]
        self._coarser = Cycle(blocks, values[:, self._keep[:, None], self._keep], levels[1:])

    def __call__(self, right: np.ndarray) -> np.ndarray:
        if self._coarser is None:
            return self._solve(right)
        flat = right.reshape(len(right), -1)
        x = self._smoothed(flat)
        left = (flat - self._matrix @ x).reshape(self._cells, self._size, -1)[:, self._keep]
        more = self._coarser(left.reshape(-1, flat.shape[1]))
        x.reshape(self._cells, self._size, -1)[:, self._keep] += more.reshape(left.shape)
        x += self._smoothed(flat - self._matrix @ x)
        return x.reshape(right.shape)

    def _smoothed(self, right: np.ndarray) -> np.ndarray:
        """ω D⁻¹ of columns."""
        return np.matmul(self._inverse, right.reshape(self._cells, self._size, -1)).reshape(right.shape)


class Multilevel:
    """Matrices of blocks that are solved with by iterations; `levels` as in `Cycle`."""

    def __init__(self, blocks: BlockPlaces, levels: Sequence[np.ndarray]):
        self.blocks, self.levels = blocks, levels

    def _shaped(self, values: np.ndarray) -> np.ndarray:
        size = math.isqrt(values.size // len(self.blocks.indices))
        return values.reshape(-1, size, size)

    def matrix(self, values: np.ndarray) -> Any:
        """A sparse matrix of all numbers of all blocks."""
        return self.blocks.matrix(self._shaped(values))

    def cycle(self, values: np.ndarray) -> Solve:
        """M⁻¹ of a real matrix."""
        reserve(2 * values.size)
        made, shared = self._shaped(values), group()
        cycle = Cycle if shared is None else shared.cycle
        return cycle(self.blocks, made, self.levels)

    def factor(self, values: np.ndarray) -> Solve:
        """The solution to rounding, by the cycle of the real part where entries are complex; by factors where iterations do not converge, as for waves between walls."""
        real = np.ascontiguousarray(np.real(values))
        cycle, matrix = self.cycle(real), self.matrix(values)
        factors: list[Solve] = []

        def solve(right: np.ndarray) -> np.ndarray:
            if right.ndim > 1:
                return np.column_stack([solve(column) for column in right.T])
            if factors:
                return factors[0](right.astype(values.dtype))
            first = split(cycle, right.astype(values.dtype))
            found, count = krylov(lambda v: split(cycle, matrix @ v), first, RESIDUAL, MOST, PATIENCE)
            if count < MOST:
                return found
            entries = matrix.tocoo()
            factors.append(sparse_solver(entries.row, entries.col, matrix.shape[0]).factor(entries.data))
            return factors[0](right.astype(values.dtype))

        return solve


def split(real: Solve, right: np.ndarray) -> np.ndarray:
    """A real function of the real and the imaginary part."""
    if not np.iscomplexobj(right):
        return real(right)
    both = real(np.column_stack([np.real(right), np.imag(right)]))
    return both[:, 0] + 1j * both[:, 1]
