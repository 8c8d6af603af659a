# SPDX-License-Identifier: MIT
"""Errors of a step, in time and in space, as contributions to the relative L² error over space and time.

    η_t = max(‖A⁻¹B₀(ŷ − y₁)‖, √(h/T) ‖ŷ − y₁‖)/‖u‖,    η_x = the last coefficients of each cell over ‖u‖.

An error e that is made at time t is carried on by the equation. Where it is damped, as in an initial layer, it counts by what is left of it,

    η² = (1/T) ∫ ‖E(s) e‖² ds ≈ Σ_j (H_j − H_{j−1})/T ‖A(H_j)⁻¹ B₀ e‖²,

a sum over times that grow geometrically, with one step of implicit Euler in the place of the evolution E: it damps less than E does.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

import numpy as np

from lrfm.discretize.evolution import EvolutionSystem
from lrfm.discretize.options import Options
from lrfm.integrate.controller import Errors
from lrfm.integrate.protocols import Discretization, LinearOperator, SpaceErrors
from lrfm.integrate.schemes.radau import StepResult
from lrfm.integrate.schemes.tableaus import radau
from lrfm.integrate.state import IntegratorState
from lrfm.linalg.banded import SingularError


@dataclass(frozen=True)
class Look:
    """A step that is looked at, with the sizes of the components at its end."""

    made: Discretization
    state: IntegratorState
    result: StepResult
    length: float
    sizes: np.ndarray

    @property
    def along(self) -> float:
        """√(t/h): in a layer, contributions grow with the time that has passed since its start."""
        return math.sqrt((self.state.time + self.length - self.state.restart) / self.length)


@dataclass(frozen=True)
class Estimator:
    """Errors of steps relative to the sizes of the unknowns."""

    adapter: SpaceErrors
    options: Options
    time: tuple[float, float]
    known: np.ndarray | None = None  # sizes of the components, from an earlier solve
    foreseen: np.ndarray | None = None  # what comes of them, where some start from nothing or fade
    _comparable: dict[EvolutionSystem, np.ndarray] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def duration(self) -> float:
        """Of the whole integration."""
        return self.time[1] - self.time[0]

    def sizes(self, made: Discretization, state: IntegratorState, y: np.ndarray, z: np.ndarray) -> np.ndarray:
        """What errors are relative to, by component: the root mean square over the time span, if y stayed as it is from here on.

        What starts from nothing counts by T‖y′‖, the least so far, and by a part of what drives it, as long as it is smaller; what stays
        below the part `smallest` of the largest component is not told from zero. Where an earlier solve knows the sizes, these are taken.
        """
        if self.known is not None:
            if made.system not in self._comparable:
                self._comparable[made.system] = self._told(made, self.known)
            return self._fallen(made, state, y, z, self._comparable[made.system])
        rest = self.time[1] - state.time
        own = np.sqrt((state.squares + rest * made.norms(y) ** 2) / self.duration)
        reach = np.minimum(state.reach, self.duration * made.norms(z))
        driven = np.where(state.reach > 0, self.options.driven * self.adapter.driven, 0.0)
        if self.foreseen is not None:
            # A pressure has no size of its own at the start: it is that of the forces there.
            grows = (state.reach > 0) | np.isin(np.arange(len(own)), made.system.multipliers)
            reach, driven = np.zeros_like(own), np.where(grows, self.foreseen, 0.0)
            if not np.any(state.reach):  # what fades
                own = np.minimum(own, np.maximum(self.foreseen, np.sqrt(state.squares / self.duration)))
        return self._fallen(made, state, y, z, self._told(made, np.maximum(own, np.maximum(reach, driven))))

    def _fallen(
        self, made: Discretization, state: IntegratorState, y: np.ndarray, z: np.ndarray, sizes: np.ndarray
    ) -> np.ndarray:
        """Sizes of unknowns that have fallen far below what they were are those of now: between two pulses of a reaction a concentration is less than the tolerance of the next one, and decides when it comes.

        An error of what is small has no more effect than of what is large where equations are linear.
        """
        elapsed = state.time - self.time[0]
        if made.system.linear or not elapsed > 0:
            return sizes
        now = np.maximum(made.norms(y), state.length * made.norms(z))
        before = np.maximum(np.sqrt(state.squares / elapsed), np.finfo(float).tiny)
        # In proportion: what has been rounding all the time, and happens to be less of it, is told by what its size is known from.
        left = np.maximum(now / before, self.options.told)
        return np.minimum(np.maximum(left * sizes, now), sizes)

    def _told(self, made: Discretization, sizes: np.ndarray) -> np.ndarray:
        """Sizes that are told from zero; means and values in formulas, and Laplacians of unknowns, are no unknowns themselves, and what they do is in these."""
        largest, system = float(sizes.max(initial=0.0)), made.system
        told = system.counted(sizes, self.options.told)
        if system.multipliers:
            # A pressure is what derivatives of velocities leave: below their rounding nothing is asked of it.
            among, share = system.multipliers, min(self.options.time_share, self.options.space_share)
            rounding = self.options.derived / (share * self.options.tol) * largest
            told[among] = np.maximum(told[among], rounding)
        for c in system.links:
            # An error of u_t moves u by T times as much at most: less is not asked of what hardly moves.
            told[c + 1] = max(told[c + 1], told[c] / self.duration)
        if len(made.auxiliary):
            told[made.auxiliary] = np.inf
        return told

    def contributions(
        self,
        made: Discretization,
        pencil: LinearOperator,
        state: IntegratorState,
        result: StepResult,
        length: float,
    ) -> tuple[Errors, np.ndarray]:
        """The errors of a step, and its space error by cell in units of the budget."""
        options, nothing = self.options, np.zeros(made.mesh.size)
        time_budget = max(options.time_share * options.tol, options.floor)
        space_budget = max(options.space_share * options.tol, options.floor)
        if not result.converged:
            return Errors(0.0, time_budget, 0.0, space_budget, False, result.rate), nothing
        there = state
        if result.squares is not None:
            there = replace(state, time=state.time + length, squares=state.squares + result.squares)
        step = Look(made, state, result, length, self.sizes(made, there, result.end, result.rates[-1]))
        # Cells that go along with what they hold leave out the same in all steps, and these miss the same of its change: N such errors add up to N times one, not to √N.
        added = math.sqrt(self.duration / length) if made.mesh.moves else 1.0
        eta, last = result.part * made.norms(result.error) / step.sizes, made.system.last
        if eta.max() > time_budget and made.filters:
            # In a layer nothing is smooth, and all of the error counts.
            left = np.sqrt(np.sum(self._left(made, pencil, result.error[last], length, state.time), axis=1))
            # Contributions of all steps add up, as if all had been of this length. Not so what the old cells left out: it is counted as an error of space, and the first step on new cells damps it.
            steps = 1.0 if state.time == state.regridded else step.along
            eta[last] = np.minimum(eta[last], steps * left / step.sizes[last])
        time = float((self._in_time(step, eta) * added).max())
        time = max(time, time_budget * self._unfollowed(step, pencil))
        tails = self.adapter.tails(made, result.end, step.sizes) * added
        plain = tails.max(axis=0, initial=0.0)
        if made.filters and self.adapter.marked(plain, space_budget).max(initial=0.0) > space_budget:
            factors = math.sqrt(made.mesh.size) * step.along / step.sizes[last]
            lasting = partial(self._lasting, tails[last], factors)
            within = partial(self._within_budget, lasting, space_budget)
            rough = self.adapter.rough(made, result.end)
            tails[last] = lasting(self._left(made, pencil, rough, length, state.time, within))
        worst, ahead = self._in_space(step, tails, plain, space_budget)
        expected = worst * ahead
        errors = Errors(
            time,
            time_budget,
            float(worst.max(initial=0.0)),
            space_budget,
            rate=result.rate,
            expected=float(expected.max(initial=0.0)),
            # What is exact at its end misses no power of h of its own: short waves, as large for half the length.
            grown=1.0 if result.exact else self._grown(state, time, time_budget, length),
            singular=state.time == state.restart,
        )
        return errors, expected / space_budget

    def _in_time(self, step: Look, eta: np.ndarray) -> np.ndarray:
        """η_t by component, from what the filter leaves at the end of the step."""
        made, result, sizes = step.made, step.result, step.sizes
        # Within the step an error lasts for a part h/T of the time, with the size that the step's own matrix leaves of it; algebraic unknowns have no rates of their own at the start.
        missed = result.inside if result.exact else result.error
        inside = math.sqrt(step.length / self.duration) * result.part * made.norms(missed) / sizes
        inside[made.system.algebraic] = 0.0
        eta = np.maximum(eta, inside)
        # What only keeps a constraint, of index two, has an embedded error that does not fall with h: its start is part of it (Hairer, Lubich, Roche, 1989).
        eta[made.system.flat_multipliers] *= step.length / self.duration
        return eta

    def _unfollowed(self, step: Look, pencil: LinearOperator) -> float:
        """What a step makes of a state that hardly moves but grows, like e^(λt), in units of the budget: no error that counts relative to the unknowns sees it.

        (2|λ|h/K)^(K + ½): an implicit step damps what grows by more than e^K within it as if it fell, and follows e^(K/2). λ is read off steps of implicit Euler
        of the rates, where these are an eigenvector, or those of a pair.
        """
        made, length, last, options = step.made, step.length, step.made.system.last, self.options
        moved = length * made.norms(step.state.z)[last] / step.sizes[last]
        if made.system.linear or not made.filters or not 0 < moved.max(initial=0.0) <= options.tol:
            return 0.0
        share = np.sqrt(made.shares)[None, :, None]
        krylov = [(share * step.state.z[last]).ravel()]
        try:
            solve = pencil.roughly(length)
            for _ in range(options.stages):
                rates = (krylov[-1] / np.linalg.norm(krylov[-1])).reshape(step.state.z[last].shape) / share
                krylov.append((share * made.scatter(solve(pencil.apply(made.gather(rates), 0)))).ravel())
        except SingularError:
            return 0.0
        if not all(0 < np.linalg.norm(v) < np.inf for v in krylov[-3:]):
            return 0.0  # beside a singularity
        growth = growing(krylov[-3], krylov[-2], krylov[-1], options.minor)
        return (2 * growth / options.stages) ** (options.stages + 0.5)

    def _in_space(
        self, step: Look, tails: np.ndarray, plain: np.ndarray, budget: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """η_x by cell, and by how much that of each cell may grow in one more step: what grows is split before a step has to be repeated for it."""
        made, result, sizes, adapter = step.made, step.result, step.sizes, self.adapter
        if result.exact and made.filters and step.state.time == step.state.restart:
            tails = np.maximum(tails, self._within(made, step.state, result, step.length, sizes))
        worst = tails.max(axis=0, initial=0.0)
        worst = np.maximum(worst, adapter.given_tails(made, step.state.time + step.length))
        before = adapter.tails(made, step.state.y, sizes).max(axis=0, initial=0.0)
        with np.errstate(all="ignore"):
            ratio = np.minimum(np.maximum(plain / before, 1.0), self.options.ahead)
        growth = np.where(before > 0, ratio, 1.0)
        return adapter.marked(worst, budget, growth), growth

    def _grown(self, state: IntegratorState, error: float, budget: float, length: float) -> float:
        """(η/h^(K+½)) / (η₀/h₀^(K+½)) with the error of the step before; one where there is none that can be compared. What is far below the budget is rounding, and no power of h."""
        least = self.options.minor**2 * budget
        if state.before is None or min(state.missed, error) <= least:
            return 1.0
        return error / state.missed * (state.before[0] / length) ** (self.options.stages + 0.5)

    def _within(
        self,
        made: Discretization,
        state: IntegratorState,
        result: StepResult,
        length: float,
        sizes: np.ndarray,
    ) -> np.ndarray:
        """√(h/T) √(Σ_j b_j η(t_j)²) by component and cell: what cells leave out during a step, by its nodes.

        A step that begins where data contradict each other ends with a layer √h wide and begins with none: what was left out in between is gone at its end, but it counts.
        No other scheme gets so far in one step, and later steps begin with what an earlier one has left.
        """
        scheme = radau(len(result.rates))
        values = state.y + length * np.tensordot(scheme.matrix, result.rates, axes=1)
        found = np.array([self.adapter.tails(made, y, sizes) for y in values])
        return np.sqrt(length / self.duration * np.tensordot(scheme.weights, found**2, axes=1))

    @staticmethod
    def _lasting(tails: np.ndarray, factors: np.ndarray, left: np.ndarray) -> np.ndarray:
        """What cells leave out, by field and cell, as far as it lasts; `factors` are one over the sizes of the fields, times the root of the number of steps and cells."""
        return np.minimum(tails, np.sqrt(left) * factors[:, None])

    def _within_budget(
        self, lasting: Callable[[np.ndarray], np.ndarray], budget: float, left: np.ndarray
    ) -> bool:
        """Whether nothing follows from what is left, not even if it grows as much as is reckoned with."""
        worst = self.adapter.marked(lasting(left).max(axis=0, initial=0.0), budget)
        return self.options.ahead * float(worst.max(initial=0.0)) <= budget

    def _left(
        self,
        made: Discretization,
        pencil: LinearOperator,
        error: np.ndarray,
        length: float,
        time: float,
        within: Callable[[np.ndarray], bool] = lambda left: False,
    ) -> np.ndarray:
        """(1/T) ∫ ‖E(s) e‖² ds by field and cell, e given by coefficients (fields, cells, size).

        What is left at some time does not grow afterwards: where it is `within` its bounds if it stays as it is, or next to nothing beside what was there before, later times are not looked at.
        """
        rest = max(self.time[1] - time, length)
        share = made.shares[None, :]
        total = length / self.duration * share * np.sum(error**2, axis=2)
        right, before = pencil.apply(made.gather(error), 0), length
        while before < rest:
            here = min(self.options.grow * before, rest)
            try:
                left = made.scatter(pencil.roughly(here)(right))
            except SingularError:  # nothing that is known damps it
                return total + (rest - before) / self.duration * share * np.sum(error**2, axis=2)
            now = share * np.sum(left**2, axis=2)
            total, before = total + (here - before) / self.duration * now, here
            more = (rest - here) / self.duration * now
            most = total + more
            if within(most) or np.sum(more) <= self.options.minor * np.sum(total):
                return most
        return total


def growing(first: np.ndarray, second: np.ndarray, third: np.ndarray, least: float) -> float:
    """|λh| of the part of three steps of implicit Euler that grows, each from the last one made a unit: 1/(1 − λh) are the roots of x² = a x + b where the third is a v + b u; zero where nothing grows, or more than two eigenvectors are there."""
    u, v = first / np.linalg.norm(first), second
    w = third * np.linalg.norm(second)
    along = float(u @ v)
    if abs(along) > (1 - least) * np.linalg.norm(v):
        roots = np.array([along])
    else:
        (a, b), *_ = np.linalg.lstsq(np.stack([v, u], axis=1), w, rcond=None)
        if np.linalg.norm(w - a * v - b * u) > least * np.linalg.norm(w):
            return 0.0
        roots = np.roots([1.0, -a, -b])
    with np.errstate(divide="ignore"):
        exponents = 1 - 1 / roots
    return float(np.abs(exponents[np.real(exponents) > 0]).max(initial=0.0))
