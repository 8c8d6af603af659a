# SPDX-License-Identifier: MIT
"""Several processes run one program on the same numbers and share its sparse systems; what each of them measures for itself is agreed on.

Inside of `sharing(group)` sparse matrices are those of the group. A decision that follows from a clock or from the memory of a process would send processes
different ways, and the next system that they share would wait for ever: such numbers go through `agreed` and `anywhere`, which without a group are what they are given.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np

    from lrfm.linalg.banded import PatternSolver, Solve
    from lrfm.linalg.multilevel import BlockPlaces


class Group(Protocol):
    """Processes that take the same steps; every call is made by all of them."""

    count: int
    first: bool  # whether this process is the one that writes and tells

    def agreed(self, value: float) -> float:
        """The number that the first process has."""
        ...

    def anywhere(self, flag: bool) -> bool:
        """Whether it is so in one of them."""
        ...

    def sparse(self, rows: np.ndarray, columns: np.ndarray, size: int, pivots: bool) -> PatternSolver:
        """As `lrfm.linalg.sparse.Sparse`."""
        ...

    def cycle(self, blocks: BlockPlaces, values: np.ndarray, levels: Sequence[np.ndarray]) -> Solve:
        """As `lrfm.linalg.multilevel.Cycle`."""
        ...


_group: ContextVar[Group | None] = ContextVar("group", default=None)


def group() -> Group | None:
    """The processes that share systems now; None where one solves alone."""
    return _group.get()


@contextmanager
def sharing(processes: Group) -> Iterator[None]:
    """Systems are shared from here on, in this thread."""
    token = _group.set(processes)
    try:
        yield
    finally:
        _group.reset(token)


def agreed(value: float) -> float:
    """A number that was measured, the same in all processes."""
    known = _group.get()
    return value if known is None else known.agreed(value)


def anywhere(flag: bool) -> bool:
    """What has happened in one process, known to all of them."""
    known = _group.get()
    return flag if known is None else known.anywhere(flag)
