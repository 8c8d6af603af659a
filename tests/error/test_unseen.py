# SPDX-License-Identifier: MIT
"""Data that no point has seen: found along times that follow the data, with the size of what is missing."""

import math

import numpy as np
import pytest

import lrfm
from lrfm.error.sizes import sizes_over
from lrfm.error.undersampled import fast_times, undersampled
from lrfm.problem import Box, Jet, Problem


class Known:
    """A window on which every derivative of u is a given function of (x, t)."""

    def __init__(self, functions, window=(0.0, 1.0)):
        self.functions, self.window = functions, window

    def values(self, jets, points):
        return {j: self.functions[j.index](points[:, 0], points[:, -1]) + 0 * points[:, 0] for j in jets}


def forced(source, equation="u_t = 0.1*u_xx", **changes):
    given = {
        "domain": Box(x=(0, 1)),
        "time": (0, 1),
        "initial": "0*x",
        "boundary": "u = 0",
        "check_corners": False,
    }
    return Problem(f"{equation} + {source}", **{**given, **changes})


ZERO = Known({index: lambda x, t: 0 * x for index in ((0, 0), (0, 1), (2, 0), (0, 2))})
UNIT = lambda row: 1.0  # noqa: E731


@pytest.mark.parametrize(
    ("source", "scale", "effect"),
    [
        ("sin(600*t)", 2 / 600, math.sqrt(1.5) / 600),  # ∫ = (1 − cos 600 t)/600
        ("1e5*exp(-t/1e-5)", 1e-5, 1.0),
        ("1e4*exp(-((t - 0.3)/1e-4)**2)", 1.2e-4, math.sqrt(np.pi * 0.7)),  # a step of √π at t = 0.3
        ("1e5*exp((t - 1)/1e-5)", 1e-5, math.sqrt(0.5e-5)),
    ],
)
def test_a_solution_that_ignores_fast_data(source, scale, effect):
    """For u = 0 the residual is the source itself: the ratio is one, the effect rms of its integral."""
    found = undersampled(forced(source), [ZERO], UNIT)
    assert found.ratio == pytest.approx(1.0)
    assert found.scale == pytest.approx(scale, rel=0.2)
    assert found.effect == pytest.approx(effect, rel=0.05)


@pytest.mark.parametrize("frequency", [1000, 2000, 5000, 1e5])
def test_what_is_too_fast_for_the_times_is_not_understated(frequency):
    """Beyond some hundred periods the integral is a sample of random times: too large, never too small."""
    found = undersampled(forced(f"sin({frequency}*t)"), [ZERO], UNIT)
    assert found.scale == pytest.approx(2 / frequency, rel=0.01)
    assert 0.9 * math.sqrt(1.5) / frequency < found.effect < 0.05


def test_the_size_of_the_solution_and_the_factor_of_the_derivative_count():
    problem = forced("1e5*exp(-t/1e-5)", "4*u_t = 0.1*u_xx")
    assert undersampled(problem, [ZERO], lambda row: 2.0).effect == pytest.approx(1 / 8, rel=0.05)


def test_second_order_in_time_integrates_twice():
    """u_tt = 1e5 e^(−t/1e-5): the velocity jumps by one, and u = t has rms 1/√3."""
    problem = forced("1e5*exp(-t/1e-5)", "u_tt = 0.1*u_xx", initial={"u": "0", "u_t": "0"})
    assert undersampled(problem, [ZERO], UNIT).effect == pytest.approx(1 / math.sqrt(3), rel=0.05)


def test_what_follows_the_data_is_not_accused():
    """u = e^(−t/1e-5) solves its equation; slow data are not even looked at."""
    layer = Known(
        {
            (0, 0): lambda x, t: np.exp(-t / 1e-5),
            (0, 1): lambda x, t: -1e5 * np.exp(-t / 1e-5),
            (2, 0): lambda x, t: 0 * x,
        }
    )
    problem = forced("-1e5*exp(-t/1e-5)", initial="1", boundary={"x": None})
    assert undersampled(problem, [layer], UNIT) is None
    assert undersampled(problem, [ZERO], UNIT) is not None
    assert undersampled(forced("5*sin(3*t)*x"), [ZERO], UNIT) is None
    assert undersampled(forced("5*x**2"), [ZERO], UNIT) is None


def test_fast_data_on_a_face_and_in_a_function_of_the_user():
    face = Problem(
        "u_t = u_xx", domain=Box(x=(0, 1)), time=(0, 1), initial="0", boundary={"x-": "u = 0", "x+": "u = 0.1*sin(900*t)"}
    )  # fmt: skip
    found = undersampled(face, [ZERO], UNIT)
    assert "`x+`" in found.label
    assert found.effect == pytest.approx(0.1 / math.sqrt(2), rel=0.05)
    given = forced("f", parameters={"f": lambda x, t: 1e4 * np.exp(-t / 1e-4) * (1 + x)})
    assert undersampled(given, [ZERO], UNIT).scale == pytest.approx(1e-4, rel=0.2)


def test_blocks_are_evaluated_each_in_its_window():
    """The second of two windows solves nothing, and the pulse lies in it."""
    right = Known(ZERO.functions, (0.0, 0.5))
    broken = {**ZERO.functions, (0, 1): lambda x, t: 1e4 * np.exp(-(((t - 0.8) / 1e-4) ** 2))}
    problem = forced("1e4*exp(-((t - 0.8)/1e-4)**2)")
    assert undersampled(problem, [right, Known(ZERO.functions, (0.5, 1.0))], UNIT) is not None
    assert undersampled(problem, [right, Known(broken, (0.5, 1.0))], UNIT) is None


def test_times_gather_where_the_data_change_and_stay_few():
    (row,) = forced("exp(-((t - 0.3)/1e-3)**2)").rows
    times, _ = fast_times(row, np.full((4, 1), 0.5), (0.0, 1.0))
    assert np.sum(np.abs(times - 0.3) < 3e-3) > 50
    (row,) = forced("sin(1e7*t)").rows
    assert len(fast_times(row, np.full((4, 1), 0.5), (0.0, 1.0))[0]) <= 3000


def test_sizes_over_windows_are_weighted_by_their_lengths():
    one, two = (
        Known({(0, 0): lambda x, t: 1 + 0 * x}, (0, 0.2)),
        Known({(0, 0): lambda x, t: 3 + 0 * x}, (0.2, 1)),
    )
    problem = forced("1", initial="1")
    assert problem.value_jets == [Jet("u", (0, 0))]
    assert sizes_over(problem, [one, two], np.random.default_rng(0)) == {"u": pytest.approx(0.2 + 0.8 * 9)}


def test_a_pulse_between_all_points_is_not_claimed():
    """Two draws agree to 1e-7 on a solution that knows nothing of the pulse; the estimate says so, and a warning why."""
    problem = forced("1e4*sin(pi*x)*exp(-((t - 0.3)/1e-4)**2)", initial="sin(pi*x)")
    report = lrfm.solve(problem, method=lrfm.SpaceTime(features=60, blocks=1), tol=1e-2, strict=False).report
    assert report.indicators["draws"] < 1e-2
    assert report.decided_by == "unseen"
    assert report.error_estimate > 1.0
    assert report.status == "tolerance not met"
    assert any("given data change within 1" in text for text in report.warnings)
