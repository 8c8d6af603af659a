"""Linear integrations along a computed solution: transfers, rows, steps, and tangents on cells."""

import numpy as np
import pytest

import lrfm
from lrfm.discretize.line.collocation import CellCollocation
from lrfm.integrate.follow.linear import Applied
from lrfm.problem.free import seed_of
from lrfm.problem.variations import Direction
from lrfm.solver.once import integrated
from lrfm.solver.tangent.cells import along, cell_tangents, inner, layout_of, system_of
from lrfm.spaces.cells.reference import table
from lrfm.spaces.cells.transfer import Transfer


def values(edges, coefficients, x, order=0):
    cell = np.clip(np.searchsorted(edges, x, side="right") - 1, 0, len(edges) - 2)
    width = np.diff(edges)[cell]
    at = 2 * (x - edges[cell]) / width - 1
    functions = table(at, coefficients.shape[-1], order) * (2 / width[:, None]) ** order
    return np.einsum("ps,ps->p", coefficients[cell], functions)


def test_split_cells_hold_the_same_function():
    rng = np.random.default_rng(0)
    old, new = np.array([0.0, 0.5, 2.0]), np.array([0.0, 0.25, 0.5, 0.875, 1.25, 2.0])
    a, x = rng.normal(size=(2, 5)), np.linspace(0.01, 1.99, 37)
    assert np.allclose(values(new, Transfer(old, new, 5, 7)(a), x), values(old, a, x), atol=1e-12)


def test_joined_cells_keep_derivatives_at_their_ends():
    rng = np.random.default_rng(0)
    old, new = np.array([0.0, 0.5, 0.75, 1.0, 3.0]), np.array([0.0, 1.0, 3.0])
    a = rng.normal(size=(4, 6))
    joined = Transfer(old, new, 6, 6)(a, 2)
    for x in (0.0, 1.0 - 1e-12):
        for order in (0, 1):
            at = np.array([x])
            assert values(new, joined, at, order) == pytest.approx(values(old, a, at, order), abs=1e-8)
    assert np.allclose(joined[1], a[3])
    # A polynomial of the joined cell comes back as it was.
    smooth = Transfer(new, old, 6, 6)(rng.normal(size=(2, 6)))
    again = Transfer(new, old, 6, 6)(Transfer(old, new, 6, 6)(smooth, 2))
    assert np.allclose(again, smooth)


@pytest.mark.parametrize("name", ["burgers-front", "sine-gordon", "bbm"])
def test_rows_are_the_derivative_of_the_residual(name):
    """Σ_p B_p δ_p = d/ds F(y + s δ, y′ + s δ′), chains and rows without rates included."""
    problem = lrfm.catalog.get(name)
    (piece,) = integrated(problem, 1e-3)
    system = system_of(problem, piece)
    base, layout = along(system, inner(piece)), layout_of(system, inner(piece))
    mesh, rng = base.steps[0].mesh, np.random.default_rng(0)
    made, times = CellCollocation(layout, mesh), base.times[0] + base.steps[0].length * np.array([0.2, 0.9])
    y, z = base.state(0, times, layout, mesh)
    dy, dz = rng.normal(size=(2, *y.shape)) * np.exp(-np.arange(y.shape[-1]))
    for field, last in zip(system.fields, system.last, strict=True):
        for c in range(system.first[field], last):
            dz[:, c] = dy[:, c + 1]
    found = Applied(made, made.linearizations(times, y, z))(dy[:, None], dz[:, None])[:, :, 0]
    s = 1e-6
    sides = [made.residual(times, y + k * s * dy, z + k * s * dz) for k in (-1, 1)]
    slope = (sides[1] - sides[0]) / (2 * s)
    assert np.linalg.norm(found - slope) < 1e-7 * np.linalg.norm(slope)


def test_many_right_hand_sides_are_what_one_is():
    """All parameters at once are each of them alone, to what the equations are solved to."""
    problem = lrfm.catalog.burgers_front()
    (piece,) = integrated(problem, 1e-6)
    directions = [Direction(name, (name,), seed_of(name)) for name in ("nu", "c")]
    together = cell_tangents(problem, piece, directions, 1e-6)
    x = np.column_stack([np.linspace(-0.9, 0.9, 30), np.linspace(0.05, 0.95, 30)])
    jets = problem.value_jets
    for one, both in zip(directions, together, strict=True):
        (alone,) = cell_tangents(problem, piece, [one], 1e-6)
        ours, theirs = (next(iter(p[0].values(jets, x).values())) for p in (alone, both))
        assert np.linalg.norm(ours - theirs) < 1e-6 * np.linalg.norm(ours)


def test_edges_that_differ_by_rounding_are_one():
    rng = np.random.default_rng(0)
    old, new = np.array([0.0, 0.3, 0.7, 1.0]), np.array([0.0, np.nextafter(0.3, 1), 0.7, 0.85, 1.0])
    a = rng.normal(size=(3, 6))
    moved = Transfer(old, new, 6, 6)(a, 2)
    assert moved.shape == (4, 6)
    assert np.allclose(moved[:2], a[:2], atol=1e-12)
