# SPDX-License-Identifier: MIT
"""A form linearized at a solution: the rows of δ, and the start of δ, along several directions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, cast

import numpy as np

from lrfm.problem import Problem, Row
from lrfm.problem.algebra import Expr, Symbol
from lrfm.problem.data import Datum
from lrfm.problem.expression import Value, derivative
from lrfm.problem.frame import MovingFrame
from lrfm.problem.free import Slope, freed, slope, slope_row
from lrfm.problem.jets import JetSymbol
from lrfm.solver.lines.constant import Split
from lrfm.solver.lines.form import Condition, Form, Unsuited, form_of
from lrfm.solver.tangent.rows import Base, LinearRow


@dataclass(frozen=True)
class Direction:
    """What is moved: a name for messages, the numbers that become symbols, and the seed of every symbol that moves."""

    name: str
    free: tuple[str, ...]
    seed: Callable[[Symbol], Expr | None]

    def magnitude(self, problem: Problem) -> float:
        """The largest |p| among the numbers that are moved."""
        given = (problem.parameters[name] for name in self.free)
        return max((abs(float(p)) for p in given if isinstance(p, Real)), default=0.0)


class TangentForm:
    """`form` with its rows linearized at a base; `start(i, points)` is the derivative of the data along direction i."""

    def __init__(self, problem: Problem, directions: Sequence[Direction], frame: MovingFrame | None = None):
        self.problem, self.directions = problem, list(directions)
        plain = form_of(problem, frame)
        names = list(dict.fromkeys(name for d in directions for name in d.free))
        twin_problem = freed(problem, names) if names else problem
        twin = Form(twin_problem, frame)
        self._check(plain, twin)
        self.fixed = all(c.row.stationary for c in plain.conditions)  # what conditions leave to tests
        self.base = Base(plain)
        self._slopes: dict[tuple[int, Expr], Slope | None] = {}
        self.form = self._linear(plain, twin)
        self._starts = [self._start(plain, twin_problem, d) for d in directions]

    def _check(self, plain: Form, twin: Form) -> None:
        """Both forms must list the same conditions; a number that is zero may hide a term."""
        for ours, theirs in ((plain.conditions, twin.conditions), (plain.constraints, twin.constraints)):
            if [(c.axis, c.upper, c.own) for c in ours] != [(c.axis, c.upper, c.own) for c in theirs]:
                raise Unsuited(
                    "A parameter is zero in a condition on the boundary, which is of another kind for other values."
                )

    def _linear(self, plain: Form, twin: Form) -> Form:
        pairs = list(zip(plain.equations, twin.equations, strict=True))
        form = copy(plain)
        form.equations = [self._row(a, b) for a, b in pairs]
        form._splits = {id(row): Split({}, row) for row in form.equations}
        form.conditions = self._conditions(plain.conditions, twin.conditions)
        form.constraints = self._conditions(plain.constraints, twin.constraints)
        form.linear = True
        # dF may hold derivatives that the equations do not, where a number is zero.
        rows = [*form.equations, *(c.row for c in (*form.conditions, *form.constraints))]
        sources = [s for row in rows for s in cast(Any, row).sources if s is not None]
        self.indices = {jet.index[:-1] for s in sources for jet in s.jets}
        form.tops = tuple(
            max([top, *(jet.index[k] for s in sources for jet in s.jets)]) for k, top in enumerate(plain.tops)
        )
        return form

    def _row(self, row: Row, twin: Row) -> Row:
        sources = [self._slope(twin, i) for i in range(len(self.directions))]
        return cast(Row, LinearRow(row, self.base, sources))

    def _slope(self, twin: Row, direction: int) -> Slope | None:
        """dF along a direction, made once for conditions that say the same on several faces."""
        key = direction, twin.expression
        if key not in self._slopes:
            self._slopes[key] = slope_row(twin, self.directions[direction].seed)
        return self._slopes[key]

    def _conditions(self, ours: list[Condition], theirs: list[Condition]) -> list[Condition]:
        return [replace(a, row=self._row(a.row, b.row)) for a, b in zip(ours, theirs, strict=True)]

    def _start(self, form: Form, twin: Problem, direction: Direction) -> Callable[[np.ndarray], np.ndarray]:
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


def linear_directions(problem: Problem, directions: Sequence[Direction]) -> list[bool]:
    """Which directions u moves along in a straight line: F is linear in u, and dF holds neither u nor any other of them.

    u(p + s) = u(p) + Σ s δ exactly, for all of them together, whatever the others are held at.
    """
    names = list(dict.fromkeys(name for d in directions for name in d.free))
    twin_problem = freed(problem, names) if names else problem
    twin = Form(twin_problem)
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
