# SPDX-License-Identifier: MIT
"""Velocity and pressure on regions of the plane, and elastic bodies: claims against exact solutions and published numbers.

Usage: python benchmarks/flows.py [--case NAME] [--tol 1e-3] [--seconds 600] [--picture FILE] [--write]

Prints (with --write also to results/flows.jsonl, in the place of older lines of the same case and tol) the statement, tol, status, estimate, the true error of each unknown over space and time, CPU seconds of both solves, and cells. The cylinder is the statement of Schaefer and Turek
(1996), 2D-1 once it is at rest: drag 5.57953523384, lift 0.010618948146 and a pressure difference of 0.11752016697 there (John, Matthies, Int. J. Numer. Methods Fluids 37, 2001). Steady ones: that
cylinder, a channel, a step, the cavity (extrema of u and v on its middle lines: Botella, Peyret, Comput. Fluids 27, 1998), a cantilever, and Kirsch's plate (1898). `--picture FILE` draws the cylinder at
t = 2, as it is in docs/howto/flows.png.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path

import harness
import numpy as np

import lrfm
from lrfm.error.sizes import by_vectors

OUT = Path(__file__).parent / "results" / "flows.jsonl"
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


def rising(name: str) -> tuple[lrfm.Problem, Exact]:
    """What comes to rest, from rest: an inflow or a heater is switched on smoothly."""
    on, rest = "(1 - exp(-2*t**2))", {"u": "0", "v": "0"}
    inlets = {
        "channel-rising": ("x-", "x+", lrfm.Box(x=(0, 4), y=(0, 1)), f"u = 4*y*(1 - y)*{on}", 0.01),
        "step-rising": ("channel.x-", "channel.x+", behind(), f"u = 6*y*(1 - y)*{on}", 0.02),
    }
    if name in inlets:
        inlet, outlet, domain, given, nu = inlets[name]
        ends = {inlet: [given, "v = 0"], outlet: "outflow", "*": WALL}
        return lrfm.Problem(
            FLOW, domain=domain, time=(0, 4), initial=rest, boundary=ends, parameters={"nu": nu}
        ), {}
    still = annulus()
    return lrfm.Problem(
        [
            FLOW[0],
            "v_t + u*v_x + v*v_y = -p_y + nu*lap(v) + T",
            FLOW[2],
            "T_t + u*T_x + v*T_y = kappa*lap(T)",
        ],
        domain=still.domain,
        time=(0, 10),
        initial={**rest, "T": "0"},
        boundary={"inner": [*WALL, f"T = {on[1:-1]}"], "outer": [*WALL, "T = 0"]},
        parameters=still.parameters,
    ), {}


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


# At rest -------------------------------------------------------------------------------------------------------

RESTING = ["u*u_x + v*u_y = -p_x + nu*lap(u)", "u*v_x + v*v_y = -p_y + nu*lap(v)", FLOW[2]]
WALL = ["u = 0", "v = 0"]
SXX, SYY, SXY = "((lam + 2*mu)*u_x + lam*v_y)", "((lam + 2*mu)*v_y + lam*u_x)", "mu*(u_y + v_x)"
ELASTIC = ["(lam + mu)*(u_xx + v_xy) + mu*lap(u) = 0", "(lam + mu)*(u_xy + v_yy) + mu*lap(v) = 0"]
POISSON = 0.3
LAME = {"mu": 0.5 / (1 + POISSON), "lam": POISSON / ((1 + POISSON) * (1 - 2 * POISSON))}
MIDDLE = {
    100: (-0.2140424, 0.1795728, -0.2538030),
    1000: (-0.3885698, 0.3769447, -0.5270771),
}  # least u on x = 1/2, largest and least v on y = 1/2


def at_rest(domain, boundary, **parameters: float) -> lrfm.Problem:
    """A steady flow."""
    return lrfm.Problem(RESTING, domain=domain, boundary=boundary, parameters=parameters)


def stress(x, y):
    """Kirsch's σ_xx, σ_yy, σ_xy around a hole of radius one, pulled along x by one."""
    t, a = np.arctan2(y, x), 1 / (x**2 + y**2)
    rr = 0.5 * (1 - a) + 0.5 * (1 - 4 * a + 3 * a**2) * np.cos(2 * t)
    tt = 0.5 * (1 + a) - 0.5 * (1 + 3 * a**2) * np.cos(2 * t)
    rt = -0.5 * (1 + 2 * a - 3 * a**2) * np.sin(2 * t)
    c, s = np.cos(t), np.sin(t)
    return (
        c**2 * rr + s**2 * tt - 2 * s * c * rt,
        s**2 * rr + c**2 * tt + 2 * s * c * rt,
        s * c * (rr - tt) + (c**2 - s**2) * rt,
    )


def kirsch() -> tuple[lrfm.Problem, Exact]:
    """A quarter of the plate, with the stress of the infinite one on its outer sides."""
    names = ("fxx", "fyy", "fxy")
    given = {name: (lambda x, y, k=k: stress(x, y)[k]) for k, name in enumerate(names)}
    problem = lrfm.Problem(
        ELASTIC,
        domain=lrfm.Box(x=(0, 4), y=(0, 4), name="plate") - lrfm.Disk(radius=1, name="hole"),
        boundary={
            "plate.x-": ["u = 0", f"{SXY} = 0"],
            "plate.y-": ["v = 0", f"{SXY} = 0"],
            "plate.x+": [f"{SXX} = fxx", f"{SXY} = fxy"],
            "plate.y+": [f"{SYY} = fyy", f"{SXY} = fxy"],
            "hole": [f"n_x*{SXX} + n_y*{SXY} = 0", f"n_x*{SXY} + n_y*{SYY} = 0"],
        },
        parameters={**LAME, **given},
    )
    kappa, unit = 3 - 4 * POISSON, 1 / (8 * LAME["mu"])

    def along(x, y, t, sign, f):
        r, a = np.hypot(x, y), np.arctan2(y, x)
        own = r * (kappa - 1 + 2 * sign) + 2 / r * (1 + sign * kappa)
        return unit * (own * f(a) + (2 / r - 2 / r**3) * f(3 * a))

    return problem, {
        "u": lambda x, y, t: along(x, y, t, 1, np.cos),
        "v": lambda x, y, t: along(x, y, t, -1, np.sin),
    }


def annulus(rayleigh: float = 1e5, prandtl: float = 0.71) -> lrfm.Problem:
    """Air between two cylinders, the inner one hot (Kuehn, Goldstein, J. Fluid Mech. 74, 1976): lengths in units of the gap, velocities in √(Ra Pr) times those of diffusion."""
    return lrfm.Problem(
        [
            RESTING[0],
            "u*v_x + v*v_y = -p_y + nu*lap(v) + T",
            FLOW[2],
            "u*T_x + v*T_y = kappa*lap(T)",
        ],
        domain=lrfm.Disk(radius=1.625, name="outer") - lrfm.Disk(radius=0.625, name="inner"),
        boundary={"inner": [*WALL, "T = 1"], "outer": [*WALL, "T = 0"]},
        parameters={"nu": (prandtl / rayleigh) ** 0.5, "kappa": (prandtl * rayleigh) ** -0.5},
    )


def behind():
    """A channel behind a step of its height."""
    return lrfm.Box(x=(-2, 10), y=(-1, 1), name="channel") - lrfm.Box(x=(-3, 0), y=(-2, 0), name="step")


def steady_cases() -> dict[str, tuple[lrfm.Problem, Exact]]:
    """All that rests."""
    inlet, long = ["u = 4*U*y*(0.41 - y)/0.41**2", "v = 0"], lrfm.Box(x=(0, 2.2), y=(0, 0.41), name="channel")
    square, lid = lrfm.Box(x=(0, 1), y=(0, 1)), {"y+": ["u = 1", "v = 0"], "*": WALL}
    cylinder = long - lrfm.Disk(center=(0.2, 0.2), radius=0.05, name="cylinder")
    ends = {"channel.x-": inlet, "channel.x+": "outflow", "*": WALL}
    channel: Exact = {
        "u": lambda x, y, t: 4 * y * (1 - y),
        "p": lambda x, y, t: 0.08 * (4 - x),
    }
    return {
        "channel": (
            at_rest(
                lrfm.Box(x=(0, 4), y=(0, 1)),
                {"x-": ["u = 4*y*(1 - y)", "v = 0"], "x+": "outflow", "*": WALL},
                nu=0.01,
            ),
            channel,
        ),
        "step": (at_rest(behind(), {**ends, "channel.x-": ["u = 6*y*(1 - y)", "v = 0"]}, nu=0.02), {}),
        "cylinder-rest": (at_rest(cylinder, ends, nu=0.001, U=0.3), {}),
        **{f"cavity-{re}": (at_rest(square, lid, nu=1 / re), {}) for re in MIDDLE},
        "annulus": (annulus(), {}),
        "kirsch": kirsch(),
        "cantilever": (
            lrfm.Problem(
                ELASTIC,
                domain=lrfm.Box(x=(0, 4), y=(-0.5, 0.5)),
                boundary={
                    "x-": WALL,
                    "x+": [f"{SXX} = 0", f"{SXY} = -0.01"],
                    "y": [f"{SXY} = 0", f"{SYY} = 0"],
                },
                parameters=LAME,
            ),
            {},
        ),
    }


def numbers(name: str, solution: lrfm.Solution) -> dict[str, float]:
    """What is published of a steady case, each with what was found."""
    if name == "cylinder-rest":
        found = {}
        for key, field, along, known in (
            ("drag", "u", "x", 5.57953523384),
            ("lift", "v", "y", 0.010618948146),
        ):
            force = solution.flux("cylinder", f"p*n_{along} - nu*{field}_n")
            found |= {
                key: 500 * force(),
                f"{key}_error": 500 * force() - known,
                f"{key}_told": 500 * force.error,
            }
        drop = solution["p"](x=0.15, y=0.2) - solution["p"](x=0.25, y=0.2)
        return {**found, "drop_error": float(drop) - 0.11752016697}
    if name.startswith("cavity"):
        line = np.linspace(0, 1, 4001)
        u, v = solution["u"](x=0.5, y=line), solution["v"](x=line, y=0.5)
        known = MIDDLE[int(name[7:])]
        pairs = zip(("least_u", "largest_v", "least_v"), (u.min(), v.max(), v.min()), known, strict=True)
        return {f"{key}_error": float(value - k) for key, value, k in pairs}
    if name == "step":
        x = np.linspace(0, 10, 4001)
        slope = solution["u_y"](x=x, y=-1.0)
        return {"reattached": float(x[np.flatnonzero(np.diff(np.sign(slope)) > 0)[-1]])}
    if name == "annulus":  # what flows, in units of conduction alone
        unit, found = np.log(2.6) / (2 * np.pi), {}
        for part, sense in (("inner", 1), ("outer", -1)):
            heat = solution.flux(part, "T_n")
            found |= {part: sense * unit * heat(), f"{part}_told": sense * unit * heat.error}
        return found
    if name == "kirsch":
        return {"factor": float(solution[SXX](x=0.0, y=1.0))}
    return {"tip": float(solution["v"](x=4.0, y=0.0))} if name == "cantilever" else {}


def rested(name: str, tol: float, seconds: float) -> dict:
    """One line."""
    problem, exact = steady_cases()[name]
    begun = time.process_time()
    solution = lrfm.steady(problem, tol=tol, strict=False, max_seconds=seconds)
    spent = time.process_time() - begun
    more = errors(solution, exact) if exact else {}
    return line(name, tol, solution, {**more, **numbers(name, solution)}, spent)


def cases() -> dict[str, tuple[lrfm.Problem, Exact]]:
    """All statements."""
    plate = lrfm.Box(x=(-1, 1), y=(-1, 1), name="plate")
    return {
        "stokes-disc": stokes(lrfm.Disk()),
        "stokes-hole": stokes(plate - lrfm.Disk(center=(0.1, -0.05), radius=0.3, name="hole")),
        "vortex-hole": vortex(),
        **{name: rising(name) for name in ("channel-rising", "step-rising", "annulus-rising")},
        "cylinder": cylinder(8.0),
        "cylinder-2d-2": cylinder(8.0, 1.5),
    }


def errors(solution: lrfm.Solution, exact: Exact) -> dict[str, float]:
    """Relative L² errors over space and time, of a pressure without its mean, of the components of a velocity relative to the vector."""
    points, weights = solution.problem.domain.quadrature(400)
    start, end = solution.problem.time
    nodes, parts = np.polynomial.legendre.leggauss(16)
    if solution.problem.steady:
        nodes, parts = np.zeros(1), np.ones(1)
    gaps, sizes = {}, {}
    for name, function in exact.items():
        gap, size = 0.0, 0.0
        for t, part in zip(start + 0.5 * (end - start) * (1 + nodes), parts, strict=True):
            at = {"x": points[:, 0], "y": points[:, 1], "t": t}
            pair = function(*points.T, t), solution[name](**{c: at[c] for c in solution.coordinates})
            if name in solution.report.undetermined:
                pair = tuple(v - weights @ v / weights.sum() for v in pair)
            gap, size = (
                gap + part * (weights @ (pair[1] - pair[0]) ** 2),
                size + part * (weights @ pair[0] ** 2),
            )
        gaps[name], sizes[name] = gap, size
    sizes = by_vectors(solution.problem, sizes)
    return {name: float(np.sqrt(gap / sizes[name])) for name, gap in gaps.items()}


def forces(solution: lrfm.Solution) -> dict[str, float]:
    """Drag and lift at the end, in units of ρ Ū² D/2 with the mean Ū of the inflow."""
    end = solution.problem.time[1]
    unit = 2 / ((2 / 3 * solution.problem.parameters["U"]) ** 2 * 0.1)
    found = {}
    for name, field, along in (("drag", "u", "x"), ("lift", "v", "y")):
        found[name] = unit * float(solution.flux("cylinder", f"p*n_{along} - nu*{field}_n")(t=end))
    return found


def shedding(solution: lrfm.Solution) -> dict[str, float]:
    """What is published of a wake, and by how much the solve that this one was compared with differs: of waves whose phases drift apart periods and extrema agree all the same."""
    found = period_of(solution)
    if not solution.second:
        return found
    other = period_of(solution.corrected)
    return found | {f"{key}_told": other[key] - value for key, value in found.items()}


def period_of(solution, last: float = 1.5) -> dict[str, float]:
    """Largest drag and lift of the last part of the run, and the Strouhal number D/(Ū T) with the mean period T of the lift: 3.22 to 3.24, 0.99 to 1.01, 0.295 to 0.305 (Schaefer, Turek, 1996, 2D-2)."""
    end = solution.problem.time[1]
    unit, times = 2 / (1.0**2 * 0.1), np.linspace(end - last, end, 301)
    drag, lift = (
        unit * np.array([float(solution.flux("cylinder", f"p*n_{a} - nu*{f}_n")(t=t)) for t in times])
        for f, a in (("u", "x"), ("v", "y"))
    )
    level = lift - 0.5 * (lift.max() + lift.min())
    up = np.flatnonzero((level[:-1] < 0) & (level[1:] >= 0))
    crossed = times[up] - level[up] * (times[up + 1] - times[up]) / (level[up + 1] - level[up])
    period = float(np.mean(np.diff(crossed))) if len(crossed) > 1 else float("nan")
    return {"drag": float(drag.max()), "lift": float(lift.max()), "strouhal": 0.1 / period}


def measured(name: str, tol: float, seconds: float) -> dict:
    """One line."""
    problem, exact = cases()[name]
    begun = time.process_time()
    solution = lrfm.solve(problem, tol=tol, strict=False, max_seconds=seconds)
    spent = time.process_time() - begun
    more = errors(solution, exact) if exact else {}
    if name.startswith("cylinder"):
        more = (shedding if name == "cylinder-2d-2" else forces)(solution)
    return line(name, tol, solution, more, spent)


def line(name: str, tol: float, solution: lrfm.Solution, more: dict, spent: float) -> dict:
    """What is printed."""
    report = solution.report
    found = {
        "case": name,
        "tol": tol,
        "status": str(report.status),
        "estimate": report.error_estimate,
        **more,
    }
    parts = {key: report.parts.get(key) for key in ("cells", "degree")}
    return {**found, "cpu": round(spent, 1), **parts}


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
    parser.add_argument("--case", choices=[*cases(), *steady_cases()], action="append")
    parser.add_argument("--tol", type=float, action="append")
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--picture", type=Path)
    parser.add_argument("--write", action="store_true")
    given, where = parser.parse_args(), harness.as_installed()
    if given.picture:
        picture(given.picture, given.seconds)
        return
    for tol in given.tol or [1e-3]:
        for name in given.case or [*cases(), *steady_cases()]:
            found = (rested if name in steady_cases() else measured)(name, tol, given.seconds) | where
            print(json.dumps(found), flush=True)
            if given.write:
                known = [json.loads(text) for text in OUT.read_text().splitlines()] if OUT.exists() else []
                known = [other for other in known if (other["case"], other["tol"]) != (name, tol)]
                OUT.write_text("".join(json.dumps(row) + "\n" for row in [*known, found]))


if __name__ == "__main__":
    main()
