# SPDX-License-Identifier: MIT
"""`lrfm.prepare`: the same answers as `lrfm.solve`, from what earlier calls have left."""

import math

import numpy as np
import pytest

import lrfm
from lrfm.integrate.follow.kept import interpolation
from lrfm.integrate.follow.replay import merged_edges
from lrfm.problem.template import Template
from lrfm.spaces.cells import Mesh

HEAT = lrfm.Problem(
    "u_t = D*u_xx + s",
    domain=lrfm.Box(x=(0, 1)),
    time=(0, 0.1),
    initial="sin(pi*x)",
    boundary="u = 0",
    parameters={"D": 1.0, "s": 0.0},
)
FRONTS = lrfm.Problem(
    "u_t = eps*u_xx + u - u**3",
    domain=lrfm.Box(x=(-1, 1)),
    time=(0, 1),
    initial="0.53*x + 0.47*sin(-1.5*pi*x)",
    boundary={"x-": "u = -1", "x+": "u = 1"},
    parameters={"eps": 0.02},
)
X, T = np.linspace(0, 1, 21), np.linspace(0.005, 0.1, 7)


def decaying(D):
    return np.exp(-D * np.pi**2 * T)[:, None] * np.sin(np.pi * X)


def relative(found, wanted):
    return float(np.linalg.norm(found - wanted) / np.linalg.norm(wanted))


def on_grid(solution, x=X, t=T):
    return solution(x=x[None, :], t=t[:, None])


def test_calls_have_estimates_that_hold_for_the_exact_solution():
    at = lrfm.prepare(HEAT, tol=1e-6)
    for D in (1.0, 0.8, 1.3, 0.9, 1.1):
        solution = at(D=D)
        assert solution.report.solved
        assert relative(on_grid(solution), decaying(D)) <= 3 * solution.report.error_estimate <= 3e-6
        assert solution.problem.parameters["D"] == D
    assert (at.calls, at.adaptive) == (5, 1)


def test_calls_agree_with_plain_solves_within_both_claims():
    at = lrfm.prepare(FRONTS, tol=1e-5)
    x, t = np.linspace(-1, 1, 41), np.linspace(0, 1, 9)
    for eps in (0.02, 0.018, 0.022, 0.0195):
        ours = at(eps=eps)
        plain = lrfm.solve(FRONTS.replace(parameters={"eps": eps}), tol=1e-5)
        both = ours.report.error_estimate + plain.report.error_estimate
        assert ours.report.solved
        # Two norms: of a grid, and of all of space and time.
        assert relative(on_grid(ours, x, t), on_grid(plain, x, t)) <= 3 * both
    assert at.adaptive == 1


def test_where_cells_do_not_serve_they_are_found_anew():
    at = lrfm.prepare(FRONTS, tol=1e-4)
    at(eps=0.05)
    thin = at(eps=0.002)
    assert at.adaptive == 2
    plain = lrfm.solve(FRONTS.replace(parameters={"eps": 0.002}), tol=1e-6)
    x, t = np.linspace(-1, 1, 201), np.linspace(0, 1, 9)
    assert relative(on_grid(thin, x, t), on_grid(plain, x, t)) <= 3e-4
    at(eps=0.003)
    assert at.adaptive == 2


def test_other_data_on_the_same_cells():
    at = lrfm.prepare(HEAT, tol=1e-6)
    at()
    twice = at(initial="2*sin(pi*x)")
    assert relative(on_grid(twice), 2 * decaying(1.0)) <= 3e-6
    assert at.adaptive == 1
    # Cells for half a wave do not hold nine of them.
    waves = at(initial="sin(9*pi*x)", D=0.01)
    assert at.adaptive == 2
    exact = np.exp(-0.01 * (9 * np.pi) ** 2 * T)[:, None] * np.sin(9 * np.pi * X)
    assert relative(on_grid(waves), exact) <= 3e-6
    # And what these have left does not change the data of the statement.
    for D in (1.0, 1.1):
        assert relative(on_grid(at(D=D)), decaying(D)) <= 3e-6
    assert relative(on_grid(at(initial="3*sin(pi*x)")), 3 * decaying(1.0)) <= 3e-6


def test_numbers_in_data_and_conditions_are_heeded():
    """They change what is given, which is looked at in every call."""
    layer = HEAT.replace(
        initial="a*sin(pi*x) + b*x",
        boundary={"x-": "u = 0", "x+": "u = b"},
        parameters={"D": 1.0, "s": 0.0, "a": 1.0, "b": 0.0},
    )
    at = lrfm.prepare(layer, tol=1e-6)
    for a, b in ((1.0, 0.0), (2.0, 0.5), (0.5, -1.0), (1.5, 0.25)):
        assert relative(on_grid(at(a=a, b=b)), a * decaying(1.0) + b * X) <= 3e-6


def test_a_prepared_solve_can_be_watched_and_ended():
    at = lrfm.prepare(HEAT, tol=1e-5)
    at()
    ended = at(D=1.2, progress=lrfm.Watch(lambda t, u: t < 0.04, every=0))
    assert 0.04 <= ended.block_edges[-1] < 0.1
    assert relative(on_grid(at(D=1.2)), decaying(1.2)) <= 3e-5


def test_steady_problems_have_nothing_to_keep():
    with pytest.raises(lrfm.ProblemError, match=r"lrfm\.steady"):
        lrfm.prepare(lrfm.Problem("u_xx = 1", domain=lrfm.Box(x=(0, 1)), boundary="u = 0"))


def test_a_source_is_an_amplitude_of_nothing_before():
    """What is zero in the statement is no term of its rows: it is read again, and solved as it is."""
    at = lrfm.prepare(HEAT, tol=1e-6)
    at()
    found = at(s=3.0)
    steady = lambda x: 1.5 * x * (1 - x)  # noqa: E731
    exact = sum(
        (
            (
                2 * float(np.trapezoid(-steady(z := np.linspace(0, 1, 4001)) * np.sin(k * np.pi * z), z))
                + (k == 1)
            )
            * np.exp(-((k * np.pi) ** 2) * T)[:, None]
            * np.sin(k * np.pi * X)
            for k in range(1, 12)
        ),
        start=steady(X),
    )
    assert relative(on_grid(found), exact) < 1e-5


def test_ill_posed_numbers_are_refused():
    at = lrfm.prepare(HEAT, tol=1e-4)
    at()
    with pytest.raises(lrfm.ProblemError, match="ill-posed"):
        at(D=-1.0)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"E": 1.0}, "`E` is not among the numbers of this problem; there are `D`"),
        ({"D": "1"}, "expected a finite real number"),
        ({"D": math.nan}, "expected a finite real number"),
        ({"D": True}, "expected a finite real number"),
    ],
)
def test_bad_numbers_get_a_sentence(given, said):
    with pytest.raises(lrfm.ProblemError, match=said):
        lrfm.prepare(HEAT, tol=1e-3)(**given)


def test_what_is_not_on_cells_is_solved_as_ever():
    wave = lrfm.Problem(
        "u_tt = c**2*u_xx",
        domain=lrfm.Box(x=(0, 1)),
        time=(0, 1),
        initial={"u": "sin(pi*x)", "u_t": 0},
        boundary="u = 0",
        parameters={"c": 1.0},
    )
    at = lrfm.prepare(wave, tol=1e-4)
    for c in (1.0, 1.5):
        exact = np.cos(c * np.pi * T)[:, None] * np.sin(np.pi * X)
        assert relative(on_grid(at(c=c)), exact) < 1e-3


# Parts ------------------------------------------------------------------------------------------------------


def test_a_template_makes_the_rows_of_the_statement():
    template = Template(FRONTS)
    made, read = template.at({"eps": 0.3}), FRONTS.replace(parameters={"eps": 0.3})
    assert template.fixed
    assert made.rows[0].expression == read.rows[0].expression
    assert made.alphabet.parameters == read.alphabet.parameters
    assert made.alike is FRONTS
    assert read.alike is None


@pytest.mark.parametrize(
    ("changes", "fixed"),
    [
        ({"equation": "u_t = D*u_xx + s*u"}, True),
        ({"equation": "u_t = D*u_xx + s*x"}, False),
        ({"equation": "u_t = D*u_xx + exp(-s*t)"}, False),
        ({"initial": "sin(pi*x) + s*sin(2*pi*x)"}, False),
        ({"boundary": "u = s"}, False),
    ],
)
def test_given_functions_are_looked_at_again_where_numbers_change_them(changes, fixed):
    assert Template(HEAT.replace(**changes, parameters={"D": 1.0, "s": 0.5})).fixed is fixed


def test_interpolation_reproduces_polynomials():
    rng = np.random.default_rng(0)
    places, at = rng.random((8, 1)), np.array([0.43])
    weights = interpolation(places, at)
    for power in range(4):
        assert weights @ places[:, 0] ** power == pytest.approx(at[0] ** power, abs=1e-8)
    both, there = rng.random((14, 2)), np.array([0.4, 0.6])
    weights = interpolation(both, there)
    assert weights @ (both[:, 0] * both[:, 1]) == pytest.approx(0.24, abs=1e-8)


def test_a_common_mesh_has_the_narrowest_cells_of_all():
    mesh = Mesh.of(np.array([0.0, 1.0, 3.0]))
    none = np.zeros(2, dtype=bool)
    left, _ = mesh.regrid(np.array([True, False]), none)
    right, _ = mesh.regrid(np.array([False, True]), none)
    assert Mesh.common([left, right, mesh]).edges.tolist() == [0.0, 0.5, 1.0, 2.0, 3.0]
    assert Mesh.common([mesh]).edges.tolist() == mesh.edges.tolist()


def test_merged_steps_are_no_longer_than_any_and_end_where_they_must():
    one, other = np.array([0.0, 0.1, 0.5, 1.0]), np.array([0.0, 0.3, 0.6, 1.0])
    found = merged_edges([one, other], np.array([0.55]))
    assert found[0] == 0.0
    assert found[-1] == 1.0
    assert 0.55 in found
    assert np.all(np.diff(found) > 0)
    for edges in (one, other):
        owner = np.searchsorted(edges, found[:-1], side="right") - 1
        assert np.all(np.diff(found) <= np.diff(edges)[owner] * (1 + 1e-12))
