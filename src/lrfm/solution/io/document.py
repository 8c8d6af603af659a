# SPDX-License-Identifier: MIT
"""A solution as one document and its arrays, and back: the statement, the pieces, the report.

Functions are never stored. Where the data of a problem were functions, a placeholder stands in the problem
that is read again, until the function is given once more.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from lrfm.problem import Box, Jet, Problem, ProblemError
from lrfm.problem.errors import clipped, listing, printable, suggest
from lrfm.problem.field import UnknownField
from lrfm.problem.shapes.protocol import Domain
from lrfm.problem.shapes.records import from_record
from lrfm.problem.tables import Table
from lrfm.solution import io as files
from lrfm.solution.io.codec import BROKEN
from lrfm.solution.io.fields import checked, fits
from lrfm.solution.io.frames import is_framed
from lrfm.solution.piece import RETIRED, Piece, piece_classes, space_time
from lrfm.solution.report import Report, WindowReport
from lrfm.solution.status import read_status

_KINDS = {"float": float, "complex": complex}
_PARAMETERS = "statement.parameters."  # where the functions among the parameters stand in the document
NEAR = 1e-9  # of the time span, between the end of a piece and the start of the next
TRIED = 4  # highest derivatives that are evaluated when a solution is read


def records() -> dict[type, Callable[[Any], Mapping[str, Any]]]:
    """How pieces are written, for `encode`."""
    return {cls: cls.record for cls in (*piece_classes().values(), Table)}


def classes() -> dict[str, Callable[..., Any]]:
    """What a file may consist of, for `decode`: pieces, trial spaces and reports.

    Each is built from values of the types that it declares only.
    """
    own = {
        name: cls.from_record
        for name, cls in {**piece_classes(), "Table": Table, "UnknownField": UnknownField}.items()
    }
    built = {name: checked(builder) for name, builder in {**space_time().space_classes(), **own}.items()}
    return {
        **built,
        **dict.fromkeys(RETIRED, _retired),
        "Report": lambda **record: checked(Report)(**_read(record)),
        "WindowReport": lambda **record: checked(WindowReport)(**_read(record)),
    }


def _retired(**record: Any) -> NoReturn:
    raise ValueError(
        "functions of the whole domain, which development versions before lrfm 0.1 wrote, are not read any more; solve its statement again"
    )


def _read(record: Mapping[str, Any]) -> dict[str, Any]:
    """What a report says, as it can be printed, with a status that is one."""
    plain = {name: _printable(value) for name, value in record.items()}
    return {n: read_status(v) if n == "status" and isinstance(v, str) else v for n, v in plain.items()}


def _printable(value: Any) -> Any:
    """The texts of a report without control characters: they are printed."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, Mapping):
        return {_printable(name): _printable(item) for name, item in value.items()}
    return type(value)(map(_printable, value)) if isinstance(value, list | tuple) else value


def write(path: str | Path, problem: Problem, pieces: Sequence[Piece], report: Report) -> None:
    """Write everything into one file, whole or not at all; a piece that could not be read again is refused.

    Where that fails, the solution is written to another file, which a note on the exception names.
    """
    for kind in {type(piece) for piece in pieces} - set(piece_classes().values()):
        raise TypeError(
            f"A piece of class {kind.__name__} cannot be read back from a file; enter the class in `lrfm.solution.piece.PIECES`."
        )
    content = {"statement": statement(problem), "pieces": list(pieces), "report": report}
    encoded = files.encode(content, records=records())
    try:
        files.write_archive(path, *encoded)
    except OSError as error:
        rescue = _rescued(encoded)
        if rescue is not None:
            error.add_note(f"The solution was written to {rescue} instead.")
        raise


def _rescued(encoded: tuple[Any, dict[str, np.ndarray]]) -> Path | None:
    """Another file for a solution whose own could not be written; None where there is no place for it."""
    for folder in (tempfile.gettempdir(), Path.home(), Path.cwd()):
        with suppress(OSError, RuntimeError):
            descriptor, name = tempfile.mkstemp(".lrfm", "lrfm-rescue-", folder)
            os.close(descriptor)
            try:
                files.write_archive(name, *encoded)
            except OSError:
                os.unlink(name)
                raise
            return Path(name)
    return None


def read(
    path: str | Path, functions: Mapping[str, Callable[..., Any]]
) -> tuple[Problem, list[Piece], Report]:
    """Read what `write` wrote; `functions` by the names of parameters, or by their own."""
    if is_framed(path):
        raise files.FileFormatError(
            f"{path} holds no solution: it is the checkpoint of an integration, which `lrfm.solve` goes on from."
        )
    body, arrays = files.read_archive(path)
    if not {"statement", "pieces", "report"} <= body.keys():
        raise files.FileFormatError(f"{path} holds no solution; expected a file written by `Solution.save`.")
    _check_names(functions, dict(_functions(body["statement"], "statement")))
    given = {**functions, **{_PARAMETERS + name: function for name, function in functions.items()}}
    content = files.decode(body, arrays, classes(), functions=given)
    pieces, report = content["pieces"], content["report"]
    problem = restore(content["statement"])
    if not (isinstance(pieces, list) and pieces and isinstance(report, Report)):
        raise files.FileFormatError(f"{path} holds no solution: it lacks pieces or a report.")
    try:
        check_pieces(problem, pieces)
    except BROKEN as error:
        raise files.FileFormatError(
            f"{path} holds no whole solution: its pieces do not belong to its statement ({clipped(str(error).rstrip('.'))})."
        ) from error
    return problem, pieces, report


def check_pieces(problem: Problem, pieces: Sequence[Piece]) -> None:
    """Refuse pieces that do not follow each other in time, or have other fields or axes: all are evaluated at one point."""
    start, end = problem.time
    for piece in pieces:
        later = start < piece.window[1] or (len(pieces) == 1 and piece.window == (start, start))
        if not (abs(piece.window[0] - start) <= NEAR * (end - problem.time[0]) and later):
            raise ValueError(f"a piece begins at t = {piece.window[0]:g} where {start:g} is expected")
        start = piece.window[1]
        here = np.array([[*(0.5 * (problem.domain.lower + problem.domain.upper)), sum(piece.window) / 2]])
        jets = [Jet(field, (0,) * here.shape[1]) for field in problem.fields]
        jets += [jet for row in problem.rows for jet in row.jets if jet.order <= TRIED]
        with np.errstate(all="ignore"):
            values = piece.values(jets, here)
        if any(values[jet].shape != (1,) for jet in jets):
            raise ValueError("a value at one point is not one number")
    if start > end + NEAR * (end - problem.time[0]):
        raise ValueError(f"the last piece ends at t = {start:g}, after {end:g}")


def statement(problem: Problem) -> dict[str, object]:
    """A problem as plain data."""
    if problem.moved is not None:
        return {**statement(problem.moved), "rest": True}
    return {
        "equation": list(problem.equations),
        "domain": None if problem.ordinary else _domain_record(problem),
        "time": None if problem.steady else list(problem.time),
        "initial": problem.initial,
        **({} if problem.final is None else {"final": problem.final}),
        "boundary": {} if problem.ordinary else problem.boundary,
        "parameters": dict(problem.parameters),
        "unknowns": {n: k if isinstance(k, str) else k.__name__ for n, k in problem.unknowns.items()},
        "name": problem.name,
        "check_corners": problem.check_corners,
    }


def _domain_record(problem: Problem) -> dict[str, object]:
    """The axes of a box, as ever; of other shapes the words they were made with, under a key that is no axis."""
    if problem.domain.is_box:
        kind = problem.domain.record.get("coordinates")
        axes: dict[str, object] = {name: list(ends) for name, ends in problem.domain.axes.items()}
        return axes if kind is None else {**axes, "coordinates": kind}
    return {"shape": dict(problem.domain.record)}


def _domain(data: Any) -> Domain:
    if isinstance(data.get("shape"), Mapping):
        return from_record(data["shape"])
    axes: dict[str, Any] = {n: ends if isinstance(ends, str) else tuple(ends) for n, ends in data.items()}
    return Box(**axes)


def restore(data: Any) -> Problem:
    """The problem of a saved statement; data whose functions are missing are not checked again."""
    try:
        arguments: dict[str, Any] = {
            "domain": None if data["domain"] is None else _domain(data["domain"]),
            "time": None if data["time"] is None else tuple(data["time"]),
            "unknowns": {name: _KINDS.get(kind, kind) for name, kind in data["unknowns"].items()},
            "final": data.get("final"),
            **{name: data[name] for name in ("initial", "boundary", "parameters", "name", "check_corners")},
        }
        if not (fits(arguments["name"], str | None) and fits(arguments["check_corners"], bool)):
            raise TypeError("its name is no text, or `check_corners` neither true nor false")
        arguments["name"] = arguments["name"] and printable(arguments["name"])
        made = Problem(data["equation"], **arguments, verify=not _has_missing(list(arguments.values())))
        return made.at_rest() if data.get("rest") is True else made
    except BROKEN as problem:
        said = clipped(str(problem).rstrip(".") if isinstance(problem, ProblemError) else repr(problem))
        raise files.FileFormatError(f"The statement in the file is not whole: {said}.") from problem


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
