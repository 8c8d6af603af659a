# SPDX-License-Identifier: MIT
"""What conditions on parts of the boundary add to rows and matrices (formulas in `galerkin` and `constraint`)."""

from __future__ import annotations

from functools import cached_property, reduce
from typing import TYPE_CHECKING
from weakref import proxy

import numpy as np

from lrfm.discretize.plane.face_terms import Array, Side, across, evaluating, plus, speeds, with_slopes
from lrfm.discretize.plane.tables import by_points, grouped
from lrfm.discretize.plane.tractions import factors, levels
from lrfm.discretize.plane.weak import Diffusion, WeakEquation
from lrfm.problem import Jet, Row

if TYPE_CHECKING:
    from lrfm.discretize.plane.galerkin import Blocks, PlaneGalerkin


class Boundary:
    """Faces on one part of the boundary."""

    def __init__(self, made: PlaneGalerkin, faces: Array, part: str):
        self.made, self.part, space = proxy(made), part, made.mesh
        f = space.faces
        self.weights, normals = f.weights[faces], f.normals[faces]
        tables = {order: table[faces] for order, table in space.left_tables.items()}
        self.points = f.points[faces]
        shift = 2 * space.outline.beside * normals
        self.side = Side(made, f.left[faces], tables, f.points[faces] - shift, normals)
        self.exact = Side(made, f.left[faces], tables, f.points[faces], normals)
        self.constant = space.traces[f.left[faces]]

    def _values(self, equation: WeakEquation) -> list[tuple[Diffusion, Row, Jet]]:
        """Each diffusion whose field is given here, with the condition at its level in time, and the jet that is given."""
        layout, found = self.made.layout, []
        for d in equation.diffusions:
            c = layout.condition(self.part, layout.powers[d.jet][0])
            if c is not None and not c.flux:
                found.append((d, layout.at_level(c, d.jet.index[-1]), d.jet))
        return found

    def _fluxes(self, i: int, times: Array, y, z) -> list[tuple[Row, Array]]:
        """Conditions on fluxes: the row, and the factor K of it (`tractions`)."""
        layout, found = self.made.layout, []
        for level, diffusions in levels(layout.equations[i]).items():
            by = {layout.powers[d.jet][0]: d for d in diffusions}
            group = layout.fluxes(self.part, set(by))
            if not any(c.field in by for c in group):
                continue
            names = [self.made.system.fields[c.field] for c in group]
            slopes = [
                [
                    self._normal_slope(
                        c.row, Jet(name, (*(0 for _ in range(layout.dimension)), level)), times, y, z
                    )
                    for name in names
                ]
                for c in group
            ]
            across = [
                self.side.conormal(by[c.field], times, y, z)[1]
                if c.field in by
                else np.zeros_like(slopes[0][0])
                for c in group
            ]
            found += [(c.row, k) for c, k in zip(group, factors(across, slopes), strict=True)]
        return found

    def _slope(self, row: Row, jet: Jet, times: Array, y, z) -> Array:
        """∂B/∂jet, (times, faces, points)."""
        zero = np.zeros(
            (len(times), len(self.made.system.components), self.made.mesh.size, self.made.functions)
        )
        slopes = self.exact.slopes(row, times, zero if y is None else y, zero if z is None else z)
        found = slopes.get(jet, np.zeros(()))
        shape = (len(times), *self.weights.shape)
        return np.broadcast_to(found.reshape(shape) if found.ndim else found, shape)

    def _normal_slope(self, row: Row, jet: Jet, times: Array, y, z) -> Array:
        """β·n of one field in a condition."""
        normals = self.side.normals
        axes = range(normals.shape[-1])
        return reduce(np.add, (normals[..., k] * self._slope(row, jet.raised(k), times, y, z) for k in axes))

    def _factor(self, entry, times: Array, y, z) -> tuple[Array, Array]:
        """σ/c of a value tested by φ, −a n/c (…, 2) of one tested by ∇φ."""
        d, row, jet = entry
        conormal, across = self.side.conormal(d, times, y, z)
        c = self._slope(row, jet, times, y, z)
        return 2 * self.constant[:, None] * across / c, -conormal / c[..., None]

    def _clamped(self, i: int, times: Array, y, z) -> list[tuple[Row, Array, Array | None]]:
        """Where u and its slope are given, and nothing of w = Δu: the row u = g, and its factors tested by φ and by ∇φ.

        f̂·n = a ∂w/∂n of the equation of u is free there; − ∫ ∂ψ/∂n (u − g) in that of w makes the two forms each other's transpose, and
        −2 C n·a n (u − g), a < 0, C the largest eigenvalue of ∮ (∂w/∂n)² = C ∫ w², bounds what w may be.
        """
        made, layout, found = self.made, self.made.layout, []
        for d in layout.equations[i].diffusions:
            field = layout.powers[d.jet][0]
            u = field if field in made.system.laplacians.values() else made.system.laplacians.get(field, -1)
            c = layout.clamped(self.part, u)
            if c is None:
                continue
            row = layout.at_level(c, d.jet.index[-1])
            slope = self._slope(row, Jet(made.system.fields[u], d.jet.index), times, y, z)
            conormal, stiff = self.side.conormal(d, times, y, z)
            if field == u:
                found.append((row, np.zeros_like(stiff), -conormal / slope[..., None]))
            else:
                found.append((row, -2 * self._bending * stiff / slope, None))
        return found

    @cached_property
    def _bending(self) -> Array:
        """C of the cell of each face, (faces, 1)."""
        side, n = self.side, self.made.functions
        d = side.along(side.normals)
        own = np.matmul(np.swapaxes(d, 1, 2), self.weights[..., None] * d)
        total = np.zeros((self.made.mesh.size, n, n))
        np.add.at(total, side.cells, own)
        among, number = np.unique(side.cells, return_inverse=True)
        largest = np.linalg.eigvalsh(total[among])[:, -1] / self.made.mesh.areas[among]
        return largest[number][:, None]

    def _inflow(self, i: int, times: Array, y, z) -> list[tuple[Row, Array]]:
        """Values given where something is carried inwards: the row, and the factor of it."""
        made, found = self.made, []
        row = made.layout.equations[i].carrying
        zero = np.zeros((len(times), len(made.system.components), made.mesh.size, made.functions))
        y, z = (zero if y is None else y), (zero if z is None else z)
        carried = speeds(made, i)
        slopes = self.side.slopes(row, times, y, z) if carried else {}
        for names in carried:
            field = made.layout.powers[names[0]][0]
            c = made.layout.condition(self.part, field)
            if c is None or c.flux or made.system.last[field] in made.system.multipliers:
                continue
            b = across(self.side, slopes, names, len(times))
            damping = np.abs(b) if field == i else np.zeros_like(b)
            given = made.layout.at_level(c, names[0].index[-1])
            slope = self._slope(given, names[0], times, y, z)
            found.append((given, -0.5 * (b - damping) / slope))
        equation = made.layout.equations[i]
        if not equation.diffusions:
            return [*found, *self._through(equation, times, y, z)]
        return [*found, *self._opened(i, times, y, z)]

    def _through(self, equation: WeakEquation, times: Array, y: Array, z: Array) -> list[tuple[Row, Array]]:
        """What is given of the fluxes of a constraint: the row, and ∂(f·n)/∂u over its slope."""
        found = []
        for k, flux in enumerate(equation.fluxes):
            slopes = self.side.slopes(flux, times, y, z)
            for jet in flux.jets:
                c = self.made.layout.condition(self.part, self.made.layout.powers[jet][0])
                if c is not None and not c.flux:
                    row = self.made.layout.at_level(c, 0)
                    slope = self._slope(row, jet, times, y, z)
                    found.append((row, self.side.normals[..., k] * slopes[jet] / slope))
        return found

    def residual(self, result: Array, times: Array, y: Array | None, z: Array | None) -> None:
        """Adds what the conditions do to rows."""
        with evaluating(self.side, self.exact):
            self._residual(result, times, y, z)

    def _residual(self, result: Array, times: Array, y: Array | None, z: Array | None) -> None:
        for i, equation in enumerate(self.made.layout.equations):
            values = np.zeros((len(times), *self.weights.shape))
            slopes = None
            if equation.fluxes and y is not None:
                values -= self.side.normal_flux(equation, times, y, z)
            for entry in self._values(equation):
                factor, along = self._factor(entry, times, y, z)
                b = self.exact.value(entry[1], times, y, z)
                values = values + factor * b
                slopes = along * b[..., None] if slopes is None else slopes + along * b[..., None]
            for row, factor, along in self._clamped(i, times, y, z):
                b = self.exact.value(row, times, y, z)
                values = values + factor * b
                if along is not None:
                    slopes = along * b[..., None] if slopes is None else slopes + along * b[..., None]
            for row, factor in (*self._fluxes(i, times, y, z), *self._inflow(i, times, y, z)):
                values = values + factor * self.exact.value(row, times, y, z)
            if np.any(values) or slopes is not None:
                self.side.tested(result, i, self.weights, values, slopes)

    def linearize(self, blocks: Blocks, times: Array, y: Array, z: Array) -> None:
        """Adds the derivatives of what the conditions do, at one time."""
        with evaluating(self.side, self.exact):
            self._linearize(blocks, times, y, z)

    def _linearize(self, blocks: Blocks, times: Array, y: Array, z: Array) -> None:
        side, layout = self.side, self.made.layout
        weights = (self.weights / self.made.mesh.areas[side.cells][:, None])[..., None]
        test = np.swapaxes(side.values, 1, 2)
        for i, equation in enumerate(layout.equations):
            trials: dict[tuple[int, int], Array] = {}
            for k, row in enumerate(equation.fluxes):
                self._enter(trials, row, side, -side.normals[..., k], times, y, z)
            for entry in self._values(equation):
                factor, along = self._factor(entry, times, y, z)
                self._enter(trials, entry[1], self.exact, factor[0], times, y, z)
                self._turned(blocks, i, entry[1], along, weights, times, y, z)
            for row, factor, along in self._clamped(i, times, y, z):
                self._enter(trials, row, self.exact, factor[0], times, y, z)
                if along is not None:
                    self._turned(blocks, i, row, along, weights, times, y, z)
            for row, factor in (*self._fluxes(i, times, y, z), *self._inflow(i, times, y, z)):
                self._enter(trials, row, self.exact, factor[0], times, y, z)
            for (field, power), term in trials.items():
                blocks.sum(i, field, power, side.cells, np.matmul(test, weights * term))

    def _turned(self, blocks: Blocks, i: int, row: Row, along: Array, weights: Array, times, y, z) -> None:
        """∫ ∇φ·w ∂B of a row, at one time."""
        symmetric: dict[tuple[int, int], Array] = {}
        self._enter(symmetric, row, self.exact, np.ones(self.weights.shape), times, y, z)
        turned = np.swapaxes(self.side.along(along[0]), 1, 2)
        for (field, power), term in symmetric.items():
            blocks.sum(i, field, power, self.side.cells, np.matmul(turned, weights * term))

    def _enter(self, trials, row: Row, side: Side, factor: Array, times: Array, y: Array, z: Array) -> None:
        slopes = side.slopes(row, times, y, z)
        for key, terms in grouped(self.made.layout, row.jets).items():
            total = sum(by_points(slopes[jet], side.shape) * side.tables[order] for jet, order in terms)
            plus(trials, key, factor[..., None] * total)

    def _opened(self, i: int, times: Array, y: Array, z: Array) -> list[tuple[Row, Array]]:
        """Where a pressure is given, and nothing of a velocity u_k: p̂ is what is given, and  ν ∂u_k/∂n  follows from the constraint C = 0 and the other components.

        f̂·n = ν (∂u_k/∂n − n_k C/d_k): without the derivative of u_k itself, which nothing on the boundary bounds.
        """
        made, layout = self.made, self.made.layout
        if layout.condition(self.part, i) is not None:
            return []
        found = []
        for c in layout.driving(i):
            given = layout.condition(self.part, made.system.last.index(c))
            if given is None:
                continue
            row, law = given.row, made.system.equations[made.system.last.index(c)]
            jet = Jet(made.system.components[c][0], (0,) * (made.mesh.dimension + 1))
            slopes = self.side.slopes(layout.equations[i].carrying, times, y, z)
            b = across(self.side, slopes, with_slopes(jet), len(times))
            found.append((row, -b / self._slope(row, jet, times, y, z)))
            own = next(j for j in law.jets if j.whole == made.system.fields[i])
            normal = self.side.normals[..., own.index.index(1)]
            for d in layout.equations[i].diffusions:
                if layout.powers[d.jet][0] == i:
                    stiff = self.side.conormal(d, times, y, z)[1]
                    found.append((law, stiff * normal / self._slope(law, own, times, y, z)))
        return found
