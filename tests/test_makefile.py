# SPDX-License-Identifier: MIT
"""What the commands of the Makefile install: the demonstration needs the package and its pictures."""

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def commands(target, folder):
    """What `make` would run for a target in a fresh folder."""
    if shutil.which("make") is None:
        pytest.skip("there is no make here")
    words = ["make", "--no-print-directory", "-n", target, f"VENV={folder}"]
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()


@pytest.mark.parametrize(
    ("target", "installed"),
    [
        ("demo", ["'.[plot]'"]),
        ("test", ["'.[plot]'", "'.[test]'"]),
        ("lint", ["'.[plot]'", "'.[lint]'"]),
        ("studio", ["'.[plot]'", "'.[studio]'"]),
    ],
)
def test_a_command_installs_what_it_needs_and_no_more(target, installed, tmp_path):
    made = commands(target, tmp_path / "venv")
    assert [line.rpartition(" -e ")[2] for line in made if "pip install" in line] == installed


def test_tests_are_run_once_and_all_but_those_that_repeat_a_check(tmp_path):
    (run,) = [line for line in commands("test", tmp_path / "venv") if "-m pytest" in line]
    (every,) = [line for line in commands("test-all", tmp_path / "venv") if "-m pytest" in line]
    assert run == f"{every} -m 'not thorough'"


def test_sparse_systems_are_shared_by_one_process_and_by_two(tmp_path):
    runs = [line for line in commands("petsc-test", tmp_path / "venv") if "mpiexec" in line]
    assert [line.partition(" -n ")[2].split()[0] for line in runs] == ["1", "2"]
    for line in runs:
        files = line.partition("-m pytest -x ")[2].split()
        assert files
        assert all((ROOT / file).exists() for file in files)


def test_a_release_is_built_and_used(tmp_path):
    """`make dist` is one script, which the network keeps out of the tests; it compiles, and names what it does."""
    (line,) = commands("dist", tmp_path / "venv")
    script = ROOT / line.split()[-1]
    compile(script.read_text(encoding="utf-8"), str(script), "exec")
