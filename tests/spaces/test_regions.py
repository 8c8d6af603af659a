# SPDX-License-Identifier: MIT
"""Families of functions of several variables, and bases made from them: derivatives, orthogonality, traces, files."""

import numpy as np
import pytest

from lrfm.spaces.regions.basis import make_region_basis
from lrfm.spaces.regions.families import CornerPower, Inverted, Logarithm, Poles, Ridges, Singular
from lrfm.spaces.regions.stored import basis_from, basis_record

INDICES = [(0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2), (2, 1), (0, 3)]


def ridges(rng, count=6, axes=2):
    return Ridges(np.zeros(axes), np.ones(axes), rng.normal(size=(count, axes)), rng.normal(size=count))


def families(rng):
    pole = Inverted(np.array([2.0, 0.3]), 0.7, rng.normal(size=(5, 2)), rng.normal(size=5))
    source = Singular(Logarithm(np.array([1.8, -1.5]), 0.5), ridges(rng, 3))
    corner = Singular(
        CornerPower(np.array([-1.0, -1.0]), 0.25 * np.pi, 0.8, 2 / 3, -0.5 * np.pi), ridges(rng, 4)
    )
    poles = Singular(
        Poles(np.array([[1.2, 0.9], [-1.0, 0.8], [0.2, -1.1]]), np.array([0.5, 0.4, 0.6]), 2), ridges(rng, 12)
    )
    return [ridges(rng), pole, source, corner, poles]


@pytest.mark.parametrize("number", range(5))
def test_derivatives_are_those_of_the_functions(number):
    rng = np.random.default_rng(number)
    family = families(rng)[number]
    points = rng.uniform(-0.5, 0.5, (7, 2))
    h = 1e-5
    tables = family.tables(points, INDICES)
    for index in INDICES:
        for axis in (0, 1):
            higher = tuple(n + (k == axis) for k, n in enumerate(index))
            if higher in INDICES:
                step = h * np.eye(2)[axis]
                slope = (
                    family.tables(points + step, [index])[index]
                    - family.tables(points - step, [index])[index]
                )
                exact = tables[higher]
                np.testing.assert_allclose(slope / (2 * h), exact, rtol=1e-5, atol=1e-6 * np.abs(exact).max())


def test_corner_powers_are_harmonic_and_vanish_on_both_sides():
    # r^(2/3) sin(2θ/3) in the L-shape: the cosine about the line that halves it.
    power = CornerPower(np.zeros(2), 0.75 * np.pi, 1.0, 2 / 3, 0.0)
    angles = np.array([0.0, 1.5 * np.pi, 0.4, 2.0])
    points = 0.3 * np.column_stack([np.cos(angles), np.sin(angles)])
    found = power.series(points, ((0, 0), (1, 0), (0, 1), (2, 0), (0, 2)))
    np.testing.assert_allclose(found[0, 0][:, 0], 0.3 ** (2 / 3) * np.sin(2 / 3 * angles), atol=1e-14)
    np.testing.assert_allclose(found[2, 0] + found[0, 2], 0, atol=1e-12)


def test_sources_in_space_are_harmonic():
    source = Logarithm(np.array([1.0, 2.0, -1.0]), 0.4)
    second = [tuple(2 * (k == j) for k in range(3)) for j in range(3)]
    points = np.random.default_rng(0).normal(size=(5, 3))
    indices = ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), *second)
    found = source.series(points, indices)
    np.testing.assert_allclose(sum(found[a] for a in second), 0, atol=1e-12)


def square(n):
    x, w = np.polynomial.legendre.leggauss(n)
    points = np.column_stack([a.ravel() for a in np.meshgrid(x, x, indexing="ij")])
    return points, np.outer(w, w).ravel()


def side(n):
    x, w = np.polynomial.legendre.leggauss(n)
    return np.column_stack([np.full(n, -1.0), x]), np.sqrt(w)


def made(seed=0, cut=1e-10):
    rng = np.random.default_rng(seed)
    drawn = [ridges(rng, 120), families(rng)[1]]
    points, root = side(30)
    trace = np.concatenate([f.tables(points, [(0, 0)])[0, 0] for f in drawn], axis=1) * root[:, None]
    return make_region_basis(drawn, square(22), square(15), [(2, 0)], [trace], cut)


def test_functions_without_a_trace_are_orthonormal_and_vanish_there():
    basis = made()
    (split,) = basis.splits
    weights = square(22)[1]
    values = basis.grid.tables[0, 0] @ split.free
    np.testing.assert_allclose(values.T @ (weights[:, None] * values), np.eye(values.shape[1]), atol=1e-4)
    assert np.max(np.abs(basis.at(side(9)[0], [(0, 0)]).tables[0, 0] @ split.free)) < 1e-5
    assert split.free.shape[1] + split.taken.shape[1] + split.held.shape[1] == basis.size


def test_a_function_is_its_trace_and_what_has_none():
    basis = made(cut=1e-12)
    (split,) = basis.splits

    def u(points):
        return np.exp(points[:, 0] * points[:, 1])

    points, root = side(30)
    c = split.taken @ (split.rows @ (root * u(points)))
    c = c + split.free @ (split.tests @ (u(basis.points) - basis.grid.evaluate(c[None], (0, 0))[0]))
    fresh, weights = basis.fresh
    gap = fresh.evaluate(c[None], (0, 0))[0] - u(fresh.points)
    assert np.sqrt(weights @ gap**2) < 1e-4


def test_data_on_the_boundary_are_followed():
    basis = made(cut=1e-12)
    (split,) = basis.splits
    points, root = side(30)
    c = split.taken @ (split.rows @ (root * np.sin(3 * points[:, 1])))
    other = side(13)[0]
    found = basis.at(other, [(0, 0)]).evaluate(c[None], (0, 0))[0]
    np.testing.assert_allclose(found, np.sin(3 * other[:, 1]), atol=1e-6)
    np.testing.assert_allclose(split.dual.T @ split.taken, np.eye(split.taken.shape[1]), atol=1e-8)


def test_a_basis_comes_back_from_its_record():
    rng = np.random.default_rng(3)
    drawn = families(rng)
    basis = make_region_basis(drawn, square(12), square(7), [], [], 1e-8)
    again = basis_from(**basis_record(basis))
    points = rng.uniform(-0.5, 0.5, (5, 2))
    rows = rng.normal(size=(2, basis.size))
    for index in ((0, 0), (1, 1)):
        here, there = (b.sums(points, [index], rows)[index] for b in (basis, again))
        np.testing.assert_array_equal(here, there)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda r: r["families"].clear(),
        lambda r: r["families"][0].update(half=np.zeros(2)),
        lambda r: r["families"][1].pop("pole"),
        lambda r: r["families"][2].update(source=np.full(3, np.nan)),
        lambda r: r["families"][3].update(corner=np.zeros(3)),
        lambda r: r["families"][4].update(poles=r["families"][4]["poles"][:2, :2]),
        lambda r: r["families"][4].update(poles=np.ones((5, 3))),
        lambda r: r.update(mixing=r["mixing"][1:]),
        lambda r: r["families"][0].update(weights=np.zeros(3)),
    ],
)
def test_a_record_that_could_not_be_evaluated_is_refused(spoil):
    basis = make_region_basis(families(np.random.default_rng(3)), square(12), square(7), [], [], 1e-8)
    record = basis_record(basis)
    spoil(record)
    with pytest.raises(ValueError, match=r"`|functions|family|families"):
        basis_from(**record)
