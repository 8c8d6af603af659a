# SPDX-License-Identifier: MIT
"""Given data as tables: values on a grid of named coordinates, and a spline through them that can be differentiated.

d(x, …) = Σ c_ij… B_i(x) B_j(y) …, B-splines of degree five (less where there are few places), not-a-knot at the ends, so that ``diff(k*u_x, x)``
and corners of data are exact derivatives of what was given. Outside of its places a table is not known, and says so.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from lrfm.problem.algebra import ZERO, Expr
from lrfm.problem.errors import ProblemError, counted, listing, short, shown, suggest
from lrfm.problem.expression import Value
from lrfm.problem.jets import GivenSymbol

DEGREE = 5
LARGEST = 20_000_000  # values of a table
SOURCES = frozenset(("file", "column"))


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
        self.places = {name: np.array(line, dtype=float) for name, line in places.items()}
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
        for axis, line in enumerate(self.places.values()):
            degree = min(DEGREE, line.size - 1 - (line.size % 2 == 1 and line.size <= DEGREE))
            degree -= degree % 2 == 0 and degree > 1
            spline = make_interp_spline(line, coefficients, k=max(degree, 1), axis=axis)
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


def with_tables(given: Any, coordinates: Sequence[str], unknowns: Sequence[str] = ()) -> Any:
    """The same data with tables in the place of what holds one: labeled arrays, frames, files.

    A mapping with `file` alone stands for one table, or for one column per unknown where there are several.
    """
    if isinstance(given, Mapping) and "file" in given and "file" not in unknowns and given.keys() <= SOURCES:
        if len(unknowns) > 1 and "column" not in given:
            return {name: read_table(given["file"], coordinates, name) for name in unknowns}
        return read_table(given["file"], coordinates, given.get("column"))
    if isinstance(given, Mapping):
        return {key: with_tables(value, coordinates) for key, value in given.items()}
    if isinstance(given, list):
        return [with_tables(value, coordinates) for value in given]
    if isinstance(given, os.PathLike):
        return read_table(given, coordinates, None)
    if hasattr(given, "dims") and hasattr(given, "coords") and hasattr(given, "values"):
        return _from_labeled(given, coordinates)
    if hasattr(given, "columns") and hasattr(given, "to_numpy"):
        return _from_columns(
            {str(c): given[c].to_numpy() for c in given.columns}, coordinates, None, "The frame"
        )
    if hasattr(given, "reset_index") and hasattr(given, "index"):
        return _from_columns(_series_columns(given), coordinates, None, "The series")
    return given


def read_table(path: Any, coordinates: Sequence[str], column: str | None) -> Table:
    """A CSV file with a line of names, or a variable of a NetCDF file; it remembers where it is from."""
    table = _read(path, coordinates, column)
    table.source = {"file": Path(path).as_posix()} | ({} if column is None else {"column": column})
    return table


def _read(path: Any, coordinates: Sequence[str], column: str | None) -> Table:
    if not isinstance(path, str | os.PathLike):
        raise ProblemError(
            f"`file` of a table was given as {shown(path)}; expected the name of a CSV or NetCDF file."
        )
    path = Path(path)
    if not path.is_file():
        raise ProblemError(f"The table `{short(str(path))}` is no file; check the name and the folder.")
    what = f"The table `{short(path.name)}`"
    if path.suffix.lower() in (".nc", ".nc4", ".cdf"):
        return _from_netcdf(path, coordinates, column, what)
    try:
        with open(path, encoding="utf-8-sig", newline="") as stream:
            names = [name.strip() for name in next(csv.reader(stream))]
            rows = np.loadtxt(stream, delimiter=",", ndmin=2)
    except (StopIteration, ValueError, UnicodeDecodeError) as error:
        raise ProblemError(
            f"{what} cannot be read ({str(error)[:80] or 'it is empty'}); expected lines of numbers with commas below a line of names, "
            f"such as `{coordinates[0]},u`."
        ) from None
    if rows.shape[1] != len(names):
        raise ProblemError(
            f"{what} has {counted(len(names), 'name')} above {counted(rows.shape[1], 'column')}."
        )
    return _from_columns(dict(zip(names, rows.T, strict=True)), coordinates, column, what)


def _from_netcdf(path: Path, coordinates: Sequence[str], column: str | None, what: str) -> Table:
    import xarray

    with xarray.open_dataset(path) as data:
        names = [str(name) for name in data.data_vars]
        column = column or (names[0] if len(names) == 1 else None)
        if column not in names:
            raise ProblemError(f"{what} has the variables {listing(names)}; say which one with `column`.")
        return _from_labeled(data[column].load(), coordinates)


def _from_labeled(array: Any, coordinates: Sequence[str]) -> Table:
    for dim in array.dims:
        if dim not in coordinates or dim not in array.coords:
            raise ProblemError(
                f"A labeled array has the dimension `{short(str(dim))}`; its dimensions must be coordinates ({listing(coordinates)}), "
                "with places along each of them."
            )
    sorted_up = array.sortby(list(array.dims))
    return Table(sorted_up.values, **{dim: sorted_up.coords[dim].values for dim in sorted_up.dims})


def _series_columns(series: Any) -> dict[str, np.ndarray]:
    frame = series.rename(series.name or "value").reset_index()
    return {str(c): frame[c].to_numpy() for c in frame.columns}


def _from_columns(
    columns: Mapping[str, np.ndarray], coordinates: Sequence[str], column: str | None, what: str
) -> Table:
    """Rows of a table in any order; together they must be a whole grid."""
    axes = [name for name in columns if name in coordinates]
    others = [name for name in columns if name not in coordinates]
    column = column if column is not None else others[0] if len(others) == 1 else None
    if not axes or column not in others:
        raise ProblemError(
            f"{what} has the columns {listing(columns)}; expected one per coordinate ({listing(coordinates)}) and one of values"
            + ("; say which with `column`." if len(others) > 1 else ".")
        )
    places, numbers = zip(*(np.unique(columns[name], return_inverse=True) for name in axes), strict=True)
    shape = tuple(line.size for line in places)
    flat = np.ravel_multi_index(numbers, shape)
    if flat.size != np.prod(shape) or np.unique(flat).size != flat.size:
        raise ProblemError(
            f"{what} has {flat.size} rows, which are no whole grid of {' x '.join(map(str, shape))} places of {listing(axes)}; "
            "interpolate scattered data first, and give the function."
        )
    values = np.empty(shape, dtype=np.asarray(columns[column]).dtype)
    values.ravel()[flat] = columns[column]
    return Table(values, **dict(zip(axes, places, strict=True)))
