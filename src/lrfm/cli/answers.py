# SPDX-License-Identifier: MIT
"""The commands `steady` and `modes`: a state in which nothing moves, and eigenvalues with their functions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lrfm.cli import show
from lrfm.cli.arguments import (
    PICTURES,
    Force,
    Json,
    MaxSeconds,
    Out,
    Plot,
    Settings,
    ShowDetails,
    StatementFile,
    Tolerance,
    assignments,
    check_names,
    check_writable,
    merge_options,
    read_file,
    title_of,
)
from lrfm.cli.errors import NOT_MET, SOLVED, UsageError
from lrfm.cli.processes import together
from lrfm.cli.progress import ProgressBar
from lrfm.cli.solve import Request, deliver

if TYPE_CHECKING:
    from lrfm.problem import Problem
    from lrfm.solution.modes import Modes


@together
def steady(
    file: StatementFile,
    tol: Tolerance = None,
    guess: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[NAME=]TEXT",
            help="Where Newton's method begins, such as 16*x*(1-x); may be repeated, once for each unknown.",
            show_default=False,
        ),
    ] = None,
    along: Annotated[
        str | None,
        typer.Option(
            metavar="NAME=VALUE",
            help="Values of parameters at which the problem is easy: it is followed from there.",
            show_default=False,
        ),
    ] = None,
    max_seconds: MaxSeconds = None,
    changes: Settings = None,
    out: Out = None,
    plot: Plot = None,
    force: Force = False,
    details: ShowDetails = False,
    json: Json = False,
) -> None:
    """Find a state in which nothing moves: of a file without time, or the one to which an evolution comes.

    Exit code: 0 an error is claimed, and the tolerance met if there is one; 1 not, the result still written; 2 wrong statement.
    """
    check_writable({"--out": out, "--plot": plot}, {"--plot": PICTURES}, force)
    statement = read_file(file, changes)
    options = merge_options(statement, file, {"tol": tol, "max_seconds": max_seconds})
    known = {name: options[name] for name in ("tol", "estimate", "max_seconds") if name in options}
    problem = statement.problem
    path = None if along is None else assignments(along, "--along", float, "lam=0")
    begin = _guess(problem, guess)
    title = title_of(problem, file)
    from lrfm.solver.steady.front import steady as solved

    deliver(
        lambda bar: solved(problem, guess=begin, along=path, strict=False, **known),  # type: ignore[arg-type]
        Request(out=out, plot=plot, json=json, details=details, title=title),
    )


def _guess(problem: Problem, given: list[str] | None) -> dict[str, str] | None:
    """``u=16*x`` by unknown; a text alone is that of the only one."""
    if not given:
        return None
    names, found = list(problem.unknowns), {}
    for text in given:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not equals:
            if len(names) > 1:
                raise UsageError(f"--guess {text}: say of which unknown, such as {names[0]}={text}.")
            name, value = names[0], text
        check_names([name], names, f"--guess {text}", "unknown")
        found[name] = value
    return found


def modes(
    file: StatementFile,
    k: Annotated[int, typer.Option("--k", min=1, help="How many.")] = 6,
    near: Annotated[
        str | None,
        typer.Option(
            help="Those nearest to this number, which may be complex: 0.24+0.004j.", show_default=False
        ),
    ] = None,
    tol: Annotated[
        float | None, typer.Option(help="Relative error of each eigenvalue; 1e-9 if nothing is said.")
    ] = None,
    eigenvalue: Annotated[str, typer.Option(help="The name of the number in the statement.")] = "lam",
    max_seconds: MaxSeconds = None,
    changes: Settings = None,
    plot: Annotated[Path | None, typer.Option(help="Draw the functions: png, pdf or svg.")] = None,
    json: Json = False,
) -> None:
    """Eigenvalues of a linear statement, or growth rates of an evolution, each with its own error.

    Exit code: 0 every error is below the tolerance; 1 one is not; 2 wrong statement.
    """
    check_writable({"--plot": plot}, {"--plot": PICTURES})
    problem = read_file(file, changes).problem
    from lrfm.solution.plot.look import ignore_settings_of_folder
    from lrfm.solver.modes.front import modes as run

    limit: dict[str, Any] = {} if max_seconds is None else {"max_seconds": max_seconds}
    with ProgressBar("solving", quiet=json):
        found = run(problem, k=k, near=_number(near), tol=tol, eigenvalue=eigenvalue, strict=False, **limit)
        if plot:
            ignore_settings_of_folder()
            found.plot(plot)
    _tell(found, title_of(problem, file), plot, json)
    raise typer.Exit(SOLVED if found.met else NOT_MET)


def _number(text: str | None) -> complex | None:
    if text is None:
        return None
    try:
        return complex(text.replace(" ", "").replace("i", "j"))
    except ValueError:
        raise UsageError(f"--near {text}: expected a number, such as 0.24 or 0.24+0.004j.") from None


def _tell(found: Modes, title: str, plot: Path | None, json: bool) -> None:
    if json:
        rows = [{"value": mode.value, "error": mode.error} for mode in found]
        files = {} if plot is None else {"plot": str(plot)}
        show.as_json(
            {"problem": title, "modes": rows, "tolerance": found.tolerance, "met": found.met, "files": files}
        )
        return
    show.columns(
        ("", "eigenvalue", "error"),
        [(f"{i}", show.number(mode.value), f"{mode.error:.1e}") for i, mode in enumerate(found)],
    )
    if not found.met:
        show.error(
            f"The largest error is {found.errors.max():.1e}, above tol={found.tolerance:.0e}.",
            heading="Not met: ",
        )
