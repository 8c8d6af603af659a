# SPDX-License-Identifier: MIT
"""A rod heated by a lamp whose power was measured: data as NumPy functions instead of formulas."""

import numpy as np
from scipy.interpolate import CubicSpline

import lrfm

hours = np.linspace(0, 1, 11)
power = CubicSpline(hours, 3 * np.sin(np.pi * hours) ** 2)  # stands for eleven readings


def lamp(x, t):
    return power(t) * np.exp(-8 * (x - 0.3) ** 2)


problem = lrfm.Problem(
    "T_t = D*T_xx + lamp",
    domain=lrfm.Box(x=(0, 1)),
    time=(0, 1),
    initial=lambda x: 0 * x,
    boundary="T_n = 0",
    parameters={"D": 0.5, "lamp": lamp},
)
solution = lrfm.solve(problem, tol=1e-3)
x = np.linspace(0, 1, 201)

print(f"{solution(x=x, t=1.0).max():.3f}")  # the hottest place after one hour: 0.905
