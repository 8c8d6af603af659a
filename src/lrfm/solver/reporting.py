# SPDX-License-Identifier: MIT
"""The report on a march: what its windows say of themselves, and the estimate of its error."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from lrfm import __version__
from lrfm.error.held_out import UNRESOLVED
from lrfm.error.indicators import Estimate
from lrfm.solution.report import BlockReport, Report


def report_on(
    windows: Sequence[BlockReport],
    wanted: int,
    estimate: Estimate,
    tol: float | None,
    seconds: float,
    seed: int,
    parts: Mapping[str, str],
) -> Report:
    """The report on a march of `wanted` windows, of which some may be missing at the end."""
    held = max(r.residual for r in windows)
    conditions = [r.condition for r in windows if r.condition is not None]
    return Report(
        error_estimate=estimate.l2,
        residual=held,
        features=max(r.columns for r in windows),
        rows=max(r.rows for r in windows),
        rank=min(r.rank for r in windows),
        condition=max(conditions, default=math.nan),
        steps=max(r.steps for r in windows),
        blocks=len(windows),
        seconds=seconds,
        seed=seed,
        warnings=estimate.warnings,
        status="ill-posed" if estimate.ill_posed else _status(windows, wanted, held, estimate.l2, tol),
        max_error_estimate=estimate.linf,
        tolerance=tol,
        block_reports=tuple(windows),
        parts=dict(parts),
        version=__version__,
        indicators=estimate.indicators,
        decided_by=estimate.decided_by,
        invariants=estimate.invariants,
        growth=max((r.growth for r in windows if r.growth is not None), default=math.nan),
    )


def _status(
    windows: Sequence[BlockReport], wanted: int, held: float, estimate: float, tol: float | None
) -> str:
    failed = [i for i, r in enumerate(windows, 1) if not r.converged]
    if failed or len(windows) < wanted:
        worst = failed[0] if failed else len(windows)
        return f"not converged: block {worst}, {windows[worst - 1].reason}"
    if not held < UNRESOLVED:
        return "not resolved"
    if tol is not None and not estimate <= tol:
        return "tolerance not met"
    return "solved" if tol is None else "tolerance met"
