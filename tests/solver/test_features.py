# SPDX-License-Identifier: MIT
"""`lrfm.Lines(space="features")`: random features as functions of a cell, compared with polynomials."""

import numpy as np
import pytest
from on_cells import Exponentials, Run, line

import lrfm
from lrfm.adapt.given import Given
from lrfm.adapt.points import growth
from lrfm.discretize.evolution import EvolutionSystem
from lrfm.discretize.line.layout import Layout
from lrfm.discretize.options import FEATURES, Options
from lrfm.integrate.prepare import stepped_integrator
from lrfm.solver.formulations.cells import piece_of
from lrfm.spaces.cells.reference import RandomFeatures

METHOD = lrfm.Lines(space="features")
FRONT = lrfm.catalog.burgers_front()


def error(solution):
    problem, rng = solution.problem, np.random.default_rng(5)
    ((low, high),) = problem.domain.axes.values()
    x, t = np.meshgrid(rng.uniform(low, high, 200), rng.uniform(*problem.time, 40))
    exact = problem.reference(x=x, t=t)
    return np.linalg.norm(solution(x=x, t=t) - exact) / np.linalg.norm(exact)


@pytest.fixture(scope="module")
def front():
    return lrfm.solve(FRONT, tol=1e-4, method=METHOD)


@pytest.mark.parametrize(
    "make", [lrfm.catalog.burgers_front, lrfm.catalog.kdv_periodic, lrfm.catalog.heat_1d]
)
@pytest.mark.parametrize("tol", [1e-3, 1e-7])
def test_errors_follow_the_tolerance_and_the_estimate_is_true(make, tol):
    solution = lrfm.solve(make(), tol=tol, method=METHOD)
    assert error(solution) <= solution.report.error_estimate <= tol


def test_cells_are_split_and_joined_and_a_front_is_held():
    """A front that forms: cells are split while it does, and projections are paid for by the budget."""
    problem = line("u_t + u*u_x = 0.01*u_xx", "-sin(pi*x)", {"x-": "u = 0", "x+": "u = 0"}, x=(-1, 1))
    solution, plain = (lrfm.solve(problem, tol=1e-5, method=m) for m in (METHOD, lrfm.Lines(space="cells")))
    assert solution.report.engine.regrids > 2
    x = np.linspace(-1, 1, 301)
    apart = solution(x=x, t=0.7) - plain(x=x, t=0.7)
    assert np.linalg.norm(apart) / np.linalg.norm(plain(x=x, t=0.7)) < 2e-5


@pytest.mark.parametrize(
    ("equation", "end"),
    [("u_t = u_xx", 0), ("u_t = -u_xxxx", 0), ("u_t + u_x = 0", 1), ("u_t + u_xxx = 0", -1)],
)
def test_points_are_as_stable_as_with_polynomials(equation, end):
    """Gauss points damp even orders, Radau points of the right side odd ones; real parts far below those of unstable points, which are as large as the spectrum."""
    system = EvolutionSystem(line(equation, "0", "periodic"))
    for seed in range(2):
        assert growth(Layout(system, 9, end, RandomFeatures(seed, FEATURES.count))) < 1e-3


def test_the_same_seed_gives_the_same_bits_and_another_one_others(front):
    again, other = (lrfm.solve(FRONT, tol=1e-4, seed=seed, method=METHOD) for seed in (0, 1))
    np.testing.assert_array_equal(again.pieces[0].rows, front.pieces[0].rows)
    assert again.report.error_estimate == front.report.error_estimate
    assert not np.array_equal(other.pieces[0].rows, front.pieces[0].rows)
    assert error(other) <= other.report.error_estimate <= 1e-4


def test_the_comparison_is_by_polynomials(front):
    """Whatever draws the features, the comparison solve has none of them: with the same steps and cells it is the same."""
    other = lrfm.solve(FRONT, tol=1e-4, seed=1, method=METHOD)
    (mine,), (theirs,) = front.second, other.second
    assert mine.rows.shape[-1] < front.pieces[0].rows.shape[-1]  # Legendre series of its own degree alone
    x, t = np.linspace(-1, 1, 41)[None], np.linspace(0, 1, 11)[:, None]
    points = np.stack([a.ravel() for a in np.broadcast_arrays(x, t)], axis=1)
    jet = lrfm.problem.Jet("u", (0, 0))
    np.testing.assert_allclose(mine.values([jet], points)[jet], theirs.values([jet], points)[jet], atol=1e-5)


def test_the_report_says_which(front):
    assert "random features, tanh, orthonormal on each cell" in str(front.report)
    assert front.report.parts["comparison"] == "by polynomials"


def test_a_file_holds_them_and_their_derivatives(front, tmp_path):
    front.save(tmp_path / "run.lrfm")
    again = lrfm.load(tmp_path / "run.lrfm")
    assert again.report.engine == front.report.engine
    for name in ("u", "u_xx", "u_xt"):
        at = {"x": np.linspace(-1, 1, 31), "t": 0.37}
        np.testing.assert_array_equal(again.derivative(name)(**at), front.derivative(name)(**at))


class Broken(Exception):
    pass


def test_a_checkpoint_that_is_broken_off_gives_the_same_bits(tmp_path, front):
    calls = 0

    def stop(stage, done, total):
        nonlocal calls
        calls += 1
        if calls % 7 == 0:
            raise Broken

    for _ in range(30):
        try:
            again = lrfm.solve(FRONT, tol=1e-4, method=METHOD, checkpoint=tmp_path / "c", progress=stop)
            break
        except Broken:
            pass
    assert calls > 7
    np.testing.assert_array_equal(again.pieces[0].rows, front.pieces[0].rows)
    assert again.report.error_estimate == front.report.error_estimate


def test_any_functions_of_a_cell_solve_a_statement():
    """An instance of the protocol that the package does not know: a heat equation to four digits."""
    problem = line("u_t = u_xx", "sin(pi*x)", {"x-": "u = 0", "x+": "u = 0"}, time=(0, 0.1))
    system, functions = EvolutionSystem(problem), Exponentials()
    run = Run(
        problem, 1e-4, stepped_integrator(system, Options(tol=1e-4), None, Given(system), functions=functions)
    )
    run.piece = piece_of(system, run.steps, functions)
    assert run.error(lambda x, t: np.exp(-(np.pi**2) * t) * np.sin(np.pi * x)) < 1e-4


def test_prepared_statements_keep_nothing_of_two_kinds_of_functions():
    """Steps of features would be taken for those of polynomials."""
    made = lrfm.prepare(FRONT, tol=1e-4, method=METHOD)
    solutions = [made(nu=nu) for nu in (0.05, 0.06)]
    assert made.adaptive == 2
    assert all(one.report.error_estimate <= 1e-4 for one in solutions)
    assert not made._kept


@pytest.mark.parametrize(
    ("problem", "words"),
    [
        (lrfm.catalog.heat_2d, "cells of an interval"),
        (lambda: lrfm.Problem("u_t = -u", time=(0, 1), initial="1"), "cells of an interval"),
        (lrfm.catalog.cantilever, "leave out of its derivatives"),
    ],
)
def test_what_they_do_not_hold_gets_a_sentence(problem, words):
    made = problem()
    for asked in (lrfm.solve, lrfm.plan):
        with pytest.raises(lrfm.ProblemError, match=words) as said:
            asked(made, tol=1e-5, method=METHOD)
        assert "Leave out `space`" in str(said.value)
