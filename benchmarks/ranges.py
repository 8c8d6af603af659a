# SPDX-License-Identifier: MIT
"""A parameter as a coordinate: u(x, t, p) over a range of p against exact solutions, and its cost beside one solve at the hardest value.

python benchmarks/ranges.py                # all cases
python benchmarks/ranges.py --only burgers

CPU seconds of one run: solves at the hardest value before and after the family, the mean of them. The error is the worst over values of p at random (log p even), the ends
included, each relative in L² over places and times at random.
"""

from __future__ import annotations

import harness  # isort: skip

import math
from collections.abc import Callable

import numpy as np

import lrfm
from lrfm import Problem, Range
from lrfm.catalog.paper import allen_cahn_series, cole_hopf

RESULT = harness.RESULTS / "ranges.jsonl"
TOL = 1e-6
VALUES, PLACES = 20, 400


def allen_cahn(T: float) -> tuple[Problem, Callable]:
    problem = lrfm.catalog.allen_cahn_long(T=T).replace(parameters={"eps": Range(1e-4, 1e-2)}, reference=None)
    return problem, lambda x, t, eps: allen_cahn_series(eps, T, modes=512, panels=16)(x, t)


def burgers(nu: float, T: float) -> tuple[Problem, Callable]:
    problem = lrfm.catalog.burgers(T=T).replace(parameters={"nu": Range(nu, 10 * nu)}, reference=None)
    return problem, lambda x, t, nu: cole_hopf(x, t, nu=nu)


# The two statements of the catalog, and each over a time after which it is steep.
CASES: dict[str, Callable[[], tuple[Problem, Callable]]] = {
    "allen-cahn": lambda: allen_cahn(0.1),
    "allen-cahn-long": lambda: allen_cahn(2.0),
    "burgers": lambda: burgers(0.005 / math.pi, 0.1),
    "burgers-steep": lambda: burgers(0.01 / math.pi, 1.0),
}


def errors(family: lrfm.Family, exact: Callable) -> list[float]:
    """Relative errors at values of p that the family has not seen, and at the ends."""
    rng, span, problem = np.random.default_rng(5), family.range, family.problem
    ends = np.log([span.lower, span.upper])
    inside = np.exp(ends[0] + (ends[1] - ends[0]) * rng.random(VALUES))
    found = []
    for p in [span.lower, *inside, span.upper]:
        x = rng.uniform(*problem.domain.axes["x"], PLACES)
        t = rng.uniform(*problem.time, PLACES)
        truth = exact(x, t, p)
        gap = family(x=x, t=t, **{family.name: p}) - truth
        found.append(float(np.linalg.norm(gap) / np.linalg.norm(truth)))
    return found


def measured(name: str) -> dict[str, object]:
    problem, exact = CASES[name]()
    ((number, span),) = ((k, v) for k, v in problem.parameters.items() if isinstance(v, Range))
    lrfm.family(problem, tol=1e-2)  # what is imported or made once in a process is neither's

    def one() -> tuple[lrfm.Solution, float]:
        hardest = problem.replace(parameters={number: span.lower})
        return harness.cpu(lambda: lrfm.solve(hardest, tol=TOL, method="lines", strict=False))

    _, before = one()
    family, spent = harness.cpu(lambda: lrfm.family(problem, tol=TOL))
    solution, after = one()
    found = errors(family, exact)
    return {
        "key": name, "machine": harness.machine(), "commit": harness.commit(), "tol": TOL, "parameter": number,
        "range": [span.lower, span.upper], "solve": (before + after) / 2, "family": spent, "times": spent / ((before + after) / 2),
        "solves": family.solves, "intervals": len(family.intervals), "estimate": family.error_estimate, "worst": max(found),
        "errors": found, "solve_estimate": solution.report.error_estimate,
    }  # fmt: skip


if __name__ == "__main__":
    harness.measure_each(__doc__ or "", tuple(CASES), measured, RESULT)
