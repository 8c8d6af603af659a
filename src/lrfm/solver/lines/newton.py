# SPDX-License-Identifier: MIT
"""The stages of one step by simplified Newton: X ← X − A(hλ)⁻¹ rows(X), the matrices of the step kept.

X are the rates of the last components at the stages; everything else follows from them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lrfm.integrate.schemes import Scheme
from lrfm.linalg.clock import look
from lrfm.solver.lines.form import Form
from lrfm.solver.lines.gauge import settled
from lrfm.solver.lines.projected import ProjectedRows
from lrfm.solver.lines.rules import Rules
from lrfm.solver.lines.stages import Stages
from lrfm.solver.lines.state import State, Step

STEPS = 30
DEPTH = 10  # iterations that are remembered


class Acceleration:
    """Anderson's mixing of x ← x + f(x): the combination of the last iterates whose changes f cancel best is taken.

    For linear equations this is GMRES, preconditioned by the matrices that give f; where these are exact nothing changes.
    """

    def __init__(self) -> None:
        self._last: tuple[np.ndarray, np.ndarray] | None = None
        self._turns: list[np.ndarray] = []  # changes of f from iterate to iterate,
        self._moved: list[np.ndarray] = []  # and of x + f
        self._frame = np.zeros((0, 0))  # orthonormal rows that span the turns,
        self._triangle = np.zeros((0, 0))  # in which these are columns

    def next(self, x: np.ndarray, change: np.ndarray) -> np.ndarray:
        """The next iterate."""
        here, turned = x.ravel(), change.ravel()
        if self._last is not None:
            point, before = self._last
            turn = turned - before
            self._moved = [*self._moved[1 - DEPTH :], here - point + turn]
            self._remember(turn)
        self._last = here, turned
        if not self._turns:
            return x + change
        weights = np.linalg.lstsq(self._triangle, self._frame @ turned, rcond=1e-10)[0]
        correction = sum(w * moved for w, moved in zip(weights, self._moved, strict=True))
        return x + change - np.reshape(correction, x.shape)

    def _remember(self, turn: np.ndarray) -> None:
        """One more column of the factors Q R of the turns; made anew where the oldest is forgotten."""
        full = len(self._turns) == DEPTH
        self._turns = [*self._turns[1 - DEPTH :], turn]
        if len(self._turns) == 1:
            size = float(np.linalg.norm(turn))
            self._frame, self._triangle = turn[None] / max(size, 1e-300), np.array([[size]])
            return
        if full:
            frame, self._triangle = np.linalg.qr(np.array(self._turns).T)
            self._frame = frame.T
            return
        inside = self._frame @ turn
        rest = turn - inside @ self._frame
        again = self._frame @ rest  # what rounding left of it
        rest -= again @ self._frame
        size, count = float(np.linalg.norm(rest)), len(inside)
        triangle = np.zeros((count + 1, count + 1))
        triangle[:count, :count], triangle[:count, count] = self._triangle, inside + again
        triangle[count, count] = size
        self._triangle = triangle
        self._frame = np.concatenate([self._frame, rest[None] / max(size, 1e-300)])


@dataclass(frozen=True)
class Stage:
    """Values and rates (stages, components, R) of a step, its end (components, R), and how they were found."""

    solved: bool
    values: np.ndarray
    rates: np.ndarray
    end: np.ndarray
    iterations: int
    stagnation: float = 0.0


def first_rates(form: Form, scheme: Scheme, state: State, last: Step | None) -> np.ndarray:
    """Rates of the last components (stages, fields, R): zero, or what the step before had at its end or extrapolates to."""
    shape = (scheme.stages, len(form.last), state.basis.size)
    if last is None:
        return np.zeros(shape)
    rates, ratio = last.rates[:, form.last], state.length / last.length
    if ratio > 1.6 or last.start.basis is not state.basis:
        return np.repeat(rates[-1:], scheme.stages, axis=0)
    return last.scheme.extended(rates.reshape(len(rates), -1), 1 + ratio * scheme.nodes).reshape(shape)


def solve_stages(
    system: ProjectedRows,
    stages: Stages,
    time: float,
    start: np.ndarray,
    guess: np.ndarray,
    sizes: np.ndarray,
    rules: Rules,
    unseen: Callable[[np.ndarray], np.ndarray] = np.zeros_like,
) -> Stage:
    """Iterate until the change of y, relative to its size, is far below the tolerance of time, or `unseen` beside sizes so far."""
    form, scheme, h = system.form, stages.scheme, stages.step
    goal, rough = 0.02 * rules.time_tol, max(rules.time_tol, 1e-2 * rules.tol)
    times, before = time + h * scheme.nodes, np.inf
    rates = settled(system, guess, form.last) if form.algebraic else guess
    seen = np.maximum(sizes, np.linalg.norm(start, axis=1))
    solved, stagnation, iteration = False, 0.0, 0
    history, sizes_so_far = Acceleration(), []
    for iteration in range(1, STEPS + 1):
        look()
        y, z = form.complete(start, rates, h * scheme.matrix)
        rows = system.residual(times, y, z)
        if not np.all(np.isfinite(rows)):
            break
        change = stages.solve(rows)
        norms = h * np.linalg.norm(change, axis=(0, 2)) / np.sqrt(scheme.stages)
        if not np.all(np.isfinite(norms)):
            break
        rates = history.next(rates, change)
        moved = (scheme.weights @ rates.reshape(scheme.stages, -1)).reshape(rates.shape[1:])
        here = seen.copy()
        here[form.last] = np.maximum(here[form.last], np.linalg.norm(start[form.last] + h * moved, axis=1))
        least = np.maximum(here, unseen(here) / goal)[form.last]
        size = float(np.max(norms / np.maximum(least, 1e-300)))
        if not np.isfinite(size):
            break
        quotient = size / before
        if size < goal or (quotient < 1 and iteration > 1 and size * quotient / (1 - quotient) < goal):
            solved = True
        elif iteration > 2 and quotient > 0.5 and size < rough:
            # Rounding: it will not become smaller, and it is small enough.
            solved, stagnation = True, size
        sizes_so_far.append(size)
        if solved or _hopeless(sizes_so_far):
            break
        before = size
    y, z = form.complete(start, rates, h * scheme.matrix)
    end = start + h * np.tensordot(scheme.weights, z, axes=1)
    return Stage(solved, y, z, end, iteration, stagnation)


def _hopeless(sizes: list[float]) -> bool:
    """Whether an iteration diverges, or has not halved its change in six steps."""
    growing = len(sizes) > 4 and sizes[-1] > 100 * min(sizes)
    return growing or (len(sizes) > 8 and min(sizes[-6:]) > 0.5 * min(sizes[:-6]))
