# SPDX-License-Identifier: MIT
"""On what δ is marched: the bases of the solution, or larger ones in the same charts that hold what a direction brings in.

u = Σ_m a_m ψ_m = Σ_n (P a)_n ψ̃_n, ψ̃ drawn anew. A function of an unknown field may have many more modes than u has; on the bases of u its
effect would be that of something else. A solution that was read from a file has bases that evaluate, but no points to march on.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from lrfm.rows.steps import Steps
from lrfm.solver.lines.choice import transfer
from lrfm.solver.lines.rules import rules_for
from lrfm.spaces.axes.axis import AxisBasis, Law, make_basis
from lrfm.spaces.axes.product import ProductBasis


@dataclass(frozen=True, kw_only=True)
class Needs:
    """What directions ask for that a solution need not have: steps no longer than `longest`, so many modes along each axis."""

    longest: float = math.inf
    modes: tuple[float, ...] = ()


NOTHING = Needs()


def marchable(pieces: Sequence[Steps], needs: Needs, tol: float, seed: int) -> list[Steps]:
    """The same steps, short enough, on bases that have points and modes enough."""
    dimension = len(pieces[0].basis.axes)
    law = rules_for(tol, dimension).law
    rng = np.random.default_rng([seed, dimension])
    modes = needs.modes or (0.0,) * dimension
    return [_on(piece.refined(needs.longest), modes, law, rng) for piece in pieces]


def _on(piece: Steps, modes: Sequence[float], law: Law, rng: np.random.Generator) -> Steps:
    axes = [_axis(axis, least, law, rng) for axis, least in zip(piece.basis.axes, modes, strict=True)]
    if all(new is old for new, old in zip(axes, piece.basis.axes, strict=True)):
        return piece
    basis = ProductBasis(tuple(axes), (0,) * len(axes))
    starts, slopes = (transfer(piece.basis, basis, values) for values in (piece.starts, piece.slopes))
    return replace(piece, basis=basis, starts=starts, slopes=slopes)


def _axis(axis: AxisBasis, least: float, law: Law, rng: np.random.Generator) -> AxisBasis:
    # A basis that was read does not know what it was made for, but how many functions came of it.
    own = axis.modes or max(law.least, law.modes(axis.rank))
    if len(axis.points) and own >= least:
        return axis
    return make_basis(axis.chart, max(own, least), law, rng)
