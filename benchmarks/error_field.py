# SPDX-License-Identifier: MIT
"""The error field against true errors: `python benchmarks/error_field.py [--tol 1e-6] [--picture PATH]`.

For statements in one dimension with a known solution, at random places and times: the size of the estimated error over that of the true one, the cosine of the angle
between them (sign and shape), what is left after the correction, the claim over the true error, and the cost in units of the solve.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np

import lrfm
from lrfm.solver.tangent.cells import on_cells

TIMES, PLACES = 60, 200
RESULT = Path(__file__).resolve().parent / "results" / "error_field.jsonl"
NAMES = ("statement", "error", "field_over_error", "cosine", "left", "claim_over_error", "cost_over_solve")


def tent(x, t):
    """u_t = u_xx on (0, 1) from 1 − |2x − 1|: Σ 8 sin(kπ/2)/(kπ)² e^(−k²π²t) sin kπx."""
    k = np.arange(1, 400, 2)
    shape = np.sin(np.pi * np.multiply.outer(x, k)) * np.exp(-np.multiply.outer(t, (np.pi * k) ** 2))
    return shape @ (8 * np.sin(np.pi * k / 2) / (np.pi * k) ** 2)


def own() -> dict[str, lrfm.Problem]:
    """Statements that are not in the catalog."""
    line = lrfm.Box(x=(0, 1))
    found = {
        "tent": lrfm.Problem(
            "u_t = u_xx", domain=line, time=(0, 0.1), initial="1 - abs(2*x - 1)", boundary="u = 0", reference=tent
        ),
        "source": lrfm.Problem(
            "u_t = u_xx - u**3 + f", domain=line, time=(0, 1), initial="cos(2*x)", boundary="u = exp(-t)*cos(2*x)",
            parameters={"f": "3*exp(-t)*cos(2*x) + exp(-3*t)*cos(2*x)**3"}, reference=lambda x, t: np.exp(-t) * np.cos(2 * x),
        ),
        "damped-wave": lrfm.Problem(
            "u_tt + 2*u_t = u_xx - u**3 + f", domain=line, time=(0, 2), initial={"u": "sin(pi*x)", "u_t": "-sin(pi*x)"}, boundary="u = 0",
            parameters={"f": "(pi**2 - 1)*exp(-t)*sin(pi*x) + exp(-3*t)*sin(pi*x)**3"}, reference=lambda x, t: np.exp(-t) * np.sin(np.pi * x),
        ),
        "mean": lrfm.Problem(
            "u_t = u_xx - mean(u)*u + f", domain=line, time=(0, 1), initial="1 + cos(pi*x)", boundary="u_n = 0",
            parameters={"f": "pi**2*exp(-t)*cos(pi*x) + exp(-t)*(1 + cos(pi*x))*(exp(-t) - 1)"},
            reference=lambda x, t: np.exp(-t) * (1 + np.cos(np.pi * x)),
        ),
        "variable": lrfm.Problem(
            "u_t = diff((1 + x**2)*u_x, x) + f", domain=line, time=(0, 1), initial="sin(x)", boundary={"x-": "u = 0", "x+": "u_n = exp(-t)*cos(1)"},
            parameters={"f": "exp(-t)*(-sin(x) + (1 + x**2)*sin(x) - 2*x*cos(x))"}, reference=lambda x, t: np.exp(-t) * np.sin(x),
        ),
    }  # fmt: skip
    return found


def measured(
    name: str, problem: lrfm.Problem, tol: float
) -> list[tuple[str, float, float, float, float, float, float]]:
    """Rows of the table, one per unknown."""
    began = time.process_time()
    solution = lrfm.solve(problem, tol=tol, strict=False, max_seconds=40)
    seconds = time.process_time() - began
    if not on_cells(solution.pieces) or solution.block_edges[-1] < problem.time[1] * (1 - 1e-9):
        return []
    claimed, began = solution.report.error_estimate, time.process_time()
    field = solution.error_field
    cost = (time.process_time() - began) / seconds
    rng = np.random.default_rng(0)
    (low,), (high,) = problem.domain.lower, problem.domain.upper
    axis = problem.domain.names[0]
    x, t = (
        low + (high - low) * rng.random(PLACES),
        problem.time[0] + (problem.time[1] - problem.time[0]) * rng.random(TIMES),
    )
    x, t = (a.ravel() for a in np.meshgrid(x, t))
    at, rows = {axis: x, "t": t}, []
    for unknown in problem.unknowns:
        known = problem.reference[unknown] if isinstance(problem.reference, dict) else problem.reference
        ours = solution[unknown](**at)
        true, found = np.asarray(known(**at)) - ours, field[unknown](**at)
        size, gap = np.linalg.norm(true), np.linalg.norm(true - found)
        cosine = float(np.real(np.vdot(found, true)) / (size * np.linalg.norm(found)))
        relative = size / np.linalg.norm(ours)
        rows.append(
            (
                f"{name} {unknown}",
                relative,
                np.linalg.norm(found) / size,
                cosine,
                gap / size,
                claimed / relative,
                cost,
            )
        )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tol", type=float, default=1e-6)
    parser.add_argument("--picture", default="")
    given = parser.parse_args()
    if given.picture:
        return picture(given.picture)
    kept = {}
    if RESULT.exists():
        kept = {(r["statement"], r["tol"]): r for r in map(json.loads, RESULT.read_text().splitlines())}
    problems = {name: lrfm.catalog.get(name) for name in lrfm.catalog.names(spin=False)} | own()
    import harness

    rows, where = [], harness.as_installed()
    print(
        "| statement | true error | e / true | cosine | left | claim / true | cost |\n|---|---|---|---|---|---|---|"
    )
    for name, problem in problems.items():
        if problem.domain.dimension == 1 and problem.reference is not None:
            for row in measured(name, problem, given.tol):
                rows.append(row[1:])
                kept[row[0], given.tol] = dict(zip(NAMES, row, strict=True)) | {"tol": given.tol} | where
                print("| {} | {:.1e} | {:.2f} | {:.3f} | {:.2f} | {:.1f} | {:.2f} |".format(*row), flush=True)
    text = "".join(json.dumps(row, default=float) + "\n" for row in kept.values())
    RESULT.write_text(text, encoding="utf-8")
    print(
        "| median of {} | {:.1e} | {:.2f} | {:.3f} | {:.2f} | {:.1f} | {:.2f} |".format(
            len(rows), *np.median(rows, axis=0)
        )
    )


def picture(path: str) -> None:
    """Estimated and true error of a front, side by side, and along a line."""
    import matplotlib.pyplot as plt

    problem = lrfm.catalog.burgers_front()
    solution = lrfm.solve(problem, tol=1e-3)
    (low,), (high,) = problem.domain.lower, problem.domain.upper
    x, t = np.linspace(low, high, 401), np.linspace(*problem.time, 201)
    at = {"x": x[None, :], "t": t[:, None]}
    found, true = np.asarray(solution.error(**at)), problem.reference(**at) - solution(**at)
    most = float(np.max(np.abs(true)))
    power = int(np.floor(np.log10(most)))
    figure, axes = plt.subplots(1, 3, figsize=(9, 2.7), layout="constrained", width_ratios=(1, 1, 1.2))
    for panel, values, title in zip(axes, (found, true), ("estimated, $e$", "true, $u - u_h$"), strict=False):
        image = panel.pcolormesh(
            x,
            t,
            values / 10.0**power,
            cmap="RdBu_r",
            vmin=-most / 10.0**power,
            vmax=most / 10.0**power,
            rasterized=True,
        )
        panel.set(title=title, xlabel="$x$", ylabel="$t$")
    figure.colorbar(image, ax=axes[:2], label=f"error ($10^{{{power}}}$)")
    number = int(np.argmax(np.max(np.abs(true), axis=1)))
    axes[2].plot(x, true[number] / 10.0**power, color="0.6", linewidth=4, label="true")
    axes[2].plot(x, found[number] / 10.0**power, color="#b2182b", linewidth=1.2, label="estimated")
    axes[2].set(title=f"$t = {t[number]:.2f}$", xlabel="$x$")
    axes[2].spines[["top", "right"]].set_visible(False)
    axes[2].legend(frameon=False, loc="upper left")
    figure.savefig(path, dpi=150)


if __name__ == "__main__":
    main()
