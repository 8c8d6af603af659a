# SPDX-License-Identifier: MIT
"""Relations q = f(c) at each time beside equations that hold rates of both, and capacities with a pole."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import lrfm
from lrfm.discretize.evolution import EvolutionSystem, Unsuited
from lrfm.problem.jets import Jet
from lrfm.rows.cell_steps import CellSteps

ROD = lrfm.Box(x=(0, 1))
COLUMN = {"domain": ROD, "time": (0, 1), "boundary": {"x-": "c = 1", "x+": "c_n = 0"}}


def stated(*equations, **more):
    given = {"domain": ROD, "time": (0, 0.5), "initial": {"c": "sin(pi*x)"}, "boundary": "c = 0"}
    return lrfm.Problem(list(equations), **given | more)


def test_a_linear_isotherm_delays():
    """c_t + 3 q_t/2 = c_xx with q = 2c: four times as slow, whether data of q are given or not."""
    for initial in ({"c": "sin(pi*x)"}, {"c": "sin(pi*x)", "q": "2*sin(pi*x)"}):
        found = lrfm.solve(stated("c_t + 1.5*q_t = c_xx", "q = 2*c", initial=initial), tol=1e-6)
        x, t = np.meshgrid(np.linspace(0, 1, 21), np.linspace(0, 0.5, 11))
        exact = np.exp(-(np.pi**2) * t / 4) * np.sin(np.pi * x)
        for name, factor in (("c", 1), ("q", 2)):
            gap = np.linalg.norm(found[name](x=x, t=t) - factor * exact) / np.linalg.norm(factor * exact)
            assert gap < 2 * found.report.error_estimate < 2e-6


def test_capacities_as_functions():
    """q = k(x) c with a function k: (1 + k) c_t = c_xx + f, c = e^{−t} sin πx."""
    source = "exp(-t)*sin(pi*x)*(pi**2 - 1 - k)"
    problem = stated(f"c_t + q_t = c_xx + {source}", "q = k*c", parameters={"k": lambda x: np.exp(x)})
    found = lrfm.solve(problem, tol=1e-5)
    x, t = np.meshgrid(np.linspace(0, 1, 21), np.linspace(0, 0.5, 11))
    exact = np.exp(-t) * np.sin(np.pi * x)
    gap = np.linalg.norm(found["c"](x=x, t=t) - exact) / np.linalg.norm(exact)
    assert gap < 2 * found.report.error_estimate < 2e-5


def test_data_that_contradict_the_relation_are_refused():
    with pytest.raises(lrfm.ProblemError, match="`initial` of `q` is not what an equation says"):
        stated("c_t + 1.5*q_t = c_xx", "q = 2*c", initial={"c": "sin(pi*x)", "q": "1"})


def test_rates_come_from_the_relation():
    """∂ₜ(2c/(1 + 3c) + x c) by the chain rule, in equations and conditions."""
    pair = stated(
        "c_t + q_t = c_xx", "q = 2*c/(1 + 3*c) + x*c", boundary={"x-": "c = 0", "x+": "c_n + q_t = 0"}
    )
    one = stated("c_t + diff(2*c/(1 + 3*c) + x*c, t) = c_xx")
    assert pair.time_orders == {"c": 1, "q": 0}
    points = np.random.default_rng(0).random((9, 2))
    jets = {
        Jet("c", index): 0.3 + 0.1 * n + points[:, 0]
        for n, index in enumerate([(0, 0), (0, 1), (2, 0), (1, 0)])
    }
    found, same = (row.residual(points, jets) for row in (pair.rows[0], one.rows[0]))
    assert np.allclose(found, same, rtol=1e-14)
    assert Jet("c", (0, 1)) in pair.face_rows["x+"][0].jets


@pytest.mark.parametrize(
    ("equations", "orders"),
    [
        (("h_t = c_xx", "h = c + tanh(c)"), {"h": 1, "c": 0}),  # an enthalpy: c follows from h
        (("c_t = c_xx + p", "v_t = v_xx - p", "c + v = 1"), {"c": 1, "v": 1, "p": 0}),  # p holds it
        (("c_t + a_t + b_t = c_xx", "a = 2*c/(1 + c + b)", "b = 3*c"), {"c": 1, "a": 0, "b": 0}),
    ],
)
def test_only_unknowns_without_an_equation_are_put_in(equations, orders):
    initial = {name: "1/2" for name, order in orders.items() if order}
    faces = [f"{name} = 1/2" for name in orders if name in "cv"]
    assert stated(*equations, initial=initial, boundary={"*": faces}).time_orders == orders


def test_a_capacity_with_a_pole_and_a_feed_that_jumps():
    """Polynomials beside a jump swing below c = −1/3, where 2c/(1 + 3c) has no end; central differences on two grids are the reference."""
    problem = lrfm.Problem("c_t + 1.5*diff(2*c/(1 + 3*c), t) + c_x = 0.05*c_xx", initial="0", **COLUMN)
    found = lrfm.solve(problem, tol=1e-3)

    def reference(n):
        h = 1 / n

        def slope(t, c):
            full = np.concatenate([[1.0], c, [c[-2]]])
            flow = 0.05 * (full[2:] - 2 * c + full[:-2]) / h**2 - (full[2:] - full[:-2]) / (2 * h)
            return flow / (1 + 3 / (1 + 3 * c) ** 2)

        times = [0.3, 0.6, 1.0]
        made = solve_ivp(slope, (0, 1), np.zeros(n), "LSODA", times, rtol=1e-7, atol=1e-9, lband=1, uband=1)
        return made.y[n // 20 - 1 :: n // 20]

    x = np.linspace(0, 1, 21)[1:, None]
    exact = (4 * reference(160) - reference(80)) / 3
    gap = np.linalg.norm(found(x=x, t=np.array([0.3, 0.6, 1.0])) - exact) / np.linalg.norm(exact)
    assert gap < found.report.error_estimate <= 1e-3


def test_what_jumps_is_not_put_in():
    """q = θ(c − ½) has a rate that is no function, and k uₓ with a k that jumps a derivative that is none."""
    with pytest.raises(Unsuited, match="ties `c`, `q`"):
        EvolutionSystem(
            stated("c_t + 1.5*q_t = c_xx", "q = heaviside(c - 1/2)", initial={"c": "x", "q": "0"})
        )
    jumping = stated("c_t = q_x", "q = k*c_x", parameters={"k": "where(x < 1/2, 1, 2)"})
    assert EvolutionSystem(jumping).problem is jumping


@pytest.mark.parametrize(
    "equations",
    [
        ("c_t = q_x", "q = (1 + c**2)*c_x"),
        ("c_t = q_x", "q = v*c_x", "v = 1 + w**2", "w = c"),
        ("c_t + q_x = 0", "q = -p_x", "p = c + c**3/3"),
    ],
)
def test_fluxes_as_unknowns_are_as_good_as_put_in(equations):
    """c_t = ((1 + c²) cₓ)ₓ: cells took none with two relations, and series 759 steps with one."""
    found = lrfm.solve(stated(*equations, time=(0, 0.1)), tol=1e-5)
    same = lrfm.solve(stated("c_t = diff((1 + c**2)*c_x, x)", time=(0, 0.1)), tol=1e-7)
    x, t = np.meshgrid(np.linspace(0, 1, 31), np.linspace(0, 0.1, 9))
    gap = np.linalg.norm(found["c"](x=x, t=t) - same(x=x, t=t)) / np.linalg.norm(same(x=x, t=t))
    assert gap < found.report.error_estimate <= 1e-5
    slope = (1 + same(x=x, t=t) ** 2) * same.derivative("c_x")(x=x, t=t)
    sign = -1 if "c_t + q_x = 0" in equations else 1
    assert np.linalg.norm(found["q"](x=x, t=t) - sign * slope) < 1e-4 * np.linalg.norm(slope)


def test_mixed_forms_of_even_orders_stay():
    hilliard = stated("c_t = w_xx", "w = c**3 - c - 0.01*c_xx", boundary=["c_n = 0", "w_n = 0"])
    assert EvolutionSystem(hilliard).problem is hilliard


def test_steep_transport_is_held_by_cells():
    """u = f(s(x) − t) with s′ = 1 + 50 sech²((x − ½)/0.01): what an edge lacked of u_t made a kink of u_tt downstream, which sent it to explicit steps."""
    delay = "x + 0.5*(1 + tanh((x - 0.5)/0.01))"
    problem = lrfm.Problem(
        "u_t + u_x/(1 + 50*sech((x - 0.5)/0.01)**2) = 0",
        domain=ROD,
        time=(0, 0.6),
        initial=f"exp(-(({delay} - 0.2)/0.05)**2)",
        boundary={"x-": "u = 0", "x+": None},
    )
    found = lrfm.solve(problem, tol=1e-4)
    assert len(found.pieces[0].edges) < 100
    x, t = np.meshgrid(np.linspace(0, 1, 401), np.linspace(0, 0.6, 25))
    exact = np.exp(-(((x + 0.5 * (1 + np.tanh((x - 0.5) / 0.01)) - t - 0.2) / 0.05) ** 2))
    assert (
        np.linalg.norm(found(x=x, t=t) - exact) / np.linalg.norm(exact) < found.report.error_estimate <= 1e-4
    )


def test_an_unknown_that_follows_from_a_steep_relation_is_found_at_the_start():
    """h = T + θ(T), θ a smooth step of width 0.05: Newton's method from T = 0 went back and forth, and no step could be taken; c = T in one equation is the reference."""
    steep = "0.5*(1 + tanh((c - 0.5)/0.05))"
    faces = {"x-": "c = 0", "x+": "c = 1"}
    start = "x + 0.3*sin(2*pi*x)"
    found = lrfm.solve(
        stated(
            "h_t = c_xx",
            f"h = c + {steep}",
            initial={"h": f"{start} + 0.5*(1 + tanh(({start} - 0.5)/0.05))"},
            boundary=faces,
            time=(0, 0.1),
        ),
        tol=1e-4,
    )
    same = lrfm.solve(
        stated(f"diff(c + {steep}, t) = c_xx", initial={"c": start}, boundary=faces, time=(0, 0.1)), tol=1e-6
    )
    x, t = np.meshgrid(np.linspace(0, 1, 31), np.linspace(0, 0.1, 9))
    gap = np.linalg.norm(found["c"](x=x, t=t) - same(x=x, t=t)) / np.linalg.norm(same(x=x, t=t))
    assert isinstance(found.pieces[0], CellSteps)
    assert gap < found.report.error_estimate <= 1e-4
