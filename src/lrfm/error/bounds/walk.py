# SPDX-License-Identifier: MIT
"""A bound of the error of a computed u_h, from its defect:  ‖u − u_h‖ ≤ z + y + ‖w‖  at all times, with the energy estimate of `error.bounds.energy`.

u_h is a function, and so is u_h + w with a cubic w in x that meets what u_h leaves open in the conditions. Its defect −ρ = (u_h + w)_t − A (u_h + w)_xx − … − f is known anywhere, and
v = u − u_h − w solves v_t = A v_xx + B v_x + C v + ρ with conditions without data. On a step of the length h

    z ← e^{μh} z + (∫₀ʰ e^{2μs} ds)^½ ‖ρ₀‖,      y² ← e^{2μh} y² + max(1, e^{2μh}) ‖R‖²/(2a),      ‖v‖ ≤ z + y,

ρ = ρ₀ + R_x, norms over the step. A jump of u_h + w where cells are changed adds to z, and so does the misfit of the data at the start.

What is a bound: up to rounding all of it where coefficients and data are polynomials, since Gauss' rules are exact then. Else norms are those of rules with twice the points
that polynomials need, plus the distance to rules with fewer, and μ is the largest one on these points.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from lrfm.error.bounds.energy import Energy, refused
from lrfm.error.bounds.quotients import held_between
from lrfm.linalg.deadline import check_deadline
from lrfm.problem import Jet
from lrfm.problem.equation import Row
from lrfm.rows.cell_steps import CellSteps

PARTS = (0.5, 0.2, 0.05, 0.01)  # of diffusion left for R: each is a bound, and the least one is taken
SMOOTH = 1e-8  # jump of u_h or of its slope between cells, relative to their sizes: what collocation leaves is 1e-12
ROUGH = 1e-6  # a size below which such jumps are rounding


class Growth(Protocol):
    """How fast v may grow."""

    def shared(self, part: float) -> tuple[float, float]:
        """μ, and what is left of diffusion for R, for one of the ways to share it."""
        ...


@dataclass(frozen=True)
class Norms:
    """∫∫ over a step of |ρ₀|², |R_x|², |R|², |w|², and of |u_h|² by field."""

    rest: float
    seen: float
    flux: float
    lift: float
    sizes: np.ndarray


class Walk:
    """The energy estimate along the steps of a piece."""

    def __init__(self, energy: Energy, piece: CellSteps):
        self.energy, self.piece = energy, piece
        self.lift = Lift(energy, piece)
        self.size = piece.rows.shape[3]
        self.stages = piece.rows.shape[1]
        self.values = [Jet(f, (0, 0)) for f in energy.fields]
        slopes = [Jet(f, (1, 0)) for f in energy.fields]
        self.states = self.values  # whose jumps add to the error
        own = (jet for row in energy.problem.rows for jet in row.jets)
        self.jets = list(dict.fromkeys([*own, *self.values, *slopes]))

    def total(self) -> tuple[float, np.ndarray]:
        """The least bound of (∫∫|e|²)^½ over ways to share diffusion, and ∫∫|u_h|² by field."""
        steps = []
        self._hold()
        for step in range(self.piece.steps):
            check_deadline()
            self._check_smooth(step)
            gap = self._jump(step) if step else self._misfit()
            steps.append((gap, self._rate(step), self._checked(step)))
        lift = math.sqrt(sum(found.lift for _, _, found in steps))
        return self._least(steps) + lift, np.sum([found.sizes for _, _, found in steps], axis=0)

    def _least(self, steps: Sequence[tuple[Any, Any, Norms]]) -> float:
        """The least of some bounds of (∫‖v‖²)^½, by the part of diffusion that is left for R."""
        return min(self._grown(steps, part) for part in PARTS)

    def _grown(self, steps: Sequence[tuple[float, Growth, Norms]], part: float) -> float:
        """(∫‖v‖²)^½ at most, with a part of diffusion left for R."""
        z = y = total = 0.0
        for h, (gap, rate, found) in zip(np.diff(self.piece.edges).tolist(), steps, strict=True):
            mu, share = rate.shared(part)
            if mu * h > 300:
                return math.inf
            grown = math.exp(mu * h)
            weight = h if mu == 0 else math.expm1(2 * mu * h) / (2 * mu)
            rest, flux = (found.rest, found.flux / (2 * share)) if share else (found.rest + found.seen, 0.0)
            flux *= max(1.0, grown**2)
            z += gap
            most = max(1.0, grown) * z + math.sqrt(max(weight, h) * rest)
            total += h * (most + math.sqrt(max(1.0, grown**2) * y**2 + flux)) ** 2
            z = grown * z + math.sqrt(weight * rest)
            y = math.sqrt(grown**2 * y**2 + flux)
        return math.sqrt(total)

    def _check_smooth(self, step: int) -> None:
        """Refuse where u_h, or its slope under diffusion, jumps between cells: that is no defect that points see."""
        time = float(0.5 * np.sum(self.piece.edges[step : step + 2]))
        mesh = self.piece.mesh(step, time)
        right, left = mesh[1:-1], np.nextafter(mesh[1:-1], -math.inf)
        if self.energy.axis in self.energy.problem.periodic:
            right, left = np.append(right, mesh[0]), np.append(left, mesh[-1])
        if not right.size:
            return
        orders = max(1, *(jet.index[0] for jet in self.jets))
        jets = [Jet(f, (order, 0)) for f in self.energy.fields for order in range(orders)]
        one, two = (
            self.piece.values(jets, np.column_stack([x, np.full(x.size, time)])) for x in (left, right)
        )
        middles = 0.5 * (mesh[1:] + mesh[:-1])
        inside = self.piece.values(jets, np.column_stack([middles, np.full(middles.size, time)]))
        for jet in jets:
            size = max(float(np.max(np.abs(inside[jet]))), ROUGH)
            if float(np.max(np.abs(one[jet] - two[jet]))) > SMOOTH * size:
                raise refused(f"`{jet.field}` is not smooth enough between cells.")

    def _rate(self, step: int) -> Growth:
        points = self._with_ends(step)
        return self.energy.rate(points, self._lifted(points))

    def _with_ends(self, step: int) -> np.ndarray:
        points, _, _ = self._points(step, self.size + 2, self.stages)
        ends = [[x, t] for x in (self.energy.low, self.energy.high) for t in np.unique(points[:, 1])]
        return np.vstack([points, ends])

    def _lifted(self, points: np.ndarray) -> dict[Jet, np.ndarray]:
        """u_h + w and its derivatives."""
        known, lift = self.piece.values(self.jets, points), self.lift.at(points)
        return {jet: known[jet] + lift.of(jet, self.energy.fields) for jet in self.jets}

    def _hold(self) -> None:
        """Tell the energy between which values u stays, where that is asked for."""
        energy = self.energy
        if energy.nonlinear is None:
            return
        points = [self._with_ends(step) for step in range(self.piece.steps)]
        times = np.unique(np.concatenate([p[:, 1] for p in points]))
        start, _ = self._on(self.piece.mesh(0, float(self.piece.edges[0])), float(self.piece.edges[0]))
        data = self._data(start)[:, 0]
        row, rate = energy.problem.rows[0], energy.nonlinear.rate
        ends = [end.values(times) for end in energy.ends]
        energy.between = held_between(row, energy.fields[0], rate, ends, data, points)

    def _data(self, points: np.ndarray) -> np.ndarray:
        """u₀ at points, (n, m)."""
        data = [self.energy.problem.initial_data[f.partition(".")[0], 0] for f in self.energy.fields]
        return np.column_stack([d.part(points, f) for d, f in zip(data, self.energy.fields, strict=True)])

    def _checked(self, step: int) -> Norms:
        fine = self._norms(step, 2 * self.size, 2 * self.stages)
        fewer = self._norms(step, 2 * self.size - 3, 2 * self.stages - 1)
        above = lambda a, b: a + abs(a - b)  # noqa: E731
        return Norms(
            above(fine.rest, fewer.rest),
            above(fine.seen, fewer.seen),
            above(fine.flux, fewer.flux),
            above(fine.lift, fewer.lift),
            np.minimum(fine.sizes, fewer.sizes),
        )

    def _points(self, step: int, along: int, times: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Gauss points of a step (times, cells, places) as rows, with weights, and the widths (times, cells)."""
        begin, end = self.piece.edges[step : step + 2]
        tau, omega = np.polynomial.legendre.leggauss(times)
        xi, weight = np.polynomial.legendre.leggauss(along)
        moments = 0.5 * (begin + end) + 0.5 * (end - begin) * tau
        meshes = np.array([self.piece.mesh(step, float(t)) for t in moments])
        widths = np.diff(meshes, axis=1)
        x = meshes[:, :-1, None] + 0.5 * widths[:, :, None] * (1 + xi)
        points = np.column_stack([x.ravel(), np.repeat(moments, x[0].size)])
        weights = 0.25 * (end - begin) * omega[:, None, None] * widths[:, :, None] * weight
        return points, weights, widths

    def _norms(self, step: int, along: int, times: int) -> Norms:
        points, weights, widths = self._points(step, along, times)
        known, lift = self.piece.values(self.jets, points), self.lift.at(points)
        whole = {jet: known[jet] + lift.of(jet, self.energy.fields) for jet in self.jets}
        rho = -self.energy.defect(points, whole).reshape(*weights.shape, -1)
        total = float(np.einsum("tcp,tcpf->", weights, rho**2))
        flux, seen = self._flux(rho, weights, widths, along)
        sizes = [float(weights.ravel() @ known[jet] ** 2) for jet in self.values]
        size = float(weights.ravel() @ np.sum(lift.value**2, axis=1))
        return Norms(max(total - seen, 1e-15 * total), seen, flux, size, np.array(sizes))

    def _flux(
        self, rho: np.ndarray, weights: np.ndarray, widths: np.ndarray, along: int
    ) -> tuple[float, float]:
        """∫∫|R|² of R_x = Σ_{j ≥ 1} c_j P_j on each cell, and ∫∫|R_x|²;  ∫P_j = (P_{j+1} − P_{j−1})/(2j + 1)."""
        xi, weight = np.polynomial.legendre.leggauss(along)
        degree = min(self.size + 1, along - 1)
        functions = np.polynomial.legendre.legvander(xi, degree)
        orders = np.arange(degree + 1)
        c = np.einsum("p,pj,tcpf->tcfj", weight, functions, rho) * (orders + 0.5)
        c[..., 0] = 0.0
        b = np.zeros((*c.shape[:-1], degree + 2))
        b[..., 2:] += c[..., 1:] / (2 * orders[1:] + 1)
        b[..., :-2] -= c[..., 1:] / (2 * orders[1:] + 1)
        share = (
            np.sum(weights, axis=2) * 0.5
        )  # of a cell and a moment; ∫P_j² = 2/(2j + 1) over twice the width
        seen = float(np.einsum("tc,tcfj,j->", share, c**2, 2 / (2 * orders + 1)))
        more = 2 / (2 * np.arange(degree + 2) + 1)
        return float(np.einsum("tc,tcfj,j->", share * (0.5 * widths) ** 2, b**2, more)), seen

    # Starts of steps ----------------------------------------------------------------------------------------

    def _on(self, edges: np.ndarray, time: float) -> tuple[np.ndarray, np.ndarray]:
        xi, weight = np.polynomial.legendre.leggauss(2 * self.size)
        widths = np.diff(edges)
        x = edges[:-1, None] + 0.5 * widths[:, None] * (1 + xi)
        return np.column_stack([x.ravel(), np.full(x.size, time)]), (0.5 * widths[:, None] * weight).ravel()

    def _misfit(self) -> Any:
        """Of v at the start: what the data differ from u_h + w by."""
        start = float(self.piece.edges[0])
        points, weights = self._on(self.piece.mesh(0, start), start)
        begun, given = self._lifted(points), self._given(points)
        return self._size(points, weights, {jet: given[jet] - begun[jet] for jet in self.states})

    def _given(self, points: np.ndarray) -> dict[Jet, np.ndarray]:
        """Initial data at points."""
        return dict(zip(self.states, self._data(points).T, strict=True))

    def _size(self, points: np.ndarray, weights: np.ndarray, apart: dict[Jet, np.ndarray]) -> Any:
        """The norm in which a jump of v adds to the error: ‖v‖."""
        return math.sqrt(float(sum(weights @ value**2 for value in apart.values())))

    def _jump(self, step: int) -> Any:
        """Of u_h + w between two steps."""
        time = float(self.piece.edges[step])
        before = float(np.nextafter(time, -math.inf))
        old, new = self.piece.mesh(step - 1, time), self.piece.mesh(step, time)
        inner = np.unique(np.concatenate([old, new]))
        points, weights = self._on(
            inner[np.append(True, np.diff(inner) > 1e-14 * (inner[-1] - inner[0]))], time
        )
        earlier = np.column_stack([points[:, 0], np.full(len(points), before)])
        after, past = self._lifted(points), self._lifted(earlier)
        return self._size(points, weights, {jet: after[jet] - past[jet] for jet in self.states})


@dataclass(frozen=True)
class Lifted:
    """∂ₓᵏ∂ₜʲ w at points, (n, m), by (k, j)."""

    parts: dict[tuple[int, int], np.ndarray]

    @property
    def value(self) -> np.ndarray:
        return self.parts[0, 0]

    def of(self, jet: Jet, fields: Sequence[str]) -> np.ndarray:
        """A derivative of one field of w."""
        return self.parts[jet.index[0], jet.index[1]][:, fields.index(jet.field)]


class Lift:
    """w = Σ c_k(t) ξᵏ, k ≤ 3, the shortest c for which u_h + w meets all conditions: what is left has conditions without data."""

    def __init__(self, energy: Energy, piece: CellSteps):
        self.energy, self.piece = energy, piece
        self.length = energy.high - energy.low
        parts = []
        for end in energy.ends:
            value, slope, _ = self._powers(np.array([end.place]))
            each = np.eye(len(end.fields))
            parts.append(end.matrix @ np.vstack([np.kron(value, each), np.kron(slope, each)]))
        self.rows = [(end.place, in_time) for end in energy.ends for in_time in end.in_time]
        self.solved = np.linalg.pinv(np.vstack(parts)) if self.rows else np.zeros((4 * len(energy.fields), 0))

    def _powers(self, x: np.ndarray) -> list[np.ndarray]:
        """ξᵏ and its two derivatives by x, (n, 4) each."""
        xi = (x - self.energy.low) / self.length
        k = np.arange(4)
        one = xi[:, None] ** k
        two = k * xi[:, None] ** np.maximum(k - 1, 0) / self.length
        three = k * (k - 1) * xi[:, None] ** np.maximum(k - 2, 0) / self.length**2
        return [one, two, three]

    def at(self, points: np.ndarray) -> Lifted:
        fields, orders = len(self.energy.fields), self.energy.order + 1
        if not self.rows:
            zero = np.zeros((len(points), fields))
            return Lifted({(k, j): zero for k in range(3) for j in range(orders)})
        moments, which = np.unique(points[:, 1], return_inverse=True)
        gaps = np.array([self._gap(place, in_time, moments) for place, in_time in self.rows])
        c = [(self.solved @ gaps[:, j]).T.reshape(-1, 4, fields)[which] for j in range(orders)]
        powers = self._powers(points[:, 0])
        return Lifted(
            {(k, j): np.einsum("nk,nkf->nf", powers[k], c[j]) for k in range(3) for j in range(orders)}
        )

    def _gap(self, place: float, in_time: tuple[Row, ...], moments: np.ndarray) -> np.ndarray:
        """What u_h leaves open in a condition, and its derivatives in time."""
        points = np.column_stack([np.full(len(moments), place), moments])
        return np.array([-row.residual(points, self.piece.values(row.jets, points)) for row in in_time])
