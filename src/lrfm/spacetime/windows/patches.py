# SPDX-License-Identifier: MIT
"""Which rows see which patch: the columns of a system, one group for each patch.

    Φ_q(x, t) = 0 for x outside of the patch of q   (Paper, eq:pou-bump)

A global space is one patch that all rows see.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from lrfm.spacetime.features import SampledSpace
from lrfm.spacetime.least_squares.backends import Array, Backend

Key = tuple[int, int]
Inside = np.ndarray | slice
"""Points by their numbers, or all of them."""


@dataclass(frozen=True)
class PointSet:
    """Points with their partners, and the row groups taken there, each as its rows in the system."""

    key: Key
    points: np.ndarray
    partner: np.ndarray | None
    rows: Sequence[slice]


@dataclass
class PatchColumns:
    """The columns of one patch: all fields that use its space, on the rows in which it is not zero.

    `inside` maps a set of points to the numbers of those it sees; `start` maps the first row of a row group to where the rows of
    that group begin in `values`.
    """

    space: SampledSpace
    owner: int
    fields: dict[str, slice]
    columns: np.ndarray
    place: np.ndarray
    inside: dict[Key, Inside]
    start: dict[int, int]
    rows: np.ndarray
    values: Array

    def run(self, first: int, count: int) -> slice:
        """Where the seen rows of the row group that begins at row `first` lie in `values`."""
        return slice(self.start[first], self.start[first] + count)


def patch_columns(
    spaces: Mapping[str, SampledSpace], sets: Sequence[PointSet], xp: Backend
) -> list[PatchColumns]:
    """The columns of all patches of all spaces, with room for their entries in the rows they see."""
    found, fields_at = [], column_slices(spaces)
    for owner, space in {id(space): space for space in spaces.values()}.items():
        seen = {one.key: _supports(space, one) for one in sets}
        for number, (patch, columns, place) in enumerate(space.by_patch()):
            inside = {key: lists[number] for key, lists in seen.items()}
            rows, start = _rows(inside, sets)
            starts = {f: at.start + columns.start for f, at in fields_at.items() if spaces[f] is space}
            fields = {f: slice(i * patch.size, (i + 1) * patch.size) for i, f in enumerate(starts)}
            numbers = np.concatenate([first + np.arange(patch.size) for first in starts.values()])
            values = xp.zeros((len(numbers), len(rows))).T
            found.append(PatchColumns(patch, owner, fields, numbers, place, inside, start, rows, values))
    return found


def _rows(inside: Mapping[Key, Inside], sets: Sequence[PointSet]) -> tuple[np.ndarray, dict[int, int]]:
    """Numbers of the rows a patch sees, and where those of each row group begin among them."""
    rows, start, filled = [np.zeros(0, dtype=int)], {}, 0
    for one in sets:
        for group in one.rows:
            rows.append(group.start + numbers_of(inside[one.key], len(one.points)))
            start[group.start] = filled
            filled += len(rows[-1])
    return np.concatenate(rows), start


def numbers_of(inside: Inside, count: int) -> np.ndarray:
    """Points by their numbers, where a slice stands for all of them."""
    return np.arange(count) if isinstance(inside, slice) else inside


def _supports(space: SampledSpace, one: PointSet) -> list[Inside]:
    """For each patch, the points at which it, or its value at the partner, is not zero."""
    here = space.supports(one.points)
    if one.partner is None:
        return here
    there = space.supports(one.partner)
    return [_union(a, b) for a, b in zip(here, there, strict=True)]


def _union(a: Inside, b: Inside) -> Inside:
    return slice(None) if isinstance(a, slice) or isinstance(b, slice) else np.union1d(a, b)


def column_slices(spaces: Mapping[str, SampledSpace]) -> dict[str, slice]:
    """Columns of each field in the coefficient vector."""
    slices, start = {}, 0
    for field, space in spaces.items():
        slices[field] = slice(start, start + space.size)
        start += space.size
    return slices
