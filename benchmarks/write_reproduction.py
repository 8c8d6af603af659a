# SPDX-License-Identifier: MIT
"""Write docs/reproduction.md from the committed results of a full run and reproduction.template.md.

    python benchmarks/write_reproduction.py

The template is prose; every number in it is a placeholder that is looked up in results.json:

    {{main | Burgers | L-RFM-Local}}           our mean ± deviation, of the first table that has the cell
    {{paper: main | Burgers | L-RFM-Local}}    what the paper prints
    {{ratio: main | Burgers | L-RFM-Local}}    our mean over the paper's
    {{mean: ...}} {{low: ...}} {{high: ...}}   our mean, smallest and largest value
    {{tables: main}}                           the tables of an experiment, {{figure: name}} a figure
    {{about: machine}} {{counts}} {{misses}}   where it ran; cells by verdict; liquid cells off by more than 2
"""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "reproduce"
TEMPLATE = HERE / "reproduction.template.md"
OUTPUT = HERE.parent / "docs" / "reproduction.md"
VERDICTS = ("at or below the paper", "within its spread", "within an order", "off")


def number(value: float | None) -> str:
    if value is None or math.isnan(value):
        return "–"
    if value == 0 or (0.01 <= abs(value) < 1e4 and value != int(value)):
        return f"{value:.3g}"
    if abs(value) < 1e5 and value == int(value):
        return f"{int(value)}"
    return f"{value:.2e}"


def spread(mean: float | None, deviation: float | None) -> str:
    return number(mean) if deviation is None else f"{number(mean)} ± {number(deviation)}"


class Study:
    """The cells of results.json by place."""

    def __init__(self, path: Path):
        content = json.loads(path.read_text(encoding="utf-8"))
        self.about, self.cells, self.runs = content["about"], content["cells"], content["runs"]

    def find(self, place: str) -> dict:
        parts = [" ".join(p.split()) for p in place.split("|")]
        for cell in self.cells:
            here = (cell["experiment"], cell["row"], cell["column"]) == (parts[0], parts[-2], parts[-1])
            if here and (len(parts) == 3 or parts[1] in cell["table"]):
                return cell
        raise KeyError(f"no cell {place!r} in the results")

    def ours(self, cell: dict) -> str:
        if not cell["values"]:
            return "failed" if cell["failures"] else "not run"
        if cell["metric"] == "rank":
            low, high = min(cell["values"]), max(cell["values"])
            return f"{low:.0f}" if low == high else f"{low:.0f}–{high:.0f}"
        return spread(cell["mean"], cell["deviation"])

    def paper(self, cell: dict) -> str:
        if cell["paper"] is None:
            return ""
        if cell["metric"] == "rank":
            return "{:.0f}–{:.0f}".format(*cell["paper"])
        return spread(*cell["paper"])

    def tables(self, name: str) -> str:
        """All tables of an experiment: ours, the paper's in brackets."""
        groups: dict[str, list[dict]] = {}
        for cell in self.cells:
            if cell["experiment"] == name:
                groups.setdefault(cell["table"], []).append(cell)
        return "\n\n".join(self._table(title, cells) for title, cells in groups.items())

    def _table(self, title: str, cells: list[dict]) -> str:
        rows, columns = (list(dict.fromkeys(c[k] for c in cells)) for k in ("row", "column"))
        places = {(c["row"], c["column"]): c for c in cells}
        lines = [f"**{title}**", "", "| | " + " | ".join(columns) + " |", "|---|" + "---|" * len(columns)]
        for row in rows:
            entries = [self._entry(places.get((row, column))) for column in columns]
            lines.append(f"| {row} | " + " | ".join(entries) + " |")
        return "\n".join(lines)

    def _entry(self, cell: dict | None) -> str:
        if cell is None:
            return ""
        paper = self.paper(cell)
        if not paper:
            return self.ours(cell)
        ratio = "" if cell["ratio"] is None or cell["metric"] == "rank" else f", ×{cell['ratio']:.2g}"
        return f"{self.ours(cell)} [{paper}{ratio}]"

    def counts(self) -> str:
        """Cells by verdict, and how many means are at most twice the paper's."""
        lines = ["| | " + " | ".join(VERDICTS) + " | mean at most twice the paper's |", "|---|" + "---|" * 5]
        for role, title in (("liquid", "liquid cells"), ("static", "static cells")):
            cells = [c for c in self.cells if c["role"] == role and c["paper"] and c["values"]]
            found = [sum(c["verdict"] == v for c in cells) for v in VERDICTS]
            twice = sum(within(c) for c in cells)
            share = f"{twice} of {len(cells)} ({100 * twice / len(cells):.0f} %)"
            lines.append(f"| {title} | " + " | ".join(map(str, found)) + f" | {share} |")
        return "\n".join(lines)

    def misses(self) -> str:
        """Liquid cells whose mean is above twice the paper's."""
        lines = ["| experiment | row | cell | ours | paper | ratio |", "|---|---|---|---|---|---|"]
        for c in self.cells:
            if c["role"] == "liquid" and c["paper"] and c["values"] and not within(c):
                what = c["column"] + (", κ" if c["metric"] == "condition" and "κ" not in c["column"] else "")
                place = f"{c['experiment']} | {c['row']} | {what}"
                lines.append(f"| {place} | {self.ours(c)} | {self.paper(c)} | {number(c['ratio'])} |")
        return "\n".join(lines)

    def fill(self, expression: str) -> str:
        """One placeholder."""
        command, colon, rest = expression.partition(":")
        command, rest = (
            (command.strip(), rest.strip()) if colon and "|" not in command else ("ours", expression.strip())
        )
        if command == "ours" and rest in ("counts", "misses"):
            return getattr(self, rest)()
        if command == "tables":
            return self.tables(rest)
        if command == "figure":
            return f"![{rest}](../benchmarks/results/reproduce/figures/{rest}.png)"
        if command == "about":
            return self._about(rest)
        cell = self.find(rest)
        return {
            "ours": lambda: self.ours(cell),
            "paper": lambda: self.paper(cell),
            "ratio": lambda: f"{cell['ratio']:.2g}",
            "mean": lambda: number(cell["mean"]),
            "low": lambda: number(min(cell["values"])),
            "high": lambda: number(max(cell["values"])),
        }[command]()

    def _about(self, what: str) -> str:
        a = self.about
        if what == "machine":
            return f"{a['machine']['processor']}, {a['machine']['cores']} cores"
        if what == "versions":
            return f"lrfm {a['lrfm']}, Python {a['python']}, " + ", ".join(
                f"{k} {v}" for k, v in a["packages"].items()
            )
        if what == "runs":
            return str(len(self.runs))
        if what == "core-minutes":
            return f"{sum(r['took'] for r in self.runs) / 60:.0f}"
        if what == "settings":
            return settings_table(a["settings"])
        return str(a[what])


def settings_table(settings: dict) -> str:
    """What was calibrated, per row."""
    lines = ["| row | R_w | R_b | overlap | τ/T | Picard |", "|---|---|---|---|---|---|"]
    for name, s in settings.items():
        tau = s.get("tau", [0.05, 20.0])
        picard = f"{s['tolerance']:g}, {s['max_steps']} steps" if "tolerance" in s else "linear"
        laws = f"{s['weights']:g} | {s['biases']:g} | {s['overlap']:g} | [{tau[0]:g}, {tau[1]:g}]"
        lines.append(f"| {name} | {laws} | {picard} |")
    return "\n".join(lines)


def within(cell: dict) -> bool:
    """A mean at most twice the paper's; a rank inside the printed range, up to five percent."""
    if cell["metric"] == "rank":
        low, high = cell["paper"]
        return 0.95 * low <= cell["mean"] <= 1.05 * high
    return cell["mean"] <= 2 * cell["paper"][0]


def page() -> str:
    """The template with every placeholder filled."""
    study = Study(RESULTS / "results.json")
    text = TEMPLATE.read_text(encoding="utf-8")
    return re.sub(r"\{\{(.+?)\}\}", lambda m: study.fill(m.group(1)), text, flags=re.DOTALL)


def main() -> None:
    OUTPUT.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
