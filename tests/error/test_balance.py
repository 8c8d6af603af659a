# SPDX-License-Identifier: MIT
"""Δp = u on a circle, or with p_n given all around, balances where the mean of u is what the fluxes are; solutions here are formulas."""

import numpy as np
import pytest

from lrfm.error.balance import later_imbalance, potentials, start_imbalance
from lrfm.problem import Box, Jet, Problem


def potential(u0="sin(2*pi*x)", boundary="periodic", **more):
    given = dict(domain=Box(x=(0, 1)), time=(0, 1), initial={"u": u0}, boundary=boundary)
    return Problem(["lap(p) = u", "u_t = lap(u) + 1"], **{**given, **more})


class Known:
    """u = sin 2πx + a t."""

    def __init__(self, a):
        self.a, self.window = a, (0.0, 1.0)

    def values(self, jets, points):
        assert list(jets) == [Jet("u", (0, 0))]
        return {j: np.sin(2 * np.pi * points[:, 0]) + self.a * points[:, 1] for j in jets}


def test_what_ceases_to_balance_along_a_solution_is_told_with_its_time():
    assert later_imbalance(potential(), [Known(0.0)], 1e-3) is None
    told = later_imbalance(potential(), [Known(1.0)], 1e-3)
    assert told is not None
    assert "`p` up to a constant no longer balances at t = 0.125" in told


def fluxes(left, right):
    return {"x-": ["u_x = 0", f"p_x = {left}"], "x+": ["u_x = 0", f"p_x = {right}"]}


@pytest.mark.parametrize(
    ("u0", "boundary", "balanced"),
    [
        ("cos(2*pi*x)", "periodic", True),
        ("0.01 + cos(2*pi*x)", "periodic", False),
        ("1 + cos(2*pi*x)", fluxes(0, 1), True),
        ("1 + cos(2*pi*x)", fluxes(1, 1), False),
    ],
)
def test_data_balance_or_do_not(u0, boundary, balanced):
    assert (start_imbalance(potential(u0, boundary), 1e-4) is None) == balanced


def test_a_potential_that_is_held_somewhere_needs_no_balance():
    held = {"x-": ["u_x = 0", "p = 0"], "x+": ["u_x = 0", "p_x = 1"]}
    assert potentials(potential("1", held)) == []


@pytest.mark.parametrize("order", [2, 3, 4])
@pytest.mark.parametrize(("mean", "balanced"), [("0", True), ("1", False), ("t**2", False)])
def test_another_equation_may_hold_the_value(order, mean, balanced):
    """u_t = v moves u by v and does not give v: the mean of v_xx, v_xxx, ... along a circle is zero all the same."""
    derivative = "v_" + order * "x"
    problem = Problem(
        ["u_t = v", f"{derivative} = {mean} + sin(x)*cos(t)"],
        domain=Box(x=(0, 2 * np.pi)),
        time=(0, 1),
        initial={"u": "0"},
        boundary="periodic",
    )
    assert (start_imbalance(problem, 1e-4) is None) == balanced
