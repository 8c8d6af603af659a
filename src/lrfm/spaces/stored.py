# SPDX-License-Identifier: MIT
"""The classes a stored trial space may consist of: nothing else is built when a file is read."""

from dataclasses import is_dataclass

from . import bumps, charts, cores, ridge, space, towers


def space_classes() -> dict[str, type]:
    """Name → class of every frozen dataclass that a `Space` can contain."""
    rooms = (bumps, charts, cores, ridge, space, towers)
    found = {
        name: value
        for room in rooms
        for name, value in vars(room).items()
        if isinstance(value, type) and is_dataclass(value) and value.__module__ == room.__name__
    }
    return found | {"Window": bumps.Bump}  # its name in files of version 0.1
