# SPDX-License-Identifier: MIT
"""What flows into a domain must flow out of it:  Σ_k c_k ∂v_k/∂x_k + g = 0  has a solution only where  Σ_k c_k ∮ v_k n_k + ∫ g = 0  (Gauss' theorem).

v = u, div u = 0 in a domain on whose boundary the velocity along the normal is given, is the common case: least squares, or a pressure that grows without bound, "solve" what has a net
inflow. All integrals are of given functions then, so this shows before anything is solved. Two rules with different numbers of points say how well they are known: data with jumps are not
refused for an error of a rule.

v_k = ∂p/∂x_k is a potential that its equation feels up to a constant only: on a circle, or with ∂p/∂n given all around, the mean of g is a condition on what is given (Fredholm's alternative),
and so it is of p_xxxx = f along a circle, whatever another equation, u_t = p, makes of the constant. A space without constants, or a needle in p, "solve" it without one. g holds other
unknowns: data say what it is at the start, the solution afterwards.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lrfm.problem import Jet, Problem, Row
from lrfm.rows.pieces import Piece, values_at

RULES = {1: (48, 64), 2: (48, 64), 3: (16, 24)}  # Gauss points along an axis, of two rules
POINTS = {1: 96, 2: 48, 3: 16}  # and where other unknowns are looked at
TIMES = 9  # at which the balance is looked at, ends included
ALLOWED = 10.0  # tolerances by which data may miss it: what they hold is known to one
ROUNDING = 1e-11

Fields = Callable[[Sequence[Jet], np.ndarray], dict[Jet, np.ndarray] | None]


def balance(
    problem: Problem,
    row: Row,
    numbers: Mapping[Jet, float],
    time: float,
    count: int,
    fields: Fields = lambda jets, points: {},
) -> tuple[float, float] | None:
    """Σ_k c_k ∮ v_k n_k + ∫ g, and the same of absolute values, with so many points along an axis; None where a face does not give v_k, or nothing says what g is."""
    box = problem.domain
    inside = box.quadrature(count**box.dimension)
    points = at(inside.points, time)
    others = [jet for jet in row.jets if jet not in numbers]
    known = fields(others, points) if others else {}
    if known is None:
        return None
    nothing = {jet: np.zeros(len(points)) for jet in numbers}
    rest = np.broadcast_to(row.residual(points, {**known, **nothing}), len(points))
    net, total = float(inside.weights @ rest), float(inside.weights @ np.abs(rest))
    for name, part in box.parts.items():
        places, weights, normals = part.quadrature(count ** (box.dimension - 1))
        for jet, number in numbers.items():
            axis = int(np.argmax(jet.index))
            across = number * weights * normals[:, axis]
            if _around(problem, jet) or not np.any(np.abs(across) > ROUNDING * weights):
                continue
            through = _given_on(problem, name, jet, axis, at(places, time))
            if through is None:
                return None
            net += float(across @ through)
            total += float(np.abs(across) @ np.abs(through))
    return (net, total) if math.isfinite(net) else None


def at(places: np.ndarray, time: float) -> np.ndarray:
    return np.column_stack([places, np.full(len(places), time)])


def _numbers(row: Row, jets: Sequence[Jet], problem: Problem) -> dict[Jet, float]:
    """The numbers before some jets of a row that it holds linearly."""
    found = row.affine(at(problem.domain.lower[None], problem.time[0]))[1]
    return {jet: float(np.ravel(found[jet])[0]) for jet in jets}


def _given_on(problem: Problem, face: str, jet: Jet, axis: int, points: np.ndarray) -> np.ndarray | None:
    """v_k on a face: the jet with one derivative less along an axis; None where no condition there gives it."""
    wanted = tuple(a - (k == axis) for k, a in enumerate(jet.index))
    for row in problem.face_rows.get(face, ()):
        if row.linear and [(j.field, j.index) for j in row.jets] == [(jet.field, wanted)]:
            source, numbers = row.affine(points)
            (number,) = numbers.values()
            return np.broadcast_to(-source / number, len(points))
    return None


class NetFlux(NamedTuple):
    """An equation whose fluxes do not balance: its text, when (None where nothing moves), the net flux, and the sum of sizes of all that flows."""

    equation: str
    time: float | None
    net: float
    total: float

    def __str__(self) -> str:
        when = "" if self.time is None else f" at t = {self.time:.6g}"
        return (
            f"{self.equation} holds in the whole domain, so that what is given on its faces (and inside) has to balance: the integral of the "
            f"outward flux over all faces, and of the source, is {self.net:.3g}{when}, where {self.total:.3g} flow in all. There is no "
            "solution. Balance inflow and outflow, or leave one face without the component along its normal."
        )


def net_flux(problem: Problem, tol: float) -> NetFlux | None:
    """The first equation of this kind whose given fluxes do not balance to the tolerance."""
    box = problem.domain
    # In space only boxes have rules of high order.
    if box.moving or box.dimension not in (RULES if box.is_box else (1, 2)) or hasattr(box, "interfaces"):
        return None
    for row in problem.rows:
        if not _pure_divergence(row):
            continue
        for time in np.linspace(*problem.time, TIMES):
            numbers = _numbers(row, row.jets, problem)
            coarse, fine = (
                balance(problem, row, numbers, float(time), count) for count in RULES[box.dimension]
            )
            if coarse is None or fine is None:
                break
            net, total = fine
            known = abs(net - coarse[0])  # how well the integrals are known
            if abs(net) > 4 * known + (ALLOWED * tol + ROUNDING) * total:
                return NetFlux(row.label, None if problem.steady else float(time), net, total)
    return None


def _pure_divergence(row: Row) -> bool:
    """Whether a row is a sum of first derivatives in space, with numbers before them, and something given."""
    first = all(sum(jet.index) == 1 and not jet.index[-1] for jet in row.jets)
    return row.linear and bool(row.jets) and first and not any(c.symbols for c in row.linear_part.values())


@dataclass(frozen=True)
class Potential:
    """An unknown p that one equation holds by second derivatives alone, or by any along a circle, and no condition by its value."""

    problem: Problem
    row: Row
    field: str
    numbers: dict[Jet, float]  # c_k of the derivatives

    def imbalance(self, time: float, fields: Fields) -> float:
        """|Σ c_k ∮ ∂p/∂x_k n_k + ∫ g| over the sum of the sizes of both; zero where g is not known."""
        count = POINTS[self.problem.domain.dimension]
        net, total = balance(self.problem, self.row, self.numbers, time, count, fields) or (0.0, 0.0)
        return abs(net) / total if abs(net) > ROUNDING * total else 0.0

    def sentence(self, time: float) -> str:
        """That there is no solution, of what, and what to do."""
        name = self.field.partition(".")[0]
        return (
            f"The equation that determines `{name}` holds its derivatives alone, and has a solution only where what is given in it and on the boundary balances, "
            f"as the mean of f does in `{name}_xx = f` on a circle; at t = {time:.6g} it does not: there is no solution. Subtract the mean, balance the fluxes "
            f"through the boundary, or give `{name}` on a face."
        )


def potentials(problem: Problem) -> list[Potential]:
    """The unknowns of this kind, of boxes."""
    box = problem.domain
    if not box.is_box or box.moving or box.dimension not in POINTS or problem.ordinary or problem.delays:
        return []
    found = []
    for field in problem.fields:
        if problem.time_orders.get(field.partition(".")[0], 0):
            continue
        still = [row for row in problem.rows if not any(j.index[-1] for j in row.jets)]
        rows = [row for row in still if any(j.field == field and sum(j.index) > 1 for j in row.jets)]
        own = [r for r in rows if all(_second(j) or _around(problem, j) for j in r.jets if j.field == field)]
        conditions = [r for rs in problem.face_rows.values() for r in rs]
        held = any(j.field == field and not any(j.index) for r in conditions for j in r.jets)
        if len(own) != 1 or held:
            continue
        (row,) = own
        mine = [j for j in row.jets if j.field == field]
        if any(j not in row.linear_part or row.linear_part[j].symbols for j in mine):
            continue
        found.append(Potential(problem, row, field, _numbers(row, mine, problem)))
    return found


def start_imbalance(problem: Problem, tol: float) -> str | None:
    """The sentence on the first potential that the data at the start do not balance, or, where they hold no unknown, at any time."""

    def given(jets: Sequence[Jet], points: np.ndarray) -> dict[Jet, np.ndarray] | None:
        result = {}
        for jet in jets:
            key = jet.field.partition(".")[0], jet.index[-1]
            if any(jet.index[:-1]) or key not in problem.initial_data:
                return None
            result[jet] = np.broadcast_to(problem.initial_data[key].part(points, jet.field), len(points))
        return result

    for potential in potentials(problem):
        alone = all(jet in potential.numbers for jet in potential.row.jets)
        for time in np.linspace(*problem.time, TIMES) if alone else problem.time[:1]:
            found = potential.imbalance(float(time), given)
            if found > ALLOWED * tol:
                return f"{potential.sentence(float(time))} They miss it by {found:.1e} of their terms."
    return None


def later_imbalance(problem: Problem, pieces: Sequence[Piece], tol: float) -> str | None:
    """What no longer balances along a solution, and from when on; None where all does."""
    for potential in potentials(problem):
        start, end = problem.time[0], pieces[-1].window[1]
        for time in np.linspace(start, end, TIMES)[1:]:
            found = potential.imbalance(float(time), lambda jets, points: values_at(pieces, jets, points))
            if found > ALLOWED * tol:
                name = potential.field.partition(".")[0]
                return f"what determines `{name}` up to a constant no longer balances at t = {time:.6g}: there is no solution from there on"
    return None


def _second(jet: Jet) -> bool:
    return not jet.index[-1] and sum(jet.index) == 2 and max(jet.index) == 2


def _around(problem: Problem, jet: Jet) -> bool:
    """Whether it is a derivative along a circle, whose mean is zero."""
    names = problem.domain.names
    return not jet.index[-1] and any(
        n and name in problem.periodic for name, n in zip(names, jet.index[:-1], strict=True)
    )
