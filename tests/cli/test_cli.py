# SPDX-License-Identifier: MIT
"""The command line: what it prints, where, and with which exit code it leaves."""

import io
import json
import subprocess
import sys
import time

import numpy as np
import pytest
from helpers import PATIENCE, wait_for
from rich.console import Console
from rich.text import Text

import lrfm
from lrfm.cli import main, progress, show
from lrfm.cli.errors import sentence
from lrfm.solver import progress as bars

HEAT = """
name = "heat"
equation = "u_t = u_xx"
time = [0, 0.1]
initial = "sin(pi*x)"
boundary = "u = 0"
reference = "exp(-pi**2*t)*sin(pi*x)"
domain = {x = [0, 1]}
solve = {method = {kind = "space-time", space = {kind = "liquid", features = 80, centers = 1.1, gate = 5}}}
"""
AUTO = HEAT[: HEAT.index("solve =")]
COMMANDS = ("list", "demo", "check", "plan", "solve", "fit", "sweep", "eval", "export", "reproduce", "bench")


@pytest.fixture
def lrfm_command(capsys):
    """Run a command; its exit code, stdout and stderr."""

    def run(*arguments: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main([str(a) for a in arguments])
        captured = capsys.readouterr()
        return ended.value.code or 0, captured.out, captured.err

    return run


@pytest.fixture
def heat(tmp_path):
    path = tmp_path / "heat.toml"
    path.write_text(HEAT, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A solution in a file."""
    folder = tmp_path_factory.mktemp("saved")
    (folder / "heat.toml").write_text(HEAT, encoding="utf-8")
    with pytest.raises(SystemExit):
        main(["solve", str(folder / "heat.toml"), "--out", str(folder / "heat.lrfm"), "--json"])
    return folder / "heat.lrfm"


# --- Help


def test_help_is_fast_because_nothing_heavy_is_imported():
    code = (
        "import sys, lrfm.cli; print({'numpy', 'scipy', 'sympy', 'matplotlib', 'xarray'} & set(sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"


def test_python_dash_m():
    run = subprocess.run(
        [sys.executable, "-m", "lrfm", "--version"], capture_output=True, text=True, check=True
    )
    assert run.stdout == f"lrfm {lrfm.__version__}\n"


@pytest.mark.parametrize("command", [(), *((name,) for name in COMMANDS)], ids=str)
def test_every_help_has_an_example(lrfm_command, command):
    code, out, _ = lrfm_command(*command, "--help")
    assert code == 0
    assert f"Example:  lrfm {command[0] if command else ''}" in out
    assert max(map(len, out.splitlines())) <= 80


def test_the_room_names_every_command():
    assert all(f" {name} " in f" {lrfm.cli.__doc__.split('`')[1].replace('|', ' ')} " for name in COMMANDS)


@pytest.mark.parametrize("arguments", [("list",), ("check", "{}", "--json")])
def test_a_reader_that_has_gone_is_no_error(heat, arguments):
    """`lrfm list | head`: the pipe is closed before anything is written."""
    run = subprocess.Popen(
        [sys.executable, "-m", "lrfm", *(a.format(heat) for a in arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    run.stdout.close()
    said = run.stderr.read()
    run.stderr.close()
    assert (run.wait(timeout=PATIENCE), said) == (141, b"")


# --- The catalog


def test_list_names_every_problem(lrfm_command):
    code, out, err = lrfm_command("list")
    assert code == 0
    assert err == ""
    assert tuple(line.split()[0] for line in out.splitlines()) == lrfm.catalog.names()
    assert max(map(len, out.splitlines())) <= 80


def test_demo_compares_with_the_reference_and_draws(lrfm_command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = lrfm_command("demo", "heat_1d", "--features", 60, "--seed", 2)
    assert (code, err) == (0, "")
    assert "true error" in out
    assert "seed 2" in " ".join(out.split())
    assert (tmp_path / "demo-heat-1d.png").read_bytes().startswith(b"\x89PNG")


def test_a_demo_is_the_default_engine_and_ends_with_a_claim(lrfm_command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = lrfm_command("demo", "heat-1d")
    assert (code, err) == (0, "")
    table = dict(line.split(None, 1) for line in out.splitlines() if line[:1].isalpha())
    assert table["status"].startswith("tolerance met (tol=0.0001)")
    assert "of max |u| anywhere" in " ".join(out.split())
    assert "space-time" not in out


def test_what_the_studio_lacks_is_installed_by_the_line_that_is_printed(lrfm_command, monkeypatch):
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    code, _, err = lrfm_command("studio")
    assert code == 2
    assert "pip install 'lrfm[studio]'" in " ".join(err.split())


# --- Statements


def test_check_as_json(lrfm_command, heat):
    code, out, err = lrfm_command("check", heat, "--json")
    told = json.loads(out)
    assert (code, err) == (0, "")
    assert told["equations"] == ["u_t = u_xx"]
    assert told["unknowns"] == {"u": {"kind": "float", "orders": {"t": 1, "x": 2}}}
    assert (told["domain"], told["time"]) == ({"x": [0, 1]}, [0, 0.1])
    assert told["boundary"] == {"x-": "u = 0", "x+": "u = 0"}
    assert (told["linear"], told["reference"], told["warnings"]) == (True, True, [])
    assert told["solve"]["method"].startswith("SpaceTime(space=Liquid(features=80")
    heat.write_text(HEAT.replace("u_xx", "uxx"), encoding="utf-8")
    code, out, err = lrfm_command("check", heat, "--json")
    assert (code, out) == (2, "")
    assert "Write `u_xx` for the derivative." in err


def test_check_prints_what_was_understood(lrfm_command, heat):
    heat.write_text(
        'equation = ["u_t = u_xx + re(v)", "1j*v_t = -1j*v_x"]\ntime = [0, 1]\ninitial = {u = "0", v = "x"}\n'
        'domain = {x = [0, 1]}\nunknowns = {v = "complex"}\nparameters = {a = 0.1}\ncheck_corners = false\n'
        'boundary = {"x-" = ["u = 0", "v = 0"], "x+" = "u = 0"}\n'
        'solve = {method = {kind = "space-time", space = {kind = "sov", features = 9}}}\n'
    )
    code, out, err = lrfm_command("check", heat)
    assert (code, err) == (0, "")
    told = {tuple(line.split()) for line in out.splitlines()}
    assert ("unknown", "u", "real,", "order", "1", "in", "t,", "2", "in", "x") in told
    assert ("unknown", "v", "complex,", "order", "1", "in", "t,", "1", "in", "x") in told
    assert ("boundary", "x-", "u", "=", "0;", "v", "=", "0") in told
    assert ("kind", "linear:", "no", "iteration") in told
    assert ("solve", "method", "SpaceTime(space=SoV(features=9))") in told
    assert ("warning", "The", "parameter", "`a`", "is", "not", "used.") in told


def test_plan_counts_without_solving(lrfm_command, heat):
    heat.write_text(AUTO, encoding="utf-8")
    assert "method     lines" in lrfm_command("plan", heat)[1]
    assert "chooses the size itself" in lrfm_command("plan", heat, "--method", "space-time")[1]
    code, out, _ = lrfm_command("plan", heat, "--features", 500, "--blocks", 2)
    told = dict(line.split(maxsplit=1) for line in out.splitlines())
    assert code == 0
    assert (told["columns"], told["blocks"]) == ("500", "2")
    assert "too little" in lrfm_command("plan", heat, "--features", 1_000_000)[1]


def test_solve_prints_the_report_in_80_columns(lrfm_command, heat, tmp_path):
    code, out, err = lrfm_command("solve", heat, "--plot", tmp_path / "u.png", "--out", tmp_path / "u.lrfm")
    assert (code, err) == (0, "")
    assert out.startswith("status      estimate only\n")
    assert "true error" in out
    assert max(map(len, out.replace(str(tmp_path), "").splitlines())) <= 80
    assert (tmp_path / "u.png").exists()
    assert lrfm.load(tmp_path / "u.lrfm")(x=0.5, t=0.1) == pytest.approx(np.exp(-0.1 * np.pi**2), rel=1e-3)


def test_solve_as_json(lrfm_command, heat):
    code, out, err = lrfm_command("solve", heat, "--json", "--seed", 4, "--blocks", 2, "--tol", 0.5)
    told = json.loads(out)
    assert (code, err) == (0, "")
    assert told["status"] == "tolerance met"
    assert [told[name] for name in ("seed", "tolerance")] == [4, 0.5]
    assert [told["engine"][name] for name in ("features", "blocks")] == [80, 2]
    assert 0 < told["true_error"] < 1e-2
    assert told["engine"]["condition"] is None  # JSON has no nan


def test_solve_chooses_everything_to_meet_a_tolerance(lrfm_command, heat):
    heat.write_text(AUTO, encoding="utf-8")
    code, out, err = lrfm_command("solve", heat, "--tol", 1e-5, "--max-features", 400)
    assert (code, err) == (0, "")
    assert out.startswith("status      tolerance met (tol=1e-05)\n")
    assert "indicators" not in out
    assert "rank" not in out  # a number of the other method


def test_solve_prints_details_when_asked(lrfm_command, heat):
    code, out, _ = lrfm_command("solve", heat, "--details")
    told = dict(line.split(maxsplit=1) for line in out.splitlines() if not line.startswith(" "))
    assert code == 0
    assert {"status", "error", "indicators", "version", "rank"} <= told.keys()


def test_a_tolerance_that_is_not_met_ends_with_1_and_still_writes(lrfm_command, heat, tmp_path):
    code, out, err = lrfm_command("solve", heat, "--tol", 1e-15, "--out", tmp_path / "u.lrfm")
    assert code == 1
    assert "tolerance not met" in out
    assert "above tol=1.0e-15" in err
    assert lrfm.load(tmp_path / "u.lrfm").report.tolerance == 1e-15


def test_a_solution_that_is_not_resolved_ends_with_1(lrfm_command, heat):
    heat.write_text(HEAT.replace("features = 80", "features = 2"), encoding="utf-8")
    code, out, err = lrfm_command("solve", heat)
    assert code == 1
    assert "no claim" in out
    assert "does not resolve" in err


# --- Saved solutions


def test_eval_prints_bare_columns(lrfm_command, saved):
    code, out, err = lrfm_command(
        "eval",
        saved,
        "--at",
        "x=0.5,t=0.1",
        "--at",
        "t=0, x=0.25",
        "--derivative",
        "u_xx",
        "--derivative",
        "u",
    )
    assert (code, err) == (0, "")
    values = np.array([line.split() for line in out.splitlines()], dtype=float)
    np.testing.assert_allclose(values[:, :2], [[0.5, 0.1], [0.25, 0.0]])
    np.testing.assert_allclose(values[:, 2], -(np.pi**2) * values[:, 3], rtol=1e-2)


def test_eval_as_json_has_all_digits(lrfm_command, saved):
    code, out, _ = lrfm_command("eval", saved, "--at", "x=0.5,t=0.1", "--json")
    assert code == 0
    assert json.loads(out)["values"] == [{"x": 0.5, "t": 0.1, "u": float(lrfm.load(saved)(x=0.5, t=0.1))}]


def test_eval_outside_only_when_asked(lrfm_command, saved):
    assert lrfm_command("eval", saved, "--at", "x=1.1,t=0.1")[0] == 2
    assert lrfm_command("eval", saved, "--at", "x=1.1,t=0.1", "--outside")[0] == 0


@pytest.mark.parametrize("name", ["u.nc", "u.csv", "u.vtu", "u.gif", "u.png"])
def test_export(lrfm_command, saved, tmp_path, name):
    code, out, err = lrfm_command("export", saved, tmp_path / name, "--resolution", "x=11,t=3")
    assert (code, err) == (0, "")
    assert out.startswith("wrote ")
    assert list(tmp_path.iterdir())
    if name == "u.csv":
        assert len((tmp_path / name).read_text().splitlines()) == 1 + 11 * 3


# --- What goes wrong

WRONG = [
    ("solv {heat}", "solve"),
    ("solve {heat} --sed 3", "--seed"),
    ("solve {heat} --tol fine", "--tol"),
    ("solve {heat} --tol -1", "between 0 and 1"),
    ("solve {heat} --features 0", "--features"),
    ("solve {heat} --features 80", "[solve.method.space]"),
    ("solve {heat} --max-seconds 0", "positive number of seconds"),
    ("solve {heat} --plot u.jpg", "`.png`"),
    ("solve {heat} --out nowhere/u.lrfm", "does not exist"),
    ("solve {heat} --checkpoint {saved}", "checkpoint"),
    ("solve {heat}x", "`heat.toml`?"),
    ("solve {saved}", "lrfm eval"),
    ("check {heat}.txt", "no such file"),
    ("demo alencahn", "`allen-cahn`?"),
    ("demo heat-1d --plot u.pgn", "`.png`?"),
    ("eval {heat} --at x=0,t=0", "solve it first"),
    ("eval {saved}", "--at"),
    ("eval {saved} --at x=0", "`t` is missing"),
    ("eval {saved} --at x=0,t=soon", "not a number"),
    ("eval {saved} --at x=0,t=0,x=1", "twice"),
    ("eval {saved} --at x", "not an assignment"),
    ("eval {saved} --at x=0,t=0,y=0", "`x`, `t`"),
    ("eval {saved} --at x=0,t=0 --derivative uxx", "`u_xx`?"),
    ("eval {saved} --at x=0,t=0 --derivative v_x", "`u_x`?"),
    ("export {saved} u.ncc", "`.nc`?"),
    ("export {saved} u.csv --resolution x=1", "2 points"),
    ("export {saved} u.csv --resolution x=1.5", "not a number"),
    ("export nothing.lrfm u.csv", "No such file"),
]


@pytest.mark.parametrize(("line", "said"), WRONG)
def test_bad_usage_ends_with_2_and_a_sentence(lrfm_command, heat, saved, monkeypatch, tmp_path, line, said):
    monkeypatch.chdir(tmp_path)
    code, out, err = lrfm_command(*line.format(heat=heat, saved=saved).split())
    assert code == 2
    assert out == ""
    assert said in err
    assert "Traceback" not in err
    assert [path.name for path in tmp_path.iterdir()] == ["heat.toml"]


def test_a_bad_statement_ends_with_2_even_with_json(lrfm_command, heat):
    heat.write_text(HEAT.replace("u_xx", "u_yy"), encoding="utf-8")
    code, out, err = lrfm_command("solve", heat, "--json")
    assert (code, out) == (2, "")
    assert "heat.toml: " in err


def test_a_bug_keeps_its_traceback(heat, monkeypatch):
    def broken(*args, **kwargs):
        np.zeros(3) + np.zeros(2)

    monkeypatch.setattr("lrfm.solver.api.plan", broken)
    with pytest.raises(ValueError, match="broadcast"):
        main(["plan", str(heat)])
    assert sentence(KeyError("u")) is None


def test_interrupted(lrfm_command, heat, tmp_path, monkeypatch):
    def interrupted(*args, checkpoint, **kwargs):
        if checkpoint:
            checkpoint.write_bytes(b"blocks")
        raise KeyboardInterrupt

    monkeypatch.setattr("lrfm.solver.api.solve", interrupted)
    code, out, err = lrfm_command("solve", heat)
    assert (code, out) == (130, "")
    assert "nothing was written" in err
    code, _, err = lrfm_command("solve", heat, "--checkpoint", tmp_path / "c")
    assert code == 130
    assert "the same command goes on" in err


def test_a_checkpoint_is_resumed(lrfm_command, heat, tmp_path):
    arguments = ("solve", heat, "--blocks", 3, "--checkpoint", tmp_path / "c", "--json")
    first = json.loads(lrfm_command(*arguments)[1])
    again = json.loads(lrfm_command(*arguments)[1])
    assert again["error_estimate"] == first["error_estimate"]


# --- On a terminal


@pytest.fixture
def terminal(monkeypatch):
    """Stdout and stderr as terminals of 80 columns."""
    screens = {True: io.StringIO(), False: io.StringIO()}

    def console(stderr: bool = False) -> Console:
        return Console(
            file=screens[stderr], force_terminal=True, width=80, highlight=False, legacy_windows=False
        )

    monkeypatch.setattr(show, "console", console)
    monkeypatch.setenv("TERM", "xterm")
    return screens


def test_tables_fit_a_terminal(lrfm_command, terminal, heat):
    assert lrfm_command("solve", heat, "--tol", 1e-15)[0] == 1
    for command in (("list",), ("check", heat), ("plan", heat)):
        assert lrfm_command(*command)[0] == 0
    shown = [Text.from_ansi(line).plain for line in terminal[False].getvalue().splitlines()]
    assert any("│ status" in line for line in shown)
    assert max(map(len, shown)) <= 80
    assert "Not solved" in terminal[True].getvalue()


def test_progress_shows_on_a_terminal_after_a_while(terminal, monkeypatch):
    monkeypatch.setattr(progress, "DELAY", 0.01)

    def shown(*words):
        """Whoever draws does so when the machine lets it."""
        wait_for(lambda: all(word in terminal[True].getvalue() for word in words))

    with progress.ProgressBar("solving", expected=10.0) as bar:
        shown("solving", "left")
        bar("estimating the error", 1, 2)
        shown("estimating the error")
        bar("choosing settings, pilot 3", 0, 0)
        shown("pilot 3")
        bar.say("drawing u.png")
        shown("drawing u.png")


def test_the_last_picture_is_that_of_the_end(terminal):
    """However long ago a picture was drawn in between."""
    problem = lrfm.Problem(
        "u_t = u_xx", domain=lrfm.Box(x=(0, 1)), time=(0, 0.1), initial="sin(pi*x)", boundary="u = 0"
    )
    with progress.ProgressBar("solving", watch=True) as bar:
        solution = lrfm.solve(problem, tol=1e-3, progress=bar)
    highest = float(np.max(solution(x=np.linspace(0, 1, 101), t=0.1)))
    told = bar.picture.rpartition("\n")[2]
    assert told.startswith("u at t = 0.1, ")
    assert float(told.rpartition(" ")[2]) == pytest.approx(highest, rel=1e-2)


def test_progress_is_silent_when_quick_or_quiet(terminal, monkeypatch):
    with progress.ProgressBar("solving", expected=10.0) as bar:
        bar("solving", 1, 2)
    monkeypatch.setattr(progress, "DELAY", 0.0)
    with progress.ProgressBar("solving", quiet=True):
        time.sleep(0.05)
    assert terminal[True].getvalue() == ""


def test_the_clock_counts_only_steps_that_were_seen(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(bars.time, "monotonic", lambda: now[0])
    clock = bars.Clock(expected=40.0)
    now[0] = 10.0
    assert (clock.left, clock.fraction) == (30.0, 0.25)
    clock.step(7, 10)  # six came from a checkpoint
    assert (clock.left, clock.fraction) == (30.0, 0.7)
    now[0] = 15.0
    assert (clock.left, clock.fraction) == (25.0, 0.75)
    now[0] = 99.0
    assert clock.left is None
    assert clock.fraction < 0.8
    clock.step(1, 10)  # another attempt
    assert (clock.left, clock.fraction) == (9 * 89.0, 0.1)
    assert [progress.duration(s) for s in (7, 750, 3723)] == ["0:07", "12:30", "1:02:03"]


# --- Files to start from, entries changed by hand, plans


def test_a_new_file_can_be_checked_and_solved(lrfm_command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, _ = lrfm_command("new", "reaction")
    assert code == 0
    assert "lrfm solve reaction.toml" in out
    assert lrfm_command("check", "reaction.toml")[0] == 0
    code, out, err = lrfm_command("new", "reaction")
    assert (code, out) == (2, "")
    assert "reaction.toml exists" in err
    told = json.loads(lrfm_command("solve", "reaction.toml", "--tol", 1e-3, "--json")[1])
    assert told["status"] == "tolerance met"


def test_entries_are_changed_from_the_command_line(lrfm_command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lrfm_command("new", "reaction")
    changes = ("--set", "parameters.D=0.5/pi", "--set", "time=[0, 0.1]", "--set", "solve.tol=1e-3")
    told = json.loads(lrfm_command("plan", "reaction.toml", *changes, "--json")[1])
    assert told["method"] == "lines"
    assert 0 < told["seconds"] < 60
    told = json.loads(lrfm_command("solve", "reaction.toml", *changes, "--max-memory", "4GB", "--json")[1])
    assert told["tolerance"] == 1e-3
    code, _, err = lrfm_command("solve", "reaction.toml", "--set", "parameters.D")
    assert code == 2
    assert "write NAME=VALUE" in err
    code, _, err = lrfm_command("solve", "reaction.toml", "--set", "parameters.q=2x")
    assert code == 2


def test_what_is_ill_posed_is_told_by_check(lrfm_command, tmp_path):
    text = 'equation = "u_t = -u_xx"\ntime = [0, 1]\ninitial = "sin(pi*x)"\nboundary = "u = 0"\n[domain]\nx = [0, 1]\n'
    (tmp_path / "back.toml").write_text(text)
    code, out, _ = lrfm_command("check", tmp_path / "back.toml", "--json")
    assert code == 0
    assert any("accept_ill_posed" in text for text in json.loads(out)["warnings"])


def test_a_terminal_underlines_the_mistake(lrfm_command, terminal, tmp_path):
    text = 'equation = "u_t = u_xx + 3*q"\ntime = [0, 1]\ninitial = "0"\nboundary = "u = 0"\n[domain]\nx = [0, 1]\n'
    (tmp_path / "bad.toml").write_text(text)
    assert lrfm_command("check", tmp_path / "bad.toml")[0] == 2
    shown = [Text.from_ansi(line).plain.rstrip() for line in terminal[True].getvalue().splitlines()]
    assert "  u_xx + 3*q" in shown
    assert shown[shown.index("  u_xx + 3*q") + 1] == "           ^"


def test_a_solve_ends_at_an_event(lrfm_command, tmp_path):
    """max |u| = e^{-π² t}: a half at t = log(2)/π²."""
    path = tmp_path / "heat.toml"
    path.write_text(AUTO, encoding="utf-8")
    code, out, _ = lrfm_command("solve", path, "--tol", "1e-5", "--until", "max(u) < 0.5", "--json")
    told = json.loads(out)["event"]
    assert code == 0
    assert abs(told["t"] - np.log(2) / np.pi**2) <= told["error"] < 1e-6
    path.write_text(AUTO + '\n[solve]\nuntil = "max(u) < 0.5"\n', encoding="utf-8")
    assert "event" in lrfm_command("solve", path, "--tol", "1e-3")[1]


def test_without_the_library_of_pictures_all_else_works(lrfm_command, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    code, out, _ = lrfm_command("demo", "heat-1d")
    assert code == 0
    assert "tolerance met" in out
    assert not list(tmp_path.glob("*.png"))
    code, _, err = lrfm_command("demo", "heat-1d", "--plot", "heat.png")
    assert code == 2
    assert 'pip install "lrfm[plot]"' in " ".join(err.split())
    solution = lrfm.solve(lrfm.catalog.heat_1d(), tol=1e-3)
    with pytest.raises(ImportError, match=r'Pictures need matplotlib.*pip install "lrfm\[plot\]"'):
        solution.plot()
    with pytest.raises(ImportError, match="Pictures need matplotlib"):
        solution.animate("heat.gif")
