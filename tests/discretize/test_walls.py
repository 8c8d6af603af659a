# SPDX-License-Identifier: MIT
"""Polynomials between walls: rows that exact solutions meet, matrices per mode, constraints, refusals."""

import numpy as np
import pytest
import scipy.linalg
from on_series import PI, strip, walled

import lrfm
from lrfm.discretize.box.wall_rows import WallRows
from lrfm.discretize.evolution import Unsuited
from lrfm.integrate.start import wall_start
from lrfm.linalg.many import SMALL, WORTH, ManyMatrices

STOKES = ["u_t = -p_x + 0.1*lap(u)", "v_t = -p_y + 0.1*lap(v)", "u_x + v_y = 0"]
NO_SLIP = {"x": "periodic", "y": ["u = 0", "v = 0"]}


def state(made, **functions):
    """Coefficients of functions of x and y, zero where none is given: (components, 1, reals)."""
    x, y = made.mesh.points().T
    found = np.zeros((len(made.system.components), 1, made.mesh.reals))
    for name, f in functions.items():
        c = made.system.first[name]
        values = np.broadcast_to(f(x, y), x.shape).reshape(made.mesh.grid)
        found[c, 0] = made.mesh.flat(made.mesh.coefficients(values, made.form.parities[c]))
    return found


def rows_of(made, y):
    """F at rest, by the name of the field that a row is paired with: coefficients."""
    found = made.scatter(made.residual(np.zeros(1), y[None], 0 * y[None]))[0, :, 0]
    return dict(zip(made.system.fields, made.mesh.complexes(found), strict=True))


def test_an_exact_solution_meets_all_rows():
    """u = e^{−t} sin(x − t)(y² + 1) with advection, a product, a coefficient of y, and Robin conditions."""
    exact = "exp(-t)*sin(x - t)*(y**2 + 1)"
    source = f"-{exact} + y**2*({exact}) - 0.1*(-{exact} + 2*exp(-t)*sin(x - t)) + ({exact})**2"
    problem = strip(
        f"u_t + u_x = 0.1*lap(u) - y**2*u - u**2 + {source}",
        "sin(x)*(y**2 + 1)",
        {"x": "periodic", "y-": "u_n + u = exp(-t)*sin(x - t)", "y+": "u_n + u = 4*exp(-t)*sin(x - t)"},
    )
    made = walled(problem, 6)
    t = 0.3
    y = state(made, u=lambda x, y: np.exp(-t) * np.sin(x - t) * (y**2 + 1))
    z = state(made, u=lambda x, y: -np.exp(-t) * (np.sin(x - t) + np.cos(x - t)) * (y**2 + 1))
    assert np.max(np.abs(made.residual(np.array([t]), y[None], z[None]))) < 1e-12


@pytest.mark.parametrize("shift", [0.3, 0.2 + 0.4j])
@pytest.mark.parametrize(
    ("equations", "boundary", "real"),
    [
        ("u_t = lap(u) - u", {"x": "periodic", "y-": "u = 0", "y+": "u_n = -u"}, True),
        ("u_t + u_x = lap(u) + y*u_y", {"x": "periodic", "y": "u = 0"}, False),
        ("u_tt = lap(u) - u_x", {"x": "periodic", "y": "u_n = -u"}, False),
        (
            ["u_t = lap(u) + v_x", "v_t = lap(v) - u"],
            {"x": "periodic", "y": ["u = 0", "v_n = u_x - v"]},
            False,
        ),
        (
            ["u_t = lap(u) + v_x", "v_t = lap(v) - u_x"],
            {"x": "periodic", "y": ["u = 0", "v_n = u_x - v"]},
            True,
        ),
        (STOKES, NO_SLIP, True),
    ],
)
def test_matrices_are_those_of_the_rows(equations, boundary, real, shift):
    """A(s) z = F(s-fold integrals of z, z), and the inverse gives z back, for real and for complex s; real matrices where i^a u makes them so."""
    names = {"u": "0", "v": "0"} if isinstance(equations, list) else "0*x"
    if equations == "u_tt = lap(u) - u_x":
        names = {"u": "0*x", "u_t": "0*x"}
    made = walled(strip(equations, names, boundary), 5)
    system, rng = made.system, np.random.default_rng(2)
    fields, shape = len(system.fields), (1, made.mesh.reals)

    def residual(rates, powers):
        """F with y_c = s^p z, p by component, for s^p given as numbers."""
        y = np.zeros((len(system.components), *shape))
        z = np.zeros_like(y)
        for c in range(len(system.components)):
            i, p = system.power(c, False)
            y[c] = powers[p] * rates[i]
            z[c] = rates[i] if c in system.last else powers[p - 1] * rates[i]
        return made.residual(np.array([0.0]), y[None], z[None])[0]

    parts = []
    for _ in range(2 if np.imag(shift) else 1):
        values = rng.standard_normal((fields, *made.mesh.grid))
        parts.append(
            np.stack(
                [
                    made.mesh.flat(made.mesh.coefficients(v, made.form.parities[system.last[i]]))[None]
                    for i, v in enumerate(values)
                ]
            )
        )
    rates = parts[0] + 1j * parts[1] if len(parts) == 2 else parts[0]
    # F is linear: its value for s^p from those for the basis of powers, each part apart.
    found = 0
    for unit, part in zip((1, 1j), parts, strict=False):
        base = residual(part, [1.0, 0.0, 0.0])
        found = found + unit * base
        for p in range(1, system.top_power + 1):
            one = [1.0, *[float(q == p) for q in (1, 2)]]
            found = found + unit * shift**p * (residual(part, one) - base)
    assert made.pencil.real == real
    solved = made.scatter(made.pencil.at(shift)(found))
    wanted = rates
    assert np.allclose(solved, wanted, rtol=0, atol=1e-9 * np.max(np.abs(wanted)))


@pytest.mark.parametrize("kind", [float, complex])
def test_factors_become_inverses(kind):
    """A x = b by factors, and by inverses after some solutions, which keep nothing else."""
    rng, n = np.random.default_rng(0), SMALL + 3
    matrices = rng.standard_normal((4, n, n)) + 1j * rng.standard_normal((4, n, n))
    matrices = np.ascontiguousarray(matrices if kind is complex else np.real(matrices))
    made, right = ManyMatrices(matrices), rng.standard_normal((4, n, 2))
    assert made.size == matrices.nbytes // 8
    for _ in range(WORTH + 2):
        assert np.allclose(matrices @ made(right), right, rtol=0, atol=1e-10)


def test_data_are_moved_to_velocities_without_divergence():
    made = walled(strip(STOKES, {"u": "sin(x)*(1 - y)*y", "v": "0"}, NO_SLIP), 9)
    y = state(made, u=lambda x, y: np.sin(x) * y * (1 - y))
    start, _ = wall_start(made, 0.0, y, 1.0)
    assert np.max(np.abs(rows_of(made, y)["p"])) > 0.01
    start[made.system.first["p"]] = 0.0
    assert np.max(np.abs(rows_of(made, start)["p"])) < 1e-9


def test_other_numbers_of_modes_keep_constraints_and_conditions():
    problem = strip(STOKES, {"u": "0", "v": "0"}, NO_SLIP)
    few, many = walled(problem, 6), walled(problem, 9)
    u, v = np.random.default_rng(0).standard_normal((2, len(few.mesh.points())))
    y = state(few, u=lambda x, y: u * y * (1 - y), v=lambda x, y: v * y * (1 - y))
    y, _ = wall_start(few, 0.0, y, 1.0)
    y[few.system.first["p"]] = 0.0
    for a, b in ((few, many), (many, few)):
        moved = b.mesh.flat(a.mesh.moved(a.mesh.complexes(y), b.mesh))
        y = b.corrected(moved, a, y)
        rows = rows_of(b, y)
        assert np.max(np.abs(rows["p"])) < 1e-9
        assert max(np.max(np.abs(rows[name][:, -2:])) for name in "uv") < 1e-9


def test_a_pressure_is_given_up_to_its_mean():
    made = walled(strip(STOKES, {"u": "0", "v": "0"}, NO_SLIP))
    assert [made.system.components[c][0] for c in made.undetermined] == ["p"]
    made.rows.check_means()


@pytest.mark.parametrize(
    ("equations", "boundary"),
    [
        ("u_t = lap(u)", {"x": "periodic", "y": "u_n = 1 - u**4"}),
        ("u_t = lap(u)", {"x": "periodic", "y": "u_n = -(2 + sin(x))*u"}),
        ("u_t = lap(u)", {"x": "periodic", "y": "u_t + u_n = 0"}),
        (STOKES, {"x": "periodic", "y-": ["u = 0", "v = 0"], "y+": ["u = 0", "p = 0"]}),
        (STOKES, {"x": "periodic", "y-": ["u = 0", "v = 0"], "y+": ["u = 0", "v = sin(x)"]}),
    ],
)
def test_what_is_not_held_gets_a_sentence(equations, boundary):
    initial = {"u": "0", "v": "0"} if isinstance(equations, list) else "0*x"
    with pytest.raises(Unsuited, match=r"\.$"):
        walled(strip(equations, initial, boundary, check_corners=False)).rows.check_means()


def test_rows_are_as_many_as_unknowns():
    made = walled(strip(STOKES, {"u": "0", "v": "0"}, NO_SLIP))
    assert isinstance(made.rows, WallRows)
    assert [t.shape[1] for t in made.rows.tests] == [made.rows.functions - 2] * 3
    assert made.lowest.shape == (made.size,)


def test_the_mode_of_orr_and_sommerfeld():
    """α = 1, Re = 10,000: growth 0.00373967, frequency 0.23752649 (Orszag, J. Fluid Mech. 50, 1971); nothing else grows."""
    problem = lrfm.Problem(
        [
            "u_t + (1 - y**2)*u_x - 2*y*v = -p_x + lap(u)/10000",
            "v_t + (1 - y**2)*v_x = -p_y + lap(v)/10000",
            "u_x + v_y = 0",
        ],
        domain=lrfm.Box(x=(0, 2 * PI), y=(-1, 1)),
        time=(0, 1),
        initial={"u": "0", "v": "0"},
        boundary=NO_SLIP,
    )
    pencil = walled(problem, (1, 60)).pencil
    first, second = (m[1] for m in pencil.matrices)
    held = (walled(problem, (1, 60)).rows.lowest.reshape(-1) > 0)[:, None]
    values = scipy.linalg.eigvals(np.where(held, first, second), -np.where(held, 0, first))
    values = values[np.isfinite(values) & (np.abs(values) < 1e6)]
    growing = values[np.argmax(values.real)]
    assert np.isclose(growing.real, 0.00373967, rtol=0, atol=1e-8)
    assert np.isclose(abs(growing.imag), 0.23752649, rtol=0, atol=1e-8)
    assert np.sort(values.real)[-2] < -0.03
