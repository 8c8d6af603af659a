# SPDX-License-Identifier: MIT
"""The commands `eval` and `export`: saved solutions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lrfm.cli import show
from lrfm.cli.arguments import PICTURES, Json, check_writable, derivative, place, resolution
from lrfm.cli.errors import UsageError
from lrfm.cli.progress import ProgressBar

if TYPE_CHECKING:
    from lrfm.solution.solution import Solution

SAMPLES = (".nc", ".vtu", ".csv", ".npz", ".gif", ".mp4")

SolutionFile = Annotated[
    Path,
    typer.Argument(help="A solution written by `lrfm solve --out`.", metavar="RUN.lrfm", show_default=False),
]


def evaluate(
    file: SolutionFile,
    at: Annotated[
        list[str], typer.Option(help="A point, such as x=0.3,t=0.05; may be repeated.", metavar="POINT")
    ],
    derivatives: Annotated[
        list[str] | None,
        typer.Option(
            "--derivative", help="An exact derivative, such as u_xx; may be repeated.", metavar="NAME"
        ),
    ] = None,
    outside: Annotated[bool, typer.Option("--outside", help="Allow points outside of the domain.")] = False,
    json: Json = False,
) -> None:
    """Evaluate a saved solution, or its derivatives, at points."""
    import numpy as np

    solution = _load(file)
    points = [place(text, solution.coordinates) for text in at]
    names = [
        derivative(name, solution.unknowns, solution.coordinates) for name in derivatives or solution.unknowns
    ]
    _check_inside(solution, points, at, outside)
    columns = {name: np.array([p[name] for p in points]) for name in solution.coordinates}
    values = {name: solution.derivative(name)(outside=outside, **columns) for name in names}
    if json:
        rows = [{**point, **{name: values[name][i] for name in names}} for i, point in enumerate(points)]
        show.as_json({"file": str(file), "error_estimate": solution.report.error_estimate, "values": rows})
        return
    rows = [
        [*map(show.number, point.values()), *(show.number(values[name][i].item()) for name in names)]
        for i, point in enumerate(points)
    ]
    show.columns([*solution.coordinates, *names], rows, right=True)


def export(
    file: SolutionFile,
    out: Annotated[
        Path,
        typer.Argument(
            help="What to write: nc, vtu, csv, npz, gif, mp4, or a picture: png, pdf, svg.",
            show_default=False,
        ),
    ],
    points: Annotated[
        str | None,
        typer.Option("--resolution", help="Points per coordinate, such as x=201,t=41.", metavar="COUNTS"),
    ] = None,
) -> None:
    """Sample a saved solution for another program; the suffix chooses the format."""
    check_writable({"out": out}, {"out": (*SAMPLES, *PICTURES)})
    from lrfm.solution.plot.look import ignore_settings_of_folder

    solution = _load(file)
    counts = resolution(points, solution.coordinates)
    ignore_settings_of_folder()
    with ProgressBar(f"writing {out}"):
        if out.suffix.lower() in PICTURES:
            solution.plot(out, resolution=counts or None)
            written = [out]
        else:
            times = counts.pop("t", None)
            written = solution.export(out, resolution=counts or None, times=times)
    show.line(_wrote(written))


def _wrote(paths: list[Path]) -> str:
    """One line, with the file to open first."""
    main = next((path for path in paths if path.suffix == ".pvd"), paths[0])
    others = f", which lists {len(paths) - 1} files; open it in ParaView" if len(paths) > 1 else ""
    return f"wrote {main}{others}"


def _load(file: Path) -> Solution:
    if file.suffix.lower() == ".toml":
        raise UsageError(f"{file} is a statement; solve it first: lrfm solve {file} --out {file.stem}.lrfm")
    from lrfm.solution.solution import load

    return load(file)


def _check_inside(
    solution: Solution, points: list[dict[str, float]], texts: list[str], outside: bool
) -> None:
    problem = solution.problem
    ends = {**problem.domain.axes, "t": (problem.time[0], float(solution.block_edges[-1]))}
    bounds = {name: ends[name] for name in solution.coordinates}
    for point, text in zip(points, texts, strict=True):
        for name, (low, high) in bounds.items():
            slack = 1e-12 * max(high - low, abs(low), abs(high))
            if not outside and not low - slack <= point[name] <= high + slack:
                raise UsageError(
                    f"--at {text}: {name} lies outside of [{low:g}, {high:g}], where the solution is known; "
                    "--outside extrapolates, without any promise."
                )
        place = [[point[name] for name in problem.domain.names]]
        if (
            not outside
            and not problem.domain.is_box
            and not problem.domain.contains(place, point.get("t", 0.0))[0]
        ):
            raise UsageError(
                f"--at {text}: the point lies outside of the domain; --outside extrapolates, without any promise."
            )
