# SPDX-License-Identifier: MIT
"""Coefficients of ∇u: a flux whose derivative they are, and the same equation whatever the flux."""

import numpy as np
import pytest

import lrfm
from lrfm.discretize.plane.weak import _total, weak
from lrfm.problem import Row

SQUARE = lrfm.Box(x=(0, 1), y=(0, 1))


@pytest.mark.parametrize(
    "factor", ["dot(grad(u), grad(u))", "(1 + u_x**2 + u*u_y**2)", "1/sqrt(1 + dot(grad(u), grad(u)))"]
)
def test_source_and_fluxes_are_the_equation(factor):
    """G − div f = F at points with arbitrary derivatives; for |∇u|² the flux is |∇u|² ∇u itself."""
    row = lrfm.Problem(f"div({factor}*grad(u)) = u*x", domain=SQUARE, boundary="u = 0", verify=False).rows[0]
    made = weak(row)
    slopes = [Row(_total(f.expression, k, row), row.coordinates, "") for k, f in enumerate(made.fluxes)]
    rng = np.random.default_rng(0)
    points = rng.random((4, 3))
    jets = {j: rng.standard_normal(4) for r in (row, made.source, *made.fluxes, *slopes) for j in r.jets}
    values = [r.residual(points, jets) for r in (made.source, *slopes, row)]
    assert np.allclose(values[0] - values[1] - values[2], values[3], atol=1e-12)
    if factor.startswith("dot"):
        p = [next(v for j, v in jets.items() if j.index == index) for index in ((1, 0, 0), (0, 1, 0))]
        for k, flux in enumerate(made.fluxes):  # F is div f, so that G − div f = F turns the sign
            assert np.allclose(flux.residual(points, jets), -(p[0] ** 2 + p[1] ** 2) * p[k])
    assert made.lower is not None
    assert all(sum(jet.index) < 2 for jet in made.lower.jets)
