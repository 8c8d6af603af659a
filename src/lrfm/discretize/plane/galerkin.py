# SPDX-License-Identifier: MIT
"""Discontinuous Galerkin on cells of the plane and of space:  ∫ φ G + ∫ ∇φ·f − ∮ φ f̂·n = 0  for  F = G − div f,  f = a ∇u.

Second order by the symmetric interior penalty method (Arnold, SIAM J. Numer. Anal. 19, 1982), with means weighted by a where it jumps (Ern, Stephansen, Zunino, IMA J. Numer. Anal. 29, 2009):

    f̂·n = ω₁ f₁·n + ω₂ f₂·n − σ [u],     − ∫ ω aᵀ∇φ·n [u],     σ = 2 C h(a),   C the largest eigenvalue of  ∮ (∂v/∂n)² = C ∫ |∇v|²  on the two cells.

Values on the boundary in Nitsche's way, [u] = u − g; fluxes β·∇u + r = 0 by f̂·n = f·n − κ (β·∇u + r), κ = n·a n/β·n, those of several fields together (`tractions`). First order, b·∇u, by upwinding: ½ (b·n ∓ |b·n|)(u₂ − u₁).
Functions are orthonormal in the mean over their cell and tests divided by its area, so that ∫ φ u_t is the identity. Matrices are A(s) = Σ_p s^p B_p as in `collocation`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from lrfm.discretize.line.collocation import Jets, _slopes
from lrfm.discretize.options import COSTS
from lrfm.discretize.plane.blocks import Blocks, pattern, too_many
from lrfm.discretize.plane.boundary_terms import Boundary
from lrfm.discretize.plane.face_terms import Interior
from lrfm.discretize.plane.interface_terms import Interface
from lrfm.discretize.plane.layout import PlaneLayout
from lrfm.discretize.plane.pencil import SparsePencil
from lrfm.discretize.plane.tables import Tables, by_points, flattened, grouped, spacetime
from lrfm.linalg.banded import PatternSolver
from lrfm.linalg.complexes import ComplexParts
from lrfm.linalg.deadline import check_deadline
from lrfm.linalg.multilevel import BlockPlaces, Multilevel
from lrfm.linalg.sparse import Pinned, elimination_order, sparse_solver
from lrfm.problem import Jet
from lrfm.spaces.cells.plane.space import Batch, PlaneCells


class PlaneGalerkin:
    """A statement on the cells of one mesh: residuals, matrices and norms.

    States are arrays (components, cells, size), rates (fields, cells, size).
    """

    def __init__(self, layout: PlaneLayout, mesh: PlaneCells):
        self.layout, self.mesh, self.system = layout, mesh, layout.system
        self._inert: dict[str, Any] = {}
        self.fields, self.functions = len(self.system.fields), mesh.functions
        self.size = mesh.size * sum(layout.sizes)
        f = mesh.faces
        inner = f.right >= 0
        self._number(f.left[inner], f.right[inner])
        self.interior = Interior(self, np.flatnonzero(inner & (f.part < 0)))
        names, stated = mesh.outline.parts, ((~inner, Boundary), (inner, Interface))
        self.boundaries = [
            kind(self, np.flatnonzero(among & (f.part == k)), names[k])
            for among, kind in stated
            for k in np.unique(f.part[among & (f.part >= 0)])
        ]

    # Numbers of rows and columns ----------------------------------------------------------------------------

    def _number(self, left: np.ndarray, right: np.ndarray) -> None:
        """Blocks: one per cell, and two per pair of neighbors; unknowns in the order of elimination of cells."""
        cells, sizes = self.mesh.size, np.array(self.layout.sizes)
        pairs = np.unique(np.concatenate([left * cells + right, right * cells + left]))
        own = np.arange(cells)
        self.block_rows = np.concatenate([own, pairs // cells])
        self.block_columns = np.concatenate([own, pairs % cells])
        self._pairs = pairs
        order, self.filled = elimination_order(self.block_rows[cells:], self.block_columns[cells:], cells)
        position = np.empty(cells, dtype=int)
        position[order] = own
        self.position = position
        # Within a cell a velocity comes before its pressure: eliminated first, it leaves a diagonal.
        late = np.argsort([c in self.system.multipliers for c in self.system.last], kind="stable")
        offset = np.empty(self.fields, dtype=int)
        offset[late] = np.cumsum(sizes[late]) - sizes[late]
        k = np.arange(self.functions)
        first = position[:, None] * sizes.sum() + offset
        # (cells, fields, functions); what a field has no functions for is the last place, beyond all others.
        self.places = np.where(k < sizes[:, None], first[:, :, None] + k, self.size)

    def block_of(self, row: np.ndarray, column: np.ndarray) -> np.ndarray:
        """The number of the block of two neighbors."""
        return self.mesh.size + np.searchsorted(self._pairs, row * self.mesh.size + column)

    @cached_property
    def coupled(self) -> list[tuple[int, int]]:
        """Pairs of equation and field with entries."""
        layout, found = self.layout, {(i, i) for i in range(self.fields)}
        for i, equation in enumerate(layout.equations):
            found |= {(i, layout.powers[jet][0]) for jet in equation.jets}
            for c in layout.driving(i):
                law = self.system.equations[self.system.last.index(c)]
                found |= {(i, layout.powers[jet][0]) for jet in law.jets}
            for part, conditions in layout.conditions.items():
                used = {layout.powers[d.jet][0] for d in equation.diffusions} | {i}
                used |= {self.system.laplacians[k] for k in used if k in self.system.laplacians}
                rows = [c.row for c in conditions if c.field in used]
                rows += [c.row for c in layout.fluxes(part, used)]
                found |= {(i, layout.powers[jet][0]) for row in rows for jet in row.jets}
        return sorted(found)

    @cached_property
    def _pattern(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return pattern(self)

    @property
    def indefinite(self) -> bool:
        """Whether matrices are quasi-definite up to signs of rows, (A, −C) with both positive: any order of elimination serves (Vanderbei, SIAM J. Optim. 5, 1995), and few iterations do.

        Those of a pressure are, C = 0 where it comes last; so are those of a field and its Laplacian, with (M, s D).
        """
        return bool(self.system.multipliers or self.system.laplacians)

    @cached_property
    def iterative(self) -> bool:
        """Whether matrices are too large for factors; a pressure, and a field with its Laplacian, have no others."""
        found = too_many(self, self.filled, COSTS.served, COSTS.solutions, COSTS.cycles)
        return found and not self.indefinite and not self.harmonic

    @cached_property
    def harmonic(self) -> list[tuple[int, int]]:
        """Real and imaginary parts where these are all there is, nothing moves, and one is in the conditions or the equation of the other: waves e^{−iωt}, for which iterations do not converge."""
        fields = self.system.fields
        found = [(i, fields.index(f[:-2] + "im")) for i, f in enumerate(fields) if f.endswith(".re")]
        standing = self.system.problem.steady and 2 * len(found) == len(fields)
        return found if standing and any(pair in self.coupled for pair in found) else []

    @cached_property
    def cycled(self) -> bool:
        """Whether a solution to two digits takes less without factors of its own."""
        found = too_many(self, self.filled, 2, COSTS.few, COSTS.few)
        return found and not self.indefinite

    @cached_property
    def blocks(self) -> tuple[BlockPlaces, np.ndarray]:
        """Places of blocks by rows, and the order in which they come there."""
        return BlockPlaces.of(self.position[self.block_rows], self.position[self.block_columns])

    @property
    def entries(self) -> np.ndarray:
        """Which of the numbers in blocks are entries, in their order."""
        return self._pattern[2]

    @property
    def rows(self) -> np.ndarray:
        """Of all entries."""
        return self._pattern[0]

    @property
    def columns(self) -> np.ndarray:
        """Of all entries."""
        return self._pattern[1]

    @cached_property
    def solver(self) -> PatternSolver:
        """Sparse LU, or iterations; a constant that no row feels is zero in one cell."""
        if self.iterative:
            return self.multilevel
        if self.harmonic:
            of = np.array(self.harmonic)
            real, imaginary = (self.places[:, part].ravel() for part in of.T)
            return ComplexParts(self._factored, self.rows, self.columns, real, imaginary)
        found = self._factored(self.rows, self.columns, self.size)
        if not self.layout.undetermined:
            return found
        cell = int(np.argmax(self.mesh.areas))
        pins = [self.places[cell, self.system.last.index(c), 0] for c in self.layout.undetermined]
        at = [int(np.flatnonzero((self.rows == pin) & (self.columns == pin))[0]) for pin in pins]
        return Pinned(found, np.array(at), 1 / float(np.sqrt(self.mesh.areas[cell])))

    def _factored(self, rows: np.ndarray, columns: np.ndarray, size: int) -> PatternSolver:
        """Sparse LU of as many unknowns in each cell: each of their columns meets the blocks of the cells that are left."""
        block = size // self.mesh.size
        fill = np.repeat(block * self.filled, block)
        return sparse_solver(rows, columns, size, not self.indefinite, fill)

    @cached_property
    def multilevel(self) -> Multilevel:
        """Cycles over spaces of half the degree, and so on down to linear functions."""
        found, degree = [], self.mesh.degree
        while degree > 1:
            degree, before = (degree + 1) // 2, int(np.sum(self.mesh.degrees <= degree))
            own = np.arange(int(np.sum(self.mesh.degrees <= degree)))
            found.append((before * np.arange(self.fields)[:, None] + own).ravel())
        return Multilevel(self.blocks[0], found)

    @cached_property
    def inert(self) -> bool:
        """Whether B₀, and the gradient of a pressure, are the same at all states and times: with coefficients of places alone, in conditions as well where there is a constraint."""
        system = self.system
        names = {system.components[c][0] for c in system.multipliers}
        given = [c.row for conditions in self.layout.conditions.values() for c in conditions]
        if names and not all(row.stationary for row in given):
            return False
        for row in (*system.equations, *given):
            for jet in (jet for jet in row.jets if jet.whole in names or jet.index[-1]):
                if jet in row.nonlinear_jets or not row.linear_part[jet].symbols <= row.places:
                    return False
        return True

    def inert_once(self, name: str, make: Callable[[], Any]) -> Any:
        """What is made of B₀: once, where that is the same at all states and times."""
        if not self.inert:
            return make()
        if name not in self._inert:
            self._inert[name] = make()
        return self._inert[name]

    @cached_property
    def lowest(self) -> np.ndarray:
        """The lowest power of s in each row."""
        result = np.zeros(self.size + 1, dtype=int)
        for i, power in enumerate(self.layout.lowest):
            result[self.places[:, i]] = power
        return result[:-1]

    @property
    def lumped(self) -> list[int]:
        """Fields of time alone: none."""
        return []

    @property
    def auxiliary(self) -> list[int]:
        """Components that stand for something else: Laplacians of others, of which nothing is claimed."""
        return [self.system.last[i] for i in self.system.laplacians]

    @property
    def filters(self) -> bool:
        """Whether the rates alone say what becomes of an error: fields of first order in time."""
        return not self.system.links

    # Values -------------------------------------------------------------------------------------------------

    def scatter(self, vector: np.ndarray) -> np.ndarray:
        """Coefficients (…, fields, cells, size) from a vector (…, n); what is known up to a constant has mean zero."""
        more = np.zeros((*vector.shape[:-1], 1), dtype=vector.dtype)
        return self.predicted(np.moveaxis(np.concatenate([vector, more], axis=-1)[..., self.places], -3, -2))

    def predicted(self, rates: np.ndarray) -> np.ndarray:
        """Rates (…, fields, cells, size) of each field's own functions, with mean zero of what is known up to a constant: no row feels anything else, and extended from step to step its rounding would grow.

        A pressure of degree 3 had 4e-2 of degree 4 after 30 steps of a wake, and cells were split for it again and again.
        """
        for i, size in enumerate(self.layout.sizes):
            rates[..., i, :, size:] = 0.0
        for c in self.layout.undetermined:
            own = rates[..., self.system.last.index(c), :, 0]
            own -= np.sum(own * self.shares, axis=-1, keepdims=True)
        return rates

    def gather(self, coefficients: np.ndarray) -> np.ndarray:
        """The vector (…, n) of coefficients (…, fields, cells, size)."""
        result = np.zeros((*coefficients.shape[:-3], self.size + 1), dtype=coefficients.dtype)
        result[..., self.places] = np.moveaxis(coefficients, -3, -2)
        return np.ascontiguousarray(result[..., :-1])

    def balanced(self, rows: np.ndarray) -> np.ndarray:
        """Rows (…, n) without the mean of constraints that no velocity changes: the net flux of what is given, an error of its quadrature where it balances."""
        for c in self.layout.undetermined:
            at = self.places[:, self.system.last.index(c), 0]
            rows[..., at] -= np.sum(rows[..., at] * self.shares, axis=-1, keepdims=True)
        return rows

    @property
    def shares(self) -> np.ndarray:
        """Each cell's part of the domain."""
        return self.mesh.shares

    def norms(self, coefficients: np.ndarray) -> np.ndarray:
        """Root mean squares over the domain of (…, cells, size)."""
        return np.sqrt(np.einsum("...ks,k->...", coefficients**2, self.shares))

    def jets(
        self,
        wanted: Collection[Jet],
        y: np.ndarray | None,
        z: np.ndarray | None,
        cells: np.ndarray,
        tables: Mapping[tuple[int, ...], np.ndarray],
        known: Jets | None = None,
    ) -> Jets:
        """Derivatives at points of cells, each (times, cells, points); zero without a state. `known` has those that were found before."""
        found: Jets = {} if known is None else known
        for jet in wanted:
            if jet in found:
                continue
            _field, component, order, power = self.layout.powers[jet]
            source = z if power == 0 else y
            if source is None:
                found[jet] = np.zeros(())
                continue
            table, own = tables[order], source[:, component, cells]
            if len(table) == 1:
                found[jet] = own @ table[0].T
            else:
                found[jet] = np.matmul(table, own[..., None])[..., 0]
        return {jet: found[jet] for jet in wanted}

    # Rows ---------------------------------------------------------------------------------------------------

    def at(self, times: np.ndarray) -> PlaneInstants:
        """The rows at some times: residuals of an iteration share what is given there."""
        return PlaneInstants(self, np.asarray(times, dtype=float))

    def residual(self, times: np.ndarray, y: np.ndarray, z: np.ndarray) -> np.ndarray:
        """All rows at some times: y and z are (times, components, cells, size), the result (times, n)."""
        return self.at(times).residual(y, z)

    @property
    def matrices(self) -> list[Any] | None:
        """B_p where equations are linear and stay the same; None elsewhere."""
        return self.fixed.matrices if self.system.linear and self.system.stationary else None

    @cached_property
    def steady_load(self) -> np.ndarray:
        """F without unknowns where it is the same at all times, (1, n)."""
        return PlaneInstants(self, np.array(self.system.problem.time[:1]))._evaluated(None, None)

    @cached_property
    def fixed(self) -> SparsePencil:
        """A(s) where it is the same at all states."""
        nothing = np.zeros((len(self.system.components), self.mesh.size, self.functions))
        return self._linearized(self.system.problem.time[0], nothing, nothing)

    def linearize(self, time: float, y: np.ndarray, z: np.ndarray) -> SparsePencil:
        """A(s) at a state y (components, cells, size) with rates z of its components."""
        if self.system.linear and self.system.stationary:
            return self.fixed
        return self._linearized(time, y, z)

    def _linearized(self, time: float, y: np.ndarray, z: np.ndarray) -> SparsePencil:
        blocks = Blocks(self)
        times = np.array([time])
        for batch in self.mesh.batches:
            check_deadline()
            self._volume_blocks(blocks, batch, times, y[None], z[None])
        check_deadline()
        self.interior.linearize(blocks, times, y[None], z[None])
        for boundary in self.boundaries:
            check_deadline()
            boundary.linearize(blocks, times, y[None], z[None])
        check_deadline()
        return SparsePencil(self, blocks.values())

    def _volume_blocks(self, blocks: Blocks, batch: Batch, times: np.ndarray, y, z) -> None:
        points = spacetime(batch.points, times)
        tables = Tables(batch, self.mesh)
        shape = batch.weights.shape
        for i, equation in enumerate(self.layout.equations):
            tests = (batch.values, *batch.slopes)
            for row, test in zip((equation.source, *equation.fluxes), tests, strict=False):
                if not row.jets:
                    continue
                jets = self.jets(row.jets, y, z, batch.cells, tables)
                slopes = _slopes(row, points, {jet: v.ravel() for jet, v in jets.items()})
                for key, terms in grouped(self.layout, row.jets).items():
                    total = sum(by_points(slopes[jet], shape) * tables[order] for jet, order in terms)
                    check_deadline()
                    weighted = batch.weights[..., None] * total
                    found = np.matmul(np.swapaxes(test, 1, 2), weighted)
                    blocks.add(i, *key, batch.cells, found)


class PlaneInstants:
    """The rows of a discretization at some times."""

    def __init__(self, made: PlaneGalerkin, times: np.ndarray):
        self.made, self.times = made, times
        self._load: np.ndarray | None = None
        self._known: list[dict[tuple[int, int], Any]] = []

    def residual(self, y: np.ndarray, z: np.ndarray) -> np.ndarray:
        """F of all rows: y and z are (times, components, cells, size), the result (times, n)."""
        matrices = self.made.matrices
        if matrices is None:
            return self._evaluated(y, z)
        made, system = self.made, self.made.system
        result = self.load.copy()
        # Rows are divided by their lowest power of s: B_p is then of the power p more.
        for lowest in set(made.layout.lowest):
            for p, matrix in enumerate(matrices):
                vector = np.zeros((len(self.times), made.fields, *y.shape[2:]))
                for i, c in enumerate(system.last):
                    order = max(1, system.orders[system.fields[i]])
                    if p + lowest == 0:
                        vector[:, i] = z[:, c]
                    elif p + lowest <= order:
                        vector[:, i] = y[:, c - p - lowest + 1]
                found = (matrix @ made.gather(vector).T).T
                result += np.where(made.lowest == lowest, found, 0.0)
        return made.balanced(result)

    @property
    def load(self) -> np.ndarray:
        """F without unknowns."""
        if self._load is None:
            made = self.made
            if made.system.autonomous:
                self._load = np.repeat(made.steady_load, len(self.times), axis=0)
            else:
                self._load = self._evaluated(None, None)
        return self._load

    def _evaluated(self, y: np.ndarray | None, z: np.ndarray | None) -> np.ndarray:
        made, layout = self.made, self.made.layout
        result = np.zeros((len(self.times), made.fields, made.mesh.size, made.functions))
        for number, batch in enumerate(made.mesh.batches):
            if len(self._known) <= number:
                self._known.append({})
            tables = Tables(batch, made.mesh)
            shape = (len(self.times), *batch.weights.shape)
            points, found = None, {}
            for i, equation in enumerate(layout.equations):
                tests = (batch.values, *batch.slopes)
                for k, (row, test) in enumerate(
                    zip((equation.source, *equation.fluxes), tests, strict=False)
                ):
                    if (i, k) not in self._known[number]:
                        points = spacetime(batch.points, self.times) if points is None else points
                        self._known[number][i, k] = row.known(points)
                    jets = made.jets(row.jets, y, z, batch.cells, tables, found)
                    values = row.residual_of(self._known[number][i, k], flattened(jets))
                    if not values.ndim and not values:
                        continue
                    values = np.broadcast_to(values.reshape(shape) if values.ndim else values, shape)
                    values = values * batch.weights
                    if len(test) == 1:
                        result[:, i, batch.cells] += values @ test[0]
                    else:
                        result[:, i, batch.cells] += np.matmul(values[:, :, None, :], test)[:, :, 0]
        made.interior.residual(result, self.times, y, z)
        for boundary in made.boundaries:
            boundary.residual(result, self.times, y, z)
        return made.balanced(made.gather(result))
