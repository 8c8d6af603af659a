# SPDX-License-Identifier: MIT
"""Cells of the plane and of space as a formulation: discontinuous Galerkin on cut boxes that are split and joined, Radau IIA in time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from lrfm.adapt.plane import PlaneAdapter, TooMany
from lrfm.adapt.plane_given import PlaneGiven
from lrfm.discretize.evolution import EvolutionSystem
from lrfm.discretize.options import COSTS, PLANE, RATIONAL, Options
from lrfm.discretize.plane.constraint import PlaneSystem, undetermined
from lrfm.discretize.plane.dividers import outline_of
from lrfm.discretize.plane.layout import PlaneLayout
from lrfm.discretize.plane.order_four import laplacian_of
from lrfm.discretize.plane.projection import Leray
from lrfm.integrate.controller import decide
from lrfm.integrate.estimator import Estimator
from lrfm.integrate.foresee import foreseen_by
from lrfm.integrate.integrator import Integrator
from lrfm.integrate.schemes.diagonal import STAGES, DiagonalRungeKutta
from lrfm.integrate.schemes.oscillations import Oscillations
from lrfm.integrate.schemes.radau import Radau
from lrfm.integrate.schemes.rational import RationalKrylov
from lrfm.integrate.schemes.tableaus import radau
from lrfm.integrate.start import consistent_start
from lrfm.integrate.state import Step, spaces_of
from lrfm.problem import Problem
from lrfm.rows.carried import Carried
from lrfm.rows.pieces import Piece
from lrfm.rows.plane_steps import PlaneSteps
from lrfm.solver.attempts import IntegrationAttempts
from lrfm.solver.engine import Wanted
from lrfm.solver.integration import cells_words
from lrfm.spaces.cells.plane.mesh import PlaneMesh
from lrfm.spaces.cells.plane.outline import Outline
from lrfm.spaces.cells.plane.space import PlaneCells
from lrfm.spaces.stored import check_array


@dataclass(frozen=True)
class PlaneFormulation:
    """A statement in the plane or in space on cells."""

    system: EvolutionSystem
    name: str = "plane cells"
    chained = False  # boxes of a comparison are shifted once, and halved as often as they may be

    @cached_property
    def outline(self) -> Outline:
        """Arcs or surfaces of the boundary, and those at which something given jumps."""
        return outline_of(self.system)

    @cached_property
    def given(self) -> PlaneGiven:
        """Initial data and given functions: both solves look at them at the same places and times."""
        return PlaneGiven(self.system)

    def layout(self, options: Options, more: int = 0) -> PlaneLayout:
        """The statement with polynomials of the degree that a tolerance asks for, or more."""
        dimension = self.system.problem.domain.dimension
        more += options.comparison + (PLANE.raised if self.system.undamped and dimension == 2 else 0)
        return PlaneLayout(self.system, self.outline, PLANE.degree(options.asked, more, dimension))

    @property
    def _waves(self) -> bool:
        """Whether all boxes are of one size; not so a flow without inertia, which has a pressure."""
        return self.system.undamped and not self.system.algebraic

    @cached_property
    def _exact(self) -> bool:
        """Whether steps are exponentials: linear rows of first order in time whose matrices stay the same and that damp short waves, or waves that nothing damps and nothing drives."""
        system = self.system
        if system.oscillates:
            return system.plain
        first = set(system.orders.values()) == {1} and not system.flat and not system.algebraic
        return system.linear and system.stationary and first and system.forgets

    @property
    def _flow(self) -> bool:
        """Whether pressures are all that has no rates."""
        return bool(self.system.multipliers) and self.system.algebraic == self.system.multipliers

    def _diagonal(self, options: Options) -> bool:
        """Whether stages are solved one after the other: those of a flow that is not linear, where digits are few. Radau's order is worth its complex matrices elsewhere."""
        system = self.system
        return self._flow and not system.linear and not system.links and options.asked > COSTS.flows

    def _stages(self, options: Options) -> int:
        """Nodes of a step."""
        if self._exact:
            return RATIONAL.stages
        return DiagonalRungeKutta.order if self._diagonal(options) else options.stages

    def adapter(self, options: Options) -> PlaneAdapter:
        """First cells for a tolerance. Boxes of waves are all of one size, and halving all of them may be more than is needed, as it is in space: a higher degree instead, where that takes fewer unknowns."""
        given = self.given
        if not self._waves and self.system.problem.domain.dimension == 2:
            return PlaneAdapter(self.layout(options, 0), given, options)
        best: PlaneAdapter | None = None
        least = np.inf
        for more in range(PLANE.raised, -1, -1):
            made = PlaneAdapter(self.layout(options, more), given, options, least)
            with suppress(TooMany):
                count = made.initial()[0].size * made.layout.size
                best, least = (made, count) if count < least else (best, least)
        assert best is not None
        return best

    def integrator(self, options: Options, sizes: np.ndarray | None) -> Integrator:
        """Radau IIA on discontinuous Galerkin."""
        # A step that is repeated costs less than cells that are split in vain; and what cells leave out is kept where nothing damps it, or may grow where rows are not linear.
        system = self.system
        kept = system.undamped or (system.forgets and not system.linear)
        overshoot = 1.0 if kept else options.overshoot
        options = replace(options, ahead=1.0, overshoot=overshoot, stages=self._stages(options))
        if self._exact:
            # Steps of any length take the factors of many others, or none.
            options = replace(options, keep=1.0)
        adapter = self.adapter(options)
        duration = float(np.ptp(self.system.problem.time))
        # Waves have factors of their own for every step size.
        few, leray = int(self.system.undamped), Leray()
        if self._exact:
            scheme = (Oscillations if self.system.oscillates else RationalKrylov)(options.stages)
        elif self._diagonal(options):
            scheme = DiagonalRungeKutta(leray.rates, options.time_share * options.tol)
        else:
            scheme = Radau(options.stages, few, duration, safety=options.safety, settles=self.system.forgets)
        # Waves take many steps, each with factors of its own.
        first = None if self.system.undamped else scheme
        exact = isinstance(scheme, RationalKrylov)
        start = partial(projected_start, leray)
        begun = start if self._flow else None
        foreseen = foreseen_by(adapter, self.system, options, sizes, first, exact, begun)
        estimator = Estimator(adapter, options, self.system.problem.time, sizes, foreseen)
        return Integrator(
            self.system,
            options,
            adapter.given,
            scheme,
            adapter,
            estimator,
            decide,
            consistent=start,
            admissible=leray.solenoidal,
        )

    def piece(self, steps: Sequence[Step]) -> Piece:
        """All steps as one piece, seen from where the domain has moved to, with polynomials of the highest degree of them."""
        system, degree = self.system, max(step.mesh.degree for step in steps)
        fields = tuple(f for f in system.fields if laplacian_of(f) is None)
        firsts = [system.first[f] for f in fields]
        to_legendre = radau(steps[0].rates.shape[0]).to_legendre
        spaces, mesh_of = spaces_of(steps)
        frames, rows = [replace(space.frame, degree=degree) for space in spaces], []
        for step in steps:
            slopes = step.length * np.tensordot(to_legendre, step.rates[:, firsts], axes=1)
            own = step.mesh.in_products(np.concatenate([step.start[None, firsts], slopes]))
            more = frames[0].functions - own.shape[-1]
            rows.append(np.pad(own, ((0, 0),) * 3 + ((0, more),)).transpose(2, 0, 1, 3))
        edges = np.array([*(s.time for s in steps), steps[-1].time + steps[-1].length])
        together = np.ascontiguousarray(np.concatenate(rows))
        made = PlaneSteps(fields, edges, mesh_of, tuple(frames), together)
        return made if system.motion is None else Carried(made, system.motion)

    def words(self, steps: Sequence[Step]) -> Mapping[str, str]:
        """Scheme, number of cells and their degree."""
        found = cells_words(steps, steps[0].mesh.degree, steps[-1].mesh.degree)
        if steps[0].rates.shape[0] == STAGES:
            return found | {"scheme": DiagonalRungeKutta.words}
        return found | {"scheme": RATIONAL.words} if self._exact else found

    def shape(self, mesh: PlaneCells, options: Options) -> tuple[int, int]:
        """Of its own degree."""
        return mesh.functions, STAGES if self._diagonal(options) else self._stages(options)

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
        check_array("low", low, (len(grid),))
        check_array("high", high, (len(grid),))
        shapes = (index.shape[:1], index.shape)  # of one depth for all axes, and of one for each
        if level.shape not in shapes or index.ndim != 2 or index.shape[1] != len(grid):
            raise ValueError("a mesh has no boxes")
        if not len(level) or level.min() < 0 or not 0 < degree < 40:
            raise ValueError("a mesh has no boxes")
        mesh = PlaneMesh(low, high, tuple(int(n) for n in grid), level, index)
        return PlaneCells(self.outline, mesh, int(degree))


def projected_start(
    leray: Leray, made: Any, time: float, y: np.ndarray, duration: float
) -> tuple[np.ndarray, np.ndarray]:
    """A consistent start from a velocity that satisfies its constraint."""
    return consistent_start(made, time, leray.solenoidal(made, time, y, np.zeros_like(y))[0], duration)


def plane_attempts(problem: Problem, wanted: Wanted) -> IntegrationAttempts:
    """Attempts on cells of the plane; Unsuited where the statement is none for them."""
    form = PlaneFormulation(PlaneSystem(problem))
    form.layout(Options(tol=wanted.tol)).check()
    from_nothing = not all(map(np.any, form.given.initial(form.given.places)))
    # No other space has an answer after this one: it has all of the time.
    return IntegrationAttempts(form, wanted, from_nothing=from_nothing)
