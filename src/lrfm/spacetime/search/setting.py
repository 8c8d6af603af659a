# SPDX-License-Identifier: MIT
"""The scalars that decide almost everything, and the parts they stand for.

R (weight range), γT (gate), c_min and c_max (τ/T), w (weight of initial and boundary rows) are dimensionless, so that a
setting found on one window serves windows of other lengths. The rest is structure: profile, moving frame, oscillation,
factors and charts for boundary data, grading of times, where ridges pass.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from lrfm.problem import Problem
from lrfm.spacetime.features import Liquid
from lrfm.spacetime.least_squares import QR
from lrfm.spacetime.windows.collocation import Collocation
from lrfm.spacetime.windows.nonlinear import Newton
from lrfm.spacetime.windows.parts import Parts


@dataclass(frozen=True, eq=False)
class Setting:
    """Dimensionless scalars and structure of a trial space with its collocation."""

    weights: float = 2.0
    gate: float = 1.0
    tau_min: float = 0.3
    tau_max: float = 20.0
    row_weight: float = 10.0
    profile: str = "tanh"
    drift: tuple[tuple[float, float], ...] | None = None
    oscillation: float | None = None
    vanish: tuple[str, ...] = ()
    cosine: tuple[str, ...] = ()
    grading: float | None = None
    centers: np.ndarray | float | None = None
    chords: bool = False
    extent: float = 1.1
    density: float = 1.0

    def space(self, problem: Problem, window: float, features: int) -> Liquid:
        """The trial space of a window of the given length."""
        return Liquid(
            features=features,
            weights=self.weights,
            biases=float(np.pi) if self.profile == "sine" else self.weights,
            gate=self.gate / window,
            tau=(self.tau_min, self.tau_max),
            drift=self.drift,
            oscillation=None if self.oscillation is None else (0.0, self.oscillation / window),
            profile=self.profile,
            centers=self._centers(problem),
            chords=self.chords,
            vanish=self.vanish,
            cosine=self.cosine,
        )

    def _centers(self, problem: Problem) -> np.ndarray | float | None:
        if self.centers is not None:
            return self.centers
        # Ridges through drawn points help on a wide affine axis; on a circle, or in more dimensions, the box law does.
        plain = problem.domain.dimension > 1 or problem.periodic or self.profile == "sine" or self.cosine
        return None if plain else self.extent

    def collocation(self, problem: Problem, features: int) -> Collocation:
        """Points in proportion to the features."""
        return replace(
            Collocation.for_features(features, problem.domain.dimension, self.density),
            time="chebyshev" if self.grading is None else "graded",
            grading=self.grading or 1e-3,
            time_weight=0.0 if self.grading is None else 1.0,
            initial_weight=self.row_weight,
            boundary_weight=self.row_weight,
            gather=self.centers[:, 0] if self.chords and isinstance(self.centers, np.ndarray) else None,
        )

    def parts(self, problem: Problem, window: float, features: int, max_steps: int = 20) -> Parts:
        """All parts of a solve with this setting."""
        return Parts(
            space=self.space(problem, window, features),
            collocation=self.collocation(problem, features),
            least_squares=QR(),
            nonlinear=Newton(tol=1e-11, max_steps=max_steps),
        )
