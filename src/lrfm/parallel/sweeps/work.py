# SPDX-License-Identifier: MIT
"""One run of a sweep: solve, and send back numbers and the whole solution as a file. This is what workers run."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from lrfm.parallel.tasks import Done
from lrfm.problem import Problem
from lrfm.solver.api import solve

NUMBERS = (
    "status", "tolerance", "error_estimate", "max_error_estimate", "residual", "features", "rows", "rank", "condition",
    "steps", "blocks", "seconds",
)  # fmt: skip


@dataclass(frozen=True)
class Order:
    """A problem, arguments of `lrfm.solve`, and the name of the file that is to come back."""

    problem: Problem
    options: dict[str, object]
    seed: int
    file: str


def work(order: Order) -> Done:
    """Solve; an answer that misses its tolerance is an answer, too."""
    solution = solve(order.problem, **order.options, seed=order.seed, strict=False)
    with tempfile.TemporaryDirectory() as folder:
        content = solution.save(Path(folder) / "run.lrfm").read_bytes()
    report = solution.report
    values = {name: getattr(report, name) for name in NUMBERS}
    return Done({**values, "warnings": list(report.warnings)}, {order.file: content})
