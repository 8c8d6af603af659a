# SPDX-License-Identifier: MIT
"""Whole marches: every kind of statement by the one form, products, long runs, and the honesty of the estimate."""

import numpy as np
import pytest

import lrfm
from lrfm.problem import Box, Jet, Problem
from lrfm.rows.pieces import values_at as evaluate

from .helpers import KINDS, manufactured, true_error


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_statement_meets_its_tolerance(kind):
    problem, exact = manufactured(kind, seed=len(kind))
    outcome = lrfm.solve(problem, tol=1e-6, seed=1, method="lines", strict=False)
    error = true_error(problem, outcome.pieces, exact)
    assert outcome.report.solved
    assert error <= outcome.report.error_estimate


def test_a_front_is_resolved():
    problem = Problem(
        "u_t + u*u_x = 0.01*u_xx",
        domain=Box(x=(-1, 1)),
        time=(0, 0.5),
        initial="-tanh(x/0.02)",
        boundary={"x-": "u = 1", "x+": "u = -1"},
    )
    outcome = lrfm.solve(problem, tol=1e-6, method="lines", strict=False)
    # −tanh(x/2ν) stands still.
    assert outcome.report.solved
    assert true_error(problem, outcome.pieces, {"u": lambda x, t: -np.tanh(x / 0.02)}) < 1e-6


def test_the_answer_is_continuous_and_its_rate_is_its_derivative():
    problem, _ = manufactured("values and slopes")
    pieces = lrfm.solve(problem, tol=1e-6, method="lines", strict=False).pieces
    t = pieces[0].edges[1]
    x = np.linspace(0, 1, 9)
    u, rate = Jet("u", (0, 0)), Jet("u", (0, 1))

    def at(jet, time):
        return evaluate(pieces, [jet], np.column_stack([x, np.full(9, time)]))[jet]

    np.testing.assert_allclose(at(u, t - 1e-12), at(u, t + 1e-12), atol=1e-10)
    np.testing.assert_allclose((at(u, 0.3 + 1e-6) - at(u, 0.3 - 1e-6)) / 2e-6, at(rate, 0.3), atol=1e-6)


def test_products_in_a_box():
    problem = Problem(
        "u_t = lap(u) + cos(x + 2*y + t) + 5*sin(x + 2*y + t)",
        domain=Box(x=(0, 1), y=(0, 1)),
        time=(0, 1),
        initial="sin(x + 2*y)",
        boundary={"x-": "u = sin(2*y + t)", "x+": "u_x = cos(1 + 2*y + t)", "y": "u = sin(x + 2*y + t)"},
    )
    outcome = lrfm.solve(problem, tol=1e-5, method="lines", strict=False)
    assert outcome.report.solved
    assert true_error(problem, outcome.pieces, {"u": lambda x, y, t: np.sin(x + 2 * y + t)}) < 1e-5


@pytest.mark.thorough
def test_products_are_solved_by_diagonalization_where_they_are_large():
    problem = Problem(
        "1j*psi_t = -0.5*lap(psi) + 0.5*(x**2 + y**2)*psi",
        domain=Box(x=(-6, 6), y=(-6, 6)),
        time=(0, 1),
        initial="exp(-(x - 1)**2/2 - y**2/2)",
        boundary="psi = 0",
        unknowns={"psi": complex},
    )

    def exact(x, y, t):
        moving = np.exp(-((x - np.cos(t)) ** 2) / 2 - 1j * (t / 2 + x * np.sin(t) - np.sin(2 * t) / 4))
        return moving * np.exp(-(y**2) / 2 - 1j * t / 2)

    outcome = lrfm.solve(problem, tol=1e-4, method="lines", strict=False)
    assert outcome.report.solved
    assert true_error(problem, outcome.pieces, {"psi": exact}) < 1e-4
