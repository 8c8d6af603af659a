# SPDX-License-Identifier: MIT
"""The split of statements into small matrices per mode and a rest: fluxes, parities, algebraic unknowns, constraints."""

import numpy as np
import pytest
from on_series import PI, box, discretized

from lrfm.discretize.box.spectral_form import SpectralForm
from lrfm.discretize.evolution import EvolutionSystem, Unsuited
from lrfm.problem.jets import Jet
from lrfm.spaces.series import EVEN, ODD

FLOW = box(
    ["u_t + u*u_x + v*u_y = -p_x + 0.1*lap(u)", "v_t + u*v_x + v*v_y = -p_y + 0.1*lap(v)", "u_x + v_y = 0"],
    {"u": "cos(x)*sin(y)", "v": "-sin(x)*cos(y)"},
)


def form(problem):
    return SpectralForm(EvolutionSystem(problem))


def line(equation, boundary="periodic", initial="0.1*sin(x)", **more):
    return box(equation, initial, boundary, axes="x", **more)


# Fluxes -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("equation", "expected"),
    [
        ("u_t + u*u_x = u_xx", {((1,), 0.5)}),
        ("u_t = (u**3)_xx - u_xxxx", {((2,), -1.0)}),
        ("u_t + u**2*u_x = u_xx - u_xxx", {((1,), 1 / 3)}),
        ("u_t = u_xx + u_x**2", {((0,), 1.0)}),  # no derivative of anything simpler
        ("u_t = u_xx + u - u**3", {((0,), 1.0)}),
    ],
)
def test_terms_are_written_as_derivatives_where_that_saves_transforms(equation, expected):
    equation = equation.replace("(u**3)_xx", "3*u**2*u_xx + 6*u*u_x**2")
    (flux,) = form(line(equation)).fluxes
    assert {(index, round(c, 12)) for index, c in flux.symbols} == {(i, round(c, 12)) for i, c in expected}


def test_products_of_several_equations_are_transformed_once():
    equations = ["u_t = lap(u) + 1 - 4*u + u**2*v", "v_t = 0.1*lap(v) + 3*u - 2*u**2*v"]
    made = discretized(box(equations, {"u": "1", "v": "3"}), 6)
    split, rng = made.form, np.random.default_rng(0)
    fluxes, program, which = split.together
    assert [f.row for f in fluxes] == [0, 0, 1]
    assert len(set(which)) == 2  # the product, and the number beside it
    v = made.mesh.coefficients(rng.normal(size=(2, *made.mesh.grid)), (EVEN, EVEN))
    alone = made.terms.collected(split.fluxes, split.program(made.terms.jets(split.jets, v)))
    values = program(made.terms.jets(split.jets, v))
    together = made.terms.collected(fluxes, [values[n] for n in which])
    np.testing.assert_allclose(together, alone, atol=1e-12 * np.max(np.abs(alone)))


@pytest.mark.parametrize("sign", ["+", "-"])
def test_what_a_velocity_without_divergence_carries_is_a_flux(sign):
    rows = [f"{a}_t {sign} u*{a}_x {sign} v*{a}_y = -p_{x} + 0.1*lap({a})" for a, x in ("ux", "vy")]
    rows += ["u_x + v_y = 0", f"T_t {sign} 2*u*T_x {sign} 2*v*T_y = 0.1*lap(T) + v - T**2"]
    made = discretized(box(rows, {"u": "cos(x)*sin(y)", "v": "-sin(x)*cos(y)", "T": "cos(x)"}), 8)
    split = made.form
    assert all(
        not any(jet.index) for jet in split.jets if jet.field != "T"
    )  # two transforms in the place of six
    mesh, rng = made.mesh, np.random.default_rng(0)
    v = mesh.coefficients(rng.standard_normal((3, *mesh.grid)), (0, 0))
    v = made.admissible(v)
    n = made.terms.collected(split.fluxes, split.program(made.terms.jets(split.jets, v)))
    values = lambda index: mesh.values(v * mesh.symbol(index, (0, 0))[0], (0, 0))  # noqa: E731
    f, fx, fy = (values(index) for index in ((0, 0), (1, 0), (0, 1)))
    s, fields = (1 if sign == "+" else -1), split.system.fields
    for name, k, factor, rest in (("u", 0, 1, 0), ("v", 1, 1, 0), ("T", 2, 2, f[2] ** 2)):
        wanted = mesh.coefficients(s * factor * (f[0] * fx[k] + f[1] * fy[k]) + rest, (0, 0))
        np.testing.assert_allclose(n[fields.index(name)], wanted, atol=1e-12)


def test_a_stream_function_does_not_depend_on_the_rest():
    rows = ["w_t + psi_y*w_x - psi_x*w_y = 0.1*lap(w)", "lap(psi) = -w"]
    assert not discretized(box(rows, {"w": "cos(x + y)"})).others_of_rest
    assert discretized(box(["w_t = lap(m)", "m = w**3 - lap(w)"], {"w": "cos(x)"})).others_of_rest


@pytest.mark.parametrize(
    "equation",
    [
        "u_t = lap(u**3 - u) - 0.1*lap(lap(u))",
        "u_t + u*u_x + u**2*u_y = lap(u)",
        "u_t + u*u_x + u*u_y = lap(u) - 3*u**3 + 2",
        "u_t = lap(u) + u_x*u_y + sin(u)",
        "u_t = lap(u) + cos(x)*u_y + exp(sin(x + y))",
    ],
)
def test_rates_are_those_of_the_equation(equation):
    """L y + B n against the equation itself, evaluated with the derivatives of a trigonometric polynomial."""
    problem = box(equation, "sin(x)*cos(y)")
    made = discretized(problem, 24)
    mesh = made.mesh
    points = mesh.points()
    u = np.cos(points[:, 0]) * np.sin(points[:, 1] + 0.3) + 0.4 * np.sin(2 * points[:, 0] - points[:, 1])
    v = mesh.coefficients(u.reshape(1, *mesh.grid), (0, 0))
    entries = made.linear.entries
    rate = sum(entries[0, 0] * v[0] for _ in range(1)) + made.forced(made.rest(v, 0.0))[0]
    row = problem.rows[0]
    at = np.column_stack([points, np.zeros(len(points))])
    jets = {jet: np.zeros(len(points)) for jet in row.jets}
    for jet in row.jets:
        if jet.index[-1] == 0:
            factor, parity = mesh.symbol(jet.index[:-1], (0, 0))
            jets[jet] = mesh.values(v * factor, parity)[0].ravel()
    wanted = -row.residual(at, jets)  # with u_t = 0
    assert np.allclose(mesh.values(rate[None], (0, 0))[0].ravel(), wanted, atol=1e-9 * np.max(np.abs(wanted)))


# Algebraic unknowns -----------------------------------------------------------------------------------------


def test_the_pressure_keeps_velocities_free_of_divergence():
    made = discretized(FLOW, 8)
    mesh, rng = made.mesh, np.random.default_rng(0)
    v = made.admissible(mesh.coefficients(rng.standard_normal((2, *mesh.grid)), (0, 0)))
    dx, dy = (mesh.symbol(index, (0, 0))[0] for index in ((1, 0), (0, 1)))
    assert np.max(np.abs(dx * v[0] + dy * v[1])) < 1e-13
    rate = made.forced(made.rest(v, 0.0))
    assert np.max(np.abs(dx * rate[0] + dy * rate[1])) < 1e-11 * np.max(np.abs(rate))
    assert not made.linear.coupled  # a viscosity acts on each velocity alone
    assert made.undetermined == [2]


def test_the_pressure_is_that_of_taylor_and_green():
    made = discretized(FLOW, 4)
    mesh, (x, y) = made.mesh, made.mesh.points().T
    u = np.stack([np.cos(x) * np.sin(y), -np.sin(x) * np.cos(y)]).reshape(2, *mesh.grid)
    v = mesh.coefficients(u, (0, 0))
    p = mesh.values(made.others(v, made.rest(v, 0.0)), (0, 0))[0].ravel()
    assert np.allclose(p, -(np.cos(2 * x) + np.cos(2 * y)) / 4, atol=1e-13)


def test_a_stream_function_follows_from_the_vorticity():
    made = discretized(
        box(["w_t + psi_y*w_x - psi_x*w_y = 0.01*lap(w)", "lap(psi) = -w"], {"w": "cos(x)*cos(2*y)"})
    )
    mesh, (x, y) = made.mesh, made.mesh.points().T
    v = mesh.coefficients((np.cos(x) * np.cos(2 * y)).reshape(1, *mesh.grid), (0, 0))
    n = made.rest(v, 0.0)
    assert np.max(np.abs(n)) < 1e-14  # one wave does not transport itself
    assert np.allclose(
        mesh.values(made.others(v, n), (0, 0))[0].ravel(), np.cos(x) * np.cos(2 * y) / 5, atol=1e-14
    )


def test_a_mean_that_no_stream_function_has_is_refused():
    made = discretized(box(["w_t = lap(w) + psi", "lap(psi) = -w"], {"w": "cos(x)"}))
    mesh, x = made.mesh, made.mesh.points()[:, 0]
    for mean in (0.0, 1e-3):
        v = mesh.coefficients((mean + np.cos(x)).reshape(1, *mesh.grid), (0, 0))
        n = np.zeros((2, *mesh.shape), dtype=complex)
        if mean:
            with pytest.raises(Unsuited, match="no solution"):
                made.check_means(v, n)
        else:
            made.check_means(v, n)


def test_a_chemical_potential_with_a_nonlinear_part():
    split = discretized(box(["u_t = lap(mu)", "mu = u**3 - u - 0.1*lap(u)"], {"u": "0.5*cos(x)*cos(y)"}), 8)
    whole = discretized(box("u_t = lap(u**3 - u - 0.1*lap(u))", "0.5*cos(x)*cos(y)"), 8)
    mesh, (x, y) = split.mesh, split.mesh.points().T
    v = mesh.coefficients((0.5 * np.cos(x) * np.cos(y)).reshape(1, *mesh.grid), (0, 0))
    ours, theirs = (m.linear.entries[0, 0] * v[0] + m.forced(m.rest(v, 0.0))[0] for m in (split, whole))
    assert np.allclose(ours, theirs, atol=1e-14)


# Walls ------------------------------------------------------------------------------------------------------


def test_conditions_say_what_is_even_and_odd():
    assert form(line("u_t = u_xx - u**3", "u = 0")).parities == [(ODD,)]
    assert form(line("u_t = u_xx + u**2", "u_n = 0", "cos(x)")).parities == [(EVEN,)]
    slip = box(
        ["u_t = -p_x + lap(u)", "v_t = -p_y + lap(v)", "u_x + v_y = 0"],
        {"u": "sin(x)*cos(y)", "v": "-cos(x)*sin(y)"},
        {"x": "periodic", "y-": ["u_y = 0", "v = 0"], "y+": ["u_y = 0", "v = 0"]},
        length=PI * 2,
    )
    made = form(slip)
    found = {name: parity for (name, _), parity in zip(made.system.components, made.parities, strict=True)}
    assert found == {"u": (EVEN, EVEN), "v": (EVEN, ODD), "p": (EVEN, EVEN)}


@pytest.mark.parametrize(
    ("equation", "boundary", "initial"),
    [
        ("u_t = u_xx + u**2", "u = 0", "sin(x/2)"),  # even where it has to be odd
        ("u_t = u_xx - u*u_x", "u_n = 0", "cos(x/2)"),
        ("u_t = u_xx", "u = 1", "1"),
        ("u_t = u_xx", {"x-": "u = 0", "x+": "u_x = 0"}, "sin(x/4)"),
        ("u_t = u_xx", "u_n = -u", "0*x"),
        ("u*u_t = u_xx", "periodic", "2 + sin(x)"),
    ],
)
def test_what_series_do_not_hold_is_refused(equation, boundary, initial):
    with pytest.raises(Unsuited):
        form(box(equation, initial, boundary, axes="x", check_corners=False))


def test_stiff_terms_in_the_rest_are_not_for_explicit_stages():
    with pytest.raises(Unsuited):
        form(line("u_t = (1 + u**2)*u_xx")).check_stiffness()
    form(line("u_t + u*u_x = 0.1*u_xx")).check_stiffness()
    form(line("u_t + u*u_x = -u_xxx")).check_stiffness()


def test_jets_are_found_whole():
    assert Jet("u", (0, 0)) in form(line("u_t + u*u_x = u_xx")).jets
