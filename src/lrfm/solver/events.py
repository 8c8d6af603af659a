# SPDX-License-Identifier: MIT
"""When something happens:  the times at which  max(u) = 0.5,  u(x=1) = 0.5,  mean(u**2) < 0.1  begins to hold.

A side of the relation is a number, an unknown or formula of a solution of ordinary equations, one at a place, or max, min, mean or integral of one over
space. Signs are looked at on a grid of times that has all steps in it, and roots are found between them on the solution itself.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from lrfm.discretize.options import EVENTS, ROUNDING, SCANS
from lrfm.error.indicators import CELLS
from lrfm.linalg.threads import one_thread
from lrfm.problem.calls import naming
from lrfm.problem.errors import ProblemError, listing, shown
from lrfm.problem.syntax import parse
from lrfm.problem.text import translate
from lrfm.rows.pieces import Piece
from lrfm.solution.crossing import Crossing
from lrfm.solution.solution import Solution

STEADY = "steady"
_RELATION = re.compile(r"(<=|>=|<|>|==|=)(?![^()]*\))")
_OVER = re.compile(r"^(max|min|mean|integral)\s*\((.*)\)$", re.DOTALL)
_PLACE = re.compile(r"^(.*?)\s*\(((?:\s*\w+\s*=[^=,()]+,?)+)\)$", re.DOTALL)


@dataclass(frozen=True)
class Event:
    """lhs − rhs as a function of time; `falls` and `rises`: the signs of change that count."""

    text: str
    value: Callable[[Solution, float], float]
    falls: bool
    rises: bool

    def holds(self, found: float) -> bool:
        """Whether an inequality holds where the two sides are so far apart; an equation never does."""
        return (self.falls and not self.rises and found < 0) or (self.rises and not self.falls and found > 0)


def read_event(text: object, solution: Any) -> Event:
    """A relation of text; ProblemError with what is wrong with it. `solution` may be a problem, whose names are the same."""
    problem = getattr(solution, "problem", solution)
    if isinstance(text, str) and text.strip() == STEADY:
        raise ProblemError(
            "`steady` is an event that ends a solve, `lrfm.solve(problem, until='steady')`; afterwards ask for a rate, such as `max(abs(u_t)) < 1e-6`."
        )
    if not isinstance(text, str):
        raise ProblemError(f"The event was given as {shown(text)}; expected a text such as `max(u) < 0.1`.")
    parts = _RELATION.split(text)
    if len(parts) != 3 or not parts[0].strip() or not parts[2].strip():
        raise ProblemError(
            f"The event `{text}` is no relation of two sides; write one such as `max(u) < 0.1` or `u(x=1) = 0.5`."
        )
    left, sign, right = (part.strip() for part in parts)
    one, other = _side(left, problem), _side(right, problem)
    return Event(
        text,
        lambda s, t: one(s, t) - other(s, t),
        falls=sign in ("<", "<=", "=", "=="),
        rises=sign in (">", ">=", "=", "=="),
    )


def _side(text: str, problem: Any) -> Callable[[Solution, float], float]:
    """One side as a function of a solution and a time."""
    from lrfm.problem.constants import constant

    over, place = _OVER.match(text), _PLACE.match(text)
    formula = over[2] if over and _closed(over[2]) else place[1] if place and place[1] else text
    translate(parse(formula, "The event"), problem.alphabet, "The event")  # says what is wrong with it
    if over and _closed(over[2]):
        return _whole(over[1], over[2].strip(), problem)
    if place and place[1]:
        at = dict(part.split("=") for part in place[2].split(",") if part.strip())
        where: dict[str, Any] = {
            name.strip(): constant(value.strip(), "The event") for name, value in at.items()
        }
        missing = set(problem.domain.names) ^ set(where)
        if missing and not problem.ordinary:
            raise ProblemError(
                f"`{text}` names {listing(where)}; a place has all of {listing(problem.domain.names)}."
            )
        _check_inside(text, where, problem)
        formula = place[1].strip()
        return lambda s, t: float(np.real(s[formula](**where, t=t)))
    try:
        number: float | None = float(np.real(constant(text, "The event")))
    except ProblemError:
        number = None
    if number is not None:
        return lambda s, t: number
    if problem.ordinary:
        return lambda s, t: float(np.real(s[text](t=t)))
    raise ProblemError(
        f"`{text}` is a function of space, and no number at a time; write `max({text})`, `mean({text})`, or `{text}({problem.domain.names[0]}=...)`."
    )


def _check_inside(text: str, where: Mapping[str, Any], problem: Any) -> None:
    """Refuse a place beyond the domain's box, before anything is computed."""
    for name, value in where.items() if not problem.domain.moving else ():
        low, high = problem.domain.axes.get(name, (-np.inf, np.inf))
        if not low <= value <= high:
            raise ProblemError(
                f"`{text}` looks at {name} = {value:g}, outside of the domain, where {name} is from {low:g} to {high:g}."
            )


def _closed(text: str) -> bool:
    """Whether brackets of an inner text are its own."""
    depth = 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if depth < 0:
            return False
    return depth == 0


def _whole(kind: str, formula: str, problem: Any) -> Callable[[Solution, float], float]:
    """max, min, mean or integral over space."""
    if problem.ordinary:
        raise ProblemError(
            f"`{kind}({formula})` is taken over space, and ordinary equations have none; write `{formula}` alone."
        )
    if kind in ("max", "min"):
        best = {"max": Solution.maximum, "min": Solution.minimum}[kind]
        return lambda s, t: float(best(s, formula, t=t).value)
    share = problem.domain.measure() if kind == "mean" else 1.0
    return lambda s, t: float(np.real(s.integral(formula)(t=t))) / share  # type: ignore[operator]


@naming
@one_thread
def find(solution: Solution, event: str, *, first: bool = False) -> list[Crossing]:
    """The times at which an event happens: an equation holds, or an inequality begins to.

    Parameters
    ----------
    solution
        A solution with time.
    event
        ``"max(u) = 0.5"``, ``"u(x=1) > 0.5"``, ``"mean(u**2) < 0.1"``; for ordinary equations ``"x = 0"``.
    first
        Whether one is enough.

    Examples
    --------
    >>> import lrfm
    >>> heat = lrfm.solve(lrfm.catalog.heat_1d(), tol=1e-6)
    >>> round(lrfm.find(heat, "max(u) = 0.5")[0].t, 5)
    0.07023
    """
    if not isinstance(solution, Solution):
        raise TypeError(f"`find` was given a {type(solution).__name__}; expected a `lrfm.Solution`.")
    if solution.problem.steady:
        raise ProblemError("A steady solution has no times at which something could happen.")
    return crossings(solution, read_event(event, solution), first)


def crossings(solution: Solution, event: Event, first: bool = False) -> list[Crossing]:
    """The times in the order in which they come."""
    times = event_times(solution)
    found: list[Crossing] = []
    before, soon = (event.value(solution, float(t)) for t in times[:2])
    # What begins at an event, to rounding, has left it a moment later: a ball on the ground.
    if abs(before) <= ROUNDING.solved * abs(soon):
        before, begun = 0.0, soon
    else:
        begun = before
    if event.holds(begun):
        found.append(Crossing(float(times[0]), 0.0))
    for low, high in itertools.pairwise(times):
        after = event.value(solution, float(high))
        if (event.falls and before > 0 >= after) or (event.rises and before < 0 <= after):
            time = _root(lambda t: event.value(solution, t), float(low), float(high))
            found.append(Crossing(time, _error(solution, event, time, float(high - low))))
            if first:
                break
        before = after
    return found[:1] if first else found


def touched(solution: Solution, event: Event) -> float | None:
    """A time at which both sides come closer to each other than twice the difference of the two solves there; None without one."""
    from scipy.optimize import minimize_scalar

    if not solution.second:
        return None
    other = Solution(solution.problem, solution.second, solution.report)
    times = event_times(solution)
    gaps = np.abs([event.value(solution, float(t)) for t in times])
    largest = float(np.max(gaps))
    inner = 1 + np.flatnonzero((gaps[1:-1] <= gaps[:-2]) & (gaps[1:-1] <= gaps[2:]))
    for i in inner[np.argsort(gaps[inner])]:
        low, high = float(times[i - 1]), float(times[i + 1])
        best: Any = minimize_scalar(
            lambda t: abs(event.value(solution, t)),
            bounds=(low, high),
            method="bounded",
            options={"xatol": ROUNDING.root * (high - low)},
        )
        time = float(best.x)
        apart = abs(event.value(solution, time) - event.value(other, time))
        if best.fun <= CELLS.safety * apart + ROUNDING.solved * largest:
            return time
    return None


def event_times(solution: Solution) -> np.ndarray:
    """At which signs are looked at: a grid, and several within each step."""
    start, end = float(solution.block_edges[0]), float(solution.block_edges[-1])
    steps = np.unique(np.concatenate([_edges(piece) for piece in solution.pieces]))
    steps = steps[(steps >= start) & (steps <= end)]
    if len(steps) > 1:
        parts = np.linspace(0, 1, SCANS.inside, endpoint=False)
        steps = np.append((steps[:-1, None] + np.diff(steps)[:, None] * parts).ravel(), steps[-1])
    return np.union1d(np.linspace(start, end, SCANS.coarse), steps)


def _edges(piece: Piece) -> np.ndarray:
    """Times between steps, where a piece has them."""
    inner = getattr(piece, "piece", piece)
    edges = getattr(inner, "edges", None)
    return np.asarray(edges if isinstance(edges, np.ndarray) else piece.window, dtype=float)


def _root(function: Callable[[float], float], low: float, high: float) -> float:
    from scipy.optimize import brentq

    if function(high) == 0:
        return high
    found: Any = brentq(
        function, low, high, xtol=ROUNDING.last * max(high - low, abs(high)), rtol=4 * np.finfo(float).eps
    )
    return float(found)


def _error(solution: Solution, event: Event, time: float, width: float) -> float:
    """Twice the distance to the same event of the comparison solve; NaN without one, infinite where it has none nearby."""
    if not solution.second:
        return np.nan
    other = Solution(solution.problem, solution.second, solution.report)
    start, end = float(other.block_edges[0]), float(other.block_edges[-1])
    reach = width
    while reach < end - start:
        low, high = max(start, time - reach), min(end, time + reach)
        a, b = event.value(other, low), event.value(other, high)
        if low == start and abs(a) <= CELLS.safety * abs(
            a - event.value(solution, start)
        ) + ROUNDING.solved * abs(b):
            a = 0.0  # both begin at the event, to rounding
        if a * b <= 0 and low < high:
            root = low if a == 0 else _root(lambda t: event.value(other, t), low, high)
            gap = abs(root - time)
            return max(CELLS.safety * gap, ROUNDING.solved * (time - start))
        reach *= EVENTS.wider
    return np.inf
