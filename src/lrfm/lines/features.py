# SPDX-License-Identifier: MIT
"""Random functions of one coordinate and all their derivatives.

φ(x) = tanh(w (x − c))                        on an interval: one smooth step at c,
φ(x) = tanh(A (cos k(x − x₀) − cos kd))       on a circle, k = 2π/L: a bump with flanks at x₀ ± d,
φ(x) = 1                                      beside them, always.

Both are y = tanh z(x), and y' = (1 − y²) z' gives the power series of y from that of z: derivatives of any order
come from one recurrence, whatever the argument z is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import factorial
from typing import Protocol

import numpy as np


class Features(Protocol):
    """Functions of one coordinate, drawn once."""

    @property
    def count(self) -> int: ...

    def derivatives(self, x: np.ndarray, top: int) -> list[np.ndarray]:
        """φ, φ', …, φ^(top) at places x, each an array (places, functions)."""
        ...


def tanh_series(z: Sequence[np.ndarray | None], top: int) -> list[np.ndarray]:
    """Taylor coefficients of y = tanh z:  (n+1) yₙ₊₁ = Σ_k (k+1) z_{k+1} w_{n−k},  w = 1 − y².

    z[k] is the k-th Taylor coefficient of the argument; None stands for zero, and so does what is not given.
    """
    assert z[0] is not None
    y = [np.tanh(z[0])]
    w = [1.0 - y[0] * y[0]]
    for n in range(top):
        parts = [(k + 1) * z[k + 1] * w[n - k] for k in range(n + 1) if k + 1 < len(z) and z[k + 1] is not None]
        y.append(sum(parts[1:], parts[0]) / (n + 1))
        if n + 1 < top:
            w.append(-sum(y[k] * y[n + 1 - k] for k in range(n + 2)))
    return y


def _derivatives(series: list[np.ndarray]) -> list[np.ndarray]:
    return [s if n < 2 else factorial(n) * s for n, s in enumerate(series)]


@dataclass(frozen=True)
class IntervalFeatures:
    """φ(x) = tanh(w (x − c)), one center and one slope per function."""

    centers: np.ndarray
    slopes: np.ndarray

    @property
    def count(self) -> int:
        return len(self.centers)

    def derivatives(self, x: np.ndarray, top: int) -> list[np.ndarray]:
        return _derivatives(tanh_series([(x[:, None] - self.centers) * self.slopes, self.slopes], top))


@dataclass(frozen=True)
class PeriodicFeatures:
    """φ(x) = tanh(A (cos k(x − x₀) − cos kd)): middle x₀, half width d, height A, wavenumber k = 2π/L."""

    middles: np.ndarray
    widths: np.ndarray
    heights: np.ndarray
    wavenumber: float

    @property
    def count(self) -> int:
        return len(self.middles)

    def derivatives(self, x: np.ndarray, top: int) -> list[np.ndarray]:
        k = self.wavenumber
        # cos k(x − x₀) by the addition theorem: two products instead of a cosine per entry.
        turn = np.column_stack([np.cos(k * x), np.sin(k * x)])
        c, d = self.heights * np.cos(k * self.middles), self.heights * np.sin(k * self.middles)
        even, odd = turn @ np.array([c, d]), turn @ np.array([d, -c])
        z: list[np.ndarray | None] = [even - self.heights * np.cos(k * self.widths)]
        for n in range(1, top + 1):
            # The n-th derivative of cos is cos, −sin, −cos, sin in turn.
            part = even if n % 2 == 0 else odd
            z.append((k**n / factorial(n) * (-1) ** (n // 2)) * part)
        return _derivatives(tanh_series(z, top))
