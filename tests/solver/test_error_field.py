"""The error as a function against true errors, of solutions, of quantities, and what is claimed with it."""

from dataclasses import replace

import numpy as np
import pytest
from helpers import thinned

import lrfm
from lrfm import Box, Problem
from lrfm.solver.tangent.defect import judged

LINE = Box(x=(0, 1))


def grid(problem, places=60, times=300):
    rng = np.random.default_rng(1)
    (low,), (high,) = problem.domain.lower, problem.domain.upper
    x = low + (high - low) * rng.random((1, places))
    t = problem.time[0] + (problem.time[1] - problem.time[0]) * rng.random((times, 1))
    return {problem.domain.names[0]: x, "t": t}


def waves():
    """A chain u, u_t with a nonlinear term: u = e^(−t) sin πx."""
    return Problem(
        "u_tt + 2*u_t = u_xx - u**3 + f", domain=LINE, time=(0, 2), initial={"u": "sin(pi*x)", "u_t": "-sin(pi*x)"}, boundary="u = 0",
        parameters={"f": "(pi**2 - 1)*exp(-t)*sin(pi*x) + exp(-3*t)*sin(pi*x)**3"}, reference=lambda x, t: np.exp(-t) * np.sin(np.pi * x),
    )  # fmt: skip


def mean():
    """An unknown of time alone: u = e^(−t) (1 + cos πx)."""
    return Problem(
        "u_t = u_xx - mean(u)*u + f", domain=LINE, time=(0, 1), initial="1 + cos(pi*x)", boundary="u_n = 0",
        parameters={"f": "pi**2*exp(-t)*cos(pi*x) + exp(-t)*(1 + cos(pi*x))*(exp(-t) - 1)"},
        reference=lambda x, t: np.exp(-t) * (1 + np.cos(np.pi * x)),
    )  # fmt: skip


STATEMENTS = {
    "heat": lrfm.catalog.heat_1d,
    "front": lrfm.catalog.burgers_front,
    "dispersive, third order": lambda: lrfm.catalog.get("kdv-consistent"),
    "in a moving frame": lambda: lrfm.catalog.get("kdv-periodic"),
    "complex": lrfm.catalog.nls,
    "u_xxt": lrfm.catalog.bbm,
    "fourth order": lambda: lrfm.catalog.get("kuramoto-sivashinsky"),
    "radiation": lambda: lrfm.catalog.get("heat-radiation"),
    "a chain": waves,
    "a mean": mean,
}


@pytest.mark.parametrize("name", STATEMENTS)
@pytest.mark.parametrize("tol", thinned([1e-3, 1e-6], 2))
def test_sign_and_size(name, tol):
    """What is left of the true error after the correction is a fifth of it at the most, in L² over space and time."""
    problem = STATEMENTS[name]()
    solution = lrfm.solve(problem, tol=tol)
    at = grid(problem)
    true = np.asarray(problem.reference(**at)) - solution(**at)
    found = solution.error(**at)
    assert np.linalg.norm(true - found) < 0.2 * np.linalg.norm(true)
    claimed = solution.report.error_estimate * np.linalg.norm(solution(**at))
    assert np.linalg.norm(true) < claimed


def test_several_unknowns_have_several_errors():
    problem = lrfm.catalog.get("fitzhugh-nagumo")
    solution, at = lrfm.solve(problem, tol=1e-4), grid(problem)
    found = solution.error(**at)
    for name in ("u", "v"):
        true = problem.reference[name](**at) - solution[name](**at)
        assert np.linalg.norm(true - found[name]) < 0.3 * np.linalg.norm(true)


def test_an_initial_error_is_part_of_it():
    """At the start e is what cells miss of the data."""
    problem = lrfm.catalog.heat_1d()
    solution = lrfm.solve(problem, tol=1e-3)
    x = np.linspace(-0.97, 0.97, 41)
    true = problem.reference(x=x, t=0.0) - solution(x=x, t=0.0)
    assert np.linalg.norm(solution.error(x=x, t=0.0) - true) < 0.1 * np.linalg.norm(true)


def test_quantities():
    """∫ u² and ∫∫ u² with their errors are an order of magnitude closer to the truth."""
    problem = lrfm.catalog.heat_1d()
    solution = lrfm.solve(problem, tol=1e-3)
    (low,), (high,) = problem.domain.lower, problem.domain.upper
    nodes, weights = np.polynomial.legendre.leggauss(200)
    x = low + (high - low) * (1 + nodes) / 2

    def exact(t):
        return (high - low) / 2 * weights @ problem.reference(x=x, t=t) ** 2

    energy = solution.integral("u**2")
    for t in (0.05, 0.2):
        missing = exact(t) - energy(t=t)
        assert energy.error(t=t) == pytest.approx(missing, rel=0.1)
    nodes_t, shares = np.polynomial.legendre.leggauss(60)
    times = problem.time[1] * (1 + nodes_t) / 2
    whole = problem.time[1] / 2 * shares @ np.array([exact(t) for t in times])
    total = solution.integral("u**2", over=("x", "t"))
    assert isinstance(total, float)
    assert total.error == pytest.approx(whole - total, rel=0.2)


def test_of_a_file(tmp_path):
    """A solution that was read has the same error."""
    problem = lrfm.catalog.burgers_front()
    solution, at = lrfm.solve(problem, tol=1e-4), grid(lrfm.catalog.burgers_front())
    loaded = lrfm.load(solution.save(tmp_path / "a.lrfm"))
    assert np.allclose(loaded.error(**at), solution.error(**at), rtol=1e-6, atol=1e-14)


def test_the_report_is_told():
    problem = lrfm.catalog.burgers_front()
    solution = lrfm.solve(problem, tol=1e-4)
    assert solution.report.error_by_time == ()
    field = solution.error_field
    assert solution.error_field is field
    times, errors = np.array(solution.report.error_by_time).T
    assert (times[0], times[-1]) == problem.time
    assert solution.report.indicators["defect"] == field.l2["u"]
    asked = lrfm.solve(problem, tol=1e-4, error_field=True).report
    assert asked.error_by_time == solution.report.error_by_time
    # ‖e‖² over space and time is the mean of ‖e(t)‖².
    assert 0.3 * field.l2["u"] < np.sqrt(np.trapezoid(errors**2, times) / np.ptp(times)) < 3 * field.l2["u"]


def test_the_larger_one_is_claimed_and_a_disagreement_is_said():
    solution = lrfm.solve(lrfm.catalog.heat_1d(), tol=1e-4)
    plain, field = solution.report, solution.error_field
    field.l2["u"] = 40 * plain.error_estimate
    told = judged(plain, field)
    assert told.error_estimate == pytest.approx(50 * plain.error_estimate)
    assert told.decided_by == "defect"
    assert any("do not agree" in text for text in told.warnings)
    field.l2["u"] = 1e-2
    assert judged(plain, field).status is lrfm.Status.TOLERANCE_NOT_MET
    field.l2["u"] = plain.error_estimate / 2
    assert judged(plain, field).warnings == plain.warnings
    assert judged(plain, field).error_estimate == plain.error_estimate
    # Nothing is claimed by the field alone.
    assert np.isnan(judged(replace(plain, error_estimate=np.nan), field).error_estimate)


def test_elsewhere_it_is_the_comparison_solve_less_this_one(tmp_path):
    """In a square: as large as the true error within a third, with its sign, and kept in a file."""
    problem = lrfm.Problem(
        "u_t = lap(u) - u**3", domain=lrfm.Box(x=(0, 1), y=(0, 1)), time=(0, 0.1), initial="2*sin(2*pi*x)*sin(pi*y)", boundary={"x": "periodic", "y": "u = 0"}
    )  # fmt: skip
    solution = lrfm.solve(problem, tol=1e-3)
    near = lrfm.solve(problem, tol=1e-7)
    x, y, t = np.random.default_rng(0).random((3, 400)) * [[1], [1], [0.1]]
    true = near(x=x, y=y, t=t) - solution(x=x, y=y, t=t)
    found = solution.error_field(x=x, y=y, t=t)
    assert np.linalg.norm(found - true) < np.linalg.norm(true) / 3
    assert len(solution.report.error_by_time) > 2
    again = lrfm.load(solution.error_field.save(tmp_path / "error.lrfm"))
    np.testing.assert_array_equal(again(x=x, y=y, t=t), found)
    alone = lrfm.load(solution.save(tmp_path / "run.lrfm"))
    with pytest.raises(lrfm.ProblemError, match="not known as a function"):
        alone.error(x=0.5, y=0.5, t=0.05)


def test_pictures():
    """Without a known solution the estimated error is drawn, with bands around profiles; where there is none either, a sentence."""
    problem = lrfm.catalog.burgers_front().replace(reference=None)
    figure = lrfm.solve(problem, tol=1e-2).plot(error=True, times=3)
    (legend,) = figure.legends
    assert any("error" in text.get_text() for text in legend.get_texts())
    alone = lrfm.solve(problem, method=lrfm.SpaceTime(features=40), strict=False, estimate=False)
    with pytest.raises(ValueError, match="no known solution"):
        alone.plot(error=True)
