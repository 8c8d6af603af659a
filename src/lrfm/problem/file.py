# SPDX-License-Identifier: MIT
"""Statements in TOML files, which mirror `lrfm.Problem`; nothing in them is ever executed.

    equation = "u_t = eps*u_xx - u**3 + u"     # or a list of texts
    time = [0, 0.1]
    initial = "0.55*sin(pi*x) + 0.25*sin(2*pi*x)"   # or "periodic": an orbit; final = "..." for data at the end
    boundary = "periodic"                      # or a table: "x-" = "u = 0", "x+" = "none", "*" = ["u_n = 0"]

    [domain]
    x = [-1, 1]                                # or shape = "Disk", radius = 0.5, and so on

    [parameters]
    eps = 1e-4                                 # or a text without coordinates, such as "0.01/pi"

    [unknown]                                  # numbers and fields to be found from data (`lrfm fit`)
    k = { start = 2.0, lower = 0 }             # or k = 2.0
    f = { field = ["x"], start = 0 }           # a function of x

    [solve]                                    # arguments of `lrfm.solve`, read by `lrfm.solver.options`
    tol = 1e-8

A face without a condition is written `"x+" = "none"`, because TOML has no null. Ordinary equations have no domain and no boundary, steady
ones no time and no initial.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lrfm.linalg.threads import one_thread
from lrfm.problem.absent import lives_at_a_point, stands_still
from lrfm.problem.alphabet import read_coordinates
from lrfm.problem.constants import constants
from lrfm.problem.domain import Box
from lrfm.problem.errors import ProblemError, listing, printable, short, shown, suggest
from lrfm.problem.field import UnknownField
from lrfm.problem.free import Unknown
from lrfm.problem.problem import Problem
from lrfm.problem.shapes.protocol import Domain
from lrfm.problem.table_files import SOURCES

LIMIT = 1 << 20  # bytes; a statement has a few hundred
EXAMPLES = {
    "equation": 'equation = "u_t = u_xx"',
    "domain": "[domain] with x = [0, 1]",
    "time": "time = [0, 0.1]",
    "initial": 'initial = "sin(pi*x)"',
    "boundary": 'boundary = "u = 0"',
}  # of what every statement has
KEYS = (
    *EXAMPLES,
    "final",
    "reference",
    "name",
    "check_corners",
    "parameters",
    "unknown",
    "unknowns",
    "solve",
)
KINDS = {"real": float, "float": float, "complex": complex}


@dataclass(frozen=True)
class Statement:
    """What a file says: the problem, the [solve] section as it is, and the whole file as data."""

    problem: Problem
    solve: Mapping[str, object] = field(default_factory=dict)
    source: str = "The statement"
    document: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def with_parameters(self, values: Mapping[str, float]) -> Statement:
        """The same file with other values of some parameters."""
        parameters = {**self.document.get("parameters", {}), **values}
        return _statement({**self.document, "parameters": parameters}, self.source)

    def with_entries(self, changes: Iterable[str]) -> Statement:
        """The same file with some entries changed, each as ``parameters.eps=1e-3``; a value that is no TOML is a text."""
        document = {k: dict(v) if isinstance(v, Mapping) else v for k, v in self.document.items()}
        for change in changes:
            name, equals, text = (part.strip() for part in change.partition("="))
            section, dot, key = name.partition(".")
            if not equals or not name or (dot and not key):
                raise ProblemError(
                    f"`{short(change)}` changes nothing; write NAME=VALUE, such as parameters.eps=1e-3."
                )
            try:
                value = tomllib.loads(f"value = {text}")["value"]
            except tomllib.TOMLDecodeError:
                value = text
            if not dot and section not in KEYS and section in document.get("parameters", {}):
                raise ProblemError(
                    f"`{short(change)}` names a parameter; write `parameters.{short(change)}`."
                )
            if not dot:
                document[section] = value
                continue
            inside = document.setdefault(section, {})
            if not isinstance(inside, dict):
                raise ProblemError(
                    f"`{short(name)}` cannot be set: `{short(section)}` of {self.source} is no table."
                )
            inside[key] = value
        return _statement(document, self.source)


@one_thread
def read(path: str | os.PathLike[str]) -> Statement:
    """Read a TOML file; `ProblemError` says what is wrong with it."""
    if Path(path).exists() and not Path(path).is_file():
        raise ProblemError(f"{path} is not a regular file; a statement is a TOML file.")
    with open(path, "rb") as stream:
        content = stream.read(LIMIT + 1)
    if content.startswith(b"PK"):
        raise ProblemError(
            f"{path} is an archive, not a TOML file; a saved solution is read by `lrfm eval` and `lrfm export`."
        )
    if len(content) > LIMIT:
        raise ProblemError(f"{path} has more than {LIMIT:,} bytes; a statement in TOML was expected.")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ProblemError(f"{path} is not UTF-8 text (byte {error.start}); save it as UTF-8.") from None
    return parse(text, Path(path).name, Path(path).parent)


def parse(text: str, source: str = "The statement", folder: Path | None = None) -> Statement:
    """Read a statement from TOML text; messages begin with `source`, tables are looked for in `folder`.

    >>> statement = parse('''
    ... equation = "u_t = u_xx"
    ... time = [0, 0.1]
    ... initial = "sin(pi*x)"
    ... boundary = "u = 0"
    ... domain = { x = [0, 1] }
    ... solve = { features = 100 }
    ... ''')
    >>> statement.problem.linear, statement.solve
    (True, {'features': 100})
    """
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ProblemError(f"{source}: not valid TOML: {error}.{_hint(text, str(error))}") from None
    except (RecursionError, ValueError) as error:  # such as a number of five thousand digits
        why = "it is nested too deeply" if isinstance(error, RecursionError) else str(error).rstrip(".")
        raise ProblemError(f"{source}: not valid TOML: {why}.") from None
    return _statement(document if folder is None else _located(document, folder), source)


def _located(tree: Any, folder: Path) -> Any:
    """The same document with `file = "ic.csv"` found beside it."""
    if isinstance(tree, Mapping):
        inside = {key: _located(value, folder) for key, value in tree.items()}
        if isinstance(tree.get("file"), str) and tree.keys() <= SOURCES:
            inside["file"] = str(folder / tree["file"])
        return inside
    return [_located(item, folder) for item in tree] if isinstance(tree, list) else tree


def _hint(text: str, message: str) -> str:
    """The usual slips: a face or formula without quotes."""
    where = re.search(r"line (\d+)", message)
    line = text.splitlines()[int(where[1]) - 1] if where and int(where[1]) <= len(text.splitlines()) else ""
    if re.search(r"(^|[{,])\s*(\w+\+|\*)\s*=", line):
        return ' Write faces in quotes: "x+" = "u = 0".'
    if re.match(r"\s*[\w.\"+*-]+\s*=\s*[^\s\"'\[{\d]", line):
        return " Write formulas in quotes."
    return ""


def _statement(document: Mapping[str, Any], source: str) -> Statement:
    try:
        problem = _problem(document)
        return Statement(
            problem, table(document.get("solve", {}), "`solve`", "[solve] with tol = 1e-8"), source, document
        )
    except ProblemError as error:
        raise error.in_file(source) from None


def _problem(document: Mapping[str, Any]) -> Problem:
    _refuse_misplaced(document)
    if "until" in document:
        raise ProblemError(
            "`until` belongs to the solve; write it below [solve], or `--until` on the command line."
        )
    refuse_unknown(document, KEYS, "A statement")
    for name, example in EXAMPLES.items():
        if name not in document and name not in _spared(document):
            raise ProblemError(f"`{name}` is missing; write it, for example {example}.")
    parameters = dict(table(document.get("parameters", {}), "`parameters`", "[parameters] with eps = 1e-4"))
    domain = _domain(document["domain"], constants(parameters)) if "domain" in document else None
    found = _to_be_found(document.get("unknown", {}))
    twice = next((name for name in found if name in parameters), None)
    if twice is not None:
        raise ProblemError(
            f"`{short(twice)}` stands in [parameters] and in [unknown]; leave it out of [parameters] where it is to be found, or out of [unknown] where it is known."
        )
    parameters |= found
    boundary = document.get("boundary", {})
    if isinstance(boundary, Mapping):
        boundary = {face: _condition(condition) for face, condition in boundary.items()}
    return Problem(
        document["equation"],
        domain=domain,  # type: ignore[arg-type]
        time=document.get("time"),  # type: ignore[arg-type]
        initial=document.get("initial"),
        final=document.get("final"),
        boundary=boundary if isinstance(boundary, Mapping) else _condition(boundary),
        parameters=parameters,
        unknowns=_unknowns(document.get("unknowns", {}), () if domain is None else domain.names),
        reference=document.get("reference"),
        name=printable(_typed(document.get("name") or "", str, "`name`", "text")) or None,
        check_corners=_typed(document.get("check_corners", False), bool, "`check_corners`", "true or false"),
    )


def _spared(document: Mapping[str, Any]) -> tuple[str, ...]:
    """What a statement does not need: initial data beside final ones, a domain of ordinary equations, a time span of steady ones."""
    given = document.get("equation", ())
    texts = [given] if isinstance(given, str) else [t for t in given if isinstance(t, str)]
    spared = ("initial",) if "final" in document else ()
    if texts and "domain" not in document:
        at_a_point = lives_at_a_point(
            texts, document.get("time"), document.get("boundary"), document.get("initial")
        )
        return (*spared, "domain", "boundary") if at_a_point else spared
    if (
        texts
        and "time" not in document
        and stands_still(texts, document.get("initial"), document.get("final"))
    ):
        return "time", "initial"
    return spared


def _refuse_misplaced(document: Mapping[str, object]) -> None:
    """In TOML a key below a [section] belongs to it, which surprises everybody once."""
    for section, content in document.items():
        for name in content if isinstance(content, Mapping) else ():
            if name in KEYS and name not in document:
                raise ProblemError(
                    f"`{name}` stands below [{section}] and so belongs to it; "
                    "move it above the first line in square brackets."
                )


def _domain(domain: object, parameters: Mapping[str, object]) -> Domain:
    """A box by its axes, a table with `shape` and the words of that shape, or the text of a shape."""
    if isinstance(domain, str):
        from lrfm.problem.shapes.text import shape_record

        domain = shape_record(domain)
    given = table(domain, "`domain`", "[domain] with x = [-1, 1]")
    if not isinstance(given.get("shape"), str):
        return _box(given)
    from lrfm.problem.shapes.records import from_record

    return from_record(_with_parameters(given, parameters))


def _with_parameters(given: Any, parameters: Mapping[str, object]) -> Any:
    """The same with the parameters of the statement in every region whose text uses them."""
    if isinstance(given, list):
        return [_with_parameters(item, parameters) for item in given]
    if not isinstance(given, Mapping):
        return given
    found = {key: _with_parameters(value, parameters) for key, value in given.items()}
    if str(given.get("shape")).lower() == "region" and isinstance(given.get("text"), str):
        used = {n: v for n, v in parameters.items() if re.search(rf"\b{re.escape(n)}\b", given["text"])}
        found["parameters"] = {**used, **table(given.get("parameters", {}), "`parameters`", "{ a = 0.2 }")}
        found = {key: value for key, value in found.items() if key != "parameters" or value}
    return found


def _box(axes: Mapping[str, Any]) -> Box:
    if not axes:
        raise ProblemError("[domain] has no axes; name at least one, for example x = [-1, 1].")
    for name in axes:
        if not name.isidentifier():
            raise ProblemError(f"[domain] has the axis {shown(name)}; expected a plain name such as x.")
    return Box(**axes)


def _condition(given: object) -> object:
    """The same with None for "none" and false, which mean that a face has no condition."""
    foreign = isinstance(given, str) and not suggest(_plain(given), ("periodic", "none"))
    if isinstance(given, str) and "=" not in given and not foreign:
        word = choose(given, ("periodic", "none"), "A condition without `=` in `boundary`")
        return None if word == "none" else word
    return None if given is False else given


def _unknowns(given: object, axes: Sequence[str]) -> dict[str, type | str]:
    kinds = table(given, "`unknowns`", '[unknowns] with psi = "complex"')
    found: dict[str, type | str] = {}
    for name, kind in kinds.items():
        parts = read_coordinates(kind) if isinstance(kind, str) else ()
        of = bool(parts) and ("t" in parts or set(parts) <= set(axes))  # a function of some coordinates
        found[name] = kind if of else KINDS[choose(kind, KINDS, f"`{name}` in [unknowns]")]
    return found


def _typed(value: Any, kind: type, what: str, expected: str) -> Any:
    if value is not None and not isinstance(value, kind):
        raise ProblemError(f"{what} is {shown(value)}; expected {expected}.")
    return value


def _to_be_found(given: object) -> dict[str, object]:
    """[unknown]: a number to start from, a table {start, lower, upper}, or a table {field, start, known_at_ends, modes}."""
    found: dict[str, object] = {}
    for name, entry in table(given, "`unknown`", "[unknown] with k = 2.0").items():
        if not isinstance(entry, Mapping):
            found[name] = Unknown(entry)
        elif "field" in entry:
            refuse_unknown(entry, ("field", "start", "known_at_ends", "modes"), f"`{name}` in [unknown]")
            axes = entry["field"] if isinstance(entry["field"], list) else [entry["field"]]
            found[name] = UnknownField(*axes, **{k: v for k, v in entry.items() if k != "field"})
        else:
            refuse_unknown(entry, ("start", "lower", "upper"), f"`{name}` in [unknown]")
            if "start" not in entry:
                raise ProblemError(
                    f"`{name}` in [unknown] has no `start`; write where the search begins, for example start = 1.0."
                )
            found[name] = Unknown(entry["start"], **{k: v for k, v in entry.items() if k != "start"})
    return found


# Names and words: those that exist are taken, any other is refused with the nearest one that does -----------


def refuse_unknown(given: Iterable[str], valid: Iterable[str], place: str) -> None:
    """Refuse the first name that is not valid; `place` is where it stands, such as ``[solve]``."""
    valid = list(valid)
    for name in given:
        if name not in valid:
            plain = name.lower()
            begins = [other for other in valid if plain.startswith(other) or other.startswith(plain)]
            near = suggest(plain, valid) or (f" Did you mean `{begins[0]}`?" if begins else "")
            raise ProblemError(f"{place} has no `{short(name)}`; it takes {listing(valid)}.{near}")


def table(value: object, place: str, example: str) -> Mapping[str, Any]:
    """The value if it is a table."""
    if not isinstance(value, Mapping):
        raise ProblemError(f"{place} was given as {shown(value)}; expected a table, for example {example}.")
    return value


def choose(value: object, valid: Iterable[str], what: str) -> str:
    """One of a few words; case, dashes and underscores do not matter."""
    words = {_plain(word): word for word in valid}
    if isinstance(value, str) and _plain(value) in words:
        return words[_plain(value)]
    near = suggest(_plain(value), words) if isinstance(value, str) else ""
    for plain, word in words.items():
        near = near.replace(f"`{plain}`", f"`{word}`")
    raise ProblemError(f"{what} is {shown(value)}; expected one of {listing(words.values())}.{near}")


def _plain(word: str) -> str:
    return word.strip().lower().replace("-", "").replace("_", "")
