# SPDX-License-Identifier: MIT
"""Steps on a domain of any shape: functions of all coordinates at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lrfm.rows.shared_steps import SharedSteps
from lrfm.rows.steps import Steps
from lrfm.spaces.axes.product import ProductBasis
from lrfm.spaces.bases import Basis
from lrfm.spaces.regions.basis import RegionBasis
from lrfm.spaces.regions.stored import basis_from, basis_record


@dataclass(frozen=True)
class RegionSteps(SharedSteps):
    """Some steps in a row on a basis of a region."""

    basis: RegionBasis

    def record(self) -> dict[str, object]:
        """The piece as plain arrays and numbers for a file."""
        return {**self.plain(), **basis_record(self.basis)}

    @staticmethod
    def from_record(
        fields: Sequence[str],
        edges: np.ndarray,
        starts: np.ndarray,
        slopes: np.ndarray,
        families: Sequence[dict[str, np.ndarray]],
        mixing: np.ndarray,
        layers: Mapping[str, Any] | None = None,
    ) -> RegionSteps:
        """Build again what `record` wrote; it evaluates, but cannot be marched on. ValueError where it could not be evaluated."""
        return RegionSteps.of(basis_from(families, mixing, layers), fields, edges, starts, slopes)


def piece_of(
    basis: Basis,
    fields: tuple[str, ...],
    edges: np.ndarray,
    starts: np.ndarray,
    slopes: np.ndarray,
) -> Steps | RegionSteps:
    """Steps that share a basis, as a piece."""
    if isinstance(basis, RegionBasis):
        return RegionSteps(basis, fields, edges, starts, slopes)
    assert isinstance(basis, ProductBasis)
    return Steps(basis, fields, edges, starts, slopes)
