# SPDX-License-Identifier: MIT
"""A residual counts by what the equations make of it, not by its share of terms that have come to rest."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import lrfm
from lrfm.error.indicators import Evidence, estimate_error
from lrfm.error.start import start_gaps
from lrfm.problem import Box, Problem

FILM = "h_t = -diff(h**3*diff(h_xx - h**-3 + 0.3*h**-4, x), x)"


def film(time=20.0):
    return Problem(
        FILM, domain=Box(x=(0, 10)), time=(0, time), initial="1 + 0.05*cos(pi*x/5)", boundary="periodic"
    )


def film_by_fourier(x, times, count=128):
    """The same film by 128 Fourier terms and BDF with a relative tolerance of 1e-9."""
    waves = 2j * np.pi / 10 * np.fft.rfftfreq(count, 1 / count)
    diff = lambda v, n=1: np.fft.irfft(waves**n * np.fft.rfft(v), count)  # noqa: E731
    rate = lambda t, h: -diff(h**3 * diff(diff(h, 2) - h**-3 + 0.3 * h**-4))  # noqa: E731
    start = 1 + 0.05 * np.cos(np.pi / 5 * x)
    return solve_ivp(rate, (0, times[-1]), start, "BDF", t_eval=times, rtol=1e-9, atol=1e-10).y.T


@pytest.mark.slow
def test_a_film_that_has_come_to_rest_is_claimed():
    """Terms and residual are next to nothing then, and their ratio is 0.67; two solves agreed to 5e-7 and were refused."""
    solution = lrfm.solve(film(), tol=1e-4)
    x, times = 10 * np.arange(128) / 128, np.linspace(0, 20, 41)[1:]
    exact = film_by_fourier(x, times)
    error = np.linalg.norm(solution(x=x[None], t=times[:, None]) - exact) / np.linalg.norm(exact)
    assert solution.report.method == "lines"
    assert error < solution.report.error_estimate < 1e-4


def by_sines(x, t, terms=24):
    """Σ aₙ(t) sin nπx with aₙ″ + (nπ)⁴ aₙ = 2 ∫ f sin nπx dx, by Duhamel's integral."""
    nodes, weights = np.polynomial.legendre.leggauss(200)
    n, y, s = np.arange(1, terms + 1)[:, None], 0.5 * (1 + nodes), 0.5 * t * (1 + nodes)
    load = np.exp(-(((y - 0.4 - 0.6 * s[:, None]) / 0.1) ** 2)) @ (weights * np.sin(np.pi * n * y)).T
    waves = (np.pi * n) ** 2
    return (0.5 * t * weights * np.sin(waves * (t - s)) / waves * load.T).sum(axis=1) @ np.sin(np.pi * n * x)


def test_a_beam_with_a_moving_load_is_claimed():
    """Its short waves are next to nothing, and so were refused by their residual."""
    problem = Problem(
        "u_tt = -u_xxxx + exp(-((x - 0.4 - 0.6*t)/0.1)**2)",
        domain=Box(x=(0, 1)),
        time=(0, 0.3),
        initial={"u": "0", "u_t": "0"},
        boundary={"x": ["u = 0", "u_xx = 0"]},
    )
    solution = lrfm.solve(problem, tol=1e-3)
    x, times = np.linspace(0, 1, 41), np.linspace(0, 0.3, 31)[1:]
    exact = np.array([by_sines(x, t) for t in times])
    error = np.linalg.norm(solution(x=x[None], t=times[:, None]) - exact) / np.linalg.norm(exact)
    assert error <= solution.report.error_estimate <= 1e-3


class Known:
    """u and its derivatives as functions of (x, t)."""

    def __init__(self, functions):
        self.functions, self.window = functions, (0.0, 1.0)

    def values(self, jets, points):
        return {
            j: np.broadcast_to(self.functions[j.index](points[:, 0], points[:, -1]), len(points))
            for j in jets
        }


def trapped(initial, u, equation="u_t = 0.01*u_xx + u - u**3"):
    """The estimate of a solution that rests at u."""
    problem = Problem(equation, domain=Box(x=(0, 1)), time=(0, 1), initial=initial, boundary="u_x = 0")
    rests = Known(
        {(0, 0): lambda x, t: u + 0 * x, **{i: lambda x, t: 0 * x for i in [(1, 0), (2, 0), (0, 1)]}}
    )
    seen = Evidence(problem, [rests], [rests], 0.0, np.random.default_rng(0), tolerance=0.5)
    return estimate_error(seen)


def test_an_equilibrium_without_the_perturbation_of_its_data_is_not_claimed():
    """u = 0 is unstable: cos πx/1000 grows by e^{0.9}, and by e^{9} in ten times the time; no number of a flat answer knows it."""
    found = trapped("0.001*cos(pi*x)", 0.0)
    assert found.l2 == math.inf
    assert found.decided_by == "misfit"
    assert any("rests at an equilibrium" in text for text in found.warnings)


def test_data_without_a_perturbation_may_rest():
    assert trapped("1", 1.0).l2 < 1e-12
    assert (
        trapped("1 + 0.001*cos(pi*x)", 1.0, "u_t = 0.01*u_xx - u + 1").l2 < 1e-2
    )  # linear: its own size bounds it


def test_a_layer_at_a_wall_is_no_lost_perturbation():
    """1 + x/1000 with a wall that is missed by one along 1e-3 of the domain: more in the mean square than data vary by, at few places."""
    problem = Problem(
        "u_t = u_xx - u**3", domain=Box(x=(0, 1)), time=(0, 1), initial="1 + 0.001*x", boundary="u = 0"
    )
    layered = Known({(0, 0): lambda x, t: 1 + 0.001 * x - np.exp(-1000 * x)})
    found = start_gaps(problem, [layered], [layered], np.random.default_rng(0))["u"]
    assert found.misfit > 0.001**2 / 12
    assert not found.lost
