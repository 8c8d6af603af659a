# SPDX-License-Identifier: MIT
"""How many threads BLAS may use: one for small systems, where a second gains little and on a busy machine costs much.

Threads of OpenBLAS wait for each other in a loop; when another program holds a core, a factorization that takes
milliseconds takes seconds. So whatever a user calls (`one_thread`) runs with one, whatever the environment allows, and
factorizations of at least `SMALL` columns (`suited_to`) with all that there were.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, wraps
from typing import Any, NamedTuple, ParamSpec, TypeVar

# Columns below which one thread is used. Two threads against one on two cores that others use, too (docs/notes/threads.md):
# QR of 4n x n takes 4 to 70 times the CPU for n = 700 to 2000, LU of n x n 4 times for 1000, 1.9 for 2000, 1.35 for 3000.
SMALL = 3000
VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")

P = ParamSpec("P")
R = TypeVar("R")


@cache
def _controller() -> Any:
    from threadpoolctl import ThreadpoolController

    import lrfm.linalg.lapack  # noqa: F401  (SciPy has a BLAS of its own, which is found once it is loaded)

    return ThreadpoolController()


@cache
def _libraries() -> tuple[Any, ...]:
    return tuple(_controller().select(user_api="blas").lib_controllers)


def pools() -> list[dict[str, Any]]:
    """The BLAS libraries in this process: `internal_api`, `version`, `num_threads` and more of each."""
    return _controller().select(user_api="blas").info()


class _Limit(NamedTuple):
    """At most `count` threads; one that is not `strict` yields to the next one inside of it."""

    count: float
    strict: bool


def _of(limits: list[_Limit]) -> float:
    """What limits that lie inside of each other allow: the least strict one, and the innermost of the others."""
    loose = [limit.count for limit in limits if not limit.strict]
    return min([limit.count for limit in limits if limit.strict] + loose[-1:], default=float("inf"))


class _Limits:
    """Limits asked for by several threads of Python at once, where BLAS has one number for all of them.

    The least one holds, and when the last is given back the number is what it was before the first. Each for itself would
    restore what it had found, which may be the limit of another. With OpenMP every thread of Python has a number of its own.
    """

    def __init__(self) -> None:
        self.lock, self.asked = threading.Lock(), dict[int, list[_Limit]]()  # by thread of Python
        self.before: list[tuple[Any, int]] = []  # libraries with the number of threads they had
        self.own = threading.local()  # the same of those with a number per thread of Python

    def mine(self) -> list[_Limit]:
        return self.asked.get(threading.get_ident(), [])

    def enter(self, limit: _Limit) -> None:
        with self.lock:
            if not self.asked:
                self.before = [
                    (each, each.get_num_threads()) for each in _libraries() if not _per_thread(each)
                ]
            if not self.mine():
                self.own.before = [
                    (each, each.get_num_threads()) for each in _libraries() if _per_thread(each)
                ]
            self.asked.setdefault(threading.get_ident(), []).append(limit)
            self._hold()

    def leave(self, limit: _Limit) -> None:
        with self.lock:
            mine = self.mine()
            del mine[len(mine) - 1 - mine[::-1].index(limit)]  # the innermost of equal ones
            if not mine:
                del self.asked[threading.get_ident()]
            self._hold()

    def _hold(self) -> None:
        least, mine = min(map(_of, self.asked.values()), default=float("inf")), _of(self.mine())
        for library, number in self.before:
            _set(library, int(min(number, least)))  # a limit is no wish: never more than there were
        for library, number in self.own.before:
            _set(library, int(min(number, mine)))


_limits = _Limits()


def _per_thread(library: Any) -> bool:
    return getattr(library, "threading_layer", "") == "openmp"


def _set(library: Any, count: int) -> None:
    # Newer versions of threadpoolctl heed only the thread that set a number first; here a lock keeps order.
    if hasattr(library, "clear_controlling_thread"):
        library.clear_controlling_thread(force=True)
    library.set_num_threads(count)


@contextmanager
def _limited(limit: _Limit) -> Iterator[None]:
    _limits.enter(limit)
    try:
        yield
    finally:
        _limits.leave(limit)


def limited_to(count: int) -> Any:
    """A context with at most so many BLAS threads, whatever is asked for inside."""
    return _limited(_Limit(count, strict=True))


def allowed() -> int:
    """Threads that a large system may use here: those of BLAS before `one_thread`, unless `limited_to` fewer."""
    strict = [limit.count for limits in list(_limits.asked.values()) for limit in limits if limit.strict]
    known = dict([*_limits.before, *getattr(_limits.own, "before", ())]) if _limits.asked else {}
    numbers = [known.get(library) or library.get_num_threads() for library in _libraries()]
    return int(min([max(numbers, default=1), *strict]))


@contextmanager
def suited_to(columns: int) -> Iterator[None]:
    """One BLAS thread for a system with few columns, for a large one as many as there were before the first limit."""
    count = 1.0 if columns < SMALL else float("inf")
    mine = [limit.count for limit in _limits.mine() if not limit.strict]
    if count == (mine[-1] if mine else float("inf")):  # as it is already
        yield
        return
    with _limited(_Limit(count, strict=False)):
        yield


def one_thread(function: Callable[P, R]) -> Callable[P, R]:
    """The same function, an entry for users: with one BLAS thread, apart from what is `suited_to` more."""

    @wraps(function)
    def alone(*args: P.args, **given: P.kwargs) -> R:
        with suited_to(0):
            return function(*args, **given)

    return alone


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
    for library in _libraries():
        _set(library, 1)
