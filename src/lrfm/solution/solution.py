# SPDX-License-Identifier: MIT
"""The continuous answer: u(x, t) anywhere, its derivatives of any order, its residual, and its report."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from lrfm.error.held_out import UNRESOLVED
from lrfm.linalg.threads import suited_to
from lrfm.problem import Jet, Problem
from lrfm.problem.errors import listing, suggest
from lrfm.problem.text import split_subscript
from lrfm.solution.io import document
from lrfm.solution.piece import Piece
from lrfm.solution.reference import reference_values
from lrfm.solution.report import Report

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure

    from lrfm.solution.sensitivity import Sensitivity
    from lrfm.solution.time_constants import TimeConstant


class Linearized(Protocol):
    """What a solver gives to differentiate a solution; see `lrfm.solver.tangent.front`."""

    def sensitivities(self, names: Sequence[str]) -> list[Sensitivity]: ...

    def product(self, change: Mapping[str, float]) -> Sensitivity: ...

    def adjoint(
        self,
        weights: np.ndarray | Sequence[float],
        *,
        of: str | None = None,
        **coordinates: float | np.ndarray,
    ) -> dict[str, float]: ...


CHUNK = 65_536  # points evaluated at once


class Field:
    """D^a u for one unknown, a function of the named coordinates with NumPy broadcasting."""

    def __init__(self, solution: Solution, unknown: str, index: tuple[int, ...], label: str):
        self._solution, self._unknown, self._index, self.label = solution, unknown, index, label

    def __call__(self, *, outside: bool = False, **coordinates: float | np.ndarray) -> np.ndarray:
        """Evaluate; `outside=True` allows points outside of the domain or the time window (extrapolation)."""
        points, shape = self._solution._points(coordinates, outside)
        jets = [Jet(f, self._index) for f in self._solution.problem.fields_of(self._unknown)]
        re, *im = self._solution.jets(jets, points).values()
        return (re + 1j * im[0] if im else re).reshape(shape)[()]

    def __repr__(self) -> str:
        return f"<{self.label}, a function of {', '.join(self._solution.coordinates)}>"


class Solution:
    """u(x, t), window by window in time: Σ_q c_q Φ_q(x, t) on each.

    Made by `lrfm.solve` or `lrfm.load`; call it with the coordinates by name.

    Parameters
    ----------
    problem : Problem
        The statement that was solved.
    pieces : sequence of Piece
        u on each window, in the order of time.
    report : Report
        What the solve says about itself.
    parts : sequence
        Trial space, collocation and solvers of each window, as objects that can be given to another solve; a solution that was
        loaded has none.
    second : sequence of Piece
        The second draw, where there is one.
    linearize : callable, optional
        What makes `linearized`; given by the solver.

    Examples
    --------
    >>> import lrfm
    >>> solution = lrfm.solve(lrfm.catalog.heat_1d(), features=60, blocks=1)
    >>> round(float(solution(x=0.5, t=0.1)), 4)
    0.3727
    >>> solution(x=[0.1, 0.5], t=0.1).shape
    (2,)
    >>> round(float(solution.derivative("u_xx")(x=0.5, t=0.1)), 2)
    -3.68
    >>> [str(constant) for constant in solution.time_constants()]
    ['0.1 (100 %)']
    """

    def __init__(
        self,
        problem: Problem,
        pieces: Sequence[Piece],
        report: Report,
        parts: Sequence[Any] = (),
        *,
        second: Sequence[Piece] = (),
        linearize: Callable[[Solution], Linearized] | None = None,
    ):
        self.problem, self.pieces, self.report, self.parts = problem, tuple(pieces), report, tuple(parts)
        self.second, self._linearize = tuple(second), linearize
        self._linear: Linearized | None = None

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
        gaps = {name: np.abs(self[name](outside=False, **coordinates) - exact[name]) for name in exact}
        return gaps[self.unknowns[0]] if len(self.unknowns) == 1 else gaps

    def values(self, points: np.ndarray) -> np.ndarray:
        """All real fields at points (n, axes + 1), unchecked: an array (n, fields)."""
        jets = [Jet(field, (0,) * len(self.coordinates)) for field in self.problem.fields]
        return np.column_stack(list(self.jets(jets, points).values()))

    def jets(self, jets: Iterable[Jet], points: np.ndarray) -> dict[Jet, np.ndarray]:
        """D^a of real fields at points (N, axes + 1), time last: what a piece gives, over all of them."""
        jets = list(jets)
        table = self._evaluate(points, lambda piece, at: np.stack([*piece.values(jets, at).values()]))
        return dict(zip(jets, table, strict=True))

    def time_constants(self) -> tuple[TimeConstant, ...]:
        """The exponentials and oscillations in time that carry the solution, largest share first.

        They describe the solution, not the equation, as far as its own error lets them be seen; none are found where it is not
        resolved. See `lrfm.solution.time_constants` for what they cannot tell.
        """
        from lrfm.solution.time_constants import LEFT_OVER, time_constants

        report, box = self.report, self.problem.domain
        if report.residual >= UNRESOLVED:
            return ()
        rest = float(np.clip(np.nan_to_num(report.error_estimate), LEFT_OVER, UNRESOLVED))
        span = (self.problem.time[0], float(self.block_edges[-1]))
        with suited_to(report.features):
            return time_constants(self.values, box.lower, box.upper, span, rest)

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
        self, points: np.ndarray, function: Callable[[Piece, np.ndarray], np.ndarray]
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

    # Derivatives by the statement ---------------------------------------------------------------------------

    def linearized(self) -> Linearized:
        """J, how the solution moves with the numbers in its statement: products J v and Jᵀ w (`lrfm.solver.tangent`)."""
        if self._linearize is None:
            raise ValueError("A solution that was loaded cannot be linearized; solve its problem again.")
        if self._linear is None:
            self._linear = self._linearize(self)
        return self._linear

    def sensitivity(self, parameter: str) -> Sensitivity:
        """∂u/∂p (x, t) for a number in `parameters`, a field like any other with an estimate of its own.

        It is marched with the bases and steps of the solution, J δ = −∂F/∂p; all names of a problem share one linearization.
        """
        return self.linearized().sensitivities([parameter])[0]

    # Life after the solve -----------------------------------------------------------------------------------

    def to_xarray(self, **resolution: int | np.ndarray) -> xarray.Dataset:
        """Sample on a grid: ``to_xarray(x=201, t=41)``, numbers of points or arrays of coordinates."""
        from lrfm.solution.io.dataset import to_xarray

        return to_xarray(self, **resolution)

    def plot(
        self,
        path: str | Path | None = None,
        *,
        unknown: str | Sequence[str] | None = None,
        times: int | float | Iterable[float] | None = None,
        resolution: int | Mapping[str, int] | None = None,
        error: bool = False,
    ) -> Figure:
        """Draw the fields, and write them to `path` (png, pdf or svg) if given; see `lrfm.solution.plot.figure`."""
        from lrfm.solution.plot.figure import plot

        return plot(self, path, unknown=unknown, times=times, resolution=resolution, error=error)

    def animate(
        self,
        path: str | Path,
        *,
        unknown: str | Sequence[str] | None = None,
        frames: int | float | Iterable[float] = 60,
        fps: int = 20,
        resolution: int | Mapping[str, int] | None = None,
    ) -> Path:
        """Write a movie (gif, or mp4 where ffmpeg is present); see `lrfm.solution.plot.movie`."""
        from lrfm.solution.plot.movie import animate

        return animate(self, path, unknown=unknown, frames=frames, fps=fps, resolution=resolution)

    def export(
        self,
        path: str | Path,
        *,
        resolution: int | Mapping[str, Any] | None = None,
        times: int | float | Iterable[float] | None = None,
    ) -> list[Path]:
        """Write NetCDF, CSV, VTU, gif or mp4, chosen by the suffix; see `lrfm.solution.io.exports`."""
        from lrfm.solution.io.exports import export

        return export(self, path, resolution=resolution, times=times)

    def save(self, path: str | Path) -> Path:
        """Write everything into one file, whole or not at all; nothing in it is ever executed."""
        document.write(path, self.problem, self.pieces, self.report)
        return Path(path)

    def __repr__(self) -> str:
        return f"<Solution of {self.problem!r}, {self.report.features} features, seed {self.report.seed}>"


def load(path: str | Path, functions: Mapping[str, Callable[..., Any]] | None = None) -> Solution:
    """Read a solution written by `Solution.save`.

    Parameters
    ----------
    path : str or Path
        The file.
    functions : mapping of str to callable, optional
        Data given as Python functions are not stored; this gives them back, by the name of the parameter or of the function
        itself. Without them evaluation and derivatives work, but not the residual.

    Returns
    -------
    Solution
        With the same values in every bit; it has no `parts`.

    Raises
    ------
    FileFormatError
        When the file is damaged, was not written by `Solution.save`, or is newer than this version.

    Examples
    --------
    >>> import lrfm, tempfile, pathlib
    >>> solution = lrfm.solve(lrfm.catalog.heat_1d(), features=40, estimate=False)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     again = lrfm.load(solution.save(pathlib.Path(folder) / "heat.lrfm"))
    >>> bool(again(x=0.5, t=0.1) == solution(x=0.5, t=0.1))
    True
    """
    return Solution(*document.read(path, functions or {}))
