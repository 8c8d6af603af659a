# SPDX-License-Identifier: MIT
"""Polynomials of a cell and meshes of cells: what is exact stays exact when cells are split and joined."""

import numpy as np
import pytest
from helpers import examples
from hypothesis import given
from hypothesis import strategies as st

from lrfm.spaces.cells import Mesh
from lrfm.spaces.cells.reference import Reference, connecting, halves, joining, nodes, table
from lrfm.spaces.cells.transfer import Transfer

ENDS = np.array([-1.0, 1.0])
SIZES = [3, 5, 8, 13, 20]
XI = np.linspace(-1, 1, 23)


def drawn(*shape):
    return np.random.default_rng(sum(shape)).standard_normal(shape)


def derivatives(coefficients, order, stretch=1.0):
    """Derivatives below an order at both ends: (order, 2)."""
    return np.array(
        [stretch**d * (table(ENDS, coefficients.shape[-1], d) @ coefficients) for d in range(order)]
    )


# One cell ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", SIZES)
def test_the_polynomials_are_orthonormal_in_the_mean(size):
    points, weights = nodes(size, 0)
    functions = table(points, size)
    np.testing.assert_allclose(functions.T @ (weights[:, None] * functions), np.eye(size), atol=1e-13)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_tables_hold_derivatives(size, order):
    """Against NumPy's derivative of the same polynomial."""
    a = drawn(size)
    plain = np.polynomial.Legendre(a * np.sqrt(2 * np.arange(size) + 1.0)).deriv(order)
    np.testing.assert_allclose(
        table(XI, size, order) @ a, plain(XI), rtol=1e-12, atol=1e-9 * size ** (2 * order)
    )


@pytest.mark.parametrize("count", [1, 2, 4, 7, 12, 16])
@pytest.mark.parametrize(("end", "exact"), [(0, 1), (-1, 0), (1, 0)])
def test_nodes_integrate_exactly(count, end, exact):
    """Gauss points up to degree 2k − 1, Radau points up to 2k − 2, and not one degree more."""
    points, weights = nodes(count, end)
    assert np.all(weights > 0)
    assert np.all(np.abs(points) <= 1)
    assert np.all(np.diff(points) > 0)
    assert end in (0, *points)
    for degree in range(2 * count - 1 + exact):
        value = 0.0 if degree % 2 else 1 / (degree + 1)
        assert abs(weights @ points**degree - value) < 1e-13, degree
    leading = np.polynomial.Legendre.basis(count)(points) * points ** (count - 1 + exact)
    value = np.polynomial.Legendre.basis(count) * np.polynomial.Polynomial(
        [0] * (count - 1 + exact) + [1]
    ).convert(kind=np.polynomial.Legendre)
    assert abs(weights @ leading - (value.integ()(1) - value.integ()(-1)) / 2) > 1e-13


@pytest.mark.parametrize("size", SIZES)
def test_halving_is_exact(size):
    a = drawn(size)
    for part, side in zip(halves(size), ENDS, strict=True):
        np.testing.assert_allclose(
            table(XI, size) @ (part @ a), table(0.5 * (XI + side), size) @ a, atol=1e-12 * size
        )


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("order", [0, 1, 2, 3, 4])
def test_joining_undoes_halving(size, order):
    """A polynomial of the whole cell comes back as it was, whatever is kept at its ends."""
    if 2 * order > size:
        pytest.skip("more derivatives than coefficients")
    left, right = halves(size)
    np.testing.assert_allclose(joining(size, order) @ np.vstack([left, right]), np.eye(size), atol=1e-9)


@pytest.mark.parametrize("size", [8, 13, 20])
@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_joining_keeps_derivatives_at_both_ends(size, order):
    """Of two halves that have nothing to do with each other."""
    left, right = drawn(size), drawn(size, 2)[:, 0]
    whole = joining(size, order) @ np.concatenate([left, right])
    wanted = np.column_stack([derivatives(left, order, 2.0)[:, 0], derivatives(right, order, 2.0)[:, 1]])
    scale = np.abs(wanted).max(axis=1, keepdims=True)
    np.testing.assert_allclose(derivatives(whole, order) / scale, wanted / scale, atol=1e-8)


def test_joining_is_the_nearest_polynomial():
    """Without conditions at the ends: what is left is orthogonal to all polynomials of the cell."""
    size = 7
    both = drawn(2 * size)
    whole = joining(size, 0) @ both
    gap = np.concatenate([part @ whole for part in halves(size)]) - both
    for part in np.eye(size):
        assert abs(gap @ np.concatenate([h @ part for h in halves(size)])) < 1e-12


@pytest.mark.parametrize("order", [1, 2, 3])
def test_connecting_makes_given_derivatives(order):
    wanted = drawn(2, order)
    found = np.einsum("sem,em->s", connecting(9, order), wanted)
    np.testing.assert_allclose(derivatives(found, order).T, wanted, atol=1e-10)


def test_the_reference_cell_has_tables_of_all_orders():
    made = Reference(8, 6, 1, 3)
    assert made.at_points.shape == (4, 6, 8)
    assert made.at_ends.shape == (2, 4, 8)
    for d in range(4):
        np.testing.assert_array_equal(made.at_points[d], table(made.points, 8, d))
        np.testing.assert_array_equal(made.at_ends[:, d], table(ENDS, 8, d))


# Meshes -----------------------------------------------------------------------------------------------------

ROOTS = np.array([-1.0, -0.3, 0.5, 2.0])


def nothing(mesh):
    return np.zeros(mesh.size, dtype=bool)


def some_mesh(seed, rounds=6):
    """Cells halved and joined at random."""
    rng, mesh = np.random.default_rng(seed), Mesh.of(ROOTS)
    for _ in range(rounds):
        join = nothing(mesh)
        join[mesh.siblings[rng.random(len(mesh.siblings)) < 0.3]] = True
        split = (rng.random(mesh.size) < 0.4) & ~join & ~np.roll(join, 1)
        mesh, _ = mesh.regrid(split, join)
    return mesh


@examples(40)
@given(seed=st.integers(0, 10**6))
def test_cells_cover_the_interval(seed):
    mesh = some_mesh(seed)
    assert np.all(np.diff(mesh.edges) > 0)
    assert mesh.size == len(mesh.edges) - 1
    assert mesh.edges[0] == ROOTS[0]
    assert mesh.edges[-1] == ROOTS[-1]
    assert set(ROOTS) <= set(mesh.edges)  # what must stay an edge is one, to the last bit
    np.testing.assert_allclose(np.diff(mesh.edges), mesh.widths, rtol=1e-9)


@examples(40)
@given(seed=st.integers(0, 10**6))
def test_places_are_located_where_they_are(seed):
    mesh = some_mesh(seed)
    inner = np.array([-0.99, -0.2, 0.0, 0.7, 0.99])
    cell, xi = mesh.locate(mesh.places(inner).ravel())
    np.testing.assert_array_equal(cell, np.repeat(np.arange(mesh.size), len(inner)))
    np.testing.assert_allclose(xi.reshape(mesh.size, -1), np.tile(inner, (mesh.size, 1)), atol=1e-9)
    cell, xi = mesh.locate(mesh.edges)  # an edge belongs to the cell on its right, the last one to the last
    np.testing.assert_array_equal(cell, [*range(mesh.size), mesh.size - 1])
    np.testing.assert_allclose(xi, [*[-1.0] * mesh.size, 1.0], atol=1e-9)


@examples(40)
@given(seed=st.integers(0, 10**6))
def test_split_then_join_is_the_identity(seed):
    """Of meshes to the last bit, and of coefficients to rounding."""
    mesh, size = some_mesh(seed), 6
    split = np.random.default_rng(seed).random(mesh.size) < 0.5
    finer, there = mesh.regrid(split, nothing(mesh))
    assert finer.size == mesh.size + split.sum()
    join = nothing(finer)
    join[np.flatnonzero(there.kind == 1)] = True
    again, back = finer.regrid(nothing(finer), join)
    for name in ("root", "level", "index", "edges", "widths"):
        np.testing.assert_array_equal(getattr(again, name), getattr(mesh, name))

    def joined(left, right):
        return np.concatenate([left, right], axis=-1) @ joining(size, 2).T

    a = np.random.default_rng(seed + 1).standard_normal((2, mesh.size, size))
    found = back.apply(there.apply(a, halves(size), joined), halves(size), joined)
    np.testing.assert_allclose(found, a, atol=1e-11)


@examples(30)
@given(seed=st.integers(0, 10**6))
def test_a_polynomial_is_the_same_function_on_all_meshes(seed):
    """1 + x − 2x³ on the roots and on any cells that follow from them."""
    mesh, size = Mesh.of(ROOTS), 5
    points, weights = nodes(size, 0)
    tables = table(points, size)

    def function(x):
        return 1 + x - 2 * x**3

    def joined(left, right):
        return np.concatenate([left, right], axis=-1) @ joining(size, 1).T

    a = (function(mesh.places(points)) * weights) @ tables
    rng = np.random.default_rng(seed)
    for _ in range(6):
        join = nothing(mesh)
        join[mesh.siblings[rng.random(len(mesh.siblings)) < 0.4]] = True
        split = (rng.random(mesh.size) < 0.5) & ~join & ~np.roll(join, 1)
        mesh, regrid = mesh.regrid(split, join)
        a = regrid.apply(a, halves(size), joined)
        np.testing.assert_allclose(a @ tables.T, function(mesh.places(points)), atol=1e-11)


def test_siblings_are_halves_of_one_cell():
    mesh = Mesh.of(np.array([0.0, 1.0, 2.0]))
    assert len(mesh.siblings) == 0  # roots are never joined
    mesh, _ = mesh.regrid(np.array([True, True]), nothing(mesh))
    np.testing.assert_array_equal(mesh.siblings, [0, 2])  # the cells 1 and 2 belong to two roots
    mesh, _ = mesh.regrid(np.array([True, False, False, False]), nothing(mesh))
    np.testing.assert_array_equal(
        mesh.siblings, [0, 3]
    )  # the right half of the first root has no sibling any more


def test_widths_of_deep_cells_have_no_cancellation():
    """40 halvings towards x = 1 of an interval far from zero."""
    mesh = Mesh.of(np.array([1.0, 2.0]))
    for _ in range(40):
        split = nothing(mesh)
        split[0] = True
        mesh, _ = mesh.regrid(split, nothing(mesh))
    assert mesh.widths[0] == 2.0**-40
    assert mesh.edges[1] == 1 + 2.0**-40


# Other meshes -----------------------------------------------------------------------------------------------


def test_narrow_cells_are_taken_over_to_rounding():
    """A cell of 1e-12 beside x = ½ keeps c_xx: places computed from its edges are off by 1e-4 of it, and second derivatives by 1e20."""
    low, widths = 0.5, 2.0 ** -np.arange(40, 0, -1)
    old = np.concatenate([[0.0, 0.25, low], low + widths])
    new = np.concatenate([old[:2], [low, low + 0.25 * widths[0], low + 0.5 * widths[0]], old[3:-2], old[-1:]])
    move = Transfer(old, new, 6, 6)
    coefficients = drawn(1, len(old) - 1, 6)
    moved = move(coefficients)
    np.testing.assert_allclose(moved[:, 1], coefficients[:, 1], atol=1e-14)
    # The narrowest cell is a quarter, a quarter and a half now; values at corresponding places agree.
    cell = coefficients[0, 2]
    for at, (a, b) in zip((2, 3, 4), ((0, 0.25), (0.25, 0.5), (0.5, 1)), strict=True):
        places = 2 * (a + (b - a) * (XI + 1) / 2) - 1
        np.testing.assert_allclose(table(XI, 6) @ moved[0, at], table(places, 6) @ cell, atol=1e-13)
    # What follows is the same cells.
    np.testing.assert_allclose(moved[:, 5:-1], coefficients[:, 3:-2], atol=1e-13)
