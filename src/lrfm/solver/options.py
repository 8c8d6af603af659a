# SPDX-License-Identifier: MIT
"""The [solve] section of a file: arguments of `lrfm.solve`; a method with its own, and parts chosen by hand, are tables with a `kind`."""

import math
import re
import warnings
from collections.abc import Callable, Mapping
from typing import Any

from lrfm.problem import ProblemError
from lrfm.problem.errors import clipped, listing, shown
from lrfm.problem.file import Statement, choose, refuse_unknown
from lrfm.solver.engine import block_edges
from lrfm.solver.methods import METHODS, OWN, PARTS, Lines, SpaceTime, method_object

Options = dict[str, Any]  # keyword arguments of `lrfm.solve`


def is_whole(value: object, least: int) -> bool:
    """Whether something is a whole number of at least so much."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def is_number(value: object, above: float = -math.inf, below: float = math.inf) -> bool:
    """Whether something is a number between two others."""
    return isinstance(value, int | float) and not isinstance(value, bool) and above < value < below


CHECKS: dict[str, tuple[Callable[[object], bool], str]] = {
    "tol": (lambda v: is_number(v, 0, 1), "a number between 0 and 1, such as 1e-8"),
    "method": (
        lambda v: isinstance(v, Lines | SpaceTime) or (isinstance(v, str) and v in METHODS),
        'text: "auto", "lines" or "space-time"',
    ),
    "seed": (lambda v: is_whole(v, 0), "a whole number, 0 or larger"),
    "estimate": (lambda v: isinstance(v, bool), "true or false"),
    "accept_ill_posed": (lambda v: isinstance(v, bool), "true or false"),
    "certify": (lambda v: isinstance(v, bool), "true or false"),
    "until": (lambda v: isinstance(v, str), 'a relation as text, such as "max(u) < 0.1"'),
    "max_seconds": (lambda v: is_number(v, 0, 1e300), "a positive number of seconds"),
    "max_memory": (lambda v: isinstance(v, str) or is_whole(v, 1), 'a size such as "4GB"'),
}

OF_METHOD: dict[str, tuple[Callable[[object], bool], str]] = {
    "features": (lambda v: is_whole(v, 4), "a whole number, 4 or larger"),
    "blocks": (
        lambda v: is_whole(v, 1) or (isinstance(v, list) and bool(v) and all(map(is_number, v))),
        "a whole number, 1 or larger, or a list of times between blocks",
    ),
    "backend": (
        lambda v: isinstance(v, str) and re.fullmatch(r"numpy|torch(:\w+(:\d+)?)?", v) is not None,
        'text: "numpy", "torch", or a device such as "torch:cuda"',
    ),
    "max_features": (lambda v: is_whole(v, 4), "a whole number, 4 or larger"),
}  # numbers and texts among the arguments of `lrfm.SpaceTime`


def check_options(given: Mapping[str, object], spell: str) -> Options:
    """Check plain arguments of `lrfm.solve` and `lrfm.SpaceTime`; `spell` is how messages write a name, such as ``--{}``."""
    known = {**CHECKS, **OF_METHOD}
    refuse_unknown(given, known, "The list of options")
    for name, value in given.items():
        good, expected = known[name]
        if not good(value):
            word = name.replace("_", "-") if spell.startswith("--") else name
            raise ProblemError(f"{spell.format(word)} is {shown(value)}; expected {expected}.")
    return dict(given)


def solve_options(statement: Statement) -> Options:
    """Keyword arguments of `lrfm.solve` from the [solve] section of a statement.

    >>> from lrfm.problem.file import parse
    >>> statement = parse('''
    ... equation = "u_t = u_xx"
    ... time = [0, 0.1]
    ... initial = "sin(pi*x)"
    ... boundary = "u = 0"
    ... domain = { x = [0, 1] }
    ... solve = { tol = 1e-4, method = { kind = "space-time", nonlinear = { kind = "picard", max_steps = 7 } } }
    ... ''')
    >>> solve_options(statement)["method"].nonlinear.max_steps
    7
    """
    try:
        return _read(statement)
    except ProblemError as error:
        raise error.in_file(statement.source) from None


def _read(statement: Statement) -> Options:
    section = dict(statement.solve)
    refuse_unknown(section, [*CHECKS, *OF_METHOD, *PARTS], "[solve]")
    old = {name: section.pop(name) for name in OWN if name in section}
    way = section.get("method")
    if isinstance(way, Mapping):
        section["method"] = _method(way)
    options = check_options(section, "`{}` in [solve]")
    if old:
        options = method_object({**options, **_of_method(old, "[solve]", "[solve.{}]")})
    try:
        block_edges(statement.problem.time, getattr(options.get("method"), "blocks", None) or 1)
    except ValueError as error:
        raise ProblemError(f"[solve]: {clipped(str(error))}") from None
    if old:
        warnings.warn(
            f"{statement.source}: `{next(iter(old))}` in [solve] belongs to the method in space and time: write it into [solve.method] "
            'with `kind = "space-time"`. The next version reads it there only.',
            FutureWarning,
            stacklevel=4,
        )
    return options


def _method(section: Mapping[str, Any]) -> Lines | SpaceTime:
    """A method from its table, such as { kind = "space-time", blocks = 2 }."""
    place, given = "[solve.method]", dict(section)
    kinds: dict[str, type] = {"lines": Lines, "space-time": SpaceTime}
    if "kind" not in given:
        raise ProblemError(f"{place} has no `kind`; expected one of {listing(kinds)}.")
    kind = kinds[choose(given.pop("kind"), kinds, f"`kind` in {place}")]
    if kind is SpaceTime:
        refuse_unknown(given, OWN, place)
        return SpaceTime(**_of_method(given, place, "[solve.method.{}]"))
    refuse_unknown(given, ["space", "linear"], place)
    try:
        return Lines(**given)
    except ValueError as error:
        raise ProblemError(f"{place}: {clipped(str(error))}") from None


def _of_method(given: Mapping[str, Any], place: str, spell: str) -> Options:
    """Arguments of `lrfm.SpaceTime` from a table."""
    plain = {name: value for name, value in given.items() if name in OF_METHOD}
    found = check_options(plain, f"`{{}}` in {place}")
    found |= {name: SpaceTime.part(name, given[name], spell.format(name)) for name in given if name in PARTS}
    if "space" in found and "features" in found:
        raise ProblemError(
            f"{place} has both `features`, the size of the automatic space, and {spell.format('space')}; "
            f"leave one out, or write `features` into {spell.format('space')}."
        )
    return found
