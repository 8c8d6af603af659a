# SPDX-License-Identifier: MIT
"""How far a solution strays from what its equations conserve or dissipate: a lower bound of its relative error.

    linear   |Q(t) − Q(t₀)| = |∫ Σ α δu| ≤ ‖α‖ √|Ω| ‖δu‖      →  drift = rms_t |Q − Q₀| / (‖α‖ √|Ω| rms_t ‖u‖)
             (second order in time: ∫ Σ α u grows linearly, Q₀ + (t − t₀) Q₀′)
    square   |√Q(t) − √Q(t₀)| ≤ ‖δu‖                          →  drift = rms_t |√Q − √Q₀| / rms_t √Q
    energy   the same, with the largest ½ ‖∂ₜu‖² + |P| in place of Q: under a load the two cancel
    dissipated: the same with the rise of Q above its least value before.

Integrals are taken with n and n/2 nodes per axis; BLUR times what the two differ by is no drift.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

from lrfm.error.invariants.quantities import PATH, WEIGHTS, Flow, Quantity, quantities
from lrfm.error.marks import marks, panels
from lrfm.linalg.deadline import check_deadline
from lrfm.problem import Jet, Problem
from lrfm.problem.shapes.gauss import legendre
from lrfm.rows.pieces import Piece, carried_along, grid_values, on_grids, travels, values_at

TIMES = 9
POINTS = 12_000  # of all times together
NODES = 256  # per axis at most
BLUR = 5.0
PRODUCED = 1e-6  # part of ∫ |u R| from which ∫ u R > 0 is no rounding


def drifts(problem: Problem, pieces: Sequence[Piece]) -> dict[str, float]:
    """Drift of every quantity the equations keep or let decay, by its name."""
    found = quantities(problem)
    if not found:
        return {}
    times = np.linspace(problem.time[0], pieces[-1].window[1], TIMES)
    count = max(8, min(NODES, int((POINTS / TIMES) ** (1.0 / problem.domain.dimension)))) // 2 * 2
    rates = any(q.kind == "energy" or not q.conserved for q in found)
    fine, coarse = (_Grid(problem, pieces, times, n, rates) for n in (count, count // 2))
    return {q.name: _drift(q, fine, coarse) for q in found if q.conserved or not fine.produces(q)}


class _Grid:
    """Values of a solution on a quadrature grid at some times."""

    def __init__(self, problem: Problem, pieces: Sequence[Piece], times: np.ndarray, count: int, rates: bool):
        self.problem, self.flow, box = problem, Flow(problem), problem.domain
        near = marks(problem)[:-1] if box.dimension == 1 else ((),) * box.dimension
        rules = [
            _rule(*box.axes[name], count, name in problem.periodic, places)
            for name, places in zip(box.names, near, strict=True)
        ]
        nodes = [nodes for nodes, _ in rules]
        mesh = np.meshgrid(*nodes, indexing="ij")
        self.places = np.column_stack([m.ravel() for m in mesh])
        self.weights = np.ones(1)
        for _, weights in rules:
            self.weights = np.outer(self.weights, weights).ravel()
        zeros = (0,) * box.dimension
        self.u = [Jet(field, (*zeros, 0)) for field in problem.fields]
        self.v = [Jet(field, (*zeros, 1)) for field in problem.fields]
        wanted = {*self.u, *(self.flow.jets if rates else ()), *(self.v if self.flow.order == 2 else ())}
        self.times = times
        # All times at once: what depends on the place is then shared by several of them.
        self.points = np.column_stack(
            [np.tile(self.places, (len(times), 1)), np.repeat(times, len(self.places))]
        )
        check_deadline()
        self.points = carried_along(pieces, self.points)
        if box.is_box and not travels(pieces) and on_grids(pieces):
            values = grid_values(pieces, sorted(wanted), nodes, times)
        else:
            values = values_at(pieces, sorted(wanted), self.points)
        self.jets = {jet: value.reshape(len(times), -1) for jet, value in values.items()}

    def _state(self, jets: Sequence[Jet]) -> np.ndarray:
        return np.stack([self.jets[jet] for jet in jets], axis=1)

    def _rates(self, jets: Mapping[Jet, np.ndarray]) -> np.ndarray:
        """R of all fields at all times, (fields, times, places)."""
        R = self.flow(self.points, {jet: value.ravel() for jet, value in jets.items()})
        return R.reshape(len(R), len(self.times), -1)

    def integrals(self, quantity: Quantity) -> np.ndarray:
        """Q at all times."""
        total = lambda state: np.einsum("tfn,f,n->t", state, np.array(quantity.factors), self.weights)  # noqa: E731
        if quantity.kind == "linear":
            Q = total(self._state(self.u))
            return (
                Q - (self.times - self.times[0]) * total(self._state(self.v))[0]
                if self.flow.order == 2
                else Q
            )
        if quantity.kind == "square":
            return total(self._state(self.u) ** 2)
        return self._motion() + self._potential

    def _motion(self) -> np.ndarray:
        """½ Σ ∫ (∂ₜu_f)²."""
        return 0.5 * np.einsum("tfn,n->t", self._state(self.v) ** 2, self.weights)

    @cached_property
    def _potential(self) -> np.ndarray:
        """P(u) = −∫₀¹ Σ ∫ u_f R_f(su) ds dx."""
        still = {jet: (0 if jet.index[-1] else 1) * self.jets[jet] for jet in self.flow.jets}
        total = np.zeros(len(self.times))
        for s, weight in zip(PATH, WEIGHTS, strict=True):
            check_deadline()
            R = self._rates({jet: s * value for jet, value in still.items()})
            for i, j in enumerate(self.u):
                total -= weight * ((self.jets[j] * R[i]) @ self.weights)
        return total

    def produces(self, quantity: Quantity) -> bool:
        """Whether the equations, at the solution itself, let a dissipated quantity rise: trial functions had not shown it."""
        R, work, size = self._rates(self.jets), np.zeros(len(self.times)), np.zeros(len(self.times))
        for i, (f, j) in enumerate(zip(quantity.factors, self.u, strict=True)):
            power = self.jets[j] * R[i]
            work, size = work + f * power @ self.weights, size + np.abs(power) @ self.weights
        return bool(np.any(work > PRODUCED * size))

    def size(self, quantity: Quantity) -> float:
        """rms in time of ‖u‖ over the fields that occur in a quantity."""
        occurs = np.array(quantity.factors) != 0
        squares = np.einsum("tfn,f,n->t", self._state(self.u) ** 2, occurs, self.weights)
        return float(np.sqrt(np.mean(squares)))

    def largest(self, quantity: Quantity) -> float:
        """The largest Q; of an energy, which a load or a well may make zero, that of its parts, each by its size."""
        if quantity.kind == "energy":
            return float((self._motion() + np.abs(self._potential)).max())
        return float(np.abs(self.integrals(quantity)).max())


def _rule(
    low: float, high: float, count: int, periodic: bool, near: tuple[float, ...] = ()
) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights that converge fast: the trapezoidal rule on a circle, Gauss's elsewhere; on panels where data are thin."""
    if near:
        edges = panels(low, high, near)
        nodes, weights = legendre(max(2, count // 40))
        half = 0.5 * np.diff(edges)[:, None]
        return (edges[:-1, None] + half * (nodes + 1.0)).ravel(), (half * weights).ravel()
    if periodic:
        return low + (high - low) * np.arange(count) / count, np.full(count, (high - low) / count)
    nodes, weights = legendre(count)
    return low + 0.5 * (high - low) * (nodes + 1.0), 0.5 * (high - low) * weights


def _drift(quantity: Quantity, fine: _Grid, coarse: _Grid) -> float:
    Q, rough = fine.integrals(quantity), coarse.integrals(quantity)
    if not np.all(np.isfinite(Q)):
        return float("inf")
    blur = BLUR * float(np.abs(Q - rough).max())
    least = np.minimum.accumulate(Q) if not quantity.conserved else np.full_like(Q, Q[0])
    gap = np.maximum(np.abs(Q - least) - blur, 0.0)
    if quantity.kind == "linear":
        size = fine.size(quantity)
        scale = np.linalg.norm(quantity.factors) * np.sqrt(fine.weights.sum()) * size
        return float(np.sqrt(np.mean(gap**2)) / scale) if scale > 0 else 0.0
    size = fine.largest(quantity)
    # |√Q − √Q₀| = |Q − Q₀| / (√Q + √Q₀)
    return float(np.sqrt(np.mean((gap / (2.0 * size)) ** 2))) if size > 0 else 0.0
