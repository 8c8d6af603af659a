# SPDX-License-Identifier: MIT
"""Liquid features on a circle whose ridges, and collocation points, gather where a block's data are steep.

A ridge s = ρ (cos(θ − θ₀) − cos δ) on the circle θ = 2πx/L vanishes at θ₀ ± δ: a chord. Both ends are drawn
from the density m = (1 − a) + a |u₀′|/mean|u₀′| of the block's initial data; ρ is chosen so that the slope at
the ends grows with m. For one periodic axis; the interfaces of Allen-Cahn are what it is for.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lrfm.problem import Box
from lrfm.rows.collocation import Collocation, Points
from lrfm.spaces import Space
from lrfm.spaces.charts import Periodic
from lrfm.spaces.cores import LiquidCore
from lrfm.spaces.ridge import Ridge
from lrfm.spaces.space import Frame, Patch
from lrfm.spaces.towers import PROFILES

CELLS = 2000
SMOOTHING = 0.02  # standard deviation of the monitor's smoothing, in units of x
SHORTEST = 0.05  # smallest sin δ: shorter chords would be spikes


@dataclass(frozen=True, eq=False)
class Monitor:
    """A density on [lower, upper] with mean 1, given at the middles of equal cells."""

    lower: float
    upper: float
    density: np.ndarray

    @classmethod
    def of(cls, x: np.ndarray, u: np.ndarray, share: float) -> Monitor:
        """(1 − a) + a |u′|/mean|u′|, smoothed; x equidistant over one period, end included."""
        slope = np.abs(np.diff(u) / np.diff(x))
        length, k = x[-1] - x[0], np.fft.rfftfreq(len(slope), (x[1] - x[0]))
        slope = np.fft.irfft(np.fft.rfft(slope) * np.exp(-0.5 * (2 * np.pi * k * SMOOTHING) ** 2), len(slope))
        density = (1 - share) + share * np.maximum(slope, 0.0) / slope.mean()
        return cls(float(x[0]), float(x[0] + length), density / density.mean())

    def quantile(self, s: np.ndarray) -> np.ndarray:
        """Map uniform numbers to points with this density."""
        mass = np.concatenate([[0.0], np.cumsum(self.density)])
        edges = np.linspace(self.lower, self.upper, len(mass))
        return np.interp(s, mass / mass[-1], edges)

    def __call__(self, x: np.ndarray) -> np.ndarray:
        cell = (x - self.lower) / (self.upper - self.lower) * len(self.density)
        return self.density[np.clip(cell.astype(int), 0, len(self.density) - 1)]


@dataclass(frozen=True, kw_only=True, eq=False)
class Chords:
    """Liquid features with chord ridges.

    Parameters
    ----------
    features, gate, tau
        As in `lrfm.Liquid`.
    slope
        (a, b): the slope in θ at an end of a chord is U(0.15, 1)·(a + b m).
    monitor
        Where ends are drawn from.
    """

    features: int
    gate: float
    tau: tuple[float, float]
    slope: tuple[float, float]
    monitor: Monitor
    periodic: str = "chart"

    def sample(self, names, lower, upper, periodic, window, rng: np.random.Generator) -> Space:
        """Draw the features of one window."""
        length = float(upper[0] - lower[0])
        center = 0.5 * float(lower[0] + upper[0])
        low, high = np.log10(self.tau)
        duration = float(window[1] - window[0])
        core = LiquidCore(
            charts=(Periodic(length=length),),
            gate_ridge=self._ridge(center, length, rng),
            start_ridge=self._ridge(center, length, rng),
            rates=10.0 ** -np.sort(rng.uniform(low, high, self.features))[::-1] / duration,
            amplitudes=rng.uniform(-1.0, 1.0, self.features),
            gate=self.gate,
            profile=PROFILES["tanh"],
        )
        frame = Frame(center=[center], period=[0.0], start=float(window[0]))
        return Space(patches=(Patch(frame=frame, factors=(), core=core),))

    def _ridge(self, center: float, length: float, rng: np.random.Generator) -> Ridge:
        first, second = (self.monitor.quantile(rng.random(self.features)) for _ in range(2))
        angles = 2 * np.pi * (np.stack([first, second]) - center) / length
        middle, half = 0.5 * angles.sum(axis=0), 0.5 * (angles[1] - angles[0])
        steep = rng.uniform(0.15, 1.0, self.features) * (self.slope[0] + self.slope[1] * self.monitor(first))
        radius = steep / np.maximum(np.abs(np.sin(half)), SHORTEST) * rng.choice([-1.0, 1.0], self.features)
        weights = radius[:, None] * np.column_stack([np.cos(middle), np.sin(middle)])
        return Ridge(weights=weights, biases=-radius * np.cos(half))


@dataclass(frozen=True, kw_only=True, eq=False)
class Gathered(Collocation):
    """Collocation points whose x follow a monitor."""

    monitor: Monitor | None = None

    def place(self, box: Box, window: tuple[float, float], rng: np.random.Generator) -> Points:
        points = super().place(box, window, rng)
        low, length = box.lower[0], box.upper[0] - box.lower[0]
        for where in (points.interior, points.initial):
            where[:, 0] = self.monitor.quantile((where[:, 0] - low) / length)
        return points
