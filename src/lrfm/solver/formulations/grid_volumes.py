# SPDX-License-Identifier: MIT
"""The engine for shocks in boxes of two and three dimensions: finite volumes that are narrow at shocks, explicit steps, a claim in L¹.

It is the one of an interval (`lrfm.solver.formulations.volumes`) with fluxes along each axis: same steps, same comparison with wider cells. A digit costs a factor of ten in cells along a shock
and in steps, so that the first pair of solves is looser than it has to be, and says how far that is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lrfm.adapt.given_box import GivenOnBox
from lrfm.adapt.grid_volumes import GridAdapter
from lrfm.discretize.evolution import EvolutionSystem, Unsuited
from lrfm.discretize.laws.law import Law
from lrfm.discretize.options import SAFEGUARDS, SHOCKS, Options
from lrfm.error.well_posed import Missing
from lrfm.integrate.integrator import Integrator
from lrfm.integrate.prepare_fluxes import grid_volumes_for
from lrfm.integrate.state import Step, spaces_of
from lrfm.linalg.room import Shelf
from lrfm.problem import Problem
from lrfm.problem.errors import ProblemError
from lrfm.problem.expression import jumps
from lrfm.rows.grid_steps import ROOT, GridSteps
from lrfm.rows.pieces import Piece
from lrfm.solver.attempts import IntegrationAttempts
from lrfm.solver.engine import Wanted
from lrfm.solver.formulations.fluxes import POSITIVE, FluxFormulation, law_of
from lrfm.solver.formulations.volumes import SCHEME, VolumeAttempts, VolumeSolve
from lrfm.solver.integration import IntegrationState
from lrfm.spaces.cells.tree import Tree


@dataclass(frozen=True)
class GridFormulation(FluxFormulation):
    """A conservation law on finite volumes in a box."""

    on_box: GivenOnBox | None = None
    name: str = "volumes in a box"

    def integrator(self, options: Options, sizes: np.ndarray | None) -> Integrator:
        """Explicit steps on means."""
        return grid_volumes_for(self.system, self.form, self.on_box, options, sizes)

    def piece(self, steps: Sequence[Step]) -> Piece:
        """All steps as one piece, in the unknowns of the statement."""
        law = Law(self.form.along(0), (*self.system.problem.domain.names, "t"))
        last = steps[-1]
        ends = [*(step.start for step in steps), last.start + last.length * last.rates[0]]
        times = np.array([*(step.time for step in steps), last.time + last.length])
        kept, owner = spaces_of([*steps, last])
        states, shelf = [], Shelf(SAFEGUARDS.in_memory)
        with np.errstate(all="ignore"):
            for y, t, i in zip(ends, times, owner, strict=True):
                own = y if law.form.plain else _in_unknowns(law, kept[i], y, t)
                states.append(shelf.put(own.astype(np.float32)))
        return GridSteps(self.form.fields, times, tuple(kept), owner, tuple(states))

    def words(self, steps: Sequence[Step]) -> Mapping[str, str]:
        """What is conserved, and how many volumes there are."""
        tree: Tree = max((step.mesh for step in steps), key=lambda tree: tree.depth)
        counts = {step.mesh.size for step in steps}
        least, most = min(counts), max(counts)
        return {
            "scheme": SCHEME,
            "cells": f"{most}" if least == most else f"{least} to {most}",
            "grid": " x ".join(map(str, tree.counts(tree.depth))),
            "degree": "1",
            "conserved": self._told(self.form.conserved),
        }

    def shape(self, mesh: Tree, options: Options) -> tuple[int, int]:
        """A mean and slopes; steps are straight lines in time."""
        return 1 + mesh.dimension, 1

    def mesh_record(self, mesh: Tree) -> list[Any]:
        """How many blocks there are along each axis, which axes are circles, and which blocks are halved."""
        return [
            np.array(mesh.roots),
            np.array(mesh.periodic, dtype=int),
            *(m.astype(int) for m in mesh.refined),
        ]

    def mesh_from(self, record: Sequence[Any]) -> Tree:
        """The cells again; ValueError where they are none of this box."""
        roots, periodic = (np.asarray(part).tolist() for part in record[:2])
        box = self.system.problem.domain
        masks = tuple(np.asarray(part).astype(bool) for part in record[2:])
        shapes = [tuple(n << k for n in roots) for k in range(len(masks))]
        if len(roots) != box.dimension or min(roots) < 1 or [m.shape for m in masks] != shapes:
            raise ValueError("cells of another box")
        ends = tuple(map(float, box.lower)), tuple(map(float, box.upper))
        return Tree(*ends, tuple(roots), tuple(map(bool, periodic)), masks)


def _in_unknowns(law: Law, tree: Tree, y: np.ndarray, time: float) -> np.ndarray:
    """Means and slopes of the unknowns from those of what is conserved."""
    made = np.empty_like(y)
    made[..., 0] = law.primitive(y[..., 0], tree.centers, time)
    for k in range(1, y.shape[2]):
        ends = (law.primitive(y[..., 0] + sign * ROOT * y[..., k], tree.centers, time) for sign in (1, -1))
        upper, lower = ends
        made[..., k] = (upper - lower) / (2 * ROOT)
    return made


class GridSolve(VolumeSolve):
    """An integration on finite volumes in a box."""

    def _missing(self, state: IntegrationState) -> str:
        """A sentence where more waves come in through a face than it has conditions."""
        made = self.integrator()
        assert isinstance(made, Integrator)
        with np.errstate(all="ignore"):
            for step in self._looked_at(state):
                found = made.adapter.discretize(step.mesh).entering(
                    step.time, step.start[..., 0], SHOCKS.still
                )
                if found is not None:
                    return str(Missing(*found))
        return ""


class GridAttempts(VolumeAttempts):
    """Pairs of integrations on finite volumes in a box, until there would be too many of them."""

    solves = GridSolve

    def __init__(self, form: GridFormulation, wanted: Wanted, adapter: GridAdapter):
        super().__init__(form, wanted, from_nothing=True)
        # The floor is one of tolerances, not of cells: a comparison solve always has fewer of them. As many as one integration may have are the other end.
        box, d = form.system.problem.domain, form.system.problem.domain.dimension
        sides = box.upper - box.lower
        self.strictest = adapter.variation * float(np.prod(sides) / SAFEGUARDS.grid_volumes) ** (1 / d)
        loosest = adapter.variation * float(np.min(sides)) / SHOCKS.least_volumes
        self.inner = max(min(SHOCKS.pilot * self.tol, loosest), self.strictest)


def grid_attempts(problem: Problem, wanted: Wanted) -> IntegrationAttempts:
    """Attempts at a conservation law in a box whose solution jumps, or steepens until it does; Unsuited where the statement is none."""
    if not of_first_order(problem):
        raise Unsuited("It is no statement of first order in time and space in the plane or in space.")
    if not problem.domain.is_box:
        _refuse_jumps(problem)
        raise Unsuited("Volumes are boxes.")
    system = EvolutionSystem(problem)
    if system.motion is not None:
        raise Unsuited("Conservation laws in boxes that move are not known here.")
    law, given = law_of(problem), GivenOnBox(system)
    form = GridFormulation(system, law=law, on_box=given)
    adapter = GridAdapter(system, law, given, Options(tol=wanted.tol, stages=1))
    with np.errstate(all="ignore"):
        if not (adapter.jumps or adapter.meet()):
            raise Unsuited("What stays smooth is tried in other spaces first.")
    if adapter.no_states:
        if not adapter.jumps:
            raise Unsuited(adapter.no_states)
        # Other engines know nothing of shocks.
        raise ProblemError(adapter.no_states + POSITIVE)
    _ = adapter.faces  # refuses conditions with derivatives
    return GridAttempts(form, wanted, adapter)


def _refuse_jumps(problem: Problem) -> None:
    """ProblemError where a jump at the start of a law that is not linear would need volumes that end at a curve: no other space knows which of its weak solutions is meant."""
    data = [part for datum in problem.initial_data.values() for part in datum.value or ()]
    if not problem.linear and any(map(jumps, data)):
        raise ProblemError(
            "Initial data jump, nothing diffuses, and the domain is no box: shocks are followed in boxes alone, by volumes along their axes. Give a box, "
            "add what smooths shocks, such as `0.01*lap(u)`, or give data without a jump and an end of time before they break."
        )


def of_first_order(problem: Problem) -> bool:
    """Whether a statement is one of first order in time and space in two or three dimensions."""
    plain = problem.forward and not problem.ordinary and problem.domain.dimension in (2, 3)
    if not plain or not problem.time_orders or any(n != 1 for n in problem.time_orders.values()):
        return False
    jets = [jet for row in problem.rows for jet in row.jets]
    return all(sum(jet.index) <= 1 for jet in jets) and any(sum(jet.index[:-1]) for jet in jets)
