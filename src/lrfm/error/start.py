# SPDX-License-Identifier: MIT
"""How far a solution is from its initial data, and how much of that lives on.

m = ‖u(t₀) − u₀‖,   g₀ = ‖u₁(t₀) − u₂(t₀)‖ of two draws,   g = rms in time of ‖u₁(t) − u₂(t)‖.

What is wrong at the start is not what is wrong later: diffusion removes the missing corner of a quench within moments, a string keeps its
kink for ever. Two draws that start from different fits (the second from a finer one) show which: a part g/g₀ of a difference at the start
is left in the window, and the same part of the misfit, if g₀ is large enough to stand for it.

A solution that rests where the equations let it rest, and misses the perturbation by which its data leave this equilibrium, has a misfit as large as
that perturbation nearly everywhere, |u − u₀| ≥ ½|u₀ − mean u₀|, and a residual of zero. What a nonlinear equation makes of the perturbation is then in no number.

Conditions may fail at the start through an unknown that follows from the others,  B(u₀, φ(u₀)) ≠ 0.  Where all that a condition holds has initial data it is checked when it is
stated (`lrfm.problem.checks`). A flux c_x + c φ_x = 0 holds for a constant c and φ = 0, and fails as soon as a voltage is applied: φ follows from Poisson's equation with that voltage.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, cast

import numpy as np

from lrfm.error.marks import followed
from lrfm.error.sizes import jets_of
from lrfm.error.well_posed import TIMES
from lrfm.problem import Jet, Problem, Row
from lrfm.problem.checks import REFUSED, Contradiction, face_grid
from lrfm.rows.pieces import OnGrids, Piece, on_grids

# One point in each part of a panel: along one axis a fourth of them leaves no gap that is wider than the widest among random ones.
COUNT, ALONG_ONE = 20_000, 5_000
STANDS_FOR = 0.25  # part of the misfit that draws must differ by at the start
LOST = 0.5  # misfit, in parts of what data vary by, from which their variation is taken to be missing there,
NEARLY = 0.8  # of all places: a layer at a wall misses more than that at few of them,
VARIES = 1e-11  # unless the variation is rounding of the data


class StartGap(NamedTuple):
    """Mean squares at the start: the misfit m, the difference g₀ of two draws, the size of the data; whether these vary, and that is missing."""

    misfit: float
    apart: float
    size: float
    lost: bool = False


def start_gaps(
    problem: Problem, first: Sequence[Piece], second: Sequence[Piece] | None, rng: np.random.Generator
) -> dict[str, StartGap]:
    """m, g₀ and the size of the data of every unknown that has initial data; points follow the data.

    Rates that are given count by what they move within the window, as far as they are not there at all.
    """
    t0 = problem.time[0]
    points, weights = followed(problem, first[0].window, _count(problem), rng, fixed=t0)
    weights = weights / weights.sum()
    mean = lambda values: float(weights @ values**2)  # noqa: E731
    ours = _at_start(problem, first[0], problem.value_jets, points)
    theirs = _at_start(problem, second[0], problem.value_jets, points) if second else ours
    found = {}
    for name in problem.unknowns:
        datum = problem.initial_data.get((name, 0))
        if datum is None:
            continue
        m = g = size = 0.0
        lost = []
        for jet in jets_of(problem, name, ours):
            given = datum.part(points, jet.field)
            m, g, size = m + mean(ours[jet] - given), g + mean(ours[jet] - theirs[jet]), size + mean(given)
            lost.append(_lost(ours[jet] - given, given, weights))
        found[name] = StartGap(m, g, size, any(lost))
    return found


def _at_start(
    problem: Problem, piece: Piece, jets: Sequence[Jet], points: np.ndarray
) -> dict[Jet, np.ndarray]:
    """Derivatives of fields at points of the start; along one axis these are a grid."""
    if problem.domain.dimension > 1 or not problem.domain.is_box or not on_grids([piece]):
        return piece.values(jets, points)
    found = cast(OnGrids, piece).on_grid(jets, [points[:, 0]], points[:1, -1])
    return {jet: values[0] for jet, values in found.items()}


def _lost(gap: np.ndarray, given: np.ndarray, weights: np.ndarray) -> bool:
    """Whether |gap| ≥ ½|u₀ − mean u₀| nearly everywhere, where data vary at all."""
    varies = np.abs(given - weights @ given)
    if np.max(varies) <= VARIES * np.max(np.abs(given), initial=0.0):
        return False
    return bool(weights @ (np.abs(gap) >= LOST * varies) > NEARLY)


def unseen_rates(
    problem: Problem, first: Sequence[Piece], sizes: Mapping[str, float], rng: np.random.Generator
) -> float:
    """The largest T‖u_t(t₀) − v₀‖/‖u|| of an initial rate, times the part of it that is missing."""
    t0, t1 = problem.time
    worst = 0.0
    for (name, level), datum in problem.initial_data.items():
        if level != 1:
            continue
        points, weights = followed(problem, first[0].window, _count(problem), rng, fixed=t0)
        gap = size = 0.0
        for field in problem.fields_of(name):
            jet = Jet(field, (*(0,) * problem.domain.dimension, 1))
            given = datum.part(points, field)
            ours = _at_start(problem, first[0], [jet], points)[jet]
            gap += float(np.mean(weights * (ours - given) ** 2))
            size += float(np.mean(weights * given**2))
        if size > 0:
            missing = min(1.0, np.sqrt(gap / size))
            worst = max(worst, float((t1 - t0) * np.sqrt(gap / sizes[name]) * missing**2))
    return worst


def _count(problem: Problem) -> int:
    return ALONG_ONE if problem.domain.dimension == 1 else COUNT


def lives_on(m: float, at_start: float, later: float) -> float:
    """The part of a misfit that is left in the window; one where two draws do not show it. All are mean squares."""
    if at_start < STANDS_FOR**2 * m or at_start == 0:
        return 1.0
    return min(1.0, float(np.sqrt(later / at_start)))


def contradictions(problem: Problem, piece: Piece) -> tuple[Contradiction, ...]:
    """A warning on the conditions that a solution does not meet at its start, the worst for each unknown through which it does not."""
    found: dict[tuple[str, ...], list[tuple[float, str, Row]]] = {}
    for face, rows in problem.face_rows.items():
        for row in rows:
            through = _through(problem, row)
            if through:
                size, place = _gap(problem, piece, row, face)
                if size > REFUSED:
                    found.setdefault(through, []).append((size, place, row))
    return tuple(_said(problem, names, *max(each, key=lambda item: item[0])) for names, each in found.items())


def _given(problem: Problem, jet: Jet) -> bool:
    return (jet.unknown, 0) in problem.initial_data


def _through(problem: Problem, row: Row) -> tuple[str, ...]:
    """The unknowns without initial data in a condition that holds others, too, and no rates or means."""
    plain = all(jet.index[-1] == 0 and jet.field in problem.fields for jet in row.jets)
    if not plain or not any(_given(problem, jet) for jet in row.jets):
        return ()
    return tuple(sorted({jet.unknown for jet in row.jets if not _given(problem, jet)}))


def _gap(problem: Problem, piece: Piece, row: Row, face: str) -> tuple[float, str]:
    """The largest residual of a condition at the start relative to its terms there, and where that is; zero where it is nothing beside what its terms come to on all of the boundary, or data cannot be differentiated.

    A pressure is zero at an open end, and what is left of it there is rounding, all of which misses  p = ν u_n.
    """
    start, end = problem.time
    points = face_grid(problem, face, (start,))
    values = dict(piece.values(list(row.jets), points))
    for jet in row.jets:
        if _given(problem, jet):
            datum = problem.initial_data[jet.unknown, 0].derivative(jet.index[:-1])
            if datum is None:
                return 0.0, ""
            values[jet] = datum.part(points, jet.field)
    gap, terms = row.compared(points, values)
    times = tuple(np.linspace(start, min(end, piece.window[1]), TIMES)[1:])
    later = np.vstack([face_grid(problem, other, times) for other in problem.face_rows])
    _, reached = row.compared(later, piece.values(list(row.jets), later))
    if not all(np.all(np.isfinite(each)) for each in (gap, terms, reached)):
        return 0.0, ""
    worst = int(np.argmax(np.abs(gap)))
    size, beside = float(np.abs(gap[worst])), float(np.max(terms))
    if size <= REFUSED * max(beside, float(np.max(reached))):
        return 0.0, ""
    names = (*problem.domain.names, "t")
    place = ", ".join(f"{name}={value:g}" for name, value in zip(names, points[worst], strict=True))
    return size / beside, place


def _said(problem: Problem, names: tuple[str, ...], size: float, place: str, row: Row) -> Contradiction:
    start, end = problem.time
    through = " and ".join(f"`{name}`" for name in names)
    shift = "t" if start == 0 else f"(t - {start:g})"
    text = (
        f"{row.label} and `initial` contradict each other at {place}, by {size:.2g} times their size, through {through}, which follows from its own "
        "equation at the start: a layer opens there. If what drives it is switched on, switch it on smoothly: multiply it by "
        f"`1 - exp(-({shift}/{0.01 * (end - start):.1g})**2)`; or start from data that are in balance with it."
    )
    return Contradiction(text, size)
