# SPDX-License-Identifier: MIT
"""Where a march stands, what a step was, and what was done: plain records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from lrfm.rows.region_steps import piece_of
from lrfm.rows.steps import Steps
from lrfm.solver.lines.form import Form
from lrfm.solver.lines.gauge import Undetermined
from lrfm.solver.lines.schemes import Scheme
from lrfm.spaces.axes.product import ProductBasis


@dataclass(frozen=True)
class Residual:
    """Relative to the terms of the equations, and as a rate of change of the solution relative to its size."""

    relative: float
    rate: float


@dataclass(frozen=True)
class State:
    """Where a march stands: enough to go on from, and small."""

    time: float
    length: float
    basis: ProductBasis
    coefficients: np.ndarray  # (components, R)


@dataclass(frozen=True)
class Step:
    """One kept step: state before, length, rates of all components at the stages, and what was measured."""

    start: State
    length: float
    rates: np.ndarray  # (stages, components, R)
    error: float
    residual: Residual
    iterations: int
    scheme: Scheme


@dataclass
class Counts:
    """What a march did."""

    steps: int = 0
    rejected: int = 0
    redraws: int = 0
    factorizations: int = 0
    iterations: int = 0
    stopped: str = ""
    scheme: str = "Radau"
    stagnation: float = 0.0
    refits: list[float] = field(default_factory=list)
    undetermined: list[str] = field(default_factory=list)  # fields known up to a constant at each time
    others: int = 0  # other parts that no row feels

    def tell(self, steps: int, left: Undetermined) -> None:
        """So many steps, and what the equations left undetermined in them."""
        self.steps, self.undetermined, self.others = steps, list(left.constants), left.others


def pieces_of(form: Form, steps: Sequence[Step]) -> list[Steps]:
    """Steps joined where they share a basis."""
    firsts = [form.first[f] for f in form.problem.fields]
    groups: list[list[Step]] = []
    for step in steps:
        if groups and groups[-1][0].start.basis is step.start.basis:
            groups[-1].append(step)
        else:
            groups.append([step])
    pieces = []
    for group in groups:
        edges = np.array([*(s.start.time for s in group), group[-1].start.time + group[-1].length])
        starts = np.stack([s.start.coefficients[firsts] for s in group])
        slopes = np.stack([np.tensordot(s.scheme.to_legendre, s.rates[:, firsts], axes=1) for s in group])
        pieces.append(piece_of(group[0].start.basis, form.problem.fields, edges, starts, slopes))
    if pieces and abs(pieces[-1].edges[-1] - form.problem.time[1]) < 1e-10 * (
        form.problem.time[1] - form.problem.time[0]
    ):
        pieces[-1].edges[-1] = form.problem.time[1]
    return pieces
