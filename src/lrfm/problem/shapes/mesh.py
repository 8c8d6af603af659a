# SPDX-License-Identifier: MIT
"""Solids bounded by triangles: inside where the boundary winds around a point, normals from the nearest triangle.

w(x) = 1/4π Σ Ω(x, triangle),   1 inside and 0 outside   (solid angles by van Oosterom and Strackee, 1983)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from lrfm.problem.algebra import Expr, Symbol
from lrfm.problem.domain import axis_names
from lrfm.problem.errors import ProblemError
from lrfm.problem.jets import GivenSymbol
from lrfm.problem.shapes.curves import Curve
from lrfm.problem.shapes.gauss import gauss
from lrfm.problem.shapes.kinds import Bounds
from lrfm.problem.shapes.known import SPACE, record_of
from lrfm.problem.shapes.levels import Level
from lrfm.problem.shapes.protocol import Rule, Time
from lrfm.problem.shapes.shape import Shape
from lrfm.problem.shapes.tree import Simple

CHUNK = 2_000_000  # pairs of points and triangles at once
MOST = 20_000  # triangles
NEAR = 6  # triangles, by their middles, of which the nearest is sought


@dataclass(frozen=True, eq=False)
class Triangles:
    """A closed surface: vertices (n, 3) and faces (m, 3), counterclockwise seen from outside."""

    vertices: np.ndarray
    faces: np.ndarray
    sheets: tuple[str, ...] = ("surface",)
    dimension: int = 3
    meet_at_ends = False

    @cached_property
    def corners(self) -> np.ndarray:
        return self.vertices[self.faces]  # (m, 3 corners, 3)

    @cached_property
    def normals(self) -> np.ndarray:
        a, b, c = self.corners.transpose(1, 0, 2)
        cross = np.cross(b - a, c - a)
        return cross / np.linalg.norm(cross, axis=1, keepdims=True)

    @cached_property
    def areas(self) -> np.ndarray:
        a, b, c = self.corners.transpose(1, 0, 2)
        return 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1)

    @property
    def bounds(self) -> Bounds:
        return self.vertices.min(axis=0), self.vertices.max(axis=0)

    def formula(self, sheet: int, at: Sequence[Expr]) -> Expr:
        raise NotImplementedError  # it has none: see `level`

    def level(self, sheet: int, names: tuple[str, ...], simple: Simple) -> Level:
        """Distance and normals in the place of a formula."""
        return SurfaceLevel(self, names, simple)

    def inside(self, points: np.ndarray) -> np.ndarray | None:
        step = max(1, CHUNK // len(self.faces))
        return np.concatenate(
            [self._winding(points[k : k + step]) > 0.5 for k in range(0, len(points), step)]
            or [np.zeros(0, bool)]
        )

    def _winding(self, points: np.ndarray) -> np.ndarray:
        a, b, c = (self.corners[None, :, k] - points[:, None] for k in range(3))
        la, lb, lc = (np.linalg.norm(v, axis=2) for v in (a, b, c))
        over = np.einsum("ijk,ijk->ij", a, np.cross(b, c))
        dot = lambda u, v: np.einsum("ijk,ijk->ij", u, v)  # noqa: E731
        under = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb
        return np.arctan2(over, under).sum(axis=1) / (2 * np.pi)

    @cached_property
    def _tree(self) -> Any:
        from scipy.spatial import KDTree

        return KDTree(self.corners.mean(axis=1))

    def nearest(self, points: np.ndarray) -> np.ndarray:
        """The triangle whose inside is nearest, among those whose middles are."""
        count = min(NEAR, len(self.faces))
        near = self._tree.query(points, count)[1].reshape(len(points), count)
        corners, normals = self.corners[near], self.normals[near]
        # Distance from the plane, and from the sides where a point is beyond them.
        away = np.abs(np.einsum("ijk,ijk->ij", points[:, None] - corners[:, :, 0], normals))
        for k in range(3):
            start, side = corners[:, :, k], corners[:, :, (k + 1) % 3] - corners[:, :, k]
            out = np.cross(side, normals)
            length = np.linalg.norm(out, axis=2)
            beyond = np.einsum("ijk,ijk->ij", points[:, None] - start, out) / np.where(
                length > 0, length, 1.0
            )
            away = np.maximum(away, beyond)
        return near[np.arange(len(points)), np.argmin(away, axis=1)]

    def curves(self, sheet: int, level: Level, t: float | None, box: Bounds) -> list[Curve]:
        return []

    def surface(self, sheet: int, n: int, rng: np.random.Generator | None) -> Rule | None:
        shift = 0.5 if rng is None else rng.random()
        if n < 2 * len(self.faces):  # some triangles, by area
            total = np.cumsum(self.areas)
            chosen = np.searchsorted(total, total[-1] * (np.arange(n) + shift) / n)
            return Rule(self.corners[chosen].mean(axis=1), np.full(n, total[-1] / n))
        count = max(2, round(np.sqrt(n / len(self.faces))))
        x, w = gauss(count)
        s, r = np.meshgrid(x, x, indexing="ij")
        a, b, c = self.corners.transpose(1, 0, 2)[:, :, None]
        places = a + s.ravel()[:, None] * (b - a) + (s * r).ravel()[:, None] * (c - b)
        weights = 2 * self.areas[:, None] * (np.outer(w * x, w).ravel())
        return Rule(places.reshape(-1, 3), weights.ravel())


class SurfaceLevel(Level):
    """The signed distance from the plane of the nearest triangle in the place of φ."""

    def __init__(self, kind: Triangles, names: tuple[str, ...], simple: Simple):
        self.kind, self.simple, self.names = kind, simple, names
        self.formula = Symbol("distance")

    @property
    def flat(self) -> bool:
        return False

    @property
    def moving(self) -> bool:
        return False

    def _place(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        local = self.simple.local(points)
        near = self.kind.nearest(local)
        return local, self.kind.corners[near], self.kind.normals[near]

    def values(self, points: np.ndarray, t: Time = None) -> np.ndarray:
        local, corners, normals = self._place(points)
        return np.einsum("ij,ij->i", local - corners[:, 0], normals)

    def gradient(self, points: np.ndarray, t: Time = None) -> np.ndarray:
        return self._place(points)[2] @ np.linalg.inv(self.simple.matrix)

    @cached_property
    def normal(self) -> tuple[Expr, ...]:
        return tuple(GivenSymbol("normal", name, _Component(self, i)) for i, name in enumerate(self.names))


@dataclass(frozen=True, eq=False)
class _Component:
    """One component of the normal at points of space and time."""

    level: SurfaceLevel
    axis: int

    def __call__(self, points: np.ndarray) -> np.ndarray:
        return self.level.normals(points[:, :-1])[:, self.axis]


class Mesh(Shape):
    """A solid bounded by triangles, as a file of a CAD program describes it; see `domain_from`."""

    def __init__(
        self,
        vertices: Any,
        faces: Any,
        *,
        name: str | None = None,
        axes: Sequence[str] = SPACE,
    ):
        names = axis_names(axes, 3)
        places, triangles = np.asarray(vertices, dtype=float), np.asarray(faces)
        kind = Triangles(places, _checked(places, triangles))
        record = record_of("Mesh", name, names, SPACE, vertices=places.tolist(), faces=kind.faces.tolist())
        super().__init__(Simple(kind, names, name, np.eye(3), np.zeros(3)), names, record)


def _checked(vertices: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Faces that bound a solid, outwards; ProblemError where they do not."""
    whole = vertices.ndim == faces.ndim == 2 and vertices.shape[1] == faces.shape[1] == 3 and len(faces) >= 4
    if not whole or faces.dtype.kind not in "iu" or not np.all(np.isfinite(vertices)):
        raise ProblemError(
            "A surface needs finite vertices (n, 3) and at least four triangles (m, 3) of their numbers."
        )
    if faces.min() < 0 or faces.max() >= len(vertices):
        raise ProblemError(f"A triangle names a vertex that does not exist; there are {len(vertices)}.")
    if len(faces) > MOST:
        raise ProblemError(
            f"The surface has {len(faces):,} triangles; the limit is {MOST:,}. Simplify it first."
        )
    # Vertices in one place are one vertex: files repeat them for every triangle.
    _, first = np.unique(
        np.round(vertices / (np.ptp(vertices, axis=0).max() * 1e-9)), axis=0, return_inverse=True
    )
    merged = first.ravel()[faces]
    edges = np.vstack([merged[:, [0, 1]], merged[:, [1, 2]], merged[:, [2, 0]]])
    there, back = ({(int(a), int(b)) for a, b in pairs} for pairs in (edges, edges[:, ::-1]))
    if there != back or len(there) != len(edges):
        low, high = vertices.min(axis=0), vertices.max(axis=0)
        raise ProblemError(
            f"The surface has holes, or its triangles are not all turned the same way: {len(there - back)} sides of triangles have no "
            f"partner. Its bounding box is {low.round(6).tolist()} to {high.round(6).tolist()}. Repair it first."
        )
    a, b, c = vertices[faces].transpose(1, 0, 2)
    volume = float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6)
    return faces if volume > 0 else faces[:, ::-1]
