# SPDX-License-Identifier: MIT
"""A reference solution as a function: trigonometric in space, piecewise Chebyshev in time."""

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

NODES = 16  # Chebyshev points per time panel
CHUNK = 2**20  # complex numbers held at once while a series is evaluated


@dataclass(frozen=True)
class Series:
    """u(x, t) = Σ_k û_k(t) exp(i k·(x - lower)), û_k a Chebyshev interpolant in t on each panel; callable.

    Called with the space coordinates in order and t last; the arguments broadcast. `tails` is what the two
    expansions leave out.
    """

    lower: tuple[float, ...]
    lengths: tuple[float, ...]
    T: float
    integers: NDArray  # retained wave numbers, the same on every axis
    hats: NDArray  # (panels, nodes, K, ..., K)
    real: bool
    tails: tuple[float, float]

    def scaled(self, factor: Callable[..., NDArray]) -> "Series":
        """The series with û_k multiplied by factor(k_x, ...): derivatives, inverse Laplacians."""
        k = [2 * np.pi / length * self.integers for length in self.lengths]
        return replace(self, hats=self.hats * factor(*np.meshgrid(*k, indexing="ij")))

    def __call__(self, *coordinates: NDArray) -> NDArray:
        arrays = np.broadcast_arrays(*(np.asarray(c, dtype=float) for c in coordinates))
        shape = arrays[0].shape
        flat = [a.ravel() for a in arrays]
        out = np.empty(flat[0].size, dtype=complex)
        panels = len(self.hats)
        local = flat[-1] / self.T * panels
        panel = np.clip(np.floor(local).astype(int), 0, panels - 1)
        step = max(1, CHUNK // self.hats[0, 0].size)
        for p in np.unique(panel):
            where = np.flatnonzero(panel == p)
            for start in range(0, where.size, step):
                chosen = where[start : start + step]
                out[chosen] = self._sum(p, local[chosen] - p, [c[chosen] for c in flat[:-1]])
        out = out.reshape(shape)
        return np.real(out) if self.real else out

    def _sum(self, panel: int, s: NDArray, space: list[NDArray]) -> NDArray:
        hats = self.hats[panel]
        total = (lagrange(s) @ hats.reshape(NODES, -1)).reshape(s.size, *hats.shape[1:])
        for axis in reversed(range(len(space))):
            angle = 2 * np.pi * (space[axis] - self.lower[axis]) / self.lengths[axis]
            total = np.einsum("m...k,mk->m...", total, np.exp(1j * np.outer(angle, self.integers)))
        return total


@functools.cache
def chebyshev(nodes: int = NODES) -> tuple[NDArray, NDArray]:
    """Chebyshev-Lobatto points on [0, 1] and their barycentric weights."""
    points = 0.5 - 0.5 * np.cos(np.pi * np.arange(nodes) / (nodes - 1))
    weights = (-1.0) ** np.arange(nodes)
    weights[[0, -1]] *= 0.5
    return points, weights


def lagrange(s: NDArray) -> NDArray:
    """ℓ_m(s), shape (points, nodes), by the barycentric formula."""
    points, weights = chebyshev()
    gap = s[:, None] - points
    hit = gap == 0
    terms = weights / np.where(hit, 1.0, gap)
    basis = terms / terms.sum(axis=1, keepdims=True)
    rows = hit.any(axis=1)
    basis[rows] = hit[rows]
    return basis
