# SPDX-License-Identifier: MIT
"""What is kept of one solve for the next, with other parameters: cells and steps that served, matrices, values.

The next solve begins with Σ_i w_i(p) U(p_i), the polynomial in the parameters through kept solves near to p, and iterates with the matrices of the nearest one. Where the
iteration, or cells, do not serve it, the adaptive integrator does.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

import numpy as np

from lrfm.adapt.cells import CellAdapter
from lrfm.adapt.given import Given
from lrfm.discretize.evolution import EvolutionSystem
from lrfm.discretize.line.collocation import CellCollocation
from lrfm.discretize.options import COSTS, KEPT, ROUNDING, SAFEGUARDS, Options
from lrfm.integrate.follow.replay import Grid, Matrices, Replayed, replay
from lrfm.integrate.integrator import Integrator
from lrfm.integrate.state import IntegratorState, Step
from lrfm.linalg.banded import SingularError
from lrfm.linalg.deadline import check_deadline


@dataclass
class Kept:
    """Of one of two solves: the grid, and what is known on it.

    Parameters
    ----------
    grid
        Cells and steps.
    guess
        Rates of a solve that was adaptive, on this grid: all there is until one has been made here.
    start
        The initial data of the statement on the cells; None where these do not resolve them.
    sizes
        Of the components.
    tail
        The largest last coefficients of cells with which the grid has served, or their budget.
    """

    grid: Grid
    guess: np.ndarray = field(repr=False)
    start: np.ndarray | None = field(repr=False)
    sizes: np.ndarray = field(repr=False)
    tail: float
    runs: list[tuple[np.ndarray, np.ndarray]] = field(default_factory=list, repr=False)
    matrices: list[tuple[np.ndarray, Matrices, list[tuple[float, float]]]] = field(
        default_factory=list, repr=False
    )
    missed: bool = False  # whether the last solve had to be adaptive

    def steps(self, rates: np.ndarray) -> list[Step]:
        """A solve from the data of the statement, given by its rates."""
        assert self.start is not None
        return self.grid.steps(self.grid.starts(self.start, rates), rates)

    def predicted(self, at: np.ndarray) -> np.ndarray:
        """Rates with other parameters, by interpolation between kept ones."""
        if not self.runs:
            return self.guess
        places = np.array([p for p, _ in self.runs])
        near = np.argsort(distances(places, at))[: KEPT.recent * len(at)]
        weights = interpolation(places[near], at)
        total, part = np.zeros_like(self.guess), np.empty_like(self.guess)
        for weight, number in zip(weights, near, strict=True):
            if weight:
                total += np.multiply(self.runs[number][1], weight, out=part)
        return total

    def learn(self, at: np.ndarray, rates: np.ndarray) -> None:
        """Keep the rates of a solve; where there are too many, in the place of the nearest one."""
        if self.runs:
            apart = distances(np.array([p for p, _ in self.runs]), at)
            if np.min(apart) < ROUNDING.sums or len(apart) >= SAFEGUARDS.runs:
                del self.runs[int(np.argmin(apart))]
        self.runs.append((at, rates))


def distances(places: np.ndarray, at: np.ndarray) -> np.ndarray:
    """The largest difference of sets of parameters (sets, parameters) to one, each relative to its size."""
    size = np.maximum(np.maximum(np.abs(places), np.abs(at)), np.finfo(float).tiny)
    return np.max(np.abs(places - at) / size, axis=1, initial=0.0)


def interpolation(places: np.ndarray, at: np.ndarray) -> np.ndarray:
    """The weights of kept solves at other parameters; both solves of a call ask for the same ones."""
    return _weights(places.tobytes(), at.tobytes(), len(places))


@lru_cache(maxsize=8)
def _weights(kept: bytes, there: bytes, count: int) -> np.ndarray:
    """Weights w with Σ w_i q(p_i) = q(p) for all polynomials q up to a degree, the smallest in the mean, and smaller for what is far away.

    The degree is the highest one that has as few coefficients as there are places, and that does not amplify.
    """
    places, at = np.frombuffer(kept).reshape(count, -1), np.frombuffer(there)
    span = np.ptp(np.vstack([places, at]), axis=0)
    moves = span > 0
    if not moves.any():
        return np.append(np.zeros(count - 1), 1.0)
    unit = (places[:, moves] - at[moves]) / span[moves]
    far = np.sqrt(np.sum(unit**2, axis=1)) + np.finfo(float).eps
    for degree in range(KEPT.degree, 0, -1):
        powers = [p for p in itertools.product(range(degree + 1), repeat=unit.shape[1]) if sum(p) <= degree]
        if len(powers) > count:
            continue
        table = np.stack([np.prod(unit ** np.array(p), axis=1) for p in powers])
        nearness = far ** -(degree + 1.0)
        nearness /= np.max(nearness)
        wanted = np.array([float(not any(p)) for p in powers])
        solved = np.linalg.lstsq(table * nearness, wanted, rcond=None)[0]
        found = nearness * solved
        if np.sum(np.abs(found)) <= KEPT.amplified and np.max(np.abs(table @ found - wanted)) < ROUNDING.zero:
            return found
    nearest = np.zeros(count)
    nearest[int(np.argmin(far))] = 1.0
    return nearest


@dataclass
class Replay:
    """The integration on a kept grid, or, where that does not serve, an adaptive one: begun and run as that is."""

    kept: Kept
    system: EvolutionSystem
    options: Options
    given: Given
    at: np.ndarray  # the parameters,
    named: bool  # and whether they are all in which solves differ
    adaptive: Callable[[], Integrator]
    watched: bool = False  # whether somebody looks at every step
    _integrator: Integrator | None = field(default=None, init=False, repr=False)
    _starts: np.ndarray | None = field(default=None, init=False, repr=False)
    _rates: np.ndarray | None = field(default=None, init=False, repr=False)

    def begin(self) -> IntegratorState:
        """All of it; or the start of the adaptive one."""
        found = self._replayed()
        self.kept.missed = found is None
        if found is None:
            self._integrator = self.adaptive()
            return self._integrator.begin()
        self._starts, self._rates = found.starts, found.rates
        return self._begun

    def run(self, state: IntegratorState) -> Iterator[tuple[IntegratorState, *tuple[Step, ...]]]:
        """All steps with the state at the end, or step after step where they are `watched`; those of the adaptive one as they are made."""
        if self._integrator is not None:
            yield from self._integrator.run(state)
            return
        assert self._starts is not None
        assert self._rates is not None
        grid = self.kept.grid
        squares = grid.made.norms(self._starts) ** 2
        total = np.cumsum(0.5 * grid.lengths[:, None] * (squares[:-1] + squares[1:]), axis=0)
        steps, told = grid.steps(self._starts, self._rates), 0
        for k in range(1 if self.watched else len(steps), len(steps) + 1):
            yield self._after(k, total[k - 1]), *steps[told:k]
            told = k

    def _after(self, count: int, squares: np.ndarray) -> IntegratorState:
        """The state after so many steps."""
        assert self._starts is not None
        assert self._rates is not None
        grid = self.kept.grid
        return self._begun.with_(
            time=float(grid.edges[count]),
            y=self._starts[count],
            z=self._rates[count - 1, -1],
            length=float(grid.lengths[min(count, len(grid.lengths) - 1)]),
            squares=squares,
            steps=count,
        )

    @cached_property
    def _begun(self) -> IntegratorState:
        """The state before the first step."""
        assert self._starts is not None
        assert self._rates is not None
        grid, zero = self.kept.grid, np.zeros(len(self.kept.sizes))
        start, length = float(grid.edges[0]), float(grid.lengths[0])
        return IntegratorState(
            start, grid.made.mesh, self._starts[0], self._rates[0, 0], length, start, zero, zero
        )

    def _replayed(self) -> Replayed | None:
        """The run on the kept grid; None where it does not serve."""
        kept, grid = self.kept, self.kept.grid
        made = grid.made.restated(self.system)
        adapter = CellAdapter(made.layout, self.given, self.options)
        start = kept.start if self.system.original.alike is not None else self._resolved(adapter, made)
        if start is None:
            return None
        options = self.options
        guess = kept.predicted(self.at)
        found = self._iterated(made, start, guess, options.newton_goal)
        if found is None:
            return None
        tail = float(np.max(adapter.tails(made, found.starts[1:], kept.sizes)))
        if tail > options.overshoot * kept.tail:
            return None
        if self.named:
            kept.learn(self.at, found.rates)
        return found

    def _iterated(
        self, made: CellCollocation, start: np.ndarray, guess: np.ndarray, goal: float
    ) -> Replayed | None:
        """Newton's method with the nearest matrices, and with new ones where these are too far away."""
        kept, near = self.kept, None
        if kept.matrices:
            away = distances(np.array([p for p, *_ in kept.matrices]), self.at)
            near, apart = kept.matrices[int(np.argmin(away))], float(np.min(away))
            # What was as far away, and no slower than this.
            expected = min([rate for d, rate in near[2] if self.named and d >= apart], default=1.0)
            found = replay(kept.grid, made, start, guess, near[1], kept.sizes, goal, expected)
            if found is not None and found.converged:
                if found.iterations > 1 and self.named:
                    near[2].append((apart, found.rate))
                return found
        return self._linearized(made, start, guess, goal)

    def _linearized(
        self, made: CellCollocation, start: np.ndarray, rates: np.ndarray, goal: float
    ) -> Replayed | None:
        """Newton's method with matrices of its own, renewed where corrections do not shrink fast enough; None where that does not help."""
        kept = self.kept
        for _ in range(COSTS.linearized):
            check_deadline()
            try:
                starts = kept.grid.starts(start, rates)
                matrices = Matrices(kept.grid, made, kept.grid.stages(starts, rates), rates)
            except (SingularError, ValueError):  # or entries that are no numbers
                return None
            found = replay(kept.grid, made, start, rates, matrices, kept.sizes, goal)
            if found is None:
                return None
            if found.converged:
                if self.named:
                    del kept.matrices[: len(kept.matrices) - KEPT.recent + 1]
                    kept.matrices.append((self.at, matrices, []))
                return found
            rates = found.rates
        return None

    def _resolved(self, adapter: CellAdapter, made: CellCollocation) -> np.ndarray | None:
        """The initial data on the cells; None where these do not resolve what is given."""
        edges, at = made.mesh.edges, self.given.places
        if not self.system.autonomous or (
            len(at) and np.max(np.min(np.abs(edges[:, None] - at), axis=0)) > 0
        ):
            return None
        return adapter.on_cells(made.mesh)
