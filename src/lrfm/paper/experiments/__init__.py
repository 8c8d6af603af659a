# SPDX-License-Identifier: MIT
"""The experiments by name: which cells each table has, which jobs fill them, what the paper prints there."""

from lrfm.paper.experiments import comparison, costs, scales, theorems, verification
from lrfm.paper.plan import Experiment

EXPERIMENTS: dict[str, Experiment] = {
    experiment.name: experiment
    for experiment in (
        Experiment(
            name="collocation-sensitivity",
            title="Rows per feature, heat 1D",
            source="tab:collocation-sensitivity",
            cells=verification.collocation_sensitivity,
        ),
        Experiment(
            name="heat-convergence",
            title="Patches and features, heat 1D",
            source="fig:heat-convergence",
            cells=verification.heat_convergence,
            figures={"heat-convergence": "heat_convergence"},
        ),
        Experiment(
            name="heat-2d",
            title="Heat equation in two dimensions",
            source="tab:heat2d-check",
            cells=verification.heat_2d,
        ),
        Experiment(
            name="main",
            title="Five methods, four equations",
            source="tab:main-baselines",
            cells=comparison.main_table,
        ),
        Experiment(
            name="main-fields",
            title="Fields of the four equations",
            source="fig:main-1d-solutions",
            more=comparison.main_fields,
            figures={"main-fields": "main_fields"},
        ),
        Experiment(
            name="multiscale-1d",
            title="Three relaxation times, sweep of P",
            source="fig:mms-convergence",
            cells=scales.multiscale_1d,
            figures={"multiscale-1d": "multiscale_1d"},
        ),
        Experiment(
            name="stiff-sweep",
            title="Allen-Cahn, sweep of ε",
            source="tab:stiff, tab:appendix-conditioning, fig:stiff",
            cells=scales.stiff_sweep,
            figures={"stiff-sweep": "stiff_sweep"},
        ),
        Experiment(
            name="stiff-field",
            title="Allen-Cahn field, ε = 1e-4",
            source="fig:stiff-solution",
            more=scales.stiff_field,
            figures={"stiff-field": "stiff_field"},
        ),
        Experiment(
            name="static-ablation",
            title="Liquid features frozen in time",
            source="fig:static-ablation",
            cells=comparison.static_ablation,
            figures={"static-ablation": "static_ablation"},
        ),
        Experiment(
            name="tau-ablation",
            title="Laws of the relaxation time",
            source="fig:tau-ablation",
            cells=comparison.tau_ablation,
            figures={"tau-ablation": "tau_ablation"},
        ),
        Experiment(
            name="conditioning",
            title="Condition numbers",
            source="tab:condition-panorama, tab:appendix-baselines",
            cells=comparison.conditioning,
        ),
        Experiment(
            name="linf",
            title="Largest errors",
            source="tab:appendix-baselines",
            cells=comparison.linf,
        ),
        Experiment(
            name="multiscale-3d",
            title="Three relaxation times in three dimensions",
            source="sec:scope-checks, fig:mms3d-solution",
            cells=scales.multiscale_3d,
            figures={"multiscale-3d": "multiscale_3d"},
        ),
        Experiment(
            name="block-marching",
            title="Allen-Cahn to T = 2 in blocks",
            source="fig:block-marching, fig:block-marching-solution",
            cells=costs.block_marching,
            figures={"block-marching": "block_history", "block-marching-field": "block_field"},
        ),
        Experiment(
            name="timing",
            title="Wall-clock time",
            source="tab:timing",
            cells=costs.timing,
        ),
        Experiment(
            name="temporal-rank",
            title="The rank proposition",
            source="prop:scale-identifiability",
            cells=theorems.temporal_rank,
            figures={"temporal-rank": "temporal_rank"},
        ),
        Experiment(
            name="density",
            title="The density theorem's separable slice",
            source="thm:lrfm-universal",
            cells=theorems.density,
            figures={"density": "density"},
        ),
    )
}
