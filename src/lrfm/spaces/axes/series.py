# SPDX-License-Identifier: MIT
"""Functions of ξ ∈ [−1, 1] by their series: f = Σ_k c_k T_k(ξ), or Σ_k a_k cos kπξ + b_k sin kπξ on a circle.

Combinations of random features with large coefficients of both signs lose their digits when they are evaluated, and lose them
faster with every derivative. The same functions as series keep them: coefficients are small, derivatives are exact.
"""

from __future__ import annotations

from functools import lru_cache
from math import acos, pi

import numpy as np


def places(count: int, periodic: bool) -> np.ndarray:
    """Points of a quadrature in ξ: equal steps, or ξ = −cos π(i + ½)/n."""
    halves = np.arange(count) + 0.5
    return -1 + 2 * halves / count if periodic else -np.cos(np.pi * halves / count)


def nodes(count: int, periodic: bool) -> tuple[np.ndarray, np.ndarray]:
    """These points and their weights; Fejér's first rule where they are cosines, exact for polynomials of degree n − 1."""
    if periodic:
        return places(count, periodic), np.full(count, 2.0 / count)
    theta = np.pi * (np.arange(count) + 0.5) / count
    j = np.arange(1, count // 2 + 1)
    sums = np.cos(2 * np.outer(theta, j)) @ (1.0 / (4.0 * j * j - 1.0))
    return places(count, periodic), 2 * (1 - 2 * sums) / count


def terms(xi: np.ndarray, count: int, periodic: bool) -> np.ndarray:
    """The first functions of the series at places: (places, count); on a circle 1, cos, sin, cos 2, sin 2, …"""
    if not periodic:
        cos, sin = _parts(np.arccos(np.clip(xi, -1, 1)), count)
        return _addition(cos, cos, -sin, sin, count)
    cos, sin = _parts(np.pi * xi, count // 2 + 1)
    table = np.empty((len(xi), 2 * (count // 2) + 1))
    table[:, ::2] = _addition(sin, cos, cos, sin, count // 2 + 1)
    table[:, 1::2] = _addition(cos, cos, -sin, sin, count // 2 + 1)[:, 1:]
    table[:, 0] = 1.0
    return table[:, :count]


def columns(xi: np.ndarray, count: int, periodic: bool) -> np.ndarray:
    """The same functions as `terms`, one row each: (count, places), by products instead of cosines.

    T_{m+j} = 2 T_m T_j − T_{m−j} and e^{i(m+j)θ} = e^{imθ} e^{ijθ}: every pass doubles how many are known. Several times faster than
    `terms`, at an error that grows with the number of the term as that of the cosine of a rounded angle does.
    """
    return _circle(xi, count) if periodic else chebyshev(np.clip(xi, -1, 1), count)


def chebyshev(z: np.ndarray, count: int) -> np.ndarray:
    """T₀, T₁, … at places, one row each, outside of [−1, 1], too: (count, places)."""
    table = np.empty((max(count, 2), len(z)))
    table[0], table[1] = 1.0, z
    known = 1  # the last of them
    while known + 1 < count:
        more = min(known, count - 1 - known)
        part = table[known + 1 : known + more + 1]
        np.multiply(table[1 : more + 1], 2 * table[known], out=part)
        part -= table[known - more : known][::-1]
        known += more
    return table[:count]


def one(xi: float, count: int, periodic: bool) -> np.ndarray:
    """The functions of the series at one place, (count,), by as many cosines: T_k(ξ) = cos(k arccos ξ), and sin z = cos(z − π/2)."""
    numbers, phases = _waves(count, periodic)
    return np.cos(numbers * (xi if periodic else acos(min(max(xi, -1.0), 1.0))) - phases)


@lru_cache(maxsize=256)
def _waves(count: int, periodic: bool) -> tuple[np.ndarray, np.ndarray | float]:
    """Factors of the angle and phases: 0, 1, 2, … of a line, those of 1, cos, sin, cos 2, sin 2, … on a circle."""
    numbers = np.arange(count, dtype=float)
    return (
        (pi * np.ceil(numbers / 2), pi / 2 * (numbers % 2 == 0) * (numbers > 0))
        if periodic
        else (numbers, 0.0)
    )


def _circle(xi: np.ndarray, count: int) -> np.ndarray:
    waves = np.empty((count // 2 + 1, len(xi)), complex)
    waves[0] = 1.0
    known, last = min(1, count // 2), count // 2
    waves[known] = np.exp(1j * np.pi * xi * known)
    while known < last:
        more = min(known, last - known)
        np.multiply(waves[1 : more + 1], waves[known], out=waves[known + 1 : known + more + 1])
        known += more
    table = np.empty((2 * len(waves) - 1, len(xi)))
    table[::2], table[1::2] = np.imag(waves), np.real(waves)[1:]
    table[0] = 1.0
    return table[:count]


def _parts(angle: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """cos and sin of kθ for the multiples k = ab and k = c of which all k < count are sums, b = √count."""
    block = int(np.ceil(np.sqrt(count)))
    k = np.concatenate([block * np.arange(block), np.arange(block)])
    return np.cos(angle[:, None] * k), np.sin(angle[:, None] * k)


def _addition(a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray, count: int) -> np.ndarray:
    """a(coarse) b(fine) + c(coarse) d(fine) for all sums of multiples: the addition theorems, 2√count cosines per angle."""
    block = a.shape[1] // 2
    rows = -(-count // block)
    table = a[:, :rows, None] * b[:, None, block:]
    table += c[:, :rows, None] * d[:, None, block:]
    return table.reshape(len(a), -1)[:, :count]


def analyze(values: np.ndarray, periodic: bool) -> np.ndarray:
    """Coefficients of the series that takes given values (nodes, functions) at the places of a quadrature, by one transform."""
    count, rows = len(values), values.T
    if not periodic:
        rows = np.concatenate([rows, rows[:, ::-1]], axis=1)
    waves = np.fft.rfft(rows, axis=1)
    waves *= 2.0 / rows.shape[1] * _turns(waves.shape[1], rows.shape[1]).conj()
    waves[:, 0] *= 0.5
    if not periodic:
        return waves.real[:, :count].T
    result = np.empty((len(rows), 2 * waves.shape[1] - 1))
    result[:, ::2], result[:, 1::2] = -waves.imag, waves.real[:, 1:]
    result[:, 0] = waves.real[:, 0]
    return result[:, :count].T


def synthesize(coefficients: np.ndarray, count: int, periodic: bool) -> np.ndarray:
    """Values at the places of a quadrature, (count, functions), for columns of coefficients: one transform instead of a product of matrices.

    Waves that so many places do not tell apart are taken on an odd multiple of them, of which they are every so-manieth.
    """
    rows = coefficients.T
    waves = rows + 0j
    if periodic:
        waves = np.concatenate([rows[:, :1], rows[:, 1::2]], axis=1) + 0j
        waves[:, 1 : (rows.shape[1] + 1) // 2] -= 1j * rows[:, 2::2]
    circle = count if periodic else 2 * count
    closer = 2 * ((1 + 2 * (waves.shape[1] - 1) // circle) // 2) + 1
    circle *= closer
    waves *= 0.5 * circle * _turns(waves.shape[1], circle)
    waves[:, 0] *= 2.0
    values = np.fft.irfft(waves, circle, axis=1)
    return values[:, closer // 2 : closer * count : closer].T


def _turns(waves: int, circle: int) -> np.ndarray:
    """e^{ikθ} at the first of so many places on a circle, half a step after θ = −π; for cosines, T_k(−cos θ) = (−1)ᵏ cos kθ, the same."""
    k = np.arange(waves)
    return (-1.0) ** k * np.exp(1j * np.pi * k / circle)


def differentiate(coefficients: np.ndarray, periodic: bool) -> np.ndarray:
    """Coefficients of the derivative in ξ, as many as before."""
    count = len(coefficients)
    result = np.zeros_like(coefficients)
    if periodic:
        k = np.pi * np.arange(1, count // 2 + 1)[:, None]
        even, odd = coefficients[1::2], coefficients[2::2]
        result[1::2][: len(odd)] = k[: len(odd)] * odd
        result[2::2] = -k[: len(odd)] * even[: len(odd)]
        return result
    # c'_{k−1} = c'_{k+1} + 2k c_k, the sum of every second coefficient from the end.
    weighted = 2 * np.arange(count)[:, None] * coefficients
    for parity in (0, 1):
        part = weighted[parity::2][::-1]
        sums = np.cumsum(part, axis=0)[::-1]
        target = result[1 - parity :: 2]
        if parity == 1:
            target[: len(sums)] = sums[: len(target)]
        else:
            target[: len(sums) - 1] = sums[1:]
    result[0] *= 0.5
    return result


def derivatives(coefficients: np.ndarray, xi: np.ndarray, top: int, periodic: bool) -> list[np.ndarray]:
    """f, f', …, f^(top) in ξ at places, for columns of coefficients."""
    table = terms(xi, len(coefficients), periodic)
    return [table @ c for c in _derived(coefficients, top, periodic)]


def on_nodes(
    coefficients: np.ndarray, count: int, top: int, periodic: bool, values: np.ndarray | None = None
) -> list[np.ndarray]:
    """The same at the places of a quadrature; `values` are those of f where they are known."""
    first, *others = _derived(coefficients, top, periodic)
    known = synthesize(first, count, periodic) if values is None else values
    return [known, *(synthesize(c, count, periodic) for c in others)]


def _derived(coefficients: np.ndarray, top: int, periodic: bool) -> list[np.ndarray]:
    found = [coefficients]
    for _ in range(top):
        found.append(differentiate(found[-1], periodic))
    return found
