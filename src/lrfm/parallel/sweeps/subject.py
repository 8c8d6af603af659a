# SPDX-License-Identifier: MIT
"""What is swept: a problem file or a `Problem`, with other values at places such as `parameters.eps`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace

from lrfm.problem import Problem, ProblemError
from lrfm.problem.errors import listing, suggest
from lrfm.problem.file import Statement, read
from lrfm.solver.options import CHECKS, Options, check_options, solve_options

FIXED = ("seed", "strict", "progress", "checkpoint")  # arguments of `lrfm.solve` that a sweep sets itself
PLAIN = tuple(name for name in CHECKS if name not in (*FIXED, "estimate", "max_memory"))

Point = Mapping[str, float]


@dataclass(frozen=True)
class Subject:
    """A problem with arguments of `lrfm.solve` at every point of a grid; seeds count from `seed`."""

    problem: Problem
    options: Options
    seed: int = 0
    statement: Statement | None = None

    def at(self, point: Point) -> tuple[Problem, Options]:
        """The problem and its options at one point."""
        _check_places(point, self.problem, self.options)
        inside = {k.partition(".")[2]: v for k, v in point.items() if k.startswith("parameters.")}
        return self._with_parameters(inside) if inside else self.problem, _with_options(self.options, point)

    def _with_parameters(self, values: Point) -> Problem:
        if self.statement is not None:  # its texts, other parameters and the reference, may depend on a value
            return self.statement.with_parameters(values).problem
        # A reference is a function that does not know of other values of a parameter.
        return self.problem.replace(parameters={**self.problem.parameters, **values}, reference=None)


def subject_of(what: object, options: Options) -> Subject:
    """The subject behind what a user gave; `options` win over those of a file."""
    for name in options:
        if name in FIXED:
            raise ValueError(f"`{name}` is set by the sweep itself; leave it out of `solve`.")
    if isinstance(what, Problem):
        return Subject(what, options)
    if isinstance(what, str | os.PathLike):
        what = read(what)
    if isinstance(what, Statement):
        own = solve_options(what)
        kept = {name: value for name, value in own.items() if name not in FIXED}
        return Subject(what.problem, {**kept, **options}, own.get("seed", 0), what)
    raise TypeError(
        f"`sweep` was given a {type(what).__name__}; expected a `lrfm.Problem` or the name of a TOML file."
    )


def _with_options(options: Options, point: Point) -> Options:
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


def _check_places(point: Point, problem: Problem, options: Options) -> None:
    for place in point:
        match place.split("."):
            case ["parameters", name]:
                _check_name(name, problem.parameters, place, "the problem has no such parameter; it has")
            case ["solve", name]:
                _check_name(name, PLAIN, place, "there is no such number; there are")
            case ["solve", part, name]:
                parts = {key: value for key, value in options.items() if is_dataclass(value)}
                _check_name(part, parts, place, "no such part was chosen by hand; there are")
                known = [item.name for item in fields(parts[part])]
                _check_name(name, known, place, f"{type(parts[part]).__name__} has no such argument; it has")
            case [*_, last]:
                near = suggest(f"parameters.{last}", [f"parameters.{name}" for name in problem.parameters])
                raise ProblemError(
                    f"The grid has `{place}`; expected `parameters.NAME`, `solve.NAME` or `solve.PART.NAME`.{near}"
                )


def _check_name(name: str, valid: Iterable[str], place: str, explained: str) -> None:
    if name not in (known := list(valid)):
        raise ProblemError(f"The grid has `{place}`: {explained} {listing(known)}.{suggest(name, known)}")
