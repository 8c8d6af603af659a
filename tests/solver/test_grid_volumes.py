# SPDX-License-Identifier: MIT
"""Shocks in boxes: claims in L¹ that are true, files, and what is refused."""

import numpy as np
import pytest

import lrfm
from lrfm import Box, Problem
from lrfm.rows.grid_steps import GridSteps
from lrfm.spaces.cells.tree import Tree

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
    (piece,) = shock.pieces
    for number, states in zip(piece.owner, piece.states, strict=True):
        assert states[0, :, 0] @ piece.trees[number].shares == pytest.approx(0.6, rel=1e-3)


def test_a_file_holds_it(shock, tmp_path):
    shock.save(tmp_path / "shock.lrfm")
    again = lrfm.load(tmp_path / "shock.lrfm")
    x = np.linspace(0.05, 0.95, 7)
    assert np.array_equal(again(x=x, y=x[::-1], t=0.11), shock(x=x, y=x[::-1], t=0.11))


def cells_of_two_widths(part: float) -> Tree:
    """Some of the blocks halved, in (0, 1) × (0, 2)."""
    wide = Tree.equal((0.0, 0.0), (1.0, 2.0), (16, 24), (True, False))
    rng = np.random.default_rng(4)
    return wide.with_blocks([np.ones((2, 3), dtype=bool), rng.random((4, 6)) < part])


def piece_of(trees, owner) -> GridSteps:
    rng, edges = np.random.default_rng(0), np.array([0.0, 0.5, 2.0])
    states = tuple(rng.random((1, trees[i].size, 3)) for i in owner)
    return GridSteps(("u",), edges, trees, np.array(owner), states)


def test_derivatives_of_a_piece_are_those_of_lines_on_cells_that_change():
    from lrfm.problem import Jet

    piece = piece_of((cells_of_two_widths(0.1), cells_of_two_widths(0.3)), (0, 0, 1))
    assert piece.trees[0].size < piece.trees[1].size
    at, step = np.array([[0.31, 1.27, 0.8]]), 1e-6
    for axis in range(3):
        index = tuple(int(k == axis) for k in range(3))
        shift = np.zeros((1, 3))
        shift[0, axis] = step
        ends = [piece.values([Jet("u", (0, 0, 0))], at + sign * shift) for sign in (1, -1)]
        slope = (ends[0][Jet("u", (0, 0, 0))] - ends[1][Jet("u", (0, 0, 0))]) / (2 * step)
        assert piece.values([Jet("u", index)], at)[Jet("u", index)] == pytest.approx(slope, rel=1e-6)


def test_between_two_times_each_end_is_on_its_own_cells():
    from lrfm.problem import Jet

    piece, jet = (
        piece_of((cells_of_two_widths(0.1), cells_of_two_widths(0.3)), (0, 1, 1)),
        Jet("u", (0, 0, 0)),
    )
    x = np.random.default_rng(2).random((30, 2)) * [1, 2]

    def at(t: float) -> np.ndarray:
        return piece.values([jet], np.column_stack([x, np.full(30, t)]))[jet]

    assert np.allclose(at(0.2), 0.6 * at(0.0) + 0.4 * at(np.nextafter(0.5, 0)), rtol=1e-12)


def test_a_record_of_a_piece_is_the_piece():
    piece = piece_of((cells_of_two_widths(0.1), cells_of_two_widths(0.3)), (0, 0, 1))
    again = GridSteps.from_record(**piece.record())
    assert all(a.same_as(b) for a, b in zip(again.trees, piece.trees, strict=True))
    assert all(np.array_equal(a, b) for a, b in zip(again.states, piece.states, strict=True))
    broken = piece.record() | {"states": np.zeros(7)}
    with pytest.raises(ValueError, match="other cells"):
        GridSteps.from_record(**broken)


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
    for n, depth in ((16, 2.0), (8, 2.02)):
        states = np.zeros((2, 2, n * n, 3))
        states[:, 0, :, 0], states[:, 1, :, 0] = depth, 1e-17 * rng.normal(size=n * n)
        tree = Tree.equal((0.0, 0.0), (1.0, 1.0), (n, n), (True, True))
        times = np.array([0.0, 1.0])
        pieces.append(GridSteps(("h", "v"), times, (tree,), np.zeros(2, dtype=int), tuple(states)))
    found = l1_differences(problem, pieces[:1], pieces[1:], rng, nothing=1e-11)
    assert found.whole["h"] == pytest.approx(0.01)
    assert found.whole["v"] < 1e-15
    assert found.unjudged == ("v",)
    assert max(gap for _, gap in found.profile) == pytest.approx(0.01)
    # The same of a size that is none of rounding is an error of its own.
    for piece in pieces:
        for states in piece.states:
            states[1] *= 1e12
    assert l1_differences(problem, pieces[:1], pieces[1:], rng, nothing=1e-11).whole["v"] > 0.1


def test_what_enters_without_a_condition_is_not_claimed():
    solution = lrfm.solve(oblique(boundary=dict.fromkeys(OPEN, None)), tol=0.2, max_seconds=60, strict=False)
    assert not np.isfinite(solution.report.error_estimate)
    assert any(
        "The face `x-` has no condition, and the equations need 1 there" in w
        for w in solution.report.warnings
    )


def test_dry_ground_gets_a_sentence():
    water = [
        "h_t + diff(h*u, x) + diff(h*v, y) = 0",
        "diff(h*u, t) + diff(h*u**2 + h**2/2, x) + diff(h*u*v, y) = 0",
        "diff(h*v, t) + diff(h*u*v, x) + diff(h*v**2 + h**2/2, y) = 0",
    ]
    dam = {"h": "where(x < 0.5, 1, 0)", "u": "0", "v": "0"}
    walls = {"x": "u = 0", "y": "v = 0"}
    dry = Problem(water, domain=Box(x=(0, 1), y=(0, 1)), time=(0, 0.2), initial=dam, boundary=walls)
    with pytest.raises(lrfm.ProblemError, match=r"Near x = 0\.5.*no state.*positive everywhere"):
        lrfm.solve(dry, tol=0.1)


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
