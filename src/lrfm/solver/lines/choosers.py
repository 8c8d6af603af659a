# SPDX-License-Identifier: MIT
"""Which way of drawing functions suits a domain: products of axes in boxes, functions of all coordinates elsewhere."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from lrfm.solver.lines.choice import Chooser
from lrfm.solver.lines.form import Form, is_box
from lrfm.solver.lines.kinds import LARGEST
from lrfm.solver.lines.protocols import Chooses
from lrfm.solver.lines.rules import FINER, Rules, rules_for
from lrfm.spaces.axes.axis import Law

MOST = 2000  # features of a region,
FEW = 150  # and those of a trial
ADDED = 1.0  # tolerances that a step may add there: as much as two pilots may differ by


def rules_of(form: Form, tol: float, witness: bool = False) -> Rules:
    """The rules of a draw on the domain of a form; the witness, a second draw, has other points and shorter steps."""
    rules = rules_for(tol, form.problem.domain.dimension, witness, form.coupled)
    if is_box(form.problem):
        return _in_one_piece(form, rules)
    return replace(rules, law=Law(points=FINER if witness else 1.0), most=MOST, added=ADDED)


def _in_one_piece(form: Form, rules: Rules) -> Rules:
    """The rules with no more features on a product of axes than can be solved for with means and unknowns of time alone, a border around all."""
    dimension = form.problem.domain.dimension
    if not form.flat or dimension == 1:
        return rules
    side, law = int((LARGEST / len(form.last)) ** (1 / dimension)), rules.law
    fitting = [n for n in range(rules.most + 1) if n + law.terms(max(law.modes(n), 0.0)) <= side]
    return replace(rules, most=fitting[-1])


def rules_to_ask(form: Form) -> Rules:
    """The rules of a trial that only shows whether a statement can be marched."""
    rules = rules_of(form, 1e-2)
    return rules if is_box(form.problem) else replace(rules, most=FEW)


def chooser_for(form: Form, rules: Rules, rng: np.random.Generator) -> Chooses[Any]:
    """What draws bases on the domain of a form."""
    # Any: which kind of bases it is follows from the domain, known when it runs.
    if is_box(form.problem):
        return Chooser(form, rules, rng)
    from lrfm.solver.lines.regions.choice import RegionChooser  # boxes have no use for all that it loads

    return RegionChooser(form, rules, rng)
