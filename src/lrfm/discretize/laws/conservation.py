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

from lrfm.discretize.evolution import EvolutionSystem
from lrfm.discretize.laws.boundary_flux import BoundaryFlux
from lrfm.discretize.laws.law import Law
from lrfm.discretize.options import SAFEGUARDS, SHOCKS, Options
from lrfm.spaces.cells import Mesh
from lrfm.spaces.cells.lobatto import lobatto


class NotAdmissible(ArithmeticError):
    """The mean of a cell left the states that the equations allow."""


class FluxCells:
    """A conservation law on the cells of a mesh; `least` is the variation of each quantity below which nothing is a shock."""

    filters = False  # nothing is damped

    def __init__(
        self,
        law: Law,
        mesh: Mesh,
        count: int,
        ends: Sequence[BoundaryFlux],
        least: np.ndarray,
        system: EvolutionSystem | None = None,
    ):
        self.system = system
        self.lumped: list[int] = []  # no unknowns of time alone,
        self.auxiliary: list[int] = []  # and no means and values in formulas
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

    def linearize(self, time: float, y: np.ndarray, z: np.ndarray) -> None:
        """Explicit steps need no matrix."""

    def norms(self, coefficients: np.ndarray) -> np.ndarray:
        """Means of |q| over the interval of (…, cells, size)."""
        return (np.abs(self.values(coefficients)) @ self._means) @ self.shares

    # The right-hand side ------------------------------------------------------------------------------------

    def rates(self, time: float, v: np.ndarray, alpha: np.ndarray | None = None) -> np.ndarray:
        """V′ with some α, or that of v; states of v that are not admissible are changed in place."""
        flux, speeds = self.admitted(time, v)
        through = self._through(time, v, flux, speeds)
        rates = flux @ self.points.weak
        rates[..., 0] += through[:, : -1 : self.count] * self._inverse[0]
        rates[..., -1] -= through[:, self.count :: self.count] * self._inverse[-1]
        alpha = self.shares_of_subcells(v) if alpha is None else alpha
        if alpha.any():
            volumes = (through[:, :-1] - through[:, 1:]).reshape(v.shape) * self._inverse
            rates += alpha[:, None] * (volumes - rates)
        rates *= self._scale
        if self.law.source is not None:
            rates += self.law.source(v.reshape(len(v), -1), self._x, time).reshape(v.shape)
        return rates

    def _through(self, time: float, v: np.ndarray, flux: np.ndarray, speeds: np.ndarray) -> np.ndarray:
        """F̂ between all points, one after another, and through both ends: (quantities, points + 1)."""
        n = len(v)
        q, f, s = v.reshape(n, -1), flux.reshape(n, -1), speeds.ravel()
        through = np.empty((n, len(s) + 1))
        fast = np.maximum(s[:-1], s[1:])
        if not self.law.convex:
            fast = np.maximum(fast, self.law.between(q[:, :-1], q[:, 1:], self._x[1:], time, self._apart))
        through[:, 1:-1] = 0.5 * (f[:, :-1] + f[:, 1:] - fast * (q[:, 1:] - q[:, :-1]))
        if self.mesh.periodic:
            last = max(s[-1], s[0])
            if not self.law.convex:
                at = self._x[:1]
                last = max(last, self.law.between(q[:, -1:], q[:, :1], at, time, self._apart)[0])
            through[:, 0] = through[:, -1] = 0.5 * (f[:, -1] + f[:, 0] - last * (q[:, 0] - q[:, -1]))
        else:
            through[:, 0] = self.ends[0](q[:, 0], f[:, 0], s[0], time)
            through[:, -1] = self.ends[1](q[:, -1], f[:, -1], s[-1], time)
        return through

    # Shocks -------------------------------------------------------------------------------------------------

    def shares_of_subcells(self, v: np.ndarray) -> np.ndarray:
        """α of each cell: by its last coefficient and its jumps at edges, relative to its variation."""
        means = v @ self._means
        spread = np.sqrt(np.maximum((v * v) @ self._means - means * means, 0.0))
        rough = np.maximum(np.abs(v @ self._last), 0.5 * self.jumps(v))
        ratio = np.max(rough / (spread + rough + self.least[:, None]), axis=0)
        alpha = np.clip((ratio - Options.smooth) / (SHOCKS.rough - Options.smooth), 0.0, 1.0)
        return np.maximum(alpha, 0.5 * np.maximum(alpha[self._before], alpha[self._after]))

    def rough(self, v: np.ndarray) -> np.ndarray:
        """Cells in which sub-cells count."""
        return self.shares_of_subcells(v) > 0

    def variation(self, v: np.ndarray) -> np.ndarray:
        """Root mean square of what differs from the mean of a cell, and of half the jumps at its edges."""
        means = v @ self._means
        spread = (v * v) @ self._means - means * means
        return np.sqrt(np.maximum(spread, self.jumps(v) ** 2 / 4))

    def jumps(self, v: np.ndarray) -> np.ndarray:
        """The larger one of the jumps at both edges of each cell."""
        jumps = np.abs(v[:, self._after, 0] - v[..., -1])
        if not self.mesh.periodic:
            jumps[:, -1] = 0.0
        return np.maximum(jumps, jumps[:, self._before])

    def admitted(self, time: float, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Fluxes and speeds at all points, after cells with states that are not admissible were drawn to their means."""
        n, cells, count = v.shape
        flux, speeds = self.law.flux_and_speeds(v.reshape(n, -1), self._x, time)
        flux, speeds = flux.reshape(v.shape), speeds.reshape(cells, count)
        for left in range(SAFEGUARDS.halvings, -1, -1):
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
        speeds = self.admitted(time, v)[1]
        # Through an edge comes what is fast on its other side.
        before, after = speeds[self._before, -1], speeds[self._after, 0]
        if not self.mesh.periodic:
            before[0] = self.ends[0].speed(v[:, 0, 0], speeds[0, 0], time)
            after[-1] = self.ends[1].speed(v[:, -1, -1], speeds[-1, -1], time)
        fastest = np.maximum(np.max(speeds, axis=1), np.maximum(before, after))
        if not self.law.convex:
            # Between the values of two neighbors there may be faster states.
            low, high = np.min(v[0], axis=1), np.max(v[0], axis=1)
            low = np.minimum(low, np.minimum(low[self._before], low[self._after]))
            high = np.maximum(high, np.maximum(high[self._before], high[self._after]))
            between = self.law.between(low[None], high[None], self.x[:, 0], time, self._apart)
            fastest = np.maximum(fastest, between)
        crossing = float(np.min(self.mesh.widths / np.maximum(fastest, np.finfo(float).tiny)))
        return 0.5 * float(self.points.weights[0]) * crossing, crossing
