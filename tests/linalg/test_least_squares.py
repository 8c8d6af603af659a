# SPDX-License-Identifier: MIT
"""Least squares on matrices built to a given condition number and rank, against formulas in more digits."""

import math
import tracemalloc
from contextlib import contextmanager

import mpmath
import numpy as np
import pytest
import scipy.linalg
from helpers import examples
from hypothesis import given
from hypothesis import strategies as st

from lrfm.spacetime.least_squares import QR, TruncatedSVD, householder
from lrfm.spacetime.least_squares.qr import column_norms

SOLVERS = [QR(), QR(ridge=0.0), TruncatedSVD()]


def orthonormal(rng, rows, columns):
    return np.linalg.qr(rng.standard_normal((rows, columns)))[0]


def matrix(rows=120, columns=30, *, condition=10.0, rank=None, seed=0):
    """A = U diag(σ) Vᵀ, σ falling geometrically from 1 to 1/condition over `rank` values, then zero."""
    rng = np.random.default_rng(seed)
    rank = columns if rank is None else rank
    sigma = np.zeros(columns)
    sigma[:rank] = np.geomspace(1.0, 1.0 / condition, rank)
    return np.asfortranarray(
        orthonormal(rng, rows, columns) * sigma @ orthonormal(rng, columns, columns).T
    ), sigma


def right_side(rows, seed=1):
    return np.random.default_rng(seed).standard_normal(rows)


def exact_least_squares(A, b, ridge=0.0):
    """argmin ‖A x − b‖² + ridge²‖x‖² by the normal equations in 60 digits."""
    with mpmath.workdps(60):
        M, v = mpmath.matrix(A.tolist()), mpmath.matrix(b.tolist())
        gram = M.T * M + mpmath.mpf(ridge) ** 2 * mpmath.eye(A.shape[1])
        x = mpmath.cholesky_solve(gram, M.T * v)
        return np.array([float(value) for value in x]), float(mpmath.norm(M * x - v))


# The minimizer ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("solver", SOLVERS, ids=repr)
@pytest.mark.parametrize("condition", [1.0, 1e3, 1e7])
def test_coefficients_and_residual_against_sixty_digits(solver, condition):
    A, _ = matrix(40, 9, condition=condition)
    b = right_side(40)
    x, residual = exact_least_squares(A, b)
    fit = solver.solve(A.copy(order="F"), b)
    # Wedin's bound with the large residual of a random right side: κ² ε.
    assert np.linalg.norm(fit.coefficients - x) <= 50 * np.finfo(float).eps * condition**2 * np.linalg.norm(x)
    assert fit.residual == pytest.approx(residual, rel=1e-10)


@pytest.mark.parametrize("solver", SOLVERS, ids=repr)
@pytest.mark.parametrize("condition", [1e2, 1e6, 1e10])
def test_a_consistent_system_loses_only_the_condition_number(solver, condition):
    A, _ = matrix(condition=condition)
    x = right_side(30)
    fit = solver.solve(A.copy(order="F"), A @ x)
    assert np.linalg.norm(fit.coefficients - x) <= 50 * np.finfo(float).eps * condition * np.linalg.norm(x)
    assert fit.residual <= 1e-13 * np.linalg.norm(x)


@pytest.mark.parametrize("solver", SOLVERS, ids=repr)
def test_residual_is_orthogonal_to_the_columns(solver):
    A, _ = matrix(condition=1e4)
    b = right_side(120)
    r = A @ solver.solve(A.copy(order="F"), b).coefficients - b
    assert np.abs(A.T @ r).max() < 1e-12 * np.linalg.norm(b)


@pytest.mark.parametrize("solver", SOLVERS, ids=repr)
def test_a_square_system_is_solved(solver):
    A, _ = matrix(20, 20, condition=1e3)
    x = right_side(20)
    fit = solver.solve(A.copy(order="F"), A @ x)
    np.testing.assert_allclose(fit.coefficients, x, rtol=1e-10)
    assert fit.residual < 1e-13


@pytest.mark.parametrize("solver", SOLVERS, ids=repr)
def test_one_unknown(solver):
    a, b = np.array([[1.0], [2.0], [2.0]], order="F"), np.array([1.0, 1.0, 4.0])
    fit = solver.solve(a.copy(order="F"), b)
    assert fit.coefficients[0] == pytest.approx(11 / 9, rel=1e-14)
    assert fit.residual == pytest.approx(math.sqrt(18 - 121 / 9), rel=1e-14)


@pytest.mark.parametrize("solver", SOLVERS, ids=repr)
def test_layout_in_memory_does_not_matter(solver):
    A, _ = matrix(condition=1e3)
    b = right_side(120)
    column_major = solver.solve(A.copy(order="F"), b).coefficients
    row_major = solver.solve(A.copy(order="C"), b).coefficients
    np.testing.assert_allclose(row_major, column_major, rtol=1e-11)


@pytest.mark.parametrize("solver", SOLVERS, ids=repr)
def test_the_right_side_is_not_touched(solver):
    A, _ = matrix()
    b = right_side(120)
    kept = b.copy()
    b.flags.writeable = False
    solver.solve(A, b)
    np.testing.assert_array_equal(b, kept)


# Truncated SVD ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cutoff", [1e-12, 1e-6, 1e-3, 0.5])
def test_truncated_svd_is_its_formula(cutoff):
    """c = Σ_{σᵢ > cutoff·σ₁} (uᵢᵀb / σᵢ) vᵢ."""
    A, sigma = matrix(condition=1e9)
    b = right_side(120)
    fit = TruncatedSVD(cutoff=cutoff).solve(A.copy(order="F"), b)
    U, s, Vt = np.linalg.svd(A, full_matrices=False)
    kept = s > cutoff * s[0]
    expected = Vt[kept].T @ (U[:, kept].T @ b / s[kept])
    assert fit.rank == kept.sum() == np.count_nonzero(sigma > cutoff)
    np.testing.assert_allclose(fit.coefficients, expected, atol=1e-6 * np.linalg.norm(expected) + 1e-12)
    # What was discarded stays discarded: the component along every dropped direction is rounding.
    dropped = Vt[~kept] @ fit.coefficients
    assert np.all(np.abs(dropped) <= 1e-6 * np.linalg.norm(expected))
    assert fit.residual == pytest.approx(np.linalg.norm(A @ expected - b), rel=1e-9)


def test_truncated_svd_reports_the_spectrum():
    A, sigma = matrix(condition=1e8)
    fit = TruncatedSVD().solve(A.copy(order="F"), right_side(120))
    np.testing.assert_allclose(fit.singular_values, sigma, rtol=1e-6)
    assert fit.condition == pytest.approx(1e8, rel=1e-6)


@pytest.mark.parametrize("rank", [1, 7, 29])
def test_truncated_svd_of_a_deficient_matrix_is_the_shortest_minimizer(rank):
    A, _ = matrix(condition=1e3, rank=rank)
    b = right_side(120)
    fit = TruncatedSVD().solve(A.copy(order="F"), b)
    assert fit.rank == rank
    np.testing.assert_allclose(fit.coefficients, np.linalg.pinv(A, rcond=1e-8) @ b, atol=1e-9)
    assert fit.condition > 1e14


def test_truncated_svd_leaves_the_matrix_alone():
    A, _ = matrix()
    kept = A.copy()
    TruncatedSVD().solve(A, right_side(120))
    np.testing.assert_array_equal(A, kept)


# QR with a ridge --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ridge", [0.5, 1e-2, 1e-5])
@pytest.mark.parametrize("condition", [1e1, 1e6])
def test_qr_solves_the_augmented_problem(ridge, condition):
    """min ‖A D y − b‖² + ρ²n‖y‖², c = D y, D = diag(1/‖a_j‖), in 60 digits."""
    A, _ = matrix(25, 6, condition=condition)
    A *= np.geomspace(1e-3, 1e3, 6)
    b = right_side(25)
    D = 1.0 / np.linalg.norm(A, axis=0)
    y, _ = exact_least_squares(A * D, b, ridge * math.sqrt(6))
    fit = QR(ridge=ridge).solve(A.copy(order="F"), b)
    np.testing.assert_allclose(fit.coefficients / D, y, rtol=1e-9, atol=1e-9 * np.linalg.norm(y))
    # The residual is that of what is returned, not of the problem without ridge.
    assert fit.residual == pytest.approx(np.linalg.norm(A @ fit.coefficients - b), rel=1e-10)


def test_the_default_ridge_keeps_digits_that_a_cutoff_discards():
    A, _ = matrix(condition=1e14)
    x = np.linalg.svd(A)[2][-1]  # the weakest direction
    b = A @ x
    kept = QR().solve(A.copy(order="F"), b).coefficients @ x
    dropped = TruncatedSVD(cutoff=1e-12).solve(A.copy(order="F"), b).coefficients @ x
    assert kept == pytest.approx(1, abs=0.2)
    assert abs(dropped) < 0.2


@pytest.mark.parametrize("rank", [3, 20])
def test_qr_of_a_deficient_matrix_fits_as_well_as_any(rank):
    A, _ = matrix(condition=1e2, rank=rank)
    b = right_side(120)
    best = np.linalg.norm(A @ (np.linalg.pinv(A, rcond=1e-10) @ b) - b)
    fit = QR().solve(A.copy(order="F"), b)
    assert np.all(np.isfinite(fit.coefficients))
    # Columns that differ by rounding only still fit a little of a random right side, with large coefficients.
    assert np.linalg.norm(A @ fit.coefficients - b) == pytest.approx(best, rel=1e-2)
    assert fit.residual == pytest.approx(best, rel=1e-2)


def test_qr_counts_the_columns_that_add_nothing():
    A, _ = matrix(condition=10)
    A[:, [4, 11]] = A[:, [0, 1]]  # two columns twice
    assert QR().solve(A.copy(order="F"), right_side(120)).rank == 28
    assert QR().solve(matrix(condition=10)[0], right_side(120)).rank == 30


def test_a_zero_column_gets_the_coefficient_zero():
    A, _ = matrix(condition=10)
    A[:, 5] = 0
    for solver in (QR(), TruncatedSVD()):
        fit = solver.solve(A.copy(order="F"), right_side(120))
        assert abs(fit.coefficients[5]) < 1e-12
        assert fit.rank == 29
        assert np.all(np.isfinite(fit.coefficients))


@pytest.mark.parametrize("spread", [1e3, 1e8, 1e140])
def test_qr_does_not_depend_on_the_units_of_the_columns(spread):
    """c_j ‖a_j‖ is the same whatever the columns are multiplied by."""
    A, _ = matrix(condition=1e4)
    b = right_side(120)
    factors = 2.0 ** np.round(np.linspace(-1, 1, 30) * math.log2(spread))
    plain = QR().solve(A.copy(order="F"), b)
    scaled = QR().solve(np.asfortranarray(A * factors), b)
    np.testing.assert_allclose(scaled.coefficients * factors, plain.coefficients, rtol=1e-9)
    assert scaled.residual == pytest.approx(plain.residual, rel=1e-12)
    assert scaled.rank == plain.rank == 30


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_column_norms_neither_overflow_nor_vanish(scale):
    A = np.asfortranarray(np.array([[3.0, 0.0, 1.0], [4.0, 0.0, 0.0]]) * np.array([scale, 1.0, 1.0]))
    np.testing.assert_allclose(column_norms(A), [5 * scale, 1.0, 1.0], rtol=1e-15)


def test_condition_is_that_of_the_matrix_as_given_and_only_on_request():
    A, _ = matrix(condition=1e5)
    A *= np.geomspace(1, 100, 30)
    expected = np.linalg.svd(A, compute_uv=False)
    b = right_side(120)
    fit = QR(condition=True).solve(A.copy(order="F"), b)
    np.testing.assert_allclose(fit.singular_values, expected, rtol=1e-8)
    assert fit.condition == pytest.approx(expected[0] / expected[-1], rel=1e-8)
    assert TruncatedSVD().solve(A.copy(order="F"), b).condition == pytest.approx(fit.condition, rel=1e-6)
    plain = QR().solve(A.copy(order="F"), b)
    assert plain.condition is None
    np.testing.assert_array_equal(plain.coefficients, fit.coefficients)


@pytest.mark.parametrize("solver", [QR(condition=True), TruncatedSVD()], ids=repr)
def test_an_exactly_singular_matrix_has_infinite_condition(solver):
    A = np.zeros((6, 3), order="F")
    A[0, 0] = A[1, 1] = 1e10
    fit = solver.solve(A, np.arange(6.0))
    assert fit.condition == math.inf
    assert fit.rank == 2


def test_without_ridge_an_exactly_singular_matrix_is_refused():
    A = np.zeros((6, 3), order="F")
    A[0, 0] = A[1, 1] = 1.0
    with pytest.raises(ValueError, match="exactly singular; use a positive `ridge` or `TruncatedSVD"):
        QR(ridge=0.0).solve(A, np.arange(6.0))


# What is refused --------------------------------------------------------------------------------------------

BLOCKS = {
    "equation 1": slice(0, 100),
    "`boundary` on `x-`": slice(100, 110),
    "`initial` of `u`": slice(110, 120),
}


@pytest.mark.parametrize("solver", SOLVERS, ids=repr)
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize(
    ("row", "name"), [(99, "equation 1"), (100, "`boundary` on `x-`"), (119, "`initial` of `u`")]
)
@pytest.mark.parametrize("side", ["matrix", "right side"])
def test_non_finite_input_names_its_block(solver, value, row, name, side):
    A, _ = matrix()
    b = right_side(120)
    if side == "matrix":
        A[row, 3] = value
    else:
        b[row] = value
    with pytest.raises(
        ValueError, match=rf"1 row\(s\) with non-finite entries in the rows of {name} \(first: row {row}\)"
    ) as caught:
        solver.solve(A, b, BLOCKS)
    assert sum(block in str(caught.value) for block in BLOCKS) == 1


def test_several_bad_blocks_are_all_named():
    A, _ = matrix()
    A[5], A[105] = np.nan, np.inf
    with pytest.raises(
        ValueError, match=r"2 row\(s\) .* in the rows of equation 1, `boundary` on `x-` \(first: row 5\)"
    ):
        QR().solve(A, right_side(120), BLOCKS)


def test_opposite_infinities_do_not_hide_each_other():
    A, _ = matrix()
    A[5, 0], A[6, 0] = np.inf, -np.inf
    with pytest.raises(ValueError, match=r"2 row\(s\)"):
        QR().solve(A, right_side(120), BLOCKS)


def test_large_finite_entries_are_not_called_non_finite():
    """Their sum overflows, they do not."""
    A, _ = matrix(condition=10)
    A[:, 0] = 1e307
    fit = QR().solve(np.asfortranarray(A), right_side(120), BLOCKS)
    assert np.all(np.isfinite(fit.coefficients))


@pytest.mark.parametrize("solver", SOLVERS, ids=repr)
def test_fewer_rows_than_columns_are_refused(solver):
    with pytest.raises(
        ValueError, match=r"29 rows for 30 unknowns; it needs at least as many rows.*`Collocation`"
    ):
        solver.solve(np.ones((29, 30), order="F"), np.ones(29))


@pytest.mark.parametrize("solver", SOLVERS, ids=repr)
def test_a_right_side_of_another_length_is_refused(solver):
    with pytest.raises(ValueError, match=r"A has 120 rows, but b has shape \(119,\)"):
        solver.solve(matrix()[0], np.ones(119))


@pytest.mark.parametrize("value", [-1e-12, 1.0, math.nan, math.inf, "small", None])
def test_wrong_settings_get_a_sentence(value):
    with pytest.raises(ValueError, match=r"`ridge=.*` must lie in \[0, 1\)"):
        QR(ridge=value)
    with pytest.raises(ValueError, match=r"`cutoff=.*` must lie in \[0, 1\)"):
        TruncatedSVD(cutoff=value)


# Cost -------------------------------------------------------------------------------------------------------


def test_flops_grow_as_rows_times_columns_squared():
    for solver in (QR(), TruncatedSVD()):
        assert solver.flops(4000, 100) / solver.flops(2000, 100) == pytest.approx(2, rel=0.05)
        assert solver.flops(20_000, 200) / solver.flops(20_000, 100) == pytest.approx(4, rel=0.05)
    assert TruncatedSVD().flops(2000, 400) > 2 * QR().flops(2000, 400)


def test_qr_works_in_place():
    """The matrix is the largest thing there is: it is factored where it lies, and a panel beside it."""
    A = np.asfortranarray(np.random.default_rng(0).standard_normal((6000, 300)))
    b = right_side(6000)
    tracemalloc.start()
    try:
        QR().solve(A, b)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 0.5 * A.nbytes
    assert peak <= 8 * (QR().doubles(6000, 300) - A.size) + 2**20


# Householder in blocks --------------------------------------------------------------------------------------


def factored(A, triangle=None):
    """(Reflections, R⁺) of [R; A]."""
    n = A.shape[1]
    L = np.zeros((n, n), order="F") if triangle is None else triangle.T.copy(order="F")
    return householder.factor(A.copy(order="F"), L), L.T


@contextmanager
def panels(narrow, wide, many=0):
    """Panels so small that a small matrix has many of them."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (("NARROW", narrow), ("WIDE", wide), ("MANY", many)):
            patch.setattr(householder, name, value)
        yield


def assert_is_qr(A, reflections, R, triangle=None):
    """Qᵀ[R₀; A] = [R; 0] column by column to rounding, Q orthogonal, R triangular with the norms of the columns."""
    m, n = A.shape
    norms = np.linalg.norm(np.vstack([A, np.zeros((n, n)) if triangle is None else triangle]), axis=0)
    bound = 40 * np.finfo(float).eps * math.sqrt(m * n)
    np.testing.assert_array_equal(R, np.triu(R))
    assert np.all(np.abs(np.linalg.norm(R, axis=0) - norms) <= bound * norms)
    top, low = reflections.transposed(A)
    if triangle is None:
        assert np.all(np.linalg.norm(top - R, axis=0) <= bound * norms)
        assert np.all(np.linalg.norm(low, axis=0) <= bound * norms)
    whole, rest = reflections.transposed(np.eye(m))
    rows = np.vstack([whole, rest])  # the columns of Qᵀ that meet A
    assert np.abs(rows.T @ rows - np.eye(m)).max() <= bound
    return rows


@examples(60)
@given(
    m=st.integers(1, 60), n=st.integers(1, 40), narrow=st.integers(1, 9), times=st.integers(1, 5),
    seed=st.integers(0, 2**20), ridge=st.sampled_from([0.0, 1e-15, 0.3]),
)  # fmt: skip
def test_blocks_of_reflectors_are_a_qr(m, n, narrow, times, seed, ridge):
    """Any shape, wide ones too, any division into panels, with and without a triangle on top."""
    rng = np.random.default_rng(seed)
    A = np.asfortranarray(rng.standard_normal((m, n)))
    triangle = ridge * np.eye(n) if ridge else None
    with panels(narrow, narrow * times):
        reflections, R = factored(A, triangle)
    assert_is_qr(A, reflections, R, triangle)
    gram = A.T @ A + ridge**2 * np.eye(n)
    np.testing.assert_allclose(R.T @ R, gram, atol=1e-12 * max(1.0, np.abs(gram).max()))


@pytest.mark.parametrize("condition", [1e8, 1e16, 1e30])
@pytest.mark.parametrize(("narrow", "wide"), [(64, 64), (8, 8), (8, 32)])
def test_orthogonality_does_not_depend_on_the_condition(condition, narrow, wide):
    A, _ = matrix(150, 70, condition=condition)
    A *= np.geomspace(1e-12, 1e12, 70)
    with panels(narrow, wide):
        reflections, R = factored(A)
    assert_is_qr(A, reflections, R)


def test_rows_can_be_added_to_a_triangle():
    """[[R; A]; B] in two steps is the triangle of all rows at once."""
    rng = np.random.default_rng(0)
    A, B = rng.standard_normal((80, 20)), rng.standard_normal((50, 20))
    with panels(4, 8):
        _, R = factored(np.asfortranarray(A))
        _, R = factored(np.asfortranarray(B), R)
        _, whole = factored(np.asfortranarray(np.vstack([A, B])))
    np.testing.assert_allclose(np.abs(R), np.abs(whole), atol=1e-13)


def test_panels_only_change_rounding():
    A, _ = matrix(300, 150, condition=1e5)
    b = right_side(300)
    expected = scipy.linalg.lstsq(A, b)[0]
    for narrow, wide, many in ((64, 128, 700), (64, 128, 0), (5, 20, 0)):
        with panels(narrow, wide, many):
            c = QR().solve(A.copy(order="F"), b).coefficients
        np.testing.assert_allclose(c, expected, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("ridge", [0.0, 1e-15, 0.1])
def test_many_right_sides_at_once_are_one_after_another(ridge):
    A, _ = matrix(condition=1e3)
    B = np.random.default_rng(2).standard_normal((120, 7))
    kept = B.copy()
    B.flags.writeable = False
    once = QR(ridge=ridge).factor(A.copy(order="F"))
    fit = once.solve(B)
    assert fit.coefficients.shape == (30, 7)
    assert fit.residual.shape == (7,)
    np.testing.assert_array_equal(B, kept)
    for j in range(7):
        one = once.solve(B[:, j])
        np.testing.assert_allclose(fit.coefficients[:, j], one.coefficients, rtol=1e-11, atol=1e-13)
        assert fit.residual[j] == pytest.approx(one.residual, rel=1e-12)
        assert isinstance(one.residual, float)
        gap = np.linalg.norm(A @ one.coefficients - B[:, j])
        assert one.residual == pytest.approx(gap, rel=1e-10)
