# SPDX-License-Identifier: MIT
"""Random smooth functions that satisfy the boundary conditions, with all their derivatives, on a quadrature grid.

w(x) = Σ_k Π_i w_ki(x_i):  trigonometric on a periodic axis, else polynomials in the null space of the conditions on the two
faces. Each factor satisfies the conditions of its axis, so their products satisfy all of them. Rough functions have short
waves added, times (1 − ξ²)⁶ between two faces: a coefficient that oscillates is orthogonal to smooth ones.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.polynomial import Polynomial, chebyshev

from lrfm.problem import Jet, Problem, Row
from lrfm.problem.shapes.gauss import legendre

NODES = {1: 256, 2: 48, 3: 20}  # quadrature nodes per axis, by dimension,
SHORTEST = {1: 40, 2: 10, 3: 4}  # and highest wave number of rough functions
WAVES = 3  # highest wave number of a smooth trial function
EDGE = 6  # power of 1 − ξ²
DEGREE = 7  # of a trial polynomial beyond its conditions
TERMS = 3

Drawn = dict[str, list[list[np.ndarray]]]  # terms of each field, a table (orders, nodes) for each axis


@dataclass(frozen=True)
class Axis:
    """Quadrature nodes and weights of one axis, and tables (orders, functions, nodes): smooth ones per field, rough ones."""

    nodes: np.ndarray
    weights: np.ndarray
    tables: dict[str, np.ndarray]
    rough: np.ndarray


class Trials:
    """Trial functions of a problem; `possible` is False where its conditions are not homogeneous and one axis at a time."""

    def __init__(self, problem: Problem):
        self.problem = problem
        self._made: dict[tuple[str, bool], list[np.ndarray]] = {}
        self.orders = [problem.space_order(i) for i in range(problem.domain.dimension)]
        # Trial functions are products along the axes, which satisfy conditions on the faces of a box only.
        found = [self._axis(i) if problem.domain.is_box else None for i in range(problem.domain.dimension)]
        axes = [axis for axis in found if axis is not None]
        self.possible = len(axes) == len(found) and problem.domain.dimension in NODES
        if self.possible:
            self.axes = axes
            mesh = np.meshgrid(*(axis.nodes for axis in axes), indexing="ij")
            self.places = np.column_stack([m.ravel() for m in mesh])
            weights = np.ones(1)
            for axis in axes:
                weights = np.outer(weights, axis.weights).ravel()
            self.weights = weights

    def draws(self, rng: np.random.Generator, amplitudes: np.ndarray, rough: bool = False) -> list[Drawn]:
        """Factors of functions of some root mean squares at the most: the terms of each field, a table (orders, nodes) per axis.

        No two fields have the same: ∫ (u² − v²) would vanish for all of them.
        """
        count, largest = len(amplitudes), amplitudes
        drawn: list[Drawn] = [{} for _ in range(count)]
        for field in self.problem.fields:
            found, amplitudes = [], largest * rng.uniform(0.5, 1.0, count)
            for table, axis in zip(self._tables(field, rough), self.axes, strict=True):
                numbers = rng.normal(size=(count, TERMS, len(table)))
                if len(self.axes) == 1:  # a sum of functions of one coordinate is one
                    numbers = numbers.sum(axis=1, keepdims=True)
                found.append((numbers @ table).reshape(*numbers.shape[:2], -1, len(axis.nodes)))
            if len(self.axes) == 1:
                square = found[0][:, 0, 0] ** 2 @ self.weights
                scale = amplitudes / np.maximum(np.sqrt(square / self.weights.sum()), 1e-300)
                for own, tables in zip(drawn, scale[:, None, None] * found[0][:, 0], strict=True):
                    own[field] = [[tables]]
                continue
            for own, amplitude, *factors in zip(drawn, amplitudes, *found, strict=True):
                terms = [list(tables) for tables in zip(*factors, strict=True)]
                square = self.integral(self._values(terms, (0,) * len(self.axes)) ** 2)
                scale = amplitude / max(np.sqrt(square / self.weights.sum()), 1e-300)
                own[field] = [[scale * first, *rest] for first, *rest in terms]
        return drawn

    def dimension(self, rough: bool) -> float:
        """Of the space of functions along one axis; infinity for products along several."""
        return len(self._tables(self.problem.fields[0], rough)[0]) if len(self.axes) == 1 else math.inf

    def _tables(self, field: str, rough: bool) -> list[np.ndarray]:
        """The functions of each axis, the k-th divided by k, with their derivatives: (functions, orders · nodes), made once."""
        if (field, rough) not in self._made:
            found = []
            for axis in self.axes:
                smooth = axis.tables[field]
                table = np.concatenate([smooth, axis.rough], axis=1) if rough else smooth
                table = table / (1.0 + np.arange(table.shape[1]))[:, None]
                found.append(np.ascontiguousarray(table.swapaxes(0, 1)).reshape(table.shape[1], -1))
            self._made[field, rough] = found
        return self._made[field, rough]

    def stacked(self, drawn: Sequence[Drawn], field: str, index: tuple[int, ...]) -> np.ndarray:
        """∂^a w of one field of some draws, one after the other."""
        if len(self.axes) == 1:
            return np.concatenate([own[field][0][0][index[0]] for own in drawn])
        return np.concatenate([self._values(own[field], index) for own in drawn])

    def values(self, drawn: Drawn, field: str, index: tuple[int, ...]) -> np.ndarray:
        """∂^a w of one field on the grid; `index` without its time entry."""
        return self._values(drawn[field], index)

    def integral(self, values: np.ndarray) -> float:
        """∫ f dx by the grid's quadrature."""
        return float(values @ self.weights)

    def _values(self, terms: list[list[np.ndarray]], index: tuple[int, ...]) -> np.ndarray:
        products = []
        for factors in terms:
            first, *others = (table[order] for table, order in zip(factors, index, strict=True))
            for other in others:
                first = np.multiply.outer(first, other).ravel()
            products.append(first)
        return sum(products[1:], products[0])

    def _axis(self, i: int) -> Axis | None:
        box, name = self.problem.domain, self.problem.domain.names[i]
        low, high = box.axes[name]
        count, orders = NODES.get(box.dimension, 8), self.orders[i] + 1
        shortest = SHORTEST.get(box.dimension, WAVES)
        if name in self.problem.periodic:
            nodes = low + (high - low) * np.arange(count) / count
            k = (2 * np.pi / (high - low)) ** np.arange(orders)
            smooth, short = (k[:, None, None] * table for table in _around(count, shortest, i, orders))
            weights = np.full(count, (high - low) / count)
            return Axis(nodes, weights, dict.fromkeys(self.problem.fields, smooth), short)
        nodes, weights = legendre(count)
        half = 0.5 * (high - low)
        scales = half ** -np.arange(float(orders))[:, None, None]
        tables = {}
        for field in self.problem.fields:
            conditions = self._conditions(field, i)
            if conditions is None:
                return None
            # In units of half of the axis.
            unit = tuple((end, tuple((k, c * half**-k) for k, c in own.items())) for end, own in conditions)
            tables[field] = scales * _polynomials(unit, count, orders)
        packets = scales * _packets(count, shortest, i, orders)
        return Axis(low + half * (nodes + 1.0), half * weights, tables, packets)

    def _conditions(self, field: str, i: int) -> list[tuple[float, dict[int, float]]] | None:
        """(end in ±1, {order: factor}) of each condition of a field on the faces of an axis; None: not of this form."""
        found, box = [], self.problem.domain
        for side, end in (("-", -1.0), ("+", 1.0)):
            place = np.append(0.5 * (box.lower + box.upper), self.problem.time[0])
            place[i] = box.lower[i] if end < 0 else box.upper[i]
            for row in self.problem.face_rows[f"{box.names[i]}{side}"]:
                if any(jet.field == field for jet in row.jets):
                    factors = _plain(row, field, i, place)
                    if factors is None:
                        return None
                    found.append((end, factors))
        return found


def _plain(row: Row, field: str, i: int, place: np.ndarray) -> dict[int, float] | None:
    """{order: factor} of a row Σ c_k ∂ₙᵏu = 0 with constant factors; None for any other."""
    along = lambda jet: all(n == 0 for j, n in enumerate(jet.index) if j != i)  # noqa: E731
    fixed = not any(c.symbols for c in row.linear_part.values())
    if not (row.linear and row.source_part == 0 and fixed):
        return None
    if not all(jet.field == field and along(jet) for jet in row.jets):
        return None
    _, factors = row.affine(place[None])
    return {jet.index[i]: float(c) for jet, c in factors.items()}


def _short(shortest: int, axis: int) -> tuple[np.ndarray, np.ndarray]:
    """Wave numbers of rough functions and their phases, the same for all statements."""
    waves = np.arange(WAVES + 1, shortest + 1)
    return waves, 2 * np.pi * np.random.default_rng(axis).random(len(waves))


@lru_cache(maxsize=16)
def _around(count: int, shortest: int, axis: int, orders: int) -> tuple[np.ndarray, np.ndarray]:
    """Derivatives of 1, cos jx, sin jx, and of short waves, on a circle of the length 2π: each (orders, functions, nodes)."""
    x, table = 2 * np.pi * np.arange(count) / count, []
    for order in range(orders):
        rows = [np.full_like(x, float(order == 0))]
        for j in range(1, WAVES + 1):
            phase = j * x + 0.5 * np.pi * order
            rows += [j**order * np.cos(phase), j**order * np.sin(phase)]
        table.append(np.array(rows))
    waves, phases = _short(shortest, axis)
    return np.array(table), np.array([_cosines(waves, phases, x, order) for order in range(orders)])


def _cosines(k: np.ndarray, phases: np.ndarray, x: np.ndarray, order: int) -> np.ndarray:
    """Derivatives of cos(kx + φ): (functions, nodes)."""
    return k[:, None] ** order * np.cos(np.outer(k, x) + phases[:, None] + 0.5 * np.pi * order)


@lru_cache(maxsize=16)
def _packets(count: int, shortest: int, axis: int, orders: int) -> np.ndarray:
    """Derivatives of (1 − ξ²)⁶ cos(kξ + φ) on [−1, 1] by the rule of Leibniz: (orders, functions, nodes)."""
    edge, (nodes, _), (waves, phases) = (
        Polynomial([1.0, 0.0, -1.0]) ** EDGE,
        legendre(count),
        _short(shortest, axis),
    )
    parts = [edge.deriv(j)(nodes) if j else edge(nodes) for j in range(orders)]
    cosines = [_cosines(np.pi * waves, phases, nodes, j) for j in range(orders)]
    return np.array(
        [
            sum(math.comb(order, j) * parts[j] * cosines[order - j] for j in range(order + 1))
            for order in range(orders)
        ]
    )


@lru_cache(maxsize=64)
def _polynomials(
    conditions: tuple[tuple[float, tuple[tuple[int, float], ...]], ...], count: int, orders: int
) -> np.ndarray:
    """Derivatives of polynomials on [−1, 1] that satisfy conditions (end, ((order, factor), …)): (orders, functions, nodes)."""
    (nodes, _), size = legendre(count), DEGREE + 1 + len(conditions)
    derive = lambda order: chebyshev.chebder(np.eye(size), order) if order else np.eye(size)  # noqa: E731
    at = lambda x, order: chebyshev.chebvander(x, len(derive(order)) - 1) @ derive(order)  # noqa: E731
    basis = np.eye(size)
    if conditions:
        rows = [sum(c * at(np.array([end]), k)[0] for k, c in factors) for end, factors in conditions]
        rows = [row / np.linalg.norm(row) for row in rows]
        *_, right = np.linalg.svd(np.array(rows))
        basis = right[len(rows) :].T
    return np.array([(at(nodes, order) @ basis).T for order in range(orders)])


def zero_time(jet: Jet) -> Jet:
    """The same derivative in space, of the field itself."""
    return Jet(jet.field, (*jet.index[:-1], 0))
