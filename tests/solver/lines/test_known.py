# SPDX-License-Identifier: MIT
"""What a nearby solve has chosen is taken over: the answer is as good, nothing is believed, and what does not fit is said."""

import numpy as np
import pytest

import lrfm
from lrfm.problem import Box, Problem
from lrfm.solver.lines.attempts import LinesAttempts
from lrfm.solver.lines.choice import Chooser
from lrfm.solver.lines.known import Known

# u = sin(3x + p) e^{-t} + q x: with p and q any numbers
EXACT = "sin(3*x + p)*exp(-t) + q*x"
FORCED = f"u_t + u*u_x = 0.1*u_xx - sin(3*x + p)*exp(-t) + ({EXACT})*(3*cos(3*x + p)*exp(-t) + q) + 0.9*sin(3*x + p)*exp(-t)"


def stated(p, q):
    return Problem(
        FORCED,
        domain=Box(x=(-1, 1)),
        time=(0, 1),
        initial="sin(3*x + p) + q*x",
        boundary={"x-": "u = sin(p - 3)*exp(-t) - q", "x+": "u = sin(p + 3)*exp(-t) + q"},
        parameters={"p": p, "q": q},
        reference=EXACT,
    )


def true_error(solution):
    at = {"x": np.linspace(-1, 1, 83)[:, None], "t": np.linspace(0, 1, 17)}
    exact = solution.problem.reference(**at)
    return np.linalg.norm(solution(**at) - exact) / np.linalg.norm(exact)


@pytest.fixture
def searches(monkeypatch):
    """How often a chart was searched for at the start."""
    found = []
    usual = Chooser.start
    monkeypatch.setattr(Chooser, "start", lambda self: found.append(self.rules.tol) or usual(self))
    return found


def test_a_series_of_parameters_makes_no_search_and_keeps_its_word(searches):
    rng = np.random.default_rng(5)
    last = lrfm.solve(stated(0.3, 0.5), tol=1e-7)
    assert searches
    searches.clear()
    for p, q in rng.uniform(-1, 1, (3, 2)):
        last = lrfm.solve(stated(float(p), float(q)), tol=1e-7, start=last)
        assert true_error(last) <= last.report.error_estimate <= 1e-7
        assert last.report.method == "lines"
        assert "`start`" in last.report.choices[0]
    assert not searches


def test_data_that_the_known_charts_do_not_hold_are_searched_for(searches):
    def front(width):
        return Problem(
            "u_t = 1e-3*u_xx", domain=Box(x=(-1, 1)), time=(0, 0.1), initial="tanh(x/w)",
            boundary={"x-": "u = -1", "x+": "u = 1"}, parameters={"w": width}, check_corners=False,
        )  # fmt: skip

    broad = lrfm.solve(front(0.1), tol=1e-5)
    searches.clear()
    warm = lrfm.solve(front(0.01), tol=1e-5, start=broad)
    assert searches
    assert warm.report.solved
    cold = lrfm.solve(front(0.01), tol=1e-5)
    at = {"x": np.linspace(-0.1, 0.1, 201), "t": 0.05}
    assert np.abs(warm(**at) - cold(**at)).max() < 1e-4


def test_what_was_not_enough_is_chosen_anew(monkeypatch):
    near = lrfm.solve(stated(0.1, 0.2), tol=1e-6)
    usual = LinesAttempts.enough

    def doubts(self, solution):
        solution.report.error_estimate = 1.0 if any(self.known) else solution.report.error_estimate
        return usual(self, solution)

    monkeypatch.setattr(type(near.report), "__setattr__", object.__setattr__)
    monkeypatch.setattr(LinesAttempts, "enough", doubts)
    found = lrfm.solve(stated(0.1, 0.25), tol=1e-6, start=near)
    assert found.report.solved
    assert found.report.choices == ("the choices of `start` were not enough: chosen anew",)
    assert true_error(found) < 1e-6


def test_the_first_step_is_that_of_the_start():
    near = lrfm.solve(stated(0.1, 0.2), tol=1e-6)
    known = Known.of(near.pieces)
    assert known.length == pytest.approx(np.diff(near.pieces[0].edges)[0])
    assert known.charts[0] == tuple((a.chart, a.modes) for a in near.pieces[0].basis.axes)


def test_a_solution_from_a_file_is_a_start(tmp_path):
    path = tmp_path / "near.lrfm"
    lrfm.solve(stated(0.1, 0.2), tol=1e-6).save(path)
    found = lrfm.solve(stated(0.15, 0.2), tol=1e-6, start=lrfm.load(path))
    assert found.report.solved
    assert true_error(found) < 1e-6


def test_what_does_not_fit_is_said():
    problem = lrfm.catalog.heat_1d()
    space_time = lrfm.solve(
        problem, method=lrfm.SpaceTime(space=lrfm.Liquid(features=40)), estimate=False, strict=False
    )
    with pytest.raises(ValueError, match="`start` was solved in space and time"):
        lrfm.solve(problem, method="lines", start=space_time)
    around = Problem(
        "u_t = u_xx", domain=Box(x=(0, 1)), time=(0, 0.1), initial="sin(2*pi*x)", boundary="periodic"
    )
    between = Problem(
        "u_t = u_xx", domain=Box(x=(0, 1)), time=(0, 0.1), initial="sin(2*pi*x)", boundary={"*": "u = 0"}
    )
    with pytest.raises(ValueError, match="on another domain"):
        lrfm.solve(between, start=lrfm.solve(around, tol=1e-3))


def test_without_an_estimate_the_second_draw_has_the_first_ones_charts():
    near = lrfm.solve(stated(0.1, 0.2), tol=None, method="lines", estimate=False)
    found = lrfm.solve(stated(0.1, 0.3), tol=1e-6, start=near)
    assert found.report.solved
    assert true_error(found) < 1e-6
