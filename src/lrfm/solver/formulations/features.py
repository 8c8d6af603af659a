# SPDX-License-Identifier: MIT
"""Cells of an interval with random features as their functions:  u = Σ_j a_kj(t) φ_j(ξ) in cell k,  φ_j of tanh(w (ξ − c)) instead of polynomials.

All else is that of cells: collocation and continuity, splitting and joining, steps, errors, the claim. The comparison solve is by polynomials, so that what
both agree on is due to neither. Functions of a cell that moves, and integrals of polynomials for exponentials, are those of polynomials alone: here cells stand still, and all is steps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from lrfm.adapt.given import Given
from lrfm.discretize.evolution import Unsuited
from lrfm.discretize.options import FEATURES, Options
from lrfm.integrate.integrator import Integrator
from lrfm.integrate.prepare import refuse_rough, stepped_integrator
from lrfm.integrate.state import Step
from lrfm.problem import Problem
from lrfm.rows.pieces import Piece
from lrfm.solver.attempts import IntegrationAttempts
from lrfm.solver.engine import Wanted
from lrfm.solver.formulations.cells import CellFormulation, cells_attempts, piece_of
from lrfm.spaces.cells.reference import POLYNOMIALS, CellFunctions, RandomFeatures


@dataclass(frozen=True)
class FunctionsFormulation(CellFormulation):
    """A statement in one dimension on cells with functions of any kind."""

    functions: CellFunctions = field(default=POLYNOMIALS)

    def _plain(self, options: Options, sizes: np.ndarray | None) -> Integrator:
        given = self.given or Given(self.system)
        made = stepped_integrator(self.system, options, sizes, given, functions=self.functions)
        try:
            refuse_rough(made)
        except Unsuited:
            raise Unsuited(
                "What random features of a cell leave out of its derivatives is far above the tolerance, and nothing damps it."
            ) from None
        return made

    def piece(self, steps: Sequence[Step]) -> Piece:
        return piece_of(self.system, steps, self.functions)

    def words(self, steps: Sequence[Step]) -> Mapping[str, str]:
        words = dict(super().words(steps))
        size = int(words.pop("degree")) + 1
        return {**words, "functions": self.functions.words(size), "comparison": "by polynomials"}


def feature_attempts(problem: Problem, wanted: Wanted, seed: int) -> IntegrationAttempts:
    """Attempts with random features, each compared with polynomials; Unsuited where the statement is none for them."""
    if problem.domain.dimension != 1 or problem.ordinary:
        raise Unsuited("Random features are functions of cells of an interval.")
    if problem.delays:
        raise Unsuited("The past of a statement with delays is looked up in polynomials.")
    plain = cells_attempts(problem, wanted)
    assert isinstance(plain.form, CellFormulation)
    functions = RandomFeatures(seed, FEATURES.count)
    form = FunctionsFormulation(
        plain.form.system, plain.form.given, name=f"features of seed {seed}", functions=functions
    )
    return IntegrationAttempts(form, wanted, False, plain.from_nothing, beside=plain.form)
