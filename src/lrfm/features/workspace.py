# SPDX-License-Identifier: MIT
"""Where temporaries live: the (features, points) arrays of one tile, reused by the next tile."""

import numpy as np

from lrfm.arrays import NUMPY, Array, Backend


class Workspace:
    """Arrays of one shape, handed out one after another and taken back all at once.

    Temporaries above 128 kB may be returned to the system and paged in again at every operation; these are
    not, and they begin at a cache line. The backend `xp` says where they live and computes with them.

    Whoever takes an array may write into it until `begin` is called again, or until it is released.
    """

    def __init__(self, xp: Backend = NUMPY):
        self.xp = xp
        self.shape = (0, 0)
        self._pools = {float: _Pool(xp, float), complex: _Pool(xp, complex)}

    def begin(self, features: int, points: int) -> None:
        """Start a tile: every array handed out so far is free again."""
        self.shape = (features, points)
        for pool in self._pools.values():
            pool.begin(self.shape)

    def array(self, kind: type = float) -> Array:
        """An uninitialized array (features, points) of `float` or `complex`."""
        return self._pools[kind].take()

    def column(self, values: np.ndarray) -> Array:
        """Parameters (features,) of NumPy as a column (features, 1) that meets arrays of the tile."""
        return self.xp.asarray(values)[:, None]

    def times(self, a: Array, b: Array | float) -> Array:
        """a·b as a new array of this tile; plain arithmetic for other shapes, such as (features, 1)."""
        if a.shape != self.shape and getattr(b, "shape", ()) != self.shape:
            return a * b
        return self.xp.multiply(a, b, out=self._pools[self.xp.kind(a, b)].take())

    def add_product(self, total: Array, a: Array, b: Array | float) -> None:
        """total += a·b."""
        if total.shape != self.shape:
            total += a * b
        else:
            pool = self._pools[self.xp.kind(a, b)]
            total += self.xp.multiply(a, b, out=pool.take())
            pool.taken -= 1

    def mark(self) -> tuple[int, int]:
        """How many arrays are taken, for `release`."""
        return self._pools[float].taken, self._pools[complex].taken

    def release(self, mark: tuple[int, int]) -> None:
        """Arrays taken since the mark are free again."""
        self._pools[float].taken, self._pools[complex].taken = mark


class _Pool:
    """Arrays of one type and the memory behind them, which outlives a change of shape."""

    def __init__(self, xp: Backend, kind: type):
        self.kind = kind
        self.taken = 0
        self._xp = xp
        self._shape = (0, 0)
        self._arrays: list[Array] = []
        self._buffers: list[Array] = []

    def begin(self, shape: tuple[int, int]) -> None:
        self.taken = 0
        if shape != self._shape:
            self._shape, self._arrays = shape, []

    def take(self) -> Array:
        if self.taken == len(self._arrays):
            self._arrays.append(self._buffer(self.taken).reshape(self._shape))
        self.taken += 1
        return self._arrays[self.taken - 1]

    def _buffer(self, index: int) -> Array:
        size = self._shape[0] * self._shape[1]
        if index == len(self._buffers):
            self._buffers.append(self._xp.buffer(size, self.kind))
        elif self._buffers[index].shape[0] < size:
            self._buffers[index] = self._xp.buffer(size, self.kind)
        return self._buffers[index][:size]
