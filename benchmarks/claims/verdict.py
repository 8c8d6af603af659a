# SPDX-License-Identifier: MIT
"""Tables of the claims: how many, how many false, how large the estimates are."""

from __future__ import annotations

import math

import harness
import numpy as np

from claims.statement import FAMILIES

RESULT = harness.RESULTS / "claims.jsonl"


def verdict(rows: list[harness.Row]) -> list[list[str]]:
    """Per family, tolerance and method: claims, false ones, estimate over error, met."""
    lines = []
    groups = sorted({(FAMILIES.index(str(r["family"])), -float(r["tol"]), str(r["method"])) for r in rows})
    for index, tol, method in groups:
        family = FAMILIES[index]
        some = [r for r in rows if (r["family"], float(r["tol"]), r["method"]) == (family, -tol, method)]
        met = [r for r in some if r["met"]]
        ratio = [harness.number(r, "error") / -tol for r in met if "error" in r]
        slack = [
            harness.number(r, "estimate") / harness.number(r, "error")
            for r in some
            if "error" in r
            and math.isfinite(harness.number(r, "estimate"))
            and harness.number(r, "error") > 0
        ]
        false = sum(not v <= 1 for v in ratio) if family != "negative" else len(met)
        far = sum(not v <= 10 for v in ratio) if family != "negative" else len(met)
        above = [
            v
            for r in met
            if (v := harness.number(r, "error") / max(harness.number(r, "estimate"), 1e-300)) > 1
        ]
        cpu = sorted(harness.number(r, "cpu") for r in some)
        lines.append(
            [
                family, f"{-tol:g}", method, str(len(some)), f"{len(met)} ({100 * len(met) / len(some):.0f} %)", _kinds(some),
                str(false), str(far), f"{len(above)} ({max(above):.2g})" if above else "0",
                f"{max(ratio):.2g}" if ratio else "-", f"{np.median(slack):.2g}" if slack else "-", f"{np.median(cpu):.1f}",
            ]
        )  # fmt: skip
    return lines


def _kinds(rows: list[harness.Row]) -> str:
    """Kinds of which every statement was met, of those that were run: quick kinds have more statements."""
    kinds = {str(r["kind"]) for r in rows}
    return f"{len(kinds - {str(r['kind']) for r in rows if not r['met']})} of {len(kinds)}"


HEAD = (
    "family",
    "tol",
    "method",
    "runs",
    "met",
    "kinds met",
    "error > tol",
    "error > 10 tol",
    "error > estimate",
    "largest error/tol",
    "estimate/error, median",
    "CPU s, median",
)


def _claim(row: harness.Row) -> bool:
    return bool(row["met"])


def _false(row: harness.Row) -> bool:
    return _claim(row) and (
        row["family"] == "negative" or not harness.number(row, "error") <= float(row["tol"])
    )


def counts(rows: list[harness.Row]) -> tuple[int, int, int]:
    """Claims, false ones, and those that are false by more than ten."""
    false = [r for r in rows if _false(r)]
    far = [
        r
        for r in false
        if r["family"] == "negative" or not harness.number(r, "error") <= 10 * float(r["tol"])
    ]
    return sum(map(_claim, rows)), len(false), len(far)


def _name(row: harness.Row) -> str:
    """Kind and number, with the method where it is not the default."""
    method = "" if row["method"] == "auto" else f", {row['method']}"
    return f"{row['kind']} {row['number']}{method}"


def report(rows: list[harness.Row]) -> str:
    """All tables as Markdown: by family, false claims, what was not met."""
    show, number = harness.show, harness.number
    claims, false = sum(map(_claim, rows)), [r for r in rows if _false(r)]
    parts = [
        harness.table(HEAD, verdict(rows)),
        f"{claims} claims in {len(rows)} runs, {len(false)} of them false (asked: at most 3 % in every family, none by more than ten).",
    ]
    names = lambda r: [_name(r), f"{float(r['tol']):g}"]  # noqa: E731
    numbers = lambda r: [show(number(r, "error")), show(number(r, "estimate")), str(r.get("by", ""))]  # noqa: E731
    head = ("statement", "tol", "error", "estimate", "decided by")
    if false:
        parts += ["Claims that do not hold:", harness.table(head, [names(r) + numbers(r) for r in false])]
    missed = [r for r in rows if not _claim(r) and r["family"] != "negative"]
    if missed:
        lines = [
            [*names(r), *numbers(r), str(r["status"]).split(":")[0], f"{number(r, 'cpu'):.0f}"]
            for r in missed
        ]
        parts += ["Not claimed:", harness.table((*head, "status", "CPU s"), lines)]
    return "\n\n".join(parts)
