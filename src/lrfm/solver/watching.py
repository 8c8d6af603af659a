# SPDX-License-Identifier: MIT
"""A solve that is watched: t and u(·, t) while it is under way, as numbers or as a small picture of letters."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lrfm.problem import Problem
from lrfm.problem.calls import is_real, naming
from lrfm.problem.errors import shown
from lrfm.solution.solution import Solution

EVERY = 0.1  # seconds between two looks,
SHARE = 0.1  # and the part of the time that they may take together
COLUMNS, LINES = 64, 6  # of a curve
WIDE, HIGH = 48, 16  # of a field in the plane
LEVELS = " ▁▂▃▄▅▆▇█"
SHADES = " ░▒▓█"


class Halted(Exception):
    """Whoever watches has seen enough: the solution ends where it is."""


@dataclass(frozen=True)
class View:
    """A solve as far as it is.

    Parameters
    ----------
    time
        The end of the last step.
    u
        The unknowns then, a function of the coordinates in space: what `solution(x=..., t=time)` will be.
    so_far
        The solution up to there, without an estimate, when it is asked for.
    problem
        What is solved.
    """

    time: float
    u: Callable[..., Any]
    so_far: Callable[[], Solution]
    problem: Problem


class Pace:
    """When to look again: not too often, and never so that looking takes a good part of the time."""

    def __init__(self, every: float):
        self.every, self._next = every, 0.0

    def due(self) -> bool:
        """Whether it is time."""
        return time.monotonic() >= self._next

    def looked(self, began: float) -> None:
        """A look that began then has ended."""
        now = time.monotonic()
        self._next = now + max(self.every, (now - began) / SHARE)


@naming
@dataclass
class Watch:
    """A listener for `lrfm.solve(..., progress=lrfm.Watch(function))` that is shown the solution while it is computed.

    Parameters
    ----------
    function
        Called as function(t, u) after some steps of the first of the two solves; u is a function of the coordinates in space, ``u(x=0.3)``. If it returns False, or raises
        StopIteration, the solve ends there, and what is returned is the solution up to t, without an estimate.
    every
        Seconds between two calls at least.

    Examples
    --------
    >>> import lrfm
    >>> seen = []
    >>> watch = lrfm.Watch(lambda t, u: seen.append((t, u(x=0.5))), every=0)
    >>> solution = lrfm.solve(lrfm.catalog.heat_1d(), tol=1e-4, progress=watch)
    >>> len(seen) > 3, seen[-1][0] == solution.problem.time[1]
    (True, True)
    """

    function: Callable[[float, Callable[..., Any]], object]
    every: float = EVERY
    _pace: Pace = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise TypeError(f"`Watch` was given {shown(self.function)}; expected a function of t and u.")
        if not is_real(self.every) or not 0 <= self.every < math.inf:
            raise ValueError(f"`every={shown(self.every)}` must be a number of seconds that is not negative.")
        self._pace = Pace(self.every)

    def __call__(self, stage: str, done: int, total: int) -> None:
        """How far it is; nobody asked."""

    def state(self, view: Callable[[], View]) -> None:
        """A step has ended."""
        if self.every and not self._pace.due():
            return
        began, seen = time.monotonic(), view()
        try:
            answer = self.function(seen.time, seen.u)
        except StopIteration:
            answer = False
        self._pace.looked(began)
        if answer is False:
            raise Halted


def picture(seen: View) -> str:
    """The first unknown as a few lines of letters: a curve along one axis, shades in the plane; of three axes the middle of the last."""
    box, name = seen.problem.domain, next(iter(seen.problem.unknowns))
    axes = list(box.axes.items())
    if seen.problem.ordinary:
        return f"t = {seen.time:.4g}"
    counts = [COLUMNS] if len(axes) == 1 else [WIDE, HIGH]
    lines = [
        low + (high - low) * (np.arange(n) + 0.5) / n
        for n, (_, (low, high)) in zip(counts, axes, strict=False)
    ]
    grid = dict(zip([n for n, _ in axes], np.meshgrid(*lines, indexing="ij"), strict=False))
    grid |= {n: np.full(counts, 0.5 * (low + high)) for n, (low, high) in axes[2:]}
    values = seen.u(**grid) if box.is_box else _inside(seen, box, grid, axes)
    values = values[name] if isinstance(values, dict) else values
    values = np.abs(values) if np.iscomplexobj(values) else np.asarray(values, dtype=float)
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    unit = (values - low) / (high - low) if high > low else np.full(values.shape, 0.5)
    drawn = _curve(unit) if values.ndim == 1 else _shades(unit.T[::-1])
    return f"{drawn}\n{name} at t = {seen.time:.4g}, {low:.4g} to {high:.4g}"


def _inside(seen: View, box: Any, grid: dict[str, np.ndarray], axes: list[Any]) -> Any:
    """Values at the places of a grid that are in the domain; NaN at the others."""
    points = np.column_stack([grid[n].ravel() for n, _ in axes])
    there = box.contains(points, np.full(len(points), seen.time))
    shape, found = next(iter(grid.values())).shape, np.full(len(points), np.nan)
    values = seen.u(**{n: points[there, i] for i, (n, _) in enumerate(axes)})
    values = next(iter(values.values())) if isinstance(values, dict) else values
    found[there] = np.abs(values) if np.iscomplexobj(values) else values
    return found.reshape(shape)


def _curve(unit: np.ndarray) -> str:
    """Columns of eighths of letters, from the lowest value to the highest."""
    eighths = np.rint(np.nan_to_num(unit) * (8 * LINES - 1)).astype(int) + 1
    rows = [np.clip(eighths - 8 * row, 0, 8) for row in reversed(range(LINES))]
    return "\n".join("".join(LEVELS[n] for n in row) for row in rows)


def _shades(unit: np.ndarray) -> str:
    """One letter for each place, darker for higher values."""
    steps = np.clip((np.nan_to_num(unit) * len(SHADES)).astype(int), 0, len(SHADES) - 1)
    return "\n".join("".join(SHADES[n] for n in row) for row in steps)
