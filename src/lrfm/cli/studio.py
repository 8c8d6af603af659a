# SPDX-License-Identifier: MIT
"""The command `studio`: a page in the browser in which an equation is typed, solved and looked at."""

from __future__ import annotations

import socket
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lrfm.cli.errors import UsageError

if TYPE_CHECKING:
    from lrfm.studio.statement import Fields

HOST = "127.0.0.1"


def studio(
    statement: Annotated[
        str | None,
        typer.Argument(
            metavar="[FILE.toml | LINK]", help="What stands on the page when it opens.", show_default=False
        ),
    ] = None,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Where to listen on this machine; 0 takes a free one.")
    ] = 8765,
    table: Annotated[
        list[Path] | None,
        typer.Option(
            help="A CSV or NetCDF file that the page may read, named in a field as file = NAME; may be repeated.",
            show_default=False,
        ),
    ] = None,
    browser: Annotated[bool, typer.Option(help="Open the page in the browser.")] = True,
) -> None:
    """Open a page in the browser: type an equation, see it move, with an error bar.

    The server listens on this machine only, and its address contains a token. Ctrl-C ends it.
    """
    try:
        import uvicorn

        from lrfm.studio import Access, make_app
    except ImportError as error:
        raise UsageError(
            f"The studio needs a library that is missing ({error.name}); install it with pip install 'lrfm[studio]'."
        ) from None
    access = Access()
    first = None if statement is None else _first(statement)
    tables = _tables(table or [])
    listener = _listen(port)
    address = f"http://{HOST}:{listener.getsockname()[1]}/"
    typer.echo(f"The studio is at {address}?token={access.token} (Ctrl-C ends it).")
    app = make_app(access, first, tables)
    server = uvicorn.Server(
        uvicorn.Config(app, log_level="warning", access_log=False, timeout_graceful_shutdown=1)
    )
    if browser:
        webbrowser.open(f"{address}?code={access.code()}")  # others can read the arguments of a process
    try:
        server.run(sockets=[listener])
    finally:
        app.state.jobs.close()
        listener.close()


def _listen(port: int) -> socket.socket:
    """A socket on this machine; the next free one where the port is taken."""
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
    except OSError:
        listener.bind((HOST, 0))
    return listener


def _tables(paths: list[Path]) -> dict[str, Path]:
    """Files by the names that a field may give them: as they were written here, or without the folder."""
    for path in paths:
        if not path.is_file():
            raise UsageError(f"--table {path}: there is no such file.")
    return {path.name: path for path in paths} | {str(path): path for path in paths}


def _first(given: str) -> Fields:
    from lrfm.studio.statement import Fields, fields_of
    from lrfm.studio.texts import StudioError

    try:
        if "#" in given or not given.endswith(".toml"):
            return Fields.from_link(given)
        from lrfm.cli.arguments import read_file

        found = fields_of(read_file(Path(given)).problem)
    except StudioError as error:
        raise UsageError(str(error)) from None
    if found is None:
        raise UsageError(
            f"{given}: the studio shows statements whose data are texts and numbers; this one has others."
        )
    return found
