# SPDX-License-Identifier: MIT
"""How many threads BLAS may use: one for small systems, where a second gains little and on a busy machine costs much.

Threads of OpenBLAS wait for each other in a loop; when another program holds a core, a factorization that takes
milliseconds takes seconds.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

SMALL = 700  # columns below which one thread is used
VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


@cache
def _controller() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def pools() -> list[dict[str, Any]]:
    """The BLAS libraries in this process: `internal_api`, `version`, `num_threads` and more of each."""
    return _controller().select(user_api="blas").info()


class _Limits:
    """Limits asked for by several threads of Python at once, where BLAS has one number for all of them.

    The least one holds, and when the last is given back the number is what it was before the first. Each for itself would
    restore what it had found, which may be the limit of another.
    """

    def __init__(self) -> None:
        self.lock, self.asked = threading.Lock(), []
        self.before: list[tuple[Any, int]] = []  # libraries with the number of threads they had

    def enter(self, count: int, libraries: Sequence[Any]) -> None:
        with self.lock:
            if not self.asked:
                self.before = [(library, library.get_num_threads()) for library in libraries]
            self.asked.append(count)
            self._hold()

    def leave(self, count: int) -> None:
        with self.lock:
            self.asked.remove(count)
            self._hold()

    def _hold(self) -> None:
        for library, number in self.before:
            _set(library, min([number, *self.asked]))  # a limit is no wish: never more than there were


_limits = _Limits()


def _set(library: Any, count: int) -> None:
    # Newer versions of threadpoolctl heed only the thread that set a number first; here a lock keeps order.
    if hasattr(library, "clear_controlling_thread"):
        library.clear_controlling_thread(force=True)
    library.set_num_threads(count)


@contextmanager
def limited_to(count: int) -> Iterator[None]:
    """At most so many BLAS threads."""
    found = _controller().select(user_api="blas").lib_controllers
    # With OpenMP every thread of Python has a number of its own.
    own = [lib for lib in found if getattr(lib, "threading_layer", "") == "openmp"]
    before = [(library, library.get_num_threads()) for library in own]
    for library, number in before:
        _set(library, min(number, count))
    _limits.enter(count, [library for library in found if library not in own])
    try:
        yield
    finally:
        _limits.leave(count)
        for library, number in before:
            _set(library, number)


def _alone() -> bool:
    """Whether BLAS was told to use one thread: all libraries read the first variable where their own one is not set."""
    return os.environ.get(VARIABLES[0]) == "1" and {os.environ.get(name, "1") for name in VARIABLES} == {"1"}


@contextmanager
def suited_to(columns: int) -> Iterator[None]:
    """Limit BLAS to one thread for a system with few columns; leave it alone for a large one.

    Where the environment allows it one thread there is nothing to limit, and its libraries, which take 40 ms, are not looked for.
    """
    if columns >= SMALL or _alone():
        yield
        return
    with limited_to(1):
        yield


@contextmanager
def one_in_children() -> Iterator[None]:
    """One BLAS thread in processes begun inside: they read these variables when NumPy is imported."""
    before = {name: os.environ.get(name) for name in VARIABLES}
    os.environ.update(dict.fromkeys(VARIABLES, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None) if value is None else os.environ.__setitem__(name, value)


@cache
def one_from_now_on() -> None:
    """One BLAS thread for the rest of a worker's life: its tasks may be several at once, and a limit lifted by one
    of them would be lifted for all."""
    for library in _controller().select(user_api="blas").lib_controllers:
        _set(library, 1)
