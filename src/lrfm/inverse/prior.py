# SPDX-License-Identifier: MIT
"""What is believed of an unknown field before there are data: q_k ~ N(0, τ² λ_k² (1 + ℓ²κ_k²)^−s), k = k₀ + Σ_k q_k e_k(x).

e_k are the modes of the field on its axes, κ_k their wave numbers, −Δe = κ²e: Matérn's covariance, with s = ν + d/2. Nothing of it is set by
hand. How large the field is (τ), over what length it is smooth (ℓ) and how smooth (ν) are unknown themselves; so is, by λ_k, whether a mode is
there at all, as in the horseshoe of Carvalho, Polson and Scott (2010, Biometrika 97): τ has a half-Cauchy distribution, λ_k is |t| of Student
with two degrees of freedom. Modes that data do not ask for shrink to nothing, those they do ask for are left alone, and what data do not see
keeps heavy tails. With one degree, the horseshoe itself, tails decide alone: of modes without data it says 25 times their size, and bands were
several times too wide; with two or three bands covered random smooth fields at about the rate that is stated (docs/data.md).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from lrfm.inverse.vector import Vector
from lrfm.problem.field import PLAIN, UnknownField

SMOOTHNESS = (0.5, 1.5, 2.5, 4.5, 8.5)  # ν: as often differentiable are the fields
SHORTEST = (
    2.5  # ℓκ of the fastest mode for the shortest ℓ: what is shorter, the modes could not show to be smooth
)
LONGEST = 3.0  # ℓ in units of an axis / π


@dataclass(frozen=True)
class Spectrum:
    """The modes of a field: c = T q, q = B c; log (1 + ℓ²κ²)^s of each mode for each pair (ν, ℓ)."""

    to_functions: np.ndarray
    to_modes: np.ndarray
    families: tuple[tuple[float, float], ...]
    logs: np.ndarray  # (families, modes), zero for the slowest mode


def spectrum(field: UnknownField) -> Spectrum:
    """From cᵀMc = Σ (κ⁴ + a thousandth) q² and cᵀGc = Σ q²."""
    rough, plain = field.roughness()
    half = np.linalg.cholesky(plain)
    inverse = np.linalg.inv(half)
    values, vectors = np.linalg.eigh(inverse @ rough @ inverse.T)
    square = np.sqrt(np.maximum(values - PLAIN, 0.0))
    shortest = SHORTEST / field.per_axis
    lengths = shortest * 2.0 ** np.arange(max(1, math.ceil(math.log2(LONGEST / shortest) - 1e-9) + 1))
    families = tuple((nu, float(length)) for nu in SMOOTHNESS for length in lengths)
    d = len(field.spans)
    logs = np.array([(nu + d / 2) * np.log1p(length**2 * square) for nu, length in families])
    return Spectrum(inverse.T @ vectors, vectors.T @ half.T, families, logs - logs.min(axis=1)[:, None])


def spectra(vector: Vector) -> dict[str, Spectrum]:
    """Of all fields."""
    return {name: spectrum(field) for name, field in vector.fields.items()}


def stacked(vector: Vector, spectra_of: dict[str, Spectrum], precisions: dict[str, np.ndarray]) -> np.ndarray:
    """√p B of all fields as rows on the whole vector, p the precision of each mode."""
    rows = [np.zeros((0, vector.size))]
    for name, own in spectra_of.items():
        block = np.zeros((len(own.to_modes), vector.size))
        block[:, vector.slice(name)] = np.sqrt(precisions[name])[:, None] * own.to_modes
        rows.append(block)
    return np.concatenate(rows)
