# SPDX-License-Identifier: MIT
"""Unknowns that a relation gives by others at each time:  q = f(c)  beside  c_t + q_t = c_xx  is  (1 + f′(c)) c_t = c_xx.

A relation without rates among unknowns that all move leaves one of them without an equation: their rates are tied, too. Rates of q are put in by the chain rule,
∂ₜq = ∂f/∂t + Σ_a ∂f/∂(D^a c) D^a c_t; what is left is q = f(c) for an unknown that has none, and takes no data at the start.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from lrfm.problem.algebra import ONE, ZERO, Expr, Number
from lrfm.problem.data import Datum
from lrfm.problem.equation import Row, inputs
from lrfm.problem.errors import ProblemError
from lrfm.problem.expression import derivative, has_delta, is_zero, substituted
from lrfm.problem.jets import GivenSymbol, JetSymbol, jets_among, total
from lrfm.problem.jumps import jumps_along
from lrfm.problem.program import Program

if TYPE_CHECKING:
    from lrfm.problem.problem import Problem

Told = dict[str, Expr]  # f by q
APART = 1e-3  # data of q that differ by less from f(c) are those of f(c)


def told_by_others(rows: Sequence[Row], given: Collection[str]) -> Told:
    """f of each unknown q that a relation q = f gives, where more rows have no rates than unknowns; of two that would do, one without data (`given`) or space derivatives."""
    moving = {jet.field for row in rows for jet in row.jets if jet.index[-1]}
    still = [row for row in rows if not any(jet.index[-1] for jet in row.jets)]
    fields = {jet.field for row in rows for jet in row.jets}
    found: Told = {}
    for row in still:
        if len(fields - moving) + len(found) >= len(still) or _jumps(row):
            continue
        if not all(jet.field in moving for jet in row.jets):
            continue
        order = {q: max(sum(j.index[:-1]) for r in rows for j in r.jets if j.field == q) for q in moving}
        for q in sorted({jet.field for jet in row.jets}, key=lambda q: (order[q], q in given)):
            solved = None if q in found else _solved(row, q)
            if solved is None:
                continue
            rates = [jet for r in rows for jet in r.jets if jet.field == q and jet.index[-1]]
            changing = any(row.coordinates[-1] in s.depends(row.coordinates) for s in row.functions)
            if row.functions and (changing or any(sum(jet.index) > 1 for jet in rates)):
                continue  # slopes of functions along x are not known
            told = _put_in(solved, found, row.coordinates, 0)
            if all(jet.field != q for jet in jets_among(told.symbols)):
                found = {p: _put_in(f, {q: told}, row.coordinates, 0) for p, f in found.items()} | {q: told}
                break
    return found


def with_fluxes_put_in(problem: Problem) -> Problem:
    """A statement on an interval with f in the place of unknowns q = f that are differentiated: of u_t = q_x with q = k u_x each half is transport, in which cells keep waves that grow, and both are diffusion."""
    if problem.domain.dimension > 1 or not problem.domain.is_box or problem.functionals:
        return problem
    rows, faces, owned = problem.rows, problem.face_rows, set[int]()
    while (found := _half(problem, rows, faces, owned)) is not None:
        owner, told = found
        owned.add(owner)
        rows = tuple(row if i == owner else _without(row, told, 0) for i, row in enumerate(rows))
        faces = {face: tuple(_without(row, told, 0) for row in own) for face, own in faces.items()}
    return problem.restated(rows=rows, face_rows=faces) if owned else problem


def _half(
    problem: Problem, rows: Sequence[Row], faces: Mapping[str, Sequence[Row]], owned: Collection[int]
) -> tuple[int, Told] | None:
    """The next such unknown, and the row that says what it is."""
    every = [jet for row in (*rows, *(row for own in faces.values() for row in own)) for jet in row.jets]
    for q in (q for q in problem.fields if not problem.time_orders.get(q.partition(".")[0], 0)):
        highest = max((jet.index[0] for jet in every if jet.field == q), default=0)
        for i, row in enumerate(rows):
            if not highest or i in owned or any(jet.index[-1] for jet in row.jets) or not _smooth(row):
                continue
            own = max(jet.index[0] for jet in row.jets)
            told = _solved(row, q)
            # Orders that are even by themselves are two equations that damp, as of w = u³ − u − u_xx beside u_t = w_xx.
            if told is not None and (highest % 2 or own % 2 or not own):
                return i, {q: told}
    return None


def _smooth(row: Row) -> bool:
    """Whether the chain rule holds in all of it: nothing jumps, and slopes of all functions are known."""
    return not (row.functions or _jumps(row))


def _jumps(row: Row) -> bool:
    return has_delta(row.expression) or jumps_along(row.expression, row.expression.symbols)


def check_told(told: Told, given: Mapping[tuple[str, int], Datum], points: np.ndarray) -> None:
    """Data of q that are not f(c) of the data of the others are an error: nothing says what becomes of the difference."""
    for q, f in told.items():
        jets, datum = jets_among(f.symbols), given.get((q, 0))
        if datum is None or any(sum(jet.index) or (jet.field, 0) not in given for jet in jets):
            continue
        values = inputs(
            datum.coordinates,
            (s for s in f.symbols if isinstance(s, GivenSymbol)),
            points,
            {jet: given[jet.field, 0].part(points, jet.field) for jet in jets},
        )
        (meant,) = Program([f])(values)
        said = datum.part(points, q)
        if np.max(np.abs(said - meant)) > APART * np.max(np.abs(said) + np.abs(meant)):
            raise ProblemError(
                f"`initial` of `{q}` is not what an equation says it is at each time: {said[0]:.3g} is given where {np.ravel(meant)[0]:.3g} follows from the others. Leave it out, or "
                f"give `{q}` an equation of its own with `{q}_t`."
            )


def _solved(row: Row, q: str) -> Expr | None:
    """f of q = f where a row is a q + r with a number a, and r without q."""
    own = [jet for jet in row.jets if jet.field == q]
    if len(own) != 1 or any(own[0].index):
        return None
    slope = derivative(row.expression, {JetSymbol(own[0]): ONE})
    if not isinstance(slope, Number) or is_zero(slope):
        return None
    return substituted(row.expression, {JetSymbol(own[0]): ZERO}) / (-slope)


def without_their_rates(rows: Iterable[Row], told: Told) -> tuple[Row, ...]:
    """Rows in which derivatives of such unknowns in time are those of what gives them."""
    return tuple(_without(row, told, 1) for row in rows)


def _without(row: Row, told: Told, least: int) -> Row:
    made = _put_in(row.expression, told, row.coordinates, least)
    return row if made is row.expression else Row(made, row.coordinates, row.label)


def _put_in(formula: Expr, told: Told, coordinates: Sequence[str], least: int) -> Expr:
    """A formula with f in the place of q in its jets of at least an order in time."""
    by = {
        JetSymbol(jet): _raised(told[jet.field], jet.index, coordinates)
        for jet in jets_among(formula.symbols)
        if jet.index[-1] >= least and jet.field in told
    }
    return substituted(formula, by) if by else formula


def _raised(formula: Expr, index: Sequence[int], coordinates: Sequence[str]) -> Expr:
    """D^a f, by total derivatives."""
    for axis, order in enumerate(index):
        for _ in range(order):
            formula = total(formula, coordinates, axis)
    return formula
