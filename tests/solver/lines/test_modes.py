# SPDX-License-Identifier: MIT
"""Charts for kinks, sums over products, and the mixing of iterates."""

import numpy as np
import pytest

from lrfm.solver.lines.modes import choose_chart
from lrfm.solver.lines.newton import DEPTH, Acceleration
from lrfm.spaces.axes.axis import Law, make_basis
from lrfm.spaces.axes.chart import Axis
from lrfm.spaces.axes.product import apply


@pytest.mark.parametrize("periodic", [False, True])
@pytest.mark.parametrize("tol", [1e-6, 1e-9])
def test_a_kink_anywhere_is_held_by_few_functions(periodic, tol):
    """A smooth field plus a |sin(x − a)|: without a kernel right on it, n modes leave about n^(−3/2)."""
    rng = np.random.default_rng(7)
    axis = Axis(-np.pi / 2, np.pi / 2, periodic)
    place, height = rng.uniform(-1, 1), rng.uniform(0.01, 1)
    kinked = lambda x: (np.cos(2 * x) + height * np.abs(np.sin(x - place)))[:, None]  # noqa: E731
    chart, count = choose_chart(axis, kinked, np.ones(1), 0.3 * tol, 2, None, 10_001)
    assert count.modes < 320
    assert np.min(np.abs(chart.centers - place)) < 1e-3 * tol**0.5
    basis = make_basis(chart, count.modes, Law(), rng)
    x = rng.uniform(axis.lower, axis.upper, 4000)
    gap = basis.at(x, 0)[0] @ (basis.projection @ kinked(basis.points)) - kinked(x)
    assert np.sqrt(np.mean(gap**2)) < tol


def test_a_smooth_function_gets_no_kernel_for_a_kink():
    axis = Axis(0.0, 1.0, False)
    chart, count = choose_chart(axis, lambda x: np.sin(60 * x)[:, None], np.ones(1), 1e-9, 2)
    assert count.modes < 80
    assert not count.rough
    assert not len(chart.centers)


def test_products_of_real_and_complex_matrices_are_those_of_kronecker():
    rng = np.random.default_rng(3)
    matrices = [rng.normal(size=shape) for shape in ((4, 3), (2, 5), (6, 2))]
    whole = np.kron(np.kron(matrices[0], matrices[1]), matrices[2])
    values = rng.normal(size=(2, 7, 30)) + 1j * rng.normal(size=(2, 7, 30))
    assert np.allclose(apply(matrices, values), values @ whole.T)
    assert np.allclose(apply(matrices, values.real), values.real @ whole.T)
    turned = [matrices[0], matrices[1] * (1 + 2j), matrices[2]]
    assert np.allclose(apply(turned, values), values @ whole.T * (1 + 2j))


@pytest.mark.parametrize("size", [DEPTH - 2, 4 * DEPTH])
def test_mixing_solves_linear_equations_as_a_krylov_method_does(size):
    """x ← x + (b − A x) diverges for these A; with mixing it ends after as many iterations as A has eigenvalues."""
    rng = np.random.default_rng(11)
    q = np.linalg.qr(rng.normal(size=(size, size)))[0]
    values = rng.choice([1.5, 2.5, 4.0, 7.0], size)
    matrix, b = (q * values) @ q.T, rng.normal(size=size)
    x, history = np.zeros(size), Acceleration()
    for _ in range(6):
        x = history.next(x, b - matrix @ x)
    assert np.allclose(matrix @ x, b, atol=1e-8)
