# SPDX-License-Identifier: MIT
"""Null spaces from smooth to rough: orthonormal, complete, staircase-shaped; and what they are for: eigenvalues of beams to the last digits."""

import numpy as np
import pytest

from lrfm.linalg.graded import graded_null_space
from lrfm.spaces.axes.axis import Law, make_basis
from lrfm.spaces.axes.chart import Axis, Chart


@pytest.mark.parametrize("seed", range(3))
def test_columns_are_an_orthonormal_null_space_in_steps(seed):
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(3, 20)) * np.arange(1, 21) ** rng.integers(0, 7, 3)[:, None]
    found = graded_null_space(rows)
    assert found.shape == (20, 17)
    np.testing.assert_allclose(found.T @ found, np.eye(17), atol=1e-13)
    np.testing.assert_allclose(rows @ found / np.linalg.norm(rows, axis=1)[:, None], 0, atol=1e-13)
    assert not np.any(np.tril(found, -4))


def test_rows_that_say_nothing_new_take_nothing_away():
    rows = np.array([[0.0, 0.0, 1.0, 2.0], [0.0, 0.0, 2.0, 4.0], [0.0, 0.0, 0.0, 0.0]])
    found = graded_null_space(rows, singular=1e-10)
    assert found.shape == (4, 3)
    np.testing.assert_array_equal(found[:, 0], [1, 0, 0, 0])
    np.testing.assert_allclose(rows @ found, 0, atol=1e-15)


@pytest.mark.parametrize("modes", [14, 30, 50])
def test_a_beam_has_its_frequencies_to_the_last_digits(modes):
    """u_xxxx = λ u, clamped and free: λ = β⁴ with cos β cosh β = −1; on 100 functions the largest eigenvalue is 1e10 times as large."""
    exact = np.array([1.8751040687119611664, 4.6940911329741745764]) ** 4
    law = Law(per_mode=1.2, more=8, points=2.9, exact=1.0)
    basis = make_basis(Chart(Axis(0.0, 1.0, False)), modes, law, np.random.default_rng(0))
    low, high = (basis.at(np.array([end]), 3) for end in (0.0, 1.0))
    rows = np.concatenate([low[0], low[1], high[2], high[3]])
    free = graded_null_space(rows)[:, ::-1]
    operator = free.T @ (basis.projection @ basis.on_points(4)[4]) @ free
    found = np.sort(np.linalg.eigvals(operator).real)[:2]
    np.testing.assert_allclose(found, exact, rtol=1e-10)
    if modes < 20:
        np.testing.assert_allclose(found, exact, rtol=1e-13)
