# SPDX-License-Identifier: MIT
"""Which rows see which patch: the columns of a system, cut into pieces that are not zero on some rows only.

    Φ_q(x, t) = 0 for x outside of the patch of q   (Paper, eq:pou-bump)

A global space, and one that says nothing of patches, is one piece that all rows see.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from lrfm.linalg.backends import Array, Backend
from lrfm.problem import MultiIndex

Key = tuple[int, int]
Seen = tuple[
    Key, np.ndarray, np.ndarray | None, Sequence[slice]
]  # key of points, points, partner, rows taken there


class TrialSpace(Protocol):
    """What assembly needs of a trial space; one with `pieces` is assembled piece by piece, each on its support."""

    size: int

    def jets(
        self, points: np.ndarray, orders: Sequence[MultiIndex], xp: Backend
    ) -> dict[MultiIndex, Array]: ...


@dataclass
class Piece:
    """The columns of one patch: all fields that use its space, on the rows in which it is not zero.

    `inside` maps a set of points to the numbers of those it sees; `start` maps the first row of a block to where the rows of
    that block begin in `values`.
    """

    space: TrialSpace
    owner: int
    fields: dict[str, slice]
    columns: np.ndarray | slice
    place: np.ndarray
    inside: dict[tuple[int, int], np.ndarray | slice]
    start: dict[int, int]
    rows: np.ndarray
    values: Array

    def run(self, first: int, count: int) -> slice:
        """Where the seen rows of the block that begins at row `first` lie in `values`."""
        return slice(self.start[first], self.start[first] + count)


def cut(spaces: Mapping[str, TrialSpace], sets: Sequence[Seen], xp: Backend) -> list[Piece]:
    """All pieces of all spaces, with room for their entries in the rows they see."""
    pieces, fields_at = [], column_slices(spaces)
    for owner, space in {id(space): space for space in spaces.values()}.items():
        seen = {key: _supports(space, points, partner) for key, points, partner, _ in sets}
        for number, (part, columns, place) in enumerate(_parts(space)):
            inside = {key: lists[number] for key, lists in seen.items()}
            rows, start = _rows(inside, sets)
            starts = {f: at.start + columns.start for f, at in fields_at.items() if spaces[f] is space}
            fields = {f: slice(i * part.size, (i + 1) * part.size) for i, f in enumerate(starts)}
            numbers = np.concatenate([first + np.arange(part.size) for first in starts.values()])
            values = xp.zeros((len(numbers), len(rows))).T
            pieces.append(Piece(part, owner, fields, numbers, place, inside, start, rows, values))
    return pieces


def _rows(
    inside: Mapping[Key, np.ndarray | slice], sets: Sequence[Seen]
) -> tuple[np.ndarray, dict[int, int]]:
    """Numbers of the rows a piece sees, and where those of each block begin among them."""
    rows, start, filled = [np.zeros(0, dtype=int)], {}, 0
    for key, points, _, slices in sets:
        for one in slices:
            rows.append(one.start + numbers_of(inside[key], len(points)))
            start[one.start] = filled
            filled += len(rows[-1])
    return np.concatenate(rows), start


def numbers_of(inside: np.ndarray | slice, count: int) -> np.ndarray:
    """Points by their numbers, where a slice stands for all of them."""
    return np.arange(count) if isinstance(inside, slice) else inside


def _parts(space: TrialSpace) -> list[tuple[TrialSpace, slice, np.ndarray]]:
    """(piece, its columns, a point in it) of a space; one that says nothing of pieces is its only one."""
    pieces = getattr(space, "pieces", None)
    return pieces() if pieces else [(space, slice(0, space.size), np.zeros(1))]


def _supports(space: TrialSpace, points: np.ndarray, partner: np.ndarray | None) -> list[np.ndarray | slice]:
    """For each piece, the points at which it, or its value at the partner, is not zero."""
    if not hasattr(space, "pieces"):
        return [slice(None)]
    here = space.supports(points)
    if partner is None:
        return here
    there = space.supports(partner)
    whole = lambda a, b: isinstance(a, slice) or isinstance(b, slice)  # noqa: E731
    return [slice(None) if whole(a, b) else np.union1d(a, b) for a, b in zip(here, there, strict=True)]


def column_slices(spaces: Mapping[str, TrialSpace]) -> dict[str, slice]:
    """Columns of each field in the coefficient vector."""
    slices, start = {}, 0
    for field, space in spaces.items():
        slices[field] = slice(start, start + space.size)
        start += space.size
    return slices
