# SPDX-License-Identifier: MIT
"""δ along each direction, marched on the bases and steps of the solution; a step is cut where δ moves faster than u.

Σ_a ∂F/∂(D^a u) D^a δ + dF = 0 at the stages of every step, δ(t₀) = dd; one factorization per step serves all directions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from lrfm.integrate.schemes import Scheme, gauss, radau
from lrfm.linalg.clock import look
from lrfm.rows.region_steps import piece_of
from lrfm.solver.lines.form import Unsuited
from lrfm.solver.lines.kinds import DENSE, LARGEST
from lrfm.solver.lines.krylov import Coupled
from lrfm.solver.lines.newton import Stage, solve_stages
from lrfm.solver.lines.reach import DRIVEN
from lrfm.solver.lines.rules import rules_for
from lrfm.solver.lines.separable import Separable, total_size
from lrfm.solver.lines.stages import DenseParts, Stages
from lrfm.solver.lines.start import consistent
from lrfm.solver.lines.system import System
from lrfm.solver.lines.time_error import longer, time_error
from lrfm.solver.tangent.bases import Stepped, Systems
from lrfm.solver.tangent.form import TangentForm
from lrfm.spaces.axes.product import ProductBasis

LADDER = (
    Separable,
    Coupled,
    DenseParts,
)  # kinds of linear systems of large products, each stronger than the one before
SHORTEST = 1e-9  # part of a step of u that is not cut any more
ROUNDED = 0.2  # part of a step that is no step of its own
NOTHING = 1e-12  # relative to u
WORTH = 1.5  # change of the length of a step that pays for other factors


@dataclass(frozen=True)
class _Trial:
    """The stages of each direction at a step of some length, and the largest error in time."""

    length: float
    stages: list[Stage]
    error: float


@dataclass(frozen=True)
class _Tried:
    """The steps that were kept along a piece, with the states they began from."""

    states: tuple[np.ndarray, ...] = ()
    kept: tuple[_Trial, ...] = ()

    def then(self, states: np.ndarray, trial: _Trial) -> _Tried:
        return _Tried((*self.states, states), (*self.kept, trial))

    @property
    def length(self) -> float:
        """Of the step before; 0 where there is none."""
        return self.kept[-1].length if self.kept else 0.0

    def last(self, components: Sequence[int]) -> list[np.ndarray] | None:
        """The rates of the step before."""
        return [stage.rates[:, components] for stage in self.kept[-1].stages] if self.kept else None


class TangentMarch:
    """The directions of a tangent form, marched along the pieces of a solution."""

    def __init__(self, tangent: TangentForm, tol: float, conserving: bool = False):
        self.tangent, self.form, self.base = tangent, tangent.form, tangent.base
        self.rules = rules_for(tol, tangent.problem.domain.dimension)
        self.conserving = conserving
        self.systems = Systems(tangent, tol)
        self.kind = 0
        self.count = len(tangent.directions)
        self.sizes = np.zeros((self.count, len(self.form.components)))
        self.magnitudes = [d.magnitude(tangent.problem) or 1.0 for d in tangent.directions]
        self.least = [tol / max(1.0, p) for p in self.magnitudes]
        self.driven = np.zeros(self.sizes.shape, dtype=bool)

    def run(self, pieces: Sequence[Stepped]) -> list[list[Stepped]]:
        """The pieces of each direction, in the order of time."""
        found: list[list[Stepped]] = [[] for _ in range(self.count)]
        states: np.ndarray | None = None
        for piece in pieces:
            self.system, self.stages, self.parts = self.systems.on(piece), None, None
            self.base.use(self.system, piece)
            first = states is None
            states = self._begin(self.system.basis, float(piece.edges[0]), states, found)
            if first:
                self.driven = np.linalg.norm(states, axis=2) <= NOTHING * self._own()
            states = self._through(piece, states, found)
        return found

    # Starts -------------------------------------------------------------------------------------------------

    def _begin(
        self, basis: Any, time: float, states: np.ndarray | None, found: list[list[Stepped]]
    ) -> np.ndarray:
        """The states at the start of a piece: data, or what the piece before ended with; consistent with the conditions."""
        started = []
        for i in range(self.count):
            self.base.direction = i
            if states is None:
                y = basis.project(self.tangent.start(i, basis.grid.points))
            else:
                y = self.systems.carried(found[i][-1].basis, basis, states[i])
            started.append(consistent(self.system, time, self.system.constrain(time, y)))
        return np.stack(started)

    # Steps --------------------------------------------------------------------------------------------------

    def _through(self, piece: Stepped, states: np.ndarray, found: list[list[Stepped]]) -> np.ndarray:
        """All steps of one piece, cut where δ moves faster than u does; their end."""
        scheme = gauss(piece.slopes.shape[1]) if self.conserving else radau(piece.slopes.shape[1])
        self.sizes = np.maximum(self.sizes, np.linalg.norm(states, axis=2))
        tried, share = _Tried(), math.inf  # of a step of u: as these grow or shrink, so may those of δ
        for step, (time, end) in enumerate(pairwise(piece.edges)):
            rest = whole = float(end - time)
            while rest > 1e-12 * whole:
                look()
                h = rest / max(1, math.ceil(rest / (share * whole) - ROUNDED))
                now = self._tried(step, scheme, float(end) - rest, h, states, tried)
                wish, part = longer(now.error, self.rules.time_tol, scheme.stages), h / whole
                if now.error > self.rules.tol and h > SHORTEST * whole:
                    share = part * min(wish, 0.8)
                    continue
                # A step of another length needs other factors.
                share = (
                    max(share, part * wish) if wish > WORTH else share if wish > 1 / WORTH else part * wish
                )
                tried, rest = tried.then(states, now), rest - h
                states = np.stack([stage.end for stage in now.stages])
                self.sizes = np.maximum(self.sizes, np.linalg.norm(states, axis=2))
        self._keep(piece, scheme, tried, found)
        return states

    def _tried(
        self, step: int, scheme: Scheme, time: float, h: float, states: np.ndarray, before: _Tried
    ) -> _Trial:
        """The stages of all directions at a part of one step of u, and the largest of their errors in time."""
        self.base.at(step)
        self._prepare(scheme, time, h)
        last, ratio = before.last(self.form.last), h / before.length if before.length else 1.0
        stages = [
            self._solved(i, scheme, time, states[i], None if last is None else last[i], ratio)
            for i in range(self.count)
        ]
        assert self.stages is not None
        error = 0.0
        for i, stage in enumerate(stages):
            seen = np.maximum(self.sizes[i], np.linalg.norm(stage.end, axis=1))
            seen = np.maximum(seen, self._reach(i, time, stage))
            error = max(
                error, time_error(self.form, self.stages, stage, h, np.maximum(seen, self._floor(i, seen)))
            )
        return _Trial(h, stages, error)

    def _reach(self, i: int, time: float, stage: Stage) -> np.ndarray:
        """min(T ‖δ_t‖, 0.01 ‖u‖/|p|), T the time that is left: how large what starts from nothing is going to be."""
        rates = (self.tangent.problem.time[1] - time) * np.linalg.norm(stage.rates, axis=2).max(axis=0)
        found = np.minimum(rates, DRIVEN * self._own() / self.magnitudes[i])
        return np.where(self.driven[i] & np.isfinite(found), found, 0.0)

    def _keep(self, piece: Stepped, scheme: Scheme, tried: _Tried, found: list[list[Stepped]]) -> None:
        """What was marched along one piece, as pieces of the directions."""
        firsts = [self.form.first[f] for f in self.form.fields]
        edges = piece.edges[0] + np.concatenate([[0.0], np.cumsum([trial.length for trial in tried.kept])])
        edges[-1] = piece.edges[-1]
        for i in range(self.count):
            starts = np.stack([state[i][firsts] for state in tried.states])
            rates = [trial.stages[i].rates[:, firsts] for trial in tried.kept]
            slopes = np.stack([np.tensordot(scheme.to_legendre, r, axes=1) for r in rates])
            found[i].append(piece_of(piece.basis, piece.fields, edges, starts, slopes))

    def _prepare(self, scheme: Scheme, time: float, h: float) -> None:
        """Linearize in the middle of the step and factorize; what does not change is kept."""
        if self.parts is None or not self.form.stationary:
            at = time + scheme.nodes[scheme.stages // 2] * h
            zero = np.zeros(self.system.shape)
            if not (self.system.places and self.tangent.fixed):
                self.system.set_tests(at, zero, zero)
            self.parts, self.stages = self._linear(at, zero), None
        if self.stages is None or abs(self.stages.step - h) > 1e-12 * h:
            self.stages = self.parts.stages(self.form, scheme, h)

    def _linear(self, at: float, zero: np.ndarray) -> DenseParts | Separable:
        if self._together():
            return DenseParts(self.system, at, zero, zero)
        assert isinstance(self.system, System)
        while True:
            try:
                return LADDER[self.kind](self.system, at, zero, zero)
            except np.linalg.LinAlgError:
                self._stronger()

    def _together(self) -> bool:
        """Whether a step is solved in one piece."""
        basis = self.system.basis
        product = isinstance(basis, ProductBasis) and len(basis.axes) > 1
        return not product or total_size(self.system) <= DENSE

    def _stronger(self) -> None:
        self.kind += 1
        if self.kind == len(LADDER) or (
            LADDER[self.kind] is DenseParts and total_size(self.system) > LARGEST
        ):
            raise Unsuited("The linearized equations of a step could not be solved.")

    def _solved(
        self,
        i: int,
        scheme: Scheme,
        time: float,
        state: np.ndarray,
        last: np.ndarray | None,
        ratio: float,
    ) -> Stage:
        """The stages of one direction at one step, by stronger kinds of linear systems where needed."""
        self.base.direction = i
        shape = (scheme.stages, len(self.form.last), self.system.basis.size)
        guesses = [np.zeros(shape)]
        if last is not None and not self.form.stationary:
            far = scheme.extended(last.reshape(len(last), -1), 1 + ratio * scheme.nodes).reshape(shape)
            guesses.insert(0, far if ratio <= 1.6 else np.repeat(last[-1:], scheme.stages, axis=0))
        while True:
            stages: Stages | None = self.stages
            assert stages is not None
            for guess in guesses:
                stage = solve_stages(self.system, stages, time, state, guess, self.sizes[i], self.rules)
                if stage.solved:
                    return stage
            # A field that does not move with this direction has no size of its own.
            seen = np.maximum(self.sizes[i], np.linalg.norm(stage.end, axis=1))
            self.sizes[i] = np.maximum(seen, self._floor(i, seen))
            stage = solve_stages(self.system, stages, time, state, guesses[-1], self.sizes[i], self.rules)
            if stage.solved:
                return stage
            if self._together():
                raise Unsuited("The linearized equations of a step could not be solved.")
            self._stronger()
            self.parts = self.stages = None
            self._prepare(scheme, time, stages.step)

    def _floor(self, i: int, sizes: np.ndarray) -> np.ndarray:
        """Least sizes of the components: each relative to u a hundredth of the one that moves most.

        And what p δ adds to u below its tolerance is not resolved: of a number on which u does not depend, δ is rounding.
        """
        own = self._own()
        return own * max(DRIVEN * np.max(sizes / np.maximum(own, 1e-300)), self.least[i])

    def _own(self) -> np.ndarray:
        """Sizes of the components of u along the step."""
        form, piece, step = self.form, self.base.piece, self.base.step
        ends = piece.edges[step : step + 2]

        def sizes() -> np.ndarray:
            found = [
                np.linalg.norm(piece.coefficients(step, ends, level)[:, form.fields.index(f)])
                for f, level in form.components
            ]
            return np.maximum(found, DRIVEN * max(found))

        return self.base.remembered(("own",), sizes)
