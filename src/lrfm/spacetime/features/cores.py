# SPDX-License-Identifier: MIT
"""Cores: families of functions of (x, t) with all derivatives, before bumps and distance factors.

A core sees offsets from the center of its patch and the time since the start of its window.

    jets(coordinates, t, orders, work) -> {order: (size, *points)}
    part(rows) -> the core of these rows only

`coordinates` holds one array per axis and meets `t` at the shape of the points (`grids.PointRun`); where features move it
is (size, *points). Both belong to the backend of the workspace, parameters to NumPy. What is computed from coordinates
alone stays as small as they are. An order that is absent from the answer is identically zero. The arrays live in the
workspace and may be shared: they are to be read only, before the next tile begins.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import comb, perm
from typing import Protocol

import numpy as np

from lrfm.spaces.orders import MultiIndex
from lrfm.spacetime.features.orders import below, binomial, minus, plus, reach, shares
from lrfm.spacetime.least_squares.backends import Array

from .arguments import readonly
from .charts import Chart
from .protocols import Jets
from .relaxation import decay_tower, eta_tower
from .ridge import Ridge, chart_towers
from .towers import Chain, Composition, Profile, partial_bell
from .workspace import Workspace

Weights = dict[int, Array]


class Core(Protocol):
    """What a patch needs to know of its functions."""

    @property
    def size(self) -> int:
        """Number of functions."""
        ...

    def jets(
        self, coordinates: Sequence[Array], t: Array, orders: Iterable[MultiIndex], work: Workspace
    ) -> Jets:
        """The derivatives asked for."""
        ...

    def part(self, rows: slice) -> "Core":
        """Some of the functions, so that work can be cut into tiles."""
        ...


@dataclass(frozen=True, kw_only=True, eq=False)
class LiquidCore:
    """φ = h(s₀) e^(−αt) + A f η₀(α, t),  f = γ g(s),  α = ρ + f. Paper, eq:duhamel-feature: γ = 1, ρ = 1/τ.

    Functions of the place times responses in time, E = e^(−αt) and ηₖ = ∂ᵏη₀/∂αᵏ:

        Dᵃφ = Σₖ Pₐₖ (−t)ᵏE + Σₖ Qₐₖ ηₖ,   Dᵃ∂ₜᵐφ = Σₖ Pₐₖ Hₘ⁽ᵏ⁾ + Σₖ Qₐₖ Hₘ₋₁⁽ᵏ⁾  for m ≥ 1,
        Pₐₖ = Σ_b C(a, b) Dᵇh Kₐ₋ᵦ,ₖ,   Qₐₖ = A (f Kₐₖ + (k + 1) Kₐ,ₖ₊₁),   Dᵃ(F∘f) = Σₖ Kₐₖ F⁽ᵏ⁾(f),
        Hₘ⁽ᵏ⁾ = ∂ᵏ(−α)ᵐE/∂αᵏ = Σᵢ C(k, i) (−1)ⁱ m!/(m − i)! (−α)ᵐ⁻ⁱ (−t)ᵏ⁻ⁱE.

    Complex rates 1/τ + iω give complex functions.

    Parameters
    ----------
    charts
        One per axis, shared by both ridges.
    gate_ridge, start_ridge
        s of the gate g and s₀ of the initial trace h.
    rates, amplitudes
        ρ and A, (features,).
    gate
        γ, in 1/time.
    profile
        g = h as functions of their arguments.
    """

    charts: tuple[Chart, ...]
    gate_ridge: Ridge
    start_ridge: Ridge
    rates: np.ndarray
    amplitudes: np.ndarray
    gate: float
    profile: Profile

    def __post_init__(self):
        object.__setattr__(self, "rates", readonly(self.rates))
        object.__setattr__(self, "amplitudes", readonly(self.amplitudes))

    @property
    def size(self) -> int:
        return self.rates.size

    def jets(
        self, coordinates: Sequence[Array], t: Array, orders: Iterable[MultiIndex], work: Workspace
    ) -> Jets:
        orders = list(orders)
        tops: dict[int, int] = {}  # highest space order for every time order
        for *a, m in orders:
            tops[m] = max(tops.get(m, 0), sum(a))
        place = self._place(coordinates, orders, max(tops.values()), work)
        decay = decay_tower(place.alpha, t, max(tops.values()), work)
        eta = eta_tower(place.alpha, t, decay[: tops[0] + 1], work) if 0 in tops else []
        jets = {}
        for *a, m in orders:
            by_decay, by_eta = place.weights(tuple(a), m)
            pairs = [(decay[k], w) for k, w in by_decay.items()] + [(eta[k], w) for k, w in by_eta.items()]
            total = work.times(*pairs[0])
            for response, weight in pairs[1:]:
                work.add_product(total, response, weight)
            jets[*a, m] = total
        return jets

    def _place(
        self, coordinates: Sequence[Array], orders: list[MultiIndex], top: int, work: Workspace
    ) -> "_Place":
        tops = reach(orders)[:-1]
        towers = chart_towers(self.charts, coordinates, tops, work.xp)
        h, f = (
            self.profile.tower(ridge.argument(towers, work), top, work)
            for ridge in (self.start_ridge, self.gate_ridge)
        )
        for g in f:
            g *= self.gate
        rates = work.column(self.rates)
        return _Place(
            start=Chain(self.start_ridge.bells(towers, tops, work), h, work),
            inner=Composition(self.gate_ridge.bells(towers, tops, work), partial_bell(f[1:], work), work),
            f=f[0],
            alpha=work.xp.add(f[0], rates, out=work.like(f[0], kind=work.xp.kind(rates))),
            amplitudes=work.column(self.amplitudes),
            work=work,
        )

    def part(self, rows: slice) -> "LiquidCore":
        return replace(
            self,
            gate_ridge=self.gate_ridge.part(rows),
            start_ridge=self.start_ridge.part(rows),
            rates=self.rates[rows],
            amplitudes=self.amplitudes[rows],
        )


class _Place:
    """The functions of the place in a `LiquidCore`: weights of the responses in time, each computed once."""

    def __init__(
        self, start: Chain, inner: Composition, f: Array, alpha: Array, amplitudes: Array, work: Workspace
    ):
        self.start, self.inner, self.f, self.work = start, inner, f, work
        self.amplitudes = amplitudes
        self.alpha = alpha
        self._powers: list[Array] = []  # −α, α², −α³, …
        self._known: dict[MultiIndex, tuple[Weights, Weights]] = {}

    def weights(self, a: MultiIndex, m: int) -> tuple[Weights, Weights]:
        """Weights of (−t)ᵏE and of ηₖ in Dᵃ∂ₜᵐφ."""
        if a not in self._known:
            self._known[a] = self._start(a), self._forced(a)
        start, forced = self._known[a]
        if m == 0:
            return start, forced
        terms: dict[int, list[tuple[Array, int, int]]] = {}  # k: (weight, count, power of −α)
        for weights, n in ((start, m), (forced, m - 1)):
            for k, weight in weights.items():
                for i in range(min(k, n) + 1):
                    count = (-1) ** i * comb(k, i) * perm(n, i)
                    terms.setdefault(k - i, []).append((weight, count, n - i))
        return {k: self._total(parts) for k, parts in terms.items()}, {}

    def _start(self, a: MultiIndex) -> Weights:
        """Pₐₖ = Σ_b C(a, b) Dᵇh Kₐ₋ᵦ,ₖ."""
        result: Weights = {}
        for b in below(a):
            trace, count = self.start[b], binomial(a, b)
            if b == a:
                result[0] = trace  # K₀₀ = 1, and no other Kₐₖ has k = 0
            for k, slope in self.inner.slopes(minus(a, b)).items():
                term = self.work.times(slope, trace)
                if count != 1:
                    term *= count
                self._add(result, k, term)
        return result

    def _forced(self, a: MultiIndex) -> Weights:
        """Qₐₖ = A (f Kₐₖ + (k + 1) Kₐ,ₖ₊₁)."""
        if not any(a):
            return {0: self.work.times(self.f, self.amplitudes)}
        result: Weights = {}
        for k, slope in self.inner.slopes(a).items():
            slope = self.work.times(slope, self.amplitudes)
            self._add(result, k, self.work.times(slope, self.f))
            self._add(result, k - 1, slope if k == 1 else self.work.times(slope, k))
        return result

    def _add(self, weights: Weights, k: int, term: Array) -> None:
        if k in weights:
            weights[k] += term
        else:
            weights[k] = term

    def _total(self, parts: list[tuple[Array, int, int]]) -> Array:
        """Σ count·weight·(−α)^power; a part with nothing to multiply comes last and is only read."""
        total = None
        for weight, count, power in sorted(parts, key=lambda part: (part[1:] == (1, 0), -part[2])):
            plain = power == 0 and count == 1
            scaled = weight if plain else self.work.times(weight, self._power(power) if power else count)
            if power and count != 1:
                scaled *= count
            if total is None:
                total = scaled
            else:
                total += scaled
        return total

    def _power(self, n: int) -> Array:
        while len(self._powers) < n:
            factors = (self._powers[-1], self._powers[0]) if self._powers else (self.alpha, -1.0)
            self._powers.append(self.work.times(*factors))
        return self._powers[n - 1]


@dataclass(frozen=True, kw_only=True, eq=False)
class RidgeCore:
    """F(s), s = b + Σᵢ σᵢ(yᵢ) + σ(t): one ridge in space-time, the last chart is that of time."""

    charts: tuple[Chart, ...]
    ridge: Ridge
    profile: Profile

    @property
    def size(self) -> int:
        return self.ridge.biases.size

    def jets(
        self, coordinates: Sequence[Array], t: Array, orders: Iterable[MultiIndex], work: Workspace
    ) -> Jets:
        orders = list(orders)
        tops = reach(orders)
        towers = chart_towers(self.charts, [*coordinates, t], tops, work.xp)
        tower = self.profile.tower(self.ridge.argument(towers, work), max(map(sum, orders)), work)
        chain = Chain(self.ridge.bells(towers, tops, work), tower, work)
        return {order: chain[order] for order in orders}

    def part(self, rows: slice) -> "RidgeCore":
        return replace(self, ridge=self.ridge.part(rows))


@dataclass(frozen=True, kw_only=True, eq=False)
class SeparatedCore:
    """F(s(y)) F(r(t)): a ridge in space times a ridge in time."""

    charts: tuple[Chart, ...]
    time_chart: Chart
    ridge: Ridge
    time_ridge: Ridge
    profile: Profile

    @property
    def size(self) -> int:
        return self.ridge.biases.size

    def jets(
        self, coordinates: Sequence[Array], t: Array, orders: Iterable[MultiIndex], work: Workspace
    ) -> Jets:
        orders = list(orders)
        tops, top = reach(orders)[:-1], reach(orders)[-1]
        towers = chart_towers(self.charts, coordinates, tops, work.xp)
        tower = self.profile.tower(self.ridge.argument(towers, work), max(sum(a) for *a, _ in orders), work)
        space = Chain(self.ridge.bells(towers, tops, work), tower, work)
        towers = chart_towers([self.time_chart], [t], (top,), work.xp)
        tower = self.profile.tower(self.time_ridge.argument(towers, work), top, work)
        time = Chain(self.time_ridge.bells(towers, (top,), work), tower, work)
        return {order: work.times(space[order[:-1]], time[order[-1:]]) for order in orders}

    def part(self, rows: slice) -> "SeparatedCore":
        return replace(self, ridge=self.ridge.part(rows), time_ridge=self.time_ridge.part(rows))


@dataclass(frozen=True, kw_only=True, eq=False)
class Moving:
    """φ(x − vt, t), t since the start of the window: ∂ₜ becomes ∂ₜ − v·∇.

    ∂ₜᵐ → Σ_k m!/((m−|k|)! k!) (−v)ᵏ Dᵏ ∂ₜᵐ⁻|k|.   `velocities` is (size, axes), in length/time.
    """

    core: Core
    velocities: np.ndarray

    def __post_init__(self):
        object.__setattr__(self, "velocities", readonly(self.velocities))

    @property
    def size(self) -> int:
        return self.core.size

    def jets(
        self, coordinates: Sequence[Array], t: Array, orders: Iterable[MultiIndex], work: Workspace
    ) -> Jets:
        moved = [
            y - work.column(v) * t if v.any() else y
            for y, v in zip(coordinates, self.velocities.T, strict=True)
        ]
        terms = {order: list(self._terms(order, work)) for order in orders}
        still = self.core.jets(moved, t, {inner for sums in terms.values() for inner, _ in sums}, work)
        jets = {}
        for order, sums in terms.items():
            (inner, weight), *rest = sums
            jets[order] = work.times(still[inner], weight)
            for inner, weight in rest:
                work.add_product(jets[order], still[inner], weight)
        return jets

    def part(self, rows: slice) -> "Moving":
        return Moving(core=self.core.part(rows), velocities=self.velocities[rows])

    def _terms(self, order: MultiIndex, work: Workspace):
        *a, m = order
        for k, count in shares(m, len(a)):
            weight = count * np.prod((-self.velocities) ** k, axis=1)
            if weight.any():
                yield (*plus(tuple(a), k), m - sum(k)), work.column(weight)


@dataclass(frozen=True, kw_only=True, eq=False)
class Steady:
    """φ(x, 0) for all times: what the functions are without their response in time."""

    core: Core

    @property
    def size(self) -> int:
        return self.core.size

    def jets(
        self, coordinates: Sequence[Array], t: Array, orders: Iterable[MultiIndex], work: Workspace
    ) -> Jets:
        constant = [order for order in orders if order[-1] == 0]
        return self.core.jets(coordinates, work.xp.zeros(t.shape), constant, work) if constant else {}

    def part(self, rows: slice) -> "Steady":
        return Steady(core=self.core.part(rows))


@dataclass(frozen=True, kw_only=True, eq=False)
class RealParts:
    """Re φ₁, Im φ₁, Re φ₂, Im φ₂, …: a complex core as real functions, cut after `size` of them."""

    core: Core
    size: int

    def jets(
        self, coordinates: Sequence[Array], t: Array, orders: Iterable[MultiIndex], work: Workspace
    ) -> Jets:
        work.restart(self.core.size)  # the complex tile has half as many rows
        jets = {}
        for order, values in self.core.jets(coordinates, t, orders, work).items():
            pairs = work.xp.empty((2 * self.core.size, *work.shape[1:]))
            pairs[0::2] = values.real
            pairs[1::2] = values.imag
            jets[order] = pairs[: self.size]
        return jets

    def part(self, rows: slice) -> "RealParts":
        first, last, _ = rows.indices(self.size)
        pairs = slice(first // 2, (last + 1) // 2)
        return RealParts(core=self.core.part(pairs), size=last - first)
