# SPDX-License-Identifier: MIT
"""Functions of a domain of several layers: each lives in one layer, and is zero in all others.

φ(x) 1_Ωᵢ(x);   on an interface  Dᵃφ  as it is seen from one side (`OneSided`): that of the functions of that layer, zero for all others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lrfm.problem.shapes.protocol import Layered
from lrfm.spaces.orders import MultiIndex, OneSided
from lrfm.spaces.regions.families import Family


@dataclass(frozen=True)
class LayeredFamilies:
    """Families of functions of each layer, in the order of the layers."""

    domain: Layered
    members: tuple[tuple[Family, ...], ...]

    @cached_property
    def _sizes(self) -> list[int]:
        return [sum(family.size for family in families) for families in self.members]

    @property
    def size(self) -> int:
        return sum(self._sizes)

    def tables(self, points: np.ndarray, indices: Iterable[MultiIndex]) -> dict[MultiIndex, np.ndarray]:
        wanted = list(indices)
        found: dict[MultiIndex, np.ndarray] = {a: np.zeros((len(points), self.size)) for a in wanted}
        for places, columns, blocks in self._blocks(points, wanted):
            for index, block in blocks.items():
                found[index][places, columns] = block
        return found

    def products(
        self, points: np.ndarray, indices: Iterable[MultiIndex], matrix: np.ndarray
    ) -> dict[MultiIndex, np.ndarray]:
        """Σ_j Dᵃφ_j(x) m_j for the columns m of a matrix; what is zero is left out."""
        wanted = list(indices)
        found: dict[MultiIndex, np.ndarray] = {a: np.zeros((len(points), matrix.shape[1])) for a in wanted}
        for places, columns, blocks in self._blocks(points, wanted):
            for index, block in blocks.items():
                found[index][places] = block @ matrix[columns]
        return found

    def _blocks(
        self, points: np.ndarray, wanted: list[MultiIndex]
    ) -> Iterator[tuple[np.ndarray, slice, dict[MultiIndex, np.ndarray]]]:
        """Places, functions, and the derivatives of these there, for all that is not zero."""
        inside: dict[MultiIndex, MultiIndex] = {a: a for a in wanted if not isinstance(a, OneSided)}
        owner = self.domain.owner(points) if inside else np.zeros(0)
        first = 0
        for number, (name, families) in enumerate(zip(self.domain.layers, self.members, strict=True)):
            columns = slice(first, first + self._sizes[number])
            first = columns.stop
            seen = {a: a.order for a in wanted if isinstance(a, OneSided) and a.layer == name}
            for places, keys in ((np.flatnonzero(owner == number), inside), (np.arange(len(points)), seen)):
                if len(places) and keys:
                    orders = list(dict.fromkeys(keys.values()))
                    tables = [family.tables(points[places], orders) for family in families]
                    joined = {a: np.concatenate([t[a] for t in tables], axis=1) for a in orders}
                    yield places, columns, {key: joined[order] for key, order in keys.items()}
