# SPDX-License-Identifier: MIT
"""Starts that contradict the conditions: layers that diffusion removes, kinks that waves keep."""

import math

import numpy as np
import pytest

import lrfm
from lrfm.solver.lines.form import form_of
from lrfm.solver.lines.layer import Layer, close_enough
from lrfm.solver.lines.time_error import shorter

BOX = lrfm.Box(x=(0, 1))


def stated(equation: str, **change) -> lrfm.Problem:
    given = {"domain": BOX, "time": (0, 1), "initial": "1", "boundary": "u = 0"}
    return lrfm.Problem(equation, **{**given, **change})


@pytest.mark.parametrize(
    ("problem", "answer"),
    [
        (stated("u_t = 0.1*u_xx - 3*u_x + u - u**3"), True),
        (stated("u_t = -u_xxxx - u_xx - u*u_x", boundary="periodic"), True),
        (stated("u_t = lap(u)", domain=lrfm.Box(x=(0, 1), y=(0, 2))), True),
        (stated("u_t = u*u_xx"), False),  # may be no diffusion at all
        (stated("u_t = -u_x", boundary={"x-": "u = 0", "x+": None}), False),
        (stated("u_tt = u_xx", initial={"u": "1", "u_t": "0"}), False),
        (stated("1j*u_t = u_xx", unknowns={"u": complex}), False),
        (stated(["u_t = 0.1*u_xx - v", "v_t = u - v"], initial={"u": "1", "v": "0"}, boundary={"x-": "u = 0", "x+": "u = 0"}), False),
    ],
)  # fmt: skip
def test_diffusion_forgets_and_waves_do_not(problem, answer):
    """u = exp(λt + ikx) with −Re λ ≥ c|λ| for all short waves, whatever the solution is; v stays where it is."""
    assert form_of(problem).forgets is answer


def test_what_steps_may_add_is_a_part_of_the_tolerance_over_the_window():
    """∫ (m (t₁/t)^{3/4})² dt ≤ c tol² T for any misfit and any first step; nothing where waves last."""
    rng = np.random.default_rng(4)
    for _ in range(20):
        tol, misfit, first, span = 10 ** rng.uniform([-9, -3, -12, -2], [-3, 0, -2, 3])
        layer = Layer(True, (2.0, 2.0 + span), tol)
        layer.opened = first * span
        t = span * np.geomspace(first, 1, 4001)
        left = np.array([layer.left(misfit, 2.0 + s) for s in t])
        assert np.all(np.diff(left) <= 0)
        assert left[0] <= misfit
        assert math.sqrt(np.trapezoid(left**2, t) / span) < 0.1 * tol
        assert Layer(False, (2.0, 2.0 + span), tol).left(misfit, 2.0 + t[0]) == 0.0


def test_floors_age_with_layers():
    layer = Layer(True, (1.0, 5.0), 1e-6)
    layer.believe(0.2, 1.5)
    assert layer.floor_at(1.9) == 0.2
    assert layer.floor_at(2.1) == 0.0
    lasting = Layer(False, (1.0, 5.0), 1e-6)
    lasting.believe(0.2, 1.5)  # by the first step, which may begin from rest
    assert lasting.floor_at(2.1) == 0.0
    lasting.opened = 0.5
    lasting.believe(0.2, 1.5)
    assert lasting.floor_at(4.9) == 0.2
    assert lasting.explains(0.5, 4.9)
    assert not lasting.explains(0.7, 4.9)
    assert not lasting.explains(0.01, 4.9)  # it has fallen: functions may hold what is left
    assert close_enough(1e-4, True) == pytest.approx(3e-3)
    assert close_enough(1e-4, False) is None


def test_a_contradiction_is_a_layer_and_a_jump_is_not():
    """m > 2 m₀, m₀ the misfit without conditions: these have made it, and it is at a wall; else it is everywhere."""
    assert Layer(True, (0.0, 1.0), 1e-3, held=1e-4).opens(2e-3)
    assert not Layer(True, (0.0, 1.0), 1e-3, held=1.5e-3).opens(2e-3)
    assert Layer(True, (0.0, 1.0), 1e-3, held=1.5e-2).opens(2e-2)
    assert not Layer(True, (0.0, 1.0), 1e-3, held=0.0).opens(9e-4)
    assert Layer(True, (0.0, 1.0), 1e-3, held=1.5e-3).left(2e-3, 0.1) == 0.0


@pytest.mark.parametrize("order", [0.3, 0.5, 1.0, 3.0])
def test_a_length_follows_the_measured_order(order):
    """e = c h^p: after two lengths the third one has at most the error that is wanted, unless it is a thousand times shorter."""
    tol, lengths = 1e-3, [1e-2]
    error = lambda h: 5.0 * h**order  # noqa: E731
    late = []
    for _ in range(3):
        late.append((lengths[-1], error(lengths[-1])))
        lengths.append(lengths[-1] * shorter(late, tol, 5))
    assert error(lengths[-1]) <= tol or lengths[-1] <= 1e-3 * lengths[-2] * 1.001
