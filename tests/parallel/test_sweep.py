# SPDX-License-Identifier: MIT
"""Sweeps on this machine: grids, places, resuming, the table and the exit codes."""

import json
import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lrfm
from lrfm.cli import main
from lrfm.linalg import threads
from lrfm.parallel.sweeps import points_of, values_of
from lrfm.parallel.tasks.ledger import RESULTS

HEAT = """
name = "heat"
equation = "u_t = a*u_xx + b*u"
time = [0, 0.1]
initial = "sin(pi*x)"
boundary = "u = 0"
reference = "exp((b - a*pi**2)*t)*sin(pi*x)"
domain = {x = [0, 1]}
parameters = {a = 1.0, b = "2*a"}
solve = {method = {kind = "space-time", space = {kind = "liquid", features = 60, centers = 1.1, gate = 5}}}
"""
SPACE = {"method": lrfm.SpaceTime(space=lrfm.Liquid(features=30, gate=5.0))}


@pytest.fixture
def heat(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "heat.toml"
    path.write_text(HEAT, encoding="utf-8")
    return path


@pytest.fixture
def problem():
    return lrfm.Problem(
        "u_t = a*u_xx", domain=lrfm.Box(x=(0, 1)), time=(0, 0.1), initial=np.sin, boundary={"*": None},
        parameters={"a": 1.0}, reference=lambda x, t: np.sin(x) * np.exp(-t),
    )  # fmt: skip


@pytest.fixture
def command(capsys):
    def run(*arguments):
        with pytest.raises(SystemExit) as ended:
            main(["sweep", *map(str, arguments)])
        captured = capsys.readouterr()
        return ended.value.code or 0, captured.out, captured.err

    return run


# Grids ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("1,2.5,-3", [1, 2.5, -3]),
        ("1e-4:1e-1:4", [1e-4, 1e-3, 1e-2, 1e-1]),  # more than a factor of ten: logarithmic
        ("1:10:4", [1, 4, 7, 10]),  # just ten: linear
        ("-1:1:3", [-1, 0, 1]),
        ("lin:1:100:3", [1, 50.5, 100]),
        ("LOG:1:4:3", [1, 2, 4]),
        ("100:1:3", [100, 10, 1]),
        ("7", [7]),
        ("5:5:1", [5]),
    ],
)
def test_values_from_text(text, values):
    assert values_of("parameters.a", text) == pytest.approx(values)


def test_arguments_that_count_get_whole_numbers():
    assert values_of("solve.method.features", "100:800:4") == [100, 333, 567, 800]
    assert values_of("solve.method.features", "log:100:800:4") == [100, 200, 400, 800]
    assert values_of("parameters.a", "1:2:3") == [1.0, 1.5, 2.0]


@given(st.floats(1e-6, 1e6), st.floats(10.1, 1e6), st.integers(2, 30))
def test_a_wide_range_has_equal_ratios(first, factor, count):
    values = np.array(values_of("parameters.a", f"{first!r}:{first * factor!r}:{count}"))
    assert len(values) == count
    ratios = values[1:] / values[:-1]
    assert ratios == pytest.approx(factor ** (1 / (count - 1)), rel=1e-9)
    assert (values[0], values[-1]) == pytest.approx((first, first * factor))


def test_points_are_all_combinations():
    points = points_of({"parameters.a": [1, 2], "solve.method.features": "10,20"})
    assert [tuple(p.values()) for p in points] == [(1, 10), (1, 20), (2, 10), (2, 20)]
    assert points_of({}) == [{}]


@pytest.mark.parametrize(
    "text",
    ["", ",", "a", "1:2", "1:2:3:4", "1:x:3", "1:2:2.5", "log:-1:1:3", "1:2:0", "1:2:1", "nan", "1:2:99999"],
)
def test_a_grid_that_makes_no_sense_gets_a_sentence(text):
    with pytest.raises(ValueError, match=r"The grid of `parameters\.a` (is|has) .*(expected|needs)"):
        values_of("parameters.a", text)


# Runs -------------------------------------------------------------------------------------------------------


def test_a_sweep_is_the_solves_one_by_one(problem):
    swept = lrfm.sweep(problem, grid={"parameters.a": [0.5, 2.0]}, seeds=[3, 4], solve=SPACE)
    assert [(run.point["parameters.a"], run.seed) for run in swept] == [
        (0.5, 3),
        (0.5, 4),
        (2.0, 3),
        (2.0, 4),
    ]
    for run in swept:
        alone = lrfm.solve(
            problem.replace(parameters={"a": run.point["parameters.a"]}),
            **SPACE,
            seed=run.seed,
            strict=False,
        )
        mine = run.solution()
        np.testing.assert_array_equal(mine.pieces[0].coefficients["u"], alone.pieces[0].coefficients["u"])
        assert run.error_estimate == alone.report.error_estimate
        assert (run.features, run.status) == (alone.report.features, alone.report.status)
        # Data given as functions are there again, and so is the residual.
        assert np.isfinite(mine.residual(x=0.5, t=0.05))


def test_threads_of_an_executor_find_the_same_numbers(problem):
    """Two solves at once in one process share nothing that changes a bit; and no limit of BLAS threads stays behind."""
    arguments = {"grid": {"parameters.a": [0.5, 2.0]}, "seeds": 2, "solve": SPACE}
    before = [pool["num_threads"] for pool in threads.pools()]
    with ThreadPoolExecutor(2) as executor:
        beside = lrfm.sweep(problem, executor=executor, **arguments)
    for run, other in zip(lrfm.sweep(problem, **arguments), beside, strict=True):
        assert (run.point, run.seed, run.residual) == (other.point, other.seed, other.residual)
    assert [pool["num_threads"] for pool in threads.pools()] == before


def test_seeds_alone_are_an_ensemble(problem):
    swept = lrfm.sweep(
        problem, seeds=3, solve={"method": lrfm.SpaceTime(space=lrfm.Liquid(features=60, gate=5.0))}
    )
    assert [run.seed for run in swept] == [0, 1, 2]
    assert len({run.residual for run in swept}) == 3  # no error is claimed without conditions
    assert swept.runs[0].solution().problem.reference is problem.reference


def test_a_reference_that_does_not_know_the_value_is_dropped(problem):
    (run,) = lrfm.sweep(problem, grid={"parameters.a": [2.0]}, solve=SPACE)
    assert run.solution().problem.reference is None


def test_a_file_is_read_again_with_every_value(heat):
    """The parameter b = 2a and the reference follow a."""
    swept = lrfm.sweep(heat, grid={"parameters.a": "0.5,1.5"})
    for run in swept:
        a = run.point["parameters.a"]
        solution = run.solution()
        assert solution.problem.parameters == {"a": a, "b": "2*a"}
        exact = math.exp((2 * a - a * math.pi**2) * 0.1)
        assert float(solution(x=0.5, t=0.1)) == pytest.approx(exact, abs=0.02)
        assert float(solution.problem.reference(x=0.5, t=0.1)) == pytest.approx(exact, rel=1e-12)


def test_seeds_count_from_that_of_a_file(heat):
    heat.write_text(HEAT.replace("solve = {", "solve = {seed = 7, "), encoding="utf-8")
    assert [run.seed for run in lrfm.sweep(heat, seeds=2)] == [7, 8]
    assert [run.seed for run in lrfm.sweep(heat, seeds=[3])] == [3]


def test_arguments_of_solve_are_swept_too(heat):
    swept = lrfm.sweep(heat, grid={"solve.method.space.features": [12, 20], "solve.method.blocks": [1, 2]})
    assert [(run.features, run.solution().report.blocks) for run in swept] == [
        (12, 1),
        (12, 2),
        (20, 1),
        (20, 2),
    ]


def test_a_run_that_fails_is_a_run(problem):
    backward = problem.replace(equation="u_t = a*u_xx", initial="sin(x)", reference=None)
    swept = lrfm.sweep(backward, grid={"parameters.a": [1.0, -1.0]}, solve=SPACE)
    good, bad = swept
    assert bad.status == "failed"
    assert "ill-posed" in bad.message
    assert not swept.met
    assert math.isnan(bad.error_estimate)
    with pytest.raises(ValueError, match="has no solution"):
        bad.solution()
    assert good.solution()(x=0.5, t=0.0) == pytest.approx(np.sin(0.5), abs=0.05)


def test_what_is_there_is_not_computed_again(problem, tmp_path):
    arguments = {"grid": {"parameters.a": [1.0, 2.0]}, "solve": SPACE, "out": tmp_path / "kept"}
    first, seen = lrfm.sweep(problem, seeds=1, **arguments), []
    again = lrfm.sweep(problem, seeds=2, notify=seen.append, **arguments)
    assert (seen[0].done, seen[0].total) == (2, 4)
    assert again.runs[0] == first.runs[0]
    lines = (tmp_path / "kept" / RESULTS).read_text().splitlines()
    assert len(lines) == 4
    # Another statement in the same folder is other runs.
    lrfm.sweep(problem.replace(time=(0, 0.2)), notify=seen.append, **arguments)
    assert (seen[-1].done, len((tmp_path / "kept" / RESULTS).read_text().splitlines())) == (2, 6)
    for run in again:
        assert run.file.is_file()
        assert lrfm.load(run.file, functions={"sin": np.sin}).report.seed == run.seed


def test_a_lost_solution_is_computed_again(problem, tmp_path):
    first = lrfm.sweep(problem, solve=SPACE, out=tmp_path)
    first.runs[0].file.unlink()
    again = lrfm.sweep(problem, solve=SPACE, out=tmp_path)
    assert again.runs[0].file.is_file()
    assert again.runs[0].error_estimate == first.runs[0].error_estimate


def test_it_prints_as_a_table(problem):
    text = str(lrfm.sweep(problem, grid={"parameters.a": [1.0]}, seeds=2, solve=SPACE))
    assert text.splitlines()[0].split() == ["a", "seed", "status", "error", "estimate", "features", "seconds"]
    assert len(text.splitlines()) == 3


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"grid": {"parameters.b": [1]}}, "no such parameter; it has `a`"),
        ({"grid": {"a": [1]}}, r"expected `parameters\.NAME`.*Did you mean `parameters\.a`\?"),
        ({"grid": {"solve.nonsense": [1]}}, "there is no such number"),
        ({"grid": {"solve.method.space.nonsense": [1]}, "solve": SPACE}, "Liquid has no such argument"),
        ({"grid": {"solve.method.space.gate": [1]}}, "no such part was chosen by hand"),
        ({"grid": {"solve.tol": [5]}}, r"`solve\.tol` in the grid is 5; expected a number between 0 and 1"),
        ({"grid": {"solve.method.features": [50]}, "solve": SPACE}, "leave one out"),
        ({"grid": {"solve.tol": [0.1]}, "tol": 0.2}, "both in the grid and beside it"),
        ({"seeds": 0}, "seeds=0"),
        ({"seeds": [1, -1]}, r"seeds=\[1, -1\]"),
        ({"seeds": "many"}, "seeds='many'"),
        ({"solve": {"seed": 1}}, "set by the sweep itself"),
        ({"jobs": 0}, "jobs=0"),
        ({"out": __file__}, "is a file"),
    ],
)
def test_what_it_refuses(problem, arguments, said):
    with pytest.raises(ValueError, match=said):
        lrfm.sweep(problem, **{"solve": {}, **arguments})


def test_only_statements_are_swept():
    with pytest.raises(TypeError, match="was given a int"):
        lrfm.sweep(3)


# The command ------------------------------------------------------------------------------------------------


def test_the_command_tells_keeps_and_resumes(command, heat):
    code, out, err = command(heat, "--grid", "parameters.a=0.1:2:2", "--seeds", 2, "--jobs", 1)
    assert (code, err) == (0, "")
    rows = [line.split() for line in out.splitlines()]
    assert [row[:3] for row in rows] == [
        ["0.1", "0", "estimate"], ["0.1", "1", "estimate"], ["2", "0", "estimate"], ["2", "1", "estimate"],
    ]  # fmt: skip
    folder = heat.parent / "heat-sweep"
    assert len((folder / RESULTS).read_text().splitlines()) == 4
    assert len(list((folder / "runs").glob("*.lrfm"))) == 4
    assert command(heat, "--grid", "parameters.a=0.1:2:2", "--seeds", 2) == (0, out, "")
    assert len((folder / RESULTS).read_text().splitlines()) == 4


def test_exit_code_1_when_a_tolerance_is_not_met(command, heat, tmp_path):
    code, out, _ = command(heat, "--tol", "1e-12", "--jobs", 1, "--json", "--out", tmp_path / "s")
    (run,) = json.loads(out)["runs"]
    assert code == 1
    assert run["status"] == "tolerance not met"
    assert run["error_estimate"] > 1e-12


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--grid", "parameters.a"], "expected NAME=VALUES"),
        (["--grid", "parameters.a=1:2"], "expected values such as"),
        (["--grid", "parameters.c=1"], "no such parameter; it has `a`, `b`"),
        (["--grid", "parameters.a=1", "--grid", "parameters.a=2"], "is given twice"),
        (["--features", "50"], "has [solve.method.space]"),
        (["--out", __file__], "is a file"),
        (["--scheduler", "nowhere"], "it looks like tcp://host:8786"),
    ],
)
def test_bad_input_gets_a_sentence_and_exit_code_2(command, heat, arguments, said):
    code, out, err = command(heat, "--jobs", 1, *arguments)
    assert code == 2
    assert said in err
    assert out == ""
    assert "Traceback" not in err
