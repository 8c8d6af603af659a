# SPDX-License-Identifier: MIT
"""Texts from files do not take hold of a terminal: no control character of theirs is printed."""

import io
import json
import os
import warnings

import crafted
import pytest
from rich.console import Console

import lrfm
from lrfm.cli import main, show
from lrfm.parallel.tasks.ledger import RESULTS
from lrfm.problem.errors import printable

TITLE = "\x1b]0;pwned\x07"  # sets the title of a window
CLEAR = "\x9b2J\x7f\x08"  # the same kind in one byte, delete, backspace
BACKWARDS = "\u202eevil\u2066"  # turns the direction of writing
EVIL = f"a{TITLE}{CLEAR}{BACKWARDS}\r"
FORBIDDEN = "\x1b\x07\x9b\x7f\x08\r\u202e\u2066"

STATEMENT = """
name = {0}
equation = "u_t = u_xx"
time = [0, 0.1]
initial = "sin(pi*x)"
boundary = "u = 0"
domain = {{x = [0, 1]}}
parameters = {{a = 1}}
solve = {{method = {{kind = "space-time", space = {{kind = "liquid", features = 20}}}}, estimate = false}}
"""
EVIL_TOML = "".join(f"\\u{ord(c):04x}" for c in EVIL)

WRONG = {
    "key": '"{0}" = 1\n' + STATEMENT,
    "equation": STATEMENT.replace("u_xx", "u_xx + {0}"),
    "equation of one": STATEMENT.replace("u_t = u_xx", "{0}"),
    "initial": STATEMENT.replace("sin(pi*x)", "sin({0})"),
    "boundary": STATEMENT.replace('"u = 0"', '"{0}"'),
    "face": STATEMENT.replace('"u = 0"', '{{"{0}" = "u = 0"}}'),
    "axis": STATEMENT.replace("x = [0", '"{0}" = [0'),
    "end": STATEMENT.replace("x = [0, 1]", 'x = [0, "{0}"]'),
    "parameter": STATEMENT.replace("a = 1", '"{0}" = 1'),
    "parameter value": STATEMENT.replace("a = 1", 'a = "{0}"'),
    "kind": STATEMENT.replace('"liquid"', '"{0}"'),
    "option": STATEMENT.replace("estimate = false", 'tol = "{0}"'),
    "unknown option": STATEMENT.replace("estimate", '"{0}"'),
    "part": STATEMENT.replace("features", '"{0}"'),
    "time": STATEMENT.replace("[0, 0.1]", '"{0}"'),
    "not TOML": "{1} = 3",
}


def clean(text):
    return not any(c in text for c in FORBIDDEN)


@pytest.fixture
def run(capfd):
    def run(*arguments):
        with pytest.raises(SystemExit) as ended:
            main([str(a) for a in arguments])
        told = capfd.readouterr()
        return ended.value.code or 0, told.out + told.err

    return run


@pytest.mark.parametrize("text", WRONG.values(), ids=WRONG)
def test_a_wrong_statement_is_told_without_them(run, tmp_path, text):
    path = tmp_path / "evil.toml"
    filled = text.replace("name = {0}\n", "").replace("{{", "{").replace("}}", "}")
    path.write_text(filled.replace("{0}", EVIL_TOML).replace("{1}", EVIL), encoding="utf-8")
    code, told = run("check", path)
    assert code == 2
    assert "Error: " in told
    assert clean(told)


@pytest.mark.parametrize(
    "command", [("check",), ("check", "--json"), ("plan",), ("solve",), ("solve", "--json")], ids=" ".join
)
@pytest.mark.parametrize("terminal", [False, True])
def test_a_name_is_printed_without_them(run, tmp_path, monkeypatch, command, terminal):
    path = tmp_path / "evil.toml"
    path.write_text(STATEMENT.format(f'"{EVIL_TOML}"'))
    screen = io.StringIO()
    if terminal:
        made = lambda stderr=False: Console(file=screen, force_terminal=True, width=80, highlight=False)  # noqa: E731
        monkeypatch.setattr(show, "console", made)
    code, told = run(command[0], path, *command[1:])
    assert code in (0, 1)
    assert clean(told)
    for sequence in (TITLE, CLEAR, BACKWARDS):
        assert sequence not in screen.getvalue()
    if "--json" in command and command[0] == "check":
        assert "pwned" in json.loads(told)["name"]


def test_a_saved_report_is_printed_without_them(run, tmp_path):
    lrfm.solve(crafted.HEAT, **crafted.MARCH).save(tmp_path / "run")
    head, arrays = crafted.contents(tmp_path / "run")
    report = head["document"]["report"]
    report |= {
        "status": EVIL,
        "warnings": {"$tuple": [EVIL]},
        "parts": {EVIL: EVIL},
        "indicators": {EVIL: 1.0},
    }
    report["block_reports"]["$tuple"][0]["reason"] = EVIL
    head["document"]["statement"]["name"] = EVIL
    crafted.write(tmp_path / "run", head, arrays)
    solution = lrfm.load(tmp_path / "run")
    assert clean(
        str(solution.report)
        + solution.report.advice
        + repr(solution)
        + solution.report.block_reports[0].reason
        + str(solution.report.details)
    )
    assert "pwned" in solution.report.block_reports[0].reason
    assert not solution.report.solved
    assert clean(run("eval", tmp_path / "run", "--at", "x=0.5,t=0.1")[1])


@pytest.mark.parametrize(
    "spoil",
    ["document.$type", "document.statement.equation", "document.statement.name", "arrays.x", "version"],
)
def test_a_refused_archive_is_told_without_them(run, tmp_path, spoil):
    lrfm.solve(crafted.HEAT, **crafted.MARCH).save(tmp_path / "run")
    head, arrays = crafted.contents(tmp_path / "run")
    *steps, last = spoil.split(".")
    node = head
    for step in steps:
        node = node[step]
    node[last] = EVIL if last != "equation" else [EVIL]
    if last == "name":
        head["document"]["report"] = {"$type": EVIL}
    crafted.write(tmp_path / "run", head, arrays)
    code, told = run("eval", tmp_path / "run", "--at", "x=0.5,t=0.1")
    assert code == 2
    assert clean(told)


@pytest.mark.skipif(os.name != "posix", reason="names of files are texts elsewhere")
def test_names_of_files_are_printed_without_them(run, tmp_path):
    path = tmp_path / f"{EVIL}.toml"
    path.write_text(STATEMENT.format('"heat"'))
    for arguments in (
        ("check", path),
        ("check", f"{path}x"),
        ("solve", path, "--out", tmp_path / f"{EVIL}.lrfm"),
    ):
        assert clean(run(*arguments)[1])


def test_a_ledger_is_told_without_them(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "heat.toml").write_text(STATEMENT.format('"heat"'))
    assert run("sweep", "heat.toml", "--jobs", 1)[0] in (0, 1)
    ledger = tmp_path / "heat-sweep" / RESULTS
    record = json.loads(ledger.read_text())
    record["values"]["status"] = EVIL
    record.pop("check", None)
    ledger.write_text(json.dumps(record) + "\n" + EVIL + "\n")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that the ledger is damaged
        assert clean(run("sweep", "heat.toml", "--jobs", 1)[1])
        assert clean(run("sweep", "heat.toml", "--jobs", 1, "--json")[1])


def test_what_is_no_control_character_stays():
    text = "π² ≤ ∂ₜu — „ü“ 漢\u00a0\u2009字\n\tα"
    assert printable(text) == text
