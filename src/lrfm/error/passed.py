# SPDX-License-Identifier: MIT
"""What formulas of the unknowns do between two values that a solve has looked at: a rate that is large only while u passes a value.

Along lines through the solution, N the nonlinear part of a row and c the factor of its rate ∂ᵐu,

    effect = τᵐ⁻¹ rms_lines Σ_steps |∫ N ds − Σ_i w_i N(s_i)| / (c rms u),

over the steps in which N has a pulse: s_i are Gauss points of the step, more than its scheme has stages, so that the sum has seen what the step saw; the integral goes over panels
on which N is a polynomial (`lrfm.problem.resolved`). Along an axis of an interval the same holds for cells, with τᵐ/L in the place of τᵐ⁻¹.

u_t = exp(−((v − c)/w)²)/w moves u by √π while v passes c, in a time w. Steps that never see it are long, those of a comparison, too, and both agree. The inner function,
(v − c)/w, is broad along the solution, and names the place. Where N jumps, both sides are seen: a pulse is larger, or smaller, than N on both sides of it.

Rows without rates, conditions among them, hold at every time: there the residual itself says what was passed over, and what an unknown that it determines does to others meanwhile nobody knows. Along an interval it counts by its share,
∫|F| / ∫M, as what is given does. Means and integrals are sums over cells, and count along the axis that they are taken over, by their share, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lrfm.error.given import IGNORED, NotFollowed, coefficients, not_of_panels
from lrfm.error.marks import scattered
from lrfm.error.thin import THIN
from lrfm.linalg.deadline import check_deadline
from lrfm.problem import Box, Jet, Problem, Row
from lrfm.problem.algebra import Expr, symbols_in
from lrfm.problem.jets import JetSymbol
from lrfm.problem.landmarks import cost_of, inner_of_unknowns
from lrfm.problem.program import Program
from lrfm.problem.resolved import beside, closer, lowest, resolve
from lrfm.rows.pieces import OnCells, Piece, values_at

LINES = 8  # along time, and along the axis of an interval
WITHIN = 4  # samples of a step, or of a cell, among which extremes of inner functions are looked for
POINTS = 12  # Gauss points of a step, or of a cell
PANEL = 6  # of a panel
NEXT = 1e-9  # of a line: beside a place at which a formula may be 0/0
MOST = 256  # steps, or cells, that are told apart
# A change of the inner function that is seen: of one, where the function has a scale; of itself in powers and logarithms. Others jump or kink, whatever the size.
SCALED, OWN = frozenset({"exp", "tanh", "erf", "atan", "sech"}), frozenset({"power", "log"})


def passed_over(
    problem: Problem, pieces: Sequence[Piece], size: Callable[[Row], float]
) -> NotFollowed | None:
    """The row with the largest effect of what was passed over; None where nothing was. `size` is the rms of a row's unknown."""
    found = [_judge(lines, problem, size) for lines in _all_lines(problem, pieces)]
    return max((f for f in found if f is not None), key=lambda f: f.effect, default=None)


def _all_lines(problem: Problem, pieces: Sequence[Piece]) -> Iterator[_Lines]:
    """Lines of all rows with something that may be thin: of equations along time and an interval, of conditions, memory and values at a place along time, of means along their interval."""
    box = problem.domain
    for row in problem.rows:
        yield from _along_time(problem, row, pieces)
        yield from _along_interval(problem, row, pieces)
    for f in problem.functionals:
        mean = f.whole and f.place is None
        if mean or f.end:
            yield from _along_interval(problem, f.row, pieces, sums=mean)
        if not mean:
            yield from _along_time(problem, f.row, pieces, next(iter(f.axes), 0), f.place)
    if not isinstance(box, Box):
        return
    for face, rows in problem.face_rows.items():
        axis, upper = box.face(face)[:2]
        for row in rows:
            place = float((box.upper if upper else box.lower)[axis])
            yield from _along_time(problem, row, pieces, axis, place)


def _judge(lines: _Lines, problem: Problem, size: Callable[[Row], float]) -> NotFollowed | None:
    """What was missed on some lines along one coordinate."""
    missed = np.zeros(len(lines.base_points))
    most, place, width = 0.0, lines.base_points[0], 0.0
    look = lines.missed if lines.adds else lines.left
    for line, named in lines.pulses().items():
        check_deadline()
        missed[line], at, across = look(line, named, problem)
        if missed[line] > most:
            most, place, width = missed[line], at, across
    if not most > 0:
        return None
    effect = float(np.sqrt(np.mean(missed**2))) / (size(lines.row) if lines.rated else 1.0)
    names = zip(lines.row.coordinates, map(float, place), strict=True)
    return NotFollowed(lines.row.label, {n: v for n, v in names if n.isidentifier()}, width, 1.0, effect)


def _along_time(
    problem: Problem, row: Row, pieces: Sequence[Piece], axis: int = 0, place: float | None = None
) -> Iterator[_Lines]:
    """Lines along time with the ends of steps, where something may be thin: through places of a face, or of a value, where they are given."""
    parts = inner_of_unknowns([row.expression])
    if not parts or problem.steady:
        return
    base_points = _base_points(problem, pieces)
    if place is not None:
        base_points[:, axis] = place
    edges = _fewer(*(np.asarray(getattr(p, "edges", ())) for p in pieces), *(p.window for p in pieces))
    rates, last = any(jet.index[-1] for jet in row.jets), problem.domain.dimension
    yield _Lines(
        row, pieces, parts, last, base_points, edges, rates, _moved(problem, row), bool(problem.delays)
    )


def _moved(problem: Problem, row: Row) -> frozenset[str]:
    """Fields that change where those of a row do: its own, and of every other row that holds one of them the own ones."""
    pairs = [
        (_own_fields(r), {jet.field for jet in r.jets})
        for r in (*problem.rows, *(f.row for f in problem.functionals))
    ]
    found, before = _own_fields(row), frozenset()
    while found != before:
        before = found
        found = found.union(*(own for own, fields in pairs if fields & found))
    return found


def _own_fields(row: Row) -> frozenset[str]:
    """Those whose rates stand in a row; all, where there are none."""
    order = max(jet.index[-1] for jet in row.jets)
    return frozenset(jet.field for jet in row.jets if jet.index[-1] == order)


def _along_interval(
    problem: Problem, row: Row, pieces: Sequence[Piece], sums: bool = False
) -> Iterator[_Lines]:
    """Lines along an interval with the edges of cells, where something may be thin."""
    parts = inner_of_unknowns([row.expression])
    if not parts or problem.domain.dimension != 1 or problem.ordinary:
        return
    base_points = _base_points(problem, pieces)
    cells = [p.cells_at(float(t)) for p in pieces if isinstance(p, OnCells) for t in base_points[:, -1]]
    adds = sums or any(jet.index[-1] for jet in row.jets)
    yield _Lines(row, pieces, parts, 0, base_points, _fewer(*cells, *problem.domain.axes.values()), adds)


def _base_points(problem: Problem, pieces: Sequence[Piece]) -> np.ndarray:
    """Places that lines go through."""
    count = 1 if problem.ordinary else LINES
    return scattered(problem.domain, pieces[0].window, count, np.random.default_rng(0))


def _fewer(*edges: Sequence[float] | np.ndarray) -> np.ndarray:
    """All edges, or as many as are told apart, spread among them."""
    found = np.unique(np.concatenate([np.asarray(e, dtype=float) for e in edges]))
    return found[np.unique(np.linspace(0, len(found) - 1, min(len(found), MOST)).round().astype(int))]


def _around(middle: np.ndarray, count: int) -> np.ndarray:
    """Numbers of three samples in a row, the one in the middle given; beside an end of the line its only neighbor twice."""
    after = count - 1 - np.abs(count - 2 - middle)
    return np.stack([np.abs(middle - 1), middle, after], axis=1)


@dataclass(frozen=True)
class _Lines:
    """A row along lines through a solution, along one coordinate, with the ends of its steps there."""

    row: Row
    pieces: Sequence[Piece]
    parts: Sequence[tuple[Expr, str, str]]
    axis: int
    base_points: np.ndarray
    edges: np.ndarray
    adds: bool = True  # whether what is missed adds up along the line: rates, and sums over cells
    moved: frozenset[str] = frozenset()  # fields that the row moves, by others if need be
    past: bool = False  # whether the row may hold values in the past, which stand among what is given

    @cached_property
    def rated(self) -> bool:
        """Whether the row holds a rate."""
        return any(jet.index[-1] for jet in self.row.jets)

    @cached_property
    def length(self) -> float:
        return float(self.edges[-1] - self.edges[0])

    def _at(self, lines: np.ndarray | int, s: np.ndarray, jets: Sequence[Jet]) -> tuple[np.ndarray, dict]:
        """Points of lines, and derivatives of the solution there."""
        points = np.broadcast_to(self.base_points[lines], (len(s), self.base_points.shape[1])).copy()
        points[:, self.axis] = s
        return points, values_at(self.pieces, jets, points)

    def _rates(self, lines: np.ndarray | int, s: np.ndarray) -> np.ndarray:
        """N at places of lines."""
        with np.errstate(all="ignore"):
            points, jets = self._at(lines, s, self.row.nonlinear_jets)
            found = self._formula(points, jets)
        return np.where(np.isfinite(found), found, 0.0)

    def _formula(self, points: np.ndarray, jets: dict) -> np.ndarray:
        """N, with what is given where that depends on the past."""
        found = self.row.nonlinear(points, jets, picard=False)[0]
        return found + self.row.affine(points)[0] if self.past else found

    def _costs(self, lines: np.ndarray, s: np.ndarray) -> np.ndarray:
        """What is least where inner functions have what is thin, of all parts at places of lines: (parts, places)."""
        inner = [part[0] for part in self.parts]
        points, values = self._at(lines, s, [j.jet for j in symbols_in(*inner) if isinstance(j, JetSymbol)])
        known = self.row.known(points) | {JetSymbol(jet): v for jet, v in values.items()}
        with np.errstate(all="ignore"):
            found = [np.broadcast_to(np.asarray(v, dtype=float), s.shape) for v in self._inner(known)]
        return np.array([cost_of(v, wanted) for v, (_, wanted, _) in zip(found, self.parts, strict=True)])

    @cached_property
    def _inner(self) -> Program:
        return Program([part[0] for part in self.parts])

    def _named(self) -> tuple[np.ndarray, np.ndarray]:
        """Lines and places at which inner functions have what is thin, in order, and the middles of two that are close."""
        first, last = self.edges[:-1, None], self.edges[1:, None]
        grid = np.append((first + (last - first) * np.arange(WITHIN) / WITHIN).ravel(), self.edges[-1])
        every = np.arange(len(self.base_points))
        costs = self._costs(np.repeat(every, len(grid)), np.tile(grid, len(every)))
        found = []
        for number, sampled in enumerate(costs.reshape(len(self.parts), len(every), len(grid))):
            lines, middle = lowest(sampled)
            around = _around(middle, len(grid))
            thin = self._thin(sampled[lines[:, None], around], grid[around], self.parts[number][2])
            found.append(np.array([np.full(thin.sum(), number), lines[thin], middle[thin]]))
        parts, lines, middle = np.concatenate(found, axis=1).astype(int)

        def cost(some: np.ndarray, s: np.ndarray) -> np.ndarray:
            return self._costs(lines[some], s)[parts[some], np.arange(len(s))]

        places = closer(cost, np.arange(len(lines)), *beside(grid, middle))
        order = np.lexsort((places, lines))
        lines, places = lines[order], places[order]
        close = (np.diff(lines) == 0) & (np.diff(places) < THIN * self.length)
        middles = 0.5 * (places[:-1] + places[1:])[close]
        return np.append(lines, lines[:-1][close]), np.append(places, middles)

    def _thin(self, around: np.ndarray, places: np.ndarray, outer: str) -> np.ndarray:
        """Whether an inner function, of which three values around a least one are known, changes enough within a thin part of the line: like |s| or like s²."""
        change = np.abs(around[:, ::2] - around[:, 1:2])
        # The first step may be so short that samples of it are one place.
        between = np.maximum(np.abs(places[:, ::2] - places[:, 1:2]), np.finfo(float).eps * self.length)
        apart = 0.5 * THIN * self.length / between
        change = np.max(change * np.maximum(apart, apart**2), axis=1, initial=0.0)
        unit = np.abs(around[:, 1]) if outer in OWN else 1.0
        return change > IGNORED * unit if outer in SCALED | OWN else np.ones(len(change), dtype=bool)

    def pulses(self) -> dict[int, np.ndarray]:
        """Places of pulses of N, by line: there it is outside of what it is on both sides. Formulas such as u/(1 − exp(−u)) are rounding at the place itself."""
        lines, places = self._named()
        around = self.length * np.array([-NEXT, NEXT, -0.5 * THIN, 0.5 * THIN])
        s = np.clip(places + around[:, None], self.edges[0], self.edges[-1])
        values = self._rates(np.tile(lines, len(s)), s.ravel()).reshape(s.shape)
        here, sides = values[:2], values[2:]
        off = np.maximum(here - sides.max(axis=0, initial=-np.inf), sides.min(axis=0, initial=np.inf) - here)
        found = off.min(axis=0) > IGNORED * np.max(np.abs(values), axis=0, initial=0.0)
        return {int(line): places[lines == line] for line in np.unique(lines[found])}

    def _panels(self, line: int, named: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Panels of a line on which N is a polynomial: their edges, points and weights (panels, points), and widths."""
        edges = self.edges
        ends = float(edges[0]), float(edges[-1])
        panels = resolve(lambda s: self._rates(line, s)[None], *ends, [*named, *edges])
        return panels.edges, *panels.rule(PANEL), np.diff(panels.edges)

    def missed(self, line: int, named: np.ndarray, problem: Problem) -> tuple[float, np.ndarray, float]:
        """What steps with pulses did not see of N, as a size of u; where most of it is, and how wide."""
        _, x, w, widths = self._panels(line, named)
        whole = 0.0 if self.rated else float(np.sum(w.ravel() * np.abs(self._rates(line, x.ravel()))))
        owner = np.clip(np.searchsorted(self.edges, x[:, 0]) - 1, 0, len(self.edges) - 2)
        thin = widths < THIN * self.length
        steps = np.unique(owner[thin])
        mine = np.isin(owner, steps)
        owner, x, w, thin, widths = owner[mine], x[mine], w[mine], thin[mine], widths[mine]
        g, weights = np.polynomial.legendre.leggauss(POINTS)
        half = 0.5 * np.diff(self.edges)[steps, None]
        seen = self._rates(line, (self.edges[steps, None] + half * (1 + g)).ravel()).reshape(-1, POINTS)
        points, jets = self._at(line, x.ravel(), list(self.row.jets))
        there, feedback = self._own(points, jets, problem.time[1] - problem.time[0])

        def over(values: np.ndarray) -> np.ndarray:
            return np.bincount(owner, np.sum(w * values.reshape(x.shape), axis=1), len(self.edges))[steps]

        apart = np.abs(over(there) - np.sum(half * weights * seen, axis=1))
        factor, lasting = self._lasting(problem, points, jets)
        # While what was not seen moves its own unknown by more than its width, the solution itself says nothing of how long that takes.
        unseen = apart > IGNORED * over(np.abs(there) * np.repeat(thin, PANEL))
        stays = over(feedback) / factor >= 1 if self.axis == problem.domain.dimension else False
        effects = np.where(unseen & stays, np.inf, apart * lasting / factor)
        worst = steps[int(np.argmax(effects))]
        inside = named[(named >= self.edges[worst]) & (named <= self.edges[worst + 1])]
        place = self.base_points[line].copy()
        place[self.axis] = inside[0] if len(inside) else self.edges[worst]
        sizes = np.abs(there).reshape(x.shape).max(axis=1) * (owner == worst)
        # What a mean is for is not known: it counts by its share.
        found = float(effects.sum()) if self.rated else float(apart.sum()) / (whole or 1.0)
        return found, place, float(widths[sizes > 0.5 * sizes.max()].sum())

    def left(self, line: int, named: np.ndarray, problem: Problem) -> tuple[float, np.ndarray, float]:
        """The same of a row without rates, by what its residual is on thin panels: without end along time, its share along an interval."""
        edges, x, w, widths = self._panels(line, named)
        points, jets = self._at(line, x.ravel(), list(self.row.jets))
        owner, thin = np.repeat(np.arange(len(x)), PANEL), widths < THIN * self.length
        F, M = self.row.compared(points, jets)
        a, b = (np.sum(w * np.abs(v).reshape(x.shape), axis=1) for v in (not_of_panels(F, owner, thin), M))
        unseen = np.where(thin & (a > IGNORED * b), a, 0.0)
        worst = int(np.argmax(unseen))
        place = self.base_points[line].copy()
        place[self.axis] = 0.5 * (edges[worst] + edges[worst + 1])
        share = float(unseen.sum() / b.sum()) if unseen[worst] > 0 else 0.0
        if self.axis == problem.domain.dimension and share > 0:
            share = np.inf
        return share, place, float(widths[unseen > 0].sum())

    def _own(self, points: np.ndarray, jets: dict, duration: float) -> tuple[np.ndarray, np.ndarray]:
        """N, and Σ τᵐ⁻¹⁻ᵏ |∂N/∂(∂ᵗᵏ u)| of the unknowns that it moves."""
        order = max(jet.index[-1] for jet in self.row.jets)
        with np.errstate(all="ignore"):
            value = self._formula(points, jets)
            slopes = self.row.nonlinear(points, jets, picard=False)[1]
        slope = sum(
            (
                np.abs(c) * duration ** max(order - 1 - jet.index[-1], 0)
                for jet, c in slopes.items()
                if jet.field in self.moved and not any(jet.index[:-1])
            ),
            start=np.zeros(len(points)),
        )
        return np.where(np.isfinite(value), value, 0.0), np.where(np.isfinite(slope), slope, 0.0)

    def _lasting(self, problem: Problem, points: np.ndarray, jets: dict) -> tuple[float, float]:
        """The factor c of the rate, and what ∫N along time makes of c u, τᵐ⁻¹; along space, where it stays for all of the time, τᵐ/L."""
        order, duration = max(jet.index[-1] for jet in self.row.jets), problem.time[1] - problem.time[0]
        slopes = coefficients(self.row, points, jets)
        factors = [float(np.median(np.abs(c))) for jet, c in slopes.items() if jet.index[-1] == order]
        along = 1 / duration if self.axis == problem.domain.dimension else 1 / self.length
        return max(factors, default=1.0) or 1.0, duration**order * along
