# SPDX-License-Identifier: MIT
"""What functions for users have in common, in one frame around them: one BLAS thread, the path of a file in the place of a problem, arguments that stood elsewhere in
the version before, a sentence for arguments that a function does not have, a bar, and processes that share sparse systems."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack, nullcontext
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from lrfm.linalg.processes import Group, group, sharing
from lrfm.linalg.threads import suited_to
from lrfm.problem import Problem, ProblemError
from lrfm.problem.calls import misnamed
from lrfm.solver.methods import OWN, Lines, method_object, method_of, warn_of
from lrfm.solver.progress import listening

P = ParamSpec("P")
R = TypeVar("R")
ABOVE = 2  # frames from a warning to who called the function


def entry(
    *, reads: bool = True, folds: bool = False, shows: bool = False, shares: bool = False
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """An entry for users.

    Parameters
    ----------
    reads
        Whether its first argument may be a path; options of the file are then used where none are given.
    folds
        Whether it takes arguments of `SpaceTime` beside `method` for one more version, with a warning.
    shows
        Whether `progress=None` means a bar, and `progress=False` silence.
    shares
        Whether processes that were started together share its sparse systems where `method` asks for that.
    """

    def made(function: Callable[P, R]) -> Callable[P, R]:
        signature = inspect.signature(function)

        @wraps(function)
        def entered(*args: Any, **given: Any) -> R:
            if reads:
                args, given = _read(signature.parameters, args, given)
            old = [name for name in OWN if name in given] if folds else ()
            if old:
                warn_of(old, function.__name__, ABOVE)
                given = method_object(given)
            with suited_to(0):
                try:
                    with ExitStack() as around:
                        if shares:
                            around.enter_context(
                                shared(given.get("method", "auto"), args[0] if args else None)
                            )
                        if shows:
                            heard = around.enter_context(listening(given.get("progress")))
                            given = {**given, "progress": heard}
                        return function(*args, **given)
                except (TypeError, AttributeError) as error:
                    said = misnamed(function, signature, args, given, error)
                    if said is None:
                        raise
                    raise said from said.__cause__

        return entered

    return made


def _read(
    known: Mapping[str, Any], args: tuple[Any, ...], given: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Arguments with the problem in the place of the path of its file."""
    if not args and "problem" not in given:
        return args, given  # what is missing is said by who needs it
    problem, *rest = args or (given.pop("problem"),)
    if not isinstance(problem, str | os.PathLike) or not _names_a_file(problem):
        return (problem, *rest), given
    from lrfm.problem.file import read
    from lrfm.solver.options import solve_options

    statement = read(problem)
    options: dict[str, Any] = {k: v for k, v in solve_options(statement).items() if k in known}
    return (statement.problem, *rest), {**options, **given}


def _names_a_file(given: str | os.PathLike) -> bool:
    """Whether it is a path; a text that is none is refused as what is no problem."""
    return not isinstance(given, str) or given.endswith(".toml") or os.path.exists(given)


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
