# SPDX-License-Identifier: MIT
"""The integrator of a statement and a tolerance, with its usual parts."""

from __future__ import annotations

import numpy as np

from lrfm.adapt.cells import CellAdapter
from lrfm.adapt.given import Given
from lrfm.adapt.points import stable_layout
from lrfm.adapt.shocks import ShockAdapter, coefficients_for
from lrfm.adapt.volumes import FrontAdapter, ObstacleAdapter, VolumeAdapter
from lrfm.discretize.evolution import EvolutionSystem, Unsuited
from lrfm.discretize.layout import points_of
from lrfm.discretize.options import Options
from lrfm.integrate.controller import decide
from lrfm.integrate.estimator import Estimator
from lrfm.integrate.explicit import Explicit, begin
from lrfm.integrate.integrator import Integrator
from lrfm.integrate.obstacle_steps import ObstacleSteps
from lrfm.integrate.obstacle_steps import begin as begin_obstacle
from lrfm.integrate.radau import Radau
from lrfm.integrate.volume_steps import FrontSteps, VolumeSteps
from lrfm.integrate.volume_steps import begin as begin_volumes
from lrfm.problem.conservation import ConservationLaw


def integrator_for(
    system: EvolutionSystem,
    options: Options,
    sizes: np.ndarray | None = None,
    given: Given | None = None,
) -> Integrator:
    """Radau IIA on cells; `sizes` of the components are those of an earlier solve, where there is one, `given` what was read for it already."""
    layout, given = stable_layout(system, points_of(system, options)), given or Given(system)
    layout.check()
    if system.multipliers:
        raise Unsuited("An unknown does not occur in its own equation.")
    adapter = CellAdapter(layout, given, options)
    estimator = Estimator(adapter, options, system.problem.time, sizes)
    return Integrator(system, options, given, Radau(options.stages), adapter, estimator, decide)


def shocks_for(
    system: EvolutionSystem, form: ConservationLaw, options: Options, sizes: np.ndarray | None = None
) -> Integrator:
    """Explicit steps on discontinuous functions with upwind fluxes, for a conservation law in which nothing diffuses."""
    given = Given(system)
    adapter = ShockAdapter(system, form, given, options, coefficients_for(options), sizes)
    estimator = Estimator(adapter, options, system.problem.time, sizes)
    scheme = Explicit()
    return Integrator(system, options, given, scheme, adapter, estimator, decide, begin, scheme.longest)


def volumes_for(
    system: EvolutionSystem,
    form: ConservationLaw,
    options: Options,
    sizes: np.ndarray | None,
    variation: float,
) -> Integrator:
    """Explicit steps on finite volumes, as many as the variation of data asks for."""
    given = Given(system)
    data = ShockAdapter(system, form, given, options, coefficients_for(options), sizes)
    spreads = bool(form.diffused)
    adapter = (FrontAdapter if spreads else VolumeAdapter)(data, options, variation)
    estimator = Estimator(adapter, options, system.problem.time, sizes)
    scheme = FrontSteps() if spreads else VolumeSteps()
    return Integrator(
        system, options, given, scheme, adapter, estimator, decide, begin_volumes, scheme.longest
    )


def obstacles_for(
    system: EvolutionSystem,
    form: ConservationLaw,
    options: Options,
    sizes: np.ndarray | None,
    variation: float,
) -> Integrator:
    """Implicit steps on differences for min(A, B) = 0; the form is that of the data alone."""
    given = Given(system)
    data = ShockAdapter(system, form, given, options, coefficients_for(options), sizes)
    adapter = ObstacleAdapter(data, options, variation)
    estimator = Estimator(adapter, options, system.problem.time, sizes)
    return Integrator(system, options, given, ObstacleSteps(), adapter, estimator, decide, begin_obstacle)
