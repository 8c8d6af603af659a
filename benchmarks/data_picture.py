# SPDX-License-Identifier: MIT
"""The picture of docs/data.md: the fit at its beginning, drawn.

python benchmarks/data_picture.py
"""

from __future__ import annotations

import harness  # isort: skip

import re
import sys

import numpy as np

import lrfm
from lrfm.paper.summary import markdown_table

PAGE = harness.ROOT / "docs" / "data.md"
MARKS = "<!-- inverse -->", "<!-- end -->"


def table() -> str:
    """One row for each unknown of each case."""
    rows = []
    for case, row in harness.read_rows(harness.RESULTS / "inverse.jsonl").items():
        clean, noise = row.get("clean", {}), row["noise"]
        for name, found in noise.items():
            if isinstance(found, dict):
                exact = f"{clean[name]['error']:.0e} in {clean['seconds']:.1f} s" if name in clean else ""
                rows.append(
                    [
                        f"{case}: {name}", exact, f"{noise['relative']:.2g}", f"{found['error']:.1e}",
                        f"{100 * found['covered']:.0f} % of {noise['draws']}", f"{noise['seconds']:.1f}",
                    ]
                )  # fmt: skip
    head = [
        "unknown",
        "clean data: relative error",
        "noise",
        "error (median)",
        "truth inside of 95 %",
        "CPU s",
    ]
    return markdown_table(head, rows)


def write_table() -> None:
    """Put the table between its marks."""
    text = PAGE.read_text(encoding="utf-8")
    first, last = MARKS
    made = f"{first}\n{table().strip()}\n{last}"
    PAGE.write_text(re.sub(f"{first}.*{last}", lambda _: made, text, flags=re.DOTALL), encoding="utf-8")


def main() -> None:
    """Two numbers of a heat equation from 27 values with noise; and the table."""
    write_table()
    if "--table" in sys.argv:
        return
    rng = np.random.default_rng(0)
    x, t = np.tile(np.linspace(0.1, 0.9, 9), 3), np.repeat([0.1, 0.3, 0.5], 9)
    measured = np.exp(-(0.3 * np.pi**2) * t) * np.sin(np.pi * x) + 0.01 * rng.normal(size=x.size)
    problem = lrfm.Problem(
        "u_t = k*u_xx", domain=lrfm.Box(x=(0, 1)), time=(0, 0.5), initial="A*sin(pi*x)", boundary="u = 0",
        parameters={"k": lrfm.Unknown(1.0, lower=0), "A": lrfm.Unknown(0.5)},
    )  # fmt: skip
    fit = lrfm.fit(problem, lrfm.Data(x=x, t=t, u=measured, sigma=0.01))
    fit.plot(harness.ROOT / "docs" / "data.png")


if __name__ == "__main__":
    main()
