# SPDX-License-Identifier: MIT
"""What every contender hands over: values at points, and two clocks.

A script is run as `python script.py PROBLEM SETTING ANSWER BEGAN`: a name of the catalog, its setting in JSON,
the file to write, and the time at which the process was asked for. It knows nothing of the exact solution; the
errors are computed by peers.py.

The answer wanted is the field at four times, T/4, T/2, 3T/4 and T. Two times are told: `fresh`, from the start
of the process to the answer, and `solve`, that of the same statement solved once more, when everything has been
imported and compiled. A solve that took longer than AGAIN seconds is not repeated; what was imported and compiled
within it then counts.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable

import numpy as np

SNAPSHOTS = 4
AGAIN = 30.0

Answer = tuple[dict[str, np.ndarray], np.ndarray]  # coordinates by name, and values


class CannotState(Exception):
    """The contender has no way to say this problem."""


def times(end: float) -> np.ndarray:
    """The times at which the field is wanted."""
    return end * np.arange(1, SNAPSHOTS + 1) / SNAPSHOTS


def product(t: np.ndarray, **axes: np.ndarray) -> dict[str, np.ndarray]:
    """Coordinates of all times and points of a tensor grid, flattened, time slowest."""
    mesh = np.meshgrid(t, *axes.values(), indexing="ij")
    return dict(zip(("t", *axes), (m.ravel() for m in mesh), strict=True))


def write(path: str, where: dict[str, np.ndarray], values: np.ndarray, **clocks: object) -> None:
    np.savez(path, values=values, **{f"at_{name}": x for name, x in where.items()}, **clocks)


def run(state: Callable[[str, dict], Callable[[], Answer]]) -> None:
    """State the problem, solve it, stop the clocks, write the answer."""
    name, setting, path, began = sys.argv[1:]
    try:
        solve = state(name, json.loads(setting))
        ready = time.perf_counter()
        where, values = solve()
    except CannotState as reason:
        np.savez(path, cannot=str(reason))
        return
    fresh, seconds = time.time() - float(began), time.perf_counter() - ready
    if seconds < AGAIN:
        ready = time.perf_counter()
        where, values = solve()
        seconds = time.perf_counter() - ready
    write(path, where, values, fresh=fresh, solve=seconds)
