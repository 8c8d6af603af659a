# SPDX-License-Identifier: MIT
"""The classes a stored trial space may consist of: nothing else is built when a file is read."""

from dataclasses import is_dataclass

from . import charts, cores, ridge, space, towers, windows


def space_classes() -> dict[str, type]:
    """Name → class of every frozen dataclass that a `Space` can contain."""
    rooms = (charts, cores, ridge, space, towers, windows)
    return {
        name: value
        for room in rooms
        for name, value in vars(room).items()
        if isinstance(value, type) and is_dataclass(value) and value.__module__ == room.__name__
    }
