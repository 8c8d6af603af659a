# SPDX-License-Identifier: MIT
"""Where an equation holds: a box Ω = Π [lᵢ, uᵢ] with named axes, and its faces."""

from __future__ import annotations

import math
from numbers import Real
from typing import NamedTuple

import numpy as np

from lrfm.problem.errors import ProblemError, Spelled, listing, short, shown
from lrfm.problem.names import TAKEN, ambiguous_subscript, check_name, normal

RESERVED = {**TAKEN, "n": "the outward normal of a face"}


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

    Parameters
    ----------
    **axes
        Name and ends of every axis: ``x=(-1, 1)``. `t` is time, and `n` the normal of a face.

    Attributes
    ----------
    axes, names
        The ends by name, and the names.
    lower, upper
        The ends as arrays.

    Examples
    --------
    >>> box = Box(x=(-1, 1), y=(0, 2))
    >>> box.faces
    ('x-', 'x+', 'y-', 'y+')
    >>> box.axes["y"]
    (0.0, 2.0)
    """

    __slots__ = ("axes", "lower", "names", "upper")

    def __init__(self, **axes: tuple[float, float]):
        if not axes:
            raise ProblemError("`Box()` has no axes; name at least one, for example `Box(x=(-1, 1))`.")
        self.axes = {_axis(name): interval(f"The axis `{short(name)}`", ends) for name, ends in axes.items()}
        self.names = tuple(self.axes)
        twofold = ambiguous_subscript((*self.names, "t", "n"))
        if twofold:
            raise ProblemError(
                f"The axes {listing(self.names)} make the derivative `u_{twofold}` readable in two ways "
                "(`t` is time, `n` the normal of a face); rename an axis."
            )
        self.lower = np.array([a for a, _ in self.axes.values()])
        self.upper = np.array([b for _, b in self.axes.values()])
        self.lower.flags.writeable = self.upper.flags.writeable = False

    @property
    def dimension(self) -> int:
        """Number of axes."""
        return len(self.names)

    @property
    def faces(self) -> tuple[str, ...]:
        """Names of all faces."""
        return tuple(f"{name}{side}" for name in self.names for side in "-+")

    def face(self, name: str) -> Face:
        """The face called ``x-`` or ``x+``."""
        return Face(self.names.index(name[:-1]), name[-1] == "+")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Box) and self.axes == other.axes and self.names == other.names

    def __hash__(self) -> int:
        return hash(tuple(self.axes.items()))

    def __repr__(self) -> str:
        return f"Box({', '.join(f'{k}=({a:g}, {b:g})' for k, (a, b) in self.axes.items())})"


def _axis(name: str) -> str:
    name = normal(name)
    check_name(name, "An axis", "x", RESERVED)
    if "_" in name:
        raise ProblemError(
            f"An axis has the name `{short(name)}`, but an underscore marks derivatives; use letters and "
            "digits only."
        )
    return name


def interval(what: str, ends: tuple[float, float]) -> tuple[float, float]:
    """Return (lower, upper) as floats, or say what is wrong with them."""
    try:
        lower, upper = None if isinstance(ends, str) else ends  # type: ignore[misc]
    except (TypeError, ValueError):
        raise ProblemError(
            f"{what} was given as {shown(ends)}; expected two numbers ",
            Spelled("(lower, upper), such as (0, 1)", "[lower, upper]"),
            ".",
        ) from None
    if isinstance(lower, str) or isinstance(upper, str):
        from lrfm.problem.constants import constant  # needs the names of axes, which are made here

        lower, upper = (constant(end, what) if isinstance(end, str) else end for end in (lower, upper))
    span = f"{what} runs from {shown(lower)} to {shown(upper)}; "
    if not (_finite(lower) and _finite(upper)):
        raise ProblemError(f"{span}both ends must be finite real numbers.")
    if not float(lower) < float(upper):
        raise ProblemError(f"{span}the lower end must come first and be smaller.")
    if not math.isfinite(float(upper) - float(lower)):
        raise ProblemError(f"{span}it is too long for a number.")
    return float(lower), float(upper)


def _finite(end: object) -> bool:
    try:
        return isinstance(end, Real) and not isinstance(end, bool) and math.isfinite(float(end))
    except OverflowError:
        return False
