# SPDX-License-Identifier: MIT
"""Matrices in column groups, and the QR over them, against the dense ones."""

import numpy as np
import pytest
from helpers import examples, grid_error
from hypothesis import given
from hypothesis import strategies as st

import lrfm
from lrfm.problem import Box, Problem
from lrfm.spacetime.features import Liquid, SampledSpace
from lrfm.spacetime.least_squares.column_groups import ColumnGroup, GroupedMatrix, dense
from lrfm.spacetime.least_squares.fronts import analyze, dissect, row_bundles
from lrfm.spacetime.windows.parts import Parts
from lrfm.spacetime.windows.window import build_system, initial_values, sample_space


@st.composite
def matrices(draw):
    """Blocks along a line, each with its own rows and some shared with a few others, in any order of columns."""
    count = draw(st.integers(2, 7))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    widths = rng.integers(1, 6, count)
    owners = [np.full(3 * w + 2, k) for k, w in enumerate(widths)]
    owner = rng.permutation(np.concatenate(owners))
    numbers = np.split(rng.permutation(widths.sum()), np.cumsum(widths)[:-1])
    groups = []
    for k, width in enumerate(widths):
        rows = np.flatnonzero((owner == k) | ((np.abs(owner - k) <= 2) & (rng.random(len(owner)) < 0.4)))
        values = np.asfortranarray(rng.normal(size=(len(rows), width)) * 10.0 ** rng.integers(-3, 4))
        groups.append(ColumnGroup(rows, numbers[k], values))
    shape = (len(owner), int(widths.sum()))
    return GroupedMatrix(shape, groups, np.arange(count, dtype=float)[:, None]), rng.normal(size=shape[0])


@given(matrices())
@examples(60)
def test_products_are_those_of_the_dense_matrix(case):
    A, b = case
    D, c = A.toarray(), np.random.default_rng(0).normal(size=A.shape[1])
    np.testing.assert_allclose(A @ c, D @ c, atol=1e-12 * np.abs(D).max())
    np.testing.assert_allclose(A.rmatvec(b), D.T @ b, atol=1e-12 * np.abs(D).max())


@given(matrices(), st.sampled_from([0.0, 1e-15]))
@examples(80)
def test_the_minimizer_is_that_of_the_dense_matrix(case, ridge):
    A, b = case
    D = A.toarray()
    scale = np.linalg.norm(D, axis=0)
    condition = np.linalg.cond(D / scale)
    expected = np.linalg.lstsq(D / scale, b, rcond=None)[0]
    fit = lrfm.QR(ridge=ridge).solve(A, b)
    np.testing.assert_allclose(
        fit.coefficients * scale, expected, atol=1e-13 * condition**2 * np.abs(expected).max()
    )
    assert fit.residual == pytest.approx(np.linalg.norm(D @ fit.coefficients - b), rel=1e-10)
    assert fit.rank == A.shape[1]
    again = lrfm.QR(ridge=ridge).factor(A).solve(b)
    np.testing.assert_allclose(
        again.coefficients * scale, expected, atol=1e-13 * condition**2 * np.abs(expected).max()
    )


@given(matrices())
@examples(40)
def test_every_row_and_every_column_has_its_front(case):
    A, _ = case
    structure = analyze(A, ridge=True)
    assert sorted(g for front in structure.fronts for *_, g in front.rows) == list(
        range(len(structure.bundles))
    )
    assert sum(front.own for front in structure.fronts) == A.shape[1]
    groups, sets = row_bundles(A)
    seen = dense(A) != 0
    for rows, members in zip(groups, sets, strict=True):
        columns = np.concatenate([A.groups[k].columns for k in members])
        assert not np.delete(seen[rows], columns, axis=1).any()


def test_dissection_orders_every_group_once_and_separates():
    places = np.stack(np.meshgrid(np.arange(9), np.arange(9)), axis=-1).reshape(-1, 2)
    near = [set(np.flatnonzero(np.abs(places - p).max(axis=1) <= 1).tolist()) for p in places]
    order = dissect(np.arange(81), places, near)
    assert sorted(b for node in order for b in node) == list(range(81))
    last = order[-1]
    assert len(last) == 9  # a grid line
    rest = [b for node in order[:-1] for b in node]
    one, stack = {rest[0]}, [rest[0]]
    while stack:  # what can be reached without the separator
        for b in near[stack.pop()] - set(last) - one:
            one.add(b)
            stack.append(b)
    assert len(one) < len(rest)


HEAT = Problem(
    "u_t = 0.05*u_xx", domain=Box(x=(0, 1)), time=(0, 1), initial="sin(2*pi*x)", boundary="periodic"
)
PLANE = Problem(
    "u_t = 0.05*lap(u)", domain=Box(x=(0, 1), y=(0, 2)), time=(0, 1),
    initial="sin(pi*x)*cos(pi*y)", boundary={"x": "u = 0", "y": "periodic"},
)  # fmt: skip
PAIR = Problem(
    ["u_t = 0.1*u_xx + v", "v_t = 0.1*v_xx - u*v"], domain=Box(x=(0, 1)), time=(0, 0.5),
    initial={"u": "sin(2*pi*x)", "v": "cos(2*pi*x)"}, boundary="periodic",
)  # fmt: skip


def system(problem, space, interior, seed=0):
    points = lrfm.Collocation(interior=interior, initial=interior // 5, boundary=interior // 10)
    parts = Parts(space, points, lrfm.QR(), lrfm.Newton())
    rng = np.random.default_rng(seed)
    sampled = sample_space(problem, space, problem.time, rng)
    placed = points.place(problem.domain, problem.time, rng)
    spaces = dict.fromkeys(problem.fields, sampled)
    return build_system(problem, parts, spaces, placed, problem.time, initial_values(problem, None))


CASES = {
    "wrapped": (HEAT, Liquid(per_patch=20, patches=6), 700),
    "rows that match opposite faces": (HEAT, Liquid(per_patch=20, patches=6, periodic="rows"), 700),
    "two axes": (PLANE, Liquid(per_patch=15, patches=(3, 4), weights=1.0), 900),
    "wide overlap": (PLANE, Liquid(per_patch=20, patches=(2, 3), overlap=0.9), 700),
    "a nonlinear system": (PAIR, Liquid(per_patch=15, patches=5), 600),
}


@pytest.mark.parametrize("name", CASES)
def test_assembled_groups_are_the_dense_rows(name):
    problem, space, interior = CASES[name]
    local = system(problem, space, interior)
    sampled = next(iter(local.spaces.values()))

    class Whole(SampledSpace):  # the same functions, with nothing said of patches
        size, jets = sampled.size, staticmethod(sampled.jets)

    whole = type(local)(dict.fromkeys(problem.fields, Whole()), local.groups, local.conditions)
    assert isinstance(local.matrix, GroupedMatrix)
    c = np.random.default_rng(1).normal(size=local.shape[1]) * 0.1
    for picard in (False, True):
        (J, b), (D, d) = local.linearize(c, picard), whole.linearize(c, picard)
        np.testing.assert_allclose(dense(J), D, rtol=1e-12, atol=1e-12 * np.abs(D).max())
        np.testing.assert_allclose(b, d, rtol=1e-12, atol=1e-12 * np.abs(d).max())
    np.testing.assert_allclose(
        local.residual(c), whole.residual(c), atol=1e-11 * np.abs(whole.residual(c)).max()
    )


@pytest.mark.parametrize("name", CASES)
def test_column_groups_fit_as_well_as_dense_columns(name):
    problem, space, interior = CASES[name]
    J, b = system(problem, space, interior).linearize(np.zeros(system(problem, space, interior).shape[1]))
    D = dense(J)
    one, other = lrfm.QR().solve(J, b), lrfm.QR().solve(D.copy(order="F"), b)
    assert one.residual == pytest.approx(other.residual, rel=1e-6, abs=1e-11 * np.linalg.norm(b))
    assert np.linalg.norm(D @ (one.coefficients - other.coefficients)) <= 1e-8 * np.linalg.norm(b)


@pytest.mark.slow
def test_a_local_solve_never_forms_the_dense_matrix(monkeypatch):
    def refuse(self):
        raise AssertionError("the dense matrix was formed")

    monkeypatch.setattr(GroupedMatrix, "toarray", refuse)
    problem = lrfm.catalog.allen_cahn()
    solution = lrfm.solve(problem, method=lrfm.SpaceTime(space=Liquid(per_patch=60, patches=6)), seed=3)
    assert solution.report.error_estimate < 1e-4


@pytest.mark.slow
def test_newton_with_column_groups_is_as_accurate_as_with_dense_columns(monkeypatch):
    problem = lrfm.catalog.allen_cahn()

    def error(seed):
        space = Liquid(per_patch=80, patches=5, weights=1.5)
        u = lrfm.solve(problem, method=lrfm.SpaceTime(space=space), seed=seed, estimate=False, strict=False)
        return grid_error(u, 41, 9)

    groups = [error(seed) for seed in range(3)]
    solve = lrfm.QR.solve
    monkeypatch.setattr(lrfm.QR, "solve", lambda self, A, b, names=None: solve(self, dense(A), b, names))
    plain = [error(seed) for seed in range(3)]
    assert max(groups) < 1e-5
    assert np.mean(groups) <= 10 * np.mean(plain)


def flops(problem, counts, per_patch=8):
    """Per patch."""
    total = int(np.prod(counts))
    A = system(problem, Liquid(per_patch=per_patch, patches=counts), 4 * per_patch * total).matrix
    return analyze(A, ridge=True).flops / total


@pytest.mark.slow
def test_cost_per_patch_is_constant_along_a_line():
    assert flops(HEAT, (256,)) < 1.1 * flops(HEAT, (32,))


@pytest.mark.slow
def test_cost_per_patch_grows_like_a_side_in_the_plane():
    few, many = flops(PLANE, (6, 6)), flops(PLANE, (18, 18))
    assert many < 6 * few  # a dense QR: 81 times; a band: 9 times


def test_a_march_of_local_windows_shares_one_factorization():
    problem = Problem(
        "u_t = 0.02*u_xx", domain=Box(x=(0, 1)), time=(0, 2), initial="sin(2*pi*x)", boundary="periodic"
    )
    space = Liquid(per_patch=60, patches=4, weights=1.0)
    from lrfm.spacetime.windows.propagator import Propagator

    parts = Parts(space, lrfm.Collocation(interior=1200, initial=200, boundary=10), lrfm.QR(), lrfm.Newton())
    made = Propagator(problem, parts, (0.0, 1.0), np.random.default_rng(0))
    first = made.step((0.0, 1.0), None, np.random.default_rng(1)).expansion
    second = made.step((1.0, 2.0), first, np.random.default_rng(1)).expansion
    points = np.column_stack([np.linspace(0, 1, 50), np.full(50, 2.0)])
    jet = lrfm.problem.Jet("u", (0, 0))
    exact = np.exp(-0.02 * (2 * np.pi) ** 2 * 2.0) * np.sin(2 * np.pi * points[:, 0])
    np.testing.assert_allclose(second.values([jet], points)[jet], exact, atol=1e-4)


def test_rows_that_are_not_finite_are_named():
    A, b = np.ones((4, 1), order="F"), np.zeros(6)
    A[2, 0] = np.nan
    groups = [
        ColumnGroup(np.arange(4), np.array([0]), A),
        ColumnGroup(np.arange(2, 6), np.array([1]), np.ones((4, 1))),
    ]
    with pytest.raises(ValueError, match=r"1 row.*in the rows of here"):
        lrfm.QR().solve(GroupedMatrix((6, 2), groups, np.zeros((2, 1))), b, {"here": slice(2, 3)})


def test_an_exactly_singular_matrix_gets_a_sentence():
    groups = [
        ColumnGroup(np.arange(4), np.array([0, 1]), np.ones((4, 2), order="F")),
        ColumnGroup(np.arange(2, 6), np.array([2]), np.eye(4)[:, :1]),
    ]
    A = GroupedMatrix((6, 3), groups, np.array([[0.0], [1.0]]))
    with pytest.raises(ValueError, match="exactly singular"):
        lrfm.QR(ridge=0.0).solve(A, np.ones(6))
