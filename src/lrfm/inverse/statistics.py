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
    """A direction in the space of unknowns that leaves all data as they are; shares of the unknowns in it, relative to their sizes."""

    shares: dict[str, float]

    @property
    def names(self) -> list[str]:
        return list(self.shares)

    def __str__(self) -> str:
        if len(self.shares) == 1:
            return f"the data do not depend on `{self.names[0]}`"
        if len(self.shares) == 2:
            powers = " · ".join(n if abs(v - 1) < 5e-3 else f"{n}^{v:.3g}" for n, v in self.shares.items())
            return f"the data see only {powers}, not {' and '.join(f'`{n}`' for n in self.names)} apart"
        moves = ", ".join(f"{name} by {value:+.2g} %" for name, value in self.shares.items())
        return f"nothing changes in the data where these move together: {moves}"


def unseen(slopes: np.ndarray, values: np.ndarray, start: np.ndarray, names: Sequence[str], tol: float) -> list[Unseen]:
    """Combinations of numbers that the whitened slopes (values, numbers) do not see, as far as slopes are accurate."""
    sizes = np.where(values != 0, np.abs(values), np.where(start != 0, np.abs(start), 1.0))
    scaled = slopes * sizes
    norms = np.linalg.norm(scaled, axis=0)
    if not np.any(norms):
        return [Unseen({name: 1.0}) for name in names]
    # Each unknown by its own effect: one that is seen weakly is still seen.
    floor = max(1e-9, 10 * tol) * norms.max() * 1e-3
    blind = [i for i in range(len(names)) if norms[i] <= floor]
    found = [Unseen({names[i]: 1.0}) for i in blind]
    left = [i for i in range(len(names)) if i not in blind]
    if len(left) > 1:
        _, s, vt = np.linalg.svd(scaled[:, left] / norms[left], full_matrices=False)
        for row in vt[s <= max(1e-9, 10 * tol) * s[0]] if len(s) == len(left) else vt[len(s) :]:
            direction = row / norms[left]
            found.append(Unseen(_shares(direction, [names[i] for i in left])))
    return found


def _shares(direction: np.ndarray, names: Sequence[str]) -> dict[str, float]:
    """p_i → p_i (1 + ε d_i) changes nothing; where two are involved, Π p_i^{a_i} with Σ a_i d_i = 0 is what is seen."""
    d = direction / np.abs(direction).max()
    kept = [i for i in range(len(d)) if abs(d[i]) > 1e-2]
    if len(kept) == 2:
        i, j = kept
        return {names[i]: 1.0, names[j]: float(-d[i] / d[j])}
    return {names[i]: float(d[i]) for i in kept}


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
