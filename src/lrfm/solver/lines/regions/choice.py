# SPDX-License-Identifier: MIT
"""How many functions of which kind a domain needs, from what pilots show.

Extras:  corners and concave arcs ask for functions of their own; taken where a pilot has a smaller residual with them.
Slopes:  those of the pilot with the best score.
Number:  grows until the ends of two pilots differ by less than the tolerance.
Growth:  rates of growth that a small basis does not have come from the quadrature: more points, then a larger cut.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from lrfm.solver.lines.form import Form, Unsuited
from lrfm.solver.lines.regions.features import Draught, Extras, corner_sites, focal_centers
from lrfm.solver.lines.regions.pilot import Pilot, spectrum_of, try_out
from lrfm.solver.lines.regions.system import RegionSystem
from lrfm.solver.lines.regions.traces import Border, kinds_of, own_slopes, trace_of
from lrfm.solver.lines.rules import Rules
from lrfm.solver.lines.samples import Data
from lrfm.spaces.regions.basis import RegionBasis, make_region_basis

FEWEST, MORE = {1: 40, 2: 120, 3: 200}, 1.5  # ridges of the first pilot by dimension, and their growth
SLOPES = (1.0, 2.0, 4.0)  # of the first pilots
STEEPER = 1.4
GAIN = 0.7  # score relative to that of ridges alone at which extras are taken
POINTS = {1: 3.0, 2: 4.0, 3: 3.0}  # of the quadrature per feature
BORDER = 16.0  # points on the boundary, relative to the root of the number of features,
LEAST = 40  # and the fewest on one part
WATCHED = 1500  # points at which pilots are compared
TRIES = 9
FIRST = 0.3  # by how much a first enlargement is taken to lower the error
CURES = 4
CHECKED = 900  # functions up to which rates of growth are computed
DAMPED, UNDAMPED = 1e-12, 1e-10  # cuts of singular values


@dataclass(frozen=True)
class Found:
    """A basis that was tried."""

    draught: Draught
    basis: RegionBasis
    system: RegionSystem
    pilot: Pilot


class RegionChooser:
    """Draws bases for a form on a domain that is no box."""

    def __init__(self, form: Form, rules: Rules, rng: np.random.Generator):
        self.form, self.rules, self.rng = form, rules, rng
        self.domain = form.problem.domain
        if getattr(self.domain, "moving", False):
            raise Unsuited("The domain changes with time.")
        self.data = Data(form)
        self.misfit = 0.0
        names = dict.fromkeys(c.part for c in form.conditions)
        self.sites = corner_sites(form) if self.domain.dimension == 2 else ()
        self.centers = focal_centers(self.domain, names) if self.domain.dimension > 1 else ()
        self.points, self.cut = POINTS.get(self.domain.dimension, 3.0) * rules.law.points, DAMPED
        self.kinds = kinds_of(form)
        self.watched = self.domain.quadrature(WATCHED)
        self._systems: dict[int, RegionSystem] = {}
        self._draught: Draught | None = None
        self._growth: float | None = None

    # What March asks for --------------------------------------------------------------------------------------

    def system(self, basis: RegionBasis) -> RegionSystem:
        """The projected rows on a basis."""
        return self._systems[id(basis)]

    def transfer(self, old: RegionBasis, new: RegionBasis, coefficients: np.ndarray) -> np.ndarray:
        """Coefficients (…, R) of the same functions in another basis, by projection."""
        zero = (0,) * self.domain.dimension
        flat = coefficients.reshape(-1, old.size)
        values = old.combine(new.points, [zero], flat)[zero]
        return new.project(values.T).reshape(*coefficients.shape[:-1], new.size)

    def sample(self) -> np.ndarray:
        """Some points inside."""
        return self.watched[0]

    def start(self) -> RegionBasis:
        """A basis that holds the initial data and the first steps."""
        found = self._first()
        before, last = found.pilot, np.inf
        for _ in range(TRIES):
            larger = replace(found.draught, ridges=int(MORE * found.draught.ridges))
            if larger.features > self.rules.most:
                break
            found = self._best(larger, (larger.slope, STEEPER * larger.slope))
            away = found.pilot.away(before)
            expected = away * (min(1.0, away / last) if np.isfinite(last) else FIRST)
            # A misfit that does not fall is one of the data, not of the basis.
            held = found.pilot.misfit <= 0.3 * self.rules.tol or found.pilot.misfit > 0.8 * before.misfit
            if expected <= 0.2 * self.rules.tol and held:
                break
            before, last = found.pilot, away
        return self._stable(found)

    def again(
        self, basis: RegionBasis, states: Sequence[np.ndarray], growth: float | None, first: bool
    ) -> RegionBasis:
        """A larger basis for what a step showed; slopes that hold the states best."""
        assert self._draught is not None
        larger = replace(self._draught, ridges=int((growth or 1.3) ** 1.5 * self._draught.ridges))
        if larger.features > self.rules.most:
            larger = self._draught
        tried = []
        for slope in (larger.slope, STEEPER * larger.slope):
            draught = replace(larger, slope=slope)
            new = self._draw(draught)
            tried.append((self._lost(basis, new, states), len(tried), draught, new))
        _, _, self._draught, chosen = min(tried, key=lambda t: t[:2])
        self._systems = {id(b): self._systems[id(b)] for b in (basis, chosen)}
        return chosen

    # Pilots -------------------------------------------------------------------------------------------------

    def _first(self) -> Found:
        """The first number of ridges: with which extras, and which slopes."""
        few = FEWEST.get(self.domain.dimension, 300)
        plain = Draught(ridges=few, slope=SLOPES[0], extras=Extras())
        found = self._best(plain, SLOPES)
        for extras in self._options():
            other = self._best(replace(found.draught, extras=extras), (SLOPES[0], found.draught.slope))
            if other.pilot.score < GAIN * found.pilot.score:
                found = other
        return found

    def _options(self) -> list[Extras]:
        single = [Extras(corners=self.sites), Extras(centers=self.centers)]
        both = Extras(corners=self.sites, centers=self.centers)
        return [e for e in single if e] + ([both] if all(single) else [])

    def _best(self, draught: Draught, slopes: Sequence[float]) -> Found:
        """The best of some slopes; steeper ones as long as that helps."""
        best: Found | None = None
        slopes = list(dict.fromkeys(slopes))
        while slopes:
            found = self._try(replace(draught, slope=slopes.pop(0)))
            if best is None or found.pilot.score < best.pilot.score:
                if best is not None and not slopes and found.draught.slope < 40:
                    slopes.append(STEEPER * found.draught.slope)
                best = found
        assert best is not None
        return best

    def _try(self, draught: Draught) -> Found:
        basis = self._draw(draught)
        system = self._systems.pop(id(basis))
        try:
            pilot = try_out(system, self.data, self.watched)
        except (np.linalg.LinAlgError, ValueError):
            pilot = Pilot(np.inf, np.inf, np.zeros((1, 1, 1)))
        return Found(draught, basis, system, pilot)

    def _stable(self, found: Found) -> RegionBasis:
        self._draught = found.draught
        self._systems = {id(found.basis): found.system}
        self.misfit = found.pilot.misfit
        return found.basis

    # Bases --------------------------------------------------------------------------------------------------

    def _draw(self, draught: Draught) -> RegionBasis:
        count = int(self.points * draught.features)
        rule = self.domain.quadrature(count)
        checks = self.domain.quadrature(int(0.6 * count) + 7)
        families = draught.families(self.domain.lower, self.domain.upper, rule[0], self.rng)
        borders = self._borders(draught.features)
        slopes = own_slopes(self.form, self.data, borders)
        traces, units = [], []
        for kind in self.kinds:
            trace, unit = trace_of(self.form, kind, slopes, borders, families)
            traces.append(trace)
            units.append(unit)
        basis = make_region_basis(families, rule, checks, self.form.indices, traces, self.cut)
        self._systems[id(basis)] = RegionSystem(self.form, basis, self.kinds, borders, units, slopes)
        return basis

    def _borders(self, features: int) -> dict[str, Border]:
        """Points on the parts that have conditions, by their share in the boundary."""
        parts = dict.fromkeys(c.part for c in (*self.form.conditions, *self.form.constraints))
        measures = {name: self.domain.parts[name].measure() for name in parts}
        total, whole = BORDER * np.sqrt(features) * self.rules.law.points, sum(measures.values())
        borders = {}
        for name in parts:
            count = max(LEAST, int(total * measures[name] / whole))
            points, weights, _ = self.domain.parts[name].quadrature(count)
            borders[name] = points, np.sqrt(weights)
        return borders

    def _lost(self, old: RegionBasis, new: RegionBasis, states: Sequence[np.ndarray]) -> float:
        """How much of some states a new basis does not hold, on its fresh points."""
        zero = (0,) * self.domain.dimension
        rows = np.concatenate(list(states))
        grid, weights = new.fresh
        kept = grid.evaluate(self.transfer(old, new, rows), zero)
        exact = old.combine(grid.points, [zero], rows)[zero].T
        gaps = np.sqrt(np.sum(weights * (kept - exact) ** 2, axis=1))
        return float(np.max(gaps / np.maximum(np.sqrt(np.sum(weights * exact**2, axis=1)), 1e-300)))
