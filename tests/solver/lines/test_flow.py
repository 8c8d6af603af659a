# SPDX-License-Identifier: MIT
"""Velocity and pressure, and other statements with algebraic unknowns: what is undetermined is found, fixed, said, left out."""

from dataclasses import replace

import numpy as np
import pytest
import sympy as sp
from helpers import random_error

import lrfm
from lrfm.integrate.schemes import radau
from lrfm.linalg.pivoted import Pivoted
from lrfm.solver.lines.form import Form, form_of
from lrfm.solver.lines.front import applies
from lrfm.solver.lines.march import March
from lrfm.solver.lines.redraws import _local
from lrfm.solver.lines.rules import rules_for
from lrfm.solver.lines.saddle import SaddleParts, SaddleStages
from lrfm.solver.lines.stages import DenseStages, at
from lrfm.solver.lines.time_error import _without_first
from lrfm.spaces.axes.chart import Chart

x, y, t = sp.symbols("x y t", real=True)
FLOW = ["u_t + c*(u*u_x + v*u_y) + p_x = nu*lap(u) + f", "v_t + c*(u*v_x + v*v_y) + p_y = nu*lap(v) + g"]


def number(expression):
    return sp.lambdify((x, y, t), expression, "numpy")


def flow(rng, boundary, period, inertia=1.0, nu=0.05):
    """u = ψ_y, v = −ψ_x with random ψ and p, and the forces that make them a solution."""
    kx, ky = period
    modes = [(sp.cos, sp.sin)[rng.integers(2)](n * kx * x + m * ky * y) for n, m in ((1, 1), (1, 2), (2, 1))]
    psi = sum(
        float(a) * sp.cos(float(w) * t) * f
        for a, w, f in zip(rng.normal(size=3), rng.normal(size=3), modes, strict=True)
    )
    psi = psi * 2 / (kx**2 + ky**2)  # shear of order one: a flow that is computed is to be stable
    u, v = sp.diff(psi, y), -sp.diff(psi, x)
    p = float(rng.normal()) * sp.sin(kx * x + t) * sp.cos(ky * y) + float(rng.normal()) * sp.cos(2 * kx * x)
    lap = lambda w: sp.diff(w, x, 2) + sp.diff(w, y, 2)  # noqa: E731
    carried = lambda w: sp.diff(w, t) + inertia * (u * sp.diff(w, x) + v * sp.diff(w, y)) - nu * lap(w)  # noqa: E731
    exact = {"u": number(u), "v": number(v), "p": number(p + sp.sin(3 * t))}
    return lrfm.Problem(
        [*FLOW, "u_x + v_y = 0"],
        unknowns={"u": float, "v": float, "p": float},
        domain=lrfm.Box(x=(0, 1), y=(0, 2)),
        time=(0, 0.5),
        initial={name: lambda x, y, f=exact[name]: f(x, y, 0.0) for name in "uv"},
        boundary=boundary,
        parameters={
            "c": inertia,
            "nu": nu,
            "f": number(carried(u) + sp.diff(p, x)),
            "g": number(carried(v) + sp.diff(p, y)),
            "U": exact["u"],
            "V": exact["v"],
        },
        reference=exact,
    )


PERIODIC = (2 * sp.pi, sp.pi)  # wave numbers that fit the box


@pytest.mark.parametrize(
    ("boundary", "period", "inertia"),
    [
        ("periodic", PERIODIC, 1.0),
        ({"*": ["u = U", "v = V"]}, (1.3, 0.9), 1.0),
        ({"*": ["u = U", "v = V"]}, (1.3, 0.9), 0.0),
    ],
    ids=["periodic", "walls", "Stokes"],
)
def test_manufactured_flows_have_velocity_and_pressure(boundary, period, inertia):
    problem = flow(np.random.default_rng(5), boundary, period, inertia)
    solution = lrfm.solve(problem, tol=1e-3, method="lines")
    report = solution.report
    assert report.undetermined == ("p",)
    assert any("up to a constant" in text for text in report.warnings)
    # Newton's iteration ends far below the tolerance, in both draws alike.
    assert random_error(solution, 300) <= max(report.error_estimate, 1e-7)
    assert report.error_estimate <= 1e-3
    where = np.random.default_rng(0).random((2, 400))
    divergence = solution.derivative("u_x")(x=where[0], y=2 * where[1], t=0.3) + solution.derivative("v_y")(
        x=where[0], y=2 * where[1], t=0.3
    )
    assert (
        np.abs(divergence).max()
        < 1e-2 * np.abs(solution.derivative("u_x")(x=where[0], y=2 * where[1], t=0.3)).max()
    )


@pytest.mark.slow
def test_pressure_given_on_a_face_is_determined():
    """A channel that a drop of pressure drives from rest: u = Σ (1 − e^{−νk²t}) …, and nothing is left undetermined."""
    problem = lrfm.Problem(
        ["u_t + u*u_x + v*u_y + p_x = lap(u)", "v_t + u*v_x + v*v_y + p_y = lap(v)", "u_x + v_y = 0"],
        unknowns={"u": float, "v": float, "p": float},
        domain=lrfm.Box(x=(0, 2), y=(0, 1)),
        time=(0, 0.15),
        initial={"u": "0", "v": "0", "p": "16 - 8*x"},
        boundary={"x-": ["p = 16", "v = 0"], "x+": ["p = 0", "v = 0"], "*": ["u = 0", "v = 0"]},
    )
    solution = lrfm.solve(problem, tol=1e-3, method="lines", strict=False)
    assert solution.report.undetermined == ()
    k = np.pi * np.arange(1, 400, 2)
    s = np.linspace(0.1, 0.9, 9)
    for time in (0.03, 0.15):
        exact = np.sin(np.outer(s, k)) @ (32 / k**3 * (1 - np.exp(-(k**2) * time)))
        assert np.allclose(solution["u"](x=np.full(9, 1.3), y=s, t=time), exact, atol=2e-3)
    assert np.allclose(solution["p"](x=s, y=s, t=0.15), 16 - 8 * s, atol=2e-2)


def test_a_potential_in_a_periodic_box_has_mean_zero():
    problem = lrfm.Problem(
        ["rho_t + 0.3*(phi_x*rho_x + phi_xx*rho) = 0.1*rho_xx + f", "phi_xx = -rho"],
        unknowns={"rho": float, "phi": float},
        domain=lrfm.Box(x=(0, 2 * np.pi)),
        time=(0, 1),
        initial={"rho": "sin(x)"},
        boundary="periodic",
        parameters={"f": lambda x, t: np.exp(-t) * (-0.9 * np.sin(x)) + 0.3 * np.exp(-2 * t) * np.cos(2 * x)},
        reference={
            "rho": lambda x, t: np.exp(-t) * np.sin(x),
            "phi": lambda x, t: np.exp(-t) * np.sin(x) + 7 * t,
        },
    )
    solution = lrfm.solve(problem, tol=1e-6, method="lines")
    assert solution.report.undetermined == ("phi",)
    assert random_error(solution, 200) <= solution.report.error_estimate <= 1e-6
    assert not any("reference" in text for text in solution.report.warnings)
    circle = 2 * np.pi * np.arange(64) / 64
    assert abs(np.mean(solution["phi"](x=circle, t=np.full(64, 0.7)))) < 1e-7


def test_what_leaves_a_whole_function_undetermined_is_refused_with_a_sentence():
    statement = ["u_t + p_x + q_x = lap(u)", "v_t + p_y + q_y = lap(v)", "u_x + v_y = 0", "2*u_x + 2*v_y = 0"]
    problem = lrfm.Problem(
        statement,
        unknowns={"u": float, "v": float, "p": float, "q": float},
        domain=lrfm.Box(x=(0, 1), y=(0, 1)),
        time=(0, 1),
        initial={"u": "0", "v": "0"},
        boundary={"*": ["u = 0", "v = 0"]},
    )
    possible, reason = applies(problem)
    assert not possible
    assert "undetermined" in reason


@pytest.mark.parametrize("shared", [False, True], ids=["factors", "pencil"])
def test_null_spaces_solve_what_the_whole_matrix_says(shared):
    form = Form(flow(np.random.default_rng(1), {"*": ["u = U", "v = V"]}, (1.3, 0.9)))
    march = March(form, rules_for(1e-2, 2), np.random.default_rng(0))
    state = march.begin()
    march._prepare(state, None)
    parts = march._powers
    assert isinstance(parts, SaddleParts)
    assert parts.reduction.undetermined.shape[1] == 1
    parts.shared = shared  # from the second length of steps on one form of the matrices serves all
    rng = np.random.default_rng(2)
    known = parts.spread(
        rng.normal(size=int(parts.free.sum())), rng.normal(size=parts.reduction.gradient.shape[1])
    )
    for s in (0.03, 0.02 + 0.05j):
        matrix = at(parts.powers, complex(s))
        found = parts.factor(complex(s)).solve(matrix @ known)
        assert np.allclose(matrix @ found, matrix @ known, atol=1e-9 * np.abs(matrix @ known).max())
        velocity = parts.free.reshape(parts.shape)[:, 0]
        gap = (found - known).reshape(parts.shape)[velocity]
        assert np.abs(gap).max() < 1e-7


def test_matrices_of_a_flow_by_their_terms_are_those_of_the_rows():
    """Products of axes, applied one after the other, against differences of the residual, which know nothing of terms."""
    form = Form(flow(np.random.default_rng(1), {"*": ["u = U", "v = V"]}, (1.3, 0.9)))
    march = March(form, rules_for(1e-2, 2), np.random.default_rng(0))
    march._prepare(march.begin(), None)
    parts, system = march._powers, march.system
    assert isinstance(parts, SaddleParts)
    rng = np.random.default_rng(3)
    time, y0, z0 = march.middle
    change = rng.normal(size=y0.shape) * 1e-4 / (1 + np.arange(y0.shape[1]))

    def rows(y, z):
        return system.residual(np.array([time]), y[None], z[None])[0]

    slope = (rows(y0 + change, z0) - rows(y0 - change, z0)) / 2
    assert np.allclose(parts.product(1, change[None])[0], slope, atol=1e-9 * np.abs(slope).max())
    slope = (rows(y0, z0 + change) - rows(y0, z0 - change)) / 2
    assert np.allclose(parts.product(0, change[None])[0], slope, atol=1e-9 * np.abs(slope).max())
    for p, matrix in enumerate(parts.powers):
        soft = matrix[np.ix_(~parts.hard, parts.free)]
        inner = soft @ parts.reduction.rows.rest
        assert np.allclose(parts.inner[p], inner, atol=1e-11 * np.abs(inner).max())
        assert np.allclose(
            parts.reduced[p], parts.reduction.columns.rest.T @ inner, atol=1e-11 * np.abs(inner).max()
        )
        x = rng.normal(size=(soft.shape[1], 2)) * (1 + 2j)
        assert np.allclose(parts.without_rows(p, x), soft @ x, atol=1e-11 * np.abs(soft @ x).max())


CHANNEL = {"x-": ["p = P", "v = V"], "x+": ["p = P", "v = V"], "*": ["u = U", "v = V"]}
CORNER = {"x+": ["p = P", "v = V"], "y+": ["p = P", "u = U"], "*": ["u = U", "v = V"]}
ROUND = {
    "x-": ["p = P", "v = V"],
    "x+": ["p = P", "v = V"],
    "y-": ["p = P", "u = U"],
    "y+": ["p = P", "u = U"],
}


@pytest.mark.parametrize("modes", [8.0, 12.0])
def test_a_given_pressure_leaves_no_velocity_free(modes):
    """Rates of decay in a channel 0 < x < 2, 0 < y < 1 between two pressures: the slowest flow is sin πy, with π², and no other is slower than 3π²."""
    problem = lrfm.Problem(
        ["u_t + p_x = lap(u)", "v_t + p_y = lap(v)", "u_x + v_y = 0"],
        unknowns={"u": float, "v": float, "p": float},
        domain=lrfm.Box(x=(0, 2), y=(0, 1)),
        time=(0, 1),
        initial={"u": "0", "v": "0"},
        boundary={"x-": ["p = 16", "v = 0"], "x+": ["p = 0", "v = 0"], "*": ["u = 0", "v = 0"]},
    )
    form = form_of(problem)
    march = March(form, rules_for(1e-3, 2, coupled=form.coupled), np.random.default_rng(0))
    basis = march.chooser._drawn([(Chart(axis), modes) for axis in march.chooser.axes])
    system, zero = march.chooser.system(basis), np.zeros((3, basis.size))
    system.set_tests(0.0, zero, zero)
    mass, rate = SaddleParts(system, 0.0, zero, zero).reduced
    decay = np.sort(np.linalg.eigvals(np.linalg.solve(mass, rate)).real)
    assert np.isclose(decay[0], np.pi**2, rtol=1e-6)
    assert decay[1] > 3 * np.pi**2


@pytest.mark.slow
@pytest.mark.parametrize("boundary", [CHANNEL, CORNER, ROUND], ids=["channel", "corner", "round"])
def test_a_pressure_may_be_given_on_any_faces(boundary):
    made = flow(np.random.default_rng(1), {"*": ["u = U", "v = V"]}, (1.3, 0.9))
    exact = made.reference
    problem = lrfm.Problem(
        [*FLOW, "u_x + v_y = 0"],
        unknowns={"u": float, "v": float, "p": float},
        domain=made.domain,
        time=made.time,
        initial={name: lambda x, y, f=exact[name]: f(x, y, 0.0) for name in "uv"},
        boundary=boundary,
        parameters={**made.parameters, "P": exact["p"]},
        reference=exact,
    )
    solution = lrfm.solve(problem, tol=1e-5, method="lines")
    assert solution.report.undetermined == ()
    assert random_error(solution, 300) <= solution.report.error_estimate <= 1e-5


def test_the_functions_of_a_pressure_are_the_smoothest_and_the_constant_is_one_of_them():
    form = Form(flow(np.random.default_rng(1), {"*": ["u = U", "v = V"]}, (1.3, 0.9)))
    march = March(form, rules_for(1e-4, 2, coupled=form.coupled), np.random.default_rng(0))
    system = march.chooser.system(march.chooser.plain())
    for k, functions in enumerate(system.basis.axes):
        held = system.held(form.multipliers[0], k)
        assert held is not None
        assert held.shape[1] == functions.rank - 2
        constant = functions.projection @ np.ones(len(functions.points))
        assert np.linalg.norm(constant - held @ (held.T @ constant)) < 1e-12 * np.linalg.norm(constant)
        # Nothing of the roughest two: which combination of them it was used to be a matter of rounding.
        assert not np.any(held[-2:])


def test_the_stages_of_a_flow_are_solved_together_as_one_by_one():
    form = Form(flow(np.random.default_rng(1), {"*": ["u = U", "v = V"]}, (1.3, 0.9)))
    march = March(form, rules_for(1e-2, 2), np.random.default_rng(0))
    march._prepare(march.begin(), None)
    stages = march.stages
    assert isinstance(stages, SaddleStages)
    residual = np.random.default_rng(4).normal(size=(stages.scheme.stages, sum(march.system.sizes)))
    together, alone = stages.solve(residual), DenseStages.solve(stages, residual)
    assert np.allclose(together, alone, rtol=1e-9, atol=1e-11 * np.abs(alone).max())


def test_pivots_find_rank_range_and_null_space():
    rng = np.random.default_rng(0)
    matrix = rng.normal(size=(9, 4)) @ rng.normal(size=(4, 6))
    found = Pivoted.of(matrix)
    assert found.rank == 4
    assert np.abs(matrix @ found.null()).max() < 1e-12
    assert np.abs(found.rest.T @ matrix).max() < 1e-12
    assert np.allclose(found.rest.T @ found.rest, np.eye(5))
    right = matrix @ rng.normal(size=6)
    assert np.allclose(matrix @ found.solve(right), right)
    right = matrix.T @ rng.normal(size=9)
    assert np.allclose(matrix.T @ found.solve_transposed(right), right)


def lid(tol):
    """The march of a flow from rest under a lid that begins to move: its rate contradicts the start, and a layer opens below it."""
    walls = {face: ["u = 0", "v = 0"] for face in ("x-", "x+", "y-")}
    problem = lrfm.Problem(
        [*(text.replace(" + f", "").replace(" + g", "") for text in FLOW), "u_x + v_y = 0"],
        unknowns={"u": float, "v": float, "p": float},
        domain=lrfm.Box(x=(0, 1), y=(0, 1)),
        time=(0, 20),
        initial={"u": "0", "v": "0"},
        boundary={**walls, "y+": ["u = 16*x**2*(1 - x)**2*(1 - exp(-4*t))", "v = 0"]},
        parameters={"c": 1.0, "nu": 0.01},
    )
    form = form_of(problem)
    rules = replace(rules_for(tol, 2, coupled=form.coupled), most=24)  # enough for a first step, and quick
    return March(form, rules, np.random.default_rng(0))


def test_a_layer_that_states_do_not_show_is_found_by_the_residual():
    march = lid(1e-3)
    state = replace(march.begin(), length=0.04)
    tried = march._attempt(state, None)
    assert tried is not None
    residual = _local(march, state, tried, march._residual(state, tried))
    seen = [state.coefficients, tried.end]
    assert not len(march.chooser.again(state.basis, seen, None, True).axes[1].chart.centers)
    found = march.chooser.again(state.basis, seen, None, True, residual)
    assert not len(found.axes[0].chart.centers)
    assert found.axes[1].chart.centers == [1.0]  # the lid


def test_a_pressure_that_nothing_starts_counts_with_what_its_first_stage_adds():
    places = np.linspace(0, 1, 4001)[1:] ** 2
    for stages in (4, 5, 7):
        scheme = radau(stages)
        values = np.sqrt(scheme.nodes)
        gap = scheme.extended(values, places) - np.sqrt(places)
        error = np.sqrt(np.trapezoid(gap**2, places))
        stated = _without_first(scheme) * abs(scheme.to_legendre[-1] @ values)
        assert error <= stated <= 2 * error


def test_a_full_basis_in_the_best_chart_is_not_drawn_again():
    march = lid(1e-3)
    march.begin()
    chooser, law = march.chooser, march.rules.law
    charts = [(Chart(axis), law.modes(march.rules.most)) for axis in chooser.axes]
    basis = chooser._drawn(charts)
    states = [np.random.default_rng(1).normal(size=(3, basis.size))]
    assert chooser.again(basis, states, None, False) is basis
    wall = np.zeros(len(basis.axes[1].fresh[0]))
    wall[-1] = 1.0  # on fresh points, which may run either way
    other = chooser.again(basis, states, None, False, (np.ones(len(basis.axes[0].fresh[0])), wall))
    assert other is not basis
    assert not len(other.axes[0].chart.centers)
    assert other.axes[1].chart.centers[0] in (0.0, 1.0)
