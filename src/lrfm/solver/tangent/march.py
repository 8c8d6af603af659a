# SPDX-License-Identifier: MIT
"""δ along each direction, marched on the bases and steps of the solution: nothing is chosen, nothing repeated.

Σ_a ∂F/∂(D^a u) D^a δ + dF = 0 at the stages of every step, δ(t₀) = dd; one factorization per step serves all directions.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lrfm.rows.steps import Steps
from lrfm.solver.lines.choice import transfer
from lrfm.solver.lines.form import Unsuited
from lrfm.solver.lines.krylov import Coupled
from lrfm.solver.lines.march import DENSE, DRIVEN, LARGEST
from lrfm.solver.lines.newton import Stage, solve_stages
from lrfm.solver.lines.rules import rules_for
from lrfm.solver.lines.schemes import Scheme, gauss, radau
from lrfm.solver.lines.separable import Separable, total_size
from lrfm.solver.lines.stages import DenseParts, Stages
from lrfm.solver.lines.start import consistent
from lrfm.solver.lines.system import System
from lrfm.solver.tangent.form import TangentForm
from lrfm.spaces.axes.product import ProductBasis

LADDER = (
    Separable,
    Coupled,
    DenseParts,
)  # kinds of linear systems of large products, each stronger than the one before


class TangentMarch:
    """The directions of a tangent form, marched along the pieces of a solution."""

    def __init__(self, tangent: TangentForm, tol: float, conserving: bool = False):
        self.tangent, self.form, self.base = tangent, tangent.form, tangent.base
        self.rules = rules_for(tol, tangent.problem.domain.dimension)
        self.conserving = conserving
        self.kind = 0
        self.count = len(tangent.directions)
        self.sizes = np.zeros((self.count, len(self.form.components)))

    def run(self, pieces: Sequence[Steps]) -> list[list[Steps]]:
        """The pieces of each direction, in the order of time."""
        found: list[list[Steps]] = [[] for _ in range(self.count)]
        states: np.ndarray | None = None
        for piece in pieces:
            basis = ProductBasis(piece.basis.axes, self.form.tops)
            self.system, self.stages, self.parts = System(self.form, basis), None, None
            self.base.use(self.system, piece)
            states = self._begin(basis, float(piece.edges[0]), states, found)
            states = self._through(piece, states, found)
        return found

    # Starts -------------------------------------------------------------------------------------------------

    def _begin(
        self, basis: ProductBasis, time: float, states: np.ndarray | None, found: list[list[Steps]]
    ) -> np.ndarray:
        """The states at the start of a piece: data, or what the piece before ended with; consistent with the conditions."""
        started = []
        for i in range(self.count):
            self.base.direction = i
            if states is None:
                y = basis.project(self.tangent.start(i, basis.grid.points))
            else:
                y = transfer(found[i][-1].basis, basis, states[i])
            started.append(consistent(self.system, time, self.system.constrain(time, y)))
        return np.stack(started)

    # Steps --------------------------------------------------------------------------------------------------

    def _through(self, piece: Steps, states: np.ndarray, found: list[list[Steps]]) -> np.ndarray:
        """All steps of one piece; their end."""
        scheme = gauss(piece.slopes.shape[1]) if self.conserving else radau(piece.slopes.shape[1])
        firsts = [self.form.first[f] for f in self.form.fields]
        starts = [[] for _ in range(self.count)]
        slopes = [[] for _ in range(self.count)]
        self.sizes = np.maximum(self.sizes, np.linalg.norm(states, axis=2))
        last: list[np.ndarray] | None = None
        lengths = np.diff(piece.edges)
        for step, h in enumerate(lengths):
            self.base.at(step)
            time = float(piece.edges[step])
            self._prepare(scheme, time, float(h))
            ratio = float(h / lengths[step - 1]) if step else 1.0
            stages = [
                self._solved(i, scheme, time, states[i], None if last is None else last[i], ratio)
                for i in range(self.count)
            ]
            for i, stage in enumerate(stages):
                starts[i].append(states[i][firsts])
                slopes[i].append(np.tensordot(scheme.to_legendre, stage.rates[:, firsts], axes=1))
            last = [stage.rates[:, self.form.last] for stage in stages]
            states = np.stack([stage.end for stage in stages])
            self.sizes = np.maximum(self.sizes, np.linalg.norm(states, axis=2))
        for i in range(self.count):
            made = Steps(piece.basis, piece.fields, piece.edges, np.stack(starts[i]), np.stack(slopes[i]))
            found[i].append(made)
        return states

    def _prepare(self, scheme: Scheme, time: float, h: float) -> None:
        """Linearize in the middle of the step and factorize; what does not change is kept."""
        if self.parts is None or not self.form.stationary:
            at = time + scheme.nodes[scheme.stages // 2] * h
            zero = np.zeros(self.system.shape)
            self.system.set_tests(at, zero, zero)
            self.parts, self.stages = self._linear(at, zero), None
        if self.stages is None or abs(self.stages.step - h) > 1e-12 * h:
            self.stages = self.parts.stages(self.form, scheme, h)

    def _linear(self, at: float, zero: np.ndarray) -> DenseParts | Separable:
        if len(self.system.basis.axes) == 1 or total_size(self.system) <= DENSE:
            return DenseParts(self.system, at, zero, zero)
        while True:
            try:
                return LADDER[self.kind](self.system, at, zero, zero)
            except np.linalg.LinAlgError:
                self._stronger()

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
            self.sizes[i] = np.maximum(seen, self._floor(seen))
            stage = solve_stages(self.system, stages, time, state, guesses[-1], self.sizes[i], self.rules)
            if stage.solved:
                return stage
            if len(self.system.basis.axes) == 1 or total_size(self.system) <= DENSE:
                raise Unsuited("The linearized equations of a step could not be solved.")
            self._stronger()
            self.parts = self.stages = None
            self._prepare(scheme, time, stages.step)

    def _floor(self, sizes: np.ndarray) -> np.ndarray:
        """Least sizes of the components: each relative to u a hundredth of the one that moves most."""
        form, piece, step = self.form, self.base.piece, self.base.step
        own = np.array(
            [
                np.linalg.norm(
                    piece.coefficients(step, piece.edges[step : step + 2], level)[:, form.fields.index(f)]
                )
                for f, level in form.components
            ]
        )
        own = np.maximum(own, DRIVEN * own.max())
        return DRIVEN * own * np.max(sizes / np.maximum(own, 1e-300))
