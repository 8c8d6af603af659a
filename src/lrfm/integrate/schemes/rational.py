# SPDX-License-Identifier: MIT
"""Linear equations that stay the same and damp all short waves, on many cells:  B₀ y′ + B₁ y + f = 0,  exactly in time, by one factorization.

With G = B₀⁻¹B₁ and y′₀ = −B₀⁻¹(B₁ y₀ + f) the solution is  y(τ) = y₀ + ∫₀^τ e^{−sG} y′₀ ds. In the space of  w, K w, K² w, …  with

    K = (B₀ + σB₁)⁻¹B₀ = (I + σG)⁻¹,   w = K y′₀,   K V = V H + …,   y(τ) ≈ y₀ + ‖w‖ V H⁻¹ p(τ),   p(τ) = ∫₀^τ e^{−s(H⁻¹ − I)/σ} e₁ ds

converges faster than any power, whatever the step size and the fastest rates are (van den Eshof, Hochbruck, SIAM J. Sci. Comput. 27, 2006). A step is kept as the polynomial through
K nodes; what it misses between them is computed in the small space, and is all of the error: nothing of it is carried on. Where the space does not converge, as it may where
transport is strong, Radau IIA with the same nodes takes the step.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from lrfm.discretize.options import PLANE, RATIONAL, ROUNDING, SAFEGUARDS
from lrfm.integrate.schemes.plain_steps import PlainSteps
from lrfm.integrate.schemes.radau import Iteration, Radau, StepResult
from lrfm.integrate.schemes.tableaus import Scheme, radau
from lrfm.integrate.state import IntegratorState
from lrfm.rows.in_time import integrals


class RationalKrylov(PlainSteps):
    """Steps by one shift each, σ = 16^k near the length of the step: what is solved depends on the state and the step size alone."""

    def __init__(self, stages: int):
        self.scheme: Scheme = radau(stages)
        self._otherwise = Radau(stages)
        # Between the nodes, and before the first one.
        edges = np.concatenate([[0.0], self.scheme.nodes])
        self._between = 0.5 * (edges[1:] + edges[:-1])

    def beside(self, made: Any, length: float, gain: float, stages: int) -> float:
        """Any: steps are exact."""
        return math.inf

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
        shift = PLANE.nearby ** np.round(np.log(length / RATIONAL.steps) / np.log(PLANE.nearby))
        solve, nothing = pencil.factored(float(shift)), np.zeros_like(state.y)
        first = solve(-made.residual(np.array([state.time]), state.y[None], nothing[None])[0])
        weights = made.gather(np.broadcast_to(made.shares[None, :, None], state.y.shape).copy())
        one = nothing.copy()
        one[..., 0] = 1.0
        size = float(np.sqrt(np.sum(weights * first**2)))
        if not np.isfinite(size):
            return StepResult.failed(1, np.inf)
        found = self._space(
            lambda v: solve(pencil.apply(v, 0)),
            first,
            weights,
            size,
            float(shift),
            places,
            iteration.norm(one) * size,
            iteration.goal,
        )
        if found is None:
            return self._otherwise.step(made, pencil, state, length, iteration)
        basis, parts = found
        parts = size * parts
        at_nodes, between = parts[:, : scheme.stages], parts[:, scheme.stages :]
        small = (
            at_nodes @ np.linalg.inv(length * scheme.matrix).T
        )  # rates of the polynomial through the nodes
        taken = length * integrals(scheme.stages, self._between) @ scheme.to_legendre
        missed = between - small @ taken.T
        sizes = np.linalg.norm(missed, axis=0)
        worst = int(np.argmax(sizes))
        mean = float(np.sqrt(np.mean(sizes**2)))
        lost = missed[:, worst] * (mean / sizes[worst] if mean > 0 else 0.0)

        def whole(columns: np.ndarray) -> np.ndarray:
            return made.scatter((basis @ columns).T)

        rates, inside = whole(small), whole(lost[:, None])[0]
        values = state.y + whole(at_nodes)
        squares = length * scheme.weights @ made.norms(values) ** 2
        return StepResult(True, rates, values[-1], np.zeros_like(inside), inside, 1, 0.0, squares, exact=True)

    @staticmethod
    def _space(
        apply: Any,
        first: np.ndarray,
        weights: np.ndarray,
        size: float,
        shift: float,
        places,
        unit: float,
        goal: float,
    ) -> tuple[np.ndarray, np.ndarray] | None:
        """V and H⁻¹p at some times, (m, times), in the norm in which V is orthonormal; None where it does not converge."""
        basis = np.empty((len(first), SAFEGUARDS.rational + 1), order="F")
        basis[:, 0] = first / size if size > 0 else first
        hessenberg, before = (
            np.zeros((SAFEGUARDS.rational + 1, SAFEGUARDS.rational)),
            np.zeros((0, len(places))),
        )
        if size == 0:
            return basis[:, :1], np.zeros((1, len(places)))
        for m in range(1, SAFEGUARDS.rational + 1):
            new, known = apply(basis[:, m - 1]), basis[:, :m]
            scale = float(np.sqrt(np.sum(weights * new**2)))
            for _ in range(2):  # twice is enough
                along = known.T @ (weights * new)
                hessenberg[:m, m - 1] += along
                new = new - known @ along
            hessenberg[m, m - 1] = left = float(np.sqrt(np.sum(weights * new**2)))
            if m % 2 == 0 or left <= ROUNDING.last * scale:
                parts = _integrated(hessenberg[:m, :m], shift, places)
                change = parts.copy()
                change[: len(before)] -= before
                if left <= ROUNDING.last * scale or unit * np.max(np.linalg.norm(change, axis=0)) <= goal:
                    return basis[:, :m], parts
                before = parts
            basis[:, m] = new / left
        return None


def _integrated(hessenberg: np.ndarray, shift: float, places: np.ndarray) -> np.ndarray:
    """H⁻¹ ∫₀^τ e^{−s(H⁻¹ − I)/σ} e₁ ds at some times: by eigenvalues θ of H, with λ = (1/θ − 1)/σ."""
    turned = 0.5 * (hessenberg + hessenberg.T)
    if np.linalg.norm(hessenberg - turned) <= ROUNDING.iterated * np.linalg.norm(hessenberg):
        theta, vectors = np.linalg.eigh(turned)
        first = vectors[0]
    else:
        theta, vectors = np.linalg.eig(hessenberg)
        first = np.linalg.solve(vectors, np.eye(len(hessenberg))[:, 0].astype(vectors.dtype))
    # What is zero to rounding is damped at once; what is negative grows faster than 1/σ.
    theta = np.where(np.abs(theta) < ROUNDING.last * np.max(np.abs(theta)), np.finfo(float).tiny, theta)
    rates = (1 / theta - 1) / shift
    with np.errstate(all="ignore"):
        angle = np.multiply.outer(rates, places)
        small = np.abs(angle) < ROUNDING.iterated
        integral = np.where(small, places, -np.expm1(-angle) / np.where(rates == 0, 1.0, rates)[:, None])
    return np.real(vectors @ ((first / theta)[:, None] * integral))
