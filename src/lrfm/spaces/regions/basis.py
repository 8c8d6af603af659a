# SPDX-License-Identifier: MIT
"""An orthonormal basis of functions of several variables on a domain of any shape, made from families of random functions.

Conditions on the boundary split the space of features first: B = Y Σ [V₁ V₂]ᵀ, where V₂ has no trace above rounding. Then

√q Φ V₂ = U S Wᵀ,   singular values below `cut` · s₀ dropped;   ψ = Φ V₂ W S⁻¹ has no trace, and Φ V₁, normalized, stands beside it.

In this order: the same split among orthonormal functions would be lost in their rounding.
q are the weights of the domain's quadrature: a projection in the true L² inherits the energy estimate of the equation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from lrfm.linalg.clock import SVD, look, look_before
from lrfm.linalg.room import reserve
from lrfm.spaces.bases import Basis, BasisGrid
from lrfm.spaces.orders import MultiIndex
from lrfm.spaces.regions.families import Family
from lrfm.spaces.regions.layered import LayeredFamilies

TRACE = 1e-12  # of singular values of the trace; larger ones let growth in
NEW = 1e-8  # part of a function that others do not hold from which it is a function of its own
CLEAR = 1e-6  # size of functions, before they are normalized, that have digits enough to be fitted with
LARGEST = 4_000_000  # numbers in one table of features: points come in portions


@dataclass(frozen=True)
class Scattered(BasisGrid):
    """Points (n, d) without order."""

    points: np.ndarray

    @property
    def size(self) -> int:
        return len(self.points)

    def profiles(self, values: np.ndarray) -> tuple[np.ndarray, ...]:
        """None: there are no axes."""
        return ()


@dataclass(frozen=True)
class ScatteredGrid(Scattered):
    """Such points with derivatives of all functions on them: tables[index] is (n, R)."""

    tables: Mapping[MultiIndex, np.ndarray]

    def evaluate(self, coefficients: np.ndarray, index: MultiIndex) -> np.ndarray:
        """D^a of Σ c ψ for each row of coefficients (…, R): values (…, points)."""
        return coefficients @ self.tables[index].T


@dataclass(frozen=True)
class FeatureGrid(Scattered):
    """The same with the features themselves: Σ_m c_m ψ_m = Σ_j (W c)_j φ_j, for points at which few functions are looked at."""

    families: tuple[Family, ...]
    mixing: np.ndarray
    _tables: dict[MultiIndex, np.ndarray] = field(default_factory=dict, repr=False)

    def evaluate(self, coefficients: np.ndarray, index: MultiIndex) -> np.ndarray:
        """D^a of Σ c ψ for each row of coefficients (…, R): values (…, points)."""
        if index not in self._tables:
            self._tables[index] = features_at(self.families, self.points, (index,))[index]
        return (coefficients @ self.mixing.T) @ self._tables[index].T


@dataclass(frozen=True)
class Split:
    """The functions of a basis, split by one kind of conditions.

    `tests` (free, points) belong to the equation, `rows` (taken, rows of the trace) to the conditions: they give the identity on the
    functions with coefficients `taken` (R, taken), and `dual` (R, taken) finds these coefficients in others. `free` (R, free) are those without a trace. Along `held` (R, held), which is as
    small as rounding everywhere, nothing moves.
    """

    tests: np.ndarray
    free: np.ndarray
    taken: np.ndarray
    held: np.ndarray
    rows: np.ndarray
    dual: np.ndarray


@dataclass(frozen=True, eq=False)
class RegionBasis(Basis):
    """ψ_m = Σ_j W_jm φ_j on a domain, with its quadrature, another one for checks, and the derivatives that are needed."""

    families: tuple[Family, ...]
    mixing: np.ndarray  # W, (features, R)
    indices: tuple[MultiIndex, ...]
    points: np.ndarray
    projection: np.ndarray  # P: the coefficients of what is known at the points
    checks: tuple[np.ndarray, np.ndarray]  # points and weights of the other quadrature
    splits: tuple[Split, ...] = ()  # one for each kind of conditions
    weights: np.ndarray | None = None  # of the points, for products of derivatives
    recipe: Mapping[str, Any] | None = None  # what it was drawn from, for who keeps a march

    @property
    def size(self) -> int:
        return self.mixing.shape[1]

    @property
    def shape(self) -> tuple[int, ...]:
        return (self.size,)

    @property
    def features(self) -> int:
        return len(self.mixing)

    def full(self, most: int) -> bool:
        """Whether there are as many features as there may be."""
        return self.features >= most

    @property
    def separable(self) -> bool:
        """Whether sums over functions can be done axis by axis."""
        return False

    def at(self, points: np.ndarray, indices: Iterable[MultiIndex]) -> ScatteredGrid:
        """The functions and their derivatives at points."""
        indices = tuple(indices)
        reserve(float(len(indices)) * len(points) * self.size)
        tables = {a: np.empty((len(points), self.size)) for a in indices}
        for part in self._portions(points):
            look()
            for a, values in sums_at(self.families, points[part], indices, self.mixing).items():
                tables[a][part] = values
        return ScatteredGrid(points, tables)

    def sums(
        self, points: np.ndarray, indices: Iterable[MultiIndex], rows: np.ndarray
    ) -> dict[MultiIndex, np.ndarray]:
        """D^a of Σ c ψ at points, by multi-index, for rows of coefficients (rows, R), without forming ψ: each (rows, points)."""
        mixed, wanted = self.mixing @ rows.T, list(dict.fromkeys(indices))
        result = {a: np.empty((len(rows), len(points))) for a in wanted}
        for part in self._portions(points):
            for a, values in sums_at(self.families, points[part], wanted, mixed).items():
                result[a][:, part] = values.T
        return result

    def _portions(self, points: np.ndarray) -> Iterator[slice]:
        most = max(64, LARGEST // max(1, self.features))
        yield from (slice(start, start + most) for start in range(0, len(points), most))

    @cached_property
    def grid(self) -> ScatteredGrid:
        """The points of the quadrature."""
        return self.at(self.points, self.indices)

    @cached_property
    def fresh(self) -> tuple[FeatureGrid, np.ndarray]:
        """Points other than those of the quadrature, and their weights."""
        points, weights = self.checks
        return FeatureGrid(points, self.families, self.mixing), weights

    def project(self, values: np.ndarray) -> np.ndarray:
        """Coefficients of functions known on the grid, one function per row."""
        return values @ self.projection.T


def features_at(
    families: Iterable[Family], points: np.ndarray, indices: Sequence[MultiIndex]
) -> dict[MultiIndex, np.ndarray]:
    """All functions of all families side by side."""
    tables = [family.tables(points, indices) for family in families]
    return {a: np.concatenate([t[a] for t in tables], axis=1) for a in indices}


def sums_at(
    families: Sequence[Family], points: np.ndarray, indices: Sequence[MultiIndex], matrix: np.ndarray
) -> dict[MultiIndex, np.ndarray]:
    """Σ_j Dᵃφ_j(x) m_j over all functions, for the columns m of a matrix: (points, columns) by index."""
    if len(families) == 1 and isinstance(families[0], LayeredFamilies):
        return families[0].products(points, indices, matrix)
    return {a: table @ matrix for a, table in features_at(families, points, indices).items()}


def make_region_basis(
    families: Sequence[Family],
    rule: tuple[np.ndarray, np.ndarray],
    checks: tuple[np.ndarray, np.ndarray],
    indices: Iterable[MultiIndex],
    traces: Sequence[np.ndarray],
    cut: float,
    loudest: float = np.inf,
) -> RegionBasis:
    """Orthonormalize families of functions on a quadrature (points, weights), those without traces apart from the others.

    `traces` are conditions on all features (rows, features), one matrix for each kind of conditions. Functions more than `loudest` times
    larger inside than in their trace are left out where data are followed: their coefficients would be rounding.
    """
    points, weights = rule
    zero = (0,) * points.shape[1]
    features = sum(family.size for family in families)
    reserve(5.0 * len(points) * features)
    root = np.sqrt(weights)[:, None]
    phi = root * features_at(families, points, (zero,))[zero]
    norms = np.linalg.norm(phi, axis=0)
    norms[norms == 0] = 1.0
    phi = phi / norms
    scaled = [trace / norms for trace in traces]
    outer, inner = _split_by_trace(scaled, len(norms))
    if not inner.shape[1]:
        raise np.linalg.LinAlgError("the conditions leave no functions for the equations")
    look_before(SVD * len(points) * inner.shape[1] ** 2)
    u, s, v = np.linalg.svd(phi @ inner, full_matrices=False)
    kept = s > cut * s[0]
    within, mixing = u[:, kept], inner @ (v[kept].T / s[kept])
    beyond = phi @ outer
    sizes = np.maximum(np.linalg.norm(beyond, axis=0), 1e-300)
    splits = [_split(trace @ outer, within, beyond, sizes, root, loudest) for trace in scaled]
    mixing = np.concatenate([mixing, outer / sizes], axis=1) / norms[:, None]
    wanted = tuple(sorted({zero, *indices}))
    return RegionBasis(
        tuple(families),
        mixing,
        wanted,
        points,
        _projection(within, beyond / sizes, sizes, root),
        checks,
        tuple(splits),
        weights,
    )


def _split_by_trace(traces: Sequence[np.ndarray], count: int) -> tuple[np.ndarray, np.ndarray]:
    """Directions in the space of features with a trace above rounding, and all others: orthonormal columns."""
    if not traces:
        return np.zeros((count, 0)), np.eye(count)
    rows = np.concatenate(traces)
    look_before(SVD * len(rows) * len(rows) * count + 4.0 * count**3)
    _, s, v = np.linalg.svd(rows, full_matrices=True)
    rank = int(np.sum(s > TRACE * s[0]))
    return v[:rank].T, v[rank:].T


def _projection(within: np.ndarray, beyond: np.ndarray, sizes: np.ndarray, root: np.ndarray) -> np.ndarray:
    """P: least squares in functions of which the first are orthonormal; what was nearly nothing before it was normalized is left out."""
    clear = sizes > CLEAR * np.max(sizes, initial=0.0)
    first = within.T @ beyond[:, clear]
    rest = np.zeros((len(sizes), len(within)))
    rest[clear] = np.linalg.pinv(beyond[:, clear] - within @ first, rcond=CLEAR)
    return np.concatenate([within.T - first @ rest[clear], rest]) * root.T


def _split(
    trace: np.ndarray,
    within: np.ndarray,
    beyond: np.ndarray,
    sizes: np.ndarray,
    root: np.ndarray,
    loudest: float,
) -> Split:
    """One kind of conditions on functions with traces; `trace` (rows, functions) is what it makes of them."""
    u, s, q = np.linalg.svd(trace, full_matrices=trace.shape[0] < trace.shape[1])
    rank = int(np.sum(s > TRACE * s[0]))
    many = within.shape[1]
    taken = sizes[:, None] * q[:rank].T
    lengths = np.linalg.norm(beyond @ q[:rank].T, axis=0)
    gain = lengths / s[:rank]
    tests = np.where(gain <= loudest * np.min(gain, initial=np.inf), gain, 0.0)[:, None] * u[:, :rank].T
    # Functions with a trace for other conditions but none for these are tested by the equation, as far as they are new.
    rest = q[rank:].T
    others = beyond @ rest
    known = within.T @ others
    w, size, turn = np.linalg.svd(others - within @ known, full_matrices=False)
    good = size > NEW * np.max(np.linalg.norm(others, axis=0), initial=0.0)
    back = turn[good].T / size[good]
    held = (rest @ turn[~good].T) / sizes[:, None]
    held = held / np.maximum(np.linalg.norm(held, axis=0), 1e-300)
    return Split(
        tests=np.concatenate([within, w[:, good]], axis=1).T * root.T,
        free=np.block(
            [[np.eye(many), -known @ back], [np.zeros((len(sizes), many)), sizes[:, None] * (rest @ back)]]
        ),
        taken=np.concatenate([np.zeros((many, rank)), taken / lengths]),
        held=np.concatenate([np.zeros((many, held.shape[1])), held]),
        rows=tests,
        dual=np.concatenate([np.zeros((many, rank)), q[:rank].T / sizes[:, None] * lengths]),
    )
