# SPDX-License-Identifier: MIT
"""Diagonally implicit Runge-Kutta on  F(t, y, y′) = 0  with a pressure:   F(t₀ + cᵢh, Yᵢ, Zᵢ) = 0,   Yᵢ = y₀ + h Σ_{j<i} a_ij Z_j + hγ Zᵢ,   Z₁ = y′₀.

ESDIRK4(3)6L[2]SA, the implicit half of the additive scheme of Kennedy and Carpenter (Appl. Numer. Math. 44, 2003): order four, L-stable, γ = ¼ in all stages. One real matrix A(hγ) serves five stages and all of their
Newton iterations, where Radau IIA has one complex matrix for every two stages; its order is worth less the fewer digits are asked for. Algebraic unknowns are values of their stage, with no rates to be summed. The last
stage is the end of the step (stiffly accurate): constraints and conditions hold there. Rates of stages of order two miss D u′ = g′ by h², and their pressures with them: both are projected once the stages are found, so that a pressure is of the velocity's order. The error of moving components is that of the embedded formula of order three, filtered as in `radau`; the
error of a pressure is the last coefficient of its cubic through four stages, times how fast coefficients decay.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.polynomial import legendre

from lrfm.discretize.options import COSTS
from lrfm.integrate.schemes.additive import _cubic, tableau
from lrfm.integrate.schemes.radau import Iteration, Radau, StepResult
from lrfm.integrate.schemes.tableaus import Scheme, radau
from lrfm.integrate.state import IntegratorState
from lrfm.linalg.banded import Solve


def chosen(start: bool) -> tuple[int, ...]:
    """Stages that a cubic of algebraic unknowns goes through, in the order of their times: with the start of the step, or without it, where no data are given for them."""
    return (0, 2, 3, 5) if start else (2, 3, 4, 5)


@lru_cache(maxsize=4)
def cubic_through(stages: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Values at three Radau points of the cubic through values at some stages; and its last two Legendre coefficients."""
    to_legendre = np.linalg.inv(legendre.legvander(2 * tableau()[0][list(stages)] - 1, 3))
    return legendre.legvander(2 * radau(3).nodes - 1, 3) @ to_legendre, to_legendre[-2:]


# (discretization, times, y, y′) at the stages → the same with the pressures and rates that follow from the velocities.
Constrained = Callable[[Any, np.ndarray, np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True)
class Guess:
    """y′ and y of the step before, extended as far as that is a guess."""

    y: np.ndarray
    before: float
    ratio: float
    terms: np.ndarray

    @staticmethod
    def of(scheme: Scheme, state: IntegratorState, h: float) -> Guess:
        """For a step of length h."""
        if state.before is None:
            return Guess(state.y, h, 1.0, state.z[None])
        before, rates = state.before
        return Guess(state.y, before, h / before, scheme.beyond(rates, h / before))

    def rate(self, c: float) -> np.ndarray:
        """y′ at t₀ + ch."""
        return np.tensordot((self.ratio * c) ** np.arange(len(self.terms)), self.terms, axes=1)

    def value(self, c: float) -> np.ndarray:
        """y there."""
        orders = np.arange(1, len(self.terms) + 1)
        return self.y + self.before * np.tensordot((self.ratio * c) ** orders / orders, self.terms, axes=1)


class DiagonalRungeKutta(Radau):
    """Steps of ESDIRK4(3)6L[2]SA, kept as cubics; of statements whose components are their fields."""

    order = 3  # of the embedded formula
    words = "diagonally implicit Runge-Kutta, order 4 (3)"

    def __init__(self, constrained: Constrained):
        super().__init__(self.order)
        self.constrained = constrained

    def step(
        self,
        made: Any,
        pencil: Any,
        state: IntegratorState,
        length: float,
        iteration: Iteration,
    ) -> StepResult:
        """One attempt; iterations and rate of convergence are those of the slowest stage."""
        nodes, matrix, _, weights, lower = tableau()
        h, shift = length, length * float(matrix[-1, -1])
        solve, guess = pencil.factored(shift), Guess.of(self.scheme, state, h)
        own = np.ones(len(state.y), dtype=bool)
        own[made.system.algebraic] = False
        moving = own[:, None, None]
        ys, zs = [state.y], [np.where(moving, state.z, 0.0)]
        before = h if state.before is None else state.before[0]
        newton = Newton(made, solve, iteration, shift, min(1.0, iteration.known_rate * max(1.0, h / before)))
        with np.errstate(all="ignore"):
            for i in range(1, len(nodes)):
                c, last = float(nodes[i]), float(nodes[i - 1])
                summed = state.y + h * np.tensordot(matrix[i, :i], np.stack(zs), axes=1)
                base = np.where(moving, summed, guess.value(c) + ys[-1] - guess.value(last))
                z = np.where(moving, guess.rate(c) + zs[-1] - guess.rate(last), 0.0)
                found = newton.stage(state.time + c * h, base, z, len(nodes) - 1 - i)
                if found is None:
                    return StepResult.failed(newton.count, newton.rate)
                ys.append(base + shift * found)
                zs.append(np.where(moving, found, 0.0))
            gap = h * np.tensordot(weights - lower, np.stack(zs), axes=1)
            filtered = made.scatter(newton.solve(pencil.apply(made.gather(gap), 0)))
            times = state.time + nodes * h
            end = self.constrained(made, times, np.stack(ys), np.stack(zs))
            return self._result(made, state, h, *end, np.where(moving, filtered, 0.0), gap, newton)

    def _result(
        self,
        made: Any,
        state: IntegratorState,
        h: float,
        ys: np.ndarray,
        zs: np.ndarray,
        error: np.ndarray,
        gap: np.ndarray,
        newton: Newton,
    ) -> StepResult:
        """The step as rates at Radau points, and its errors."""
        hermite = _cubic()[0]
        ends = np.stack([ys[0], ys[-1], h * zs[0], h * zs[-1]])
        rates = np.tensordot(hermite, ends, axes=1) / h
        own, inverse = chosen(state.steps > 0), np.linalg.inv(self.scheme.matrix)
        for c in made.system.algebraic:
            values = ys[:, c]
            # Rates whose integrals from the start are its values at Radau points, whatever the value at the start is: `begun` extends them to there.
            there = np.tensordot(cubic_through(own)[0], values[list(own)], axes=1)
            rates[:, c] = np.tensordot(inverse, there - values[0], axes=1) / h
            # A value at the start that the step before left wrong is a kink, which no shorter step mends; it is in one of two cubics.
            error[c] = gap[c] = min(
                (_missed(made, values, among) for among in (chosen(True), chosen(False))),
                key=lambda m: float(made.norms(m)),
            )
        return StepResult(True, rates, ys[-1], error, gap, newton.most_counted, newton.worst)


def _missed(made: Any, values: np.ndarray, among: tuple[int, ...]) -> np.ndarray:
    """What a cubic through some stages leaves out: its last coefficient, times how fast coefficients decay."""
    before, end = np.tensordot(cubic_through(among)[1], values[list(among)], axes=1)
    sizes = made.norms(np.stack([before, end]))
    return end * min(1.0, sizes[1] / max(sizes[0], np.finfo(float).tiny))


class Newton:
    """Simplified Newton iterations of one stage after the other: what one shows of their rate of convergence serves the next.

    Rows are linearized anew at the iterate of a stage where the iterations that are left, of this stage and of those to come, would cost more than that does.
    """

    def __init__(self, made: Any, solve: Solve, iteration: Iteration, shift: float, rate: float):
        self.made, self.solve, self.shift = made, solve, shift
        self.norm, self.goal, self.most = iteration.norm, iteration.goal, iteration.most
        self.rate, self.worst, self.count, self.most_counted = rate, 0.0, 0, 0

    def stage(self, time: float, base: np.ndarray, z: np.ndarray, ahead: int) -> np.ndarray | None:
        """z with F(t, base + hγ z, z) = 0 from a guess, of a stage with so many `ahead`; None where iterations do not converge."""
        instant, last, anew = self.made.at(np.array([time])), None, False
        for count in range(1, 2 * self.most + 1):
            self.count = count
            residual = instant.residual((base + self.shift * z)[None], z[None])[0]
            if not np.isfinite(residual).all():
                self.rate = np.inf
                return None
            change = self.made.scatter(self.solve(-residual))
            size = self.norm(self.shift * change)
            if not math.isfinite(size):
                self.rate = np.inf
                return None
            if last is not None:
                self.rate = size / last if last > 0 else 0.0
                self.worst = max(self.worst, self.rate)
            left = size * (self.rate / (1 - self.rate) if self.rate < 0.5 else 1.0)
            if left <= self.goal:
                self.most_counted = max(self.most_counted, count)
                return z + change
            more = self._more(size) if last is not None else 0.0
            if more > self.most and anew:
                return None
            if not anew and more * (ahead + 1) > COSTS.implicit + 2 * (ahead + 1):
                anew, last = True, None
                self.solve = self.made.linearize(time, base + self.shift * z, z).factored(self.shift)
                continue
            z, last = z + change, size
        return None

    def _more(self, size: float) -> float:
        """Iterations after one with a change of some size, if they go on at this rate."""
        return math.log(self.goal / size) / math.log(self.rate) if self.rate < 1 else math.inf
