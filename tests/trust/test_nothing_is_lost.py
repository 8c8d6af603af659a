# SPDX-License-Identifier: MIT
"""Nothing is lost: what cannot be written is said before the work, what fails after it leaves the answer, what is killed goes on."""

import errno
import json
import os
import random
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from helpers import PATIENCE, environment, wait_for

import lrfm
from lrfm.cli import main
from lrfm.solution.io.whole import DRAFT, replacing, try_writing

HEAT = """
equation = "u_t = u_xx"
time = [0, 0.1]
initial = "sin(pi*x)"
boundary = "u = 0"
domain = {x = [0, 1]}
solve = {method = {kind = "space-time", blocks = 2, space = {kind = "liquid", features = 40, centers = 1.1, gate = 5}}}
"""
posix = pytest.mark.skipif(os.name != "posix", reason="needs permissions, signals and pipes")


@pytest.fixture
def heat(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("heat.toml").write_text(HEAT)
    return "heat.toml"


@pytest.fixture
def run(capsys):
    def run(*arguments):
        with pytest.raises(SystemExit) as ended:
            main([str(a) for a in arguments])
        return ended.value.code or 0, *capsys.readouterr()

    return run


@pytest.fixture
def unsolved(monkeypatch):
    """Nothing may be solved."""
    monkeypatch.setattr("lrfm.solver.api.solve", lambda *args, **options: pytest.fail("it was solved first"))


def drafts(folder):
    return [path.name for path in Path(folder).rglob(f"{DRAFT}*")]


# Before the work ------------------------------------------------------------------------------------------------


@pytest.fixture
def no_room(monkeypatch):
    """A folder in which nothing can be made; root may write anywhere, so the system says so for it."""

    def full(path, *rest):
        raise OSError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(Path, "write_bytes", full)


@pytest.mark.parametrize("option", ["--out", "--plot", "--checkpoint"])
def test_a_folder_that_takes_no_file_is_said_before_the_work(run, heat, unsolved, no_room, option):
    code, out, err = run("solve", heat, option, "u.png")
    assert (code, out) == (2, "")
    assert f"{option} u.png cannot be written: Permission denied" in err


@posix
@pytest.mark.parametrize("option", ["--out", "--plot", "--checkpoint"])
@pytest.mark.parametrize("kind", ["fifo", "device", "link"])
def test_what_is_not_a_regular_file_is_never_replaced(run, heat, unsolved, option, kind):
    path = Path("odd.png")
    if kind == "fifo":
        os.mkfifo(path)
    else:
        Path("odd.png").symlink_to("/dev/null")
    before = os.stat(path).st_mode, os.lstat(path).st_mode
    code, _, err = run("solve", heat, option, path)
    assert code == 2
    assert "not a regular file" in err
    assert (os.stat(path).st_mode, os.lstat(path).st_mode) == before
    with pytest.raises(FileExistsError, match="not a regular file"), replacing(path):
        pass


def test_a_file_of_somebody_else_is_overwritten_only_by_force(run, heat, unsolved):
    Path("thesis.tex").write_text("years of work")
    code, _, err = run("solve", heat, "--out", "thesis.tex")
    assert code == 2
    assert "thesis.tex is a file that lrfm did not write; --force overwrites it" in err
    assert Path("thesis.tex").read_text() == "years of work"


def test_force_and_files_of_lrfm(run, heat):
    Path("u.lrfm").write_text("notes")
    assert run("solve", heat, "--out", "u.lrfm", "--force")[0] == 0
    Path("empty").touch()
    for name in ("u.lrfm", "empty"):
        assert run("solve", heat, "--out", name)[0] == 0
        lrfm.load(name)


def test_two_options_do_not_share_a_file(run, heat, unsolved):
    code, _, err = run("solve", heat, "--out", "u.lrfm", "--checkpoint", "./u.lrfm")
    assert code == 2
    assert "give each its own" in err


def test_trying_leaves_nothing(tmp_path):
    (tmp_path / "old").write_text("content")
    for name in ("old", "new"):
        try_writing(tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == ["old"]
    assert (tmp_path / "old").read_text() == "content"


@posix
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664])
def test_permissions_are_kept(run, heat, mode):
    run("solve", heat, "--out", "u.lrfm")
    os.chmod("u.lrfm", mode)
    assert run("solve", heat, "--out", "u.lrfm")[0] == 0
    assert stat.S_IMODE(os.stat("u.lrfm").st_mode) == mode


@posix
def test_a_link_stays_a_link(run, heat):
    Path("there").mkdir()
    Path("u.lrfm").symlink_to("there/real.lrfm")
    assert run("solve", heat, "--out", "u.lrfm")[0] == 0
    assert Path("u.lrfm").is_symlink()
    assert Path("there/real.lrfm").is_file()


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anything")
def test_a_file_that_may_not_be_written_is_not_replaced(tmp_path):
    (tmp_path / "kept").write_text("content")
    (tmp_path / "kept").chmod(0o400)
    with pytest.raises(PermissionError), replacing(tmp_path / "kept"):
        pass


# After the work -------------------------------------------------------------------------------------------------


@pytest.fixture
def full_disk(monkeypatch, tmp_path):
    """No space in the folder of the target; in that of temporary files there is some."""
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    true = os.replace

    def full(draft, target):
        if Path(target).name in ("u.lrfm", "u.png"):
            raise OSError(errno.ENOSPC, "No space left on device", str(target))
        true(draft, target)

    monkeypatch.setattr("os.replace", full)
    return tmp_path / "tmp"


@pytest.mark.parametrize("json_too", [False, True])
def test_a_solution_that_cannot_be_saved_is_told_and_rescued(run, heat, full_disk, json_too):
    code, out, err = run("solve", heat, "--out", "u.lrfm", *(["--json"] if json_too else []))
    assert code == 2
    assert (json.loads(out)["status"] if json_too else " ".join(out.split()[1:3])) == "estimate only"
    (rescue,) = full_disk.glob("lrfm-rescue-*.lrfm")
    assert "No space left on device" in err
    assert f"The solution was written to {rescue} instead." in " ".join(err.split())
    assert lrfm.load(rescue)(x=0.5, t=0.1) == pytest.approx(np.exp(-0.1 * np.pi**2), rel=1e-2)
    assert not Path("u.lrfm").exists()
    assert drafts(".") == []


def test_a_picture_that_cannot_be_drawn_leaves_report_and_solution(run, heat, full_disk):
    code, out, err = run("solve", heat, "--out", "v.lrfm", "--plot", "u.png")
    assert code == 2
    assert out.startswith("status")
    assert "No space left on device" in err
    lrfm.load("v.lrfm")


def test_a_bug_in_drawing_leaves_report_and_solution(heat, monkeypatch, capsys):
    def broken(*args, **options):
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr("lrfm.solution.plot.figure.plot", broken)
    with pytest.raises(ZeroDivisionError):
        main(["solve", heat, "--out", "v.lrfm", "--plot", "u.png"])
    assert capsys.readouterr().out.startswith("status")
    lrfm.load("v.lrfm")


def test_the_exception_has_the_solution(heat, full_disk):
    solution = lrfm.solve(lrfm.catalog.heat_1d(), method=lrfm.SpaceTime(features=40), strict=False)
    with pytest.raises(OSError, match="No space left") as failed:
        solution.save("u.lrfm")
    assert failed.value.solution is solution
    (note,) = failed.value.__notes__
    assert Path(note.split()[5]).is_file()


def test_where_nothing_can_be_written_the_solution_is_still_on_the_exception(tmp_path, monkeypatch):
    solution = lrfm.solve(lrfm.catalog.heat_1d(), method=lrfm.SpaceTime(features=40), strict=False)

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("os.replace", full)
    with pytest.raises(OSError, match="No space left") as failed:
        solution.save("u.lrfm")
    assert failed.value.solution is solution
    assert not list(tmp_path.iterdir())


# Killed ---------------------------------------------------------------------------------------------------------


def start(*arguments, cwd):
    return subprocess.Popen(
        [sys.executable, *arguments], cwd=cwd, env=environment(OPENBLAS_NUM_THREADS="1"),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


WRITER = """
import os, sys, time
from lrfm.solution.io.whole import replacing
with replacing("target.csv") as draft:
    draft.write_text("half")
    print("begun", flush=True)
    time.sleep(900)
"""


@posix
def test_drafts_of_the_killed_are_removed_and_those_of_the_living_are_not(tmp_path):
    killed, alive = (start("-c", WRITER, cwd=tmp_path) for _ in range(2))
    assert [process.stdout.readline() for process in (killed, alive)] == ["begun\n"] * 2
    assert len(drafts(tmp_path)) == 2
    killed.kill()
    killed.communicate()
    with replacing(tmp_path / "other.txt") as draft:
        draft.write_text("whole")
    assert len(drafts(tmp_path)) == 1
    alive.kill()
    alive.communicate()
    try_writing(tmp_path / "target.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["other.txt"]


MARCH = HEAT.replace("blocks = 2", "blocks = 30")
ENDLESS = HEAT.replace("blocks = 2", "blocks = 50000")


@posix
@pytest.mark.slow
def test_a_march_killed_at_random_goes_on_to_the_same_numbers(tmp_path):
    (tmp_path / "march.toml").write_text(MARCH)
    command = ("-m", "lrfm", "solve", "march.toml", "--checkpoint", "c", "--out", "u.lrfm")
    path, rng = tmp_path / "c", random.Random(0)

    def finish(*words):
        with start(*words, cwd=tmp_path) as process:
            _, err = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, err

    def kill():
        """Begin, and kill some moments after the next window was kept."""
        before = path.stat().st_size if path.exists() else 0
        with start(*command, cwd=tmp_path) as process:
            wait_for(lambda: process.poll() is not None or (path.exists() and path.stat().st_size > before))
            time.sleep(rng.uniform(0, 0.1))
            process.kill()
        return process.returncode == -signal.SIGKILL

    finish(*command[:4], "--out", "whole.lrfm")
    while not kill():  # it was at its end before: once more, from the start
        path.unlink()
    finish(*command)
    one, two = (lrfm.load(tmp_path / name) for name in ("whole.lrfm", "u.lrfm"))
    for mine, other in zip(one.pieces, two.pieces, strict=True):
        np.testing.assert_array_equal(mine.coefficients["u"], other.coefficients["u"])
    assert drafts(tmp_path) == []


@posix
def test_sigterm_ends_a_solve_like_ctrl_c(tmp_path):
    (tmp_path / "march.toml").write_text(ENDLESS)
    process = start("-m", "lrfm", "solve", "march.toml", "--checkpoint", "c", "--out", "u.lrfm", cwd=tmp_path)
    wait_for(lambda: (tmp_path / "c").exists())
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert "the same command goes on from there" in " ".join(err.split())
    assert drafts(tmp_path) == []


SLOW = HEAT.replace("features = 40", "features = 1500").replace("blocks = 2", "blocks = 8")


@posix
def test_sigterm_ends_a_sweep_and_its_workers(tmp_path):
    (tmp_path / "slow.toml").write_text(SLOW)
    process = start("-m", "lrfm", "sweep", "slow.toml", "--seeds", "4", "--jobs", "2", cwd=tmp_path)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    if not children.exists():
        process.kill()
        process.communicate()
        pytest.skip("needs /proc")
    wait_for(lambda: len(children.read_text().split()) >= 3)  # two workers and the tracker of resources
    time.sleep(0.5)
    workers = children.read_text().split()
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert "The same command goes on" in " ".join(err.split())
    wait_for(lambda: not any(Path(f"/proc/{pid}").exists() for pid in workers))


@posix
@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["lines", "automatic", "save"])
def test_kills_at_random_moments_change_nothing(kind, tmp_path):
    """One of what `benchmarks/kills.py` does a hundred times, for marches, sweeps and reproductions too."""
    script = Path(__file__).parents[2] / "benchmarks" / "kills.py"
    run = subprocess.run(
        [sys.executable, script, "--only", kind, "--kills", "1", "--out", tmp_path / "kills.jsonl"],
        capture_output=True, text=True, env=environment(), timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout + run.stderr
    found = json.loads(run.stdout)
    assert found["kills"] == 1


def test_a_draft_that_another_process_removes_before_it_is_locked_is_made_again(tmp_path, monkeypatch):
    """Between making and locking a draft the next process may take it for one of the killed."""
    from lrfm.solution.io import whole

    if whole.fcntl is None:
        pytest.skip("needs locks")
    true, removed = whole.fcntl.flock, []

    def late(stream, how):
        if not removed and how == whole.fcntl.LOCK_EX:
            removed.append(drafts(tmp_path))
            whole.clear_drafts(tmp_path)
        true(stream, how)

    monkeypatch.setattr(whole.fcntl, "flock", late)
    with replacing(tmp_path / "target.csv") as draft:
        draft.write_text("whole")
    assert len(removed[0]) == 1
    assert (tmp_path / "target.csv").read_text() == "whole"
    assert drafts(tmp_path) == []
