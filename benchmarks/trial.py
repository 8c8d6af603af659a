# SPDX-License-Identifier: MIT
"""63 questions of fields that are in no example, as somebody asks them who has read the README and the pages it links to.

    python benchmarks/trial.py              all that are missing in benchmarks/results/trial.jsonl
    python benchmarks/trial.py pellet ages  these anew

Each in a process of its own, with `tol` and nothing else: the true error against a reference that has nothing to do with lrfm, the claimed one in the
same norm, and processor seconds of the answer without the import. `answered` is a claim that meets its tolerance; `right` that the true error is at most
the claimed one, and for fits that each number lies in its interval.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

from harness import as_installed

OUT = Path(__file__).parent / "results" / "trial.jsonl"


def answer(name: str) -> dict[str, object]:
    """One question, in this process."""
    from trials import commands, designs, earth, kinetics, living, rest, shapes, waves  # noqa: F401  they register their cases
    from trials.case import CASES

    case = CASES[name]
    ask, check = case.state()
    row: dict[str, object] = {"case": name, "field": case.field, "kind": case.kind, "title": case.title}
    began = time.process_time()
    try:
        found = ask()
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
        return {**row, "seconds": round(time.process_time() - began, 2), "answered": False, "said": said}
    row["seconds"] = round(time.process_time() - began, 2)
    report = getattr(found, "report", None)
    status = str(getattr(report, "status", "met"))
    row["status"] = status
    try:
        error, claimed = check(found)
    except AttributeError:  # an event that was not reached
        return {**row, "answered": False, "said": str(report)}
    answered = status in ("tolerance met", "met", "fitted")
    return {
        **row,
        "answered": answered,
        "error": float(error),
        "claimed": float(claimed),
        "right": bool(error <= claimed),
    }


def main(names: list[str]) -> None:
    from trials import commands, designs, earth, kinetics, living, rest, shapes, waves  # noqa: F401
    from trials.case import CASES

    rows = [json.loads(line) for line in OUT.read_text().splitlines()] if OUT.exists() else []
    kept = {row["case"]: row for row in rows}
    where = as_installed()
    for name in names or [name for name in CASES if name not in kept]:
        command = [sys.executable, __file__, "--one", name]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            print(f"{name}: {done.stderr[-800:]}", flush=True)
            continue
        kept[name] = {**json.loads(done.stdout.splitlines()[-1]), **where}
        print(
            {k: kept[name].get(k) for k in ("case", "answered", "right", "error", "claimed", "seconds")},
            flush=True,
        )
        OUT.write_text("".join(json.dumps(kept[case]) + "\n" for case in CASES if case in kept))
    whole = [row for row in kept.values() if row.get("answered")]
    print(
        f"{len(kept)} questions, {len(whole)} answered, {sum(bool(row.get('right')) for row in whole)} of these right"
    )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(answer(sys.argv[2])))
    else:
        main(sys.argv[1:])
