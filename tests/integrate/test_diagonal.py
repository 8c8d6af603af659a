# SPDX-License-Identifier: MIT
"""Diagonally implicit steps of flows with a pressure: order in time, constraints at the ends of steps, what is kept in between, rows that are linearized anew."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import lrfm
from lrfm.discretize.options import Options
from lrfm.discretize.plane.constraint import PlaneSystem
from lrfm.discretize.plane.projection import Leray
from lrfm.integrate.schemes.additive import tableau
from lrfm.integrate.schemes.diagonal import (
    STAGES,
    DiagonalRungeKutta,
    Mixing,
    cubic_through,
    halfway,
    nearby,
    quartic,
    understated,
)
from lrfm.integrate.schemes.radau import Iteration, Radau
from lrfm.integrate.schemes.tableaus import radau
from lrfm.integrate.state import IntegratorState
from lrfm.solver.formulations.plane import PlaneFormulation, projected_start

NAVIER = ["u_t + u*u_x + v*u_y = -p_x + nu*lap(u)", "v_t + u*v_x + v*v_y = -p_y + nu*lap(v)", "u_x + v_y = 0"]
END = 0.4


@pytest.fixture(scope="module")
def vortices():
    """Taylor and Green's vortices around a hole, driven from the boundary, on a few cells."""
    given = {"u": "-cos(pi*x)*sin(pi*y)", "v": "sin(pi*x)*cos(pi*y)"}
    problem = lrfm.Problem(
        NAVIER,
        domain=lrfm.Box(x=(0, 1), y=(0, 1)) - lrfm.Disk(center=(0.45, 0.55), radius=0.2, name="hole"),
        time=(0, END),
        initial=given,
        boundary={"*": [f"{n} = ({f})*exp(-2*nu*pi**2*t)*(1 + 0.3*sin(4*t))" for n, f in given.items()]},
        parameters={"nu": 0.05},
        check_corners=False,
    )
    form = PlaneFormulation(PlaneSystem(problem))
    adapter = form.adapter(Options(tol=0.1))
    mesh, y = adapter.initial()
    made = adapter.discretize(mesh)
    y, z = projected_start(Leray(), made, 0.0, y, END)
    nothing = np.zeros(len(y))
    return made, IntegratorState(0.0, mesh, y, z, END, 0.0, nothing, nothing)


def norm_of(made):
    return lambda change: float(np.max(made.norms(change)))


def marched(made, state, scheme, count, goal=1e-11):
    """So many equal steps; the state after them, and the last step."""
    h, result = END / count, None
    for _ in range(count):
        pencil = made.linearize(*scheme.middle(state, h))
        result = scheme.step(made, pencil, state, h, Iteration(norm_of(made), goal, 20))
        assert result.converged
        state = replace(
            state,
            time=state.time + h,
            y=result.end,
            z=result.rates[-1],
            before=(h, result.rates),
            steps=state.steps + 1,
        )
    return state, result


@pytest.mark.slow
def test_order_four_in_time_and_the_constraint_at_the_ends_of_steps(vortices):
    """Against Radau IIA of order nine on the same cells; a pressure follows from the velocity, where data on the boundary move as well."""
    made, start = vortices
    exact = marched(made, start, Radau(5), 2, goal=1e-9)[0].y
    ends = [marched(made, start, DiagonalRungeKutta(Leray().rates), count, goal=1e-9)[0] for count in (2, 4)]
    coarse, fine = (made.norms(state.y - exact) for state in ends)
    assert np.all(np.log2(coarse / fine) > 3.5)
    assert np.all(fine < [1e-5, 1e-5, 1e-5])
    rows = made.residual(np.array([END]), ends[0].y[None], ends[0].z[None])[0]
    assert np.abs(np.append(rows, 0.0)[made.places[:, made.system.last.index(2)]]).max() < 1e-11


@pytest.mark.slow
def test_rows_are_linearized_anew_where_the_matrix_is_of_another_flow(vortices):
    """With the matrix of a fluid that runs ten times as fast, and the other way round."""
    made, start = vortices
    scheme = DiagonalRungeKutta(Leray().rates)
    other = made.linearize(0.0, -10 * start.y, start.z)
    own = made.linearize(0.0, start.y, start.z)
    results = [
        scheme.step(made, pencil, start, 0.1, Iteration(norm_of(made), 1e-10, 10)) for pencil in (own, other)
    ]
    assert all(r.converged for r in results)
    assert results[1].rate > results[0].rate
    assert np.allclose(results[0].end, results[1].end, atol=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize("goal", [1e-3, 1e-5])
def test_iterations_end_at_their_goal_with_the_matrix_of_another_flow(vortices, goal):
    """The rate where rows were linearized is not that of other stages: trusted there, it left twenty goals of the pressure, and steps were repeated for it."""
    made, start = vortices
    scheme, other = DiagonalRungeKutta(Leray().rates), made.linearize(0.0, -10 * start.y, start.z)
    found, exact = (
        scheme.step(made, other, start, 0.1, Iteration(norm_of(made), g, 8)) for g in (goal, 1e-10)
    )
    assert found.converged
    assert exact.converged
    assert np.all(made.norms(found.end - exact.end) < goal)


def test_a_rate_of_another_step_is_trusted_once(vortices):
    """A step that ends after one iteration of each stage has shown no rate: the next one is to find out, though its matrix may be the same."""
    made, start = vortices
    pencil = made.linearize(0.0, start.y, start.z)
    found = DiagonalRungeKutta(Leray().rates).step(
        made, pencil, start, 0.01, Iteration(norm_of(made), 1e-2, 8, known_rate=1e-3)
    )
    assert found.converged
    assert found.iterations == 1
    assert found.rate == 1.0


def test_mixed_iterations_find_what_few_large_eigenvalues_keep_away():
    """z ← z + f(z) with f(z) = K z + b − z, K of rank three with eigenvalues 3, −2 and ±2i, diverges; mixed it is at its end after as many moves as K has eigenvalues and one more."""
    rng = np.random.default_rng(0)
    fields, cells, size = 2, 5, 3
    n = fields * cells * size
    turned = np.linalg.qr(rng.normal(size=(n, n)))[0]
    core = np.zeros((n, n))
    core[0, 0], core[1, 1], core[2, 3], core[3, 2] = 3.0, -2.0, 2.0, -2.0
    matrix, right = turned @ core @ turned.T, rng.normal(size=n)
    shares = np.full(cells, 1 / cells)
    made = SimpleNamespace(shares=shares, norms=lambda v: np.sqrt(np.einsum("cks,k->c", v**2, shares)))
    mixed, before, z = Mixing(made, 8), None, np.zeros((fields, cells, size))
    for _ in range(6):
        change = (matrix @ z.ravel() + right - z.ravel()).reshape(z.shape)
        more = mixed(z, change, before)
        before, z = (z, change), z + more
    assert np.allclose(z.ravel(), np.linalg.solve(np.eye(n) - matrix, right), atol=1e-9)


def test_a_pressure_keeps_to_its_own_functions(vortices):
    """No row feels what a pressure has of the velocity's highest degree, nor its mean: as projections onto joined cells leave it in the step before, and extended from step to step, it came to 4e-2 of a wake."""
    made, start = vortices
    rates = np.zeros((STAGES, *start.y.shape))
    own = made.layout.sizes[2]
    rates[:, 2, :, own:], rates[:, 2, :, 0] = 1e-2, 1e-2
    state = replace(start, before=(END, rates), steps=1)
    scheme = DiagonalRungeKutta(Leray().rates)
    pencil = made.linearize(*scheme.middle(state, 0.1))
    found = scheme.step(made, pencil, state, 0.1, Iteration(norm_of(made), 1e-3, 8))
    assert found.converged
    assert own < made.functions
    assert not np.any(found.end[2, :, own:])
    assert not np.any(found.rates[:, 2, :, own:])
    assert np.max(np.abs(found.end[2, :, 0] @ made.shares)) < 1e-12


@pytest.mark.slow
def test_what_is_left_of_an_error_is_told_by_the_factors_of_the_step(vortices):
    """Over six steps, to two digits of what there was, and without others."""
    made, start = vortices
    pencil = made.linearize(0.0, start.y, start.z)
    pencil.factored(0.01)
    right = pencil.apply(made.gather(start.y), 0)
    try:
        made.__dict__["solver"] = None
        found = made.scatter(pencil.roughly(0.24)(right))
    finally:
        del made.__dict__["solver"]
    expected = made.scatter(made.linearize(0.0, start.y, start.z).at(0.24)(right))
    assert np.all(made.norms(found - expected)[:2] < 0.05 * made.norms(start.y)[:2])
    assert np.all(made.norms(expected)[:2] < 0.1 * made.norms(start.y)[:2])


@pytest.mark.slow
def test_what_the_step_before_left_wrong_in_a_pressure_repeats_no_step(vortices):
    """A kink at the start is the same however short the step is, and is no error of it."""
    made, start = vortices
    kink = np.zeros_like(start.y)
    kink[2] = 0.1 * np.sin(np.arange(start.y[2].size)).reshape(start.y[2].shape)
    kink = made.predicted(kink)  # of the functions that a pressure has
    pencil = made.linearize(0.0, start.y, start.z)
    scheme, errors = DiagonalRungeKutta(Leray().rates), []
    for y in (start.y, start.y + kink):
        iteration = Iteration(norm_of(made), 1e-6, 20)
        result = scheme.step(made, pencil, replace(start, y=y, steps=1), 0.02, iteration)
        errors.append(made.norms(result.error)[2])
    assert made.norms(kink)[2] > 0.05
    assert errors[1] < 1.5 * errors[0] < 2e-3


@pytest.mark.slow
def test_a_short_step_after_a_long_one_has_a_small_error(vortices):
    """Rates at the end of a step are free of divergence as the boundary asks: what they lack would be a pressure that no shorter step mends."""
    made, start = vortices
    scheme = DiagonalRungeKutta(Leray().rates)
    state = marched(made, start, scheme, 1, goal=1e-8)[0]
    soon = 1e-6 * END
    rows = made.residual(
        np.array([END, END + soon]), np.stack([state.y, state.y + soon * state.z]), np.stack([state.z] * 2)
    )
    missing = made.scatter((rows[1] - rows[0]) / soon)[made.system.last.index(2)]
    assert made.norms(missing) < 1e-2 * made.norms(state.z)[0]
    pencil = made.linearize(END, state.y, state.z)
    result = scheme.step(made, pencil, state, 0.01 * END, Iteration(norm_of(made), 1e-8, 20))
    assert made.norms(result.error)[2] < 1e-4 * made.norms(state.y)[2]


@pytest.mark.slow
def test_a_pressure_at_the_start_is_that_of_the_first_stages(vortices):
    """Whatever was taken for it, the end of the step is its last stage."""
    made, start = vortices
    pencil, scheme, h = made.linearize(0.0, start.y, start.z), DiagonalRungeKutta(Leray().rates), 0.05
    y = start.y.copy()
    wrong = 0.3 * np.cos(np.arange(y.shape[1]))
    y[2, :, 0] += wrong - wrong @ made.shares  # its constant is free
    found = []
    for guess in (start.y, y):
        result = scheme.step(made, pencil, replace(start, y=guess), h, Iteration(norm_of(made), 1e-9, 20))
        first, rates = scheme.begun(made, guess, result.rates, h)
        assert np.allclose(
            first[2] + h * np.tensordot(scheme.scheme.weights, rates[:, 2], axes=1), result.end[2]
        )
        found.append(first[2])
    assert made.norms(found[0] - found[1]) < 1e-6


@pytest.mark.parametrize("stages", [(0, 2, 3, 5), (2, 3, 4, 5)])
def test_cubics_through_stages_are_exact(stages):
    nodes = np.array([0, 1 / 2, 83 / 250, 31 / 50, 17 / 20, 1])[list(stages)]
    values, last = cubic_through(stages)
    assert np.allclose(values @ nodes**3, radau(STAGES).nodes ** 3)
    assert np.allclose(last @ nodes**2, [1 / 6, 0])  # τ² = P₂/6 + …, shifted to (0, 1)
    assert np.allclose(last @ nodes**3, [1 / 4, 1 / 20])


def test_what_a_guess_misses_is_foreseen_by_a_parabola():
    """Through the start, where nothing is missed, and the two nearest stages; less where there are fewer stages yet."""
    nodes = tableau()[0]
    for stage in range(1, len(nodes)):
        near = nearby(nodes, stage)
        assert near[0][0] == 0
        assert len(near) == min(stage, 3)
        for power in range(len(near)):
            assert sum(w * nodes[j] ** power for j, w in near) == pytest.approx(nodes[stage] ** power)


def test_steps_are_quartics_of_order_four_halfway():
    """Of y′ = λy a step of length z/λ: what halfway is wrong falls with z⁵, and is less than what a cubic by both ends misses."""
    matrix, tau = tableau()[1], radau(STAGES).nodes
    gaps = []
    for z in (0.5j, 0.25j):
        stages = np.linalg.solve(np.eye(6) - z * matrix, np.ones(6))
        found = 1 + z * halfway() @ stages
        gaps.append(abs(found - np.exp(z / 2)))
        cubic = 0.5 * (1 + stages[-1]) + z * (1 - stages[-1]) / 8
        assert gaps[-1] < 0.1 * abs(cubic - np.exp(z / 2))
    assert gaps[0] > 25 * gaps[1]
    values = np.array([2.0, 3.0, -1.0, 4.0, 1.5])  # of 2 − τ + … at the ends, their rates, and halfway
    shape = np.array(
        [[1, 0, 0, 0, 0], [1, 1, 1, 1, 1], [0, 1, 0, 0, 0], [0, 1, 2, 3, 4], 0.5 ** np.arange(5)]
    )
    powers = np.linalg.solve(shape, values)
    assert np.allclose(
        quartic() @ values, np.polynomial.polynomial.polyval(tau, np.arange(1, 5) * powers[1:])
    )


def test_the_error_of_a_step_is_not_understated():
    """Of y′ = iωy: what the embedded formula says is a fourth of what a step misses that is asked for two digits, and all of it where six are."""
    matrix, weights, lower = (tableau()[k] for k in (1, 3, 4))
    for z in (0.9, 1.2, 1.6):
        stages = np.linalg.solve(np.eye(6) - 1j * z * matrix, np.ones(6))
        missed = abs(1 + 1j * z * weights @ stages - np.exp(1j * z))
        told = abs(1j * z * (weights - lower) @ stages / (1 - 0.25j * z))
        assert understated(missed) * told == pytest.approx(missed)
    assert understated(0.002) > 4
    assert understated(1e-7) == 1.0
