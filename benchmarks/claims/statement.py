# SPDX-License-Identifier: MIT
"""A statement with its exact solution, and the error of an answer by a quadrature that follows what is thin.

‖u − u⋆‖ / ‖u⋆‖ per unknown, in L² or, where there are shocks, in L¹, by Gauss' rule on panels that shrink by halves towards every place named in `near`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from lrfm.error.sizes import by_vectors
from lrfm.problem import Problem
from lrfm.solution.solution import Solution

FAMILIES = ("smooth", "edged", "thin", "hidden", "incompatible", "negative", "odd")
FINEST = {1: 2.0**-17, 2: 2.0**-9}  # of an axis, by dimension
NODES = {1: 5, 2: 3}
LARGEST = 40_000  # points evaluated at once


@dataclass(frozen=True)
class Stated:
    """A problem, its exact solution by unknown (None: it has none), where along each coordinate it is thin, and spans of coordinates that are inside at all times."""

    problem: Problem
    exact: Mapping[str, Callable[..., np.ndarray]] | None
    near: Mapping[str, Sequence[float]] = field(default_factory=dict)
    inside: Mapping[str, tuple[float, float]] = field(default_factory=dict)


def rule(low: float, high: float, near: Sequence[float], dimension: int) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights on panels that shrink towards some places."""
    length, edges = high - low, set(np.linspace(low, high, 13 if dimension == 1 else 9).tolist())
    for place in near:
        width = 0.25 * length
        while width > FINEST[dimension] * length:
            edges |= {x for x in (place - width, place + width) if low < x < high}
            width *= 0.5
        edges |= {place} if low < place < high else set()
    cuts = np.array(sorted(edges))
    x, w = np.polynomial.legendre.leggauss(NODES[dimension])
    half = 0.5 * np.diff(cuts)
    return (
        (0.5 * (cuts[1:] + cuts[:-1])[:, None] + half[:, None] * x).ravel(),
        (half[:, None] * w).ravel(),
    )


def errors(stated: Stated, solution: Solution) -> dict[str, float]:
    """Relative error of every unknown over space and time in the norm of the claim; infinite where the answer does not reach the end."""
    problem, exact, power = stated.problem, stated.exact, solution.report.norm
    assert exact is not None
    (start, end), box = problem.time, problem.domain
    if solution.block_edges[-1] < end - 1e-9 * (end - start):
        return dict.fromkeys(exact, math.inf)
    spans = {**(stated.inside or box.axes), "t": problem.time}
    rules = [rule(a, b, stated.near.get(n, ()), box.dimension) for n, (a, b) in spans.items()]
    points = np.stack([m.ravel() for m in np.meshgrid(*(x for x, _ in rules), indexing="ij")])
    weights = np.ones(1)
    for _, w in rules:
        weights = np.outer(weights, w).ravel()
    gap, size = dict.fromkeys(exact, 0.0), dict.fromkeys(exact, 0.0)
    for first in range(0, points.shape[1], LARGEST):
        some = slice(first, first + LARGEST)
        at = dict(zip(spans, points[:, some], strict=True))
        for name, function in exact.items():
            true = np.broadcast_to(function(**at), at["t"].shape)
            found = solution[name](**at)
            gap[name] += float(weights[some] @ np.abs(found - true) ** power)
            size[name] += float(weights[some] @ np.abs(true) ** power)
    # Of a velocity in L²; in L¹ no statement has one.
    size = by_vectors(problem, size)
    return {name: (gap[name] / size[name]) ** (1 / power) for name in exact}


class Dice:
    """Random numbers with four digits."""

    def __init__(self, family: str, number: int, seed: int = 1):
        self.rng = np.random.default_rng([seed, FAMILIES.index(family), number])

    def uniform(self, low: float, high: float) -> float:
        return float(f"{self.rng.uniform(low, high):.4g}")

    def spread(self, low: float, high: float) -> float:
        """Log-uniform."""
        return float(f"{math.exp(self.rng.uniform(math.log(low), math.log(high))):.4g}")

    def whole(self, low: int, high: int) -> int:
        return int(self.rng.integers(low, high + 1))

    def several(self, count: int, low: float, high: float) -> list[float]:
        return [self.uniform(low, high) for _ in range(count)]


def text(*terms: str) -> str:
    return " + ".join(terms)
