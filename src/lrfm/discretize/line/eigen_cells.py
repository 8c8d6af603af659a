# SPDX-License-Identifier: MIT
"""Linear equations that stay the same on a few cells of high degree, as a pencil:  E v′ + K v + g = 0,  or  E v″ + K v + g = 0.

Collocation at Gauss points as on other cells, in functions that are integrals of Legendre polynomials (`lrfm.spaces.cells.integrated`): the highest derivatives are coefficients themselves, and E, which holds
u as an integral of them, is compact. Rows without rates, at edges and ends, are rows of K alone. A chain u, u_t that no term with u_t stands in is the second form, of half the size.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lrfm.discretize.line.collocation import CellCollocation
from lrfm.discretize.line.layout import Layout
from lrfm.spaces.cells import Mesh
from lrfm.spaces.cells.integrated import IntegratedReference


@dataclass(frozen=True)
class IntegratedLayout(Layout):
    """A layout whose functions are given by their highest derivatives."""

    @cached_property
    def reference(self) -> IntegratedReference:
        """Tables of one cell."""
        return IntegratedReference(self.size, self.count, max(self.highest, max(self.orders)))


@dataclass(frozen=True)
class LinearPencil:
    """E v′ + K v + g = 0, or E v″ + K v + g = 0 where `turning`; v are `levels` of a chain, one after the other."""

    moving: np.ndarray = None  # type: ignore[assignment]  # E
    still: np.ndarray = None  # type: ignore[assignment]  # K
    constant: np.ndarray = None  # type: ignore[assignment]  # g
    turning: bool = False
    levels: int = 1

    @property
    def free(self) -> int:
        """How many exponentials there are: rows that hold rates."""
        return int(np.sum(np.any(self.moving, axis=1)))


class EigenCells(CellCollocation):
    """A statement on some cells; states are coefficients of φ, as on other cells."""

    layout: IntegratedLayout

    def __init__(self, layout: IntegratedLayout, mesh: Mesh):
        super().__init__(layout, mesh)

    @property
    def filters(self) -> bool:
        """Nothing is to be filtered: steps are exact."""
        return False

    def linearize(self, time: float, y: np.ndarray, z: np.ndarray) -> None:  # type: ignore[override]
        """Once and for all: `pencil`."""

    @cached_property
    def weights(self) -> np.ndarray:
        """Whose squares make mean squares over the interval of coefficients (cells, size) of φ."""
        return np.repeat(np.sqrt(self.shares), self.layout.size)

    def plain(self, vectors: np.ndarray) -> np.ndarray:
        """Coefficients (…, fields, cells, size) of φ from vectors (…, n) of one level."""
        return self.scatter(vectors) @ self.layout.reference.to_plain.T

    @cached_property
    def pencil(self) -> LinearPencil | None:
        """The statement; None where a row without rates holds several levels of a chain in a way that neither form has."""
        system, nothing = (
            self.system,
            np.zeros((len(self.system.components), self.mesh.size, self.layout.size)),
        )
        start, top = system.problem.time[0], system.top_power
        found = super().linearize(start, nothing, nothing)
        b = []
        for power in range(top + 1):
            matrix = np.zeros((self.size, self.size))
            np.add.at(matrix, (self.rows, self.columns), found.entries(power))
            b.append(matrix)
        constant = self.residual(np.array([start]), nothing[None], nothing[None])[0]
        moves = (self.lowest == 0)[:, None]
        if top == 1:
            return LinearPencil(np.where(moves, b[0], 0.0), np.where(moves, b[1], b[0]), constant)
        if any(np.any(m[~moves[:, 0]]) for m in b[2:]) or np.any(self.lowest > 1):
            return None
        if not np.any(b[1]):
            given = self._given()
            constant = np.where(np.isnan(given), constant, given)
            return LinearPencil(np.where(moves, b[0], 0.0), np.where(moves, b[2], b[0]), constant, True)
        given, held = self._given(), ~moves[:, 0]
        among = self.numbers.rows_of_conditions
        none, one = np.zeros((self.size, self.size)), np.eye(self.size)
        if not np.any(b[1][held]) and not np.any(np.isnan(given[among])):
            # u meets its conditions and has no jumps, as u_t: with u′ = v alone functions that are linear in each cell, and do not move, would be modes, and take a part of all data.
            mass, rows = np.where(moves, b[0], 0.0), np.where(moves, 0.0, b[0])
            return LinearPencil(
                np.block([[mass, none], [none, mass]]),
                np.block([[rows, -mass], [np.where(moves, b[2], 0.0), np.where(moves, b[1], b[0])]]),
                np.concatenate([np.where(np.isnan(given), 0.0, given), constant]),
                levels=2,
            )
        return LinearPencil(
            np.block([[one, none], [none, np.where(moves, b[0], 0.0)]]),
            np.block([[none, -one], [np.where(moves, b[2], b[1]), np.where(moves, b[1], b[0])]]),
            np.concatenate([np.zeros(self.size), constant]),
            levels=2,
        )

    def _given(self) -> np.ndarray:
        """What conditions give u itself, in the rows in which they were differentiated to speak of u_t; not a number elsewhere."""
        system, found = self.system, np.full(self.size, np.nan)
        for c in reversed(system.constraints):
            at = np.array([[c.place, system.problem.time[0]]])
            found[self.numbers.rows_of_conditions[c.number]] = float(c.row.affine(at)[0][0])
        return found
