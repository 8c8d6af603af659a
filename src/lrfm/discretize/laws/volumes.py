# SPDX-License-Identifier: MIT
"""q_t + f(q)_x = s by finite volumes of the width h:  h q̄_i′ = F̂_(i−½) − F̂_(i+½) + h s(q̄_i).

F̂ is the flux of Harten, Lax and van Leer (SIAM Rev. 25, 1983),  (b f(q⁻) − a f(q⁺) + a b (q⁺ − q⁻))/(b − a)  with the least and the largest speeds a ≤ 0 ≤ b of waves,
between values that are reconstructed at both sides of an edge: from means of five cells, of fifth order where the
solution is smooth, from three at a jump (WENO-Z: Borges, Carmona, Costa, Don, J. Comput. Phys. 227, 2008). Where a flux is neither convex nor concave such a scheme may
converge to a weak solution that violates the entropy condition (Qiu, Shu, SIAM J. Sci. Comput. 31, 2008); there slopes are the smaller one of two neighboring
differences, which lets no variation grow. Unknowns of the statement are reconstructed, not what is conserved: at a contact velocity and pressure
have nothing to reconstruct.

A state is (quantities, cells, 2): the mean of a cell, and its slope for who looks at it; only means are integrated.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lrfm.discretize.evolution import EvolutionSystem
from lrfm.discretize.laws.boundary_flux import BoundaryFlux
from lrfm.discretize.laws.flux_cells import NotAdmissible
from lrfm.discretize.laws.law import Law
from lrfm.spaces.cells import Mesh

GHOSTS = 2  # cells beyond an end from which the last ones are reconstructed


@dataclass(frozen=True)
class Bounds:
    """Least and largest speeds of waves at the right edges of cells, the largest at both ends of the interval, and the time in which the fastest wave crosses a cell."""

    slow: np.ndarray
    fast: np.ndarray
    at_ends: np.ndarray
    crossing: float


class EqualCells:
    """Cells of equal width on an interval, with the mean of each unknown and its slope."""

    filters = False  # nothing is said of what is damped

    def __init__(self, system: EvolutionSystem, mesh: Mesh):
        self.system, self.mesh = system, mesh
        self.lumped: list[int] = []  # no unknowns of time alone,
        self.auxiliary: list[int] = []  # and no means and values in formulas
        self.width = float(mesh.edges[-1] - mesh.edges[0]) / mesh.size
        self.x = mesh.edges[:-1] + 0.5 * mesh.widths

    @cached_property
    def shares(self) -> np.ndarray:
        """Each cell's part of the interval."""
        return self.mesh.widths / (self.mesh.edges[-1] - self.mesh.edges[0])

    def linearize(self, time: float, y: np.ndarray, z: np.ndarray) -> None:
        """Steps have no matrix, or those of their own stages."""

    def norms(self, coefficients: np.ndarray) -> np.ndarray:
        """Means of |q̄| over the interval of (…, cells, 2)."""
        return np.abs(coefficients[..., 0]) @ self.shares


class Volumes(EqualCells):
    """A conservation law on cells; `least` is the jump of each quantity at an edge from which it is a shock."""

    def __init__(
        self,
        law: Law,
        mesh: Mesh,
        ends: Sequence[BoundaryFlux],
        least: np.ndarray,
        system: EvolutionSystem,
    ):
        super().__init__(system, mesh)
        self.law, self.ends, self.least = law, ends, least
        # Left ends of all cells, then right ends.
        self._at_ends = np.concatenate([mesh.edges[:-1], mesh.edges[1:]])
        self._after = np.append(np.arange(1, mesh.size), 0)
        self._apart = float(np.min(least))
        self._reconstructed = weighted if law.convex else limited

    def values(self, y: np.ndarray) -> np.ndarray:
        """q at both ends of each cell, (…, cells, 2)."""
        half = np.sqrt(3) * y[..., 1]
        return np.stack([y[..., 0] - half, y[..., 0] + half], axis=-1)

    def rough(self, values: np.ndarray) -> np.ndarray:
        """Cells at whose right edge there is a shock."""
        after = np.roll(values[..., 0], -1, axis=-1)
        jumps = np.abs(after - values[..., 1])
        if not self.mesh.periodic:
            jumps[..., -1] = 0.0
        return np.any(jumps > self.least[:, None], axis=0)

    def shown(self, time: float, means: np.ndarray) -> np.ndarray:
        """Means with slopes: the smaller one of two halves of a cell, so that no end lies beyond the values that were reconstructed, and none where an end were no state."""
        left, right = self.at_ends(time, means)
        half = minmod(right - means, means - left)
        if self.law.form.positive:
            ends = np.concatenate([means - half, means + half], axis=1)
            speeds = self.law.speeds(ends, self._at_ends, time)
            half[:, ~np.isfinite(speeds[: self.mesh.size] + speeds[self.mesh.size :])] = 0.0
        return np.stack([means, half / np.sqrt(3)], axis=-1)

    # The right-hand side ------------------------------------------------------------------------------------

    def at_ends(self, time: float, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """q at the left and the right end of each cell."""
        law = self.law
        left, right = self._with_ends(law.primitive(q, self.x, time))
        if law.form.plain:
            return left, right
        both = law.conserved(np.concatenate([left, right], axis=1), self._at_ends, time)
        return both[:, : self.mesh.size], both[:, self.mesh.size :]

    def _with_ends(self, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Values at both ends of cells from means of the unknowns."""
        return self._reconstructed(self._continued(u))

    def _continued(self, u: np.ndarray) -> np.ndarray:
        """Means with those of some cells beyond both ends: around the circle, or on straight lines."""
        if self.mesh.periodic:
            return np.concatenate([u[:, -GHOSTS:], u, u[:, :GHOSTS]], axis=1)
        beyond = np.arange(1, GHOSTS + 1)
        first = minmod(u[:, 1] - u[:, 0], u[:, 2] - u[:, 1])[:, None]
        last = minmod(u[:, -1] - u[:, -2], u[:, -2] - u[:, -3])[:, None]
        return np.concatenate([u[:, :1] - first * beyond[::-1], u, u[:, -1:] + last * beyond], axis=1)

    def rates(self, time: float, q: np.ndarray, bounds: Bounds | None = None) -> np.ndarray:
        """q̄′; bounds of wave speeds are those of q, or of a state that it follows from within a step."""
        through = self._through(time, q, self.bounds(time, q) if bounds is None else bounds)
        rates = (through[:, :-1] - through[:, 1:]) / self.mesh.widths
        if self.law.source is not None:
            rates += self.law.source(q, self.x, time)
        return rates

    def _through(self, time: float, q: np.ndarray, bounds: Bounds) -> np.ndarray:
        """F̂ through all edges, (quantities, cells + 1)."""
        law, n = self.law, self.mesh.size
        both = np.concatenate(self.at_ends(time, q), axis=1)
        flux = law.flux_of_states(both, self._at_ends, time)
        if not np.isfinite(flux.sum()):
            # Values at the ends of a cell that are no states give way to its mean.
            wrong = ~np.isfinite(np.sum(flux, axis=0))
            bad = np.flatnonzero(wrong[:n] | wrong[n:])
            again = np.concatenate([bad, bad + n])
            both[:, again] = np.tile(q[:, bad], 2)
            flux[:, again] = law.flux_of_states(both[:, again], self._at_ends[again], time)
            if not np.isfinite(flux.sum()):
                raise NotAdmissible
        # From cell to cell, and around the circle.
        after, slow, fast = self._after, bounds.slow, bounds.fast
        through = np.empty((len(q), n + 1))
        through[:, 1:] = (
            fast * flux[:, n:] - slow * flux[:, after] + (slow * fast) * (both[:, after] - both[:, n:])
        ) / (fast - slow)
        if self.mesh.periodic:
            through[:, 0] = through[:, -1]
        else:
            for end, at in zip(self.ends, (0, -1), strict=True):
                through[:, at] = end(both[:, at], flux[:, at], bounds.at_ends[at], time)
        return through

    def bounds(self, time: float, q: np.ndarray) -> Bounds:
        """Bounds of the speeds of waves at all edges, from the means of two cells on either side: in a step waves come no farther."""
        law = self.law
        _, low, high = law.flux_and_waves(q, self.x, time)
        if not np.isfinite(low.sum() + high.sum()):
            raise NotAdmissible
        ends = np.maximum(-low, high)[[0, -1]]
        if not law.convex:
            following = q[:, self._after]
            between = law.waves_between(q, following, self.x, time, self._apart)
            if not self.mesh.periodic:
                between[0][-1], between[1][-1] = np.inf, -np.inf
            low, high = np.minimum(low, between[0]), np.maximum(high, between[1])
        low, high = (self._widened(bound, best) for bound, best in ((low, np.minimum), (high, np.maximum)))
        tiny, widths = np.finfo(float).tiny, self.mesh.widths
        # The narrower cell at each edge is crossed first.
        crossed = np.maximum(-low, high) / np.minimum(widths, widths[self._after])
        fastest = float(np.max(crossed))
        if not self.mesh.periodic:
            for end, at in zip(self.ends, (0, -1), strict=True):
                ends[at] = end.speed(q[:, at], ends[at], time)
                fastest = max(fastest, ends[at] / widths[at])
        return Bounds(np.minimum(low, 0.0), np.maximum(high, tiny), ends, 1 / max(fastest, tiny))

    def _widened(self, bound: np.ndarray, best: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> np.ndarray:
        """The best one of two cells on either side of the right edge of each cell."""
        size = 2
        if self.mesh.periodic:
            padded = np.concatenate([bound[-1:], bound, bound[:size]])
        else:
            padded = np.concatenate([bound[:1], bound, np.repeat(bound[-1:], size)])
        pairs = best(padded[:-1], padded[1:])
        return best(pairs[:-size], pairs[size:])


def minmod(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The smaller one of two slopes, zero where their signs differ."""
    return np.where(a * b > 0, np.where(np.abs(a) < np.abs(b), a, b), 0.0)


def limited(u: np.ndarray, axis: int = -1) -> tuple[np.ndarray, np.ndarray]:
    """Values at both ends of cells from means of three along an axis (van Leer's method with the most careful of its slopes)."""
    u = _last(u, axis)
    gaps = u[..., 2:-1] - u[..., 1:-2]
    half = 0.5 * minmod(gaps[..., :-1], gaps[..., 1:])
    means = u[..., 2:-2]
    return _back(means - half, axis), _back(means + half, axis)


def weighted(u: np.ndarray, axis: int = -1) -> tuple[np.ndarray, np.ndarray]:
    """Values at both ends of cells from means of five along an axis, by their differences (WENO-Z); both ends have the same three parabolas, and the same measures of their smoothness."""
    u = _last(u, axis)
    gaps = u[..., 1:] - u[..., :-1]
    bends = gaps[..., 1:] - gaps[..., :-1]
    a, b, c, d = (gaps[..., i : gaps.shape[-1] - 3 + i] for i in range(4))
    bent = (13 / 12) * bends**2
    smooth = (
        bent[..., :-2] + (3 * b - a) ** 2 / 4,
        bent[..., 1:-1] + (b + c) ** 2 / 4,
        bent[..., 2:] + (3 * c - d) ** 2 / 4,
    )
    whole = np.abs(smooth[0] - smooth[2])
    w, v, z = (1 + (whole / (s + 1e-40)) ** 2 for s in smooth)
    v = 6 * v
    # What each parabola adds to the mean at the ends, times six.
    at_right = w * (5 * b - 2 * a) + v * (b + 2 * c) + 3 * z * (4 * c - d)
    at_left = 3 * w * (a - 4 * b) - v * (2 * b + c) + z * (2 * d - 5 * c)
    means = u[..., 2:-2]
    left, right = means + at_left / (6 * (3 * w + v + z)), means + at_right / (6 * (w + v + 3 * z))
    return _back(left, axis), _back(right, axis)


def _last(u: np.ndarray, axis: int) -> np.ndarray:
    """With an axis as the last one: on an interval it is, and the call would take a tenth of a reconstruction."""
    return u if axis == -1 else np.moveaxis(u, axis, -1)


def _back(u: np.ndarray, axis: int) -> np.ndarray:
    """With the last axis where it was."""
    return u if axis == -1 else np.moveaxis(u, -1, axis)
