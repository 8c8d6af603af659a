# SPDX-License-Identifier: MIT
"""F(x, t, {D^a u}; p) = 0 with numbers in the place of p: the parts, derivatives and programs of the row with p open serve for all of them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from lrfm.problem.algebra import Expr, Symbol, number, terms_of
from lrfm.problem.equation import Row
from lrfm.problem.expression import is_zero, substituted
from lrfm.problem.jets import ContainsJets, Jet
from lrfm.problem.program import Program


class ClosedRow(Row):
    """A row with numbers in the place of some symbols.

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
