# SPDX-License-Identifier: MIT
"""A computed solution as a function: y and y′ at any time of a step, on any cells that divide its own or are divided by them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from lrfm.discretize.line.layout import Layout
from lrfm.integrate.schemes.tableaus import legendre_table, radau
from lrfm.integrate.state import Step
from lrfm.rows.in_time import integrals
from lrfm.spaces.cells import Mesh
from lrfm.spaces.cells.transfer import Transfer


class Along:
    """The accepted steps of an integration:  y(t₀ + τh) = y₀ + h ∫₀^τ y′,  y′ a polynomial through its values at the stages."""

    def __init__(self, steps: Sequence[Step]):
        self.steps = list(steps)
        self._known: dict[tuple[int, int, int], tuple[Mesh, Mesh, Transfer]] = {}
        self._last: tuple[tuple, Mesh, tuple[np.ndarray, np.ndarray]] | None = None

    @cached_property
    def times(self) -> np.ndarray:
        """Ends of steps."""
        last = self.steps[-1]
        return np.array([*(s.time for s in self.steps), last.time + last.length])

    def state(
        self, number: int, times: np.ndarray, layout: Layout, mesh: Mesh
    ) -> tuple[np.ndarray, np.ndarray]:
        """y and y′ of all components at times of a step, (times, components, cells, size) on the cells of a mesh."""
        key = number, np.asarray(times).tobytes(), layout.size
        if self._last is not None and self._last[0] == key and self._last[1] is mesh:
            return self._last[2]
        step = self.steps[number]
        scheme, tau = radau(len(step.rates)), (np.asarray(times) - step.time) / step.length
        within = integrals(scheme.stages, tau) @ scheme.to_legendre
        now = legendre_table(2 * tau - 1, scheme.stages) @ scheme.to_legendre
        y = step.start + step.length * np.tensordot(within, step.rates, axes=1)
        z = np.tensordot(now, step.rates, axes=1)
        move = self.transfer(step.mesh, mesh, step.start.shape[-1], layout.size)
        found = moved(layout, move, y), moved(layout, move, z)
        self._last = key, mesh, found
        return found

    def transfer(self, old: Mesh, new: Mesh, old_size: int, new_size: int) -> Transfer:
        """From one mesh to another, made once."""
        key = id(old), id(new), new_size
        if key not in self._known:
            made = Transfer(old.edges, new.edges, old_size, new_size)
            self._known[key] = old, new, made  # the meshes are kept, so that nobody else has their numbers
        return self._known[key][2]


def moved(layout: Layout, move: Transfer, values: np.ndarray) -> np.ndarray:
    """Coefficients (…, components, cells, size) of a system on other cells."""
    if move.same:
        return move(values)
    system, parts = layout.system, []
    for c, (field, _) in enumerate(system.components):
        i = system.fields.index(field)
        found = move(values[..., c, :, :], layout.orders[i])
        if i in layout.lumped:
            found[..., 0] = values[..., c, :1, 0]
        found[..., layout.sizes[i] :] = 0.0
        parts.append(found)
    return np.stack(parts, axis=-3)
