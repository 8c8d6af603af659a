# SPDX-License-Identifier: MIT
"""Tables out of files, labeled arrays and frames: what stands in rows or along named dimensions becomes values on a grid.

A file is read within limits of its size, and nothing that it holds is repeated in a sentence unless it is a table: a statement of somebody else may name any
file of this machine.
"""

from __future__ import annotations

import csv
import math
import os
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import numpy as np

from lrfm.problem.errors import ProblemError, counted, listing, short, shown
from lrfm.problem.labeled import xarray_for
from lrfm.problem.tables import LARGEST, Table

SOURCES = frozenset(("file", "column"))
NETCDF = (".nc", ".nc4", ".cdf")
LARGEST_FILE = 1 << 29  # bytes, room for the largest table as text
LONGEST_LINE = 1 << 16  # characters of a line of numbers
CELLS = 4 * LARGEST  # numbers of a file, coordinates and columns that are not wanted among them

_chosen: ContextVar[Mapping[str, Path] | None] = ContextVar("chosen", default=None)


@contextmanager
def only_files(chosen: Mapping[str, Path]) -> Iterator[None]:
    """Inside, tables are read from these files only, by the names that they have here; a statement may come from anybody."""
    token = _chosen.set(chosen)
    try:
        yield
    finally:
        _chosen.reset(token)


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
        _refuse_repeated([str(c) for c in given.columns], "The frame")
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
    if column is not None and not isinstance(column, str):
        raise ProblemError(
            f"`column` of a table was given as {shown(column)}; expected the name of a column."
        )
    path = _permitted(Path(path))
    what = f"The table `{short(path.name)}`"
    check_readable(path, f"The table `{short(str(path))}`", LARGEST_FILE)
    if path.suffix.lower() in NETCDF:
        return _from_netcdf(path, coordinates, column, what)
    columns = _from_text(path, what, f"a line of names, such as `{coordinates[0]},u`")
    return _from_columns(columns, coordinates, column, what)


def _permitted(path: Path) -> Path:
    """The file itself, or where only some may be read the one that has this name."""
    chosen = _chosen.get()
    if chosen is None:
        return path
    if str(path) not in chosen:
        raise ProblemError(
            f"The table `{short(str(path))}` is not read here: only files that were chosen are, {listing(chosen)}; "
            "choose it with `lrfm studio --table FILE`, or solve the statement with `lrfm solve`."
        )
    return chosen[str(path)]


def check_readable(path: Path, what: str, most: int) -> None:
    """Refuse what is no regular file, which may never end, and what has more bytes than these."""
    try:
        regular, size = path.is_file(), path.stat().st_size if path.exists() else 0
    except (OSError, ValueError):  # a name that no file can have
        regular, size = False, 0
    if not regular:
        raise ProblemError(f"{what} is no file; check the name and the folder.")
    if size > most:
        raise ProblemError(f"{what} has more than {most >> 20:,} MB; take fewer places.")


def bounded_lines(stream: Any, what: str) -> Iterator[str]:
    """The lines of a file, none of them and all together not too long, whatever its size was said to be."""
    total = 0
    while line := stream.readline(LONGEST_LINE + 1):
        total += len(line)
        if len(line) > LONGEST_LINE or total > LARGEST_FILE:
            raise ProblemError(
                f"{what} has a line of more than {LONGEST_LINE:,} characters, or more than {LARGEST_FILE >> 20:,} MB; "
                "expected lines of numbers with commas."
            )
        yield line


def _from_text(path: Path, what: str, names_line: str) -> dict[str, np.ndarray]:
    """The columns of a CSV file by their names."""
    try:
        with open(path, encoding="utf-8-sig", newline="") as stream, warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # of a file without numbers, which is refused below
            lines = bounded_lines(stream, what)
            names = [name.strip() for name in next(csv.reader([next(lines)]))]
            most = CELLS // max(len(names), 1)
            rows = np.loadtxt(lines, delimiter=",", ndmin=2, max_rows=most + 1)
    except ProblemError:
        raise
    except OSError as error:
        raise ProblemError(f"{what} cannot be read: {error.strerror or type(error).__name__}.") from None
    except (StopIteration, ValueError, csv.Error) as error:
        raise ProblemError(
            f"{what} is no table{_place(str(error))}; expected lines of numbers with commas below {names_line}."
        ) from None
    if rows.size == 0 or rows.shape[1] != len(names):
        raise ProblemError(
            f"{what} has {counted(len(names), 'name')} above {counted(rows.shape[1] if rows.size else 0, 'column')} of numbers; "
            f"expected lines of numbers with commas below {names_line}."
        )
    if len(rows) > most:
        raise ProblemError(f"{what} has more than {most:,} rows; take fewer places.")
    _refuse_repeated(names, what)
    return dict(zip(names, rows.T, strict=True))


def _place(message: str) -> str:
    """Which row NumPy stumbled over; it quotes what stands there, which is not repeated."""
    changed = re.search(r"columns changed .* at row (\d+)", message)
    row = re.search(r"at row (\d+), column", message)
    number = int(changed[1]) if changed else int(row[1]) + 1 if row else None
    return "" if number is None else f": row {number} of its numbers does not fit"


def _refuse_repeated(names: Sequence[str], what: str) -> None:
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise ProblemError(f"{what} has several columns of the name {listing(repeated)}; give each its own.")


def _from_netcdf(path: Path, coordinates: Sequence[str], column: str | None, what: str) -> Table:
    xarray = xarray_for(f"{what} is a NetCDF file, and reading it")
    try:
        with xarray.open_dataset(path) as data:
            names = [str(name) for name in data.data_vars]
            column = column or (names[0] if len(names) == 1 else None)
            if column not in names:
                raise ProblemError(f"{what} has the variables {listing(names)}; say which one with `column`.")
            _check_variable(data[column], column, what)
            return _from_labeled(data[column].load(), coordinates)
    except ProblemError:
        raise
    except Exception:  # whatever the readers of this format raise of a file that is damaged
        raise ProblemError(
            f"{what} cannot be read as NetCDF: it is damaged, of another format, or of version 4, which needs the package `h5netcdf`; "
            "write it again, or as CSV."
        ) from None


def _check_variable(array: Any, column: str, what: str) -> None:
    """Refuse before anything is read: a damaged or made-up heading may name any size."""
    parts = [array, *(array.coords[name] for name in array.dims if name in array.coords)]
    for part in parts:
        if part.size > LARGEST or part.dtype.kind not in "biufc":
            raise ProblemError(
                f"{what}: `{short(column)}` or a coordinate of it has {part.size:,} values of type {part.dtype}; expected at most {LARGEST:,} numbers."
            )


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
    count = len(numbers[0])
    whole = count == math.prod(shape)
    flat = np.ravel_multi_index(numbers, shape) if whole else np.zeros(2, dtype=np.intp)
    if np.unique(flat).size != flat.size:
        raise ProblemError(
            f"{what} has {count} rows, which are no whole grid of {' x '.join(map(str, shape))} places of {listing(axes)}; "
            "interpolate scattered data first, and give the function."
        )
    values = np.empty(shape, dtype=np.asarray(columns[column]).dtype)
    values.ravel()[flat] = columns[column]
    return Table(values, **dict(zip(axes, places, strict=True)))
