# SPDX-License-Identifier: MIT
"""Sparse systems A x = b by PETSc on all processes of `mpiexec`, each of which has some rows of A (Balay et al., PETSc/TAO Users Manual, 2022).

Factors are those of MUMPS (Amestoy, Duff, Koster, L'Excellent, SIAM J. Matrix Anal. Appl. 23, 2001); above the size at which they are made, cycles over degrees on the
process's own cells. Right sides and solutions are whole in every process, so that all go on with the same bits.
PETSc has real numbers: (R + iS)(v + iw) = f + ig is a real system in v₁, w₁, v₂, w₂, …, in which an entry is the block [r −s; s r].
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from lrfm.linalg.banded import SingularError, Solve
from lrfm.linalg.deadline import check_deadline
from lrfm.linalg.multilevel import BlockPlaces, Cycle
from lrfm.linalg.room import reserve
from lrfm.linalg.sparse import PIVOT, by_columns

SINGULAR = (-6, -10)  # what INFOG(1) of MUMPS says: no pivots by the pattern, or by the numbers;
CRAMPED = (-8, -9)  # its arrays were too small, larger by ICNTL(14) percent than foreseen
PERCENT = (20, 200, 2000)  # which are tried one after the other, from MUMPS' own on
MISSING = (
    "`linear='petsc'` and several processes need petsc4py with MUMPS, and {}. On Debian both are in `apt-get install python3-petsc4py openmpi-bin`, for Debian's own "
    'Python; `make petsc-test` puts them beside lrfm. Elsewhere `pip install "lrfm[petsc]"` builds them. See docs/distributed.md.'
)


class Disagreement(RuntimeError):
    """Processes that should have the same numbers have not."""


@cache
def world() -> World:
    """All processes that were started together; one of its own where there is no `mpiexec`."""
    try:
        import petsc4py  # pyright: ignore[reportMissingImports]

        # Ctrl-C, and whoever ends the program, are heard by Python.
        petsc4py.init(["lrfm", "-no_signal_handler"])
        from petsc4py import PETSc  # pyright: ignore[reportMissingImports]
    except ImportError as error:
        raise ImportError(MISSING.format(f"it cannot be loaded ({error})")) from error
    if np.dtype(PETSc.ScalarType) != np.float64 or not PETSc.Sys.hasExternalPackage("mumps"):
        raise ImportError(MISSING.format("the one that is installed has complex numbers, or no MUMPS"))
    return World(PETSc)


class World:
    """The processes of PETSc's COMM_WORLD; a `Group` of `lrfm.linalg.processes`."""

    def __init__(self, petsc: Any):
        self.petsc, self.comm = petsc, petsc.COMM_WORLD
        self.count, self.first = self.comm.getSize(), self.comm.getRank() == 0
        self._one = petsc.Vec().createMPI((1, None), comm=self.comm)

    def share(self, size: int) -> slice:
        """The part of so many rows that belongs to this process."""
        rank = self.comm.getRank()
        return slice(size * rank // self.count, size * (rank + 1) // self.count)

    def agreed(self, value: float) -> float:
        self._one.setArray([value if self.first else 0.0])
        return float(self._one.sum())

    def anywhere(self, flag: bool) -> bool:
        self._one.setArray([float(flag)])
        return self._one.max()[1] > 0

    def check(self, numbers: np.ndarray) -> None:
        """Refuse to go on where processes came to different numbers: they would soon wait for each other without end."""
        own = float(zlib.adler32(np.ascontiguousarray(numbers).view(np.uint8).data))
        if self.anywhere(own != self.agreed(own)):
            raise Disagreement(
                "The processes have come to different numbers, by rounding, and cannot share their systems. Start them on machines of one kind, with the same versions."
            )

    def clean(self) -> None:
        """Let go of matrices that no process refers to any more: they are in all of them, and go in all at once."""
        self.petsc.garbage_cleanup(self.comm)

    def sparse(self, rows: np.ndarray, columns: np.ndarray, size: int, pivots: bool) -> SparseRows:
        return SparseRows(self, rows, columns, size, pivots)

    def cycle(self, blocks: BlockPlaces, values: np.ndarray, levels: Sequence[np.ndarray]) -> Solve:
        self.check(values)
        self.clean()
        own = OwnBlocks(self, blocks)
        cells, size = self.share(len(blocks.own)), values.shape[1]
        part = slice(size * cells.start, size * cells.stop)
        return Whole(self, Cycle(own, values[own.part], levels), part, size * len(blocks.own))


class Whole:
    """A function of vectors (n,) or (n, k) from one of the process's own part of them; what others have is gathered."""

    def __init__(self, group: World, own: Solve, part: slice, size: int):
        self._group, self._own, self._part = group, own, part
        self._vector = group.petsc.Vec().createMPI((part.stop - part.start, size), comm=group.comm)
        self._scatter, self._all = group.petsc.Scatter.toAll(self._vector)

    def __call__(self, right: np.ndarray) -> np.ndarray:
        self._group.check(right)
        own = self._own(np.ascontiguousarray(right[self._part]))
        if own.ndim == 1:
            return self._gathered(own)
        return np.column_stack([self._gathered(column) for column in own.T])

    def _gathered(self, own: np.ndarray) -> np.ndarray:
        self._vector.setArray(own)
        self._scatter.scatter(self._vector, self._all, addv=False, mode=False)
        return self._all.getArray().copy()


class Rows:
    """A matrix of PETSc: products and solutions of the process's own rows."""

    def __init__(self, group: World, matrix: Any):
        self._group, self._matrix = group, matrix
        self._in, self._out = matrix.createVecs()
        self.fill = 0.0  # numbers in factors, of all processes

    def __matmul__(self, own: np.ndarray) -> np.ndarray:
        return self._through(self._matrix.mult, self._in, self._out, own)

    @staticmethod
    def _through(apply: Any, given: Any, result: Any, own: np.ndarray) -> np.ndarray:
        """A function of vectors of PETSc, of columns one after the other."""
        found = np.empty((own.shape[0], own.size // max(len(own), 1)))
        for k, column in enumerate(own.reshape(found.shape).T):
            given.setArray(column)
            apply(given, result)
            found[:, k] = result.getArray()
        return found.reshape(own.shape)

    def factored(self, pivots: bool = True) -> Solve:
        """The solution of A x = b, both in rows of each process; SingularError in all of them where there is none."""
        for percent in PERCENT:
            factors = self._group.petsc.PC().create(self._group.comm)
            factors.setOperators(self._matrix)
            factors.setType("lu")
            factors.setFactorSolverType("mumps")
            factors.setFactorSetUpSolverType()
            held = factors.getFactorMatrix()
            held.setMumpsCntl(1, PIVOT if pivots else 0.0)
            held.setMumpsIcntl(14, percent)
            factors.setUp()
            said = held.getMumpsInfog(1)
            if said not in CRAMPED:
                break
        if said in SINGULAR:
            raise SingularError("The sparse matrix is singular.")
        if said < 0:
            raise MemoryError(
                f"MUMPS could not factor the sparse matrix: INFOG(1) = {said}, INFOG(2) = {held.getMumpsInfog(2)}."
            )
        self.fill = float(held.getMumpsInfog(29))
        self.fill = self.fill if self.fill >= 0 else -1e6 * self.fill  # in millions

        def solve(own: np.ndarray) -> np.ndarray:
            if own.ndim == 1:
                return self._through(factors.apply, self._out, self._in, own)
            return self._by_columns(held.matSolve, own)

        return solve

    def _by_columns(self, apply: Any, own: np.ndarray) -> np.ndarray:
        """A function of several columns: what factors are read for serves all of them."""
        group, sizes = self._group, (self._matrix.getSizes()[0], (None, own.shape[1]))
        given, result = (
            group.petsc.Mat().createDense(sizes, array=part, comm=group.comm)
            for part in (np.asfortranarray(own), np.zeros(own.shape, order="F"))
        )
        apply(given, result)
        found = result.getDenseArray().copy()
        given.destroy()
        result.destroy()
        return found


class SparseRows:
    """A sparse matrix with entries at (rows, columns), each place once; as `Sparse`, with its rows on several processes."""

    def __init__(self, group: World, rows: np.ndarray, columns: np.ndarray, size: int, pivots: bool = True):
        self._group, self.size, self._pivots = group, size, pivots
        self._part = group.share(size)
        own = np.flatnonzero((rows >= self._part.start) & (rows < self._part.stop))
        order, self._indices, starts = by_columns(columns[own], rows[own] - self._part.start, size)
        self._order, self._starts = own[order], starts[: self._part.stop - self._part.start + 1]
        self._fill, self._took = 2.0 * len(rows), 0.0

    def factor(self, values: np.ndarray) -> Solve:
        group, numbers = self._group, 2 if np.iscomplexobj(values) else 1
        group.check(values)
        group.clean()
        reserve(self._fill * numbers**2 / group.count)
        check_deadline(group.agreed(self._took))
        began = time.perf_counter()
        rows = Rows(group, self._distributed(values[self._order], numbers))
        own = rows.factored(self._pivots)
        self._fill, self._took = rows.fill / numbers**2, time.perf_counter() - began
        part = slice(numbers * self._part.start, numbers * self._part.stop)
        whole = Whole(group, own, part, numbers * self.size)
        return whole if numbers == 1 else lambda right: _complex(whole, right)

    def _distributed(self, values: np.ndarray, numbers: int) -> Any:
        """The matrix of PETSc: entries of this process's rows, or two rows for each where they are complex."""
        from scipy.sparse import csr_matrix, kron

        count = self._part.stop - self._part.start
        found = csr_matrix((values, self._indices, self._starts), shape=(count, self.size))
        if numbers == 2:
            found = (kron(found.real, np.eye(2)) + kron(found.imag, [[0.0, -1.0], [1.0, 0.0]])).tocsr()
        shape = numbers * count, numbers * self.size
        parts = (
            *(index.astype(self._group.petsc.IntType) for index in (found.indptr, found.indices)),
            found.data,
        )
        return self._group.petsc.Mat().createAIJ((shape, shape), csr=parts, comm=self._group.comm)


class OwnBlocks:
    """The blocks of this process's cells, as `BlockPlaces`; `part` says which of all they are."""

    def __init__(self, group: World, blocks: BlockPlaces):
        cells = group.share(len(blocks.own))
        first, last = (int(blocks.starts[at]) for at in (cells.start, cells.stop))
        self._group, self._cells, self.part = group, len(blocks.own), slice(first, last)
        self._indices, self._starts = (
            blocks.indices[self.part],
            blocks.starts[cells.start : cells.stop + 1] - first,
        )
        self.own = blocks.own[cells] - first

    def matrix(self, values: np.ndarray) -> Rows:
        """The rows of these cells."""
        size, petsc = values.shape[1], self._group.petsc
        shape = len(self.own) * size, self._cells * size
        parts = (
            *(index.astype(petsc.IntType) for index in (self._starts, self._indices)),
            np.ascontiguousarray(values).ravel(),
        )
        found = petsc.Mat().createBAIJ((shape, shape), size, csr=parts, comm=self._group.comm)
        return Rows(self._group, found)

    def factored(self, matrix: Rows) -> Solve:
        return matrix.factored()


def _complex(real: Solve, right: np.ndarray) -> np.ndarray:
    """A real function of v₁, w₁, v₂, w₂, … of v + iw."""
    parts = np.stack([np.real(right), np.imag(right)], axis=1).reshape(2 * len(right), *right.shape[1:])
    found = real(parts).reshape(len(right), 2, *right.shape[1:])
    return found[:, 0] + 1j * found[:, 1]
