# SPDX-License-Identifier: MIT
"""(A + sB) x = r by Hessenberg's form of A⁻¹B against the matrices themselves."""

import numpy as np
import pytest

from lrfm.linalg.pencil import First, Pencil, solve_each


def pencil(n, seed=0):
    rng = np.random.default_rng(seed)
    a, b = np.eye(n) + 0.1 * rng.normal(size=(n, n)) / np.sqrt(n), rng.normal(size=(n, n))
    return a, b, Pencil(First(a), b)


@pytest.mark.parametrize("n", [1, 2, 3, 40])
@pytest.mark.parametrize("s", [0.3, 0.2 + 0.7j])
def test_what_is_solved_by_hessenbergs_form_solves_the_whole_matrix(n, s):
    a, b, found = pencil(n)
    rng = np.random.default_rng(1)
    real = rng.normal(size=(n, 3))
    for right in (real, real + 1j * rng.normal(size=(n, 3)), real[:, 0]):
        if s.imag and not np.iscomplexobj(right):
            continue
        x = found.factor(complex(s)).solve(right)
        assert np.abs((a + s * b) @ x - right).max() < 1e-11


def test_columns_have_an_s_of_their_own():
    a, b, found = pencil(12)
    shifts = (0.1 + 0.4j, 0.5 + 0j, 0.2 - 0.3j)
    right = np.random.default_rng(2).normal(size=(12, 3)) + 0.5j
    together = solve_each([found.factor(s) for s in shifts], right)
    for s, x, r in zip(shifts, together.T, right.T, strict=True):
        assert np.abs((a + s * b) @ x - r).max() < 1e-12


def test_a_mass_that_is_no_mass_is_not_solved_with():
    """A₀ of what stands still at each time is zero, or leaves some unknowns out."""
    assert not First(np.zeros((4, 4))).regular
    assert not First(np.diag([1.0, 1.0, 0.0])).regular
    # Rows are scaled: units are no condition.
    assert First(np.diag([1.0, 1e-9, 1e9])).regular
