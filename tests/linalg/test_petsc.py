# SPDX-License-Identifier: MIT
"""Sparse systems by PETSc: what SciPy finds, whatever the number of processes.

`make petsc-test` runs this file by `mpiexec` on one process and on two; every process runs all of it.
"""

import numpy as np
import pytest

from lrfm.linalg.banded import SingularError
from lrfm.linalg.multilevel import BlockPlaces, Cycle, Multilevel
from lrfm.linalg.processes import agreed, anywhere, sharing
from lrfm.linalg.room import resident
from lrfm.linalg.sparse import Sparse, sparse_solver

pytest.importorskip(
    "petsc4py", reason="petsc4py is not installed; `make petsc-test` has an environment with it"
)

from lrfm.linalg import petsc

CELLS, SIZE = 9, 6  # of a chain, and functions of each cell


@pytest.fixture(scope="module")
def world():
    return petsc.world()


@pytest.fixture(scope="module")
def blocks():
    """Places and values of blocks between neighbors of a chain."""
    pairs = [(i, j) for i in range(CELLS) for j in range(CELLS) if abs(i - j) < 2]
    places, order = BlockPlaces.of(*np.array(pairs).T)
    values = np.random.default_rng(0).standard_normal((len(order), SIZE, SIZE))
    values[places.own] += 12 * np.eye(SIZE)
    return places, values


def entries(blocks):
    """The same one by one."""
    found = blocks[0].matrix(blocks[1]).tocoo()
    return found.row, found.col, found.data


def test_factors_solve_what_scipy_solves(world, blocks):
    rows, columns, values = entries(blocks)
    right = np.random.default_rng(1).standard_normal((CELLS * SIZE, 3))
    expected = Sparse(rows, columns, CELLS * SIZE).factor(values)(right)
    with sharing(world):
        solver = sparse_solver(rows, columns, CELLS * SIZE)
        for found in (solver, sparse_solver(rows, columns, CELLS * SIZE, pivots=False)):
            solve = found.factor(values)
            assert solve(right) == pytest.approx(expected, rel=1e-12, abs=1e-13)
            assert solve(right[:, 1]) == pytest.approx(expected[:, 1], rel=1e-12, abs=1e-13)
    assert isinstance(solver, petsc.SparseRows)


def test_complex_entries_are_real_ones_of_twice_as_many_unknowns(world, blocks):
    rows, columns, values = entries(blocks)
    rng = np.random.default_rng(2)
    values = values + 1j * rng.standard_normal(len(values))
    right = rng.standard_normal((CELLS * SIZE, 2)) + 1j * rng.standard_normal((CELLS * SIZE, 2))
    expected = Sparse(rows, columns, CELLS * SIZE).factor(values)(right)
    found = petsc.SparseRows(world, rows, columns, CELLS * SIZE).factor(values)
    assert np.allclose(found(right), expected, rtol=1e-12, atol=1e-13)
    assert np.allclose(found(right[:, 0]), expected[:, 0], rtol=1e-12, atol=1e-13)


def test_a_cycle_is_the_same_on_all_processes(world, blocks):
    """Levels as those of the plane: each the first functions of the one before."""
    levels = [np.arange(3), np.arange(1)]
    right = np.random.default_rng(3).standard_normal((CELLS * SIZE, 2))
    expected = Cycle(*blocks, levels)(right)
    with sharing(world):
        many = Multilevel(blocks[0], levels)
        cycle = many.cycle(blocks[1].ravel())
        solve = many.factor(blocks[1].ravel())
    assert cycle(right) == pytest.approx(expected, rel=1e-12, abs=1e-13)
    assert cycle(right[:, 0]) == pytest.approx(expected[:, 0], rel=1e-12, abs=1e-13)
    matrix = blocks[0].matrix(blocks[1])
    with sharing(world):
        assert matrix @ solve(right[:, 0]) == pytest.approx(right[:, 0], rel=1e-9, abs=1e-10)


def test_singular_matrices_are_known_to_all_processes(world, blocks):
    rows, columns, values = entries(blocks)
    solver = petsc.SparseRows(world, rows, columns, CELLS * SIZE)
    for broken in (np.where(rows == 1, 0.0, values), np.zeros_like(values)):
        with pytest.raises(SingularError, match="singular"):
            solver.factor(broken)
    # The first diagonal block is one of the first process alone.
    first = blocks[1].copy()
    first[blocks[0].own[0]] = 0.0
    with sharing(world), pytest.raises(SingularError, match="diagonal block"):
        Multilevel(blocks[0], [np.arange(3)]).cycle(first.ravel())
    right = np.ones(CELLS * SIZE)
    residual = blocks[0].matrix(blocks[1]) @ solver.factor(values)(right) - right
    assert np.max(np.abs(residual)) < 1e-12


def test_measured_numbers_are_those_of_the_first_process(world):
    mine = float(world.comm.getRank())
    with sharing(world):
        assert agreed(7.0 + mine) == 7.0
        assert agreed(float("inf")) == float("inf")
        assert anywhere(mine == world.count - 1)
        assert not anywhere(False)


def test_processes_that_came_apart_are_stopped(world, blocks):
    rows, columns, values = entries(blocks)
    solve = petsc.SparseRows(world, rows, columns, CELLS * SIZE).factor(values)
    right = np.ones(CELLS * SIZE)
    right[0] += 1e-15 * world.comm.getRank()
    if world.count == 1:
        solve(right)
        return
    with pytest.raises(petsc.Disagreement, match="machines of one kind"):
        solve(right)


def test_matrices_that_nobody_holds_are_let_go(world):
    """All factors that are made here would take 30 MB."""
    size = 300
    rows, columns = (index.ravel() for index in np.indices((size, size)))
    values = (np.random.default_rng(4).standard_normal((size, size)) + size * np.eye(size)).ravel()
    solver, before = petsc.SparseRows(world, rows, columns, size), 0
    for k in range(20):
        before = before or (resident() if k == 4 else 0)
        solver.factor(values)
    assert resident() - before < 10e6
