# SPDX-License-Identifier: MIT
"""Arithmetic of multi-indices: which derivatives a product needs, and in how many ways."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from math import comb, factorial, prod

from lrfm.spaces.orders import MultiIndex


def below(a: MultiIndex) -> Iterator[MultiIndex]:
    """Every b with 0 ≤ bᵢ ≤ aᵢ, from zero up to a."""
    return product(*(range(n + 1) for n in a))


def minus(a: MultiIndex, b: MultiIndex) -> MultiIndex:
    """The multi-index a − b."""
    return tuple(i - j for i, j in zip(a, b, strict=True))


def plus(a: MultiIndex, b: MultiIndex) -> MultiIndex:
    """The multi-index a + b."""
    return tuple(i + j for i, j in zip(a, b, strict=True))


def binomial(a: MultiIndex, b: MultiIndex) -> int:
    """C(a, b) = Πᵢ C(aᵢ, bᵢ), the weight of DᵇF·Dᵃ⁻ᵇG in Dᵃ(FG)."""
    return prod(map(comb, a, b))


def downset(orders: Iterable[MultiIndex]) -> set[MultiIndex]:
    """Every multi-index below one of the given: what a Leibniz rule may ask of its factors."""
    return {b for a in orders for b in below(a)}


def shares(m: int, axes: int) -> Iterator[tuple[MultiIndex, int]]:
    """Every k with |k| ≤ m on `axes` axes, with the multinomial weight m!/((m − |k|)! k₁! k₂! …)."""
    for k in product(range(m + 1), repeat=axes):
        if sum(k) <= m:
            yield k, factorial(m) // (factorial(m - sum(k)) * prod(map(factorial, k)))


def reach(orders: Iterable[MultiIndex]) -> MultiIndex:
    """The highest order along each axis."""
    return tuple(map(max, zip(*orders, strict=True)))


def checked(orders: Iterable[MultiIndex], axes: int) -> list[MultiIndex]:
    """The orders as tuples of integers, each once, with one entry per axis and one for time."""
    result = []
    for order in orders:
        index = tuple(order) if not isinstance(order, str) else ()
        if len(index) != axes + 1 or any(int(n) != n or n < 0 for n in index):
            raise ValueError(
                f"order {order!r} is not a derivative on {axes} axes and time; "
                f"give {axes + 1} non-negative integers, time last, e.g. {(0,) * axes + (1,)} for ∂ₜ."
            )
        index = tuple(map(int, index))
        if index not in result:
            result.append(index)
    return result
