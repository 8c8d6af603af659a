# SPDX-License-Identifier: MIT
"""A statement with some of its numbers left open: read once, closed again and again.

F(x, t, {D^a u}; p) = 0 is kept with p as a symbol. Where p occurs in the equations alone, another value makes another row and nothing else: texts are not
read again, and what was checked about data and conditions still holds.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from numbers import Real
from typing import Any

from lrfm.problem.algebra import Expr, Number, Symbol, number, postorder, symbols_in, terms_of
from lrfm.problem.alphabet import Alphabet
from lrfm.problem.calls import is_real
from lrfm.problem.equation import Row
from lrfm.problem.errors import ProblemError, listing, shown, suggest
from lrfm.problem.expression import Value, is_zero, substituted
from lrfm.problem.free import FreeSymbol, freed
from lrfm.problem.jets import ContainsJets, Jet, JetSymbol
from lrfm.problem.problem import Problem
from lrfm.problem.program import Program


class Template:
    """A problem as a function of the numbers among its parameters."""

    def __init__(self, problem: Problem):
        self.problem = problem
        self.names = tuple(name for name, given in problem.parameters.items() if _is_number(given))
        # Layers have rows of their own, and a domain in motion another statement behind it: these are read again.
        plain = problem.moved is None and problem.alphabet.materials is None
        self._open = freed(problem, self.names) if self.names and plain else None

    def values(self, given: Mapping[str, Any]) -> dict[str, float]:
        """Numbers by name, those that were not given as the statement has them; a sentence for what is none."""
        for name, value in given.items():
            if name not in self.names:
                there = (
                    f"there are {listing(self.names)}" if self.names else "it has no numbers in `parameters`"
                )
                raise ProblemError(
                    f"`{name}` is not among the numbers of this problem; {there}.{suggest(name, list(self.names))}"
                )
            if not is_real(value) or not math.isfinite(value):
                raise ProblemError(
                    f"The parameter `{name}` was given as {shown(value)}; expected a finite real number."
                )
        return {name: float(given.get(name, self.problem.parameters[name])) for name in self.names}

    @cached_property
    def _rows(self) -> bool:
        """Whether the numbers occur in the equations alone."""
        if self._open is None or self._open.functionals:
            return False
        faces = [row.expression for rows in self._open.face_rows.values() for row in rows]
        data = (*self._open.initial_data.values(), *self._open.guesses.values())
        return not any(map(_is_open, [*faces, *(part for datum in data for part in datum.value or ())]))

    @cached_property
    def fixed(self) -> bool:
        """Whether the numbers change no function of space and time that is given: these were looked at once."""
        assert self._open is not None or not self.names
        if self._open is None:
            return not self.names
        return self._rows and not any(map(_moves, self._open.rows))

    def at(self, values: Mapping[str, float]) -> Problem:
        """The statement with these numbers; it is read and checked again where they change more than its equations."""
        parameters = {**self.problem.parameters, **values}
        if not values or dict(parameters) == dict(self.problem.parameters):
            return self.problem
        rows = self._closed(values) if self._open is not None and self._rows else None
        if rows is None:
            return self.problem.replace(parameters=parameters, reference=None)
        return self.problem.restated(
            rows=rows,
            parameters=parameters,
            reference=None,
            alike=self.problem if self.fixed else None,
            _alphabet=self._alphabet(values),
        )

    def _alphabet(self, values: Mapping[str, float]) -> Alphabet:
        """What names mean with these numbers."""
        assert self._open is not None
        meant = {
            name: Value(*(substituted(part, _numbers(part, values)) for part in value))
            for name, value in self._open.alphabet.parameters.items()
        }
        return replace(self.problem.alphabet, parameters=meant)

    def _closed(self, values: Mapping[str, float]) -> tuple[Row, ...] | None:
        """The rows with numbers in the place of symbols; None where these change what kind of rows they are."""
        assert self._open is not None
        rows = []
        for row, known in zip(self._open.rows, self.problem.rows, strict=True):
            by = _values(row.expression, values)
            if not by:
                rows.append(known)
                continue
            made = ClosedRow(row, by)
            parts = [*made.linear_part.values(), made.source_part, made.nonlinear_part]
            if made.vanishes or set(made.jets) != set(known.jets) or made.linear != known.linear:
                return None
            if any(isinstance(node, Number) and not math.isfinite(node.value) for node in postorder(*parts)):
                return None
            rows.append(made)
        return tuple(rows)


def _numbers(expression: Expr, values: Mapping[str, float]) -> dict[Symbol, Expr]:
    return {symbol: number(value) for symbol, value in _values(expression, values).items()}


def _values(expression: Expr, values: Mapping[str, float]) -> dict[Symbol, float]:
    """What is put into the place of each open number of a formula."""
    return {s: values[s.parameter] for s in expression.symbols if isinstance(s, FreeSymbol)}


def _is_number(given: object) -> bool:
    return isinstance(given, Real) and not isinstance(given, bool)


def _is_open(expression: Expr) -> bool:
    return any(isinstance(symbol, FreeSymbol) for symbol in expression.symbols)


def _moves(row: Row) -> bool:
    """Whether an open number stands beside a coordinate, or a given function, in something that is given."""
    parts = [*row.linear_part.values(), row.source_part, *row.given_factors]
    return any(_is_open(part) and any(map(_varies, symbols_in(part))) for part in parts)


def _varies(symbol: Symbol) -> bool:
    return not isinstance(symbol, FreeSymbol | JetSymbol)


class ClosedRow(Row):
    """F(x, t, {D^a u}; p) = 0 with numbers in the place of p: the parts, derivatives and programs of the row with p open serve for all of them.

    Terms of the open row must be left: where numbers make one of them zero (`vanishes`), it is a row of another kind, and has to be made anew.
    """

    def __init__(self, opened: Row, values: Mapping[Symbol, float]):
        self.coordinates, self.label = opened.coordinates, opened.label
        self.functions, self.jets = opened.functions, opened.jets
        self._opened, self._values_of = opened, values
        self._by = {symbol: number(value) for symbol, value in values.items()}
        self.linear_part = {jet: self._closed(part) for jet, part in opened.linear_part.items()}
        self.source_part = self._closed(opened.source_part)
        rest = [self._closed(term) for term in terms_of(opened.nonlinear_part)]
        self.nonlinear_part = self._closed(opened.nonlinear_part)
        left = [*self.linear_part.values(), *([] if opened.linear else [*rest, self.nonlinear_part])]
        self.vanishes = any(map(is_zero, left))

    def _closed(self, expression: Expr) -> Expr:
        return substituted(expression, self._by)

    @cached_property
    def expression(self) -> Expr:  # type: ignore[override]
        """F."""
        return self._closed(self._opened.expression)

    @property
    def pattern(self) -> Expr:
        """F with its numbers open."""
        return self._opened.expression

    @cached_property
    def _moving(self) -> ContainsJets:  # type: ignore[override]
        return ContainsJets(self.expression)

    @cached_property
    def frechet(self) -> dict[Jet, Expr]:  # type: ignore[override]
        """∂N/∂(D^a u) for every jet in N."""
        return {jet: self._closed(part) for jet, part in self._opened.frechet.items()}

    @cached_property
    def terms(self) -> list[Expr]:  # type: ignore[override]
        """The terms of F, as those of the open row."""
        return [self._closed(term) for term in self._opened.terms]

    @cached_property
    def _affine_program(self) -> Program:  # type: ignore[override]
        return self._opened._affine_program.closed(self._values_of)

    @cached_property
    def _newton_program(self) -> Program:  # type: ignore[override]
        return self._opened._newton_program.closed(self._values_of)

    @cached_property
    def _full_program(self) -> Program:  # type: ignore[override]
        return self._opened._full_program.closed(self._values_of)

    @cached_property
    def _term_program(self) -> Program:  # type: ignore[override]
        return self._opened._term_program.closed(self._values_of)
