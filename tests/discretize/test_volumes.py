# SPDX-License-Identifier: MIT
"""Finite volumes: order five where it is smooth, no new extrema where a flux is not convex, contacts without noise, totals to rounding."""

import numpy as np
import pytest

import lrfm
from lrfm.discretize.laws.boundary_flux import BoundaryFlux
from lrfm.discretize.laws.law import Law
from lrfm.discretize.laws.volumes import Volumes
from lrfm.integrate.schemes import ssp
from lrfm.problem.conservation import conservation_law
from lrfm.spaces.cells import Mesh

GAS = [
    "rho_t + diff(rho*v, x) = 0",
    "diff(rho*v, t) + diff(rho*v**2 + p, x) = 0",
    "diff(p/0.4 + rho*v**2/2, t) + diff((p*1.4/0.4 + rho*v**2/2)*v, x) = 0",
]
OIL = "u_t + diff(u**2/(u**2 + 0.25*(1 - u)**2), x) = 0"
rng = np.random.default_rng(0)


def volumes(equation, initial, number, boundary="periodic"):
    problem = lrfm.Problem(
        equation, domain=lrfm.Box(x=(0, 1)), time=(0, 1), initial=initial, boundary=boundary
    )
    law = Law(conservation_law(problem), ("x", "t"))
    mesh = Mesh.of(np.linspace(0, 1, number + 1), bool(problem.periodic))
    faces = (("x-", 0.0, -1), ("x+", 1.0, 1))
    ends = [BoundaryFlux(law, problem.face_rows.get(f, ()), at, side) for f, at, side in faces]
    return Volumes(law, mesh, ends, np.full(law.size, 1e-3), problem)


def test_rates_converge_with_order_five_where_it_is_smooth():
    """Means of −(u²/2)_x for u = 2 + sin 2πx: differences of u²/2 at edges."""
    errors = []
    for number in (40, 80):
        made = volumes("u_t + u*u_x = 0", "1", number)
        e = made.mesh.edges
        means = 2 - np.diff(np.cos(2 * np.pi * e)) / (2 * np.pi * made.width)
        exact = -np.diff((2 + np.sin(2 * np.pi * e)) ** 2 / 2) / made.width
        errors.append(np.max(np.abs(made.rates(0.0, means[None])[0] - exact)))
    assert np.log2(errors[0] / errors[1]) > 4.5


def test_a_flux_that_is_not_convex_makes_no_new_extrema():
    made = volumes(OIL, "1", 200)
    u = np.where(np.abs(made.x - 0.5) < 0.2, 1.0, 0.0)[None]
    for _ in range(60):
        before = np.sum(np.abs(np.diff(u[0])))
        u = ssp.third(made.rates, 0.0, u, 0.4 * made.bounds(0.0, u).crossing, made.rates(0.0, u))
        assert u.min() > -1e-12
        assert u.max() < 1 + 1e-12
        assert np.sum(np.abs(np.diff(u[0]))) <= before + 1e-12


def test_a_contact_moves_without_noise_in_velocity_and_pressure():
    """ρ jumps, v and p are the same everywhere: they stay so to rounding, whatever is done to ρ."""
    made = volumes(GAS, {"rho": "1", "v": "1", "p": "1"}, 100)
    rho = np.where(made.x < 0.5, 1.0, 3.0)
    q = np.stack([rho, 0.7 * rho, 2 / 0.4 + rho * 0.49 / 2])
    for _ in range(20):
        q = ssp.third(made.rates, 0.0, q, 0.5 * made.bounds(0.0, q).crossing, made.rates(0.0, q))
    _, v, p = made.law.primitive(q, made.x, 0.0)
    assert np.max(np.abs(v - 0.7)) < 1e-12
    assert np.max(np.abs(p - 2)) < 1e-12


@pytest.mark.parametrize("boundary", ["periodic", "v = 0"])
def test_totals_change_by_what_goes_through_the_ends(boundary):
    made = volumes(GAS, {"rho": "1", "v": "0", "p": "1"}, 64, boundary)
    u = np.stack([1 + rng.random(64), 0.2 * rng.random(64), 1 + rng.random(64)])
    rates = made.rates(0.0, made.law.conserved(u, made.x, 0.0))
    kept = [0, 1, 2] if boundary == "periodic" else [0, 2]  # walls push, and let nothing through
    assert np.abs(np.sum(rates, axis=1) * made.width)[kept] == pytest.approx(0, abs=1e-12)


def test_slopes_that_are_shown_keep_means_and_signs():
    """Depths of all sizes beside each other: none that is shown is negative, although parabolas are."""
    made = volumes(["h_t + q_x = 0", "q_t + diff(q**2/h + h**2/2, x) = 0"], {"h": "1", "q": "0"}, 400)
    means = np.stack([rng.random(400) ** 8 + 1e-6, np.zeros(400)])
    assert made.law.begin(means, made.x, 0.0)
    with np.errstate(all="ignore"):
        shown = made.shown(0.0, means)
        left, right = made.at_ends(0.0, means)
    assert np.array_equal(shown[..., 0], means)
    assert min(left[0].min(), right[0].min()) < 0 < made.values(shown)[0].min()
