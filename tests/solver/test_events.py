# SPDX-License-Identifier: MIT
"""Events: solves that end when something happens, and the times at which it does."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import brentq

import lrfm
from lrfm.solver import api
from lrfm.solver.until import solve_until

LINE = lrfm.Box(x=(0, 1))
HEAT = dict(equation="u_t = u_xx", domain=LINE, time=(0, 5), initial="sin(pi*x)", boundary="u = 0")

EVENTS = [
    ("max(u) < 0.1", np.log(10) / np.pi**2),
    ("u(x=0.25) = 0.5", np.log(np.sin(np.pi / 4) / 0.5) / np.pi**2),
    ("mean(u) <= 0.3", np.log(2 / np.pi / 0.3) / np.pi**2),
    ("integral(u**2) < 0.25", np.log(2) / (2 * np.pi**2)),
]


@pytest.mark.parametrize(("until", "exact"), EVENTS)
def test_a_solve_ends_at_a_time_within_its_error(until, exact):
    solution = lrfm.solve(lrfm.Problem(**HEAT), tol=1e-7, until=until)
    assert abs(solution.event.t - exact) <= max(solution.event.error, 1e-11)
    assert solution.event.error < 1e-7
    assert solution.block_edges[-1] == solution.event.t
    assert "ended by" in solution.report.details


def test_what_happens_before_a_blow_up_is_found(tmp_path):
    solution = lrfm.solve(lrfm.Problem("x_t = x**2", time=(0, 2), initial=1), tol=1e-7, until="x > 50")
    assert abs(solution.event.t - 0.98) < 1e-7
    again = lrfm.load(solution.save(tmp_path / "s.lrfm"))
    assert np.isclose(again.x(t=solution.event.t), 50, rtol=1e-5)


def test_all_times_of_an_oscillation():
    solution = lrfm.solve(lrfm.Problem("x_tt = -x", time=(0, 20), initial={"x": 1, "x_t": 0}), tol=1e-8)
    found = lrfm.find(solution, "x = 0")
    assert np.allclose([c.t for c in found], (np.arange(6) + 0.5) * np.pi, atol=1e-7)
    rising = lrfm.find(solution, "x > 0")
    assert np.allclose([c.t for c in rising[1:]], (np.array([1, 3, 5]) + 0.5) * np.pi, atol=1e-7)
    assert rising[0].t == 0


def test_until_steady_agrees_with_the_steady_state():
    problem = lrfm.Problem(**{**HEAT, "equation": "u_t = u_xx + 1"})
    solution = lrfm.solve(problem, tol=1e-6, until="steady")
    assert solution.event.t < 3
    assert np.isclose(solution(x=0.5, t=solution.event.t), lrfm.steady(problem)(x=0.5), rtol=1e-5)


@pytest.mark.parametrize(
    ("until", "said"), [("x = 1", "touch near t = 1.57"), ("x > 1.0001", "does not happen")]
)
def test_what_only_touches_is_not_said_to_be_missed(until, said):
    swing = lrfm.Problem("x_tt = -x", time=(0, 5), initial={"x": 0, "x_t": 1})
    solution = lrfm.solve(swing, tol=1e-6, until=until)
    assert any(said in warning for warning in solution.report.warnings)


def test_what_does_not_happen_is_said():
    short = lrfm.Problem(**{**HEAT, "time": (0, 0.1)})
    solution = lrfm.solve(short, tol=1e-4, until="max(u) > 2")
    assert any("does not happen before t = 0.1" in w for w in solution.report.warnings)
    assert solution.block_edges[-1] == 0.1


REFUSED = [
    ("u < 1", "is a function of space, and no number at a time"),
    ("max(u)", "is no relation of two sides"),
    ("max(w) < 1", "`w` is not known"),
    ("u(y=1) < 2", "a place has all of `x`"),
    (3, "expected a text such as"),
]


@pytest.mark.parametrize(("until", "said"), REFUSED)
def test_what_is_no_event_is_refused_with_a_sentence(until, said):
    with pytest.raises(lrfm.ProblemError, match=said):
        lrfm.solve(lrfm.Problem(**HEAT), tol=1e-4, until=until)


def test_steady_solutions_have_no_times():
    still = lrfm.steady(lrfm.Problem("u_xx = 1", domain=LINE, boundary="u = 0"))
    with pytest.raises(lrfm.ProblemError, match="no times"):
        lrfm.find(still, "max(u) = 1")


def test_the_report_has_the_seconds_of_all_solves(monkeypatch):
    """A rough solve says when, another one goes there: both count."""
    seconds, whole = [], api.solve_until

    def watched(problem, until, tol, solve):
        def one(*given):
            found = solve(*given)
            seconds.append(found.report.seconds)
            return found

        return whole(problem, until, tol, one)

    monkeypatch.setattr(api, "solve_until", watched)
    solution = lrfm.solve(lrfm.Problem(**HEAT), tol=1e-4, until="max(u) < 0.5")
    assert len(seconds) == 2
    assert solution.report.seconds >= sum(seconds)


def test_where_the_time_runs_out_nothing_more_is_solved():
    problem, calls = lrfm.Problem(**HEAT), []
    short = lrfm.solve(problem, tol=1e-4)
    short.report = replace(short.report, status=lrfm.Status.OUT_OF_TIME)

    def solve(*given):
        calls.append(given)
        return short

    found = solve_until(problem, "max(u) < 0.5", 1e-4, solve)
    assert len(calls) == 1
    assert "time ran out" in found.report.warnings[-1]


def test_what_begins_at_the_event_has_its_error_there():
    """x′ = 0 at t = 0, where the comparison is zero to rounding and may lie on the other side: the error was the distance to the next event, 2π."""
    problem = lrfm.Problem("x_tt = -x", time=(0, 20), initial={"x": 1, "x_t": 0})
    found = lrfm.find(lrfm.solve(problem, tol=1e-8), "x_t = 0")
    for crossing in found:
        gap = abs(crossing.t - np.pi * np.round(crossing.t / np.pi))
        assert gap <= crossing.error + 1e-10
        assert crossing.error < 1e-6


def test_a_slope_that_is_infinite_at_the_start_is_no_warning_of_numpy(recwarn):
    """√x at zero: of its solutions zero is found."""
    solution = lrfm.solve(lrfm.Problem("x_t = sqrt(x)", time=(0, 2), initial=0), tol=1e-6)
    assert solution(t=1.0) == 0
    assert not [w for w in recwarn if issubclass(w.category, RuntimeWarning)]


@pytest.mark.parametrize("until", ["y = 0", "y < 0"])
def test_a_ball_that_leaves_the_ground_comes_back(until):
    """y = (v + g/k)/k (1 − e^{−kt}) − gt/k is zero at the start to rounding, which is no event."""
    v, g, k = 20.0, 9.81, 0.1
    problem = lrfm.Problem(["y_t = v", f"v_t = -{g} - {k}*v"], time=(0, 10), initial={"y": 0, "v": v})
    event = lrfm.solve(problem, tol=1e-8, until=until).event
    back = brentq(lambda t: (v + g / k) / k * (1 - np.exp(-k * t)) - g * t / k, 0.5, 10, xtol=1e-14)
    assert abs(event.t - back) <= event.error < 1e-7
