# SPDX-License-Identifier: MIT
"""A trial space and a least-squares solver of one's own: written here, given to `lrfm.solve`, and nothing else knows of them."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from helpers import by_hand

import lrfm
from lrfm.spacetime.features import Counts, SampledSpace
from lrfm.spacetime.least_squares.base import Fit, check_system, condition_number
from lrfm.spacetime.least_squares.column_groups import dense

# u = x² + 2t solves u_t = u_xx
HEAT = lrfm.Problem(
    "u_t = u_xx",
    domain=lrfm.Box(x=(0, 1)),
    time=(0, 1),
    initial="x**2",
    boundary={"x-": "u = 2*t", "x+": "u = 1 + 2*t"},
)


@dataclass(frozen=True)
class Polynomials:
    """x^i s^k for i, k ≤ degree, s the time since the start of the window."""

    degree: int
    needs_periodic_rows: bool = True

    def counts(self, axes):
        return Counts((self.degree + 1) ** (axes + 1))

    def sample(self, names, lower, upper, periodic, window, rng):
        return SampledPolynomials(self.degree, window[0])


@dataclass(frozen=True)
class SampledPolynomials(SampledSpace):
    degree: int
    start: float

    @property
    def size(self):
        return (self.degree + 1) ** 2

    def jets(self, points, orders, xp=None):
        x, s = points[:, 0], points[:, 1] - self.start
        unit = np.eye(self.degree + 1)
        return {
            (a, b): np.einsum("ni,nk->nik", _powers(x, unit, a), _powers(s, unit, b)).reshape(len(points), -1)
            for a, b in orders
        }

    def starting(self, start):
        return replace(self, start=start)


def _powers(x, unit, order):
    return np.stack([np.polynomial.Polynomial(row).deriv(order)(x) for row in unit], axis=1)


def exact(x, t):
    return x**2 + 2 * t


@pytest.mark.parametrize("blocks", [1, 3])
@pytest.mark.parametrize("estimate", [False, True])
def test_a_space_of_ones_own_finds_what_lies_in_it(blocks, estimate):
    """By one window and by a march on one factorization, which moves the functions in time."""
    solution = lrfm.solve(HEAT, method=lrfm.SpaceTime(space=Polynomials(3), blocks=blocks), estimate=estimate)
    x, t = np.meshgrid(np.linspace(0, 1, 9), np.linspace(0, 1, 7))
    np.testing.assert_allclose(solution(x=x, t=t), exact(x, t), atol=1e-9)
    np.testing.assert_allclose(solution.derivative("u_xx")(x=x, t=t), 2.0, atol=1e-7)
    assert "Polynomials(degree=3)" in solution.report.parts["space"]


def test_its_periodicity_is_left_to_rows():
    """u = cos 2π(x − t) is not periodic by itself in polynomials; rows that match the faces make it so."""
    problem = lrfm.Problem(
        "u_t + u_x = 0", domain=lrfm.Box(x=(0, 1)), time=(0, 0.2), initial="cos(2*pi*x)", boundary="periodic"
    )
    solution = lrfm.solve(problem, method=lrfm.SpaceTime(space=Polynomials(11)), estimate=False)
    x = np.linspace(0, 1, 21)
    np.testing.assert_allclose(solution(x=x, t=0.2), np.cos(2 * np.pi * (x - 0.2)), atol=1e-4)
    assert any("periodic match" in label for label in solution.report.block_reports[0].residual_by_group)


def test_it_can_be_nonlinear_planned_and_made_an_operator():
    plan = lrfm.plan(HEAT, method=lrfm.SpaceTime(space=Polynomials(3)))
    assert plan.columns == 16
    burgers = lrfm.Problem(
        "u_t + u*u_x = 0",
        domain=lrfm.Box(x=(0, 1)),
        time=(0, 0.5),
        initial="x",
        boundary={"x-": "u = 0", "x+": None},
    )
    x = np.linspace(0, 1, 11)
    found = lrfm.solve(burgers, method=lrfm.SpaceTime(space=Polynomials(6)), estimate=False)(x=x, t=0.5)
    np.testing.assert_allclose(found, x / 1.5, atol=1e-5)  # u = x/(1 + t)
    operator = lrfm.operator(HEAT, method=lrfm.SpaceTime(space=Polynomials(3)))
    other = operator(initial="x**2 + 1", boundary={"x-": "u = 1 + 2*t", "x+": "u = 2 + 2*t"})
    np.testing.assert_allclose(other(x=x, t=0.7), exact(x, 0.7) + 1, atol=1e-9)


@dataclass(frozen=True)
class Plain:
    """c = argmin ‖A c − b‖ by NumPy."""

    rcond: float = 1e-14

    def solve(self, A, b, row_groups=None):
        check_system(A, b, row_groups)
        A = dense(A)
        c, _, rank, singular = np.linalg.lstsq(A, b, rcond=self.rcond)
        return Fit(c, float(np.linalg.norm(A @ c - b)), int(rank), condition_number(singular), singular)

    def flops(self, rows, columns):
        return 6.0 * rows * columns**2

    def doubles(self, rows, columns):
        return 2 * rows * columns


SPACES = {
    "global": lrfm.Liquid(features=60, gate=2.0),
    "local": lrfm.Liquid(per_patch=30, patches=3),
    "one's own": Polynomials(4),
}


@pytest.mark.parametrize("space", SPACES.values(), ids=list(SPACES))
@pytest.mark.parametrize("blocks", [1, 2])
def test_a_solver_of_ones_own_solves_as_well_as_that_of_the_package(space, blocks):
    x, t = np.meshgrid(np.linspace(0, 1, 9), np.linspace(0, 1, 7))

    def error(solver):
        given = {"space": space, "blocks": blocks, "estimate": False, "strict": False}
        u = lrfm.solve(HEAT, **by_hand(least_squares=solver, **given))(x=x, t=t)
        return np.linalg.norm(u - exact(x, t)) / np.linalg.norm(exact(x, t))

    assert error(Plain()) < max(10 * error(lrfm.QR()), 1e-9)


def test_what_a_solver_of_ones_own_says_of_its_cost_is_believed():
    space = SPACES["global"]
    plan = lrfm.plan(HEAT, method=lrfm.SpaceTime(space=space, least_squares=Plain()))
    rows, columns = plan.rows, plan.columns
    assert plan.bytes == 8 * (rows * columns + Plain().doubles(rows, columns)) + 2**27
    with pytest.raises(ValueError, match="keeps no factorization"):
        lrfm.operator(HEAT, method=lrfm.SpaceTime(space=space, least_squares=Plain()))
