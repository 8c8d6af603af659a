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
    pencil.operator = lambda *args: calls.append(1) or apply(*args)
    pencil.operator.top, pencil.operator.made, pencil.operator.parts = apply.top, made, apply.parts
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
        (["u_t = lap(u) + v", "lap(v) = u"], {"*": ["u = 0", "v = 0"]}, (8, 8), {}),
    ],
    ids=["quasilinear", "circle", "space", "plate", "elastic", "trap", "algebraic"],
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
