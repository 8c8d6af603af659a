# SPDX-License-Identifier: MIT
"""A solution that does not follow what is given is not claimed, whoever made it: solutions here are formulas, and no engine is asked."""

import importlib
import math
import os
import sys
from pathlib import Path

import numpy as np
import pytest
from helpers import thinned

from lrfm import Disk
from lrfm.error.given import not_followed
from lrfm.error.indicators import LINES, Evidence, estimate_error
from lrfm.error.thin import thin_lines
from lrfm.problem import Box, Problem

FOLDER = Path(__file__).parents[2] / "benchmarks"
UNIT = lambda row: 1.0  # noqa: E731


def load():
    """The script that draws narrow data and knows what they amount to."""
    kept = dict(os.environ)
    sys.path.insert(0, str(FOLDER))
    try:
        return importlib.import_module("narrow")
    finally:
        sys.path.remove(str(FOLDER))
        os.environ.clear()
        os.environ.update(kept)


narrow = load()
narrow.DEGREE = 4  # two digits of the truth will do


class Sines:
    """u = a(t) Π sin πx_k as a piece, with all derivatives."""

    def __init__(self, rate, window):
        self.rate, self.window = rate, window

    def values(self, jets, points):
        found = {}
        for jet in jets:
            *space, time = jet.index
            value = (-self.rate) ** time * np.exp(-self.rate * points[:, -1])
            for k, n in enumerate(space):
                value = value * math.pi**n * np.sin(np.pi * points[:, k] + 0.5 * np.pi * n)
            found[jet] = value
        return found

    def residual(self, row, points):
        return row.residual(points, self.values(row.jets, points))


class Blind:
    """What a solve gives that has seen nothing of what is narrow: the solution of the statement without it."""

    def __init__(self, drawn):
        self.piece = Sines(drawn.diffusion * math.pi**2 * (1 + drawn.plane), (0.0, drawn.duration))

    def __call__(self, x, t, y=None):
        x, t, y = np.broadcast_arrays(x, t, 0.5 if y is None else y)
        return np.exp(-self.piece.rate * t) * np.sin(np.pi * x) * np.sin(np.pi * y)


def blind_error(drawn):
    """The relative error of a blind solution."""
    return narrow.true_error(drawn, Blind(drawn))


def is_thin(drawn):
    """A pulse that is thinner than any ordinary point sees; a step is seen from afar."""
    span = drawn.duration if drawn.role == "boundary" else 1.0
    return drawn.shape != "tanh" and drawn.width < 3e-3 * span


PULSES = [n for n in range(400) if is_thin(narrow.draw(n))]


def judged(number):
    """The estimate for a blind solution that a blind second one agrees with, and its true error."""
    drawn = narrow.draw(number)
    piece = Blind(drawn).piece
    seen = Evidence(
        narrow.statement(drawn),
        [piece],
        [piece],
        1e-12,
        np.random.default_rng(0),
        scale=LINES,
        tolerance=drawn.tol,
    )
    return drawn, estimate_error(seen), blind_error(drawn)


@pytest.mark.parametrize("number", thinned(PULSES[:8], 2))
def test_two_blind_solutions_that_agree_are_not_claimed(number):
    drawn, estimate, error = judged(number)
    assert estimate.l2 > drawn.tol or error <= drawn.tol, (drawn, estimate.indicators, error)


@pytest.mark.slow
@pytest.mark.parametrize("number", thinned(PULSES[8::3], 8))  # all of them: benchmarks/narrow.py
def test_no_blind_solution_is_claimed(number):
    drawn, estimate, error = judged(number)
    assert estimate.l2 > drawn.tol or error <= drawn.tol, (drawn, estimate.indicators, error)


def heated(equation, **changes):
    given = {"domain": Box(x=(0, 1)), "time": (0, 0.5), "initial": "sin(pi*x)", "boundary": "u = 0"}
    return Problem(equation, **{**given, **changes})


def test_the_sentence_names_the_place():
    problem = heated("u_t = u_xx + 1000*exp(-((x - 0.5091)/1e-3)**2)")
    piece = Sines(math.pi**2, (0.0, 0.5))
    estimate = estimate_error(
        Evidence(problem, [piece], [piece], 1e-12, np.random.default_rng(0), scale=LINES, tolerance=1e-3)
    )
    assert estimate.decided_by == "given"
    assert estimate.l2 > 0.5
    (sentence,) = estimate.warnings
    assert "near x = 0.50" in sentence
    assert "The equation" in sentence


@pytest.mark.parametrize("width", [1e-3, 1e-4, 1e-6])
@pytest.mark.parametrize("kind", ["source", "coefficient", "potential"])
def test_a_solution_that_follows_thin_data_is_left_alone(width, kind):
    """u = e^(−π²t) sin πx solves all of these: what is given cancels in them."""
    g = f"exp(-((x - 0.5091)/{width})**2)"
    sine = "exp(-pi**2*t)*sin(pi*x)"
    equation = {
        "source": f"u_t = u_xx + {g}*(u - {sine})",
        "coefficient": f"u_t = (1 + {g})*u_xx + {g}*pi**2*u",
        "potential": f"u_t = u_xx + {g}*u_xx/pi**2 + {g}*u",
    }[kind]
    problem = heated(equation)
    assert thin_lines(problem)
    assert not_followed(problem, [Sines(math.pi**2, (0.0, 0.5))], UNIT) is None


def test_smooth_data_cost_nothing():
    problem = heated("u_t = (1 + x**2)*u_xx + sin(3*x)*cos(t)*u + exp(-x)")
    assert thin_lines(problem) == []


@pytest.mark.parametrize(
    "source",
    ["exp(-((x - 0.3091)**2 + (y - 0.2)**2)/1e-6)/1e-6", "exp(-((x**2 + y**2 - 0.25)/1e-3)**2)/1e-3"],
)
@pytest.mark.parametrize("domain", [Box(x=(-1, 1), y=(-1, 1)), Disk(radius=1)])
def test_a_needle_and_a_ring_in_the_plane(source, domain):
    problem = Problem(
        f"u_t = lap(u) + {source}", domain=domain, time=(0, 0.5), initial="0", boundary={"*": "u = 0"}
    )
    found = not_followed(problem, [Sines(2 * math.pi**2, (0.0, 0.5))], UNIT)
    assert found is not None
    assert found.effect > 0.05
    x, y = found.place["x"], found.place["y"]
    assert abs(math.hypot(x, y) - (0.5 if "0.25" in source else math.hypot(0.3091, 0.2))) < 0.01


def test_boundary_data_that_are_thin_along_a_face_and_along_an_arc():
    for domain, part in ((Box(x=(-1, 1), y=(-1, 1)), "y-"), (Disk(radius=1), "*")):
        boundary = {part: "u = exp(-((x - 0.3091)/1e-3)**2)"} | ({"*": "u = 0"} if part != "*" else {})
        problem = Problem("u_t = lap(u)", domain=domain, time=(0, 1), initial="0", boundary=boundary)
        found = not_followed(problem, [Sines(2 * math.pi**2, (0.0, 1.0))], UNIT)
        assert found is not None
        assert found.place["x"] == pytest.approx(0.3091, abs=3e-3)


class Bent:
    """u = 1 at rest, with a second derivative of its own."""

    def __init__(self, bend, window):
        self.bend, self.window = bend, window

    def values(self, jets, points):
        found = {(0, 0): np.ones(len(points)), (2, 0): self.bend(points[:, 0])}
        return {jet: found.get(jet.index, np.zeros(len(points))) for jet in jets}


def test_a_residual_that_goes_on_beside_a_jump_is_not_that_of_the_jump():
    problem = heated("u_t = u_xx + where(x > 0.37, 10, 0)")
    source = lambda x: np.where(x > 0.37, 10.0, 0.0)  # noqa: E731
    off = Bent(lambda x: -source(x) + np.where(abs(x - 0.37) < 0.1, 3.0, 0.0), (0.0, 0.5))
    assert not_followed(problem, [off], UNIT) is None
    for place in (0.369, 0.374):
        elsewhere = Bent(lambda x, place=place: -np.where(x > place, 10.0, 0.0), (0.0, 0.5))
        found = not_followed(problem, [elsewhere], UNIT)
        assert found is not None
        # A source 10 that is missed, or there, between two places.
        assert found.effect > 0.1 * 10 * abs(place - 0.37)


class Ended(Bent):
    """The same on two cells that meet at a place."""

    def __init__(self, bend, window, place):
        super().__init__(bend, window)
        self.place = place

    def parted(self, one, other):
        return (one[:, 0] > self.place) != (other[:, 0] > self.place)


@pytest.mark.parametrize(("place", "counts"), [(0.37, False), (0.38, True)])
def test_a_jump_at_which_cells_end_is_followed(place, counts):
    """Second derivatives that are off on both sides of it, by more than beside."""
    problem = heated("u_t = u_xx + where(x > 0.37, 10, 0)*(1 + sin(9*x))")
    off = Ended(lambda x: 50 * np.exp(-(((x - 0.37) / 1e-3) ** 2)), (0.0, 0.5), place)
    assert (not_followed(problem, [off], UNIT) is not None) == counts


@pytest.mark.parametrize("width", [1e-3, 1e-6])
def test_what_is_thin_on_one_side_of_a_jump_at_which_cells_end_is_missed(width):
    problem = heated(f"u_t = u_xx + where(x > 0.37, 10 + exp(-(x - 0.37)/{width})/{width}, 0)")
    missed = Ended(lambda x: np.where(x > 0.37, -10.0, 0.0), (0.0, 0.5), 0.37)
    found = not_followed(problem, [missed], UNIT)
    assert found is not None
    assert found.effect > 0.1


def test_data_that_one_of_two_solves_follows_are_told_by_their_difference():
    problem = heated("u_t = u_xx + 1000*exp(-((x - 0.5091)/1e-3)**2)")
    missed = Bent(lambda x: 0.0 * x, (0.0, 0.5))
    followed = Bent(lambda x: -1000 * np.exp(-(((x - 0.5091) / 1e-3) ** 2)), (0.0, 0.5))
    wavy = Bent(
        lambda x: 20 * np.sin(50 * x), (0.0, 0.5)
    )  # misses it as well, with another residual beside it
    alone = not_followed(problem, [missed], UNIT)
    both = not_followed(problem, [missed], UNIT, others=[wavy])
    assert alone is not None
    assert both is not None
    assert both.effect == pytest.approx(alone.effect, rel=0.1)
    assert not_followed(problem, [missed], UNIT, others=[followed]) is None
