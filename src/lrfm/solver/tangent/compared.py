# SPDX-License-Identifier: MIT
"""The error of a solution as a function in any space:  e = u₂ − u_h,  u₂ the comparison solve, which was to a quarter of the tolerance.

On cells of a line the defect of u_h tells more (`lrfm.solver.tangent.defect`). This field claims nothing that the comparison has not claimed.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lrfm.discretize.options import SCANS
from lrfm.error.draws import differences
from lrfm.problem import Jet
from lrfm.rows.derived import Gap
from lrfm.rows.pieces import Piece
from lrfm.rows.placing import fill
from lrfm.solution.error_field import ErrorField
from lrfm.solution.solution import Solution


def has_comparison(solution: Solution) -> bool:
    """Whether there is a comparison solve over the same time, each in one piece."""
    windows = [piece.window for piece in (*solution.pieces, *solution.second)]
    return len(solution.pieces) == 1 and len(windows) == 2 and bool(np.allclose(windows[0], windows[1]))


def compared_field(solution: Solution) -> ErrorField:
    """The difference of the comparison solve, as a field; the report of the solution is told its size over time."""
    (first,), (second,) = solution.pieces, solution.second
    problem, rng = solution.problem, np.random.default_rng(0)
    found = differences(problem, [first], [second], rng)
    gap = Gap(first, second)
    by_time = _over_time(solution, gap, found.sizes, rng)
    made = ErrorField(problem, [gap], replace(solution.report, warnings=()), found.l2, by_time)
    solution.report = replace(solution.report, error_by_time=by_time)
    return made


def _over_time(
    solution: Solution, gap: Piece, sizes: dict[str, float], rng: np.random.Generator
) -> tuple[tuple[float, float], ...]:
    """‖e(t)‖ over space relative to the size of each unknown, the largest of them, at times from the start to the end."""
    problem, none = solution.problem, (0,) * (solution.problem.domain.dimension + 1)
    times = np.linspace(*gap.window, SCANS.instants + 1)
    each = SCANS.points // SCANS.instants
    at = np.repeat(times, each)
    places = fill(problem.domain, rng.random((len(at), problem.domain.dimension)), at, rng)
    jets = {f: Jet(f, none) for f in problem.fields}
    values = gap.values(jets.values(), np.column_stack([places, at]))
    curves = []
    for name in problem.unknowns:
        squares = sum(values[jets[f]].reshape(len(times), each) ** 2 for f in problem.fields_of(name))
        size = sizes[name]
        curves.append(np.sqrt(np.mean(squares, axis=1) / size) if size > 0 else 0 * times)
    return tuple((float(t), float(e)) for t, e in zip(times, np.max(curves, axis=0), strict=True))
