# SPDX-License-Identifier: MIT
"""The rows of one window in shares: each is assembled, linearized and reduced where it lives.

A share is a `System` of its own with some of the collocation points. What travels is points one way, coefficients c
every step, and triangles the other way; J and its chunks do not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from lrfm.linalg import Distributed, LeastSquares
from lrfm.linalg.backends import NUMPY, Backend
from lrfm.linalg.cluster import compute, library, persist
from lrfm.linalg.column_groups import dense
from lrfm.rows.assembly import Block, Condition, System, by_points
from lrfm.rows.patches import TrialSpace, column_slices

if TYPE_CHECKING:
    from dask.array import Array


def hold(
    least_squares: LeastSquares,
    spaces: Mapping[str, TrialSpace],
    blocks: Sequence[Block],
    conditions: Sequence[Condition],
    xp: Backend = NUMPY,
) -> System | ScatteredSystem:
    """The rows as one system, or in shares where the solver takes them so."""
    if isinstance(least_squares, Distributed):
        return ScatteredSystem(spaces, blocks, conditions, least_squares, xp)
    return System(spaces, blocks, conditions, xp)


@dataclass(frozen=True)
class Share:
    """Some of the points of some blocks and conditions."""

    blocks: tuple[Block, ...]
    conditions: tuple[Condition, ...]

    @property
    def items(self) -> list[Block | Condition]:
        """Blocks and conditions in the order in which a `System` has their rows."""
        return [*(block for group in by_points(self.blocks) for block in group), *self.conditions]

    @property
    def rows(self) -> int:
        return sum(len(item.points) for item in self.items)


class ScatteredSystem:
    """The weighted rows of one window as functions of c, like `assembly.System`, with a matrix that is nowhere whole."""

    def __init__(
        self,
        spaces: Mapping[str, TrialSpace],
        blocks: Sequence[Block],
        conditions: Sequence[Condition],
        engine: Distributed,
        xp: Backend = NUMPY,
    ):
        self.spaces, self.engine = dict(spaces), engine
        self.columns = column_slices(self.spaces)
        self.linear = all(block.row.linear for block in blocks)
        count = sum(len(item.points) for item in (*blocks, *conditions))
        self.shape = (count, sum(space.size for space in self.spaces.values()))
        self.shares = cut(blocks, conditions, engine.rows_each(*self.shape))
        delayed = library("dask").delayed
        common = delayed(self.spaces, traverse=False)
        self._rows = [delayed(_assemble)(common, share, xp) for share in self.shares]
        if engine.stays:
            self._rows = persist(self._rows, engine.scheduler, engine.jobs)
        self._latest: tuple[np.ndarray, np.ndarray] | None = None

    @cached_property
    def rows_of(self) -> dict[str, np.ndarray]:
        """Numbers of the rows of each named block."""
        found: dict[str, list[np.ndarray]] = {}
        start = 0
        for item in self._items():
            found.setdefault(item.label, []).append(np.arange(start, start + len(item.points)))
            start += len(item.points)
        return {label: np.concatenate(parts) for label, parts in found.items()}

    def _items(self) -> Iterator[Block | Condition]:
        return (item for share in self.shares for item in share.items)

    def linearize(self, c: np.ndarray, picard: bool = False) -> tuple[Array, Array]:
        """J c ≈ b at the current coefficients, in chunks that are computed where they are needed."""
        da, delayed = library("dask.array"), library("dask").delayed
        here = delayed(c)
        J, b = [], []
        for rows, share in zip(self._rows, self.shares, strict=True):
            pair = delayed(_linearize, nout=2)(rows, here, picard)
            J.append(da.from_delayed(pair[0], (share.rows, self.shape[1]), dtype=float))
            b.append(da.from_delayed(pair[1], (share.rows,), dtype=float))
        return da.concatenate(J), da.concatenate(b)

    def residual(self, c: np.ndarray) -> np.ndarray:
        """Weighted F(u) of all rows."""
        if self._latest is None or not np.array_equal(self._latest[0], c):
            delayed = library("dask").delayed
            here = delayed(c)
            parts = [delayed(_residual)(rows, here) for rows in self._rows]
            self._latest = (c.copy(), np.concatenate(compute(parts, self.engine.scheduler, self.engine.jobs)))
        return self._latest[1]

    def residual_by_block(self, c: np.ndarray) -> dict[str, float]:
        """Root mean square of the unweighted residual, per named block."""
        weights = [np.broadcast_to(item.weight, len(item.points)) for item in self._items()]
        r = self.residual(c) / np.concatenate(weights)
        return {label: float(np.sqrt(np.mean(r[rows] ** 2))) for label, rows in self.rows_of.items()}


class Rows:
    """A share with its system, which is assembled where it is first used: what is sent elsewhere is assembled there."""

    def __init__(self, spaces: Mapping[str, TrialSpace], share: Share, xp: Backend):
        self.recipe = spaces, share, xp

    @cached_property
    def system(self) -> System:
        """The rows themselves."""
        spaces, share, xp = self.recipe
        return System(spaces, share.blocks, share.conditions, xp)

    def __reduce__(self) -> tuple[type[Rows], tuple]:
        return Rows, self.recipe

    def __sizeof__(self) -> int:
        # Dask weighs by it whether work goes to the rows or rows to the work.
        spaces, share, _ = self.recipe
        return 8 * share.rows * sum(space.size for space in spaces.values())


def _assemble(spaces: Mapping[str, TrialSpace], share: Share, xp: Backend) -> Rows:
    rows = Rows(spaces, share, xp)
    rows.system  # noqa: B018
    return rows


def _linearize(rows: Rows, c: np.ndarray, picard: bool) -> tuple[np.ndarray, np.ndarray]:
    J, b = rows.system.linearize(c, picard)
    return rows.system.xp.to_numpy(dense(J)), b


def _residual(rows: Rows, c: np.ndarray) -> np.ndarray:
    return rows.system.residual(c)


def cut(blocks: Sequence[Block], conditions: Sequence[Condition], rows: int) -> list[Share]:
    """Shares of at most so many rows; forms that share points stay together, so that derivatives are computed once."""
    shares: list[Share] = []
    current: list[list[Block | Condition]] = []
    left = rows
    for group in _groups(blocks, conditions):
        start, count = 0, len(group[0].points)
        while start < count:
            fits = min(count - start, left // len(group))
            if fits < 1 and current:
                shares.append(_share(current))
                current, left = [], rows
                continue
            fits = max(fits, 1)
            current.append(_slice(group, slice(start, start + fits)))
            start, left = start + fits, left - fits * len(group)
    return [*shares, _share(current)] if current else shares


def _groups(blocks: Sequence[Block], conditions: Sequence[Condition]) -> Iterator[list[Block | Condition]]:
    for _, group in groupby(blocks, key=lambda block: (id(block.points), id(block.partner))):
        yield list(group)
    for condition in conditions:
        yield [condition]


def _slice(group: Sequence[Block | Condition], part: slice) -> list[Block | Condition]:
    points = group[0].points[part]  # one array for the whole group: assembly groups by identity
    cut = []
    for item in group:
        changes: dict[str, object] = {"points": points}
        if isinstance(item, Condition):
            changes["values"] = item.values[part]
        elif item.partner is not None:
            changes["partner"] = item.partner[part]
        if np.ndim(item.weight):
            changes["weight"] = item.weight[part]
        cut.append(replace(item, **changes))
    return cut


def _share(groups: Sequence[Sequence[Block | Condition]]) -> Share:
    items = [item for group in groups for item in group]
    blocks = tuple(item for item in items if isinstance(item, Block))
    return Share(blocks, tuple(item for item in items if isinstance(item, Condition)))
