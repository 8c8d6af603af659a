# SPDX-License-Identifier: MIT
"""Coefficients on some cells of the plane or of space from those on others: copies where a cell is the same, projections elsewhere."""

from __future__ import annotations

import numpy as np

from lrfm.spaces.cells.plane.space import PlaneCells


class Moved:
    """Takes coefficients from some cells to others: copies where a cell is the same, projections elsewhere.

    Whole boxes have the functions of a lower degree among their own; those of cut ones are orthonormal on other points, which a projection takes from one to the other.
    """

    def __init__(self, before: PlaneCells, after: PlaneCells):
        self.before, self.after = before, after
        old, new = _signatures(before), _signatures(after)
        pairs = [(k, old[key]) for key, k in new.items() if key in old]
        same = np.array(pairs, dtype=int).reshape(-1, 2)
        if before.degree != after.degree:
            same = same[after.plain[same[:, 0]]]
        self.to, self.source = same[:, 0], same[:, 1]
        self.fresh = np.ones(after.size, dtype=bool)
        self.fresh[self.to] = False

    def __call__(self, arrays: np.ndarray) -> np.ndarray:
        """(…, cells, size) on the new cells."""
        before, after = self.before, self.after
        flat = arrays.reshape(-1, *arrays.shape[-2:])
        result = np.zeros((len(flat), after.size, after.functions))
        result[:, self.to, : before.functions] = flat[:, self.source]
        for batch in after.batches:
            among = np.flatnonzero(self.fresh[batch.cells])
            if not len(among):
                continue
            points, weights = batch.points[among], batch.weights[among]
            values = before.values(flat, points.reshape(-1, after.dimension)).reshape(
                len(flat), *weights.shape
            )
            table = batch.values if len(batch.values) == 1 else batch.values[among]
            result[:, batch.cells[among]] = np.matmul((values * weights)[:, :, None, :], table)[:, :, 0]
        return result.reshape(*arrays.shape[:-2], after.size, after.functions)


def _signatures(space: PlaneCells) -> dict[tuple[int, ...], int]:
    """Cells by the boxes and regions that they are made of."""
    leaf = space.pieces >> 8
    keys = (space.mesh.keys(space.mesh.level[leaf], space.mesh.index[leaf]) << 8) + (space.pieces & 255)
    order = np.lexsort([keys, space.owner])
    keys, owner = keys[order], space.owner[order]
    starts = np.flatnonzero(np.append(True, np.diff(owner) > 0))
    ends = np.append(starts[1:], len(keys))
    values = keys.tolist()
    return {
        tuple(values[a:b]): k for k, (a, b) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True))
    }
