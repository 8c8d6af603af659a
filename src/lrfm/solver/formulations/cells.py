# SPDX-License-Identifier: MIT
"""Cells of an interval as a formulation: collocation of any order on cells that are split and joined, Radau IIA in time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

import numpy as np

from lrfm.adapt.given import Given
from lrfm.discretize.evolution import EvolutionSystem, Unsuited
from lrfm.discretize.options import Options
from lrfm.integrate.follow.kept import Kept, Replay
from lrfm.integrate.integrator import Integrator
from lrfm.integrate.prepare import check_line, integrator_for, refuse_rough, rough_integrator
from lrfm.integrate.protocols import Integrates
from lrfm.integrate.schemes.tableaus import radau
from lrfm.integrate.state import Step, spaces_of
from lrfm.problem import Problem
from lrfm.problem.frame import MovingFrame
from lrfm.rows.carried import Carried
from lrfm.rows.cell_steps import CellSteps
from lrfm.rows.framed import Framed
from lrfm.rows.pieces import Piece
from lrfm.solver.attempts import IntegrationAttempts
from lrfm.solver.engine import Wanted
from lrfm.solver.formulations.frames import FramedSystem, frame_for
from lrfm.solver.integration import cells_words, scheme_words
from lrfm.spaces.cells import Mesh, MovingMesh
from lrfm.spaces.cells.reference import POLYNOMIALS, CellFunctions
from lrfm.spaces.stored import check_array


@dataclass(frozen=True)
class CellFormulation:
    """A statement in one dimension on cells."""

    system: EvolutionSystem
    given: Given | None = field(default=None, repr=False)  # read once for all solves
    name: str = "cells"
    kept: Mapping[Options, Kept] = field(default_factory=dict, repr=False)  # of solves with other parameters
    at: np.ndarray | None = field(default=None, repr=False)  # the parameters of this one,
    named: bool = True  # and whether solves differ in nothing else,
    watched: bool = False  # and whether somebody looks at every step
    asked: bool = True  # else what another space holds better is refused
    moves: bool = (
        False  # cells may move with what travels; else they stand still, for who follows the steps of a solve
    )

    chained = True  # one coefficient and one cell more in each comparison

    def integrator(self, options: Options, sizes: np.ndarray | None) -> Integrates:
        """Radau IIA or exponentials on collocation; on cells and steps that have served other parameters, where these are kept."""
        kept = self.kept.get(options.whatever_begun)
        if kept is None or self.at is None:
            return self._plain(options, sizes)
        return Replay(
            kept,
            self.system,
            options,
            self.given or Given(self.system),
            self.at,
            self.named,
            lambda: self._plain(options, sizes),
            self.watched,
        )

    def _plain(self, options: Options, sizes: np.ndarray | None) -> Integrator:
        """One that has not seen other parameters."""
        made = integrator_for(self.system, options, sizes, self.given, self.moves)
        if not self.asked:
            refuse_rough(made)
        return made

    def piece(self, steps: Sequence[Step]) -> Piece:
        """All steps as one piece, seen from where the domain has moved to."""
        return piece_of(self.system, steps)

    def words(self, steps: Sequence[Step]) -> Mapping[str, str]:
        """Scheme, number of cells and their degree, and how their frame moves."""
        if self.system.problem.ordinary:
            return {"scheme": scheme_words(steps)}
        words = cells_words(steps, steps[0].start.shape[-1] - 1)
        moving = sum(isinstance(step.mesh, MovingMesh) and step.mesh.moves for step in steps)
        if self.given is not None and len(self.given.places):
            name, places = self.system.problem.domain.names[0], self.given.places
            words["edges"] = _named(name, places)
        if moving:
            words["motion"] = f"cells move with what travels in {moving} of {len(steps)} steps"
        frame: MovingFrame | None = getattr(self.system, "frame", None)
        names = self.system.problem.domain.names
        return words if frame is None else {**words, "frame": frame.words(names)}

    def shape(self, mesh: Mesh, options: Options) -> tuple[int, int]:
        """The same in all cells."""
        made = self._plain(options, None)
        return made.adapter.initial()[1].shape[2], made.options.stages

    def undetermined(self, steps: Sequence[Step]) -> Sequence[str]:
        """None: what is not determined has no cells."""
        return ()

    def mesh_record(self, mesh: Mesh | MovingMesh) -> list[Any]:
        """Roots of a mesh, and the place of each cell among them; edges and speeds of one that moves."""
        if isinstance(mesh, MovingMesh):
            return ["moving", mesh.edges, mesh.speeds, mesh.fixed.astype(int), mesh.since, mesh.periodic]
        return [mesh.roots, mesh.root, mesh.level, mesh.index, mesh.periodic]

    def mesh_from(self, record: Sequence[Any]) -> Mesh | MovingMesh:
        """The mesh again; ValueError where it is not one."""
        if isinstance(record[0], str):
            return _moving_mesh(*record[1:])
        return _mesh(*record)


def _named(name: str, places: np.ndarray, most: int = 6) -> str:
    """Edges of cells that are there for what is given, as many as a line of a report holds."""
    shown = ", ".join(f"{place:.6g}" for place in places[:most])
    more = f" and {len(places) - most} more" if len(places) > most else ""
    return f"{name} = {shown}{more}: something given has a top, a jump or a kink there"


def piece_of(system: EvolutionSystem, steps: Sequence[Step], functions: CellFunctions = POLYNOMIALS) -> Piece:
    """All steps as one piece of Legendre series, seen from where the domain has moved to."""
    series = functions.series(steps[0].start.shape[-1])
    firsts = [system.first[f] for f in system.fields]
    to_legendre = radau(steps[0].rates.shape[0]).to_legendre
    meshes, mesh_of = spaces_of(steps)
    edges = [mesh.edges for mesh in meshes]
    speeds = [mesh.speeds if isinstance(mesh, MovingMesh) else np.zeros(mesh.size + 1) for mesh in meshes]
    rows = []
    for _, own in groupby(steps, key=lambda step: id(step.mesh)):
        among = list(own)
        starts, rates = (
            np.stack(arrays) for arrays in zip(*((s.start, s.rates) for s in among), strict=True)
        )
        rates = rates[:, :, firsts]
        slopes = (to_legendre @ rates.reshape(*rates.shape[:2], -1)).reshape(rates.shape)
        slopes *= np.array([s.length for s in among])[:, None, None, None, None]
        found = np.concatenate([starts[:, None, firsts], slopes], axis=1).transpose(0, 3, 1, 2, 4)
        rows.append(found.reshape(-1, *found.shape[2:]) @ series.T)
    piece = CellSteps(
        tuple(system.fields),
        np.array([*(s.time for s in steps), steps[-1].time + steps[-1].length]),
        mesh_of,
        np.concatenate(edges),
        np.append(0, np.cumsum([len(e) for e in edges])),
        np.ascontiguousarray(np.concatenate(rows)),
        np.concatenate(speeds) if any(np.any(own) for own in speeds) else None,
        steps[0].mesh.tables if len(meshes) == 1 else {},
    )
    frame: MovingFrame | None = getattr(system, "frame", None)
    if frame is not None:
        return Framed(piece, frame)
    return piece if system.motion is None else Carried(piece, system.motion)


def moving_along(problem: Problem) -> EvolutionSystem:
    """The statement in the frame of what travels around a circle, where something does: then cells and steps have less to follow."""
    plain = EvolutionSystem(problem)
    if not all(f.whole for f in problem.functionals):
        return plain
    if not plain.problem.periodic or not problem.domain.is_box or problem.domain.dimension > 1:
        return plain
    frame = frame_for(plain)
    return plain if frame is None else FramedSystem(problem, frame)


def cells_attempts(problem: Problem, wanted: Wanted) -> IntegrationAttempts:
    """Attempts on cells; Unsuited where the statement is none for them."""
    system = moving_along(problem)
    check_line(system, Options(tol=wanted.tol))
    given = Given(system)
    # Places at which data are asked whether they are zero.
    from_nothing = not all(map(np.any, given.initial(np.linspace(*system.interval, 257))))
    form = CellFormulation(system, given, asked=wanted.asked, moves=True)
    return IntegrationAttempts(form, wanted, False, from_nothing)


@dataclass(frozen=True)
class RoughFormulation(CellFormulation):
    """Waves with kinks, of which eigenfunctions hold a part."""

    def _plain(self, options: Options, sizes: np.ndarray | None) -> Integrator:
        return rough_integrator(self.system, options, sizes, self.given or Given(self.system))


class OneAttempt(IntegrationAttempts):
    """One pair: stricter ones would be the same."""

    pairs = 1


def rough_attempts(problem: Problem, wanted: Wanted) -> IntegrationAttempts:
    """An attempt at waves with kinks that cells do not hold to the tolerance; the estimate says how far it came."""
    system = EvolutionSystem(problem)
    if problem.domain.dimension != 1 or not system.undamped:
        raise Unsuited("It is damped, or no statement on an interval.")
    given = Given(system)
    form = RoughFormulation(system, given)
    form.integrator(Options(tol=wanted.tol), None)
    return OneAttempt(form, wanted, from_nothing=True)


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


def _moving_mesh(
    edges: np.ndarray, speeds: np.ndarray, fixed: np.ndarray, since: float, periodic: bool
) -> MovingMesh:
    for name, array in (("edges", edges), ("speeds", speeds), ("fixed", fixed)):
        check_array(name, array, (len(edges),))
    if len(edges) < 2 or not np.all(np.diff(edges) > 0) or not np.isfinite(since):
        raise ValueError("cells of a mesh are out of order")
    return MovingMesh(edges, speeds, fixed.astype(bool), float(since), bool(periodic))
