# SPDX-License-Identifier: MIT
"""The commands `list` and `demo`: the catalog."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lrfm.cli import show
from lrfm.cli.arguments import PICTURES, check_writable, draws, plain_options
from lrfm.cli.errors import UsageError
from lrfm.cli.solve import Request, run

TOL = 1e-4  # of a demo, as in the gallery: met by most of the catalog in a second or two
WIDE = 120  # columns from which the list shows titles and references too


def list_problems() -> None:
    """List the named problems of the catalog."""
    from lrfm import catalog

    entries = catalog.entries()
    out = show.console()
    if not out.is_terminal:
        show.columns(("name", "title"), [(e.name, e.title) for e in entries])
    elif out.width >= WIDE:
        rows = [(e.name, e.title, e.equation, e.reference) for e in entries]
        show.columns(("name", "title", "equation", "reference"), rows)
    else:
        show.columns(("name", "equation"), [(e.name, e.equation) for e in entries])
    known = sum(e.reference != "none" for e in entries)
    show.note(f"{len(entries)} problems, {known} with a reference solution. Solve one with: lrfm demo NAME")


def _names(begun: str) -> list[str]:
    """Names for the shell to complete."""
    from lrfm import catalog

    return [name for name in catalog.names() if name.startswith(begun)]


def demo(
    name: Annotated[str, typer.Argument(help="A name from `lrfm list`.", autocompletion=_names)],
    plot: Annotated[
        Path | None,
        typer.Option(help="The picture: png, pdf or svg; default demo-NAME.png.", show_default=False),
    ] = None,
    tol: Annotated[
        float | None, typer.Option(help="Relative error to be met; 1e-4 if nothing is said.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Fixes every random draw.")] = 0,
    features: Annotated[
        int | None,
        typer.Option(min=4, help="Solve in space and time with this many features, without a tolerance."),
    ] = None,
) -> None:
    """Solve a named problem, compare with its reference solution if there is one, draw a picture."""
    check_writable({"--plot": plot}, {"--plot": PICTURES})
    from lrfm import catalog
    from lrfm.problem.errors import no_pictures, suggest
    from lrfm.solver.methods import method_object

    name = catalog.spelled(name)
    if name not in catalog.names():
        raise UsageError(
            f"The catalog has no problem `{name}`; `lrfm list` shows all.{suggest(name, catalog.names())}"
        )
    tol = TOL if tol is None and features is None else tol
    options = method_object(plain_options({"tol": tol, "features": features, "seed": seed}))
    entry = catalog.entry(name)
    title = f"{entry.title}: {entry.equation}"
    if not draws():
        show.note(str(no_pictures()))
    picture = plot or (Path(f"demo-{name}.png") if draws() else None)
    run(entry.builder(), options, Request(plot=picture, title=title))
