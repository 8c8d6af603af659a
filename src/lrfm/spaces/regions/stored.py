# SPDX-License-Identifier: MIT
"""Families of functions as plain arrays and back; what is read is checked, since evaluation trusts it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from lrfm.problem.shapes.protocol import is_layered
from lrfm.spaces.regions.basis import RegionBasis
from lrfm.spaces.regions.families import (
    CornerPower,
    Decays,
    Family,
    Inverted,
    Logarithm,
    Poles,
    Ridges,
    Singular,
)
from lrfm.spaces.regions.layered import LayeredFamilies
from lrfm.spaces.stored import check_array

RIDGES = {"center", "half", "weights", "biases"}
INVERTED = {"pole", "weights", "biases"}  # `pole`: the center and the radius
SOURCE = {"source", *RIDGES}  # `source`: the center and the radius
CORNER = {"corner", *RIDGES}  # `corner`: the center, direction, radius, exponent and phase
POLES = {
    "poles",
    *RIDGES,
}  # `poles`: the center and the radius of each, which has the same number of functions
WALL = {
    "wall",
    "rates",
}  # `wall`: a point, the normal and the radius; beside it the arrays of ridges or of inverted ones


def basis_record(basis: RegionBasis) -> dict[str, object]:
    """What evaluation needs, as arrays; of layers, which they are and how many families each has."""
    families, layers, whole = list(basis.families), {}, basis.families[0]
    if isinstance(whole, LayeredFamilies):
        families = [family for members in whole.members for family in members]
        layers = {"layers": {"domain": dict(whole.domain.record), "counts": [len(m) for m in whole.members]}}
    return {"families": [_record(family) for family in families], "mixing": basis.mixing, **layers}


def _record(family: Family) -> dict[str, np.ndarray]:
    if isinstance(family, Ridges):
        return {name: getattr(family, name) for name in sorted(RIDGES)}
    if isinstance(family, Inverted):
        pole = np.append(family.center, family.radius)
        return {"pole": pole, "weights": family.weights, "biases": family.biases}
    assert isinstance(family, Singular)
    factor, smooth = family.factor, _record(family.ridges)
    if isinstance(factor, Logarithm):
        return {"source": np.append(factor.center, factor.radius), **smooth}
    if isinstance(factor, Decays):
        wall = np.concatenate([factor.point, factor.normal, [factor.radius]])
        return {"wall": wall, "rates": factor.rates, **smooth}
    if isinstance(factor, Poles):
        return {"poles": np.column_stack([factor.centers, factor.radii]), **smooth}
    numbers = [*factor.center, factor.direction, factor.radius, factor.exponent, factor.phase]
    return {"corner": np.array(numbers), **smooth}


def basis_from(
    families: Sequence[Mapping[str, np.ndarray]],
    mixing: np.ndarray,
    layers: Mapping[str, Any] | None = None,
) -> RegionBasis:
    """Functions that can be evaluated; they have no quadrature. ValueError where they could not be."""
    found = [_family(dict(given)) for given in families]
    if not found or mixing.ndim != 2 or not mixing.size:
        raise ValueError("there are no functions")
    dimensions = {_dimension(family) for family in found}
    if len(dimensions) != 1:
        raise ValueError("families of functions are not of one number of axes")
    check_array("mixing", mixing, (sum(family.size for family in found), mixing.shape[1]))
    none = np.zeros((0, dimensions.pop()))
    if layers is not None:
        found = [_layered(found, none.shape[1], **layers)]
    return RegionBasis(tuple(found), mixing, (), none, np.zeros((mixing.shape[1], 0)), (none, np.zeros(0)))


def _layered(
    families: Sequence[Family], dimension: int, domain: Mapping[str, Any], counts: Sequence[int]
) -> LayeredFamilies:
    """Families by layer; the domain says in which one a point is."""
    from lrfm.problem.shapes.records import from_record  # all shapes, which a box has no use for

    whole = from_record(domain)
    if not is_layered(whole) or whole.dimension != dimension or len(counts) != len(whole.layers):
        raise ValueError("the layers of functions are not those of a domain")
    if not all(type(n) is int and n >= 1 for n in counts) or sum(counts) != len(families):
        raise ValueError("the families of functions are not those of the layers")
    edges = np.cumsum([0, *counts])
    return LayeredFamilies(whole, tuple(tuple(families[a:b]) for a, b in pairwise(edges)))


def _dimension(family: Family) -> int:
    ridges = family.ridges if isinstance(family, Singular) else family
    assert isinstance(ridges, Ridges | Inverted)
    return ridges.weights.shape[1]


def _family(given: dict[str, np.ndarray]) -> Family:
    weights = given.get("weights", np.zeros(0))
    if weights.ndim != 2 or weights.shape[1] < 1:
        raise ValueError("`weights` of a family are not a table")
    count, axes = weights.shape
    shapes = {
        "weights": (count, axes),
        "biases": (count,),
        "center": (axes,),
        "half": (axes,),
        "pole": (axes + 1,),
        "source": (axes + 1,),
        "corner": (axes + 4,),
        "poles": (len(given.get("poles", ())), axes + 1),
        "wall": (2 * axes + 1,),
        "rates": (count,),
    }
    if given.keys() not in (RIDGES, INVERTED, SOURCE, CORNER, POLES, WALL | RIDGES, WALL | INVERTED):
        raise ValueError("a family of functions has other arrays than one kind has")
    for name, array in given.items():
        check_array(name, array, shapes[name])
    return _built(given, axes)


def _built(given: dict[str, np.ndarray], axes: int) -> Family:
    """The family of checked arrays."""
    if "wall" in given:
        wall, rates = given.pop("wall"), given.pop("rates")
        _positive(rates=np.min(rates))
        smooth = _built(given, axes)
        assert isinstance(smooth, Ridges | Inverted)
        return Singular(Decays(wall[:axes], wall[axes:-1], float(wall[-1]), rates), smooth)
    if "pole" in given:
        pole = given["pole"]
        _positive(radius=pole[-1])
        return Inverted(pole[:-1], float(pole[-1]), given["weights"], given["biases"])
    _positive(half=np.min(given["half"]))
    ridges = Ridges(**{name: given[name] for name in RIDGES})
    if "source" in given:
        source = given["source"]
        _positive(radius=source[-1])
        return Singular(Logarithm(source[:-1], float(source[-1])), ridges)
    if "corner" in given:
        if axes != 2:
            raise ValueError("a corner is not in the plane")
        direction, radius, exponent, phase = map(float, given["corner"][2:])
        _positive(radius=radius, exponent=exponent)
        return Singular(CornerPower(given["corner"][:2], direction, radius, exponent, phase), ridges)
    if "poles" in given:
        if axes != 2:
            raise ValueError("poles are not in the plane")
        poles = given["poles"]
        each, left = divmod(ridges.size, max(1, 2 * len(poles)))
        if left or not each:
            raise ValueError(
                f"{ridges.size} functions are not the same number for each of {len(poles)} poles"
            )
        _positive(radius=np.min(poles[:, 2]))
        return Singular(Poles(poles[:, :2], poles[:, 2], each), ridges)
    return ridges


def _positive(**values: float) -> None:
    for name, value in values.items():
        if not value > 0:
            raise ValueError(f"`{name}` is {value}, where a positive number is needed")
