# SPDX-License-Identifier: MIT
"""u(x, t) = Σ_m a_m(t) ψ_m(x) with exponentials of time: what linear equations do that stay the same in time.

a(t₀ + τ) = Σ_j p_j (τ/T)ʲ + Re Σ_k v_k e^{λ_k τ},   0 ≤ τ ≤ T:   one piece for the whole time span, at a cost that does not depend on T.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import perm

import numpy as np

from lrfm.problem import Jet, Row
from lrfm.rows.steps import RECORDED
from lrfm.spaces.axes.axis import AxisBasis
from lrfm.spaces.axes.product import ProductBasis, combine
from lrfm.spaces.stored import check_array

LARGEST = 2_000_000  # exponentials held at once
STEEPEST = 600.0  # growth Re λ T above which e^{λT} is no number


@dataclass(frozen=True)
class Exponentials:
    """Amplitudes p_j (J, fields, R), rates λ_k, one of each conjugate pair, and vectors v_k (modes, fields, R), doubled for pairs."""

    basis: ProductBasis
    fields: tuple[str, ...]
    window: tuple[float, float]
    powers: np.ndarray
    rates: np.ndarray
    vectors: np.ndarray

    @property
    def steps(self) -> int:
        """As how many steps it counts."""
        return 1

    def values(self, jets: Iterable[Jet], points: np.ndarray) -> dict[Jet, np.ndarray]:
        """D^a of fields at points (n, d + 1), time last, of any order in space and time."""
        jets = list(jets)
        most = max(1, LARGEST // max(1, len(self.rates)))
        if len(points) > most:
            parts = [self.values(jets, points[i : i + most]) for i in range(0, len(points), most)]
            return {jet: np.concatenate([part[jet] for part in parts]) for jet in jets}
        tops = [max((jet.index[k] for jet in jets), default=0) for k in range(len(self.basis.axes))]
        tables = self.basis.scattered(points[:, :-1], tops)
        tau = points[:, -1] - self.window[0]
        waves = np.exp(tau[:, None] * self.rates)
        sums: dict[tuple[str, tuple[int, ...]], np.ndarray] = {}
        result = {}
        for jet in jets:
            key = (jet.field, jet.index[:-1])
            if key not in sums:
                i = self.fields.index(jet.field)
                rows = np.concatenate([self.powers[:, i], self.vectors[:, i].real, self.vectors[:, i].imag])
                here = [table[n] for table, n in zip(tables, jet.index[:-1], strict=True)]
                sums[key] = combine(here, rows)
            result[jet] = self._in_time(sums[key], tau, waves, jet.index[-1])
        return result

    def _in_time(self, sums: np.ndarray, tau: np.ndarray, waves: np.ndarray, order: int) -> np.ndarray:
        """∂ₜ^order of the sum over powers and exponentials, from the sums over functions (places, J + 2 modes)."""
        whole, low, modes = self.window[1] - self.window[0], len(self.powers), len(self.rates)
        turned = waves * self.rates**order
        found = np.einsum("nk,nk->n", sums[:, low : low + modes], turned.real)
        found -= np.einsum("nk,nk->n", sums[:, low + modes :], turned.imag)
        for j in range(order, low):
            found += sums[:, j] * perm(j, order) * (tau / whole) ** (j - order) / whole**order
        return found

    def record(self) -> dict[str, object]:
        """The piece as plain arrays and numbers for a file."""
        return {
            "fields": list(self.fields),
            "window": self.window,
            "powers": self.powers,
            "rates": self.rates,
            "vectors": self.vectors,
            "axes": [axis.record() for axis in self.basis.axes],
        }

    @staticmethod
    def from_record(
        fields: Sequence[str],
        window: tuple[float, float],
        powers: np.ndarray,
        rates: np.ndarray,
        vectors: np.ndarray,
        axes: Sequence[Mapping[str, np.ndarray]],
    ) -> Exponentials:
        """Build again what `record` wrote. ValueError where it could not be evaluated."""
        if not (axes and fields and len(set(fields)) == len(fields)) or any(
            a.keys() != RECORDED for a in axes
        ):
            raise ValueError("axes or fields are missing, or there twice")
        t0, t1 = window
        if not -np.inf < t0 < t1 < np.inf:
            raise ValueError(f"`window` is {window}")
        basis = ProductBasis(tuple(AxisBasis.from_record(**axis) for axis in axes), (0,) * len(axes))
        shape = (len(fields), basis.size)
        check_array("powers", powers, (len(powers), *shape))
        check_array("rates", rates, (rates.size,), complex_too=True)
        check_array("vectors", vectors, (rates.size, *shape), complex_too=True)
        if np.any(np.real(rates) * (t1 - t0) > STEEPEST):
            raise ValueError("`rates` grow beyond all numbers within `window`")
        return Exponentials(basis, tuple(fields), (t0, t1), powers, rates, vectors)

    def residual(self, row: Row, points: np.ndarray) -> np.ndarray:
        """F(x, t, {D^a u}) of one row at points."""
        return row.residual(points, self.values(row.jets, points))
