# SPDX-License-Identifier: MIT
"""From a TOML file to a `Problem` and the arguments of `lrfm.solve`."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from lrfm.problem import Box, Problem, ProblemError
from lrfm.solver.file.formulas import constants, reference
from lrfm.solver.file.names import choose, refuse_unknown, table
from lrfm.solver.file.options import read_options
from lrfm.solver.file.spelling import in_toml
from lrfm.solver.march import block_edges

LIMIT = 1 << 20  # bytes; a statement has a few hundred
KEYS = ("equation", "time", "initial", "boundary", "reference", "name", "check_corners")
SECTIONS = ("domain", "parameters", "unknowns", "solve")
REQUIRED = ("equation", "domain", "time", "initial", "boundary")
EXAMPLES = {
    "equation": 'equation = "u_t = u_xx"',
    "domain": "[domain] with x = [0, 1]",
    "time": "time = [0, 0.1]",
    "initial": 'initial = "sin(pi*x)"',
    "boundary": 'boundary = "u = 0"',
}
KINDS = {"real": float, "float": float, "complex": complex}


@dataclass(frozen=True)
class Statement:
    """What a file says: the problem, and keyword arguments of `lrfm.solve`; `document` is the file as data."""

    problem: Problem
    options: Mapping[str, object] = field(default_factory=dict)
    document: Mapping[str, object] = field(default_factory=dict, repr=False)

    def at(self, values: Mapping[str, float]) -> Statement:
        """The same file with other values at places such as `parameters.eps`."""
        changed: dict[str, object] = dict(self.document)
        for place, value in values.items():
            section, _, name = place.partition(".")
            changed[section] = {**changed.get(section, {}), name: value}
        return _statement(changed)


def read(path: str | os.PathLike) -> Statement:
    """Read a TOML file; `ProblemError` says what is wrong with it."""
    with open(path, "rb") as stream:
        content = stream.read(LIMIT + 1)
    if content.startswith(b"PK"):
        raise ProblemError(
            f"{path} is an archive, no TOML file; a saved solution is read by `lrfm eval` and `lrfm export`."
        )
    if len(content) > LIMIT:
        raise ProblemError(f"{path} has more than {LIMIT:,} bytes; a statement in TOML was expected.")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ProblemError(f"{path} is not UTF-8 text (byte {error.start}); save it as UTF-8.") from None
    return parse(text, Path(path).name)


def parse(text: str, source: str = "The statement") -> Statement:
    """Read a statement from TOML text; messages begin with `source`.

    >>> statement = parse('''
    ... equation = "u_t = u_xx"
    ... time = [0, 0.1]
    ... initial = "sin(pi*x)"
    ... boundary = "u = 0"
    ... domain = { x = [0, 1] }
    ... solve = { features = 100 }
    ... ''')
    >>> statement.problem.linear, statement.options
    (True, {'features': 100})
    """
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ProblemError(f"{source}: not valid TOML: {error}.{_hint(text, str(error))}") from None
    except RecursionError:
        raise ProblemError(f"{source}: not valid TOML: it is nested too deeply.") from None
    try:
        return _statement(document)
    except ProblemError as error:
        raise ProblemError(f"{source}: {in_toml(str(error))}") from None


def _hint(text: str, message: str) -> str:
    """The usual slips: a face or formula without quotes."""
    where = re.search(r"line (\d+)", message)
    line = text.splitlines()[int(where[1]) - 1] if where and int(where[1]) <= len(text.splitlines()) else ""
    if re.search(r"(^|[{,])\s*(\w+\+|\*)\s*=", line):
        return ' Write faces in quotes: "x+" = "u = 0".'
    if re.match(r"\s*[\w.\"+*-]+\s*=\s*[^\s\"'\[{\d]", line):
        return " Write formulas in quotes."
    return ""


def _statement(document: Mapping[str, object]) -> Statement:
    _refuse_misplaced(document)
    refuse_unknown(document, [*KEYS, *SECTIONS], "A statement")
    for name in REQUIRED:
        if name not in document:
            raise ProblemError(f"`{name}` is missing; write it, for example {EXAMPLES[name]}.")
    box = _box(document["domain"])
    parameters = constants(
        table(document.get("parameters", {}), "`parameters`", "[parameters] with eps = 1e-4")
    )
    problem = Problem(
        document["equation"],
        domain=box,
        time=document["time"],
        initial=document["initial"],
        boundary=_boundary(document["boundary"]),
        parameters=parameters,
        unknowns=_unknowns(document.get("unknowns", {})),
        reference=reference(document.get("reference"), box, parameters),
        name=_typed(document.get("name"), str, "`name`", "text"),
        check_corners=_typed(document.get("check_corners", True), bool, "`check_corners`", "true or false"),
    )
    options = read_options(document.get("solve", {}))
    try:
        block_edges(problem.time, options.get("blocks", 1))
    except ValueError as error:
        raise ProblemError(f"[solve]: {error}") from None
    return Statement(problem, options, document)


def _refuse_misplaced(document: Mapping[str, object]) -> None:
    """In TOML a key below a [section] belongs to it, which surprises everybody once."""
    for section, content in document.items():
        if not isinstance(content, Mapping):
            continue
        for name in content:
            if name in (*KEYS, *SECTIONS) and name not in document:
                raise ProblemError(
                    f"`{name}` stands below [{section}] and so belongs to it; "
                    "move it above the first line in square brackets."
                )


def _box(domain: object) -> Box:
    axes = table(domain, "`domain`", "[domain] with x = [-1, 1]")
    if not axes:
        raise ProblemError("[domain] has no axes; name at least one, for example x = [-1, 1].")
    for name in axes:
        if not name.isidentifier():
            raise ProblemError(f"[domain] has the axis {name!r}; expected a plain name such as x.")
    return Box(**axes)


def _boundary(given: object) -> object:
    """The same with None for "none" and false, which mean that a face has no condition."""
    if isinstance(given, Mapping):
        return {face: _condition(condition) for face, condition in given.items()}
    return _condition(given)


def _condition(given: object) -> object:
    if given is False:
        return None
    if isinstance(given, str) and "=" not in given:
        word = choose(given, ("periodic", "none"), "A condition without `=` in `boundary`")
        return None if word == "none" else word
    return given


def _unknowns(given: object) -> dict[str, type]:
    kinds = table(given, "`unknowns`", '[unknowns] with psi = "complex"')
    return {name: KINDS[choose(kind, KINDS, f"`{name}` in [unknowns]")] for name, kind in kinds.items()}


def _typed(value: object, kind: type, what: str, expected: str) -> object:
    if value is not None and not isinstance(value, kind):
        raise ProblemError(f"{what} is {value!r}; expected {expected}.")
    return value
