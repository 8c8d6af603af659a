# SPDX-License-Identifier: MIT
"""What is under way, and how long it will take: a bar on a terminal or in a notebook, for work longer than a second.

Everything that takes long is told `progress(stage, done, total)`; a bar is one listener, and without a terminal or a notebook there is none.
"""

from __future__ import annotations

import html
import math
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol, Self

from lrfm.linalg.processes import group

DELAY = 1.0  # seconds before the bar appears
ALMOST = 0.97  # a step under way never looks finished
EVERY = 0.2  # seconds between two looks of a notebook


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


class Screen(Protocol):
    """Where a bar is seen: it asks `line` for what to show as often as it likes."""

    def open(self, line: Callable[[], Line]) -> None:
        """Begin to show."""
        ...

    def close(self) -> None:
        """Leave nothing behind."""
        ...


class Line:
    """One look at a bar: what is done, which part of it, the times and the best error so far."""

    def __init__(
        self,
        stage: str,
        fraction: float | None,
        passed: float,
        left: float | None,
        best: float,
        picture: str = "",
    ):
        self.stage, self.fraction, self.picture = stage, fraction, picture
        words = [duration(passed), *([f"{duration(left)} left"] if left else [])]
        words += [f"error {best:.1e} so far"] if math.isfinite(best) else []
        self.times = ", ".join(words)


class Bar:
    """A listener that shows what it is told, once `delay` seconds have passed."""

    def __init__(
        self, stage: str, screen: Screen | None, *, expected: float | None = None, delay: float | None = None
    ):
        self._stage, self._clock, self._began = stage, Clock(expected), time.monotonic()
        self._screen, self._best, self.picture = screen, math.inf, ""
        self._timer = threading.Timer(DELAY if delay is None else delay, self._open)
        self._timer.daemon = True

    def _open(self) -> None:
        assert self._screen is not None
        self._screen.open(self._line)

    def __enter__(self) -> Self:
        if self._screen is not None:
            self._timer.start()
        return self

    def __exit__(self, *raised: object) -> None:
        if self._screen is not None:
            self._timer.cancel()
            self._timer.join()
            self._screen.close()

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

    def best(self, error: float) -> None:
        """An answer is there, with this estimate of its error."""
        self._best = min(self._best, error) if math.isfinite(error) else self._best

    def _line(self) -> Line:
        passed = time.monotonic() - self._began
        return Line(self._stage, self._clock.fraction, passed, self._clock.left, self._best, self.picture)


class Terminal:
    """A line that rich keeps at the bottom of a terminal, and takes away."""

    def __init__(self, console: Any):
        self._console, self._live = console, None

    def open(self, line: Callable[[], Line]) -> None:
        from rich.live import Live
        from rich.spinner import Spinner

        spinner = Spinner("dots")
        self._live = Live(
            console=self._console,
            get_renderable=lambda: self._render(line(), spinner),
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
            refresh_per_second=10,
        )
        self._live.start()

    def _render(self, line: Line, spinner: Any) -> Any:
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        from lrfm.problem.errors import printable  # loads NumPy, for which `--help` should not wait

        bar = ProgressBar(total=1.0, completed=line.fraction or 0.0, pulse=line.fraction is None, width=24)
        row = Table.grid(padding=(0, 1))
        row.add_row(spinner, Text(printable(line.stage)), bar, Text(line.times))
        return Group(Text(line.picture), row) if line.picture else row

    def close(self) -> None:
        if self._live is not None:
            self._live.stop()


class Notebook:
    """A bar below a cell of a notebook, drawn anew some times a second and empty in the end."""

    def __init__(self) -> None:
        self._handle: Any = None
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None

    def open(self, line: Callable[[], Line]) -> None:
        from IPython.display import HTML, display

        self._handle = display(HTML(_markup(line())), display_id=True)
        self._thread = threading.Thread(target=self._follow, args=(line,), daemon=True)
        self._thread.start()

    def _follow(self, line: Callable[[], Line]) -> None:
        from IPython.display import HTML

        while not self._ended.wait(EVERY):
            self._handle.update(HTML(_markup(line())))

    def close(self) -> None:
        self._ended.set()
        if self._thread is not None:
            from IPython.display import HTML

            self._thread.join()
            self._handle.update(HTML(""))


def _markup(line: Line) -> str:
    from lrfm.problem.errors import printable

    value = "" if line.fraction is None else f' value="{line.fraction:.3f}"'
    words = html.escape(f"{printable(line.stage)}  {line.times}")
    return f'<progress max="1"{value}></progress> <small>{words}</small>'


def terminal(console: Any) -> Terminal | None:
    """A terminal that can show a bar; None where it is a file or cannot."""
    return Terminal(console) if console.is_terminal and not console.is_dumb_terminal else None


def screen() -> Screen | None:
    """A notebook, a terminal behind stderr, or None; of several processes the first has one."""
    shared = group()
    if shared is not None and not shared.first:
        return None
    ipython = sys.modules.get("IPython")
    if ipython and hasattr(ipython.get_ipython(), "kernel"):
        return Notebook()
    if threading.current_thread() is not threading.main_thread() or not sys.stderr or not sys.stderr.isatty():
        return None
    from rich.console import Console

    return terminal(Console(stderr=True, highlight=False))


def _silent(stage: str, done: int, total: int) -> None:
    """A listener that does not listen."""


@contextmanager
def listening(progress: Any) -> Iterator[Any]:
    """Who is told how far a computation is: a listener as it is given, a bar for None and True, nobody for False."""
    if progress is not None and progress is not False and progress is not True:
        yield progress
        return
    seen = None if progress is False else screen()
    if seen is None:
        yield _silent
        return
    with Bar("starting", seen) as bar:
        yield bar


def duration(seconds: float) -> str:
    """0:07, 12:30, 1:02:03."""
    minutes, second = divmod(round(seconds), 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02d}:{second:02d}" if hours else f"{minute}:{second:02d}"
