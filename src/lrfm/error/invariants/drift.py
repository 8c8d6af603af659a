# SPDX-License-Identifier: MIT
"""How far a solution strays from what its equations conserve or dissipate: a lower bound of its relative error.

    linear   |Q(t) − Q(t₀)| = |∫ Σ α δu| ≤ ‖α‖ √|Ω| ‖δu‖      →  drift = rms_t |Q − Q₀| / (‖α‖ √|Ω| rms_t ‖u‖)
             (second order in time: ∫ Σ α u grows linearly, Q₀ + (t − t₀) Q₀′)
    square   |√Q(t) − √Q(t₀)| ≤ ‖δu‖                          →  drift = rms_t |√Q − √Q₀| / rms_t √Q
    energy   the same with the energy norm, as far as its parts are positive
    dissipated: the same with the rise of Q above its least value before.

Integrals are taken with n and n/2 nodes per axis; BLUR times what the two differ by is no drift.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

import numpy as np

from lrfm.error.invariants.flow import Flow
from lrfm.error.invariants.quantities import PATH, WEIGHTS, Quantity, quantities
from lrfm.error.marks import marks, panels
from lrfm.linalg.clock import look
from lrfm.problem import Jet, Problem
from lrfm.rows.pieces import Piece

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
        mesh = np.meshgrid(*(nodes for nodes, _ in rules), indexing="ij")
        self.places = np.column_stack([m.ravel() for m in mesh])
        self.weights = np.ones(1)
        for _, weights in rules:
            self.weights = np.outer(self.weights, weights).ravel()
        zeros = (0,) * box.dimension
        self.u = [Jet(field, (*zeros, 0)) for field in problem.fields]
        self.v = [Jet(field, (*zeros, 1)) for field in problem.fields]
        wanted = {*self.u, *(self.flow.jets if rates else ()), *(self.v if self.flow.order == 2 else ())}
        self.times, self.jets = times, []
        owner = [next(i for i, p in enumerate(pieces) if t <= p.window[1] or p is pieces[-1]) for t in times]
        for i, some in groupby(range(len(times)), key=owner.__getitem__):
            look()
            # All times of a piece at once: what depends on the place is then shared by several of them.
            own = times[list(some)]
            values = pieces[i].values(sorted(wanted), np.vstack([self._points(t) for t in own]))
            parts = {jet: value.reshape(len(own), -1) for jet, value in values.items()}
            self.jets += [{jet: part[k] for jet, part in parts.items()} for k in range(len(own))]

    def _points(self, t: float) -> np.ndarray:
        return np.column_stack([self.places, np.full(len(self.places), t)])

    def _state(self, jets: Sequence[Jet]) -> np.ndarray:
        return np.array([[values[jet] for jet in jets] for values in self.jets])

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
        return 0.5 * total(self._state(self.v) ** 2) + self._potential()

    def _potential(self) -> np.ndarray:
        """P(u) = −∫₀¹ Σ ∫ u_f R_f(su) ds dx."""
        found = []
        for t, values in zip(self.times, self.jets, strict=True):
            look()
            still = {jet: 0 * values[jet] if jet.index[-1] else values[jet] for jet in self.flow.jets}
            total = 0.0
            for s, weight in zip(PATH, WEIGHTS, strict=True):
                R = self.flow(self._points(t), {jet: s * value for jet, value in still.items()})
                total -= weight * sum(float(values[j] * R[i] @ self.weights) for i, j in enumerate(self.u))
            found.append(total)
        return np.array(found)

    def produces(self, quantity: Quantity) -> bool:
        """Whether the equations, at the solution itself, let a dissipated quantity rise: trial functions had not shown it."""
        for t, values in zip(self.times, self.jets, strict=True):
            R = self.flow(self._points(t), values)
            work = [
                f * values[j] * R[i] @ self.weights
                for i, (f, j) in enumerate(zip(quantity.factors, self.u, strict=True))
            ]
            size = sum(float(np.abs(values[j] * R[i]) @ self.weights) for i, j in enumerate(self.u))
            if sum(work) > PRODUCED * size:
                return True
        return False

    def size(self, quantity: Quantity) -> float:
        """rms in time of ‖u‖ over the fields that occur in a quantity."""
        occurs = np.array(quantity.factors) != 0
        squares = np.einsum("tfn,f,n->t", self._state(self.u) ** 2, occurs, self.weights)
        return float(np.sqrt(np.mean(squares)))


def _rule(
    low: float, high: float, count: int, periodic: bool, near: tuple[float, ...] = ()
) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights that converge fast: the trapezoidal rule on a circle, Gauss's elsewhere; on panels where data are thin."""
    if near:
        edges = panels(low, high, near)
        nodes, weights = np.polynomial.legendre.leggauss(max(2, count // 40))
        half = 0.5 * np.diff(edges)[:, None]
        return (edges[:-1, None] + half * (nodes + 1.0)).ravel(), (half * weights).ravel()
    if periodic:
        return low + (high - low) * np.arange(count) / count, np.full(count, (high - low) / count)
    nodes, weights = np.polynomial.legendre.leggauss(count)
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
    size = np.abs(Q).max()
    # |√Q − √Q₀| = |Q − Q₀| / (√Q + √Q₀)
    return float(np.sqrt(np.mean((gap / (2.0 * size)) ** 2))) if size > 0 else 0.0
