# SPDX-License-Identifier: MIT
"""A statement as the text of a TOML file, which `lrfm.read` reads again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lrfm.problem.errors import ProblemError
from lrfm.problem.formula import Formula
from lrfm.problem.shapes.protocol import Domain
from lrfm.problem.shapes.records import spelled
from lrfm.problem.shapes.text import shape_record
from lrfm.problem.tables import Table

if TYPE_CHECKING:
    from lrfm.problem.problem import Problem


def to_toml(problem: Problem) -> str:
    """Equations, time, data; then the tables of the domain, of parameters and of unknowns.

    >>> from lrfm import Box, Problem
    >>> heat = Problem("u_t = D*u_xx", domain=Box(x=(0, 1)), time=(0, 0.1), initial="sin(pi*x)", boundary="u = 0", parameters={"D": 2})
    >>> print(to_toml(heat).splitlines()[0])
    equation = "u_t = D*u_xx"
    """
    equations = list(problem.equations)
    lines = [f"name = {_value(problem.name, 'name')}"] if problem.name else []
    lines.append(f"equation = {_value(equations[0] if len(equations) == 1 else equations, 'equation')}")
    if not problem.steady:
        lines.append(f"time = {_value(list(problem.time), 'time')}")
    if problem.check_corners:
        lines.append("check_corners = true")
    reference = problem.reference
    reference = reference if isinstance(reference, Mapping) else {"": reference} if reference else {}
    known = {name: f.text for name, f in reference.items() if isinstance(f, Formula)}
    ends = {"initial": problem.initial, "final": problem.final}
    entries: dict[str, Any] = {name: given for name, given in ends.items() if given is not None}
    if not problem.ordinary:
        entries["boundary"] = problem.boundary
    if known:
        entries["reference"] = known.get("", known)
    simple = {name: value for name, value in entries.items() if not isinstance(value, Mapping)}
    lines += [f"{name} = {_value(value, name)}" for name, value in simple.items()]
    domain: str | dict[str, Any] = {} if problem.ordinary else _domain(problem.domain)
    if isinstance(domain, str):
        lines.append(f"domain = {_value(domain, 'domain')}")
    tables: dict[str, Any] = {} if isinstance(domain, str) else {"domain": domain}
    tables |= {name: value for name, value in entries.items() if name not in simple}
    tables["parameters"] = dict(problem.parameters)
    kinds = {name: "complex" if kind is complex else kind for name, kind in problem.unknowns.items()}
    tables["unknowns"] = {name: kind for name, kind in kinds.items() if isinstance(kind, str)}
    for name, table in tables.items():
        if table:
            lines += [
                "",
                f"[{name}]",
                *(f"{_key(key)} = {_value(item, f'{name} of {key}')}" for key, item in table.items()),
            ]
    return "\n".join(lines) + "\n"


def _domain(domain: Domain) -> str | dict[str, Any]:
    """A box by its axes; another shape as text, where that says all of it, or as a table."""
    record = dict(domain.record)
    if domain.is_box and not record.get("name"):
        kind = {"coordinates": record["coordinates"]} if "coordinates" in record else {}
        return {**{axis: list(ends) for axis, ends in domain.axes.items()}, **kind}
    text = spelled(record)
    try:
        return text if _listed(shape_record(text)) == _listed(record) else record
    except ProblemError:  # longer than a text may be, or with words that no text has
        return record


def _listed(value: Any) -> Any:
    """The same with lists for tuples and floats for whole numbers."""
    if isinstance(value, Mapping):
        return {key: _listed(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_listed(item) for item in value]
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _key(key: str) -> str:
    return key if key.replace("_", "").isalnum() and key.isascii() else json.dumps(key, ensure_ascii=False)


def _value(value: Any, what: str) -> str:
    if value is None:
        return '"none"'
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, int | float):
        return repr(float(value)) if isinstance(value, float) else repr(value)
    if isinstance(value, complex):
        return json.dumps(f"{value.real!r} + {value.imag!r}*1j")
    if isinstance(value, list | tuple):
        return f"[{', '.join(_value(item, what) for item in value)}]"
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(key)} = {_value(item, what)}" for key, item in value.items()) + " }"
    if isinstance(value, Table) and value.source:
        return _value(value.source, what)
    item = getattr(value, "item", None)  # a NumPy number
    if callable(item) and getattr(value, "ndim", 1) == 0:
        return _value(item(), what)
    raise ProblemError(
        f"`{what}` is {type(value).__name__}, which a file cannot hold; write it as text, or a table into a CSV file and its name "
        'as `{ file = "NAME.csv" }`.'
    )
