# SPDX-License-Identifier: MIT
"""Cycles over degrees, and one Krylov space for several shifts, against dense solutions."""

import numpy as np
import pytest

from lrfm.linalg.banded import SingularError
from lrfm.linalg.deadline import deadline
from lrfm.linalg.multilevel import BlockPlaces, Multilevel
from lrfm.linalg.nearby import krylov, shared_krylov


def chain(cells, size, rng):
    """A positive matrix of blocks between neighbors on a line: places, values in their order, and the dense matrix."""
    k = np.arange(cells)
    rows = np.concatenate([k, k[1:], k[:-1]])
    columns = np.concatenate([k, k[:-1], k[1:]])
    places, order = BlockPlaces.of(rows, columns)
    own = rng.standard_normal((cells, size, size))
    near = 0.3 * rng.standard_normal((cells - 1, size, size))
    own = own @ np.swapaxes(own, 1, 2) + 4 * size * np.eye(size)
    values = np.concatenate([own, near, np.swapaxes(near, 1, 2)])[order]
    dense = np.zeros((cells * size, cells * size))
    for row, column, block in zip(places.rows, places.indices, values, strict=True):
        dense[row * size : (row + 1) * size, column * size : (column + 1) * size] = block
    return places, values, dense


def test_blocks_are_the_matrix_with_and_without_those_that_are_zero():
    places, values, dense = chain(7, 3, np.random.default_rng(0))
    assert np.array_equal(places.matrix(values).toarray(), dense)
    diagonal = np.zeros_like(values)
    diagonal[places.own] = values[places.own]
    found = places.matrix(diagonal)
    assert found.nnz == 7 * 9
    assert np.array_equal(found.toarray(), np.where(np.kron(np.eye(7), np.ones((3, 3))), dense, 0))


@pytest.mark.parametrize("shift", [0.0, 0.5j])
def test_iterations_solve_to_rounding(shift):
    places, values, dense = chain(12, 6, np.random.default_rng(1))
    more = shift * np.eye(6)
    entries = values.astype(type(shift)).copy()
    entries[places.own] += more
    solver = Multilevel(places, [np.arange(3)])
    right = np.random.default_rng(2).standard_normal((72, 2)).astype(entries.dtype)
    exact = np.linalg.solve(dense + shift * np.eye(72), right)
    assert np.allclose(solver.factor(entries.ravel())(right), exact, rtol=1e-9)


def test_the_coarsest_space_is_solved_exactly():
    places, values, dense = chain(5, 3, np.random.default_rng(3))
    right = np.random.default_rng(4).standard_normal(15)
    assert np.allclose(Multilevel(places, []).cycle(values)(right), np.linalg.solve(dense, right))


def test_a_block_that_is_singular_is_said_to_be():
    places, values, _ = chain(4, 3, np.random.default_rng(5))
    values[places.own[2]] = 0.0
    with pytest.raises(SingularError):
        Multilevel(places, [np.arange(1)]).cycle(values)


def test_shifts_share_one_space():
    rng = np.random.default_rng(6)
    root = rng.standard_normal((40, 40))
    stiff, mass = root @ root.T, np.diag(rng.uniform(1, 2, 40))
    near = mass + 0.3 * stiff
    shifts = [0.2, 0.1 + 0.2j, 0.4 - 0.1j]
    rights = [
        rng.standard_normal(40),
        *(rng.standard_normal(40) + 1j * rng.standard_normal(40) for _ in range(2)),
    ]
    firsts = [np.linalg.solve(near, r) for r in rights]
    found, done = shared_krylov(
        lambda v: np.linalg.solve(near, mass @ v), firsts, [s / 0.3 for s in shifts], 1e-10, 20
    )
    assert done
    for s, r, x in zip(shifts, rights, found, strict=True):
        assert np.allclose(x, np.linalg.solve(mass + s * stiff, r), rtol=1e-7, atol=1e-9)
    assert not np.iscomplexobj(found[0])


def test_a_right_side_of_zeros_has_the_solution_zero():
    found, done = shared_krylov(lambda v: 0.5 * v, [np.zeros(4)], [0.5], 1e-6, 5)
    assert done
    assert np.array_equal(found[0], np.zeros(4))


def test_what_iterations_do_not_solve_is_factored():
    """An indefinite matrix, as of waves between walls: blocks of both signs that cycles know nothing of."""
    places, values, dense = chain(40, 6, np.random.default_rng(6))
    turned = values.copy()
    middle = float(np.median(np.linalg.eigvalsh(dense)))
    turned[places.own] -= middle * np.eye(6)
    right = np.random.default_rng(7).standard_normal(240)
    exact = np.linalg.solve(dense - middle * np.eye(240), right)
    found = Multilevel(places, [np.arange(3)]).factor(turned.ravel())(right)
    assert np.allclose(found, exact, rtol=1e-6, atol=1e-8 * np.max(np.abs(exact)))


def test_a_limit_of_seconds_is_asked_at_every_level():
    places, values, _ = chain(6, 6, np.random.default_rng(6))
    looks = []
    with deadline(lambda *ahead: looks.append(ahead)):
        Multilevel(places, [np.arange(3), np.arange(1)]).cycle(values)
    assert len(looks) >= 3


def test_iterations_that_come_to_nothing_end_early():
    """A shift that turns numbers around loses no digit before the last one; what converges is not touched."""
    calls = []

    def turned(v):
        calls.append(1)
        return np.roll(v, 1)

    first = np.zeros(200)
    first[0] = 1.0
    assert krylov(turned, first, 1e-12, 120, 25)[1] == 120
    assert len(calls) == 25
    matrix = np.diag(np.linspace(1.0, 1.5, 200))
    found, count = krylov(lambda v: matrix @ v, np.ones(200), 1e-12, 120, 5)
    assert count < 30
    assert np.allclose(matrix @ found, 1.0)
