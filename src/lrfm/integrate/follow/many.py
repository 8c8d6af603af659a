# SPDX-License-Identifier: MIT
"""Many solutions of one linear statement, on the spaces and steps of one of them:  A(hλ) Δ = −r  with the factors of each step size and space, made once for all data.

The adaptive integrator takes the steps for its own data; other data take the same ones. What these leave out of them is seen in the same quantities by which steps were chosen: the
embedded formula in time, the last coefficients in space.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np

from lrfm.discretize.line.collocation import CellCollocation
from lrfm.discretize.options import SAFEGUARDS
from lrfm.discretize.plane.galerkin import PlaneGalerkin
from lrfm.integrate.follow.linear import LinearStep
from lrfm.integrate.integrator import Integrator, Stopped
from lrfm.integrate.protocols import Transfer
from lrfm.integrate.schemes.radau import Iteration, Radau, StepResult
from lrfm.integrate.state import IntegratorState, Step
from lrfm.linalg.deadline import check_deadline
from lrfm.linalg.room import reserve

Function = Callable[[np.ndarray], np.ndarray]


class Recorded:
    """An adapter that remembers by which changes it came from one space to the next."""

    def __init__(self, adapter: Any):
        self.adapter = adapter
        self.origins: dict[int, tuple[Any, Any, Transfer]] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self.adapter, name)

    def changed(self, mesh: Any, change: Any) -> tuple[Any, Transfer]:
        """The other space, and what takes coefficients to it."""
        other, move = self.adapter.changed(mesh, change)
        self.origins[id(other)] = mesh, other, move  # kept, so that nobody else has its number
        return other, move

    def moves(self, before: Any, after: Any) -> list[Transfer]:
        """What takes coefficients from one space to a later one."""
        found: list[Transfer] = []
        while after is not before:
            after, _, move = self.origins[id(after)]
            found.insert(0, move)
        return found


@dataclass(frozen=True)
class Answers:
    """Steps of all data together: `start` is (data, components, cells, size), `rates` (stages, data, components, cells, size); `missed` is what they leave out of each, relative to it."""

    steps: list[Step] = field(repr=False)
    ends: np.ndarray = field(repr=False)  # states at the end, in the last space
    missed: np.ndarray

    def one(self, number: int) -> list[Step]:
        """The steps of one of them."""
        return [Step(s.mesh, s.time, s.length, s.start[number], s.rates[:, number]) for s in self.steps]


class KeptSteps:
    """The spaces and steps that an adaptive integration took, for other data of the same statement."""

    def __init__(self, integrator: Integrator):
        self.integrator, self.adapter = integrator, Recorded(integrator.adapter)
        integrator.adapter = cast(Any, self.adapter)
        taken = [(s.mesh, s.time, s.length) for _, s in integrator.run(integrator.begin())]
        self.meshes, self.times, self.lengths = zip(*taken, strict=True)
        self._made: dict[int, Any] = {}
        self._pencils: dict[int, Any] = {}

    @property
    def first(self) -> Any:
        """The first space."""
        return self.meshes[0]

    @property
    def together(self) -> bool:
        """Whether a step is one linear system for all data: with an implicit scheme, and sparse matrices that stay."""
        system = self.integrator.system
        plain = system.linear and system.stationary and not system.multipliers
        made = self._space(0)
        sparse = isinstance(made, CellCollocation) or (isinstance(made, PlaneGalerkin) and not made.iterative)
        return plain and sparse and isinstance(self.integrator.scheme, Radau)

    def held(self, function: Function) -> np.ndarray:
        """Functions of places, (components, places), as a state in the first space."""
        return self.adapter.held(self.first, function)

    def run(self, starts: np.ndarray, shift: float = 0.0) -> Answers:
        """All data (data, components, cells, size) at once; what is given in time is taken a `shift` later."""
        one, count = self.integrator, len(starts)
        made = self._space(0)
        pairs = [one.consistent(made, self.times[0] + shift, y, one.duration) for y in starts]
        y, z = (np.stack(parts) for parts in zip(*pairs, strict=True))
        reserve(2.0 * len(self.times) * y.size)
        squares, missed = np.zeros(y.shape[:2]), np.zeros(count)
        # What starts from nothing counts by T‖y′‖ until it is larger.
        reach = one.duration * np.stack([made.norms(v) for v in z]) * ~np.any(y, axis=(2, 3))
        steps: list[Step] = []
        for k, length in enumerate(self.lengths):
            check_deadline()
            if k and self.meshes[k] is not self.meshes[k - 1]:
                y, z = self._moved(k, y, z, shift)
            made = self._space(k)
            results = self._step(k, y, z, squares, reach, shift)
            end = np.stack([r.end for r in results])
            squares = squares + 0.5 * length * (_squares(made, y) + _squares(made, end))
            left = one.end - self.times[k] - length
            sizes = np.sqrt((squares + max(left, 0.0) * _squares(made, end)) / one.duration)
            sizes = np.maximum(sizes, np.where(np.any(starts, axis=(2, 3)), 0.0, reach))
            missed = np.maximum(missed, self._missed(made, results, sizes))
            steps.append(
                Step(self.meshes[k], self.times[k], length, y, np.stack([r.rates for r in results], axis=1))
            )
            y, z = end, np.stack([r.rates[-1] for r in results])
        return Answers(steps, y, missed)

    # One step -----------------------------------------------------------------------------------------------

    def _space(self, k: int) -> Any:
        """The discretization of the k-th step, made once for each space."""
        mesh = self.meshes[k]
        if id(mesh) not in self._made:
            self._made[id(mesh)] = self.adapter.discretize(mesh)
        return self._made[id(mesh)]

    def _pencil(self, k: int, shift: float = 0.0) -> Any:
        """Its linearization, which is the same at all states; made anew where coefficients change in time."""
        made, system = self._space(k), self.integrator.system
        key = id(made.mesh)
        if key not in self._pencils or not system.stationary:
            nothing = self.adapter.held(made.mesh, self._nothing)
            middle = self.times[k] + 0.5 * self.lengths[k] + shift
            self._pencils[key] = made.linearize(middle, nothing, nothing)
        return self._pencils[key]

    def _nothing(self, places: np.ndarray) -> np.ndarray:
        return np.zeros((len(self.integrator.system.components), len(places)))

    def _moved(self, k: int, y: np.ndarray, z: np.ndarray, shift: float) -> tuple[np.ndarray, np.ndarray]:
        """All states in the next space."""
        for move in self.adapter.moves(self.meshes[k - 1], self.meshes[k]):
            y, z = np.stack([move(v) for v in y]), np.stack([move(v) for v in z])
        made, time = self._space(k), self.times[k] + shift
        pairs = [self.integrator.admissible(made, time, *pair) for pair in zip(y, z, strict=True)]
        return np.stack([a for a, _ in pairs]), np.stack([b for _, b in pairs])

    def _step(self, k: int, y, z, squares: np.ndarray, reach: np.ndarray, shift: float) -> list[StepResult]:
        """The next states of all data, with their errors in time."""
        made, pencil, one = self._space(k), self._pencil(k, shift), self.integrator
        time, length, options = self.times[k] + shift, self.lengths[k], one.options
        if self.together:
            return self._linear(made, pencil, time, length, y, z, options.newton_goal)
        regridded = time if k == 0 or self.meshes[k] is not self.meshes[k - 1] else -np.inf
        found = []
        for i in range(len(y)):
            state = IntegratorState(
                time, made.mesh, y[i], z[i], length, self.times[0] + shift, squares[i], reach[i], regridded=regridded, steps=k
            )  # fmt: skip
            sizes = np.maximum(made.norms(y[i]), reach[i])
            told = np.maximum(sizes, options.smallest * np.max(sizes))[one.system.last]

            def norm(change: np.ndarray, told=told) -> float:
                return float(np.max(made.norms(change) / np.maximum(told, np.finfo(float).tiny)))

            iteration = Iteration(norm, options.newton_goal, SAFEGUARDS.iterations)
            found.append(one.scheme.step(made, pencil, state, length, iteration))
        if not all(r.converged for r in found):
            raise Stopped("The equations of a step could not be solved for other data.")
        return found

    def _linear(
        self, made: Any, pencil: Any, time: float, length: float, y, z, goal: float
    ) -> list[StepResult]:
        scheme = self.integrator.scheme.scheme  # type: ignore[attr-defined]
        step = LinearStep(made, scheme, length, [pencil] * scheme.stages, pencil)
        nothing = np.zeros((scheme.stages, *y.shape[1:]))
        load = made.residual(time + length * scheme.nodes, nothing, nothing)
        right = np.repeat(load[:, :, None], len(y), axis=2)
        guess = np.repeat(z[None, :, made.system.last], scheme.stages, axis=0)
        sizes = np.maximum(made.norms(y), np.finfo(float).tiny)
        found = step.solve(y, right, {}, guess, sizes, goal, SAFEGUARDS.iterations)
        if not found.converged:
            raise Stopped("The equations of a step could not be solved for other data.")
        error, inside = step.error(z, found.rates)
        return [StepResult(True, found.rates[:, i], found.end[i], error[i], inside[i]) for i in range(len(y))]

    def _missed(self, made: Any, results: list[StepResult], sizes: np.ndarray) -> np.ndarray:
        """Errors in time and space of a step, each as if it were all of its share of a tolerance."""
        options, found = self.integrator.options, []
        among = [c for c in range(sizes.shape[1]) if c not in made.system.algebraic]
        for result, own in zip(results, sizes, strict=True):
            told = np.maximum(own, max(options.smallest * np.max(own), np.finfo(float).tiny))
            time = np.max((made.norms(result.error) / told)[among], initial=0.0)
            space = np.max(self.adapter.tails(made, result.end, told), initial=0.0)
            found.append(max(time / options.time_share, space / options.space_share))
        return np.array(found)


def _squares(made: Any, y: np.ndarray) -> np.ndarray:
    return np.stack([made.norms(v) for v in y]) ** 2
