# SPDX-License-Identifier: MIT
"""Where a mistake stands, what is missing, and words that files and Python share."""

from __future__ import annotations

import pytest
from mistakes.good import GOOD

from lrfm import Box, Problem, ProblemError


def test_what_is_missing_is_named():
    with pytest.raises(ProblemError, match=r"`domain` is missing; write `domain=lrfm.Box"):
        Problem("u_t = u_xx")
    with pytest.raises(ProblemError, match="`equation` is missing"):
        Problem(domain=Box(x=(0, 1)), time=(0, 1))


@pytest.mark.parametrize(
    ("equation", "marked"),
    [
        ("u_t = u_xx + 3*q", "q"),
        ("u_t = u_xx + ln(u)", "ln(u)"),
        ("u_t = u_xx + sin(u, 2)", "sin(u, 2)"),
        ("u_t = u_xx +   (u ; 2)", ";"),
        ("u_t = D*u_xx", "D"),
        ("u_t = ü*u_xx + 2*π", "ü"),
    ],
)
def test_the_error_carries_its_place(equation, marked):
    with pytest.raises(ProblemError) as caught:
        Problem(**{**GOOD, "domain": GOOD["domain"](), "equation": equation})
    place = caught.value.place
    assert place.text[place.start : place.end] == marked
    assert caught.value.column == place.start + 1
    assert caught.value.in_file("heat.toml").place == place


def test_words_of_files_are_words_of_python():
    problem = Problem(
        "1j*psi_t + c*psi_x = 0",
        domain=Box(x=("0", "2*pi")),
        time=(0, "1/2"),
        initial="exp(1j*x)",
        boundary={"x-": "psi = exp(-1j*c*t)", "x+": "none"},
        unknowns={"psi": "complex"},
        parameters={"a": "0.05/pi", "c": "2*a"},
        reference="exp(1j*(x - c*t))",
    )
    assert problem.domain.axes["x"][1] == pytest.approx(6.283185307179586)
    assert problem.time == (0.0, 0.5)
    assert problem.parameters["c"] == pytest.approx(0.1 / 3.141592653589793)
    assert problem.face_rows["x+"] == ()
    assert problem.reference(x=0.0, t=0.0) == 1.0
    from lrfm.problem.file import parse

    again = parse(problem.to_toml()).problem
    assert again.to_toml() == problem.to_toml()
    assert (again.equations, again.unknowns, again.parameters) == (
        problem.equations,
        problem.unknowns,
        problem.parameters,
    )
