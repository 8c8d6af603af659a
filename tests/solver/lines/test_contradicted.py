# SPDX-License-Identifier: MIT
"""Residuals that rounding makes: what is not to be chased."""

import numpy as np
import pytest

from lrfm.error.marks import followed
from lrfm.integrate.schemes import radau
from lrfm.problem import Box, Problem
from lrfm.solver.lines.choosers import rules_of
from lrfm.solver.lines.collocated import Control, collocated
from lrfm.solver.lines.form import Form
from lrfm.solver.lines.generator import Generator
from lrfm.solver.lines.march import March
from lrfm.solver.lines.monitor import above_rounding, residuals
from lrfm.solver.lines.spectral import decomposed
from lrfm.spaces.axes.axis import make_basis
from lrfm.spaces.axes.chart import Axis, Chart
from lrfm.spaces.axes.product import ProductBasis

QUENCH = Problem("u_t = u_xx", domain=Box(x=(0, 1)), time=(0, 0.2), initial="1", boundary="u = 0")


def on_a_narrow_chart(initial, modes=150.0):
    problem = QUENCH.replace(initial=initial)
    form = Form(problem)
    march = March(form, rules_of(form, 1e-6), np.random.default_rng(0))
    chart = Chart(Axis(0.0, 1.0, False), np.array([0.5]), np.array([1e-5]), np.ones(1))
    axis = make_basis(chart, modes, march.rules.law, np.random.default_rng(1))
    state = march.start_on(ProductBasis((axis,), form.tops))
    y = state.coefficients
    z = march.system.basis.project(-(np.pi**2) * march.chooser.data.on(march.system.basis.grid.points))
    at = np.zeros(1), y[None], z[None]
    found = residuals(march.system, *at, np.ones(1))
    return found[0], above_rounding(march.system, found, *at, np.ones(1))[0]


def test_rounding_of_narrow_functions_is_no_residual():
    """u_xx of a sine on functions of width 1e-5 is wrong by 1e-16/1e-10; more functions would make it worse."""
    found, left = on_a_narrow_chart("sin(pi*x)")
    assert found.relative > 1e-8
    assert left.relative == 0.0 == left.rate
    more, _ = on_a_narrow_chart("sin(pi*x)", 250.0)
    assert more.relative > found.relative


def test_what_is_not_held_is_a_residual():
    """sin 3πx does not have the rate of sin πx."""
    found, left = on_a_narrow_chart("sin(3*pi*x)")
    assert found.relative > 0.1
    assert left.relative == pytest.approx(found.relative, rel=1e-2)


def test_steps_by_eigenvectors_are_those_by_factors():
    """With a slow part, which is a matrix of its own; rounding of eigenvectors is solved for once more."""
    rng = np.random.default_rng(0)
    turn = np.linalg.qr(rng.normal(size=(9, 9)))[0] + 0.1 * rng.normal(size=(9, 9))
    g = turn @ np.diag([-1e-4, *-np.geomspace(1, 1e4, 8)]) @ np.linalg.inv(turn)
    made = Generator(g, rng.normal(size=9), np.eye(9), np.zeros(9), np.ones((1, 1)))
    known = decomposed(made, 1.0)
    assert len(known.slow.matrix) == 1
    q, runs = rng.normal(size=9), []
    for spectrum in (None, known):
        control = Control(made, [0], np.ones(1), np.zeros(1))
        runs.append(collocated(made, radau(5), q, 1.0, 1e-3, 1e-9, control, spectrum))
    one, other = runs
    np.testing.assert_allclose(one.edges, other.edges, rtol=1e-6)
    np.testing.assert_allclose(one.states, other.states, atol=1e-10)


@pytest.mark.parametrize(("wall", "same"), [("u = sin(t)", True), ("u_x = t*u", False)])
def test_tests_are_made_once_where_conditions_stay(wall, same):
    problem = Problem(
        "u_t = u_xx", domain=Box(x=(0, 1)), time=(0, 1), initial="0*x", boundary={"x-": wall, "x+": "u = 0"}
    )
    form = Form(problem)
    march = March(form, rules_of(form, 1e-6), np.random.default_rng(0))
    state = march.start_on(march.chooser.plain())
    zero = np.zeros_like(state.coefficients)
    march.system.set_tests(0.0, state.coefficients, zero)
    before = march.system.places
    march.system.set_tests(0.5, state.coefficients, zero)
    assert (march.system.places is before) == same


def test_points_that_follow_data_leave_no_gap():
    """One in each part of a panel: no two neighbors are further apart than two parts."""
    smooth = QUENCH.replace(initial="sin(2*pi*x)", boundary="periodic")
    points, weights = followed(smooth, smooth.time, 4000, np.random.default_rng(0), fixed=0.0)
    x = np.sort(points[:, 0])
    assert np.max(np.diff(x)) < 2.01 / 4000
    assert weights.mean() == pytest.approx(1.0)
