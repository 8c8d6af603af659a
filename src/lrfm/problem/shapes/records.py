# SPDX-License-Identifier: MIT
"""Shapes as plain data and back: what statement files, saved solutions and other processes are given.

{"shape": "difference", "of": [{"shape": "Box", "x": [-2, 2], …}, {"shape": "Disk", "radius": 0.4, …}]}
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any

from lrfm.problem.domain import Box
from lrfm.problem.errors import ProblemError, listing, shown, suggest
from lrfm.problem.shapes import known, made
from lrfm.problem.shapes.region import Region
from lrfm.problem.shapes.shape import Shape

KINDS: dict[str, Callable[..., Any]] = {
    "Box": Box,
    "Region": Region,
    "Polygon": made.Polygon,
    "Cylinder": made.Cylinder,
    **{
        name: getattr(known, name)
        for name in ("Disk", "Ellipse", "Annulus", "Sector", "Ball", "Ellipsoid", "HalfSpace")
    },
}
COMBINED: dict[str, Callable[[Any, Any], Any]] = {
    "union": lambda a, b: a | b,
    "intersection": lambda a, b: a & b,
    "difference": lambda a, b: a - b,
}
CHANGED: dict[str, Callable[..., Any]] = {
    "part": lambda of, name, where: of.part(name, where),
    "shifted": lambda of, by: of.shifted(*by),
    "scaled": lambda of, by: of.scaled(by),
    "rotated": lambda of, angle, axis=None: of.rotated(angle, axis),
}
DEPTH = 60
MEANT = {
    **dict.fromkeys(("circle", "disc", "round"), "Disk"),
    **dict.fromkeys(("rectangle", "square", "interval", "cube", "cuboid", "rect"), "Box"),
    **dict.fromkeys(("sphere",), "Ball"),
    **dict.fromkeys(("ring",), "Annulus"),
    **dict.fromkeys(("triangle", "lshape"), "Polygon"),
    **dict.fromkeys(("tube", "rod"), "Cylinder"),
}  # what people call shapes elsewhere


def from_record(record: object, depth: int = 0) -> Any:
    """The shape that a record describes; ProblemError says what is wrong with it."""
    if depth > DEPTH:
        raise ProblemError(f"A shape is made of others more than {DEPTH} levels deep.")
    if not isinstance(record, Mapping) or not isinstance(record.get("shape"), str):
        raise ProblemError(
            f"A shape was given as {shown(record)}; expected a table with `shape`, such as Disk."
        )
    word, given = record["shape"], {k: v for k, v in record.items() if k != "shape"}
    valid = {w.lower(): w for w in (*KINDS, "Prism", "Mesh", "Layers", *COMBINED, *CHANGED)}
    name = valid.get(word.lower())
    if name is None:
        meant = MEANT.get(word.lower())
        hint = f" Write `{meant}`." if meant else suggest(word, valid.values())
        raise ProblemError(f"`shape` is {shown(word)}; expected one of {listing(valid.values())}.{hint}")
    try:
        return _built(name, given, depth)
    except (TypeError, ValueError, OverflowError) as error:
        if isinstance(error, ProblemError):
            raise
        raise ProblemError(
            f"The shape `{name}` was given {listing(given)}, which do not fit: {str(error).rstrip('.')}."
        ) from None


def _built(name: str, given: dict[str, Any], depth: int) -> Any:
    if name in COMBINED:
        parts = given.pop("of", ())
        if given or not isinstance(parts, list | tuple) or len(parts) < 2:
            raise ProblemError(
                f"The shape `{name}` takes `of`, a list of at least two shapes, and nothing else."
            )
        return reduce(COMBINED[name], [_shape(from_record(p, depth + 1)) for p in parts])
    if name in CHANGED:
        return CHANGED[name](_shape(from_record(given.pop("of", None), depth + 1)), **given)
    if name == "Layers":
        from lrfm.problem.shapes.layers import Layers

        return Layers(**{str(layer): _layer(of, depth) for layer, of in given.items()})
    if name == "Prism":
        return made.Prism(from_record(given.pop("base", None), depth + 1), **_plain(given))
    if name == "Mesh":
        from lrfm.problem.shapes.mesh import Mesh

        return Mesh(given.pop("vertices", None), given.pop("faces", None), **_plain(given))
    if name in ("Polygon", "Region"):
        first = given.pop("vertices" if name == "Polygon" else "text", None)
        return KINDS[name](first, **_plain(given))
    return KINDS[name](**_plain(given))


def _layer(given: object, depth: int) -> Any:
    """One layer: a shape, or a box by its axes."""
    if isinstance(given, Mapping) and "shape" not in given:
        given = {"shape": "Box", **given}
    return from_record(given, depth + 1)


def _plain(given: dict[str, Any]) -> dict[str, Any]:
    """Keywords as Python takes them."""
    return {str(key): value for key, value in given.items()}


def _shape(domain: Any) -> Shape:
    return domain.shape


def again(record: Mapping[str, Any], span: tuple[float, float] | None) -> Shape:
    """A shape that was sent to another process."""
    shape = from_record(record).shape
    return shape if span is None else shape.during(span)


def spelled(record: Mapping[str, Any]) -> str:
    """A record as Python writes the shape; `read_shape` reads it back."""
    word = record["shape"]
    if word in COMBINED:
        sign = {"union": " | ", "intersection": " & ", "difference": " - "}[word]
        return sign.join(f"({spelled(p)})" if p["shape"] in COMBINED else spelled(p) for p in record["of"])
    given = [
        f"{k}={spelled(v) if isinstance(v, Mapping) and 'shape' in v else _short(v)}"
        for k, v in record.items()
        if k not in ("shape", "of")
    ]
    if word in CHANGED:
        of = spelled(record["of"])
        by = _short(record["by"])[1:-1] if word == "shifted" else ", ".join(given)
        return f"{f'({of})' if record['of']['shape'] in COMBINED else of}.{word}({by})"
    return f"{word}({', '.join(given)})"


def _short(value: object) -> str:
    if isinstance(value, float):
        return repr(int(value)) if value.is_integer() and abs(value) < 1e6 else repr(value)
    if isinstance(value, list | tuple):
        return f"({', '.join(map(_short, value))}{',' if len(value) == 1 else ''})"
    return shown(value)
