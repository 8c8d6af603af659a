# SPDX-License-Identifier: MIT
"""One job: solve, measure, and return plain data. This is what workers run."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

import numpy as np

from lrfm.paper import plain, theory, tuned
from lrfm.paper.case import Case
from lrfm.paper.measure import errors
from lrfm.parallel.tasks import Done
from lrfm.solution.solution import Solution, reference_values
from lrfm.solver.api import solve

SLICE_TIMES = (0.0, 2e-4, 0.01, 0.05, 0.1)  # of the three-dimensional figure
SLICE_POINTS = 41


def execute(job: Mapping[str, Any]) -> Done:
    """Run one job."""
    return KINDS[job["kind"]](job)


def _solve(job: Mapping[str, Any]) -> Done:
    """The paper's protocol."""
    case = Case.from_dict(job["data"]["case"])
    problem = case.statement()
    parts = case.parts(job["data"]["method"])
    solution = solve(problem, **parts, seed=job["seed"], estimate=False, strict=False)
    field = field_file(solution) if job["data"].get("field") else b""
    return Done(outcome(solution), {f"fields/{job['key']}.npz": field} if field else {})


def _tuned(job: Mapping[str, Any]) -> Done:
    """This package's own settings."""
    return Done(outcome(tuned.solve_tuned(job["data"], job["seed"])))


def _timing(job: Mapping[str, Any]) -> Done:
    """The paper's loop, our solve of the same protocol, and our own iteration on the same trial space."""
    return Done(plain.compare(Case.from_dict(job["data"]["case"]), job["data"]["method"], job["seed"]))


def _reference(job: Mapping[str, Any]) -> Done:
    """Allen-Cahn's Fourier reference against itself with other resolutions."""
    return Done(theory.reference_convergence(**job["data"]))


def _rank(job: Mapping[str, Any]) -> Done:
    return Done(theory.temporal_rank(**job["data"]))


def _density(job: Mapping[str, Any]) -> Done:
    return Done(theory.density(**job["data"], seed=job["seed"]))


KINDS = {
    "solve": _solve,
    "tuned": _tuned,
    "timing": _timing,
    "reference": _reference,
    "rank": _rank,
    "density": _density,
}


def outcome(solution: Solution) -> dict[str, Any]:
    """Errors and what the solver says about itself; the tables pick from it."""
    report = solution.report
    blocks = report.block_reports
    found = errors(solution)
    if solution.problem.name != "allen-cahn-long":  # the one whose history is drawn
        del found["history"], found["times"]
    return {
        **found,
        "condition": report.condition,
        "rank": report.rank,
        "rows": report.rows,
        "columns": report.features,
        "residual": report.residual,
        "fit_residual": max(b.fit_residual for b in blocks),
        "steps": report.steps,
        "converged": all(b.converged for b in blocks),
        "seconds": sum(b.seconds for b in blocks),
        "status": report.status,
    }


def field_file(solution: Solution) -> bytes:
    """Reference and solution for the figures, as npz: the whole field in one dimension, slices z = 0.5 in three."""
    problem = solution.problem
    name = solution.unknowns[0]
    axes = {k: np.linspace(*ends, 201) for k, ends in problem.domain.axes.items()}
    if problem.domain.dimension == 3:
        axes = {k: np.linspace(*ends, SLICE_POINTS) for k, ends in problem.domain.axes.items()}
        axes["z"], axes["t"] = np.array([0.5]), np.array(SLICE_TIMES)
    elif problem.domain.dimension == 1:
        axes["t"] = np.linspace(*problem.time, 101)
    else:
        return b""
    at = dict(zip(axes, np.meshgrid(*axes.values(), indexing="ij"), strict=True))
    exact, found = reference_values(problem, at)[name], solution[name](**at)
    gap = np.abs(found - exact)
    if np.iscomplexobj(exact):
        exact, found = np.abs(exact), np.abs(found)
    arrays = {"reference": exact, "found": found, "gap": gap, **axes}
    content = io.BytesIO()
    np.savez_compressed(content, **{k: np.asarray(v, dtype=np.float32) for k, v in arrays.items()})
    return content.getvalue()
