# SPDX-License-Identifier: MIT
"""Evaluation: the fast ways give what the series says, and are fast; coordinates are broadcast by shape or by dimension."""

from __future__ import annotations

import numpy as np
import pytest
import xarray

import lrfm
from lrfm.problem.jets import Jet
from lrfm.rows.shared_steps import integrals
from lrfm.rows.steps import Steps
from lrfm.spaces.axes import series
from lrfm.spaces.axes.axis import Law, make_basis
from lrfm.spaces.axes.chart import Axis, Chart
from lrfm.spaces.axes.product import ProductBasis


def basis_of(periodic: bool, kernel: bool, seed: int):
    kernels = [np.array([v]) for v in (0.4, 0.05, 0.8)] if kernel else []
    return make_basis(Chart(Axis(0.0, 1.0, periodic), *kernels), 20, Law(), np.random.default_rng(seed))


def steps_of(axes, stages=4, seed=0) -> Steps:
    rng = np.random.default_rng(seed)
    basis = ProductBasis(tuple(axes), (0,) * len(axes))
    edges = np.array([0.0, 0.3, 0.35, 1.0])
    shape = (3, stages, 2, basis.size)
    return Steps(basis, ("u", "v"), edges, rng.normal(size=(3, 2, basis.size)), rng.normal(size=shape))


@pytest.mark.parametrize("periodic", [False, True])
@pytest.mark.parametrize("count", [1, 2, 3, 10, 83, 400])
def test_terms_by_products_are_those_by_cosines(periodic, count):
    xi = np.concatenate([np.linspace(-1, 1, 501), [-1.0, 1.0, 0.0]])
    np.testing.assert_allclose(
        series.columns(xi, count, periodic).T,
        series.terms(xi, count, periodic),
        atol=2e-16 * (10 + count**2 / 10),
    )


@pytest.mark.parametrize("rows", [1, 5, 200])
@pytest.mark.parametrize(("periodic", "kernel"), [(False, False), (True, False), (False, True), (True, True)])
def test_sums_along_an_axis_are_those_of_its_functions(periodic, kernel, rows):
    axis = basis_of(periodic, kernel, 1)
    x, c = np.random.default_rng(0).random(5000), np.random.default_rng(1).normal(size=(rows, axis.rank))
    tables, found = axis.at(x, 3), axis.sums(x, [0, 2, 3], c)
    for order in (0, 2, 3):
        exact = c @ tables[order].T
        assert np.abs(found[order] - exact).max() < 1e-12 * np.abs(exact).max()


@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_points_grids_and_plain_sums_agree(dimension):
    axes = [basis_of(k == 1, k == 0, k) for k in range(dimension)]
    piece = steps_of(axes)
    rng = np.random.default_rng(3)
    places, times = [rng.random(3 + k) for k in range(dimension)], rng.random(9)
    jets = [
        Jet("u", (0,) * (dimension + 1)),
        Jet("v", (2, *(0,) * (dimension - 1), 1)),
        Jet("u", (1,) * dimension + (2,)),
    ]
    mesh = np.meshgrid(*places, times, indexing="ij")
    points = np.column_stack([m.ravel() for m in mesh])
    scattered, grid = piece.values(jets, points), piece.on_grid(jets, places, times)
    for jet in jets:
        exact = plain_sum(piece, jet, points)
        size = np.abs(exact).max()
        np.testing.assert_allclose(scattered[jet], exact, atol=1e-11 * size, rtol=0)
        np.testing.assert_allclose(np.moveaxis(grid[jet], 0, -1).ravel(), exact, atol=1e-11 * size, rtol=0)
        one_by_one = [piece.at_place(jet, x, t) for *x, t in points.tolist()]
        np.testing.assert_allclose(one_by_one, exact, atol=1e-11 * size, rtol=0)


def plain_sum(piece: Steps, jet: Jet, points: np.ndarray) -> np.ndarray:
    """Σ_m a_m(t) ψ_m(x) point by point, with the polynomial in time as NumPy's class knows it."""
    legendre, result = np.polynomial.Legendre, []
    field = piece.fields.index(jet.field)
    for *x, t in points:
        k = min(np.searchsorted(piece.edges, t, side="right") - 1, 2)
        h = piece.edges[k + 1] - piece.edges[k]
        tables = [
            a.at(np.array([z]), n)[n][0] for a, z, n in zip(piece.basis.axes, x, jet.index, strict=False)
        ]
        psi = tables[0]
        for table in tables[1:]:
            psi = np.multiply.outer(psi, table).ravel()
        slopes = legendre(piece.slopes[k, :, field] @ psi, domain=[piece.edges[k], piece.edges[k + 1]])
        u = slopes.integ(1, lbnd=piece.edges[k]) + piece.starts[k, field] @ psi
        result.append((u.deriv(jet.index[-1]) if jet.index[-1] else u)(t))
        assert h > 0
    return np.array(result)


def test_the_integrals_of_a_step_are_its_weights():
    piece = steps_of([basis_of(False, False, 0)])
    tau = np.linspace(0, 1, 7)
    weights = piece.weights(2, 0.35 + 0.65 * tau, 0)
    np.testing.assert_allclose(weights[1:].T, integrals(4, tau), atol=1e-14)
    np.testing.assert_allclose(weights[0], 1.0, atol=1e-14)


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
    with pytest.raises(ValueError, match="not a number"):
        heat(x="left", t=0.0)
    with pytest.raises(KeyError, match="no derivative of an unknown"):
        heat.derivative("v_x")
    with pytest.raises(KeyError, match="no derivative of an unknown"):
        heat.derivative("u_xq")
