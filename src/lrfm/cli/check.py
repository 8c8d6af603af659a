# SPDX-License-Identifier: MIT
"""The commands `check` and `plan`: what a statement says, and what it will cost; nothing is solved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lrfm.cli import show
from lrfm.cli.arguments import (
    PICTURES,
    Blocks,
    Features,
    Json,
    MaxMemory,
    Method,
    Settings,
    StatementFile,
    Tolerance,
    check_writable,
    merge_options,
    read_file,
)
from lrfm.cli.solve import PLANNED

if TYPE_CHECKING:
    from lrfm.problem import Problem
    from lrfm.solver.options import Options


def check(
    file: StatementFile,
    json: Json = False,
    plot: Annotated[
        Path | None,
        typer.Option(
            help="Draw the domain with its parts, points and normals (png, pdf, svg).", show_default=False
        ),
    ] = None,
) -> None:
    """Read a statement and print what was understood; nothing is solved."""
    from lrfm.solver.options import solve_options

    statement = read_file(file)
    options = solve_options(statement)
    if plot is not None:
        from lrfm.solution.plot.outline import domain_figure

        check_writable({"--plot": plot}, {"--plot": PICTURES})
        domain_figure(statement.problem.domain, statement.problem.time, plot)
    if json:
        show.as_json({"file": str(file), **_content(statement.problem, options)})
    else:
        show.pairs(_understood(statement.problem, options), str(file))


def plan(
    file: StatementFile,
    tol: Tolerance = None,
    method: Method = None,
    features: Features = None,
    blocks: Blocks = None,
    max_memory: MaxMemory = None,
    changes: Settings = None,
    json: Json = False,
) -> None:
    """Print size, memory and seconds of the solve that would be made; an integration by lines is tried for two seconds at most."""
    statement = read_file(file, changes)
    from lrfm.solver.api import plan as make_plan
    from lrfm.solver.budget import available_memory, format_bytes, parse_bytes
    from lrfm.solver.methods import SpaceTime

    given = {"tol": tol, "method": method, "features": features, "blocks": blocks, "max_memory": max_memory}
    options = merge_options(statement, file, given)
    made = make_plan(statement.problem, **{name: value for name, value in options.items() if name in PLANNED})
    limit = options.get("max_memory")
    allowed = parse_bytes(limit) if limit is not None else available_memory()
    if json:
        show.as_json({"file": str(file), **vars(made), "available": allowed})
        return
    entries = made.lines()
    if allowed is not None:
        fits = "" if made.bytes <= allowed else "; this is too little, use fewer features or more blocks"
        entries.append(("available", f"{format_bytes(allowed)}{fits}"))
    way = options.get("method")
    sized = isinstance(way, SpaceTime) and (way.space is not None or way.features is not None)
    if made.method == "space-time" and not sized:
        entries.append(("note", "one solve of the default size; `lrfm solve` chooses the size itself"))
    show.pairs(entries, str(file))


def _content(problem: Problem, options: Options) -> dict[str, object]:
    """What was understood, for other programs."""
    from lrfm.error.well_posed import doubts
    from lrfm.problem.boundary import PERIODIC
    from lrfm.problem.typeset import final_entries, initial_entries

    return {
        "name": problem.name,
        "equations": problem.equations,
        "unknowns": {
            name: {"kind": kind if isinstance(kind, str) else kind.__name__, "orders": _orders(problem, name)}
            for name, kind in problem.unknowns.items()
        },
        "parameters": problem.parameters,
        "domain": problem.domain.axes if problem.domain.is_box else problem.domain.record,
        "time": None if problem.steady else problem.time,
        "initial": PERIODIC if problem.cyclic else initial_entries(problem),
        "final": final_entries(problem),
        "periodic": sorted(problem.periodic),
        "boundary": _boundary(problem),
        "linear": problem.linear,
        "reference": problem.reference is not None,
        "solve": {name: _option(value) for name, value in options.items()},
        "warnings": [*problem.warnings, *doubts(problem)],
    }


def _understood(problem: Problem, options: Options) -> list[tuple[str, str]]:
    from lrfm.problem.typeset import final_entries, initial_entries

    entries = [("name", problem.name)] if problem.name else []
    entries += [("equation", text) for text in problem.equations]
    for name, kind in problem.unknowns.items():
        orders = ", ".join(f"{order} in {letter}" for letter, order in _orders(problem, name).items())
        of = f"a function of {kind}" if isinstance(kind, str) else "complex" if kind is complex else "real"
        entries.append((f"unknown {name}", f"{of}, order {orders}"))
    entries += [(f"parameter {name}", _number(value)) for name, value in problem.parameters.items()]
    entries += [] if problem.domain.is_box else [("shape", repr(problem.domain))]
    spans = [("domain", name, ends) for name, ends in problem.domain.axes.items()]
    spans += [] if problem.steady else [("time", "t", problem.time)]
    for what, name, (low, high) in spans:
        entries.append((what, f"{name} in [{low:.12g}, {high:.12g}]"))
    entries += [("time", "none: a steady statement")] if problem.steady else []
    entries += [(f"initial {name}", _number(datum)) for name, datum in initial_entries(problem).items()]
    entries += [(f"final {name}", str(datum)) for name, datum in final_entries(problem).items()]
    entries += (
        [("time", f"an orbit of period {problem.time[1] - problem.time[0]:.12g}")] if problem.cyclic else []
    )
    entries += [(f"boundary {name}", condition) for name, condition in _boundary(problem).items()]
    if problem.reference is not None:
        entries.append(("reference", "given; the true error will be printed"))
    linear = "linear: no iteration" if problem.linear else "nonlinear: solved by iteration"
    entries.append(("kind", linear))
    entries += [(f"solve {name}", _option(value)) for name, value in options.items()]
    from lrfm.error.well_posed import doubts

    return entries + [("warning", text) for text in (*problem.warnings, *doubts(problem))]


def _number(value: object) -> str:
    """A parameter, or one for each layer."""
    if isinstance(value, Mapping):
        return ", ".join(f"{_number(inside)} in {layer}" for layer, inside in value.items())
    return f"{value:.12g}" if isinstance(value, int | float) else str(value)


def _option(value: object) -> str:
    """A number as it is; a method or a part with the arguments that are not its defaults."""
    from lrfm.spacetime.windows.parts import spell

    return spell(value) if is_dataclass(value) else str(value)


def _orders(problem: Problem, name: str) -> dict[str, int]:
    """Highest derivative of an unknown in time, where there is one, and along each axis."""
    field = problem.fields_of(name)[0]
    along = {axis: problem.space_order(i, field) for i, axis in enumerate(problem.domain.names)}
    return along if problem.steady else {"t": problem.time_orders[name], **along}


def _boundary(problem: Problem) -> dict[str, str]:
    """What holds on each part of the boundary."""
    from lrfm.problem.conditions import face_conditions

    periodic, faces = face_conditions(problem.boundary, problem.domain, list(problem.unknowns))
    found = {axis: "periodic" for axis in problem.domain.names if axis in periodic}
    for face, condition in faces.items():
        parts = condition if isinstance(condition, list) else [condition]
        found[face] = "no condition" if condition is None else "; ".join(map(_condition, parts))
    return found


def _condition(given: object) -> str:
    from lrfm.problem.boundary import CONTINUOUS

    if isinstance(given, Mapping):
        return "; ".join(f"{name} = {value}" for name, value in given.items())
    if given == CONTINUOUS:
        return "u and its flux are continuous"
    return given if isinstance(given, str) else f"= {given}"
