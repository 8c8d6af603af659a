# SPDX-License-Identifier: MIT
"""φ functions against exponentials of block matrices, whose first row they are."""

import numpy as np
import pytest
from scipy.linalg import expm

from lrfm.linalg.phi import ORDERS, phi_matrices, phi_numbers


def by_exponential(a):
    """e^{[[a, 1, 0, 0], [0, 0, 1, 0], …]} has φ₀(a), φ₁(a), … in its first row."""
    m = len(a)
    whole = np.zeros((m * ORDERS, m * ORDERS), dtype=complex)
    whole[:m, :m] = a
    for j in range(ORDERS - 1):
        whole[m * j : m * (j + 1), m * (j + 1) : m * (j + 2)] = np.eye(m)
    found = expm(whole)
    return [found[:m, m * j : m * (j + 1)] for j in range(ORDERS)]


@pytest.mark.parametrize("scale", [1e-9, 1e-3, 0.3, 1.0, 7.0, 60.0])
def test_matrices(scale):
    rng = np.random.default_rng(0)
    a = scale * rng.standard_normal((4, 3, 3))
    a[0] = -a[0] @ a[0].T / scale  # stable
    a[1] = a[1] - a[1].T  # turns
    a[2] = scale * np.eye(3, k=1)  # not diagonalizable
    a[3] = 0.1 * a[3]
    for found, k in ((phi_matrices(a), k) for k in range(4)):
        for ours, theirs in zip((f[k] for f in found), by_exponential(a[k]), strict=True):
            assert np.allclose(
                ours, theirs, rtol=0, atol=3e-14 * max(1.0, scale) * max(1.0, np.max(np.abs(theirs)))
            )


@pytest.mark.parametrize("z", [0.0, 1e-8, -0.5, 0.999, 1.001, -30.0, -1e6, 20j, 3 - 40j])
def test_numbers_are_matrices_of_one(z):
    found = phi_numbers(np.array([z]))
    for ours, theirs in zip(found, phi_matrices(np.array([[[z]]])), strict=True):
        assert np.allclose(ours[0], theirs[0, 0, 0], rtol=1e-12 * max(1.0, abs(z) ** 0.5), atol=1e-15)


def test_at_zero_they_are_one_over_factorials():
    assert [float(f[0]) for f in phi_numbers(np.zeros(1))] == [1.0, 1.0, 0.5, 1 / 6]


def test_large_matrices_do_not_cost_small_ones_digits():
    a = np.array([[[1e-3]], [[-1e7]]])
    assert abs(phi_matrices(a)[0][0, 0, 0] - np.exp(1e-3)) < 4e-16
