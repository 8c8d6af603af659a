# SPDX-License-Identifier: MIT
"""Solves in the background: how far each one is, how it is cancelled without losing what there is, and which solutions are kept."""

from __future__ import annotations

import itertools
import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from lrfm.problem import Problem, ProblemError
from lrfm.solution.modes import Modes
from lrfm.solution.solution import Solution
from lrfm.solver.api import solve
from lrfm.solver.arguments import nearby
from lrfm.solver.modes import modes
from lrfm.solver.run import ConvergenceError
from lrfm.solver.watching import Pace, View

WORKERS = 2  # solves at once; the others wait
KEPT = 40  # solutions; the oldest one that nobody looked at goes first
WAITING = 32  # solves that may wait
MODES = 6  # of an eigenvalue problem
LOOK = 1.0  # seconds between two drawings of a solution that is under way


class Cancelled(Exception):
    """Raised from the progress of a solve that is not wanted any more."""


class Busy(RuntimeError):
    """Too many solves are waiting."""


@dataclass
class Job:
    """One solve: waiting, running, done or failed. A cancelled one is done if it leaves a solution, and failed otherwise."""

    id: str
    problem: Problem
    options: dict[str, Any]
    near: Solution | None = None  # solved before, with other parameters
    state: str = "waiting"
    stage: str = ""
    part: float = 0.0
    written: float = 0.0  # part of the movie that is being written
    message: str = ""
    solution: Solution | None = None
    modes: Modes | None = None
    drawings: int = 0  # how often a solution came that looks different from the one before
    begun: float = field(default_factory=time.monotonic)
    ended: float | None = None
    finished: threading.Event = field(default_factory=threading.Event, repr=False)
    unwanted: threading.Event = field(default_factory=threading.Event, repr=False)
    visible: threading.Event = field(
        default_factory=threading.Event, repr=False
    )  # there is something to draw

    def tell(self, stage: str, done: int, total: int) -> None:
        """Progress of the solve, and the place where it is broken off."""
        self.stage, self.part = stage, min(done / total, 1.0) if total else 0.0
        if self.unwanted.is_set():
            raise Cancelled

    def tell_frames(self, stage: str, done: int, total: int) -> None:
        """Progress of a movie that is written after the solve."""
        self.written = done / total

    def run(self) -> None:
        """Solve; whatever happens ends in a state and a sentence."""
        self.state = "running"
        try:
            if self.unwanted.is_set():
                raise Cancelled
            if self.problem.eigenvalue:
                self.find()
            else:
                self.keep(
                    solve(
                        self.problem, **self.options, start=self.near, strict=False, progress=Listener(self)
                    )
                )
        except Cancelled as error:
            self.keep(getattr(error, "solution", None))
            self.message = "Cancelled."
        except (ConvergenceError, ProblemError, ValueError, MemoryError, ArithmeticError) as error:
            self.keep(getattr(error, "solution", None))
            self.message = str(error)
        except Exception as error:  # a bug must not take the page with it
            self.message = f"lrfm failed with {type(error).__name__}: {error}. This is a mistake of lrfm; please report it."
        finally:
            self.state = "failed" if self.solution is None else "done"
            self.ended = time.monotonic()
            self.finished.set()
            self.visible.set()

    def find(self) -> None:
        """Eigenvalues with their functions, in the place of one solution."""
        self.stage = "modes"
        limits = {name: self.options[name] for name in ("tol", "max_seconds") if name in self.options}
        self.modes = modes(self.problem, k=MODES, strict=False, **limits)
        self.keep(self.modes[0].real)

    def shown(self, mode: int) -> Solution | None:
        """The solution, or the function of one of the eigenvalues."""
        if self.modes is None:
            return self.solution
        return self.modes[min(max(mode, 0), len(self.modes) - 1)].real

    def keep(self, solution: Solution | None) -> None:
        """Take a solution; one with the pieces of that before it, and an estimate by now, need not be drawn again."""
        before = () if self.solution is None else self.solution.pieces
        if solution is not None:
            self.drawings += list(map(id, before)) != list(map(id, solution.pieces))
        self.solution = solution

    def as_data(self) -> dict[str, Any]:
        """For the page."""
        seconds = (self.ended or time.monotonic()) - self.begun
        told = {
            "job": self.id,
            "state": self.state,
            "stage": self.stage,
            "part": self.part,
            "written": self.written,
            "seconds": round(seconds, 3),
        }
        if self.message:
            told["message"] = self.message
        if self.solution is not None:
            told |= {"solution": describe(self.id, self.solution), "drawn": self.drawings}
            if self.modes is not None:
                told["solution"] |= describe_modes(self.modes)
        return told


class Listener:
    """What a solve tells: how far it is, and its first draw, which is drawn while a second one is made for the estimate."""

    def __init__(self, job: Job):
        self._job, self._pace = job, Pace(LOOK)
        self._pace.looked(time.monotonic())  # a quick solve is drawn once

    def __call__(self, stage: str, done: int, total: int) -> None:
        self._job.tell(stage, done, total)

    def check(self) -> None:
        """Asked at every look at the clock: Cancel need not wait for the next step."""
        if self._job.unwanted.is_set():
            raise Cancelled

    def state(self, view: Callable[[], View]) -> None:
        """A step has ended: the solution so far is drawn now and then."""
        if self._pace.due():
            began = time.monotonic()
            self._job.keep(view().so_far())
            self._job.visible.set()
            self._pace.looked(began)

    def drawn(self, solution: Solution) -> None:
        """There is an answer without an estimate."""
        self._job.keep(solution)
        self._job.visible.set()


class Jobs:
    """All solves of one server, shared by its tabs."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(WORKERS, thread_name_prefix="studio")
        self._jobs: OrderedDict[str, Job] = OrderedDict()
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()

    def submit(self, problem: Problem, options: dict[str, Any]) -> Job:
        """Begin a solve, or say that too many are waiting."""
        with self._lock:
            if sum(not job.finished.is_set() for job in self._jobs.values()) >= WAITING:
                raise Busy("Too many solves are waiting; cancel some or try again in a moment.")
            job = Job(str(next(self._numbers)), problem, options, self._near(problem))
            self._jobs[job.id] = job
            for old in [j for j in self._jobs.values() if j.finished.is_set()][:-KEPT]:
                del self._jobs[old.id]
        self._pool.submit(job.run)
        return job

    def _near(self, problem: Problem) -> Solution | None:
        """The last solution by lines of the same unknowns on the same domain: a slider was moved."""
        solved = [job.solution for job in self._jobs.values() if isinstance(job.solution, Solution)]
        fitting = (s for s in reversed(solved) if s.report.method == "lines" and nearby(problem, s))
        return next(fitting, None)

    def get(self, number: str) -> Job:
        """A job by its number; looking at it keeps it."""
        with self._lock:
            job = self._jobs[number]
            self._jobs.move_to_end(number)
            return job

    def close(self) -> None:
        """Break off everything."""
        with self._lock:
            for job in self._jobs.values():
                job.unwanted.set()
        self._pool.shutdown(wait=False, cancel_futures=True)


def describe(number: str, solution: Solution) -> dict[str, Any]:
    """What the page writes beside a picture."""
    from lrfm.studio.views import spans

    report, problem = solution.report, solution.problem
    estimate = report.error_estimate
    return {
        "id": number,
        "unknowns": list(solution.unknowns),
        "complex": [name for name, kind in problem.unknowns.items() if kind is complex],
        "spans": spans(solution),
        "status": report.status,
        "solved": report.solved,
        "estimate": estimate if estimate is not None and math.isfinite(estimate) else None,
        "norm": report.norm,
        "tolerance": report.tolerance,
        "warnings": list(report.warnings),
        "report": f"{report}\n\n{report.details}",
        "exact": problem.reference is not None,
        "steady": problem.steady,
        "periodic": sorted(problem.periodic),
        "complete": bool(solution.block_edges[-1] >= problem.time[1]),
    }


def describe_modes(found: Modes) -> dict[str, Any]:
    """Eigenvalues with their errors, and the word for all of them."""
    errors = [mode.error if math.isfinite(mode.error) else None for mode in found]
    values = [[float(value.real), float(value.imag)] for value in map(complex, found.values)]
    return {
        "modes": [[*value, error] for value, error in zip(values, errors, strict=True)],
        "status": "eigenvalues found" if found.met else "eigenvalues above their tolerance",
        "solved": found.met,
        "tolerance": found.tolerance,
        "report": str(found),
    }
