# SPDX-License-Identifier: MIT
"""The pictures and tables of docs/data.md: the fit at its beginning, two fields with their bands, a family.

python benchmarks/data_picture.py            # --table: the tables only
"""

from __future__ import annotations

import harness  # isort: skip

import re
import sys

import inverse
import numpy as np
from paper.summary import markdown_table

import lrfm

DOCS = harness.ROOT / "docs"
PAGE = DOCS / "data.md"
MARKS = "<!-- inverse -->", "<!-- end -->"
PEERS = "<!-- peers -->", "<!-- end peers -->"
SLOPES = "<!-- sensitivities -->", "<!-- end sensitivities -->"
RANGES = "<!-- ranges -->", "<!-- end ranges -->"


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
                        f"{noise['seconds_again']:.1f}" if "seconds_again" in noise else "",
                    ]
                )  # fmt: skip
    head = [
        "unknown",
        "clean data: relative error",
        "noise",
        "error (median)",
        "truth inside of 95 %",
        "CPU s",
        "again",
    ]
    return markdown_table(head, rows)


def peers() -> str:
    """One row for each unknown, ours and theirs."""
    rows = []
    for case, row in harness.read_rows(harness.RESULTS / "inverse_peers.jsonl").items():
        ours, theirs = row["lrfm"], row["deepxde"]
        for name, error in ours["errors"].items():
            made = f"{theirs['errors'][name]:.0e} in {theirs['seconds']:.0f} s ({theirs['steps']} of {theirs['of']} steps)"
            rows.append(
                [
                    f"{case}: {name}",
                    f"{error:.0e} in {ours['seconds']:.1f} s",
                    made,
                    f"{row['times_faster']:.0f}",
                ]
            )
    return markdown_table(["unknown", "lrfm: relative error", "DeepXDE", "times faster"], rows)


def slopes() -> str:
    """One row for each problem: cost at two tolerances, distance from differences."""
    rows, head = [], ["problem", "numbers"]
    for name, row in harness.read_rows(harness.RESULTS / "sensitivities.jsonl").items():
        costs = [f"{c['one']:.2f}, {c['each']:.2f}" for c in row["cost"]]
        found = row["agreement"]
        rows.append([name, str(len(row["numbers"])), *costs, f"{found['gap']:.0e} ({found['differences']})"])
        head = ["problem", "numbers", *(f"cost at {c['tol']:.0e}: one, each" for c in row["cost"])]
        head.append(f"distance from differences at {found['tol']:.0e}")
    return markdown_table(head, rows)


def ranges() -> str:
    """One row for each range."""
    rows = []
    for name, row in harness.read_rows(harness.RESULTS / "ranges.jsonl").items():
        span = f"{row['parameter']} from {row['range'][0]:.2g} to {row['range'][1]:.2g}"
        made = f"{row['solves']} on {row['intervals']}"
        rows.append(
            [
                name, span, made, f"{row['worst']:.1e}", f"{row['estimate']:.1e}", f"{row['solve']:.1f}", f"{row['family']:.1f}",
                f"{row['times']:.1f}",
            ]
        )  # fmt: skip
    head = ["problem", "range", "solutions, intervals", "worst error", "estimate", "one solve, CPU s", "family, CPU s", "times"]  # fmt: skip
    return markdown_table(head, rows)


def write_tables() -> None:
    """Put the tables between their marks."""
    text = PAGE.read_text(encoding="utf-8")
    for (first, last), made in ((MARKS, table()), (PEERS, peers()), (SLOPES, slopes()), (RANGES, ranges())):
        whole = f"{first}\n{made.strip()}\n{last}"
        text = re.sub(f"{first}.*?{last}", lambda _, whole=whole: whole, text, flags=re.DOTALL)
    PAGE.write_text(text, encoding="utf-8")


def draw_fields() -> None:
    """The source and the backward problem of the benchmark, first draw, with the truth."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.2, 2.6), layout="constrained")
    titles = ("source, 50 sensors", "start, 50 sensors at the end")
    for axes, make, title in zip(
        figure.subplots(1, 2), (inverse.source, inverse.backward), titles, strict=True
    ):
        case = make()
        fit, _ = inverse.fitted(case, np.random.default_rng([0, 99]), None)
        x = np.linspace(0, 1, 201)
        found = fit.fields["f"](x=x)
        axes.fill_between(x, found.lower, found.upper, color="#cfe2f3", lw=0, label="95 %")
        axes.plot(x, found.value, color="#0072B2", lw=1, label="found")
        axes.plot(x, case.fields["f"](x), "k--", lw=1, label="truth")
        axes.set_title(title, fontsize=9)
        axes.set_xlabel("$x$", fontsize=9)
        axes.legend(fontsize=7, frameon=False)
    figure.savefig(DOCS / "data-fields.png", dpi=200)


def draw_family() -> None:
    problem = lrfm.Problem(
        "u_t + u*u_x = nu*u_xx", domain=lrfm.Box(x=(-1, 1)), time=(0, 0.6), initial="-sin(pi*x)", boundary="u = 0",
        parameters={"nu": lrfm.Range(0.02, 0.2)},
    )  # fmt: skip
    lrfm.family(problem, tol=1e-4).plot(DOCS / "data-family.png")


def main() -> None:
    """Two numbers of a heat equation from 27 values with noise, fields, a family; and the tables."""
    write_tables()
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
    fit.plot(DOCS / "data.png")
    draw_fields()
    draw_family()


if __name__ == "__main__":
    main()
