# SPDX-License-Identifier: MIT
"""How fast cells should move:  w = argmin ∫ (u_t + w u_x)² dx + θ L ∫ u_x² dx ∫ w_x² dx,

the speed at which least is left to change along the motion (Miller, Miller, Moving finite elements, SIAM J. Numer. Anal. 18, 1981), over functions that are
linear in each cell and zero at edges that stay. Layers take their own speed; between them, where little is to be moved, the second term makes w linear.
Cells move where most of the change is motion, ‖u_t + w u_x‖ ≤ MOTION.left ‖u_t‖, where a step takes them
farther than one of cells that stand still would, and set out where the way that is left is many cells long; else they stand still.
Between two steps rates along another motion are  a′ + (w_new − w_old) u_x,  exactly.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.linalg import LinAlgError

from lrfm.adapt.cells import Change
from lrfm.discretize.line.moving import carried
from lrfm.discretize.options import MOTION
from lrfm.integrate.schemes.tableaus import Scheme
from lrfm.integrate.state import IntegratorState
from lrfm.linalg.lapack import dptsv
from lrfm.spaces.cells.mesh import MovingMesh, between
from lrfm.spaces.cells.reference import at_nodes, nodes, slopes_at_nodes


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

    def stopped(self, state: IntegratorState) -> IntegratorState:
        """The state on a space that stands still, where shorter steps of one that moves are in vain."""
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

    def stopped(self, state: IntegratorState) -> IntegratorState:
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

    def stopped(self, state: IntegratorState) -> IntegratorState:
        """The same function on cells that stand: what old cells left out is in its rates, does not fall with the step, and along a motion counts √(T/h) times."""
        if not (isinstance(state.mesh, MovingMesh) and state.mesh.moves):
            return state
        return self._along(state, np.zeros_like(state.mesh.speeds))

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


def speeds_for(mesh: MovingMesh, y: np.ndarray, z: np.ndarray, sizes: np.ndarray, rest: float) -> np.ndarray:
    """Speeds of all edges, for a state y and its rates z along the present motion (components, cells, size), errors of which count relative to `sizes`; `rest` is the time that is left."""
    size = y.shape[-1]
    (points, weights), values, slopes = nodes(size, 0), at_nodes(size), slopes_at_nodes(size)
    # What is zero beside the others does not move, and has no size.
    most, least = float(np.max(sizes)), np.finfo(float)
    counted = (
        np.where(sizes > least.eps * most, most / np.maximum(sizes, max(least.eps * most, least.tiny)), 0.0)
        ** 2
    )
    share = mesh.widths[:, None] * weights / np.sum(mesh.widths) * counted[:, None, None]
    slope = y @ slopes.T * (2.0 / mesh.widths)[:, None]
    rate = z @ values.T - mesh.speeds_at(points) * slope
    found = _least(mesh, points, np.sum(share * slope**2, axis=0), np.sum(share * rate * slope, axis=0))
    left = float(np.sum(share * (rate + between(found, points) * slope) ** 2))
    pace = float(np.max(np.abs(found[1:] + found[:-1]) / (2 * mesh.widths)))  # in widths of a cell
    worth = left <= MOTION.left**2 * float(np.sum(share * rate**2))
    stride = pace * min(longest(replace(mesh, speeds=found)), rest)
    worth &= stride > (1 if mesh.moves else MOTION.stride)
    return found if worth else np.zeros_like(found)


def _least(mesh: MovingMesh, points: np.ndarray, squares: np.ndarray, products: np.ndarray) -> np.ndarray:
    """The minimum, from u_x² and u_t u_x at points (cells, points): a tridiagonal system."""
    total = float(np.sum(squares))
    if not total > 0:
        return np.zeros(mesh.size + 1)
    low, high = 0.5 * (1 - points), 0.5 * (1 + points)
    stiff = MOTION.smooth * total * np.sum(mesh.widths) / mesh.widths
    beside = squares @ (low * high) - stiff
    middle = np.append(squares @ low**2 + stiff, 0.0) + np.append(0.0, squares @ high**2 + stiff)
    right = -np.append(products @ low, 0.0) - np.append(0.0, products @ high)
    free = ~mesh.fixed
    beside = np.where(free[1:] & free[:-1], beside, 0.0)
    *_, found, info = dptsv(np.where(free, middle, 1.0), beside, np.where(free, right, 0.0))
    if info != 0:
        raise LinAlgError("The system for the speeds of edges is not positive.")
    return found


def longest(mesh: MovingMesh) -> float:
    """The longest step in which no cell changes its width by more than a part MOTION.squeeze."""
    fastest = float(np.max(np.abs(np.diff(mesh.speeds)) / mesh.widths))
    return MOTION.squeeze / fastest if fastest > 0 else np.inf
