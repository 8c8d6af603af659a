# SPDX-License-Identifier: MIT
"""Test with the oldest versions that pyproject.toml allows and the newest there are, on every Python from 3.11 on that is installed.

    python tools/versions.py [--pythons 3.11 3.13] [--only oldest] [--folder DIR] [--tests PATH ...] [--out FILE]

Versions that are older than a Python have no wheels for it: that is said, and no failure. An environment is made for each pair; the tests are a fast subset that meets every dependency. The exit code is that of the worst.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RESULT = ROOT / "benchmarks" / "results" / "versions.jsonl"
PYTHONS = ("3.11", "3.12", "3.13")
BESIDE = (
    "pytest>=8,<9.2",
    "pytest-xdist>=3.5",
    "hypothesis>=6.90",
    "mpmath>=1.3",
    "sympy>=1.12",
    "pandas>=2",
    "httpx2>=2",
    "latex2mathml>=3.77",
)  # what tests need, in any version
UNMADE = "no wheels of versions that old for this Python"
CALM = ("-W", "ignore::DeprecationWarning")  # what one dependency says of another is not about this package
EXTRAS = ("plot", "xarray", "dask", "studio", "shapes", "mesh")
# Each dependency is met by the files that call it most; the whole suite with every version takes hours.
TESTS = (
    "tests/problem/test_statement.py", "tests/spaces", "tests/adapt", "tests/integrate/test_radau.py", "tests/solver/test_cells.py",  # NumPy, SciPy
    "tests/linalg/test_banded.py", "tests/linalg/test_phi.py", "tests/linalg/test_threads.py", "tests/linalg/test_cluster.py",  # threadpoolctl, Dask
    "tests/problem/shapes/test_files.py",  # Shapely, trimesh, rtree
    "tests/solution/test_plot.py", "tests/solution/test_files.py", "tests/solution/test_notebook.py",  # matplotlib, Pillow, xarray
    "tests/cli/test_cli.py", "tests/studio/test_server.py", "tests/studio/test_access.py",  # Rich, typer; Starlette, Uvicorn, h11
)  # fmt: skip


def bounds() -> list[str]:
    """``numpy>=1.26`` of every dependency, and of the extras that the tests meet: all but PyTorch, which is large, and what only builds the site."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    met = (r for name in EXTRAS for r in extras[name] if not r.startswith(project["name"]))
    return [*project["dependencies"], *met]


def oldest(requirement: str) -> str:
    """``numpy==1.26.*`` for ``numpy>=1.26``: the newest repair of the oldest version."""
    name, version = re.fullmatch(r"([\w.\-\[\]]+)>=([\d.]+)", requirement).groups()
    return f"{name}=={version}.*"


def interpreter(version: str) -> str | None:
    """The path of a Python that really starts."""
    for name in (f"python{version}", *map(str, Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))):
        found = shutil.which(name)
        if found and not subprocess.run([found, "-c", "pass"], capture_output=True, check=False).returncode:
            return found
    return None


def packages(python: Path) -> dict[str, str]:
    """The versions of the dependencies in an environment."""
    names = [re.match(r"[\w.\-]+", bound)[0] for bound in bounds()]
    code = "import json, sys; from importlib.metadata import version; print(json.dumps({n: version(n) for n in sys.argv[1:]}))"
    done = subprocess.run([str(python), "-c", code, *names], capture_output=True, text=True, check=False)
    return json.loads(done.stdout) if done.returncode == 0 else {}


def commit() -> str:
    words = ["git", "rev-parse", "--short", "HEAD"]
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()


def environment(python: str, own: Path, wanted: list[str], folder: Path) -> str:
    """Make it, unless it is there with the same versions; what failed, in words."""
    stamp, asked = folder / "made", "\n".join([*wanted, *BESIDE])
    pip = [str(own), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    if not stamp.exists() or stamp.read_text() != asked:
        subprocess.run([python, "-m", "venv", "--clear", str(folder)], check=True)
        made = subprocess.run(
            [*pip, "--only-binary=:all:", *wanted, *BESIDE], capture_output=True, text=True, check=False
        )
        if made.returncode and "No matching distribution found" in made.stderr:
            return f"{UNMADE}: {made.stderr.strip().splitlines()[-1].removeprefix('ERROR: ')}"
        if made.returncode:
            return f"cannot be installed: {made.stderr.strip().splitlines()[-1]}"
        stamp.write_text(asked)
    subprocess.run([*pip, "--no-deps", "-e", str(ROOT)], check=True)
    return ""


def tried(python: str, wanted: list[str], folder: Path, tests: list[str]) -> tuple[str, dict]:
    """How it ended, in a word or the last lines that were said; with which versions, how many tests and in how many seconds."""
    own = folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    failed = environment(python, own, wanted, folder)
    if failed:
        return failed, {}
    began = time.perf_counter()
    run = subprocess.run(
        [str(own), "-m", "pytest", "-x", "-m", "not slow", "-p", "no:cacheprovider", *CALM, *tests],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    said = (run.stdout.strip() or run.stderr.strip()).splitlines()
    told = {
        "packages": packages(own),
        "tests": said[-1] if said else "",
        "seconds": round(time.perf_counter() - began),
    }
    return "passed" if run.returncode == 0 else "\n    ".join(["FAILED", *said[-12:]]), told


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pythons", nargs="+", default=PYTHONS)
    parser.add_argument("--only", choices=("oldest", "newest"))
    parser.add_argument(
        "--folder", type=Path, help="where environments are made, and used again; a temporary one by default"
    )
    parser.add_argument("--tests", nargs="+", default=list(TESTS))
    parser.add_argument("--out", type=Path, default=RESULT, help="rows are appended")
    given = parser.parse_args()
    good = True
    with tempfile.TemporaryDirectory() as temporary:
        for version in given.pythons:
            python = interpreter(version)
            for name in [given.only] if given.only else ["oldest", "newest"]:
                if python is None:
                    print(f"Python {version}, {name}: no such Python here", flush=True)
                    continue
                wanted = [oldest(r) for r in bounds()] if name == "oldest" else bounds()
                folder = (given.folder or Path(temporary)) / f"{version}-{name}"
                ended, told = tried(python, wanted, folder, given.tests)
                unmade = ended.startswith(UNMADE) and name == "oldest" and version != PYTHONS[0]
                good &= ended == "passed" or unmade
                row = {
                    "python": version,
                    "versions": name,
                    "ended": ended.splitlines()[0],
                    "commit": commit(),
                    **told,
                    **({} if given.tests == list(TESTS) else {"of": given.tests}),
                }
                with given.out.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(row) + "\n")
                print(f"Python {version}, {name}: {ended}", flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
