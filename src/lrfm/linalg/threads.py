# SPDX-License-Identifier: MIT
"""How many threads BLAS may use: one for small systems, where a second gains little and on a busy machine costs much.

Threads of OpenBLAS wait for each other in a loop; when another program holds a core, a factorization that takes
milliseconds takes seconds.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
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
    _controller().limit(limits=1, user_api="blas")
