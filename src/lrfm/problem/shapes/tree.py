# SPDX-License-Identifier: MIT
"""Sets made of simple ones: A ∪ B, A ∩ B, A ∖ B, shifted, rotated and scaled by x ↦ Mx + b."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol, runtime_checkable

import numpy as np

from lrfm.problem.algebra import Expr, Symbol, number
from lrfm.problem.shapes.curves import Curve, Moved
from lrfm.problem.shapes.given import name_of
from lrfm.problem.shapes.kinds import Bounds, Kind
from lrfm.problem.shapes.levels import Level
from lrfm.problem.shapes.protocol import Rule, Time


@runtime_checkable
class HasLevel(Protocol):
    """A simple set whose sheets have no formula, but something that is asked like one."""

    def level(self, sheet: int, names: tuple[str, ...], simple: Simple) -> Level: ...


class Tree(Protocol):
    """A set of points."""

    @property
    def bounds(self) -> Bounds: ...

    def inside(self, points: np.ndarray, t: Time) -> np.ndarray: ...

    def leaves(self, sign: int = 1) -> Iterator[tuple[Simple, int]]:
        """The simple sets in it; −1 for those that are taken away."""
        ...

    def placed(self, matrix: np.ndarray, offset: np.ndarray) -> Tree: ...


@dataclass(frozen=True, eq=False)
class Simple:
    """One simple set, placed by x = M y + b from its own coordinates y."""

    kind: Kind
    names: tuple[str, ...]
    name: str | None
    matrix: np.ndarray
    offset: np.ndarray

    def __post_init__(self) -> None:
        if self.name is not None:
            name_of(self.name, "a shape")

    @cached_property
    def _inverse(self) -> np.ndarray:
        return np.linalg.inv(self.matrix)

    def own(self, at: Sequence[Expr]) -> list[Expr]:
        """Its own coordinates y = M⁻¹(x − b), as formulas."""
        if np.array_equal(self.matrix, np.eye(len(self.names))) and not self.offset.any():
            return list(at)
        moved = [x - float(b) for x, b in zip(at, self.offset, strict=True)]
        return [
            sum((float(c) * x for c, x in zip(row, moved, strict=True)), number(0.0)) for row in self._inverse
        ]

    @cached_property
    def levels(self) -> tuple[Level, ...]:
        """φ of every sheet."""
        at = self.own([Symbol(name) for name in self.names])
        if isinstance(self.kind, HasLevel):
            return tuple(self.kind.level(i, self.names, self) for i in range(len(self.kind.sheets)))
        return tuple(Level(self.kind.formula(i, at), self.names) for i in range(len(self.kind.sheets)))

    def local(self, points: np.ndarray) -> np.ndarray:
        """Its own coordinates of points."""
        return (points - self.offset) @ self._inverse.T

    @property
    def bounds(self) -> Bounds:
        low, high = self.kind.bounds
        if not (np.all(np.isfinite(low)) and np.all(np.isfinite(high))):
            flat = np.allclose(self.matrix, np.diag(np.diag(self.matrix)))
            ends = (low * np.diag(self.matrix), high * np.diag(self.matrix)) if flat else (low, high)
            return np.minimum(*ends) + self.offset, np.maximum(*ends) + self.offset
        if _is_ball(self.kind):
            reach = np.linalg.norm(self.matrix, axis=1)
            return self.offset - reach, self.offset + reach
        corners = np.array(np.meshgrid(*zip(low, high, strict=True), indexing="ij")).reshape(len(low), -1)
        there = self.matrix @ corners + self.offset[:, None]
        return there.min(axis=1), there.max(axis=1)

    def inside(self, points: np.ndarray, t: Time) -> np.ndarray:
        # Of hundreds of sets most are elsewhere; that is seen without their formulas.
        found = self.near(points)
        if not found.all():
            when = t if t is None or np.ndim(t) == 0 else np.asarray(t)[found]
            if found.any():
                found[found] = self._inside(points[found], when)
            return found
        return self._inside(points, t)

    def near(self, points: np.ndarray, reach: float = 0.0) -> np.ndarray:
        """Whether points are in its bounding box, or at most so far from it along an axis."""
        low, high = self.span
        return np.all((points >= low - reach) & (points <= high + reach), axis=1)

    @cached_property
    def span(self) -> Bounds:
        """Its bounding box, wider by rounding; without end where it moves, or has an end along some axes only."""
        low, high = self.bounds
        if any(level.moving for level in self.levels) or not np.all(np.isfinite(high - low)):
            return np.full(len(self.names), -np.inf), np.full(len(self.names), np.inf)
        return low - 1e-6 * (high - low), high + 1e-6 * (high - low)

    def _inside(self, points: np.ndarray, t: Time) -> np.ndarray:
        own = self.kind.inside(self.local(points))
        if own is not None:
            return own
        found = np.ones(len(points), dtype=bool)
        for level in self.levels:
            found &= level.values(points, t) <= 0
        return found

    def leaves(self, sign: int = 1) -> Iterator[tuple[Simple, int]]:
        yield self, sign

    def placed(self, matrix: np.ndarray, offset: np.ndarray) -> Simple:
        return replace(self, matrix=matrix @ self.matrix, offset=matrix @ self.offset + offset)

    def curves(self, sheet: int, t: float | None, box: Bounds) -> list[Curve]:
        """A sheet as curves in the plane, as far as it meets a box."""
        corners = np.array(np.meshgrid(*zip(*box, strict=True), indexing="ij")).reshape(len(self.names), -1).T
        there = self.local(corners)
        own = Level(self.kind.formula(sheet, [Symbol(n) for n in self.names]), self.names)
        found = self.kind.curves(sheet, own, t, (there.min(axis=0), there.max(axis=0)))
        return [Moved(curve, self.matrix, self.offset) for curve in found]

    def surface(self, sheet: int, n: int, rng: np.random.Generator | None) -> Rule | None:
        """A rule on a whole sheet in space: areas change by |det M| |M⁻ᵀ n|."""
        rule = self.kind.surface(sheet, n, rng)
        if rule is None:
            return None
        plain = replace(self, matrix=np.eye(len(self.names)), offset=np.zeros(len(self.names)))
        stretched = plain.levels[sheet].normals(rule.points) @ self._inverse
        factor = abs(np.linalg.det(self.matrix)) * np.linalg.norm(stretched, axis=1)
        return Rule(rule.points @ self.matrix.T + self.offset, rule.weights * factor)


def _is_ball(kind: Kind) -> bool:
    """Whether the bounding box of the image follows from the rows of M."""
    return kind.sheets == ("",) and bool(np.all(np.isfinite(kind.bounds[0])))


@dataclass(frozen=True, eq=False)
class Both:
    """A ∩ B."""

    a: Tree
    b: Tree

    @property
    def bounds(self) -> Bounds:
        (low, high), (lower, upper) = self.a.bounds, self.b.bounds
        return np.maximum(low, lower), np.minimum(high, upper)

    def inside(self, points: np.ndarray, t: Time) -> np.ndarray:
        return self.a.inside(points, t) & self.b.inside(points, t)

    def leaves(self, sign: int = 1) -> Iterator[tuple[Simple, int]]:
        yield from self.a.leaves(sign)
        yield from self.b.leaves(sign)

    def placed(self, matrix: np.ndarray, offset: np.ndarray) -> Tree:
        return type(self)(self.a.placed(matrix, offset), self.b.placed(matrix, offset))


@dataclass(frozen=True, eq=False)
class Either(Both):
    """A ∪ B."""

    @property
    def bounds(self) -> Bounds:
        (low, high), (lower, upper) = self.a.bounds, self.b.bounds
        return np.minimum(low, lower), np.maximum(high, upper)

    def inside(self, points: np.ndarray, t: Time) -> np.ndarray:
        return self.a.inside(points, t) | self.b.inside(points, t)


@dataclass(frozen=True, eq=False)
class Without(Both):
    """A ∖ B."""

    @property
    def bounds(self) -> Bounds:
        return self.a.bounds

    def inside(self, points: np.ndarray, t: Time) -> np.ndarray:
        return self.a.inside(points, t) & ~self.b.inside(points, t)

    def leaves(self, sign: int = 1) -> Iterator[tuple[Simple, int]]:
        yield from self.a.leaves(sign)
        yield from self.b.leaves(-sign)
