# SPDX-License-Identifier: MIT
"""An unknown field in a statement, k = k₀ + Σ_j c_j φ_j:  φ products of polynomials (of waves along periodic axes).

Its derivatives are known, so that it may stand inside `diff` and `lap`. How rough it is, is measured by
    ρ(k) = |Ω|⁻¹ ∫ (k − k₀)² + Σ_i L_i⁴ (∂²k/∂x_i²)² + Σ_{i<j} 2 L_i² L_j² (∂²k/∂x_i∂x_j)² dx = cᵀ M c,   L_i the lengths of its axes / π,
with k − k₀ counted by a thousandth only: a prior that leaves slow changes to the data.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.polynomial import legendre

from lrfm.problem.algebra import ONE, Symbol, number
from lrfm.problem.alphabet import Alphabet
from lrfm.problem.calls import is_real, naming
from lrfm.problem.errors import ProblemError, listing, shown
from lrfm.problem.expression import derivative
from lrfm.problem.jets import FieldSymbol
from lrfm.problem.program import Program
from lrfm.problem.syntax import parse
from lrfm.problem.text import translate

MODES = {1: 24, 2: 9, 3: 5}  # functions along each axis, by the number of axes
MOST = 1000  # functions along one axis
PLAIN = 1e-3  # weight of (k − k₀)² itself in the roughness


@naming
@dataclass(frozen=True)
class UnknownField:
    """A function of some coordinates in `parameters` that is to be found from data (`lrfm.fit`).

    Parameters
    ----------
    *coordinates
        What it depends on: names of axes, or ``"t"``.
    start
        Where the search begins, and what it is without data: a number, or a formula of these coordinates.
    known_at_ends
        Whether it is `start` at the ends of its axes.
    modes
        Functions along each axis; chosen if left out. The prior keeps those quiet that data do not need.

    Examples
    --------
    >>> import lrfm
    >>> lrfm.UnknownField("x", start=1)
    UnknownField('x', start=1)
    """

    coordinates: tuple[str, ...]
    start: float | str
    known_at_ends: bool
    modes: int | None
    coefficients: tuple[float, ...] = ()
    spans: tuple[tuple[float, float, bool], ...] = ()  # ends of its axes, and whether they are joined
    places: tuple[int, ...] = ()  # its coordinates among those of the problem
    names: tuple[str, ...] = ()  # the coordinates of the problem

    def __init__(
        self,
        *coordinates: str,
        start: float | str = 0.0,
        known_at_ends: bool = False,
        modes: int | None = None,
    ):
        if not coordinates or not all(isinstance(c, str) for c in coordinates):
            raise ProblemError(
                f"An unknown field was given as a function of {shown(coordinates)}; name its coordinates, such as `lrfm.UnknownField('x')`."
            )
        if not isinstance(start, str) and not (is_real(start) and math.isfinite(start)):
            raise ProblemError(
                f"`start` of an unknown field was given as {shown(start)}; expected a finite number, or a formula in quotes."
            )
        if modes is not None and (
            isinstance(modes, bool) or not isinstance(modes, int) or not 1 <= modes <= MOST
        ):
            raise ProblemError(
                f"`modes={shown(modes)}` of an unknown field must be a whole number of at least 1 and at most {MOST}."
            )
        for name, value in (
            ("coordinates", coordinates),
            ("start", start),
            ("known_at_ends", known_at_ends),
            ("modes", modes),
        ):
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        return f"UnknownField({', '.join(map(repr, self.coordinates))}, start={self.start!r})"

    # In a problem -------------------------------------------------------------------------------------------

    def bound(self, spans: dict[str, tuple[float, float, bool]]) -> UnknownField:
        """The field on the axes of a problem: by name its ends and whether these are joined, time last."""
        wrong = [c for c in self.coordinates if c not in spans]
        if wrong or len(set(self.coordinates)) < len(self.coordinates):
            raise ProblemError(
                f"An unknown field depends on {listing(self.coordinates)}; the coordinates of the problem are {listing(spans)}."
            )
        names = tuple(spans)
        return self._with(
            spans=tuple(spans[c] for c in self.coordinates), places=tuple(names.index(c) for c in self.coordinates), names=names
        )  # fmt: skip

    def moved(self, coefficients: Sequence[float] | np.ndarray) -> UnknownField:
        """The field with other coefficients."""
        return self._with(coefficients=tuple(map(float, coefficients)))

    def _with(self, **changes: object) -> UnknownField:
        other = object.__new__(UnknownField)
        other.__dict__.update({**self.__dict__, **changes})
        return other

    def symbol(self, name: str) -> FieldSymbol:
        """The field in formulas."""
        moving = tuple(n in self.coordinates for n in self.names)
        return FieldSymbol(name, self.derivative, (0,) * len(self.names), moving)

    @staticmethod
    def from_record(
        coordinates: Sequence[str],
        start: float | str,
        known_at_ends: bool,
        modes: int | None,
        coefficients: Sequence[float],
        spans: Sequence[object] = (),
        places: Sequence[int] = (),
        names: Sequence[str] = (),
    ) -> UnknownField:
        """The field that a file holds; its problem puts it on its axes again."""
        made = UnknownField(*coordinates, start=start, known_at_ends=known_at_ends, modes=modes)
        if coefficients and len(coefficients) != made.size:
            raise ValueError(f"a field of {made.size} functions has {len(coefficients)} coefficients")
        return made.moved(coefficients)

    # Values -------------------------------------------------------------------------------------------------

    @property
    def unknown(self) -> bool:
        """Whether its coefficients are still to be found."""
        return not self.coefficients

    @property
    def per_axis(self) -> int:
        return self.modes or MODES.get(len(self.coordinates), 4)

    @property
    def size(self) -> int:
        """How many coefficients it has."""
        return self.per_axis ** len(self.coordinates)

    def derivative(self, points: np.ndarray, index: Sequence[int]) -> np.ndarray:
        """D^a k at points of the problem (n, d + 1)."""
        value = self._start(points, index)
        if self.coefficients:
            value = value + self.functions(points, index) @ np.array(self.coefficients)
        return value

    def functions(self, points: np.ndarray, index: Sequence[int] | None = None) -> np.ndarray:
        """D^a φ_j at points of the problem: (n, size)."""
        index = (0,) * len(self.names) if index is None else index
        table = np.ones((len(points), 1))
        for place, span in zip(self.places, self.spans, strict=True):
            part = _along(points[:, place], span, self.per_axis, index[place], self.known_at_ends)
            table = (table[:, :, None] * part[:, None, :]).reshape(
                len(points), table.shape[1] * part.shape[1]
            )
        return table

    def _start(self, points: np.ndarray, index: Sequence[int]) -> np.ndarray:
        if not isinstance(self.start, str):
            return np.full(len(points), 0.0 if any(index) else float(self.start))
        what = f"`start` of the unknown field of {listing(self.coordinates)}"
        formula = translate(parse(self.start, what), Alphabet(self.names[:-1]), what).re
        for name, order in zip(self.names, index, strict=True):
            for _ in range(order):
                formula = derivative(formula, {Symbol(name): ONE})
        columns = {Symbol(c): points[:, i] for i, c in enumerate(self.names)}
        return np.broadcast_to(
            np.asarray(Program([formula + number(0)])(columns)[0], dtype=float), (len(points),)
        )

    # Prior --------------------------------------------------------------------------------------------------

    def roughness(self) -> tuple[np.ndarray, np.ndarray]:
        """M with ρ = cᵀ M c, and G with |Ω|⁻¹ ∫ (k − k₀)² = cᵀ G c."""
        nodes, weights = legendre.leggauss(2 * self.per_axis + 6)
        grids = np.meshgrid(*[(a + b) / 2 + (b - a) / 2 * nodes for a, b, _ in self.spans], indexing="ij")
        points = np.zeros((grids[0].size, len(self.names)))
        for place, grid in zip(self.places, grids, strict=True):
            points[:, place] = grid.ravel()
        w = np.ones(1)
        for _ in self.spans:
            w = (w[:, None] * weights[None, :] / 2).ravel()
        total, plain = np.zeros((self.size, self.size)), np.zeros((self.size, self.size))
        for orders in product(range(3), repeat=len(self.spans)):
            if sum(orders) in (0, 2):
                index = [0] * len(self.names)
                factor = PLAIN if not any(orders) else 2.0 if max(orders) == 1 else 1.0
                for place, order, (a, b, _) in zip(self.places, orders, self.spans, strict=True):
                    index[place] = order
                    factor *= ((b - a) / np.pi) ** (2 * order)
                table = self.functions(points, index)
                gram = (table.T * w) @ table
                total += factor * gram
                plain = plain if any(orders) else gram
        return total, plain


def _along(
    x: np.ndarray, span: tuple[float, float, bool], count: int, order: int, zero_at_ends: bool
) -> np.ndarray:
    """Derivatives of the functions of one axis: Legendre polynomials, their differences that vanish at the ends, or waves."""
    low, high, joined = span
    if joined:
        angle, k = 2 * np.pi * (x - low) / (high - low), (np.arange(count) + 1) // 2
        phase = np.where(np.arange(count) % 2 == 1, 0.0, -np.pi / 2) + np.where(k == 0, np.pi / 2, 0.0)
        factor = np.sqrt(2.0) * (2 * np.pi * k / (high - low)) ** order
        return np.where(
            k == 0, float(order == 0), factor * np.cos(k * angle[:, None] + phase + order * np.pi / 2)
        )
    s = 2 * (x - low) / (high - low) - 1
    most = count + 2 * zero_at_ends
    columns = np.diag(np.sqrt(2 * np.arange(most) + 1.0)) if not zero_at_ends else _vanishing(most)
    if order:
        columns = legendre.legder(columns, order, axis=0) * (2 / (high - low)) ** order
    return legendre.legvander(s, len(columns) - 1) @ columns


def _vanishing(most: int) -> np.ndarray:
    """P_{j+2} − P_j, scaled: polynomials that vanish at ±1."""
    table = np.zeros((most, most - 2))
    for j in range(most - 2):
        table[j, j], table[j + 2, j] = -1.0, 1.0
        table[:, j] /= np.sqrt(1 / (2 * j + 1) + 1 / (2 * j + 5))
    return table
