# SPDX-License-Identifier: MIT
"""Radau IIA on  F(t, y, y′) = 0:   F(t₀ + cᵢh, Yᵢ, Y′ᵢ) = 0,   Yᵢ = y₀ + h Σ_j a_ij Y′_j.

The unknowns are the rates of the last component of each field; chains u, u_t, … follow by integration. Simplified Newton: with A = S diag(λ) S⁻¹ the matrix of all stages
splits into A(hλ), one per eigenvalue. The error in time is told from the distance to the embedded formula of order K,

    ŷ − y₁ = h (γ₀ y′₀ + Σ dᵢ Y′ᵢ),   filtered:   A(hγ₀)⁻¹ B₀ (ŷ − y₁),   γ₀ the real eigenvalue of A

(Hairer, Wanner, Solving Ordinary Differential Equations II, IV.8), in which what the step itself damps does not count. The solution is the polynomial of collocation: where it is smooth its error within a step is of the same
order as that of the embedded formula, and the part c_K of it: 0.14, 0.10 and 0.09 with three, five and seven stages. At the end of a step it is far smaller, but for waves that a step does not resolve (0.4 of the
embedded formula's for five stages and an imaginary eigenvalue): c_K counts where equations damp these.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.polynomial import legendre

from lrfm.discretize.options import ROUNDING
from lrfm.integrate.schemes.tableaus import PlainSteps, Scheme, radau
from lrfm.integrate.state import IntegratorState
from lrfm.linalg.banded import Solve

Norm = Callable[[np.ndarray], float]
Rates = Callable[[Any, float, np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Iteration:
    """How the equations of a step are solved: by at most so many iterations, until what is left of their changes is below a goal.

    Parameters
    ----------
    norm, goal
        Measure of a change of y at the stages, relative to the sizes of the fields, and what it has to be below.
    most
        Iterations with one matrix, at the most.
    known_rate
        Rate of convergence of the step before with the same matrix; one where it is not known.
    """

    norm: Norm
    goal: float
    most: int
    known_rate: float = 1.0


@dataclass(frozen=True)
class StepResult:
    """What one attempt at a step came to."""

    converged: bool
    rates: np.ndarray = field(repr=False)  # of all components at the stages
    end: np.ndarray = field(repr=False)  # y at the end
    error: np.ndarray = field(repr=False)  # of each component at the end, coefficients
    inside: np.ndarray = field(
        repr=False
    )  # the same before it was filtered: what the polynomial in time may miss within the step
    iterations: int = 0
    rate: float = 0.0  # of convergence, as far as it is known
    squares: np.ndarray | None = field(
        default=None, repr=False
    )  # ∫ ‖y‖² dt by component, where the two ends do not tell
    exact: bool = False  # the end is right whatever is missed within the step
    part: float = 1.0  # of the error that counts where the solution is smooth

    @staticmethod
    def failed(iterations: int, rate: float) -> StepResult:
        """A step whose equations were not solved; the rate says how fast Newton's method went astray."""
        nothing = np.empty(0)
        return StepResult(False, nothing, nothing, nothing, nothing, iterations, rate)


def few(length: float, sizes: int, unit: float = 1.0) -> float:
    """The next smaller step size 2^(j/n) in some unit, of which a time span is a whole multiple: what is made for each is made seldom."""
    if not 0 < length < math.inf:
        return length
    return unit * 2.0 ** (math.floor(math.log2(length / unit) * sizes + ROUNDING.zero) / sizes)


@lru_cache(maxsize=16)
def embedded(stages: int) -> tuple[float, np.ndarray]:
    """γ₀ and d: Σ (bᵢ + dᵢ) cᵢ^(k−1) = 1/k − γ₀ [k = 1] for k ≤ K."""
    scheme = radau(stages)
    real = scheme.eigenvalues[np.argmin(np.abs(np.imag(scheme.eigenvalues)))].real
    powers = scheme.nodes[None, :] ** np.arange(stages)[:, None]
    wanted = 1.0 / np.arange(1, stages + 1)
    wanted[0] -= real
    return float(real), np.linalg.solve(powers, wanted) - scheme.weights


@lru_cache(maxsize=16)
def within(stages: int) -> float:
    """c_K = ‖∫₀^τ q‖ / 2γ₀,  q = P_K − P_{K−1} on the step, the norm a root mean square over it: of the first term that collocation misses, the error within a step over that of the embedded formula.

    q is zero at all nodes and has the mean zero, so that collocation sees nothing of y′ = q, and the embedded formula γ₀ q(0) = ∓2γ₀.
    """
    missed = np.zeros(stages + 1)
    missed[-2:] = -1.0, 1.0
    inside = 0.5 * legendre.legint(missed, lbnd=-1)
    return math.sqrt(float(np.sum(inside**2 / (2 * np.arange(len(inside)) + 1)))) / (2 * embedded(stages)[0])


def complete(
    discretization: Any, start: np.ndarray, rates: np.ndarray, integral: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """y and y′ of all components at the stages from the rates of the last ones; `integral` is h A."""
    system = discretization.system
    if not system.links:
        # Fields and components are the same, all rates at once.
        return start + (integral @ rates.reshape(len(rates), -1)).reshape(rates.shape), rates
    shape = (len(rates), *start.shape)
    y, z = np.empty(shape), np.empty(shape)
    for c in reversed(range(len(system.components))):
        z[:, c] = rates[:, system.last.index(c)] if c in system.last else y[:, c + 1]
        y[:, c] = start[c] + (integral @ z[:, c].reshape(len(rates), -1)).reshape(y[:, c].shape)
    return y, z


class Radau(PlainSteps):
    """Steps of Radau IIA with K stages; of sizes 2^(j/n) times a unit where matrices are kept by them, else of any size.

    Where matrices leave terms out (`whole` is false), the rate of convergence of the step before, of another size, says nothing about the next one. Where the `duration` T of the run is given, the error of
    a multiplier, which is of its step alone, counts for a part h/T of the time. `anew` gives rates after a change of the space, where those that were moved are not rates of the new one: the embedded formula would take the difference for an error.

    With `settles` the first step in another space filters its error twice, as RADAU5 does with a first step (Hairer, Wanner, IV.8.20). What the old space had left out is damped in it, and the embedded formula, filtered once, leaves as much of
    that for short steps as for long ones: no shorter step mends it, and it was counted as an error of space.
    """

    def __init__(
        self,
        stages: int,
        sizes: int = 0,
        unit: float = 1.0,
        anew: Rates | None = None,
        whole: bool = True,
        duration: float = 0.0,
        safety: float = 1.0,
        settles: bool = False,
    ):
        self.scheme: Scheme = radau(stages)
        self.sizes, self.unit = sizes, unit
        self.anew, self.whole, self.duration, self.safety = anew, whole, duration, safety
        self.settles = settles
        self._fresh: tuple[np.ndarray, np.ndarray] | None = None
        self._beyond: tuple[np.ndarray, float, np.ndarray] | None = None

    def quantized(self, length: float) -> float:
        """Any step size will do, or the next smaller one of those that are few."""
        # What the controller asks for is shorter by its safety factor than what the error allows; a repeated step is yet shorter.
        return (
            few(length / self.safety * (1 - ROUNDING.zero), self.sizes, self.unit) if self.sizes else length
        )

    def step(
        self,
        made: Any,
        pencil: Any,
        state: IntegratorState,
        length: float,
        iteration: Iteration,
    ) -> StepResult:
        """One attempt by the simplified Newton method."""
        scheme, h, norm, goal = self.scheme, length, iteration.norm, iteration.goal
        if self.anew is not None and state.steps and state.time == state.regridded:
            if self._fresh is None or self._fresh[0] is not state.y:
                self._fresh = state.y, self.anew(made, state.time, state.y)
            state = replace(state, z=self._fresh[1])
        times = state.time + h * scheme.nodes
        rates, known_rate = self._predicted(made, state, h), min(iteration.known_rate, pencil.rate)
        needed = lambda parts: goal / max(norm(h * made.scatter(scheme.join(parts))), goal)  # noqa: E731
        shifts, together = h * scheme.eigenvalues, getattr(pencil, "together", None)
        solve = one_by_one(pencil, shifts) if together is None else together(with_kinds(shifts), needed)
        # Means and values in formulas are in no norm: what they change in u shows one iteration later.
        trusted = self.whole and not made.auxiliary
        # A rate was shown by another step: it grows with the length of steps and with the way from where rows were linearized, and is trusted once. Rows that stay the same keep it.
        if made.system.linear and made.system.stationary:
            rate = known_rate
        else:
            rate, before = 1.0, h if state.before is None else state.before[0]
            known_rate *= max(1.0, h / before)
        last, converged, count = None, False, 0
        instants, integral = made.at(times), h * scheme.matrix
        with np.errstate(all="ignore"):
            for count in range(1, iteration.most + 1):
                y, z = complete(made, state.y, rates, integral)
                r = instants.residual(y, z)
                if not np.isfinite(r).all():
                    return StepResult.failed(count, np.inf)
                change = made.scatter(scheme.join(solve(scheme.split(-r))))
                rates = rates + change
                size = norm(h * change)
                if not math.isfinite(size):
                    return StepResult.failed(count, np.inf)
                if last is not None:
                    rate = size / last if last > 0 else 0.0
                    if rate >= 1 and size > goal:
                        return StepResult.failed(count, rate)
                expected = rate if last is not None else known_rate if trusted else 1.0
                left = size * (expected / (1 - expected) if expected < 0.5 else 1.0)
                if left <= goal:
                    converged = True
                    break
                last = size
            if not converged:
                return StepResult.failed(count, rate)
            y, z = complete(made, state.y, rates, integral)
            error, inside = self._error(made, pencil, state, z, h)
            if self.duration:
                error[made.system.multipliers] *= math.sqrt(h / self.duration)
        part = within(scheme.stages) if made.system.forgets else 1.0
        return StepResult(True, z, y[-1], error, inside, count, rate, part=part)

    def middle(self, state: IntegratorState, length: float) -> tuple[float, np.ndarray, np.ndarray]:
        """The middle of the step, on the polynomial of the step before: there the matrix is nearest to those of all stages."""
        time = state.time + 0.5 * length
        if state.before is None:
            return time, state.y, state.z
        before, rates = state.before
        part, orders = 0.5 * length / before, np.arange(len(rates))
        terms = self._extended(rates, 2 * part)
        powers = part ** (orders + 1) / (orders + 1), part**orders
        moved, rate = np.stack([before * powers[0], powers[1]]) @ terms.reshape(len(terms), -1)
        return time, state.y + moved.reshape(state.y.shape), rate.reshape(state.z.shape)

    def begun(
        self, made: Any, start: np.ndarray, rates: np.ndarray, length: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """The first step as it is kept: algebraic unknowns at the start are extended from its stages, since no data are given for them."""
        scheme, start, rates = self.scheme, start.copy(), rates.copy()
        for c in made.system.algebraic:
            values = start[c] + length * np.tensordot(scheme.matrix, rates[:, c], axes=1)
            flat = values.reshape(len(values), -1)
            start[c] = scheme.extended(flat, np.zeros(1)).reshape(start[c].shape)
            rates[:, c] = np.tensordot(np.linalg.inv(length * scheme.matrix), values - start[c], axes=1)
        return start, rates

    def _predicted(self, made: Any, state: IntegratorState, h: float) -> np.ndarray:
        """Rates of the last components: those of the step before, extended as far as that is a guess."""
        last = made.system.last
        if state.before is None:
            return np.repeat(state.z[None, last], self.scheme.stages, axis=0)
        length, rates = state.before
        own = rates[:, last] if made.system.links else rates
        ratio = h / length
        powers = (ratio * self.scheme.nodes)[:, None] ** np.arange(len(own))
        found = powers @ self._extended(own, ratio).reshape(len(own), -1)
        return made.predicted(found.reshape(own.shape))

    def _extended(self, rates: np.ndarray, ratio: float) -> np.ndarray:
        """Taylor's terms of the step before, for one that is so many times as long: the middle of a step and its stages share them."""
        known = self._beyond
        if known is None or known[0] is not rates or known[1] != ratio:
            self._beyond = known = rates, ratio, self.scheme.beyond(rates, ratio)
        return known[2]

    def _error(
        self,
        made: Any,
        pencil: Any,
        state: IntegratorState,
        z: np.ndarray,
        h: float,
    ) -> tuple[np.ndarray, np.ndarray]:
        """ŷ − y₁ of every component, filtered by the matrix of the step, and as it is."""
        system, (gamma, weights) = made.system, embedded(self.scheme.stages)
        delta = gamma * state.z + (weights @ z.reshape(len(z), -1)).reshape(state.z.shape)
        if not system.links:
            # Fields and components are the same.
            filtered = pencil.roughly(h * gamma)
            found = filtered(pencil.apply(made.gather(delta), 0))
            if self.settles and state.steps and state.time == state.regridded:
                found = filtered(pencil.apply(found, 0))
            return h * made.scatter(found), h * delta
        right = pencil.apply(made.gather(delta[system.last]), 0)
        lower = {c: c + 1 for c in system.links}
        before = np.zeros_like(delta[system.last])
        for i, c in enumerate(system.last):
            if c - 1 in lower:
                before[i] = delta[c - 1]
        right -= h * gamma * pencil.apply(made.gather(before), 2)
        found = pencil.roughly(h * gamma)(right)
        error = np.zeros_like(delta)
        error[system.last] = h * made.scatter(found)
        for c in sorted(lower, reverse=True):
            error[c] = h * delta[c] + h * gamma * error[c + 1]
        return error, h * delta


def with_kinds(shifts: np.ndarray) -> list[complex]:
    """Real numbers among complex ones as such: they have real factors."""
    return [complex(s) if s.imag else float(s.real) for s in shifts]


def one_by_one(pencil: Any, shifts: np.ndarray) -> Solve:
    """A(s_k)⁻¹ of several complex right sides, one for each shift; a real shift has real factors."""
    solves = []
    for shift in with_kinds(shifts):
        solves.append((pencil.at(shift), isinstance(shift, float)))

    def solve(right: np.ndarray) -> np.ndarray:
        found = np.empty(right.shape, complex)
        for k, (own, real) in enumerate(solves):
            found[k] = own(np.ascontiguousarray(right[k].real) if real else right[k])
        return found

    return solve
