# SPDX-License-Identifier: MIT
"""u(x, t) = Σ_m a_m(t) ψ_m(x) over steps that share a basis; a_m is a polynomial of degree K on each step.

a(t₀ + τh) = a₀ + h Σ_k c_k ∫₀^τ P_k(2s − 1) ds,   c_k the Legendre coefficients of a'.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.polynomial import legendre

from lrfm.problem import Jet, Row
from lrfm.spaces.axes.axis import AxisBasis
from lrfm.spaces.axes.product import ProductBasis, combine
from lrfm.spaces.stored import check_array

RECORDED = {"ends", "kernels", "series"}  # arrays of one axis in a file


@dataclass(frozen=True)
class Steps:
    """Some steps in a row: `starts` (steps, fields, R) and `slopes` (steps, K, fields, R), Legendre coefficients of a'."""

    basis: ProductBasis
    fields: tuple[str, ...]
    edges: np.ndarray
    starts: np.ndarray
    slopes: np.ndarray

    @property
    def window(self) -> tuple[float, float]:
        return float(self.edges[0]), float(self.edges[-1])

    def values(self, jets: Iterable[Jet], points: np.ndarray) -> dict[Jet, np.ndarray]:
        """D^a of fields at points (n, d + 1), time last, of any order in space and time."""
        jets = list(jets)
        result = {jet: np.empty(len(points)) for jet in jets}
        if not jets:
            return result
        tops = [max(jet.index[k] for jet in jets) for k in range(len(self.basis.axes))]
        tables = self.basis.scattered(points[:, :-1], tops)
        owner = np.clip(np.searchsorted(self.edges, points[:, -1], side="right") - 1, 0, len(self.starts) - 1)
        order = np.argsort(owner, kind="stable")
        cuts = np.flatnonzero(np.diff(owner[order])) + 1
        for places in np.split(order, cuts) if len(points) else []:
            self._fill(result, jets, int(owner[places[0]]), points[places, -1], places, tables)
        return result

    def _fill(
        self,
        result: dict[Jet, np.ndarray],
        jets: Sequence[Jet],
        step: int,
        times: np.ndarray,
        places: np.ndarray,
        tables: Sequence[Sequence[np.ndarray]],
    ) -> None:
        """All jets at the places that lie in one step; one sum over functions serves all derivatives in time."""
        h = self.edges[step + 1] - self.edges[step]
        tau = (times - self.edges[step]) / h
        sums: dict[tuple[str, tuple[int, ...]], np.ndarray] = {}
        for jet in jets:
            key = (jet.field, jet.index[:-1])
            if key not in sums:
                i = self.fields.index(jet.field)
                rows = np.concatenate([self.starts[step, None, i], h * self.slopes[step, :, i]])
                here = [table[n][places] for table, n in zip(tables, jet.index[:-1], strict=True)]
                sums[key] = combine(here, rows)
            result[jet][places] = np.sum(
                sums[key] * polynomials(self.slopes.shape[1], tau, h, jet.index[-1]), axis=1
            )

    def record(self) -> dict[str, object]:
        """The piece as plain arrays and numbers for a file."""
        return {
            "fields": list(self.fields),
            "edges": self.edges,
            "starts": self.starts,
            "slopes": self.slopes,
            "axes": [axis.record() for axis in self.basis.axes],
        }

    @staticmethod
    def from_record(
        fields: Sequence[str],
        edges: np.ndarray,
        starts: np.ndarray,
        slopes: np.ndarray,
        axes: Sequence[Mapping[str, np.ndarray]],
    ) -> Steps:
        """Build again what `record` wrote; it evaluates, but cannot be marched on. ValueError where it could not be evaluated."""
        if not (axes and fields and len(set(fields)) == len(fields)) or any(
            a.keys() != RECORDED for a in axes
        ):
            raise ValueError("axes or fields are missing, or there twice")
        basis = ProductBasis(tuple(AxisBasis.from_record(**axis) for axis in axes), (0,) * len(axes))
        steps, stages = edges.size - 1, slopes.shape[1] if slopes.ndim == 4 else 0
        check_array("edges", edges, (steps + 1,))
        check_array("starts", starts, (steps, len(fields), basis.size))
        check_array("slopes", slopes, (steps, stages, len(fields), basis.size))
        if steps < 1 or stages < 1 or not np.all(np.diff(edges) > 0):
            raise ValueError("`edges` are not increasing times, or there are no steps between them")
        return Steps(basis, tuple(fields), edges, starts, slopes)

    def residual(self, row: Row, points: np.ndarray) -> np.ndarray:
        """F(x, t, {D^a u}) of one row at points."""
        return row.residual(points, self.values(row.jets, points))


def polynomials(stages: int, tau: np.ndarray, h: float, order: int) -> np.ndarray:
    """∂ₜ^order of 1 and of ∫₀^τ P_k at places of a step: (places, 1 + K)."""
    if order == 0:
        return np.column_stack([np.ones_like(tau), integrals(stages, tau)])
    columns = [np.zeros_like(tau)]
    for k in range(stages):
        derivative = legendre.legder(np.eye(stages)[k], order - 1)
        columns.append(legendre.legval(2 * tau - 1, derivative) * 2.0 ** (order - 1) / h**order)
    return np.column_stack(columns)


@lru_cache(maxsize=64)
def _integral_coefficients(stages: int) -> np.ndarray:
    return np.column_stack([legendre.legint(np.eye(stages)[k], lbnd=-1) for k in range(stages)]) / 2


def integrals(stages: int, at: np.ndarray) -> np.ndarray:
    """∫₀^τ P_k(2s − 1) ds for k < K at places τ: (places, K)."""
    return legendre.legvander(2 * at - 1, stages) @ _integral_coefficients(stages)
