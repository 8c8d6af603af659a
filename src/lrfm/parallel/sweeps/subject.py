# SPDX-License-Identifier: MIT
"""What is swept: a problem file or a `Problem`, with other values at places such as `parameters.eps`."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

from lrfm.problem import Problem, ProblemError
from lrfm.problem.errors import listing, suggest
from lrfm.problem.file import Statement, read
from lrfm.solver.methods import OWN, SpaceTime, method_object, method_of, warn_of
from lrfm.solver.options import CHECKS, OF_METHOD, Options, check_options, solve_options

FIXED = ("seed", "strict", "progress", "checkpoint")  # arguments of `lrfm.solve` that a sweep sets itself
PLAIN = tuple(name for name in CHECKS if name not in (*FIXED, "estimate", "max_memory", "method"))

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
        point = {_moved(place): value for place, value in point.items()}
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
    old = [name for name in OWN if name in options]
    if old:
        warn_of(old, "sweep", 3)
        options = method_object(options)
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


def _moved(place: str) -> str:
    """`solve.method.space.gate` for `solve.space.gate`, which it was called until version 0.2; with a warning."""
    root, *names = place.split(".")
    if root != "solve" or not names or names[0] not in OWN:
        return place
    found = ".".join([root, "method", *names])
    warnings.warn(
        f"`{place}` in the grid belongs to the method in space and time: write `{found}`.",
        FutureWarning,
        stacklevel=5,
    )
    return found


def _with_options(options: Options, point: Point) -> Options:
    """Arguments of `lrfm.solve`, those of its method and inside of its parts too: `solve.tol`, `solve.method.space.features`."""
    changed = dict(options)
    for place, value in point.items():
        root, *names = place.split(".")
        if root != "solve":
            continue
        if len(names) == 1:
            changed |= check_options({names[0]: value}, "`solve.{}` in the grid")
        else:
            changed["method"] = _changed(_in_space_time(changed), names[1:], value)
    method = changed.get("method")
    if isinstance(method, SpaceTime) and method.space is not None and method.features is not None:
        raise ProblemError(
            "Both a space chosen by hand and `features`, the size of the automatic one, were given; leave one out."
        )
    return changed


def _changed(method: SpaceTime, names: list[str], value: float) -> SpaceTime:
    """A method with another number, or another one of one of its parts."""
    name, *inside = names
    if not inside:
        return replace(method, **check_options({name: value}, "`solve.method.{}` in the grid"))
    part: Any = getattr(method, name)
    return replace(method, **{name: replace(part, **{inside[0]: value})})


def _in_space_time(options: Options) -> SpaceTime:
    """The method of options, if it is the one that has numbers of its own."""
    method = method_of(options.get("method", "space-time"))
    if not isinstance(method, SpaceTime):
        raise ProblemError(
            f"The grid has numbers of the method in space and time, and `method={options['method']!r}` was given; leave one out."
        )
    return method


def _check_places(point: Point, problem: Problem, options: Options) -> None:
    for place in point:
        match place.split("."):
            case ["parameters", name]:
                _check_name(name, problem.parameters, place, "the problem has no such parameter; it has")
            case ["solve", "method", name]:
                _check_name(name, OF_METHOD, place, "there is no such number; there are")
            case ["solve", name]:
                _check_name(name, PLAIN, place, "there is no such number; there are")
            case ["solve", "method", part, name]:
                own = _in_space_time(options).parts
                parts = {key: value for key, value in own.items() if is_dataclass(value)}
                _check_name(part, parts, place, "no such part was chosen by hand; there are")
                known = [item.name for item in fields(parts[part])]
                _check_name(name, known, place, f"{type(parts[part]).__name__} has no such argument; it has")
            case [*_, last]:
                near = suggest(f"parameters.{last}", [f"parameters.{name}" for name in problem.parameters])
                raise ProblemError(
                    f"The grid has `{place}`; expected `parameters.NAME`, `solve.NAME`, `solve.method.NAME` or `solve.method.PART.NAME`.{near}"
                )


def _check_name(name: str, valid: Iterable[str], place: str, explained: str) -> None:
    if name not in (known := list(valid)):
        raise ProblemError(f"The grid has `{place}`: {explained} {listing(known)}.{suggest(name, known)}")
