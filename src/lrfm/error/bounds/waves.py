# SPDX-License-Identifier: MIT
"""The energy estimate of a wave:  ∂ₜE ≤ μE + ‖ρ‖  for  v_tt = a v_xx + b v_x + c v − d v_t + ρ,  v or v_x zero at each end, or v periodic.

    E² = ‖v_t‖² + ∫ a v_x² + κ²‖v‖²,        ½ ∂ₜE² = ∫ v_t((b − a_x) v_x + (c + κ²) v − d v_t + ρ) + ½ ∫ a_t v_x²,

so that μ is the largest eigenvalue, over all places and times, of the form in (v_t, √a v_x, κ v) with the matrix

    −d                    ½(b − a_x)/√a     ½(c + κ²)/κ
    ½(b − a_x)/√a         ½ a_t/a           0
    ½(c + κ²)/κ           0                 0

(Evans, Partial Differential Equations, 7.2). ‖v‖ ≤ E/√(κ² + λ min a), with Poincaré's inequality λ‖v‖² ≤ ‖v_x‖² where v vanishes at an end. Each κ is a bound; the least one is taken.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from lrfm.error.bounds.energy import Energy, refused
from lrfm.error.bounds.walk import Norms, Walk
from lrfm.problem import Jet, Problem
from lrfm.problem.algebra import ONE, Symbol
from lrfm.problem.equation import full, inputs
from lrfm.problem.expression import derivative
from lrfm.problem.jets import GivenSymbol
from lrfm.problem.program import Program
from lrfm.rows.cell_steps import CellSteps

KAPPA = (0.0, 0.1, 1.0, 10.0)  # κ in units of one over the time span, beside the one of −c


@dataclass(frozen=True)
class WaveRate:
    """μ by κ, and the least a."""

    growth: tuple[float, ...]
    least: float
    kappas: tuple[float, ...]

    def shared(self, part: float) -> tuple[float, float]:
        """μ by κ; no diffusion is left for anything."""
        return self.growth[self.kappas.index(part)], 0.0


class WaveEnergy(Energy):
    """a, b, c, d of one real unknown of second order in time."""

    order = 2

    def __init__(self, problem: Problem):
        super().__init__(problem)
        if len(self.fields) != 1 or not problem.rows[0].linear:
            raise refused("several unknowns, or a nonlinear one, are of second order in time.")
        for end in self.ends:
            if np.all(end.matrix != 0) or len(end.rows) != 1:
                raise refused("a wave has other conditions than u or u_x at an end.")
        (diffusion,) = self._matrix(problem.rows, (2, 0))
        moved = derivative(diffusion, {Symbol(problem.coordinates[-1]): ONE})
        self._beside = Program([moved, *self._matrix(problem.rows, (0, 1))])
        self._given = [s for s in self._beside.symbols if isinstance(s, GivenSymbol)]
        start, end = problem.time
        self.kappas = tuple(k / (end - start) for k in KAPPA)
        held = sum(end.held for end in self.ends)
        self.drawn = (0.0, math.pi / (2 * (self.high - self.low)), math.pi / (self.high - self.low))[held]
        self._mass(problem)

    def _mass(self, problem: Problem) -> None:
        """κ² = −c beside the others: that of a Klein-Gordon equation keeps its energy."""
        points = np.column_stack([np.linspace(self.low, self.high, 33), np.full(33, problem.time[0])])
        c = -float(np.mean(self.at(points).c))
        if c > 0:
            self.kappas = (*self.kappas, math.sqrt(c))

    def wave_rate(self, points: np.ndarray) -> WaveRate:
        """What E grows by, for each κ."""
        found = self.at(points)
        values = self._beside(inputs(self.problem.coordinates, self._given, points, {}))
        a_t, damping = (-self.solved[0, 0] * full(v, points) for v in values)
        a, b, c, a_x = (m[:, 0, 0] for m in (found.a, found.b, found.c, found.a_x))
        if np.min(a) <= 0:
            raise refused("the square of the speed is not positive.")
        growth = []
        for kappa in self.kappas:
            form = np.zeros((len(points), 3, 3))
            form[:, 0, 0], form[:, 1, 1] = damping, 0.5 * a_t / a
            form[:, 0, 1] = form[:, 1, 0] = 0.5 * (b - a_x) / np.sqrt(a)
            if kappa:
                form[:, 0, 2] = form[:, 2, 0] = 0.5 * (c + kappa**2) / kappa
            elif np.any(c):
                growth.append(math.inf)
                continue
            growth.append(float(np.max(np.linalg.eigvalsh(form))))
        return WaveRate(tuple(growth), float(np.min(a)), self.kappas)


class WaveWalk(Walk):
    """The energy estimate of a wave along the steps of a piece."""

    energy: WaveEnergy

    def __init__(self, energy: WaveEnergy, piece: CellSteps):
        super().__init__(energy, piece)
        (name,) = energy.fields
        self.states = [Jet(name, (0, 1)), Jet(name, (1, 0)), Jet(name, (0, 0))]
        self.jets = list(dict.fromkeys([*self.jets, *self.states]))

    def _rate(self, step: int) -> WaveRate:
        return self.energy.wave_rate(self._with_ends(step))

    def _given(self, points: np.ndarray) -> dict[Jet, np.ndarray]:
        name = self.energy.fields[0]
        value, rate = (self.energy.problem.initial_data[name, n] for n in (0, 1))
        slope = value.derivative((1, 0))
        if slope is None:
            raise refused("initial data are a Python function, whose slope is not known.")
        return dict(zip(self.states, (d.part(points, name) for d in (rate, slope, value)), strict=True))

    def _size(self, points: np.ndarray, weights: np.ndarray, apart: Mapping[Jet, np.ndarray]) -> np.ndarray:
        """‖v_t‖², ∫ a v_x², ‖v‖²."""
        speeds = np.ones(len(points)), self.energy.at(points).a[:, 0, 0], np.ones(len(points))
        return np.array([weights @ (s * apart[jet] ** 2) for s, jet in zip(speeds, self.states, strict=True)])

    def _least(self, steps: Sequence[tuple[np.ndarray, WaveRate, Norms]]) -> float:
        """The least bound, by κ."""
        drawn = self.energy.drawn * math.sqrt(min(rate.least for _, rate, _ in steps))
        found = [math.inf]
        for kappa in self.energy.kappas:
            if kappa or drawn:
                counted = [
                    (math.sqrt(g[0] + g[1] + kappa**2 * g[2]), rate, norms) for g, rate, norms in steps
                ]
                found.append(self._grown(counted, kappa) / math.hypot(kappa, drawn))
        return min(found)
