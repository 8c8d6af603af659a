# SPDX-License-Identifier: MIT
"""A domain that moves as a whole, carried back to one that stays:  x_k = c_k(t) + s_k(t) ξ_k,   u(x, t) = v(ξ, t).

    ∂u/∂x_k = s_k⁻¹ ∂v/∂ξ_k,     ∂u/∂t = ∂v/∂t − Σ_k (c_k′ + s_k′ ξ_k)/s_k ∂v/∂ξ_k.

Ends of an interval that are formulas of t, and ellipses whose centers and radii are, are found in the level functions of the domain; their
references are the interval (0, 1) and the unit disc. Coordinates of the reference have the names of those that they stand for.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from lrfm.problem.algebra import (
    ONE,
    Expr,
    Symbol,
    add,
    number,
)
from lrfm.problem.domain import Box
from lrfm.problem.equation import Row
from lrfm.problem.errors import ProblemError
from lrfm.problem.expression import derivative, is_zero, substituted
from lrfm.problem.jets import GivenSymbol, Jet, JetSymbol, total
from lrfm.problem.problem import Problem
from lrfm.problem.program import Program
from lrfm.problem.shapes.known import Disk
from lrfm.problem.shapes.protocol import Domain

TIME = Symbol("t")
LOOKED = 65  # times at which a reference is compared with the domain
CLOSE = 1e-9


@dataclass(frozen=True)
class Motion:
    """c and s as formulas of t, one for each axis."""

    names: tuple[str, ...]
    centers: tuple[Expr, ...]
    scales: tuple[Expr, ...]

    @cached_property
    def places(self) -> dict[Expr, Expr]:
        """x by ξ, under the same names."""
        parts = zip(self.names, self.centers, self.scales, strict=True)
        return {Symbol(name): c + s * Symbol(name) for name, c, s in parts}

    def formula(self, expression: Expr) -> Expr:
        """A formula of x as one of ξ."""
        return substituted(expression, self.places)

    @cached_property
    def _program(self) -> Program:
        return Program([*self.centers, *self.scales])

    def paths(self, times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """c and s at times: (n, axes) each."""
        found = [
            np.broadcast_to(np.asarray(v, dtype=float), times.shape) for v in self._program({TIME: times})
        ]
        count = len(self.names)
        return np.column_stack(found[:count]), np.column_stack(found[count:])

    def forth(self, points: np.ndarray) -> np.ndarray:
        """(x, t) of (ξ, t), rows of points."""
        c, s = self.paths(points[:, -1])
        return np.column_stack([c + s * points[:, :-1], points[:, -1]])

    def back(self, points: np.ndarray) -> np.ndarray:
        """(ξ, t) of (x, t)."""
        c, s = self.paths(points[:, -1])
        return np.column_stack([(points[:, :-1] - c) / s, points[:, -1]])

    def jet(self, jet: Jet) -> Expr:
        """D^a u as a formula of the jets of v, of ξ and t."""
        axes = len(self.names)
        found: Expr = JetSymbol(Jet(jet.field, (0,) * (axes + 1)))
        for k, order in enumerate(jet.index[:-1]):
            for _ in range(order):
                found = self._along(found, k) / self.scales[k]
        for _ in range(jet.index[-1]):
            found = self._at_rest(found)
        return found

    def _along(self, expression: Expr, k: int) -> Expr:
        """The total derivative along the k-th coordinate of the reference, time being the last."""
        return total(expression, (*self.names, "t"), k)

    def _at_rest(self, expression: Expr) -> Expr:
        """∂/∂t at a place x that does not move along."""
        found = [self._along(expression, len(self.names))]
        for k, (name, c, s) in enumerate(zip(self.names, self.centers, self.scales, strict=True)):
            drift = (derivative(c, {TIME: ONE}) + derivative(s, {TIME: ONE}) * Symbol(name)) / s
            found.append(-drift * self._along(expression, k))
        return add(*found)

    def row(self, row: Row) -> Row:
        """The same row for v."""
        given: dict[Expr, Expr] = dict(self.places)
        given |= {JetSymbol(jet): self.jet(jet) for jet in row.jets}
        given |= {s: self._given(s) for s in row.functions}
        return Row(substituted(row.expression, given), row.coordinates, row.label)

    def _given(self, symbol: GivenSymbol) -> GivenSymbol:
        return GivenSymbol(
            symbol.owner, f"carried {symbol.name}", lambda points: symbol.function(self.forth(points))
        )


def carried(problem: Problem) -> tuple[Problem, Motion] | None:
    """The statement for v on a domain that stays in the place of one that moves, and the motion; None where none is found."""
    domain = problem.domain
    if not domain.moving or domain.dimension > 2:
        return None
    found = _interval(domain, problem.time) if domain.dimension == 1 else _ellipse(domain)
    if found is None or not _agrees(domain, problem.time, found[0]):
        return None
    motion, reference, names = found
    rows = {names[part]: tuple(map(motion.row, given)) for part, given in problem.face_rows.items()}
    other = object.__new__(Problem)
    other.__dict__.update(
        problem.__dict__
        | {
            "domain": reference,
            "rows": tuple(map(motion.row, problem.rows)),
            "face_rows": rows,
            "initial_data": {key: datum.carried(motion) for key, datum in problem.initial_data.items()},
            "reference": None,
        }
    )
    return other, motion


# The motion, the reference, and names of its parts by those of the domain. (Any: a shape; its many members are not compared.)
Found = tuple[Motion, Any, dict[str, str]]


def _levels(domain: Domain) -> dict[str, Expr] | None:
    """Level functions by the names of parts; None where parts are not given by formulas, or only pieces of them count."""
    found = {}
    for name, part in domain.parts.items():
        sheet = getattr(part, "sheet", None)
        if sheet is None or getattr(part, "cut", None) is not None:
            return None
        found[name] = sheet.sign * sheet.level.formula
    return found


def _interval(domain: Domain, time: tuple[float, float]) -> Found | None:
    """Two ends, each the zero of a level function that is linear in x."""
    levels, x = _levels(domain), Symbol(domain.names[0])
    if levels is None or len(levels) != 2:
        return None
    ends = {}
    for name, level in levels.items():
        slope = derivative(level, {x: ONE})
        if x in slope.symbols or is_zero(slope):
            return None
        ends[name] = -substituted(level, {x: number(0.0)}) / slope
    start = {name: float(np.asarray(Program([e])({TIME: np.array(time[0])})[0])) for name, e in ends.items()}
    low, high = sorted(ends, key=lambda name: start[name])
    axis = domain.names[0]
    motion = Motion((axis,), (ends[low],), (ends[high] - ends[low],))
    unit: dict[str, Any] = {axis: (0.0, 1.0)}
    return motion, Box(**unit), {low: f"{axis}-", high: f"{axis}+"}


def _ellipse(domain: Domain) -> Found | None:
    """One part, the zero of a level function a x² + b y² + …, whose coefficients are formulas of t."""
    levels = _levels(domain)
    if levels is None or len(levels) != 1:
        return None
    ((part, level),) = levels.items()
    symbols = [Symbol(name) for name in domain.names]
    slopes = [derivative(level, {x: ONE}) for x in symbols]
    bends = [[derivative(slope, {x: ONE}) for x in symbols] for slope in slopes]
    if any(x in b.symbols for row in bends for b in row for x in symbols):
        return None
    if not (is_zero(bends[0][1]) and is_zero(bends[1][0])) or is_zero(bends[0][0]) or is_zero(bends[1][1]):
        return None
    none: dict[Expr, Expr] = {x: number(0.0) for x in symbols}
    centers = [-substituted(slope, none) / bends[k][k] for k, slope in enumerate(slopes)]
    depth = substituted(level, dict(zip(symbols, centers, strict=True)))
    scales = [(-2.0 * depth / bends[k][k]) ** 0.5 for k in range(2)]
    try:
        reference = Disk(name=part, axes=domain.names)
    except ProblemError:
        return None
    return Motion(tuple(domain.names), tuple(centers), tuple(scales)), reference, {part: part}


def _agrees(domain: Domain, time: tuple[float, float], motion: Motion) -> bool:
    """Whether the image of the reference has the measure of the domain at all times, and does not degenerate."""
    times = np.linspace(*time, LOOKED)
    with np.errstate(all="ignore"):
        scales = motion.paths(times)[1]
    if not (np.all(np.isfinite(scales)) and np.all(scales > 0)):
        return False
    unit = 1.0 if domain.dimension == 1 else np.pi
    some = [0, LOOKED // 3, LOOKED - 1]
    return all(
        abs(domain.measure(float(times[i])) - unit * np.prod(scales[i])) <= CLOSE * unit * np.prod(scales[i])
        for i in some
    )
