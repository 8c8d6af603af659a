# SPDX-License-Identifier: MIT
"""u(x, t) = Σ_m a_m(t) ψ_m(x) over steps that share a basis; a_m is a polynomial of degree K on each step.

a(t₀ + τh) = a₀ + h Σ_k c_k ∫₀^τ P_k(2s − 1) ds,   c_k the Legendre coefficients of a'.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.polynomial import chebyshev as cheb
from numpy.polynomial import legendre

from lrfm.problem import Jet, Row
from lrfm.problem.jets import SIDE
from lrfm.spaces.axes.series import chebyshev
from lrfm.spaces.bases import Basis
from lrfm.spaces.orders import MultiIndex, OneSided
from lrfm.spaces.stored import check_array


@dataclass(frozen=True)
class SharedSteps:
    """Some steps in a row on one basis, whatever it is made of.

    `starts` are (steps, fields, R) and `slopes` (steps, K, fields, R), Legendre coefficients of a'.
    """

    basis: Basis
    fields: tuple[str, ...]
    edges: np.ndarray
    starts: np.ndarray
    slopes: np.ndarray

    @classmethod
    def of(
        cls, basis: Any, fields: Sequence[str], edges: np.ndarray, starts: np.ndarray, slopes: np.ndarray
    ) -> Self:
        """The piece on a basis; ValueError where its arrays do not belong together."""
        if not fields or len(set(fields)) != len(fields):
            raise ValueError("fields are missing, or there twice")
        steps, stages = edges.size - 1, slopes.shape[1] if slopes.ndim == 4 else 0
        check_array("edges", edges, (steps + 1,))
        check_array("starts", starts, (steps, len(fields), basis.size))
        check_array("slopes", slopes, (steps, stages, len(fields), basis.size))
        if steps < 1 or stages < 1 or not np.all(np.diff(edges) > 0):
            raise ValueError("`edges` are not increasing times, or there are no steps between them")
        return cls(basis, tuple(fields), edges, starts, slopes)

    @property
    def window(self) -> tuple[float, float]:
        return float(self.edges[0]), float(self.edges[-1])

    @property
    def steps(self) -> int:
        """How many there are."""
        return len(self.starts)

    def values(self, jets: Iterable[Jet], points: np.ndarray) -> dict[Jet, np.ndarray]:
        """D^a of fields at points (n, d + 1), time last, of any order in space and time."""
        return self.summed(list(jets), points)

    def summed(self, jets: Sequence[Jet], points: np.ndarray) -> dict[Jet, np.ndarray]:
        """The same, step by step."""
        if one_instant(points):
            at = points[:1, -1]
            step = next(iter(self.by_step(at)))[0]
            state = lambda field, order: self.weights(step, at, order).T @ self.rows_of(step, field)  # noqa: E731
            return instant_values(self.basis, jets, points[:, :-1], state)
        result = {jet: np.empty(len(points)) for jet in jets}
        wanted: dict[tuple[MultiIndex, ...], dict[str, None]] = {}
        for field in dict.fromkeys(jet.field for jet in jets):
            own = {in_space(jet) for jet in jets if jet.field == field}
            wanted.setdefault(tuple(sorted(own)), {})[field] = None
        for step, places in self.by_step(points[:, -1]):
            here = points[places]
            for indices, fields in wanted.items():
                # One sum over functions serves all derivatives in time, and fields that need the same ones.
                rows = np.concatenate([self.rows_of(step, field) for field in fields])
                sums = self.basis.sums(here[:, :-1], indices, rows)
                for number, field in enumerate(fields):
                    part = slice(number * len(rows) // len(fields), (number + 1) * len(rows) // len(fields))
                    for jet in (jet for jet in jets if jet.field == field):
                        weights = self.weights(step, here[:, -1], jet.index[-1])
                        result[jet][places] = np.einsum("kn,kn->n", sums[in_space(jet)][part], weights)
        return result

    def number(self, field: str) -> int:
        """Which of the fields it is, seen from any side; KeyError for one that is not here."""
        whole = field.partition(SIDE)[0]
        if whole not in self.fields:
            raise KeyError(field)
        return self.fields.index(whole)

    def coefficients(self, step: int, times: np.ndarray, order: int) -> np.ndarray:
        """∂ₜ^order of a_m at times of one step: (times, fields, R)."""
        h = self.edges[step + 1] - self.edges[step]
        rows = np.concatenate([self.starts[step, None], h * self.slopes[step]])
        return np.tensordot(self.weights(step, times, order), rows, axes=(0, 0))

    def refined(self, longest: float) -> Self:
        """The same functions on steps that are no longer than so."""
        lengths = np.diff(self.edges)
        parts = np.maximum(1, np.ceil(lengths / longest - 1e-9)).astype(int)
        if np.all(parts == 1):
            return self
        stages = self.slopes.shape[1]
        nodes = legendre.leggauss(stages)[0]
        to_legendre = np.linalg.inv(legendre.legvander(nodes, stages - 1))
        edges, starts, slopes = [self.edges[:1]], [], []
        for step, count in enumerate(parts):
            cuts = np.linspace(self.edges[step], self.edges[step + 1], count + 1)
            edges.append(cuts[1:])
            starts.append(self.coefficients(step, cuts[:-1], 0))
            for a, b in pairwise(cuts):
                rates = self.coefficients(step, (a + b) / 2 + (b - a) / 2 * nodes, 1)
                slopes.append(np.tensordot(to_legendre, rates, axes=1))
        return replace(
            self, edges=np.concatenate(edges), starts=np.concatenate(starts), slopes=np.stack(slopes)
        )

    def by_step(self, times: np.ndarray) -> Iterator[tuple[int, np.ndarray | slice]]:
        """Each step that is asked for, with the numbers of the times that lie in it."""
        owner = np.searchsorted(self.edges[1:-1], times, side="right")
        if len(times) and (len(times) == 1 or owner.min() == owner.max()):
            yield int(owner[0]), slice(None)
            return
        order = np.argsort(owner, kind="stable")
        for numbers in np.split(order, np.flatnonzero(np.diff(owner[order])) + 1) if len(times) else ():
            yield int(owner[numbers[0]]), numbers

    def rows_of(self, step: int, field: str) -> np.ndarray:
        """a₀ and h c_k of one field, (1 + K, R); KeyError for a field that is not here."""
        i, h = self.number(field), self.edges[step + 1] - self.edges[step]
        return np.concatenate([self.starts[step, None, i], h * self.slopes[step, :, i]])

    def weights(self, step: int, times: np.ndarray, order: int) -> np.ndarray:
        """∂ₜ^order of 1 and of ∫₀^τ P_k at times of a step: (1 + K, times)."""
        h = self.edges[step + 1] - self.edges[step]
        table = polynomials(self.slopes.shape[1], order)
        z = 2 * (times - self.edges[step]) / h - 1
        values = table @ chebyshev(z, len(table))
        return values / h**order if order else values

    def plain(self) -> dict[str, object]:
        """What a file keeps of all but the basis."""
        return {
            "fields": list(self.fields),
            "edges": self.edges,
            "starts": self.starts,
            "slopes": self.slopes,
        }

    def residual(self, row: Row, points: np.ndarray) -> np.ndarray:
        """F(x, t, {D^a u}) of one row at points."""
        return row.residual(points, self.values(row.jets, points))


def in_space(jet: Jet) -> MultiIndex:
    """The derivative of a jet in space, as it is seen from a side where it has one."""
    return OneSided(jet.side, jet.index[:-1]) if jet.side else jet.index[:-1]


def one_instant(points: np.ndarray) -> bool:
    """Whether several points (n, d + 1) share their time."""
    return len(points) > 1 and bool(np.all(points[:, -1] == points[0, -1]))


def instant_values(
    basis: Basis,
    jets: Sequence[Jet],
    places: np.ndarray,
    state: Callable[[str, int], np.ndarray],
) -> dict[Jet, np.ndarray]:
    """D^a of fields at places (n, d) at one time; `state(field, order)` are the coefficients of ∂ₜ^order of a field then, (1, R)."""
    numbers = {key: n for n, key in enumerate(dict.fromkeys((jet.field, jet.index[-1]) for jet in jets))}
    if not numbers:
        return {}
    sums = basis.sums(
        places, [in_space(jet) for jet in jets], np.concatenate([state(*key) for key in numbers])
    )
    return {jet: sums[in_space(jet)][numbers[jet.field, jet.index[-1]]] for jet in jets}


@lru_cache(maxsize=64)
def polynomials(stages: int, order: int) -> np.ndarray:
    """Chebyshev coefficients in 2τ − 1 of d^order/dτ^order of 1 and of ∫₀^τ P_k(2s − 1) ds: (1 + K, 1 + K)."""
    table = np.zeros((stages + 1, stages + 1))
    for row, polynomial in zip(table, [[1.0], *_integral_coefficients(stages).T], strict=True):
        derived = legendre.legder(polynomial, order) * 2.0**order
        row[: len(derived)] = _chebyshev_coefficients(derived)
    return table


def _chebyshev_coefficients(polynomial: np.ndarray) -> np.ndarray:
    """Of a polynomial given by its Legendre coefficients, from its values at Chebyshev's points."""
    at = cheb.chebpts1(len(polynomial))
    return np.linalg.solve(cheb.chebvander(at, len(polynomial) - 1), legendre.legval(at, polynomial))


@lru_cache(maxsize=64)
def _integral_coefficients(stages: int) -> np.ndarray:
    return np.column_stack([legendre.legint(np.eye(stages)[k], lbnd=-1) for k in range(stages)]) / 2


def integrals(stages: int, at: np.ndarray) -> np.ndarray:
    """∫₀^τ P_k(2s − 1) ds for k < K at places τ: (places, K)."""
    return legendre.legvander(2 * at - 1, stages) @ _integral_coefficients(stages)
