# SPDX-License-Identifier: MIT
"""Cells of the plane: areas, lengths and the divergence theorem on cut boxes, orthonormal functions, exact splits, small pieces, regions, files."""

import numpy as np
import pytest

import lrfm
from lrfm.adapt.plane_moved import Moved
from lrfm.discretize.options import PLANE
from lrfm.problem.algebra import Symbol
from lrfm.problem.shapes.levels import Level
from lrfm.spaces.cells.plane.mesh import PlaneMesh
from lrfm.spaces.cells.plane.outline import Outline
from lrfm.spaces.cells.plane.rules import rules
from lrfm.spaces.cells.plane.space import PlaneCells
from lrfm.spaces.cells.plane.stored import frame_from, frame_record

ELL = lrfm.Polygon([(0, 0), (0, -1), (-1, -1), (-1, 1), (1, 1), (1, 0)])
SHAPES = {
    "disk": lrfm.Disk(),
    "annulus": lrfm.Annulus(radii=(0.4, 1)),
    "ell": ELL,
    "turned": ELL.rotated(0.3),
    "triangle": lrfm.Polygon([(0, 0), (1, 0), (0.5, 3**0.5 / 2)]),
    "bowl": lrfm.Region("x**2 + 4*y**2 < 1 and y > -0.3", x=(-1, 1), y=(-1, 1), names=["rim", "floor"]),
    "lens": lrfm.Disk(center=(0.5, 0)) & lrfm.Disk(center=(-0.5, 0)),
    "plate": lrfm.Box(x=(-2, 2), y=(-1, 1)) - lrfm.Disk(center=(0.3, 0), radius=0.4, name="hole"),
    "box": lrfm.Box(x=(0, 1), y=(0, 2)),
}


def outline(shape, dividers=()):
    return Outline(shape.shape, PLANE, dividers)


def boxes(found, grid=(6, 6), shift=0.0):
    extent = found.high - found.low
    return PlaneMesh.of(found.low - shift * extent, found.high + 0.6 * shift * extent, grid)


def cells(shape, degree=5, grid=(6, 6), shift=0.037, dividers=()):
    found = outline(shape, dividers)
    return PlaneCells(found, boxes(found, grid, shift), degree)


@pytest.mark.parametrize("shift", [0.0, 0.037], ids=["aligned", "shifted"])
@pytest.mark.parametrize("name", SHAPES)
def test_cut_boxes_have_the_area_and_the_sides_of_the_domain(name, shift):
    shape = SHAPES[name].shape
    found = outline(shape)
    mesh = boxes(found, (8, 8), shift)
    leaves, _, volume, faces, _ = rules(found, mesh, 10)
    area = volume.weights.sum() + np.prod(mesh.widths[leaves], axis=1).sum()
    assert area == pytest.approx(shape.measure(), rel=1e-9)  # ten points on boxes as wide as the hole
    outside = faces.right[:, 0] < 0
    for number, part in enumerate(shape.parts.values()):
        mine = outside & (faces.part == number)
        assert faces.weights[mine].sum() == pytest.approx(part.measure(), rel=1e-8)
    # ∮ (x³, y³)·n ds = ∫ 3 (x² + y²) dx
    p, w, n = faces.points[outside], faces.weights[outside], faces.normals[outside]
    flux = np.sum(w[..., None] * n * p**3)
    inside = np.sum(volume.weights * np.sum(3 * volume.points**2, axis=-1))
    a, b = mesh.boxes[leaves][:, [0, 2]], mesh.boxes[leaves][:, [1, 3]]
    inside += np.sum((b**3 - a**3) * (b - a)[:, ::-1])
    assert flux == pytest.approx(inside, rel=1e-8)


def test_functions_are_orthonormal_and_hold_polynomials():
    space = cells(SHAPES["plate"])
    for batch in space.batches:
        product = np.matmul(np.swapaxes(batch.values, 1, 2) * batch.weights[:, None, :], batch.values)
        assert np.abs(product - np.eye(space.functions)).max() < 1e-10
    cubic = lambda x: np.stack([x[:, 0] ** 3 * x[:, 1] ** 2 - x[:, 1] + 2])  # noqa: E731
    found = space.project(cubic)
    places = np.random.default_rng(0).uniform((-2, -1), (2, 1), (400, 2))
    places = places[SHAPES["plate"].contains(places)]
    assert np.abs(space.values(found, places) - cubic(places)).max() < 1e-9
    assert np.sum(space.areas) == pytest.approx(8 - 0.16 * np.pi, rel=1e-10)


def test_small_pieces_join_a_neighbor():
    space = cells(lrfm.Disk(), grid=(7, 7))
    whole = np.prod(space.mesh.widths[0])
    assert len(space.pieces) > space.size
    assert space.areas.min() > PLANE.small * whole


def test_splitting_is_exact_and_what_is_not_split_is_kept():
    space = cells(lrfm.Disk(), grid=(5, 5), shift=0.0)
    marked = np.zeros(space.mesh.leaves, dtype=bool)
    marked[12] = True
    finer = PlaneCells(space.outline, space.mesh.split(marked), space.degree)
    smooth = lambda x: np.stack([np.exp(x[:, 0]) * np.cos(2 * x[:, 1])])  # noqa: E731
    before = space.project(smooth)
    move = Moved(space, finer)
    after = move(before)
    assert 0 < np.sum(move.fresh) < finer.size
    places = np.random.default_rng(0).uniform(-0.7, 0.7, (300, 2))
    assert np.abs(finer.values(after, places) - space.values(before, places)).max() < 1e-11


def test_a_tree_is_balanced_and_found_again():
    mesh = PlaneMesh.of(np.zeros(2), np.ones(2), (2, 2))
    for _ in range(5):
        mesh = mesh.split(mesh.locate(np.array([[0.51, 0.51]])) == np.arange(mesh.leaves))
    assert np.prod(mesh.widths, axis=1).sum() == pytest.approx(1)
    assert not mesh._coarse().any()
    places = np.random.default_rng(0).random((200, 2))
    own = mesh.boxes[mesh.locate(places)]
    assert np.all((own[:, 0] <= places[:, 0]) & (places[:, 0] <= own[:, 1]))
    joined = mesh.join(np.ones(mesh.leaves, dtype=bool))
    assert joined.leaves < mesh.leaves
    assert np.prod(joined.widths, axis=1).sum() == pytest.approx(1)


def stretched(found, times=6, seed=0):
    """Boxes that were halved along random axes, towards the left side and elsewhere."""
    rng, mesh = np.random.default_rng(seed), boxes(found, (3, 3), 0.037)
    for _ in range(times):
        marked = rng.random((mesh.leaves, 2)) < 0.1
        marked[mesh.boxes[:, 0] < found.low[0] + 0.1, 0] = True
        mesh = mesh.split(marked)
    return mesh


def test_boxes_are_halved_along_one_axis():
    mesh = stretched(outline(lrfm.Disk()))
    assert np.prod(mesh.widths, axis=1).sum() == pytest.approx(np.prod(mesh.high - mesh.low))
    assert mesh.widths[:, 0].min() < 0.02 * mesh.widths[:, 1].max()
    assert not mesh._coarse().any()  # neighbors differ by a factor of two along each axis
    middles = 0.5 * (mesh.boxes[:, 0::2] + mesh.boxes[:, 1::2])
    assert np.array_equal(mesh.locate(middles), np.arange(mesh.leaves))
    # Brute force: of all pairs that touch.
    low, high, level = mesh.boxes[:, 0::2], mesh.boxes[:, 1::2], mesh.level
    overlap = np.minimum(high[:, None], high) - np.maximum(low[:, None], low)
    touch = np.all(overlap > -1e-12, axis=2) & (np.sum(np.abs(overlap) < 1e-12, axis=2) == 1)
    assert np.abs(level[:, None] - level)[touch].max() <= 1
    both = mesh.join(np.ones(level.shape, dtype=bool))
    assert both.leaves < mesh.leaves
    assert np.prod(both.widths, axis=1).sum() == pytest.approx(np.prod(mesh.high - mesh.low))


@pytest.mark.parametrize("name", ["disk", "turned", "plate"])
def test_stretched_boxes_are_cut_by_the_boundary(name):
    shape = SHAPES[name].shape
    found = outline(shape)
    mesh = stretched(found, 5)
    leaves, _, volume, faces, _ = rules(found, mesh, 10)
    area = volume.weights.sum() + np.prod(mesh.widths[leaves], axis=1).sum()
    assert area == pytest.approx(shape.measure(), rel=1e-8)
    length = faces.weights[faces.right[:, 0] < 0].sum()
    assert length == pytest.approx(sum(part.measure() for part in shape.parts.values()), rel=1e-7)
    frame = PlaneCells(found, mesh, 3).frame
    again = frame_from(**frame_record(frame))
    places = np.random.default_rng(1).uniform(-0.5, 0.5, (50, 2))
    assert np.array_equal(again.locate(places), frame.locate(places))


def test_cells_end_at_dividing_lines():
    x, y = Symbol("x"), Symbol("y")
    circle = Level(0.09 - (x - 0.1) ** 2 - y**2, ("x", "y"))
    space = cells(lrfm.Disk(), dividers=[circle])
    step = lambda p: np.stack([np.where(circle.values(p) > 0, 7.0, -1.0)])  # noqa: E731
    found = space.project(step)
    places = np.random.default_rng(0).uniform(-0.7, 0.7, (500, 2))
    assert np.abs(space.values(found, places) - step(places)).max() < 1e-9
    mean = np.sum(space.shares * found[0, :, 0])
    assert mean == pytest.approx((7 * 0.09 * np.pi - (np.pi - 0.09 * np.pi)) / np.pi, rel=1e-9)


def test_a_file_keeps_cells():
    x, y = Symbol("x"), Symbol("y")
    space = cells(lrfm.Disk(), dividers=[Level(x - 0.3 * y, ("x", "y"))])
    again = frame_from(**frame_record(space.frame))
    places = np.random.default_rng(0).uniform(-0.7, 0.7, (200, 2))
    assert np.array_equal(again.locate(places), space.frame.locate(places))
    record = frame_record(space.frame) | {"owner": [0]}
    with pytest.raises(ValueError, match="cells do not belong"):
        frame_from(**record)


def test_conics_are_evaluated_together():
    plate = lrfm.Box(x=(-3, 2), y=(-1, 1)) - lrfm.Ellipse(center=(0.3, 0.1), radii=(0.4, 0.2)).rotated(0.4)
    found = outline(plate - lrfm.Region("x**4 + y**4 < 0.01", x=(-1, 1), y=(-1, 1)))
    points = np.random.default_rng(0).uniform(-2, 2, (200, 2))
    level = np.arange(200) % len(found.levels)
    assert 0 < found._conics.known.sum() < len(found.levels)
    for number, own in enumerate(found.levels):
        here = level == number
        np.testing.assert_allclose(found.values(level, points)[here], own.values(points[here]), rtol=1e-12, atol=1e-12)  # fmt: skip
        np.testing.assert_allclose(found.gradients(level, points)[here], own.gradient(points[here]), rtol=1e-12, atol=1e-12)  # fmt: skip


def closed(space):
    """|∮ n| of each cell, relative to the length of its sides: zero, since ∫ ∇1 is."""
    f, inner = space.faces, space.faces.right >= 0
    normals, lengths = np.zeros((space.size, 2)), np.zeros(space.size)
    for cell, among, sign in ((f.left, slice(None), 1), (f.right[inner], inner, -1)):
        np.add.at(normals, cell, sign * (f.weights[..., None] * f.normals).sum(axis=1)[among])
        np.add.at(lengths, cell, f.weights.sum(axis=1)[among])
    return np.linalg.norm(normals, axis=1) / lengths


TOUCHED = {
    "a vertex beside the lowest point": lrfm.Disk() & lrfm.HalfSpace(normal=(1, 0.14), point=(-0.125, 0)),
    "a curve that is traced": lrfm.Region(
        "(x**2 + y**2)**2.5 < (x**2 + y**2)**2 + 0.077*(x**4 - 6*x**2*y**2 + y**4)",
        x=(-1.4, 1.4),
        y=(-1.4, 1.4),
    ),
}


@pytest.mark.parametrize("name", TOUCHED)
def test_every_cell_is_closed_where_curves_touch_sides(name):
    """Boxes are divided at ends of arcs; a curve that touches a side of such a part, or passes it twice beside a corner, ends there, and is not lost."""
    found = outline(TOUCHED[name])
    extent = found.high - found.low
    for n in (3, 5, 8, 13):
        for part in (0.0, 0.14, 0.29):
            low, high = found.low - part * extent / n, found.high + 0.7 * part * extent / n
            space = PlaneCells(found, PlaneMesh.of(low, high, (n, n)), 6)
            assert closed(space).max() < (1e-4 if n > 3 else 1e-3)
