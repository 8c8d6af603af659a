# SPDX-License-Identifier: MIT
"""What a least-squares solver must offer, what it may offer, and what it returns.

`LeastSquares` is all that a solve needs. A solver that can do more says so by having the methods of `KeepsFactorization`,
`SolvesShares` or `KnowsPatches`; who has a use for one of these asks for it by that name, never for a class.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np

from lrfm.spacetime.least_squares import device
from lrfm.spacetime.least_squares.backends import Array, backend_of
from lrfm.spacetime.least_squares.column_groups import Index, Matrix, nonfinite_rows

if TYPE_CHECKING:
    from distributed import Client

RowGroups = Mapping[str, Index]
"""Rows by the label of their row group, for messages."""


class Factorization(Protocol):
    """What is left of a matrix that has been factored: it solves for other right-hand sides."""

    def solve(self, b: np.ndarray) -> Fit:
        """argmin ‖A c − b‖ for b of shape (m,), or (m, k) with one column of c for each column of b."""
        ...


@dataclass(frozen=True)
class Fit:
    """The minimizer of ‖A c − b‖ with what the factorization knows about it.

    `residual` is ‖A c − b‖ of the coefficients returned, an array (k,) for several right-hand sides; `rank` counts what the
    solver kept (an estimate for QR); `condition` is σ_max/σ_min of A as given, before any column scaling, or None where not
    asked for. `factored` is the factorization, where it is at hand without further cost; it is as large as A. `note` says why
    the minimizer may not have been reached.
    """

    coefficients: np.ndarray
    residual: float
    rank: int
    condition: float | None = None
    singular_values: np.ndarray | None = None
    factored: Factorization | None = None
    note: str = ""

    def without_factorization(self) -> Fit:
        """The same fit; the memory of the factorization is free again."""
        return replace(self, factored=None)


class LeastSquares(Protocol):
    """c = argmin ‖A c − b‖: what every solver must offer."""

    def solve(self, A: Matrix, b: np.ndarray, row_groups: RowGroups | None = None) -> Fit:
        """The minimizer. A may be overwritten, and may live on a device; `row_groups` names rows in messages."""
        ...

    def flops(self, rows: int, columns: int) -> float:
        """Operations of one solve with a plain matrix."""
        ...

    def doubles(self, rows: int, columns: int) -> int:
        """Numbers held at once, A included."""
        ...


@runtime_checkable
class KeepsFactorization(Protocol):
    """A solver that factors once, for many right-hand sides: marches of linear problems and operators use it."""

    def factor(self, A: Matrix) -> Factorization:
        """The factorization; A may be overwritten."""
        ...


@runtime_checkable
class SolvesShares(Protocol):
    """A solver for rows in shares that live apart; its `solve` takes Dask arrays."""

    @property
    def scheduler(self) -> str | Client | None:
        """Where shares are assembled; None: on threads of this machine."""
        ...

    @property
    def jobs(self) -> int | None:
        """Threads on this machine; None: all cores."""
        ...

    @property
    def stays(self) -> bool:
        """Whether shares stay in memory between the steps of an iteration."""
        ...

    def rows_each(self, rows: int, columns: int) -> int:
        """Rows of a share."""
        ...

    def rows_at_once(self, rows: int, columns: int) -> int:
        """Rows that one machine holds at the same time."""
        ...


@dataclass(frozen=True)
class SystemSize:
    """rows × columns, in `patches` column groups along each axis, of which a row meets the share `seen`.

    `repeated`: solved in every step of an iteration, each with a copy of the matrix.
    """

    rows: int
    columns: int
    patches: tuple[int, ...] = (1,)
    seen: float = 1.0
    repeated: bool = False

    @property
    def entries(self) -> float:
        """Numbers that are not zero."""
        return self.rows * self.columns * self.seen


@runtime_checkable
class KnowsPatches(Protocol):
    """A solver that is cheaper where the columns come in groups."""

    def cost(self, size: SystemSize) -> tuple[float, float]:
        """Numbers held beside the rows themselves, and flops of one solve."""
        ...


def cost(solver: LeastSquares, size: SystemSize) -> tuple[float, float]:
    """Numbers held beside the rows themselves, and flops of one solve: those of the dense matrix unless the solver knows better."""
    if isinstance(solver, KnowsPatches):
        return solver.cost(size)
    return solver.doubles(size.rows, size.columns), solver.flops(size.rows, size.columns)


# Checks -----------------------------------------------------------------------------------------------------


def check_system(A: Matrix, b: np.ndarray, row_groups: RowGroups | None) -> None:
    """Refuse what no solver can solve: too few rows, or entries that are not finite."""
    check_shape(A, b)
    check_finite(A, b, row_groups)


def check_finite(A: Matrix, b: np.ndarray, row_groups: RowGroups | None) -> None:
    """Refuse NaN and infinity with the name of the row group they came from."""
    refuse_rows(~np.isfinite(b) | nonfinite_rows(A), row_groups)


def refuse_rows(bad: np.ndarray, row_groups: RowGroups | None) -> None:
    """Refuse the rows that are marked, if any, with the names of their row groups."""
    if not bad.any():  # large terms whose sum overflows
        return
    names = [name for name, rows in (row_groups or {}).items() if bad[rows].any()]
    where = f" in the rows of {', '.join(names)}" if names else ""
    raise ValueError(
        f"The least-squares system has {int(bad.sum())} row(s) with non-finite entries{where} "
        f"(first: row {int(np.argmax(bad))}). A coefficient, a datum or the current iterate overflows there; "
        "check the data, shorten the time window (`blocks`), or use a smaller weight range."
    )


def check_shape(A: Matrix, b: np.ndarray) -> None:
    """Refuse fewer rows than columns."""
    if A.shape[0] < A.shape[1]:
        raise ValueError(
            f"The least-squares system has {A.shape[0]} rows for {A.shape[1]} unknowns; it needs at least as "
            "many rows. Increase the numbers in `Collocation` or use fewer features."
        )
    if b.shape != (A.shape[0],):
        raise ValueError(f"A has {A.shape[0]} rows, but b has shape {b.shape}.")


def check_fraction(name: str, value: float, usual: str) -> None:
    """Refuse a relative threshold that is no number in [0, 1)."""
    if not (isinstance(value, Real) and 0 <= value < 1):
        raise ValueError(f"`{name}={value!r}` must lie in [0, 1); {usual}.")


def check_positive(name: str, value: int) -> None:
    """Refuse what is not a positive whole number."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < 1:
        raise ValueError(f"`{name}={value!r}` must be a positive whole number.")


# Numbers ----------------------------------------------------------------------------------------------------


def condition_number(singular: np.ndarray) -> float:
    """σ₁/σ_n, infinite for a singular matrix."""
    with np.errstate(over="ignore"):
        return float(singular[0] / singular[-1]) if singular[-1] > 0 else math.inf


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
