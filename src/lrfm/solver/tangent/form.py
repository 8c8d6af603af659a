# SPDX-License-Identifier: MIT
"""What drives δ at a solution on cells of a line: dF of all rows along several directions, and the start of δ."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from lrfm.discretize.evolution import Condition, EvolutionSystem, Unsuited
from lrfm.problem import Problem
from lrfm.problem.algebra import Expr, Symbol
from lrfm.problem.data import Datum
from lrfm.problem.equation import Row
from lrfm.problem.expression import Value, derivative
from lrfm.problem.frame import MovingFrame
from lrfm.problem.free import Slope, freed, slope, slope_row
from lrfm.problem.jets import JetSymbol
from lrfm.problem.variations import Direction
from lrfm.solver.formulations.frames import FramedSystem


@dataclass(frozen=True, kw_only=True)
class Needs:
    """What directions ask for that a solution need not have: steps no longer than `longest`, so many modes along each axis."""

    longest: float = math.inf
    modes: tuple[float, ...] = ()


NOTHING = Needs()


class Sources:
    """dF of every row along each direction, None for zero; `start(i, points)` is the derivative of the data along direction i."""

    def __init__(self, problem: Problem, directions: Sequence[Direction], frame: MovingFrame | None = None):
        self.problem, self.directions = problem, list(directions)
        self.system = plain = FramedSystem(problem, frame)
        names = list(dict.fromkeys(name for d in directions for name in d.free))
        twin_problem = freed(problem, names) if names else problem
        twin = FramedSystem(twin_problem, frame)
        _check(plain.conditions, twin.conditions)
        self._slopes: dict[tuple[int, Expr], Slope | None] = {}
        self.equations = [self._along(row) for row in twin.equations]
        self.conditions = [self._along(c.row) for c in twin.conditions]
        self._starts = [self._start(plain, twin_problem, d) for d in directions]

    def _along(self, twin: Row) -> list[Slope | None]:
        """dF along all directions, each made once for conditions that say the same on several faces."""
        for i, direction in enumerate(self.directions):
            if (i, twin.expression) not in self._slopes:
                self._slopes[i, twin.expression] = slope_row(twin, direction.seed)
        return [self._slopes[i, twin.expression] for i in range(len(self.directions))]

    def _start(
        self, form: EvolutionSystem, twin: Problem, direction: Direction
    ) -> Callable[[np.ndarray], np.ndarray]:
        """The derivative of the initial data of every component: a function of points (n, d), (components, n)."""
        given: list[tuple[int, Datum, str]] = []
        for c, (field, level) in enumerate(form.components):
            datum = twin.initial_data.get((field.partition(".")[0], level))
            if datum is not None and datum.value is not None:
                value = Value(*(slope(part, direction.seed) for part in datum.value))
                given.append((c, datum.holding(value), field))
        time = self.problem.time[0]

        def start(points: np.ndarray) -> np.ndarray:
            full = np.column_stack([points, np.full(len(points), time)])
            values = np.zeros((len(form.components), len(points)))
            for c, datum, field in given:
                values[c] = datum.part(full, field)
            return values

        return start

    def start(self, direction: int, points: np.ndarray) -> np.ndarray:
        """Data of all components of δ along one direction: (components, n)."""
        return self._starts[direction](points)


def _check(ours: Sequence[Condition], theirs: Sequence[Condition]) -> None:
    """Both systems must list the same conditions; a number that is zero may hide a term."""
    if [(c.axis, c.upper, c.own) for c in ours] != [(c.axis, c.upper, c.own) for c in theirs]:
        raise Unsuited(
            "A parameter is zero in a condition on the boundary, which is of another kind for other values."
        )


def linear_directions(problem: Problem, directions: Sequence[Direction]) -> list[bool]:
    """Which directions u moves along in a straight line: F is linear in u, and dF holds neither u nor any other of them.

    u(p + s) = u(p) + Σ s δ exactly, for all of them together, whatever the others are held at.
    """
    names = list(dict.fromkeys(name for d in directions for name in d.free))
    twin_problem = freed(problem, names) if names else problem
    twin = EvolutionSystem(twin_problem)
    rows = [*twin.equations, *(c.row for c in (*twin.conditions, *twin.constraints))]
    if not all(row.linear for row in rows):
        return [False] * len(directions)
    data = [d.value for d in twin_problem.initial_data.values() if d is not None and d.value is not None]
    formulas = [*(row.expression for row in rows), *(part for value in data for part in value)]
    found: list[bool] = []
    straight: list[Direction] = []
    for d in directions:
        symbols = set().union(*(_moved(formula, d) for formula in formulas))
        bent = any(
            isinstance(s, JetSymbol) or any(one.seed(s) is not None for one in (*straight, d))
            for s in symbols
        )
        found.append(not bent)
        straight += [] if bent else [d]
    return found


def _moved(formula: Expr, direction: Direction) -> set[Symbol]:
    """What the derivative of a formula along a direction depends on."""
    seeds = {s: seed for s in formula.symbols if (seed := direction.seed(s)) is not None}
    return set(derivative(formula, seeds).symbols) if seeds else set()
