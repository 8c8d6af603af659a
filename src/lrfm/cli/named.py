# SPDX-License-Identifier: MIT
"""Commands on the catalog: `list` and `demo`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lrfm.cli import show
from lrfm.cli.words import check_names, check_writable

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
    show.note(f"{len(entries)} problems, each with a reference solution. Solve one with: lrfm demo NAME")


def demo(
    name: Annotated[str, typer.Argument(help="A name from `lrfm list`.")],
    plot: Annotated[
        Path | None,
        typer.Option(help="The picture: png, pdf or svg; default demo-NAME.png.", show_default=False),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Fixes every random draw.")] = 0,
    features: Annotated[
        int | None, typer.Option(min=1, help="Use the automatic settings with this many features.")
    ] = None,
) -> None:
    """Solve a named problem, compare with its reference solution, draw a picture."""
    check_writable({"--plot": plot}, {"--plot": (".png", ".pdf", ".svg")})
    from lrfm import catalog
    from lrfm.cli.outcome import Wishes, run

    name = name.strip().lower().replace("_", "-")
    check_names([name], catalog.names(), "lrfm demo", "problem of the catalog", listed=catalog.names()[4:8])
    problem, options = catalog.get(name), {**catalog.parts(name), "seed": seed}
    if features is not None:
        options = {"features": features, "seed": seed} | {k: v for k, v in options.items() if k == "blocks"}
    entry = catalog.entry(name)
    run(
        problem,
        options,
        Wishes(plot=plot or Path(f"demo-{name}.png"), title=f"{entry.title}: {entry.equation}"),
    )
