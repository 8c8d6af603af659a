# SPDX-License-Identifier: MIT
"""Which frame is taken for what travels on a circle, from the formulas of a statement or from a consistent start."""

import math

import pytest

import lrfm
from lrfm.discretize.evolution import EvolutionSystem
from lrfm.solver.formulations import frames
from lrfm.solver.formulations.frames import frame_for


def kdv(parameters=None, time=(0.0, 10.0), **changes):
    given = {
        "domain": lrfm.Box(x=(0, 40)),
        "time": time,
        "initial": "2*a**2*sech(a*(x - 20))**2",
        "boundary": "periodic",
        "parameters": parameters or {"a": 1.0},
        "check_corners": False,
    }
    return lrfm.Problem("u_t + 6*u*u_x + u_xxx = 0", **{**given, **changes})


def pulse(equation="u_tt = u_xx", rate="400*x*exp(-x**2/0.005)"):
    return lrfm.Problem(
        equation,
        domain=lrfm.Box(x=(-1, 1)),
        time=(0, 10),
        initial={"u": "exp(-x**2/0.005)", "u_t": rate},
        boundary="periodic",
        check_corners=False,
    )


def test_an_envelope_is_followed_and_not_its_phase():
    """ψ = 2 sech(2(x − 3t)) e^{i(3x − 5t/2)} of  i ψ_t + ψ_xx/2 + |ψ|²ψ = 0  moves at 3, its phase does not."""
    problem = lrfm.Problem(
        "1j*u_t + 0.5*u_xx + abs(u)**2*u = 0",
        unknowns={"u": complex},
        domain=lrfm.Box(x=(-20 * math.pi / 3, 20 * math.pi / 3)),
        time=(0, 2),
        initial="2*sech(2*x)*exp(3j*x)",
        boundary="periodic",
        check_corners=False,
    )
    frame = frame_for(EvolutionSystem(problem))
    assert frame.speeds == pytest.approx((3.0,), rel=1e-4)


def test_of_two_solitons_the_taller_one_is_followed():
    frame = frame_for(EvolutionSystem(lrfm.catalog.get("spin-kdv")))
    assert frame.speeds == pytest.approx((625.0,), rel=1e-3)


@pytest.mark.parametrize(
    "problem",
    [
        pulse(rate="0*x"),  # two halves go both ways
        kdv(initial="cos(pi*x/20)"),  # no shape that stays
        pulse("u_tt = (1 + 0.1*sin(pi*x))*u_xx"),  # not the same everywhere
        pulse("u_tt = (1 + 0.5*sin(t))*u_xx"),  # nor at all times
        kdv(time=(0.0, 0.1)),  # not far
        kdv(boundary={"x-": ["u = 0", "u_x = 0"], "x+": "u = 0"}),  # no circle
    ],
)
def test_where_nothing_travels_there_is_no_frame(problem):
    assert frame_for(EvolutionSystem(problem)) is None


def test_a_start_on_cells_shows_the_speed_that_formulas_do(monkeypatch):
    monkeypatch.setattr(frames, "_explicit", lambda form: False)
    frame = frame_for(EvolutionSystem(kdv()))
    assert frame.speeds == pytest.approx((4.0,), rel=1e-4)
