# SPDX-License-Identifier: MIT
"""Structural candidates, each kept only when the held-out residual falls: what the statement and a pilot suggest.

- zero data on faces built into the features (distance factor, cosine chart), which also saves their rows
- a sine profile on periodic charts
- times graded towards the start, where a fast layer hides from uniform times
- a moving frame x − vt, with v read off the pilot:  v = −⟨u_t ∇u⟩ / ⟨∇u ∇u⟩
- oscillating rates 1/τ + iω
- ridges through points where the pilot is steep; on a circle, chords between two of them
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lrfm.error.marks import scattered
from lrfm.problem import Box, Jet, Problem
from lrfm.rows.pieces import Piece
from lrfm.spacetime.search.search import KEEP, Tuner

SAMPLES = 400  # points of a pilot at which speeds are fitted


def improve(tuner: Tuner, without: tuple[str, ...] = ()) -> list[str]:
    """Offer every candidate that applies to the best pilot; return the names of those that were kept."""
    kept = []
    for name, offer in ((n, o) for n, o in OFFERS.items() if n not in without):
        before = tuner.best
        if not tuner.satisfied and offer(tuner):
            if tuner.best.score > before.score - KEEP:
                tuner.best = before
                continue
            kept.append(name)
    return kept


def _offer_vanish(tuner: Tuner) -> bool:
    faces = zero_faces(tuner.problem, order=0)
    if not faces:
        return False
    base = tuner.best.setting
    won = [tuner.consider(replace(base, vanish=faces, weights=base.weights * f)) for f in (1.0, 0.5)]
    if any(won):
        tuner.line("gate", 3.0, 2, 1e-3, 200.0)
        tuner.line("tau_min", 2.0, 2, 1e-5, 10.0)
        tuner.line("tau_max", 3.0, 3, 0.1, 100.0)
        tuner.line("weights", 1.5, 2, 0.03, 64.0)
    return any(won)


def _offer_cosine(tuner: Tuner) -> bool:
    problem = tuner.problem
    faces = zero_faces(problem, order=1)
    axes = tuple(n for n in problem.domain.names if f"{n}-" in faces and f"{n}+" in faces)
    base = tuner.best.setting
    if not axes or base.vanish:
        return False
    won = [tuner.consider(replace(base, cosine=axes, weights=w)) for w in (base.weights, 1.0)]
    if any(won):
        _refine(tuner)
    return any(won)


def _offer_sine(tuner: Tuner) -> bool:
    if len(tuner.problem.periodic) < tuner.problem.domain.dimension:
        return False
    base = tuner.best.setting
    won = [tuner.consider(replace(base, profile="sine", weights=w)) for w in (2.0 * base.weights, 1.0)]
    if any(won):
        _refine(tuner)
    return any(won)


def _offer_grading(tuner: Tuner) -> bool:
    base = tuner.best.setting
    if base.tau_min > 0.15 and tuner.best.score < -1.0:
        return False
    won = tuner.consider(replace(base, grading=3e-2, tau_min=1e-2, tau_max=20.0))
    if base.tau_min <= 0.04 or tuner.best.score > -1.0:
        for d in (3e-2, 3e-3, 3e-4):
            for weights in (base.weights, 0.3):
                trial = replace(base, grading=d, tau_min=d / 3.0, tau_max=20.0, weights=weights, gate=0.1)
                won |= tuner.consider(replace(trial, row_weight=100.0))
    if won:
        tuner.line("weights", 2.0, 4, 0.03, 64.0)
        tuner.line("tau_min", 2.0, 2, 1e-6, 10.0)
        tuner.line("gate", 3.0, 2, 1e-3, 200.0)
        tuner.line("row_weight", 10.0, 1, 0.1, 1e4)
    return won


def _offer_drift(tuner: Tuner) -> bool:
    if tuner.best.solved is None or tuner.best.setting.cosine or tuner.best.score > -0.3:
        return False
    ranges = drift_ranges(tuner)
    if ranges is None:
        return False
    base = tuner.best.setting
    # What travels needs no oscillation to move, so the frame is offered without it, too.
    trials = [(1.0, base.oscillation), (0.3, base.oscillation), (0.1, base.oscillation)]
    trials += [(1.0, None), (0.1, None)] if base.oscillation else []
    won = [tuner.consider(replace(base, drift=ranges, gate=base.gate * f, oscillation=o)) for f, o in trials]
    if any(won):
        # The first fit came from a pilot without drift; the better pilot knows the speed better.
        sharper = drift_ranges(tuner)
        if sharper is not None:
            tuner.consider(replace(tuner.best.setting, drift=sharper))
        _refine(tuner)
    return any(won)


def _offer_oscillation(tuner: Tuner) -> bool:
    base = tuner.best.setting
    if base.profile == "sine" and base.drift:
        return False
    won = tuner.consider(replace(base, oscillation=6.0))
    if not won and max(tuner.problem.time_orders.values()) > 1:
        won = tuner.consider(replace(base, oscillation=6.0, gate=0.2, tau_min=3.0))
    if won:
        tuner.line("oscillation", 1.6, 3, 0.5, 200.0)
        _refine(tuner)
    return won


def _offer_centers(tuner: Tuner) -> bool:
    problem, base = tuner.problem, tuner.best.setting
    if problem.domain.dimension > 1 or base.profile == "sine" or tuner.best.solved is None:
        return False
    points = steep_points(problem, tuner.best.solved.expansion, np.linspace(*tuner.window, 5))
    won = [tuner.consider(replace(base, centers=points, weights=base.weights * f)) for f in (1.0, 1.35)]
    if any(won):
        _refine(tuner)
    return any(won)


def _offer_chords(tuner: Tuner) -> bool:
    problem, base = tuner.problem, tuner.best.setting
    if problem.domain.dimension > 1 or not problem.periodic or base.drift or tuner.best.solved is None:
        return False
    points = steep_points(problem, tuner.best.solved.expansion, np.linspace(*tuner.window, 5), floor=0.3)
    plain = replace(base, centers=points, chords=True, profile="tanh", weights=2.5)
    won = [tuner.consider(plain), tuner.consider(replace(plain, gate=0.3, tau_min=2.7))]
    if any(won):
        # The better pilot knows better where it is steep.
        points = steep_points(problem, tuner.best.solved.expansion, np.linspace(*tuner.window, 5), floor=0.3)
        tuner.consider(replace(tuner.best.setting, centers=points))
        _refine(tuner)
        tuner.line("tau_min", 2.0, 2, 1e-5, 10.0)
    return any(won)


def _refine(tuner: Tuner) -> None:
    tuner.line("weights", 1.5, 2, 0.03, 64.0)
    tuner.line("gate", 2.0, 2, 1e-3, 200.0)


STEEP = "ridges where the solution is steep"
OFFERS = {
    "zero data built into the features": _offer_vanish,
    "cosine chart": _offer_cosine,
    "graded times": _offer_grading,
    "moving frame": _offer_drift,
    "sine profile": _offer_sine,
    "oscillating rates": _offer_oscillation,
    STEEP: _offer_centers,
    "chords between steep places": _offer_chords,
}


def zero_faces(problem: Problem, order: int) -> tuple[str, ...]:
    """Faces on which ∂ₙᵏ of every field is zero, k = `order`, and nothing else is asked."""
    found, box = [], problem.domain
    if not isinstance(box, Box):
        return ()
    for face, rows in problem.face_rows.items():
        axis = box.face(face).axis
        index = tuple(order if i == axis else 0 for i in range(problem.domain.dimension + 1))
        fields = {
            jet.field
            for row in rows
            if row.linear and row.source_part == 0 and len(row.jets) == 1
            for jet in row.jets
            if jet.index == index and not row.linear_part[jet].symbols
        }
        if fields == set(problem.fields) and len(rows) == len(fields):
            found.append(face)
    return tuple(found)


def drift_ranges(tuner: Tuner) -> tuple[tuple[float, float], ...] | None:
    """Speed range per axis, v ± 2 deviations, from the least-squares fit u_t = −v·∇u (+ iωu for a complex unknown)."""
    problem, pilot = tuner.problem, tuner.best.solved
    if pilot is None:
        return None
    d = problem.domain.dimension
    unit = np.eye(d + 1, dtype=int)
    fields = problem.fields
    jets = [Jet(f, tuple(map(int, unit[i]))) for f in fields for i in range(d + 1)]
    points = scattered(tuner.problem.domain, tuner.window, SAMPLES, np.random.default_rng(tuner.seed + 1))
    values = pilot.expansion.values([*jets, *(Jet(f, (0,) * (d + 1)) for f in fields)], points)
    columns, target = [], []
    for field in fields:
        gradient = [-values[Jet(field, tuple(map(int, unit[i])))] for i in range(d)]
        gradient.append(_rotation(field, fields, values, d))
        columns.append(np.column_stack(gradient))
        target.append(values[Jet(field, tuple(map(int, unit[d])))])
    A, b = np.vstack(columns), np.concatenate(target)
    # The last column (phase rotation) is zero for real fields: the minimum-norm solution leaves it at zero.
    v, *_ = np.linalg.lstsq(A, b, rcond=1e-10)
    slopes = np.sqrt(np.mean(A[:, :d] ** 2, axis=0))
    if not np.all(np.isfinite(v)) or not np.all(slopes > 0):
        return None
    spread = np.sqrt(np.mean((A @ v - b) ** 2)) / slopes
    if np.all(np.abs(v[:d]) < 0.2 * spread):
        return None
    ranges = []
    for speed, deviation in zip(v[:d], spread, strict=True):
        reach = 2.0 * max(min(float(deviation), abs(float(speed))), 0.01 * abs(float(speed)))
        ranges.append((float(speed) - reach, float(speed) + reach))
    return tuple(ranges)


def _rotation(field: str, fields: tuple[str, ...], values: dict[Jet, np.ndarray], d: int) -> np.ndarray:
    """Column of ω in ψ_t = iωψ: −Im ψ in the row of the real part, Re ψ in that of the imaginary part."""
    name, dot, part = field.rpartition(".")
    zero = (0,) * (d + 1)
    if not dot:
        return np.zeros_like(values[Jet(field, zero)])
    other = f"{name}.{'im' if part == 're' else 're'}"
    return -values[Jet(other, zero)] if part == "re" else values[Jet(other, zero)]


def steep_points(
    problem: Problem, expansion: Piece, times: np.ndarray, count: int = 512, floor: float = 0.2
) -> np.ndarray:
    """Quantiles of the density floor + (1 − floor)·|u_x|/mean|u_x|, the largest over some times (one dimension)."""
    low, high = next(iter(problem.domain.axes.values()))
    x = np.linspace(low, high, 401)
    monitor = np.zeros_like(x)
    jets = [Jet(f, (1, 0)) for f in problem.fields]
    for t in times:
        slopes = expansion.values(jets, np.column_stack([x, np.full_like(x, t)]))
        monitor = np.maximum(monitor, np.sqrt(sum(s**2 for s in slopes.values())))
    density = floor + (1.0 - floor) * monitor / max(float(np.mean(monitor)), 1e-300)
    mass = np.concatenate([[0.0], np.cumsum(0.5 * (density[1:] + density[:-1]))])
    return np.interp((np.arange(count) + 0.5) / count, mass / mass[-1], x).reshape(-1, 1)
