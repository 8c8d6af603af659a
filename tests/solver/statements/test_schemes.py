# SPDX-License-Identifier: MIT
"""Collocation in time: order, damping, conservation, and the split into eigenvalues."""

import numpy as np
import pytest

from lrfm.integrate.schemes.tableaus import gauss, radau


def stability(scheme, z):
    """R(z) = 1 + z bᵀ (I − zA)⁻¹ 1."""
    eye = np.eye(scheme.stages)
    return 1 + z * scheme.weights @ np.linalg.solve(eye - z * scheme.matrix, np.ones(scheme.stages))


@pytest.mark.parametrize("stages", [3, 4, 5, 7])
@pytest.mark.parametrize(("make", "order"), [(radau, -1), (gauss, 0)])
def test_order(make, order, stages):
    scheme = make(stages)
    for k in range(1, 2 * stages + order + 1):
        assert scheme.weights @ scheme.nodes ** (k - 1) == pytest.approx(1 / k, rel=1e-11)
    for k in range(1, stages + 1):
        np.testing.assert_allclose(scheme.matrix @ scheme.nodes ** (k - 1), scheme.nodes**k / k, atol=1e-13)


@pytest.mark.parametrize("stages", [4, 5, 7])
def test_radau_damps_and_gauss_conserves(stages):
    assert abs(stability(radau(stages), -1e9)) < 1e-6
    for y in (0.1, 1.0, 30.0):
        assert abs(stability(gauss(stages), 1j * y)) == pytest.approx(1, abs=1e-12)
        assert abs(stability(radau(stages), 1j * y)) < 1 + 1e-12


@pytest.mark.parametrize("make", [radau, gauss])
def test_stages_split_into_one_system_per_eigenvalue(make):
    scheme = make(5)
    r = np.random.default_rng(0).normal(size=(5, 3))
    parts = scheme.split(r) / (1 + 0.3 * scheme.eigenvalues[:, None])
    wanted = np.linalg.solve(np.eye(5) + 0.3 * scheme.matrix, r)
    np.testing.assert_allclose(scheme.join(parts), wanted, atol=1e-12)


def test_rates_extend_beyond_the_step():
    scheme = radau(5)
    at = np.array([0.3, 1.0, 1.4])
    np.testing.assert_allclose(scheme.extended(scheme.nodes[:, None] ** 4, at)[:, 0], at**4, atol=1e-12)
