# SPDX-License-Identifier: MIT
"""Velocity and pressure on regions of the plane: claims against exact flows, and the force on a cylinder.

Usage: python benchmarks/flows.py [--case NAME] [--tol 1e-3] [--seconds 600] [--picture FILE]

Prints the statement, tol, status, estimate, the true error of each unknown over space and time, CPU seconds of both solves, and cells. The cylinder is the statement of Schaefer and Turek
(1996), 2D-1 once it is at rest: drag 5.57953523384 and lift 0.010618948146 there. `--picture FILE` draws it at t = 2, as it is in docs/howto/flows.png.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import lrfm

FLOW = [
    "u_t + u*u_x + v*u_y = -p_x + nu*lap(u)",
    "v_t + u*v_x + v*v_y = -p_y + nu*lap(v)",
    "u_x + v_y = 0",
]
Exact = dict[str, Callable[[np.ndarray, np.ndarray, float], np.ndarray]]


def stokes(domain) -> tuple[lrfm.Problem, Exact]:
    """At rest in a force."""
    u, v, p = "sin(2*x)*cos(2*y)", "-cos(2*x)*sin(2*y)", "exp(x)*sin(2*y)"
    rows = [f"u_t + p_x = lap(u) + 8*{u} + {p}", f"v_t + p_y = lap(v) + 8*({v}) + 2*exp(x)*cos(2*y)"]
    problem = lrfm.Problem(
        [*rows, FLOW[2]],
        domain=domain,
        time=(0, 1),
        initial={"u": u, "v": v},
        boundary={"*": [f"u = {u}", f"v = {v}"]},
        check_corners=False,
    )
    return problem, {
        "u": lambda x, y, t: np.sin(2 * x) * np.cos(2 * y),
        "v": lambda x, y, t: -np.cos(2 * x) * np.sin(2 * y),
        "p": lambda x, y, t: np.exp(x) * np.sin(2 * y),
    }


def vortex(nu: float = 0.05) -> tuple[lrfm.Problem, Exact]:
    """Taylor and Green's vortices around a hole."""
    k, decay = np.pi, lambda t: np.exp(-2 * nu * np.pi**2 * t)
    exact: Exact = {
        "u": lambda x, y, t: -np.cos(k * x) * np.sin(k * y) * decay(t),
        "v": lambda x, y, t: np.sin(k * x) * np.cos(k * y) * decay(t),
        "p": lambda x, y, t: -0.25 * (np.cos(2 * k * x) + np.cos(2 * k * y)) * decay(t) ** 2,
    }
    given = {"u": "-cos(pi*x)*sin(pi*y)", "v": "sin(pi*x)*cos(pi*y)"}
    problem = lrfm.Problem(
        FLOW,
        domain=lrfm.Box(x=(0, 1), y=(0, 1)) - lrfm.Disk(center=(0.45, 0.55), radius=0.2, name="hole"),
        time=(0, 0.5),
        initial=given,
        boundary={"*": [f"{n} = ({f})*exp(-2*nu*pi**2*t)" for n, f in given.items()]},
        parameters={"nu": nu},
        check_corners=False,
    )
    return problem, exact


def cylinder(end: float, speed: float = 0.3) -> tuple[lrfm.Problem, Exact]:
    """From rest; no exact solution."""
    channel = lrfm.Box(x=(0, 2.2), y=(0, 0.41), name="channel")
    problem = lrfm.Problem(
        FLOW,
        domain=channel - lrfm.Disk(center=(0.2, 0.2), radius=0.05, name="cylinder"),
        time=(0, end),
        initial={"u": "0", "v": "0"},
        boundary={
            "channel.x-": ["u = 4*U*y*(0.41 - y)/0.41**2*(1 - exp(-2*t**2))", "v = 0"],
            "channel.x+": "outflow",
            "*": ["u = 0", "v = 0"],
        },
        parameters={"nu": 0.001, "U": speed},
    )
    return problem, {}


def cases() -> dict[str, tuple[lrfm.Problem, Exact]]:
    """All statements."""
    plate = lrfm.Box(x=(-1, 1), y=(-1, 1), name="plate")
    return {
        "stokes-disc": stokes(lrfm.Disk()),
        "stokes-hole": stokes(plate - lrfm.Disk(center=(0.1, -0.05), radius=0.3, name="hole")),
        "vortex-hole": vortex(),
        "cylinder": cylinder(8.0),
    }


def errors(solution: lrfm.Solution, exact: Exact) -> dict[str, float]:
    """Relative L² errors over space and time, of a pressure without its mean."""
    points, weights = solution.problem.domain.quadrature(400)
    start, end = solution.problem.time
    nodes, parts = np.polynomial.legendre.leggauss(16)
    found = {}
    for name, function in exact.items():
        gap, size = 0.0, 0.0
        for t, part in zip(start + 0.5 * (end - start) * (1 + nodes), parts, strict=True):
            pair = function(*points.T, t), solution[name](x=points[:, 0], y=points[:, 1], t=t)
            if name in solution.report.undetermined:
                pair = tuple(v - weights @ v / weights.sum() for v in pair)
            gap, size = (
                gap + part * (weights @ (pair[1] - pair[0]) ** 2),
                size + part * (weights @ pair[0] ** 2),
            )
        found[name] = float(np.sqrt(gap / size))
    return found


def forces(solution: lrfm.Solution) -> dict[str, float]:
    """Drag and lift at the end, in units of ρ Ū² D/2 with the mean Ū of the inflow."""
    end = solution.problem.time[1]
    unit = 2 / ((2 / 3 * solution.problem.parameters["U"]) ** 2 * 0.1)
    found = {}
    for name, field, along in (("drag", "u", "x"), ("lift", "v", "y")):
        found[name] = unit * float(
            solution.flux("cylinder", f"-nu*{field}_n - p*({along} - 0.2)/0.05")(t=end)
        )
    return found


def measured(name: str, tol: float, seconds: float) -> dict:
    """One line."""
    problem, exact = cases()[name]
    begun = time.process_time()
    solution = lrfm.solve(problem, tol=tol, strict=False, max_seconds=seconds)
    spent, report = time.process_time() - begun, solution.report
    more = errors(solution, exact) if exact else forces(solution)
    line = {"case": name, "tol": tol, "status": str(report.status), "estimate": report.error_estimate, **more}
    return {
        **line,
        "cpu": round(spent, 1),
        "cells": report.parts.get("cells"),
        "degree": report.parts.get("degree"),
    }


def picture(path: Path, seconds: float) -> None:
    """Speed with streamlines, and pressure with the boxes of cells."""
    import matplotlib.pyplot as plt

    end = 2.0
    solution = lrfm.solve(cylinder(end)[0], tol=0.03, strict=False, max_seconds=seconds)
    x, y = np.meshgrid(np.linspace(1e-6, 2.2 - 1e-6, 441), np.linspace(1e-6, 0.41 - 1e-6, 83))
    inside = np.hypot(x - 0.2, y - 0.2) > 0.05 + 1e-9
    u, v, p = (np.full(x.shape, np.nan) for _ in range(3))
    for name, values in zip("uvp", (u, v, p), strict=True):
        values[inside] = solution[name](x=x[inside], y=y[inside], t=end)
    figure, axes = plt.subplots(2, 1, figsize=(9, 4.4), layout="constrained")
    titles = (
        f"Flow past a cylinder, Re = 20, t = {end:g}: speed and streamlines",
        "pressure, and the boxes of the cells",
    )
    for ax, values, map_, label, title in zip(
        axes, (np.hypot(u, v), p), ("viridis", "cividis"), ("speed", "p"), titles, strict=True
    ):
        drawn = ax.pcolormesh(x, y, values, cmap=map_, shading="gouraud", rasterized=True)
        figure.colorbar(drawn, ax=ax, label=label, shrink=0.9)
        ax.add_patch(plt.Circle((0.2, 0.2), 0.05, fc="0.85", ec="0.2", zorder=5))
        ax.set(aspect="equal", xlim=(0, 2.2), ylim=(0, 0.41), ylabel="y")
        ax.set_title(title, fontsize=10)
    axes[0].streamplot(
        x,
        y,
        np.nan_to_num(u),
        np.nan_to_num(v),
        color="white",
        density=(2.2, 0.7),
        linewidth=0.5,
        arrowsize=0.6,
    )
    for a, b, c, d in np.asarray(solution.cells(t=end)):
        axes[1].plot([a, b, b, a, a], [c, c, d, d, c], color="0.25", lw=0.35)
    axes[1].set_xlabel("x")
    figure.savefig(path, dpi=110)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--case", choices=[*cases()], action="append")
    parser.add_argument("--tol", type=float, action="append")
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--picture", type=Path)
    given = parser.parse_args()
    if given.picture:
        picture(given.picture, given.seconds)
        return
    for tol in given.tol or [1e-3]:
        for name in given.case or cases():
            print(json.dumps(measured(name, tol, given.seconds)), flush=True)


if __name__ == "__main__":
    main()
