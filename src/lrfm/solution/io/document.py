# SPDX-License-Identifier: MIT
"""A solution as one document and its arrays, and back: the statement, the expansions, the report.

Functions are never stored. Where the data of a problem were functions, a placeholder stands in the problem
that is read again, until the function is given once more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from lrfm.problem import Box, Problem
from lrfm.problem.errors import listing, suggest
from lrfm.rows.expansion import Expansion
from lrfm.solution import io as files
from lrfm.solution.report import BlockReport, Report, TimeConstant
from lrfm.spaces.stored import space_classes

_CLASSES = {
    "Expansion": Expansion.from_record,
    "Report": Report,
    "BlockReport": BlockReport,
    "TimeConstant": TimeConstant,
}
_KINDS = {"float": float, "complex": complex}
_PARAMETERS = "statement.parameters."  # where the functions among the parameters stand in the document


def write(path: str | Path, problem: Problem, pieces: Sequence[Expansion], report: Report) -> None:
    """Write everything into one file, whole or not at all."""
    document = {"statement": statement(problem), "pieces": list(pieces), "report": report}
    files.write_archive(path, *files.encode(document, records={Expansion: Expansion.record}))


def read(path: str | Path, functions: Mapping[str, Callable]) -> tuple[Problem, list[Expansion], Report]:
    """Read what `write` wrote; `functions` by the names of parameters, or by their own."""
    body, arrays = files.read_archive(path)
    if not {"statement", "pieces", "report"} <= body.keys():
        raise files.FileFormatError(f"{path} holds no solution; expected a file written by `Solution.save`.")
    _check_names(functions, dict(_functions(body["statement"], "statement")))
    given = {**functions, **{_PARAMETERS + name: function for name, function in functions.items()}}
    content = files.decode(body, arrays, {**space_classes(), **_CLASSES}, functions=given)
    pieces, report = content["pieces"], content["report"]
    if not (isinstance(pieces, list) and pieces and all(isinstance(p, Expansion) for p in pieces)):
        raise files.FileFormatError(f"{path} holds no solution: its `pieces` are not expansions.")
    problem = restore(content["statement"])
    if not isinstance(report, Report) or any(set(p.spaces) != set(problem.fields) for p in pieces):
        raise files.FileFormatError(f"{path} holds no whole solution: its parts do not belong together.")
    return problem, pieces, report


def statement(problem: Problem) -> dict[str, object]:
    """A problem as plain data."""
    return {
        "equation": list(problem.equations),
        "domain": {name: list(ends) for name, ends in problem.domain.axes.items()},
        "time": list(problem.time),
        "initial": problem.initial,
        "boundary": problem.boundary,
        "parameters": dict(problem.parameters),
        "unknowns": {name: kind.__name__ for name, kind in problem.unknowns.items()},
        "name": problem.name,
        "check_corners": problem.check_corners,
    }


def restore(data: Mapping[str, object]) -> Problem:
    """The problem of a saved statement; data whose functions are missing are not checked again."""
    try:
        arguments = {
            "domain": Box(**{name: tuple(ends) for name, ends in data["domain"].items()}),
            "time": tuple(data["time"]),
            "unknowns": {name: _KINDS[kind] for name, kind in data["unknowns"].items()},
            **{name: data[name] for name in ("initial", "boundary", "parameters", "name", "check_corners")},
        }
        equation = data["equation"]
    except (KeyError, TypeError, AttributeError) as problem:
        raise files.FileFormatError(f"The statement in the file is not whole: {problem!r}.") from problem
    return Problem(equation, **arguments, verify=not _has_missing(list(arguments.values())))


def _has_missing(tree: object) -> bool:
    if isinstance(tree, Mapping):
        return any(map(_has_missing, tree.values()))
    if isinstance(tree, list | tuple):
        return any(map(_has_missing, tree))
    return isinstance(tree, files.MissingFunction)


def _functions(plain: object, place: str) -> Iterator[tuple[str, str]]:
    """(place, own name) of every function in an encoded document."""
    if isinstance(plain, Mapping) and "$function" in plain:
        yield place, str(plain["$function"])
    elif isinstance(plain, Mapping | list):
        items = plain.items() if isinstance(plain, Mapping) else enumerate(plain)
        for key, item in items:
            yield from _functions(item, place if str(key).startswith("$") else f"{place}.{key}")


def _check_names(functions: Mapping[str, Callable], found: Mapping[str, str]) -> None:
    valid = [*(place.removeprefix(_PARAMETERS) for place in found), *found.values(), *found]
    for name in functions:
        if name not in valid:
            raise ValueError(
                f"`functions` has `{name}`, but the saved problem has no such function; "
                f"expected {listing(dict.fromkeys(valid[: len(found)]))}.{suggest(name, valid)}"
            )
