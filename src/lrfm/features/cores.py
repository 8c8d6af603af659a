# SPDX-License-Identifier: MIT
"""Cores: families of functions of (x, t) with all derivatives, before windows and distance factors.

A core sees offsets from the center of its patch and the time since the start of its window.

    jets(coordinates, t, orders, work) -> {order: (size, points)}
    part(rows) -> the core of these rows only

`coordinates` holds one array per axis, (points,) or, where features move, (size, points); they and `t` belong to
the backend of the workspace, parameters to NumPy. An order that is
absent from the answer is identically zero. The arrays live in the workspace and may be shared: they are to be
read only, before the next tile begins.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from lrfm.arrays import Array

from .arguments import readonly
from .charts import Chart
from .orders import MultiIndex, below, binomial, minus, plus, reach, shares
from .relaxation import decay_towers, eta_tower, forced_tower
from .ridge import Ridge, chart_towers
from .towers import Chain, Profile, partial_bell
from .workspace import Workspace

Jets = dict[MultiIndex, Array]


class Core(Protocol):
    """What a patch needs to know of its functions."""

    @property
    def size(self) -> int:
        """Number of functions."""

    def jets(
        self, coordinates: Sequence[Array], t: Array, orders: Iterable[MultiIndex], work: Workspace
    ) -> Jets:
        """The derivatives asked for."""

    def part(self, rows: slice) -> "Core":
        """Some of the functions, so that work can be cut into tiles."""


@dataclass(frozen=True, kw_only=True, eq=False)
class LiquidCore:
    """φ = h(s₀) e^(−αt) + A f η₀(α, t),  f = γ g(s),  α = ρ + f. Paper, eq:duhamel-feature: γ = 1, ρ = 1/τ.

    ∂ₜᵐφ = h(s₀) Hₘ + A Sₘ,   Hₘ = (−α)ᵐ E,   S₀ = f η₀,   Sₘ = f Hₘ₋₁ for m ≥ 1,
    Dᵃ∂ₜᵐφ = Σ_b C(a, b) Dᵇh · Dᵃ⁻ᵇHₘ + A DᵃSₘ,
    because every term is a function of s₀ times one of (s, t). Complex rates 1/τ + iω give complex functions.

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
        axis_tops = reach(orders)[:-1]
        towers = chart_towers(self.charts, coordinates, axis_tops, work.xp)
        h = self._profile(self.start_ridge, towers, max(tops.values()), work)
        f = self._profile(self.gate_ridge, towers, max(tops.values()), work)
        for g in f:
            g *= self.gate
        in_f = [partial_bell(f[1:], work)]
        rates = work.column(self.rates)
        alpha = work.xp.add(f[0], rates, out=work.array(work.xp.kind(rates)))
        decays = decay_towers(alpha, t, tops, work)
        start = Chain(self.start_ridge.bells(towers, axis_tops, work), h, work)
        ridge = self.gate_ridge.bells(towers, axis_tops, work)
        jets = {}
        for m, top in tops.items():
            base = decays[m - 1][: top + 1] if m else eta_tower(alpha, t, decays[0][: top + 1], work)
            decay = Chain(ridge, Chain(in_f, decays[m], work), work)
            forced = Chain(ridge, Chain(in_f, forced_tower(f[0], base, work), work), work)
            for order in orders:
                if order[-1] == m:
                    jets[order] = self._assemble(order[:-1], start, decay, forced, work)
        return jets

    def _profile(self, ridge: Ridge, towers, top: int, work: Workspace) -> list[Array]:
        return self.profile.tower(ridge.argument(towers, work), top, work)

    def _assemble(self, a: MultiIndex, start: Chain, decay: Chain, forced: Chain, work: Workspace) -> Array:
        total = work.times(forced[a], work.column(self.amplitudes))
        for b in below(a):
            first, second = start[b], decay[minus(a, b)]
            mark = work.mark()
            term = work.times(second, first)
            if (count := binomial(a, b)) != 1:
                term *= count
            total += term
            work.release(mark)
        return total

    def part(self, rows: slice) -> "LiquidCore":
        return replace(
            self,
            gate_ridge=self.gate_ridge.part(rows),
            start_ridge=self.start_ridge.part(rows),
            rates=self.rates[rows],
            amplitudes=self.amplitudes[rows],
        )


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
        *tops, top = reach(orders)
        towers = chart_towers(self.charts, coordinates, tops, work.xp)
        tower = self.profile.tower(self.ridge.argument(towers, work), max(sum(a) for *a, _ in orders), work)
        space = Chain(self.ridge.bells(towers, tops, work), tower, work)
        towers = chart_towers([self.time_chart], [t], (top,), work.xp)
        tower = self.profile.tower(self.time_ridge.argument(towers, work), top, work)
        time = Chain(self.time_ridge.bells(towers, (top,), work), tower, work)
        return {order: work.times(space[order[:-1]], time[order[-1]]) for order in orders}

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
                yield (*plus(a, k), m - sum(k)), work.column(weight)


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
        work.begin(self.core.size, len(t))  # the complex tile has half as many rows
        jets = {}
        for order, values in self.core.jets(coordinates, t, orders, work).items():
            both = work.xp.empty((2 * self.core.size, len(t)))
            both[0::2] = values.real
            both[1::2] = values.imag
            jets[order] = both[: self.size]
        return jets

    def part(self, rows: slice) -> "RealParts":
        first, last, _ = rows.indices(self.size)
        pairs = slice(first // 2, (last + 1) // 2)
        return RealParts(core=self.core.part(pairs), size=last - first)
