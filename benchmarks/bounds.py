# SPDX-License-Identifier: MIT
"""Bounds (`certify=True`) beside true errors, by family: `python benchmarks/bounds.py` writes results/bounds.jsonl and the table of docs/howto/bounds.md.

Every family has an exact solution; random ones are u = e^{kt} sin(px + q) + dx of an equation and conditions that are drawn.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
from harness import (
    RESULTS,
    as_installed,
    cpu,
    measure_each,
    read_result,
    show,
    show_seconds,
    table,
    true_errors,
)

import lrfm

PAGE = Path(__file__).resolve().parents[1] / "docs" / "howto" / "bounds.md"
BLOCK = re.compile(r"(<!-- bounds:begin -->\n).*?(<!-- bounds:end -->)", re.DOTALL)
TOLERANCES = (1e-3, 1e-6)
RANDOM = 20
OUT = RESULTS / "bounds.jsonl"


def statement(equation, initial, boundary, exact, *, x=(0, 1), t=1.0, **more):
    return lrfm.Problem(
        equation,
        domain=lrfm.Box(x=x),
        time=(0, t),
        initial=initial,
        boundary=boundary,
        reference=exact,
        **more,
    )


FAMILIES = {
    "heat": statement("u_t = u_xx", "sin(pi*x)", "u = 0", lambda x, t: np.exp(-(np.pi**2) * t) * np.sin(np.pi * x), t=0.2),
    "ends that move": statement("u_t = u_xx", "cos(x)", "u = exp(-t)*cos(x)", lambda x, t: np.exp(-t) * np.cos(x)),
    "a Robin end, variable diffusion": statement(
        "u_t = diff((1 + x)*u_x, x) + exp(-t)*(x*sin(x) - cos(x))", "sin(x)",
        {"x-": "u = 0", "x+": "u_x + u = exp(-t)*(cos(1) + sin(1))"}, lambda x, t: np.exp(-t) * np.sin(x),
    ),
    "carried by inflow": statement("u_t + u_x = 0", "sin(3*x)", {"x-": "u = -sin(3*t)", "x+": None}, lambda x, t: np.sin(3 * (x - t))),
    "carried around": statement(
        "u_t = 0.01*u_xx - u_x", "sin(2*pi*x)", "periodic", lambda x, t: np.exp(-0.04 * np.pi**2 * t) * np.sin(2 * np.pi * (x - t)),
    ),
    "growth by e^5": statement("u_t = u_xx + 15*u", "sin(pi*x)", "u = 0", lambda x, t: np.exp((15 - np.pi**2) * t) * np.sin(np.pi * x)),
    "Schrödinger": statement(
        "1j*u_t = -0.1*u_xx", "sin(pi*x)", "u = 0", lambda x, t: np.exp(-0.1j * np.pi**2 * t) * np.sin(np.pi * x), unknowns={"u": complex},
    ),
    "a string": statement("u_tt = u_xx", {"u": "sin(pi*x)", "u_t": "0"}, "u = 0", lambda x, t: np.cos(np.pi * t) * np.sin(np.pi * x)),
    "waves with c(x), damped": statement(
        "u_tt = diff((1 + x)**2*u_x, x) - u_t - u + exp(-t)*((2 + 2*x + x**2)*cos(x) + 2*(1 + x)*sin(x))", {"u": "cos(x)", "u_t": "-cos(x)"},
        {"x-": "u_x = 0", "x+": "u = exp(-t)*cos(1)"}, lambda x, t: np.exp(-t) * np.cos(x),
    ),
    "Klein-Gordon": statement(
        "u_tt = 4*u_xx - 25*u", {"u": "sin(pi*x)", "u_t": "0"}, "u = 0", lambda x, t: np.cos(np.sqrt(4 * np.pi**2 + 25) * t) * np.sin(np.pi * x),
    ),
    "a pulse that comes in": statement(
        "u_tt = u_xx", {"u": "exp(-20*(x + 0.5)**2)", "u_t": "40*(x + 0.5)*exp(-20*(x + 0.5)**2)"},
        {"x-": "u = exp(-20*(0.5 - t)**2)", "x+": "u_x = -40*(1.5 - t)*exp(-20*(1.5 - t)**2)"}, lambda x, t: np.exp(-20 * (x + 0.5 - t) ** 2),
    ),
    "Burgers, a front, ν = 0.1": statement(
        "u_t + u*u_x = 0.1*u_xx", "0.5 - 0.4*tanh(2*x)", "u = 0.5 - 0.4*tanh(2*x - t)", lambda x, t: 0.5 - 0.4 * np.tanh(2 * x - t), x=(-1, 1),
    ),
    "Allen and Cahn, a kink": statement(
        "u_t = 0.05*u_xx + u - u**3", "tanh(x*sqrt(10))", "u = tanh(x*sqrt(10))", lambda x, t: np.tanh(x * np.sqrt(10)) + 0 * t, x=(-1, 1),
    ),
    "Fisher, a wave": statement(
        "u_t = u_xx + u*(1 - u)", "(1 + exp(x/sqrt(6)))**-2", "u = (1 + exp(x/sqrt(6) - 5*t/6))**-2",
        lambda x, t: (1 + np.exp(x / np.sqrt(6) - 5 * t / 6)) ** -2.0, x=(-5, 5),
    ),
}  # fmt: skip


def drawn(seed: int) -> lrfm.Problem:
    """A random linear statement with a known solution."""
    rng = np.random.default_rng(seed)
    a, b, c = rng.uniform(0.02, 1), rng.uniform(-2, 2), rng.uniform(-3, 2)
    k, p, q, d = rng.uniform(-1, 1), rng.uniform(1, 7), rng.uniform(0, 3), rng.uniform(-1, 1)
    wave, slope = f"exp({k}*t)*sin({p}*x + {q})", f"({p}*exp({k}*t)*cos({p}*x + {q}) + {d})"
    given = f"{k}*{wave} + {a * p**2}*{wave} - ({b})*{slope} - ({c})*({wave} + {d}*x)"
    boundary = {}
    for face, place, sign in (("x-", 0, -1), ("x+", 1, 1)):
        kind = rng.choice(["u = {u}", "u_x = {s}", "u_n + 2*u = {sign}*{s} + 2*{u}"])
        there = f"({wave} + {d}*x)".replace("*x", f"*{place}")
        boundary[face] = str(kind).format(u=there, s=slope.replace("*x", f"*{place}"), sign=sign)
    return statement(
        f"u_t = {a}*u_xx + ({b})*u_x + ({c})*u + {given}",
        f"sin({p}*x + {q}) + {d}*x",
        boundary,
        lambda x, t: np.exp(k * t) * np.sin(p * x + q) + d * x,
    )


def measured(key: str) -> dict[str, object]:
    name, _, tol = key.rpartition(" ")
    problem = FAMILIES[name] if name in FAMILIES else drawn(int(name.rpartition(" ")[2]))
    solution, seconds = cpu(lambda: lrfm.solve(problem, tol=float(tol), certify=True))
    _, plain = cpu(lambda: lrfm.solve(problem, tol=float(tol), method=lrfm.Lines(space="cells")))
    error = float(true_errors(solution)["error"])
    report = solution.report
    return {
        "key": key,
        "family": "random" if name.startswith("random") else name,
        "tol": float(tol),
        "error": error,
        "estimate": report.error_estimate,
        "bound": report.bound,
        "cpu": round(seconds, 3),
        "cpu_without": round(plain, 3),
        **as_installed(),
    }


def page() -> None:
    rows = read_result(OUT)
    random = [r["bound"] / r["error"] for r in rows if r["family"] == "random"]
    lines = [
        [
            r["family"],
            show(r["tol"], 0),
            show(r["error"]),
            show(r["estimate"]),
            show(r["bound"]),
            f"{r['bound'] / r['error']:.0f}",
        ]
        for r in rows
        if r["family"] != "random"
    ]
    text = table(["family", "tol", "true error", "estimate", "bound", "bound over error"], lines)
    extra = [r["cpu"] - r["cpu_without"] for r in rows]
    said = (
        f"{len(random)} random statements (coefficients, conditions and solutions drawn): bound over error {min(random):.0f} at the least, {np.median(random):.0f} in the median, "
        f"{max(random):.0f} at the most. A bound costs {show_seconds(float(np.median(extra)))} s of CPU in the median. Commit {rows[0]['commit']}; {rows[0]['machine']}; `python benchmarks/bounds.py`."
    )
    PAGE.write_text(
        BLOCK.sub(rf"\g<1>{text}\n\n{said}\n\g<2>", PAGE.read_text(encoding="utf-8")), encoding="utf-8"
    )


if __name__ == "__main__":
    names = [f"{name} {tol:g}" for name in FAMILIES for tol in TOLERANCES]
    names += [f"random {seed} {TOLERANCES[seed % 2]:g}" for seed in range(RANDOM)]
    measure_each(__doc__, names, measured, OUT)
    page()
