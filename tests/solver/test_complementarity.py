# SPDX-License-Identifier: MIT
"""min(A, B) = 0: obstacles and options against solutions that are known otherwise."""

import numpy as np
import pytest
from helpers import thinned

import lrfm

PUT = "min(u_t - 0.02*S**2*u_SS - 0.05*S*u_S + 0.05*u, u - max(1 - S, 0)) = 0"


def american_put(spot, rate=0.05, volatility=0.2, years=1.0, steps=2000):
    """The price at strike 1 by a binomial tree (Cox, Ross, Rubinstein, J. Financ. Econ. 7, 1979)."""
    dt = years / steps
    up = np.exp(volatility * np.sqrt(dt))
    chance = (np.exp(rate * dt) - 1 / up) / (up - 1 / up)
    price = spot * up ** np.arange(steps, -steps - 1, -2.0)
    value = np.maximum(1 - price, 0)
    for _ in range(steps):
        price = price[:-1] / up
        held = np.exp(-rate * dt) * (chance * value[:-1] + (1 - chance) * value[1:])
        value = np.maximum(held, 1 - price)
    return value[0]


def test_an_american_put_has_the_value_of_a_binomial_tree():
    put = lrfm.Problem(
        PUT,
        domain=lrfm.Box(S=(0, 4)),
        time=(0, 1),
        initial="max(1 - S, 0)",
        boundary={"S-": "u = 1", "S+": "u = 0"},
    )
    solution = lrfm.solve(put, tol=1e-3)
    assert solution.report.error_estimate <= 1e-3
    assert "active sets" in solution.report.parts["scheme"]
    for spot in (0.9, 1.0, 1.1):
        assert solution["u"](S=spot, t=1) == pytest.approx(american_put(spot), abs=3e-4)
    # Below the price at which it is exercised it is worth what it pays; nowhere it is worth less.
    paid = np.linspace(0.05, 0.75, 50)
    assert solution["u"](S=paid, t=np.ones(50)) == pytest.approx(1 - paid, abs=1e-6)
    spots = np.linspace(0, 4, 400)
    assert np.all(solution["u"](S=spots, t=np.ones(400)) >= np.maximum(1 - spots, 0) - 1e-4)


@pytest.mark.parametrize(
    "equation",
    thinned(["min(u_t - u_xx + 1, u) = 0", "min(u, u_t + 1 - u_xx) = 0", "max(u_xx - 1 - u_t, -u) = 0"], 2),
)
def test_a_free_boundary_that_travels(equation):
    """u = (e^(cz) − 1 − cz)/c², z = (s + ct − x)₊:  u_t − u_xx = −1 where z > 0, u = u_x = 0 at z = 0."""
    c, s = 2.0, 0.3

    def exact(x, t):
        z = np.maximum(s + c * t - x, 0)
        return (np.exp(c * z) - 1 - c * z) / c**2

    z = f"max({s} + {c}*t - x, 0)"
    formula = f"(exp({c}*{z}) - 1 - {c}*{z})/{c**2}"
    statement = lrfm.Problem(
        equation,
        domain=lrfm.Box(x=(0, 1)),
        time=(0, 0.25),
        initial=formula.replace("*t", "*0"),
        boundary={"x-": f"u = (exp({c}*({s} + {c}*t)) - 1 - {c}*({s} + {c}*t))/{c**2}", "x+": "u = 0"},
    )
    solution = lrfm.solve(statement, tol=2e-3)
    x = (np.arange(1000) + 0.5) / 1000
    gap, size = 0.0, 0.0
    for t in 0.25 * (np.arange(21) + 0.5) / 21:
        gap += np.mean(np.abs(solution["u"](x=x, t=np.full(1000, t)) - exact(x, t)))
        size += np.mean(exact(x, t))
    assert solution.report.norm == 1
    assert gap / size <= solution.report.error_estimate <= 2e-3


def test_what_starts_on_the_obstacle_and_is_pushed_off():
    """min(u_t − u_xx − 1, u) = 0 from nothing: the obstacle is left everywhere at once, and u is that of the heat equation."""
    free, held = (
        lrfm.solve(
            lrfm.Problem(equation, domain=lrfm.Box(x=(0, 1)), time=(0, 0.2), initial="0", boundary="u = 0"),
            tol=5e-3,
        )
        for equation in ("u_t = u_xx + 1", "min(u_t - u_xx - 1, u) = 0")
    )
    x = np.linspace(0.02, 0.98, 49)
    for t in (0.05, 0.2):
        at = {"x": x, "t": np.full(49, t)}
        assert held["u"](**at) == pytest.approx(free["u"](**at), abs=1e-3)


def test_several_unknowns_are_refused_in_words():
    statement = lrfm.Problem(
        ["min(u_t - u_xx, u - v) = 0", "v_t = v_xx"],
        domain=lrfm.Box(x=(0, 1)),
        time=(0, 0.1),
        initial={"u": "sin(pi*x)", "v": "0"},
        boundary={"*": ["u = 0", "v = 0"]},
    )
    with pytest.raises(lrfm.ProblemError, match="one unknown"):
        lrfm.solve(statement, tol=1e-2)
