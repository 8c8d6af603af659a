# SPDX-License-Identifier: MIT
"""Products with blocks that are kept once."""

import numpy as np
import pytest

from lrfm.linalg.alike import AlikeBlocks

CELLS, WIDTH = 7, 4


@pytest.mark.parametrize("columns", [(), (1,), (3,)])
def test_blocks_that_are_alike_multiply_as_they_do_one_by_one(columns):
    rng = np.random.default_rng(0)
    kinds = rng.standard_normal((3, WIDTH, WIDTH))
    starts, at, blocks = [0], [], []
    for row in range(CELLS):
        own = np.sort(rng.choice(CELLS, 1 + row % 3, replace=False))
        at += own.tolist()
        blocks += [
            kinds[k] if k < 3 else rng.standard_normal((WIDTH, WIDTH)) for k in rng.integers(5, size=len(own))
        ]
        starts.append(len(at))
    dense = np.zeros((CELLS, WIDTH, CELLS, WIDTH))
    for row in range(CELLS):
        for number in range(starts[row], starts[row + 1]):
            dense[row, :, at[number]] = blocks[number]
    made = AlikeBlocks(np.array(blocks), np.array(starts), np.array(at), 1e-14)
    # All blocks that are the same are found.
    often = [sum(np.array_equal(b, k) for b in blocks) for k in kinds]
    assert sorted(own.stop - own.start for _, own in made._kinds) == sorted(n for n in often if n > 1)
    vectors = rng.standard_normal((CELLS * WIDTH, *columns))
    expected = dense.reshape(CELLS * WIDTH, -1) @ vectors
    np.testing.assert_allclose(made @ vectors, expected, atol=1e-13)
    np.testing.assert_allclose(made @ np.asfortranarray(vectors), expected, atol=1e-13)


def test_blocks_that_differ_by_more_than_rounding_are_not_alike():
    block = np.eye(2)
    other = np.array([[1.0, 1e-9], [0.0, 1.0]])
    made = AlikeBlocks(np.array([block, other, block]), np.array([0, 1, 2, 3]), np.arange(3), 1e-14)
    assert [made._columns[own].tolist() for _, own in made._kinds] == [[0, 2]]
    assert (made @ np.ones(6)).tolist() == [1, 1, 1 + 1e-9, 1, 1, 1]
