# SPDX-License-Identifier: MIT
"""Random functions of ξ ∈ [−1, 1], drawn once.

φ(ξ) = tanh(w (ξ − c))                       on an interval: one smooth step at c,
φ(ξ) = tanh(A (cos π(ξ − m) − cos πd))       on a circle: a bump with flanks at m ± d,
φ(ξ) = 1                                     beside them, always.
"""

from __future__ import annotations

import numpy as np

MARGIN = 1.1  # centers reach this far beyond [−1, 1]


def interval_features(xi: np.ndarray, steepest: float, count: int, rng: np.random.Generator) -> np.ndarray:
    """Steps at places ξ, (places, count): slopes uniform up to the steepest, centers uniform and a little beyond the ends."""
    centers, slopes = MARGIN * (2 * _shares(count, rng) - 1), steepest * rng.random(count)
    return np.tanh((xi[:, None] - centers) * slopes)


def periodic_features(xi: np.ndarray, steepest: float, count: int, rng: np.random.Generator) -> np.ndarray:
    """Bumps of all widths at places ξ, (places, count), with flanks of slopes uniform up to the steepest."""
    middles, widths = 2 * _shares(count, rng) - 1, rng.uniform(0.03, 0.97, count)
    heights = steepest * rng.random(count) / (np.pi * np.sin(np.pi * widths))
    return np.tanh(heights * (np.cos(np.pi * (xi[:, None] - middles)) - np.cos(np.pi * widths)))


def _shares(count: int, rng: np.random.Generator) -> np.ndarray:
    """One share in each of `count` equal parts of [0, 1], in random order."""
    return (rng.permutation(count) + rng.random(count)) / count
