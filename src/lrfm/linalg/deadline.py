# SPDX-License-Identifier: MIT
"""Long computations look at the clock between their parts; whoever began them says what follows from that.

Factorizations, assembly and iterations call `check_deadline`; inside of `deadline(check)` this is `check()`, which raises when there is no time left.
One call of LAPACK cannot be broken off: `check_deadline_before(flops)` asks for the seconds that it will take, `check(seconds)`, before it is begun.
A search that can be ended early asks `seconds_left` what its next part may take.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache

import numpy as np

from lrfm.linalg.processes import agreed

# Work of LAPACK's eigenvalues of an n × n matrix in n³ operations of a matrix product, measured on one core at n = 700: they go through memory
# again and again, and are slower than their operations.
EIGENVALUES = 60.0
NOTICED = 1e9  # operations, a few hundredths of a second, below which nothing is foretold

_left: ContextVar[Callable[[], float]] = ContextVar("left", default=lambda: math.inf)
_check: ContextVar[Callable[..., None] | None] = ContextVar("check", default=None)


def check_deadline(ahead: float = 0.0) -> None:
    """Go on, or raise what the one who waits for it says; `ahead` are seconds during which nobody will look."""
    check = _check.get()
    if check is not None:
        check(ahead) if ahead else check()


def check_deadline_before(flops: float) -> None:
    """Look before something that cannot be broken off, such as one call of LAPACK, by the seconds that it takes on this machine."""
    known = _check.get() is not None and flops > NOTICED and math.isfinite(seconds_left())
    check_deadline(agreed(flops / gemm_rate()) if known else 0.0)


def seconds_left() -> float:
    """How much time there is; without end where nobody has said."""
    return _left.get()()


def watcher() -> Callable[..., None] | None:
    """The check that `look` calls now; None where nobody waits."""
    return _check.get()


@contextmanager
def deadline(check: Callable[..., None], left: Callable[[], float] = lambda: math.inf) -> Iterator[None]:
    """`look` calls `check` from here on, in this thread, and `seconds_left` answers `left()`."""
    token, other = _check.set(check), _left.set(left)
    try:
        yield
    finally:
        _check.reset(token)
        _left.reset(other)


@cache
def gemm_rate() -> float:
    """Operations per second of a matrix product on this machine, measured once."""
    a = np.ones((384, 384))
    a.dot(a)
    began = time.perf_counter()
    for _ in range(3):
        a.dot(a)
    return 3 * 2 * 384**3 / max(time.perf_counter() - began, 1e-6)
