# SPDX-License-Identifier: MIT
"""Long runs of equal steps of linear equations that do not change in time: one matrix is the step.

rates = S a + σ,   a ← a + h Σ_i b_i rates_i.   Where nothing is damped, |Re λ| T ≤ 1 for all eigenvalues λ of the projected equations,
Gauss' scheme takes over from Radau's: it conserves what the equations conserve.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigvals

from lrfm.linalg.clock import look
from lrfm.solver.lines.form import Form
from lrfm.solver.lines.schemes import Scheme, gauss
from lrfm.solver.lines.stages import DenseParts, DenseStages
from lrfm.solver.lines.state import State, Step
from lrfm.solver.lines.system import System

SAME = 12  # equal steps after which the others are taken at once
LARGEST = 600  # coefficients of a state up to which its step is made a matrix


@dataclass(frozen=True)
class StepMap:
    """S and σ for one length of step: the rates of all components at the stages, from a state."""

    scheme: Scheme
    length: float
    matrix: np.ndarray  # (stages · state, state)
    constant: np.ndarray

    def rates(self, state: np.ndarray) -> np.ndarray:
        """Rates (stages, components, R) of a state (components, R)."""
        return (self.matrix @ state.ravel() + self.constant).reshape(-1, *state.shape)

    def end(self, state: np.ndarray, rates: np.ndarray) -> np.ndarray:
        return state + self.length * np.tensordot(self.scheme.weights, rates, axes=1)


def step_map(system: System, parts: DenseParts, scheme: Scheme, time: float, length: float) -> StepMap:
    """The step as a matrix: all unit states and the zero state are stepped at once."""
    form, size = system.form, int(np.prod(system.shape))
    stages = DenseStages(form, scheme, parts, length)
    starts = np.concatenate([np.zeros((1, size)), np.eye(size)]).reshape(-1, *system.shape)
    none = np.zeros((scheme.stages, len(form.last), system.shape[1]))
    times = np.full(scheme.stages, time)
    found = np.empty((size + 1, scheme.stages * size))
    for i, start in enumerate(starts):
        look()
        rates = none
        for _ in range(2):  # the second time for rounding
            y, z = form.complete(start, rates, length * scheme.matrix)
            rates = rates + stages.solve(system.residual(times, y, z))
        found[i] = form.complete(start, rates, length * scheme.matrix)[1].ravel()
    return StepMap(scheme, length, (found[1:] - found[0]).T, found[0])


def spectrum(system: System, parts: DenseParts) -> np.ndarray:
    """Eigenvalues λ with det Σ_p λ^(m−p) A_p = 0: the rates of growth of the projected equations; infinite ones left out."""
    powers = _inside(system, parts.powers)
    m, size = len(powers) - 1, len(powers[0])
    # Companion form of λᵐ A₀ + λᵐ⁻¹ A₁ + … + A_m.
    left, right = np.zeros((m * size, m * size)), np.eye(m * size)
    for i in range(m - 1):
        left[i * size : (i + 1) * size, (i + 1) * size : (i + 2) * size] = np.eye(size)
    for p in range(1, m + 1):
        left[(m - 1) * size :, (m - p) * size : (m - p + 1) * size] = -powers[p]
    right[(m - 1) * size :, (m - 1) * size :] = powers[0]
    values = eigvals(left, right)
    largest = np.abs(values[np.isfinite(values)])
    return values[np.isfinite(values) & (np.abs(values) < 1e12 * (1 + np.median(largest)))]


def _inside(system: System, powers: list[np.ndarray]) -> list[np.ndarray]:
    """The equations on functions that satisfy homogeneous conditions, where these are of one power each.

    Conditions differentiated in time have eigenvalues zero of high multiplicity, which rounding would spread.
    """
    count = sum(place.size for place in system.places[: len(system.form.last)])
    conditions = [p[count:] for p in powers]
    used = sum((np.abs(c).max(axis=1, initial=0.0) > 0).astype(int) for c in conditions)
    if not len(conditions[0]) or np.any(used != 1):
        return powers
    rows = sum(conditions[1:], conditions[0])
    free = np.linalg.qr(rows.T, mode="complete")[0][:, len(rows) :]
    return [p[:count] @ free for p in powers]


def undamped(values: np.ndarray, duration: float) -> bool:
    """Whether nothing decays or grows noticeably within the given time."""
    return bool(len(values) and np.max(np.abs(np.real(values))) * duration <= 1.0)


def repeats(state: State, steps: list[Step], form: Form) -> bool:
    """Whether the last steps were equal and enough are left to be worth a matrix."""
    size = state.coefficients.size
    left = round((form.problem.time[1] - state.time) / state.length)
    if size > LARGEST or len(steps) < SAME or left <= max(4 * SAME, size // 4):
        return False
    near = 1e-9 * state.length
    return all(s.start.basis is state.basis and abs(s.length - state.length) < near for s in steps[-SAME:])


def run_equal(
    system: System,
    parts: DenseParts,
    scheme: Scheme,
    state: State,
    last: Step,
    resolved: Callable[[Step], bool],
) -> tuple[list[Step], State, Scheme]:
    """Steps to the end, or to where the basis no longer holds the solution; the state after them, and their scheme."""
    start, end = system.form.problem.time
    left = round((end - state.time) / state.length)
    if undamped(spectrum(system, parts), end - start):
        scheme = gauss(scheme.stages)
    length = (end - state.time) / left
    step = step_map(system, parts, scheme, state.time, length)
    found: list[Step] = []
    a = state.coefficients
    for i in range(left):
        rates = step.rates(a)
        here = State(state.time + i * length, length, state.basis, a)
        found.append(Step(here, length, rates, last.error, last.residual, 0, scheme))
        a = step.end(a, rates)
        # Often at first, then ever more rarely: what stays resolved for long is resolved.
        if ((i % SAME == 0 and i < 20 * SAME) or i % (10 * SAME) == 0) and not resolved(found[-1]):
            if len(found) > SAME:
                found = found[:-SAME]
            return (
                found,
                State(found[-1].start.time + length, length, state.basis, _end(step, found[-1])),
                scheme,
            )
    return found, State(end, length, state.basis, a), scheme


def _end(step: StepMap, kept: Step) -> np.ndarray:
    return step.end(kept.start.coefficients, kept.rates)
