# SPDX-License-Identifier: MIT
"""Checks that need numbers: finite data, data that fit each other at t = t₀, conditions counted per axis."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lrfm.problem.domain import Box
from lrfm.problem.equation import Row
from lrfm.problem.errors import ProblemError

if TYPE_CHECKING:
    from lrfm.problem.problem import Problem

REFUSED = 1e-2  # relative contradiction of data at t = t₀ that is an error,
NOTED = 1e-8  # and one that is worth a warning


def run(problem: Problem, used_names: set[str]) -> list[str]:
    """Raise ProblemError for what cannot be meant; return warnings for what is only suspicious."""
    _finite_data(problem)
    warnings = [f"The parameter `{p}` is not used." for p in problem.parameters if p not in used_names]
    warnings += _count_conditions(problem)
    warnings += _corners(problem)
    return warnings


def grid(box: Box, t: float, per_axis: int = 17, inside: bool = False) -> np.ndarray:
    """A tensor grid of points at one time, at most about 4,000 of them."""
    n = max(3, min(per_axis, int(4000 ** (1 / box.dimension))))
    unit = (np.arange(n) + 0.5) / n if inside else np.linspace(0, 1, n)
    axes = [lo + (hi - lo) * unit for lo, hi in box.axes.values()]
    columns = [a.ravel() for a in np.meshgrid(*axes, indexing="ij")]
    return np.column_stack([*columns, np.full(columns[0].shape, t)])


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
    for datum in problem.initial_data.values():
        points = grid(problem.domain, start)
        values = datum(points)
        if np.iscomplexobj(values) and np.any(values.imag != 0):
            name = next(n for (n, _), d in problem.initial_data.items() if d is datum)
            if problem.unknowns[name] is not complex:
                raise ProblemError(
                    f"{datum.what} has complex values, but `{name}` is real; declare it with "
                    f"`unknowns={{'{name}': complex}}`."
                )
        _finite(values, points, datum.what, problem)
    places = [(row, interior_grid(problem.domain, problem.time)) for row in problem.rows]
    for face, rows in problem.face_rows.items():
        points = face_grid(problem, face, (start + 0.5 * (end - start), end))
        places += [(row, points) for row in rows]
    for row, points in places:
        source, coefficients = row.affine(points)
        for values in (source, *coefficients.values()):
            _finite(np.broadcast_to(values, (len(points),)), points, f"{row.label}: a coefficient or source", problem)


def _finite(values: np.ndarray, points: np.ndarray, what: str, problem: Problem) -> None:
    bad = ~np.isfinite(values)
    if bad.any():
        names = (*problem.domain.names, "t")
        where = ", ".join(f"{n}={v:g}" for n, v in zip(names, points[bad][0], strict=True))
        raise ProblemError(f"{what} is not finite at {where}; give data that are finite in the whole domain.")


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
            warnings.append(
                f"Axis `{axis}`: {given} boundary condition(s) on its two faces, the equations' order suggests "
                f"{wanted}; the solution {effect}."
            )
    return warnings


def _corners(problem: Problem) -> list[str]:
    """Whether boundary rows hold for the initial data at t = t₀, as far as these can be differentiated."""
    warnings = []
    for face, rows in problem.face_rows.items():
        for row in rows:
            gap = _row_gap(problem, row, face_grid(problem, face, (problem.time[0],)))
            warnings += _judge(problem, gap, f"{row.label} and `initial`")
    for axis in sorted(problem.periodic):
        i = problem.domain.names.index(axis)
        for (name, _), datum in problem.initial_data.items():
            for order in range(max(1, problem.space_order(i))):
                gap = _periodic_gap(problem, datum, i, order)
                what = f"`boundary` (`{axis}` periodic) and {datum.what}" + (f", derivative {order}" if order else "")
                warnings += _judge(problem, gap, what)
                if gap is None or gap > NOTED:
                    break
    return warnings


def _judge(problem: Problem, gap: float | None, what: str) -> list[str]:
    if gap is None or not gap > NOTED:
        return []
    message = f"{what} contradict each other at t={problem.time[0]:g} by {gap:.1e} of their size"
    if gap > REFUSED and problem.check_corners:
        raise ProblemError(
            f"{message}; make them agree, or say `check_corners=False` if the jump is meant (accuracy will suffer)."
        )
    return [f"{message}; no solution can be smooth there, and the error cannot fall much below this."]


def _row_gap(problem: Problem, row: Row, points: np.ndarray) -> float | None:
    everywhere = grid(problem.domain, problem.time[0])
    jets, scale = {}, 0.0
    for jet in row.jets:
        name = jet.field.partition(".")[0]
        datum = problem.initial_data.get((name, jet.index[-1]))
        datum = datum.derivative(jet.index[:-1]) if datum else None
        if datum is None:
            return None
        jets[jet] = datum.part(points, jet.field)
        coefficient = row.affine(points)[1].get(jet, np.ones(1))
        scale += np.max(np.abs(coefficient)) * np.max(np.abs(datum.part(everywhere, jet.field)))
    residual = np.max(np.abs(row.residual(points, jets)))
    scale += np.max(np.abs(row.affine(points)[0]))
    if not np.isfinite(residual) or not np.isfinite(scale):
        return None
    return float(residual / scale) if scale > 0 else 0.0


def _periodic_gap(problem: Problem, datum, axis: int, order: int) -> float | None:
    orders = [0] * problem.domain.dimension
    orders[axis] = order
    derivative = datum.derivative(orders)
    if derivative is None:
        return None
    low, high = grid(problem.domain, problem.time[0]), grid(problem.domain, problem.time[0])
    low[:, axis], high[:, axis] = problem.domain.lower[axis], problem.domain.upper[axis]
    scale = np.max(np.abs(derivative(grid(problem.domain, problem.time[0]))))
    gap = np.max(np.abs(derivative(high) - derivative(low)))
    # Far below the size of the data themselves a difference of high derivatives is rounding.
    scale = max(scale, np.max(np.abs(datum(grid(problem.domain, problem.time[0])))))
    if not np.isfinite(gap) or not np.isfinite(scale):
        return None
    return float(gap / scale) if scale > 0 else 0.0


