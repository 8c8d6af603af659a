# SPDX-License-Identifier: MIT
"""Functions of a problem that take the path of its file, too."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


def reading(function: Callable[P, R]) -> Callable[P, R]:
    """The same function; where its first argument is a path, options of the file are used where none are given."""
    known = inspect.signature(function).parameters

    @wraps(function)
    def read(*args: P.args, **given: P.kwargs) -> R:
        if not args and "problem" not in given:
            return function(**given)  # type: ignore[call-arg]  (says what is missing)
        problem, *rest = args or (given.pop("problem"),)
        if not isinstance(problem, str | os.PathLike) or not _names_a_file(problem):
            return function(problem, *rest, **given)  # type: ignore[call-arg]
        from lrfm.problem.file import read as read_file
        from lrfm.solver.options import solve_options

        statement = read_file(problem)
        options: dict[str, Any] = {k: v for k, v in solve_options(statement).items() if k in known}
        return function(statement.problem, *rest, **{**options, **given})  # type: ignore[call-arg]

    return read


def _names_a_file(given: str | os.PathLike) -> bool:
    """Whether it is a path; a text that is none is refused as what is no problem."""
    return not isinstance(given, str) or given.endswith(".toml") or os.path.exists(given)
