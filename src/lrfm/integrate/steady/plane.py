# SPDX-License-Identifier: MIT
"""Steady statements on cells of the plane: discontinuous Galerkin on cut boxes, sparse matrices, boxes in quarters."""

from __future__ import annotations

from functools import cached_property
from typing import Self

import numpy as np

from lrfm.adapt.plane import PlaneAdapter, PlaneChange
from lrfm.adapt.plane_given import PlaneGiven
from lrfm.discretize.evolution import PLACES, EvolutionSystem, Unsuited
from lrfm.discretize.line.collocation import _slopes
from lrfm.discretize.options import PLANE, STEADY, Options
from lrfm.discretize.plane.constraint import PlaneSystem, SecondOrderSystem, undetermined
from lrfm.discretize.plane.dividers import outline_of
from lrfm.discretize.plane.layout import PlaneLayout
from lrfm.integrate.steady.stationary import SpaceEquations
from lrfm.linalg.sparse import sparse_solver
from lrfm.problem import Problem, Row
from lrfm.problem.absent import STILL
from lrfm.problem.algebra import number
from lrfm.problem.errors import listing
from lrfm.problem.outflow import pressures
from lrfm.rows.plane_steps import PlaneSteps
from lrfm.spaces.cells.plane.space import PlaneCells


class StandingSystem(SecondOrderSystem):
    """A steady statement in which each field has the equation with its own second derivatives, and these a positive coefficient in −div(a ∇u): what is carried is upwinded so.

    A pressure has none: that it is one is read off the equations, since nothing moves that could choose its own first.
    """

    def __init__(self, problem: Problem):
        super().__init__(problem)
        rows = self.equations
        self.equations = [self._oriented(field, row) for field, row in zip(self.fields, rows, strict=True)]
        self.signs = [1.0 if one is other else -1.0 for one, other in zip(rows, self.equations, strict=True)]

    @property
    def undamped(self) -> bool:
        """Nothing moves, waves neither."""
        return False

    @property
    def forgets(self) -> bool:  # type: ignore[override]
        """What cells leave out stays where it is."""
        return True

    @cached_property
    def _pressures(self) -> list[str]:
        return pressures(self.problem.rows)

    def _misfit(self, field: str, row: Row) -> float:
        if field in self._pressures:
            return np.inf
        order = _highest(field, row)
        most = max(_highest(field, other) for other in self.problem.rows)
        return super()._misfit(field, row) + (0.0 if order == most else 1.0)

    def _oriented(self, field: str, row: Row) -> Row:
        """The row or its negative; Unsuited where it holds derivatives, but none of the second order of its own field, and is no constraint."""
        if self.first[field] in self.multipliers:
            return row
        orders = {sum(jet.index[:-1]) for jet in row.jets}
        if _highest(field, row) < 2:
            if max(orders, default=0) > 0:
                raise Unsuited(
                    f"The equation of `{field}` has no second derivatives of it; steady states in the plane are solved for where each has. Write first-order "
                    "systems with one unknown, such as lap(u) for div(grad(u)), or solve in time."
                )
            return row
        slopes = _slopes(row, some_places(self.problem), {jet: np.ones(PLACES) for jet in row.jets})
        total = np.zeros(PLACES)
        for jet, slope in slopes.items():
            if jet.whole == field and max(jet.index[:-1]) == 2:
                total = total + slope
        return row if np.sum(total) <= 0 else Row(number(-1.0) * row.expression, row.coordinates, row.label)


def some_places(problem: Problem) -> np.ndarray:
    """Some points of the domain."""
    found = problem.domain.quadrature(PLACES**2).points
    some = found[np.linspace(0, len(found) - 1, PLACES).astype(int)]
    return np.column_stack([some, np.zeros(PLACES)])


def _highest(field: str, row: Row) -> int:
    return max((sum(jet.index[:-1]) for jet in row.jets if jet.field == field), default=-1)


class PlaneEquations(SpaceEquations):
    """F(y) = 0 on cells of the plane."""

    bordered = staticmethod(sparse_solver)

    @staticmethod
    def system_of(problem: Problem) -> EvolutionSystem:
        """Oriented rows where nothing moves."""
        return StandingSystem(problem) if problem.steady else PlaneSystem(problem)

    @staticmethod
    def adapter_of(system: EvolutionSystem, options: Options) -> PlaneAdapter:
        """With polynomials of the degree that a tolerance asks for."""
        known = system.__dict__.setdefault("_outline", [])
        if not known:
            known.append(outline_of(system))
        domain = system.problem.domain
        # A steady solve factors few times, and boxes cut no cells: few of high degree are cheaper than many of low degree. A pressure has log r or 1/r at their corners, which no degree helps.
        degree = PLANE.degree(
            options.asked,
            options.comparison,
            0 if domain.is_box and not system.multipliers else domain.dimension,
        )
        layout = PlaneLayout(system, known[0], degree)
        layout.check()
        return PlaneAdapter(layout, PlaneGiven(system), options)

    @classmethod
    def coarse(cls, system: EvolutionSystem, options: Options) -> Self:
        """On root boxes, with polynomials of the lowest degree there is."""
        adapter = cls.adapter_of(system, Options(tol=STEADY.rest))
        return cls(adapter, adapter.space(adapter._roots()), options)

    @staticmethod
    def beginning(adapter: PlaneAdapter, first: SpaceEquations) -> tuple[PlaneCells, np.ndarray]:
        """As small as those of the first solve, and raised as they were."""
        return adapter.beside(first.mesh.mesh, first.mesh.degree - first.adapter.layout.degree)

    def forget(self) -> None:
        """Matrices and loads of linear statements are kept."""
        for name in ("fixed", "steady_load"):
            self.made.__dict__.pop(name, None)
        super().forget()

    def constant(self, i: int) -> np.ndarray:
        """∫ φ over the area of each cell: the first function is one, all others have no mean."""
        y = self.made.scatter(np.zeros(self.made.size))
        y[i, :, 0] = 1.0
        return self.made.gather(y)

    def cell_tails(self, y: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        """By field and cell, with the factors of errors."""
        return super().cell_tails(y, sizes) * self._distances

    @property
    def inner(self) -> np.ndarray:
        """All: conditions are part of the equations."""
        return np.ones(self.made.size, dtype=bool)

    def sign(self, i: int) -> float:
        """Rows are turned where their diffusion is negative."""
        return self.made.system.signs[i]

    def everywhere(self) -> PlaneChange:
        """All boxes in quarters."""
        every = np.ones(self.mesh.mesh.leaves, dtype=bool)
        return PlaneChange(every, ~every)

    def given(self) -> float:
        """∫ of the modulus of the load, cell by cell."""
        nothing = np.zeros((1, len(self.made.system.components), self.mesh.size, self.mesh.functions))
        load = self.made.scatter(self.made.at(np.zeros(1)).residual(nothing, nothing)[0])[list(self.pinned)]
        return float(np.sum(self.mesh.areas * np.sqrt(np.sum(load**2, axis=(0, 2))))) + np.finfo(float).tiny

    def values(self, y: np.ndarray) -> np.ndarray:
        """At the points of the cells' rules."""
        found = [
            (y[:, b.cells, None, :] * b.values).sum(axis=-1).reshape(len(y), -1) for b in self.mesh.batches
        ]
        return np.concatenate(found, axis=1)

    def piece(self, u: np.ndarray) -> PlaneSteps:
        """The state as a step in which nothing moves."""
        y = self.mesh.in_products(self.scattered(u))
        rows = np.zeros((y.shape[1], 2, y.shape[0], y.shape[2]))
        rows[:, 0] = y.transpose(1, 0, 2)
        known = [i for i in range(len(y)) if i not in self.made.system.laplacians]
        fields, rows = tuple(self.made.system.fields[i] for i in known), rows[:, :, known]
        return PlaneSteps(fields, np.array(STILL), np.zeros(1, dtype=np.int64), (self.mesh.frame,), rows)

    def rule(self, other: Self) -> tuple[np.ndarray, np.ndarray]:
        """The rules of the cells; those of the other discretization are as good."""
        points = np.concatenate([b.points.reshape(-1, self.mesh.dimension) for b in self.mesh.batches])
        weights = [(self.mesh.areas[b.cells][:, None] * b.weights).ravel() for b in self.mesh.batches]
        return np.column_stack([points, np.zeros(len(points))]), np.concatenate(weights)

    @cached_property
    def _spikes(self) -> tuple[list[int], np.ndarray]:
        """Pressures that grow like 1/r where a given velocity jumps, and are not square integrable; and where that is. Their errors are those of r p."""
        system, found = self.made.system, self.made.layout.jumps
        return [system.last.index(c) for c in system.multipliers if found], np.array(found).reshape(-1, 2)

    def weights(self, field: str, points: np.ndarray) -> np.ndarray:
        """The distance from the nearest corner at which it grows like 1/r."""
        fields, spikes = self._spikes
        if self.made.system.fields.index(field) not in fields:
            return np.ones(len(points))
        return np.min(np.linalg.norm(points[:, None, :2] - spikes, axis=-1), axis=1)

    @cached_property
    def _distances(self) -> np.ndarray:
        """The same as root mean squares over cells, (fields, cells)."""
        result = np.ones((len(self.made.system.fields), self.mesh.size))
        for i in self._spikes[0]:
            for b in self.mesh.batches:
                found = self.weights(self.made.system.fields[i], b.points.reshape(-1, 2)).reshape(
                    b.weights.shape
                )
                result[i, b.cells] = np.sqrt(np.sum(b.weights * found**2, axis=1) / np.sum(b.weights, axis=1))
        return result

    def norms(self, y: np.ndarray) -> np.ndarray:
        """With these distances."""
        return self.made.norms(y * self._distances[..., None])

    @property
    def weighted(self) -> str:
        """Which fields, and where."""
        fields, spikes = self._spikes
        if not fields:
            return ""
        names = listing([self.made.system.fields[i] for i in fields])
        return (
            f"{names} grows like 1/r at {', '.join(f'({x:.4g}, {y:.4g})' for x, y in spikes + 0.0)}, where what is given on the boundary jumps, and is not square integrable: "
            "its error is that of r times it, r the distance from there."
        )

    def singular(self, budget: float) -> PlaneChange | None:
        """Boxes at corners with r^α are split until (h/L)^(2α) is below the budget: an error of functions and eigenvalues alike."""
        leaves = self.mesh.mesh
        split = self.adapter._at_corners(leaves, budget) & (leaves.depth < self.adapter.deepest)
        return PlaneChange(split, np.zeros_like(split)) if split.any() else None

    def blunt(self, budget: float, u: np.ndarray | None = None) -> bool:
        """Boxes at corners of the greatest depth, as far as a state has any of r^α there."""
        if not self.adapter._at_corners(self.mesh.mesh, budget).any():
            return False
        if u is None:
            return True
        y = self.scattered(u)
        return bool(self.adapter.at_corners(self.mesh, budget, y, self.sizes(u)).any())

    @property
    def gauged(self) -> list[int]:
        """Pressures that no condition holds: their rows are pinned, and their mean taken away, by the discretization itself."""
        return undetermined(self.made.system)

    @property
    def degree(self) -> int:
        """Of the polynomials."""
        return self.mesh.degree
