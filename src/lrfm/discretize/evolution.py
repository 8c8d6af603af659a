# SPDX-License-Identifier: MIT
"""A statement as rows in y and y' = dy/dt:  F_e(x, t, D^a y, D^a y') = 0,  conditions B_b(x, t, D^a y, D^a y') = 0.

Nothing is solved for u_t. A field of order m in time becomes a chain of components u, u_t, …, ∂ₜ^(m−1) u, linked by y_c' = y_{c+1}
on the coefficients; ∂ₜ^m u is the rate of the last one. A condition is differentiated in t until it speaks of the last component
of its field, which it then determines.

A field without a time derivative is algebraic. One that no equation is left for is a multiplier, paired with an equation that
nobody else needs, its constraint: the pressure p with u_x + v_y = 0, in which it does not occur.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from lrfm.discretize.inner_fluxes import BELOW, NoFlux, inner_fluxes
from lrfm.problem import Box, Jet, Problem, Row
from lrfm.problem.errors import listing
from lrfm.problem.expression import has_delta
from lrfm.problem.jumps import jumps_along
from lrfm.problem.motion import carried
from lrfm.problem.poles import without_poles_of_rates
from lrfm.problem.rates import time_derivative
from lrfm.problem.relations import with_fluxes_put_in
from lrfm.problem.shapes.protocol import Domain, is_layered
from lrfm.problem.symbol import forgets
from lrfm.spaces.orders import MultiIndex, OneSided

PLACES = 7  # at which coefficients are looked at
TINY = float(np.finfo(float).tiny)
ANY = -1  # stands for the axis of a part of the boundary that is normal to none


class Unsuited(ValueError):
    """The statement is no evolution that lines can integrate; the message says why."""


class Entry(NamedTuple):
    """What a jet is on the coefficients: D^index of a component, or of its rate."""

    component: int
    index: MultiIndex
    rate: bool


@dataclass(frozen=True)
class Condition:
    """A row on one face; it determines the component `own` there.

    On a line it holds at one `place`: an end, or an interface, where it sees the layer `inner` from the side that `upper` says and the other one from beyond.
    """

    row: Row
    axis: int
    upper: bool
    own: int
    part: str = ""  # the name of its face, or of its part of the boundary
    number: int = 0  # of the imposed condition that it is a form of
    place: float = np.nan
    inner: str = ""


class EvolutionSystem:
    """The rows of a problem, its components, links and conditions.

    `equations[i]` is the row paired with the field i: tests of its projection are functions such as that field has. Where the domain
    moves as a whole, `problem` is the statement carried back to a reference that stays, and `motion` takes it there; `original` is what was given.
    """

    holds_fluxes = (
        False  # whether what is made of it knows fluxes that are continuous where a coefficient jumps
    )

    laplacians: Mapping[int, int] = {}  # fields u by those that stand for Δu

    def __init__(self, problem: Problem):
        if not problem.forward:
            raise Unsuited("Data at the end, or a period, say something about all times at once.")
        self.inner_fluxes = any(has_delta(row.pattern) for row in problem.all_rows)
        if self.inner_fluxes and problem.domain.dimension > 1 and not self.holds_fluxes:
            raise Unsuited(
                "`diff` differentiates what jumps: there the flux is continuous, which cells of the plane alone know, and these do not hold this statement."
            )
        self.original = problem
        still = carried(problem) if problem.domain.moving else None
        self.motion = None if still is None else still[1]
        self.problem = problem = self._stated(problem if still is None else still[0])
        self.fields = (*problem.fields, *(f.field for f in problem.functionals))
        memory = {f.field: f.order for f in problem.functionals}
        self.orders = {
            f: memory[f] if f in memory else problem.time_orders.get(f.partition(".")[0], 0)
            for f in self.fields
        }
        self.first: dict[str, int] = {}
        self.components: list[tuple[str, int]] = []
        for field in self.fields:
            self.first[field] = len(self.components)
            self.components += [(field, level) for level in range(max(1, self.orders[field]))]
        self.links = [c for c, (f, level) in enumerate(self.components) if level + 1 < self.orders[f]]
        self.last = [self.first[f] + max(1, self.orders[f]) - 1 for f in self.fields]
        self.algebraic = [self.first[f] for f in self.fields if self.orders[f] == 0]
        self.flat = self._flat()
        self._entries: dict[Jet, Entry] = {}
        self.multipliers: list[int] = []  # algebraic components that do not occur in their own equations
        paired = self._paired()
        if problem.domain.dimension == 1:
            paired = [without_poles_of_rates(row) for row in paired]
        self.equations = [*paired, *(f.row for f in problem.functionals)]
        self.flat_multipliers = [c for c in self.multipliers if c in self.flat]  # such ones of time alone
        self.multipliers = [c for c in self.multipliers if c not in self.flat]
        if self.multipliers and self.flat:
            raise Unsuited("A pressure and means, or unknowns of time alone, do not go together yet.")
        self.conditions, self.constraints = self._conditions()
        rows = (*self.equations, *(c.row for c in (*self.conditions, *self.constraints)))
        self.linear = all(row.linear for row in rows)
        self.stationary = all(row.stationary for row in rows)
        self.autonomous = not any(row.time_dependent for row in rows)
        self.highest_orders = tuple(
            max(jet.index[k] for row in rows for jet in row.jets) for k in range(problem.domain.dimension)
        )

    def _stated(self, problem: Problem) -> Problem:
        """The statement that is discretized: here the given one, without unknowns that are half of a diffusion."""
        return with_fluxes_put_in(problem)

    def counted(self, sizes: np.ndarray, least: float) -> np.ndarray:
        """What errors of the components are relative to: √(‖Re u‖² + ‖Im u‖²) for both parts of a complex unknown, √(‖u‖² + ‖v‖²) for those of a velocity, as their errors are measured, and at least a part of the largest.

        A part that is zero but for rounding, as Im Σ exp(ikx)/(1 + k²), has no size of its own.
        """
        whole = np.asarray(sizes, dtype=float).copy()
        for parts in self._wholes:
            whole[parts] = np.sqrt(np.sum(whole[parts] ** 2))
        return np.maximum(whole, max(least * float(whole.max(initial=0.0)), TINY))

    @cached_property
    def _wholes(self) -> list[list[int]]:
        """Components that are parts of one complex unknown or of one velocity, or of one of their derivatives in time."""
        found: dict[tuple[tuple[str, ...], int], list[int]] = {}
        for c, (field, level) in enumerate(self.components):
            name = field.partition(".")[0]
            found.setdefault((self.problem.vectors.get(name, (name,)), level), []).append(c)
        return [parts for parts in found.values() if len(parts) > 1]

    @cached_property
    def forgets(self) -> bool:
        """Whether the equations damp all short waves, whatever the solution is: highest derivatives in linear terms, and diffusion."""
        return not (self.algebraic or self.flat) and self._damped(self.problem.fields, self.problem.rows)

    def _damped(self, fields: Sequence[str], rows: Sequence[Row]) -> bool:
        """The same of some fields and their equations, as if there were no others."""
        if any(self.orders[f] != 1 for f in fields):
            return False
        highest = max((sum(j.index[:-1]) for row in rows for j in row.jets), default=0)
        highest = max((highest, *self.highest_orders))
        if any(sum(j.index[:-1]) >= highest for row in rows for j in row.nonlinear_jets):
            return False
        box, (start, end) = self.problem.domain, self.problem.time
        unit = np.random.default_rng(0).random((PLACES, box.dimension + 1))
        points = np.column_stack(
            [box.lower + (box.upper - box.lower) * unit[:, :-1], start + (end - start) * unit[:, -1]]
        )
        linear = [
            {j: np.broadcast_to(c, PLACES) for j, c in row.affine(points)[1].items() if j.field in fields}
            for row in rows
        ]
        return forgets(linear, fields, box.upper - box.lower, end - start)

    @property
    def undamped(self) -> bool:
        """Whether the equations are linear, stay the same in time, and do not damp all short waves: waves, beams, transport. Means and unknowns of time alone have no waves."""
        if not (self.linear and self.stationary and self.autonomous):
            return False
        alone = {c for c, axes in self.flat.items() if len(axes) == self.problem.domain.dimension}
        among = [i for i, f in enumerate(self.fields) if self.first[f] not in alone]
        if not (alone and among) or any(self.first[self.fields[i]] in self.algebraic for i in among):
            return not self.forgets
        return not self._damped([self.fields[i] for i in among], [self.equations[i] for i in among])

    @property
    def plain(self) -> bool:
        """Whether eigenfunctions solve it: linear and the same at all times, one order in time, nothing algebraic, no means."""
        same = self.linear and self.stationary and self.autonomous
        return same and set(self.orders.values()) in ({1}, {2}) and not self.flat and not self.algebraic

    @cached_property
    def local(self) -> bool:
        """Whether equations have no derivatives in space: what happens at a place stays there, as of what is carried, seen from where it goes."""
        return not any(any(jet.index[:-1]) for row in self.equations for jet in row.jets)

    @cached_property
    def oscillates(self) -> bool:
        """Whether all fields are of second order in time, without first derivatives in time, and none in conditions."""
        problem = self.problem
        conditions = [row for rows in problem.face_rows.values() for row in rows]
        still = all(j.index[-1] == 0 for row in conditions for j in row.jets)
        pure = all(j.index[-1] != 1 for row in problem.rows for j in row.jets)
        return set(self.orders.values()) == {2} and still and pure

    @cached_property
    def interval(self) -> tuple[float, float]:
        """The two ends of a domain on a line."""
        domain = self.problem.domain
        if isinstance(domain, Box):
            return float(domain.lower[0]), float(domain.upper[0])
        places = [place for part in domain.parts for _, _, place in sides(domain, part)]
        return min(places), max(places)

    def entry(self, jet: Jet) -> Entry:
        """Where a jet is found."""
        if jet not in self._entries:
            self._entries[jet] = self._found(jet)
        return self._entries[jet]

    def _found(self, jet: Jet) -> Entry:
        order, level = self.orders[jet.whole], jet.index[-1]
        if level > max(order, 1) or (order == 0 and level > 0):
            raise Unsuited(
                f"A condition holds a time derivative of `{jet.whole}` of order {level}, the equations only of "
                f"order {order}."
            )
        rate = order > 0 and level == order
        index = OneSided(jet.side, jet.index[:-1]) if jet.side else jet.index[:-1]
        return Entry(self.first[jet.whole] + level - rate, index, rate)

    def _flat(self) -> dict[int, frozenset[int]]:
        """Components that do not depend on some axes, with these: means, and unknowns of time alone.

        An unknown of some axes is not among them: its equation has no derivatives along the others, so that a field of all axes that starts without them stays so.
        """
        names, along = self.problem.domain.names, self.problem.alphabet.along
        axes = {f: frozenset(i for i, n in enumerate(names) if n not in along(f)) for f in self.fields}
        axes |= {f: frozenset() for f in self.problem.fields if len(axes[f]) < len(names)}
        return {c: axes[f] for c, (f, _) in enumerate(self.components) if axes[f]}

    @property
    def places(self) -> dict[int, float]:
        """Where the row of a value holds along its axis, by component."""
        found = {self.first[f.field]: f.place for f in self.problem.functionals}
        return {c: place for c, place in found.items() if place is not None}

    def _moves(self, row: Row) -> bool:
        return any(jet.index[-1] == self.orders[jet.whole] > 0 for jet in row.jets)

    @property
    def determined(self) -> list[int]:
        """Algebraic components that follow from their own equations."""
        return [c for c in self.algebraic if c not in (*self.multipliers, *self.flat_multipliers)]

    @property
    def top_power(self) -> int:
        return max(1, *self.orders.values())

    def power(self, component: int, rate: bool) -> tuple[int, int]:
        """The field of a component, and the power of hλ with which the rate of its last component enters it."""
        field, level = self.components[component]
        return self.fields.index(field), 0 if rate else max(1, self.orders[field]) - level

    def _paired(self) -> list[Row]:
        """To each field the equation that holds its highest time derivative, or that determines it at each time."""
        fields, rows = self.problem.fields, self.problem.rows
        options: list[list[int]] = []
        for i, field in enumerate(fields):
            costs = {j: (self._misfit(field, row), i != j) for j, row in enumerate(rows)}
            options.append(
                sorted((j for j, cost in costs.items() if cost[0] < np.inf), key=lambda j, c=costs: c[j])
            )
        owner: dict[int, int] = {}
        left: list[int] = []
        # Fields that move choose first; one that finds its equations taken asks their owners to move on.
        for i in sorted(range(len(fields)), key=lambda i: self.orders[fields[i]] == 0):
            if not _assign(i, options, owner, set()):
                left.append(i)
        free = [j for j in range(len(rows)) if j not in owner]
        if len(free) < len(left):
            raise Unsuited(self._undetermined(fields[left[-1]]))
        alphabet = self.problem.alphabet
        for i in left:
            same = [j for j in free if alphabet.reach(rows[j].expression) == alphabet.along(fields[i])]
            if not same:
                raise Unsuited(self._undetermined(fields[i]))
            free.remove(j := same[0])
            if self.orders[fields[i]] > 0 or not any(
                jet.field == fields[i] for row in self.problem.all_rows for jet in row.jets
            ):
                raise Unsuited(self._undetermined(fields[i]))
            owner[j] = i
            self.multipliers.append(self.first[fields[i]])
        chosen = {i: j for j, i in owner.items()}
        return [rows[chosen[i]] for i in range(len(fields))]

    def _undetermined(self, field: str) -> str:
        """What is wrong, and where a relation without rates ties fields that move, as q = f(c) does beside c_t + q_t = c_xx, what to write."""
        said = f"No equation is left that determines `{field}`."
        for row in self.problem.rows:
            names = sorted({jet.field for jet in row.jets})
            still = not any(jet.index[-1] for jet in row.jets)
            if field in names and len(names) > 1 and still and all(self.orders[f] for f in names):
                return f"{said} {row.label} ties {listing(names)} at each time: put what it says of one of them in its place, as `diff(f(c), t)` for `q_t` with `q = f(c)`."
        return said

    def _misfit(self, field: str, row: Row) -> float:
        """How badly a row suits as the equation of a field: 0 well, 2 for want of another, infinity not at all."""
        order = self.orders[field]
        held = max((jet.index[-1] for jet in row.jets if jet.field == field), default=-1)
        alphabet = self.problem.alphabet
        if held != order or alphabet.along(field) != alphabet.reach(row.expression):
            return np.inf
        return 2.0 if order == 0 and self._moves(row) else 0.0

    def _conditions(self) -> tuple[list[Condition], list[Condition]]:
        """Conditions as they are imposed, and all their forms without rates, for projection of a start."""
        imposed: list[Condition] = []
        constraints: list[Condition] = []
        box = self.problem.domain
        for face, rows in self.problem.face_rows.items():
            owners = self._owners(rows, box.face(face)[0] if isinstance(box, Box) else ANY)
            for (axis, upper, place), (row, field) in itertools.product(
                sides(box, face), zip(rows, owners, strict=True)
            ):
                inner = box.layer_of(face) if is_layered(box) and face in box.interfaces else ""
                own = self.last[self.fields.index(field)]
                given = Condition(row, axis, upper, own, face, len(imposed), place, inner)
                *before, form = self._forms(given)
                imposed.append(form)
                constraints += before
        for given in self._inner_conditions(len(imposed)):
            *before, form = self._forms(given)
            imposed.append(form)
            constraints += before
        return imposed, constraints

    def _forms(self, given: Condition) -> Iterator[Condition]:
        """A condition in all forms without rates, and last the one that is imposed: differentiated in t until it speaks of the last component of its field."""
        row, kept = given.row, (*self.multipliers, *self.flat_multipliers)
        while True:
            entries = [self.entry(jet) for jet in row.jets]
            form = replace(given, row=row)
            if not any(e.rate or e.component in kept for e in entries):
                yield form
            if any(e.component in (given.own, *self.multipliers) for e in entries):
                yield form
                return
            row = self._in_time(row)

    def _inner_conditions(self, number: int) -> Iterator[Condition]:
        """Those at places of an interval at which a flux is continuous and its coefficient jumps."""
        if not self.inner_fluxes or self.problem.domain.dimension > 1:
            return
        paired = {
            f: row
            for f, row in zip(self.fields, self.equations, strict=True)
            if self.first[f] not in self.flat
        }
        try:
            found = inner_fluxes(self.problem, paired, *self.interval)
        except NoFlux as error:
            raise Unsuited(
                f"`diff` differentiates what jumps, and there the flux is continuous; {error}."
            ) from None
        for n, (row, field, place) in enumerate(found):
            own = self.last[self.fields.index(field)]
            yield Condition(row, 0, True, own, "", number + n, place, BELOW)

    def _owners(self, rows: Sequence[Row], axis: int) -> list[str]:
        """The field that each condition on a face is about, or that it stands for.

        Where a multiplier is given, as a pressure at an inlet, it takes the place of what a field lacks there, the one that its derivative along the
        axis drives: constraints then hold up to the walls. Not where faces of several axes give it, which would say twice what it is in a corner.
        """
        owned, found = dict.fromkeys(self.fields, 0), [""] * len(rows)
        # What is about one field says first whose it is: beside phi = 1 the flux n_x - n*phi_x = 0 is about n.
        for i in sorted(range(len(rows)), key=lambda i: len({jet.whole for jet in rows[i].jets})):
            found[i] = self._owner(rows[i], axis, owned)
            owned[found[i]] += 1
        for i, name in enumerate(found):
            if self.first[name] in self.multipliers and self._given_along(name) == {axis}:
                driven = [
                    f
                    for f, row in zip(self.fields, self.equations, strict=True)
                    if not owned[f] and any(j.whole == name and j.index[axis] for j in row.jets)
                ]
                found[i] = driven[0] if driven else name
                owned[found[i]] += 1
        return found

    def _given_along(self, name: str) -> set[int]:
        """The axes of faces with a condition that holds a field."""
        faces, box = self.problem.face_rows, self.problem.domain
        holding = [f for f, rows in faces.items() if any(j.whole == name for row in rows for j in row.jets)]
        return {box.face(f)[0] if isinstance(box, Box) else ANY for f in holding}

    def _in_time(self, row: Row) -> Row:
        """A condition as one on rates; a jump in it would be lost, and u would stay where it was."""
        if jumps_along(row.expression, row.expression.symbols):
            raise Unsuited(
                f"{row.label} jumps, and lines need its derivative in time, which is no function. Write a smooth step such as "
                "`0.5*(1 + tanh((t - 0.5)/w))` in its place."
            )
        return time_derivative(row, self.problem.time)

    def _owner(self, row: Row, axis: int, owned: dict[str, int]) -> str:
        """The field a condition is about: by its rate, its normal derivative, and what others on the face are about."""

        def rank(jet: Jet) -> tuple[bool, int, int, int]:
            moving = self.orders[jet.whole] == jet.index[-1] > 0
            normal = sum(jet.index[:-1]) if axis == ANY else jet.index[axis]
            return moving, normal, -owned[jet.whole], -self.fields.index(jet.whole)

        jets = [jet for jet in row.jets if self.first[jet.whole] not in self.flat]
        if not jets:
            raise Unsuited(
                f"{row.label} is about means, values or unknowns of time alone, and does not say what a field does there. Give it a flux "
                "that is unknown, such as `u_n = q` with `unknowns={'q': 't'}`, and make this condition one of the equations."
            )
        return max(jets, key=rank).whole


def sides(domain: Domain, part: str) -> list[tuple[int, bool, float]]:
    """Where a part of the boundary lies: along which axis, at the upper end or the lower one, and on a line at which places."""
    if isinstance(domain, Box):
        axis, upper = domain.face(part)
        return [(axis, upper, float((domain.upper if upper else domain.lower)[axis]))]
    if domain.dimension > 1 or domain.moving:
        return [(ANY, True, np.nan)]
    rule = domain.parts[part].quadrature(1)
    return [(0, bool(n > 0), float(x)) for x, n in zip(rule.points[:, 0], rule.normals[:, 0], strict=True)]


def is_box(problem: Problem) -> bool:
    """Whether the domain is a box, on which functions are products."""
    return isinstance(problem.domain, Box)


def _assign(i: int, options: list[list[int]], owner: dict[int, int], seen: set[int]) -> bool:
    """Give field i one of its equations, moving other fields to others of theirs where needed (an augmenting path)."""
    for j in options[i]:
        if j not in seen:
            seen.add(j)
            if j not in owner or _assign(owner[j], options, owner, seen):
                owner[j] = i
                return True
    return False
