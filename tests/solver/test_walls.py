# SPDX-License-Identifier: MIT
"""`lrfm.solve` between walls: statements with known solutions, channels, files, refusals."""

import numpy as np
import pytest
from on_series import PI, relative, solved, strip

import lrfm
from lrfm.problem import Jet
from lrfm.rows.series_steps import SeriesSteps

CHANNEL = [
    "u_t + u*u_x + v*u_y = -p_x + nu*lap(u) + 2*nu",
    "v_t + u*v_x + v*v_y = -p_y + nu*lap(v)",
    "u_x + v_y = 0",
]
HELD = strip(
    "u_t = lap(u)", "sin(x)*sin(pi*y) + 1 - y", {"x": "periodic", "y-": "u = 1", "y+": "u = 0"}, time=(0, 0.5)
)


def held(x, y, t):
    return np.sin(x) * np.sin(PI * y) * np.exp(-(1 + PI**2) * t) + 1 - y


@pytest.mark.parametrize("tol", [1e-3, 1e-6, 1e-9])
def test_heat_between_walls_that_are_held(tol):
    solution = lrfm.solve(HELD, tol=tol)
    assert all(isinstance(piece, SeriesSteps) for piece in solution.pieces)
    assert relative(solution, held) <= solution.report.error_estimate <= tol


@pytest.mark.parametrize("tol", [1e-3, 1e-7])
def test_robin_conditions_with_data_and_a_reaction(tol):
    """u = e^{−t} sin(x − t)(y² + 1): implicit-explicit at the first tolerance, implicit at the second."""
    u = "exp(-t)*sin(x - t)*(y**2 + 1)"
    problem = strip(
        f"u_t + u_x = 0.1*lap(u) - u**2 + ({u})**2 - {u} - 0.1*(-{u} + 2*exp(-t)*sin(x - t))",
        "sin(x)*(y**2 + 1)",
        {"x": "periodic", "y-": "u_n + u = exp(-t)*sin(x - t)", "y+": "u_n + u = 4*exp(-t)*sin(x - t)"},
        time=(0, 0.5),
    )
    solution = lrfm.solve(problem, tol=tol)
    error = relative(solution, lambda x, y, t: np.exp(-t) * np.sin(x - t) * (y**2 + 1))
    assert error <= solution.report.error_estimate <= tol
    assert ("implicit-explicit" in str(solution.report)) == (tol == 1e-3)


def test_a_wave_between_elastic_walls():
    """u = cos(ωt) cos κ(y − ½) cos x with u_n = −u at both walls: κ tan(κ/2) = 1."""
    k = 0.0
    low, high = 0.1, PI - 0.1
    for _ in range(60):
        k = (low + high) / 2
        low, high = (k, high) if k * np.tan(k / 2) < 1 else (low, k)
    w = np.sqrt(1 + k**2)
    problem = strip(
        "u_tt = lap(u)",
        {"u": f"cos({k!r}*(y - 0.5))*cos(x)", "u_t": "0*x"},
        {"x": "periodic", "y": "u_n = -u"},
    )
    solution = solved(problem, 1e-6)
    error = relative(solution, lambda x, y, t: np.cos(w * t) * np.cos(k * (y - 0.5)) * np.cos(x))
    assert error <= solution.report.error_estimate <= 1e-6


def test_a_channel_that_starts_from_rest():
    """u = 1 − y² − Σ 4(−1)ⁿ/λ³ cos λy e^{−νλ²t}, λ = (n + ½)π."""

    def exact(x, y, t):
        found = 1 - y**2
        for n in range(80):
            k = (n + 0.5) * PI
            found = found - 4 * (-1) ** n / k**3 * np.cos(k * y) * np.exp(-0.1 * k**2 * t)
        return found

    problem = lrfm.Problem(
        CHANNEL,
        domain=lrfm.Box(x=(0, 2), y=(-1, 1)),
        time=(0, 2),
        initial={"u": "0", "v": "0"},
        boundary={"x": "periodic", "y": ["u = 0", "v = 0"]},
        parameters={"nu": 0.1},
    )
    solution = lrfm.solve(problem, tol=1e-3)
    assert all(isinstance(piece, SeriesSteps) for piece in solution.pieces)
    assert relative(solution, exact) <= 1e-3


def test_files(tmp_path):
    solution = solved(HELD, 1e-3)
    solution.save(tmp_path / "walls.lrfm")
    again = lrfm.load(tmp_path / "walls.lrfm")
    at = {"x": 0.4, "y": np.linspace(0, 1, 5), "t": 0.3}
    assert np.array_equal(again(**at), solution(**at))
    record = solution.pieces[0].record()
    with pytest.raises(ValueError, match="parities"):
        SeriesSteps.from_record(**{**record, "parities": [[2, 2]]})


def test_a_checkpoint_goes_on(tmp_path):
    whole = solved(HELD, 1e-6)
    file = tmp_path / "walls.checkpoint"
    first = solved(HELD, 1e-6, checkpoint=file)
    assert np.array_equal(first(x=1.0, y=0.3, t=0.2), whole(x=1.0, y=0.3, t=0.2))


def test_walls_that_radiate_are_those_of_an_interval():
    """u_n = t − u⁴ from nothing, the same all along a circle."""
    walls = {"y": "u_n = t - u**4"}
    plane = solved(strip("u_t = lap(u)", "0*x", {"x": "periodic", **walls}), 1e-3)
    line = lrfm.Problem("u_t = u_yy", domain=lrfm.Box(y=(0, 1)), time=(0, 1), initial="0", boundary=walls)
    exact = lrfm.solve(line, tol=1e-6)
    y = np.linspace(0, 1, 11)
    for t in (0.05, 0.5, 1.0):
        np.testing.assert_allclose(plane(x=2.0, y=y, t=t), exact(y=y, t=t), atol=1e-3)
    assert plane.report.error_estimate <= 1e-3


@pytest.mark.thorough
@pytest.mark.slow
def test_rolls_between_plates_and_their_nusselt_number():
    """Ra = 10,000, Pr = 0.71, wave number 3.117: Nu = 2.653 (twice the digits, more modes); 2.661 by Clever and Busse, J. Fluid Mech. 65 (1974), with few modes."""
    nu, kappa, wave = np.sqrt(0.71 / 1e4), 1 / np.sqrt(0.71e4), 3.117
    problem = lrfm.Problem(
        [
            "u_t + u*u_x + v*u_y = -p_x + nu*lap(u)",
            "v_t + u*v_x + v*v_y = -p_y + nu*lap(v) + T",
            "u_x + v_y = 0",
            "T_t + u*T_x + v*T_y = kappa*lap(T)",
        ],
        domain=lrfm.Box(x=(0, 2 * PI / wave), y=(0, 1)),
        time=(0, 35),
        initial={"u": "0", "v": "0", "T": f"1 - y + 0.1*cos({wave}*x)*sin(pi*y)"},
        boundary={"x": "periodic", "y-": ["u = 0", "v = 0", "T = 1"], "y+": ["u = 0", "v = 0", "T = 0"]},
        parameters={"nu": float(nu), "kappa": float(kappa)},
    )
    solution = lrfm.solve(problem, tol=1e-3)
    (piece,) = solution.pieces
    assert isinstance(piece, SeriesSteps)
    x = np.linspace(0, 2 * PI / wave, 32, endpoint=False)
    slope = Jet("T", (0, 1, 0))
    for y in (0.0, 1.0):
        points = np.column_stack([x, np.full(32, y), np.full(32, 35.0)])
        assert np.isclose(-np.mean(piece.values([slope], points)[slope]), 2.653, rtol=3e-3)


def test_polynomials_are_taken_where_sines_decay_slowly():
    """y(1 − y) is odd over the walls, with a jump in its second derivative there; sin(πy) is not."""
    walls = {"x": "periodic", "y": "u = 0"}
    rough = strip("u_t + 4*y*(1 - y)*u_x = 0.1*lap(u)", "sin(x)*y*(1 - y)", walls, time=(0, 0.2))
    smooth = strip("u_t = 0.1*lap(u)", "sin(x)*sin(pi*y)", walls, time=(0, 0.2))
    across = [lrfm.solve(problem, tol=1e-5).pieces[0].meshes[0].polynomial for problem in (rough, smooth)]
    assert across == [(1,), ()]


BOX = lrfm.Box(x=(0, 1), y=(0, 2))


@pytest.mark.parametrize("tol", [1e-3, 1e-6])
def test_a_box_with_data_on_all_faces(tol):
    u = "exp(-t)*sin(x + 2*y)"
    problem = lrfm.Problem(
        f"u_t = lap(u) + 4*{u}", domain=BOX, time=(0, 1), initial="sin(x + 2*y)", boundary=f"u = {u}"
    )
    solution = solved(problem, tol)
    assert (
        relative(solution, lambda x, y, t: np.exp(-t) * np.sin(x + 2 * y))
        <= solution.report.error_estimate
        <= tol
    )


def test_a_box_is_taken_where_the_start_has_a_layer():
    """u_t = Δu + 1 with u = 0: rates that the walls do not have. The mean of u tends to that of −Δu = 1."""
    problem = lrfm.Problem(
        "u_t = lap(u) + 1",
        domain=BOX,
        time=(0, 2),
        initial="0*x",
        boundary={"x": "u = 0", "y-": "u = 0", "y+": "u_n = 0"},
    )
    solution = lrfm.solve(problem, tol=1e-4)
    assert solution.pieces[0].meshes[0].polynomial == (0, 1)
    odd = [(i, j) for i in range(1, 400, 2) for j in range(1, 400, 2)]
    exact = sum(
        16 / (PI**2 * i * j) * np.sin(i * PI / 2) * np.sin(j * PI / 4) / (PI**2 * (i**2 + j**2 / 16))
        for i, j in odd
    )
    assert abs(solution(x=0.5, y=1.0, t=2.0) - exact) < 1e-4 * exact * 10
