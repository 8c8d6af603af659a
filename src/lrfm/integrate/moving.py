# SPDX-License-Identifier: MIT
"""Cells set in motion between two steps:  rates along another motion are  a′ + (w_new − w_old) u_x,  exactly."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from lrfm.adapt.cells import Change
from lrfm.adapt.motion import longest, speeds_for
from lrfm.discretize.line.moving import carried
from lrfm.integrate.schemes.tableaus import Scheme
from lrfm.integrate.state import IntegratorState
from lrfm.spaces.cells.moving import MovingMesh


class Motion(Protocol):
    """What becomes of a space between two steps because it moves."""

    def arrived(self, mesh: Any, time: float) -> Any:
        """A space at the end of a step; the same one where it stands still."""
        ...

    def straightened(self, state: IntegratorState, change: Any) -> IntegratorState:
        """The state on a space that moves as it will after a change of it."""
        ...

    def steered(self, state: IntegratorState, sizes: np.ndarray) -> IntegratorState:
        """The state on a space that moves as it should in the next step; unknowns count relative to `sizes`."""
        ...


class Lasting(Protocol):
    """What is given in space at all times."""

    @property
    def lasting(self) -> Any:
        """Singular points of equations, and interfaces (an array)."""
        ...


class StandingStill:
    """Spaces that do not move."""

    def arrived(self, mesh: Any, time: float) -> Any:
        """As it was."""
        return mesh

    def straightened(self, state: IntegratorState, change: Any) -> IntegratorState:
        """As it is."""
        return state

    def steered(self, state: IntegratorState, sizes: np.ndarray) -> IntegratorState:
        """As it is."""
        return state


STILL = StandingStill()


@dataclass(frozen=True)
class MovingCells:
    """Cells of an interval that move with what travels; `given` knows the places of edges that stay, `end` is the last time. Those that stand are looked at after every so many steps."""

    scheme: Scheme
    given: Lasting
    end: float
    every: int

    def arrived(self, mesh: Any, time: float) -> Any:
        """Cells at the end of a step, which stand still or go on; those that have never moved are as they were."""
        return mesh.at(time) if isinstance(mesh, MovingMesh) else mesh

    def steered(self, state: IntegratorState, sizes: np.ndarray) -> IntegratorState:
        """The same function on cells with the speed that leaves least to change, and a step in which they stay apart."""
        if state.steps % self.every != 1 and not (isinstance(state.mesh, MovingMesh) and state.mesh.moves):
            return state
        rest = self.end - state.time
        mesh = MovingMesh.of(state.mesh, state.time, np.zeros(0))
        speeds = speeds_for(mesh, state.y, state.z, sizes, rest)
        if mesh is not state.mesh and np.any(speeds) and len(self.given.lasting):
            mesh = MovingMesh.of(state.mesh, state.time, self.given.lasting)
            speeds = speeds_for(mesh, state.y, state.z, sizes, rest)
        if not (mesh.moves or np.any(speeds)):
            return state
        moved = self._along(replace(state, mesh=replace(mesh, since=state.time)), speeds)
        return replace(moved, length=min(state.length, longest(moved.mesh)))

    def straightened(self, state: IntegratorState, change: Change) -> IntegratorState:
        """Edges that are going to vanish move as the straight line between their neighbors does: else the rates along the motion would have kinks there."""
        mesh = state.mesh
        if not (isinstance(mesh, MovingMesh) and mesh.moves and np.any(change.join)):
            return state
        keep = np.append(True, ~change.join)
        keep[-1] = True
        return self._along(state, np.interp(mesh.edges, mesh.edges[keep], mesh.speeds[keep]))

    def _along(self, state: IntegratorState, speeds: np.ndarray) -> IntegratorState:
        """The same function, with rates along another motion of its cells."""
        mesh, before = state.mesh, state.before
        change = speeds - mesh.speeds
        if before is not None:
            length, rates = before
            # Values at the stages of the step before, from its end backwards.
            back = self.scheme.matrix - self.scheme.weights
            at = state.y + length * (back @ rates.reshape(len(rates), -1)).reshape(rates.shape)
            before = length, rates + carried(mesh, change, at)
        return replace(
            state,
            mesh=replace(mesh, speeds=speeds),
            z=state.z + carried(mesh, change, state.y),
            before=before,
            linearized=None,
        )
