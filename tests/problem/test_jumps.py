# SPDX-License-Identifier: MIT
"""Derivatives of jumps are refused, since the chain rule makes them zero; all that has a derivative is not."""

import pytest

import lrfm
from lrfm import Box, Problem, ProblemError
from lrfm.discretize.evolution import EvolutionSystem, Unsuited
from lrfm.problem.algebra import Symbol
from lrfm.problem.expression import absolute, choice, has_delta, sign
from lrfm.problem.free import seed_of
from lrfm.problem.jumps import jumps_along
from lrfm.problem.variations import Direction
from lrfm.solver.tangent.form import Sources

LINE, SQUARE = Box(x=(0, 1)), Box(x=(0, 1), y=(0, 1))


def stated(equation, domain=LINE, **given):
    return Problem(
        equation, **{"domain": domain, "time": (0, 1), "initial": "x", "boundary": "u = 0", **given}
    )


@pytest.mark.parametrize(
    "k", ["where(x<0.5, 1, 10)", "1 + 9*heaviside(x - 0.5)", "1 + 4.5*(1 + sign(x - 0.5))"]
)
def test_two_materials_as_a_parameter(k):
    """A flux with slopes is continuous there, one without them is not known to be."""
    assert has_delta(stated("u_t = diff(k*u_x, x)", parameters={"k": k}).rows[0].expression)
    with pytest.raises(ProblemError) as caught:
        stated("u_t = diff(k*u, x)", parameters={"k": k})
    sentence = str(caught.value)
    assert "`diff` differentiates by `x` what jumps along `x`" in sentence
    assert "lrfm.Layers" in sentence
    assert "0.5*(1 + tanh((x - 0.5)/w))" in sentence


@pytest.mark.parametrize(
    "equation",
    [
        "u_t = diff(where(x<t, 1, 10)*u_x, x)",
        "u_t = diff(where(x<0.5, 1, 1.0001)*u, x)",
        "u_t = diff(where(u<273.15, 1, 10)*u_x, x)",
        "u_t = lap(where(x<0.5, 1, 10)*u)",
        "u_t + diff(heaviside(sin(40*x))*u, x) = u_xx",
        "u_t = u_xx + diff(abs(x - 0.5), x, x)",
        "u_t = u_xx + diff(sqrt((x - 0.5)**2), x, x)",
        "u_t = u_xx + diff(max(x, 0.5), x, x)",
        "u_t = u_xx + diff(heaviside(t - 0.5), t)",
        "u_t = lap(max(u, 0))",
        "u_t = diff(u_x/abs(u_x), x)",
        "u_t = diff(log(u)*where(u<0.5, 1, 2)*u_x, x)",  # log exists for positive values only
    ],
)
def test_what_jumps_along_the_coordinate(equation):
    with pytest.raises(ProblemError, match="The derivative of a jump is no function"):
        stated(equation)


@pytest.mark.parametrize(
    "where", ["x - y > 0", "(x - 0.52)**2 + (y - 0.47)**2 < 0.0001", "(2*x - 1.3)**2 + (3*y - 1)**2 < 0.0004"]
)
def test_jumps_in_the_plane(where):
    with pytest.raises(ProblemError, match="no function"):
        stated(f"u_t = lap(u) + diff(where({where}, 1, 3)*u, x)", SQUARE)
    # A flux of slopes is continuous there: cells of the plane end at such lines, others refuse it.
    flux = stated(f"u_t = diff(where({where}, 1, 3)*u_x, x) + u_yy", SQUARE)
    with pytest.raises(Unsuited, match="the flux is continuous"):
        EvolutionSystem(flux)


@pytest.mark.parametrize(
    "given",
    [
        {"initial": "diff(heaviside(x - 0.5), x)"},
        {"boundary": {"x-": "u = diff(sign(t - 0.5), t)", "x+": "u = 0"}},
        {"parameters": {"k": "diff(where(x<0.5, 1, 2), x)"}},
    ],
)
def test_data_conditions_and_parameters(given):
    with pytest.raises(ProblemError, match="no function"):
        stated("u_t = u_xx", **given)


@pytest.mark.parametrize(
    "equation",
    [
        "u_t = u_xx + where(x<0.5, 1, 10)*u + heaviside(t - 0.5)",  # not differentiated
        "u_t = where(x<0.5, 1, 10)*u_xx",
        "u_t = diff(where(t<0.5, 1, 2)*u_x, x)",  # constant along x
        "u_t = diff(max(u, 0)*u_x, x)",
        "u_t = lap(max(u, 0)**2)",  # its first derivative is continuous,
        "u_t = lap(u*abs(u))",  # and so is that of u|u|
        "u_t = diff(abs(u_x)*u_x, x)",
        "u_t = u_xx + diff(abs(x - 0.5), x)",
        "u_t = u_xx + diff(max(x - 0.5, 0)**3, x, x)",
        "u_t = diff(min(1 + x, 2 - x)*u_x, x)",
        "u_t = diff(where(x<0.5, x**2, 0.25)*u_x, x)",  # the parts meet
        "u_t = diff(where(x**2 + 0.01 > 0, x**3, 1)*u_x, x)",  # decided everywhere alike
    ],
)
def test_what_has_a_derivative(equation):
    stated(equation)


def test_a_jump_along_another_axis_is_a_constant():
    stated("u_t = diff(where(y<0.5, 1, 3)*u_x, x) + u_yy", SQUARE)


def test_layers_switch_as_before():
    rod = lrfm.Layers(left=Box(x=(0, 0.5)), right=Box(x=(0.5, 1)))
    stated("u_t = diff(k*u_x, x)", rod, parameters={"k": {"left": 1, "right": 10}})


def test_formulas_are_asked_for_values():
    u, v = Symbol("u"), Symbol("v")
    assert jumps_along(sign(u), {u})
    assert not jumps_along(sign(u), {v})
    assert jumps_along(v * sign(u), {u})
    assert not jumps_along(u * sign(u), {u})
    assert not jumps_along(absolute(u) ** 0.3, {u})  # steep without bound, and continuous
    assert jumps_along(choice(u - 3.7e5, u, u + 1), {u})
    assert not jumps_along(choice(u - v, u, v), {u})


def test_conditions_that_lines_would_differentiate():
    """u = heaviside(t − 0.5) became u_t = 0 for the wave equation: u stayed at rest."""
    struck = Problem(
        "u_tt = u_xx",
        domain=LINE,
        time=(0, 1),
        initial={"u": 0, "u_t": 0},
        boundary={"x-": "u = heaviside(t - 0.5)", "x+": "u = 0"},
    )
    with pytest.raises(Unsuited, match="lines need its derivative in time"):
        EvolutionSystem(struck)


def test_derivatives_by_the_place_of_a_jump():
    """∂u/∂a of a source where(x < a, 1, 0) is that of a point source; it was zero."""
    heated = Problem(
        "u_t = u_xx + where(x < a, b, 0)",
        domain=LINE,
        time=(0, 0.1),
        initial=0,
        boundary="u = 0",
        parameters={"a": 0.5, "b": 1.0},
    )
    with pytest.raises(ProblemError, match="by `a` was asked for, which decides where a formula jumps"):
        Sources(heated, [Direction("a", ("a",), seed_of("a"))])
    Sources(heated, [Direction("b", ("b",), seed_of("b"))])
