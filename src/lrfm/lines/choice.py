# SPDX-License-Identifier: MIT
"""Where functions are put and how many there are, along each axis, from what they have to hold.

Number:  M = 0.8 (1.5 + 0.55 digits) N + 10, N the number of lengths of the scale.
Check:   the data, and each derivative that the equations use, on fresh points.
Cure:    where the misfit is concentrated, a larger scale there; where the rank is saturated, steeper features; else more of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lrfm.lines.axis import AxisBasis, make_basis
from lrfm.lines.form import Form
from lrfm.lines.product import ProductBasis, apply
from lrfm.lines.rules import Rules
from lrfm.lines.samples import Cuts, Data, solution_cuts
from lrfm.lines.scale import PLACES, Axis, Scale, look_at, measure

SCANNED = 100_000  # places at which the data of a one-dimensional problem are looked at
CONCENTRATED = 0.12  # share of fresh points that hold a misfit which is local
TRIES = 9
DRIVEN = 1e-2  # least range of what starts from nothing, relative to the largest


@dataclass(frozen=True)
class Fit:
    """How well a basis holds some functions: relative misfit by (component, derivative), and its profile along the axis."""

    values: dict[tuple[int, int], float]
    profile: np.ndarray

    @property
    def plain(self) -> float:
        """The largest misfit of a function itself."""
        return max((v for (_, order), v in self.values.items() if order == 0), default=0.0)


class Chooser:
    """Draws bases for a form; remembers the ranges of all components seen so far."""

    def __init__(self, form: Form, rules: Rules, rng: np.random.Generator):
        box = form.problem.domain
        self.form, self.rules, self.rng = form, rules, rng
        self.axes = [Axis(a, b, name in form.problem.periodic) for name, (a, b) in box.axes.items()]
        self.data = Data(form)
        self.anchors = self.data.anchors(rng)
        self.ranges = np.zeros((len(self.axes), len(form.components)))
        self.misfit = 0.0  # of the data, as they were last fitted

    # Scales and fits ----------------------------------------------------------------------------------------

    def _scale(self, k: int, cuts: Cuts, before: Scale | None, places: int = PLACES) -> Scale:
        axis = self.axes[k]
        x = look_at(axis, places, before)
        values = cuts.values(x)
        self.ranges[k] = np.maximum(self.ranges[k], cuts.ranges(values, len(self.ranges[k])))
        return measure(axis, x, values, self._sizes(k)[cuts.owners], self.rules.most_lengths, before)

    def _sizes(self, k: int) -> np.ndarray:
        """The range of each component: no less than that of its unknown, nor a hundredth of the largest one.

        What starts from nothing is small at first; measured by itself its rounding would look steep.
        """
        names = np.array([f"{f.partition('.')[0]} {level}" for f, level in self.form.components])
        levels = np.array([level for _, level in self.form.components])
        found = self.ranges[k].copy()
        for name in np.unique(names):
            found[names == name] = found[names == name].max()
        for level in np.unique(levels):
            found[levels == level] = np.maximum(found[levels == level], DRIVEN * found[levels == level].max())
        return np.where(found > 0, found, np.inf)

    def _fit(self, basis: AxisBasis, cuts: Cuts) -> Fit:
        x, weights = basis.fresh()
        coefficients = basis.projection @ cuts.values(basis.points)
        tables = basis.at(x, len(cuts.derivatives))
        found: dict[tuple[int, int], float] = {}
        profile = np.zeros(len(x))
        plain: dict[int, float] = {}
        for order, function in enumerate((cuts.values, *cuts.derivatives)):
            v = function(x)
            gap = v - tables[order] @ coefficients
            for c in np.unique(cuts.owners):
                mine = cuts.owners == c
                size = np.sqrt(weights @ np.sum(v[:, mine] ** 2, axis=1))
                plain.setdefault(c, float(size))
                if size > 1e-9 * plain[c] and size > 0:
                    found[int(c), order] = float(np.sqrt(weights @ np.sum(gap[:, mine] ** 2, axis=1)) / size)
                if order == 0:
                    largest = max(np.max(np.abs(v[:, mine])), 1e-300)
                    profile = np.maximum(profile, np.max(np.abs(gap[:, mine]), axis=1) / largest)
        return Fit(found, profile)

    def _enrich(self, scale: Scale, basis: AxisBasis, profile: np.ndarray) -> tuple[Scale, float]:
        """The scale to measure next, and the factor for the number of features."""
        worst = profile.max()
        if np.mean(profile > 0.1 * worst) < CONCENTRATED:
            x = basis.fresh()[0]
            local = profile[np.argmin(np.abs(scale.nodes[:, None] - x[None, :]), axis=1)].copy()
            np.maximum.at(local, np.argmin(np.abs(scale.nodes[None, :] - x[:, None]), axis=1), profile)
            return scale.boosted(1 + 2 * np.sqrt(local / worst)), 1.1
        if basis.rank < 0.5 * basis.features.count:
            return scale.boosted(1.5), 1.0
        return scale, 1.35

    # The start ----------------------------------------------------------------------------------------------

    def start(self) -> ProductBasis:
        """A basis that holds the initial data and their derivatives."""
        self.misfit = 0.0
        axes = [self._start_axis(k, self.data.cuts(k, self.anchors)) for k in range(len(self.axes))]
        return ProductBasis(tuple(axes), self.form.tops)

    def _start_axis(self, k: int, cuts: Cuts) -> AxisBasis:
        rules, least = self.rules, 30 if len(self.axes) == 1 else 16
        scale = self._scale(k, cuts, None, SCANNED if len(self.axes) == 1 else PLACES)
        scale = self._scale(k, cuts, scale)
        count = rules.count(scale.lengths, least)
        best: tuple[float, AxisBasis] | None = None
        before: Fit | None = None
        dead: set[tuple[int, int]] = set()
        for _ in range(TRIES):
            basis = make_basis(scale, count, rules.cut, self.rng)
            fit = self._fit(basis, cuts)
            if before is not None:
                # A derivative whose misfit does not fall is one that does not exist, or rounding.
                dead |= {q for q, v in fit.values.items() if q[1] and v > 0.6 * before.values.get(q, np.inf)}
            high = [v / rules.derivative_tol for q, v in fit.values.items() if q[1] and q not in dead]
            met = max([fit.plain / (0.3 * rules.tol), *high]) < 1
            if best is None or fit.plain < best[0] or met:
                best = fit.plain, basis
            stuck = before is not None and fit.plain > 0.7 * before.plain and fit.plain < 1e-9
            saturated = basis.rank < 0.4 * count and fit.plain < rules.tol
            if met or count >= rules.most or stuck or saturated:
                break
            growth = 1.35
            if fit.plain > rules.tol:
                scale, growth = self._enrich(scale, basis, fit.profile)
            scale = self._scale(k, cuts, scale)
            count = min(rules.most, max(int(growth * count) + 5, rules.count(scale.lengths, least)))
            before = fit
        assert best is not None
        self.misfit = max(self.misfit, best[0])
        return best[1]

    # A redraw -----------------------------------------------------------------------------------------------

    def again(
        self, basis: ProductBasis, states: list[np.ndarray], growth: float | None, first: bool
    ) -> ProductBasis:
        """A new basis for states seen during a step; the first of them is the one to be held."""
        axes = []
        for k, old in enumerate(basis.axes):
            held = solution_cuts(basis, states[:1], k, self.anchors)
            seen = [solution_cuts(basis, states, k, self.anchors)]
            if first:
                held = self.data.cuts(k, self.anchors)
                seen.append(held)
            axes.append(self._again_axis(k, old, held, _joined(seen), growth, first))
        return ProductBasis(tuple(axes), self.form.tops)

    def _again_axis(
        self, k: int, old: AxisBasis, held: Cuts, seen: Cuts, growth: float | None, first: bool
    ) -> AxisBasis:
        rules, least = self.rules, 30 if len(self.axes) == 1 else 16
        scale = self._scale(k, seen, old.scale if first else old.scale.boosted(1 / old.scale.boost))
        count = old.features.count
        wanted = rules.count(scale.lengths, max(least, int(0.8 * count)))
        count = wanted if growth is None else min(rules.most, int(growth * count))
        best: tuple[float, AxisBasis] | None = None
        last = np.inf
        held = Cuts(held.values, held.owners)
        for attempt in range(6):
            basis = make_basis(scale, count, rules.cut, self.rng)
            fit = self._fit(basis, held)
            gap = fit.plain
            if best is None or gap < best[0]:
                best = gap, basis
            saturated = basis.rank < 0.5 * count
            done = gap < max(0.1 * rules.tol, 1e-10) or (gap < rules.tol and saturated)
            if done or (count >= rules.most and not saturated) or (attempt > 1 and gap > 0.8 * last):
                break
            last = gap
            scale, growth = self._enrich(scale, basis, fit.profile)
            scale = self._scale(k, seen, scale)
            count = min(rules.most, max(int(growth * count) + 3, rules.count(scale.lengths, least)))
        assert best is not None
        return best[1]


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
