# SPDX-License-Identifier: MIT
"""Conservation form is found where there is one, whatever the statement looks like."""

import numpy as np
import pytest

import lrfm
from lrfm.discretize.laws.law import Law
from lrfm.problem.conservation import ConservationLaw, NotConserved, conservation_law
from lrfm.problem.program import Program

EULER = [
    "rho_t + m_x = 0",
    "m_t + diff(m**2/rho + (g - 1)*(E - m**2/(2*rho)), x) = 0",
    "E_t + diff((E + (g - 1)*(E - m**2/(2*rho)))*m/rho, x) = 0",
]
PRIMITIVE = [
    "rho_t + diff(rho*v, x) = 0",
    "diff(rho*v, t) + diff(rho*v**2 + p, x) = 0",
    "diff(p/(g - 1) + rho*v**2/2, t) + diff((p*g/(g - 1) + rho*v**2/2)*v, x) = 0",
]


def law_of(equation, *fields, **given):
    problem = lrfm.Problem(
        equation,
        domain=lrfm.Box(x=(0, 1)),
        time=(0, 1),
        initial={name: "1" for name in fields},
        boundary=None,
        **given,
    )
    return conservation_law(problem)


def pressure(q, g=1.4):
    return (g - 1) * (q[2] - q[1] ** 2 / (2 * q[0]))


CASES = {
    "burgers": (("u_t + u*u_x = 0", "u"), {}, lambda q: [q[0] ** 2 / 2]),
    "traffic": (("u_t + diff(u*(1 - u), x) = 0", "u"), {}, lambda q: [q[0] - q[0] ** 2]),
    "cubic": (("u_t = -u**2*u_x", "u"), {}, lambda q: [q[0] ** 3 / 3]),
    "buckley": (
        ("u_t + diff(u**2/(u**2 + 0.25*(1 - u)**2), x) = 0", "u"),
        {},
        lambda q: [q[0] ** 2 / (q[0] ** 2 + 0.25 * (1 - q[0]) ** 2)],
    ),
    "water": (
        (["h_t + q_x = 0", "q_t + diff(q**2/h + 9.81*h**2/2, x) = 0"], "h", "q"),
        {},
        lambda q: [q[1], q[1] ** 2 / q[0] + 9.81 * q[0] ** 2 / 2],
    ),
    "water, h and v": (
        (["h_t + diff(h*v, x) = 0", "diff(h*v, t) + diff(h*v**2 + h**2/2, x) = 0"], "h", "v"),
        {},
        lambda q: [q[1], q[1] ** 2 / q[0] + q[0] ** 2 / 2],
    ),
    "gas": (
        (EULER, "rho", "m", "E"),
        {"parameters": {"g": 1.4}},
        lambda q: [q[1], q[1] ** 2 / q[0] + pressure(q), (q[2] + pressure(q)) * q[1] / q[0]],
    ),
    "gas, rho, v and p": (
        (PRIMITIVE, "rho", "v", "p"),
        {"parameters": {"g": 1.4}},
        lambda q: [q[1], q[1] ** 2 / q[0] + pressure(q), (q[2] + pressure(q)) * q[1] / q[0]],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_fluxes_are_found(name):
    """Up to a constant, which no equation knows: at random states."""
    statement, given, flux = CASES[name]
    form = law_of(*statement, **given)
    assert isinstance(form, ConservationLaw)
    q = 0.5 + np.random.default_rng(1).random((len(form.fields), 50))
    law, x = Law(form, ("x", "t")), np.zeros(50)
    apart = law.flux(q, x, 0.0) - np.array(flux(q))
    assert np.ptp(apart, axis=1) == pytest.approx(0, abs=1e-12)
    assert law.source is None


@pytest.mark.parametrize("name", CASES)
def test_unknowns_follow_from_what_is_conserved(name):
    statement, given, _ = CASES[name]
    law = Law(law_of(*statement, **given), ("x", "t"))
    u = 0.5 + np.random.default_rng(2).random((law.size, 20))
    assert law.primitive(law.conserved(u, u[0], 0.0), u[0], 0.0) == pytest.approx(u, rel=1e-13)


@pytest.mark.parametrize("name", ["water", "gas", "gas, rho, v and p"])
def test_speeds_are_those_of_sound(name):
    statement, given, _ = CASES[name]
    law = Law(law_of(*statement, **given), ("x", "t"))
    rng = np.random.default_rng(3)
    q = np.stack([0.5 + rng.random(40), rng.random(40) - 0.5, 3 + rng.random(40)])[: law.size]
    sound = np.sqrt(9.81 * q[0]) if law.size == 2 else np.sqrt(1.4 * pressure(q) / q[0])
    assert law.speeds(q, q[0], 0.0) == pytest.approx(np.abs(q[1] / q[0]) + sound, rel=1e-9)


def test_a_coefficient_of_x_becomes_a_flux_and_a_source():
    """c u_x = (c u)_x − c′ u."""
    law = Law(law_of("u_t + sin(x)*u_x = 0", "u"), ("x", "t"))
    x, u = np.linspace(0, 3, 7), np.linspace(1, 2, 7)[None]
    assert law.flux(u, x, 0.0)[0] == pytest.approx(np.sin(x) * u[0])
    assert law.source is not None
    assert law.source(u, x, 0.0)[0] == pytest.approx(np.cos(x) * u[0])


@pytest.mark.parametrize(
    ("equation", "fields", "why"),
    [
        (["u_t + v*u_x = 0", "v_t + u*v_x = 0"], ("u", "v"), "no gradient"),
        ("u_t + u_x**2 = 0", ("u",), "not linear in its derivatives"),
        ("u_t = -u_xxxx", ("u",), "beyond those of a conservation law"),
        ("u_t = u*u_xx", ("u",), "not linear in its derivatives"),
        ("u_t = diff((1 + x**2)*u_x, x)", ("u",), "more than the unknowns"),
        ("u_t + where(x < 0.5, 1, 2)*u_x = 0", ("u",), "jumps"),
    ],
)
def test_what_has_no_flux_says_why(equation, fields, why):
    found = law_of(equation, *fields)
    assert isinstance(found, NotConserved)
    assert why in found.why


def test_states_that_are_not_admissible_are_told():
    """A negative depth, and a gas of negative pressure, have no speeds."""
    water, gas = (Law(law_of(*CASES[n][0], **CASES[n][1]), ("x", "t")) for n in ("water", "gas"))
    x = np.zeros(2)
    with np.errstate(all="ignore"):
        assert np.isnan(water.speeds(np.array([[1.0, -1.0], [0.0, 0.0]]), x, 0.0)).tolist() == [False, True]
        states = np.array([[1.0, 1.0], [0.0, 2.0], [1.0, 1.0]])
        assert np.isnan(gas.speeds(states, x, 0.0)).tolist() == [False, True]


@pytest.mark.parametrize(
    ("equation", "diffused", "flux"),
    [
        ("u_t = diff(u**2, x, x)", lambda u: u**2, lambda u: 0 * u),
        ("u_t = diff(u**2*u_x, x)", lambda u: u**3 / 3, lambda u: 0 * u),
        ("u_t + u*u_x = diff(u**2.5, x, x) - u", lambda u: u**2.5, lambda u: u**2 / 2),
        ("u_t = u_xx", lambda u: u, lambda u: 0 * u),
    ],
)
def test_what_diffuses_is_read_from_second_derivatives(equation, diffused, flux):
    """Φ with Φ_xx in the row, and f with f_x: at some values, since formulas are written in several ways."""
    found = law_of(equation, "u")
    u = np.linspace(0.1, 2, 7)
    for expression, wanted in ((found.diffused[0], diffused), (found.flux[0], flux)):
        (values,) = Program([expression])({found.symbols[0]: u})
        assert np.allclose(values, wanted(u))
