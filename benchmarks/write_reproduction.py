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
import re
from collections.abc import Callable
from pathlib import Path

from paper.summary import Summary, counts, markdown_table, number, tables

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "reproduce"
TEMPLATE = HERE / "reproduction.template.md"
OUTPUT = HERE.parent / "docs" / "reproduction.md"
CELL: dict[str, Callable[[Summary], str]] = {
    "ours": lambda s: s.ours,
    "paper": lambda s: s.printed,
    "ratio": lambda s: f"{s.ratio:.2g}",
    "mean": lambda s: number(s.mean),
    "low": lambda s: number(min(s.values)),
    "high": lambda s: number(max(s.values)),
}


class Study:
    """The cells of results.json by experiment."""

    def __init__(self, path: Path):
        content = json.loads(path.read_text(encoding="utf-8"))
        self.about, self.runs = content["about"], content["runs"]
        self.cells = [(c["experiment"], Summary.from_record(c)) for c in content["cells"]]

    def find(self, place: str) -> Summary:
        name, *table, row, column = [" ".join(p.split()) for p in place.split("|")]
        for experiment, summary in self.cells:
            cell = summary.cell
            here = (experiment, cell.row, cell.column) == (name, row, column)
            if here and all(text in cell.table for text in table):
                return summary
        raise KeyError(f"no cell {place!r} in the results")

    def misses(self) -> str:
        """Liquid cells whose mean is above twice the paper's."""
        rows = []
        for experiment, s in self.cells:
            cell = s.cell
            if cell.role == "liquid" and cell.paper and s.values and not s.near:
                what = cell.column + (", κ" if cell.metric == "condition" and "κ" not in cell.column else "")
                rows.append([experiment, cell.row, what, s.ours, s.printed, number(s.ratio)])
        return markdown_table(["experiment", "row", "cell", "ours", "paper", "ratio"], rows)

    def fill(self, expression: str) -> str:
        """One placeholder."""
        command, colon, rest = (part.strip() for part in expression.partition(":"))
        if not colon or "|" in command:
            command, rest = "ours", expression.strip()
        if rest == "counts":
            return counts(s for _, s in self.cells)
        if rest == "misses":
            return self.misses()
        if command == "tables":
            return tables(s for experiment, s in self.cells if experiment == rest)
        if command == "figure":
            return f"![{rest}](../benchmarks/results/reproduce/figures/{rest}.png)"
        return self._about(rest) if command == "about" else CELL[command](self.find(rest))

    def _about(self, what: str) -> str:
        a = self.about
        parts = {
            "machine": lambda: f"{a['machine']['processor']}, {a['machine']['cores']} cores",
            "versions": lambda: ", ".join(
                [
                    f"lrfm {a['lrfm']}",
                    f"Python {a['python']}",
                    *(f"{k} {v}" for k, v in a["packages"].items()),
                ]
            ),
            "runs": lambda: str(len(self.runs)),
            "core-minutes": lambda: f"{sum(r['took'] for r in self.runs) / 60:.0f}",
            "settings": lambda: settings_table(a["settings"]),
        }
        return parts.get(what, lambda: str(a[what]))()


def settings_table(settings: dict) -> str:
    """What was calibrated, per row."""
    rows = []
    for name, s in settings.items():
        low, high = s.get("tau", [0.05, 20.0])
        picard = f"{s['tolerance']:g}, {s['max_steps']} steps" if "tolerance" in s else "linear"
        laws = [f"{s[key]:g}" for key in ("weights", "biases", "overlap")]
        rows.append([name, *laws, f"[{low:g}, {high:g}]", picard])
    return markdown_table(["row", "R_w", "R_b", "overlap", "τ/T", "Picard"], rows)


def page() -> str:
    """The template with every placeholder filled."""
    study = Study(RESULTS / "results.json")
    text = TEMPLATE.read_text(encoding="utf-8")
    return re.sub(r"\{\{(.+?)\}\}", lambda m: study.fill(m.group(1)), text, flags=re.DOTALL)


def main() -> None:
    OUTPUT.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
