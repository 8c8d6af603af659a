# SPDX-License-Identifier: MIT
"""VTK's XML files without VTK: a grid of lines, quads or hexahedra for each time, and a list of them.

Domains that are no boxes are cut into triangles or tetrahedra: those of Delaunay between points of the grid inside and points of the
boundary, without the ones whose middle is outside.

Numbers are little-endian float64 in base64: [number of bytes, UInt64][data], encoded together.
See "VTK XML Formats" in the documentation of VTK.
"""

import base64
from collections.abc import Callable
from contextlib import ExitStack
from itertools import product
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as xml

import numpy as np

from lrfm.solution.io.dataset import split_complex
from lrfm.solution.io.whole import replacing, target_of
from lrfm.solution.sampling import SolutionLike, sample

_CELL = {1: 3, 2: 9, 3: 12}  # VTK_LINE, VTK_QUAD, VTK_HEXAHEDRON
_SIMPLEX = {1: 3, 2: 5, 3: 10}  # VTK_LINE, VTK_TRIANGLE, VTK_TETRA
_TYPES = {"float64": "Float64", "int64": "Int64", "uint8": "UInt8"}


def write_vtu(solution: SolutionLike, path: Path, coordinates: dict[str, np.ndarray]) -> list[Path]:
    """Write name.vtu for one time; for several name.pvd, and the folder name/ with 0000.vtu, 0001.vtu, ..."""
    space = {name: points for name, points in coordinates.items() if name != "t"}
    if len(space) not in _CELL:
        raise ValueError(
            f"A .vtu file has at most three axes; this problem has {len(space)}. Use .nc or .csv."
        )
    for name, points in space.items():
        if points.size < 2 or np.any(np.diff(points) <= 0):
            raise ValueError(
                f"`{name}` must be at least two increasing points to make the cells of a .vtu file."
            )
    times = coordinates["t"]
    single = times.size == 1
    folder = path.with_suffix("")
    if not single and folder.exists() and not folder.is_dir():
        raise ValueError(
            f"{folder} is a file; the pieces of {path.name} go into a folder of this name. Give another one."
        )
    target_of(path)
    collection = path.with_suffix(".pvd")
    parts = [path if single else folder / f"{k:04d}.vtu" for k in range(times.size)]
    with ExitStack() as stack:
        if not single and not folder.exists():
            folder.mkdir()
            stack.push(lambda kind, *_: folder.rmdir() if kind and not any(folder.iterdir()) else None)
        # entered first, so that the list takes its place last: it never names a file that is not there
        if not single:
            _write(stack.enter_context(replacing(collection)), _collection(parts, times))
        for part, time in zip(parts, times, strict=True):
            if solution.problem.domain.is_box:
                values = split_complex(sample(solution, {**space, "t": np.array([time])}))
                piece = _grid_piece(space, values, time)
            else:
                piece = _simplices(solution, space, float(time))
            _write(stack.enter_context(replacing(part)), piece)
    return parts if single else [*parts, collection]


def cells(counts: tuple[int, ...]) -> np.ndarray:
    """Corners of each cell of a tensor grid whose first axis runs fastest, in the order of VTK."""
    index = np.arange(np.prod(counts)).reshape(counts, order="F")
    corners = []
    for corner in product((0, 1), repeat=len(counts)):
        low_first = corner[::-1]  # x changes fastest
        window = tuple(slice(c, n - 1 + c) for c, n in zip(low_first, counts, strict=True))
        corners.append(index[window].ravel(order="F"))
    # VTK walks around each face, tensor order goes back to the start of the next row
    around = {1: [0, 1], 2: [0, 1, 3, 2], 3: [0, 1, 3, 2, 4, 5, 7, 6]}[len(counts)]
    return np.column_stack([corners[k] for k in around]).astype(np.int64)


def _grid_piece(space: dict[str, np.ndarray], values: dict[str, np.ndarray], time: float) -> xml.Element:
    mesh = np.meshgrid(*space.values(), indexing="ij")
    points = np.column_stack([array.ravel(order="F") for array in mesh])
    corners = cells(tuple(array.size for array in space.values()))
    flat = {name: array[0].ravel(order="F") for name, array in values.items()}
    return _piece(points, corners, _CELL[len(space)], flat, time)


def _simplices(solution: SolutionLike, space: dict[str, np.ndarray], time: float) -> xml.Element:
    """The same for a domain that is no box."""
    domain = solution.problem.domain
    grid = np.column_stack([a.ravel() for a in np.meshgrid(*space.values(), indexing="ij")])
    count = len(grid) ** ((len(space) - 1) / len(space))
    edge = [part.quadrature(round(2 * count), None, time).points for part in domain.parts.values()]
    edge += [np.array([corner.point]) for corner in domain.corners]
    points = np.vstack([grid[domain.contains(grid, time)], *edge])
    # Two points in one place make cells of no size.
    unit = (domain.upper - domain.lower) * 1e-6
    points = points[np.sort(np.unique(np.round(points / unit), axis=0, return_index=True)[1])]
    corners = _between(points, lambda p: domain.contains(p, time))
    at = {name: column for name, column in zip(space, points.T, strict=True)}
    if "t" not in solution.problem.absent:
        at["t"] = np.full(len(points), time)
    values = {name: np.asarray(solution[name](**at)) for name in solution.unknowns}
    return _piece(points, corners, _SIMPLEX[len(space)], split_complex(values), time)


def _between(points: np.ndarray, inside: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Neighbors on a line, triangles or tetrahedra whose middle is inside."""
    if points.shape[1] == 1:
        order = np.argsort(points[:, 0])
        corners = np.column_stack([order[:-1], order[1:]])
    else:
        from scipy.spatial import Delaunay

        corners = Delaunay(points).simplices
    return corners[inside(points[corners].mean(axis=1))].astype(np.int64)


def _piece(
    places: np.ndarray, corners: np.ndarray, kind: int, values: dict[str, np.ndarray], time: float
) -> xml.Element:
    points = np.zeros((len(places), 3))
    points[:, : places.shape[1]] = places
    root, document = _document("UnstructuredGrid")
    clock = _array(xml.SubElement(document, "FieldData"), "TimeValue", np.array([time]))
    clock.set("NumberOfTuples", "1")
    piece = xml.SubElement(
        document, "Piece", NumberOfPoints=str(len(points)), NumberOfCells=str(len(corners))
    )
    data = xml.SubElement(piece, "PointData", Scalars=next(iter(values)))
    for name, array in values.items():
        _array(data, name, array)
    _array(xml.SubElement(piece, "Points"), "Points", points)
    topology = xml.SubElement(piece, "Cells")
    _array(topology, "connectivity", corners.ravel())
    _array(topology, "offsets", corners.shape[1] * np.arange(1, len(corners) + 1, dtype=np.int64))
    _array(topology, "types", np.full(len(corners), kind, dtype=np.uint8))
    return root


def _collection(parts: list[Path], times: np.ndarray) -> xml.Element:
    root, document = _document("Collection")
    for part, time in zip(parts, times, strict=True):
        xml.SubElement(
            document,
            "DataSet",
            timestep=repr(float(time)),
            group="",
            part="0",
            file=f"{part.parent.name}/{part.name}",
        )
    return root


def _document(kind: str) -> tuple[xml.Element, xml.Element]:
    root = xml.Element("VTKFile", type=kind, version="1.0", byte_order="LittleEndian", header_type="UInt64")
    return root, xml.SubElement(root, kind)


def _array(parent: xml.Element, name: str, values: np.ndarray) -> xml.Element:
    data = np.ascontiguousarray(values).astype(values.dtype.newbyteorder("<"), copy=False).tobytes()
    element = xml.SubElement(parent, "DataArray", type=_TYPES[values.dtype.name], Name=name, format="binary")
    if values.ndim == 2:
        element.set("NumberOfComponents", str(values.shape[1]))
    element.text = base64.b64encode(len(data).to_bytes(8, "little") + data).decode()
    return element


def _write(path: Path, root: Any) -> None:
    xml.ElementTree(root).write(path, encoding="utf-8", xml_declaration=True)
