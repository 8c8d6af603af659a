# SPDX-License-Identifier: MIT
"""u(x, t) = Σ_q c_q Φ_q(x, t) on a window (Paper, eq:unified-ansatz): a trial space and its coefficients."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from lrfm.problem import Jet
from lrfm.rows.pieces import Evaluated
from lrfm.spaces.stored import check_array
from lrfm.spacetime.features import SampledSpace
from lrfm.spacetime.features.stored import check_space
from lrfm.spacetime.windows.patches import column_slices


@dataclass(frozen=True)
class Expansion(Evaluated):
    """One window's fitted functions, one coefficient vector per real field."""

    window: tuple[float, float]
    spaces: dict[str, SampledSpace]
    coefficients: dict[str, np.ndarray]

    @staticmethod
    def from_vector(
        window: tuple[float, float], spaces: Mapping[str, SampledSpace], c: np.ndarray
    ) -> Expansion:
        """Cut one coefficient vector into the fields' parts."""
        parts = {field: c[columns].copy() for field, columns in column_slices(spaces).items()}
        for part in parts.values():
            part.flags.writeable = False
        return Expansion(window, dict(spaces), parts)

    def record(self) -> dict[str, object]:
        """The expansion as plain fields for a file: each space once, fields refer to it by number."""
        spaces = list({id(space): space for space in self.spaces.values()}.values())
        number = {id(space): i for i, space in enumerate(spaces)}
        return {
            "window": self.window,
            "spaces": spaces,
            "space_of": {field: number[id(space)] for field, space in self.spaces.items()},
            "coefficients": self.coefficients,
        }

    @staticmethod
    def from_record(
        window: tuple[float, float],
        spaces: Sequence[SampledSpace],
        space_of: dict[str, int],
        coefficients: dict[str, np.ndarray],
    ) -> Expansion:
        """Build again what `record` wrote; fields that shared a space share it again. ValueError where it could not be evaluated."""
        if not all(0 <= i < len(spaces) for i in space_of.values()) or space_of.keys() != coefficients.keys():
            raise ValueError("fields, spaces and coefficients do not belong together")
        if not -inf < window[0] < window[1] < inf:
            raise ValueError(f"`window` is {window}")
        for space in spaces:
            check_space(space)
        for field, i in space_of.items():
            check_array(f"coefficients.{field}", coefficients[field], (spaces[i].size,))
        return Expansion(window, {field: spaces[i] for field, i in space_of.items()}, coefficients)

    def values(self, jets: Iterable[Jet], points: np.ndarray) -> dict[Jet, np.ndarray]:
        """D^a u of several fields at points; what fields share a space is evaluated together, all orders at once."""
        groups: dict[int, list[Jet]] = {}
        for jet in jets:
            groups.setdefault(id(self.spaces[jet.field]), []).append(jet)
        result: dict[Jet, np.ndarray] = {}
        for members in groups.values():
            fields = list(dict.fromkeys(jet.field for jet in members))
            orders = sorted({jet.index for jet in members})
            stacked = np.column_stack([self.coefficients[field] for field in fields])
            sums = self.spaces[fields[0]].combine(points, orders, stacked)
            result |= {jet: sums[jet.index][:, fields.index(jet.field)] for jet in members}
        return result
