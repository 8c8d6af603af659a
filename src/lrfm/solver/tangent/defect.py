# SPDX-License-Identifier: MIT
"""The error of a solution on cells as a function:  e = u − u_h  from the defect of u_h, by one linear integration.

u_h is a function, so that its defect r = F(u_h) is known anywhere. With F(u) = 0 and e = u − u_h

    ∂F/∂y e + ∂F/∂y′ e′ + r = 0,     e(t₀) = u(t₀) − u_h(t₀),

to first order in e. In the space of u_h the defect is zero: it is integrated with more points in every cell of u_h and with one stage more in every step of it, where e is seen
(defect correction: Stetter, Numer. Math. 29, 1978; Skeel, SIAM J. Numer. Anal. 19, 1982).

In any other space it is  e = u₂ − u_h,  u₂ the comparison solve, which was to a quarter of the tolerance: this field claims nothing that the comparison has not claimed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from lrfm.adapt.given import Given
from lrfm.discretize.evolution import EvolutionSystem, Unsuited
from lrfm.discretize.line.collocation import CellCollocation
from lrfm.discretize.line.layout import Layout
from lrfm.discretize.options import LINEAR, ROUNDING, SCANS, Options
from lrfm.error.draws import differences
from lrfm.error.indicators import CELLS
from lrfm.integrate.follow.along import Along
from lrfm.integrate.follow.linear import Links
from lrfm.integrate.follow.tangent import LinearIntegration
from lrfm.integrate.integrator import Stopped
from lrfm.integrate.schemes.tableaus import radau
from lrfm.integrate.state import Step
from lrfm.problem import Jet, Problem, ProblemError
from lrfm.rows.cell_steps import CellSteps
from lrfm.rows.derived import Gap
from lrfm.rows.pieces import Piece
from lrfm.rows.placing import fill
from lrfm.solution.error_field import ErrorField
from lrfm.solution.report import Report
from lrfm.solution.solution import Solution
from lrfm.solution.status import Status
from lrfm.solver.tangent.cells import along, inner, layout_of, on_cells, piece_of, projected, system_of
from lrfm.spaces.cells import Mesh
from lrfm.spaces.cells.reference import table


class Defect:
    """F(u_h) of all rows, the gaps of chains, and the initial error, as the right-hand side of a linear integration."""

    count = 1

    def __init__(self, layout: Layout, base: Along):
        self.layout, self.base, self.given = layout, base, Given(layout.system)

    def start(self, mesh: Mesh) -> np.ndarray:
        first, known = self.base.steps[0], [c for c, _, _ in self.given.data]

        def missing(x: np.ndarray) -> np.ndarray:
            cell, at = first.mesh.locate(x)
            functions = table(at, first.start.shape[-1])
            found = np.zeros((len(first.start), len(x)))
            ours = np.einsum("cps,ps->cp", first.start[:, cell], functions)
            found[known] = (self.given.initial(x) - ours)[known]
            return found

        return projected(self.layout, mesh, missing)[None]

    def rows(self, number: int, times: np.ndarray, made: CellCollocation) -> np.ndarray:
        y, z = self.base.state(number, times, self.layout, made.mesh)
        return made.residual(times, y, z)[..., None]

    def links(self, number: int, times: np.ndarray, made: CellCollocation) -> Links:
        y, z = self.base.state(number, times, self.layout, made.mesh)
        return {c: (y[:, c + 1] - z[:, c])[:, None] for c in made.system.links}

    def sizes(self, made: CellCollocation) -> tuple[np.ndarray, np.ndarray]:
        shape = (1, len(made.system.components))
        return np.zeros(shape), np.zeros(shape)


def error_field(solution: Solution) -> ErrorField:
    """The error of a solution as a field; the report of the solution is told of it."""
    try:
        found = error_pieces(solution.problem, solution.pieces)
    except Unsuited as error:
        raise ProblemError(f"The error of this solution is not known as a function: {error}") from error
    made = ErrorField(
        solution.problem, [found.piece], replace(solution.report, warnings=()), found.l2, found.by_time
    )
    solution.report = judged(solution.report, made)
    return made


def judged(report: Report, field: ErrorField) -> Report:
    """The report with the error field: the larger one of two estimates is claimed, and said where they are far apart.

    Without a comparison solve nothing is claimed: a defect that the cells do not see would be claimed with them.
    """
    found, claimed = field.l2[field.worst], report.error_estimate
    told = replace(report, error_by_time=field.by_time, indicators={**report.indicators, "defect": found})
    if not math.isfinite(claimed):
        return told
    bound = LINEAR.safety * found
    warnings = (*report.warnings, *_apart(report, found))
    if bound <= claimed:
        return replace(told, warnings=warnings)
    raised = bound / claimed if claimed > 0 else 1.0
    profile, early = (tuple((t, e * raised) for t, e in own) for own in (report.profile, report.early))
    missed = (
        report.status is Status.TOLERANCE_MET and report.tolerance is not None and bound > report.tolerance
    )
    return replace(
        told,
        error_estimate=bound,
        max_error_estimate=max(report.max_error_estimate, bound),
        decided_by="defect",
        worst=field.worst,
        profile=profile,
        early=early,
        warnings=warnings,
        status=Status.TOLERANCE_NOT_MET if missed else report.status,
    )


def _apart(report: Report, found: float) -> list[str]:
    """What is said where the error field and the comparison solve do not agree."""
    compared = report.indicators.get("draws", math.nan) / CELLS.safety
    least = max(min(compared, found), np.finfo(float).eps)
    if not max(compared, found) > LINEAR.apart * least or max(compared, found) < ROUNDING.sums:
        return []
    rough = " It is too large for an error that is linear in it." if found > Options.minor else ""
    return [
        f"The error field has a size of {found:.1e} of the solution, and the comparison solve is {compared:.1e} away: they do not agree, and the larger "
        f"one is claimed.{rough} Solve with a smaller `tol` before either is used as a number."
    ]


@dataclass(frozen=True)
class ErrorPieces:
    """e as a piece, and its size relative to the solution: over space and time, and over space at the ends of steps."""

    piece: Piece
    l2: dict[str, float]
    by_time: tuple[tuple[float, float], ...]

    @property
    def worst(self) -> float:
        """The largest relative L² error of an unknown."""
        return max(self.l2.values())


def error_pieces(problem: Problem, pieces: Sequence[Piece]) -> ErrorPieces:
    """The error of a solution on cells; Unsuited where it is not on cells, or its linear equation cannot be integrated."""
    if not on_cells(pieces):
        raise Unsuited("It was not solved on the cells of an interval that stays.")
    steps: CellSteps = inner(pieces[0])
    system = system_of(problem, pieces[0])
    base, layout = along(system, steps), layout_of(system, steps, LINEAR.more)
    stages = len(base.steps[0].rates) + 1  # one more than the solution has
    run = LinearIntegration(
        base, layout, radau(stages), Defect(layout, base), Options(tol=Options.minor**3, stages=stages), None, Options.minor**3
    )  # fmt: skip
    try:
        (found,) = run.run()
    except Stopped as error:
        raise Unsuited(str(error)) from error
    l2, by_time = _sizes(problem, system, base.steps, found)
    return ErrorPieces(piece_of(pieces[0], system, found), l2, by_time)


def _sizes(
    problem: Problem, system: EvolutionSystem, base: Sequence[Step], found: Sequence[Step]
) -> tuple[dict[str, float], tuple[tuple[float, float], ...]]:
    """‖e‖/‖u_h‖ of every unknown over space and time, and the largest ‖e(t)‖/‖u_h‖ at the ends of steps."""
    ours = np.array([_squares(step) for step in base])  # (steps, components)
    errors = np.array([_squares(step) for step in found])
    ends = np.array([_squares_at(step, 0) for step in found] + [_squares_at(found[-1], -1)])
    l2, curves = {}, []
    for name in problem.unknowns:
        among = [system.first[f] for f in problem.fields if f.partition(".")[0] == name]
        size, total = ours[:, among].sum(), errors[:, among].sum()
        duration = sum(step.length for step in base)
        l2[name] = float(np.sqrt(total / size)) if size > 0 else float(np.inf if total > 0 else 0.0)
        curves.append(np.sqrt(ends[:, among].sum(axis=1) * duration / size) if size > 0 else 0 * ends[:, 0])
    times = [*(step.time for step in found), found[-1].time + found[-1].length]
    return l2, tuple((float(t), float(e)) for t, e in zip(times, np.max(curves, axis=0), strict=True))


def _values(step: Step) -> np.ndarray:
    scheme = radau(len(step.rates))
    return step.start + step.length * np.tensordot(scheme.matrix, step.rates, axes=1)


def _mean_squares(step: Step, values: np.ndarray) -> np.ndarray:
    shares = step.mesh.widths / np.sum(step.mesh.widths)
    return np.einsum("...ks,k->...", values**2, shares)


def _squares(step: Step) -> np.ndarray:
    """∫ ‖y‖² dt over a step, by component."""
    return step.length * radau(len(step.rates)).weights @ _mean_squares(step, _values(step))


def _squares_at(step: Step, which: int) -> np.ndarray:
    return _mean_squares(step, step.start if which == 0 else _values(step)[-1])


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
