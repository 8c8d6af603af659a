# SPDX-License-Identifier: MIT
"""What the documentation says is true: code runs, files are read; constants, rooms and the walk are those of the code.

A block marked ```python is run, after those before it on the same page; ```python no-run is not.
A block marked ```toml is read.
"""

import ast
import functools
import inspect
import re
import sys
from importlib import import_module
from pathlib import Path

import pytest

import lrfm
from lrfm.problem.file import parse
from lrfm.solver.options import solve_options

ROOT = Path(__file__).parents[1]
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])
BLOCK = re.compile(r"^```(?P<mark>[^\n]*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)

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
def test_code_runs(page, tmp_path, run_script):
    parts = blocks(page, "python")
    if not parts:
        pytest.skip("no code on this page")
    # Every block stands in the line it has on the page, so that a traceback points to it.
    lines = FRAME.format(seconds=20).strip().replace("\n", "; ") + "\n"
    for line, body in parts:
        lines += "\n" * (line - lines.count("\n")) + body
    script = tmp_path / "page.py"
    script.write_text(lines, encoding="utf-8")
    code, said = run_script(script, tmp_path)
    assert code == 0, f"{name(page)}:\n{said}"


def test_the_report_on_the_first_page_is_what_is_printed():
    """Line for line; numbers are those of one machine."""
    page = ROOT / "README.md"
    (_, code), *_ = blocks(page, "python")
    (_, printed), *_ = blocks(page, "text")
    known = {}
    exec(code, known)
    plain = [
        re.sub(r"\d[\d.e+-]*", "0", text).splitlines() for text in (printed, str(known["solution"].report))
    ]
    assert plain[0] == plain[1]


def test_the_table_of_statuses_is_that_of_the_code():
    text = (ROOT / "docs" / "solutions.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `([A-Z_]+)` \| ([^|]+) \| ([^|]+) \|$", text, re.MULTILINE) == [
        (member.name, str(member), member.meaning) for member in lrfm.Status
    ]


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


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_files_named_on_a_page_exist(page):
    text = page.read_text(encoding="utf-8")
    named = set(re.findall(r"`(\w+(?:/\w+)+\.(?:py|toml|md))`", text))
    links = re.findall(r"\]\(([\w/.-]+\.(?:md|py|png|toml))[)#]", text)
    named |= {(page.parent / link).resolve().relative_to(ROOT).as_posix() for link in links}
    homes = (ROOT, ROOT / "src", ROOT / "src" / "lrfm")
    assert [path for path in sorted(named) if not any((home / path).exists() for home in homes)] == []


def looked_up(path):
    """The object of a dotted name: a module, then attributes."""
    names = path.split(".")
    for count in range(len(names), 0, -1):
        try:
            found = import_module(".".join(names[:count]))
        except ModuleNotFoundError:
            continue
        return functools.reduce(getattr, names[count:], found)
    raise AssertionError(f"{path} is not there")


def test_constants_are_those_of_the_code():
    page = (ROOT / "docs" / "method.md").read_text(encoding="utf-8")
    table = re.findall(r"^\| `(lrfm[\w.]+)` \| (\S+) \|", page, re.MULTILINE)
    assert len(table) >= 10
    assert {path: float(value) for path, value in table} == {path: looked_up(path) for path, _ in table}


def walks():
    """The tables of the newcomer's walk: for each of them the stations, (file, functions)."""
    page = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
    text = re.search(r"^## A newcomer's walk\n(.*?)^## ", page, re.MULTILINE | re.DOTALL)[1]
    tables = re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE)
    row = re.compile(r"^\| \d+ \|.*\| `([\w/]+)\.py` \| (.*) \|$", re.MULTILINE)
    return [[(path, re.findall(r"`([\w.]+)`", names)) for path, names in row.findall(t)] for t in tables]


def code_of(path, name_):
    """What runs when a function or a class of the walk is called; it is defined in the file that the walk names."""
    found = looked_up(f"lrfm.{path.replace('/', '.')}.{name_}")
    code = inspect.unwrap(found.__init__ if isinstance(found, type) else found).__code__
    assert isinstance(found, type) or code.co_filename.endswith(f"lrfm/{path}.py")
    assert found.__module__ == f"lrfm.{path.replace('/', '.')}"
    return code


def a_walk(**options):
    """State, solve and draw one problem; the code that was run, in the order of first calls."""
    seen = {}
    sys.setprofile(lambda frame, event, _: seen.setdefault(frame.f_code, len(seen)))
    try:
        problem = lrfm.Problem(
            "u_t + u*u_x = nu*u_xx",
            domain=lrfm.Box(x=(-1, 1)),
            time=(0, 0.1),
            initial="-sin(pi*x)",
            boundary="u = 0",
            parameters={"nu": 0.1},
        )
        lrfm.solve(problem, strict=False, **options).plot(resolution={"x": 11, "t": 5})
    finally:
        sys.setprofile(None)
    return seen


def test_the_walk_is_walked():
    """Every function named in the walk exists where it says, and is called; station after station."""
    lines, space_time = walks()
    assert len(lines) >= 12
    instead = {6 + i: station for i, station in enumerate(space_time)}
    other = [instead.get(i, station) for i, station in enumerate(lines, 1) if i != 13]
    for stations, options in (
        (lines, {"tol": 1e-3}),
        (other, {"method": lrfm.SpaceTime(features=30, blocks=1)}),
    ):
        seen = a_walk(**options)
        calls = [[seen[code_of(path, n)] for n in names] for path, names in stations]
        assert all(one == sorted(one) for one in calls)
        firsts = [one[0] for one in calls]
        assert firsts == sorted(firsts), list(zip(firsts, stations, strict=True))


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


def test_the_interface_lists_what_is_public_and_nothing_else():
    text = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    listed = re.findall(r"^::: (\S+)$", text, re.MULTILINE)
    assert len(set(listed)) == len(listed)
    public = {f"lrfm.{name}" for name in lrfm.__all__}
    assert "`lrfm.__version__`" in text
    assert set(listed) == public - {"lrfm.__version__"}


def test_the_interface_shows_what_users_call_and_nothing_internal():
    text = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    shown = {
        name: given.split(", ")
        for name, given in re.findall(
            r"^::: lrfm\.(\w+)\n +options:\n +members: \[(.*)\]$", text, re.MULTILINE
        )
    }
    assert len(shown) > 8
    for name, members in shown.items():
        assert all(hasattr(getattr(lrfm, name), member) for member in members), name
    pages = " ".join(
        (ROOT / "docs" / page).read_text(encoding="utf-8") for page in ("solutions.md", "tutorial.md")
    )
    called = set(re.findall(r"\bsolution\.(\w+)\(", pages))
    assert called <= set(shown["Solution"])


def test_a_version_is_the_same_everywhere_and_has_its_changes():
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest, date = re.search(r"^## \[(\d+\.\d+\.\d+)\] - (\d{4}-\d\d-\d\d)$", changes, re.MULTILINE).groups()
    assert newest == lrfm.__version__ == project["version"]
    assert f"version: {newest}\ndate-released: {date}\n" in citation
