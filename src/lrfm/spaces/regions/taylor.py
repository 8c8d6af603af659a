# SPDX-License-Identifier: MIT
"""Taylor coefficients of functions of several variables: f_a = Dᵃf / a!, kept for a set of multi-indices.

(fg)_a = Σ_{b ≤ a} f_b g_{a−b};   F∘f = Σ_k F⁽ᵏ⁾(f₀)/k! (f − f₀)ᵏ, a finite sum since f − f₀ has no constant term.

The set holds with each multi-index all that are below it. An absent coefficient is zero. Arrays are broadcast, so that one function
(points, 1) multiplies many (points, functions).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from math import factorial, prod

import numpy as np

from lrfm.spaces.orders import MultiIndex, below, downset, minus

Taylor = Mapping[MultiIndex, np.ndarray]


@lru_cache(maxsize=64)
def closure(indices: frozenset[MultiIndex]) -> tuple[MultiIndex, ...]:
    """The indices with all below them, by total order."""
    return tuple(sorted(downset(indices), key=lambda a: (sum(a), a)))


def coordinate(points: np.ndarray, axis: int, center: float, indices: Iterable[MultiIndex]) -> Taylor:
    """x_k − c as a Taylor series at each point: (points, 1)."""
    zero = (0,) * points.shape[1]
    unit = tuple(int(k == axis) for k in range(points.shape[1]))
    found = {zero: points[:, axis : axis + 1] - center}
    return {**found, unit: np.ones((1, 1))} if unit in set(indices) else found


def times(f: Taylor, g: Taylor, indices: Sequence[MultiIndex]) -> dict[MultiIndex, np.ndarray]:
    """The product of two functions."""
    found: dict[MultiIndex, np.ndarray] = {}
    for a in indices:
        terms = [f[b] * g[c] for b in below(a) if b in f and (c := minus(a, b)) in g]
        if terms:
            total = terms[0]
            for term in terms[1:]:
                total = total + term
            found[a] = total
    return found


def plus(f: Taylor, g: Taylor) -> dict[MultiIndex, np.ndarray]:
    """The sum of two functions."""
    return {a: f[a] + g[a] if a in f and a in g else f[a] if a in f else g[a] for a in {*f, *g}}


def composed(
    tower: Sequence[np.ndarray], f: Taylor, indices: Sequence[MultiIndex]
) -> dict[MultiIndex, np.ndarray]:
    """F∘f from F, F′, F″, … at f₀, as many as the highest total order asks for."""
    zero = indices[0]
    moved = {a: c for a, c in f.items() if a != zero}
    result: dict[MultiIndex, np.ndarray] = {zero: tower[0]}
    power: Taylor = {zero: np.ones((1, 1))}
    for k in range(1, max(map(sum, indices)) + 1):
        power = times(power, moved, indices)
        scaled = tower[k] / factorial(k)
        result = plus(result, {a: scaled * c for a, c in power.items()})
    return result


def powers(x: np.ndarray, exponent: float, top: int) -> list[np.ndarray]:
    """x^p and its derivatives for x > 0."""
    found, factor = [x**exponent], 1.0
    for k in range(1, top + 1):
        factor *= exponent - k + 1
        found.append(factor * x ** (exponent - k))
    return found


def logarithms(x: np.ndarray, top: int) -> list[np.ndarray]:
    """log x and its derivatives."""
    return [np.log(x), *powers(x, -1.0, top - 1)] if top else [np.log(x)]


def steps(z: np.ndarray, top: int) -> list[np.ndarray]:
    """tanh z and its derivatives."""
    f = np.tanh(z)
    slope = 1.0 - f * f
    return [f, *(slope * np.polynomial.polynomial.polyval(f, _quotient(k)) for k in range(1, top + 1))]


@lru_cache(maxsize=16)
def _quotient(k: int) -> np.ndarray:
    """Qₖ with tanh⁽ᵏ⁾ = (1 − tanh²) Qₖ(tanh):  Q₁ = 1,  Qₖ₊₁ = (1 − F²) Qₖ′ − 2F Qₖ."""
    q = np.polynomial.Polynomial([1.0])
    for _ in range(k - 1):
        q = np.polynomial.Polynomial([1.0, 0.0, -1.0]) * q.deriv() - np.polynomial.Polynomial([0.0, 2.0]) * q
    return q.coef


def derivatives(
    f: Taylor, indices: Iterable[MultiIndex], shape: tuple[int, int]
) -> dict[MultiIndex, np.ndarray]:
    """Dᵃf = a! f_a as full arrays."""
    found = {}
    for a in indices:
        value = f.get(a)
        found[a] = (
            np.zeros(shape) if value is None else np.broadcast_to(prod(map(factorial, a)) * value, shape)
        )
    return found
