# SPDX-License-Identifier: MIT
"""The scripts of the benchmarks where they could lie: reading results, judging answers, bars, tables, the page."""

import importlib
import json
import math
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from helpers import thinned

import lrfm

FOLDER = Path(__file__).parents[1] / "benchmarks"


def load(name, folder=FOLDER):
    """A script as a module; it may set environment variables for itself, which are taken back."""
    kept = dict(os.environ)
    sys.path.insert(0, str(folder))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(folder))
        os.environ.clear()
        os.environ.update(kept)


peers, plan, report, picture = map(load, ("peers", "peers_plan", "peers_report", "peers_picture"))
speed, run_all = map(load, ("write_speed", "run_all"))
answer = load("answer", FOLDER / "peers")


def row(problem, contender, error, fresh, solve, **more):
    key = f"{problem} | {contender} | {error} {fresh}"
    found = {"problem": problem, "contender": contender, "error": error, "fresh": fresh, "solve": solve}
    return {"key": key, "status": "solved", "met": True, "commit": "abc", "machine": "m", **found, **more}


def table(*rows):
    return {r["key"]: r for r in rows}


def test_no_script_hides_a_module_of_python():
    """The folder of a script is searched first: `operator.py` there would break every import of it."""
    names = {path.stem for path in (*FOLDER.glob("*.py"), *(FOLDER / "peers").glob("*.py"))}
    assert not names & set(sys.stdlib_module_names)


# Answers ----------------------------------------------------------------------------------------------------


def test_an_answer_is_compared_with_the_reference_of_the_catalog():
    where = answer.product(answer.times(0.25), x=np.linspace(-0.9, 0.9, 7))
    assert sorted(set(where["t"])) == [0.0625, 0.125, 0.1875, 0.25]
    exact = np.exp(-(np.pi**2) * where["t"]) * np.sin(np.pi * where["x"])
    content = {f"at_{n}": v for n, v in where.items()} | {"values": 1.001 * exact, "fresh": 2.0, "solve": 1.0}
    run = plan.Run(problem="heat-1d", contender="spectral", script="")
    judged = peers.judge(run, content)
    assert judged["error"] == pytest.approx(1e-3)
    assert (judged["fresh"], judged["solve"], judged["met"]) == (2.0, 1.0, True)
    assert "curve" not in judged
    asked = plan.Run(problem="heat-1d", contender="lrfm, tolerance", script="", setting={"tol": 1e-4})
    assert not peers.judge(asked, content)["met"]


def test_a_training_is_judged_along_the_way():
    where = answer.product(answer.times(0.25), x=np.linspace(-0.9, 0.9, 7))
    exact = np.exp(-(np.pi**2) * where["t"]) * np.sin(np.pi * where["x"])
    content = {f"at_{n}": v for n, v in where.items()}
    content |= {"values": np.array([2.0 * exact, 1.1 * exact, 1.5 * exact, np.nan * exact])}
    content |= {"fresh": np.array([5.0, 6.0, 7.0, 8.0]), "solve": np.array([1.0, 2.0, 3.0, 4.0])}
    judged = peers.judge(plan.Run(problem="heat-1d", contender="DeepXDE", script=""), content)
    assert (judged["error"], judged["solve"]) == (pytest.approx(0.1), 2.0)
    assert [point[2] for point in judged["curve"][:3]] == pytest.approx([1.0, 0.1, 0.5])


def test_a_problem_that_cannot_be_stated_says_why():
    run = plan.Run(problem="nls", contender="x", script="")
    assert peers.judge(run, {"cannot": np.array("no complex numbers")}) == {
        "status": "cannot be stated: no complex numbers"
    }


def test_points_and_times_of_a_product_belong_together():
    where = answer.product(np.array([1.0, 2.0]), x=np.array([3.0, 4.0, 5.0]), y=np.array([6.0, 7.0]))
    assert where["t"].tolist() == [1.0] * 6 + [2.0] * 6
    assert where["x"].tolist() == [3.0, 3.0, 4.0, 4.0, 5.0, 5.0] * 2
    assert where["y"].tolist() == [6.0, 7.0] * 6


def test_keys_differ_and_a_harder_run_waits_for_the_easier_one():
    runs = [r for p in report.PROBLEMS for r in (*plan.of_lrfm(p, False), *plan.of_peers(p, False, 100.0))]
    keys = [r.key for r in runs]
    assert len(set(keys)) == len(keys)
    assert {r.problem for r in runs} == set(report.PROBLEMS) <= set(lrfm.catalog.names())
    assert {r.contender for r in runs} == set(report.CONTENDERS)
    for r in runs:
        assert not r.easier or r.easier in keys[: keys.index(r.key)]
        assert (peers.SCRIPTS / r.script).exists()


@pytest.mark.parametrize(
    ("before", "reason"),
    [({"met": False, "status": "no answer in 75 s", "seconds": 75.0}, "no answer"),
     ({"met": True, "status": "solved", "fresh": 60.0, "seconds": 61.0}, "61 s")],
)  # fmt: skip
def test_what_was_too_hard_is_not_tried_harder(tmp_path, before, reason):
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps({"key": "easy", **before}) + "\n")
    run = plan.Run(problem="nls", contender="x", script="missing.py", easier="easy")
    found = peers.execute(run, "no-such-python", path)
    assert found["status"].startswith("not run: ")
    assert reason in found["status"]
    assert not found["met"]


def test_a_run_that_breaks_is_a_row_that_says_so(tmp_path):
    run = plan.Run(problem="nls", contender="x", script="no-such-script.py")
    found = peers.execute(run, sys.executable, tmp_path / "rows.jsonl")
    assert found["status"].startswith("failed: ")
    assert "no-such-script" in found["status"]


# Bars -------------------------------------------------------------------------------------------------------


def test_the_fastest_answer_of_a_level():
    rows = table(
        row("nls", "spectral", 1e-4, 1.0, 0.1),
        row("nls", "spectral", 1e-7, 3.0, 0.2),
        row("nls", "spectral", 1e-9, 2.0, 0.5),
        row(
            "nls", "DeepXDE", 1e-2, 9.0, 8.0, curve=[[4.0, 3.0, 0.1], [9.0, 8.0, 1e-2], [9.5, 8.5, math.nan]]
        ),
        row("burgers", "spectral", 1e-9, 0.1, 0.1),
        {"key": "x", "problem": "nls", "contender": "spectral", "status": "no answer in 75 s", "met": False},
    )
    found = report.points(rows, "nls", "spectral")
    assert [p.fresh for p in found] == [1.0, 2.0, 3.0]
    assert report.least(found, 1e-6, "fresh") == 2.0
    assert report.least(found, 1e-6, "solve") == 0.2
    assert math.isnan(report.least(found, 1e-12, "fresh"))
    assert [p.error for p in picture.front(found, "fresh")] == [1e-4, 1e-9]
    assert [p.error for p in report.points(rows, "nls", "DeepXDE")] == [0.1, 1e-2]


def test_a_duel_is_with_the_first_moment_of_the_best_error():
    curve = [[10.0, 5.0, 0.5], [55.0, 50.0, 1.05e-2], [105.0, 100.0, 1e-2]]
    rows = table(
        row("nls", "DeepXDE", 1e-2, 105.0, 100.0, curve=curve),
        row("nls", "lrfm, parts", 1e-4, 1.0, 0.4),
        row("nls", "lrfm, parts", 2e-4, 0.1, 0.01),  # fast, and not a hundred times better
        row("nls", "lrfm, tolerance", 1e-8, 2.0, 0.5),
    )
    found = report.duel(rows, "nls")
    assert found.error == 1.05e-2
    assert found.solve_ratio == pytest.approx(50.0 / 0.4)
    assert found.fresh_ratio == pytest.approx(55.0)
    assert found.won
    assert not report.duel({k: r for k, r in rows.items() if "parts" not in k}, "nls").solve_ratio > 100.0
    assert math.isnan(report.duel({}, "nls").error)
    assert not report.duel({}, "nls").won


def test_a_race_is_won_against_the_better_of_both_ways():
    rows = table(
        row("nls", "lrfm, parts", 1e-7, 1.0, 0.1),
        row("nls", "lrfm, tolerance", 1e-8, 5.0, 4.0),
        row("nls", "py-pde, expression", 1e-7, 9.0, 9.0),
        row("nls", "py-pde, class", 1e-7, 3.0, 2.0),
    )
    found = report.race(rows, "nls")
    assert (found.ours, found.theirs) == (1.0, 3.0)
    assert found.won(found.ours)
    assert not found.won(found.tolerance)
    alone = report.race(table(row("nls", "lrfm, parts", 1e-7, 1.0, 0.1)), "nls")
    assert alone.won(alone.ours)
    nobody = report.race({}, "nls")
    assert not nobody.won(nobody.ours)


def everything(slow=1.0):
    """Rows with which every bar holds; `slow` multiplies lrfm's times."""
    rows = [{"key": "import", "status": "solved", "import_seconds": 0.1, "commit": "abc", "machine": "m"}]
    for problem in report.PROBLEMS:
        rows.append(row(problem, "lrfm, parts", 1e-7, slow * 1.0, slow * 0.5))
        rows.append(row(problem, "py-pde, class", 1e-7, 2.0, 1.0))
        rows.append(row(problem, "spectral", 1e-12, 0.5, 1e-3))
        rows.append(row(problem, "DeepXDE", 1e-3, 110.0, 100.0))
    return table(*rows)


def verdicts(rows):
    return [holds for holds, _ in report.bars(rows).values()]


def test_bars_hold_fail_and_are_not_claimed_without_results():
    assert verdicts(everything()) == ["yes", "yes", "yes"]
    assert verdicts(everything(slow=3.0)) == ["no", "no", "yes"]
    assert verdicts({}) == ["not measured"] * 3
    missing = {k: r for k, r in everything().items() if not k.startswith("nls | DeepXDE")}
    assert verdicts(missing) == ["not measured", "yes", "yes"]
    failed = {**missing, "f": {"key": "f", "problem": "nls", "contender": "DeepXDE", "status": "failed: x"}}
    measured = [text for _, text in report.bars(failed).values()]
    assert measured[0].startswith("7 of 7")
    assert "f: failed: x" in report.misses(failed)


def test_six_of_eight_are_enough_and_five_are_not():
    rows = everything()
    for count, problem in enumerate(report.PROBLEMS, start=1):
        key = next(k for k in rows if k.startswith(f"{problem} | lrfm"))
        rows[key] = row(problem, "lrfm, parts", 1e-7, 9.0, 0.5)
        assert verdicts(rows)[1] == ("yes" if count <= 2 else "no")


# Tables and the page ----------------------------------------------------------------------------------------


def cells(text):
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()]


def test_tables_have_as_many_cells_in_every_line():
    for text in (report.report(everything()), report.report({})):
        for part in text.split("\n\n"):
            if part.startswith("|"):
                assert len({len(line) for line in cells(part)}) == 1, part


def test_seconds_are_read_at_a_glance():
    assert [report.seconds(s) for s in (0.00123, 0.5, 12.34, math.nan)] == ["1.23 ms", "0.5 s", "12.3 s", "-"]


def test_any_result_becomes_a_table():
    rows = [{"P": 400, "seconds": {"numpy": 0.25, "torch": 1e-5}}, {"P": 960, "met": True, "note": None}]
    head, _, first, second = cells(speed.rows_table(rows))
    assert head == ["P", "seconds numpy", "seconds torch", "met", "note"]
    assert first == ["400", "0.25", "1.0e-5", "-", "-"]
    assert second == ["960", "-", "-", "yes", "-"]


@pytest.fixture
def results(tmp_path, monkeypatch):
    monkeypatch.setattr(speed.harness, "RESULTS", tmp_path)
    return tmp_path


def test_lists_of_a_result_are_tables_and_the_rest_single_values(results):
    content = {
        "machine": "m",
        "commit": "c",
        "costs": [{"size": 60, "worth": 5.7}],
        "rounds": 3,
        "seeds": [0, 1],
    }
    (results / "reuse.json").write_text(json.dumps(content), encoding="utf-8")
    heading, costs, single = speed.result_part("reuse").split("\n\n")
    assert heading == "Costs:"
    assert cells(costs)[-1] == ["60", "5.7"]
    assert cells(single)[2:] == [["rounds", "3"], ["seeds", "0, 1"]]


def test_the_page_without_results_says_so(results):
    text = speed.page()
    assert "{{" not in text
    assert "Nothing has been measured yet." in text
    assert "Not measured yet: lapack, reuse, plain-loop, patches, structured, peers" in text
    assert text.count(speed.NOT_YET) >= 10
    assert "](../benchmarks/results" not in text


def test_the_page_with_results_shows_them(results):
    lines = "\n".join(json.dumps(r) for r in everything().values())
    (results / "peers.jsonl").write_text(lines + '\n{"key": "cut sho', encoding="utf-8")
    (results / "peers.png").write_bytes(b"")
    patches = {"machine": "a machine", "commit": "1234567", "slopes": {"1d": 1.02}}
    patches["rows"] = [{"kind": "1d", "size": 64, "seconds": 1.5}, {"kind": "2d", "size": 4, "bytes": 7}]
    (results / "patches.json").write_text(json.dumps(patches), encoding="utf-8")
    text = speed.page()
    assert "take 1 ms to an error of 1e-9 on Allen-Cahn" in " ".join(text.split())
    assert "![error against seconds in a fresh process](../benchmarks/results/peers.png)" in text
    assert "peers-solve.png" not in text
    assert "- `patches.json`: commit 1234567; a machine" in text
    assert "| slopes 1d | 1.02 |" in text
    assert "| kind | size | seconds |" in text
    assert "| kind | size | GB |" in text
    assert (
        "Not measured yet: lapack, reuse, plain-loop, structured, small, evaluate, plans, studio, inverse, operator, distributed, backend."
        in text
    )


def test_a_placeholder_that_does_not_exist_is_refused(results, tmp_path, monkeypatch):
    template = tmp_path / "t.md"
    monkeypatch.setattr(speed, "TEMPLATE", template)
    for place in (
        "{{nothing}}",
        "{{result: nothing}}",
        "{{least: nobody | nls | 1e-6 | solve}}",
        "{{peers: x}}",
    ):
        template.write_text(place, encoding="utf-8")
        (results / "peers.jsonl").write_text(json.dumps(next(iter(everything().values()))) + "\n")
        with pytest.raises(KeyError):
            speed.page()


def test_results_are_listed_with_their_commits(tmp_path):
    path = tmp_path / "x.json"
    assert run_all.harness.origin(path) == ""
    path.write_text('{"commit": "abc", "rows": []}')
    assert run_all.harness.origin(path) == "abc"
    path.write_text("{")
    assert run_all.harness.origin(path) == ""
    lines = tmp_path / "x.jsonl"
    lines.write_text('{"commit": "b"}\n{"commit": "a"}\n{"commit": "b"}\n{"cut sho')
    assert run_all.harness.origin(lines) == "a, b"


def test_what_is_written_is_read(results):
    run_all.harness.write_result("x.json", rows=[{"size": 1}])
    run_all.harness.write_result("y.json", True, rows=[])
    (found,) = run_all.harness.read_result(results / "x.json")
    assert found["rows"] == [{"size": 1}]
    assert {"machine", "commit"} <= found.keys()
    assert not (results / "y.json").exists()


def test_a_mark_of_the_code_knows_no_docstrings(tmp_path, monkeypatch):
    monkeypatch.setattr(lrfm, "__file__", str(tmp_path / "__init__.py"))
    marks = []
    for text in ('"""Some."""\nx = 1\n', '"""Other."""\nx = 1  # one\n', "x = 2\n"):
        (tmp_path / "part.py").write_text(text)
        marks.append(run_all.harness.source_mark.__wrapped__())
    assert marks[0] == marks[1] != marks[2]


def test_jobs_are_kept_resumed_and_may_fail(tmp_path, monkeypatch):
    harness, path = run_all.harness, tmp_path / "rows.jsonl"
    monkeypatch.setattr(harness, "source_mark", lambda: "mark")  # 3 s of parsing
    jobs = [("good", lambda: {"status": "solved", "met": True, "error": math.inf}), ("bad", lambda: 1 / 0)]
    rows = harness.run_jobs(jobs, path, workers=2, limit=60.0)
    assert (rows["good"]["status"], rows["good"]["error"]) == ("solved", "inf")
    assert rows["bad"]["status"].startswith("raised ZeroDivisionError")
    assert harness.run_jobs(jobs, path) == rows
    assert len(path.read_text().splitlines()) == 2


def test_true_errors_are_those_of_the_reference():
    """1.01 times the exact solution is wrong by one percent in every norm; an answer that ends early is none."""
    problem = lrfm.catalog.heat_1d()

    class Scaled:
        block_edges = np.array(problem.time)

        def __getitem__(self, name):
            return lambda **at: 1.01 * problem.reference(**at)

    solution = Scaled()
    solution.problem = problem
    solution.report = SimpleNamespace(undetermined=())
    assert list(run_all.harness.true_errors(solution).values()) == pytest.approx([0.01] * 3)
    solution.block_edges = np.array([0.0, 0.1])
    assert run_all.harness.true_errors(solution)["error"] == math.inf


def test_a_benchmark_that_cannot_run_says_why():
    assert "there is no" in run_all.run(run_all.Benchmark(name="x", script="x.py", result="x.json"), False)
    absent = run_all.Benchmark(
        name="x", script="run_all.py", result="x", needs="no_such_library", hint="get it"
    )
    assert run_all.run(absent, False) == "not run: no_such_library is not installed: get it"


def test_pictures_are_drawn(tmp_path):
    picture.pictures(everything(), tmp_path / "peers.png")
    assert {path.name for path in tmp_path.iterdir()} == {"peers.png", "peers-solve.png"}


# Random shapes ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", thinned(range(6), 2))
def test_a_random_statement_on_a_random_shape_has_the_solution_it_says(number):
    """Equations inside and conditions on every part, with the normals of lrfm, hold for the formula."""
    import sympy as sp

    random_shapes = load("random_shapes")
    problem, u = random_shapes.build(number)
    letters = random_shapes.x, random_shapes.y, random_shapes.t

    def residual(row, points):
        jets = {}
        for jet in row.jets:
            derived = u
            for letter, order in zip(letters, jet.index, strict=True):
                derived = sp.diff(derived, letter, order) if order else derived
            jets[jet] = sp.lambdify(letters, derived, "numpy")(*points.T) + 0 * points[:, 0]
        return np.max(np.abs(row.residual(points, jets)))

    inside = problem.domain.quadrature(40).points
    inside = np.column_stack([inside, np.full(len(inside), 0.1)])
    assert all(residual(row, inside) < 1e-10 for row in problem.rows)
    for name, rows in problem.face_rows.items():
        at = problem.domain.parts[name].quadrature(12).points
        at = np.column_stack([at, np.full(len(at), 0.1)])
        assert all(residual(row, at) < 1e-8 for row in rows)


def test_tables_are_made_by_scripts_that_are_there():
    """Every table names a script and its own result, and tells the commits of its rows."""
    proof = load("proof")
    for name, table in proof.TABLES.items():
        assert (FOLDER / table.words.split()[0]).exists(), name
        assert Path(table.result).suffix in (".json", ".jsonl"), name
    assert " of " in proof.age("field")
    assert proof.run("field", until=0.0) == "not begun: too little time"
