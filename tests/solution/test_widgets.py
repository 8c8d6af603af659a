# SPDX-License-Identifier: MIT
"""Sliders of a notebook: what they are moved to is what is drawn."""

import numpy as np
import pytest

import lrfm
from lrfm.solution.plot.widgets import TIMES, Explorer, span

pytest.importorskip("ipywidgets")
PNG = b"\x89PNG"


@pytest.fixture(scope="module")
def heat():
    return lrfm.Problem(
        "u_t = k*u_xx",
        domain=lrfm.Box(x=(0, 1)),
        time=(0, 0.1),
        initial="sin(pi*x)",
        boundary="u = 0",
        parameters={"k": 1.0},
    )


def test_time_moves_the_curve(heat):
    """The line that is drawn at the last place is e^{-π² t} sin πx."""
    solution = lrfm.solve(heat, tol=1e-4)
    explorer = Explorer(lambda: solution, {})
    before = bytes(explorer.image.value)
    explorer.time.index = TIMES - 1
    line = explorer._figure.axes[0].lines[0]
    assert np.allclose(
        line.get_ydata(), np.exp(-0.1 * np.pi**2) * np.sin(np.pi * line.get_xdata()), atol=1e-4
    )
    assert before.startswith(PNG)
    after = bytes(explorer.image.value)
    assert after.startswith(PNG)
    assert after != before
    assert solution.explore().children[0].index == 0


def test_numbers_are_solved_for(heat):
    prepared = lrfm.prepare(heat, tol=1e-4)
    explorer = Explorer(prepared, {"k": span(1.0, (0.1, 10))})
    explorer.numbers["k"].value = 0.5
    explorer.time.index = TIMES - 1
    line = explorer._figure.axes[0].lines[0]
    assert np.allclose(
        line.get_ydata(), np.exp(-0.05 * np.pi**2) * np.sin(np.pi * line.get_xdata()), atol=1e-4
    )
    assert "tolerance met" in explorer.said.value
    _, k, *_ = prepared.explore(k=(0.1, 10)).children
    assert (k.description, k.value) == ("k", 1.0)


def test_what_cannot_be_moved_gets_a_sentence(heat):
    rest = lrfm.steady(lrfm.Problem("u_xx = -1", domain=lrfm.Box(x=(0, 1)), boundary="u = 0"))
    with pytest.raises(ValueError, match=r"draw it: `solution\.plot\(\)`"):
        rest.explore()
    decay = lrfm.solve(lrfm.Problem("x_t = -x", time=(0, 1), initial=1), tol=1e-4)
    with pytest.raises(ValueError, match=r"no space to be shown at one time; draw it over time"):
        decay.explore()
    with pytest.raises(ValueError, match=r"no space to be shown at one time; draw it over time"):
        decay.animate("decay.gif")
    with pytest.raises(ValueError, match="the smaller first"):
        lrfm.prepare(heat, tol=1e-3).explore(k=(2, 1))
    with pytest.raises(lrfm.ProblemError, match="there are `k`"):
        lrfm.prepare(heat, tol=1e-3).explore(D=(1, 2))
