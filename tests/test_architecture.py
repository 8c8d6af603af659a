# SPDX-License-Identifier: MIT
"""The one direction of imports: a room imports only from rooms before it in `ORDER`.

`linalg` sees A and b only, so it comes first. `catalog` needs only problems; it stands after the solver because
nothing in it may depend on named problems.
"""

import ast
import functools
import re
import subprocess
import sys
from pathlib import Path

import pytest

import lrfm

ORDER = (
    "linalg",
    "problem",
    "spaces",
    "rows",
    "error",
    "solution",
    "discretize",
    "adapt",
    "integrate",
    "solver",
    "spacetime",
    "inverse",
    "parallel",
    "catalog",
    "studio",
    "cli",
)
# Folders inside a room: what stands in one imports only from those before it.
FOLDERS = {
    "discretize": ("line", "laws", "plane", "box"),
    "integrate": ("schemes", "steady", "follow"),
    "error": ("invariants", "bounds"),
    "parallel": ("tasks", "sweeps"),
    "problem": ("shapes",),
    "solution": ("io", "plot"),
    "solver": ("formulations", "steady", "tangent", "operators", "modes"),
    "spaces": ("cells", "series"),
    "spacetime": ("least_squares", "features", "windows", "search", "operators"),
}
ENGINE = "lrfm.spacetime"  # the paper's: met through the method object, and through the names of its classes in files
MEETS_IT = ("solver/methods.py", "solution/piece.py")
DOORS = ("__init__", "__main__")  # the package itself: names only, and `python -m lrfm`
ROOT = Path(lrfm.__file__).parent
FILES = sorted(ROOT.rglob("*.py"))
pytestmark = pytest.mark.xdist_group("architecture")  # files are parsed once


class Trees(dict):
    """Files as they are parsed, when they are asked for: a test that is not run needs none."""

    def __missing__(self, path):
        self[path] = ast.parse(path.read_text(encoding="utf-8"))
        return self[path]


TREES = Trees()


@functools.cache
def nodes(path):
    """Everything in a file, by its kind."""
    found = {}
    for node in ast.walk(TREES[path]):
        found.setdefault(type(node), []).append(node)
    return found


def room(path):
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def name(path):
    return path.relative_to(ROOT).as_posix()


@functools.cache
def imports(path):
    """(module, line, whether inside a function, whether for type checking only) of every import in a file."""

    def walk(node, inside, typing):
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):
                continue  # no expression has an import in it
            function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
            checking = isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test)
            for module in modules(child, path):
                yield module, child.lineno, inside, typing
            yield from walk(child, inside or function, typing or checking)

    return list(walk(TREES[path], False, False))


def modules(node, path):
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if not isinstance(node, ast.ImportFrom):
        return []
    base = node.module or ""
    if node.level:  # relative: from the package `level` steps up
        package = ("lrfm", *path.relative_to(ROOT).parts[:-1])
        base = ".".join([*package[: len(package) - node.level + 1], *([base] if base else [])])
    return [f"{base}.{alias.name}" for alias in node.names]


def outside(top):
    """(room, place, inside a function, typing only) of every import of a package or of what lies in it."""
    for path in FILES:
        for module, line, inside, typing in imports(path):
            if module == top or module.startswith(f"{top}."):
                yield room(path), f"{name(path)}:{line}", inside, typing


# Rooms ------------------------------------------------------------------------------------------------------


def test_every_file_belongs_to_a_room():
    assert {room(path) for path in FILES} - set(DOORS) == set(ORDER)


def test_the_design_names_the_rooms_in_their_order():
    design = Path(__file__).parents[1] / "docs" / "design.md"
    table = design.read_text(encoding="utf-8").partition("\n## The rooms\n")[2].partition("\n\nSome cuts")[0]
    assert tuple(re.findall(r"^\| `(\w+)` \|", table, flags=re.MULTILINE)) == ORDER


def wrong_rooms(path):
    """Imports of what stands after the file's own room."""
    here = room(path)
    for module, line, inside, typing in imports(path):
        parts = module.split(".")
        if parts[0] != "lrfm" or parts[1] in (here, "__version__"):
            continue
        if module.startswith(ENGINE) and (typing or (inside and name(path) in MEETS_IT)):
            continue
        assert parts[1] in ORDER, f"{name(path)}:{line} imports {module}, which is no room"
        allowed = ORDER if here in DOORS else ORDER[: ORDER.index(here)]
        if parts[1] not in allowed:
            yield f"{name(path)}:{line} imports {module}: {here} may import only from {allowed}"


def test_imports_go_one_way():
    assert [wrong for path in FILES for wrong in wrong_rooms(path)] == []


def wrong_folders(path):
    """Imports of a folder that stands after the file's own in their room."""
    here, *rest = path.relative_to(ROOT).parts
    if len(rest) < 2:
        return  # what stands in the room itself joins its folders
    order = FOLDERS[here]
    later = {f"lrfm.{here}.{folder}" for folder in order[order.index(rest[0]) + 1 :]}
    for module, line, *_ in imports(path):
        if ".".join(module.split(".")[:3]) in later:
            yield f"{name(path)}:{line} imports {module}: {rest[0]} may import only from {order[: order.index(rest[0])]}"


def test_folders_inside_a_room_import_one_way():
    assert [wrong for path in FILES for wrong in wrong_folders(path)] == []


def test_the_paper_s_engine_is_met_through_its_method_object():
    """No room before it names it, in an import or in a text to import by, but for the two files that hand over to it."""
    core = [path for path in FILES if room(path) in ORDER[: ORDER.index("spacetime")]]
    named = set()
    for path in core:
        texts = [n.value for n in nodes(path).get(ast.Constant, ()) if isinstance(n.value, str)]
        loaded = [module for module, _, _, typing in imports(path) if not typing]
        if any(found.startswith(ENGINE) for found in (*texts, *loaded)):
            named.add(name(path))
    assert named == set(MEETS_IT)


def test_a_solve_by_lines_does_not_load_the_paper_s_engine_nor_all_of_scipy():
    script = "import sys, lrfm\nlrfm.solve(lrfm.catalog.heat_1d(), tol=1e-3)\n"
    script += "sys.stdout.write(str(sorted(m for m in sys.modules if m.startswith(('lrfm.spacetime', 'scipy.linalg._decomp')))))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.stdout == "[]", done.stdout + done.stderr


def test_the_check_would_see_a_wrong_import(tmp_path, monkeypatch):
    """Plain, relative, inside a function and inside a class: all forms are found."""
    text = "import lrfm.cli\nfrom lrfm import solver\ndef f():\n    from lrfm.studio import x\n"
    text += "class A:\n    from ..solver import y\n"
    path = ROOT / "problem" / "made_up.py"
    monkeypatch.setitem(TREES, path, ast.parse(text))
    assert [(m.split(".")[1], inside) for m, _, inside, _ in imports(path)] == [
        ("cli", False), ("solver", False), ("studio", True), ("solver", False),
    ]  # fmt: skip
    assert [wrong.split()[2].removesuffix(":") for wrong in wrong_rooms(path)] == [
        "lrfm.cli", "lrfm.solver", "lrfm.studio.x", "lrfm.solver.y",
    ]  # fmt: skip
    path = ROOT / "discretize" / "line" / "made_up.py"
    monkeypatch.setitem(TREES, path, ast.parse("from ..plane import x\nfrom . import y"))
    (wrong,) = wrong_folders(path)
    assert wrong.startswith("discretize/line/made_up.py:1 imports lrfm.discretize.plane.x")


def test_a_name_of_a_module_is_bound_once():
    """Of two modules that became one, a constant of one took the place of one of the other, and powers were not seen to be thin."""
    twice = []
    for path in FILES:
        bound = [
            target.id
            for node in ast.parse(path.read_text(encoding="utf-8")).body
            if isinstance(node, ast.Assign | ast.AnnAssign)
            for outer in (node.targets if isinstance(node, ast.Assign) else [node.target])
            for target in ast.walk(outer)
            if isinstance(target, ast.Name) and isinstance(target.ctx, ast.Store)
        ]
        twice += [f"{path.name}: {name}" for name in sorted(set(bound)) if bound.count(name) > 1]
    assert twice == []


def test_no_drawer_for_odds_and_ends():
    for path in FILES:
        assert path.stem not in ("utils", "util", "helpers", "misc", "common", "tools"), name(path)


# Guests -----------------------------------------------------------------------------------------------------


def test_no_computer_algebra_is_loaded():
    """It takes longer to load than a small problem takes to solve; `problem.algebra` does what is needed."""
    assert list(outside("sympy")) == []


def test_linear_algebra_of_scipy_is_met_where_systems_are_solved():
    for library in ("scipy.linalg", "scipy.sparse.linalg"):
        assert {here for here, *_ in outside(library)} <= {
            "linalg",
            "adapt",
            "integrate",
            "solver",
            "spacetime",
        }
    # `import scipy` alone would open a way around.
    assert not [name(p) for p in FILES for module, *_ in imports(p) if module == "scipy"]


@pytest.mark.parametrize("library", ["matplotlib", "PIL"])
def test_pictures_are_made_where_they_belong_inside_functions(library):
    for here, place, inside, typing in outside(library):
        assert typing or (here in ("solution", "inverse") and inside), place


@pytest.mark.parametrize("library", ["rich", "typer"])
def test_the_terminal_is_met_in_cli_only(library):
    for here, place, inside, _ in outside(library):
        # A bar of progress is drawn wherever a solve is waited for; it is loaded when it is shown.
        assert here == "cli" or (library, place.partition(":")[0]) == ("rich", "solver/progress.py"), place
        assert here == "cli" or inside


def test_torch_is_loaded_when_asked_for():
    for here, place, inside, typing in outside("torch"):
        assert here == "spacetime", place
        assert inside or typing, place


def test_petsc_is_loaded_when_asked_for():
    for _, place, inside, _ in outside("petsc4py"):
        assert place.startswith("linalg/petsc.py"), place
        assert inside, place


@pytest.mark.parametrize("library", ["dask", "distributed"])
def test_dask_is_met_through_cluster_only(library):
    """Types apart, it is imported by name where it is used first, with a sentence where it is missing."""
    assert not [place for _, place, _, typing in outside(library) if not typing]


def dotted(node):
    """`a.b.c` as it is written; nothing of what is itself the result of a call or an item."""
    if isinstance(node, ast.Attribute):
        before = dotted(node.value)
        return before and f"{before}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


@functools.cache
def calls(path):
    """(call, name) of everything that is called by a name in a file."""
    return [(node, dotted(node.func)) for node in nodes(path).get(ast.Call, ())]


def test_only_the_command_line_prints():
    printing = ("print", "sys.stdout.write", "sys.stderr.write")
    elsewhere = [path for path in FILES if room(path) != "cli"]
    assert not [
        f"{name(path)}:{node.lineno}"
        for path in elsewhere
        for node, called in calls(path)
        if called in printing
    ]


def test_nothing_is_ever_executed():
    """No eval, exec, compile of text or pickle; no lambdify, sympify or shell."""
    forbidden = {
        "eval", "exec", "compile", "__import__", "builtins.eval", "builtins.exec", "sympy.sympify", "sympify",
        "sympy.lambdify", "lambdify", "parse_expr", "sympy.parse_expr", "os.system", "os.popen",
    }  # fmt: skip
    packages = {"pickle", "cPickle", "dill", "cloudpickle", "joblib", "marshal", "shelve", "ctypes"}
    for path in FILES:
        assert not [(name(path), node.lineno, called) for node, called in calls(path) if called in forbidden]
        assert not packages & {module.split(".")[0] for module, *_ in imports(path)}, name(path)
        for keyword in nodes(path).get(ast.keyword, ()):
            if keyword.arg in ("allow_pickle", "shell"):
                assert ast.unparse(keyword.value) == "False", f"{name(path)}:{keyword.value.lineno}"


def test_random_numbers_are_seeded():
    """Generators are made from a seed and passed down; the global state of NumPy is never used."""
    for path in FILES:
        for node, called in calls(path):
            place = f"{name(path)}:{node.lineno}"
            if called.startswith(("np.random.", "numpy.random.", "random.")):
                assert called in ("np.random.default_rng", "np.random.SeedSequence"), f"{place} {called}"
                assert node.args, f"{place} {called} without a seed"


# Form -------------------------------------------------------------------------------------------------------


def test_every_file_begins_with_its_license_and_says_what_it_is():
    for path in FILES:
        assert path.read_text(encoding="utf-8").startswith("# SPDX-License-Identifier: MIT\n"), name(path)
        assert ast.get_docstring(TREES[path]), name(path)


def test_errors_have_names():
    """No bare `except`, no bare `raise Exception`."""
    for path in FILES:
        for node in nodes(path).get(ast.Raise, ()):
            raised = dotted(node.exc.func if isinstance(node.exc, ast.Call) else node.exc)
            assert raised not in ("Exception", "BaseException"), f"{name(path)}:{node.lineno}"
        for node in nodes(path).get(ast.ExceptHandler, ()):
            assert node.type is not None, f"{name(path)}:{node.lineno}"


# The package ------------------------------------------------------------------------------------------------


def test_every_public_name_is_there():
    for public in lrfm.__all__:
        assert getattr(lrfm, public) is not None
    assert set(dir(lrfm)) >= set(lrfm.__all__)
    with pytest.raises(AttributeError, match="no attribute 'solv'"):
        lrfm.solv  # noqa: B018


SCRIPT = """
import sys
import lrfm
light = sorted({"numpy", "scipy", "sympy", "matplotlib"} & set(sys.modules))
lrfm.solve, lrfm.load, lrfm.plan, lrfm.catalog.get("heat-1d")
heavy = {"matplotlib", "xarray", "pandas", "rich", "typer", "PIL", "torch", "dask", "distributed",
         "scipy.linalg", "scipy.special", "scipy.sparse", "lrfm.solution.plot.figure", "lrfm.solution.exports"}
heavy = sorted(heavy & set(sys.modules))
sys.stdout.write(f"{light} {heavy}")
"""


def test_importing_takes_only_what_is_used():
    """`import lrfm` loads nothing; solving loads no picture, table or terminal."""
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False)
    assert done.stdout == "[] []", done.stderr
