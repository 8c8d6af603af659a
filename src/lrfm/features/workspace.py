# SPDX-License-Identifier: MIT
"""Where temporaries live: the (features, points) arrays of one tile, reused by the next tile."""

import numpy as np

_LINE = 64  # bytes of a cache line


class Workspace:
    """Arrays of one shape, handed out one after another and taken back all at once.

    Plain NumPy temporaries begin 16 bytes into a cache line, which halves the speed of loops that write a
    third array, and those above 128 kB may be returned to the system and paged in again at every operation.

    Whoever takes an array may write into it until `begin` is called again, or until it is released.
    """

    def __init__(self):
        self.shape = (0, 0)
        self._pools = {float: _Pool(float), complex: _Pool(complex)}

    def begin(self, features: int, points: int) -> None:
        """Start a tile: every array handed out so far is free again."""
        self.shape = (features, points)
        for pool in self._pools.values():
            pool.begin(self.shape)

    def array(self, kind: type = float) -> np.ndarray:
        """An uninitialized array (features, points) of `float` or `complex`."""
        return self._pools[kind].take()

    def times(self, a: np.ndarray, b: np.ndarray | float) -> np.ndarray:
        """a·b as a new array of this tile; plain arithmetic for other shapes, such as (features, 1)."""
        if a.shape != self.shape and np.shape(b) != self.shape:
            return a * b
        return np.multiply(a, b, out=self._pools[_kind(a, b)].take())

    def add_product(self, total: np.ndarray, a: np.ndarray, b: np.ndarray | float) -> None:
        """total += a·b."""
        if total.shape != self.shape:
            total += a * b
        else:
            pool = self._pools[_kind(a, b)]
            total += np.multiply(a, b, out=pool.take())
            pool.taken -= 1

    def mark(self) -> tuple[int, int]:
        """How many arrays are taken, for `release`."""
        return self._pools[float].taken, self._pools[complex].taken

    def release(self, mark: tuple[int, int]) -> None:
        """Arrays taken since the mark are free again."""
        self._pools[float].taken, self._pools[complex].taken = mark


class _Pool:
    """Arrays of one type and the aligned memory behind them, which outlives a change of shape."""

    def __init__(self, kind: type):
        self.kind = kind
        self.taken = 0
        self._shape = (0, 0)
        self._arrays: list[np.ndarray] = []
        self._buffers: list[np.ndarray] = []

    def begin(self, shape: tuple[int, int]) -> None:
        self.taken = 0
        if shape != self._shape:
            self._shape, self._arrays = shape, []

    def take(self) -> np.ndarray:
        if self.taken == len(self._arrays):
            self._arrays.append(self._buffer(self.taken).reshape(self._shape))
        self.taken += 1
        return self._arrays[self.taken - 1]

    def _buffer(self, index: int) -> np.ndarray:
        size = self._shape[0] * self._shape[1]
        if index == len(self._buffers):
            self._buffers.append(_aligned(size, self.kind))
        elif self._buffers[index].size < size:
            self._buffers[index] = _aligned(size, self.kind)
        return self._buffers[index][:size]


def _kind(a: np.ndarray, b: np.ndarray | float) -> type:
    return complex if a.dtype.kind == "c" or getattr(b, "dtype", a.dtype).kind == "c" else float


def _aligned(size: int, kind: type) -> np.ndarray:
    raw = np.empty(size * np.dtype(kind).itemsize + _LINE, dtype=np.uint8)
    start = -raw.ctypes.data % _LINE
    return raw[start : start + size * np.dtype(kind).itemsize].view(kind)
