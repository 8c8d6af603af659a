# SPDX-License-Identifier: MIT
"""What happens in `fit`: search, coarse then fine → the solution with its error → what the data say, and what they do not."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from lrfm.discretize.options import Options
from lrfm.inverse import prior, statistics
from lrfm.inverse.data import Data
from lrfm.inverse.fit import Fit, FitError, FitStatus
from lrfm.inverse.judging import Judge, advice
from lrfm.inverse.limits import as_it_is, late_at, same_places, same_statement
from lrfm.inverse.loss import Loss, loss
from lrfm.inverse.model import Model, Point
from lrfm.inverse.noise import Groups
from lrfm.inverse.observe import Lens, observations
from lrfm.inverse.sampler import Drawn, sampled
from lrfm.inverse.search import LATE, Found, Late, Task, search
from lrfm.inverse.spread import Normal, Sampled
from lrfm.inverse.vector import Vector
from lrfm.linalg.deadline import deadline, seconds_left
from lrfm.linalg.threads import one_thread
from lrfm.problem import Problem
from lrfm.problem.calls import naming
from lrfm.problem.delays import FORWARD
from lrfm.problem.errors import ProblemError, counted
from lrfm.solution.solution import Solution
from lrfm.solver.api import solve
from lrfm.solver.arguments import check_budget
from lrfm.solver.budget import Budget, OutOfTime
from lrfm.solver.methods import Lines
from lrfm.solver.steady.front import steady
from lrfm.solver.steady.solves import Nearby
from lrfm.solver.tangent.front import tangent_pieces

COARSE, COARSE_GOAL = 1e-3, 1e-2  # forward tolerance of the first part of a search, and how near it comes
FINEST = 1e-6  # forward tolerance that is chosen where nothing is known of the noise
ROUNDS = 6  # of σ and of priors
AGREED = 0.02  # relative change of σ that ends the rounds,
STILL = 0.03  # and change of χ² by that of h, per unknown that the data pay for
ROUGHLY, SAMPLES = 400, 1500  # samples of fields during a search, and at its end
BAD = 25.0  # χ² per value, or misfit relative to the spread of the data, from which other starts are tried
POOR = 0.3
MORE = 4  # starts
SEARCHED = 0.6  # part of `max_seconds` that a search may take; the rest is for the error of what it found

Progress = Callable[[str, int, int], None]


@naming
@one_thread
def fit(
    problem: Problem,
    data: Data | Sequence[Data],
    *,
    tol: float | None = None,
    loss: str = "squares",
    starts: int | None = None,
    start: Fit | None = None,
    seed: int = 0,
    strict: bool = True,
    max_seconds: float | None = None,
    progress: Progress | None = None,
) -> Fit:
    """Find what is unknown in a problem from data: min_p Σ_i loss((d_i − h_i(u(p)))/σ_i), u(p) solved to its tolerance.

    Parameters
    ----------
    problem
        A statement with `lrfm.Unknown` or `lrfm.UnknownField` among its parameters.
    data
        One or several sets of measurements.
    tol
        Relative error of the forward solves at the end of the search; chosen if left out, so that it is a tenth of what the noise of
        the data allows to see, between 1e-6 and 1e-3.
    loss
        ``"squares"``; for data with outliers ``"huber"``, ``"soft_l1"`` or ``"cauchy"``.
    starts
        How many starts of the search; one, and more where the misfit stays bad, if left out.
    start
        An earlier fit of the same statement, to other values at the same places or to other data: the search begins with what it found,
        its solution, its slopes and its settings, and is a few times faster.
    seed
        Fixes every random draw.
    strict
        Whether a fit that is not to be trusted is raised (`FitError`, with the fit) or returned.
    max_seconds
        Wall time; what was found by then is handed back, without intervals where there was no time for them.
    progress
        Called as progress(stage, done, total).

    Returns
    -------
    Fit
        Numbers and fields with intervals at 95 %, the solution, and a report.

    Examples
    --------
    >>> import lrfm, numpy as np
    >>> x = np.linspace(0.1, 0.9, 9)
    >>> values = np.exp(-0.3 * np.pi**2 * 0.5) * np.sin(np.pi * x)
    >>> problem = lrfm.Problem(
    ...     "u_t = k*u_xx", domain=lrfm.Box(x=(0, 1)), time=(0, 0.5), initial="sin(pi*x)", boundary="u = 0",
    ...     parameters={"k": lrfm.Unknown(1.0, lower=0)},
    ... )
    >>> found = lrfm.fit(problem, lrfm.Data(x=x, t=0.5, u=values, sigma=1e-3))
    >>> abs(found.parameters["k"].value - 0.3) < 1e-6
    True
    >>> str(found.judgement.status)
    'fitted'
    """
    return _Run(problem, data, tol, loss, starts, start, seed, max_seconds, progress).run(strict)


class _Run:
    """One call of `fit`."""

    def __init__(self, problem, data, tol, loss_name, starts, start, seed, max_seconds, progress):
        self.tol, self.seed, self.progress = tol, seed, progress
        check_budget(4, max_seconds, None, True)
        self.budget = Budget(seconds=math.inf if max_seconds is None else max_seconds)
        if tol is not None and not (isinstance(tol, float) and 0 < tol < 1):
            raise ValueError(
                f"`tol={tol!r}` must lie between 0 and 1; it is the error of the forward solves."
            )
        if starts is not None and (not isinstance(starts, int) or starts < 1):
            raise ValueError(f"`starts={starts!r}` must be a whole number of at least 1.")
        if not isinstance(problem, Problem):
            raise TypeError(f"`fit` was given a {type(problem).__name__}; expected a `lrfm.Problem`.")
        if problem.delays:
            raise ProblemError(FORWARD)
        sets = list(data) if isinstance(data, list | tuple) else [data]
        if not sets or not all(isinstance(d, Data) for d in sets):
            raise TypeError("`data` must be a `lrfm.Data`, or a list of them.")
        if start is not None and not (
            isinstance(start, Fit) and same_statement(start.vector.problem, problem)
        ):
            raise ValueError(
                "`start` must be a fit of the same problem, made by `lrfm.fit`; leave it out for another statement."
            )
        self.vector = Vector.of(problem)
        self.observed = observations(problem, sets)
        self.groups = Groups.of(self.observed)
        self.model = Model(self.vector, self.observed, seed)
        self.starts, self.earlier = starts, start
        self.loss: Loss = loss(loss_name)
        self.count = sum(len(o.values) for o in self.observed)
        numbers = len(self.vector.numbers)
        if self.count < numbers or (self.count == numbers and not all(self.groups.known)):
            raise ValueError(
                f"The data have {counted(self.count, 'measured value')} for {counted(numbers, 'unknown number')}; give at least as many values "
                "as unknowns, and more where `sigma` is not known."
            )
        self.iterations, self.task = 0, self._task
        self.reached: Found | None = None  # the last point that was solved, for who runs out of time
        self.spectra = prior.spectra(self.vector)
        self.lengths: dict[str, float] = {}

    # Search -------------------------------------------------------------------------------------------------

    def run(self, strict: bool) -> Fit:
        """Coarse from every start, fine from the best, then what is to be said; a part of the time is kept for that."""
        share = Budget(seconds=SEARCHED * self.budget.seconds, began=self.budget.began)
        try:
            with deadline(share.stop, lambda: share.left):
                found, task = self._from_the_start() if self.earlier is None else self._from(self.earlier)
        except Late as late:
            found, task = late.found, self.task
        except OutOfTime:
            found, task = late_at(self), self.task
        self.tol = self.tol or COARSE  # none was chosen yet
        made = self._concluded(found, task) or as_it_is(self, found, task)
        if strict and made.judgement.status is not FitStatus.FITTED:
            raise FitError(f"{advice(made)} What was found is in `.fit`; `strict=False` returns it.", made)
        return made

    def _from_the_start(self) -> tuple[Found, Task]:
        # Where all unknowns are linear there is only one solve, which is to be as fine as the noise allows to see.
        straight = bool(np.all(self.model.linear))
        seen = straight and all(self.groups.known)
        first = self._chosen_tol(self._task) if seen else FINEST if straight else COARSE
        coarse = first if self.tol is None else max(first, self.tol)
        found, task = self._coarse(coarse)
        self.tol = min(coarse, self._chosen_tol(task)) if self.tol is None else self.tol
        if coarse > self.tol or straight:
            found, task = self._finely(task, self._point(found.values, self.tol))
        return found, task

    def _from(self, earlier: Fit) -> tuple[Found, Task]:
        """From what an earlier fit found: at the same places its own point, else a solve with its settings."""
        self.tol = earlier.tol if self.tol is None else self.tol
        same = (
            self.tol == earlier.tol
            and self.seed == earlier.model.seed
            and same_places(self.observed, earlier.observed)
        )
        point = earlier.point
        self.model.begin_with(point if same else replace(point, slopes=None), earlier.tangents, earlier.tol)
        task = replace(earlier.task, data=self._data, sigma=self.groups.first(self.observed))
        if not all(self.groups.known) and len(task.sigma) == len(earlier.task.sigma):
            task = replace(task, sigma=earlier.task.sigma)
        return self._finely(task, point if same else self._point(earlier.values, self.tol))

    def _finely(self, task: Task, point: Point) -> tuple[Found, Task]:
        return self._rounds(task, point, self.tol, max(1e-10, 1e-2 * self.tol))

    @property
    def _data(self) -> np.ndarray:
        return np.concatenate([o.values for o in self.observed])

    @property
    def _task(self) -> Task:
        """The data, σ as far as it is known, and no prior."""
        sigma = self.groups.first(self.observed)
        return Task(self._data, sigma, self.loss, np.zeros((0, self.vector.size)), self.vector.start)

    def _chosen_tol(self, task: Task) -> float:
        """A tenth of the noise in the mean of all values, where the noise is known or far above the error of the coarse solves."""
        size = math.sqrt(float(np.mean(task.data**2)))
        noise = float(np.median(task.sigma)) / max(size, 1e-300)
        if not all(self.groups.known) and noise < 10 * COARSE:
            return FINEST
        return float(np.clip(0.1 * noise / math.sqrt(self.count), FINEST, COARSE))

    def _coarse(self, tol: float) -> tuple[Found, Task]:
        task = self._task
        first = self.model.at(self.vector.start, tol)
        best: tuple[Found, Task] | None = None
        if first is not None:
            best = self._rounds(task, first, tol, COARSE_GOAL)
        more = (self.starts or 1) - 1
        if self.starts is None and (best is None or self._bad(*best)) and self.vector.numbers:
            more = MORE
        for values in self.vector.other_starts(more, np.random.default_rng([self.seed, 1])):
            if best is not None and seconds_left() <= 0:
                break
            point = self.model.at(values, tol)
            if point is not None:
                other = self._rounds(task, point, tol, COARSE_GOAL)
                best = other if best is None or self._better(other, best) else best
        if best is None:
            raise ProblemError(
                f"The forward problem could not be solved at the start of the search: {self.model.why.rstrip('.')}. Start elsewhere (`Unknown(start)`)."
            )
        return best

    def _better(self, one: tuple[Found, Task], other: tuple[Found, Task]) -> bool:
        """By the misfit in the σ of the second: σ that were found differ from start to start."""
        task = other[1]
        return task.cost(one[0].point) < task.cost(other[0].point)

    def _bad(self, found: Found, task: Task) -> bool:
        gap = task.data - found.point.h
        if self.loss.robust:
            middle = np.median(task.data)
            return float(np.median(np.abs(gap))) > POOR * float(np.median(np.abs(task.data - middle)))
        if all(self.groups.known):
            return float(np.mean((gap / task.sigma) ** 2)) > BAD
        return float(np.linalg.norm(gap)) > POOR * float(np.linalg.norm(task.data - np.mean(task.data)))

    def _point(self, values: np.ndarray, tol: float) -> Point:
        point = self.model.at(values, tol)
        if point is None:
            raise ProblemError(
                f"The forward problem could not be solved to `tol={tol:g}` where the data lead: {self.model.why}."
            )
        return point

    def _rounds(self, task: Task, point: Point, tol: float, goal: float) -> tuple[Found, Task]:
        """Searches with σ and the strength of priors as the last one found them, until these agree."""
        found: Found | None = None
        for number in range(ROUNDS):
            if number and found is not None and np.any(found.values != point.values):
                point = self._point(found.values, tol)
            self.task, before = task, (task.sigma, point.h)
            self.reached = Found(point, point.values, task.cost(point), self.iterations, False, LATE)
            if self.vector.fields:
                point = self.model.with_slopes(point, tol)
                drawn = self._drawn(task, point, ROUGHLY)
                task = replace(task, root=prior.stacked(self.vector, self.spectra, drawn.precisions))
            found = search(self.model, task, point, tol, goal, self._tell)
            self.iterations += found.iterations
            self.reached = replace(found, converged=False, reason=LATE)
            point = self.model.with_slopes(found.point, tol)
            used = self._used(task, point)
            if not all(self.groups.known):
                task = replace(task, sigma=self.groups.again(task, point.h, used))
            if self._agreed(before, task, point, used) or seconds_left() <= 0:
                break
        assert found is not None
        return found, task

    def _agreed(self, before: tuple[np.ndarray, np.ndarray], task: Task, point: Point, used: float) -> bool:
        """Whether σ and, where fields are unknown, h are those of the round before; σ alone changes nothing where there is one of it."""
        sigma, h = before
        alone = not self.vector.fields and not self.loss.robust and len(self.groups.known) == 1
        same = alone or np.allclose(sigma, task.sigma, rtol=AGREED)
        moved = float(np.sum(((point.h - h) / task.sigma) ** 2)) if self.vector.fields else 0.0
        return bool(same) and moved < STILL * max(used, 1.0)

    def _drawn(self, task: Task, point: Point, count: int) -> Drawn:
        """Samples of the unknowns, the model linearized at a point."""
        assert point.slopes is not None
        w = np.sqrt(self.loss.weight(task.residual(point.h))) / task.sigma
        slopes = w[:, None] * point.slopes
        y = w * (task.data - point.h) + slopes @ (point.values - task.center)
        found = sampled(self.vector, self.spectra, slopes, y, np.random.default_rng([self.seed, 2]), count)
        self.lengths = found.lengths
        return found

    def _settled(self, found: Found, task: Task) -> tuple[np.ndarray, np.ndarray]:
        """What was found, and samples around it: where fields are unknown, the middle of all that the data allow."""
        if not self.vector.fields:
            return found.values, np.zeros((0, self.vector.size))
        point = (
            found.point if np.all(found.values == found.point.values) else self._point(found.values, self.tol)
        )
        drawn = self._drawn(task, self.model.with_slopes(point, self.tol), SAMPLES)
        values = np.clip(task.center + drawn.middle, *self.vector.bounds)
        return values, task.center + drawn.samples - values

    def _used(self, task: Task, point: Point) -> float:
        """How many unknowns the data pay for: the trace of J C Jᵀ."""
        rows, _ = task.normal(point)
        n = len(task.data)
        return float(np.sum((rows[:n] @ statistics.covariance(rows)) * rows[:n]))

    def _tell(self, iteration: int, cost: float) -> None:
        if self.progress:
            self.progress(f"fitting, misfit {2 * cost:.3g}", self.model.solves, 0)

    # What is to be said -------------------------------------------------------------------------------------

    def _concluded(self, found: Found, task: Task) -> Fit | None:
        """All that is to be said; None where the clock ends it."""
        try:
            with deadline(self.budget.end, lambda: self.budget.left):
                values, deviations = self._settled(found, task)
                if self.progress:
                    self.progress("estimating the error", self.model.solves, 0)
                solution = self._estimated(values)
                whole = solution.block_edges[-1] >= solution.problem.time[1]
                return self._told(found, task, values, deviations, solution) if whole else None
        except OutOfTime:
            return None

    def _estimated(self, values: np.ndarray) -> Solution:
        """The solution with an estimate, in the time that is left."""
        left = max(self.budget.left, 1e-3)
        seconds = left if math.isfinite(left) else None
        problem, tol = self.vector.at(values), Options.minor * self.tol
        if problem.steady:
            near = Nearby.to(problem, self.model.last[0])
            return steady(problem, tol=tol, guess=near, strict=False, max_seconds=seconds)
        return solve(
            problem,
            tol=tol,
            method=Lines(),  # as the model is solved, and as accurate
            seed=self.seed,
            strict=False,
            max_seconds=seconds,
            start=None if self.earlier is None else self.earlier.solution,
        )

    def _told(
        self, found: Found, task: Task, values: np.ndarray, deviations: np.ndarray, solution: Solution
    ) -> Fit:
        """Intervals, and what the data do not tell."""
        numbers = list(self.vector.numbers)
        tangents = self.model.tangents or tangent_pieces(
            solution.problem,
            solution.pieces,
            self.model.directions,
            self.tol,
            self.vector.required_resolution,
        )
        lens = Lens(solution.problem, self.observed, self.model.directions)
        h = lens.values(solution.pieces)
        point = Point(values, solution.problem, solution.pieces, h, lens.slopes(solution.pieces, tangents))
        rows, _ = task.normal(point)
        assert point.slopes is not None
        white = point.slopes / task.sigma[:, None]
        blind = (
            statistics.unseen(
                white[:, : len(numbers)], values[: len(numbers)], self.vector.start, numbers, self.tol
            )
            if numbers
            else []
        )
        c = statistics.covariance(rows)
        used = self._used(task, point)
        freedom = max(round(len(task.data) - used), 0)
        known = all(self.groups.known)
        factor = statistics.quantile(None if known else max(freedom, 1))
        shift = np.zeros(self.vector.size)
        if solution.second:
            gap = (lens.values(solution.second) - h) / task.sigma
            shift = statistics.SAFETY * np.abs(c @ (rows[: len(gap)].T @ gap))
        work = {
            "iterations": self.iterations, "solves": self.model.solves, "seconds": self.budget.spent, "lengths": dict(self.lengths)
        }  # fmt: skip
        judge = Judge(vector=self.vector, groups=self.groups, loss=self.loss, work=work)
        judged = judge.judgement(found, task, h, solution, blind, freedom)
        names = [name for u in blind for name in u.names]
        spread = Sampled(deviations, factor) if len(deviations) else Normal(c, factor)
        return Fit(
            self.model, task, point, solution, tangents, c, spread, shift, factor, judged, tuple(dict.fromkeys(names)), self.tol
        )  # fmt: skip
