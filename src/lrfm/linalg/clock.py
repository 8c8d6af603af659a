# SPDX-License-Identifier: MIT
"""Long computations look at the clock between their parts; whoever began them says what follows from that.

Factorizations, assembly and iterations call `look`; inside of `looking(check)` this is `check()`, which raises when there is no time left.
A search that can be ended early asks `seconds_left` what its next part may take.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_left: ContextVar[Callable[[], float]] = ContextVar("left", default=lambda: math.inf)
_check: ContextVar[Callable[[], None] | None] = ContextVar("check", default=None)


def look() -> None:
    """Go on, or raise what the one who waits for it says."""
    check = _check.get()
    if check is not None:
        check()


def seconds_left() -> float:
    """How much time there is; without end where nobody has said."""
    return _left.get()()


@contextmanager
def looking(check: Callable[[], None], left: Callable[[], float] = lambda: math.inf) -> Iterator[None]:
    """`look` calls `check` from here on, in this thread, and `seconds_left` answers `left()`."""
    token, other = _check.set(check), _left.set(left)
    try:
        yield
    finally:
        _check.reset(token)
        _left.reset(other)
