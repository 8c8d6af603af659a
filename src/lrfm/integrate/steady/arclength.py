# SPDX-License-Identifier: MIT
"""A branch of steady states by pseudo-arclength:  F(u, λ) = 0,  ⟨u̇₀, u − u₀⟩ + λ̇₀ (λ − λ₀) = s.

With the length s along the branch as the parameter nothing special happens at a fold, where λ turns around (Keller, Applications of Bifurcation Theory,
1977). λ̇ changes its sign there; the determinant of the bordered matrix does where branches cross.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from lrfm.discretize.options import ROUNDING, SAFEGUARDS, STEADY, Options
from lrfm.integrate.steady.stationary import SpaceEquations
from lrfm.linalg.banded import SingularError, with_sign
from lrfm.linalg.deadline import check_deadline

At = Callable[[float], None]  # sets the number


@dataclass(frozen=True)
class Point:
    """A steady state of the branch with its tangent; `sign` is that of the determinant of its bordered matrix."""

    equations: SpaceEquations = field(repr=False)
    u: np.ndarray = field(repr=False)
    number: float
    slope: np.ndarray = field(repr=False)  # u̇
    turn: float  # λ̇
    sign: float
    length: float  # along the branch


@dataclass(frozen=True)
class Continuation:
    """Steps along a branch; `span` is what λ is measured by."""

    put: At
    span: float
    options: Options

    def residual(self, equations: SpaceEquations, u: np.ndarray, number: float) -> np.ndarray:
        """F(u, λ)."""
        self.put(number)
        equations.forget()
        return equations.residual(u)

    def _derivative(self, equations: SpaceEquations, u: np.ndarray, number: float) -> np.ndarray:
        """∂F/∂λ by a central difference: exact where F is linear in λ."""
        step = ROUNDING.small * max(self.span, abs(number))
        ahead, behind = (self.residual(equations, u, number + s) for s in (step, -step))
        return (ahead - behind) / (2 * step)

    def _weights(self, equations: SpaceEquations) -> np.ndarray:
        """Of the mean square of u as a sum over its coefficients."""
        y = np.broadcast_to(
            equations.made.shares[None, :, None], equations.scattered(np.zeros(equations.size)).shape
        )
        return equations.made.gather(np.array(y))

    def _bordered(
        self, equations: SpaceEquations, u: np.ndarray, number: float, row: np.ndarray, corner: float
    ) -> tuple[Callable[[np.ndarray], np.ndarray], float]:
        """The solution with [[A, F_λ], [row, corner]], and the sign of its determinant."""
        self.put(number)
        equations.forget()
        rows, columns, values = equations.matrix(u)
        n, border = equations.size, self._derivative(equations, u, number)
        every = np.arange(n)
        rows = np.concatenate([rows, every, np.full(n, n), [n]])
        columns = np.concatenate([columns, np.full(n, n), every, [n]])
        values = np.concatenate([values, border, row, [corner]])
        return with_sign(rows, columns, values, n + 1)

    def pointed(
        self, equations: SpaceEquations, u: np.ndarray, number: float, before: Point | None, length: float
    ) -> Point:
        """A state with its tangent: the one that goes on as before, or to larger λ."""
        weights = self._weights(equations)
        if before is None:
            row, corner = np.zeros(equations.size), 1.0
        else:
            row, corner = before.slope * weights, before.turn / self.span**2
        solve, sign = self._bordered(equations, u, number, row, corner)
        tangent = solve(np.append(np.zeros(equations.size), 1.0))
        slope, turn = tangent[:-1], float(tangent[-1])
        size = np.sqrt(float(weights @ slope**2) / self._size(equations, u) ** 2 + (turn / self.span) ** 2)
        slope, turn = slope / size, turn / size
        return Point(equations, u, number, slope, turn, sign, length)

    def _size(self, equations: SpaceEquations, u: np.ndarray) -> float:
        """What u is measured by: its size, or one where it is small."""
        return max(1.0, float(np.max(equations.made.norms(equations.scattered(u)))))

    def stepped(self, point: Point, step: float) -> tuple[Point, int] | None:
        """The point further along by a step, and how many iterations it took; None where Newton's method did not get there."""
        equations, goal = point.equations, max(Options.minor**3 * self.options.tol, ROUNDING.solved)
        weights = self._weights(equations) / self._size(equations, point.u) ** 2
        u, number = point.u + step * point.slope, point.number + step * point.turn
        row, corner = point.slope * weights, point.turn / self.span**2
        for count in range(1, Options.iterations + 1):
            check_deadline()
            found = self.residual(equations, u, number)
            ahead = row @ (u - point.u) + corner * (number - point.number) - step
            if not np.all(np.isfinite(found)):
                return None
            try:
                solve, _ = self._bordered(equations, u, number, row, corner)
            except SingularError:
                return None
            change = solve(-np.append(found, ahead))
            u, number = u + change[:-1], number + float(change[-1])
            size = equations.relative(change[:-1], u) + abs(float(change[-1])) / self.span
            if not np.isfinite(size):
                return None
            if size <= goal:
                try:
                    return self.pointed(equations, u, number, point, point.length + step), count
                except SingularError:
                    return None
        return None

    def refined(self, point: Point) -> Point:
        """The same point on cells that resolve it."""
        for _ in range(SAFEGUARDS.iterations):
            self.put(point.number)
            finer = point.equations.refined(point.u, 0.0)
            if finer is None:
                break
            equations, u = finer
            slope = equations.gathered(equations.taken(point.equations.scattered(point.slope)))
            moved = replace(point, equations=equations, u=u, slope=slope)
            again = self.stepped(moved, 0.0)
            if again is None:
                return moved
            point = again[0]
        return point

    def walk(self, point: Point, ends: tuple[float, float], most: int) -> Iterator[Point]:
        """Points of the branch until λ leaves its range, or there is no way on."""
        step, slack = STEADY.first_along, ROUNDING.stagnant * self.span
        for _ in range(most):
            found = None
            while found is None:
                found = self.stepped(point, step)
                if (
                    found is not None
                    and found[0].slope @ (point.slope * self._weights(point.equations))
                    < 0
                    < -found[0].turn * point.turn
                ):
                    found = None  # turned around altogether: it jumped
                if found is None:
                    step *= 0.5
                    if step < ROUNDING.small:
                        return
            following, count = found
            yield following
            if not ends[0] - slack <= following.number <= ends[1] + slack:
                return
            # λ that comes to its end more and more slowly, as the upper branch of u″ + λe^u = 0 does to zero, never gets there.
            left = min(abs(following.number - end) for end in ends) / self.span
            if left < STEADY.rest and abs(following.turn) < STEADY.rest * self.span and following.length > 1:
                return
            point = self.refined(following)
            step = min(STEADY.longest_along, step * (2.0 if count <= STEADY.few else 1.0))

    def located(
        self, point: Point, following: Point, test: Callable[[Point], float], accurate: float
    ) -> Point | None:
        """The point between two at which a test changes its sign, to a part of their distance: Brent's method, which bisects where the test is a sign. None where that comes to nothing."""
        from scipy.optimize import brentq

        found: list[Point] = []

        reach = following.length - point.length

        def tested(step: float) -> float:
            # The matrix is singular at the very place where branches cross, as at λ = 1 of steps of a quarter.
            moved = self.stepped(point, step) or self.stepped(point, step + accurate * reach)
            if moved is None:
                raise ArithmeticError
            found.append(moved[0])
            return test(moved[0])

        try:
            brentq(tested, 0.0, reach, xtol=accurate * reach, maxiter=SAFEGUARDS.halvings, disp=False)
        except (ArithmeticError, ValueError):  # no way there; or no change of sign, seen from there
            return None
        return found[-1]
