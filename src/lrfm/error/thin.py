# SPDX-License-Identifier: MIT
"""Lines on which something that is given in a row is thin, found from the data alone.

Random lines along every axis of a domain, more of them where other coordinates have thin data, each with the panels on which sources,
coefficients and boundary data are polynomials (`lrfm.problem.resolved`). Curved parts of a boundary have no lines: data on them are scanned,
ALONG places by arc length, and kept where they change fast.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from lrfm.error.marks import marks, spread
from lrfm.linalg.deadline import check_deadline
from lrfm.problem import Box, Problem, Row
from lrfm.problem.resolved import SCAN, Panels, changed_places, named_places, resolve_lines

THIN = 1e-2  # of a line: panels below are looked at
POINTS = 6  # of a panel
STEEP = (
    0.02  # part of its range by which a datum on a curved part changes from place to place where it is thin
)
ALONG, OTHERS = (
    2**14,
    512,
)  # places of a curved part at which its data are looked at, and those that are always kept
STEADY, MOVING, BOXES = (
    8,
    40,
    64,
)  # lines along an axis: of data that do not change in time, of others, and above one dimension


@dataclass(frozen=True)
class Line:
    """A line along one coordinate through a point (axes + 1), how much of all lines it stands for, and its panels."""

    axis: int
    through: np.ndarray
    weight: float
    panels: Panels

    def points(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Points (n, axes + 1), their weights, and the panel of each."""
        x, w = self.panels.rule(POINTS)
        where = np.repeat(self.through[None], x.size, axis=0)
        where[:, self.axis] = x.ravel()
        return where, w.ravel(), np.repeat(np.arange(len(x)), POINTS)


@lru_cache(maxsize=16)
def thin_lines(problem: Problem) -> list[tuple[Row, list[Line]]]:
    """Rows that have thin data in space, each with the lines of every axis on which there are any."""
    found, rng, domain = [], np.random.default_rng(0), problem.domain
    for face, rows in ((None, problem.rows), *problem.face_rows.items()):
        if face is not None and not isinstance(domain, Box):
            continue
        across = domain.face(face)[0] if face is not None and isinstance(domain, Box) else None
        for row in rows:
            for axis in range(domain.dimension):
                if axis != across and _depends(row, axis):
                    lines = list(_lines(problem, row, face, axis, rng))
                    if any(line.panels.thin(THIN).any() for line in lines):
                        found.append((row, lines))
    return found


def _depends(row: Row, axis: int) -> bool:
    """Whether something that is given in a row changes along an axis."""
    name = row.coordinates[axis]
    parts = [row.source_part, *row.linear_part.values(), *row.given_factors]
    known = {symbol for part in parts for symbol in part.symbols}
    plain = any(symbol.name == name for symbol in known)
    return plain or any(name in symbol.depends(row.coordinates) for symbol in row.functions)


def _lines(
    problem: Problem, row: Row, face: str | None, axis: int, rng: np.random.Generator
) -> Iterator[Line]:
    """Random lines along an axis, more of them where other coordinates have thin data."""
    box, near = problem.domain, marks(problem)
    spans = [*box.axes.values(), problem.time]
    count = BOXES if box.dimension > 1 else MOVING if row.time_dependent else STEADY
    through, weights = np.empty((count, len(spans))), np.ones(count)
    for k, (low, high) in enumerate(spans):
        through[:, k], own = spread(low, high, near[k], count, rng)
        weights *= own if k != axis else 1.0
    if face is not None:
        assert isinstance(box, Box)
        across, upper = box.face(face)[:2]
        through[:, across] = (box.upper if upper else box.lower)[across]
    alone = box.dimension == 1
    scanned = SCAN // 16 if not alone else SCAN // 4 if row.time_dependent else SCAN
    # What does not change in time is the same on all lines of an interval.
    different = 1 if alone and not row.time_dependent else count
    panels = panels_of(row, through[:different], axis, spans[axis], scanned)
    for number, (point, weight) in enumerate(zip(through, weights, strict=True)):
        yield Line(axis, point, float(weight) / count, panels[min(number, different - 1)])


def panels_of(
    row: Row, through: np.ndarray, axis: int, span: tuple[float, float], scanned: int
) -> list[Panels]:
    """The panels of what is given in a row on lines through some points, with edges at places that formulas name."""

    def points(lines: np.ndarray, x: np.ndarray) -> np.ndarray:
        where = through[lines]
        where[:, axis] = x
        return where

    def given(lines: np.ndarray, x: np.ndarray) -> np.ndarray:
        with np.errstate(all="ignore"):
            values = [v for v in row.given(points(lines, x)) if any(v.strides)]
        return np.array(values).reshape(-1, len(x))

    def seen(line: int) -> list[float]:
        def functions(x: np.ndarray) -> np.ndarray:
            where = points(np.full(len(x), line), x)
            return np.array([np.broadcast_to(f.function(where), len(x)) for f in row.functions], dtype=float)

        check_deadline()
        return changed_places(functions, *span, scanned) if row.functions else []

    named = named_places([row.expression], row.coordinates, through, axis, *span)
    check_deadline()
    return resolve_lines(given, *span, [[*own, *seen(line)] for line, own in enumerate(named)])


@lru_cache(maxsize=16)
def thin_parts(problem: Problem) -> list[tuple[Row, np.ndarray, np.ndarray]]:
    """Rows on curved parts of a boundary in the plane whose data change fast along them, with points there and their weights."""
    domain, found, rng = problem.domain, [], np.random.default_rng(0)
    if domain.dimension != 2 or domain.moving or domain.is_box:
        return []
    for part, rows in problem.face_rows.items():
        rows = [row for row in rows if any(_depends(row, axis) for axis in range(2))]
        rule = domain.parts[part].quadrature(ALONG) if rows and part in domain.parts else None
        for row in rows if rule is not None else ():
            assert rule is not None
            times = problem.time[0] + (problem.time[1] - problem.time[0]) * rng.random(len(rule.points))
            points = np.column_stack([rule.points, times])
            fixed = np.column_stack([rule.points, np.full(len(times), times[0])])
            thin = np.zeros(len(points), bool)
            for g in row.given(fixed):
                steps = np.abs(np.diff(g, append=g[:1])) if any(g.strides) else np.zeros(len(points))
                thin |= steps > STEEP * max(float(np.ptp(g)), 1e-300)
            some = np.unique(np.append(np.flatnonzero(thin), rng.choice(len(points), OTHERS)))
            share = np.where(thin[some], 1.0, (~thin).sum() / max((~thin[some]).sum(), 1))
            if thin.any():
                found.append((row, points[some], rule.weights[some] * share))
    return found
