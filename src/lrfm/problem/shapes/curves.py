# SPDX-License-Identifier: MIT
"""Curves in the plane: γ(s) and γ′(s) for s in [0, 1], analytic, so that Gauss' rule converges spectrally on them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Protocol

import numpy as np

from lrfm.problem.shapes.levels import Level

ROUNDING = 1e-15  # of a series, relative to the coordinates of its ends and to its chord: no curve is known better than its places
NEWTON = 30  # iterations at most; five are the rule
NOISE = 1e-12  # relative likewise: steps below it that do not shrink are rounding, since Newton's would shrink by as much again


class Curve(Protocol):
    """A smooth curve; a closed one returns to where it began, with all derivatives."""

    @property
    def closed(self) -> bool: ...

    def point(self, s: np.ndarray) -> np.ndarray:
        """γ(s), (m, 2)."""
        ...

    def speed(self, s: np.ndarray) -> np.ndarray:
        """γ′(s), (m, 2)."""
        ...


@dataclass(frozen=True)
class Line:
    """γ(s) = a + s (b − a)."""

    a: np.ndarray
    b: np.ndarray
    closed: bool = False

    def point(self, s: np.ndarray) -> np.ndarray:
        return self.a + s[:, None] * (self.b - self.a)

    def speed(self, s: np.ndarray) -> np.ndarray:
        return np.broadcast_to(self.b - self.a, (len(s), 2))


@dataclass(frozen=True)
class Circle:
    """γ(s) = r (cos 2πs, sin 2πs)."""

    radius: float = 1.0
    closed: bool = True

    def point(self, s: np.ndarray) -> np.ndarray:
        angle = 2 * np.pi * s
        return self.radius * np.column_stack([np.cos(angle), np.sin(angle)])

    def speed(self, s: np.ndarray) -> np.ndarray:
        angle = 2 * np.pi * s
        return 2 * np.pi * self.radius * np.column_stack([-np.sin(angle), np.cos(angle)])


@lru_cache
def _cosines(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Chebyshev's nodes on (0, 1), and the matrix that makes coefficients of Chebyshev polynomials from values at them."""
    angles = np.pi * (np.arange(count) + 0.5) / count
    matrix = np.cos(np.arange(count)[:, None] * (np.pi - angles)) * (2 / count)
    matrix[0] *= 0.5
    return 0.5 - 0.5 * np.cos(angles), matrix


@dataclass(frozen=True)
class Traced:
    """γ(s) = a + s (b − a) + h(s) m, m ⊥ b − a, with φ(γ(s)) = 0: a piece of a zero set as a graph over its chord.

    `guess` holds h at equidistant s, from which Newton's method begins.
    """

    level: Level
    t: float | None
    a: np.ndarray
    b: np.ndarray
    guess: np.ndarray
    closed: bool = False

    @property
    def across(self) -> np.ndarray:
        """The unit vector m."""
        x, y = (self.b - self.a) / np.linalg.norm(self.b - self.a)
        return np.array([-y, x])

    @property
    def _size(self) -> float:
        """The largest coordinate of the ends, or the chord."""
        return max(float(np.max(np.abs([self.a, self.b]))), float(np.linalg.norm(self.b - self.a)))

    @cached_property
    def _series(self) -> np.polynomial.Chebyshev | None:
        """h as a polynomial, where one of moderate degree is as exact as Newton's method: rules ask for thousands of points."""
        for count in (17, 33, 65, 129):
            nodes, cosines = _cosines(count)
            found = cosines @ ((self._found(nodes) - self.a) @ self.across)
            top = np.abs(found)
            if np.max(top[-3:]) <= ROUNDING * max(float(np.max(top)), self._size):
                return np.polynomial.Chebyshev(found, domain=[0, 1])
        return None

    @cached_property
    def _rate(self) -> np.polynomial.Chebyshev | None:
        return None if self._series is None else self._series.deriv()

    def point(self, s: np.ndarray) -> np.ndarray:
        if self._series is None:
            return self._found(s)
        return self.a + s[:, None] * (self.b - self.a) + self._series(s)[:, None] * self.across

    def _found(self, s: np.ndarray) -> np.ndarray:
        """The curve by Newton's method."""
        base, m = self.a + s[:, None] * (self.b - self.a), self.across
        h = np.interp(s, np.linspace(0, 1, len(self.guess)), self.guess)
        size = float(np.linalg.norm(self.b - self.a))
        last = np.inf
        for _ in range(NEWTON):
            where = base + h[:, None] * m
            slope = self.level.gradient(where, self.t) @ m
            step = self.level.values(where, self.t) / np.where(slope != 0, slope, 1.0)
            # A step longer than the chord has left the curve it is meant to follow.
            step = np.clip(step, -0.25 * size, 0.25 * size)
            h = h - step
            far = float(np.max(np.abs(step), initial=0.0))
            if far <= 1e-15 * size or 0.5 * last <= far <= NOISE * self._size:
                break
            last = far
        return base + h[:, None] * m

    def speed(self, s: np.ndarray) -> np.ndarray:
        chord, m = self.b - self.a, self.across
        if self._rate is not None:
            return chord + self._rate(s)[:, None] * m
        gradient = self.level.gradient(self.point(s), self.t)
        slope = gradient @ m
        h = -(gradient @ chord) / np.where(slope != 0, slope, 1.0)
        return chord + h[:, None] * m


@dataclass(frozen=True)
class Moved:
    """A γ(s) + b."""

    curve: Curve
    matrix: np.ndarray
    offset: np.ndarray

    @property
    def closed(self) -> bool:
        return self.curve.closed

    def point(self, s: np.ndarray) -> np.ndarray:
        return self.curve.point(s) @ self.matrix.T + self.offset

    def speed(self, s: np.ndarray) -> np.ndarray:
        return self.curve.speed(s) @ self.matrix.T


def line_through(level: Level, t: float | None, lower: np.ndarray, upper: np.ndarray) -> list[Curve]:
    """The line φ = 0 of a linear φ, as long as the box it is asked in."""
    middle, n = 0.5 * (lower + upper)[None], level.gradient(np.zeros((1, 2)), t)[0]
    reach, size = float(np.linalg.norm(upper - lower)), float(n @ n)
    foot = (middle - level.values(middle, t)[:, None] * n / size)[0]
    along = np.array([-n[1], n[0]]) / np.sqrt(size)
    if np.linalg.norm(foot - middle[0]) > reach:
        return []
    return [Line(foot - reach * along, foot + reach * along)]
