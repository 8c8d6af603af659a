# SPDX-License-Identifier: MIT
"""Profiles, Bell polynomials and relaxation integrals on their own."""

import mpmath as mp
import numpy as np
import pytest
import sympy

from lrfm.spacetime.features.orders import below, binomial, checked, downset, shares
from lrfm.spacetime.features.relaxation import decay_tower, eta_tower
from lrfm.spacetime.features.towers import PROFILES, Composition, partial_bell
from lrfm.spacetime.features.workspace import Workspace


def workspace(shape):
    work = Workspace()
    work.begin(*shape)
    return work


@pytest.mark.parametrize(("name", "function"), [("tanh", mp.tanh), ("sine", mp.sin)])
def test_profile_towers(name, function):
    s = np.linspace(-3.0, 3.0, 14).reshape(2, 7)
    tower = PROFILES[name].tower(s.copy(), 7, workspace(s.shape))
    for k, values in enumerate(tower):
        with mp.workdps(30):
            exact = np.array([float(mp.diff(function, mp.mpf(x), k)) for x in s.ravel()])
        np.testing.assert_allclose(values.ravel(), exact, rtol=0, atol=2e-14 * np.abs(exact).max())
    assert len({id(values) for values in tower}) == len(tower)


def test_profiles_are_bounded():
    s = np.linspace(-30.0, 30.0, 400).reshape(4, 100)
    for profile in PROFILES.values():
        assert np.abs(profile.tower(s.copy(), 0, workspace(s.shape))[0]).max() <= profile.bound


def test_partial_bell_polynomials():
    x = np.array([0.7, -1.3, 0.4, 2.1, -0.6])
    bells = partial_bell([np.full((1, 1), v) for v in x], workspace((1, 1)))
    for n in range(1, 6):
        for j in range(1, n + 1):
            exact = sympy.bell(n, j, sympy.symbols(f"x:{n - j + 1}")).subs(
                dict(zip(sympy.symbols("x:5"), x, strict=True))
            )
            assert float(bells[n, j][0, 0]) == pytest.approx(float(exact), rel=1e-13)


def test_bell_polynomials_of_a_linear_function_are_powers():
    bells = partial_bell([np.full((1, 1), 3.0), None, None, None], workspace((1, 1)))
    assert {key: float(value[0, 0]) for key, value in bells.items()} == {(n, n): 3.0**n for n in range(1, 5)}


def test_a_function_of_a_function_of_a_ridge():
    """(sin ∘ exp)⁗, s = 2x."""
    x, work = np.array([[0.3, -0.2]]), workspace((1, 2))
    inner = np.exp(2 * x)
    outer = [np.sin(inner), np.cos(inner), -np.sin(inner), -np.cos(inner), np.sin(inner)]
    ridge = [partial_bell([np.full((1, 1), 2.0), None, None, None], work)]
    slopes = Composition(ridge, partial_bell([inner] * 4, work), work).slopes((4,))
    symbol = sympy.Symbol("x")
    exact = sympy.lambdify(symbol, sympy.diff(sympy.sin(sympy.exp(2 * symbol)), symbol, 4))(x)
    np.testing.assert_allclose(sum(w * outer[k] for k, w in slopes.items()), exact, rtol=1e-13)


def exact_eta(alpha, t, m):
    """ηₘ = (−1)ᵐ ∫₀ᵗ uᵐ e^(−αu) du = (−1)ᵐ tᵐ⁺¹/(m+1) · ₁F₁(m+1; m+2; −αt)."""
    with mp.workdps(40):
        a, t = mp.mpmathify(alpha), mp.mpf(t)
        return complex((-1) ** m * t ** (m + 1) / (m + 1) * mp.hyp1f1(m + 1, m + 2, -a * t))


SIZES = np.array([0.0, 1e-300, 1e-12, 1e-9, 1e-4, 0.1, 0.5, 0.99, 1.0, 1.01, 2.0, 5.0, 20.0, 300.0])


@pytest.mark.parametrize("phase", [1.0, -1.0, 1j, np.exp(0.7j), np.exp(2.5j)])
@pytest.mark.parametrize("top", [0, 1, 2, 4, 6])
def test_eta(phase, top):
    """Relative error of η₀ … η₆ at every |αt|, both signs and complex."""
    t = np.array([0.3, 2.0])
    alpha = (phase * SIZES)[:, None] / t
    work = workspace(alpha.shape)
    decay = decay_tower(alpha, t, top, work)
    for m, values in enumerate(eta_tower(alpha, t, decay, work)):
        exact = np.array([[exact_eta(a, s, m) for a, s in zip(row, t, strict=True)] for row in alpha])
        assert np.isfinite(values).all()
        assert np.abs(values / exact - 1.0).max() < 5e-12


def test_eta_at_zero_time():
    alpha = np.array([[-3.0, 0.0, 5.0, 1e6]])
    t, work = np.zeros(4), workspace((1, 4))
    for values in eta_tower(alpha, t, decay_tower(alpha, t, 3, work), work):
        assert np.all(values == 0.0)


def test_multi_indices():
    assert list(below((1, 2))) == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]
    assert binomial((2, 3), (1, 2)) == 6
    assert downset([(1, 0), (0, 1)]) == {(0, 0), (1, 0), (0, 1)}
    assert sum(weight for _, weight in shares(3, 2)) == 3**3
    assert checked([[2, 0], (2, 0), (0, 1)], 1) == [(2, 0), (0, 1)]
    for bad in [(1,), (0, -1), (0.5, 0), "ut"]:
        with pytest.raises(ValueError, match="is not a derivative on 1 axes and time; give 2 non-negative"):
            checked([bad], 1)
