# SPDX-License-Identifier: MIT
"""The continuous answer: u(x, t) anywhere, its derivatives of any order, its residual, and its report."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from lrfm.error.indicators import UNRESOLVED
from lrfm.linalg.threads import one_thread
from lrfm.problem import Jet, Problem
from lrfm.problem.calls import naming
from lrfm.problem.typeset import statement_html
from lrfm.rows.pieces import AtOnePlace, OnCells, grid_values, on_grids
from lrfm.solution.fields import Fields
from lrfm.solution.io import document
from lrfm.solution.piece import Piece
from lrfm.solution.places import Places, refuse_positions
from lrfm.solution.reference import reference_values
from lrfm.solution.report import Report

if TYPE_CHECKING:
    import xarray

    from lrfm.solution.crossing import Crossing
    from lrfm.solution.error_field import ErrorField
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

    def error(self) -> ErrorField: ...

    @property
    def has_error(self) -> bool: ...


PLAIN = frozenset((float, int, np.float64))  # what one coordinate of one point is
CHUNK = 262_144  # points evaluated at once


@naming
class Solution(Fields):
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
    >>> solution = lrfm.solve(lrfm.catalog.heat_1d(), tol=1e-6)
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
        self.event: Crossing | None = None  # what ended it, where `until` was given
        self._linear: Linearized | None = None

    @cached_property
    def block_edges(self) -> np.ndarray:
        """Times at which blocks begin, and the end."""
        return np.array([self.pieces[0].window[0], *(p.window[1] for p in self.pieces)])

    # Evaluation ---------------------------------------------------------------------------------------------

    @one_thread
    def residual(self, *positions: object, outside: bool = False, **coordinates: Any) -> np.ndarray:
        """F(x, t, {D^a u}) of the equation; several, or re and im of a complex one, along the first axis."""
        refuse_positions(positions, self.coordinates)
        places = self._places(coordinates, outside)
        rows = self.problem.rows
        values = self._evaluate(
            places.points, lambda piece, at: np.stack([piece.residual(row, at) for row in rows])
        )
        values = values.reshape(len(rows), *places.shape)
        return values[0] if len(rows) == 1 else values

    @one_thread
    def error(self, **coordinates: float | np.ndarray) -> np.ndarray | dict[str, np.ndarray]:
        """The estimated error u − u_h at points, with its sign: `error_field` there; by name where there are several unknowns.

        >>> import lrfm
        >>> solution = lrfm.solve(lrfm.catalog.heat_1d(), tol=1e-4)
        >>> error = solution.error(x=[0.3, 0.5], t=0.1)
        >>> float(abs(error).max()) < 1e-4
        True
        """
        field = self.error_field
        found = {name: field[name](outside=False, **coordinates) for name in self.unknowns}
        return found[self.unknowns[0]] if len(self.unknowns) == 1 else found

    @property
    def error_field(self) -> ErrorField:
        """The error of a solution as a function, e ≈ u − u_h: on cells of a line what its own defect makes of it (`lrfm.solver.tangent.defect`), elsewhere the comparison solve less this one.

        The first is integrated when it is first asked for, which takes about a quarter of the time of the solve; the report then has `error_by_time`, and claims
        the larger one of it and of the comparison solve.
        """
        return self.linearized().error()

    @property
    def has_error_field(self) -> bool:
        """Whether the error is known as a function: of solutions on the cells of an interval that stays, and of all that were compared with another solve."""
        return self._linearize is not None and self.linearized().has_error

    @property
    def corrected(self) -> Fields:
        """What is nearer to the truth than this: with its error field added; where there is none, the solve that it was compared with, which was to a quarter of the tolerance."""
        if self.has_error_field:
            return self + self.error_field
        if not self.second:
            raise ValueError(
                "This solution was compared with no other, so that the error of what follows from it is not known; solve with `estimate=True`, and ask before it is saved."
            )
        return Solution(self.problem, self.second, self.report)

    @one_thread
    def reference_error(self, **coordinates: float | np.ndarray) -> np.ndarray | dict[str, np.ndarray]:
        """|u − reference| at points, where the problem has a known solution."""
        exact = reference_values(self.problem, coordinates)
        gaps = {name: np.abs(self[name](outside=False, **coordinates) - exact[name]) for name in exact}
        return gaps[self.unknowns[0]] if len(self.unknowns) == 1 else gaps

    def values(self, points: np.ndarray) -> np.ndarray:
        """All real fields at points (n, axes + 1), unchecked: an array (n, fields)."""
        jets = [Jet(field, (0,) * len(self._columns)) for field in self.problem.fields]
        return np.column_stack(list(self.jets(jets, points).values()))

    @one_thread
    def jets(self, jets: Iterable[Jet], points: np.ndarray) -> dict[Jet, np.ndarray]:
        """D^a of real fields at points (N, axes + 1), time last: what a piece gives, over all of them."""
        jets = list(jets)
        if not jets:  # a formula of the coordinates alone
            return {}
        table = self._evaluate(points, lambda piece, at: np.stack([*piece.values(jets, at).values()]))
        return dict(zip(jets, table, strict=True))

    @one_thread
    def time_constants(self) -> tuple[TimeConstant, ...]:
        """The exponentials and oscillations in time that carry the solution, largest share first.

        They describe the solution, not the equation, as far as its own error lets them be seen; none are found where it is not
        resolved. See `lrfm.solution.time_constants` for what they cannot tell.
        """
        from lrfm.solution.time_constants import LEFT_OVER, time_constants

        report, box = self.report, self.problem.domain
        if self.problem.steady:
            raise ValueError(
                "A steady solution has no time constants; those of what moves near it are its growth rates: `lrfm.modes(problem, about=solution)` of the evolution."
            )
        if report.residual >= UNRESOLVED:
            return ()
        rest = float(np.clip(np.nan_to_num(report.error_estimate), LEFT_OVER, UNRESOLVED))
        span = (self.problem.time[0], float(self.block_edges[-1]))
        return time_constants(self.values, box.lower, box.upper, span, rest)

    @cached_property
    def _bounds(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        box, end = self.problem.domain, float(self.block_edges[-1])
        return (*map(float, box.lower), self.problem.time[0]), (*map(float, box.upper), end)

    def cells(self, *, t: float) -> np.ndarray:
        """Edges of the cells on which the solution is a polynomial at a time; none where it is made of series or features.

        In the plane x₀, x₁, y₀, y₁ of their boxes, one row each; where the boundary cuts a box, what is inside is the cell, or a part of the one beside it.

        >>> import lrfm
        >>> lrfm.solve(lrfm.catalog.heat_1d(), tol=1e-3).cells(t=0)
        array([-1. , -0.5,  0. ,  0.5,  1. ])
        """
        number = min(bisect_right([p.window[1] for p in self.pieces], t), len(self.pieces) - 1)
        piece = self.pieces[number]
        return piece.cells_at(t) if isinstance(piece, OnCells) else np.zeros(0)

    def _breaks(self, time: float) -> np.ndarray:
        cells = self.cells(t=time)
        return cells if cells.ndim == 1 else np.zeros(0)

    @cached_property
    def _on_grids(self) -> bool:
        return on_grids(self.pieces)

    @cached_property
    def _one_by_one(self) -> list[float] | None:
        """Times at which pieces meet, where each of them is quick about one point of a box; None elsewhere."""
        quick = self.problem.domain.is_box and all(isinstance(piece, AtOnePlace) for piece in self.pieces)
        return self.block_edges[1:-1].tolist() if quick else None

    def _number(self, jet: Jet, coordinates: Mapping[str, Any]) -> float | None:
        edges, (lower, upper) = self._one_by_one, self._bounds
        absent = self.problem.absent
        place = [absent[name] if name in absent else coordinates.get(name) for name in self._names]
        if edges is None or len(place) != len(coordinates) + len(absent):
            return None
        for value, low, high in zip(place, lower, upper, strict=True):
            if type(value) not in PLAIN or not low <= value <= high:  # type: ignore[operator]
                return None
        *space, time = place
        piece: Any = self.pieces[bisect_right(edges, time)]  # type: ignore[arg-type]
        return piece.at_place(jet, space, time)

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return self._columns

    @one_thread
    def _jets_at(self, jets: Sequence[Jet], places: Places) -> list[np.ndarray]:
        """Dᵃ of real fields at places, each in their shape; by products per axis where they make a grid."""
        if not (self._on_grids and places.grid):
            return [values.reshape(places.shape) for values in self.jets(jets, places.points).values()]
        *space, times = (a.ravel() for a in places.arrays)
        whole = grid_values(self.pieces, jets, space, times) if jets else {}
        return [places.from_grid(values) for values in whole.values()]

    def _evaluate(
        self, points: np.ndarray, function: Callable[[Piece, np.ndarray], np.ndarray]
    ) -> np.ndarray:
        """Apply a function of (window, points) block by block and in chunks; results along the last axis."""
        owner = np.searchsorted(self.block_edges[1:-1], points[:, -1], side="right")
        order = np.argsort(owner, kind="stable")
        ends = np.searchsorted(owner[order], np.arange(len(self.pieces) + 1))
        result: np.ndarray | None = None
        for piece, first, last in zip(self.pieces, ends[:-1], ends[1:], strict=True):
            for start in range(first, last, CHUNK):
                part = order[start : min(start + CHUNK, last)]
                values = function(piece, points[part])
                if result is None:
                    result = np.empty((len(values), len(points)))
                result[:, part] = values
        return result if result is not None else function(self.pieces[0], points)

    # Derivatives by the statement ---------------------------------------------------------------------------

    def linearized(self) -> Linearized:
        """J, how the solution moves with the numbers in its statement: products J v and Jᵀ w (`lrfm.solver.tangent`)."""
        if self._linearize is None:
            raise ValueError(
                "This solution was not made by `lrfm.solve`, `lrfm.steady` or `lrfm.load`; only such a one can be linearized."
            )
        if self._linear is None:
            self._linear = self._linearize(self)
        return self._linear

    def sensitivity(self, parameter: str) -> Sensitivity:
        """∂u/∂p (x, t) for a number in `parameters`, a field like any other with an estimate of its own.

        It is integrated with the bases and steps of the solution, J δ = −∂F/∂p; all names of a problem share one linearization.
        """
        return self.linearized().sensitivities([parameter])[0]

    # Life after the solve -----------------------------------------------------------------------------------

    @one_thread
    def to_xarray(self, **resolution: int | np.ndarray) -> xarray.Dataset:
        """Sample on a grid: ``to_xarray(x=201, t=41)``, numbers of points or arrays of coordinates."""
        from lrfm.solution.io.dataset import to_xarray

        return to_xarray(self, **resolution)

    @one_thread
    def export(
        self,
        path: str | Path,
        *,
        resolution: int | Mapping[str, Any] | None = None,
        times: int | float | Iterable[float] | None = None,
        progress: Callable[[str, int, int], None] | None = None,
    ) -> list[Path]:
        """Write NetCDF, CSV, VTU, gif or mp4, chosen by the suffix; see `lrfm.solution.exports`."""
        from lrfm.solution.exports import export

        return export(self, path, resolution=resolution, times=times, progress=progress)

    def save(self, path: str | Path) -> Path:
        """Write everything into one file, whole or not at all; nothing in it is ever executed.

        Where it cannot be written, another file is, in the folder for temporary files; the exception names it in a note, and
        has this solution as `solution`.
        """
        try:
            document.write(path, self.problem, self.pieces, self.report)
        except OSError as error:
            vars(error)["solution"] = self
            raise
        return Path(path)

    def _repr_latex_(self) -> str:
        return self.problem._repr_latex_()

    def _repr_html_(self) -> str:
        return f"<div>{statement_html(self.problem, folded=True)}{self.report._repr_html_()}</div>"

    def __repr__(self) -> str:
        return f"<Solution of {self.problem!r}, {self.report.engine.size}, seed {self.report.seed}>"


def load(
    path: str | Path,
    functions: Mapping[str, Callable[..., Any]] | None = None,
    linearize: Callable[[Solution], Linearized] | None = None,
) -> Solution:
    """Read a solution written by `Solution.save`; `lrfm.load` gives it `linearize`, too."""
    return Solution(*document.read(path, functions or {}), linearize=linearize)
