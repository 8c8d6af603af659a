# SPDX-License-Identifier: MIT
"""u(x, t) = Σ_m a_m(t) ψ_m(x) with exponentials of time: what linear equations do that stay the same in time.

a(t₀ + τ) = Σ_j p_j (τ/T)ʲ + Re Σ_k v_k e^{λ_k τ},   0 ≤ τ ≤ T:   one piece for the whole time span, at a cost that does not depend on T.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import perm

import numpy as np
from numpy.polynomial import legendre

from lrfm.problem import Jet, Row
from lrfm.rows.shared_steps import instant_values, integrals, one_instant
from lrfm.rows.steps import RECORDED, Steps
from lrfm.spaces.axes.axis import AxisBasis
from lrfm.spaces.axes.product import Index, ProductBasis
from lrfm.spaces.stored import check_array

LARGEST = 2_000_000  # exponentials held at once
FADED = -600.0  # exponent of what is zero
MANY = 20_000  # points from which polynomials pay that take the place of exponentials,
FINEST, FINE = 1e-14, 5  # this close to them, relative to the largest coefficient, of this degree,
MOST = 2000  # and so many of them
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
        if len(points) > MANY and not any(jet.index[-1] for jet in jets) and self._polynomials:
            # A sum over exponentials costs as many products per point as there are modes; one over a polynomial six.
            return self._polynomials.values(jets, points)
        if one_instant(points):
            at = points[:1, -1]
            state = lambda field, order: self._weights(at, order).T @ self._rows(field)  # noqa: E731
            return instant_values(self.basis, jets, points[:, :-1], state)
        most = max(1, LARGEST // max(1, len(self.rates)))
        if len(points) > most:
            parts = [self.values(jets, points[i : i + most]) for i in range(0, len(points), most)]
            return {jet: np.concatenate([part[jet] for part in parts]) for jet in jets}
        wanted: dict[str, list[Index]] = {}
        for jet in jets:
            wanted.setdefault(jet.field, []).append(jet.index[:-1])
        sums = {
            field: self.basis.sums(points[:, :-1], indices, self._rows(field))
            for field, indices in wanted.items()
        }
        return {
            jet: np.einsum(
                "kn,kn->n", sums[jet.field][jet.index[:-1]], self._weights(points[:, -1], jet.index[-1])
            )
            for jet in jets
        }

    def on_grid(
        self, jets: Iterable[Jet], places: Sequence[np.ndarray], times: np.ndarray
    ) -> dict[Jet, np.ndarray]:
        """D^a of fields on the grid of places along each axis and times: each (times, n₁, …, n_d), by products per axis."""
        return {
            jet: self.basis.on_grid(
                self._weights(times, jet.index[-1]).T @ self._rows(jet.field), places, jet.index[:-1]
            )
            for jet in jets
        }

    def at_place(self, jet: Jet, place: Sequence[float], time: float) -> float:
        """D^a of a field at one point, given as plain numbers."""
        rows = self._kept.get(jet.field)
        if rows is None:
            rows = self._kept[jet.field] = self._rows(jet.field)
        state = self._weights(np.array([time]), jet.index[-1])[:, 0] @ rows
        return self.basis.one(state, place, jet.index[:-1])

    @cached_property
    def _kept(self) -> dict[str, np.ndarray]:
        """Rows of fields that were asked for one by one."""
        return {}

    @cached_property
    def _polynomials(self) -> Steps | None:
        """The same as steps to the last digits, for very many points; None where oscillations would take too many of them."""
        return self._stepped(FINEST, FINE, MOST)

    def _rows(self, field: str) -> np.ndarray:
        """p_j, Re v_k, and Im v_k of what turns, of one field, (rows, R); KeyError for a field that is not here."""
        if field not in self.fields:
            raise KeyError(field)
        i = self.fields.index(field)
        v = self.vectors[:, i]
        return np.concatenate([self.powers[:, i], np.real(v), np.imag(v[self._turning])])

    @cached_property
    def _turning(self) -> np.ndarray:
        """Which exponentials oscillate."""
        return np.flatnonzero(np.imag(self.rates))

    def _weights(self, times: np.ndarray, order: int) -> np.ndarray:
        """∂ₜ^order of (τ/T)ʲ, Re e^{λτ}, and −Im e^{λτ} of what turns, at times: (rows, times)."""
        tau, whole = times - self.window[0], self.window[1] - self.window[0]
        turning = self._turning
        # Real exponentials are cheap, and what has faded is zero: numbers close to the smallest ones are not.
        real = np.multiply.outer(np.real(self.rates), tau)
        real = np.where(real > FADED, np.exp(np.maximum(real, FADED)), 0.0)
        angle = np.multiply.outer(np.imag(self.rates[turning]), tau)
        imaginary = real[turning] * np.sin(angle)
        real[turning] *= np.cos(angle)
        if order:
            factor = self.rates[:, None] ** order
            turned = factor[turning] * (real[turning] + 1j * imaginary)
            real *= np.real(factor)
            real[turning], imaginary = np.real(turned), np.imag(turned)
        count = len(self.powers)
        powers = [perm(j, order) * (tau / whole) ** max(j - order, 0) / whole**order for j in range(count)]
        return np.concatenate([np.reshape(powers, (count, len(tau))), real, -imaginary])

    def stepped(self, tol: float, stages: int = 6) -> Steps:
        """The same as steps: polynomials of degree `stages` on intervals halved until they are that close, relative to the largest."""
        found = self._stepped(tol, stages, 10**9)
        assert found is not None
        return found

    def _stepped(self, tol: float, stages: int, most: int) -> Steps | None:
        """These steps; None where more than so many would be needed."""
        nodes, points = legendre.leggauss(stages)[0], (1 + legendre.leggauss(stages)[0]) / 2
        to_legendre = np.linalg.inv(legendre.legvander(nodes, stages - 1))
        looked = np.array([0.3, 1.0])  # in the middle the error of an even degree is zero by symmetry
        there_too = integrals(stages, looked)
        size = float(np.abs(self._coefficients(np.linspace(*self.window, 33), 0)).max()) or 1.0
        left, edges, starts, slopes = [self.window], [self.window[0]], [], []
        while left:
            if len(starts) + len(left) > most:
                return None
            a, b = left.pop()
            there = self._coefficients(np.array([a, *(a + (b - a) * looked)]), 0)
            made = np.tensordot(to_legendre, self._coefficients(a + (b - a) * points, 1), axes=1)
            gap = there[0] + (b - a) * np.tensordot(there_too, made, axes=1) - there[1:]
            if np.abs(gap).max() > tol * size and b - a > 1e-9 * (self.window[1] - self.window[0]):
                left += [((a + b) / 2, b), (a, (a + b) / 2)]
                continue
            edges.append(b)
            starts.append(there[0])
            slopes.append(made)
        return Steps(self.basis, self.fields, np.array(edges), np.stack(starts), np.stack(slopes))

    def _coefficients(self, times: np.ndarray, order: int) -> np.ndarray:
        """∂ₜ^order of a_m at times: (times, fields, R)."""
        weights = self._weights(times, order).T
        return np.stack([weights @ self._rows(field) for field in self.fields], axis=1)

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
        basis = ProductBasis(tuple(AxisBasis.from_record(**axis) for axis in axes), (0,) * len(axes))
        return Exponentials.of(basis, fields, window, powers, rates, vectors)

    @staticmethod
    def of(
        basis: ProductBasis,
        fields: Sequence[str],
        window: tuple[float, float],
        powers: np.ndarray,
        rates: np.ndarray,
        vectors: np.ndarray,
    ) -> Exponentials:
        """The piece on a basis; ValueError where its arrays do not belong together."""
        t0, t1 = window
        if not -np.inf < t0 < t1 < np.inf:
            raise ValueError(f"`window` is {window}")
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
