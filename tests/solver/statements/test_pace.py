# SPDX-License-Identifier: MIT
"""Pulses in time, however short, are seen, because steps end where they begin."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import erf

import lrfm
from lrfm.problem import Box, Problem
from lrfm.problem.landmarks import landmarks

UNIT = Box(x=(0, 1))


@pytest.mark.parametrize("seed", range(4))
def test_landmarks_are_the_tops_of_needles(seed):
    x, t = 0.1 + 0.8 * np.random.default_rng(seed).random(2)
    needle = f"exp(-((x - {x})**2 + (t - {t})**2)/1e-14)"
    problem = Problem(f"u_t = u_xx + {needle}", domain=UNIT, time=(0, 1), initial=0, boundary="u = 0")
    found = landmarks([problem.rows[0].expression], ("x", "t"), np.zeros(2), np.ones(2))
    assert np.abs(found - [x, t]).max(axis=1).min() < 1e-7


def test_landmarks_are_poles_and_kinks():
    problem = Problem(
        "u_t = u_xx + 1/(1e-12 + (x - 0.321)**2) + abs(t - 0.456)",
        domain=UNIT,
        time=(0, 1),
        initial=0,
        boundary="u = 0",
    )
    found = landmarks([problem.rows[0].expression], ("x", "t"), np.zeros(2), np.ones(2))
    assert np.abs(found[:, 0] - 0.321).min() < 1e-7
    assert np.abs(found[:, 1] - 0.456).min() < 1e-7


def pulse(width: float) -> Problem:
    return Problem(
        f"u_t = 0.01*u_xx + {1 / width}*exp(-((t - 0.437)/{width})**2)*sin(pi*x)",
        domain=UNIT,
        time=(0, 1),
        initial="sin(pi*x)",
        boundary="u = 0",
    )


@pytest.mark.parametrize("width", [1e-3, 1e-5])
def test_a_pulse_of_a_source_is_marched_through(width):
    rate, top = 0.01 * np.pi**2, 0.437

    def exact(x, t):
        shift = top + 0.5 * rate * width**2
        gained = (
            0.5
            * np.sqrt(np.pi)
            * (erf((t - shift) / width) + 1)
            * np.exp(-rate * (t - top) + 0.25 * (rate * width) ** 2)
        )
        return (np.exp(-rate * t) + gained) * np.sin(np.pi * x)

    solution = lrfm.solve(pulse(width), tol=1e-4)
    x, t = np.random.default_rng(0).random((2, 2000))
    gap = np.linalg.norm(solution(x=x, t=t) - exact(x, t)) / np.linalg.norm(exact(x, t))
    assert solution.report.solved
    assert gap < 1e-4
