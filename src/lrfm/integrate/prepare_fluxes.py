# SPDX-License-Identifier: MIT
"""The integrator of a conservation law, of a front or of an obstacle, with its usual parts; no other statement loads them."""

from __future__ import annotations

from typing import Any

import numpy as np

from lrfm.adapt.fluxes import FluxAdapter, LawData, coefficients_for
from lrfm.adapt.given import Given
from lrfm.adapt.given_box import GivenOnBox
from lrfm.adapt.graded import GradedAdapter
from lrfm.adapt.grid_volumes import GridAdapter
from lrfm.adapt.volumes import FrontAdapter, ObstacleAdapter
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
    data = _data(system, form, options, sizes)
    return _explicit(FluxAdapter(data), Explicit(), data.given, begin, sizes)


def volumes_for(
    system: EvolutionSystem,
    form: ConservationLaw,
    options: Options,
    sizes: np.ndarray | None,
    variation: float,
    opens: bool = False,
) -> Integrator:
    """Explicit steps on finite volumes, as many as the variation of data asks for; narrower ones while jumps of the data open, where that is wanted."""
    data = _data(system, form, options, sizes)
    if form.diffused:
        return _explicit(
            FrontAdapter(data, options, variation), FrontSteps(), data.given, begin_volumes, sizes
        )
    graded = GradedAdapter(data, options, variation, opens=opens)
    return _explicit(graded, VolumeSteps(), data.given, begin_volumes, sizes)


def grid_volumes_for(
    system: EvolutionSystem,
    form: ConservationLaw,
    given: GivenOnBox | None,
    options: Options,
    sizes: np.ndarray | None,
) -> Integrator:
    """Explicit steps on finite volumes in a box."""
    given = GivenOnBox(system) if given is None else given
    return _explicit(
        GridAdapter(system, form, given, options, sizes), BoxSteps(), given, begin_volumes, sizes
    )


def obstacles_for(
    system: EvolutionSystem,
    form: ConservationLaw,
    options: Options,
    sizes: np.ndarray | None,
    variation: float,
) -> Integrator:
    """Implicit steps on differences for min(A, B) = 0; the form is that of the data alone."""
    data = _data(system, form, options, sizes)
    adapter = ObstacleAdapter(data, options, variation)
    return _explicit(adapter, ObstacleSteps(), data.given, begin_obstacle, sizes)


def _data(
    system: EvolutionSystem, form: ConservationLaw, options: Options, sizes: np.ndarray | None
) -> LawData:
    """The data of a law on an interval."""
    return LawData(system, form, Given(system), options, coefficients_for(options), sizes)


def _explicit(
    adapter: Any,
    scheme: Explicit,
    given: Given | GivenOnBox,
    begun: ConsistentStart,
    sizes: np.ndarray | None,
) -> Integrator:
    """Steps that need no matrices of the integrator."""
    system, options = given.system, adapter.options
    estimator = Estimator(adapter, options, system.problem.time, sizes)
    return Integrator(system, options, given, scheme, adapter, estimator, decide, begun)
