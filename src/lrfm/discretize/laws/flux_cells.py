# SPDX-License-Identifier: MIT
"""q_t + f(q)_x = s on cells, where it is smooth: discontinuous Galerkin at Gauss-Lobatto points,

    w/2 ω_i V_i′ = Σ_j ω_j D_ji F_j + δ_i0 F̂_L − δ_in F̂_R + w/2 ω_i s_i

with the values V at the points and the local Lax-Friedrichs flux F̂ = ½(f(a) + f(b)) − ½ max|λ| (b − a) through edges. Where the solution jumps no degree holds it: that is for
finite volumes (`lrfm.discretize.laws.volumes`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from lrfm.discretize.evolution import EvolutionSystem
from lrfm.discretize.laws.boundary_flux import BoundaryFlux
from lrfm.discretize.laws.law import Law
from lrfm.spaces.cells import Mesh
from lrfm.spaces.cells.lobatto import lobatto


class NotAdmissible(ArithmeticError):
    """A state is none that the equations allow."""


class FluxCells:
    """A conservation law on the cells of a mesh."""

    filters = False  # nothing is damped

    def __init__(
        self,
        law: Law,
        mesh: Mesh,
        count: int,
        ends: Sequence[BoundaryFlux],
        system: EvolutionSystem | None = None,
    ):
        self.system = system
        self.lumped: list[int] = []  # no unknowns of time alone,
        self.auxiliary: list[int] = []  # and no means and values in formulas
        self.law, self.mesh, self.count, self.ends = law, mesh, count, ends
        self.points = lobatto(count)
        self.x = mesh.places(self.points.points)
        self._x = self.x.ravel()
        self._scale = (2.0 / mesh.widths)[:, None]
        self._inverse = 1.0 / self.points.weights
        self._means = 0.5 * self.points.weights
        self._before, self._after = np.arange(-1, mesh.size - 1), np.arange(1, mesh.size + 1) % mesh.size

    @cached_property
    def shares(self) -> np.ndarray:
        """Each cell's part of the interval."""
        return self.mesh.widths / np.sum(self.mesh.widths)

    def values(self, y: np.ndarray) -> np.ndarray:
        """V from coefficients (…, cells, size)."""
        return y @ self.points.values.T

    def coefficients(self, v: np.ndarray) -> np.ndarray:
        """Coefficients from V."""
        return v @ self.points.coefficients.T

    def linearize(self, time: float, y: np.ndarray, z: np.ndarray) -> None:
        """Explicit steps need no matrix."""

    def norms(self, coefficients: np.ndarray) -> np.ndarray:
        """Means of |q| over the interval of (…, cells, size)."""
        return (np.abs(self.values(coefficients)) @ self._means) @ self.shares

    def jumps(self, v: np.ndarray) -> np.ndarray:
        """The larger one of the jumps at both edges of each cell."""
        jumps = np.abs(v[:, self._after, 0] - v[..., -1])
        if not self.mesh.periodic:
            jumps[:, -1] = 0.0
        return np.maximum(jumps, jumps[:, self._before])

    # The right-hand side ------------------------------------------------------------------------------------

    def rates(self, time: float, v: np.ndarray) -> np.ndarray:
        """V′."""
        flux, speeds = self._flux(time, v)
        through = self._through(time, v, flux, speeds)
        rates = flux @ self.points.weak
        rates[..., 0] += through[:, :-1] * self._inverse[0]
        rates[..., -1] -= through[:, 1:] * self._inverse[-1]
        rates *= self._scale
        if self.law.source is not None:
            rates += self.law.source(v.reshape(len(v), -1), self._x, time).reshape(v.shape)
        return rates

    def _flux(self, time: float, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Fluxes and speeds at all points."""
        flux, speeds = self.law.flux_and_speeds(v.reshape(len(v), -1), self._x, time)
        if not np.isfinite(speeds.sum()):
            raise NotAdmissible
        return flux.reshape(v.shape), speeds.reshape(v.shape[1:])

    def _through(self, time: float, v: np.ndarray, flux: np.ndarray, speeds: np.ndarray) -> np.ndarray:
        """F̂ through all edges: (quantities, cells + 1)."""
        after = self._after
        fast = np.maximum(speeds[:, -1], speeds[after, 0])
        through = np.empty((len(v), self.mesh.size + 1))
        through[:, 1:] = 0.5 * (flux[..., -1] + flux[:, after, 0] - fast * (v[:, after, 0] - v[..., -1]))
        if self.mesh.periodic:
            through[:, 0] = through[:, -1]
        else:
            for end, at in zip(self.ends, (0, -1), strict=True):
                through[:, at] = end(v[:, at, at], flux[:, at, at], speeds[at, at], time)
        return through

    def longest(self, time: float, v: np.ndarray) -> tuple[float, float]:
        """The longest stable Euler step of parts of cells as wide as the weights of their points, and the time in which the fastest wave crosses a cell."""
        speeds = self._flux(time, v)[1]
        # Through an edge comes what is fast on its other side.
        before, after = speeds[self._before, -1], speeds[self._after, 0]
        if not self.mesh.periodic:
            before[0] = self.ends[0].speed(v[:, 0, 0], speeds[0, 0], time)
            after[-1] = self.ends[1].speed(v[:, -1, -1], speeds[-1, -1], time)
        fastest = np.maximum(np.max(speeds, axis=1), np.maximum(before, after))
        crossing = float(np.min(self.mesh.widths / np.maximum(fastest, np.finfo(float).tiny)))
        return 0.5 * float(self.points.weights[0]) * crossing, crossing
