# SPDX-License-Identifier: MIT
"""Points of space and time in a domain of any shape: random ones inside, rules on the parts of its boundary.

A box takes points of the unit cube as they are, x = l + (u − l) ξ; in other shapes what falls outside is drawn again.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lrfm.problem.errors import ProblemError
from lrfm.problem.shapes.gauss import shares
from lrfm.problem.shapes.protocol import Domain, Part

TRIES = 400  # rounds of drawing again
LEAST = 4  # points on a part at one time
TOGETHER = 12  # times at most at which a moving part is asked for random points


def fill(domain: Domain, unit: np.ndarray, times: np.ndarray | float, rng: np.random.Generator) -> np.ndarray:
    """Points (m, dimension) of a domain from points of the unit cube, at given times."""
    span = domain.upper - domain.lower
    points = domain.lower + span * unit
    if domain.is_box:
        return points
    when = np.broadcast_to(np.asarray(times, dtype=float), (len(points),))
    left = np.flatnonzero(~domain.contains(points, when))
    for _ in range(TRIES):
        if not len(left):
            return points
        points[left] = domain.lower + span * rng.random((len(left), domain.dimension))
        left = left[~domain.contains(points[left], when[left])]
    if not len(left):
        return points
    raise ProblemError(
        f"The domain {domain!r} fills too little of its bounding box, from {domain.lower.tolist()} to {domain.upper.tolist()}, "
        "for points to be drawn in it. Check its units, or turn it so that its axes lie along it."
    )


def inside_points(domain: Domain, window: tuple[float, float], count: int) -> np.ndarray:
    """About so many points of space and time, of rules at a few times."""
    times = np.linspace(*window, 5) if domain.moving else np.array(window[:1])
    found = [(domain.quadrature(max(16, count // len(times)), None, float(t)).points, t) for t in times]
    return np.vstack([np.column_stack([places, np.full(len(places), t)]) for places, t in found])


def on_parts(
    domain: Domain, names: Sequence[str], per_face: int, times: np.ndarray, rng: np.random.Generator | None
) -> dict[str, np.ndarray]:
    """Points of space and time on parts, all at the same times; as many as a box of this dimension has with `per_face` on a face."""
    parts = [domain.parts[name] for name in names]
    if not parts:
        return {}
    each = max(LEAST, round(per_face / len(times)))
    sizes = np.array([part.measure(float(times[-1]) if domain.moving else None) for part in parts])
    counts = shares(2 * domain.dimension * each, sizes, LEAST)
    return {p.name: _on(p, n, times, domain.moving, rng) for p, n in zip(parts, counts, strict=True)}


def _on(
    part: Part, count: int, times: np.ndarray, moving: bool, rng: np.random.Generator | None
) -> np.ndarray:
    if not moving:
        places = part.quadrature(count, rng).points
        return np.column_stack([np.tile(places, (len(times), 1)), np.repeat(times, len(places))])
    found = [(part.quadrature(count, rng, float(t)).points, t) for t in times]
    return np.vstack([np.column_stack([places, np.full(len(places), t)]) for places, t in found])


def random_on(part: Part, times: np.ndarray, moving: bool, rng: np.random.Generator) -> np.ndarray:
    """About one random point of a part for each time; a moving part is looked at TOGETHER times only."""
    if not moving:
        places = part.quadrature(max(len(times), LEAST), rng).points
        chosen = rng.integers(len(places), size=len(times))
        return np.column_stack([places[chosen], times])
    some = np.sort(rng.choice(times, min(TOGETHER, len(times)), replace=False))
    found = [(part.quadrature(max(LEAST, len(times) // len(some)), rng, float(t)).points, t) for t in some]
    return np.vstack([np.column_stack([places, np.full(len(places), t)]) for places, t in found])


def graded(s: np.ndarray, depth: float) -> np.ndarray:
    """Relative times for uniform s in [0, 1], logarithmic towards 0 down to `depth`: d ((1 + 1/d)^s − 1)."""
    return depth * np.expm1(s * np.log1p(1.0 / depth))


def tensor_shape(count: int, dimension: int) -> tuple[int, ...]:
    """Numbers of grid points per axis whose product is close to `count`, as equal as possible."""
    shape, left = [], float(count)
    for remaining in range(dimension, 0, -1):
        n = max(1, round(left ** (1.0 / remaining)))
        shape.append(n)
        left = max(1.0, left / n)
    return tuple(shape)


def tensor(count: int, lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    """A tensor grid over a box, ends included."""
    shape = tensor_shape(count, len(lower))
    axes = [spread(a, b, n) for a, b, n in zip(lower, upper, shape, strict=True)]
    return np.column_stack([a.ravel() for a in np.meshgrid(*axes, indexing="ij")])


def spread(lower: float, upper: float, count: int) -> np.ndarray:
    """Equally spaced points with both ends; a single one lies in the middle."""
    return np.linspace(lower, upper, count) if count > 1 else np.array([0.5 * (lower + upper)])
