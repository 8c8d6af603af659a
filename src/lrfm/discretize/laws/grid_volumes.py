# SPDX-License-Identifier: MIT
"""q_t + Σ_k f_k(q)_{x_k} = s by finite volumes in a box:  q̄′ = Σ_k (F̂_k⁻ − F̂_k⁺)/h_k + s(q̄).

Axis by axis it is the scheme of an interval (`volumes.py`): values at both sides of a face by WENO-Z along the axis, the flux of Harten, Lax and van Leer between them. A flux in the middle of
a face stands for its mean, which is of second order where the solution is smooth and no loss where it jumps (Zhang, Zhang, Shu, J. Comput. Phys. 230, 2011). Explicit steps are stable while
h Σ_k |λ_k|/h_k is at most the Courant number (LeVeque, Finite Volume Methods for Hyperbolic Problems, 2002, section 20.3).

A state is (quantities, cells, 1 + axes): the mean of a cell, and its slopes for who looks at it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lrfm.discretize.evolution import EvolutionSystem
from lrfm.discretize.laws.conservation import NotAdmissible
from lrfm.discretize.laws.face_flux import FaceFlux
from lrfm.discretize.laws.law import Law
from lrfm.discretize.laws.volumes import GHOSTS, limited, minmod, weighted
from lrfm.discretize.options import SAFEGUARDS
from lrfm.spaces.cells.grid import Grid

TINY = float(np.finfo(float).tiny)


@dataclass(frozen=True)
class GridBounds:
    """Least and largest speeds of waves between cells along each axis, (lines, cells + 1), and the time in which the fastest wave crosses a cell."""

    slow: tuple[np.ndarray, ...]
    fast: tuple[np.ndarray, ...]
    crossing: float


class GridVolumes:
    """A conservation law on cells of equal size in a box; `least` is the jump of each quantity between cells from which it is a shock."""

    filters = False  # nothing is said of what is damped

    def __init__(
        self,
        laws: Sequence[Law],
        mesh: Grid,
        faces: Sequence[tuple[FaceFlux, FaceFlux]],
        least: np.ndarray,
        system: EvolutionSystem,
    ):
        self.laws, self.mesh, self.faces, self.least, self.system = laws, mesh, faces, least, system
        self.lumped: list[int] = []  # no unknowns of time alone,
        self.auxiliary: list[int] = []  # and no means and values in formulas
        self._lines = [_Lines(mesh, axis) for axis in range(mesh.dimension)]
        self._values = weighted if all(law.convex for law in laws) else limited

    @cached_property
    def shares(self) -> np.ndarray:
        """Each cell's part of the box."""
        return np.full(self.mesh.size, 1.0 / self.mesh.size)

    def linearize(self, time: float, y: np.ndarray, z: np.ndarray) -> None:
        """Explicit steps have no matrix."""

    def norms(self, coefficients: np.ndarray) -> np.ndarray:
        """Means of |q̄| over the box of (…, cells, 1 + axes)."""
        return np.mean(np.abs(coefficients[..., 0]), axis=-1)

    def jumps(self, means: np.ndarray) -> bool:
        """Whether there is a shock: cells that differ by more than what one with a slope would, three times in a row."""
        for lines in self._lines:
            gaps = np.abs(np.diff(lines.of(means), axis=-1))
            rest = np.maximum(gaps[..., :-2], gaps[..., 2:])
            if np.any(gaps[..., 1:-1] - rest > self.least[:, None, None]):
                return True
        return False

    def shown(self, time: float, means: np.ndarray) -> np.ndarray:
        """Means with slopes along each axis: the smaller one of two halves of a cell; less where a corner of the cell were beyond its neighbors (Barth, Jespersen, AIAA 89-0366), none where it were no state."""
        halves, up, down = [], np.zeros_like(means), np.zeros_like(means)
        for axis, lines in enumerate(self._lines):
            own = lines.of(means)
            left, right = self._at_ends(axis, time, own)
            halves.append(lines.back(minmod(right - own, own - left)))
            below, above = lines.beyond(own, -1)[..., :-1] - own, lines.beyond(own, 1)[..., 1:] - own
            up = np.maximum(up, lines.back(np.maximum(below, above)))
            down = np.maximum(down, lines.back(-np.minimum(below, above)))
        room, total = np.minimum(up, down), np.sum(np.abs(halves), axis=0)
        part = np.where(total > room, room / np.maximum(total, TINY), 1.0)
        halves = [part * half for half in halves]
        law = self.laws[0]
        if law.form.positive:
            reach = part * total
            wrong = np.zeros(self.mesh.size, dtype=bool)
            for sign in (-1, 1):
                wrong |= ~np.isfinite(law.speeds(means + sign * reach, self.mesh.centers, time))
            halves = [np.where(wrong, 0.0, half) for half in halves]
        return np.stack([means, *(half / np.sqrt(3) for half in halves)], axis=-1)

    # The right-hand side ------------------------------------------------------------------------------------

    def rates(self, time: float, q: np.ndarray, bounds: GridBounds | None = None) -> np.ndarray:
        """q̄′; bounds of wave speeds are those of q, or of a state that it follows from within a step."""
        bounds = self.bounds(time, q) if bounds is None else bounds
        law = self.laws[0]
        rates = np.zeros_like(q) if law.source is None else law.source(q, self.mesh.centers, time)
        for axis, lines in enumerate(self._lines):
            through = self._through(axis, time, lines.of(q), bounds)
            rates += lines.back((through[..., :-1] - through[..., 1:]) / lines.width)
        return rates

    def _at_ends(self, axis: int, time: float, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """q at the lower and the upper ends of cells along an axis, (quantities, lines, cells)."""
        law, lines = self.laws[axis], self._lines[axis]
        flat = q.reshape(len(q), -1)
        u = law.primitive(flat, lines.centers, time).reshape(q.shape)
        rows = lines.continued(u).reshape(-1, q.shape[2] + 2 * GHOSTS)
        found = [end.reshape(q.shape) for end in self._reconstructed(rows)]
        if not law.form.plain:
            ends = zip(found, lines.ends, strict=True)
            found = [law.conserved(v.reshape(len(q), -1), x, time).reshape(q.shape) for v, x in ends]
        return found[0], found[1]

    def _reconstructed(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Values at both ends of the cells of some lines, a few lines at a time: what is between stays in the cache, which halves the time."""
        lower = np.empty((len(rows), rows.shape[1] - 2 * GHOSTS))
        upper, many = np.empty_like(lower), max(1, SAFEGUARDS.in_cache // rows.shape[1])
        for i in range(0, len(rows), many):
            lower[i : i + many], upper[i : i + many] = self._values(rows[i : i + many])
        return lower, upper

    def _through(self, axis: int, time: float, q: np.ndarray, bounds: GridBounds) -> np.ndarray:
        """F̂ through all faces along an axis, (quantities, lines, cells + 1)."""
        law, lines = self.laws[axis], self._lines[axis]
        low, high = self._at_ends(axis, time, q)
        flux = [self._flux(law, end, x, time) for end, x in zip((low, high), lines.ends, strict=True)]
        wrong = ~np.isfinite(flux[0].sum(axis=0) + flux[1].sum(axis=0))
        if wrong.any():
            # Values at the ends of a cell that are no states give way to its mean.
            low, high = np.where(wrong, q, low), np.where(wrong, q, high)
            flux = [self._flux(law, end, x, time) for end, x in zip((low, high), lines.ends, strict=True)]
            if not np.isfinite(flux[0].sum() + flux[1].sum()):
                raise NotAdmissible
        slow, fast = bounds.slow[axis], bounds.fast[axis]
        # Below and above each face; around the circle, or at both ends the cell itself.
        below, above = (lines.beyond(high, -1), lines.beyond(low, 1))
        f_below, f_above = (lines.beyond(flux[1], -1), lines.beyond(flux[0], 1))
        through = (fast * f_below - slow * f_above + (slow * fast) * (above - below)) / (fast - slow)
        if not lines.periodic:
            ends = ((0, low, flux[0]), (-1, high, flux[1]))
            for face, (at, own, f) in zip(self.faces[axis], ends, strict=True):
                speed = np.maximum(-slow[:, at], fast[:, at])
                x = lines.at_face(at)
                through[..., at] = face(own[..., at], f[..., at], speed, x, time)
        return through

    @staticmethod
    def _flux(law: Law, q: np.ndarray, x: np.ndarray, time: float) -> np.ndarray:
        return law.flux_of_states(q.reshape(len(q), -1), x, time).reshape(q.shape)

    def bounds(self, time: float, q: np.ndarray) -> GridBounds:
        """Bounds of the speeds of waves at all faces, from the means of two cells on either side: in a step waves come no farther."""
        slow, fast, total = [], [], np.zeros(self.mesh.size)
        for axis, lines in enumerate(self._lines):
            law, own = self.laws[axis], lines.of(q)
            _, low, high = law.flux_and_waves(q, self.mesh.centers, time)
            if not np.isfinite(low.sum() + high.sum()):
                raise NotAdmissible
            low, high = lines.of(low[None])[0], lines.of(high[None])[0]
            if not law.convex:
                low, high = self._between(axis, time, own, low, high)
            if not lines.periodic:
                low, high = self._at_faces(axis, time, own, low, high)
            total += lines.back(np.maximum(-low, high)[None])[0] / lines.width
            slow.append(np.minimum(-lines.widened(-low), 0.0))
            fast.append(np.maximum(lines.widened(high), TINY))
        return GridBounds(tuple(slow), tuple(fast), 1.0 / max(float(np.max(total)), TINY))

    def _between(
        self, axis: int, time: float, q: np.ndarray, low: np.ndarray, high: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """The same with states between two cells, where the flux is not quadratic; each counts for both."""
        law, lines = self.laws[axis], self._lines[axis]
        after = lines.beyond(q, 1)[..., 1:]
        here, there = q.reshape(len(q), -1), after.reshape(len(q), -1)
        found = law.waves_between(here, there, lines.centers, time, float(np.min(self.least)))
        least, most = (a.reshape(low.shape) for a in found)
        low, high = np.minimum(low, least), np.maximum(high, most)
        return np.minimum(low, lines.beyond(low, -1)[..., :-1]), np.maximum(
            high, lines.beyond(high, -1)[..., :-1]
        )

    def _at_faces(
        self, axis: int, time: float, q: np.ndarray, low: np.ndarray, high: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """The same with what conditions let in."""
        lines = self._lines[axis]
        low, high = low.copy(), high.copy()
        for face, at in zip(self.faces[axis], (0, -1), strict=True):
            fast = face.speed(q[..., at], np.maximum(-low[:, at], high[:, at]), lines.at_face(at), time)
            low[:, at], high[:, at] = np.minimum(low[:, at], -fast), np.maximum(high[:, at], fast)
        return low, high

    def entering(self, time: float, q: np.ndarray, still: float) -> tuple[str, int, int] | None:
        """A face through which more waves come in than it has conditions: its name, these numbers; below the part `still` of the fastest speed nothing comes in."""
        for axis, lines in enumerate(self._lines):
            if lines.periodic:
                continue
            law, own = self.laws[axis], lines.of(q)
            fastest = float(np.max(law.speeds(q, self.mesh.centers, time)))
            for face, at in zip(self.faces[axis], (0, -1), strict=True):
                found = face.entering(own[..., at], lines.at_face(at), time, still * fastest)
                if found > face.count:
                    return face.name, face.count, found
        return None


class _Lines:
    """Cells along one axis: arrays (…, cells) seen as (…, lines, cells along the axis)."""

    def __init__(self, mesh: Grid, axis: int):
        self.mesh, self.axis, self.width = mesh, axis, float(mesh.widths[axis])
        self.periodic = mesh.periodic[axis]
        self.centers = self._of_places(0.5)
        self.ends = self._of_places(0.0), self._of_places(1.0)

    def _of_places(self, part: float) -> np.ndarray:
        """Places in all cells, at this part of their width along the axis, in the order of lines: (axes, cells)."""
        mesh = self.mesh
        along = [np.arange(n) + (part if k == self.axis else 0.5) for k, n in enumerate(mesh.counts)]
        found = mesh.places(along)
        return self.of(found).reshape(len(found), -1)

    def at_face(self, at: int) -> np.ndarray:
        """Places of the face at the lower (0) or the upper end (−1), (axes, lines)."""
        end = self.ends[0 if at == 0 else 1]
        return end.reshape(len(end), -1, self.mesh.counts[self.axis])[..., at]

    def of(self, q: np.ndarray) -> np.ndarray:
        """(quantities, cells) as (quantities, lines, cells along the axis)."""
        moved = np.moveaxis(q.reshape(len(q), *self.mesh.counts), 1 + self.axis, -1)
        return moved.reshape(len(q), -1, self.mesh.counts[self.axis])

    def back(self, lines: np.ndarray) -> np.ndarray:
        """(quantities, cells) again."""
        counts = self.mesh.counts
        others = [n for k, n in enumerate(counts) if k != self.axis]
        whole = lines.reshape(len(lines), *others, counts[self.axis])
        return np.moveaxis(whole, -1, 1 + self.axis).reshape(len(lines), -1)

    def beyond(self, q: np.ndarray, side: int) -> np.ndarray:
        """The cell below (−1) or above (1) each face along the axis, (…, cells + 1); at an end that is none the cell itself."""
        if side < 0:
            first = q[..., -1:] if self.periodic else q[..., :1]
            return np.concatenate([first, q], axis=-1)
        last = q[..., :1] if self.periodic else q[..., -1:]
        return np.concatenate([q, last], axis=-1)

    def continued(self, u: np.ndarray) -> np.ndarray:
        """Means with those of some cells beyond both ends: around the circle, or the last ones again, so that nothing lies beyond them where a shock runs along a face."""
        if self.periodic:
            return np.concatenate([u[..., -GHOSTS:], u, u[..., :GHOSTS]], axis=-1)
        ends = (np.repeat(u[..., end], GHOSTS, axis=-1) for end in (slice(None, 1), slice(-1, None)))
        below, above = ends
        return np.concatenate([below, u, above], axis=-1)

    def widened(self, bound: np.ndarray) -> np.ndarray:
        """The largest one of two cells on either side of each face, (lines, cells + 1)."""
        around = 2
        if self.periodic:
            padded = np.concatenate([bound[:, -around:], bound, bound[:, :around]], axis=1)
        else:
            ends = np.repeat(bound[:, :1], around, axis=1), np.repeat(bound[:, -1:], around, axis=1)
            padded = np.concatenate([ends[0], bound, ends[1]], axis=1)
        pairs = np.maximum(padded[:, :-1], padded[:, 1:])
        return np.maximum(pairs[:, :-around], pairs[:, around:])
