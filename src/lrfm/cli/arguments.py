# SPDX-License-Identifier: MIT
"""Arguments of commands: statements, points ``x=0.3,t=0.05``, resolutions ``x=201,t=41``, derivatives ``u_xx``, paths."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.util import find_spec
from itertools import combinations_with_replacement
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from lrfm.cli.errors import UsageError

if TYPE_CHECKING:
    from lrfm.problem import Problem
    from lrfm.problem.file import Statement
    from lrfm.solver.options import Options

PICTURES = (".png", ".pdf", ".svg")

StatementFile = Annotated[
    Path, typer.Argument(help="The statement, a TOML file.", metavar="FILE.toml", show_default=False)
]
Features = Annotated[
    int | None,
    typer.Option(min=4, help="In space and time: this many features per field; chosen by default."),
]
Blocks = Annotated[
    int | None, typer.Option(min=1, help="In space and time: the number of blocks; chosen by default.")
]
Tolerance = Annotated[float | None, typer.Option(help="Relative error to be met; 1e-6 if nothing is said.")]
MaxFeatures = Annotated[
    int | None, typer.Option(min=4, help="In space and time: limit of the automatic choice.")
]
Method = Annotated[
    str | None,
    typer.Option(help="lines, space-time, or auto: lines wherever they apply.", show_default=False),
]
MaxSeconds = Annotated[float | None, typer.Option(help="Limit of the automatic choice.")]
Out = Annotated[Path | None, typer.Option(help="Write the solution, to be evaluated later.")]
Plot = Annotated[Path | None, typer.Option(help="Draw the solution: png, pdf or svg.")]
Force = Annotated[bool, typer.Option("--force", help="Let --out overwrite a file that lrfm did not write.")]
ShowDetails = Annotated[bool, typer.Option("--details", help="Print indicators, sizes and settings, too.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
Scheduler = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS", help="Run on a Dask cluster: its scheduler, tcp://host:8786.", show_default=False
    ),
]


Number = TypeVar("Number", int, float)


def read_file(file: Path, changes: Sequence[str] | None = None) -> Statement:
    """The statement in a file, with changes of entries; where there is none, the nearest name beside it."""
    from lrfm.problem.errors import suggest
    from lrfm.problem.file import read

    if not file.exists():
        beside = sorted(path.name for path in file.absolute().parent.glob("*.toml"))
        raise UsageError(f"{file}: there is no such file.{suggest(file.name, beside)}")
    statement = read(file)
    return statement.with_entries(changes) if changes else statement


MaxMemory = Annotated[
    str | None,
    typer.Option(help="Refuse what would need more, such as 4GB.", metavar="SIZE", show_default=False),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Change an entry of the file, such as parameters.eps=1e-3, time=[0,2] or solve.tol=1e-8; may be repeated.",
        show_default=False,
    ),
]


def title_of(problem: Problem, file: Path) -> str:
    """What is solved, in one line."""
    return f"{problem.name or file.stem}: {', '.join(problem.equations)}"


def plain_options(given: Mapping[str, object]) -> Options:
    """Options of the command line that were given, checked; those of `lrfm.SpaceTime` by their names."""
    from lrfm.solver.options import check_options

    return check_options({name: value for name, value in given.items() if value is not None}, "--{}")


def merge_options(statement: Statement, file: Path, given: Mapping[str, object]) -> Options:
    """Options of the file, overridden by those of the command line."""
    from lrfm.solver.methods import SpaceTime, by_hand, method_object
    from lrfm.solver.options import solve_options

    own, plain = solve_options(statement), plain_options(given)
    if "features" in plain and by_hand(own):
        raise UsageError(
            f"--features sizes the automatic space, but {file} has [solve.method.space]; change the size there."
        )
    if plain.get("method") == "space-time" and isinstance(own.get("method"), SpaceTime):
        del plain["method"]  # the file says it with its arguments
    return method_object({**own, **plain})


def assignments(text: str, option: str, convert: Callable[[str], Number], expected: str) -> dict[str, Number]:
    """``x=0.3,t=0.05`` as a dictionary of numbers."""
    found: dict[str, Number] = {}
    for part in filter(None, (p.strip() for p in text.split(","))):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not name:
            raise UsageError(f"{option} {text}: `{part}` is not an assignment; expected {expected}.")
        if name in found:
            raise UsageError(f"{option} {text}: `{name}` is given twice.")
        try:
            found[name] = convert(value)
        except ValueError:
            raise UsageError(f"{option} {text}: `{value}` is not a number; expected {expected}.") from None
    if not found:
        raise UsageError(f"{option} is empty; expected {expected}.")
    return found


def place(text: str, coordinates: Sequence[str]) -> dict[str, float]:
    """One point, with a value for every coordinate."""
    example = ",".join(f"{name}=0.5" for name in coordinates)
    point = assignments(text, "--at", float, example)
    check_names(point, coordinates, f"--at {text}", "coordinate")
    missing = [name for name in coordinates if name not in point]
    if missing:
        raise UsageError(f"--at {text}: `{missing[0]}` is missing; expected {example}.")
    return {name: point[name] for name in coordinates}


def resolution(text: str | None, coordinates: Sequence[str]) -> dict[str, int]:
    """Points per coordinate: ``x=201,t=41``, or one number for all axes of space."""
    if text is None:
        return {}
    expected = ",".join(f"{name}=101" for name in coordinates)
    if text.strip().isdigit():
        counts = {name: int(text) for name in coordinates if name != "t"}
    else:
        counts = assignments(text, "--resolution", int, expected)
    check_names(counts, coordinates, f"--resolution {text}", "coordinate")
    for name, count in counts.items():
        if count < 2:
            raise UsageError(f"--resolution {text}: `{name}={count}` is too few; expected 2 points or more.")
    return counts


def derivative(name: str, unknowns: Sequence[str], coordinates: Sequence[str]) -> str:
    """The name of an unknown or of a derivative, checked."""
    from lrfm.problem.names import split_subscript

    split = split_subscript(name, coordinates)
    if name in unknowns or (split and split[0] in unknowns):
        return name
    highest = min(6, max(4, len(name.rpartition("_")[2])))
    valid = [*unknowns]
    for order in range(1, highest + 1):
        mixed = combinations_with_replacement(coordinates, order)
        valid += [f"{u}_{''.join(letters)}" for letters in mixed for u in unknowns]
    check_names([name], valid, "--derivative", "derivative", listed=valid[: len(unknowns) + 2])
    return name


def check_names(
    given: Iterable[str], valid: Iterable[str], where: str, kind: str, listed: Sequence[str] | None = None
) -> None:
    """Refuse a name that does not exist with those that do and the nearest of them."""
    from lrfm.problem.errors import listing, suggest

    valid = list(valid)
    for name in given:
        if name not in valid:
            some = listing(valid if listed is None else listed)
            such = "there are" if listed is None else "valid are for example"
            raise UsageError(f"{where}: `{name}` is no {kind}; {such} {some}.{suggest(name, valid)}")


def draws() -> bool:
    """Whether the library of pictures is installed; it is not loaded."""
    try:
        return find_spec("matplotlib") is not None
    except ValueError:  # None in the place of the module
        return False


def check_writable(
    paths: Mapping[str, Path | None], suffixes: Mapping[str, Sequence[str]], force: bool = False
) -> None:
    """Refuse, before any work, a path that could not be written after it, or, without `force`, whose file lrfm did not write."""
    from lrfm.problem.errors import listing, no_pictures, suggest
    from lrfm.solution.io.archive import is_archive
    from lrfm.solution.io.whole import try_writing

    given = [path.resolve() for path in paths.values() if path is not None]
    if len(set(given)) < len(given):
        raise UsageError(f"{' and '.join(paths)} name one file; give each its own.")

    for option, path in paths.items():
        if path is None:
            continue
        suffix, valid = path.suffix.lower(), suffixes.get(option)
        if valid and suffix not in valid:
            near = suggest(suffix, valid) if suffix else ""
            raise UsageError(f"{option} {path}: the name must end in one of {listing(valid)}.{near}")
        if option == "--plot" and not draws():
            raise UsageError(f"{option} {path}: {no_pictures()}")
        if suffix == ".toml":
            raise UsageError(f"{option} {path} would overwrite a problem file; give another name.")
        if path.is_dir():
            raise UsageError(f"{option} {path} is a folder; give the name of a file.")
        if not path.absolute().parent.is_dir():
            raise UsageError(f"{option} {path}: the folder {path.parent} does not exist; create it first.")
        try:
            try_writing(path)
        except OSError as error:
            raise UsageError(f"{option} {path} cannot be written: {error.strerror or error}") from None
        if option == "--out" and path.exists() and not force and not is_archive(path):
            raise UsageError(f"{option} {path} is a file that lrfm did not write; --force overwrites it.")
