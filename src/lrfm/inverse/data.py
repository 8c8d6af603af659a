# SPDX-License-Identifier: MIT
"""Measurements: coordinates, observed values by formula, and how accurate they are."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from lrfm.problem.calls import naming
from lrfm.problem.errors import counted, short, shown, suggest
from lrfm.problem.table_files import LARGEST_FILE, bounded_lines, check_readable

SIGMA = "sigma"


@naming
class Data:
    """Measured values of u, of a derivative or of a formula, at points in space and time.

    Parameters
    ----------
    source
        A table: a dictionary of arrays, a pandas frame, an xarray data set, or the path of a CSV file with a header. Its columns are
        coordinates, observed formulas such as ``u``, ``u_x`` or ``u + v``, and ``sigma`` if it is there.
    sigma
        Standard deviation of the values: a number, an array, or a dictionary by formula; None: unknown, to be found from the misfit.
    **columns
        Further columns, such as ``x=…, t=…, u=…``; numbers are the same for all rows.

    Examples
    --------
    >>> import lrfm
    >>> lrfm.Data(x=[0.1, 0.5, 0.9], t=1.0, u=[0.3, 1.0, 0.3], sigma=0.01)
    Data(3 rows: x, t; observed u)
    >>> lrfm.Data({"x": [0.0, 1.0], "t": [0.5, 0.5], "u_x + v": [1.0, 2.0]})
    Data(2 rows: x, t; observed u_x + v; sigma unknown)
    """

    def __init__(self, source: object = None, *, sigma: object = None, **columns: object):
        table = {**_read(source), **columns}
        if SIGMA in table:
            sigma = table.pop(SIGMA) if sigma is None else sigma
        if not table:
            raise ValueError(
                "`Data` was given no columns; expected coordinates and values, such as `Data(x=xs, t=ts, u=values)`."
            )
        arrays = {name: _numbers(name, values) for name, values in table.items()}
        count = max(a.size for a in arrays.values())
        for name, array in arrays.items():
            if array.size not in (1, count):
                raise ValueError(
                    f"The column `{name}` has {counted(array.size, 'value')}, others have {count}; all columns need as many."
                )
        self.table = {name: np.broadcast_to(a, count) if a.size == 1 else a for name, a in arrays.items()}
        self.count, self._sigma = count, sigma
        for name in [None, *self.table] if isinstance(sigma, Mapping) else [None]:
            self.sigma(name)

    def observed(self, coordinates: Iterable[str]) -> list[str]:
        """The columns that are no coordinates."""
        return [name for name in self.table if name not in tuple(coordinates)]

    def sigma(self, formula: str | None) -> np.ndarray | None:
        """Standard deviations of one formula, one per row; None where they are not known."""
        given: Any = self._sigma
        if isinstance(given, Mapping):
            wrong = [name for name in given if name not in self.table]
            if wrong:
                raise ValueError(
                    f"`sigma` has an entry `{wrong[0]}`, which is no column.{suggest(str(wrong[0]), list(self.table))}"
                )
            given = given.get(formula)
        if given is None:
            return None
        values = _numbers(SIGMA, given)
        if np.any(values <= 0):
            raise ValueError(
                f"`sigma` is {values[values <= 0][0]:g} somewhere; a standard deviation is positive. Leave it out where it is not known."
            )
        if values.size not in (1, self.count):
            raise ValueError(
                f"`sigma` has {counted(values.size, 'value')} for {counted(self.count, 'row')}; give one, or as many."
            )
        return np.broadcast_to(np.real(values), self.count)

    def __repr__(self) -> str:
        coordinates = [name for name in self.table if name == "t" or (len(name) == 1 and name in "xyzs")]
        observed = [name for name in self.table if name not in coordinates]
        unknown = "; sigma unknown" if self._sigma is None else ""
        return f"Data({counted(self.count, 'row')}: {', '.join(coordinates)}; observed {', '.join(observed)}{unknown})"


def _read(source: object) -> dict[str, object]:
    if source is None:
        return {}
    if isinstance(source, str | os.PathLike):
        return _csv(source)
    if hasattr(source, "to_dataframe"):  # xarray
        named = source if getattr(source, "name", "") is not None else source.rename("u")  # pyright: ignore[reportAttributeAccessIssue]
        source = named.to_dataframe().reset_index()  # pyright: ignore[reportAttributeAccessIssue]
    if hasattr(source, "columns") and hasattr(source, "to_numpy"):  # pandas
        frame: Any = source
        return {str(name): frame[name].to_numpy() for name in frame.columns}
    if isinstance(source, Mapping):
        return dict(source)
    raise ValueError(
        f"`Data` was given {shown(source)} of type {type(source).__name__}; expected a dictionary of arrays, a pandas frame, an xarray "
        "data set, or the path of a CSV file."
    )


def _csv(path: str | os.PathLike[str]) -> dict[str, object]:
    """A CSV file with names in its first line; what stands in a line that is no row is not repeated."""
    what = f"The data `{short(os.fspath(path))}`"
    check_readable(Path(path), what, LARGEST_FILE)
    try:
        with open(path, newline="", encoding="utf-8-sig") as stream:
            read = csv.reader(bounded_lines(stream, what))
            lines = [line for line in read if line and not line[0].lstrip().startswith("#")]
    except (csv.Error, UnicodeDecodeError):
        raise ValueError(
            f"{what} are no text with commas; expected a line of names, such as `x,t,u`, and one line per row."
        ) from None
    if len(lines) < 2:
        raise ValueError(
            f"{path} has {counted(len(lines), 'line')}; expected a line of names, such as `x,t,u`, and one line per row."
        )
    names = [name.strip() for name in lines[0]]
    if len(set(names)) < len(names):
        raise ValueError(f"{path} has several columns of one name; give each its own.")
    rows = []
    for number, line in enumerate(lines[1:], 2):
        if len(line) != len(names):
            raise ValueError(
                f"{path}, line {number}, has {counted(len(line), 'value')}; the first line has {counted(len(names), 'name')}."
            )
        try:
            rows.append([complex(v.replace(" ", "")) if "j" in v else float(v) for v in line])
        except ValueError:
            raise ValueError(f"{path}, line {number}, holds something that is no number.") from None
    table = np.array(rows)
    return {name: table[:, i] for i, name in enumerate(names)}


def _numbers(name: str, values: object) -> np.ndarray:
    try:
        array = np.asarray(values)
        array = array.astype(complex if np.iscomplexobj(array) else float).ravel()
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"The column `{name}` was given as {shown(values)}; expected numbers.") from None
    if array.size == 0:
        raise ValueError(f"The column `{name}` is empty.")
    bad = ~np.isfinite(array)
    if bad.any():
        raise ValueError(
            f"The column `{name}` has {counted(int(bad.sum()), 'value')} that {'is' if bad.sum() == 1 else 'are'} not finite, the first in "
            f"row {int(np.argmax(bad)) + 1}; leave such rows out."
        )
    return np.real(array) if np.iscomplexobj(array) and not np.any(np.imag(array)) else array
