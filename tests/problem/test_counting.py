# SPDX-License-Identifier: MIT
"""Conditions on faces: as many as waves enter there, and none that contradict each other."""

import pytest

from lrfm import Box, Disk, Problem, ProblemError
from lrfm.error.well_posed import missing_conditions


def stated(equation, boundary, low=-1, **given):
    given = {"domain": Box(x=(low, 1)), "time": (0, 1), "initial": 0, **given}
    return Problem(equation, boundary=boundary, **given)


@pytest.mark.parametrize(
    ("equation", "boundary", "low"),
    [
        ("u_t + x*u_x = 0", {"x": None}, -1),  # leaves through both faces
        ("u_t - x*u_x = 0", "u = 0", -1),  # enters through both
        ("u_t = diff((1 - x**2)*u_x, x)", {"x": None}, -1),  # Legendre: no flux at the ends
        ("u_t = x**2*u_xx + x*u_x - u", {"x-": None, "x+": "u = 0"}, 0),  # Black and Scholes
    ],
)
def test_degenerate_equations_take_what_enters(equation, boundary, low):
    assert stated(equation, boundary, low).warnings == ()


@pytest.mark.parametrize(
    ("equation", "boundary", "effect"),
    [
        ("u_t - x*u_x = 0", {"x": None}, "may not be unique"),
        ("u_t + x*u_x = 0", "u = 0", "may not exist"),
        ("u_t + u_x = 0", "u = 0", "may not exist"),
        ("u_t = u_xx", {"x-": "u = 0", "x+": None}, "may not be unique"),
        ("u_t = u_xx", ["u = 0", "u_n = 0"], "may not exist"),
        ("u_t = u_xx", ["u = 0", "2*u = 0"], "may not exist"),  # twice the same contradicts nothing
    ],
)
def test_other_numbers_are_warned_about(equation, boundary, effect):
    assert any(effect in warning for warning in stated(equation, boundary).warnings)


@pytest.mark.parametrize(
    ("equation", "boundary", "given"),
    [
        ("u_t = u_xx", ["u = 0", "u = 1"], {}),
        ("u_t = u_xx", ["u = 1e-9*sin(t)", "2*u = 2e-9*cos(t)"], {}),
        (["u_t = u_xx", "v_t = v_xx"], ["u = v", "u - v = 1"], {"initial": {"u": 0, "v": 0}}),
        ("u_t = lap(u)", ["u_n = 0", "u_n = 1"], {"domain": Disk(radius=1)}),
    ],
)
def test_two_values_on_one_face(equation, boundary, given):
    with pytest.raises(
        ProblemError, match="has two conditions on the same thing that contradict each other at"
    ):
        stated(equation, boundary, **given)


def test_conditions_on_different_things():
    stated("u_tt + u_xxxx = 0", ["u = 0", "u_xx = 1"], initial={"u": 0, "u_t": 0})
    stated(["u_t = u_xx", "v_t = v_xx"], ["u = 0", "v = 1"], initial={"u": 0, "v": 1})


def integral(side, feedback):
    """w is the integral of u from one of the faces, and acts on u."""
    zero = {"x-": ["u = 0"], "x+": ["u = 0"]}
    zero[side] = ["u = 0", "w = 0"]
    return stated(["u_t = u_xx" + feedback, "w_x = u"], zero, low=0, initial={"u": "sin(pi*x)"})


@pytest.mark.parametrize("side", ["x-", "x+"])
@pytest.mark.parametrize("feedback", ["", " + 0.1*w", " - 0.1*w", " + x*w"])
def test_an_integral_begins_at_whichever_face_gives_it(side, feedback):
    """κ ≈ ±0.1/s belongs to neither face: it was asked for on the other one, and solutions that were right were called not unique."""
    assert missing_conditions(integral(side, feedback), None) is None


def test_what_is_really_missing_is_found_beside_an_integral():
    problem = stated(
        ["u_t = u_xx + 0.1*w", "w_x = u"],
        {"x-": ["w = 0"], "x+": ["u = 0"]},
        low=0,
        initial={"u": "sin(pi*x)"},
    )
    assert (
        missing_conditions(problem, None) is None
    )  # one condition on each face: which of them, a count does not tell
    problem = stated(
        ["u_t = u_xx + 0.1*w", "w_x = u"], {"x-": ["u = 0", "w = 0"], "x+": None}, low=0, initial={"u": "x"}
    )
    assert missing_conditions(problem, None).face == "x+"
