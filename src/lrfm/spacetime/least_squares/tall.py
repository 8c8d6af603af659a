# SPDX-License-Identifier: MIT
"""Tall systems in chunks of rows, by Dask's tall-skinny QR: no one ever holds the whole matrix.

    [A b] = Q [R z; 0 ρ],   min ‖A c − b‖² = min ‖R c − z‖² + ρ²

Chunks are reduced to triangles where they live, and triangles in a tree to one; the last one, of the size of the
columns, is solved as any system is. It has the column norms, singular values and residuals of [A b], so that scaling,
ridge and truncation mean the same as in `QR` and `TruncatedSVD`.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from lrfm.problem.calls import naming
from lrfm.spacetime.least_squares.base import (
    Fit,
    RowGroups,
    check_fraction,
    check_positive,
    check_shape,
    refuse_rows,
)
from lrfm.spacetime.least_squares.cluster import compute, library
from lrfm.spacetime.least_squares.qr import QR
from lrfm.spacetime.least_squares.svd import TruncatedSVD

if TYPE_CHECKING:
    from distributed import Client

DaskArray = Any
"""A Dask array; a NumPy array is cut into chunks."""
CHUNK_BYTES = 64 * 2**20
COPIES = 4  # of a chunk that are there at once: rows, rows beside b, Q, and what LAPACK works in


@naming
@dataclass(frozen=True, kw_only=True)
class Distributed:
    """Least squares over rows that are spread out: on threads of this machine, or on the workers of a cluster.

    Parameters
    ----------
    chunk_rows
        Rows of one chunk; at least twice the columns, so that every reduction makes less of them. By default chunks
        have 64 MB, or the least number of rows.
    ridge, condition
        As in `QR`.
    cutoff
        Truncate singular values instead, as `TruncatedSVD` does.
    scheduler
        Address of a Dask scheduler, such as ``tcp://host:8786``, or a `distributed.Client`; None: this machine.
    jobs
        Threads on this machine; all cores by default.
    keep
        Whether chunks stay in memory between the steps of an iteration, or are assembled anew in each. By default they
        stay on a cluster and do not on one machine, which then needs memory for a few chunks only.

    Notes
    -----
    Numbers depend on `chunk_rows`, in their last digits, but not on the place.

    Examples
    --------
    >>> import numpy as np
    >>> import lrfm
    >>> A = np.vander(np.linspace(0.0, 1.0, 200), 4)
    >>> lrfm.Distributed(chunk_rows=50, jobs=1).solve(A, A @ [1.0, 2.0, 3.0, 4.0]).coefficients.round(9)
    array([1., 2., 3., 4.])
    """

    chunk_rows: int | None = None
    ridge: float = 1e-15
    condition: bool = False
    cutoff: float | None = None
    scheduler: str | Client | None = None
    jobs: int | None = None
    keep: bool | None = None

    def __post_init__(self) -> None:
        check_fraction("ridge", self.ridge, "1e-15 is the default")
        if self.cutoff is not None:
            check_fraction("cutoff", self.cutoff, "the paper uses 1e-12")
        for name in ("chunk_rows", "jobs"):
            if getattr(self, name) is not None:
                check_positive(name, getattr(self, name))

    @staticmethod
    def like(solver: object, scheduler: str | Client | None) -> Distributed:
        """The same least squares as another solver's, as far as it has these options, with rows spread over a cluster."""
        names = [item.name for item in fields(Distributed) if hasattr(solver, item.name)]
        given: dict[str, Any] = {name: getattr(solver, name) for name in names}
        given["scheduler"] = scheduler
        return Distributed(**given)

    @property
    def stays(self) -> bool:
        """Whether chunks stay in memory."""
        return self.scheduler is not None if self.keep is None else self.keep

    def solve(self, A: DaskArray, b: DaskArray, row_groups: RowGroups | None = None) -> Fit:
        """Reduce A (chunks of rows) beside b to a triangle, and solve that."""
        da = library("dask.array")
        check_shape(A, b)
        A, b = self._chunks(A, b)
        n = A.shape[1]
        beside = da.map_blocks(
            _beside, A, b[:, None], chunks=(A.chunks[0], (n + 1,)), dtype=float, meta=np.empty((0, 0))
        )
        (R,) = compute([da.linalg.tsqr(beside)[1]], self.scheduler, self.jobs)
        if not np.all(np.isfinite(R)):
            good = da.isfinite(A).all(axis=1) & da.isfinite(b)
            refuse_rows(~compute([good], self.scheduler, self.jobs)[0], row_groups)
        last = (
            QR(ridge=self.ridge, condition=self.condition)
            if self.cutoff is None
            else TruncatedSVD(cutoff=self.cutoff)
        )
        return last.solve(np.asfortranarray(R[:, :n]), R[:, n].copy()).without_factorization()

    def _chunks(self, A: DaskArray, b: DaskArray) -> tuple[DaskArray, DaskArray]:
        """Both as Dask arrays with the same chunks of whole rows."""
        da = library("dask.array")
        rows = self.rows_each(*A.shape)
        if isinstance(A, np.ndarray):
            A = da.from_array(A, chunks=(rows, -1), name=False)
        A = A.rechunk({1: -1}) if len(A.chunks[1]) > 1 else A
        b = da.from_array(b, chunks=-1, name=False) if isinstance(b, np.ndarray) else b
        return A, b.rechunk((A.chunks[0],))

    def rows_each(self, rows: int, columns: int) -> int:
        """Rows of a chunk: as equal as possible, and not above `chunk_rows`."""
        least = 2 * (columns + 1)
        most = max(least, CHUNK_BYTES // (8 * (columns + 1))) if self.chunk_rows is None else self.chunk_rows
        if most < least:
            raise ValueError(
                f"`chunk_rows={self.chunk_rows}` is too few for {columns} columns: a chunk must have at least {least} rows, "
                "or its triangle is no smaller than itself."
            )
        return max(least, -(-rows // -(-rows // most)))

    def rows_at_once(self, rows: int, columns: int) -> int:
        """Rows that one machine holds at the same time."""
        if self.keep and self.scheduler is None:
            return rows
        threads = (self.jobs or os.cpu_count() or 1) if self.scheduler is None else 1
        return min(rows, threads * self.rows_each(rows, columns))

    def flops(self, rows: int, columns: int) -> float:
        """4mn²: reflectors, and the Q that Dask forms with them."""
        return 4.0 * rows * columns**2

    def doubles(self, rows: int, columns: int) -> int:
        """Copies of the chunks at work, and triangles."""
        return COPIES * self.rows_at_once(rows, columns) * columns + 4 * columns**2


def _beside(A: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.column_stack((A, b))
