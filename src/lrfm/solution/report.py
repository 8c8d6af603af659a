# SPDX-License-Identifier: MIT
"""What a solve says about itself."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from lrfm import __version__
from lrfm.error.indicators import UNRESOLVED
from lrfm.problem.calls import naming
from lrfm.solution.advice import advice
from lrfm.solution.engines import EnginePart, Entries, part_of
from lrfm.solution.status import Status
from lrfm.solution.telling import Details, as_text, detail_lines, html, short_lines


@dataclass(frozen=True)
class WindowReport:
    """One window: its time span, size, iteration and held-out residual. What is left out is that of one linear step.

    `fit_residual` is the norm of the weighted rows that were fitted, `residual` that of fresh ones, relative to u (`lrfm.error`).
    `factorizations` are fewer than steps where one served several, none where it was another window's. `growth` is the spectral
    radius of the map from window to window, where several share one; None where it is not known. Where it has not `converged`, `reason`
    says why, and `status` is that of an integration by lines which ends here.
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
    status: Status | None = None

    @property
    def steps(self) -> int:
        """Steps in time by lines, of the nonlinear iteration in space and time."""
        return len(self.updates)


@naming
@dataclass(frozen=True)
class Report:
    """What a solve says of its answer: prints as five lines, and `details` has the rest.

    Attributes
    ----------
    status : Status
        How it ended: equal to words such as ``"tolerance met"``, which it prints; `status.meaning` is a sentence (`lrfm.solution.status`).
    reason : str
        What there is to be said about a status beyond its words, such as where an integration ended. `advice` says what to do then.
    details : Details
        All that is not in the five lines; prints as a table.
    engine : LinesPart or SpaceTimePart
        The numbers of the engine that solved it, by their names (`lrfm.solution.engines`).
    linear, compared : bool
        Whether the equations are linear, and whether a comparison solve was asked for (`estimate`).
    time : tuple of float, optional
        The time span that was asked for; `block_reports` say how far it was reached.
    error_estimate, max_error_estimate : float
        Relative L² error over space and time, and relative largest error, estimated without a reference: three times the
        difference of two independent draws of features and points. NaN: not asked for; infinity: no claim can be made.
    bound : float
        What the relative L² error is at most (`certify=True`): it follows from the defect of the solution, rather than from a comparison; NaN where it was
        not asked for, infinity where there is none.
    norm : int
        2 where the estimate is one in L²; 1 where the solution jumps, and the estimate is one in L¹: ∫∫|error|/∫∫|u|.
    indicators : dict of str to float
        What is known about the error (`lrfm.error.indicators`), by name.
    decided_by : str
        The indicator that set the estimate.
    worst : str
        The unknown with the largest estimate; each is measured by its own size, the components of a velocity by that of the vector, `(u, v)`.
    profile : tuple of (time, estimate)
        The estimate over the rest of the window from that time on: where data contradict each other it falls fast. See `error_after`.
    early : tuple of (time, estimate)
        The estimate from the start up to that time: where errors grow, as in chaos, it is small for long. See `error_before` and `met_until`.
    error_by_time : tuple of (time, error)
        Size of the error field over space at the ends of steps, relative to the solution; none before `Solution.error_field` was asked for.
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
        Factor by which one window of an integration multiplies errors, the largest one: the spectral radius of the map from window to
        window of a linear problem whose coefficients do not change in time; NaN where it is not known.
    invariants : dict of str to float
        Drift of what the equations conserve or dissipate (`lrfm.error.invariants`), each a lower bound of the relative error.
    over : str
        What errors are measured over: space and time, time alone (ordinary equations), space alone (steady ones), nothing (ordinary ones at rest).
    undetermined : tuple of str
        Unknowns that the statement determines up to a constant at each time: given with mean zero, and compared so.
    warnings : tuple of str
        What to know before the numbers are believed.

    Examples
    --------
    >>> import lrfm
    >>> report = lrfm.solve(lrfm.catalog.heat_1d(), tol=1e-4).report
    >>> report.status
    <Status.TOLERANCE_MET: 'tolerance met'>
    >>> report.error_estimate < 1e-4, report.method, report.advice
    (True, 'lines', '')
    >>> print(report.details)
    method ...
    version ...
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
    status: Status = Status.NOT_ESTIMATED
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
    reason: str = ""
    time: tuple[float, float] | None = None
    linear: bool = False
    compared: bool = True
    norm: int = 2
    error_by_time: tuple[tuple[float, float], ...] = ()
    over: str = "space and time"
    early: tuple[tuple[float, float], ...] = ()
    bound: float = math.nan

    def __post_init__(self) -> None:
        object.__setattr__(self, "status", Status(self.status))

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
        early: Sequence[tuple[float, float]] = (),
        held: float | None = None,
        method: str = "space-time",
        time: tuple[float, float] | None = None,
        norm: int = 2,
    ) -> Report:
        """The report of an integration from those of its windows and what is known about its error.

        `asked` is the number of windows that were to be solved, if it is not that of `windows`; `held` is the residual by which
        the status is judged, if it is not the largest one of the windows.
        """
        # NumPy's maximum is NaN where a residual is: a window that broke down must not hide behind the others.
        residual = float(np.max([w.residual for w in windows]))
        judged = residual if held is None else held
        conditions = [w.condition for w in windows if w.condition is not None]
        status, reason = _status(windows, asked or len(windows), judged, l2, tolerance)
        within = [t for t, error in early if tolerance is not None and error <= tolerance]
        if status is Status.TOLERANCE_NOT_MET and within:
            reason = f"met from the start up to t = {max(within):.6g}"
        if ill_posed:
            status, reason = Status.ILL_POSED, ""
        elif not_unique and all(
            w.converged for w in windows
        ):  # what a broken integration ends with tells nothing
            status, reason = Status.NOT_UNIQUE, ""
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
            status=status,
            reason=reason,
            method=method,
            time=time,
            norm=norm,
            tolerance=tolerance,
            block_reports=tuple(windows),
            parts=dict(parts or {}),
            version=__version__,
            indicators=dict(indicators or {}),
            decided_by=decided_by,
            worst=worst,
            profile=tuple((float(t), float(e)) for t, e in profile),
            early=tuple((float(t), float(e)) for t, e in early),
            invariants=dict(invariants or {}),
            growth=max((w.growth for w in windows if w.growth is not None), default=math.nan),
        )

    @property
    def solved(self) -> bool:
        """Whether something is claimed: there is an estimate, and it is within the tolerance if one was given."""
        return self.status.claims

    def error_after(self, time: float) -> float:
        """Estimated relative L² error over space and the times from `time` to the end; NaN where none was made.

        >>> import lrfm
        >>> report = lrfm.solve(lrfm.catalog.heat_1d(), tol=1e-3).report
        >>> report.error_after(0.05) < 1e-3
        True
        """
        before = [error for t, error in self.profile if t <= time] or [error for _, error in self.profile[:1]]
        return before[-1] if before else math.nan

    def error_before(self, time: float) -> float:
        """Estimated relative L² error over space and the times from the start to `time`; NaN where none was made.

        >>> import lrfm
        >>> report = lrfm.solve(lrfm.catalog.heat_1d(), tol=1e-3).report
        >>> report.error_before(0.05) < 1e-3
        True
        """
        after = [error for t, error in self.early if t >= time] or [error for _, error in self.early[-1:]]
        return after[0] if after else math.nan

    @property
    def met_until(self) -> float:
        """The time up to which the estimate of the error from the start on is within the tolerance; NaN where there is none.

        It is the end where the tolerance is met. In chaos, errors grow until two solves have nothing in common: what is earlier is known.
        """
        if self.tolerance is None or not self.early:
            return math.nan
        within = [t for t, error in self.early if error <= self.tolerance]
        return max(within, default=math.nan)

    @property
    def failed(self) -> bool:
        """Whether something went wrong; an estimate that was not wanted is not missed."""
        return not self.status.fine

    @property
    def advice(self) -> str:
        """What went wrong and what to do about it; empty where nothing did."""
        return advice(self)

    @property
    def engine(self) -> EnginePart:
        """The numbers of the engine that solved it."""
        return part_of(self)

    @property
    def details(self) -> Details:
        """What the five lines leave out; prints as a table."""
        return Details(tuple(detail_lines(self)))

    def lines(self) -> Entries:
        """Name and value of the five lines, formatted, and of every warning."""
        return short_lines(self)

    def _repr_latex_(self) -> str:
        from lrfm.problem.typeset import table_latex

        return table_latex(self.lines())

    def _repr_html_(self) -> str:
        return html(self)

    def __str__(self) -> str:
        return as_text(self.lines(), self.advice)


def _status(
    windows: Sequence[WindowReport], asked: int, held: float, estimate: float, tolerance: float | None
) -> tuple[Status, str]:
    """How an integration ended, and what its words leave open."""
    broken = next((number for number, w in enumerate(windows, 1) if not w.converged), 0)
    if broken:
        window = windows[broken - 1]
        if window.status is not None:
            return window.status, window.reason
        return Status.NOT_CONVERGED, f"block {broken}, {window.reason}"
    if len(windows) < asked:
        return Status.NOT_FINISHED, f"the solution ends at t = {windows[-1].window[1]:g}"
    # A witness in a larger space may have measured what is left out, but nothing measures what is not a number.
    if not (held < UNRESOLVED or (math.isfinite(held) and math.isfinite(estimate))):
        return Status.NOT_RESOLVED, ""
    if tolerance is None and math.isnan(estimate):
        return Status.NOT_ESTIMATED, ""
    if tolerance is None:
        return (Status.ESTIMATE_ONLY if math.isfinite(estimate) else Status.NO_CLAIM), ""
    return (Status.TOLERANCE_MET if estimate <= tolerance else Status.TOLERANCE_NOT_MET), ""
