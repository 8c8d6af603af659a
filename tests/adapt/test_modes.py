# SPDX-License-Identifier: MIT
"""The first modes of a series: as few as what is given asks for, and no fewer."""

from dataclasses import replace

import numpy as np
import pytest
from on_series import box

from lrfm.adapt.modes import ModeAdapter
from lrfm.discretize.box.spectral_form import SpectralForm
from lrfm.discretize.evolution import EvolutionSystem
from lrfm.discretize.options import Options


def begun(initial, tol, axes="xy"):
    problem = box("u_t = lap(u)", initial, axes=axes)
    adapter = ModeAdapter(SpectralForm(EvolutionSystem(problem)), Options(tol=tol))
    mesh, y = adapter.initial()
    return adapter, mesh, mesh.complexes(y[0, 0])


@pytest.mark.parametrize("tol", [1e-3, 1e-6])
def test_modes_are_as_few_as_a_narrow_bump_asks_for(tol):
    """e^{s(cos x − 1)} has coefficients I_k(s)e^{−s}, about e^{−k²/2s}: few more than √(2s log(1/tol)) are needed, and not up to twice as many."""
    s = 300.0
    adapter, mesh, c = begun(f"exp({s}*(cos(x) - 1) + 2*(cos(y) - 1))", tol)
    places = 2 * np.pi * np.random.default_rng(0).random((500, 2))
    exact = np.exp(s * (np.cos(places[:, 0]) - 1) + 2 * (np.cos(places[:, 1]) - 1))
    found = mesh.summed(c, [mesh.functions(a, places[:, a], 0, 0) for a in range(2)])
    assert np.sqrt(np.mean((found - exact) ** 2) / np.mean(exact**2)) <= adapter.budget
    needed = np.sqrt(2 * s * np.log(1 / adapter.budget))
    assert mesh.counts[0] <= 1.4 * needed
    assert mesh.counts[1] < mesh.counts[0] / 3


def test_a_wave_is_not_cut_off():
    """Below k = 13 a series of cos 13x is zero, and zero decays as fast as one may wish."""
    _, mesh, c = begun("cos(13*x)", 1e-3, axes="x")
    assert mesh.counts[0] >= 13
    assert abs(c[13]) == pytest.approx(0.5)
    assert begun("cos(x)", 1e-3, axes="x")[1].counts[0] <= Options.fewest * Options(tol=1e-3).first_cells + 1


def test_a_comparison_may_have_more_modes_than_a_first_solve():
    """With as many as there may be in both, a coefficient that nearly vanishes was claimed at 4.2e-4 with an error of 2.6e-3: both solves had 161 polynomials."""
    problem = box("u_t = lap(u)", "cos(x)", axes="xy")
    form = SpectralForm(EvolutionSystem(problem))
    first, comparison = (
        ModeAdapter(form, replace(Options(tol=1e-3), comparison=again))._most for again in (False, True)
    )
    assert np.all(first * 1.25 < comparison)
