# SPDX-License-Identifier: MIT
"""Discontinuous Galerkin on cells of the plane: polynomials satisfy the weak rows, matrices are derivatives of residuals, symmetric and stable."""

import numpy as np
import pytest

import lrfm
from lrfm.discretize.evolution import EvolutionSystem, Unsuited
from lrfm.discretize.options import PLANE, Options
from lrfm.discretize.plane.blocks import Blocks
from lrfm.discretize.plane.galerkin import PlaneGalerkin
from lrfm.discretize.plane.layout import PlaneLayout
from lrfm.discretize.plane.pencil import SparsePencil
from lrfm.discretize.plane.weak import weak
from lrfm.integrate.schemes.tableaus import radau
from lrfm.linalg.deadline import deadline
from lrfm.linalg.nearby import krylov
from lrfm.solver.formulations.plane import PlaneFormulation, PlaneSystem
from lrfm.spaces.cells.plane.mesh import PlaneMesh
from lrfm.spaces.cells.plane.outline import Outline
from lrfm.spaces.cells.plane.space import PlaneCells

PLATE = lrfm.Box(x=(-1, 1), y=(-1, 1), name="plate") - lrfm.Disk(radius=0.4, name="hole")
# u = x² − xy + 2y + t in all of them: a polynomial that cells hold exactly.
STATED = {
    "heat": ("u_t = lap(u) - 1", {"hole": "u = x**2 - x*y + 2*y + t", "plate": "u = x**2 - x*y + 2*y + t"}),
    "flux": (
        "u_t = lap(u) - 1",
        {
            "hole": "u_n = 3*u - 3*(x**2 - x*y + 2*y + t) - (x*(2*x - y) + y*(2 - x))/0.4",
            "plate": "u = x**2 - x*y + 2*y + t",
        },
    ),
    "carried": (
        "u_t + (1 + y)*u_x - x*u_y = 0.1*lap(u) + 1 + (1 + y)*(2*x - y) - x*(2 - x) - 0.2",
        {"*": "u = x**2 - x*y + 2*y + t"},
    ),
    "varying": (
        "u_t = diff((2 + x)*u_x, x) + diff((2 + x)*u_y, y) + 1 - (2*x - y) - 2*(2 + x)",
        {"*": "u = x**2 - x*y + 2*y + t"},
    ),
    "mixed": (
        "u_t = 2*u_xx + u_xy + u_yy + u**2 - (x**2 - x*y + 2*y + t)**2 - 2",
        {"*": "u = x**2 - x*y + 2*y + t"},
    ),
    "nonlinear": (
        "u_t = diff(u*u_x, x) + diff(u*u_y, y) + 1 - (2*x - y)**2 - (2 - x)**2 - 2*(x**2 - x*y + 2*y + t)",
        {"*": "u = x**2 - x*y + 2*y + t"},
    ),
}  # fmt: skip


def made(name, degree=4, grid=(7, 7)):
    equation, boundary = STATED[name]
    problem = lrfm.Problem(
        equation,
        domain=PLATE,
        time=(0, 1),
        initial="x**2 - x*y + 2*y",
        boundary=boundary,
        check_corners=False,
    )
    system = EvolutionSystem(problem)
    found = Outline(problem.domain.shape, PLANE)
    layout = PlaneLayout(system, found, degree)
    layout.check()
    mesh = PlaneMesh.of(found.low - 0.11, found.high + 0.07, grid)
    return PlaneGalerkin(layout, PlaneCells(found, mesh, degree))


def state(discretization, t):
    exact = lambda p: np.stack([p[:, 0] ** 2 - p[:, 0] * p[:, 1] + 2 * p[:, 1] + t])  # noqa: E731
    return discretization.mesh.project(exact), discretization.mesh.project(lambda p: np.ones((1, len(p))))


@pytest.mark.parametrize("name", STATED)
def test_a_polynomial_solution_satisfies_all_rows(name):
    # Up to the error of Gauss points on arcs, which is small with ten of them.
    discretization = made(name, degree=7, grid=(5, 5))
    y, z = state(discretization, 0.3)
    residual = discretization.residual(np.array([0.3]), y[None], z[None])
    size = np.abs(discretization.residual(np.array([0.3]), 1.1 * y[None], z[None])).max()
    assert np.abs(residual).max() < 1e-7 * size


@pytest.mark.parametrize("name", STATED)
def test_matrices_are_derivatives_of_residuals(name):
    discretization = made(name, degree=2, grid=(3, 3))
    rng = np.random.default_rng(0)
    y, z = state(discretization, 0.3)
    y = y + 0.1 * rng.normal(size=y.shape) if name == "heat" else y
    dy, dz = (rng.normal(size=y.shape) for _ in range(2))
    pencil = discretization.linearize(0.3, y, z)
    step, t = 1e-6, np.array([0.3])
    change = [discretization.residual(t, (y + s * dy)[None], (z + s * dz)[None])[0] for s in (-step, step)]
    found = (change[1] - change[0]) / (2 * step)
    expected = pencil.matrices[0] @ discretization.gather(dz) + pencil.matrices[1] @ discretization.gather(dy)
    # Where a depends on u, its slope in what multiplies jumps is left out: these vanish with the error.
    near = 2e-2 if name == "nonlinear" else 1e-6
    assert np.linalg.norm(found - expected) < near * np.linalg.norm(expected)


def test_diffusion_is_symmetric_positive_and_the_mass_matrix_one():
    discretization = made("heat", degree=3, grid=(4, 4))
    mass, stiff = (m.toarray() for m in discretization.fixed.matrices)
    assert np.abs(mass - np.eye(len(mass))).max() < 1e-10
    areas = np.empty(discretization.size)
    areas[discretization.places] = discretization.mesh.areas[:, None, None]
    scaled = areas[:, None] * stiff
    assert np.abs(scaled - scaled.T).max() < 1e-9 * np.abs(scaled).max()
    values = np.linalg.eigvalsh(0.5 * (scaled + scaled.T) / np.sqrt(np.outer(areas, areas)))
    assert values[0] > 0
    # Of −lap on the plate with a hole the least eigenvalue is near that of its cells.
    assert values[0] == pytest.approx(18.0, rel=0.2)


def test_transport_does_not_grow():
    problem = lrfm.Problem(
        "u_t + y*u_x - x*u_y = 0", domain=lrfm.Disk(), time=(0, 1), initial="x", boundary={"*": None}
    )
    system = EvolutionSystem(problem)
    found = Outline(problem.domain.shape, PLANE)
    layout = PlaneLayout(system, found, 4)
    space = PlaneCells(found, PlaneMesh.of(found.low - 0.1, found.high + 0.05, (3, 3)), 4)
    _, matrix = (m.toarray() for m in PlaneGalerkin(layout, space).fixed.matrices)
    assert np.real(np.linalg.eigvals(-matrix)).max() < 1e-9 * np.abs(matrix).max()


def test_second_derivatives_become_divergences():
    problem = lrfm.Problem(
        "u_t = diff((1 + x*y)*u_x, x) + diff((1 + x*y)*u_y, y)", domain=lrfm.Disk(), time=(0, 1), initial="0", boundary="u = 0"
    )  # fmt: skip
    found = weak(EvolutionSystem(problem).equations[0])
    assert [jet.index for jet in found.source.jets] == [(0, 0, 1)]
    assert len(found.diffusions) == 1


def test_what_is_not_held_gets_a_sentence():
    problem = lrfm.Problem(
        "u_t = -lap(lap(u))", domain=lrfm.Disk(), time=(0, 1), initial="0", boundary=["u = 0", "u_n = 0"]
    )
    with pytest.raises(Unsuited, match="second order"):
        PlaneLayout(EvolutionSystem(problem), Outline(problem.domain.shape, PLANE), 4).check()


def test_factors_of_a_matrix_nearby_solve():
    rng = np.random.default_rng(0)
    positive = np.diag(10.0 ** rng.uniform(-2, 4, 60))
    near, wanted = np.linalg.inv(np.eye(60) + 0.3 * positive), np.eye(60) + positive
    right = rng.normal(size=60)
    found, count = krylov(lambda v: near @ (wanted @ v), near @ right, 1e-10, 40)
    assert np.linalg.norm(near @ (wanted @ found - right)) < 1e-9 * np.linalg.norm(near @ right)
    assert count < 25


def test_real_factors_serve_complex_shifts():
    """A(s) z = r for the shifts of Radau IIA by the factors of a real one: |z| as exact as Newton's method needs it, at any step size."""
    discretized = made("heat", degree=3, grid=(4, 4))
    pencil, right = discretized.fixed, np.random.default_rng(0).normal(size=discretized.size)
    for shift in np.outer([1e-6, 3e-3, 1.0], radau(5).eigenvalues).ravel():
        found = pencil.at(shift)(right)
        wanted = np.linalg.solve(sum(shift**p * m.toarray() for p, m in enumerate(pencil.matrices)), right)
        assert np.linalg.norm(found - wanted) < PLANE.rate * np.linalg.norm(wanted)
    assert not any(np.imag(shift) for shift in pencil._kept)


def jumping(equation, **more):
    k = {"k": "where(x + 0.3*y < 0.6, 1, 100)"}
    box = lrfm.Box(x=(0, 1), y=(0, 1))
    return lrfm.Problem(
        equation, domain=box, time=(0, 1), initial="0", boundary="u = x", parameters=k, **more
    )


def test_a_flux_that_jumps_is_a_divergence():
    """diff(k u_x, x) + diff(k u_y, y) holds δ(g) [k ∇u]·∇g, all of which is in div(k ∇u): nothing is left of it but k on both sides."""
    found = weak(PlaneSystem(jumping("u_t = diff(k*u_x, x) + diff(k*u_y, y)")).equations[0])
    assert [jet.index for jet in found.source.jets] == [(0, 0, 1)]
    ((own, other), _) = found.diffusions[0].tensor
    points = np.array([[0.1, 0.1, 0.0], [0.9, 0.9, 0.0]])
    np.testing.assert_array_equal(own.residual_of(own.known(points), {}), [1, 100])
    assert not other.jets
    # Without the divergence u and its slope are continuous, and the row is divided by k.
    plain = weak(PlaneSystem(jumping("u_t = k*lap(u)")).equations[0])
    np.testing.assert_array_equal(np.asarray(plain.diffusions[0].tensor[0][0].residual_of(own.known(points), {})), 1)  # fmt: skip


@pytest.mark.parametrize(
    "equation", ["u_t = diff(k*u_x, x) + k*u_yy", "u_t = lap(u) + diff(k*u_x, x) - 2*k*u_xx"]
)
def test_a_jump_that_is_no_flux_of_all_second_derivatives_is_refused(equation):
    with pytest.raises(Unsuited, match="not the flux"):
        weak(PlaneSystem(jumping(equation)).equations[0])


def test_others_refuse_fluxes_that_jump():
    problem = jumping("u_t = diff(k*u_x, x) + diff(k*u_y, y)")
    with pytest.raises(Unsuited, match="cells of the plane alone"):
        EvolutionSystem(problem)
    with pytest.raises(lrfm.ProblemError, match="rows of one point"):
        lrfm.solve(problem, tol=1e-3, method="space-time")
    with pytest.raises(lrfm.ProblemError, match="jumps along"):
        jumping("u_t = lap(u) + diff(k, x)")


@pytest.mark.parametrize(
    ("equations", "start", "boundary"),
    [
        (["u_t = lap(u) + v", "v_t = lap(v) + u_x"], {"u": "x", "v": "y"}, ["u = 0", "v = 0"]),
        (
            ["u_t + p_x = lap(u)", "v_t + p_y = lap(v)", "u_x + v_y = 0"],
            {"u": "y", "v": "-x"},
            ["u = y", "v = -x"],
        ),
    ],
)
def test_entries_are_in_the_order_of_a_sparse_matrix_by_columns(equations, start, boundary):
    """Of two fields alike, and of a pressure of a degree less, which couples to some of the others alone."""
    problem = lrfm.Problem(equations, domain=lrfm.Disk(), time=(0, 1), initial=start, boundary=boundary)
    adapter = PlaneFormulation(PlaneSystem(problem)).adapter(Options(tol=1e-1))
    made = adapter.discretize(adapter.initial()[0])
    shape, n = (len(made.block_rows), made.functions, made.functions), made.functions
    numbers = [
        [np.broadcast_to(v, shape).ravel() for v in (made.places[made.block_rows, i][:, :, None], made.places[made.block_columns, j][:, None])]
        for i, j in made.coupled
    ]  # fmt: skip
    row, column = np.concatenate(numbers, axis=1)
    there = np.flatnonzero((row < made.size) & (column < made.size))
    order = there[np.lexsort([row[there], column[there]])]
    assert len(made.coupled) * shape[0] * n * n == len(row)
    for found, exact in zip((made.rows, made.columns, made.entries), (row[order], column[order], order), strict=True):  # fmt: skip
        np.testing.assert_array_equal(found, exact)


def test_matrices_look_at_the_clock_between_their_parts():
    """With 10⁷ entries each part takes up to a second, all of them six, and a limit of five seconds was exceeded twofold."""
    discretization, looks = made("varying", degree=2, grid=(3, 3)), []

    def during(work):
        looks.clear()
        found = work()
        return len(looks), found

    with deadline(lambda *ahead: looks.append(ahead)):
        assert during(lambda: discretization.entries)[0] == 2
        count, values = during(Blocks(discretization).values)
        assert count == 1
        pencil = SparsePencil(discretization, values)
        assert during(lambda: pencil.matrices)[0] == 2
        assert during(lambda: pencil._blocks)[0] == 2


def test_one_cell_has_no_neighbors():
    """A disc in one box: matrices have one block, and u = x is held by its own values on the boundary."""
    problem = lrfm.Problem("u_t = lap(u)", domain=lrfm.Disk(), time=(0, 1), initial="x", boundary="u = x")
    form = PlaneFormulation(PlaneSystem(problem))
    layout = form.layout(Options(tol=1e-2))
    mesh = PlaneCells(form.outline, PlaneMesh.of(form.outline.low, form.outline.high, (1, 1)), layout.degree)
    alone = PlaneGalerkin(layout, mesh)
    y = mesh.project(lambda points: points[:, :1].T)
    pencil = alone.linearize(0.0, y, np.zeros_like(y))
    assert np.abs(alone.residual(np.zeros(1), y[None], np.zeros_like(y)[None])).max() < 1e-8
    assert np.abs(pencil.rates(np.ones(alone.size)) - 1).max() < 1e-8


def test_fill_is_foreseen():
    """Entries of factors by the order of elimination: those of SuperLU are some percent fewer, without zeros of blocks."""
    discretization = made("heat", grid=(15, 15))
    solver, y = discretization.solver, np.zeros((1, discretization.mesh.size, discretization.functions))
    foreseen, pencil = solver._fill, discretization.linearize(0.0, y, y)
    solver.factor(pencil.entries(0) + 0.01 * pencil.entries(1))
    assert 0.85 * foreseen < solver._fill < foreseen


def test_a_step_without_factors_is_one_with_factors(monkeypatch):
    """All stages of Radau IIA at once, as near as the step needs it: cycles of each shift, and one Krylov space with factors."""
    shifts = [0.03 * s for s in radau(5).eigenvalues]
    shifts = [complex(s) if s.imag else float(s.real) for s in shifts]
    found, goal = [], 1e-4
    for without in (False, True):
        monkeypatch.setattr(PlaneGalerkin, "iterative", without)
        own = made("heat")
        y, z = state(own, 0.0)
        pencil = own.linearize(0.0, y, z)
        right = np.tile(own.gather(y), (len(shifts), 1)).astype(complex)
        sizes: list[float] = []
        together = pencil.together(shifts, lambda parts, sizes=sizes: sizes.append(len(parts)) or goal)
        found.append(np.stack([own.scatter(np.real(z)) for z in together(right)]))
        assert set(sizes) == {len(shifts)}
    assert np.linalg.norm(found[0] - found[1]) < goal * np.linalg.norm(found[0])


@pytest.mark.parametrize(
    ("equations", "inert"),
    [
        (["u_t + u*u_x = lap(u)"], True),
        (["(2 + sin(x))*u_t = lap(u) + u**2"], True),
        (["(2 + sin(t))*u_t = lap(u) + u**2"], False),
        (["(1 + u**2)*u_t = lap(u)"], False),
        (
            ["u_t + u*u_x + v*u_y = -p_x + lap(u)", "v_t + u*v_x + v*v_y = -p_y + lap(v)", "u_x + v_y = 0"],
            True,
        ),
    ],
)
def test_what_stands_before_rates_is_made_once_where_it_stays(equations, inert):
    """B₀ of a second state is that of a discretization that has seen no other."""
    problem = lrfm.Problem(
        equations,
        domain=PLATE,
        time=(0, 1),
        initial={f: "0" for f in "uv"[: 1 + len(equations) // 2]},
        boundary={"*": [f"{f} = 0" for f in "uv"[: 1 + len(equations) // 2]]},
    )
    form = PlaneFormulation(PlaneSystem(problem))
    adapter = form.adapter(Options(tol=1e-1))
    mesh, y = adapter.initial()
    rng = np.random.default_rng(1)
    one, other = (rng.standard_normal(y.shape) for _ in range(2))
    seen, fresh = (PlaneGalerkin(adapter.layout, mesh) for _ in range(2))
    first, second = seen.linearize(0.0, one, one), seen.linearize(0.5, other, one)
    assert seen.inert == inert
    assert (second.entries(0) is first.entries(0)) == inert
    vector = rng.standard_normal(seen.size)
    assert np.array_equal(second.apply(vector, 0), fresh.linearize(0.5, other, one).apply(vector, 0))
