# SPDX-License-Identifier: MIT
"""Leaps: linear equations that stay the same in time, by exponentials and by steps of one matrix."""

import numpy as np
import pytest
from scipy.linalg import expm

import lrfm
from lrfm.integrate.schemes import radau
from lrfm.problem import Box, Jet, Problem
from lrfm.rows.exponentials import Exponentials
from lrfm.rows.steps import Steps
from lrfm.solver.lines.collocated import Control, collocated
from lrfm.solver.lines.form import Form
from lrfm.solver.lines.front import begin, pieces_of
from lrfm.solver.lines.generator import Generator
from lrfm.solver.lines.leaps import _followed
from lrfm.solver.lines.spectral import modes
from tests.solver.lines.helpers import true_error

U = Jet("u", (0, 0))


def draw(form, tol, seed, witness=False):
    return pieces_of(form, begin(form, tol, seed, witness).run())


def generator(matrix, source):
    size = len(matrix)
    return Generator(matrix, source, np.eye(size), np.zeros(size), np.ones((1, 1)))


def truth(matrix, source, q, t):
    """e^{Gt} q + ∫ e^{G(t−s)} f ds, from one exponential of a larger matrix."""
    whole = np.zeros((len(q) + 1,) * 2)
    whole[:-1, :-1], whole[:-1, -1] = matrix, source
    return (expm(t * whole) @ [*q, 1.0])[:-1]


@pytest.mark.parametrize("seed", range(4))
def test_modes_are_the_exponential_of_the_matrix(seed):
    rng = np.random.default_rng(seed)
    q, f, g = rng.normal(size=7), rng.normal(size=7), rng.normal(size=(7, 7))
    if seed % 2:  # a slow, defective block: constants that drift
        turn = np.linalg.qr(rng.normal(size=(7, 7)))[0]
        g[:, :2], g[:2] = 0.0, 0.0
        g[0, 1] = 1.0
        g = turn @ g @ turn.T
    found = modes(generator(g, f), q, 2.0)
    for t in (0.0, 0.3, 2.0):
        values, rates = found.at(np.array([t]))
        wanted = truth(g, f, q, t)
        np.testing.assert_allclose(values[0], wanted, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(rates[0], g @ wanted + f, rtol=1e-8, atol=1e-8)


def test_what_does_not_move_stays():
    problem = Problem(
        "u_t = 0*u_xx", domain=Box(x=(0, 1)), time=(0, 1), initial="sin(2*pi*x)", boundary="periodic"
    )
    solution = lrfm.solve(problem, tol=1e-8)
    x = np.linspace(0, 1, 17)
    np.testing.assert_allclose(solution["u"](x=x, t=0.7), np.sin(2 * np.pi * x), atol=1e-8)


def test_a_matrix_without_eigenvectors_is_left_to_steps():
    g = -np.eye(6) + np.diag(np.full(5, 30.0), 1)
    found = modes(generator(g, np.zeros(6)), np.ones(6), 1.0)
    assert found is None or found.noise > 1e-10


@pytest.mark.parametrize("damped", [False, True])
def test_many_equal_steps_are_those_of_the_exponential(damped):
    rng = np.random.default_rng(3)
    g = rng.normal(size=(6, 6))
    g = 20 * (g - g.T) - 3.0 * damped * np.eye(6)
    q, f = rng.normal(size=6), rng.normal(size=6)
    made = generator(g, f)
    control = Control(made, [0], np.array([1.0]), np.array([0.0]))
    run = collocated(made, radau(7), q, 10.0, 0.2, 1e-12, control)
    assert len(run.rates) > 100
    assert run.scheme.name == ("Radau" if damped else "Gauss")
    for i in (1, len(run.rates) // 2, len(run.rates)):
        np.testing.assert_allclose(run.states[i], truth(g, f, q, run.edges[i]), atol=1e-10)


STATEMENTS = {
    "heat, held at one end": ("u_t = u_xx + 3", "x*(2 - x)", {"x-": "u = 0", "x+": "u_x = 0"}),
    "insulated, heated": ("u_t = u_xx + 2", "cos(pi*x)", "u_n = 0"),
    "a wave that drifts": ("u_tt = u_xx", {"u": "cos(2*pi*x)", "u_t": "1 + sin(2*pi*x)"}, "periodic"),
    "a mass that is no number": ("u_t - 0.1*u_xxt = u_xx", "sin(pi*x)", "u = 0"),
    "an unknown without a rate": (["u_t = w_x", "w = u_x - u"], {"u": "sin(2*pi*x)"}, "periodic"),
    "a condition with a rate": (
        "u_t = u_xx",
        "cos(x)",
        {"x-": "u_x = 0", "x+": "u_t + u_x = -sin(1) - cos(1)"},
    ),
    "walls that absorb": (
        "u_tt = u_xx",
        {"u": "exp(-80*(x - 0.5)**2)", "u_t": "0"},
        {"x-": "u_t - u_x = 0", "x+": "u_t + u_x = 0"},
    ),
}


@pytest.mark.parametrize("name", STATEMENTS)
def test_a_leap_is_what_steps_are(name):
    equation, initial, boundary = STATEMENTS[name]
    unknowns = {"u": float, "w": float} if isinstance(equation, list) else None
    problem = Problem(
        equation,
        domain=Box(x=(0, 1)),
        time=(0, 0.7),
        initial=initial,
        boundary=boundary,
        unknowns=unknowns,
        check_corners=False,
    )
    form = Form(problem)
    first, second = draw(form, 1e-7, [0, 0]), draw(form, 1e-7, [0, 1], witness=True)
    # Walls that absorb leave no eigenvectors to speak of; whether rounding lets them serve is a matter of the functions.
    assert isinstance(first[0], Exponentials) or name == "walls that absorb"
    assert isinstance(second[0], Steps)
    points = np.random.default_rng(0).random((200, 2)) * [1.0, 0.7]
    for jet in (U, Jet("u", (0, 1))):
        one, other = (lrfm.rows.pieces.values_at(d, [jet], points)[jet] for d in (first, second))
        np.testing.assert_allclose(one, other, atol=(1e-6 if jet is U else 1e-4) * np.abs(one).max())


def test_exponentials_are_kept_in_a_file(tmp_path):
    problem = Problem(
        "u_tt = u_xx - u",
        domain=Box(x=(0, 1)),
        time=(0, 5),
        initial={"u": "sin(pi*x)", "u_t": "0"},
        boundary="u = 0",
    )
    solution = lrfm.solve(problem, tol=1e-8)
    (piece,) = solution.pieces
    assert isinstance(piece, Exponentials)
    solution.save(tmp_path / "wave.lrfm")
    again = lrfm.load(tmp_path / "wave.lrfm")
    x, t = np.random.default_rng(1).random((2, 50)) * [[1.0], [5.0]]
    np.testing.assert_array_equal(solution["u"](x=x, t=t), again["u"](x=x, t=t))
    speed = np.sqrt(1 + np.pi**2)
    np.testing.assert_allclose(again["u"](x=x, t=t), np.sin(np.pi * x) * np.cos(speed * t), atol=1e-8)
    steps = piece.stepped(1e-9)
    np.testing.assert_allclose(
        steps.values([U], np.column_stack([x, t]))[U], solution["u"](x=x, t=t), atol=1e-8
    )
    many = np.random.default_rng(2).random((2, 30_000)) * [[1.0], [5.0]]  # as polynomials, to the last digits
    exact = np.concatenate([solution["u"](x=a, t=b) for a, b in zip(*many.reshape(2, 3, -1), strict=True)])
    np.testing.assert_allclose(solution["u"](x=many[0], t=many[1]), exact, atol=1e-12)
    assert np.isclose(
        piece.at_place(jet := Jet("u", (1, 1)), [0.3], 0.7),
        piece.values([jet], np.array([[0.3, 0.7]]))[jet],
        rtol=1e-9,
    )
    jets = [Jet("u", (2, 0)), Jet("u", (0, 2)), U]
    found = piece.values(jets, np.column_stack([x, t]))
    np.testing.assert_allclose(found[jets[1]], found[jets[0]] - found[U], atol=1e-5)


@pytest.mark.parametrize(
    "spoiled",
    [
        {"window": (0.0, np.inf)},
        {"rates": np.array([1e9 + 0j])},
        {"rates": np.array([np.nan + 0j])},
        {"vectors": np.zeros((1, 1, 1), complex)},
        {"powers": np.zeros((1, 2, 3))},
        {"fields": ["u", "u"]},
    ],
)
def test_a_record_that_cannot_be_evaluated_is_refused(spoiled):
    problem = Problem(
        "u_t = u_x", domain=Box(x=(0, 1)), time=(0, 1), initial="sin(2*pi*x)", boundary="periodic"
    )
    record = draw(Form(problem), 1e-4, [0, 0])[0].record()
    Exponentials.from_record(**record)
    with pytest.raises(ValueError, match=r"."):
        Exponentials.from_record(**{**record, **spoiled})


def test_a_long_run_conserves():
    problem = Problem(
        "u_tt = u_xx",
        domain=Box(x=(0, 1)),
        time=(0, 2000),
        initial={"u": "sin(pi*x) + sin(3*pi*x)/5", "u_t": "0"},
        boundary="u = 0",
    )
    outcome = lrfm.solve(problem, tol=1e-9, method="lines", strict=False)

    def exact(x, t):
        return np.sin(np.pi * x) * np.cos(np.pi * t) + np.sin(3 * np.pi * x) * np.cos(3 * np.pi * t) / 5

    assert true_error(problem, outcome.pieces, {"u": exact}) <= outcome.report.error_estimate <= 1e-9


def test_what_has_run_away_is_not_followed():
    """The start and what stays near it are; from nothing, what is there first."""
    here, near, far, lost = np.ones(3), 5 * np.ones(3), 1e200 * np.ones(3), np.full(3, np.nan)
    with np.errstate(over="ignore"):
        kept = _followed(here, [near, far, lost])
        assert len(_followed(0 * here, [near, 2 * near, far])) == 3
    assert [k is v for k, v in zip(kept, (here, near), strict=True)] == [True, True]
