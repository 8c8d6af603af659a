# SPDX-License-Identifier: MIT
"""The solution operator: the answers of `lrfm.solve` for other data, linear in them, many at once, step by step."""

import math

import numpy as np
import pytest
from helpers import by_hand, examples
from hypothesis import given
from hypothesis import strategies as st

import lrfm
from lrfm.spacetime.least_squares import QR as Solver
from lrfm.spacetime.least_squares import DataMap
from lrfm.spacetime.operators import Solutions
from lrfm.spacetime.windows.propagator import Propagator

X = np.linspace(0, 1, 41)
T = np.linspace(0, 0.1, 7)


def heat(initial="sin(pi*x)", time=(0, 0.1), **changes):
    options = {"equation": "u_t = u_xx", "boundary": "u = 0"} | changes
    return lrfm.Problem(
        options.pop("equation"), domain=lrfm.Box(x=(0, 1)), time=time, initial=initial, **options
    )


def parts(features=80, **changes):
    return by_hand(
        space=lrfm.Liquid(features=features, weights=1.5, gate=10.0, vanish=("x-", "x+"), **changes)
    )


@pytest.fixture(scope="module")
def op():
    return lrfm.operator(heat(), **parts())


def mode(k, x, t):
    return np.exp(-((k * np.pi) ** 2) * t) * np.sin(k * np.pi * x)


def on_grid(solution, x=X[:, None], t=T):
    return solution(x=x, t=t)


# One datum --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "initial",
    [
        "sin(2*pi*x)",
        lambda x: np.sin(2 * np.pi * x),
        {"u": "sin(2*pi*x)"},
        "0.3*sin(pi*x) - sin(2*pi*x)",
        0.0,
    ],
    ids=["text", "function", "by name", "sum", "number"],
)
def test_a_new_initial_condition_is_what_a_solve_gives(op, initial):
    """The same draws, the same rows, the same answer up to rounding."""
    solved = lrfm.solve(heat(initial), **parts(), estimate=False, strict=False)
    np.testing.assert_allclose(on_grid(op(initial=initial)), on_grid(solved), rtol=0, atol=1e-10)


def test_the_exact_solution_is_met(op):
    for k in (1, 2):
        gap = np.abs(on_grid(op(initial=f"sin({k}*pi*x)")) - mode(k, X[:, None], T)).max()
        assert gap < 2e-5


def test_values_at_the_points_are_data_too(op):
    x = op.points["x"]
    assert x.shape == (48,)
    by_text, by_values = op(initial="sin(2*pi*x)"), op(initial=np.sin(2 * np.pi * x))
    np.testing.assert_allclose(on_grid(by_values), on_grid(by_text), rtol=0, atol=1e-11)


def test_nothing_new_is_the_problem_itself(op):
    solved = lrfm.solve(heat(), **parts(), estimate=False)
    np.testing.assert_allclose(on_grid(op()), on_grid(solved), rtol=0, atol=1e-11)
    np.testing.assert_allclose(on_grid(op.solution), on_grid(solved), rtol=0, atol=1e-11)
    assert op.solution.report.residual < 1e-3
    assert op.solution.report.status in ("estimate only", "not estimated")


@examples(20)
@given(a=st.floats(-3, 3), b=st.floats(-3, 3))
def test_the_operator_is_linear(op, a, b):
    x = op.points["x"]
    first, second = np.sin(np.pi * x), x * (1 - x) * np.exp(x)
    u, v, w = (on_grid(op(initial=d)) for d in (first, second, a * first + b * second))
    np.testing.assert_allclose(w, a * u + b * v, rtol=0, atol=1e-9)


def test_the_answer_is_a_solution_with_everything(op, tmp_path):
    solution = op(initial="sin(2*pi*x)")
    assert solution.problem.initial == "sin(2*pi*x)"
    assert solution.derivative("u_x")(x=0.25, t=0.0) == pytest.approx(0.0, abs=1e-3)
    assert np.abs(solution.residual(x=X[:, None], t=T[1:])).max() < 0.2
    assert math.isnan(solution.report.error_estimate)
    again = lrfm.load(solution.save(tmp_path / "run.lrfm"))
    np.testing.assert_array_equal(on_grid(again), on_grid(solution))
    values = op(initial=np.sin(2 * np.pi * op.points["x"]))
    again = lrfm.load(values.save(tmp_path / "values.lrfm"))
    np.testing.assert_array_equal(on_grid(again), on_grid(values))
    start = values.problem.initial_data["u", 0](np.column_stack([X, 0 * X]))
    np.testing.assert_allclose(start, values(x=X, t=0.0), rtol=0, atol=1e-12)


def test_data_that_the_space_cannot_follow_are_noticed(op):
    """sin 12πx decays by e^(−142) on this window: nothing of it is resolved."""
    rough = op(initial="sin(12*pi*x)")
    assert any("may need more features" in text for text in rough.report.warnings)
    assert rough.report.status == "not resolved"
    assert not op(initial="sin(pi*x) + 0.1*sin(2*pi*x)").report.warnings


# Sources and boundary data ----------------------------------------------------------------------------------


def forced(f):
    return heat(equation="u_t = u_xx + f", parameters={"f": f}, initial="0")


def test_a_forcing_is_replaced_by_its_parameter():
    """f = π² sin πx (1 − e^(−t))-like: any function of x and t, and numbers."""
    op = lrfm.operator(forced(lambda x, t: 0 * x), **parts())
    exact = lambda x, t: np.sin(np.pi * x) * np.sin(3 * t)  # noqa: E731
    force = lambda x, t: np.sin(np.pi * x) * (3 * np.cos(3 * t) + np.pi**2 * np.sin(3 * t))  # noqa: E731
    answer = op(parameters={"f": force})
    np.testing.assert_allclose(on_grid(answer), exact(X[:, None], T), rtol=0, atol=1e-6)
    solved = lrfm.solve(forced(force), **parts(), estimate=False)
    np.testing.assert_allclose(on_grid(answer), on_grid(solved), rtol=0, atol=1e-11)
    both = op(parameters={"f": force}, initial="sin(pi*x)")
    expected = exact(X[:, None], T) + mode(1, X[:, None], T)
    np.testing.assert_allclose(on_grid(both), expected, rtol=0, atol=2e-5)
    assert np.abs(answer.residual(x=0.5, t=0.05)) < 1e-3  # with the new forcing


def test_boundary_data_are_replaced():
    space = {"space": lrfm.Liquid(features=120, weights=2.0, centers=1.1, gate=5.0)}
    problem = heat("x", boundary={"x-": "u = 0", "x+": "u = 1"})
    op = lrfm.operator(problem, **by_hand(**space))
    changed = {"x-": "u = t", "x+": lambda x, t: np.cos(t)}
    answer = op(boundary=changed, initial="x")
    solved = lrfm.solve(heat("x", boundary=changed), **by_hand(**space, estimate=False))
    np.testing.assert_allclose(on_grid(answer), on_grid(solved), rtol=0, atol=1e-9)
    assert answer(x=0.0, t=0.1) == pytest.approx(0.1, abs=1e-4)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"parameters": {"a": 2.0}}, "has other coefficients than that of the operator"),
        ({"parameters": {"a": lambda x: 1 + x}}, "has other coefficients than that of the operator"),
        ({"boundary": {"x-": "u_x = 0", "x+": "u = 0"}, "initial": "cos(pi*x/2)"}, "has other coefficients"),
        ({"boundary": {"x-": None, "x+": "u = 0"}}, "conditions on other faces"),
        ({"boundary": "u = 1", "initial": "1"}, "zero on the face `x-`, and the data there are not"),
        ({"parameters": {"b": 1.0}}, "`b` is not used"),
        ({"initial": "sin(pi*y)"}, "`y`"),
        ({"initial": "__import__('os')"}, "`initial` of `u`"),
        ({"initial": "log(x - 2)"}, "finite"),
        ({"initial": lambda x: 1 / (0 * x)}, "is not finite"),
        ({"initial": {"v": "0"}}, "entry 'v'"),
    ],
)
def test_what_is_no_datum_gets_a_sentence(change, sentence):
    problem = heat(equation="u_t = a*u_xx", parameters={"a": 1.0})
    op = lrfm.operator(problem, **parts(features=30))
    if "not used" in sentence:
        assert any(sentence in text for text in op(**change).report.warnings)
        return
    with np.errstate(all="ignore"), pytest.raises(lrfm.ProblemError, match=sentence):
        op(**change)


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        (np.zeros(7), r"shape \(7,\); expected \(48,\)"),
        (np.zeros((2, 2, 48)), "shape"),
        (np.full(48, np.nan), "not all finite"),
        (np.zeros((3, 48)), "`many"),
        ({"v": np.zeros(48)}, r"for `v`; expected .* `u`"),
        (np.zeros(48) * 1j, "complex"),
    ],
)
def test_values_are_checked(op, values, sentence):
    with pytest.raises(ValueError, match=sentence):
        op(initial=values)


def test_a_nonlinear_problem_is_refused_with_what_to_do():
    with pytest.raises(lrfm.ProblemError, match=r"not linear.*`lrfm\.solve`.*`start=`"):
        lrfm.operator(lrfm.catalog.allen_cahn(), method=lrfm.SpaceTime(space=lrfm.Liquid(features=40)))


def test_wrong_parts_are_refused():
    with pytest.raises(ValueError, match="keeps no factorization"):
        lrfm.operator(heat(), **by_hand(**parts(), least_squares=lrfm.TruncatedSVD()))
    with pytest.raises(TypeError, match=r"expected a `lrfm\.Problem`"):
        lrfm.operator("u_t = u_xx")


# Many -------------------------------------------------------------------------------------------------------


def test_many_are_one_after_another(op):
    x = op.points["x"]
    data = np.array([np.sin(np.pi * x), np.sin(2 * np.pi * x), x * (1 - x)])
    many = op.many(initial=data)
    assert len(many) == 3
    table = many(x=X[:, None], t=T)
    assert table.shape == (3, 41, 7)
    for number, one in enumerate(many):
        np.testing.assert_allclose(table[number], on_grid(one), rtol=0, atol=1e-12)
        np.testing.assert_allclose(table[number], on_grid(op(initial=data[number])), rtol=0, atol=1e-11)
    np.testing.assert_array_equal(on_grid(many[-1]), on_grid(many[2]))
    with pytest.raises(IndexError, match="there are 3 solutions"):
        many[3]


def test_a_list_may_mix_texts_functions_and_values(op):
    many = op.many(initial=["sin(pi*x)", lambda x: np.sin(2 * np.pi * x), np.sin(np.pi * op.points["x"])])
    table = many(x=X, t=0.05)
    np.testing.assert_allclose(table[0], table[2], rtol=0, atol=1e-11)
    np.testing.assert_allclose(table[1], mode(2, X, 0.05), rtol=0, atol=2e-5)
    assert many[0].problem.initial == "sin(pi*x)"
    assert isinstance(many, Solutions)


@pytest.mark.parametrize("wrong", [[], "sin(pi*x)", 3, None])
def test_many_needs_several(op, wrong):
    with pytest.raises(TypeError, match="must be a list of initial data"):
        op.many(initial=wrong)


# Systems, second order, complex -----------------------------------------------------------------------------


def test_second_order_in_time_takes_two_data():
    problem = lrfm.Problem(
        "u_tt = u_xx", domain=lrfm.Box(x=(0, 1)), time=(0, 0.5), initial={"u": "sin(pi*x)", "u_t": "0"}, boundary="u = 0"
    )  # fmt: skip
    op = lrfm.operator(problem, **parts(features=120))
    answer = op(initial={"u": "0", "u_t": "pi*sin(pi*x)"})
    t = np.linspace(0, 0.5, 6)
    exact = np.sin(np.pi * X[:, None]) * np.sin(np.pi * t)
    np.testing.assert_allclose(answer(x=X[:, None], t=t), exact, rtol=0, atol=1e-4)
    x = op.points["x"]
    ended = op.step({"u": np.sin(np.pi * x), "u_t": 0 * x})
    np.testing.assert_allclose(ended["u"], 0 * x, rtol=0, atol=1e-3)  # cos(π/2)
    np.testing.assert_allclose(ended["u_t"], -np.pi * np.sin(np.pi * x), rtol=0, atol=1e-2)
    with pytest.raises(ValueError, match="for `u`; expected"):
        op.step(np.sin(np.pi * x))
    with pytest.raises(ValueError, match="different shapes"):
        op.step({"u": np.zeros((2, len(x))), "u_t": 0 * x})


def test_complex_unknowns():
    """i ψ_t = −½ ψ_xx: a plane wave turns at ω = k²/2."""
    problem = lrfm.Problem(
        "1j*psi_t + 0.5*psi_xx = 0", domain=lrfm.Box(x=(0, 2 * np.pi)), time=(0, 0.5), initial="exp(1j*x)",
        boundary="periodic", unknowns={"psi": complex},
    )  # fmt: skip
    op = lrfm.operator(
        problem,
        method=lrfm.SpaceTime(
            space=lrfm.Liquid(features=120, weights=1.5, biases=1.5, gate=2.0, tau=(0.3, 20.0))
        ),
    )
    x = op.points["x"]
    t = np.linspace(0, 0.5, 5)
    exact = lambda k: np.exp(1j * (k * X[:, None] - 0.5 * k**2 * t))  # noqa: E731
    many = op.many(initial=np.array([np.exp(1j * x), 2j * np.exp(-1j * x)]))
    table = many(x=X[:, None], t=t)
    np.testing.assert_allclose(table[0], exact(1), rtol=0, atol=2e-4)
    np.testing.assert_allclose(table[1], 2j * exact(-1), rtol=0, atol=4e-4)
    ended = op.step(np.exp(1j * x))
    np.testing.assert_allclose(ended, np.exp(1j * (x - 0.25)), rtol=0, atol=2e-4)


# Steps and blocks -------------------------------------------------------------------------------------------


def test_steps_march_on(op):
    """Three steps of 0.1 are the solution at 0.3."""
    x = op.points["x"]
    values = np.array([np.sin(np.pi * x), 2 * np.sin(np.pi * x)])
    for _ in range(3):
        values = op.step(values)
    np.testing.assert_allclose(values[0], mode(1, x, 0.3), rtol=0, atol=1e-6)
    np.testing.assert_allclose(values[1], 2 * values[0], rtol=1e-8)


def test_a_step_knows_the_time_of_its_forcing():
    force = lambda x, t: np.sin(np.pi * x) * (3 * np.cos(3 * t) + np.pi**2 * np.sin(3 * t))  # noqa: E731
    op = lrfm.operator(forced(force), **parts())
    x, values = op.points["x"], np.zeros(48)
    for number in range(3):
        values = op.step(values, start=0.1 * number)
    np.testing.assert_allclose(values, np.sin(np.pi * x) * np.sin(0.9), rtol=0, atol=1e-6)
    moving = lrfm.operator(heat(equation="u_t = (1 + t)*u_xx"), **parts(features=40))
    with pytest.raises(ValueError, match="coefficients of the equations change in time"):
        moving.step(np.zeros(len(moving.points["x"])), start=0.1)


@pytest.mark.parametrize("equation", ["u_t = u_xx", "u_t = (1 + t)*u_xx"])
def test_blocks_are_passed_through(equation):
    """Equal blocks share a factorization where coefficients do not change in time; others have their own."""
    problem = heat(equation=equation, time=(0, 0.3))
    op = lrfm.operator(problem, **by_hand(**parts(), blocks=3))
    assert len({id(stage) for stage in op._stages}) == (1 if problem.stationary else 3)
    whole = 0.3 if problem.stationary else 0.3 + 0.5 * 0.3**2
    answer = op(initial="sin(2*pi*x)")
    assert answer.report.blocks == 3
    np.testing.assert_allclose(answer(x=X, t=0.3), mode(2, X, whole), rtol=0, atol=1e-5)
    np.testing.assert_allclose(
        op.step(np.sin(np.pi * op.points["x"])), mode(1, op.points["x"], whole), rtol=0, atol=1e-5
    )
    inner = answer(x=X, t=np.nextafter(0.1, 0)), answer(x=X, t=0.1)
    np.testing.assert_allclose(*inner, rtol=0, atol=1e-5)


def test_local_spaces_work_too():
    space = lrfm.Liquid(per_patch=50, patches=2, weights=2.0, centers=1.1, gate=10.0, tau=(0.3, 20.0))
    op = lrfm.operator(heat(), method=lrfm.SpaceTime(space=space))
    solved = lrfm.solve(heat("sin(2*pi*x)"), method=lrfm.SpaceTime(space=space), estimate=False)
    np.testing.assert_allclose(on_grid(op(initial="sin(2*pi*x)")), on_grid(solved), rtol=0, atol=1e-8)
    table = op.many(initial=["sin(pi*x)", "sin(2*pi*x)"])(x=X, t=0.1)
    np.testing.assert_allclose(table[1], solved(x=X, t=0.1), rtol=0, atol=1e-8)


@pytest.mark.slow
def test_parts_may_be_chosen_by_a_tolerance():
    op = lrfm.operator(heat(), tol=1e-6, max_seconds=60)
    assert op.solution.report.status == "tolerance met"
    # Two integrations of one statement, each to a tenth of the tolerance.
    np.testing.assert_allclose(on_grid(op()), on_grid(op.solution), rtol=0, atol=1e-7)
    np.testing.assert_allclose(
        on_grid(op(initial="2*sin(pi*x)")), 2 * mode(1, X[:, None], T), rtol=0, atol=1e-5
    )


# The map ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ridge", [0.0, 1e-15, 0.1])
@pytest.mark.parametrize("shape", [(), (4,)])
def test_the_data_map_is_the_solve_of_the_whole_right_side(ridge, shape):
    rng = np.random.default_rng(0)
    A = rng.standard_normal((70, 12)) * np.geomspace(1, 1e-6, 12)
    rows = slice(50, 70)
    factored = Solver(ridge=ridge).factor(A.copy(order="F"))
    chart = DataMap(factored, rows, 70)
    b = np.concatenate([rng.standard_normal(50), np.zeros(20)])
    d = rng.standard_normal((20, *shape))
    whole = np.tile(b.reshape(70, *(1,) * len(shape)), (1, *shape)) if shape else b.copy()
    whole[rows] = d
    c, misfit = chart.solve(chart.fixed(b), d)
    fit = factored.solve(whole)
    np.testing.assert_allclose(c, fit.coefficients, rtol=1e-9)
    np.testing.assert_allclose(misfit, fit.residual / np.linalg.norm(whole, axis=0), rtol=1e-6)


def test_the_data_map_keeps_the_accuracy_of_a_solve_when_the_matrix_is_nearly_singular():
    """A c is met as well as by a solve of its own; R⁻¹K as one matrix is far from that."""
    rng = np.random.default_rng(1)
    U, V = np.linalg.qr(rng.standard_normal((300, 60)))[0], np.linalg.qr(rng.standard_normal((60, 60)))[0]
    A = U * np.geomspace(1, 1e-15, 60) @ V.T
    rows = slice(200, 300)
    factored = Solver().factor(A.copy(order="F"))
    chart = DataMap(factored, rows, 300)
    b = A @ V[:, :20] @ rng.standard_normal(20)  # data that the space holds
    d, b[rows] = b[rows].copy(), 0.0
    c, _ = chart.solve(chart.fixed(b), d)
    b[rows] = d
    gap = np.linalg.norm(A @ c - b) / np.linalg.norm(b)
    direct = np.linalg.norm(A @ factored.solve(b).coefficients - b) / np.linalg.norm(b)
    assert gap < 20 * max(direct, 1e-15)
    product = factored.back(np.asfortranarray(chart.K))[0]
    b[rows] = 0.0
    joined = factored.solve(b).coefficients + product @ d
    b[rows] = d
    assert np.linalg.norm(A @ joined - b) / np.linalg.norm(b) > 1e3 * gap


def test_many_data_factorize_nothing(op, monkeypatch):
    """What a datum costs is measured by benchmarks/operators.py: 1/200 of a solve, at most, since nothing is assembled or factorized for it."""
    data = np.random.default_rng(0).standard_normal((1000, 5)) @ np.array(
        [np.sin(k * np.pi * op.points["x"]) / k**4 for k in range(1, 6)]
    )

    def refuse(*given, **more):
        raise AssertionError("a system was assembled or factorized")

    for owner, name in ((Propagator, "_factor"), (lrfm.QR, "factor"), (lrfm.QR, "solve")):
        monkeypatch.setattr(owner, name, refuse)
    assert len(op.many(initial=data)) == 1000


# A start for nonlinear problems -----------------------------------------------------------------------------


def test_a_nearby_solution_is_a_start():
    space = {"space": lrfm.Liquid(features=150, weights=2.0, tau=(0.3, 20.0)), "estimate": False}
    near = lrfm.solve(lrfm.catalog.burgers(nu=0.022), **by_hand(**space))
    problem = lrfm.catalog.burgers(nu=0.02)
    cold, warm = lrfm.solve(problem, **by_hand(**space)), lrfm.solve(problem, **by_hand(**space, start=near))
    assert warm.report.steps < cold.report.steps
    x, t = np.linspace(*problem.domain.axes["x"], 60)[:, None], np.linspace(*problem.time, 5)
    exact = problem.reference(x=x, t=t)
    error = lambda solution: np.linalg.norm(solution(x=x, t=t) - exact)  # noqa: E731
    assert error(warm) < 1.2 * error(cold)


def test_a_start_must_belong_to_the_problem():
    near = lrfm.solve(heat(), **parts(features=40), estimate=False, strict=False)
    with pytest.raises(ValueError, match="`start` solves for other unknowns, on another domain"):
        lrfm.solve(
            lrfm.catalog.allen_cahn(), method=lrfm.SpaceTime(space=lrfm.Liquid(features=40)), start=near
        )
    with pytest.raises(TypeError, match=r"expected a `lrfm\.Solution`"):
        lrfm.solve(heat(), **parts(features=40), start="near")
