# SPDX-License-Identifier: MIT
"""Where temporaries live: the (features, points) arrays of one tile, reused by the next tile."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

_LINE = 64  # bytes of a cache line


class Workspace:
    """Arrays of one shape, handed out one after another and taken back all at once.

    Plain NumPy temporaries begin 16 bytes into a cache line, which halves the speed of its loops, and those above 128 kB are
    returned to the system and paged in again at every operation. Together this is a factor of two on derivative matrices.

    Whoever takes an array may write into it until `begin` is called again, or until the `scope` in which it was taken ends.
    """

    def __init__(self):
        self.shape = (0, 0)
        self._arrays: dict[type, list[np.ndarray]] = {float: [], complex: []}
        self._buffers: dict[type, list[np.ndarray]] = {float: [], complex: []}
        self._taken = {float: 0, complex: 0}

    def begin(self, features: int, points: int) -> None:
        """Start a tile: every array handed out so far is free again."""
        if self.shape != (features, points):
            self.shape = (features, points)
            self._arrays = {float: [], complex: []}
        self._taken = {float: 0, complex: 0}

    def array(self, kind: type = float) -> np.ndarray:
        """An uninitialized array (features, points) of `float` or `complex`."""
        arrays, taken = self._arrays[kind], self._taken[kind]
        if taken == len(arrays):
            arrays.append(self._buffer(kind, taken).reshape(self.shape))
        self._taken[kind] = taken + 1
        return arrays[taken]

    def times(self, a: np.ndarray, b: np.ndarray | float) -> np.ndarray:
        """a·b as a new array of this tile; plain arithmetic if it is a smaller one, such as (features, 1)."""
        if a.shape != self.shape and np.shape(b) != self.shape:
            return a * b
        return np.multiply(a, b, out=self.array(_kind(a, b)))

    def add_product(self, total: np.ndarray, a: np.ndarray, b: np.ndarray | float) -> None:
        """total += a·b."""
        with self.scope():
            total += self.times(a, b)

    @contextmanager
    def scope(self) -> Iterator[None]:
        """Arrays taken inside are free again afterwards."""
        taken = dict(self._taken)
        yield
        self._taken = taken

    def _buffer(self, kind: type, index: int) -> np.ndarray:
        """The memory behind array number `index`, aligned, kept when the shape changes."""
        size, buffers = self.shape[0] * self.shape[1], self._buffers[kind]
        if index == len(buffers):
            buffers.append(_aligned(size, kind))
        elif buffers[index].size < size:
            buffers[index] = _aligned(size, kind)
        return buffers[index][:size]


def _kind(a: np.ndarray, b: np.ndarray | float) -> type:
    return complex if a.dtype.kind == "c" or getattr(b, "dtype", a.dtype).kind == "c" else float


def _aligned(size: int, kind: type) -> np.ndarray:
    raw = np.empty(size * np.dtype(kind).itemsize + _LINE, dtype=np.uint8)
    start = -raw.ctypes.data % _LINE
    return raw[start : start + size * np.dtype(kind).itemsize].view(kind)
