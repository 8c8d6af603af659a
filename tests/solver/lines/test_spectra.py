# SPDX-License-Identifier: MIT
"""Projected operators do not grow where the equations do not: complement tests inherit the energy estimate."""

import numpy as np
import pytest

from lrfm.problem import Box, Problem
from lrfm.solver.lines.form import Form
from lrfm.solver.lines.generator import generator
from lrfm.solver.lines.stages import DenseParts
from lrfm.solver.lines.system import System
from lrfm.spaces.axes.axis import Law, make_basis
from lrfm.spaces.axes.chart import Axis, Chart
from lrfm.spaces.axes.product import ProductBasis

STILL = {"u": "0", "u_t": "0"}
OPERATORS = {
    "transport": ("u_t = -u_x", "0", {"x-": "u = 0", "x+": None}, 1e-3),
    "heat": ("u_t = u_xx", "0", "u = 0", -9.8),
    "heat, flux": ("u_t = u_xx", "0", {"x-": "u_x = 0", "x+": "u_x + u = 0"}, -0.74),
    "dispersion": ("u_t = -u_xxx", "0", {"x-": "u = 0", "x+": ["u = 0", "u_x = 0"]}, 0.0),
    "plate": ("u_t = -u_xxxx", "0", ["u = 0", "u_x = 0"], -500.0),
    "circle": ("u_t = u_x", "0", "periodic", 1e-9),
    "string": ("u_tt = u_xx", STILL, "u = 0", 1e-7),
    "free string": ("u_tt = u_xx", STILL, "u_n = 0", 1e-4),
}


@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("kernel", [False, True])
def test_nothing_grows(name, kernel):
    equation, initial, boundary, bound = OPERATORS[name]
    problem = Problem(equation, domain=Box(x=(0, 1)), time=(0, 1), initial=initial, boundary=boundary)
    axis = Axis(0.0, 1.0, boundary == "periodic")
    bent = Chart(axis, np.array([0.3]), np.array([0.05]), np.array([1.0]))
    for seed in range(2):
        basis = make_basis(bent if kernel else Chart(axis), 30, Law(), np.random.default_rng(seed))
        form = Form(problem)
        system = System(form, ProductBasis((basis,), form.tops))
        still = np.zeros(system.shape)
        system.set_tests(0.0, still, still)
        made = generator(system, DenseParts(system, 0.0, still, still), 0.0, np.ones(len(still)))
        assert np.linalg.eigvals(made.matrix).real.max() <= bound
