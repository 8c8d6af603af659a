# SPDX-License-Identifier: MIT
"""Write the page of the field: published marks beside what is wanted and what was measured.

    python benchmarks/field/page.py            # docs/field.md and the short table of README.md, or --dry to print the page

The text is that of page.template.md, in which {{about}}, {{references}} and one place per group of statements are replaced.
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import bacoli
import harness

from field import make_references, run, summary
from field.record import Goal, Statement
from field.statements import GROUPS, named

TEMPLATE = Path(__file__).resolve().parent / "page.template.md"
PAGE = harness.ROOT / "docs" / "field.md"
HEAD = ("statement", "published", "wanted", "error", "estimate", "CPU s", "met", "false")
NOTHING = "No results yet: `python benchmarks/field/run.py`."


def middle(values: Iterable[float], show: Callable[[float], str]) -> str:
    """The median, and the largest in brackets where there are several."""
    known = [v for v in values if not math.isnan(v)]
    if not known:
        return "-"
    median = show(statistics.median(known))
    return median if len(known) == 1 else f"{median} ({show(max(known))})"


def size(value: float) -> str:
    return "none" if math.isinf(value) else harness.show(value)


def false_claim(row: harness.Row) -> bool:
    """Whether a tolerance was claimed that the truth exceeds."""
    return bool(row["met"]) and not harness.number(row, "error") <= float(row["tol"])  # type: ignore[arg-type]


def verdict(rows: Sequence[harness.Row], goal: Goal) -> str:
    """How many seeds claim the tolerance, rightly or not; all refused: that; too slow: that."""
    met = sum(bool(r["met"]) for r in rows)
    if not met and all(str(r["status"]).startswith("refused") for r in rows):
        return "refused"
    known = [harness.number(r, "cpu_seconds") for r in rows if r["met"]]
    late = bool(known) and statistics.median(known) > goal.seconds
    return f"{met} of {len(rows)}" + (" (late)" if late else "")


def cells(statement: Statement, goal: Goal, rows: Sequence[harness.Row]) -> list[str]:
    column = lambda name: [harness.number(r, name) for r in rows]  # noqa: E731
    wanted = f"{goal.tol:g}" + (f" in {goal.seconds:g} s" if goal.seconds < math.inf else "")
    return [
        statement.name,
        statement.mark or "-",
        wanted,
        middle(column("error"), size),
        middle(column("estimate"), size),
        middle(column("cpu_seconds"), harness.show_seconds),
        verdict(rows, goal),
        str(sum(map(false_claim, rows))),
    ]


def group_table(group: str, rows: Sequence[harness.Row]) -> str:
    """One line for every statement and tolerance that was run."""
    lines = []
    for statement in named(None).values():
        mine = [r for r in rows if r["statement"] == statement.name]
        if statement.group == group:
            wanted = {g.tol: g for g in statement.wanted}
            for tol in sorted({float(r["tol"]) for r in mine}, reverse=True):  # type: ignore[arg-type]
                some = [r for r in mine if r["tol"] == tol]
                lines.append(cells(statement, wanted.get(tol, Goal(tol)), some))
    return harness.table(HEAD, lines) if lines else NOTHING


def family_of(name: str) -> str:
    """unseen-1-multi-scale-48-...: the words between the seed and the number."""
    words = name.split("-")[2:]
    return "-".join(
        w for w in words[: next((i for i, w in enumerate(words) if w.isdigit() or w == "formula"), 1)]
    )


def unseen_table(rows: Sequence[harness.Row]) -> str:
    """By family and tolerance: claims, false ones, errors over tolerances, seconds."""
    some = [r for r in rows if str(r["statement"]).startswith("unseen-")]
    lines = []
    for family in dict.fromkeys(family_of(str(r["statement"])) for r in some):
        mine = [r for r in some if family_of(str(r["statement"])) == family]
        for tol in sorted({float(r["tol"]) for r in mine}, reverse=True):  # type: ignore[arg-type]
            these = [r for r in mine if r["tol"] == tol]
            ratio = [harness.number(r, "error") / tol for r in these if r["met"]]
            lines.append(
                [
                    family,
                    f"{tol:g}",
                    str(len(these)),
                    str(sum(bool(r["met"]) for r in these)),
                    str(sum(map(false_claim, these))),
                    middle(ratio, size),
                    middle([harness.number(r, "cpu_seconds") for r in these], harness.show_seconds),
                ]
            )
    head = ("family", "tol", "runs", "met", "false", "error/tol of claims", "CPU s")
    return harness.table(head, lines) if lines else NOTHING


def about(rows: Sequence[harness.Row]) -> str:
    """Machines and commits."""
    if not rows:
        return NOTHING
    commits = ", ".join(f"`{c}`" for c in sorted({str(r["commit"]) for r in rows}))
    machines = " and ".join(sorted({str(r["machine"]) for r in rows}))
    return f"{len(rows)} runs, commit {commits}; {machines}."


def page(rows: Sequence[harness.Row]) -> str:
    """The template with its places filled."""
    parts = {g: group_table(g, rows) for g in GROUPS if g != "unseen"}
    parts |= {"bacoli": bacoli.table()}
    parts |= {"unseen": unseen_table(rows), "about": about(rows), "references": make_references.listing()}
    text = TEMPLATE.read_text(encoding="utf-8")
    for name, part in parts.items():
        text = text.replace("{{" + name + "}}", part)
    return text


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--results", type=Path, default=run.RESULT)
    parser.add_argument("--out", type=Path, default=PAGE)
    parser.add_argument("--dry", action="store_true", help="print instead of writing")
    args = parser.parse_args()
    text = page(run.load(args.results))
    if args.dry:
        harness.say(text)
        return
    args.out.write_text(text, encoding="utf-8")
    harness.say(f"wrote {args.out}")
    if args.out == PAGE:
        summary.write(run.load(args.results))
        harness.say(f"wrote {summary.README}")


if __name__ == "__main__":
    main()
