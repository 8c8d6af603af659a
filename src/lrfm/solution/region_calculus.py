# SPDX-License-Identifier: MIT
"""∫_Ω F dx and ∫_Γ F ds of a solution on a domain of any shape: its own rules, doubled until two of them agree.

A domain that moves is asked for its rule at each time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from lrfm.linalg.threads import one_thread
from lrfm.problem.errors import listing, suggest
from lrfm.problem.shapes.protocol import Domain
from lrfm.solution.fields import Field
from lrfm.solution.places import read_places

FEWEST, MOST = 200, 26_000  # points of a rule
AGREED = 1e-12  # difference of two sums, relative to the integral of the absolute value

Rules = Callable[
    [int, float | None], tuple[np.ndarray, np.ndarray]
]  # about n points and their weights, at a time


class RegionIntegral:
    """∫ F over the domain or a part of its boundary, a function of time; of a steady solution a number, when called."""

    def __init__(self, field: Field, domain: Domain, rules: Rules, over: str):
        self._field, self._domain, self._rules, self.over = field, domain, rules, over
        self.coordinates = () if field._fields.problem.steady else ("t",)

    @one_thread
    def __call__(self, **coordinates: Any) -> Any:
        """The integral at times."""
        if not self.coordinates:
            if coordinates:
                raise TypeError(f"{self!r} is a number; call it without coordinates.")
            return self._converged(0.0)
        places = read_places(coordinates, self.coordinates)
        times = places.arrays[0]
        found = np.array([self._converged(float(t)) for t in times.ravel()])
        return places.wrap(found.reshape(times.shape), repr(self))

    @property
    def error(self) -> RegionIntegral:
        """The error of the integral, with its sign: what `Solution.corrected` changes it by, a function of the same coordinates."""
        return _Missing(self)

    def _converged(self, time: float) -> complex | float:
        count, before = FEWEST, None
        while True:
            total, size = self._sum(count, time)
            settled = before is not None and abs(total - before) <= AGREED * max(size, 1e-300)
            if settled or count >= MOST:
                return total
            count, before = 2 * count, total

    def _sum(self, count: int, time: float) -> tuple[complex | float, float]:
        points, weights = self._rules(count, time if self._domain.moving else None)
        at: dict[str, Any] = dict(zip(self._domain.names, points.T, strict=True))
        if self.coordinates:
            at["t"] = np.full(len(points), time)
        values = np.asarray(self._field(**at))
        return np.sum(weights * values).item(), float(weights @ np.abs(values))

    def __repr__(self) -> str:
        return f"<∫ {self._field.label} over {self.over}>"


class _Missing(RegionIntegral):
    """∫ F(u + e) − ∫ F(u), e the error of a solution."""

    def __init__(self, known: RegionIntegral):
        super().__init__(known._field, known._domain, known._rules, known.over)
        after = Field(known._field._fields.corrected, known._field._value, known._field.label)
        self._before, self._after = known, RegionIntegral(after, known._domain, known._rules, known.over)

    def __call__(self, **coordinates: Any) -> Any:
        return self._after(**coordinates) - self._before(**coordinates)

    def __repr__(self) -> str:
        return f"<error of {self._before!r}>"


def region_integral(field: Field, domain: Domain, over: str | Iterable[str] | None) -> RegionIntegral:
    """∫ F over the whole domain; single coordinates of it have no ends of their own."""
    names = domain.names if over is None else (over,) if isinstance(over, str) else tuple(over)
    if set(names) != set(domain.names):
        raise ValueError(
            f"An integral over {listing(names)} was asked for; on a domain that is no box it goes over all of {listing(domain.names)}."
        )
    return RegionIntegral(field, domain, lambda n, t: domain.quadrature(n, None, t)[:2], "the domain")


def part_integral(field: Field, domain: Domain, name: str) -> RegionIntegral:
    """∫ F over a part of the boundary."""
    part = domain.parts[name]
    return RegionIntegral(field, domain, lambda n, t: part.quadrature(n, None, t)[:2], f"`{name}`")


def check_part(domain: Domain, name: str) -> str:
    """The part of the boundary of this name, or the one of a group of one; ValueError for what is neither."""
    members = (name,) if name in domain.parts else domain.groups.get(name, ())
    if len(members) > 1:
        raise ValueError(f"`{name}` has several parts; add the fluxes through {listing(members)}.")
    if not members:
        known = list(domain.parts)
        raise ValueError(
            f"`{name}` is no part of the boundary; there are {listing(known)}.{suggest(name, known)}"
        )
    return members[0]
