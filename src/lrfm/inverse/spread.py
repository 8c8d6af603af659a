# SPDX-License-Identifier: MIT
"""What the data leave open, around what was found: a normal distribution where only numbers are unknown, samples where fields are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from lrfm.inverse.statistics import LEVEL

MOST = 20_000_000  # numbers held at once


class Spread(Protocol):
    """How far g·p may lie from g·p̂ at 95 %, for rows g of a table (rows, unknowns)."""

    def band(self, table: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Below, above, and the standard error, each (rows,)."""
        ...


@dataclass(frozen=True)
class Normal:
    """±q √(g C gᵀ), q the quantile of the normal or of Student's distribution."""

    covariance: np.ndarray
    factor: float

    def band(self, table: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        std = np.sqrt(np.maximum(np.sum((table @ self.covariance) * table, axis=1), 0.0))
        return self.factor * std, self.factor * std, std


@dataclass(frozen=True)
class Sampled:
    """Quantiles of samples around their middle; the standard error is that of a normal distribution with this band."""

    deviations: np.ndarray  # (samples, unknowns)
    factor: float

    def band(self, table: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        edges = [(1 - LEVEL) / 2, (1 + LEVEL) / 2]
        parts = [np.zeros((2, 0))]
        most = max(1, MOST // len(self.deviations))
        for first in range(0, len(table), most):
            values = self.deviations @ table[first : first + most].T
            parts.append(np.quantile(values, edges, axis=0))
        low, high = np.concatenate(parts, axis=1)
        return np.maximum(-low, 0.0), np.maximum(high, 0.0), (high - low) / (2 * self.factor)
