# SPDX-License-Identifier: MIT
"""`lrfm reproduce`: the list, a small run, and what it refuses."""

from types import SimpleNamespace

import pytest

from lrfm.cli import main, reproduce


def run(*arguments, capsys):
    with pytest.raises(SystemExit) as left:
        main(["reproduce", *map(str, arguments)])
    return left.value.code, *capsys.readouterr()


def test_without_names_it_lists_them(capsys):
    code, out, _ = run(capsys=capsys)
    assert code == 0
    assert out.splitlines()[0].startswith("collocation-sensitivity")
    assert len(out.splitlines()) == 17


def test_a_named_experiment_is_run(capsys, tmp_path, monkeypatch):
    """With what was asked for; test_runner.py runs it."""
    asked = []

    def runs(names, **options):
        asked.append((names, options["quick"], options["jobs"], options["out"]))
        return SimpleNamespace(failed=failed, runs=3, page=tmp_path / "report.md")

    monkeypatch.setattr(reproduce._study(), "run", runs)
    for failed, left in (((), 0), (("one broke",), 1)):
        code, out, _ = run("temporal_rank", "--quick", "--jobs", 1, "--out", tmp_path, capsys=capsys)
        assert code == left
        assert "report" in out
        assert f"failed  {len(failed)}" in out
    assert asked == [(["temporal-rank"], True, 1, tmp_path)] * 2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["mian"], "Did you mean `main`?"),
        (["main", "--all"], "both names and --all"),
        (["main", "--out", __file__], "is a file"),
        (["main", "--seeds", "0"], "seeds"),
    ],
)
def test_what_it_refuses(capsys, arguments, said):
    code, _, err = run(*arguments, capsys=capsys)
    assert code == 2
    assert said in err


def test_without_a_clone_it_says_where_the_study_is(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr("lrfm.cli.reproduce.BENCHMARKS", tmp_path)
    code, _, err = run(capsys=capsys)
    assert code == 2
    assert "not in the installed package" in err
    assert "pip install -e ." in err
