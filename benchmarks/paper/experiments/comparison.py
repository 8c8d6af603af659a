# SPDX-License-Identifier: MIT
"""The five methods on the one-dimensional equations, and the ablations of the liquid response."""

from __future__ import annotations

from dataclasses import replace

from paper.case import LIQUID, METHODS, STATIC
from paper.experiments.cells import ONE_D, TITLES, cell, extra, methods, printed, tuned
from paper.plan import Cell, Job, Plan, data_file

POWERS = (0.5, 0.75, 1.0)
STATIC_CHANGES = {
    "times in [-1, 1]": {"static_time": 1.0},
    "times in [0, 1] (used)": {"static_time": 0.5},
    "times in [0, T], unscaled": {"static_time": 0.05},
    "R_w = 1, R_b = 3, overlap 0.25": {"weights": 1.0, "biases": 3.0, "overlap": 0.25},
}


def main_table(plan: Plan) -> list[Cell]:
    """Paper, tab:main-baselines, with KdV once more on data that do not contradict each other."""
    cells, table = [], "Relative L2 at matched P"
    for name in ONE_D:
        cells += methods(plan, table, TITLES[name], plan.case(name), paper=printed("main", name))
        cells.append(tuned(plan, table, TITLES[name], name))
    cells += consistent_kdv(plan, table, "l2")
    evidence = kdv_evidence(plan) + burgers_evidence(plan) + static_evidence(plan) + weight_evidence(plan)
    return cells + evidence


def linf(plan: Plan) -> list[Cell]:
    """Paper, the first block of tab:appendix-baselines."""
    cells, table = [], "Relative Linf at matched P"
    for name in ("heat-1d", *ONE_D):
        paper = printed("linf", name)
        cells += methods(plan, table, TITLES[name], plan.case(name), metric="linf", paper=paper)
        cells.append(tuned(plan, table, TITLES[name], name, metric="linf"))
    return cells + consistent_kdv(plan, table, "linf")


def consistent_kdv(plan: Plan, table: str, metric: str) -> list[Cell]:
    """The soliton's own data at both ends in place of periodicity."""
    name = "kdv-consistent"
    cells = methods(plan, table, TITLES[name], plan.case("kdv", problem=name), metric=metric)
    return [*cells, tuned(plan, table, TITLES[name], name, metric=metric)]


def kdv_evidence(plan: Plan) -> list[Cell]:
    """Features do not help where the data contradict each other."""
    cells, table = [], "Evidence: KdV with ever more features of our own (the settings of `tuned`)"
    for P in (240, 480, 960):
        for name, column in (("kdv", "as printed"), ("kdv-consistent", "consistent data")):
            jobs = plan.tuned(name, features=P)
            cells.append(cell(table, f"P = {P}", column, jobs, role="tuned"))
    return cells


def weight_evidence(plan: Plan) -> list[Cell]:
    """Initial and boundary rows weighted by another power than the printed ½."""
    cells, table = [], "Evidence: Allen-Cahn with block weights (N_int/N_b)^p"
    for power in POWERS:
        for per_patch in (100, 60):
            case = plan.case("allen-cahn", power=power, per_patch=per_patch)
            for method in LIQUID:
                column = f"{METHODS[method]}, P = {4 * per_patch}"
                cells.append(extra(table, f"p = {power:g}", column, plan.solves(case, method)))
    return cells


def burgers_evidence(plan: Plan) -> list[Cell]:
    """What the error of L-RFM-Local depends on: steps of Picard's iteration, weights and overlap."""
    cells, table = [], "Evidence: Burgers, L-RFM-Local, after a fixed number of Picard steps"
    for steps in (1, 2, 3, 4, 5, 6, 20):
        jobs = plan.solves(plan.case("burgers", max_steps=steps), "local")
        cells.append(extra(table, f"{steps} step{'s' if steps > 1 else ''}", "Rel. L2", jobs))
    table = "Evidence: Burgers with other weights and overlaps"
    for weights, overlap in ((2.0, 0.25), (6.0, 0.25), (2.0, 1.5), (6.0, 1.5)):
        case = plan.case("burgers", weights=weights, overlap=overlap)
        for method in LIQUID:
            row = f"R_w = {weights:g}, overlap {overlap:g}"
            cells.append(extra(table, row, METHODS[method], plan.solves(case, method)))
    return cells


def static_evidence(plan: Plan) -> list[Cell]:
    """Static spaces with other scales of time (unscaled times, t ∈ [0, 0.1], are a range of R_w/20) and weights."""
    cells = []
    for name in ("allen-cahn", "burgers"):
        table = f"Evidence: {TITLES[name]}, static spaces with other scales of time and other weights"
        for label, changes in STATIC_CHANGES.items():
            case = plan.case(name, **changes)
            for method in STATIC:
                jobs = plan.solves(case, method)
                cells.append(extra(table, label, METHODS[method], jobs))
                cells.append(extra(table, label, f"{METHODS[method]}, κ", jobs, "condition"))
    return cells


def main_fields(plan: Plan) -> list[Job]:
    """Paper, fig:main-1d-solutions: L-RFM-Local with the first seed."""
    return [plan.solves(plan.case(name), "local")[0] for name in ONE_D]


def static_ablation(plan: Plan) -> list[Cell]:
    """Paper, fig:static-ablation."""
    cells, table = [], "Liquid features and their frozen t = 0 response"
    for name in ("heat-1d", *ONE_D):
        paper, case, row = printed("static_ablation", name), plan.case(name), TITLES[name]
        cells.append(cell(table, row, "L-RFM-Local", plan.solves(case, "local"), paper=paper["liquid"]))
        frozen = plan.solves(case, "frozen")
        cells.append(cell(table, row, "frozen", frozen, paper=paper["static"], role="static"))
        cells.append(tuned(plan, table, row, name))
    return cells + frozen_evidence(plan)


def frozen_evidence(plan: Plan) -> list[Cell]:
    """The error of frozen features is a balance of equation and data: the row weights set it."""
    cells, table = [], "Evidence: frozen features with block weights (N_int/N_b)^p (one seed)"
    for power in POWERS:
        for name in ("heat-1d", *ONE_D):
            case = plan.case(name, power=power)
            case = replace(case, per_patch=case.per_patch // 2)  # more features change nothing
            cells.append(extra(table, f"p = {power:g}", TITLES[name], plan.solves(case, "frozen")[:1]))
    return cells


def tau_ablation(plan: Plan) -> list[Cell]:
    """Paper, fig:tau-ablation."""
    cells, table, paper = [], "Allen-Cahn, L-RFM-Local, laws of τ/T", data_file("published")["tau_ablation"]
    laws = {"log_uniform": (0.05, 20.0)} | {
        key: (float(key), float(key) * (1 + 1e-12)) for key in ("0.05", "1", "20")
    }
    for key, tau in laws.items():
        row = "log-uniform on [0.05, 20]" if key == "log_uniform" else f"fixed τ/T = {key}"
        jobs = plan.solves(plan.case("allen-cahn", tau=tau), "local")
        cells.append(cell(table, row, "Rel. L2", jobs, paper=paper[key]))
    return [*cells, tuned(plan, table, "log-uniform on [0.05, 20]", "allen-cahn")]


def conditioning(plan: Plan) -> list[Cell]:
    """Paper, tab:condition-panorama and the second block of tab:appendix-baselines."""
    cells, table = [], "Condition number of the weighted matrix"
    stiff = plan.case("allen-cahn", options={"eps": 1e-4, "T": 0.15})
    rows = {
        "heat": ("Heat 1D", plan.case("heat-1d")),
        "allen_cahn_stiff": ("Allen-Cahn, ε = 1e-4, T = 0.15", stiff),
        "burgers": ("Burgers", plan.case("burgers")),
        "nls": ("NLS", plan.case("nls")),
        "kdv": ("KdV as printed", plan.case("kdv")),
        "allen_cahn": ("Allen-Cahn, T = 0.1", plan.case("allen-cahn")),
    }
    for key, (label, case) in rows.items():
        cells += methods(plan, table, label, case, metric="condition", paper=printed("conditioning", key))
    return cells + condition_evidence(plan)


def condition_evidence(plan: Plan) -> list[Cell]:
    """How far the two rows above twice the printed mean depend on what the paper does not print."""
    cells, table = [], "Evidence: condition number and error with other weights"
    rows = (
        ("Heat 1D, L-RFM-Local", "heat-1d", "local", ((1.0, 2.0), (1.0, 4.0), (1.5, 3.0))),
        ("NLS, L-RFM-Global", "nls", "global", ((6.0, 3.0), (8.0, 4.0))),
    )
    for label, name, method, changes in rows:
        for weights, biases in changes:
            row = f"{label}, R_w = {weights:g}, R_b = {biases:g}"
            jobs = plan.solves(plan.case(name, weights=weights, biases=biases), method)
            cells.append(extra(table, row, "κ", jobs, "condition"))
            cells.append(extra(table, row, "Rel. L2", jobs))
    return cells
