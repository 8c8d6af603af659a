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

from lrfm.discretize.options import SAFEGUARDS
from lrfm.integrate.schemes.additive import tableau
from lrfm.integrate.schemes.radau import Iteration, Radau, StepResult
from lrfm.integrate.schemes.tableaus import Scheme, radau
from lrfm.integrate.state import IntegratorState
from lrfm.linalg.banded import Solve

STAGES = 4  # Radau points at which rates are kept, cubics: steps are quartics
EPS, TINY = float(np.finfo(float).eps), float(np.finfo(float).tiny)


def chosen(start: bool) -> tuple[int, ...]:
    """Stages that a cubic of algebraic unknowns goes through, in the order of their times: with the start of the step, or without it, where no data are given for them."""
    return (0, 2, 3, 5) if start else (2, 3, 4, 5)


@lru_cache(maxsize=4)
def cubic_through(stages: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Values at the Radau points of the cubic through values at some stages; and its last two Legendre coefficients."""
    to_legendre = np.linalg.inv(legendre.legvander(2 * tableau()[0][list(stages)] - 1, 3))
    return legendre.legvander(2 * radau(STAGES).nodes - 1, 3) @ to_legendre, to_legendre[-2:]


@lru_cache(maxsize=1)
def halfway() -> np.ndarray:
    """b with  y(t₀ + h/2) = y₀ + h Σ bᵢ y′ᵢ  of order four:  Σ bᵢ cᵢᵏ = (½)^(k+1)/(k+1),  Σ b A c² = (½)⁴/12, all there is to ask where A c = c²/2; the least of those b.

    For y′ = iωy with five and a half steps a period it misses 4e-4, the end of a step 1.5e-3, a cubic by values and rates at both ends 4e-3.
    """
    nodes, matrix = tableau()[:2]
    rows = [*(nodes**k for k in range(4)), matrix @ nodes**2]
    wanted = [*(0.5 ** (k + 1) / (k + 1) for k in range(4)), 0.5**4 / 12]
    return np.linalg.lstsq(np.array(rows), np.array(wanted), rcond=None)[0]


@lru_cache(maxsize=16)
def understated(budget: float) -> float:
    """|R(iz) − e^{iz}| / |R̂(iz)|,  R the step of y′ = iωy, R̂ what the embedded formula takes for its error, at the z = ωh at which the step misses a budget.

    They fall with z⁵ and z⁴, and are the same at z = 0.27, where both are 1e-6: two digits are asked for at z = 1.2, where the embedded formula says a fourth of what a step misses.
    """
    nodes, matrix, _, weights, lower = tableau()

    def both(z: float) -> tuple[float, float]:
        stages = np.linalg.solve(np.eye(len(nodes)) - 1j * z * matrix, np.ones(len(nodes)))
        told = 1j * z * (weights - lower) @ stages / (1 - 1j * z * matrix[-1, -1])
        return abs(stages[-1] - np.exp(1j * z)), abs(told)

    low, high = 0.0, math.pi
    for _ in range(SAFEGUARDS.halvings):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if both(middle)[0] > budget else (middle, high)
    found, told = both(high)
    return max(1.0, float(found / told))


@lru_cache(maxsize=1)
def quartic() -> np.ndarray:
    """Rates at the Radau points of the quartic by (y₀, y₁, h y′₀, h y′₁, y_½)."""
    tau = radau(STAGES).nodes
    bump = 32 * tau * (1 - tau) * (1 - 2 * tau)  # the rate of 16 τ² (1 − τ)², which is one halfway
    ends = 6 * tau * (1 - tau)
    table = [-ends - bump / 2, ends - bump / 2, 1 - 4 * tau + 3 * tau**2 - bump / 8, 3 * tau**2 - 2 * tau + bump / 8, bump]  # fmt: skip
    return np.stack(table, axis=1)


def nearby(nodes: np.ndarray, stage: int) -> list[tuple[int, float]]:
    """The parabola through the start and the two stages that are nearest in time, of those before a stage, at its time: their numbers and weights.

    What a guess from the step before misses is nothing at the start, and smooth: 28 iterations a step of a wake where the next stage was taken to miss what the last one does, 22 with the polynomial through all of them, 18 so.
    """
    near = sorted({0, *np.argsort(np.abs(nodes[:stage] - nodes[stage]))[:2].tolist()})
    at, c = nodes[stage], nodes[near]
    return [
        (j, float(np.prod([(at - other) / (c[k] - other) for other in np.delete(c, k)])))
        for k, j in enumerate(near)
    ]


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
    """Steps of ESDIRK4(3)6L[2]SA, kept as quartics, pressures as cubics; of statements whose components are their fields."""

    order = 3  # of the embedded formula
    words = "diagonally implicit Runge-Kutta, order 4 (3)"

    def __init__(self, constrained: Constrained, budget: float = 0.0):
        super().__init__(STAGES)
        self.constrained, self.budget = constrained, budget

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
        # Newton's method takes a matrix of another time anyway: single precision is as good.
        solve, guess = pencil.factored(shift, np.float32), Guess.of(self.scheme, state, h)
        own = np.ones(len(state.y), dtype=bool)
        own[made.system.algebraic] = False
        moving = own[:, None, None]
        ys, zs = [state.y], [np.where(moving, state.z, 0.0)]
        before = h if state.before is None else state.before[0]
        newton = Newton(made, solve, iteration, shift, min(1.0, iteration.known_rate * max(1.0, h / before)))
        with np.errstate(all="ignore"):
            for i in range(1, len(nodes)):
                c, near = float(nodes[i]), nearby(nodes, i)
                summed = state.y + h * np.tensordot(matrix[i, :i], np.stack(zs), axes=1)
                missed = sum(w * (ys[j] - guess.value(float(nodes[j]))) for j, w in near)
                base = made.predicted(np.where(moving, summed, guess.value(c) + missed))
                missed = sum(w * (zs[j] - guess.rate(float(nodes[j]))) for j, w in near)
                z = np.where(moving, guess.rate(c) + missed, 0.0)
                found = newton.stage(state.time + c * h, base, z)
                if found is None:
                    return StepResult.failed(newton.count, newton.rate)
                ys.append(base + shift * found)
                zs.append(np.where(moving, found, 0.0))
            gap = h * np.tensordot(weights - lower, np.stack(zs), axes=1)
            filtered = understated(self.budget) * made.scatter(
                newton.solve(pencil.apply(made.gather(gap), 0))
            )
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
        middle = ys[0] + h * np.tensordot(halfway(), zs, axes=1)
        known = np.stack([ys[0], ys[-1], h * zs[0], h * zs[-1], middle])
        rates = np.tensordot(quartic(), known, axes=1) / h
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
        return StepResult(True, rates, ys[-1], error, gap, newton.most_counted, newton.shown)


def _missed(made: Any, values: np.ndarray, among: tuple[int, ...]) -> np.ndarray:
    """What a cubic through some stages leaves out: its last coefficient, times how fast coefficients decay."""
    before, end = np.tensordot(cubic_through(among)[1], values[list(among)], axes=1)
    sizes = made.norms(np.stack([before, end]))
    return end * min(1.0, sizes[1] / max(sizes[0], np.finfo(float).tiny))


class Mixing:
    """What is added to an iterate of  z ← z + f(z)  so that least is left of f, were it linear:  f − Σ γ_j (Δz_j + Δf_j)  with  ‖f − Σ γ_j Δf_j‖ → min  over the last iterates.

    Anderson (J. ACM 12, 1965); it is GMRES where f is linear (Walker, Ni, SIAM J. Numer. Anal. 49, 2011). What convection adds to a matrix of another time has few large eigenvalues. Stages have nearly the same f
    up to a constant, so that each begins with what those before it have shown. Norms are relative to the first change of each field.
    """

    def __init__(self, made: Any, most: int):
        self.made, self.most = made, most
        self.scale: np.ndarray | None = None
        self.moves: list[tuple[np.ndarray, np.ndarray]] = []

    def __call__(
        self, z: np.ndarray, change: np.ndarray, before: tuple[np.ndarray, np.ndarray] | None
    ) -> np.ndarray:
        """What is added to z, with f(z) = `change`, after an iterate of the same stage and its f, if there is one."""
        if self.scale is None:
            sizes = self.made.norms(change)
            own = np.divide(1.0, sizes, out=np.zeros_like(sizes), where=sizes > 0)
            self.scale = own[:, None, None] * np.sqrt(self.made.shares)[:, None]
        if before is not None:
            self.moves = [*self.moves[1 - self.most :], (z - before[0], change - before[1])]
        if not self.moves:
            return change
        table = np.column_stack([(self.scale * f).ravel() for f in (*(f for _, f in self.moves), change)])
        # Normal equations in units of the columns: what is a root of precision apart is one direction for a mixture.
        products = table.T @ table
        unit = 1 / np.sqrt(np.maximum(np.diagonal(products), TINY))
        products *= unit[:, None] * unit
        found = np.linalg.lstsq(products[:-1, :-1], products[:-1, -1], rcond=len(table) * EPS)[0]
        parts = found * unit[:-1] / unit[-1]
        return change - sum(c * (dz + df) for c, (dz, df) in zip(parts, self.moves, strict=True))


class Newton:
    """Simplified Newton iterations, mixed, of one stage after the other: what those before it have shown of their rate of convergence is trusted where a stage has shown nothing yet.

    Rows are linearized anew, once within a stage, at its iterate where so many iterations as are tried with one matrix were not enough; the rate at the place of linearization says nothing about other stages.
    A rate that an earlier step has shown is trusted in one step: trusted by all that followed with the same matrix, it left 0.8 of a budget to the iterations of a wake, and steps were a third as long.
    """

    def __init__(self, made: Any, solve: Solve, iteration: Iteration, shift: float, rate: float):
        self.made, self.solve, self.shift = made, solve, shift
        self.norm, self.goal, self.most = iteration.norm, iteration.goal, iteration.most
        self.rate, self.worst, self.count, self.most_counted = rate, 0.0, 0, 0
        self.measured, self.mixed = False, Mixing(made, self.most)

    @property
    def shown(self) -> float:
        """The slowest rate that a stage has shown; one where none has."""
        return self.worst if self.measured else 1.0

    def stage(self, time: float, base: np.ndarray, z: np.ndarray) -> np.ndarray | None:
        """z with F(t, base + hγ z, z) = 0 from a guess; None where iterations do not converge."""
        instant, before, last, rate = self.made.at(np.array([time])), None, None, self.rate
        for count in range(1, 2 * self.most + 1):
            self.count = count
            residual = instant.residual((base + self.shift * z)[None], z[None])[0]
            change = self.made.scatter(self.solve(-residual))
            size = self.norm(self.shift * change)
            if not math.isfinite(size):
                self.rate = np.inf
                return None
            if last is not None:
                rate = size / last if last > 0 else 0.0
                self.worst, self.measured = max(self.worst, rate), True
            if rate < 1 and size * rate / (1 - rate) <= self.goal:
                self.most_counted = max(self.most_counted, count)
                known = self.rate if self.rate < 1 else 0.0
                self.rate = 1.0 if count > self.most else max(rate, known)
                return z + self.mixed(z, change, before)
            if count == self.most:
                self.mixed, before, last, rate = Mixing(self.made, self.most), None, None, 1.0
                self.solve = self.made.linearize(time, base + self.shift * z, z).factored(self.shift)
                continue
            more = self.mixed(z, change, before)
            before, last, z = (z, change), size, z + more
        self.rate = self.worst
        return None
