# SPDX-License-Identifier: MIT
"""Several materials in the plane, against exact solutions: claims are made, and true."""

import sys
from pathlib import Path

import numpy as np
import pytest

import lrfm
from lrfm.discretize.evolution import Unsuited
from lrfm.discretize.options import PLANE, Options
from lrfm.discretize.plane.constraint import PlaneSystem
from lrfm.discretize.plane.galerkin import PlaneGalerkin
from lrfm.rows.plane_steps import PlaneSteps
from lrfm.solution.reference import grid_points, true_error
from lrfm.solver.formulations.plane import PlaneFormulation
from lrfm.spaces.cells.plane.layered import LayeredOutline
from lrfm.spaces.cells.plane.mesh import PlaneMesh
from lrfm.spaces.cells.plane.space import PlaneCells

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
from layered import flat

HOLE = lrfm.Disk(radius=0.3)
CABLE = lrfm.Layers(wire=HOLE, coat=lrfm.Box(x=(-1, 1), y=(-0.6, 0.6)) - HOLE)
HALVES = lrfm.Layers(left=lrfm.Box(x=(0, 0.4), y=(0, 1)), right=lrfm.Box(x=(0.4, 1), y=(0, 1)))
THREE = lrfm.Layers(
    floor=lrfm.Box(x=(0, 1), y=(0, 1)), left=lrfm.Box(x=(0, 0.5), y=(1, 2)), right=lrfm.Box(x=(0.5, 1), y=(1, 2))
)  # fmt: skip


@pytest.mark.parametrize(
    ("domain", "lengths"),
    [
        (CABLE, {"wire|coat": 0.6 * np.pi, "coat.x-": 1.2, "coat.y+": 2.0}),
        (HALVES, {"left|right": 1.0, "left.y-": 0.4, "right.y-": 0.6, "right.x+": 1.0}),
        (THREE, {"floor|left": 0.5, "floor|right": 0.5, "left|right": 1.0, "floor.y-": 1.0}),
    ],
)
def test_cells_end_at_interfaces(domain, lengths):
    """Areas of layers and lengths of parts; every face of the boundary belongs to one."""
    outline = LayeredOutline(domain, PLANE)
    cells = PlaneCells(outline, PlaneMesh.of(outline.low, outline.high, (3, 3)), 5)
    for number, layer in enumerate(domain.layers.values()):
        assert cells.areas[cells.materials == number].sum() == pytest.approx(layer.measure(), abs=1e-11)
    f = cells.faces
    for name, length in lengths.items():
        assert f.weights[f.part == outline.parts.index(name)].sum() == pytest.approx(length, abs=1e-10)
    assert np.all(f.part[f.right < 0] >= 0)
    differ = cells.materials[f.left] != cells.materials[f.right]
    assert np.all((f.part >= 0)[(f.right >= 0)] == differ[f.right >= 0])


def test_two_boxes_and_a_file(tmp_path):
    """Conductivities 100 : 1; the flux is continuous, the slope is not."""
    problem = flat()
    solution = lrfm.solve(problem, tol=1e-4)
    assert isinstance(solution.pieces[0], PlaneSteps)
    assert true_error(solution, grid_points(problem, 21, 5)) <= solution.report.error_estimate <= 1e-4
    beside = 0.4 + np.array([-1e-6, 1e-6])
    one, other = solution.derivative("u_x")(x=beside, y=0.5, t=0.02)
    assert other == pytest.approx(100 * one, rel=1e-2)
    solution.save(tmp_path / "flat.lrfm")
    again = lrfm.load(tmp_path / "flat.lrfm", functions={"statement.initial": problem.initial})
    x = np.linspace(0, 1, 33)
    assert np.array_equal(again(x=x, y=0.3, t=0.01), solution(x=x, y=0.3, t=0.01))


def test_a_resistance_around_a_disc():
    """r² + a in a disc, b log r + c around it, at rest: a source inside, conductivities 2 and 1, a jump that drives the flux."""
    # 2 u_r = 4 r inside, so that 1·b/R = 4R outside, and the jump over the thin resistance is 4R/h.
    R, h = 0.5, 3.0
    b, shift = 4 * R * R, 4 * R / h

    def rest(x, y, t=0.0):
        r = np.hypot(x, y)
        inside = r * r + b * np.log(R) - shift - R * R
        return np.where(r < R, inside, b * np.log(np.maximum(r, R)))

    problem = lrfm.Problem(
        "u_t = k*lap(u) + q",
        domain=lrfm.Layers(core=lrfm.Disk(radius=R), shell=lrfm.Annulus(radii=(R, 1))),
        time=(0, 0.5),
        initial=rest,
        boundary={
            "shell.outer": "u = 0",
            "core|shell": ["k.core*u_n.core = h*(u.shell - u.core)", "jump(k*u_n) = 0"],
        },
        parameters={"k": {"core": 2, "shell": 1}, "q": {"core": -8, "shell": 0}, "h": h},
        reference=rest,
    )
    solution = lrfm.solve(problem, tol=1e-4)
    assert true_error(solution, grid_points(problem, 31, 5)) <= 1e-4
    assert solution.report.solved


@pytest.mark.parametrize("rows", [["u", "u_n"], ["u.left = 2*u.right", "u_n.left + jump(u) = 3*u_n.right"]])
def test_conditions_of_any_weights_are_stable(rows):
    """Eigenvalues of what is discretized have no negative real part, and no imaginary one but rounding for the symmetric pair."""
    problem = lrfm.Problem(
        "u_t = k*lap(u)", domain=HALVES, time=(0, 1), initial="x", boundary={"*": "u = 0", "interface": rows},
        parameters={"k": {"left": 5, "right": 1}},
    )  # fmt: skip
    layout = PlaneFormulation(PlaneSystem(problem)).layout(Options(tol=1e-2))
    layout.check()
    mesh = PlaneMesh.of(layout.outline.low, layout.outline.high, (3, 3))
    pencil = PlaneGalerkin(layout, PlaneCells(layout.outline, mesh, layout.degree)).fixed
    rates, rest = (m.toarray() for m in pencil.matrices)
    found = np.linalg.eigvals(np.linalg.solve(rates, rest))
    assert found.real.min() > 1
    assert np.abs(found.imag).max() < (1e-6 if rows[0] == "u" else 0.1) * np.abs(found).max()


@pytest.mark.parametrize(
    "rows",
    [["u", "2*u.left = u.right + 1"], ["u"], ["u.left + u.right = 0", "k*u_n"]],
    ids=["values", "one", "sign"],
)
def test_interfaces_that_say_too_little(rows):
    problem = lrfm.Problem(
        "u_t = k*lap(u)", domain=HALVES, time=(0, 0.1), initial="0*x", boundary={"*": "u = 0", "interface": rows},
        parameters={"k": {"left": 5, "right": 1}}, verify=False,
    )  # fmt: skip
    layout = PlaneFormulation(PlaneSystem(problem)).layout(Options(tol=1e-2))
    mesh = PlaneMesh.of(layout.outline.low, layout.outline.high, (2, 2))

    def matrices():
        layout.check()
        return PlaneGalerkin(layout, PlaneCells(layout.outline, mesh, layout.degree)).fixed

    if rows[0] == "u" and len(rows) == 2:
        assert matrices().matrices  # two values are conditions as well
    else:
        with pytest.raises(Unsuited, match=r"interface `left\|right`"):
            matrices()


def _exponents(domain, k, boundary="u = 0"):
    problem = lrfm.Problem(
        "u_t = k*lap(u)", domain=domain, time=(0, 1), initial="0*x", boundary=boundary, parameters={"k": k}, verify=False
    )  # fmt: skip
    layout = PlaneFormulation(PlaneSystem(problem)).layout(Options(tol=1e-2))
    return [power for _, power in layout.singular]


def test_exponents_where_layers_meet():
    """A well conducting square in a poor one: 2/3 in the limit; two quarters that face each other: (4/π) atan √(k₂/k₁) (Kellogg 1975)."""
    square = lrfm.Box(x=(0.25, 0.75), y=(0.25, 0.75))
    inside = lrfm.Layers(core=square, rest=lrfm.Box(x=(0, 1), y=(0, 1)) - square)
    assert _exponents(inside, {"core": 1e6, "rest": 1}) == pytest.approx([2 / 3] * 4, abs=3e-3)
    assert _exponents(inside, {"core": 1, "rest": 1}) == []
    corners = {f"{'ab'[i]}{'cd'[j]}": lrfm.Box(x=(i, i + 1), y=(j, j + 1)) for i in (0, 1) for j in (0, 1)}
    k = {name: 9.0 if name in ("ac", "bd") else 1.0 for name in corners}
    assert _exponents(lrfm.Layers(**corners), k) == pytest.approx([4 / np.pi * np.arctan(1 / 3)], abs=3e-3)
    # At the boundary: a value on one side and a flux on the other, around 180 degrees of one material, are r^½.
    halves = lrfm.Layers(left=lrfm.Box(x=(0, 1), y=(0, 1)), right=lrfm.Box(x=(1, 2), y=(0, 1)))
    mixed = {"left.y-": "u = 0", "right.y-": "u_n = 0", "*": "u = 0"}
    assert min(_exponents(halves, {"left": 1, "right": 1}, mixed)) == pytest.approx(0.5, abs=3e-3)


def test_order_four_is_refused_at_wide_corners():
    """Two Poisson problems are not the plate there (Sapondzhyan's paradox)."""
    problem = lrfm.Problem(
        "u_t = -lap(lap(u))", domain=lrfm.Polygon([(0, 0), (0, -1), (-1, -1), (-1, 1), (1, 1), (1, 0)]),
        time=(0, 1), initial="0*x", boundary=["u = 0", "lap(u) = 0"], verify=False,
    )  # fmt: skip
    with pytest.raises(Unsuited, match="too wide"):
        PlaneFormulation(PlaneSystem(problem)).layout(Options(tol=1e-2)).check()
