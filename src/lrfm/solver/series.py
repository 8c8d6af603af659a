# SPDX-License-Identifier: MIT
"""The engine on series: boxes with many modes, by transforms and exponential Runge-Kutta, with its comparison solve.

It is the engine on cells with another space and another scheme: the same loop, controller, estimator and attempts. The comparison solve has a quarter of the tolerance, other numbers of modes, another grid
and other step sizes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lrfm.adapt.given_box import GivenOnBox
from lrfm.adapt.modes import ModeAdapter
from lrfm.discretize.evolution import EvolutionSystem, Unsuited
from lrfm.discretize.options import PAIRS, SERIES, Options
from lrfm.discretize.spectral import SpectralForm
from lrfm.error.indicators import SERIES as SCALE
from lrfm.error.indicators import Scale
from lrfm.integrate.controller import decide
from lrfm.integrate.estimator import Estimator
from lrfm.integrate.exponential import ExponentialRungeKutta, spectral_start
from lrfm.integrate.integrator import Integrator
from lrfm.integrate.schemes import radau
from lrfm.integrate.state import Step
from lrfm.problem import Problem
from lrfm.rows.series_steps import SeriesSteps
from lrfm.solution.io.document import check_pieces
from lrfm.solution.report import WindowReport
from lrfm.solution.status import Status
from lrfm.solver.budget import Budget, Watch
from lrfm.solver.cells import Cells, CellsAttempt, CellsAttempts, CellsState, reason_of, residual_of
from lrfm.solver.cells_record import read, written
from lrfm.solver.march import Marched
from lrfm.spaces.series import Modes


@dataclass
class Series(Cells):
    """An integration of series; `comparison` is the one with other modes."""

    @property
    def scale(self) -> Scale:
        return SCALE

    @property
    def options(self) -> Options:
        """The numbers of this integration."""
        made = Options(tol=max(self.tol, PAIRS.strictest), stages=SERIES.degree)
        return made.compared() if self.comparison else made

    @property
    def degree(self) -> int:
        """Of the polynomials in time."""
        return SERIES.degree if self.tol > SERIES.strict else SERIES.strict_degree

    def integrator(self) -> Integrator:
        """One that has not begun."""
        options, form = self.options, SpectralForm(self.system)
        adapter, time = ModeAdapter(form, options), self.system.problem.time
        scheme = ExponentialRungeKutta(time[1] - time[0], self.degree)
        estimator = Estimator(adapter, options, time, self.sizes)
        return Integrator(
            self.system, options, GivenOnBox(self.system), scheme, adapter, estimator, decide, spectral_start
        )

    def second(self, first: CellsState, watch: Watch) -> Series:
        assert first.state is not None
        start, end = self.system.problem.time
        self.found = np.sqrt(first.state.squares / (end - start))
        return Series(self.system, self.tol, watch, comparison=True, halved=self.halved, sizes=self.found)

    def fingerprint(self) -> dict[str, Any]:
        return {"engine": "series", "tol": self.tol, "draw": int(self.comparison)}

    def added(self, before: CellsState, after: CellsState) -> dict[str, Any]:
        assert after.state is not None
        old, new = after.steps[: before.count], after.steps[before.count : after.count]
        clock = after.stopped is Status.OUT_OF_TIME
        stopped = "" if clock or after.stopped is None else str(after.stopped)
        return written(old, new, after.state, after.ended and not clock, stopped, _parts)

    def grown(self, before: CellsState, added: Mapping[str, Any]) -> CellsState:
        new, state, ended, stopped = read(
            before.steps, added, len(self.system.components), _modes, lambda mesh: 1
        )
        steps = [*before.steps, *new]
        return CellsState(steps, len(steps), state, Status(stopped) if stopped else None, ended)

    def check(self, state: CellsState) -> None:
        if state.state is None:
            return
        last = state.steps[-1] if state.steps else None
        if last is None or not np.isclose(last.time + last.length, state.state.time):
            raise ValueError("it stands elsewhere than after its last step")
        for s in (*state.steps, state.state):
            y = s.start if isinstance(s, Step) else s.y
            if y.shape[2] != s.mesh.reals or s.mesh.dimension != self.system.problem.domain.dimension:
                raise ValueError("its modes are others")
        if any(len(s.rates) != self.degree for s in state.steps):
            raise ValueError("its steps have other polynomials")
        check_pieces(self.system.original, [series_piece(self.system, state.steps)])

    def marched(self, state: CellsState) -> Marched:
        assert state.state is not None
        steps, (_, end) = state.steps[: state.count], self.system.problem.time
        piece = series_piece(self.system, steps)
        reached = piece.window[1]
        complete = not state.stopped and math.isclose(reached, end, rel_tol=1e-9, abs_tol=1e-12)
        counts, fields = state.state, len(self.system.fields)
        most = max(step.mesh.count for step in steps)
        # Where modes were not enough although they had to be, nothing is claimed.
        residual = math.inf if counts.excess > self.options.overshoot else residual_of(self.system.original, piece)
        window = WindowReport(
            window=piece.window,
            rows=most,
            columns=most * fields,
            rank=most * fields,
            condition=None,
            updates=(0.0,) * len(steps),
            converged=complete,
            reason="" if complete else reason_of(state, reached),
            status=None if complete else state.stopped or Status.NOT_FINISHED,
            fit_residual=0.0,
            residual=residual,
        )
        made = self.integrator().adapter.discretize(steps[0].mesh)
        undetermined = [self.system.components[c][0] for c in made.undetermined]
        return Marched(
            pieces=[piece],
            windows=[window],
            complete=complete,
            residual=residual,
            words={
                "scheme": "exponential Runge-Kutta, order 5 (4)",
                "modes": " x ".join(f"{_waves(steps, a)}" for a in range(piece.meshes[0].dimension)),
                "changes of modes": f"{counts.regrids}",
                "repeated steps": f"{counts.rejected}",
            },
            undetermined=undetermined,
        )


def _waves(steps: Sequence[Step], axis: int) -> int:
    """How many functions an axis has at the most."""
    return max((2 * s.mesh.counts[axis] + 1) if s.mesh.periodic[axis] else s.mesh.counts[axis] + 1 for s in steps)


def _parts(mesh: Modes) -> list[Any]:
    """Modes as plain data."""
    return [list(mesh.lower), list(mesh.upper), list(mesh.periodic), list(mesh.counts)]


def _modes(lower: list, upper: list, periodic: list, counts: list) -> Modes:
    """What `_parts` wrote; ValueError where it is not that."""
    ends = np.array([lower, upper], dtype=float)
    fine = 1 <= len(counts) <= len(SERIES.most) and ends.shape == (2, len(counts)) and len(periodic) == len(counts)
    whole = all(isinstance(k, int) and not isinstance(k, bool) and 0 <= k <= max(SERIES.most) for k in counts)
    if not (fine and whole and np.all(np.isfinite(ends)) and np.all(ends[0] < ends[1])):
        raise ValueError("modes are not whole")
    return Modes(tuple(ends[0].tolist()), tuple(ends[1].tolist()), tuple(map(bool, periodic)), tuple(counts))


def series_piece(system: EvolutionSystem, steps: Sequence[Step]) -> SeriesSteps:
    """All steps as one piece."""
    firsts = [system.first[f] for f in system.fields]
    parities = SpectralForm(system).parities
    to_legendre = radau(steps[0].rates.shape[0]).to_legendre
    meshes: dict[int, int] = {}
    kept: list[Modes] = []
    mesh_of, blocks = [], []
    for step in steps:
        if id(step.mesh) not in meshes:
            meshes[id(step.mesh)] = len(meshes)
            kept.append(step.mesh)
        mesh_of.append(meshes[id(step.mesh)])
        slopes = step.length * np.tensordot(to_legendre, step.rates[:, firsts, 0], axes=1)
        blocks.append(np.concatenate([step.start[None, firsts, 0], slopes]))
    return SeriesSteps(
        tuple(system.fields),
        tuple(parities[c] for c in firsts),
        np.array([*(s.time for s in steps), steps[-1].time + steps[-1].length]),
        tuple(kept),
        np.array(mesh_of),
        tuple(blocks),
    )


@dataclass(frozen=True)
class SeriesAttempt(CellsAttempt):
    """An integration of series and its comparison at one inner tolerance."""

    def engine(self, watch: Watch) -> Series:
        self.found.append(Series(self.system, self.tol, watch, halved=self.halved, sizes=self.sizes))
        return self.found[-1]  # type: ignore[return-value]


class SeriesAttempts(CellsAttempts):
    """Pairs of integrations of series, each stricter than the one before."""

    attempt = SeriesAttempt

    def __init__(self, problem: Problem, tol: float, budget: Budget, estimate: bool, halved: bool = False):
        self.halved = halved
        self.system, self.tol, self.budget, self.estimate = EvolutionSystem(problem), tol, budget, estimate
        self.form = SpectralForm(self.system)
        if self.form.dimension > len(SERIES.most):
            raise Unsuited("Series are built in up to three dimensions.")
        self.inner, self._met, self._late = tol, False, False
        self.reasons = ()
        self.sizes = None
        self.guessed, self.from_nothing = False, True
