# SPDX-License-Identifier: MIT
"""Coordinates that follow a symmetry:  lap u = u_rr + (d/r) u_r + …,  ∫ u = c ∫ u r^d dr …,  u even in r.

    polar         r, or r and phi > 0:    d = 1    u_rr + u_r/r + u_phiphi/r²
    cylindrical   r, or r and z:          d = 1    u_rr + u_r/r + u_zz
    spherical     r:                      d = 2    u_rr + 2 u_r/r

Equations are multiplied by r^d, or more where they ask for it, so that nothing in them is infinite at r = 0; there ∂_r u = ∂_r³ u = … = 0 stand in
the place of conditions. With d the equations are then in divergence form, r u_rr + u_r = (r u_r)_r, and a balance over the axis is one over the body.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from lrfm.problem.algebra import ONE, ZERO, Expr, Symbol, number, power
from lrfm.problem.equation import Row
from lrfm.problem.errors import ProblemError, listing, shown, suggest
from lrfm.problem.jets import Jet, JetSymbol
from lrfm.problem.poles import cleared

RADIUS = "r"
KINDS = {
    "polar": (1, (("r",), ("r", "phi"))),
    "cylindrical": (1, (("r",), ("r", "z"))),
    "spherical": (2, (("r",),)),
}


@dataclass(frozen=True)
class Symmetry:
    """One of the kinds above on some axes; `center` tells whether r begins at zero."""

    kind: str
    axes: tuple[str, ...]
    center: bool

    @property
    def power(self) -> int:
        """d."""
        return KINDS[self.kind][0]

    @property
    def around(self) -> float:
        """c: what the directions that are left out come to."""
        return 1.0 if "phi" in self.axes else 2.0 * math.pi * self.power

    def weight(self, over: Sequence[str] | None = None) -> str:
        """c r^d as text, where an integral over some axes has r among them; empty for one."""
        if over is not None and RADIUS not in over:
            return ""
        return f"{self.around!r}*{RADIUS}**{self.power}"

    def length(self, low: float, high: float) -> float:
        """c ∫ r^d dr."""
        d = self.power + 1
        return self.around * (high**d - low**d) / d

    def surface(self, radius: float) -> float:
        """c r^d: length or area of the face at a radius."""
        return self.around * radius**self.power

    def factors(self, axis: str) -> tuple[Expr, Expr]:
        """(a, b) of the part a ∂² + b ∂ of the Laplacian along an axis."""
        r = Symbol(RADIUS)
        if axis == RADIUS:
            return ONE, number(float(self.power)) / r
        return (power(r, number(-2.0)), ZERO) if axis == "phi" else (ONE, ZERO)

    def cleared(self, row: Row) -> Row:
        """r^k F without poles at r = 0, k at least d; the row itself where r is nowhere in a denominator."""
        return cleared(row, [Symbol(RADIUS)], self.power)

    def regular(self, rows: Sequence[Row], fields: Sequence[str]) -> tuple[Row, ...]:
        """∂_r u = ∂_r³ u = … = 0 at r = 0, as many as the equations ask for."""
        at, coordinates = self.axes.index(RADIUS), (*self.axes, "t")
        found = []
        for field in fields:
            order = max((j.index[at] for row in rows for j in row.jets if j.field == field), default=0)
            for k in range(1, order, 2):
                index = tuple(k if i == at else 0 for i in range(len(coordinates)))
                found.append(
                    Row(JetSymbol(Jet(field, index)), coordinates, f"The regularity of `{field}` at r = 0")
                )
        return tuple(found)


def read_symmetry(given: object, axes: Mapping[str, tuple[float, float]]) -> Symmetry | None:
    """What `coordinates` of a box says; ProblemError with what is wrong with it."""
    if given is None or given == "cartesian":
        return None
    if not isinstance(given, str) or given not in KINDS:
        near = suggest(given, list(KINDS)) if isinstance(given, str) else ""
        raise ProblemError(
            f"`coordinates` of a box was given as {shown(given)}; expected one of {listing(KINDS)}.{near}"
        )
    names, allowed = tuple(axes), KINDS[given][1]
    if names not in allowed:
        said = " or ".join(", ".join(f"{n}=(…, …)" for n in some) for some in allowed)
        raise ProblemError(
            f"A box with coordinates='{given}' has the axes {listing(names)}; expected `{said}`, in this order. What depends on more of them is "
            "stated in Cartesian coordinates, on a `Disk` or another shape."
        )
    low = axes[RADIUS][0]
    if low < 0:
        raise ProblemError(
            f"The radius begins at r = {low:g}; it is a distance, and begins at zero or above."
        )
    if "phi" in names and low == 0:
        raise ProblemError(
            "A disk in polar coordinates with an angle has a point in which all angles meet, which these coordinates do not hold; use `lrfm.Disk()` in x and "
            "y, or begin above zero, `r=(0.1, 1)`."
        )
    return Symmetry(given, names, low == 0)


def weighted(at: np.ndarray, symmetry: Symmetry | None) -> np.ndarray | float:
    """c r^d at points whose first column is r; one without a symmetry."""
    return 1.0 if symmetry is None else symmetry.around * at[:, 0] ** symmetry.power
