# SPDX-License-Identifier: MIT
"""Products of bases beyond what is separable, in two, three and five dimensions."""

import numpy as np
import pytest
from helpers import random_error

import lrfm
from lrfm.solver.lines.form import Form, form_of
from lrfm.solver.lines.krylov import Coupled, gmres, shifted
from lrfm.solver.lines.march import March
from lrfm.solver.lines.modes import count_modes
from lrfm.solver.lines.rules import rules_for
from lrfm.solver.lines.samples import telling
from lrfm.spaces.axes.chart import Chart


def turning(nu=1e-3, sigma=0.15):
    """A Gaussian carried around by a rotation: y u_x − x u_y has no separable part."""

    def exact(x, y, t):
        variance = sigma**2 + 2 * nu * t
        square = (x - 0.2 * np.cos(t)) ** 2 + (y + 0.2 * np.sin(t)) ** 2
        return sigma**2 / variance * np.exp(-square / (2 * variance))

    return lrfm.Problem(
        "u_t = nu*lap(u) - (y*u_x - x*u_y)",
        domain=lrfm.Box(x=(-1, 1), y=(-1, 1)),
        time=(0, 1),
        initial="exp(-((x - 0.2)**2 + y**2)/(2*sigma**2))",
        boundary="u = 0",
        parameters={"nu": nu, "sigma": sigma},
        check_corners=False,
        reference=exact,
    )


def waves(axes, T):
    """u_t = Δu with sines in every direction."""
    sines = "*".join(f"sin(pi*{a})" for a in axes)
    rate = len(axes) * np.pi**2

    def exact(t, **x):
        return np.prod([np.sin(np.pi * v) for v in x.values()], axis=0) * np.exp(-rate * t)

    return lrfm.Problem(
        "u_t = lap(u)",
        domain=lrfm.Box(**{a: (0, 1) for a in axes}),
        time=(0, T),
        initial=sines,
        boundary="u = 0",
        reference=exact,
    )


def test_a_rotation_is_solved_by_krylov_spaces():
    solution = lrfm.solve(turning(), tol=1e-4, method="lines")
    assert random_error(solution, 500) <= solution.report.error_estimate <= 1e-4


def test_products_and_separable_part_are_the_whole_operator():
    form = Form(turning())
    march = March(form, rules_for(1e-2, 2), np.random.default_rng(0))
    state = march.begin()
    zero = np.zeros_like(state.coefficients)
    march.system.set_tests(0.0, state.coefficients, zero)
    parts = Coupled(march.system, 0.0, state.coefficients, zero)
    whole = march.system.linearize(0.0, state.coefficients, zero)
    inner = march.system.places[0].size
    complement = np.kron(*(np.asarray(c) for c in parts.complements))
    vectors, inverse = np.kron(*parts.vectors), np.kron(*parts.inverses)
    x = np.random.default_rng(1).standard_normal(inner)
    exact = inverse @ (whole[1][:inner] @ (complement @ (vectors @ x)))
    np.testing.assert_allclose(parts.rate(x), exact, atol=1e-9 * np.abs(exact).max())


def test_krylov_solvers_meet_their_equations():
    rng = np.random.default_rng(0)
    matrix, right = rng.standard_normal((40, 40)) / 4, rng.standard_normal(40)
    shifts = np.array([0.3, 0.2 + 0.4j])
    found = shifted(lambda x: matrix @ x, right, shifts, 1e-10, 60)
    assert found is not None
    for s, x in zip(shifts, found, strict=True):
        np.testing.assert_allclose(x + s * matrix @ x, right, atol=1e-8)
    assert shifted(lambda x: matrix @ x, right, 100 * shifts, 1e-10, 6) is None
    x = gmres(lambda v: v + 0.3 * matrix @ v, right, 1e-10, 60)
    np.testing.assert_allclose(x + 0.3 * matrix @ x, right, atol=1e-8)


@pytest.mark.parametrize(("axes", "T", "tol"), [("xyz", 0.05, 1e-4), ("abcd", 0.01, 1e-2)])
def test_more_than_two_dimensions(axes, T, tol):
    solution = lrfm.solve(waves(axes, T), tol=tol, method="lines")
    assert random_error(solution, 300) <= solution.report.error_estimate <= tol


def test_lines_through_a_state_show_all_modes_that_it_has():
    """A narrow spot far from every line of the data: the lines that tell most count as many modes as all lines together do."""
    problem = lrfm.Problem(
        "u_t = 0.001*lap(u)",
        domain=lrfm.Box(x=(-1, 1), y=(-1, 1)),
        time=(0, 1),
        initial="exp(-3*(x**2 + y**2))",
        boundary="periodic",
        check_corners=False,
    )
    march = March(form_of(problem), rules_for(1e-4, 2), np.random.default_rng(0))
    chooser = march.chooser
    basis = chooser._drawn([(Chart(axis), 90.0) for axis in chooser.axes])
    x, y = basis.grid.points.T
    u = np.exp(-12 * (x**2 + y**2)) + np.exp(-900 * ((x - 0.71) ** 2 + (y + 0.613) ** 2))
    state = basis.project(u[None])
    for axis in (0, 1):
        other = basis.axes[1 - axis]
        whole = np.moveaxis(state.reshape(basis.shape), axis, 0) @ other.at(other.points, 0)[0].T

        def modes(lines, axis=axis):
            family = lambda x: basis.axes[axis].combine(x, lines)  # noqa: E731
            return count_modes(Chart(chooser.axes[axis]), family, np.ones(lines.shape[1]), 1e-4, 2).modes

        at = telling(basis, [state], axis)[:, 1 - axis]
        chosen = np.moveaxis(state.reshape(basis.shape), axis, 0) @ other.at(at, 0)[0].T
        drawn = (
            np.moveaxis(state.reshape(basis.shape), axis, 0) @ other.at(np.array([-0.4, 0.0, 0.5]), 0)[0].T
        )
        assert modes(chosen) >= 0.97 * modes(whole)
        assert modes(drawn) < 0.7 * modes(whole)
