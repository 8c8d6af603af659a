# SPDX-License-Identifier: MIT
"""Domains that are no boxes, with exact solutions: `python benchmarks/domains.py [names] [--tol 1e-6] [--method auto]`.

Writes results/domains.jsonl, one line per run; `--pictures` draws the domains and one solution for docs/domains.md instead.
Takes one to two minutes per problem.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import flower
import harness  # sets the number of threads, so it comes before NumPy
import numpy as np
from layered import coated, flat, slabs
from scipy.optimize import brentq
from scipy.special import jn_zeros, jv, jvp, yv, yvp

import lrfm
from lrfm.solution.plot.outline import domain_figure
from lrfm.solution.reference import grid_points, true_error

RESULTS = Path(__file__).parent / "results"
HEAT = "u_t = lap(u)"
J01, J21 = jn_zeros(0, 1)[0], jn_zeros(2, 1)[0]
GRID = {1: (81, 11), 2: (41, 7), 3: (17, 5)}


def disk(x, y, t, wave=False):
    """Modes (0, 1) and (2, 1) of Bessel; those of the wave equation oscillate."""
    r, angle = np.hypot(x, y), np.arctan2(y, x)
    modes = [(J01, jv(0, J01 * r)), (J21, jv(2, J21 * r) * np.cos(2 * angle))]
    return sum(u * (np.cos(k * t) if wave else np.exp(-k * k * t)) for k, u in modes)


def disk_heat() -> lrfm.Problem:
    return lrfm.Problem(
        HEAT,
        domain=lrfm.Disk(),
        time=(0, 0.1),
        initial=lambda x, y: disk(x, y, 0),
        boundary="u = 0",
        reference=disk,
    )


def disk_wave() -> lrfm.Problem:
    return lrfm.Problem(
        "u_tt = lap(u)", domain=lrfm.Disk(), time=(0, 2), boundary="u = 0",
        initial={"u": lambda x, y: disk(x, y, 0), "u_t": 0}, reference=lambda x, y, t: disk(x, y, t, wave=True),
    )  # fmt: skip


def annulus() -> lrfm.Problem:
    """Zero outside, no flux through the hole: J₀(kr) Y₀(k) − Y₀(kr) J₀(k) with k from the flux at r = a."""
    a = 0.4
    k = brentq(lambda k: jvp(0, k * a) * yv(0, k) - yvp(0, k * a) * jv(0, k), 1.5, 4.0)
    mode = lambda x, y: jv(0, k * np.hypot(x, y)) * yv(0, k) - yv(0, k * np.hypot(x, y)) * jv(0, k)  # noqa: E731
    return lrfm.Problem(
        HEAT, domain=lrfm.Annulus(radii=(a, 1)), time=(0, 0.2), initial=mode,
        boundary={"outer": "u = 0", "inner": "u_n = 0"}, reference=lambda x, y, t: mode(x, y) * np.exp(-k * k * t),
    )  # fmt: skip


def disk_robin() -> lrfm.Problem:
    """Heated through its rim from nothing, which contradicts it: 1 − Σ 2/((β² + 1) J₀(β)) J₀(βr) e^{−β²t},   β J₁(β) = J₀(β)."""
    ends = [0.0, *jn_zeros(1, 200)]
    roots = np.array([brentq(lambda b: b * jv(1, b) - jv(0, b), *pair) for pair in pairwise(ends)])
    shares = 2 / ((roots**2 + 1) * jv(0, roots))

    def exact(x, y, t):
        fading = zip(shares, roots, strict=True)
        later = 1 - sum(c * jv(0, b * np.hypot(x, y)) * np.exp(-b * b * t) for c, b in fading)
        return np.where(
            np.asarray(t) > 0, later, 0.0
        )  # the series of a start that contradicts the rim is slow

    return lrfm.Problem(
        HEAT, domain=lrfm.Disk(), time=(0, 1), initial="0", boundary="u_n = 1 - u", reference=exact
    )


def triangle() -> lrfm.Problem:
    """Lamé's mode Σ sin(2π d_i/h) of the distances from the three sides, λ = 16π²/3."""
    h = np.sqrt(3) / 2

    def mode(x, y):
        sides = (y, h * (1 - x) - 0.5 * y, h * x - 0.5 * y)
        return sum(np.sin(2 * np.pi * d / h) for d in sides)

    return lrfm.Problem(
        HEAT, domain=lrfm.Polygon([(0, 0), (1, 0), (0.5, h)]), time=(0, 0.02), initial=mode, boundary="u = 0",
        reference=lambda x, y, t: mode(x, y) * np.exp(-16 * np.pi**2 / 3 * t),
    )  # fmt: skip


def ball() -> lrfm.Problem:
    """sin(πr)/(πr), λ = π²."""
    mode = lambda x, y, z: np.sinc(np.sqrt(x * x + y * y + z * z))  # noqa: E731
    return lrfm.Problem(
        HEAT, domain=lrfm.Ball(), time=(0, 0.1), initial=mode, boundary="u = 0",
        reference=lambda x, y, z, t: mode(x, y, z) * np.exp(-(np.pi**2) * t),
    )  # fmt: skip


def cylinder() -> lrfm.Problem:
    """J₀(jr) sin πz, λ = j² + π²."""
    mode = lambda x, y, z: jv(0, J01 * np.hypot(x, y)) * np.sin(np.pi * z)  # noqa: E731
    return lrfm.Problem(
        HEAT, domain=lrfm.Cylinder(radius=1, z=(0, 1)), time=(0, 0.05), initial=mode, boundary="u = 0",
        reference=lambda x, y, z, t: mode(x, y, z) * np.exp(-(J01**2 + np.pi**2) * t),
    )  # fmt: skip


def ellipse() -> lrfm.Problem:
    """Advection and diffusion in an ellipse given as text; manufactured, u = sin(2x + y) e⁻ᵗ."""
    u = lambda x, y, t: np.sin(2 * x + y) * np.exp(-t)  # noqa: E731
    return lrfm.Problem(
        "u_t + u_x = 0.5*lap(u) + 1.5*sin(2*x + y)*exp(-t) + 2*cos(2*x + y)*exp(-t)",
        domain=lrfm.Region("x**2 + 4*y**2 < 1", x=(-1, 1), y=(-1, 1), names=["rim"]), time=(0, 0.5),
        initial="sin(2*x + y)", boundary={"rim": "u = sin(2*x + y)*exp(-t)"}, reference=u,
    )  # fmt: skip


def moving_interval() -> lrfm.Problem:
    """0 < x < 1 + 0.2 sin 3t, a flux at the end that moves; manufactured, u = sin 2x e⁻ᵗ + x t."""
    return lrfm.Problem(
        "u_t = u_xx + 3*sin(2*x)*exp(-t) + x", domain=lrfm.Region("x < 1 + 0.2*sin(3*t)", x=(0, 1.5), names=["end"]),
        time=(0, 1), initial="sin(2*x)", boundary={"x-": "u = 0", "end": "u_n = 2*cos(2*x)*exp(-t) + t"},
        reference=lambda x, t: np.sin(2 * x) * np.exp(-t) + x * t,
    )  # fmt: skip


def moving_disk() -> lrfm.Problem:
    """A disc that moves and grows; manufactured, u = sin(x + ½) cos y e⁻ᵗ."""
    text = "sin(x + 0.5)*cos(y)*exp(-t)"
    return lrfm.Problem(
        f"u_t = lap(u) + {text}",
        domain=lrfm.Region("(x - 0.3*t)**2 + y**2 < 0.25*(1 + 0.3*t)**2", x=(-1, 1.2), y=(-1, 1), names=["rim"]),
        time=(0, 1), initial="sin(x + 0.5)*cos(y)", boundary={"rim": f"u = {text}"},
        reference=lambda x, y, t: np.sin(x + 0.5) * np.cos(y) * np.exp(-t),
    )  # fmt: skip


def corner() -> lrfm.Problem:
    """An L-shape, Re z^(2/3) e⁻ᵗ at its corner."""

    def exact(x, y, t):
        # From the line that halves the domain, so that the cut is far outside.
        return np.exp(-t) * np.real(((x + 1j * y) * np.exp(-0.75j * np.pi)) ** (2 / 3))

    return lrfm.Problem(
        "u_t = lap(u) - u", domain=lrfm.Polygon([(0, 0), (0, -1), (-1, -1), (-1, 1), (1, 1), (1, 0)]), time=(0, 0.5),
        initial=lambda x, y: exact(x, y, 0.0), boundary={"*": {"u": exact}}, reference=exact,
    )  # fmt: skip


def _flower(equation: str, diffusion: float, forcing: Callable, end: float) -> lrfm.Problem:
    """Five petals, zero on the boundary and at the start: a field that continues badly beyond the concave arcs."""
    domain = lrfm.Region(flower.TEXT, x=(-1.4, 1.4), y=(-1.4, 1.4), names=["rim"])
    exact = flower.Polar(diffusion, forcing, end)
    return lrfm.Problem(
        equation, domain=domain, time=(0, end), initial="0", boundary="u = 0", reference=exact
    )  # fmt: skip


def flower_heat() -> lrfm.Problem:
    return _flower("u_t = lap(u) + 10*t**2", 1.0, flower.source, 0.2)


def flower_reaction() -> lrfm.Problem:
    return _flower("u_t = 0.1*lap(u) + u - u**3 + 5*t", 0.1, flower.reaction, 1.0)


PROBLEMS: dict[str, Callable[[], lrfm.Problem]] = {
    f.__name__.replace("_", "-"): f
    for f in (
        disk_heat,
        disk_wave,
        annulus,
        disk_robin,
        triangle,
        ball,
        cylinder,
        ellipse,
        corner,
        moving_interval,
        moving_disk,
        flower_heat,
        flower_reaction,
        slabs,
        flat,
        coated,
    )
}


def measure(name: str, tol: float, method: str, seconds: float) -> dict[str, object]:
    """Solve one problem and compare it with its exact solution."""
    problem = PROBLEMS[name]()
    began = time.process_time()
    solution = lrfm.solve(problem, tol=tol, method=method, max_seconds=seconds, strict=False)
    spent = time.process_time() - began
    report = solution.report
    error = true_error(solution, grid_points(problem, *GRID[problem.domain.dimension]))
    return {
        "name": name, "method": report.method, "tol": tol, "error": error, "estimate": report.error_estimate if np.isfinite(report.error_estimate) else None,
        "claimed": bool(report.solved), "features": report.features, "cpu_seconds": round(spent, 2), "commit": harness.commit(),
    }  # fmt: skip


def cooling(cable: lrfm.Layers) -> lrfm.Problem:
    """A wire that conducts well and is heated, in a coat that does not; docs/domains.md has it."""
    return lrfm.Problem(
        "c*u_t = k*lap(u) + q", domain=cable, time=(0, 0.3), initial="0", boundary={"x": "u = 0", "y": "u_n = 0"},
        parameters={"k": {"wire": 50, "coat": 1}, "c": {"wire": 2, "coat": 1}, "q": {"wire": "10*(1 - exp(-30*t))", "coat": 0}},
    )  # fmt: skip


def pictures() -> None:
    """The figures of docs/domains.md."""
    folder = RESULTS / "domains"
    folder.mkdir(exist_ok=True)
    plate = lrfm.Box(x=(-2, 2), y=(-1, 1), name="plate") - lrfm.Disk(center=(0.3, 0), radius=0.4, name="hole")
    domain_figure(plate.part("inlet", "x < -1.99 and abs(y) < 0.4"), (0, 1), folder / "plate.png")
    bowl = lrfm.Region("x**2 + 4*y**2 < 1 and y > -0.3", x=(-1, 1), y=(-1, 1), names=["rim", "floor"])
    domain_figure(bowl, (0, 1), folder / "bowl.png")
    cable = lrfm.Layers(
        wire=lrfm.Disk(radius=0.3), coat=lrfm.Box(x=(-1, 1), y=(-0.6, 0.6)) - lrfm.Disk(radius=0.3)
    )
    domain_figure(cable, (0, 1), folder / "cable.png")
    solution = lrfm.solve(cooling(cable), tol=1e-4, strict=False, max_seconds=None)
    solution.plot(folder / "cooling.png", times=[0.02, 0.1, 0.3], resolution=161)
    problem = lrfm.Problem(
        "u_t = lap(u)", domain=plate, time=(0, 0.5), initial="0",
        boundary={"hole": "u = 1 - exp(-20*t)", "plate.x": "u = 0", "*": "u_n = 0"},
    )  # fmt: skip
    solution = lrfm.solve(
        problem,
        method=lrfm.SpaceTime(space=lrfm.Liquid(features=900, weights=2.0, gate=2.0)),
        strict=False,
        estimate=False,
    )
    solution.plot(folder / "heat.png", times=[0.05, 0.2, 0.5], resolution=161)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--tol", type=float, default=1e-6)
    parser.add_argument("--method", default="auto")
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--pictures", action="store_true")
    asked = parser.parse_args()
    if asked.pictures:
        pictures()
        return
    for name in asked.names or PROBLEMS:
        found = measure(name, asked.tol, asked.method, asked.seconds)
        with open(RESULTS / "domains.jsonl", "a", encoding="utf-8") as stream:
            stream.write(json.dumps(found) + "\n")
        print(found, flush=True)


if __name__ == "__main__":
    main()
