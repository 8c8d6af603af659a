# SPDX-License-Identifier: MIT
"""Fluxes of coefficients that jump on an interval: which conditions hold there, and what is no flux."""

import numpy as np
import pytest

import lrfm
from lrfm.discretize.evolution import EvolutionSystem, Unsuited


def system(equation, domain=None, initial="sin(pi*x)", boundary="u = 0", **parameters):
    return EvolutionSystem(
        lrfm.Problem(
            equation,
            domain=domain or lrfm.Box(x=(0, 1)),
            time=(0, 1),
            initial=initial,
            boundary=boundary,
            parameters=parameters,
        )
    )


def slopes(condition):
    """What stands before the slopes on both sides of a place."""
    at = np.array([[condition.place, 0.0]])
    jets = {jet: np.array([0.7]) for jet in condition.row.jets}
    found = dict(condition.row.affine(at)[1])
    for jet, slope in condition.row.nonlinear(at, jets, False)[1].items():
        found[jet] = found.get(jet, 0) + slope
    (above,), (below,) = (
        [c for jet, c in found.items() if jet.side == side and jet.index[0]] for side in ("above", "below")
    )
    return float(np.ravel(above)[0]), float(np.ravel(below)[0])


def inner(made):
    return [c for c in made.conditions if c.inner]


@pytest.mark.parametrize(
    ("equation", "above", "below"),
    [
        ("u_t = diff(k*u_x, x)", -7, 2),
        ("c*u_t = diff(k*u_x, x) - u", -7, 2),  # a capacity beside the rate changes nothing,
        ("u_t = diff(k*u_x, x)/c", -7 / 5, 2 / 5),  # and one that divides the flux neither
        ("u_t = diff(k*u_x, x) + 3*u_xx - u_x", -10, 5),
        ("u_t = diff(k*(1 + u**2)*u_x, x)", -7 * 1.49, 2 * 1.49),
        ("u_tt = diff(k*u_x, x) - u_t", -7, 2),
    ],
)
def test_flux_is_continuous(equation, above, below):
    """k jumps from 2 to 7 and c from 1 to 5, at one place."""
    data = {"u": "sin(pi*x)", "u_t": "0"} if "u_tt" in equation else "sin(pi*x)"
    made = system(equation, initial=data, k="where(x < 0.4, 2, 7)", c="where(x < 0.4, 1, 5)")
    value, flux = inner(made)
    assert value.place == flux.place == pytest.approx(0.4, abs=1e-15)
    assert {jet.index[0] for jet in value.row.jets} == {0}
    up, down = slopes(flux)
    assert up / down == pytest.approx(above / below, rel=1e-12)


def test_several_places_and_a_circle():
    made = system("u_t = diff(k*u_x, x)", boundary="periodic", k="where(abs(x - 0.5) < 0.2, 1, 10)")
    assert [c.place for c in inner(made)] == pytest.approx([0.3, 0.3, 0.7, 0.7])


def test_a_coefficient_without_a_flux_has_no_conditions():
    assert not inner(system("u_t = k*u_xx", k="where(x < 0.4, 2, 7)"))


@pytest.mark.parametrize(
    ("equation", "boundary", "why"),
    [
        ("u_t = diff(k*u_x, x) + k*u_xx", "u = 0", "not those of one flux"),
        ("u_t = diff(k*u_x, x) - u_xxxx", ["u = 0", "u_xx = 0"], "third order or higher"),
    ],
)
def test_what_is_no_flux_is_refused(equation, boundary, why):
    with pytest.raises(Unsuited, match=why):
        system(equation, boundary=boundary, k="where(x < 0.4, 2, 7)")


def test_other_spaces_say_that_they_do_not_hold_it():
    problem = system("u_t = diff(k*u_x, x)", k="where(x < 0.4, 2, 7)").original
    with pytest.raises(lrfm.ProblemError, match="cells end there; series do not"):
        lrfm.solve(problem, tol=1e-3, method=lrfm.Lines(space="series"))
