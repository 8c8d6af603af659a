# SPDX-License-Identifier: MIT
"""Statements on domains: names of parts, normals in rows, tables in files, and sentences about what is wrong."""

import pickle

import numpy as np
import pytest

import lrfm
from lrfm.problem import Jet, ProblemError
from lrfm.problem.file import parse
from lrfm.problem.shapes.records import from_record

PLATE = lrfm.Box(x=(-2, 2), y=(-1, 1), name="plate") - lrfm.Disk(center=(0.3, 0), radius=0.4, name="hole")


def state(boundary, domain=PLATE, **more):
    given = {"time": (0, 1), "initial": "0"} | more
    return lrfm.Problem("u_t = lap(u)", domain=domain, boundary=boundary, **given)


def test_names_of_parts_groups_and_all_others():
    problem = state({"hole": "u = 1", "plate.x-": "u = 0", "plate.x": "u = 2", "*": ["u_n = 0"]})
    sources = {name: float(rows[0].source_part) for name, rows in problem.face_rows.items()}
    assert sources == {"plate.x-": 0, "plate.x+": -2, "plate.y-": 0, "plate.y+": 0, "hole": -1}
    assert state({"plate": None, "hole": "u = 0"}).face_rows["plate.y+"] == ()


def test_normal_and_tangential_derivatives():
    problem = state({"hole": ["u_n = 0", "u_s = 0", "u_nn = 0"], "plate": None})
    points, _, normals = PLATE.parts["hole"].quadrature(12)
    at = np.column_stack([points, np.zeros(len(points))])
    x, y = points.T
    jets = {(1, 0): 2 * x * y, (0, 1): x**2 + 3 * y**2, (2, 0): 2 * y, (1, 1): 2 * x, (0, 2): 6 * y}
    n, s = normals.T, np.array([-normals[:, 1], normals[:, 0]])
    gradient = np.array([jets[1, 0], jets[0, 1]])
    second = sum(
        n[i] * n[j] * jets[k] for i, j, k in ((0, 0, (2, 0)), (0, 1, (1, 1)), (1, 0, (1, 1)), (1, 1, (0, 2)))
    )
    for row, wanted in zip(
        problem.face_rows["hole"], [(n * gradient).sum(0), (s * gradient).sum(0), second], strict=True
    ):
        values = {jet: jets[jet.index[:2]] for jet in row.jets}
        assert np.allclose(row.residual(at, values), wanted)
        assert row.stationary


def test_an_axis_called_s_is_not_the_tangent():
    problem = lrfm.Problem(
        "u_t = u_ss", domain=lrfm.Box(s=(0, 1)), time=(0, 1), initial="0", boundary="u_s = 0"
    )
    assert problem.face_rows["s+"][0].jets == (Jet("u", (1, 0)),)


def test_a_part_is_cut_out_by_inequalities():
    duct = PLATE.part("inlet", "x < -1.99 and abs(y) < 0.2")
    assert duct.parts["inlet"].measure() == pytest.approx(0.4)
    assert sum(p.measure() for n, p in duct.parts.items() if n.startswith("plate.x-")) == pytest.approx(1.6)
    around = lrfm.Disk(name="rim").part("warm", "y > 0.5")
    assert around.parts["warm"].measure() == pytest.approx(2 * np.pi / 3)
    corner = lrfm.Box(x=(0, 1), y=(0, 1)).part("corner", "x < 0.1 and y < 0.3")
    assert set(corner.groups["corner"]) == {"corner.1", "corner.2"}
    assert sum(corner.parts[p].measure() for p in corner.groups["corner"]) == pytest.approx(0.4)


@pytest.mark.parametrize(
    "shape",
    [
        PLATE,
        PLATE.part("inlet", "x < -1.99"),
        lrfm.Polygon([(0, 0), (1, 0), (1, 2)], names=["floor", "wall", "roof"]).rotated(0.2).scaled(2),
        lrfm.Region("x**2 + a*y**2 < 1", x=(-1, 1), y=(-1, 1), parameters={"a": 4}, names=["rim"]),
        lrfm.Prism(lrfm.Disk(name="wall"), z=(0, 1)) | lrfm.Ball(radius=0.4).shifted(0, 0, 1),
        lrfm.Cylinder(radius=0.5, h=(0, 1)),
        lrfm.Sector(angles=(0, 2)) & lrfm.HalfSpace(normal=(1, 1), point=(0.2, 0)),
        lrfm.Annulus(radii=(1, 2), name="ring") - lrfm.Ellipse(center=(1.5, 0), radii=(0.2, 0.1)),
    ],
    ids=repr,
)
def test_a_shape_is_made_again_from_its_record(shape):
    for other in (from_record(shape.record), pickle.loads(pickle.dumps(shape))):
        assert other == shape
        assert list(other.parts) == list(shape.parts)
        points = np.random.default_rng(0).uniform(
            shape.lower - 0.1, shape.upper + 0.1, (200, shape.dimension)
        )
        assert np.array_equal(shape.contains(points), other.contains(points))


TOML = """
equation = "u_t = lap(u)"
time = [0, 1]
initial = "0"
boundary = { hole = "u = 1", "plate.x-" = "u = 0", "*" = "none" }
[domain]
shape = "difference"
of = [
  { shape = "Box", x = [-2, 2], y = [-1, 1], name = "plate" },
  { shape = "Disk", center = [0.3, 0], radius = 0.4, name = "hole" },
]
"""


def test_a_domain_in_a_file():
    problem = parse(TOML).problem
    assert problem.domain == PLATE
    moving = TOML.partition("[domain]")[0].replace('hole = "u = 1", "plate.x-" = "u = 0", ', "")
    moving += '[domain]\nshape = "Region"\ntext = "x < 1 + a*sin(t)"\nx = [0, 2]\n[parameters]\na = 0.5\n'
    domain = parse(moving.replace("lap(u)", "u_xx + 0*a")).problem.domain
    assert domain.moving
    assert domain.measure(np.pi / 2) == pytest.approx(1.5)


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: state("u = 0", lrfm.HalfSpace(normal=(1, 0))), "has no end"),
        (lambda: state("u = 0", lrfm.Region("x**2 + y**2 < -1", x=(0, 1), y=(0, 1))), "is empty"),
        (lambda: state("u = 0", lrfm.Disk() & lrfm.Disk(center=(5, 0))), "is empty"),
        (lambda: lrfm.Polygon([(0, 0), (1, 1), (1, 0), (0, 1)]), "crosses itself: its sides 1 and 3 meet"),
        (lambda: lrfm.Polygon([(0, 0), (1, 1), (1, 1), (0, 1)]), "side of no length"),
        (lambda: lrfm.Polygon([(0, 0), (1, 0), (2, 0)]), "no area"),
        (lambda: lrfm.Polygon([(0, 0), (1, 0), (0, 1)], names=["a"]), "1 name for 3 sides"),
        (
            lambda: lrfm.Polygon([(0, 0), (1, 0), (0, 1)], holes=[[(2, 2), (3, 2), (2, 3)]]),
            "Hole 1 is not inside",
        ),
        (lambda: lrfm.Disk(radius=-1), "`radius` was given as -1; it must be a positive number"),
        (lambda: lrfm.Disk(center=(0, 0, 0)), "expected 2 finite numbers, for `x`, `y`"),
        (lambda: lrfm.Disk() | lrfm.Ball(), "axes `x`, `y` and `x`, `y`, `z`"),
        (lambda: lrfm.Disk() - 3, "expected another shape or a box"),
        (lambda: lrfm.Region("x**2 + y**2", x=(0, 1), y=(0, 1)), "is not an inequality"),
        (lambda: lrfm.Region("x = 1", x=(0, 2)), "is not an inequality"),
        (lambda: lrfm.Region("x < 1 & y < 1", x=(0, 2), y=(0, 2)), "write `and`"),
        (lambda: lrfm.Region("x < 1 and z < 1", x=(0, 2)), "the name `z` is not known"),
        (lambda: lrfm.Region("not x < 1", x=(0, 2)), "cannot be read; expected inequalities joined"),
        (lambda: lrfm.Region("(x**2 + y**2 - 0.5)**3 < 0", x=(-1, 1), y=(-1, 1)).parts, "has no gradient"),
        (lambda: lrfm.Region("3 < 2", x=(0, 2)), "true everywhere or nowhere"),
        (
            lambda: lrfm.Region("x**2 + y**2 + z**2 + w**2 < 1", **dict.fromkeys("xyzw", (-1, 1))),
            "4 axes, `x`, `y`, `z`, `w`; expected at most 3",
        ),
        (
            lambda: lrfm.Box(**dict.fromkeys("vwxyz", (0, 1))) - lrfm.Box(**dict.fromkeys("vwxyz", (0, 0.5))),
            "no box was given with 5 axes",
        ),
        (lambda: PLATE.part("inlet", "x < -1990"), "has no points on the boundary .* the bounding box is"),
        (lambda: state({"hle": "u = 0"}), "Did you mean `hole`"),
        (lambda: state({"hole": "u = 0"}), "The part `plate.x-` of the boundary has neither a condition nor"),
        (lambda: state("periodic"), "only a box, or a shape of the plane with two straight ends"),
        (lambda: from_record({"shape": "Dsik"}), "Did you mean `Disk`"),
        (lambda: from_record({"shape": "Disk", "radus": 1}), "which do not fit"),
        (lambda: from_record({"shape": "union", "of": []}), "a list of at least two shapes"),
        (lambda: state("u = 0", "disk"), "`domain` was given as the text `disk`; expected shapes"),
    ],
)
def test_what_is_wrong_is_said(build, words):
    with pytest.raises(ProblemError, match=words):
        build()


def test_nothing_in_a_text_is_executed():
    for text in ("__import__('os').getcwd() < 1", "(lambda: 1)() < 2", "x.real < 1", "[x][0] < 1"):
        with pytest.raises(ProblemError):
            lrfm.Region(text, x=(0, 1))


def test_the_name_of_a_box_is_in_those_of_its_faces_where_it_is_combined_with_others_alone():
    box = lrfm.Box(x=(0, 2), y=(0, 1), name="channel")
    assert list(box.region.parts) == list(box.parts) == ["x-", "x+", "y-", "y+"]
    assert {part for corner in box.corners for part in corner.parts} == set(box.parts)
    assert "channel.x-" in box.shape.parts
    assert "channel.x-" in (box - lrfm.Disk(radius=0.1)).parts
