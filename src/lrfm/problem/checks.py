# SPDX-License-Identifier: MIT
"""Checks that need numbers: finite data, data that fit each other at t = t₀, conditions counted per axis."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lrfm.problem.conditions import declare_complex
from lrfm.problem.data import Datum
from lrfm.problem.domain import Box
from lrfm.problem.equation import Row
from lrfm.problem.errors import ProblemError, counted

if TYPE_CHECKING:
    from lrfm.problem.problem import Problem

REFUSED = 1e-2  # relative contradiction of data at t = t₀ that is an error,
NOTED = 1e-8  # and one that is worth a warning
MAX_POINTS = 4_000


class Contradiction(str):
    """A warning that two data contradict each other, with the relative size of the gap."""

    def __new__(cls, text: str, gap: float) -> Contradiction:
        warning = super().__new__(cls, text)
        warning.gap = float(gap)
        return warning

    def __getnewargs__(self) -> tuple[str, float]:
        return str(self), self.gap


def run(problem: Problem, used_names: set[str]) -> list[str]:
    """Raise ProblemError for what cannot be meant; return warnings for what is only suspicious."""
    _finite_data(problem)
    warnings = [f"The parameter `{p}` is not used." for p in problem.parameters if p not in used_names]
    warnings += _count_conditions(problem)
    warnings += _corners(problem)
    return warnings


def grid(box: Box, t: float, per_axis: int = 257, inside: bool = False) -> np.ndarray:
    """A tensor grid of points at one time; where it would be too large, scattered points."""
    n = max(3, min(per_axis, int(MAX_POINTS ** (1 / box.dimension))))
    unit = (np.arange(n) + 0.5) / n if inside else np.linspace(0, 1, n)
    if n**box.dimension <= MAX_POINTS:
        columns = [a.ravel() for a in np.meshgrid(*[unit] * box.dimension, indexing="ij")]
    else:
        columns = np.random.default_rng(0).choice(unit, (box.dimension, MAX_POINTS // 4))
    points = [
        lower + (upper - lower) * c for (lower, upper), c in zip(box.axes.values(), columns, strict=True)
    ]
    return np.column_stack([*points, np.full(len(points[0]), t)])


def interior_grid(box: Box, time: tuple[float, float]) -> np.ndarray:
    """Points strictly inside the space-time domain: at three times."""
    return np.vstack([grid(box, time[0] + f * (time[1] - time[0]), 9, inside=True) for f in (0.1, 0.5, 0.9)])


def face_grid(problem: Problem, face: str, times: tuple[float, ...]) -> np.ndarray:
    """Points on a face at the given times."""
    axis, upper = problem.domain.face(face)
    points = np.vstack([grid(problem.domain, t) for t in times])
    points[:, axis] = (problem.domain.upper if upper else problem.domain.lower)[axis]
    return np.unique(points, axis=0)


def _finite_data(problem: Problem) -> None:
    start, end = problem.time
    points = grid(problem.domain, start)
    for (name, _), datum in problem.initial_data.items():
        values = datum(points)
        if np.iscomplexobj(values) and np.any(values.imag != 0) and problem.unknowns[name] is not complex:
            raise ProblemError(declare_complex(datum.what, [name]))
        _check_finite(values, points, datum.what, problem)
    places = [(row, interior_grid(problem.domain, problem.time)) for row in problem.rows]
    for face, rows in problem.face_rows.items():
        points = face_grid(problem, face, (0.5 * (start + end), end))
        places += [(row, points) for row in rows]
    for row, points in places:
        for values in row.given(points):
            _check_finite(values, points, f"{row.label}: a coefficient or source in it", problem)


def _check_finite(values: np.ndarray, points: np.ndarray, what: str, problem: Problem) -> None:
    bad = ~np.isfinite(values)
    if bad.any():
        raise ProblemError(
            f"{what} is not finite at {_place(points[bad][0], problem)}; give data that are finite in the "
            "whole domain."
        )


def _count_conditions(problem: Problem) -> list[str]:
    """An equation of order m along an axis takes m conditions on its two faces together, per unknown."""
    warnings = []
    for i, axis in enumerate(problem.domain.names):
        if axis in problem.periodic:
            continue
        wanted = sum(problem.space_order(i, field) for field in problem.fields)
        given = sum(len(problem.face_rows[f"{axis}{side}"]) for side in "-+")
        if given != wanted:
            effect = "may not be unique" if given < wanted else "may not exist"
            real = "real " if complex in problem.unknowns.values() else ""
            warnings.append(
                f"The two faces of the axis `{axis}` have {counted(given, f'{real}boundary condition')} "
                f"together; the order of the equations suggests {wanted}. The solution {effect}."
            )
    return warnings


def _corners(problem: Problem) -> list[str]:
    """Whether boundary rows hold for the initial data at t = t₀, as far as these can be differentiated."""
    warnings = []
    for face, rows in problem.face_rows.items():
        for row in rows:
            gap = _row_gap(problem, row, face_grid(problem, face, (problem.time[0],)))
            values = all(jet.order == 0 for jet in row.jets)
            warnings += _judge(problem, gap, f"{row.label} and `initial`", values)
    for axis in problem.domain.names:
        if axis in problem.periodic:
            i = problem.domain.names.index(axis)
            for (name, _), datum in problem.initial_data.items():
                warnings += _periodic_gaps(problem, name, datum, i)
    return warnings


def _judge(problem: Problem, gap: tuple[float, str] | None, what: str, values: bool = True) -> list[str]:
    if gap is None or not gap[0] > NOTED:
        return []
    message = f"{what} contradict each other at {gap[1]}, by {gap[0]:.2g} times their size"
    if gap[0] > REFUSED and problem.check_corners:
        raise ProblemError(
            f"{message}; make them agree, or say `check_corners=False` if the jump is meant (accuracy will "
            "suffer)."
        )
    text = f"{message}; no solution can be smooth there, and the error cannot fall much below this."
    # A jump in u itself bounds the error from below; one in a flux only costs smoothness at a corner.
    return [Contradiction(text, gap[0])] if values else [text]


def _row_gap(problem: Problem, row: Row, points: np.ndarray) -> tuple[float, str] | None:
    """Largest residual of a boundary row for the initial data, relative to the size of its terms anywhere."""
    everywhere = grid(problem.domain, problem.time[0])
    here, there = {}, {}
    for jet in row.jets:
        datum = problem.initial_data.get((jet.unknown, jet.index[-1]))
        datum = datum.derivative(jet.index[:-1]) if datum else None
        if datum is None:
            return None
        here[jet], there[jet] = datum.part(points, jet.field), datum.part(everywhere, jet.field)
    sizes = [row.magnitude(points, here), row.magnitude(everywhere, there)]
    size = max(np.max(s[np.isfinite(s)], initial=0.0) for s in sizes)
    return _largest(np.abs(row.residual(points, here)), size, points, problem)


def _largest(gaps: np.ndarray, size: float, points: np.ndarray, problem: Problem) -> tuple[float, str] | None:
    """The largest gap relative to a size, and where it is; None where nothing can be said."""
    if not (np.all(np.isfinite(gaps)) and np.isfinite(size)):
        return None
    worst = int(np.argmax(gaps))
    return (float(gaps[worst] / size) if size > 0 else 0.0), _place(points[worst], problem)


def _place(point: np.ndarray, problem: Problem) -> str:
    return ", ".join(
        f"{name}={value:g}" for name, value in zip((*problem.domain.names, "t"), point, strict=True)
    )


def _periodic_gaps(problem: Problem, name: str, datum: Datum, axis: int) -> list[str]:
    """Jumps of initial data and their derivatives across a periodic axis, up to the first one that counts."""
    box = problem.domain
    highest = max((problem.space_order(axis, f) for f in problem.fields_of(name)), default=0)
    for order in range(max(1, highest)):
        derivative = datum.derivative([order if i == axis else 0 for i in range(box.dimension)])
        if derivative is None:
            return []
        low, high = grid(box, problem.time[0]), grid(box, problem.time[0])
        low[:, axis], high[:, axis] = box.lower[axis], box.upper[axis]
        # Far below the size of the data themselves a difference of high derivatives is rounding.
        everywhere, length = grid(box, problem.time[0]), box.upper[axis] - box.lower[axis]
        size = max(np.max(np.abs(derivative(everywhere))), np.max(np.abs(datum(everywhere))) / length**order)
        gap = _largest(np.abs(derivative(high) - derivative(low)), size, high, problem)
        said = f", derivative {order}," if order else ""
        found = _judge(problem, gap, f"`boundary` (`{box.names[axis]}` periodic) and {datum.what}{said}")
        if found:
            return found
    return []
