# SPDX-License-Identifier: MIT
"""What conditions between two layers add to rows and matrices:  rows W(u₁, u₂, ∇u₁, ∇u₂) = 0 for what flows, V(u₁, u₂) = 0 for values, n from the first layer to the second.

One of each, α₁u₁ + α₂u₂ = g and c₁f₁·n − c₂f₂·n + r = 0 (continuity: α = ±1, c = 1), in Nitsche's way with means weighted by a (Ern, Stephansen, Zunino, IMA J. Numer. Anal. 29, 2009):

    f̂₁·n = f₁·n − ω₂ W/c₁ − σ V/α₁,     f̂₂·n = f₂·n + ω₁ W/c₂ − σ (c₁/c₂) V/α₁,     − ∫ ω₁ a₁∇φ₁·n V/α₁ + ∫ ω₂ a₂∇φ₂·n V/α₂,

ω₁ = A/(n·a₁n + A), ω₂ = 1 − ω₁, σ = 4 C n·a₁n A/(n·a₁n + A), A = −n·a₂n (c₂/c₁)(α₁/α₂): the form is symmetric when the second layer's row is weighted by −(α₂c₂)/(α₁c₁). Every term
is a multiple of V or of W, so that an exact solution satisfies it. Two rows for what flows (a resistance) give both normal derivatives, f̂ = f − a M⁻¹W with M their slopes; two values are Nitsche's on each side.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from weakref import proxy

import numpy as np

from lrfm.discretize.evolution import Unsuited
from lrfm.discretize.line.collocation import Jets, _slopes
from lrfm.discretize.plane.face_terms import Array, Side, across, plus, speeds
from lrfm.discretize.plane.tables import by_points, flattened, grouped, row_values, spacetime
from lrfm.discretize.plane.weak import WeakEquation
from lrfm.problem import Jet, Row
from lrfm.problem.jets import SIDE

if TYPE_CHECKING:
    from lrfm.discretize.plane.galerkin import Blocks, PlaneGalerkin


class Term(NamedTuple):
    """A row, times `value` tested by φ and times `slope` tested by aᵀn·∇φ, on each side, (times, faces, points) or 0."""

    row: Row
    value: tuple[Array | float, Array | float]
    slope: tuple[Array | float, Array | float] = (0.0, 0.0)


class Interface:
    """Faces between two layers."""

    def __init__(self, made: PlaneGalerkin, faces: Array, name: str):
        self.made, self.name, space = proxy(made), name, made.mesh
        f, domain = space.faces, made.system.problem.domain
        self.layers: tuple[str, str] = domain.interfaces[name]  # pyright: ignore[reportAttributeAccessIssue]
        first = list(domain.layers).index(self.layers[0])  # pyright: ignore[reportAttributeAccessIssue]
        turned = space.materials[f.left[faces]] != first
        self.weights, self.points = f.weights[faces], f.points[faces]
        normals = np.where(turned, -1.0, 1.0)[:, None, None] * f.normals[faces]
        at = np.searchsorted(space.inner, faces)

        def picked(a: Array, b: Array) -> tuple[Array, Array]:
            mask = turned.reshape(-1, *(1,) * (a.ndim - 1))
            return np.where(mask, b, a), np.where(mask, a, b)

        cells = picked(f.left[faces], f.right[faces])
        tables = {
            o: picked(space.left_tables[o][faces], space.right_tables[o][at]) for o in space.left_tables
        }
        shift = 2 * space.outline.beside * normals
        self.sides, self.exact = [], []
        for s, sign in enumerate((-1, 1)):
            own = {order: pair[s] for order, pair in tables.items()}
            self.sides.append(Side(made, cells[s], own, self.points + sign * shift, normals))
            self.exact.append(Side(made, cells[s], own, self.points, normals))
        self.constant = np.maximum(space.traces[cells[0]], space.traces[cells[1]])[:, None]
        self.blocks = {(s, s): cells[s] for s in range(2)}
        self.blocks |= {(s, 1 - s): made.block_of(cells[s], cells[1 - s]) for s in range(2)}

    # Rows at points of faces --------------------------------------------------------------------------------

    def _jets(self, row: Row, y: Array | None, z: Array | None) -> Jets:
        """Each jet as its own side has it."""
        found: Jets = {}
        for side, layer in zip(self.exact, self.layers, strict=True):
            found |= side.jets([jet for jet in row.jets if jet.side == layer], y, z)
        return found

    def _value(self, row: Row, times: Array, y: Array | None, z: Array | None) -> Array:
        shape = (len(times), *self.weights.shape)
        return row_values(row, spacetime(self.points, times), self._jets(row, y, z), shape)

    def _slopes(self, row: Row, times: Array, y: Array | None, z: Array | None) -> Jets:
        """∂F/∂(D^a u), each (times, faces, points)."""
        y, z = self._state(times, y), self._state(times, z)
        found = _slopes(row, spacetime(self.points, times), flattened(self._jets(row, y, z)))
        shape = (len(times), *self.weights.shape)
        return {j: np.broadcast_to(v.reshape(shape) if v.ndim else v, shape) for j, v in found.items()}

    def _state(self, times: Array, y: Array | None) -> Array:
        made = self.made
        shape = (len(times), len(made.system.components), made.mesh.size, made.functions)
        return np.zeros(shape) if y is None else y

    def _of(self, slopes: Jets, jet: Jet, s: int) -> Array:
        """∂F/∂u, or ∂F/∂(∂u/∂n), of the first layer or the second."""
        shape = self.weights.shape
        return slopes.get(Jet(f"{jet.field}{SIDE}{self.layers[s]}", jet.index), np.zeros((1, *shape)))

    def _across(self, slopes: Jets, jet: Jet, s: int) -> Array:
        normals = self.sides[s].normals
        return sum(normals[..., k] * self._of(slopes, jet.raised(k), s) for k in range(2))  # type: ignore[return-value]

    # Factors of rows ----------------------------------------------------------------------------------------

    def _terms(self, i: int, equation: WeakEquation, times: Array, y, z) -> list[Term]:
        """All multiples of conditions in an equation."""
        found = self._flowing(i, equation, times, y, z) if equation.diffusions else []
        return [*found, *self._carried(i, times, y, z)]

    def _flowing(self, i: int, equation: WeakEquation, times: Array, y, z) -> list[Term]:
        (d,), layout = equation.diffusions, self.made.layout
        stiff = [side.conormal(d, times, y, z)[1] for side in self.sides]
        rows = layout.between(self.name, i, d.jet.index[-1])
        slopes = [(self._slopes(row, times, y, z), flux) for row, flux in rows]
        if rows[0][1] == rows[1][1]:
            of = self._across if rows[0][1] else self._of
            m = [[of(own, d.jet, s) for s in range(2)] for own, _ in slopes]
            inverse = self._inverse(m)
            sigma = [4 * self.constant * a for a in stiff]
            terms = []
            for r, (row, flux) in enumerate(rows):
                one, two = inverse[0][r], inverse[1][r]
                if flux:
                    terms.append(Term(row, (stiff[0] * one, -stiff[1] * two)))
                else:
                    terms.append(Term(row, (sigma[0] * one, sigma[1] * two), (-one, two)))
            return terms
        flows = next(k for k, (_, flux) in enumerate(rows) if flux)
        c = [sign * self._across(slopes[flows][0], d.jet, s) / stiff[s] for s, sign in enumerate((1, -1))]
        alpha = [self._of(slopes[1 - flows][0], d.jet, s) for s in range(2)]
        with np.errstate(divide="ignore", invalid="ignore"):
            other = -stiff[1] * (c[1] / c[0]) * (alpha[0] / alpha[1])
        if not np.all(other > 0):
            raise Unsuited(
                f"The conditions on the interface `{self.name}` do not say how `{self.made.system.fields[i]}` flows from one layer into the other: one is about its value on both sides, "
                "and one about its flux on both, with signs by which what leaves one layer enters the other."
            )
        omega = other / (stiff[0] + other)
        sigma = 4 * self.constant * stiff[0] * omega
        return [
            Term(rows[flows][0], ((1 - omega) / c[0], omega / c[1])),
            Term(
                rows[1 - flows][0],
                (sigma / alpha[0], -sigma * c[0] / (c[1] * alpha[0])),
                (-omega / alpha[0], (1 - omega) / alpha[1]),
            ),
        ]

    def _inverse(self, m: list[list[Array]]) -> list[list[Array]]:
        """Of matrices (2, 2) at points."""
        determinant = m[0][0] * m[1][1] - m[0][1] * m[1][0]
        if not np.all(determinant):
            raise Unsuited(f"The conditions on the interface `{self.name}` say the same thing twice.")
        rows = ((m[1][1], -m[0][1]), (-m[1][0], m[0][0]))
        return [[entry / determinant for entry in row] for row in rows]

    def _carried(self, i: int, times: Array, y, z) -> list[Term]:
        """Values that come from the other layer by terms of first order."""
        made, found = self.made, []
        carried = speeds(made, i)
        row, (y, z) = made.layout.equations[i].carrying, (self._state(times, y), self._state(times, z))
        slopes = [side.slopes(row, times, y, z) for side in self.sides] if carried else []
        for names in carried:
            field = made.layout.powers[names[0]][0]
            for given, flux in made.layout.between(self.name, field, names[0].index[-1]):
                if flux:
                    continue
                own = self._slopes(given, times, y, z)
                b = [across(side, s, names, len(times)) for side, s in zip(self.sides, slopes, strict=True)]
                damping = [np.abs(v) * (field == i) for v in b]
                one = -0.5 * (b[0] - damping[0]) / self._of(own, names[0], 0)
                two = 0.5 * (b[1] + damping[1]) / self._of(own, names[0], 1)
                found.append(Term(given, (one, two)))
        return found

    # Sums ---------------------------------------------------------------------------------------------------

    def residual(self, result: Array, times: Array, y: Array | None, z: Array | None) -> None:
        """Adds what the conditions do to rows."""
        for i, equation in enumerate(self.made.layout.equations):
            terms = [(t, self._value(t.row, times, y, z)) for t in self._terms(i, equation, times, y, z)]
            for s, side in enumerate(self.sides):
                values = np.zeros((len(times), *self.weights.shape))
                slopes = None
                if equation.fluxes and y is not None:
                    values += (-1, 1)[s] * side.normal_flux(equation, times, y, z)
                for term, value in terms:
                    values = values + term.value[s] * value
                    if np.ndim(term.slope[s]):
                        conormal = side.conormal(equation.diffusions[0], times, y, z)[0]
                        slopes = (term.slope[s] * value)[..., None] * conormal
                side.tested(result, i, self.weights, values, slopes)

    def linearize(self, blocks: Blocks, times: Array, y: Array, z: Array) -> None:
        """Adds the derivatives of what the conditions do, at one time."""
        for i, equation in enumerate(self.made.layout.equations):
            terms = self._terms(i, equation, times, y, z)
            slopes = [self._slopes(term.row, times, y, z) for term in terms]
            for s, side in enumerate(self.sides):
                weights = (self.weights / self.made.mesh.areas[side.cells][:, None])[..., None]
                tests = [np.swapaxes(side.tables[0, 0], 1, 2)]
                if equation.diffusions:
                    conormal = side.conormal(equation.diffusions[0], times, y, z)[0][0]
                    tests.append(np.swapaxes(side.along(conormal), 1, 2))
                for k, row in enumerate(equation.fluxes):
                    found = side.slopes(row, times, y, z)
                    own = {jet: by_points(found[jet], side.shape) for jet in row.jets}
                    factor = ((-1, 1)[s] * side.normals[..., k])[..., None] * weights
                    self._add_terms(blocks, i, s, s, tests[0], factor, own, list(row.jets))
                for term, found in zip(terms, slopes, strict=True):
                    for test, factor in zip(tests, (term.value[s], term.slope[s]), strict=False):
                        if not np.ndim(factor):
                            continue
                        for other, layer in enumerate(self.layers):
                            own = {j: v[0][..., None] for j, v in found.items() if j.side == layer}
                            scaled = np.asarray(factor)[0][..., None] * weights
                            self._add_terms(blocks, i, s, other, test, scaled, own, list(own))

    def _add_terms(
        self, blocks: Blocks, i: int, s: int, other: int, test, factor, slopes, jets: list[Jet]
    ) -> None:
        """∫ test · factor · Σ slope D^a u of one side."""
        tables, totals = self.sides[other].tables, {}
        for key, terms in grouped(self.made.layout, jets).items():
            for jet, order in terms:
                plus(totals, key, slopes[jet] * tables[order])
        for (field, power), total in totals.items():
            blocks.sum(i, field, power, self.blocks[s, other], np.matmul(test, factor * total))
