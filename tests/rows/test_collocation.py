# SPDX-License-Identifier: MIT
"""Collocation points: where they lie, how densely, how many, and how interior rows are weighted."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lrfm.problem import Box
from lrfm.spacetime.windows.collocation import SAMPLINGS, TIMES, Collocation, tensor, tensor_shape

LINE = Box(x=(-1, 3))
PLANE = Box(x=(-1, 3), y=(10, 11))
SOLID = Box(x=(-1, 3), y=(10, 11), z=(0, 0.5))
WINDOW = (2.0, 2.5)


def place(box=PLANE, seed=0, **settings):
    return Collocation(**settings).place(box, WINDOW, np.random.default_rng(seed))


def unit(points, box):
    """Interior points mapped back to the unit cube."""
    low, high = np.append(box.lower, WINDOW[0]), np.append(box.upper, WINDOW[1])
    return (points - low) / (high - low)


def test_points_gather_where_they_are_asked_to():
    wanted = np.random.default_rng(1).beta(5, 2, 400) * 4 - 1
    points = place(LINE, interior=4000, initial=400, gather=wanted)
    for x in (points.interior[:, 0], points.initial[:, 0]):
        gaps = np.quantile(x, np.linspace(0.05, 0.95, 19)) - np.quantile(wanted, np.linspace(0.05, 0.95, 19))
        assert np.abs(gaps).max() < 0.02
        assert x.min() >= -1
        assert x.max() <= 3
    with pytest.raises(ValueError, match="`gather` is for one dimension; this box has 2"):
        place(PLANE, gather=wanted)


# Interior points --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sampling", SAMPLINGS)
@pytest.mark.parametrize("time", TIMES)
@pytest.mark.parametrize("box", [LINE, PLANE, SOLID], ids=["1-D", "2-D", "3-D"])
def test_interior_points_fill_the_window(box, time, sampling):
    interior = place(box, interior=1296, sampling=sampling, time=time).interior
    assert interior.shape[1] == box.dimension + 1
    u = unit(interior, box)
    assert u.min() >= 0
    assert u.max() <= 1
    # In space each third of each axis has its share, whatever the density in time.
    shares = np.array(
        [
            [np.mean((u[:, i] >= k / 3) & (u[:, i] < (k + 1) / 3)) for k in range(3)]
            for i in range(box.dimension)
        ]
    )
    np.testing.assert_allclose(shares, 1 / 3, atol=0.1)


@pytest.mark.parametrize("count", [7, 256, 1000])
@pytest.mark.parametrize("box", [LINE, SOLID], ids=["1-D", "3-D"])
def test_latin_hypercube_has_one_point_in_every_stratum_of_every_axis(box, count):
    interior = place(box, interior=count).interior
    strata = np.floor(unit(interior, box) * count).astype(int)
    for axis in strata.T:
        np.testing.assert_array_equal(np.sort(axis), np.arange(count))


def test_latin_hypercube_axes_are_independent():
    u = unit(place(PLANE, interior=4000).interior, PLANE)
    correlation = np.corrcoef(u.T) - np.eye(3)
    assert np.abs(correlation).max() < 0.06


def test_sobol_points_are_balanced():
    """2^m points of a net: one in each of 2^m strata of each axis, four in each of 16 x 16 squares."""
    u = unit(place(LINE, interior=1024, sampling="sobol").interior, LINE)
    for axis in np.floor(u * 1024).astype(int).T:
        np.testing.assert_array_equal(np.sort(axis), np.arange(1024))
    squares = np.floor(u * 16).astype(int)
    np.testing.assert_array_equal(np.bincount(squares[:, 0] * 16 + squares[:, 1], minlength=256), 4)


@pytest.mark.parametrize("count", [1, 100, 127, 129])
def test_sobol_gives_any_number_of_points(count):
    assert len(place(LINE, interior=count, sampling="sobol").interior) == count


def test_grid_is_a_tensor_of_cell_midpoints():
    interior = place(LINE, interior=12, sampling="grid").interior
    shape = tensor_shape(12, 2)
    assert len(interior) == math.prod(shape)
    for axis, n, low, high in zip(interior.T, shape, (-1, 2.0), (3, 2.5), strict=True):
        np.testing.assert_allclose(np.unique(axis), low + (high - low) * (np.arange(n) + 0.5) / n, rtol=1e-15)


# Density in time --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("time", TIMES)
@pytest.mark.parametrize("grading", [1e-6, 1e-3, 1.0])
def test_warp_is_increasing_from_zero_to_one(time, grading):
    t = Collocation(time=time, grading=grading).warp(np.linspace(0, 1, 1001))
    assert t[0] == 0
    assert t[-1] == pytest.approx(1, abs=1e-14)
    assert np.all(np.diff(t) > 0)


def test_chebyshev_times_follow_the_arcsine_law():
    t = unit(place(LINE, interior=4000, time="chebyshev").interior, LINE)[:, -1]
    for level in (0.01, 0.1, 0.5, 0.9, 0.99):
        assert np.mean(t <= level) == pytest.approx(2 / np.pi * np.arcsin(np.sqrt(level)), abs=1e-3)


def test_graded_times_are_uniform_in_the_logarithm():
    """t = d((1 + 1/d)^s − 1): P(t ≤ q) = log(1 + q/d) / log(1 + 1/d)."""
    d = 1e-4
    t = unit(place(LINE, interior=4000, time="graded", grading=d).interior, LINE)[:, -1]
    for level in (1e-5, 1e-4, 1e-2, 0.5):
        assert np.mean(t <= level) == pytest.approx(math.log1p(level / d) / math.log1p(1 / d), abs=1e-3)


def test_graded_times_keep_their_digits_near_the_start():
    t = Collocation(time="graded", grading=1e-8).warp(np.array([1e-12]))
    assert t[0] == pytest.approx(1e-8 * 1e-12 * math.log1p(1e8), rel=1e-10)


@pytest.mark.parametrize("power", [0.0, 0.5, 2.0])
def test_interior_rows_are_weighted_by_time(power):
    points = place(PLANE, interior=50, time="graded", grading=0.01, time_weight=power, interior_weight=3.0)
    s = unit(points.interior, PLANE)[:, -1]
    np.testing.assert_allclose(points.interior_weight, 3 * ((s + 0.01) / 1.01) ** power, rtol=1e-10)


# Initial and boundary sets ----------------------------------------------------------------------------------


@pytest.mark.parametrize("box", [LINE, PLANE, SOLID], ids=["1-D", "2-D", "3-D"])
def test_initial_points_are_a_grid_at_the_start_with_both_ends(box):
    initial = place(box, initial=216).initial
    assert len(initial) == math.prod(tensor_shape(216, box.dimension))
    np.testing.assert_array_equal(initial[:, -1], WINDOW[0])
    np.testing.assert_array_equal(initial[:, :-1].min(axis=0), box.lower)
    np.testing.assert_array_equal(initial[:, :-1].max(axis=0), box.upper)
    assert len(np.unique(initial, axis=0)) == len(initial)


@pytest.mark.parametrize("time", TIMES)
@pytest.mark.parametrize("box", [LINE, PLANE, SOLID], ids=["1-D", "2-D", "3-D"])
def test_opposite_faces_carry_the_same_points(box, time):
    pairs = place(box, boundary=64, time=time).pairs
    assert len(pairs) == box.dimension
    for axis, (lower, upper) in enumerate(pairs):
        assert len(lower) == math.prod(tensor_shape(64, box.dimension))
        np.testing.assert_array_equal(lower[:, axis], box.lower[axis])
        np.testing.assert_array_equal(upper[:, axis], box.upper[axis])
        others = [i for i in range(box.dimension + 1) if i != axis]
        np.testing.assert_array_equal(lower[:, others], upper[:, others])
        assert lower[:, -1].min() > WINDOW[0]  # t₀ belongs to the initial rows
        assert lower[:, -1].max() == pytest.approx(WINDOW[1], rel=1e-15)
        assert len(np.unique(lower, axis=0)) == len(lower)


def test_the_papers_count_of_boundary_rows():
    """N_BC = 120 time samples give 120 rows at each end of an interval."""
    ((lower, upper),) = place(LINE, boundary=120).pairs
    assert len(lower) == len(upper) == 120
    np.testing.assert_allclose(np.diff(lower[:, -1]), 0.5 / 120, rtol=1e-10)


def test_a_single_sample_on_a_face_lies_in_its_middle():
    for axis, (lower, _) in enumerate(place(SOLID, boundary=1).pairs):
        middle = 0.5 * (SOLID.lower + SOLID.upper)
        others = [i for i in range(3) if i != axis]
        np.testing.assert_allclose(lower[0, others], middle[others])
    np.testing.assert_allclose(place(SOLID, initial=1).initial[0, :-1], 0.5 * (SOLID.lower + SOLID.upper))


@given(st.integers(1, 20_000), st.integers(1, 5))
def test_tensor_shape_is_near_the_count_and_nearly_cubic(count, dimension):
    shape = tensor_shape(count, dimension)
    side = count ** (1 / dimension)
    assert len(shape) == dimension
    assert min(shape) >= 1
    assert max(shape) <= side + 1.5
    assert abs(math.prod(shape) - count) <= 0.75 * count / side + 1
    if dimension == 1:
        assert shape == (count,)


def test_tensor_spans_a_box():
    grid = tensor(12, np.array([0.0, 5.0]), np.array([1.0, 6.0]))
    assert {tuple(corner) for corner in grid} >= {(0, 5), (0, 6), (1, 5), (1, 6)}


# Random numbers and arguments -------------------------------------------------------------------------------


@pytest.mark.parametrize("sampling", ["latin-hypercube", "sobol"])
def test_the_generator_decides(sampling):
    first, again, other = (place(PLANE, seed=s, sampling=sampling).interior for s in (0, 0, 1))
    np.testing.assert_array_equal(first, again)
    assert np.abs(first - other).max() > 0.1


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        (
            {"sampling": "random"},
            r"`sampling='random'` is unknown; choose one of 'latin-hypercube', 'sobol', 'grid'",
        ),
        ({"time": "log"}, r"`time='log'` is unknown; choose one of 'uniform', 'chebyshev', 'graded'"),
        ({"interior": 0}, r"`interior=0` is not a positive integer"),
        ({"initial": -3}, r"`initial=-3` is not a positive integer"),
        ({"boundary": 2.5}, r"`boundary=2.5` is not a positive integer"),
        ({"interior": True}, r"`interior=True` is not a positive integer"),
        ({"interior": "many"}, r"`interior='many'` is not a positive integer"),
        ({"grading": 0.0}, r"`grading=0.0` is not a positive number"),
        ({"initial_weight": -1}, r"`initial_weight=-1` is not a positive number"),
        ({"boundary_weight": math.nan}, r"`boundary_weight=nan` is not a positive number"),
        ({"interior_weight": math.inf}, r"`interior_weight=inf` is not a positive number"),
        ({"boundary_weight": "10"}, r"`boundary_weight='10'` is not a positive number"),
        ({"time_weight": math.nan}, r"`time_weight=nan` must be a finite"),
        ({"time_weight": None}, r"`time_weight=None` must be a finite"),
        ({"gather": [1.0]}, r"`gather` holds 1 points; give at least two"),
    ],
)
def test_wrong_arguments_get_a_sentence(settings, sentence):
    with pytest.raises(ValueError, match=sentence):
        Collocation(**settings)


def test_settings_are_frozen_and_by_keyword():
    with pytest.raises(TypeError):
        Collocation(100)
    with pytest.raises(AttributeError):
        Collocation().interior = 3


@pytest.mark.parametrize("sampling", ["latin-hypercube", "sobol", "grid"])
@pytest.mark.parametrize("box", [LINE, PLANE], ids=["1-D", "2-D"])
def test_points_are_counted_before_they_are_placed(box, sampling):
    points = Collocation(interior=123, initial=41, boundary=29, sampling=sampling)
    placed = points.place(box, (0.0, 1.0), np.random.default_rng(0))
    faces = {len(face) for pair in placed.pairs for face in pair}
    assert points.counts(box.dimension) == (len(placed.interior), len(placed.initial), *faces)
