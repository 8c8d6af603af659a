# SPDX-License-Identifier: MIT
"""What happens in `fit`: search, coarse then fine → the solution with its error → what the data say, and what they do not."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from lrfm.inverse import prior, statistics
from lrfm.inverse.data import Data
from lrfm.inverse.fit import Fit, FitError
from lrfm.inverse.judging import Judge, advice
from lrfm.inverse.loss import Loss, loss
from lrfm.inverse.model import Model, Point
from lrfm.inverse.noise import Groups
from lrfm.inverse.observe import Lens, Observed, observations
from lrfm.inverse.sampler import Drawn, sampled
from lrfm.inverse.search import Found, Task, search
from lrfm.inverse.spread import Normal, Sampled
from lrfm.inverse.vector import Vector
from lrfm.linalg.threads import one_thread
from lrfm.problem import Problem
from lrfm.problem.errors import ProblemError, counted
from lrfm.problem.shapes.protocol import is_layered
from lrfm.solver.api import solve
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

Progress = Callable[[str, int, int], None]


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
        Time after which no further starts or rounds are begun.
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
    >>> found.judgement.status
    'fitted'
    """
    return _Run(problem, data, tol, loss, starts, start, seed, max_seconds, progress).run(strict)


class _Run:
    """One call of `fit`."""

    def __init__(self, problem, data, tol, loss_name, starts, start, seed, max_seconds, progress):
        self.began = time.monotonic()
        self.tol, self.seed, self.progress = tol, seed, progress
        self.seconds = math.inf if max_seconds is None else max_seconds
        if tol is not None and not (isinstance(tol, float) and 0 < tol < 1):
            raise ValueError(
                f"`tol={tol!r}` must lie between 0 and 1; it is the relative error of the forward solves."
            )
        if starts is not None and (not isinstance(starts, int) or starts < 1):
            raise ValueError(f"`starts={starts!r}` must be a whole number of at least 1.")
        if not isinstance(problem, Problem):
            raise TypeError(f"`fit` was given a {type(problem).__name__}; expected a `lrfm.Problem`.")
        sets = [data] if isinstance(data, Data) else list(data)
        if not sets or not all(isinstance(d, Data) for d in sets):
            raise TypeError("`data` must be a `lrfm.Data`, or a list of them.")
        if start is not None and not (
            isinstance(start, Fit) and _same_statement(start.vector.problem, problem)
        ):
            raise ValueError(
                "`start` must be a fit of the same problem, made by `lrfm.fit`; leave it out for another statement."
            )
        kind = "has layers" * is_layered(problem.domain) or "moves" * getattr(problem.domain, "moving", False)
        if kind:
            raise ProblemError(
                f"Data are fitted on domains that stay, without layers; this one {kind}. Compare solves with the data yourself."
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
        self.iterations = 0
        self.spectra = prior.spectra(self.vector)
        self.lengths: dict[str, float] = {}

    # Search -------------------------------------------------------------------------------------------------

    def run(self, strict: bool) -> Fit:
        """Coarse from every start, fine from the best, then what is to be said."""
        found, task = self._from_the_start() if self.earlier is None else self._from(self.earlier)
        made = self._concluded(found, task)
        if strict and made.judgement.status != "fitted":
            raise FitError(f"{advice(made)} What was found is in `.fit`; `strict=False` returns it.", made)
        return made

    def _from_the_start(self) -> tuple[Found, Task]:
        # Where all unknowns are linear there is only one solve, which is to be as fine as the noise allows to see.
        straight = bool(np.all(self.model.linear))
        first = COARSE
        if straight:
            first = self._chosen_tol(self._task) if all(self.groups.known) else FINEST
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
            and _same_places(self.observed, earlier.observed)
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
        for values in self._other_starts(more):
            if best is not None and time.monotonic() - self.began > self.seconds:
                break
            point = self.model.at(values, tol)
            if point is not None:
                other = self._rounds(task, point, tol, COARSE_GOAL)
                best = other if best is None or self._better(other, best) else best
        if best is None:
            raise ProblemError(
                f"The forward problem could not be solved at the start of the search: {self.model.why}. Start elsewhere (`Unknown(start)`)."
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

    def _other_starts(self, count: int) -> list[np.ndarray]:
        """Numbers within a factor of ten of their starts, or between their bounds; fields as they start."""
        rng = np.random.default_rng([self.seed, 1])
        lower, upper = self.vector.bounds
        found = []
        for _ in range(count):
            values = self.vector.start.copy()
            for i in range(len(self.vector.numbers)):
                a, b = lower[i], upper[i]
                if np.isfinite(a) and np.isfinite(b):
                    ratio = b / a if a > 0 else 0.0
                    values[i] = (
                        a * ratio ** rng.uniform(0.05, 0.95)
                        if ratio > 10
                        else a + (b - a) * rng.uniform(0.05, 0.95)
                    )
                else:
                    values[i] = values[i] * 10 ** rng.uniform(-1, 1) if values[i] else rng.normal()
            found.append(np.clip(values, lower, upper))
        return found

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
            before = (task.sigma, point.h)
            if self.vector.fields:
                point = self.model.with_slopes(point, tol)
                drawn = self._drawn(task, point, ROUGHLY)
                task = replace(task, root=prior.stacked(self.vector, self.spectra, drawn.precisions))
            found = search(self.model, task, point, tol, goal, self._tell)
            self.iterations += found.iterations
            point = self.model.with_slopes(found.point, tol)
            used = self._used(task, point)
            if not all(self.groups.known):
                task = replace(task, sigma=self.groups.again(task, point.h, used))
            if self._agreed(before, task, point, used) or time.monotonic() - self.began > self.seconds:
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

    def _concluded(self, found: Found, task: Task) -> Fit:
        numbers = list(self.vector.numbers)
        values, deviations = self._settled(found, task)
        if self.progress:
            self.progress("estimating the error", self.model.solves, 0)
        solution = solve(
            self.vector.at(values),
            tol=self.tol,
            method="lines",
            seed=self.seed,
            strict=False,
            max_seconds=None,
            start=None if self.earlier is None else self.earlier.solution,
        )
        tangents = self.model.tangents or tangent_pieces(
            solution.problem, solution.pieces, self.model.directions, self.tol, self.vector.needs, self.seed
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
            "iterations": self.iterations, "solves": self.model.solves, "seconds": time.monotonic() - self.began, "lengths": dict(self.lengths)
        }  # fmt: skip
        judge = Judge(vector=self.vector, groups=self.groups, loss=self.loss, work=work)
        judged = judge.judgement(found, task, h, solution, blind, freedom)
        names = [name for u in blind for name in u.names]
        spread = Sampled(deviations, factor) if len(deviations) else Normal(c, factor)
        return Fit(
            self.model, task, point, solution, tangents, c, spread, shift, factor, judged, tuple(dict.fromkeys(names)), self.tol
        )  # fmt: skip


def _same_statement(one: Problem, two: Problem) -> bool:
    parts = ("equations", "time", "initial", "boundary", "parameters", "unknowns")
    return one is two or all(str(getattr(one, name)) == str(getattr(two, name)) for name in parts)


def _same_places(one: Sequence[Observed], two: Sequence[Observed]) -> bool:
    """Whether two sets of data differ in their values only."""
    return [(o.column, o.part, o.face) for o in one] == [(o.column, o.part, o.face) for o in two] and all(
        np.array_equal(a.points, b.points) for a, b in zip(one, two, strict=True)
    )
