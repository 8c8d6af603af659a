# SPDX-License-Identifier: MIT
"""The liquid response in time: towers of E = e^(−αt) and of its Duhamel integral, as functions of the rate α.

Rates have the shape of the places, times `t` that of the times, and what is computed from both that of the points
(`grids.PointRun`). Real or complex rates, the same code.
"""

from itertools import count
from math import factorial

from lrfm.spacetime.least_squares.backends import Array, Backend

from .workspace import Workspace

_SERIES_END = 1e-17
"""Where the series of the top order stops, relative to its first term."""


def eta_tower(alpha: Array, t: Array, decay: list[Array], work: Workspace) -> list[Array]:
    """η₀ = (1 − e^(−αt))/α and its derivatives ηₘ = ∂ᵐη₀/∂αᵐ. Paper, eq:duhamel-feature and below.

    α ηₘ + m ηₘ₋₁ = −(−t)ᵐ e^(−αt).

    Upward in m this recurrence multiplies errors by m/|αt|, downward by |αt|/m. So it runs downward from a
    series of the top order where |αt| < 1, the removable limit included, and upward elsewhere.

    Parameters
    ----------
    alpha, t
        Rates (features, *places) and times.
    decay
        [E, −tE, …, (−t)ᵐE], the right-hand sides; as many ηₘ are returned.
    """
    tower = [work.array(work.xp.kind(alpha)) for _ in decay]
    mark = work.mark()
    x = work.times(alpha, -t)
    size = work.xp.abs(x, out=work.array())
    largest = float(size.max())
    if largest < 1.0:
        _downward(tower, alpha, x, t, decay, largest, work.xp)
        work.release(mark)
        return tower
    # Both branches run on all entries and are blended by multiplication, much faster than a masked copy.
    # Where a branch does not apply its numbers mean nothing but are finite: α is 1 where it may be zero.
    far = work.array()
    far[:] = size >= 1.0
    near = work.xp.subtract(1.0, far, out=size)
    safe = work.times(alpha, far)
    safe += near
    _upward(tower, safe, decay, work.xp)
    if near.max() > 0.0:
        limits = [work.array(work.xp.kind(alpha)) for _ in decay]
        _downward(limits, alpha, x, t, decay, 1.0, work.xp)
        for eta, limit in zip(tower, limits, strict=True):
            eta *= far
            limit *= near
            eta += limit
    work.release(mark)
    return tower


def _upward(tower: list[Array], alpha: Array, decay: list[Array], xp: Backend) -> None:
    """η₀ = (1 − E)/α, ηₘ = −(m ηₘ₋₁ + (−t)ᵐE)/α. Overwrites `alpha`."""
    inverse = xp.divide(1.0, alpha, out=alpha)
    xp.subtract(1.0, decay[0], out=tower[0])
    tower[0] *= inverse
    for m in range(1, len(decay)):
        xp.multiply(tower[m - 1], -m, out=tower[m])
        tower[m] -= decay[m]
        tower[m] *= inverse


def _downward(
    tower: list[Array],
    alpha: Array,
    x: Array,
    t: Array,
    decay: list[Array],
    largest: float,
    xp: Backend,
) -> None:
    """η_M = (−1)ᴹ tᴹ⁺¹ Σₖ xᵏ/(k! (M + 1 + k)), x = −αt, |x| ≤ largest, then ηₘ₋₁ = −((−t)ᵐE + α ηₘ)/m."""
    top = len(decay) - 1
    degree = next(k for k in count(1) if largest**k < _SERIES_END * factorial(k)) - 1
    head, *rest = [1.0 / (factorial(k) * (top + 1 + k)) for k in range(max(degree, 1), -1, -1)]
    eta = xp.multiply(x, head, out=tower[top])
    for c in rest[:-1]:
        eta += c
        eta *= x
    eta += rest[-1]
    eta *= t * (-t) ** top
    for m in range(top, 0, -1):
        xp.multiply(alpha, tower[m], out=tower[m - 1])
        tower[m - 1] += decay[m]
        tower[m - 1] *= -1.0 / m


def decay_tower(alpha: Array, t: Array, top: int, work: Workspace) -> list[Array]:
    """[E, −tE, …, (−t)ᵐE]: E = e^(−αt) and its derivatives with respect to α."""
    head = work.times(alpha, -t)
    tower = [work.xp.exp(head, out=head)]
    for _ in range(top):
        tower.append(work.times(tower[-1], -t))
    return tower
