# SPDX-License-Identifier: MIT
"""A progress bar on stderr with the time left, for work longer than a second, on a terminal only."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from lrfm.cli import show
from lrfm.cli.errors import Stopped, UsageError

if TYPE_CHECKING:
    from lrfm.parallel.tasks import Progress

DELAY = 1.0  # seconds before the bar appears
ALMOST = 0.97  # a step under way never looks finished


class Clock:
    """Steps done of a total, and the time that the rest will take.

    Until a first step has ended, its length is what `expected` says for the whole; then it is the mean of
    those that were seen. Steps taken over from a checkpoint cost nothing and are not counted.
    """

    def __init__(self, expected: float | None = None):
        self.expected = expected
        self.restart()

    def restart(self) -> None:
        """Count from here."""
        self.began = self.last = time.monotonic()
        self.done, self.total, self.seen = 0, 0, 0

    def step(self, done: int, total: int) -> None:
        """One more step has ended; one that is no further than the last belongs to another attempt."""
        if done <= self.done:
            self.began, self.seen = self.last, 0
        self.last = time.monotonic()
        self.done, self.total, self.seen = done, total, self.seen + 1

    def _length(self) -> float | None:
        if self.seen:
            return (self.last - self.began) / self.seen
        return self.expected / max(self.total, 1) if self.expected else None

    @property
    def fraction(self) -> float:
        """Part of the work that is done, the step under way included."""
        length, total = self._length(), max(self.total, 1)
        under_way = min(ALMOST, (time.monotonic() - self.last) / length) if length else 0.0
        return min(1.0, (self.done + (under_way if self.done < total else 0.0)) / total)

    @property
    def left(self) -> float | None:
        """Seconds, or None when the guess has run out."""
        length = self._length()
        left = length * (max(self.total, 1) - self.done) - (time.monotonic() - self.last) if length else None
        return left if left is not None and left > 0 else None


class Watch:
    """What is under way: called as `progress(stage, done, total)`, or told by `say` without a count.

    Parameters
    ----------
    stage
        What is done first.
    expected
        A guess of the seconds it takes, where there is one.
    quiet
        Show nothing; so it is too when stderr is no terminal.
    """

    def __init__(self, stage: str, *, expected: float | None = None, quiet: bool = False):
        self._stage, self._clock, self._began = stage, Clock(expected), time.monotonic()
        self._counted = expected is not None
        self.console = show.console(stderr=True)
        self._shown = not quiet and self.console.is_terminal and not self.console.is_dumb_terminal
        self._lock, self._closed, self._bar = threading.Lock(), False, None
        self._timer = threading.Timer(DELAY, self._open)
        self._timer.daemon = True

    def __enter__(self) -> Watch:
        if self._shown:
            self._timer.start()
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._timer.cancel()
        with self._lock:
            self._closed = True
            if self._bar is not None:
                self._bar.stop()

    def __call__(self, stage: str, done: int, total: int) -> None:
        """A step has ended; with a total of 0, something of unknown length has begun."""
        if not total:
            self.say(stage)
            return
        self._stage, self._counted = stage, True
        self._clock.step(done, total)

    def say(self, stage: str) -> None:
        """Something else begins, of unknown length."""
        self._stage, self._counted = stage, False
        self._clock.restart()

    def _open(self) -> None:
        bar = _make_bar(self)
        with self._lock:
            if not self._closed:
                self._bar = bar
                bar.start()

    def state(self) -> tuple[str, float | None, str]:
        """Stage, fraction (None: unknown) and times, as they are now."""
        elapsed = duration(time.monotonic() - self._began)
        if not self._counted:
            return self._stage, None, elapsed
        left = self._clock.left
        return (
            self._stage,
            self._clock.fraction,
            elapsed + ("" if left is None else f", {duration(left)} left"),
        )


@contextmanager
def resumable(out: Path, *, quiet: bool = False) -> Iterator[Callable[[Progress], None]]:
    """Many runs into one folder: what is given is told of each; an interruption says that they can go on."""
    if out.exists() and not out.is_dir():
        raise UsageError(f"--out {out} is a file; give the name of a folder.")
    with Watch("starting", quiet=quiet) as watch:
        try:
            yield lambda progress: watch.say(counted_runs(progress))
        except KeyboardInterrupt:
            raise Stopped(
                f"Stopped; what was finished is in {out}. The same command goes on from there."
            ) from None


def duration(seconds: float) -> str:
    """0:07, 12:30, 1:02:03."""
    minutes, second = divmod(round(seconds), 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02d}:{second:02d}" if hours else f"{minute}:{second:02d}"


def counted_runs(progress: Progress) -> str:
    """``3 of 35 runs, 0:12 left (eps=0.001, seed=2)``."""
    left = "" if progress.left is None else f", {duration(progress.left)} left"
    last = f" ({progress.last})" if progress.last else ""
    return f"{progress.done} of {progress.total} runs{left}{last}"


def _make_bar(watch: Watch):
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn

    class Bar(Progress):
        """Asks the watch for its state each time it is drawn, since a step under way reports nothing."""

        def get_renderables(self):
            stage, fraction, times = watch.state()
            for task in self.tasks:
                task.description, task.total = stage, None if fraction is None else 1.0
                task.completed, task.fields["times"] = fraction or 0.0, times
            yield self.make_tasks_table(self.tasks)

    bar = Bar(
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=24),
        TextColumn("{task.fields[times]}", markup=False),
        console=watch.console,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )
    bar.add_task("", total=None, times="")
    return bar
