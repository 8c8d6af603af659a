# SPDX-License-Identifier: MIT
"""A rule inside closed curves in the plane, by lines that scan the domain in some direction.

    ∫_Ω f = ∫ dξ Σ_k ∫_{a_k(ξ)}^{b_k(ξ)} f dη

Between two critical ξ, those of corners and of tangents along the lines, the number of segments is the same and their ends are analytic;
where a tangent lies along a line they begin like a root, which ξ = ξ₀ + σ² removes. Gauss in ξ and in η then converges spectrally.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lrfm.linalg.deadline import check_deadline
from lrfm.problem.errors import ProblemError
from lrfm.problem.shapes.gauss import gauss
from lrfm.problem.shapes.pieces import Stretch
from lrfm.problem.shapes.protocol import Rule

LEAST = 3  # nodes of a segment,
ACROSS = 6  # and of a strip: between two tangents lengths of segments bend, however narrow it is
NARROW = 1e-10  # width of a strip, relative to the whole, below which it is left out
UPRIGHT = 1e-6  # sine of the angle between a curve and a line below which it is a tangent
CLOSE = 1e-9  # distance, relative to the whole, between ends that meet


def scan(
    pieces: Sequence[Stretch],
    inside: Callable[[np.ndarray], np.ndarray],
    n: int,
    rng: np.random.Generator | None,
) -> Rule:
    """About n points inside, by lines of the direction with the fewest strips; with `rng`, of random directions, too."""
    angles = [0.0, np.pi / 2] if rng is None else [0.0, np.pi / 2, *rng.uniform(0.0, np.pi, 2)]
    turns = [np.array([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]]) for a in angles]
    edges = [_edges([b for piece in pieces for b in _branches(piece, turn)]) for turn in turns]
    few = min(map(_critical_count, edges))
    good = [k for k, some in enumerate(edges) if _critical_count(some) <= few]
    best = good[0] if rng is None else good[int(rng.integers(len(good)))]
    turn = turns[best]
    strips = _strips(edges[best], lambda points: inside(points @ turn))
    if not strips:
        raise ProblemError(
            "No points were found inside of the domain: pieces of its boundary touch each other without crossing, or lie on each other; "
            "move them apart, or let them overlap."
        )
    if rng is not None:
        # Other numbers of nodes are other nodes; a cut in the widest strip moves them even where the numbers agree.
        n, strips = round(n * rng.uniform(0.95, 1.05)), _cut(strips, rng.uniform(0.35, 0.65))
    counts = _counts(strips, n)
    ends = [[edge for pair in strip.pairs for edge in pair] for strip in strips]
    heights = _heights(
        ends, [strip.nodes(across)[0] for strip, (across, _) in zip(strips, counts, strict=True)]
    )
    found = [strip.fill(*c, h) for strip, c, h in zip(strips, counts, heights, strict=True)]
    points, weights = np.vstack([p for p, _ in found]), np.concatenate([w for _, w in found])
    return Rule(points @ turn, weights)


def farthest(piece: Stretch) -> np.ndarray:
    """Points of a stretch among which are those farthest along both axes: its ends, and where a coordinate turns."""
    turns = (np.eye(2), np.eye(2)[::-1])
    u = {0.0, 1.0, *(end for turn in turns for b in _branches(piece, turn) for end in (b.a, b.b))}
    return np.round(piece.points(np.array(sorted(u))), 14)


@dataclass(frozen=True, eq=False)
class _Branch:
    """A part of a stretch, from u = a to u = b, along which ξ only grows or only falls."""

    piece: Stretch
    turn: np.ndarray
    a: float
    b: float

    def place(self, u: np.ndarray) -> np.ndarray:
        """(ξ, η)."""
        return self.piece.points(u) @ self.turn.T

    def slope(self, u: np.ndarray) -> np.ndarray:
        """∂(ξ, η)/∂u."""
        return self.piece.speeds(u) @ self.turn.T

    @cached_property
    def tips(self) -> tuple[np.ndarray, np.ndarray]:
        """(ξ, η) at both ends, the smaller ξ first."""
        both = self.place(np.array([self.a, self.b]))
        return (both[0], both[1]) if both[0, 0] < both[1, 0] else (both[1], both[0])

    @cached_property
    def directions(self) -> tuple[np.ndarray, np.ndarray]:
        """Unit tangents at both ends, in the same order, towards growing ξ."""
        ends = self.place(np.array([self.a, self.b]))
        tangents = self.slope(np.array([self.a, self.b]))
        rising = ends[0, 0] < ends[1, 0]
        first, last = tangents / np.linalg.norm(tangents, axis=1, keepdims=True)
        return (first, last) if rising else (-last, -first)

    def eta(self, xi: np.ndarray) -> np.ndarray:
        """Where the lines ξ = const meet it: Newton's method, kept between bounds that only close in."""
        first, last = self.place(np.array([self.a, self.b]))[:, 0]
        low, high = np.full(len(xi), self.a), np.full(len(xi), self.b)
        u = low + (high - low) * np.clip((xi - first) / (last - first), 0.0, 1.0)
        left = np.arange(len(xi))  # those that still move: beside a tangent a few take long
        for _ in range(60):
            here, a, b = u[left], low[left], high[left]
            gap = self.place(here)[:, 0] - xi[left]
            above = (gap > 0) == (last > first)
            a, b = np.where(above, a, here), np.where(above, here, b)
            with np.errstate(all="ignore"):
                new = here - gap / self.slope(here)[:, 0]
            new = np.where((new > a) & (new < b), new, 0.5 * (a + b))
            u[left], low[left], high[left] = new, a, b
            left = left[np.abs(new - here) >= 1e-15]
            if not len(left):
                break
        return self.place(u)[:, 1]


def _branches(piece: Stretch, turn: np.ndarray) -> list[_Branch]:
    check_deadline()
    u = np.linspace(0.0, 1.0, 257)
    rate = lambda u: (piece.speeds(u) @ turn.T)[:, 0]  # noqa: E731
    slope, size = rate(u), np.max(np.linalg.norm(piece.speeds(u), axis=1))
    told = np.flatnonzero(np.abs(slope) > 1e-9 * size)
    if not len(told):
        return []  # it lies along a line
    change = np.flatnonzero(np.diff(np.sign(slope[told])) != 0)
    low, high = u[told[change]].copy(), u[told[change + 1]].copy()
    first = slope[told[change]] < 0
    for _ in range(50 if len(low) else 0):
        middle = 0.5 * (low + high)
        same = (rate(middle) < 0) == first
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    ends = [0.0, *(0.5 * (low + high)), 1.0]
    return [_Branch(piece, turn, a, b) for a, b in itertools.pairwise(ends) if b - a > 1e-12]


@dataclass(frozen=True, eq=False)
class _Edge:
    """Branches that follow each other smoothly, in the order of growing ξ: η as an analytic function of ξ."""

    branches: tuple[_Branch, ...]

    @property
    def low(self) -> float:
        return float(self.branches[0].tips[0][0])

    @property
    def high(self) -> float:
        return float(self.branches[-1].tips[1][0])

    @property
    def roots(self) -> tuple[bool, bool]:
        """Whether its tangents lie along a line at its ends."""
        first, last = self.branches[0].directions[0], self.branches[-1].directions[1]
        return bool(abs(first[0]) < UPRIGHT), bool(abs(last[0]) < UPRIGHT)

    def eta(self, xi: np.ndarray) -> np.ndarray:
        """η at ξ."""
        joints = np.array([b.tips[1][0] for b in self.branches[:-1]])
        owner, result = np.searchsorted(joints, xi), np.empty(len(xi))
        for k in range(len(self.branches)):
            mine = owner == k
            if np.any(mine):
                result[mine] = self.branches[k].eta(xi[mine])
        return result


def _edges(branches: Sequence[_Branch]) -> list[_Edge]:
    if not branches:
        return []
    tips = np.array([np.concatenate(b.tips) for b in branches])
    reach = CLOSE * float(np.ptp(tips[:, ::2])) * 10
    following: dict[int, int] = {}
    for i, one in enumerate(branches):
        for j in map(int, np.flatnonzero(np.linalg.norm(tips[:, :2] - tips[i, 2:], axis=1) < reach)):
            here, there = one.directions[1], branches[j].directions[0]
            smooth = abs(here[0] * there[1] - here[1] * there[0]) < UPRIGHT and abs(here[0]) > UPRIGHT
            if j != i and smooth and here @ there > 0:
                following[i] = j
    begun = set(range(len(branches))) - set(following.values())
    edges = []
    for first in sorted(begun):
        chain = [first]
        while chain[-1] in following:
            chain.append(following[chain[-1]])
        edges.append(_Edge(tuple(branches[k] for k in chain)))
    return edges


@dataclass(frozen=True, eq=False)
class _Strip:
    """ξ from `low` to `high`, the edges between which lines are inside, and which ends begin like a root."""

    low: float
    high: float
    pairs: Sequence[tuple[_Edge, _Edge]]
    roots: tuple[bool, bool]

    def nodes(self, n: int) -> tuple[np.ndarray, np.ndarray]:
        """ξ and its weights."""
        (s, w), width = gauss(n), self.high - self.low
        if self.roots == (True, True):
            angle = np.pi * (s - 0.5)
            return self.low + width * 0.5 * (1 + np.sin(angle)), w * width * 0.5 * np.pi * np.cos(angle)
        if self.roots[0]:
            return self.low + width * s**2, 2 * s * w * width
        if self.roots[1]:
            return self.high - width * (1 - s) ** 2, 2 * (1 - s) * w * width
        return self.low + width * s, w * width

    def fill(
        self, across: int, along: Sequence[int], heights: Mapping[_Edge, np.ndarray]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Points (ξ, η) and weights, from η of the edges at the nodes across."""
        xi, w = self.nodes(across)
        points, weights = [], []
        for (a, b), n in zip(self.pairs, along, strict=True):
            (s, v), low, high = gauss(n), heights[a], heights[b]
            eta = low[:, None] + (high - low)[:, None] * s
            points.append(np.column_stack([np.repeat(xi, n), eta.ravel()]))
            weights.append((w[:, None] * (high - low)[:, None] * v).ravel())
        return np.vstack(points), np.concatenate(weights)


def _heights(edges: Sequence[Sequence[_Edge]], places: Sequence[np.ndarray]) -> list[dict[_Edge, np.ndarray]]:
    """η of some edges at some ξ, for every strip: each edge is asked once for all of its strips."""
    asked: dict[_Edge, list[int]] = {}
    for number, some in enumerate(edges):
        for edge in dict.fromkeys(some):
            asked.setdefault(edge, []).append(number)
    found: list[dict[_Edge, np.ndarray]] = [{} for _ in edges]
    for edge, strips in asked.items():
        check_deadline()
        values = edge.eta(np.concatenate([places[k] for k in strips]))
        for k, part in zip(
            strips, np.split(values, np.cumsum([len(places[k]) for k in strips])[:-1]), strict=True
        ):
            found[k][edge] = part
    return found


def _strips(edges: Sequence[_Edge], inside: Callable[[np.ndarray], np.ndarray]) -> list[_Strip]:
    critical, strips = _critical(edges), []
    near, middles = 2 * NARROW * (critical[-1] - critical[0]), 0.5 * (critical[1:] + critical[:-1])
    spans = np.array([(edge.low, edge.high) for edge in edges])
    members = [
        [edges[k] for k in np.flatnonzero((spans[:, 0] < m) & (m < spans[:, 1])).tolist()] for m in middles
    ]
    tops = _heights(members, list(middles[:, None]))
    orders = [
        sorted(here, key=lambda edge, top=top: top[edge][0]) for here, top in zip(members, tops, strict=True)
    ]
    between = [
        [0.5 * (top[a][0] + top[b][0]) for a, b in itertools.pairwise(order)]
        for order, top in zip(orders, tops, strict=True)
    ]
    counts = [len(b) for b in between]
    told = inside(
        np.column_stack([np.repeat(middles, counts), np.concatenate([*map(np.array, between), []])])
    )
    answers = np.split(told, np.cumsum(counts)[:-1])
    for low, high, order, yes in zip(critical, critical[1:], orders, answers, strict=False):
        pairs = [pair for pair, good in zip(itertools.pairwise(order), yes, strict=True) if good]
        left = any(edge.roots[0] for edge in order if edge.low > low - near)
        right = any(edge.roots[1] for edge in order if edge.high < high + near)
        if pairs:
            strips.append(_Strip(float(low), float(high), pairs, (left, right)))
    return strips


def _critical(edges: Sequence[_Edge]) -> np.ndarray:
    """Where edges begin or end, in order."""
    ends = np.sort([end for edge in edges for end in (edge.low, edge.high)])
    return ends[np.concatenate([[True], np.diff(ends) > NARROW * (ends[-1] - ends[0])])]


def _critical_count(edges: Sequence[_Edge]) -> int:
    return len(_critical(edges)) if edges else 10**6


def _cut(strips: list[_Strip], share: float) -> list[_Strip]:
    """The widest strip as two."""
    k = int(np.argmax([strip.high - strip.low for strip in strips]))
    wide = strips[k]
    at = wide.low + share * (wide.high - wide.low)
    parts = [
        _Strip(wide.low, at, wide.pairs, (wide.roots[0], False)),
        _Strip(at, wide.high, wide.pairs, (False, wide.roots[1])),
    ]
    return [*strips[:k], *parts, *strips[k + 1 :]]


def _counts(strips: Sequence[_Strip], n: int) -> list[tuple[int, list[int]]]:
    """Nodes across and along each strip for one distance between points, chosen so that there are about n of them."""
    widths = [strip.high - strip.low for strip in strips]
    ends = [[edge for pair in strip.pairs for edge in pair] for strip in strips]
    tops = _heights(ends, [strip.nodes(9)[0] for strip in strips])
    lengths = [
        [float(np.max(top[b] - top[a])) for a, b in s.pairs] for s, top in zip(strips, tops, strict=True)
    ]

    def counts(spacing: float) -> list[tuple[int, list[int]]]:
        number = lambda size: max(LEAST, round(size / spacing))  # noqa: E731
        return [
            (max(ACROSS, number(w)), [number(l) for l in some])
            for w, some in zip(widths, lengths, strict=True)
        ]

    low, high = 1e-6 * sum(widths), 2 * sum(widths)
    for _ in range(60):
        middle = float(np.sqrt(low * high))
        total = sum(across * sum(along) for across, along in counts(middle))
        low, high = (low, middle) if total < n else (middle, high)
    return counts(high)
