# SPDX-License-Identifier: MIT
"""Data at the end, and orbits: exact solutions, sentences, and files that say the same again."""

import numpy as np
import pytest
from helpers import Clock, random_error

import lrfm
from lrfm.error.well_posed import missing_conditions
from lrfm.problem.file import parse

LINE = dict(domain=lrfm.Box(x=(0, 1)), boundary="u = 0")
W = 2 * np.pi


def met(problem, tol=1e-6):
    solution = lrfm.solve(problem, tol=tol)
    assert solution.report.method == "space-time"
    assert any("tie all times together" in text for text in solution.report.choices)
    assert random_error(solution, 500) <= tol
    assert solution.report.error_estimate <= tol
    return solution


def test_the_orbit_of_a_heat_equation_with_a_periodic_source(tmp_path):
    """u = (k cos ωt + ω sin ωt) sin πx / (k² + ω²), k = π²; saved and loaded."""
    problem = lrfm.Problem(
        "u_t = u_xx + sin(pi*x)*cos(2*pi*t)",
        **LINE,
        time=(0, 1),
        initial="periodic",
        reference="sin(pi*x)*(pi**2*cos(2*pi*t) + 2*pi*sin(2*pi*t))/(pi**4 + 4*pi**2)",
    )
    solution = met(problem)
    solution.save(tmp_path / "orbit.lrfm")
    again = lrfm.load(tmp_path / "orbit.lrfm")
    assert again.problem.cyclic
    assert again(x=0.3, t=0.7) == solution(x=0.3, t=0.7)


def test_a_nonlinear_orbit():
    u = lambda x, t: np.sin(np.pi * x) * (1 + 0.5 * np.sin(W * t))  # noqa: E731
    source = lambda x, t: (  # noqa: E731
        np.sin(np.pi * x) * 0.5 * W * np.cos(W * t) + np.pi**2 * u(x, t) + u(x, t) ** 3
    )
    given = dict(LINE, time=(0, 1), initial="periodic", parameters={"f": source}, reference=u)
    met(lrfm.Problem("u_t = u_xx - u**3 + f", **given))


@pytest.mark.parametrize("sign", [-1, 1])
def test_values_at_both_ends(sign):
    """u_tt = −u_xx is Laplace's equation; u_tt = u_xx far from its resonances has one solution, too."""
    T = 0.4
    shape = "sinh(pi*(0.4 - t))/sinh(pi*0.4)" if sign < 0 else "sin(pi*(0.4 - t))/sin(pi*0.4)"
    given = dict(LINE, time=(0, T), initial="sin(pi*x)", final="0", reference=f"sin(pi*x)*{shape}")
    met(lrfm.Problem(f"u_tt = {sign}*u_xx", **given))


def test_advection_from_its_end_takes_its_condition_where_it_leaves():
    given = dict(domain=LINE["domain"], time=(0, 1), final="sin(3*(x - 1))", reference="sin(3*(x - t))")
    met(lrfm.Problem("u_t + u_x = 0", **given, boundary={"x-": None, "x+": "u = sin(3*(1 - t))"}))
    wrong = lrfm.Problem("u_t + u_x = 0", **given, boundary={"x-": "u = sin(-3*t)", "x+": None})
    missing = missing_conditions(wrong, None)
    assert missing is not None
    assert missing.face == "x+"


def test_heat_backward_in_time_is_refused_and_forward_from_its_end_never_asked():
    with pytest.raises(lrfm.ProblemError, match="ill-posed backward in time"):
        lrfm.solve(lrfm.Problem("u_t = u_xx", **LINE, time=(0, 1), final="sin(pi*x)"))


def test_an_orbit_that_is_not_unique_is_not_claimed(monkeypatch):
    """With no flux through the ends any constant may be added."""
    given = dict(domain=LINE["domain"], boundary="u_n = 0", time=(0, 1), initial="periodic")
    Clock(monkeypatch, pace=0.01)
    solution = lrfm.solve(
        lrfm.Problem("u_t = u_xx + cos(2*pi*t)", **given), tol=1e-4, strict=False, max_seconds=5
    )
    assert not solution.report.error_estimate <= 1e-4


WAVE = dict(LINE, equation="u_tt = u_xx", time=(0, 0.4))
WRONG = [
    (
        dict(initial={"u": "x", "u_t": 0}, final="x"),
        "`initial` and `final` give 3 conditions on `u` together;",
    ),
    (dict(final="x"), "`initial` and `final` give 1 condition on `u` together;"),
    (dict(initial="periodic", final="x"), "`initial` is `periodic`, and `final` was given as 'x';"),
    (dict(initial="x", final={"v": 0}), "`final` has an entry 'v'; expected some of `u`, `u_t`."),
    (
        dict(initial="x", final="t"),
        "`final` of `u` contains `t`; final data are functions of `x` only. Put the end time",
    ),
    (dict(time="periodic"), "`time` was given as 'periodic'; give the period, such as `time=(0, 1)`, and"),
    (dict(initial="x", final="1/x"), "`final` of `u` is not finite at x=0, t=0.4;"),
]


@pytest.mark.parametrize(("changes", "said"), WRONG, ids=[said[:40] for _, said in WRONG])
def test_what_cannot_be_meant_gets_a_sentence(changes, said):
    with pytest.raises(lrfm.ProblemError) as caught:
        lrfm.Problem(**{**WAVE, **changes})
    assert str(caught.value).startswith(said)


def test_files_say_the_same_and_lines_and_blocks_are_refused():
    problem = lrfm.Problem(**WAVE, initial="sin(pi*x)", final={"u_t": 0})
    again = parse(problem.to_toml()).problem
    assert (again.initial, again.final) == (problem.initial, problem.final)
    assert parse(lrfm.Problem(**WAVE, initial="periodic").to_toml()).problem.cyclic
    assert "periodic in" in lrfm.Problem(**WAVE, initial="periodic")._repr_latex_()
    with pytest.raises(lrfm.ProblemError, match="about all times at once"):
        lrfm.solve(problem, method="lines")
    with pytest.raises(ValueError, match="tie all times together; leave `blocks` out"):
        lrfm.solve(problem, method=lrfm.SpaceTime(blocks=3))
    with pytest.raises(lrfm.ProblemError, match="An operator maps data at the start"):
        lrfm.operator(problem)
    assert problem.with_initial({"u": "x", "u_t": "0"}).forward
