# SPDX-License-Identifier: MIT
"""A load that acts on a support at the start is named, with the switch that makes it smooth."""

import pytest

from lrfm.problem import Box, Problem
from lrfm.problem.checks import Contradiction


def beam(load, wall="u = 0", order="u_xxxx"):
    hinged = [wall, "u_xx = 0"] if order == "u_xxxx" else wall
    return Problem(
        f"u_tt = -{order} + {load}" if order == "u_xxxx" else f"u_tt = {order} + {load}",
        domain=Box(x=(0, 1)),
        time=(0, 1),
        initial={"u": "0", "u_t": "0"},
        boundary=hinged,
    )


def told(problem):
    return [text for text in problem.warnings if isinstance(text, Contradiction)]


def test_a_load_that_enters_at_a_support_is_named():
    (warning,) = told(beam("exp(-((x - t)/0.1)**2)"))
    assert (
        "`boundary` on `x-` and the equation contradict each other at x=0, t=0, by 1 times their size"
        in warning
    )
    assert "multiply it by `1 - exp(-(t/0.01)**2)`" in warning


@pytest.mark.parametrize(
    "problem",
    [
        beam("exp(-((x - t)/0.1)**2)*(1 - exp(-(t/0.01)**2))"),  # what the warning proposes
        beam("exp(-((x + 0.5 - t)/0.1)**2)"),  # enters later
        beam("exp(-((x - 0.5 - t)/0.1)**2)"),  # begins in the middle
        beam("sin(pi*x)"),
        beam("exp(-((x - t)/0.1)**2)", order="u_xx"),  # a string keeps its corner on a characteristic
    ],
)
def test_loads_that_do_not(problem):
    assert told(problem) == []


def test_a_support_that_moves_with_the_load_is_no_contradiction():
    """u_tt = 2 on the wall, and a load of 2 there."""
    assert told(beam("2", wall="u = t**2")) == []
    assert len(told(beam("1", wall="u = t**2"))) == 2
