# SPDX-License-Identifier: MIT
"""Arithmetic of multi-indices: which derivatives, and in how many ways.

A multi-index has one entry per axis. Where time is included it comes last: ∂ₓₓ∂ₜ on axes (x, y) is (2, 0, 1).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from math import comb, factorial, prod

MultiIndex = tuple[int, ...]


class OneSided(tuple[int, ...]):
    """A multi-index of what a function is in one layer of a domain, continued beyond its boundary; unlike any other one.

    >>> OneSided("core", (1, 0)) == (1, 0), OneSided("core", (1, 0)) == OneSided("core", (1, 0)), sum(OneSided("core", (1, 2)))
    (False, True, 3)
    """

    layer: str

    def __new__(cls, layer: str, order: MultiIndex) -> OneSided:
        index = super().__new__(cls, order)
        index.layer = layer
        return index

    @property
    def order(self) -> MultiIndex:
        """The multi-index itself."""
        return tuple(self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OneSided) and (self.layer, *self) == (other.layer, *other)

    def __hash__(self) -> int:
        return hash((self.layer, *self))

    def __repr__(self) -> str:
        return f"{self.order} in {self.layer}"

    def __getnewargs__(self) -> tuple:
        return self.layer, self.order


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
