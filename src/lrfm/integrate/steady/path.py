# SPDX-License-Identifier: MIT
"""The path  F(u) = (1 − θ) F(u₀)  from the guess u₀, which solves it for θ = 0, to θ = 1, through the folds on its way.

    F′(u) u̇ + F(u₀) θ̇ = 0,   ⟨u̇, u̇⟩ + θ̇² = 1,   ⟨u̇, u − u₁⟩ + θ̇ (θ − θ₁) = s.

With the length s along the path as the parameter nothing special happens where θ turns around (Keller, Applications of Bifurcation Theory, 1977); the bordered
system is solved by two solutions with F′(u). A path may come back, or go on for ever: it is followed for a number of iterations.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from lrfm.discretize.options import SAFEGUARDS, STEADY, Options
from lrfm.integrate.steady.newton import Equations, Found, newton
from lrfm.linalg.banded import SingularError
from lrfm.linalg.deadline import check_deadline


@dataclass(frozen=True)
class Place:
    """A point of the path with its unit tangent."""

    u: np.ndarray
    theta: float
    along: np.ndarray  # u̇
    turn: float  # θ̇


@dataclass
class Path:
    """Steps along the path; `iterations` counts those of Newton's method."""

    equations: Equations
    start: np.ndarray  # F(u₀)
    iterations: int = 0

    def product(self, a: np.ndarray, b: np.ndarray, u: np.ndarray) -> float:
        """⟨a, b⟩ relative to u: the mean over coefficients, over that of u or one."""
        return float(a @ b) / max(len(u), float(u @ u))

    def tangent(self, u: np.ndarray, theta: float, before: Place | None) -> Place:
        """The way on as before, or to larger θ; SingularError at a fold itself."""
        slope = self.equations.factored(u)(-self.start)
        turn = 1 / np.sqrt(1 + self.product(slope, slope, u))
        along = turn * slope
        if before is not None and self.product(along, before.along, u) + turn * before.turn < 0:
            along, turn = -along, -turn
        return Place(u, theta, along, turn)

    def stepped(self, place: Place, step: float) -> tuple[Place, int] | None:
        """The point further along by a step, and how many iterations it took; None where Newton's method does not get there."""
        u, theta = place.u + step * place.along, place.theta + step * place.turn
        for count in range(1, Options.iterations + 1):
            check_deadline()
            self.iterations += 1
            residual = self.equations.residual(u) - (1 - theta) * self.start
            if not np.all(np.isfinite(residual)):
                return None
            try:
                solve = self.equations.factored(u)
                plain, slope = solve(-residual), solve(-self.start)
            except SingularError:
                return None
            missed = step - self.product(place.along, u - place.u + plain, place.u)
            missed -= place.turn * (theta - place.theta)
            change = missed / (place.turn + self.product(place.along, slope, place.u))
            correction = plain + change * slope
            u, theta = u + correction, theta + change
            size = max(self.equations.relative(correction, u), abs(change))
            if not np.isfinite(size):
                return None
            if size <= STEADY.rough:
                try:
                    return self.tangent(u, theta, place), count
                except SingularError:
                    return None
        return None


def along_the_path(equations: Equations, u: np.ndarray, goal: float) -> Found:
    """A zero of F where the path comes to θ = 1."""
    path, step = Path(equations, equations.residual(u)), STEADY.first_theta
    failed = Found(u, False, 0, np.inf)
    if not np.all(np.isfinite(path.start)):
        return failed
    try:
        place = path.tangent(u, 0.0, None)
    except SingularError:
        return failed
    while path.iterations < SAFEGUARDS.path_iterations and step > STEADY.least_damping:
        found = path.stepped(place, step)
        if found is not None and found[0].theta >= 1:
            end = found[0]
            part = (1 - place.theta) / (end.theta - place.theta)
            there = newton(equations, place.u + part * (end.u - place.u), goal)
            path.iterations += there.iterations
            if there.converged:
                return Found(there.u, True, path.iterations, there.left)
            found = None
        if found is None:
            step *= 0.5
            continue
        place, count = found
        step *= 2.0 if count <= STEADY.few else 1.0
    return Found(place.u, False, path.iterations, np.inf)


def solved(equations: Equations, u: np.ndarray, goal: float) -> Found:
    """A zero by Newton's method, and by the path from the guess where it does not get there."""
    with np.errstate(all="ignore"):  # log(0) at the guess is said by what is not finite
        found = newton(equations, u, goal)
        if found.converged or equations.linear:
            return found
        further = along_the_path(equations, u, goal)
    return replace(further, iterations=found.iterations + further.iterations)
