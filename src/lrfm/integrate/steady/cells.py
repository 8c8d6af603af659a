# SPDX-License-Identifier: MIT
"""Steady statements on cells of an interval: collocation, band matrices, halves."""

from __future__ import annotations

from typing import Self

import numpy as np

from lrfm.adapt.cells import CellAdapter, Change
from lrfm.adapt.given import Given
from lrfm.discretize.evolution import EvolutionSystem, Unsuited
from lrfm.discretize.line.layout import Layout, points_of
from lrfm.discretize.line.structural import StandingLine
from lrfm.discretize.options import SCANS, Options
from lrfm.integrate.steady.stationary import SpaceEquations
from lrfm.linalg.banded import Bordered
from lrfm.problem import Problem
from lrfm.problem.absent import STILL
from lrfm.rows.cell_steps import CellSteps
from lrfm.spaces.cells import Mesh


class CellEquations(SpaceEquations):
    """F(y) = 0 on cells of an interval."""

    bordered = Bordered

    @staticmethod
    def system_of(problem: Problem) -> EvolutionSystem:
        """As for evolutions, where nothing moves with equations that determine their fields."""
        return StandingLine(problem) if problem.steady else EvolutionSystem(problem)

    @staticmethod
    def adapter_of(system: EvolutionSystem, options: Options) -> CellAdapter:
        """With as many points per cell as the tolerance asks for."""
        layout = Layout(system, points_of(system, options))
        layout.check()
        if system.multipliers:
            raise Unsuited("An unknown does not occur in its own equation.")
        return CellAdapter(layout, Given(system), options)

    @classmethod
    def coarse(cls, system: EvolutionSystem, options: Options) -> Self:
        """On a few equal cells."""
        box = system.problem.domain
        edges = np.linspace(float(box.lower[0]), float(box.upper[0]), SCANS.cells + 1)
        mesh = Mesh.of(edges, bool(system.problem.periodic))
        return cls(cls.adapter_of(system, options), mesh, options)

    def forget(self) -> None:
        """Rows that do not change in time are kept."""
        self.made.forget()
        super().forget()

    def constant(self, i: int) -> np.ndarray:
        """One at the points of all cells."""
        result = np.zeros(self.made.size)
        result[self.made.numbers.rows_of[i].ravel()] = 1.0
        return result

    @property
    def inner(self) -> np.ndarray:
        """Rows of points; joints and conditions have rows of their own."""
        result = np.zeros(self.made.size, dtype=bool)
        for rows in self.made.numbers.rows_of.values():
            result[rows.ravel()] = True
        return result

    def everywhere(self) -> Change:
        """All cells in halves; a point has none."""
        every = np.full(self.mesh.size, self.made.layout.size > 1)
        return Change(every, np.zeros_like(every))

    def given(self) -> float:
        """The largest source times the length, and data at the ends."""
        made, length = self.made, float(np.sum(self.mesh.widths))
        nothing = np.zeros((1, len(made.system.components), made.mesh.size, made.layout.size))
        found = made.at(np.zeros(1)).residual(nothing, nothing)[0]
        inner = [np.max(np.abs(found[made.numbers.rows_of[i]]), initial=0.0) for i in self.pinned]
        ends = [abs(float(found[at])) for at in made.numbers.rows_of_conditions]
        return length * float(max(inner, default=0.0)) + sum(ends) + np.finfo(float).tiny

    def values(self, y: np.ndarray) -> np.ndarray:
        """At the points of collocation."""
        return (y @ self.made.layout.reference.at_points[0].T).reshape(len(y), -1)

    def piece(self, u: np.ndarray) -> CellSteps:
        """The state as a step in which nothing moves."""
        y = self.scattered(u)
        rows = np.zeros((y.shape[1], 2, y.shape[0], y.shape[2]))
        rows[:, 0] = y.transpose(1, 0, 2)
        edges = self.mesh.edges
        return CellSteps(
            tuple(self.made.system.fields),
            np.array(STILL),
            np.zeros(1, dtype=np.int64),
            edges.copy(),
            np.array([0, len(edges)]),
            rows,
        )

    def rule(self, other: Self) -> tuple[np.ndarray, np.ndarray]:
        """Gauss' rule between all edges of both."""
        edges = np.union1d(self.mesh.edges, other.mesh.edges)
        nodes, weights = np.polynomial.legendre.leggauss(SCANS.nodes)
        half = 0.5 * np.diff(edges)
        x = (0.5 * (edges[:-1] + edges[1:])[:, None] + half[:, None] * nodes).ravel()
        return np.column_stack([x, np.zeros_like(x)]), (half[:, None] * weights).ravel()

    @property
    def degree(self) -> int:
        """Of the polynomials."""
        return self.made.layout.size - 1
