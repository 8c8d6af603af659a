# SPDX-License-Identifier: MIT
"""Prescribed relaxation times in one and three dimensions, and the sweep of Allen-Cahn's diffusion."""

from __future__ import annotations

from paper.case import LIQUID, METHODS
from paper.experiments.cells import extra, methods, tuned
from paper.plan import Cell, Job, Plan, data_file

SIZES, GRADED_SIZES = (40, 80, 160, 320, 640), (160, 640)
EPS = ("1e-1", "1e-2", "1e-3", "1e-4")


def multiscale_1d(plan: Plan) -> list[Cell]:
    """Paper, fig:mms-convergence; and the same with graded times, which the paper does not mention."""
    cells, paper = [], data_file("published")["multiscale_1d"]
    table = "Multi-scale 1D, uniform Latin hypercube (the paper's text)"
    for P in SIZES:
        case = plan.case("multiscale-1d", per_patch=P // 4)
        cells += methods(plan, table, f"P = {P}", case, paper=paper if SIZES[-1] == P else None)
        cells.append(tuned(plan, table, f"P = {P}", "multiscale-1d", features=P))
    table = "The same with collocation times graded towards t = 0, nothing else changed"
    for P in GRADED_SIZES:
        case = plan.case("multiscale-1d", per_patch=P // 4, time="graded", grading=1e-2)
        cells += methods(plan, table, f"P = {P}", case)
    table = "Evidence: L-RFM-Global, P = 640, against the grading d of times t = T d((1 + 1/d)^s - 1)"
    for grading in (1.0, 0.1, 1e-2, 1e-3, 1e-4):
        case = plan.case("multiscale-1d", time="graded", grading=grading)
        cells.append(extra(table, f"d = {grading:g}", "Rel. L2", plan.solves(case, "global")))
    return cells


def multiscale_3d(plan: Plan) -> list[Cell]:
    """Paper, sec:scope-checks."""
    table, row = "Multi-scale 3D, P = 3840, relative L2 over space and time", "uniform Latin hypercube"
    cells = methods(
        plan, table, row, plan.case("multiscale-3d"), paper=data_file("published")["multiscale_3d"]
    )
    cells.append(tuned(plan, table, row, "multiscale-3d"))
    graded = plan.case("multiscale-3d", time="graded", grading=1e-2)
    for method in LIQUID:
        cells.append(extra(table, "times graded towards t = 0", METHODS[method], plan.solves(graded, method)))
    return cells


def stiff_sweep(plan: Plan) -> list[Cell]:
    """Paper, tab:stiff and tab:appendix-conditioning, with T = 0.15 of the text; T = 0.1 as evidence."""
    cells = []
    for metric, table, source in (
        ("l2", "Relative L2, Allen-Cahn, P = 400", "stiff_sweep"),
        ("condition", "Condition number of the weighted matrix", "stiff_conditioning"),
    ):
        for eps in EPS:
            options, paper = {"eps": float(eps), "T": 0.15}, data_file("published")[source][eps]
            case = plan.case("allen-cahn", options=options)
            cells += methods(plan, table, f"ε = {eps}", case, metric=metric, paper=paper)
            if metric == "l2":
                cells.append(tuned(plan, table, f"ε = {eps}", "allen-cahn", options=options))
    table = "Evidence: T = 0.1, as the paper's table of configurations says"
    for eps in EPS:
        case = plan.case("allen-cahn", options={"eps": float(eps), "T": 0.1})
        cells += [extra(table, f"ε = {eps}", METHODS[m], plan.solves(case, m)) for m in LIQUID]
    table = "Evidence: L-RFM-Global, condition number and error with other weights"
    for eps in EPS:
        for weights, biases in ((4.0, 1.0), (5.0, 2.0)):
            options = {"eps": float(eps), "T": 0.15}
            case = plan.case("allen-cahn", options=options, weights=weights, biases=biases)
            column, jobs = f"R_w = {weights:g}, R_b = {biases:g}", plan.solves(case, "global")
            cells.append(extra(table, f"ε = {eps}", f"κ, {column}", jobs, "condition"))
            cells.append(extra(table, f"ε = {eps}", f"Rel. L2, {column}", jobs))
    return cells + reference_evidence()


def reference_evidence() -> list[Cell]:
    """Another Fourier code converges to the reference."""
    cells, table = [], "Evidence: a plain Fourier solver against the reference, ε = 1e-4, T = 0.15"
    for modes, steps in ((32, 20), (64, 40), (128, 80), (256, 160), (512, 640)):
        data = {"eps": 1e-4, "T": 0.15, "modes": modes, "steps": steps}
        row = f"{modes} modes, {steps} Runge-Kutta steps"
        cells.append(extra(table, row, "Rel. L2 at t = T", (Job("reference", data, 0),)))
    return cells


def stiff_field(plan: Plan) -> list[Job]:
    """Paper, fig:stiff-solution: L-RFM-Local with the first seed."""
    return [plan.solves(plan.case("allen-cahn", options={"eps": 1e-4, "T": 0.15}), "local")[0]]
