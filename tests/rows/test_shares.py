# SPDX-License-Identifier: MIT
"""Rows in shares: the same rows, the same minimizer, and never the whole matrix."""

import tracemalloc

import dask.array
import numpy as np
import pytest
from helpers import by_hand, examples
from hypothesis import given
from hypothesis import strategies as st

import lrfm
from lrfm.problem import Jet
from lrfm.spacetime.features import SampledSpace
from lrfm.spacetime.least_squares import QR, Distributed, TruncatedSVD
from lrfm.spacetime.least_squares.backends import NUMPY
from lrfm.spacetime.windows.assembly import System
from lrfm.spacetime.windows.groups import Condition, RowGroup
from lrfm.spacetime.windows.shares import AssembledShare, DistributedSystem, cut

PARTS = {
    "space": lrfm.Liquid(features=40, gate=5.0),
    "collocation": lrfm.Collocation(interior=700, initial=60, boundary=40),
    "nonlinear": lrfm.Newton(max_steps=2),
    "estimate": False,
    "strict": False,
}


# Least squares ----------------------------------------------------------------------------------------------


@given(
    rows=st.integers(20, 400),
    columns=st.integers(1, 9),
    chunk=st.integers(20, 120),
    seed=st.integers(0, 2**32 - 1),
    ridge=st.sampled_from([0.0, 1e-15, 1e-3]),
)
@examples(25)
def test_the_minimizer_is_that_of_qr(rows, columns, chunk, seed, ridge):
    """Gaussian matrices are well-conditioned: coefficients agree to rounding, whatever the chunks."""
    rng = np.random.default_rng(seed)
    A, b = (
        rng.standard_normal((rows, columns)) * 10.0 ** rng.integers(-8, 8, columns),
        rng.standard_normal(rows),
    )
    whole = QR(ridge=ridge, condition=True).solve(A.copy(order="F"), b)
    parts = Distributed(chunk_rows=chunk, ridge=ridge, condition=True, jobs=1).solve(A, b)
    scale = np.linalg.norm(A, axis=0)
    assert parts.coefficients * scale == pytest.approx(whole.coefficients * scale, rel=1e-9, abs=1e-11)
    assert parts.residual == pytest.approx(whole.residual, rel=1e-12, abs=1e-13)
    assert parts.rank == whole.rank
    largest = whole.singular_values[0]
    assert parts.singular_values / largest == pytest.approx(whole.singular_values / largest, abs=1e-14)


def test_truncation_is_that_of_the_svd():
    rng = np.random.default_rng(0)
    A = rng.standard_normal((300, 5)) @ rng.standard_normal((5, 12))  # rank 5
    b = rng.standard_normal(300)
    whole = TruncatedSVD(cutoff=1e-10).solve(A.copy(order="F"), b)
    parts = Distributed(chunk_rows=60, cutoff=1e-10).solve(A, b)
    assert parts.rank == whole.rank == 5
    assert parts.coefficients == pytest.approx(whole.coefficients, rel=1e-10, abs=1e-12)
    assert parts.residual == pytest.approx(whole.residual, rel=1e-12)


@pytest.mark.parametrize(
    "solver", [QR(), Distributed(chunk_rows=100), Distributed(chunk_rows=100, cutoff=1e-15)]
)
def test_an_ill_conditioned_fit_is_still_a_fit(solver):
    """Columns 1, x, …, x²⁹ on [0, 1] and b = A·1: κ ≈ 1e17, so coefficients are anything, but A c = b to rounding."""
    A = np.vander(np.linspace(0, 1, 2000), 30)
    b = A.sum(axis=1)
    fit = solver.solve(A.copy(order="F"), b)
    assert np.linalg.norm(A @ fit.coefficients - b) < 1e-13 * np.linalg.norm(b)
    assert fit.residual < 1e-13 * np.linalg.norm(b)


def test_dask_arrays_with_any_chunks_are_taken():
    rng = np.random.default_rng(1)
    A, b = rng.standard_normal((500, 6)), rng.standard_normal(500)
    fit = Distributed().solve(dask.array.from_array(A, chunks=(90, 2)), dask.array.from_array(b, chunks=70))
    assert fit.coefficients == pytest.approx(np.linalg.lstsq(A, b)[0], rel=1e-10)


def test_non_finite_rows_are_named():
    A, b = np.ones((100, 2)), np.ones(100)
    A[:, 1], A[73, 1] = np.arange(100), np.nan
    groups = {"the equation": np.r_[0:50], "the wall": np.r_[50:100]}
    with pytest.raises(
        ValueError, match=r"1 row\(s\) with non-finite entries in the rows of the wall \(first: row 73"
    ):
        Distributed(chunk_rows=20).solve(A, b, groups)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"chunk_rows": 0}, "chunk_rows=0"),
        ({"jobs": 1.5}, "jobs=1.5"),
        ({"ridge": -1}, "ridge=-1"),
        ({"cutoff": 2}, "cutoff=2"),
    ],
)
def test_what_it_refuses(arguments, said):
    with pytest.raises(ValueError, match=said):
        Distributed(**arguments)


def test_chunks_that_reduce_nothing_are_refused():
    with pytest.raises(ValueError, match="must have at least 42 rows"):
        Distributed(chunk_rows=41).solve(np.ones((500, 20)), np.ones(500))
    with pytest.raises(ValueError, match="3 rows for 20 unknowns"):
        Distributed().solve(np.ones((3, 20)), np.ones(3))


# Shares -----------------------------------------------------------------------------------------------------


class Waves(SampledSpace):
    """u = Σ c_q cos(q x + t), with exact derivatives: a trial space of three functions."""

    size = 3

    def jets(self, points, orders, xp=None):
        q, phase = np.arange(1, 4), np.outer(points[:, 0], np.arange(1, 4)) + points[:, 1:2]
        return {(a, b): q**a * np.cos(phase + (a + b) * np.pi / 2) for a, b in orders}


def rows_of_a_problem(counts, rng):
    """A nonlinear system of two equations, a face with a partner, initial values; weights of both kinds."""
    problem = lrfm.Problem(
        ["u_t = u_xx - u*v", "v_t = v_x + x*u"], domain=lrfm.Box(x=(0, 1)), time=(0, 1),
        initial={"u": "cos(x)", "v": "0"}, boundary={"x-": ["u = 0"], "x+": ["u_n = v**2"]}, check_corners=False,
    )  # fmt: skip
    inside, face, start = (rng.random((n, 2)) for n in counts)
    weights = rng.random(counts[0]) + 0.5
    groups = [RowGroup(row.label, row, inside, weights) for row in problem.rows]
    groups += [RowGroup(row.label, row, face, 3.0) for row in problem.face_rows["x+"]]
    groups += [RowGroup("match", problem.face_rows["x-"][0], face, 2.0, face[::-1].copy())]
    conditions = [Condition("start", Jet("u", (0, 0)), start, np.cos(start[:, 0]), 1.5)]
    space = Waves()
    return {"u": space, "v": space}, groups, conditions


@given(
    counts=st.tuples(st.integers(1, 60), st.integers(1, 30), st.integers(1, 30)),
    rows=st.integers(2, 90),
    seed=st.integers(0, 99),
)
@examples(60)
def test_shares_hold_every_row_once_and_none_is_too_large(counts, rows, seed):
    _, groups, conditions = rows_of_a_problem(counts, np.random.default_rng(seed))
    shares = cut(groups, conditions, rows)
    assert all(0 < share.rows <= rows for share in shares)
    for item in (*groups, *conditions):
        found = [i for share in shares for i in share.items if i.label == item.label]
        same = [i for i in (*groups, *conditions) if i.label == item.label]
        assert sum(len(i.points) for i in found) == sum(len(i.points) for i in same)
    # Equations at the same points stay together, so that their derivatives are computed once.
    for share in shares:
        at = [id(b.points) for b in share.groups if b.label.startswith("Equation")]
        assert len(at) == 2 * len(set(at))


@pytest.mark.parametrize("chunk", [14, 33, 1000])
@pytest.mark.parametrize("picard", [False, True])
def test_shares_are_the_rows_of_the_whole_system(chunk, picard):
    """J, b, F and the residual of each named row group, row by row against the dense system."""
    rng = np.random.default_rng(3)
    parts = rows_of_a_problem((40, 9, 11), rng)
    whole = System(*parts)
    spread = DistributedSystem(*parts, Distributed(chunk_rows=chunk, jobs=1))
    c = rng.standard_normal(whole.shape[1])
    J, b = whole.linearize(c, picard)
    K, d = (array.compute(scheduler="sync") for array in spread.linearize(c, picard))
    r, s = whole.residual(c), spread.residual(c)
    assert spread.shape == whole.shape
    assert not spread.linear
    assert spread.rows_of.keys() == whole.rows_of.keys()
    for label, here in whole.rows_of.items():
        there = spread.rows_of[label]
        np.testing.assert_allclose(K[there], J[here], rtol=1e-14, atol=1e-14)
        np.testing.assert_allclose(d[there], b[here], rtol=1e-13, atol=1e-14)
        np.testing.assert_allclose(s[there], r[here], rtol=1e-13, atol=1e-13)
    expected = whole.residual_by_group(c)
    assert spread.residual_by_group(c) == pytest.approx(expected, rel=1e-12)


def test_rows_that_are_sent_elsewhere_are_assembled_there():
    import pickle
    import sys

    rng = np.random.default_rng(5)
    spaces, groups, conditions = rows_of_a_problem((40, 9, 11), rng)
    (share,) = cut(groups, conditions, 1000)
    here = AssembledShare(spaces, share, NUMPY)
    c = rng.standard_normal(here.system.shape[1])
    sent = pickle.dumps(here)
    there = pickle.loads(sent)
    assert "system" not in vars(there)
    np.testing.assert_array_equal(there.system.residual(c), here.system.residual(c))
    for mine, other in zip(here.system.linearize(c), there.system.linearize(c), strict=True):
        np.testing.assert_array_equal(mine, other)
    assert sys.getsizeof(here) >= 8 * share.rows * 6


# The whole way ----------------------------------------------------------------------------------------------


LOCAL = lrfm.Liquid(per_patch=15, patches=3)


@pytest.mark.parametrize(
    ("name", "space", "keep"),
    [
        ("heat-2d", PARTS["space"], False),
        ("allen-cahn", PARTS["space"], False),
        ("allen-cahn", PARTS["space"], True),
        ("allen-cahn", LOCAL, False),
        ("nls", PARTS["space"], False),
        ("nls", LOCAL, True),
        ("wave", PARTS["space"], False),
    ],
)
def test_a_solve_in_chunks_is_the_dense_solve(name, space, keep):
    """Linear, nonlinear (two steps of Newton), complex, local, second order in time: equal to rounding times condition."""
    problem = lrfm.catalog.get(name)
    arguments = {**PARTS, "space": space}
    whole = lrfm.solve(problem, **by_hand(least_squares=QR(condition=True), **arguments))
    parts = lrfm.solve(problem, **by_hand(least_squares=Distributed(chunk_rows=250, keep=keep), **arguments))
    rng = np.random.default_rng(0)
    at = {k: low + (high - low) * rng.random(200) for k, (low, high) in problem.domain.axes.items()}
    at["t"] = problem.time[0] + np.ptp(problem.time) * rng.random(200)
    for unknown in problem.unknowns:
        gap, size = np.abs(parts[unknown](**at) - whole[unknown](**at)), np.abs(whole[unknown](**at))
        assert gap.max() <= 1e-15 * whole.report.condition * size.max() + 1e-13
    (here,), (there,) = whole.report.block_reports, parts.report.block_reports
    assert there.fit_residual == pytest.approx(here.fit_residual, rel=1e-10)
    assert (there.rows, there.columns, there.rank) == (here.rows, here.columns, here.rank)
    assert there.residual_by_group == pytest.approx(here.residual_by_group, rel=1e-8)


@pytest.mark.thorough
def test_memory_is_that_of_a_few_chunks():
    """A nonlinear solve whose matrix has 48 MB, in chunks of 0.7 MB: the peak is below half a matrix."""
    problem = lrfm.catalog.get("allen-cahn")

    def solve(interior):
        parts = {**PARTS, "space": lrfm.Liquid(features=200, gate=5.0), "nonlinear": lrfm.Picard(max_steps=1)}
        parts["collocation"] = lrfm.Collocation(interior=interior, initial=120, boundary=40)
        return lrfm.solve(problem, **by_hand(least_squares=Distributed(chunk_rows=402, jobs=1), **parts))

    solve(400)  # imports and caches
    tracemalloc.start()
    report = solve(30_000).report
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert 8 * report.rows * report.features > 48e6
    assert peak < 0.5 * 48e6


def test_a_plan_counts_chunks_instead_of_the_matrix():
    problem = lrfm.catalog.get("allen-cahn")
    parts = {"space": lrfm.Liquid(features=400), "collocation": lrfm.Collocation(interior=2_000_000)}
    dense = lrfm.plan(problem, **by_hand(**parts)).bytes
    parts["least_squares"] = Distributed(chunk_rows=10_000, jobs=2)
    assert lrfm.plan(problem, **by_hand(**parts)).bytes < 0.1 * dense


def test_a_file_may_ask_for_it(tmp_path):
    from lrfm.problem.file import parse
    from lrfm.solver.options import solve_options

    text = """
    equation = "u_t = u_xx"
    time = [0, 0.1]
    initial = "sin(pi*x)"
    boundary = "u = 0"
    domain = { x = [0, 1] }
    [solve.method]
    kind = "space-time"
    [solve.method.least_squares]
    kind = "distributed"
    chunk_rows = 5000
    """
    assert solve_options(parse(text))["method"].least_squares == Distributed(chunk_rows=5000)


def test_the_same_least_squares_elsewhere():
    here = Distributed.like(QR(ridge=1e-10, condition=True), "tcp://a:1")
    assert here == Distributed(ridge=1e-10, condition=True, scheduler="tcp://a:1")
    assert Distributed.like(TruncatedSVD(cutoff=1e-8), None) == Distributed(cutoff=1e-8)
    assert Distributed.like(None, None) == Distributed()
    assert Distributed.like(Distributed(chunk_rows=9), "tcp://a:1").chunk_rows == 9
