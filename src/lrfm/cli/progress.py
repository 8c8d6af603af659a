# SPDX-License-Identifier: MIT
"""A progress bar on stderr with the time left, for work longer than a second, on a terminal only."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from lrfm.cli import show
from lrfm.cli.errors import Stopped, UsageError
from lrfm.solver.progress import Bar, duration, terminal

if TYPE_CHECKING:
    from lrfm.parallel.tasks import Progress
    from lrfm.solution.solution import Solution
    from lrfm.solver.watching import View

DELAY = 1.0  # seconds before the bar appears


class ProgressBar(Bar):
    """What is under way on a terminal: called as `progress(stage, done, total)`, or told by `say` without a count.

    Parameters
    ----------
    stage
        What is done first.
    expected
        A guess of the seconds it takes, where there is one.
    quiet
        Show nothing, as when stderr is not a terminal.
    watch
        Whether the solution is drawn above it while it is computed.
    """

    def __init__(
        self, stage: str, *, expected: float | None = None, quiet: bool = False, watch: bool = False
    ):
        console = show.console(stderr=True)
        screen = None if quiet else terminal(console)
        super().__init__(stage, screen, expected=expected, delay=0.0 if watch else DELAY)
        if watch and screen is not None:
            self.state, self.drawn = self._drawn(), self._whole

    def _drawn(self) -> Callable[[Callable[[], View]], None]:
        """What is told the state of a solve after each step: it is drawn some times a second."""
        from lrfm.solver.watching import EVERY, Pace, picture

        pace = Pace(EVERY)

        def state(view: Callable[[], View]) -> None:
            if pace.due():
                began, seen = time.monotonic(), view()
                self.picture = picture(seen)
                pace.looked(began)

        return state

    def _whole(self, solution: Solution) -> None:
        """The picture at the end, which stands while the error is estimated: the last of those in between may be of some steps before."""
        from lrfm.solver.watching import View, picture

        end = solution.block_edges[-1]
        self.picture = picture(View(end, partial(solution, t=end), lambda: solution, solution.problem))


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


def counted_runs(progress: Progress) -> str:
    """``3 of 35 runs, 0:12 left (eps=0.001, seed=2)``."""
    left = "" if progress.left is None else f", {duration(progress.left)} left"
    last = f" ({progress.last})" if progress.last else ""
    return f"{progress.done} of {progress.total} runs{left}{last}"
