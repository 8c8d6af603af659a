# SPDX-License-Identifier: MIT
"""The parts of an integrator, each known to the others by what it does.

A *space* is whatever an adapter makes and a discretization lives on: cells of an interval, cells of the plane, modes of a series. States are arrays
(components, cells, coefficients) in all of them; a series is one cell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Protocol

import numpy as np

from lrfm.discretize.evolution import EvolutionSystem
from lrfm.discretize.options import Options
from lrfm.integrate.controller import Decision, Errors
from lrfm.integrate.schemes.radau import Iteration, StepResult
from lrfm.integrate.state import IntegratorState, Step
from lrfm.linalg.banded import PatternSolver, Solve

Transfer = Callable[[np.ndarray], np.ndarray]


class Space(Protocol):
    """Cells with functions on them."""

    @property
    def size(self) -> int:
        """How many cells there are."""
        ...

    @property
    def moves(self) -> bool:
        """Whether cells move within a step."""
        ...


class LinearOperator(Protocol):
    """A(s) = Σ_p s^p B_p, linearized at one state."""

    @property
    def rate(self) -> float:
        """Rate of convergence of Newton's method that its solutions are known to have; one where nothing is known."""
        ...

    def at(self, shift: complex) -> Solve:
        """The solution of A(s) z = r as a function of r."""
        ...

    def roughly(self, shift: complex) -> Solve:
        """The same to the two digits that an estimate of an error needs."""
        ...

    def apply(self, vector: np.ndarray, power: int) -> np.ndarray:
        """B_p v of the rows in which rates occur; zero in all others."""
        ...


class Rows(Protocol):
    """The rows of a discretization at some times."""

    def residual(self, y: np.ndarray, z: np.ndarray) -> np.ndarray:
        """F of all rows: y and z are (times, components, cells, size), the result (times, n)."""
        ...


class Discretization(Protocol):
    """A statement on a space: F(t, y, y′) = 0 in coefficients."""

    @property
    def mesh(self) -> Any:
        """The space that it lives on."""
        ...

    @property
    def system(self) -> EvolutionSystem:
        """The statement as rows in y and y′."""
        ...

    @property
    def size(self) -> int:
        """How many rows and unknowns there are."""
        ...

    @property
    def shares(self) -> np.ndarray:
        """Each cell's part of the domain."""
        ...

    @property
    def auxiliary(self) -> list[int]:
        """Components that stand for means and values in formulas, and whose errors count by what they do."""
        ...

    @property
    def filters(self) -> bool:
        """Whether A(s) alone says what the equation leaves of an error."""
        ...

    def at(self, times: np.ndarray) -> Rows:
        """The rows at some times, with all that is given there: residuals of an iteration share it."""
        ...

    def linearize(self, time: float, y: np.ndarray, z: np.ndarray) -> LinearOperator:
        """A(s) at a state."""
        ...

    def scatter(self, vector: np.ndarray) -> np.ndarray:
        """Coefficients (…, fields, cells, size) from a vector (…, n)."""
        ...

    def gather(self, coefficients: np.ndarray) -> np.ndarray:
        """The vector (…, n) of coefficients (…, fields, cells, size)."""
        ...

    def norms(self, coefficients: np.ndarray) -> np.ndarray:
        """Root mean squares over space."""
        ...

    def predicted(self, rates: np.ndarray) -> np.ndarray:
        """Rates that were extended from an earlier step, without rounding that no row feels: it would be extended on and on. Of implicit schemes."""
        ...


class TimeScheme(Protocol):
    """One step."""

    def longest(self, made: Any, state: IntegratorState) -> float:
        """The longest step from a state: explicit schemes have one."""
        ...

    def beside(self, made: Any, length: float, gain: float, stages: int) -> float:
        """The longest step where another solve took one of this length, for an error in time that is smaller by a factor; infinite where steps have none."""
        ...

    def quantized(self, length: float) -> float:
        """The step size to be taken in the place of a given one: a scheme that keeps matrices by it takes few different ones."""
        ...

    def step(
        self,
        made: Any,
        pencil: Any,
        state: IntegratorState,
        length: float,
        iteration: Iteration,
    ) -> StepResult:
        """An attempt at a step of some length, with its error in time."""
        ...

    def kept(self, rates: np.ndarray) -> np.ndarray:
        """Rates at the stages as a step keeps them for its polynomial in time, in as many digits as are worth it."""
        ...

    def middle(self, state: IntegratorState, length: float) -> tuple[float, np.ndarray, np.ndarray]:
        """A time within the next step, with y and y′ expected there: where its rows are linearized."""
        ...

    def begun(
        self, made: Any, start: np.ndarray, rates: np.ndarray, length: float
    ) -> tuple[np.ndarray, np.ndarray]:
        """The very first step as it is kept: algebraic unknowns have no data at the start, and are continued to it from the stages."""
        ...


class ErrorEstimator(Protocol):
    """What errors of a step contribute to the error of the solution."""

    def sizes(self, made: Any, state: IntegratorState, y: np.ndarray, z: np.ndarray) -> np.ndarray:
        """What errors are relative to, by component."""
        ...

    def contributions(
        self, made: Any, pencil: Any, state: IntegratorState, result: StepResult, length: float
    ) -> tuple[Errors, np.ndarray]:
        """Errors in time and space with their budgets, and the space error by cell in units of its budget."""
        ...


# From errors, the step size, the options and whether cells can be split to a decision; a pure function.
Controller = Callable[[Errors, float, Options, bool], Decision]


class SpaceErrors(Protocol):
    """What the coefficients of cells say of the error in space."""

    @property
    def driven(self) -> np.ndarray:
        """What data make of each component at the most, where it starts from nothing."""
        ...

    def tails(self, made: Any, y: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        """What each cell leaves out of each component, relative to its size; all cells at the budget are the budget together."""
        ...

    def rough(self, made: Any, y: np.ndarray) -> np.ndarray:
        """The same as a function that cells hold: (fields, cells, size)."""
        ...

    def given_tails(self, made: Any, time: float) -> np.ndarray:
        """The same of given functions that move, relative to themselves."""
        ...

    def marked(self, worst: np.ndarray, budget: float, growth: np.ndarray | float = 1.0) -> np.ndarray:
        """The errors of cells such that the largest is the error in space, and that those above the budget are to be split; `growth` of each in one more step like the last."""
        ...


class SpaceAdapter(Protocol):
    """Makes the first space, changes it, and discretizes the statement on it. What a change looks like only the adapter knows."""

    def initial(self) -> tuple[Any, np.ndarray]:
        """A space on which what is given is resolved, and the state there."""
        ...

    def discretize(self, mesh: Any) -> Any:
        """The statement on a space: a `Discretization`."""
        ...

    def refinement(self, mesh: Any, tails: np.ndarray, y: np.ndarray | None = None) -> Any:
        """The change that the space error by cell, in units of the budget, asks for; None where there is none, or none is possible."""
        ...

    def following(self, made: Any, state: IntegratorState, sizes: np.ndarray, refinement: Any) -> Any:
        """The change after an accepted step: a refinement, if any, and what can be coarsened beside it; None for no change."""
        ...

    def changed(self, mesh: Any, change: Any) -> tuple[Any, Transfer]:
        """The other space, and what takes coefficients (…, components, cells, size) to it."""
        ...


class GivenInTime(Protocol):
    """When what is given jumps or changes fast."""

    @property
    def times(self) -> Any:
        """Singular times (an array), inside of the time span; a step ends at each."""
        ...

    def limit(self, time: float) -> float:
        """The longest step from here that passes over nothing."""
        ...


class Integrates(Protocol):
    """From the start to the end: one that adapts its space and steps, or one on those that are known."""

    def begin(self) -> IntegratorState:
        """The state at the start."""
        ...

    def run(self, state: IntegratorState) -> Iterator[tuple[IntegratorState, *tuple[Step, ...]]]:
        """States until the end, each with the steps from the one before: one step, or as many as were found at once."""
        ...


# (discretization, t₀, y₀, T) → y₀ with algebraic components settled, and the rates of all components.
ConsistentStart = Callable[[Any, float, np.ndarray, float], tuple[np.ndarray, np.ndarray]]

# (discretization, t, y, y′) → the nearest state and rates that satisfy constraints on the moving components alone: those of a velocity.
Projection = Callable[[Any, float, np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]


__all__ = [
    "ConsistentStart",
    "Controller",
    "Discretization",
    "ErrorEstimator",
    "GivenInTime",
    "Integrates",
    "LinearOperator",
    "PatternSolver",
    "Projection",
    "Rows",
    "Space",
    "SpaceAdapter",
    "SpaceErrors",
    "TimeScheme",
    "Transfer",
]
