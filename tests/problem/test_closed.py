# SPDX-License-Identifier: MIT
"""F(x, t, {D^a u}; p) with numbers for p: the open row with numbers put in is the row that is read with these numbers."""

import numpy as np
import pytest

import lrfm
from lrfm.problem.template import Template

OPEN = lrfm.Problem(
    "u_t = d*u_xx - c*u*u_x + a*u - a*b*u**3 + s*sin(x)",
    domain=lrfm.Box(x=(0, 1)),
    time=(0, 1),
    initial="sin(pi*x)",
    boundary="u = 0",
    parameters={"d": 1.0, "c": 0.5, "a": 2.0, "b": 0.25, "s": 1.0},
)
VALUES = {"d": 0.3, "c": -1.5, "a": 1.0, "b": 0.7, "s": 0.2}


@pytest.mark.parametrize("changed", [{}, {"c": 0.0}, {"a": 0.0}, {"b": 0.0}, {"s": 0.0}])
def test_closed_rows_are_those_that_are_read(changed):
    """Values, slopes and coefficients; where a number makes a term vanish, as c = 0 does, the jets of the row, too."""
    values, rng = {**VALUES, **changed}, np.random.default_rng(0)
    (closed,), (read,) = Template(OPEN).at(values).rows, OPEN.replace(parameters=values).rows
    points = rng.random((9, 2))
    jets = {jet: rng.normal(size=9) for jet in {*closed.jets, *read.jets}}
    assert set(closed.jets) == set(read.jets)
    assert closed.linear == read.linear
    assert closed.stationary == read.stationary
    assert np.allclose(closed.residual(points, jets), read.residual(points, jets), rtol=1e-13)
    (s, one), (r, other) = closed.affine(points), read.affine(points)
    assert np.allclose(s, r, rtol=1e-13)
    assert set(one) == set(other)
    assert all(np.allclose(one[jet], other[jet], rtol=1e-13) for jet in one)
    (n, slopes), (m, others) = closed.nonlinear(points, jets, False), read.nonlinear(points, jets, False)
    assert np.allclose(n, m, rtol=1e-13)
    assert set(slopes) == set(others)
    assert all(np.allclose(slopes[jet], others[jet], rtol=1e-13) for jet in slopes)
    assert np.allclose(closed.magnitude(points, jets), read.magnitude(points, jets), rtol=1e-13)
