# SPDX-License-Identifier: MIT
"""Pieces that are made of others: up to a time, by what two differ, some of their fields, in coordinates of their own."""

from __future__ import annotations

from abc import ABC
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lrfm.problem import Jet, Problem
from lrfm.problem.variations import Direction, moved
from lrfm.rows.pieces import Evaluated, OnCells, Piece


@dataclass(frozen=True)
class Derived(Evaluated, ABC):
    """A piece that is made of another one, over the same time."""

    piece: Any  # Any: one of the pieces that a file may hold

    @property
    def window(self) -> tuple[float, float]:
        return self.piece.window


@dataclass(frozen=True)
class OnItsCells(Derived, ABC):
    """One with the cells of the other."""

    def cells_at(self, time: float) -> np.ndarray:
        """Edges of the cells at a time; none where there are no cells."""
        return self.piece.cells_at(time) if isinstance(self.piece, OnCells) else np.zeros(0)


@dataclass(frozen=True)
class Cut(OnItsCells):
    """u up to a time `end`, at which something happened."""

    end: float

    @staticmethod
    def from_record(piece: Any, end: float) -> Cut:
        """Build again what `record` wrote; ValueError where its parts do not belong together."""
        window = getattr(piece, "window", None)
        if window is None or not window[0] < end <= window[1]:
            raise ValueError("a piece is cut where it is not")
        return Cut(piece, float(end))

    def record(self) -> dict[str, object]:
        """The piece and where it ends."""
        return {"piece": self.piece, "end": self.end}

    @property
    def window(self) -> tuple[float, float]:
        return self.piece.window[0], self.end

    def values(self, jets: Iterable[Jet], points: np.ndarray) -> dict[Jet, np.ndarray]:
        """D^a of fields at points."""
        return self.piece.values(jets, points)


@dataclass(frozen=True)
class Gap(Derived):
    """By what one piece differs from another, e = v − u: of two solves of one statement over the same time."""

    other: Piece

    @staticmethod
    def from_record(piece: Any, other: Any) -> Gap:
        """Build again what `record` wrote; ValueError where the two are not over the same time."""
        ends = [getattr(p, "window", None) for p in (piece, other)]
        if None in ends or not np.allclose(ends[0], ends[1]):  # type: ignore[arg-type]
            raise ValueError("two pieces differ where only one of them is")
        return Gap(piece, other)

    def record(self) -> dict[str, object]:
        """Both pieces."""
        return {"piece": self.piece, "other": self.other}

    def values(self, jets: Iterable[Jet], points: np.ndarray) -> dict[Jet, np.ndarray]:
        """Dᵃ of fields at points."""
        jets = list(jets)
        u, v = (p.values(jets, points) for p in (self.piece, self.other))
        return {jet: v[jet] - u[jet] for jet in jets}


@dataclass(frozen=True)
class Selected(OnItsCells):
    """Some fields of a piece under other names, and in other units, u = c v: by their new names, all multiplied by a factor."""

    fields: Mapping[str, str]
    factor: float

    @staticmethod
    def from_record(piece: Any, names: Any, others: Any, factor: float) -> Selected:
        """Build again what `record` wrote; ValueError where its parts do not belong together."""
        names, others = [str(n) for n in names], [str(n) for n in others]
        held = getattr(piece, "fields", None)
        if (
            len(names) != len(others)
            or not np.isfinite(factor)
            or held is None
            or not set(others) <= set(held)
        ):
            raise ValueError("fields are taken from a piece that does not have them")
        return Selected(piece, dict(zip(names, others, strict=True)), float(factor))

    def record(self) -> dict[str, object]:
        """The piece, and which of its fields are meant."""
        return {
            "piece": self.piece,
            "names": list(self.fields),
            "others": list(self.fields.values()),
            "factor": self.factor,
        }

    @property
    def edges(self) -> np.ndarray:
        """Ends of steps."""
        return self.piece.edges  # type: ignore[attr-defined]

    def values(self, jets: Iterable[Jet], points: np.ndarray) -> dict[Jet, np.ndarray]:
        """Dᵃ of fields at points; KeyError for one that was not taken."""
        wanted = {jet: Jet(self.fields[jet.field], jet.index) for jet in jets}
        found = self.piece.values(wanted.values(), points)
        return {jet: self.factor * found[other] for jet, other in wanted.items()}


@dataclass(frozen=True)
class Moved(Derived, ABC):
    """u(x, t) = v(ξ, t): a piece, seen from where its coordinates ξ(x, t) are carried."""

    @property
    def steps(self) -> int:
        """How many there are."""
        return self.piece.steps


def variations_of(problem: Problem, piece: Piece, directions: Sequence[Direction]) -> list[list[Piece]]:
    """δ along each direction, from a piece that holds them beside u, under the names of the fields of u."""
    return [
        [Selected(piece, {f: moved(f, i) for f in problem.fields}, 1 / direction.scale(problem))]
        for i, direction in enumerate(directions)
    ]
