# SPDX-License-Identifier: MIT
"""The loop: hand over tasks, take results as they come, try again what was lost with a worker."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait

from lrfm.parallel.tasks.ledger import Ledger, Record, make_record
from lrfm.parallel.tasks.places import Place
from lrfm.parallel.tasks.task import Function, Notify, Progress, Task, TaskResult

RETRIES = 2  # further attempts of a task whose worker died


def run_tasks(
    function: Function,
    tasks: Sequence[Task],
    place: Place,
    ledger: Ledger,
    *,
    notify: Notify | None = None,
    retries: int = RETRIES,
) -> dict[str, Record]:
    """Run what has no result yet; return all records by key, those of earlier calls too.

    Parameters
    ----------
    function
        What workers call with a task's payload; it must be importable where they run.
    tasks
        Long ones are begun first, so that no worker is left with one at the end; exclusive ones come last, one at a
        time.
    place, ledger
        Where they run, and where results are kept.
    notify
        Called with a `Progress` at the beginning and after each task.
    retries
        How often a task is tried again when its worker died; a Dask scheduler has a number of its own
        (`distributed.scheduler.allowed-failures`).
    """
    records = ledger.load()
    todo = [task for task in tasks if not _is_done(task, records.get(task.key), ledger)]
    clock = _Clock(tasks, todo, notify)
    for exclusive in (False, True):
        queue = sorted((task for task in todo if task.exclusive == exclusive), key=lambda task: -task.cost)
        for task, ended in _run(function, queue, place, 1 if exclusive else place.width, retries):
            records[task.key] = make_record(task, ended)
            ledger.add(records[task.key], ended.done.files)
            clock.ended(task)
    return records


def _is_done(task: Task, record: Record | None, ledger: Ledger) -> bool:
    """A failed task, or one whose files have vanished or are not whole, is run again."""
    if record is None or not record.get("ok"):
        return False
    digests = record.get("files")
    digests = digests if isinstance(digests, dict) else {}
    return all(ledger.has(name, digests.get(name)) for name in task.files)


def _run(
    function: Function, queue: Sequence[Task], place: Place, width: int | None, retries: int
) -> Iterator[tuple[Task, TaskResult]]:
    """Results as they come, until every task has one."""
    fresh, again = list(queue), []
    deaths: Counter[str] = Counter()
    while fresh or again:
        # Which of several tasks was too much for the machine is unknown: those lost come last, one at a time.
        lost = yield from _pool(function, fresh or again, place, width if fresh else 1)
        deaths.update(task.key for task in lost)
        for task in lost:
            if place.retries or deaths[task.key] > retries:
                times = "once" if deaths[task.key] == 1 else f"{deaths[task.key]} times"
                yield task, TaskResult(message=place.loss.format(times=times))
            else:
                again.append(task)


def _pool(
    function: Function, waiting: list[Task], place: Place, width: int | None
) -> Generator[tuple[Task, TaskResult], None, list[Task]]:
    """Take tasks off the list until it is empty or a worker has died; return those that were lost with it."""
    under_way: dict[Future, Task] = {}
    lost: list[Task] = []
    broken = False
    with place.open() as executor:
        try:
            while under_way or (waiting and not broken):
                while waiting and not broken and (width is None or len(under_way) < width):
                    try:
                        future = executor.submit(place.call, function, waiting[0].payload)
                    except place.deaths:  # an idle worker died
                        broken = True
                    else:
                        under_way[future] = waiting.pop(0)
                for future in wait(under_way, return_when=FIRST_COMPLETED).done:
                    ended, task = _result(future, under_way[future], place), under_way.pop(future)
                    if ended is None:
                        lost.append(task)
                        broken = not place.retries
                    else:
                        yield task, ended
        finally:
            for future in under_way:
                future.cancel()
    if place.retries:  # nothing is left to run what waits
        lost, waiting[:] = lost + waiting, []
    return lost


def _result(future: Future, task: Task, place: Place) -> TaskResult | None:
    """The result of an attempt; None when its worker died."""
    if future.cancelled():
        raise ConnectionError(
            "The scheduler or executor was lost. What was finished is kept; the same call goes on from there."
        )
    error = future.exception()
    if error is None:
        return future.result()
    if isinstance(error, place.deaths):
        return None
    if not isinstance(error, Exception):  # Ctrl-C reaches worker processes too
        raise error
    # An error inside of the task would have been a failed attempt; this one arose on the way.
    raise RuntimeError(
        f"The task `{task.label}` could not be sent to a worker and back ({type(error).__name__}: {str(error).strip()}). "
        "lrfm must be installed where a scheduler and its workers run, and data given as Python functions must be defined "
        "at the top level of a module that they can import; or use jobs=1."
    ) from error


class _Clock:
    """Time left from the guessed costs, scaled by what they turned out to be."""

    def __init__(self, tasks: Sequence[Task], todo: Sequence[Task], notify: Notify | None):
        self.began, self.notify = time.monotonic(), notify or (lambda progress: None)
        self.total, self.done = len(tasks), len(tasks) - len(todo)
        self.cost, self.spent = sum(task.cost for task in todo), 0.0
        self.notify(Progress(self.done, self.total, None, ""))

    def ended(self, task: Task) -> None:
        self.done, self.spent = self.done + 1, self.spent + task.cost
        pace = (time.monotonic() - self.began) / self.spent
        self.notify(Progress(self.done, self.total, pace * (self.cost - self.spent), task.label))
