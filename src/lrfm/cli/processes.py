# SPDX-License-Identifier: MIT
"""`mpiexec -n 4 lrfm solve ...`: all processes solve, and share sparse systems; the first one tells and writes."""

from __future__ import annotations

import os
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout, suppress
from functools import wraps
from typing import Annotated, Any, NoReturn, TextIO

import typer

from lrfm.cli import show
from lrfm.cli.errors import BAD, INTERRUPTED, sentence

PATIENCE = 5.0  # seconds in which the first process has said what is wrong for all

Linear = Annotated[
    str | None,
    typer.Option(
        help="What solves sparse systems: scipy, or petsc on all processes of mpiexec.", show_default=False
    ),
]


def together(command: Callable[..., None]) -> Callable[..., None]:
    """A command that several processes run as one; with `--linear scipy` the first of them alone."""

    @wraps(command)
    def run(**given: Any) -> None:
        from lrfm.solver.entry import processes, started

        (count, rank), spoken = started(), sys.stderr
        if count == 1:
            return command(**given)
        if given.get("linear") == "scipy":
            return None if rank else command(**given)
        from lrfm.linalg.processes import sharing

        try:
            with sharing(processes()):
                if not rank:
                    return command(**given)
                with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere), redirect_stderr(nowhere):
                    return command(**given | {"out": None, "plot": None})
        except (typer.Exit, typer.Abort):
            raise
        except KeyboardInterrupt:
            if rank:  # the first one says it
                os._exit(INTERRUPTED)
            raise
        except Exception as error:
            _leave(error, rank, spoken)

    return run


def _leave(error: Exception, rank: int, spoken: TextIO) -> NoReturn:
    """Others may wait for a process that cannot go on: it does not leave in peace, and `mpiexec` ends them all."""
    with suppress(KeyboardInterrupt):
        if rank:
            time.sleep(PATIENCE)
        text = sentence(error)
        with redirect_stderr(spoken):
            traceback.print_exception(error) if text is None else show.error(text)
        spoken.flush()
        os._exit(1 if text is None else BAD)
    os._exit(INTERRUPTED)
