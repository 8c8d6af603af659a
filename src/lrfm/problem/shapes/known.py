# SPDX-License-Identifier: MIT
"""Shapes given by a few numbers: discs, ellipses, annuli, sectors; balls, ellipsoids; half-spaces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any

import numpy as np

from lrfm.problem.algebra import Expr
from lrfm.problem.calls import is_real, naming
from lrfm.problem.domain import axis_names, interval
from lrfm.problem.errors import ProblemError, counted, listing, shown
from lrfm.problem.shapes.kinds import Below, UnitBall
from lrfm.problem.shapes.rules import Polar, Spherical
from lrfm.problem.shapes.shape import Shape
from lrfm.problem.shapes.tree import Both, Either, Simple, Tree, Without

PLANE, SPACE = ("x", "y"), ("x", "y", "z")
Numbers = Sequence[float]


def _positive(what: str, value: object) -> float:
    if not is_real(value) or not 0 < float(value) < np.inf:
        raise ProblemError(f"{what} was given as {shown(value)}; it must be a positive number.")
    return float(value)


def _place(what: str, value: object, names: Sequence[str]) -> np.ndarray:
    if isinstance(value, Mapping):
        value = [value.get(n) for n in names]
    try:
        found = np.asarray(value, dtype=float)
    except (TypeError, ValueError, OverflowError):
        found = np.zeros(0)
    if found.shape != (len(names),) or not np.all(np.isfinite(found)):
        raise ProblemError(
            f"{what} was given as {shown(value)}; expected {counted(len(names), 'finite number')}, for {listing(names)}."
        )
    return found


def record_of(shape: str, name: str | None, axes: Sequence[str], usual: Sequence[str], **given: Any) -> dict:
    """What was said, as plain data: the words of a statement file."""
    record = {"shape": shape, **given}
    record |= {} if name is None else {"name": name}
    return record | ({} if tuple(axes) == tuple(usual) else {"axes": list(axes)})


@naming
class Ellipse(Shape):
    """(x − c)²/a² + (y − d)²/b² < 1.

    Parameters
    ----------
    center, radii
        (c, d) and (a, b).
    name
        What its boundary is called.
    axes
        Names of the two coordinates.

    Examples
    --------
    >>> import lrfm
    >>> ellipse = lrfm.Ellipse(radii=(2, 1), name="rim")
    >>> ellipse.axes
    {'x': (-2.0, 2.0), 'y': (-1.0, 1.0)}
    """

    def __init__(
        self,
        *,
        center: Numbers = (0, 0),
        radii: Numbers = (1, 1),
        name: str = "ellipse",
        axes: Sequence[str] = PLANE,
    ):
        self._stretched(center, radii, name, axes, PLANE)

    def _stretched(
        self, center: Numbers, radii: Numbers, name: str, axes: Sequence[str], usual: Sequence[str]
    ) -> None:
        """A length along each axis."""
        names = axis_names(axes, len(usual))
        self._made(names, usual, center, _place("`radii`", radii, names), name)

    def _round(
        self, center: Numbers, radius: float, name: str, axes: Sequence[str], usual: Sequence[str]
    ) -> None:
        """One radius."""
        names, r = axis_names(axes, len(usual)), _positive("`radius`", radius)
        self._made(names, usual, center, np.full(len(usual), r), name, radius=r)

    def _made(
        self,
        names: Sequence[str],
        usual: Sequence[str],
        center: Numbers,
        radii: np.ndarray,
        name: str,
        **words: float,
    ) -> None:
        middle = _place("`center`", center, names)
        record = record_of(
            type(self).__name__,
            name,
            names,
            usual,
            center=middle.tolist(),
            **(words or {"radii": radii.tolist()}),
        )
        matrix = np.diag([_positive("A radius", float(r)) for r in radii])
        rule = (Polar if len(names) == 2 else Spherical)(matrix=matrix, offset=middle)
        Shape.__init__(
            self, Simple(UnitBall(len(names)), tuple(names), name, matrix, middle), names, record, rule=rule
        )


@naming
class Disk(Ellipse):
    """|x − c| < r in the plane.

    `center` c and `radius` r; `name` and `axes` as for an `Ellipse`.

    Examples
    --------
    >>> import lrfm
    >>> disk = lrfm.Disk(center=(1, 0), radius=2)
    >>> points, weights = disk.quadrature(200)
    >>> round(float(weights @ points[:, 0] ** 2), 10)  # ∫ x² = πr²(c² + r²/4)
    25.1327412287
    """

    def __init__(
        self,
        *,
        center: Numbers = (0, 0),
        radius: float = 1.0,
        name: str = "disk",
        axes: Sequence[str] = PLANE,
    ):
        self._round(center, radius, name, axes, PLANE)


@naming
class Ellipsoid(Ellipse):
    """Σ (xᵢ − cᵢ)²/aᵢ² < 1 in space, with `center` c and `radii` a.

    Examples
    --------
    >>> import lrfm
    >>> round(lrfm.Ellipsoid(radii=(1, 2, 3)).measure(), 8)  # 4π/3 · 6
    25.13274123
    """

    def __init__(
        self,
        *,
        center: Numbers = (0, 0, 0),
        radii: Numbers = (1, 1, 1),
        name: str = "ellipsoid",
        axes: Sequence[str] = SPACE,
    ):
        self._stretched(center, radii, name, axes, SPACE)


@naming
class Ball(Ellipse):
    """|x − c| < r in space.

    Examples
    --------
    >>> import lrfm
    >>> ball = lrfm.Ball(radius=0.5)
    >>> round(ball.parts["ball"].measure(), 10)  # 4πr²
    3.1415926536
    """

    def __init__(
        self,
        *,
        center: Numbers = (0, 0, 0),
        radius: float = 1.0,
        name: str = "ball",
        axes: Sequence[str] = SPACE,
    ):
        self._round(center, radius, name, axes, SPACE)


def _disc(names: Sequence[str], middle: np.ndarray, radius: float, name: str) -> Simple:
    return Simple(UnitBall(2), tuple(names), name, radius * np.eye(2), middle)


@naming
class Annulus(Shape):
    """a < |x − c| < b in the plane, with `center` c and `radii` (a, b); its parts are ``inner`` and ``outer``.

    Examples
    --------
    >>> import lrfm
    >>> list(lrfm.Annulus(radii=(1, 2)).parts)
    ['outer', 'inner']
    """

    def __init__(
        self,
        *,
        center: Numbers = (0, 0),
        radii: Numbers,
        name: str | None = None,
        axes: Sequence[str] = PLANE,
    ):
        names = axis_names(axes, 2)
        middle, (a, b) = _place("`center`", center, names), interval("`radii`", radii)  # pyright: ignore
        inner, outer = (_positive("A radius", r) for r in (a, b))
        labels = [".".join(filter(None, (name, which))) for which in ("outer", "inner")]
        tree = Without(_disc(names, middle, outer, labels[0]), _disc(names, middle, inner, labels[1]))
        rule = Polar(matrix=outer * np.eye(2), offset=middle, inner=inner / outer)
        record = record_of("Annulus", name, names, PLANE, center=middle.tolist(), radii=[inner, outer])
        super().__init__(tree, names, record, rule=rule)


@naming
class Sector(Shape):
    """A slice of a disc, |x − c| < r and α < θ < β; its parts are ``arc``, ``start`` (θ = α) and ``end`` (θ = β).

    Parameters
    ----------
    angles
        (α, β) in radians, counterclockwise from the first axis, β − α less than 2π.
    center, radius
        c and r.

    Examples
    --------
    >>> import lrfm
    >>> quarter = lrfm.Sector(angles=(0, 1.5707963267948966))
    >>> sorted(quarter.parts), len(quarter.corners)
    (['arc', 'end', 'start'], 3)
    """

    def __init__(
        self,
        *,
        angles: Numbers,
        center: Numbers = (0, 0),
        radius: float = 1.0,
        name: str | None = None,
        axes: Sequence[str] = PLANE,
    ):
        names, r = axis_names(axes, 2), _positive("`radius`", radius)
        middle, (first, last) = _place("`center`", center, names), interval("`angles`", angles)  # pyright: ignore
        if last - first >= 2 * np.pi:
            raise ProblemError(f"`angles` span {last - first:g}; a sector spans less than 2π. Use `Disk`.")
        label = lambda which: ".".join(filter(None, (name, which)))  # noqa: E731
        sides = [
            _half_plane(names, middle, np.array([np.sin(first), -np.cos(first)]), label("start")),
            _half_plane(names, middle, np.array([-np.sin(last), np.cos(last)]), label("end")),
        ]
        wedge: Tree = (Both if last - first <= np.pi else Either)(*sides)
        tree = Both(_disc(names, middle, r, label("arc")), wedge)
        rule = Polar(matrix=r * np.eye(2), offset=middle, first=first, last=last)
        record = record_of(
            "Sector", name, names, PLANE, center=middle.tolist(), radius=r, angles=[first, last]
        )
        super().__init__(tree, names, record, rule=rule)


class _Linear:
    """n · (x − p)."""

    def __init__(self, normal: np.ndarray, point: np.ndarray):
        self.normal, self.point = normal, point

    def __call__(self, at: Sequence[Expr]) -> Expr:
        terms = [float(n) * (x - float(p)) for n, x, p in zip(self.normal, at, self.point, strict=True)]
        return reduce(lambda a, b: a + b, terms)


def _half_plane(names: Sequence[str], point: np.ndarray, normal: np.ndarray, name: str) -> Simple:
    size = len(names)
    kind = Below(size, _Linear(normal / np.linalg.norm(normal), point))
    return Simple(kind, tuple(names), name, np.eye(size), np.zeros(size))


@naming
class HalfSpace(Shape):
    """n · (x − p) < 0: what lies behind a line or a plane through `point` p with outward `normal` n; to cut other shapes with.

    Examples
    --------
    >>> import lrfm
    >>> half = lrfm.Disk() & lrfm.HalfSpace(normal=(0, -1), name="floor")
    >>> round(half.measure(), 10), sorted(half.parts)
    (1.5707963268, ['disk', 'floor'])
    """

    def __init__(
        self,
        *,
        normal: Numbers,
        point: Numbers | None = None,
        name: str = "cut",
        axes: Sequence[str] | None = None,
    ):
        usual = SPACE[: len(normal)] if np.ndim(normal) == 1 else PLANE
        names = axis_names(axes or usual, len(usual))
        direction = _place("`normal`", normal, names)
        where = np.zeros(len(names)) if point is None else _place("`point`", point, names)
        if not direction.any():
            raise ProblemError("`normal` is zero; give a direction, such as (0, 1).")
        record = record_of("HalfSpace", name, names, usual, normal=direction.tolist(), point=where.tolist())
        super().__init__(_half_plane(names, where, direction, name), names, record)
