# SPDX-License-Identifier: MIT
"""Are the lower bounds in pyproject.toml past known holes, and are they the versions that were tested?

    python tools/bounds.py [--installed]

Three questions: has every dependency a lower bound; does none allow a version with a hole that is known (`HOLES`); did the last run of
tools/versions.py with the oldest versions (benchmarks/results/versions.jsonl) test the bound that is declared now? With --installed also:
does this environment have what is declared? Each answer that is no is a sentence, and the exit code is 1.
"""

import argparse
import json
import re
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RESULT = ROOT / "benchmarks" / "results" / "versions.jsonl"

# The first version without the holes that are known, and one of them each.
HOLES = {
    "pillow": ("12.3", "CVE-2026-59199, writes beyond a buffer in paste and crop"),
    "starlette": ("1.3.1", "CVE-2025-62727, time that grows with the square of a Range header; CVE-2026-48710, Host header not validated"),
    "h11": ("0.16", "CVE-2025-43859, malformed chunks accepted"),
}  # fmt: skip


def numbers(text: str) -> tuple[int, ...]:
    """(1, 3, 1) of "1.3.1", without zeros at the end, so that 1.0 is 1."""
    found = [int(part) for part in re.findall(r"\d+", text)]
    while found and found[-1] == 0:
        found.pop()
    return tuple(found)


def declared(content: dict) -> dict[str, str]:
    """Lower bounds by name, of dependencies and extras; "" where there is none."""
    project = content["project"]
    every = [
        *project["dependencies"],
        *(r for extra in project["optional-dependencies"].values() for r in extra),
    ]
    found = {}
    for requirement in every:
        name = re.match(r"[\w.\-]+", requirement)[0].lower()
        if name != project["name"]:
            bound = re.search(r">=\s*([\d.]+)", requirement)
            found[name] = bound[1] if bound else ""
    return found


def tested(path: Path) -> dict[str, str]:
    """Versions of the last run with the oldest ones that passed."""
    rows = (
        [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []
    )
    rows = [row for row in rows if row["versions"] == "oldest" and row["ended"] == "passed"]
    return rows[-1]["packages"] if rows else {}


def complaints(bounds: dict[str, str], oldest: dict[str, str]) -> list[str]:
    """One sentence for every bound that is missing, too low or not tested."""
    found = [f"{name} has no lower bound." for name, bound in bounds.items() if not bound]
    for name, (least, why) in HOLES.items():
        if name not in bounds:
            found.append(f"{name} is not declared; versions below {least} have a hole ({why}).")
        elif numbers(bounds[name] or "0") < numbers(least):
            found.append(f"{name}>={bounds[name]} allows versions below {least}, which have a hole ({why}).")
    for name, was in oldest.items():
        bound = numbers(bounds.get(name, "") or "0")
        if numbers(was)[: len(bound)] != bound:
            found.append(
                f"{name}>={bounds.get(name) or '?'} is declared, and the oldest that was tested is {was}; run `make versions`."
            )
    return found


def missing(bounds: dict[str, str]) -> list[str]:
    """What this environment has that is older than declared; what it does not have is no matter."""
    found = []
    for name, bound in bounds.items():
        try:
            here = version(name)
        except PackageNotFoundError:
            continue
        if numbers(here) < numbers(bound or "0"):
            found.append(f"{name} {here} is installed here, and {name}>={bound} is declared.")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--installed", action="store_true", help="look at this environment, too")
    given = parser.parse_args()
    bounds = declared(tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8")))
    found = complaints(bounds, tested(RESULT)) + (missing(bounds) if given.installed else [])
    print("\n".join(found) or f"{len(bounds)} lower bounds, none below a known hole, all tested.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
