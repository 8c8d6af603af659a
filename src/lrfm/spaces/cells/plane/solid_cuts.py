# SPDX-License-Identifier: MIT
"""Which boxes of space surfaces cut, and along which axis each surface is a graph over a side of its box.

A leaf is divided at planes normal to an axis, and then into eight as long as no axis e has  |n·e| ≥ c,  of one sign, for the normals n of every surface in it.
Where two surfaces meet at an edge there may be no such axis in boxes of any size: these are divided a few times only.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from itertools import product

import numpy as np

from lrfm.spaces.cells.plane.mesh import PlaneMesh
from lrfm.spaces.cells.plane.slices import sampled, unit_grid
from lrfm.spaces.cells.plane.solid import Solid


@dataclass(frozen=True)
class SolidBoxes:
    """Boxes (m, 6) within leaves: `axis` is the direction in which all levels (m, curved levels) that are there are graphs, `depth` how often the leaf was divided."""

    boxes: np.ndarray
    leaf: np.ndarray
    axis: np.ndarray
    active: np.ndarray
    depth: np.ndarray

    def __getitem__(self, among: np.ndarray) -> SolidBoxes:
        return SolidBoxes(*(getattr(self, f.name)[among] for f in fields(self)))

    @staticmethod
    def joined(parts: list[SolidBoxes]) -> SolidBoxes:
        """Those of all parts."""
        return SolidBoxes(
            *(np.concatenate([getattr(part, f.name) for part in parts]) for f in fields(SolidBoxes))
        )


@dataclass(frozen=True)
class SolidCuts:
    """Cut boxes; whole boxes that are parts of leaves, without an axis; which levels (leaves, curved levels) are in each leaf; leaves that are divided; leaves in which a surface bends."""

    cut: SolidBoxes
    whole: SolidBoxes
    active: np.ndarray
    divided: np.ndarray
    bent: np.ndarray


def solid_cuts(solid: Solid, mesh: PlaneMesh) -> SolidCuts:
    """All leaves of a mesh, divided where they have to be."""
    boxes, leaf = mesh.boxes, np.arange(mesh.leaves)
    for axis, place in solid.planes:
        boxes, leaf = _halved(boxes, leaf, axis, place, solid.beside)
    pieces = np.bincount(leaf, minlength=mesh.leaves)
    in_leaf = np.zeros((mesh.leaves, len(solid.curved)), dtype=bool)
    done, whole, bent = [], [], []
    for depth in range(solid.numbers.eighths + 1):
        active, axis, good = _directions(solid, boxes)
        if depth == 0:
            np.logical_or.at(in_leaf, leaf, active)
        several = active.sum(axis=1) > 1
        if depth > 1:
            bent.append(leaf[~several & ~good])
        good |= (depth == solid.numbers.eighths) | (several & (depth >= solid.numbers.edge_eighths))
        plain = ~active.any(axis=1)
        for some, among in ((whole, plain), (done, good & ~plain)):
            deep = np.full(int(among.sum()), depth)
            some.append(SolidBoxes(boxes[among], leaf[among], axis[among], active[among], deep))
        left = ~good & ~plain
        if not left.any():
            break
        boxes, leaf = _eighths(boxes[left]), np.tile(leaf[left], 8)
    divided = (pieces > 1) | in_leaf.any(axis=1)
    parts = SolidBoxes.joined(whole)
    turned = np.unique(np.concatenate([*bent, np.zeros(0, dtype=int)]))
    return SolidCuts(SolidBoxes.joined(done), parts[divided[parts.leaf]], in_leaf, divided, turned)


def _halved(
    boxes: np.ndarray, leaf: np.ndarray, axis: int, place: float, near: float
) -> tuple[np.ndarray, np.ndarray]:
    """Boxes divided at a plane."""
    through = (boxes[:, 2 * axis] + near < place) & (boxes[:, 2 * axis + 1] - near > place)
    lower, upper = boxes[through].copy(), boxes[through].copy()
    lower[:, 2 * axis + 1] = upper[:, 2 * axis] = place
    return (
        np.concatenate([boxes[~through], lower, upper]),
        np.concatenate([leaf[~through], leaf[through], leaf[through]]),
    )


def _eighths(boxes: np.ndarray) -> np.ndarray:
    low, high = boxes[:, 0::2], boxes[:, 1::2]
    middle, parts = 0.5 * (low + high), []
    for side in product((0, 1), repeat=3):
        upper = np.array(side, dtype=bool)
        part = np.empty_like(boxes)
        part[:, 0::2], part[:, 1::2] = np.where(upper, middle, low), np.where(upper, high, middle)
        parts.append(part)
    return np.concatenate(parts)


def _directions(solid: Solid, boxes: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Which curved levels may be in each box, the axis along which all of these are graphs, and whether there is one."""
    m, count = len(boxes), solid.numbers.looks
    grid = unit_grid(count, 3)
    active, score = np.zeros((m, len(solid.curved)), dtype=bool), np.full((m, 3), np.inf)
    low, width = boxes[:, 0::2], boxes[:, 1::2] - boxes[:, 0::2]
    points = (low[:, None] + width[:, None] * grid).reshape(-1, 3)
    for number, level in enumerate(solid.curved):
        values = solid.values(np.full(len(points), level), points).reshape(m, count, count, count)
        some, least = sampled(solid, values, width, solid.numbers.upright)
        active[:, number] = some
        score[some] = np.minimum(score[some], least[some])
    axis = np.argmax(score, axis=1)
    return active, axis, score[np.arange(m), axis] >= solid.numbers.upright
