# SPDX-License-Identifier: MIT
"""The one row form: every equation and every condition is F(x, t, {D^a u}) = 0.

F is kept as  Σ_a L_a(x,t) D^a u + s(x,t) + N(x, t, {D^a u}):  what is linear with given coefficients, a source, and
the rest. Newton linearizes N by its Fréchet coefficients ∂N/∂(D^a u); Picard freezes all factors of a product but one.
A linear row is the case N = 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property

import numpy as np
import sympy
from sympy import Expr, Symbol

from lrfm.problem.expression import ZERO, Program
from lrfm.problem.jets import Jet, jet_symbol

Data = Mapping[Symbol, Callable[[np.ndarray], np.ndarray]]
Jets = Mapping[Jet, np.ndarray]


class Row:
    """F(x, t, {D^a u}) = 0 at a point, for real scalar fields.

    Parameters
    ----------
    expression
        F, a SymPy formula in coordinates, data symbols and jet symbols.
    coordinates
        Names of the columns of a points array, time last.
    data
        Given functions: symbol → values at points.
    label
        How the row is called in messages.
    """

    def __init__(self, expression: Expr, coordinates: tuple[str, ...], data: Data, label: str):
        self.expression = expression
        self.coordinates = coordinates
        self.label = label
        symbols = expression.free_symbols
        self._data = {s: f for s, f in data.items() if s in symbols}
        jets = {s: j for s in symbols if (j := Jet.of(s)) is not None}
        self.jets: tuple[Jet, ...] = tuple(sorted(jets.values()))
        self._split(jets)

    def _split(self, jets: Mapping[Symbol, Jet]) -> None:
        zero = dict.fromkeys(jets, ZERO)
        linear: dict[Jet, list[Expr]] = {}
        source: list[Expr] = []
        rest: list[Expr] = []
        for term in sympy.Add.make_args(self.expression):
            slopes = {s: term.diff(s) for s in sorted(term.free_symbols & jets.keys(), key=str)}
            if any(slope.free_symbols & jets.keys() for slope in slopes.values()):
                rest.append(term)
                continue
            for symbol, slope in slopes.items():
                linear.setdefault(jets[symbol], []).append(slope)
            source.append(term.xreplace(zero))
        self.linear_part = {jet: sympy.Add(*parts) for jet, parts in linear.items()}
        self.source_part = sympy.Add(*source)
        self.nonlinear_part = sympy.Add(*rest)

    @property
    def linear(self) -> bool:
        """Whether F is affine in the unknowns."""
        return self.nonlinear_part == 0

    @property
    def autonomous(self) -> bool:
        """Whether time enters only through the unknowns."""
        return Symbol("t") not in self.expression.free_symbols and not self._data

    @cached_property
    def nonlinear_jets(self) -> tuple[Jet, ...]:
        """The jets on which N depends."""
        found = (Jet.of(s) for s in self.nonlinear_part.free_symbols)
        return tuple(sorted(j for j in found if j is not None))

    @cached_property
    def frechet(self) -> dict[Jet, Expr]:
        """∂N/∂(D^a u) for every jet in N."""
        return {j: self.nonlinear_part.diff(jet_symbol(j)) for j in self.nonlinear_jets}

    @cached_property
    def frozen(self) -> dict[Jet, Expr]:
        """Picard's coefficients c_a(u_old) with N ≈ Σ c_a(u_old) D^a u + the rest frozen (Paper, eq:picard-residual)."""
        own = {j.field for j in self.linear_part if j.index[-1] > 0}
        total: dict[Jet, list[Expr]] = {}
        for term in sympy.Add.make_args(self.nonlinear_part):
            for jet, coefficient in live_factor(term, own).items():
                total.setdefault(jet, []).append(coefficient)
        return {jet: sympy.Add(*parts) for jet, parts in total.items()}

    @cached_property
    def _affine_program(self) -> Program:
        return Program([self.source_part, *self.linear_part.values()])

    @cached_property
    def _newton_program(self) -> Program:
        return Program([self.nonlinear_part, *self.frechet.values()])

    @cached_property
    def _picard_program(self) -> Program:
        return Program([self.nonlinear_part, *self.frozen.values()])

    @cached_property
    def _full_program(self) -> Program:
        return Program([self.expression])

    def _values(self, points: np.ndarray, jets: Jets) -> dict[Symbol, np.ndarray]:
        values: dict[Symbol, np.ndarray] = {Symbol(c): points[:, i] for i, c in enumerate(self.coordinates)}
        values |= {symbol: function(points) for symbol, function in self._data.items()}
        values |= {jet_symbol(jet): value for jet, value in jets.items()}
        return values

    def affine(self, points: np.ndarray) -> tuple[np.ndarray, dict[Jet, np.ndarray]]:
        """Source s and coefficients L_a at points (arrays, or 0-d where constant)."""
        source, *coefficients = self._affine_program(self._values(points, {}))
        return _full(source, points), dict(zip(self.linear_part, map(np.asarray, coefficients), strict=True))

    def nonlinear(self, points: np.ndarray, jets: Jets, picard: bool) -> tuple[np.ndarray, dict[Jet, np.ndarray]]:
        """N and its coefficients at points, Fréchet's or Picard's."""
        program, parts = (self._picard_program, self.frozen) if picard else (self._newton_program, self.frechet)
        value, *coefficients = program(self._values(points, jets))
        return _full(value, points), dict(zip(parts, map(np.asarray, coefficients), strict=True))

    def residual(self, points: np.ndarray, jets: Jets) -> np.ndarray:
        """F at points, from the values of its jets there."""
        (value,) = self._full_program(self._values(points, jets))
        return _full(value, points)

    def __repr__(self) -> str:
        return f"Row({self.label}: {self.expression} = 0)"


def live_factor(term: Expr, own: set[str]) -> dict[Jet, Expr]:
    """Split one product into (live jet) × (frozen rest).

    The live factor is the one with the highest derivative; among equals the row's own unknown (the one whose time
    derivative stands in the row), then a plain factor before a power before an affine bracket. A term without such a
    factor, such as sin(u), is frozen as a whole and gives nothing here.
    """
    candidates: list[tuple[tuple, dict[Jet, Expr]]] = []
    factors = sympy.Mul.make_args(term)
    for position, factor in enumerate(factors):
        live = _as_live(factor)
        if live:
            rest = sympy.Mul(*factors[:position], *factors[position + 1 :])
            order = max(jet.order for jet in live)
            belongs = any(jet.field in own for jet in live)
            plain = 2 if factor.is_Symbol else 1 if factor.is_Pow else 0
            rank = (order, belongs, plain, -position)
            candidates.append((rank, {jet: c * rest for jet, c in live.items()}))
    return max(candidates, key=lambda c: c[0])[1] if candidates else {}


def _as_live(factor: Expr) -> dict[Jet, Expr]:
    """Coefficients by which a factor is linear in jets, others frozen: u → 1, u³ → u², (u − a) → 1."""
    if factor.is_Symbol:
        jet = Jet.of(factor)
        return {} if jet is None else {jet: sympy.S.One}
    if factor.is_Pow and factor.base.is_Symbol and factor.exp.is_Number and factor.exp >= 1:
        jet = Jet.of(factor.base)
        return {} if jet is None else {jet: factor.base ** (factor.exp - 1)}
    if factor.is_Add:
        slopes = {j: factor.diff(s) for s in factor.free_symbols if (j := Jet.of(s)) is not None}
        if slopes and not any(Jet.of(s) for slope in slopes.values() for s in slope.free_symbols):
            return slopes
    return {}


def _full(value: np.ndarray | float, points: np.ndarray) -> np.ndarray:
    return np.broadcast_to(np.asarray(value, dtype=float), (len(points),))
