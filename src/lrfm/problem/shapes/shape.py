# SPDX-License-Identifier: MIT
"""A domain of any shape: a tree of simple sets, the parts of its boundary, and rules for points (see `protocol`)."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lrfm.problem.calls import is_real, naming
from lrfm.problem.errors import ProblemError, listing, shown
from lrfm.problem.shapes import solid
from lrfm.problem.shapes.fan import center_of, fan
from lrfm.problem.shapes.given import name_of, vector
from lrfm.problem.shapes.inequalities import read_set
from lrfm.problem.shapes.line import ends, intervals
from lrfm.problem.shapes.parts import SheetPart, check_axes, groups_of, named
from lrfm.problem.shapes.patience import patient
from lrfm.problem.shapes.pieces import (
    BESIDE,
    Sheet,
    Stretch,
    along,
    corners_of,
    distance,
    on_boundary,
    sheets_of,
    stretches,
)
from lrfm.problem.shapes.protocol import BoundaryRule, Corner, Rule, Time
from lrfm.problem.shapes.rules import OwnRule, Stacked
from lrfm.problem.shapes.scan import farthest, scan
from lrfm.problem.shapes.tree import Both, Either, Tree, Without

MEASURED = 3000  # points by which a length, area or volume is measured
AROUND = 96  # points on a stretch of the boundary for the area inside
TIMES = 9  # at which a moving domain is looked at
CACHED = 64  # times whose boundary is remembered


class Recorded:
    """A domain with `names`, `lower` and `upper`, which is what its `record` says."""

    names: tuple[str, ...]

    @property
    def dimension(self) -> int:
        return len(self.names)

    @property
    def axes(self: Any) -> dict[str, tuple[float, float]]:
        return {n: (float(a), float(b)) for n, a, b in zip(self.names, self.lower, self.upper, strict=True)}

    def __eq__(self: Any, other: Any) -> bool:
        return isinstance(other, Recorded) and self.record == other.record  # type: ignore[attr-defined]

    def __hash__(self: Any) -> int:
        return hash(repr(self.record))

    def _repr_svg_(self: Any) -> str | None:
        from lrfm.problem.shapes.drawing import svg

        return svg(self)

    def __repr__(self: Any) -> str:
        from lrfm.problem.shapes.records import spelled

        return spelled(self.record)


@naming
class Shape(Recorded):
    """Ω = {x : inside}, made of simple sets by ``|``, ``&`` and ``-``.

    Made by `Disk`, `Polygon`, `Region` and the others; it can be asked what `lrfm.problem.shapes.protocol.Domain` has.

    Examples
    --------
    >>> import lrfm
    >>> plate = lrfm.Box(x=(-2, 2), y=(-1, 1), name="plate") - lrfm.Disk(center=(0.3, 0), radius=0.4, name="hole")
    >>> list(plate.parts)
    ['plate.x-', 'plate.x+', 'plate.y-', 'plate.y+', 'hole']
    >>> round(plate.measure(), 10) == round(8 - 0.16 * 3.141592653589793, 10)
    True
    >>> plate.contains([[0.3, 0.1], [1.0, 0.0]])
    array([False,  True])
    """

    is_box = False

    def __init__(
        self,
        tree: Tree,
        names: Sequence[str],
        record: Mapping[str, Any],
        *,
        rule: OwnRule | None = None,
        cuts: Sequence[tuple[str, Tree]] = (),
        span: tuple[float, float] | None = None,
    ):
        self.tree, self.names, self.record = tree, tuple(names), dict(record)
        check_axes(self.names, rule)
        self._rule, self._cuts, self._span = rule, tuple(cuts), span
        self._sheets = sheets_of(tree)
        self._remembered: dict[float | None, list[Stretch]] = {}
        self._centers: dict[float | None, np.ndarray | None] = {}
        self._rules: dict[int, Rule] = {}

    # What it is ---------------------------------------------------------------------------------------------

    @cached_property
    def moving(self) -> bool:
        return any(sheet.level.moving for sheet in self._sheets)

    @property
    def stacked(self) -> bool:
        """Whether it is a base times an interval, and its rule a product of theirs."""
        return isinstance(self._rule, Stacked)

    @property
    def lower(self) -> np.ndarray:
        return self._bounds[0]

    @property
    def upper(self) -> np.ndarray:
        return self._bounds[1]

    @cached_property
    def _box(self) -> tuple[np.ndarray, np.ndarray]:
        low, high = self.tree.bounds
        if not (np.all(np.isfinite(low)) and np.all(np.isfinite(high))):
            raise ProblemError(
                f"The domain {self!r} has no end: it reaches from {_numbers(low)} to {_numbers(high)}; cut it, for example "
                "with `& lrfm.Box(...)`."
            )
        if not np.all(low < high):
            raise self._empty()
        return low, high

    @cached_property
    def _bounds(self) -> tuple[np.ndarray, np.ndarray]:
        low, high = (np.array(end) for end in self._box)
        if self.dimension == 2 and not self.moving:
            seen = np.vstack([farthest(s) for s in self.stretches(None)] or [np.zeros((0, 2))])
            if not len(seen):
                raise self._empty()
            size = high - low
            tight = [(seen.min(axis=0), low), (seen.max(axis=0), high)]
            # Up to a hundredth the ends that were written down are kept; they are rounder.
            low, high = (np.where(np.abs(a - b) < 0.01 * size, b, a) for a, b in tight)
        low.flags.writeable = high.flags.writeable = False
        return low, high

    def _empty(self) -> ProblemError:
        return ProblemError(
            f"The domain {self!r} is empty: no point is inside. Check its inequalities, places and sizes."
        )

    def during(self, time: tuple[float, float]) -> Shape:
        """The same for a span of time, in which a moving domain is looked at."""
        if not self.moving:
            return self
        other = self._copy()
        other._span = (float(time[0]), float(time[1]))
        return other

    @property
    def _times(self) -> list[float | None]:
        if not self.moving:
            return [None]
        return [float(t) for t in np.linspace(*(self._span or (0.0, 1.0)), TIMES)]

    # Inside -------------------------------------------------------------------------------------------------

    def contains(self, points: ArrayLike, t: Time = None) -> np.ndarray:
        places = np.asarray(points, dtype=float)
        when = None if t is None else np.broadcast_to(np.asarray(t, dtype=float), (len(places),))
        found = self.tree.inside(places, when)
        left, size = np.flatnonzero(~found), float(np.linalg.norm(self._box[1] - self._box[0]))
        at = None if when is None else when[left]
        for sheet in self._sheets if len(left) else ():
            # On the boundary up to rounding: a step inwards leads inside.
            near = np.abs(distance(sheet.level, places[left], at)) < BESIDE * size
            if near.any():
                some = left[near]
                then = None if when is None else when[some]
                step = 2 * BESIDE * size * sheet.normals(places[some], then)
                found[some] |= self.tree.inside(places[some] - step, then)
        return found

    def quadrature(self, n: int, rng: np.random.Generator | None = None, t: float | None = None) -> Rule:
        if self._rule is not None or rng is not None or self.moving:
            return self._made(n, rng, t) if self._rule is None else self._rule(n, rng)
        if n not in self._rules:  # many holes take a second, and checks ask often
            self._rules = {**dict(list(self._rules.items())[-8:]), n: self._made(n, None, None)}
        return Rule(*(a.copy() for a in self._rules[n]))

    @patient
    def _made(self, n: int, rng: np.random.Generator | None, t: float | None) -> Rule:
        if self.dimension == 1:
            found = np.vstack([self._ends(sheet, t) for sheet in self._sheets])
            if not len(found):
                when = "" if t is None else f" at t = {t:g}"
                raise ProblemError(
                    f"The domain {self!r} is empty{when}: no point is inside. Check its inequalities, and end `time` before it vanishes."
                )
            return intervals(found, n, rng)
        inside = lambda points: self.tree.inside(points, t)  # noqa: E731
        if self.dimension == 2:
            center = self._center(t, found := self._some_boundary(t))
            return scan(found, inside, n, rng) if center is None else fan(found, center, n, rng)
        found = solid.rays(inside, self._box, n, rng)
        if not len(found.weights):
            raise self._empty()
        return found

    def measure(self, t: float | None = None) -> float:
        if self._rule is None and self.dimension == 2:
            # |Ω| = ½ ∮ x·n ds: the boundary is smooth piece by piece, whatever it encloses.
            pieces = self._some_boundary(t)
            points, weights, normals = along(pieces, AROUND * len(pieces), None, t)
            return 0.5 * float(weights @ np.sum(points * normals, axis=1))
        return float(self.quadrature(MEASURED, None, t).weights.sum())

    # Boundary -----------------------------------------------------------------------------------------------

    @patient
    def stretches(self, t: float | None) -> list[Stretch]:
        """In the plane: the curves that are its boundary at a time."""
        key = t if self.moving else None
        if key not in self._remembered:
            levels = [level for _, cut in self._cuts for s, _ in cut.leaves() for level in s.levels]
            if len(self._remembered) > CACHED:
                self._remembered.clear()
            self._remembered[key] = stretches(self.tree, self._sheets, levels, t, self._box)
        return self._remembered[key]

    def _some_boundary(self, t: float | None) -> list[Stretch]:
        found = self.stretches(t)
        if not found:
            raise self._empty()
        return found

    def _center(self, t: float | None, found: list[Stretch]) -> np.ndarray | None:
        key = t if self.moving else None
        if key not in self._centers:
            self._centers = {**self._centers, key: center_of(found)} if len(self._centers) < CACHED else {}
        return self._centers.get(key)

    def _ends(self, sheet: Sheet, t: float | None) -> np.ndarray:
        return ends(self.tree, self._sheets, sheet, t, self._box)

    def _cut_of(self, points: np.ndarray, t: float | None) -> np.ndarray:
        """The number of the cut that each point of the boundary belongs to, −1 for none; later cuts come first."""
        owner = np.full(len(points), -1)
        for number, (_, cut) in enumerate(self._cuts):
            owner[cut.inside(points, t)] = number
        return owner

    def on_sheet(
        self, sheet: Sheet, cut: str | None, n: int, rng: np.random.Generator | None, t: float | None
    ) -> BoundaryRule:
        """About n points of a sheet, as far as it is boundary and has this cut's name."""
        wanted = -1 if cut is None else [name for name, _ in self._cuts].index(cut)
        if self.dimension == 2:
            mine = [s for s in self.stretches(t) if s.sheet is sheet]
            middles = np.vstack([s.points(np.array([0.5])) for s in mine] or [np.zeros((0, 2))])
            mine = [s for s, owner in zip(mine, self._cut_of(middles, t), strict=True) if owner == wanted]
            return along(mine, n, rng, t) if mine else _nothing(2)
        if self.dimension == 1:
            points = self._ends(sheet, t)
            weights = np.ones(len(points))
        else:
            points, weights = self._surface(sheet, n, rng, t)
        keep = self._cut_of(points, t) == wanted
        return BoundaryRule(points[keep], weights[keep], sheet.normals(points[keep], t))

    def _surface(self, sheet: Sheet, n: int, rng: np.random.Generator | None, t: float | None) -> Rule:
        """Points of a sheet in space that are boundary; asked for again where much of the sheet is not."""
        size, wanted = float(np.linalg.norm(self._box[1] - self._box[0])), n
        for _ in range(3):
            rule = sheet.simple.surface(sheet.number, wanted, rng)
            if rule is None:
                rule = solid.sheet_points(sheet.level, t, self._box, wanted, rng)
            keep = on_boundary(self.tree, self._sheets, sheet, rule.points, t, size)
            count = int(keep.sum())
            if count == 0 or count >= 0.5 * n:
                break
            wanted = min(round(wanted * n / count), 40 * n)
        return Rule(rule.points[keep], rule.weights[keep])

    @cached_property
    def parts(self) -> dict[str, SheetPart]:
        found: dict[tuple[int, int], None] = {}
        for t in self._times:
            for number, sheet in enumerate(self._sheets):
                for owner in sorted(self._owners(sheet, t)):
                    found.setdefault((number, owner))
        pairs = [(self._sheets[i], self._cuts[k][0] if k >= 0 else None) for i, k in sorted(found)]
        return {name: SheetPart(name, self, *pair) for name, pair in named(pairs).items()}

    def _owners(self, sheet: Sheet, t: float | None) -> set[int]:
        """Which cuts a sheet has points of, −1 for itself."""
        if self.dimension == 1:
            points = self._ends(sheet, t)
        elif self.dimension == 2:
            mine = [s.points(np.array([0.5])) for s in self.stretches(t) if s.sheet is sheet]
            points = np.vstack(mine or [np.zeros((0, 2))])
        else:
            points = self._surface(sheet, 600, None, t).points
        return {int(k) for k in np.unique(self._cut_of(points, t))}

    @cached_property
    def groups(self) -> Mapping[str, tuple[str, ...]]:
        return groups_of(self.parts, self.names)

    @cached_property
    def corners(self) -> tuple[Corner, ...]:
        if self.dimension != 2 or self.moving:
            return ()
        names = {(id(part.sheet), part.cut): name for name, part in self.parts.items()}
        found = self.stretches(None)
        owners = self._cut_of(np.vstack([s.points(np.array([0.5])) for s in found]), None)
        cuts = [self._cuts[k][0] if k >= 0 else None for k in owners]
        return corners_of(found, [names[id(s.sheet), c] for s, c in zip(found, cuts, strict=True)])

    # Made of others -----------------------------------------------------------------------------------------

    @property
    def shape(self) -> Shape:
        """Itself; a box gives itself as a shape."""
        return self

    def _combined(self, other: Any, kind: type, word: str) -> Shape:
        if not hasattr(other, "shape") or not isinstance(other.shape, Shape):
            raise ProblemError(f"A shape was combined with {shown(other)}; expected another shape or a box.")
        other = other.shape
        if other.names != self.names:
            raise ProblemError(
                f"Shapes with the axes {listing(self.names)} and {listing(other.names)} were combined; give both the same ones, "
                "in the same order, with `axes=`."
            )
        # a - b - c is one difference of three, so that a plate with a hundred holes is no tower of a hundred records.
        before = self.record["of"] if self.record["shape"] == word else [self.record]
        record = {"shape": word, "of": [*before, other.record]}
        return Shape(kind(self.tree, other.tree), self.names, record, cuts=(*self._cuts, *other._cuts))

    def __or__(self, other: Any) -> Shape:
        return self._combined(other, Either, "union")

    def __and__(self, other: Any) -> Shape:
        return self._combined(other, Both, "intersection")

    def __sub__(self, other: Any) -> Shape:
        return self._combined(other, Without, "difference")

    def part(self, name: str, where: str) -> Shape:
        """Give a name to the piece of the boundary where inequalities hold: ``.part("inlet", "x < -1.99 and abs(y) < 0.2")``."""
        cut = read_set(where, self.names, {}, f"The part `{name_of(name, 'a part')}`")
        record = {"shape": "part", "of": self.record, "name": name, "where": where}
        other = Shape(
            self.tree, self.names, record, rule=self._rule, cuts=(*self._cuts, (name, cut)), span=self._span
        )
        if other.dimension <= 2 and not other.moving and name not in (*other.parts, *other.groups):
            raise ProblemError(
                f"The part `{name}`, where {where}, has no points on the boundary of {self!r}; the bounding box is "
                f"{_numbers(self.lower)} to {_numbers(self.upper)}. Correct the inequality, or the units."
            )
        return other

    def shifted(self, *by: float) -> Shape:
        """x + by: ``.shifted(1, 0.5)``."""
        offset = vector("shifted", by, self.dimension)
        return self._placed(np.eye(self.dimension), offset, {"shape": "shifted", "by": offset.tolist()})

    def scaled(self, by: float) -> Shape:
        """by · x, about the origin."""
        if not is_real(by) or not 0 < by < np.inf:
            raise ProblemError(f"`scaled({shown(by)})`: the factor must be a positive number.")
        zero = np.zeros(self.dimension)
        return self._placed(float(by) * np.eye(self.dimension), zero, {"shape": "scaled", "by": float(by)})

    def rotated(self, angle: float, axis: str | None = None) -> Shape:
        """Turned by an angle in radians about the origin, from the first axis to the second; in space, about `axis`."""
        if self.dimension == 1:
            raise ProblemError("`rotated` needs two axes or three; this shape has one.")
        angle = float(vector("rotated", (angle,), 1)[0])
        if axis is not None and axis not in self.names:
            raise ProblemError(
                f"`rotated` was given the axis {shown(axis)}; the axes are {listing(self.names)}."
            )
        names = [n for n in self.names if n != (axis or self.names[-1] if self.dimension == 3 else None)]
        i, j = (self.names.index(n) for n in names[:2])
        matrix = np.eye(self.dimension)
        matrix[[i, i, j, j], [i, j, i, j]] = np.cos(angle), -np.sin(angle), np.sin(angle), np.cos(angle)
        record = {"shape": "rotated", "angle": angle} | ({"axis": axis} if axis else {})
        return self._placed(matrix, np.zeros(self.dimension), record)

    def _placed(self, matrix: np.ndarray, offset: np.ndarray, record: dict[str, Any]) -> Shape:
        return Shape(
            self.tree.placed(matrix, offset),
            self.names,
            {**record, "of": self.record},
            rule=None if self._rule is None else self._rule.placed(matrix, offset),
            cuts=[(name, cut.placed(matrix, offset)) for name, cut in self._cuts],
        )

    def _copy(self) -> Shape:
        other = copy.copy(self)
        gone = {"parts", "groups", "_bounds"} & self.__dict__.keys()
        other.__dict__ = {k: self.__dict__[k] for k in self.__dict__.keys() - gone} | {"_rules": {}}
        return other

    def __reduce__(self) -> tuple:
        from lrfm.problem.shapes.records import again

        return again, (self.record, self._span)


def _nothing(dimension: int) -> BoundaryRule:
    return BoundaryRule(np.zeros((0, dimension)), np.zeros(0), np.zeros((0, dimension)))


def _numbers(values: np.ndarray) -> str:
    return f"({', '.join(f'{v:g}' for v in values)})"
