# SPDX-License-Identifier: MIT
"""A function on other cells: exact where a new cell lies in an old one, the nearest polynomial where it holds several of them.

Where cells are joined, values and derivatives below the order m at the ends stay, so that functions of class C^(m−1) stay so.
"""

from __future__ import annotations

import numpy as np

from lrfm.spaces.cells.reference import connecting, nodes, table


class Transfer:
    """Coefficients on cells with the edges `new` from those on cells with the edges `old`; both divide the same interval."""

    def __init__(self, old: np.ndarray, new: np.ndarray, old_size: int, new_size: int):
        self.sizes = old_size, new_size
        old = snapped(old, new)
        self.same = len(old) == len(new) and bool(np.all(old == new))
        if self.same:
            return
        cuts = np.union1d(old, new)
        middle = 0.5 * (cuts[1:] + cuts[:-1])
        self._old = np.clip(np.searchsorted(old, middle) - 1, 0, len(old) - 2)
        owner = np.clip(np.searchsorted(new, middle) - 1, 0, len(new) - 2)
        self._first = np.searchsorted(owner, np.arange(len(new) - 1))
        points, weights = nodes(max(old_size, new_size), 0)
        widths, self._widths = np.diff(old), np.diff(new)

        def tables(low: np.ndarray, part: np.ndarray, size: int) -> np.ndarray:
            at = 2 * low[:, None] + part[:, None] * (points + 1) - 1
            return table(at.ravel(), size).reshape(*at.shape, size)

        within, share = fractions(cuts, new, owner)
        here = tables(within, share, new_size) * (weights * share[:, None])[:, :, None]
        there = tables(*fractions(cuts, old, self._old), old_size)
        self._matrices = np.einsum("pqn,pqo->pno", here, there)
        last = np.append(self._first[1:], len(owner)) - 1
        joined = np.flatnonzero(last > self._first)
        self._joined = joined
        self._ends = [(self._old[at[joined]], widths[self._old[at[joined]]]) for at in (self._first, last)]

    def __call__(self, coefficients: np.ndarray, order: int = 0) -> np.ndarray:
        """Coefficients (…, cells, size) on the new cells; `order` is that up to which derivatives at the ends of joined cells stay."""
        if self.same:
            return resized(coefficients, self.sizes[1])
        parts = np.matmul(self._matrices, coefficients[..., self._old, :, None])[..., 0]
        result = np.add.reduceat(parts, self._first, axis=-2)
        if order and len(self._joined):
            result[..., self._joined, :] += self._kept(coefficients, result[..., self._joined, :], order)
        return result

    def _kept(self, coefficients: np.ndarray, nearest: np.ndarray, order: int) -> np.ndarray:
        """What joined cells lack at their ends."""
        old_size, new_size = self.sizes
        ends, gaps = np.array([-1.0, 1.0]), []
        for side, (cells, widths) in enumerate(self._ends):
            own = np.stack([table(ends[side : side + 1], new_size, d)[0] for d in range(order)])
            before = np.stack([table(ends[side : side + 1], old_size, d)[0] for d in range(order)])
            stretch = (self._widths[self._joined] / widths)[:, None] ** np.arange(order)
            gaps.append(coefficients[..., cells, :] @ before.T * stretch - nearest @ own.T)
        return np.einsum("sem,...kem->...ks", connecting(new_size, order), np.stack(gaps, axis=-2))


def fractions(cuts: np.ndarray, edges: np.ndarray, which: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where each piece between two cuts begins in the cell of these edges that has it, and which part of that cell it is.

    Differences of edges lose ε|x|/w in a cell of width w, and second derivatives w⁻² of it: what is a cell itself, its half, a quarter, … within rounding, is that exactly.
    """
    low, width = edges[which], np.diff(edges)[which]
    halves = 2.0 ** np.ceil(np.log2(np.max(width) / np.min(np.diff(cuts))))
    rounding = 8 * np.spacing(np.max(np.abs(edges))) / width
    ends = (cuts[:-1] - low) / width, (cuts[1:] - low) / width
    exact = [np.round(halves * end) / halves for end in ends]
    first, last = (np.where(np.abs(e - end) <= rounding, e, end) for e, end in zip(exact, ends, strict=True))
    return first, last - first


def snapped(edges: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Edges in the places of others that differ from them by rounding: halves of a cell are computed from its root, which may be another one."""
    at = np.clip(np.searchsorted(others, edges), 1, len(others) - 1)
    nearest = np.where(edges - others[at - 1] < others[at] - edges, others[at - 1], others[at])
    rounding = 8 * np.spacing(np.max(np.abs(others)))
    return np.where(np.abs(nearest - edges) <= rounding, nearest, edges)


def resized(coefficients: np.ndarray, size: int) -> np.ndarray:
    """The same functions with more coefficients, or without the last ones."""
    own = coefficients.shape[-1]
    if own >= size:
        return coefficients[..., :size]
    wide = np.zeros((*coefficients.shape[:-1], size), dtype=coefficients.dtype)
    wide[..., :own] = coefficients
    return wide
