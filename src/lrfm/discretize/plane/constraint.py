# SPDX-License-Identifier: MIT
"""A pressure and its constraint, known by their structure:  u_t + … + c ∇p = …,   Σ_k d_k ∂u_k/∂x_k + s = 0.

The constraint is tested by functions of the pressure, one degree below those of the velocity (Hansbo, Larson, Comput. Methods Appl. Mech. Eng. 191, 2002), in its weak form with central fluxes, and
with given velocities on the boundary,

    ∫ q s − ∫ ∇q·u + ∮ q û·n = 0,      û = ½ (u₁ + u₂) between cells,  g where u = g,  u elsewhere.

With the central flux of p it is the adjoint of  ∫ φ·∇p − ∮ {φ}·n [p]  to rounding, on cut cells as well: a constant p is the one thing that no row feels, and the mean of s plus
the net outflow the one thing that no velocity changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from lrfm.discretize.evolution import EvolutionSystem, Unsuited
from lrfm.discretize.plane.order_four import laplacian_of, lowered
from lrfm.discretize.plane.weak import WeakEquation, at_rest
from lrfm.problem import Problem, Row
from lrfm.problem.algebra import Expr, add
from lrfm.problem.jets import jet_symbol


class SecondOrderSystem(EvolutionSystem):
    """The rows of a problem in the plane, of the second order, with fluxes that are continuous where a coefficient jumps."""

    holds_fluxes = True

    def _stated(self, problem: Problem) -> Problem:
        """With Laplacians as fields of their own where the order is four."""
        return lowered(problem)

    @cached_property
    def laplacians(self) -> dict[int, int]:  # type: ignore[override]
        """Fields u by those that stand for Δu."""
        found = {i: laplacian_of(field) for i, field in enumerate(self.fields)}
        return {i: self.fields.index(u) for i, u in found.items() if u is not None}

    def _owner(self, row: Row, axis: int, owned: dict[str, int]) -> str:
        """What holds a Laplacian says what it is."""
        found = [jet.whole for jet in row.jets if laplacian_of(jet.whole) is not None]
        return found[0] if found else super()._owner(row, axis, owned)


class PlaneSystem(SecondOrderSystem):
    """The same; a pressure is no part of what damps or does not damp."""

    @cached_property
    def forgets(self) -> bool:
        """Whether short waves of all that moves are damped: those of a velocity are, whatever the pressure is."""
        if self.laplacians and self.motion is None and len(self.algebraic) == len(self.laplacians):
            problem = self.original
            return self._damped(problem.fields, problem.rows)
        if not self.multipliers or len(self.algebraic) > len(self.multipliers):
            return super().forgets
        kept = [i for i, c in enumerate(self.last) if c not in self.multipliers]
        return self._damped([self.fields[i] for i in kept], [self.equations[i] for i in kept])


def constraint(row: Row) -> WeakEquation:
    """Σ_k d_k ∂u_k/∂x_k + s with the fluxes −d u; Unsuited where it is none of this kind."""
    first = all(sum(jet.index[:-1]) == 1 and not jet.index[-1] for jet in row.jets)
    if not (row.linear and first) or any(c.symbols for c in row.linear_part.values()):
        raise Unsuited(
            f"{row.label} is the constraint of a pressure, and cells of the plane hold one that is a divergence with numbers before its terms, such as `u_x + v_y = 0`."
        )
    fluxes: list[list[Expr]] = [[] for _ in row.coordinates[:-1]]
    for jet, number in row.linear_part.items():
        axis = jet.index.index(1)
        fluxes[axis].append(-(number * jet_symbol(at_rest(jet))))
    source = Row(row.source_part, row.coordinates, row.label)
    made = tuple(Row(add(*f), row.coordinates, row.label) for f in fluxes)
    return WeakEquation(source, (), made)


def check_pressure(system: EvolutionSystem, equations: Sequence[WeakEquation]) -> None:
    """Refuse (Unsuited) multipliers that are no pressure: they enter by their gradient, in the equations of the velocity whose divergence is given."""
    if len(system.multipliers) > 1:
        raise Unsuited("Cells of the plane hold one pressure, and this statement has several.")
    for c in system.multipliers:
        name = system.components[c][0]
        driven = {
            (field, jet.index[:-1])
            for field, row in zip(system.fields, system.equations, strict=True)
            for jet in row.jets
            if jet.whole == name
        }
        held = {(jet.whole, jet.index[:-1]) for jet in system.equations[system.last.index(c)].jets}
        if driven != held:
            raise Unsuited(
                f"`{name}` has no equation of its own, and cells of the plane hold such an unknown where it is a pressure: its gradient is in the equations of a velocity whose "
                "divergence is given, and nothing else of it."
            )
        for field in {field for field, _ in held}:
            if not equations[system.fields.index(field)].diffusions:
                raise Unsuited(
                    f"`{field}` has a pressure and no viscosity, which cells of the plane do not hold yet."
                )


def undetermined(system: EvolutionSystem) -> list[int]:
    """Multipliers of which no condition holds the value: they are known up to a constant."""
    rows = (row for rows in system.problem.face_rows.values() for row in rows)
    told = {jet.whole for row in rows for jet in row.jets if not jet.order}
    return [c for c in system.multipliers if system.components[c][0] not in told]
