# SPDX-License-Identifier: MIT
"""u(x, t₀) = Σ_k a_k T_k(ξ), |k| ≤ p, and ∂ₜu where it is given: all that is known before a first step. The rest is not a number.

ξ are coordinates of the box around the domain, or around each of its layers, which then has polynomials of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import comb
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev as cheb

from lrfm.problem import Jet
from lrfm.problem.shapes.protocol import Layered, is_layered
from lrfm.rows.pieces import Evaluated
from lrfm.spaces.stored import check_array


def terms(points: np.ndarray, box: np.ndarray, degree: int, index: Sequence[int]) -> np.ndarray:
    """Dᵃ of Π_i T_{k_i}(ξ_i), |k| ≤ p, at points (n, d) of a box (2, d): (n, terms)."""
    numbers = [k for k in product(range(degree + 1), repeat=box.shape[1]) if sum(k) <= degree]
    result = np.ones((len(points), len(numbers)))
    for axis, (low, high) in enumerate(box.T):
        xi, order = (2 * points[:, axis] - low - high) / (high - low), index[axis]
        derived = cheb.chebder(np.eye(degree + 1), order) * (2 / (high - low)) ** order
        result *= (cheb.chebvander(xi, len(derived) - 1) @ derived)[:, [k[axis] for k in numbers]]
    return result


@dataclass(frozen=True)
class Beginning(Evaluated):
    """Initial data at one time, which is where the piece begins and ends.

    `known` are the data, (field, order in time), and `coefficients` (layers, known, terms) theirs, on `boxes` (layers, 2, d). What is not given
    is NaN: derivatives in time, unknowns that follow from others by equations.
    """

    fields: tuple[str, ...]
    time: float
    known: tuple[tuple[str, int], ...]
    degree: int
    boxes: np.ndarray
    coefficients: np.ndarray
    layers: Layered | None = None

    @property
    def window(self) -> tuple[float, float]:
        return self.time, self.time

    def values(self, jets: Iterable[Jet], points: np.ndarray) -> dict[Jet, np.ndarray]:
        """D^a of fields at points (n, d + 1), time last, as they are at the start."""
        result = {jet: np.full(len(points), np.nan) for jet in jets}
        for jet, values in result.items():
            if jet.whole not in self.fields:
                raise KeyError(jet.field)
            if (jet.whole, jet.index[-1]) not in self.known:
                continue
            number, owner = self.known.index((jet.whole, jet.index[-1])), self._owner(jet, points[:, :-1])
            for layer, box in enumerate(self.boxes):
                here = owner == layer
                table = terms(points[here, :-1], box, self.degree, jet.index[:-1])
                values[here] = table @ self.coefficients[layer, number]
        return result

    def _owner(self, jet: Jet, places: np.ndarray) -> np.ndarray:
        """The layer that a value is one of: that of its side where it has one."""
        if self.layers is None:
            return np.zeros(len(places), int)
        if jet.side:
            return np.full(len(places), list(self.layers.layers).index(jet.side))
        return self.layers.owner(places)

    def record(self) -> dict[str, object]:
        """The piece as plain arrays and numbers for a file."""
        return {
            "fields": list(self.fields),
            "time": self.time,
            "names": [field for field, _ in self.known],
            "orders": np.array([order for _, order in self.known], dtype=float),
            "degree": self.degree,
            "boxes": self.boxes,
            "coefficients": self.coefficients,
            **({} if self.layers is None else {"layers": dict(self.layers.record)}),
        }

    @staticmethod
    def from_record(
        fields: Sequence[str],
        time: float,
        names: Sequence[str],
        orders: np.ndarray,
        degree: int,
        boxes: np.ndarray,
        coefficients: np.ndarray,
        layers: Mapping[str, Any] | None = None,
    ) -> Beginning:
        """Build again what `record` wrote. ValueError where it could not be evaluated."""
        count, axes = (len(boxes), boxes.shape[2]) if boxes.ndim == 3 else (0, 0)
        check_array("boxes", boxes, (count, 2, axes))
        check_array("orders", orders, (len(names),))
        if not count or not axes or degree < 0 or not np.all(boxes[:, 0] < boxes[:, 1]):
            raise ValueError("there are no polynomials, or their boxes have no room")
        check_array("coefficients", coefficients, (count, len(names), comb(degree + axes, axes)))
        if not fields or not set(names) <= set(fields) or not np.isfinite(time) or not np.all(orders >= 0):
            raise ValueError("initial data belong to no field, or to no time")
        known = tuple((str(name), int(order)) for name, order in zip(names, orders, strict=True))
        domain = None if layers is None else _layered(layers, count, axes)
        if domain is None and count > 1:
            raise ValueError("there are several boxes, but no layers")
        return Beginning(tuple(fields), float(time), known, degree, boxes, coefficients, domain)


def _layered(record: Mapping[str, Any], count: int, axes: int) -> Layered:
    """The domain that says in which layer a point is."""
    from lrfm.problem.shapes.records import from_record  # all shapes, which a box has no use for

    domain = from_record(record)
    if not is_layered(domain) or domain.dimension != axes or len(domain.layers) != count:
        raise ValueError("the layers of polynomials are not those of a domain")
    return domain
