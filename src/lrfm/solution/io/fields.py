# SPDX-License-Identifier: MIT
"""Whether values read from a file have the types that a class or a function declares for its keywords."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping, Sequence
from functools import cache, wraps
from typing import Any, ClassVar, Union, get_args, get_origin, get_type_hints

from lrfm.problem.errors import shown

LARGE = 1 << 1000  # within the range of doubles
_NUMBERS = {float: (float, int), int: (int,)}


def checked(builder: Callable[..., Any]) -> Callable[..., Any]:
    """The same class or function; a keyword of another type than it declares is a ValueError.

    >>> def half(x: float, names: tuple[str, ...] = ()) -> float:
    ...     return x / 2
    >>> checked(half)(x=3)
    1.5
    >>> checked(half)(x=3, names=("a", 1))
    Traceback (most recent call last):
    ValueError: `names` is ('a', 1)
    """

    @wraps(builder, updated=())
    def build(**given: Any) -> Any:
        check_types(builder, given)
        return builder(**given)

    return build


def check_types(builder: Callable[..., Any], given: Mapping[str, Any]) -> None:
    """Refuse the first value that does not have its declared type; what is not declared is not looked at."""
    hints = _hints(builder)
    for name, value in given.items():
        if name in hints and not fits(value, hints[name]):
            raise ValueError(f"`{name}` is {shown(value)}")


@cache
def _hints(builder: Callable[..., Any]) -> dict[str, Any]:
    return get_type_hints(builder)


def fits(value: Any, hint: Any) -> bool:
    """Whether a value is one of a type, in its parts too; True and False are no numbers."""
    origin, inside = get_origin(hint), get_args(hint)
    if hint is Any or origin is ClassVar:
        return True
    if origin in (Union, types.UnionType):
        return any(fits(value, one) for one in inside)
    if hint in _NUMBERS:
        sane = not isinstance(value, int) or abs(value) < LARGE
        return isinstance(value, _NUMBERS[hint]) and not isinstance(value, bool) and sane
    if hint is None or hint is types.NoneType:
        return value is None
    if getattr(hint, "_is_protocol", False):
        return all(hasattr(value, name) for name in _members(hint))
    if not isinstance(value, origin or hint) or (origin is Sequence and isinstance(value, str)):
        return False
    if origin is tuple and inside[-1:] != (...,):
        return len(value) == len(inside) and all(map(fits, value, inside))
    if isinstance(value, Mapping):
        return not inside or all(fits(k, inside[0]) and fits(v, inside[1]) for k, v in value.items())
    return not inside or all(fits(item, inside[0]) for item in value)


@cache
def _members(protocol: type) -> tuple[str, ...]:
    """What a protocol asks for."""
    names = {
        name: None
        for one in protocol.__mro__[:-2]
        for name in (*vars(one), *vars(one).get("__annotations__", ()))
    }
    return tuple(name for name in names if not name.startswith("_"))
