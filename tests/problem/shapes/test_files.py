# SPDX-License-Identifier: MIT
"""Domains from files and from shapely."""

import json

import numpy as np
import pytest

import lrfm
from lrfm.problem import ProblemError
from lrfm.problem.shapes.mesh import Mesh
from lrfm.problem.shapes.records import from_record

RING = [[0, 0], [4, 0], [4, 3], [0, 3], [0, 0]]
HOLE = [[1, 1], [1, 2], [2, 2], [2, 1], [1, 1]]
TETRA = (
    np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]),
    np.array([(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)]),
)


def test_a_lake_with_an_island(tmp_path):
    pytest.importorskip("shapely")
    path = tmp_path / "lake.geojson"
    lake = {"type": "Feature", "properties": {}, "geometry": {"type": "Polygon", "coordinates": [RING, HOLE]}}
    path.write_text(json.dumps({"type": "FeatureCollection", "features": [lake]}))
    domain = lrfm.domain_from(path, name="lake")
    assert domain.measure() == pytest.approx(11)
    assert len(domain.parts) == 8
    assert len(domain.groups["lake.hole1"]) == 4
    path = tmp_path / "two.wkt"
    path.write_text("MULTIPOLYGON (((0 0, 1 0, 0 1, 0 0)), ((3 3, 5 3, 3 5, 3 3)))")
    assert lrfm.domain_from(path).measure() == pytest.approx(2.5)


def test_what_is_wrong_with_a_geometry(tmp_path):
    shapely = pytest.importorskip("shapely")
    with pytest.raises(ProblemError, match="a domain is a polygon"):
        lrfm.domain_from(shapely.Point(0, 0))
    with pytest.raises(ProblemError, match="not valid: Self-intersection"):
        lrfm.domain_from(shapely.Polygon([(0, 0), (1, 1), (1, 0), (0, 1)]))
    with pytest.raises(ProblemError, match=r"ends in `\.dwg`"):
        lrfm.domain_from("plan.dwg")
    with pytest.raises(ProblemError, match="is not a file"):
        lrfm.domain_from(tmp_path / "no.wkt")
    (tmp_path / "bad.geojson").write_text("[1, 2]")
    with pytest.raises(ProblemError, match="cannot be read as a polygon"):
        lrfm.domain_from(tmp_path / "bad.geojson")


def polygon(point):
    return f'{{"type": "Polygon", "coordinates": [[[0, 0], [{point}, 0], [1, 1], [0, 0]]]}}'


ODD = {
    "digits.geojson": polygon("9" * 400),
    "infinite.geojson": polygon("1e999"),
    "none.geojson": polygon("NaN"),
    "text.geojson": polygon('"hunter2"'),
    "null.geojson": polygon("null"),
    "deep.geojson": "[" * 100_000,
    "empty.geojson": "",
    "list.geojson": "[1, 2]",
    "number.geojson": '{"type": "FeatureCollection", "features": 5}',
    "nothing.geojson": '{"type": "FeatureCollection", "features": []}',
    "nulls.geojson": '{"type": "FeatureCollection", "features": [null]}',
    "lacks.geojson": '{"type": "Feature"}',
    "bare.geojson": '{"type": "Feature", "geometry": null}',
    "kind.geojson": '{"type": "hunter2", "coordinates": []}',
    "point.geojson": '{"type": "Point", "coordinates": [0, 0]}',
    "flat.geojson": '{"type": "Polygon", "coordinates": [[0, 0], [1, 0], [1, 1]]}',
    "coordinates.geojson": '{"type": "Polygon", "coordinates": 3}',
    "passwords.wkt": "root:hunter2:0:0",
    "empty.wkt": "",
    "open.wkt": "POLYGON((0 0, hunter2 0, 1 1, 0 0))",
    "line.wkt": "LINESTRING(0 0, 1 1)",
    "nan.wkt": "POLYGON((0 0, nan 0, 1 1, 0 0))",
    "latin.wkt": "POLYGON((0 0, 1 0, 1 1, 0 0)) \xe9".encode("latin-1"),
    "binary.geojson": b"\xff\xfe\x00hunter2",
}


@pytest.mark.parametrize("name", ODD)
def test_files_that_hold_no_polygon_get_a_sentence_that_repeats_nothing(tmp_path, name):
    given = ODD[name]
    if isinstance(given, str):
        pytest.importorskip("shapely")
        given = given.encode()
    (tmp_path / name).write_bytes(given)
    with pytest.raises(ProblemError, match=r"\w") as caught:
        lrfm.domain_from(tmp_path / name)
    assert "hunter2" not in str(caught.value)
    assert not any(word in str(caught.value) for word in ("object", "NoneType", "recursion", "int too"))


@pytest.mark.slow
def test_a_solid_bounded_by_triangles():
    solid = Mesh(*TETRA)
    assert solid.contains([(0.1, 0.1, 0.1), (0.5, 0.5, 0.5)]).tolist() == [True, False]
    assert solid.quadrature(20_000).weights.sum() == pytest.approx(1 / 6, rel=0.02)
    assert solid.parts["surface"].measure() == pytest.approx(1.5 + np.sqrt(3) / 2)
    points, weights, normals = solid.parts["surface"].quadrature(400)
    assert np.allclose((weights[:, None] * normals).sum(axis=0), 0)  # a closed surface
    assert weights @ np.einsum("ij,ij->i", points, normals) / 3 == pytest.approx(1 / 6)
    turned = solid.scaled(2).rotated(0.3, "x").shifted(0, 1, 0)
    assert turned.parts["surface"].measure() == pytest.approx(4 * (1.5 + np.sqrt(3) / 2))
    again = from_record(turned.record)
    assert np.array_equal(again.contains(points), turned.contains(points))


def test_normals_of_triangles_in_a_row():
    problem = lrfm.Problem(
        "u_t = lap(u)", domain=Mesh(*TETRA), time=(0, 1), initial="0", boundary={"surface": "u_n = 1"}
    )
    points, _, normals = problem.domain.parts["surface"].quadrature(50)
    (row,) = problem.face_rows["surface"]
    source, factors = row.affine(np.column_stack([points, np.zeros(len(points))]))
    assert np.allclose(source, -1)
    assert np.allclose(np.column_stack([factors[jet] for jet in sorted(factors, reverse=True)]), normals)


def test_a_surface_with_a_hole_is_refused():
    with pytest.raises(ProblemError, match=r"The surface has holes, .* Its bounding box is"):
        Mesh(TETRA[0], np.vstack([TETRA[1][:3], [(0, 3, 1)]]))


def test_a_part_of_a_cad_program(tmp_path):
    trimesh = pytest.importorskip("trimesh")
    path = tmp_path / "part.stl"
    trimesh.creation.box((1, 2, 3)).export(path)
    part = lrfm.domain_from(path, name="part")
    assert part.axes == {"x": (-0.5, 0.5), "y": (-1.0, 1.0), "z": (-1.5, 1.5)}
    assert part.parts["part.surface"].measure() == pytest.approx(22)
