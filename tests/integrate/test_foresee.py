# SPDX-License-Identifier: MIT
"""The size of what starts from nothing, before it is integrated."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import jn_zeros

import lrfm
from lrfm.discretize.options import Options
from lrfm.solver.formulations.plane import PlaneFormulation, PlaneSystem


@pytest.mark.parametrize("end", [0.02, 1.0])
def test_a_heated_disc_is_foreseen(end):
    """u_t = Δu + 1 from nothing:  ‖u‖² = Σ 4/k⁶ (1 − e^{−k²t})²  over the zeros k of J₀, in the mean over time."""
    problem = lrfm.Problem("u_t = lap(u) + 1", domain=lrfm.Disk(), time=(0, end), initial="0", boundary="u = 0")  # fmt: skip
    found = PlaneFormulation(PlaneSystem(problem)).integrator(Options(tol=1e-3), None).estimator.foreseen
    k, t = jn_zeros(0, 40)[:, None], end * (np.arange(400) + 0.5) / 400
    exact = np.sqrt(np.mean(np.sum(4 / k**6 * (1 - np.exp(-k * k * t)) ** 2, axis=0)))
    assert found is not None
    assert 0.7 * exact < found[0] < 1.4 * exact


def test_what_is_driven_late_is_foreseen():
    """u_t = Δu + 10t² from nothing: an implicit Euler step over all of the time takes the source at its end, and 2.4 times the size."""
    end = 0.2
    problem = lrfm.Problem("u_t = lap(u) + 10*t**2", domain=lrfm.Disk(), time=(0, end), initial="0", boundary="u = 0")  # fmt: skip
    found = PlaneFormulation(PlaneSystem(problem)).integrator(Options(tol=1e-3), None).estimator.foreseen
    k, t = jn_zeros(0, 40)[:, None], end * (np.arange(400) + 0.5) / 400
    mode = 10 * (t**2 / k**2 - 2 * t / k**4 + 2 * (1 - np.exp(-k * k * t)) / k**6)
    assert found is not None
    assert found[0] == pytest.approx(np.sqrt(np.mean(np.sum(4 / k**2 * mode**2, axis=0))), rel=0.05)


def test_what_is_not_linear_is_foreseen_from_nothing():
    """u′ = u − u³ + 5t, the same everywhere: linearized at nothing it has no bound."""
    problem = lrfm.Problem(
        "u_t = lap(u) + u - u**3 + 5*t", domain=lrfm.Disk(), time=(0, 1), initial="0", boundary="u_n = 0"
    )
    found = PlaneFormulation(PlaneSystem(problem)).integrator(Options(tol=1e-2), None).estimator.foreseen
    t = (np.arange(400) + 0.5) / 400
    exact = solve_ivp(lambda t, u: u - u**3 + 5 * t, (0, 1), [0.0], t_eval=t, rtol=1e-8).y[0]
    assert found is not None
    assert found[0] == pytest.approx(np.sqrt(np.mean(exact**2)), rel=0.1)


def test_a_driven_wave_is_foreseen_from_rest():
    """u″ = 5 sin 3t, the same everywhere: u = 5t/3 − 5/9 sin 3t. Rates have one component for each field, the state has u and u_t."""
    problem = lrfm.Problem(
        "u_tt = lap(u) + 5*sin(3*t)",
        domain=lrfm.Disk(),
        time=(0, 1),
        initial={"u": "0", "u_t": "0"},
        boundary="u_n = 0",
    )
    found = PlaneFormulation(PlaneSystem(problem)).integrator(Options(tol=1e-2), None).estimator.foreseen
    t = (np.arange(400) + 0.5) / 400
    exact = 5 * t / 3 - 5 / 9 * np.sin(3 * t), 5 / 3 * (1 - np.cos(3 * t))
    assert found is not None
    assert found == pytest.approx([np.sqrt(np.mean(u**2)) for u in exact], rel=0.1)


def test_a_flow_that_is_driven_from_rest_is_foreseen_with_its_pressure():
    """A disc of water that is turned, u = −y t³, v = x t³, p = t⁶ (x² + y²)/2 without its mean: all rates are zero at the start."""
    problem = lrfm.Problem(
        [
            "u_t + u*u_x + v*u_y = -p_x + nu*lap(u) - 3*y*t**2",
            "v_t + u*v_x + v*v_y = -p_y + nu*lap(v) + 3*x*t**2",
            "u_x + v_y = 0",
        ],
        domain=lrfm.Disk(),
        time=(0, 1),
        initial={"u": "0", "v": "0"},
        boundary={"*": ["u = -y*t**3", "v = x*t**3"]},
        parameters={"nu": 0.01},
    )
    integrator = PlaneFormulation(PlaneSystem(problem)).integrator(Options(tol=1e-2), None)
    swirl, pressure = 0.5 / np.sqrt(7), np.sqrt(1 / 48 / 13)
    assert integrator.estimator.foreseen == pytest.approx([swirl, swirl, pressure], rel=0.15)
    state = integrator.begin()
    sizes = integrator.estimator.sizes(integrator.adapter.discretize(state.mesh), state, state.y, state.z)
    assert sizes == pytest.approx(np.sqrt([2, 2, 1]) * integrator.estimator.foreseen)  # of the vector (u, v)


def test_nothing_is_foreseen_of_what_is_there_and_not_linear():
    problem = lrfm.Problem(
        "u_t = lap(u) - u**3", domain=lrfm.Disk(), time=(0, 1), initial="1 - x**2 - y**2", boundary="u = 0"
    )
    form = PlaneFormulation(PlaneSystem(problem))
    assert form.integrator(Options(tol=1e-2), None).estimator.foreseen is None


def test_what_fades_is_foreseen():
    """e^(−2π²t) sin πx sin πy on a square, exact in time: √((1 − e^(−4π²T))/(16π²T))."""
    square = lrfm.Polygon([(0, 0), (1, 0), (1, 1), (0, 1)])
    problem = lrfm.Problem(
        "u_t = lap(u)", domain=square, time=(0, 0.3), initial="sin(pi*x)*sin(pi*y)", boundary="u = 0"
    )
    form = PlaneFormulation(PlaneSystem(problem))
    found = form.integrator(Options(tol=1e-2), None).estimator.foreseen
    assert found is not None
    assert found[0] == pytest.approx(1 / (4 * np.pi * np.sqrt(0.3)), rel=0.05)
