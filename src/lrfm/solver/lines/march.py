# SPDX-License-Identifier: MIT
"""From the start to the end, step by step: steps follow the solution in time, bases in space.

A step is tried, its error in time estimated from the decay of the Legendre coefficients of y', its residual looked at on fresh
points; then it is kept, or repeated shorter, or repeated on a new basis drawn for what was seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from lrfm.integrate.schemes import Scheme
from lrfm.solution.status import Status
from lrfm.solver.lines.candidate import Candidate
from lrfm.solver.lines.choosers import chooser_for
from lrfm.solver.lines.compatible import check_start, contradicts
from lrfm.solver.lines.driving import anticipated
from lrfm.solver.lines.form import Form, Unsuited
from lrfm.solver.lines.gauge import joined
from lrfm.solver.lines.kinds import LARGEST, Linear, Parts, kind_for, stronger_than
from lrfm.solver.lines.known import NOTHING, Known
from lrfm.solver.lines.krylov import Coupled
from lrfm.solver.lines.layer import Layer
from lrfm.solver.lines.leap import Leap
from lrfm.solver.lines.leaps import Leaps
from lrfm.solver.lines.monitor import worst
from lrfm.solver.lines.newton import Stage, first_rates, solve_stages
from lrfm.solver.lines.pace import divided
from lrfm.solver.lines.projected import ProjectedRows
from lrfm.solver.lines.reach import DRIVEN, Reach
from lrfm.solver.lines.redraws import REDRAWS, redraw, unresolved
from lrfm.solver.lines.ringing import Ringing, stands_still
from lrfm.solver.lines.rules import Rules
from lrfm.solver.lines.saddle import SaddleParts
from lrfm.solver.lines.separable import Separable, total_size
from lrfm.solver.lines.stages import DenseParts, Stages
from lrfm.solver.lines.start import fit_start, settled_start, unstarted
from lrfm.solver.lines.state import Counts, Residual, State, Step
from lrfm.solver.lines.time_error import longer, shorter, time_error
from lrfm.spaces.bases import Basis

FIRST = 1 / 50  # first step in parts of the whole time
SMALLEST = 1e-13
NOTHING_LEFT = 1e-16  # part of the whole time that a step no longer adds to it
FAILURES = 25
MANY = 30  # steps of which each may leave its part where nothing is damped: what more of them leave in time is carried on, and may be no more in all
QUICK = 5  # iterations of a step after which costly matrices are kept for the next one


class March:
    """One draw of features, marched from the start of the time window to its end."""

    def __init__(
        self,
        form: Form,
        rules: Rules,
        rng: np.random.Generator,
        finer: float | None = None,
        known: Known = NOTHING,
        even: float = 0.0,
    ):
        self.form, self.rules, self.finer, self.known, self.even = form, rules, finer, known, even
        self.scheme = rules.scheme(0, 0)
        self.chooser = chooser_for(form, rules, rng)
        self.counts = Counts(scheme=self.scheme.words)
        self.layer, self.tries, self.before = Layer(form.forgets, form.problem.time, rules.tol), 0, 0.0
        self.misfit = 0.0
        self.changes_frames = True  # whether the frame is changed for what begins to travel
        self.best: Candidate | None = None
        self.solver: Linear = Separable  # of large products; a stronger one where this was not enough
        self.system: ProjectedRows
        self.stages: Stages | None = None
        self._powers: Parts | None = None
        self.middle: tuple[float, np.ndarray, np.ndarray]  # where the equations were linearized last
        # What conditions are going to make of it counts as the size of what starts small, as that of the largest one does.
        self.sizes = DRIVEN * anticipated(form)
        self.chooser.ranges += self.sizes
        firsts = [form.first[f] for f in form.problem.fields]
        self.reach = Reach(rules.tol, self.chooser.data.zero(), firsts, bool(form.multipliers))
        # Lengths that were too long for this step, and their errors.
        self.late: list[tuple[float, float]] = []
        self.leaps = Leaps()
        self.ringing = Ringing()
        self.made = -np.inf  # the start of the step for which the matrices were made
        self.kept = False  # whether the matrices are those of an earlier step

    # Start --------------------------------------------------------------------------------------------------

    def begin(self) -> State:
        """Fit the data, project them on the conditions, and measure what was lost."""
        known = self.known.first(self.chooser)
        state = self.start_on(known or self.chooser.start())
        return replace(state, length=self.known.length or state.length) if known else state

    def start_on(self, basis: Basis) -> State:
        """The first state, on a basis or on a sharper one."""
        self.sizes = np.maximum(self.sizes, self.chooser.sizes)
        start, end = self.form.problem.time
        return State(start, FIRST * (end - start), *self._fitted(basis))

    def regular(self, basis: Basis) -> bool:
        """Whether the equations of a first step determine its stages."""
        self._prepare(self.start_on(basis), None)
        assert self.stages is not None
        return self.stages.regular

    def _fitted(self, basis: Basis) -> tuple[Basis, np.ndarray]:
        """Coefficients of the initial data after projection on the conditions; on a sharper basis where too much is lost."""
        fitted = fit_start(self.form, self.chooser, basis, self.finer)
        self.misfit, self.layer.held = fitted.misfit, fitted.plain
        self._use(fitted.system.basis, fitted.system)
        check_start(fitted.system, self.form.problem.time[0], fitted.coefficients, self.rules.tol)
        return fitted.system.basis, fitted.coefficients

    def _moved(self, state: State, basis: Basis, first: bool) -> State:
        """The same state on another basis; at the first moment the data themselves are fitted again."""
        if first:
            basis, coefficients = self._fitted(basis)
            return replace(state, basis=basis, coefficients=coefficients)
        coefficients = self.chooser.transfer(state.basis, basis, state.coefficients)
        self._use(basis)
        coefficients = settled_start(self.system, state.time, coefficients)
        return replace(state, basis=basis, coefficients=coefficients)

    def _use(self, basis: Basis, system: ProjectedRows | None = None) -> None:
        self.system, self.stages, self._powers = system or self.chooser.system(basis), None, None
        self.form = self.system.form
        self.lowest, self.late = np.inf, []

    # March --------------------------------------------------------------------------------------------------

    def run(
        self, in_time: Callable[[], bool] = lambda: True, tell: Callable[[float], None] | None = None
    ) -> list[Step | Leap]:
        """All steps to the end; fewer where the march was stopped, which `counts.stopped` says."""
        steps: list[Step | Leap] = []
        for _ in self.walk(steps, None, in_time, tell):
            pass
        return steps

    def walk(
        self,
        steps: list[Step | Leap],
        state: State | None = None,
        in_time: Callable[[], bool] = lambda: True,
        tell: Callable[[float], None] | None = None,
    ) -> Iterator[State]:
        """March on from a state after some steps, or from the start: `steps` grows, the state after each kept one is yielded.

        `in_time` is asked before each step but the first; `tell` is given the part of the time span that is done.
        """
        state = state or self.begin()
        (start, end), failures = self.form.problem.time, 0
        last = steps[-1] if steps and isinstance(steps[-1], Step) else None
        while state.time < end - 1e-13 * (end - start) and self.counts.stopped is not Status.NO_SOLUTION:
            if steps and not in_time():
                self.counts.stopped = Status.OUT_OF_TIME
                break
            if steps and state.length < NOTHING_LEFT * (end - start):
                self.counts.stopped = Status.STEPS_VANISHED
                break
            if stands_still(steps, state.length / (end - state.time)):
                self.counts.stopped = Status.STEPS_VANISHED
                break
            if tell:
                tell((state.time - start) / (end - start))
            leap = self.leaps.next(self, state, len(steps))
            if leap is not None:
                steps.append(leap)
                reached = leap.start.time + leap.length
                last, state = None, State(reached, state.length, leap.start.basis, leap.end)
                self._balance(state, None)
                self.counts.tell(self.counts.steps + leap.steps, joined(self.system.undetermined))
                yield state
                continue
            wish = divided(state.time, state.length, end)
            state = replace(state, length=self.form.pace.allowed(state.time, wish))
            limited = state.length < 0.999 * wish
            tried = self._attempt(state, last)
            if tried is None:
                failures += 1
                self.counts.rejected += 1
                if failures > FAILURES:
                    self.counts.stopped = Status.STEPS_FAILED
                    break
                state = State(state.time, 0.3 * state.length, state.basis, state.coefficients)
                continue
            failures = 0
            state, last, kept = self._judge(state, tried, last, not steps)
            if kept and last is not None:
                steps.append(last)
                self._balance(state, last.rates[-1])
                if limited and state.length >= last.length:
                    state = replace(state, length=max(state.length, wish))  # the data ended it, not its error
                self.counts.tell(self.counts.steps + 1, joined(self.system.undetermined))
                yield state

    def _balance(self, state: State, rates: np.ndarray | None) -> None:
        """End the march where rows that leave a part of an unknown open contradict each other."""
        if contradicts(self.system, state.time, state.coefficients, rates, self.rules.tol):
            self.counts.stopped = Status.NO_SOLUTION

    @np.errstate(over="ignore", invalid="ignore")  # what runs away becomes infinite, and is not resolved then
    def _attempt(self, state: State, last: Step | None) -> Stage | None:
        """Solve the stages of one step."""
        guesses = [self._prepare(state, last)]
        assert self.stages is not None
        if last is not None and np.any(guesses[0]):
            guesses.append(np.repeat(last.rates[-1:, self.form.last], self.scheme.stages, axis=0))
        for guess in guesses:
            known = state.time, state.coefficients, guess, self._scales(), self.rules, self.reach.unseen
            stage = solve_stages(self.system, self.stages, *known)
            self.counts.iterations += stage.iterations
            if stage.solved and not (self.kept and stage.stagnation):
                self.counts.stagnation = max(self.counts.stagnation, stage.stagnation)
                return stage
        if self.kept:
            self._powers = None
            return self._attempt(state, last)
        stronger = stronger_than(self._powers, self.system)
        if stronger is not None:
            # What is not separable is too much of these equations.
            self.solver, self._powers = stronger, None
            return self._attempt(state, last)
        return None

    def _guess(self, state: State, last: Step | None) -> np.ndarray:
        # From zero the residuals of all stages are one vector, or few.
        plain = self.form.linear and isinstance(self._powers, Coupled)
        return first_rates(self.form, self.scheme, state, None if plain else last)

    def _prepare(self, state: State, last: Step | None) -> np.ndarray:
        """Linearize in the middle of the step and factorize; what does not change is kept. The first guess of its rates."""
        guess = self._linearize(state, last)
        assert self._powers is not None
        if self.stages is None or abs(self.stages.step - state.length) > 1e-12 * state.length:
            self.stages = self._powers.stages(self.form, self.scheme, state.length)
            self.counts.factorizations += len(self.scheme.eigenvalues)
        return guess if not isinstance(self._powers, Coupled) else self._guess(state, last)

    def _linearize(self, state: State, last: Step | None) -> np.ndarray:
        """The matrices in the middle of the step, or those that are there; the guess for which they were made."""
        guess = self._guess(state, last)
        stays = self._powers is not None and self._stays(state, last)
        self.kept = stays and not self.form.stationary
        if not stays:
            middle = self.scheme.stages // 2
            y, z = self.form.complete(state.coefficients, guess, state.length * self.scheme.matrix)
            at = state.time + self.scheme.nodes[middle] * state.length
            y0, z0 = (y[middle], z[middle]) if last is not None else (state.coefficients, np.zeros_like(z[0]))
            if not (np.all(np.isfinite(y0)) and np.all(np.isfinite(z0))):
                y0, z0 = state.coefficients, np.zeros_like(z[0])
            self.system.set_tests(at, y0, z0)
            self.made = state.time
            linear = kind_for(self.system, self.solver)
            self.middle = at, y0, z0
            try:
                self._powers, self.stages = linear(self.system, at, y0, z0), None
            except np.linalg.LinAlgError as error:  # no part of these equations is separable
                if total_size(self.system) > LARGEST:
                    raise Unsuited(
                        f"A step has {total_size(self.system)} unknowns and does not split by axes ({error}); "
                        f"at most {LARGEST} are solved in one piece. Ask for less (`tol`)."
                    ) from error
                self.solver = DenseParts
                self._powers, self.stages = DenseParts(self.system, at, y0, z0), None
        return guess

    def _stays(self, state: State, last: Step | None) -> bool:
        """Whether the matrices that are there serve this step: where nothing changes, or little and they are costly."""
        quick = state.time == self.made or (last is not None and 0 < last.iterations <= QUICK)
        return self.form.stationary or (isinstance(self._powers, SaddleParts) and quick)

    # Judgement ----------------------------------------------------------------------------------------------

    @np.errstate(over="ignore", invalid="ignore")
    def _judge(
        self, state: State, tried: Stage, last: Step | None, first: bool
    ) -> tuple[State, Step | None, bool]:
        """What follows from a solved step: the next state, the step to extrapolate from, and whether it is kept."""
        h, rules, end = state.length, self.rules, tried.end
        self.sizes = np.maximum(self.sizes, np.linalg.norm(end, axis=1))
        self.reach.seen(tried.rates, self.form.problem.time[1] - state.time)
        self.chooser.least = self.reach.shares(self.sizes)
        assert self.stages is not None
        error = time_error(self.form, self.stages, tried, h, self._scales(), first)
        whole = self.form.problem.time[1] - self.form.problem.time[0]
        share = 1.0 if self.form.forgets else min(1.0, MANY * h / whole)
        allowed = max(share * rules.time_tol, self.layer.left(self.misfit, state.time + h))
        missing = error / allowed
        if first and self.best is None and missing <= 2 and self.layer.opens(self.misfit):
            # A first step that is too long for the layer at the start shows nothing that a basis could be drawn for.
            found = self._residual(state, tried)
            missing = max(missing, h * found.rate / self.misfit)
        late = missing > 2 and h > SMALLEST * whole
        found = self._residual(state, tried) if self.best is not None or not late else Residual(0.0, 0.0)
        missed = 0.0 if self.finer is None or not first else max(self.misfit, self.finer)
        trial = Candidate(state, tried, found, self.system, error, missed)
        better = self.best is None or trial.before(self.best)
        if late and better:
            self.counts.rejected += 1
            self.best = None
            self.late = [*(q for q in self.late if h < q[0]), (h, missing)]
            length = h * shorter(self.late, 1.0, self.scheme.stages)
            return State(state.time, length, state.basis, state.coefficients), last, False
        if late:
            # Another basis was worse, in space and in time: the step is there, on the best one.
            assert self.best is not None
            self.layer.believe(self.best.found.relative, state.time + h)
            self.tries, found = REDRAWS, Residual(np.inf, np.inf)
            trial = trial._replace(found=found)
        elif better:
            self.best = trial
        assert self.best is not None
        if unresolved(self, found, state, tried) and (
            again := redraw(self, state, tried, last, found, first)
        ):
            return *again, False
        if self.ringing.shortens(self.best.found, h * self.best.found.rate / rules.tol, h / whole):
            self.counts.rejected += 1
            state = self.best.state
            self._use(state.basis, self.best.system)
            self.best, self.tries, self.layer.floor = None, 0, 0.0
            return State(state.time, 0.2 * h, state.basis, state.coefficients), None, False
        if self.best is not trial and self.best.before(trial, 0.9):
            # Another basis did not help: the step is kept on the best one that was tried.
            state, tried, found, system, error, _ = self.best
            self._use(state.basis, system)
            h, end = state.length, tried.end
        self.best, self.tries, self.late = None, 0, []
        if first and self.form.unstarted:
            state, tried = unstarted(self.system, self.scheme, state, tried)
        kept = Step(state, h, tried.rates, error, found, tried.iterations, self.scheme)
        self._go_on(h, first)
        length = h * self._longer(error / allowed, tried.iterations)
        return State(state.time + h, length, state.basis, end), kept, True

    def _go_on(self, h: float, first: bool) -> None:
        """After a step of this length."""
        self.ringing.kept()
        self.counts.lasted += 1
        self.take_up(self.rules.scheme(self.counts.redraws, self.counts.lasted))
        self.layer.opened = h if first else self.layer.opened

    def take_up(self, scheme: Scheme) -> None:
        """Go on with a scheme: another one has matrices of its own."""
        if scheme is not self.scheme:
            self.scheme, self.stages, self.counts.scheme = scheme, None, scheme.words

    def _longer(self, missing: float, iterations: int) -> float:
        """The length of the next step relative to this one; unchanged where a change is not worth its new matrices."""
        factor = longer(missing, 1.0, self.scheme.stages)
        factor = min(factor, 0.7) if iterations > 8 else factor
        change = 1.6 if self.form.stationary and isinstance(self._powers, DenseParts) else 1.25
        return min(factor, 3.0) if factor > change or factor < 0.95 else 1.0

    def _scales(self) -> np.ndarray:
        """The size of every component; what starts from nothing has at least what its rate may make of it."""
        return self.reach.scales(self.sizes)

    def _residual(self, state: State, tried: Stage, rounding: bool = True) -> Residual:
        ends = self.scheme.stages // 2, self.scheme.stages - 1
        least = self.rules.slowest(self.form.problem.time)
        return worst(self.system, state, tried, ends, self.scheme.nodes, self._scales(), least, rounding)
