# SPDX-License-Identifier: MIT
"""Complex factors of real matrices [A −B; B A], against dense solutions."""

import numpy as np

from lrfm.linalg.complexes import ComplexParts
from lrfm.linalg.sparse import sparse_solver


def _case(pair: bool):
    """Entries of a full matrix by columns, whose real and imaginary unknowns take turns by twos."""
    rng, n = np.random.default_rng(0), 6
    a, b = rng.standard_normal((2, n, n)) + 6 * np.eye(n)
    dense = np.empty((2 * n, 2 * n))
    re = np.array([0, 1, 4, 5, 8, 9])
    im = re + 2
    dense[np.ix_(re, re)], dense[np.ix_(im, im)] = a, a if pair else 2 * a
    dense[np.ix_(im, re)], dense[np.ix_(re, im)] = b, -b
    columns, rows = (part.ravel() for part in np.indices(dense.shape))
    made: list[int] = []

    def make(*given):
        made.append(given[2])
        return sparse_solver(*given)

    return dense, ComplexParts(make, rows, columns, re, im), dense.T.ravel(), made


def test_pairs_are_solved_by_complex_factors_of_half_the_size():
    dense, solver, values, made = _case(True)
    right = np.random.default_rng(1).standard_normal(12)
    solve = solver.factor(values)
    assert np.allclose(solve(right), np.linalg.solve(dense, right), rtol=1e-12)
    assert np.allclose(solve(right + 1j), np.linalg.solve(dense, right + 1j), rtol=1e-12)
    assert made == [6]


def test_what_is_no_pair_is_solved_as_it_is():
    dense, solver, values, made = _case(False)
    right = np.random.default_rng(1).standard_normal(12)
    assert np.allclose(solver.factor(values)(right), np.linalg.solve(dense, right), rtol=1e-12)
    assert made == [12]
    shifted = dense + 1j * np.eye(12)
    found = solver.factor(shifted.T.ravel())(right.astype(complex))
    assert np.allclose(found, np.linalg.solve(shifted, right), rtol=1e-12)
