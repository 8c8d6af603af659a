# SPDX-License-Identifier: MIT
"""Series on a box as a formulation: transforms, a small matrix per mode, exponential Runge-Kutta in time; between walls that sines and cosines do not
suit polynomials across, a matrix per mode of the other axes, implicit Runge-Kutta.

The comparison solve has a quarter of the tolerance, other numbers of modes, another grid and other step sizes.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from lrfm.adapt.given_box import GivenOnBox
from lrfm.adapt.modes import ModeAdapter
from lrfm.discretize.box.spectral import SpectralDiscretization
from lrfm.discretize.box.spectral_form import SpectralForm
from lrfm.discretize.box.walls import WalledDiscretization
from lrfm.discretize.evolution import EvolutionSystem, Unsuited
from lrfm.discretize.options import SAFEGUARDS, SCANS, SERIES, Options
from lrfm.integrate.controller import decide
from lrfm.integrate.estimator import Estimator
from lrfm.integrate.integrator import Integrator
from lrfm.integrate.schemes.additive import AdditiveRungeKutta, imaginary_limit
from lrfm.integrate.schemes.exponential import ExponentialRungeKutta, spectral_start
from lrfm.integrate.schemes.radau import Radau
from lrfm.integrate.schemes.tableaus import radau
from lrfm.integrate.start import wall_rates, wall_start
from lrfm.integrate.state import Step, spaces_of
from lrfm.problem import Problem
from lrfm.problem.algebra import symbols_in
from lrfm.problem.jets import jets_among
from lrfm.rows.series_steps import SeriesSteps
from lrfm.solver.attempts import IntegrationAttempts
from lrfm.solver.engine import Wanted
from lrfm.solver.formulations.series_form import series_form
from lrfm.spaces.series import Modes


@dataclass(frozen=True)
class SeriesFormulation:
    """A statement on a box, split into what series solve and the rest."""

    split: SpectralForm
    name: str = "series"
    chained = True  # each comparison begins half of the way to the next rung of modes

    @property
    def system(self) -> EvolutionSystem:
        """The statement as rows in y and y′."""
        return self.split.system

    @cached_property
    def given(self) -> GivenOnBox:
        """When what is given changes in time: read once for both solves."""
        return GivenOnBox(self.system)

    def integrator(self, options: Options, sizes: np.ndarray | None) -> Integrator:
        """Exponential Runge-Kutta on series."""
        if self.split.polynomial:
            return self._between_walls(options, sizes)
        time, degree = self.system.problem.time, self._degree(options)
        order = degree if self.split.exact else ExponentialRungeKutta.order
        # Without a rest nothing is given that a long first step could pass by.
        first = 1.0 if self.split.exact else options.first_step
        own = replace(options, stages=order, first_step=first)
        adapter = ModeAdapter(self.split, own)
        scheme = ExponentialRungeKutta(time[1] - time[0], degree, single=options.tol > SERIES.strict)
        estimator = Estimator(adapter, own, time, sizes)
        return Integrator(self.system, own, self.given, scheme, adapter, estimator, decide, spectral_start)

    def _degree(self, options: Options) -> int:
        """Of polynomials in time: where there is nothing but L, they are all that limits steps, and have as many points as a cell along an axis, or one more, so that it is even. In a comparison solve they are of another degree: steps may be the same."""
        if not self.split.exact:
            return ExponentialRungeKutta.degree
        return max(ExponentialRungeKutta.degree, 2 * math.ceil(options.count / 2)) + 2 * options.comparison

    def additive(self, tol: float) -> bool:
        """Whether steps between walls are implicit-explicit: where a rest holds unknowns, and digits are few. Radau's order is worth its iterations elsewhere."""
        plain = not self.system.links and self.system.algebraic == self.system.multipliers
        return bool(self.split.polynomial) and plain and bool(self.split.jets) and tol > SERIES.strict

    def _between_walls(self, options: Options, sizes: np.ndarray | None) -> Integrator:
        """Additive Runge-Kutta or Radau IIA."""
        additive, time = self.additive(options.tol), self.system.problem.time
        order = AdditiveRungeKutta.order if additive else options.stages
        own = replace(options, iterations=2 * options.iterations, stages=order)
        adapter = ModeAdapter(self.split, own)
        estimator = Estimator(adapter, own, time, sizes)
        scheme = (
            AdditiveRungeKutta(time[1] - time[0], SERIES.lengths)
            if additive
            else Radau(
                own.stages,
                SERIES.lengths,
                anew=lambda made, t, y: wall_rates(made, t, y, time[1] - time[0])[1],
                whole=not self.split.jets,
                duration=time[1] - time[0],
            )
        )
        return Integrator(self.system, own, self.given, scheme, adapter, estimator, decide, wall_start)

    def piece(self, steps: Sequence[Step]) -> SeriesSteps:
        """All steps as one piece."""
        system = self.system
        firsts = [system.first[f] for f in system.fields]
        whole = firsts == list(range(len(system.components)))
        kept, mesh_of = spaces_of(steps)
        # Arrays of the steps themselves where they hold nothing else: long runs are not kept twice.
        return SeriesSteps(
            tuple(system.fields),
            tuple(self.split.parities[c] for c in firsts),
            np.array([*(s.time for s in steps), steps[-1].time + steps[-1].length]),
            tuple(kept),
            mesh_of,
            tuple(s.start[:, 0] if whole else s.start[firsts, 0] for s in steps),
            tuple(s.rates[:, :, 0] if whole else s.rates[:, firsts, 0] for s in steps),
        )

    def words(self, steps: Sequence[Step]) -> Mapping[str, str]:
        """Scheme, and the largest number of functions along each axis."""
        axes = range(self.split.dimension)
        return {
            "scheme": self._scheme(len(steps[0].rates)),
            "modes": " x ".join(f"{max(_functions(s.mesh, a) for s in steps)}" for a in axes),
        }

    def _scheme(self, stages: int) -> str:
        if self.split.exact and not self.split.polynomial:
            return f"exponentials, {stages} nodes"
        if not self.split.polynomial:
            return "exponential Runge-Kutta, order 4"
        if stages == AdditiveRungeKutta.order:
            return "implicit-explicit Runge-Kutta, order 4 (3)"
        return radau(stages).words

    def shape(self, mesh: Modes, options: Options) -> tuple[int, int]:
        """As many real numbers as the modes have, and the degree of polynomials in time."""
        if not self.split.polynomial:
            return mesh.reals, self._degree(options)
        return mesh.reals, AdditiveRungeKutta.order if self.additive(options.tol) else options.stages

    def undetermined(self, steps: Sequence[Step]) -> Sequence[str]:
        """Algebraic unknowns and multipliers whose mean nothing determines."""
        if not self.system.algebraic:
            return ()
        if self.split.polynomial:
            open_ones = WalledDiscretization(self.split, steps[0].mesh).undetermined
        else:
            small = replace(steps[0].mesh, counts=(1,) * self.split.dimension)
            open_ones = SpectralDiscretization(self.split, small).undetermined
        return [self.system.components[c][0] for c in open_ones]

    def mesh_record(self, mesh: Modes) -> list[Any]:
        """The box and the highest modes."""
        return [list(mesh.lower), list(mesh.upper), list(mesh.periodic), list(mesh.counts)]

    def mesh_from(self, record: Sequence[Any]) -> Modes:
        """The modes again; ValueError where they are not those of a box."""
        lower, upper, periodic, counts = record
        ends, axes = np.array([lower, upper], dtype=float), len(counts)
        fine = axes == self.split.dimension and ends.shape == (2, axes) and len(periodic) == axes
        whole = all(isinstance(k, int) and not isinstance(k, bool) and 0 <= k <= SCANS.axis for k in counts)
        if not (fine and whole and np.all(np.isfinite(ends)) and np.all(ends[0] < ends[1])):
            raise ValueError("modes are not whole")
        low, high = (tuple(end.tolist()) for end in ends)
        return Modes(low, high, tuple(map(bool, periodic)), tuple(counts), self.split.polynomial)


def _functions(mesh: Modes, axis: int) -> int:
    """How many functions an axis has."""
    return 2 * mesh.counts[axis] + 1 if mesh.periodic[axis] else mesh.counts[axis] + 1


def series_attempts(problem: Problem, wanted: Wanted) -> IntegrationAttempts:
    """Attempts with series; Unsuited where the statement is none for them."""
    system = EvolutionSystem(problem)
    if not wanted.asked and problem.domain.dimension == 1 and not system.multipliers:
        # Measured on nine statements at 1e-3 and 1e-6: cells took a third to all of the time of series.
        raise Unsuited("Along one axis cells cost less.")
    if system.inner_fluxes:
        raise Unsuited(
            "A flux is continuous where its coefficient jumps, and cells end there; series do not."
        )
    form = series_form(system, wanted.tol)
    if form.dimension > SAFEGUARDS.axes:
        raise Unsuited("Series are built in up to five dimensions.")
    if not wanted.asked:
        form.check_stiffness()
        _check_transport(form, wanted.tol)
        if len(form.polynomial) > 1 and form.jets and system.linear:
            # A Gaussian that is carried through a square: 144 implicit-explicit steps, 7.8 s; 14 of Radau IIA, 2 s.
            raise Unsuited("Linear terms that no axis has alone are solved for with the others.")
    return IntegrationAttempts(SeriesFormulation(form), wanted, not wanted.asked, from_nothing(problem))


def _check_transport(form: SpectralForm, tol: float) -> None:
    """Unsuited where the rest carries something through a wall faster than it diffuses over the first gap of the grid there: explicit stages would take steps of that gap, which is 1/K² of the box."""
    system, box = form.system, form.system.problem.domain
    unit = np.random.default_rng(0).random((SCANS.points, box.dimension))
    places = box.lower + (box.upper - box.lower) * unit
    for i, a in itertools.product(range(len(form.rests)), form.polynomial):
        row = system.equations[i]
        slope = tuple(int(b == a) for b in range(form.dimension))
        held = jets_among(symbols_in(form.rests[i]))
        carried = [j for j in held if j in row.linear_part and j.index[:-1] == slope and not j.index[-1]]
        if not carried:
            continue
        second = tuple(2 * n for n in slope)
        spread = sum(abs(c.factor) for c in form.constants[i] if c.index == second and not c.rate)
        mesh = ModeAdapter(form, Options(tol=tol)).initial()[0]
        gap = mesh.places(a)[0] - mesh.lower[a]
        for end in (mesh.lower[a], mesh.upper[a]):
            points = np.column_stack([places, np.full(len(places), system.problem.time[0])])
            points[:, a] = end
            given = row.affine(points)[1]
            speed = max(float(np.max(np.abs(given[jet]))) for jet in carried)
            # Implicit diffusion damps what is faster than the explicit stages of the scheme are stable for.
            if speed * gap > imaginary_limit() * spread:
                raise Unsuited("Something is carried through a wall faster than it diffuses there.")


def from_nothing(problem: Problem) -> bool:
    """Whether some initial data are zero: the sizes of unknowns are then guessed."""
    return any(not _some(problem, name, level) for name, level in problem.initial_data)


def _some(problem: Problem, name: str, level: int) -> bool:
    """Whether initial data are anything but zero."""
    box = problem.domain
    unit = np.random.default_rng(0).random((SCANS.points, box.dimension))
    places = box.lower + (box.upper - box.lower) * unit
    points = np.column_stack([places, np.full(len(places), problem.time[0])])
    datum = problem.initial_data[name, level]
    return any(np.any(datum.part(points, field)) for field in problem.fields_of(name))
