# SPDX-License-Identifier: MIT
"""The operator by lines: answers of separate solves and exact ones, for other starts, sources and conditions, many at once, step by step."""

import math

import numpy as np
import pytest
from helpers import by_hand, thinned
from scipy.special import jn_zeros, jv

import lrfm
from lrfm.solver.operators import LinesOperator, LinesSolutions

X = np.linspace(0, 1, 41)
T = np.linspace(0, 0.1, 7)


def heat(initial="sin(pi*x)", **changes):
    options = {"equation": "u_t = u_xx", "boundary": "u = 0", "time": (0, 0.1)} | changes
    return lrfm.Problem(options.pop("equation"), domain=lrfm.Box(x=(0, 1)), initial=initial, **options)


@pytest.fixture(scope="module")
def op():
    made = lrfm.operator(heat("sin(pi*x) + 0.3*sin(4*pi*x)"), tol=1e-8)
    assert isinstance(made, LinesOperator)
    return made


def modes(weights, x, t):
    k = np.arange(1, len(weights) + 1)
    return sum(
        w * np.exp(-((n * np.pi) ** 2) * t) * np.sin(n * np.pi * x) for w, n in zip(weights, k, strict=True)
    )


def on_grid(solution, x=X[:, None], t=T):
    return solution(x=x, t=t)


@pytest.mark.parametrize("seed", range(3))
def test_other_starts_are_exact(op, seed):
    w = np.random.default_rng(seed).normal(size=4)
    text = " + ".join(f"({v!r})*sin({n + 1}*pi*x)" for n, v in enumerate(w.tolist()))
    for initial in (text, lambda x: modes(w, x, 0.0), modes(w, op.points["x"], 0.0)):
        answer = op(initial=initial)
        np.testing.assert_allclose(on_grid(answer), modes(w, X[:, None], T), rtol=0, atol=1e-9)
        assert math.isnan(answer.report.error_estimate)
        assert not answer.report.warnings
        assert answer.report.method == "lines"


def test_nothing_new_is_the_problem_itself(op):
    np.testing.assert_allclose(on_grid(op()), on_grid(op.solution), rtol=0, atol=1e-9)
    assert op.solution.report.error_estimate < 1e-8


def test_many_are_one_after_another_and_linear(op):
    x = op.points["x"]
    w = np.random.default_rng(0).normal(size=(150, 4))  # more than functions
    many = op.many(initial=np.array([modes(v, x, 0.0) for v in w]))
    assert isinstance(many, LinesSolutions)
    table = many(x=X[:, None], t=T)
    assert table.shape == (150, 41, 7)
    np.testing.assert_allclose(table, [modes(v, X[:, None], T) for v in w], rtol=0, atol=1e-9)
    np.testing.assert_allclose(on_grid(many[-1]), table[149], rtol=0, atol=1e-13)
    assert many.misfit.max() < 1e-6
    mixed = op.many(initial=["sin(pi*x)", lambda x: np.sin(np.pi * x), np.sin(np.pi * x)])(x=X, t=0.05)
    np.testing.assert_allclose(mixed - mixed[0], 0, atol=1e-10)
    with pytest.raises(IndexError, match="there are 150 solutions"):
        many[150]


def test_data_that_the_functions_cannot_hold_are_noticed(op):
    rough = op(initial="sin(60*pi*x)")
    assert any("Solve them with `lrfm.solve`" in text for text in rough.report.warnings)
    assert rough.report.status == "not resolved"


def test_conditions_and_sources_that_stay():
    """u → x(1 − x)f/2 + a + (b − a)x whatever it starts from."""
    problem = heat("0", equation="u_t = u_xx + f", boundary={"x-": "u = a", "x+": "u = b"}, time=(0, 2.0),
                   parameters={"f": 1.0, "a": 0.0, "b": 0.0})  # fmt: skip
    answer = lrfm.operator(problem, tol=1e-8)(parameters={"f": 3.0, "a": 1.0, "b": -2.0}, initial="1 - 3*x")
    exact = 1.5 * X * (1 - X) + 1 - 3 * X
    np.testing.assert_allclose(answer(x=X, t=2.0), exact - 1.5 * 8 / np.pi**3 * np.exp(-2 * np.pi**2) * np.sin(np.pi * X),
                               rtol=0, atol=1e-8)  # fmt: skip


def forced(f, initial="0"):
    return heat(initial, equation="u_t = u_xx + f", parameters={"f": f})


def force(a):
    return lambda x, t: np.sin(np.pi * x) * (a * np.cos(a * t) + np.pi**2 * np.sin(a * t))


def test_a_forcing_that_changes_in_time():
    """u = sin πx sin at; steps of one forcing serve another, and one that asks for steps of its own is solved anew."""
    op = lrfm.operator(forced(force(5.0)), tol=1e-8)
    answer = op(parameters={"f": force(3.0)}, initial="sin(2*pi*x)")
    exact = np.sin(np.pi * X[:, None]) * np.sin(3 * T) + modes([0, 1], X[:, None], T)
    np.testing.assert_allclose(on_grid(answer), exact, rtol=0, atol=1e-8)
    values = np.zeros(len(op.points["x"]))
    for number in range(3):
        values = op.step(values, start=0.1 * number)
    np.testing.assert_allclose(values, np.sin(np.pi * op.points["x"]) * np.sin(1.5), rtol=0, atol=1e-8)
    still = lrfm.operator(forced(0.0, "sin(pi*x)"), tol=1e-8)
    anew = still(parameters={"f": force(3.0)}, initial="0")
    np.testing.assert_allclose(on_grid(anew), np.sin(np.pi * X[:, None]) * np.sin(3 * T), rtol=0, atol=1e-8)
    assert anew.report.error_estimate < 1e-8


def test_two_data_and_steps_of_a_wave():
    problem = lrfm.Problem("u_tt = u_xx", domain=lrfm.Box(x=(0, 1)), time=(0, 0.5),
                           initial={"u": "sin(pi*x)", "u_t": "0"}, boundary="u = 0")  # fmt: skip
    op = lrfm.operator(problem, tol=1e-8)
    x = op.points["x"]
    state = {"u": 0 * x, "u_t": 2 * np.pi * np.sin(2 * np.pi * x)}
    t = np.linspace(0, 0.5, 6)
    exact = np.sin(2 * np.pi * X[:, None]) * np.sin(2 * np.pi * t)
    np.testing.assert_allclose(op(initial=state)(x=X[:, None], t=t), exact, rtol=0, atol=1e-8)
    for _ in range(3):
        state = op.step(state)
    np.testing.assert_allclose(state["u_t"], -2 * np.pi * np.sin(2 * np.pi * x), rtol=0, atol=1e-6)


def test_complex_unknowns_on_a_circle():
    problem = lrfm.Problem("1j*psi_t + 0.5*psi_xx = 0", domain=lrfm.Box(x=(0, 2 * np.pi)), time=(0, 0.5),
                           initial="exp(1j*x)", boundary="periodic", unknowns={"psi": complex})  # fmt: skip
    op = lrfm.operator(problem, tol=1e-8)
    x, y = op.points["x"], 2 * np.pi * X
    table = op.many(initial=np.array([np.exp(1j * x), 2j * np.exp(-2j * x)]))(x=y, t=0.5)
    np.testing.assert_allclose(
        table, [np.exp(1j * (y - 0.25)), 2j * np.exp(-1j * (2 * y + 1))], rtol=0, atol=1e-7
    )
    np.testing.assert_allclose(op.step(np.exp(1j * x)), np.exp(1j * (x - 0.25)), rtol=0, atol=1e-7)


def test_a_box_and_a_file(tmp_path):
    problem = lrfm.Problem("u_t = u_xx + u_yy", domain=lrfm.Box(x=(0, 1), y=(0, 1)), time=(0, 0.05),
                           initial="sin(pi*x)*sin(pi*y)", boundary="u = 0")  # fmt: skip
    op = lrfm.operator(problem, tol=1e-5)
    answer = op(initial="sin(2*pi*x)*sin(pi*y)")
    at = {"x": X[:, None], "y": X, "t": 0.05}
    exact = np.exp(-5 * np.pi**2 * 0.05) * np.sin(2 * np.pi * X[:, None]) * np.sin(np.pi * X)
    np.testing.assert_allclose(answer(**at), exact, rtol=0, atol=1e-5)
    again = lrfm.load(answer.save(tmp_path / "run.lrfm"))
    np.testing.assert_array_equal(again(**at), answer(**at))


def test_coefficients_that_change_in_time():
    """u = exp(−4π²(t + t²/2)) sin 2πx, and steps that know the time at which they begin."""
    op = lrfm.operator(
        heat("sin(pi*x) + sin(2*pi*x)", equation="u_t = (1 + t)*u_xx"), method="lines", tol=1e-6
    )
    exact = lambda k, t: np.exp(-((k * np.pi) ** 2) * (t + t**2 / 2))  # noqa: E731
    answer = op(initial="sin(2*pi*x)")(x=X[:, None], t=T)
    np.testing.assert_allclose(answer, exact(2, T) * np.sin(2 * np.pi * X[:, None]), rtol=0, atol=1e-6)
    wave = np.sin(np.pi * op.points["x"])
    np.testing.assert_allclose(op.step(op.step(wave), start=0.1), exact(1, 0.2) * wave, rtol=0, atol=1e-6)


def test_what_has_no_operator_by_lines():
    with pytest.raises(ValueError, match="`features`"):
        lrfm.operator(heat(), **by_hand(method="lines", features=40))
    with pytest.raises(ValueError, match="is not known"):
        lrfm.operator(heat(), method="line")


# Domains of any shape ---------------------------------------------------------------------------------------


def wave_number(n):
    return jn_zeros(n, 1)[0]


def bessel(n, x, y, t=0.0):
    k, r = wave_number(n), np.hypot(x, y)
    return jv(n, k * r) * np.cos(n * np.arctan2(y, x)) * np.exp(-k * k * t)


@pytest.fixture(scope="module")
def disc():
    problem = lrfm.Problem(
        "u_t = lap(u) + f",
        domain=lrfm.Disk(radius=1),
        time=(0, 0.1),
        initial=lambda x, y: bessel(0, x, y),
        boundary="u = g",
        parameters={"f": lambda x, y, t: 0 * x, "g": lambda x, y, t: 0 * x},
    )
    made = lrfm.operator(problem, tol=1e-5)
    assert isinstance(made, LinesOperator)
    return made


INSIDE = lrfm.Disk(radius=1).quadrature(300).points


def test_a_disc_has_an_operator_by_lines_for_other_starts(disc):
    x, y = INSIDE.T
    starts = [lambda x, y, n=n: bessel(n, x, y) for n in (0, 1, 2)]
    many = disc.many(initial=starts)
    for t in (0.03, 0.1):
        exact = np.array([bessel(n, x, y, t) for n in (0, 1, 2)])
        np.testing.assert_allclose(many(x=x, y=y, t=t), exact, rtol=0, atol=1e-5)
    at = np.array([bessel(1, disc.points["x"], disc.points["y"])])
    np.testing.assert_allclose(
        disc.step(at)[0], bessel(1, disc.points["x"], disc.points["y"], 0.1), atol=1e-5
    )


def test_a_disc_follows_other_sources_and_boundary_data(disc):
    """u = x² + y² + t (x + 1)."""
    given = {"f": lambda x, y, t: x + 1 - 4, "g": lambda x, y, t: x * x + y * y + t * (x + 1)}
    answer = disc(initial="x**2 + y**2", parameters=given)
    x, y = INSIDE.T
    exact = x**2 + y**2 + 0.1 * (x + 1)
    np.testing.assert_allclose(answer(x=x, y=y, t=0.1), exact, rtol=0, atol=1e-4)


@pytest.mark.parametrize("n", thinned([1, 0, 5, 3, 12, 8], 2))
def test_what_a_disc_does_not_say_is_met(disc, n):
    """Without a warning the error is within the tolerance; with one, what is missed is above it."""
    x, y = INSIDE.T
    answer = disc(initial=lambda x, y: bessel(n, x, y))
    times = np.linspace(0, 0.1, 6)
    pairs = [(answer(x=x, y=y, t=t), bessel(n, x, y, t)) for t in times]
    error = np.sqrt(sum(np.sum((a - b) ** 2) for a, b in pairs) / sum(np.sum(b**2) for _, b in pairs))
    missed = disc.many(initial=[lambda x, y: bessel(n, x, y)]).misfit[0]
    assert error <= missed
    assert answer.report.warnings or error <= 1e-5
    assert n != 12 or "above tol=1.0e-05" in answer.report.warnings[-1]
