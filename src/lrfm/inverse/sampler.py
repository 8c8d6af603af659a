# SPDX-License-Identifier: MIT
"""Unknowns after the data: samples of q, λ, τ, ν, ℓ given y = J q + noise, each drawn in turn from its distribution given all others.

q | …  ~ N(A⁻¹ Jᵀy, A⁻¹),  A = JᵀJ + Λ;     λ², τ² | …: inverse Gamma, by Makalic and Schmidt (2016, IEEE Signal Processing Letters 23);
(ν, ℓ) | …: one of few.   Numbers have Λ = 0. All sizes are integrated over, so that bands know how little is known of these.

A mode that the data do not see is as large as its size says, and its size as the mode: drawn in turn, both hardly move. So sizes are also
drawn with z = q/(τ λ …) held, by Metropolis: proposals from the prior, q moves with them, and the likelihood alone decides (Yu and Meng 2011,
Journal of Computational and Graphical Statistics 20: both ways in turn are fast where each alone is slow).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from lrfm.inverse.prior import Spectrum
from lrfm.inverse.vector import Vector
from lrfm.linalg.deadline import check_deadline
from lrfm.linalg.lapack import dtrtrs

BURN = 0.2  # part of the samples that come before those that count
EACH = 4  # samples of q for the same sizes, of which one goes on
LARGEST = 1e200
TAILS = 2.0  # degrees of freedom of λ; see `prior`


@dataclass(frozen=True)
class Drawn:
    """Samples of all unknowns (samples, size) relative to the center of the prior, and for each field the median precision of its modes and ℓ."""

    samples: np.ndarray
    middle: np.ndarray  # the median of every mode; means would follow the tails of what is not seen
    precisions: dict[str, np.ndarray]
    lengths: dict[str, float]


@dataclass
class _Field:
    """Where the sizes of one field are in a chain."""

    place: slice
    own: Spectrum
    family: int
    local: np.ndarray  # λ²
    whole: float = 1.0  # τ²
    precisions: list[np.ndarray] = field(default_factory=list)
    lengths: list[float] = field(default_factory=list)

    @property
    def precision(self) -> np.ndarray:
        exponent = self.own.logs[self.family] - np.log(self.local) - np.log(self.whole)
        return np.exp(np.clip(exponent, -np.log(LARGEST), np.log(LARGEST)))

    def move(self, q: np.ndarray, rng: np.random.Generator) -> None:
        """Sizes, then the family, given the modes."""
        count, power = len(q), (TAILS + 1) / 2
        square = np.maximum(q**2 * np.exp(self.own.logs[self.family]), 1e-280)
        rate = (1 + TAILS / self.local) / rng.gamma(power, size=count)
        self.local = (TAILS / rate + square / (2 * self.whole)) / rng.gamma(power, size=count)
        rate = (1 + 1 / self.whole) / rng.exponential()
        self.whole = (1 / rate + float(np.sum(square / self.local)) / 2) / rng.gamma((count + 1) / 2)
        weights = q**2 / (self.local * self.whole)
        logarithm = 0.5 * self.own.logs.sum(axis=1) - 0.5 * np.exp(self.own.logs) @ weights
        chances = np.exp(logarithm - logarithm.max())
        self.family = int(rng.choice(len(chances), p=chances / chances.sum()))

    def carry(self, q: np.ndarray, pull: np.ndarray, gram: np.ndarray, rng: np.random.Generator) -> None:
        """Sizes and the family with q/size held: q moves with them, in place, and so does `pull`, the slope of the log likelihood."""
        self._carry_whole(q, pull, gram, rng)
        count, first = len(q), self.place.start
        own = q[self.place]
        local = rng.standard_t(TAILS, size=count) ** 2
        steps = own * (np.sqrt(local / self.local) - 1)
        limits, curves = np.log(rng.random(count)), np.diag(gram)[self.place]
        for k in np.flatnonzero(np.isfinite(steps)):
            step = steps[k]
            if step * pull[first + k] - 0.5 * step**2 * curves[k] > limits[k]:
                q[first + k] += step
                pull -= step * gram[first + k]
                self.local[k] = local[k]

    def _carry_whole(
        self, q: np.ndarray, pull: np.ndarray, gram: np.ndarray, rng: np.random.Generator
    ) -> None:
        """τ by a random step in its logarithm, then the family, all modes with it."""
        shift = rng.normal()
        odds = (
            0.5 * shift + np.log1p(self.whole) - np.log1p(self.whole * np.exp(shift))
        )  # half-Cauchy, in log τ²
        family = int(rng.integers(len(self.own.families)))
        scale = np.exp(0.5 * (self.own.logs[self.family] - self.own.logs[family]))
        for whole, kept, factor, prior in (
            (self.whole * np.exp(shift), self.family, np.exp(0.5 * shift), odds),
            (None, family, scale, 0.0),
        ):
            step = np.zeros(len(q))
            step[self.place] = q[self.place] * (factor - 1)
            bent = gram @ step
            if step @ pull - 0.5 * step @ bent + prior > np.log(rng.random()):
                q += step
                pull -= bent
                self.whole, self.family = self.whole if whole is None else whole, kept


def sampled(
    vector: Vector,
    spectra: dict[str, Spectrum],
    slopes: np.ndarray,
    y: np.ndarray,
    rng: np.random.Generator,
    count: int,
) -> Drawn:
    """Samples given whitened slopes (values, unknowns) and linearized data y."""
    turn = np.eye(vector.size)
    fields = {}
    for name, own in spectra.items():
        place, modes = vector.slice(name), own.logs.shape[1]
        turn[place, place] = own.to_functions
        fields[name] = _Field(place, own, len(own.families) // 2, np.ones(modes))
    j = slopes @ turn
    gram, right = j.T @ j, j.T @ y
    found, burn = np.empty((count, EACH, vector.size)), int(BURN * count)
    for number in range(-burn, count):
        check_deadline()
        q = _drawn(gram, right, fields, rng)
        goes_on = q[0].copy()
        pull = right - gram @ goes_on
        for part in fields.values():
            part.carry(goes_on, pull, gram, rng)
            part.move(goes_on[part.place], rng)
            if number >= 0:
                part.precisions.append(part.precision)
                part.lengths.append(part.own.families[part.family][1])
        if number >= 0:
            found[number] = q
    # The mean of 1/size² has no bound: one sample in which a mode is hardly there would hold it fast.
    precisions = {name: np.median(part.precisions, axis=0) for name, part in fields.items()}
    lengths = {name: float(np.median(part.lengths)) for name, part in fields.items()}
    found = found.reshape(-1, vector.size)
    return Drawn(found @ turn.T, turn @ np.median(found, axis=0), precisions, lengths)


def _drawn(
    gram: np.ndarray, right: np.ndarray, fields: dict[str, _Field], rng: np.random.Generator
) -> np.ndarray:
    """Some q ~ N(A⁻¹ b, A⁻¹), one in each row."""
    diagonal = np.diag(gram).copy()
    for part in fields.values():
        diagonal[part.place] += part.precision
    scale = 1 / np.sqrt(np.maximum(diagonal, 1e-300))
    a = gram * np.outer(scale, scale)
    np.fill_diagonal(a, 1 + 1e-13)
    factor = np.linalg.cholesky(a)
    half, _ = dtrtrs(factor, scale * right, lower=1)
    found, _ = dtrtrs(factor, half[:, None] + rng.normal(size=(len(right), EACH)), lower=1, trans=1)
    return scale * found.T
