# SPDX-License-Identifier: MIT
"""Summaries, verdicts, tables, figures and the report."""

import json
import math

import pytest
from paper.experiments import EXPERIMENTS
from paper.figures import FIGURES, draw
from paper.plan import Cell, Job, Plan
from paper.summary import BELOW, OFF, ORDER, SPREAD, Summary, counts, number, section
from paper.writing import write_all

JOBS = tuple(Job("solve", {"n": 0}, seed) for seed in range(3))


def summary_of(values, paper, metric="l2", ok=True):
    cell = Cell(table="T", row="R", column="C", metric=metric, jobs=JOBS, paper=paper)
    results = {
        job.key: {"ok": ok, "message": "" if ok else "no", "values": {metric: v} if ok else {}}
        for job, v in zip(JOBS, values, strict=False)
    }
    return Summary.of(cell, results)


@pytest.mark.parametrize(
    ("value", "verdict"), [(0.5, BELOW), (1.0, BELOW), (1.4, SPREAD), (3.0, ORDER), (11.0, OFF)]
)
def test_verdicts(value, verdict):
    assert summary_of([value] * 3, (1.0, 0.5)).verdict == verdict


@pytest.mark.parametrize(
    ("ranks", "verdict"), [([370, 372, 371], SPREAD), ([350, 350, 350], ORDER), ([20, 20, 20], OFF)]
)
def test_a_rank_is_compared_with_a_range(ranks, verdict):
    assert summary_of(ranks, (361.0, 378.0), "rank").verdict == verdict


def test_mean_and_sample_deviation():
    found = summary_of([1.0, 2.0, 3.0], None)
    assert (found.mean, found.deviation) == (2.0, 1.0)
    assert found.ours == "2 ± 1"


def test_what_did_not_run_says_so():
    assert summary_of([], None).ours == "not run"
    assert summary_of([1.0, 2.0], None).missing == 1
    failed = summary_of([1.0] * 3, (1.0, 0.1), ok=False)
    assert failed.verdict == "failed"
    assert failed.ours == "failed: no"
    assert math.isnan(failed.mean)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.234e-7, "1.23e-07"),
        (0.5, "0.5"),
        (12.34, "12.3"),
        (400.0, "400"),
        (3e13, "3.00e+13"),
        (math.nan, "–"),
    ],
)
def test_numbers(value, text):
    assert number(value) == text


def test_markdown_sets_ours_beside_the_papers():
    found = summary_of([2e-7, 2e-7, 2e-7], (1e-7, 1e-8))
    text = section(EXPERIMENTS["main"], [found], quick=False)
    assert "| R | 2.00e-07 ± 0 [1.00e-07 ± 1.00e-08, ×2] |" in text
    assert "×" not in section(EXPERIMENTS["main"], [found], quick=True)  # other sizes: nothing to compare


def test_cells_are_counted_by_verdict():
    found = [summary_of([v] * 3, (1.0, 0.5)) for v in (0.5, 1.4, 1.9, 3.0, 11.0)]
    assert counts(found).splitlines()[-1] == "| liquid cells | 1 | 1 | 2 | 1 | 3 of 5 (60 %) |"
    assert counts([summary_of([1.0] * 3, None)]) == ""


def test_a_summary_survives_plain_data():
    for found in (summary_of([1.0, 2.0], (1.0, 0.5)), summary_of([370, 372, 371], (361.0, 378.0), "rank")):
        again = Summary.from_record(json.loads(json.dumps(found.record("main"))))
        assert (again.entry(False), again.verdict, again.missing) == (
            found.entry(False),
            found.verdict,
            found.missing,
        )


@pytest.fixture
def invented(monkeypatch):
    """Results for every job of the study without running it; figures of few dots, since nobody looks at them."""
    monkeypatch.setattr("paper.figures.DPI", 20)
    plan, results = Plan((0, 1)), {}
    for experiment in EXPERIMENTS.values():
        for i, job in enumerate(experiment.jobs(plan)):
            values = {
                m: 1e-3 * (1 + i % 7)
                for m in ("l2", "linf", "final", "condition", "rank", "seconds", "single", "every", "sup")
            }
            values |= {"history": [1e-4, 2e-4, 1e-3], "times": [0.0, 1.0, 2.0]}
            results[job.key] = {"key": job.key, "ok": True, "message": "", "values": values, "took": 0.1}
    return plan, results


@pytest.mark.thorough
@pytest.mark.slow
def test_all_figures_are_drawn(invented, tmp_path):
    """Fields are not invented, and so their figures are left out."""
    plan, results = invented
    (tmp_path / "figures").mkdir()
    drawn = [name for e in EXPERIMENTS.values() for name in draw(e, plan, tmp_path, results)]
    every = {name for figures in FIGURES.values() for name in figures}
    assert every - set(drawn) == {"main-fields", "stiff-field", "block-marching-field", "multiscale-3d"}
    assert {path.stem for path in (tmp_path / "figures").glob("*.png")} == set(drawn)
    assert FIGURES.keys() <= EXPERIMENTS.keys()


def test_everything_is_written_from_any_results(invented, tmp_path):
    plan, results = invented
    results.pop(EXPERIMENTS["main"].jobs(plan)[0].key)
    chosen = [EXPERIMENTS[name] for name in ("main", "heat-convergence", "density")]
    text = write_all(chosen, plan, tmp_path, results).read_text()
    for experiment in chosen:
        assert f"## {experiment.name}: {experiment.title}" in text
    assert "![density](figures/density.png)" in text
    assert "| liquid cells |" in text
    content = json.loads((tmp_path / "results.json").read_text())
    assert {cell["experiment"] for cell in content["cells"]} == {"main", "heat-convergence", "density"}
    assert any(cell["missing"] for cell in content["cells"])
