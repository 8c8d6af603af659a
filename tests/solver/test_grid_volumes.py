# SPDX-License-Identifier: MIT
"""Shocks in boxes: claims in L¹ that are true, files, and what is refused."""

import numpy as np
import pytest

import lrfm
from lrfm import Box, Problem
from lrfm.rows.grid_steps import GridSteps

OPEN = {"x-": "u = 1", "y-": "u = 1", "x+": None, "y+": None}


def oblique(**more) -> Problem:
    """Burgers' equation along (1, 1)."""
    given = {
        "domain": Box(x=(0, 1), y=(0, 1)),
        "time": (0, 0.3),
        "initial": "where(x + y < 0.8, 1, 0.2)",
        "boundary": OPEN,
        "check_corners": False,
    } | more
    return Problem("u_t + diff(u**2/2, x) + diff(u**2/2, y) = 0", **given)


def fan_and_shock(s: np.ndarray, t: float) -> np.ndarray:
    """u_t + (u²)_s = 0 on a circle from 1 on (0, 1/2), 0.2 elsewhere: a fan s/(2t) behind 0, a shock at 1/2 + 1.2 t."""
    s = np.where(s % 1 < 0.2 * t, s % 1 + 1, s % 1)  # the fan begins at 0.4 t
    fan = np.clip(s / (2 * t), 0.2, 1.0)
    return np.where(s < 0.5 + 1.2 * t, fan, 0.2)


@pytest.fixture(scope="module")
def shock() -> lrfm.Solution:
    rings = oblique(initial="where(sin(2*pi*(x + y)) > 0, 1, 0.2)", boundary="periodic", time=(0, 0.2))
    return lrfm.solve(rings, tol=8e-2, max_seconds=100)


def test_oblique_shocks_are_claimed_in_l1_and_the_claim_is_true(shock):
    report = shock.report
    assert report.norm == 1
    assert report.error_estimate <= 8e-2
    unit = (np.arange(200) + 0.5) / 200
    x, y = np.meshgrid(unit, unit)
    gaps = sizes = 0.0
    for t in np.linspace(0.01, 0.19, 8):
        exact = fan_and_shock(x + y, t)
        gaps, sizes = gaps + np.sum(np.abs(shock(x=x, y=y, t=t) - exact)), sizes + np.sum(exact)
    assert 0.2 * report.error_estimate <= gaps / sizes <= report.error_estimate


def test_values_stay_between_those_of_the_data_and_totals_are_kept(shock):
    unit = (np.arange(200) + 0.5) / 200
    found = shock(x=unit[:, None], y=unit[None, :], t=0.2)
    assert found.min() >= 0.2 - 5e-3
    assert found.max() <= 1 + 5e-3
    states = shock.pieces[0].states[:, 0, :, 0]
    assert np.mean(states, axis=1) == pytest.approx(0.6, rel=1e-3)


def test_a_file_holds_it(shock, tmp_path):
    shock.save(tmp_path / "shock.lrfm")
    again = lrfm.load(tmp_path / "shock.lrfm")
    x = np.linspace(0.05, 0.95, 7)
    assert np.array_equal(again(x=x, y=x[::-1], t=0.11), shock(x=x, y=x[::-1], t=0.11))


def test_derivatives_of_a_piece_are_those_of_lines():
    lower, upper, counts = (0.0, 0.0), (1.0, 2.0), (5, 4)
    rng = np.random.default_rng(0)
    piece = GridSteps(
        ("u",), np.array([0.0, 0.5, 2.0]), lower, upper, counts, (True, False), rng.random((3, 1, 20, 3))
    )
    from lrfm.problem import Jet

    at, step = np.array([[0.31, 1.27, 0.8]]), 1e-4
    for axis in range(3):
        index = tuple(int(k == axis) for k in range(3))
        shift = np.zeros((1, 3))
        shift[0, axis] = step
        ends = [piece.values([Jet("u", (0, 0, 0))], at + sign * shift) for sign in (1, -1)]
        slope = (ends[0][Jet("u", (0, 0, 0))] - ends[1][Jet("u", (0, 0, 0))]) / (2 * step)
        assert piece.values([Jet("u", index)], at)[Jet("u", index)] == pytest.approx(slope, rel=1e-8)
    grid = piece.on_grid([Jet("u", (0, 0, 0))], [np.array([0.31]), np.array([1.27])], np.array([0.8]))
    assert grid[Jet("u", (0, 0, 0))].ravel() == pytest.approx(
        piece.values([Jet("u", (0, 0, 0))], at)[Jet("u", (0, 0, 0))]
    )


def test_on_products_of_places_a_piece_is_what_it_is_at_points():
    from lrfm.problem import Jet

    rng = np.random.default_rng(1)
    edges, states = np.array([0.0, 0.5, 2.0]), rng.random((3, 1, 20, 3))
    piece = GridSteps(("u",), edges, (0.0, 0.0), (1.0, 2.0), (5, 4), (False, False), states)
    x, y, t = rng.random(6), 2 * rng.random(7), np.array([0.2, 1.4])
    jets = [Jet("u", index) for index in [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 0)]]
    grid = piece.on_grid(jets, [x, y], t)
    points = np.stack([a.ravel() for a in np.meshgrid(t, x, y, indexing="ij")], axis=1)[:, [1, 2, 0]]
    for jet, values in piece.values(jets, points).items():
        assert np.allclose(grid[jet].ravel(), values, rtol=1e-12, atol=1e-12)


def test_in_l1_the_rounding_of_a_zero_has_no_size_of_its_own():
    from lrfm.error.jumping import l1_differences

    problem = Problem(
        ["h_t + h_x + h_y = 0", "v_t + v_x + v_y = 0"],
        domain=Box(x=(0, 1), y=(0, 1)),
        time=(0, 1),
        initial={"h": "2", "v": "0"},
        boundary="periodic",
    )
    rng, pieces = np.random.default_rng(0), []
    for n, depth in ((4, 2.0), (3, 2.02)):
        states = np.zeros((2, 2, n * n, 3))
        states[:, 0, :, 0], states[:, 1, :, 0] = depth, 1e-17 * rng.normal(size=n * n)
        lower, upper, counts = (0.0, 0.0), (1.0, 1.0), (n, n)
        pieces.append(GridSteps(("h", "v"), np.array([0.0, 1.0]), lower, upper, counts, (True, True), states))
    found = l1_differences(problem, pieces[:1], pieces[1:], rng, nothing=1e-11)
    assert found.whole["h"] == pytest.approx(0.01)
    assert found.whole["v"] < 1e-15
    assert found.unjudged == ("v",)
    assert max(gap for _, gap in found.profile) == pytest.approx(0.01)
    # The same of a size that is none of rounding is an error of its own.
    for piece in pieces:
        piece.states[:, 1] *= 1e12
    assert l1_differences(problem, pieces[:1], pieces[1:], rng, nothing=1e-11).whole["v"] > 0.1


def test_what_enters_without_a_condition_is_not_claimed():
    solution = lrfm.solve(oblique(boundary=dict.fromkeys(OPEN, None)), tol=0.2, max_seconds=60, strict=False)
    assert not np.isfinite(solution.report.error_estimate)
    assert any(
        "The face `x-` has no condition, and the equations need 1 there" in w
        for w in solution.report.warnings
    )


def test_a_law_without_fluxes_and_with_a_jump_gets_a_sentence():
    problem = Problem(
        ["u_t + v*u_x = 0", "v_t + u*v_y = 0"],
        domain=Box(x=(0, 1), y=(0, 1)),
        time=(0, 0.1),
        initial={"u": "where(x < 0.5, 1, 0)", "v": "1"},
        boundary="periodic",
    )
    with pytest.raises(
        lrfm.ProblemError, match="what becomes of a jump follows from what is conserved alone"
    ):
        lrfm.solve(problem, tol=0.1)
