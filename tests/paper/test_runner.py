# SPDX-License-Identifier: MIT
"""Jobs of the study: kept at once, resumed, and failing as rows."""

import json

import paper as reproduce
import pytest
from paper.plan import Job, Plan, unique
from paper.work import run_jobs

from lrfm.parallel.tasks import Here
from lrfm.parallel.tasks.ledger import RESULTS

RANK = Job("rank", {"rates": [1.0, 2.0], "times": 8}, 0)
BAD = Job("rank", {"rates": [1.0], "nonsense": True}, 0)


def test_key_follows_the_content():
    assert RANK.key == Job("rank", {"times": 8, "rates": [1.0, 2.0]}, 0, cost=7.0).key
    assert RANK.key != Job("rank", {"times": 8, "rates": [1.0, 2.0]}, 1).key
    assert unique([RANK, RANK, BAD]) == [RANK, BAD]


def test_results_are_kept_and_not_computed_again(tmp_path):
    seen = []
    first = run_jobs([RANK], tmp_path, Here(), seen.append)
    assert first[RANK.key]["values"]["rank"] == 2
    assert [p.done for p in seen] == [0, 1]
    lines = (tmp_path / RESULTS).read_text().splitlines()
    again = run_jobs([RANK], tmp_path, Here())
    assert again == first
    assert (tmp_path / RESULTS).read_text().splitlines() == lines


def test_a_failure_is_a_row_that_says_so(tmp_path):
    result = run_jobs([BAD], tmp_path, Here())[BAD.key]
    assert not result["ok"]
    assert "nonsense" in result["message"]
    assert result["values"] == {}


def test_a_record_says_what_the_job_was(tmp_path):
    record = run_jobs([RANK], tmp_path, Here())[RANK.key]
    assert (record["key"], record["kind"], record["data"], record["seed"]) == (RANK.key, "rank", RANK.data, 0)


def test_run_writes_everything(tmp_path):
    outcome = reproduce.run(["temporal-rank"], quick=True, jobs=1, out=tmp_path)
    assert outcome.failed == ()
    assert outcome.page.exists()
    content = json.loads((tmp_path / "results.json").read_text())
    assert content["about"]["quick"] is True
    assert len(content["runs"]) == outcome.runs
    assert {c["experiment"] for c in content["cells"]} == {"temporal-rank"}
    assert (tmp_path / "tables" / "temporal-rank.md").exists()
    assert (tmp_path / "figures" / "temporal-rank.png").stat().st_size > 10_000
    assert (tmp_path / "figures" / "temporal-rank.pdf").exists()


def test_unknown_names_get_the_nearest():
    with pytest.raises(ValueError, match=r"no experiment 'mian'.*Did you mean `main`\?"):
        reproduce.run(["mian"])


@pytest.mark.parametrize("seeds", [0, -1])
def test_seeds_must_be_positive(seeds):
    with pytest.raises(ValueError, match="must be at least 1"):
        reproduce.make_plan(False, seeds)


def test_listing_names_costs():
    listed = reproduce.experiments()
    assert all(e.runs >= 1 and e.minutes >= 0 for e in listed)
    assert reproduce.total_minutes() < sum(e.minutes for e in listed)
    assert Plan().seeds == (0, 1, 2, 3, 4)
