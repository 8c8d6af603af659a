# SPDX-License-Identifier: MIT
"""The command `fit`: numbers from a CSV file, exit codes, sentences."""

import json

import numpy as np
import pytest

from lrfm.cli import main

HEAT = """
equation = "u_t = k*u_xx"
time = [0, 0.5]
initial = "sin(pi*x)"
boundary = "u = 0"
domain = {x = [0, 1]}
unknown = {k = {start = 1.0, lower = 0}}
"""


@pytest.fixture
def files(tmp_path):
    x, t = (a.ravel() for a in np.meshgrid(np.linspace(0.1, 0.9, 9), [0.2, 0.5]))
    noise = 0.01 * np.random.default_rng(0).normal(size=x.size)
    table = np.c_[x, t, np.exp(-0.3 * np.pi**2 * t) * np.sin(np.pi * x) + noise]
    np.savetxt(tmp_path / "data.csv", table, delimiter=",", header="x,t,u", comments="")
    (tmp_path / "heat.toml").write_text(HEAT, encoding="utf-8")
    return tmp_path


def run(capsys, *arguments):
    with pytest.raises(SystemExit) as ended:
        main([str(a) for a in arguments])
    captured = capsys.readouterr()
    return ended.value.code or 0, captured.out, captured.err


def test_fit_and_its_exit_codes(capsys, files):
    command = ["fit", files / "heat.toml", "--data", files / "data.csv", "--json"]
    code, out, _ = run(capsys, *command, "--sigma", "0.01")
    found = json.loads(out)["parameters"]["k"]
    assert code == 0
    assert found["lower"] < 0.3 < found["upper"]
    assert found["upper"] - found["lower"] < 0.03
    code, out, _ = run(capsys, *command, "--sigma", "0.0001")
    assert code == 1
    assert "does not describe" in json.loads(out)["status"]


def test_sentences(capsys, files):
    code, _, err = run(capsys, "fit", files / "heat.toml", "--data", files / "none.csv")
    assert (code, "is no file" in err) == (2, True)
    (files / "heat.toml").write_text(HEAT.replace("lower", "least"), encoding="utf-8")
    code, _, err = run(capsys, "fit", files / "heat.toml", "--data", files / "data.csv")
    assert (code, "has no `least`" in err) == (2, True)
    (files / "heat.toml").write_text(HEAT, encoding="utf-8")
    code, _, err = run(capsys, "solve", files / "heat.toml")
    assert (code, "`k` is unknown" in err) == (2, True)
