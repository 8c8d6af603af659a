# SPDX-License-Identifier: MIT
"""What the catalog knows about one of its problems besides the statement itself; its name is that of its function."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import ParamSpec

from lrfm.problem import Problem

EXACT = "exact"
COLE_HOPF = "Cole-Hopf quadrature"
FOURIER = "Fourier, exponential integrator"
NONE = "none"

Arguments = ParamSpec("Arguments")


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One named problem: how to show it, where it is from, and how its reference solution is known."""

    name: str
    title: str
    equation: str  # for display, not for the parser
    source: str
    reference: str  # EXACT, COLE_HOPF, FOURIER or NONE
    builder: Callable[..., Problem]
    summary: str


ENTRIES: list[Entry] = []


def entry(
    title: str, equation: str, *, source: str, summary: str, reference: str = EXACT
) -> Callable[[Callable[Arguments, Problem]], Callable[Arguments, Problem]]:
    """Enter a function into the catalog; `heat_1d` states the problem `heat-1d`."""

    def register(build: Callable[Arguments, Problem]) -> Callable[Arguments, Problem]:
        name = build.__name__.replace("_", "-")

        @wraps(build)
        def builder(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Problem:
            return build(*args, **kwargs).named(name)

        ENTRIES.append(
            Entry(
                name=name,
                title=title,
                equation=equation,
                source=source,
                reference=reference,
                builder=builder,
                summary=summary,
            )
        )
        return builder

    return register
