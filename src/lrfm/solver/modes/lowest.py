# SPDX-License-Identifier: MIT
"""A number beyond the end of a spectrum:  det(P₀(x, ξ) + λ P₁(x, ξ)) = 0 at all places x and all waves ξ.

    P(x, ξ) = Σ_a c_a(x) (iξ)^a

is the symbol of the rows, here those of −½u″ + V u = λu: ½ξ² + V(x) + … = λ. Where its λ go to infinity on one side of zero alone, the spectrum has an end on the other side, near the least
λ of the symbol (of Schrödinger's equation no state lies below the least V). Those who look for modes of a well mean its lowest, and not those nearest to zero.
"""

from __future__ import annotations

import numpy as np

from lrfm.discretize.options import ROUNDING, SCANS
from lrfm.problem import Jet, Row

WAVES = 2.0 ** np.arange(-4, 20.5, 0.5)  # |ξ| times the width of the domain


def end(rows: list[tuple[Row, ...]], numbers: tuple[float, ...], points: np.ndarray) -> tuple[float, float]:
    """The sign of all λ of the symbol that are far away, zero where they have both; and a number beyond all others, by as much as the last of them is, zero where all have that sign.

    `rows` are those of a statement at two `numbers` in the place of λ, in which it is linear.
    """
    widths = np.ptp(points[:, :-1], axis=0)
    axes = np.concatenate([np.eye(len(widths)), np.ones((1, len(widths)))])
    parts = _parts(rows, numbers, points)
    # Some of the places, and those at which a coefficient is largest or smallest.
    every = [values for jets in parts.values() for pair in jets.values() for values in pair]
    ends = [pick(values) for values in every for pick in (np.argmin, np.argmax)]
    some = np.unique(np.array([*range(0, len(points), 1 + len(points) // SCANS.points), *ends], dtype=int))
    parts = {at: {j: (a[some], b[some]) for j, (a, b) in jets.items()} for at, jets in parts.items()}
    far = np.zeros(0)
    least, most = np.inf, -np.inf  # of the real parts
    for wave in (axis * length / widths for length in WAVES for axis in axes):
        values = _values(parts, wave, numbers[0])
        values = values[np.isfinite(values)]
        far = np.where(np.abs(np.imag(values)) > np.abs(np.real(values)), 0.0, np.real(values))
        least, most = min(least, np.min(far, initial=np.inf)), max(most, np.max(far, initial=-np.inf))
    zero = ROUNDING.solved * abs(numbers[0])
    if len(far) and np.all(far > 0):
        return 1.0, 2 * least if least < -zero else 0.0
    return (-1.0, 2 * most if most > zero else 0.0) if len(far) and np.all(far < 0) else (0.0, 0.0)


# By row and field, and by derivative: coefficients at points, of λ⁰ and of λ.
Parts = dict[tuple[int, int], dict[Jet, tuple[np.ndarray, np.ndarray]]]


def _parts(rows: list[tuple[Row, ...]], numbers: tuple[float, ...], points: np.ndarray) -> Parts:
    """The coefficients of P₀ and P₁, from those at two numbers. Each derivative by itself: beside ξ⁴ the λ of a beam is rounding."""
    fields = sorted({jet.field for row in rows[0] for jet in row.jets})
    found: Parts = {}
    for i, own in enumerate(zip(*rows, strict=True)):
        at = [row.affine(points)[1] for row in own]
        for jet in {jet for some in at for jet in some}:
            first, second = (np.broadcast_to(some.get(jet, 0.0), len(points)) for some in at)
            size = max(float(np.max(np.abs(first))), float(np.max(np.abs(second))))
            change = np.where(np.abs(second - first) > ROUNDING.solved * size, second - first, 0.0)
            slope = change / (numbers[1] - numbers[0])
            start = first - numbers[0] * slope
            found.setdefault((i, fields.index(jet.field)), {})[jet] = start, slope
    return found


def _values(parts: Parts, wave: np.ndarray, tau: float) -> np.ndarray:
    """λ = τ − 1/μ of the symbol at all points with μ of (P₀ + τP₁)⁻¹ P₁, τ no special number; none where it is singular."""
    count, size = len(next(iter(next(iter(parts.values())).values()))[0]), 1 + max(max(at) for at in parts)
    start, slope = np.zeros((2, count, size, size), dtype=complex)
    for (i, j), jets in parts.items():
        for jet, (constant, linear) in jets.items():
            start[:, i, j] += constant * _power(jet, wave)
            slope[:, i, j] += linear * _power(jet, wave)
    try:
        inverses = np.linalg.eigvals(np.linalg.solve(start + tau * slope, slope)).ravel()
    except np.linalg.LinAlgError:
        return np.zeros(0)
    with np.errstate(all="ignore"):
        most = np.max(np.abs(inverses), initial=0.0)
        return np.where(np.abs(inverses) > ROUNDING.solved * most, tau - 1 / inverses, np.nan)


def _power(jet: Jet, wave: np.ndarray) -> complex:
    return complex(np.prod((1j * wave) ** np.array(jet.index[: len(wave)])))
