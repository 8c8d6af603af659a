# SPDX-License-Identifier: MIT
"""Linear equations that stay the same in time are solved to the end at once, as far as the functions of a basis hold the solution.

The first draw takes exponentials, exact in time; the witness takes steps of collocation: another formula on other functions.
Both are looked at on fresh points at times that are spread over the leap, close to its start as well; the leap ends where the
residual is too large, and the march goes on from there as it does otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from lrfm.integrate.schemes import radau
from lrfm.linalg.clock import look
from lrfm.rows.exponentials import Exponentials
from lrfm.rows.pieces import Piece
from lrfm.rows.steps import Steps
from lrfm.solver.lines.collocated import Control, Run, collocated
from lrfm.solver.lines.form import Form
from lrfm.solver.lines.generator import Generator, generator
from lrfm.solver.lines.monitor import above_rounding, residuals
from lrfm.solver.lines.reach import DRIVEN, Reach
from lrfm.solver.lines.rules import Rules
from lrfm.solver.lines.spectral import Decomposed, Modes, decomposed
from lrfm.solver.lines.stages import DenseParts
from lrfm.solver.lines.state import Residual, State
from lrfm.solver.lines.system import System
from lrfm.spaces.axes.product import ProductBasis

LARGEST = 600  # coefficients of a state
# Shares of a leap at which it is looked at: golden-section places, so that nothing periodic hides between them, and early ones.
EARLY = 10.0 ** np.linspace(-5, -1.4, 8)
LATE = np.sort(0.04 + 0.96 * ((np.arange(1, 20) * 0.6180339887498949) % 1.0))
SHARES = np.concatenate([EARLY, LATE, [1.0]])
MORE = 6  # stages than a march has: eigenvectors serve all of them, and long runs have a third of the steps
NOISE = 0.1  # of the tolerance, that rounding may make of eigenvectors
QUIET = 1e-2  # and up to which it is no part of an error
# A witness of exponentials is to show what functions of space leave out: its own error in time would hide that.
SHARPER, SHARPEST = 1e-6, 1e-13  # of its tolerance in time, and the least one


@dataclass(frozen=True)
class Leap:
    """A stretch solved at once: from its state for so long, its end, the piece, and what was measured."""

    start: State
    length: float
    end: np.ndarray
    piece: Piece
    residual: Residual
    steps: int
    scheme: str
    whole: bool = True  # whether it, or what will follow it on the same basis, reaches the end
    worst: float = 0.0  # relative residual among what was not good enough,
    first: float = 0.0  # and where it was not good enough first
    seen: Sequence[np.ndarray] = ()  # states on the way that the basis may not have held


@dataclass(frozen=True)
class Looks:
    """How a leap is looked at: sizes of the components so far, those that start from nothing, and the judge.

    What starts from nothing has the size that it gets on the way; as long as that is not known, a hundredth of the largest.
    """

    sizes: np.ndarray
    reach: Reach
    judge: Callable[
        [Residual, float, float, bool], bool
    ]  # of a residual, for how long, when, and beside what is drowned
    least: float = 0.0  # rate of change below which a solution rests

    def on_the_way(self, y: np.ndarray) -> np.ndarray:
        """Sizes, with those of states (times, components, R)."""
        return np.maximum(self.sizes, np.linalg.norm(y, axis=2).max(axis=0))

    def held(
        self, system: System, made: Generator, time: float, way: Exact | _Stepped
    ) -> tuple[int, np.ndarray, np.ndarray, list[Residual]]:
        """At how many of its samples, one after another, a leap is held by the basis; their times, states, residuals."""
        tau, q, rates = way.samples(made)
        y, z = made.state(q), made.rate(rates)
        sizes = self.on_the_way(y)
        small = self.reach.drowned(sizes)
        scales = np.maximum(sizes, self.reach.rounding * sizes.max())
        found, gaps = residuals(system, time + tau, y, z, scales, self.least), np.diff(tau, prepend=0.0)

        def good_ones(measured: list[Residual]) -> list[bool]:
            judged = zip(measured, gaps, tau, y, strict=True)
            return [
                self.judge(r, gap, time + at, small) and bool(np.all(np.isfinite(v)))
                for r, gap, at, v in judged
            ]

        good = good_ones(found)
        if not all(good):
            # Eigenvectors have made more of rounding than it is; where that is nothing beside the tolerance, a residual of it is none, too.
            noise = way.noise if way.noise <= QUIET * self.reach.tol else 0.0
            good = good_ones(above_rounding(system, found, time + tau, y, z, scales, self.least, noise))
        return len(good) if all(good) else good.index(False), tau, y, found


def leap(
    system: System,
    parts: DenseParts,
    state: State,
    rules: Rules,
    looks: Looks,
) -> Leap | None:
    """From a state to the end, or as far as residuals are small enough; None where that is nowhere."""
    form = system.form
    duration = form.problem.time[1] - state.time
    made, parts_of = _prepared(system, parts, state, duration)
    if made is None:
        return None
    q = made.inside(state.coefficients)
    found = None if parts_of is None else parts_of.response(q, made.source)
    way: Exact | _Stepped | None = None
    if found is not None and found.noise <= NOISE * rules.tol:
        way = Exact(found, duration)
    seen = None if way is None else looks.held(system, made, state.time, way)
    if way is None or not rules.exact:
        # Where the exponentials show how far the basis holds the solution, steps need not go further.
        length = duration if seen is None else float(seen[1][max(seen[0], 1) - 1])
        sizes = looks.sizes if seen is None else looks.on_the_way(seen[2])
        least = np.where(looks.reach.driven, DRIVEN if seen is None else looks.reach.rounding, 0.0)
        control = Control(made, [form.first[f] for f in form.fields], sizes, least)
        # What rounding has made of the exponentials it makes of steps as well: shorter ones would follow that.
        strict = rules.time_tol
        if isinstance(way, Exact):
            strict = min(strict, max(SHARPER * strict, SHARPEST, way.noise))
        known = None if way is None else parts_of
        run = collocated(
            made, radau(rules.stages + MORE), q, length, min(state.length, length), strict, control, known
        )
        stepped = None if run is None else _Stepped(run)
        if stepped is not None and seen is None:
            seen = looks.held(system, made, state.time, stepped)
        way = stepped or way
    if way is None or seen is None:
        return None
    return _made(system, made, state, way, *seen)


def _prepared(
    system: System, parts: DenseParts, state: State, duration: float
) -> tuple[Generator | None, Decomposed | None]:
    """The matrix and its eigenvectors, kept for the steps that may be taken from the same state."""
    if parts.leapt is None or parts.leapt[0] is not state:
        made = sized_generator(system, parts, state)
        look()
        parts.leapt = state, made, None if made is None else decomposed(made, duration)
    return parts.leapt[1:]


def sized_generator(system: System, parts: DenseParts, state: State) -> Generator | None:
    """The matrix, with components of a chain in units of their own size."""
    form, count = system.form, len(system.form.components)
    sizes = np.ones(count)
    made = generator(system, parts, state.time, sizes)
    if made is None or not form.links:
        return made
    y = state.coefficients
    rate = made.rate(made.matrix @ made.inside(y) + made.source)
    norms, rates = np.linalg.norm(y, axis=1), np.linalg.norm(rate, axis=1)
    for c in form.links:
        size = max(norms[c], 1e-300)
        speed = max(norms[c + 1] / size, np.sqrt(rates[c + 1] / size))
        sizes[c + 1] = sizes[c] * (speed if 1e-100 < speed < 1e100 else 1.0)
    return generator(system, parts, state.time, sizes)


def _made(
    system: System,
    made: Generator,
    state: State,
    way: Exact | _Stepped,
    kept: int,
    tau: np.ndarray,
    y: np.ndarray,
    found: list[Residual],
) -> Leap:
    """The leap over the samples that were held, or over one that was not."""
    whole, failed, kept = kept == len(tau), found[kept:], max(kept, 1)
    end = system.form.problem.time[1] if whole else state.time + float(tau[kept - 1])
    piece = way.piece(made, system.form, state, (state.time, end))
    return Leap(
        start=state,
        length=end - state.time,
        end=way.end(made, float(tau[kept - 1])),
        piece=piece,
        residual=_mean(found[:kept], np.diff(tau[:kept], prepend=0.0)),
        steps=piece.steps,
        scheme=way.name,
        whole=whole,
        worst=max((r.relative for r in failed), default=0.0),
        first=failed[0].relative if failed else 0.0,
        seen=[y[min(k, len(y) - 1)] for k in (kept, (kept + len(y)) // 2, len(y))],
    )


def _mean(found: list[Residual], gaps: np.ndarray) -> Residual:
    """The mean over time."""
    relative, rate = (np.array([getattr(r, name) for r in found]) @ gaps for name in ("relative", "rate"))
    return Residual(float(relative / gaps.sum()), float(rate / gaps.sum()))


@dataclass(frozen=True)
class Exact:
    """Exponentials."""

    modes: Modes
    duration: float
    name: str = "exponentials, exact in time"

    @property
    def noise(self) -> float:
        """What rounding has made of it."""
        return self.modes.noise

    def samples(self, made: Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Times, q and q' at them."""
        tau = self.duration * SHARES
        return tau, *self.modes.at(tau)

    def end(self, made: Generator, tau: float) -> np.ndarray:
        """The state at a time."""
        return made.state(self.modes.at(np.array([tau]))[0][0])

    def piece(self, made: Generator, form: Form, state: State, window: tuple[float, float]) -> Exponentials:
        firsts = [form.first[f] for f in form.fields]
        found, whole = self.modes, window[1] - window[0]
        powers = made.rate(found.powers)[:, firsts] * whole ** np.arange(len(found.powers))[:, None, None]
        powers[0] += made.state(np.zeros(len(made.matrix)))[firsts]
        vectors = made.rate(found.vectors)[:, firsts]
        assert isinstance(state.basis, ProductBasis)  # leaps are for boxes
        return Exponentials(state.basis, form.fields, window, powers, found.rates, vectors)


@dataclass(frozen=True)
class _Stepped:
    """Steps of collocation; they are looked at where they end, with the rates that the equations have there."""

    run: Run

    @property
    def name(self) -> str:
        return self.run.scheme.words

    @property
    def noise(self) -> float:
        """That of steps is rounding alone."""
        return 0.0

    def samples(self, made: Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        edges = self.run.edges
        near = np.unique(np.maximum(1, np.searchsorted(edges, edges[-1] * SHARES * (1 - 1e-12))))
        q = self.run.states[near]
        return edges[near], q, q @ made.matrix.T + made.source

    def end(self, made: Generator, tau: float) -> np.ndarray:
        edges = self.run.edges
        return made.state(self.run.states[int(np.searchsorted(edges, tau - 1e-9 * edges[-1]))])

    def piece(self, made: Generator, form: Form, state: State, window: tuple[float, float]) -> Steps:
        firsts = [form.first[f] for f in form.fields]
        run, edges = self.run, state.time + self.run.edges
        count = int(np.searchsorted(edges, window[1] - 1e-9 * (edges[-1] - edges[0])))
        edges = np.array([*edges[:count], window[1]])
        slopes = np.tensordot(run.rates[:count], run.scheme.to_legendre, axes=(1, 1))
        slopes = made.rate(np.moveaxis(slopes, 2, 1))[:, :, firsts]
        starts = made.state(run.states[:count])[:, firsts]
        assert isinstance(state.basis, ProductBasis)  # leaps are for boxes
        return Steps(state.basis, form.fields, edges, starts, slopes)
