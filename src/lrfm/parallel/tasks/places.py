# SPDX-License-Identifier: MIT
"""Where tasks run: here one after another, in local processes, on the workers of a Dask cluster, or on an executor of the user.

A task has one BLAS thread wherever it runs: two tasks on two cores are faster than one task on two threads, and
numbers do not depend on the place.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ProcessPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeout
from contextlib import AbstractContextManager, contextmanager
from importlib import import_module
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Protocol

from lrfm.linalg.threads import limited_to, one_from_now_on, one_in_children
from lrfm.parallel.tasks.task import Function, TaskResult, attempt
from lrfm.spacetime.least_squares.cluster import connect, library

if TYPE_CHECKING:
    from distributed import Client

PATIENCE = 60.0  # seconds that a cluster may be without any worker

GUARD = (
    "Worker processes could not start. In a script, put the call below `if __name__ == '__main__':`, since every worker "
    "imports the script; or use jobs=1."
)

LOSS = "its worker died {times}, most likely for lack of memory"


class Place(Protocol):
    """Something that runs calls side by side.

    `width` is the number of calls to hand over at once (None: all); `deaths` are the errors of a call whose worker
    died; where `retries` is true, the place itself has tried again before it says so, and is not opened another time;
    `loss` are the words for what was lost.
    """

    @property
    def width(self) -> int | None: ...

    @property
    def deaths(self) -> tuple[type[BaseException], ...]: ...

    @property
    def retries(self) -> bool: ...

    @property
    def loss(self) -> str: ...

    def open(self) -> AbstractContextManager[Executor]: ...

    def call(self, function: Function, payload: Any, /) -> TaskResult: ...


class Here:
    """In this process, one after another."""

    width, retries, loss = 1, False, LOSS
    deaths: tuple[type[BaseException], ...] = ()
    call = staticmethod(attempt)

    @contextmanager
    def open(self) -> Iterator[Executor]:
        """An executor that has finished a call when it returns."""
        with limited_to(1):
            yield _Immediate()


class _Immediate(Executor):
    def submit(self, function: Callable, /, *arguments: Any, **options: Any) -> Future:
        future: Future = Future()
        future.set_result(function(*arguments, **options))
        return future


class Processes:
    """In processes of this machine."""

    deaths, retries, loss = (BrokenExecutor,), False, LOSS
    call = staticmethod(attempt)

    def __init__(self, jobs: int):
        self.width = jobs
        self._greeted = False

    @contextmanager
    def open(self) -> Iterator[Executor]:
        """A pool; one whose worker has died is broken, and another is opened."""
        context, others = multiprocessing.get_context("spawn"), set(multiprocessing.active_children())
        with one_in_children(), ProcessPoolExecutor(self.width, mp_context=context) as pool:
            if not self._greeted:
                try:
                    pool.submit(bool).result()
                except BrokenExecutor:
                    raise RuntimeError(GUARD) from None
                self._greeted = True
            try:
                yield pool
            except BaseException:
                # Nobody waits for what is under way; a terminal's Ctrl-C reaches workers, a signal to this process does not.
                for worker in set(multiprocessing.active_children()) - others:
                    worker.terminate()
                raise


class Cluster:
    """On the workers of a Dask cluster; its scheduler gives a task to another worker when one dies."""

    width, retries, loss = None, True, LOSS

    def __init__(self, scheduler: str | Client):
        self.client = connect(scheduler)
        self.deaths = (library("distributed.scheduler").KilledWorker,)

    @staticmethod
    def call(function: Function, payload: Any) -> TaskResult:
        """One BLAS thread on the worker, and the attempt."""
        one_from_now_on()
        return attempt(function, payload)

    @contextmanager
    def open(self) -> Iterator[Executor]:
        """The client as an executor; what is unfinished at the end is canceled."""
        executor = self.client.get_executor(pure=False)
        try:
            self._greet(executor)
            yield executor
        finally:
            executor.shutdown(wait=False)

    def _greet(self, executor: Executor) -> None:
        """See that there is a worker and that it has the same lrfm."""
        from lrfm import __version__

        # A worker that cannot import the function it is to call dies of it; these functions it has.
        ask = library("toolz").compose(attrgetter("__version__"), import_module)
        scheduler = self.client.scheduler
        address = scheduler.address if scheduler else "a local cluster"
        future, without = executor.submit(ask, "lrfm"), time.monotonic()
        found = None
        while found is None:
            try:
                found = future.result(timeout=1.0)
            except FutureTimeout:
                if self.client.nthreads():
                    without = time.monotonic()
                elif time.monotonic() - without > PATIENCE:
                    raise ConnectionError(
                        f"The scheduler {address} has had no worker for {PATIENCE:.0f} seconds. "
                        f"Start one with `dask worker {address}`."
                    ) from None
            except (CancelledError, Exception) as error:
                raise RuntimeError(
                    f"The cluster of {address} cannot run lrfm ({type(error).__name__}: {error}). "
                    f"Install lrfm {__version__} where its scheduler and its workers run."
                ) from None
        if found != __version__:
            raise RuntimeError(
                f"The workers of {address} run lrfm {found}, and this is lrfm {__version__}. Install the same on both."
            )


class Given:
    """On any `concurrent.futures.Executor`: threads, processes, MPI ranks. It belongs to the user, who opens and closes it."""

    width, retries = None, True
    loss = "the executor broke when a worker died, most likely for lack of memory; give another one to run it again"
    deaths: tuple[type[BaseException], ...] = (BrokenExecutor,)

    def __init__(self, executor: Executor):
        if not isinstance(executor, Executor):
            hint = " A Dask client is given as `client=`." if hasattr(executor, "get_executor") else ""
            raise TypeError(
                f"`executor` is a {type(executor).__name__}; expected a `concurrent.futures.Executor`, such as "
                f"`ProcessPoolExecutor(4)`, opened.{hint}"
            )
        self.executor = executor

    @staticmethod
    def call(function: Function, payload: Any) -> TaskResult:
        """One BLAS thread during the attempt: the worker may be a thread of this process."""
        with limited_to(1):
            return attempt(function, payload)

    @contextmanager
    def open(self) -> Iterator[Executor]:
        """The executor itself, once it has shown that it runs this lrfm."""
        from lrfm import __version__

        name = type(self.executor).__name__
        try:
            future = self.executor.submit(_version)
            if not isinstance(future, Future):
                raise TypeError(
                    f"its `submit` returned a {type(future).__name__}, not a `concurrent.futures.Future`"
                )
            found = future.result()
        except (CancelledError, Exception) as error:
            raise RuntimeError(
                f"The executor {name} cannot run lrfm ({type(error).__name__}: {str(error).strip()}). It must be open, lrfm {__version__} must be "
                "installed where its workers run, and a script that starts processes must do so below `if __name__ == '__main__':`."
            ) from None
        if found != __version__:
            raise RuntimeError(
                f"The workers of {name} run lrfm {found}, and this is lrfm {__version__}. Install the same on both."
            )
        yield self.executor


def _version() -> str:
    from lrfm import __version__

    return __version__


def choose_place(
    jobs: int = 1,
    scheduler: str | Client | None = None,
    client: Client | None = None,
    executor: Executor | None = None,
) -> Place:
    """A cluster or an executor if one is given, else this machine."""
    given = {"scheduler": scheduler, "client": client, "executor": executor}
    several = [f"`{name}`" for name, value in given.items() if value is not None]
    if len(several) > 1:
        raise ValueError(f"Both {' and '.join(several)} were given; expected one of them.")
    if isinstance(jobs, bool) or not isinstance(jobs, int) or jobs < 1:
        raise ValueError(f"`jobs={jobs!r}` must be a whole number of at least 1.")
    if executor is not None:
        if jobs > 1:
            raise ValueError(
                f"Both `executor` and `jobs={jobs}` were given; an executor has its own number of workers, so leave `jobs` out."
            )
        return Given(executor)
    cluster = client if scheduler is None else scheduler
    if cluster is not None:
        return Cluster(cluster)
    return Here() if jobs == 1 else Processes(jobs)
