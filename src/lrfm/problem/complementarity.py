# SPDX-License-Identifier: MIT
"""Complementarity, read off a row:  min(A, B) = 0,  A with the rate of the unknown, B without:  A ≥ 0, B ≥ 0, A B = 0."""

from __future__ import annotations

from lrfm.problem.algebra import Call, Expr, split_number, symbols_in
from lrfm.problem.equation import Row
from lrfm.problem.expression import choice
from lrfm.problem.jets import JetSymbol
from lrfm.problem.problem import Problem


def complementary(problem: Problem) -> bool:
    """Whether an equation chooses between a formula with a rate and another one: `min(A, B) = 0`, or `max(A, B) = 0`."""
    return any(map(_chooses, problem.rows))


def _chooses(row: Row) -> bool:
    node = split_number(row.expression)[1]
    return isinstance(node, Call) and node.function is choice and any(map(_moves, node.args[1:]))


def _moves(expression: Expr) -> bool:
    """Whether a formula holds the rate of an unknown."""
    return any(isinstance(s, JetSymbol) and s.jet.index[-1] > 0 for s in symbols_in(expression))
