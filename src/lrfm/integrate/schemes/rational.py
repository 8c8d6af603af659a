# SPDX-License-Identifier: MIT
"""Linear equations whose matrices stay the same and that damp all short waves, on many cells:  B₀ y′ + B₁ y + f(t) = 0,  exactly in time, by one factorization.

With G = B₀⁻¹B₁ and r(s) = −B₀⁻¹(B₁ y₀ + f(s)) the solution is  y(τ) = y₀ + ∫₀^τ e^{−(τ−s)G} r(s) ds. Within a step r is the polynomial Σ_j r_j P_j(2s/h − 1) through K nodes, a constant where f is one. In the space of  W, K W, K² W, …  with

    K = (B₀ + σB₁)⁻¹B₀ = (I + σG)⁻¹,   W = K (r₀, r₁, …) = V C,   K V = V H + …,   y(τ) ≈ y₀ + V H⁻¹ Σ_j ψ_j(τ) C_j,   ψ_j(τ) = ∫₀^τ e^{−(τ−s)(H⁻¹ − I)/σ} P_j ds

it converges faster than any power, whatever the step size and the fastest rates are (van den Eshof, Hochbruck, SIAM J. Sci. Comput. 27, 2006). A step is kept as the polynomial through
K nodes; what it misses between them is computed in the small space. That is all of the error, and nothing of it is carried on, but for what the polynomial of f misses between its nodes. Where the space does not converge, as it may where
transport is strong, Radau IIA with the same nodes takes the step.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from lrfm.discretize.options import PLANE, RATIONAL, ROUNDING, SAFEGUARDS, Options
from lrfm.integrate.schemes.radau import Iteration, Radau, StepResult
from lrfm.integrate.schemes.tableaus import PlainSteps, Scheme, radau
from lrfm.integrate.state import IntegratorState
from lrfm.linalg.deadline import check_deadline
from lrfm.linalg.driven import driven
from lrfm.rows.in_time import integrals


class Inside(NamedTuple):
    """How a space is measured: weights of the squares of coefficients, the size of a unit in the norm of the step, and the goal there."""

    weights: np.ndarray
    unit: float
    goal: float


class RationalKrylov(PlainSteps):
    """Steps by one shift each, σ = 16^k near the length of the step: what is solved depends on the state and the step size alone."""

    def __init__(self, stages: int):
        self.scheme: Scheme = radau(stages)
        self._otherwise = Radau(stages)
        # Between the nodes, and before the first one.
        edges = np.concatenate([[0.0], self.scheme.nodes])
        self._between = 0.5 * (edges[1:] + edges[:-1])

    def beside(self, made: Any, length: float, gain: float, stages: int) -> float:
        """Any where nothing given depends on time: steps are exact then."""
        return math.inf if made.system.autonomous else super().beside(made, length, gain, stages)

    def step(
        self,
        made: Any,
        pencil: Any,
        state: IntegratorState,
        length: float,
        iteration: Iteration,
    ) -> StepResult:
        """One attempt; the space grows until what it adds is below the goal."""
        scheme, places = self.scheme, length * np.concatenate([self.scheme.nodes, self._between])
        shift = float(PLANE.nearby ** np.round(np.log(length / RATIONAL.steps) / np.log(PLANE.nearby)))
        solve, one = pencil.factored(shift), np.zeros_like(state.y)
        right, beyond = self._driving(made, state, length)
        firsts = solve(np.ascontiguousarray(right.T))
        weights = made.gather(np.broadcast_to(made.shares[None, :, None], state.y.shape).copy())
        one[..., 0] = 1.0
        if not np.all(np.isfinite(firsts)):
            return StepResult.failed(1, np.inf)
        # Two solves whose steps are those of the data end their spaces alike, and share what these leave: below the goal by a digit it counts for nothing.
        goal = iteration.goal * (Options.minor if len(beyond) else 1.0)
        measure = Inside(weights, iteration.norm(one), goal)
        found = _space(lambda v: solve(_applied(pencil, v)), firsts, measure, shift, length, places)
        if found is None:
            return self._otherwise.step(made, pencil, state, length, iteration)
        basis, parts, damped = found
        at_nodes, between = parts[:, : scheme.stages], parts[:, scheme.stages :]
        # Rates of the polynomial through the nodes.
        small = at_nodes @ np.linalg.inv(length * scheme.matrix).T
        taken = length * integrals(scheme.stages, self._between) @ scheme.to_legendre
        lost = _typical(between - small @ taken.T, np.ones(len(small)))
        if state.steps and state.time == state.regridded:
            # What other cells had left out was counted as an error of space, and is damped in this step: K leaves nothing of it, and no shorter step would.
            lost = damped @ lost

        def whole(columns: np.ndarray) -> np.ndarray:
            return made.scatter((basis @ columns).T)

        rates, inside = whole(small), whole(lost[:, None])[0]
        values = state.y + whole(at_nodes)
        error = np.zeros_like(inside)
        if len(beyond):
            error = made.scatter(length * solve(_typical(beyond.T, weights)))
        squares = length * scheme.weights @ made.norms(values) ** 2
        return StepResult(True, rates, values[-1], error, inside, 1, 0.0, squares, exact=True)

    def _driving(self, made: Any, state: IntegratorState, length: float) -> tuple[np.ndarray, np.ndarray]:
        """−(B₁ y₀ + f) as Legendre coefficients in time, (degrees, n), and what these miss of it between the nodes, (places, n)."""
        now = made.at(np.array([state.time]))
        rows = -now.residual(state.y[None], np.zeros_like(state.y)[None])
        if made.system.autonomous:
            return rows, rows[:0]
        scheme = self.scheme
        places = np.concatenate([scheme.nodes, self._between])
        loads = made.at(state.time + length * places).load - now.load
        at_nodes, between = loads[: scheme.stages], loads[scheme.stages :]
        coefficients = -scheme.to_legendre @ at_nodes
        coefficients[0] += rows[0]
        return coefficients, between - scheme.lagrange(self._between) @ at_nodes


def _applied(pencil: Any, columns: np.ndarray) -> np.ndarray:
    """B₀ v of columns."""
    return np.column_stack([pencil.apply(column, 0) for column in columns.T])


def _typical(columns: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The largest of some columns, as large as they are in the mean of squares."""
    sizes = np.sqrt(weights @ columns**2)
    worst, mean = int(np.argmax(sizes)), float(np.sqrt(np.mean(sizes**2)))
    return columns[:, worst] * (mean / sizes[worst] if mean > 0 else 0.0)


def _space(
    apply: Callable[[np.ndarray], np.ndarray],
    firsts: np.ndarray,
    measure: Inside,
    shift: float,
    length: float,
    places: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """V, H⁻¹ Σ ψ_j C_j at some times, (m, times), and H, in the norm in which V is orthonormal; None where it does not converge."""
    weights, tiny = measure.weights, float(np.finfo(float).tiny)
    block, start = _spanned(
        firsts, weights, Options.minor * measure.goal / (length * max(measure.unit, tiny))
    )
    width = block.shape[1]
    most = SAFEGUARDS.rational * width
    if not width:
        return np.zeros((len(firsts), 1)), np.zeros((1, len(places))), np.zeros((1, 1))
    basis = np.empty((len(firsts), most + width), order="F")
    basis[:, :width] = block
    hessenberg = np.zeros((most + width, most))
    count, size, before, seen = 0, width, np.zeros((0, len(places))), 0
    while count < size and count < most:
        check_deadline()
        for new in apply(basis[:, count:size]).T[: most - count]:
            scale = float(np.sqrt(np.sum(weights * new**2)))
            for _ in range(2):  # twice is enough
                along = basis[:, :size].T @ (weights * new)
                hessenberg[:size, count] += along
                new = new - basis[:, :size] @ along
            left = float(np.sqrt(np.sum(weights * new**2)))
            count += 1
            if left > ROUNDING.last * scale and size < most + width:
                hessenberg[size, count - 1] = left
                basis[:, size] = new / left
                size += 1
        if count % 2 == 0 or count - seen > 1 or count == size:
            parts = _integrated(hessenberg[:count, :count], start, shift, length, places)
            change = parts.copy()
            change[: len(before)] -= before
            if count == size or measure.unit * np.max(np.linalg.norm(change, axis=0)) <= measure.goal:
                return basis[:, :count], parts, hessenberg[:count, :count]
            before, seen = parts, count
    return None


def _spanned(columns: np.ndarray, weights: np.ndarray, least: float) -> tuple[np.ndarray, np.ndarray]:
    """V and C of columns = V C, without directions whose part of all of them is below `least`."""
    roots = np.sqrt(weights)[:, None]
    left, sizes, right = np.linalg.svd(roots * columns, full_matrices=False)
    kept = (sizes > least) & (sizes > ROUNDING.last * sizes[0])
    return left[:, kept] / roots, sizes[kept, None] * right[kept]


def _integrated(
    hessenberg: np.ndarray, start: np.ndarray, shift: float, length: float, places: np.ndarray
) -> np.ndarray:
    """H⁻¹ Σ_j ψ_j(τ) C_j at some times: by eigenvalues θ of H, with λ = (1/θ − 1)/σ."""
    turned = 0.5 * (hessenberg + hessenberg.T)
    width = len(start)
    if np.linalg.norm(hessenberg - turned) <= ROUNDING.iterated * np.linalg.norm(hessenberg):
        theta, vectors = np.linalg.eigh(turned)
        firsts = vectors[:width].T @ start
    else:
        theta, vectors = np.linalg.eig(hessenberg)
        firsts = np.linalg.solve(vectors, np.eye(len(hessenberg), width, dtype=vectors.dtype) @ start)
    # What is zero to rounding is damped at once; what is negative grows faster than 1/σ.
    theta = np.where(np.abs(theta) < ROUNDING.last * np.max(np.abs(theta)), np.finfo(float).tiny, theta)
    rates = (1 / theta - 1) / shift
    with np.errstate(all="ignore"):
        made = driven(rates, places, length, start.shape[1])
        return np.real(vectors @ np.einsum("rtj,rj->rt", made, firsts / theta[:, None]))
