# SPDX-License-Identifier: MIT
"""The velocity nearest to a given one that satisfies its constraint:  u + ∇φ  with  D (u + ∇φ) = g  (Helmholtz, Leray), on the functions of a discretization.

What a velocity lacks of it would be an impulse of pressure in the next step: it is projected at the start, and where the cells change. What its rates lack of  D u′ = g′  is a pressure of the wrong size, however short the step
that begins with them is (Hairer, Lubich, Roche, 1989: index two); with  M (u′ + δ) + G (p + π) = f  and  D (u′ + δ) = g′  rates and pressure are those that follow from the velocity.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.polynomial import legendre

from lrfm.discretize.options import ROUNDING
from lrfm.discretize.plane.galerkin import PlaneGalerkin
from lrfm.linalg.banded import Solve
from lrfm.linalg.sparse import elimination_order, sparse_solver


class Leray:
    """The projections of a statement; the factors of [M G; D 0] are kept with the discretization that they are of."""

    def __init__(self) -> None:
        self._kept: WeakKeyDictionary[PlaneGalerkin, tuple[Solve, Any]] = WeakKeyDictionary()

    def solenoidal(
        self, made: PlaneGalerkin, time: float, y: np.ndarray, z: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """A state (components, cells, size) with its velocity projected, and a pressure within its own functions, with mean zero where its constant is free; and its rates likewise."""
        system = made.system
        if not system.multipliers:
            return y, z
        y, z = (_own(made, values) for values in (y, z))
        solve, own, moving = self._factors(made, time, y, z)[0], _constraints(made), _moving(made)

        def projected(values: np.ndarray, missing: np.ndarray) -> np.ndarray:
            change = made.scatter(solve(np.where(own, -missing, 0.0)))
            values[[system.last[i] for i in moving]] += change[moving]
            return values

        y = projected(y, made.residual(np.array([time]), y[None], z[None])[0])
        # D z + ∂ₜs = 0, by a difference of the constraint in time.
        soon = ROUNDING.small * (system.problem.time[1] - system.problem.time[0])
        now, then = made.residual(
            np.array([time, time + soon]), np.stack([y, y + soon * z]), np.stack([z, z])
        )
        return y, projected(z, (then - now) / soon)

    def rates(
        self, made: PlaneGalerkin, times: np.ndarray, y: np.ndarray, z: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """States (times, components, cells, size) that satisfy D u + s = 0 at all of some times, with the pressures that follow from their velocities, and rates z with D z + ∂ₜs = 0.

        ∂ₜs is that of the polynomial through s = −D u.
        """
        system, own, moving = made.system, _constraints(made), _moving(made)
        solve, divergence = self._factors(made, float(times[0]), y[0], z[0])
        length = float(times[-1] - times[0])
        of_y, of_z = (np.asarray((divergence @ made.gather(v[:, system.last]).T).T) for v in (y, z))
        slopes = _slopes(tuple(((times - times[0]) / length).tolist())) / length
        missing = made.balanced(np.where(own, of_z - slopes @ of_y, 0.0))
        change = made.scatter(-np.stack([solve(row) for row in missing]))
        y, z = y.copy(), z.copy()
        for i, c in enumerate(system.last):
            (z if i in moving else y)[:, c] += change[:, i]
        return y, z

    def _factors(self, made: PlaneGalerkin, time: float, y: np.ndarray, z: np.ndarray) -> tuple[Solve, Any]:
        """[M G; D 0]⁻¹ and D, of this state where M or G depend on it."""
        found = self._kept.get(made)
        if found is None:
            pencil = made.linearize(time, y, z)
            at = np.append(_constraints(made), False)
            # The rates of all rows, and the pressure in those of the velocity.
            gradient = np.where(at[made.columns] & ~at[made.rows], pencil.entries(1), 0.0)
            found = _saddle(made, pencil.entries(0) + gradient), pencil.matrix(0)
            if made.inert:
                self._kept[made] = found
        return found


def _saddle(made: PlaneGalerkin, values: np.ndarray) -> Solve:
    """[M G; D C]⁻¹ of entries in the common pattern:  (C − D M⁻¹ G) p = g − D M⁻¹ f,  u = M⁻¹ (f − G p).

    Functions are orthonormal, so that M is a diagonal where what stands before rates is constant. Then factors are those of a pressure alone.
    """
    from scipy.sparse import csc_matrix

    starts = np.searchsorted(made.columns, np.arange(made.size + 1))
    whole = csc_matrix((values, made.rows, starts), shape=(made.size, made.size)).tocsr()
    held = _constraints(made)
    upper, lower = whole[~held], whole[held]
    mass, gradient, divergence = upper[:, ~held], upper[:, held], lower[:, ~held]
    scale = mass.diagonal()
    mass.setdiag(0.0)
    if np.max(np.abs(mass.data), initial=0.0) > ROUNDING.sums * np.min(np.abs(scale)):
        return made.solver.factor(values)
    gradient = gradient.multiply(1 / scale[:, None]).tocsr()
    schur = (lower[:, held] - divergence @ gradient).tocoo()
    for c in made.layout.undetermined:  # as in `Pinned`
        pin = made.places[int(np.argmax(made.mesh.areas)), made.system.last.index(c), 0]
        at = (schur.row == schur.col) & (schur.row == np.count_nonzero(held[:pin]))
        schur.data[at] *= 2.0
    # Neighbors of neighbors meet in it, and cells are eliminated in an order of their own.
    cell = np.empty(made.size + 1, dtype=int)
    cell[made.places] = np.arange(made.mesh.size)[:, None, None]
    cell = cell[:-1][held]
    pairs = np.unique(cell[schur.row] * made.mesh.size + cell[schur.col])
    turn = np.argsort(elimination_order(*np.divmod(pairs, made.mesh.size), made.mesh.size)[0])
    order = np.lexsort([np.arange(len(cell)), turn[cell]])
    position = np.argsort(order)
    solver = sparse_solver(position[schur.row], position[schur.col], len(cell), pivots=False)
    inner = solver.factor(schur.data)

    def solve(right: np.ndarray) -> np.ndarray:
        found, first = np.empty_like(right), right[~held] / scale
        pressure = inner((right[held] - divergence @ first)[order])[position]
        found[held], found[~held] = pressure, first - gradient @ pressure
        return found

    return solve


def _constraints(made: PlaneGalerkin) -> np.ndarray:
    """Which rows are those of constraints, (n,); in the same places are the columns of pressures."""
    system = made.system
    at = np.zeros(made.size + 1, dtype=bool)
    at[made.places[:, [system.last.index(c) for c in system.multipliers]]] = True
    return at[:-1]


def _moving(made: PlaneGalerkin) -> list[int]:
    """Fields with rates."""
    return [i for i, c in enumerate(made.system.last) if c not in made.system.algebraic]


@lru_cache(maxsize=8)
def _slopes(nodes: tuple[float, ...]) -> np.ndarray:
    """Derivatives at some places of the polynomial through values there."""
    places, count = 2 * np.array(nodes) - 1, len(nodes)
    table = legendre.legvander(places, count - 1)
    derivatives = legendre.legder(np.eye(count), axis=0)
    return 2 * legendre.legvander(places, count - 2) @ derivatives @ np.linalg.inv(table)


def _own(made: PlaneGalerkin, values: np.ndarray) -> np.ndarray:
    """Coefficients without those that a pressure has no functions for, and without its constant where it is free."""
    system, layout, values = made.system, made.layout, values.copy()
    for c in system.multipliers:
        values[c, :, layout.sizes[system.last.index(c)] :] = 0.0
    for c in layout.undetermined:
        values[c, :, 0] -= np.sum(values[c, :, 0] * made.shares)
    return values
