# SPDX-License-Identifier: MIT
"""Formulas in parts, and Gauss' nodes without eigenvalues."""

import numpy as np
import pytest

from lrfm.problem.algebra import Number, Symbol
from lrfm.problem.program import AT_ONCE, Program
from lrfm.problem.shapes.gauss import legendre

X, T = Symbol("x"), Symbol("t")


def test_many_places_are_evaluated_as_few_are():
    program = Program([X * X + T, Number(3.0), T * T])
    x = np.linspace(-1, 1, 2 * AT_ONCE + 77)
    whole, three, square = program({X: x, T: np.array([0.5])})
    assert np.array_equal(whole, x * x + 0.5)
    assert three == 3.0
    assert np.array_equal(square, [0.25])  # one number for all places stays one


@pytest.mark.parametrize("count", [1, 2, 3, 7, 24, 127, 256, 401])
def test_gauss_nodes_are_exact_to_their_degree(count):
    x, w = legendre(count)
    assert len(x) == len(w) == count
    assert np.all(np.diff(x) > 0)
    for degree in {0, 1, count - 1, 2 * count - 2, 2 * count - 1}:
        exact = 2.0 / (degree + 1) if degree % 2 == 0 else 0.0
        assert w @ x**degree == pytest.approx(exact, abs=2e-15 * (4 + count**0.5))
    nodes, weights = np.polynomial.legendre.leggauss(count)
    assert np.abs(x - nodes).max() < 1e-14
    assert np.abs(w - weights).max() < 1e-13
