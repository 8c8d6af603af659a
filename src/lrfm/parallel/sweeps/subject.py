# SPDX-License-Identifier: MIT
"""What is swept: a problem file or a `Problem`, with other values at places such as `parameters.eps`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Protocol

from lrfm.problem import Problem, ProblemError
from lrfm.problem.errors import listing, suggest
from lrfm.solver.file import Statement, check_options, read
from lrfm.solver.file.options import CHECKS

FIXED = ("seed", "strict", "progress", "checkpoint")  # arguments of `lrfm.solve` that a sweep sets itself
PLAIN = tuple(name for name in CHECKS if name not in (*FIXED, "estimate", "max_memory"))

Options = dict[str, object]


class Subject(Protocol):
    """Something that is a problem with arguments of `lrfm.solve` at every point of a grid; seeds count from `seed`."""

    seed: int

    def at(self, point: Mapping[str, object]) -> tuple[Problem, Options]: ...


def subject_of(what: object, options: Mapping[str, object]) -> Subject:
    """The subject behind what a user gave; `options` win over those of a file."""
    for name in options:
        if name in FIXED:
            raise ValueError(f"`{name}` is set by the sweep itself; leave it out of `solve`.")
    if isinstance(what, str | os.PathLike):
        what = read(what)
    if isinstance(what, Statement):
        return _OfStatement(what, dict(options))
    if isinstance(what, Problem):
        return _OfProblem(what, dict(options))
    raise TypeError(
        f"`sweep` was given a {type(what).__name__}; expected a `lrfm.Problem` or the name of a TOML file."
    )


class _OfStatement:
    """A file is read again at every point, since its texts (other parameters, the reference) may depend on a value."""

    def __init__(self, statement: Statement, options: Options):
        self.statement, self.options = statement, options
        self.seed = statement.options.get("seed", 0)

    def at(self, point: Mapping[str, object]) -> tuple[Problem, Options]:
        _check_places(point, self.statement.problem, {**self.statement.options, **self.options})
        inside = {k: v for k, v in point.items() if k.startswith("parameters.")}
        changed = self.statement.at(inside) if inside else self.statement
        options = {name: value for name, value in changed.options.items() if name not in FIXED}
        return changed.problem, _with({**options, **self.options}, point)


class _OfProblem:
    """A reference is a function that does not know of other values of a parameter: it is dropped where one changes."""

    def __init__(self, problem: Problem, options: Options):
        self.problem, self.options, self.seed = problem, options, 0

    def at(self, point: Mapping[str, object]) -> tuple[Problem, Options]:
        _check_places(point, self.problem, self.options)
        inside = {k.partition(".")[2]: v for k, v in point.items() if k.startswith("parameters.")}
        problem = self.problem
        if inside:
            problem = problem.but(parameters={**problem.parameters, **inside}, reference=None)
        return problem, _with(self.options, point)


def _with(options: Mapping[str, object], point: Mapping[str, object]) -> Options:
    """Arguments of `lrfm.solve`, those inside of parts too: `solve.tol`, `solve.space.features`."""
    changed = dict(options)
    for place, value in point.items():
        root, *names = place.split(".")
        if root == "solve" and len(names) == 1:
            changed |= check_options({names[0]: value}, "`solve.{}` in the grid")
        elif root == "solve":
            changed[names[0]] = replace(changed[names[0]], **{names[1]: value})
    if "space" in changed and "features" in changed:
        raise ProblemError(
            "Both a space chosen by hand and `features`, the size of the automatic one, were given; leave one out."
        )
    return changed


def _check_places(point: Mapping[str, object], problem: Problem, options: Mapping[str, object]) -> None:
    for place in point:
        root, *names = place.split(".")
        if root == "parameters" and len(names) == 1:
            _check_name(names[0], problem.parameters, place, "the problem has no such parameter; it has")
        elif root == "solve" and len(names) == 1:
            _check_name(names[0], PLAIN, place, "there is no such number; there are")
        elif root == "solve" and len(names) == 2:
            parts = {name: value for name, value in options.items() if is_dataclass(value)}
            _check_name(names[0], parts, place, "no such part was chosen by hand; there are")
            known = [item.name for item in fields(parts[names[0]])]
            _check_name(
                names[1], known, place, f"{type(parts[names[0]]).__name__} has no such argument; it has"
            )
        else:
            near = suggest(
                f"parameters.{names[-1] if names else root}", [f"parameters.{n}" for n in problem.parameters]
            )
            raise ProblemError(
                f"The grid has `{place}`; expected `parameters.NAME`, `solve.NAME` or `solve.PART.NAME`.{near}"
            )


def _check_name(name: str, valid: object, place: str, said: str) -> None:
    if name not in valid:
        raise ProblemError(f"The grid has `{place}`: {said} {listing(valid)}.{suggest(name, valid)}")
