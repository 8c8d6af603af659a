# SPDX-License-Identifier: MIT
"""Points of a cell with which no short wave grows: Gauss points for even orders, Radau points of the side that the sign asks for."""

import numpy as np
import pytest
from on_cells import discretized, line
from scipy.linalg import eig

import lrfm
from lrfm.adapt.points import growth, stable_layout
from lrfm.discretize.evolution import EvolutionSystem, Unsuited
from lrfm.discretize.line.collocation import Layout

SMALL = 1e-6  # real part over the radius: rounding of derivatives, far below waves that grow with the cells


def real_part(problem, count, end, seed):
    """The largest real part of the spectrum over its radius, on uneven cells with ratios up to ten."""
    rng = np.random.default_rng(seed)
    cuts = np.cumsum(np.append(0.0, rng.uniform(0.2, 2.0, rng.integers(3, 9))))
    made = discretized(problem, count, cuts / cuts[-1], end)
    y = np.zeros((len(made.system.components), made.mesh.size, made.layout.size))
    pencil = made.linearize(0.0, y, y)
    mass, rest = np.zeros((2, made.size, made.size))
    mass[made.rows, made.columns], rest[made.rows, made.columns] = pencil.entries(0), pencil.entries(1)
    rest[made.lowest > 0] = 0.0  # a row without rates says that the rates have no jump, or no value
    with np.errstate(all="ignore"):
        found = eig(-rest, mass, right=False)
    found = found[np.isfinite(found)]
    return found.real.max() / np.abs(found).max()


WALLS = {"x-": "u = 0", "x+": "u = 0"}
CLAMPED = {"x-": ["u = 0", "u_x = 0"], "x+": ["u = 0", "u_x = 0"]}
HINGED = {"x-": ["u = 0", "u_xx = 0"], "x+": ["u = 0", "u_xx = 0"]}
EVEN = {
    "heat between walls": line("u_t = u_xx", "0", WALLS),
    "heat on a circle": line("u_t = u_xx", "0", "periodic"),
    "clamped beam": line("u_t = -u_xxxx", "0", CLAMPED),
    "hinged beam": line("u_t = -u_xxxx", "0", HINGED),
    "fourth order on a circle": line("u_t = -u_xxxx", "0", "periodic"),
}


@pytest.mark.parametrize("name", EVEN)
@pytest.mark.parametrize("seed", range(3))
def test_gauss_points_damp_even_orders(name, seed):
    assert real_part(EVEN[name], 5 + seed, 0, seed) < SMALL
    assert stable_layout(EvolutionSystem(EVEN[name]), 5).end == 0


ODD = {  # the equation, and the side of the Radau points that keeps it from growing
    "u_t = u_xxx": 1,
    "u_t = -u_xxx": -1,
    "u_t = u_x": -1,
    "u_t = -u_x": 1,
}


@pytest.mark.parametrize("equation", ODD)
@pytest.mark.parametrize("seed", range(3))
def test_radau_points_of_one_side_keep_odd_orders(equation, seed):
    problem, end = line(equation, "0", "periodic"), ODD[equation]
    assert real_part(problem, 4 + seed, end, seed) < SMALL
    assert real_part(problem, 4 + seed, -end, seed) > 0.5  # on the other side short waves explode


@pytest.mark.parametrize("equation", ODD)
@pytest.mark.parametrize("count", [4, 7, 10])
def test_the_side_is_found(equation, count):
    system = EvolutionSystem(line(equation, "sin(2*pi*x)", "periodic"))
    end = ODD[equation]
    assert stable_layout(system, count).end == end
    assert growth(Layout(system, count, end)) < SMALL
    assert growth(Layout(system, count, -end)) > 0.5


def test_conditions_on_the_wrong_side_are_refused():
    """u_t = −u_xxx takes one condition on the left and two on the right."""
    right = line("u_t = -u_xxx", "x*(1 - x)**2", {"x-": ["u = 0"], "x+": ["u = 0", "u_x = 0"]})
    wrong = line("u_t = -u_xxx", "x**2*(1 - x)", {"x-": ["u = 0", "u_x = 0"], "x+": ["u = 0"]})
    stable_layout(EvolutionSystem(right), 6)
    with pytest.raises(Unsuited, match="keep short waves from growing"):
        stable_layout(EvolutionSystem(wrong), 6)


@pytest.mark.parametrize("boundary", ["periodic", {"x-": "u = 0", "x+": "u = 0"}])
def test_systems_of_first_order_without_stable_points_are_refused(boundary):
    """Waves in both directions ask for both sides at once."""
    problem = line(["u_t = v_x", "v_t = u_x"], {"u": "sin(2*pi*x)", "v": "0"}, boundary)
    with pytest.raises(Unsuited, match="keep short waves from growing"):
        stable_layout(EvolutionSystem(problem), 6)


@pytest.mark.parametrize("wind", ["cos(t)", "1 - 3*exp(-((t - 0.7137)/1e-4)**2)"])
def test_winds_that_turn_have_no_side(wind):
    """At the start points of one side are stable, later on, if only for a moment, those of the other side."""
    problem = line(f"u_t + ({wind})*u_x = 0", "exp(cos(2*pi*x))", "periodic", time=(0, 6))
    with pytest.raises(Unsuited, match="keep short waves from growing"):
        stable_layout(EvolutionSystem(problem), 6)


@pytest.mark.parametrize("count", [4, 5, 6, 8, 11])
@pytest.mark.parametrize("speed", [1, 4, 16, 64])
def test_solitons_narrower_than_the_cells_of_the_check_are_not_refused(count, speed):
    """u_t + 6uu_x + u_xxx = 0 linearized at any state: short waves feel u_xxx alone."""
    initial = f"{speed / 2}/cosh({speed**0.5 / 2}*(x + 10))**2"
    system = EvolutionSystem(line("u_t + 6*u*u_x + u_xxx = 0", initial, "periodic", x=(-20, 20)))
    assert stable_layout(system, count).end == -1


def test_births_are_no_short_waves():
    """u(0) = ∫ b u of a population by age grows, at a rate of its own, whatever the points are: also where cells are narrow."""
    problem = lrfm.Problem(
        "u_t + u_x = -0.2*u",
        domain=lrfm.Box(x=(0, 10)),
        time=(0, 3),
        initial="exp(-x)",
        boundary={"x-": "u = integral(2*x*exp(-x)*u, x)", "x+": None},
    )
    assert all(growth(Layout(EvolutionSystem(problem), count)) < 1e-12 for count in (4, 8, 12))
