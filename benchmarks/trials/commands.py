# SPDX-License-Identifier: MIT
"""Questions asked on the command line, in files, in notebooks: what is typed is in `ask`, what is printed or written is what is checked."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from .case import case, distance

HEAT = """
equation = "u_t = k*u_xx - h*u"
time = [0, 0.5]
initial = "sin(pi*x)"
boundary = "u = 0"

[domain]
x = [0, 1]

[parameters]
k = 0.5
h = 1.0
"""


def told(folder: Path, *words: object) -> str:
    """What `lrfm …` prints in a folder; whatever its exit code but that of wrong input."""
    command = [sys.executable, "-m", "lrfm", *map(str, words)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"exit code {done.returncode}: {done.stderr or done.stdout}")
    return done.stdout


def written(**files: str) -> Path:
    """A new folder with these files; `statement_toml` is `statement.toml`."""
    folder = Path(tempfile.mkdtemp(prefix="lrfm-trial-"))
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text, encoding="utf-8")
    return folder


def answer(status: str, **more: object) -> SimpleNamespace:
    return SimpleNamespace(report=SimpleNamespace(status=status), **more)


@case("teaching", "command line", "solve a file, save, evaluate, export")
def saved():
    """A file is solved and saved; its flux at the end by `lrfm eval --derivative u_x`, a CSV by `lrfm export`: k π e^{−(kπ² + h) t}."""

    def ask():
        folder = written(heat_toml=HEAT)
        said = json.loads(
            told(
                folder,
                "solve",
                "heat.toml",
                "--tol",
                "1e-7",
                "--out",
                "run.lrfm",
                "--plot",
                "field.png",
                "--json",
            )
        )
        at = json.loads(
            told(folder, "eval", "run.lrfm", "--at", "x=0,t=0.2", "--derivative", "u_x", "--json")
        )
        told(folder, "export", "run.lrfm", "field.csv", "--resolution", "x=11,t=6")
        table = np.genfromtxt(folder / "field.csv", delimiter=",", names=True)
        assert (folder / "field.png").stat().st_size > 10_000
        return answer(said["status"], said=said, at=at, table=table)

    def check(found):
        table = found.table
        exact = np.exp(-(0.5 * np.pi**2 + 1) * table["t"]) * np.sin(np.pi * table["x"])
        return distance(table["u"], exact), found.said["error_estimate"]

    return ask, check


@case("teaching", "command line, sweep", "the same for seven diffusivities")
def seven():
    """`lrfm sweep heat.toml --grid parameters.k=0.01:1:7`: each run, evaluated at the end."""

    def ask():
        folder = written(heat_toml=HEAT)
        told(
            folder, "sweep", "heat.toml", "--grid", "parameters.k=0.01:1:7", "--tol", "1e-6", "--out", "runs"
        )
        rows = [json.loads(line) for line in (folder / "runs" / "results.jsonl").read_text().splitlines()]
        status = "met" if all(row["values"]["status"] == "tolerance met" for row in rows) else "not met"
        return answer(status, rows=rows, folder=folder / "runs")

    def check(found):
        import lrfm

        gaps, claims = [], []
        for row in found.rows:
            solution = lrfm.load(found.folder / next(iter(row["files"])))
            x, t = np.linspace(0, 1, 41)[:, None], np.linspace(0, 0.5, 21)
            exact = np.exp(-(row["point"]["parameters.k"] * np.pi**2 + 1) * t) * np.sin(np.pi * x)
            gaps.append(distance(solution(x=x, t=t), exact))
            claims.append(row["values"]["error_estimate"])
        assert len(gaps) == 7
        worst = int(np.argmax(np.array(gaps) / np.array(claims)))
        return gaps[worst], claims[worst]

    return ask, check


@case("chemistry", "command line, fit", "a rate from a table of concentrations")
def rate():
    """A → B → C with k₁ = 0.8 and k₂ = 0.3 from 25 values of B with noise 0.005 in a CSV file: `lrfm fit`."""

    def ask():
        rng = np.random.default_rng(7)
        t = np.linspace(0.2, 8, 25)
        b = 0.8 / (0.3 - 0.8) * (np.exp(-0.8 * t) - np.exp(-0.3 * t)) + 0.005 * rng.normal(size=t.size)
        table = "t,B\n" + "".join(f"{p:.6g},{q:.6g}\n" for p, q in zip(t, b, strict=True))
        statement = """
equation = ["A_t = -k1*A", "B_t = k1*A - k2*B"]
time = [0, 8]
initial = { A = 1, B = 0 }

[unknown]
k1 = { start = 1.0, lower = 0 }
k2 = { start = 0.5, lower = 0 }
"""
        folder = written(reaction_toml=statement, measured_csv=table)
        said = json.loads(
            told(folder, "fit", "reaction.toml", "--data", "measured.csv", "--sigma", "0.005", "--json")
        )
        return answer(said["status"], said=said)

    def check(found):
        rows = found.said["parameters"]
        pairs = [
            (abs(rows[name]["value"] - truth), (rows[name]["lower"], rows[name]["upper"]))
            for name, truth in (("k1", 0.8), ("k2", 0.3))
        ]
        return max(
            ((gap, (high - low) / 2) for gap, (low, high) in pairs), key=lambda pair: pair[0] / pair[1]
        )

    return ask, check


@case("engineering", "command line, steady", "a fin that radiates")
def fin():
    """T'' = m² (T − 1) + s (T⁴ − 1), T = 2 at the root, T' = 0 at the tip: `lrfm steady fin.toml`; reference: SciPy's solve_bvp."""

    def ask():
        statement = """
equation = "T_xx = m**2*(T - 1) + s*(T**4 - 1)"
domain = { x = [0, 1] }
boundary = { "x-" = "T = 2", "x+" = "T_n = 0" }
parameters = { m = 1.5, s = 0.2 }
"""
        folder = written(fin_toml=statement)
        said = json.loads(
            told(
                folder,
                "steady",
                "fin.toml",
                "--tol",
                "1e-7",
                "--out",
                "fin.lrfm",
                "--plot",
                "fin.png",
                "--json",
            )
        )
        at = json.loads(told(folder, "eval", "fin.lrfm", "--at", "x=1", "--json"))
        import lrfm

        return answer(said["status"], said=said, at=at, solution=lrfm.load(folder / "fin.lrfm"))

    def check(found):
        from scipy.integrate import solve_bvp

        x = np.linspace(0, 1, 21)
        done = solve_bvp(
            lambda x, y: np.array([y[1], 2.25 * (y[0] - 1) + 0.2 * (y[0] ** 4 - 1)]),
            lambda a, b: np.array([a[0] - 2, b[1]]),
            x,
            np.array([2 - x, -1 + x]),
            tol=1e-11,
            max_nodes=100_000,
        )
        return distance(found.solution(x=x), done.sol(x)[0]), found.said["error_estimate"]

    return ask, check


@case("teaching", "notebook", "a plucked string in a notebook, with a movie")
def plucked():
    """u_tt = u_xx with a kink at the start, in cells that are executed; values are printed: d'Alembert's formula."""

    def ask():
        import nbformat
        from nbclient import NotebookClient

        cells = [
            "import lrfm\nproblem = lrfm.Problem('u_tt = u_xx', domain=lrfm.Box(x=(0, 1)), time=(0, 1.3), initial={'u': 'min(x/0.3, (1 - x)/0.7)', 'u_t': '0'}, boundary='u = 0')\nproblem",
            "solution = lrfm.solve(problem, tol=1e-3)\nsolution",
            "solution.report",
            "solution.plot()",
            "solution.animate()",
            "import json, numpy as np\nprint(json.dumps([solution(x=np.linspace(0, 1, 201), t=np.linspace(0, 1.3, 66)[:, None]).tolist(), solution.report.error_estimate, solution.report.status]))",
        ]
        book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
        NotebookClient(book, timeout=120, kernel_name="python3").execute()
        shown = [[key for out in cell.outputs for key in out.get("data", {})] for cell in book.cells]
        assert all("text/html" in kinds for kinds in shown[:3]), shown
        assert any(kind in shown[3] for kind in ("image/png", "image/svg+xml", "text/html")), shown
        values, claim, status = json.loads(book.cells[-1].outputs[-1]["text"])
        return answer(status, values=np.array(values), claim=claim)

    def check(found):
        def hat(x):  # odd and of period two
            x = np.mod(x + 1, 2) - 1
            return np.sign(x) * np.minimum(np.abs(x) / 0.3, (1 - np.abs(x)) / 0.7)

        x, t = np.linspace(0, 1, 201), np.linspace(0, 1.3, 66)[:, None]
        return distance(found.values, (hat(x - t) + hat(x + t)) / 2), found.claim

    return ask, check
