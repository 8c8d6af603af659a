# SPDX-License-Identifier: MIT
"""What residuals and steps carry to the end: waves outside of a basis, unstable bands, solitons that travel, and charts that follow them."""

import numpy as np

import lrfm
from lrfm.problem import Box, Problem

from .helpers import true_error

KS = "u_t + 100/16*u*u_x + 100/16**2*u_xx + 100/16**4*u_xxxx = 0"


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
