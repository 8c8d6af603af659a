# SPDX-License-Identifier: MIT
"""Heat equations: rows per feature, patches and features, two dimensions."""

from __future__ import annotations

from paper.experiments.cells import COLUMNS, PRINTED, cell, extra, tuned
from paper.plan import Cell, Plan, data_file

PATCHES, PER_PATCH = (1, 2, 4, 8), (25, 50, 100)


def collocation_sensitivity(plan: Plan) -> list[Cell]:
    """Paper, tab:collocation-sensitivity."""
    cells, table = [], "Effect of overdetermination, heat 1D, L-RFM-Local, K = 4, M = 100"
    for row in data_file("published")["collocation_sensitivity"]["rows"]:
        counts = {name: row[name] for name in ("interior", "initial", "boundary")}
        case, label = plan.case("heat-1d", rows=tuple(counts.values())), f"N/P = {row['ratio']}"
        for metric, title in COLUMNS.items():
            paper = row[PRINTED.get(metric, metric)]
            cells.append(cell(table, label, title, plan.solves(case, "local"), metric=metric, paper=paper))
        share = {name: count / 400 for name, count in counts.items()}
        cells.append(tuned(plan, table, label, "heat-1d", collocation=share))
    return cells


def heat_convergence(plan: Plan) -> list[Cell]:
    """Paper, fig:heat-convergence; the text prints three of its points."""
    cells, table = [], "Heat 1D, L-RFM-Local, K patches of M features"
    points = {
        (p["patches"], p["per_patch"]): p["l2"] for p in data_file("published")["heat_convergence"]["points"]
    }
    for K in PATCHES:
        for M in PER_PATCH:
            label = f"K = {K}, M = {M}"
            jobs = plan.solves(plan.case("heat-1d", patches=K, per_patch=M), "local")
            cells.append(cell(table, label, "Rel. L2", jobs, paper=points.get((K, M))))
            cells.append(extra(table, label, "κ(A)", jobs, "condition"))
            cells.append(tuned(plan, table, label, "heat-1d", features=K * M))
    return cells


def heat_2d(plan: Plan) -> list[Cell]:
    """Paper, tab:heat2d-check; and how much of it is the overlap."""
    cells, table = [], "Heat 2D, L-RFM-Local, 2 × 2 patches of M features"
    for row in data_file("published")["heat_2d"]["rows"]:
        M = row["per_patch"]
        jobs, label = plan.solves(plan.case("heat-2d", per_patch=M), "local"), f"M = {M}"
        for metric in ("l2", "linf"):
            cells.append(cell(table, label, COLUMNS[metric], jobs, metric=metric, paper=row[metric]))
        cells.append(tuned(plan, table, label, "heat-2d", features=4 * M))
    table = "Evidence: the last row (M = 60) with other overlaps of the patches"
    for overlap in (0.25, 0.5, 1.0, 1.5, 2.0, 3.0):
        jobs = plan.solves(plan.case("heat-2d", overlap=overlap), "local")
        for metric in ("l2", "condition"):
            cells.append(extra(table, f"overlap {overlap:g}", COLUMNS[metric], jobs, metric))
    return cells
