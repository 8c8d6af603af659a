# SPDX-License-Identifier: MIT
"""lrfm and BACOLI at equal true error, on statements in one dimension, in one run.

    python benchmarks/bacoli.py            # makes .venv-bacoli (needs gfortran), five minutes; benchmarks/results/bacoli.json
    python benchmarks/bacoli.py catalytic  # this statement alone; the other rows stay, if they are of the same code
    python benchmarks/field/page.py        # its table in docs/field.md and README.md

BACOLI (Wang, Keast, Muir, 2004) is compiled Fortran: B-spline collocation on a mesh that follows the solution, BDF in time; its error control is local. It is run with
tolerances 10^-3 to 10^-10 and several numbers of collocation points; what counts is the least CPU time with which it reaches the true error that lrfm reached. lrfm has
its tolerance alone; its seconds are those of both solves and of the estimate, the least of three, threads as installed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
ENVIRONMENT = ROOT / ".venv-bacoli"
SCRIPT = ROOT / "benchmarks" / "peers" / "with_bacoli.py"
TOLERANCES = [10.0**-k for k in range(3, 11)]
REPEATS = 3
LONG = 5.0  # seconds of a solve by BACOLI; none stricter is tried
FIXED = 0.2  # seconds that Python may take beside the ratio
TITLES = {
    "burgers": "Burgers, ν = 0.01/π",
    "two-layers 1e-3": "two moving layers, ε = 1e-3",
    "two-layers 1e-4": "the same, ε = 1e-4",
    "fitzhugh-nagumo": "FitzHugh-Nagumo, a pulse",
    "catalytic": "a catalytic surface, four unknowns",
}
FLAGS = "-fallow-argument-mismatch -fPIC -O2 -std=legacy"


def nagumo():
    """A pulse of FitzHugh and Nagumo on an interval that it crosses; no formula is known, so the stricter of both is the truth."""
    import lrfm

    return lrfm.Problem(
        ["u_t = 0.01*u_xx + u - u**3/3 - v", "v_t = 0.08*(u + 0.7 - 0.8*v) + 1e-3*v_xx"],
        domain=lrfm.Box(x=(0, 3)),
        time=(0, 40),
        initial={"u": "-1.2 + 3*exp(-(x/0.3)**2)", "v": "-0.625"},
        boundary=["u_n = 0", "v_n = 0"],
    )


def catalytic():
    """Two gases carried over a catalyst, adsorbed by it and reacting there: the surface reaction of BACOLI's authors; no formula is known."""
    import lrfm

    free = "(1 - c - d)"
    return lrfm.Problem(
        [
            f"a_t = -a_x + D1*c - A*a*{free} + a_xx/Pe",
            f"b_t = -b_x + D2*d - A*b*{free} + b_xx/Pe",
            f"c_t = A*a*{free} - D1*c - R*c*d*{free}**2 + c_xx/Pe",
            f"d_t = A*b*{free} - D2*d - R*c*d*{free}**2 + d_xx/Pe",
        ],
        domain=lrfm.Box(x=(0, 1)),
        time=(0, 18),
        initial={"a": "2 - r", "b": "r", "c": "0", "d": "0"},
        boundary={
            "x-": ["a_x = -Pe*(2 - r - a)", "b_x = -Pe*(r - b)", "c_x = 0", "d_x = 0"],
            "x+": ["a_x = 0", "b_x = 0", "c_x = 0", "d_x = 0"],
        },
        parameters={"A": 30, "D1": 1.5, "D2": 1.2, "R": 1000, "r": 0.96, "Pe": 1e4},
    )


def statements():
    """Problem, true values (None: those of BACOLI at its strictest), and the tolerances of lrfm."""
    import cells

    return {
        "burgers": (cells.burgers(), cells.cole_hopf, (1e-3, 1e-6, 1e-9)),
        "two-layers 1e-3": (p := cells.two_layers(1e-3), p.reference, (1e-3, 1e-6)),
        "two-layers 1e-4": (p := cells.two_layers(1e-4), p.reference, (1e-3, 1e-6)),
        "fitzhugh-nagumo": (nagumo(), None, (1e-3, 1e-6)),
        "catalytic": (catalytic(), None, (1e-3, 1e-6)),
    }


def install() -> Path:
    """The environment of BACOLI, made once; the path of its interpreter."""
    python = ENVIRONMENT / "bin" / "python"
    if not (ENVIRONMENT / "done").exists():
        pip = [str(python), "-m", "pip", "install", "--quiet"]
        subprocess.run([sys.executable, "-m", "venv", str(ENVIRONMENT)], check=True)
        subprocess.run([*pip, "numpy<2", "scipy", "setuptools<60", "wheel"], check=True)
        more = ["--use-deprecated=legacy-resolver", "--no-build-isolation", "--no-deps", "bacoli_py"]
        subprocess.run([*pip, *more], check=True, env=os.environ | {"FFLAGS": FLAGS})
        (ENVIRONMENT / "done").touch()
    return python


def by_bacoli(python: Path, name: str, x: np.ndarray, t: np.ndarray) -> list[tuple[float, np.ndarray]]:
    """CPU seconds and values (unknowns, times, places) of all its runs, from the loosest to the strictest."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        points, answer = Path(folder) / "points.npz", Path(folder) / "answer.npz"
        np.savez(points, x=x, t=t)
        for tol in TOLERANCES:
            command = [str(python), str(SCRIPT), name, repr(tol), str(points), str(answer)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                raise RuntimeError(done.stderr[-500:])
            with np.load(answer) as content:
                for key in content.files:
                    if key.startswith("values"):
                        found.append((float(content[f"cpu {key.split()[1]}"]), content[key]))
            if min(cpu for cpu, _ in found[-3:]) > LONG:
                break
    return found


def by_lrfm(problem, tol: float, x: np.ndarray, t: np.ndarray):
    """Least CPU seconds, the report, and values like those of BACOLI."""
    import lrfm

    clocks, solution = [], None
    for _ in range(REPEATS):
        began = time.process_time()
        solution = lrfm.solve(problem, tol=tol, strict=False)
        clocks.append(time.process_time() - began)
        if clocks[-1] > 10:
            break
    assert solution is not None
    places, times = np.meshgrid(x, t)
    values = np.array([solution[name](x=places, t=times) for name in sorted(problem.unknowns)])
    return min(clocks), solution.report, values


def relative(values: np.ndarray, exact: np.ndarray) -> float:
    """The worst unknown's relative L² error."""
    return max(float(np.linalg.norm(a - b) / np.linalg.norm(b)) for a, b in zip(values, exact, strict=True))


def table() -> str:
    """All rows, and where they were measured."""
    found = json.loads((ROOT / "benchmarks" / "results" / "bacoli.json").read_text(encoding="utf-8"))
    lines = [
        "| statement | asked | lrfm: error | what it says | CPU s | BACOLI, same error, CPU s |",
        "|---|---|---|---|---|---|",
    ]
    for row in found["rows"]:
        if "tol" in row:
            beside = "not reached" if row["bacoli_cpu"] is None else f"{row['bacoli_cpu']:.2g}"
            lines.append(
                f"| {TITLES[row['statement']]} | {row['tol']:.0e} | {row['error']:.1e} | {row['estimate']:.1e} | {row['cpu']:.2g} | {beside} |"
            )
    machine = found["machine"].replace("? BLAS thread(s) per run", "threads as installed")
    return "\n".join([*lines, "", f"Commit {found['commit']}; {machine}."])


def main() -> None:
    sys.path.insert(0, str(Path(__file__).parent))
    import harness

    only, where, python, rows = sys.argv[1:], harness.as_installed(), install(), []
    before = json.loads((harness.RESULTS / "bacoli.json").read_text(encoding="utf-8"))
    kept = before["rows"] if before["commit"] == harness.commit() else []
    for name, (problem, exact, tols) in statements().items():
        if only and name not in only:
            rows += [row for row in kept if row["statement"] == name]
            continue
        low, high = float(problem.domain.lower[0]), float(problem.domain.upper[0])
        x, t = np.linspace(low, high, 1003)[1:-1], np.linspace(*problem.time, 41)[1:]
        runs = by_bacoli(python, name, x, t)
        places, times = np.meshgrid(x, t)
        true = runs[-1][1] if exact is None else np.array([np.asarray(exact(places, times))])
        judged = [(cpu, relative(values, true)) for cpu, values in runs]
        for tol in tols:
            cpu, report, values = by_lrfm(problem, tol, x, t)
            error = relative(values, true)
            least = min((c for c, e in judged if e <= error), default=None)
            row = {"statement": name, "tol": tol, "met": not report.failed, "estimate": report.error_estimate}
            row |= {"error": error, "cpu": cpu, "bacoli_cpu": least}
            row["ratio"] = None if least is None else max(0.0, cpu - FIXED) / least
            rows.append(row)
            print(json.dumps(row, default=float), flush=True)
        fastest = [{"cpu": c, "error": e} for c, e in judged]
        rows.append({"statement": name, "bacoli": fastest})
    harness.write_result("bacoli.json", **where, fixed_seconds=FIXED, rows=rows)
    table()


if __name__ == "__main__":
    main()
