# SPDX-License-Identifier: MIT
"""The experiments by name: which cells each table has, which jobs fill them, what the paper prints there."""

from paper.experiments import comparison, costs, scales, theorems, verification
from paper.plan import Experiment

EXPERIMENTS = {
    experiment.name: experiment
    for experiment in (
        Experiment(
            "collocation-sensitivity",
            "Rows per feature, heat 1D",
            "tab:collocation-sensitivity",
            verification.collocation_sensitivity,
        ),
        Experiment(
            "heat-convergence",
            "Patches and features, heat 1D",
            "fig:heat-convergence",
            verification.heat_convergence,
        ),
        Experiment("heat-2d", "Heat equation in two dimensions", "tab:heat2d-check", verification.heat_2d),
        Experiment("main", "Five methods, four equations", "tab:main-baselines", comparison.main_table),
        Experiment(
            "main-fields",
            "Fields of the four equations",
            "fig:main-1d-solutions",
            more=comparison.main_fields,
        ),
        Experiment(
            "multiscale-1d", "Three relaxation times, sweep of P", "fig:mms-convergence", scales.multiscale_1d
        ),
        Experiment(
            "stiff-sweep",
            "Allen-Cahn, sweep of ε",
            "tab:stiff, tab:appendix-conditioning, fig:stiff",
            scales.stiff_sweep,
        ),
        Experiment(
            "stiff-field", "Allen-Cahn field, ε = 1e-4", "fig:stiff-solution", more=scales.stiff_field
        ),
        Experiment(
            "static-ablation",
            "Liquid features frozen in time",
            "fig:static-ablation",
            comparison.static_ablation,
        ),
        Experiment(
            "tau-ablation", "Laws of the relaxation time", "fig:tau-ablation", comparison.tau_ablation
        ),
        Experiment(
            "conditioning",
            "Condition numbers",
            "tab:condition-panorama, tab:appendix-baselines",
            comparison.conditioning,
        ),
        Experiment("linf", "Largest errors", "tab:appendix-baselines", comparison.linf),
        Experiment(
            "multiscale-3d",
            "Three relaxation times in three dimensions",
            "sec:scope-checks, fig:mms3d-solution",
            scales.multiscale_3d,
        ),
        Experiment(
            "block-marching",
            "Allen-Cahn to T = 2 in blocks",
            "fig:block-marching, fig:block-marching-solution",
            costs.block_marching,
        ),
        Experiment("timing", "Wall-clock time", "tab:timing", costs.timing),
        Experiment(
            "temporal-rank", "The rank proposition", "prop:scale-identifiability", theorems.temporal_rank
        ),
        Experiment(
            "density", "The density theorem's separable slice", "thm:lrfm-universal", theorems.density
        ),
    )
}
