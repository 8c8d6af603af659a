# SPDX-License-Identifier: MIT
"""The integrator of a statement and a tolerance, with its usual parts."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from lrfm.adapt.cells import CellAdapter
from lrfm.adapt.eigen import EigenAdapter
from lrfm.adapt.given import Given
from lrfm.adapt.points import stable_layout
from lrfm.discretize.evolution import EvolutionSystem, Unsuited
from lrfm.discretize.line.eigen_cells import IntegratedLayout
from lrfm.discretize.line.layout import Layout, points_of
from lrfm.discretize.options import EXACT, PAIRS, ROUNDING, SAFEGUARDS, SCANS, SERIES, Options
from lrfm.integrate.controller import decide
from lrfm.integrate.estimator import Estimator
from lrfm.integrate.integrator import Integrator
from lrfm.integrate.moving import STILL, Motion, MovingCells
from lrfm.integrate.schemes.exact import Exact, leveled, seen, sizes_of
from lrfm.integrate.schemes.radau import Radau
from lrfm.spaces.cells.reference import POLYNOMIALS, CellFunctions


def integrator_for(
    system: EvolutionSystem,
    options: Options,
    sizes: np.ndarray | None = None,
    given: Given | None = None,
    moves: bool = False,
) -> Integrator:
    """Radau IIA on cells; `sizes` of the components are those of an earlier solve, where there is one, `given` what was read for it already; `moves`: cells may move with what travels."""
    given = given or Given(system)
    check_line(system, options)
    # Multiplication by a number at each place has no eigenfunctions, only places.
    waves = system.plain and system.undamped and not system.local
    exact = _exact(system, options, sizes, given) if waves else None
    return exact or stepped_integrator(system, options, sizes, given, moves)


def stepped_integrator(
    system: EvolutionSystem,
    options: Options,
    sizes: np.ndarray | None,
    given: Given,
    moves: bool = False,
    functions: CellFunctions = POLYNOMIALS,
) -> Integrator:
    """Steps of Radau IIA, whatever the equation, with any functions of a cell."""
    count, order = points_of(system, options), system.highest_orders[0]
    # What straight lines lack is the same on cells of all widths.
    count = functions.enough(count + order, options.minor * options.space_share * options.tol) - order
    layout = stable_layout(system, count, functions)
    adapter = CellAdapter(layout, given, options)
    estimator = Estimator(adapter, options, system.problem.time, sizes)
    scheme = Radau(options.stages)
    motion: Motion = STILL
    if moves and layout.movable:
        motion = MovingCells(scheme.scheme, given, system.problem.time[1], options.join_every)
    return Integrator(system, options, given, scheme, adapter, estimator, decide, motion=motion)


def check_line(system: EvolutionSystem, options: Options) -> None:
    """Unsuited where cells of an interval do not hold a statement."""
    if system.multipliers:
        names = ", ".join(f"`{system.components[c][0]}`" for c in system.multipliers)
        raise Unsuited(
            f"No equation that is left for {names} holds it, as a pressure beside `u_x = 0`. On a line such an equation says what its own unknown is everywhere: "
            "solve it by hand, and the others for the rest."
        )
    Layout(system, points_of(system, options)).check()


def refuse_rough(made: Integrator) -> None:
    """Unsuited where nothing damps what the rates at the start have that cells do not hold: kinks, which travel for ever, and rounding of high derivatives above the tolerance."""
    if not made.system.undamped or made.system.problem.ordinary or isinstance(made.scheme, Exact):
        return
    assert isinstance(made.adapter, CellAdapter)
    if _kinked(made):
        # What is smooth, and steep beside its cells, is held by the cells of a stricter tolerance; a kink is not.
        finer = replace(made.options, tol=max(made.options.coarsen * made.options.tol, ROUNDING.sums))
        functions = made.adapter.layout.functions
        if _kinked(stepped_integrator(made.system, finer, None, Given(made.system), functions=functions)):
            raise Unsuited(
                "Its data have kinks that nothing damps and that travel for ever: functions over the whole interval hold these better than cells, where they hold the other terms. "
                "Give data that are smooth, also where they meet the conditions."
            )
    state, adapter = made.begin(), made.adapter
    on = adapter.discretize(state.mesh)
    sizes = on.norms(state.z)
    signs = np.random.default_rng(0).choice([-1.0, 1.0], state.y.shape)
    near = state.y + np.finfo(float).eps * signs * np.max(np.abs(state.y), axis=(1, 2), keepdims=True)
    apart = made.consistent(on, made.start, near, made.duration)[1] - state.z
    if np.max(on.norms(apart)) > made.options.tol * np.max(sizes):
        raise Unsuited("Rounding of its derivatives on cells is above the tolerance, and nothing damps it.")


def _kinked(made: Integrator) -> bool:
    """Whether cells of the start do not hold y′ and y″ there."""
    state, adapter = made.begin(), made.adapter
    assert isinstance(adapter, CellAdapter)
    on = adapter.discretize(state.mesh)

    def rates(y: np.ndarray) -> np.ndarray:
        return made.consistent(on, made.start, y, made.duration)[1]

    # y″ = G y′: a second derivative that contradicts a wall is a kink of u_t, a fourth one of u_tt.
    for found in (state.z, rates(_at_points(adapter.layout, state.z)) - rates(np.zeros_like(state.y))):
        own = _counted(made.system, on.norms(found), made.options)
        if np.max(adapter.tails(on, found, own), initial=0.0) > Options.smooth:
            return True
    return False


def _at_points(layout: Layout, rates: np.ndarray) -> np.ndarray:
    """Polynomials of degree k − 1 through rates at the k points of cells.

    What an edge lacks goes on to all cells downstream as polynomials that are zero at all of their points, and derivatives of these are large.
    """
    table, found = layout.reference.at_points[0][: layout.count], np.zeros_like(rates)
    through = np.linalg.solve(table[:, : layout.count], table)
    found[..., : layout.count] = rates @ through.T
    return found


def _counted(system: EvolutionSystem, sizes: np.ndarray, options: Options) -> np.ndarray:
    """Sizes of components; infinite for those that are not told from zero."""
    whole = system.counted(sizes, 0.0)
    return np.where(whole > options.smallest * np.max(whole, initial=0.0), whole, np.inf)


def _exact(
    system: EvolutionSystem,
    options: Options,
    sizes: np.ndarray | None,
    given: Given,
    most: float = SAFEGUARDS.dense,
    whole: bool = True,
) -> Integrator | None:
    """Exponentials of eigenfunctions on a few cells of a degree that holds the data; None where these are too many, or rounding leaves too little of them.

    Where not all of the data are asked for to be held (not `whole`), as many functions are taken as there may be.
    """
    # Steps of any length are exact, and what waves do next the last one does not tell.
    options = replace(options, stages=EXACT.nodes, first_step=1.0, ahead=1.0)
    count, found, before = points_of(system, options), None, None
    while True:
        layout = IntegratedLayout(system, count)
        adapter = EigenAdapter(layout, given, options)
        if layout.size * adapter.whole.size * len(system.fields) > most:
            return None if whole or found is None else _stepped(found, sizes)
        wider = SERIES.finer
        if adapter.start is not None:
            pencil = adapter.discretization.pencil
            if pencil is None or len(pencil.still) > most:
                return None if whole or found is None else _stepped(found, sizes)
            found = Held.of(adapter)
            # What rounding leaves too little of has less of it with more functions.
            if found is None or not found.noise <= 1:
                return None
            # Eigenvalues are right where those of a lower degree make the same of the data; those of a comparison, where they make the same as the solve that is compared.
            apart = 0.0 if options.comparison else np.inf if before is None else found.apart(before)
            if max(found.missing, apart) <= 1:
                return _stepped(found, sizes)
            if before is not None:
                # As it has decayed: like a power of the degree for kinks, and faster for others.
                ratio = np.log(count / before.adapter.layout.count)
                order = np.log(max(before.missing, 1.0) / max(found.missing, 1.0)) / ratio
                wider = min(max(wider, found.missing ** (1 / max(order, 1.0))), 2.0)
            before = found
        count = int(np.ceil(wider * count))


@dataclass(frozen=True)
class Held:
    """Data as eigenfunctions on some cells; `lost` is what these leave out, `missing` that in units of its budget, `noise` what rounding does in units of its own."""

    adapter: EigenAdapter
    scheme: Exact
    lost: np.ndarray
    missing: float
    noise: float
    later: np.ndarray  # fields at some times and places: (times, fields, places)
    own: np.ndarray  # sizes of the fields

    def apart(self, other: Held) -> float:
        """How far another one is from it, in units of its budget."""
        gap = np.sqrt(np.mean((self.later - other.later) ** 2, axis=(0, 2)))
        options = self.adapter.options
        return float(np.max(gap / self.own)) / (options.space_share * options.tol)

    @staticmethod
    def of(adapter: EigenAdapter) -> Held | None:
        """None where there are no eigenfunctions."""
        (_, y), made, options = adapter.initial(), adapter.discretization, adapter.options
        system, scheme = made.system, Exact(EXACT.nodes, EXACT.noise * options.tol)
        found = scheme.modes(made)
        if found is None:
            return None
        state, own = leveled(made, y), sizes_of(made, found, y)
        lost = found.left_out(state).reshape(len(system.fields), *y.shape[1:])
        missing = float(np.max(made.norms(lost) / own)) / (options.space_share * options.tol)
        start, end = system.problem.time
        noise = found.noise(state, end - start, float(np.max(own))) / (EXACT.noise * options.tol)
        low, high = system.interval
        places = low + (high - low) * np.random.default_rng(0).random(SCANS.coarse)
        later = seen(made, found, y, places)
        return Held(adapter, scheme, lost, missing, noise, later, own)


def _stepped(found: Held, sizes: np.ndarray | None) -> Integrator:
    """Steps of exponentials from the data."""
    adapter = found.adapter.leaving(found.lost)
    system, options = adapter.layout.system, adapter.options
    estimator = Estimator(adapter, options, system.problem.time, sizes)
    return Integrator(
        system, options, adapter.given, found.scheme, adapter, estimator, decide, found.scheme.begin
    )


def rough_integrator(
    system: EvolutionSystem, options: Options, sizes: np.ndarray | None, given: Given
) -> Integrator:
    """Exponentials of as many eigenfunctions as there may be, for kinks that nothing damps; in a comparison more of them. Unsuited where there are none."""
    check_line(system, options)
    most = SAFEGUARDS.dense if options.comparison else SAFEGUARDS.dense / PAIRS.apart
    found = _exact(system, options, sizes, given, most, whole=False) if system.plain else None
    if found is None:
        raise Unsuited("It has no eigenfunctions that rounding leaves enough of.")
    return found
