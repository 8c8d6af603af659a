# SPDX-License-Identifier: MIT
"""The integrator of a conservation law, of a front or of an obstacle, with its usual parts; no other statement loads them."""

from __future__ import annotations

import numpy as np

from lrfm.adapt.fluxes import FluxAdapter, LawData, coefficients_for
from lrfm.adapt.given import Given
from lrfm.adapt.given_box import GivenOnBox
from lrfm.adapt.graded import GradedAdapter
from lrfm.adapt.grid_volumes import GridAdapter
from lrfm.adapt.volumes import FrontAdapter, ObstacleAdapter, VolumeAdapter
from lrfm.discretize.evolution import EvolutionSystem
from lrfm.discretize.options import Options
from lrfm.integrate.controller import decide
from lrfm.integrate.estimator import Estimator
from lrfm.integrate.integrator import Integrator
from lrfm.integrate.protocols import ConsistentStart
from lrfm.integrate.schemes.explicit import Explicit, begin
from lrfm.integrate.schemes.obstacle_steps import ObstacleSteps
from lrfm.integrate.schemes.obstacle_steps import begin as begin_obstacle
from lrfm.integrate.schemes.volume_steps import BoxSteps, FrontSteps, VolumeSteps
from lrfm.integrate.schemes.volume_steps import begin as begin_volumes
from lrfm.problem.conservation import ConservationLaw


def fluxes_for(
    system: EvolutionSystem, form: ConservationLaw, options: Options, sizes: np.ndarray | None = None
) -> Integrator:
    """Explicit steps on discontinuous functions with upwind fluxes, for a conservation law in which nothing diffuses."""
    given = Given(system)
    adapter = FluxAdapter(LawData(system, form, given, options, coefficients_for(options), sizes))
    estimator = Estimator(adapter, options, system.problem.time, sizes)
    scheme = Explicit()
    return Integrator(system, options, given, scheme, adapter, estimator, decide, begin)


def volumes_for(
    system: EvolutionSystem,
    form: ConservationLaw,
    options: Options,
    sizes: np.ndarray | None,
    variation: float,
) -> Integrator:
    """Explicit steps on finite volumes, as many as the variation of data asks for."""
    kinds = (FrontAdapter, FrontSteps()) if form.diffused else (GradedAdapter, VolumeSteps())
    return _equal_cells(system, form, options, sizes, variation, *kinds, begin_volumes)


def grid_volumes_for(
    system: EvolutionSystem,
    form: ConservationLaw,
    given: GivenOnBox | None,
    options: Options,
    sizes: np.ndarray | None,
) -> Integrator:
    """Explicit steps on finite volumes in a box."""
    given = GivenOnBox(system) if given is None else given
    adapter = GridAdapter(system, form, given, options, sizes)
    estimator = Estimator(adapter, options, system.problem.time, sizes)
    return Integrator(system, options, given, BoxSteps(), adapter, estimator, decide, begin_volumes)


def obstacles_for(
    system: EvolutionSystem,
    form: ConservationLaw,
    options: Options,
    sizes: np.ndarray | None,
    variation: float,
) -> Integrator:
    """Implicit steps on differences for min(A, B) = 0; the form is that of the data alone."""
    kinds = ObstacleAdapter, ObstacleSteps()
    return _equal_cells(system, form, options, sizes, variation, *kinds, begin_obstacle)


def _equal_cells(
    system: EvolutionSystem,
    form: ConservationLaw,
    options: Options,
    sizes: np.ndarray | None,
    variation: float,
    kind: type[VolumeAdapter],
    scheme: VolumeSteps | ObstacleSteps,
    begun: ConsistentStart,
) -> Integrator:
    given = Given(system)
    data = LawData(system, form, given, options, coefficients_for(options), sizes)
    adapter = kind(data, options, variation)
    estimator = Estimator(adapter, options, system.problem.time, sizes)
    return Integrator(system, options, given, scheme, adapter, estimator, decide, begun)
