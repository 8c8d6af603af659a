# SPDX-License-Identifier: MIT
"""What the nonlinear terms of one unknown add to its energy estimate.

    u_t = A u_xx + B u_x + C u + f + p(t) u u_x + g(x, t) u_x + q(x, t, u),   q a polynomial in u.

For v = u − w, w known, the terms are (p w + g) v_x + (p w_x + Q) v + p v v_x, with the quotient Q = (q(w + v) − q(w))/v. Tested with v the cubic term is (p v³/3)_x, and vanishes where
v does at both ends, or is periodic: what is left is the estimate of a linear statement with coefficients at w (the relative entropy of u²/2; Dafermos, Arch. Ration. Mech. Anal. 70, 1979).
Q is at most its maximum over all v for which w + v is a value that u can have: any number, or one between constants m and M that no solution passes, if the data lie
between them, q + C m + f ≥ 0 and q + C M + f ≤ 0 there, and nothing flows in at the ends (comparison principle; Protter, Weinberger, 1967).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NoReturn

import numpy as np

from lrfm.problem import Jet, ProblemError
from lrfm.problem.algebra import ONE, Expr, Symbol
from lrfm.problem.equation import Row, full, inputs
from lrfm.problem.expression import derivative, is_zero
from lrfm.problem.jets import GivenSymbol, JetSymbol, jets_among
from lrfm.problem.program import Program

DEGREE = 9  # of a polynomial in u at the most: those of reactions have three to five
PLACES = 64  # constants beyond the data that are tried, over four times their range


def refused(why: str) -> NoReturn:
    raise ProblemError(
        f"No bound: {why} Of nonlinear terms those of one real unknown are known: p(t)*u*u_x where u is given at both ends, or periodic, and powers of u that hold "
        "it back, as in u - u**3. Leave out `certify`: the error is estimated."
    )


@dataclass(frozen=True)
class Added:
    """At points: p w + g, its derivative by x, and p w_x."""

    along: np.ndarray
    slope: np.ndarray
    drift: np.ndarray


@dataclass(frozen=True)
class Quotients:
    """The nonlinear part N of a row N + … = 0, divided by the number before u_t."""

    row: Row
    name: str
    axis: str
    rate: float
    _program: Program = field(init=False, repr=False)
    _powers: Program = field(init=False, repr=False)
    steep: bool = field(init=False)  # whether p is not zero

    def __post_init__(self) -> None:
        u, slope, found = self._symbol(0), self._symbol(1), self.row.nonlinear_part
        if not set(self.row.nonlinear_jets) <= {u.jet, slope.jet}:
            refused("a nonlinear term has other derivatives than u_x.")
        along = derivative(found, {slope: ONE})
        both = derivative(along, {u: ONE})
        if jets_among(along.symbols) and (
            jets_among(both.symbols) or not is_zero(derivative(along, {slope: ONE}))
        ):
            refused("a nonlinear term is not p(t)*u*u_x.")
        if Symbol(self.axis) in both.symbols or any(isinstance(s, GivenSymbol) for s in along.symbols):
            refused("what stands before u*u_x depends on x.")
        object.__setattr__(self, "steep", not is_zero(both))
        object.__setattr__(
            self, "_program", Program([along, derivative(along, {Symbol(self.axis): ONE}), both])
        )
        object.__setattr__(self, "_powers", Program(self._taylor(found, u)))

    def _symbol(self, order: int) -> JetSymbol:
        return JetSymbol(Jet(self.name, (order, 0)))

    @staticmethod
    def _taylor(found: Expr, u: JetSymbol) -> list[Expr]:
        """k! c_k as formulas of u, to be evaluated at zero."""
        parts = [found]
        while not is_zero(parts[-1]):
            if len(parts) > DEGREE + 1:
                refused(f"a nonlinear term is no polynomial in `{u.jet.field}`.")
            parts.append(derivative(parts[-1], {u: ONE}))
        return parts[:-1]

    def _values(self, program: Program, points: np.ndarray, w: np.ndarray, w_x: np.ndarray) -> np.ndarray:
        jets = {self._symbol(0).jet: w, self._symbol(1).jet: w_x}
        known = inputs(self.row.coordinates, self.row.functions, points, jets)
        return np.array([full(value, points) for value in program(known)]) / -self.rate

    def at(self, points: np.ndarray, w: np.ndarray, w_x: np.ndarray) -> Added:
        along, slope, both = self._values(self._program, points, w, w_x)
        return Added(along, slope + both * w_x, both * w_x)

    def coefficients(self, points: np.ndarray) -> np.ndarray:
        """c_k of q = Σ c_k u^k at points, (n + 1, points)."""
        nothing = np.zeros(len(points))
        parts = self._values(self._powers, points, nothing, nothing)
        return parts / np.array([math.factorial(k) for k in range(len(parts))], dtype=float)[:, None]

    def largest(self, points: np.ndarray, w: np.ndarray, between: tuple[float, float]) -> np.ndarray:
        """max Q over values u between two numbers, or any, at points."""
        c = self.coefficients(points)
        size = len(c) - 1
        if size < 1:
            return np.zeros(len(points))
        # Q = Σ_{k ≥ 1} c_k Σ_{j < k} u^j w^{k−1−j}: a polynomial in u, of the degree n − 1.
        powers = np.array([w**j for j in range(size)])
        q = np.array(
            [np.sum([c[k] * powers[k - 1 - j] for k in range(j + 1, size + 1)], axis=0) for j in range(size)]
        )
        low, high = between
        highest = max((j for j in range(1, size) if np.any(q[j])), default=0)
        for end, sign in ((low, -1.0), (high, 1.0)):
            if math.isinf(end) and highest and np.any(q[highest] * sign**highest >= 0):
                refused(f"`{self.name}` is not held back by its nonlinear terms, whatever values it has.")
        found = np.full(len(points), -np.inf)
        for end in between:
            if math.isfinite(end):
                found = np.maximum(found, _polynomial(q, np.full(len(points), end)))
        rest = np.ones(len(points), dtype=bool)
        for degree in range(highest, -1, -1):  # where the highest coefficient is zero, there are fewer turns
            here = rest & (q[degree] != 0) if degree else rest
            for root in _turns(q[: degree + 1, here]):
                found[here] = np.maximum(found[here], _polynomial(q[:, here], np.clip(root, low, high)))
            rest = rest & ~here
        return found if highest else q[0]


def held_between(
    row: Row,
    name: str,
    rate: float,
    ends: Sequence[tuple[float, float] | None],
    data: np.ndarray,
    points: Sequence[np.ndarray],
) -> tuple[float, float]:
    """m and M which u does not pass: the nearest to the data among some constants that are sub- and supersolutions at all points; infinite where none is.

    `ends` are the least and largest value that the conditions ask for at each end; None where they hold u between nothing.
    """
    if any(end is None for end in ends):
        return -math.inf, math.inf
    known = [(float(np.min(data)), float(np.max(data))), *(end for end in ends if end is not None)]
    low, high = min(k[0] for k in known), max(k[1] for k in known)
    reach = max(high - low, abs(low), abs(high))

    def nearest(place: float, sign: float) -> float:
        for step in range(PLACES + 1):
            constant = place + sign * 4 * reach * step / PLACES
            if all(np.all(sign * _driven(row, name, rate, p, constant) <= 0) for p in points):
                return constant
        return sign * math.inf

    return nearest(low, -1.0), nearest(high, 1.0)


def _driven(row: Row, name: str, rate: float, points: np.ndarray, constant: float) -> np.ndarray:
    """u_t of a constant u."""
    jets = {jet: np.full(len(points), 0.0 if any(jet.index) else constant) for jet in row.jets}
    return -row.residual(points, jets) / rate


def _polynomial(q: np.ndarray, u: np.ndarray) -> np.ndarray:
    found = np.zeros_like(u)
    for part in q[::-1]:
        found = found * u + part
    return found


def _turns(q: np.ndarray) -> np.ndarray:
    """Real parts of the zeros of Q′ at each point, (zeros, points): a maximum is at one of these, or at an end."""
    slope = q[1:] * np.arange(1, len(q))[:, None]
    degree, leading = len(slope) - 1, slope[-1] if len(slope) else np.zeros(0)
    if degree < 1:
        return np.zeros((0, q.shape[1]))
    safe = np.where(leading == 0, 1.0, leading)
    companion = np.zeros((q.shape[1], degree, degree))
    companion[:, np.arange(1, degree), np.arange(degree - 1)] = 1.0
    companion[:, :, -1] = -(slope[:-1] / safe).T
    return np.linalg.eigvals(companion).real.T
