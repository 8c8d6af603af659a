# SPDX-License-Identifier: MIT
"""Live checking: what was understood, typeset, or the sentence that says what is wrong, and where it stands."""

from __future__ import annotations

import re
from dataclasses import asdict
from typing import Any

from lrfm.linalg.threads import one_thread
from lrfm.problem import Problem, ProblemError
from lrfm.problem.mathml import readable
from lrfm.studio.statement import NONE, Fields, Tables
from lrfm.studio.texts import StudioError

# The first words of a sentence tell which field it is about; the order decides where several fit.
ABOUT = (
    ("time", r"`time`"),
    ("final", r"`final`|at the end"),
    ("reference", r"[Tt]he reference|`reference`"),
    ("unknowns", r"`unknowns`|\[unknowns\]"),
    ("domain", r"The axis|The axes|An axis|\[domain\]|`domain`|`Box"),
    ("initial", r"initial|at the start|`initial`"),
    ("boundary", r"boundary|condition|The face|faces?\b|periodic"),
    ("parameters", r"The parameter|`parameters`|parameters"),
    ("equation", r"[Ee]quation|unknown"),
)


@one_thread
def check(fields: Fields, tables: Tables = NONE) -> dict[str, Any]:
    """Read the fields; the page shows `math`, `summary` and `sliders`, or `error` under the field it belongs to."""
    told: dict[str, Any] = {"ok": False, "math": _typeset(fields), "sliders": [], "warnings": []}
    try:
        problem = fields.statement(tables).problem
        told["sliders"] = [slider.as_data() for slider in fields.sliders(tables)]
    except StudioError as error:
        told["error"] = _placed(fields, str(error), error.field, error.line)
        return told
    except ProblemError as error:
        message = str(error).removeprefix(": ")
        told["error"] = _placed(fields, message, _field(message), None, getattr(error, "column", None))
        return told
    return {**told, "ok": True, "warnings": list(problem.warnings), "summary": summary(problem)}


def summary(problem: Problem) -> list[str]:
    """What was understood, in a few words."""
    orders = ", ".join(
        f"{name} (order {order} in time)" if order else f"{name} (no time derivative)"
        for name, order in problem.time_orders.items()
    )
    told = [f"Unknown{'s' if len(problem.unknowns) > 1 else ''}: {orders}."]
    told += ["Linear." if problem.linear else "Nonlinear."]
    if problem.eigenvalue:
        told += [
            f"`{problem.eigenvalue}` is not given: its values are looked for at which there is a solution."
        ]
    if problem.periodic:
        told += [f"Periodic along {', '.join(sorted(problem.periodic))}."]
    return told


def _typeset(fields: Fields) -> list[str | None]:
    lines = [line.partition("#")[0].strip() for line in fields.equation.splitlines()]
    return [readable(line) for line in lines if line]


def _field(message: str) -> str:
    head = message[:120]
    found = [(match.start(), name) for name, pattern in ABOUT if (match := re.search(pattern, head))]
    return min(found)[1] if found else "equation"


def _placed(
    fields: Fields, message: str, field: str, line: int | None, column: int | None = None
) -> dict[str, Any]:
    """The sentence with the place to be marked: the last piece quoted in its first clause, which says what was given, that occurs in the field."""
    lines = asdict(fields).get(field, "").splitlines() or [""]
    given = re.split(r";|\. ", message)[0]
    quoted = re.findall(r"`([^`]+)`", given)
    rows = range(len(lines)) if line is None else [min(line, len(lines) - 1)]
    for word in reversed(quoted):
        whole = rf"(?<!\w){re.escape(word)}(?!\w)" if word.isidentifier() else re.escape(word)
        for number in rows:
            found = re.search(whole, lines[number])
            if found:
                return {
                    "message": message,
                    "field": field,
                    "line": number,
                    "column": found.start(),
                    "length": len(word),
                }
    place = {"message": message, "field": field, "line": rows[0]}
    return {**place, "column": column or 0, "length": 1 if column else 0}
