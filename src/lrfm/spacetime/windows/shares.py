# SPDX-License-Identifier: MIT
"""The rows of one window in shares: each is assembled, linearized and reduced where it lives.

A share is a `System` of its own with some of the collocation points. What travels is points one way, coefficients c
every step, and triangles the other way; J and its chunks do not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from lrfm.spacetime.features import SampledSpace
from lrfm.spacetime.least_squares import LeastSquares
from lrfm.spacetime.least_squares.backends import NUMPY, Backend
from lrfm.spacetime.least_squares.base import SolvesShares
from lrfm.spacetime.least_squares.cluster import compute, library
from lrfm.spacetime.least_squares.column_groups import dense
from lrfm.spacetime.least_squares.tall import DaskArray
from lrfm.spacetime.windows.assembly import System, mean_squares
from lrfm.spacetime.windows.groups import Condition, RowGroup, in_order
from lrfm.spacetime.windows.patches import column_slices


def make_system(
    least_squares: LeastSquares,
    spaces: Mapping[str, SampledSpace],
    groups: Sequence[RowGroup],
    conditions: Sequence[Condition],
    xp: Backend = NUMPY,
) -> System | DistributedSystem:
    """The rows as one system, or in shares where the solver takes them so."""
    if isinstance(least_squares, SolvesShares):
        return DistributedSystem(spaces, groups, conditions, least_squares, xp)
    return System(spaces, groups, conditions, xp)


@dataclass(frozen=True)
class Share:
    """Some of the points of some row groups and conditions."""

    groups: tuple[RowGroup, ...]
    conditions: tuple[Condition, ...]

    @property
    def items(self) -> list[RowGroup | Condition]:
        """Row groups and conditions in the order in which a `System` has their rows."""
        return [item for together in in_order(self.groups, self.conditions) for item in together]

    @property
    def rows(self) -> int:
        return sum(len(item.points) for item in self.items)


class DistributedSystem:
    """The weighted rows of one window as functions of c, like `assembly.System`, with a matrix that is nowhere whole."""

    def __init__(
        self,
        spaces: Mapping[str, SampledSpace],
        groups: Sequence[RowGroup],
        conditions: Sequence[Condition],
        engine: SolvesShares,
        xp: Backend = NUMPY,
    ):
        self.spaces, self.engine = dict(spaces), engine
        self.columns = column_slices(self.spaces)
        self.linear = all(group.row.linear for group in groups)
        count = sum(len(item.points) for item in (*groups, *conditions))
        self.shape = (count, sum(space.size for space in self.spaces.values()))
        self.shares = cut(groups, conditions, engine.rows_each(*self.shape))
        delayed = library("dask").delayed
        common = delayed(self.spaces, traverse=False)
        self._rows = [delayed(_assemble)(common, share, xp) for share in self.shares]
        if engine.stays:
            self._rows = compute(self._rows, engine.scheduler, engine.jobs, stay=True)
        self._latest: tuple[np.ndarray, np.ndarray] | None = None

    @cached_property
    def rows_of(self) -> dict[str, np.ndarray]:
        """Numbers of the rows of each named row group."""
        found: dict[str, list[np.ndarray]] = {}
        start = 0
        for item in self._items():
            found.setdefault(item.label, []).append(np.arange(start, start + len(item.points)))
            start += len(item.points)
        return {label: np.concatenate(parts) for label, parts in found.items()}

    def _items(self) -> Iterator[RowGroup | Condition]:
        return (item for share in self.shares for item in share.items)

    def linearize(self, c: np.ndarray, picard: bool = False) -> tuple[DaskArray, DaskArray]:
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

    def residual_by_group(self, c: np.ndarray) -> dict[str, float]:
        """Root mean square of the unweighted residual, per named row group."""
        weights = [np.broadcast_to(item.weight, len(item.points)) for item in self._items()]
        return mean_squares(self.residual(c) / np.concatenate(weights), self.rows_of)


class AssembledShare:
    """A share with its system, which is assembled where it is first used: what is sent elsewhere is assembled there."""

    def __init__(self, spaces: Mapping[str, SampledSpace], share: Share, xp: Backend):
        self.recipe = spaces, share, xp

    @cached_property
    def system(self) -> System:
        """The rows themselves."""
        spaces, share, xp = self.recipe
        return System(spaces, share.groups, share.conditions, xp)

    def __reduce__(self) -> tuple[type[AssembledShare], tuple]:
        return AssembledShare, self.recipe

    def __sizeof__(self) -> int:
        # Dask weighs by it whether work goes to the rows or rows to the work.
        spaces, share, _ = self.recipe
        return 8 * share.rows * sum(space.size for space in spaces.values())


def _assemble(spaces: Mapping[str, SampledSpace], share: Share, xp: Backend) -> AssembledShare:
    rows = AssembledShare(spaces, share, xp)
    rows.system  # noqa: B018
    return rows


def _linearize(rows: AssembledShare, c: np.ndarray, picard: bool) -> tuple[np.ndarray, np.ndarray]:
    J, b = rows.system.linearize(c, picard)
    return rows.system.xp.to_numpy(dense(J)), b


def _residual(rows: AssembledShare, c: np.ndarray) -> np.ndarray:
    return rows.system.residual(c)


def cut(groups: Sequence[RowGroup], conditions: Sequence[Condition], rows: int) -> list[Share]:
    """Shares of at most so many rows; groups that share points stay together, so that derivatives are computed once."""
    shares: list[Share] = []
    current: list[RowGroup | Condition] = []
    left = rows
    for together in in_order(groups, conditions):
        start, count = 0, len(together[0].points)
        while start < count:
            fits = min(count - start, left // len(together))
            if fits < 1 and current:
                shares.append(_share(current))
                current, left = [], rows
                continue
            fits = max(fits, 1)
            current += _slice(together, slice(start, start + fits))
            start, left = start + fits, left - fits * len(together)
    return [*shares, _share(current)] if current else shares


def _slice(together: Sequence[RowGroup | Condition], part: slice) -> list[RowGroup | Condition]:
    points = together[0].points[part]  # one array for all of them: assembly groups by identity
    partner = None if together[0].partner is None else together[0].partner[part]
    found = []
    for item in together:
        weight = (
            item.weight[part] if isinstance(item.weight, np.ndarray) and item.weight.ndim else item.weight
        )
        if isinstance(item, Condition):
            found.append(replace(item, points=points, weight=weight, values=item.values[part]))
        else:
            found.append(replace(item, points=points, weight=weight, partner=partner))
    return found


def _share(items: Sequence[RowGroup | Condition]) -> Share:
    groups = tuple(item for item in items if isinstance(item, RowGroup))
    return Share(groups, tuple(item for item in items if isinstance(item, Condition)))
