# SPDX-License-Identifier: MIT
"""The one row form: every equation and every condition is F(x, t, {D^a u}) = 0.

F is kept as  Σ_a L_a(x,t) D^a u + s(x,t) + N(x, t, {D^a u}):  what is linear with given coefficients, a
source, and the rest. Newton linearizes N by its Fréchet coefficients ∂N/∂(D^a u); Picard freezes all factors
of a product but one. A linear row is the case N = 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

import numpy as np

from lrfm.problem.algebra import (
    ONE,
    ZERO,
    Call,
    Expr,
    Number,
    Sum,
    Symbol,
    add,
    factors_of,
    mul,
    postorder,
    split_number,
    symbols_in,
    terms_of,
)
from lrfm.problem.errors import ProblemError
from lrfm.problem.expression import choice, derivative, extent, is_zero
from lrfm.problem.jets import (
    ContainsJets,
    GivenSymbol,
    Jet,
    JetSymbol,
    coordinate_symbols,
    jet_symbol,
    jets_among,
)
from lrfm.problem.picard import live_part
from lrfm.problem.program import Binding, Bound, Program
from lrfm.problem.text import MAX_SIZE

Jets = Mapping[Jet, np.ndarray]


class Row:
    """F(x, t, {D^a u}) = 0 at a point, for real scalar fields.

    Parameters
    ----------
    expression
        F, a formula in coordinates, jets and given functions.
    coordinates
        Names of the columns of a points array, time last.
    label
        How the row is called in messages.
    """

    def __init__(self, expression: Expr, coordinates: tuple[str, ...], label: str):
        self.expression = expression
        self.coordinates = coordinates
        self.label = label
        if extent(expression, lambda symbol: isinstance(symbol, JetSymbol)).slope > MAX_SIZE:
            raise ProblemError(
                f"{label} is too long to be differentiated by its unknowns: the derivatives have more than "
                f"{MAX_SIZE:,} parts. Shorten its products, or introduce a further unknown for a part of "
                "it."
            )
        self._moving = ContainsJets(expression)
        self._split()
        symbols = self._full_program.symbols
        self.functions = tuple(symbol for symbol in symbols if isinstance(symbol, GivenSymbol))
        self.jets: tuple[Jet, ...] = jets_among(symbols)

    def _split(self) -> None:
        linear: dict[Jet, list[Expr]] = {}
        source: list[Expr] = []
        rest: list[Expr] = []
        for term in self._distributed():
            live, given = self._factors(term)
            if not live:
                source.append(term)
            elif len(live) == 1 and isinstance(live[0], JetSymbol):
                linear.setdefault(live[0].jet, []).append(given)
            else:
                rest.append(term)
        sums = {jet: add(*parts) for jet, parts in linear.items()}
        self.linear_part = {jet: total for jet, total in sums.items() if not is_zero(total)}
        self.source_part = add(*source)
        self.nonlinear_part = add(*rest)

    def _distributed(self) -> list[Expr]:
        """The terms of F; a given factor before a bracket of unknowns is multiplied in: a(x)(u_xx + u²)."""
        terms: list[Expr] = []
        stack = list(reversed(terms_of(self.expression)))
        while stack:
            term = stack.pop()
            live, given = self._factors(term)
            if len(live) == 1 and isinstance(live[0], Sum):
                stack.extend(given * part for part in reversed(live[0].args))
            else:
                terms.append(term)
        return terms

    def _factors(self, term: Expr) -> tuple[list[Expr], Expr]:
        """The factors of a product that contain unknowns, and the product of the given ones."""
        factors = factors_of(term)
        live = [f for f in factors if self._moving[f]]
        return live, mul(*(f for f in factors if not self._moving[f]))

    @cached_property
    def terms(self) -> list[Expr]:
        """The terms of F = Σ_a L_a D^a u + s + N, those of N one by one."""
        linear = [coefficient * JetSymbol(jet) for jet, coefficient in self.linear_part.items()]
        return [*linear, self.source_part, *terms_of(self.nonlinear_part)]

    @cached_property
    def linear(self) -> bool:
        """Whether F is affine in the unknowns."""
        return is_zero(self.nonlinear_part)

    @cached_property
    def stationary(self) -> bool:
        """Whether F is affine with coefficients that do not change in time; its source may."""
        return self.linear and all(c.symbols <= self.places for c in self.linear_part.values())

    @cached_property
    def places(self) -> set[Symbol]:
        """The coordinates of places, and what is given of them alone."""
        steady = {symbol for symbol in self.functions if symbol.steady}
        return {Symbol(c) for c in self.coordinates[:-1]} | steady

    @cached_property
    def time_dependent(self) -> bool:
        """Whether something given in F may change in time: t occurs, or a function of the user's."""
        moving = not all(symbol.steady for symbol in self.functions)
        return moving or Symbol(self.coordinates[-1]) in self._full_program.symbols

    @property
    def pattern(self) -> Expr:
        """A formula of the shape of F: for what does not depend on its numbers."""
        return self.expression

    @property
    def complementary(self) -> bool:
        """Whether it chooses between a formula with a rate and another one, `min(A, B) = 0`:  A ≥ 0, B ≥ 0, A B = 0."""
        node = split_number(self.expression)[1]
        moves = lambda part: any(isinstance(s, JetSymbol) and s.jet.index[-1] for s in symbols_in(part))  # noqa: E731
        return isinstance(node, Call) and node.function is choice and any(map(moves, node.args[1:]))

    @cached_property
    def nonlinear_jets(self) -> tuple[Jet, ...]:
        """The jets on which N depends."""
        return jets_among(symbols_in(self.nonlinear_part))

    @cached_property
    def frechet(self) -> dict[Jet, Expr]:
        """∂N/∂(D^a u) for every jet in N."""
        slopes: dict[Jet, list[Expr]] = {jet: [] for jet in self.nonlinear_jets}
        for term in terms_of(self.nonlinear_part):
            live, given = self._factors(term)
            for jet in jets_among(symbols_in(*live)):
                slopes[jet].append(given * derivative(mul(*live), {JetSymbol(jet): ONE}))
        return {jet: add(*parts) for jet, parts in slopes.items()}

    @cached_property
    def frozen(self) -> dict[Jet, Expr]:
        """Picard's c_a with N ≈ Σ c_a(u_old) D^a u + the rest frozen (Paper, eq:picard-residual)."""
        own = frozenset(j.unknown for j in self.linear_part if j.index[-1] > 0)
        return live_part(self.nonlinear_part, own, self._moving)

    @cached_property
    def _affine_program(self) -> Program:
        return Program([self.source_part, *self.linear_part.values()])

    @cached_property
    def _source_program(self) -> Program:
        return Program(list(terms_of(self.source_part)))

    @cached_property
    def _newton_program(self) -> Program:
        return Program([self.nonlinear_part, *self.frechet.values()])

    @cached_property
    def _picard_program(self) -> Program:
        return Program([self.nonlinear_part, *self.frozen.values()])

    @cached_property
    def _full_program(self) -> Program:
        return Program([add(*self.terms)])

    @cached_property
    def given_factors(self) -> list[Expr]:
        """The largest parts of N without unknowns, numbers apart."""
        moving = [node for node in postorder(self.nonlinear_part) if self._moving[node]]
        parts = (a for node in moving for a in node.args if not self._moving[a] and not isinstance(a, Number))
        return list(dict.fromkeys(parts))

    @cached_property
    def _given_program(self) -> Program:
        return Program(self.given_factors)

    @cached_property
    def _term_program(self) -> Program:
        return Program(self.terms)

    def _values(self, points: np.ndarray, jets: Jets) -> dict[Symbol, np.ndarray]:
        return inputs(self.coordinates, self.functions, points, jets)

    def affine(self, points: np.ndarray) -> tuple[np.ndarray, dict[Jet, np.ndarray]]:
        """Source s and coefficients L_a at points (arrays, or 0-d where constant)."""
        source, *coefficients = self._affine_program(self._values(points, {}))
        return full(source, points), dict(zip(self.linear_part, map(np.asarray, coefficients), strict=True))

    @cached_property
    def _numbers(self) -> dict[Jet, np.ndarray]:
        """L_a where all of them are numbers; nothing elsewhere."""
        if symbols_in(*self.linear_part.values()):
            return {}
        found = Program(list(self.linear_part.values()))({})
        return dict(zip(self.linear_part, map(np.asarray, found), strict=True))

    def coefficients(self, points: np.ndarray) -> dict[Jet, np.ndarray]:
        """L_a at points (arrays, or 0-d where constant)."""
        return self._numbers or self.affine(points)[1]

    def source_terms(self, points: np.ndarray) -> list[np.ndarray]:
        """The terms of s at points, one by one."""
        return [full(term, points) for term in self._source_program(self._values(points, {}))]

    def nonlinear(
        self, points: np.ndarray, jets: Jets, picard: bool
    ) -> tuple[np.ndarray, dict[Jet, np.ndarray]]:
        """N and its coefficients at points, Fréchet's or Picard's."""
        program = self._picard_program if picard else self._newton_program
        parts = self.frozen if picard else self.frechet
        value, *coefficients = program(self._values(points, jets))
        return full(value, points), dict(zip(parts, map(np.asarray, coefficients), strict=True))

    def residual(self, points: np.ndarray, jets: Jets) -> np.ndarray:
        """F at points, from the values of its jets there."""
        (value,) = self._full_program(self._values(points, jets))
        return full(value, points)

    def known(self, points: np.ndarray) -> dict[Symbol, np.ndarray]:
        """Coordinates and given functions at points, for `residual_of`: an iteration asks for them once."""
        return self._values(points, {})

    def residual_at(self, points: np.ndarray) -> Bound:
        """F at points as a function of the values of its jets there: a list of one array. Iterations evaluate what is given once."""
        return self._bound(self._residual_binding, points)

    @cached_property
    def _residual_binding(self) -> Binding:
        return Binding(self._full_program, [jet_symbol(jet) for jet in self.jets])

    def _bound(self, binding: Binding, points: np.ndarray) -> Bound:
        """A program of coordinates, given functions and jets as a function of the jets, at points."""
        return binding(
            [
                symbol.function(points)
                if isinstance(symbol, GivenSymbol)
                else points[:, self.coordinates.index(symbol.name)]
                for symbol in binding.known
            ]
        )

    @cached_property
    def _slope_binding(self) -> Binding:
        slopes = [add(self.linear_part.get(jet, ZERO), self.frechet.get(jet, ZERO)) for jet in self.jets]
        return Binding(Program(slopes), [jet_symbol(jet) for jet in self.jets])

    def slopes_at(self, points: np.ndarray) -> Bound:
        """∂F/∂(D^a u) at points as functions of the values of all jets there, in their order: arrays, or numbers where they are the same everywhere."""
        return self._bound(self._slope_binding, points)

    def residual_of(self, known: Mapping[Symbol, np.ndarray], jets: Jets) -> np.ndarray:
        """F from what is given at some points and the values of its jets there."""
        (value,) = self._full_program({**known, **{jet_symbol(jet): v for jet, v in jets.items()}})
        return np.asarray(value, dtype=float)

    def magnitude(self, points: np.ndarray, jets: Jets) -> np.ndarray:
        """Sum of the absolute values of the terms of F: what a residual is to be compared with."""
        terms = self._term_program(self._values(points, jets))
        return np.sum([np.abs(full(term, points)) for term in terms], axis=0)

    def compared(self, points: np.ndarray, jets: Jets) -> tuple[np.ndarray, np.ndarray]:
        """F, and the sum of the absolute values of its terms, from one evaluation."""
        terms = self._term_program(self._values(points, jets))
        total, size = np.zeros(len(points)), np.zeros(len(points))
        for term in terms:
            total += term
            size += np.abs(term)
        return total, size

    def factors(self, points: np.ndarray) -> list[np.ndarray]:
        """The given parts of N at points."""
        return [full(value, points) for value in self._given_program(self._values(points, {}))]

    def given(self, points: np.ndarray) -> list[np.ndarray]:
        """Everything in F that needs no unknown: source, coefficients, given parts of N."""
        values = self._values(points, {})
        found = self._affine_program(values) + self._given_program(values)
        return [full(value, points) for value in found]

    def __reduce__(self) -> tuple[type[Row], tuple]:
        """Sent to another process as its formula; what is compiled is compiled there."""
        return Row, (self.expression, self.coordinates, self.label)

    def __repr__(self) -> str:
        return f"Row({self.label}: {self.expression} = 0)"


def inputs(
    coordinates: tuple[str, ...], functions: Iterable[GivenSymbol], points: np.ndarray, jets: Jets
) -> dict[Symbol, np.ndarray]:
    """What a formula is evaluated with: coordinates, given functions and jets at points."""
    values: dict[Symbol, np.ndarray] = dict(zip(coordinate_symbols(coordinates), points.T, strict=False))
    values |= {symbol: symbol.function(points) for symbol in functions}
    values |= {jet_symbol(jet): value for jet, value in jets.items()}
    return values


def full(value: np.ndarray | float, points: np.ndarray) -> np.ndarray:
    if isinstance(value, np.ndarray) and value.dtype == float and value.shape == (len(points),):
        return value
    return np.broadcast_to(np.asarray(value, dtype=float), (len(points),))
