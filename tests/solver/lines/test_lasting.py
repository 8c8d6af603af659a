# SPDX-License-Identifier: MIT
"""What residuals and steps carry to the end: waves outside of a basis, unstable bands, solitons that travel, and charts that follow them."""

import numpy as np
import pytest

import lrfm
from lrfm.problem import Box, Problem
from lrfm.solver.lines.form import form_of
from lrfm.solver.lines.front import begin, drawn
from lrfm.solver.lines.lasting import slowest

from .helpers import true_error

KS = "u_t + 100/16*u*u_x + 100/16**2*u_xx + 100/16**4*u_xxxx = 0"


@pytest.mark.parametrize(
    ("equation", "symbol"),
    [
        ("u_t + 0.3*u_xxx = 0", lambda k: 0.3 * k**3),
        ("u_t = 0.02*u_xx", lambda k: 0.02 * k**2),
        ("u_t - 0.5*u_xxt + 2*u_x = 0", lambda k: 2 * k / (1 + 0.5 * k**2)),
        ("u_t + 4*u_x + 0.1*u_xx = 0", lambda k: 4 * k),  # it grows, and is turned all the same
        ("u_t + 0.1*u_xx = 0", lambda k: 0 * k),
        ("u_t = u", lambda k: 0 * k),
    ],
)
def test_the_rate_of_waves_outside_of_a_basis_is_that_of_the_symbol(equation, symbol):
    problem = Problem(
        equation, domain=Box(x=(0, 3)), time=(0, 1), initial="cos(2*pi*x/3)", boundary="periodic"
    )
    march = begin(form_of(problem), 1e-4, [0])
    state = march.begin()
    march.system.set_tests(0.0, state.coefficients, 0 * state.coefficients)
    found = slowest(march.system, 0.0, state.coefficients, 0 * state.coefficients)
    longest = march.system.basis.axes[0].modes / 2 * 2 * np.pi / 3
    wanted = np.min(symbol(longest * np.array([1.0, 1.5, 2.0, 3.0, 4.0])))
    assert found == pytest.approx(wanted, rel=1e-9, abs=1e-9)


def fourier_ks(end, steps, waves=96):
    """The same equation by Fourier modes and exponentials of fourth order (Cox and Matthews, integrals over circles): u(x, end) at 2 · waves places."""
    x, k, h = np.pi * np.arange(2 * waves) / waves, np.arange(waves + 1), end / steps
    lam, kept = h * (100 / 16**2 * k**2 - 100 / 16**4 * k**4), k < 2 * waves / 3
    z = lam[:, None] + np.exp(1j * np.pi * (np.arange(32) + 0.5) / 32)
    mean = lambda f: h * np.real(np.mean(f, axis=1))  # noqa: E731
    half = mean((np.exp(z / 2) - 1) / z)
    first = mean((-4 - z + np.exp(z) * (4 - 3 * z + z**2)) / z**3)
    middle = mean((2 + z + np.exp(z) * (z - 2)) / z**3)
    last = mean((-4 - 3 * z - z**2 + np.exp(z) * (4 - z)) / z**3)
    whole, part = np.exp(lam), np.exp(lam / 2)
    force = lambda c: -100 / 16 * 0.5j * k * kept * np.fft.rfft(np.fft.irfft(c) ** 2)  # noqa: E731
    c = np.fft.rfft(np.cos(x) * (1 + np.sin(x)))
    for _ in range(steps):
        at = force(c)
        a = part * c + half * at
        at_a = force(a)
        at_b = force(part * c + half * at_a)
        at_c = force(part * a + half * (2 * at_b - at))
        c = whole * c + first * at + 2 * middle * (at_a + at_b) + last * at_c
    return x, np.fft.irfft(c)


def test_what_an_unstable_band_is_given_at_the_start_does_not_grow_beyond_the_tolerance():
    """Waves of k < 16 grow like e^{25 t}: what the first step leaves out is a thousand times larger at t = 0.3."""
    problem = Problem(
        KS, domain=Box(x=(0, 2 * np.pi)), time=(0, 0.3), initial="cos(x)*(1 + sin(x))", boundary="periodic"
    )
    form = form_of(problem)
    x, wanted = fourier_ks(0.3, 6000)
    assert np.linalg.norm(fourier_ks(0.3, 3000)[1] - wanted) < 1e-7 * np.linalg.norm(wanted)
    for witness in (False, True):
        march = begin(form, 1e-5, [1, 0, int(witness)], witness)
        steps = march.run()
        piece = drawn(form, steps, march.counts, march.misfit).pieces[-1]
        jet = next(j for j in form.equations[0].jets if j.order == 0)
        found = piece.values([jet], np.column_stack([x, np.full(len(x), 0.3)]))[jet]
        assert np.linalg.norm(found - wanted) < 1e-5 * np.linalg.norm(wanted)


def test_a_soliton_that_travels_around_its_circle_keeps_its_phase():
    """u = 3 sech²((x − t)/2) once around: every step leaves some of it behind, and all of that is carried on."""
    problem = Problem(
        "u_t + u*u_x + u_xxx = 0",
        domain=Box(x=(-24, 24)),  # beyond that tails are below 1e-9
        time=(0, 48),
        initial="3*sech(x/2)**2",
        boundary="periodic",
        check_corners=False,
    )
    solution = lrfm.solve(problem, tol=1e-4, strict=False)
    exact = {"u": lambda x, t: 3 / np.cosh((np.mod(x - t + 24, 48) - 24) / 2) ** 2}
    assert solution.report.solved
    assert true_error(problem, solution.pieces, exact) <= solution.report.error_estimate
