# SPDX-License-Identifier: MIT
"""Means on cells of the widths h, 2h, 4h, …: exact for polynomials of degree four, details that fall by 2⁻⁵, totals that stay, neighbors that are enough to predict from."""

import numpy as np
import pytest

from lrfm.spaces.cells.dyadic import APART, Dyadic


def means(integral, edges):
    return (np.diff(integral(edges)) / np.diff(edges))[None]


def wanted(grid, means, sizes, budget, reach=10):
    return grid.around(grid.counted(grid.finest(means, sizes)[1], budget, sizes), reach)


def around_a_jump(periodic, budget=1e-6):
    """A grid, the means of cos 2πx + 1 with a jump at 0.3, and sizes of cells for them."""
    grid = Dyadic(0.0, 1.0, 1024, 4, periodic)
    narrow = np.ones(1024, dtype=int)
    u = means(lambda x: np.sin(2 * np.pi * x) / (2 * np.pi) + np.maximum(x - 0.3, 0), grid.edges)
    return grid, u, wanted(grid, u, narrow, budget)


@pytest.mark.parametrize("periodic", [True, False])
def test_what_is_left_out_is_within_the_budget_and_totals_stay(periodic):
    grid, u, sizes = around_a_jump(periodic)
    assert len(sizes) < 250
    assert np.sum(sizes) == 1024
    wide = grid.gathered(u, sizes)
    again = grid.finest(wide, sizes)[0]
    assert np.mean(np.abs(again - u)) < 1e-5
    assert abs(np.mean(again) - np.mean(u)) < 1e-15
    assert abs(wide[0] @ sizes / 1024 - np.mean(u)) < 1e-15


@pytest.mark.parametrize("periodic", [True, False])
def test_cells_beside_narrower_ones_are_enough_to_predict_from(periodic):
    _, _, sizes = around_a_jump(periodic)
    starts = np.cumsum(sizes) - sizes
    assert np.all(starts % sizes == 0)
    ratios = sizes[1:] / sizes[:-1]
    assert set(ratios) <= {0.5, 1.0, 2.0}
    if periodic:
        assert sizes[0] / sizes[-1] in (0.5, 1.0, 2.0)
    lengths = np.diff(np.concatenate([[0], np.flatnonzero(ratios != 1) + 1, [len(sizes)]]))
    assert lengths[1:-1].min() >= APART
    assert periodic or min(lengths[0], lengths[-1]) >= APART


def test_nothing_is_wider_where_nothing_may_be_left_out():
    grid, u, sizes = around_a_jump(True)
    wide = grid.gathered(u, sizes)
    again = wanted(grid, wide, sizes, 0.0)
    assert np.all(np.repeat(again, again) <= np.repeat(sizes, sizes))


def test_details_vanish_for_polynomials_of_degree_four_and_fall_by_32():
    grid = Dyadic(0.0, 1.0, 256, 3, False)
    narrow = np.ones(256, dtype=int)
    _, details, _ = grid.finest(means(lambda x: x**5 / 5 - x**3, grid.edges), narrow)
    assert max(np.max(np.abs(d[:, 8:-8])) for d in details[:3]) < 1e-13
    around = Dyadic(0.0, 1.0, 256, 3, True)
    _, details, bends = around.finest(means(lambda x: np.sin(2 * np.pi * x), around.edges), narrow)
    missed = [np.mean(np.abs(b)) for b in bends]
    np.testing.assert_allclose(np.log2(missed[1] / missed[0]), 2, atol=0.1)
    sizes = [np.max(np.abs(d)) for d in details]
    assert len(sizes) == 5  # of pairs of the widest cells, and of pairs of these, too
    np.testing.assert_allclose(np.log2(sizes[1] / sizes[0]), 5, atol=0.2)
    np.testing.assert_allclose(np.log2(sizes[2] / sizes[1]), 5, atol=0.2)


def test_the_widest_cells_are_halved_where_they_do_not_resolve():
    """From the widest cells alone: what jumps is on the narrowest ones at once, what is smooth stays wide."""
    grid = Dyadic(0.0, 1.0, 1024, 4, True)
    sizes = np.full(64, 16)
    for integral, narrowest in (
        (lambda x: np.maximum(x - 0.3, 0) - 0.7 * x, 1),
        (lambda x: np.sin(2 * np.pi * x), 16),
    ):
        u = means(integral, grid.edges)
        assert wanted(grid, grid.gathered(u, sizes), sizes, 1e-5, 4).min() == narrowest


def test_ghosts_are_means_of_cells_that_are_not_there():
    """Beyond each end of a stretch stand the means of two cells of its own width: exact for polynomials of degree four."""
    grid, _, sizes = around_a_jump(False)
    edges = grid.mesh(sizes).edges
    u = means(lambda x: (x - 0.4) ** 5, edges)[0]
    ghosts = grid.ghosts(sizes)
    found = np.sum(u[ghosts.sources] * ghosts.weights, axis=1)
    padded = np.concatenate([[np.nan] * 2, edges[:-1], [np.nan] * 2])[ghosts.columns]
    width = np.concatenate([[np.nan] * 2, np.diff(edges), [np.nan] * 2])[ghosts.columns]
    for place, value in zip(ghosts.places, found, strict=True):
        inside = next(p for p in (place + 1, place - 1, place + 2, place - 2) if p not in ghosts.places)
        left = padded[inside] + (place - inside) * width[inside]
        exact = ((left + width[inside] - 0.4) ** 5 - (left - 0.4) ** 5) / width[inside]
        assert abs(value - exact) < 1e-13


def test_cells_of_one_width_are_those_of_a_grid_without_levels():
    grid = Dyadic(-1.0, 1.0, 64, 3, True)
    sizes = np.full(16, 4)
    np.testing.assert_allclose(grid.mesh(sizes).edges, np.linspace(-1, 1, 17))
    ghosts = grid.ghosts(sizes)
    assert not len(ghosts.places)
    np.testing.assert_array_equal(ghosts.columns, np.arange(20))
    np.testing.assert_array_equal(ghosts.kept, np.arange(16))
