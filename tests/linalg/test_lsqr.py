# SPDX-License-Identifier: MIT
"""LSQR on orthonormal patches against dense solvers, and as the solver of a problem."""

import numpy as np
import pytest
from helpers import examples, grid_error
from hypothesis import given
from hypothesis import strategies as st

import lrfm
from lrfm.spacetime.features import Liquid
from lrfm.spacetime.least_squares import LSQR
from lrfm.spacetime.least_squares.column_groups import ColumnGroup, GroupedMatrix


@st.composite
def overlapping(draw):
    """Blocks along a line that share rows with their neighbors, badly scaled."""
    count, width = draw(st.integers(1, 6)), draw(st.integers(1, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rows = 4 * width * count + 8
    groups = []
    for k in range(count):
        inside = np.arange(4 * width * k, min(rows, 4 * width * (k + 1) + 8))
        values = np.asfortranarray(rng.normal(size=(len(inside), width)) * 10.0 ** rng.integers(-8, 9))
        groups.append(ColumnGroup(inside, slice(k * width, (k + 1) * width), values))
    b = rng.normal(size=rows) * 10.0 ** rng.integers(-12, 13)
    return GroupedMatrix((rows, count * width), groups, np.arange(count)[:, None]), b


@given(overlapping())
@examples(60)
def test_the_minimizer_is_that_of_the_dense_matrix(case):
    A, b = case
    D = A.toarray()
    scale = np.linalg.norm(D, axis=0)
    expected = np.linalg.lstsq(D / scale, b, rcond=None)[0]
    fit = LSQR().solve(A, b)
    np.testing.assert_allclose(fit.coefficients * scale, expected, atol=1e-9 * np.abs(expected).max())
    assert fit.residual == pytest.approx(np.linalg.norm(D @ fit.coefficients - b), rel=1e-8)
    assert fit.rank == A.shape[1]


def test_one_patch_takes_one_step():
    """Its columns are orthonormal, so that Aᵀb is the answer."""
    rng = np.random.default_rng(0)
    A, b = rng.normal(size=(30, 8)), rng.normal(size=30)
    expected = np.linalg.lstsq(A, b, rcond=None)[0]
    np.testing.assert_allclose(LSQR(steps=1).solve(A.copy(), b).coefficients, expected, rtol=1e-12)


def test_directions_that_carry_nothing_are_left_out():
    rng = np.random.default_rng(0)
    A, b = rng.normal(size=(30, 8)), rng.normal(size=30)
    A[:, 7] = A[:, 6]
    fit = LSQR().solve(A.copy(), b)
    assert fit.rank == 7
    assert fit.residual == pytest.approx(np.linalg.norm(b - A @ np.linalg.lstsq(A, b, rcond=None)[0]))


def test_a_patch_without_rows_gets_nothing():
    groups = [
        ColumnGroup(np.arange(6), slice(0, 2), np.eye(6)[:, :2].copy()),
        ColumnGroup(np.arange(0), slice(2, 4), np.zeros((0, 2))),
    ]
    fit = LSQR().solve(GroupedMatrix((6, 4), groups, np.zeros((2, 1))), np.arange(6.0))
    np.testing.assert_allclose(fit.coefficients, [0, 1, 0, 0])


def test_too_few_steps_are_told():
    space = Liquid(per_patch=30, patches=5)
    for name in ("allen-cahn", "heat-1d"):
        problem = lrfm.catalog.get(name)
        solved = lrfm.solve(
            problem,
            method=lrfm.SpaceTime(space=space, least_squares=LSQR(steps=2)),
            estimate=False,
            strict=False,
        )
        (block,) = solved.report.block_reports
        assert not block.converged
        assert "stopped by `steps=2`" in block.reason


def test_nothing_to_solve_for_is_zero():
    assert np.all(LSQR().solve(np.eye(4)[:, :2].copy(), np.zeros(4)).coefficients == 0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "space"),
    [
        ("heat-1d", Liquid(per_patch=60, patches=3)),
        ("allen-cahn", Liquid(per_patch=60, patches=5, weights=1.5)),
        ("heat-2d", Liquid(per_patch=150, patches=2, weights=1.0)),
    ],
)
def test_as_accurate_as_a_factorization(name, space):
    """Linear, nonlinear and periodic, two-dimensional: within ten times the error of the QR over patches."""
    problem = lrfm.catalog.get(name)

    def error(solver):
        u = lrfm.solve(
            problem, method=lrfm.SpaceTime(space=space, least_squares=solver), estimate=False, strict=False
        )
        return grid_error(u, 23, 9)

    direct, iterated = error(lrfm.QR()), error(lrfm.LSQR())
    assert direct < 1e-3
    assert iterated <= 10 * direct


@pytest.mark.parametrize("wrong", [{"steps": 0}, {"steps": 2.5}, {"filter": 1.0}, {"filter": -1.0}])
def test_wrong_arguments_are_named(wrong):
    with pytest.raises(ValueError, match=f"`{next(iter(wrong))}="):
        LSQR(**wrong)


def test_a_plan_knows_that_it_needs_less():
    problem = lrfm.catalog.get("heat-2d")
    space = Liquid(per_patch=50, patches=24)
    points = lrfm.Collocation(interior=100_000)
    direct, iterated = (
        lrfm.plan(
            problem,
            method=lrfm.SpaceTime(space=space, collocation=points, least_squares=solver),
            estimate=False,
        )
        for solver in (lrfm.QR(), lrfm.LSQR())
    )
    assert iterated.bytes < direct.bytes
