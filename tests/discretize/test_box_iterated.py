# SPDX-License-Identifier: MIT
"""Boxes without a matrix: GMRES with a separable operator solves what the matrix solves, in as many iterations for many modes as for few."""

import numpy as np
import pytest

import lrfm
from lrfm.discretize.box.form import BoxForm
from lrfm.discretize.box.galerkin import BoxGalerkin
from lrfm.discretize.box.iterated import IteratedPencil
from lrfm.discretize.evolution import EvolutionSystem
from lrfm.spaces.series import Modes

TRAP = "1j*psi_t = -0.5*lap(psi) + 0.5*(x**2 + 3*y**2)*psi"
ELASTIC = ["u_tt = 2*u_xx + u_yy + v_xy", "v_tt = 2*v_yy + v_xx + u_xy"]
FLOW = ["u_t + u*u_x + v*u_y + p_x = lap(u)", "v_t + u*v_x + v*v_y + 2*p_y = lap(v)", "u_x + 2*v_y = 0"]
STILL = dict.fromkeys("uv", "0*x")
STOKES = {"unknowns": dict.fromkeys("uvp", float), "initial": STILL}
IN_SPACE = [
    *(f"{u}_t + {u}*{u}_x + p_{a} = lap({u})" for u, a in zip("uvw", "xyz", strict=True)),
    "u_x + v_y + w_z = 0",
]
SPACE = {"unknowns": dict.fromkeys("uvwp", float), "initial": dict.fromkeys("uvw", "0*x")}
HEATED = ["u_t + p_x = lap(u)", "v_t + p_y = lap(v) + 9*T", "T_t + u*T_x + v*T_y = lap(T)", "u_x + v_y = 0"]
HELD = ["u = 0", "v = 0"]
AT_REST = dict.fromkeys(("u", "v", "u_t", "v_t"), "0*x")


def made_of(equations, boundary, counts, initial="0*x", **more):
    """A discretization with so many modes along every axis."""
    names = "xyz"[: len(counts)]
    domain = lrfm.Box(**{name: (0, 1 + 0.5 * i) for i, name in enumerate(names)})
    problem = lrfm.Problem(
        equations, domain=domain, time=(0, 1), initial=initial, boundary=boundary, check_corners=False, **more
    )
    form = BoxForm(EvolutionSystem(problem))
    low, high = (tuple(map(float, end)) for end in (domain.lower, domain.upper))
    return BoxGalerkin(form, Modes(low, high, form.periodic, counts, form.polynomial))


def state_of(made):
    """Small coefficients of all components."""
    return 0.1 * np.random.default_rng(1).standard_normal((len(made.system.components), 1, made.mesh.reals))


def counted(made, shift):
    """A solution of A(s) z = r, how often A was applied, and r."""
    pencil = made.linearize(0.0, state_of(made), state_of(made))
    assert isinstance(pencil, IteratedPencil)
    rng = np.random.default_rng(0)
    calls, apply = [], pencil.operator
    assert pencil.near  # which is made of the operator
    pencil.operator = lambda *args: calls.append(1) or apply(*args)
    pencil.operator.top = apply.top
    right = rng.standard_normal(made.size) + 1j * rng.standard_normal(made.size)
    return pencil.factored(shift)(right), len(calls), right


@pytest.mark.parametrize(
    ("equations", "boundary", "counts", "more"),
    [
        ("u_t = (1 + x*y + u**2)*lap(u) + 0.5*u_xy + u_x", {"x": "u_n = -u**4", "y": "u = 0"}, (9, 8), {}),
        ("(2 + x)*u_t = lap(u) + sin(6*x)*u_y", {"x": "periodic", "y": "u_n + 2*u = 0"}, (4, 9), {}),
        ("u_t = (1 + x*y*z)*lap(u) - u_z", {"*": "u = 0"}, (5, 4, 6), {}),
        (
            "u_tt = lap(u) - lap(lap(u)) - u_t",
            {"*": ["u = 0", "u_n = 0"]},
            (9, 9),
            {"initial": {"u": "0", "u_t": "0"}},
        ),
        (ELASTIC, {"x": ["u = 0", "v_n = 0"], "y": ["u = 0", "v = 0"]}, (8, 9), {"initial": AT_REST}),
        (TRAP + " + x*y*psi", {"*": "psi = 0"}, (8, 9), {"unknowns": {"psi": complex}}),
        (["u_t = lap(u) + v", "lap(v) = u"], {"*": HELD}, (8, 8), {}),
        (FLOW, {"*": HELD}, (8, 9), STOKES),
        (FLOW, {"x": ["u = 0", "v_n = 0"], "y": ["u_n = 0", "v = 0"]}, (8, 9), STOKES),
        (IN_SPACE, {"x": "periodic", "y": [*HELD, "w = 0"], "z": [*HELD, "w = 0"]}, (2, 6, 5), SPACE),
        (
            HEATED,
            {"x": [*HELD, "T = y"], "y": [*HELD, "T_n = 0"]},
            (9, 8),
            {"unknowns": dict.fromkeys("uvTp", float), "initial": {**STILL, "T": "0*x"}},
        ),
    ],
    ids=[
        *("quasilinear", "circle", "space", "plate", "elastic", "trap", "algebraic"),
        *("flow", "slip", "duct", "convection"),
    ],
)
def test_it_solves_what_the_matrix_solves(equations, boundary, counts, more):
    """A(s)⁻¹ of complex and real shifts."""
    made = made_of(equations, boundary, counts, **more)
    for shift in (0.1 + 0.2j, 0.05):
        found, _, right = counted(made, shift)
        own = made.arranged(state_of(made)[:, 0])
        exact = made.assembled(0.0, own, own)._factored(shift)(right if np.imag(shift) else np.real(right))
        found = found if np.imag(shift) else np.real(found)
        assert np.linalg.norm(found - exact) < 1e-7 * np.linalg.norm(exact)


def test_a_trap_is_separable():
    """−½Δ + V(x) + W(y) of a wave function couples its two parts; eigenvectors of each axis solve it."""
    made = made_of(TRAP, {"*": "psi = 0"}, (24, 20), unknowns={"psi": complex})
    assert counted(made, 0.1 + 0.2j)[1] <= 2


@pytest.mark.parametrize(
    ("equations", "boundary", "more"),
    [
        (ELASTIC, {"*": ["u = 0", "v = 0"]}, {"initial": AT_REST}),
        ("u_t = (1 + 0.5*x*y)*lap(u) + 0.3*u_xy", {"*": "u = 0"}, {}),
    ],
    ids=["elastic", "variable"],
)
def test_iterations_do_not_grow_with_modes(equations, boundary, more):
    """Mixed derivatives and coefficients are bounded by what is solved: 6561 rows take as many iterations as 289."""
    few, many = (counted(made_of(equations, boundary, (n, n), **more), 0.1 + 0.2j)[1] for n in (16, 80))
    assert many <= few + 3
    assert many < 30


def test_iterations_with_a_pressure_grow_no_more_than_its_inf_sup_constant_falls():
    """β ~ K^(-1/2) of polynomials of degree K and K − 2: at most twice as many for four times the modes, with any shift."""
    rows = ["u_t + p_x = lap(u)", "v_t + p_y = lap(v)", "u_x + v_y = 0"]
    few, many = (made_of(rows, {"*": HELD}, (n, n), **STOKES) for n in (8, 32))
    for shift in (0.01, 0.1 + 0.2j, 10.0):
        assert counted(many, shift)[1] <= 2 * counted(few, shift)[1]


def test_a_velocity_is_projected_without_a_matrix():
    """z + G q = r, D z = 0, B z = 0: D G is separable between walls, so that nothing is left to the iteration."""
    made = made_of(FLOW, {"*": HELD}, (10, 9), **STOKES)
    pencil, nothing = made._pencil(0.0), np.zeros((3, *made.sizes))
    assert isinstance(pencil, IteratedPencil)
    right = np.random.default_rng(0).standard_normal(made.size) * ~made.tests.absent.ravel()
    found, exact = pencil.projected(right), made.assembled(0.0, nothing, nothing).projected(right)
    assert np.linalg.norm(found - exact) < 1e-10 * np.linalg.norm(exact)
    near = pencil.near.solve(right.reshape(pencil.shape), [1.0, 0.0], 1.0).reshape(-1)
    assert np.linalg.norm(near - exact) < 1e-9 * np.linalg.norm(exact)


@pytest.mark.parametrize(
    "rows",
    [
        ["u_t + p_x = lap(u)", "v_t + p_y = lap(v)", "x*u_x + v_y + u = 0"],
        ["u_t + p_x + p = lap(u)", "v_t + p_y = lap(v)", "u_x + v_y = 0"],
        ["u_tt + p_x = lap(u)", "v_tt + p_y = lap(v)", "u_x + v_y = 0"],
    ],
    ids=["no divergence", "no gradient", "second order"],
)
def test_other_multipliers_have_a_matrix(rows):
    """E = D G is that of a divergence with numbers and its gradient."""
    initial = AT_REST if "tt" in rows[0] else STILL
    assert not made_of(
        rows, {"*": HELD}, (6, 6), unknowns=dict.fromkeys("uvp", float), initial=initial
    ).iterates
