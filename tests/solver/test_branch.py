# SPDX-License-Identifier: MIT
"""Branches of steady states: the fold of Bratu's problem, bifurcations of a buckling one, and refusals."""

import numpy as np
import pytest

import lrfm

LINE = lrfm.Box(x=(0, 1))


def test_the_fold_of_bratu_and_both_states_below_it(tmp_path):
    bratu = lrfm.Problem("u_xx + lam*exp(u) = 0", domain=LINE, boundary="u = 0", parameters={"lam": 1})
    found = lrfm.branch(bratu, "lam", (0, 4))
    (fold,) = found.folds
    assert abs(fold.value - 3.513830719125) <= fold.error < 1e-8
    assert not found.bifurcations
    lower, upper = found.solutions(1.0)
    assert np.isclose(lower(x=0.5), 0.140539214, rtol=1e-6)
    assert np.isclose(upper(x=0.5), 4.091467246, rtol=1e-6)
    assert len(found.plot(tmp_path / "b.png").axes) == 1
    assert "fold at lam = 3.5138307" in str(found)


def test_an_evolution_has_the_branch_of_its_rest_states():
    """A function of the place alone is known not to move: the number of the branch, and a source of the user's."""
    moving = lrfm.Problem(
        "u_t = u_xx + lam*exp(u) + 0*f",
        domain=LINE,
        time=(0, 1),
        initial="0",
        boundary="u = 0",
        parameters={"lam": 1, "f": lambda x: x},
    )
    found = lrfm.branch(moving, "lam", (3, 4), tol=1e-4, max_points=20)
    assert abs(found.folds[0].value - 3.513830719125) <= found.folds[0].error


def test_bifurcations_from_zero_are_eigenvalues():
    buckling = lrfm.Problem(
        "u_xx + mu*u - u**3 = 0", domain=lrfm.Box(x=(0, "pi")), boundary="u = 0", parameters={"mu": 0}
    )
    found = lrfm.branch(buckling, "mu", (0, 10))
    assert np.allclose([turn.value for turn in found.bifurcations], [1, 4, 9], atol=1e-8)


@pytest.mark.parametrize(
    ("parameter", "over", "said"),
    [
        ("k", (0, 1), "is no number among the parameters"),
        ("lam", (1, 1), "two different numbers"),
        ("lam", 3, "two different numbers"),
    ],
)
def test_what_is_no_range_is_refused_with_a_sentence(parameter, over, said):
    bratu = lrfm.Problem("u_xx + lam*exp(u) = 0", domain=LINE, boundary="u = 0", parameters={"lam": 1})
    with pytest.raises(lrfm.ProblemError, match=said):
        lrfm.branch(bratu, parameter, over)


def test_a_branch_without_a_beginning_is_refused():
    none = lrfm.Problem("u_xx + lam*exp(u) = 0", domain=LINE, boundary="u = 0", parameters={"lam": 1})
    with pytest.raises(lrfm.ProblemError, match="no steady state near the guess"):
        lrfm.branch(none, "lam", (5, 6))
