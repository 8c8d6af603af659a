# SPDX-License-Identifier: MIT
"""Series on boxes: transforms against sums, derivatives, mean squares, other numbers of modes."""

import itertools

import numpy as np
import pytest

from lrfm.spaces.series import EVEN, NEITHER, ODD, Modes
from lrfm.spaces.series.polynomials import along

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


@pytest.mark.parametrize(("periodic", "parity"), [case for case in CASES if len(case[0]) > 1])
def test_transforms_in_single_precision_have_its_digits(periodic, parity):
    """Both ways, with coefficients of double precision at the ends; arrays that are used again are those of the same kind of numbers."""
    mesh, work = modes(periodic), {}
    c = random(mesh, parity)
    double = mesh.values(c, parity, work)
    for _ in range(2):
        single = mesh.values(c, parity, work, True)
        assert single.dtype == np.float32
        assert np.max(np.abs(single - double)) < 1e-6 * np.max(np.abs(double))
        back = mesh.coefficients(single, parity)
        assert back.dtype == c.dtype
        assert np.max(np.abs(back - c)) < 1e-6 * np.max(np.abs(c))


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


# Polynomials across -----------------------------------------------------------------------------------------

ACROSS = [
    ((True, False), (EVEN, NEITHER)),
    ((False, True), (NEITHER, EVEN)),
    ((False, False), (ODD, NEITHER)),
]


def across(periodic, parity, first=5):
    polynomial = tuple(a for a, q in enumerate(parity) if q == NEITHER)
    return Modes((0.3, -0.5), (1.3, 1.5), periodic, (first, first + 1), polynomial)


@pytest.mark.parametrize(("periodic", "parity"), ACROSS)
def test_polynomials_across_are_sums_and_orthonormal(periodic, parity):
    mesh = across(periodic, parity)
    c = random(mesh, parity)
    values, points = mesh.values(c, parity), mesh.points()
    assert np.allclose(mesh.coefficients(values, parity), c, rtol=0, atol=1e-14)
    summed = mesh.summed(c, functions(mesh, parity, points, (0, 0)))
    assert np.allclose(summed, values.reshape(2, -1), rtol=0, atol=1e-13)
    fine = np.random.default_rng(1).random((200_000, 2)) * mesh.lengths + mesh.lower
    square = np.mean(mesh.summed(c, functions(mesh, parity, fine, (0, 0))) ** 2, axis=1)
    assert np.allclose(mesh.flat(c) ** 2 @ mesh.flat_weights, square, rtol=0.02)


@pytest.mark.parametrize(("periodic", "parity"), ACROSS)
def test_derivatives_across_are_matrices(periodic, parity):
    mesh = across(periodic, parity)
    c, points = random(mesh, parity), mesh.points()
    (axis,) = mesh.polynomial
    for index in ((1, 0), (0, 1), (1, 2), (3, 1)):
        factor, other = mesh.symbol(index, parity)
        ours = mesh.values(along(mesh.slope(axis, index[axis]), c * factor, 1 + axis), other)
        theirs = mesh.summed(c, functions(mesh, parity, points, index))
        assert np.allclose(ours.reshape(2, -1), theirs, rtol=0, atol=1e-11 * np.max(np.abs(theirs)))


@pytest.mark.parametrize("shape", [(5, 7), (3, 4, 5)])
def test_arrays_that_are_used_again_change_nothing(shape):
    """What one transform leaves in them, another one does not see."""
    axes = len(shape)
    mesh = Modes((0.0,) * axes, (1.0,) * axes, (True,) * axes, shape)
    rng, work = np.random.default_rng(0), {}
    for _ in range(3):
        c = mesh.coefficients(rng.normal(size=(2, *mesh.grid)), (EVEN,) * axes)
        np.testing.assert_array_equal(mesh.values(c, (EVEN,) * axes, work), mesh.values(c, (EVEN,) * axes))
    assert len(work) == 1
