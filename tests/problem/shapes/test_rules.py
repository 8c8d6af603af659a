# SPDX-License-Identifier: MIT
"""Rules against closed forms, and against each other by Gauss' theorem: ∫ div F = ∫ F · n for random smooth F."""

import numpy as np
import pytest
from helpers import thinned

import lrfm

FLOWER = "(x**2+y**2)**3 < (x**2+y**2)**2.5 + 0.3*(x**5 - 10*x**3*y**2 + 5*x*y**4)"  # r < 1 + 0.3 cos 5θ
SHAPES = {
    "disk": (lrfm.Disk(center=(0.3, -0.2), radius=0.7), np.pi * 0.49),
    "ellipse": (lrfm.Ellipse(radii=(1.2, 0.4)).rotated(0.6).shifted(0.1, 0.2), np.pi * 0.48),
    "annulus": (lrfm.Annulus(radii=(0.5, 1.1)), np.pi * (1.21 - 0.25)),
    "sector": (lrfm.Sector(angles=(0.3, 4.1), radius=1.3), 0.5 * 1.69 * 3.8),
    "ell": (lrfm.Polygon([(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]), 3.0),
    "holes": (
        lrfm.Polygon(
            [(0, 0), (3, 0), (3, 2), (0, 2)],
            holes=[[(1, 0.5), (2, 0.5), (1.5, 1.5)], [(0.2, 0.2), (0.5, 0.2), (0.5, 0.5)]],
        ),
        6 - 0.5 - 0.045,
    ),
    "plate": (
        lrfm.Box(x=(-2, 2), y=(-1, 1), name="plate") - lrfm.Disk(center=(0.3, 0), radius=0.4, name="hole"),
        8 - 0.16 * np.pi,
    ),
    "glued": (lrfm.Box(x=(0, 1), y=(0, 1)) | lrfm.Box(x=(1, 2), y=(0, 1)), 2.0),
    "half": (lrfm.Disk() & lrfm.HalfSpace(normal=(0.3, -1)), np.pi / 2),
    "text": (lrfm.Region("x**2 + 4*y**2 < 1", x=(-1, 1), y=(-1, 1)), np.pi / 2),
    "flower": (lrfm.Region(FLOWER, x=(-1.4, 1.4), y=(-1.4, 1.4)), np.pi * (1 + 0.045)),
    "lens": (
        lrfm.Region("x**2 + y**2 < 1 and (x - 1)**2 + y**2 < 1", x=(-1, 2), y=(-1, 1)),
        2 * np.pi / 3 - np.sqrt(3) / 2,
    ),
    "interval": (lrfm.Region("x > 0.25", x=(0, 1)), 0.75),
    "ball": (lrfm.Ball(radius=0.8), 4 / 3 * np.pi * 0.512),
    "ellipsoid": (lrfm.Ellipsoid(radii=(1, 0.5, 0.7)).rotated(0.4, "x"), 4 / 3 * np.pi * 0.35),
    "cylinder": (lrfm.Cylinder(radius=0.6, z=(0, 1.5)), np.pi * 0.36 * 1.5),
    "prism": (lrfm.Prism(lrfm.Polygon([(0, 0), (1, 0), (0, 1)]), z=(0, 2)), 1.0),
}


def flux(shape, n, rng, t=None):
    """∫ div F − ∫ F · n for F = (sin(k · x + a), …), relative to ∫ |div F|."""
    draw = np.random.default_rng(7)
    k, a = draw.normal(size=(shape.dimension, shape.dimension)), draw.random(shape.dimension)
    x, w = shape.quadrature(n, rng, t)
    divergence = sum(k[i, i] * np.cos(x @ k[i] + a[i]) for i in range(shape.dimension))
    out = 0.0
    for part in shape.parts.values():
        p, v, normals = part.quadrature(n // 2, rng, t)
        out += sum(v @ (np.sin(p @ k[i] + a[i]) * normals[:, i]) for i in range(shape.dimension))
    return abs(w @ divergence - out) / (w @ np.abs(divergence))


@pytest.mark.parametrize("seed", thinned([1, None], 2))
@pytest.mark.parametrize("name", SHAPES)
def test_measure_and_the_theorem_of_gauss(name, seed):
    shape, measure = SHAPES[name]
    rng = None if seed is None else np.random.default_rng(seed)
    points, weights = shape.quadrature(1200, rng)
    assert shape.contains(points).all()
    assert (weights > 0).all()
    assert weights.sum() == pytest.approx(measure, rel=1e-8)
    # In space there are only ten nodes along an axis; the flower has details.
    assert flux(shape, 1200, rng) < (1e-3 if name == "flower" else 1e-5 if shape.dimension == 3 else 1e-6)


def test_errors_fall_faster_than_any_power():
    """On a flower given as text, that is on traced curves."""
    shape, _ = SHAPES["flower"]
    errors = [flux(shape, n, None) for n in (300, 1200, 4800)]
    assert errors[1] < 0.1 * errors[0]
    assert errors[2] < 1e-2 * errors[1]


@pytest.mark.slow
def test_draws_differ_and_repeat():
    for shape, _ in SHAPES.values():
        if shape.dimension > 1:
            first, second, again = (shape.quadrature(300, np.random.default_rng(s)).points for s in (1, 2, 1))
            assert first.shape != second.shape or np.abs(first - second).max() > 1e-3
            assert np.array_equal(first, again)


def test_solids_of_several_sets_have_rules_of_low_order():
    cheese = lrfm.Box(x=(-1, 1), y=(-1, 1), z=(-1, 1)) - lrfm.Ball(radius=0.5)
    errors = [abs(cheese.quadrature(n).weights.sum() - (8 - np.pi / 6)) for n in (2000, 50_000)]
    assert errors[1] < 0.02
    assert list(cheese.parts) == ["x-", "x+", "y-", "y+", "z-", "z+", "ball"]
    assert cheese.parts["ball"].measure() == pytest.approx(np.pi)
    points, _, normals = cheese.parts["ball"].quadrature(200)
    assert np.allclose(normals, -points / 0.5)


def test_normals_point_outwards_and_have_length_one():
    for shape, _ in SHAPES.values():
        for part in shape.parts.values():
            points, weights, normals = part.quadrature(40)
            assert np.allclose(np.linalg.norm(normals, axis=1), 1)
            assert weights.sum() == pytest.approx(part.measure(), rel=0.05)
            assert shape.contains(points).all()
            assert shape.contains(points - 1e-4 * normals).mean() > 0.9  # a corner may be near
            assert not shape.contains(points + 1e-4 * normals).any()


def test_corners_have_the_angles_of_a_polygon():
    vertices = np.array([(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)])
    corners = SHAPES["ell"][0].corners
    assert sum(c.angle for c in corners) == pytest.approx((len(vertices) - 2) * np.pi)
    (reentrant,) = [c for c in corners if c.reentrant]
    assert np.allclose(reentrant.point, (1, 1))
    assert reentrant.angle == pytest.approx(1.5 * np.pi)
    assert reentrant.start == pytest.approx(np.pi / 2)
    assert set(reentrant.parts) == {"side3", "side4"}
    assert not SHAPES["disk"][0].corners


@pytest.mark.slow
def test_a_moving_disk_is_where_it_should_be():
    disk = lrfm.Region("(x - t)**2 + y**2 < (1 + t)**2", x=(-3, 4), y=(-3, 3)).during((0, 1))
    for t in (0.0, 0.3, 1.0):
        points, weights = disk.quadrature(500, None, t)
        assert weights.sum() == pytest.approx(np.pi * (1 + t) ** 2)
        assert weights @ points[:, 0] / weights.sum() == pytest.approx(t)
        (part,) = disk.parts.values()
        where, lengths, normals = part.quadrature(100, None, t)
        assert lengths.sum() == pytest.approx(2 * np.pi * (1 + t))
        assert np.allclose(normals, (where - [t, 0]) / (1 + t))
    times = np.array([0.0, 1.0])
    assert disk.contains([[1.5, 0.0], [1.5, 0.0]], times).tolist() == [False, True]


def test_a_box_answers_as_any_domain():
    box = lrfm.Box(x=(0, 2), y=(-1, 1))
    assert box.measure() == 4
    assert flux(box, 400, np.random.default_rng(0)) < 1e-12
    assert {name: part.measure() for name, part in box.parts.items()} == dict.fromkeys(box.faces, 2.0)
    assert [round(c.angle / np.pi, 12) for c in box.corners] == [0.5] * 4
    assert flux(lrfm.Box(x=(0, 1)), 40, None) < 1e-12


def test_many_holes_cost_no_digits():
    plate = lrfm.Box(x=(-8, 8), y=(-12, 12))
    big = [(x, y) for x in (-4, 4) for y in (-9, -3, 3, 9)] + [(0, -6), (0, 0), (0, 6)]
    small = [(x, y) for x in (-3.2, 3.2) for y in (-6, 0, 6)]
    for radius, centers in ((1.0, big), (0.4, small)):
        for center in centers:
            plate = plate - lrfm.Disk(center=center, radius=radius)
    area = 16 * 24 - np.pi * (11 + 6 * 0.4**2)
    assert plate.measure() == pytest.approx(area, rel=1e-12)
    points, weights = plate.quadrature(2000)
    assert np.all(plate.contains(points))
    assert weights.sum() == pytest.approx(area, rel=1e-6)


def test_a_rule_that_is_kept_is_not_changed_by_who_asked_for_it():
    plate = lrfm.Box(x=(-2, 2), y=(-1, 1)) - lrfm.Disk(center=(0.3, 0), radius=0.4)
    first = plate.quadrature(300)
    points = first.points.copy()
    first.points[:] = 0.0
    np.testing.assert_array_equal(plate.quadrature(300).points, points)
    assert not np.array_equal(plate.quadrature(300, np.random.default_rng(0)).points, points)


def test_a_domain_is_read_within_a_limit(monkeypatch):
    monkeypatch.setattr("lrfm.problem.shapes.patience.LONGEST", 0.0)
    waves = lrfm.Region("sin(50*x)*sin(50*y) < 0.1", x=(0, 1), y=(0, 1))
    with pytest.raises(
        lrfm.ProblemError, match="takes more than 0 seconds to read: its boundary has too many pieces"
    ):
        waves.measure()


def test_a_union_of_many_discs_has_the_area_of_its_lenses():
    """Discs of radius r in a row, each meeting the next: n π r² less the lenses 2 r² acos(d/2r) − d √(r² − d²/4)."""
    r, d, n = 0.3, 0.4, 12
    row = lrfm.Disk(center=(0, 0), radius=r)
    for k in range(1, n):
        row = row | lrfm.Disk(center=(d * k, 0), radius=r)
    lens = 2 * r**2 * np.arccos(d / (2 * r)) - d * np.sqrt(r**2 - d**2 / 4)
    area = n * np.pi * r**2 - (n - 1) * lens
    assert row.measure() == pytest.approx(area, rel=1e-12)
    assert row.quadrature(2000).weights.sum() == pytest.approx(area, rel=1e-9)


def test_a_small_piece_far_from_zero_is_a_series():
    """A curve is known to the rounding of its places, 1e-15 of 5 rather than of a chord of 5e-3: Newton's method ends there."""
    region = lrfm.Region("(x - 3)**2 + (y - 5)**2 < 1e-4", x=(2, 4), y=(4, 6))
    pieces = [stretch.curve.curve for stretch in region.stretches(None)]
    assert all(piece._series is not None and len(piece._series.coef) <= 33 for piece in pieces)
    assert region.measure() == pytest.approx(np.pi * 1e-4, rel=1e-11)
