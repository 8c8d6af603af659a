# SPDX-License-Identifier: MIT
"""The second engine: features in space, implicit collocation in time (`lrfm.solver.lines`).

u(x, t) = Σ_m a_m(t) ψ_m(x);   an attempt is a pair of draws, the next one is stricter where the two differ too much.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from lrfm.error.indicators import LINES, Scale
from lrfm.problem import Problem
from lrfm.rows.framed import Framed
from lrfm.rows.pieces import Piece
from lrfm.solution.io.document import check_pieces
from lrfm.solution.report import WindowReport
from lrfm.solution.solution import Solution
from lrfm.solution.status import Status
from lrfm.solver.attempts import Attempt
from lrfm.solver.budget import Budget, OutOfTime, Watch
from lrfm.solver.lines.contradicted import warned
from lrfm.solver.lines.effect import effect
from lrfm.solver.lines.even import LARGER as EVEN
from lrfm.solver.lines.form import Form, Unsuited, form_of, is_box
from lrfm.solver.lines.frames import followed_form
from lrfm.solver.lines.front import Draw, begin, drawn
from lrfm.solver.lines.known import NOTHING, Known
from lrfm.solver.lines.layer import close_enough
from lrfm.solver.lines.leap import Leap
from lrfm.solver.lines.march import March
from lrfm.solver.lines.protocols import Chooses
from lrfm.solver.lines.record import Standing, bring_back, read, standing, written
from lrfm.solver.lines.state import State, Step
from lrfm.solver.march import Marched
from lrfm.spaces.axes.product import ProductBasis

PAIRS = 4  # how often a pair of draws is made before the best is returned as it is
STRICTEST = 1e-14
CURABLE = "draws", "misfit", "given"  # indicators that a stricter pair may lower
NOTED = 0.1  # misfit of the data, in tolerances, from which the second draw has to start closer to them,
FINER = 0.6  # by this factor: one basis that is sharper has a misfit of 0.5 to 0.58 at a wall, two are dear
# Functions that do not hold the equations may share what they leave out: the second draw is then made in a larger space, and its
# difference is the correction that the residual of the first one asks for.
LARGER = 2.0  # modes of such a draw, relative to those of the first
# What a residual leaves in a state is carried on, and where the solution is sensitive it grows: 120 steps of Kuramoto-Sivashinsky make 800 tolerances of
# residuals of ten, and 2 of residuals of a third of one.
RESOLVED = 0.3  # residual of a step of a stricter pair, in tolerances
STRICTER = 1e-4  # tolerance of a pair, relative to the one before, at least: a solution that makes a thousand of one tolerance does so of the next
SHRUNK = (
    1e3  # steps in the time that has passed, and a tenth of those to come, from which a march stands still
)
PARTS = 100  # in which a march tells how far it is


Pair = tuple[Known, Known]  # of the first draw and of the second


@dataclass(frozen=True)
class LinesState:
    """What a march has come to: its first `count` steps, and where it stands after them."""

    steps: list[Step | Leap] = field(default_factory=list, repr=False)
    count: int = 0
    standing: Standing | None = field(default=None, repr=False)
    ended: bool = False


@dataclass
class Lines:
    """A march with one draw; `seed` is one list of numbers for each pair and draw, `finer` how close its start has to be to the data.

    `known` is what each of the two draws of a nearby statement has chosen.
    """

    form: Form
    tol: float
    seed: tuple[int, ...]
    watch: Watch
    witness: bool = False
    finer: float | None = None
    modes: float = 0.0
    even: float = 0.0
    known: Pair = (NOTHING, NOTHING)
    resolved: float | None = None
    _reader: Chooses[Any] | None = field(default=None, init=False, repr=False)
    _live: tuple[LinesState, March, Iterator[State]] | None = field(default=None, init=False, repr=False)

    @property
    def name(self) -> str:
        return "lines"

    @property
    def scale(self) -> Scale:
        return LINES

    def begin(self) -> LinesState:
        return LinesState()

    def finished(self, state: LinesState) -> bool:
        return state.ended

    def begun(self, state: LinesState) -> bool:
        return state.count > 0

    def advance(self, state: LinesState) -> LinesState:
        """The next step, or as many equal ones as were taken at once."""
        if self._live is None or self._live[0] is not state:
            self._live = state, *self._begun(state)
        _, march, walk = self._live
        try:
            here = next(walk, None)
        except OutOfTime:
            if state.standing is None:
                raise
            march.counts.stopped, here = Status.OUT_OF_TIME, None
        except Unsuited:  # a later basis is too large: what was marched until there is kept
            if state.standing is None:
                raise
            march.counts.stopped, here = Status.TOO_LARGE, None
        if here is not None:
            new = LinesState(state.steps, len(state.steps), standing(march, here))
        elif state.standing is None:
            raise Unsuited(march.counts.stopped.meaning if march.counts.stopped else "No step was taken.")
        else:
            # What was tried in vain since the last step is in no file: it will be tried again.
            new = replace(state, standing=replace(state.standing, counts=march.counts), ended=True)
        self._live = new, march, walk
        return new

    def _fresh(self) -> March:
        """The march before its first step."""
        seed, known = [*self.seed, int(self.witness)], self.known[self.witness]
        closer = [q for q in (self.finer, close_enough(self.tol, self.form.forgets)) if q is not None]
        finer = min(closer, default=None)
        return begin(
            self.form, self.tol, seed, self.witness, finer, known, self.modes, self.even, self.resolved
        )

    def _begun(self, state: LinesState) -> tuple[March, Iterator[State]]:
        march, kept = self._fresh(), state.standing
        if kept is not None:
            bring_back(march, kept)
        del state.steps[state.count :]
        return march, march.walk(state.steps, kept and kept.state, self.watch.in_time, self._tell)

    def _tell(self, part: float) -> None:
        if self.watch.tell:
            self.watch.tell(int(PARTS * part), PARTS)

    def done(self, state: LinesState) -> tuple[int, int]:
        start, end = self.form.problem.time
        reached = start if state.standing is None else state.standing.state.time
        return int(PARTS * (1 if state.ended else min((reached - start) / (end - start), 1))), PARTS

    def second(self, first: LinesState, watch: Watch) -> Lines:
        # Two draws that miss the same part of the data would agree on it: the second one starts closer to them.
        missed = 0.0 if first.standing is None else first.standing.misfit
        finer = FINER * missed if missed > NOTED * self.tol else None
        # Unless the equations make next to nothing of what is left out: a larger space would be dear, and find that again.
        shared = _residual(first) >= LINES.unresolved and LINES.safety * self._effect(first) > self.tol
        modes = LARGER * _modes(first) if shared else 0.0
        known = (NOTHING, NOTHING) if modes else self.known
        even = 0.0 if first.standing is None else EVEN * first.standing.counts.even
        return Lines(
            self.form,
            self.tol,
            self.seed,
            watch,
            witness=True,
            finer=None if even else finer,
            modes=modes,
            even=even,
            known=known,
            resolved=self.resolved,
        )

    def fingerprint(self) -> dict[str, Any]:
        start = {"start": True} if any(self.known) else {}
        frame = {} if self.form.frame is None else {"frame": list(self.form.frame.speeds)}
        return {"tol": self.tol, "seed": list(self.seed), "draw": int(self.witness), **start, **frame}

    def added(self, before: LinesState, after: LinesState) -> dict[str, Any]:
        assert after.standing is not None
        old, new = after.steps[: before.count], after.steps[before.count : after.count]
        return written(old, new, after.standing, after.ended)

    def grown(self, before: LinesState, added: Mapping[str, Any]) -> LinesState:
        new, kept, ended = read(self.form, before.steps, added, self._chooser)
        steps = [*before.steps, *new]
        return LinesState(steps, len(steps), kept, ended)

    def _chooser(self) -> Chooses[Any]:
        """One that draws bases again for a file that is read."""
        self._reader = self._reader or self._fresh().chooser
        return self._reader

    def check(self, state: LinesState) -> None:
        if state.standing is None:
            return
        kept, start = state.standing, self.form.problem.time[0]
        last = state.steps[-1] if state.steps else None
        if last is None or not np.isclose(state.steps[0].start.time, start, rtol=1e-12, atol=0):
            raise ValueError("its steps do not begin at the start")
        if last.start.basis is not kept.state.basis or not np.isclose(
            last.start.time + last.length, kept.state.time
        ):
            raise ValueError("it stands elsewhere than after its last step")
        check_pieces(self.form.problem, drawn(self.form, state.steps, kept.counts, kept.misfit).pieces)

    def marched(self, state: LinesState) -> Marched:
        assert state.standing is not None
        kept, end = state.standing, self.form.problem.time[1]
        found = drawn(self.form, state.steps[: state.count], kept.counts, kept.misfit)
        complete = not found.counts.stopped and math.isclose(found.reached, end, rel_tol=1e-9, abs_tol=1e-12)
        return Marched(
            pieces=found.pieces,
            windows=[self._window(found, piece, complete) for piece in found.pieces],
            complete=complete,
            residual=found.residual,
            effect=self._effect(state) if complete and found.residual >= LINES.unresolved else math.inf,
            larger=self.modes > 0,
            undetermined=found.undetermined.constants,
            warnings=(*found.undetermined.words, *self._contradictions(state)),
            words={
                "scheme": found.scheme,
                "functions": f"{found.rank}, made from {found.features} features"
                + " per axis" * is_box(self.form.problem),
                **_frames(found.pieces, self.form.problem.domain.names),
            },
        )

    def _contradictions(self, state: LinesState) -> tuple[str, ...]:
        """Conditions that do not hold at the start through unknowns without initial data; a comparison solve would say the same."""
        if self.witness or not state.steps:
            return ()
        chooser = self._chooser()
        return warned(self.form, state.steps[0].start.basis, chooser.system, chooser.data.on)

    def _effect(self, state: LinesState) -> float:
        """What the residual of all steps makes of the solution."""
        start, end = self.form.problem.time
        return effect(state.steps[: state.count], self._chooser().system, end - start)

    def _window(self, found: Draw, piece: Any, complete: bool) -> WindowReport:
        status, reason = (None, "") if complete else _ended(found, self.form.problem.time)
        return WindowReport(
            window=piece.window,
            rows=found.rows * len(self.form.equations),
            columns=found.features,
            rank=found.rank,
            condition=None,
            updates=(0.0,) * piece.steps,
            converged=complete,
            reason=reason,
            status=status,
            fit_residual=0.0,
            residual=found.residual,
        )


def _ended(found: Draw, span: tuple[float, float]) -> tuple[Status, str]:
    """Why a march did not reach its end, and where: whatever stopped it, steps next to nothing would not have led there."""
    (start, end), shortest, where = span, found.lengths[-1], f"at t = {found.reached:.6g}"
    status = found.counts.stopped or Status.NOT_FINISHED
    if status is Status.NO_SOLUTION:
        names = " and ".join(f"`{name}`" for name in found.undetermined.constants) or "an unknown"
        return status, f"what determines {names} up to a constant no longer balances {where}"
    if shortest * SHRUNK < min(found.reached - start, 0.1 * (end - found.reached)):
        status = Status.STEPS_VANISHED
    if status is Status.STEPS_VANISHED:
        return status, f"they shrank to {shortest:.0e} {where}"
    return status, f"the solution ends {where}"


def _frames(pieces: Sequence[Piece], names: Sequence[str]) -> dict[str, str]:
    """How the frame of a march moves: at first, and at last where it was changed on the way."""
    words = [p.frame.words(names) for p in pieces if isinstance(p, Framed)]
    changes = len(dict.fromkeys(words)) - 1 + (len(words) < len(pieces))
    if not words:
        return {}
    return {"frame": words[-1] + (f" at the end, changed {changes} times" if changes else "")}


def _residual(state: LinesState) -> float:
    """The mean residual of a march so far."""
    steps = state.steps[: state.count]
    return sum(s.length * s.residual.relative for s in steps) / max(sum(s.length for s in steps), 1e-300)


def _modes(state: LinesState) -> float:
    """The largest number of modes along an axis; none where there are no axes."""
    bases = [s.start.basis for s in state.steps[: state.count]]
    return max((a.modes for b in bases if isinstance(b, ProductBasis) for a in b.axes), default=0.0)


@dataclass(frozen=True)
class LinesAttempt:
    """A pair of draws at one inner tolerance."""

    form: Form
    tol: float
    seed: tuple[int, ...]
    reasons: tuple[str, ...]
    known: Pair = (NOTHING, NOTHING)
    finer: float | None = None  # the misfit below which the start is to be, if it can be
    resolved: float | None = None  # what the residual of a step may be, in tolerances
    choice: None = None
    asked: Mapping[str, Any] = field(default_factory=dict)

    def engine(self, watch: Watch) -> Lines:
        made = Lines(self.form, self.tol, self.seed, watch, finer=self.finer, known=self.known)
        return replace(made, resolved=self.resolved)

    def check_memory(self, limit: str | int | None, estimate: bool) -> None:
        return None

    def words(self, seconds: float) -> tuple[str, ...]:
        return self.reasons


class LinesAttempts:
    """Pairs of draws, each stricter than the one before, until the estimate is at most the tolerance.

    A first pair begins with what `start`, a solution of a nearby statement, was made with; where it is not enough, all is chosen anew.
    """

    def __init__(
        self,
        problem: Problem,
        tol: float,
        seed: int,
        budget: Budget,
        estimate: bool,
        start: Solution | None = None,
    ):
        self.form, self.tol, self.seed = followed_form(form_of(problem)), tol, seed
        self.budget, self.estimate = budget, estimate
        self.inner, self.pair, self._met, self._late = tol, 0, False, False
        self.finer: float | None = None
        self.resolved: float | None = None
        first = NOTHING if start is None else Known.of(start.pieces)
        self.known: Pair = first, NOTHING if start is None else Known.of(start.second) or first
        self.reasons: tuple[str, ...] = ()
        if any(self.known):
            self.reasons = ("charts, modes and the first step are those of `start`",)
        elif start is not None:
            self.reasons = ("nothing of `start` was of use: its domain is no box",)

    @property
    def first(self) -> LinesAttempt:
        """The first pair of draws."""
        return LinesAttempt(self.form, self.tol, (self.seed, 0), self.reasons, self.known)

    def __iter__(self) -> Iterator[Attempt]:
        if any(self.known):
            yield self.first
            self.known = (NOTHING, NOTHING)
        while self.pair < PAIRS:
            made = LinesAttempt(self.form, self.inner, (self.seed, self.pair), self.reasons, finer=self.finer)
            yield replace(made, resolved=self.resolved)
            self.pair += 1

    def enough(self, solution: Solution) -> bool:
        report = solution.report
        self._met = report.error_estimate <= self.tol
        hopeless = not math.isfinite(report.error_estimate) or report.decided_by not in CURABLE
        late = (
            4 * self.budget.spent > self.budget.seconds
        )  # a stricter pair of draws takes longer than all before it
        if any(self.known) and not self._met and not late:
            return (
                not self.estimate and not report.failed
            )  # what was chosen for another statement was not enough for this one
        # A march that broke off says why; one that no further draw could have mended was not stopped by the clock.
        cut = self.estimate and math.isnan(
            report.error_estimate
        )  # the clock broke off the second draw or the estimate
        self._late = report.status is Status.OUT_OF_TIME or (late and not self._met and (cut or not hopeless))
        return not self.estimate or self._met or hopeless or late

    def learn(self, solution: Solution) -> None:
        if any(self.known):
            self.reasons = ("the choices of `start` were not enough: chosen anew",)
            return
        found, missed = solution.report.error_estimate, solution.report.indicators.get("misfit", 0.0)
        if (
            missed > self.tol
        ):  # draws that miss their data differ by what each of them misses, whatever decided
            self.finer = missed * min(FINER, FINER * self.tol / found)
            self.reasons += (
                f"a start that misses its data by {missed:.1e} gave an estimate of {found:.1e}: made anew, closer",
            )
            return
        self.reasons += (
            f"two draws at {self.inner:.1e} gave an estimate of {found:.1e}: made anew, stricter",
        )
        self.inner = max(STRICTEST, self.inner * max(STRICTER, 0.4 * self.tol / found))
        self.resolved = RESOLVED

    @property
    def stopped(self) -> str:
        return self.budget.spell("max_seconds") if self._late else ""
