# SPDX-License-Identifier: MIT
"""Means on cells of the widths h, 2h, 4h, … : a mean is told by that of two cells together and a *detail*,

    ū_left,right = ū ∓ D(ū₋₂, ū₋₁, ū₁, ū₂) + detail,      D = (22 (ū₁ − ū₋₁) − 3 (ū₂ − ū₋₂))/128,

exact for polynomials of degree four, so that details fall like 2⁻⁵ from width to width where the function is smooth, and not at all where it jumps
(Harten, Commun. Pure Appl. Math. 48, 1995; Cohen, Kaber, Müller, Postel, Math. Comput. 72, 2003). Totals are kept exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from lrfm.spaces.cells.mesh import Mesh

GHOSTS = (
    2  # cells on either side of one from which its halves are predicted, and with which it is reconstructed
)
APART = (
    GHOSTS + GHOSTS
)  # cells of each width at least between narrower and wider ones: their halves need them


def weights() -> dict[int, float]:
    """Of ū_k − ū₋ₖ in D, by k."""
    return {1: 22 / 128, 2: -3 / 128}


@dataclass(frozen=True)
class Dyadic:
    """An interval of `count` narrowest cells, a multiple of 4 · 2^levels: how details of the widest ones and of pairs of these fall says what halves would add."""

    low: float
    high: float
    count: int
    levels: int
    periodic: bool

    @cached_property
    def roots(self) -> np.ndarray:
        """Edges of the widest cells."""
        return np.linspace(self.low, self.high, (self.count >> self.levels) + 1)

    @cached_property
    def edges(self) -> np.ndarray:
        """Of the narrowest cells."""
        return np.linspace(self.low, self.high, self.count + 1)

    def sizes(self, mesh: Mesh) -> np.ndarray:
        """How many of the narrowest cells each cell is wide."""
        return 1 << (self.levels - mesh.level)

    def mesh(self, sizes: np.ndarray) -> Mesh:
        """Cells of these sizes, from left to right."""
        starts = np.cumsum(sizes) - sizes
        level = self.levels - np.rint(np.log2(sizes)).astype(np.int64)
        inside = starts & ((1 << self.levels) - 1)
        return Mesh(self.roots, starts >> self.levels, level, inside // sizes, self.periodic)

    def joined(
        self, means: np.ndarray, sizes: np.ndarray, level: int
    ) -> tuple[Dyadic, np.ndarray, np.ndarray]:
        """The grid whose narrowest cells are 2^level of these, with means (…, cells) and sizes on it: narrower ones are joined."""
        if not level:
            return self, means, sizes
        wider = replace(self, count=self.count >> level, levels=self.levels - level)
        starts = (np.cumsum(sizes) - sizes) >> level
        first = np.flatnonzero(np.diff(starts, prepend=-1))
        whole = np.add.reduceat(sizes, first)
        return wider, np.add.reduceat(means * sizes, first, axis=-1) / whole, whole >> level

    # Means --------------------------------------------------------------------------------------------------

    def finest(
        self, means: np.ndarray, sizes: np.ndarray
    ) -> tuple[np.ndarray, list[np.ndarray], list[np.ndarray]]:
        """Means (…, cells) on the narrowest cells; by width details, and what straight lines in cells twice as wide miss in the mean, zero where they are not known."""
        known, own = [np.repeat(means, sizes, axis=-1)], np.repeat(sizes, sizes)
        for _ in range(self.levels + 2):
            known.append(0.5 * (known[-1][..., 0::2] + known[-1][..., 1::2]))
        found, details, bends = known[-1], [], []
        for level in reversed(range(self.levels + 2)):
            children, bend = self._halves(found)
            here = own[:: 1 << level] <= 1 << level
            detail = np.where(here, known[level] - children, 0.0)
            found = children + detail
            details.append(detail)
            bends.append(np.where(here, np.repeat(bend, 2, axis=-1), 0.0))
        return found, details[::-1], bends[::-1]

    def _halves(self, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Means of the halves of cells as they are predicted, and what straight lines in the cells miss in the mean: 1/32 of the second difference."""
        lead = [(0, 0)] * (u.ndim - 1)
        v = np.pad(u, [*lead, (GHOSTS, GHOSTS)], mode="wrap" if self.periodic else "edge")
        if not self.periodic:  # straight lines beyond the ends
            for k in range(1, GHOSTS + 1):
                v[..., GHOSTS - k] += k * (u[..., 0] - u[..., 1])
                v[..., -GHOSTS - 1 + k] += k * (u[..., -1] - u[..., -2])
        n = u.shape[-1]
        slope = sum(
            w * (v[..., GHOSTS + k : GHOSTS + k + n] - v[..., GHOSTS - k : GHOSTS - k + n])
            for k, w in weights().items()
        )
        bend = (v[..., GHOSTS + 1 : GHOSTS + 1 + n] - 2 * u + v[..., GHOSTS - 1 : GHOSTS - 1 + n]) / 32
        return np.stack([u - slope, u + slope], axis=-1).reshape(*u.shape[:-1], 2 * n), bend

    def gathered(self, finest: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        """Means on cells of some sizes from those on the narrowest ones."""
        return np.add.reduceat(finest, np.cumsum(sizes) - sizes, axis=-1) / sizes

    # Which cells --------------------------------------------------------------------------------------------

    def counted(self, left: Sequence[np.ndarray], budget: float, sizes: np.ndarray) -> list[np.ndarray]:
        """By width, the cells whose part of what may be left out (rows, cells) counts: the others have less than a budget in the mean together."""
        own = np.repeat(sizes, sizes)
        shares = [np.max(np.abs(d), axis=0) * (1 << level) / self.count for level, d in enumerate(left)]
        ordered = np.sort(np.concatenate(shares))
        small = int(np.searchsorted(np.cumsum(ordered), budget, side="right"))
        least = ordered[small] if small < ordered.size else np.inf
        alone = min(least, budget)  # counts although it is not there yet
        flags = [share >= least for share in shares]
        for level in range(1, self.levels + 1):
            # What has not been halved, and would count if it fell on as it has: by 2⁻⁶ at the most where it is smooth, by a half at a jump.
            wider = np.maximum(np.repeat(shares[level + 1], 2), np.finfo(float).tiny)
            fall = np.clip(shares[level] / wider, 0.5 ** (APART + 2), 0.5)
            ahead = np.where(own[:: 1 << level] == 1 << level, shares[level], 0.0)
            for down in range(1, level + 1):
                ahead = ahead * fall
                flags[level - down] |= np.repeat(ahead >= alone, 1 << down)
        return flags[: self.levels]

    def around(self, flags: Sequence[np.ndarray], reach: int) -> np.ndarray:
        """Sizes of cells that are as narrow as marked ones (by width) within so many narrowest cells of these."""
        size = np.full(self.count, 1 << self.levels)
        masks: list[np.ndarray] = []
        for level, flag in enumerate(flags):
            here = self._widened(flag, max(APART, -(-reach >> level) + 1))
            if masks:
                here |= self._widened(masks[-1], APART)
            masks.append(self._closed(here[0::2] | here[1::2]))
        for level in reversed(range(self.levels)):
            size[np.repeat(masks[level], 2 << level)] = 1 << level
        return size[np.arange(self.count) % size == 0]

    def _widened(self, mask: np.ndarray, by: int) -> np.ndarray:
        """Cells within some cells of those that are marked."""
        by = min(by, mask.size)
        padded = np.pad(mask, by, mode="wrap" if self.periodic else "constant")
        total = np.concatenate([[0], np.cumsum(padded)])
        return total[2 * by + 1 :] > total[: -2 * by - 1]

    def _closed(self, mask: np.ndarray) -> np.ndarray:
        """With those between marked cells and an end where they are too few to predict from."""
        marked = np.flatnonzero(mask)
        if len(marked) and not self.periodic:
            if marked[0] < APART:
                mask[: marked[0]] = True
            if mask.size - 1 - marked[-1] < APART:
                mask[marked[-1] :] = True
        return mask

    # Neighbors of another width ------------------------------------------------------------------------------

    def ghosts(self, sizes: np.ndarray) -> Ghosts:
        """What cells beside one of another width are reconstructed from."""
        return Ghosts.of(self, sizes)


@dataclass(frozen=True)
class Ghosts:
    """Means of stretches of cells of one width, each with GHOSTS cells of the same width beyond its ends: columns of an array that has GHOSTS cells beyond its own ends.

    `columns` are those that are taken as they are; those at `places` are sums of means of cells `sources` with `weights`; `kept` are the cells themselves among the
    columns from the third to the last but two.
    """

    columns: np.ndarray
    places: np.ndarray
    sources: np.ndarray
    weights: np.ndarray
    kept: np.ndarray

    @staticmethod
    def of(grid: Dyadic, sizes: np.ndarray) -> Ghosts:
        """For cells of some sizes."""
        n, starts = len(sizes), np.cumsum(sizes) - sizes
        edges = np.concatenate([[0], np.flatnonzero(np.diff(sizes)) + 1, [n]])
        seam = grid.periodic and sizes[0] != sizes[-1]
        columns, places, kept, wanted = [], [], [], []
        at = 0
        for first, last in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
            size = int(sizes[first])
            columns.append(np.arange(first, last + 2 * GHOSTS))
            kept.append(at + np.arange(last - first))
            if first > 0 or seam:
                places += [at + k for k in range(GHOSTS)]
                wanted += [(int(starts[first]) + (k - GHOSTS) * size, size) for k in range(GHOSTS)]
            end = at + GHOSTS + last - first
            if last < n or seam:
                places += [end + k for k in range(GHOSTS)]
                wanted += [(int(starts[first]) + (last - first + k) * size, size) for k in range(GHOSTS)]
            at = end + GHOSTS
        sources, weights = _covered(grid, starts, sizes, np.array(wanted, dtype=np.int64).reshape(-1, 2))
        return Ghosts(
            np.concatenate(columns), np.array(places, dtype=np.int64), sources, weights, np.concatenate(kept)
        )


def _covered(
    grid: Dyadic, starts: np.ndarray, sizes: np.ndarray, wanted: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Means of cells (start, size) as sums of those of cells that are there: the same, two halves, or the half of one as it is predicted."""
    start, size = wanted[:, 0] % grid.count, wanted[:, 1]

    def same(start: np.ndarray, size: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        cell = np.searchsorted(starts, start % grid.count, side="right") - 1
        half = sizes[cell] < size
        pair = np.stack([cell, (cell + 1) % len(starts)], axis=1)
        return pair, np.stack([np.where(half, 0.5, 1.0), np.where(half, 0.5, 0.0)], axis=1)

    cell = np.searchsorted(starts, start, side="right") - 1
    wider = sizes[cell] > size
    whole = np.where(wider, sizes[cell], size)
    middle, sign = np.where(wider, starts[cell], start), np.where(start > starts[cell], 1.0, -1.0)
    sources, shares = map(list, zip(same(middle, whole), strict=True))
    for k, weight in weights().items():
        for side in (-k, k):
            source, part = same(middle + side * whole, whole)
            sources.append(source)
            shares.append(part * (wider * sign * np.sign(side) * weight)[:, None])
    return np.concatenate(sources, axis=1), np.concatenate(shares, axis=1)
