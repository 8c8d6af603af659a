# SPDX-License-Identifier: MIT
"""Functions of matrices by Chebyshev polynomials, against eigenvectors."""

import numpy as np
import pytest

from lrfm.linalg.chebyshev import coefficients, spectral_range, sums

SIZE = 80


def symmetric(values: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A matrix with given eigenvalues that is symmetric in the norm of the weights, and its eigenvectors."""
    turn = np.linalg.qr(np.random.default_rng(1).standard_normal((len(values), len(values))))[0]
    vectors = turn / np.sqrt(weights)[:, None]
    return vectors @ np.diag(values) @ np.linalg.inv(vectors), vectors


@pytest.mark.parametrize("lowest", [0.0, -40.0])
def test_the_range_holds_all_eigenvalues(lowest):
    rng = np.random.default_rng(0)
    weights = 4.0 ** rng.integers(0, 5, SIZE)
    values = np.append(lowest, 4000 * rng.random(SIZE - 1) ** 2)
    matrix, _ = symmetric(values, weights)
    low, high, aside = spectral_range(lambda v: matrix @ v, weights)
    assert lowest - 1e-6 <= low <= 0
    assert values.max() <= high <= 1.05 * values.max()
    assert aside <= 1e-6 * high


def test_eigenvalues_beside_the_real_axis_are_seen():
    matrix = np.kron(np.eye(SIZE // 2), [[1.0, 2.0], [-2.0, 1.0]]) * np.linspace(1, 2, SIZE)[:, None]
    assert spectral_range(lambda v: matrix @ v, np.ones(SIZE))[2] > 1.5


@pytest.mark.parametrize("times", [(1e-3, 1e-2), (0.1, 1.0)])
def test_sums_are_functions_of_the_matrix(times):
    rng, places = np.random.default_rng(2), np.array(times)
    values = np.append(0.0, 4000 * rng.random(SIZE - 1))
    matrix, vectors = symmetric(values, np.ones(SIZE))
    low, high, _ = spectral_range(lambda v: matrix @ v, np.ones(SIZE))
    table = coefficients(lambda x: np.exp(-places[:, None] * x / 100), low, high, 2)
    given = rng.standard_normal((SIZE, 1))
    found = sums(lambda v: matrix @ v, low, high, given, table[:, None])
    exact = vectors @ (np.exp(-places * values[:, None] / 100) * (vectors.T @ given))
    assert np.max(np.abs(found - exact)) < 1e-12 * np.linalg.norm(given)
