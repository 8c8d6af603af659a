# SPDX-License-Identifier: MIT
"""Domains from files and from other libraries: polygons through shapely (``lrfm[shapes]``), solids through trimesh (``lrfm[mesh]``)."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Mapping
from functools import reduce
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from lrfm.problem.calls import naming
from lrfm.problem.errors import ProblemError, listing, shown
from lrfm.problem.shapes.made import Polygon
from lrfm.problem.shapes.mesh import Mesh
from lrfm.problem.shapes.shape import Shape

FLAT, SOLID = (".geojson", ".json", ".wkt"), (".stl", ".obj", ".ply", ".off")
LIMIT = 64 << 20  # bytes
UNREADABLE = (ValueError, TypeError, KeyError, AttributeError, IndexError, RecursionError, OverflowError)


@naming
def domain_from(source: Any, *, name: str | None = None) -> Shape:
    """A domain from a file (GeoJSON, WKT; STL, OBJ, PLY) or from a shapely geometry.

    Polygons keep their sides as parts, ``side1`` and so on, a solid has one part, ``surface``; with `name` it stands before these.
    Lengths are taken as they are: look at `axes` of the result before you trust the units.

    Parameters
    ----------
    source
        A path, or a polygon or several from shapely.
    name
        Stands before the names of its parts, with a dot.

    Raises
    ------
    ProblemError
        When the file cannot be read, holds no polygon or no closed surface, or the library that reads it is not installed.
    """
    if hasattr(source, "geom_type"):
        return _from_geometry(source, name)
    try:
        path = Path(os.fspath(source))
    except TypeError:
        raise ProblemError(
            f"`domain_from` was given {shown(source)}; expected a path or a shapely geometry."
        ) from None
    if path.suffix.lower() not in (*FLAT, *SOLID):
        raise ProblemError(f"{path} ends in `{path.suffix}`; expected one of {listing((*FLAT, *SOLID))}.")
    if not path.is_file():
        raise ProblemError(f"{path} is not a file.")
    if path.stat().st_size > LIMIT:
        raise ProblemError(f"{path} has more than {LIMIT >> 20} MB; simplify it first.")
    if path.suffix.lower() in SOLID:
        return _from_mesh(path, name)
    return _from_geometry(_read_flat(path), name)


def _library(module: str, extra: str) -> Any:
    try:
        return import_module(module)
    except ImportError:
        raise ProblemError(f"This needs {module}; install it with `pip install 'lrfm[{extra}]'`.") from None


def _read_flat(path: Path) -> Any:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ProblemError(f"{path} is not UTF-8 text (byte {error.start}); save it as UTF-8.") from None
    shapely, wkt = _library("shapely", "shapes"), path.suffix.lower() == ".wkt"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore", RuntimeWarning
            )  # of numbers that are none, which are refused with the polygon
            if wkt:
                return shapely.from_wkt(text)
            found = [shapely.geometry.shape(part) for part in _geometries(json.loads(text))]
            return shapely.union_all(found) if len(found) != 1 else found[0]
    except (*UNREADABLE, shapely.errors.ShapelyError):  # their words quote the file or name parts of Python
        expected = (
            "WKT such as `POLYGON ((0 0, 1 0, 1 1, 0 0))`"
            if wkt
            else "GeoJSON with polygons of finite numbers"
        )
        raise ProblemError(f"{path} cannot be read as a polygon; expected {expected}.") from None


def _geometries(data: Any) -> list[Mapping[str, Any]]:
    """All geometries of a GeoJSON document."""
    if not isinstance(data, Mapping):
        raise ValueError("it is no GeoJSON object")
    if data.get("type") == "FeatureCollection":
        return [g for feature in data.get("features", ()) for g in _geometries(feature)]
    return [data["geometry"]] if data.get("type") == "Feature" else [data]


def _from_geometry(geometry: Any, name: str | None) -> Shape:
    shapely = _library("shapely", "shapes")
    kinds = {"Polygon": lambda g: [g], "MultiPolygon": lambda g: list(g.geoms)}
    if geometry.geom_type not in kinds or geometry.is_empty:
        raise ProblemError(
            f"A geometry of type {geometry.geom_type} was given; a domain is a polygon, or several."
        )
    if not geometry.is_valid:
        raise ProblemError(f"The polygon is not valid: {shapely.is_valid_reason(geometry)}. Repair it first.")
    made = []
    pieces = kinds[geometry.geom_type](geometry)
    for number, piece in enumerate(pieces, 1):
        own = name if len(pieces) == 1 else f"{name or 'piece'}{number}"
        holes = [_ring(ring) for ring in piece.interiors]
        made.append(Polygon(_ring(piece.exterior), holes=holes, name=own))
    return reduce(lambda a, b: a | b, made)


def _ring(ring: Any) -> Any:
    """Vertices in the plane, the last one not repeated."""
    return np.asarray(ring.coords, dtype=float)[:-1, :2].tolist()


def _from_mesh(path: Path, name: str | None) -> Shape:
    trimesh = _library("trimesh", "mesh")
    try:
        mesh = trimesh.load_mesh(path)
        vertices, faces = np.asarray(mesh.vertices, dtype=float), np.asarray(mesh.faces, dtype=int)
    except Exception:  # whatever a reader of a foreign format may raise
        raise ProblemError(
            f"{path} cannot be read as a surface of triangles; write it again, or as STL."
        ) from None
    return Mesh(vertices, faces, name=name)
