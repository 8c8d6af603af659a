# SPDX-License-Identifier: MIT
"""Seventy mistakes at the doors, each answered with what was given, what was expected and what to do (`tests/mistakes/doors.py`)."""

import pytest
from mistakes.doors import CALLS, COMMANDS, FIELDS, FILES, HEAT

import lrfm
from lrfm.cli import main
from lrfm.problem.file import parse
from lrfm.solver.options import solve_options


@pytest.fixture(scope="module")
def solution():
    return lrfm.solve(parse(HEAT).problem, tol=1e-2)


def test_they_are_seventy():
    assert len(CALLS) + len(FILES) + len(COMMANDS) + len(FIELDS) >= 70


@pytest.mark.parametrize(("call", "sentence"), CALLS, ids=[said[:40] for _, said in CALLS])
def test_calls(call, sentence, solution):
    with pytest.raises((ValueError, TypeError, KeyError, AttributeError, OSError)) as refused:
        call(solution, solution.problem)
    assert sentence in str(refused.value)


@pytest.mark.parametrize(("key", "line", "sentence"), FILES, ids=[said[:40] for *_, said in FILES])
def test_files(key, line, sentence):
    kept = [text for text in HEAT.splitlines() if not key or not text.startswith(f"{key} =")]
    with pytest.raises(lrfm.ProblemError) as refused:
        solve_options(parse("\n".join([*kept, line])))
    assert sentence in str(refused.value.in_file("heat.toml"))


@pytest.mark.parametrize(("words", "sentence"), COMMANDS, ids=[said[:40] for _, said in COMMANDS])
def test_command_lines(words, sentence, tmp_path, monkeypatch, capsys):
    (tmp_path / "heat.toml").write_text(HEAT)
    (tmp_path / "data.csv").write_text("x,t,u\n0.5,0.05,0.6\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "300")
    with pytest.raises(SystemExit) as ended:
        main(words)
    assert ended.value.code == 2
    assert sentence in capsys.readouterr().err


@pytest.mark.parametrize(("field", "text", "sentence"), FIELDS, ids=[said[:40] for *_, said in FIELDS])
def test_fields_of_the_studio(field, text, sentence):
    pytest.importorskip("starlette")
    from lrfm.studio.checking import check
    from lrfm.studio.statement import Fields

    told = check(
        Fields.from_data(
            {
                "equation": "u_t = k*u_xx",
                "domain": "x in [0, 1]",
                "time": "0, 0.1",
                "initial": "sin(pi*x)",
                "boundary": "u = 0",
                "parameters": "k = 1",
                field: text,
            }
        )
    )
    assert sentence in told["error"]["message"]
