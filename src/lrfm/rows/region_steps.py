# SPDX-License-Identifier: MIT
"""u(x, t) = Σ_m a_m(t) ψ_m(x) on a domain of any shape: steps as in a box, functions of all coordinates at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.polynomial import legendre

from lrfm.problem import Jet, Row
from lrfm.rows.steps import Steps, integrals
from lrfm.spaces.axes.product import ProductBasis
from lrfm.spaces.bases import Basis
from lrfm.spaces.regions.basis import RegionBasis
from lrfm.spaces.regions.layered import Index, OneSided
from lrfm.spaces.regions.stored import basis_from, basis_record
from lrfm.spaces.stored import check_array


@dataclass(frozen=True)
class RegionSteps:
    """Some steps in a row: `starts` (steps, fields, R) and `slopes` (steps, K, fields, R), Legendre coefficients of a'."""

    basis: RegionBasis
    fields: tuple[str, ...]
    edges: np.ndarray
    starts: np.ndarray
    slopes: np.ndarray

    @property
    def window(self) -> tuple[float, float]:
        return float(self.edges[0]), float(self.edges[-1])

    @property
    def steps(self) -> int:
        """How many there are."""
        return len(self.starts)

    def values(self, jets: Iterable[Jet], points: np.ndarray) -> dict[Jet, np.ndarray]:
        """D^a of fields at points (n, d + 1), time last, of any order in space and time."""
        jets = list(jets)
        result = {jet: np.empty(len(points)) for jet in jets}
        if not jets or not len(points):
            return result
        owner = np.clip(np.searchsorted(self.edges, points[:, -1], side="right") - 1, 0, len(self.starts) - 1)
        order = np.argsort(owner, kind="stable")
        cuts = np.flatnonzero(np.diff(owner[order])) + 1
        for places in np.split(order, cuts):
            self._fill(result, jets, int(owner[places[0]]), points[places], places)
        return result

    def _fill(
        self,
        result: dict[Jet, np.ndarray],
        jets: Sequence[Jet],
        step: int,
        points: np.ndarray,
        places: np.ndarray,
    ) -> None:
        """All jets at the places that lie in one step; one sum over functions serves all derivatives in time."""
        h, count = self.edges[step + 1] - self.edges[step], self.slopes.shape[1]
        tau = (points[:, -1] - self.edges[step]) / h
        unknown = [jet.field for jet in jets if jet.whole not in self.fields]
        if unknown:
            raise KeyError(unknown[0])
        fields = list(dict.fromkeys(self.fields.index(jet.whole) for jet in jets))
        rows = [np.concatenate([self.starts[step, None, i], h * self.slopes[step, :, i]]) for i in fields]
        indices = list(dict.fromkeys(_index(jet) for jet in jets))
        sums = self.basis.combine(points[:, :-1], indices, np.concatenate(rows))
        for jet in jets:
            first = fields.index(self.fields.index(jet.whole)) * (count + 1)
            mine = sums[_index(jet)][:, first : first + count + 1]
            result[jet][places] = np.sum(mine * _polynomials(count, tau, h, jet.index[-1]), axis=1)

    def record(self) -> dict[str, object]:
        """The piece as plain arrays and numbers for a file."""
        return {
            "fields": list(self.fields),
            "edges": self.edges,
            "starts": self.starts,
            "slopes": self.slopes,
            **basis_record(self.basis),
        }

    @staticmethod
    def from_record(
        fields: Sequence[str],
        edges: np.ndarray,
        starts: np.ndarray,
        slopes: np.ndarray,
        families: Sequence[dict[str, np.ndarray]],
        mixing: np.ndarray,
    ) -> RegionSteps:
        """Build again what `record` wrote; it evaluates, but cannot be marched on. ValueError where it could not be evaluated."""
        if not fields or len(set(fields)) != len(fields):
            raise ValueError("fields are missing, or there twice")
        basis = basis_from(families, mixing)
        steps, stages = edges.size - 1, slopes.shape[1] if slopes.ndim == 4 else 0
        check_array("edges", edges, (steps + 1,))
        check_array("starts", starts, (steps, len(fields), basis.size))
        check_array("slopes", slopes, (steps, stages, len(fields), basis.size))
        if steps < 1 or stages < 1 or not np.all(np.diff(edges) > 0):
            raise ValueError("`edges` are not increasing times, or there are no steps between them")
        return RegionSteps(basis, tuple(fields), edges, starts, slopes)

    def residual(self, row: Row, points: np.ndarray) -> np.ndarray:
        """F(x, t, {D^a u}) of one row at points."""
        return row.residual(points, self.values(row.jets, points))


def _index(jet: Jet) -> Index:
    """Its derivative in space, as it is seen from one side where it has one."""
    return OneSided(jet.side, jet.index[:-1]) if jet.side else jet.index[:-1]


def _polynomials(stages: int, tau: np.ndarray, h: float, order: int) -> np.ndarray:
    """∂ₜ^order of 1 and of ∫₀^τ P_k at places of a step: (places, 1 + K)."""
    if order == 0:
        return np.column_stack([np.ones_like(tau), integrals(stages, tau)])
    columns = [np.zeros_like(tau)]
    for k in range(stages):
        derivative = legendre.legder(np.eye(stages)[k], order - 1)
        columns.append(legendre.legval(2 * tau - 1, derivative) * 2.0 ** (order - 1) / h**order)
    return np.column_stack(columns)


def piece_of(
    basis: Basis,
    fields: tuple[str, ...],
    edges: np.ndarray,
    starts: np.ndarray,
    slopes: np.ndarray,
) -> Steps | RegionSteps:
    """Steps that share a basis, as a piece."""
    if isinstance(basis, RegionBasis):
        return RegionSteps(basis, fields, edges, starts, slopes)
    assert isinstance(basis, ProductBasis)
    return Steps(basis, fields, edges, starts, slopes)
