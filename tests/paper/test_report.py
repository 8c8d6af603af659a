# SPDX-License-Identifier: MIT
"""Summaries, verdicts, tables, figures and the page."""

import json
import math
from html.parser import HTMLParser
from typing import ClassVar

import pytest

from lrfm.paper.experiments import EXPERIMENTS
from lrfm.paper.figures import FIGURES, draw
from lrfm.paper.page import write_page
from lrfm.paper.plan import Cell, Job, Plan
from lrfm.paper.summary import BELOW, OFF, ORDER, SPREAD, number, our_text, summarize
from lrfm.paper.tables import markdown
from lrfm.paper.writing import description, write_all

JOBS = tuple(Job("solve", {"n": 0}, seed) for seed in range(3))


def summary_of(values, paper, metric="l2", ok=True):
    cell = Cell(table="T", row="R", column="C", metric=metric, jobs=JOBS, paper=paper)
    results = {
        job.key: {"ok": ok, "message": "" if ok else "no", "values": {metric: v} if ok else {}}
        for job, v in zip(JOBS, values, strict=False)
    }
    return summarize([cell], results)[0]


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
    assert our_text(found) == "2 ± 1"


def test_what_did_not_run_says_so():
    assert our_text(summary_of([], None)) == "not run"
    assert summary_of([1.0, 2.0], None).missing == 1
    failed = summary_of([1.0] * 3, (1.0, 0.1), ok=False)
    assert failed.verdict == "failed"
    assert our_text(failed) == "failed: no"
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
    text = markdown(EXPERIMENTS["main"], [found], quick=False)
    assert "| R | 2.00e-07 ± 0 [1.00e-07 ± 1.00e-08, ×2] |" in text


class Tags(HTMLParser):
    """Checks that tags close in order."""

    void: ClassVar = {"meta", "br", "img", "link"}

    def __init__(self):
        super().__init__()
        self.open, self.cells = [], 0

    def handle_starttag(self, tag, attrs):
        if tag not in self.void:
            self.open.append(tag)
        self.cells += tag == "td"

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_page_is_one_valid_file(tmp_path):
    found = summary_of([2e-7, 2e-7, 2e-7], (1e-7, 1e-8))
    experiment = EXPERIMENTS["main"]
    path = write_page(tmp_path / "r.html", [experiment], {"main": [found]}, {}, description(Plan()))
    text = path.read_text()
    tags = Tags()
    tags.feed(text)
    assert tags.open == []
    assert tags.cells > 1
    assert "within an order" in text
    assert 'src="http' not in text
    assert 'href="http' not in text


def test_quick_gives_no_verdict(tmp_path):
    found = summary_of([2e-7, 2e-7, 2e-7], (1e-7, 1e-8))
    path = write_page(
        tmp_path / "r.html", [EXPERIMENTS["main"]], {"main": [found]}, {}, description(Plan((0,), True))
    )
    assert "ratio" not in path.read_text().split("<section")[1]


@pytest.fixture
def invented():
    """Results for every job of the study without running it."""
    plan, results = Plan((0, 1)), {}
    for experiment in EXPERIMENTS.values():
        for i, job in enumerate(experiment.jobs(plan)):
            values = {
                m: 1e-3 * (1 + i % 7)
                for m in ("l2", "linf", "final", "condition", "rank", "seconds", "single", "every", "sup")
            }
            values |= {"history": [1e-4, 2e-4, 1e-3], "times": [0.0, 1.0, 2.0]}
            results[job.key] = {**job.to_dict(), "ok": True, "message": "", "values": values, "took": 0.1}
    return plan, results


def test_all_figures_are_drawn(invented, tmp_path):
    plan, results = invented
    for name in FIGURES:
        figure = draw(name, results, plan, tmp_path)
        assert (figure is None) == (name in ("main_fields", "stiff_field", "block_field", "multiscale_3d"))


def test_everything_is_written_from_any_results(invented, tmp_path):
    plan, results = invented
    results.pop(EXPERIMENTS["main"].jobs(plan)[0].key)
    chosen = [EXPERIMENTS[name] for name in ("main", "heat-convergence", "density")]
    page = write_all(chosen, plan, tmp_path, results)
    assert page.stat().st_size > 100_000
    content = json.loads((tmp_path / "results.json").read_text())
    assert {cell["experiment"] for cell in content["cells"]} == {"main", "heat-convergence", "density"}
    assert any(cell["missing"] for cell in content["cells"])
