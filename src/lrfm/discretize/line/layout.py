# SPDX-License-Identifier: MIT
"""Which coefficients a statement has on a cell: k + m of a field of order m, k points at which its equations hold."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from lrfm.discretize.evolution import EvolutionSystem, Unsuited
from lrfm.discretize.options import SAFEGUARDS, Options
from lrfm.problem import Jet
from lrfm.spaces.cells import Reference
from lrfm.spaces.cells.reference import POLYNOMIALS, CellFunctions

if TYPE_CHECKING:
    from lrfm.discretize.line.numbering import Numbering


def points_of(system: EvolutionSystem, options: Options) -> int:
    """Points per cell: as many as the tolerance asks for, and one where a point is all there is."""
    return 1 if system.problem.ordinary else options.points(system.highest_orders[0])


@dataclass(frozen=True)
class Layout:
    """Which coefficients a statement has on a cell, and at which points its equations hold.

    Parameters
    ----------
    system
        The statement as rows in y and y′.
    count
        Points of a cell, k.
    end
        0 for Gauss points, −1 or +1 for Gauss-Radau points with the left or the right end of a cell.
    functions
        Those of a cell that the coefficients belong to.
    """

    system: EvolutionSystem
    count: int
    end: int = 0
    functions: CellFunctions = POLYNOMIALS

    @cached_property
    def lumped(self) -> list[int]:
        """Fields of time alone."""
        s = self.system
        return [i for i, field in enumerate(s.fields) if s.first[field] in s.flat]

    @cached_property
    def spatial(self) -> list[int]:
        """All other fields."""
        return [i for i in range(len(self.system.fields)) if i not in self.lumped]

    @cached_property
    def orders(self) -> tuple[int, ...]:
        """The highest derivative in space of each field in the equations, m."""
        s = self.system
        rows = [s.equations[i] for i in self.spatial]
        found = [[jet.index[0] for row in rows for jet in row.jets if jet.whole == f] for f in s.fields]
        return tuple(0 if i in self.lumped else max(own, default=0) for i, own in enumerate(found))

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Coefficients of each field in a cell, k + m; one of what depends on time alone."""
        return tuple(1 if i in self.lumped else self.count + m for i, m in enumerate(self.orders))

    @cached_property
    def size(self) -> int:
        """Coefficients kept per cell and component; fields of lower order leave the last ones zero."""
        return max(self.sizes[i] for i in self.spatial)

    @cached_property
    def highest(self) -> int:
        """The highest derivative in space that any row needs."""
        s = self.system
        rows = (*s.equations, *(c.row for c in (*s.conditions, *s.constraints)))
        return max((jet.index[0] for row in rows for jet in row.jets), default=0)

    @cached_property
    def reference(self) -> Reference:
        """Tables of one cell."""
        orders = max(self.highest, max(self.orders))
        return Reference(self.size, self.count, self.end, orders, self.functions)

    @cached_property
    def powers(self) -> dict[Jet, tuple[int, int, int, int]]:
        """Of each jet: its field, its component, its derivative in space, and its power of s."""
        s, found = self.system, {}
        for row in (*s.equations, *(c.row for c in s.conditions)):
            for jet in row.jets:
                entry = s.entry(jet)
                field, power = s.power(entry.component, entry.rate)
                found[jet] = field, entry.component, jet.index[0], power
        return found

    @cached_property
    def slices(self) -> dict[Jet, tuple[bool, tuple[slice, int, slice, slice]]]:
        """Of each jet: whether it is a rate, and where its values at points are among derivatives (times, components, cells, (orders)·(k + 2))."""
        whole, k, found = slice(None), self.count, {}
        for jet, (_, component, order, power) in self.powers.items():
            at = order * (k + 2)
            found[jet] = power == 0, (whole, component, whole, slice(at, at + k))
        return found

    @cached_property
    def wanted(self) -> list[Jet]:
        """What the equations ask for."""
        return list(dict.fromkeys(jet for row in self.system.equations for jet in row.jets))

    @cached_property
    def reads(self) -> list[tuple[bool, tuple[slice, int, slice, slice]]]:
        """The slices of all that the equations ask for."""
        return [self.slices[jet] for jet in self.wanted]

    @cached_property
    def read_by(self) -> list[list[int]]:
        """Of each equation: which of them its jets are."""
        number = {jet: n for n, jet in enumerate(self.wanted)}
        return [[number[jet] for jet in row.jets] for row in self.system.equations]

    @cached_property
    def lowest_of_equations(self) -> list[int]:
        """The lowest power of s in each equation."""
        return [min(self.powers[jet][3] for jet in row.jets) for row in self.system.equations]

    @cached_property
    def lowest_of_conditions(self) -> list[int]:
        """The lowest power of s in each condition."""
        return [min(self.powers[jet][3] for jet in c.row.jets) for c in self.system.conditions]

    @property
    def highest_table(self) -> int:
        """The highest derivative among the tables of a cell."""
        return len(self.reference.at_points) - 1

    @cached_property
    def rate_order(self) -> int:
        """The highest derivative in space of a rate in any row."""
        return max((order for _, _, order, power in self.powers.values() if power == 0), default=0)

    @cached_property
    def derivatives(self) -> np.ndarray:
        """All derivatives at the points of a cell, then at its two ends: (size, (orders)·(k + 2)), order by order."""
        at = self.reference
        both = [np.concatenate([at.at_points[d], at.at_ends[:, d]]) for d in range(len(at.at_points))]
        return np.ascontiguousarray(np.concatenate(both).T)

    @cached_property
    def placed(self) -> list[int]:
        """Fields of time alone that are values at a place."""
        s = self.system
        return [i for i in self.lumped if s.first[s.fields[i]] in s.places]

    def place_of(self, i: int) -> float | None:
        """The place at which a field of time alone is a value; None for all other fields."""
        return self.system.places[self.system.first[self.system.fields[i]]] if i in self.placed else None

    @property
    def places(self) -> list[float]:
        """The places of these."""
        s = self.system
        return [s.places[s.first[s.fields[i]]] for i in self.placed]

    @cached_property
    def interfaces(self) -> np.ndarray:
        """Places inside of the interval at which conditions hold instead of continuity, in order."""
        return np.unique([c.place for c in self.system.conditions if c.inner])

    @cached_property
    def _numberings(self) -> dict[tuple[int, tuple[int, ...], tuple[int, ...]], Numbering]:
        return {}

    @property
    def movable(self) -> bool:
        """Whether cells may move: rates are first derivatives in time of fields of space, and a row holds a higher derivative of a field than of its rate.

        Chains u, u_t would need rates along the motion of both; values, means and unknowns of time alone would be of cells that change.
        """
        system = self.system
        local = not (self.lumped or system.links or system.problem.ordinary or system.motion)
        return local and self.rate_order < self.highest_table

    def numbering(self, cells: int, located: tuple[int, ...], edges: tuple[int, ...]) -> Numbering:
        """Of rows and columns on so many cells, with conditions at some edges; the last ones are kept, as many as memory is meant for."""
        from lrfm.discretize.line.numbering import Numbering

        key, kept = (cells, located, edges), self._numberings
        found = kept[key] = kept.pop(key, None) or Numbering(self, *key)
        while len(kept) > 1 and sum(own.numbers for own in kept.values()) > SAFEGUARDS.numbers:
            kept.pop(next(iter(kept)))
        return found

    def check(self) -> None:
        """Refuse what cells of one dimension do not hold (Unsuited)."""
        s, domain = self.system, self.system.problem.domain
        if domain.dimension != 1 or domain.moving:
            raise Unsuited("Cells are for intervals, the plane and space.")
        if not domain.is_box and not np.isclose(domain.measure(), s.interval[1] - s.interval[0]):
            raise Unsuited("Cells are for one interval, or for several that touch.")
        inner = [c.place for c in s.conditions if c.inner]
        wanted, given = 0 if s.problem.periodic else sum(self.orders), len(s.conditions) - len(inner)
        if wanted != given:
            raise Unsuited(
                f"The equations ask for {wanted} conditions at the two ends together, and {given} are given."
            )
        for place in self.interfaces:
            if inner.count(place) != sum(self.orders):
                raise Unsuited(
                    f"The equations ask for {sum(self.orders)} conditions at the interface {domain.names[0]} = {place:g}, and {inner.count(place)} are given."
                )
        if self.count < max(self.orders) + 1:
            raise ValueError(f"{self.count} points are too few for derivatives of order {max(self.orders)}.")
