# SPDX-License-Identifier: MIT
"""Coefficients and sources that grow without bound inside the domain, such as tan(3x) at x = π/6:  |c(x)| is largest, and larger the closer one looks.

A domain is split there by what is stated, whatever was meant: characteristics end, counts of conditions mean nothing. Poles on a face, as 1/r has
one at r = 0, are left alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from lrfm.problem.equation import Row

if TYPE_CHECKING:
    from lrfm.problem.problem import Problem

MOST_AXES = 3
SCAN = 400  # places along an axis
TALLEST = 3  # of which so many are looked at closely,
CLOSER, ROUNDS = 5, 12  # with so many times closer places, so often
HIGH, GROWS = (
    1e6,
    1e3,
)  # what a pole is at last, relative to the mean, and to half of the rounds before: 5⁶ = 15625 where it is one of first order
INSIDE = 1e-6  # part of an axis between a face and what is inside


def poles(problem: Problem) -> list[tuple[str, str, float]]:
    """Label of an equation, axis and place of each pole of what is given in it, the first one of each axis."""
    return _poles(problem.alike or problem)


@lru_cache(maxsize=16)
def _poles(problem: Problem) -> list[tuple[str, str, float]]:
    """The same, found once for statements that are given the same functions."""
    box, found = problem.domain, []
    if not box.is_box or box.dimension > MOST_AXES:
        return []
    middle = np.append(
        box.lower + 0.618 * (box.upper - box.lower), problem.time[0] + 0.618 * np.ptp(problem.time)
    )
    for row in problem.rows:
        for axis, name in enumerate(box.names):
            place = next(_along(row, middle, axis, float(box.lower[axis]), float(box.upper[axis])), None)
            if place is not None:
                found.append((row.label, name, place))
    return found


def said(problem: Problem) -> list[str]:
    """A warning for each of them."""
    return [
        f"{label}: a coefficient or source in it grows without bound at {name}={place:.6g}, inside the domain. What is solved on either side of it does not "
        "belong together; end the domain before it, or write what is meant without the pole."
        for label, name, place in poles(problem)
    ]


def _along(row: Row, middle: np.ndarray, axis: int, low: float, high: float) -> Iterator[float]:
    """Poles of what is given in a row, along a line through the domain."""

    def sizes(x: np.ndarray) -> list[np.ndarray]:
        points = np.repeat(middle[None], len(x), axis=0)
        points[:, axis] = x
        with np.errstate(all="ignore"):
            return [np.nan_to_num(np.abs(v), nan=0.0, posinf=1e300) for v in row.given(points)]

    x = low + (high - low) * (np.arange(SCAN) + 0.5) / SCAN
    for number, values in enumerate(sizes(x)):
        mean = float(np.median(values))
        if np.ptp(values) == 0.0 or mean == 0.0:
            continue
        inner = (values[1:-1] >= values[:-2]) & (values[1:-1] >= values[2:])
        tops = np.flatnonzero(inner) + 1
        for i in tops[np.argsort(-values[tops])][:TALLEST]:
            place, width, heights = x[i], (high - low) / SCAN, [values[i]]
            for _ in range(ROUNDS):
                near = np.clip(place + width * np.linspace(-1, 1, 2 * CLOSER + 1), low, high)
                found = sizes(near)[number]
                place, width = near[int(np.argmax(found))], width / CLOSER
                heights.append(found.max())
            away = INSIDE * (high - low)
            tall = heights[-1] > max(HIGH * mean, GROWS * heights[ROUNDS // 2])
            if tall and low + away < place < high - away:
                yield float(place)
