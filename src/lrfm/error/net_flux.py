# SPDX-License-Identifier: MIT
"""What flows into a domain must flow out of it:  Σ_i c_i ∂u_i/∂x_i + s = 0  has a solution only where  Σ_i c_i ∮ u_i n_i + ∫ s = 0  (Gauss' theorem).

div u = 0 in a domain on whose boundary the velocity along the normal is given is the common case: least squares, or a pressure that grows without bound,
"solve" what has a net inflow. Both integrals are of given functions alone, so this shows before anything is solved. Two rules with different numbers of
points say how well the integrals are known: data with jumps are not refused for an error of a rule.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from lrfm.problem import Jet, Problem, Row

POINTS = {1: (48, 64), 2: (48, 64), 3: (16, 24)}  # Gauss points along an axis, of two rules
TIMES = 9  # at which the balance is looked at, ends included
ALLOWED = 10.0  # tolerances by which data may miss it: what they hold is known to one
ROUNDING = 1e-11


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
    if box.moving or box.dimension not in (POINTS if box.is_box else (1, 2)) or hasattr(box, "interfaces"):
        return None
    for row in problem.rows:
        if not _pure_divergence(row):
            continue
        for time in np.linspace(*problem.time, TIMES):
            coarse, fine = (_balance(problem, row, float(time), count) for count in POINTS[box.dimension])
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


def _balance(problem: Problem, row: Row, time: float, count: int) -> tuple[float, float] | None:
    """Σ c_i ∮ u_i n_i + ∫ s, and the same of absolute values; None where a face does not give what flows through it."""
    box = problem.domain
    inside = box.quadrature(count**box.dimension)
    source, numbers = row.affine(at(inside.points, time))
    net, total = float(inside.weights @ source), float(inside.weights @ np.abs(source))
    for name, part in box.parts.items():
        points, weights, normals = part.quadrature(count ** (box.dimension - 1))
        for jet, number in numbers.items():
            axis = jet.index.index(1)
            across = float(number) * weights * normals[:, axis]
            if box.names[axis] in problem.periodic or not np.any(np.abs(across) > ROUNDING * weights):
                continue
            through = _given_on(problem, name, jet, at(points, time))
            if through is None:
                return None
            net += float(across @ through)
            total += float(np.abs(across) @ np.abs(through))
    return (net, total) if math.isfinite(net) else None


def at(places: np.ndarray, time: float) -> np.ndarray:
    return np.column_stack([places, np.full(len(places), time)])


def _given_on(problem: Problem, face: str, jet: Jet, points: np.ndarray) -> np.ndarray | None:
    """The field of a jet on a face; None where no condition there gives it."""
    plain = (0,) * len(jet.index)
    for row in problem.face_rows.get(face, ()):
        if row.linear and [(j.field, j.index) for j in row.jets] == [(jet.field, plain)]:
            source, numbers = row.affine(points)
            (number,) = numbers.values()
            return -source / number
    return None
