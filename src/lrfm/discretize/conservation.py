# SPDX-License-Identifier: MIT
"""q_t + f(q)_x = s on cells: discontinuous Galerkin with finite volumes on sub-cells where coefficients do not decay.

    w/2 ω_i V_i′ = (1 − α) [Σ_j ω_j D_ji F_j + δ_i0 F̂_L − δ_in F̂_R] + α [F̂_(i−½) − F̂_(i+½)] + w/2 ω_i s_i

V are values at Gauss-Lobatto points, F̂ the local Lax-Friedrichs flux ½(f(a) + f(b)) − ½ max|λ| (b − a). Both parts have the same fluxes through the edges of the
cell, so that what is conserved is conserved for every α. The sub-cells are a monotone scheme of first order, which satisfies the entropy condition;
α is 1 where the solution jumps and 0 where it is resolved (Hennemann, Rueda-Ramírez, Hindenlang, Gassner, J. Comput. Phys. 426, 2021). States that are
not admissible, such as a negative depth, are drawn to the mean of their cell (Zhang, Shu, J. Comput. Phys. 229, 2010).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from lrfm.discretize.boundary_flux import BoundaryFlux
from lrfm.discretize.law import Law
from lrfm.discretize.options import SHOCKS
from lrfm.spaces.cells import Mesh
from lrfm.spaces.cells.lobatto import lobatto


class NotAdmissible(ArithmeticError):
    """The mean of a cell left the states that the equations allow."""


class FluxCells:
    """A conservation law on the cells of a mesh; `least` is the variation of each quantity below which nothing is a shock."""

    def __init__(
        self, law: Law, mesh: Mesh, count: int, ends: Sequence[BoundaryFlux], least: np.ndarray
    ):
        self.law, self.mesh, self.count, self.ends, self.least = law, mesh, count, ends, least
        self.points = lobatto(count)
        self.x = mesh.places(self.points.points)
        self._x = self.x.ravel()
        self._scale = (2.0 / mesh.widths)[:, None]
        self._inverse = 1.0 / self.points.weights
        self._means = 0.5 * self.points.weights
        self._apart = float(np.min(least))
        self._before, self._after = np.arange(-1, mesh.size - 1), np.arange(1, mesh.size + 1) % mesh.size
        # Coefficients that tell a shock: all but the mean, for the variation; the last one.
        self._last = self.points.coefficients[-1]

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

    # The right-hand side ------------------------------------------------------------------------------------

    def rates(self, time: float, v: np.ndarray) -> np.ndarray:
        """V′; states of v that are not admissible are changed in place."""
        law, (n, cells, count) = self.law, v.shape
        flux, speeds = self.admitted(time, v)
        edges = self._edge_fluxes(time, v, flux, speeds)
        alpha = self.shares_of_subcells(v)
        rates = flux @ self.points.weak
        rates[..., 0] += edges[:, :-1] * self._inverse[0]
        rates[..., -1] -= edges[:, 1:] * self._inverse[-1]
        among = np.flatnonzero(alpha)
        if len(among):
            part = alpha[among][:, None]
            sub = self._subcells(time, v[:, among], flux[:, among], speeds[among], edges, among)
            rates[:, among] += part * (sub - rates[:, among])
        rates *= self._scale
        if law.source is not None:
            rates += law.source(v.reshape(n, -1), self._x, time).reshape(v.shape)
        return rates

    def _edge_fluxes(self, time: float, v: np.ndarray, flux: np.ndarray, speeds: np.ndarray) -> np.ndarray:
        """F̂ through all edges: (quantities, cells + 1)."""
        cells = self.mesh.size
        edges = np.empty((len(v), cells + 1))
        first = 0 if self.mesh.periodic else 1
        left = np.arange(first - 1, cells - 1)
        right = left + 1
        a, b = v[:, left, -1], v[:, right, 0]
        fast = np.maximum(speeds[left, -1], speeds[right, 0])
        if not self.law.convex:
            fast = np.maximum(fast, self.law.between(a, b, self.x[right, 0], time, self._apart))
        edges[:, first:cells] = 0.5 * (flux[:, left, -1] + flux[:, right, 0] - fast * (b - a))
        if self.mesh.periodic:
            edges[:, -1] = edges[:, 0]
        else:
            edges[:, 0] = self.ends[0](v[:, 0, 0], flux[:, 0, 0], time)
            edges[:, -1] = self.ends[1](v[:, -1, -1], flux[:, -1, -1], time)
        return edges

    def _subcells(
        self,
        time: float,
        v: np.ndarray,
        flux: np.ndarray,
        speeds: np.ndarray,
        edges: np.ndarray,
        among: np.ndarray,
    ) -> np.ndarray:
        """The finite volumes of some cells: (F̂_(i−½) − F̂_(i+½))/ω_i."""
        fast = np.maximum(speeds[:, :-1], speeds[:, 1:])
        if not self.law.convex:
            n, a, b = len(v), v[..., :-1], v[..., 1:]
            x = self.x[among, 1:].ravel()
            between = self.law.between(a.reshape(n, -1), b.reshape(n, -1), x, time, self._apart)
            fast = np.maximum(fast, between.reshape(fast.shape))
        through = np.empty((len(v), len(among), self.count + 1))
        through[..., 1:-1] = 0.5 * (flux[..., :-1] + flux[..., 1:] - fast * (v[..., 1:] - v[..., :-1]))
        through[..., 0], through[..., -1] = edges[:, among], edges[:, among + 1]
        return (through[..., :-1] - through[..., 1:]) * self._inverse

    # Shocks -------------------------------------------------------------------------------------------------

    def shares_of_subcells(self, v: np.ndarray) -> np.ndarray:
        """α of each cell: by its last coefficient and its jumps at edges, relative to its variation."""
        means = v @ self._means
        spread = np.sqrt(np.maximum((v * v) @ self._means - means * means, 0.0))
        jumps = np.abs(v[:, self._after, 0] - v[..., -1])
        if not self.mesh.periodic:
            jumps[:, -1] = 0.0
        rough = np.maximum(np.abs(v @ self._last), 0.5 * np.maximum(jumps, jumps[:, self._before]))
        ratio = np.max(rough / (spread + rough + self.least[:, None]), axis=0)
        alpha = np.clip((ratio - SHOCKS.smooth) / (SHOCKS.rough - SHOCKS.smooth), 0.0, 1.0)
        return np.maximum(alpha, 0.5 * np.maximum(alpha[self._before], alpha[self._after]))

    def admitted(self, time: float, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Fluxes and speeds at all points, after cells with states that are not admissible were drawn to their means."""
        n, cells, count = v.shape
        flux, speeds = self.law.flux_and_speeds(v.reshape(n, -1), self._x, time)
        flux, speeds = flux.reshape(v.shape), speeds.reshape(cells, count)
        for left in range(SHOCKS.halvings, -1, -1):
            if np.isfinite(speeds.sum()):
                return flux, speeds
            bad = np.flatnonzero(~np.all(np.isfinite(speeds), axis=1))
            own = v[:, bad]
            means = (own @ self._means)[..., None]
            own = means + (0.5 if left else 0.0) * (own - means)
            v[:, bad] = own
            found, fast = self.law.flux_and_speeds(own.reshape(n, -1), self.x[bad].ravel(), time)
            flux[:, bad], speeds[bad] = found.reshape(own.shape), fast.reshape(len(bad), count)
        if not np.isfinite(speeds.sum()):
            raise NotAdmissible
        return flux, speeds

    def longest(self, time: float, v: np.ndarray) -> tuple[float, float]:
        """The longest stable Euler step of the sub-cells, and the time in which the fastest wave crosses a cell."""
        fastest = np.max(self.admitted(time, v)[1], axis=1)
        if not self.law.convex:
            # Between the values of two neighbors there may be faster states.
            low, high = np.min(v[0], axis=1), np.max(v[0], axis=1)
            low = np.minimum(low, np.minimum(np.roll(low, 1), np.roll(low, -1)))
            high = np.maximum(high, np.maximum(np.roll(high, 1), np.roll(high, -1)))
            fastest = np.maximum(fastest, self.law.between(low[None], high[None], self.x[:, 0], time, self._apart))
        crossing = float(np.min(self.mesh.widths / np.maximum(fastest, np.finfo(float).tiny)))
        return 0.5 * float(self.points.weights[0]) * crossing, crossing
