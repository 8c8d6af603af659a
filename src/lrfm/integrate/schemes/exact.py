# SPDX-License-Identifier: MIT
"""Linear equations that stay the same in time, exactly, by their eigenfunctions:  u = Σ_k c_k(t) v_k,  c_k′ = λ_k c_k + f_k,  or  c_k″ = −ω_k² c_k + f_k.

Of E v′ + K v + g = 0 the eigenvectors are those of (K + σE)⁻¹E with eigenvalues μ, λ = σ − 1/μ: that matrix is compact, so that rounding spoils the fastest modes and not the slow ones; Rayleigh's
quotients with left and right vectors have all digits of λ (Saad, Numerical Methods for Large Eigenvalue Problems, 2011, sections 4.6 and 8.1). Rows without rates have μ = 0. Of the others the fastest third is no
eigenfunction of the equation but of its cells, whatever its growth, and is left out: what the slow ones leave of the data (least squares) is the error in space, at the start and later.

A step keeps y′ as a polynomial in time: its last coefficients are the error of the step.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from lrfm.discretize.line.eigen_cells import EigenCells, LinearPencil
from lrfm.discretize.options import EXACT, ROUNDING, Options
from lrfm.integrate.schemes.radau import Iteration, StepResult
from lrfm.integrate.schemes.tableaus import PlainSteps, Scheme, radau
from lrfm.integrate.state import IntegratorState
from lrfm.linalg.deadline import EIGENVALUES, check_deadline_before
from lrfm.linalg.room import reserve
from lrfm.spaces.cells.reference import nodes as nodes_and_weights
from lrfm.spaces.cells.reference import table


@dataclass(frozen=True)
class Modes:
    """Slow eigenfunctions of a statement on some cells.

    Parameters
    ----------
    values
        λ, or −ω² where `turning`.
    defect
        What rounding has done to each of them.
    shapes
        v_k in coefficients of φ, of all levels of a chain: (numbers, modes).
    weights
        Whose squares make a mean square of these numbers; that of u_t counts by what it moves u, in a period of the fastest mode.
    force, rest
        f, and what the fastest modes make of the source: it does not move.
    levels
        Of a chain that the shapes hold.
    """

    values: np.ndarray
    defect: np.ndarray
    shapes: np.ndarray
    weights: np.ndarray
    force: np.ndarray
    rest: np.ndarray
    turning: bool
    levels: int

    @cached_property
    def _factors(self) -> tuple[np.ndarray, np.ndarray]:
        return np.linalg.qr(self.weights[:, None] * self.shapes)

    @cached_property
    def _inverse(self) -> np.ndarray:
        """What takes weighted numbers to amplitudes."""
        q, r = self._factors
        return np.linalg.solve(r, q.conj().T)

    def amplitudes(self, state: np.ndarray) -> np.ndarray:
        """c of the function nearest to a state (levels, numbers): (modes,), or (2, modes) of u and u_t."""
        if self.turning:
            return np.stack([self.nearest(state[0] - self.rest), self.nearest(state[1])])
        return self.nearest(state.ravel() - self.rest)

    def nearest(self, numbers: np.ndarray) -> np.ndarray:
        """Amplitudes of the sum of modes that is nearest to some numbers."""
        return self._inverse @ (self.weights * numbers)

    def at(self, tau: np.ndarray, c: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The state and its rates at some times after amplitudes were what is given: (times, levels·numbers) each."""
        if not self.turning:
            grown = np.exp(np.multiply.outer(tau, self.values))
            here = grown * c + self._slope(tau) * self.force
            return self._summed(here) + self.rest, self._summed(self.values * here + self.force)
        turned = np.sqrt(-self.values.astype(complex))
        angle = np.multiply.outer(tau, turned)
        # sin(ωτ)/ω is τ where ω = 0: what drifts. (1 − cos ωτ)/ω² = 2 sin²(ωτ/2)/ω².
        over, half = self._over(tau, turned, np.sin(angle)), self._over(tau / 2, turned, np.sin(angle / 2))
        first = np.cos(angle) * c[0] + over * c[1] + 2 * half**2 * self.force
        second = np.cos(angle) * c[1] - turned * np.sin(angle) * c[0] + over * self.force
        u, u_t = self._summed(first) + self.rest, self._summed(second)
        return np.concatenate([u, u_t], axis=1), np.concatenate(
            [u_t, self._summed(self.values * first + self.force)], axis=1
        )

    def _summed(self, amplitudes: np.ndarray) -> np.ndarray:
        return np.real(amplitudes @ self.shapes.T)

    def _slope(self, tau: np.ndarray) -> np.ndarray:
        """(e^{λτ} − 1)/λ."""
        return self._over(tau, self.values, np.expm1(np.multiply.outer(tau, self.values)))

    @staticmethod
    def _over(tau: np.ndarray, values: np.ndarray, above: np.ndarray) -> np.ndarray:
        small = np.abs(values) < np.finfo(float).tiny
        return np.where(small, tau[:, None], above / np.where(small, 1.0, values))

    def left_out(self, state: np.ndarray) -> np.ndarray:
        """What the modes leave of a state (levels, numbers), of u alone: (numbers,); that of u_t by what it moves u."""
        gap = state - self.at(np.zeros(1), self.amplitudes(state))[0][0].reshape(state.shape)
        if len(state) == 1:
            return gap[0]
        fastest = np.max(np.abs(self.values))
        fastest = np.sqrt(fastest) if self.turning else fastest
        return np.hypot(gap[0], gap[1] / max(float(fastest), np.finfo(float).tiny))

    def calmed(self, c: np.ndarray, sizes: np.ndarray, goal: float) -> np.ndarray:
        """Amplitudes without those of the fastest modes, as far as these together are a part `goal` of the sizes of all fields: what cells leave out would ring for ever."""
        first = (self.weights[:, None] * self.shapes)[: len(self.shapes) // self.levels]
        fast = np.sqrt(np.abs(self.values)) if self.turning else np.abs(self.values)
        moved = (
            np.hypot(np.abs(c[0]), np.abs(c[1]) / np.maximum(fast, np.finfo(float).tiny))
            if self.turning
            else np.abs(c)
        )
        each = np.linalg.norm(first.reshape(len(sizes), -1, len(fast)), axis=1) / sizes[:, None] * moved
        order = np.argsort(-fast)
        total = np.max(np.cumsum(each[:, order], axis=1), axis=0)
        kept = np.ones(len(fast))
        kept[order[total <= goal]] = 0.0
        return c * kept

    def noise(self, state: np.ndarray, duration: float, size: float) -> float:
        """What rounding makes of a state within a time, relative to a size: cancellation of eigenvectors, phases of eigenvalues, and what grows."""
        slowest, values = 1 / duration, self.values.astype(complex)
        turned = np.sqrt(-values) if self.turning else values
        growth = np.abs(np.imag(turned)) if self.turning else np.maximum(np.real(values), 0.0)
        fast = np.maximum(np.abs(turned), slowest)
        off = self.defect / (2 * fast) if self.turning else self.defect
        parts = np.abs(np.atleast_2d(self.amplitudes(state)))
        own = np.linalg.norm(self.weights * (state if self.turning else state.reshape(1, -1)), axis=1)
        driven = np.abs(self.force) / fast ** (2 if self.turning else 1)
        # u_t moves u by its part of a period.
        moved = sum((c / fast**level for level, c in enumerate(parts)), driven)
        rounded = sum(n / fast**level for level, n in enumerate(own)) * np.linalg.norm(self._inverse, axis=1)
        grown = np.exp(np.minimum(growth * duration, ROUNDING.exponent))
        sizes = np.linalg.norm(self.weights[:, None] * self.shapes, axis=0) * grown
        errors = sizes * (np.finfo(float).eps * rounded + moved * off * duration)
        return float(np.linalg.norm(errors) / size)


def modes_of(made: EigenCells, duration: float) -> Modes | None:
    """The slow eigenfunctions of a statement; None where it has none, or not all of them."""
    pencil = made.pencil
    if pencil is None:
        return None
    n = len(pencil.still)
    check_deadline_before(EIGENVALUES * n**3)
    reserve(8 * n * n)
    shift = 1 / duration ** (2 if pencil.turning else 1)
    try:
        found = _decomposed(pencil, shift)
        if found is None:
            return None
        values, defect, vectors, matrix, force = found
        shapes = made.plain(vectors.T.reshape(-1, pencil.levels, made.size))
        shapes = shapes.reshape(len(values), -1).T
        fastest = np.max(np.abs(values))
        weights = np.concatenate(
            [
                np.tile(made.weights, len(made.system.fields)) / max(fastest, np.finfo(float).tiny) ** level
                for level in range(pencil.levels)
            ]
        )
        modes = Modes(
            values,
            defect,
            shapes,
            weights,
            np.zeros(len(values)),
            np.zeros(len(shapes)),
            pencil.turning,
            pencil.levels,
        )
        return replace(modes, **_driven(made, modes, force, lambda v: shift * (matrix @ v), vectors, shift))
    except np.linalg.LinAlgError:
        return None


def _driven(
    made: EigenCells,
    modes: Modes,
    source: np.ndarray,
    shifted: Callable[[np.ndarray], np.ndarray],
    vectors: np.ndarray,
    shift: float,
) -> dict[str, np.ndarray]:
    """f and what does not move, of a source (K + σE)⁻¹ g.

    With M = (K + σE)⁻¹E it is M v′ + (1 − σM) v = −(K + σE)⁻¹ g: each part of the right-hand side that is no mode is met by a constant r, which leaves −σM r to the next round.
    """
    left, drive, rest = -source, np.zeros(len(modes.values)), np.zeros(len(modes.shapes))
    levels = len(source) // made.size
    size = np.linalg.norm(left)
    while size > 0 and np.linalg.norm(left) > np.finfo(float).eps * size:
        plain = made.plain(left.reshape(levels, made.size)).ravel()
        c = modes.nearest(plain)
        drive = drive + c
        others = left - np.real(vectors @ c)
        rest += plain - np.real(modes.shapes @ c)
        before, left = np.linalg.norm(left), shifted(others)
        if np.linalg.norm(left) > before / 2:
            break
    return {"force": drive * (shift - modes.values), "rest": rest}


def _decomposed(
    pencil: LinearPencil, shift: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray] | None:
    """λ, what rounding did to it, right eigenvectors of the slow modes, (K + σE)⁻¹E and (K + σE)⁻¹ g."""
    from scipy.linalg import eig, lu_factor, lu_solve

    n = len(pencil.still)
    # Rows of one size: conditions and equations in their own units.
    scale = 1 / np.maximum(
        np.max(np.abs(pencil.still + shift * pencil.moving), axis=1, keepdims=True), np.finfo(float).tiny
    )
    moving, still = scale * pencil.moving, scale * pencil.still
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a singular matrix, which shows in what is not finite
        factors = lu_factor(still + shift * moving, check_finite=False)
    found = lu_solve(factors, np.column_stack([moving, scale[:, 0] * pencil.constant]), check_finite=False)
    matrix, force = found[:, :n], found[:, n]
    if not np.all(np.isfinite(found)):
        return None
    found = eig(matrix, left=True, right=True, check_finite=False)
    mu, left, right = (np.asarray(v if np.any(np.imag(found[0])) else np.real(v)) for v in found)
    order = np.argsort(-np.abs(mu))
    count = int(np.ceil(EXACT.kept * pencil.free))
    least = np.abs(mu[order[count - 1]])
    slow = np.flatnonzero(np.abs(mu) >= least * (1 - np.sqrt(np.finfo(float).eps)))
    mu, left, right = mu[slow], left[:, slow], right[:, slow]
    if np.any(mu == 0):
        return None
    left = lu_solve(factors, left.conj(), trans=1, check_finite=False)
    with np.errstate(all="ignore"):
        below = np.sum(left * (moving @ right), axis=0)
        values = -np.sum(left * (still @ right), axis=0) / below
        rounding = np.sum(np.abs(left) * (np.abs(still) @ np.abs(right)), axis=0) / np.abs(below)
        # The quotient is right to the square of what the vectors lack.
        gap = np.abs(values - (shift - 1 / mu))
        defect = np.finfo(float).eps * rounding + gap * np.minimum(1.0, gap / (np.abs(values) + shift))
    if not np.all(np.isfinite(values)):
        return None
    return values, defect, right, matrix, force


class Exact(PlainSteps):
    """Steps of exponentials, kept as polynomials through K nodes."""

    def __init__(self, stages: int, goal: float):
        self.scheme: Scheme = radau(stages)
        self.goal = goal  # of what may be left out of the data, so that steps need not follow it
        self._kept: tuple[Any, Modes] | None = None

    def beside(self, made: Any, length: float, gain: float, stages: int) -> float:
        """Any: steps are exact."""
        return math.inf

    def modes(self, made: EigenCells) -> Modes | None:
        """Those of the cells, made once."""
        if self._kept is None or self._kept[0] is not made.mesh:
            start, end = made.system.problem.time
            found = modes_of(made, end - start)
            if found is None:
                return None
            self._kept = made.mesh, found
        return self._kept[1]

    def begin(
        self, made: EigenCells, time: float, y: np.ndarray, duration: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """A state as its slow modes, and its rates."""
        found = self.modes(made)
        if found is None:
            raise np.linalg.LinAlgError("The statement has no eigenvectors on its cells.")
        c = found.amplitudes(leveled(made, y))
        c = found.calmed(c, sizes_of(made, found, y), self.goal)
        here, rates = found.at(np.zeros(1), c)
        start = joined(made, here)[0]
        # What starts from nothing starts from zero: rounding is no size.
        start[~np.any(y, axis=(1, 2))] = 0.0
        return start, joined(made, rates)[0]

    def step(
        self,
        made: EigenCells,
        pencil: Any,
        state: IntegratorState,
        length: float,
        iteration: Iteration,
    ) -> StepResult:
        """The rates at the nodes, and what the polynomial through them leaves out."""
        found = self.modes(made)
        if found is None:
            return StepResult.failed(1, np.inf)
        here, slopes = found.at(length * self.scheme.nodes, found.amplitudes(leveled(made, state.y)))
        within, rates = joined(made, here), joined(made, slopes)
        last = np.tensordot(self.scheme.to_legendre[-2:], rates, axes=1)
        # ∫ P_s = (P_{s+1} − P_{s−1})/(2s + 1) over half the length.
        error = 0.5 * length * np.sum(np.abs(last), axis=0) / (2 * self.scheme.stages - 1)
        # Polynomials are what is kept of u; the next step begins with exponentials, and with all of u_t.
        error[[c + 1 for c in made.system.links]] = 0.0
        squares = length * self.scheme.weights @ made.norms(within) ** 2
        end = within[-1]
        return StepResult(bool(np.all(np.isfinite(end))), rates, end, error, error, 1, 0.0, squares)


def sizes_of(made: EigenCells, modes: Modes, y: np.ndarray) -> np.ndarray:
    """Root mean squares over time of the fields from a state on; a hundredth of the largest where one is next to nothing."""
    start, end = made.system.problem.time
    nodes, weights = nodes_and_weights(EXACT.nodes, 0)
    here, _ = modes.at((end - start) * (1 + nodes) / 2, modes.amplitudes(leveled(made, y)))
    norms = made.norms(joined(made, here))[:, [made.system.first[f] for f in made.system.fields]]
    own = np.sqrt(weights @ norms**2)
    return np.maximum(np.maximum(own, Options.driven * np.max(own)), np.finfo(float).tiny)


def seen(made: EigenCells, modes: Modes, y: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Fields at the nodes of the time span and at some places, from a state on: (times, fields, places)."""
    start, end = made.system.problem.time
    nodes, _ = nodes_and_weights(EXACT.nodes, 0)
    here, _ = modes.at((end - start) * (1 + nodes) / 2, modes.amplitudes(leveled(made, y)))
    cell, at = made.mesh.locate(places)
    own = joined(made, here)[:, [made.system.first[f] for f in made.system.fields]]
    return np.einsum("tfps,ps->tfp", own[:, :, cell], table(at, made.layout.size))


def _components(made: EigenCells) -> list[list[int]]:
    """Components by their level in a chain, fields in order."""
    system = made.system
    return [
        [c for c, (_, own) in enumerate(system.components) if own == level]
        for level in range(system.top_power)
    ]


def leveled(made: EigenCells, y: np.ndarray) -> np.ndarray:
    """A state (components, cells, size) by levels: (levels, numbers)."""
    return np.stack([y[own].ravel() for own in _components(made)])


def joined(made: EigenCells, numbers: np.ndarray) -> np.ndarray:
    """States (times, components, cells, size) from numbers of all levels, one after the other."""
    shape = len(numbers), made.mesh.size, made.layout.size
    found = np.empty((shape[0], len(made.system.components), *shape[1:]))
    levels = _components(made)
    each = numbers.shape[1] // len(levels)
    for n, own in enumerate(levels):
        found[:, own] = numbers[:, n * each : (n + 1) * each].reshape(shape[0], len(own), *shape[1:])
    return found
