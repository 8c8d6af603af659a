# SPDX-License-Identifier: MIT
"""A load that acts on a support at the start:  u = g(t) on a face and the equation at u₀, with u_tt = g''(t₀), contradict each other.

Initial data and conditions agree, and so do their rates; what the equation makes of them does not. Beams and plates send waves of every length out from
there at once, the shorter the faster, and no number of functions holds them. Equations of second order in space keep such a corner on one
characteristic, and parabolic ones remove it: of these nothing is said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from lrfm.problem.equation import Row
from lrfm.problem.jets import Jet
from lrfm.problem.rates import time_derivative

if TYPE_CHECKING:
    from lrfm.problem.problem import Problem

STIFF = 4  # order in space from which waves of every length start at once
ORDER = 2  # in time

Places = Callable[[str], np.ndarray]  # points of a face at the start


def gaps(
    problem: Problem, on_face: Places, sample: Callable[[], np.ndarray]
) -> Iterator[tuple[str, np.ndarray, float, np.ndarray]]:
    """What contradicts what, residuals at points of a face, the size of the terms anywhere and at any time, and these points."""
    box = problem.domain
    for face, rows in problem.face_rows.items() if box.is_box else ():
        axis, _ = box.face(face)  # type: ignore[attr-defined]
        for row in rows:
            jets = list(row.jets)
            if not (row.linear and len(jets) == 1 and jets[0].order == 0):
                continue
            value = jets[0]
            fits = problem.time_orders.get(value.unknown) == ORDER
            if not fits or problem.space_order(axis, value.field) < STIFF:
                continue
            top = Jet(value.field, (*(0,) * box.dimension, ORDER))
            for equation in (e for e in problem.rows if top in e.jets):
                points, everywhere = on_face(face), sample()
                here, there = _held(problem, equation, top, points), _held(problem, equation, top, everywhere)
                if here is None or there is None:
                    continue
                here[top] = _accelerated(problem, row, value, points)
                there[top] = np.zeros(len(everywhere))
                sizes = [equation.magnitude(points, here), equation.magnitude(everywhere, there)]
                size = max(np.max(s[np.isfinite(s)], initial=0.0) for s in sizes)
                yield (
                    f"{row.label} and {_small(equation.label)}",
                    equation.residual(points, here),
                    float(size),
                    points,
                )


def remedy(problem: Problem) -> str:
    """What to do where a load acts on what is held."""
    start, end = problem.time
    shift = "t" if start == 0 else f"(t - {start:g})"
    return (
        "what acts there at the start would move what is held, and waves of every length set out from there. Let a load enter away from the support, or "
        f"switch it on smoothly: multiply it by `1 - exp(-({shift}/{0.01 * (end - start):.1g})**2)`."
    )


def _held(problem: Problem, row: Row, top: Jet, points: np.ndarray) -> dict[Jet, np.ndarray] | None:
    """What a row holds beside ∂ₜ²u, from the initial data; None where that is not known."""
    at, found = points.copy(), {}
    at[:, -1] = problem.time[0]
    for jet in (jet for jet in row.jets if jet != top):
        datum = problem.initial_data.get((jet.unknown, jet.index[-1]))
        datum = datum.derivative(jet.index[:-1]) if datum else None
        if datum is None:
            return None
        found[jet] = np.broadcast_to(datum.part(at, jet.field), (len(at),))
    return found


def _accelerated(problem: Problem, row: Row, value: Jet, points: np.ndarray) -> np.ndarray:
    """∂ₜ²u of c u = g, with c that does not change at the start: g''/c."""
    twice = time_derivative(time_derivative(row, problem.time), problem.time)
    jets = {jet: np.zeros(len(points)) for jet in twice.jets}
    slope = np.asarray(row.affine(points)[1][value])
    return np.broadcast_to(-twice.residual(points, jets) / slope, (len(points),))


def _small(label: str) -> str:
    return label[0].lower() + label[1:]
