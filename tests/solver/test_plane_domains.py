# SPDX-License-Identifier: MIT
"""`lrfm.solve` on cells of the plane where the domain moves, or goes around an axis, and where the order is four: exact solutions and claims."""

import numpy as np
import pytest
from scipy.special import jn_zeros, jv

import lrfm
from lrfm.discretize.plane.constraint import PlaneSystem
from lrfm.discretize.plane.dividers import outline_of
from lrfm.discretize.plane.galerkin import PlaneGalerkin
from lrfm.discretize.plane.layout import PlaneLayout
from lrfm.rows.carried import Carried
from lrfm.solution.reference import grid_points, true_error
from lrfm.spaces.cells.plane.mesh import PlaneMesh
from lrfm.spaces.cells.plane.space import PlaneCells

CELLS = lrfm.Lines(space="cells")


def claimed(problem, tol, grid=(21, 5), method=CELLS):
    solution = lrfm.solve(problem, tol=tol, method=method)
    assert true_error(solution, grid_points(problem, *grid)) <= tol
    assert solution.report.error_estimate <= tol
    return solution


def test_a_disc_that_moves_and_grows(tmp_path):
    """Manufactured, u = sin(x + ½) cos y e⁻ᵗ; a file holds the motion."""
    text = "sin(x + 0.5)*cos(y)*exp(-t)"
    problem = lrfm.Problem(
        f"u_t = lap(u) + {text}",
        domain=lrfm.Region(
            "(x - 0.3*t)**2 + y**2 < 0.25*(1 + 0.3*t)**2", x=(-1, 1.2), y=(-1, 1), names=["rim"]
        ),
        time=(0, 1),
        initial="sin(x + 0.5)*cos(y)",
        boundary={"rim": f"u = {text}"},
        reference=lambda x, y, t: np.sin(x + 0.5) * np.cos(y) * np.exp(-t),
    )
    solution = claimed(problem, 1e-3, method="auto")
    assert isinstance(solution.pieces[0], Carried)
    solution.save(tmp_path / "disc.lrfm")
    again = lrfm.load(tmp_path / "disc.lrfm")
    x = np.linspace(-0.2, 0.8, 9)
    assert np.array_equal(again(x=x, y=0.1, t=0.9), solution(x=x, y=0.1, t=0.9))


def test_transport_around_an_axis():
    """sin π(x − t) sin πy, damped: what leaves at x+ comes in at x−."""
    problem = lrfm.Problem(
        "u_t + u_x = 0.1*lap(u)",
        domain=lrfm.Box(x=(0, 2), y=(0, 1)),
        time=(0, 0.5),
        initial="sin(pi*x)*sin(pi*y)",
        boundary={"x": "periodic", "y": "u = 0"},
        reference=lambda x, y, t: np.sin(np.pi * (x - t)) * np.sin(np.pi * y) * np.exp(-0.2 * np.pi**2 * t),
    )
    claimed(problem, 1e-3)


def around(first, *holes):
    """A channel from x = first to first + 2 that goes around, with holes."""
    domain = lrfm.Box(x=(first, first + 2), y=(0, 1))
    for center in holes:
        domain = domain - lrfm.Disk(center=(center, 0.5), radius=0.25, name=f"hole{round(center)}")
    return lrfm.Problem(
        "u_t + 3*u_x = lap(u)",
        domain=domain,
        time=(0, 0.3),
        initial="sin(pi*x)*sin(pi*y)",
        boundary={"x": "periodic", "*": "u = 0"},
        verify=False,
    )


def test_where_a_periodic_axis_is_cut_does_not_matter():
    """Eigenvalues with a hole in the middle, and with the cut through the hole: the cells are the same."""
    found = []
    for problem in (around(0.3, 1.3), around(1.3, 1.3, 3.3)):
        assert problem.periodic == {"x"}
        system = PlaneSystem(problem)
        layout = PlaneLayout(system, outline_of(system), 4)
        layout.check()
        mesh = PlaneMesh.of(layout.outline.low, layout.outline.high, (4, 2))
        cells = PlaneCells(layout.outline, mesh, 4)
        rates, rest = (m.toarray() for m in PlaneGalerkin(layout, cells).fixed.matrices)
        found.append(np.sort_complex(np.linalg.eigvals(np.linalg.solve(rates, rest)))[:6])
    assert np.allclose(found[0], found[1], rtol=1e-8)


@pytest.mark.parametrize(
    ("boundary", "said"),
    [
        ({"x": "periodic", "x-": "u = 0", "*": "u = 0"}, "either the one or the other"),
        ({"hole1": "periodic", "*": "u = 0"}, "two straight ends that are alike"),
    ],
)
def test_what_cannot_go_around(boundary, said):
    with pytest.raises(lrfm.ProblemError, match=said):
        around(0.3, 1.3).replace(boundary=boundary)


def test_only_cells_know_a_shape_that_goes_around():
    with pytest.raises(lrfm.ProblemError, match="cells of the plane alone know"):
        lrfm.solve(around(0.3, 1.3), tol=1e-2, method=lrfm.SpaceTime())


def test_a_simply_supported_plate_relaxes():
    k = jn_zeros(0, 1)[0]
    problem = lrfm.Problem(
        "u_t = -lap(lap(u))",
        domain=lrfm.Disk(),
        time=(0, k**-4),
        initial=lambda x, y: jv(0, k * np.hypot(x, y)),
        boundary=["u = 0", "lap(u) = 0"],
        reference=lambda x, y, t: jv(0, k * np.hypot(x, y)) * np.exp(-(k**4) * t),
    )
    assert claimed(problem, 1e-3, method="auto").report.parts["degree"] == "5"


def test_a_clamped_plate_at_rest_under_a_load():
    """(1 − r²)²/64 under one, x (1 − r²)²/192 under x, which polynomials of degree five hold."""
    problem = lrfm.Problem("lap(lap(u)) = 1 + x", domain=lrfm.Disk(), boundary=["u = 0", "u_n = 0"])
    found = lrfm.steady(problem, tol=1e-3)
    x, y = np.array([0.0, 0.3, -0.6]), np.array([0.1, 0.5, -0.4])
    exact = (1 - x * x - y * y) ** 2 * (1 / 64 + x / 192)
    assert found(x=x, y=y) == pytest.approx(exact, rel=1e-9)
    assert found.report.error_estimate <= 1e-3


@pytest.mark.thorough
@pytest.mark.slow
def test_phases_separate_in_a_disc():
    """Cahn and Hilliard: what there is of u stays."""
    problem = lrfm.Problem(
        "u_t = lap(u**3 - u) - 0.02*lap(lap(u))",
        domain=lrfm.Disk(),
        time=(0, 0.1),
        initial="0.1 + 0.2*(1 - x**2 - y**2)**2*(1 + y)",
        boundary=["u_n = 0", "u_xxn + u_yyn = 0"],
    )
    solution = lrfm.solve(problem, tol=1e-3)
    assert solution.report.solved
    rule = problem.domain.quadrature(800)
    mass = [rule.weights @ solution(x=rule.points[:, 0], y=rule.points[:, 1], t=t) for t in (0.0, 0.1)]
    assert mass[1] == pytest.approx(mass[0], rel=1e-3)
