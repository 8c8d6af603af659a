# SPDX-License-Identifier: MIT
"""`lrfm.solve` on cells: what it takes them for, what its report and its solution say, files, time limits, checkpoints."""

from types import SimpleNamespace

import helpers
import numpy as np
import pytest
from on_cells import line

import lrfm
from lrfm.discretize.evolution import EvolutionSystem
from lrfm.problem import Jet
from lrfm.rows.carried import Carried
from lrfm.rows.cell_steps import CellSteps
from lrfm.rows.pieces import OnCells
from lrfm.solver.formulations.cells import CellFormulation
from lrfm.solver.integration import Integration, IntegrationState

PI = np.pi
WALLS = {"x-": "u = 0", "x+": "u = 0"}
FRONT = line(
    "u_t + u*u_x = nu*u_xx", "-sin(pi*x)", WALLS, x=(-1, 1), parameters={"nu": 0.01 / PI}, time=(0, 0.5)
)
MOVING = lrfm.Problem(
    "u_t = u_xx",
    domain=lrfm.Region("x > t and x < 1 + 2*t", x=(-1, 4)),
    time=(0, 1),
    initial="exp(-x)",
    boundary={"*": "u = exp(t - x)"},
    check_corners=False,
)


@pytest.fixture(scope="module")
def front():
    return lrfm.solve(FRONT, tol=1e-4)


@pytest.fixture(scope="module")
def moving():
    return lrfm.solve(MOVING, tol=1e-6)


# What is taken ----------------------------------------------------------------------------------------------


def test_cells_are_taken_in_one_dimension(front):
    assert all(isinstance(piece, CellSteps) for piece in front.pieces)
    assert not front.report.failed


def test_the_report_says_so(front):
    text = str(front.report)
    assert "method of lines on" in text
    assert "cells: polynomials of degree" in text
    assert "tolerance met" in text


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_the_seed_changes_the_points_of_the_estimate_alone(front, seed):
    """Cells, steps and coefficients follow from the statement: any number of seeds is one draw."""
    other = lrfm.solve(FRONT, tol=1e-4, seed=seed)
    x, t = np.meshgrid(np.linspace(-1, 1, 41), np.linspace(0, 0.5, 11))
    np.testing.assert_array_equal(other.u(x=x, t=t), front.u(x=x, t=t))


def test_boxes_in_the_plane_are_not_on_cells():
    problem = lrfm.Problem(
        "u_t = lap(u)",
        domain=lrfm.Box(x=(0, 1), y=(0, 1)),
        time=(0, 0.05),
        initial="sin(pi*x)*sin(pi*y)",
        boundary={"*": "u = 0"},
    )
    solution = lrfm.solve(problem, tol=1e-3)
    assert not any(isinstance(piece, CellSteps) for piece in solution.pieces)
    assert len(solution.cells(t=0.0)) == 0


def test_a_system_without_stable_points_has_eigenfunctions():
    """Waves in both directions as a system of first order, which no steps on collocation hold."""
    problem = line(
        ["u_t = v_x", "v_t = u_x + 0*u"], {"u": "sin(2*pi*x)", "v": "0"}, "periodic", time=(0, 0.5)
    )
    solution = lrfm.solve(problem, tol=1e-4)
    assert "exponentials" in solution.report.parts["scheme"]
    x = np.linspace(0, 1, 50)
    np.testing.assert_allclose(
        solution["u"](x=x, t=0.3), np.sin(2 * PI * x) * np.cos(2 * PI * 0.3), atol=1e-4
    )


# The solution -----------------------------------------------------------------------------------------------


def test_edges_of_cells(front):
    for t in (0.0, 0.2, 0.5):
        edges = front.cells(t=t)
        assert edges[0] == -1
        assert edges[-1] == 1
        assert np.all(np.diff(edges) > 0)
    assert np.diff(front.cells(t=0.5)).min() < np.diff(front.cells(t=0.0)).min()


def test_functions_of_cells_and_their_derivatives(front):
    """Continuous with their first derivative at all edges; the equation holds between the points."""
    edges = front.cells(t=0.4)[1:-1]
    piece = front.pieces[0]
    u, slope, second, rate = (Jet("u", index) for index in ((0, 0), (1, 0), (2, 0), (0, 1)))
    left, right = (
        piece.values([u, slope], np.column_stack([edges + side, np.full(len(edges), 0.4)]))
        for side in (-1e-12, 1e-12)
    )
    np.testing.assert_allclose(left[u], right[u], atol=1e-9)
    np.testing.assert_allclose(left[slope], right[slope], rtol=1e-6, atol=1e-6)
    x = np.random.default_rng(0).uniform(-1, 1, 50)
    at = piece.values([u, slope, second, rate], np.column_stack([x, np.full(50, 0.4)]))
    terms = at[rate] + at[u] * at[slope], 0.01 / PI * at[second]
    assert np.linalg.norm(terms[0] - terms[1]) < 0.05 * np.linalg.norm(terms[0])


def test_values_are_the_same_on_grids_at_points_and_one_by_one(front):
    piece = front.pieces[0]
    x, t = np.linspace(-1, 1, 41), np.linspace(0, 0.5, 13)
    for index in ((0, 0), (1, 0), (0, 1), (2, 1)):
        jet = Jet("u", index)
        grid = piece.on_grid([jet], [x], t)[jet]
        points = np.column_stack([np.tile(x, len(t)), np.repeat(t, len(x))])
        np.testing.assert_allclose(
            piece.values([jet], points)[jet].reshape(grid.shape), grid, atol=1e-9 * np.abs(grid).max()
        )
        assert np.isclose(piece.at_place(jet, (x[7],), t[5]), grid[5, 7], rtol=1e-9)


def test_integrals():
    """∫ u = (2/π) e^(−π²t), ∫ u² = e^(−2π²t)/2, to the tolerance."""
    problem = line("u_t = u_xx", "sin(pi*x)", WALLS, time=(0, 0.1))
    solution = lrfm.solve(problem, tol=1e-8, method=lrfm.Lines(space="cells"))
    for t in (0.0, 0.037, 0.1):
        decay = np.exp(-(PI**2) * t)
        assert np.isclose(solution.integral("u")(t=t), 2 / PI * decay, rtol=1e-7)
        assert np.isclose(solution.integral("u**2")(t=t), decay**2 / 2, rtol=1e-7)


def test_integrals_of_narrow_functions_end_at_cells():
    """Initial data of width 1e-4 are integrated exactly at t = 0, since panels end where cells do."""
    problem = line("u_t = u_xx", "exp(-((x - 0.37)/1e-4)**2)", WALLS, time=(0, 1e-3))
    solution = lrfm.solve(problem, tol=1e-5, method=lrfm.Lines(space="cells"))
    assert np.isclose(solution.integral("u")(t=0.0), np.sqrt(PI) * 1e-4, rtol=1e-3)
    assert np.isclose(solution.integral("u")(t=1e-3), np.sqrt(PI) * 1e-4, rtol=1e-3)


# Moving domains ---------------------------------------------------------------------------------------------


def test_a_moving_interval_is_carried(moving):
    assert isinstance(moving.pieces[0], Carried)
    t = np.linspace(0, 1, 9)[:, None]
    x = t + (1 + t) * np.linspace(0.01, 0.99, 21)[None, :]
    np.testing.assert_allclose(moving["u"](x=x, t=t + 0 * x), np.exp(t - x), rtol=1e-5)
    assert not moving.report.failed


# Files ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["front", "moving"])
def test_files_keep_every_bit(name, request, tmp_path):
    solution = request.getfixturevalue(name)
    solution.save(tmp_path / "s.lrfm")
    again = lrfm.load(tmp_path / "s.lrfm")
    t = np.linspace(*solution.problem.time, 7)[:, None]
    low, high = (t, 1 + 2 * t) if name == "moving" else (-1, 1)
    x = low + (high - low) * np.linspace(0.001, 0.999, 31)[None, :]
    x, t = np.broadcast_arrays(x, t)
    np.testing.assert_array_equal(again["u"](x=x, t=t), solution["u"](x=x, t=t))
    np.testing.assert_array_equal(again.cells(t=0.3), solution.cells(t=0.3))
    assert str(again.report) == str(solution.report)


CHANGES = {
    "times": lambda r: {**r, "edges": r["edges"][::-1].copy()},
    "a mesh that is not there": lambda r: {**r, "mesh_of": [n + 1000 for n in r["mesh_of"]]},
    "edges of cells": lambda r: {**r, "cell_edges": r["cell_edges"][::-1].copy()},
    "missing rows": lambda r: {**r, "rows": r["rows"][:-1]},
    "no number": lambda r: {**r, "rows": np.full_like(r["rows"], np.nan)},
    "fields": lambda r: {**r, "fields": []},
}


@pytest.mark.parametrize("change", CHANGES)
def test_broken_records_are_refused(front, change):
    record = front.pieces[0].record()
    CellSteps.from_record(**record)
    with pytest.raises(ValueError, match=r"increas|mesh|rows|fields|finite|shape"):
        CellSteps.from_record(**CHANGES[change](record))


# Limits and checkpoints -------------------------------------------------------------------------------------


class Clock:
    """A watch that lets some looks pass; time is up after that."""

    def __init__(self, looks):
        self.left, self.tell = looks, None
        self.budget = SimpleNamespace(spent=0.0, seconds=1e9)

    def in_time(self):
        self.left -= 1
        return self.left > 0


def cells(looks=10**9, tol=1e-4):
    return Integration(CellFormulation(EvolutionSystem(FRONT)), tol, Clock(looks))


def marched(engine, state=None):
    state = engine.begin() if state is None else state
    while not engine.finished(state):
        state = engine.advance(state)
    return state


def test_out_of_time_keeps_the_steps_that_there_are():
    """What came out ends where the last step did, and says so."""
    engine = cells(looks=5)
    state = marched(engine)
    found = engine.integrated(state)
    assert not found.complete
    assert 0 < found.pieces[0].window[1] < 0.5
    assert "the solution ends at t =" in found.windows[0].reason


def test_a_march_that_is_out_of_time_at_its_end_is_complete():
    whole = marched(cells())
    engine = cells(looks=whole.count + 1)  # one before each step, none for what would come after the last
    found = engine.integrated(marched(engine))
    assert found.complete
    assert found.pieces[0].window[1] == 0.5


def test_a_short_time_limit_returns_what_there_is(monkeypatch):
    """Statements whose front needs more than the time that is given: no exception, and no claim."""
    problem = line("u_t + u*u_x = 1e-6*u_xx", "-sin(pi*x)", WALLS, x=(-1, 1))
    helpers.Clock(monkeypatch, pace=0.01)
    solution = lrfm.solve(problem, tol=1e-9, max_seconds=0.5, strict=False)
    assert solution.report.failed
    assert "max_seconds" in str(solution.report)


@pytest.mark.parametrize("part", [0.2, 0.5, 0.9])
def test_a_record_goes_on_with_the_same_bits(part):
    whole, engine = marched(cells()), cells()
    state, added = engine.begin(), []
    for _ in range(int(part * whole.count)):
        new = engine.advance(state)
        added.append(engine.added(state, new))
        state = new
    other = cells()
    resumed = IntegrationState()
    for one in added:
        resumed = other.grown(resumed, one)
    other.check(resumed)
    resumed = marched(other, resumed)
    assert resumed.count == whole.count
    for mine, theirs in zip(resumed.steps, whole.steps, strict=True):
        assert (mine.time, mine.length) == (theirs.time, theirs.length)
        np.testing.assert_array_equal(mine.rates, theirs.rates)
        np.testing.assert_array_equal(mine.mesh.edges, theirs.mesh.edges)


class Broken(Exception):
    pass


def test_a_checkpoint_that_is_broken_off_gives_the_same_bits(tmp_path, front):
    """Broken off again and again, in the solve and in its comparison."""
    calls = 0

    def stop(stage, done, total):
        nonlocal calls
        calls += 1
        if calls % 9 == 0:
            raise Broken

    for _ in range(50):
        try:
            again = lrfm.solve(FRONT, tol=1e-4, checkpoint=tmp_path / "c", progress=stop)
            break
        except Broken:
            pass
    assert calls > 20
    assert again.report.error_estimate == front.report.error_estimate
    one, two = again.pieces[0].record(), front.pieces[0].record()
    for name in one.keys() - {"fields"}:
        np.testing.assert_array_equal(one[name], two[name])


def test_pieces_of_moving_domains_know_their_cells(moving):
    assert isinstance(moving.pieces[0], OnCells) or len(moving.cells(t=0.3)) == 0


def test_an_unstable_zero_that_errors_lead_astray_is_solved_more_strictly():
    """u = 0 is unstable, and −ε there runs away to −∞ after log(1/ε): steps vanish at a time that the tolerance decides, which no true blow-up does."""
    problem = lrfm.Problem(
        "u_t = 1e-4*u_xx + u - u**2", domain=lrfm.Box(x=(-1, 1)), time=(0, 15), initial="exp(-100*x**2)", boundary="periodic",
    )  # fmt: skip
    solution, strict = lrfm.solve(problem, tol=1e-2), lrfm.solve(problem, tol=1e-7)
    assert "steps vanished" in str(solution.report.details)
    x, t = np.linspace(-1, 1, 201)[:, None], np.linspace(0, 15, 31)
    off = solution(x=x, t=t) - strict(x=x, t=t)
    assert np.linalg.norm(off) < solution.report.error_estimate * np.linalg.norm(strict(x=x, t=t))


def test_what_hardly_moves_is_not_asked_for_more_than_it_matters():
    """A kink of sine-Gordon's equation at rest: u_t is what rounding and cells leave of zero, and errors relative to it would split cells without end."""
    problem = lrfm.Problem(
        "u_tt = u_xx - sin(u)", domain=lrfm.Box(x=(-15, 15)), time=(0, 20), initial={"u": "4*atan(exp(x))", "u_t": "1e-8*exp(-x**2)"},
        boundary="u_x = 0",
    )  # fmt: skip
    solution = lrfm.solve(problem, tol=1e-4)
    x = np.linspace(-15, 15, 301)
    exact = 4 * np.arctan(np.exp(x))
    assert np.linalg.norm(solution(x=x, t=20.0) - exact) < solution.report.error_estimate * np.linalg.norm(
        exact
    )
    assert solution.report.features < 2000


def test_a_report_says_where_cells_end_for_what_is_given():
    problem = lrfm.Problem(
        "u_t = u_xx + where(x > 0.37, 10, 0)",
        domain=lrfm.Box(x=(0, 1)),
        time=(0, 0.1),
        initial="0",
        boundary="u = 0",
    )
    details = str(lrfm.solve(problem, tol=1e-3).report.details)
    assert "x = 0.37: something given has a top, a jump or a kink there" in details
