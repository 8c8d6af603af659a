# SPDX-License-Identifier: MIT
"""Where a stream of random numbers is, as plain numbers, and back."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

STREAM = {
    "state": 1 << 128,
    "inc": 1 << 128,
    "has_uint32": 2,
    "uinteger": 1 << 32,
}  # of PCG64, and their bounds


def place_of(rng: np.random.Generator) -> list[int]:
    """The numbers that say where a stream is, in the order of `STREAM`."""
    state = rng.bit_generator.state
    return [int({**state, **state["state"]}[name]) for name in STREAM]


def check_place(place: Sequence[int]) -> None:
    """ValueError for numbers that are no place of a stream."""
    if len(place) != len(STREAM) or not all(0 <= n < m for n, m in zip(place, STREAM.values(), strict=True)):
        raise ValueError("its random numbers are not a stream")


def at_place(rng: np.random.Generator, place: Sequence[int]) -> np.random.Generator:
    """The generator, brought to a place."""
    numbers = dict(zip(STREAM, place, strict=True))
    inner = {name: numbers.pop(name) for name in ("state", "inc")}
    rng.bit_generator.state = {**rng.bit_generator.state, **numbers, "state": inner}
    return rng
