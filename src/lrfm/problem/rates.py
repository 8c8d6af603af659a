# SPDX-License-Identifier: MIT
"""The total derivative of a row in time: d/dt F(x, t, {D^a u}) = ∂F/∂t + Σ_a ∂F/∂(D^a u) · D^a u_t = 0.

A condition on u that holds at all times holds for u_t in this form.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lrfm.problem.algebra import ZERO, Expr, Symbol
from lrfm.problem.equation import Row
from lrfm.problem.jets import FieldSymbol, GivenSymbol, total

STENCIL = 4  # places on each side of t for the slope of a given function
REACH = 2e-3  # distance of these places in parts of the time window


def time_derivative(row: Row, window: tuple[float, float]) -> Row:
    """The row differentiated once in time; given functions of the user are differentiated by differences."""
    given: dict[Symbol, Expr] = {s: _raised(s, window) for s in row.functions}
    changed = total(row.expression, row.coordinates, len(row.coordinates) - 1, given)
    return Row(changed, row.coordinates, row.label)


def _raised(symbol: GivenSymbol, window: tuple[float, float]) -> Expr:
    """∂f/∂t of a given function: known for a field, by differences for a function of the user's."""
    if isinstance(symbol, FieldSymbol):
        return symbol.raised(len(symbol.index) - 1) or ZERO
    return GivenSymbol(symbol.name, "in time", _slope(symbol.function, window))


def _slope(
    function: Callable[[np.ndarray], np.ndarray], window: tuple[float, float]
) -> Callable[[np.ndarray], np.ndarray]:
    """∂f/∂t by the polynomial through nine places around t, moved inwards at the ends of the window."""
    offsets = np.arange(-STENCIL, STENCIL + 1)
    step = REACH * (window[1] - window[0])

    def slope(points: np.ndarray) -> np.ndarray:
        middle = np.clip(points[:, -1], window[0] + STENCIL * step, window[1] - STENCIL * step)
        total = np.zeros(len(points))
        weights = _slope_weights(offsets, (points[:, -1] - middle) / step)
        for offset, weight in zip(offsets, weights, strict=True):
            moved = points.copy()
            moved[:, -1] = middle + offset * step
            total += weight * function(moved)
        return total / step

    return slope


def _slope_weights(nodes: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Slopes of the Lagrange polynomials of the nodes at some places: (nodes, places)."""
    weights = np.zeros((len(nodes), len(at)))
    for i, node in enumerate(nodes):
        others = np.delete(nodes, i).astype(float)
        for j in range(len(others)):
            rest = np.delete(others, j)
            weights[i] += np.prod(at[None, :] - rest[:, None], axis=0) / np.prod(node - others)
    return weights
