# SPDX-License-Identifier: MIT
"""Large arrays are announced before they are made; whoever began the computation says whether there is room for them.

`reserve(numbers)` is called with the doubles that are about to be held at the same time; inside of `within(ask)` this is `ask(bytes)`, which
raises where they do not fit. Nothing is booked: what has been made by then is seen in the memory of the process.

Arrays that are kept and seldom looked at are put on a `Shelf`: in memory up to a limit, beyond it in a file that has no name.
"""

from __future__ import annotations

import mmap
import os
import tempfile
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import numpy as np

from lrfm.linalg import room

NOTICED = 1 << 20  # numbers, 8 MB, below which nobody is asked

_ask: ContextVar[Callable[[int], None] | None] = ContextVar("ask", default=None)


def reserve(numbers: float) -> None:
    """Go on, or raise where so many doubles do not fit."""
    ask = _ask.get()
    if ask is not None and numbers > NOTICED:
        ask(int(8 * numbers))


@contextmanager
def within(ask: Callable[[int], None]) -> Iterator[None]:
    """`reserve` calls `ask` from here on, in this thread."""
    token = _ask.set(ask)
    try:
        yield
    finally:
        _ask.reset(token)


def resident() -> int:
    """Bytes of memory that this process holds, files that it has mapped apart; 0 where the system does not say."""
    try:
        import resource

        _, held, files, *_ = map(int, Path("/proc/self/statm").read_text().split())
        return (held - files) * resource.getpagesize()
    except (ImportError, OSError, IndexError, ValueError):
        return 0


CHUNK = 1 << 26  # bytes that are mapped at once: each takes a handle of the process
ALIGNED = 64  # bytes at whose multiples arrays begin


class Shelf:
    """Keeps arrays of one computation.

    Parameters
    ----------
    limit
        Bytes that are kept in memory; fewer, where whoever began the computation says that there is no room for them (`lrfm.linalg.room`).
    """

    def __init__(self, limit: float):
        self.limit, self.held, self.stored = limit, 0, 0
        self._announced, self._full = 0, False
        self._mapped: Any = None
        self._file, self._close = -1, lambda: None
        self._at, self._end = 0, 0

    def put(self, array: np.ndarray) -> np.ndarray:
        """The array, or one with its numbers that is read from the disk."""
        small = not self._full and self.held + array.nbytes <= self.limit
        if not array.nbytes or (small and self._fits(array.nbytes)):
            self.held += array.nbytes
            return array
        self._full = True
        try:
            found = self._written(np.ascontiguousarray(array))
        except OSError:  # no disk, or a full one: memory is what is left, and says so where it is not
            self.held += array.nbytes
            room.reserve(array.size)
            return array
        self.stored += array.nbytes
        return found

    def _fits(self, count: int) -> bool:
        """Whether there is room for so many bytes more; small ones are announced together."""
        self._announced += count
        if self._announced <= 8 * room.NOTICED:
            return True
        try:
            room.reserve(self._announced / 8)
        except MemoryError:
            return False
        self._announced = 0
        return True

    def _written(self, array: np.ndarray) -> np.ndarray:
        if self._at + array.nbytes > self._end:
            self._open(max(CHUNK, array.nbytes))
        # Written past the mapping, so that pages are the system's and not the process's.
        os.lseek(self._file, self._at, os.SEEK_SET)
        left = array.reshape(-1).view(np.uint8).data
        while len(left):
            left = left[os.write(self._file, left) :]
        found = np.frombuffer(self._mapped, array.dtype, array.size, self._at).reshape(array.shape)
        self._at += array.nbytes + -array.nbytes % ALIGNED
        return found

    def _open(self, size: int) -> None:
        """The next file, with room for so many bytes; arrays in the last one hold that."""
        self._close()
        with tempfile.TemporaryFile(prefix="lrfm-") as file:
            file.truncate(size)
            self._mapped = mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ)
            self._file = os.dup(file.fileno())
        self._close = weakref.finalize(self, os.close, self._file)
        self._at, self._end = 0, size


def forget(*arrays: np.ndarray) -> None:
    """Let go of the pages of arrays in a file that have been looked at: they count as memory of the process until the system wants them back. Numbers stay as they are."""
    for array in arrays:
        base: Any = array
        while isinstance(base, np.ndarray):
            base = base.base
        base = base.obj if isinstance(base, memoryview) else base  # what NumPy has of a buffer
        if isinstance(base, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
            base.madvise(mmap.MADV_DONTNEED)
