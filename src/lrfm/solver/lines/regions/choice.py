# SPDX-License-Identifier: MIT
"""How many functions of which kind a domain needs, from what pilots show.

Extras:  corners and concave arcs ask for functions of their own; taken where a pilot has a smaller residual with them.
Slopes:  those of the pilot with the best score.
Number:  grows until the ends of two pilots differ by less than the tolerance.
Growth:  rates of growth that a small basis does not have come from the quadrature: more points, then a larger cut.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from time import perf_counter
from typing import Any

import numpy as np

from lrfm.linalg.clock import look, seconds_left
from lrfm.problem.checks import contradicted
from lrfm.problem.frame import MovingFrame
from lrfm.problem.shapes.protocol import is_layered, layers_of
from lrfm.solver.lines.form import Form, Unsuited
from lrfm.solver.lines.known import Charts
from lrfm.solver.lines.regions.features import Draught, Extras, Ground, corner_sites, focal_centers
from lrfm.solver.lines.regions.natural import Natural, natural_conditions
from lrfm.solver.lines.regions.pilot import Pilot, spectrum_of, try_out
from lrfm.solver.lines.regions.points import LayeredPoints
from lrfm.solver.lines.regions.poles import continuations
from lrfm.solver.lines.regions.recipe import Searched, draw_again, lost, place_of_chooser, put_back, recipe_of
from lrfm.solver.lines.regions.recipe import transfer as to_other_basis
from lrfm.solver.lines.regions.system import RegionSystem
from lrfm.solver.lines.regions.traces import Border, kinds_of, own_slopes, trace_of
from lrfm.solver.lines.regions.tracks import Found, Track
from lrfm.solver.lines.regions.walls import RingedPoints, Wall, walls_of
from lrfm.solver.lines.rules import Rules
from lrfm.solver.lines.samples import Data
from lrfm.spaces.orders import MultiIndex
from lrfm.spaces.regions.basis import RegionBasis, make_region_basis
from lrfm.spaces.regions.families import Family
from lrfm.spaces.regions.layered import LayeredFamilies

FEWEST, MORE = {1: 40, 2: 130, 3: 300}, 1.5  # features of the first pilot by dimension, and their growth
SLOPES = (1.0, 2.0, 4.0)  # of the first pilots
STEEPER = 1.4
STEEPEST = 40.0
COSTLY = 1000  # features from which slopes that a level has not changed are not tried again
FAR = 3.0  # score relative to the best one at which a kind of functions is given up
POINTS = {1: 3.0, 2: 4.0, 3: 3.0}  # of the quadrature per feature
CONCAVE = 1.4  # more of them for functions that change fast beside concave arcs,
WAVY = 1.05  # and where these are poles, many of which are nearly dependent
WEAK = 3.0  # and where products of derivatives are integrated, not only what is left of the equations
STACKED = 4 / 3  # and for products of rules, which are closer together at all their edges
# Points on the boundary, relative to the number of features to the power (d − 1)/d, by dimension,
BORDER = {1: 2.0, 2: 16.0, 3: 6.0}
LEAST, ROUND = 24, 36  # and the fewest on one part, without and with layers,
SIDES, FEW = 3.0, 4  # but not more than so many times as many on all of them together
QUIET = 3e14  # by which data may be amplified, relative to the tolerance: rounding stays a small part of it
WATCHED = 1500  # points at which pilots are compared
TRIES = 9
LATER = 3.4  # time of a level relative to that of the one before, MORE³,
SHARE = 0.3  # and the part of the time left that it may take: two marches follow
AS_WELL = 3.0  # times the score of a search that its next draw may have
CURES = 4  # tries to get rid of growth, each with
MORE_POINTS = 1.4  # times the points
LOOKS = 2  # levels at which rates of growth are looked at
DAMPS = 0.05  # real parts, relative to the moduli of rates, below which nothing is damped
CHECKED = 900  # functions up to which rates of growth are computed
# Cuts of singular values; the second one, too, where equations are tested by parts: rounding over the cut is what parts differ by.
DAMPED, UNDAMPED = 1e-12, 1e-10

States = Sequence[np.ndarray]


class RegionChooser:
    """Draws bases for a form on a domain that is no box."""

    def __init__(self, form: Form, rules: Rules, rng: np.random.Generator):
        self.form, self.rules, self.rng = form, rules, rng
        self.frame: MovingFrame | None = None
        self.domain = form.problem.domain
        if getattr(self.domain, "moving", False):
            raise Unsuited("The domain changes with time.")
        if form.algebraic:
            raise Unsuited("On a domain that is no box every unknown needs a time derivative.")
        self.data = Data(form)
        self.misfit, self.ranges = 0.0, np.zeros((1, len(form.components)))
        self.least = np.zeros(len(form.components))  # ranges are not compared here
        self.sizes, self.passed_on = np.zeros(len(form.components)), 1.0
        names = dict.fromkeys(c.part for c in form.conditions)
        self.sites = corner_sites(form, rules.tol) if self.domain.dimension == 2 else ()
        self.centers = focal_centers(self.domain, names) if self.domain.dimension > 1 else ()
        key = "poles", rules.tol
        if key not in form.found:
            form.found[key] = continuations(self.domain, names, rules.tol)
        self.poles = form.found[key]
        self.round = focal_centers(self.domain, names, self.poles) if self.poles else ()
        self.points, self.cut = POINTS.get(self.domain.dimension, 3.0) * rules.law.points, DAMPED
        self.naturals, self.walls = self._contradicted()
        self.kinds = kinds_of(form, self.naturals)
        self.layers = tuple(layers_of(self.domain))
        self.inside = LayeredPoints(self.domain)
        self.points *= STACKED if self.inside.stacked else 1.0
        if self.naturals:
            self.points, self.cut = WEAK * self.points, UNDAMPED
        holes = any(wall.hole for wall in self.walls)
        graded = LayeredPoints(self.domain, True) if self.walls else self.inside
        self.ringed = RingedPoints(self.domain, self.walls) if holes else graded
        self.watched = self.inside(WATCHED)
        self._systems: dict[RegionBasis, RegionSystem] = {}  # those that may be asked for next
        self._draught: Draught | None = None
        self._growth, self._undamped = np.inf, False  # the least rate of growth that a basis had

    # What March asks for --------------------------------------------------------------------------------------

    def system(self, basis: RegionBasis) -> RegionSystem:
        """The projected rows on a basis; one that another chooser drew is drawn again."""
        if basis not in self._systems:
            assert basis.recipe is not None
            again = draw_again(self, basis.recipe)
            self._systems = {basis: self._systems[again]}
        return self._systems[basis]

    def place(self) -> dict[str, Any]:
        """Where it stands, as plain data."""
        return place_of_chooser(self)

    def put_back(self, place: Mapping[str, Any]) -> None:
        """Bring it to where another one stood."""
        put_back(self, place)

    def redrawn(self, recipe: Mapping[str, Any]) -> RegionBasis:
        """A basis by what it was drawn from."""
        basis = draw_again(self, recipe)
        del self._systems[basis]  # large, and made again for the one that is marched on
        return basis

    def found_before(self, draught: Draught, score: float, passed_on: float) -> None:
        """What the search of another draw with the same tolerance came to."""
        self.form.found["searched", self.rules.tol] = Searched(draught, score, passed_on)

    def transfer(self, old: RegionBasis, new: RegionBasis, coefficients: np.ndarray) -> np.ndarray:
        """Coefficients (…, R) of the same functions in another basis, by projection."""
        return to_other_basis(old, new, coefficients)

    def sample(self) -> np.ndarray:
        """Some points inside."""
        return self.watched[0]

    def plain(self) -> RegionBasis:
        """A small basis; one that is not chosen with care may grow, or not be regular."""
        return self.start()

    def like(self, charts: Charts, held: tuple[RegionBasis, list[np.ndarray]] | None = None) -> None:
        """None: what is known are charts of axes."""

    def start(self) -> RegionBasis:
        """A basis that holds the initial data and the first steps."""
        known = self._like_before()
        if known is not None:
            return self._stable(known)
        tol, features = self.rules.tol, len(self.layers) * FEWEST.get(self.domain.dimension, 300)
        tracks = [Track(extras) for extras in self._options()]
        while MORE * features <= self.rules.most and not self._complete(features):
            features = int(MORE * features)
        for level in range(TRIES):
            began = perf_counter()
            for track in tracks:
                track.add(self._best(features, track))
            best, tracks = self._kept(tracks, level)
            found = best.last
            assert found is not None
            if level <= LOOKS:
                self._look(found)
            late = LATER * (perf_counter() - began) > SHARE * seconds_left()
            if found.basis is not None and (
                (best.done(tol) and not (self.walls and best.begins))
                or MORE * features > self.rules.most
                or late
            ):
                break
            features = int(MORE * features)
        self.passed_on = best.passed_on
        self.found_before(found.draught, found.pilot.score, best.passed_on)
        return self._stable(found)

    def _complete(self, features: int) -> bool:
        """Whether so many features hold layers at all walls: fewer show nothing."""
        return not self.walls or Draught.of(features, 1.0, Extras(walls=self.walls)).complete

    def _kept(self, tracks: list[Track], level: int) -> tuple[Track, list[Track]]:
        """The best kind of functions so far, and those that are not given up."""
        if self.walls and min(track.rank for track in tracks) < np.inf:
            best = min(tracks, key=lambda track: track.rank)
            return best, [t for t in tracks if t.rank <= FAR * best.rank or t.begins]
        best = min(tracks, key=lambda track: track.score)
        if level == 0 or self.walls:
            return best, tracks
        return best, [t for t in tracks if t.score <= FAR * best.score or t.begins]

    def _like_before(self) -> Found | None:
        """New functions of the kinds and the number that the first draw found for the same tolerance, where they do as well.

        The first one searches always: a solve must not depend on those before it.
        """
        known: Searched | None = self.form.found.get(("searched", self.rules.tol))
        if known is None or not self.rules.witness:
            return None
        found = self._try(known.draught)
        self.passed_on = known.passed_on
        return found if found.pilot.score <= AS_WELL * known.score else None

    def again(
        self,
        basis: RegionBasis,
        states: States,
        growth: float | None,
        first: bool,
        residual: object = None,
        ringing: bool = False,
    ) -> RegionBasis:
        """A larger basis for what a step showed; slopes that hold the states best. A region has no axes for a residual, and grows alike."""
        assert self._draught is not None
        count = min(int((growth or 1.3) ** 1.5 * self._draught.features), self.rules.most)
        larger = Draught.of(count, self._draught.slope, self._draught.extras, self.layers)
        tried = []
        for slope in (larger.slope, STEEPER * larger.slope):
            draught = replace(larger, slope=slope)
            new = self._draw(draught)
            tried.append((lost(basis, new, states), len(tried), draught, new))
        _, _, self._draught, chosen = min(tried, key=lambda t: t[:2])
        self._systems = {b: s for b, s in self._systems.items() if b in (basis, chosen)}
        return chosen

    def sharper(self, basis: RegionBasis, profiles: Sequence[np.ndarray]) -> RegionBasis:
        """A larger basis, where one misses the data."""
        return self.again(basis, [np.zeros((1, basis.size))], None, True)

    # Pilots -------------------------------------------------------------------------------------------------

    def _options(self) -> list[Extras]:
        """Nothing beside ridges, what corners ask for, what concave arcs ask for (centers, or poles), and both."""
        arcs = Extras(centers=self.round, poles=self.poles)
        single = [Extras(corners=self.sites), Extras(centers=self.centers)]
        both = [Extras(corners=self.sites, centers=self.centers)] if all(single) else []
        wavy = (
            [replace(arcs, corners=c) for c in ([(), self.sites] if self.sites else [()])]
            if self.poles
            else []
        )
        layers = [Extras(corners=self.sites, walls=self.walls)] if self.walls else []
        if any(wall.hole for wall in self.walls):
            return layers  # which hold what centers are for, too, and no others hold a layer around a hole
        return [Extras(), *(e for e in single if e), *both, *wavy, *layers]

    def _contradicted(self) -> tuple[dict[int, Natural], tuple[Wall, ...]]:
        """Conditions on slopes, where some of them contradict the data, and the walls beside which layers open then."""
        form, key = self.form, ("contradicted", 0.0)
        if is_layered(self.domain) or not form.forgets:
            return {}, ()
        if key not in form.found:
            naturals = natural_conditions(form)
            open_ones = contradicted(form.problem) if naturals else ()
            names = {form.conditions[i].part for i in naturals}.intersection(open_ones)
            form.found[key] = (naturals if names else {}), sorted(names)
        naturals, names = form.found[key]
        return naturals, walls_of(self.domain, names, self.rules.tol)

    def _best(self, features: int, track: Track) -> Found:
        """The best of some slopes; steeper ones as long as that helps."""
        slopes = list(SLOPES)
        if track.last is not None:
            slope = track.last.draught.slope
            # Residuals, which layers leave in every basis, say little about slopes.
            known = bool(track.extras.walls) or (track.settled and features > COSTLY)
            slopes = [slope] if known else [slope, STEEPER * slope]
        best: Found | None = None
        while slopes:
            found = self._try(Draught.of(features, slopes.pop(0), track.extras, self.layers))
            if best is None or found.pilot.score < best.pilot.score:
                if best is not None and not slopes and found.draught.slope < STEEPEST:
                    slopes.append(STEEPER * found.draught.slope)
                best = found
        assert best is not None
        return best

    def _try(self, draught: Draught) -> Found:
        try:
            basis = self._draw(draught)
            system = self._systems.pop(basis)
            return Found(draught, basis, system, try_out(system, self.data, self.watched, self.rules))
        except np.linalg.LinAlgError as error:
            return Found(draught, None, None, Pilot(np.inf, np.inf, None), str(error))

    # Growth -------------------------------------------------------------------------------------------------

    def _stable(self, found: Found) -> RegionBasis:
        """The basis that was found, or one like it on more points whose projected equations do not grow by themselves."""
        for cure in range(CURES):
            if found.basis is None or found.system is None:
                raise np.linalg.LinAlgError(found.trouble)
            if not self._grows(found):
                break
            if cure == CURES - 1:
                if not self._undamped:
                    break  # what grows is seen by the draws, which differ in it
                raise Unsuited(
                    "The projected equations grow by themselves: no quadrature was found that keeps them from it."
                )
            self.points *= MORE_POINTS
            self.cut *= 10.0 if cure else 1.0
            found = self._try(found.draught)
        assert found.basis is not None
        assert found.system is not None
        self._draught, self.misfit = found.draught, found.pilot.misfit
        if found.pilot.sizes is not None:
            self.sizes = found.pilot.sizes
        self._systems = {found.basis: found.system}
        return found.basis

    def _look(self, found: Found) -> None:
        """Learn from a small basis how fast the equations themselves grow, and whether they damp anything."""
        rates = self._rates(found)
        if not len(rates):
            return
        self._growth = min(self._growth, float(np.max(np.real(rates))))
        if np.median(np.abs(np.real(rates))) < DAMPS * np.median(np.abs(rates)):
            self.cut, self._undamped = max(self.cut, UNDAMPED), True

    def _grows(self, found: Found) -> bool:
        """Whether a basis grows, and faster than small ones do, by more than one e-fold in the whole time."""
        rates = self._rates(found)
        duration = self.form.problem.time[1] - self.form.problem.time[0]
        known = max(0.0, self._growth)  # a basis that is too small decays too fast, and is no measure of that
        return bool(len(rates)) and float(np.max(np.real(rates))) > 1.5 * known + 1 / duration

    def _rates(self, found: Found) -> np.ndarray:
        if found.system is None or found.pilot.start is None or found.system.shape[1] > CHECKED:
            return np.zeros(0)
        return spectrum_of(found.system, found.pilot.start)

    # Bases --------------------------------------------------------------------------------------------------

    def _draw(self, draught: Draught) -> RegionBasis:
        look()
        extras, recipe = draught.extras, asdict(recipe_of(self, draught))
        more = WAVY if extras.poles else CONCAVE if extras.centers else 1.0
        count = int(self.points * more * draught.features)
        inside = self.ringed if extras.walls else self.inside
        rule, checks = inside(count), inside(int(0.6 * count) + 7)
        families = self._families(draught, rule[0])
        borders = self._borders(draught)
        slopes = own_slopes(self.form, self.data, borders)
        traces, units = [], []
        for kind in self.kinds:
            trace, unit = trace_of(self.form, kind, slopes, borders, families)
            traces.append(trace)
            units.append(unit)
        loudest = float(np.clip(QUIET * self.rules.tol, 1e3, 1e9))
        basis = make_region_basis(families, rule, checks, self._indices(), traces, self.cut, loudest)
        basis = replace(basis, recipe=recipe)
        self._systems[basis] = RegionSystem(
            self.form, basis, self.kinds, borders, units, slopes, self.naturals
        )
        return basis

    def _indices(self) -> Iterable[MultiIndex]:
        """The derivatives that rows need inside; where all equations are tested by parts, those of first order."""
        owners = {self.form.conditions[i].own for i in self.naturals}
        weak = owners == set(self.form.last)
        return [index for index in self.form.indices if not weak or sum(index) < 2]

    def _families(self, draught: Draught, inside: np.ndarray) -> list[Family]:
        """Functions of every layer, on its own box."""
        domain = self.domain
        if not is_layered(domain):
            return draught.families("", Ground(domain.lower, domain.upper, inside), self.rng)
        owner, members = domain.owner(inside), []
        for number, (name, layer) in enumerate(domain.layers.items()):
            ground = Ground(layer.lower, layer.upper, inside[owner == number])
            members.append(tuple(draught.families(name, ground, self.rng)))
        return [LayeredFamilies(domain, tuple(members))]

    def _borders(self, draught: Draught) -> dict[str, Border]:
        """Points on the parts that have conditions, by their share in the boundary."""
        features, least = draught.features, ROUND if draught.extras.walls else LEAST
        parts = dict.fromkeys(c.part for c in (*self.form.conditions, *self.form.constraints))
        measures = {name: self.inside.measures[name] for name in parts}
        dimension, whole = self.domain.dimension, sum(measures.values())
        total = BORDER.get(dimension, 6.0) * features ** ((dimension - 1) / dimension) * self.rules.law.points
        # An outline of hundreds of sides is one curve rather than hundreds.
        least = int(np.clip(SIDES * total / len(parts), FEW, least))
        borders = {}
        for name in parts:
            count = max(least, int(total * measures[name] / whole))
            points, weights, _ = self.domain.parts[name].quadrature(count)
            borders[name] = points, np.sqrt(weights)
        return borders
