# SPDX-License-Identifier: MIT
"""What determines a potential up to a constant has to balance:  Σ_k c_k ∂²p/∂x_k² + g = 0  has a solution only where  Σ_k c_k ∮ ∂p/∂x_k n_k + ∫ g = 0.

On a circle, or with ∂p/∂n given all around, p is known up to a constant, and the mean of g is a condition on what is given (Fredholm's alternative): p_xx = f on a circle has a solution only
where the mean of f vanishes. A space without constants, least squares, or a needle in p "solve" it without one. g holds other unknowns: data say what it is at the start, the solution afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from lrfm.error.net_flux import ALLOWED, ROUNDING, at
from lrfm.problem import Jet, Problem, Row
from lrfm.rows.pieces import Piece, values_at

POINTS = {1: 96, 2: 48, 3: 16}  # Gauss points along an axis
TIMES = 9  # at which a solution is looked at, the end included

Fields = Callable[[Sequence[Jet], np.ndarray], dict[Jet, np.ndarray] | None]


@dataclass(frozen=True)
class Potential:
    """An unknown p that one equation holds by second derivatives alone, and nothing holds by its value."""

    problem: Problem
    row: Row
    field: str
    numbers: dict[Jet, float]  # c_k of the second derivatives

    def imbalance(self, time: float, fields: Fields) -> float:
        """|Σ c_k ∮ ∂p/∂x_k n_k + ∫ g| over the sum of the sizes of both; zero where g is not known."""
        box = self.problem.domain
        inside = box.quadrature(POINTS[box.dimension] ** box.dimension)
        points = at(inside.points, time)
        others = [jet for jet in self.row.jets if jet not in self.numbers]
        known = fields(others, points) if others else {}
        if known is None:
            return 0.0
        nothing = {jet: np.zeros(len(points)) for jet in self.numbers}
        rest = np.broadcast_to(self.row.residual(points, {**known, **nothing}), len(points))
        net, total = float(inside.weights @ rest), float(inside.weights @ np.abs(rest))
        for name, part in box.parts.items():
            places, weights, normals = part.quadrature(POINTS[box.dimension] ** (box.dimension - 1))
            for jet, number in self.numbers.items():
                axis = int(np.argmax(jet.index))
                across = number * weights * normals[:, axis]
                if box.names[axis] in self.problem.periodic or not np.any(
                    np.abs(across) > ROUNDING * weights
                ):
                    continue
                slope = _slope_on(self.problem, name, self.field, axis, at(places, time))
                if slope is None:
                    return 0.0
                net += float(across @ slope)
                total += float(np.abs(across) @ np.abs(slope))
        return abs(net) / total if abs(net) > ROUNDING * total else 0.0

    def sentence(self, time: float) -> str:
        """That there is no solution, of what, and what to do."""
        name = self.field.partition(".")[0]
        return (
            f"`{name}` is determined up to a constant only, and the equations for it have a solution only where what is given in them and on the boundary balances, "
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
        rows = [row for row in still if any(j.field == field and _second(j) for j in row.jets)]
        own = [row for row in rows if all(_second(j) for j in row.jets if j.field == field)]
        conditions = [r for rs in problem.face_rows.values() for r in rs]
        held = any(
            j.field == field and not any(j.index) for r in (*problem.rows, *conditions) for j in r.jets
        )
        if len(own) != 1 or held:
            continue
        (row,) = own
        mine = [j for j in row.jets if j.field == field]
        if any(j not in row.linear_part or row.linear_part[j].symbols for j in mine):
            continue
        numbers = row.affine(at(box.lower[None], problem.time[0]))[1]
        found.append(Potential(problem, row, field, {j: float(np.ravel(numbers[j])[0]) for j in mine}))
    return found


def start_imbalance(problem: Problem, tol: float) -> str | None:
    """The sentence on the first potential that the data at the start do not balance."""

    def given(jets: Sequence[Jet], points: np.ndarray) -> dict[Jet, np.ndarray] | None:
        result = {}
        for jet in jets:
            key = jet.field.partition(".")[0], jet.index[-1]
            if any(jet.index[:-1]) or key not in problem.initial_data:
                return None
            result[jet] = np.broadcast_to(problem.initial_data[key].part(points, jet.field), len(points))
        return result

    start = problem.time[0]
    for potential in potentials(problem):
        found = potential.imbalance(start, given)
        if found > ALLOWED * tol:
            return f"{potential.sentence(start)} They miss it by {found:.1e} of their terms."
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


def _slope_on(problem: Problem, face: str, field: str, axis: int, points: np.ndarray) -> np.ndarray | None:
    """∂p/∂x_k on a face; None where no condition there gives it."""
    wanted = tuple(int(k == axis) for k in range(points.shape[1]))
    for row in problem.face_rows.get(face, ()):
        if row.linear and [(j.field, j.index) for j in row.jets] == [(field, wanted)]:
            source, numbers = row.affine(points)
            (number,) = numbers.values()
            return np.broadcast_to(-source / number, len(points))
    return None
