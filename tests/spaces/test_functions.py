# SPDX-License-Identifier: MIT
"""Functions of a cell: what all of them have to be, polynomials, random features, and others that are written here from the protocol alone."""

import numpy as np
import pytest
from on_cells import Exponentials

from lrfm.discretize.options import FEATURES
from lrfm.spaces.cells.reference import (
    POLYNOMIALS,
    RandomFeatures,
    Reference,
    at_ends,
    connecting,
    halves,
    joining,
    merging,
    nodes,
    quadrature,
    table,
    values,
)


def features(seed=0):
    return RandomFeatures(seed, FEATURES.count)


KINDS = {
    "polynomials": POLYNOMIALS,
    "features": features(),
    "others": features(7),
    "exponentials": Exponentials(),
}
EVERY = pytest.mark.parametrize("functions", KINDS.values(), ids=KINDS)
XI = np.linspace(-1, 1, 41)


# What all of them have to be --------------------------------------------------------------------------------


@EVERY
@pytest.mark.parametrize("size", [1, 2, 7])
def test_they_are_orthonormal_nested_and_begin_with_one(functions, size):
    points, weights = quadrature(size, functions)
    here = values(points, size, 0, functions)
    np.testing.assert_allclose(here.T @ (weights[:, None] * here), np.eye(size), atol=1e-12)
    np.testing.assert_allclose(here[:, 0], 1.0, atol=1e-12)
    np.testing.assert_allclose(
        values(XI, 9, 0, functions)[:, :size], values(XI, size, 0, functions), atol=1e-7
    )


@EVERY
def test_equal_ones_have_the_same_tables_and_others_not(functions):
    assert at_ends(5, 2, 0.0, functions) is at_ends(5, 2, 0.0, functions)
    assert sum(other == functions and hash(other) == hash(functions) for other in KINDS.values()) == 1


@EVERY
def test_as_many_as_are_enough_and_no_fewer_than_polynomials(functions):
    assert 7 <= functions.enough(7, 1e-6) <= functions.enough(7, 1e-9) < 25
    assert functions.words(7)


@EVERY
def test_tables_hold_derivatives(functions):
    """Against differences of the functions themselves."""
    step = 1e-3
    for order in (1, 2, 3):
        below = [values(XI + shift * step, 6, order - 1, functions) for shift in (-2, -1, 1, 2)]
        slopes = (below[0] - 8 * below[1] + 8 * below[2] - below[3]) / (12 * step)
        np.testing.assert_allclose(values(XI, 6, order, functions), slopes, atol=1e-5)
    reference = Reference(6, 4, 0, 2, functions)
    np.testing.assert_array_equal(reference.at_points[2], values(reference.points, 6, 2, functions))


@EVERY
@pytest.mark.parametrize("order", [0, 1, 2, 3])
def test_halves_and_pairs_keep_what_continuity_needs(functions, order):
    """Derivatives below the order stay at the ends of a cell that is split or joined; of what is left it is the nearest."""
    size, rng = 9, np.random.default_rng(order)
    a = rng.standard_normal(size) * 10.0 ** -np.arange(size)
    own = at_ends(size, max(order, 1), 0.0, functions)
    middle = np.array([values(np.zeros(1), size, d, functions)[0] for d in range(order)]).reshape(order, size)
    for side, half in enumerate(halves(size, order, functions)):
        for d in range(order):
            inner, outer = own[1 - side, d] @ (half @ a), own[side, d] @ (half @ a)
            np.testing.assert_allclose(inner, middle[d] @ a / 2**d, rtol=1e-9, atol=1e-9)
            np.testing.assert_allclose(outer, own[side, d] @ a / 2**d, rtol=1e-9, atol=1e-9)
    both = np.concatenate([half @ a for half in halves(size, order, functions)])
    whole = joining(size, order, functions) @ both
    for d in range(order):
        np.testing.assert_allclose(own[0, d] @ whole, own[0, d] @ a, rtol=1e-9, atol=1e-8)
        np.testing.assert_allclose(own[1, d] @ whole, own[1, d] @ a, rtol=1e-9, atol=1e-8)
    if order:
        ends = np.einsum("edk,kfg->edfg", own[:, :order], connecting(size, order, functions))
        np.testing.assert_allclose(ends.reshape(2 * order, -1), np.eye(2 * order), atol=1e-8)


@EVERY
@pytest.mark.parametrize("share", [0.5, 0.3])
def test_parts_of_a_cell_are_known_exactly(functions, share):
    """Whatever the functions are, what joining changes is measured on all of it."""
    size, shares = 8, np.array([share])
    a = np.random.default_rng(1).standard_normal(size)
    _, parts = merging(size, 2, shares, functions)
    left = parts[0, 0] @ a
    np.testing.assert_allclose(
        table(XI, len(left)) @ left, values(share * (XI + 1) - 1, size, 0, functions) @ a, atol=1e-10
    )


# Polynomials and features -----------------------------------------------------------------------------------


def test_splitting_is_exact_for_polynomials():
    """To the last bit, so that the correction at the ends is nothing for them."""
    np.testing.assert_array_equal(halves(9, 3), halves(9, 0))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("size", [8, 11, 14, 17])
def test_what_a_split_leaves_out_is_what_the_last_coefficients_say(seed, size):
    """The tail on the halves is what the next step counts as the error of its cells."""
    functions, (points, weights) = features(seed), quadrature(size, features(seed))
    here = values(points, size, 0, functions)
    series, wide = functions.series(size), table(points, len(functions.series(size)))
    for given in (
        np.exp(2 * points),
        np.sin(3 * points + 1),
        np.tanh(4 * (points - 0.3)),
        1 / (1.5 + points),
    ):
        a = here.T @ (weights * given)
        for side, half in zip((-1.0, 1.0), halves(size, 2, functions), strict=True):
            exact = wide.T @ (weights * (values(0.5 * (points + side), size, 0, functions) @ a))
            kept = half @ a
            lost = np.linalg.norm(exact - series @ kept)
            assert lost < 1.5 * np.hypot(*kept[-2:])


@pytest.mark.parametrize("seed", range(3))
def test_they_are_the_features_that_were_drawn(seed):
    """tanh(w (ξ − c)) with w and c of the seed is a sum of 1 and all singular vectors, to rounding; of another seed's as well, but not of a few."""
    functions = features(seed)
    rng = np.random.default_rng(seed)
    slopes, centers = rng.uniform(-1, 1, FEATURES.count), rng.uniform(-1, 1, FEATURES.count)
    points, weights = quadrature(1, functions)
    drawn = np.tanh(slopes * (points[:, None] - centers))
    for size, most in ((22, 1e-11), (6, 1e-2)):
        here = values(points, size, 0, functions)
        left = drawn - here @ (here.T @ (weights[:, None] * drawn))
        lost = np.sqrt(np.max(weights @ left**2))
        assert lost < most
    assert lost > 1e-5


def test_the_last_coefficients_tell_what_is_left_out():
    """Singular vectors come in the order of their weight: what 11 of them leave out of functions is less than their last two coefficients and more than a 1000th."""
    points, weights = nodes(60, 0)
    here = values(points, 11, 0, features())
    for given in (np.exp(points), np.sin(2 * points), points, np.tanh(3 * (points - 0.3)), 1 / (2 + points)):
        a = here.T @ (weights * given)
        left = np.sqrt(weights @ (given - here @ a) ** 2)
        assert 1e-3 < left / np.hypot(*a[-2:]) < 1


def test_features_are_drawn_by_the_seed():
    np.testing.assert_array_equal(features(3).series(12), RandomFeatures(3, FEATURES.count).series(12))
    apart = features(3).series(12) - features(4).series(12)
    assert np.linalg.norm(apart[:, -1]) > 1e-3


def test_more_features_than_rounding_tells_apart_get_a_sentence():
    assert features().enough(7, 1e-30) == features().series(22).shape[1] or features().enough(7, 1e-30) > 20
    with pytest.raises(ValueError, match="more than can be told from rounding"):
        features().series(60)
