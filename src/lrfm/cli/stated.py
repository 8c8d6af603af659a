# SPDX-License-Identifier: MIT
"""Commands on a statement in a TOML file: `check`, `plan` and `solve`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lrfm.cli import show
from lrfm.cli.errors import UsageError
from lrfm.cli.words import check_writable

if TYPE_CHECKING:
    from lrfm.problem import Problem
    from lrfm.solver.file import Statement

File = Annotated[
    Path, typer.Argument(help="The statement, a TOML file.", metavar="FILE.toml", show_default=False)
]
Features = Annotated[
    int | None, typer.Option(min=4, help="Use this many features per field; chosen by default.")
]
Blocks = Annotated[int | None, typer.Option(min=1, help="Number of blocks in time; chosen by default.")]


def check(
    file: File,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> None:
    """Read a statement and print what was understood; nothing is solved."""
    statement = read_file(file)
    if json:
        show.as_json({"file": str(file), **_content(statement)})
        return
    show.pairs(_understood(statement), str(file))


def plan(file: File, features: Features = None, blocks: Blocks = None) -> None:
    """Print rows, columns, memory and seconds of a solve; nothing is solved."""
    statement = read_file(file)
    from lrfm.cli.outcome import PLANNED
    from lrfm.solver.api import plan as make_plan
    from lrfm.solver.planning import available_memory, format_bytes, parse_bytes

    options = merge_options(statement, file, {"features": features, "blocks": blocks})
    made = make_plan(statement.problem, **{name: value for name, value in options.items() if name in PLANNED})
    limit = options.get("max_memory")
    allowed = parse_bytes(limit) if limit is not None else available_memory()
    entries = made.lines()
    if allowed is not None:
        fits = "" if made.bytes <= allowed else "; this is too little, use fewer features or more blocks"
        entries.append(("available", f"{format_bytes(allowed)}{fits}"))
    if not {"space", "features"} & set(options):
        entries.append(("note", "one solve of the default size; `lrfm solve` chooses the size itself"))
    show.pairs(entries, str(file))


def solve(
    file: File,
    tol: Annotated[
        float | None, typer.Option(help="Relative error to be met; 1e-6 if nothing is said.")
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Fixes every random draw.")] = None,
    features: Features = None,
    blocks: Blocks = None,
    backend: Annotated[
        str | None, typer.Option(help="Where matrices are computed: numpy, torch or torch:cuda.")
    ] = None,
    max_features: Annotated[int | None, typer.Option(min=4, help="Limit of the automatic choice.")] = None,
    max_seconds: Annotated[float | None, typer.Option(help="Limit of the automatic choice.")] = None,
    out: Annotated[Path | None, typer.Option(help="Write the solution, to be evaluated later.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Draw the solution: png, pdf or svg.")] = None,
    checkpoint: Annotated[
        Path | None, typer.Option(help="Keep finished blocks here; the same command goes on from them.")
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Spread the rows over a Dask cluster.", show_default=False),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> None:
    """Solve the problem of a file and print how wrong the answer may be.

    Options win over the file's own `solve` section.

    Exit code: 0 solved, and the tolerance met; 1 not, the result still written; 2 wrong statement.
    """
    check_writable(
        {"--out": out, "--plot": plot, "--checkpoint": checkpoint}, {"--plot": (".png", ".pdf", ".svg")}
    )
    statement = read_file(file)
    from lrfm.cli.outcome import Wishes, run

    given = {"tol": tol, "seed": seed, "features": features, "blocks": blocks}
    given |= {"max_features": max_features, "max_seconds": max_seconds, "backend": backend}
    options = merge_options(statement, file, given)
    if scheduler is not None:
        from lrfm.linalg import Distributed
        from lrfm.linalg.cluster import connect

        connect(scheduler)  # a scheduler that cannot be reached is said before the search for settings
        options["least_squares"] = Distributed.like(options.get("least_squares"), scheduler)
    problem = statement.problem
    title = f"{problem.name or file.stem}: {', '.join(problem.equations)}"
    run(problem, options, Wishes(out=out, plot=plot, checkpoint=checkpoint, json=json, title=title))


def read_file(file: Path) -> Statement:
    """The statement in a file; where there is none, the nearest name beside it."""
    from lrfm.problem.errors import suggest
    from lrfm.solver.file import read

    if not file.exists():
        beside = sorted(path.name for path in file.absolute().parent.glob("*.toml"))
        raise UsageError(f"{file}: there is no such file.{suggest(file.name, beside)}")
    return read(file)


def merge_options(statement: Statement, file: Path, given: Mapping[str, object]) -> dict[str, object]:
    """Options of the file, overridden by those of the command line."""
    from lrfm.solver.file import check_options

    given = check_options({name: value for name, value in given.items() if value is not None}, "--{}")
    if "features" in given and "space" in statement.options:
        raise UsageError(
            f"--features sizes the automatic space, but {file} has [solve.space]; change the size there."
        )
    return {**statement.options, **given}


def _content(statement: Statement) -> dict[str, object]:
    """What was understood, for other programs."""
    problem = statement.problem
    fields_of = {name: problem.fields_of(name)[0] for name in problem.unknowns}
    return {
        "name": problem.name,
        "equations": problem.equations,
        "unknowns": {
            name: {
                "kind": kind.__name__,
                "orders": {
                    "t": problem.time_orders[name],
                    **{
                        axis: problem.space_order(i, fields_of[name])
                        for i, axis in enumerate(problem.domain.names)
                    },
                },
            }
            for name, kind in problem.unknowns.items()
        },
        "parameters": problem.parameters,
        "domain": problem.domain.axes,
        "time": problem.time,
        "initial": _initial(problem),
        "periodic": sorted(problem.periodic),
        "boundary": {name.removeprefix("boundary "): said for name, said in _conditions(problem)},
        "linear": problem.linear,
        "reference": problem.reference is not None,
        "solve": {name: _option(value) for name, value in statement.options.items()},
        "warnings": [str(text) for text in problem.warnings],
    }


def _understood(statement: Statement) -> list[tuple[str, str]]:
    problem = statement.problem
    entries = [("name", problem.name)] if problem.name else []
    entries += [("equation", text) for text in problem.equations]
    entries += [(f"unknown {name}", _orders(problem, name)) for name in problem.unknowns]
    entries += [(f"parameter {name}", f"{value:.12g}") for name, value in problem.parameters.items()]
    entries += [("domain", _interval(name, ends)) for name, ends in problem.domain.axes.items()]
    entries.append(("time", _interval("t", problem.time)))
    entries += [(f"initial {name}", str(datum)) for name, datum in _initial(problem).items()]
    entries += _conditions(problem)
    if problem.reference is not None:
        entries.append(("reference", "given; the true error will be printed"))
    linear = "linear: one least-squares solve" if problem.linear else "nonlinear: solved by iteration"
    entries.append(("kind", linear))
    entries += [(f"solve {name}", _option(value)) for name, value in statement.options.items()]
    return entries + [("warning", text) for text in problem.warnings]


def _option(value: object) -> str:
    """A number as it is; a part with the arguments that are not its defaults."""
    if not is_dataclass(value):
        return str(value)
    parts = {item.name: (getattr(value, item.name), item.default) for item in fields(value)}
    changed = [f"{name}={given}" for name, (given, default) in parts.items() if repr(given) != repr(default)]
    return f"{type(value).__name__}({', '.join(changed)})"


def _interval(name: str, ends: tuple[float, float]) -> str:
    return f"{name} in [{ends[0]:.12g}, {ends[1]:.12g}]"


def _orders(problem: Problem, name: str) -> str:
    kind = "complex" if problem.unknowns[name] is complex else "real"
    field = problem.fields_of(name)[0]
    orders = [f"order {problem.time_orders[name]} in t"]
    orders += [f"{problem.space_order(i, field)} in {axis}" for i, axis in enumerate(problem.domain.names)]
    return f"{kind}, {', '.join(orders)}"


def _initial(problem: Problem) -> Mapping[str, object]:
    if isinstance(problem.initial, Mapping):
        return problem.initial
    return {next(name for name, order in problem.time_orders.items() if order): problem.initial}


def _conditions(problem: Problem) -> list[tuple[str, str]]:
    """What holds on each face: its own entry, else that of its axis, else that of `*`."""
    table = problem.boundary if isinstance(problem.boundary, Mapping) else {"*": problem.boundary}
    entries = [(f"boundary {axis}", "periodic") for axis in problem.domain.names if axis in problem.periodic]
    for face in problem.domain.faces:
        if face[:-1] not in problem.periodic:
            condition = table.get(face, table.get(face[:-1], table.get("*")))
            parts = condition if isinstance(condition, list) else [condition]
            said = "no condition" if condition is None else "; ".join(map(_condition, parts))
            entries.append((f"boundary {face}", said))
    return entries


def _condition(given: object) -> str:
    if isinstance(given, Mapping):
        return "; ".join(f"{name} = {value}" for name, value in given.items())
    return given if isinstance(given, str) else f"= {given}"
