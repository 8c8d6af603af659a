# SPDX-License-Identifier: MIT
"""Static random features, the paper's baselines `SoV`, `STC` and `PIELM`, on the patches of `Liquid`."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from .arguments import check_choice, check_number, check_weights, spread_weights, tuples
from .charts import Affine
from .cores import Core, RidgeCore, SeparatedCore
from .layout import Cell, Layout, check_box, check_layout
from .liquid import scaled_weights
from .ridge import Ridge
from .space import Patch, Space
from .towers import PROFILES


@dataclass(frozen=True, kw_only=True)
class AbstractStatic(ABC):
    """Ridge features of space and time, t̃ = time mapped to [-1, 1] over the window.

    Parameters
    ----------
    features, per_patch, patches, biases, profile, overlap, periodic
        As in `Liquid`.
    weights
        Range R of all weights, time included: one number, or one per axis with time last.
    """

    features: int | None = None
    per_patch: int | None = None
    patches: int | tuple[int, ...] | None = None
    weights: float | tuple[float, ...] = 2.0
    biases: float = 1.0
    profile: str = "tanh"
    overlap: float = 0.25
    periodic: str = "chart"

    def __post_init__(self):
        for name in ("patches", "weights"):
            object.__setattr__(self, name, tuples(getattr(self, name)))
        check_layout(self.features, self.per_patch, self.patches, self.overlap, self.periodic)
        check_weights("weights", self.weights)
        check_number("biases", self.biases)
        check_choice("profile", self.profile, tuple(PROFILES))

    def sample(
        self,
        names: tuple[str, ...],
        lower: np.ndarray,
        upper: np.ndarray,
        periodic: tuple[bool, ...],
        window: tuple[float, float],
        rng: np.random.Generator,
    ) -> Space:
        """Draw the features for a box and a time window.

        One table of uniform numbers is drawn, (patches, features of a patch, 3 + 2 axes), whatever the other
        settings; a row is [b, b′, w, k (axes × 2)].
        """
        check_box(names, lower, upper, periodic, window)
        ranges = spread_weights("weights", self.weights, (*names, "t"))
        cells = Layout(
            names=tuple(names),
            lower=tuple(map(float, lower)),
            upper=tuple(map(float, upper)),
            periodic=tuple(map(bool, periodic)),
            start=float(window[0]),
            patches=self.patches,
            overlap=self.overlap,
            exact=self.periodic == "chart",
        ).cells()
        half = 0.5 * (float(window[1]) - float(window[0]))
        time_chart = Affine(center=half, scale=half)
        base = rng.random((len(cells), self.per_patch or self.features, 3 + 2 * len(names)))
        patches = []
        for cell, rows in zip(cells, base, strict=True):
            biases = self.biases * (2.0 * rows[:, :2] - 1.0)
            time_weights = ranges[-1] * (2.0 * rows[:, 2:3] - 1.0)
            weights = scaled_weights(cell, ranges[:-1], rows[:, 3:])
            core = self._core(cell, time_chart, weights, time_weights, biases)
            patches.append(Patch(frame=cell.frame, factors=cell.factors, core=core))
        return Space(patches=tuple(patches))

    @abstractmethod
    def _core(
        self,
        cell: Cell,
        time_chart: Affine,
        weights: np.ndarray,
        time_weights: np.ndarray,
        biases: np.ndarray,
    ) -> Core:
        """The functions of one patch.

        `weights` is (features, components), `time_weights` (features, 1), `biases` (features, 2).
        """


@dataclass(frozen=True, kw_only=True)
class SoV(AbstractStatic):
    """tanh(k·z + b) tanh(w t̃ + b′): one time factor per space factor (separation of variables)."""

    def _core(self, cell, time_chart, weights, time_weights, biases) -> Core:
        return SeparatedCore(
            charts=cell.charts,
            time_chart=time_chart,
            ridge=Ridge(weights=weights, biases=biases[:, 0]),
            time_ridge=Ridge(weights=time_weights, biases=biases[:, 1]),
            profile=PROFILES[self.profile],
        )


@dataclass(frozen=True, kw_only=True)
class STC(AbstractStatic):
    """tanh(k·z + w t̃ + b): time as one more coordinate (space-time concatenation)."""

    def _core(self, cell, time_chart, weights, time_weights, biases) -> Core:
        return RidgeCore(
            charts=(*cell.charts, time_chart),
            ridge=Ridge(weights=np.hstack([weights, time_weights]), biases=biases[:, 0]),
            profile=PROFILES[self.profile],
        )


@dataclass(frozen=True, kw_only=True)
class PIELM:
    """tanh(k·z + w t̃ + b) on the whole box: `STC` with one patch. The arguments are those of `STC`."""

    features: int
    weights: float | tuple[float, ...] = 2.0
    biases: float = 1.0
    profile: str = "tanh"
    periodic: str = "chart"

    def __post_init__(self):
        object.__setattr__(self, "weights", tuples(self.weights))
        self._stc()

    def _stc(self) -> STC:
        return STC(
            features=self.features,
            weights=self.weights,
            biases=self.biases,
            profile=self.profile,
            periodic=self.periodic,
        )

    def sample(
        self,
        names: tuple[str, ...],
        lower: np.ndarray,
        upper: np.ndarray,
        periodic: tuple[bool, ...],
        window: tuple[float, float],
        rng: np.random.Generator,
    ) -> Space:
        """Draw what the global `STC` draws."""
        return self._stc().sample(names, lower, upper, periodic, window, rng)
