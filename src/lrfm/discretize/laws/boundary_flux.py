# SPDX-License-Identifier: MIT
"""Fluxes through the ends of an interval:  f(q_b),  q_b = q⁻ + Σ c_i r_i  with the conditions B(q_b) = 0.

r_i are the eigenvectors of the waves that come in, one for each condition, the fastest first: what goes out is not touched by a condition. Where there are
more conditions than such waves (`u = 0` at an end through which u leaves), they stand outside of the domain and a numerical flux decides what they do.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from lrfm.discretize.evolution import Unsuited
from lrfm.discretize.laws.law import Compiled, Law
from lrfm.discretize.options import ROUNDING, SAFEGUARDS
from lrfm.problem import Row
from lrfm.problem.algebra import ONE, symbols_in
from lrfm.problem.expression import derivative, substituted
from lrfm.problem.jets import Jet, jet_symbol


class BoundaryFlux:
    """The flux through one end; `side` is −1 at the lower one, +1 at the upper one."""

    def __init__(self, law: Law, rows: Sequence[Row], place: float, side: int):
        self.law, self.place, self.side, self.count = law, place, side, len(rows)
        form = law.form
        known = {jet_symbol(Jet(f, (0, 0))): u for f, u in zip(form.fields, form.unknowns, strict=True)}
        formulas = []
        for row in rows:
            if any(jet.index != (0, 0) for jet in row.jets):
                raise Unsuited(
                    f"{row.label} holds derivatives, and a conservation law has none at its ends: give values, or None where nothing comes in."
                )
            formulas.append(substituted(row.expression, known))
        slopes = [derivative(b, {s: ONE}) for b in formulas for s in form.symbols]
        names = (rows[0].coordinates if rows else ("x", "t"))[:2]
        self._linear = not any(symbols_in(s) & {*form.symbols} for s in slopes)
        self._known: tuple[np.ndarray, tuple[np.ndarray, np.ndarray, float, bool]] | None = None
        self._rows = Compiled([*formulas, *slopes], form.symbols, (names[0], names[1]))

    @property
    def _steady(self) -> bool:
        """Whether what is outside depends on the state inside alone."""
        return self._rows.fixed and self.law.flux.fixed

    def __call__(self, inside: np.ndarray, flux: np.ndarray, speed: float, time: float) -> np.ndarray:
        """f through this end, from the state, the flux and the speed inside."""
        if not self.count:
            return flux
        outside, there, fastest, exact = self._outside(inside, speed, time)
        if exact:
            return there
        return 0.5 * (flux + there) - 0.5 * fastest * self.side * (outside - inside)

    def speed(self, inside: np.ndarray, speed: float, time: float) -> float:
        """The fastest wave at this end."""
        return self._outside(inside, speed, time)[2] if self.count else speed

    def enters(self, inside: np.ndarray, time: float, least: np.ndarray) -> bool:
        """Whether a jump of more than `least` comes in: conditions ask for another state, by waves that come from outside."""
        if not self.count:
            return False
        speeds = self.law.speeds(inside[:, None], np.array([self.place]), time)
        outside, _, _, exact = self._outside(inside, float(speeds[0]), time)
        if exact or self.law.size > 1:
            return exact and bool(np.any(np.abs(outside - inside) > least))
        (speed,) = self.law.waves(outside, self.place, time)[0]
        return self.side * speed < 0 and bool(np.any(np.abs(outside - inside) > least))

    @cached_property
    def _alone(self) -> tuple[np.ndarray, np.ndarray, float] | None:
        """What is outside of a scalar law whatever is inside: the value, its flux and speed; None where it changes."""
        if self.law.size > 1 or not (self._linear and self._rows.fixed and self.law.flux.fixed):
            return None
        outside = self._met(np.zeros(1), np.eye(1), 0.0)
        flux, speed = self.law.flux_and_speeds(outside[:, None], np.array([self.place]), 0.0)
        return outside, flux[:, 0], float(speed[0])

    def _outside(
        self, inside: np.ndarray, speed: float, time: float
    ) -> tuple[np.ndarray, np.ndarray, float, bool]:
        """The state that meets the conditions, its flux, the fastest wave, and whether it differs by waves that come in alone."""
        law, at, exact = self.law, np.array([self.place]), False
        if self._steady and self._known is not None:
            # Waves have not come here: the state is the same but for rounding.
            before, found = self._known
            if np.abs(inside - before).max() <= ROUNDING.sums * np.abs(before).max():
                return found
        if self._alone is not None:
            outside, flux, fastest = self._alone
        else:
            outside, exact = self._state(inside, time)
            found, speeds = law.flux_and_speeds(outside[:, None], at, time)
            flux, fastest = found[:, 0], float(speeds[0])
        fastest = max(fastest, speed)
        if not law.convex:
            between = law.between(inside[:, None], outside[:, None], at, time, 0.0)
            fastest = max(fastest, float(between[0]))
        self._known = inside.copy(), (outside, flux, fastest, exact)
        return outside, flux, fastest, exact

    def _state(self, inside: np.ndarray, time: float) -> tuple[np.ndarray, bool]:
        if self.law.size > 1:
            values, vectors = self.law.waves(inside, self.place, time)
            order = np.argsort(self.side * values)[: self.count]
            if np.all(self.side * values[order] < 0):
                return self._met(inside, vectors[:, order], time), True
        return self._met(inside, np.eye(self.law.size), time), False

    def met(self, inside: np.ndarray, time: float) -> np.ndarray:
        """The state nearest to the one inside that meets the conditions."""
        return self._met(inside, np.eye(self.law.size), time)

    def _met(self, inside: np.ndarray, along: np.ndarray, time: float) -> np.ndarray:
        """The state nearest to the one inside, in the span of some directions, that meets the conditions (Newton's method)."""
        q, at, n = inside.copy(), np.array([self.place]), self.law.size
        for _ in range(SAFEGUARDS.iterations):
            found = self._rows(q[:, None], at, time)[:, 0]
            if n == 1:
                change = -found[:1] / found[1]
                q = q + change
                if self._linear or abs(change[0]) <= ROUNDING.sums * max(1.0, abs(q[0])):
                    break
                continue
            slopes = found[self.count :].reshape(self.count, n) @ along
            right = -found[: self.count]
            square = slopes.shape[0] == slopes.shape[1] and np.linalg.det(slopes) != 0
            solved = (
                np.linalg.solve(slopes, right) if square else np.linalg.lstsq(slopes, right, rcond=None)[0]
            )
            change = along @ solved
            q = q + change
            if self._linear or np.max(np.abs(change)) <= ROUNDING.sums * max(1.0, float(np.max(np.abs(q)))):
                break
        return q
