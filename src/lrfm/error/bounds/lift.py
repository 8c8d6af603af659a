# SPDX-License-Identifier: MIT
"""w = Σ c_k(t) ξᵏ, k ≤ 3, the shortest c for which u_h + w meets all conditions: what is left has conditions without data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lrfm.error.bounds.energy import Energy
from lrfm.problem import Jet
from lrfm.problem.equation import Row
from lrfm.rows.cell_steps import CellSteps


@dataclass(frozen=True)
class Lifted:
    """∂ₓᵏ∂ₜʲ w at points, (n, m), by (k, j)."""

    parts: dict[tuple[int, int], np.ndarray]

    @property
    def value(self) -> np.ndarray:
        return self.parts[0, 0]

    def of(self, jet: Jet, fields: Sequence[str]) -> np.ndarray:
        """A derivative of one field of w."""
        return self.parts[jet.index[0], jet.index[1]][:, fields.index(jet.field)]


class Lift:
    """w = Σ c_k(t) ξᵏ, k ≤ 3, the shortest c for which u_h + w meets all conditions."""

    def __init__(self, energy: Energy, piece: CellSteps):
        self.energy, self.piece = energy, piece
        self.length = energy.high - energy.low
        parts = []
        for end in energy.ends:
            value, slope, _ = self._powers(np.array([end.place]))
            each = np.eye(len(end.fields))
            parts.append(end.matrix @ np.vstack([np.kron(value, each), np.kron(slope, each)]))
        self.rows = [(end.place, in_time) for end in energy.ends for in_time in end.in_time]
        self.solved = np.linalg.pinv(np.vstack(parts)) if self.rows else np.zeros((4 * len(energy.fields), 0))

    def _powers(self, x: np.ndarray) -> list[np.ndarray]:
        """ξᵏ and its two derivatives by x, (n, 4) each."""
        xi = (x - self.energy.low) / self.length
        k = np.arange(4)
        one = xi[:, None] ** k
        two = k * xi[:, None] ** np.maximum(k - 1, 0) / self.length
        three = k * (k - 1) * xi[:, None] ** np.maximum(k - 2, 0) / self.length**2
        return [one, two, three]

    def at(self, points: np.ndarray) -> Lifted:
        fields, orders = len(self.energy.fields), self.energy.order + 1
        if not self.rows:
            zero = np.zeros((len(points), fields))
            return Lifted({(k, j): zero for k in range(3) for j in range(orders)})
        moments, which = np.unique(points[:, 1], return_inverse=True)
        gaps = np.array([self._gap(place, in_time, moments) for place, in_time in self.rows])
        c = [(self.solved @ gaps[:, j]).T.reshape(-1, 4, fields)[which] for j in range(orders)]
        powers = self._powers(points[:, 0])
        return Lifted(
            {(k, j): np.einsum("nk,nkf->nf", powers[k], c[j]) for k in range(3) for j in range(orders)}
        )

    def _gap(self, place: float, in_time: tuple[Row, ...], moments: np.ndarray) -> np.ndarray:
        """What u_h leaves open in a condition, and its derivatives in time."""
        points = np.column_stack([np.full(len(moments), place), moments])
        return np.array([-row.residual(points, self.piece.values(row.jets, points)) for row in in_time])
