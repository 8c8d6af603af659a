# SPDX-License-Identifier: MIT
"""`lrfm reproduce`: the list, a small run, and what it refuses."""

import pytest

from lrfm.cli import main


def run(*arguments, capsys):
    with pytest.raises(SystemExit) as left:
        main(["reproduce", *map(str, arguments)])
    return left.value.code, *capsys.readouterr()


def test_without_names_it_lists_them(capsys):
    code, out, _ = run(capsys=capsys)
    assert code == 0
    assert out.splitlines()[0].startswith("collocation-sensitivity")
    assert len(out.splitlines()) == 17


def test_a_named_experiment_is_run(capsys, tmp_path):
    code, out, _ = run("temporal_rank", "--quick", "--jobs", 1, "--out", tmp_path / "study", capsys=capsys)
    assert code == 0
    assert "report" in out
    assert (tmp_path / "study" / "report.md").exists()


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
