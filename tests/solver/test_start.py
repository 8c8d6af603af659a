# SPDX-License-Identifier: MIT
"""`start=` on cells: the sizes of the unknowns of a nearby solution, and nothing that would have to be believed."""

import numpy as np
import pytest

import lrfm
from lrfm.discretize.evolution import EvolutionSystem
from lrfm.solver.sizes import sizes_of


def driven(a):
    """u = a x sin²t from nothing: of the solution nothing is known at the start."""
    return lrfm.Problem(
        "u_t = u_xx + a*x*sin(2*t)", domain=lrfm.Box(x=(0, 1)), time=(0, 2), initial="0",
        boundary={"x-": "u = 0", "x+": "u = a*sin(t)**2"}, parameters={"a": a}, reference="a*x*sin(t)**2",
    )  # fmt: skip


def error(solution):
    x, t = np.linspace(0, 1, 41)[:, None], np.linspace(0, 2, 31)
    exact = solution.problem.reference(x=x, t=t)
    return np.linalg.norm(solution(x=x, t=t) - exact) / np.linalg.norm(exact)


@pytest.fixture(scope="module")
def near():
    return lrfm.solve(driven(1.0), tol=1e-6)


def test_a_solution_nearby_says_how_large_the_unknowns_are(near):
    warm = lrfm.solve(driven(1.1), tol=1e-6, start=near)
    assert "`start`" in warm.report.choices[0]
    assert error(warm) <= warm.report.error_estimate <= 1e-6


@pytest.mark.parametrize("factor", [1e-3, 1e3])
def test_a_start_that_is_far_away_does_no_harm(near, factor):
    found = lrfm.solve(driven(factor), tol=1e-6, start=near)
    assert found.report.solved
    assert error(found) <= found.report.error_estimate <= 1e-6


def test_sizes_of_a_chain_are_those_of_the_derivatives_in_time():
    """u = sin πx cos 3πt: root mean squares 1/2 and 3π/2 of u and u_t."""
    problem = lrfm.Problem(
        "u_tt = 9*u_xx", domain=lrfm.Box(x=(0, 1)), time=(0, 2), initial={"u": "sin(pi*x)", "u_t": "0"}, boundary="u = 0"
    )  # fmt: skip
    solution = lrfm.solve(problem, tol=1e-6)
    sizes = sizes_of(EvolutionSystem(problem), solution)
    np.testing.assert_allclose(sizes, [0.5, 1.5 * np.pi], rtol=0.1)


def test_a_start_from_a_file(near, tmp_path):
    path = tmp_path / "near.lrfm"
    near.save(path)
    found = lrfm.solve(driven(0.9), tol=1e-6, start=lrfm.load(path))
    assert error(found) <= 1e-6


def test_a_start_that_is_zero_tells_no_size():
    """What stayed zero nearby has a size here: errors relative to nothing were no numbers."""
    box = {"domain": lrfm.Box(x=(0, 1)), "time": (0, 0.1), "boundary": "u = 0"}
    still = lrfm.solve(lrfm.Problem("u_t = u_xx", initial="0", **box), tol=1e-4)
    moved = lrfm.solve(lrfm.Problem("u_t = u_xx", initial="sin(pi*x)", **box), tol=1e-4, start=still)
    assert moved.report.solved
    assert abs(float(moved(x=0.5, t=0.1)) - np.exp(-0.1 * np.pi**2)) < 1e-4
