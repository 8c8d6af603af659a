# SPDX-License-Identifier: MIT
"""q_t + f(q)_x = s by finite volumes of equal width h:  h q̄_i′ = F̂_(i−½) − F̂_(i+½) + h s(q̄_i).

F̂ is the local Lax-Friedrichs flux between values that are reconstructed at both sides of an edge: from means of five cells, of fifth order where the
solution is smooth, from three at a jump (WENO-Z: Borges, Carmona, Costa, Don, J. Comput. Phys. 227, 2008). Where a flux is neither convex nor concave such a scheme may
converge to a weak solution that violates the entropy condition (Qiu, Shu, SIAM J. Sci. Comput. 31, 2008); there slopes are the smaller one of two neighboring
differences, which lets no variation grow. Unknowns of the statement are reconstructed, not what is conserved: at a contact velocity and pressure
have nothing to reconstruct.

A state is (quantities, cells, 2): the mean of a cell, and its slope for who looks at it; only means are integrated.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from lrfm.discretize.boundary_flux import BoundaryFlux
from lrfm.discretize.conservation import NotAdmissible
from lrfm.discretize.evolution import EvolutionSystem
from lrfm.discretize.law import Law
from lrfm.spaces.cells import Mesh

GHOSTS = 2  # cells beyond an end from which the last ones are reconstructed


class Volumes:
    """A conservation law on cells of equal width; `least` is the jump of each quantity at an edge from which it is a shock."""

    filters = False  # nothing is damped

    def __init__(
        self,
        law: Law,
        mesh: Mesh,
        ends: Sequence[BoundaryFlux],
        least: np.ndarray,
        system: EvolutionSystem,
    ):
        self.system, self.law, self.mesh, self.ends, self.least = system, law, mesh, ends, least
        self.lumped: list[int] = []  # no unknowns of time alone,
        self.auxiliary: list[int] = []  # and no means and values in formulas
        self.width = float(mesh.edges[-1] - mesh.edges[0]) / mesh.size
        self.x = mesh.edges[:-1] + 0.5 * self.width
        # Left ends of all cells, then right ends.
        self._at_ends = np.concatenate([mesh.edges[:-1], mesh.edges[1:]])
        self._after = np.append(np.arange(1, mesh.size), 0)
        self._crossed: tuple[float, np.ndarray, float] | None = None
        self._apart = float(np.min(least))
        self._reconstructed = _weighted if law.convex else _limited

    @cached_property
    def shares(self) -> np.ndarray:
        """Each cell's part of the interval."""
        return np.full(self.mesh.size, 1.0 / self.mesh.size)

    def linearize(self, time: float, y: np.ndarray, z: np.ndarray) -> None:
        """Explicit steps need no matrix."""

    def norms(self, coefficients: np.ndarray) -> np.ndarray:
        """Means of |q̄| over the interval of (…, cells, 2)."""
        return np.mean(np.abs(coefficients[..., 0]), axis=-1)

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
        half = _minmod(right - means, means - left)
        if self.law.form.positive:
            ends = np.concatenate([means - half, means + half], axis=1)
            speeds = self.law.speeds(ends, self._at_ends, time)
            half[:, ~np.isfinite(speeds[: self.mesh.size] + speeds[self.mesh.size :])] = 0.0
        return np.stack([means, half / np.sqrt(3)], axis=-1)

    # The right-hand side ------------------------------------------------------------------------------------

    def at_ends(self, time: float, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """q at the left and the right end of each cell."""
        law = self.law
        left, right = self._reconstructed(self._continued(law.primitive(q, self.x, time)))
        if law.form.plain:
            return left, right
        both = law.conserved(np.concatenate([left, right], axis=1), self._at_ends, time)
        return both[:, : self.mesh.size], both[:, self.mesh.size :]

    def _continued(self, u: np.ndarray) -> np.ndarray:
        """Means with those of some cells beyond both ends: around the circle, or on straight lines."""
        if self.mesh.periodic:
            return np.concatenate([u[:, -GHOSTS:], u, u[:, :GHOSTS]], axis=1)
        beyond = np.arange(1, GHOSTS + 1)
        first = _minmod(u[:, 1] - u[:, 0], u[:, 2] - u[:, 1])[:, None]
        last = _minmod(u[:, -1] - u[:, -2], u[:, -2] - u[:, -3])[:, None]
        return np.concatenate([u[:, :1] - first * beyond[::-1], u, u[:, -1:] + last * beyond], axis=1)

    def rates(self, time: float, q: np.ndarray) -> np.ndarray:
        """q̄′."""
        through = self._through(time, q)
        rates = (through[:, :-1] - through[:, 1:]) / self.width
        if self.law.source is not None:
            rates += self.law.source(q, self.x, time)
        return rates

    def _through(self, time: float, q: np.ndarray) -> np.ndarray:
        """F̂ through all edges, (quantities, cells + 1)."""
        law, n = self.law, self.mesh.size
        both = np.concatenate(self.at_ends(time, q), axis=1)
        flux, speeds = law.flux_and_speeds(both, self._at_ends, time)
        if not np.isfinite(speeds.sum()):
            # Values at the ends of a cell that are no states give way to its mean.
            bad = np.flatnonzero(~np.isfinite(speeds[:n] + speeds[n:]))
            again = np.concatenate([bad, bad + n])
            both[:, again] = np.tile(q[:, bad], 2)
            flux[:, again], speeds[again] = law.flux_and_speeds(both[:, again], self._at_ends[again], time)
            if not np.isfinite(speeds.sum()):
                raise NotAdmissible
        # From cell to cell, and around the circle.
        left, right = both[:, n:], both[:, self._after]
        fast = np.maximum(speeds[n:], speeds[self._after])
        if not law.convex:
            fast = np.maximum(fast, law.between(left, right, self._at_ends[n:], time, self._apart))
        through = np.empty((len(q), n + 1))
        through[:, 1:] = 0.5 * (flux[:, n:] + flux[:, self._after] - fast * (right - left))
        if self.mesh.periodic:
            through[:, 0] = through[:, -1]
        else:
            through[:, 0] = self.ends[0](both[:, 0], flux[:, 0], speeds[0], time)
            through[:, -1] = self.ends[1](both[:, -1], flux[:, -1], speeds[-1], time)
        return through

    def crossing(self, time: float, q: np.ndarray) -> float:
        """The time in which the fastest wave crosses a cell; of the same state it is asked several times."""
        before = self._crossed
        if before is not None and before[0] == time and np.array_equal(before[1], q):
            return before[2]
        self._crossed = time, q, self.width / max(self._fastest(time, q), np.finfo(float).tiny)
        return self._crossed[2]

    def _fastest(self, time: float, q: np.ndarray) -> float:
        law = self.law
        speeds = law.speeds(q, self.x, time)
        if not np.isfinite(speeds.sum()):
            raise NotAdmissible
        fastest = float(np.max(speeds))
        if not self.mesh.periodic:
            for end, at in zip(self.ends, (0, -1), strict=True):
                fastest = max(fastest, end.speed(q[:, at], speeds[at], time))
        if not law.convex:
            following = q[:, self._after] if self.mesh.periodic else q[:, 1:]
            here, x = q[:, : following.shape[1]], self.x[: following.shape[1]]
            fastest = max(fastest, float(np.max(law.between(here, following, x, time, self._apart))))
        return fastest


def _minmod(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The smaller one of two slopes, zero where their signs differ."""
    return np.where(a * b > 0, np.where(np.abs(a) < np.abs(b), a, b), 0.0)


def _limited(u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Values at both ends of cells from means of three (van Leer's method with the most careful of its slopes)."""
    gaps = np.diff(u[:, 1:-1], axis=1)
    half = 0.5 * _minmod(gaps[:, :-1], gaps[:, 1:])
    return u[:, 2:-2] - half, u[:, 2:-2] + half


def _weighted(u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Values at both ends of cells from means of five (WENO-Z); both ends have the same three parabolas, and the same measures of their smoothness."""
    a, b, c, d, e = (u[:, i : u.shape[1] - 4 + i] for i in range(5))
    # Second differences of the three parabolas, and their slopes.
    left, middle, right = a - 2 * b + c, b - 2 * c + d, c - 2 * d + e
    smooth = [
        (13 / 12) * left**2 + 0.25 * (a - 4 * b + 3 * c) ** 2,
        (13 / 12) * middle**2 + 0.25 * (b - d) ** 2,
        (13 / 12) * right**2 + 0.25 * (3 * c - 4 * d + e) ** 2,
    ]
    whole = np.abs(smooth[0] - smooth[2])
    w, v, z = (1 + (whole / (s + 1e-40)) ** 2 for s in smooth)
    v = 6 * v
    six = 5 * c - b + 2 * d, 5 * c - d + 2 * b
    at_right = w * (2 * a - 7 * b + 11 * c) + v * six[0] + 3 * z * (2 * c + 5 * d - e)
    at_left = 3 * w * (2 * c + 5 * b - a) + v * six[1] + z * (2 * e - 7 * d + 11 * c)
    return at_left / (6 * (3 * w + v + z)), at_right / (6 * (w + v + 3 * z))
