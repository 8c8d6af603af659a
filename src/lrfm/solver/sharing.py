# SPDX-License-Identifier: MIT
"""A solve whose sparse systems are shared by processes: all of them make it, with the same numbers (`lrfm.linalg.processes`)."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from lrfm.linalg.processes import Group, group, sharing
from lrfm.problem import Problem, ProblemError
from lrfm.solver.methods import Lines, method_of

TOLD = (
    "OMPI_COMM_WORLD_",
    "PMI_",
)  # with SIZE and RANK after it, in which Open MPI and MPICH say what they have started


def started() -> tuple[int, int]:
    """How many processes `mpiexec` has started together, and which of them this is; one without it."""
    for prefix in TOLD:
        size, rank = (os.environ.get(prefix + name, "") for name in ("SIZE", "RANK"))
        if size.isdigit() and rank.isdigit():
            return int(size), int(rank)
    return 1, 0


def processes() -> Group:
    """All that were started together; an error where MPI knows of fewer."""
    from lrfm.linalg.petsc import world

    found, (count, _) = world(), started()
    if found.count < count:
        raise RuntimeError(
            f"`mpiexec` has started {count} processes, and petsc4py knows of {found.count}: they are of different kinds of MPI. Take the `mpiexec` that "
            "petsc4py was built with."
        )
    return found


def shared(method: Any, problem: object) -> AbstractContextManager[None]:
    """Around a solve of a problem: by the processes that were started together where `method` asks for PETSc."""
    way = method_of(method)
    if not isinstance(way, Lines) or way.linear != "petsc":
        return nullcontext()
    if isinstance(problem, Problem) and problem.domain.dimension == 1:
        raise ProblemError(
            "`linear='petsc'` is for cells of the plane and of space. On an interval matrices are banded, and one process factors them at once; leave it out."
        )
    return sharing(group() or processes())


def refuse_checkpoint(path: str | Path | None) -> None:
    """Processes that go on from one file would all have to read and to write it."""
    known = group()
    if path is not None and known is not None and known.count > 1:
        raise ValueError(
            f"`checkpoint={str(path)!r}` was given on {known.count} processes, and is kept by one alone; leave it out."
        )
