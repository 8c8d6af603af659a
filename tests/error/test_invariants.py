# SPDX-License-Identifier: MIT
"""What equations conserve or dissipate, known on paper; the drift of functions that are known."""

import math

import numpy as np
import pytest
from helpers import examples, rms
from hypothesis import given
from hypothesis import strategies as st

import lrfm
from lrfm.cli.solve import grid_error
from lrfm.error.indicators import Evidence, estimate_error
from lrfm.error.invariants import drifts, quantities
from lrfm.error.invariants.quantities import Flow
from lrfm.error.invariants.trials import Trials
from lrfm.problem import Box, Jet, Problem


def problem(equation, boundary="periodic", initial="0", **changes):
    given = {"domain": Box(x=(0, 1)), "time": (0, 1), "check_corners": False}
    return Problem(equation, initial=initial, boundary=boundary, **{**given, **changes})


def names(stated):
    return {q.name: q.conserved for q in quantities(stated)}


PAIR = {"u": "0", "v": "0"}
SECOND = {"u": "0", "u_t": "0"}
KEPT, LOST = True, False
COMPLEX = {"unknowns": {"psi": complex}}

FIRST_ORDER = {
    "heat, periodic": (problem("u_t = 0.3*u_xx"), {"∫ u": KEPT, "∫ u²": LOST}),
    "heat, no flux": (problem("u_t = u_xx", "u_x = 0"), {"∫ u": KEPT, "∫ u²": LOST}),
    "heat, held at zero": (problem("u_t = u_xx", "u = 0"), {"∫ u²": LOST}),
    "heat, held at one": (problem("u_t = u_xx", "u = 1"), {}),
    "heat with a source": (problem("u_t = u_xx + x", "u_x = 0"), {}),
    "source without mean": (problem("u_t = u_xx + sin(2*pi*x)*exp(-t)"), {"∫ u": KEPT}),
    "variable diffusion, divergence form": (problem("u_t = diff((2 + cos(2*pi*x))*u_x, x)"), {"∫ u": KEPT, "∫ u²": LOST}),
    "variable diffusion, not in divergence form": (problem("u_t = (2 + cos(2*pi*x))*u_xx"), {}),
    "growth below the first mode": (problem("u_t = u_xx + 5*u", "u = 0"), {"∫ u²": LOST}),
    "growth above the first mode": (problem("u_t = u_xx + 12*u", "u = 0"), {}),
    "slow growth of a constant": (problem("u_t = u_xx + 0.01*u"), {}),
    "KdV": (problem("u_t + 6*u*u_x + u_xxx = 0"), {"∫ u": KEPT, "∫ u²": KEPT}),
    "Burgers": (problem("u_t + u*u_x = 0.1*u_xx"), {"∫ u": KEPT, "∫ u²": LOST}),
    "Allen-Cahn": (problem("u_t = 0.1*u_xx + u - u**3"), {}),
    "Cahn-Hilliard": (problem("u_t = lap(u**3 - u) - 0.01*u_xxxx"), {"∫ u": KEPT}),
    "factor before the derivative": (problem("3*u_t = u_xx"), {"∫ u": KEPT, "∫ u²": LOST}),
    "no condition on a face": (problem("u_t + u_x = 0", {"x-": "u = 0", "x+": None}), {"∫ u²": LOST}),
    "Robin, total flux zero": (problem("u_t + 2*u_x = u_xx", "2*u - u_x = 0"), {"∫ u": KEPT}),
    "reaction of two": (
        problem(["u_t = u_xx - u*v", "v_t = 2*v_xx + u*v"], initial=PAIR), {"∫ (u + v)": KEPT},
    ),
    "one gains what the other loses, if both are as large": (
        problem(["u_t = -v_xx + u", "v_t = u_xx - v"], initial=PAIR), {},
    ),
    "Schrödinger with its conjugate": (problem("psi_t = 1j*psi_xx + conj(psi)", **COMPLEX), {}),
    "acoustics": (
        problem(["u_t = -4*v_x", "v_t = -u_x"], {"*": "v = 0"}, PAIR), {"∫ u": KEPT, "∫ (0.25 u² + v²)": KEPT},
    ),
    "Schrödinger": (problem("1j*psi_t = -psi_xx + x*psi", "psi = 0", **COMPLEX), {"∫ |psi|²": KEPT}),
    "nonlinear Schrödinger": (problem("1j*psi_t + psi_xx + abs(psi)**2*psi = 0", **COMPLEX), {"∫ |psi|²": KEPT}),
    "Schrödinger with loss": (problem("1j*psi_t = -psi_xx - 0.1j*psi", **COMPLEX), {}),
    "growth where a coefficient oscillates": (problem("u_t = 5*cos(40*pi*x)*u + 0*u_x"), {}),
    "diffusion beside it": (problem("u_t = 1e-4*u_xx + 5*cos(40*pi*x)*u"), {}),
    "a pulse of a source": (problem("u_t = u_xx + exp(-((t - 0.31)/1e-3)**2)", "u_x = 0"), {}),
    "a stiffness that oscillates": (problem("u_t = diff((2 + cos(40*pi*x))*u_x, x)", "u_x = 0"), {"∫ u": KEPT, "∫ u²": LOST}),
    "not in divergence form, oscillating": (problem("u_t = (2 + cos(40*pi*x))*u_xx"), {}),
    "outside of a function's range": (problem("u_t = u_xx + log(u)", initial="1"), {}),
    "mixed derivative": (problem("u_t - u_xxt + u_x = 0"), {}),
}  # fmt: skip

SECOND_ORDER = {
    "wave, ends held": (problem("u_tt = 4*u_xx", "u = 0", SECOND), {"energy": KEPT}),
    "wave, ends free": (problem("u_tt = u_xx", "u_x = 0", SECOND), {"∫ u_t": KEPT, "energy": KEPT}),
    "wave with damping": (problem("u_tt = u_xx - 0.1*u_t", "u = 0", SECOND), {}),
    "wave with a force in time": (problem("u_tt = u_xx + sin(t)", "u = 0", SECOND), {}),
    "wave with a constant force": (problem("u_tt = u_xx - 1", "u = 0", SECOND), {"energy": KEPT}),
    "string of varying stiffness": (problem("u_tt = diff((1 + x)*u_x, x)", "u = 0", SECOND), {"energy": KEPT}),
    "not symmetric": (problem("u_tt = (1 + x)*u_xx", "u = 0", SECOND), {}),
    "sine-Gordon": (problem("u_tt = u_xx - sin(u)", initial=SECOND), {"energy": KEPT}),
    "beam, clamped": (problem("u_tt = -u_xxxx", {"*": ["u = 0", "u_x = 0"]}, SECOND), {"energy": KEPT}),
    "beam, cantilever": (
        problem("u_tt = -u_xxxx", {"x-": ["u = 0", "u_x = 0"], "x+": ["u_xx = 0", "u_xxx = 0"]}, SECOND),
        {"energy": KEPT},
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", [*FIRST_ORDER, *SECOND_ORDER])
def test_quantities_are_those_of_the_textbook(case):
    stated, expected = {**FIRST_ORDER, **SECOND_ORDER}[case]
    assert names(stated) == expected


def test_several_axes_with_conditions_of_their_own():
    box = {"domain": Box(x=(0, 1), y=(0, 2))}
    assert names(problem("u_t = lap(u)", {"x": "periodic", "y": "u_y = 0"}, **box)) == {
        "∫ u": True,
        "∫ u²": False,
    }
    assert names(problem("u_t = lap(u)", {"x": "periodic", "y": "u = 0"}, **box)) == {"∫ u²": False}
    assert names(problem("u_t + u_x*cos(pi*y) = 0", {"x": "periodic", "y": None}, **box)) == {
        "∫ u": True,
        "∫ u²": True,
    }
    assert names(problem("u_t + u_x*cos(t) = lap(u)", "periodic", **box)) == {"∫ u": True, "∫ u²": False}


@examples(20)
@given(st.lists(st.floats(-2, 2).map(lambda c: round(c, 3)), min_size=4, max_size=4), st.floats(0.1, 2))
def test_every_flux_conserves_and_every_reaction_does_not(c, rate):
    flux = f"{c[0]}*u_x + {c[1]}*u**2 + {c[2]}*u*u_x + {c[3]}*u_xx"
    assert names(problem(f"u_t = diff({flux}, x)")).get("∫ u") is True
    assert "∫ u" not in names(problem(f"u_t = diff({flux}, x) + {rate}*u**2"))


# Parts ------------------------------------------------------------------------------------------------------


def test_a_source_that_no_trial_function_sees_still_feeds_the_square():
    def stated(source):
        return Problem(
            f"1j*q_t + q_xx - abs(q)**2*q = {source}", unknowns={"q": complex}, domain=Box(x=(0, 2 * np.pi)), time=(0, 1),
            initial="exp(1j*x)", boundary="periodic",
        )  # fmt: skip

    assert [q.name for q in quantities(stated("0*q"))] == ["∫ |q|²"]
    assert quantities(stated("cos(11*x)*exp(1j*t)")) == ()


def test_trial_functions_satisfy_the_conditions_and_their_derivatives_are_right():
    stated = SECOND_ORDER["beam, cantilever"][0]
    trials = Trials(stated)
    (drawn,) = trials.draws(np.random.default_rng(3), np.ones(1))
    x, w = trials.axes[0].nodes, [trials.values(drawn, "u", (k,)) for k in range(5)]
    line = np.polynomial.Chebyshev.fit(x, w[0], 12, domain=[0, 1])
    for k in range(1, 5):
        assert np.allclose(line.deriv(k)(x), w[k], atol=1e-6 * np.abs(w[k]).max())
    ends = [line(0.0), line.deriv(1)(0.0), line.deriv(2)(1.0), line.deriv(3)(1.0)]
    assert np.allclose(ends, 0, atol=1e-7 * np.abs(w[4]).max())
    assert 0.25 <= trials.integral(w[0] ** 2) <= 1.0
    assert trials.integral(np.ones_like(x)) == pytest.approx(1.0)


def test_the_flow_is_what_the_equations_say():
    """3 u_t + v_t = u_xx, u_t − v_t = v: u_t = (u_xx + v)/4, v_t = (u_xx − 3v)/4."""
    stated = problem(["3*u_t + v_t = u_xx", "u_t - v_t = v"], initial=PAIR)
    flow = Flow(stated)
    a, b = np.random.default_rng(0).normal(size=(2, 5))
    u, v = flow(np.zeros((5, 2)), {Jet("u", (2, 0)): a, Jet("v", (0, 0)): b})
    assert np.allclose(u, (a + b) / 4)
    assert np.allclose(v, (a - 3 * b) / 4)


# Drift ------------------------------------------------------------------------------------------------------


class Known:
    def __init__(self, functions, window=(0.0, 1.0)):
        self.functions, self.window = functions, window

    def values(self, jets, points):
        return {j: self.functions[j.index](points[:, 0], points[:, -1]) + 0 * points[:, 0] for j in jets}


def heat(factor, mean=0.0):
    """factor(t)·cos 2πx + mean·t, with its derivatives."""
    k = 2 * np.pi
    return Known({(0, 0): lambda x, t: factor(t) * np.cos(k * x) + 1 + mean * t, (2, 0): lambda x, t: -k**2 * factor(t) * np.cos(k * x)})  # fmt: skip


TIMES = np.linspace(0, 1, 9)


def test_a_mean_that_moves():
    """u = 1 + 0.01 t: ∫ u strays by 0.01 t, which is the relative error itself."""
    found = drifts(problem("u_t = u_xx"), [heat(lambda t: 0 * t, mean=0.01)])
    assert found["∫ u"] == pytest.approx(rms(0.01 * TIMES) / rms(1 + 0.01 * TIMES), rel=1e-9)


def test_what_is_dissipated_may_fall_and_must_not_rise():
    falling = drifts(problem("u_t = u_xx"), [heat(lambda t: np.exp(-t))])
    assert falling == {"∫ u": pytest.approx(0, abs=1e-14), "∫ u²": 0.0}
    rising = drifts(problem("u_t = u_xx"), [heat(lambda t: np.exp(0.1 * t))])
    Q = 1 + 0.5 * np.exp(0.2 * TIMES)
    assert rising["∫ u²"] == pytest.approx(rms((Q - Q[0]) / (2 * Q.max())), rel=1e-9)


def test_energy_of_a_standing_wave_with_a_wrong_frequency():
    """cos ωt sin πx, ω² = 1.02 π²: ½∫u_t² + ½∫u_x² = ¼(ω² sin² + π² cos²)."""
    w = np.pi * math.sqrt(1.02)
    wave = Known(
        {
            (0, 0): lambda x, t: np.cos(w * t) * np.sin(np.pi * x),
            (0, 1): lambda x, t: -w * np.sin(w * t) * np.sin(np.pi * x),
            (2, 0): lambda x, t: -(np.pi**2) * np.cos(w * t) * np.sin(np.pi * x),
        }
    )
    stated = problem("u_tt = u_xx", "u = 0", SECOND)
    E = 0.25 * (w**2 * np.sin(w * TIMES) ** 2 + np.pi**2 * np.cos(w * TIMES) ** 2)
    assert drifts(stated, [wave]) == {"energy": pytest.approx(rms((E - E[0]) / (2 * E.max())), rel=1e-6)}


def test_what_the_quadrature_cannot_see_is_no_drift():
    """Waves far shorter than the distance of the nodes: ∫ u = 0 for all times, and the sums over nodes are anything."""
    for waves in (700, 1000, 5000):
        short = lambda x, t, k=waves: np.sin(2 * np.pi * k * x + 9 * t)  # noqa: E731
        piece = Known({(0, 0): short, (2, 0): lambda x, t: 0 * x})
        assert drifts(problem("u_t = u_xx", "u_x = 0"), [piece])["∫ u"] < 1e-3


def test_drift_below_the_true_error_of_solutions():
    for name in ("advection", "acoustics", "wave"):
        space = lrfm.Liquid(features=150, weights=3.0, tau=(0.3, 20), oscillation=(0, 12.0))
        solution = lrfm.solve(lrfm.catalog.get(name), method=lrfm.SpaceTime(space=space), strict=False)
        assert 0 < max(solution.report.invariants.values()) < 2 * grid_error(solution)
        assert solution.report.indicators["invariants"] == max(solution.report.invariants.values())
        assert "invariants" in solution.report.details


def test_two_draws_that_share_a_drift_are_overruled():
    """The same wrong field twice: no difference at all, and the invariant speaks."""
    wrong = heat(lambda t: 0 * t, mean=0.01)
    seen = Evidence(problem("u_t = u_xx", initial="1"), [wrong], [wrong], 1e-3, np.random.default_rng(0))
    verdict = estimate_error(seen)
    assert verdict.indicators["draws"] == 0.0
    assert verdict.decided_by == "invariants"
    assert verdict.l2 == verdict.linf == verdict.invariants["∫ u"] > 5e-3


@pytest.mark.parametrize(("dimension", "species"), [(1, 14), (1, 30), (2, 9), (3, 5)])
def test_many_unknowns_conserve_nothing_by_chance(dimension, species):
    """Decaying species with rates of their own: fewer trial functions than species would leave a null space."""
    axes = "xyz"[:dimension]
    names = [f"u{i}" for i in range(species)]
    rng = np.random.default_rng(species)
    equations = [
        f"{name}_t = lap({name}) - {1 + rng.random():.4f}*{name} + {rng.random():.4f}*{other}"
        for name, other in zip(names, np.roll(names, 1), strict=True)
    ]
    problem = lrfm.Problem(
        equations, domain=lrfm.Box(**dict.fromkeys(axes, (0, 1))), time=(0, 1), initial=dict.fromkeys(names, "1"),
        boundary=[f"{name}_n = 0" for name in names],
    )  # fmt: skip
    assert not [q for q in quantities(problem) if q.conserved]


def test_a_cycle_of_many_species_keeps_their_sum():
    names = [f"u{i}" for i in range(13)]
    equations = [f"{n}_t = {n}_xx - 2*{n} + 2*{m}" for n, m in zip(names, np.roll(names, 1), strict=True)]
    problem = lrfm.Problem(
        equations, domain=lrfm.Box(x=(0, 1)), time=(0, 1), initial=dict.fromkeys(names, "1"),
        boundary=[f"{n}_n = 0" for n in names],
    )  # fmt: skip
    kept = [q.factors for q in quantities(problem) if q.conserved and q.kind == "linear"]
    assert len(kept) == 1
    assert np.allclose(kept[0], 1)
