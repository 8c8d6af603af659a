# SPDX-License-Identifier: MIT
"""The rank proposition and the density theorem as tables; the paper proves them and prints no numbers."""

from __future__ import annotations

import numpy as np

from paper.experiments.cells import extra
from paper.plan import Cell, Job, Plan

RANK = {
    "rank": "Rank, 120 digits",
    "double_rank": "Rank, double, 1e-12",
    "condition": "κ(V)",
    "every": "Error with all J rates",
    "single": "Error with one rate",
}
COUNTS, POWERS = (2, 4, 8, 16), tuple(range(7))
SPANS = {
    "temporal": (
        "J",
        (2, 4, 8, 16, 32),
        ("smooth", "kink", "root"),
        "Span of J exponentials on [0, 1], sup norm",
    ),
    "ridge": (
        "P",
        (25, 50, 100, 200, 400, 800),
        ("smooth", "kink"),
        "Span of P features tanh(w x + b) exp(-t/τ) on [-1, 1] × [0, 1], sup norm",
    ),
}


def temporal_rank(plan: Plan) -> list[Cell]:
    """Paper, prop:scale-identifiability."""
    cells, table = [], "J distinct rates, τ log-spaced on [0.05, 20] T, 64 times"
    for J in COUNTS:
        rates = [float(f"{r:.6g}") for r in 1.0 / np.geomspace(0.05, 20.0, J)]
        job = Job("rank", {"rates": rates}, 0)
        cells += [extra(table, f"J = {J}", column, (job,), metric) for metric, column in RANK.items()]
    table = "Two rates, 1 and 1 + δ: condition number against their distance"
    for power in POWERS:
        job = Job("rank", {"rates": [1.0, 1.0 + 10.0**-power]}, 0)
        for metric in ("rank", "condition", "single"):
            cells.append(extra(table, f"δ = 1e-{power}", RANK[metric], (job,), metric))
    return cells


def density(plan: Plan) -> list[Cell]:
    """Paper, thm:lrfm-universal, on its separable slice."""
    cells = []
    for span, (letter, sizes, targets, table) in SPANS.items():
        for size in sizes[:-1] if plan.quick else sizes:
            for target in targets:
                data = {"span": span, "target": target, "size": size}
                jobs = tuple(Job("density", data, seed, 0.2) for seed in plan.seeds)
                cells.append(extra(table, f"{letter} = {size}", target, jobs, "sup"))
    return cells
