# SPDX-License-Identifier: MIT
"""Polynomials along several axes: rows that exact solutions meet, matrices by diagonalization, refusals."""

import numpy as np
import pytest

import lrfm
from lrfm.discretize.box.spectral_form import SpectralForm
from lrfm.discretize.box.walls import WalledDiscretization
from lrfm.discretize.evolution import EvolutionSystem, Unsuited
from lrfm.spaces.series import Modes

EXACT = "exp(-t)*(x + y**2)*(1 + x*y)"


def made_of(equation, boundary, axes="xy", count=5, polynomial=None):
    domain = lrfm.Box(**{name: (0.0, 1.0 + n) for n, name in enumerate(axes)})
    problem = lrfm.Problem(
        equation, domain=domain, time=(0, 1), initial="0*x", boundary=boundary, check_corners=False
    )
    form = SpectralForm(EvolutionSystem(problem), polynomial or tuple(range(len(axes))))
    low, high = (tuple(map(float, end)) for end in (domain.lower, domain.upper))
    counts = tuple(count + n for n in range(len(axes)))
    return WalledDiscretization(form, Modes(low, high, form.periodic, counts, form.polynomial))


def test_an_exact_solution_meets_all_rows():
    """A polynomial in space, with a product, transport, and conditions with data on all faces."""
    laplacian = "exp(-t)*(2*y + 2*(1 + x*y) + 4*x*y)"  # of EXACT
    slope = "exp(-t)*(1 + x*y + (x + y**2)*y)"
    source = f"-{EXACT} + y*{slope} - 0.3*{laplacian} + ({EXACT})**2"
    made = made_of(
        f"u_t + y*u_x = 0.3*lap(u) - u**2 + {source}",
        {"x-": f"u = {EXACT}", "x+": f"u_n + 2*u = {slope} + 2*{EXACT}", "y": f"u = {EXACT}"},
    )
    x, y = made.mesh.points().T
    t = 0.2
    values = np.exp(-t) * (x + y**2) * (1 + x * y)
    c = made.mesh.flat(made.mesh.coefficients(values.reshape(made.mesh.grid), (2, 2)))[None, None]
    assert np.max(np.abs(made.residual(np.array([t]), c[None], -c[None]))) < 1e-12


@pytest.mark.parametrize("shift", [0.3, 0.2 + 0.4j])
@pytest.mark.parametrize(
    ("axes", "boundary", "polynomial"),
    [
        ("xy", {"x-": "u = 0", "x+": "u_n = -3*u", "y": "u_n = 0"}, (0, 1)),
        ("xyz", {"x": "u = 0", "y": "u_n = -u", "z-": "u = 0", "z+": "u_n = 0"}, (0, 1, 2)),
        ("xyz", {"x": "u = 0", "y": "periodic", "z": "u_n = -u"}, (0, 2)),
    ],
)
def test_matrices_are_those_of_the_rows(axes, boundary, polynomial, shift):
    """A(s) z = F(s z, z) of linear rows, and A(s)⁻¹ takes it back."""
    made = made_of("u_t = 0.5*lap(u) - 2*u", boundary, axes, 3, polynomial)
    rng = np.random.default_rng(1)
    shape = (1, 1, 1, made.mesh.reals)

    def rows(part):
        own = made.mesh.flat(made.mesh.coefficients(part, made.form.parities[0])).reshape(shape)
        zero, now = np.zeros_like(own), np.zeros(1)
        first, second = made.residual(now, zero, own)[0], made.residual(now, own, zero)[0]
        return own.ravel(), first + shift * second

    parts = [rows(rng.standard_normal(made.mesh.grid)) for _ in range(2)]
    wanted, right = (a + 1j * b if np.imag(shift) else a for a, b in zip(*parts, strict=True))
    assert np.allclose(made.pencil.at(shift)(right), wanted, rtol=0, atol=1e-10 * np.max(np.abs(wanted)))


@pytest.mark.parametrize("shift", [0.3, 0.2 + 0.4j])
def test_waves_have_matrices_with_squares_of_the_shift(shift):
    """A(s) z = F(s² z, s z, z) of u_tt + u_t = Δu + Δu_t with conditions of all kinds, and A(s)⁻¹ takes it back."""
    domain = lrfm.Box(x=(0.0, 1.0), y=(0.0, 2.0))
    problem = lrfm.Problem(
        "u_tt + u_t = lap(u) + 0.1*lap(u_t)",
        domain=domain,
        time=(0, 1),
        initial={"u": "0*x", "u_t": "0*x"},
        boundary={"x-": "u = 0", "x+": "u_n = -3*u", "y": "u_n = 0"},
    )
    form = SpectralForm(EvolutionSystem(problem), (0, 1))
    made = WalledDiscretization(form, Modes((0.0, 0.0), (1.0, 2.0), form.periodic, (5, 6), (0, 1)))
    rng, now = np.random.default_rng(1), np.zeros(1)
    z = rng.standard_normal((2, made.size))
    right = 0
    for part, factor in zip(z, (1, 1j), strict=True):
        own, nothing = made.scatter(part)[0], np.zeros((1, made.mesh.reals))
        pairs = (
            (nothing, nothing, nothing, own),
            (nothing, own, nothing, nothing),
            (own, nothing, nothing, nothing),
        )
        rows = [made.residual(now, np.stack(p[:2])[None], np.stack(p[2:])[None])[0] for p in pairs]
        right = right + factor * (rows[0] + shift * rows[1] + shift**2 * rows[2])
    wanted = z[0] + 1j * z[1]
    assert np.allclose(made.pencil.at(complex(shift))(right), wanted, rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    ("equation", "boundary"),
    [
        ("u_t = lap(u)", {"x": "u = 1", "y": "u_n = u_x"}),
        ("u_t = lap(u)", {"x": "u = 1", "y": "u_n = 1 - u**4"}),
        (["u_t = lap(u) + w", "lap(w) = u"], {"*": ["u = 1", "w = 0"]}),
    ],
)
def test_what_is_not_held_gets_a_sentence(equation, boundary):
    problem = lrfm.Problem(
        equation,
        domain=lrfm.Box(x=(0, 1), y=(0, 1)),
        time=(0, 1),
        initial={"u": "1 + 0*x"},
        boundary=boundary,
    )
    form = SpectralForm(EvolutionSystem(problem), (0, 1))
    with pytest.raises(Unsuited, match=r"\.$"):
        WalledDiscretization(form, Modes((0.0, 0.0), (1.0, 1.0), form.periodic, (4, 4), (0, 1)))
