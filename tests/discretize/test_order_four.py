# SPDX-License-Identifier: MIT
"""Δ² on cells of the plane: eigenvalues of plates, real and positive, as Bessel functions say; which rows are those of Δu."""

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import iv, jn_zeros, jnp_zeros, jv

import lrfm
from lrfm.discretize.evolution import Unsuited
from lrfm.discretize.plane.constraint import PlaneSystem
from lrfm.discretize.plane.dividers import outline_of
from lrfm.discretize.plane.galerkin import PlaneGalerkin
from lrfm.discretize.plane.layout import PlaneLayout
from lrfm.discretize.plane.order_four import lowered
from lrfm.spaces.cells.plane.mesh import PlaneMesh
from lrfm.spaces.cells.plane.space import PlaneCells

CLAMPED = brentq(lambda k: jv(0, k) * iv(1, k) + jv(1, k) * iv(0, k), 3, 3.5)


def _supported(k, nu=0.3):
    """u = 0 and u_rr + ν u_r = 0, which is Δu = (1 − ν) u_r, of J₀(kr) I₀(k) − I₀(kr) J₀(k) at r = 1 (k² = 4.935: Leissa, Narita, J. Sound Vib. 70, 1980)."""
    return 2 * k * jv(0, k) * iv(0, k) - (1 - nu) * (jv(1, k) * iv(0, k) + iv(1, k) * jv(0, k))


SUPPORTED = brentq(_supported, 2.0, 2.4)


def plate(boundary, equation="u_t = -lap(lap(u))"):
    return lrfm.Problem(
        equation, domain=lrfm.Disk(), time=(0, 1), initial="0*x", boundary=boundary, verify=False
    )


def rates(problem, degree, grid):
    """Eigenvalues of u_t = −A u, w = Δu eliminated."""
    system = PlaneSystem(problem)
    layout = PlaneLayout(system, outline_of(system), degree)
    layout.check()
    mesh = PlaneMesh.of(layout.outline.low, layout.outline.high, (grid, grid))
    made = PlaneGalerkin(layout, PlaneCells(layout.outline, mesh, degree))
    one, two = (m.toarray() for m in made.fixed.matrices)
    u, w = (made.places[:, i].ravel() for i in range(2))
    bend = -np.linalg.solve(one[np.ix_(w, w)], one[np.ix_(w, u)])
    matrix = two[np.ix_(u, w)] @ bend + two[np.ix_(u, u)]
    found = np.linalg.eigvals(np.linalg.solve(one[np.ix_(u, u)], matrix))
    assert np.abs(found.imag).max() < 1e-10 * np.abs(found).max()
    return np.sort(found.real)


@pytest.mark.parametrize(
    ("boundary", "first"),
    [
        (["u = 0", "lap(u) = 0"], [jn_zeros(0, 1)[0] ** 4]),
        (["u = 0", "lap(u) = 0.7*u_n"], [SUPPORTED**4]),
        (["u = 0", "u_n = 0"], [CLAMPED**4]),
        (["u_n = 0", "u_xxn + u_yyn = 0"], [0.0, jnp_zeros(1, 1)[0] ** 4]),
    ],
    ids=["no bend", "supported", "clamped", "free of flux"],
)
def test_plates(boundary, first):
    """The lowest eigenvalues; a finer grid has a tenth of the error, or less."""
    problem, n = plate(boundary), len(first)
    coarse, fine = (np.abs(rates(problem, 4, grid)[:n] - first).max() / first[-1] for grid in (2, 4))
    assert fine < 0.1 * coarse
    assert fine < 1e-2


def test_rows_of_the_laplacian():
    problem = plate(
        ["u_n = 0", "u_xxn + u_yyn = 0"], "u_t = lap(u**3 - u) - (1 + x**2)*lap(lap(u)) - x*lap(u_x)"
    )
    found = lowered(problem)
    assert found.fields == ("u", "lap u")
    highest = max(sum(jet.index[:-1]) for row in (*found.rows, *found.face_rows["disk"]) for jet in row.jets)
    assert highest == 2
    assert lowered(plate("u = 0", "u_t = lap(u)")).fields == ("u",)


@pytest.mark.parametrize("equation", ["u_t = u_xxx", "u_t = -u_xxxx - u_yyyy", "u_t = -lap(lap(u)) + u_xx"])
def test_other_derivatives_get_a_sentence(equation):
    with pytest.raises(Unsuited, match=r"not those of lap\(u\)"):
        PlaneSystem(plate(["u = 0", "u_n = 0"], equation))
