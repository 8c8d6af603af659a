# SPDX-License-Identifier: MIT
"""u(x, t) = v(ξ, t) on a domain that moves: a piece of v on a reference that stays, and the motion x = c(t) + s(t) ξ."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lrfm.problem import Jet
from lrfm.problem.algebra import Expr, Symbol
from lrfm.problem.alphabet import Alphabet
from lrfm.problem.jets import JetSymbol, jets_among
from lrfm.problem.motion import Motion
from lrfm.problem.program import Program
from lrfm.problem.syntax import parse
from lrfm.problem.text import translate
from lrfm.rows.derived import Moved
from lrfm.rows.pieces import Piece


@dataclass(frozen=True)
class Carried(Moved):
    """A piece of the reference, seen from where it is carried."""

    motion: Motion

    @cached_property
    def _known(self) -> dict[Jet, tuple[Program, tuple[Jet, ...]]]:
        return {}

    def _program(self, jet: Jet) -> tuple[Program, tuple[Jet, ...]]:
        """D^a u by jets of v, and which."""
        if jet not in self._known:
            made = Program([self.motion.jet(jet)])
            self._known[jet] = made, jets_among(made.symbols)
        return self._known[jet]

    def values(self, jets: Iterable[Jet], points: np.ndarray) -> dict[Jet, np.ndarray]:
        """D^a of fields at points (n, d + 1), time last, by the chain rule."""
        jets = list(jets)
        programs = {jet: self._program(jet) for jet in jets}
        inner = dict.fromkeys(j for _, needed in programs.values() for j in needed)
        at = self.motion.back(points)
        given: dict[Symbol, np.ndarray] = {JetSymbol(j): v for j, v in self.piece.values(inner, at).items()}
        given |= {Symbol(name): at[:, k] for k, name in enumerate((*self.motion.names, "t"))}
        return {
            jet: np.broadcast_to(program(given)[0], (len(points),)) for jet, (program, _) in programs.items()
        }

    def record(self) -> dict[str, object]:
        """The piece for a file, the motion as text."""
        return {
            "piece": self.piece,
            "names": list(self.motion.names),
            "centers": [str(c) for c in self.motion.centers],
            "scales": [str(s) for s in self.motion.scales],
        }

    @staticmethod
    def from_record(
        piece: Piece, names: Sequence[str], centers: Sequence[str], scales: Sequence[str]
    ) -> Carried:
        """Build again what `record` wrote. ValueError where the motion has not one center and one scale for each axis."""
        if not names or not len(names) == len(centers) == len(scales):
            raise ValueError("the motion has not one center and one scale for each axis")
        return Carried(piece, Motion(tuple(names), _formulas(centers), _formulas(scales)))


def _formulas(texts: Sequence[str]) -> tuple[Expr, ...]:
    found = [translate(parse(text, "A motion"), Alphabet(()), "A motion") for text in texts]
    if not all(value.real for value in found):
        raise ValueError("a motion is complex")
    return tuple(value.re for value in found)
