# SPDX-License-Identifier: MIT
"""Ctrl-C, a callback that raises and `max_seconds` hand back what there is, and a solve that goes on does not search again."""

import numpy as np
import pytest
from helpers import Clock

import lrfm
from lrfm.cli import main
from lrfm.linalg.deadline import check_deadline, deadline
from lrfm.problem import Jet
from lrfm.solver.beginning import beginning
from lrfm.spacetime.least_squares import QR

HEAT = lrfm.Problem(
    "u_t = u_xx", domain=lrfm.Box(x=(0, 1)), time=(0, 0.1), initial="sin(pi*x)", boundary="u = 0"
)
HAND = {
    "method": lrfm.SpaceTime(space=lrfm.Liquid(features=60, vanish=("x-", "x+")), blocks=4),
    "estimate": False,
}


def exact(x, t):
    return np.exp(-(np.pi**2) * t) * np.sin(np.pi * x)


class Enough(Exception):
    """Thrown by a progress callback."""


@pytest.mark.parametrize("interrupt", [KeyboardInterrupt, Enough])
@pytest.mark.parametrize("given", [HAND, {"method": "lines", "estimate": False}], ids=["space-time", "lines"])
def test_a_march_that_is_broken_off_hands_over_what_it_has(interrupt, given):
    # Lines would leap over a linear statement that stays the same in time; a term that is zero makes it march.
    heat = HEAT.replace(equation="u_t = u_xx + 1e-300*u**2")

    def stop(stage, done, total):
        if done / total >= 0.2:
            raise interrupt

    with pytest.raises(interrupt) as broken:
        lrfm.solve(heat, **given, progress=stop)
    solution = broken.value.solution
    end = solution.block_edges[-1]
    assert 0.02 <= end < 0.1
    assert not solution.report.solved
    assert np.isnan(solution.report.error_estimate)
    x = np.linspace(0, 1, 9)
    np.testing.assert_allclose(solution(x=x, t=end), exact(x, end), atol=1e-4)
    assert solution.to_xarray(x=3, t=3).t[-1] == end
    if interrupt is KeyboardInterrupt:  # pictures show what there is
        assert solution.plot(resolution=9).axes
        assert solution.animate(frames=2, resolution=9)._repr_html_()


BEFORE = {
    "a line": HEAT,
    "waves": HEAT.replace(equation="u_tt = u_xx", initial={"u": "sin(pi*x)", "u_t": "x*(1 - x)"}),
    "complex": HEAT.replace(equation="1j*u_t = u_xx", initial="sin(pi*x)*exp(2j*x)", unknowns={"u": complex}),
    "a region": lrfm.Problem(
        "u_t = lap(u)", domain=lrfm.Disk(radius=1), time=(0.5, 0.8), initial="(1 - x**2 - y**2)*y", boundary="u = 0"
    ),
    "layers": lrfm.Problem(
        "u_t = diff(k*u_x, x)", domain=lrfm.Layers(a=lrfm.Box(x=(0, 1)), b=lrfm.Box(x=(1, 2))), time=(0, 1),
        initial={"a": "x", "b": "1 + sin(x - 1)"}, boundary={"x-": "u = 0", "x+": "u_x = 0"}, parameters={"k": {"a": 1.0, "b": 3.0}},
        check_corners=False,
    ),
    "a flow": lrfm.Problem(
        ["w_t + psi_y*w_x - psi_x*w_y = lap(w)", "lap(psi) = -w"], domain=lrfm.Box(x=(0, 1), y=(0, 1)), time=(0, 1),
        initial={"w": "cos(2*pi*x)*cos(2*pi*y)"}, boundary="periodic",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BEFORE)
def test_broken_off_before_the_first_step_the_initial_data_are_handed_over(name, tmp_path):
    def stop(stage, done, total):
        raise KeyboardInterrupt

    problem = BEFORE[name]
    start = problem.time[0]
    with pytest.raises(KeyboardInterrupt) as broken:
        lrfm.solve(problem, tol=1e-3, progress=stop)
    assert "before its first step" in broken.value.__notes__[0]
    solution = broken.value.solution
    assert tuple(solution.block_edges) == (start, start)
    assert "interrupted before the first step" in solution.report.reason
    assert not solution.report.solved
    points = problem.domain.quadrature(60).points
    at = dict(zip(problem.domain.names, points.T, strict=True)) | {"t": start}
    full = np.column_stack([points, np.full(len(points), start)])
    for (unknown, order), datum in problem.initial_data.items():
        given = sum(
            f * datum.part(full, n) for f, n in zip((1, 1j), problem.fields_of(unknown), strict=False)
        )
        found = solution[unknown + "_t" * order](**at)
        assert np.linalg.norm(found - given) < 1e-2 * np.linalg.norm(given)
    rate = f"{next(iter(problem.unknowns))}_{'t' * problem.time_orders[next(iter(problem.unknowns))]}"
    assert np.all(np.isnan(solution[rate](**at)))  # nobody knows how it goes on
    solution.save(tmp_path / "start.lrfm")
    again = lrfm.load(tmp_path / "start.lrfm")
    for unknown in problem.unknowns:
        np.testing.assert_array_equal(again[unknown](**at), solution[unknown](**at))


def test_what_is_smooth_in_each_layer_is_handed_over_to_its_ends():
    """Polynomials of degree 159 through points that are spread evenly swing between the last of them and an interface."""
    piece, misfit = beginning(BEFORE["layers"], seed=0)
    assert misfit < 1e-10
    x = np.concatenate([1 - np.geomspace(1e-9, 1, 200), 1 + np.geomspace(1e-9, 1, 200)])
    u = Jet("u", (0, 0))
    found = piece.values([u], np.column_stack([x, np.zeros_like(x)]))[u]
    assert np.max(np.abs(found - np.where(x < 1, x, 1 + np.sin(x - 1)))) < 1e-8


# Half a second is given in any case: at the first pace that has passed when something looks for the first time, at the second one the limit has passed and half
# a second never does.
@pytest.mark.parametrize("pace", [1.0, 1e-8], ids=["a slow machine", "a fast one"])
def test_a_picture_of_the_initial_data_is_drawn(pace, monkeypatch):
    corners = lrfm.Polygon([(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)])
    problem = BEFORE["a region"].replace(domain=corners, initial="cos(x)*y", check_corners=False)
    Clock(monkeypatch, pace)
    solution = lrfm.solve(problem, tol=1e-3, max_seconds=1e-9, strict=False)
    assert solution.plot(resolution=9).axes
    assert solution.to_xarray(x=3, y=3, t=3).t.values.tolist() == [0.5]
    assert solution.report.status is lrfm.Status.OUT_OF_TIME
    assert "`max_seconds=1e-09` passed before the first step" in solution.report.reason
    assert solution.report.method == "lines"
    assert "t reached is 0.5" in solution.report.warnings[-1]
    with pytest.raises(ValueError, match=r"t=0.6 lies outside of \[0.5, 0.5\]"):
        solution(x=0.5, y=0.5, t=0.6)


def test_a_comparison_out_of_time_before_its_first_step_leaves_the_first_solve(monkeypatch):
    """Nothing of the statement follows from it: another method is not tried."""
    clock = Clock(monkeypatch)

    def late(stage, done, total):
        clock.time = 0.2 if stage == "estimating the error" else clock.time

    solution = lrfm.solve(HEAT, tol=1e-4, max_seconds=0.1, strict=False, progress=late)
    assert solution.report.method == "lines"
    assert solution.block_edges[-1] == 0.1
    assert np.isnan(solution.report.error_estimate)
    assert solution(x=0.5, t=0.1) == pytest.approx(exact(0.5, 0.1), rel=1e-3)


def test_broken_off_in_the_second_draw_the_first_one_is_handed_over():
    def stop(stage, done, total):
        if stage == "estimating the error":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as broken:
        lrfm.solve(HEAT, tol=1e-6, progress=stop)
    solution = broken.value.solution
    assert solution.block_edges[-1] == 0.1
    assert solution(x=0.5, t=0.1) == pytest.approx(exact(0.5, 0.1), rel=1e-6)
    assert not solution.report.solved  # a tolerance, and no estimate


def test_a_better_attempt_that_is_broken_off_leaves_the_one_before(monkeypatch):
    ended = []
    monkeypatch.setattr(
        "lrfm.solver.attempts.IntegrationAttempts.enough", lambda self, solution: ended.append(solution)
    )

    def stop(stage, done, total):
        if ended:  # the first pair: what is told now is of the next one
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as broken:
        lrfm.solve(HEAT, tol=1e-6, progress=stop)
    assert broken.value.solution.report.error_estimate <= 1e-6


def test_without_initial_data_there_is_nothing_to_hand_over():
    def stop(*what):
        raise KeyboardInterrupt

    orbit = lrfm.Problem(
        "u_t = u_xx + cos(2*pi*t)",
        domain=lrfm.Box(x=(0, 1)),
        time=(0, 1),
        initial="periodic",
        boundary="u = 0",
    )
    with pytest.raises(KeyboardInterrupt) as broken:
        lrfm.solve(orbit, tol=1e-6, progress=stop)
    assert broken.value.solution is None


def test_the_command_writes_what_there_is_and_says_so(tmp_path, monkeypatch, capsys):
    solution = lrfm.solve(HEAT, method="lines", estimate=False)

    def interrupted(*args, **kwargs):
        error = KeyboardInterrupt()
        error.solution = solution
        raise error

    monkeypatch.setattr("lrfm.solver.api.solve", interrupted)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "heat.toml").write_text(
        'equation = "u_t = u_xx"\ntime = [0, 0.1]\ninitial = "sin(pi*x)"\nboundary = "u = 0"\ndomain = {x = [0, 1]}'
    )
    with pytest.raises(SystemExit) as ended:
        main(["solve", "heat.toml", "--out", "u.lrfm"])
    assert ended.value.code == 130
    assert "up to t = 0.1, is in u.lrfm" in " ".join(capsys.readouterr().err.split())
    assert lrfm.load("u.lrfm")(x=0.5, t=0.1) == solution(x=0.5, t=0.1)


def test_a_resumed_solve_does_not_search_again(tmp_path):
    given = {"method": "space-time", "tol": 1e-3, "strict": False}
    whole, stages = lrfm.solve(HEAT, **given), []

    def stop(stage, done, total):
        if stage == "estimating the error":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        lrfm.solve(HEAT, **given, checkpoint=tmp_path / "c", progress=stop)
    again = lrfm.solve(
        HEAT, **given, checkpoint=tmp_path / "c", progress=lambda stage, *how: stages.append(stage)
    )
    assert stages == []  # no pilots, and no march: the second draw was kept, too
    assert again.report.error_estimate == whole.report.error_estimate
    # Another tolerance is another search; it goes on where that comes to the same march.
    try:
        other = lrfm.solve(HEAT, **{**given, "tol": 1e-5}, checkpoint=tmp_path / "c", progress=lambda stage, *how: stages.append(stage))  # fmt: skip
        assert other.report.error_estimate <= 1e-5
    except ValueError as error:
        assert "belongs to another integration" in str(error)  # noqa: PT017
    assert any("pilot" in stage for stage in stages)


# The clock ------------------------------------------------------------------------------------------------------


class Late(Exception):
    """Thrown by a check of the clock."""


def test_a_factorization_looks_at_the_clock():
    looks = []

    def check():
        looks.append(1)
        if len(looks) == 3:
            raise Late

    rng = np.random.default_rng(0)
    A, b = rng.standard_normal((900, 500)), rng.standard_normal(900)
    with deadline(check), pytest.raises(Late):
        QR().solve(A.copy(), b)
    assert len(looks) == 3
    assert QR().solve(A.copy(), b).rank == 500
    check_deadline()  # nobody waits


@pytest.mark.parametrize(
    "given",
    [
        {"method": "space-time", "tol": 1e-12},
        {"method": lrfm.SpaceTime(features=800)},
        {"method": "lines", "tol": 1e-12},
    ],
)
def test_a_limit_of_seconds_holds(given, monkeypatch):
    """It ends what was to take much longer, after so many looks; by how many seconds it is exceeded is measured by benchmarks/budgets.py."""
    problem = lrfm.catalog.multiscale_3d() if given["method"] == "lines" else lrfm.catalog.wave_2d()
    clock = Clock(monkeypatch, pace=0.1)
    report = lrfm.solve(problem, **given, strict=False, max_seconds=1.5).report
    assert not report.solved
    assert report.stopped.startswith("max_seconds") or report.status is lrfm.Status.OUT_OF_TIME
    assert clock.time < 10
