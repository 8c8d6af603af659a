# SPDX-License-Identifier: MIT
"""The one place that meets Dask: addresses become clients, graphs become arrays, failures become sentences.

Dask is an extra, `pip install "lrfm[dask]"`, and is imported when it is first used.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

from lrfm.linalg.threads import limited_to
from lrfm.problem.errors import MissingLibraryError

if TYPE_CHECKING:
    from distributed import Client

SECONDS = 10.0  # within which a scheduler must answer
LARGE = "distributed.admin.large-graph-warning-threshold"
_clients: dict[str, Client] = {}


def library(name: str) -> ModuleType:
    """`dask`, `dask.array` or `distributed`; a sentence where it is not installed."""
    from importlib import import_module

    try:
        return import_module(name)
    except ImportError as error:
        raise MissingLibraryError(
            f"This needs {name.partition('.')[0]}, which is not installed ({error}); "
            'install it with: pip install "lrfm[dask]"'
        ) from None


def connect(scheduler: str | Client) -> Client:
    """The client of a scheduler: one per address and process, or the one that was given."""
    distributed = library("distributed")
    if not isinstance(scheduler, str | distributed.Client):
        raise TypeError(
            f"`scheduler={scheduler!r}` is a {type(scheduler).__name__}; expected an address such as "
            "'tcp://host:8786' or a `distributed.Client`."
        )
    if not isinstance(scheduler, str):
        return scheduler
    address = _address(scheduler)
    known = _clients.get(address)
    if known is None or known.status != "running":
        _probe(address)
        try:
            known = distributed.Client(address, timeout=SECONDS, set_as_default=False)
        except (OSError, RuntimeError, TypeError, ValueError) as error:
            raise _unreachable(address, error) from None
        _clients[address] = known
    return known


def disconnect() -> None:
    """Close the clients that `connect` has made."""
    while _clients:
        _clients.popitem()[1].close()


def compute(
    graphs: Sequence[object], scheduler: str | Client | None, jobs: int | None = None, stay: bool = False
) -> tuple:
    """Values of Dask collections: on threads of this process, or on a cluster; those that `stay` are left where they are, and what is lost with a worker is made again.

    On threads each task gets one BLAS thread, so that together they use the cores once.
    """
    dask = library("dask")
    if scheduler is None:
        make = dask.persist if stay else dask.compute
        with limited_to(1):
            return make(*graphs, scheduler=_on_threads(), num_workers=jobs)
    client = connect(scheduler)
    # Collocation points are part of the graph, so that they cannot be lost.
    with dask.config.set({LARGE: "1TB"}):
        return tuple(client.persist(list(graphs))) if stay else dask.compute(*graphs, scheduler=client)


def _on_threads() -> Callable[..., Any]:
    """Dask's own scheduler of threads; asked for by name, older versions (2024.8) warn where a client is open beside it."""
    return library("dask.threaded").get


def _address(text: str) -> str:
    """``host:8786`` → ``tcp://host:8786``."""
    given = text.strip()
    whole = given if "://" in given else f"tcp://{given}"
    if not re.fullmatch(r"[a-z]+://\S+", whole) or (
        whole.startswith(("tcp", "tls")) and not re.search(r":\d+/?$", whole)
    ):
        raise ValueError(f"The scheduler address {text!r} is not one; it looks like tcp://host:8786.")
    return whole.rstrip("/")


def _probe(address: str) -> None:
    """Open and close a connection: a client that cannot connect leaves threads and tracebacks behind."""
    protocol, _, place = address.partition("://")
    if protocol not in ("tcp", "tls"):
        return
    security = library("distributed").Security()  # of Dask's configuration
    context = security.get_connection_args("client").get("ssl_context")
    if protocol == "tcp" and security.require_encryption:
        raise _unreachable(
            address, "Dask's configuration requires encryption, so its address begins with tls://"
        )
    if protocol == "tls" and context is None:
        raise _unreachable(address, "Dask's configuration names no certificates; see docs/distributed.md")
    host, _, port = place.rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=SECONDS) as plain:
            if protocol == "tls":
                context.wrap_socket(plain, server_hostname=host.strip("[]")).close()
    except (OSError, OverflowError, ValueError) as error:
        raise _unreachable(address, error) from None


def _unreachable(address: str, error: Exception | str) -> ConnectionError:
    return ConnectionError(
        f"The scheduler {address} cannot be reached ({str(error).rstrip('.')}). Start one with `dask scheduler`, check "
        "the address, or leave the scheduler out to compute on this machine."
    )
