# SPDX-License-Identifier: MIT
"""Steady states, modes, branches, events and ordinary equations against formulas and published digits.

    python benchmarks/answers.py            writes benchmarks/results/answers.json

Each row: the error against the reference, the estimate, and processor seconds. An estimate below the error is a false claim.
"""

from __future__ import annotations

import json
import math
import time
from pathlib import Path

import numpy as np

import lrfm

LINE = lrfm.Box(x=(0, 1))
OUT = Path(__file__).parent / "results" / "answers.json"


def bratu(lam: float, upper: bool) -> float:
    """u(1/2): θ = √(2 lam) cosh(θ/4), u(1/2) = 2 ln cosh(θ/4)."""
    from scipy.optimize import brentq

    ends = (4.7988, 40.0) if upper else (1e-9, 4.7986)
    theta = brentq(lambda s: s - math.sqrt(2 * lam) * math.cosh(s / 4), *ends, xtol=1e-15)
    return 2 * math.log(math.cosh(theta / 4))


def steady(exact, tol=1e-8, guess=None, **given):
    """Relative error in L² of a steady state and its estimate."""
    problem = lrfm.Problem(**{"domain": LINE, "boundary": "u = 0", **given})
    solution = lrfm.steady(problem, tol=tol, guess=guess)
    x = np.linspace(*problem.domain.axes["x"], 2001)
    gap = solution(x=x) - exact(x)
    return float(np.sqrt(np.mean(gap**2) / np.mean(exact(x) ** 2))), solution.report.error_estimate


def middle(lam: float, upper: bool):
    """Relative error of u(1/2) on one branch of Bratu's problem."""
    problem = lrfm.Problem("u_xx + lam*exp(u) = 0", domain=LINE, boundary="u = 0", parameters={"lam": lam})
    solution = lrfm.steady(problem, tol=1e-8, guess="16*x*(1 - x)" if upper else None)
    return abs(float(solution(x=0.5)) / bratu(lam, upper) - 1), solution.report.error_estimate


def modes(exact, k=3, near=None, **given):
    """The largest relative error of some eigenvalues, and its estimate."""
    found = lrfm.modes(lrfm.Problem(**{"boundary": "u = 0", **given}), k=k, near=near)
    gaps = np.abs(found.values - np.array(exact)[:k]) / np.abs(np.array(exact)[:k])
    return float(np.max(gaps)), float(np.max(found.errors / np.abs(found.values)))


def orr_sommerfeld():
    """Orszag (1971): eight digits."""
    flow = lrfm.Problem(
        "v_yyyy - 2*v_yy + v = 1j*Re*((1 - y**2 - lam)*(v_yy - v) + 2*v)",
        domain=lrfm.Box(y=(-1, 1)),
        boundary={"*": ["v = 0", "v_n = 0"]},
        unknowns={"v": complex},
        parameters={"Re": 10000},
    )
    found = lrfm.modes(flow, k=1, near=0.24, tol=1e-7)
    return abs(found.values[0] - (0.23752649 + 0.00373967j)), float(
        found.errors[0]
    ) + 1e-8  # the last digit of the reference


def fold():
    """λ_c of Bratu's problem: θ/4 tanh(θ/4) = 1."""
    from scipy.optimize import brentq

    z = brentq(lambda s: s * math.tanh(s) - 1, 0.5, 2.0, xtol=1e-15)
    exact = 8 * z**2 / math.cosh(z) ** 2
    problem = lrfm.Problem("u_xx + lam*exp(u) = 0", domain=LINE, boundary="u = 0", parameters={"lam": 1})
    found = lrfm.branch(problem, "lam", (0, 4)).folds[0]
    return abs(found.value - exact), found.error


def event(until, exact, tol=1e-7):
    """The error of a time at which heat in a rod comes to something."""
    problem = lrfm.Problem("u_t = u_xx", domain=LINE, time=(0, 5), initial="sin(pi*x)", boundary="u = 0")
    found = lrfm.solve(problem, tol=tol, until=until).event
    return abs(found.t - exact), found.error


def ordinary(exact, tol=1e-8, **given):
    """Relative error in L² over time, and its estimate."""
    problem = lrfm.Problem(**given)
    solution = lrfm.solve(problem, tol=tol)
    t = np.linspace(*problem.time, 2001)
    gap = solution(t=t) - exact(t)
    return float(np.sqrt(np.mean(gap**2) / np.mean(exact(t) ** 2))), solution.report.error_estimate


EPS = 1e-4
ROWS = {
    "steady: poisson": lambda: steady(lambda x: np.sin(np.pi * x), equation="u_xx = -pi**2*sin(pi*x)"),
    "steady: boundary layer 1e-4": lambda: steady(
        lambda x: x - (1 - np.exp(-x / EPS)), equation="eps*u_xx + u_x = 1", parameters={"eps": EPS}
    ),
    "steady: clamped beam": lambda: steady(
        lambda x: x**2 * (1 - x) ** 2 / 24, equation="u_xxxx = 1", boundary={"*": ["u = 0", "u_n = 0"]}
    ),
    "steady: ten wavelengths": lambda: steady(
        lambda x: np.cos(20 * np.pi * x),
        equation="u_xx + (20*pi)**2*u = 0",
        boundary={"x-": "u = 1", "x+": "u_x = 0"},
    ),
    "steady: pure Neumann": lambda: steady(
        lambda x: np.cos(np.pi * x), equation="u_xx = -pi**2*cos(pi*x)", boundary="u_n = 0"
    ),
    "steady: bratu, lower": lambda: middle(2.0, False),
    "steady: bratu, upper": lambda: middle(2.0, True),
    "branch: fold of bratu": fold,
    "modes: string": lambda: modes([1, 4, 9], equation="u_xx = -lam*u", domain=lrfm.Box(x=(0, "pi"))),
    "modes: oscillator": lambda: modes(
        [1, 3, 5], equation="-u_xx + x**2*u = lam*u", domain=lrfm.Box(x=(-9, 9))
    ),
    "modes: clamped beam": lambda: modes(
        np.array([4.730040744862704, 7.853204624095838, 10.995607838001671]) ** 4,
        equation="u_xxxx = lam*u",
        domain=LINE,
        boundary={"*": ["u = 0", "u_n = 0"]},
    ),
    "modes: Orr-Sommerfeld, Re = 10000": orr_sommerfeld,
    "event: max(u) < 0.1": lambda: event("max(u) < 0.1", math.log(10) / math.pi**2),
    "event: u(x=0.25) = 0.5": lambda: event("u(x=0.25) = 0.5", math.log(math.sqrt(2)) / math.pi**2),
    "event: integral(u**2) < 0.25": lambda: event("integral(u**2) < 0.25", math.log(2) / (2 * math.pi**2)),
    "ordinary: oscillator": lambda: ordinary(
        np.cos, equation="x_tt = -x", time=(0, 20), initial={"x": 1, "x_t": 0}
    ),
    "ordinary: logistic": lambda: ordinary(
        lambda t: 1 / (1 + 99 * np.exp(-t)), equation="x_t = x*(1 - x)", time=(0, 15), initial=0.01
    ),
    "ordinary: stiff, 1e6": lambda: ordinary(
        np.cos, equation="x_t = -1e6*(x - cos(t)) - sin(t)", time=(0, 10), initial=1
    ),
}


def main() -> None:
    """Every row, printed and written."""
    import harness

    rows = {}
    for name, row in ROWS.items():
        began = time.process_time()
        error, estimate = row()
        rows[name] = {"error": error, "estimate": estimate, "seconds": round(time.process_time() - began, 2)}
        false = "  FALSE" if error > max(estimate, 1e-14) else ""
        print(
            f"{name:36s} error {error:.1e}  estimate {estimate:.1e}  {rows[name]['seconds']:.2f} s{false}",
            flush=True,
        )
    text = json.dumps(harness.as_installed() | {"rows": rows}, indent=1)
    OUT.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
