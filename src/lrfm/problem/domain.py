# SPDX-License-Identifier: MIT
"""Where an equation holds: a box Ω = Π [lᵢ, uᵢ] with named axes, and its faces."""

from __future__ import annotations

import math
from numbers import Real
from typing import NamedTuple

import numpy as np

from lrfm.problem.errors import ProblemError

RESERVED = {"t": "time", "n": "the outward normal of a face", "pi": "the number π"}


class Face(NamedTuple):
    """One side of a box: the axis it is normal to, and whether it is the upper end."""

    axis: int
    upper: bool

    @property
    def sign(self) -> int:
        """Component of the outward normal along the axis."""
        return 1 if self.upper else -1


class Box:
    """Ω = {x : lᵢ ≤ xᵢ ≤ uᵢ}, a box in any number of dimensions with named axes.

    >>> Box(x=(-1, 1), y=(0, 2)).faces
    ('x-', 'x+', 'y-', 'y+')
    """

    __slots__ = ("axes", "lower", "names", "upper")

    def __init__(self, **axes: tuple[float, float]):
        if not axes:
            raise ProblemError("`Box()` has no axes; name at least one, for example `Box(x=(-1, 1))`.")
        self.axes = {name: _interval(name, ends) for name, ends in axes.items()}
        self.names = tuple(self.axes)
        self.lower = np.array([a for a, _ in self.axes.values()])
        self.upper = np.array([b for _, b in self.axes.values()])
        self.lower.flags.writeable = self.upper.flags.writeable = False

    @property
    def dimension(self) -> int:
        return len(self.names)

    @property
    def faces(self) -> tuple[str, ...]:
        return tuple(f"{name}{side}" for name in self.names for side in "-+")

    def face(self, name: str) -> Face:
        """Return the face called ``x-`` or ``x+``."""
        return Face(self.names.index(name[:-1]), name[-1] == "+")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Box) and self.axes == other.axes and self.names == other.names

    def __hash__(self) -> int:
        return hash(tuple(self.axes.items()))

    def __repr__(self) -> str:
        return f"Box({', '.join(f'{k}=({a:g}, {b:g})' for k, (a, b) in self.axes.items())})"


def _interval(name: str, ends: tuple[float, float]) -> tuple[float, float]:
    if name in RESERVED:
        raise ProblemError(f"An axis cannot be called `{name}`: that name stands for {RESERVED[name]}. Rename it.")
    if "_" in name:
        raise ProblemError(
            f"The axis name `{name}` contains an underscore, which marks derivatives; use letters and digits."
        )
    return interval(f"axis `{name}`", ends)


def interval(what: str, ends: tuple[float, float]) -> tuple[float, float]:
    """Return (lower, upper) as floats, or say what is wrong with them."""
    try:
        lower, upper = ends
    except (TypeError, ValueError):
        raise ProblemError(f"{what} was given as {ends!r}; expected two numbers (lower, upper).") from None
    for end in (lower, upper):
        if not isinstance(end, Real | np.number) or isinstance(end, bool) or not math.isfinite(end):
            raise ProblemError(f"{what} runs from {lower!r} to {upper!r}; both ends must be finite real numbers.")
    if not lower < upper:
        raise ProblemError(f"{what} runs from {lower:g} to {upper:g}; the lower end must come first and be smaller.")
    return float(lower), float(upper)
