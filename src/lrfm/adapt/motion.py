# SPDX-License-Identifier: MIT
"""How fast cells should move:  w = argmin ∫ (u_t + w u_x)² dx + θ L ∫ u_x² dx ∫ w_x² dx,

the speed at which least is left to change along the motion (Miller, Miller, Moving finite elements, SIAM J. Numer. Anal. 18, 1981), over functions that are
linear in each cell and zero at edges that stay. Layers take their own speed; between them, where little is to be moved, the second term makes w linear.
Cells move where most of the change is motion, ‖u_t + w u_x‖ ≤ MOTION.left ‖u_t‖, where a step takes them
farther than one of cells that stand still would, and set out where the way that is left is many cells long; else they stand still.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.linalg import LinAlgError

from lrfm.discretize.options import MOTION
from lrfm.linalg.lapack import dptsv
from lrfm.spaces.cells.moving import MovingMesh, between
from lrfm.spaces.cells.reference import at_nodes, nodes, slopes_at_nodes


def speeds_for(mesh: MovingMesh, y: np.ndarray, z: np.ndarray, sizes: np.ndarray, rest: float) -> np.ndarray:
    """Speeds of all edges, for a state y and its rates z along the present motion (components, cells, size), errors of which count relative to `sizes`; `rest` is the time that is left."""
    size = y.shape[-1]
    (points, weights), values, slopes = nodes(size, 0), at_nodes(size), slopes_at_nodes(size)
    # What is zero beside the others does not move, and has no size.
    most, least = float(np.max(sizes)), np.finfo(float)
    counted = (
        np.where(sizes > least.eps * most, most / np.maximum(sizes, max(least.eps * most, least.tiny)), 0.0)
        ** 2
    )
    share = mesh.widths[:, None] * weights / np.sum(mesh.widths) * counted[:, None, None]
    slope = y @ slopes.T * (2.0 / mesh.widths)[:, None]
    rate = z @ values.T - mesh.speeds_at(points) * slope
    found = _least(mesh, points, np.sum(share * slope**2, axis=0), np.sum(share * rate * slope, axis=0))
    left = float(np.sum(share * (rate + between(found, points) * slope) ** 2))
    pace = float(np.max(np.abs(found[1:] + found[:-1]) / (2 * mesh.widths)))  # in widths of a cell
    worth = left <= MOTION.left**2 * float(np.sum(share * rate**2))
    stride = pace * min(longest(replace(mesh, speeds=found)), rest)
    worth &= stride > (1 if mesh.moves else MOTION.stride)
    return found if worth else np.zeros_like(found)


def _least(mesh: MovingMesh, points: np.ndarray, squares: np.ndarray, products: np.ndarray) -> np.ndarray:
    """The minimum, from u_x² and u_t u_x at points (cells, points): a tridiagonal system."""
    total = float(np.sum(squares))
    if not total > 0:
        return np.zeros(mesh.size + 1)
    low, high = 0.5 * (1 - points), 0.5 * (1 + points)
    stiff = MOTION.smooth * total * np.sum(mesh.widths) / mesh.widths
    beside = squares @ (low * high) - stiff
    middle = np.append(squares @ low**2 + stiff, 0.0) + np.append(0.0, squares @ high**2 + stiff)
    right = -np.append(products @ low, 0.0) - np.append(0.0, products @ high)
    free = ~mesh.fixed
    beside = np.where(free[1:] & free[:-1], beside, 0.0)
    *_, found, info = dptsv(np.where(free, middle, 1.0), beside, np.where(free, right, 0.0))
    if info != 0:
        raise LinAlgError("The system for the speeds of edges is not positive.")
    return found


def longest(mesh: MovingMesh) -> float:
    """The longest step in which no cell changes its width by more than a part MOTION.squeeze."""
    fastest = float(np.max(np.abs(np.diff(mesh.speeds)) / mesh.widths))
    return MOTION.squeeze / fastest if fastest > 0 else np.inf
