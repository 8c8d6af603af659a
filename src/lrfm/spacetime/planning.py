# SPDX-License-Identifier: MIT
"""What a solve in space and time will take: rows × columns of a window, and the flops of its factorization."""

from __future__ import annotations

from lrfm.linalg.deadline import gemm_rate
from lrfm.problem import Problem
from lrfm.solver.budget import Plan
from lrfm.spacetime.least_squares.base import SolvesShares, SystemSize, cost
from lrfm.spacetime.windows.parts import Parts


def make_plan(problem: Problem, parts: Parts, blocks: int, estimate: bool) -> Plan:
    """Count rows as assembly will, and time by flops at the measured rate of a matrix product."""
    counts, solver = parts.space.counts(problem.domain.dimension), parts.least_squares
    rows, columns = _rows(problem, parts), len(problem.fields) * counts.features
    size = SystemSize(rows, columns, counts.patches, counts.seen, repeated=not problem.linear)
    held, work = cost(solver, size)
    jets = [row.nonlinear_jets for row in problem.rows if not row.linear]
    evaluated = counts.seen * parts.collocation.interior * counts.features  # entries of one derivative matrix
    kept = evaluated * sum(map(len, jets))
    share = solver.rows_at_once(rows, columns) / rows if isinstance(solver, SolvesShares) else 1.0
    numbers = share * (size.entries + kept) + held
    steps = 1 if problem.linear else min(6, getattr(parts.nonlinear, "max_steps", 6))
    orders = {jet.index for row in problem.rows for jet in row.jets}
    flops = work * steps * 3.0 + 1500.0 * evaluated * (1 + len(orders))
    solves = blocks * (1.7 if estimate and not problem.linear else 2.0 if estimate else 1.0)
    return Plan(rows, columns, blocks, int(8 * numbers) + 2**27, 0.02 + flops * solves / gemm_rate())


def _rows(problem: Problem, parts: Parts) -> int:
    interior, initial, face = parts.collocation.counts(problem.domain.dimension)
    conditions = sum(map(len, problem.face_rows.values()))
    if not problem.domain.is_box:  # as many points as a box has on all its faces, shared among the parts
        conditions = 2 * problem.domain.dimension * conditions // max(1, len(problem.face_rows))
    if parts.space.needs_periodic_rows:
        axes = [i for i, name in enumerate(problem.domain.names) if name in problem.periodic]
        conditions += sum(max(1, problem.space_order(i, f)) for i in axes for f in problem.fields)
    return interior * len(problem.rows) + initial * len(problem.initial_jets) + face * conditions
