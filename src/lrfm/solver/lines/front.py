# SPDX-License-Identifier: MIT
"""One draw: from a statement, a tolerance and a seed to steps from the start to the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from lrfm.problem import Problem
from lrfm.rows.carried import Carried
from lrfm.rows.framed import Framed
from lrfm.rows.pieces import Piece
from lrfm.rows.region_steps import piece_of
from lrfm.solver.lines.choosers import rules_of, rules_to_ask
from lrfm.solver.lines.form import Form, Unsuited, form_of
from lrfm.solver.lines.gauge import Undetermined, joined
from lrfm.solver.lines.known import NOTHING, Known
from lrfm.solver.lines.leap import Leap
from lrfm.solver.lines.march import March
from lrfm.solver.lines.state import Counts, Step
from lrfm.spaces.bases import Basis

MOST_AXES = 6  # of a product of bases; one more has too many functions to begin with

PARTS = 8  # numbers that a statement may leave undetermined, beside constants; more are a function


@dataclass(frozen=True)
class Draw:
    """One march: its pieces and what was measured on the way."""

    pieces: list[Piece]
    counts: Counts
    misfit: float
    residual: float  # of the equations on fresh points, relative to their terms, the mean over time
    scheme: str
    reached: float
    features: int
    rank: int
    rows: int  # places of the quadrature
    lengths: np.ndarray = field(repr=False)
    undetermined: Undetermined = field(default_factory=Undetermined)


def applies(problem: Problem) -> tuple[bool, str]:
    """Whether lines can march a statement, and why not."""
    if problem.domain.dimension > MOST_AXES:
        return False, f"A box has more than {MOST_AXES} axes."
    try:
        form = form_of(problem)
        march = March(form, replace(rules_to_ask(form), closely=False), np.random.default_rng(0))
        # Data that ring on a small basis get one of their own.
        regular = march.regular(march.chooser.plain()) or march.regular(march.chooser.start())
    except (Unsuited, np.linalg.LinAlgError) as error:
        return False, str(error)
    left = joined(march.system.undetermined)
    if regular and left.others > PARTS:
        return False, (
            f"The equations leave {left.others} parts of the unknowns undetermined at each time, and more on a finer basis: one "
            "of them is missing, or two of them say the same."
        )
    return regular, "" if regular else "The equations of the first step are singular."


def begin(
    form: Form,
    tol: float,
    seed: list[int],
    witness: bool = False,
    finer: float | None = None,
    known: Known = NOTHING,
    modes: float = 0.0,
    even: float = 0.0,
    resolved: float | None = None,
) -> March:
    """The march of one draw, before its first step, with at least so many modes along each axis.

    `finer` is the misfit below which its start is to be, if it can be; `known` is what was chosen for a nearby statement; `even` is
    the number of modes of a leap on evenly spread functions, where the first draw took one; `resolved` is what the residual of a step in one
    dimension may be, in tolerances.
    """
    rules, rng = rules_of(form, tol, witness), np.random.default_rng(seed)
    rules = replace(rules, law=replace(rules.law, least=max(rules.law.least, modes)))
    if resolved is not None and form.problem.domain.dimension == 1:  # products follow what a step adds anyway
        rules = replace(rules, resolved=resolved)
    return March(form, rules, rng, finer=finer, known=known, even=even)


def drawn(form: Form, steps: Sequence[Step | Leap], counts: Counts, misfit: float) -> Draw:
    """What some steps from the start have come to."""
    bases = [s.start.basis for s in steps]
    return Draw(
        pieces=pieces_of(form, steps),
        counts=counts,
        misfit=misfit,
        residual=float(
            sum(s.length * s.residual.relative for s in steps) / max(sum(s.length for s in steps), 1e-300)
        ),
        scheme=counts.scheme,
        reached=steps[-1].start.time + steps[-1].length if steps else form.problem.time[0],
        features=max((b.features for b in bases), default=0),
        rank=max((b.size for b in bases), default=0),
        rows=max((b.grid.size for b in bases), default=0),
        lengths=np.array([s.length for s in steps]),
        undetermined=Undetermined(tuple(counts.undetermined), counts.others),
    )


def draw(form: Form, tol: float, seed: list[int], witness: bool = False) -> Draw:
    """One march to the end."""
    march = begin(form, tol, seed, witness)
    return drawn(form, march.run(), march.counts, march.misfit)


def pieces_of(form: Form, steps: Sequence[Step | Leap]) -> list[Piece]:
    """Steps joined where they share a basis, and leaps between them."""
    pieces: list[Piece] = []
    group: list[Step] = []
    for step in steps:
        if group and (isinstance(step, Leap) or not _alike(group[0], step)):
            pieces.append(_joined(form, group))
            group = []
        if isinstance(step, Leap):
            pieces.append(_seen(form, step.start.basis, step.piece))
        else:
            group.append(step)
    pieces += [_joined(form, group)] if group else []
    return pieces


def _alike(one: Step, other: Step) -> bool:
    """Whether two steps are of one piece."""
    return one.start.basis is other.start.basis and one.scheme is other.scheme


def _joined(form: Form, group: Sequence[Step]) -> Piece:
    firsts = [form.first[f] for f in form.fields]
    edges = np.array([*(s.start.time for s in group), group[-1].start.time + group[-1].length])
    begin, end = form.problem.time
    if abs(edges[-1] - end) < 1e-10 * (end - begin):
        edges[-1] = end
    starts = np.stack([s.start.coefficients[firsts] for s in group])
    slopes = np.stack([np.tensordot(s.scheme.to_legendre, s.rates[:, firsts], axes=1) for s in group])
    basis = group[0].start.basis
    return _seen(form, basis, piece_of(basis, form.fields, edges, starts, slopes))


def _seen(form: Form, basis: Basis, piece: Piece) -> Piece:
    """A piece from where the domain, or the frame of its basis, has moved to."""
    frame = getattr(basis, "frame", None)
    if frame is not None:
        return Framed(piece, frame)
    return piece if form.motion is None else Carried(piece, form.motion)
