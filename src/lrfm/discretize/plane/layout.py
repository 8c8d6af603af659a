# SPDX-License-Identifier: MIT
"""What a statement in the plane is made of on cells: weak equations, and which condition says what about which field on each part of the boundary."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lrfm.discretize.evolution import ANY, EvolutionSystem, Unsuited
from lrfm.discretize.options import ROUNDING
from lrfm.discretize.plane.constraint import check_pressure, constraint, undetermined
from lrfm.discretize.plane.corners import exponent, jump
from lrfm.discretize.plane.junctions import junctions
from lrfm.discretize.plane.tractions import grouped_fluxes, turned
from lrfm.discretize.plane.weak import Diffusion, WeakEquation, at_rest
from lrfm.problem import Box, Jet, Row
from lrfm.problem.checks import face_grid, interior_grid
from lrfm.problem.errors import ProblemError
from lrfm.problem.rates import time_derivative
from lrfm.problem.shapes.protocol import is_layered
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
    """A statement in the plane or in space with polynomials of some degree."""

    system: EvolutionSystem
    outline: Outline
    degree: int

    @cached_property
    def _levels(self) -> dict[tuple[Row, int, int], Row]:
        """Conditions on ∂ₜ^level u that were asked for: rows are derived once."""
        return {}

    @property
    def dimension(self) -> int:
        """Of the domain."""
        return self.system.problem.domain.dimension

    @cached_property
    def size(self) -> int:
        """Coefficients of a field in a cell."""
        return number_of(self.degree, self.dimension)

    @cached_property
    def equations(self) -> list[WeakEquation]:
        """Each tested by the functions of its field."""
        system = self.system
        rows = dict(enumerate(system.equations))
        found = {i: constraint(rows.pop(i)) for i, c in enumerate(system.last) if c in system.multipliers}
        found |= turned(self, rows)
        return [found[i] for i in range(len(system.last))]

    @cached_property
    def sizes(self) -> list[int]:
        """Coefficients of each field in a cell: a pressure is of one degree less than the velocity that it drives."""
        less = number_of(self.degree - 1, self.dimension)
        return [less if c in self.system.multipliers else self.size for c in self.system.last]

    @cached_property
    def undetermined(self) -> list[int]:
        """Pressures that are known up to a constant, as components."""
        return undetermined(self.system)

    @cached_property
    def powers(self) -> dict[Jet, tuple[int, int, tuple[int, ...], int]]:
        """Of each jet: its field, its component, its derivative in space, and its power of s."""
        s, found = self.system, {}
        jets = [jet for equation in self.equations for jet in equation.jets]
        jets += [d.jet for equation in self.equations for d in equation.diffusions]
        jets += [jet for conditions in self.conditions.values() for c in conditions for jet in c.row.jets]
        jets += [jet for c in s.multipliers for jet in s.equations[s.last.index(c)].jets]
        more = [at_rest(jet) for jet in jets]
        for jet in dict.fromkeys([*jets, *more]):
            entry = s.entry(jet)
            field, power = s.power(entry.component, entry.rate)
            index = tuple(int(n) for n in entry.index)
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
        """What is said of a field on a part: what flows, where that and its value are given."""
        found = [c for c in self.conditions.get(part, ()) if c.field == field]
        return max(found, key=lambda c: c.flux) if found else None

    def clamped(self, part: str, field: int) -> PartCondition | None:
        """The value of a field u on a part on which its flux is given as well, and nothing of its Laplacian."""
        found = [c for c in self.conditions.get(part, ()) if c.field == field]
        own = [i for i, u in self.system.laplacians.items() if u == field]
        free = bool(own) and not any(c.field == own[0] for c in self.conditions.get(part, ()))
        return min(found, key=lambda c: c.flux) if free and len({c.flux for c in found}) == 2 else None

    @cached_property
    def interfaces(self) -> frozenset[str]:
        """Parts between two layers."""
        domain = self.system.problem.domain
        return frozenset(domain.interfaces) if is_layered(domain) else frozenset()

    def between(self, part: str, field: int, level: int) -> list[tuple[Row, bool]]:
        """The conditions on a field at an interface, those on values as ones on ∂ₜ^level u, and whether each is about what flows."""
        found = [c for c in self.conditions.get(part, ()) if c.field == field]
        return [(c.row if c.flux else self.at_level(c, level), c.flux) for c in found]

    def fluxes(self, part: str, fields: set[int]) -> list[PartCondition]:
        """Conditions on fluxes of some fields on a part, and those of all fields whose slopes they hold."""
        return grouped_fluxes(self.conditions.get(part, ()), fields, self.system.fields)

    def driving(self, field: int) -> list[int]:
        """Pressures whose gradient is in the equation of a field, as components."""
        s, row = self.system, self.system.equations[field]
        names = {jet.whole for jet in row.jets if sum(jet.index[:-1])}
        return [c for c in s.multipliers if s.components[c][0] in names]

    @cached_property
    def singular(self) -> list[tuple[np.ndarray, float]]:
        """Corners at which solutions behave like r^α with α < 1, and α; one half where a value jumps, which spoils the solution by h/L as r^½ does."""
        found = [(point, 0.5) for point in self.jumps]
        for corner in () if self.system.laplacians else self.system.problem.domain.corners:
            point = np.asarray(corner.point, dtype=float)
            if not any(np.array_equal(point, other) for other in self.jumps):
                found.append((point, exponent(self, corner)))
        return [(point, power) for point, power in (*found, *junctions(self)) if power < 1]

    @cached_property
    def jumps(self) -> list[np.ndarray]:
        """Corners at which two sides give a field different values."""
        corners = self.system.problem.domain.corners
        return [np.asarray(corner.point, dtype=float) for corner in corners if jump(self, corner)]

    def at_level(self, condition: PartCondition, level: int) -> Row:
        """A condition on u as one on ∂ₜ^level u."""
        key = condition.row, condition.field, level
        if key not in self._levels:
            row, name = condition.row, self.system.fields[condition.field]
            lowest = min(jet.index[-1] for jet in row.jets if jet.whole == name)
            for _ in range(level - lowest):
                row = time_derivative(row, self.system.problem.time)
            self._levels[key] = row
        return self._levels[key]

    def check(self) -> None:
        """Refuse what cells of the plane do not hold (Unsuited)."""
        s = self.system
        problem = s.problem
        if problem.domain.dimension not in (2, 3):
            raise Unsuited("These cells are for the plane and for space.")
        if problem.domain.moving:
            raise Unsuited(
                "Cells hold a domain that moves where it is the image of one that stays: an ellipse whose center and radii are formulas of t."
            )
        if s.flat or problem.functionals:
            raise Unsuited("Cells of the plane do not hold means and unknowns of time alone yet.")
        assert set(self.conditions) <= set(self.outline.parts), "a condition on no part of the outline"
        check_pressure(s, self.equations)
        for equation in self.equations:
            for d in equation.diffusions:
                field = s.fields.index(d.jet.whole)
                for part in self._boundary:
                    free = s.laplacians.get(field)
                    if free is not None and self.clamped(part, free):
                        continue
                    open_one = self._opened(part, field) or self._sealed(part, d)
                    if self.condition(part, field) is None and not open_one:
                        raise Unsuited(f"`{d.jet.whole}` has no condition on the part `{part}`.")
        self._check_fluxes()
        self._check_counts()
        self._check_kinds()
        self._check_interfaces()
        self._check_bends()
        assert self.powers

    def _check_fluxes(self) -> None:
        """A slope is given by what flows through the boundary: of an unknown that does not diffuse nothing does, and its condition would be none."""
        flowing = {d.jet.whole for equation in self.equations for d in equation.diffusions}
        for part, conditions in self.conditions.items():
            for row in (c.row for c in conditions if c.flux):
                slopes = {jet.whole for jet in row.jets if sum(jet.index[:-1])}
                if not slopes & flowing:
                    raise ProblemError(
                        f"{row.label} holds slopes of `{min(slopes)}`, of which the equations have no second derivatives on `{part}`: "
                        "nothing would hold them. Give a value, which counts where something comes in, or None where nothing does."
                    )

    @property
    def _boundary(self) -> list[str]:
        """Parts that are no interfaces."""
        return [part for part in self.system.problem.face_rows if part not in self.interfaces]

    def _check_bends(self) -> None:
        """Refuse order four at corners where Δu has no finite energy: there w = Δu as a field of its own is that of another u (Nazarov, Sweers, J. Differ. Equ. 233, 2007)."""
        for corner in self.system.problem.domain.corners if self.system.laplacians else ():
            kinds = [{(c.field, c.flux) for c in self.conditions.get(part, ())} for part in corner.parts]
            if corner.reentrant or (
                kinds[0] != kinds[1] and corner.angle > math.pi / 2 * (1 + ROUNDING.zero)
            ):
                x, y = corner.point
                raise Unsuited(
                    f"The corner at ({x:.4g}, {y:.4g}) is too wide for an unknown of order four: cells of the plane hold it at angles up to 180 degrees, and up to 90 where its two sides have "
                    "different conditions."
                )

    def _check_interfaces(self) -> None:
        """Two conditions at every interface for each field that diffuses, and none for others."""
        s = self.system
        if self.interfaces and s.multipliers:
            raise Unsuited("Cells of the plane do not hold a pressure in a domain of layers yet.")
        for part in self.interfaces:
            for i, (name, equation) in enumerate(zip(s.fields, self.equations, strict=True)):
                given = [c for c in self.conditions.get(part, ()) if c.field == i]
                alone = len(equation.diffusions) == 1 and self.powers[equation.diffusions[0].jet][0] == i
                if equation.diffusions and not alone:
                    raise Unsuited(
                        f"The equation of `{name}` has second derivatives of more than `{name}` itself, which cells of the plane do not hold in a domain of layers."
                    )
                if len(given) != (2 if alone else 0):
                    raise Unsuited(
                        f"The interface `{part}` has {len(given)} conditions for `{name}`, and cells of the plane take {2 if alone else 0} there."
                    )
                carried = any(sum(j.index[:-1]) == 1 and j.whole == name for j in equation.source.jets)
                if carried and not alone:
                    raise Unsuited(
                        f"`{name}` has first derivatives and no second ones, which cells of the plane do not hold in a domain of layers."
                    )

    def _sealed(self, part: str, diffusion: Diffusion) -> bool:
        """Whether nothing diffuses through a side of a box, a n = 0 on all of it: where nothing is carried in, either, no condition is needed."""
        problem = self.system.problem
        if not isinstance(problem.domain, Box):
            return False
        across = diffusion.tensor[problem.domain.face(part)[0]]
        if any(row.jets for row in across):
            return False
        start, end = problem.time
        on, inside = face_grid(problem, part, (start, end)), interior_grid(problem.domain, problem.time)
        sizes = [[np.max(np.abs(row.residual(p, {}))) for p in (on, inside)] for row in across]
        return all(there <= ROUNDING.zero * within for there, within in sizes)

    def _opened(self, part: str, field: int) -> bool:
        """Whether a pressure is given on a part in the place of a velocity, the only one that lacks a condition there."""
        found = [c for c in self.driving(field) if self.condition(part, self.system.last.index(c))]
        lacking = [
            i
            for i in range(len(self.system.fields))
            if found and set(found) & set(self.driving(i)) and self.condition(part, i) is None
        ]
        return lacking == [field]

    def _check_kinds(self) -> None:
        """Refuse a condition on values here and on fluxes there: a u_n + … with a = 0 on a stretch of a part alone."""
        problem = self.system.problem
        for part in self._boundary:
            points = face_grid(problem, part, problem.time[:1])
            for row in (c.row for c in self.conditions[part] if c.flux):
                with np.errstate(all="ignore"):
                    slopes = row.slopes_at(points)([np.ones(len(points))] * len(row.jets))
                size = sum(
                    np.broadcast_to(np.abs(slope), len(points))
                    for jet, slope in zip(row.jets, slopes, strict=True)
                    if sum(jet.index[:-1]) == 1
                )
                none = np.flatnonzero(size == 0)
                if 1 < len(none) < len(points):
                    place, other = points[none[0], :-1], points[np.flatnonzero(size)[0], :-1]
                    raise Unsuited(
                        f"The condition on `{part}` gives values at ({', '.join(f'{v:.4g}' for v in place)}) and fluxes at ({', '.join(f'{v:.4g}' for v in other)}). Give each a part of its own: a "
                        "`Polygon` may have a corner of 180 degrees where it changes, `lrfm.Polygon([(-1, 0), (0, 0), (1, 0), (0, 1)])`, and names its sides `side1`, `side2`, …"
                    )

    def _check_counts(self) -> None:
        for part in self._boundary:
            fields = [c.field for c in self.conditions[part]]
            once = [f for f in fields if not self.clamped(part, f)]
            if len(set(once)) != len(once):
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
