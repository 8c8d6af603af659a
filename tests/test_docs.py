# SPDX-License-Identifier: MIT
"""What the documentation says is true: code runs, files are read, constants and rooms are those of the code.

A block marked ```python is run, after those before it on the same page; ```python no-run is not.
A block marked ```toml is read.
"""

import ast
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from helpers import environment

from lrfm.problem.file import parse
from lrfm.solver.options import solve_options

ROOT = Path(__file__).parents[1]
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")])
BLOCK = re.compile(r"^```(?P<mark>[^\n]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
SECONDS = 180  # for one page on a busy machine; all pages together take about 15 s of work

# A page is one program. Searches get a budget; an answer that misses its tolerance is no error of the page.
FRAME = """
import functools, lrfm
lrfm.solve = functools.partial(lrfm.solve, max_seconds={seconds}, strict=False)
"""


def blocks(page, mark):
    """(line, text) of the blocks of one kind."""
    text = page.read_text(encoding="utf-8")
    return [
        (text.count("\n", 0, found.start()) + 1, found["body"])
        for found in BLOCK.finditer(text)
        if found["mark"].strip() == mark
    ]


def name(page):
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_code_runs(page, tmp_path):
    parts = blocks(page, "python")
    if not parts:
        pytest.skip("no code on this page")
    # Every block stands in the line it has on the page, so that a traceback points to it.
    lines = FRAME.format(seconds=5).strip().replace("\n", "; ") + "\n"
    for line, body in parts:
        lines += "\n" * (line - lines.count("\n")) + body
    script = tmp_path / "page.py"
    script.write_text(lines, encoding="utf-8")
    run = subprocess.run(
        [sys.executable, str(script)],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        env=environment(),
        cwd=tmp_path,
        check=False,
    )
    assert run.returncode == 0, f"{name(page)}:\n{run.stderr}"


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_problem_files_are_read(page):
    for line, body in blocks(page, "toml"):
        found = parse(body, f"{name(page)}, line {line}")
        assert not found.problem.warnings
        solve_options(found)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_marks_are_known(page):
    """A misspelled mark would be a block that is never run."""
    text = page.read_text(encoding="utf-8")
    known = ("", "python", "python no-run", "toml", "sh", "text")
    assert [m["mark"] for m in BLOCK.finditer(text) if m["mark"].strip() not in known] == []


def test_constants_are_those_of_the_code():
    page = (ROOT / "docs" / "method.md").read_text(encoding="utf-8")
    table = re.findall(r"^\| `(lrfm[\w.]+)\.([A-Z_]+)` \| (\S+) \|", page, re.MULTILINE)
    assert len(table) >= 8
    assert {f"{room}.{constant}": float(value) for room, constant, value in table} == {
        f"{room}.{constant}": getattr(import_module(room), constant) for room, constant, _ in table
    }


def test_rooms_are_those_of_the_code():
    """The table in docs/design.md lists the rooms in the order that test_architecture.py checks."""
    page = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)
    tree = ast.parse((ROOT / "tests" / "test_architecture.py").read_text(encoding="utf-8"))
    order = next(
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and node.targets[0].id == "ORDER"
    )
    assert tuple(listed) == order


def test_functions_are_those_of_the_language():
    from lrfm.problem.functions import TABLE

    page = (ROOT / "docs" / "language.md").read_text(encoding="utf-8")
    row = re.search(r"^\| `sin`.*$", page, re.MULTILINE)[0]
    assert set(re.findall(r"`(\w+)`", row)) == set(TABLE)
