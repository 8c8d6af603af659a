# SPDX-License-Identifier: MIT
"""Products of places and times: found in any list of points, and of no influence on what is computed."""

import numpy as np
import pytest
from helpers import examples, thinned
from hypothesis import given
from hypothesis import strategies as st

from lrfm import STC, Frozen, Liquid, SoV
from lrfm.spacetime.features.grids import SHORTEST, runs
from lrfm.spacetime.least_squares.backends import NumPy

RNG = np.random.default_rng(0)


def grid(places, times, times_inside, axes=1, rng=RNG):
    """Points of a product of random places and times, time last."""
    x, t = rng.random((places, axes)), np.sort(rng.random(times))
    pairs = [(a, b) for a in x for b in t] if times_inside else [(a, b) for b in t for a in x]
    return np.array([[*a, b] for a, b in pairs])


def whole(found, points):
    """Points put together again from their runs."""
    again = np.full_like(points, np.nan)
    for run in found:
        parts = np.broadcast_arrays(*run.places, run.times)
        again[run.where] = np.column_stack([part.ravel() for part in parts])
    return again


@given(
    st.integers(1, 30), st.integers(1, 40), st.booleans(), st.integers(1, 3), st.integers(1, 600),
    st.integers(0, 5), st.integers(0, 2), st.integers(0, 2**32 - 1),
)  # fmt: skip
@examples(60)
def test_runs_are_the_points(places, times, times_inside, axes, most, extra, cut, seed):
    """Also where a list begins in the middle of a product and ends with other points."""
    rng = np.random.default_rng(seed)
    points = np.vstack([grid(places, times, times_inside, axes, rng), rng.random((extra, axes + 1))])[cut:]
    found = list(runs(points, most))
    np.testing.assert_array_equal(whole(found, points), points)
    assert all(np.prod(run.shape) <= max(most, SHORTEST * SHORTEST) for run in found)


@pytest.mark.parametrize(
    ("places", "times", "times_inside", "most_per_place"),
    [(20, 32, True, 1), (45, 45, False, 5), (400, 20, False, 1), (257, 9, False, 1), (513, 20, False, 1),
     (20, 600, True, 2), (10, 2000, True, 4)],
)  # fmt: skip
def test_places_are_shared_by_many_times(places, times, times_inside, most_per_place):
    seen = sum(run.places[0].size for run in runs(grid(places, times, times_inside), 512))
    assert seen <= most_per_place * places


@pytest.mark.parametrize("times_inside", [True, False])
def test_a_product_is_found(times_inside):
    points = grid(24, 32, times_inside)
    (run,) = runs(points, 10_000)
    assert run.shape == ((24, 32) if times_inside else (32, 24))
    assert run.places.size == 24
    assert run.times.size == 32


def test_scattered_points_stay_so():
    (run,) = runs(RNG.random((100, 2)), 512)
    assert run.shape == (100,)


CONFIGS = [
    Liquid(features=30), Liquid(features=30, oscillation=(1.0, 5.0)), Liquid(features=30, drift=(-1.0, 2.0)),
    Liquid(per_patch=10, patches=3), Liquid(features=30, profile="sine", vanish=("x-",)),
    Frozen(Liquid(features=30)), SoV(features=30), STC(features=30),
]  # fmt: skip
ORDERS = [(0, 0), (1, 0), (0, 1), (2, 0), (2, 1), (1, 2), (4, 0), (0, 3)]


@pytest.mark.parametrize("config", CONFIGS, ids=repr)
@pytest.mark.parametrize(
    ("times_inside", "periodic"), thinned([(True, True), (True, False), (False, False), (False, True)], 2)
)
def test_derivatives_on_a_grid_are_those_of_its_points(config, times_inside, periodic):
    if periodic and getattr(config, "vanish", ()):
        pytest.skip("a periodic axis has no faces")
    box = ("x",), np.array([0.0]), np.array([1.0]), (periodic,), (0.0, 1.0)
    space = config.sample(*box, np.random.default_rng(1))
    points = grid(2 * SHORTEST, SHORTEST + 3, times_inside)
    order = RNG.permutation(len(points))
    together, apart = (space.jets(p, ORDERS, NumPy(tile=(8, 100))) for p in (points, points[order]))
    for index in ORDERS:
        scale = np.abs(apart[index]).max() or 1.0
        np.testing.assert_allclose(together[index][order], apart[index], rtol=0, atol=1e-13 * scale)


def test_derivatives_on_a_grid_in_two_dimensions():
    box = ("x", "y"), np.zeros(2), np.ones(2), (True, False), (0.0, 1.0)
    space = Liquid(features=20).sample(*box, np.random.default_rng(1))
    points, orders = grid(20, 20, True, axes=2), [(1, 1, 0), (2, 0, 1), (0, 2, 2)]
    order = RNG.permutation(len(points))
    together, apart = space.jets(points, orders), space.jets(points[order], orders)
    for index in orders:
        scale = np.abs(apart[index]).max()
        np.testing.assert_allclose(together[index][order], apart[index], rtol=0, atol=1e-13 * scale)


def test_what_depends_on_the_place_is_computed_once_per_place(monkeypatch):
    """The profile, tanh, sees 20 places and not 20 × 32 points."""
    from lrfm.spacetime.features.towers import Tanh

    seen, tower = [], Tanh.tower
    monkeypatch.setattr(Tanh, "tower", lambda self, s, *rest: seen.append(s.size) or tower(self, s, *rest))
    box = ("x",), np.array([0.0]), np.array([1.0]), (False,), (0.0, 1.0)
    space = Liquid(features=10).sample(*box, np.random.default_rng(1))
    space.jets(grid(20, 32, True), [(0, 0), (2, 0), (0, 1)])
    assert sum(seen) == 2 * 10 * 20
