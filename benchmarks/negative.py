# SPDX-License-Identifier: MIT
"""Statements on which no success may be claimed: ill-posed, with a shock, contradictory, overdetermined."""

from __future__ import annotations

from collections.abc import Callable

import harness  # noqa: F401  (sets the number of threads)
import numpy as np

from lrfm import catalog
from lrfm.problem import Box, Problem


def backward_heat_bump() -> Problem:
    """u_t = −u_xx from a Gaussian of width 0.2: its backward solution ends at t = 0.01, within the window."""
    return Problem(
        "u_t = -u_xx",
        domain=Box(x=(-1, 1)),
        time=(0, 0.05),
        initial="exp(-25*x**2)",
        boundary="periodic",
        check_corners=False,
    )


def backward_heat_sine() -> Problem:
    """u_t = −D u_xx from one sine: e^{Dπ²t} sin πx exists, but every rounding error grows without bound."""
    return Problem(
        "u_t = -D*u_xx",
        domain=Box(x=(-1, 1)),
        time=(0, 0.5),
        initial="sin(pi*x)",
        boundary="u = 0",
        parameters={"D": 0.5},
        reference=lambda x, t: np.exp(0.5 * np.pi**2 * t) * np.sin(np.pi * x),
    )


def backward_reaction() -> Problem:
    """Allen-Cahn with the sign of its diffusion changed."""
    return Problem(
        "u_t = -eps*u_xx - u**3 + u",
        domain=Box(x=(-1, 1)),
        time=(0, 1),
        initial="0.55*sin(pi*x) + 0.25*exp(cos(pi*x))/2.7",
        boundary="periodic",
        parameters={"eps": 0.1},
    )


def backward_plane() -> Problem:
    """u_t = −D Δu on a square."""
    return Problem(
        "u_t = -D*lap(u)",
        domain=Box(x=(0, 1), y=(0, 1)),
        time=(0, 0.5),
        initial="x*(1 - x)*y*(1 - y)*exp(2*x)",
        boundary="u = 0",
        parameters={"D": 0.2},
    )


def elliptic_in_time() -> Problem:
    """u_tt = −u_xx as an initial-value problem (Hadamard); from 1/(1.2 + cos) it ends at t = 0.1."""
    return Problem(
        "u_tt = -u_xx",
        domain=Box(x=(0, 1)),
        time=(0, 0.5),
        initial={"u": "1/(1.2 + cos(2*pi*x))", "u_t": 0},
        boundary="periodic",
    )


def shock() -> Problem:
    """u_t + u u_x = 0 from −sin πx: the wave breaks at t = 1/π, the window ends at 0.6."""
    return Problem(
        "u_t + u*u_x = 0", domain=Box(x=(-1, 1)), time=(0, 0.6), initial="-sin(pi*x)", boundary="periodic"
    )


def shock_late() -> Problem:
    """The same with a shock in the last tenth of the window only."""
    return Problem(
        "u_t + u*u_x = 0", domain=Box(x=(-1, 1)), time=(0, 0.35), initial="-sin(pi*x)", boundary="periodic"
    )


def shock_inflow() -> Problem:
    """u_t + u u_x = 0: a fast inflow overtakes what is ahead of it."""
    return Problem(
        "u_t + u*u_x = 0",
        domain=Box(x=(0, 2)),
        time=(0, 2),
        initial="1",
        boundary={"x-": "u = 1.5 - 0.5*cos(6*t)", "x+": None},
    )


def blow_up() -> Problem:
    """u_t = u_xx + u² from 20 sin πx: infinite well before the end."""
    return Problem(
        "u_t = 0.1*u_xx + u**2", domain=Box(x=(0, 1)), time=(0, 0.5), initial="20*sin(pi*x)", boundary="u = 0"
    )


def jump_at_corner() -> Problem:
    """Heat equation with u = 0 at the ends and u = 1 inside at the start."""
    return Problem(
        "u_t = u_xx",
        domain=Box(x=(0, 1)),
        time=(0, 0.1),
        initial="1 + 0.5*sin(pi*x)",
        boundary="u = 0",
        check_corners=False,
    )


def jump_at_inflow() -> Problem:
    """Transport with an inflow of 1 into a field that starts at 0: the jump travels through the box."""
    return Problem(
        "u_t + u_x = 0",
        domain=Box(x=(0, 1)),
        time=(0, 0.5),
        initial="0",
        boundary={"x-": "u = 1", "x+": None},
        check_corners=False,
        reference=lambda x, t: np.where(x < t, 1.0, 0.0),
    )


def periodic_with_jump() -> Problem:
    """Transport of x around a circle: initial data that do not close."""
    return Problem(
        "u_t + u_x = 0",
        domain=Box(x=(0, 1)),
        time=(0, 0.5),
        initial="x",
        boundary="periodic",
        check_corners=False,
        reference=lambda x, t: np.mod(x - t, 1.0),
    )


def kdv_as_printed() -> Problem:
    """The catalog's `kdv`: periodic, with a soliton that is not."""
    return catalog.kdv()


def value_and_flux() -> Problem:
    """Heat equation with u = 0 and u_n = 0 at both ends: two conditions too many."""
    return Problem(
        "u_t = u_xx",
        domain=Box(x=(0, 1)),
        time=(0, 0.1),
        initial="sin(pi*x)**2",
        boundary=["u = 0", "u_n = 0"],
    )


def fixed_outflow() -> Problem:
    """Transport with a value at the outflow, which the flow contradicts."""
    return Problem(
        "u_t + u_x = 0", domain=Box(x=(0, 1)), time=(0, 0.8), initial="sin(pi*x)", boundary="u = 0"
    )


def fixed_wave() -> Problem:
    """A string held at both ends whose slope at one end is given as well."""
    return Problem(
        "u_tt = u_xx",
        domain=Box(x=(0, 1)),
        time=(0, 1),
        initial={"u": "sin(pi*x)", "u_t": 0},
        boundary={"x-": "u = 0", "x+": ["u = 0", "u_x = -pi"]},
    )


CASES: dict[str, tuple[str, Callable[[], Problem]]] = {
    "backward-heat-bump": ("wrong sign of diffusion", backward_heat_bump),
    "backward-heat-sine": ("wrong sign of diffusion", backward_heat_sine),
    "backward-reaction": ("wrong sign of diffusion", backward_reaction),
    "backward-plane": ("wrong sign of diffusion", backward_plane),
    "elliptic-in-time": ("ill-posed", elliptic_in_time),
    "shock": ("shock in the window", shock),
    "shock-late": ("shock in the window", shock_late),
    "shock-inflow": ("shock in the window", shock_inflow),
    "blow-up": ("no solution up to the end", blow_up),
    "jump-at-corner": ("contradictory data", jump_at_corner),
    "jump-at-inflow": ("contradictory data", jump_at_inflow),
    "periodic-with-jump": ("contradictory data", periodic_with_jump),
    "kdv-as-printed": ("contradictory data", kdv_as_printed),
    "value-and-flux": ("overdetermined", value_and_flux),
    "fixed-outflow": ("overdetermined", fixed_outflow),
    "fixed-wave": ("overdetermined", fixed_wave),
}


def build(name: str) -> Problem:
    """The statement called `name`."""
    return CASES[name][1]()
