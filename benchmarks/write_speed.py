# SPDX-License-Identifier: MIT
"""Write docs/speed.md from benchmarks/results and speed.template.md.

    python benchmarks/write_speed.py            # or --dry to print it

The template is prose; numbers are placeholders that are looked up in the results:

    {{peers: fresh}} {{peers: solve}}           seconds to three levels of error
    {{peers: duels}} {{peers: races}} {{peers: bars}} {{peers: misses}}
    {{peers: picture}} {{peers: picture-solve}} the figures, if they are there
    {{least: spectral | allen-cahn | 1e-9 | solve}}     seconds of the fastest answer with at most that error
    {{result: patches}}                         what a benchmark left in its JSON file, as tables
    {{about}} {{missing}}                       where it ran; what has not been measured

What has not been measured is said in its place.
"""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import harness
import peers_report
from run_all import BENCHMARKS

TEMPLATE = Path(__file__).resolve().parent / "speed.template.md"
PAGE = harness.ROOT / "docs" / "speed.md"
PLACE = re.compile(r"\{\{(\w+)(?::\s*([^}]*?))?\s*\}\}")
NOT_YET = "*Not measured yet; `make bench` does it.*"
HIDDEN = {  # columns that would make a table too wide to be read; they are in the file
    "lapack": (
        "rate",
        *(f"{way} {what}" for way in ("plain", "grid", "reuse") for what in ("rows", "steps", "ideal")),
        "plain factorizations",
        "grid factorizations",
        "reuse ratio",
    ),
    "plain-loop": ("own seconds", "own l2"),
}
WHERE = ("machine", "commit")  # entries of a result that are told once, at the top of the page


# Values -----------------------------------------------------------------------------------------


def text(value: object) -> str:
    """A value for a table: four digits at most, a dash for nothing."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "**no**"
    if isinstance(value, float):
        if math.isnan(value):
            return "-"
        return harness.show(value) if value and not 1e-3 <= abs(value) < 1e5 else f"{value:.3g}"
    if isinstance(value, list | tuple):
        return ", ".join(map(text, value))
    return str(value)


def flat(content: Mapping[str, object], before: str = "") -> Iterator[tuple[str, object]]:
    """Nested names joined by spaces: {"seconds": {"numpy": 1.0}} gives ("seconds numpy", 1.0). Lists of runs stay in the file."""
    for name, value in content.items():
        title = f"{before} {name}".strip().replace("_", " ")
        if isinstance(value, Mapping):
            yield from flat(value, title)
        elif title.split()[-1] == "bytes":
            yield title.replace("bytes", "GB"), float(value) / 2**30
        elif not (isinstance(value, list) and value and isinstance(value[0], Mapping)):
            yield title, value


def rows_table(rows: list[Mapping[str, object]], hidden: tuple[str, ...] = ()) -> str:
    """Rows of any shape: one column per name that occurs, but for the hidden ones."""
    lines = [dict(flat(row)) for row in rows]
    head = dict.fromkeys(name for line in lines for name in line)
    head = [name for name in head if name not in hidden]
    return harness.table(head, [[text(line.get(name)) for name in head] for line in lines])


def tables(name: str, rows: list[Mapping[str, object]], hidden: tuple[str, ...] = ()) -> Iterator[str]:
    """A list of a result, apart by `kind` if its rows have one; its name before it unless it is just `rows`."""
    for kind in dict.fromkeys(str(row.get("kind", "")) for row in rows):
        if name != "rows":
            yield name.replace("_", " ").capitalize() + ":"
        yield rows_table([row for row in rows if str(row.get("kind", "")) == kind], hidden)


def result_part(name: str) -> str:
    """Everything a benchmark left: its lists as tables, then its single values."""
    benchmark = next((b for b in BENCHMARKS if b.name == name), None)
    if benchmark is None:
        raise KeyError(f"{name!r} is no benchmark; known are {', '.join(b.name for b in BENCHMARKS)}")
    results = harness.read_result(harness.RESULTS / benchmark.result)
    if not results:
        return NOT_YET
    content = {key: value for key, value in results[0].items() if key not in WHERE}
    lists = {k: v for k, v in content.items() if isinstance(v, list) and v and isinstance(v[0], Mapping)}
    parts = [part for key, rows in lists.items() for part in tables(key, rows, HIDDEN.get(name, ()))]
    single = list(flat({k: v for k, v in content.items() if k not in lists}))
    if single:
        parts.append(harness.table(("value", ""), [(key, text(value)) for key, value in single]))
    return "\n\n".join(parts) or NOT_YET


# The peers --------------------------------------------------------------------------------------


def peers_rows() -> dict[str, harness.Row]:
    return harness.read_rows(harness.RESULTS / "peers.jsonl")


def picture(name: str, label: str) -> str:
    return f"![{label}](../benchmarks/results/{name})" if (harness.RESULTS / name).exists() else ""


def peers_part(what: str) -> str:
    rows = peers_rows()
    if not rows:
        return "" if what.startswith("picture") or what == "misses" else NOT_YET
    parts = {
        "fresh": lambda: peers_report.levels_table(rows, "fresh"),
        "solve": lambda: peers_report.levels_table(rows, "solve"),
        "duels": lambda: peers_report.duels_table(rows),
        "races": lambda: peers_report.races_table(rows),
        "bars": lambda: peers_report.bars_table(rows),
        "misses": lambda: peers_report.misses(rows),
        "picture": lambda: picture("peers.png", "error against seconds in a fresh process"),
        "picture-solve": lambda: picture("peers-solve.png", "error against seconds of the solve"),
    }
    return parts[what]()


def least_part(place: str) -> str:
    """Seconds of the fastest answer of one contender."""
    contender, problem, level, clock = (part.strip() for part in place.split("|"))
    if contender not in peers_report.CONTENDERS or problem not in peers_report.PROBLEMS:
        raise KeyError(f"{place!r}: no such contender or problem")
    found = peers_report.points(peers_rows(), problem, contender)
    took = peers_report.least(found, float(level), clock)
    return "(not measured)" if math.isnan(took) else peers_report.seconds(took)


# The page ---------------------------------------------------------------------------------------


def about() -> str:
    """Machines and commits of all results."""
    lines = []
    for b in BENCHMARKS:
        path = harness.RESULTS / b.result
        if harness.origin(path):
            lines.append(f"- `{b.result}`: commit {harness.origin(path)}; {harness.origin(path, 'machine')}")
    return "\n".join(lines) or "Nothing has been measured yet."


def missing() -> str:
    names = [b.name for b in BENCHMARKS if not harness.origin(harness.RESULTS / b.result)]
    return f"Not measured yet: {', '.join(names)}." if names else ""


PARTS = {
    "peers": peers_part,
    "least": least_part,
    "result": result_part,
    "about": lambda _: about(),
    "missing": lambda _: missing(),
}


def page() -> str:
    """The template with its places filled."""

    def fill(match: re.Match) -> str:
        if match[1] not in PARTS:
            raise KeyError(f"no placeholder {match[0]!r}; known are {', '.join(PARTS)}")
        return PARTS[match[1]](match[2] or "")

    filled = PLACE.sub(fill, TEMPLATE.read_text(encoding="utf-8"))
    return re.sub(r"\n{3,}", "\n\n", filled)


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
