# SPDX-License-Identifier: MIT
"""u(x, t₀) = Σ_m a_m ψ_m(x), and ∂ₜu where it is given: all that is known before a first step. The rest is not a number."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lrfm.problem import Jet, Row
from lrfm.rows.shared_steps import in_space
from lrfm.spaces.regions.basis import RegionBasis
from lrfm.spaces.regions.stored import basis_from, basis_record
from lrfm.spaces.stored import check_array


@dataclass(frozen=True)
class Beginning:
    """Initial data as functions of space at one time, which is where the piece begins and ends.

    `known` are the data, (field, order in time), and `coefficients` (known, R) theirs. What is not given is NaN: derivatives in time, unknowns that
    follow from others by equations.
    """

    basis: RegionBasis
    fields: tuple[str, ...]
    time: float
    known: tuple[tuple[str, int], ...]
    coefficients: np.ndarray

    @property
    def window(self) -> tuple[float, float]:
        return self.time, self.time

    def values(self, jets: Iterable[Jet], points: np.ndarray) -> dict[Jet, np.ndarray]:
        """D^a of fields at points (n, d + 1), time last, as they are at the start."""
        jets = list(jets)
        for jet in jets:
            if jet.whole not in self.fields:
                raise KeyError(jet.field)
        given = [jet for jet in jets if (jet.whole, jet.index[-1]) in self.known]
        result = {jet: np.full(len(points), np.nan) for jet in jets}
        if given:
            sums = self.basis.sums(points[:, :-1], [in_space(jet) for jet in given], self.coefficients)
            for jet in given:
                result[jet] = sums[in_space(jet)][self.known.index((jet.whole, jet.index[-1]))]
        return result

    def residual(self, row: Row, points: np.ndarray) -> np.ndarray:
        """Of one row at points; not a number where it has a derivative in time that is not given."""
        return row.residual(points, self.values(row.jets, points))

    def record(self) -> dict[str, object]:
        """The piece as plain arrays and numbers for a file."""
        names = [field for field, _ in self.known]
        orders = np.array([order for _, order in self.known], dtype=float)
        plain = {"fields": list(self.fields), "time": self.time, "names": names, "orders": orders}
        return {**plain, "coefficients": self.coefficients, **basis_record(self.basis)}

    @staticmethod
    def from_record(
        fields: Sequence[str],
        time: float,
        names: Sequence[str],
        orders: np.ndarray,
        coefficients: np.ndarray,
        families: Sequence[dict[str, np.ndarray]],
        mixing: np.ndarray,
        layers: Mapping[str, Any] | None = None,
    ) -> Beginning:
        """Build again what `record` wrote. ValueError where it could not be evaluated."""
        basis = basis_from(families, mixing, layers)
        check_array("orders", orders, (len(names),))
        check_array("coefficients", coefficients, (len(names), basis.size))
        if not fields or not set(names) <= set(fields) or not np.isfinite(time) or not np.all(orders >= 0):
            raise ValueError("initial data belong to no field, or to no time")
        known = tuple((str(name), int(order)) for name, order in zip(names, orders, strict=True))
        return Beginning(basis, tuple(fields), float(time), known, coefficients)
