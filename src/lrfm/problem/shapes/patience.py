# SPDX-License-Identifier: MIT
"""A domain is read within a limit: a boundary of thousands of details would take hours without a word."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import ParamSpec, TypeVar

from lrfm.linalg.deadline import deadline, seconds_left, watcher
from lrfm.linalg.processes import agreed
from lrfm.problem.errors import ProblemError, short

P = ParamSpec("P")
R = TypeVar("R")

LONGEST = 20.0  # seconds of one processor for the boundary of a domain, and for one rule of points in it


@contextmanager
def patience(what: object) -> Iterator[None]:
    """Refuse what takes longer than LONGEST seconds of this thread, which a busy machine does not make longer.

    Who waits for more than the domain, a solve with a limit of its own, is asked as well.
    """
    began = time.thread_time()
    outside, ends = watcher(), time.perf_counter() + seconds_left()

    def check(ahead: float = 0.0) -> None:
        if outside is not None:
            outside(ahead) if ahead else outside()
        if agreed(time.thread_time() - began) + ahead > LONGEST:
            raise ProblemError(
                f"The domain `{short(repr(what))}` takes more than {LONGEST:g} seconds to read: its boundary has too many pieces. Take fewer "
                "or larger details."
            )

    with deadline(check, lambda: agreed(ends - time.perf_counter())):
        yield


def patient(method: Callable[P, R]) -> Callable[P, R]:
    """A method of a domain within this limit."""

    @wraps(method)
    def limited(*args: P.args, **given: P.kwargs) -> R:
        with patience(args[0]):
            return method(*args, **given)

    return limited
