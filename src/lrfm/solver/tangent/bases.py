# SPDX-License-Identifier: MIT
"""On what δ is marched: the bases of the solution, or larger ones in the same charts that hold what a direction brings in.

u = Σ_m a_m ψ_m = Σ_n (P a)_n ψ̃_n, ψ̃ drawn anew. A function of an unknown field may have many more modes than u has; on the bases of u its
effect would be that of something else. A solution that was read from a file has bases that evaluate, but no points to march on.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lrfm.problem.shapes.protocol import is_layered
from lrfm.rows.region_steps import RegionSteps
from lrfm.rows.steps import Steps
from lrfm.solver.lines.choice import transfer
from lrfm.solver.lines.choosers import chooser_for, rules_of
from lrfm.solver.lines.form import Unsuited, is_box
from lrfm.solver.lines.projected import ProjectedRows
from lrfm.solver.lines.rules import rules_for
from lrfm.solver.lines.system import System
from lrfm.solver.tangent.form import TangentForm
from lrfm.spaces.axes.axis import AxisBasis, Law, make_basis
from lrfm.spaces.axes.product import ProductBasis

Stepped = Steps | RegionSteps


@dataclass(frozen=True, kw_only=True)
class Needs:
    """What directions ask for that a solution need not have: steps no longer than `longest`, so many modes along each axis."""

    longest: float = math.inf
    modes: tuple[float, ...] = ()


NOTHING = Needs()


def marchable(
    pieces: Sequence[Stepped], needs: Needs, tol: float, seed: int
) -> list[Steps] | list[RegionSteps]:
    """The same steps, short enough, on bases that have points and modes enough; those of regions stay as they are."""
    regions = [piece.refined(needs.longest) for piece in pieces if isinstance(piece, RegionSteps)]
    if regions:
        return regions
    products = [piece for piece in pieces if isinstance(piece, Steps)]
    dimension = len(products[0].basis.axes)
    law = rules_for(tol, dimension).law
    rng = np.random.default_rng([seed, dimension])
    modes = needs.modes or (0.0,) * dimension
    return [_on(piece.refined(needs.longest), modes, law, rng) for piece in products]


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


class Systems:
    """The rows of a linearized form on the basis of each piece, and states carried from one to the next."""

    def __init__(self, tangent: TangentForm, tol: float):
        self.tangent = tangent
        self._choosers: list[Any] = []
        if is_box(tangent.problem):
            return
        if is_layered(tangent.problem.domain):
            raise Unsuited("It has layers.")
        plain = tangent.base.form
        for witness in (False, True):  # whose points on the boundary differ
            rules = rules_of(plain, tol, witness)
            self._choosers.append(chooser_for(plain, rules, np.random.default_rng(0)))
        if self._choosers[0].naturals:
            raise Unsuited(
                "Conditions on slopes contradict the data, and are imposed by the equation itself."
            )

    def on(self, piece: Stepped) -> ProjectedRows:
        """The rows on the basis of a piece."""
        form = self.tangent.form
        if isinstance(piece, Steps):
            return System(form, ProductBasis(piece.basis.axes, form.tops))
        from lrfm.solver.lines.regions.recipe import system_on  # boxes have no use for it

        if not self.tangent.indices <= set(form.indices):
            raise Unsuited("A parameter is zero, and hides a derivative that the solution was not made for.")
        return system_on(self._choosers, form, piece.basis)

    @staticmethod
    def carried(old: Any, new: Any, states: np.ndarray) -> np.ndarray:
        """States on another basis."""
        if isinstance(new, ProductBasis):
            return transfer(old, new, states)
        from lrfm.solver.lines.regions import recipe

        return recipe.transfer(old, new, states)
