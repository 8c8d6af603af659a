# SPDX-License-Identifier: MIT
"""What is given is seen however narrow it is, or the answer is not claimed: by exponentials, steps, in the plane, by derivatives and operators."""

import math

import numpy as np
import pytest
from helpers import thinned

import lrfm

CENTER = 0.5091
UNIT = lrfm.Box(x=(0, 1))
STATED = {"domain": UNIT, "time": (0, 0.5), "initial": "sin(pi*x)", "boundary": "u = 0"}


def heated(center, mass, t=0.5, x=None):
    """u_t = u_xx + mass δ(x − center) from sin πx: the series of its solution; at the center unless x is given."""
    k = np.pi * np.arange(1, 20001)
    x = center if x is None else x
    modes = 2 * mass * np.sin(k * center) * -np.expm1(-(k**2) * t) / k**2
    return float(np.sum(modes * np.sin(k * x)) + math.exp(-(math.pi**2) * t) * math.sin(math.pi * x))


@pytest.mark.parametrize("center", [0.5091, 0.2222])
def test_the_source_between_all_points(center):
    """u_t = u_xx + 1000 exp(−((x − 0.5091)/1e-3)²) was claimed at 1.5e-9 without its source: u = 0.007 instead of 0.447."""
    problem = lrfm.Problem(f"u_t = u_xx + 1000*exp(-((x - {center})/1e-3)**2)", **STATED)
    solution = lrfm.solve(problem, tol=1e-3, max_seconds=20, strict=False)
    true = heated(center, math.sqrt(math.pi), x=0.4)
    met = solution.report.status == "tolerance met"
    assert not met or solution(x=0.4, t=0.5) == pytest.approx(true, rel=3e-3)


@pytest.mark.parametrize(
    "given", ["function", *(pytest.param(g, marks=pytest.mark.thorough) for g in ("parameters", "table"))]
)
def test_the_same_source_given_otherwise(given):
    pulse = lambda x: 1000 * np.exp(-(((x - CENTER) / 1e-3) ** 2))  # noqa: E731
    places = np.unique(np.append(np.linspace(0, 1, 51), CENTER + 1e-3 * np.linspace(-7, 7, 141)))
    known = {
        "parameters": {"c": CENTER, "w": 1e-3},
        "function": {"f": lambda x: pulse(x)},
        "table": {"f": lrfm.Table(pulse(places), x=places)},
    }[given]
    f = "1000*exp(-((x - c)/w)**2)" if given == "parameters" else "f"
    problem = lrfm.Problem(f"u_t = u_xx + {f}", **STATED, parameters=known)
    solution = lrfm.solve(problem, tol=1e-3, max_seconds=20, strict=False)
    assert solution.report.status != "tolerance met" or solution(x=0.4, t=0.5) == pytest.approx(
        heated(CENTER, math.sqrt(math.pi), x=0.4), rel=3e-3
    )


def test_a_barrier_is_seen_or_not_claimed():
    """(k u_x)_x with k down to 1e-3 within 1e-4: smooth functions see the mean of k, and two draws agree on it. True is u₊ − u₋ = u_x ∫dx/k."""
    k = lambda x: 1 - 0.999 * np.exp(-(((x - 0.3) / 1e-4) ** 2))  # noqa: E731
    problem = lrfm.Problem("u_t = diff((1 - 0.999*exp(-((x - 0.3)/1e-4)**2))*u_x, x)", **STATED)
    solution = lrfm.solve(problem, tol=1e-3, max_seconds=20, strict=False)
    if solution.report.status == "tolerance met":
        low, high = 0.3 - 6e-4, 0.3 + 6e-4
        resistance = np.mean(1 / k(np.linspace(low, high, 20001))) * (high - low)
        step = solution(x=high, t=0.1) - solution(x=low, t=0.1)
        assert step == pytest.approx(solution["u_x"](x=low, t=0.1) * resistance, rel=0.05)


def test_a_needle_of_a_potential_on_steps():
    """A nonlinear equation is taken by steps: u_t = u_xx − V(x)u + 0u² with V = 10 δ nearly."""
    problem = lrfm.Problem("u_t = u_xx - 1e4/1.7725*exp(-((x - 0.61)/1e-3)**2)*u - 1e-3*u**2", **STATED)
    solution = lrfm.solve(problem, tol=1e-2, max_seconds=10, strict=False)
    blind = math.exp(-(math.pi**2) * 0.2) * math.sin(math.pi * 0.61)
    assert solution.report.status != "tolerance met" or solution(x=0.61, t=0.2) < 0.5 * blind


def test_an_operator_says_that_its_functions_do_not_hold_other_data():
    problem = lrfm.Problem("u_t = u_xx", **STATED)
    operator = lrfm.operator(problem, tol=1e-4)
    thin = "thinner than what the functions of the operator hold"
    assert not any(thin in w for w in operator(initial="sin(2*pi*x)").report.warnings)
    narrow = operator(initial="sin(pi*x) + 10*exp(-((x - 0.5091)/1e-3)**2)")
    assert any(thin in w for w in narrow.report.warnings)


def test_a_derivative_by_the_height_of_a_pulse():
    """u is linear in the height A: ∂u/∂A = (u(A) − u(0))/A."""
    problem = lrfm.Problem("u_t = u_xx + A*exp(-((x - 0.5091)/1e-3)**2)", **STATED, parameters={"A": 1000.0})
    solution = lrfm.solve(problem, tol=1e-3, max_seconds=60)
    slope = solution.linearized().sensitivities(["A"])[0]
    true = heated(CENTER, math.sqrt(math.pi) * 1e-3, x=0.4) - math.exp(-(math.pi**2) * 0.5) * math.sin(
        0.4 * math.pi
    )
    assert slope(x=0.4, t=0.5) == pytest.approx(true, rel=2e-3)


@pytest.mark.slow
@pytest.mark.parametrize("domain", thinned([lrfm.Disk(radius=1), lrfm.Box(x=(-1, 1), y=(-1, 1))], 2))
def test_a_needle_in_the_plane_is_followed_or_not_claimed(domain):
    problem = lrfm.Problem(
        "u_t = lap(u) + 1e5*exp(-((x - 0.3091)**2 + y**2)/1e-5)",
        domain=domain,
        time=(0, 0.2),
        initial="0",
        boundary={"*": "u = 0"},
    )
    solution = lrfm.solve(problem, tol=1e-2, max_seconds=10, strict=False)
    if solution.report.status == "tolerance met":
        # On a small circle around it u is about that of a point source, 1e5 π 1e-5/(2π) log(1/r) = 1.5, less what the walls take.
        angles = 2 * np.pi * np.arange(16) / 16
        assert np.mean(solution(x=0.3091 + 0.05 * np.cos(angles), y=0.05 * np.sin(angles), t=0.2)) > 0.5
