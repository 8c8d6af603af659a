# SPDX-License-Identifier: MIT
"""Derivatives by parameters: their cost beside that of the solve, and their distance from differences.

python benchmarks/sensitivities.py            # all problems of the list
python benchmarks/sensitivities.py --only nls

Cost: CPU seconds of ∂u/∂p for one number, and for all numbers of a statement together divided by how many there are, relative to those of the solve;
problems are read anew and solved, in turns, and the median of the quotients counts. Differences: of the exact solution where there is one, else of solves with a smaller tolerance;
seven points; the worst of all numbers of the statement.
"""

from __future__ import annotations

import harness  # isort: skip

from functools import partial

import numpy as np

import lrfm

RESULT = harness.RESULTS / "sensitivities.jsonl"
PROBLEMS = (
    "burgers-front", "nls", "bbm", "sine-gordon", "wave", "klein-gordon", "schroedinger", "advection-diffusion", "fokker-planck",
    "fisher-kpp", "ginzburg-landau", "gray-scott",
)  # fmt: skip
TOLERANCES = 1e-6, 1e-8
REPEATED = 5
WEIGHTS = {-3: -1 / 60, -2: 9 / 60, -1: -45 / 60, 1: 45 / 60, 2: -9 / 60, 3: 1 / 60}
PLACES = 200


def solved(problem: lrfm.Problem, tol: float) -> lrfm.Solution:
    return lrfm.solve(problem, tol=tol, method="lines", strict=False)


def cost(name: str, tol: float) -> dict[str, float]:
    """Medians of quotients of what ran one after the other: what other processes slow down, they slow down alike."""
    names = solved(lrfm.catalog.get(name), tol).linearized().names
    rows = []
    for _ in range(REPEATED):
        problems = lrfm.catalog.get(name), lrfm.catalog.get(name)
        (one, spent), (other, again) = (harness.cpu(partial(solved, problem, tol)) for problem in problems)
        _, first = harness.cpu(lambda one=one: one.sensitivity(names[0]))
        _, together = harness.cpu(lambda other=other: other.linearized().sensitivities(names))
        solve = (spent + again) / 2
        rows.append((solve, first / solve, together / solve / len(names)))
    spent, first, each = np.median(rows, axis=0)
    return {"tol": tol, "solve": float(spent), "one": float(first), "each": float(each)}


def agreement(name: str, tol: float) -> dict[str, object]:
    """The worst relative distance of ∂u/∂p from differences, over the numbers of a statement."""
    solution = solved(lrfm.catalog.get(name), tol)
    problem, rng = solution.problem, np.random.default_rng(0)
    bounds = {**problem.domain.axes, "t": problem.time}
    at = {axis: low + (high - low) * rng.random(PLACES) for axis, (low, high) in bounds.items()}
    entry = lrfm.catalog.entry(name)
    exact = entry.reference == "exact"

    def values(number: str, value: float) -> np.ndarray:
        if exact:
            known = entry.builder(**{number: value}).reference
            found = known(**at) if callable(known) else [known[u](**at) for u in solution.unknowns]
            return np.asarray(found).ravel()
        other = problem.replace(parameters={**problem.parameters, number: value}, reference=None)
        near = lrfm.solve(other, tol=0.1 * tol, method="lines", strict=False)
        return np.concatenate([near[u](**at) for u in near.unknowns])

    gaps = {}
    for number in solution.linearized().names:
        p = float(problem.parameters[number])
        h = (2e-3 if exact else 2e-2) * (abs(p) or 1.0)
        slope = sum(w * values(number, p + k * h) for k, w in WEIGHTS.items()) / h
        found = solution.sensitivity(number)
        ours = np.concatenate([found[u](**at) for u in found.unknowns])
        gaps[number] = float(np.linalg.norm(ours - slope) / np.linalg.norm(slope))
    return {
        "tol": tol,
        "differences": "exact" if exact else "solves",
        "gaps": gaps,
        "gap": max(gaps.values()),
    }


def measured(name: str) -> dict[str, object]:
    return {
        "key": name, "machine": harness.machine(), "commit": harness.commit(),
        "numbers": solved(lrfm.catalog.get(name), TOLERANCES[0]).linearized().names,
        "cost": [cost(name, tol) for tol in TOLERANCES], "agreement": agreement(name, min(TOLERANCES)),
    }  # fmt: skip


if __name__ == "__main__":
    harness.measure_each(__doc__ or "", tuple(PROBLEMS), measured, RESULT)
