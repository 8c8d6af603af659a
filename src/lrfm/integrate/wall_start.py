# SPDX-License-Identifier: MIT
"""A consistent start between walls:  E z + A_q q = −(A y + n),  C z = 0,  B z = −g′,  from the state y nearest to the data that meets C y = 0 and B y = −g."""

from __future__ import annotations

import numpy as np

from lrfm.discretize.box.galerkin import BoxGalerkin
from lrfm.discretize.box.walls import WalledDiscretization
from lrfm.integrate.start import consistent_start

Walled = WalledDiscretization | BoxGalerkin


def wall_start(made: Walled, time: float, y: np.ndarray, duration: float) -> tuple[np.ndarray, np.ndarray]:
    """The state with multipliers by their equations, and the rates of all components; data are moved where there are constraints, as to velocities without divergence."""
    if not made.plain:
        return consistent_start(made, time, y, duration)
    if made.system.multipliers:
        y = made.scatter(made.admissible(made.gather(y), time))
    return wall_rates(made, time, y, duration)


def wall_rates(made: Walled, time: float, y: np.ndarray, duration: float) -> tuple[np.ndarray, np.ndarray]:
    """The same of a state that meets its constraints already."""
    if not made.plain:
        return consistent_start(made, time, y, duration)
    vector = made.moving(made.gather(y))
    rates, multipliers = made.projected(-made.terms_of(vector, time), time)
    return made.scatter(vector + multipliers), made.scatter(rates)
