# SPDX-License-Identifier: MIT
"""Data are measured by points that follow them, and what is missed counts by what lives on of it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import erf, erfc

import lrfm
from lrfm.error.draws import differences
from lrfm.error.indicators import LINES, Evidence, estimate_error
from lrfm.error.marks import followed, marks
from lrfm.error.start import lives_on, start_gaps, unseen_rates
from lrfm.problem import Box, Jet, Problem

UNIT = Box(x=(0, 1))


class Known:
    """A solution given by functions of (x, t)."""

    def __init__(self, functions, window=(0.0, 1.0)):
        self.functions, self.window = functions, window

    def values(self, jets, points):
        return {j: np.broadcast_to(self.functions[j](points[:, 0], points[:, -1]), len(points)) for j in jets}


def needle(width, place=0.3217, **more):
    return Problem(
        "u_t = 0*u_x",
        domain=UNIT,
        time=(0, 1),
        initial=f"0.1 + exp(-((x - {place})/{width})**2)",
        boundary="periodic",
        **more,
    )


@pytest.mark.parametrize("width", [1e-1, 1e-3, 1e-5])
def test_weights_make_up_for_the_density(width):
    """∫ e^{−(x−p)²/w²} dx = w√π, at any width."""
    points, weights = followed(needle(width), (0.0, 1.0), 20_000, np.random.default_rng(0))
    found = np.mean(weights * np.exp(-(((points[:, 0] - 0.3217) / width) ** 2)))
    assert found == pytest.approx(width * math.sqrt(np.pi), rel=0.1)


@pytest.mark.parametrize("layer", [1e-3, 1e-5])
def test_a_window_that_begins_after_the_start_is_in_its_layer(layer):
    """∫ e^{−t/d} dt from a = d/10 on = d e^{−1/10}: a first step that was kept does not hide what follows it."""
    first = 0.1 * layer
    points, weights = followed(needle(0.1), (first, 1.0), 20_000, np.random.default_rng(0))
    found = (1 - first) * np.mean(weights * np.exp(-points[:, 1] / layer))
    assert found == pytest.approx(layer * math.exp(-0.1), rel=0.1)


def test_an_estimate_sees_the_layer_that_a_sudden_flux_makes():
    """Points follow walls whose conditions contradict the data by a slope: errors at t < 1e-4 were missed, and were all there is."""
    problem = Problem(
        "u_t = 0.1*u_xx", domain=UNIT, time=(0, 1), initial=0, boundary={"x-": "u_n = 1", "x+": "u_n = 0"}
    )
    solution = lrfm.solve(problem, tol=1e-6)
    inner, t = np.linspace(0, 1, 400)[:, None], np.geomspace(1e-12, 1, 600)[None]
    x, s = inner**3, np.sqrt(0.4 * t)
    waves = [
        s / math.sqrt(np.pi) * np.exp(-((y / s) ** 2)) - y * erfc(y / s) for y in (x, 2 - x, 2 + x, 4 - x)
    ]
    exact, weights = sum(waves), inner**2 * t
    gap = np.mean((solution(x=x, t=t) - exact) ** 2 * weights) / np.mean(exact**2 * weights)
    assert math.sqrt(gap) < solution.report.error_estimate


def test_functions_are_scanned_down_to_their_limit():
    problem = Problem(
        "u_t = u_xx",
        domain=UNIT,
        time=(0, 1),
        initial=lambda x: np.exp(-(((x - 0.6) / 2e-4) ** 2)),
        boundary="u = 0",
    )
    assert min(abs(p - 0.6) for p in marks(problem)[0]) < 1e-3


@pytest.mark.parametrize("width", [1e-2, 1e-4])
def test_a_needle_that_is_missing_is_the_misfit(width):
    """u = 0.1 lacks the needle: m = ∫ e^{−2s²/w²} = w√(π/2)."""
    flat = Known({Jet("u", (0, 0)): lambda x, t: 0.1 + 0 * x})
    m, apart, *_ = start_gaps(needle(width), [flat], [flat], np.random.default_rng(0))["u"]
    assert m == pytest.approx(width * math.sqrt(np.pi / 2), rel=0.1)
    assert apart == 0.0
    assert lives_on(m, apart, 0.0) == 1.0  # draws that agree at the start show nothing of it


def test_what_draws_show_to_decay_decays():
    assert lives_on(1e-4, 0.5e-4, 0.5e-8) == pytest.approx(1e-2)
    assert lives_on(1e-4, 1e-7, 1e-12) == 1.0  # too little to stand for the misfit
    assert lives_on(1e-4, 1e-4, 1e-3) == 1.0


def test_a_hammer_that_is_missing_counts_by_what_it_moves():
    problem = Problem(
        "u_tt = u_xx",
        domain=UNIT,
        time=(0, 1),
        initial={"u": "sin(2*pi*x)", "u_t": "100*exp(-((x - 0.4)/0.003)**2)"},
        boundary="periodic",
    )
    still = Known({Jet("u", (0, 1)): lambda x, t: 0 * x})
    sizes = {"u": 0.5}
    struck = 100 * math.sqrt(0.003 * math.sqrt(np.pi / 2))
    assert unseen_rates(problem, [still], sizes, np.random.default_rng(0)) == pytest.approx(
        struck / math.sqrt(0.5), rel=0.1
    )


def test_a_profile_falls_where_the_difference_is_early():
    one = Known({Jet("u", (0, 0)): lambda x, t: 1 + 0 * x})
    two = Known({Jet("u", (0, 0)): lambda x, t: 1 + np.where(t < 0.01, 0.1, 0.0)})
    found = differences(needle(0.1), [one], [two], np.random.default_rng(0), 40_000)
    assert found.l2["u"] == pytest.approx(0.1 * math.sqrt(0.01), rel=0.1)
    assert found.profile[0] == (0.0, pytest.approx(found.l2["u"]))
    assert [gap for t, gap in found.profile if t > 0.011] == [0.0] * sum(t > 0.011 for t, _ in found.profile)


class Gridded(Known):
    """The same, known on grids."""

    def on_grid(self, jets, places, times):
        x, t = places[0][None, :], times[:, None]
        return {j: np.broadcast_to(self.functions[j](x, t), (len(times), x.size)) for j in jets}


def test_draws_are_compared_on_a_grid_as_they_are_at_scattered_points():
    """‖δ‖² = w √(π/2) / 3 for  δ = t e^{−((x − c)/w)²}: thin in space, and not where the data are."""
    width, jet = 0.01, Jet("u", (0, 0))
    functions = {jet: lambda x, t: 1 + 0 * (x + t)}
    others = {jet: lambda x, t: 1 + t * np.exp(-(((x - 0.61) / width) ** 2))}
    exact = math.sqrt(width * math.sqrt(np.pi / 2) / 3)
    for kind in (Known, Gridded):
        found = differences(needle(0.1), [kind(functions)], [kind(others)], np.random.default_rng(0))
        assert found.l2["u"] == pytest.approx(exact, rel=0.3)  # one place in a hundred sees it
        assert found.linf["u"] == pytest.approx(1.0, rel=0.1)


def quenched(x, t, D):
    s = np.sqrt(4 * D * np.maximum(t, 1e-300))
    return sum((-1.0) ** n * 0.5 * (erf((x - n) / s) - erf((x - n - 1) / s)) for n in range(-8, 9))


@pytest.mark.parametrize("seed", [0])
def test_a_quench_can_be_met(seed):
    D = 10 ** np.random.default_rng(seed).uniform(-1.8, -1.0)
    problem = Problem(f"u_t = {D}*u_xx", domain=UNIT, time=(0, 1), initial=1, boundary="u = 0")
    solution = lrfm.solve(problem, tol=1e-3, seed=seed, max_seconds=None)
    report = solution.report
    rng = np.random.default_rng(seed)
    x, t = rng.random(20_000), rng.random(20_000)
    exact = quenched(x, t, D)
    error = np.linalg.norm(solution(x=x, t=t) - exact) / np.linalg.norm(exact)
    assert error < report.error_estimate < 1e-3
    assert report.error_after(0.1) < 0.2 * report.error_estimate
    assert report.worst == "u"


def test_a_small_unknown_is_measured_by_its_own_size():
    problem = Problem(
        ["a_t = 0.01*a_xx - a", "b_t = 0.01*b_xx + 1e-5*a"],
        domain=UNIT,
        time=(0, 1),
        initial={"a": "1 + 0.5*cos(pi*x)", "b": "0"},
        boundary=["a_n = 0", "b_n = 0"],
    )
    one = Known({Jet("a", (0, 0)): lambda x, t: 1 + 0 * x, Jet("b", (0, 0)): lambda x, t: 1e-5 * t})
    two = Known({Jet("a", (0, 0)): lambda x, t: 1 + 0 * x, Jet("b", (0, 0)): lambda x, t: 1.1e-5 * t})
    found = differences(problem, [one], [two], np.random.default_rng(0))
    assert found.worst == "b"
    assert found.l2["b"] == pytest.approx(0.1, rel=1e-6)
    solution = lrfm.solve(problem, tol=1e-4, max_seconds=None)
    x, t = np.random.default_rng(0).random((2, 1000))
    exact = 1e-5 * (1 - np.exp(-t)) * (1 + 0.5 * np.exp(-0.01 * np.pi**2 * t) * np.cos(np.pi * x))
    assert np.linalg.norm(solution["b"](x=x, t=t) - exact) < 1e-4 * np.linalg.norm(exact)


class Stepped(Known):
    """A solution that was made in steps, and can be evaluated on grids."""

    def __init__(self, functions, edges):
        super().__init__(functions, (edges[0], edges[-1]))
        self.edges = np.asarray(edges)

    def on_grid(self, jets, places, times):
        x, t = np.meshgrid(places[0], times)
        return {j: np.broadcast_to(self.functions[j](x, t), x.shape) for j in jets}


def test_a_difference_is_found_where_steps_are_short():
    """‖e^{−((t − 0.4)/w)²}‖² = w √(π/2) with w = 10⁻³: five of a hundred times would be within it, and were a third off."""
    width = 1e-3
    edges = np.unique([0.0, *np.linspace(0.4 - 5 * width, 0.4 + 5 * width, 20), 0.7, 1.0])
    one = Stepped({Jet("u", (0, 0)): lambda x, t: 1 + 0 * x}, edges)
    two = Stepped({Jet("u", (0, 0)): lambda x, t: 1 + np.exp(-(((t - 0.4) / width) ** 2))}, edges)
    exact = math.sqrt(width * math.sqrt(np.pi / 2))
    found = [differences(needle(0.1), [one], [two], np.random.default_rng(k)).l2["u"] for k in range(10)]
    assert max(abs(np.array(found) / exact - 1)) < 0.15


def test_the_start_has_a_weight_among_few_times():
    """A misfit that diffusion removes at once is no error in an integral over time, and all of it on a grid that begins with the start."""
    u = lambda x, t: np.sin(np.pi * x) * np.exp(-0.1 * t)  # noqa: E731
    rates = {(1, 0): lambda x, t: 0 * x, (2, 0): lambda x, t: 0 * x, (0, 1): lambda x, t: 0 * x}
    problem = Problem("u_t = 0.1*u_xx", domain=UNIT, time=(0, 1), initial="sin(pi*x)", boundary="u = 0")

    def begun(size):
        start = lambda x, t: u(x, t) + size * np.sin(9 * np.pi * x) * np.exp(-1e5 * t)  # noqa: E731
        return Known({Jet("u", (0, 0)): start, **{Jet("u", i): f for i, f in rates.items()}})

    def judged(size, tolerance):
        seen = Evidence(
            problem,
            [begun(size)],
            [begun(0.0)],
            0.0,
            np.random.default_rng(0),
            scale=LINES,
            tolerance=tolerance,
        )
        return estimate_error(seen)

    times = np.linspace(0, 1, 12)
    x = np.linspace(0, 1, 1001)
    gap = [np.linalg.norm(begun(1e-4).functions[Jet("u", (0, 0))](x, t) - u(x, t)) for t in times]
    size = [np.linalg.norm(u(x, t)) for t in times]
    assert judged(1e-4, None).l2 < 1e-5
    assert np.linalg.norm(gap) / np.linalg.norm(size) < judged(1e-4, 1e-3).l2 < 1e-4
    assert judged(1e-2, 1e-3).l2 < 1e-3  # never more than the tolerance


def test_an_early_profile_is_small_where_the_difference_is_late():
    one = Known({Jet("u", (0, 0)): lambda x, t: 1 + 0 * x})
    two = Known({Jet("u", (0, 0)): lambda x, t: 1 + np.exp(-10 * (1 - t))})
    found = differences(needle(0.1), [one], [two], np.random.default_rng(0), 40_000)
    for t, gap in found.early:
        exact = math.sqrt((math.exp(-20 * (1 - t)) - math.exp(-20)) / (20 * t))
        assert gap == pytest.approx(exact, rel=0.1)
    assert found.early[-1] == (1.0, pytest.approx(found.l2["u"]))
