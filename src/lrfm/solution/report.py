# SPDX-License-Identifier: MIT
"""What a solve says about itself."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape

import numpy as np

from lrfm import __version__
from lrfm.error.held_out import UNRESOLVED

SEEN = (
    "features of data given as functions below 2e-5 of the domain or of the time span (1e-4 in boxes of more dimensions) are not seen; in "
    "formulas tops, poles and kinks are found at any width"
)
GOOD = (
    "tolerance met",
    "estimate only",
    "solved",
)  # something is claimed; "solved" is in files of earlier versions
FINE = (*GOOD, "not estimated")  # statuses that ask for nothing to be done


SHRINKING = "while steps shrank to"
ROUGH = "The solution seems to end or to lose its smoothness there, as in a blow-up or a shock: stop before it, or add what smooths it."
LACKING = (
    "and the equations need"  # in the sentence on a face that lacks a condition (`lrfm.error.well_posed`)
)
DIFFERENT = 0.5  # an estimate above which two draws have little in common
CHECK = "Check the statement first: the sign of diffusion, a shock, data finer than 1/1000 of the domain."


@dataclass(frozen=True)
class WindowReport:
    """One window: its time span, size, iteration and held-out residual. What is left out is that of one linear step.

    `fit_residual` is the norm of the weighted rows that were fitted, `residual` that of fresh ones, relative to u (`lrfm.error`).
    `factorizations` are fewer than steps where one served several, none where it was another window's. `growth` is the spectral
    radius of the map from window to window, where several share one; None where it is not known.
    """

    window: tuple[float, float]
    rows: int
    columns: int
    rank: int
    condition: float | None
    fit_residual: float
    residual: float
    updates: tuple[float, ...] = (0.0,)
    converged: bool = True
    reason: str = "the problem is linear"
    residual_by_group: dict[str, float] = field(default_factory=dict)
    seconds: float = 0.0
    factorizations: int = 0
    growth: float | None = None

    @property
    def steps(self) -> int:
        """Steps of the nonlinear iteration."""
        return len(self.updates)


@dataclass(frozen=True)
class Report:
    """The statement of a solution; prints as a table.

    Attributes
    ----------
    status : str
        ``"tolerance met"``, or ``"estimate only"`` where there is an estimate and no tolerance was given; ``"not estimated"`` where
        none was wanted; else ``"tolerance not met"``, ``"no claim"``, ``"not resolved"``, ``"ill-posed"``, ``"not unique"`` (a face lacks a condition), or ``"not converged: …"``
        with the block and the reason. `advice` says what to do then.
    error_estimate, max_error_estimate : float
        Relative L² error over space and time, and relative largest error, estimated without a reference: three times the
        difference of two independent draws of features and points. NaN: not asked for; infinity: no claim can be made.
    indicators : dict of str to float
        What is known about the error (`lrfm.error.indicators`), by name.
    decided_by : str
        The indicator that set the estimate.
    worst : str
        The unknown with the largest estimate; each is measured by its own size.
    profile : tuple of (time, estimate)
        The estimate over the rest of the window from that time on: where data contradict each other it falls fast. See `error_after`.
    residual : float
        Residual of all rows on fresh points: √((Tᵐ·rms equation)² + rms initial² + rms boundary²) / rms u, T the length of a
        window and m the order in time; the largest over windows.
    features, rows, rank, condition, steps : int or float
        Columns, rows, numerical rank and condition number σ₁/σ_P of the last system, and nonlinear steps, of the worst window;
        the condition is NaN where it was not computed.
    blocks, block_reports : int, tuple of WindowReport
        How many windows cover the time span, and the report of each.
    seconds, seed, tolerance, parts, choices, version
        What was asked for, what was chosen, and what it took.
    stopped : str
        The limit that ended the search before the tolerance was met, such as ``max_seconds=60``; empty where none did.
    growth : float
        Factor by which one window of a march multiplies errors, the largest one: the spectral radius of the map from window to
        window of a linear problem whose coefficients do not change in time; NaN where it is not known.
    invariants : dict of str to float
        Drift of what the equations conserve or dissipate (`lrfm.error.invariants`), each a lower bound of the relative error.
    undetermined : tuple of str
        Unknowns that the statement determines up to a constant at each time: given with mean zero, and compared so.
    warnings : tuple of str
        What to know before the numbers are believed.

    Examples
    --------
    >>> import lrfm
    >>> report = lrfm.solve(lrfm.catalog.heat_1d(), features=60, blocks=1).report
    >>> report.status, report.features, report.decided_by, report.advice
    ('estimate only', 60, 'draws', '')
    >>> report.error_estimate < 1e-4
    True
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
    status: str = "not estimated"
    max_error_estimate: float = math.nan
    tolerance: float | None = None
    block_reports: tuple[WindowReport, ...] = ()
    parts: dict[str, str] = field(default_factory=dict)
    choices: tuple[str, ...] = ()
    version: str = ""
    indicators: dict[str, float] = field(default_factory=dict)
    decided_by: str = ""
    invariants: dict[str, float] = field(default_factory=dict)
    growth: float = math.nan
    stopped: str = ""
    worst: str = ""
    profile: tuple[tuple[float, float], ...] = ()
    method: str = "space-time"
    undetermined: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        windows: Sequence[WindowReport],
        *,
        seed: int,
        parts: Mapping[str, str] | None = None,
        asked: int | None = None,
        seconds: float | None = None,
        tolerance: float | None = None,
        l2: float = math.nan,
        linf: float = math.nan,
        indicators: Mapping[str, float] | None = None,
        decided_by: str = "",
        invariants: Mapping[str, float] | None = None,
        warnings: Sequence[str] = (),
        ill_posed: bool = False,
        not_unique: bool = False,
        worst: str = "",
        profile: Sequence[tuple[float, float]] = (),
        held: float | None = None,
    ) -> Report:
        """The report of a march from those of its windows and what is known about its error.

        `asked` is the number of windows that were to be solved, if it is not that of `windows`; `held` is the residual by which
        the status is judged, if it is not the largest one of the windows.
        """
        # NumPy's maximum is NaN where a residual is: a window that broke down must not hide behind the others.
        residual = float(np.max([w.residual for w in windows]))
        judged = residual if held is None else held
        conditions = [w.condition for w in windows if w.condition is not None]
        return cls(
            error_estimate=l2,
            max_error_estimate=linf,
            residual=residual,
            features=max(w.columns for w in windows),
            rows=max(w.rows for w in windows),
            rank=min(w.rank for w in windows),
            condition=max(conditions, default=math.nan),
            steps=max(w.steps for w in windows),
            blocks=len(windows),
            seconds=sum(w.seconds for w in windows) if seconds is None else seconds,
            seed=seed,
            warnings=tuple(map(str, warnings)),
            status="ill-posed"
            if ill_posed
            else "not unique"
            if not_unique and all(w.converged for w in windows)  # what a broken march ends with tells nothing
            else _status(windows, asked or len(windows), judged, l2, tolerance),
            tolerance=tolerance,
            block_reports=tuple(windows),
            parts=dict(parts or {}),
            version=__version__,
            indicators=dict(indicators or {}),
            decided_by=decided_by,
            worst=worst,
            profile=tuple((float(t), float(e)) for t, e in profile),
            invariants=dict(invariants or {}),
            growth=max((w.growth for w in windows if w.growth is not None), default=math.nan),
        )

    @property
    def solved(self) -> bool:
        """Whether something is claimed: there is an estimate, and it is within the tolerance if one was given."""
        return self.status in GOOD

    def error_after(self, time: float) -> float:
        """Estimated relative L² error over space and the times from `time` to the end; NaN where none was made.

        >>> import lrfm
        >>> report = lrfm.solve(lrfm.catalog.heat_1d(), tol=1e-3).report
        >>> report.error_after(0.05) < 1e-3
        True
        """
        before = [error for t, error in self.profile if t <= time] or [error for _, error in self.profile[:1]]
        return before[-1] if before else math.nan

    @property
    def failed(self) -> bool:
        """Whether something went wrong; an estimate that was not wanted is not missed."""
        return self.status not in FINE

    @property
    def advice(self) -> str:
        """What went wrong and what to do about it; empty where nothing did."""
        if self.solved:
            return ""
        limit = f" The search was stopped by `{self.stopped}`{self._early()}." if self.stopped else ""
        if self.status == "not estimated":
            return "Nothing is claimed, since no error was estimated. Leave out `estimate=False`."
        if self.status == "ill-posed":
            return (
                "Linearized at this solution, the equations amplify short waves without bound: the problem is ill-posed, and no "
                "number of features helps. Check the signs of the highest derivatives. Where these depend on the solution, as in "
                "`diff(u*u_x, x)`, a solution that is slightly wrong (u < 0) may look so in a problem that is not: `diff(max(u, 0)*u_x, x)` "
                "keeps the sign. If you know better, `accept_ill_posed=True` solves and judges it like any other problem."
            )
        if self.status == "not unique":
            return next((text for text in self.warnings if "not unique" in text), "A face lacks a condition.")
        if self.status == "no claim":
            return (
                f"The indicators allow no claim ({self.decided_by or 'no estimate'}).{limit} {self._remedy()}"
            )
        missing = next((text for text in self.warnings if LACKING in text), "")
        if missing and self.status.startswith("not "):
            return f"{self.status[0].upper()}{self.status[1:]}. {missing}"
        if self.status == "not resolved":
            lines = self.method == "lines"
            what = "functions in space do" if lines else "trial space does"
            return (
                f"The {what} not resolve the solution: residual {self.residual:.1e} on fresh points.{limit} "
                + (self._remedy() if self.stopped or not lines else CHECK)
            )
        if self.status == "tolerance not met" and self.decided_by == "misfit":
            return (
                f"{self._missed()}{limit} Most of it is the distance of the solution from its initial data, which have a jump or a kink "
                "there or contradict the boundary; later the error is smaller. Start later, or ask for less (`tol`)."
            )
        if self.status == "tolerance not met":
            return f"{self._missed()}{limit} {self._remedy()}"
        return f"{self.status[0].upper()}{self.status[1:]}. {self._remedy()}"

    def _remedy(self) -> str:
        """The one thing to try first."""
        if SHRINKING in self.status:
            return ROUGH
        if "max_seconds" in f"{self.stopped} {self.status}":
            return "Allow more seconds (`max_seconds`)."
        if self.stopped.startswith("max_features"):
            return "Allow more features (`max_features`)."
        if math.isnan(self.error_estimate) and self.status == "tolerance not met":
            return "Leave out `estimate=False`."
        if self.method == "lines" and self.error_estimate < DIFFERENT:
            return (
                f"This solution meets `tol={_rounded_up(self.error_estimate)}`. Functions and steps are chosen anew for each `tol`: another "
                "one, a smaller one too, may be met."
            )
        if self.method == "lines":
            return (
                "Two draws differ by as much as the solution itself, so that nothing is known of it. Check whether it grows without "
                "bound, and whether coefficients and data vary within a hundredth of the domain."
            )
        return "Use more features." if self.status == "not resolved" else "Use shorter blocks (`blocks`)."

    def _early(self) -> str:
        """That there was time left, but not enough for one more attempt."""
        name, _, limit = self.stopped.partition("=")
        left = float(limit) - self.seconds if name == "max_seconds" else 0.0
        return (
            f": a further attempt would not have fitted into the {left:.0f} s that were left"
            if left > 1
            else ""
        )

    def _missed(self) -> str:
        if math.isnan(self.error_estimate):
            return f"No error was estimated for tol={self.tolerance:.1e}."
        if math.isinf(self.error_estimate):
            return f"Nothing can be claimed for tol={self.tolerance:.1e}: the indicator `{self.decided_by}` allows no estimate."
        return f"The error estimate {self.error_estimate:.1e} is above tol={self.tolerance:.1e}."

    def lines(self) -> list[tuple[str, str]]:
        """Name and value of every entry, formatted."""
        known = ", ".join(f"{name} {_number(value, '-')}" for name, value in self.indicators.items())
        kept = "; ".join(f"{name} to {_number(value, '-')}" for name, value in self.invariants.items())
        entries = [
            ("status", self.status),
            ("method", self.method),
            ("tolerance", "" if self.tolerance is None else f"{self.tolerance:.1e}"),
            ("stopped by", self.stopped),
            ("error estimate", _number(self.error_estimate, "not estimated") + " (relative L2)"),
            ("largest error", _number(self.max_error_estimate, "not estimated") + " (estimate, relative)"),
            ("indicators", known + (f"; decided by {self.decided_by}" if self.decided_by else "")),
            ("worst unknown", self.worst),
            ("data seen", SEEN if self.decided_by else ""),
            ("residual", _number(self.residual, "-") + " (fresh points, relative)"),
            ("features", f"{self.features}"),
            ("rows", f"{self.rows}"),
            ("rank", f"{self.rank}"),
            ("condition", _number(self.condition, "not computed")),
            ("steps", f"{self.steps}" + " (nonlinear, most in one block)" * (self.blocks > 1)),
            ("blocks", f"{self.blocks}"),
            ("seconds", f"{self.seconds:.2f}"),
            ("seed", f"{self.seed}"),
            ("growth", "" if math.isnan(self.growth) else f"{self.growth:.6g} (errors, per block)"),
            ("invariants", kept),
            *self.parts.items(),
            *(("chosen", text) for text in self.choices),
            *(("warning", text) for text in self.warnings),
        ]
        return [(name, value) for name, value in entries if value]

    def _repr_latex_(self) -> str:
        from lrfm.problem.typeset import table_latex

        return table_latex(self.lines())

    def _repr_html_(self) -> str:
        from lrfm.problem.typeset import table_html

        color = "#1a7f37" if self.solved else "#9a6700" if not self.failed else "#cf222e"
        large = _number(self.error_estimate, "not estimated")
        head = (
            f'<div><span style="font-size: 1.8em; font-weight: 600; color: {color}">{large}</span> relative error, '
            f'<b style="color: {color}">{escape(self.status)}</b></div>'
        )
        rest = [entry for entry in self.lines() if entry[0] not in ("status", "error estimate")]
        return table_html(rest, head + (f"<p>{escape(self.advice)}</p>" if self.advice else ""))

    def __str__(self) -> str:
        entries = self.lines()
        width = max(len(name) for name, _ in entries)
        return "\n".join(f"{name:<{width}}  {value}" for name, value in entries)


def _status(
    windows: Sequence[WindowReport], asked: int, held: float, estimate: float, tolerance: float | None
) -> str:
    failed = [number for number, w in enumerate(windows, 1) if not w.converged]
    if failed:
        return f"not converged: block {failed[0]}, {windows[failed[0] - 1].reason}"
    if len(windows) < asked:
        return f"not finished: the solution ends at t = {windows[-1].window[1]:g}"
    # A witness in a larger space may have measured what is left out, but nothing measures what is not a number.
    if not (held < UNRESOLVED or (math.isfinite(held) and math.isfinite(estimate))):
        return "not resolved"
    if tolerance is None and math.isnan(estimate):
        return "not estimated"
    if tolerance is None:
        return "estimate only" if math.isfinite(estimate) else "no claim"
    return "tolerance met" if estimate <= tolerance else "tolerance not met"


def _rounded_up(value: float) -> str:
    """A tolerance in one digit that is not below a number: 2e-05 for 1.3e-5."""
    scale = 10.0 ** math.floor(math.log10(value)) if value > 0 else 1.0
    return f"{math.ceil(value / scale * (1 - 1e-9)) * scale:.0e}"


def _number(value: float, missing: str) -> str:
    if math.isnan(value):
        return missing
    return "no claim" if math.isinf(value) else f"{value:.1e}"
