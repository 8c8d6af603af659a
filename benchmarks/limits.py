# SPDX-License-Identifier: MIT
"""Statements that take longer than any limit of `budgets.py`: flows, domains that are no boxes, fits."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

import lrfm

PERIOD = lrfm.Box(x=(0, 2 * math.pi), y=(0, 2 * math.pi))
VORTICITY = ["w_t + psi_y*w_x - psi_x*w_y = 1e-3*lap(w)", "lap(psi) = -w"]


def _waves(seed: int) -> str:
    """A smooth random field."""
    rng = np.random.default_rng(seed)
    waves = zip(rng.standard_normal(12), rng.integers(-4, 5, (12, 2)), rng.uniform(0, 6.28, 12), strict=True)
    return " + ".join(f"{c:.3f}*cos({a}*x + {b}*y + {p:.3f})" for c, (a, b), p in waves)


def vorticity(initial: str, end: float) -> lrfm.Problem:
    """Vorticity and stream function in a periodic box."""
    return lrfm.Problem(VORTICITY, domain=PERIOD, time=(0, end), initial={"w": initial}, boundary="periodic")


def cavity() -> lrfm.Problem:
    """Velocity and pressure under a lid that sets off smoothly."""
    rows = [
        "u_t + u*u_x + v*u_y + p_x = 0.01*lap(u)",
        "v_t + u*v_x + v*v_y + p_y = 0.01*lap(v)",
        "u_x + v_y = 0",
    ]
    lid = {"y+": ["u = 16*x**2*(1 - x)**2*tanh(5*t)", "v = 0"]}
    return lrfm.Problem(
        rows, domain=lrfm.Box(x=(0, 1), y=(0, 1)), time=(0, 2), initial={"u": "0", "v": "0"}, boundary={"*": ["u = 0", "v = 0"], **lid}
    )  # fmt: skip


def heat(domain: object, initial: str = "1", end: float = 0.3) -> lrfm.Problem:
    """Heat in a domain that is cold around."""
    return lrfm.Problem("u_t = lap(u)", domain=domain, time=(0, end), initial=initial, boundary="u = 0")


def plate(holes: int) -> lrfm.Problem:
    """A plate with round holes that are kept cold."""
    domain = lrfm.Box(x=(0, 4), y=(0, 1))
    for k in range(holes):
        domain = domain - lrfm.Disk(
            center=(0.5 + 3 * k / max(holes - 1, 1), 0.5 + 0.1 * (-1) ** k), radius=0.15
        )
    return heat(domain, "sin(pi*x/4)*sin(pi*y)")


def stadium() -> lrfm.Problem:
    """A wave between two half circles."""
    domain = lrfm.Box(x=(-1, 1), y=(-1, 1)) | lrfm.Disk(center=(-1, 0)) | lrfm.Disk(center=(1, 0))
    pulse = {"u": "exp(-30*(x**2 + y**2))", "u_t": "0"}
    return lrfm.Problem("u_tt = lap(u)", domain=domain, time=(0, 2), initial=pulse, boundary="u = 0")


L_SHAPE = lrfm.Polygon([(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)])
FLOWS: dict[str, Callable[[], lrfm.Problem]] = {
    "random-vorticity": lambda: vorticity(_waves(0), 20.0),
    "two-vortices": lambda: vorticity(
        "exp(-4*((x - pi + 0.65)**2 + (y - pi)**2)) - exp(-4*((x - pi - 0.65)**2 + (y - pi)**2))", 10.0
    ),
    "shear-layer": lambda: vorticity("exp(8*sin(y) - 8) - exp(-8*sin(y) - 8) + 0.05*cos(x)", 20.0),
    "lid": cavity,
}
REGIONS: dict[str, Callable[[], lrfm.Problem]] = {
    "l-shape": lambda: heat(L_SHAPE),
    "stadium": stadium,
    "plate-6-holes": lambda: plate(6),
    "ball": lambda: heat(lrfm.Ball(radius=1), "cos(3*x)*(1 - x**2 - y**2 - z**2)", 0.1),
    "flower": lambda: heat(
        lrfm.Region(
            "(x**2+y**2)**3 < (x**2+y**2)**2.5 + 0.3*(x**5 - 10*x**3*y**2 + 5*x*y**4)", x=(-2, 2), y=(-2, 2)
        )
    ),
}


def _fit(
    problem: lrfm.Problem, unknown: dict[str, object], places: dict[str, np.ndarray]
) -> tuple[lrfm.Problem, lrfm.Data]:
    """A problem with its unknowns, and data of made-up values with noise, which no search finds at once."""
    rng = np.random.default_rng(3)
    count = len(next(iter(places.values())))
    name = next(iter(problem.unknowns))
    data = lrfm.Data(**places, **{name: np.cos(np.arange(count)) + 0.1 * rng.standard_normal(count)})
    return problem.replace(parameters={**problem.parameters, **unknown}), data


def front() -> tuple[lrfm.Problem, lrfm.Data]:
    """Speed and width of a front, from values that no front has."""
    problem = lrfm.Problem(
        "u_t = D*u_xx + r*u*(1 - u)*(u - a)", domain=lrfm.Box(x=(0, 40)), time=(0, 30), initial="0.5*(1 - tanh(x - 10))", boundary="u_n = 0",
        parameters={"D": 1.0, "r": 2.0, "a": 0.2},
    )  # fmt: skip
    unknown = {
        "D": lrfm.Unknown(1.0, lower=0.01),
        "r": lrfm.Unknown(2.0, lower=0.1),
        "a": lrfm.Unknown(0.2, lower=0, upper=1),
    }
    grid = np.meshgrid(np.linspace(2, 38, 12), [10.0, 20.0, 30.0])
    return _fit(problem, unknown, {"x": grid[0].ravel(), "t": grid[1].ravel()})


def plane() -> tuple[lrfm.Problem, lrfm.Data]:
    """Two coefficients of a pattern in the plane."""
    problem = lrfm.Problem(
        "u_t = D*lap(u) + u - c*u**3", domain=lrfm.Box(x=(0, 10), y=(0, 10)), time=(0, 5), initial="0.3*cos(pi*x/5)*cos(pi*y/2.5)",
        boundary="u_n = 0", parameters={"D": 0.05, "c": 1.0},
    )  # fmt: skip
    rng = np.random.default_rng(5)
    places = {"x": rng.uniform(0, 10, 30), "y": rng.uniform(0, 10, 30), "t": rng.uniform(1, 5, 30)}
    return _fit(problem, {"D": lrfm.Unknown(0.05, lower=1e-3), "c": lrfm.Unknown(1.0, lower=0.1)}, places)


FITS: dict[str, Callable[[], tuple[lrfm.Problem, lrfm.Data]]] = {"front": front, "plane": plane}
