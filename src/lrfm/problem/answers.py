# SPDX-License-Identifier: MIT
"""What people call the arguments of a problem elsewhere, and the line that each of them is answered with."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from functools import wraps
from typing import Any

from lrfm.problem.errors import ProblemError, listing, short
from lrfm.problem.habits import in_ours

_MEANT = {
    **dict.fromkeys(("ic", "ics", "u0", "initial_condition", "initial_conditions", "init"), "initial"),
    **dict.fromkeys(("bc", "bcs", "boundary_condition", "boundary_conditions", "boundaries"), "boundary"),
    **dict.fromkeys(
        ("params", "param", "parameter", "args", "constants", "consts", "coefficients"), "parameters"
    ),
    **dict.fromkeys(("pde", "eq", "eqs", "equations", "rhs"), "equation"),
    **dict.fromkeys(("geometry", "geom", "box", "grid", "space", "region"), "domain"),
    **dict.fromkeys(("t_end", "t_final", "tend", "tmax", "t_max", "tfinal", "duration"), "time"),
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


_ELSEWHERE = {  # what is said of arguments that have no counterpart
    **dict.fromkeys(("tol", "rtol", "atol", "tolerance", "seed", "max_seconds", "method", "until", "estimate", "certify"), "solve"),
    **dict.fromkeys(("coordinates", "coordinate_system", "coord", "symmetry"), "box"),
    **dict.fromkeys(
        ("nx", "ny", "nt", "dx", "dt", "n", "mesh", "steps", "n_steps", "resolution", "num_domain", "num_boundary",
         "num_initial", "points", "order", "degree", "element", "timestepper", "dealias"),
        "nothing",
    ),
    **dict.fromkeys(("source", "f", "forcing", "rhs_function", "reaction"), "equation"),
    **dict.fromkeys(("dim", "ndim", "dimension", "dimensions"), "axes"),
    **dict.fromkeys(("periodic", "periodicity", "wrap"), "periodic"),
}  # fmt: skip
_SAID = {
    "solve": "It belongs to the solve: `lrfm.solve(problem, tol=1e-6)`.",
    "nothing": "Leave it out: grids, steps and sizes are chosen from `tol` when the problem is solved.",
    "equation": 'Write it into the equation: `"u_t = u_xx + f"` with `parameters={"f": ...}`.',
    "periodic": 'It is a condition: `boundary="periodic"` for every axis, `boundary={"x": "periodic", "y": "u = 0"}` by axis.',
    "box": 'It belongs to the domain: `domain=lrfm.Box(r=(0, 1), coordinates="spherical")`, or `"polar"`, `"cylindrical"`.',
    "axes": "Leave it out: the axes say it, `domain=lrfm.Box(x=(0, 1), y=(0, 1))`.",
}


def equations_meant(given: object) -> str:
    """What to write for right sides by unknown, ``{"u": "lap(u)"}``."""
    if not isinstance(given, Mapping) or not all(
        isinstance(k, str) and isinstance(v, str) for k, v in given.items()
    ):
        return ""
    lines = [f'"{k if k.endswith("_t") else f"{k}_t"} = {short(in_ours(v))}"' for k, v in given.items()]
    return f" Write {lines[0] if len(lines) == 1 else '[' + ', '.join(lines) + ']'}." if lines else ""


def missing(name: str) -> ProblemError:
    """What is said where an argument is missing."""
    return ProblemError(f"`{name}` is missing; write `{_LINES[name]}`.")


def answering(create: Callable[..., None]) -> Callable[..., None]:
    """The same constructor; an argument that does not exist, or is missing, gets the line to write."""
    known = list(inspect.signature(create).parameters)[1:]

    @wraps(create)
    def answer(self: Any, *args: Any, **given: Any) -> None:
        for name in given:
            meant = _MEANT.get(name.lower()) or next(
                iter(get_close_matches(name, known, n=1, cutoff=0.6)), None
            )
            if name not in known and name.lower() in _ELSEWHERE:
                raise ProblemError(
                    f"`Problem` has no argument `{short(name)}`. {_SAID[_ELSEWHERE[name.lower()]]}"
                )
            if name not in known:
                hint = f" Write `{_LINES.get(meant or '', f'{meant}=...')}`." if meant else ""
                raise ProblemError(
                    f"`Problem` has no argument `{short(name)}`.{hint} It takes {listing(known)}."
                )
        if "equation" not in given and not args:
            raise missing("equation")
        create(self, *args, **given)

    return answer
