# SPDX-License-Identifier: MIT
"""The experiments: their cells, and a small part of each of them, run."""

import math

import pytest
from paper.experiments import EXPERIMENTS
from paper.plan import Plan, data_file
from paper.work import execute

NAMES = (
    "collocation-sensitivity",
    "heat-convergence",
    "heat-2d",
    "main",
    "main-fields",
    "multiscale-1d",
    "stiff-sweep",
    "stiff-field",
    "static-ablation",
    "tau-ablation",
    "conditioning",
    "linf",
    "multiscale-3d",
    "block-marching",
    "timing",
    "temporal-rank",
    "density",
)


def test_the_experiments_are_those_promised():
    assert tuple(EXPERIMENTS) == NAMES


def test_every_printed_number_has_a_cell():
    """Walk over the printed tables and look for each pair among the cells."""
    cells = [c for e in EXPERIMENTS.values() for c in e.cells(Plan())]
    have = {c.paper for c in cells if c.paper}

    def pairs(node):
        if isinstance(node, dict):
            for value in node.values():
                yield from pairs(value)
        elif isinstance(node, list) and len(node) == 2 and all(isinstance(v, int | float) for v in node):
            yield tuple(map(float, node))
        elif isinstance(node, list):
            for value in node:
                yield from pairs(value)

    missing = [p for p in pairs(data_file("published")) if p not in have]
    assert missing == []


def test_cells_are_named_once():
    for experiment in EXPERIMENTS.values():
        places = [(c.table, c.row, c.column) for c in experiment.cells(Plan())]
        assert len(places) == len(set(places)), experiment.name


def test_settings_are_the_same_for_all_methods_of_a_row():
    for cell in EXPERIMENTS["main"].cells(Plan()):
        if cell.role in ("liquid", "static"):
            case = dict(cell.jobs[0].data["case"])
            assert case == Plan().case(case["problem"]).to_dict()


def test_seeds_differ_and_share_nothing_else():
    jobs = EXPERIMENTS["main"].cells(Plan())[0].jobs
    assert [j.seed for j in jobs] == [0, 1, 2, 3, 4]
    assert len({j.key for j in jobs}) == 5


@pytest.mark.parametrize(
    "name",
    [
        n if n in ("collocation-sensitivity", "stiff-sweep") else pytest.param(n, marks=pytest.mark.thorough)
        for n in NAMES
    ],
)
def test_a_small_part_of_each_experiment(name, tiny):
    """The cheapest run of each kind and method of an experiment, at a tenth of the sizes."""
    chosen = {}
    for job in sorted(EXPERIMENTS[name].jobs(tiny), key=lambda j: j.cost):
        chosen.setdefault((job.kind, job.data.get("method")), job)
    for job in chosen.values():
        done = execute({"key": job.key, "kind": job.kind, "data": job.data, "seed": job.seed})
        assert bool(done.files) == bool(job.data.get("field"))
        numbers = [v for v in done.values.values() if isinstance(v, float)]
        assert numbers
        assert not any(math.isinf(v) for v in numbers)


def test_quick_is_much_smaller():
    full, quick = Plan(), Plan((0,), True)
    for name in data_file("settings"):
        assert quick.case(name).features < 0.4 * full.case(name).features
