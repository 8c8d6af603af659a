# SPDX-License-Identifier: MIT
"""Checks that need numbers: finite data, data that fit each other at t = t₀, conditions counted per axis."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence, Set
from functools import lru_cache
from itertools import combinations, permutations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lrfm.problem import accelerated
from lrfm.problem.algebra import Expr, Symbol
from lrfm.problem.conditions import undeclared_complex
from lrfm.problem.data import Datum, is_complex
from lrfm.problem.domain import Box
from lrfm.problem.entering import all_that_enters
from lrfm.problem.equation import Row
from lrfm.problem.errors import ProblemError, Spelled, counted, listing
from lrfm.problem.expression import jumps
from lrfm.problem.jumps import jumps_along
from lrfm.problem.landmarks import warnings_of_poles
from lrfm.problem.shapes.protocol import Domain, is_layered

if TYPE_CHECKING:
    from lrfm.problem.problem import Problem

REFUSED = 1e-2  # relative contradiction of data at t = t₀ that is an error where these are to be checked,
NOTED = 1e-8  # and one that is worth a warning
MAX_POINTS = 4_000
TIMES = 17  # at which conditions are looked at for their size
UNREAL = 0.05  # part of all places: more than some at which a formula happens to be 0/0


class Jump(str):
    """A warning on data that jump, for engines with smooth functions."""


class Contradiction(str):
    """A warning on data that contradict each other, which says by how much: `size`, relative to them."""

    size: float

    def __new__(cls, text: str, size: float) -> Contradiction:
        made = super().__new__(cls, text)
        made.size = size
        return made


class Gap(NamedTuple):
    """Two data that contradict each other: which, by how much of their size, where, and whether u itself jumps."""

    what: str
    size: float
    place: str
    jump: bool = True

    def __str__(self) -> str:
        return f"{self.what} contradict each other at {self.place}, by {self.size:.2g} times their size"


def run(problem: Problem, used_names: set[str]) -> tuple[list[str], float]:
    """Raise ProblemError for what cannot be meant; return warnings for what is only suspicious, and the largest gap.

    A jump in u itself bounds the error from below; one in a flux only costs smoothness at a corner.
    """
    _finite_data(problem)
    _real_start(problem)
    _two_values(problem)
    warnings = [f"The parameter `{p}` is not used." for p in problem.parameters if p not in used_names]
    warnings += _count_conditions(problem)
    warnings += _jumps(problem)
    warnings += warnings_of_poles(problem)
    largest = 0.0
    for gap in _gaps(problem):
        if gap.size > REFUSED and problem.check_corners:
            raise ProblemError(
                f"{gap}; make them agree, or leave out ",
                Spelled("`check_corners=True`", "`check_corners = true`"),
                " if the jump is meant.",
            )
        text = f"{gap}; the solution is not smooth there. Check the data if this is not meant."
        warnings.append(Contradiction(text, gap.size))
        largest = max(largest, gap.size if gap.jump else 0.0)
    warnings += _accelerated(problem)
    return [*dict.fromkeys(warnings)], largest


def _accelerated(problem: Problem) -> list[Contradiction]:
    """Loads on what is held, which beams and plates answer with waves of every length."""
    start = problem.time[0]
    on_face = lambda face: face_grid(problem, face, (start,))  # noqa: E731

    def everywhere():
        return np.vstack([grid(problem.domain, float(t), 65) for t in np.linspace(*problem.time, 9)])

    found = []
    for what, residual, size, points in accelerated.gaps(problem, on_face, everywhere):
        for gap in _largest(residual, size, points, what, problem, jump=False):
            if gap.size > REFUSED:
                found.append(Contradiction(f"{gap}: {accelerated.remedy(problem)}", gap.size))
    return found


def corner(problem: Problem) -> float:
    """The largest relative gap between initial data and conditions, in u or in a flux."""
    return max((gap.size for gap in _gaps(problem)), default=0.0)


@lru_cache(maxsize=16)
def _gaps(problem: Problem) -> tuple[Gap, ...]:
    """What contradicts each other at the start: asked for when a statement is read, and when it is solved."""
    return (*_face_gaps(problem), *_periodic_gaps(problem))


def grid(box: Domain, t: float, per_axis: int = 257, inside: bool = False) -> np.ndarray:
    """A tensor grid of points at one time; where it would be too large, scattered points; in other shapes those of a rule."""
    if not box.is_box:
        points = box.quadrature(min(MAX_POINTS, per_axis**box.dimension), None, t).points
        return np.column_stack([points, np.full(len(points), t)])
    n = _per_axis(box, per_axis)
    unit = (np.arange(n) + 0.5) / n if inside else np.linspace(0, 1, n)
    if n**box.dimension <= MAX_POINTS:
        columns = [a.ravel() for a in np.meshgrid(*[unit] * box.dimension, indexing="ij")]
    else:
        columns = np.random.default_rng(0).choice(unit, (box.dimension, MAX_POINTS // 4))
    points = [
        lower + (upper - lower) * c for (lower, upper), c in zip(box.axes.values(), columns, strict=True)
    ]
    return np.column_stack([*points, np.full(len(points[0]), t)])


def _per_axis(box: Domain, most: int = 257) -> int:
    return max(3, min(most, int(MAX_POINTS ** (1 / box.dimension))))


def interior_grid(box: Domain, time: tuple[float, float]) -> np.ndarray:
    """Points strictly inside the space-time domain: at three times."""
    return np.vstack([grid(box, time[0] + f * (time[1] - time[0]), 9, inside=True) for f in (0.1, 0.5, 0.9)])


def face_grid(problem: Problem, face: str, times: tuple[float, ...]) -> np.ndarray:
    """Points on a face, or another part of the boundary, at the given times."""
    if not isinstance(problem.domain, Box):
        rules = [(t, problem.domain.parts[face].quadrature(257, None, t).points) for t in times]
        return np.vstack([np.column_stack([points, np.full(len(points), t)]) for t, points in rules])
    axis, upper = problem.domain.face(face)
    points = np.vstack([grid(problem.domain, t) for t in dict.fromkeys(times)])
    ends = problem.domain.lower[axis], problem.domain.upper[axis]
    if _per_axis(problem.domain) ** problem.domain.dimension <= MAX_POINTS:
        points = points[points[:, axis] == ends[0]]  # one layer has each point of the face once
    points[:, axis] = ends[upper]
    return points


def _finite_data(problem: Problem) -> None:
    start, end = problem.time
    data = [(start, *item) for item in problem.initial_data.items()]
    for time, (name, _), datum in data + [(end, *item) for item in problem.final_data.items()]:
        points = grid(problem.domain, time)
        values = datum(points)
        if is_complex(values) and problem.unknowns[name] is not complex:
            raise undeclared_complex(datum.what, [name])
        _check_finite(values, points, datum.what, problem)
    places = [(row, interior_grid(problem.domain, problem.time)) for row in problem.rows]
    for face, rows in problem.face_rows.items():
        points = face_grid(problem, face, (0.5 * (start + end), end))
        places += [(row, points) for row in rows]
    for row, points in places:
        for values in row.given(points):
            _check_finite(values, points, f"{row.label}: a coefficient or source in it", problem)


def _real_start(problem: Problem) -> None:
    """Refuse equations that are no real numbers at the initial data: a root or a logarithm of something negative. What is infinite at a wall may be meant."""
    points = None
    for row in problem.rows:
        keys = {jet: (jet.field, 0) for jet in row.nonlinear_jets}
        if row.linear or any(any(jet.index) or key not in problem.initial_data for jet, key in keys.items()):
            continue
        points = grid(problem.domain, problem.time[0], inside=True) if points is None else points
        jets = {jet: problem.initial_data[key](points) for jet, key in keys.items()}
        if any(is_complex(v) for v in jets.values()):
            continue
        with np.errstate(all="ignore"):
            bad = np.isnan(row.nonlinear(points, jets, picard=False)[0])
        if np.mean(bad) > UNREAL:
            first = int(np.argmax(bad))
            there = ", ".join(f"{key[0]} = {float(jets[jet][first]):.3g}" for jet, key in keys.items())
            raise ProblemError(
                f"{row.label} is no real number at the initial data, such as at {_place(points[first], problem)}, where {there}: a root, a broken power or a "
                "logarithm of something negative. Write what is meant there, such as `sqrt(max(u, 0))`, or give other initial data."
            )


def _check_finite(values: np.ndarray, points: np.ndarray, what: str, problem: Problem) -> None:
    bad = ~np.isfinite(values)
    if bad.any():
        raise ProblemError(
            f"{what} is not finite at {_place(points[bad][0], problem)}; give data that are finite in the "
            "whole domain."
        )


def _two_values(problem: Problem) -> None:
    """Refuse α·(Σ c D^a u) = f and β·(Σ c D^a u) = g on one face with f/α ≠ g/β: no u has two values."""
    start, end = problem.time
    for face, rows in problem.face_rows.items():
        points = face_grid(problem, face, (0.5 * (start + end), end)) if len(rows) > 1 else np.zeros((0, 1))
        for one, other in combinations([row for row in rows if row.linear], 2):
            if set(one.linear_part) != set(other.linear_part) or not one.linear_part:
                continue
            (f, a), (g, b) = one.affine(points), other.affine(points)
            lead = max(a, key=lambda jet: float(np.max(np.abs(a[jet]))))
            same = all(np.allclose(a[j] * b[lead], b[j] * a[lead], rtol=1e-10, atol=0.0) for j in a)
            gap = np.broadcast_to(np.abs(f * b[lead] - g * a[lead]), (len(points),))
            size = np.max(np.abs(f * b[lead]) + np.abs(g * a[lead]))
            if same and np.max(gap) > REFUSED * size:
                place = _place(points[int(np.argmax(gap))], problem)
                raise ProblemError(
                    f"{one.label} has two conditions on the same thing that contradict each other at {place}, such as `u = 0` and "
                    "`u = 1`; leave out one of them, or give it on another face."
                )


def _jumps(problem: Problem) -> list[str]:
    """What `where`, `heaviside` or `sign` may do to functions that are smooth beside it.

    Steps end where an equation switches in time alone, cells where it switches at places that stay. What switches between parts that meet has a kink at most.
    """
    met = ({Symbol("t")}, {Symbol(name) for name in problem.domain.names})
    places = [(row.label, [row.expression], met) for row in problem.rows]
    places += [(row.label, [row.expression], ()) for row in problem.all_rows if row not in problem.rows]
    data = [(datum.what, datum.value) for datum in problem.initial_data.values()]
    places += [(what, list(value), ()) for what, value in data if value is not None]

    def jumping(part: Expr, met: Sequence[Set[Symbol]]) -> bool:
        return jumps(part, *met) and jumps_along(part, part.symbols)

    found = dict.fromkeys(what for what, parts, met in places if any(jumping(part, met) for part in parts))
    return [
        Jump(
            f"{what} jumps (`where`, `heaviside` or `sign`). What keeps the jump and moves with it is met slowly, and a small `tol` may not "
            "be reached; what diffusion smooths out is not. A steep but smooth step such as `0.5*(1 + tanh(x/w))` is solved to more digits."
        )
        for what in found
    ]


def _order(problem: Problem, axis: int) -> int:
    """The order of a system along an axis: the degree of its determinant in ∂, as far as the places of derivatives tell.

    The largest sum of orders over pairings of equations and fields; a pressure with p_x beside u_x + v_y = 0 adds nothing.
    """
    fields, rows = problem.fields, problem.rows
    plain = sum(problem.space_order(axis, field) for field in fields)
    if len(rows) != len(fields) or len(fields) > 6:
        return plain
    orders = [{f: -math.inf for f in fields} for _ in rows]
    for row, found in zip(rows, orders, strict=True):
        for jet in (jet for jet in row.jets if jet.field in found):
            found[jet.field] = max(found[jet.field], jet.index[axis])
    best = max(sum(o[f] for o, f in zip(orders, turn, strict=True)) for turn in permutations(fields))
    return int(best) if math.isfinite(best) else plain


def _count_conditions(problem: Problem) -> list[str]:
    """An equation of order m along an axis takes m conditions on its two faces together, per unknown."""
    if not problem.domain.is_box:
        return _count_on_parts(problem)
    warnings = []
    for i, axis in enumerate(problem.domain.names):
        if axis in problem.periodic:
            continue
        wanted = _order(problem, i)
        given = sum(len(problem.face_rows[f"{axis}{side}"]) for side in "-+")
        if given != wanted and not all_that_enters(problem, i, wanted):
            effect = "may not be unique" if given < wanted else "may not exist"
            real = "real " if complex in problem.unknowns.values() else ""
            warnings.append(
                f"The two faces of the axis `{axis}` have {counted(given, f'{real}boundary condition')} "
                f"together; the order of the equations suggests {wanted}. The solution {effect}."
            )
    return warnings


def _count_on_parts(problem: Problem) -> list[str]:
    """An equation of even order m takes m/2 conditions everywhere on the boundary, per unknown."""
    axes = range(problem.domain.dimension)
    orders = [max(problem.space_order(i, field) for i in axes) for field in problem.fields]
    if any(order % 2 for order in orders):
        return []
    warnings: list[str] = []
    interfaces = problem.domain.interfaces if is_layered(problem.domain) else ()
    for part, rows in problem.face_rows.items():
        wanted = sum(orders) // (1 if part in interfaces else 2)
        if len(rows) != wanted:
            effect = "may not be unique" if len(rows) < wanted else "may not exist"
            warnings.append(
                f"The part `{part}` of the boundary has {counted(len(rows), 'boundary condition')}; the order of the "
                f"equations suggests {wanted}. The solution {effect}."
            )
    return warnings


def _face_gaps(problem: Problem) -> Iterator[Gap]:
    """Boundary rows that do not hold for the initial data at t = t₀, as far as these can be differentiated; of one condition on several parts of the boundary the largest gap, with all of them."""
    found: dict[Expr, list[tuple[str, str, Gap]]] = {}
    for face, rows in problem.face_rows.items():
        points = face_grid(problem, face, (problem.time[0],))
        for row in rows:
            jump = all(jet.order == 0 for jet in row.jets)
            for gap in _row_gap(problem, row, face, points, jump):
                found.setdefault(row.expression, []).append((face, row.label, gap))
    for each in found.values():
        face, label, worst = max(each, key=lambda one: one[2].size)
        both = label.replace(f"`{face}`", listing(other for other, _, _ in each))
        yield worst._replace(what=worst.what.replace(label, both))


def _given_later(problem: Problem, row: Row, face: str) -> np.ndarray:
    """What a condition gives on its face over the time span: a pulse that comes later is as large as it will be, and its tail at the start no contradiction."""
    if Symbol("t") not in row.expression.symbols:
        return np.zeros(1)
    points = face_grid(problem, face, tuple(np.linspace(*problem.time, TIMES)))
    return row.magnitude(points, {jet: np.zeros(len(points)) for jet in row.jets})


def _row_gap(problem: Problem, row: Row, face: str, points: np.ndarray, jump: bool) -> Iterator[Gap]:
    """The largest residual of a boundary row for the initial data, relative to the size of its terms anywhere."""
    everywhere = grid(problem.domain, problem.time[0])
    here, there = {}, {}
    for jet in row.jets:
        datum = problem.initial_data.get((jet.unknown, jet.index[-1]))
        datum = datum.derivative(jet.index[:-1]) if datum else None
        if datum is None:
            return
        here[jet], there[jet] = datum.part(points, jet.field), datum.part(everywhere, jet.field)
    sizes = [row.magnitude(points, here), row.magnitude(everywhere, there), _given_later(problem, row, face)]
    size = max(np.max(s[np.isfinite(s)], initial=0.0) for s in sizes)
    yield from _largest(row.residual(points, here), size, points, f"{row.label} and `initial`", problem, jump)


def _periodic_gaps(problem: Problem) -> Iterator[Gap]:
    """Jumps of initial data and their derivatives across a periodic axis, up to the first one that counts."""
    for i, axis in enumerate(problem.domain.names):
        for (name, _), datum in problem.initial_data.items() if axis in problem.periodic else ():
            highest = max((problem.space_order(i, f) for f in problem.fields_of(name)), default=0)
            for order in range(max(1, highest)):
                found = list(_periodic_gap(problem, datum, i, order))
                if found:
                    yield from found
                    break


def _periodic_gap(problem: Problem, datum: Datum, axis: int, order: int) -> Iterator[Gap]:
    box = problem.domain
    derivative = datum.derivative([order if i == axis else 0 for i in range(box.dimension)])
    if derivative is None:
        return
    everywhere, length = grid(box, problem.time[0]), box.upper[axis] - box.lower[axis]
    low, high = everywhere.copy(), everywhere.copy()
    low[:, axis], high[:, axis] = box.lower[axis], box.upper[axis]
    # Far below the size of the data themselves a difference of high derivatives is rounding.
    size = max(np.max(np.abs(derivative(everywhere))), np.max(np.abs(datum(everywhere))) / length**order)
    which = f", derivative {order}," if order else ""
    what = f"`boundary` (`{box.names[axis]}` periodic) and {datum.what}{which}"
    yield from _largest(derivative(high) - derivative(low), size, high, what, problem)


def _largest(
    gaps: np.ndarray, size: float, points: np.ndarray, what: str, problem: Problem, jump: bool = True
) -> Iterator[Gap]:
    """The largest gap relative to a size, where it is worth a warning; nothing where it cannot be computed."""
    if np.all(np.isfinite(gaps)) and np.isfinite(size) and size > 0:
        worst = int(np.argmax(np.abs(gaps)))
        relative = float(abs(gaps[worst]) / size)
        if relative > NOTED:
            yield Gap(what, relative, _place(points[worst], problem), jump)


def _place(point: np.ndarray, problem: Problem) -> str:
    """A point in words; what is rounding, relative to the domain, is zero."""
    start, end = problem.time
    lengths = [*(problem.domain.upper - problem.domain.lower), end - start]
    named = zip((*problem.domain.names, "t"), point, lengths, strict=True)
    return ", ".join(
        f"{name}={value if abs(value) > 1e-12 * length else 0:g}"
        for name, value, length in named
        if name.isidentifier()  # ordinary equations have a place without a name
    )
