# SPDX-License-Identifier: MIT
"""A shock that is caught in some cells, as a jump inside of them: at the place s that keeps what is conserved,

    ∫ₐˢ q⁻ dx + ∫ₛᵇ q⁺ dx = Σ hᵢ q̄ᵢ   over the cells from a to b,

q⁻ and q⁺ the straight lines of the cells beside a and b (subcell resolution: Harten, J. Comput. Phys. 83, 1989). Means tell the place of a shock far better than cells are wide.
The scheme goes on with its cells; what is shown of them has an edge that moves within each step, from its place at the start to that at the end. Of several quantities each counts with the square of its change.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from lrfm.discretize.laws.law import Law
from lrfm.discretize.laws.volumes import GHOSTS
from lrfm.discretize.options import ROUNDING, SHOCKS, Options
from lrfm.spaces.cells import Mesh, MovingMesh


def across() -> int:
    """Cells on either side of the middle of a shock that see its other side."""
    return GHOSTS + 1


def to_edge(y: np.ndarray) -> np.ndarray:
    """What lines have more at the upper edge than in the middle of their cells."""
    return math.sqrt(3) * y[..., 1]


@dataclass(frozen=True)
class Lines:
    """Straight lines beside stretches of cells, each (quantities, stretches) with its value at the edge of the stretch and its slope, and what both say of a shock between them."""

    edges: tuple[np.ndarray, np.ndarray]
    values: tuple[np.ndarray, np.ndarray]
    slopes: tuple[np.ndarray, np.ndarray]
    totals: np.ndarray
    least: np.ndarray

    @staticmethod
    def beside(mesh: Mesh, y: np.ndarray, first: np.ndarray, last: np.ndarray, least: np.ndarray) -> Lines:
        """Of a state (quantities, cells, 2), beside cells `first` to `last`."""
        below, above, widths = y[:, first - 1], y[:, last + 1], mesh.widths
        sums = np.cumsum(np.pad(y[..., 0] * widths, [(0, 0), (1, 0)]), axis=1)
        return Lines(
            (mesh.edges[first], mesh.edges[last + 1]),
            (below[..., 0] + to_edge(below), above[..., 0] - to_edge(above)),
            (2 * to_edge(below) / widths[first - 1], 2 * to_edge(above) / widths[last + 1]),
            sums[:, last + 1] - sums[:, first],
            least,
        )

    @property
    def change(self) -> np.ndarray:
        """From one edge to the other, in the measure in which quantities are added."""
        return (self.values[0] - self.values[1]) / self.least[:, None] ** 2

    def gained(self, at: np.ndarray) -> np.ndarray:
        """What lines gain on their ways to a place, relative to the change over the stretch: how much they are trusted with."""
        ways = (np.abs(k * (at - x)) for x, k in zip(self.edges, self.slopes, strict=True))
        change = self.change
        whole = np.sum(change * (self.values[0] - self.values[1]), axis=0)
        return np.sum(np.abs(change) * sum(ways), axis=0) / np.where(whole > 0, whole, np.nan)

    def places(self) -> np.ndarray:
        """Where a jump keeps totals, the root of a z² + b z = c between the edges; not a number where there is none."""
        (low, high), (left, right), (rise, fall) = self.edges, self.values, self.slopes
        long = high - low
        # With z from the lower edge on: q⁻ z + q⁻′ z²/2 + q⁺ (l − z) − q⁺′ (l − z)²/2.
        weigh = lambda q: np.sum(self.change * q, axis=0)  # noqa: E731
        a, b = weigh((rise - fall) / 2), weigh(left - right + fall * long)
        c = weigh(self.totals - right * long + fall * long**2 / 2)
        with np.errstate(all="ignore"):  # lines that meet have none
            z = 2 * c / (b + np.sqrt(b**2 + 4 * a * c))
        inside = (z > ROUNDING.small * long) & (z < (1 - ROUNDING.small) * long)
        return np.where(inside, low + z, np.nan)

    def cells(self, at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Means with slopes of the cells below and above places, (quantities, stretches, 2)."""
        low, high = self.edges
        below, above = (k * w / 2 for k, w in zip(self.slopes, (at - low, high - at), strict=True))
        return (
            np.stack([self.values[0] + below, below / math.sqrt(3)], axis=-1),
            np.stack([self.values[1] - above, above / math.sqrt(3)], axis=-1),
        )


@dataclass(frozen=True)
class Sharp:
    """Shocks of a law on the cells of a mesh; `least` is the least jump of each quantity that is one."""

    law: Law
    mesh: Mesh
    least: np.ndarray

    def middles(self, y: np.ndarray, time: float) -> np.ndarray:
        """Cells at whose right edges shocks of a state have their middles: means change most there among those that see it, lines from both sides gain little on their ways, and waves do not part."""
        beside = across()
        wide = 2 * beside + 1
        change = np.max(np.abs(np.diff(y[..., 0], axis=1)) / self.least[:, None], axis=0)
        if len(change) < wide:
            return np.zeros(0, dtype=np.int64)
        around = np.max(np.lib.stride_tricks.sliding_window_view(change, wide), axis=1)
        middle = beside + np.flatnonzero((change[beside:-beside] == around) & (around > 1))
        lines = Lines.beside(self.mesh, y, middle + 1 - beside, middle + beside, self.least)
        places = lines.places()
        jump = lines.gained(places) < Options.minor
        if not jump.any():
            return middle[jump]
        return middle[jump][self._meet(lines, places, jump, time)]

    def _meet(self, lines: Lines, places: np.ndarray, among: np.ndarray, time: float) -> np.ndarray:
        """λ⁻ ≥ s ≥ λ⁺ of the waves whose speed is nearest to that of the shock (Lax): what opens as a fan is no jump, however narrow, nor is a shock with a fan beside it. Two solves that show it as one agree."""
        sides = zip(lines.edges, lines.values, lines.slopes, strict=True)
        left, right = ((v + k * (places - x))[:, among] for x, v, k in sides)
        both, x = np.concatenate([left, right], axis=1), np.tile(places[among], 2)
        flux, waves = self.law.flux_of_states(both, x, time), np.sort(self.law.waves_at(both, x, time)[0])
        change, count = lines.change[:, among], left.shape[1]
        drops = np.sum(change * (left - right), axis=0)
        speed = (np.sum(change * (flux[:, :count] - flux[:, count:]), axis=0) / drops)[:, None]
        before, after = waves[:count], waves[count:]
        own = np.argmin(np.abs(before + after - 2 * speed), axis=1)[:, None]
        same = ROUNDING.small * np.max(np.abs(waves), initial=0.0)
        meet = (before + same >= speed) & (speed >= after - same)
        return np.take_along_axis(meet, own, axis=1)[:, 0]

    def shown(
        self,
        start: np.ndarray,
        end: np.ndarray,
        middles: tuple[np.ndarray, np.ndarray],
        time: float,
        length: float,
    ) -> tuple[MovingMesh, np.ndarray, np.ndarray] | None:
        """Cells with an edge that goes along with each shock that has a middle at the start and at the end of a step, and both states on them; None where there is none."""
        mesh, before, after = self.mesh, *middles
        if not len(before) or not len(after):
            return None
        nearest = after[np.argmin(np.abs(before[:, None] - after), axis=1)]
        along = np.abs(nearest - before) <= SHOCKS.volume_steps
        if not along.any():
            return None
        first = np.minimum(before, nearest)[along] + 1 - across()
        last = np.maximum(before, nearest)[along] + across()
        # Lines beside a stretch have no other shock in them.
        apart = np.append(first[1:] > last[:-1] + 2, True)
        alone = apart & np.append(True, apart[:-1])
        lines = [Lines.beside(mesh, y, first[alone], last[alone], self.least) for y in (start, end)]
        places = [own.places() for own in lines]
        known = np.isfinite(places[0] + places[1])
        if not known.any():
            return None
        first, last = first[alone][known], last[alone][known]
        kept = np.ones(mesh.size, dtype=bool)
        for a, b in zip(first, last, strict=True):
            kept[a + 2 : b + 1] = False
        left = np.cumsum(kept)[first] - 1
        edges, speeds = mesh.edges[np.append(kept, True)], np.zeros(kept.sum() + 1)
        edges[left + 1], speeds[left + 1] = places[0][known], (places[1] - places[0])[known] / length
        states = [y[:, kept] for y in (start, end)]
        for y, own, at in zip(states, lines, places, strict=True):
            cells = own.cells(at)
            y[:, left], y[:, left + 1] = cells[0][:, known], cells[1][:, known]
        fixed = speeds == 0
        return MovingMesh(edges, speeds, fixed, time, mesh.periodic), states[0], states[1]
