# SPDX-License-Identifier: MIT
"""A number beyond the end of a spectrum:  det(P₀(x, ξ) + λ P₁(x, ξ)) = 0 at all places x and all waves ξ.

    P(x, ξ) = Σ_a c_a(x) (iξ)^a

is the symbol of the rows, here those of −½u″ + V u = λu: ½ξ² + V(x) + … = λ. Where its λ go to infinity on one side of zero alone, the spectrum has an end on the other side, near the least
λ of the symbol (of Schrödinger's equation no state lies below the least V). Those who look for modes of a well mean its lowest, and not those nearest to zero.
"""

from __future__ import annotations

import numpy as np

from lrfm.discretize.options import ROUNDING
from lrfm.problem import Jet, Row

WAVES = 4.0 ** np.arange(-2, 11)  # |ξ| times the width of the domain
TAU = 0.5772156649  # λ = τ − 1/μ with μ of (P₀ + τP₁)⁻¹ P₁: no special number


def beyond(rows: list[tuple[Row, ...]], numbers: tuple[float, ...], points: np.ndarray) -> float | None:
    """A number beyond all λ of the symbol, by as much as the least of them is; None where the symbol has λ on one side of zero, or goes to infinity on both.

    `rows` are those of a statement at three `numbers` in the place of λ, in which it is linear.
    """
    widths = np.ptp(points[:, :-1], axis=0)
    axes = np.concatenate([np.eye(len(widths)), np.ones((1, len(widths)))])
    far = np.zeros(0)
    least, most = np.inf, -np.inf  # of the real parts
    for wave in (axis * length / widths for length in WAVES for axis in axes):
        values = _values(rows, numbers, points, wave)
        if values is None:
            return None
        values = values[np.isfinite(values)]
        far = np.where(np.abs(np.imag(values)) > np.abs(np.real(values)), 0.0, np.real(values))
        least, most = min(least, np.min(far, initial=np.inf)), max(most, np.max(far, initial=-np.inf))
    if len(far) and np.all(far > 0) and least < -ROUNDING.root:
        return 2 * least
    return 2 * most if len(far) and np.all(far < 0) and most > ROUNDING.root else None


def _values(
    rows: list[tuple[Row, ...]], numbers: tuple[float, ...], points: np.ndarray, wave: np.ndarray
) -> np.ndarray | None:
    """λ of the symbol at all points; None where the rows are not linear in it."""
    first, second, third = (_symbol(some, points, wave) for some in rows)
    slope = (second - first) / (numbers[1] - numbers[0])
    start = first - numbers[0] * slope
    size = float(np.max(np.abs(first)))
    if np.max(np.abs(start + numbers[2] * slope - third)) > ROUNDING.stagnant * size:
        return None
    try:
        inverses = np.linalg.eigvals(np.linalg.solve(start + TAU * slope, slope)).ravel()
    except np.linalg.LinAlgError:
        return np.zeros(0)
    with np.errstate(all="ignore"):
        most = np.max(np.abs(inverses), initial=0.0)
        return np.where(np.abs(inverses) > ROUNDING.solved * most, TAU - 1 / inverses, np.nan)


def _symbol(rows: tuple[Row, ...], points: np.ndarray, wave: np.ndarray) -> np.ndarray:
    """P(x, ξ) at points: (points, rows, fields)."""
    fields = sorted({jet.field for row in rows for jet in row.jets})
    result = np.zeros((len(points), len(rows), len(fields)), dtype=complex)
    for i, row in enumerate(rows):
        for jet, factor in row.affine(points)[1].items():
            result[:, i, fields.index(jet.field)] += factor * _power(jet, wave)
    return result


def _power(jet: Jet, wave: np.ndarray) -> complex:
    return complex(np.prod((1j * wave) ** np.array(jet.index[: len(wave)])))
