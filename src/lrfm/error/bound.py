# SPDX-License-Identifier: MIT
"""A bound of the error of a computed u_h, from its defect:  ‖u − u_h‖ ≤ z + y + ‖w‖  at all times, with the energy estimate of `error.energy`.

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

import numpy as np

from lrfm.error.energy import Energy, Rate, refused
from lrfm.error.quotients import held_between
from lrfm.linalg.deadline import check_deadline
from lrfm.problem import Jet, Problem
from lrfm.problem.equation import Row
from lrfm.rows.cell_steps import CellSteps
from lrfm.rows.framed import Framed
from lrfm.rows.pieces import Piece

PARTS = (0.5, 0.2, 0.05, 0.01)  # of diffusion left for R: each is a bound, and the least one is taken
SMOOTH = 1e-8  # jump of u_h or of its slope between cells, relative to their sizes: what collocation leaves is 1e-12
ROUNDED = 1e-12  # added to all bounds: what is evaluated is rounded
ROUGH = 1e-6  # a size below which such jumps are rounding


def bounded(problem: Problem, pieces: Sequence[Piece]) -> dict[str, float]:
    """Bounds of the relative L² error over space and time of each unknown; infinite where they are not below one."""
    if len(pieces) == 1 and isinstance(pieces[0], Framed):
        return bounded(pieces[0].frame.statement(problem), [pieces[0].piece])
    energy = Energy(problem)
    if (
        len(pieces) != 1
        or not isinstance(pieces[0], CellSteps)
        or set(pieces[0].fields) != set(energy.fields)
    ):
        raise refused("the solution is not one of cells.")
    error, sizes = _Walk(energy, pieces[0]).total()
    found = {}
    for name in problem.unknowns:
        own = math.sqrt(sum(sizes[energy.fields.index(f)] for f in problem.fields_of(name)))
        found[name] = error / (own - error) + ROUNDED if error < 0.5 * own else math.inf
    return found


@dataclass(frozen=True)
class _Norms:
    """∫∫ over a step of |ρ₀|², |R_x|², |R|², |w|², and of |u_h|² by field."""

    rest: float
    seen: float
    flux: float
    lift: float
    sizes: np.ndarray


class _Walk:
    """The energy estimate along the steps of a piece."""

    def __init__(self, energy: Energy, piece: CellSteps):
        self.energy, self.piece = energy, piece
        self.lift = _Lift(energy, piece)
        self.size = piece.rows.shape[3]
        self.stages = piece.rows.shape[1]
        self.values = [Jet(f, (0, 0)) for f in energy.fields]
        slopes = [Jet(f, (1, 0)) for f in energy.fields]
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
        inside = min(self._grown(steps, part) for part in PARTS)
        return inside + lift, np.sum([found.sizes for _, _, found in steps], axis=0)

    def _grown(self, steps: Sequence[tuple[float, Rate, _Norms]], part: float) -> float:
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

    def _rate(self, step: int) -> Rate:
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

    def _checked(self, step: int) -> _Norms:
        fine = self._norms(step, 2 * self.size, 2 * self.stages)
        fewer = self._norms(step, 2 * self.size - 3, 2 * self.stages - 1)
        above = lambda a, b: a + abs(a - b)  # noqa: E731
        return _Norms(
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

    def _norms(self, step: int, along: int, times: int) -> _Norms:
        points, weights, widths = self._points(step, along, times)
        known, lift = self.piece.values(self.jets, points), self.lift.at(points)
        whole = {jet: known[jet] + lift.of(jet, self.energy.fields) for jet in self.jets}
        rho = -self.energy.defect(points, whole).reshape(*weights.shape, -1)
        total = float(np.einsum("tcp,tcpf->", weights, rho**2))
        flux, seen = self._flux(rho, weights, widths, along)
        sizes = [float(weights.ravel() @ known[jet] ** 2) for jet in self.values]
        size = float(weights.ravel() @ np.sum(lift.value**2, axis=1))
        return _Norms(max(total - seen, 1e-15 * total), seen, flux, size, np.array(sizes))

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

    def _misfit(self) -> float:
        """‖u₀ − u_h − w‖ at the start."""
        start = float(self.piece.edges[0])
        points, weights = self._on(self.piece.mesh(0, start), start)
        known = self.piece.values(self.values, points)
        begun = np.column_stack([known[jet] for jet in self.values]) + self.lift.at(points).value
        return math.sqrt(float(weights @ np.sum((self._data(points) - begun) ** 2, axis=1)))

    def _jump(self, step: int) -> float:
        """‖u_h + w‖ of the jump between two steps."""
        time = float(self.piece.edges[step])
        before = float(np.nextafter(time, -math.inf))
        old, new = self.piece.mesh(step - 1, time), self.piece.mesh(step, time)
        inner = np.unique(np.concatenate([old, new]))
        points, weights = self._on(
            inner[np.append(True, np.diff(inner) > 1e-14 * (inner[-1] - inner[0]))], time
        )
        earlier = np.column_stack([points[:, 0], np.full(len(points), before)])
        after, past = self.piece.values(self.values, points), self.piece.values(self.values, earlier)
        apart = self.lift.at(points).value - self.lift.at(earlier).value
        apart = apart + np.column_stack([after[j] - past[j] for j in self.values])
        return math.sqrt(float(weights @ np.sum(apart**2, axis=1)))


@dataclass(frozen=True)
class _Lifted:
    """w, w_x, w_xx and w_t at points, (n, m)."""

    along: tuple[np.ndarray, np.ndarray, np.ndarray]
    rate: np.ndarray

    @property
    def value(self) -> np.ndarray:
        return self.along[0]

    def of(self, jet: Jet, fields: Sequence[str]) -> np.ndarray:
        """A derivative of one field of w."""
        found = self.rate if jet.index[1] else self.along[jet.index[0]]
        return found[:, fields.index(jet.field)]


class _Lift:
    """w = Σ c_k(t) ξᵏ, k ≤ 3, the shortest c for which u_h + w meets all conditions."""

    def __init__(self, energy: Energy, piece: CellSteps):
        self.energy, self.piece = energy, piece
        self.length = energy.high - energy.low
        rows, parts = [], []
        for end in energy.ends:
            value, slope, _ = self._powers(np.array([end.place]))
            each = np.eye(len(end.fields))
            parts.append(end.matrix @ np.vstack([np.kron(value, each), np.kron(slope, each)]))
            rows += [(end.place, row, rate) for row, rate in zip(end.rows, end.rates, strict=True)]
        self.rows = rows
        self.solved = np.linalg.pinv(np.vstack(parts)) if rows else np.zeros((4 * len(energy.fields), 0))

    def _powers(self, x: np.ndarray) -> list[np.ndarray]:
        """ξᵏ and its two derivatives by x, (n, 4) each."""
        xi = (x - self.energy.low) / self.length
        k = np.arange(4)
        one = xi[:, None] ** k
        two = k * xi[:, None] ** np.maximum(k - 1, 0) / self.length
        three = k * (k - 1) * xi[:, None] ** np.maximum(k - 2, 0) / self.length**2
        return [one, two, three]

    def at(self, points: np.ndarray) -> _Lifted:
        fields = len(self.energy.fields)
        if not self.rows:
            zero = np.zeros((len(points), fields))
            return _Lifted((zero, zero, zero), zero)
        moments, which = np.unique(points[:, 1], return_inverse=True)
        gaps, rates = np.array([self._gap(p, row, rate, moments) for p, row, rate in self.rows]).swapaxes(
            0, 1
        )
        c = (self.solved @ gaps).T.reshape(-1, 4, fields)[which]
        c_t = (self.solved @ rates).T.reshape(-1, 4, fields)[which]
        along = [np.einsum("nk,nkf->nf", p, c) for p in self._powers(points[:, 0])]
        return _Lifted(
            (along[0], along[1], along[2]), np.einsum("nk,nkf->nf", self._powers(points[:, 0])[0], c_t)
        )

    def _gap(self, place: float, row: Row, rate: Row, moments: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What u_h leaves open in a condition, and its derivative in time."""
        points = np.column_stack([np.full(len(moments), place), moments])
        return tuple(-r.residual(points, self.piece.values(r.jets, points)) for r in (row, rate))  # type: ignore[return-value]
