# SPDX-License-Identifier: MIT
"""Where functions are put and how many there are, along each axis, from what they have to hold.

Chart:   the coordinate in which the functions have the fewest modes (`modes`).
Number:  features in proportion to the modes, slopes too.
Check:   the data, and each derivative that the equations use, on fresh points.
Cure:    where the misfit is concentrated, a narrower kernel there; else more modes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from lrfm.linalg.clock import look
from lrfm.solver.lines.fitting import Fit, fitted, outermost, peaks
from lrfm.solver.lines.form import Form
from lrfm.solver.lines.known import Charts
from lrfm.solver.lines.modes import Count, choose_chart, count_modes, sharpened
from lrfm.solver.lines.monitor import Profiles, is_local
from lrfm.solver.lines.reach import DRIVEN
from lrfm.solver.lines.rules import Rules
from lrfm.solver.lines.samples import Cuts, Data, coefficients_of, solution_cuts, sources_of
from lrfm.solver.lines.system import System
from lrfm.solver.lines.thin import thin_of
from lrfm.spaces.axes.axis import AxisBasis, make_basis, quadrature
from lrfm.spaces.axes.chart import Axis, Chart
from lrfm.spaces.axes.product import ProductBasis, apply

LOOKED = 4_000_000  # values of all functions together that are looked at
SCANNED = 100_000  # places at which the data of a one-dimensional problem are looked at
CONCENTRATED = 0.12  # share of fresh points that hold a misfit which is local
ALIKE = (
    2.0  # spread of a misfit along an axis, relative to the least one, up to which it is missed there, too
)
TRIES = 9
WAVES = 0.1  # part of the waves of a coefficient that functions may miss to begin with
SEARCHES = 14  # how often a chart is made sharper for a source, by a factor of three each
PLACES = 1001
RINGING_GROWTH = 1.5  # most modes of a basis after one on which a step rings, relative to those before: states that ring have any number
MORE = 1.25  # modes in the chart that was left, relative to those before


Held = tuple[ProductBasis, list[np.ndarray]]  # states (components, R) on a basis


class Chooser:
    """Draws bases for a form; remembers the ranges of all components seen so far."""

    def __init__(self, form: Form, rules: Rules, rng: np.random.Generator):
        box = form.problem.domain
        self.form, self.rules, self.rng, self.frame = form, rules, rng, form.frame
        self.thin, near = thin_of(form), []
        for k in range(box.dimension):
            # In a frame that moves places of the axis are no places of the domain.
            near.append(tuple(map(float, self.thin.places(k))) if form.frame is None else ())
        spans = zip(box.axes.items(), near, strict=True)
        self.axes = [Axis(a, b, name in form.problem.periodic, looked) for (name, (a, b)), looked in spans]
        self.data, self.sources, self.coefficients = Data(form), sources_of(form), coefficients_of(form)
        self.anchors = self.data.anchors(rng)
        self.ranges = np.zeros((len(self.axes), len(form.components)))
        self.misfit = 0.0  # of the data, as they were last fitted
        self.least = np.full(len(form.components), DRIVEN)  # range, relative to the largest one
        self.sizes, self.passed_on = np.zeros(len(form.components)), 1.0

    def _product(self, axes: Iterable[AxisBasis]) -> ProductBasis:
        """The basis of some axes, in the frame of the march."""
        return ProductBasis(tuple(axes), self.form.tops, self.frame)

    # Charts and fits ----------------------------------------------------------------------------------------

    def _chart(self, k: int, cuts: Cuts, before: Chart | None, places: int = PLACES) -> tuple[Chart, float]:
        """The chart for some functions and how many modes they have in it."""
        self._look(k, cuts, before or Chart(self.axes[k]))
        sizes = self._sizes(k)[cuts.owners]
        held = self.rules.held * self.rules.tol
        asked = (self.axes[k], cuts.values, sizes, held, self.form.tops[k], before, places)
        # Without random cuts every draw asks for the same chart of the same data.
        same = (sizes.tobytes(), held, places) if before is None and len(self.axes) == 1 else None
        chart, count = self.form.found.get(same) or choose_chart(*asked)
        if same is not None:
            self.form.found[same] = chart, count
        return self._seeing(k, chart, min(self.rules.most_modes, max(self.rules.law.least, count.modes)))

    def _look(self, k: int, cuts: Cuts, chart: Chart) -> None:
        """Remember the ranges of some functions."""
        x = chart.places(np.linspace(-1, 1, PLACES))
        self.ranges[k] = np.maximum(self.ranges[k], cuts.ranges(cuts.values(x), len(self.ranges[k])))

    def _seeing(self, k: int, chart: Chart, modes: float) -> tuple[Chart, float]:
        """The chart made sharper until the points of its quadrature see every source: what they see, a step will show.

        As many modes as coefficients of the equations have, at least: where points do not see their waves, neither tests nor residuals do.
        """
        modes = max(modes, self._waves(k, chart))
        for _ in range(SEARCHES):
            count = self.rules.law.features(modes)
            points, _, weights = quadrature(chart, 2 * count)
            place = self.sources.unseen(k, points, weights)
            place = self.thin.unseen(k, points, weights) if place is None else place
            if place is None or modes >= self.rules.most_modes:
                break
            chart, modes = sharpened(chart, place), min(self.rules.most_modes, 1.05 * modes + 2)
        return chart, modes

    def _waves(self, k: int, chart: Chart) -> float:
        """The modes of what stands before the unknowns along an axis, held coarsely."""
        if not self.coefficients.rows:
            return 0.0
        values = lambda x: self.coefficients.along(k, x)  # noqa: E731
        spread = np.ptp(values(chart.places(np.linspace(-1, 1, PLACES))), axis=0)
        sizes = np.where(spread > 0, 0.5 * spread, np.inf)
        return min(self.rules.most_modes, count_modes(chart, values, sizes, WAVES, 0).modes)

    def _sizes(self, k: int) -> np.ndarray:
        """The range of each component: no less than that of its unknown, nor a hundredth of the largest one, or what its rate may make of it.

        What starts from nothing is small at first; measured by itself its rounding would look steep.
        """
        names = np.array([f"{f.partition('.')[0]} {level}" for f, level in self.form.components])
        levels = np.array([level for _, level in self.form.components])
        found = self.ranges[k].copy()
        for name in np.unique(names):
            found[names == name] = found[names == name].max()
        for level in np.unique(levels):
            mine = levels == level
            found[mine] = np.maximum(found[mine], self.least[mine] * found[mine].max())
        return np.where(found > 0, found, np.inf)

    def _enrich(
        self, chart: Chart, modes: float, basis: AxisBasis, profile: np.ndarray
    ) -> tuple[Chart, float]:
        """The chart and the number of modes to try next."""
        worst = int(np.argmax(profile))
        if np.mean(profile > 0.1 * profile[worst]) < CONCENTRATED:
            return sharpened(chart, float(basis.fresh[0][worst])), 1.1 * modes
        return chart, 1.3 * modes

    # What a march asks for beside bases ---------------------------------------------------------------------

    def system(self, basis: ProductBasis) -> System:
        """The projected rows on a basis."""
        look()
        return System(self.form.seen_in(basis.frame), basis)

    def transfer(self, old: ProductBasis, new: ProductBasis, coefficients: np.ndarray) -> np.ndarray:
        """Coefficients (…, R) of the same functions in another basis, by projection."""
        return transfer(old, new, coefficients)

    def sample(self) -> np.ndarray:
        """Some points inside."""
        box = self.form.problem.domain
        unit = np.random.default_rng(0).random((512, box.dimension))
        return box.lower + (box.upper - box.lower) * unit

    # Without charts -----------------------------------------------------------------------------------------

    def counted(self) -> Count:
        """How many modes the data of one axis have without a chart, and whether they have kinks."""
        cuts, rules = self.data.cuts(0, self.anchors), self.rules
        sizes = self._sizes(0)[cuts.owners]
        count = count_modes(Chart(self.axes[0]), cuts.values, sizes, rules.held * rules.tol, 0)
        waves = self._waves(0, Chart(self.axes[0]))
        return replace(count, modes=max(rules.law.least, count.modes, waves))

    def sees(self, basis: ProductBasis) -> bool:
        """Whether the points of a basis see what is given, however thin it is."""
        found = ((k, *quadrature(axis.chart, len(axis.points))) for k, axis in enumerate(basis.axes))
        return all(self.thin.unseen(k, points, weights) is None for k, points, _, weights in found)

    def evenly(self, modes: float, per_mode: float, rng: np.random.Generator) -> ProductBasis:
        """Functions that are spread evenly along one axis."""
        law = replace(self.rules.law, per_mode=per_mode, exact=0.0)
        return self._product([make_basis(Chart(self.axes[0]), modes, law, rng)])

    # The start ----------------------------------------------------------------------------------------------

    def place(self) -> None:
        """Nothing: a product of axes is kept as it is."""

    def put_back(self, place: Mapping[str, Any]) -> None:
        """Nothing was kept."""

    def redrawn(self, recipe: Mapping[str, Any]) -> ProductBasis:
        """Never asked for."""
        raise ValueError("a basis of a box is not kept by what it was drawn from")

    def plain(self) -> ProductBasis:
        """The smallest basis, whatever it holds."""
        return self._drawn((Chart(axis), self.rules.law.least) for axis in self.axes)

    def _drawn(self, known: Iterable[tuple[Chart, float]]) -> ProductBasis:
        """A basis in known charts for so many modes."""
        axes = [make_basis(chart, modes, self.rules.law, self.rng) for chart, modes in known]
        return self._product(axes)

    def like(self, charts: Charts, held: Held | None = None) -> ProductBasis | None:
        """A basis in known charts, drawn anew; None where it does not hold the data, or a state on another basis."""
        axes, worst = [], 0.0
        for k, (chart, modes) in enumerate(charts):
            cuts = self.data.cuts(k, self.anchors) if held is None else solution_cuts(*held, k)
            self._look(k, cuts, chart)
            modes = min(self.rules.most_modes, modes)
            axes.append(make_basis(*self._seeing(k, chart, modes), self.rules.law, self.rng))
            worst = max(worst, fitted(axes[-1], Cuts(cuts.values, cuts.owners)).plain)
        self.misfit = worst if held is None else self.misfit
        enough = 0.3 * self.rules.tol if held is None else max(0.1 * self.rules.tol, 1e-12)
        return self._product(axes) if worst < enough else None

    def start(self) -> ProductBasis:
        """A basis that holds the initial data and their derivatives."""
        self.misfit = 0.0
        axes = [self._start_axis(k, self.data.cuts(k, self.anchors)) for k in range(len(self.axes))]
        return self._product(axes)

    def _start_axis(self, k: int, cuts: Cuts) -> AxisBasis:
        rules = self.rules
        scanned = len(self.axes) == 1 and rules.closely
        places = min(SCANNED, LOOKED // len(cuts.owners)) if scanned else PLACES
        chart, modes = self._chart(k, cuts, None, places)
        enough = 0.3 * rules.tol
        best: tuple[float, AxisBasis] | None = None
        before: Fit | None = None
        dead: set[tuple[int, int]] = set()
        for _ in range(TRIES):
            look()
            basis = make_basis(chart, modes, rules.law, self.rng)
            fit = fitted(basis, cuts)
            if before is not None:
                # A derivative whose misfit does not fall is one that does not exist, or rounding.
                dead |= {q for q, v in fit.values.items() if q[1] and v > 0.6 * before.values.get(q, np.inf)}
            high = [v / rules.derivative_tol for q, v in fit.values.items() if q[1] and q not in dead]
            met = max([fit.plain / enough, *high]) < 1
            if best is None or fit.plain < best[0] or met:
                best = fit.plain, basis
            stuck = before is not None and fit.plain > 0.7 * before.plain and fit.plain < 1e-9
            if met or modes >= rules.most_modes or stuck:
                break
            if fit.plain > max(rules.tol, enough):
                chart, modes = self._enrich(chart, modes, basis, fit.profile)
            else:
                modes *= 1.25
            modes = min(rules.most_modes, modes)
            before = fit
        assert best is not None
        self.misfit = max(self.misfit, best[0])
        return best[1]

    def sharper(self, basis: ProductBasis, profiles: tuple[np.ndarray, ...]) -> ProductBasis:
        """A basis with narrower functions where squares of a misfit, along each axis on fresh points, are largest."""
        spread = [float(np.mean(p > 0.1 * p.max())) for p in profiles]
        axes = list(basis.axes)
        for k, old in enumerate(axes):
            if spread[k] <= max(CONCENTRATED, ALIKE * min(spread)):
                chart = old.chart
                for place in peaks(profiles[k]):
                    chart = sharpened(chart, outermost(old, place))
                modes = min(self.rules.most_modes, 1.25 * old.modes)
                axes[k] = make_basis(chart, modes, self.rules.law, self.rng)
        return self._product(axes)

    # A redraw -----------------------------------------------------------------------------------------------

    def again(
        self,
        basis: ProductBasis,
        states: list[np.ndarray],
        growth: float | None,
        first: bool,
        residual: Profiles | None = None,
        ringing: bool = False,
    ) -> ProductBasis:
        """A new basis for states seen during a step, the first of them the one to be held; the old one where there is no better.

        States that ring show no layer. What is missing then is where squares of the residual are, along each axis on fresh points.
        """
        axes = []
        for k, old in enumerate(basis.axes):
            held = solution_cuts(basis, states[:1], k)
            seen = [solution_cuts(basis, states, k)]
            if first:
                held = self.data.cuts(k, self.anchors)
                seen.append(held)
            missing = peaks(residual[k]) if residual is not None and is_local(residual[k]) else []
            places = [outermost(old, place) for place in missing]
            axes.append(
                self._again_axis(
                    k, old, held, _joined(seen), growth, first, places, ringing or residual is not None
                )
            )
        stays = all(new is old for new, old in zip(axes, basis.axes, strict=True))
        return basis if stays else self._product(axes)

    def _again_axis(
        self,
        k: int,
        old: AxisBasis,
        held: Cuts,
        seen: Cuts,
        growth: float | None,
        first: bool,
        missing: list[float],
        ringing: bool,
    ) -> AxisBasis:
        rules = self.rules
        chart, modes = self._chart(k, seen, old.chart)
        if len(self.axes) > 1 and _same(chart, old.chart):
            if not missing and old.features >= rules.most and modes >= old.modes:
                # All functions that there may be, in the chart that is best: others of the kind would hold no more.
                return old
            for place in missing:
                chart = sharpened(chart, place)
        if ringing:
            modes = min(modes, RINGING_GROWTH * old.modes)
        if growth is None and len(self.axes) == 1 and _same(chart, old.chart):
            # The same chart with no more functions would hold no more; at the start nothing has moved since they were counted.
            modes = max(modes, MORE * (old.modes if first else min(modes, old.modes)))
        modes = max(modes, (growth or 0.8) * old.modes)
        modes = min(rules.most_modes, modes)
        best: tuple[float, AxisBasis] | None = None
        last = np.inf
        held = Cuts(held.values, held.owners)
        for attempt in range(6):
            look()
            basis = make_basis(chart, modes, rules.law, self.rng)
            fit = fitted(basis, held)
            if best is None or fit.plain < best[0]:
                best = fit.plain, basis
            done = fit.plain < max(0.1 * rules.tol, 1e-12)
            if done or modes >= rules.most_modes or (attempt > 1 and fit.plain > 0.8 * last):
                break
            last = fit.plain
            chart, modes = self._enrich(chart, modes, basis, fit.profile)
            modes = min(rules.most_modes, modes)
        assert best is not None
        return best[1]


def _same(one: Chart, other: Chart) -> bool:
    return one is other or not (len(one.centers) or len(other.centers))


def _joined(families: list[Cuts]) -> Cuts:
    if len(families) == 1:
        return families[0]
    return Cuts(
        lambda x: np.concatenate([f.values(x) for f in families], axis=1),
        np.concatenate([f.owners for f in families]),
    )


def transfer(old: ProductBasis, new: ProductBasis, coefficients: np.ndarray) -> np.ndarray:
    """Coefficients (…, R) of the same functions in another basis, by projection."""
    matrices = [
        n.projection @ o.combine(n.points, np.eye(o.rank)) for o, n in zip(old.axes, new.axes, strict=True)
    ]
    return apply(matrices, coefficients)
