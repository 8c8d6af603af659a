# SPDX-License-Identifier: MIT
"""Fronts that travel, on cells that move with them: right, with fewer steps, and with everything that a solution can do."""

from types import SimpleNamespace

import numpy as np
import pytest
from on_cells import Run, line

import lrfm
from lrfm.discretize.evolution import EvolutionSystem
from lrfm.discretize.options import Options
from lrfm.integrate.integrator import Patience
from lrfm.integrate.prepare import integrator_for
from lrfm.solver.formulations.cells import CellFormulation
from lrfm.solver.integration import Integration, IntegrationState
from lrfm.spaces.cells import MovingMesh

NU, SPEED = 2e-3, 0.5


def exact(x, t, nu=NU):
    """A shock of Burgers' equation from one to zero, smoothed by diffusion."""
    return 0.5 - 0.5 * np.tanh((x - 0.3 - SPEED * t) / (4 * nu))


def shock(time=(0, 2), **more):
    return line(
        "u_t + u*u_x = nu*u_xx",
        "0.5 - 0.5*tanh((x - 0.3)/(4*nu))",
        {"x-": "u = 1", "x+": "u = 0"},
        x=(0, 2),
        time=time,
        parameters={"nu": NU},
        reference=exact,
        **more,
    )


@pytest.fixture(scope="module")
def travelled():
    return lrfm.solve(shock(), tol=1e-4)


def off(solution, **more):
    x, t = np.linspace(0, 2, 801)[:, None], np.linspace(0, 2, 41)
    wanted = exact(x, t, **more)
    return float(np.linalg.norm(solution(x=x, t=t) - wanted) / np.linalg.norm(wanted))


def test_the_error_is_below_its_estimate(travelled):
    assert travelled.pieces[0].moves
    assert off(travelled) <= travelled.report.error_estimate <= 1e-4


def test_cells_follow_the_front(travelled):
    """The narrowest cell is at the front at all times, within its width."""
    for t in (0.5, 1.0, 1.7):
        edges = travelled.cells(t=t)
        narrow = np.argmin(np.diff(edges))
        assert abs(0.5 * (edges[narrow] + edges[narrow + 1]) - 0.3 - SPEED * t) < 16 * NU
        assert (edges[0], edges[-1]) == (0, 2)


def test_a_front_takes_a_third_of_the_steps():
    runs = [
        Run(shock(), 1e-3, integrator_for(EvolutionSystem(shock()), Options(tol=1e-3), moves=moves))
        for moves in (False, True)
    ]
    still, moving = (len(run.steps) for run in runs)
    assert 3 * moving < still
    assert not any(isinstance(step.mesh, MovingMesh) for step in runs[0].steps)


class Noting:
    """An estimator that notes errors in time of steps on cells that move, and what the embedded formula says of them."""

    def __init__(self, own):
        self.own, self.found = own, []

    def __getattr__(self, name):
        return getattr(self.own, name)

    def contributions(self, made, pencil, state, result, length):
        errors, tails = self.own.contributions(made, pencil, state, result, length)
        if result.converged and getattr(made.mesh, "moves", False):
            sizes = self.own.sizes(made, state, state.y, state.z)
            own = float(np.max(result.part * made.norms(result.error) / sizes))
            self.found.append((length, own, errors.time))
        return errors, tails


def test_errors_in_time_of_cells_that_move_add_up():
    """What moves with its cells looks the same in all steps, and so do their errors: N = T/h of them have the sum of N and not of √N, η_t √(T/h)."""
    made = integrator_for(EvolutionSystem(shock()), Options(tol=1e-3), moves=True)
    made.estimator = noted = Noting(made.estimator)
    Run(shock(), 1e-3, made)
    length, own, counted = np.array(noted.found).T
    budget = made.options.time_share * made.options.tol
    plain = own < budget  # else what the equation damps of an error is left out
    assert plain.sum() > 3
    assert np.all(counted[plain] >= 0.5 * own[plain] * np.sqrt(2 / length[plain]))


def test_singular_points_of_coefficients_stay_edges():
    """A front runs over a jump of the diffusion: its place is an edge of all cells, also of those that move."""
    problem = line(
        "u_t + u*u_x = where(x < 0.7, 1e-3, 4e-3)*u_xx",
        "0.5 - 0.5*tanh((x - 0.3)/4e-3)",
        {"x-": "u = 1", "x+": "u = 0"},
        x=(0, 2),
        time=(0, 1.2),
    )
    run = Run(problem, 1e-3, integrator_for(EvolutionSystem(problem), Options(tol=1e-3), moves=True))
    moving = [step.mesh for step in run.steps if isinstance(step.mesh, MovingMesh) and step.mesh.moves]
    assert moving
    for mesh in moving:
        at = int(np.argmin(np.abs(mesh.edges - 0.7)))
        assert abs(mesh.edges[at] - 0.7) < 1e-9
        assert mesh.speeds[at] == 0


def test_what_only_diffuses_stands_still():
    problem = line("u_t = 1e-3*u_xx", "exp(-((x - 0.5)/0.02)**2)", "u_n = 0")
    run = Run(problem, 1e-6, integrator_for(EvolutionSystem(problem), Options(tol=1e-6), moves=True))
    assert not any(isinstance(step.mesh, MovingMesh) for step in run.steps)


def test_a_file_holds_the_motion(travelled, tmp_path):
    travelled.save(tmp_path / "front.lrfm")
    again = lrfm.load(tmp_path / "front.lrfm")
    x, t = np.linspace(0, 2, 101)[:, None], np.linspace(0, 2, 11)
    for name in ("u", "u_t", "u_x"):
        here, there = (
            s.derivative(name)(x=x, t=t) if name != "u" else s(x=x, t=t) for s in (travelled, again)
        )
        np.testing.assert_array_equal(here, there)


def test_rates_are_those_at_fixed_places(travelled):
    x, t = np.linspace(0.01, 1.99, 397)[:, None], np.array([0.4, 1.1, 1.9])
    slope = (exact(x, t + 1e-5) - exact(x, t - 1e-5)) / 2e-5
    found = travelled.derivative("u_t")(x=x, t=t)
    assert np.linalg.norm(found - slope) < 5e-3 * np.linalg.norm(slope)


@pytest.mark.slow
def test_sensitivities_are_solved_on_cells_that_stand_still(travelled):
    (found,) = [travelled.sensitivity("nu")]
    x, t = np.linspace(0, 2, 401)[:, None], np.array([0.5, 1.5])
    step = 1e-3 * NU
    wanted = (exact(x, t, NU + step) - exact(x, t, NU - step)) / (2 * step)
    assert np.linalg.norm(found(x=x, t=t) - wanted) < 1e-2 * np.linalg.norm(wanted)


@pytest.mark.slow
def test_a_sensitivity_of_a_front_that_a_scan_sees_as_well():
    """Of half the width."""
    nu = 0.5 * NU
    solution = lrfm.solve(shock(time=(0, 0.5)).replace(parameters={"nu": nu}), tol=1e-3)
    x, t = np.linspace(0, 2, 401)[:, None], np.array([0.1, 0.4])
    step = 1e-3 * nu
    wanted = (exact(x, t, nu + step) - exact(x, t, nu - step)) / (2 * step)
    assert np.linalg.norm(solution.sensitivity("nu")(x=x, t=t) - wanted) < 1e-2 * np.linalg.norm(wanted)


class Clock:
    def __init__(self):
        self.tell, self.budget = None, SimpleNamespace(spent=0.0, seconds=1e9)

    def in_time(self):
        return True


def test_a_checkpoint_goes_on_with_the_same_bits():
    def engine():
        return Integration(CellFormulation(EvolutionSystem(shock()), moves=True), 1e-3, Clock())

    def marched(one, state):
        while not one.finished(state):
            state = one.advance(state)
        return state

    first = engine()
    whole = marched(first, first.begin())
    first, resumed = engine(), IntegrationState()
    state, other = first.begin(), engine()
    for _ in range(whole.count // 2):
        new = first.advance(state)
        resumed = other.grown(resumed, first.added(state, new))
        state = new
    other.check(resumed)
    resumed = marched(other, resumed)
    assert any(isinstance(step.mesh, MovingMesh) for step in resumed.steps)
    for mine, theirs in zip(resumed.steps, whole.steps, strict=True):
        assert (mine.time, mine.length) == (theirs.time, theirs.length)
        np.testing.assert_array_equal(mine.rates, theirs.rates)
        np.testing.assert_array_equal(mine.mesh.edges, theirs.mesh.edges)


class Broken(Exception):
    pass


def test_a_checkpoint_that_is_broken_off_gives_the_same_values(tmp_path, travelled):
    """Through files, in the solve and in its comparison."""
    calls = 0

    def stop(stage, done, total):
        nonlocal calls
        calls += 1
        if calls % 25 == 0:
            raise Broken

    for _ in range(50):
        try:
            again = lrfm.solve(shock(), tol=1e-4, checkpoint=tmp_path / "c", progress=stop)
            break
        except Broken:
            pass
    assert calls > 25
    one, two = again.pieces[0].record(), travelled.pieces[0].record()
    for name in one.keys() - {"fields"}:
        np.testing.assert_array_equal(one[name], two[name])


def test_the_report_says_that_cells_move(travelled):
    assert "cells move with what travels" in travelled.report.parts["motion"]
    assert "cells move with what travels" in str(travelled.report.details)


@pytest.mark.thorough
@pytest.mark.slow
def test_errors_of_cells_that_move_add_up():
    """Gray-Scott pulses that slow down and split: an error of 1.1e-3 was claimed to be 3.9e-4 by two solves that both move."""
    problem = lrfm.catalog.entry("spin-gs").builder()
    solution = lrfm.solve(problem, tol=1e-3)
    stricter = lrfm.solve(problem, tol=5e-5)
    assert "motion" in solution.report.parts
    ((low, high),) = problem.domain.axes.values()
    x, t = np.meshgrid(np.linspace(low, high, 401), np.linspace(*problem.time, 61))
    found, true = solution["v"](x=x, t=t), stricter["v"](x=x, t=t)
    assert np.linalg.norm(found - true) <= solution.report.error_estimate * np.linalg.norm(true)


def test_cells_stand_where_shorter_steps_are_in_vain():
    """Korteweg, de Vries and Burgers: waves behind a front. What old cells left out does not fall with the step, and along a motion it counts √(T/h) times: steps vanished at t = 1.2."""
    problem = lrfm.Problem(
        "u_t + u*u_x = 1e-4*u_xx + 2e-4*u_xxx",
        domain=lrfm.Box(x=(0, 10)),
        time=(0, 2),
        initial="log(1 + cosh(20)**2/cosh(20*(x - 2))**2)/40",
        boundary="periodic",
    )
    report = lrfm.solve(problem, tol=1e-3).report
    assert report.solved
    assert int(report.parts["repeated steps"]) < 0.2 * report.steps


def test_an_attempt_is_in_vain_where_errors_fall_less_than_steps():
    patience = Patience(Options(tol=1e-3), 1.0)
    assert [
        patience.in_vain(*attempt) for attempt in ((4e-3, 1.0), (1e-3, 0.5), (6e-4, 0.25), (5e-4, 0.125))
    ] == [
        False,
        False,
        True,
        True,
    ]
