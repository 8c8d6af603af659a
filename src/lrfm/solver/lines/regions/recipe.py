# SPDX-License-Identifier: MIT
"""Bases of a region by what they follow from: a file keeps that, and they are drawn again, bit for bit.

basis = draw(how many functions, how steep, of which kinds, on how many points, cut where, from where in the stream of random numbers)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lrfm.solution.io.fields import checked
from lrfm.solver.lines.form import Form, Unsuited
from lrfm.solver.lines.regions.features import Draught, Extras
from lrfm.solver.lines.regions.system import RegionSystem
from lrfm.solver.lines.regions.traces import own_slopes, trace_of
from lrfm.solver.lines.stream import at_place, check_place, place_of
from lrfm.spaces.regions.basis import RegionBasis
from lrfm.spaces.stored import check_array

if TYPE_CHECKING:
    from lrfm.solver.lines.regions.choice import RegionChooser

MOST = 100_000  # functions, and points for each of them, beyond which no file is believed


@dataclass(frozen=True)
class Drawn:
    """A draught as plain data; `kinds` says whether there are functions of corners, of centers, of poles and of layers beside ridges."""

    ridges: int
    slope: float
    kinds: list[bool]

    def __post_init__(self) -> None:
        if not 0 < self.ridges < MOST or not 0 < self.slope < np.inf or len(self.kinds) != 4:
            raise ValueError("functions of a region are not those of a draw")

    @staticmethod
    def of(draught: Draught) -> Drawn:
        return Drawn(draught.ridges, float(draught.slope), _kinds(draught.extras))

    def draught(self, chooser: RegionChooser) -> Draught:
        """The draught again, with the corners, centers, poles and walls of the chooser's domain."""
        options = [extras for extras in chooser._options() if _kinds(extras) == self.kinds]
        if not options:
            raise ValueError("functions of a region are of a kind that its domain does not ask for")
        return Draught(ridges=self.ridges, slope=self.slope, extras=options[0], layers=chooser.layers)


def _kinds(extras: Extras) -> list[bool]:
    return [bool(extras.corners), bool(extras.centers), bool(extras.poles), bool(extras.walls)]


@dataclass(frozen=True)
class Recipe:
    """What one basis was drawn from."""

    drawn: dict
    points: float
    cut: float
    random: list[int]

    def __post_init__(self) -> None:
        _check_points(self.points, self.cut)
        check_place(self.random)


def recipe_of(chooser: RegionChooser, draught: Draught) -> Recipe:
    """What the next draw of a chooser follows from."""
    drawn = asdict(Drawn.of(draught))
    return Recipe(drawn, float(chooser.points), float(chooser.cut), place_of(chooser.rng))


def draw_again(chooser: RegionChooser, given: Mapping[str, Any]) -> RegionBasis:
    """The basis of a recipe; the chooser has its system, and goes on from where it was."""
    recipe = checked(Recipe)(**given)
    draught = checked(Drawn)(**recipe.drawn).draught(chooser)
    own = chooser.points, chooser.cut, chooser.rng
    chooser.points, chooser.cut = recipe.points, recipe.cut
    chooser.rng = at_place(np.random.default_rng(0), recipe.random)
    try:
        return chooser._draw(draught)
    finally:
        chooser.points, chooser.cut, chooser.rng = own


def system_on(choosers: Sequence[RegionChooser], form: Form, basis: RegionBasis) -> RegionSystem:
    """The projected rows of a form on a basis that one of the choosers drew for another form with the same conditions.

    B₀, the terms of conditions that take functions, is that of the chooser's form.
    """
    if basis.recipe is None:
        raise Unsuited(
            "The functions of the solution were read from a file, without what they were drawn from."
        )
    for chooser in choosers:
        draught = checked(Drawn)(**basis.recipe["drawn"]).draught(chooser)
        borders = chooser._borders(draught)
        parts = [[chooser.form.conditions[i].part for i in kind.numbers] for kind in chooser.kinds]
        rows = [sum(len(borders[part][0]) for part in kind) for kind in parts]
        if draught.features == basis.features and rows == [split.rows.shape[1] for split in basis.splits]:
            slopes = own_slopes(chooser.form, chooser.data, borders)
            given = chooser.form, slopes, borders, basis.families
            units = [trace_of(given[0], kind, *given[1:])[1] for kind in chooser.kinds]
            return RegionSystem(form, basis, chooser.kinds, borders, units, slopes, chooser.naturals)
    raise Unsuited("The functions of the solution were drawn for another tolerance.")


def transfer(old: RegionBasis, new: RegionBasis, coefficients: np.ndarray) -> np.ndarray:
    """Coefficients (…, R) of the same functions in another basis, by projection."""
    zero = (0,) * new.points.shape[1]
    flat = coefficients.reshape(-1, old.size)
    values = old.sums(new.points, [zero], flat)[zero]
    return new.project(values).reshape(*coefficients.shape[:-1], new.size)


def lost(old: RegionBasis, new: RegionBasis, states: Sequence[np.ndarray]) -> float:
    """How much of some states a new basis does not hold, on its fresh points."""
    zero, rows = (0,) * new.points.shape[1], np.concatenate(list(states))
    grid, weights = new.fresh
    kept = grid.evaluate(transfer(old, new, rows), zero)
    exact = old.sums(grid.points, [zero], rows)[zero]
    gaps = np.sqrt(np.sum(weights * (kept - exact) ** 2, axis=1))
    return float(np.max(gaps / np.maximum(np.sqrt(np.sum(weights * exact**2, axis=1)), 1e-300)))


@dataclass(frozen=True)
class Searched:
    """What the search of a draw came to."""

    draught: Draught
    score: float
    passed_on: float


@dataclass(frozen=True)
class Place:
    """What a chooser has come to: what it drew last, where it would draw next, and what the search for its tolerance found."""

    last: dict
    points: float
    cut: float
    growth: float
    undamped: bool
    passed_on: float
    sizes: np.ndarray
    searched: dict | None
    score: float

    def __post_init__(self) -> None:
        _check_points(self.points, self.cut)


def place_of_chooser(chooser: RegionChooser) -> dict[str, Any]:
    """All that its next draw depends on, beside the stream of random numbers."""
    last, searched = chooser._draught, chooser.form.found.get(("searched", chooser.rules.tol))
    assert last is not None
    place = Place(
        last=asdict(Drawn.of(last)),
        points=float(chooser.points),
        cut=float(chooser.cut),
        growth=float(chooser._growth),
        undamped=chooser._undamped,
        passed_on=float(chooser.passed_on),
        sizes=np.array(chooser.sizes),
        searched=None if searched is None else asdict(Drawn.of(searched.draught)),
        score=np.inf if searched is None else float(searched.score),
    )
    return dict(vars(place))


def put_back(chooser: RegionChooser, given: Mapping[str, Any]) -> None:
    """Bring a chooser to a place, and tell other draws of its form what the search has found."""
    place = checked(Place)(**given)
    check_array("sizes", place.sizes, (len(chooser.form.components),))
    chooser._draught = checked(Drawn)(**place.last).draught(chooser)
    chooser.points, chooser.cut, chooser.passed_on = place.points, place.cut, place.passed_on
    chooser._growth, chooser._undamped = place.growth, place.undamped
    chooser.sizes = np.array(place.sizes)
    if place.searched is not None:
        draught = checked(Drawn)(**place.searched).draught(chooser)
        chooser.found_before(draught, place.score, place.passed_on)


def _check_points(points: float, cut: float) -> None:
    if not 0 < points < MOST or not 0 < cut < 1:
        raise ValueError("functions of a region have no points")
