# SPDX-License-Identifier: MIT
"""Factors of matrices with a fixed pattern against dense solves."""

import numpy as np
import pytest

from lrfm.linalg.banded import Banded, Bordered, SingularError


def band(rng, n, lower, upper):
    """Places of a band in which some entries are left out, always with the diagonal."""
    rows, columns = np.indices((n, n)).reshape(2, -1)
    inside = (rows - columns <= lower) & (columns - rows <= upper)
    inside &= (rng.random(n * n) < 0.8) | (rows == columns)
    return rows[inside], columns[inside]


def bordered(rng, n, lower, upper):
    """The same with a full last row and column."""
    rows, columns = band(rng, n - 1, lower, upper)
    k = np.arange(n - 1)
    last = np.full(n - 1, n - 1)
    return np.concatenate([rows, last, k, [n - 1]]), np.concatenate([columns, k, last, [n - 1]])


CASES = [(Banded, band), (Bordered, bordered)]


@pytest.mark.parametrize(("kind", "places"), CASES)
@pytest.mark.parametrize("dtype", [float, complex])
@pytest.mark.parametrize(("n", "lower", "upper"), [(1, 0, 0), (9, 0, 2), (12, 3, 0), (40, 4, 7), (60, 11, 3)])
def test_solutions_are_those_of_the_dense_matrix(kind, places, dtype, n, lower, upper):
    if n == 1 and kind is Bordered:
        pytest.skip("a border needs something to border")
    rng = np.random.default_rng(n)
    rows, columns = places(rng, n, lower, upper)
    solver = kind(rows, columns, n)
    for _ in range(2):  # the pattern is kept, the entries change
        values = rng.standard_normal(len(rows)) + (
            1j * rng.standard_normal(len(rows)) if dtype is complex else 0
        )
        dense = np.zeros((n, n), dtype=dtype)
        dense[rows, columns] = values
        kept = values.copy()
        solve = solver.factor(values)
        np.testing.assert_array_equal(values, kept)
        right = rng.standard_normal((n, 3)).astype(dtype)
        exact = np.linalg.solve(dense, right)
        bound = 1e-12 * np.linalg.cond(dense) * np.abs(exact).max()
        np.testing.assert_allclose(solve(right), exact, atol=bound, rtol=0)
        np.testing.assert_allclose(solve(right[:, 0]), exact[:, 0], atol=bound, rtol=0)


@pytest.mark.parametrize(("kind", "places"), CASES)
def test_rows_are_exchanged(kind, places):
    """Zeros on the diagonal are no reason to fail."""
    rng, n = np.random.default_rng(3), 20
    rows, columns = places(rng, n, 2, 2)
    values = rng.standard_normal(len(rows))
    values[rows == columns] = 0.0
    dense = np.zeros((n, n))
    dense[rows, columns] = values
    right = rng.standard_normal(n)
    np.testing.assert_allclose(dense @ kind(rows, columns, n).factor(values)(right), right, atol=1e-9)


@pytest.mark.parametrize(("kind", "places"), CASES)
@pytest.mark.parametrize("dtype", [float, complex])
def test_a_singular_matrix_is_said_to_be_one(kind, places, dtype):
    rng, n = np.random.default_rng(5), 15
    rows, columns = places(rng, n, 3, 2)
    values = rng.standard_normal(len(rows)).astype(dtype)
    values[columns == 6] = 0.0
    with pytest.raises(SingularError, match="singular"):
        kind(rows, columns, n).factor(values)


def test_the_band_is_as_wide_as_its_entries():
    made = Banded(np.array([0, 1, 2, 2, 0]), np.array([0, 1, 2, 0, 1]), 3)
    assert (made.lower, made.upper) == (2, 1)
