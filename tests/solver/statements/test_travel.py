# SPDX-License-Identifier: MIT
"""What travels on a circle: which frame is taken, what it gains, and that everything that is done with a solution knows it."""

import math
from fractions import Fraction

import numpy as np
import pytest

import lrfm
from lrfm.rows.framed import Framed


def kdv(parameters=None, time=(0.0, 10.0), **changes):
    given = {
        "domain": lrfm.Box(x=(0, 40)),
        "time": time,
        "initial": "2*a**2*sech(a*(x - 20))**2",
        "boundary": "periodic",
        "parameters": parameters or {"a": 1.0},
        "check_corners": False,
    }
    return lrfm.Problem("u_t + 6*u*u_x + u_xxx = 0", **{**given, **changes})


def frame_of(pieces):
    """The frame of some pieces of one solution; None where they have none."""
    return next((piece.frame for piece in pieces if isinstance(piece, Framed)), None)


def soliton(x, t):
    return 2 / np.cosh(np.mod(x - 4 * t, 40) - 20) ** 2


def error(solution, exact):
    (low, high), span = solution.problem.domain.axes["x"], solution.problem.time
    x, t = np.meshgrid(np.linspace(low, high, 3001), np.linspace(*span, 17))
    return np.linalg.norm(solution(x=x, t=t) - exact(x, t)) / np.linalg.norm(exact(x, t))


@pytest.fixture(scope="module")
def rest():
    return lrfm.solve(kdv(), tol=1e-6)


def test_a_soliton_rests_in_its_frame(rest):
    """One basis and few steps; the frame is in the report."""
    assert frame_of(rest.pieces).speeds == pytest.approx((4.0,), rel=1e-4)
    assert len(rest.pieces) == 1
    assert rest.report.steps < 15
    assert "frame" in dict(rest.report.parts)
    assert error(rest, soliton) <= rest.report.error_estimate <= 1e-6


def test_a_needle_is_carried_by_thousands_of_its_widths():
    """Points of estimates and of invariants move along: elsewhere they would not see it."""
    problem = lrfm.Problem(
        "u_t + u_x = 0",
        domain=lrfm.Box(x=(0, 1)),
        time=(0, 5),
        initial="exp(-((x - 0.5)/0.001)**2)",
        boundary="periodic",
        check_corners=False,
    )
    solution = lrfm.solve(problem, tol=1e-6)
    assert error(solution, lambda x, t: np.exp(-(((np.mod(x - t, 1) - 0.5) / 0.001) ** 2))) < 1e-6
    assert 0 < solution.report.error_estimate < 1e-6


def pulse(equation="u_tt = u_xx", rate="400*x*exp(-x**2/0.005)"):
    return lrfm.Problem(
        equation,
        domain=lrfm.Box(x=(-1, 1)),
        time=(0, 10),
        initial={"u": "exp(-x**2/0.005)", "u_t": rate},
        boundary="periodic",
        check_corners=False,
    )


def test_rates_that_are_given_are_those_of_the_frame():
    """u_tt = u_xx, u_t = −u_x: v_t = u_t + u_x = 0."""
    solution = lrfm.solve(pulse(), tol=1e-6)
    assert frame_of(solution.pieces).speeds == (1.0,)
    assert error(solution, lambda x, t: np.exp(-((np.mod(x - t + 1, 2) - 1) ** 2) / 0.005)) < 1e-6


def test_what_is_carried_along_both_axes():
    """A Gaussian that is carried and spreads."""
    problem = lrfm.Problem(
        "u_t + u_x + 0.5*u_y = 0.001*lap(u)",
        domain=lrfm.Box(x=(0, 1), y=(0, 1)),
        time=(0, 2),
        initial="exp(-((x - 0.5)**2 + (y - 0.5)**2)/0.003)",
        boundary="periodic",
        check_corners=False,
    )
    solution = lrfm.solve(problem, tol=1e-4)
    x, y = np.meshgrid(np.linspace(0, 1, 61), np.linspace(0, 1, 61))
    wide = 0.003 + 4 * 0.001 * 2
    shifts = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1)]
    exact = sum(np.exp(-((x - 0.5 + i) ** 2 + (y - 0.5 + j) ** 2) / wide) for i, j in shifts) * 0.003 / wide
    assert np.linalg.norm(solution(x=x, y=y, t=2.0) - exact) < 1e-4 * np.linalg.norm(exact)


def test_a_long_way_is_no_part_of_the_error():
    """sin(x − ct) by 1.6e8 circles: at t = ½ whole turns are whole."""
    speed = 2 * math.pi * 1e9
    problem = lrfm.Problem(
        "u_t + c*u_x = 0",
        domain=lrfm.Box(x=(0, 2 * math.pi)),
        time=(0, 1),
        initial="sin(x)",
        boundary="periodic",
        parameters={"c": speed},
    )
    solution = lrfm.solve(problem, tol=1e-9)
    (moved,) = frame_of(solution.pieces).speeds
    x, turns = np.linspace(0, 6, 50), (Fraction(speed) - Fraction(moved)) / 2
    rest = Fraction(moved) / 2 % Fraction(2 * math.pi)
    exact = np.sin(x - float((rest + turns) % Fraction(2 * math.pi)))
    assert np.max(np.abs(solution(x=x, t=0.5) - exact)) < 1e-6


def test_files_and_series_of_solutions(rest, tmp_path):
    """A file holds the frame; a nearby statement begins with what was chosen."""
    rest.save(tmp_path / "run.lrfm")
    again = lrfm.load(tmp_path / "run.lrfm")
    assert isinstance(again.pieces[0], Framed)
    x = np.linspace(0, 40, 101)
    assert np.array_equal(again(x=x, t=7.3), rest(x=x, t=7.3))
    near = lrfm.solve(kdv({"a": 1.02}), tol=1e-6, start=rest)
    a = 1.02
    exact = lambda x, t: 2 * a**2 / np.cosh(a * (np.mod(x - 4 * a**2 * t, 40) - 20)) ** 2  # noqa: E731
    assert error(near, exact) < 1e-6


def broken_off(problem, tol, path, after):
    """The solution of a march that was broken off after so many words on its way, and taken up again."""
    told = []

    def stop(stage, done, total):
        told.append(stage)
        if len(told) > after:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        lrfm.solve(problem, tol=tol, checkpoint=path, progress=stop)
    return lrfm.solve(problem, tol=tol, checkpoint=path)


def test_a_checkpoint_goes_on_in_the_frame(rest, tmp_path):
    """The same bits."""
    again, x = broken_off(kdv(), 1e-6, tmp_path / "march.part", 3), np.linspace(0, 40, 101)
    assert np.array_equal(again(x=x, t=9.1), rest(x=x, t=9.1))


def test_derivatives_by_parameters_are_seen_from_where_the_frame_moves(rest):
    """∂u/∂a of the soliton, in closed form by differences of the exact solution."""
    found = rest.sensitivity("a")
    x, t = np.meshgrid(np.linspace(0, 40, 801), np.linspace(0, 10, 5))
    exact = lambda a: 2 * a**2 / np.cosh(a * (np.mod(x - 4 * a**2 * t, 40) - 20)) ** 2  # noqa: E731
    slope = (exact(1 + 1e-5) - exact(1 - 1e-5)) / 2e-5
    assert np.linalg.norm(found(x=x, t=t) - slope) < 1e-5 * np.linalg.norm(slope)


def test_operators_answer_for_other_data():
    """u_t + u_x = 0.001 u_xx: other data, many at once, and a whole time span after them."""
    problem = lrfm.Problem(
        "u_t + u_x = 0.001*u_xx + f",
        domain=lrfm.Box(x=(0, 2 * math.pi)),
        time=(0, 5),
        initial="sin(x) + 0.3*cos(3*x)",
        boundary="periodic",
        parameters={"f": 0.0},
    )
    operator = lrfm.operator(problem, tol=1e-6)
    assert frame_of(operator.solution.pieces) is not None
    x = np.linspace(0, 6, 40)
    exact = lambda k, t: math.exp(-0.001 * k**2 * t) * np.sin(k * (x - t))  # noqa: E731
    assert np.allclose(operator(initial="sin(2*x)")(x=x, t=3.3), exact(2, 3.3), atol=1e-5)
    both = operator.many(initial=["sin(x)", "sin(2*x)"])
    assert np.allclose(both(x=x, t=4.1), [exact(1, 4.1), exact(2, 4.1)], atol=1e-5)
    places = operator.points["x"]
    after = operator.step(np.sin(places))
    assert np.allclose(after, math.exp(-0.005) * np.sin(places - 5), atol=1e-5)
    # A source that names x has no frame, and is solved anew.
    other = operator(parameters={"f": "0.1*cos(x)"})
    assert frame_of(other.pieces) is None
    k = 0.1 / (0.001 + 1j)
    pushed = np.real(k * np.exp(1j * x) * (1 - np.exp(-(0.001 + 1j) * 2.0)))
    start = exact(1, 2.0) + 0.3 * math.exp(-0.018) * np.cos(3 * (x - 2.0))
    assert np.allclose(other(x=x, t=2.0), start + pushed, atol=1e-5)


@pytest.fixture(scope="module")
def formed():
    """A hump steepens into a shock, which begins to travel and slows down."""
    return lrfm.solve(shock(), tol=1e-4)


def shock():
    return lrfm.Problem(
        "u_t + u*u_x = nu*u_xx",
        domain=lrfm.Box(x=(-1, 1)),
        time=(0, 6),
        initial="exp(-120*(x + 1/2)**2)",
        boundary="periodic",
        parameters={"nu": 2e-3},
        check_corners=False,
    )


def cole_hopf(x, t, nu=2e-3):
    """u = −2ν φ_x/φ of the line, on which the hump has not met itself: by a quadrature that is exact for smooth φ."""
    y = np.linspace(-4.0, 6.0, 20001)
    primitive = np.concatenate(
        [[0.0], np.cumsum(0.5 * (np.exp(-120 * (y[1:] + 0.5) ** 2) + np.exp(-120 * (y[:-1] + 0.5) ** 2)))]
    )
    primitive *= y[1] - y[0]
    found = []
    for place in x:
        exponent = -primitive / (2 * nu) - (place - y) ** 2 / (4 * nu * t)
        weight = np.exp(exponent - exponent.max())
        found.append(np.sum((place - y) / t * weight) / np.sum(weight))
    return np.array(found)


def test_what_begins_to_travel_is_followed_from_there_on(formed):
    """A shock forms and goes its way."""
    x = np.linspace(-0.6, 0.9, 400)
    exact = cole_hopf(x, 2.0)
    assert np.linalg.norm(formed(x=x, t=2.0) - exact) < 1e-3 * np.linalg.norm(exact)


def test_a_checkpoint_of_what_travels(formed, tmp_path):
    """Broken off on its way: the same bits after it."""
    again, x = broken_off(shock(), 1e-4, tmp_path / "march.part", 60), np.linspace(-1, 1, 101)
    assert np.array_equal(again(x=x, t=5.1), formed(x=x, t=5.1))


@pytest.mark.thorough
@pytest.mark.slow
def test_derivatives_of_what_travels(formed):
    """∂u/∂ν against a difference of two solutions."""
    slope = formed.sensitivity("nu")
    near = [lrfm.solve(shock().replace(parameters={"nu": nu}), tol=1e-5) for nu in (1.98e-3, 2.02e-3)]
    x = np.linspace(-1, 1, 201)
    exact = (near[1](x=x, t=4.0) - near[0](x=x, t=4.0)) / 4e-5
    assert np.linalg.norm(slope(x=x, t=4.0) - exact) < 0.02 * np.linalg.norm(exact)
