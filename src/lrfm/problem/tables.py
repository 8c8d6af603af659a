# SPDX-License-Identifier: MIT
"""Given data as tables: values on a grid of named coordinates, and a spline through them that can be differentiated.

d(x, …) = Σ c_ij… B_i(x) B_j(y) …, B-splines of degree five (less where there are few places), not-a-knot at the ends, so that ``diff(k*u_x, x)``
and corners of data are exact derivatives of what was given. Outside of its places a table is not known, and says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from lrfm.problem.algebra import ZERO, Expr
from lrfm.problem.calls import naming
from lrfm.problem.errors import ProblemError, listing, short, suggest
from lrfm.problem.expression import Value
from lrfm.problem.jets import GivenSymbol

DEGREE = 5
LARGEST = 20_000_000  # values of a table


@naming
class Table:
    """d(x, …) by values on a grid; a function of the named coordinates, with all derivatives.

    Parameters
    ----------
    values
        An array with one axis per coordinate, in the order in which these are given.
    **places
        Increasing places along each coordinate.

    Examples
    --------
    >>> import numpy as np, lrfm
    >>> x = np.linspace(0, 1, 50)
    >>> table = lrfm.Table(np.sin(x), x=x)
    >>> bool(abs(table(x=0.3) - np.sin(0.3)) < 1e-9)
    True
    """

    def __init__(self, values: Any, **places: Any):
        self.source: dict[str, str] = {}  # the file it was read from, in the words of a statement
        self.values = np.array(values)
        try:
            self.places = {name: np.array(line, dtype=float) for name, line in places.items()}
        except (TypeError, ValueError, OverflowError):
            raise ProblemError(
                f"The places of a table along {listing(places)} must be two or more increasing numbers."
            ) from None
        self._check()

    def _check(self) -> None:
        if self.values.dtype.kind not in "biufc" or self.values.size > LARGEST:
            raise ProblemError(
                f"A table has values of type {self.values.dtype} and shape {self.values.shape}; expected at most {LARGEST:,} numbers."
            )
        self.values = self.values.astype(complex if self.values.dtype.kind == "c" else float)
        shape = tuple(line.size for line in self.places.values())
        if not shape or self.values.shape != shape:
            places = ", ".join(f"{name} {line.size}" for name, line in self.places.items()) or "none"
            raise ProblemError(
                f"A table has values of shape {self.values.shape} and places along {places}; the numbers of places must be its shape."
            )
        for name, line in self.places.items():
            if (
                line.ndim != 1
                or line.size < 2
                or not np.all(np.diff(line) > 0)
                or not np.all(np.isfinite(line))
            ):
                raise ProblemError(
                    f"The places of a table along `{name}` must be two or more increasing numbers."
                )
        if not np.all(np.isfinite(self.values)):
            raise ProblemError("A table has values that are not finite; fill the gaps first.")

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.places)

    @property
    def parts(self) -> list[Table]:
        """Itself, or real and imaginary part."""
        if self.values.dtype.kind != "c":
            return [self]
        return [Table(part, **self.places) for part in (np.real(self.values), np.imag(self.values))]

    @cached_property
    def _spline(self) -> Any:
        from scipy.interpolate import NdBSpline, make_interp_spline

        coefficients, knots, degrees = self.values, [], []
        for axis, (name, line) in enumerate(self.places.items()):
            degree = min(DEGREE, line.size - 1 - (line.size % 2 == 1 and line.size <= DEGREE))
            degree -= degree % 2 == 0 and degree > 1
            try:
                spline = make_interp_spline(line, coefficients, k=max(degree, 1), axis=axis)
            except (ValueError, np.linalg.LinAlgError):  # its matrix overflows or is singular
                raise ProblemError(
                    f"The places of a table along `{name}` are too uneven for a smooth curve through its values, or these too large; "
                    "give values on a more even grid."
                ) from None
            coefficients = np.moveaxis(spline.c, 0, axis)
            knots.append(spline.t)
            degrees.append(spline.k)
        return NdBSpline(tuple(knots), np.ascontiguousarray(coefficients), tuple(degrees))

    def at(self, columns: Sequence[np.ndarray], orders: Sequence[int], what: str) -> np.ndarray:
        """A derivative at points, one column per coordinate of the table."""
        inside = []
        for (name, line), column in zip(self.places.items(), columns, strict=True):
            slack = 1e-9 * (line[-1] - line[0])
            bad = (column < line[0] - slack) | (column > line[-1] + slack)
            if np.any(bad):
                raise ProblemError(
                    f"{what}: the table covers `{name}` from {line[0]:g} to {line[-1]:g}, and is needed at {name}={column[bad][0]:g}; "
                    "give a table that covers the whole domain."
                )
            inside.append(np.clip(column, line[0], line[-1]))
        if any(n > k for n, k in zip(orders, self._spline.k, strict=True)):
            return np.zeros(len(columns[0]))
        return self._spline(np.column_stack(inside), nu=np.asarray(orders, dtype=np.int64))

    def __call__(self, **coordinates: Any) -> np.ndarray:
        """Values at coordinates, with NumPy broadcasting; other coordinates than its own do not matter."""
        arrays = np.broadcast_arrays(*(np.asarray(coordinates[name], dtype=float) for name in self.names))
        return self.at([a.ravel() for a in arrays], (0,) * len(arrays), "A table").reshape(arrays[0].shape)[
            ()
        ]

    def record(self) -> dict[str, Any]:
        """The table as plain arrays for a file."""
        return {"values": self.values, "places": self.places}

    @staticmethod
    def from_record(values: np.ndarray, places: dict[str, np.ndarray]) -> Table:
        """What `record` wrote."""
        return Table(values, **places)

    def __reduce__(self) -> tuple:
        return Table.from_record, (self.values, self.places)

    def __repr__(self) -> str:
        return f"<Table, {' x '.join(map(str, self.values.shape))} places of {', '.join(self.names)}>"


class TableSymbol(GivenSymbol):
    """A derivative of a real table in a formula."""

    __slots__ = ("coordinates", "orders", "table")

    def __init__(
        self,
        owner: str,
        table: Table,
        coordinates: tuple[str, ...],
        orders: tuple[int, ...],
        part: str = "re",
    ):
        self.table, self.coordinates, self.orders = table, coordinates, orders
        super().__init__(owner, f"{part}<{','.join(map(str, orders))}>", self._values)

    def _values(self, points: np.ndarray) -> np.ndarray:
        names = self.table.names
        columns = [points[:, self.coordinates.index(name)] for name in names]
        orders = [self.orders[self.coordinates.index(name)] for name in names]
        return self.table.at(columns, orders, self.owner)

    @property
    def steady(self) -> bool:
        """Whether it does not change in time."""
        return self.coordinates[-1] not in self.table.names

    def depends(self, coordinates: Sequence[str]) -> frozenset[str]:
        return frozenset(self.table.names)

    def raised(self, position: int) -> Expr:
        """Its derivative by one coordinate."""
        if self.coordinates[position] not in self.table.names:
            return ZERO
        orders = tuple(n + (i == position) for i, n in enumerate(self.orders))
        part = self.name.removeprefix(f"{self.owner}.").partition("<")[0]
        return TableSymbol(self.owner, self.table, self.coordinates, orders, part)

    def __reduce__(self) -> tuple:
        part = self.name.removeprefix(f"{self.owner}.").partition("<")[0]
        return TableSymbol, (self.owner, self.table, self.coordinates, self.orders, part)


def table_value(table: Table, owner: str, coordinates: Sequence[str]) -> Value:
    """A table as a formula: one symbol, or two where it is complex."""
    coordinates = tuple(coordinates)
    wrong = [name for name in table.names if name not in coordinates]
    if wrong:
        raise ProblemError(
            f"{owner}: the table has the coordinate `{short(wrong[0])}`; the coordinates are {listing(coordinates)}."
            f"{suggest(wrong[0], coordinates)}"
        )
    zeros = (0,) * len(coordinates)
    parts = zip(table.parts, ("re", "im"), strict=False)
    return Value(*(TableSymbol(owner, part, coordinates, zeros, name) for part, name in parts))
