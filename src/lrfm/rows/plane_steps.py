# SPDX-License-Identifier: MIT
"""u(x, t) on cells of the plane or of space that change from step to step:  Σ a_kij(t) P_i(ξ) P_j(η) in cell k,  a polynomial of degree K in time on each step.

a(t₀ + τh) = a₀ + Σ_s (h c_s) ∫₀^τ P_s(2σ − 1) dσ,   c_s the Legendre coefficients of a′.   All steps of a run are one piece.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from lrfm.problem import Jet
from lrfm.rows.pieces import CellwiseSteps, check_steps, groups
from lrfm.spaces.cells.plane.frame import PlaneFrame
from lrfm.spaces.cells.plane.stored import frame_from, frame_record
from lrfm.spaces.stored import check_array


@dataclass(frozen=True)
class PlaneSteps(CellwiseSteps):
    """Steps in a row, each on the cells of a mesh.

    Parameters
    ----------
    fields
        Names of real fields.
    edges
        Times at which steps begin and end.
    mesh_of
        The number of each step's mesh.
    frames
        Cells and their functions, by mesh.
    rows
        a₀ and h c_s of each cell of each step, one step after the other: (cells of all steps, 1 + K, fields, size).
    """

    fields: tuple[str, ...]
    edges: np.ndarray
    mesh_of: np.ndarray
    frames: tuple[PlaneFrame, ...]
    rows: np.ndarray

    @staticmethod
    def from_record(
        fields: Sequence[str],
        edges: np.ndarray,
        mesh_of: Sequence[int],
        frames: Sequence[Mapping[str, Any]],
        rows: np.ndarray,
    ) -> PlaneSteps:
        """Build again what `record` wrote; ValueError where its parts do not belong together."""
        steps = check_steps(fields, edges)
        whole = [isinstance(n, int) and not isinstance(n, bool) and 0 <= n < len(frames) for n in mesh_of]
        if len(mesh_of) != steps or not all(whole):
            raise ValueError("`mesh_of` names a mesh that is not there")
        made = tuple(frame_from(**frame) for frame in frames)
        meshes = np.array(mesh_of, dtype=np.int64)
        total = sum(made[n].size for n in mesh_of)
        stages = rows.shape[1] if rows.ndim == 4 else 0
        check_array("rows", rows, (total, stages, len(fields), made[0].functions))
        if stages < 2 or len({frame.functions for frame in made}) > 1:
            raise ValueError("`rows` has no coefficients of cells")
        return PlaneSteps(tuple(fields), edges, meshes, made, rows)

    def record(self) -> dict[str, object]:
        """The piece as plain arrays and numbers for a file."""
        return {
            "fields": list(self.fields),
            "edges": self.edges,
            "mesh_of": self.mesh_of.tolist(),
            "frames": [frame_record(frame) for frame in self.frames],
            "rows": self.rows,
        }

    @cached_property
    def _firsts(self) -> np.ndarray:
        """Where the cells of each step begin among all."""
        return np.append(0, np.cumsum([self.frames[n].size for n in self.mesh_of]))

    def cells_at(self, time: float) -> np.ndarray:
        """x₀, x₁, y₀, y₁, … of the boxes of the cells at a time: (boxes, 2d)."""
        step = min(int(np.searchsorted(self.edges[1:-1], time, side="right")), self.steps - 1)
        frame = self.frames[self.mesh_of[step]]
        return frame.mesh.boxes[np.unique(frame.pieces >> 8)]

    def parted(self, one: np.ndarray, other: np.ndarray) -> np.ndarray:
        """Which pairs of points (n, d + 1), of the same times, are in different cells."""
        meshes = self.mesh_of[np.searchsorted(self.edges[1:-1], one[:, -1], side="right")]
        found = np.zeros(len(one), bool)
        for mesh in np.unique(meshes):
            frame, own = self.frames[mesh], meshes == mesh
            found[own] = frame.locate(one[own, :-1]) != frame.locate(other[own, :-1])
        return found

    def _sums(self, jets: Sequence[Jet], step: np.ndarray, places: np.ndarray) -> dict[Any, np.ndarray]:
        wanted = list(dict.fromkeys((jet.field, jet.index[:-1]) for jet in jets))
        found = {key: np.empty((len(places), self.rows.shape[1])) for key in wanted}
        meshes = self.mesh_of[step]
        for among in groups(meshes):
            frame = self.frames[meshes[among[0]]]
            cell = frame.locate(places[among])
            numbers = self._firsts[step[among]] + cell
            tables: dict[Any, np.ndarray] = {}
            for field, index in wanted:
                if index not in tables:
                    tables[index] = frame.table(cell, places[among], tuple(index))
                rows = self.rows[numbers, :, self.number(field)]
                found[field, index][among] = np.matmul(rows, tables[index][:, :, None])[:, :, 0]
        return found
