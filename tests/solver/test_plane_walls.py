# SPDX-License-Identifier: MIT
"""Coefficients that jump at as many lines as a box has bits for their sides: heat through walls of two materials."""

import pytest

import lrfm


def choice(values, name, places):
    found = values[-1]
    for value, place in reversed(list(zip(values, places, strict=False))):
        found = f"where({name} < {place}, {value}, {found})"
    return found


def board(count):
    places = [(k + 1) / (count + 1) for k in range(count)]
    across = choice([str(1 + k % 2) for k in range(count + 1)], "x", places)
    return lrfm.Problem(
        f"div(({across})*grad(u)) = 0",
        domain=lrfm.Box(x=(0, 1), y=(0, 1)),
        boundary={"x-": "u = 0", "x+": "u = 1", "*": "u_n = 0"},
    )


def test_heat_through_nine_walls():
    """a u_x = 1/∫ 1/a, so that u is a half in the middle of the nine."""
    found = lrfm.steady(board(8), tol=1e-6)
    total = (5 + 4 / 2) / 9
    assert abs(found(x=0.5, y=0.3) - 0.5) < 1e-6
    assert abs(found(x=1 / 9, y=0.7) - 1 / 9 / total) < 1e-6


def test_more_lines_than_sides_are_held_are_refused():
    with pytest.raises(lrfm.ProblemError, match="jump at 9 lines: more than 256 regions"):
        lrfm.steady(board(9), tol=1e-2)
