# SPDX-License-Identifier: MIT
"""Ordinary equations with delays by the method of steps:  u′ = f(t, u(t), u(t − τ))  is integrated with the solution itself as its past.

No step is longer than the shortest delay, so that all of the past is known; u has a jump in a derivative at t₀ + nτ, of an order that grows with n, and steps end there (Bellen, Zennaro,
Numerical Methods for Delay Differential Equations, 2003). The comparison solve has a past of its own.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from lrfm.adapt.given import Given
from lrfm.discretize.evolution import EvolutionSystem, Unsuited
from lrfm.discretize.line.layout import Layout, points_of
from lrfm.discretize.options import Options
from lrfm.integrate.integrator import Integrator
from lrfm.integrate.prepare import integrator_for
from lrfm.integrate.state import IntegratorState, Step
from lrfm.problem import Jet, Problem
from lrfm.problem.delays import Past
from lrfm.rows.pieces import Piece
from lrfm.solver.attempts import IntegrationAttempts
from lrfm.solver.engine import Wanted
from lrfm.solver.formulations.cells import CellFormulation, piece_of
from lrfm.spaces.cells import Mesh, MovingMesh


class DelayGiven(Given):
    """What is given, and the times at which the past ends: steps end there, too, as long as jumps in derivatives are of an order that the scheme sees."""

    def __init__(self, system: EvolutionSystem, orders: int):
        super().__init__(system)
        self.orders, self.delays = orders, system.problem.delays

    @cached_property
    def times(self) -> np.ndarray:  # type: ignore[override]
        """Singular times of what is given, and t₀ + Σ n_i τ_i."""
        found = [super().times]
        for count in range(1, self.orders + 1):
            sums = {sum(some) for some in combinations_with_replacement(self.delays, count)}
            found.append(self.start + np.array(sorted(sums)))
        times = np.unique(np.concatenate(found))
        apart = np.append(True, np.diff(times) > 1e-12 * (self.end - self.start))
        return times[apart & (times > self.start) & (times < self.end)]

    def limit(self, time: float) -> float:
        """No longer than the shortest delay."""
        return min(super().limit(time), self.delays[0])


@dataclass
class Known:
    """The solution so far: the start before t₀, and the steps after it."""

    system: EvolutionSystem
    given: Given
    ends: list[float] = field(default_factory=list)
    pieces: list[Piece] = field(default_factory=list)

    def add(self, step: Step) -> None:
        """One step more."""
        self.ends.append(step.time + step.length)
        self.pieces.append(piece_of(self.system, [step]))

    def __call__(self, name: str, times: np.ndarray) -> np.ndarray:
        """A field at times; at times to come, which are looked at before the first step, its start."""
        result = np.full(len(times), self._before(name))
        later = np.flatnonzero(times > self.given.start) if self.ends else ()
        for k in later:
            number = min(bisect_right(self.ends, times[k]), len(self.ends) - 1)
            jet = Jet(name, (0, 0))
            result[k] = self.pieces[number].values([jet], np.array([[0.0, times[k]]]))[jet][0]
        return result

    def _before(self, name: str) -> float:
        return float(self.given.initial(np.zeros(1))[self.system.first[name], 0])


@dataclass
class DelayIntegrator:
    """The integrator of a statement, each step of which sees those before it."""

    inner: Integrator
    past: Past
    known: Known

    def begin(self) -> IntegratorState:
        """The start."""
        with self.past.during(self.known):
            return self.inner.begin()

    def run(self, state: IntegratorState) -> Iterator[tuple[IntegratorState, Step]]:
        """Steps until the end."""
        if state.steps and not self.known.ends:
            raise Unsuited("Equations with delays are not taken up in the middle: their past is not kept.")
        walk = self.inner.run(state)
        while True:
            with self.past.during(self.known):
                found = next(walk, None)
            if found is None:
                return
            self.known.add(found[1])
            yield found


@dataclass(frozen=True)
class DelayFormulation(CellFormulation):
    """Ordinary equations with delays."""

    name: str = "delays"

    @property
    def past(self) -> Past:
        """Of the statement."""
        found = self.system.problem.alphabet.past
        assert found is not None
        return found

    def integrator(self, options: Options, sizes: np.ndarray | None) -> Any:
        """One that has not begun, with no past but the start."""
        given = DelayGiven(self.system, 2 * options.stages - 1)
        known = Known(self.system, given)
        with self.past.during(known):
            made = integrator_for(self.system, options, sizes, given)
            given.limit(given.start)  # looks at all times that are to come
        return DelayIntegrator(made, self.past, known)

    def evaluating(self, piece: Piece) -> AbstractContextManager[None]:
        """Rows see a whole solution as their past."""
        system = self.system
        given, start, end = Given(system), *piece.window

        def history(name: str, times: np.ndarray) -> np.ndarray:
            jet = Jet(name, (0, 0))
            points = np.column_stack([np.zeros(len(times)), np.clip(times, start, end)])
            before = float(given.initial(np.zeros(1))[system.first[name], 0])
            return np.where(times <= start, before, piece.values([jet], points)[jet])

        return self.past.during(history)

    def shape(self, mesh: Mesh | MovingMesh, options: Options) -> tuple[int, int]:
        return 1, options.stages


def delay_attempts(problem: Problem, wanted: Wanted) -> IntegrationAttempts:
    """Attempts at ordinary equations with delays."""
    system = EvolutionSystem(problem)
    Layout(system, points_of(system, Options(tol=wanted.tol))).check()
    form = DelayFormulation(system)
    from_nothing = not np.all(Given(system).initial(np.zeros(1)))
    return IntegrationAttempts(form, wanted, False, from_nothing)
