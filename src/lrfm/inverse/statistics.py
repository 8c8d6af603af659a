# SPDX-License-Identifier: MIT
"""What a fit knows: covariance, intervals, what data do not see, and whether the model describes them.

C = (Jᵀ W J + RᵀR)⁻¹ in units of σ;  interval of p_j: p_j ± q √C_jj + |e_j|, q the quantile of the normal or of Student's distribution, and
e = C Jᵀ W (h₂ − h₁)/σ what the error of the forward solve, by its second draw, can do to p.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

LEVEL = 0.95
SAFETY = 2.0  # on the difference of two draws
UNLIKELY = 1e-3  # probability below which a misfit is not explained by σ


@dataclass(frozen=True)
class Unseen:
    """A combination of unknowns that leaves all data as they are.

    p_i (1 + ε d_i) changes nothing, d the `shares`. Of two unknowns the data then see only p₁ p₂^a, a = −d₁/d₂, to first order; where a is no
    simple number, the sum p₁ + a (p₁/p₂) p₂ says the same and is the likelier form.
    """

    shares: dict[str, float]
    sizes: dict[str, float]

    @property
    def names(self) -> list[str]:
        return list(self.shares)

    def __str__(self) -> str:
        if len(self.shares) == 1:
            return f"the data do not depend on `{self.names[0]}`"
        if len(self.shares) == 2:
            one, two = self.names
            ratio = -self.shares[one] / self.shares[two]
            power = ratio * math.copysign(1.0, self.sizes[one] * self.sizes[two])
            simple = abs(2 * power - round(2 * power)) < 1e-2 and round(2 * power) != 0
            product = f"{one} · {two}" if abs(power - 1) < 1e-2 else f"{one} · {two}^{power:.2g}"
            sum_ = f"{one} {ratio * abs(self.sizes[one] / self.sizes[two]):+.3g} {two} (to first order)"
            return f"the data see only {product if simple else sum_}, not `{one}` and `{two}` apart"
        moves = ", ".join(f"{name} by {value:+.2g} %" for name, value in self.shares.items())
        return f"nothing changes in the data where these move together: {moves}"


def typical(values: np.ndarray, start: np.ndarray) -> np.ndarray:
    """The size of each unknown: its own, or that of its start where it is zero."""
    return np.where(values != 0, np.abs(values), np.where(start != 0, np.abs(start), 1.0))


def unseen(
    slopes: np.ndarray, values: np.ndarray, start: np.ndarray, names: Sequence[str], tol: float
) -> list[Unseen]:
    """Combinations of numbers that the whitened slopes (values, numbers) do not see, as far as slopes are accurate."""
    sizes = typical(values, start)
    scaled = slopes * sizes
    norms = np.linalg.norm(scaled, axis=0)
    if not np.any(norms):
        return [Unseen({name: 1.0}, {}) for name in names]
    # A slope is known to about the tolerance; one that is larger, but has no effect above the noise, is not known either.
    floor = max(1e-9, tol) * norms.max()
    blind = [i for i in range(len(names)) if norms[i] <= floor or (norms[i] <= 10 * floor and norms[i] < 1)]
    found = [Unseen({names[i]: 1.0}, {}) for i in blind]
    left = [i for i in range(len(names)) if i not in blind]
    if len(left) > 1:
        _, s, vt = np.linalg.svd(scaled[:, left] / norms[left], full_matrices=False)
        for row in vt[s <= max(1e-9, 10 * tol) * s[0]] if len(s) == len(left) else vt[len(s) :]:
            d = row / norms[left]
            d = d / np.abs(d).max()
            kept = [(i, float(v)) for i, v in zip(left, d, strict=True) if abs(v) > 1e-2]
            found.append(
                Unseen({names[i]: v for i, v in kept}, {names[i]: float(values[i]) for i, _ in kept})
            )
    return found


def quantile(freedom: float | None) -> float:
    """Of the normal distribution, or of Student's where σ was found from the data."""
    from scipy.special import ndtri, stdtrit

    p = 0.5 + LEVEL / 2
    return float(ndtri(p)) if freedom is None else float(stdtrit(max(freedom, 1.0), p))


def upper_tail(chi_square: float, freedom: int) -> float:
    """The probability that a right model misfits as much or more."""
    from scipy.special import chdtrc

    return float(chdtrc(freedom, chi_square)) if freedom > 0 else math.nan


def covariance(rows: np.ndarray) -> np.ndarray:
    """(rowsᵀ rows)⁻¹, unseen directions left out."""
    scale = np.maximum(np.linalg.norm(rows, axis=0), 1e-300)
    _, s, vt = np.linalg.svd(rows / scale, full_matrices=False)
    keep = s > 1e-12 * s[0]
    inverse = (vt[keep].T / s[keep] ** 2) @ vt[keep]
    return inverse / np.outer(scale, scale)
