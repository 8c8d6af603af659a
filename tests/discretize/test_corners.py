# SPDX-License-Identifier: MIT
"""Singular exponents at corners against their equations: lap u, flows, elastic bodies."""

import numpy as np
import pytest
from scipy.optimize import brentq

import lrfm
from lrfm.discretize.options import PLANE
from lrfm.discretize.plane.layout import PlaneLayout
from lrfm.integrate.steady.plane import StandingSystem
from lrfm.spaces.cells.plane.outline import Outline

CORNER = lrfm.Box(x=(-1, 1), y=(-1, 1), name="plate") - lrfm.Box(x=(0, 2), y=(-2, 0), name="notch")
BEAM = lrfm.Box(x=(0, 2), y=(0, 1))
FLOW = ["p_x = lap(u)", "p_y = lap(v)", "u_x + v_y = 0"]
ELASTIC = ["(lam + mu)*(u_xx + v_xy) + mu*lap(u) = 0", "(lam + mu)*(u_xy + v_yy) + mu*lap(v) = 0"]
SXX, SYY, SXY = "(lam + 2*mu)*u_x + lam*v_y", "(lam + 2*mu)*v_y + lam*u_x", "mu*(u_y + v_x)"
LAM, MU = 1.5, 1.0
KAPPA = 3 - 4 * LAM / (2 * (LAM + MU))
# sin²(λω) = λ² sin²ω between walls or free sides; 4κ sin²(λω) = (κ + 1)² − 4λ² sin²ω between a held and a free one (Williams, J. Appl. Mech. 19, 1952).
BETWEEN_WALLS = brentq(lambda s: np.sin(1.5 * np.pi * s) ** 2 - s**2, 0.5, 0.6)
HELD = brentq(lambda s: 4 * KAPPA * np.sin(0.5 * np.pi * s) ** 2 - (KAPPA + 1) ** 2 + 4 * s**2, 0.5, 0.9)


def singular(equations, domain, boundary, **parameters):
    problem = lrfm.Problem(equations, domain=domain, boundary=boundary, parameters=parameters)
    return PlaneLayout(StandingSystem(problem), Outline(problem.domain.shape, PLANE), 3).singular


@pytest.mark.parametrize(
    ("equations", "domain", "boundary", "expected"),
    [
        ("lap(u) = 1", CORNER, "u = 0", [2 / 3]),
        ("lap(u) = 1", CORNER, {"notch.y+": "u_n = 0", "*": "u = 0"}, [1 / 3]),
        ("(1 + u**2)*lap(u) = u_x", CORNER, "u = 0", [2 / 3]),
        (FLOW, CORNER, {"*": ["u = 0", "v = 0"]}, [BETWEEN_WALLS]),
        (FLOW, BEAM, {"x-": ["u = y*(1 - y)", "v = 0"], "x+": "outflow", "*": ["u = 0", "v = 0"]}, []),
        (FLOW, BEAM, {"y+": ["u = 1", "v = 0"], "*": ["u = 0", "v = 0"]}, [0.5, 0.5]),
        (ELASTIC, BEAM, {"x-": ["u = 0", "v = 0"], "x+": [f"{SXX} = 0", f"{SXY} = 1"], "y": [f"{SXY} = 0", f"{SYY} = 0"]}, [HELD, HELD]),
    ],
    ids=["values", "mixed", "nonlinear", "walls", "channel", "lid", "beam"],
)  # fmt: skip
def test_exponents(equations, domain, boundary, expected):
    parameters = {"lam": LAM, "mu": MU} if equations is ELASTIC else {}
    found = [power for _, power in singular(equations, domain, boundary, **parameters)]
    assert np.allclose(sorted(found), sorted(expected), atol=1e-4)
