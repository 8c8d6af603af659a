# SPDX-License-Identifier: MIT
"""Axis bases: orthonormal in dx, rich enough for what they were made for, and products of them."""

import numpy as np
import pytest

from lrfm.spaces.axes.axis import Law, make_basis
from lrfm.spaces.axes.chart import Axis, Chart
from lrfm.spaces.axes.product import ProductBasis, apply, tensor_points


@pytest.mark.parametrize("periodic", [False, True])
def test_functions_are_orthonormal_in_dx(periodic):
    given = Chart(Axis(0.0, 3.0, periodic), np.array([1.0]), np.array([0.1]), np.array([1.0]))
    basis = make_basis(given, 30, Law(), np.random.default_rng(0))
    np.testing.assert_allclose(basis.projection @ basis.values, np.eye(basis.rank), atol=1e-11)
    x, weights = basis.fresh
    table = basis.at(x, 0)[0]
    np.testing.assert_allclose((table.T * weights) @ table, np.eye(basis.rank), atol=1e-3)
    np.testing.assert_allclose(basis.at(basis.points, 0)[0], basis.values, atol=1e-8)


def test_products_agree_with_kronecker_sums():
    rng = np.random.default_rng(0)
    matrices = [rng.normal(size=(4, 3)), rng.normal(size=(5, 2)), rng.normal(size=(3, 6))]
    v = rng.normal(size=(2, 36))
    full = np.kron(np.kron(matrices[0], matrices[1]), matrices[2])
    np.testing.assert_allclose(apply(matrices, v), v @ full.T, atol=1e-12)


def test_scattered_points_and_grids_agree():
    axes = tuple(
        make_basis(Chart(Axis(0.0, 1.0, p)), 8, Law(), np.random.default_rng(3)) for p in (False, True)
    )
    basis = ProductBasis(axes, (2, 2))
    c = np.random.default_rng(1).normal(size=(1, basis.size))
    points = tensor_points(basis.grid.places)
    exact = basis.grid.evaluate(c, (1, 2))[0]
    np.testing.assert_allclose(basis.sums(points, [(1, 2)], c)[1, 2][0], exact, rtol=1e-9, atol=1e-8)
    np.testing.assert_allclose(
        basis.on_grid(c, basis.grid.places, (1, 2)).ravel(), exact, rtol=1e-9, atol=1e-8
    )


@pytest.mark.parametrize("periodic", [False, True])
def test_what_is_smooth_is_held_to_rounding(periodic):
    """Terms of the series are among the functions as they are: no cut of singular values takes a digit from them."""
    law = Law(per_mode=1.2, more=8, points=2.9, exact=1.0)
    basis = make_basis(Chart(Axis(0.0, 1.0, periodic)), 30, law, np.random.default_rng(0))

    def smooth(x):
        return np.cos(4 * np.pi * x + 1) if periodic else np.cosh(3 * x) * np.cos(6 * x)

    x = np.linspace(0, 1, 101)
    np.testing.assert_allclose(
        basis.combine(x, basis.projection @ smooth(basis.points)), smooth(x), atol=1e-13
    )
    assert not np.any(np.tril(basis.series[:, : law.terms(30)], -1))
