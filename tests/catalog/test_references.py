# SPDX-License-Identifier: MIT
"""Reference solutions: two resolutions agree, independent methods agree, the linear part is exact."""

import mpmath
import numpy as np
import pytest
from helpers import thinned
from scipy.integrate import solve_ivp

from lrfm import catalog
from lrfm.catalog import flow, paper, patterns, reaction, reference, series
from lrfm.catalog.paper import cole_hopf
from lrfm.catalog.solitons import sech

# What an entry computes for its reference is kept in a process: one worker makes it once for all these tests.
pytestmark = pytest.mark.xdist_group("catalog")
TOLERANCE = 1e-10

SERIES = {
    "allen-cahn": lambda **r: [paper.allen_cahn_series(1e-4, 0.1, **r)],
    "allen-cahn-stiff": lambda **r: [paper.allen_cahn_series(1e-1, 0.15, **r)],
    "allen-cahn-long": lambda **r: [paper.allen_cahn_series(1e-4, 2.0, **r)],
    "kuramoto-sivashinsky": lambda **r: [patterns.kuramoto_sivashinsky_series(2.0, **r)],
    "cahn-hilliard": lambda **r: [patterns.cahn_hilliard_series(0.02, 0.05, **r)],
    "swift-hohenberg": lambda **r: [patterns.swift_hohenberg_series(0.5, 3.0, **r)],
    "ginzburg-landau": lambda **r: [patterns.ginzburg_landau_series(1.0, -1.0, 2.0, **r)],
    "gray-scott": lambda **r: reaction.gray_scott_series(0.01, 0.005, 0.04, 0.06, 5.0, **r),
    "fitzhugh-nagumo": lambda **r: reaction.fitzhugh_nagumo_series(1.0, 0.08, 0.7, 0.8, 2.0, **r),
    "brusselator": lambda **r: reaction.brusselator_series(0.02, 1.0, 2.0, 1.0, **r),
    "vortices": lambda **r: flow.vortices_series(0.1, 0.5, **r),
}


def points_of(solution, rng, size=300):
    ends = zip(solution.lower, solution.lengths, strict=True)
    return [lower + length * rng.random(size) for lower, length in ends] + [solution.T * rng.random(size)]


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=pytest.mark.thorough) if n in ("vortices", "brusselator") else n for n in SERIES],
)
def test_two_resolutions_agree(name):
    rng = np.random.default_rng(1)
    coarse = SERIES[name]()
    finer = {"modes": 2 * coarse[0].integers.size, "panels": int(1.5 * len(coarse[0].hats))}
    fine = SERIES[name](**finer)
    assert fine[0].hats[0, 0].size > coarse[0].hats[0, 0].size
    assert len(fine[0].hats) > len(coarse[0].hats)
    for first, second in zip(coarse, fine, strict=True):
        points = points_of(first, rng)
        scale = np.abs(first(*points)).max()
        assert np.abs(first(*points) - second(*points)).max() < TOLERANCE * scale


def test_cole_hopf_agrees_with_a_spectral_run():
    nu, T = 0.005 / np.pi, 0.1
    (u,) = reference.evolve(
        box=[(-1.0, 1.0)],
        T=T,
        initial=lambda x: (-np.sin(np.pi * x),),
        rates=lambda k: (-nu * k**2,),
        nonlinear=lambda grid, hat: [-0.5j * grid.k[0] * grid.hat(grid.values(hat[:, 0]) ** 2)],
    )
    x, t = np.linspace(-1, 1, 101), np.linspace(0, T, 21)[:, None]
    assert np.abs(u(x, t) - cole_hopf(x, t, nu=nu)).max() < TOLERANCE


def test_cole_hopf_starts_from_the_data_and_survives_the_front():
    x = np.linspace(-1, 1, 51)
    assert np.allclose(cole_hopf(x, 0.0, nu=1e-3), -np.sin(np.pi * x), rtol=0, atol=1e-14)
    late = cole_hopf(x, 1.0, nu=0.01 / np.pi)
    assert np.all(np.isfinite(late))
    assert np.abs(late + late[::-1]).max() < 1e-10


@pytest.mark.parametrize("eps", [1e-2, 1e-4])
def test_allen_cahn_agrees_with_a_runge_kutta_run(eps):
    T, n = 0.1, 96
    x = -1 + 2 * np.arange(n) / n
    k = np.pi * np.fft.fftfreq(n, 1 / n)

    def rate(t, u):
        return np.fft.ifft(-eps * k**2 * np.fft.fft(u)).real - u**3 + u

    start = 0.55 * np.sin(np.pi * x) + 0.25 * np.sin(2 * np.pi * x)
    run = solve_ivp(rate, (0, T), start, method="DOP853", rtol=1e-12, atol=1e-13)
    assert np.abs(run.y[:, -1] - catalog.allen_cahn(eps=eps, T=T).reference(x=x, t=T)).max() < TOLERANCE


def test_fitzhugh_nagumo_agrees_with_a_runge_kutta_run():
    T, n = 2.0, 128
    x = -10 + 20 * np.arange(n) / n
    k = np.pi / 10 * np.fft.fftfreq(n, 1 / n)

    def rate(t, w):
        u, v = w[:n], w[n:]
        diffusion = np.fft.ifft(-(k**2) * np.fft.fft(u)).real
        return np.concatenate([diffusion + u - u**3 / 3 - v, 0.08 * (u + 0.7 - 0.8 * v)])

    start = np.concatenate([0.2 + np.cos(np.pi * x / 10), 0.3 * np.sin(np.pi * x / 10)])
    run = solve_ivp(rate, (0, T), start, method="DOP853", rtol=1e-12, atol=1e-13)
    exact = catalog.fitzhugh_nagumo(T=T).reference
    assert np.abs(run.y[:n, -1] - exact["u"](x=x, t=T)).max() < TOLERANCE
    assert np.abs(run.y[n:, -1] - exact["v"](x=x, t=T)).max() < TOLERANCE


def test_linear_part_is_exact_whatever_its_stiffness():
    (u,) = reference.evolve(
        box=[(0.0, 2 * np.pi)],
        T=0.01,
        initial=lambda x: (np.cos(x) + np.sin(3 * x),),
        rates=lambda k: (1j * k**3 - k**2,),
        nonlinear=lambda grid, hat: [0 * hat[:, 0]],
    )
    x, t = np.linspace(0, 7, 40), 0.0073
    exact = np.exp(-t) * np.cos(x + t) + np.exp(-9 * t) * np.sin(3 * x + 27 * t)
    assert np.abs(u(x, t) - exact).max() < 1e-13


@pytest.mark.parametrize("z", thinned([0.0, -3.0, -1e-7, -400.0, -4e4, 2.5j, -20 + 60j], 2))
def test_panel_weights_against_high_precision(z):
    points, _ = series.chebyshev()
    decay, weights = reference.panel_weights(np.array([complex(z)]))
    assert np.abs(decay[:, 0] - np.exp(points * z)).max() < 1e-14
    for j, m in ((3, 0), (8, 9), (15, 15)):
        c = points[j]
        others = [float(p) for i, p in enumerate(points) if i != m]

        def integrand(s, c=c, m=m, others=others):
            basis = mpmath.mpf(1)
            for p in others:
                basis *= (s - p) / (points[m] - p)
            return mpmath.exp(mpmath.mpc(z) * (c - s)) * basis

        exact = complex(mpmath.quad(integrand, [float(c) * (1 - 4.0**-i) for i in range(9)] + [float(c)]))
        assert weights[j, m, 0] == pytest.approx(exact, abs=1e-13)


def test_interpolation_in_time_is_exact_at_the_points():
    points, _ = series.chebyshev()
    assert np.array_equal(series.lagrange(points), np.eye(series.NODES))
    s = np.linspace(-0.01, 1.01, 7)
    assert np.allclose(series.lagrange(s) @ points**5, s**5, atol=1e-13)


def test_unresolvable_data_are_refused_with_advice():
    with pytest.raises(reference.Unresolved, match="shorter time or smoother data"):
        reference.evolve(
            box=[(0.0, 1.0)],
            T=0.1,
            initial=lambda x: (np.where(x < 0.5, 1.0, 0.0),),
            rates=lambda k: (0 * k,),
            nonlinear=lambda grid, hat: [0 * hat[:, 0]],
        )


def test_flow_reference_vanishes_on_the_walls():
    exact = catalog.vortices().reference
    y, t = np.linspace(0, np.pi, 9), 0.4
    for x in (0.0, np.pi):
        assert np.abs(exact["w"](x=x, y=y, t=t)).max() < 1e-12
        assert np.abs(exact["psi"](x=x, y=y, t=t)).max() < 1e-12


def test_printed_kdv_contradicts_its_reference():
    exact = catalog.kdv().reference
    left, right = exact(x=-8.0, t=0.0), exact(x=8.0, t=0.0)
    assert left == pytest.approx(3.4e-3, rel=0.02)
    assert right == pytest.approx(7e-7, rel=0.05)


def test_wide_period_hides_the_soliton_tail():
    exact = catalog.kdv_periodic().reference
    assert abs(exact(x=-20.0, t=0.25) - exact(x=20.0, t=0.25)) < 1e-11


def test_sech_does_not_overflow():
    z = np.array([-1e4, -2.0, 0.0, 2.0, 1e4])
    assert np.allclose(sech(z), [0, 1 / np.cosh(2), 1, 1 / np.cosh(2), 0], atol=0, rtol=1e-15)
