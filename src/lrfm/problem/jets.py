# SPDX-License-Identifier: MIT
"""The seam between physics and features: a jet is one derivative D^a of one real scalar field.

Formulas contain three kinds of symbols: coordinates (plain ones), jets, and given functions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from lrfm.problem.algebra import ONE, Expr, Symbol, postorder
from lrfm.problem.expression import derivative

MultiIndex = tuple[int, ...]


SIDE = "@"  # between the name of a field and that of the layer from which it is seen; no user text can contain it


class Jet(NamedTuple):
    """D^a of a field; the multi-index a has one entry per axis, time last.

    On an interface a field has two values: ``u@core`` is u as it is in the layer `core`.
    """

    field: str
    index: MultiIndex  # pyright: ignore[reportIncompatibleMethodOverride]  (nobody searches a jet by tuple.index)

    @property
    def order(self) -> int:
        return sum(self.index)

    @property
    def unknown(self) -> str:
        """Name of the unknown whose field this is: itself, or the complex one of which it is a part."""
        return self.field.partition(SIDE)[0].partition(".")[0]

    @property
    def whole(self) -> str:
        """The field without the side from which it is seen."""
        return self.field.partition(SIDE)[0]

    @property
    def side(self) -> str:
        """The layer from which it is seen; empty where there is one value."""
        return self.field.partition(SIDE)[2]

    def raised(self, position: int) -> Jet:
        """The same jet, differentiated once more."""
        return Jet(self.field, tuple(n + (i == position) for i, n in enumerate(self.index)))


class JetSymbol(Symbol):
    """A derivative of an unknown in a formula; its name contains ``<``, which no user text can produce."""

    __slots__ = ("jet",)

    def __init__(self, jet: Jet):
        self.jet = jet
        super().__init__(f"{jet.field}<{','.join(map(str, jet.index))}>")

    def __reduce__(self) -> tuple:
        return JetSymbol, (self.jet,)


class GivenSymbol(Symbol):
    """A part of a given function in a formula: what the user calls it, and how to evaluate it at points."""

    __slots__ = ("function", "owner")

    def __init__(self, owner: str, part: str, function: Callable[[np.ndarray], np.ndarray]):
        self.owner, self.function = owner, function
        super().__init__(f"{owner}.{part}")

    @property
    def steady(self) -> bool:
        """Whether it is known not to change in time."""
        return False

    def depends(self, coordinates: Sequence[str]) -> frozenset[str]:
        """Which of the coordinates it depends on, as far as its arguments tell; all where they do not."""
        whose = getattr(self.function, "__self__", None)
        return frozenset(getattr(whose, "arguments", coordinates))

    def __reduce__(self) -> tuple:
        return GivenSymbol, (self.owner, self.name.removeprefix(f"{self.owner}."), self.function)


class FieldSymbol(GivenSymbol):
    """D^a of a field whose derivatives are known: ``evaluate(points, a)``; `moving` says on which coordinates it depends."""

    __slots__ = ("evaluate", "index", "moving")

    def __init__(
        self,
        owner: str,
        evaluate: Callable[[np.ndarray, MultiIndex], np.ndarray],
        index: MultiIndex,
        moving: tuple[bool, ...],
    ):
        self.evaluate, self.index, self.moving = evaluate, index, moving
        super().__init__(owner, ",".join(map(str, index)), lambda points: evaluate(points, index))

    @property
    def steady(self) -> bool:
        return not self.moving[-1]

    def depends(self, coordinates: Sequence[str]) -> frozenset[str]:
        return frozenset(c for c, moves in zip(coordinates, self.moving, strict=True) if moves)

    def raised(self, position: int) -> FieldSymbol | None:
        """The same field, differentiated once more; None where this is zero."""
        if not self.moving[position]:
            return None
        index = tuple(n + (i == position) for i, n in enumerate(self.index))
        return FieldSymbol(self.owner, self.evaluate, index, self.moving)

    def __reduce__(self) -> tuple:
        return FieldSymbol, (self.owner, self.evaluate, self.index, self.moving)


@lru_cache(maxsize=4096)
def jet_symbol(jet: Jet) -> JetSymbol:
    """The symbol of a jet, made once: formulas are evaluated far more often than they are written."""
    return JetSymbol(jet)


@lru_cache(maxsize=256)
def coordinate_symbols(coordinates: tuple[str, ...]) -> tuple[Symbol, ...]:
    """The symbols of coordinates, made once."""
    return tuple(Symbol(c) for c in coordinates)


def jets_among(symbols: Iterable[Symbol]) -> tuple[Jet, ...]:
    """The jets among some symbols, in order."""
    return tuple(sorted(s.jet for s in symbols if isinstance(s, JetSymbol)))


class ContainsJets(dict[Expr, bool]):
    """Whether parts of a formula contain jets, each part looked at once: ``moving[part]``."""

    def __init__(self, expression: Expr):
        super().__init__()
        for part in postorder(expression):
            self[part]  # arguments come first, so that no recursion is deep

    def __missing__(self, part: Expr) -> bool:
        self[part] = found = isinstance(part, JetSymbol) or any(self[a] for a in part.args)
        return found


def total(
    formula: Expr, coordinates: Sequence[str], axis: int, others: Mapping[Symbol, Expr] | None = None
) -> Expr:
    """D_k F = ∂F/∂x_k + Σ_a ∂F/∂(D^a u) ∂_k D^a u, the total derivative along one coordinate; `others` are derivatives of symbols that are neither."""
    seed: dict[Symbol, Expr] = {Symbol(coordinates[axis]): ONE, **(others or {})}
    seed |= {JetSymbol(jet): JetSymbol(jet.raised(axis)) for jet in jets_among(formula.symbols)}
    return derivative(formula, seed)
