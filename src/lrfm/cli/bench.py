# SPDX-License-Identifier: MIT
"""The command `bench`: is this installation as fast as the machine?"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import typer

from lrfm.cli import show
from lrfm.cli.arguments import Json
from lrfm.cli.errors import NOT_MET, SOLVED
from lrfm.cli.progress import ProgressBar

if TYPE_CHECKING:
    from lrfm.cli.speed import Speed


def bench(
    json: Json = False,
) -> None:
    """Measure matrix products, factorizations and a solve; say whether the installation is healthy.

    Takes some seconds. The exit code is 1 if something is found. How lrfm compares with other solvers is in
    docs/speed.md.
    """
    from lrfm.cli.speed import findings, measure

    with ProgressBar("starting", quiet=json) as bar:
        speed = measure(bar.say)
    found = findings(speed)
    if json:
        show.as_json(asdict(speed) | {"ratio": speed.ratio, "healthy": not found, "findings": found})
    else:
        show.pairs(lines(speed, found), "lrfm bench")
    raise typer.Exit(NOT_MET if found else SOLVED)


def lines(speed: Speed, found: list[str]) -> list[tuple[str, str]]:
    """Name and value of every entry."""

    def rate(one: float, together: float) -> str:
        more = f", {together:.3g} on {speed.threads}" if speed.threads > 1 else ""
        return f"{one:.3g} GFlop/s on one thread{more}"

    entries = [("healthy", "no" if found else "yes"), *(("finding", text) for text in found)]
    entries += [("cores", f"{speed.cores}, load {speed.load:.1f}")]
    entries += [("BLAS", text) for text in speed.libraries]
    entries += [("product", rate(speed.product_one, speed.product_all))]
    for f in speed.factorizations:
        name = f"QR {f.rows} x {f.columns}"
        used = "one thread" if f.chosen == 1 else f"{f.chosen} threads"
        entries.append((name, f"{rate(f.one, f.all)}; a solve of this size uses {used}"))
    entries += [
        (
            "Allen-Cahn",
            f"{speed.solve_seconds:.3g} s, {speed.ratio:.1f} times the {speed.solve_ideal:.2g} s of its "
            "factorizations at the rate of a product (400 features, one thread)",
        ),
    ]
    return entries
