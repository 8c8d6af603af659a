# SPDX-License-Identifier: MIT
"""What test files share: true errors and norms, a made-up solution, the environment of another Python, lists to try."""

import math
import os
import sys
import time
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import settings

import lrfm
from lrfm.solution.reference import grid_points, random_points, relative_l2, true_error
from lrfm.solver import budget
from lrfm.solver.methods import method_object

PATIENCE = 900  # seconds after which something has stopped for good, however busy the machine is


every_example = True  # whether tests with drawn examples draw all of them: `make test-all`


def examples(count, **more):
    """How many examples a test draws; a third of them unless `thorough` tests run, too."""
    return settings(max_examples=count if every_example else -(-count // 3), deadline=None, **more)


def thinned(cases, every):
    """Cases of which the first of so many is always tried, and the others by `make test-all`."""
    return [
        pytest.param(*(c if isinstance(c, tuple) else (c,)), marks=pytest.mark.thorough) if k % every else c
        for k, c in enumerate(cases)
    ]


SPACES = {  # every kind of trial space on a periodic line, small
    "global": lrfm.Liquid(features=20),
    "local": lrfm.Liquid(per_patch=8, patches=3),
    "rows": lrfm.Liquid(per_patch=8, patches=3, periodic="rows", overlap=0.5),
    "drift": lrfm.Liquid(features=20, drift=(-1.0, 2.0)),
    "oscillation": lrfm.Liquid(features=21, oscillation=(0.0, 5.0)),
    "drift and oscillation": lrfm.Liquid(per_patch=9, patches=2, drift=(0, 1), oscillation=(1.0, 5.0)),
    "sine": lrfm.Liquid(features=20, profile="sine", centers=1.1),
    "frozen": lrfm.Frozen(lrfm.Liquid(features=20)),
    "SoV": lrfm.SoV(per_patch=8, patches=3),
    "STC": lrfm.STC(per_patch=8, patches=3),
    "PIELM": lrfm.PIELM(features=20),
}


class Clock:
    """Limits of seconds are counted with it: `pace` seconds pass with each look at it, and none otherwise, so that a limit is one of work on any machine."""

    def __init__(self, monkeypatch, pace=0.0):
        self.time, self.pace = 0.0, pace
        monkeypatch.setattr(budget, "now", self)

    def __call__(self):
        self.time += self.pace
        return self.time


def wait_for(condition):
    """Look again and again until something is so."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def calls(function):
    """What a function returns, and how many calls of Python functions that took: work that a busy machine does not change."""
    count = 0

    def watch(frame, event, argument):
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        return function(), count
    finally:
        sys.setprofile(before)


def by_hand(**options):
    """Options of `lrfm.solve` in which arguments of `lrfm.SpaceTime` are put into its object, those of a shared dictionary too."""
    return method_object(options)


def rms(values):
    return math.sqrt(np.mean(np.square(values)))


def grid_error(solution, points=101, times=21):
    """Relative L² error against the problem's reference on a grid over space and time, the worst of the unknowns."""
    return true_error(solution, grid_points(solution.problem, points, times))


def random_error(solution, points=2000):
    """The same at random points: for many dimensions."""
    return true_error(solution, random_points(solution.problem, points, np.random.default_rng(5)))


def difference(one, two, points=400):
    """‖u − v‖/‖u‖ of two solutions at random points, the worst of the unknowns."""
    at = random_points(one.problem, points, np.random.default_rng(5))
    return max(relative_l2(two[name](**at), one[name](**at)) for name in one.unknowns)


def environment(**more):
    """The environment of another Python that finds the same modules and opens no window."""
    return {**os.environ, "MPLBACKEND": "agg", "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), **more}


@dataclass(frozen=True, kw_only=True)
class FakeReport:
    """A report with entries of every type."""

    error_estimate: float = 2.5e-9
    seed: int = 2**40
    converged: bool = True
    warnings: tuple[str, ...] = ("slow", "rank 7")
    history: np.ndarray | None = None
    undetermined: tuple[str, ...] = ()


class FakeSolution:
    """What pictures and files see of a solution, made of plain functions of the named coordinates."""

    def __init__(self, functions, axes, *, time=(0.0, 2.0), blocks=1, reference=None, periodic=()):
        self.functions = functions
        self.unknowns = tuple(functions)
        inside = dict.fromkeys((*axes, "t"), 0.3)
        kinds = {name: complex if np.iscomplexobj(f(**inside)) else float for name, f in functions.items()}
        self.problem = SimpleNamespace(
            domain=SimpleNamespace(axes=axes, is_box=True),
            time=time,
            unknowns=kinds,
            reference=reference,
            periodic=frozenset(periodic),
            equations=("u_t = eps*u_xx",),
            parameters={"eps": 1e-4, "shift": 1 + 2j, "force": np.sin},
            initial={"u": "sin(x) – ü", "v": np.cos},
            boundary={"x-": "u = 0", "x+": None},
            name="heat",
            coordinates=(*axes, "t"),
            absent={},
            steady=False,
            ordinary=False,
        )
        self.report = FakeReport()
        self.block_edges = np.linspace(*time, blocks + 1)

    def __getitem__(self, name):
        return self.functions[name]

    def __call__(self, **at):
        values = {name: f(**at) for name, f in self.functions.items()}
        return values if len(values) > 1 else values[self.unknowns[0]]
