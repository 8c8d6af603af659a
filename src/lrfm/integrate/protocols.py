# SPDX-License-Identifier: MIT
"""The parts of an integrator, each known to the others by what it does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np

from lrfm.discretize.collocation import CellCollocation, Pencil
from lrfm.discretize.options import Options
from lrfm.integrate.controller import Decision, Errors
from lrfm.integrate.radau import Norm, StepResult
from lrfm.integrate.state import IntegratorState
from lrfm.linalg.banded import PatternSolver
from lrfm.spaces.cells import Mesh, Regrid


class Space(Protocol):
    """Cells with functions on them."""

    @property
    def size(self) -> int:
        """How many cells there are."""
        ...

    @property
    def widths(self) -> np.ndarray:
        """Of each cell."""
        ...

    def places(self, reference: np.ndarray) -> np.ndarray:
        """Where places of the reference cell lie in each cell."""
        ...

    def locate(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The cell of each place, and the place in it."""
        ...

    def regrid(self, split: np.ndarray, join: np.ndarray) -> tuple[Mesh, Regrid]:
        """Other cells, and how they follow from these."""
        ...


class Discretization(Protocol):
    """A statement on a space: F(t, y, y′) = 0 in coefficients."""

    @property
    def size(self) -> int:
        """How many rows and unknowns there are."""
        ...

    @property
    def solver(self) -> PatternSolver:
        """What factors its matrices: the protocol of linear solvers is `PatternSolver`."""
        ...

    def residual(self, times: np.ndarray, y: np.ndarray, z: np.ndarray) -> np.ndarray:
        """All rows at some times."""
        ...

    def linearize(self, time: float, y: np.ndarray, z: np.ndarray) -> Pencil:
        """A(s) at a state."""
        ...

    def norms(self, coefficients: np.ndarray) -> np.ndarray:
        """Root mean squares over space."""
        ...


class TimeScheme(Protocol):
    """One step."""

    def step(
        self,
        made: CellCollocation,
        pencil: Pencil,
        state: IntegratorState,
        length: float,
        norm: Norm,
        goal: float,
        most: int,
        known_rate: float,
    ) -> StepResult:
        """An attempt at a step of some length, with its error in time."""
        ...


class ErrorEstimator(Protocol):
    """What errors of a step contribute to the error of the solution."""

    def sizes(
        self, made: CellCollocation, state: IntegratorState, y: np.ndarray, z: np.ndarray
    ) -> np.ndarray:
        """What errors are relative to, by component."""
        ...

    def contributions(
        self,
        made: CellCollocation,
        pencil: Pencil,
        state: IntegratorState,
        result: StepResult,
        length: float,
    ) -> tuple[Errors, np.ndarray]:
        """Errors in time and space with their budgets, and the space error by cell in units of its budget."""
        ...


# From errors, the step size, the options and whether cells can be split to a decision; a pure function.
Controller = Callable[[Errors, float, Options, bool], Decision]


class SpaceAdapter(Protocol):
    """Makes the first cells and changes them."""

    def initial(self) -> tuple[Mesh, np.ndarray]:
        """Cells on which what is given is resolved, and the state there."""
        ...

    def splits(self, mesh: Mesh, tails: np.ndarray, budget: float) -> np.ndarray:
        """Cells to be split, by their space errors."""
        ...

    def joins(
        self, made: CellCollocation, y: np.ndarray, sizes: np.ndarray, budget: float, protected: np.ndarray
    ) -> np.ndarray:
        """Left halves to be joined with their right ones."""
        ...

    def transfer(self, regrid: Regrid, arrays: np.ndarray) -> np.ndarray:
        """Coefficients on other cells."""
        ...
