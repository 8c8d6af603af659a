# SPDX-License-Identifier: MIT
"""Cells of the widths h, 2h, … in a box: places, means beyond faces, other cells, and which of them a function needs."""

import numpy as np
import pytest

from lrfm.spaces.cells.graded import graded, moved
from lrfm.spaces.cells.padded import GHOSTS, padded, restricted
from lrfm.spaces.cells.tree import Tree

PERIODIC = [(True, True), (False, False), (True, False)]


def random_tree(periodic, seed: int) -> Tree:
    wide = Tree((0.0, 0.0), (1.0, 2.0), (3, 2), periodic)
    rng = np.random.default_rng(seed)
    return wide.with_blocks([rng.random((3 << k, 2 << k)) < 0.15 for k in range(4)])


@pytest.mark.parametrize("periodic", PERIODIC)
@pytest.mark.parametrize("seed", range(3))
def test_cells_fill_the_box_and_places_find_them(periodic, seed):
    tree = random_tree(periodic, seed)
    assert tree.depth == 3
    assert tree.shares.sum() == pytest.approx(1, rel=1e-13)
    number, place = tree.locate(tree.centers.T)
    assert np.array_equal(number, np.arange(tree.size))
    assert np.max(np.abs(place)) <= 1e-9
    corner = tree.centers + 0.49 * tree.cell_widths
    assert np.array_equal(tree.locate(corner.T)[0], np.arange(tree.size))


@pytest.mark.parametrize("seed", range(3))
def test_blocks_that_touch_differ_by_one_halving(seed):
    tree = random_tree((False, True), seed)
    widths = tree.cell_widths[0]
    for steps in [(1, 0), (0, 1), (1, 1), (1, -1)]:
        beside = tree.centers + 0.51 * np.array(steps)[:, None] * tree.cell_widths
        beside[1] %= 2
        inside = beside[0] <= 1
        other = widths[tree.locate(beside[:, inside].T)[0]]
        assert np.max(np.abs(np.log2(other / widths[inside]))) <= 1 + 1e-12


def test_parabolas_are_met_beyond_faces_of_all_widths():
    tree = random_tree((False, False), 1)
    (x, y), (w, _) = tree.centers, tree.cell_widths
    wide = padded(tree, restricted(tree, (1 + x - 2 * y + x**2 + w**2 / 12)[None]))
    offsets, seen = np.arange(-GHOSTS, tree.side + GHOSTS) + 0.5, 0
    for k, level in enumerate(tree.levels):
        h = tree.widths(k)
        at, up = (h[a] * (level.index[a] * tree.side + offsets[:, None]) for a in (0, 1))
        exact = 1 + at[:, None] - 2 * up[None] + at[:, None] ** 2 + h[0] ** 2 / 12
        # Beyond the ends of the box the last means are repeated.
        inside = (np.abs(at[:, None] - 0.5) < 0.16) & (np.abs(up[None] - 1) < 0.6)
        assert np.max(np.abs(wide[k][0] - exact)[inside], initial=0.0) <= 1e-12
        seen += int(inside.sum())
    assert seen > 1000


@pytest.mark.parametrize("periodic", PERIODIC)
def test_on_other_cells_totals_are_the_same_and_nothing_is_lost_on_narrower_ones(periodic):
    one, two = (random_tree(periodic, seed) for seed in (3, 4))
    means = np.random.default_rng(0).random((2, one.size))
    assert moved(one, two, means) @ two.shares == pytest.approx(means @ one.shares, rel=1e-13)
    blocks = [np.logical_or(*(_blocks(tree, k) for tree in (one, two))) for k in range(one.depth + 1)]
    both = one.with_blocks(blocks)
    assert moved(both, one, moved(one, both, means)) == pytest.approx(means, rel=1e-13)


def _blocks(tree: Tree, level: int) -> np.ndarray:
    return tree.dense(level, np.ones(tree.levels[level].size, dtype=bool))


def of(function, tree: Tree) -> np.ndarray:
    """Means by four points."""
    part = tree.cell_widths / np.sqrt(12)
    ends = [(a, b) for a in (-1, 1) for b in (-1, 1)]
    return sum(function(*(tree.centers + np.array(e)[:, None] * part)) for e in ends)[None] / 4


WIDE = Tree((0.0, 0.0), (1.0, 1.0), (5, 5), (True, True))
DEPTH, BUDGET, PASSED = 4, 1e-3, 2


def following(function) -> Tree:
    """The cells that a function needs, as they are found from the widest ones."""
    tree = WIDE
    for _ in range(DEPTH):
        tree = graded(tree, of(function, tree), DEPTH, BUDGET, PASSED)
    return tree


def test_what_is_smooth_stays_on_wide_cells():
    assert following(lambda x, y: np.sin(2 * np.pi * x) * np.cos(2 * np.pi * y)).depth == 0


def test_a_jump_is_on_the_narrowest_cells_and_nothing_else_is():
    def disc(x, y):
        return np.where((x - 0.5) ** 2 + (y - 0.5) ** 2 < 0.09, 1.0, 0.0)

    tree = following(disc)
    assert tree.depth == DEPTH
    distance = np.abs(np.hypot(*(tree.centers - 0.5)) - 0.3)
    narrow = tree.cell_widths[0] < 1.5 / 640
    # Whatever passes two of them stays on them.
    assert np.all(narrow[distance < 2 / 640])
    # Blocks are halved with those beside them.
    assert not np.any(narrow[distance > (GHOSTS + 2 * np.sqrt(2) * tree.side) / 640])
    assert tree.size < 0.25 * 640**2


def test_what_is_too_steep_is_halved_as_often_as_it_takes_at_once():
    """From wide cells alone, that all agree on how details fall."""
    steep = graded(
        WIDE, of(lambda x, y: np.where((x > 0.3) & (x < 0.7), 1.0, 0.0), WIDE), DEPTH, BUDGET, PASSED
    )
    assert steep.depth == DEPTH
