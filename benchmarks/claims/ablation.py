# SPDX-License-Identifier: MIT
"""What each indicator alone would have claimed, on the runs of the study that have an exact solution and came to the end.

value/error says how well an indicator measures; claims that it would have made (value ≤ tol) are false where error > tol.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import harness
import numpy as np

ALONE = ("draws", "misfit", "residual", "unseen", "invariants")
HEAD = (
    "indicator alone",
    "runs",
    "value/error: 10 %, median, 90 %",
    "would claim",
    "of these false",
    "by more than ten",
    "worst false claim: error/value",
    "true claims it would refuse",
    "decides",
)


def values(rows: list[harness.Row], name: str) -> list[tuple[harness.Row, float]]:
    """Runs of which an indicator has a number, with that; the estimate itself for `all together`."""
    take: Callable[[harness.Row], float] = lambda r: harness.number(dict(r.get("indicators") or {}), name)  # noqa: E731
    if name == "all together":
        take = lambda r: harness.number(r, "estimate")  # noqa: E731
    return [(r, take(r)) for r in rows if not math.isnan(take(r))]


def line(rows: list[harness.Row], name: str) -> list[str]:
    """One row of the table."""
    some = values(rows, name)
    ratio = [v / harness.number(r, "error") for r, v in some if harness.number(r, "error") > 0]
    claimed = [(r, v) for r, v in some if v <= float(r["tol"])]
    false = [(r, v) for r, v in claimed if not harness.number(r, "error") <= float(r["tol"])]
    far = [r for r, _ in false if not harness.number(r, "error") <= 10 * float(r["tol"])]
    refused = sum(bool(r["met"]) and not v <= float(r["tol"]) for r, v in some)
    decides = sum(r.get("by") == name for r in rows)
    worst = max(
        false, key=lambda rv: harness.number(rv[0], "error") / max(rv[1], 1e-300), default=(None, 0.0)
    )
    said = "-"
    if worst[0] is not None:
        row, value = worst
        said = f"{row['kind']} {row['number']}: {harness.show(harness.number(row, 'error'))} / {harness.show(value)}"
    return [
        name, str(len(some)), " / ".join(f"{v:.2g}" for v in np.quantile(ratio, (0.1, 0.5, 0.9))) if ratio else "-", str(len(claimed)),
        str(len(false)), str(len(far)), said, str(refused), str(decides) if name in ALONE else "-",
    ]  # fmt: skip


def ablation(rows: list[harness.Row]) -> str:
    """The table, one row per indicator and one for all of them."""
    ended = [r for r in rows if r["family"] != "negative" and math.isfinite(harness.number(r, "error"))]
    if not ended:
        return "No results yet: `python benchmarks/claims/run.py`."
    return harness.table(HEAD, [line(ended, name) for name in (*ALONE, "all together")])
