# SPDX-License-Identifier: MIT
"""Everything unknown in a statement as one vector: numbers first, then the coefficients of fields."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from lrfm.problem import Problem
from lrfm.problem.errors import ProblemError, Spelled
from lrfm.problem.field import UnknownField
from lrfm.problem.free import Unknown, seed_of, seed_of_field
from lrfm.problem.variations import Direction
from lrfm.solver.tangent.form import Needs

MODES_PER_STEP = 1.5
REMEMBERED = 16  # tables of functions of a field


@dataclass(frozen=True)
class Vector:
    """The unknowns of a problem: where each of them is in the vector, its bounds, and the problem for given values."""

    problem: Problem
    numbers: dict[str, Unknown]
    fields: dict[str, UnknownField]

    @staticmethod
    def of(problem: Problem) -> Vector:
        """The unknowns among the parameters; a problem without any is refused."""
        numbers = {n: p for n, p in problem.parameters.items() if isinstance(p, Unknown)}
        fields = {n: p for n, p in problem.parameters.items() if isinstance(p, UnknownField)}
        if not numbers and not fields:
            raise ProblemError(
                "Nothing is unknown in this problem; write ",
                Spelled(
                    "`lrfm.Unknown(start)` or `lrfm.UnknownField('x')` in the place of a parameter",
                    "a section [unknown] with a line such as `k = 1.0` for each parameter to be found, where the search begins",
                ),
                ".",
            )
        unused = [n for n in (*numbers, *fields) if any(f"`{n}` is not used" in w for w in problem.warnings)]
        if unused:
            raise ProblemError(
                f"The unknown `{unused[0]}` does not occur in the equations, conditions or data of the problem."
            )
        return Vector(problem, numbers, fields)

    @property
    def size(self) -> int:
        return len(self.numbers) + sum(f.size for f in self.fields.values())

    @property
    def names(self) -> list[str]:
        return [*self.numbers, *(f"{name}[{j}]" for name, f in self.fields.items() for j in range(f.size))]

    def slice(self, name: str) -> slice:
        """Where an unknown is."""
        if name in self.numbers:
            place = list(self.numbers).index(name)
            return slice(place, place + 1)
        start = len(self.numbers)
        for other, field in self.fields.items():
            if other == name:
                return slice(start, start + field.size)
            start += field.size
        raise KeyError(name)

    @property
    def start(self) -> np.ndarray:
        return np.array([*(u.start for u in self.numbers.values()), *np.zeros(self.size - len(self.numbers))])

    @property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        free = self.size - len(self.numbers)
        lower = [u.lower for u in self.numbers.values()] + [-np.inf] * free
        upper = [u.upper for u in self.numbers.values()] + [np.inf] * free
        return np.array(lower, dtype=float), np.array(upper, dtype=float)

    def other_starts(self, count: int, rng: np.random.Generator) -> list[np.ndarray]:
        """Numbers within a factor of ten of their starts, or between their bounds; fields as they start."""
        lower, upper = self.bounds
        found = []
        for _ in range(count):
            values = self.start.copy()
            for i in range(len(self.numbers)):
                a, b = lower[i], upper[i]
                if np.isfinite(a) and np.isfinite(b):
                    ratio = b / a if a > 0 else 0.0
                    values[i] = (
                        a * ratio ** rng.uniform(0.05, 0.95)
                        if ratio > 10
                        else a + (b - a) * rng.uniform(0.05, 0.95)
                    )
                else:
                    values[i] = values[i] * 10 ** rng.uniform(-1, 1) if values[i] else rng.normal()
            found.append(np.clip(values, lower, upper))
        return found

    def at(self, values: np.ndarray) -> Problem:
        """The problem with numbers and fields in the place of what is unknown."""
        found = {name: float(values[self.slice(name)][0]) for name in self.numbers}
        moved = {name: field.moved(values[self.slice(name)]) for name, field in self.fields.items()}
        return self.problem.replace(parameters={**self.problem.parameters, **found, **moved})

    @property
    def required_resolution(self) -> Needs:
        """Steps and modes by which the functions of unknown fields are resolved."""
        start, end = self.problem.time
        most = {
            name: max((f.per_axis for f in self.fields.values() if name in f.coordinates), default=0)
            for name in (*self.problem.domain.names, "t")
        }
        moving = most.pop("t")
        longest = MODES_PER_STEP * (end - start) / moving if moving else math.inf
        # Polynomials that vanish at the ends have two degrees more than there are of them.
        return Needs(longest=longest, modes=tuple(n + 2.0 if n else 0.0 for n in most.values()))

    def directions(self) -> list[Direction]:
        """The direction of every entry."""
        found = [Direction(name, (name,), seed_of(name)) for name in self.numbers]
        for name, field in self.fields.items():
            table = _Table(field)
            found += [
                Direction(f"{name}[{j}]", (), seed_of_field(name, partial(table, j), f"{name}[{j}]"))
                for j in range(field.size)
            ]
        return found


class _Table:
    """All functions of a field at the points that were asked for last: each of them is asked for in turn."""

    def __init__(self, field: UnknownField):
        self.field = field
        self._known: dict[tuple, np.ndarray] = {}

    def __call__(self, j: int, points: np.ndarray, index: Sequence[int]) -> np.ndarray:
        key = (tuple(index), points.tobytes())
        if key not in self._known:
            if len(self._known) >= REMEMBERED:
                self._known.clear()
            self._known[key] = self.field.functions(points, index)
        return self._known[key][:, j]
