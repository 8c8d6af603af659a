# SPDX-License-Identifier: MIT
"""Evaluation: the fast ways give what the series says, and are fast; coordinates are broadcast by shape or by dimension."""

from __future__ import annotations

import numpy as np
import pytest
import xarray

import lrfm
from lrfm.rows.in_time import integrals, polynomials
from lrfm.rows.pieces import chebyshev


@pytest.mark.parametrize("count", [1, 2, 3, 10, 83, 400])
def test_chebyshev_polynomials_by_products_are_cosines(count):
    xi = np.concatenate([np.linspace(-1, 1, 501), [-1.0, 1.0, 0.0]])
    exact = np.cos(np.arange(count)[:, None] * np.arccos(xi))
    np.testing.assert_allclose(chebyshev(xi, count), exact, atol=2e-16 * (10 + count**2 / 10))


@pytest.mark.parametrize("order", [0, 1, 2])
def test_polynomials_of_a_step_are_integrals_of_legendre_polynomials(order):
    """1 and ∫₀^τ P_k(2s − 1) ds with their derivatives, as NumPy's class knows them."""
    tau, table = np.linspace(0, 1, 7), polynomials(4, order)
    found = table @ chebyshev(2 * tau - 1, len(table))
    for k in range(4):
        exact = np.polynomial.Legendre.basis(k, domain=[0, 1]).integ(lbnd=0).deriv(order)
        np.testing.assert_allclose(found[k + 1], exact(tau), atol=1e-12)
    np.testing.assert_allclose(found[0], float(order == 0), atol=1e-14)
    if order == 0:
        np.testing.assert_allclose(found[1:].T, integrals(4, tau), atol=1e-14)


@pytest.fixture(scope="module")
def heat():
    return lrfm.solve(lrfm.catalog.heat_1d(), tol=1e-5)


@pytest.fixture(scope="module")
def nls():
    return lrfm.solve(lrfm.catalog.nls(), tol=1e-3, strict=False)


def test_every_way_to_broadcast_gives_the_same(heat, nls):
    x, t = np.linspace(0, 1, 4), np.linspace(0, 0.1, 3)
    each = np.array([[heat(x=a, t=b) for b in t] for a in x])
    np.testing.assert_allclose(heat(x=x[:, None], t=t), each, atol=1e-14)
    np.testing.assert_allclose(heat(x=x, t=t[:, None]), each.T, atol=1e-14)
    np.testing.assert_allclose(heat(x=x[:, None] + 0 * t, t=t), each, atol=1e-13)
    np.testing.assert_allclose(
        heat(x=x.reshape(2, 1, 2), t=t[:, None]), each.T.reshape(3, 2, 2).transpose(1, 0, 2), atol=1e-14
    )
    assert heat(x=np.zeros((0, 1)), t=t).shape == (0, 3)
    x, t = np.linspace(-4, 4, 5), np.linspace(0, 0.4, 4)
    np.testing.assert_allclose(nls(x=x[:, None], t=t), [[nls(x=a, t=b) for b in t] for a in x], atol=1e-12)


def test_one_point_is_one_of_many(heat, nls):
    """Plain numbers take a way of their own: derivatives, complex unknowns, ends and what lies beyond them are as for arrays."""
    at = {"x": 0.3, "t": 0.04}
    for name in ("u", "u_x", "u_xxt", "u**2 + u_x"):
        field = heat[name]
        assert type(field(**at)) is np.float64
        assert field(**at) == pytest.approx(field(x=np.array([0.3, 0.5]), t=0.04)[0], rel=1e-9, abs=1e-12)
    assert heat(x=1, t=0) == pytest.approx(heat(x=np.ones(2), t=np.zeros(2))[0], abs=1e-12)
    assert heat(x=np.float32(1 + 1e-7), t=0) == pytest.approx(heat(x=1.0, t=0.0), abs=1e-5)
    with pytest.raises(ValueError, match=r"x=1\.1 lies outside"):
        heat(x=1.1, t=0.0)
    with pytest.raises(ValueError, match="finite"):
        heat(x=float("nan"), t=0.0)
    assert type(nls(x=0.5, t=0.1)) is np.complex128
    assert nls(x=0.5, t=0.1) == pytest.approx(nls(x=np.array([0.5, 0.6]), t=0.1)[0], abs=1e-12)


def test_labeled_coordinates_go_together_by_their_dimension(heat):
    x = xarray.DataArray(np.linspace(0, 1, 5), dims="x", coords={"x": np.linspace(0, 1, 5)})
    t = xarray.DataArray(np.linspace(0, 0.1, 5), dims="time")
    u = heat(x=x, t=t)
    assert u.dims == ("x", "time")
    assert u.name == "u"
    np.testing.assert_allclose(u.values, heat(x=x.values[:, None], t=t.values), atol=1e-14)
    np.testing.assert_array_equal(u.coords["x"], x.values)
    along = heat(x=x, t=xarray.DataArray(t.values, dims="x"))
    np.testing.assert_allclose(along.values, heat(x=x.values, t=t.values), atol=1e-14)
    assert heat.derivative("u_x")(x=x, t=0.05).dims == ("x",)
    with pytest.raises(TypeError, match="without names of dimensions"):
        heat(x=x, t=t.values)
    with pytest.raises(ValueError, match="5 places in one coordinate and 2"):
        heat(x=x, t=xarray.DataArray([0.0, 0.1], dims="x"))


def test_wrong_arguments_get_a_sentence(heat):
    with pytest.raises(TypeError, match=r"square brackets: write `\['u_x'\]\(x=..., t=...\)`"):
        heat("u_x", x=0.3, t=0.05)
    with pytest.raises(AttributeError, match=r"square brackets: write `\['u_x'\]\(x=..., t=...\)`"):
        _ = heat.u_x
    assert not hasattr(heat, "predict")
    with pytest.raises(TypeError, match=r"by name: write `\(x=0.3, t=0.05\)`"):
        heat(0.3, 0.05)
    with pytest.raises(TypeError, match="`X` is no coordinate"):
        heat(X=0.3, t=0.05)
    with pytest.raises(TypeError, match="`t` is missing"):
        heat["u"](x=0.3)
    with pytest.raises(ValueError, match="shapes that do not go together"):
        heat(x=[0.1, 0.2], t=[0.0, 0.01, 0.02])
    with pytest.raises(ValueError, match="expected a number"):
        heat(x="left", t=0.0)
    with pytest.raises(KeyError, match="no derivative of an unknown"):
        heat.derivative("v_x")
    with pytest.raises(KeyError, match="no derivative of an unknown"):
        heat.derivative("u_xq")
