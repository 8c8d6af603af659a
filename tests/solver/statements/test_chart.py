# SPDX-License-Identifier: MIT
"""Charts and series: derivatives against mpmath and SymPy, inverses, and the addition theorems."""

import mpmath
import numpy as np
import pytest
import sympy

from lrfm.spaces.axes import series
from lrfm.spaces.axes.chart import Axis, Chart, chain_rule


def chart(periodic):
    return Chart(Axis(-1.0, 2.0, periodic), np.array([0.3, 1.4]), np.array([0.05, 0.2]), np.array([1.0, 0.5]))


def exact(given, x):
    """ξ(x) in high precision: the integral of the density, normalized."""
    a, length = mpmath.mpf(given.axis.lower), mpmath.mpf(given.axis.length)

    def density(s):
        total = 2 / length
        for c, d, w in zip(given.centers, given.widths, given.strengths, strict=True):
            away = s - mpmath.mpf(float(c))
            near = (
                (length / mpmath.pi * mpmath.sin(mpmath.pi * away / length)) if given.axis.periodic else away
            )
            total += mpmath.mpf(float(w)) / mpmath.sqrt(near**2 + mpmath.mpf(float(d)) ** 2)
        return total

    knots = [a, *sorted(float(c) for c in given.centers), a + length]
    whole = mpmath.quad(density, knots)
    part = mpmath.quad(density, [k for k in knots if k < x] + [x])
    return -1 + 2 * part / whole, density, whole


@pytest.mark.parametrize("periodic", [False, True])
def test_a_chart_is_the_integral_of_its_density(periodic):
    given = chart(periodic)
    for x in (-0.9, 0.25, 0.31, 1.7):
        value, density, whole = exact(given, x)
        assert given.coordinate(np.array([x]))[0] == pytest.approx(float(value), abs=1e-13)
        slopes = given.slopes(np.array([x]), 5)
        for n in range(5):
            wanted = float(2 * mpmath.diff(density, x, n) / whole)
            assert slopes[n][0] == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize("periodic", [False, True])
def test_places_invert_the_coordinate(periodic):
    given = chart(periodic)
    xi = np.linspace(-1, 1, 301)
    np.testing.assert_allclose(given.coordinate(given.places(xi)), xi, atol=1e-12)


def test_chain_rule_is_faa_di_bruno():
    x = sympy.Symbol("x")
    inner = sympy.sin(x) + x**2 / 3
    at = 0.7
    y = sympy.Symbol("y")
    tables = [
        np.array([[float(sympy.diff(sympy.exp(2 * y), y, n).subs(y, inner.subs(x, at)))]]) for n in range(6)
    ]
    slopes = [np.array([float(sympy.diff(inner, x, n).subs(x, at))]) for n in range(1, 6)]
    for n, found in enumerate(chain_rule(tables, slopes)):
        wanted = float(sympy.diff(sympy.exp(2 * inner), x, n).subs(x, at))
        assert found[0, 0] == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("periodic", [False, True])
def test_series_interpolate_and_differentiate(periodic):
    xi, weights = series.nodes(61, periodic)
    t = sympy.Symbol("t")
    formula = sympy.exp(sympy.sin(sympy.pi * t)) if periodic else sympy.exp(t) * sympy.sin(3 * t)
    values = sympy.lambdify(t, formula)(xi)
    coefficients = series.analyze(values[:, None], periodic)
    places = np.linspace(-1, 1, 40)
    for n, table in enumerate(series.derivatives(coefficients, places, 4, periodic)):
        wanted = sympy.lambdify(t, sympy.diff(formula, t, n))(places)
        np.testing.assert_allclose(table[:, 0], wanted, atol=1e-12 * 61.0 ** (2 * n))
    integral = float(sympy.Integral(formula, (t, -1, 1)).evalf())
    assert weights @ values == pytest.approx(integral, rel=1e-13)


@pytest.mark.parametrize("periodic", [False, True])
@pytest.mark.parametrize("count", [40, 41])
@pytest.mark.parametrize("length", [1, 31, 41, 57, 175])
def test_transforms_are_sums_over_the_series(periodic, count, length):
    """At the places of a quadrature, those that cannot tell the last terms apart included."""
    rng = np.random.default_rng(length)
    coefficients, xi = rng.normal(size=(length, 3)), series.places(count, periodic)
    wanted = series.terms(xi, length, periodic) @ coefficients
    np.testing.assert_allclose(series.synthesize(coefficients, count, periodic), wanted, atol=1e-11)
    some = series.synthesize(rng.normal(size=(31, 3)), count, periodic)
    again = series.synthesize(series.analyze(some, periodic), count, periodic)
    np.testing.assert_allclose(again, some, atol=1e-12)
    for n, table in enumerate(series.on_nodes(coefficients, count, 2, periodic)):
        np.testing.assert_allclose(
            table, series.derivatives(coefficients, xi, 2, periodic)[n], atol=1e-9 * max(length, 9) ** (2 * n)
        )
