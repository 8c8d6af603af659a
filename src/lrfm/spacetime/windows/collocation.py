# SPDX-License-Identifier: MIT
"""Where the residual is sampled: interior, initial and boundary points of one window, and their weights.

λ_int = 1,  λ_b = √(N_int / N_b)  for initial and boundary rows  (Paper, sec:solver, the block weights)
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from lrfm.problem.calls import naming
from lrfm.problem.shapes.protocol import Domain
from lrfm.rows.placing import fill, graded, on_parts, spread, tensor, tensor_shape
from lrfm.spacetime.features.arguments import check_choice, check_count, check_number, is_number

SAMPLINGS = ("latin-hypercube", "sobol", "grid")
TIMES = ("uniform", "chebyshev", "graded")
PER_FEATURE = {1: (3.2, 0.6, 0.25)}  # interior, initial and boundary points per feature in one dimension,
PER_FEATURE_MANY = (3.2, 0.9, 0.33)  # and in more: an initial or boundary set has more to resolve there


@dataclass(frozen=True)
class Points:
    """Collocation points of one window.

    In a box `pairs` holds (lower, upper) per axis, equal but for that axis; in other domains `parts` holds the points on each part
    of the boundary by name.
    """

    interior: np.ndarray
    interior_weight: np.ndarray
    initial: np.ndarray
    pairs: tuple[tuple[np.ndarray, np.ndarray], ...]
    parts: Mapping[str, np.ndarray] = field(default_factory=dict)


@naming
@dataclass(frozen=True, kw_only=True)
class Collocation:
    """How many points, placed how, weighted how.

    Parameters
    ----------
    interior, initial
        Numbers of points in Ω × (t₀, t₁] and in Ω × {t₀}.
    boundary
        Samples per pair of opposite faces; each gives one row per face and condition (the paper's N_BC). Other domains have as
        many in all, shared among their parts by length or area.
    sampling
        Law of the interior points: ``latin-hypercube``, ``sobol`` or ``grid``. Initial and boundary sets are
        tensor grids; in domains that are no boxes, random points and rules.
    time
        Density in time: ``uniform``; ``chebyshev``, denser at both ends; ``graded``, logarithmic towards t₀,
        t = T·d((1 + 1/d)^s − 1) for uniform s, with d = `grading`.
    time_weight
        Interior rows are multiplied by ((t/T + d)/(1 + d))^time_weight, which tames the large residual of a
        fast layer where times are graded.
    interior_weight, initial_weight, boundary_weight
        Factors on top of the weights λ.
    gather
        In one dimension, points (n,) whose density interior and initial points follow, such as where a solution is steep.
    window_units
        Multiply each equation by Tᵐ, T the length of the window and m its time order, as if time were
        measured in windows; the paper does not.

    Examples
    --------
    >>> import numpy as np
    >>> import lrfm
    >>> points = lrfm.Collocation(interior=200, initial=30, boundary=16, time="chebyshev")
    >>> placed = points.place(lrfm.Box(x=(0, 1)), (0.0, 0.1), np.random.default_rng(0))
    >>> placed.interior.shape, placed.initial.shape
    ((200, 2), (30, 2))
    """

    interior: int = 2000
    initial: int = 400
    boundary: int = 120
    sampling: str = "latin-hypercube"
    time: str = "uniform"
    grading: float = 1e-3
    time_weight: float = 0.0
    interior_weight: float = 1.0
    initial_weight: float = 1.0
    boundary_weight: float = 1.0
    window_units: bool = False
    gather: np.ndarray | None = None

    def __post_init__(self) -> None:
        self._check_gather()
        check_choice("sampling", self.sampling, SAMPLINGS)
        check_choice("time", self.time, TIMES)
        for name in ("interior", "initial", "boundary"):
            check_count(name, getattr(self, name))
        for name in ("grading", "interior_weight", "initial_weight", "boundary_weight"):
            check_number(name, getattr(self, name), positive=True)
        if not is_number(self.time_weight):
            raise ValueError(f"`time_weight={self.time_weight!r}` must be a finite number.")

    @classmethod
    def for_features(cls, features: int, dimension: int, density: float = 1.0) -> Collocation:
        """Points in proportion to the features: what a solve uses when no collocation is given.

        >>> from lrfm import Collocation
        >>> Collocation.for_features(100, dimension=2).initial
        90
        """
        interior, initial, boundary = PER_FEATURE.get(dimension, PER_FEATURE_MANY)
        return cls(
            interior=max(64, round(density * interior * features)),
            initial=max(32, round(initial * features)),
            boundary=max(16, round(boundary * features)),
            time="chebyshev",
            window_units=True,
            initial_weight=10.0,
            boundary_weight=10.0,
        )

    def _check_gather(self) -> None:
        if self.gather is None:
            return
        points = np.sort(np.asarray(self.gather, dtype=float).ravel())
        if len(points) < 2 or not np.isfinite(points).all():
            raise ValueError(
                f"`gather` holds {len(points)} points; give at least two finite ones, or leave it out."
            )
        points.setflags(write=False)
        object.__setattr__(self, "gather", points)

    def _gathered(self, gather: np.ndarray, box: Domain, x: np.ndarray) -> np.ndarray:
        """Move uniform x so that they follow the density of `gather`; the ends of the box stay where they are."""
        if box.dimension > 1:
            raise ValueError(f"`gather` is for one dimension; this box has {box.dimension}. Leave it out.")
        low, high = box.lower[0], box.upper[0]
        shares = np.concatenate([[0.0], (np.arange(len(gather)) + 0.5) / len(gather), [1.0]])
        return np.interp((x - low) / (high - low), shares, np.concatenate([[low], gather, [high]]))

    def counts(self, dimension: int) -> tuple[int, int, int]:
        """Points that `place` makes inside, initially, and on each face."""
        grid = self.sampling == "grid"
        interior = math.prod(tensor_shape(self.interior, dimension + 1)) if grid else self.interior
        initial, face = (math.prod(tensor_shape(n, dimension)) for n in (self.initial, self.boundary))
        return interior, initial, face

    def place(self, box: Domain, window: tuple[float, float], rng: np.random.Generator) -> Points:
        """Draw the points of one window."""
        t0, t1 = window
        unit = self._unit(self.interior, box.dimension + 1, rng)
        relative = self.warp(unit[:, -1])
        times = t0 + (t1 - t0) * relative
        interior = np.column_stack([fill(box, unit[:, :-1], times, rng), times])
        weight = ((relative + self.grading) / (1 + self.grading)) ** self.time_weight
        if not box.is_box:
            return self._place_in_region(box, window, interior, self.interior_weight * weight, rng)
        initial = tensor(self.initial, box.lower, box.upper)
        initial = np.column_stack([initial, np.full(len(initial), t0)])
        if self.gather is not None:
            for where in (interior, initial):
                where[:, 0] = self._gathered(self.gather, box, where[:, 0])
        return Points(interior, self.interior_weight * weight, initial, self._faces(box, window))

    def _place_in_region(
        self,
        domain: Domain,
        window: tuple[float, float],
        interior: np.ndarray,
        weight: np.ndarray,
        rng: np.random.Generator,
    ) -> Points:
        """The same where the domain is no box: initial points inside and, a fifth of them, on the boundary."""
        t0, t1 = window
        *_, steps = tensor_shape(self.boundary, domain.dimension)
        times = t0 + (t1 - t0) * self.warp(np.arange(1, steps + 1) / steps)
        parts = on_parts(domain, list(domain.parts), self.boundary, times, rng)
        rim = max(1, round(0.2 * self.initial / (2 * domain.dimension)))
        edge = on_parts(domain, list(domain.parts), rim, np.array([t0]), rng)
        inner = _low_discrepancy(max(1, round(0.8 * self.initial)), domain.dimension, rng)
        initial = fill(domain, inner, t0, rng)
        initial = np.vstack([np.column_stack([initial, np.full(len(initial), t0)]), *edge.values()])
        return Points(interior, weight, initial, (), parts)

    def _unit(self, count: int, dimension: int, rng: np.random.Generator) -> np.ndarray:
        if self.sampling == "sobol":
            return _low_discrepancy(count, dimension, rng)
        if self.sampling == "grid":
            shape = tensor_shape(count, dimension)
            *space, time = [(np.arange(n) + 0.5) / n for n in shape]
            # All places at one time, then the next: responses in time of neighbors are then of one kind.
            t, *x = np.meshgrid(time, *space, indexing="ij")
            return np.column_stack([a.ravel() for a in (*x, t)])
        cells = np.column_stack([rng.permutation(count) for _ in range(dimension)])
        return (cells + rng.random((count, dimension))) / count

    def warp(self, s: np.ndarray) -> np.ndarray:
        """Map a uniform variable in [0, 1] to relative time with the chosen density."""
        if self.time == "chebyshev":
            return 0.5 * (1.0 - np.cos(np.pi * s))
        if self.time == "graded":
            return graded(s, self.grading)
        return s

    def _faces(self, box: Domain, window: tuple[float, float]) -> tuple[tuple[np.ndarray, np.ndarray], ...]:
        t0, t1 = window
        pairs = []
        for axis in range(box.dimension):
            others = [i for i in range(box.dimension) if i != axis]
            *shape, steps = tensor_shape(self.boundary, len(others) + 1)
            times = t0 + (t1 - t0) * self.warp(np.arange(1, steps + 1) / steps)
            grids = [spread(box.lower[i], box.upper[i], n) for i, n in zip(others, shape, strict=True)]
            mesh = [a.ravel() for a in np.meshgrid(*grids, times, indexing="ij")]
            lower = np.empty((len(mesh[-1]), box.dimension + 1))
            lower[:, others] = np.column_stack(mesh[:-1]) if others else lower[:, others]
            lower[:, -1] = mesh[-1]
            upper = lower.copy()
            lower[:, axis], upper[:, axis] = box.lower[axis], box.upper[axis]
            pairs.append((lower, upper))
        return tuple(pairs)


def _low_discrepancy(count: int, dimension: int, rng: np.random.Generator) -> np.ndarray:
    """Sobol's points of the unit cube."""
    from scipy.stats import qmc

    # The first 2^m points are the balanced ones; drawing fewer of them is what `random` warns about.
    engine = qmc.Sobol(dimension, rng=rng)
    return engine.random_base2(math.ceil(math.log2(count)))[:count]
