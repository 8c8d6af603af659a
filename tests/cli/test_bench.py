# SPDX-License-Identifier: MIT
"""The check of an installation: what it finds, and that what it measures is what it says."""

import dataclasses
import json
import time

import numpy as np
import pytest

import lrfm
from lrfm.cli import main, show, speed
from lrfm.cli.bench import lines
from lrfm.linalg import threads

GOOD = speed.Speed(
    cores=2,
    load=0.5,
    libraries=("openblas 0.3, 2 threads",),
    threads=2,
    product_one=60.0,
    product_all=115.0,
    factorizations=(
        speed.FactorizationSpeed(rows=2640, columns=400, one=20.0, all=25.0, chosen=1),
        speed.FactorizationSpeed(rows=3200, columns=800, one=25.0, all=40.0, chosen=2),
    ),
    solve_seconds=0.3,
    solve_ideal=0.06,
)


def with_factorization(**changes):
    first, second = GOOD.factorizations
    return dataclasses.replace(GOOD, factorizations=(dataclasses.replace(first, **changes), second))


def test_a_healthy_installation_has_no_findings():
    assert speed.findings(GOOD) == []
    assert GOOD.ratio == pytest.approx(5.0)


@pytest.mark.parametrize(
    ("measured", "word"),
    [
        (dataclasses.replace(GOOD, product_one=1.5, product_all=2.9, solve_ideal=2.4), "tuned BLAS"),
        (dataclasses.replace(GOOD, threads=8), "OMP_NUM_THREADS=2"),
        (dataclasses.replace(GOOD, product_all=20.0), "wait for each other"),
        (with_factorization(one=3.0, all=3.0), "LAPACK"),
        (with_factorization(one=30.0, all=5.0, chosen=2), "uses 2 of 2 threads"),
        (dataclasses.replace(GOOD, solve_seconds=3.0), "50.0 times"),
    ],
)
def test_each_trouble_is_told_once(measured, word):
    (said,) = speed.findings(measured)
    assert word in said


def test_on_a_busy_machine_nothing_else_is_concluded():
    (said,) = speed.findings(dataclasses.replace(GOOD, load=3.0, product_one=0.1, solve_seconds=100.0))
    assert "busy" in said


def test_every_finding_is_in_the_table():
    found = ["first", "second"]
    entries = lines(GOOD, found)
    assert entries[0] == ("healthy", "no")
    assert [value for name, value in entries if name == "finding"] == found
    assert len(entries) == len(lines(GOOD, [])) + 2


def test_one_thread_is_told_once():
    told = dict(lines(dataclasses.replace(GOOD, threads=1), []))
    assert told["product"] == "60 GFlop/s on one thread"
    assert dict(lines(GOOD, []))["product"] == "60 GFlop/s on one thread, 115 on 2"


def test_threads_are_limited_and_given_back():
    def counts():
        return {pool["num_threads"] for pool in threads.pools()}

    np.ones((2, 2)) @ np.ones((2, 2))
    before = counts()
    with threads.limited_to(1):
        assert counts() == {1}
    assert counts() == before


def test_rates_are_flops_per_second(monkeypatch):
    """A clock that ticks one second per look makes the rate equal to the flops."""
    ticks = iter(range(100))
    monkeypatch.setattr(speed.time, "perf_counter", lambda: next(ticks))
    monkeypatch.setattr(speed, "PRODUCT", 50)
    assert speed._product() == pytest.approx(2e-9 * 50**3)
    assert speed._factor(40, 10) == pytest.approx(1e-9 * (2 * 40 * 100 - 2 * 1000 / 3))


def test_a_busy_machine_shortens_the_rounds(monkeypatch):
    monkeypatch.setattr(speed, "PATIENCE", 0.0)
    rounds = 0
    for _ in speed._rounds():
        rounds += 1
        time.sleep(0.001)
    assert rounds == 1


def test_the_ideal_counts_the_factorizations_that_were_done(monkeypatch):
    seen = []

    def spy(*args, **kwargs):
        seen.append(lrfm.solve(*args, **kwargs))
        return seen[-1]

    monkeypatch.setattr(speed, "solve", spy)
    seconds, flops = speed._solve()
    (block,) = seen[0].report.block_reports
    assert seconds > 0
    assert block.columns == 400
    assert 2 <= block.factorizations == block.steps
    assert flops == 2.0 * block.factorizations * block.rows * 400**2


def run_command(monkeypatch, capsys, measured, *options):
    monkeypatch.setattr(speed, "measure", lambda progress: measured)
    with pytest.raises(SystemExit) as ended:
        main(["bench", *options])
    return ended.value.code or 0, capsys.readouterr().out


def test_the_command_says_whether_all_is_well(monkeypatch, capsys):
    code, out = run_command(monkeypatch, capsys, GOOD)
    assert code == 0
    assert out.splitlines()[0].split() == ["healthy", "yes"]
    assert max(map(len, out.splitlines())) <= show.WIDTH
    code, out = run_command(monkeypatch, capsys, dataclasses.replace(GOOD, threads=9))
    assert code == 1
    assert "9 threads on 2 cores" in " ".join(out.split())


def test_the_command_writes_json(monkeypatch, capsys):
    code, out = run_command(monkeypatch, capsys, GOOD, "--json")
    content = json.loads(out)
    assert (code, content["healthy"], content["findings"]) == (0, True, [])
    assert content["ratio"] == pytest.approx(5.0)
    assert [f["chosen"] for f in content["factorizations"]] == [1, 2]
