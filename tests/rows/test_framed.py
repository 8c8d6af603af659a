# SPDX-License-Identifier: MIT
"""u(x, t) = v(x − c(t − t₀), t) against SymPy: derivatives of every kind, grids, single places, statements and data in a frame."""

from fractions import Fraction

import numpy as np
import pytest
import sympy

import lrfm
from lrfm.problem import Jet
from lrfm.problem.frame import MovingFrame, uniform_axes
from lrfm.rows.framed import Framed

X, Y, T = sympy.symbols("x y t", real=True)
FRAME = MovingFrame((1.5, -0.25), 0.5, (0.0, 0.0), (2 * np.pi, 2 * np.pi), (0.3, 0.0))
V = sympy.sin(X + 2 * Y) * sympy.exp(-T) + sympy.cos(3 * X - Y + T**2)


class Known:
    """A piece of v that knows all of its derivatives."""

    window, steps = (0.5, 2.0), 1

    def _function(self, jet):
        orders = [pair for pair in zip((X, Y, T), jet.index, strict=True) if pair[1]]
        return sympy.lambdify((X, Y, T), sympy.diff(V, *orders) if orders else V)

    def values(self, jets, points):
        return {jet: self._function(jet)(*points.T) for jet in jets}

    def on_grid(self, jets, places, times):
        t, x, y = np.meshgrid(times, *places, indexing="ij")
        return {jet: self._function(jet)(x, y, t) for jet in jets}

    def at_place(self, jet, place, time):
        return float(self._function(jet)(*place, time))


MOVED = V.subs({X: X - 0.3 - 1.5 * (T - 0.5), Y: Y + 0.25 * (T - 0.5)}, simultaneous=True)


@pytest.mark.parametrize(
    "index", [(0, 0, 0), (1, 0, 0), (0, 0, 1), (1, 1, 1), (0, 0, 2), (2, 0, 2), (0, 1, 3)]
)
def test_derivatives_are_those_of_the_function_that_moves(index):
    """∂ₜⁿ by the chain rule, in points, on grids and at one place."""
    piece, jet = Framed(Known(), FRAME), Jet("u", index)
    orders = [pair for pair in zip((X, Y, T), index, strict=True) if pair[1]]
    exact = sympy.lambdify((X, Y, T), sympy.diff(MOVED, *orders) if orders else MOVED)
    rng = np.random.default_rng(3)
    points = np.column_stack([2 * np.pi * rng.random((40, 2)), 0.5 + 1.5 * rng.random(40)])
    assert np.allclose(piece.values([jet], points)[jet], exact(*points.T), atol=1e-10)
    assert piece.at_place(jet, points[0, :2], points[0, 2]) == pytest.approx(exact(*points[0]), abs=1e-10)
    places, times = [np.linspace(0, 6, 5), np.linspace(0, 6, 4)], np.linspace(0.5, 2, 3)
    t, x, y = np.meshgrid(times, *places, indexing="ij")
    assert np.allclose(piece.on_grid([jet], places, times)[jet], exact(x, y, t), atol=1e-10)


def test_forth_and_back_are_inverse_on_the_circle():
    rng = np.random.default_rng(0)
    points = np.column_stack([2 * np.pi * rng.random((50, 2)), 0.5 + 30 * rng.random(50)])
    assert np.allclose(FRAME.forth(FRAME.back(points)), points, atol=1e-12)
    assert np.all((FRAME.back(points)[:, :2] >= 0) & (FRAME.back(points)[:, :2] <= 2 * np.pi))


def test_long_ways_lose_no_digits():
    """ξ = x − c(t − t₀) modulo L in rational arithmetic, by 1e9 turns: right to the last digits of the circle."""
    frame = MovingFrame((7.123456789e9,), 0.3, (-1.0,), (2.1,), (0.25,))
    rng = np.random.default_rng(5)
    length = Fraction(2.1 - -1.0)
    for x, t in zip(-1 + 3.1 * rng.random(40), 0.3 + 2.0 * rng.random(40), strict=True):
        way = Fraction(x) - Fraction(0.25) - Fraction(frame.speeds[0]) * (Fraction(t) - Fraction(0.3)) + 1
        exact = float(way % length) - 1.0
        found = float(frame.place(0, np.asarray(x), t))
        assert abs((found - exact + 1.55) % 3.1 - 1.55) < 2e-15


def test_a_frame_goes_on_where_it_was():
    """ξ is continuous where the speed changes."""
    later = FRAME.changed(1.7, (-1.0, 2.0))
    assert later.speeds == (0.5, 1.75)
    rng = np.random.default_rng(2)
    points = np.column_stack([2 * np.pi * rng.random((50, 2)), np.full(50, 1.7)])
    gap = np.mod(later.back(points) - FRAME.back(points) + 1e-9, 2 * np.pi)
    assert np.all(gap[:, :2] < 1e-8)


def travelling(**changes):
    given = {
        "equation": "u_tt = u_xx - u_yy*u",
        "domain": lrfm.Box(x=(0, 1), y=(0, 1)),
        "time": (0, 1),
        "initial": {"u": "sin(2*pi*x)*cos(2*pi*y)", "u_t": "cos(2*pi*x)"},
        "boundary": "periodic",
    }
    given |= changes
    return lrfm.Problem(given.pop("equation"), **given)


def test_the_statement_in_a_frame_has_the_function_that_moves_as_its_solution():
    """F(u) at (x, t) is F'(v) at (ξ, t), and (∂ₜ + c·∇) of the data are the data of v."""
    problem, frame = travelling(), MovingFrame((1.5, -0.25), 0.0, (0.0, 0.0), (1.0, 1.0), (0.0, 0.0))
    stated = frame.statement(problem)
    rng = np.random.default_rng(1)
    points = np.column_stack([rng.random((20, 2)), np.zeros(20)])
    (row,), (moved,) = problem.rows, stated.rows
    outer = Framed(Known(), MovingFrame((1.5, -0.25), 0.0, (-9.0, -9.0), (9.0, 9.0), (0.0, 0.0)))
    inner = Known().values(moved.jets, points)
    assert np.allclose(
        row.residual(points, outer.values(row.jets, points)), moved.residual(points, inner), atol=1e-9
    )
    x, y = points[:, 0], points[:, 1]
    two = 2 * np.pi
    exact = np.cos(two * x) + 1.5 * two * np.cos(two * x) * np.cos(two * y)
    exact += 0.25 * two * np.sin(two * x) * np.sin(two * y)
    assert np.allclose(stated.initial_data["u", 1](points), exact, atol=1e-12)
    assert stated.initial_data["u", 0] is problem.initial_data["u", 0]


def test_axes_along_which_a_statement_is_the_same():
    assert uniform_axes(travelling()) == (True, True)
    assert uniform_axes(travelling(equation="u_tt = (1 + x)*u_xx")) == (False, True)
    assert uniform_axes(travelling(parameters={"k": "1 + cos(2*pi*y)"}, equation="u_tt = k*u_xx")) == (
        True,
        False,
    )
    walls = {"x": "periodic", "y-": "u = 0", "y+": "u = 0"}
    still = travelling(initial={"u": "sin(2*pi*x)*sin(pi*y)", "u_t": "0"}, boundary=walls)
    assert uniform_axes(still) == (True, False)
    given = travelling(equation="u_tt = u_xx + f", parameters={"f": lambda x, y, t: np.sin(x)})
    assert uniform_axes(given) == (False, False)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"speeds": np.zeros(2)}, "speeds"),
        ({"start": np.nan}, "no start"),
        ({"upper": np.array([-1.0])}, "no room"),
    ],
)
def test_a_frame_from_a_file_that_is_none(wrong, says):
    solution = lrfm.solve(lrfm.catalog.advection(), tol=1e-3)
    record = solution.pieces[0].record()
    assert Framed.from_record(**record).frame == solution.pieces[0].frame
    with pytest.raises(ValueError, match=says):
        Framed.from_record(**{**record, **wrong})
