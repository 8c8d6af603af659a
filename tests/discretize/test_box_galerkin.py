# SPDX-License-Identifier: MIT
"""A box with all terms in one matrix: rows that exact solutions meet, matrices that are their derivatives, spectra that are known."""

import numpy as np
import pytest

import lrfm
from lrfm.discretize.box.form import BoxForm
from lrfm.discretize.box.galerkin import BoxGalerkin
from lrfm.discretize.evolution import EvolutionSystem, Unsuited
from lrfm.spaces.series import Modes

STOKES = ["u_t + p_x = lap(u)", "v_t + p_y = lap(v)", "u_x + v_y = 0"]


def made_of(equations, boundary, count, initial="0*x", box=None, **more):
    """A discretization with so many modes along every axis."""
    domain = lrfm.Box(**(box or {"x": (0, 1), "y": (0, 1)}))
    problem = lrfm.Problem(
        equations,
        domain=domain,
        time=(0, 1),
        initial=initial,
        boundary=boundary,
        check_corners=False,
        **more,
    )
    form = BoxForm(EvolutionSystem(problem))
    low, high = (tuple(map(float, end)) for end in (domain.lower, domain.upper))
    counts = (count,) * domain.dimension
    return BoxGalerkin(form, Modes(low, high, form.periodic, counts, form.polynomial))


def flow(count):
    """Stokes flow in the unit square."""
    unknowns = {name: float for name in "uvp"}
    nothing = {"u": "0", "v": "0"}
    return made_of(STOKES, {"*": ["u = 0", "v = 0"]}, count, nothing, unknowns=unknowns)


def test_an_exact_solution_meets_all_rows():
    """u = e^{−t}(1 + x y²): a mixed derivative, coefficients of both coordinates, a product, and conditions that are not linear or have coefficients of their own."""
    u, ux, uy = "exp(-t)*(1 + x*y**2)", "exp(-t)*y**2", "exp(-t)*2*x*y"
    uyy, uxy = "exp(-t)*2*x", "exp(-t)*2*y"
    source = f"-{u} - (1 + x*y)*{uyy} - 0.3*{uxy} + {u}*{ux}"
    made = made_of(
        f"u_t = (1 + x*y)*lap(u) + 0.3*u_xy - u*u_x + {source}",
        {
            "x-": f"u = {u}",
            "x+": f"u_n + u**2 = {ux} + ({u})**2",
            "y-": f"(1 + x)*u_y = (1 + x)*{uy}",
            "y+": f"u_y + u_x = {uy} + {ux}",
        },
        6,
    )
    x, y = made.mesh.points().T
    values = (np.exp(-0.2) * (1 + x * y**2)).reshape(made.mesh.grid)
    c = made.mesh.flat(made.mesh.coefficients(values, (2, 2)))[None, None]
    assert np.max(np.abs(made.residual(np.array([0.2]), c[None], -c[None]))) < 1e-12


@pytest.mark.parametrize(
    ("equations", "boundary", "initial"),
    [
        ("u_t = (1 + x*y + u**2)*lap(u) + u_xy", {"x": "u_n = -u**4", "y": "u = 0"}, "0*x"),
        ("u_tt = lap(u) - lap(lap(u_t))", {"*": ["u = 0", "lap(u) = 0"]}, {"u": "0", "u_t": "0"}),
        ("u_t = lap(u) + sin(x)*u_y**2", {"x": "periodic", "y": "u_n + u_t = 0"}, "0*x"),
        ("u_t = (2 + sin(x)*cos(2*pi*y))*lap(u) - u_y - mean(u)*u", "periodic", "0*x"),
    ],
    ids=["quasilinear", "second order in time", "circle", "torus"],
)
def test_matrices_are_derivatives_of_the_rows(equations, boundary, initial):
    """A(s) z = d/dε F(y + ε s z, y′ + ε z), and A(s)⁻¹ takes it back."""
    made = made_of(equations, boundary, 5, initial, {"x": (0, 2 * np.pi), "y": (0, 1)})
    rng, s, step, now = np.random.default_rng(0), 0.3, 1e-5, np.array([0.1])
    shape = (len(made.system.components), 1, made.mesh.reals)
    y, z = (0.1 * rng.standard_normal(shape) for _ in range(2))
    change = made.scatter(rng.standard_normal(made.size))
    rates, states = np.zeros(shape), np.zeros(shape)
    for c in reversed(range(shape[0])):
        rates[c] = change[made.system.last.index(c)] if c in made.system.last else states[c + 1]
        states[c] = s * rates[c]
    ahead, behind = (
        made.residual(now, (y + d * states)[None], (z + d * rates)[None])[0] for d in (step, -step)
    )
    slope = (ahead - behind) / (2 * step)
    found = made.linearize(0.1, y, z).factored(s)(slope)
    np.testing.assert_allclose(found, made.gather(change), atol=1e-4)


def spectrum(made):
    """Eigenvalues λ of λ E y = A y, smallest first, those of conditions and constraints apart."""
    from scipy.linalg import eig

    power = made.system.top_power
    first, last = made.fixed.matrices[0], made.fixed.matrices[power]
    alone = (made.lowest > 0)[:, None]
    found = eig(np.where(alone, first, last), np.where(alone, 0.0, first), right=False)
    found = found[np.isfinite(found) & (np.abs(found) < 1e8)]
    assert np.max(np.abs(np.imag(found))) < 1e-6 * np.max(np.abs(found))
    return np.sort(np.real(found))


def test_a_clamped_plate_has_its_tone():
    """√λ = 35.98519 (Leissa, Vibration of Plates, 1969, has 35.992); all eigenvalues are positive."""
    plate = made_of("u_tt + lap(lap(u)) = 0", {"*": ["u = 0", "u_n = 0"]}, 10, {"u": "0", "u_t": "0"})
    found = spectrum(plate)
    assert found[0] > 0
    assert abs(np.sqrt(found[0]) - 35.98519) < 1e-4


def test_stokes_flow_in_a_square_decays_as_it_should_and_no_pressure_is_spurious():
    """λ = 52.34469 (Leriche, Labrosse, J. Comput. Phys. 200, 2004), the next one twice."""
    made = flow(10)
    found = spectrum(made)
    assert found[0] > 0
    np.testing.assert_allclose(found[:3], [52.34469, 92.12440, 92.12440], rtol=1e-4)
    assert np.linalg.cond(made.fixed.matrices[0] + 0.01 * made.fixed.matrices[1]) < 1e5


def test_a_velocity_is_moved_to_the_nearest_one_without_divergence():
    made = flow(8)
    state = made.gather(np.random.default_rng(1).standard_normal((3, 1, made.mesh.reals)))
    found = made.admissible(state, 0.0)
    assert np.max(np.abs(np.where(made.lowest > 0, made._rows_of(found, 0.0), 0.0))) < 1e-10
    np.testing.assert_allclose(made.admissible(found, 0.0), found, atol=1e-10)


def test_real_functions_of_a_torus_and_their_modes_are_the_same():
    """Cosines and sines from complex modes and back, and an exact solution u = cos x sin 4πy + sin 2x in rows with products."""
    laplacian = "-(1 + 16*pi**2)*cos(x)*sin(4*pi*y) - 4*sin(2*x)"
    made = made_of(
        f"u_t = (2 + cos(x))*lap(u) + u_y - (2 + cos(x))*({laplacian}) - 4*pi*cos(x)*cos(4*pi*y) + mean(u)",
        "periodic",
        5,
        box={"x": (0, 2 * np.pi), "y": (0, 1)},
    )
    x, y = made.mesh.points().T
    values = (np.cos(x) * np.sin(4 * np.pi * y) + np.sin(2 * x)).reshape(made.mesh.grid)
    c = np.zeros((len(made.system.components), 1, made.mesh.reals))
    c[0, 0] = made.mesh.flat(made.mesh.coefficients(values, (0, 0)))
    np.testing.assert_allclose(made.scatter(made.gather(c)), c, atol=1e-13)
    assert np.max(np.abs(made.residual(np.zeros(1), c[None], 0 * c[None]))) < 1e-11


@pytest.mark.parametrize(
    "ends",
    [{"x": ["p = 1 - x", "v = 0"]}, {"x-": ["u = y", "v = 0"], "x+": ["u_x = 0", "v_x = 0"]}],
    ids=["a pressure that is given", "an open end"],
)
def test_flows_whose_walls_do_not_give_their_velocities_are_left_to_cells(ends):
    unknowns, nothing = {name: float for name in "uvp"}, {"u": "0", "v": "0"}
    made = made_of(STOKES, {**ends, "*": ["u = 0", "v = 0"]}, 5, nothing, unknowns=unknowns)
    with pytest.raises(Unsuited, match="pressure"):
        made.check()


def test_means_and_values_are_rows_of_their_own():
    """u_t = Δu − mean(u, x) + at(u, y, 0): u = e^{−t}(x + y²) and a source that makes it a solution."""
    u = "exp(-t)*(x + y**2)"
    means = "exp(-t)*(0.5 + y**2)"
    made = made_of(
        f"u_t = lap(u) - mean(u, x) + at(u, y, 0) - {u} - 2*exp(-t) + {means} - exp(-t)*x",
        {"*": f"u = {u}"},
        5,
    )
    x, y = made.mesh.points().T
    fields = {"u": x + y**2, "mean(u, x)": 0.5 + y**2, "at(u, y, 0)": x}
    assert set(made.system.fields) == set(fields)
    values = np.stack([np.exp(-0.2) * fields[f] for f in made.system.fields])
    c = made.mesh.flat(made.mesh.coefficients(values.reshape(-1, *made.mesh.grid), (2, 2)))[:, None]
    assert np.max(np.abs(made.residual(np.array([0.2]), c[None], -c[None]))) < 1e-12
