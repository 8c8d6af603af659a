# SPDX-License-Identifier: MIT
"""How many stages steps have, when a march ends that stands still, and what a scan keeps."""

import numpy as np
import pytest

from lrfm.integrate.schemes.tableaus import legendre_table, radau
from lrfm.problem import Box, Problem

FRONT = Problem(
    "u_t + u*u_x = 0.01*u_xx",
    domain=Box(x=(-1, 1)),
    time=(0, 1),
    initial="-sin(pi*x)",
    boundary="u = 0",
)


@pytest.mark.parametrize("stages", [3, 5, 7])
def test_polynomials_are_extended_beyond_their_step(stages):
    z = np.linspace(-1.3, 3.0, 9)
    exact = np.polynomial.legendre.legvander(z, stages - 1)
    assert legendre_table(z, stages) == pytest.approx(exact, rel=1e-12, abs=1e-12)
    scheme, at = radau(stages), np.array([0.2, 1.7])
    power = scheme.nodes[:, None] ** (stages - 1)
    assert scheme.extended(power, at)[:, 0] == pytest.approx(at ** (stages - 1), rel=1e-11)
