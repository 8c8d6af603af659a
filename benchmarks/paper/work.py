# SPDX-License-Identifier: MIT
"""Jobs as tasks, and what workers run: solve, measure, return plain data."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lrfm.parallel.tasks import Done, Folder, Notify, Place, Task, run_tasks
from lrfm.solution.reference import reference_values
from lrfm.solution.solution import Solution
from lrfm.solver.api import solve
from paper import plain, theory, tuned
from paper.case import Case
from paper.measure import errors
from paper.plan import Job

SLICE_TIMES = (0.0, 2e-4, 0.01, 0.05, 0.1)  # of the three-dimensional figure
SLICE_POINTS = 41


def run_jobs(
    jobs: Sequence[Job], folder: Path, place: Place, notify: Notify | None = None
) -> dict[str, dict[str, Any]]:
    """Run what has no result in the folder yet; jobs whose seconds are a result come last, one at a time."""
    return run_tasks(execute, [_task(job) for job in jobs], place, Folder(folder), notify=notify)


def _task(job: Job) -> Task:
    data = job.data
    what = data.get("case", data).get("problem", job.kind)
    label = f"{what} {data.get('method', job.kind)}, seed {job.seed}"
    about = {"kind": job.kind, "data": data, "seed": job.seed}
    payload = {"key": job.key, **about}
    return Task(
        key=job.key, label=label, payload=payload, about=about, cost=job.cost, exclusive=job.exclusive
    )


def execute(job: Mapping[str, Any]) -> Done:
    """Run one job."""
    return KINDS[job["kind"]](job)


def _solve(job: Mapping[str, Any]) -> Done:
    """The paper's protocol."""
    case = Case.from_dict(job["data"]["case"])
    method = case.method(job["data"]["method"])
    solution = solve(case.statement(), method=method, seed=job["seed"], estimate=False, strict=False)
    drawn = {f"fields/{job['key']}.npz": field_file(solution)} if job["data"].get("field") else {}
    return Done(outcome(solution), drawn)


KINDS: dict[str, Callable[[Mapping[str, Any]], Done]] = {
    "solve": _solve,
    "tuned": lambda job: Done(outcome(tuned.solve_tuned(job["data"], job["seed"]))),
    "timing": lambda job: Done(
        plain.compare(Case.from_dict(job["data"]["case"]), job["data"]["method"], job["seed"])
    ),
    "reference": lambda job: Done(theory.reference_convergence(**job["data"])),
    "rank": lambda job: Done(theory.temporal_rank(**job["data"])),
    "density": lambda job: Done(theory.density(**job["data"], seed=job["seed"])),
}


def outcome(solution: Solution) -> dict[str, Any]:
    """Errors and what the solver says about itself; the tables pick from it."""
    report = solution.report
    windows = report.block_reports
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
        "fit_residual": max(w.fit_residual for w in windows),
        "steps": report.steps,
        "converged": all(w.converged for w in windows),
        "seconds": sum(w.seconds for w in windows),
        "status": report.status,
    }


def field_file(solution: Solution) -> bytes:
    """Reference and solution for the figures, as npz: the whole field in one dimension, slices z = 0.5 in three."""
    problem, name = solution.problem, solution.unknowns[0]
    if problem.domain.dimension == 1:
        axes: dict[str, Any] = {k: np.linspace(*ends, 201) for k, ends in problem.domain.axes.items()}
        axes["t"] = np.linspace(*problem.time, 101)
    else:
        axes = {k: np.linspace(*ends, SLICE_POINTS) for k, ends in problem.domain.axes.items()}
        axes["z"], axes["t"] = np.array([0.5]), np.array(SLICE_TIMES)
    at: dict[str, Any] = dict(zip(axes, np.meshgrid(*axes.values(), indexing="ij"), strict=True))
    exact, found = reference_values(problem, at)[name], solution[name](**at)
    gap = np.abs(found - exact)
    if np.iscomplexobj(exact):
        exact, found = np.abs(exact), np.abs(found)
    arrays = {"reference": exact, "found": found, "gap": gap, **axes}
    content = io.BytesIO()
    single: dict[str, Any] = {k: np.asarray(v, dtype=np.float32) for k, v in arrays.items()}
    np.savez_compressed(content, **single)
    return content.getvalue()
