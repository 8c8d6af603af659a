# SPDX-License-Identifier: MIT
"""Cells of an interval as a formulation: collocation of any order on cells that are split and joined, Radau IIA in time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lrfm.adapt.given import Given
from lrfm.discretize.collocation import Layout
from lrfm.discretize.evolution import EvolutionSystem
from lrfm.discretize.layout import points_of
from lrfm.discretize.options import Options
from lrfm.integrate.integrator import Integrator
from lrfm.integrate.prepare import integrator_for, refuse_rough
from lrfm.integrate.schemes import radau
from lrfm.integrate.state import Step
from lrfm.problem import Problem
from lrfm.problem.frame import MovingFrame
from lrfm.rows.carried import Carried
from lrfm.rows.cell_steps import CellSteps
from lrfm.rows.framed import Framed
from lrfm.rows.pieces import Piece
from lrfm.solver.budget import Budget
from lrfm.solver.integration import IntegrationAttempts, cells_words, scheme_words
from lrfm.solver.lines.form import form_of
from lrfm.solver.lines.frames import followed_form
from lrfm.spaces.cells import Mesh
from lrfm.spaces.stored import check_array


@dataclass(frozen=True)
class CellFormulation:
    """A statement in one dimension on cells."""

    system: EvolutionSystem
    given: Given | None = field(default=None, repr=False)  # read once for all solves
    name: str = "cells"
    asked: bool = True  # else what another space holds better is refused

    def integrator(self, options: Options, sizes: np.ndarray | None) -> Integrator:
        """Radau IIA or exponentials on collocation."""
        made = integrator_for(self.system, options, sizes, self.given)
        if not self.asked:
            refuse_rough(made)
        return made

    def piece(self, steps: Sequence[Step]) -> Piece:
        """All steps as one piece, seen from where the domain has moved to."""
        return piece_of(self.system, steps)

    def words(self, steps: Sequence[Step]) -> Mapping[str, str]:
        """Scheme, number of cells and their degree."""
        if self.system.problem.ordinary:
            return {"scheme": scheme_words(steps)}
        return cells_words(steps, steps[0].start.shape[-1] - 1)

    def shape(self, mesh: Mesh, options: Options) -> tuple[int, int]:
        """The same in all cells."""
        made = self.integrator(options, None)
        return made.adapter.initial()[1].shape[2], made.options.stages

    def undetermined(self, steps: Sequence[Step]) -> Sequence[str]:
        """None: what is not determined has no cells."""
        return ()

    def mesh_record(self, mesh: Mesh) -> list[Any]:
        """Roots of a mesh, and the place of each cell among them."""
        return [mesh.roots, mesh.root, mesh.level, mesh.index, mesh.periodic]

    def mesh_from(self, record: Sequence[Any]) -> Mesh:
        """The mesh again; ValueError where it is not one."""
        return _mesh(*record)


def piece_of(system: EvolutionSystem, steps: Sequence[Step]) -> Piece:
    """All steps as one piece, seen from where the domain has moved to."""
    firsts = [system.first[f] for f in system.fields]
    to_legendre = radau(steps[0].rates.shape[0]).to_legendre
    meshes: dict[int, int] = {}
    edges: list[np.ndarray] = []
    mesh_of, rows = [], []
    for step in steps:
        if id(step.mesh) not in meshes:
            meshes[id(step.mesh)] = len(meshes)
            edges.append(step.mesh.edges)
        mesh_of.append(meshes[id(step.mesh)])
        slopes = step.length * np.tensordot(to_legendre, step.rates[:, firsts], axes=1)
        rows.append(np.concatenate([step.start[None, firsts], slopes]).transpose(2, 0, 1, 3))
    piece = CellSteps(
        tuple(system.fields),
        np.array([*(s.time for s in steps), steps[-1].time + steps[-1].length]),
        np.array(mesh_of),
        np.concatenate(edges),
        np.append(0, np.cumsum([len(e) for e in edges])),
        np.ascontiguousarray(np.concatenate(rows)),
    )
    frame: MovingFrame | None = getattr(system, "frame", None)
    if frame is not None:
        return Framed(piece, frame)
    return piece if system.motion is None else Carried(piece, system.motion)


def moving_along(problem: Problem) -> EvolutionSystem:
    """The statement in the frame of what travels around a circle, where something does: then cells and steps have less to follow."""
    plain = EvolutionSystem(problem)
    if not plain.problem.periodic or not problem.domain.is_box or problem.domain.dimension > 1:
        return plain
    return followed_form(form_of(problem))


def cells_attempts(
    problem: Problem, tol: float, budget: Budget, estimate: bool, asked: bool
) -> IntegrationAttempts:
    """Attempts on cells; Unsuited where the statement is none for them."""
    system = moving_along(problem)
    Layout(system, points_of(system, Options(tol=tol))).check()
    given = Given(system)
    # Places at which data are asked whether they are zero.
    from_nothing = not all(map(np.any, given.initial(np.linspace(*system.interval, 257))))
    halved = not asked and not problem.ordinary
    form = CellFormulation(system, given, asked=asked)
    return IntegrationAttempts(form, tol, budget, estimate, halved, from_nothing)


def _mesh(roots: np.ndarray, root: np.ndarray, level: np.ndarray, index: np.ndarray, periodic: bool) -> Mesh:
    check_array("roots", roots, (len(roots),))
    whole = [
        array for array in (root, level, index) if array.dtype.kind not in "iu" or array.shape != root.shape
    ]
    if (
        whole
        or not len(root)
        or root.min() < 0
        or root.max() >= len(roots) - 1
        or level.min() < 0
        or level.max() > 60
    ):
        raise ValueError("a mesh has no cells")
    made = Mesh(roots, root, level, index, bool(periodic))
    if not np.all(np.diff(made.edges) > 0):
        raise ValueError("cells of a mesh are out of order")
    return made
