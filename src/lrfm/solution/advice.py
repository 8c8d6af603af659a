# SPDX-License-Identifier: MIT
"""What went wrong with a solve, how far it came, and the one thing to do first; nothing that would not help."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from lrfm.solution.status import Status
from lrfm.solution.telling import rounded_up

if TYPE_CHECKING:
    from lrfm.solution.report import Report

ROUGH = "The solution seems to end or to lose its smoothness there, as in a blow-up or a shock: stop before it, or add what smooths it."
ROUGH_DATA = (
    "Linear equations neither blow up nor make shocks: data or coefficients that jump, contradict each other or change faster than functions "
    "follow hold it up. Smooth them, or ask for less (`tol`)."
)
GAP = (
    "contradict each other at"  # in the sentences on data that do (`lrfm.problem.checks`, `lrfm.error.start`)
)
JUMPING = " jumps (`where`"  # in the sentence on formulas that do
OF_DATA = {
    GAP: "Data that contradict each other, as the warning says, open a layer at the start that is thinner the less it may cost: make them agree, start later, or ask for less (`tol`).",
    JUMPING: "What jumps, as the warning says, is not followed to so many digits where nothing smooths it: give `tanh((x - a)/w)` in its place, or ask for less (`tol`).",
}
LACKING = (
    "and the equations need"  # in the sentence on a face that lacks a condition (`lrfm.error.well_posed`)
)
TOO_MANY = (
    "The solution may not exist."  # in the sentence on faces with too many conditions (`lrfm.problem.checks`)
)
UNBOUNDED = "grows without bound at"  # in the sentence on a pole inside the domain (`lrfm.problem.landmarks`)
DIFFERENT = 0.5  # an estimate above which two draws have little in common
APART = (
    "Two solves differ by as much as the solution itself, so that nothing is known of it. Check whether it grows without "
    "bound, and whether coefficients and data vary within a hundredth of the domain."
)
CHECK = "Check the statement first: the sign of diffusion, a shock, data finer than 1/1000 of the domain."
SECONDS = "Allow more seconds (`max_seconds`)."
ENOUGH = 4.0  # times the seconds there were, in which a comparison solve usually ends
HOPELESS = 30.0  # times the seconds there were, from which more of them are no advice
ILL_POSED = (
    "Linearized at this solution, the equations amplify short waves without bound: the problem is ill-posed, and no "
    "number of features helps. Check the signs of the highest derivatives. Where these depend on the solution, as in "
    "`diff(u*u_x, x)`, a solution that is slightly wrong (u < 0) may look so in a problem that is not: `diff(max(u, 0)*u_x, x)` "
    "keeps the sign. If you know better, `accept_ill_posed=True` solves and judges it like any other problem."
)
BALANCE = "Subtract the mean of what is given, balance the fluxes through the boundary, or give the unknown on a face."
BRANCH = (
    "There may be no steady state, or none near the guess: give another `guess`, come from a value of a parameter at which it is easy "
    "(`along={'a': 0}` for a parameter `a`), or look for the whole branch with `lrfm.branch`."
)
SINGULAR = (
    "The statement is linear and, to rounding, singular: there is no steady state, or there are many. A number in it may be an eigenvalue, which "
    "`lrfm.modes` finds, or a condition may be lacking."
)
NOT_COMPARED = "the comparison solve, whose difference is the estimate, did not reach the end"


def advice(report: Report) -> str:
    """What went wrong and what to do about it; empty where nothing did."""
    status = report.status
    if report.solved:
        return ""
    if status is Status.NOT_ESTIMATED and not report.compared:
        return "Nothing is claimed, since no error was estimated. Leave out `estimate=False`."
    if status is Status.NOT_ESTIMATED:
        return f"Nothing is claimed: {NOT_COMPARED}.{_limit(report)} {_remedy(report)}"
    if status is Status.ILL_POSED:
        return ILL_POSED
    if status is Status.NOT_UNIQUE:
        return next((text for text in report.warnings if "not unique" in text), "A face lacks a condition.")
    if status is Status.NO_CLAIM:
        return f"The indicators allow no claim ({report.decided_by or 'no estimate'}).{_limit(report)} {_remedy(report)}"
    missing = next((text for text in report.warnings if LACKING in text), "")
    if missing and status is not Status.TOLERANCE_NOT_MET:
        return f"{_ended(report)} {missing}"
    if status is Status.NOT_RESOLVED:
        lines = report.method in ("lines", "steady")
        what = "functions in space do" if lines else "trial space does"
        finest = "they could not be made as fine as it asks for" if lines else "it is too small"
        fine = math.isfinite(report.residual)
        why = f"residual {report.residual:.1e} on fresh points" if fine else finest
        return f"The {what} not resolve the solution: {why}.{_limit(report)} {_remedy(report)}"
    if (
        status is Status.TOLERANCE_NOT_MET
        and report.decided_by == "misfit"
        and math.isfinite(report.error_estimate)
    ):
        return (
            f"{_missed(report)}{_limit(report)} Most of it is the distance of the solution from its initial data, which have a jump or a kink "
            "there or contradict the boundary; later the error is smaller. Start later, or ask for less (`tol`)."
        )
    if status is Status.TOLERANCE_NOT_MET:
        return f"{_missed(report)}{_limit(report)} {_remedy(report)}"
    return f"{_ended(report)} {_remedy(report)}"


def _ended(report: Report) -> str:
    """A sentence of the status and its reason."""
    return f"{report.status.capitalize()}{f': {report.reason}' if report.reason else ''}."


def _limit(report: Report) -> str:
    """Which limit ended the search, and where that was before it was reached."""
    if not report.stopped:
        return ""
    name, _, given = report.stopped.partition("=")
    if name == "max_seconds" and float(given) - report.seconds > 1:
        return (
            f" The search ended after {report.seconds:.0f} s of `{report.stopped}`: a stricter attempt is expected to take several times as long as "
            "all before it."
        )
    return f" The search was stopped by `{report.stopped}`."


def _remedy(report: Report) -> str:
    """The one thing to try first."""
    status, lines = report.status, report.method in ("lines", "ordinary", "steady")
    if status is Status.TOO_LARGE:
        return "The next step has more unknowns than are solved in one piece. Ask for less (`tol`)."
    if status is Status.STEPS_VANISHED:
        return _of_data(report) or (ROUGH_DATA if report.linear else ROUGH)
    if status is Status.NO_SOLUTION:
        return BALANCE
    if report.method == "steady" and status is Status.NOT_CONVERGED:
        return SINGULAR if report.linear else BRANCH
    if report.method == "steady" and status is Status.OUT_OF_TIME:
        return SECONDS
    if status is Status.OUT_OF_TIME:
        return _progress(report)
    if status is Status.NOT_RESOLVED and any(TOO_MANY in text for text in report.warnings):
        return "Check the boundary conditions first, as the warning says: where more is given than enters, there is no solution."
    if status is Status.NOT_RESOLVED:
        return _of_data(report) or CHECK + (
            "" if lines else " Where `features` or `space` was given, give more."
        )
    if report.stopped.startswith("max_seconds"):
        return (
            _comparison(report)
            if math.isnan(report.error_estimate) and report.compared
            else _stricter(report)
        )
    if report.stopped.startswith("max_memory"):
        return "Ask for less (`tol`), end earlier (`time`), or allow more (`max_memory`)."
    if report.stopped.startswith("max_features"):
        return "Allow more features (`max_features`)."
    if math.isnan(report.error_estimate) and not report.compared:
        return "Leave out `estimate=False`."
    if math.isnan(report.error_estimate) and status in (Status.TOLERANCE_NOT_MET, Status.NOT_ESTIMATED):
        return CHECK
    if lines and report.error_estimate < DIFFERENT:
        return (
            f"This solution meets `tol={rounded_up(report.error_estimate)}`. Functions and steps are chosen anew for each `tol`: another "
            "one, a smaller one too, may be met."
        )
    if lines and math.isfinite(report.met_until):
        return _grown(report)
    if math.isfinite(report.error_estimate) and (lines or report.error_estimate >= DIFFERENT):
        return APART
    return CHECK if lines else "Use shorter blocks (`blocks`)."


def _of_data(report: Report) -> str:
    """What to do about data that a warning has named; empty where none has."""
    return next((said for sign, said in OF_DATA.items() if any(sign in text for text in report.warnings)), "")


def _grown(report: Report) -> str:
    """How far the tolerance is met where errors grow until nothing is known."""
    return f"Errors grow until two solves have nothing in common; up to t = {report.met_until:.6g} the tolerance is met. End there (`time`)."


def _stricter(report: Report) -> str:
    """What is met by a solution whose estimate is above the tolerance, and how long a stricter one takes; or why more seconds will not help."""
    if any(UNBOUNDED in text for text in report.warnings):
        return "More seconds will not help: what is given grows without bound inside the domain, as the warning says."
    if math.isfinite(report.met_until) and not report.error_estimate < DIFFERENT:
        return _grown(report)
    if math.isfinite(report.error_estimate) and report.error_estimate >= DIFFERENT:
        return _of_data(report) or APART
    if not report.error_estimate < DIFFERENT or not report.seconds > 0:
        return SECONDS
    return (
        f"This solution meets `tol={rounded_up(report.error_estimate)}`. Allow about {_duration(ENOUGH * report.seconds)} (`max_seconds`) for a stricter one, or "
        "ask for less (`tol`)."
    )


def _comparison(report: Report) -> str:
    """How long the solve took that is there, and how many seconds are needed for the one that it is compared with."""
    if not report.seconds > 0:
        return SECONDS
    return (
        f"Solve and comparison have taken {_duration(report.seconds)} so far; the comparison, by a quarter of the tolerance, takes as long as the solve or "
        f"a few times longer. Allow about {_duration(ENOUGH * report.seconds)} (`max_seconds`), or ask for less (`tol`)."
    )


def _progress(report: Report) -> str:
    """How far an integration came in its time, how long the rest would take at the pace of its last steps, and whether to wait for that."""
    steps = sum(window.steps for window in report.block_reports)
    if report.time is None or not steps or not report.seconds > 0:
        return SECONDS
    (start, end), last = report.time, report.block_reports[-1]
    reached = last.window[1]
    left = (end - reached) / ((reached - last.window[0]) / last.steps) * report.seconds / steps
    way = f"{100 * (reached - start) / (end - start):.2g} % of the way took {_duration(report.seconds)}, and at the pace of its last steps the rest takes"
    if left > HOPELESS * report.seconds:
        remedy = (
            _of_data(report)
            or "Ask for less (`tol`), end earlier (`time`), or smooth what is steep in the data."
        )
        return f"{way} {_duration(left)}: more seconds will not help. {remedy}"
    return f"{way} about {_duration(left)}, and the comparison solve that the error is estimated by as long as both. {SECONDS}"


def _duration(seconds: float) -> str:
    """12 s, 3 min, 5 h, 40 days."""
    for unit, size in (("s", 1.0), ("min", 60.0), ("h", 3600.0)):
        if seconds < 120 * size:
            return f"{seconds / size:.2g} {unit}" if seconds < 10 * size else f"{seconds / size:.0f} {unit}"
    return f"{seconds / 86400:.2g} days" if seconds < 86400e3 else "years"


def _missed(report: Report) -> str:
    if math.isnan(report.error_estimate):
        why = f": {NOT_COMPARED}" if report.compared else ""
        return f"No error was estimated for tol={report.tolerance:.1e}{why}."
    if math.isinf(report.error_estimate):
        who = (
            f"the indicator `{report.decided_by}` allows no estimate"
            if report.decided_by
            else "no error was estimated"
        )
        return f"Nothing can be claimed for tol={report.tolerance:.1e}: {who}."
    return f"The error estimate {report.error_estimate:.1e} is above tol={report.tolerance:.1e}."
