# SPDX-License-Identifier: MIT
"""Parts of the boundary of a shape: one sheet each, as far as it is on the boundary, with a name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lrfm.problem.algebra import Expr
from lrfm.problem.errors import ProblemError, listing
from lrfm.problem.shapes.pieces import Sheet
from lrfm.problem.shapes.protocol import BoundaryRule
from lrfm.problem.shapes.rules import OwnRule

if TYPE_CHECKING:
    from lrfm.problem.shapes.shape import Shape

MEASURED = 400  # points by which a length or an area is measured
MOST_AXES = 3  # of a set without a rule of its own: rays along three axes are all there is for others


def check_axes(names: tuple[str, ...], rule: OwnRule | None) -> None:
    """Refuse a set in more than three dimensions for which there is no rule; a box has one."""
    if rule is None and len(names) > MOST_AXES:
        raise ProblemError(
            f"A domain that is no box was given with {len(names)} axes, {listing(names)}; expected at most {MOST_AXES}. "
            "With more of them use a whole `Box`."
        )


@dataclass(frozen=True, eq=False)
class SheetPart:
    """The stretches of one sheet that have one name: see `protocol.Part`."""

    name: str
    shape: Shape
    sheet: Sheet
    cut: str | None

    @property
    def normal(self) -> tuple[Expr, ...]:
        return tuple(self.sheet.sign * n for n in self.sheet.level.normal)

    def quadrature(
        self, n: int, rng: np.random.Generator | None = None, t: float | None = None
    ) -> BoundaryRule:
        return self.shape.on_sheet(self.sheet, self.cut, n, rng, t)

    def measure(self, t: float | None = None) -> float:
        return float(self.quadrature(MEASURED, None, t).weights.sum())

    def __repr__(self) -> str:
        return f"<part {self.name!r}>"


def named(found: Iterable[tuple[Sheet, str | None]]) -> dict[str, tuple[Sheet, str | None]]:
    """A name for each sheet, or piece cut from one: its own where it is the only one, with a number where it is not."""
    by_name: dict[str, list[tuple[Sheet, str | None]]] = {}
    for sheet, cut in found:
        by_name.setdefault(cut or sheet.name, []).append((sheet, cut))
    names: dict[str, tuple[Sheet, str | None]] = {}
    for name, members in by_name.items():
        for number, member in enumerate(members, 1):
            names[name if len(members) == 1 else f"{name}.{number}"] = member
    return names


def groups_of(parts: Iterable[str], axes: Iterable[str]) -> Mapping[str, tuple[str, ...]]:
    """Names that stand for several parts: what stands before a dot, an axis for its two faces."""
    parts, groups = list(parts), {}
    for name in parts:
        pieces = _split(name)
        for k in range(1, len(pieces)):
            groups.setdefault(".".join(pieces[:k]), []).append(name)
        for axis in axes:
            if pieces[-1] in (f"{axis}-", f"{axis}+"):
                groups.setdefault(".".join([*pieces[:-1], axis]), []).append(name)
    return {name: tuple(members) for name, members in groups.items() if name not in parts}


def _split(name: str) -> list[str]:
    """At its dots; those of an inequality are decimal points."""
    return [name] if "<" in name or ">" in name else name.split(".")
