# SPDX-License-Identifier: MIT
"""Cells that move: what is exact on cells that stand still is exact on them, at all times, and so are the matrices."""

from dataclasses import replace

import numpy as np
import pytest
from on_cells import coefficients, dense, jacobian, line

from lrfm.discretize.evolution import EvolutionSystem
from lrfm.discretize.line.layout import Layout
from lrfm.discretize.line.moving import MovingCollocation, carried
from lrfm.discretize.options import MOTION
from lrfm.integrate.moving import longest, speeds_for
from lrfm.problem import Jet
from lrfm.rows.cell_steps import CellSteps
from lrfm.spaces.cells import Mesh, MovingMesh
from lrfm.spaces.cells.reference import joining, merging, nodes, table

EDGES = np.array([0.0, 0.15, 0.5, 0.6, 0.85, 1.0])
SPEEDS = np.array([0.0, 0.2, -0.3, 0.1, 0.25, 0.0])
FIXED = np.array([True, False, False, False, False, True])
XI = np.linspace(-1, 1, 9)


def moving(problem, count=6, since=0.2):
    layout = Layout(EvolutionSystem(problem), count)
    layout.check()
    return MovingCollocation(layout, MovingMesh(EDGES, SPEEDS, FIXED, since, bool(problem.periodic)))


# Cells ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [0, 1, 2, 4])
def test_neighbors_of_any_widths_are_joined_by_projection(order):
    """A polynomial of both stays one; others keep their derivatives below the order at the ends; halves are the case of equal widths."""
    size, shares = 9, np.array([0.5, 0.2, 0.9, 0.5 + 1e-12])
    whole, parts = merging(size, order, shares)
    a = np.random.default_rng(0).standard_normal(size)
    both = np.einsum("psij,j->psi", parts, a).reshape(len(shares), -1)
    np.testing.assert_allclose(np.einsum("pij,pj->pi", whole, both), np.tile(a, (4, 1)), atol=1e-10)
    np.testing.assert_allclose(whole[0], joining(size, order), atol=1e-10)
    np.testing.assert_allclose(whole[0], whole[3], atol=1e-9)
    left, right = np.random.default_rng(1).standard_normal((2, size))
    for share, matrix in zip(shares, whole, strict=True):
        found = matrix @ np.concatenate([left, right])
        for d in range(order):
            ends = table(np.array([-1.0, 1.0]), size, d)
            wanted = [ends[0] @ left / share**d, ends[1] @ right / (1 - share) ** d]
            np.testing.assert_allclose(ends @ found, wanted, rtol=1e-9, atol=1e-9 * size ** (2 * d))


def test_cells_are_split_where_they_are_and_joined_where_an_edge_may_vanish():
    mesh = MovingMesh(EDGES, SPEEDS, np.array([True, False, True, False, False, True]), 1.0)
    np.testing.assert_array_equal(mesh.siblings, [0, 2, 3])
    split, join = np.array([0, 1, 0, 0, 0], dtype=bool), np.array([0, 0, 0, 1, 0], dtype=bool)
    other = mesh.regrid(split, join)
    np.testing.assert_allclose(other.edges, [0, 0.15, 0.325, 0.5, 0.6, 1])
    # What moves with a cell moves with its halves.
    np.testing.assert_allclose(other.at(1.3).edges[2], np.mean(mesh.at(1.3).edges[1:3]))
    np.testing.assert_array_equal(other.fixed, [1, 0, 0, 1, 0, 1])


def test_cells_without_speeds_stand_still():
    mesh = MovingMesh.of(Mesh.of(EDGES), 0.0, np.array([0.5]))
    assert mesh.at(3.0) is mesh
    assert longest(mesh) == np.inf
    np.testing.assert_array_equal(mesh.fixed, [1, 0, 1, 0, 0, 1])
    squeezed = replace(mesh, speeds=SPEEDS)
    widths = squeezed.at(longest(squeezed)).widths
    np.testing.assert_allclose(np.max(np.abs(widths / mesh.widths - 1)), MOTION.squeeze)


# Rows -------------------------------------------------------------------------------------------------------

SOLVED = {
    "heat": (
        line("u_t = u_xx", "x**2", {"x-": "u = 2*t", "x+": "u_x = 2"}),
        [lambda x, t: x**2 + 2 * t], [lambda x, t: 2 + 0 * x],
    ),
    "a rate in a condition": (
        line("u_t = u_xx", "x**2", {"x-": "u_t - u_x = 2", "x+": "u_t + u_x = 4"}),
        [lambda x, t: x**2 + 2 * t], [lambda x, t: 2 + 0 * x],
    ),
    "derivatives of rates": (
        line("u_t + u_xt = u_xx + x + 1", "0", {"x-": "u = 0", "x+": "u_xt + u = 1 + t"}),
        [lambda x, t: x * t], [lambda x, t: x],
    ),
    "third order": (
        line("u_t + u_xxx = 0", "x**3", {"x-": ["u = -6*t"], "x+": ["u = 1 - 6*t", "u_x = 3"]}),
        [lambda x, t: x**3 - 6 * t], [lambda x, t: -6 + 0 * x],
    ),
    "products, and coefficients of x and t": (
        line("u_t = (1 + x)*u*u_xx + u_x**2/4 - 2*(1 + x)*(x**2 + t) - x**2 + 1", "x**2", {"x-": "u = t", "x+": "u_x = 2"}),
        [lambda x, t: x**2 + t], [lambda x, t: 1 + 0 * x],
    ),
    "an algebraic unknown": (
        line(["u_t = w", "w = u_xx"], {"u": "x**2"}, {"x-": "u = 2*t", "x+": "u_x = 2"}),
        [lambda x, t: x**2 + 2 * t, lambda x, t: 2.0 + 0 * x], [lambda x, t: 2 + 0 * x, lambda x, t: 0 * x],
    ),
}  # fmt: skip


def along(made, time, functions, rates):
    """y and the rates along the motion, u_t + w u_x, of polynomials at a time."""
    there = MovingCollocation(made.layout, made.mesh.at(time))
    y = np.stack([coefficients(there, lambda x, f=f: f(x, time)) for f in functions])
    z = np.stack([coefficients(there, lambda x, f=f: f(x, time)) for f in rates])
    return y, z + carried(there.mesh, there.mesh.speeds, y)


@pytest.mark.parametrize("name", SOLVED)
@pytest.mark.parametrize("time", [0.2, 0.7])
def test_polynomials_that_solve_a_statement_have_no_residual(name, time):
    problem, functions, rates = SOLVED[name]
    made = moving(problem)
    assert made.layout.movable
    y, z = along(made, time, functions, rates)
    found = made.residual(np.array([time]), y[None], z[None])
    assert np.abs(found).max() < 1e-14 * (made.layout.size**2 / 0.05) ** max(made.layout.orders)


@pytest.mark.parametrize("name", SOLVED)
def test_matrices_are_the_derivatives_of_the_rows(name):
    """By differences, at a time at which cells have other widths than at their start."""
    made, time, shift = moving(SOLVED[name][0], count=4), 0.7, 0.3
    rng = np.random.default_rng(0)
    start, rates = (
        0.5 * rng.standard_normal((len(made.system.components), made.mesh.size, made.layout.size))
        for _ in range(2)
    )
    for i, size in enumerate(made.layout.sizes):
        start[i, :, size:] = rates[i, :, size:] = 0.0
    wanted, y, z = jacobian(made, time, start, rates, shift)
    found = dense(made, made.linearize(time, y, z), shift)
    np.testing.assert_allclose(found, wanted, atol=1e-7 * np.abs(wanted).max())


@pytest.mark.parametrize(
    "problem",
    [
        line("u_tt = u_xx", {"u": "x", "u_t": "1"}, {"x-": "u = t", "x+": "u_x = 1"}),
        line("u_t = u_xx - u*mean(u**2)", "x", "u_n = 0"),
        line("u_t - u_xxt + u*u_x = 0", "sin(2*pi*x)", "periodic"),
    ],
)
def test_statements_that_stand_still(problem):
    """Chains, means, and rates with as many derivatives as anything else."""
    assert not Layout(EvolutionSystem(problem), 6).movable


# Speeds -----------------------------------------------------------------------------------------------------


def test_a_front_takes_its_own_speed_and_what_is_between_moves_linearly():
    """u = f(x − ct): least is left of u_t + w u_x where w = c."""
    edges = np.concatenate([[0.0, 0.2, 0.4], np.linspace(0.45, 0.55, 9), [0.6, 0.8, 1.0]])
    mesh = MovingMesh.of(Mesh.of(edges), 0.0, np.zeros(0))
    points, weights = nodes(12, 0)

    def of(function):
        return (function(mesh.places(points)) * weights)[None] @ table(points, 12)

    y, z = of(lambda x: np.tanh((x - 0.5) / 0.01)), of(lambda x: -70 / np.cosh((x - 0.5) / 0.01) ** 2)
    found = speeds_for(mesh, y, z, np.ones(1), 1.0)
    np.testing.assert_allclose(found[7], 0.7, rtol=MOTION.smooth)
    np.testing.assert_allclose(found[5:10], 0.7, rtol=0.05)
    np.testing.assert_allclose(found[:4], found[3] * edges[:4] / edges[3], atol=1e-3)
    # Rates along this motion: none, and the motion goes on.
    moved = replace(mesh, speeds=found)
    again = speeds_for(moved, y, z + carried(mesh, found, y), np.ones(1), 1.0)
    np.testing.assert_allclose(again, found, atol=1e-12)
    # What only grows does not move, nor does what has arrived.
    assert not np.any(speeds_for(mesh, y, 3 * y, np.ones(1), 1.0))
    assert not np.any(speeds_for(mesh, y, z, np.ones(1), 1e-3))


# Values -----------------------------------------------------------------------------------------------------


def piece_on(speeds):
    rng = np.random.default_rng(2)
    rows = rng.standard_normal((10, 4, 1, 5)) * 0.3 ** np.arange(4)[:, None, None]
    twice = np.concatenate([EDGES, EDGES + 0.5 * SPEEDS])
    return CellSteps(
        ("u",), np.array([0.0, 0.5, 0.9]), np.array([0, 1]), twice, np.array([0, 6, 12]), rows, speeds
    )


def test_derivatives_in_time_are_those_at_fixed_places():
    """Against differences of values, in both steps; the grid says the same as points."""
    piece = piece_on(np.concatenate([SPEEDS, -0.5 * SPEEDS]))
    x, step = np.array([0.07, 0.3, 0.53, 0.7, 0.97]), 2e-3
    for t in (0.25, 0.7):
        for d in range(3):

            def values(order, times, d=d):
                jet = Jet("u", (d, order))
                points = np.column_stack([np.tile(x, len(times)), np.repeat(times, len(x))])
                return piece.values([jet], points)[jet].reshape(len(times), -1)

            for n in range(3):
                near = values(n, t + step * np.array([-2, -1, 1, 2]))
                wanted = (near[0] - 8 * near[1] + 8 * near[2] - near[3]) / (12 * step)
                found = values(n + 1, np.array([t]))[0]
                np.testing.assert_allclose(found, wanted, atol=1e-6 * np.max(np.abs(wanted)))
    jets = [Jet("u", index) for index in ((0, 0), (1, 1), (0, 2))]
    times = np.array([0.0, 0.1, 0.5, 0.8, 0.9])
    grid, points = piece.on_grid(jets, [x], times), np.column_stack([np.tile(x, 5), np.repeat(times, 5)])
    for jet, values in piece.values(jets, points).items():
        np.testing.assert_allclose(grid[jet].ravel(), values, rtol=1e-12)


def test_cells_that_do_not_move_have_the_same_values_either_way():
    still, slow = piece_on(None), piece_on(np.append(np.zeros(6), 1e-300 * SPEEDS))
    points = np.random.default_rng(3).random((50, 2)) * [1.0, 0.9]
    jet = Jet("u", (1, 1))
    np.testing.assert_allclose(still.values([jet], points)[jet], slow.values([jet], points)[jet], rtol=1e-9)


def test_a_record_holds_speeds_and_refuses_cells_that_cross():
    piece = piece_on(np.concatenate([SPEEDS, -SPEEDS]))
    again = CellSteps.from_record(**piece.record())
    np.testing.assert_array_equal(again.speeds, piece.speeds)
    np.testing.assert_allclose(again.cells_at(0.25), EDGES + 0.25 * SPEEDS)
    crossing = piece.record() | {"speeds": 10 * np.concatenate([SPEEDS, -SPEEDS])}
    with pytest.raises(ValueError, match="increase"):
        CellSteps.from_record(**crossing)
