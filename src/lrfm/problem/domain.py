# SPDX-License-Identifier: MIT
"""Where an equation holds: a box Ω = Π [lᵢ, uᵢ] with named axes, and its faces; other shapes are in `shapes`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple, TypeGuard

import numpy as np

from lrfm.problem.calls import naming
from lrfm.problem.errors import ProblemError, Spelled, counted, listing, short, shown
from lrfm.problem.names import TAKEN, ambiguous_subscript, check_name, normal

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from lrfm.problem.shapes.protocol import Corner, Rule, Time
    from lrfm.problem.shapes.shape import Shape
    from lrfm.problem.symmetry import Symmetry

SHORTEST, LONGEST = 1e-40, 1e40  # of an axis and of time: derivatives of order seven stay within doubles
NARROW = 1e-11  # length of an axis relative to its distance from zero
MOST_AXES = 24
RESERVED = {**TAKEN, "n": "the outward normal of a face"}


class Face(NamedTuple):
    """One side of a box: the axis it is normal to, and whether it is the upper end."""

    axis: int
    upper: bool

    @property
    def sign(self) -> int:
        """Component of the outward normal along the axis."""
        return 1 if self.upper else -1


@naming
class Box:
    """Ω = {x : lᵢ ≤ xᵢ ≤ uᵢ}, a box in any number of dimensions with named axes.

    Parameters
    ----------
    name
        What stands before the names of its faces, with a dot, where it is combined with other shapes by ``|``, ``&`` or ``-``.
    coordinates
        ``"polar"``, ``"cylindrical"`` or ``"spherical"`` where an axis ``r`` is a radius: `lap`, integrals and means, and what holds at r = 0
        follow from it.
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

    __slots__ = ("axes", "lower", "name", "names", "symmetry", "upper")

    is_box = True
    moving = False

    def __init__(
        self,
        *spans: object,
        name: str | None = None,
        coordinates: str | None = None,
        **axes: tuple[float, float],
    ):
        if spans:
            meant = box_meant(list(spans)).removeprefix("lrfm.")
            raise ProblemError(
                f"`Box` was given {shown(spans[0])} without the name of an axis; write `{meant}`."
            )
        if not axes:
            raise ProblemError("`Box()` has no axes; name at least one, for example `Box(x=(-1, 1))`.")
        if name is not None and not isinstance(name, str):
            raise ProblemError(f"`name` of a box was given as {shown(name)}; expected a text.")
        self.name = name
        self.axes = {_axis(name): interval(f"The axis `{short(name)}`", ends) for name, ends in axes.items()}
        self.names = tuple(self.axes)
        check_readable(self.names)
        self.lower = np.array([a for a, _ in self.axes.values()])
        self.upper = np.array([b for _, b in self.axes.values()])
        self.lower.flags.writeable = self.upper.flags.writeable = False
        self.symmetry: Symmetry | None = None
        if coordinates is not None:
            from lrfm.problem.symmetry import read_symmetry  # is about formulas, which know nothing of boxes

            self.symmetry = read_symmetry(coordinates, self.axes)

    def __new__(cls, /, *args: object, **axes: object) -> Box:
        # Before Python takes it for the box itself.
        if "self" in axes:
            raise ProblemError(
                "An axis has the name `self`, which is a word of Python's; choose another one."
            )
        if len(axes) > MOST_AXES:
            raise ProblemError(
                f"`Box` was given {len(axes)} axes; at most {MOST_AXES} are accepted, and a few can be solved on: functions that fill "
                "a space of many dimensions are more than any machine holds."
            )
        return super().__new__(cls)

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

    # As any other domain: see `lrfm.problem.shapes.protocol` ---------------------------------------------------

    @property
    def shape(self) -> Shape:
        """The same as a shape, to be combined with others: the name of the box stands before those of its faces."""
        return self._shape(self.name)

    @property
    def region(self) -> Shape:
        """The same as a shape by itself, whose parts are `parts`."""
        return self._shape(None)

    def _shape(self, name: str | None) -> Shape:
        from lrfm.problem.shapes.faces import Tensor
        from lrfm.problem.shapes.shape import Shape
        from lrfm.problem.shapes.tree import Simple

        one, zero = np.eye(self.dimension), np.zeros(self.dimension)
        rule = Tensor(matrix=one, offset=zero, lower=self.lower, upper=self.upper)
        return Shape(Simple(self._sides, self.names, name, one, zero), self.names, self.record, rule=rule)

    @property
    def _sides(self) -> Any:
        from lrfm.problem.shapes.kinds import Sides

        return Sides(self.names, self.lower, self.upper)

    @property
    def record(self) -> dict[str, Any]:
        """The box as plain data: the words of a statement file."""
        more = {} if self.name is None else {"name": self.name}
        if self.symmetry is not None:
            more["coordinates"] = self.symmetry.kind
        return {"shape": "Box", **{n: list(ends) for n, ends in self.axes.items()}, **more}

    @property
    def parts(self) -> Mapping[str, Any]:
        """The faces by name."""
        from lrfm.problem.shapes.faces import FacePart

        return {face: FacePart(face, self._sides, *self.face(face)) for face in self.faces}

    @property
    def groups(self) -> Mapping[str, tuple[str, ...]]:
        """An axis stands for its two faces."""
        return {name: (f"{name}-", f"{name}+") for name in self.names}

    @property
    def corners(self) -> tuple[Corner, ...]:
        """The four corners in two dimensions."""
        return self.region.corners

    def during(self, time: tuple[float, float]) -> Box:
        """Itself: a box does not move."""
        return self

    def contains(self, points: ArrayLike, t: Time = None) -> np.ndarray:
        """Whether points lie inside or on a face."""
        places, slack = np.asarray(points, dtype=float), 1e-7 * (self.upper - self.lower)
        return np.all((places >= self.lower - slack) & (places <= self.upper + slack), axis=1)

    def quadrature(self, n: int, rng: np.random.Generator | None = None, t: float | None = None) -> Rule:
        """About n points, a tensor product of Gauss' rules."""
        return self.shape.quadrature(n, rng)

    def measure(self, t: float | None = None) -> float:
        """Length, area or volume: of the body, where an axis is a radius."""
        lengths = self.upper - self.lower
        if self.symmetry is not None:
            lengths = np.append(lengths[1:], self.symmetry.length(self.lower[0], self.upper[0]))
        return float(np.prod(lengths))

    def part(self, name: str, where: str) -> Shape:
        """Give a name to the piece of the boundary where inequalities hold."""
        return self.shape.part(name, where)

    def shifted(self, *by: float) -> Shape:
        """x + by."""
        return self.shape.shifted(*by)

    def scaled(self, by: float) -> Shape:
        """by · x."""
        return self.shape.scaled(by)

    def rotated(self, angle: float, axis: str | None = None) -> Shape:
        """Turned by an angle in radians about the origin."""
        return self.shape.rotated(angle, axis)

    def __or__(self, other: Any) -> Shape:
        return self._alone.shape | other

    def __and__(self, other: Any) -> Shape:
        return self._alone.shape & other

    def __sub__(self, other: Any) -> Shape:
        return self._alone.shape - other

    @property
    def _alone(self) -> Box:
        """Itself; ProblemError where an axis is a radius, which other shapes know nothing of."""
        if self.symmetry is not None:
            raise ProblemError(
                f"A box with coordinates='{self.symmetry.kind}' is not combined with other shapes; write the equation with u_r/r on a box without `coordinates`."
            )
        return self

    def __eq__(self, other: object) -> bool:
        same = isinstance(other, Box) and self.axes == other.axes and self.names == other.names
        return same and self.symmetry == other.symmetry  # type: ignore[union-attr]

    def __hash__(self) -> int:
        return hash(tuple(self.axes.items()))

    def _repr_svg_(self) -> str | None:
        from lrfm.problem.shapes.drawing import svg

        return svg(self)

    def __repr__(self) -> str:
        kind = "" if self.symmetry is None else f", coordinates='{self.symmetry.kind}'"
        return f"Box({', '.join(f'{k}=({a:g}, {b:g})' for k, (a, b) in self.axes.items())}{kind})"


def check_readable(names: Sequence[str]) -> None:
    """Refuse axes with which a derivative could be read in two ways."""
    twofold = ambiguous_subscript((*names, "t", "n"))
    if twofold:
        raise ProblemError(
            f"The axes {listing(names)} make the derivative `u_{twofold}` readable in two ways "
            "(`t` is time, `n` the normal of a face); rename an axis."
        )


def axis_names(given: Sequence[str], count: int) -> tuple[str, ...]:
    """Names of the axes of a shape."""
    if isinstance(given, str) or len(given) != count or len(set(given)) != count:
        raise ProblemError(f"`axes` was given as {shown(given)}; expected {counted(count, 'name')}.")
    names = tuple(_axis(name) for name in given)
    check_readable(names)
    return names


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
        lower, upper = None if isinstance(ends, str | Mapping) else ends  # type: ignore[misc]
    except (TypeError, ValueError, OverflowError):
        raise ProblemError(
            f"{what} was given as {shown(ends)}; expected two numbers ",
            Spelled("(lower, upper), such as (0, 1)", "[lower, upper]"),
            ".",
            *_ends_meant(ends),
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
    length, far = float(upper) - float(lower), max(abs(float(lower)), abs(float(upper)))
    if not SHORTEST <= length <= LONGEST:
        raise ProblemError(
            f"{span}choose a unit in which it is between {SHORTEST:g} and {LONGEST:g} long, so that derivatives stay numbers."
        )
    if length < NARROW * far:
        raise ProblemError(
            f"{span}it is too short for its distance from zero, where digits are lost; shift the coordinate."
        )
    return float(lower), float(upper)


def _ends_meant(given: object) -> tuple[str | Spelled, ...]:
    """What to write for a single number, or for a grid: a solution is a function, and has values at all places and times."""
    if _finite(given) and float(given) > 0:
        return (" From zero on: ", Spelled(f"(0, {given})", f"[0, {given}]"), ".")
    try:
        values = np.asarray(given, dtype=float).ravel()
    except (TypeError, ValueError, OverflowError):
        return ()
    if len(values) < 3 or not np.all(np.isfinite(values)) or not values[0] < values[1]:
        return ()
    even = np.allclose(np.diff(values), values[1] - values[0], rtol=1e-6)
    last = (
        values[-1] if even or len(values) > 3 else values[1]
    )  # a grid; or a step or a count behind the ends
    if not values[0] < last:
        return ()
    pair = f"{values[0]:g}, {last:g}"
    return (" No steps or grids are chosen here: ", Spelled(f"({pair})", f"[{pair}]"), ".")


def _finite(end: object) -> TypeGuard[Real]:
    try:
        return isinstance(end, Real) and not isinstance(end, bool) and math.isfinite(float(end))
    except OverflowError:
        return False


def box_meant(given: object) -> str:
    """The box that was probably meant: ends by axis, or those of one axis or of several."""
    if isinstance(given, Mapping) and given and all(str(name).isidentifier() for name in given):
        return f"lrfm.Box({', '.join(f'{name}={short(repr(ends))}' for name, ends in given.items())})"
    given = given.tolist() if isinstance(given, np.ndarray) else given
    spans: list[Any] = list(given) if isinstance(given, list | tuple) else []
    if len(spans) > 1 and all(isinstance(end, int | float) for end in spans) and spans[0] < spans[-1]:
        spans = [(spans[0], spans[-1])]  # the ends of one axis, or a grid of it
    if spans and len(spans) <= 3 and all(isinstance(s, list | tuple) and len(s) == 2 for s in spans):
        return f"lrfm.Box({', '.join(f'{name}={tuple(s)!r}' for name, s in zip('xyz', spans, strict=False))})"
    return "lrfm.Box(x=(-1, 1))"
