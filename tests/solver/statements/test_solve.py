# SPDX-License-Identifier: MIT
"""Lines through the front door: chosen where they apply, refused with a sentence elsewhere, and a solution like any other."""

import numpy as np
import pytest
from helpers import Clock, by_hand, random_error

import lrfm

UNDAMPED = ("wave", "advection", "klein-gordon", "acoustics", "beam", "cantilever")
FOLLOWED = ("burgers-front", "allen-cahn", "nls", "bbm")


def heat(**changes):
    given = {
        "domain": lrfm.Box(x=(0, 1)),
        "time": (0, 0.1),
        "initial": "sin(pi*x)",
        "boundary": "u = 0",
        "reference": lambda x, t: np.exp(-(np.pi**2) * t) * np.sin(np.pi * x),
    }
    return lrfm.Problem("u_t = u_xx", **(given | changes))


@pytest.mark.parametrize("name", [*UNDAMPED, *FOLLOWED])
def test_the_catalog_is_solved_to_its_tolerance(name):
    """What the default gives to global functions, and a few that sensitivities and operators march with them; all others are in tests/test_golden.py."""
    problem = lrfm.catalog.get(name)
    solution = lrfm.solve(problem, tol=1e-6, method="lines")
    assert solution.report.status == "tolerance met"
    assert random_error(solution, 500) <= 1e-6


@pytest.mark.parametrize("tol", [1e-3, 1e-6, 1e-9, 1e-11])
def test_tolerances_are_met_and_estimates_are_above_the_error(tol):
    solution = lrfm.solve(heat(), tol=tol)
    assert solution.report.method == "lines"
    assert random_error(solution) <= solution.report.error_estimate <= tol


def test_same_seed_same_bits():
    first, again = (lrfm.solve(heat(), tol=1e-6, seed=4) for _ in range(2))
    x, t = np.linspace(0, 1, 41), 0.07
    assert np.array_equal(first(x=x, t=t), again(x=x, t=t))
    assert first.report.seed == 4


def test_the_paper_is_chosen_where_its_parts_are_asked_for():
    assert lrfm.solve(heat(), method=lrfm.SpaceTime(features=40, blocks=1)).report.method == "space-time"
    assert (
        lrfm.solve(
            heat(), method=lrfm.SpaceTime(space=lrfm.Liquid(features=60)), estimate=False
        ).report.method
        == "space-time"
    )


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"method": "line"}, "`method='line'` is not known; expected one of auto, lines, space-time"),
        ({"method": "lines", "features": 40}, "`method='lines'` was given with `features`"),
        ({"method": "lines", "blocks": 4}, "`method='lines'` was given with `blocks`"),
    ],
)
def test_contradictions_get_a_sentence(given, said):
    with pytest.raises(ValueError, match=said):
        lrfm.solve(heat(), **by_hand(**given))


def test_a_file_gives_the_same_solution_back(tmp_path):
    solution = lrfm.solve(lrfm.catalog.burgers(nu=0.02), tol=1e-5)
    again = lrfm.load(solution.save(tmp_path / "run.lrfm"))
    x, t = np.linspace(-1, 1, 21)[:, None], np.linspace(0, solution.problem.time[1], 5)
    for name in ("u", "u_xx", "u_t", "u_xxxt"):
        there, here = (s.derivative(name)(x=x, t=t) for s in (again, solution))
        np.testing.assert_array_equal(there, here)
    assert again.report.method == "lines"


def test_data_that_contradict_each_other_are_solved_and_said():
    """A plate that is hot at the start and loses heat through one wall: a corner in the data, exact by its series."""
    problem = lrfm.Problem(
        "u_t = u_xx",
        domain=lrfm.Box(x=(0, 1)),
        time=(0, 1),
        initial="1",
        boundary={"x-": "u_n = 0", "x+": "u_n = -u"},
    )
    assert "contradict each other" in problem.warnings[0]
    solution = lrfm.solve(problem, tol=1e-3)
    roots = []
    for k in range(60):  # β tan β = 1
        low, high = np.pi * k + 1e-12, np.pi * (k + 0.5) - 1e-12
        for _ in range(80):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if middle * np.tan(middle) < 1 else (low, middle)
        roots.append(low)
    beta = np.array(roots)
    weight = 2 * np.sin(beta) / (beta + np.sin(beta) * np.cos(beta))
    x, t = np.linspace(0, 1, 41), np.array([0.01, 0.1, 1.0])
    exact = np.einsum("k,kx,kt->xt", weight, np.cos(np.outer(beta, x)), np.exp(-np.outer(beta**2, t)))
    found = solution(x=x[:, None], t=t)
    np.testing.assert_allclose(found[:, 0], exact[:, 0], atol=1e-2)  # the corner itself is where the error is
    np.testing.assert_allclose(found[:, 1:], exact[:, 1:], atol=2e-4)


def test_zero_is_a_solution():
    solution = lrfm.solve(heat(initial=0, reference=None), tol=1e-6)
    assert np.all(solution(x=np.linspace(0, 1, 5), t=0.05) == 0)
    assert solution.report.solved


def test_a_draw_that_was_kept_is_not_marched_again(tmp_path):
    """Broken off while the error is estimated: the first draw is in the file."""
    seen = []

    def stop(stage, done, total):
        seen.append(stage)
        if stage == "estimating the error":
            raise KeyboardInterrupt

    path = tmp_path / "march"
    with pytest.raises(KeyboardInterrupt):
        lrfm.solve(heat(), tol=1e-6, checkpoint=path, progress=stop)
    again = []
    solution = lrfm.solve(
        heat(), tol=1e-6, checkpoint=path, progress=lambda stage, done, total: again.append(stage)
    )
    assert "solving" in seen
    assert "solving" not in again
    whole = lrfm.solve(heat(), tol=1e-6)
    x = np.linspace(0, 1, 33)
    assert np.array_equal(solution(x=x, t=0.05), whole(x=x, t=0.05))
    assert solution.report.error_estimate == whole.report.error_estimate


def test_progress_goes_from_nothing_to_all():
    told = []
    lrfm.solve(lrfm.catalog.burgers(), tol=1e-6, progress=lambda *what: told.append(what))
    parts = [done / total for _, done, total in told]
    assert parts == sorted(parts)
    assert parts[-1] == 1.0
    assert len(parts) > 8


def test_when_time_runs_out_what_was_reached_is_handed_back(monkeypatch):
    problem = lrfm.catalog.allen_cahn(T=2.0)
    Clock(monkeypatch, pace=0.1)
    with pytest.raises(lrfm.ConvergenceError, match=r"Out of time|max_seconds") as caught:
        lrfm.solve(problem, tol=1e-9, method="lines", max_seconds=1.0)
    solution = caught.value.solution
    reached = solution.block_edges[-1]
    assert 0 < reached < 2.0
    assert np.all(np.isfinite(solution(x=np.linspace(-1, 1, 5), t=reached)))


def test_beams_are_solved_to_nine_digits_and_more():
    """Conditions up to u_xxx at an end: the cantilever of the catalog, and one whose data are none of its modes."""
    problem = lrfm.catalog.get("cantilever")
    solution = lrfm.solve(problem, tol=1e-9)
    assert solution.report.error_estimate < 1e-11
    x, t = np.linspace(0, 1, 31)[:, None], np.linspace(0, 0.5, 17)
    np.testing.assert_allclose(solution(x=x, t=t), problem.reference(x=x, t=t), atol=1e-11)
