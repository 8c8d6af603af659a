# SPDX-License-Identifier: MIT
"""Functions of a domain of several layers: each lives in one layer, and is zero in all others.

φ(x) 1_Ωᵢ(x);   on an interface  Dᵃφ  as it is seen from one side (`OneSided`): that of the functions of that layer, zero for all others.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from lrfm.problem.shapes.protocol import Layered
from lrfm.spaces.orders import MultiIndex
from lrfm.spaces.regions.families import Family


class OneSided(NamedTuple):
    """Dᵃ as it is in one layer, continued beyond its boundary."""

    layer: str
    order: MultiIndex


Index = MultiIndex | OneSided
"""Which derivative of a function: of what it is at a point, or of what one layer has there."""


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

    def tables(self, points: np.ndarray, indices: Iterable[Index]) -> dict[Index, np.ndarray]:
        wanted = list(indices)
        found: dict[Index, np.ndarray] = {a: np.zeros((len(points), self.size)) for a in wanted}
        inside = {a: a for a in wanted if not isinstance(a, OneSided)}
        owner = self.domain.owner(points) if inside else np.zeros(0)
        first = 0
        for number, (name, families) in enumerate(zip(self.domain.layers, self.members, strict=True)):
            columns = slice(first, first + self._sizes[number])
            first = columns.stop
            seen = {a: a.order for a in wanted if isinstance(a, OneSided) and a.layer == name}
            mine = np.flatnonzero(owner == number)
            for places, keys in ((mine, inside), (np.arange(len(points)), seen)):
                if len(places) and keys:
                    orders = list(dict.fromkeys(keys.values()))
                    tables = [family.tables(points[places], orders) for family in families]
                    for key, order in keys.items():
                        found[key][places, columns] = np.concatenate([t[order] for t in tables], axis=1)
        return found
