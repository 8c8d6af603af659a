# SPDX-License-Identifier: MIT
"""Cells of space: volumes, areas and the divergence theorem on cut boxes, orthonormal functions, small pieces, parts, regions, files."""

import numpy as np
import pytest

import lrfm
from lrfm.adapt.plane import Moved
from lrfm.discretize.options import PLANE
from lrfm.problem.algebra import Symbol
from lrfm.problem.shapes.levels import Level
from lrfm.spaces.cells.plane.mesh import PlaneMesh
from lrfm.spaces.cells.plane.solid import Solid
from lrfm.spaces.cells.plane.solid_rules import solid_rules
from lrfm.spaces.cells.plane.space import PlaneCells
from lrfm.spaces.cells.plane.stored import frame_from, frame_record

CUBE = lrfm.Box(x=(-1, 1), y=(-1, 1), z=(-1, 1), name="cube")
ROOT = np.sqrt(3.0)
# Each with its volume, its area, and what seven points along a direction leave of them.
SHAPES = {
    "ball": (lrfm.Ball(), 4 / 3 * np.pi, 4 * np.pi, 1e-6),
    "cheese": (CUBE - lrfm.Ball(radius=0.5, name="hole"), 8 - np.pi / 6, 24 + np.pi, 1e-6),
    "cylinder": (lrfm.Cylinder(radius=1, z=(0, 1)), np.pi, 4 * np.pi, 1e-6),
    "cap": (
        lrfm.Ball() & lrfm.Box(x=(-2, 2), y=(-2, 2), z=(0.1, 2)),
        np.pi * 0.81 * 2.1 / 3,
        2 * np.pi * 0.9 + np.pi * 0.99,
        1e-6,
    ),
    # At its rim no axis is steep for both spheres in boxes of any size.
    "lens": (lrfm.Ball() & lrfm.Ball(center=(0, 0, 0.8)), 0.48 * np.pi * 1.2, 2.4 * np.pi, 1e-5),
    "cigar": (
        lrfm.Region("x**2/4 + y**2 + z**2 < 1", x=(-2, 2), y=(-1, 1), z=(-1, 1)),
        8 / 3 * np.pi,
        2 * np.pi * (1 + 4 / ROOT * np.arcsin(ROOT / 2)),
        1e-6,
    ),
    "turned": (CUBE.shape.rotated(0.3).rotated(0.4, axis="x"), 8, 24, 1e-5),
}


def boxes(found, grid=4, shift=0.0):
    extent = found.high - found.low
    return PlaneMesh.of(found.low - shift * extent, found.high + 0.6 * shift * extent, (grid,) * 3)


def cells(shape, degree=3, grid=3, shift=0.037, dividers=()):
    found = Solid(shape.shape, PLANE, dividers)
    return PlaneCells(found, boxes(found, grid, shift), degree)


@pytest.mark.parametrize("name", SHAPES)
def test_cut_boxes_have_the_volume_and_the_area_of_the_domain(name):
    shape, volume, area, error = SHAPES[name]
    found = Solid(shape.shape, PLANE)
    for shift in (0.0, 0.037) if error < 1e-5 else (0.037,):
        mesh = boxes(found, 4 if error < 1e-5 else 2, shift)
        leaves, _, rule, faces, _ = solid_rules(found, mesh, 7)
        inside = rule.weights.sum() + np.prod(mesh.widths[leaves], axis=1).sum()
        assert inside == pytest.approx(volume, rel=error)
        outer = faces.right[:, 0] < 0
        assert faces.weights[outer].sum() == pytest.approx(area, rel=10 * error)
        assert np.all(faces.part[outer] >= 0)
        assert np.all(rule.weights >= 0)


def test_rules_of_smooth_surfaces_converge_with_their_points():
    found = Solid(lrfm.Ball(), PLANE)
    errors = []
    for count in (4, 6, 8):
        leaves, _, rule, _, _ = solid_rules(found, mesh := boxes(found, 4, 0.037), count)
        inside = rule.weights.sum() + np.prod(mesh.widths[leaves], axis=1).sum()
        errors.append(abs(inside - 4 / 3 * np.pi))
    assert errors[1] < 0.05 * errors[0]
    assert errors[2] < 0.05 * errors[1]


@pytest.mark.parametrize("name", ["ball", "cheese"])
def test_the_divergence_theorem_holds_in_every_cell(name):
    """∮ F·n = ∫ div F for F = (x², yz, x − z)."""
    space = cells(SHAPES[name][0], degree=3, grid=5)
    f = space.faces
    x, y, z = np.moveaxis(f.points, -1, 0)
    flux = f.weights * np.sum(f.normals * np.stack([x * x, y * z, x - z], axis=-1), axis=-1)
    total = np.bincount(f.left, flux.sum(axis=1), space.size)
    total -= np.bincount(f.right[space.inner], flux[space.inner].sum(axis=1), space.size)
    inside = np.zeros(space.size)
    for batch in space.batches:
        divergence = 2 * batch.points[..., 0] + batch.points[..., 2] - 1
        inside[batch.cells] = space.areas[batch.cells] * np.sum(batch.weights * divergence, axis=1)
    assert np.abs(total - inside).max() < 1e-5


def test_functions_are_orthonormal_and_hold_polynomials():
    space = cells(SHAPES["cheese"][0], degree=3, grid=4)
    for batch in space.batches:
        gram = np.matmul(np.swapaxes(batch.values, 1, 2), batch.weights[..., None] * batch.values)
        assert np.abs(gram - np.eye(space.functions)).max() < 1e-12
    rng = np.random.default_rng(1)
    places = rng.uniform(-1, 1, (200, 3))
    places = places[space.outline.shape.contains(places)]
    cubic = lambda p: (p[:, 0] ** 2 * p[:, 2] - p[:, 1] * p[:, 0] + 2)[None]  # noqa: E731
    assert space.values(space.project(cubic), places) == pytest.approx(cubic(places), abs=1e-11)


def test_small_pieces_go_with_a_neighbor_and_split_cells_keep_functions():
    space = cells(lrfm.Ball(), degree=3, grid=4)
    leaf = space.pieces >> 8
    assert space.size < len(space.pieces)
    assert np.min(space.areas) > PLANE.small * np.prod(space.mesh.widths[leaf[0]])
    marked = np.zeros(space.mesh.leaves, dtype=bool)
    marked[leaf[3]] = True
    finer = PlaneCells(space.outline, space.mesh.split(marked), 3)
    function = lambda p: (p[:, 0] ** 3 + p[:, 1] * p[:, 2])[None]  # noqa: E731
    assert Moved(space, finer)(space.project(function)) == pytest.approx(finer.project(function), abs=1e-11)
    joined = finer.mesh.join(finer.mesh.level > 0)
    assert joined.leaves == space.mesh.leaves


def test_surfaces_inside_divide_cells():
    """A sphere inside of a cube: both regions have their volumes, and faces between them its area."""
    x, y, z = (Symbol(name) for name in "xyz")
    space = cells(CUBE, degree=3, grid=3, dividers=[Level(x**2 + y**2 + z**2 - 0.49, "xyz")])
    region = np.zeros(space.size, dtype=int)
    region[space.owner] = space.pieces & 255
    inner = 4 / 3 * np.pi * 0.343
    assert space.areas[region == 0].sum() == pytest.approx(inner, rel=1e-4)
    assert space.areas.sum() == pytest.approx(8.0, rel=1e-6)
    f = space.faces
    between = (f.right >= 0) & (region[f.left] != region[f.right])
    assert f.weights[between].sum() == pytest.approx(4 * np.pi * 0.49, rel=1e-3)


def test_cells_are_kept_in_files():
    space = cells(SHAPES["cheese"][0], degree=2)
    record = frame_record(space.frame)
    again = frame_from(**record)
    places = np.array([[0.7, 0.2, -0.1], [-0.9, 0.9, 0.3]])
    assert np.array_equal(again.locate(places), space.frame.locate(places))
    cell = again.locate(places)
    assert np.array_equal(again.table(cell, places), space.frame.table(cell, places))
    with pytest.raises(ValueError, match="boxes are missing"):
        frame_from(**(record | {"index": record["index"][:-1]}))
