# SPDX-License-Identifier: MIT
"""The integrator of a statement and a tolerance, with its usual parts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lrfm.adapt.cells import CellAdapter
from lrfm.adapt.even import EvenAdapter
from lrfm.adapt.given import Given
from lrfm.adapt.points import stable_layout
from lrfm.adapt.shocks import ShockAdapter, coefficients_for
from lrfm.adapt.volumes import FrontAdapter, ObstacleAdapter, VolumeAdapter
from lrfm.discretize.evolution import EvolutionSystem, Unsuited
from lrfm.discretize.layout import Layout, points_of
from lrfm.discretize.options import EXACT, Options
from lrfm.integrate.controller import decide
from lrfm.integrate.estimator import Estimator
from lrfm.integrate.exact import Exact, plain
from lrfm.integrate.explicit import Explicit, begin
from lrfm.integrate.integrator import Integrator
from lrfm.integrate.obstacle_steps import ObstacleSteps
from lrfm.integrate.obstacle_steps import begin as begin_obstacle
from lrfm.integrate.protocols import ConsistentStart
from lrfm.integrate.radau import Radau
from lrfm.integrate.start import consistent_start
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
    exact = _exact(system, layout, options, sizes, given) if plain(system) and system.undamped else None
    if exact is not None:
        return exact
    adapter = CellAdapter(layout, given, options)
    estimator = Estimator(adapter, options, system.problem.time, sizes)
    return Integrator(system, options, given, Radau(options.stages), adapter, estimator, decide)


def refuse_rough(made: Integrator) -> None:
    """Unsuited where nothing damps what the rates at the start have that cells do not hold: kinks, which travel for ever, and rounding of high derivatives above the tolerance."""
    if not made.system.undamped or made.system.problem.ordinary:
        return
    state, adapter = made.begin(), made.adapter
    assert isinstance(adapter, CellAdapter)
    on = adapter.discretize(state.mesh)
    sizes = on.norms(state.z)

    def rates(y: np.ndarray) -> np.ndarray:
        return made.consistent(on, made.start, y, made.duration)[1]

    # y″ = G y′: a second derivative that contradicts a wall is a kink of u_t, a fourth one of u_tt.
    for found in (state.z, rates(state.z) - rates(np.zeros_like(state.y))):
        own = _counted(on.norms(found), made.options)
        if np.max(adapter.tails(on, found, own), initial=0.0) > EXACT.kinks:
            raise Unsuited(
                "Its data have kinks that nothing damps, and functions over the whole interval hold these better."
            )
    signs = np.random.default_rng(0).choice([-1.0, 1.0], state.y.shape)
    near = state.y + np.finfo(float).eps * signs * np.max(np.abs(state.y), axis=(1, 2), keepdims=True)
    if np.max(on.norms(rates(near) - state.z)) > made.options.tol * np.max(sizes):
        raise Unsuited("Rounding of its derivatives on cells is above the tolerance, and nothing damps it.")


def _counted(sizes: np.ndarray, options: Options) -> np.ndarray:
    """Sizes of components; infinite for those that are not told from zero."""
    return np.where(sizes > options.smallest * np.max(sizes, initial=0.0), sizes, np.inf)


def _exact(
    system: EvolutionSystem, layout: Layout, options: Options, sizes: np.ndarray | None, given: Given
) -> Integrator | None:
    """Exponentials on cells of one width; None where steps cost less than eigenvectors, or rounding leaves too little of these."""
    start, end = system.problem.time
    # Steps of any length are exact, and what waves do next the last one does not tell.
    options = replace(options, stages=EXACT.nodes, first_step=1.0, ahead=1.0)
    for halvings in range(EXACT.halvings + 1):
        adapter = EvenAdapter(layout, given, options, halvings)
        mesh, y = adapter.initial()
        if mesh.size > EXACT.most_cells:
            return None
        made = adapter.discretize(mesh)
        y, z = consistent_start(made, start, y, end - start)
        norms, rates = made.norms(y), made.norms(z)
        # What u_t and u_tt have at the start u has later: cells that hold them hold it for ever.
        if np.max(adapter.tails(made, z, _counted(rates, options))) <= options.space_share * options.tol:
            break
    else:
        return None
    # ‖u_t‖/‖u‖, or the root of ‖u_tt‖/‖u‖ along a chain, in which u_t may be zero at the start.
    firsts, largest = [system.first[f] for f in system.fields], np.max(norms)
    speeds = [(rates[c] / max(norms[c], options.driven * largest, 1e-300)) for c in firsts]
    for c in system.links:
        speeds.append(np.sqrt(rates[c + 1] / max(norms[c], options.driven * largest, 1e-300)))
    radians = float(np.max(speeds)) * (end - start)
    scheme = Exact(EXACT.nodes, (EXACT.radian * radians / EXACT.work) ** (1 / 3))
    found = scheme.modes(made, made.linearize(start, y, z))
    levels = Exact.levels(made)
    if found is None:
        return None
    q = found.inside([made.gather(z[own]) for own in levels])
    if not found.noise(q, end - start) <= EXACT.noise * options.tol:
        return None
    estimator = Estimator(adapter, options, system.problem.time, sizes)
    return Integrator(system, options, given, scheme, adapter, estimator, decide)


def shocks_for(
    system: EvolutionSystem, form: ConservationLaw, options: Options, sizes: np.ndarray | None = None
) -> Integrator:
    """Explicit steps on discontinuous functions with upwind fluxes, for a conservation law in which nothing diffuses."""
    given = Given(system)
    adapter = ShockAdapter(system, form, given, options, coefficients_for(options), sizes)
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
    kinds = (FrontAdapter, FrontSteps()) if form.diffused else (VolumeAdapter, VolumeSteps())
    return _equal_cells(system, form, options, sizes, variation, *kinds, begin_volumes)


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
    data = ShockAdapter(system, form, given, options, coefficients_for(options), sizes)
    adapter = kind(data, options, variation)
    estimator = Estimator(adapter, options, system.problem.time, sizes)
    return Integrator(system, options, given, scheme, adapter, estimator, decide, begun)
