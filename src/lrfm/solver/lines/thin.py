# SPDX-License-Identifier: MIT
"""Stretches of an axis on which what is given in a row is thin, and whether a quadrature sees them.

    off = |g - the straight line between the ends of a stretch|,     seen where  Σ w off² = ∫ off²  to a part SEEN of it

on the lines of `lrfm.error.thin`, for every source, coefficient and factor. Residuals are looked at on the points of these panels as well:
an engine that steps over a pulse would otherwise find its own equation without the pulse solved.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lrfm.error.thin import THIN, Line, thin_lines
from lrfm.problem import Problem, Row
from lrfm.solver.lines.form import Form

SEEN = 0.3  # relative error of the integral of off² by a quadrature that sees it
COUNTS = 1e-6  # of the largest integral of the same function: less is the foot of another pulse
PER_PANEL = 3  # points for residuals
MOST, EACH = 400, 120  # of these along one axis where there is one, and where there are more


@dataclass(frozen=True)
class Stretch:
    """A run of thin panels of a line on which a row has given functions; their integrals of off²."""

    row: Row
    line: Line
    low: float
    high: float
    ends: np.ndarray  # of all functions, (m, 2)
    whole: np.ndarray  # ∫ off², (m,)
    place: float  # where off is largest

    def off(self, x: np.ndarray) -> np.ndarray:
        """off² of every function at places of the stretch, (m, n)."""
        part = (x - self.low) / (self.high - self.low)
        line = self.ends[:, :1] + (self.ends[:, 1:] - self.ends[:, :1]) * part
        return (_given(self.row, self.line, x) - line) ** 2


def _given(row: Row, line: Line, x: np.ndarray) -> np.ndarray:
    """Everything that is given in a row, at places of a line: (m, n)."""
    points = np.repeat(line.through[None], len(x), axis=0)
    points[:, line.axis] = x
    with np.errstate(all="ignore"):
        values = np.array([*row.given(points)])
    return np.where(np.isfinite(values), values, 0.0)


def _stretches(row: Row, line: Line) -> list[Stretch]:
    """The runs of thin panels of a line."""
    thin, edges = line.panels.thin(THIN), line.panels.edges
    starts = np.flatnonzero(np.diff(np.concatenate([[0], thin.astype(int), [0]])))
    points, weights = line.panels.rule(2 * PER_PANEL)
    found = []
    for first, last in zip(starts[::2], starts[1::2], strict=True):
        low, high = float(edges[first]), float(edges[last])
        ends = _given(row, line, np.array([low, high]))
        x, w = points[first:last].ravel(), weights[first:last].ravel()
        made = Stretch(row, line, low, high, ends, np.zeros(len(ends)), low)
        off = made.off(x)
        place = float(x[int(np.argmax(off.max(axis=0, initial=0.0)))])
        found.append(Stretch(row, line, low, high, ends, off @ w, place))
    return found


class Thin:
    """The stretches of all rows along every axis of a box."""

    def __init__(self, problem: Problem):
        self.along: dict[int, list[Stretch]] = {k: [] for k in range(problem.domain.dimension)}
        self.alone = problem.domain.dimension == 1
        for row, lines in thin_lines(problem):
            # Where nothing changes from line to line one of them is all of them.
            for line in lines[:1] if self.alone and not row.time_dependent else lines:
                self.along[line.axis] += _stretches(row, line)

    def unseen(self, axis: int, points: np.ndarray, weights: np.ndarray) -> float | None:
        """The place of the stretch that a quadrature along an axis sees worst; None where it sees all of them."""
        worst, place, largest = SEEN, None, self._largest(axis)
        for stretch in self.along[axis]:
            inside = (points > stretch.low) & (points < stretch.high)
            seen = stretch.off(points[inside]) @ weights[inside]
            counts = stretch.whole > COUNTS * largest[id(stretch.row)]
            missed = np.abs(1.0 - seen / np.maximum(stretch.whole, 1e-300))[counts]
            if missed.size and missed.max() > worst:
                worst, place = float(missed.max()), stretch.place
        return place

    def _largest(self, axis: int) -> dict[int, np.ndarray]:
        """The largest integral of each function of a row."""
        found: dict[int, np.ndarray] = {}
        for s in self.along[axis]:
            found[id(s.row)] = np.maximum(found.get(id(s.row), 0.0), s.whole)
        return found

    def places(self, axis: int) -> np.ndarray:
        """Places at which residuals are to be looked at along an axis."""
        found, most = [], MOST if self.alone else EACH
        for s in self.along[axis]:
            x = s.line.panels.rule(PER_PANEL)[0].ravel()
            found.append(x[(x > s.low) & (x < s.high)])
        x = np.unique(np.concatenate(found)) if found else np.zeros(0)
        return x if len(x) <= most else np.sort(np.random.default_rng(0).choice(x, most, replace=False))


def thin_of(form: Form) -> Thin:
    """The stretches of a form, looked for once for all draws."""
    if "thin" not in form.found:
        form.found["thin"] = Thin(form.problem)
    return form.found["thin"]
