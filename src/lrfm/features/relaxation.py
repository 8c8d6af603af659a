# SPDX-License-Identifier: MIT
"""The liquid response in time: towers of E = e^(−αt) and of its Duhamel integral, as functions of the rate α.

Arrays have shape (features, points); times `t` have shape (points,). Real or complex rates, the same code.
"""

from collections.abc import Mapping
from math import factorial

import numpy as np

_SERIES_DEGREE = 17  # the first term left out is below 1/(18!·19) < 1e-17 for |αt| < 1


def eta_tower(alpha: np.ndarray, t: np.ndarray, decay: list[np.ndarray]) -> list[np.ndarray]:
    """η₀ = (1 − e^(−αt))/α and its derivatives ηₘ = ∂ᵐη₀/∂αᵐ. Paper, eq:duhamel-feature and below.

    α ηₘ + m ηₘ₋₁ = −(−t)ᵐ e^(−αt).   Upward in m this loses a factor m/|αt| per step, downward |αt|/m, so it runs
    downward from a series of the top order where |αt| < 1, the removable limit included, and upward elsewhere.

    Parameters
    ----------
    alpha, t
        Rates (P, n) and times (n,).
    decay
        [E, −tE, …, (−t)ᵐE], the right-hand sides; as many ηₘ are returned.
    """
    near = np.abs(alpha * t) < 1.0
    if near.all():
        return _downward(alpha, t, decay)
    if not near.any():
        return _upward(alpha, decay)
    # Both branches run on all entries and are blended by multiplication, which is several times faster than a masked copy.
    # Where a branch does not apply its numbers are meaningless but finite: α is replaced by 1 where it may be zero.
    near = near.astype(float)
    far = 1.0 - near
    tower = _upward(alpha * far + near, decay)
    for eta, limit in zip(tower, _downward(alpha, t, decay), strict=True):
        eta *= far
        limit *= near
        eta += limit
    return tower


def _upward(alpha: np.ndarray, decay: list[np.ndarray]) -> list[np.ndarray]:
    inverse = 1.0 / alpha
    eta = 1.0 - decay[0]
    eta *= inverse
    tower = [eta]
    for m, rhs in enumerate(decay[1:], start=1):
        eta = -m * tower[-1]
        eta -= rhs
        eta *= inverse
        tower.append(eta)
    return tower


def _downward(alpha: np.ndarray, t: np.ndarray, decay: list[np.ndarray]) -> list[np.ndarray]:
    """Top order M by ηₘ = (−1)ᴹ tᴹ⁺¹ Σₖ (−αt)ᵏ / (k! (M + 1 + k)), then downward."""
    top = len(decay) - 1
    x = alpha * -t
    eta = x * (1.0 / (factorial(_SERIES_DEGREE) * (top + 1 + _SERIES_DEGREE)))
    for k in range(_SERIES_DEGREE - 1, 0, -1):
        eta += 1.0 / (factorial(k) * (top + 1 + k))
        eta *= x
    eta += 1.0 / (top + 1)
    eta *= t * (-t) ** top
    tower = [eta]
    for m in range(top, 0, -1):
        eta = alpha * tower[-1]
        eta += decay[m]
        eta *= -1.0 / m
        tower.append(eta)
    return tower[::-1]


def decay_towers(alpha: np.ndarray, t: np.ndarray, tops: Mapping[int, int]) -> list[list[np.ndarray]]:
    """Hₘ = ∂ₜᵐ e^(−αt) = (−α)ᵐ E and its α-derivatives, as result[m][j] = ∂ʲHₘ/∂αʲ.

    H₀⁽ʲ⁾ = (−t)ʲ E,   Hₘ⁽ʲ⁾ = −m Hₘ₋₁⁽ʲ⁻¹⁾ − t Hₘ⁽ʲ⁻¹⁾.   `tops` gives the highest j for every time order m asked for.
    """
    result: list[list[np.ndarray]] = []
    for m in range(max(tops) + 1):
        top = max(n for order, n in tops.items() if order >= m)
        if m == 0:
            head = alpha * -t
            tower = [np.exp(head, out=head)]
        else:
            head = -alpha
            head *= result[m - 1][0]
            tower = [head]
        for j in range(1, top + 1):
            entry = tower[-1] * -t
            if m:
                entry -= m * result[m - 1][j - 1]
            tower.append(entry)
        result.append(tower)
    return result


def forced_tower(
    f: np.ndarray, alpha: np.ndarray, t: np.ndarray, decays: list[list[np.ndarray]], m: int, top: int
) -> list[np.ndarray]:
    """Sₘ = ∂ₜᵐ (f η₀) and its f-derivatives up to `top`, with dα/df = 1.

    S₀ = f η₀,   Sₘ = f Hₘ₋₁ for m ≥ 1,   (f F)⁽ʲ⁾ = f F⁽ʲ⁾ + j F⁽ʲ⁻¹⁾.
    """
    base = decays[m - 1] if m else eta_tower(alpha, t, decays[0][: top + 1])
    tower = []
    for j in range(top + 1):
        entry = f * base[j]
        if j:
            entry += j * base[j - 1]
        tower.append(entry)
    return tower
