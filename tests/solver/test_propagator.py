# SPDX-License-Identifier: MIT
"""The growth of errors in a block: eigenvalues known on paper, and those of the whole matrix; long marches end well."""

import math

import numpy as np
import pytest

import lrfm
from lrfm.error.draws import SAFETY, amplified
from lrfm.error.indicators import Evidence, estimate_error
from lrfm.solution.report import Report
from lrfm.solver.checkpoint import Checkpoint
from lrfm.solver.engine import block_edges, block_rng
from lrfm.spacetime.engine import MarchState, SpaceTime
from lrfm.spacetime.search import Setting
from lrfm.spacetime.search.schedule import GivenParts
from lrfm.spacetime.windows.propagator import Propagator, WindowMap, spectral_radius

BOX = lrfm.Box(x=(0, 1))
SETTING = Setting(weights=1.0, gate=0.1, tau_min=3.0, oscillation=5.0)


def wave(duration=1.0):
    return lrfm.Problem(
        "u_tt = u_xx",
        domain=BOX,
        time=(0, duration),
        initial={"u": "sin(pi*x)", "u_t": "0"},
        boundary="u = 0",
        reference=lambda x, t: np.cos(np.pi * t) * np.sin(np.pi * x),
    )


def propagator(problem, length, features, setting=SETTING):
    return Propagator(problem, setting.parts(problem, length, features), (0.0, length), block_rng(0, 0))


@pytest.mark.parametrize("features", [30, 80])
@pytest.mark.parametrize("length", [0.02, 0.3])
def test_growth_is_the_spectral_radius_of_the_whole_map(features, length):
    made = propagator(wave(), length, features)
    whole = made.window_map()
    matrix = np.column_stack([whole.matvec(e) for e in np.eye(whole.size)])
    assert whole.size == 2 * len(made.points.initial)
    assert made.growth == pytest.approx(np.abs(np.linalg.eigvals(matrix)).max(), rel=1e-3)


def test_growth_is_that_of_the_equation_where_it_is_resolved():
    """Heat held at zero decays like its first mode, u_t = u_xx + 2u without flux grows by e^(2T), whatever the source and the boundary data."""
    heat = lrfm.Problem(
        "u_t = u_xx + x", domain=BOX, time=(0, 1), initial="x", boundary={"x-": "u = 0", "x+": "u = 1"}
    )
    assert propagator(heat, 0.1, 80, Setting(weights=1.5)).growth == pytest.approx(
        math.exp(-0.1 * np.pi**2), rel=1e-4
    )
    grows = lrfm.Problem(
        "u_t = u_xx + 2*u + sin(t)", domain=BOX, time=(0, 1), initial="1", boundary="u_x = 0"
    )
    assert propagator(grows, 0.5, 80, Setting(weights=1.5)).growth == pytest.approx(math.e, rel=1e-3)


@pytest.mark.parametrize("seed", range(4))
def test_largest_eigenvalue_of_matrices(seed):
    """Also for complex pairs, small spaces that are invariant, and the zero map."""
    rng = np.random.default_rng(seed)
    blocks = [
        1.3 * np.array([[np.cos(1), np.sin(1)], [-np.sin(1), np.cos(1)]]),
        np.diag(rng.random(3)),
        np.eye(15),
    ]
    for values in (blocks[:2], blocks[1:], blocks):
        D = np.zeros((sum(map(len, values)),) * 2)
        place = 0
        for block in values:
            D[place : place + len(block), place : place + len(block)] = block
            place += len(block)
        V = rng.normal(size=D.shape) + 4 * np.eye(len(D))
        M = V @ D @ np.linalg.inv(V)
        found = spectral_radius(WindowMap(lambda g, M=M: M @ g, len(M)), rng)
        assert found == pytest.approx(np.abs(np.linalg.eigvals(M)).max(), rel=1e-6)
    assert spectral_radius(WindowMap(lambda g: 0 * g, 4), rng) == 0.0


def march_on(engine, state):
    """Window after window to the end."""
    while not engine.finished(state):
        state = engine.advance(state)
    return state


def engine(problem, blocks, features=40):
    parts = SETTING.parts(problem, problem.time[1] / blocks, features)
    return SpaceTime(problem, block_edges(problem.time, blocks), GivenParts(parts), 0, propagate=True)


def reported(problem, first, second=None):
    reports, held = [s.report for s in first], max(s.report.residual for s in first)
    pieces = [None if some is None else [s.expansion for s in some] for some in (first, second)]
    growth = [r.growth or 1.0 for r in reports]
    estimate = estimate_error(Evidence(problem, *pieces, held, np.random.default_rng(0), growth))
    return Report.of(
        reports, seed=0, parts={}, asked=len(reports), seconds=0.0, tolerance=None, **vars(estimate)
    )


def test_the_march_reports_growth_and_keeps_it_in_a_checkpoint(tmp_path):
    first = march_on(engine(wave(3.0), 6), MarchState())
    report = reported(wave(3.0), first.solved)
    assert report.growth == max(r.growth for r in report.block_reports)
    assert 0.9 < report.growth < 1.5
    assert report.details["growth"].endswith("(errors, per block)")
    Checkpoint(tmp_path / "march", wave(3.0)).integration(engine(wave(3.0), 6)).write(first)
    again = Checkpoint(tmp_path / "march", wave(3.0)).integration(engine(wave(3.0), 6)).state
    assert [s.report.growth for s in again.solved] == [s.report.growth for s in first.solved]
    single = march_on(engine(wave(), 1), MarchState())
    assert math.isnan(reported(wave(), single.solved).growth)


class Flat:
    """u = value on a window."""

    def __init__(self, value, window):
        self.value, self.window = value, window

    def values(self, jets, points):
        return {j: np.full(len(points), self.value * (not any(j.index))) for j in jets}


def march(values):
    edges = np.linspace(0, 1, len(values) + 1)
    return [Flat(v, (a, b)) for v, a, b in zip(values, edges, edges[1:], strict=False)]


def test_an_error_is_carried_through_all_blocks():
    """A gap of 1e-3 in the first of four blocks, growth 2: mean of 1, 2, 4, 8 times it."""
    problem = lrfm.Problem("u_t = 0*u_x", domain=BOX, time=(0, 1), initial="1", boundary={"x": None})
    one, two = march([1.0] * 4), march([1.001, 1.0, 1.0, 1.0])
    rng = np.random.default_rng(0)
    assert amplified(problem, one, two, [2.0] * 4, rng) == pytest.approx(1e-3 * 15 / 4, rel=1e-9)
    judge = lambda growth: estimate_error(Evidence(problem, one, two, 1e-4, rng, growth))  # noqa: E731
    verdict = judge([2.0] * 4)
    assert verdict.decided_by == "growth"
    assert verdict.l2 == pytest.approx(SAFETY * 1e-3 * 15 / 4, rel=1e-9)
    assert "growth" not in judge([0.99] * 4).indicators
    assert judge([1e200] * 4).l2 == math.inf


def test_a_small_solution_at_first_does_not_hide_its_error():
    """u grows from 0.1 to 10: the gap counts relative to the whole march."""
    problem = lrfm.Problem("u_t = 0*u_x", domain=BOX, time=(0, 1), initial="1", boundary={"x": None})
    one, two = march([0.1, 10.0]), march([0.11, 10.0])
    whole = math.sqrt((0.1**2 + 10.0**2) / 2)
    assert amplified(problem, one, two, [3.0] * 2, np.random.default_rng(0)) == pytest.approx(
        0.01 * 2 / whole, rel=1e-9
    )


@pytest.mark.thorough
@pytest.mark.parametrize(("duration", "stable"), [(75.0, True), (2.0, False)])
def test_hundreds_of_blocks_end_without_blow_up_or_without_a_claim(duration, stable):
    """Blocks of ωT ≈ 1 carry 150 of them; far shorter ones let errors explode, and then nothing is claimed."""
    problem = wave(duration)
    marched = engine(problem, 150)
    first = march_on(marched, MarchState())
    second = march_on(marched.second(first, None), MarchState())
    report = reported(problem, first.solved, second.solved)
    end = first.solved[-1].expansion
    x = np.linspace(0, 1, 41)
    (u,) = end.values([lrfm.problem.Jet("u", (0, 0))], np.column_stack([x, np.full(41, duration)])).values()
    error = np.linalg.norm(u - problem.reference(x, duration)) / np.linalg.norm(np.sin(np.pi * x))
    assert report.growth > 1.0
    assert error < 0.1 if stable else error > 1.0
    assert error < report.indicators["draws"]
    assert math.isinf(report.error_estimate)
