# SPDX-License-Identifier: MIT
"""Coordinates that a statement does not have: ordinary equations live at a point, steady ones at no time.

x′ = f(x, t)  is the degenerate case of a field on one cell that is constant there;  F(x, u) = 0  that of a step in which nothing moves. Rows
and points keep both columns. Who states a problem or evaluates a solution never sees the one that is absent.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np

from lrfm.problem.domain import Box

NOWHERE = "·"  # the axis of a point; no user text can contain it
EIGENVALUE = "lam"  # the number that a steady statement may have without being given it
STILL = (0.0, 1.0)  # the time span of what does not move
_SUBSCRIPT = re.compile(r"(?<![\w.])[^\W\d_]\w*?_([a-zA-Z]+)(?!\w)")
_IN_SPACE = re.compile(r"(?<!\w)(lap|grad|div|curl|integral|mean)\s*\(")
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

    def __reduce__(self) -> tuple[type[Point], tuple[()]]:
        return Point, ()

    def __repr__(self) -> str:
        return "a point"


def subscripts(texts: Sequence[str]) -> set[str]:
    """Letters of all subscripts, which are derivatives as far as can be told before anything is read."""
    return {letter for text in texts for found in _SUBSCRIPT.findall(text) for letter in found}


def lives_at_a_point(texts: Sequence[str], time: object, boundary: object, initial: object) -> bool:
    """Whether equations without a domain are ordinary ones: nothing is differentiated but in t, and nothing is said of a boundary."""
    if time is None or boundary not in (None, {}) or any(_IN_SPACE.search(text) for text in texts):
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
