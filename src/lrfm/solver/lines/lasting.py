# SPDX-License-Identifier: MIT
"""How long what functions of one axis leave out goes on adding to a solution: τ = T / (1 + ρT), T the whole time.

ρ = min |λ₋|,   λ = −Σ_a c_a(x) (iκ)^a / Σ_a m_a(x) (iκ)^a,   λ₋ = min(Re λ, 0) + i Im λ,   κ ≥ (waves of the basis) · ξ'(x):   the rate at which an
equation with coefficients c, and m of its rates, turns or damps the waves that a basis does not hold. What grows is neither turned nor damped.

A residual is the part of the equations outside of the functions, (∂_t + L) u_out. Where L is large there it stands for u_out ≈ residual / ρ, and that is
all it does: a wave that is turned or damped at once adds nothing more. Where ρ is small, as in the unstable band of an equation, all of it lasts, and
short steps do not make it less: so τ does not depend on their length.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lrfm.solver.lines.newton import Stage
from lrfm.solver.lines.projected import ProjectedRows
from lrfm.solver.lines.state import State
from lrfm.spaces.axes.product import ProductBasis

if TYPE_CHECKING:
    from lrfm.solver.lines.march import March

SHORTER = (1.0, 1.5, 2.0, 3.0, 4.0)  # waves that are looked at, relative to the longest one


def lasting(march: March, state: State, tried: Stage) -> float:
    """τ of a basis of one axis, for the equations linearized in the middle of a step."""
    (start, end), k = march.form.problem.time, march.scheme.stages // 2
    at = state.time + march.scheme.nodes[k] * state.length
    return 1 / (1 / (end - start) + slowest(march.system, at, tried.values[k], tried.rates[k]))


def slowest(system: ProjectedRows, time: float, y: np.ndarray, z: np.ndarray) -> float:
    """ρ at a state; the least of all fields, each by what its equation makes of itself."""
    basis, found = system.basis, np.inf
    assert isinstance(basis, ProductBasis)
    (axis,) = basis.axes
    waves = 0.5 * np.pi * axis.modes if axis.axis.periodic else axis.modes
    kappa = np.outer(SHORTER, waves * axis.chart.slopes(axis.points, 1)[0])
    for own, row in zip(system.form.last, system.form.equations, strict=True):
        symbols = np.zeros((2, *kappa.shape), complex)  # of the terms without rates, and with them
        for entry, values in system.slopes(row, basis.grid, time, y, z).items():
            if entry.component == own:
                symbols[int(entry.rate)] += values * (1j * kappa) ** entry.index[0]
        growth = -symbols[0] / np.where(symbols[1] == 0, 1e-300, symbols[1])
        found = min(found, float(np.min(np.abs(np.minimum(growth.real, 0.0) + 1j * growth.imag))))
    return found
