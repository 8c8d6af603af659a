# SPDX-License-Identifier: MIT
"""Trees of frozen dataclasses as plain data and back: C(a=1) <-> {"$type": "C", "a": 1}.

    {"$type": name, ...}     a dataclass, by the fields of its constructor
    {"$array": name}         an array, kept apart under this name; equal arrays are kept once
    {"$tuple": [...]}        a tuple; a list is a list
    {"$function": name}      a function: only its name is kept, never its code
    {"$float": "inf"}        inf and nan, which JSON lacks; a tag, so that the text "inf" stays a text
    {"$complex": [re, im]}   a complex number

Decoding builds the classes it is given and no others. JSON writes finite floats with the shortest digits that give the
same float back, so every float64 survives bit for bit.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from hashlib import blake2b
from typing import Any, NoReturn

import numpy as np

from lrfm.problem.errors import clipped, short, shown
from lrfm.solution.io.archive import FileFormatError, check_numbers

_FLOATS = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}
BROKEN = (ArithmeticError, AttributeError, LookupError, MemoryError, RecursionError, TypeError, ValueError)
"""What code raises that was given values which do not belong together."""
Records = Mapping[type, Callable[[Any], Mapping[str, Any]]]


@dataclass(frozen=True)
class MissingFunction:
    """Stands where a function was when the file was written. It can be looked at, but not called."""

    name: str
    place: str = ""

    @property
    def __name__(self) -> str:
        return self.name

    def __call__(self, *arguments: Any, **named: Any) -> NoReturn:
        key = self.name if self.name.isidentifier() or not self.place else self.place
        raise RuntimeError(
            f"The function {self.name!r} is needed, but files do not store functions. "
            f"Give it again when loading: lrfm.load(path, functions={{{key!r}: ...}})."
        )


def encode(tree: Any, *, records: Records | None = None) -> tuple[Any, dict[str, np.ndarray]]:
    """Plain data for JSON, and the arrays of the tree by name. The name of an array says where it was met.

    `records` says how a class is written that is not a dataclass, or otherwise than one: as the keywords that build it again.

    >>> encode({"ends": (0.0, float("inf"))})
    ({'ends': {'$tuple': [0.0, {'$float': 'inf'}]}}, {})
    """
    encoder = _Encoder(records or {})
    return encoder.encode(tree, ""), encoder.arrays


def decode(
    plain: Any,
    arrays: Mapping[str, np.ndarray],
    classes: Mapping[str, Callable[..., Any]],
    *,
    functions: Mapping[str, Callable[..., Any]] | None = None,
) -> Any:
    """The tree that `encode` was given; arrays in it are read-only.

    Parameters
    ----------
    classes
        The only classes that are built, by name. Each is called with the stored fields as keywords, so its own checks run
        again; a factory with the same keywords will do where a class is built otherwise.
    functions
        Functions to put back, by their name or by their place in the tree ("problem.initial"); a function that is not here
        becomes a `MissingFunction`.
    """
    try:
        return _Decoder(arrays, classes, functions or {}).decode(plain, "")
    except RecursionError as problem:
        raise FileFormatError("The document is nested too deeply to be a solution.") from problem


class _Encoder:
    def __init__(self, records: Records):
        self.records = records
        self.arrays: dict[str, np.ndarray] = {}
        self.seen: dict[
            tuple[str, tuple[int, ...], bytes], str
        ] = {}  # bits -> name: what was read has an object for each mention

    def encode(self, value: Any, place: str) -> Any:
        if isinstance(value, np.generic):
            value = value.item()
        if value is None or isinstance(value, str | int):
            return value
        if isinstance(value, float):
            return value if math.isfinite(value) else {"$float": repr(value)}
        if isinstance(value, complex):
            return {"$complex": [self.encode(value.real, place), self.encode(value.imag, place)]}
        if isinstance(value, np.ndarray):
            return {"$array": self._array(value, place)}
        if isinstance(value, list | tuple):
            items = [*self._items(dict(enumerate(value)), place).values()]
            return items if isinstance(value, list) else {"$tuple": items}
        if isinstance(value, Mapping) and all(isinstance(k, str) and not k.startswith("$") for k in value):
            return self._items(value, place)
        if type(value) in self.records:
            return {"$type": type(value).__name__, **self._items(self.records[type(value)](value), place)}
        if is_dataclass(value) and not isinstance(value, type | MissingFunction):
            items = {field.name: getattr(value, field.name) for field in fields(value) if field.init}
            return {"$type": type(value).__name__, **self._items(items, place)}
        if callable(value):
            return {"$function": getattr(value, "__name__", type(value).__name__)}
        raise TypeError(
            f"{place or 'The object'} is a {type(value).__name__}, which a file cannot hold. Use dataclasses, dicts with "
            "plain texts as keys, lists, tuples, texts, numbers and arrays."
        )

    def _array(self, array: np.ndarray, place: str) -> str:
        check_numbers(place or "array", array)
        bits = np.ascontiguousarray(array).ravel().view(np.uint8)
        key = array.dtype.str, array.shape, blake2b(bits.data).digest()
        name = self.seen.get(key)
        if name is None:
            name = place or "array"
            while name in self.arrays:  # a key with a dot can look like another place
                name += "'"
            self.seen[key], self.arrays[name] = name, array
        return name

    def _items(self, items: Mapping[Any, Any], place: str) -> dict[Any, Any]:
        return {key: self.encode(item, _join(place, key)) for key, item in items.items()}


class _Decoder:
    def __init__(self, arrays: Mapping, classes: Mapping, functions: Mapping):
        self.arrays, self.classes, self.functions = arrays, classes, functions
        self.tags: dict[str, Callable[[Any, str], Any]] = {
            "$array": self._array,
            "$tuple": lambda items, place: tuple(self._items(items, place)),
            "$function": self._function,
            "$float": lambda name, place: _known(_FLOATS, name, "float"),
            "$complex": self._complex,
        }

    def decode(self, value: Any, place: str) -> Any:
        if isinstance(value, list):
            return self._items(value, place)
        if not isinstance(value, dict):
            return value
        if "$type" in value:
            return self._build(value, place)
        tags = [key for key in value if key.startswith("$")]
        if not tags:
            return {key: self.decode(item, _join(place, key)) for key, item in value.items()}
        if len(value) != 1 or tags[0] not in self.tags:
            raise FileFormatError(
                f"{place or 'The document'} holds {shown(tags[0])} in a way that lrfm does not write."
            )
        return self.tags[tags[0]](value[tags[0]], place)

    def _build(self, value: dict[str, Any], place: str) -> Any:
        builder = _known(self.classes, value["$type"], "class")
        items = {key: self.decode(item, _join(place, key)) for key, item in value.items() if key != "$type"}
        try:
            return builder(**items)
        except BROKEN as problem:
            raise FileFormatError(
                f"{place or 'The object'} of class {value['$type']} cannot be built again: "
                f"{clipped(str(problem).rstrip('.'))}. The file may come from another version of lrfm."
            ) from problem

    def _array(self, name: Any, place: str) -> np.ndarray:
        array = np.asarray(_known(self.arrays, name, "array")).view()
        array.flags.writeable = False
        return array

    def _function(self, name: Any, place: str) -> Callable[..., Any]:
        if not isinstance(name, str):
            raise FileFormatError(f"{place or 'The document'} names a function by {shown(name)}.")
        return self.functions.get(place) or self.functions.get(name) or MissingFunction(name, place)

    def _complex(self, parts: Any, place: str) -> complex:
        parts = self._items(parts, place)
        if [type(part) for part in parts] != [float, float]:
            raise FileFormatError(f"A complex number has two floats; {shown(parts)} was found.")
        return complex(*parts)

    def _items(self, items: Any, place: str) -> list[Any]:
        if not isinstance(items, list):
            raise FileFormatError(
                f"{place or 'The document'} should hold a list; {type(items).__name__} was found."
            )
        return [self.decode(item, _join(place, index)) for index, item in enumerate(items)]


def _known(table: Mapping[str, Any], name: Any, noun: str) -> Any:
    if not isinstance(name, str) or name not in table:
        listed = ", ".join(map(short, list(table)[:20])) or "none"
        raise FileFormatError(
            f"The file names the {noun} {shown(name)}, which is not known here. Known: {listed}."
        )
    return table[name]


def _join(place: str, key: Any) -> str:
    return f"{place}.{key}" if place else str(key)
