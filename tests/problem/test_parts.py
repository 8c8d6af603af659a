# SPDX-License-Identifier: MIT
"""Formulas in parts, and Gauss' nodes without eigenvalues."""

import numpy as np
import pytest

from lrfm.problem.algebra import Number, Symbol
from lrfm.problem.program import AT_ONCE, Program
from lrfm.problem.shapes import gauss as rules
from lrfm.problem.shapes.gauss import MOST, gauss, legendre

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


def test_many_nodes_are_those_of_panels(monkeypatch):
    """A rule with more nodes than `MOST` has as many as are asked for, integrates what one panel would, and is found in n operations, not in n²."""
    asked = []
    monkeypatch.setattr(rules, "legendre", lambda n: asked.append(n) or legendre(n))
    x, w = gauss.__wrapped__(3001)
    assert len(x) == len(w) == 3001
    assert np.all(np.diff(x) > 0)
    assert max(asked) <= MOST
    assert w @ np.cos(2000 * x) == pytest.approx(np.sin(2000) / 2000, abs=1e-14)
    few = gauss(7)
    np.testing.assert_array_equal(few, (0.5 * (legendre(7)[0] + 1), 0.5 * legendre(7)[1]))
