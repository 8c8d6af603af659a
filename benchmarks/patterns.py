# SPDX-License-Identifier: MIT
"""Patterns, flows and chaos with many modes and many steps: `lrfm.solve` with `tol` alone, each beside the seconds that it may take.

    python benchmarks/patterns.py              # all, each in a process of its own, into benchmarks/results/transforms.jsonl
    python benchmarks/patterns.py spin2 gs2    # those whose name contains a word

Data are fixed and smooth: sums of a few waves. Errors are relative L² errors over space and time against a solve at a tenth of the tolerance, whose own estimate is `reference`, the worst unknown, at random places and
times; with `--fast` they are left out. Seconds are CPU seconds of both solves and the estimate, memory is the largest of the process in MB. `spin2` and `spin3` are the demos of Chebfun with its parameters.
"""

from __future__ import annotations

import json
import math
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import lrfm
from lrfm import catalog

RESULT = Path(__file__).resolve().parent / "results" / "transforms.jsonl"
STATEMENTS: dict[str, tuple[Callable[[], lrfm.Problem], float, float]] = {}
PLACES = 2000


def statement(seconds: float, tol: float = 1e-3):
    def kept(make):
        STATEMENTS[make.__name__.replace("_", " ")] = make, tol, seconds
        return make

    return kept


def waves(seed: int, lengths, most: int, size: float, count: int = 12) -> str:
    """A sum of waves with whole wave numbers up to `most` along each axis."""
    rng, names = np.random.default_rng(seed), "xyz"
    terms = []
    for _ in range(count):
        numbers = rng.integers(-most, most + 1, len(lengths))
        inner = " + ".join(
            f"({2 * math.pi * k / L})*{n}" for k, L, n in zip(numbers, lengths, names, strict=False)
        )
        terms.append(f"({size * rng.normal():.5f})*cos({inner} + {rng.uniform(0, 6.28):.4f})")
    return " + ".join(terms)


def cosines(seed: int, lengths, most: int, size: float, count: int = 12) -> str:
    """The same with u_n = 0 at the walls."""
    rng = np.random.default_rng(seed)
    terms = []
    for _ in range(count):
        numbers = rng.integers(0, 2 * most + 1, len(lengths))
        inner = "*".join(
            f"cos({math.pi * k / L}*{n})" for k, L, n in zip(numbers, lengths, "xyz", strict=False)
        )
        terms.append(f"({size * rng.normal():.5f})*{inner}")
    return " + ".join(terms)


def box(equations, lengths, end, initial, boundary="periodic", **more) -> lrfm.Problem:
    domain = lrfm.Box(**dict(zip("xyz", [(0, length) for length in lengths], strict=False)))
    return lrfm.Problem(equations, domain=domain, time=(0, end), initial=initial, boundary=boundary, **more)


# Chebfun's demos in the plane and in space -------------------------------------------------------------------

LANDAU = "A_t = lap(A) + A - (1 + 1.3*1j)*A*abs(A)**2"
SCOTT = ["u_t = 2e-5*lap(u) + 0.035*(1 - u) - u*v**2", "v_t = 1e-5*lap(v) - 0.095*v + u*v**2"]
SCHNAK = ["u_t = lap(u) + 0.1 - u + u**2*v", "v_t = 10*lap(v) + 0.9 - u**2*v"]
SWIFT = "u_t = -2*lap(u) - lap(lap(u)) - 0.9*u + u**2 - u**3"


def bump(lengths, center: float, width: float, *stretched: float) -> str:
    """A periodic function like exp(−r²/w²) around the middle."""
    terms = [
        f"{s * (L / (2 * math.pi * width)) ** 2 * 2}*(cos({2 * math.pi / L}*({n} - {L * center})) - 1)"
        for L, n, s in zip(lengths, "xyz", stretched or (1.0,) * 3, strict=False)
    ]
    return f"exp({' + '.join(terms)})"


@statement(120)
def spin2_gl2():
    lengths = (200.0, 200.0)
    return box(LANDAU, lengths, 100, {"A": waves(1, lengths, 10, 0.1)}, unknowns={"A": complex})


@statement(120)
def spin2_gs2():
    """Gray-Scott in patterns to T = 3500."""
    lengths = (1.25, 1.25)
    first = {
        "u": "1 - " + bump(lengths, 1 / 2.05, 150**-0.5),
        "v": bump(lengths, 0.5, 150**-0.5, 1.0, 2.0),
    }
    return box(SCOTT, lengths, 3500, first)


@statement(120)
def spin2_schnak2():
    lengths = (50.0, 50.0)
    first = {"u": "1 - " + bump(lengths, 0.5, 10**-0.5), "v": bump(lengths, 0.5, 10**-0.5, 1.0, 2.0)}
    return box(SCHNAK, lengths, 200, first)


@statement(120)
def spin2_sh2():
    lengths = (50.0, 50.0)
    return box(SWIFT, lengths, 200, waves(2, lengths, 8, 0.1))


@statement(120)
def spin3_sh3():
    lengths = (50.0, 50.0, 50.0)
    a, b = math.pi / 10, math.pi / 2
    first = " + ".join([f"0.25*sin({a}*{n})" for n in "xyz"])
    first += "".join(f" + 0.25*sin({b}*{m})*sin({b}*{n})" for m, n in ("xy", "xz", "yz"))
    return box(SWIFT, lengths, 200, first)


@statement(120)
def spin3_schnak3():
    lengths = (20.0, 20.0, 20.0)
    first = {"u": "1 - " + bump(lengths, 0.5, 10**-0.5), "v": bump(lengths, 0.5, 10**-0.5, 1.0, 2.0, 1.0)}
    return box(SCHNAK, lengths, 200, first)


@statement(120)
def spin3_gl3():
    lengths = (100.0, 100.0, 100.0)
    return box(LANDAU, lengths, 50, {"A": waves(3, lengths, 4, 0.1)}, unknowns={"A": complex})


@statement(120)
def spin3_gs3():
    lengths = (0.75, 0.75, 0.75)
    first = {"u": "1 - " + bump(lengths, 0.5, 150**-0.5), "v": bump(lengths, 0.5, 150**-0.5, 1.0, 2.0, 1.0)}
    return box(SCOTT, lengths, 1600, first)


# Patterns in the plane, on twenty wavelengths and more -------------------------------------------------------

BRUSSELATOR = ["u_t = lap(u) + 1 - 4*u + u**2*v", "v_t = 0.1*lap(v) + 3*u - u**2*v"]
NAGUMO = ["u_t = lap(u) + u - u**3/3 - v", "v_t = 0.08*(u + 0.7 - 0.8*v)"]
EPIDEMIC = ["s_t = lap(s) - 2*s*r", "r_t = lap(r) + 2*s*r - 0.5*r"]
HILLIARD = "c_t = lap(c**3 - c - lap(c))"


@statement(60)
def brusselator():
    lengths = (64.0, 64.0)
    first = {"u": "1 + " + waves(4, lengths, 6, 0.05), "v": "3 + " + waves(5, lengths, 6, 0.05)}
    return box(BRUSSELATOR, lengths, 20, first)


@statement(60)
def brusselator_between_walls():
    lengths = (64.0, 64.0)
    first = {"u": "1 + " + cosines(4, lengths, 6, 0.05), "v": "3 + " + cosines(5, lengths, 6, 0.05)}
    return box(BRUSSELATOR, lengths, 20, first, ["u_n = 0", "v_n = 0"])


@statement(60)
def fitzhugh_nagumo_spirals():
    lengths, q = (300.0, 300.0), 2 * math.pi / 300
    first = {"u": f"1.5*sin({q}*x)", "v": f"0.6*sin({q}*y)"}
    return box(NAGUMO, lengths, 200, first)


@statement(60)
def fitzhugh_nagumo_between_walls():
    lengths, q = (150.0, 150.0), math.pi / 150
    first = {"u": f"-1.5*cos({q}*x)", "v": f"-0.6*cos({q}*y)"}
    return box(NAGUMO, lengths, 200, first, ["u_n = 0", "v_n = 0"])


@statement(60)
def swift_hohenberg_20_waves():
    lengths = (40 * math.pi, 40 * math.pi)
    return box(SWIFT, lengths, 50, waves(6, lengths, 20, 0.1))


@statement(60)
def cahn_hilliard_20_waves():
    lengths = (180.0, 180.0)
    return box(HILLIARD, lengths, 30, waves(7, lengths, 20, 0.05))


@statement(60)
def cahn_hilliard_in_two_fields():
    lengths = (180.0, 180.0)
    return box(["c_t = lap(m)", "m = c**3 - c - lap(c)"], lengths, 30, {"c": waves(7, lengths, 20, 0.05)})


@statement(60)
def cahn_hilliard_between_walls():
    lengths = (180.0, 180.0)
    return box(
        ["c_t = lap(m)", "m = c**3 - c - lap(c)"],
        lengths,
        30,
        {"c": cosines(7, lengths, 20, 0.05)},
        ["c_n = 0", "m_n = 0"],
    )


@statement(60)
def sir():
    lengths = (100.0, 100.0)
    return box(EPIDEMIC, lengths, 15, {"s": "1", "r": "0.1*" + bump(lengths, 0.5, 5.0)})


@statement(60)
def sir_between_walls():
    lengths = (50.0, 50.0)
    q = math.pi / 50
    first = {"s": "1", "r": f"0.1*exp(10*(cos({q}*x) + cos({q}*y) - 2))"}
    return box(EPIDEMIC, lengths, 15, first, ["s_n = 0", "r_n = 0"])


@statement(60)
def ginzburg_landau_spirals():
    lengths = (100.0, 100.0)
    return box(LANDAU, lengths, 60, {"A": waves(8, lengths, 5, 0.2)}, unknowns={"A": complex})


# Flows -------------------------------------------------------------------------------------------------------

FLOW = ["w_t + psi_y*w_x - psi_x*w_y = 0.001*lap(w)", "lap(psi) = -w"]


@statement(60)
def shear_layers_at_1000():
    lengths = (2 * math.pi, 2 * math.pi)
    return box(FLOW, lengths, 5, {"w": "4*cos(y)*exp(-8*sin(y)**2) + 0.1*cos(x)"})


@statement(60)
def random_vorticity_to_5():
    lengths, rng = (2 * math.pi, 2 * math.pi), np.random.default_rng(1)
    rows = [(*rng.integers(-6, 7, 2), rng.normal(), rng.uniform(0, 6.28)) for _ in range(40)]
    text = " + ".join(f"({c:.4f})*cos({int(a) or 1}*x + ({b})*y + {s:.4f})" for a, b, c, s in rows)
    return box(FLOW, lengths, 5, {"w": text})


@statement(60)
def kolmogorov_flow():
    lengths = (2 * math.pi, 2 * math.pi)
    rows = ["w_t + psi_y*w_x - psi_x*w_y = 0.02*lap(w) - 0.02*16*cos(4*y)", "lap(psi) = -w"]
    return box(rows, lengths, 20, {"w": "0.3*cos(x + y) + 0.2*sin(2*x - y) - cos(4*y)"})


# Chebfun's demos on a circle ---------------------------------------------------------------------------------


@statement(60)
def spin_ks():
    return catalog.get("spin-ks")


@statement(60)
def spin_bz():
    return catalog.get("spin-bz")


# Measuring ---------------------------------------------------------------------------------------------------


def error(problem: lrfm.Problem, solution, strict) -> float:
    """The relative L² distance over space and time, the worst unknown."""
    rng = np.random.default_rng(7)
    box = problem.domain
    end = min(s.pieces[-1].window[1] for s in (solution, strict))
    places = box.lower + (box.upper - box.lower) * rng.random((PLACES, box.dimension))
    times = np.repeat(problem.time[0] + (end - problem.time[0]) * rng.random(PLACES // 20), 20)
    points = np.column_stack([places, times])
    jets = problem.value_jets
    a, b = (s.pieces[0].values(jets, points) for s in (solution, strict))
    return max(float(np.linalg.norm(a[j] - b[j]) / max(np.linalg.norm(b[j]), 1e-300)) for j in jets)


def measured(name: str, fast: bool) -> dict:
    make, tol, limit = STATEMENTS[name]
    problem = make()
    began = time.process_time()
    solution = lrfm.solve(problem, tol=tol, strict=False, max_seconds=10 * limit)
    seconds = time.process_time() - began
    report = solution.report
    row = {
        "name": name,
        "tol": tol,
        "met": str(report.status) == "tolerance met",
        "status": str(report.status),
        "estimate": report.error_estimate,
        "seconds": round(seconds, 2),
        "limit": limit,
        "memory": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        "size": report.engine.size,
        "steps": report.engine.steps,
    }
    if not fast and row["met"]:
        strict = lrfm.solve(problem, tol=tol / 10, strict=False, max_seconds=10 * limit)
        row["reference"] = strict.report.error_estimate
        row["error"] = error(problem, solution, strict)
    return row


def main(words: list[str]) -> None:
    fast = "--fast" in words
    words = [w for w in words if not w.startswith("--")]
    if len(words) == 1 and words[0] in STATEMENTS:
        import harness

        row = measured(words[0], fast) | harness.as_installed()
        print(json.dumps({k: v for k, v in row.items() if k != "machine"}), flush=True)
        kept = {}
        if RESULT.exists():
            lines = RESULT.read_text(encoding="utf-8").splitlines()
            kept = {r["name"]: r for r in map(json.loads, lines)}
        kept[row["name"]] = row
        RESULT.write_text("".join(json.dumps(r) + "\n" for r in kept.values()), encoding="utf-8")
        return
    for name in STATEMENTS:
        if not words or any(word in name for word in words):
            more = ["--fast"] if fast else []
            subprocess.run([sys.executable, __file__, name, *more], check=False)


if __name__ == "__main__":
    main(sys.argv[1:])
