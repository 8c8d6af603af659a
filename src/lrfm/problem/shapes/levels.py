# SPDX-License-Identifier: MIT
"""φ(x, t) < 0 inside: a formula whose zero set is a smooth piece of boundary, with normal ∇φ/|∇φ|."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from lrfm.problem.algebra import ONE, Expr, Number, Symbol, number
from lrfm.problem.errors import ProblemError
from lrfm.problem.expression import derivative
from lrfm.problem.program import Program
from lrfm.problem.shapes.protocol import Time

TIME = Symbol("t")


class Level:
    """A formula φ of named coordinates and t, and its gradient, at points."""

    def __init__(self, formula: Expr, names: Sequence[str]):
        self.formula, self.names = formula, tuple(names)
        self._value = Program([formula])
        self._symbols = [Symbol(name) for name in self.names]

    @cached_property
    def slopes(self) -> tuple[Expr, ...]:
        """∂φ/∂xᵢ."""
        return tuple(derivative(self.formula, {Symbol(name): ONE}) for name in self.names)

    @cached_property
    def _gradient(self) -> Program:
        return Program(self.slopes)

    @property
    def flat(self) -> bool:
        """Whether φ is linear with constant coefficients: a line or a plane."""
        return all(isinstance(slope, Number) for slope in self.slopes)

    @property
    def moving(self) -> bool:
        return TIME in self._value.symbols

    @cached_property
    def normal(self) -> tuple[Expr, ...]:
        """∇φ/|∇φ| as formulas; numbers where φ is linear."""
        if self.flat:
            values = [s.value for s in self.slopes if isinstance(s, Number)]
            length = math.hypot(*values)
            return tuple(number(v / length) for v in values)
        length = sum((s**2 for s in self.slopes), number(0.0)) ** 0.5
        return tuple(s / length for s in self.slopes)

    def values(self, points: np.ndarray, t: Time = None) -> np.ndarray:
        """φ at points (m, dimension)."""
        (value,) = self._value(self._inputs(points, t))
        return np.broadcast_to(np.asarray(value, dtype=float), (len(points),))

    def gradient(self, points: np.ndarray, t: Time = None) -> np.ndarray:
        """∇φ at points, (m, dimension)."""
        found = self._gradient(self._inputs(points, t))
        return np.column_stack(
            [np.broadcast_to(np.asarray(v, dtype=float), (len(points),)) for v in found]
        ).reshape(len(points), len(self.names))

    def normals(self, points: np.ndarray, t: Time = None) -> np.ndarray:
        """∇φ/|∇φ| at points."""
        gradient = self.gradient(points, t)
        length = np.linalg.norm(gradient, axis=1, keepdims=True)
        return gradient / np.where(length > 0, length, 1.0)

    def _inputs(self, points: np.ndarray, t: Time) -> dict[Symbol, np.ndarray]:
        if t is None and self.moving:
            raise ProblemError("This domain changes with time; say at which time `t` it is asked for.")
        inputs = {symbol: points[:, i] for i, symbol in enumerate(self._symbols)}
        return inputs | {TIME: np.broadcast_to(np.asarray(0.0 if t is None else t), (len(points),))}
