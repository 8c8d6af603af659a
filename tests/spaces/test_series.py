# SPDX-License-Identifier: MIT
"""Series on boxes: transforms against sums, derivatives, mean squares, other numbers of modes."""

import itertools

import numpy as np
import pytest

from lrfm.spaces.series import EVEN, ODD, Modes

BOXES = [axes for d in (1, 2, 3) for axes in itertools.product((True, False), repeat=d)]


def modes(periodic, first=3):
    d = len(periodic)
    return Modes((0.3,) * d, tuple(1.3 + i for i in range(d)), periodic, tuple(first + i for i in range(d)))


def parities(periodic):
    return list(itertools.product(*[(EVEN,) if p else (EVEN, ODD) for p in periodic]))


CASES = [(periodic, parity) for periodic in BOXES for parity in parities(periodic)]


def random(mesh, parity, count=2):
    rng = np.random.default_rng(len(mesh.counts))
    return mesh.coefficients(rng.standard_normal((count, *mesh.grid)), parity)


def functions(mesh, parity, points, index):
    return [mesh.functions(a, points[:, a], index[a], parity[a]) for a in range(mesh.dimension)]


@pytest.mark.parametrize(("periodic", "parity"), CASES)
def test_transforms_are_sums(periodic, parity):
    mesh = modes(periodic)
    c = random(mesh, parity)
    values = mesh.values(c, parity)
    assert np.allclose(mesh.coefficients(values, parity), c, rtol=0, atol=1e-14)
    points = mesh.points()
    summed = mesh.summed(c, functions(mesh, parity, points, (0,) * mesh.dimension))
    assert np.allclose(summed, values.reshape(2, -1), rtol=0, atol=1e-13)
    grid = mesh.on_grid(c, [mesh.functions(a, mesh.places(a), 0, parity[a]) for a in range(mesh.dimension)])
    assert np.allclose(grid, values, rtol=0, atol=1e-13)


@pytest.mark.parametrize(("periodic", "parity"), CASES)
def test_derivatives_are_factors(periodic, parity):
    mesh = modes(periodic)
    c, points = random(mesh, parity), mesh.points()
    for index in itertools.product((0, 1, 2, 3), repeat=mesh.dimension):
        factor, other = mesh.symbol(index, parity)
        ours = mesh.values(c * factor, other).reshape(2, -1)
        theirs = mesh.summed(c, functions(mesh, parity, points, index))
        assert np.allclose(ours, theirs, rtol=0, atol=1e-12 * np.max(np.abs(theirs), initial=1.0))
        if max(index) > 2 and mesh.dimension == 3:
            break


@pytest.mark.parametrize(("periodic", "parity"), CASES)
def test_weights_give_the_mean_square(periodic, parity):
    mesh = modes(periodic)
    c = random(mesh, parity)
    values = mesh.values(c, parity).reshape(2, -1)
    assert np.allclose(mesh.flat(c) ** 2 @ mesh.flat_weights, np.mean(values**2, axis=1), rtol=1e-12)


@pytest.mark.parametrize("periodic", BOXES)
def test_more_modes_hold_the_same_function(periodic):
    few, many = modes(periodic), modes(periodic, first=5)
    parity = parities(periodic)[-1]
    c = random(few, parity)
    points = np.random.default_rng(0).random((7, few.dimension)) + 0.3
    zero = (0,) * few.dimension
    moved = few.moved(c, many)
    assert np.allclose(
        many.summed(moved, functions(many, parity, points, zero)),
        few.summed(c, functions(few, parity, points, zero)),
    )
    assert np.array_equal(many.moved(moved, few), c)


@pytest.mark.parametrize("periodic", BOXES)
def test_products_of_two_functions_are_free_of_aliasing(periodic):
    mesh = modes(periodic)
    even = (EVEN,) * mesh.dimension
    a, b = (mesh.values(v, even) for v in random(mesh, even))
    fine = Modes(mesh.lower, mesh.upper, periodic, tuple(2 * k for k in mesh.counts))
    exact = fine.coefficients(
        fine.values(mesh.moved(mesh.coefficients(a, even), fine), even)
        * fine.values(mesh.moved(mesh.coefficients(b, even), fine), even),
        even,
    )
    assert np.allclose(mesh.coefficients(a * b, even), fine.moved(exact, mesh), rtol=0, atol=1e-14)


def test_symmetry_is_what_real_functions_have():
    mesh = modes((True, True))
    c = random(mesh, (EVEN, EVEN))
    assert np.allclose(mesh.symmetric(c.copy()), c, rtol=0, atol=1e-16)
    broken = c.copy()
    broken[0, 1, 0] += 0.1j
    assert np.allclose(mesh.values(mesh.symmetric(broken.copy()), (0, 0)), mesh.values(broken, (0, 0)))


def test_real_numbers_and_back():
    for periodic in BOXES:
        mesh = modes(periodic)
        c = random(mesh, parities(periodic)[0])
        assert mesh.flat(c).shape == (2, mesh.reals)
        assert np.array_equal(mesh.complexes(mesh.flat(c)), c)
