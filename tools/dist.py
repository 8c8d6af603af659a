# SPDX-License-Identifier: MIT
"""Build the wheel and the source archive, check them, and use the wheel as a user would: in a clean environment.

    python tools/dist.py [--out dist]

Steps: `python -m build`, `twine check --strict`, `pip install` of the wheel, one solve outside of this folder with a known answer. It prints how long the
installation took and how large it is; then, with the extra `plot`, a picture. The exit code is 0 when all of it went well.
"""

import argparse
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MEGABYTES = 300  # that an installation may take, with the bytecode that pip makes of it: docs/notes/doors.md
SMOKE = """
import math, lrfm
heat = lrfm.Problem("u_t = u_xx", domain=lrfm.Box(x=(0, 1)), time=(0, 0.1), initial="sin(pi*x)", boundary="u = 0")
solution = lrfm.solve(heat, tol=1e-6)
error = abs(float(solution(x=0.5, t=0.1)) - math.exp(-0.1 * math.pi**2))
print(f"lrfm {lrfm.__version__}: {solution.report.status}, true error {error:.0e}")
assert error < 1e-6
"""
PICTURE = """
import lrfm
lrfm.solve(lrfm.catalog.heat_1d(), tol=1e-4).plot("heat.png", resolution=17)
"""


def environment(folder: Path) -> Path:
    """The Python of a new environment."""
    venv.create(folder, with_pip=True, clear=True)
    return folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"


def run(*words: object, cwd: Path = ROOT) -> None:
    done = subprocess.run([str(word) for word in words], cwd=cwd, check=False)
    if done.returncode:
        sys.exit(f"This failed: {' '.join(map(str, words))}")


def install(python: Path, *what: object) -> None:
    run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *what)


def size(folder: Path) -> tuple[float, float]:
    """Megabytes of what lies in a folder: of all files, and of those that are bytecode."""
    files = [(path.suffix == ".pyc", path.stat().st_size) for path in folder.rglob("*") if path.is_file()]
    return sum(b for _, b in files) / 1e6, sum(b for compiled, b in files if compiled) / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, default=ROOT / "dist")
    out = parser.parse_args().out.resolve()
    with tempfile.TemporaryDirectory() as scratch:
        builder = environment(Path(scratch) / "build")
        install(builder, "build", "twine")
        before = set(out.glob("*"))
        run(builder, "-m", "build", "--outdir", out)
        made = sorted(set(out.glob("*")) - before) or sorted(out.glob("lrfm-*"))
        run(builder, "-m", "twine", "check", "--strict", *made)
        user = environment(Path(scratch) / "user")
        empty, bytecode_before = size(Path(scratch) / "user")
        wheel, began = max(out.glob("*.whl"), key=lambda path: path.stat().st_mtime), time.monotonic()
        install(user, wheel)
        took, (whole, bytecode) = time.monotonic() - began, size(Path(scratch) / "user")
        megabytes, bytecode = whole - empty, bytecode - bytecode_before
        run(user, "-c", SMOKE, cwd=Path(scratch))
        install(user, f"{wheel}[plot]")
        pictures = size(Path(scratch) / "user")[0] - empty
        run(user, "-c", PICTURE, cwd=Path(scratch))
    print(
        f"Installed in {took:.0f} s, {megabytes:.0f} MB, of which {bytecode:.0f} MB are bytecode that pip makes (uv, and `pip install --no-compile`, do not); {pictures:.0f} MB with the extra `plot`. "
        f"Built: {', '.join(path.name for path in made)}"
    )
    if megabytes > MEGABYTES:
        sys.exit(f"The installation takes {megabytes:.0f} MB; expected at most {MEGABYTES}.")


if __name__ == "__main__":
    main()
