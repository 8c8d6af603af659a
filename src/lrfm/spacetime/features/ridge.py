# SPDX-License-Identifier: MIT
"""Ridges: scalar arguments s = b + Σᵢ σᵢ(yᵢ) that are sums of one-axis functions."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lrfm.spaces.orders import MultiIndex
from lrfm.spacetime.least_squares.backends import NUMPY, Array, Backend

from .arguments import readonly
from .charts import Chart, Components
from .towers import Bells, partial_bell
from .workspace import Workspace


def chart_towers(
    charts: Sequence[Chart], coordinates: Sequence[Array], tops: MultiIndex, xp: Backend = NUMPY
) -> list[list[Components]]:
    """The component towers of every axis, to be shared by all ridges on these charts."""
    return [c.tower(y, top, xp) for c, y, top in zip(charts, coordinates, tops, strict=True)]


@dataclass(frozen=True, kw_only=True, eq=False)
class Ridge:
    """s = b + Σᵢ σᵢ(yᵢ),  σᵢ⁽ᵏ⁾ = Σₘ wᵢₘ cₘ⁽ᵏ⁾(yᵢ). Paper, eq:gh0 (there σᵢ = wᵢ zᵢ).

    Parameters
    ----------
    weights
        (features, components of all axes), axis after axis.
    biases
        (features,)
    """

    weights: np.ndarray
    biases: np.ndarray

    def __post_init__(self):
        object.__setattr__(self, "weights", readonly(self.weights))
        object.__setattr__(self, "biases", readonly(self.biases))

    def part(self, rows: slice) -> "Ridge":
        """Some of the features."""
        return Ridge(weights=self.weights[rows], biases=self.biases[rows])

    def argument(self, towers: Sequence[Sequence[Components]], work: Workspace) -> Array:
        """The values s, an array of the tile that the caller may overwrite."""
        biases = work.column(self.biases)
        components = [component for tower in towers for component in tower[0]]
        s = work.like(biases, *components)
        s[:] = biases
        mark = work.mark()
        term = work.like(s)
        for weights, component in zip(self.weights.T, components, strict=True):
            s += work.xp.multiply(work.column(weights), component, out=term)
        work.release(mark)
        return s

    def bells(self, towers: Sequence[Sequence[Components]], tops: MultiIndex, work: Workspace) -> list[Bells]:
        """Per axis, the Bell polynomials of σᵢ′, σᵢ″, … up to order tops[i]: columns where constant."""
        result, columns = [], iter(self.weights.T)
        for tower, top in zip(towers, tops, strict=True):
            own = [work.column(next(columns)) for _ in tower[0]]
            slopes = [
                sum((w * c for w, c in zip(own[1:], parts[1:], strict=True)), start=own[0] * parts[0])
                for parts in tower[1 : top + 1]
            ]
            result.append(partial_bell(slopes + [None] * (top - len(slopes)), work))
        return result
