# SPDX-License-Identifier: MIT
"""F(u_t, u_xx, u_x, u, x, t) = 0 of any form, `min(A, B) = 0` among them, by central differences on cells of equal width h:

    u_x ≈ (u_(i+1) − u_(i−1))/(2h),   u_xx ≈ (u_(i+1) − 2u_i + u_(i−1))/h²,

one unknown beyond each end, which the condition there determines:  B((u_0 + u_1)/2, (u_1 − u_0)/h) = 0. With u_t = (u − b)/c of an implicit stage all rows are one
tridiagonal system. It is solved by Newton's method with the derivative of the formula that is chosen at each place: for complementarity this is the
semismooth Newton method, or primal-dual active sets, which end after finitely many steps (Hintermüller, Ito, Kunisch, SIAM J. Optim. 13, 2002).
"""

from __future__ import annotations

import numpy as np

from lrfm.discretize.evolution import EvolutionSystem, Unsuited
from lrfm.discretize.laws.law import Compiled
from lrfm.discretize.laws.volumes import EqualCells
from lrfm.discretize.options import ROUNDING, SAFEGUARDS
from lrfm.linalg.banded import tridiagonal
from lrfm.problem import Row
from lrfm.problem.algebra import ONE
from lrfm.problem.conservation import BEND, RATE, SLOPE, VALUE
from lrfm.problem.expression import derivative
from lrfm.problem.jets import Jet, jet_symbol
from lrfm.spaces.cells import Mesh

KNOWN = (VALUE, RATE, SLOPE, BEND)


class NotSolved(ArithmeticError):
    """Newton's method did not end."""


class PointRow:
    """A row and its derivatives by u, u_t, u_x and u_xx, at many places."""

    def __init__(self, row: Row, field: str, coordinates: tuple[str, str]):
        if any(jet.field != field or jet.index not in KNOWN for jet in row.jets):
            raise Unsuited(f"{row.label} has other derivatives than u_t, u_x and u_xx.")
        names = tuple(jet_symbol(Jet(field, index)) for index in KNOWN)
        slopes = [derivative(row.expression, {name: ONE}) for name in names]
        self._formulas = Compiled([row.expression, *slopes], names, coordinates)

    def __call__(self, jets: np.ndarray, x: np.ndarray, time: float) -> np.ndarray:
        """F, F_u, F_ut, F_ux, F_uxx: (5, places)."""
        return self._formulas(jets, x, time)


class Differences(EqualCells):
    """One equation of second order on cells of equal width; states are (1, cells, 2), means and slopes, as those of volumes."""

    def __init__(self, system: EvolutionSystem, mesh: Mesh):
        super().__init__(system, mesh)
        problem = system.problem
        (field,), (name,) = problem.fields, problem.domain.names
        self._row = PointRow(problem.rows[0], field, (name, "t"))
        ends = [problem.face_rows.get(f"{name}{side}", ()) for side in "-+"]
        if problem.periodic or any(len(rows) != 1 for rows in ends):
            raise Unsuited("Complementarity is solved on intervals with one condition at each end.")
        self._ends = [PointRow(rows[0], field, (name, "t")) for rows in ends]

    def shown(self, u: np.ndarray) -> np.ndarray:
        """Means with the slopes of central differences, (1, cells, 2); u has one more at each end."""
        half = (u[2:] - u[:-2]) / 4
        return np.stack([u[1:-1], half / np.sqrt(3)], axis=-1)[None]

    def stage_solution(self, time: float, base: np.ndarray, span: float, guess: np.ndarray) -> np.ndarray:
        """u of all cells, and of one beyond each end, with u_t = (u − base)/span."""
        u, h = guess.copy(), self.width
        band = np.zeros((3, len(u)))
        for _ in range(SAFEGUARDS.iterations):
            inner = u[1:-1]
            slope, bend = (u[2:] - u[:-2]) / (2 * h), (u[2:] - 2 * inner + u[:-2]) / h**2
            found = self._row(np.stack([inner, (inner - base) / span, slope, bend]), self.x, time)
            right = np.empty_like(u)
            right[1:-1] = found[0]
            band[1, 1:-1] = found[1] + found[2] / span - 2 * found[4] / h**2
            band[0, 2:] = found[3] / (2 * h) + found[4] / h**2
            band[2, :-2] = -found[3] / (2 * h) + found[4] / h**2
            for end, at, side in zip(self._ends, (0, -1), (1, -1), strict=True):
                near = u[1] if at == 0 else u[-2]
                jets = np.array([[0.5 * (u[at] + near)], [0.0], [side * (near - u[at]) / h], [0.0]])
                row = end(jets, self.mesh.edges[[at]], time)[:, 0]
                right[at] = row[0]
                band[1, at] = 0.5 * row[1] - side * row[3] / h
                beside = 0.5 * row[1] + side * row[3] / h
                if at == 0:
                    band[0, 1] = beside
                else:
                    band[2, -2] = beside
            change = tridiagonal(band, -right)
            if not np.all(np.isfinite(change)):
                raise NotSolved
            u = u + change
            if np.max(np.abs(change)) <= ROUNDING.iterated * np.max(np.abs(u), initial=np.finfo(float).tiny):
                return u
        raise NotSolved
