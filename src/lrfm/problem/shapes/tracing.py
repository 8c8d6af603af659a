# SPDX-License-Identifier: MIT
"""The zero set of φ in a box, as curves: signs on a grid, points on its edges, chains of them, chords.

Crossings of grid edges are joined inside each cell, saddles by the sign in the middle; chains are cut where they have turned by
TURN, so that each cut is a graph over its chord, on which Newton's method finds the curve itself.
"""

from __future__ import annotations

import itertools

import numpy as np

from lrfm.problem.errors import ProblemError
from lrfm.problem.shapes.curves import Curve, Traced
from lrfm.problem.shapes.levels import Level

CELLS = 192  # of the grid, along each axis
TURN = 0.6  # radians by which a curve may turn between the ends of a chord
FLAT = 1e-9  # gradient, relative to its largest value, that counts as none


def trace(level: Level, t: float | None, lower: np.ndarray, upper: np.ndarray) -> list[Curve]:
    """Curves that make up {φ = 0} in a box."""
    pad = 0.013 * (upper - lower)  # no node of the grid on a straight piece of the boundary
    low, high = lower - pad, upper + 1.1 * pad
    x, y = (np.linspace(a, b, CELLS + 1) for a, b in zip(low, high, strict=True))
    nodes = np.column_stack([a.ravel() for a in np.meshgrid(x, y, indexing="ij")])
    values = level.values(nodes, t).reshape(CELLS + 1, CELLS + 1)
    values = np.where(np.isfinite(values), values, np.inf)
    links = _links(level, t, values < 0, x, y)
    if not links:
        return []
    points = _edge_points(level, t, links, x, y)
    _check_gradient(level, t, np.array(list(points.values())), nodes)
    return [piece for chain in _chains(links) for piece in _chords(level, t, [points[e] for e in chain])]


Edge = tuple[int, int, int]  # axis along which it runs, and its lower node


def _links(
    level: Level, t: float | None, inside: np.ndarray, x: np.ndarray, y: np.ndarray
) -> dict[Edge, list[Edge]]:
    """Which crossings of grid edges are neighbors on the curve."""
    links: dict[Edge, list[Edge]] = {}
    count = inside[:-1, :-1].astype(int) + inside[1:, :-1] + inside[1:, 1:] + inside[:-1, 1:]
    for i, j in zip(*np.nonzero((count > 0) & (count < 4)), strict=True):
        i, j = int(i), int(j)
        corners = [inside[i, j], inside[i + 1, j], inside[i + 1, j + 1], inside[i, j + 1]]
        edges: list[Edge] = [(0, i, j), (1, i + 1, j), (0, i, j + 1), (1, i, j)]
        crossed = [e for e, a, b in zip(edges, corners, corners[1:] + corners[:1], strict=True) if a != b]
        if len(crossed) == 4:
            middle = np.array([[0.5 * (x[i] + x[i + 1]), 0.5 * (y[j] + y[j + 1])]])
            same = bool(level.values(middle, t)[0] < 0) == bool(corners[0])
            crossed = crossed if same else crossed[1:] + crossed[:1]
        for a, b in zip(crossed[::2], crossed[1::2], strict=True):
            links.setdefault(a, []).append(b)
            links.setdefault(b, []).append(a)
    return links


def _edge_points(
    level: Level, t: float | None, links: dict[Edge, list[Edge]], x: np.ndarray, y: np.ndarray
) -> dict[Edge, np.ndarray]:
    """Zeros of φ on grid edges, by bisection."""
    edges = list(links)
    start = np.array([[x[i], y[j]] for _, i, j in edges])
    end = np.array([[x[i + (axis == 0)], y[j + (axis == 1)]] for axis, i, j in edges])
    first = level.values(start, t) < 0
    low, high = np.zeros(len(edges)), np.ones(len(edges))
    for _ in range(50):
        middle = 0.5 * (low + high)
        same = (level.values(start + middle[:, None] * (end - start), t) < 0) == first
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    found = start + (0.5 * (low + high))[:, None] * (end - start)
    return dict(zip(edges, found, strict=True))


def _check_gradient(level: Level, t: float | None, on: np.ndarray, nodes: np.ndarray) -> None:
    slopes = np.linalg.norm(level.gradient(on, t), axis=1)
    size = np.linalg.norm(level.gradient(nodes[:: max(1, len(nodes) // 500)], t), axis=1)
    largest = np.max(size[np.isfinite(size)], initial=0.0)
    bad = ~(slopes > FLAT * largest)
    if bad.any():
        place = ", ".join(f"{n}={v:.4g}" for n, v in zip(level.names, on[bad][0], strict=True))
        raise ProblemError(
            f"The inequality `{level.formula} < 0` has no gradient on its boundary at {place}, so there is no normal; "
            "write it so that its two sides cross, such as `x**2 + y**2 < 1`, and not as a power of that."
        )


def _chains(links: dict[Edge, list[Edge]]) -> list[list[Edge]]:
    """Crossings in the order of the curve; a closed one ends where it began."""
    left, chains = set(links), []
    ends = [e for e, near in links.items() if len(near) == 1]
    for first in (*ends, *links):
        if first not in left:
            continue
        chain = [first]
        left.discard(first)
        while True:
            following = [e for e in links[chain[-1]] if e in left]
            if not following:
                break
            chain.append(following[0])
            left.discard(following[0])
        if len(chain) > 2 and chain[0] in links[chain[-1]]:
            chain.append(chain[0])
        chains.append(chain)
    return [chain for chain in chains if len(chain) > 1]


def _chords(level: Level, t: float | None, points: list[np.ndarray]) -> list[Curve]:
    """Cut a chain where its direction has changed by TURN; neighbors share their ends."""
    # A point twice, where the curve passes through a node, has no direction.
    kept = [points[0]] + [p for q, p in itertools.pairwise(points) if np.linalg.norm(p - q) > 1e-12]
    if len(kept) < 2:
        return []
    line = np.array(kept)
    tangent = np.column_stack([g := level.gradient(line, t), g])[:, [1, 0]] * [-1.0, 1.0]
    angle = np.unwrap(np.arctan2(tangent[:, 1], tangent[:, 0]))
    cuts = [0]
    for k in range(1, len(line)):
        if abs(angle[k] - angle[cuts[-1]]) > TURN and k - cuts[-1] > 1:
            cuts.append(k - 1)
    cuts.append(len(line) - 1)
    return [_chord(level, t, line[a : b + 1]) for a, b in itertools.pairwise(cuts) if b > a]


def _chord(level: Level, t: float | None, line: np.ndarray) -> Curve:
    a, b = line[0], line[-1]
    length = float(np.linalg.norm(b - a))
    along = (b - a) / length
    across = np.array([-along[1], along[0]])
    s, h = (line - a) @ along / length, (line - a) @ across
    return Traced(level, t, a, b, np.interp(np.linspace(0, 1, 65), s, h))
