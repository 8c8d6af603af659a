# SPDX-License-Identifier: MIT
"""What the integrator knows between two steps; frozen, and all that a checkpoint has to keep."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Step:
    """One accepted step: y(t₀ + τh) = y₀ + h ∫₀^τ rates, on the cells of its mesh.

    `start` is (components, cells, size), `rates` (stages, components, cells, size).
    """

    mesh: Any
    time: float
    length: float
    start: np.ndarray = field(repr=False)
    rates: np.ndarray = field(repr=False)


def spaces_of(steps: Sequence[Step]) -> tuple[list[Any], np.ndarray]:
    """The spaces of some steps, each once, and the number of that of each step."""
    numbers: dict[int, int] = {}
    mesh_of = np.array([numbers.setdefault(id(step.mesh), len(numbers)) for step in steps])
    return [steps[int(k)].mesh for k in np.unique(mesh_of, return_index=True)[1]], mesh_of


@dataclass(frozen=True)
class IntegratorState:
    """Where an integration stands.

    Parameters
    ----------
    time, mesh, y, z
        The time, the cells, the components of the solution and their rates there.
    length
        The step size to be tried next.
    restart
        The start, or the last time at which what is given jumps: layers are as old as that.
    squares
        ∫ ‖y‖² dt so far, by component.
    reach
        T‖y′‖ of each component that starts from nothing, the least so far; zero for others.
    before
        The last step's size and rates on the present cells, from which the next one is predicted; None after a restart.
    linearized, rate
        The time, y and y′ at which rows were linearized last, on the present cells, and how fast Newton's method was with that; None where they
        are linearized anew.
    steps, rejected, regrids, iterations
        Counts.
    excess
        Mean over time so far of the space error in units of its budget, where cells could not be split any more.
    regridded
        The start, or the last time at which the space was changed: what it left out shows as rates that are not those of the new one.
    missed
        The error in time of the last step, with which that of the next is compared; zero where that says nothing: after a start, and after a change of the space.
    """

    time: float
    mesh: Any
    y: np.ndarray = field(repr=False)
    z: np.ndarray = field(repr=False)
    length: float
    restart: float
    squares: np.ndarray = field(repr=False)
    reach: np.ndarray = field(repr=False)
    before: tuple[float, np.ndarray] | None = field(default=None, repr=False)
    linearized: tuple[float, np.ndarray, np.ndarray] | None = field(default=None, repr=False)
    rate: float = 1.0
    steps: int = 0
    rejected: int = 0
    regrids: int = 0
    iterations: int = 0
    excess: float = 0.0
    regridded: float = 0.0
    missed: float = 0.0

    def with_(self, **changes) -> IntegratorState:
        """The same with some values changed; every step asks for it, and `dataclasses.replace` goes through all fields."""
        other = object.__new__(IntegratorState)
        other.__dict__.update(self.__dict__, **changes)
        return other
