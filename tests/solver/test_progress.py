# SPDX-License-Identifier: MIT
"""Progress in Python: a bar where somebody looks, silence on request, and what it says."""

from __future__ import annotations

import io
import math

import pytest
from helpers import wait_for
from rich.console import Console

import lrfm
from lrfm.solver import progress


class Recorder:
    """A screen that keeps what it was shown."""

    def __init__(self):
        self.line, self.closed = None, False

    def open(self, line):
        self.line = line

    def close(self):
        self.closed = True


def test_a_solve_tells_the_bar_phases_counts_and_its_best_error(monkeypatch):
    screen, seen = Recorder(), []
    monkeypatch.setattr(progress, "screen", lambda: screen)
    monkeypatch.setattr(progress, "DELAY", 0.0)
    told = progress.Bar.__call__
    monkeypatch.setattr(progress.Bar, "__call__", lambda bar, *what: (seen.append(what), told(bar, *what))[1])
    solution = lrfm.solve(lrfm.catalog.heat_1d(), tol=1e-3, method="space-time")
    assert screen.closed
    assert screen.line().times.endswith(f"error {solution.report.error_estimate:.1e} so far")
    pilots = [what for what in seen if "pilot" in what[0]]
    assert pilots
    assert all(0 <= done < total for _, done, total in pilots)
    assert {"solving", "estimating the error"} <= {stage for stage, _, _ in seen}


def test_false_is_silence_and_a_function_is_told(monkeypatch):
    monkeypatch.setattr(progress, "screen", lambda: pytest.fail("nobody asked for a bar"))
    seen = []
    lrfm.solve(lrfm.catalog.heat_1d(), tol=1e-4, progress=False)
    lrfm.solve(lrfm.catalog.heat_1d(), tol=1e-4, progress=lambda *what: seen.append(what))
    assert seen


def test_a_quick_solve_shows_nothing(monkeypatch):
    screen = Recorder()
    monkeypatch.setattr(progress, "screen", lambda: screen)
    monkeypatch.setattr(progress, "DELAY", 60.0)
    lrfm.solve(lrfm.catalog.heat_1d(), tol=1e-4)
    assert screen.line is None


def test_an_error_takes_the_bar_away(monkeypatch):
    screen = Recorder()
    monkeypatch.setattr(progress, "screen", lambda: screen)
    monkeypatch.setattr(progress, "DELAY", 0.0)
    with pytest.raises(TypeError):
        lrfm.solve(["no", "such", "thing.toml"])
    assert screen.closed


def test_a_terminal_is_left_as_it_was():
    stream = io.StringIO()
    console = Console(file=stream, force_terminal=True, width=80)
    with progress.Bar("solving", progress.terminal(console), delay=0.0) as bar:
        bar("solving", 1, 4)
        bar.best(2e-5)
        bar.best(math.inf)
        wait_for(lambda: "error 2.0e-05 so far" in stream.getvalue())
    assert progress.terminal(Console(file=io.StringIO())) is None
