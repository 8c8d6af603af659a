# SPDX-License-Identifier: MIT
"""Whether there is one solution to come close to: short waves that do not grow without bound, and enough conditions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from lrfm.error.balance import net_flux
from lrfm.error.marks import scattered
from lrfm.problem import Jet, Problem
from lrfm.problem.algebra import symbols_in
from lrfm.problem.landmarks import landmarks, poles
from lrfm.problem.shapes.protocol import is_layered
from lrfm.problem.symbol import Coefficients, linearized, needed_at, unstable_direction, unstable_on_average
from lrfm.rows.pieces import Piece, values_at

POINTS = 7  # at which coefficients are frozen,
AROUND = 48  # places around a periodic axis over which they are averaged,
FACES, TIMES = 5, 9  # places on a face, and times, at which conditions are counted
ALONG = 1e-3  # of a speed: what crosses a part of the boundary more slowly flows along it, as its normals are known
FLUX = 1e-6  # tolerance to which fluxes have to balance where none is known
OVERRIDE = "Check the signs; if you know better, `accept_ill_posed=True` (in a file under [solve], or `--accept-ill-posed`) solves it."


def unbounded_growth(problem: Problem, piece: Piece | None) -> str | None:
    """Direction in which the equations, linearized at the solution, amplify short waves without bound, in words.

    Without a solution only equations are judged that are linear, or whose highest derivatives are.
    """
    linear = not any(row.nonlinear_jets for row in problem.rows)
    if two_sided(problem):
        return None
    window = problem.time if piece is None else piece.window
    if linear or (piece is None and _semilinear(problem)):
        return _judged(problem, window)
    return None if piece is None else _growing(problem, window, piece)


def _semilinear(problem: Problem) -> bool:
    """Whether terms that are not linear have lower derivatives than each equation has linear ones, and are in no constraint: what becomes of short waves is the same whatever the solution is."""
    lowest = min(
        (
            max((sum(jet.index[:-1]) for jet in row.linear_part if not jet.index[-1]), default=0)
            for row in problem.rows
            if any(jet.index[-1] for jet in row.jets)
        ),
        default=0,
    )
    return all(
        any(jet.index[-1] for jet in row.jets)
        and all(not jet.index[-1] and sum(jet.index[:-1]) < lowest for jet in row.nonlinear_jets)
        for row in problem.rows
        if row.nonlinear_jets
    )


@lru_cache(maxsize=32)
def _judged(problem: Problem, window: tuple[float, float]) -> str | None:
    """What is the same whatever the solution is, found once."""
    return _growing(problem, window, None)


def _growing(problem: Problem, window: tuple[float, float], piece: Piece | None) -> str | None:
    wanted, box = {jet for row in problem.rows for jet in row.nonlinear_jets}, problem.domain
    points, duration = (
        scattered(box, window, POINTS, np.random.default_rng(0), layer=True),
        window[1] - window[0],
    )
    lengths = box.upper - box.lower
    if piece is None:
        points = np.concatenate([points, _telling(problem, window)])

    def coefficients(points: np.ndarray):
        jets = None if piece is None else piece.values(wanted, points) if wanted else {}
        return _turned(problem, linearized(problem.rows, points, jets, problem.fields))

    direction = unstable_direction(coefficients(points), problem.fields, lengths, duration)
    if direction is not None:
        return _said(direction, box.names)
    for axis, name in enumerate(box.names):
        if name in problem.periodic:
            lines = np.repeat(points[:, None], AROUND, axis=1)
            lines[:, :, axis] = box.lower[axis] + lengths[axis] * np.arange(AROUND) / AROUND
            for line in _different(coefficients(lines.reshape(-1, lines.shape[2])), len(points)):
                if unstable_on_average(line, problem.fields, axis, lengths, duration):
                    return f"`{name}`"
    return None


def _telling(problem: Problem, window: tuple[float, float]) -> np.ndarray:
    """Places at which coefficients of a box may be thin, and others between them: diffusion of the wrong sign in a spot is as bad as everywhere."""
    box, varying = (
        problem.domain,
        [f for row in problem.rows for f in row.linear_part.values() if symbols_in(f)],
    )
    if not (box.is_box and varying):
        return np.empty((0, box.dimension + 1))
    more = scattered(box, window, AROUND, np.random.default_rng(1), layer=True)
    for axis, ends in enumerate(zip(box.lower, box.upper, strict=True)):
        more = np.concatenate([more, np.repeat(more[:1], 2, axis=0)])
        more[-2:, axis] = ends
    corners = np.append(box.lower, window[0]), np.append(box.upper, window[1])
    return np.concatenate([more, landmarks(varying, (*box.names, "t"), *corners)])


def two_sided(problem: Problem) -> bool:
    """Whether data are given at both ends: then t is no direction of an evolution, and nothing of this is asked."""
    return bool(problem.initial_data and problem.final_data)


def _turned(problem: Problem, coefficients: Coefficients) -> Coefficients:
    """The same in time from the end, where the data are there: λ becomes −λ."""
    if problem.forward or problem.cyclic:
        return coefficients
    return [{jet: (-1.0) ** jet.index[-1] * c for jet, c in row.items()} for row in coefficients]


def _different(coefficients: Coefficients, count: int) -> Iterator[Coefficients]:
    """The coefficients on each of several lines, once where they are the same on two of them."""
    tables = [{jet: values.reshape(count, -1) for jet, values in row.items()} for row in coefficients]
    seen = set()
    for k in range(count):
        line = [{jet: values[k] for jet, values in row.items()} for row in tables]
        name = tuple(values.tobytes() for row in line for values in row.values())
        if name not in seen:
            seen.add(name)
            yield line


def ill_posed(problem: Problem) -> str:
    """A sentence where equations that need no solution to be judged are ill-posed; else empty."""
    along = unbounded_growth(problem, None)
    if along is None:
        return ""
    return (
        f"The equations amplify short waves along {along} without bound (the wrong sign of a highest derivative, or an equation that is "
        "elliptic in time): the problem is ill-posed "
        f"{'forward in time' if problem.forward or problem.cyclic else 'backward in time, from data at the end'}."
    )


def _said(direction: np.ndarray, names: Sequence[str]) -> str:
    """`x`, or the direction (x, y) = (0.71, −0.71) in units of the box."""
    used = np.flatnonzero(np.abs(direction) > 1e-12)
    if len(used) == 1:
        return f"`{names[int(used[0])]}`"
    parts = ", ".join(f"{direction[i]:.2g}" for i in used)
    return f"the direction ({parts}) of ({', '.join(names[int(i)] for i in used)})"


def doubts(problem: Problem) -> list[str]:
    """What is wrong with a statement as a whole, as far as this shows without a solution: for who asks before it is solved."""
    said, missing, unbalanced = ill_posed(problem), missing_conditions(problem, None), net_flux(problem, FLUX)
    return [
        *([f"{said} {OVERRIDE}"] if said else []),
        *(str(found) for found in (missing, unbalanced) if found),
    ]


class Missing(NamedTuple):
    """A face with fewer conditions than enter through it."""

    face: str
    given: int
    needed: int

    def __str__(self) -> str:
        given = {0: "no condition", 1: "one condition"}.get(self.given, f"{self.given} conditions")
        return (
            f"The face `{self.face}` has {given}, and the equations need {self.needed} there: the solution is not unique, and no error "
            "is claimed. Give what enters the domain through this face."
        )


def missing_conditions(problem: Problem, pieces: Sequence[Piece] | None) -> Missing | None:
    """The first face on which something enters that no condition gives; without a solution linear equations only are judged."""
    wanted = {jet for row in problem.rows for jet in row.nonlinear_jets}
    box, (start, end) = problem.domain, problem.time
    if (pieces is None and wanted) or two_sided(problem) or poles(problem):
        return None
    if not box.is_box:
        return _missing_on_parts(problem, pieces)
    unit = np.random.default_rng(0).random((FACES * TIMES, box.dimension + 1))
    unit[:, -1] = np.repeat((np.arange(TIMES) + 0.5) / TIMES, FACES)
    points = np.column_stack(
        [box.lower + (box.upper - box.lower) * unit[:, :-1], start + (end - start) * unit[:, -1]]
    )
    for axis, name in enumerate(box.names):
        if name in problem.periodic:
            continue
        there = np.tile(points, (2, 1))
        there[:, axis] = np.repeat([box.lower[axis], box.upper[axis]], len(points))
        # Inside, too: what is small compared with that is zero on a face, not an inflow.
        both = np.vstack([there, points])
        jets = values_at(pieces, wanted, both) if pieces is not None and wanted else {}
        rows = _turned(problem, linearized(problem.rows, both, jets, problem.fields))
        length = float(box.upper[axis] - box.lower[axis])
        counts = needed_at(rows, problem.fields, axis, length, end - start, len(there))
        for upper, side in enumerate("-+"):
            own = counts[upper * len(points) : (upper + 1) * len(points)]
            given, needed = len(problem.face_rows.get(f"{name}{side}", ())), max(pair[upper] for pair in own)
            if needed > given:
                return Missing(f"{name}{side}", given, needed)
    return None


def _missing_on_parts(problem: Problem, pieces: Sequence[Piece] | None) -> Missing | None:
    """The same of the smooth parts of a boundary, waves counted along their normals; of domains that stay, without layers."""
    wanted = {jet for row in problem.rows for jet in row.nonlinear_jets}
    box, (start, end) = problem.domain, problem.time
    if box.moving or is_layered(box):
        return None
    times = start + (end - start) * (np.arange(TIMES) + 0.5) / TIMES
    length = float(np.max(box.upper - box.lower))
    inside = box.quadrature(FACES**box.dimension).points
    around = [axis for axis, name in enumerate(box.names) if name in problem.periodic]
    for name, part in box.parts.items():
        rule = part.quadrature(FACES ** (box.dimension - 1))
        if np.any(np.all(np.abs(rule.normals[:, around]) > 1 - FLUX, axis=0)):
            continue
        # Inside, too: what is small compared with that is zero on a face, not an inflow.
        places = np.vstack([rule.points, inside])
        normals = np.tile(np.resize(rule.normals, places.shape), (TIMES, 1))
        there = np.column_stack([np.tile(places, (TIMES, 1)), np.repeat(times, len(places))])
        jets = values_at(pieces, wanted, there) if pieces is not None and wanted else {}
        rows = _turned(problem, linearized(problem.rows, there, jets, problem.fields))
        counts = needed_at(_along(rows, normals), problem.fields, 0, length, end - start, len(there))
        on_part = np.tile(np.arange(len(places)) < len(rule.points), TIMES)
        given = len(problem.face_rows.get(name, ()))
        needed = max(outer for (_, outer), on in zip(counts, on_part, strict=True) if on)
        if needed > given:
            return Missing(name, given, needed)
    return None


def _along(rows: Coefficients, normals: np.ndarray) -> Coefficients:
    """Coefficients of ∂ₙᵏ for those of D^a, |a| = k:  Σ_a c_a n^a. What is small beside the coefficients themselves, as of what flows along the boundary, is zero."""
    found = []
    for row in rows:
        own: dict[Jet, np.ndarray] = {}
        sizes: dict[Jet, np.ndarray] = {}
        for jet, c in row.items():
            order, ahead = sum(jet.index[:-1]), (0,) * (len(jet.index) - 2)
            to = Jet(jet.field, (order, *ahead, jet.index[-1]))
            share = np.prod(normals ** np.array(jet.index[:-1]), axis=1)
            own[to] = own.get(to, 0.0) + c * share
            sizes[to] = sizes.get(to, 0.0) + np.abs(c)
        found.append({jet: np.where(np.abs(c) > ALONG * sizes[jet], c, 0.0) for jet, c in own.items()})
    return found
