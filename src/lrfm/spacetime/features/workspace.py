# SPDX-License-Identifier: MIT
"""Where temporaries live: the arrays of one tile of features and points, reused by the next tile."""

import threading
from math import prod

import numpy as np

from lrfm.spacetime.least_squares.backends import NUMPY, Array, Backend


class Workspace:
    """Arrays of two shapes, handed out one after another and taken back all at once.

    Full ones have the shape (features, *shape of the points); still ones that of what depends on the place alone, such as
    (features, places, 1). For scattered points the two are the same.

    Temporaries above 128 kB may be returned to the system and paged in again at every operation; these are
    not, and they begin at a cache line. The backend `xp` says where they live and computes with them.

    Whoever takes an array may write into it until `begin` is called again, or until it is released.
    """

    def __init__(self, xp: Backend = NUMPY):
        self.xp = xp
        self.shape = self.still = (0, 0)
        self._met: dict[tuple[tuple[int, ...], ...], bool] = {}
        self._pools = {(still, kind): _Pool(xp, kind) for still in (False, True) for kind in (float, complex)}

    def begin(
        self, features: int, points: int | tuple[int, ...], places: tuple[int, ...] | None = None
    ) -> None:
        """Start a tile: every array handed out so far is free again."""
        points = points if isinstance(points, tuple) else (points,)
        self.shape = (features, *points)
        self.still = self.shape if places is None else (features, *places)
        self._met = {}
        for (still, _), pool in self._pools.items():
            pool.begin(self.still if still else self.shape)

    def restart(self, features: int) -> None:
        """Start the tile anew with another number of features."""
        self.begin(features, self.shape[1:], self.still[1:])

    def array(self, kind: type = float) -> Array:
        """An uninitialized full array of `float` or `complex`."""
        return self._pools[False, kind].take()

    def like(self, *arrays: Array, kind: type = float) -> Array:
        """An uninitialized array for what is computed from arrays of these shapes: a still one if they meet there, else a full one."""
        return self._pools[self._is_still(tuple(a.shape for a in arrays)), kind].take()

    def column(self, values: np.ndarray) -> Array:
        """Parameters (features,) of NumPy as a column (features, 1, …) that meets arrays of the tile."""
        return self.xp.asarray(values).reshape((-1,) + (1,) * (len(self.shape) - 1))

    def times(self, a: Array, b: Array | float) -> Array:
        """a·b as a new array of this tile; plain arithmetic for other shapes, such as (features, 1)."""
        shapes = a.shape, getattr(b, "shape", ())
        if self.shape not in shapes and self.still not in shapes:
            return a * b
        return self.xp.multiply(a, b, out=self._pools[self._is_still(shapes), self.xp.kind(a, b)].take())

    def add_product(self, total: Array, a: Array, b: Array | float) -> None:
        """total += a·b."""
        if total.shape not in (self.shape, self.still):
            total += a * b
        else:
            pool = self._pools[total.shape != self.shape, self.xp.kind(a, b)]
            total += self.xp.multiply(a, b, out=pool.take())
            pool.taken -= 1

    def _is_still(self, shapes: tuple[tuple[int, ...], ...]) -> bool:
        """Whether arrays of these shapes meet at that of the places, and not at that of all points."""
        if shapes not in self._met:
            self._met[shapes] = self.still != self.shape and np.broadcast_shapes(*shapes) == self.still
        return self._met[shapes]

    def mark(self) -> tuple[int, ...]:
        """How many arrays are taken, for `release`."""
        return tuple(pool.taken for pool in self._pools.values())

    def release(self, mark: tuple[int, ...]) -> None:
        """Arrays taken since the mark are free again."""
        for pool, taken in zip(self._pools.values(), mark, strict=True):
            pool.taken = taken


class _Pool:
    """Arrays of one type and the memory behind them, which outlives a change of shape."""

    def __init__(self, xp: Backend, kind: type):
        self.kind = kind
        self.taken = 0
        self._xp = xp
        self._shape: tuple[int, ...] = (0, 0)
        self._arrays: list[Array] = []
        self._buffers: list[Array] = []

    def begin(self, shape: tuple[int, ...]) -> None:
        self.taken = 0
        if shape != self._shape:
            self._shape, self._arrays = shape, []

    def take(self) -> Array:
        if self.taken == len(self._arrays):
            self._arrays.append(self._buffer(self.taken).reshape(self._shape))
        self.taken += 1
        return self._arrays[self.taken - 1]

    def _buffer(self, index: int) -> Array:
        size = prod(self._shape)
        if index == len(self._buffers):
            self._buffers.append(self._xp.buffer(size, self.kind))
        elif self._buffers[index].shape[0] < size:
            self._buffers[index] = self._xp.buffer(size, self.kind)
        return self._buffers[index][:size]


class _Own(threading.local):
    """The workspace of a thread."""

    def __init__(self):
        self.work = Workspace()


_OWN = _Own()


def workspace(xp: Backend) -> Workspace:
    """The workspace of this thread for NumPy, whose tiles (some megabytes) stay for the next matrix; a new one for other backends."""
    return _OWN.work if xp is NUMPY else Workspace(xp)
