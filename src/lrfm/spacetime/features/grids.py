# SPDX-License-Identifier: MIT
"""Runs of points that are products of places and times, so that what depends on x alone is computed once per place.

Points have a shape of their own: (n,) where they are scattered, (places, times) or (times, places) where a run of them is a
product, in the order in which they came. Coordinates and times are arrays that meet at that shape, (places, 1) and (1, times)
for one, so that arithmetic between them is written once.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

SHORTEST = 16  # inner points from which a product pays: shorter loops cost more than they save


@dataclass(frozen=True)
class PointRun:
    """Some points; `where` in the list, `shape` of their own, `places` and `times` with shapes that meet at it."""

    where: slice | np.ndarray
    places: np.ndarray  # (axes, …)
    times: np.ndarray

    @property
    def shape(self) -> tuple[int, ...]:
        return np.broadcast_shapes(self.places.shape[1:], self.times.shape)


def runs(points: np.ndarray, most: int) -> Iterator[PointRun]:
    """Cut points (n, axes + 1), time last, into runs of at most about `most`."""
    times_inside, found = _products(points)
    for first, last, inner in found:
        if not inner:
            for begin in range(first, last, most):
                here = slice(begin, min(begin + most, last))
                yield PointRun(here, points[here, :-1].T, points[here, -1])
            continue
        grid = points[first:last].reshape(-1, inner, points.shape[1])
        height, width = max(1, most // inner), min(inner, most)
        if height == 1 and not times_inside:
            # A long loop over places is cut, lest there be one time at a time and nothing to share.
            height = max(1, most // SHORTEST)
            width = max(SHORTEST, most // min(height, len(grid)))
        for top in range(0, len(grid), height):
            bottom = min(top + height, len(grid))
            for left in range(0, inner, width):
                right = min(left + width, inner)
                part = grid[top:bottom, left:right]
                places, times = (
                    (part[:, :1, :-1], part[:1, :, -1])
                    if times_inside
                    else (part[:1, :, :-1], part[:, :1, -1])
                )
                start = first + top * inner
                where = slice(start + left, start + right + (bottom - top - 1) * inner)
                if right - left < inner and bottom - top > 1:
                    rows, columns = np.arange(bottom - top), np.arange(left, right)
                    where = (start + rows[:, None] * inner + columns).ravel()
                yield PointRun(where, np.moveaxis(places, -1, 0), times)


def _products(points: np.ndarray) -> tuple[bool, list[tuple[int, int, int]]]:
    """Whether times are the inner loop, and (first, last, points of that loop or 0) of each product."""
    n, x, t = len(points), points[:, :-1], points[:, -1:]
    for times_inside, outer, inner in ((True, x, t), (False, t, x)):
        edges = np.flatnonzero(np.any(outer[1:] != outer[:-1], axis=1)) + 1
        starts = [0, *edges.tolist(), n]
        if n >= SHORTEST * (len(starts) - 1):
            return times_inside, list(_equal_runs(starts, inner))
    return False, [(0, n, 0)]


def _equal_runs(starts: list[int], coordinates: np.ndarray) -> Iterator[tuple[int, int, int]]:
    """Join neighboring runs whose inner coordinates are the same."""
    first, inner = 0, starts[1]
    for begin, end in pairwise(starts[1:]):
        same = end - begin == inner and np.array_equal(
            coordinates[begin:end], coordinates[first : first + inner]
        )
        if not same:
            yield first, begin, inner
            first, inner = begin, end - begin
    yield first, starts[-1], inner
