# SPDX-License-Identifier: MIT
"""Long times in blocks, and seconds."""

from __future__ import annotations

from paper.case import LIQUID, METHODS
from paper.experiments.cells import TUNED, cell, extra
from paper.plan import Cell, Job, Plan, data_file

BLOCKS = (1, 4, 8)


def block_marching(plan: Plan) -> list[Cell]:
    """Paper, fig:block-marching."""
    cells, table = [], "Allen-Cahn to T = 2, 320 features per block, final time"
    for blocks in BLOCKS:
        paper, row = data_file("published")["block_marching"][str(blocks)], f"B = {blocks}"
        jobs = plan.solves(plan.case("allen-cahn-long", blocks=blocks), "local")
        cells.append(cell(table, row, "Rel. L2", jobs, metric="final", paper=paper["l2"]))
        cells.append(cell(table, row, "Seconds", jobs, metric="seconds", paper=paper["seconds"], role="time"))
        cells.append(cell(table, row, TUNED, tuned_march(plan, blocks), metric="final", role="tuned"))
    table = "Evidence: other weights, overlaps and block weights (N_int/N_b)^p"
    for weights, overlap, power in ((2.0, 0.5, 0.5), (3.0, 1.0, 0.5), (4.0, 1.5, 1.0)):
        for blocks in BLOCKS:
            changes = {"weights": weights, "overlap": overlap, "power": power}
            case = plan.case("allen-cahn-long", blocks=blocks, **changes)
            row = f"R_w = {weights:g}, overlap {overlap:g}, p = {power:g}"
            cells.append(extra(table, row, f"B = {blocks}", plan.solves(case, "local"), "final"))
    return cells


def tuned_march(plan: Plan, blocks: int) -> tuple[Job, ...]:
    """Our own settings, the gate scaled with the length of a block."""
    space = data_file("tuned")["allen-cahn-long"]["space"]
    return plan.tuned("allen-cahn-long", blocks=blocks, space={**space, "gate": space["gate"] * blocks / 8})


def timing(plan: Plan) -> list[Cell]:
    """Paper, tab:timing, with the loop that it describes and ours side by side."""
    cells, table = [], "Allen-Cahn, P = 240: the paper's loop and ours, processor time of one thread"
    case = plan.case("allen-cahn", per_patch=60)
    columns = {
        "l2": "Rel. L2",
        "seconds": "Seconds, same protocol",
        "plain_seconds": "Seconds, plain loop",
        "speedup": "Plain / same protocol",
        "own_seconds": "Seconds, our solve",
        "own_speedup": "Plain / our solve",
        "plain_l2": "Rel. L2, plain loop",
        "own_l2": "Rel. L2, our solve",
    }
    for method, title in METHODS.items():
        data = {"case": case.to_dict(), "method": method}
        jobs = tuple(Job("timing", data, seed, 4.0, exclusive=True) for seed in plan.seeds)
        paper = data_file("published")["timing"][method]
        for metric, column in columns.items():
            role = "time" if metric != "l2" else "liquid" if method in LIQUID else "static"
            cells.append(cell(table, title, column, jobs, metric=metric, paper=paper.get(metric), role=role))
    return cells
