# SPDX-License-Identifier: MIT
"""The command `new`: a commented file to start from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lrfm.cli import show
from lrfm.cli.errors import UsageError

TEMPLATE = """\
# {name}: solve with `lrfm solve {file}`, look at it first with `lrfm check {file}`.
name = "{name}"
equation = "u_t = D*u_xx + r*u*(1 - u)"     # or a list of texts for a system; derivatives are subscripts: u_t, u_xx, u_xt
time = [0, 2]
initial = "exp(-120*(x - 0.5)**2)"           # text, a number, or a table: {{ file = "ic.csv" }} with the columns x and u

[domain]
x = [0, 1]                                  # one line per axis; ends may be texts such as "2*pi"

[boundary]                                  # or above: boundary = "periodic", boundary = "u = 0"
"x-" = "u_n = 0"                            # u_n is the outward normal derivative
"x+" = "u_n = 0"                            # "none" where nothing is known

[parameters]
D = 1e-3
r = 1                                       # a text may use other numbers: "2*D"

[solve]
tol = 1e-6                                  # relative error that the estimate must reach; all else is chosen
"""


def new(
    name: Annotated[
        str, typer.Argument(help="Name of the problem; the file is NAME.toml.", show_default=False)
    ],
) -> None:
    """Write a commented problem file to start from."""
    path = Path(name if name.endswith(".toml") else f"{name}.toml")
    if path.exists():
        raise UsageError(f"{path} exists; give another name.")
    if not path.absolute().parent.is_dir():
        raise UsageError(f"{path}: the folder {path.parent} does not exist; create it first.")
    title = path.stem if path.stem.isprintable() and not set(path.stem) & set('"\\\\') else "problem"
    path.write_text(TEMPLATE.format(name=title, file=path.name), encoding="utf-8")
    show.line(f"wrote {path}; solve it with: lrfm solve {path}")
