# SPDX-License-Identifier: MIT
"""The command `fit`: what is unknown in a statement, from measurements in CSV files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lrfm.cli import show
from lrfm.cli.arguments import PICTURES, Json, Out, StatementFile, check_writable, read_file, title_of
from lrfm.cli.errors import NOT_MET, SOLVED
from lrfm.cli.progress import ProgressBar

if TYPE_CHECKING:
    from lrfm.inverse.fit import Fit


def fit(
    file: StatementFile,
    data: Annotated[
        list[Path],
        typer.Option(
            help="Measurements: a CSV file with a header such as x,t,u; may be given several times."
        ),
    ],
    sigma: Annotated[
        float | None, typer.Option(help="Standard deviation of all values without a column `sigma`.")
    ] = None,
    tol: Annotated[
        float | None, typer.Option(help="Relative error of the forward solves; chosen by the noise.")
    ] = None,
    loss: Annotated[str, typer.Option(help="squares, huber, soft_l1 or cauchy.")] = "squares",
    starts: Annotated[int | None, typer.Option(min=1, help="Starts of the search.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Fixes every random draw.")] = 0,
    out: Out = None,
    plot: Annotated[Path | None, typer.Option(help="Draw data, field, residuals and profiles.")] = None,
    json: Json = False,
) -> None:
    """Find what is unknown in a statement, the section `unknown` of its file, from data.

    Exit code: 0 fitted; 1 not determined, not converged or not described by the equation, what was found still written; 2 wrong input.
    """
    check_writable({"--out": out, "--plot": plot}, {"--plot": PICTURES})
    statement = read_file(file)
    from lrfm.inverse.data import Data
    from lrfm.inverse.front import fit as run
    from lrfm.solution.plot.look import ignore_settings_of_folder

    sets = [_with_sigma(Data(path), sigma) for path in data]
    with ProgressBar("fitting", quiet=json) as bar:
        found = run(
            statement.problem, sets, tol=tol, loss=loss, starts=starts, seed=seed, strict=False, progress=bar
        )
        files = {}
        if out:
            files["solution"] = str(found.solution.save(out))
        if plot:
            bar.say(f"drawing {plot}")
            ignore_settings_of_folder()
            found.plot(plot)
            files["plot"] = str(plot)
    _tell(found, title_of(statement.problem, file), files, json)
    raise typer.Exit(SOLVED if found.judgement.status == "fitted" else NOT_MET)


def _with_sigma(data, sigma: float | None):
    from lrfm.inverse.data import Data

    return data if sigma is None or data._sigma is not None else Data(data.table, sigma=sigma)


def _tell(found: Fit, title: str, files: dict[str, str], json: bool) -> None:
    if json:
        show.as_json({"problem": title, **found.as_dict(), "files": files})
        return
    good = found.judgement.status == "fitted"
    show.pairs([*found.lines(), *files.items()], title, "green" if good else "bold red")
