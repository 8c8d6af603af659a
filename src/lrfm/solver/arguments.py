# SPDX-License-Identifier: MIT
"""Arguments of `solve` and `plan` that are refused before anything is drawn; each gets its sentence."""

from __future__ import annotations

import os
from numbers import Real
from pathlib import Path

import numpy as np

from lrfm.error.balance import net_flux, start_imbalance
from lrfm.error.well_posed import OVERRIDE, ill_posed
from lrfm.linalg.processes import group
from lrfm.problem import Problem, ProblemError
from lrfm.problem.calls import is_real
from lrfm.problem.errors import shown
from lrfm.problem.expression import has_delta
from lrfm.problem.shapes.protocol import is_layered
from lrfm.solution.solution import Solution
from lrfm.solver.budget import LEAST_MEMORY, MemoryLimitError, format_bytes, parse_bytes

LEAST_TOL = 1e-15


def check_problem(problem: Problem, tol: float | None, seed: int) -> None:
    """Refuse what is no statement with numbers in it, or a tolerance or seed that is none."""
    if not isinstance(problem, Problem):
        raise TypeError(f"`solve` was given a {type(problem).__name__}; expected a `lrfm.Problem`.")
    if problem.ranges:
        raise ProblemError(
            f"The parameter `{next(iter(problem.ranges))}` is a range; `lrfm.family(problem)` solves for all of its values."
        )
    left = [name for name, p in problem.parameters.items() if getattr(p, "unknown", False)]
    if left:
        raise ProblemError(
            f"The parameter `{left[0]}` is unknown; find it from data with `lrfm.fit(problem, data)`, or give it a value."
        )
    if tol is not None and not (isinstance(tol, Real) and 0 < tol < 1):
        raise ValueError(f"`tol={shown(tol)}` must lie between 0 and 1; it is a relative error.")
    if tol is not None and tol < LEAST_TOL:
        raise ValueError(f"`tol={tol!r}` is below the rounding of doubles; ask for {LEAST_TOL:g} or more.")
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise ValueError(f"`seed={seed!r}` must be a whole number that is not negative.")


def check_progress(progress: object) -> None:
    """Refuse a listener that cannot be called."""
    if progress is not None and not callable(progress):
        raise TypeError(
            f"`progress={progress!r}` is not callable; expected a function of (stage, done, total)."
        )


def check_start(problem: Problem, start: Solution | None) -> None:
    """Refuse a guess that is not one of these unknowns on this domain and time span."""
    if start is None:
        return
    if not isinstance(start, Solution):
        raise TypeError(f"`start` was given as a {type(start).__name__}; expected a `lrfm.Solution`.")
    if not nearby(problem, start):
        raise ValueError(
            "`start` solves for other unknowns, on another domain or over another time span; give a solution of a problem that differs in "
            "its parameters or data only."
        )


def nearby(problem: Problem, start: Solution) -> bool:
    """Whether a solution is one of these unknowns on this domain and time span, all of it."""
    other = start.problem
    same = other.domain.axes == problem.domain.axes and other.periodic == problem.periodic
    same = same and other.steady == problem.steady
    return (
        same
        and other.fields == problem.fields
        and other.time == problem.time == (start.block_edges[0], start.block_edges[-1])
    )


def check_budget(max_features: int, max_seconds: float | None, tol: float | None, estimate: bool) -> None:
    """Refuse limits that are none, and a tolerance without an estimate."""
    if not is_real(max_features) or not max_features >= 4:
        raise ValueError(f"`max_features={shown(max_features)}` must be at least 4.")
    if max_seconds is not None and (not is_real(max_seconds) or not max_seconds > 0):
        raise ValueError(f"`max_seconds={shown(max_seconds)}` must be positive, or None for no limit.")
    if tol is not None and not estimate:
        raise ValueError(
            "`tol` was given with `estimate=False`; a tolerance can only be met by an estimate. Drop one."
        )


def check_places(max_memory: str | int | None, checkpoint: str | Path | None) -> None:
    """Refuse what names no amount of memory, and no file."""
    if max_memory is not None and parse_bytes(max_memory) < LEAST_MEMORY:
        raise MemoryLimitError(
            f"`max_memory={shown(max_memory)}` is less than any solve takes; allow {format_bytes(LEAST_MEMORY)} or more."
        )
    if checkpoint is not None and not isinstance(checkpoint, str | os.PathLike):
        raise TypeError(f"`checkpoint={shown(checkpoint)}` is not the name of a file.")


def refuse_until(until: object) -> None:
    """A steady statement has no time at which something could happen."""
    raise ProblemError(
        f"`until={shown(until)}` ends a solve in time, and the statement is steady; leave it out, or give `time` and `initial`."
    )


def check_until(until: object, tol: float | None, estimate: bool, checkpoint: object) -> None:
    """Refuse what is no event, and what an event does not go together with."""
    if not isinstance(until, str):
        raise ProblemError(
            f"`until` was given as {shown(until)}; expected a text such as `max(u) < 0.1`, `u(x=1) = 0.5` or `steady`."
        )
    if checkpoint is not None:
        raise ValueError("`until` solves several times, and a checkpoint is of one; leave one of them out.")
    if not estimate:
        raise ValueError(
            "`until` finds a time to the tolerance, which `estimate=False` does not know; leave one of them out."
        )


def refuse_ill_posed(problem: Problem) -> None:
    """Refuse linear equations that amplify short waves without bound."""
    said = ill_posed(problem)
    if said:
        raise ProblemError(f"{said} {OVERRIDE}")


def refuse_net_flux(problem: Problem, tol: float) -> None:
    """Refuse a flow that is incompressible and enclosed, and into which more is given to flow than out of it."""
    found = net_flux(problem, tol)
    if found:
        raise ProblemError(str(found))


def refuse_imbalance(problem: Problem, tol: float) -> None:
    """Refuse a potential that is known up to a constant where the data at the start do not balance."""
    found = start_imbalance(problem, tol)
    if found:
        raise ProblemError(found)


def suits_space_time(problem: Problem) -> bool:
    """Whether rows of one point each, and functions of one box or shape, can state it."""
    other = is_layered(problem.domain) or has_inner_fluxes(problem) or goes_around(problem)
    return problem.local and not other


def goes_around(problem: Problem) -> bool:
    """Whether an axis of a domain that is no box is periodic."""
    return bool(problem.periodic) and not problem.domain.is_box


def has_inner_fluxes(problem: Problem) -> bool:
    """Whether rows have fluxes of coefficients that jump: what is said at points is not all that they say."""
    return any(has_delta(row.pattern) for row in problem.all_rows)


def refuse_whole(problem: Problem, asked: str) -> None:
    """Refuse means and unknowns of time alone in the method in space and time, whose rows are of one point each."""
    if is_layered(problem.domain):
        raise ProblemError(
            f"`{asked}` belongs to the method in space and time, which has no functions for layers; leave it out, and `lrfm.solve` "
            "are integrated by lines."
        )
    if goes_around(problem):
        raise ProblemError(
            f"`{asked}` belongs to the method in space and time, and an axis of a shape goes around, which cells of the plane alone know; leave it out, or give conditions at both ends."
        )
    if has_inner_fluxes(problem):
        raise ProblemError(
            f"`{asked}` needs rows of one point each, and `diff` differentiates what jumps: the flux is continuous there, which cells of the plane know. Solve by "
            "`lrfm.solve` without it, or give two materials as the layers of a domain, `lrfm.Layers(...)`."
        )
    if not problem.local:
        terms = [f"`{f.field}`" for f in problem.functionals]
        terms += [
            f"the unknown `{n}` of {kind}" for n, kind in problem.unknowns.items() if isinstance(kind, str)
        ]
        raise ProblemError(
            f"`{asked}` belongs to the method in space and time, whose rows are about one point each; {terms[0]} is about all of space. "
            "Solve by lines: leave it out."
        )


def refuse_checkpoint(path: str | Path | None) -> None:
    """Processes that go on from one file would all have to read and to write it."""
    known = group()
    if path is not None and known is not None and known.count > 1:
        raise ValueError(
            f"`checkpoint={str(path)!r}` was given on {known.count} processes, and is kept by one alone; leave it out."
        )
