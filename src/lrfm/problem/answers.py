# SPDX-License-Identifier: MIT
"""What people call the arguments of a problem elsewhere, and the line that each of them is answered with."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from difflib import get_close_matches
from functools import wraps
from typing import Any

from lrfm.problem.errors import ProblemError, listing, short

_MEANT = {
    **dict.fromkeys(("ic", "ics", "u0", "initial_condition", "initial_conditions", "init"), "initial"),
    **dict.fromkeys(("bc", "bcs", "boundary_condition", "boundary_conditions", "boundaries"), "boundary"),
    **dict.fromkeys(
        ("params", "param", "parameter", "args", "constants", "consts", "coefficients"), "parameters"
    ),
    **dict.fromkeys(("pde", "eq", "eqs", "equations", "rhs"), "equation"),
    **dict.fromkeys(("geometry", "geom", "box", "grid", "space", "region"), "domain"),
    **dict.fromkeys(("t", "tspan", "t_span", "times", "t_range", "timespan", "time_span"), "time"),
    **dict.fromkeys(("exact", "solution", "exact_solution"), "reference"),
}
_LINES = {
    "equation": 'lrfm.Problem("u_t = u_xx", ...)',
    "domain": "domain=lrfm.Box(x=(0, 1))",
    "time": "time=(0, 0.1)",
    "initial": 'initial="sin(pi*x)"',
    "boundary": 'boundary="u = 0"',
    "parameters": 'parameters={"eps": 1e-3}',
    "reference": 'reference="exp(-t)*sin(x)"',
}


def answering(create: Callable[..., None]) -> Callable[..., None]:
    """The same constructor; an argument that does not exist, or is missing, gets the line to write."""
    known = list(inspect.signature(create).parameters)[1:]

    @wraps(create)
    def answer(self: Any, *args: Any, **given: Any) -> None:
        for name in given:
            meant = _MEANT.get(name.lower()) or next(
                iter(get_close_matches(name, known, n=1, cutoff=0.6)), None
            )
            if name not in known:
                hint = f" Write `{_LINES.get(meant or '', f'{meant}=...')}`." if meant else ""
                raise ProblemError(
                    f"`Problem` has no argument `{short(name)}`.{hint} It takes {listing(known)}."
                )
        missing = [
            n for n in ("equation", "domain", "time") if n not in given and not (n == "equation" and args)
        ]
        if missing:
            raise ProblemError(f"`{missing[0]}` is missing; write `{_LINES[missing[0]]}`.")
        create(self, *args, **given)

    return answer
