# SPDX-License-Identifier: MIT
"""Ordinary equations with delays: polynomials piece by piece, an exponential, and who must not see them."""

import numpy as np
import pytest

import lrfm


def test_the_method_of_steps_by_hand():
    """x′ = −x(t − 1), x = 1 before: 1 − t, then a parabola, then a cubic."""
    solution = lrfm.solve(lrfm.Problem("x_t = -x(t - 1)", time=(0, 3), initial=1), tol=1e-8)
    t = np.linspace(0, 3, 301)
    exact = 1 - t + np.where(t > 1, (t - 1) ** 2 / 2, 0) - np.where(t > 2, (t - 2) ** 3 / 6, 0)
    assert np.max(np.abs(solution(t=t) - exact)) < 1e-12


def test_errors_of_a_nonlinear_equation_are_below_the_estimate(tmp_path):
    """Hutchinson's equation, delay logistic growth, against one at a far smaller tolerance; its file comes back."""
    problem = lrfm.Problem(
        "n_t = r*n*(1 - n(t - tau))", time=(0, 12), initial=0.5, parameters={"r": 1.8, "tau": 1.0}
    )
    rough, fine = lrfm.solve(problem, tol=1e-5), lrfm.solve(problem, tol=1e-10)
    t = np.linspace(0, 12, 1001)
    gap = np.sqrt(np.mean((rough(t=t) - fine(t=t)) ** 2) / np.mean(fine(t=t) ** 2))
    assert gap <= rough.report.error_estimate <= 1e-5
    assert fine.report.error_estimate <= 1e-10
    again = lrfm.load(rough.save(tmp_path / "n.lrfm"))
    assert again.n(t=7.3) == rough.n(t=7.3)
    assert again.problem.delays == (1.0,)


def test_two_delays_and_a_system():
    """y = 2 + t up to t = 1, and x′ = y(t − 1/2) is 2 at first, then 2 + (t − 1/2)."""
    solution = lrfm.solve(
        lrfm.Problem(["x_t = y(t - 0.5)", "y_t = x(t - 1)"], time=(0, 1), initial={"x": 1, "y": 2}), tol=1e-9
    )
    t = np.linspace(0, 1, 101)
    assert np.allclose(solution(t=t)["y"], 2 + t, atol=1e-12)
    later = np.where(t > 0.5, (t - 0.5) ** 2 / 2, 0)
    assert np.allclose(solution(t=t)["x"], 1 + 2 * t + later, atol=1e-12)


def test_who_does_not_know_the_past_does_not_guess_it():
    problem = lrfm.Problem("x_t = -x(t - 1)", time=(0, 2), initial=1)
    with pytest.raises(lrfm.ProblemError, match="do not know their past"):
        lrfm.solve(problem, method="space-time", tol=1e-2)


REFUSED = [
    ("x_t = -x(t + 1)", "is not positive; what is to come is not known"),
    ("x_t = -x(t/2)", "is no value at a fixed time before t"),
    ("x_t = -x(2*x)", "is no value at a fixed time before t"),
]


@pytest.mark.parametrize(("equation", "said"), REFUSED)
def test_what_is_no_delay_is_refused_with_a_sentence(equation, said):
    with pytest.raises(lrfm.ProblemError, match=said):
        lrfm.Problem(equation, time=(0, 1), initial=1)
