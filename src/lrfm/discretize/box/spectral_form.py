# SPDX-License-Identifier: MIT
"""A statement on a box, split into numbers times derivatives and the rest:  Σ c Dᵃ(y or y′) + Σ Dᵃ G_a(x, t, Dᵇy) = 0.

Along polynomial axes c may be a function of the coordinate, and the rest is not written as derivatives: there a derivative is no product with a number.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from lrfm.discretize.box.fluxes import Monomial, Symbols, as_fluxes, shared
from lrfm.discretize.box.parity import parities_of, parity_of
from lrfm.discretize.evolution import EvolutionSystem, Unsuited
from lrfm.problem import Box, Jet, Row
from lrfm.problem.algebra import Expr, Symbol, add, number, symbols_in
from lrfm.problem.expression import is_zero
from lrfm.problem.jets import JetSymbol, jets_among
from lrfm.problem.program import Program
from lrfm.spaces.orders import MultiIndex
from lrfm.spaces.series import Parity, turned


class Constant(NamedTuple):
    """c Dᵃ of a component, or of its rate."""

    component: int
    index: MultiIndex
    rate: bool
    factor: float
    profile: Expr | None = None  # a function of the coordinate of a polynomial axis beside the factor


class Flux(NamedTuple):
    """(Σ c Dᵃ) G of an equation."""

    row: int
    symbols: Symbols
    formula: Expr

    @property
    def scale(self) -> float | None:
        """The number before G; None where it is differentiated."""
        return None if any(any(index) for index, _ in self.symbols) else sum(c for _, c in self.symbols)

    @property
    def plain(self) -> bool:
        """Whether it is G itself, neither differentiated nor multiplied by a number."""
        return self.scale == 1


class SpectralForm:
    """The split of a statement; what does not depend on the number of modes. `polynomial`: axes along which its functions are polynomials."""

    def __init__(self, system: EvolutionSystem, polynomial: tuple[int, ...] = ()):
        problem = system.problem
        if not isinstance(problem.domain, Box):
            raise Unsuited("Series need a box.")
        if system.flat or problem.functionals or system.motion is not None:
            raise Unsuited("Series hold no means, no unknowns of time alone and no moving boxes.")
        self.system, self.polynomial = system, polynomial
        self.periodic = tuple(name in problem.periodic for name in problem.domain.names)
        self.constants: list[list[Constant]] = []
        self.rests: list[Expr] = []
        for row in system.equations:
            constants, rest = self._split(row)
            self.constants.append(constants)
            self.rests.append(rest)
        self.parities = parities_of(system, self.constants, self.periodic, polynomial)
        self.row_parities = self._row_parities()
        self._ordered()
        self.fluxes = [
            Flux(r, s, g)
            for r, rest in enumerate(self.rests)
            if not is_zero(rest)
            for s, g in self._as_fluxes(rest)
        ]
        self.jets = jets_among(symbols_in(*(f.formula for f in self.fluxes)))
        if any(system.entry(jet).rate for jet in self.jets):
            raise Unsuited("A rate is multiplied by something that is not a number.")
        self._check_rows()

    @property
    def dimension(self) -> int:
        return self.system.problem.domain.dimension

    def _as_fluxes(self, rest: Expr) -> list[tuple[Symbols, Expr]]:
        if self.polynomial:
            return [((((0,) * self.dimension, 1.0),), rest)]
        return as_fluxes(rest, self.dimension, self._constraints)

    @cached_property
    def _constraints(self) -> list[dict[Monomial, float]]:
        """What is zero at all times: Σ c Dᵃu of the equations that multipliers keep."""
        found = []
        for i in self.constraint_rows:
            jets = [(self.system.components[c.component][0], c.index, c.factor) for c in self.constants[i]]
            found.append({((Jet(field, (*index, 0)), 1),): factor for field, index, factor in jets})
        return found

    def _split(self, row: Row) -> tuple[list[Constant], Expr]:
        constants, rest = [], [row.source_part, row.nonlinear_part]
        for jet, coefficient in row.linear_part.items():
            entry = self.system.entry(jet)
            if len(self.polynomial) > 1 and not entry.rate and not self._separable(row, jet):
                rest.append(coefficient * JetSymbol(jet))
            elif symbols_in(coefficient):
                if len(self.polynomial) == 1 and symbols_in(coefficient) <= self._across:
                    constants.append(
                        Constant(entry.component, tuple(entry.index), entry.rate, 1.0, coefficient)
                    )
                else:
                    rest.append(coefficient * JetSymbol(jet))
            else:
                factor = float(np.asarray(Program([coefficient])({})[0]))
                constants.append(Constant(entry.component, tuple(entry.index), entry.rate, factor))
        return constants, add(*rest)

    def _separable(self, row: Row, jet: Jet) -> bool:
        """Whether a term is of the row's own unknown, with even derivatives along one axis at the most: what several axes with polynomials solve."""
        own = self.system.fields[self.system.equations.index(row)]
        return (
            jet.whole == own
            and sum(n > 0 for n in jet.index[:-1]) <= 1
            and not any(n % 2 for n in jet.index[:-1])
        )

    @cached_property
    def _across(self) -> set[Symbol]:
        """The coordinates of polynomial axes."""
        return {Symbol(self.system.problem.domain.names[a]) for a in self.polynomial}

    def _row_parities(self) -> list[Parity]:
        """Of each equation along each axis, by its constant terms: all have to agree."""
        found = []
        for constants in self.constants:
            own = {
                tuple(
                    0 if p else turned(q, n)
                    for p, q, n in zip(self.periodic, self.parities[c.component], c.index, strict=True)
                )
                for c in constants
            }
            if len(own) != 1:
                raise Unsuited("The terms of an equation are not all even or all odd between the walls.")
            found.append(own.pop())
        return found

    def _ordered(self) -> None:
        """Which components and equations are differential, determined algebraic ones, and multipliers with their constraints."""
        system = self.system
        fields = range(len(system.fields))
        self.differential = [c for c in range(len(system.components)) if c not in system.algebraic]
        self.algebraic = list(system.determined)
        self.multipliers = list(system.multipliers)
        by_first = {system.first[f]: i for i, f in enumerate(system.fields)}
        self.moving_rows = [i for i in fields if system.orders[system.fields[i]] > 0]
        self.algebraic_rows = [by_first[c] for c in self.algebraic]
        self.constraint_rows = [by_first[c] for c in self.multipliers]
        if self.multipliers and system.links:
            raise Unsuited("A constraint on an unknown of second order in time is not solved by series.")
        for i in (*self.algebraic_rows, *self.constraint_rows):
            if any(c.rate for c in self.constants[i]):
                raise Unsuited("An equation without a rate of its own holds another one's.")
        if any(not is_zero(self.rests[i]) for i in self.constraint_rows):
            raise Unsuited("A constraint is not linear with numbers as coefficients.")
        for i in self.algebraic_rows:
            held = {system.entry(j).component for j in jets_among(symbols_in(self.rests[i]))}
            if held & {*self.algebraic, *self.multipliers}:
                raise Unsuited("An algebraic equation is not linear in its own unknown.")
            if any(c.component in self.multipliers for c in self.constants[i]):
                raise Unsuited("A multiplier stands in an algebraic equation.")
        held = {system.entry(j).component for i in fields for j in jets_among(symbols_in(self.rests[i]))}
        if held & set(self.multipliers):
            raise Unsuited("A multiplier is multiplied by something that is not a number.")

    def _check_rows(self) -> None:
        """Fluxes have to be even or odd as their equations are."""
        for f in self.fluxes:
            told = tuple(p or a in self.polynomial for a, p in enumerate(self.periodic))
            found = parity_of(f.formula, self._jet_parity, self.dimension, told)
            for a in (a for a, p in enumerate(told) if not p):
                own = found[a]
                if own is None or any((own + i[a]) % 2 != self.row_parities[f.row][a] for i, _ in f.symbols):
                    raise Unsuited("The terms of an equation are not all even or all odd between the walls.")

    def _jet_parity(self, jet: Jet) -> Parity:
        entry = self.system.entry(jet)
        own = self.parities[entry.component]
        return tuple(turned(q, n) for q, n in zip(own, entry.index, strict=True))

    @cached_property
    def program(self) -> Program:
        """All G at once."""
        return Program([f.formula for f in self.fluxes])

    @cached_property
    def together(self) -> tuple[list[Flux], Program, list[int]]:
        """The fluxes with one G for all that differ by numbers alone, all different G at once, and which of them is that of each flux."""
        fluxes = []
        for flux, (alone, scale, g) in zip(
            self.fluxes, shared([f.formula for f in self.fluxes]), strict=True
        ):
            fluxes.append(Flux(flux.row, tuple((i, c * scale) for i, c in flux.symbols), g))
            if alone:
                fluxes.append(Flux(flux.row, flux.symbols, number(alone)))
        different = list(dict.fromkeys(f.formula for f in fluxes))
        return fluxes, Program(different), [different.index(f.formula) for f in fluxes]

    @cached_property
    def algebraic_fluxes(self) -> list[int]:
        """Numbers of the fluxes of algebraic equations, which are needed before the others."""
        return [n for n, f in enumerate(self.fluxes) if f.row in self.algebraic_rows]

    @cached_property
    def first_program(self) -> tuple[Program, tuple[Jet, ...]]:
        """G of algebraic equations alone, and the jets in them."""
        formulas = [self.fluxes[n].formula for n in self.algebraic_fluxes]
        return Program(formulas), jets_among(symbols_in(*formulas))

    @cached_property
    def given(self) -> list[Symbol]:
        """What is given in G: coordinates and functions of the user."""
        return [s for s in self.program.symbols if not isinstance(s, JetSymbol)]

    @property
    def exact(self) -> bool:
        """Whether nothing is left beside L: exponentials solve it."""
        return not self.fluxes

    def check_stiffness(self) -> None:
        """Unsuited where the rest holds derivatives as high as those that exponentials solve: explicit stages would have to follow them."""
        for row, rest in enumerate(self.rests):
            held = [sum(jet.index[:-1]) for jet in jets_among(symbols_in(rest)) if not self._skew(row, jet)]
            solved = max((sum(c.index) for c in self.constants[row]), default=0)
            if held and max(held) >= max(solved, 1) and not self._conserving(row, solved):
                raise Unsuited("The highest derivatives do not stand alone with numbers before them.")

    def _skew(self, row: int, jet: Jet) -> bool:
        """Whether a jet is a mixed derivative with a number before it, of the row's own unknown: less than the pure ones, which are solved, where these are an elliptic operator."""
        own, orders = self.system.fields[row], [n for n in jet.index[:-1] if n]
        number = not symbols_in(self.system.equations[row].linear_part.get(jet, JetSymbol(jet)))
        return len(self.polynomial) > 1 and orders == [1, 1] and number and jet.whole == own

    def _conserving(self, row: int, solved: int) -> bool:
        """First derivatives beside no higher ones: transport, which is not stiff."""
        held = [sum(jet.index[:-1]) for jet in jets_among(symbols_in(self.rests[row]))]
        return max(held) <= 1 and solved <= 1
