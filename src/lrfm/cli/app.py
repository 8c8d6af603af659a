# SPDX-License-Identifier: MIT
"""The application: its commands, `--version`, and the one place where errors become sentences."""

import io
import os
import signal
import sys
import threading
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from lrfm import __version__
from lrfm.cli import answers, bench, check, demo, eval, fit, new, reproduce, show, solve, studio, sweep
from lrfm.cli.errors import BAD, CLOSED, INTERRUPTED, Stopped, sentence


class ErrorsAsSentences(TyperGroup):
    """A group whose commands fail with a sentence and an exit code; a traceback is for bugs only."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was named."""
        try:
            with warnings.catch_warnings():
                warnings.showwarning = _warn
                return super().invoke(ctx)
        except KeyboardInterrupt as interrupt:
            show.error(str(interrupt) if isinstance(interrupt, Stopped) else "Interrupted.", heading="")
            raise typer.Exit(INTERRUPTED) from None
        except BrokenPipeError:
            raise typer.Exit(_close()) from None
        except (typer.Exit, typer.Abort):  # these are RuntimeErrors
            raise
        except Exception as error:
            text = sentence(error)
            if text is None:
                raise
            show.error(text, place=getattr(error, "place", None))
            raise typer.Exit(BAD) from None


def _warn(message: Warning | str, category: type[Warning], *where: object, **more: object) -> None:
    """A warning as a sentence."""
    show.error(str(message), heading="Warning: ")


def _close() -> int:
    """Nobody reads on (`lrfm list | head`): write no more, and leave as other programs do."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return CLOSED


app = typer.Typer(
    cls=ErrorsAsSentences,
    name="lrfm",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Solve time-dependent partial differential equations: no mesh to make, no time step to choose, no training.",
    epilog="Example:  lrfm demo allen-cahn",
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"lrfm {__version__}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_version, is_eager=True)
    ] = False,
) -> None: ...


for name, command, examples in (
    ("list", demo.list_problems, ("lrfm list",)),
    ("demo", demo.demo, ("lrfm demo allen-cahn", "lrfm demo heat-2d --features 600 --plot heat.pdf")),
    ("new", new.new, ("lrfm new reaction",)),
    ("check", check.check, ("lrfm check heat.toml", "lrfm check heat.toml --json")),
    ("plan", check.plan, ("lrfm plan heat.toml", "lrfm plan heat.toml --features 2000 --blocks 4")),
    ("solve", solve.solve, ("lrfm solve heat.toml --tol 1e-8 --out heat.lrfm --plot heat.png",)),
    (
        "steady",
        answers.steady,
        ("lrfm steady bratu.toml --tol 1e-8 --guess '16*x*(1 - x)' --plot bratu.png",),
    ),
    ("modes", answers.modes, ("lrfm modes drum.toml --k 9 --plot drum.png",)),
    ("fit", fit.fit, ("lrfm fit heat.toml --data measurements.csv --plot fit.png",)),
    (
        "sweep",
        sweep.sweep,
        (
            "lrfm sweep ac.toml --grid parameters.eps=1e-4:1e-1:7 --seeds 5",
            "lrfm sweep heat.toml --seeds 20 --scheduler tcp://host:8786",
        ),
    ),
    ("eval", eval.evaluate, ("lrfm eval heat.lrfm --at x=0.3,t=0.05 --derivative u_xx",)),
    ("export", eval.export, ("lrfm export heat.lrfm heat.nc --resolution x=201,t=41",)),
    (
        "reproduce",
        reproduce.reproduce,
        ("lrfm reproduce --quick", "lrfm reproduce main stiff-sweep --out study"),
    ),
    ("studio", studio.studio, ("lrfm studio", "lrfm studio heat.toml --port 9000")),
    ("bench", bench.bench, ("lrfm bench", "lrfm bench --json")),
):
    epilog = "\n\n".join(
        f"{'Example: ' if i == 0 else '         '} {text}" for i, text in enumerate(examples)
    )
    app.command(name, epilog=epilog)(command)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command and leave with its exit code."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that lacks a letter shows `?`, and nothing breaks.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        try:
            with _terminable():
                app(args=arguments, prog_name="lrfm")
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        sys.exit(_close())


@contextmanager
def _terminable() -> Iterator[None]:
    """SIGTERM ends a command like Ctrl-C, with what was finished kept and told; where it is ignored, it stays so."""
    mine = threading.current_thread() is threading.main_thread()
    if not mine or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return

    def stop(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
