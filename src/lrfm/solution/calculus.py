# SPDX-License-Identifier: MIT
"""Numbers and curves from a solution: ∫ F, max F and where it is, the curves F = 0, the flux through a face.

Integrals are Gauss-Legendre sums on panels that are halved until two of them agree; extrema are found on a grid and refined around the
best place; curves are contours of a grid that are brought onto the solution by Newton's method along the exact gradient.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from lrfm.linalg.threads import one_thread
from lrfm.problem.alphabet import Alphabet
from lrfm.problem.domain import Box
from lrfm.problem.errors import listing, suggest
from lrfm.problem.shapes.protocol import Part
from lrfm.problem.syntax import parse, split_equation
from lrfm.problem.text import translate
from lrfm.solution.fields import Field, Fields
from lrfm.solution.places import read_places, where_inside, where_true
from lrfm.solution.region_calculus import RegionIntegral, check_part, part_integral, region_integral

NODES = 24  # of a panel
AGREED = 1e-13  # difference of two sums, relative to the integral of the absolute value
MOST_PANELS = {1: 512, 2: 32, 3: 8}  # along each coordinate, by their number
SCANNED = {1: 2001, 2: 301, 3: 61, 4: 25}  # places along each coordinate in the first look for an extremum
BORDER, BORDER_TIMES = 600, 41  # places on each part of a curved boundary, and times, in the same look;
BORDER_AGAIN = 20_000  # places at the best of these times
ROUNDS = 14  # of refinement, each four times finer


class Extremum(NamedTuple):
    """A value and the coordinates at which it is taken."""

    value: float
    at: dict[str, float]


class Curve(dict[str, np.ndarray]):
    """Points along a curve, by coordinate: ``curve["x"]``, ``curve["t"]``."""


class Integral:
    """∫ F over some coordinates, a function of the others."""

    def __init__(
        self, field: Field, fields: Fields, over: Sequence[str], fixed: Mapping[str, float] | None = None
    ):
        self._field, self._fields, self.over, self._fixed = field, fields, tuple(over), dict(fixed or {})
        used = (*self.over, *self._fixed)
        self.coordinates = tuple(c for c in fields.coordinates if c not in used)

    @one_thread
    def __call__(self, **coordinates: Any) -> Any:
        """The integral at values of the other coordinates, with NumPy broadcasting."""
        if self.coordinates:
            places = read_places(coordinates, self.coordinates)
            free = dict(zip(self.coordinates, places.arrays, strict=True))
            shape, wrap = places.shape, lambda values: places.wrap(values, repr(self))
        elif coordinates:
            raise TypeError(f"{self!r} is a number; call it without coordinates.")
        else:
            free, shape, wrap = {}, (), lambda values: np.asarray(values).item()
        if not self.over:
            return wrap(np.asarray(self._at({}, free, shape)))
        return wrap(self._converged(free, shape))

    @property
    def error(self) -> Integral:
        """The error of the integral, with its sign: what `Solution.corrected` changes it by, a function of the same coordinates."""
        return _Missing(self)

    def _converged(self, free: Mapping[str, np.ndarray], shape: tuple[int, ...]) -> np.ndarray:
        panels, before = 1, None
        while True:
            total, size = self._sum(panels, free, shape)
            if before is not None and np.all(np.abs(total - before) <= AGREED * np.maximum(size, 1e-300)):
                return total
            if panels >= MOST_PANELS.get(len(self.over), 4):
                return total
            panels, before = 2 * panels, total

    def _sum(
        self, panels: int, free: Mapping[str, np.ndarray], shape: tuple[int, ...]
    ) -> tuple[np.ndarray, np.ndarray]:
        nodes, weights = np.polynomial.legendre.leggauss(NODES)
        names, lower, upper = self._fields.coordinates, *self._fields._ends
        at, factor = {}, np.ones(())
        for position, name in enumerate(self.over):
            k = names.index(name)
            edges = self._edges(name, lower[k], upper[k], panels, free)
            half = np.diff(edges)[:, None] / 2
            ahead = (1,) * (len(self.over) - position - 1)
            at[name] = (edges[:-1, None] + half * (1 + nodes)).reshape(-1, *ahead)
            factor = factor[..., None] * (half * weights).ravel()
        values = self._at(at, free, shape)
        along = tuple(range(values.ndim - len(self.over), values.ndim))
        return np.sum(values * factor, axis=along), np.sum(np.abs(values) * factor, axis=along)

    def _edges(
        self, name: str, low: float, high: float, panels: int, free: Mapping[str, np.ndarray]
    ) -> np.ndarray:
        """Panels of equal length; at one time, where functions of cells end, they end there, too."""
        edges = np.linspace(low, high, panels + 1)
        still = self._fields.problem.absent.get("t", ())
        times = np.unique(np.asarray(free.get("t", self._fixed.get("t", still)), dtype=float))
        if name == "t" or len(self.over) > 1 or len(times) != 1:
            return edges
        inner = self._fields._breaks(float(times[0]))
        return np.union1d(edges, inner[(inner > low) & (inner < high)])

    def _at(
        self, at: Mapping[str, np.ndarray], free: Mapping[str, np.ndarray], shape: tuple[int, ...]
    ) -> np.ndarray:
        later = (1,) * len(self.over)
        given = {c: a.reshape((*a.shape, *later)) for c, a in free.items()}
        where: dict[str, Any] = {**given, **at, **self._fixed}
        values = self._field(**where)
        return np.broadcast_to(values, shape + tuple(np.shape(values))[np.ndim(values) - len(self.over) :])

    def __repr__(self) -> str:
        at = ", ".join(f"{name} = {value:g}" for name, value in self._fixed.items())
        over = f"∫ {self._field.label} d{' d'.join(self.over)}" if self.over else self._field.label
        return f"<{over}{f' at {at}' if at else ''}>"


class _Missing(Integral):
    """∫ F(u + e) − ∫ F(u), e the error of a solution."""

    def __init__(self, known: Integral):
        super().__init__(known._field, known._fields, known.over, known._fixed)
        after = Field(known._fields.corrected, known._field._value, known._field.label)
        self._before, self._after = known, Integral(after, known._fields, known.over, known._fixed)

    def __call__(self, **coordinates: Any) -> Any:
        return self._after(**coordinates) - self._before(**coordinates)

    def __repr__(self) -> str:
        return f"<error of {self._before!r}>"


class _Total:
    """What a number that is an integral over all coordinates knows beside its value."""

    _integral: Integral | RegionIntegral

    def __call__(self, **coordinates: Any) -> Any:
        """The number itself: what is integrated over some coordinates is called with the others, here with none."""
        if coordinates:
            raise TypeError(f"{self._integral!r} is a number; call it without coordinates.")
        return self

    @property
    def error(self) -> Any:
        return self._integral.error()


class Quantity(_Total, float):
    """A number that follows from a solution; `error` is what it is wrong by, with its sign: ``q + q.error`` is nearer to the truth.

    Examples
    --------
    >>> import lrfm
    >>> heat = lrfm.solve(lrfm.catalog.heat_1d(), tol=1e-4)
    >>> energy = heat.integral("u**2", over=("x", "t"))
    >>> abs(energy.error) < 1e-4
    True
    """


class ComplexQuantity(_Total, complex):
    """A `Quantity` of a complex formula."""


def _number(integral: Integral | RegionIntegral) -> Quantity | ComplexQuantity:
    """∫ F over all coordinates."""
    total = integral()
    found = ComplexQuantity(total) if isinstance(total, complex) else Quantity(total)
    found._integral = integral
    return found


def integral(
    fields: Fields, formula: str, over: str | Iterable[str] | None
) -> Integral | RegionIntegral | Quantity | ComplexQuantity:
    """∫ F over the named coordinates; a number where none is left."""
    box = fields.problem.domain
    if not isinstance(box, Box):
        over_region = region_integral(fields[formula], box, over)
        return over_region if over_region.coordinates else _number(over_region)
    everywhere = [name for name in box.names if name in fields.coordinates] or ["t"]
    names = everywhere if over is None else (over,) if isinstance(over, str) else tuple(over)
    _check_names(names, fields.coordinates)
    weight = "" if box.symmetry is None else box.symmetry.weight(names)
    found = Integral(fields[f"({formula})*{weight}" if weight else formula], fields, names)
    return found if found.coordinates else _number(found)


def flux(fields: Fields, face: str, formula: str) -> Integral | RegionIntegral | Quantity | ComplexQuantity:
    """∫ F over a face or another part, F a formula with the outward normal derivative in it; a number where no time is left."""
    through = _flux(fields, face, formula)
    return through if through.coordinates else _number(through)


def _flux(fields: Fields, face: str, formula: str) -> Integral | RegionIntegral:
    box = fields.problem.domain
    if not isinstance(box, Box):
        face = check_part(box, face)
        return part_integral(_on_part(fields, box.parts[face], formula), box, face)
    if face not in box.faces:
        raise ValueError(f"`{face}` is no face; there are {listing(box.faces)}.{suggest(face, box.faces)}")
    axis, upper = box.face(face)[:2]
    if box.symmetry is not None:
        formula = f"({formula})*{box.symmetry.weight()}"
    field = _on_part(fields, box.parts[face], formula)
    others = [name for k, name in enumerate(box.names) if k != axis]
    end = float((box.upper if upper else box.lower)[axis])
    return Integral(field, fields, others, {box.names[axis]: end})


def _on_part(fields: Fields, part: Part, formula: str) -> Field:
    """F with the outward normal of a part in it."""
    known = fields.problem._alphabet
    alphabet = Alphabet(known.axes, known.parameters, known.unknowns, part.normal)
    return Field(fields, translate(parse(formula, "The formula"), alphabet, "The formula"), formula)


def extremum(fields: Fields, formula: str, fixed: Mapping[str, float], sign: float) -> Extremum:
    """The largest sign·F, on a grid that shrinks around the best place."""
    field = fields[formula]
    if field.complex:
        raise ValueError(f"`{formula}` is complex; take `abs({formula})`, `re(...)` or `im(...)` of it.")
    _check_names(fixed, fields.coordinates)
    names = [c for c in fields.coordinates if c not in fixed]
    position = [fields.coordinates.index(c) for c in names]
    lower, upper = (np.array([ends[k] for k in position]) for ends in fields._ends)
    domain = fields.problem.domain
    best = _on_border(fields, field, fixed, sign) or Extremum(-np.inf, dict(fixed))
    low, high, count = lower, upper, SCANNED.get(len(names), 9)
    for _ in range(ROUNDS if names else 1):
        lines = [np.linspace(a, b, count) for a, b in zip(low, high, strict=True)]
        at: dict[str, Any] = {**dict(zip(names, np.ix_(*lines), strict=True)), **fixed}
        values = sign * where_inside(domain, {c: np.asarray(at[c]) for c in fields.coordinates}, field)
        if np.isnan(values).all():
            break  # no place of the grid is in the domain
        where = np.unravel_index(np.nanargmax(values), values.shape) if names else ()
        place = np.array([line[i] for line, i in zip(lines, where, strict=True)])
        if values[where] < best.value:  # on the border, between the places of the grid
            place = np.array([best.at[c] for c in names])
        else:
            best = Extremum(
                float(values[where]), {**dict(zip(names, map(float, place), strict=True)), **fixed}
            )
        reach = (high - low) / (count - 1)
        low, high, count = np.maximum(lower, place - reach), np.minimum(upper, place + reach), 9
    if not np.isfinite(best.value):
        raise ValueError(f"No place of the domain has {', '.join(f'{c}={v:g}' for c, v in fixed.items())}.")
    return Extremum(sign * best.value, {c: best.at[c] for c in fields.coordinates})


def _on_border(fields: Fields, field: Field, fixed: Mapping[str, float], sign: float) -> Extremum | None:
    """The largest sign·F on points of a curved boundary, which a grid meets nowhere; None in boxes and where space is cut."""
    domain = fields.problem.domain
    if domain.is_box or any(name in fixed for name in domain.names):
        return None
    if "t" not in fields.coordinates:
        return _on_parts(fields, field, sign, 0.0, BORDER_AGAIN)
    ends = fields._bounds[0][-1], fields._bounds[1][-1]
    times = [float(t) for t in ([fixed["t"]] if "t" in fixed else np.linspace(*ends, BORDER_TIMES))]
    best = max((_on_parts(fields, field, sign, time, BORDER) for time in times), key=lambda e: e.value)
    return _on_parts(fields, field, sign, best.at["t"], BORDER_AGAIN)


def _on_parts(fields: Fields, field: Field, sign: float, time: float, count: int) -> Extremum:
    """The same at one time, on so many points of each part."""
    domain, found = fields.problem.domain, []
    for part in domain.parts.values():
        points = part.quadrature(count, None, time if domain.moving else None)[0]
        at: dict[str, Any] = dict(zip(domain.names, points.T, strict=True))
        if "t" in fields.coordinates:
            at["t"] = np.full(len(points), time)
        values = sign * np.asarray(field(outside=True, **at))
        k = int(np.argmax(values))
        found.append(Extremum(float(values[k]), {c: float(a[k]) for c, a in at.items()}))
    return max(found, key=lambda e: e.value)


def curves(fields: Fields, equation: str, fixed: Mapping[str, float], resolution: int) -> list[Curve]:
    """Where lhs = rhs holds, in the two coordinates that are not fixed."""
    _check_names(fixed, fields.coordinates)
    names = [c for c in fields.coordinates if c not in fixed]
    if len(names) != 2:
        raise ValueError(
            f"A curve lies in two coordinates; here are {listing(names)}. "
            + ("Fix others, such as `t=0.5`." if len(names) > 2 else "Leave two of them free.")
        )
    lhs, rhs = split_equation(equation, "The condition", "u = 0.5")
    field = fields[f"({lhs.strip()}) - ({rhs.strip()})"]
    if field.complex:
        raise ValueError(f"`{equation}` is complex; take `abs(...)`, `re(...)` or `im(...)`.")
    from contourpy import contour_generator

    spans = [
        (low, high) for c, low, high in zip(fields.coordinates, *fields._ends, strict=True) if c in names
    ]
    first, second = (np.linspace(*span, resolution) for span in spans)
    at: dict[str, Any] = {names[0]: first[:, None], names[1]: second[None, :], **fixed}
    near = _near(fields, at)
    values = where_true(near, lambda **at: field(outside=True, **at), {c: at[c] for c in fields.coordinates})
    lines = contour_generator(first, second, values.T).lines(0.0)
    found = [_corrected(field, names, np.asarray(line), fixed, spans) for line in lines if len(line) > 1]
    return [part for line in found for part in _inside(fields, line, fixed)]


def _near(fields: Fields, at: Mapping[str, Any]) -> np.ndarray:
    """Places of a grid in the domain and beside it, so that curves reach its boundary."""
    domain = fields.problem.domain
    arrays = np.broadcast_arrays(*(at[c] for c in fields.coordinates))
    if domain.is_box:
        return np.ones(arrays[0].shape, dtype=bool)
    columns, n = [a.ravel() for a in arrays], domain.dimension
    inside = domain.contains(np.column_stack(columns[:n]), *columns[n:])
    from scipy.ndimage import binary_dilation

    return binary_dilation(inside.reshape(arrays[0].shape), np.ones((3, 3)))


def _inside(fields: Fields, curve: Curve, fixed: Mapping[str, float]) -> list[Curve]:
    """The parts of a curve that lie in the domain."""
    domain, at = fields.problem.domain, {**curve, **fixed}
    if domain.is_box:
        return [curve]
    columns = np.broadcast_arrays(*(at[c] for c in fields.coordinates))
    n = domain.dimension
    kept = domain.contains(np.column_stack(columns[:n]), *columns[n:])
    cuts = np.flatnonzero(np.diff(kept)) + 1
    runs = np.split(np.arange(len(kept)), cuts)
    return [
        Curve({c: line[run] for c, line in curve.items()}) for run in runs if len(run) > 1 and kept[run[0]]
    ]


def _corrected(
    field: Field,
    names: Sequence[str],
    line: np.ndarray,
    fixed: Mapping[str, float],
    spans: Sequence[tuple[float, float]],
) -> Curve:
    """p ← p − F ∇F/|∇F|² in coordinates of unit length, never further than a few cells of the grid."""
    slopes = [field.derivative(name) for name in names]
    low, high = np.array(spans).T
    length, p = high - low, line.copy()
    for _ in range(4):
        at = {names[0]: p[:, 0], names[1]: p[:, 1], **fixed}
        gradient = np.column_stack([slope(outside=True, **at) for slope in slopes]) * length
        size = np.sum(gradient**2, axis=1)
        step = (
            np.divide(field(outside=True, **at), size, out=np.zeros(len(p)), where=size > 0)[:, None]
            * gradient
        )
        p = np.clip(p - np.clip(step, -0.01, 0.01) * length, low, high)
    return Curve({names[0]: p[:, 0], names[1]: p[:, 1]})


def _check_names(names: Iterable[str], coordinates: Sequence[str]) -> None:
    for name, known in product(names, (coordinates,)):
        if name not in known:
            raise ValueError(f"`{name}` is no coordinate; there are {listing(known)}.{suggest(name, known)}")
