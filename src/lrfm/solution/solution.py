# SPDX-License-Identifier: MIT
"""The continuous answer: u(x, t) anywhere, its derivatives of any order, its residual, and its report."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lrfm.problem import Jet, Problem
from lrfm.problem.errors import listing, suggest
from lrfm.problem.text import split_subscript
from lrfm.rows.expansion import Expansion
from lrfm.solution import io as files
from lrfm.solution.io import document as saved
from lrfm.solution.io.document import statement as statement
from lrfm.solution.report import Report

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure

CHUNK = 65_536  # points evaluated at once


class Field:
    """D^a u for one unknown, a function of the named coordinates with NumPy broadcasting."""

    def __init__(self, solution: Solution, unknown: str, index: tuple[int, ...], label: str):
        self._solution, self._unknown, self._index, self.label = solution, unknown, index, label

    def __call__(self, *, outside: bool = False, **coordinates: float | np.ndarray) -> np.ndarray:
        """Evaluate; `outside=True` allows points outside of the domain or the time window (extrapolation)."""
        points, shape = self._solution._points(coordinates, outside)
        jets = [Jet(f, self._index) for f in self._solution.problem.fields_of(self._unknown)]
        values = self._solution._evaluate(
            points, lambda piece, at: np.stack(list(piece.values(jets, at).values()))
        )
        value = values[0] if len(jets) == 1 else values[0] + 1j * values[1]
        return value.reshape(shape)[()]

    def __repr__(self) -> str:
        return f"<{self.label}, a function of {', '.join(self._solution.coordinates)}>"


class Solution:
    """u(x, t) = Σ_q c_q Φ_q(x, t), block by block in time.

    Made by `lrfm.solve` or `lrfm.load`; call it with the coordinates by name. `parts` are the trial space, collocation and
    solvers of each block, as objects that can be given to another solve; a solution that was loaded has none.
    """

    def __init__(
        self, problem: Problem, pieces: Sequence[Expansion], report: Report, parts: Sequence[object] = ()
    ):
        self.problem, self.pieces, self.report, self.parts = problem, tuple(pieces), report, tuple(parts)

    @property
    def unknowns(self) -> tuple[str, ...]:
        return tuple(self.problem.unknowns)

    @property
    def coordinates(self) -> tuple[str, ...]:
        return (*self.problem.domain.names, "t")

    @property
    def block_edges(self) -> np.ndarray:
        """Times at which blocks begin, and the end."""
        return np.array([self.pieces[0].window[0], *(p.window[1] for p in self.pieces)])

    # Evaluation ---------------------------------------------------------------------------------------------

    def __call__(
        self, *, outside: bool = False, **coordinates: float | np.ndarray
    ) -> np.ndarray | dict[str, np.ndarray]:
        """u at points; for several unknowns a dictionary by name."""
        values = {name: self[name](outside=outside, **coordinates) for name in self.unknowns}
        return values[self.unknowns[0]] if len(values) == 1 else values

    def __getitem__(self, name: str) -> Field:
        if name not in self.problem.unknowns:
            raise KeyError(
                f"`{name}` is no unknown; there are {listing(self.unknowns)}.{suggest(name, self.unknowns)}"
            )
        return Field(self, name, (0,) * len(self.coordinates), name)

    def derivative(self, name: str) -> Field:
        """The exact derivative of the computed solution: ``"u_xx"``, ``"u_xt"``, of any order.

        It is the derivative of the approximation, not an approximation of the derivative: accurate where u is
        smooth, with a few digits less than u itself.
        """
        if name in self.problem.unknowns:
            return self[name]
        split = split_subscript(name, self.coordinates)
        if split is None or split[0] not in self.problem.unknowns:
            raise KeyError(
                f"`{name}` is no derivative of an unknown; write an unknown ({listing(self.unknowns)}) and "
                f"coordinates ({listing(self.coordinates)}), such as "
                f"`{self.unknowns[0]}_{self.coordinates[0]}t`."
            )
        unknown, letters = split
        return Field(self, unknown, tuple(letters.count(c) for c in self.coordinates), name)

    def residual(self, *, outside: bool = False, **coordinates: float | np.ndarray) -> np.ndarray:
        """F(x, t, {D^a u}) of the equation; several, or re and im of a complex one, along the first axis."""
        points, shape = self._points(coordinates, outside)
        rows = self.problem.rows
        values = self._evaluate(points, lambda piece, at: np.stack([piece.residual(row, at) for row in rows]))
        values = values.reshape(len(rows), *shape)
        return values[0] if len(rows) == 1 else values

    def error(self, **coordinates: float | np.ndarray) -> np.ndarray | dict[str, np.ndarray]:
        """|u − reference| at points, where the problem has a known solution."""
        exact = reference_values(self.problem, coordinates)
        gaps = {name: np.abs(self[name](**coordinates) - exact[name]) for name in exact}
        return gaps[self.unknowns[0]] if len(self.unknowns) == 1 else gaps

    def values(self, points: np.ndarray) -> np.ndarray:
        """All real fields at points (n, axes + 1), unchecked: an array (n, fields)."""
        jets = [Jet(field, (0,) * len(self.coordinates)) for field in self.problem.fields]
        return self._evaluate(points, lambda piece, at: np.stack(list(piece.values(jets, at).values()))).T

    def jets(self, jets: Iterable[Jet], points: np.ndarray) -> dict[Jet, np.ndarray]:
        """D^a of real fields at points (N, axes + 1), time last: what a window's expansion gives, over all of them."""
        jets = list(jets)
        table = self._evaluate(points, lambda piece, at: np.stack([*piece.values(jets, at).values()]))
        return dict(zip(jets, table, strict=True))

    def _points(
        self, coordinates: Mapping[str, float | np.ndarray], outside: bool
    ) -> tuple[np.ndarray, tuple[int, ...]]:
        unknown = [c for c in coordinates if c not in self.coordinates]
        missing = [c for c in self.coordinates if c not in coordinates]
        if unknown or missing:
            said = f"`{unknown[0]}` is no coordinate" if unknown else f"{listing(missing)} is missing"
            raise TypeError(
                f"{said}; evaluate with all of {listing(self.coordinates)} by name, such as x=0.3."
            )
        arrays = np.broadcast_arrays(*(np.asarray(coordinates[c], dtype=float) for c in self.coordinates))
        points = (
            np.column_stack([a.ravel() for a in arrays]) if arrays[0].size else np.empty((0, len(arrays)))
        )
        if not np.all(np.isfinite(points)):
            raise ValueError("A coordinate is not finite.")
        if not outside:
            self._check_inside(points)
        return points, arrays[0].shape

    def _check_inside(self, points: np.ndarray) -> None:
        box, time = self.problem.domain, self.problem.time
        bounds = zip(
            self.coordinates, (*box.lower, time[0]), (*box.upper, self.block_edges[-1]), points.T, strict=True
        )
        for name, low, high, values in bounds:
            # A coordinate in single precision may miss the end by its rounding.
            slack = 1e-7 * max(high - low, abs(low), abs(high))
            bad = (values < low - slack) | (values > high + slack)
            if bad.any():
                raise ValueError(
                    f"{name}={values[bad][0]:g} lies outside of [{low:g}, {high:g}], where the solution was "
                    "computed; pass `outside=True` to extrapolate (no accuracy is promised there)."
                )

    def _evaluate(
        self, points: np.ndarray, function: Callable[[Expansion, np.ndarray], np.ndarray]
    ) -> np.ndarray:
        """Apply a function of (window, points) block by block and in chunks; results along the last axis."""
        inner = self.block_edges[1:-1]
        owner = np.searchsorted(inner, points[:, -1], side="right")
        result: np.ndarray | None = None
        for number, piece in enumerate(self.pieces):
            places = np.flatnonzero(owner == number)
            for first in range(0, len(places), CHUNK):
                part = places[first : first + CHUNK]
                values = function(piece, points[part])
                if result is None:
                    result = np.empty((len(values), len(points)))
                result[:, part] = values
        return result if result is not None else function(self.pieces[0], points)

    # Life after the solve -----------------------------------------------------------------------------------

    def to_xarray(self, **resolution: int | np.ndarray) -> xarray.Dataset:
        """Sample on a grid: ``to_xarray(x=201, t=41)``, numbers of points or arrays of coordinates."""
        return files.to_xarray(self, **resolution)

    def plot(self, path: str | Path | None = None, **options: object) -> Figure:
        """Draw the fields; see `lrfm.solution.plot.plot` for the options (unknown, times, resolution, error)."""
        from lrfm.solution.plot import plot

        return plot(self, path, **options)

    def animate(self, path: str | Path, **options: object) -> Path:
        """Write a movie (gif, or mp4 where ffmpeg is present)."""
        from lrfm.solution.plot import animate

        animate(self, path, **options)
        return Path(path)

    def export(self, path: str | Path, **options: object) -> list[Path]:
        """Write NetCDF, CSV, VTU, gif or mp4, chosen by the suffix."""
        return files.export(self, path, **options)

    def save(self, path: str | Path) -> Path:
        """Write everything into one file, whole or not at all; nothing in it is ever executed."""
        saved.write(path, self.problem, self.pieces, self.report)
        return Path(path)

    def __repr__(self) -> str:
        return f"<Solution of {self.problem!r}, {self.report.features} features, seed {self.report.seed}>"


def load(path: str | Path, functions: Mapping[str, Callable] | None = None) -> Solution:
    """Read a solution written by `Solution.save`.

    Data given as Python functions are not stored; `functions={"a": f}` gives them back, by the name of the
    parameter or of the function itself. Without them evaluation and derivatives work, but not the residual.
    """
    return Solution(*saved.read(path, functions or {}))


def reference_values(
    problem: Problem, coordinates: Mapping[str, float | np.ndarray]
) -> dict[str, np.ndarray]:
    """The known solution at points, by unknown."""
    if problem.reference is None:
        raise ValueError(
            "This problem has no known solution; give one with `Problem(..., reference=function)`."
        )
    if isinstance(problem.reference, Mapping):
        return {name: np.asarray(f(**coordinates)) for name, f in problem.reference.items()}
    return {next(iter(problem.unknowns)): np.asarray(problem.reference(**coordinates))}
