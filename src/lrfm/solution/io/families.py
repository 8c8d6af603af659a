# SPDX-License-Identifier: MIT
"""A family as one document and its arrays, and back: the statement once, its range, and pieces and report of each solution."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from lrfm.problem import Problem
from lrfm.problem.errors import clipped
from lrfm.problem.spans import Range
from lrfm.solution import io as files
from lrfm.solution.io import document
from lrfm.solution.io.codec import BROKEN
from lrfm.solution.io.fields import fits
from lrfm.solution.report import Report

Solved = tuple[Problem, list[Any], Report]
Part = tuple[float, float, list[Solved]]  # the ends of an interval, and what was solved at its nodes


def write(
    path: str | Path, problem: Problem, name: str, span: Range, parts: list[Part], errors: Mapping[str, float]
) -> None:
    """Write everything into one file."""
    plain = problem.replace(parameters={**problem.parameters, name: span.start})
    intervals = [
        {
            "low": low, "high": high,
            "solutions": [
                {"value": each.parameters[name], "pieces": list(pieces), "report": report} for each, pieces, report in solved
            ],
        }
        for low, high, solved in parts
    ]  # fmt: skip
    content = {
        "family": name, "range": [span.lower, span.upper, bool(span.log)], "errors": dict(errors),
        "statement": document.statement(plain), "intervals": intervals,
    }  # fmt: skip
    files.write_archive(path, *files.encode(content, records=document.records()))


def read(
    path: str | Path, functions: Mapping[str, Callable[..., Any]]
) -> tuple[Problem, str, Range, list[Part], dict[str, float]] | None:
    """Read what `write` wrote; None where the file holds no family."""
    body, arrays = files.read_archive(path)
    if "family" not in body:
        return None
    given = {**functions, **{f"statement.parameters.{n}": f for n, f in functions.items()}}
    content = files.decode(body, arrays, document.classes(), functions=given)
    try:
        name, (lower, upper, log), errors = content["family"], content["range"], content["errors"]
        if not (fits(name, str) and fits(log, bool) and fits(errors, dict[str, float])):
            raise TypeError("its name, its range or its errors are not what a family has")
        plain, span = document.restore(content["statement"]), Range(lower, upper, log=log)
        parts = [
            (float(i["low"]), float(i["high"]), _solved(plain, name, i["solutions"]))
            for i in content["intervals"]
        ]
        if not parts or any(len(solved) < 2 or not low < high for low, high, solved in parts):
            raise ValueError("an interval has too few solutions, or no length")
        for _, _, solved in parts:
            if len({each.parameters[name] for each, _, _ in solved}) < len(solved):
                raise ValueError("an interval has two solutions for one value")
        problem = plain.replace(parameters={**plain.parameters, name: span})
    except BROKEN as error:
        raise files.FileFormatError(
            f"{path} holds no whole family ({clipped(str(error).rstrip('.'))})."
        ) from error
    return problem, name, span, parts, {key: float(value) for key, value in errors.items()}


def _solved(plain: Problem, name: str, stored: list[Mapping[str, Any]]) -> list[Solved]:
    """Problem, pieces and report at every node of an interval, checked as those of a single solution are."""
    found = []
    for entry in stored:
        each = plain.replace(parameters={**plain.parameters, name: float(entry["value"])})
        if not isinstance(entry["report"], Report):
            raise TypeError("a solution has no report")
        document.check_pieces(each, entry["pieces"])
        found.append((each, entry["pieces"], entry["report"]))
    return found
