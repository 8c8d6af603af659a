# SPDX-License-Identifier: MIT
"""The partition of unity: it sums to one, its derivatives to zero, and it is quiet at the edges."""

import numpy as np
import pytest

from lrfm.spacetime.features import Liquid
from lrfm.spacetime.features.bumps import Distance, product_jets
from lrfm.spacetime.features.layout import Layout

ORDERS = {
    1: [(k,) for k in range(5)],
    2: [(0, 0), (1, 0), (0, 2), (1, 1), (2, 2)],
    3: [(0, 0, 0), (1, 0, 0), (0, 1, 2)],
}


def cells(d, patches, overlap, periodic):
    return Layout(
        names=("x", "y", "z")[:d],
        lower=(-1.0, 0.0, 2.0)[:d],
        upper=(1.0, 3.0, 2.5)[:d],
        periodic=(periodic,) * d,
        start=0.0,
        patches=patches,
        overlap=overlap,
    ).shapes()


def window_values(cell, points, orders):
    """Window jets of one patch on all points, zero outside its support."""
    coordinates = cell.frame.offsets(points.T)
    inside = np.logical_and.reduce([f.support(coordinates) for f in cell.factors])
    jets = product_jets(cell.factors, [y[inside] for y in coordinates], orders)
    result = {order: np.zeros(len(points)) for order in orders}
    for order in orders:
        if order in jets:
            result[order][inside] = jets[order]
    return result


@pytest.mark.parametrize("periodic", [False, True])
@pytest.mark.parametrize(("d", "patches"), [(1, 2), (1, 5), (2, (2, 3)), (3, 2)])
@pytest.mark.parametrize("overlap", [0.05, 0.25, 0.49])
def test_sum_is_one(d, patches, overlap, periodic):
    rng = np.random.default_rng(0)
    low, high = np.array([-1.0, 0.0, 2.0])[:d], np.array([1.0, 3.0, 2.5])[:d]
    points = np.vstack([low + (high - low) * rng.random((400, d)), low, high])
    parts = [window_values(cell, points, ORDERS[d]) for cell in cells(d, patches, overlap, periodic)]
    for order in ORDERS[d]:
        values = np.array([part[order] for part in parts])
        assert np.isfinite(values).all()
        total = values.sum(axis=0) - (sum(order) == 0)
        scale = 10 * np.abs(values).max() if sum(order) else 1.0
        # a thin overlap is steep and amplifies the rounding of x
        assert np.abs(total).max() <= (1e-14 if overlap > 0.2 else 1e-13) * scale
        assert sum(order) > 0 or values.min() >= 0.0


@pytest.mark.parametrize("overlap", [1.0, 1.7])
def test_wide_overlap(overlap):
    points = np.linspace(-1.0, 1.0, 301)[:, None]
    for periodic in (False, True):
        parts = [window_values(cell, points, [(0,)]) for cell in cells(1, 7, overlap, periodic)]
        np.testing.assert_allclose(sum(part[(0,)] for part in parts), 1.0, rtol=0, atol=1e-14)


def test_no_noise_at_the_edge():
    """One ulp inside the support, and with an overlap so thin that all bumps underflow."""
    for overlap in (1e-6, 1e-3, 0.25):
        for cell in cells(1, 3, overlap, False):
            radius = cell.half[0]
            edges = cell.frame.center[0] + radius * np.array(
                [-1, -1 + 1e-16, -1 + 1e-9, 1 - 1e-9, 1 - 1e-16, 1]
            )
            points = np.concatenate([edges, cell.frame.center])[:, None]
            for values in window_values(cell, points, ORDERS[1]).values():
                assert np.isfinite(values).all()


def test_global_has_no_window():
    assert cells(2, None, 0.25, True)[0].factors == ()
    assert cells(2, 1, 0.25, False)[0].factors == ()
    (jets,) = product_jets((), [np.zeros(3)], [(2,)]).items()
    assert jets == ((0,), 1.0)


def test_window_is_one_where_alone():
    values = window_values(cells(1, 2, 0.25, False)[0], np.array([[-1.0], [-0.7]]), ORDERS[1])
    assert np.all(values[(0,)] == 1.0)
    assert all(np.all(values[(k,)] == 0.0) for k in range(1, 5))


def test_product_of_factors_is_leibniz():
    factors = (
        Distance(axis=0, center=0.0, half=1.0, lower=True, upper=True),
        Distance(axis=0, center=0.0, half=1.0, lower=True, upper=False),
        Distance(axis=1, center=0.0, half=2.0, lower=False, upper=True),
    )
    x, y = np.array([0.3]), np.array([0.5])
    jets = product_jets(factors, [x, y], [(3, 1), (2, 0)])
    # (1 − x²)(1 + x)/2 · (1 − y/2)/2
    assert jets[3, 1] == pytest.approx(0.5 * -6.0 * -0.25)
    assert jets[2, 0] == pytest.approx(0.5 * (-2 - 6 * 0.3) * 0.375)
    assert (0, 2) not in jets


def test_wrapped_patches_may_not_meet_themselves():
    with pytest.raises(ValueError, match=r"wider than the axis; with 2 patches give at most 0\.5"):
        Liquid(per_patch=3, patches=2, overlap=0.6).sample(
            ("x",), [0.0], [1.0], (True,), (0.0, 1.0), np.random.default_rng(0)
        )
