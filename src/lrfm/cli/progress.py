# SPDX-License-Identifier: MIT
"""A progress bar on stderr with the time left, for work longer than a second, on a terminal only."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
        self.began = self.last = time.monotonic()
        self.done, self.total, self.seen = 0, 1, 0

    def step(self, done: int, total: int) -> None:
        """One more step has ended; one that is no further than the last belongs to another attempt."""
        if done <= self.done:
            self.began, self.seen = self.last, 0
        self.last = time.monotonic()
        self.done, self.total, self.seen = done, total, self.seen + 1

    def _length(self) -> float | None:
        if self.seen:
            return (self.last - self.began) / self.seen
        return self.expected / self.total if self.expected else None

    @property
    def fraction(self) -> float | None:
        """Part of the work that is done, the step under way included; None where nothing is known."""
        length = self._length()
        if length is None:
            return None
        under_way = min(ALMOST, (time.monotonic() - self.last) / length) if length else 0.0
        return min(1.0, (self.done + (under_way if self.done < self.total else 0.0)) / self.total)

    @property
    def left(self) -> float | None:
        """Seconds, or None when the guess has run out."""
        left = (self._length() or 0.0) * (self.total - self.done) - (time.monotonic() - self.last)
        return left if left > 0 else None


class ProgressBar:
    """What is under way: called as `progress(stage, done, total)`, or told by `say` without a count.

    Parameters
    ----------
    stage
        What is done first.
    expected
        A guess of the seconds it takes, where there is one.
    quiet
        Show nothing, as when stderr is not a terminal.
    """

    def __init__(self, stage: str, *, expected: float | None = None, quiet: bool = False):
        self._stage, self._clock, self._began = stage, Clock(expected), time.monotonic()
        console = show.console(stderr=True)
        self._shown = not quiet and console.is_terminal and not console.is_dumb_terminal
        if self._shown:
            from rich.live import Live
            from rich.spinner import Spinner

            self._spinner = Spinner("dots")
            self._live = Live(
                console=console,
                get_renderable=self._render,
                transient=True,
                redirect_stdout=False,
                redirect_stderr=False,
                refresh_per_second=10,
            )
            self._timer = threading.Timer(DELAY, self._live.start)
            self._timer.daemon = True

    def __enter__(self) -> ProgressBar:
        if self._shown:
            self._timer.start()
        return self

    def __exit__(self, *raised: object) -> None:
        if self._shown:
            self._timer.cancel()
            self._timer.join()
            self._live.stop()

    def __call__(self, stage: str, done: int, total: int) -> None:
        """A step has ended; with a total of 0, something of unknown length has begun."""
        if not total:
            self.say(stage)
            return
        self._stage = stage
        self._clock.step(done, total)

    def say(self, stage: str) -> None:
        """Something else begins, of unknown length."""
        self._stage, self._clock = stage, Clock()

    def _render(self) -> Any:
        from rich.progress_bar import ProgressBar as Bar
        from rich.table import Table
        from rich.text import Text

        fraction, left = self._clock.fraction, self._clock.left
        times = duration(time.monotonic() - self._began) + (f", {duration(left)} left" if left else "")
        bar = Bar(total=1.0, completed=fraction or 0.0, pulse=fraction is None, width=24)
        line = Table.grid(padding=(0, 1))
        line.add_row(self._spinner, Text(show.printable(self._stage)), bar, Text(times))
        return line


@contextmanager
def resumable(out: Path, *, quiet: bool = False) -> Iterator[Callable[[Progress], None]]:
    """Many runs into one folder: what is given is told of each; an interruption says that they can go on."""
    if out.exists() and not out.is_dir():
        raise UsageError(f"--out {out} is a file; give the name of a folder.")
    with ProgressBar("starting", quiet=quiet) as bar:
        try:
            yield lambda progress: bar.say(counted_runs(progress))
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
