# SPDX-License-Identifier: MIT
"""Long computations look at the clock between their parts; whoever began them says what follows from that.

Factorizations, assembly and iterations call `look`; inside of `looking(check)` this is `check()`, which raises when there is no time left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_check: ContextVar[Callable[[], None] | None] = ContextVar("check", default=None)


def look() -> None:
    """Go on, or raise what the one who waits for it says."""
    check = _check.get()
    if check is not None:
        check()


@contextmanager
def looking(check: Callable[[], None]) -> Iterator[None]:
    """`look` calls `check` from here on, in this thread."""
    token = _check.set(check)
    try:
        yield
    finally:
        _check.reset(token)
