# SPDX-License-Identifier: MIT
"""Sparse factors in single and in double precision."""

import numpy as np
from scipy.sparse import kron, random_array
from scipy.sparse.linalg import norm

from lrfm.linalg.sparse import Sparse, elimination_order


def test_factors_in_single_precision_are_right_to_single_precision():
    """And what they leave is taken away by themselves: x ← x + M⁻¹(b − A x)."""
    rng = np.random.default_rng(3)
    cells, block = 30, 4
    links = random_array((cells, cells), density=0.1, rng=rng)
    links = (links + links.T != 0).tocoo()
    order, _ = elimination_order(links.row, links.col, cells)
    places = kron(links + links.T, np.ones((block, block))).tocsr()
    matrix = places.multiply(rng.standard_normal(places.shape)).tocsr()
    matrix.setdiag(3 * norm(matrix, np.inf))
    at = np.argsort(np.repeat(order, block) * block + np.tile(np.arange(block), cells))
    matrix = matrix[at][:, at].tocsc().tocoo()
    solver = Sparse(matrix.row, matrix.col, cells * block, pivots=False)
    right = rng.standard_normal(cells * block)
    exact = np.linalg.solve(matrix.toarray(), right)
    single, double = (solver.factor(matrix.data.astype(kind)) for kind in (np.float32, float))
    found = single(right)
    assert found.dtype == float
    size = np.linalg.norm(exact)
    assert np.linalg.norm(double(right) - exact) < 1e-14 * size
    assert 1e-10 * size < np.linalg.norm(found - exact) < 1e-6 * size
    for _ in range(3):
        found = found + single(right - matrix @ found)
    assert np.linalg.norm(found - exact) < 1e-14 * size
