# SPDX-License-Identifier: MIT
"""Cells of the plane as a formulation: discontinuous Galerkin on cut boxes that are split and joined, Radau IIA in time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from lrfm.adapt.plane import PlaneAdapter
from lrfm.adapt.plane_given import PlaneGiven
from lrfm.discretize.constraint import PlaneSystem, undetermined
from lrfm.discretize.dividers import dividers_of
from lrfm.discretize.evolution import EvolutionSystem, Unsuited
from lrfm.discretize.options import PLANE, Options
from lrfm.discretize.plane_layout import PlaneLayout
from lrfm.discretize.projection import solenoidal
from lrfm.integrate.controller import decide
from lrfm.integrate.estimator import Estimator
from lrfm.integrate.foresee import foreseen
from lrfm.integrate.integrator import Integrator
from lrfm.integrate.radau import Radau
from lrfm.integrate.schemes import radau
from lrfm.integrate.start import consistent_start
from lrfm.integrate.state import Step
from lrfm.problem import Problem
from lrfm.problem.shapes.shape import Shape
from lrfm.rows.plane_steps import PlaneSteps
from lrfm.solver.budget import Budget
from lrfm.solver.integration import IntegrationAttempts, cells_words
from lrfm.spaces.cells.plane.mesh import PlaneMesh
from lrfm.spaces.cells.plane.outline import Outline
from lrfm.spaces.cells.plane.space import PlaneCells
from lrfm.spaces.stored import check_array


@dataclass(frozen=True)
class PlaneFormulation:
    """A statement in the plane on cells."""

    system: EvolutionSystem
    name: str = "plane cells"

    @cached_property
    def outline(self) -> Outline:
        """Arcs of the boundary, and lines at which something given jumps."""
        return Outline(as_shape(self.system.problem.domain), PLANE, dividers_of(self.system))

    def layout(self, options: Options, more: int = 0) -> PlaneLayout:
        """The statement with polynomials of the degree that a tolerance asks for, or more."""
        more += options.degrees_more + (PLANE.degree_undamped if self.system.undamped else 0)
        return PlaneLayout(self.system, self.outline, PLANE.degree(options.asked, more))

    @property
    def _waves(self) -> bool:
        """Whether all boxes are of one size; not so a flow without inertia, which has a pressure."""
        return self.system.undamped and not self.system.algebraic

    def adapter(self, options: Options) -> PlaneAdapter:
        """First cells for a tolerance. Boxes of waves are all of one size, and halving all of them may be more than is needed: a higher degree instead, where that takes fewer unknowns."""
        given, raised = PlaneGiven(self.system), PLANE.raised if self._waves else (0,)
        made = [PlaneAdapter(self.layout(options, more), given, options) for more in raised]
        return made[0] if len(made) == 1 else min(made, key=lambda a: a.initial()[0].size * a.layout.size)

    def integrator(self, options: Options, sizes: np.ndarray | None) -> Integrator:
        """Radau IIA on discontinuous Galerkin."""
        # A step that is repeated costs less than cells that are split in vain.
        options = replace(options, ahead=1.0)
        adapter = self.adapter(options)
        start, end = self.system.problem.time
        estimator = Estimator(adapter, options, (start, end), sizes, self._foreseen(adapter, options, sizes))
        # Waves have factors of their own for every step size.
        scheme = Radau(options.stages, int(self.system.undamped), end - start)
        return Integrator(
            self.system,
            options,
            adapter.given,
            scheme,
            adapter,
            estimator,
            decide,
            consistent=projected_start,
            admissible=solenoidal,
        )

    def _foreseen(
        self, adapter: PlaneAdapter, options: Options, sizes: np.ndarray | None
    ) -> np.ndarray | None:
        """Sizes of what starts from nothing, on the first cells; None where nothing does, or they are known."""
        space, y = adapter.initial()
        if sizes is not None or all(map(np.any, y)) or self.system.algebraic:
            return None
        start, end = self.system.problem.time
        return foreseen(adapter.discretize(space), start, y, np.zeros_like(y), end - start, options)

    def piece(self, steps: Sequence[Step]) -> PlaneSteps:
        """All steps as one piece."""
        system = self.system
        firsts = [system.first[f] for f in system.fields]
        to_legendre = radau(steps[0].rates.shape[0]).to_legendre
        meshes: dict[int, int] = {}
        frames, mesh_of, rows = [], [], []
        for step in steps:
            if id(step.mesh) not in meshes:
                meshes[id(step.mesh)] = len(meshes)
                frames.append(step.mesh.frame)
            mesh_of.append(meshes[id(step.mesh)])
            slopes = step.length * np.tensordot(to_legendre, step.rates[:, firsts], axes=1)
            own = step.mesh.in_products(np.concatenate([step.start[None, firsts], slopes]))
            rows.append(own.transpose(2, 0, 1, 3))
        edges = np.array([*(s.time for s in steps), steps[-1].time + steps[-1].length])
        together = np.ascontiguousarray(np.concatenate(rows))
        return PlaneSteps(tuple(system.fields), edges, np.array(mesh_of), tuple(frames), together)

    def words(self, steps: Sequence[Step]) -> Mapping[str, str]:
        """Scheme, number of cells and their degree."""
        return cells_words(steps, steps[0].mesh.degree)

    def shape(self, mesh: PlaneCells, options: Options) -> tuple[int, int]:
        """Of its own degree."""
        return mesh.functions, options.stages

    def undetermined(self, steps: Sequence[Step]) -> Sequence[str]:
        """Pressures whose value no condition holds."""
        return [self.system.components[c][0] for c in undetermined(self.system)]

    def mesh_record(self, mesh: PlaneCells) -> list[Any]:
        """The boxes, and the degree."""
        m = mesh.mesh
        return [m.low, m.high, list(m.grid), m.level, m.index, mesh.degree]

    def mesh_from(self, record: Sequence[Any]) -> PlaneCells:
        """The cells again; ValueError where they are none."""
        low, high, grid, level, index, degree = record
        check_array("low", low, (2,))
        check_array("high", high, (2,))
        if index.shape != (len(level), 2) or not len(level) or level.min() < 0 or not 0 < degree < 40:
            raise ValueError("a mesh has no boxes")
        mesh = PlaneMesh(low, high, (int(grid[0]), int(grid[1])), level, index)
        return PlaneCells(self.outline, mesh, int(degree))


def projected_start(made: Any, time: float, y: np.ndarray, duration: float) -> tuple[np.ndarray, np.ndarray]:
    """A consistent start from a velocity that satisfies its constraint."""
    return consistent_start(made, time, solenoidal(made, time, y, np.zeros_like(y))[0], duration)


def as_shape(domain: Any) -> Shape:
    """A box or a shape as a shape; Unsuited for what is neither."""
    found = getattr(domain, "shape", None)
    if not isinstance(found, Shape):
        raise Unsuited("Cells of the plane hold boxes and shapes, and this domain is neither.")
    return found


def plane_attempts(
    problem: Problem, tol: float, budget: Budget, estimate: bool, asked: bool
) -> IntegrationAttempts:
    """Attempts on cells of the plane; Unsuited where the statement is none for them."""
    form = PlaneFormulation(PlaneSystem(problem))
    if not asked and problem.domain.is_box and not dividers_of(form.system):
        raise Unsuited("Products of functions over the whole box hold what does not jump.")
    form.layout(Options(tol=tol)).check()
    given = PlaneGiven(form.system)
    from_nothing = not all(map(np.any, given.initial(given.places)))
    # No other engine has an answer for a pressure on a region.
    halved = not asked and (problem.domain.is_box or not form.system.multipliers)
    return IntegrationAttempts(form, tol, budget, estimate, halved, from_nothing)
