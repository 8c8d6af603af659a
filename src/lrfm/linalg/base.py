# SPDX-License-Identifier: MIT
"""What a least-squares solver takes and returns."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from numbers import Real
from typing import Protocol

import numpy as np

from lrfm.linalg import device
from lrfm.linalg.backends import Array, backend_of
from lrfm.linalg.column_groups import ColumnBlocks


class Factorization(Protocol):
    """What is left of a matrix that has been factored: it solves for other right-hand sides."""

    def solve(self, b: np.ndarray) -> Fit: ...


@dataclass(frozen=True)
class Fit:
    """The minimizer of ‖A c − b‖ with what the factorization knows about it.

    `residual` is ‖A c − b‖ of the coefficients returned; `rank` counts what the solver kept (an estimate for
    QR); `condition` is σ_max/σ_min of A as given, before any column scaling, or None where not asked for.
    `factored` is the factorization, where it is at hand without further cost; it is as large as A. `note` says why the minimizer
    may not have been reached.
    """

    coefficients: np.ndarray
    residual: float
    rank: int
    condition: float | None = None
    singular_values: np.ndarray | None = None
    factored: Factorization | None = None
    note: str = ""

    def alone(self) -> Fit:
        """Without the factorization, whose memory is free again."""
        return replace(self, factored=None)


class LeastSquares(Protocol):
    """A solver; A may be overwritten, and may live on a device. `blocks` names the row blocks of A for messages."""

    def solve(
        self, A: Array | ColumnBlocks, b: np.ndarray, blocks: Mapping[str, slice] | None = None
    ) -> Fit: ...

    def flops(self, rows: int, columns: int) -> float: ...

    def doubles(self, rows: int, columns: int) -> int:
        """Numbers held at once, A included."""
        ...


def check_finite(A: Array | ColumnBlocks, b: np.ndarray, blocks: Mapping[str, slice] | None) -> None:
    """Refuse NaN and infinity with the name of the row block they came from."""
    refuse_rows(~np.isfinite(b) | _nonfinite_rows(A), blocks)


def refuse_rows(bad: np.ndarray, blocks: Mapping[str, slice | np.ndarray] | None) -> None:
    """Refuse the rows that are marked, if any, with the names of their blocks."""
    if not bad.any():  # large terms whose sum overflows
        return
    names = [name for name, rows in (blocks or {}).items() if bad[rows].any()]
    where = f" in the rows of {', '.join(names)}" if names else ""
    raise ValueError(
        f"The least-squares system has {int(bad.sum())} row(s) with non-finite entries{where} "
        f"(first: row {int(np.argmax(bad))}). A coefficient, a datum or the current iterate overflows there; "
        "check the data, shorten the time window (`blocks`), or use a smaller weight range."
    )


def _nonfinite_rows(A: Array | ColumnBlocks) -> np.ndarray:
    if isinstance(A, ColumnBlocks):
        return A.nonfinite_rows()
    # One pass that makes no temporary: a finite sum has finite terms.
    with np.errstate(all="ignore"):
        if np.isfinite(float(A.sum())):
            return np.zeros(len(A), dtype=bool)
    return ~np.isfinite(backend_of(A).to_numpy(A)).all(axis=1)


def check_fraction(name: str, value: float, usual: str) -> None:
    """Refuse a relative threshold that is no number in [0, 1)."""
    if not (isinstance(value, Real) and 0 <= value < 1):
        raise ValueError(f"`{name}={value!r}` must lie in [0, 1); {usual}.")


def condition_number(singular: np.ndarray) -> float:
    """σ₁/σ_n, infinite for a singular matrix."""
    with np.errstate(over="ignore"):
        return float(singular[0] / singular[-1]) if singular[-1] > 0 else math.inf


def check_shape(A: Array | ColumnBlocks, b: np.ndarray) -> None:
    """Refuse fewer rows than columns."""
    if A.shape[0] < A.shape[1]:
        raise ValueError(
            f"The least-squares system has {A.shape[0]} rows for {A.shape[1]} unknowns; it needs at least as "
            "many rows. Increase the numbers in `Collocation` or use fewer features."
        )
    if b.shape != (A.shape[0],):
        raise ValueError(f"A has {A.shape[0]} rows, but b has shape {b.shape}.")


def column_norms(A: Array) -> np.ndarray:
    """‖a_j‖, with 1 for a zero column, in one pass over a column-major matrix."""
    with np.errstate(over="ignore", under="ignore"):
        here = isinstance(A, np.ndarray)
        norms = np.sqrt(np.einsum("ji,ji->j", A.T, A.T)) if here else device.column_norms(A)
    # Squares of entries beyond 1e±150 leave the range of doubles: such columns are scaled first.
    for j in np.flatnonzero((norms < 1e-150) | (norms > 1e150)):
        column = backend_of(A).to_numpy(A[:, j])
        largest = np.abs(column).max()
        norms[j] = largest * np.linalg.norm(column / largest) if largest > 0 else 1.0
    return norms
