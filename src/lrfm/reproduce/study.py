# SPDX-License-Identifier: MIT
"""The experiments: which cells each table has, which jobs fill them, what the paper prints there."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lrfm.reproduce.case import LIQUID, METHODS, STATIC, Case
from lrfm.reproduce.plan import Cell, Experiment, Job, Plan
from lrfm.reproduce.published import published

COLUMNS = {"l2": "Rel. L2", "linf": "Rel. Linf", "condition": "κ(A)", "rank": "Rank"}
PRINTED = {"condition": "kappa"}  # names in `published.toml`
TUNED = "tuned"
ONE_D = ("allen-cahn", "burgers", "kdv", "nls")
TITLES = {
    "heat-1d": "Heat 1D",
    "allen-cahn": "Allen-Cahn",
    "burgers": "Burgers",
    "kdv": "KdV as printed",
    "kdv-consistent": "KdV, consistent data",
    "nls": "NLS",
}
EPS = ("1e-1", "1e-2", "1e-3", "1e-4")


def pair(value: Sequence[float] | None) -> tuple[float, float] | None:
    """A printed [mean, deviation]."""
    return None if value is None else (float(value[0]), float(value[1]))


def method_row(plan: Plan, table: str, row: str, case: Case, metric: str, paper: dict | None, role: str = "") -> list[Cell]:
    """The five methods on one row."""
    return [
        Cell(
            table=table,
            row=row,
            column=title,
            metric=metric,
            jobs=plan.solves(case, method),
            paper=pair((paper or {}).get(method)),
            role=role or ("liquid" if method in LIQUID else "static"),
        )
        for method, title in METHODS.items()
    ]


def tuned_cell(plan: Plan, table: str, row: str, name: str, metric: str = "l2", column: str = TUNED, **changes) -> Cell:
    """The column of our own settings."""
    return Cell(table=table, row=row, column=column, metric=metric, jobs=plan.tuned(name, **changes), role="tuned")


def collocation_sensitivity(plan: Plan) -> list[Cell]:
    cells, table = [], "Effect of overdetermination, heat 1D, K = 4, M = 100"
    for printed in published()["collocation_sensitivity"]["rows"]:
        rows = (printed["interior"], printed["initial"], printed["boundary"])
        case, label = plan.case("heat-1d", rows=rows), f"N/P = {printed['ratio']}"
        for metric, title in COLUMNS.items():
            cells.append(
                Cell(table=table, row=label, column=title, metric=metric, jobs=plan.solves(case, "local"), paper=pair(printed[PRINTED.get(metric, metric)]))
            )
        share = {k: printed[k] / 400 for k in ("interior", "initial", "boundary")}
        cells.append(tuned_cell(plan, table, label, "heat-1d", collocation=share))
    return cells


def heat_convergence(plan: Plan) -> list[Cell]:
    cells, table = [], "Heat 1D, K patches of M features"
    printed = {(p["patches"], p["per_patch"]): p["l2"] for p in published()["heat_convergence"]["points"]}
    for K in (1, 2, 4, 8):
        for M in (25, 50, 100):
            case, label = plan.case("heat-1d", patches=K, per_patch=M), f"K = {K}, M = {M}"
            paper = pair(printed.get((K, M)))
            cells.append(Cell(table=table, row=label, column="Rel. L2", metric="l2", jobs=plan.solves(case, "local"), paper=paper))
            cells.append(
                Cell(table=table, row=label, column="κ(A)", metric="condition", jobs=plan.solves(case, "local"))
            )
            cells.append(tuned_cell(plan, table, label, "heat-1d", features=K * M))
    return cells


def heat_2d(plan: Plan) -> list[Cell]:
    cells, table = [], "Heat 2D, 2 × 2 patches of M features"
    for printed in published()["heat_2d"]["rows"]:
        M = printed["per_patch"]
        case, label = plan.case("heat-2d", per_patch=M), f"M = {M}"
        for metric in ("l2", "linf"):
            cells.append(
                Cell(table=table, row=label, column=COLUMNS[metric], metric=metric, jobs=plan.solves(case, "local"), paper=pair(printed[PRINTED.get(metric, metric)]))
            )
        cells.append(tuned_cell(plan, table, label, "heat-2d", features=4 * M))
    evidence = "Evidence: the same row (M = 60) with other overlaps of the patches"
    for overlap in (0.25, 0.5, 1.0, 1.5, 2.0, 3.0):
        case = plan.case("heat-2d", overlap=overlap)
        for metric in ("l2", "condition"):
            cells.append(
                Cell(table=evidence, row=f"overlap {overlap}", column=COLUMNS[metric], metric=metric, jobs=plan.solves(case, "local"), role="extra")
            )
    return cells


def main_table(plan: Plan, metric: str = "l2") -> list[Cell]:
    cells, printed, table = [], published(), "Relative L2 at matched P"
    for name in ONE_D:
        case = plan.case(name)
        cells += method_row(plan, table, TITLES[name], case, "l2", printed["main"][name.replace("-", "_")])
        cells.append(tuned_cell(plan, table, TITLES[name], name))
    consistent = plan.case("kdv", problem="kdv-consistent")
    cells += method_row(plan, table, TITLES["kdv-consistent"], consistent, "l2", None, role="extra")
    cells.append(tuned_cell(plan, table, TITLES["kdv-consistent"], "kdv-consistent"))
    return cells + main_evidence(plan)


def main_evidence(plan: Plan) -> list[Cell]:
    """Why KdV stays at 1e-3, what Burgers local depends on, and how the static spaces depend on the scale of time."""
    cells = []
    table = "Evidence: KdV with ever more features of our own, as printed and with consistent data"
    for P in (240, 480, 960):
        cells.append(tuned_cell(plan, table, f"P = {P}", "kdv", column="as printed", features=P))
        cells.append(tuned_cell(plan, table, f"P = {P}", "kdv-consistent", column="consistent", features=P))
    table = "Evidence: Burgers, L-RFM-Local, after a fixed number of Picard steps"
    for steps in (1, 2, 3, 4, 5, 6, 30):
        case = plan.case("burgers", max_steps=steps)
        cells.append(Cell(table=table, row=f"{steps} steps", column="Rel. L2", metric="l2", jobs=plan.solves(case, "local"), role="extra"))
    table = "Evidence: Burgers with other weights and overlaps"
    for weights, overlap in ((2.0, 0.25), (6.0, 0.25), (2.0, 1.5), (6.0, 1.5)):
        case = plan.case("burgers", weights=weights, overlap=overlap)
        for method in LIQUID:
            cells.append(
                Cell(table=table, row=f"R_w = {weights:g}, overlap {overlap:g}", column=METHODS[method], metric="l2", jobs=plan.solves(case, method), role="extra")
            )
    for name in ("allen-cahn", "burgers"):
        table = f"Evidence: {TITLES[name]}, static spaces with other scales of time"
        # Times in [0, T] are the range R_w T/2 of weights on times mapped to [-1, 1]; both problems end at T = 0.1.
        for label, scale in (("times in [-1, 1]", 1.0), ("times in [0, 1] (used)", 0.5), ("times in [0, T], unscaled", 0.05)):
            case = plan.case(name, static_time=scale)
            for method in STATIC:
                for metric, suffix in (("l2", ""), ("condition", ", κ")):
                    cells.append(
                        Cell(table=table, row=label, column=METHODS[method] + suffix, metric=metric, jobs=plan.solves(case, method), role="extra")
                    )
    return cells


def multiscale_1d(plan: Plan) -> list[Cell]:
    cells, printed = [], published()["multiscale_1d"]
    table = "Multi-scale 1D, uniform Latin hypercube (the paper's text)"
    for P in (40, 80, 160, 320, 640):
        case = plan.case("multiscale-1d", per_patch=P // 4)
        cells += method_row(plan, table, f"P = {P}", case, "l2", printed if P == 640 else None)
        cells.append(tuned_cell(plan, table, f"P = {P}", "multiscale-1d", features=P))
    table = "The same with collocation times graded towards t = 0, nothing else changed"
    for P in (160, 640):
        case = plan.case("multiscale-1d", per_patch=P // 4, time="graded", grading=1e-2)
        cells += method_row(plan, table, f"P = {P}", case, "l2", None, role="extra")
    table = "Evidence: L-RFM-Global, P = 640, against the grading d of times t = T d((1 + 1/d)^s - 1)"
    for grading in (1.0, 0.1, 1e-2, 1e-3, 1e-4):
        case = plan.case("multiscale-1d", time="graded", grading=grading)
        cells.append(Cell(table=table, row=f"d = {grading:g}", column="Rel. L2", metric="l2", jobs=plan.solves(case, "global"), role="extra"))
    return cells


def stiff_sweep(plan: Plan) -> list[Cell]:
    cells, printed = [], published()
    for metric, table, source in (
        ("l2", "Relative L2, Allen-Cahn, P = 400", "stiff_sweep"),
        ("condition", "Condition number of the weighted matrix", "stiff_conditioning"),
    ):
        for eps in EPS:
            case = plan.case("allen-cahn", options={"eps": float(eps), "T": 0.15})
            cells += method_row(plan, table, f"ε = {eps}", case, metric, printed[source][eps])
            if metric == "l2":
                cells.append(tuned_cell(plan, table, f"ε = {eps}", "allen-cahn", options={"eps": float(eps), "T": 0.15}))
    table = "Evidence: T = 0.1, as the table of configurations says"
    for eps in EPS:
        case = plan.case("allen-cahn", options={"eps": float(eps), "T": 0.1})
        for method in LIQUID:
            cells.append(Cell(table=table, row=f"ε = {eps}", column=METHODS[method], metric="l2", jobs=plan.solves(case, method), role="extra"))
    table = "Evidence: a plain Fourier solver (integrating factor, Runge-Kutta) against the reference, ε = 1e-4, T = 0.15"
    for modes, steps in ((32, 20), (64, 40), (128, 80), (256, 160), (512, 640)):
        job = Job("reference", {"eps": 1e-4, "T": 0.15, "modes": modes, "steps": steps}, 0, 1.0)
        cells.append(Cell(table=table, row=f"{modes} modes, {steps} steps", column="Rel. L2 at t = T", metric="l2", jobs=(job,), role="extra"))
    return cells


def static_ablation(plan: Plan) -> list[Cell]:
    cells, table = [], "Liquid features and their frozen t = 0 response"
    for name in ("heat-1d", *ONE_D):
        printed = published()["static_ablation"][name.replace("-1d", "").replace("-", "_")]
        case = plan.case(name)
        for method, column, key in (("local", "L-RFM-Local", "liquid"), ("frozen", "frozen", "static")):
            cells.append(
                Cell(
                    table=table,
                    row=TITLES[name],
                    column=column,
                    metric="l2",
                    jobs=plan.solves(case, method),
                    paper=pair(printed[key]),
                    role="liquid" if method == "local" else "static",
                )
            )
        cells.append(tuned_cell(plan, table, TITLES[name], name))
    return cells


def tau_ablation(plan: Plan) -> list[Cell]:
    cells, table, printed = [], "Allen-Cahn, L-RFM-Local, laws of τ/T", published()["tau_ablation"]
    for key, tau in (("log_uniform", (0.05, 20.0)), ("0.05", 0.05), ("1", 1.0), ("20", 20.0)):
        label = "log-uniform on [0.05, 20]" if key == "log_uniform" else f"fixed τ/T = {key}"
        case = plan.case("allen-cahn", tau=tau if isinstance(tau, tuple) else (tau, tau * (1 + 1e-12)))
        cells.append(Cell(table=table, row=label, column="Rel. L2", metric="l2", jobs=plan.solves(case, "local"), paper=pair(printed[key])))
    cells.append(tuned_cell(plan, table, "log-uniform on [0.05, 20]", "allen-cahn"))
    return cells


def conditioning(plan: Plan) -> list[Cell]:
    cells, table = [], "Condition number of the weighted matrix"
    rows = {
        "heat": ("Heat 1D", plan.case("heat-1d")),
        "allen_cahn_stiff": ("Allen-Cahn, ε = 1e-4, T = 0.15", plan.case("allen-cahn", options={"eps": 1e-4, "T": 0.15})),
        "burgers": ("Burgers", plan.case("burgers")),
        "nls": ("NLS", plan.case("nls")),
        "kdv": ("KdV as printed", plan.case("kdv")),
        "allen_cahn": ("Allen-Cahn, T = 0.1", plan.case("allen-cahn")),
    }
    for key, (label, case) in rows.items():
        cells += method_row(plan, table, label, case, "condition", published()["conditioning"][key])
    return cells


def linf(plan: Plan) -> list[Cell]:
    cells, table = [], "Relative Linf at matched P"
    for name in ("heat-1d", *ONE_D):
        printed = published()["linf"][name.replace("-1d", "").replace("-", "_")]
        cells += method_row(plan, table, TITLES[name], plan.case(name), "linf", printed)
        cells.append(tuned_cell(plan, table, TITLES[name], name, metric="linf"))
    consistent = plan.case("kdv", problem="kdv-consistent")
    cells += method_row(plan, table, TITLES["kdv-consistent"], consistent, "linf", None, role="extra")
    cells.append(tuned_cell(plan, table, TITLES["kdv-consistent"], "kdv-consistent", metric="linf"))
    return cells


def multiscale_3d(plan: Plan) -> list[Cell]:
    table, row = "Multi-scale 3D, P = 3840, relative L2 over space and time", "uniform Latin hypercube"
    cells = method_row(plan, table, row, plan.case("multiscale-3d"), "l2", published()["multiscale_3d"])
    cells.append(tuned_cell(plan, table, row, "multiscale-3d"))
    graded = plan.case("multiscale-3d", time="graded", grading=1e-2)
    for method in LIQUID:
        job = plan.solves(graded, method)[:1]
        cells.append(Cell(table=table, row="graded times (one seed)", column=METHODS[method], metric="l2", jobs=job, role="extra"))
    return cells


def block_marching(plan: Plan) -> list[Cell]:
    cells, table = [], "Allen-Cahn to T = 2, 320 features per block, final time"
    for blocks in (1, 4, 8):
        printed = published()["block_marching"][str(blocks)]
        case, row = plan.case("allen-cahn-long", blocks=blocks), f"B = {blocks}"
        cells.append(Cell(table=table, row=row, column="Rel. L2", metric="final", jobs=plan.solves(case, "local"), paper=pair(printed["l2"])))
        cells.append(
            Cell(table=table, row=row, column="Seconds", metric="seconds", jobs=plan.solves(case, "local"), paper=pair(printed["seconds"]), role="time")
        )
        cells.append(tuned_cell(plan, table, row, "allen-cahn-long", metric="final", blocks=blocks))
    return cells


def timing(plan: Plan) -> list[Cell]:
    cells, table = [], "Allen-Cahn, P = 240: the paper's loop and ours on this machine, one thread"
    case = plan.case("allen-cahn", per_patch=60)
    columns = {
        "l2": "Rel. L2",
        "seconds": "Seconds, our solve",
        "plain_seconds": "Seconds, plain loop",
        "speedup": "Plain / our solve",
        "own_seconds": "Seconds, Newton and QR",
        "own_speedup": "Plain / Newton and QR",
        "own_l2": "Rel. L2, Newton and QR",
        "plain_l2": "Rel. L2, plain loop",
    }
    for method, title in METHODS.items():
        data = {"case": case.to_dict(), "method": method}
        jobs = tuple(Job("timing", data, seed, 4.0, alone=True) for seed in plan.seeds)
        printed = published()["timing"][method]
        for metric, column in columns.items():
            role = "time" if metric not in ("l2",) else "liquid" if method in LIQUID else "static"
            paper = pair(printed.get(metric)) if metric in ("l2", "seconds") else None
            cells.append(Cell(table=table, row=title, column=column, metric=metric, jobs=jobs, paper=paper, role=role))
    return cells


def temporal_rank(plan: Plan) -> list[Cell]:
    cells, table = [], "J distinct rates, τ log-uniform on [0.05, 20] T, 64 times"
    columns = {
        "rank": "Rank, 120 digits",
        "double_rank": "Rank, double, 1e-12",
        "condition": "κ(V)",
        "every": "Error with all J rates",
        "single": "Error with one rate",
    }
    for J in (2, 4, 8, 16):
        rates = [float(f"{r:.6g}") for r in 1.0 / np.geomspace(0.05, 20.0, J)]
        job = Job("rank", {"rates": rates}, 0, 0.5)
        for metric, column in columns.items():
            cells.append(Cell(table=table, row=f"J = {J}", column=column, metric=metric, jobs=(job,), role="extra"))
    table = "Two rates, 1 and 1 + δ: condition number against their distance"
    for power in range(7):
        delta = 10.0**-power
        job = Job("rank", {"rates": [1.0, 1.0 + delta]}, 0, 0.5)
        for metric in ("rank", "condition", "single"):
            cells.append(Cell(table=table, row=f"δ = 1e-{power}", column=columns[metric], metric=metric, jobs=(job,), role="extra"))
    return cells


def density(plan: Plan) -> list[Cell]:
    cells = []
    for span, sizes, targets in (
        ("temporal", (2, 4, 8, 16, 32), ("smooth", "kink", "root")),
        ("ridge", (25, 50, 100, 200, 400, 800), ("smooth", "kink")),
    ):
        table = {
            "temporal": "Span of J exponentials on [0, 1], sup norm",
            "ridge": "Span of P features tanh(w x + b) exp(-t/τ) on [-1, 1] × [0, 1], sup norm",
        }[span]
        for size in sizes if not plan.quick else sizes[:-1]:
            for target in targets:
                jobs = tuple(Job("density", {"span": span, "target": target, "size": size}, seed, 0.2) for seed in plan.seeds)
                cells.append(
                    Cell(table=table, row=f"{'J' if span == 'temporal' else 'P'} = {size}", column=target, metric="sup", jobs=jobs, role="extra")
                )
    return cells


def local_fields(*names: str):
    """Jobs of L-RFM-Local whose fields are drawn."""
    return lambda plan: [plan.solves(plan.case(name), "local")[0] for name in names]


def stiff_field(plan: Plan) -> list[Job]:
    return [plan.solves(plan.case("allen-cahn", options={"eps": 1e-4, "T": 0.15}), "local")[0]]


EXPERIMENTS = {
    e.name: e
    for e in (
        Experiment(name="collocation-sensitivity", title="Rows per feature, heat 1D", source="tab:collocation-sensitivity", cells=collocation_sensitivity),
        Experiment(name="heat-convergence", title="Patches and features, heat 1D", source="fig:heat-convergence", cells=heat_convergence, figures={"heat-convergence": "heat_convergence"}),
        Experiment(name="heat-2d", title="Heat equation in two dimensions", source="tab:heat2d-check", cells=heat_2d),
        Experiment(name="main", title="Five methods, four equations", source="tab:main-baselines", cells=main_table),
        Experiment(name="main-fields", title="Fields of the four equations", source="fig:main-1d-solutions", cells=lambda plan: [], more=local_fields(*ONE_D), figures={"main-fields": "main_fields"}),
        Experiment(name="multiscale-1d", title="Three relaxation times, sweep of P", source="fig:mms-convergence", cells=multiscale_1d, figures={"multiscale-1d": "multiscale_1d"}),
        Experiment(name="stiff-sweep", title="Allen-Cahn, sweep of ε", source="tab:stiff, tab:appendix-conditioning, fig:stiff", cells=stiff_sweep, figures={"stiff-sweep": "stiff_sweep"}),
        Experiment(name="stiff-field", title="Allen-Cahn field, ε = 1e-4", source="fig:stiff-solution", cells=lambda plan: [], more=stiff_field, figures={"stiff-field": "stiff_field"}),
        Experiment(name="static-ablation", title="Liquid features frozen in time", source="fig:static-ablation", cells=static_ablation, figures={"static-ablation": "static_ablation"}),
        Experiment(name="tau-ablation", title="Laws of the relaxation time", source="fig:tau-ablation", cells=tau_ablation, figures={"tau-ablation": "tau_ablation"}),
        Experiment(name="conditioning", title="Condition numbers", source="tab:condition-panorama, tab:appendix-baselines", cells=conditioning),
        Experiment(name="linf", title="Largest errors", source="tab:appendix-baselines", cells=linf),
        Experiment(name="multiscale-3d", title="Three relaxation times in three dimensions", source="sec:scope-checks, fig:mms3d-solution", cells=multiscale_3d, more=local_fields("multiscale-3d"), figures={"multiscale-3d": "multiscale_3d"}),
        Experiment(name="block-marching", title="Allen-Cahn to T = 2 in blocks", source="fig:block-marching, fig:block-marching-solution", cells=block_marching, figures={"block-marching": "block_history", "block-marching-field": "block_field"}),
        Experiment(name="timing", title="Wall-clock time", source="tab:timing", cells=timing),
        Experiment(name="temporal-rank", title="The rank proposition", source="prop:scale-identifiability", cells=temporal_rank, figures={"temporal-rank": "temporal_rank"}),
        Experiment(name="density", title="The density theorem's separable slice", source="thm:lrfm-universal", cells=density, figures={"density": "density"}),
    )
}
