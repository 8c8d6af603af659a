# SPDX-License-Identifier: MIT
"""The seam between physics and features: a jet is one derivative D^a of one real scalar field."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from lrfm.problem.algebra import Expr, Symbol, postorder

MultiIndex = tuple[int, ...]
_PATTERN = re.compile(r"(?P<field>.+)<(?P<index>[\d,]+)>")


class Jet(NamedTuple):
    """D^a of a field; the multi-index a has one entry per axis, time last."""

    field: str
    index: MultiIndex

    @property
    def order(self) -> int:
        return sum(self.index)

    @property
    def unknown(self) -> str:
        """Name of the unknown whose field this is: itself, or the complex one of which it is a part."""
        return self.field.partition(".")[0]

    def raised(self, position: int) -> Jet:
        """The same jet, differentiated once more."""
        return Jet(self.field, tuple(n + (i == position) for i, n in enumerate(self.index)))

    @staticmethod
    def of(symbol: Symbol) -> Jet | None:
        """The jet a symbol stands for; None for coordinates and data."""
        return _of_name(symbol.name)


@lru_cache(maxsize=4096)
def _of_name(name: str) -> Jet | None:
    match = _PATTERN.fullmatch(name)
    return Jet(match["field"], tuple(map(int, match["index"].split(",")))) if match else None


def is_jet(symbol: Symbol) -> bool:
    """Whether a symbol stands for a derivative of an unknown."""
    return Jet.of(symbol) is not None


class Moving(dict[Expr, bool]):
    """Whether parts of a formula contain jets, each part looked at once: ``moving[part]``."""

    def __init__(self, expression: Expr):
        super().__init__()
        for part in postorder(expression):
            self[part]  # arguments come first, so that no recursion is deep

    def __missing__(self, part: Expr) -> bool:
        self[part] = found = is_jet(part) if isinstance(part, Symbol) else any(self[a] for a in part.args)
        return found


def jet_symbol(jet: Jet) -> Symbol:
    """The symbol of a jet; its name contains ``<``, which no user text can produce."""
    return Symbol(f"{jet.field}<{','.join(map(str, jet.index))}>")
