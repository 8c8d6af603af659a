# SPDX-License-Identifier: MIT
"""Large arrays are announced before they are made; whoever began the computation says whether there is room for them.

`reserve(numbers)` is called with the doubles that are about to be held at the same time; inside of `within(ask)` this is `ask(bytes)`, which
raises where they do not fit. Nothing is booked: what has been made by then is seen in the memory of the process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

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
