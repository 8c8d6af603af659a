# SPDX-License-Identifier: MIT
"""Static random features, the paper's baselines `SoV`, `STC` and `PIELM`, on the patches of `Liquid`."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field

import numpy as np

from lrfm.problem.calls import naming

from .arguments import check_choice, check_number, check_weights, spread_weights, tuples
from .charts import Affine
from .cores import Core, RidgeCore, SeparatedCore
from .layout import Patched, PatchShape
from .liquid import scaled_weights
from .ridge import Ridge
from .space import Patch, Space
from .towers import PROFILES


@naming
@dataclass(frozen=True, kw_only=True)
class AbstractStatic(Patched, ABC):
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
        self._check_layout()
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
        shapes = self._shapes(names, lower, upper, periodic, window)
        ranges = spread_weights("weights", self.weights, (*names, "t"))
        half = 0.5 * (float(window[1]) - float(window[0]))
        time_chart = Affine(center=half, scale=half)
        base = rng.random((len(shapes), self._each, 3 + 2 * len(names)))
        patches = []
        for shape, rows in zip(shapes, base, strict=True):
            biases = self.biases * (2.0 * rows[:, :2] - 1.0)
            time_weights = ranges[-1] * (2.0 * rows[:, 2:3] - 1.0)
            weights = scaled_weights(shape, ranges[:-1], rows[:, 3:])
            core = self._core(shape, time_chart, weights, time_weights, biases)
            patches.append(Patch(frame=shape.frame, factors=shape.factors, core=core))
        return Space(patches=tuple(patches))

    @abstractmethod
    def _core(
        self,
        shape: PatchShape,
        time_chart: Affine,
        weights: np.ndarray,
        time_weights: np.ndarray,
        biases: np.ndarray,
    ) -> Core:
        """The functions of one patch.

        `weights` is (features, components), `time_weights` (features, 1), `biases` (features, 2).
        """


@naming
@dataclass(frozen=True, kw_only=True)
class SoV(AbstractStatic):
    """tanh(k·z + b) tanh(w t̃ + b′): one time factor per space factor (separation of variables).

    Parameters
    ----------
    features, per_patch, patches, biases, profile, overlap, periodic
        As in `Liquid`.
    weights
        Range R of all weights, time included: one number, or one per axis with time last.

    Examples
    --------
    >>> import numpy as np
    >>> import lrfm
    >>> space = lrfm.SoV(per_patch=20, patches=3)
    >>> space.sample(("x",), [0.0], [1.0], (True,), (0.0, 1.0), np.random.default_rng(0)).size
    60
    """

    def _core(self, shape, time_chart, weights, time_weights, biases) -> Core:
        return SeparatedCore(
            charts=shape.charts,
            time_chart=time_chart,
            ridge=Ridge(weights=weights, biases=biases[:, 0]),
            time_ridge=Ridge(weights=time_weights, biases=biases[:, 1]),
            profile=PROFILES[self.profile],
        )


@naming
@dataclass(frozen=True, kw_only=True)
class STC(AbstractStatic):
    """tanh(k·z + w t̃ + b): time as one more coordinate (space-time concatenation).

    Parameters
    ----------
    features, per_patch, patches, biases, profile, overlap, periodic
        As in `Liquid`.
    weights
        Range R of all weights, time included: one number, or one per axis with time last.

    Examples
    --------
    >>> import lrfm
    >>> lrfm.STC(per_patch=20, patches=(3, 2)).counts(axes=2).features
    120
    """

    def _core(self, shape, time_chart, weights, time_weights, biases) -> Core:
        return RidgeCore(
            charts=(*shape.charts, time_chart),
            ridge=Ridge(weights=np.hstack([weights, time_weights]), biases=biases[:, 0]),
            profile=PROFILES[self.profile],
        )


@naming
@dataclass(frozen=True, kw_only=True)
class PIELM(STC):
    """tanh(k·z + w t̃ + b) on the whole box: `STC` with one patch.

    Parameters
    ----------
    features, weights, biases, profile, periodic
        As in `STC`.

    Examples
    --------
    >>> import numpy as np
    >>> import lrfm
    >>> box = (("x",), [0.0], [1.0], (False,), (0.0, 1.0))
    >>> one, other = (s.sample(*box, np.random.default_rng(0)) for s in (lrfm.PIELM(features=9), lrfm.STC(features=9)))
    >>> at = np.array([[0.3, 0.7]])
    >>> bool(np.all(one.jets(at, [(2, 0)])[2, 0] == other.jets(at, [(2, 0)])[2, 0]))
    True
    """

    # A field of `STC` that is not one of these is a constant here.
    per_patch: None = field(default=None, init=False, repr=False)
    patches: None = field(default=None, init=False, repr=False)
    overlap: float = field(default=0.25, init=False, repr=False)
