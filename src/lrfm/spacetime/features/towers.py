# SPDX-License-Identifier: MIT
"""Derivative towers: [F, F′, F″, …] of a function of one variable, and the rules that combine them.

A tower is a sequence of arrays. Zeros stay out of the arithmetic: in a dictionary, an absent entry is zero.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from math import comb, prod
from typing import ClassVar, Protocol

import numpy as np

from lrfm.spaces.orders import MultiIndex
from lrfm.spacetime.least_squares.backends import Array

from .workspace import Workspace

Bells = Mapping[tuple[int, int], Array]


class Profile(Protocol):
    """A ridge profile F with |F| ≤ bound, and its derivatives of every order."""

    bound: ClassVar[float]

    def tower(self, s: Array, top: int, work: Workspace) -> list[Array]:
        """[F(s), …, F^(top)(s)], no two of them the same array. The array `s` may be overwritten."""
        ...


@dataclass(frozen=True)
class Tanh:
    """F = tanh s, F⁽ᵏ⁾ = (1 − F²) Qₖ(F) with Q₁ = 1, Qₖ₊₁ = (1 − F²) Qₖ′ − 2F Qₖ. Paper, eq:gh0."""

    bound: ClassVar[float] = 1.0

    def tower(self, s: Array, top: int, work: Workspace) -> list[Array]:
        g = work.xp.tanh(s, out=s)
        if top == 0:
            return [g]
        square = work.times(g, g)
        slope = work.xp.subtract(1.0, square, out=work.like(g))
        tower = [g, slope]
        for k in range(2, top + 1):
            # Qₖ has the parity of k − 1: Horner in F², times F if odd
            *head, last = _tanh_polynomial(k)[::-2]
            value = work.times(square if head else slope, head[0] if head else last)
            for c in head[1:]:
                value += c
                value *= square
            if head:
                value += last
                value *= slope
            if k % 2 == 0:
                value *= g
            tower.append(value)
        return tower


@lru_cache(maxsize=64)
def _tanh_polynomial(k: int) -> tuple[float, ...]:
    """Coefficients of Qₖ in ascending powers."""
    q = np.polynomial.Polynomial([1.0])
    for _ in range(k - 1):
        q = np.polynomial.Polynomial([1.0, 0.0, -1.0]) * q.deriv() - np.polynomial.Polynomial([0.0, 2.0]) * q
    return tuple(float(c) for c in q.coef)


@dataclass(frozen=True)
class Sine:
    """F = sin s, F⁽ᵏ⁾ = sin(s + kπ/2)."""

    bound: ClassVar[float] = 1.0

    def tower(self, s: Array, top: int, work: Workspace) -> list[Array]:
        tower = [work.xp.sin(s, out=work.like(s))]
        if top > 0:
            tower.append(work.xp.cos(s, out=s))
        for k in range(2, top + 1):
            tower.append(work.xp.negative(tower[k - 2], out=work.like(s)))
        return tower


PROFILES: dict[str, Profile] = {"tanh": Tanh(), "sine": Sine()}


def partial_bell(derivatives: Sequence[Array | None], work: Workspace) -> Bells:
    """Partial Bell polynomials Bₙⱼ(x₁, x₂, …) for 1 ≤ j ≤ n ≤ len(derivatives), absent where zero.

    Bₙ₁ = xₙ,  Bₙⱼ = Σᵢ C(n−1, i−1) xᵢ Bₙ₋ᵢ,ⱼ₋₁.   `derivatives` is [x₁, x₂, …]; None stands for zero.
    """
    bells = {}
    for n, x in enumerate(derivatives, start=1):
        if x is not None:
            bells[n, 1] = x
        for j in range(2, n + 1):
            for i in range(1, n - j + 2):
                if derivatives[i - 1] is not None and (n - i, j - 1) in bells:
                    term = work.times(derivatives[i - 1], bells[n - i, j - 1])
                    if (count := comb(n - 1, i - 1)) != 1:
                        term *= count
                    if (n, j) in bells:
                        bells[n, j] += term
                    else:
                        bells[n, j] = term
    return bells


def chained(bells: Sequence[Bells], a: MultiIndex, work: Workspace) -> Iterator[tuple[int, Array]]:
    """(|j|, Πᵢ B_{aᵢjᵢ}(σᵢ′, σᵢ″, …)) for every j, a ≠ 0: the rule of Faà di Bruno for a sum of one-axis functions."""
    active = [(n, table) for n, table in zip(a, bells, strict=True) if n]
    for j in product(*([j for j in range(1, n + 1) if (n, j) in table] for n, table in active)):
        # constants first, so that the factors of affine axes are multiplied as columns
        factors = [table[n, i] for (n, table), i in zip(active, j, strict=True)]
        factors.sort(key=lambda factor: prod(factor.shape))
        factor = factors[0]
        for other in factors[1:]:
            factor = work.times(factor, other)
        yield sum(j), factor


class Chain:
    """DᵃF(s) = Σⱼ Πᵢ B_{aᵢjᵢ}(σᵢ′, σᵢ″, …) F^(|j|)(s) for s = b + Σᵢ σᵢ(xᵢ), computed when first asked for.

    The arrays handed out are shared: read them, do not write into them.
    """

    def __init__(self, bells: Sequence[Bells], tower: Sequence[Array], work: Workspace):
        self._bells = bells
        self._tower = tower
        self._work = work
        self._known: dict[MultiIndex, Array] = {}

    def __getitem__(self, a: MultiIndex) -> Array:
        if a not in self._known:
            self._known[a] = self._derivative(a)
        return self._known[a]

    def _derivative(self, a: MultiIndex) -> Array:
        if not any(a):
            return self._tower[0]
        total = None
        for order, factor in chained(self._bells, a, self._work):
            if total is None:
                total = self._work.times(factor, self._tower[order])
            else:
                self._work.add_product(total, factor, self._tower[order])
        return total


class Composition:
    """Dᵃ(F∘f)(s) = Σₖ Kₐₖ F⁽ᵏ⁾(f(s)),  Kₐₖ = Σⱼ Πᵢ B_{aᵢjᵢ}(σᵢ′, σᵢ″, …) B_{|j|k}(f′, f″, …): Faà di Bruno twice.

    What is left out is zero. The arrays handed out are shared: read them, do not write into them.
    """

    def __init__(self, bells: Sequence[Bells], outer: Bells, work: Workspace):
        self._bells = bells
        self._outer = outer
        self._work = work
        self._known: dict[MultiIndex, dict[int, Array]] = {}

    def slopes(self, a: MultiIndex) -> dict[int, Array]:
        """Kₐₖ for k ≥ 1; none for a = 0, where K₀₀ = 1 is the only one."""
        if a not in self._known:
            self._known[a] = self._slopes(a) if any(a) else {}
        return self._known[a]

    def _slopes(self, a: MultiIndex) -> dict[int, Array]:
        result: dict[int, Array] = {}
        for order, factor in chained(self._bells, a, self._work):
            for k in range(1, order + 1):
                if (order, k) not in self._outer:
                    continue
                if k in result:
                    self._work.add_product(result[k], factor, self._outer[order, k])
                else:
                    result[k] = self._work.times(factor, self._outer[order, k])
        return result
