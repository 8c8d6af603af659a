# SPDX-License-Identifier: MIT
"""Coordinates that a statement does not have: ordinary equations live at a point, steady ones at no time.

x′ = f(x, t)  is the degenerate case of a field on one cell that is constant there;  F(x, u) = 0  that of a step in which nothing moves. Rows
and points keep both columns. Who states a problem or evaluates a solution never sees the one that is absent.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lrfm.problem.algebra import Symbol
from lrfm.problem.answers import missing
from lrfm.problem.calls import naming
from lrfm.problem.domain import Box
from lrfm.problem.equation import Row
from lrfm.problem.errors import ProblemError

if TYPE_CHECKING:
    from lrfm.problem.problem import Problem

NOWHERE = "·"  # the axis of a point; no user text can contain it
EIGENVALUE = "lam"  # the number that a steady statement may have without being given it
STILL = (0.0, 1.0)  # the time span of what does not move
_SUBSCRIPT = re.compile(r"(?<![\w.])[^\W\d_]\w*?_([a-zA-Z]+)(?!\w)")
_IN_SPACE = re.compile(r"(?<!\w)(lap|grad|div|curl|integral|mean)\s*\(")
_IN_THE_PAST = re.compile(r"(?<!\w)integral\s*\((?=.*\(\s*(\w+)\s*\).*,\s*\1\s*\))")  # of x(s), over s
_IN_TIME = re.compile(r"(?<!\w)diff\s*\([^()]*,\s*t\b")


class Point(Box):
    """The domain of ordinary equations: one point, on which nothing depends."""

    __slots__ = ()

    def __init__(self) -> None:
        self.name = None
        self.axes = {NOWHERE: (0.0, 1.0)}
        self.names = (NOWHERE,)
        self.lower, self.upper = np.zeros(1), np.ones(1)
        self.lower.flags.writeable = self.upper.flags.writeable = False
        self.symmetry = None

    def __reduce__(self) -> tuple[type[Point], tuple[()]]:
        return Point, ()

    def __repr__(self) -> str:
        return "a point"


def subscripts(texts: Sequence[str]) -> set[str]:
    """Letters of all subscripts, which are derivatives as far as can be told before anything is read."""
    return {letter for text in texts for found in _SUBSCRIPT.findall(text) for letter in found}


def lives_at_a_point(texts: Sequence[str], time: object, boundary: object, initial: object) -> bool:
    """Whether equations without a domain are ordinary ones: nothing is differentiated but in t, and nothing is said of a boundary."""
    if (
        time is None
        or boundary not in (None, {})
        or any(_IN_SPACE.search(_IN_THE_PAST.sub("", text)) for text in texts)
    ):
        return False
    data = [*initial.values()] if isinstance(initial, Mapping) else [initial]
    words = {w for d in data if isinstance(d, str) for w in re.findall(r"(?<![\w.])[xyz](?!\w)", d)}
    unknown = {name for text in texts for name in re.findall(r"(?<![\w.])([xyz])(?=_t|\b)", text)}
    return subscripts(texts) <= {"t"} and words <= unknown


def stands_still(texts: Sequence[str], initial: object, final: object) -> bool:
    """Whether equations without a time span are steady: nothing is differentiated in t, and nothing is said of a start."""
    moving = "t" in subscripts(texts) or any(_IN_TIME.search(text) for text in texts)
    return not moving and initial is None and final is None


def has_eigenvalue(texts: Sequence[str], parameters: object, unknowns: object) -> bool:
    """Whether steady equations have a number `lam` in them that is not given."""
    known = [
        *(parameters if isinstance(parameters, Mapping) else ()),
        *(unknowns if isinstance(unknowns, Mapping) else ()),
    ]
    used = any(re.search(rf"(?<!\w){EIGENVALUE}(?!\w)", text) for text in texts)
    return used and EIGENVALUE not in known


def texts_in(given: object) -> list[str]:
    """All texts of a condition, of a list of them, or of those by part."""
    parts = given.values() if isinstance(given, Mapping) else given if isinstance(given, list | tuple) else ()
    return [given] if isinstance(given, str) else [text for part in parts for text in texts_in(part)]


def completed(problem: Problem) -> dict[str, object]:
    """What ordinary and steady equations do not have, and stands for it; ProblemError where something is missing."""
    texts, found = problem.equations, {}
    if problem.domain is None:
        if not lives_at_a_point(texts, problem.time, problem.boundary, problem.initial):
            raise missing("time" if problem.time is None and subscripts(texts) == {"t"} else "domain")
        found |= {"domain": Point(), "boundary": {"*": None}}
    if problem.time is None:
        if not stands_still(texts, problem.initial, problem.final):
            if problem.final is None and stands_still(texts, None, None):
                raise ProblemError(
                    "`initial` is given, but nothing is differentiated in t. A steady problem has no `initial` and no `time`: leave it out, or say where "
                    "Newton's method begins, `lrfm.steady(problem, guess=...)`. One that moves has a derivative such as `u_t`, and `time=(0, 0.1)`."
                )
            raise missing("time")
        found |= {"time": STILL, "steady": True}
        if has_eigenvalue([*texts, *texts_in(problem.boundary)], problem.parameters, problem.unknowns):
            found |= {"eigenvalue": EIGENVALUE, "parameters": {**(problem.parameters or {}), EIGENVALUE: 0.0}}
    return found


def refuse_time(rows: Sequence[Row], orders: Mapping[str, int]) -> None:
    """A statement without a time span has no t in it."""
    if any(orders.values()):
        raise missing("time")
    for row in rows:
        if Symbol("t") in row.expression.symbols:
            raise ProblemError(
                f"{row.label} contains `t`, but the problem has no `time`; give `time=(0, 1)` and `initial`, or leave `t` out."
            )


@naming
class Kinds:
    """What kind of statement a problem is: which coordinates it has, and the same one at rest."""

    if TYPE_CHECKING:
        domain: Any
        steady: bool

    @property
    def absent(self) -> dict[str, float]:
        """Coordinates that the statement does not have, with the place that stands for them: of time, or of a point."""
        return ({"t": STILL[0]} if self.steady else {}) | ({NOWHERE: 0.0} if self.ordinary else {})

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Those that a user knows of, time last."""
        return tuple(c for c in (*self.domain.names, "t") if c not in self.absent)

    @property
    def ordinary(self) -> bool:
        """Whether the unknowns are functions of time alone, and there is no domain."""
        return isinstance(self.domain, Point)

    def with_guesses(self, given: Mapping[tuple[str, int], Any]) -> Problem:
        """The same problem with other places from which unknowns without a time derivative are looked for."""
        other: Any = object.__new__(type(self))
        other.__dict__.update({**self.__dict__, "guesses": dict(given)})
        return other

    def at_rest(self) -> Problem:
        """The steady statement of this one: all derivatives in time are zero, and nothing is given at the start."""
        from lrfm.problem.rest import at_rest

        return at_rest(self)  # type: ignore[arg-type]
