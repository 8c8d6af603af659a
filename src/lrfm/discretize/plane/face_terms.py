# SPDX-License-Identifier: MIT
"""What faces between two cells add to rows and matrices: fluxes, penalties and upwinding (formulas in `galerkin`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property, reduce
from typing import TYPE_CHECKING, Any
from weakref import proxy

import numpy as np

from lrfm.discretize.line.collocation import Jets, _slopes
from lrfm.discretize.plane.tables import by_points, flattened, grouped, row_values, spacetime
from lrfm.discretize.plane.weak import Diffusion, WeakEquation, at_rest
from lrfm.linalg.deadline import check_deadline
from lrfm.problem import Jet, Row

if TYPE_CHECKING:
    from lrfm.discretize.plane.galerkin import Blocks, PlaneGalerkin

Array = np.ndarray
Tables = dict[tuple[int, ...], Array]


class Side:
    """The cells on one side of some faces: tables, points a little inside, and rows there."""

    def __init__(self, made: PlaneGalerkin, cells: Array, tables: Tables, points: Array, normals: Array):
        # What a discretization owns does not own it: matrices of a cycle stay until cycles are looked for.
        self.made, self.cells, self.tables = proxy(made), cells, tables
        self.points, self.normals = points, normals
        self.shape = points.shape[:2]
        self._known: Jets | None = None  # of the state under evaluation
        self._fixed: dict[Any, Any] = {}  # by rows and diffusions, what is the same for all states and times

    def remember(self, known: Jets | None) -> None:
        """From here on all rows have one state, and what several of them take of it is found once; None: no longer."""
        self._known = known

    def _once(self, key: Any, make: Callable[[], Any]) -> Any:
        """What is the same for all states and times."""
        if key not in self._fixed:
            self._fixed[key] = make()
        return self._fixed[key]

    @property
    def values(self) -> Array:
        """Functions at the points."""
        return self.tables[self.made.mesh.slopes[0]]

    def jets(self, row_jets, y: Array | None, z: Array | None) -> Jets:
        """Derivatives, each (times, faces, points)."""
        return self.made.jets(row_jets, y, z, self.cells, self.tables, self._known)

    def value(self, row: Row, times: Array, y: Array | None, z: Array | None) -> Array:
        """F of a row, (times, faces, points)."""
        shape = (len(times), *self.shape)
        if row.jets or row.time_dependent:
            return row_values(row, spacetime(self.points, times), self.jets(row.jets, y, z), shape)
        once = self._once(
            row, lambda: row_values(row, spacetime(self.points, times[:1]), {}, (1, *self.shape))
        )
        return np.broadcast_to(once, shape)

    def slopes(self, row: Row, times: Array, y: Array, z: Array) -> Jets:
        """∂F/∂(D^a u), each 0-d or (times·faces·points,)."""
        if not row.stationary:
            return _slopes(row, spacetime(self.points, times), flattened(self.jets(row.jets, y, z)))
        once = self._once((row,), lambda: _slopes(row, spacetime(self.points, times[:1]), {}))
        return {jet: np.tile(v, len(times)) if v.ndim else v for jet, v in once.items()}

    def normal_flux(self, equation: WeakEquation, times: Array, y: Array | None, z: Array | None) -> Array:
        """f·n."""
        return sum(
            (self.normals[..., k] * self.value(row, times, y, z) for k, row in enumerate(equation.fluxes)),
            np.zeros((len(times), *self.shape)),
        )

    def conormal(self, d: Diffusion, times: Array, y: Array | None, z: Array | None) -> tuple[Array, Array]:
        """a n, (times, faces, points, d), of which aᵀ∇φ·n is made: the flux of the adjoint; and n·a n."""
        if any(row.jets or row.time_dependent for line in d.tensor for row in line):
            return self._conormal(d, times, y, z)
        along, across = self._once(d, lambda: self._conormal(d, times[:1], y, z))
        shape = (len(times), *self.shape)
        return np.broadcast_to(along, (*shape, along.shape[-1])), np.broadcast_to(across, shape)

    def _conormal(self, d: Diffusion, times: Array, y: Array | None, z: Array | None) -> tuple[Array, Array]:
        axes = range(len(d.tensor))
        parts = [
            sum(self.normals[..., m] * self.value(d.tensor[k][m], times, y, z) for m in axes) for k in axes
        ]
        found = np.stack(parts, axis=-1)
        return found, np.sum(found * self.normals, axis=-1)

    def along(self, conormal: Array) -> Array:
        """a n·∇φ for one time, (faces, points, functions)."""
        orders = self.made.mesh.slopes[1:]
        terms = (conormal[..., k : k + 1] * self.tables[order] for k, order in enumerate(orders))
        return reduce(np.add, terms)

    def tested(
        self, result: Array, i: int, weights: Array, values: Array, slopes: Array | None = None
    ) -> None:
        """Adds ∫ φ v + ∫ ∇φ·w over faces to the rows of an equation, divided by the area of the cell."""
        weights = weights / self.made.mesh.areas[self.cells][:, None]
        found = np.matmul((weights * values)[:, :, None, :], self.values)[:, :, 0]
        if slopes is not None:
            for k, order in enumerate(self.made.mesh.slopes[1:]):
                found = (
                    found + np.matmul((weights * slopes[..., k])[:, :, None, :], self.tables[order])[:, :, 0]
                )
        self._summed(result[:, i], found)

    @cached_property
    def _gather(self) -> Any:
        from scipy.sparse import csr_matrix

        n = len(self.cells)
        return csr_matrix((np.ones(n), (self.cells, np.arange(n))), shape=(self.made.mesh.size, n))

    def _summed(self, result: Array, found: Array) -> None:
        for t in range(len(found)):
            result[t] += self._gather @ found[t]


@contextmanager
def evaluating(*sides: Side) -> Iterator[None]:
    """Rows of one state at one set of times."""
    for side in sides:
        side.remember({})
    try:
        yield
    finally:
        for side in sides:
            side.remember(None)


def speeds(made: PlaneGalerkin, i: int) -> list[tuple[Jet, ...]]:
    """∂ₓ∂ₜ^τ u, ∂_y∂ₜ^τ u, … in G of an equation, with ∂ₜ^τ u: (own, ∂ₓ, ∂_y, …)."""
    row = made.layout.equations[i].carrying
    own = dict.fromkeys(at_rest(j) for j in row.jets if sum(j.index[:-1]) == 1)
    return [with_slopes(jet) for jet in own]


def with_slopes(jet: Jet) -> tuple[Jet, ...]:
    """A jet and its derivatives along the axes."""
    return (jet, *(jet.raised(k) for k in range(len(jet.index) - 1)))


def across(side: Side, slopes: Jets, names: tuple[Jet, ...], times: int) -> Array:
    """b·n, (times, faces, points)."""
    shape = (times, *side.shape)
    total = np.zeros(shape)
    for k, name in enumerate(names[1:]):
        found = slopes.get(name)
        if found is not None:
            total = total + side.normals[..., k] * (found.reshape(shape) if found.ndim else found)
    return total


class Interior:
    """Faces between two cells."""

    def __init__(self, made: PlaneGalerkin, faces: Array):
        self.made, space = proxy(made), made.mesh
        f = space.faces
        self.weights, normals = f.weights[faces], f.normals[faces]
        shift = 2 * space.outline.beside * normals
        left = {order: table[faces] for order, table in space.left_tables.items()}
        right, at = space.right_tables, np.searchsorted(space.inner, faces)
        if len(at) < len(space.inner):
            right = {order: table[at] for order, table in right.items()}
        self.sides = (
            Side(made, f.left[faces], left, f.points[faces] - shift, normals),
            Side(made, f.right[faces], right, f.beyond[faces] + shift, normals),
        )
        self.constant = np.maximum(space.traces[f.left[faces]], space.traces[f.right[faces]])
        one, two = f.left[faces], f.right[faces]
        self.blocks = {
            (0, 0): one,
            (1, 1): two,
            (0, 1): made.block_of(one, two),
            (1, 0): made.block_of(two, one),
        }

    def _weighted(self, d: Diffusion, times: Array, y, z) -> tuple[list[Array], Array, list[Array]]:
        """a n of both sides, σ, and the weights ω of both sides."""
        found = [side.conormal(d, times, y, z) for side in self.sides]
        one, two = found[0][1], found[1][1]
        total = one + two
        safe = np.where(total == 0, 1.0, total)
        omega = np.where(total == 0, 0.5, two / safe)
        mean = np.where(total == 0, 0.0, 2 * one * two / safe)
        # Where a is not the same in all directions, the trace in one of them is bounded by the largest.
        return [found[0][0], found[1][0]], 2 * self.constant[:, None] * mean, [omega, 1 - omega]

    def _upwind(self, i: int, times: Array, y, z) -> list[tuple[Jet, Array, Array]]:
        """For each ∂ₜ^τ u that is carried: b·n, and by how much upwinding damps its jumps."""
        row, carried = self.made.layout.equations[i].carrying, speeds(self.made, i)
        if not carried:
            return []
        zero = np.zeros((1, *self._shape_of_state()))
        y, z = (zero if y is None else y), (zero if z is None else z)
        if len(y) != len(times):
            y, z = np.repeat(y, len(times), axis=0), np.repeat(z, len(times), axis=0)
        slopes = [side.slopes(row, times, y, z) for side in self.sides]
        found = []
        for names in carried:
            b = [across(side, s, names, len(times)) for side, s in zip(self.sides, slopes, strict=True)]
            mean = 0.5 * (b[0] + b[1])
            own = self.made.layout.powers[names[0]][0] == i
            found.append((names[0], mean, np.abs(mean) if own else np.zeros_like(mean)))
        return self._hyperbolic(i, found, times, y, z)

    def _shape_of_state(self) -> tuple[int, int, int]:
        made = self.made
        return len(made.system.components), made.mesh.size, made.functions

    def _hyperbolic(self, i: int, found, times: Array, y, z):
        """Systems without diffusion: jumps of the own field are damped by the fastest wave."""
        made = self.made
        equations = made.layout.equations
        others = [f for f in found if made.layout.powers[f[0]][0] != i]
        if not others or equations[i].diffusions:
            return found
        speed = sum((np.abs(f[1]) for f in found), np.zeros_like(found[0][1]))
        own = Jet(made.system.fields[i], (0,) * (made.mesh.dimension + 1))
        rest = [(jet, b, lam) for jet, b, lam in found if jet != own]
        mine = next((b for jet, b, _ in found if jet == own), np.zeros_like(speed))
        return [*rest, (own, mine, speed)]

    def residual(self, result: Array, times: Array, y: Array | None, z: Array | None) -> None:
        """Adds what faces do to rows (times, fields, cells, functions)."""
        if y is None or z is None:
            return  # jumps and fluxes of nothing are nothing: all terms are linear in them
        with evaluating(*self.sides):
            self._residual(result, times, y, z)

    def _residual(self, result: Array, times: Array, y: Array, z: Array) -> None:
        for i, equation in enumerate(self.made.layout.equations):
            values = [np.zeros((len(times), *self.weights.shape)) for _ in range(2)]
            slopes: list[Array | None] = [None, None]
            if equation.fluxes:
                flux = [side.normal_flux(equation, times, y, z) for side in self.sides]
                if not equation.diffusions:
                    values[0] -= 0.5 * (flux[0] + flux[1])
                    values[1] += 0.5 * (flux[0] + flux[1])
                for d in equation.diffusions:
                    conormal, sigma, omega = self._weighted(d, times, y, z)
                    mean = omega[0] * flux[0] + omega[1] * flux[1] if d is equation.diffusions[0] else 0.0
                    jump = self._jump(d.jet, y, z)
                    values[0] += sigma * jump - mean
                    values[1] -= sigma * jump - mean
                    for s in range(2):
                        more = -(omega[s] * jump)[..., None] * conormal[s]
                        slopes[s] = more if slopes[s] is None else slopes[s] + more
            for jet, b, damping in self._upwind(i, times, y, z):
                jump = -self._jump(jet, y, z)
                values[0] += 0.5 * (b - damping) * jump
                values[1] += 0.5 * (b + damping) * jump
            for s, side in enumerate(self.sides):
                side.tested(result, i, self.weights, values[s], slopes[s])

    def _jump(self, jet: Jet, y: Array, z: Array) -> Array:
        one, two = (side.jets([jet], y, z)[jet] for side in self.sides)
        return one - two

    def linearize(self, blocks: Blocks, times: Array, y: Array, z: Array) -> None:
        """Adds the derivatives of what faces do, at one time."""
        with evaluating(*self.sides):
            self._linearize(blocks, times, y, z)

    def _linearize(self, blocks: Blocks, times: Array, y: Array, z: Array) -> None:
        layout, signs = self.made.layout, (1.0, -1.0)
        weights = [self.weights / self.made.mesh.areas[side.cells][:, None] for side in self.sides]
        for i, equation in enumerate(layout.equations):
            trials: list[dict[tuple[int, int], Array]] = [
                {},
                {},
            ]  # tested by φ of the left cell; the right one has the opposite
            if not equation.diffusions:
                for s, side in enumerate(self.sides):
                    half = np.full(self.weights.shape, 0.5)
                    self._flux_slopes(trials[s], equation, side, half, times, y, z)
            for d in equation.diffusions:
                conormal, sigma, omega = self._weighted(d, times, y, z)
                field, _, _, power = layout.powers[d.jet]
                for s, side in enumerate(self.sides):
                    term = signs[s] * sigma[0][..., None] * side.values
                    plus(trials[s], (field, power), term)
                    if d is equation.diffusions[0]:
                        self._flux_slopes(trials[s], equation, side, omega[s][0], times, y, z)
                for s, side in enumerate(self.sides):
                    test = side.along(conormal[s][0])
                    for other, there in enumerate(self.sides):
                        check_deadline()
                        factor = -omega[s][0] * signs[other] * weights[s]
                        found = np.matmul(np.swapaxes(test, 1, 2), factor[..., None] * there.values)
                        blocks.sum(i, field, power, self.blocks[s, other], found)
            for s, side in enumerate(self.sides):
                test = np.swapaxes(side.values, 1, 2)
                for other in range(2):
                    for (field, power), term in trials[other].items():
                        check_deadline()
                        found = signs[s] * np.matmul(test, weights[s][..., None] * term)
                        blocks.sum(i, field, power, self.blocks[s, other], found)
            self._carried(blocks, i, weights, times, y, z)

    def _flux_slopes(self, trials, equation: WeakEquation, side: Side, omega: Array, times, y, z) -> None:
        """−ω ∂(f·n) of one side."""
        for k, row in enumerate(equation.fluxes):
            slopes = side.slopes(row, times, y, z)
            for key, terms in grouped(self.made.layout, row.jets).items():
                total = sum(by_points(slopes[jet], side.shape) * side.tables[order] for jet, order in terms)
                plus(trials, key, -(omega * side.normals[..., k])[..., None] * total)

    def _carried(self, blocks: Blocks, i: int, weights, times: Array, y: Array, z: Array) -> None:
        for jet, b, damping in self._upwind(i, times, y, z):
            field, _, _, power = self.made.layout.powers[jet]
            for s, side in enumerate(self.sides):
                factor = 0.5 * (b[0] + (-1.0, 1.0)[s] * damping[0]) * weights[s]
                test = np.swapaxes(side.values, 1, 2)
                for other, there in enumerate(self.sides):
                    found = np.matmul(test, ((-1.0, 1.0)[other] * factor)[..., None] * there.values)
                    blocks.sum(i, field, power, self.blocks[s, other], found)


def plus(found: dict[tuple[int, int], Array], key: tuple[int, int], term: Array) -> None:
    found[key] = found[key] + term if key in found else term
