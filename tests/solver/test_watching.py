# SPDX-License-Identifier: MIT
"""A solve that is watched, and one that is ended by who watches it."""

import numpy as np
import pytest

import lrfm
from lrfm.solver.watching import LINES, View, Watch, picture
from lrfm.studio.jobs import Job, Listener

HEAT = lrfm.Problem(
    "u_t = u_xx", domain=lrfm.Box(x=(0, 1)), time=(0, 0.1), initial="sin(pi*x)", boundary="u = 0"
)
X = np.linspace(0, 1, 11)


def exact(t):
    return np.exp(-(np.pi**2) * t) * np.sin(np.pi * X)


def test_what_is_seen_is_what_the_solution_will_be():
    seen = []
    solution = lrfm.solve(HEAT, tol=1e-6, progress=Watch(lambda t, u: seen.append((t, u(x=X))), every=0))
    times = [t for t, _ in seen]
    assert times == sorted(times)
    assert times[-1] == 0.1
    for t, values in seen:
        assert np.max(np.abs(values - solution(x=X, t=t))) < 1e-12
    assert solution.report.solved


@pytest.mark.parametrize("stops", [lambda t: t < 0.03, lambda t: t < 0.03 or next(iter(()))])
def test_who_watches_can_end_it(stops):
    """By False or by StopIteration."""
    solution = lrfm.solve(HEAT, tol=1e-6, progress=Watch(lambda t, u: stops(t), every=0))
    end = float(solution.block_edges[-1])
    assert 0.03 <= end < 0.1
    assert solution.report.status == lrfm.Status.NOT_FINISHED
    assert np.isnan(solution.report.error_estimate)
    assert solution.report.stopped == "progress"
    assert np.max(np.abs(solution(x=X, t=end) - exact(end))) < 1e-5


def test_of_several_unknowns_u_is_a_dictionary_and_series_are_watched_too():
    two = lrfm.Problem(
        ["u_t = u_xx + u_yy - v", "v_t = v_xx + v_yy"],
        domain=lrfm.Box(x=(0, 1), y=(0, 1)),
        time=(0, 0.02),
        initial={"u": "sin(2*pi*x)", "v": "cos(2*pi*y)"},
        boundary="periodic",
    )
    seen = []
    lrfm.solve(two, tol=1e-3, progress=Watch(lambda t, u: seen.append((t, u(x=0.25, y=0.0))), every=0))
    t, found = seen[-1]
    assert t == 0.02
    assert found["v"] == pytest.approx(np.exp(-4 * np.pi**2 * 0.02), abs=2e-3)


def test_other_engines_are_watched_too():
    wave = lrfm.Problem(
        "u_tt = u_xx",
        domain=lrfm.Box(x=(0, 1)),
        time=(0, 1),
        initial={"u": "sin(pi*x)", "u_t": 0},
        boundary="u = 0",
    )
    seen = []
    lrfm.solve(wave, tol=1e-4, progress=Watch(lambda t, u: seen.append((t, u(x=0.5))), every=0))
    assert seen
    t, value = seen[-1]
    assert value == pytest.approx(np.cos(np.pi * t), abs=1e-3)


def test_bad_watches_get_a_sentence():
    with pytest.raises(TypeError, match="expected a function of t and u"):
        lrfm.Watch(3)
    with pytest.raises(ValueError, match="seconds"):
        lrfm.Watch(print, every=-1)


def test_a_picture_of_letters():
    view = View(0.5, lambda x: x, lambda: None, HEAT)
    *lines, told = picture(view).split("\n")
    assert told.startswith("u at t = 0.5")
    assert len(lines) == LINES
    heights = [sum(" ▁▂▃▄▅▆▇█".index(line[i]) for line in lines) for i in range(len(lines[0]))]
    assert heights == sorted(heights)
    assert (heights[0], heights[-1]) == (1, 8 * LINES)


def test_the_studio_has_what_there_is_so_far():
    job = Job("1", HEAT, {})
    listener = Listener(job)
    listener._pace._next = 0.0
    lrfm.solve(HEAT, tol=1e-4, progress=listener)
    assert job.drawings >= 2  # a part of it, then all
    assert job.visible.is_set()
