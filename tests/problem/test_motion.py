# SPDX-License-Identifier: MIT
"""Domains that move as a whole, carried back to a reference: the chain rule, and which motions are found."""

import numpy as np
import pytest
import sympy as sp

import lrfm
from lrfm.problem import Jet
from lrfm.problem.jets import JetSymbol
from lrfm.problem.motion import carried
from lrfm.problem.program import Program


def stated(domain, equation="u_t = u_xx", **changes):
    given = {"time": (0, 1), "initial": "sin(x)", "boundary": {"*": "u = 0"}}
    return lrfm.Problem(equation, domain=domain, check_corners=False, **{**given, **changes})


@pytest.mark.slow
def test_derivatives_are_those_of_the_carried_function():
    rng = np.random.default_rng(4)
    a, b, c = rng.uniform(0.1, 0.4, 3)
    rod = lrfm.Region(f"x < 2 + {a}*sin(3*t) and x > {b}*t + {c}*t**2", x=(-1, 3))
    problem = stated(rod)
    _, motion = carried(problem)
    x, t = sp.symbols("x t")
    low, high = b * t + c * t**2, 2 + a * sp.sin(3 * t)
    v = sp.sin(1.3 * x + 0.7 * t) * sp.exp(0.3 * x * t)  # of ξ, which is called x
    u = v.subs(x, (x - low) / (high - low))
    at = {"x": 0.37, "t": 0.61}
    place = float((low + (high - low) * at["x"]).subs(t, at["t"]))
    for index in ((0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (0, 2)):
        program = Program([motion.jet(Jet("u", index))])
        values = {}
        for symbol in program.symbols:
            if isinstance(symbol, JetSymbol):
                i, j = symbol.jet.index
                values[symbol] = float(sp.diff(v, x, i, t, j).subs(at))
            else:
                values[symbol] = at[symbol.name]
        exact = sp.diff(u, x, index[0], t, index[1]).subs({x: place, t: at["t"]})
        assert program(values)[0] == pytest.approx(float(exact), rel=1e-12)
    points = np.array([[0.37, 0.61], [0.0, 0.2], [1.0, 1.0]])
    np.testing.assert_allclose(motion.back(motion.forth(points)), points, atol=1e-14)


def test_data_that_are_a_function_are_carried_as_a_formula_is():
    """A function of places had no data of layers to be asked for, and ended with an AttributeError."""
    domain = lrfm.Region("x > 0.2 + 0.1*t and x < 2 + 0.3*t", x=(0, 3))
    places = np.column_stack([np.linspace(0, 1, 7), np.zeros(7)])
    given = [carried(stated(domain, initial=data)) for data in ("sin(x)", np.sin)]
    found = [still.initial_data["u", 0].part(places, "u") for still, _ in given]
    np.testing.assert_allclose(found[1], found[0], rtol=1e-14)


@pytest.mark.slow
def test_an_ellipse_is_found_in_its_inequality():
    domain = lrfm.Region("(x - 0.3*t)**2 + 4*y**2 - 0.2*y < 1 + 0.5*t", x=(-2, 2), y=(-1, 1), names=["rim"])
    still, motion = carried(stated(domain, "u_t = lap(u)"))
    rim = still.domain.parts["rim"].quadrature(40).points
    for t in (0.0, 0.7):
        x, y, _ = motion.forth(np.column_stack([rim, np.full(len(rim), t)])).T
        np.testing.assert_allclose((x - 0.3 * t) ** 2 + 4 * y**2 - 0.2 * y, 1 + 0.5 * t, atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(
    "domain",
    [
        lrfm.Region("x < 1", x=(0, 2)),  # stays
        lrfm.Region("x**3 < 1 + t", x=(0, 2)),  # not linear in x
        lrfm.Region("x**2 + y**2 + 0.5*x*y < 1 + t", x=(-2, 2), y=(-2, 2)),  # turned
        lrfm.Region("x**4 + y**2 < 1 + t", x=(-2, 2), y=(-2, 2)),
        lrfm.Region("x**2 + y**2 < 1 + t and y > 0", x=(-2, 2), y=(-2, 2)),  # not a whole ellipse
    ],
)
def test_other_domains_are_left_as_they_are(domain):
    equation = "u_t = u_xx" if domain.dimension == 1 else "u_t = lap(u)"
    assert carried(stated(domain, equation)) is None


@pytest.mark.slow
def test_a_moving_interval_is_marched_and_comes_back_from_a_file(tmp_path):
    rng = np.random.default_rng(11)
    k, w, a = (round(float(v), 3) for v in rng.uniform((1, 0.5, 0.1), (2, 1.5, 0.3)))
    u = f"sin({k}*x)*exp(-{w}*t)"
    problem = lrfm.Problem(
        f"u_t = u_xx + ({k * k!r} - {w})*{u}",
        domain=lrfm.Region(f"x < 1 + {a}*sin(3*t)", x=(0, 1.5), names=["end"]),
        time=(0, 1),
        initial=f"sin({k}*x)",
        boundary={"x-": "u = 0", "end": f"u_n = {k}*cos({k}*x)*exp(-{w}*t)"},
    )
    solution = lrfm.solve(problem, tol=1e-6)
    assert solution.report.method == "lines"
    t = np.linspace(0, 1, 9)
    x = 0.8 * (1 + a * np.sin(3 * t))
    exact = np.sin(k * x) * np.exp(-w * t)
    assert np.max(np.abs(solution(x=x, t=t) - exact)) <= 1e-6
    solution.save(tmp_path / "rod.lrfm")
    np.testing.assert_array_equal(lrfm.load(tmp_path / "rod.lrfm")(x=x, t=t), solution(x=x, t=t))
