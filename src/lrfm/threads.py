# SPDX-License-Identifier: MIT
"""How many threads BLAS may use: one for small systems, where a second gains little and on a busy machine costs much.

Threads of OpenBLAS wait for each other in a loop; when another program holds a core, a factorization that takes
milliseconds takes seconds.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

SMALL = 700  # columns below which one thread is used


@cache
def _controller() -> object:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def pools() -> list[dict[str, object]]:
    """The BLAS libraries in this process: `internal_api`, `version`, `num_threads` and more of each."""
    return _controller().select(user_api="blas").info()


@contextmanager
def limited_to(count: int) -> Iterator[None]:
    """At most so many BLAS threads."""
    with _controller().limit(limits=count, user_api="blas"):
        yield


@contextmanager
def suited_to(columns: int) -> Iterator[None]:
    """Limit BLAS to one thread for a system with few columns; leave it alone for a large one."""
    if columns >= SMALL:
        yield
        return
    with limited_to(1):
        yield
