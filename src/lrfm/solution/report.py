# SPDX-License-Identifier: MIT
"""What a solve says about itself."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

SHOWN = 0.005  # share of a time constant from which it is printed


@dataclass(frozen=True)
class BlockReport:
    """One window: its time span, size, iteration and held-out residual.

    `growth` is the spectral radius of the block map, where several blocks share one; None where it is not known.
    """

    window: tuple[float, float]
    rows: int
    columns: int
    rank: int
    condition: float | None
    steps: int
    updates: tuple[float, ...]
    converged: bool
    reason: str
    fit_residual: float
    residual: float
    residual_by_block: dict[str, float] = field(default_factory=dict)
    seconds: float = 0.0
    factorizations: int = 0  # fewer than steps where one served several, none where it was another block's
    growth: float | None = None


@dataclass(frozen=True)
class TimeConstant:
    """A term e^(−t/τ), oscillating with a period where that is finite, and its share of the solution.

    A negative τ is growth; an infinite one neither decay nor growth.
    """

    tau: float
    period: float
    share: float

    def __str__(self) -> str:
        said = [f"period {self.period:.2g}"] if math.isfinite(self.period) else []
        if math.isfinite(self.tau):
            said.append(f"{'growth ' if self.tau < 0 else ''}{abs(self.tau):.2g}")
        return f"{', '.join(said) or 'steady'} ({100 * self.share:.0f} %)"


@dataclass(frozen=True)
class Report:
    """The statement of a solution; prints as a table.

    error_estimate
        Relative L² error over space and time, estimated without a reference: three times the difference of two independent
        draws of features and points. NaN: not asked for; infinity: no claim can be made.
    residual
        Residual of all rows on fresh points, in windows: √((Tᵐ·rms equation)² + rms initial² + rms boundary²) / rms u,
        the largest over blocks.
    rank, condition
        Numerical rank and condition number σ₁/σ_P of the last system (the worst block); NaN where not computed.
    indicators, decided_by
        What is known about the error (`lrfm.error.indicators`), by name, and the one that set the estimate.
    stopped
        The limit that ended the search before the tolerance was met, such as ``max_seconds=60``; empty where none did.
    growth
        Factor by which one block of a march multiplies errors, the largest one: the spectral radius of the block map of a
        linear problem whose coefficients do not change in time; NaN where it is not known.
    invariants
        Drift of what the equations conserve or dissipate (`lrfm.error.invariants`), each a lower bound of the relative error.
    time_constants
        Exponentials and oscillations in time that carry the solution (`lrfm.solution.time_constants`), largest share first; empty
        where no error was estimated.
    """

    error_estimate: float
    residual: float
    features: int
    rows: int
    rank: int
    condition: float
    steps: int
    blocks: int
    seconds: float
    seed: int
    warnings: tuple[str, ...] = ()
    status: str = "solved"
    max_error_estimate: float = math.nan
    tolerance: float | None = None
    block_reports: tuple[BlockReport, ...] = ()
    parts: dict[str, str] = field(default_factory=dict)
    choices: tuple[str, ...] = ()
    version: str = ""
    indicators: dict[str, float] = field(default_factory=dict)
    decided_by: str = ""
    invariants: dict[str, float] = field(default_factory=dict)
    growth: float = math.nan
    time_constants: tuple[TimeConstant, ...] = ()
    stopped: str = ""

    def lines(self) -> list[tuple[str, str]]:
        """Name and value of every entry, formatted."""
        entries = [
            ("status", self.status),
            ("error estimate", _number(self.error_estimate, "not estimated") + " (relative L2)"),
            ("largest error", _number(self.max_error_estimate, "not estimated") + " (estimate, relative)"),
            ("residual", _number(self.residual, "-") + " (fresh points, relative)"),
            ("features", f"{self.features}"),
            ("rows", f"{self.rows}"),
            ("rank", f"{self.rank}"),
            ("condition", _number(self.condition, "not computed")),
            ("steps", f"{self.steps}"),
            ("blocks", f"{self.blocks}"),
            ("seconds", f"{self.seconds:.2f}"),
            ("seed", f"{self.seed}"),
        ]
        if self.indicators:
            heard = ", ".join(f"{name} {_number(value, '-')}" for name, value in self.indicators.items())
            entries.insert(
                3, ("indicators", heard + (f"; {self.decided_by} decided" if self.decided_by else ""))
            )
        if self.stopped:
            entries.insert(1, ("stopped by", self.stopped))
        if self.tolerance is not None:
            entries.insert(1, ("tolerance", f"{self.tolerance:.1e}"))
        if not math.isnan(self.growth):
            entries.append(("growth", f"{self.growth:.6g} (errors, per block)"))
        kept = [f"{name} to {_number(value, '-')}" for name, value in self.invariants.items()]
        entries += [("invariants", "; ".join(kept))] if kept else []
        shown = [str(c) for c in self.time_constants if c.share >= SHOWN]
        entries += [("time constants", "; ".join(shown))] if shown else []
        entries += [(name, value) for name, value in self.parts.items()]
        entries += [("chosen", text) for text in self.choices]
        entries += [("warning", text) for text in self.warnings]
        return entries

    def __str__(self) -> str:
        entries = self.lines()
        width = max(len(name) for name, _ in entries)
        return "\n".join(f"{name:<{width}}  {value}" for name, value in entries)


def _number(value: float, missing: str) -> str:
    if math.isnan(value):
        return missing
    return "no claim" if math.isinf(value) else f"{value:.1e}"
