# SPDX-License-Identifier: MIT
"""Exponential Runge-Kutta: orders of its steps and of what is between them, exact linear parts, kept matrices."""

import math
from dataclasses import replace

import numpy as np
import pytest
from on_series import box, discretized

import lrfm
from lrfm.discretize.box.modewise import ModeMatrix, RealMatrix
from lrfm.discretize.box.spectral import SpectralDiscretization
from lrfm.discretize.options import SAFEGUARDS
from lrfm.integrate.schemes.exponential import ExponentialRungeKutta, carried, growth, spectral_start
from lrfm.integrate.schemes.radau import Iteration
from lrfm.integrate.schemes.tableaus import radau
from lrfm.integrate.state import IntegratorState
from lrfm.rows.in_time import integrals

BURGERS = box("u_t + u*u_x = 0.05*u_xx", "sin(x) + 0.5*cos(2*x)", axes="x")
KDV = box("u_t + u*u_x + 0.1*u_xxx = 0", "cos(x)", axes="x")
WAVES = box(
    ["u_tt = 3*u_xx + u_yy + 2*v_xy", "v_tt = v_xx + 3*v_yy + 2*u_xy"],
    {"u": "sin(x + y)", "u_t": "cos(x)", "v": "cos(2*y)", "v_t": "sin(x - y)"},
)


def begun(problem, count=24):
    made = discretized(problem, count)
    system, mesh = made.system, made.mesh
    points = np.column_stack([mesh.points(), np.zeros(math.prod(mesh.grid))])
    y = np.zeros((len(system.components), 1, mesh.reals))
    for c, (field, level) in enumerate(system.components):
        datum = problem.initial_data.get((field, level))
        if datum is not None:
            values = datum.part(points, field).reshape(mesh.grid)
            y[c, 0] = mesh.flat(mesh.coefficients(values, made.form.parities[c]))
    y, z = spectral_start(made, 0.0, y, 1.0)
    return made, y, z


def step(scheme, made, y, z, time, length):
    nothing = np.zeros(len(y))
    state = IntegratorState(time, made.mesh, y, z, length, 0.0, nothing, nothing)
    return scheme.step(made, None, state, length, Iteration(None, 0.0, 1))


def steps(problem, count, end=1.0, degree=4):
    made, y, z = begun(problem)
    scheme, h = ExponentialRungeKutta(end, degree), end / count
    for n in range(count):
        result = step(scheme, made, y, z, n * h, h)
        y, z = result.end, result.rates[-1]
    return made, y, result


@pytest.mark.parametrize(("problem", "order"), [(BURGERS, 3.8), (KDV, 3.9)], ids=["diffusion", "dispersion"])
def test_steps_are_of_order_four(problem, order):
    made, exact, _ = steps(problem, 160)
    errors = [float(np.max(made.norms(steps(problem, n)[1] - exact))) for n in (10, 20)]
    assert math.log2(errors[0] / errors[1]) > order
    assert errors[1] < 1e-5


@pytest.mark.parametrize("problem", [BURGERS, KDV], ids=["diffusion", "dispersion"])
def test_the_error_is_of_order_five_and_not_below_the_true_one(problem):
    made, y, z = begun(problem)
    found, true = [], []
    for h in (0.1, 0.05):
        result = step(ExponentialRungeKutta(h, 4), made, y, z, 0.0, h)
        fine, at = y, 0.0
        scheme = ExponentialRungeKutta(h, 4)
        for n in range(8):
            fine = step(scheme, made, fine, z, at + n * h / 8, h / 8).end
        found.append(float(np.max(made.norms(result.error))))
        true.append(float(np.max(made.norms(result.end - fine))))
    assert math.log2(found[0] / found[1]) > 4.3
    assert all(t < f < 10 * t for t, f in zip(true, found, strict=True))


def test_a_step_takes_eight_evaluations(monkeypatch):
    """What the end has of N, the next step begins with; none is for the error alone."""
    made, y, z = begun(BURGERS)
    scheme, before, asked = ExponentialRungeKutta(1.0), made.rest, []
    monkeypatch.setattr(made, "rest", lambda v, t: asked.append(t) or before(v, t))
    first = step(scheme, made, y, z, 0.0, 0.125)
    assert len(asked) == 9
    step(scheme, made, first.end, first.rates[-1], 0.125, 0.125)
    assert len(asked) == 17


def test_the_error_sees_what_is_the_same_at_both_ends_and_in_the_middle():
    """sin²(2πt/h) is zero there, and one in between."""
    h = 0.125
    made, y, z = begun(box(f"u_t = u_xx - u**2 + sin({2 * np.pi / h}*t)**2*cos(x)", "sin(x)", axes="x"))
    scheme, fine, true = ExponentialRungeKutta(h), y, ExponentialRungeKutta(h)
    found = step(scheme, made, y, z, 0.0, h)
    for n in range(64):
        fine = step(true, made, fine, z, n * h / 64, h / 64).end
    assert np.max(made.norms(found.end - fine)) < np.max(made.norms(found.error))


@pytest.mark.parametrize(("degree", "order"), [(4, 4.5), (6, 4.5)])
def test_what_is_between_the_ends(degree, order):
    made, y, z = begun(BURGERS)
    errors = []
    for h in (0.2, 0.1):
        result = step(ExponentialRungeKutta(1.0, degree), made, y, z, 0.0, h)
        fine, worst = y, 0.0
        scheme, rates = ExponentialRungeKutta(1.0, degree), result.rates
        to_legendre = radau(degree).to_legendre
        for n in range(16):
            fine = step(scheme, made, fine, z, n * h / 16, h / 16).end
            weights = integrals(degree, np.array([(n + 1) / 16])) @ to_legendre
            here = y + h * np.tensordot(weights[0], rates, axes=1)
            worst = max(worst, float(np.max(made.norms(here - fine))))
        errors.append(worst)
    assert math.log2(errors[0] / errors[1]) > order


@pytest.mark.parametrize("length", [1e-3, 1.0, 40.0])
def test_linear_statements_are_exact_over_any_step(length):
    made, y, z = begun(WAVES, 4)
    whole = step(ExponentialRungeKutta(length, 4), made, y, z, 0.0, length).end
    half = step(ExponentialRungeKutta(length, 4), made, y, z, 0.0, length / 2).end
    twice = step(ExponentialRungeKutta(length, 4), made, half, z, length / 2, length / 2).end
    assert np.allclose(whole, twice, rtol=0, atol=1e-13 * (1 + length))


def test_step_sizes_are_few():
    scheme = ExponentialRungeKutta(1.0, 4)
    sizes = {scheme.quantized(h) for h in np.linspace(0.5, 0.999, 500)}
    assert len(sizes) == 4
    assert all(scheme.quantized(h) == h for h in sizes)
    assert all(0.8 * h < scheme.quantized(h) <= h for h in np.geomspace(1e-12, 1e3, 50))


def test_a_step_that_overflows_has_not_converged():
    made, y, z = begun(box("u_t = u_xx + u**3", "40*cos(x)", axes="x"))
    assert not step(ExponentialRungeKutta(1.0, 4), made, y, z, 0.0, 1.0).converged


@pytest.mark.parametrize("source", ["0", "u**2"])
def test_a_step_to_numbers_whose_squares_are_none_has_failed(source):
    """e⁶⁰⁰ is a number and e¹²⁰⁰ is none: such a step has no size, and says so without a warning."""
    made, y, z = begun(box(f"u_t = u_xx + 600*u + {source}", "1 + 0.5*sin(x)", axes="x"))
    assert not step(ExponentialRungeKutta(1.0, 4), made, y, z, 0.0, 1.0).converged
    assert step(ExponentialRungeKutta(1.0, 4), made, y, z, 0.0, 1e-4).converged


def test_matrices_are_kept_up_to_a_limit(monkeypatch):
    """Those that one step needs stay, whatever they are."""
    made, y, z = begun(BURGERS)
    monkeypatch.setattr("lrfm.integrate.schemes.exponential.SAFEGUARDS", replace(SAFEGUARDS, numbers=0))
    scheme = ExponentialRungeKutta(1.0, 4)
    for h in (0.1, 0.05, 0.02):
        assert step(scheme, made, y, z, 0.0, h).converged
        assert len(scheme._kept) == 2


def test_increments_in_single_precision_have_all_its_digits():
    """However short the step: rates are not differences of rounded values."""
    made, y, z = begun(BURGERS)
    double = step(ExponentialRungeKutta(1.0), made, y, z, 0.0, 1e-4)
    single = step(ExponentialRungeKutta(1.0, single=True), made, y, z, 0.0, 1e-4)
    assert np.array_equal(single.end, double.end)
    assert np.max(made.norms(single.rates - double.rates)) < 1e-5 * np.max(made.norms(double.rates))


REACTION = box(
    ["u_t = lap(u) + 1 - 4*u + u**2*v", "v_t = 0.1*lap(v) + 3*u - u**2*v"],
    {"u": "1 + 0.3*cos(x + 2*y)", "v": "3 + 0.2*sin(x - y)"},
)


def rounded(problem, precision, count=8):
    """A step, and whether it was of single precision."""
    made, y, z = begun(problem, count)
    made = SpectralDiscretization(made.form, made.mesh, precision)
    result = step(ExponentialRungeKutta(1.0), made, y, z, 0.0, 0.05)
    return made, result, made.terms.single


def test_the_rest_is_of_single_precision_where_a_step_may_lose_as_much():
    made, single, used = rounded(REACTION, 1e-5)
    _, double, never = rounded(REACTION, 0.0)
    assert (used, never) == (True, False)
    lost = made.norms(single.end - double.end) / made.norms(double.end)
    assert np.all(lost > 0)
    assert np.all(lost < 1e-7)


@pytest.mark.parametrize(("scale", "power"), [(1e-20, 40), (1e15, -30)], ids=["too small", "too large"])
def test_numbers_that_single_precision_does_not_hold_are_of_double(scale, power):
    """u³ is 1e-60 or 1e45, and counts as u does: with zeros or infinities in its place a step would be another, or none."""
    problem = box(f"u_t = lap(u) - 1e{power}*u**3", f"{scale}*(1 + 0.5*cos(x + y))")
    made, single, used = rounded(problem, 1e-5)
    _, double, _ = rounded(problem, 0.0)
    assert not used
    assert single.converged
    assert np.array_equal(single.end, double.end)
    assert made.norms(single.end)[0] < 0.999 * scale


def test_numbers_that_become_too_large_are_of_double():
    problem = box("u_t = lap(u) + 100*u - 1e-36*u**4", "1e9*(1 + 0.5*cos(x + y))")
    made, y, z = begun(problem, 4)
    made = SpectralDiscretization(made.form, made.mesh, 1e-5)
    scheme = ExponentialRungeKutta(1.0)
    assert step(scheme, made, y, z, 0.0, 1e-4).converged
    assert made.terms.single
    result = step(scheme, made, 3 * y, z, 1e-4, 1e-4)  # u⁴ = 4e38
    assert result.converged
    assert not made.terms.single


def test_real_matrices_of_coupled_components_are_those_of_complex_numbers():
    """Of Brusselator's two components, whose eigenvalues are complex, functions of L are real."""
    made, y, _ = begun(REACTION, 4)
    v = made.split(y)
    real = made.linear.combined([made.linear.phis(0.3)], lambda p: p[1])
    assert isinstance(real, RealMatrix)
    entries = {at: e[..., ::2] for at, e in real.entries.items()}
    assert np.allclose(real(v), ModeMatrix(2, entries)(v), rtol=1e-14, atol=0)
    small = real.astype(np.float32).times(v.view(float).astype(np.float32))
    assert small.dtype == np.float32
    assert np.allclose(small.astype(float).view(complex), real(v), rtol=1e-5, atol=1e-6)


def test_steps_up_to_the_longest_keep_what_is_carried():
    """Both halves of a step have |R| ≤ 1 for N = iωy beside L = −d where hω ≤ s (1 + γ hd), and soon beyond it they do not."""
    s, gamma = carried()
    assert s == pytest.approx(2 * math.sqrt(8), rel=1e-14)
    d = np.append(0.0, np.geomspace(1e-2, 1e4, 400))  # of one half
    limit = 0.5 * s * (1 + 2 * gamma * d)
    for part in np.linspace(0.0, 1.0, 51):
        assert np.all(growth(d, part * limit) <= 1 + 1e-12)
    assert np.all(growth(d, 2.0 * limit) > 1)


def test_growth_is_that_of_the_steps():
    """y′ = −d y + iωy as two real unknowns, u_t = 0.3 u_xx − 2v and v_t = 0.3 v_xx + 2u, with products of one in the place of numbers."""
    problem = box(
        ["u_t = 0.3*u_xx - 2*v*c", "v_t = 0.3*v_xx + 2*u*c", "c_t = 0"],
        {"u": "sin(x)", "v": "0", "c": "1"},
        axes="x",
    )
    made, y, z = begun(problem)
    h = 1.5
    result = step(ExponentialRungeKutta(1.0), made, y, z, 0.0, h)
    grown = np.sqrt(np.sum(made.norms(result.end)[:2] ** 2)) / made.norms(y)[0]
    assert grown == pytest.approx(
        float(growth(np.array([0.3 * h / 2]), np.array([2 * h / 2]))[0]) ** 2, rel=1e-9
    )


def test_short_waves_do_not_grow_from_nothing_in_long_steps():
    """A Rossby wave without viscosity: h k U = 25 with eight waves was as long a step as its error allows; beyond 6 noise grows, with more waves the more, and a comparison did not end."""
    problem = lrfm.Problem(
        ["w_t + p_x*w_y - p_y*w_x + 3*p_x = 0", "lap(p) = w"],
        domain=lrfm.Box(x=(0, 2 * np.pi), y=(0, 2 * np.pi)),
        time=(0, 10),
        initial={"w": "-5*cos(x + 2*y)"},
        boundary="periodic",
    )
    found = lrfm.solve(problem, tol=1e-4)
    (piece,) = found.pieces
    assert max(max(mesh.counts) for mesh in piece.meshes) <= 14
    rng = np.random.default_rng(0)
    x, y, t = (high * rng.random(500) for high in (2 * np.pi, 2 * np.pi, 10.0))
    exact = -5 * np.cos(x + 2 * y + 0.6 * t)
    error = np.linalg.norm(found["w"](x=x, y=y, t=t) - exact) / np.linalg.norm(exact)
    assert error <= found.report.error_estimate <= 1e-4


def test_a_pressure_that_cancels_is_not_made_of_rounding():
    """Velocity and field are the same and steady: what is left of p in single precision is all of it, and no step was small enough for that."""
    first = {"u": "2*cos(x)*sin(2*y)", "v": "-sin(x)*cos(2*y)"}
    problem = lrfm.Problem(
        [
            "u_t + u*u_x + v*u_y - a*a_x - b*a_y = -p_x",
            "v_t + u*v_x + v*v_y - a*b_x - b*b_y = -p_y",
            "a_t + u*a_x + v*a_y - a*u_x - b*u_y = 0",
            "b_t + u*b_x + v*b_y - a*v_x - b*v_y = 0",
            "u_x + v_y = 0",
        ],
        domain=lrfm.Box(x=(0, 2 * np.pi), y=(0, 2 * np.pi)),
        time=(0, 2),
        initial={**first, "a": first["u"], "b": first["v"]},
        boundary="periodic",
    )
    found = lrfm.solve(problem, tol=1e-3)
    assert found.report.engine.steps < 100
    rng = np.random.default_rng(0)
    x, y, t = (high * rng.random(300) for high in (2 * np.pi, 2 * np.pi, 2.0))
    exact = 2 * np.cos(x) * np.sin(2 * y)
    error = np.linalg.norm(found["a"](x=x, y=y, t=t) - exact) / np.linalg.norm(exact)
    assert error <= found.report.error_estimate <= 1e-3
