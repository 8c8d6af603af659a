# SPDX-License-Identifier: MIT
"""Whether each face has as many conditions as waves enter through it, where these are fewer or more than the order of the equations.

u_t + x u_x = 0 on (−1, 1) needs none and u_t − x u_x = 0 two. Shallow water between walls needs one condition on each, u = 0: there the third wave,
which travels with the water, stands still. Nonlinear equations are frozen at the initial data, on a face at what its conditions give.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lrfm.problem.jets import Jet
from lrfm.problem.symbol import linearized, needed_at

if TYPE_CHECKING:
    from lrfm.problem.problem import Problem

MOST_AXES = 3  # of nonlinear equations: to linearize more takes longer than all other checks
PLACES = 40  # at which waves are counted
SHARES = (0.0, 0.3, 0.7, 1.0)  # of the time span at which conditions are looked at
AWAY = 0.05  # of the largest unknown: how far values inside are from the data, at which a wave may happen to stand still

Values = dict[Jet, np.ndarray]


def all_that_enters(problem: Problem, axis: int, order: int) -> bool:
    """Whether it is so on both faces of an axis, and the count inside is the order: elsewhere nothing is known."""
    box, (start, end) = problem.domain, problem.time
    if not problem.linear and box.dimension > MOST_AXES:
        return False
    rng = np.random.default_rng(0)
    inside = box.lower + (box.upper - box.lower) * rng.random((PLACES, box.dimension))
    length = float(box.upper[axis] - box.lower[axis])
    for share in SHARES:
        here = np.column_stack([inside, np.full(PLACES, start + share * (end - start))])
        generic = _frozen(problem, here, rng)
        for upper, side in enumerate("-+"):
            face, there = f"{box.names[axis]}{side}", here.copy()
            there[:, axis] = (box.upper if upper else box.lower)[axis]
            held = _frozen(problem, there)
            if generic is None or held is None:
                return False
            held |= {jet: v for jet, v in _given(problem, face, there).items() if jet in held}
            jets = {jet: np.concatenate([held[jet], generic[jet]]) for jet in held}
            rows = linearized(problem.rows, np.vstack([there, here]), jets, problem.fields)
            # Those of the face first, then those inside; each beside the others, which say what is small.
            swapped = [{jet: np.roll(c, PLACES) for jet, c in row.items()} for row in rows]
            on_face, within = (
                needed_at(some, problem.fields, axis, length, end - start, PLACES) for some in (rows, swapped)
            )
            given = len(problem.face_rows[face])
            if any(n[upper] != given for n in on_face) or any(sum(n) != order for n in within):
                return False
    return True


def _frozen(problem: Problem, points: np.ndarray, rng: np.random.Generator | None = None) -> Values | None:
    """What nonlinear terms hold, from the initial data, some way off them with `rng`; None where that is not known."""
    at = points.copy()
    at[:, -1] = problem.time[0]
    found: Values = {}
    for jet in {jet for row in problem.rows for jet in row.nonlinear_jets}:
        datum = problem.initial_data.get((jet.unknown, jet.index[-1]))
        datum = datum.derivative(jet.index[:-1]) if datum else None
        if datum is None and jet.index[-1]:
            # A rate, as in (h v)_t: it stands beside unknowns without derivatives, which say nothing of waves.
            found[jet] = np.zeros(len(at))
            continue
        if datum is None:
            return None
        found[jet] = np.broadcast_to(datum.part(at, jet.field), (len(at),)).astype(float)
    if rng is None or not found:
        return found
    size = AWAY * max(float(np.max(np.abs(v))) for v in found.values())
    return {jet: values + size * rng.random(len(at)) for jet, values in found.items()}


def _given(problem: Problem, face: str, points: np.ndarray) -> Values:
    """Unknowns whose values are given on a face, c u = g."""
    found: Values = {}
    for row in problem.face_rows[face]:
        jets = list(row.jets)
        if row.linear and len(jets) == 1 and jets[0].order == 0:
            rest, slopes = row.affine(points)
            value = -np.asarray(rest) / np.asarray(slopes[jets[0]])
            found[jets[0]] = np.broadcast_to(value, (len(points),)).astype(float)
    return found
