# SPDX-License-Identifier: MIT
"""The plate with 17 holes of PINNacle's heat2d-holes by finite elements (scikit-fem), a method that has nothing to do with lrfm.

u_t = lap u from nothing, u_n = g − u:   (sM + K) U(s) = b/s,   u(t) = (1/2πi) ∮ e^{st} U(s) ds.

The plate is symmetric, so one quarter is meshed: rings of curved triangles that are thin at each rim, a grid that is thin at the outer walls,
Delaunay's triangles between them. Time is not stepped: the contour integral (modified Talbot: Weideman, Trefethen, Math. Comp. 76, 2007;
Dingfelder, Weideman, Numer. Algorithms 68, 2015) has converged with 20 points. `python benchmarks/holes.py --reference` takes three minutes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import skfem as fem
from scipy.optimize import brentq
from scipy.sparse.linalg import splu
from scipy.spatial import Delaunay
from skfem.helpers import dot, grad

FAR, CELLS, FIRST = 1.3, 8, 0.015  # end of a ring in radii, cells across it, the first of them
AROUND, STEP = 48, 0.35  # cells around a hole, and the width of others
ELEMENTS = {2: fem.ElementTriP2, 3: fem.ElementTriP3, 4: fem.ElementTriP4}


@dataclass(frozen=True)
class Hole:
    """A disc that is cut out, with g of its condition u_n = g − u."""

    center: tuple[float, float]
    radius: float
    given: float


class Curved(fem.MappingIsoparametric):
    """Curved triangles; the inverse map by Newton's method without bounds, which thin cells need."""

    def invF(self, x, tind=None, **_):
        found = np.full(x.shape, 1 / 3)
        for _ in range(60):
            step = np.einsum("ijkl,jkl->ikl", self.invDF(found, tind), x - self.F(found, tind))
            found = found + step
            if np.abs(step).max() < 1e-10:
                return found
        raise ArithmeticError("a triangle is too thin")


def graded() -> np.ndarray:
    """Ends of cells in [0, 1] that grow by one factor."""
    q = brentq(lambda q: FIRST * (q**CELLS - 1) / (q - 1) - 1, 1 + 1e-9, 10)
    return FIRST * (q ** np.arange(CELLS + 1) - 1) / (q - 1)


def _lines(length: float) -> np.ndarray:
    inner = np.linspace(0, length - 1, round((length - 1) / STEP) + 1)
    return np.concatenate([inner, length - graded()[::-1][1:]])


def _ring(hole: Hole, radii: np.ndarray) -> np.ndarray:
    angle = 2 * np.pi * np.arange(AROUND) / AROUND
    points = np.asarray(hole.center) + radii[:, None, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    return np.where(np.abs(points) < 1e-9, 0.0, points)


def _strip(hole: Hole) -> tuple[np.ndarray, np.ndarray]:
    """Points and triangles of the ring around a hole, as far as it is in the quarter."""
    radii = hole.radius * (1 + (FAR - 1) * graded())
    points = _ring(hole, radii).reshape(-1, 2)
    i, j = (a.ravel() for a in np.meshgrid(np.arange(CELLS), np.arange(AROUND), indexing="ij"))
    a, b = i * AROUND + j, i * AROUND + (j + 1) % AROUND
    cells = np.concatenate(
        [np.stack([a, a + AROUND, b + AROUND], axis=1), np.stack([a, b + AROUND, b], axis=1)]
    )
    return points, cells[(points[cells] >= 0).all(axis=(1, 2))]


def _between(size: Sequence[float], holes: Sequence[Hole]) -> tuple[np.ndarray, np.ndarray]:
    """Points and triangles outside of all rings."""
    grid = np.stack(np.meshgrid(*map(_lines, size), indexing="ij"), axis=-1).reshape(-1, 2)
    ends = [_ring(h, np.array([FAR * h.radius]))[0] for h in holes]
    for h in holes:
        apart = FAR * h.radius * (1 + 1.2 * np.pi / AROUND)
        grid = grid[np.linalg.norm(grid - h.center, axis=1) > apart]
    points = np.concatenate([grid, *(ring[(ring >= 0).all(axis=1)] for ring in ends)])
    cells = Delaunay(points).simplices
    middle, (a, b, c) = points[cells].mean(axis=1), points[cells].transpose(1, 0, 2)
    kept = np.abs(np.linalg.det(np.stack([b - a, c - a], axis=1))) > 1e-10
    for h in holes:
        kept &= np.linalg.norm(middle - h.center, axis=1) > FAR * h.radius * np.cos(np.pi / AROUND)
    return points, cells[kept]


def mesh(size: Sequence[float], holes: Sequence[Hole]) -> tuple[fem.MeshTri2, fem.MeshTri]:
    """Curved triangles of the quarter [0, size], and the same with straight edges."""
    points, cells, count = [], [], 0
    for p, t in (_between(size, holes), *map(_strip, holes)):
        points.append(p)
        cells.append(t + count)
        count += len(p)
    joined, corners = np.concatenate(points), np.concatenate(cells)
    _, first, same = np.unique(np.round(joined, 8), axis=0, return_index=True, return_inverse=True)
    used, corners = np.unique(same.ravel()[corners], return_inverse=True)
    plane = joined[first][used]
    flat = fem.MeshTri(plane.T.copy(), corners.reshape(-1, 3).T.copy())
    curved = fem.MeshTri2.from_mesh(flat)
    places, middles = curved.doflocs.copy(), fem.Basis(flat, fem.ElementTriP2()).facet_dofs[0]
    a, b = plane[flat.facets[0]], plane[flat.facets[1]]
    for h in holes:
        # Within a ring edges are straight in polar coordinates.
        ra, rb = np.linalg.norm(a - h.center, axis=1), np.linalg.norm(b - h.center, axis=1)
        within = np.maximum(ra, rb) < FAR * h.radius + 1e-7
        turn = (a - h.center) / ra[:, None] + (b - h.center) / rb[:, None]
        turn /= np.linalg.norm(turn, axis=1)[:, None]
        places[:, middles[within]] = (h.center + 0.5 * (ra + rb)[:, None] * turn)[within].T
    return replace(curved, doflocs=places), flat


def contour(t: float, n: int = 20) -> tuple[np.ndarray, np.ndarray]:
    """Points s and weights w with u(t) = Re Σ w U(s)."""
    angle = np.pi * (2 * np.arange(n // 2) + 1) / n
    z = n * (0.5017 * angle / np.tan(0.6407 * angle) - 0.6122 + 0.2645j * angle)
    slope = n * (
        0.5017 / np.tan(0.6407 * angle) - 0.5017 * 0.6407 * angle / np.sin(0.6407 * angle) ** 2 + 0.2645j
    )
    return z / t, slope / t * np.exp(z) * 2 / n / 1j


def solve(
    size: Sequence[float], holes: Sequence[Hole], outer: float, times: Sequence[float], degree: int
) -> tuple[np.ndarray, np.ndarray]:
    """Corners of triangles (n, 2) and u there at times (times, n)."""
    curved, flat = mesh(size, holes)
    element, order = ELEMENTS[degree](), 2 * degree + 2
    inside = fem.Basis(curved, element, intorder=order)
    mass = fem.BilinearForm(lambda u, v, w: u * v)
    stiff = fem.BilinearForm(lambda u, v, w: dot(grad(u), grad(v))).assemble(inside)
    weight, load = mass.assemble(inside), np.zeros(inside.N)
    ends = flat.p[:, flat.facets]
    walls: list[tuple[Callable, float]] = [
        (lambda x: (np.abs(x - np.reshape(size, (2, 1))) < 1e-9).any(axis=0), outer)
    ]
    for h in holes:
        walls.append(
            (
                lambda x, h=h: np.abs(np.linalg.norm(x.T - h.center, axis=1) - h.radius) < 1e-6 * h.radius,
                h.given,
            )
        )
    for on, given in walls:
        facets = [k for k in flat.boundary_facets() if on(ends[:, :, k]).all()]
        mapping = Curved(curved, fem.ElementTriP2(), fem.ElementLineP2())
        rim = fem.FacetBasis(curved, element, mapping=mapping, facets=np.array(facets), intorder=order)
        stiff = stiff + mass.assemble(rim)
        load = load + given * fem.LinearForm(lambda v, w: v).assemble(rim)
    fields = []
    for t in times:
        pairs = zip(*contour(t), strict=True)
        fields.append(sum(np.real(w * splu((stiff + s * weight).tocsc()).solve(load / s)) for s, w in pairs))
    return flat.p.T, np.array(fields)[:, inside.nodal_dofs[0]]
