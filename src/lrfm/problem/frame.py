# SPDX-License-Identifier: MIT
"""Coordinates that move along with what travels:  ξ = x − s − c (t − t₀),   u(x, t) = v(ξ, t),   u_t = v_t − c·∇v.

Equations that do not name a coordinate are the same everywhere along it. Where that axis closes to a circle, v meets the same conditions as u, and
begins with the same data. A frame that goes on at another speed has moved by s until then.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from lrfm.problem.algebra import Expr, Symbol, add, mul, number
from lrfm.problem.data import Datum
from lrfm.problem.equation import Row
from lrfm.problem.expression import Value, substituted
from lrfm.problem.jets import Jet, JetSymbol
from lrfm.problem.problem import Problem


@dataclass(frozen=True)
class MovingFrame:
    """Speeds c along each axis, zero where nothing moves, from which time on, the ends of the box, and how far it has moved by then."""

    speeds: tuple[float, ...]
    start: float
    lower: tuple[float, ...]
    upper: tuple[float, ...]
    moved: tuple[float, ...]

    @staticmethod
    def of(problem: Problem, speeds: Sequence[float]) -> MovingFrame:
        """The frame of a statement that moves with some speeds from the start on."""
        box = problem.domain
        lower, upper = (tuple(float(x) for x in end) for end in (box.lower, box.upper))
        return MovingFrame(tuple(map(float, speeds)), problem.time[0], lower, upper, (0.0,) * box.dimension)

    def check(self, problem: Problem) -> None:
        """ValueError where it is no frame of the box of a statement."""
        box = problem.domain
        parts = (self.speeds, self.lower, self.upper, self.moved)
        whole = all(len(part) == box.dimension and np.all(np.isfinite(part)) for part in parts)
        if not (
            whole
            and np.isfinite(self.start)
            and self.lower == tuple(box.lower)
            and self.upper == tuple(box.upper)
        ):
            raise ValueError("a frame moves along other axes")
        if any(c and not same for c, same in zip(self.speeds, uniform_axes(problem), strict=True)):
            raise ValueError("a frame moves where the statement is not the same everywhere")

    def place(self, k: int, x: np.ndarray, times: np.ndarray | float) -> np.ndarray:
        """ξ of x along the k-th axis, on the circle; x itself where nothing moves."""
        if not (self.speeds[k] or self.moved[k]):
            return x
        low, length = self.lower[k], self.upper[k] - self.lower[k]
        way, rounding = _product(self.speeds[k], np.asarray(times, dtype=float), self.start)
        # Of a long way all digits but those within the circle are whole turns; `fmod` drops them without rounding.
        return low + np.mod((x - low) - self.moved[k] - np.fmod(way, length) - rounding, length)

    def back(self, points: np.ndarray) -> np.ndarray:
        """(ξ, t) of (x, t), rows of points."""
        times = points[:, -1]
        return np.column_stack([*(self.place(k, x, times) for k, x in enumerate(points.T[:-1])), times])

    def forth(self, points: np.ndarray) -> np.ndarray:
        """(x, t) of (ξ, t)."""
        return self.opposite.back(points)

    @property
    def opposite(self) -> MovingFrame:
        """The frame from which this one is at rest."""
        turned = {name: tuple(-c for c in getattr(self, name)) for name in ("speeds", "moved")}
        return replace(self, **turned)

    def changed(self, time: float, more: Sequence[float]) -> MovingFrame:
        """The frame that goes on from a time at other speeds: these and `more`."""
        sizes = zip(self.moved, self.speeds, self.lower, self.upper, strict=True)
        moved = tuple(float(np.mod(m + c * (time - self.start), b - a)) for m, c, a, b in sizes)
        speeds = tuple(float(c + d) for c, d in zip(self.speeds, more, strict=True))
        return replace(self, speeds=speeds, start=time, moved=moved)

    def jets(self, jet: Jet) -> dict[Jet, float]:
        """D^a ∂ₜⁿ u = (∂ₜ − c·∇)ⁿ D^a v as a sum of jets of v with their factors."""
        return _expanded(jet, self.speeds)

    def row(self, row: Row) -> Row:
        """The same row for v."""
        given: dict[Expr, Expr] = {}
        for jet in row.jets:
            parts = self.jets(jet).items()
            given[JetSymbol(jet)] = add(*(mul(number(factor), JetSymbol(j)) for j, factor in parts))
        return Row(substituted(row.expression, given), row.coordinates, row.label)

    def statement(self, problem: Problem) -> Problem:
        """The statement for v."""
        rows = {face: tuple(map(self.row, given)) for face, given in problem.face_rows.items()}
        other = object.__new__(Problem)
        changed = {"rows": tuple(map(self.row, problem.rows)), "face_rows": rows, "reference": None}
        data = {key: self.datum(problem, *key) for key in problem.initial_data}
        other.__dict__.update(problem.__dict__ | changed | {"initial_data": data})
        return other

    def datum(self, problem: Problem, name: str, level: int) -> Datum:
        """∂ₜⁿ v = (∂ₜ + c·∇)ⁿ u at the start, where both coordinates agree."""
        given, parts = problem.initial_data, []
        if not level:
            return given[name, level]
        for jet, factor in self.opposite.jets(Jet(name, (*(0 for _ in self.speeds), level))).items():
            found = given[name, jet.index[-1]].derivative((*jet.index[:-1], 0))
            assert found is not None
            assert found.value is not None
            parts.append([mul(number(factor), part) for part in found.value])
        return given[name, level].holding(Value(*(add(*terms) for terms in zip(*parts, strict=True))))

    def words(self, names: Sequence[str]) -> str:
        """How it moves."""
        return ", ".join(f"moves along {n} at {c:g}" for n, c in zip(names, self.speeds, strict=True) if c)


def _product(c: float, t: np.ndarray, start: float) -> tuple[np.ndarray, np.ndarray]:
    """c (t − t₀) as the number next to it and what that lacks, after Dekker (1971) and Knuth."""
    tau = t - start
    back = tau - t
    lost = (t - (tau - back)) + (-start - back)
    way = c * tau
    (high, low), (top, rest) = _halves(np.asarray(c)), _halves(tau)
    lacks = ((high * top - way) + high * rest + low * top) + low * rest
    return way, lacks + c * lost


def _halves(number: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A number as two of half its digits (Veltkamp)."""
    wide = 134217729.0 * number
    high = wide - (wide - number)
    return high, number - high


@lru_cache(maxsize=4096)
def _expanded(jet: Jet, speeds: tuple[float, ...]) -> dict[Jet, float]:
    found = {Jet(jet.field, (*jet.index[:-1], 0)): 1.0}
    for _ in range(jet.index[-1]):
        grown: dict[Jet, float] = {}
        for part, factor in found.items():
            for k, speed in enumerate((*(-c for c in speeds), 1.0)):
                if speed:
                    raised = part.raised(k)
                    grown[raised] = grown.get(raised, 0.0) + speed * factor
        found = grown
    return found


def uniform_axes(problem: Problem) -> tuple[bool, ...]:
    """Along which axes a statement is the same everywhere: they close to circles, and no row names their coordinates."""
    named: set[str] = set()
    for row in problem.all_rows:
        coordinates = row.coordinates
        named |= {c for c in coordinates if Symbol(c) in row.expression.symbols}
        named |= {c for symbol in row.functions for c in symbol.depends(coordinates)}
    return tuple(name in problem.periodic and name not in named for name in problem.domain.names)


def differentiable(problem: Problem) -> bool:
    """Whether rates at the start can be told in another frame: where they are given, all data are formulas."""
    slope = (1, *(0 for _ in problem.domain.names))
    rates = {name for name, level in problem.initial_data if level}
    return all(
        d.derivative(slope) is not None for (name, _), d in problem.initial_data.items() if name in rates
    )
