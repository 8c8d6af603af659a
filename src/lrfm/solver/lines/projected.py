# SPDX-License-Identifier: MIT
"""What projected rows of a statement are, whatever basis they are projected on: as many as there are coefficients.

F_e(t, V y, V y') against tests, conditions beside them;  V y are sums over the functions of the basis and their derivatives.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any, Generic, TypeVar

import numpy as np

from lrfm.problem import Jet, Row
from lrfm.problem.algebra import Number
from lrfm.solver.lines.flat import columns
from lrfm.solver.lines.form import Entry, Form
from lrfm.spaces.bases import Basis, BasisGrid

Coefficients = dict[Entry, np.ndarray]

G = TypeVar("G", bound=BasisGrid)


@dataclass(frozen=True)
class Place(Generic[G]):
    """Where a row holds and how its values become rows of the system: the grid and the tests of each axis."""

    row: Row
    grid: G
    tests: list[np.ndarray]
    complements: list[np.ndarray | None]
    face: int | None = None

    @property
    def size(self) -> int:
        return prod(len(t) for t in self.tests)


class ProjectedRows(ABC):
    """The projected rows of a form on one basis; tests belong to the state they were last set at."""

    places: Sequence[Place[Any]]  # of the equations first

    def __init__(self, form: Form, basis: Basis):
        self.form, self.basis = form, basis
        self.shape = (len(form.components), basis.size)
        self._products: dict[tuple[int, tuple[int, ...]], np.ndarray] = {}
        self._masses: dict[int, float] = {}
        self.reduction: Any = None  # null spaces of constraints, kept by `saddle` as long as they stay
        self.gauge: np.ndarray | None = None  # what rows do not feel of algebraic unknowns, kept by `gauge`
        self.balance: Any = None  # what has to balance for them to have a solution, kept by `compatible`
        self.undetermined: list[Any] = []  # both in words

    @property
    @abstractmethod
    def borders(self) -> list[BasisGrid]:
        """The places of conditions."""

    @property
    @abstractmethod
    def owners(self) -> list[int]:
        """The component that each group of rows determines, in their order."""

    @property
    @abstractmethod
    def sizes(self) -> list[int]:
        """How many rows each group has."""

    @abstractmethod
    def set_tests(self, time: float, y: np.ndarray, z: np.ndarray) -> None:
        """Make the tests for conditions linearized at a state (components, R)."""

    @abstractmethod
    def residual(self, times: np.ndarray, y: np.ndarray, z: np.ndarray) -> np.ndarray:
        """All rows at several times: (times, rows)."""

    @abstractmethod
    def linearize(self, time: float, y: np.ndarray, z: np.ndarray) -> list[np.ndarray]:
        """A₀, A₁, … at a state: the rows depend on the rates X of the last components by A(s) = Σ_p sᵖ A_p."""

    @abstractmethod
    def constrain(self, time: float, y: np.ndarray, sweeps: int = 4) -> np.ndarray:
        """Coefficients close to y that satisfy the conditions."""

    def jets(
        self,
        jets: Iterable[Jet],
        grid: BasisGrid,
        y: np.ndarray,
        z: np.ndarray,
        known: dict[Entry, np.ndarray],
    ) -> dict[Jet, np.ndarray]:
        """D^a u on a grid at several times, from coefficients (times, components, R): flat arrays, time slowest."""
        found = {}
        for jet in jets:
            entry = self.form.entry(jet)
            if entry not in known:
                known[entry] = grid.evaluate(
                    (z if entry.rate else y)[:, entry.component], entry.index
                ).ravel()
            found[jet] = known[entry]
        return found

    def at_times(self, grid: BasisGrid, times: np.ndarray) -> np.ndarray:
        """Points (times · places, d + 1) of a grid at several times."""
        points = np.empty((len(times), grid.size, self.basis.grid.points.shape[1] + 1))
        points[:, :, :-1] = grid.points
        points[:, :, -1] = times[:, None]
        return points.reshape(-1, points.shape[2])

    def slopes(self, row: Row, grid: BasisGrid, time: float, y: np.ndarray, z: np.ndarray) -> Coefficients:
        """∂F/∂(D^a u) on a grid: arrays, or 0-d where constant."""
        points = self.at_times(grid, np.array([time]))
        found = {self.form.entry(jet): values for jet, values in row.coefficients(points).items()}
        if not row.linear:
            jets = self.jets(row.nonlinear_jets, grid, y[None], z[None], {})
            for jet, values in row.nonlinear(points, jets, picard=False)[1].items():
                entry = self.form.entry(jet)
                found[entry] = found[entry] + values if entry in found else values
        return found

    def mass(self, row: Row, grid: BasisGrid, time: float, y: np.ndarray, z: np.ndarray) -> float:
        """The mean size of ∂F/∂(D^a u'), one where there is none; kept where it stays the same."""
        if id(row) not in self._masses:
            slopes = self.slopes(row, grid, time, y, z)
            found = [float(np.mean(np.abs(values))) for entry, values in slopes.items() if entry.rate]
            mass = float(np.mean(found)) if found else 1.0
            if not (row.stationary or self._steady_rates(row)):
                return mass
            self._masses[id(row)] = mass
        return self._masses[id(row)]

    def _steady_rates(self, row: Row) -> bool:
        """Whether the coefficients of all rates are numbers."""
        entry = self.form.entry
        plain = all(isinstance(c, Number) for jet, c in row.linear_part.items() if entry(jet).rate)
        return plain and not any(entry(jet).rate for jet in row.nonlinear_jets)

    def held_products(self, own: int) -> list[np.ndarray]:
        """The functions that a component is made of, as orthonormal columns along each axis: all of them."""
        return [np.eye(n) for n in self.basis.shape]

    @cached_property
    def columns(self) -> np.ndarray | None:
        """E: the functions that fields are made of, as columns (`flat`)."""
        return columns(self)
