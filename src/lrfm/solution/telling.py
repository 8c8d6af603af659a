# SPDX-License-Identifier: MIT
"""A report as text and as HTML: five lines for who asked, and a table of details for who wants to know how."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from lrfm.solution.engines import Entries, SpaceTimePart, aligned
from lrfm.solution.status import Status

if TYPE_CHECKING:
    from lrfm.solution.report import Report

SEEN = (
    "features of data given as functions below 2e-5 of the domain or of the time span (1e-4 in boxes of more dimensions) are not seen; in "
    "formulas tops, poles and kinks are found at any width"
)


@dataclass(frozen=True)
class Details:
    """Names and values; prints as a table, and ``details["residual"]`` is the text of one of them."""

    entries: tuple[tuple[str, str], ...]

    def __getitem__(self, name: str) -> str:
        found = [value for key, value in self.entries if key == name]
        if not found:
            raise KeyError(f"{name!r} is not among the details: {', '.join(dict(self.entries))}")
        return found[0]

    def __contains__(self, name: object) -> bool:
        return any(key == name for key, _ in self.entries)

    def _repr_html_(self) -> str:
        from lrfm.problem.typeset import table_html

        return table_html(self.entries)

    def _repr_latex_(self) -> str:
        from lrfm.problem.typeset import table_latex

        return table_latex(self.entries)

    def __str__(self) -> str:
        return aligned(self.entries)


def short_lines(report: Report) -> Entries:
    """Status, error, time, seconds, what was chosen; then what is to be known before they are believed."""
    entries = [
        ("status", status_words(report)),
        ("error", error_words(report)),
        ("time", time_words(report)),
        ("seconds", f"{report.seconds:.2f}"),
        ("chosen", f"{report.engine.chosen}, seed {report.seed}"),
        *(("warning", text) for text in report.warnings),
    ]
    return [(name, value) for name, value in entries if value]


def status_words(report: Report) -> str:
    """The status, with what was asked for, or why it ended."""
    judged = report.tolerance is not None and report.status in (
        Status.TOLERANCE_MET,
        Status.TOLERANCE_NOT_MET,
    )
    asked = [f"tol={report.tolerance:g}"] if judged else []
    asked += [f"stopped by {report.stopped}"] if report.stopped else []
    reason = f": {report.reason}" if report.reason else ""
    return str(report.status) + (f" ({', '.join(asked)})" if asked else "") + reason


def error_words(report: Report) -> str:
    """The estimates, each with what it is relative to, and over what; a bound where there is one."""
    bound = f"; at most {report.bound:.1e} (bound)" if math.isfinite(report.bound) else ""
    if math.isnan(report.error_estimate):
        return "not estimated" + bound
    if math.isinf(report.error_estimate):
        return (f"no claim ({report.decided_by} allows none)" if report.decided_by else "no claim") + bound
    name, norm = report.worst or "u", "L¹" if report.norm == 1 else "L²"
    largest = number(report.max_error_estimate, "")
    anywhere = f", {largest} of max |{name}| anywhere" if largest and largest != "no claim" else ""
    # A number, as an unknown of ordinary equations at rest, is nowhere.
    where = f" in {norm} over {report.over}{anywhere}" if report.over else ""
    return f"{report.error_estimate:.1e} of ‖{name}‖{where} (estimates){bound}"


def time_words(report: Report) -> str:
    """How far the solution goes."""
    if not report.block_reports or "time" not in report.over:
        return ""
    begin, reached = report.block_reports[0].window[0], report.block_reports[-1].window[1]
    begin, end = (begin, reached) if report.time is None else report.time
    if reached >= end - 1e-9 * (end - begin):
        return f"t = {begin:g} to {end:g}" + (", to the end" if report.time else "")
    return f"t = {begin:g} to {reached:.6g}, {100 * (reached - begin) / (end - begin):.2g} % of the way to {end:g}"


def detail_lines(report: Report) -> Entries:
    """What the short lines leave out."""
    known = ", ".join(f"{name} {number(value, '-')}" for name, value in report.indicators.items())
    kept = "; ".join(f"{name} to {number(value, '-')}" for name, value in report.invariants.items())
    scanned = isinstance(report.engine, SpaceTimePart)
    entries = [
        ("method", report.method),
        ("indicators", known + (f"; decided by {report.decided_by}" if report.decided_by else "")),
        ("worst unknown", report.worst),
        ("known up to a constant", ", ".join(report.undetermined)),
        ("data seen", SEEN if report.decided_by and scanned else ""),
        ("residual", _residual(report)),
        ("invariants", kept),
        *report.engine.entries(),
        *report.parts.items(),
        *(("chosen", text) for text in report.choices),
        ("version", report.version),
    ]
    return [(name, value) for name, value in entries if value]


def _residual(report: Report) -> str:
    found = (
        "" if report.norm == 1 else number(report.residual, "")
    )  # at points it says nothing of a solution that jumps
    return f"{found} (of the equations on fresh points, relative)" if found else ""


def html(report: Report) -> str:
    """The error in large figures, the status, what to do; the short lines; the details to unfold."""
    from lrfm.problem.typeset import table_html

    color = "#1a7f37" if report.solved else "#9a6700" if not report.failed else "#cf222e"
    large = number(report.error_estimate, "not estimated")
    head = (
        f'<div><span style="font-size: 1.8em; font-weight: 600; color: {color}">{large}</span> relative error, '
        f'<b style="color: {color}" title="{escape(report.status.meaning)}">{escape(status_words(report))}</b></div>'
    )
    shown = [entry for entry in short_lines(report) if entry[0] != "status"]
    table = table_html(shown, head + (f"<p>{escape(report.advice)}</p>" if report.advice else ""))
    return f"<div>{table}<details><summary>Details</summary>{report.details._repr_html_()}</details></div>"


def number(value: float, missing: str) -> str:
    """Two digits, or a word where there is no number."""
    if math.isnan(value):
        return missing
    return "no claim" if math.isinf(value) else f"{value:.1e}"


def rounded_up(value: float) -> str:
    """A tolerance in one digit that is not below a number: 2e-05 for 1.3e-5."""
    scale = 10.0 ** math.floor(math.log10(value)) if value > 0 else 1.0
    return f"{math.ceil(value / scale * (1 - 1e-9)) * scale:.0e}"


def as_text(entries: Sequence[tuple[str, str]], advice: str) -> str:
    """The lines of a report, and what to do where something went wrong."""
    return aligned([*entries, ("advice", advice)] if advice else entries)
