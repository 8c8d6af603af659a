# SPDX-License-Identifier: MIT
"""u(x, t) as a series whose number of modes changes from step to step:  Σ_k c_k(t) b_k(x),  c_k a polynomial of degree K in time on each step.

c(t₀ + τh) = c₀ + h ∫₀^τ c′,   c′ a polynomial by its values at K Radau points.   All steps of a run are one piece.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.polynomial import legendre

from lrfm.linalg.room import forget
from lrfm.problem import Jet
from lrfm.rows.in_time import polynomials
from lrfm.rows.pieces import InSteps, chebyshev, check_steps, groups
from lrfm.spaces.series import NEITHER, Modes, Parity
from lrfm.spaces.stored import check_array

LARGEST = 4_000_000  # numbers that are in use at once
TOGETHER = 4  # places per instant from which a series is made for each instant
MOST_MODES = 100_000  # along an axis: more is no file of ours


@dataclass(frozen=True)
class SeriesSteps(InSteps):
    """Steps in a row, each with the modes of a mesh.

    Parameters
    ----------
    fields, parities
        Names of real fields, and whether each is even or odd between the walls of each axis.
    edges
        Times at which steps begin and end.
    meshes, mesh_of
        The modes that occur, and which of them each step has.
    starts, rates
        c₀ of each step, (fields, real numbers of a function), and c′ at the Radau points of it, (K, fields, real numbers), in single precision where that is enough.
    """

    fields: tuple[str, ...]
    parities: tuple[Parity, ...]
    edges: np.ndarray
    meshes: tuple[Modes, ...]
    mesh_of: np.ndarray
    starts: tuple[np.ndarray, ...]
    rates: tuple[np.ndarray, ...]

    @staticmethod
    def from_record(
        fields: Sequence[str],
        parities: Sequence[Sequence[int]],
        edges: np.ndarray,
        lower: np.ndarray,
        upper: np.ndarray,
        periodic: Sequence[bool],
        counts: Sequence[Sequence[int]],
        mesh_of: Sequence[int],
        rows: np.ndarray,
        stages: int,
    ) -> SeriesSteps:
        """Build again what `record` wrote; ValueError where its parts do not belong together."""
        axes = len(periodic)
        steps = check_steps(fields, edges)
        if not 1 <= axes <= 3:
            raise ValueError("a box has one to three axes")
        for name, corner in (("lower", lower), ("upper", upper)):
            check_array(name, corner, (axes,))
        if not np.all(lower < upper) or not all(isinstance(p, bool) for p in periodic):
            raise ValueError("the box has no size")
        whole = [n for row in (*parities, *counts, mesh_of) for n in row]
        if not all(isinstance(n, int) and not isinstance(n, bool) and 0 <= n <= MOST_MODES for n in whole):
            raise ValueError("numbers of modes are not whole numbers")
        if any(len(p) != axes or max(p) > NEITHER for p in parities) or len(parities) != len(fields):
            raise ValueError("`parities` are not those of the fields")
        if any(len(c) != axes for c in counts) or len(mesh_of) != steps or max(mesh_of) >= len(counts):
            raise ValueError("`mesh_of` names a mesh that is not there")
        if not isinstance(stages, int) or stages < 1:
            raise ValueError("`stages` is not a number of stages")
        corners = tuple(map(float, lower)), tuple(map(float, upper))
        polynomial = tuple(a for a in range(axes) if parities[0][a] == NEITHER)
        if any((q == NEITHER) != (a in polynomial) for p in parities for a, q in enumerate(p)):
            raise ValueError("`parities` are not those of the axes")
        if any(periodic[a] for a in polynomial):
            raise ValueError("`parities` are not those of the axes")
        meshes = tuple(Modes(*corners, tuple(periodic), tuple(c), polynomial) for c in counts)
        sizes = [(1 + stages) * len(fields) * meshes[m].reals for m in mesh_of]
        check_array("rows", rows, (sum(sizes),))
        parts = np.split(rows, np.cumsum(sizes)[:-1])
        blocks = [p.reshape(1 + stages, len(fields), -1) for p in parts]
        own = tuple(tuple(p) for p in parities)
        starts, rates = tuple(b[0] for b in blocks), tuple(b[1:] for b in blocks)
        return SeriesSteps(tuple(fields), own, edges, meshes, np.array(mesh_of), starts, rates)

    def record(self) -> dict[str, object]:
        """The piece as plain arrays and numbers for a file."""
        first = self.meshes[0]
        return {
            "fields": list(self.fields),
            "parities": [list(p) for p in self.parities],
            "edges": self.edges,
            "lower": np.array(first.lower),
            "upper": np.array(first.upper),
            "periodic": list(first.periodic),
            "counts": [list(m.counts) for m in self.meshes],
            "mesh_of": self.mesh_of.tolist(),
            "rows": np.concatenate(
                [b.ravel() for pair in zip(self.starts, self.rates, strict=True) for b in pair]
            ),
            "stages": self.stages,
        }

    @property
    def stages(self) -> int:
        """Degree in time."""
        return len(self.rates[0])

    # Values -------------------------------------------------------------------------------------------------

    def _weights(self, step: int, times: np.ndarray, order: int) -> np.ndarray:
        """∂ₜ^order of what stands before c₀ and the rates at times of a step: (1 + K, times)."""
        h = self.edges[step + 1] - self.edges[step]
        functions = polynomials(self.stages, order)
        tau = 2 * (times - self.edges[step]) / h - 1
        found = functions @ chebyshev(tau, len(functions)) / h**order
        return np.concatenate([found[:1], h * radau_to_legendre(self.stages).T @ found[1:]])

    def _rows(self, step: int, field: int) -> np.ndarray:
        """c₀ and the rates of a field: (1 + K, real numbers)."""
        return np.concatenate([self.starts[step][field][None], self.rates[step][:, field]])

    def _coefficients(self, step: int, field: int, times: np.ndarray, order: int) -> np.ndarray:
        """∂ₜ^order of c at times of one step: (times, *shape)."""
        weights = self._weights(step, times, order)
        found = np.outer(weights[0], self.starts[step][field]) + weights[1:].T @ self.rates[step][:, field]
        return self.meshes[self.mesh_of[step]].complexes(found)

    def values(self, jets: Iterable[Jet], points: np.ndarray) -> dict[Jet, np.ndarray]:
        """D^a of fields at points (n, axes + 1), time last, of any order in space and time."""
        jets = list(jets)
        result = {jet: np.empty(len(points)) for jet in jets}
        instants, which = np.unique(points[:, -1], return_inverse=True)
        # Where times repeat, a series of each is summed; else polynomials in time of each place.
        together = TOGETHER * len(instants) < len(points)
        parts = groups(which) if together else (among for _, among in self._by_step(points[:, -1]))
        for among in parts:
            step = int(np.searchsorted(self.edges[1:-1], points[among[0], -1], side="right"))
            mesh = self.meshes[self.mesh_of[step]]
            rows = 1 if together else 1 + self.stages
            most = max(1, LARGEST // (mesh.count // mesh.shape[-1] * rows + sum(mesh.shape)))
            for start in range(0, len(among), most):
                here = among[start : start + most]
                for jet, values in self._at(step, mesh, jets, points[here], together).items():
                    result[jet][here] = values
            forget(self.starts[step], self.rates[step])
        return result

    def _at(
        self, step: int, mesh: Modes, jets: Sequence[Jet], points: np.ndarray, together: bool
    ) -> dict[Jet, np.ndarray]:
        """Values at points of one step, or of one instant."""
        tables: dict[tuple[int, int, int], np.ndarray] = {}
        known: dict[tuple, np.ndarray] = {}
        result = {}
        for jet in jets:
            number, index, order = self.number(jet.field), jet.index[:-1], jet.index[-1]
            parity = self.parities[number]
            keys = [(a, n, parity[a]) for a, n in enumerate(index)]
            for key in keys:
                if key not in tables:
                    a, n, p = key
                    tables[key] = mesh.functions(a, points[:, a], n, p)
            functions = [tables[key] for key in keys]
            if together:
                state = self._coefficients(step, number, points[:1, -1], order)[0]
                result[jet] = mesh.summed(state, functions)
                continue
            if (number, index) not in known:
                known[number, index] = mesh.summed(mesh.complexes(self._rows(step, number)), functions)
            weights = self._weights(step, points[:, -1], order)
            result[jet] = np.einsum("kn,kn->n", known[number, index], weights)
        return result

    def on_grid(
        self, jets: Iterable[Jet], places: Sequence[np.ndarray], times: np.ndarray
    ) -> dict[Jet, np.ndarray]:
        """D^a of fields on the grid of places along each axis and times: each (times, n₁, …, n_d), by products per axis."""
        jets = list(jets)
        result = {jet: np.empty((len(times), *map(len, places))) for jet in jets}
        tables: dict[tuple[int, int, int, int], np.ndarray] = {}
        for step, among in self._by_step(times):
            number = int(self.mesh_of[step])
            mesh = self.meshes[number]
            for jet in jets:
                field = self.number(jet.field)
                keys = [(number, a, jet.index[a], self.parities[field][a]) for a in range(mesh.dimension)]
                for key in keys:
                    if key not in tables:
                        tables[key] = mesh.functions(key[1], places[key[1]], *key[2:])
                found = self._coefficients(step, field, times[among], jet.index[-1])
                result[jet][among] = mesh.on_grid(found, [tables[key] for key in keys])
            forget(self.starts[step], self.rates[step])
        return result

    @cached_property
    def most_modes(self) -> tuple[int, ...]:
        """The highest mode along each axis of any step."""
        return tuple(int(k) for k in np.max([m.counts for m in self.meshes], axis=0))


@lru_cache(maxsize=16)
def radau_to_legendre(stages: int) -> np.ndarray:
    """What takes values at the Radau points of (0, 1], zeros of P_K − P_{K−1}, to Legendre coefficients."""
    polynomial = np.zeros(stages + 1)
    polynomial[stages], polynomial[stages - 1] = 1.0, -1.0
    nodes = np.sort(legendre.legroots(polynomial).real)
    nodes[-1] = 1.0
    return np.linalg.inv(legendre.legvander(nodes, stages - 1))
