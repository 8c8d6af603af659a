# SPDX-License-Identifier: MIT
"""Integrations with closed forms: errors below the tolerance, estimates that hold, cells that follow, work that falls with the tolerance."""

from itertools import pairwise

import numpy as np
import pytest
from helpers import thinned
from on_cells import Run, line
from scipy.integrate import solve_ivp

import lrfm
from lrfm.catalog.paper import cole_hopf
from lrfm.discretize.evolution import EvolutionSystem
from lrfm.discretize.options import Options
from lrfm.integrate.prepare import integrator_for
from lrfm.problem import Box, Problem

PI = np.pi
NU = 0.01 / PI
WALLS = {"x-": "u = 0", "x+": "u = 0"}
ODD = 2 * np.arange(60) + 1  # of Fourier series; at t = 0.005 the last has e^(−698)
CENTER, WIDTH = 0.37, 1e-4


def series(amplitudes):
    """Σ a_n sin nπx e^(−n²π²t)."""

    def exact(x, t):
        x, t = np.broadcast_arrays(x, t)
        terms = np.sin(ODD * PI * x[..., None]) * np.exp(-((ODD * PI) ** 2) * t[..., None])
        return terms @ amplitudes

    return exact


STATEMENTS = {
    "front": line("u_t + u*u_x = nu*u_xx", "-sin(pi*x)", WALLS, x=(-1, 1), parameters={"nu": NU}),
    "tent": line("u_t = u_xx", "where(x < 0.5, 2*x, 2 - 2*x)", WALLS, time=(0, 0.2)),
    "quench": line("u_t = u_xx", "1", WALLS, time=(0, 0.2), check_corners=False),
    "narrow source": line(f"u_t = u_xx + exp(-((x - {CENTER})/{WIDTH})**2)/{WIDTH}", "0", WALLS, time=(0, 4)),
    "soliton": line("u_t + 6*u*u_x + u_xxx = 0", "2/cosh(x)**2", "periodic", x=(-20, 20), time=(0, 1)),
    "driven wave": line(
        "u_tt = u_xx", {"u": "sin(x)", "u_t": "-cos(x)"}, {"x-": "u = -sin(t)", "x+": "u = sin(1 - t)"}
    ),
    "algebraic unknown": line(["u_t = w", "w = u_xx"], {"u": "sin(pi*x)"}, WALLS, time=(0, 0.2)),
    "mean": line("u_t = u_xx - mean(u)", "1 + cos(pi*x)", "u_n = 0"),
    "beam": line(
        "u_t = -u_xxxx",
        "sin(pi*x)",
        {"x-": ["u = 0", "u_xx = 0"], "x+": ["u = 0", "u_xx = 0"]},
        time=(0, 0.02),
    ),
    "moving interval": lrfm.Problem(
        "u_t = u_xx",
        domain=lrfm.Region("x > t and x < 1 + 2*t", x=(-1, 4)),
        time=(0, 1),
        initial="exp(-x)",
        boundary={"*": "u = exp(t - x)"},
        check_corners=False,
    ),
    "Schroedinger": line(
        "1j*psi_t = -psi_xx", "exp(1j*x)", "periodic", x=(0, 2 * PI), unknowns={"psi": complex}
    ),
}
EXACT = {
    "front": lambda x, t: np.where(t > 0, cole_hopf(x, np.maximum(t, 1e-3), nu=NU), -np.sin(PI * x)),
    "tent": series(8 / PI**2 * (-1.0) ** np.arange(60) / ODD**2),
    "quench": series(4 / PI / ODD),
    "soliton": lambda x, t: 2 / np.cosh(x - 4 * t) ** 2,
    "driven wave": lambda x, t: np.sin(x - t),
    "algebraic unknown": lambda x, t: np.exp(-(PI**2) * t) * np.sin(PI * x),
    "mean": lambda x, t: np.exp(-t) + np.exp(-(PI**2) * t) * np.cos(PI * x),
    "beam": lambda x, t: np.exp(-(PI**4) * t) * np.sin(PI * x),
}
EARLIEST = {"tent": 0.005, "quench": 0.005, "front": 0.05}  # closed forms are awkward before


def grid(name):
    """Places and times, none of them an edge of cells or of steps."""
    box, (start, end) = STATEMENTS[name].domain, STATEMENTS[name].time
    low, high = float(box.lower[0]), float(box.upper[0])
    first = max(start, EARLIEST.get(name, start))
    return np.linspace(low, high, 202)[None, :], np.linspace(first, end, 23)[:, None]


def relative(found, exact):
    return float(np.linalg.norm(found - exact) / np.linalg.norm(exact))


@pytest.mark.parametrize("name", EXACT)
def test_errors_are_below_the_tolerance(name):
    """Of one integration, without a comparison solve."""
    x, t = grid(name)
    tol = 1e-5
    assert relative(Run(STATEMENTS[name], tol).values(x, t), EXACT[name](x, t)) <= tol


def test_errors_of_a_complex_unknown_are_relative_to_all_of_it_from_the_start():
    """Im psi = 0 at the start, and comes to as much as there is; T‖∂ₜ Im psi‖ is fifty times that."""
    own = {"unknowns": {"psi": complex}, "x": (0, 2 * PI), "time": (0, 50)}
    problem = line("1j*psi_t = -psi_xx", "cos(x)", "periodic", **own)
    made = integrator_for(EvolutionSystem(problem), Options(tol=1e-3))
    state = made.begin()
    space = made.adapter.discretize(state.mesh)
    sizes = made.estimator.sizes(space, state, state.y, state.z)
    np.testing.assert_allclose(sizes, np.sqrt(0.5), rtol=1e-3)


def test_an_algebraic_unknown_is_as_exact():
    x, t = grid("algebraic unknown")
    exact = -(PI**2) * EXACT["algebraic unknown"](x, t)
    assert relative(Run(STATEMENTS["algebraic unknown"], 1e-6).values(x, t, "w"), exact) <= 1e-6


@pytest.mark.parametrize("tol", [1e-3, 1e-6])
def test_a_narrow_source_makes_its_steady_state(tol):
    """Of width 1e-4 and mass √π: √π (1 − c) x on the left, √π c (1 − x) on the right, once transients are gone."""
    x = np.linspace(0, 1, 302)
    x = x[np.abs(x - CENTER) > 8 * WIDTH]
    exact = np.sqrt(PI) * np.where(x < CENTER, (1 - CENTER) * x, CENTER * (1 - x))
    assert relative(Run(STATEMENTS["narrow source"], tol).values(x, 4.0), exact) <= tol


def test_a_complex_unknown():
    x, t = grid("Schroedinger")
    run, exact = Run(STATEMENTS["Schroedinger"], 1e-6), np.exp(1j * (x - t))
    assert relative(run.values(x, t, "psi.re") + 1j * run.values(x, t, "psi.im"), exact) <= 1e-6


def test_a_moving_interval():
    """u = e^(t − x) between t and 1 + 2t."""
    run = Run(STATEMENTS["moving interval"], 1e-6)
    t = np.linspace(0, 1, 11)[:, None]
    x = t + (1 + t) * np.linspace(0, 1, 33)[None, :]
    assert relative(run.values(x, t + 0 * x), np.exp(t - x)) <= 1e-6


@pytest.mark.slow
@pytest.mark.parametrize("tol", [1e-3, 1e-6])
@pytest.mark.parametrize("name", EXACT)
def test_estimates_hold(name, tol):
    """What is reported is at most the tolerance and not below the error."""
    solution = lrfm.solve(STATEMENTS[name], tol=tol, method=lrfm.Lines(space="cells"))
    x, t = grid(name)
    error = relative(solution["u"](x=x, t=t), EXACT[name](x, t))
    assert error <= tol
    assert error <= solution.report.error_estimate <= tol


@pytest.mark.slow
@pytest.mark.parametrize("space", ["cells", "series"])
def test_a_comparison_takes_shorter_steps_at_all_times(space):
    """Where both took the same steps, by a limit or by chance, they would share the error in time: 7.9e-10 with an estimate of 2.7e-10."""
    problem = lrfm.Problem(
        "u_t = 0.05*u_xx - u*u_x + cos(20*t)*sin(x)",
        domain=lrfm.Box(x=(0, 2 * np.pi)),
        time=(0, 2),
        initial="1 + sin(x)",
        boundary="periodic",
    )
    solution = lrfm.solve(problem, tol=1e-5, method=lrfm.Lines(space=space))
    assert solution.second is not None
    first, second = solution.pieces[0].edges, solution.second[0].edges
    own = np.diff(first)[np.clip(np.searchsorted(first, second[:-1], side="right") - 1, 0, len(first) - 2)]
    stages = {"cells": 5, "series": 4}[space]
    assert np.all(np.diff(second) <= own * 4 ** (-1 / (stages + 1)) * (1 + 1e-9))


# Cells and steps --------------------------------------------------------------------------------------------


def test_cells_follow_the_front():
    """Few and wide before it is there; narrow where it is, and nowhere else."""
    run = Run(STATEMENTS["front"], 1e-6)
    last = run.steps[-1].mesh
    middle = last.edges[:-1] + 0.5 * last.widths
    narrowest = last.widths.min()
    assert np.all(np.abs(middle[last.widths < 4 * narrowest]) < 0.05)
    assert narrowest < 20 * NU
    assert np.all(last.widths[np.abs(middle) > 0.5] >= 0.05)
    assert run.steps[0].mesh.size < last.size < 40


@pytest.mark.slow
def test_cells_move_with_a_soliton():
    """Cells are narrow where it is and wide before it comes, at all times."""
    problem = line(
        "u_t + 6*u*u_x + u_xxx = 0", "8/cosh(2*(x + 10))**2", "periodic", x=(-20, 20), time=(0, 1)
    )  # travels with speed 16
    run = Run(problem, 1e-4)
    for time in (0.2, 0.6, 1.0):
        edges, place = run.piece.cells_at(time), 16 * time - 10
        middle, widths = 0.5 * (edges[1:] + edges[:-1]), np.diff(edges)
        assert widths[np.abs(middle - place) < 2].max() <= 1.25, time
        assert widths[middle > place + 6].min() >= 1.25, time
    assert run.states[-1].regrids > 3


DEARER = pytest.mark.xfail(reason="cells are split at 1e-4 for the unknown without data, and not at 1e-6")


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "front",
        "tent",
        pytest.param("quench", marks=pytest.mark.slow),
        "narrow source",
        "soliton",
        "mean",
        "beam",
        pytest.param("algebraic unknown", marks=DEARER),
    ],
)
def test_looser_is_never_dearer(name):
    """Unknowns of all stages of all steps, repeated ones counted: 10 % more at the most than at the next stricter tolerance."""
    runs = [Run(STATEMENTS[name], 10.0**-e) for e in range(2, 9)]
    work = [run.work * run.steps[0].start.shape[-1] * len(run.steps[0].rates) for run in runs]
    assert all(loose <= 1.1 * strict for loose, strict in pairwise(work)), work


@pytest.mark.parametrize("name", ["front", "quench", "driven wave"])
def test_two_runs_have_the_same_numbers(name):
    one, two = Run(STATEMENTS[name], 1e-4), Run(STATEMENTS[name], 1e-4)
    assert len(one.steps) == len(two.steps)
    for a, b in zip(one.steps, two.steps, strict=True):
        assert (a.time, a.length) == (b.time, b.length)
        np.testing.assert_array_equal(a.rates, b.rates)


@pytest.mark.parametrize("name", ["front", "quench", "mean"])
@pytest.mark.parametrize("part", thinned([0.3, 0.1, 0.8, 0.5], 2))
def test_a_state_is_all_that_is_needed_to_go_on(name, part):
    """Another integrator goes on from a state in the middle with the same bits."""
    whole = Run(STATEMENTS[name], 1e-4)
    at = int(part * len(whole.states))
    made = integrator_for(EvolutionSystem(STATEMENTS[name]), Options(tol=1e-4))
    for (state, step), other, wanted in zip(
        made.run(whole.states[at]), whole.steps[at + 1 :], whole.states[at + 1 :], strict=True
    ):
        assert (step.time, step.length) == (other.time, other.length)
        np.testing.assert_array_equal(step.rates, other.rates)
        np.testing.assert_array_equal(state.y, wanted.y)


def test_a_jump_of_boundary_data_ends_a_step():
    """u = 0 before t = 0.3; then as after a quench: 1 − x − Σ (2/nπ) sin nπx e^(−n²π²(t − 0.3))."""
    problem = line("u_t = u_xx", "0", {"x-": "u = where(t > 0.3, 1, 0)", "x+": "u = 0"}, time=(0, 0.6))
    run = Run(problem, 1e-5)
    ends = np.array([step.time + step.length for step in run.steps])
    assert np.abs(ends - 0.3).min() < 1e-15
    assert np.abs(run.values(np.linspace(0, 1, 50), 0.2999)).max() < 1e-12
    x, t = np.linspace(0, 1, 101)[None, :], np.linspace(0.31, 0.6, 9)[:, None]
    n = np.arange(1, 80)
    terms = np.sin(n * PI * x[..., None]) * np.exp(-((n * PI) ** 2) * (t[..., None] - 0.3)) * 2 / (n * PI)
    assert relative(run.values(x, t), 1 - x - terms.sum(axis=-1)) <= 1e-5


def test_steps_are_in_order_and_end_at_the_end():
    run = Run(STATEMENTS["quench"], 1e-4)
    for a, b in pairwise(run.steps):
        assert np.isclose(a.time + a.length, b.time, rtol=0, atol=1e-15)
    assert run.states[-1].time == 0.2


@pytest.mark.parametrize("tol", [0.3, 0.05, 1e-2])
def test_rough_tolerances_have_points_enough(tol):
    """A fourth derivative takes five points of a cell, whatever the tolerance."""
    x, t = grid("beam")
    assert relative(Run(STATEMENTS["beam"], tol).values(x, t), EXACT["beam"](x, t)) <= tol


def test_linear_rows_that_stay_the_same_take_one_iteration():
    """What one iteration leaves of them is rounding; a second one shows it, once on each mesh."""
    system = EvolutionSystem(line("u_t = u_xx", "sin(pi*x) + sin(3*pi*x)/3", "u = 0", time=(0, 0.1)))
    made = integrator_for(system, Options(tol=1e-6))
    *_, (state, _) = made.run(made.begin())
    assert state.iterations <= state.steps + state.regrids + 1


@pytest.mark.parametrize("tol", [1e-2, 1e-3])
def test_what_is_small_between_two_pulses_decides_when_the_next_one_comes(tol):
    """The Oregonator (Hairer, Wanner, IV.10) has u = 1.2e5 in pulses and u = 1.009 between them: u − 1 leads to the next pulse at t = 303, and is 1e-7 of u at its largest."""
    problem = Problem(
        ["u_t = 77.27*(v + u*(1 - 8.375e-6*u - v))", "v_t = (w - (1 + u)*v)/77.27", "w_t = 0.161*(u - w)"],
        time=(0, 360), initial={"u": 1, "v": 2, "w": 3},
    )  # fmt: skip

    def rates(_, y):
        u, v, w = y
        return [77.27 * (v + u * (1 - 8.375e-6 * u - v)), (w - (1 + u) * v) / 77.27, 0.161 * (u - w)]

    times = np.linspace(0, 360, 2001)
    known = solve_ivp(rates, (0, 360), [1, 2, 3], method="Radau", t_eval=times, rtol=1e-9, atol=1e-11).y
    solution = lrfm.solve(problem, tol=tol)
    found = solution(t=times)
    for name, true in zip("uvw", known, strict=True):
        assert np.linalg.norm(found[name] - true) <= tol * np.linalg.norm(true)


SEED = 0.3 + 1e-12


def grown_seed(times):
    """u′ = 100 u (1 − u)(u − 0.3) from 0.3 + 1e-12; with d = u − 0.3 all digits of the seed are there."""
    rate = lambda _, d: 100 * d * (0.3 + d) * (0.7 - d)  # noqa: E731
    span = (times[0], times[-1])
    return (
        0.3 + solve_ivp(rate, span, [SEED - 0.3], method="Radau", t_eval=times, rtol=1e-10, atol=1e-22).y[0]
    )


@pytest.mark.parametrize("tol", [1e-2, 1e-3])
def test_what_grows_from_a_part_in_1e12_is_not_damped_by_long_steps(tol):
    """Nothing moves by more than the tolerance until t = 1, and steps that are long damp e^(21 t) as they do e^(−21 t)."""
    problem = Problem(
        "u_t = u_xx + 100*u*(1 - u)*(u - 0.3)", domain=Box(x=(0, 1)), time=(0, 2), initial=repr(SEED), boundary="u_n = 0",
    )  # fmt: skip
    times = np.linspace(0, 2, 501)
    true = grown_seed(times)
    found = lrfm.solve(problem, tol=tol)(x=np.full_like(times, 0.5), t=times)
    assert np.linalg.norm(found - true) <= tol * np.linalg.norm(true)


@pytest.mark.parametrize("tol", [1e-2, 1e-3])
def test_an_oscillation_that_grows_from_a_part_in_1e10_is_followed(tol):
    """z′ = (20 + 30i) z − 20 |z|² z about (2, 2):  |z|² = 1/(1 + e^(−40 t) (1/|z₀|² − 1)),  its phase 30 t."""
    beyond = "20*({0} - 2) {2} 30*({1} - 2) - 20*({0} - 2)*((u - 2)**2 + (v - 2)**2)"
    problem = Problem(
        ["u_t = u_xx + " + beyond.format("u", "v", "-"), "v_t = v_xx + " + beyond.format("v", "u", "+")],
        domain=Box(x=(0, 1)), time=(0, 2), initial={"u": repr(2 + 1e-10), "v": "2"}, boundary={"*": ["u_n = 0", "v_n = 0"]},
    )  # fmt: skip
    times = np.linspace(0, 2, 501)
    size = 1 / np.sqrt(1 + np.exp(-40 * times) * (1 / ((2 + 1e-10) - 2) ** 2 - 1))
    solution = lrfm.solve(problem, tol=tol)
    for name, true in (("u", 2 + size * np.cos(30 * times)), ("v", 2 + size * np.sin(30 * times))):
        found = solution[name](x=np.full_like(times, 0.5), t=times)
        assert np.linalg.norm(found - true) <= tol * np.linalg.norm(true)
