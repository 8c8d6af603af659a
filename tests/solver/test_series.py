# SPDX-License-Identifier: MIT
"""`lrfm.solve` with series: statements with known solutions, refusals, claims, files, limits, checkpoints."""

import numpy as np
import pytest
from helpers import Clock
from on_series import PI, SERIES, box, relative, solved

import lrfm
from lrfm.problem import Jet
from lrfm.rows.cell_steps import CellSteps
from lrfm.rows.series_steps import SeriesSteps

PATTERN = box("u_t = lap(u) + u - u**3", "0.3*cos(x)*sin(y) + 0.2*cos(2*x + y)", time=(0, 2))
NAVIER_STOKES = [
    "u_t + u*u_x + v*u_y = -p_x + 0.1*lap(u)",
    "v_t + u*v_x + v*v_y = -p_y + 0.1*lap(v)",
    "u_x + v_y = 0",
]


@pytest.fixture(scope="module")
def pattern():
    return lrfm.solve(PATTERN, tol=1e-4)


# Known solutions --------------------------------------------------------------------------------------------


def test_it_is_taken_for_boxes_in_the_plane(pattern):
    assert all(isinstance(piece, SeriesSteps) for piece in pattern.pieces)
    text = str(pattern.report)
    assert "method of lines with Fourier, sine, cosine or Legendre series" in text
    assert "modes" in text
    assert "exponential Runge-Kutta" in text
    assert pattern.report.error_estimate <= 1e-4


@pytest.mark.parametrize(
    ("name", "problem", "exact", "tol"),
    [
        (
            "walls",
            box("u_t = lap(u)", "sin(x)*sin(2*y)", "u = 0", length=PI, time=(0, 0.5)),
            lambda x, y, t: np.sin(x) * np.sin(2 * y) * np.exp(-5 * t),
            1e-7,
        ),
        (
            "insulated",
            box(
                "u_t = 0.1*lap(u) - u + u**3 - (cos(x)*cos(y)*exp(-1.2*t))**3",
                "cos(x)*cos(y)",
                "u_n = 0",
                length=PI,
            ),
            lambda x, y, t: np.cos(x) * np.cos(y) * np.exp(-1.2 * t),
            1e-6,
        ),
        (
            "transport in space",
            box("u_t + u_x + 2*u_y - u_z = 0", "exp(sin(x) + cos(y + z))", axes="xyz"),
            lambda x, y, z, t: np.exp(np.sin(x - t) + np.cos(y - 2 * t + z + t)),
            1e-5,
        ),
        (
            "driven",
            box("u_t = lap(u) + cos(t)*sin(x + y) + 2*sin(t)*sin(x + y)", "0*x"),
            lambda x, y, t: np.sin(t) * np.sin(x + y),
            1e-6,
        ),
        (
            "fluxes beside a plain term with a number before it",
            box("u_t + u*u_x + u*u_y = lap(u) - 3*u**3", "0.5 + 0*x"),
            lambda x, y, t: 1 / np.sqrt(4 + 6 * t) + 0 * x,
            1e-5,
        ),
        (
            "fluxes beside a number",
            box("u_t + u*u_x + u*u_y = lap(u) + 2", "0.5 + 0*x"),
            lambda x, y, t: 0.5 + 2 * t + 0 * x,
            1e-5,
        ),
        (
            "beam",
            box("u_tt = -lap(lap(u))", {"u": "cos(x + y)", "u_t": "0*x"}),
            lambda x, y, t: np.cos(x + y) * np.cos(2 * t),
            1e-8,
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_known_solutions(name, problem, exact, tol):
    solution = solved(problem, tol)
    error = relative(solution, exact)
    assert error <= solution.report.error_estimate <= tol


def test_taylor_and_green():
    solution = solved(box(NAVIER_STOKES, {"u": "cos(x)*sin(y)", "v": "-sin(x)*cos(y)"}), 1e-6)
    assert relative(solution, lambda x, y, t: np.cos(x) * np.sin(y) * np.exp(-0.2 * t)) < 1e-6
    pressure = lambda x, y, t: -(np.cos(2 * x) + np.cos(2 * y)) / 4 * np.exp(-0.4 * t)  # noqa: E731
    assert relative(solution, pressure, "p") < 1e-6
    assert solution.report.undetermined == ("p",)


def test_plane_waves_of_elasticity():
    c = np.sqrt(3.0)
    data = {"u": "sin(x)", "u_t": f"{-c}*cos(x)", "v": "cos(x)", "v_t": "sin(x)"}
    equations = ["u_tt = 3*u_xx + u_yy + 2*v_xy", "v_tt = v_xx + 3*v_yy + 2*u_xy"]
    solution = lrfm.solve(box(equations, data), tol=1e-9)
    assert relative(solution, lambda x, y, t: np.sin(x - c * t)) < 1e-9
    assert relative(solution, lambda x, y, t: np.cos(x - t), "v") < 1e-9


def test_a_soliton_of_the_cubic_schroedinger_equation():
    problem = lrfm.Problem(
        "1j*q_t = -q_xx - 2*abs(q)**2*q",
        domain=lrfm.Box(x=(-16, 16)),
        time=(0, 1),
        initial="sech(x)*exp(1j*x)",
        boundary="periodic",
        unknowns={"q": complex},
        parameters={},
    )
    solution = solved(problem, 1e-5)
    x, t = np.meshgrid(np.linspace(-10, 12, 60), np.linspace(0, 1, 7))
    exact = np.exp(1j * x) / np.cosh(x - 2 * t)
    # The box cuts tails of 2e-7 off.
    assert np.linalg.norm(solution(x=x, t=t) - exact) < 2e-5 * np.linalg.norm(exact)


# Claims -----------------------------------------------------------------------------------------------------


def test_narrow_sources_are_seen():
    place = 3.9
    problem = box(f"u_t = lap(u) + 50*exp(-((x - {place})**2 + (y - 2)**2)/0.02)", "cos(x)", time=(0, 0.2))
    solution = solved(problem, 1e-3)
    assert solution(x=place, y=2.0, t=0.2) - np.cos(place) * np.exp(-0.2) > 0.8
    fine = solved(problem, 1e-4)
    x, y = np.random.default_rng(0).random((2, 400)) * 2 * PI
    gap = solution(x=x, y=y, t=0.2 + 0 * x) - fine(x=x, y=y, t=0.2 + 0 * x)
    assert np.linalg.norm(gap) < 2e-3 * np.linalg.norm(fine(x=x, y=y, t=0.2 + 0 * x))


@pytest.mark.thorough
@pytest.mark.slow
def test_sources_that_are_thinner_than_the_first_grid_are_seen():
    problem = box("u_t = lap(u) + 400*exp(-((x - 1.234)**2 + (y - 2.5)**2)/0.001)", "0*x", time=(0, 0.1))
    solution = solved(problem, 1e-2)
    integral = 400 * PI * 0.001 * 0.1  # what the source brings in
    x = np.linspace(0, 2 * PI, 65)[:-1]
    mean = np.mean(solution(x=x[:, None], y=x[None, :], t=0.1 + 0 * x[:, None] * x[None, :]))
    assert mean * (2 * PI) ** 2 == pytest.approx(integral, rel=1e-2)


def test_short_waves_are_not_taken_for_long_ones():
    solution = solved(box("u_t = 0.001*lap(u)", "cos(49*x)*cos(y)", time=(0, 0.1)), 1e-5)
    assert relative(solution, lambda x, y, t: np.cos(49 * x) * np.cos(y) * np.exp(-2.402 * t)) < 1e-5


def test_data_that_are_not_smooth_on_the_circle_are_refused():
    with pytest.raises(lrfm.ProblemError, match="not resolved"):
        solved(box("u_t + u_x + u_y = 0", "x*(2*pi - x) + abs(y - 1)", time=(0, 0.1)), 1e-7)


def test_chaos_is_claimed_only_as_far_as_two_solves_agree(monkeypatch):
    problem = lrfm.Problem(
        "u_t + u*u_x + u_xx + u_xxxx = 0",
        domain=lrfm.Box(x=(0, 32 * PI)),
        time=(0, 400),
        initial="cos(x/16)*(1 + sin(x/16))",
        boundary="periodic",
    )
    Clock(monkeypatch, pace=0.01)
    solution = solved(problem, 1e-2, strict=False, max_seconds=2)
    assert not solution.report.error_estimate <= 1e-2


# The statement says what is possible ------------------------------------------------------------------------


def test_one_dimension_is_left_to_cells():
    solution = lrfm.solve(box("u_t = u_xx + u - u**3", "0.5*cos(x)", axes="x"), tol=1e-3)
    assert all(isinstance(piece, CellSteps) for piece in solution.pieces)


def test_what_they_do_not_hold_gets_a_sentence():
    disk = lrfm.Problem("u_t = lap(u)", domain=lrfm.Disk(), time=(0, 1), initial="1", boundary="u_n = 0")
    with pytest.raises(lrfm.ProblemError, match="does not hold this statement"):
        lrfm.solve(disk, tol=1e-3, method=SERIES)


# The solution -----------------------------------------------------------------------------------------------


def test_derivatives_and_grids_agree_with_points(pattern):
    (piece,) = pattern.pieces
    jets = [Jet("u", index) for index in ((0, 0, 0), (1, 0, 0), (0, 2, 0), (1, 1, 1))]
    x, y, t = np.array([0.3, 2.0]), np.array([1.0, 4.0, 5.5]), np.array([0.0, 0.7, 1.9])
    grid = piece.on_grid(jets, [x, y], t)
    mesh = np.meshgrid(t, x, y, indexing="ij")
    points = np.column_stack([mesh[1].ravel(), mesh[2].ravel(), mesh[0].ravel()])
    for jet, values in piece.values(jets, points).items():
        assert np.allclose(values, grid[jet].ravel(), rtol=0, atol=1e-12)
    one = piece.values(jets, points[:1])
    assert all(np.isclose(one[jet][0], grid[jet][0, 0, 0]) for jet in jets)
    row = PATTERN.rows[0]
    assert np.max(np.abs(piece.residual(row, points))) < 1e-2


def test_files(tmp_path, pattern):
    pattern.save(tmp_path / "pattern.lrfm")
    again = lrfm.load(tmp_path / "pattern.lrfm")
    at = {"x": 0.4, "y": np.linspace(0, 6, 5), "t": 1.3}
    assert np.array_equal(again(**at), pattern(**at))


def test_records_that_do_not_belong_together_are_refused(pattern):
    record = pattern.pieces[0].record()
    SeriesSteps.from_record(**record)
    for name, wrong in (
        ("rows", record["rows"][:-1]),
        ("mesh_of", [9] * len(record["mesh_of"])),
        ("counts", [[-1, 2]] * len(record["counts"])),
        ("parities", [[2, 0]]),
        ("periodic", [1, True]),
        ("edges", record["edges"][::-1]),
        ("stages", 0),
    ):
        with pytest.raises(ValueError):  # noqa: PT011
            SeriesSteps.from_record(**{**record, name: wrong})


def test_a_checkpoint_goes_on_bit_for_bit(tmp_path):
    problem = box("u_t = lap(u) + u - u**3", "0.3*cos(x)*sin(y)", time=(0, 1))
    whole, seen = solved(problem, 1e-3), []

    def stop(stage, done, total):
        seen.append(done)
        if done > 40:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        solved(problem, 1e-3, checkpoint=tmp_path / "run.ckpt", progress=stop)
    again = solved(problem, 1e-3, checkpoint=tmp_path / "run.ckpt")
    assert again.report.error_estimate == whole.report.error_estimate
    assert np.array_equal(
        again(x=1.0, y=2.0, t=np.linspace(0, 1, 9)), whole(x=1.0, y=2.0, t=np.linspace(0, 1, 9))
    )


def test_a_clock_that_runs_out_hands_back_what_there_is(monkeypatch):
    problem = box(
        ["w_t + psi_y*w_x - psi_x*w_y = 1e-4*lap(w)", "lap(psi) = -w"],
        {"w": "sin(x)*cos(2*y) + cos(2*x + y)"},
        time=(0, 50),
    )
    Clock(monkeypatch, pace=0.02)
    solution = solved(problem, 1e-3, strict=False, max_seconds=1.0)
    assert solution.report.failed
    assert 0 < solution.block_edges[-1] < 50
