# SPDX-License-Identifier: MIT
"""The automatic choice: tolerances that are met, settings found by the held-out residual, problems that are refused."""

import itertools
import math
import pickle
from dataclasses import replace

import numpy as np
import pytest
from helpers import Clock, random_error, thinned

import lrfm
import lrfm.solver.run
from lrfm.error.well_posed import unbounded_growth
from lrfm.solver.budget import Budget, OutOfTime, Watch
from lrfm.solver.engine import block_rng
from lrfm.spacetime.search import Chooser, Setting, Tuner
from lrfm.spacetime.search.structure import drift_ranges, steep_points, zero_faces
from lrfm.spacetime.windows.propagator import Propagator
from lrfm.spacetime.windows.window import solve_window

BOX = lrfm.Box(x=(0, 1))


def heat(**changes):
    given = {
        "domain": BOX,
        "time": (0, 0.1),
        "initial": "sin(pi*x) + 0.3*sin(3*pi*x)",
        "boundary": "u = 0",
        "reference": lambda x, t: (
            np.exp(-(np.pi**2) * t) * np.sin(np.pi * x)
            + 0.3 * np.exp(-9 * np.pi**2 * t) * np.sin(3 * np.pi * x)
        ),
    }
    return lrfm.Problem("u_t = u_xx", **{**given, **changes})


@pytest.mark.parametrize("tol", [1e-3, 1e-6, pytest.param(1e-9, marks=pytest.mark.thorough)])
def test_tolerance_is_met_and_the_estimate_is_above_the_error(tol):
    solution = lrfm.solve(heat(), tol=tol, method="space-time")
    assert solution.report.status == "tolerance met"
    assert random_error(solution) <= solution.report.error_estimate <= tol


@pytest.mark.parametrize("name", thinned(["allen-cahn", "advection", "gray-scott", "fisher-kpp"], 4))
def test_catalog_problems_meet_1e_6(name):
    solution = lrfm.solve(lrfm.catalog.get(name), tol=1e-6, method="space-time")
    assert solution.report.error_estimate <= 1e-6
    assert random_error(solution) <= 1e-6


def test_another_seed_is_within_the_estimate():
    """Bits of the same seed: tests/linalg/test_threads.py."""
    first, other = (lrfm.solve(heat(), tol=1e-3, method="space-time", seed=s) for s in (4, 5))
    x, t = np.linspace(0, 1, 41), 0.07
    gap = np.abs(first(x=x, t=t) - other(x=x, t=t)).max()
    assert 0 < gap <= first.report.max_error_estimate + other.report.max_error_estimate


def test_fixed_size_is_kept_and_without_a_tolerance_nothing_is_missed():
    solution = lrfm.solve(heat(), method=lrfm.SpaceTime(features=120, blocks=1))
    assert solution.report.features == 120
    assert solution.report.status == "estimate only"
    assert any("pilot" in line for line in solution.report.choices)


@pytest.mark.thorough
def test_budget_ends_in_a_refusal_that_hands_back_the_best():
    with pytest.raises(lrfm.ConvergenceError, match="above tol") as caught:
        lrfm.solve(
            lrfm.catalog.kdv_consistent(), tol=1e-11, method=lrfm.SpaceTime(max_features=100, blocks=1)
        )
    assert caught.value.solution.report.status == "tolerance not met"
    assert np.isfinite(caught.value.solution(x=0.0, t=0.2))


def test_no_time_at_all_still_gives_an_answer(monkeypatch):
    Clock(monkeypatch, pace=0.02)
    solution = lrfm.solve(
        lrfm.catalog.kdv_consistent(), tol=1e-6, method="space-time", max_seconds=0.05, strict=False
    )
    assert solution.report.status != "tolerance met"
    assert np.isfinite(solution(x=0.0, t=float(solution.block_edges[-1])))  # the initial data at the least


def test_tolerance_without_an_estimate_is_refused():
    with pytest.raises(ValueError, match="a tolerance can only be met by an estimate"):
        lrfm.solve(heat(), tol=1e-3, estimate=False)
    assert math.isnan(
        lrfm.solve(
            heat(), method=lrfm.SpaceTime(features=120, blocks=1), estimate=False
        ).report.error_estimate
    )


# What has no answer --------------------------------------------------------------------------------------------------

ILL_POSED = {
    "diffusion with the wrong sign": ("u_t = -0.5*u_xx", {"initial": "sin(pi*x)"}),
    "fourth order with the wrong sign": (
        "u_t = u_xxxx",
        {"initial": "sin(pi*x)", "boundary": {"*": ["u = 0", "u_xx = 0"]}},
    ),
    "elliptic in time": ("u_tt = -u_xx", {"initial": {"u": "sin(pi*x)", "u_t": "0"}}),
}


@pytest.mark.parametrize("case", ILL_POSED)
def test_linear_ill_posed_problems_are_refused_before_any_solve(case):
    equation, data = ILL_POSED[case]
    problem = lrfm.Problem(equation, **{"domain": BOX, "time": (0, 0.5), "boundary": "u = 0", **data})
    with pytest.raises(lrfm.ProblemError, match="amplify short waves along `x` without bound"):
        lrfm.solve(problem, tol=1e-3)


def test_nonlinear_ill_posed_problem_makes_no_claim():
    problem = lrfm.Problem(
        "u_t = -(0.01 + 0.01*u**2)*u_xx", domain=BOX, time=(0, 0.1), initial="sin(pi*x)", boundary="u = 0"
    )
    with pytest.raises(lrfm.ConvergenceError, match="ill-posed") as caught:
        lrfm.solve(problem, method=lrfm.SpaceTime(features=80, blocks=1))
    report = caught.value.solution.report
    assert report.status == "ill-posed"
    assert math.isinf(report.error_estimate)


@pytest.mark.parametrize("name", lrfm.catalog.names())
def test_no_linear_catalog_problem_is_called_ill_posed(name):
    assert unbounded_growth(lrfm.catalog.get(name), None) is None


def test_a_shock_is_not_claimed(monkeypatch):
    """By this engine; conservation laws have one of their own, whose claims are compared with exact solutions (test_shocks.py)."""
    problem = lrfm.Problem(
        "u_t + u*u_x = 0",
        domain=lrfm.Box(x=(-1, 1)),
        time=(0, 0.6),
        initial="-sin(pi*x)",
        boundary="periodic",
    )
    Clock(monkeypatch, pace=0.01)
    solution = lrfm.solve(problem, tol=1e-3, method="space-time", strict=False, max_seconds=5)
    assert not solution.report.error_estimate <= 1e-3
    assert solution.report.status is not lrfm.Status.TOLERANCE_MET


# Parts of the search -------------------------------------------------------------------------------------------------


def test_search_lowers_the_held_out_residual_and_pilots_share_their_numbers():
    tuner = Tuner(heat(), (0.0, 0.1), 60, seed=1, start=Setting(weights=8.0, gate=20.0))
    before = tuner.best.score
    assert tuner.pilot(tuner.best.setting).score == pytest.approx(before, abs=1e-12)
    tuner.scalars()
    assert tuner.best.score < before - 2.0


def test_search_stops_at_its_goal():
    tuner = Tuner(heat(), (0.0, 0.1), 60, seed=1, start=Setting(), goal=1.0)
    tuner.scalars()
    assert tuner.count == 1


def test_zero_faces_are_read_off_the_statement():
    assert zero_faces(heat(), 0) == ("x-", "x+")
    assert zero_faces(heat(boundary={"x-": "u = 0", "x+": "u_n = 0"}, check_corners=False), 0) == ("x-",)
    assert zero_faces(heat(boundary={"x-": "u = 0", "x+": "u_n = 0"}, check_corners=False), 1) == ("x+",)
    assert zero_faces(heat(boundary="u = t", check_corners=False), 0) == ()
    system = lrfm.Problem(
        ["u_t = u_xx", "v_t = v_xx"],
        domain=BOX,
        time=(0, 1),
        initial={"u": "sin(pi*x)", "v": "cos(pi*x)"},
        boundary={"*": ["u = 0", "v_n = 0"]},
    )
    assert zero_faces(system, 0) == ()


def test_speed_of_a_travelling_wave_is_read_off_a_pilot():
    problem = lrfm.Problem(
        "u_t + 0.7*u_x = 0",
        domain=lrfm.Box(x=(0, 2)),
        time=(0, 0.4),
        initial="exp(sin(pi*x))",
        boundary="periodic",
    )
    tuner = Tuner(problem, (0.0, 0.4), 80, seed=1, start=Setting(weights=1.0))
    ((low, high),) = drift_ranges(tuner)
    assert low < 0.7 < high
    assert high - low < 0.05


def test_centers_gather_where_the_solution_is_steep():
    problem = lrfm.Problem(
        "u_t = 0.001*u_xx", domain=lrfm.Box(x=(-1, 1)), time=(0, 0.1), initial="tanh(8*x)", boundary={"*": "u_n = 0"},
        check_corners=False,
    )  # fmt: skip
    tuner = Tuner(problem, (0.0, 0.1), 80, seed=1, start=Setting(weights=6.0))
    points = steep_points(problem, tuner.best.solved.expansion, [0.05])[:, 0]
    assert np.mean(np.abs(points) < 0.25) > 0.5
    assert points.min() < -0.8
    assert points.max() > 0.8


def test_ladder_grows_and_its_last_choice_is_affordable():
    chooser = Chooser(lrfm.catalog.burgers(), 0, Budget(features=150, seconds=30.0), blocks=1)
    choices = list(chooser.ladder(1e-12))
    assert choices[-1].features <= 150
    assert all(a.features <= b.features for a, b in itertools.pairwise(choices))


# One factorization for many blocks -----------------------------------------------------------------------------------


def wave():
    return lrfm.Problem(
        "u_tt = u_xx + (pi**2 - 1)*sin(pi*x)*cos(t) + 6*t*(1 - x)",
        domain=BOX,
        time=(0, 2),
        initial={"u": "sin(pi*x)", "u_t": "0"},
        boundary={"x-": "u = t**3", "x+": "u = 0"},
        reference=lambda x, t: np.sin(np.pi * x) * np.cos(t) + t**3 * (1 - x),
    )


def test_propagator_gives_what_a_window_gives():
    problem = wave()
    parts = Setting(weights=1.5, gate=0.3, tau_min=3.0).parts(problem, 0.5, 80)
    direct = solve_window(problem, parts, (0.0, 0.5), None, block_rng(0, 0))
    mapped = Propagator(problem, parts, (0.0, 0.5), block_rng(0, 0)).step((0.0, 0.5), None, block_rng(0, 1))
    for field, c in direct.expansion.coefficients.items():
        assert np.allclose(c, mapped.expansion.coefficients[field], rtol=1e-9, atol=1e-9 * np.abs(c).max())


def test_propagator_shifts_sources_boundary_data_and_traces():
    problem = wave()
    parts = Setting(weights=1.5, gate=0.3, tau_min=3.0).parts(problem, 0.5, 160)
    propagator = Propagator(problem, parts, (0.0, 0.5), block_rng(0, 0))
    first = propagator.step((0.0, 0.5), None, block_rng(0, 1))
    second = propagator.step((0.5, 1.0), first.expansion, block_rng(0, 2))
    x = np.linspace(0, 1, 33)
    points = np.column_stack([x, np.full(33, 0.9)])
    (u,) = second.expansion.values([lrfm.problem.Jet("u", (0, 0))], points).values()
    assert second.report.residual < 1e-5
    assert np.abs(u - problem.reference(x, 0.9)).max() < 1e-6


def test_only_stationary_problems_share_a_factorization():
    assert wave().stationary
    assert not lrfm.catalog.burgers().stationary
    assert not heat(boundary={"x-": "(1 + t)*u = 0", "x+": "u = 0"}).stationary


def test_the_zero_solution_is_found_at_once():
    problem = heat(initial=0, reference=None)
    solution = lrfm.solve(problem, tol=1e-6)
    assert solution.report.blocks == 1
    assert np.all(solution(x=np.linspace(0, 1, 5), t=0.05) == 0)


def test_a_small_limit_on_features_is_kept():
    assert (
        lrfm.solve(
            heat(), tol=1e-10, method=lrfm.SpaceTime(max_features=30, blocks=1), strict=False
        ).report.features
        <= 30
    )


def test_a_size_that_cannot_fit_is_refused_before_any_pilot():
    with pytest.raises(lrfm.MemoryLimitError, match="The solve needs about"):
        lrfm.solve(heat(), method=lrfm.SpaceTime(features=10**6))


def test_a_contradiction_in_the_data_bounds_the_claim_from_below():
    problem = lrfm.catalog.kdv()
    assert problem.contradiction == pytest.approx(3.4e-3, rel=0.1)
    solution = lrfm.solve(problem, method=lrfm.SpaceTime(features=100, blocks=1), strict=False)
    assert solution.report.error_estimate >= problem.contradiction
    assert heat().contradiction == 0.0
    assert pickle.loads(pickle.dumps(problem.replace(reference=None))).contradiction == problem.contradiction
    assert all(type(text) is str for text in solution.report.warnings)


# Limits --------------------------------------------------------------------------------------------------------------


def test_pilots_end_with_the_clock_and_the_best_one_stays():
    """The clock runs out in the middle of the second pilot: it is broken off, and no third one is solved."""
    late, steps = [False], []
    problem = lrfm.catalog.burgers(nu=0.05)
    tuner = Tuner(problem, (0.0, 0.1), 60, seed=1, start=Setting(weights=8.0), in_time=lambda: not late[0])
    best, before = tuner.best, tuner.seconds
    watch = tuner._watch
    tuner._watch = lambda number, step: (steps.append(number), late.__setitem__(0, True), watch(number, step))
    assert not tuner.consider(Setting(weights=2.0))
    assert steps == [1]
    assert not tuner.consider(Setting(weights=1.0))
    assert (tuner.best, tuner.count, tuner.seconds) == (best, 2, before)


def test_the_first_pilot_is_always_finished():
    tuner = Tuner(heat(), (0.0, 0.1), 40, seed=1, start=Setting(), in_time=lambda: False)
    assert tuner.best.solved is not None
    tuner.scalars()
    assert tuner.count == 1


class Stopwatch:
    """Time left as it is looked at: some seconds for the first looks, then none."""

    def __init__(self, looks):
        self.looks = looks

    def __call__(self, budget):
        self.looks -= 1
        return budget.seconds if self.looks > 0 else -0.5 * budget.seconds


@pytest.mark.parametrize("looks", [1, pytest.param(10, marks=pytest.mark.thorough), 30])
def test_when_time_runs_out_the_best_so_far_is_returned_and_the_limit_named(looks, monkeypatch):
    monkeypatch.setattr(Budget, "left", property(Stopwatch(looks)))
    with pytest.raises(lrfm.ConvergenceError, match=r"(stopped by|s of) `max_seconds=30`") as caught:
        lrfm.solve(heat(), tol=1e-13, max_seconds=30, method=lrfm.SpaceTime(max_features=200, blocks=1))
    solution = caught.value.solution
    assert solution.report.stopped == "max_seconds=30"
    assert math.isfinite(solution.report.error_estimate)
    assert random_error(solution) <= solution.report.error_estimate
    assert "stopped by max_seconds=30" in dict(solution.report.lines())["status"]


def test_a_later_attempt_that_is_broken_off_does_not_lose_the_first(monkeypatch):
    """Time runs out within the second attempt's march."""
    answers, left = [], [100.0]
    monkeypatch.setattr(Budget, "left", property(lambda budget: left[0]))
    integrated = lrfm.solver.run.Run._integrated

    def counted(run, engine, *rest, **named):
        answers.append(engine.stream)
        if len(answers) > 2:
            left[0] = -1.0
        return integrated(run, engine, *rest, **named)

    def ladder(chooser, tol):
        choice = chooser._choice(Tuner(chooser.problem, chooser.window, 90, 0, start=Setting()))
        yield from (choice, replace(choice, features=120))

    monkeypatch.setattr(lrfm.solver.run.Run, "_integrated", counted)
    monkeypatch.setattr(Chooser, "ladder", ladder)
    solution = lrfm.solve(
        heat(), tol=1e-13, max_seconds=100, method=lrfm.SpaceTime(max_features=300, blocks=1), strict=False
    )
    assert len(answers) == 3
    assert math.isfinite(solution.report.error_estimate)
    assert solution.report.features == 90
    assert solution.report.stopped == "max_seconds=100"


def test_far_beyond_the_limit_the_second_march_is_left_out(monkeypatch):
    monkeypatch.setattr(Budget, "left", property(lambda budget: -2.0 * budget.seconds))

    def check(watch):
        if watch.optional:
            raise OutOfTime

    monkeypatch.setattr(Watch, "check", check)
    with pytest.raises(lrfm.ConvergenceError, match="No error was estimated for tol") as caught:
        lrfm.solve(lrfm.catalog.burgers(nu=0.05), tol=1e-3, method="space-time", max_seconds=10)
    solution = caught.value.solution
    assert math.isnan(solution.report.error_estimate)
    assert (solution.report.status, solution.report.stopped) == ("tolerance not met", "max_seconds=10")
    assert np.isfinite(solution(x=0.1, t=0.1))


def test_the_limit_on_features_is_named():
    with pytest.raises(lrfm.ConvergenceError, match=r"above tol.*stopped by `max_features=60`") as caught:
        lrfm.solve(heat(), tol=1e-13, method=lrfm.SpaceTime(max_features=60, blocks=1))
    assert caught.value.solution.report.status == "tolerance not met"
    assert np.isfinite(caught.value.solution(x=0.5, t=0.1))
    assert lrfm.solve(heat(), tol=1e-3, method="space-time").report.stopped == ""
