# SPDX-License-Identifier: MIT
"""What conditions on parts of the boundary add to rows and matrices (formulas in `galerkin` and `constraint`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lrfm.discretize.face_terms import Array, Side, across, plus, speeds
from lrfm.discretize.plane_layout import PartCondition
from lrfm.discretize.plane_tables import by_points, grouped
from lrfm.discretize.weak import Diffusion, WeakEquation
from lrfm.problem import Jet, Row

if TYPE_CHECKING:
    from lrfm.discretize.galerkin import Blocks, PlaneGalerkin


class Boundary:
    """Faces on one part of the boundary."""

    def __init__(self, made: PlaneGalerkin, faces: Array, part: str):
        self.made, self.part, space = made, part, made.mesh
        f = space.faces
        self.weights, normals = f.weights[faces], f.normals[faces]
        tables = {order: table[faces] for order, table in space.left_tables.items()}
        self.points = f.points[faces]
        shift = 2 * space.outline.beside * normals
        self.side = Side(made, f.left[faces], tables, f.points[faces] - shift, normals)
        self.exact = Side(made, f.left[faces], tables, f.points[faces], normals)
        self.constant = space.traces[f.left[faces]]

    def _conditions(self, equation: WeakEquation) -> list[tuple[Diffusion, PartCondition, Row, Jet | None]]:
        """Each diffusion with the condition on its field, at its level in time; and for values the jet that is given."""
        layout, found = self.made.layout, []
        for d in equation.diffusions:
            c = layout.condition(self.part, layout.powers[d.jet][0])
            if c is None:
                continue  # a pressure is given in its place
            if c.flux:
                found.append((d, c, c.row, None))
            else:
                found.append((d, c, layout.at_level(c, d.jet.index[-1]), d.jet))
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

    def _oblique(self, row: Row, d: Diffusion, times: Array, y, z) -> Array:
        """β·n of a flux condition."""
        normals = self.side.normals
        one, two = (normals[..., k] * self._slope(row, d.slope(k), times, y, z) for k in range(2))
        return one + two

    def _factor(self, entry, times: Array, y, z) -> tuple[Array, Array, Array]:
        """(factor of B tested by φ, factor of B tested by ∇φ (…, 2), n·a n): σ/c and −aᵀn/c for values, κ and 0 for fluxes."""
        d, condition, row, jet = entry
        conormal, across = self.side.conormal(d, times, y, z)
        if condition.flux:
            return across / self._oblique(row, d, times, y, z), np.zeros_like(conormal), across
        c = self._slope(row, jet, times, y, z)
        return 2 * self.constant[:, None] * across / c, -conormal / c[..., None], across

    def _inflow(self, i: int, times: Array, y, z) -> list[tuple[Row, Array]]:
        """Values given where something is carried inwards: the row, and the factor of it."""
        made, found = self.made, []
        row = made.layout.equations[i].source
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
        for i, equation in enumerate(self.made.layout.equations):
            values = np.zeros((len(times), *self.weights.shape))
            slopes = None
            if equation.fluxes and y is not None:
                values -= self.side.normal_flux(equation, times, y, z)
            for entry in self._conditions(equation):
                factor, along, _ = self._factor(entry, times, y, z)
                b = self.exact.value(entry[2], times, y, z)
                values = values + factor * b
                slopes = along * b[..., None] if slopes is None else slopes + along * b[..., None]
            for row, factor in self._inflow(i, times, y, z):
                values = values + factor * self.exact.value(row, times, y, z)
            if np.any(values) or slopes is not None:
                self.side.tested(result, i, self.weights, values, slopes)

    def linearize(self, blocks: Blocks, times: Array, y: Array, z: Array) -> None:
        """Adds the derivatives of what the conditions do, at one time."""
        side, layout = self.side, self.made.layout
        weights = (self.weights / self.made.mesh.areas[side.cells][:, None])[..., None]
        test = np.swapaxes(side.tables[0, 0], 1, 2)
        for i, equation in enumerate(layout.equations):
            trials: dict[tuple[int, int], Array] = {}
            for k, row in enumerate(equation.fluxes):
                self._enter(trials, row, side, -side.normals[..., k], times, y, z)
            for entry in self._conditions(equation):
                factor, along, _ = self._factor(entry, times, y, z)
                self._enter(trials, entry[2], self.exact, factor[0], times, y, z)
                if not entry[1].flux:
                    symmetric: dict[tuple[int, int], Array] = {}
                    self._enter(symmetric, entry[2], self.exact, np.ones(self.weights.shape), times, y, z)
                    turned = np.swapaxes(side.along(along[0]), 1, 2)
                    for (field, power), term in symmetric.items():
                        blocks.sum(i, field, power, side.cells, np.matmul(turned, weights * term))
            for row, factor in self._inflow(i, times, y, z):
                self._enter(trials, row, self.exact, factor[0], times, y, z)
            for (field, power), term in trials.items():
                blocks.sum(i, field, power, side.cells, np.matmul(test, weights * term))

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
            jet = Jet(made.system.components[c][0], (0, 0, 0))
            slopes = self.side.slopes(layout.equations[i].source, times, y, z)
            b = across(self.side, slopes, (jet, jet.raised(0), jet.raised(1)), len(times))
            found.append((row, -b / self._slope(row, jet, times, y, z)))
            own = next(j for j in law.jets if j.whole == made.system.fields[i])
            normal = self.side.normals[..., own.index.index(1)]
            for d in layout.equations[i].diffusions:
                if layout.powers[d.jet][0] == i:
                    stiff = self.side.conormal(d, times, y, z)[1]
                    found.append((law, stiff * normal / self._slope(law, own, times, y, z)))
        return found
