# SPDX-License-Identifier: MIT
"""Fluxes through a face of a box:  f(q_b),  q_b = q⁻ + Σ c_i r_i  with the conditions B(q_b) = 0, for all cells at the face at once.

As at the end of an interval (`boundary_flux.py`) r_i are eigenvectors of the waves that come in, one for each condition. Where there are more conditions than such waves, the nearest state
that meets the conditions stands outside, and the flux of Rusanov (Lax and Friedrichs' with the fastest wave there) decides what it does.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lrfm.discretize.evolution import Unsuited
from lrfm.discretize.laws.law import Compiled, Law
from lrfm.discretize.options import ROUNDING, SAFEGUARDS
from lrfm.problem import Row
from lrfm.problem.algebra import ONE, symbols_in
from lrfm.problem.expression import derivative, substituted
from lrfm.problem.jets import Jet, jet_symbol


class FaceFlux:
    """The flux through one face along an axis; `side` is −1 at the lower one, +1 at the upper one."""

    def __init__(self, law: Law, rows: Sequence[Row], name: str, side: int, coordinates: tuple[str, ...]):
        self.law, self.name, self.side, self.count = law, name, side, len(rows)
        form, value = law.form, (0,) * len(coordinates)
        known = {jet_symbol(Jet(f, value)): u for f, u in zip(form.fields, form.unknowns, strict=True)}
        if any(jet.index != value for row in rows for jet in row.jets):
            raise Unsuited(
                f"A condition on `{name}` holds derivatives, and a conservation law has none at its ends: give values, or None where nothing comes in."
            )
        formulas = [substituted(row.expression, known) for row in rows]
        slopes = [derivative(b, {s: ONE}) for b in formulas for s in form.symbols]
        self._linear = not any(symbols_in(s) & {*form.symbols} for s in slopes)
        self._rows = Compiled([*formulas, *slopes], form.symbols, coordinates)
        self._known: dict[bool, tuple[np.ndarray, tuple[np.ndarray, ...]]] = {}

    def __call__(
        self, inside: np.ndarray, flux: np.ndarray, speed: np.ndarray, x: np.ndarray, time: float
    ) -> np.ndarray:
        """f through the face, from states (quantities, places), fluxes and speeds inside."""
        if not self.count:
            return flux
        outside, exact, there, fast = self._met(True, inside, x, time)
        mean = 0.5 * (flux + there) - 0.5 * np.maximum(fast, speed) * self.side * (outside - inside)
        return np.where(exact, there, mean)

    def speed(self, inside: np.ndarray, speed: np.ndarray, x: np.ndarray, time: float) -> np.ndarray:
        """The fastest waves at this face."""
        if not self.count:
            return speed
        return np.maximum(speed, self._met(False, inside, x, time)[3])

    def _met(self, ends: bool, inside: np.ndarray, x: np.ndarray, time: float) -> tuple[np.ndarray, ...]:
        """States outside from those inside, the ends of cells or their means; whether they are exact, their fluxes and fastest waves."""
        if ends in self._known and self._rows.fixed and self.law.fixed:
            # Waves have not come here: states are the same but for rounding.
            before, found = self._known[ends]
            if (
                before.shape == inside.shape
                and np.abs(inside - before).max() <= ROUNDING.sums * np.abs(before).max()
            ):
                return found
        outside, exact = self._outside(inside, x, time)
        found = outside, exact, *self.law.flux_and_speeds(outside, x, time)
        self._known[ends] = inside.copy(), found
        return found

    def entering(self, inside: np.ndarray, x: np.ndarray, time: float, least: float) -> int:
        """How many waves come in at the most, of those that are faster than `least`."""
        speeds, _ = self.law.waves_at(inside, x, time)
        return int(np.max(np.sum(self.side * speeds < -least, axis=1), initial=0))

    def _outside(self, inside: np.ndarray, x: np.ndarray, time: float) -> tuple[np.ndarray, np.ndarray]:
        """States that meet the conditions, and where they differ from those inside by waves that come in alone."""
        n, places = inside.shape
        exact, incoming = np.zeros(places, dtype=bool), np.zeros((places, n, self.count))
        if n > 1 and self.count <= n:
            values, vectors = self.law.waves_at(inside, x, time)
            order = np.argsort(self.side * values, axis=1)[:, : self.count]
            exact = np.all(self.side * np.take_along_axis(values, order, axis=1) < 0, axis=1)
            incoming = np.take_along_axis(vectors, order[:, None, :], axis=2)
        q = inside.copy()
        for _ in range(SAFEGUARDS.iterations):
            found = self._rows(q, x, time).T
            slopes = found[:, self.count :].reshape(places, self.count, n)
            along = np.where(exact[:, None, None], incoming, slopes.transpose(0, 2, 1))
            matrices = slopes @ along
            change = along @ _solved(matrices, -found[:, : self.count, None])
            q = q + change[..., 0].T
            if self._linear or np.max(np.abs(change)) <= ROUNDING.sums * max(1.0, float(np.max(np.abs(q)))):
                break
        return q, exact


def _solved(matrices: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Small systems, one for each place; least squares where conditions say the same twice."""
    try:
        return np.linalg.solve(matrices, right)
    except np.linalg.LinAlgError:
        return np.linalg.pinv(matrices) @ right
