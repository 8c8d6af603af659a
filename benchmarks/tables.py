# SPDX-License-Identifier: MIT
"""Write the numbers of the benchmarks into docs/accuracy.md.

    python benchmarks/tables.py            # or --dry to print them

The text of accuracy.template.md, in which {{accuracy}}, {{honesty}}, {{claims}}, {{ablation}}, {{budgets}}, {{kills}}, {{versions}}, {{convergence}} and {{about}} are replaced. Every
number comes from the files in benchmarks/results.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import accuracy
import budgets
import convergence
import harness
import honesty
from claims import verdict as families
from claims.ablation import ablation

PAGE = harness.ROOT / "docs" / "accuracy.md"
TEMPLATE = Path(__file__).resolve().parent / "accuracy.template.md"


def lines_of_accuracy() -> list[dict[str, object]]:
    """Rows of the accuracy table for which there are results."""
    rows = harness.read_rows(accuracy.RESULT)
    return [line for line in accuracy.summary(accuracy.CASES, rows) if line["runs"]]


def long_table() -> str:
    """The whole accuracy table with sources."""
    lines = lines_of_accuracy()
    if not lines:
        return "No results yet: `make bench-accuracy`."
    sources = "; ".join(
        f"{line['case'].title}: {line['case'].source}" for line in lines if line["case"].paper > 0
    )
    failed = [f"- {r['key']}: {r['status']}" for line in lines for r in line["failed"]]
    limit = f"P-term limit: {accuracy.LIMIT_SOURCE}."
    whole = harness.table(accuracy.HEAD, map(accuracy.cells, lines))
    text = f"{whole}\n\nPaper's best cells: {sources}. {limit}"
    return text + ("\n\nRuns that failed:\n\n" + "\n".join(failed) if failed else "")


def honest_part() -> str:
    rows = honesty.latest()
    if not rows:
        return "No results yet: `make bench-honesty`."
    honesty.picture(rows)
    picture = "![true error against estimate](../benchmarks/results/honesty.png)"
    return f"{honesty.report(rows)}\n\n{picture}"


def claims_part() -> str:
    rows = list(harness.read_rows(families.RESULT).values())
    if not rows:
        return "No results yet: `python benchmarks/claims/run.py`."
    others = honesty.honest(honesty.latest())
    claims, false, far = families.counts(rows)
    together = (
        f"With the catalog and the random statements above: {claims + others['claims']:.0f} claims, "
        f"{false + others['above']:.0f} false, {far + others['far']:.0f} by more than ten."
    )
    return f"{families.report(rows)}\n\n{together}"


def ablation_part() -> str:
    return ablation(list(harness.read_rows(families.RESULT).values()))


def budgets_part() -> str:
    rows = list(harness.read_rows(budgets.RESULT).values())
    return budgets.report(rows) if rows else "No results yet: `python benchmarks/budgets.py`."


def kills_part() -> str:
    rows = list(harness.read_rows(harness.RESULTS / "kills.jsonl").values())
    if not rows:
        return "No results yet: `make kills`."
    names = ("kind", "kills", "finished between", "same numbers", "drafts after kills", "drafts in the end")
    lines = [
        [{True: "yes", False: "no"}.get(r[n], str(r[n])) if n == "same numbers" else str(r[n]) for n in names]
        for r in rows
    ]
    return harness.table(names, lines)


def versions_part() -> str:
    rows = {(r["python"], r["versions"]): r for r in harness.read_result(harness.RESULTS / "versions.jsonl")}
    if not rows:
        return "No results yet: `make versions`."
    lines = []
    for (python, name), row in sorted(rows.items()):
        used = ", ".join(f"{k} {v}" for k, v in dict(row.get("packages") or {}).items())
        ended = str(row["ended"]).splitlines()[0].partition(":")[0]
        lines.append(
            [python, name, ended, str(row.get("tests", "-")).strip("= "), used or "-", f"`{row['commit']}`"]
        )
    return harness.table(("Python", "versions", "outcome", "tests", "with", "commit"), lines)


def convergence_part() -> str:
    rows = list(harness.read_rows(convergence.RESULT).values())
    if not rows:
        return "No results yet: `python benchmarks/convergence.py`."
    return "![error against P and seconds](../benchmarks/results/convergence.png)"


def about() -> str:
    """Machines and commits of all results."""
    texts = []
    for path in (accuracy.RESULT, honesty.RESULT, families.RESULT, budgets.RESULT, convergence.RESULT):
        rows = honesty.latest() if path == honesty.RESULT else harness.read_rows(path).values()
        if rows:
            commits = ", ".join(f"`{c}`" for c in sorted({r["commit"] for r in rows}))
            machines = " and ".join(sorted({r["machine"] for r in rows}))
            texts.append(f"- `{path.name}`: {len(rows)} runs, commit {commits}; {machines}")
    return "\n".join(texts) or "No results yet."


def page() -> str:
    """The template with its places filled."""
    parts = {"accuracy": long_table, "honesty": honest_part, "claims": claims_part}
    parts |= {"convergence": convergence_part, "about": about}
    parts |= {"versions": versions_part}
    parts |= {"ablation": ablation_part, "budgets": budgets_part, "kills": kills_part}
    text = TEMPLATE.read_text(encoding="utf-8")
    for name, part in parts.items():
        text = text.replace("{{" + name + "}}", part())
    return text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dry", action="store_true", help="print instead of writing")
    args = parser.parse_args()
    if args.dry:
        harness.say(page())
        return
    PAGE.write_text(page(), encoding="utf-8")
    harness.say(f"wrote docs/{PAGE.name}")


if __name__ == "__main__":
    main()
