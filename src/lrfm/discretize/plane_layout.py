# SPDX-License-Identifier: MIT
"""What a statement in the plane is made of on cells: weak equations, and which condition says what about which field on each part of the boundary."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lrfm.discretize.constraint import check_pressure, constraint, undetermined
from lrfm.discretize.evolution import ANY, EvolutionSystem, Unsuited
from lrfm.discretize.weak import WeakEquation, weak
from lrfm.problem import Jet, Row
from lrfm.problem.rates import time_derivative
from lrfm.spaces.cells.plane.functions import number_of
from lrfm.spaces.cells.plane.outline import Outline


@dataclass(frozen=True)
class PartCondition:
    """A condition of one field on one part: a value, u = g, or a flux, β·∇u + r = 0."""

    row: Row
    field: int
    flux: bool


@dataclass(frozen=True, eq=False)
class PlaneLayout:
    """A statement in the plane with polynomials of some degree."""

    system: EvolutionSystem
    outline: Outline
    degree: int

    @cached_property
    def size(self) -> int:
        """Coefficients of a field in a cell."""
        return number_of(self.degree)

    @cached_property
    def equations(self) -> list[WeakEquation]:
        """Each tested by the functions of its field."""
        system = self.system
        return [
            constraint(row) if c in system.multipliers else weak(row)
            for c, row in zip(system.last, system.equations, strict=True)
        ]

    @cached_property
    def sizes(self) -> list[int]:
        """Coefficients of each field in a cell: a pressure is of one degree less than the velocity that it drives."""
        less = number_of(self.degree - 1)
        return [less if c in self.system.multipliers else self.size for c in self.system.last]

    @cached_property
    def undetermined(self) -> list[int]:
        """Pressures that are known up to a constant, as components."""
        return undetermined(self.system)

    @cached_property
    def powers(self) -> dict[Jet, tuple[int, int, tuple[int, int], int]]:
        """Of each jet: its field, its component, its derivative in space, and its power of s."""
        s, found = self.system, {}
        jets = [jet for equation in self.equations for jet in equation.jets]
        jets += [d.jet for equation in self.equations for d in equation.diffusions]
        jets += [jet for conditions in self.conditions.values() for c in conditions for jet in c.row.jets]
        jets += [jet for c in s.multipliers for jet in s.equations[s.last.index(c)].jets]
        more = [Jet(jet.field, (0, 0, jet.index[-1])) for jet in jets]
        for jet in dict.fromkeys([*jets, *more]):
            entry = s.entry(jet)
            field, power = s.power(entry.component, entry.rate)
            index = (int(entry.index[0]), int(entry.index[1]))
            found[jet] = field, entry.component, index, power
        return found

    @cached_property
    def lowest(self) -> list[int]:
        """The lowest power of s in each equation."""
        return [min(self.powers[jet][3] for jet in equation.jets) for equation in self.equations]

    @cached_property
    def conditions(self) -> dict[str, list[PartCondition]]:
        """By part of the boundary."""
        system = self.system
        found: dict[str, list[PartCondition]] = {}
        for part, rows in system.problem.face_rows.items():
            owners = system._owners(rows, ANY)
            found[part] = [self._condition(row, name) for row, name in zip(rows, owners, strict=True)]
        return found

    def _condition(self, row: Row, name: str) -> PartCondition:
        own = [jet for jet in row.jets if jet.whole == name]
        orders = {sum(jet.index[:-1]) for jet in own}
        if max(orders) > 1:
            raise Unsuited(f"{row.label} holds second derivatives, which cells of the plane do not.")
        return PartCondition(row, self.system.fields.index(name), max(orders) == 1)

    def condition(self, part: str, field: int) -> PartCondition | None:
        """What is said of a field on a part."""
        found = [c for c in self.conditions.get(part, ()) if c.field == field]
        return found[0] if found else None

    def driving(self, field: int) -> list[int]:
        """Pressures whose gradient is in the equation of a field, as components."""
        s, row = self.system, self.system.equations[field]
        names = {jet.whole for jet in row.jets if sum(jet.index[:-1])}
        return [c for c in s.multipliers if s.components[c][0] in names]

    @cached_property
    def singular(self) -> list[tuple[np.ndarray, float]]:
        """Corners at which solutions behave like r^α with α < 1, and α: π/ω for an angle ω between conditions of one kind, π/(2ω) between a value and a flux."""
        found = []
        for corner in self.system.problem.domain.corners:
            kinds = [{c.field: c.flux for c in self.conditions.get(part, ())} for part in corner.parts]
            mixed = any(kinds[1].get(field, flux) != flux for field, flux in kinds[0].items())
            power = math.pi / corner.angle / (2 if mixed else 1)
            if power < 1 - 1e-9:
                found.append((np.asarray(corner.point, dtype=float), power))
        return found

    def at_level(self, condition: PartCondition, level: int) -> Row:
        """A condition on u as one on ∂ₜ^level u."""
        row, name = condition.row, self.system.fields[condition.field]
        lowest = min(jet.index[-1] for jet in row.jets if jet.whole == name)
        for _ in range(level - lowest):
            row = time_derivative(row, self.system.problem.time)
        return row

    def check(self) -> None:
        """Refuse what cells of the plane do not hold (Unsuited)."""
        s = self.system
        problem = s.problem
        if problem.domain.dimension != 2:
            raise Unsuited("These cells are for the plane.")
        if problem.domain.moving or s.motion is not None:
            raise Unsuited("Cells of the plane do not hold a domain that moves yet.")
        if hasattr(problem.domain, "interfaces") or any(jet.side for row in s.equations for jet in row.jets):
            raise Unsuited("Cells of the plane do not hold layers yet.")
        if problem.periodic:
            raise Unsuited("Cells of the plane do not hold periodic directions yet.")
        if s.flat or problem.functionals:
            raise Unsuited("Cells of the plane do not hold means and unknowns of time alone yet.")
        check_pressure(s, self.equations)
        for equation in self.equations:
            for d in equation.diffusions:
                field = s.fields.index(d.jet.whole)
                for part in problem.face_rows:
                    if self.condition(part, field) is None and not self._opened(part, field):
                        raise Unsuited(f"`{d.jet.whole}` has no condition on the part `{part}`.")
        self._check_counts(problem.face_rows)
        assert self.powers

    def _opened(self, part: str, field: int) -> bool:
        """Whether a pressure is given on a part in the place of a velocity, the only one that lacks a condition there."""
        found = [c for c in self.driving(field) if self.condition(part, self.system.last.index(c))]
        lacking = [
            i
            for i in range(len(self.system.fields))
            if found and set(found) & set(self.driving(i)) and self.condition(part, i) is None
        ]
        return lacking == [field]

    def _check_counts(self, faces: Mapping[str, Sequence[Row]]) -> None:
        for part in faces:
            fields = [c.field for c in self.conditions[part]]
            if len(set(fields)) != len(fields):
                raise Unsuited(f"The part `{part}` has several conditions for one unknown.")
            for c in self.system.multipliers:
                i = self.system.last.index(c)
                if any(k.field == i and k.flux for k in self.conditions[part]):
                    raise Unsuited(
                        f"The part `{part}` gives a slope of a pressure, which cells of the plane do not hold."
                    )
                driven = [k for k in range(len(self.system.fields)) if c in self.driving(k)]
                if i in fields and all(self.condition(part, k) for k in driven):
                    name = self.system.components[c][0]
                    raise Unsuited(
                        f"The part `{part}` has a condition for each component of the velocity and one for `{name}`, which is one too many. Leave one out, or write an outlet as "
                        f"`{name} = nu*u_n` beside `v_n = 0`."
                    )
