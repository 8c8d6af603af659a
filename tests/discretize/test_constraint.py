# SPDX-License-Identifier: MIT
"""Velocity and pressure on cells of the plane: polynomials satisfy the weak rows, gradient and divergence are adjoint, orders k + 1 and k."""

import numpy as np
import pytest

import lrfm
from lrfm.discretize.evolution import Unsuited
from lrfm.discretize.options import PLANE
from lrfm.discretize.plane.constraint import PlaneSystem
from lrfm.discretize.plane.galerkin import PlaneGalerkin
from lrfm.discretize.plane.layout import PlaneLayout
from lrfm.discretize.plane.projection import Leray
from lrfm.spaces.cells.plane.mesh import PlaneMesh
from lrfm.spaces.cells.plane.outline import Outline
from lrfm.spaces.cells.plane.space import PlaneCells

PLATE = lrfm.Box(x=(-1, 1), y=(-1, 1), name="plate") - lrfm.Disk(radius=0.4, name="hole")
# u = y² + tx, v = x² − ty, p = xy in all of them: polynomials that cells hold exactly.
FIXED = ["u = y**2 + t*x", "v = x**2 - t*y"]
ENDS = {
    "walls": {"*": FIXED},
    "outlet": {"plate.x+": ["p = 0.5*u_n + x*y - 0.5*t", "v_n = 2*x"], "*": FIXED},
    "pressure": {"plate.x+": ["p = x*y", "v = x**2 - t*y"], "*": FIXED},
    "slip": {"plate.y-": ["v = x**2 - t*y", "u_n = -2*y"], "*": FIXED},
}
CARRIED = ("(y**2 + t*x)*t + (x**2 - t*y)*2*y", "(y**2 + t*x)*2*x - (x**2 - t*y)*t")


def stated(ends="walls", inertia=1):
    return lrfm.Problem(
        [
            f"u_t + {inertia}*(u*u_x + v*u_y) = -p_x + 0.5*lap(u) + x + y - 1 + {inertia}*({CARRIED[0]})",
            f"v_t + {inertia}*(u*v_x + v*v_y) = -p_y + 0.5*lap(v) - y + x - 1 + {inertia}*({CARRIED[1]})",
            "u_x + v_y = 0",
        ],
        domain=PLATE,
        time=(0, 1),
        initial={"u": "y**2", "v": "x**2"},
        boundary=ENDS[ends],
        check_corners=False,
    )


def made(problem, degree, grid, shift=0.11):
    system, found = PlaneSystem(problem), Outline(problem.domain.shape, PLANE)
    layout = PlaneLayout(system, found, degree)
    layout.check()
    mesh = PlaneMesh.of(found.low - shift, found.high + 0.6 * shift, grid)
    return PlaneGalerkin(layout, PlaneCells(found, mesh, degree))


def state(discretization, t):
    fields = discretization.system.fields

    def at(**by):
        return discretization.mesh.project(lambda p: np.stack([by[f](*p.T) + 0 * p[:, 0] for f in fields]))

    return at(u=lambda x, y: y**2 + t * x, v=lambda x, y: x**2 - t * y, p=lambda x, y: x * y), at(
        u=lambda x, y: x, v=lambda x, y: -y, p=lambda x, y: 0
    )


@pytest.mark.parametrize("ends", ENDS)
def test_a_polynomial_flow_satisfies_all_rows(ends):
    discretization = made(stated(ends), 6, (3, 3))
    y, z = state(discretization, 0.3)
    residual = discretization.residual(np.array([0.3]), y[None], z[None])
    size = np.abs(discretization.residual(np.array([0.3]), 1.1 * y[None], z[None])).max()
    assert np.abs(residual).max() < 1e-7 * size


def test_an_open_end_in_any_direction():
    """Across the side with n = (1, 1)/√2 u = y, v = x, p = ν satisfy  ν ∂u/∂n = p n."""
    shape = lrfm.Polygon([(0, 0), (1, 0), (0, 1)], name="corner")
    problem = lrfm.Problem(
        ["u_t + p_x = 0.3*lap(u)", "v_t + p_y = 0.3*lap(v)", "u_x + v_y = 0"],
        domain=shape,
        time=(0, 1),
        initial={"u": "y", "v": "x"},
        boundary={"corner.side2": "outflow", "*": ["u = y", "v = x"]},
        check_corners=False,
    )
    discretization = made(problem, 3, (3, 3))
    assert discretization.layout.undetermined == []
    values = {"u": lambda x, y: y, "v": lambda x, y: x, "p": lambda x, y: 0.3 + 0 * x}
    fields = discretization.system.fields
    y = discretization.mesh.project(lambda p: np.stack([values[f](*p.T) for f in fields]))
    rows = discretization.residual(np.array([0.0]), y[None], 0 * y[None])
    assert (
        np.abs(rows).max()
        < 1e-10 * np.abs(discretization.residual(np.array([0.0]), 2 * y[None], y[None])).max()
    )


@pytest.mark.parametrize("ends", ENDS)
@pytest.mark.parametrize("inertia", [0, 1])
def test_matrices_are_derivatives_of_residuals(ends, inertia):
    discretization = made(stated(ends, inertia), 2, (3, 3))
    rng = np.random.default_rng(0)
    y, z = state(discretization, 0.3)
    dy, dz = (discretization.scatter(rng.normal(size=discretization.size)) for _ in range(2))
    pencil = discretization.linearize(0.3, y, z)
    step, t = 1e-6, np.array([0.3])
    change = [discretization.residual(t, (y + s * dy)[None], (z + s * dz)[None])[0] for s in (-step, step)]
    found = (change[1] - change[0]) / (2 * step)
    # Rows are divided by their lowest power: the first matrix has the rates of the velocity, and the velocity in its constraint.
    low = discretization.lowest == 0
    (b0, b1), rates, values = pencil.matrices, discretization.gather(dz), discretization.gather(dy)
    expected = discretization.balanced(np.where(low, b0 @ rates + b1 @ values, b0 @ values))
    assert np.linalg.norm(found - expected) < 1e-6 * np.linalg.norm(expected)


@pytest.mark.parametrize("ends", ["walls", "outlet"])
def test_gradient_and_divergence_are_adjoint_and_only_a_constant_is_not_felt(ends):
    discretization = made(stated(ends, 0), 3, (4, 4))
    pressure = discretization.system.fields.index("p")
    at = discretization.places[:, pressure]
    at = at[at < discretization.size]
    moving = np.setdiff1d(np.arange(discretization.size), at)
    areas = np.empty(discretization.size + 1)
    areas[discretization.places] = discretization.mesh.areas[:, None, None]
    b0, b1 = (m.toarray() for m in discretization.fixed.matrices)
    gradient = areas[moving][:, None] * b1[np.ix_(moving, at)]
    divergence = areas[at][:, None] * b0[np.ix_(at, moving)]
    assert np.abs(gradient + divergence.T).max() < 1e-12 * np.abs(gradient).max()
    root = np.sqrt(areas)
    values = np.linalg.svd(gradient / root[moving][:, None] / root[at], compute_uv=False)
    unfelt = 1 if ends == "walls" else 0
    assert np.sum(values < 1e-10 * values[0]) == unfelt
    assert values[-1 - unfelt] > 0.01 * values[0]  # inf-sup: pressures that are hardly felt would oscillate
    assert [discretization.system.components[c][0] for c in discretization.layout.undetermined] == [
        "p"
    ] * unfelt


U, V, P = "sin(2*x)*cos(2*y)", "-cos(2*x)*sin(2*y)", "exp(x)*sin(2*y)"
STEADY = lrfm.Problem(
    [
        f"u_t + p_x = lap(u) + 8*{U} + {P}",
        f"v_t + p_y = lap(v) + 8*({V}) + 2*exp(x)*cos(2*y)",
        "u_x + v_y = 0",
    ],
    domain=PLATE,
    time=(0, 1),
    initial={"u": U, "v": V},
    boundary={"*": [f"u = {U}", f"v = {V}"]},
    check_corners=False,
)


def steady_errors(degree, boxes):
    """Relative L² errors of steady Stokes flow: of velocity and of pressure without its mean."""
    discretization = made(STEADY, degree, (boxes, boxes), 0.011)
    fixed, low = discretization.fixed, discretization.lowest[discretization.rows] == 0
    matrix = np.where(low, fixed.entries(1), fixed.entries(0))
    found = discretization.scatter(discretization.solver.factor(matrix)(-discretization.steady_load[0]))
    fine = PlaneCells(discretization.layout.outline, discretization.mesh.mesh, degree + 2)
    gaps, sizes = np.zeros(2), np.zeros(2)
    for batch in fine.batches:
        x, y = places = batch.points.reshape(-1, 2).T
        weights = (batch.weights * fine.shares[batch.cells][:, None]).ravel()
        values = dict(
            zip(discretization.system.fields, discretization.mesh.values(found, places.T), strict=True)
        )
        exact = {
            "u": np.sin(2 * x) * np.cos(2 * y),
            "p": np.exp(x) * np.sin(2 * y),
        }  # p is odd in y: mean zero
        gaps += [(values[f] - exact[f]) ** 2 @ weights for f in "up"]
        sizes += [exact[f] ** 2 @ weights for f in "up"]
    return np.sqrt(gaps / sizes)


@pytest.mark.parametrize("degree", [2, 3])
def test_velocity_and_pressure_converge(degree):
    coarse, fine = (steady_errors(degree, boxes) for boxes in (4, 8))
    orders = np.log2(coarse / fine)
    assert orders[0] > degree + 0.8
    assert orders[1] > degree - 0.2
    assert fine[0] < {2: 4e-3, 3: 3e-4}[degree]


def test_a_velocity_is_projected():
    discretization = made(stated(), 3, (4, 4))
    y, z = state(discretization, 0.3)
    rng = np.random.default_rng(1)
    moved = y + 0.1 * rng.normal(size=y.shape)
    found, rates = Leray().solenoidal(discretization, 0.3, moved, 0.1 * rng.normal(size=y.shape))
    pressure = discretization.system.fields.index("p")
    at = discretization.places[:, pressure]
    at = at[at < discretization.size]

    def lacking(values):
        return discretization.residual(np.array([0.3]), values[None], 0 * values[None])[0][at]

    assert np.abs(lacking(found)).max() < 1e-9 * np.abs(lacking(moved)).max()
    again, _ = Leray().solenoidal(discretization, 0.3, found, rates)
    assert np.abs(again - found).max() < 1e-9
    # The given velocity on the boundary moves on: so does the constraint, and the rates with it.
    later = found + 0.1 * rates
    gap = discretization.residual(np.array([0.4]), later[None], rates[None])[0][at]
    assert np.abs(gap).max() < 1e-6 * np.abs(lacking(later)).max()
    # The nearest one: what was taken away is orthogonal to all velocities that satisfy the constraint.
    other, _ = Leray().solenoidal(discretization, 0.3, y + 0.1 * rng.normal(size=y.shape), z)
    keep = [i for i in range(3) if i != pressure]
    product = np.einsum("fks,fks,k->", (moved - found)[keep], (other - found)[keep], discretization.shares)
    assert abs(product) < 1e-9


@pytest.mark.parametrize("ends", ["walls", "outlet"])
def test_a_projection_takes_factors_of_the_pressure_alone(ends):
    """[M G; D 0] with a diagonal M: the same solution as by factors of all unknowns, which are not asked for."""
    discretization = made(stated(ends), 3, (4, 4))
    y, z = state(discretization, 0.3)
    pencil = discretization.linearize(0.3, y, z)
    pressure = discretization.places[:, discretization.system.fields.index("p")]
    at = np.isin(np.arange(discretization.size), pressure)
    gradient = np.where(at[discretization.columns] & ~at[discretization.rows], pencil.entries(1), 0.0)
    whole = discretization.solver.factor(pencil.entries(0) + gradient)
    right = discretization.balanced(np.random.default_rng(3).normal(size=discretization.size))
    expected = discretization.scatter(whole(right))
    discretization.__dict__["solver"] = None
    solve, _ = Leray()._factors(discretization, 0.3, y, z)
    found = discretization.scatter(solve(right))
    assert np.abs(found - expected).max() < 1e-9 * np.abs(expected).max()


@pytest.mark.parametrize(
    ("equations", "ends", "said"),
    [
        (["u_t + p = lap(u)", "v_t + p_y = lap(v)", "u_x + v_y = 0"], FIXED, "its gradient"),
        (["u_t + p_x = lap(u)", "v_t + p_y = lap(v)", "(1 + x**2)*u_x + v_y = 0"], FIXED, "divergence with numbers"),
        (["u_t + p_x = 0", "v_t + p_y = 0", "u_x + v_y = 0"], FIXED, "no viscosity"),
        (["u_t + p_x = lap(u)", "v_t + p_y = lap(v)", "u_x + v_y = 0"], [*FIXED, "p = 0"], "one too many"),
    ],
    ids=["no gradient", "no divergence", "inviscid", "overdetermined"],
)  # fmt: skip
def test_what_is_no_flow_with_a_pressure_gets_a_sentence(equations, ends, said):
    problem = lrfm.Problem(
        equations, domain=PLATE, time=(0, 1), initial={"u": "0", "v": "0"}, boundary={"*": ends}, check_corners=False
    )  # fmt: skip
    with pytest.raises(Unsuited, match=said):
        made(problem, 3, (3, 3))
