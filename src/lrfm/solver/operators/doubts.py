# SPDX-License-Identifier: MIT
"""What an operator says about other data than its own:  expected = estimate · missed / missed of its own data.

An estimate belongs to the data that it was made with. What equations and data are missed by is known of all, and exceeds the error of all
by factors that are alike, since functions and steps are the same.
"""

from __future__ import annotations

import math

from lrfm.solution.report import Report

WORSE = 100.0  # times what the operator's own data miss is worth a warning,
SMALL = 1e-6  # unless it is small
ROUNDING = 1e-8  # what data miss at least: less is not told apart


def doubts(missed: float, own: float, report: Report | None) -> list[str]:
    """A sentence where an answer may not meet the tolerance of its operator, or is far worse than its own; else none.

    `report` is that of the operator's own data, where there is one.
    """
    tol = None if report is None else report.tolerance
    estimate = math.nan if report is None else report.error_estimate
    expected = min(estimate * missed / max(own, ROUNDING), missed)
    doubted = tol is not None and missed > own and expected > tol
    if not doubted and missed <= max(WORSE * own, SMALL):
        return []
    said = f": an error of up to {expected:.1e} is to be expected, above tol={tol:.1e}" if doubted else ""
    return [
        f"Equations and data are met to {missed:.1e} of the solution, with the operator's own data to {own:.1e}{said}. These may need more "
        "features or shorter steps, or do not fit each other. Solve them with `lrfm.solve`."
    ]
