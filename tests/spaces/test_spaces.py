# SPDX-License-Identifier: MIT
"""What a sampled space promises: its equation, periodicity, reproducible draws, tiles that do not show."""

from dataclasses import fields, is_dataclass

import numpy as np
import pytest

from lrfm.spacetime.features import PIELM, STC, Frozen, Liquid, SoV
from lrfm.spacetime.features.workspace import Workspace
from lrfm.spacetime.least_squares.backends import NumPy

LINE = (("x",), [-1.0], [1.0], (False,), (0.2, 0.7))
RING = (("x",), [-1.0], [1.0], (True,), (0.2, 0.7))
PLANE = (("x", "y"), [-1.0, 0.0], [1.0, 3.0], (False, True), (0.0, 1.0))
CONFIGURATIONS = {
    "global": Liquid(features=70),
    "local": Liquid(per_patch=20, patches=3),
    "drift": Liquid(features=11, drift=(0.0, 1.0)),
    "oscillation": Liquid(features=71, oscillation=(0.0, 5.0)),
    "oscillation local": Liquid(per_patch=9, patches=2, oscillation=(0.0, 5.0), drift=(-1.0, 1.0)),
    "sov": SoV(per_patch=5, patches=2),
    "stc": STC(features=7),
    "pielm": PIELM(features=7),
    "frozen": Frozen(Liquid(features=7)),
}


def sample(config, box=LINE, seed=0):
    return config.sample(*box, np.random.default_rng(seed))


def scatter(box, count=40, seed=9):
    _, lower, upper, _, window = box
    low, high = np.array([*lower, window[0]]), np.array([*upper, window[1]])
    return low + (high - low) * np.random.default_rng(seed).random((count, len(low)))


def test_liquid_equation():
    """∂ₜφ = −α φ + f A and φ = h at the start of the window. Paper, eq:ltc-feature."""
    space = sample(Liquid(features=30, gate=2.0))
    core, points = space.patches[0].core, scatter(LINE)
    jets = space.jets(points, [(0, 0), (0, 1)])
    x = points[:, :1]
    f = 2.0 * np.tanh(x * core.gate_ridge.weights[:, 0] + core.gate_ridge.biases)
    right = -(core.rates + f) * jets[0, 0] + f * core.amplitudes
    np.testing.assert_allclose(jets[0, 1], right, rtol=0, atol=1e-13 * np.abs(right).max())
    points[:, -1] = LINE[-1][0]
    start = np.tanh(x * core.start_ridge.weights[:, 0] + core.start_ridge.biases)
    np.testing.assert_allclose(space.jets(points, [(0, 0)])[0, 0], start, rtol=0, atol=1e-15)


@pytest.mark.parametrize(
    "config",
    [
        Liquid(features=20),
        Liquid(features=20, drift=(-3.0, 3.0), profile="sine"),
        Liquid(per_patch=8, patches=2),
        Liquid(per_patch=8, patches=5, drift=(-1.0, 1.0)),
        SoV(features=9),
        STC(per_patch=9, patches=3),
    ],
)
def test_periodic_with_all_derivatives(config):
    orders = [(k, m) for k in range(5) for m in range(2)]
    t = np.array([0.2, 0.41, 0.7])
    left, right = (
        sample(config, RING).jets(np.column_stack([np.full(3, x), t]), orders) for x in (-1.0, 1.0)
    )
    for order in orders:
        scale = max(1.0, np.abs(left[order]).max())
        np.testing.assert_allclose(left[order], right[order], rtol=0, atol=1e-12 * scale)


def test_rows_are_not_periodic():
    points = np.array([[-1.0, 0.5], [1.0, 0.5]])
    values = sample(Liquid(features=20, periodic="rows"), RING).jets(points, [(0, 0)])[0, 0]
    assert np.abs(values[0] - values[1]).max() > 0.1


def test_cosine_has_no_normal_derivative():
    points = np.array([[-1.0, 0.5], [1.0, 0.5]])
    jets = sample(Liquid(features=20, cosine=("x",))).jets(points, [(1, 0), (3, 0), (2, 0)])
    assert max(np.abs(jets[1, 0]).max(), np.abs(jets[3, 0]).max()) < 1e-13 * np.abs(jets[2, 0]).max()


@pytest.mark.parametrize("name", CONFIGURATIONS)
@pytest.mark.parametrize("box", [LINE, PLANE])
def test_values_are_jets_times_coefficients(name, box):
    space, points = sample(CONFIGURATIONS[name], box), scatter(box)
    axes = len(box[0])
    order = (1,) + (0,) * (axes - 1) + (0,)
    matrix = space.jets(points, [order])[order]
    assert matrix.shape == (len(points), space.size)
    c = np.random.default_rng(1).standard_normal((space.size, 2))
    np.testing.assert_allclose(space.values(points, order, c), matrix @ c, rtol=0, atol=1e-12)
    np.testing.assert_allclose(space.values(points, order, c[:, 0]), matrix @ c[:, 0], rtol=0, atol=1e-12)
    assert space.values(points[:0], order, c).shape == (0, 2)


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_tiles_do_not_show(name):
    space, points, orders = (
        sample(CONFIGURATIONS[name], PLANE),
        scatter(PLANE),
        [(0, 0, 0), (2, 0, 0), (0, 1, 1)],
    )
    whole = space.jets(points, orders)
    tiled = space.jets(points, orders, NumPy(tile=(4, 7)))
    for order in orders:
        scale = max(np.abs(whole[order]).max(), 1.0)
        np.testing.assert_allclose(tiled[order], whole[order], rtol=0, atol=4e-15 * scale)


def test_orders_do_not_change_each_other():
    space, points = sample(Liquid(per_patch=5, patches=3)), scatter(LINE)
    orders = [(0, 0), (1, 0), (2, 1), (0, 2), (4, 0)]
    together = space.jets(points, orders)
    for order in orders:
        scale = np.abs(together[order]).max()
        np.testing.assert_allclose(
            space.jets(points, [order])[order], together[order], rtol=0, atol=1e-13 * scale
        )


def test_local_functions_vanish_outside_their_patch():
    space = sample(Liquid(per_patch=4, patches=4))
    values = space.jets(np.array([[-0.9, 0.5], [0.9, 0.5]]), [(0, 0), (2, 1)])
    for matrix in values.values():
        assert np.all(matrix[0, 4:] == 0.0)
        assert np.all(matrix[1, :12] == 0.0)
        assert np.all(matrix[0, :4] != 0.0)


def test_common_random_numbers():
    """Changing scales rescales the same draws."""
    first = sample(Liquid(features=50)).patches[0].core
    second = (
        sample(
            Liquid(
                features=50,
                weights=6.0,
                biases=2.0,
                tau=(0.5, 200.0),
                gate=3.0,
                amplitude=2.0,
                profile="sine",
            )
        )
        .patches[0]
        .core
    )
    np.testing.assert_allclose(second.gate_ridge.weights, 3.0 * first.gate_ridge.weights, rtol=1e-15)
    np.testing.assert_allclose(second.start_ridge.biases, 2.0 * first.start_ridge.biases, rtol=1e-15)
    np.testing.assert_allclose(second.rates, 0.1 * first.rates, rtol=1e-14)
    np.testing.assert_allclose(second.amplitudes, 2.0 * first.amplitudes, rtol=1e-15)
    moving = sample(Liquid(features=50, drift=(0.0, 2.0), centers=1.1)).patches[0].core
    np.testing.assert_array_equal(moving.core.gate_ridge.weights, first.gate_ridge.weights)
    ring = sample(Liquid(features=50), RING).patches[0].core
    np.testing.assert_array_equal(ring.gate_ridge.weights[:, :1], first.gate_ridge.weights)


def test_the_generator_is_left_in_the_same_state():
    """So that whatever is drawn next does not depend on the settings either."""
    states = set()
    for config in [Liquid(features=9), Liquid(features=9, drift=(0, 1), oscillation=(0, 1), centers=2.0)]:
        rng = np.random.default_rng(3)
        config.sample(*LINE, rng)
        states.add(rng.random())
    assert len(states) == 1


def test_larger_space_contains_the_smaller():
    small, large = (sample(Liquid(features=n)).patches[0].core.rates for n in (20, 50))
    assert set(small) <= set(large)


def test_sampling_law():
    core = sample(Liquid(features=4000, weights=3.0, biases=0.5, tau=(0.1, 10.0))).patches[0].core
    tau = 1.0 / core.rates / 0.5
    assert 0.1 <= tau.min() < 0.11
    assert 9.0 < tau.max() <= 10.0
    assert abs(np.log10(tau).mean()) < 0.05
    for ridge in (core.gate_ridge, core.start_ridge):
        assert 2.9 < np.abs(ridge.weights).max() <= 3.0
        assert 0.49 < np.abs(ridge.biases).max() <= 0.5
    assert 0.99 < np.abs(core.amplitudes).max() <= 1.0
    assert np.corrcoef(core.gate_ridge.weights[:, 0], core.start_ridge.weights[:, 0])[0, 1] < 0.1


@pytest.mark.parametrize("box", [LINE, RING])
def test_ridges_pass_through_their_centers(box):
    centers = np.array([[-0.3], [0.55]])
    core = sample(Liquid(features=40, centers=centers), box).patches[0].core
    for ridge in (core.gate_ridge, core.start_ridge):
        towers = [core.charts[0].tower(centers[:, 0], 0)]
        work = Workspace()
        work.begin(40, 2)
        s = np.abs(ridge.argument(towers, work))
        assert s.min(axis=1).max() < 1e-15
        assert set(s.argmin(axis=1)) == {0, 1}


def test_chords_vanish_at_two_centers_and_are_steeper_where_these_gather():
    low, length = RING[1][0], RING[2][0] - RING[1][0]
    centers = low + length * np.array([0.05, 0.40, 0.41, 0.42, 0.43, 0.44, 0.45, 0.8])[:, None]
    core = sample(Liquid(features=600, weights=2.0, centers=centers, chords=True), RING).patches[0].core
    offsets = centers[:, 0] - core_center(RING)
    for ridge in (core.gate_ridge, core.start_ridge):
        work = Workspace()
        work.begin(600, len(centers))
        s = ridge.argument([core.charts[0].tower(offsets, 0)], work).copy()
        assert (np.sort(np.abs(s), axis=1)[:, 1] < 1e-12).sum() > 500  # both ends, unless they coincide
        theta = 2 * np.pi * offsets / length
        slope = np.abs(-ridge.weights[:, :1] * np.sin(theta) + ridge.weights[:, 1:] * np.cos(theta))
        steep = np.where(np.abs(s) < 1e-12, slope, np.nan)
        assert np.nanmean(steep[:, 3]) > 1.3 * np.nanmean(steep[:, 0])  # both ends of a chord are as steep


def core_center(box):
    return 0.5 * (box[1][0] + box[2][0])


def test_scaled_centers():
    core = sample(Liquid(features=2000, centers=1.5)).patches[0].core
    zeros = -core.gate_ridge.biases / core.gate_ridge.weights[:, 0]
    assert 1.45 < np.abs(zeros).max() < 1.5 + 1e-9


def test_centers_of_a_local_space_lie_in_its_patches():
    space = sample(Liquid(per_patch=30, patches=2, centers=np.array([[-0.9], [0.1], [0.9]])))
    for patch, allowed in zip(space.patches, ([-0.9, 0.1], [0.1, 0.9]), strict=True):
        core = patch.core
        zeros = (
            -core.gate_ridge.biases / core.gate_ridge.weights[:, 0] * core.charts[0].scale
            + patch.frame.center[0]
        )
        assert np.abs(zeros[:, None] - allowed).min(axis=1).max() < 1e-12


def test_oscillation_counts_real_columns():
    for count in (1, 2, 7, 8):
        assert sample(Liquid(features=count, oscillation=(0.0, 1.0))).size == count


def test_frozen():
    liquid, points = Liquid(features=9, gate=3.0), scatter(LINE)
    frozen = sample(Frozen(liquid)).jets(points, [(0, 0), (2, 0), (0, 1), (1, 2)])
    points[:, -1] = LINE[-1][0]
    start = sample(liquid).jets(points, [(0, 0), (2, 0)])
    np.testing.assert_array_equal(frozen[0, 0], start[0, 0])
    np.testing.assert_array_equal(frozen[2, 0], start[2, 0])
    assert np.all(frozen[0, 1] == 0.0)
    assert np.all(frozen[1, 2] == 0.0)


def test_pielm_is_global_stc():
    points = scatter(LINE)
    first, second = (sample(c).jets(points, [(1, 1)])[1, 1] for c in (PIELM(features=5), STC(features=5)))
    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_spaces_are_plain_frozen_data(name):
    def visit(value):
        if is_dataclass(value):
            assert type(value).__dataclass_params__.frozen
            return [leaf for field in fields(value) for leaf in visit(getattr(value, field.name))]
        return [leaf for v in value for leaf in visit(v)] if isinstance(value, tuple) else [value]

    for leaf in visit(sample(CONFIGURATIONS[name], PLANE)):
        assert isinstance(leaf, np.ndarray | float | int | bool | str)
        assert not isinstance(leaf, np.ndarray) or not leaf.flags.writeable


def test_wrong_arrays_are_refused():
    space = sample(Liquid(features=5))
    with pytest.raises(
        ValueError, match=r"shape \(3, 3\); this space has 1 axes and time: .*\(N, 2\), time last"
    ):
        space.jets(np.zeros((3, 3)), [(0, 0)])
    with pytest.raises(ValueError, match=r"order \(0, 0, 1\) is not a derivative on 1 axes and time"):
        space.jets(np.zeros((3, 2)), [(0, 0, 1)])
    with pytest.raises(ValueError, match=r"`coefficients` has shape \(4,\); this space has 5 functions"):
        space.values(np.zeros((3, 2)), (0, 0), np.zeros(4))
