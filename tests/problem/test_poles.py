# SPDX-License-Identifier: MIT
"""Poles of coefficients inside the domain are said to be there; what is only thin, or on a face, is not one."""

import math

import numpy as np
import pytest

from lrfm.error.well_posed import missing_conditions
from lrfm.problem import Box, Problem
from lrfm.problem.landmarks import ROUNDS, poles


def stated(equation):
    return Problem(equation, domain=Box(x=(0, 1)), time=(0, 1), initial="sin(pi*x)", boundary="u = 0")


@pytest.mark.parametrize(
    ("equation", "place"),
    [
        ("u_t = u_xx + tan(3*x)*u_x", math.pi / 6),
        ("u_t = u_xx + u/(x - 0.3)", 0.3),
        ("u_t = u_xx + 1/(x - 0.3)**2", 0.3),
        ("u_t = u_xx + cos(t)/sin(2.5*pi*x)", 0.4),
    ],
)
def test_poles_are_found(equation, place):
    problem = stated(equation)
    ((_, axis, found),) = poles(problem)
    assert axis == "x"
    assert found == pytest.approx(place, abs=1e-6)
    (warning,) = [text for text in problem.warnings if "grows without bound" in text]
    assert f"at x={place:.6g}, inside the domain" in warning


@pytest.mark.parametrize(
    "equation",
    [
        "u_t = u_xx + u_x/x",  # on a face
        "u_t = u_xx + 1000*exp(-((x - 0.5)/1e-6)**2)",  # thin
        "u_t = u_xx + 1/((x - 0.4)**2 + 1e-8)",
        "u_t = u_xx + u/sqrt(abs(x - 0.4))",  # can be integrated
        "u_t = u_xx + log(abs(x - 0.4))",
        "u_t = u_xx + tan(x)*u",
    ],
)
def test_what_is_no_pole(equation):
    assert poles(stated(equation)) == []


def test_conditions_are_not_counted_across_a_pole():
    """tan(3x) changes its sign through infinity: coefficients beside it made all others zero, and a face was said to need two conditions."""
    assert missing_conditions(stated("u_t = u_xx + tan(3*x)*u_x"), None) is None


def test_what_is_given_is_looked_at_a_few_times_only():
    """Twelve times closer around all tops at once, and not around each of them."""
    looked = []

    def bumps(x, t):
        looked.append(np.size(x))
        return 2 + np.sin(40 * x)

    problem = Problem(
        "u_t = u_xx + f", domain=Box(x=(0, 1)), time=(0, 1), initial="0", boundary="u = 0", parameters={"f": bumps}
    )  # fmt: skip
    again = problem.replace(boundary="u = 0")
    looked.clear()
    assert poles(again) == []
    assert len(looked) <= 1 + ROUNDS
