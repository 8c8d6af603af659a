# SPDX-License-Identifier: MIT
"""Many level sets at once: those of degree two, lines, planes, conics and quadrics, as one formula with numbers per level,

    φ = φ₀ + g·d + ½ d·H d,    d = x − c,    c the center of a conic, where there is one.

A plate with 17 holes has 21 levels, and each evaluated alone costs as much as all of them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lrfm.problem.algebra import ONE, Number, Symbol
from lrfm.problem.expression import derivative
from lrfm.problem.shapes.levels import Level


class Conics:
    """φ₀, g, H and c of levels; `known` says which are of degree two."""

    def __init__(self, levels: Sequence[Level]):
        count, d = len(levels), len(levels[0].names) if levels else 2
        self.known = np.zeros(count, dtype=bool)
        self.value, self.slope = np.zeros(count), np.zeros((count, d))
        self.bend, self.center = np.zeros((count, d, d)), np.zeros((count, d))
        for number, level in enumerate(levels):
            bend = _second(level)
            if bend is None:
                continue
            slope = level.gradient(np.zeros((1, d)))[0]
            # A center that is known to half of its digits at the least: parabolas and lines have none.
            if np.linalg.cond(bend) * np.sqrt(np.finfo(float).eps) < 1:
                self.center[number] = np.linalg.solve(bend, -slope)
                slope = np.zeros(d)
            self.known[number], self.bend[number], self.slope[number] = True, bend, slope
            self.value[number] = level.values(self.center[number][None])[0]

    def values(self, level: np.ndarray, points: np.ndarray) -> np.ndarray:
        """φ of known levels at points, one each."""
        d, g, h = points - self.center[level], self.slope[level], self.bend[level]
        total = self.value[level]
        for i, x in enumerate(d.T):
            total = total + g[:, i] * x + 0.5 * h[:, i, i] * x * x
            for j, y in enumerate(d.T[:i]):
                total = total + h[:, i, j] * x * y
        return total

    def gradients(self, level: np.ndarray, points: np.ndarray) -> np.ndarray:
        """∇φ likewise, (m, d)."""
        d = points - self.center[level]
        return self.slope[level] + np.einsum("mij,mj->mi", self.bend[level], d)


def _second(level: Level) -> np.ndarray | None:
    """The second derivatives of φ where they are numbers and nothing moves; None elsewhere."""
    if level.moving:
        return None
    found = [[derivative(slope, {Symbol(name): ONE}) for name in level.names] for slope in level.slopes]
    if not all(isinstance(part, Number) for line in found for part in line):
        return None
    return np.array([[part.value for part in line if isinstance(part, Number)] for line in found])
