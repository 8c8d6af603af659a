# SPDX-License-Identifier: MIT
"""The steady statement of an evolution: F(x, u, 0, …) = 0, rows with zero in the place of every derivative in time."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lrfm.problem.absent import STILL
from lrfm.problem.algebra import Expr, Symbol, number
from lrfm.problem.delays import DelayedSymbol
from lrfm.problem.equation import Row
from lrfm.problem.errors import ProblemError
from lrfm.problem.expression import substituted
from lrfm.problem.jets import Jet, JetSymbol, jet_symbol

if TYPE_CHECKING:
    from lrfm.problem.problem import Problem


def at_rest(problem: Problem) -> Problem:
    """The same equations, conditions and parameters without time; ProblemError where these change in time, or nothing is left of one."""
    if problem.steady:
        return problem
    if problem.domain.moving:
        raise ProblemError(
            "The domain moves, so that nothing in it rests; solve in time with `lrfm.solve(problem)`."
        )
    rows = {id(row): _still(row) for row in problem.all_rows}
    made = object.__new__(type(problem))
    made.__dict__.update(problem.__dict__)
    changed = {
        "rows": tuple(rows[id(row)] for row in problem.rows),
        "face_rows": {face: tuple(rows[id(row)] for row in own) for face, own in problem.face_rows.items()},
        "functionals": tuple(replace(f, row=_still(f.row), order=0) for f in problem.functionals),
        "time_orders": dict.fromkeys(problem.time_orders, 0),
        "initial": None,
        "initial_data": {},
        "final": None,
        "final_data": {},
        "cyclic": False,
        "reference": None,
        "time": STILL,
        "steady": True,
        "moved": problem,
        "contradiction": 0.0,
    }
    made.__dict__.update(changed)
    return made


def _still(row: Row) -> Row:
    """A row without derivatives in time."""
    time = row.coordinates[-1]
    # What rests was in the past what it is now.
    past: dict[Expr, Expr] = {
        s: jet_symbol(Jet(s.field, (0,) * len(row.coordinates)))
        for s in row.functions
        if isinstance(s, DelayedSymbol)
    }
    if past:
        row = Row(substituted(row.expression, past), row.coordinates, row.label)
    if Symbol(time) in row.expression.symbols or any(
        not s.steady and time in s.depends(row.coordinates) for s in row.functions
    ):
        what = "`t`" if Symbol("t") in row.expression.symbols else "a function that may change in time"
        raise ProblemError(
            f"{row.label} contains {what}, so that nothing rests; put a number in its place, or solve in time with `lrfm.solve(problem)`."
        )
    moving: dict[Expr, Expr] = {JetSymbol(jet): number(0.0) for jet in row.jets if jet.index[-1] > 0}
    if not moving:
        return row
    found = Row(substituted(row.expression, moving), row.coordinates, row.label)
    if not found.jets:
        raise ProblemError(f"Nothing is left of {row.label.lower()} when its derivatives in time are zero.")
    return found
