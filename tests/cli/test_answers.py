# SPDX-License-Identifier: MIT
"""The commands `steady` and `modes`."""

import json

import pytest

import lrfm
from lrfm.cli import main

BRATU = """
equation = "u_xx + lam*exp(u) = 0"
boundary = "u = 0"
domain = {x = [0, 1]}
parameters = {lam = 1}
"""
STRING = """
equation = "u_xx = -lam*u"
boundary = "u = 0"
domain = {x = [0, "pi"]}
"""


@pytest.fixture
def command(tmp_path, capsys):
    """Run a command on a statement; its exit code, stdout and stderr."""

    def run(name, text, *arguments):
        path = tmp_path / "p.toml"
        path.write_text(text, encoding="utf-8")
        with pytest.raises(SystemExit) as ended:
            main([name, str(path), *map(str, arguments)])
        captured = capsys.readouterr()
        return ended.value.code or 0, captured.out, captured.err

    return run


def test_a_steady_state_is_solved_told_written_and_drawn(command, tmp_path):
    out, plot = tmp_path / "u.lrfm", tmp_path / "u.png"
    code, said, _ = command(
        "steady", BRATU, "--tol", 1e-8, "--guess", "16*x*(1 - x)", "--out", out, "--plot", plot, "--json"
    )
    told = json.loads(said)
    assert code == 0
    assert told["error_estimate"] <= 1e-8
    assert plot.stat().st_size > 1000
    assert round(float(lrfm.load(out)(x=0.5)), 4) == 4.0915


def test_what_is_understood_of_a_steady_file_has_no_time(command):
    code, said, _ = command("check", BRATU)
    assert code == 0
    assert "order 2 in x" in said
    assert "none: a steady statement" in said
    assert json.loads(command("check", BRATU, "--json")[1])["time"] is None


def test_an_entry_is_changed_and_a_parameter_followed(command):
    code, said, _ = command("steady", BRATU, "--set", "parameters.lam=3", "--along", "lam=0")
    assert code == 0
    assert "tolerance met" in said


def test_what_is_not_solved_leaves_with_one_and_what_is_wrong_with_two(command):
    assert command("steady", BRATU, "--set", "parameters.lam=4")[0] == 1
    code, _, err = command("steady", BRATU, "--guess", "v=1")
    assert code == 2
    assert "`v` is no unknown" in err


def test_modes_are_told_with_their_errors(command, tmp_path):
    code, said, _ = command("modes", STRING, "--k", 2, "--plot", tmp_path / "m.png", "--json")
    found = json.loads(said)
    assert code == 0
    assert found["met"]
    assert [round(row["value"], 8) for row in found["modes"]] == [1, 4]
    assert "4" in command("modes", STRING, "--k", 1, "--near", "4.2")[1]
    code, _, err = command("modes", STRING, "--near", "four")
    assert code == 2
    assert "expected a number" in err
