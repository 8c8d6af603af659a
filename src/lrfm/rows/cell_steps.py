# SPDX-License-Identifier: MIT
"""u(x, t) on cells that change from step to step:  Σ_j a_kj(t) φ_j(ξ) in cell k,  a polynomial of degree K in time on each step.

a(t₀ + τh) = a₀ + Σ_s (h c_s) ∫₀^τ P_s(2σ − 1) dσ,   c_s the Legendre coefficients of a′.   All steps of a run are one piece.

Cells of a step may move, each edge with a speed of its own. With U(ξ, t) in a cell of the width w, q = w′/w, and e = −2/w times the speed of the place,

    ∂ₜⁿ∂ₓᵈ u = (2/w)ᵈ n! Σ_{j + k ≤ n} ∂_ξ^{d+j}∂ₜᵏU eʲ/(j! k!) C(−d − j, n − j − k) q^{n−j−k},

the coefficient of sⁿ in (2/w)ᵈ(1 + qs)⁻ᵈ U(ξ + es/(1 + qs), t + s); for cells that stand still the term k = n is all of it.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np

from lrfm.problem import Jet
from lrfm.rows.pieces import CellwiseSteps, check_steps, groups
from lrfm.spaces.cells.reference import lowering, table
from lrfm.spaces.stored import check_array

CALL = 2_000  # products of numbers that take as long as a call
MOST_KNOWN = 64  # sets of places whose tables are kept


@dataclass(frozen=True)
class CellSteps(CellwiseSteps):
    """Steps in a row, each on the cells of a mesh.

    Parameters
    ----------
    fields
        Names of real fields.
    edges
        Times at which steps begin and end.
    mesh_of
        The number of each step's mesh.
    cell_edges, cell_starts
        Edges of the cells of all meshes, one mesh after the other, and where each begins among them.
    rows
        a₀ and h c_s of each cell of each step, one step after the other: (cells of all steps, 1 + K, fields, size).
    speeds
        Of the edges of the cells of all meshes, like `cell_edges`; a mesh that moves is of one step, with `cell_edges` at its start. None where all stand still.
    known
        Tables at places that were asked for; pieces on the same meshes may share them.
    """

    fields: tuple[str, ...]
    edges: np.ndarray
    mesh_of: np.ndarray
    cell_edges: np.ndarray
    cell_starts: np.ndarray
    rows: np.ndarray
    speeds: np.ndarray | None = None
    known: dict[tuple[int, bytes], tuple[np.ndarray | None, np.ndarray, list[int], np.ndarray]] = field(
        default_factory=dict, repr=False, compare=False
    )

    @staticmethod
    def from_record(
        fields: Sequence[str],
        edges: np.ndarray,
        mesh_of: Sequence[int],
        cell_edges: np.ndarray,
        cell_starts: Sequence[int],
        rows: np.ndarray,
        size: int,
        speeds: np.ndarray | None = None,
    ) -> CellSteps:
        """Build again what `record` wrote; ValueError where its parts do not belong together."""
        steps = check_steps(fields, edges)
        meshes, starts = _numbers("mesh_of", mesh_of), _numbers("cell_starts", cell_starts)
        if len(meshes) != steps or len(starts) < 2 or meshes.min() < 0 or meshes.max() >= len(starts) - 1:
            raise ValueError("`mesh_of` names a mesh that is not there")
        if starts[0] != 0 or np.any(np.diff(starts) < 2):
            raise ValueError("`cell_starts` does not divide the edges of cells")
        check_array("cell_edges", cell_edges, (int(starts[-1]),))
        for a, b in pairwise(starts):
            if not np.all(np.diff(cell_edges[a:b]) > 0):
                raise ValueError("edges of cells do not increase")
        total, stages = int(np.sum((np.diff(starts) - 1)[meshes])), rows.shape[1] if rows.ndim == 4 else 0
        check_array("rows", rows, (total, stages, len(fields), size))
        if stages < 2 or size < 1:
            raise ValueError("`rows` has no coefficients of cells")
        found = CellSteps(tuple(fields), edges, meshes, cell_edges, starts, rows, speeds)
        if speeds is not None:
            check_array("speeds", speeds, cell_edges.shape)
            for step in range(steps):
                if not np.all(np.diff(found.mesh(step, float(edges[step + 1]))) > 0):
                    raise ValueError("edges of cells do not increase until the end of their step")
        return found

    def record(self) -> dict[str, object]:
        """The piece as plain arrays and numbers for a file."""
        return {
            "fields": list(self.fields),
            "edges": self.edges,
            "mesh_of": self.mesh_of.tolist(),
            "cell_edges": self.cell_edges,
            "cell_starts": self.cell_starts.tolist(),
            "rows": self.rows,
            "size": int(self.rows.shape[3]),
            **({} if self.speeds is None else {"speeds": self.speeds}),
        }

    @cached_property
    def _firsts(self) -> np.ndarray:
        """Where the cells of each step begin among all."""
        counts = (np.diff(self.cell_starts) - 1)[self.mesh_of]
        return np.append(0, np.cumsum(counts))

    @property
    def moves(self) -> bool:
        """Whether cells of some step move."""
        return self.speeds is not None

    def mesh(self, step: int, time: float | None = None) -> np.ndarray:
        """Edges of the cells of a step, at its start or at a time in it."""
        among = self._among(step)
        if self.speeds is None or time is None:
            return self.cell_edges[among]
        return self.cell_edges[among] + (time - self.edges[step]) * self.speeds[among]

    def _among(self, step: int) -> slice:
        """Where the edges of the cells of a step are among all."""
        mesh = self.mesh_of[step]
        return slice(self.cell_starts[mesh], self.cell_starts[mesh + 1])

    def _moving(self, step: int) -> bool:
        """Whether the cells of a step move."""
        return self.speeds is not None and bool(np.any(self.speeds[self._among(step)]))

    @property
    def straight(self) -> bool:
        """Whether cells hold straight lines alone."""
        return self.rows.shape[-1] == 2

    def cells_at(self, time: float) -> np.ndarray:
        """Edges of the cells at a time."""
        return self.mesh(min(bisect_right(self._inner, time), self.steps - 1), time)

    # Values -------------------------------------------------------------------------------------------------

    def _sums(
        self, jets: Sequence[Jet], step: np.ndarray, places: np.ndarray
    ) -> dict[tuple[str, tuple[int, ...]], np.ndarray]:
        cell, place, width = self._located(step, places[:, 0])
        numbers, found = self._firsts[step] + cell, {}
        tables = {d: table(place, self.rows.shape[3], d) for d in {jet.index[0] for jet in jets}}
        for name, (d,) in dict.fromkeys((jet.field, jet.index[:-1]) for jet in jets):
            sums = self._summed(numbers, self.number(name), tables[d])
            found[name, (d,)] = sums * ((2 / width) ** d)[:, None] if d else sums
        return found

    def _summed(self, numbers: np.ndarray, field: int, functions: np.ndarray) -> np.ndarray:
        """Σ_j of the rows of some cells with functions (points, size): (points, 1 + K)."""
        if len(numbers) * self.rows[0, :, 0].size <= CALL * len(self.rows):
            return np.einsum("nks,ns->nk", self.rows[numbers, :, field], functions)
        # Many points of few cells, of many coefficients: cell by cell.
        result = np.empty((len(numbers), self.rows.shape[1]))
        for among in groups(numbers):
            result[among] = functions[among] @ self.rows[numbers[among[0]], :, field].T
        return result

    def _located(self, step: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The cell of each point in the mesh of its step, the place in it, and its width."""
        meshes = self.mesh_of[step]
        cell, low, width = np.empty(len(x), dtype=int), np.empty(len(x)), np.empty(len(x))
        for among in groups(meshes):
            mesh = meshes[among[0]]
            edges = self.cell_edges[self.cell_starts[mesh] : self.cell_starts[mesh + 1]]
            k = np.clip(np.searchsorted(edges, x[among], side="right") - 1, 0, len(edges) - 2)
            cell[among], low[among], width[among] = k, edges[k], edges[k + 1] - edges[k]
        return cell, 2 * (x - low) / width - 1, width

    def on_grid(
        self, jets: Iterable[Jet], places: Sequence[np.ndarray], times: np.ndarray
    ) -> dict[Jet, np.ndarray]:
        """D^a of fields on the grid of places and times: each (times, places)."""
        jets, (x,) = list(jets), places
        result = {jet: np.empty((len(times), len(x))) for jet in jets}
        owner = np.searchsorted(self.edges[1:-1], times, side="right")
        by_step = np.argsort(owner, kind="stable")
        bounds = np.flatnonzero(np.diff(self.mesh_of[owner[by_step]])) + 1
        for among in np.split(by_step, bounds) if len(times) else ():
            if self._moving(int(owner[among[0]])):
                self._on_moving(jets, x, times, int(owner[among[0]]), among, result)
            else:
                self._on_mesh(jets, x, times[among], owner[among], among, result)
        return result

    # Cells that move ----------------------------------------------------------------------------------------

    def _along(self, jets: Sequence[Jet], points: np.ndarray, steps: np.ndarray) -> dict[Jet, np.ndarray]:
        if self.speeds is None:
            return super()._along(jets, points, steps)
        result = {jet: np.empty(len(points)) for jet in jets}
        for among in groups(steps):
            found = self._in_cells(jets, points[among, 0], points[among, -1], int(steps[among[0]]))
            for jet, values in found.items():
                result[jet][among] = values
        return result

    def _on_moving(
        self,
        jets: Sequence[Jet],
        x: np.ndarray,
        times: np.ndarray,
        step: int,
        among: np.ndarray,
        result: Mapping[Jet, np.ndarray],
    ) -> None:
        """`on_grid` at times of one step."""
        for i in among:
            for jet, values in self._in_cells(jets, x, times[i : i + 1], step).items():
                result[jet][i] = values

    def _in_cells(
        self, jets: Sequence[Jet], x: np.ndarray, times: np.ndarray, step: int
    ) -> dict[Jet, np.ndarray]:
        """D^a of fields at places and as many times of a step, or at one time."""
        assert self.speeds is not None
        since, h = self.edges[step], self.edges[step + 1] - self.edges[step]
        low, speeds, past = self.mesh(step), self.speeds[self._among(step)], times - since
        if len(times) == 1:
            low = low + past * speeds
            cell = np.clip(np.searchsorted(low, x, side="right") - 1, 0, len(low) - 2)
            left, right = low[cell], low[cell + 1]
        else:
            now = low + past[:, None] * speeds
            cell = np.clip(np.sum(now <= x[:, None], axis=1) - 1, 0, len(low) - 2)
            left, right = now[np.arange(len(x)), cell], now[np.arange(len(x)), cell + 1]
        width, squeeze = right - left, speeds[cell + 1] - speeds[cell]
        place = 2 * (x - left) / width - 1
        drift = -2 / width * (speeds[cell] + 0.5 * (1 + place) * squeeze)
        squeeze = squeeze / width
        size, tau = self.rows.shape[3], 2 * past / h - 1
        here: dict[tuple[str, int], np.ndarray] = {}
        tables: dict[int, np.ndarray] = {}

        def of(name: str, derivative: int, order: int) -> np.ndarray:
            """∂_ξ^derivative ∂ₜ^order U at the places."""
            if (name, order) not in here:
                weights = self._weights(order, tau, h)
                flat = self._flat(step, name)
                if len(times) == 1:
                    here[name, order] = (weights[:, 0] @ flat).reshape(-1, size)[cell]
                else:
                    own = flat.reshape(len(flat), -1, size)[:, cell]
                    here[name, order] = np.einsum("kn,kns->ns", weights, own)
            if derivative not in tables:
                tables[derivative] = table(place, size, derivative)
            return np.einsum("ns,ns->n", here[name, order], tables[derivative])

        result = {}
        for jet in jets:
            d, n = jet.index[0], jet.index[-1]
            total = np.zeros(len(x))
            for j in range(n + 1):
                for k in range(n - j + 1):
                    r = n - j - k
                    factor = math.factorial(n) / math.factorial(j) / math.factorial(k)
                    # C(−d − j, r)
                    factor *= (-1) ** r * math.comb(d + j + r - 1, r) if r else 1
                    if factor:
                        total += factor * of(jet.field, d + j, k) * drift**j * squeeze**r
            result[jet] = total * (2 / width) ** d
        return result

    def _on_mesh(
        self,
        jets: Sequence[Jet],
        x: np.ndarray,
        times: np.ndarray,
        steps: np.ndarray,
        among: np.ndarray,
        result: Mapping[Jet, np.ndarray],
    ) -> None:
        """The same at times of steps that share a mesh, one step after the other: polynomials in time first, which leaves one polynomial per cell and time."""
        h = self.edges[steps + 1] - self.edges[steps]
        tau = 2 * (times - self.edges[steps]) / h - 1
        cuts = [0, *(np.flatnonzero(np.diff(steps)) + 1).tolist(), len(steps)]
        order, cell, bounds, functions = self._tables(int(steps[0]), x)
        then: dict[tuple[str, int], np.ndarray] = {}
        for jet in jets:
            key = jet.field, jet.index[-1]
            if key not in then:
                weights = self._weights(jet.index[-1], tau, h).T
                then[key] = np.concatenate(
                    [weights[a:b] @ self._flat(int(steps[a]), jet.field) for a, b in pairwise(cuts)]
                ).reshape(len(times), -1, self.rows.shape[3])
            here = self._lowered(then[key], int(steps[0]), jet.index[0])
            found = np.empty((len(times), len(x)))
            # Cell by cell as long as that is a product of matrices worth its call.
            if found.size * functions.shape[1] > CALL * len(bounds):
                for a, b in pairwise([*bounds, len(x)]):
                    np.matmul(here[:, cell[a]], functions[a:b].T, out=found[:, a:b])
            else:
                found = np.einsum("tps,ps->tp", here[:, cell], functions)
            result[jet][among] = found if order is None else found[:, order]

    def _lowered(self, coefficients: np.ndarray, step: int, derivative: int) -> np.ndarray:
        """Coefficients (times, cells, size) of d^a/dx^a on the mesh of a step."""
        if not derivative:
            return coefficients
        widths = np.diff(self.mesh(step))
        lowered = lowering(self.rows.shape[3], derivative)
        return (coefficients @ lowered) * ((2 / widths) ** derivative)[:, None]

    def _flat(self, step: int, name: str) -> np.ndarray:
        """a₀ and h c_s of a field in a step: (1 + K, cells·size)."""
        own = self.rows[self._firsts[step] : self._firsts[step + 1], :, self.number(name)]
        return own.transpose(1, 0, 2).reshape(self.rows.shape[1], -1)

    def _tables(
        self, step: int, x: np.ndarray
    ) -> tuple[np.ndarray | None, np.ndarray, list[int], np.ndarray]:
        """Where each place is among those in the order of their cells, None for the same order; these cells, where each begins, and φ_j there: (places, size)."""
        key = int(self.mesh_of[step]), x.tobytes()
        if key not in self.known:
            if len(self.known) >= MOST_KNOWN:
                self.known.clear()
            edges, order = self.mesh(step), None
            cell = np.clip(np.searchsorted(edges, x, side="right") - 1, 0, len(edges) - 2)
            if np.any(cell[1:] < cell[:-1]):
                by_cell = np.argsort(cell, kind="stable")
                cell, x, order = cell[by_cell], x[by_cell], np.argsort(by_cell)
            bounds = [0, *(np.flatnonzero(np.diff(cell)) + 1).tolist()] if len(x) else []
            low, high = edges[cell], edges[cell + 1]
            functions = table(2 * (x - low) / (high - low) - 1, self.rows.shape[3])
            self.known[key] = order, cell, bounds, functions
        return self.known[key]

    @cached_property
    def _inner(self) -> list[float]:
        """Times between two steps."""
        return self.edges[1:-1].tolist()


def _numbers(name: str, given: Sequence[int]) -> np.ndarray:
    """Whole numbers of a file; ValueError where they are not that."""
    if not all(isinstance(n, int) and not isinstance(n, bool) and 0 <= n < 2**40 for n in given):
        raise ValueError(f"`{name}` are not whole numbers")
    return np.array(given, dtype=np.int64)
