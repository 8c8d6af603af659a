# SPDX-License-Identifier: MIT
"""u(x, t) on cells of the widths h, 2h, … in a box:  ū + Σ_k √3 s_k ξ_k  in a cell,  −1 ≤ ξ_k ≤ 1,  linear in time between the ends of steps.

At each end there are cells of its own: between two of them u is  (1 − τ) u₀ + τ u₁  with u₀ and u₁ each on its cells. Means and slopes are kept in single precision: what finite volumes leave
open where a solution jumps is larger by orders of magnitude.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from lrfm.problem import Jet
from lrfm.rows.pieces import InSteps, check_steps
from lrfm.spaces.cells.tree import Tree

ROOT = np.sqrt(3.0)


@dataclass(frozen=True)
class GridSteps(InSteps):
    """Steps in a row.

    Parameters
    ----------
    fields
        Names of real fields.
    edges
        Times at which steps begin and end.
    trees
        Cells at some of these times,
    owner
        and which of them at each.
    states
        ū and s_k at each of these times: (fields, cells, 1 + axes).
    """

    fields: tuple[str, ...]
    edges: np.ndarray
    trees: tuple[Tree, ...]
    owner: np.ndarray
    states: tuple[np.ndarray, ...]

    @staticmethod
    def from_record(
        fields: Sequence[str],
        edges: np.ndarray,
        lower: Sequence[float],
        upper: Sequence[float],
        roots: Sequence[int],
        periodic: Sequence[bool],
        side: int,
        depths: np.ndarray,
        refined: np.ndarray,
        owner: np.ndarray,
        states: np.ndarray,
    ) -> GridSteps:
        """Build again what `record` wrote; ValueError where its parts do not belong together."""
        check_steps(fields, edges)
        whole = all(isinstance(n, int) and not isinstance(n, bool) and n > 0 for n in [*roots, side])
        if not whole or side % 4 or not len(roots) == len(lower) == len(upper) == len(periodic):
            raise ValueError("`roots` and `side` are no numbers of blocks along axes, and of cells in them")
        if not all(np.isfinite([*lower, *upper])) or not all(
            a < b for a, b in zip(lower, upper, strict=True)
        ):
            raise ValueError("`lower` and `upper` are no corners of a box")
        trees, at = [], 0
        flags = np.unpackbits(refined.astype(np.uint8))
        for depth in depths.tolist():
            masks = []
            for k in range(depth):
                shape = tuple(n << k for n in roots)
                count = int(np.prod(shape))
                if at + count > len(flags):
                    raise ValueError("`refined` has other blocks")
                masks.append(flags[at : at + count].astype(bool).reshape(shape))
                at += count
            trees.append(
                Tree(tuple(lower), tuple(upper), tuple(roots), tuple(map(bool, periodic)), tuple(masks), side)
            )
        if owner.shape != edges.shape or np.any(owner < 0) or np.any(owner >= len(trees)):
            raise ValueError("`owner` names cells that are not there")
        sizes = [trees[i].size * len(fields) * (1 + len(roots)) for i in owner]
        if states.shape != (sum(sizes),):
            raise ValueError("`states` has other cells")
        if not np.all(np.isfinite(states)):
            raise ValueError("`states` has values that are no numbers")
        parts = np.split(states, np.cumsum(sizes)[:-1])
        own = tuple(part.reshape(len(fields), -1, 1 + len(roots)) for part in parts)
        return GridSteps(tuple(fields), edges, tuple(trees), owner, own)

    def record(self) -> dict[str, object]:
        """The piece as plain arrays and numbers for a file."""
        first = self.trees[0]
        masks = [mask.ravel() for tree in self.trees for mask in tree.refined]
        return {
            "fields": list(self.fields),
            "edges": self.edges,
            "lower": list(first.lower),
            "upper": list(first.upper),
            "roots": list(first.roots),
            "periodic": list(first.periodic),
            "side": first.side,
            "depths": np.array([len(tree.refined) for tree in self.trees]),
            "refined": np.packbits(np.concatenate([*masks, np.zeros(0, dtype=bool)])),
            "owner": self.owner,
            "states": np.concatenate([state.ravel() for state in self.states]),
        }

    def _step(self, time: float) -> int:
        return int(np.searchsorted(self.edges[1:-1], time, side="right"))

    def _tree(self, number: int) -> Tree:
        return self.trees[self.owner[number]]

    def cells_at(self, time: float) -> np.ndarray:
        """x₀, x₁, y₀, y₁, … of the cells: (cells, 2d)."""
        tree = self._tree(self._step(time))
        ends = (tree.centers + part * tree.cell_widths for part in (-0.5, 0.5))
        return np.stack(list(ends), axis=-1).transpose(1, 0, 2).reshape(tree.size, -1)

    def rule(self, time: float, points: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Products of the points of a formula on (−1, 1) in all cells at a time, (axes, places), and each one's part of the box; weights add up to one."""
        tree = self._tree(self._step(time))
        d = tree.dimension
        offsets = np.array(list(product(points, repeat=d))).T
        share = np.prod(np.array(list(product(weights, repeat=d))), axis=1)
        places = tree.centers[:, None, :] + 0.5 * offsets[:, :, None] * tree.cell_widths[:, None, :]
        return places.reshape(d, -1), (share[:, None] * tree.shares).ravel()

    def values(self, jets: Iterable[Jet], points: np.ndarray) -> dict[Jet, np.ndarray]:
        """D^a of fields at points (n, d + 1), time last: beyond first derivatives along each axis they vanish."""
        found = {jet: np.zeros(len(points)) for jet in jets}
        for step, numbers in self._by_step(points[:, -1]):
            here = points[numbers]
            tau = (here[:, -1] - self.edges[step]) / (self.edges[step + 1] - self.edges[step])
            ends: list[tuple[np.ndarray, np.ndarray]] = []
            for number in (step, step + 1):
                again = ends and self.owner[number] == self.owner[step]
                ends.append(ends[0] if again else self._tree(number).locate(here[:, :-1]))
            for jet, values in found.items():
                (*space, rate), field = jet.index, self.number(jet.field)
                if sum(space) > 1 or rate > 1:
                    continue
                first, last = (self._at(field, step + k, *ends[k], space) for k in (0, 1))
                if rate:
                    values[numbers] = (last - first) / (self.edges[step + 1] - self.edges[step])
                else:
                    values[numbers] = (1 - tau) * first + tau * last
        return found

    def _at(
        self, field: int, number: int, cell: np.ndarray, place: np.ndarray, orders: Sequence[int]
    ) -> np.ndarray:
        """D^a in space at the end of a step."""
        own = self.states[number][field, cell].astype(float)
        if sum(orders) == 1:
            axis = orders.index(1)
            return own[:, 1 + axis] * (2 * ROOT / self._tree(number).cell_widths[axis, cell])
        return own[:, 0] + ROOT * np.einsum("nk,nk->n", own[:, 1:], place)
