# SPDX-License-Identifier: MIT
"""A steady state on cells and its comparison solve: on intervals, in the plane and in space."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lrfm.discretize.evolution import Unsuited
from lrfm.discretize.options import ROUNDING, SCANS, Options
from lrfm.discretize.plane.constraint import undetermined
from lrfm.integrate.steady.cells import CellEquations
from lrfm.integrate.steady.plane import PlaneEquations
from lrfm.integrate.steady.stationary import (
    Incompatible,
    SpaceEquations,
    SteadyState,
    null_fields,
    stationary,
)
from lrfm.problem import Jet, Problem
from lrfm.rows.pieces import Piece, residual_at
from lrfm.rows.placing import fill


def space_of(problem: Problem) -> type[SpaceEquations]:
    """The cells that a steady statement is solved on; Unsuited where there are none."""
    domain = problem.domain
    if domain.dimension == 1:
        return CellEquations
    if domain.dimension in (2, 3):
        return PlaneEquations
    raise Unsuited(
        "Steady states and modes are computed in one, two and three dimensions. In a box of more axes a steady state is where an evolution ends: "
        'write `u_t = ...` and solve it with `until="steady"`.'
    )


@dataclass(frozen=True)
class Solved:
    """One steady solve: its piece, whether it can be compared with another one, and what it says of itself."""

    piece: Piece
    state: SteadyState
    words: dict[str, str]

    @property
    def fine(self) -> bool:
        return self.state.converged and self.state.resolved


class SteadySolves:
    """Steady solves of a statement, each to a tolerance."""

    def __init__(self, problem: Problem, kept: bool = False):
        self.problem, self.space = problem, space_of(problem)
        self.kept = kept  # constants that nothing determines are those of the guess, else zero
        self.system = self.space.system_of(problem)

    @cached_property
    def pinned(self) -> tuple[int, ...]:
        """Fields that are known up to a constant: of nonlinear statements those of which derivatives alone occur."""
        if not self.system.linear:
            gauged = [self.system.components[c][0] for c in undetermined(self.system)]
            rows = (*self.problem.all_rows, *(f.row for f in self.problem.functionals))
            valued = {jet.whole for row in rows for jet in row.jets if not any(jet.index)}
            fields = enumerate(self.system.fields)
            return tuple(i for i, field in fields if field not in valued and field not in gauged)
        return null_fields(self.space.coarse(self.system, Options(tol=ROUNDING.stagnant)))

    @property
    def undetermined(self) -> tuple[str, ...]:
        gauged = [self.system.components[c][0] for c in undetermined(self.system)]
        fields = [*(self.system.fields[i] for i in self.pinned), *gauged]
        return tuple(dict.fromkeys(field.partition(".")[0] for field in fields))

    def solved(self, tol: float, first: Solved | None = None) -> Solved:
        """A solve; with `first`, its comparison, which begins from it on other cells with other degrees."""
        options = Options(tol=max(tol, ROUNDING.last))
        system, before = self.system, None
        if first is not None:
            options = options.compared()
            system = self.space.system_of(beginning_from(self.problem, first.piece))
            before = first.state.equations
        equations, u = self.space.begun(system, options, self.pinned, before)
        if (
            self.pinned
        ):  # on the first cells all that is given is resolved; from nothing, where only what is given is felt
            nothing = np.zeros_like(u)
            if system.linear:
                self._check_balance(equations, -equations.factored(nothing)(equations.residual(nothing)))
            if self.kept:
                equations.held = equations.means(u)
        state = stationary(equations, u, options)
        if self.pinned and not system.linear and state.converged:
            self._check_balance(state.equations, state.u)
        return Solved(state.equations.piece(state.u), state, _words(state))

    def _check_balance(self, equations: SpaceEquations, u: np.ndarray) -> None:
        """Refuse sources and fluxes that do not balance, with the integral that is not zero."""
        for field, lacks in equations.imbalance(u).items():
            if abs(lacks) > ROUNDING.root * equations.given():
                what = (
                    "The integral of its equation over the domain, with the fluxes at the boundary, is"
                    if self.system.linear
                    else "What a further constant source of its equation, over the domain, would have to be is"
                )
                raise Incompatible(
                    f"There is no steady state: `{field}` is determined up to a constant, and what is given does not balance. {what} {lacks:.6g} "
                    "instead of zero. Change the source or the fluxes so that it is zero, or fix a value somewhere on the boundary."
                )


@dataclass(frozen=True)
class PieceDatum:
    """A piece in the place of data."""

    piece: Piece
    value: None = None

    def part(self, points: np.ndarray, field: str) -> np.ndarray:
        """Values of a field at points."""
        jet = Jet(field, (0,) * points.shape[1])
        return self.piece.values([jet], points)[jet]


@dataclass(frozen=True)
class Nearby:
    """Guesses that are no data of the user's: another state, unknown by unknown."""

    guesses: dict[tuple[str, int], PieceDatum]

    @staticmethod
    def to(problem: Problem, piece: Piece) -> Nearby:
        return Nearby({(name, 0): PieceDatum(piece) for name in problem.unknowns})


def beginning_from(problem: Problem, piece: Piece) -> Problem:
    """The same statement with a piece as its guess."""
    return problem.with_guesses(Nearby.to(problem, piece).guesses)


def given_levels(problem: Problem) -> dict[str, float]:
    """For each unknown the mean of the values g that conditions u = g give it on the boundary; only those that are given some, and not zero alone.

    From zero Newton's method has no way where all of an equation vanishes with u, as div(u grad u) = 0 does, or where u stands in a denominator.
    """
    found: dict[str, list[float]] = {}
    for face, rows in problem.face_rows.items():
        if face not in problem.domain.parts:
            continue  # the middle of radial coordinates
        points = np.atleast_2d(problem.domain.parts[face].quadrature(SCANS.points).points)
        points = np.column_stack([points, np.zeros(len(points))])
        for row in rows:
            if not (row.linear and len(row.jets) == 1 and not any(next(iter(row.jets)).index)):
                continue
            source, factors = row.affine(points)
            ((jet, factor),) = factors.items()
            value = np.mean(-source / np.where(factor == 0, np.inf, factor))
            found.setdefault(jet.whole.partition(".")[0], []).append(float(value))
    levels = {name: float(np.mean(values)) for name, values in found.items()}
    return {name: level for name, level in levels.items() if level and math.isfinite(level)}


def _words(state: SteadyState) -> dict[str, str]:
    return {
        "cells": f"{state.equations.mesh.size}",
        "degree": f"{state.equations.degree}",
        "Newton steps": f"{state.iterations}",
        "rounds of splitting": f"{state.refinements}",
    }


def differences(problem: Problem, one: Solved, other: Solved) -> tuple[dict[str, float], dict[str, float]]:
    """‖u₁ − u₂‖/‖u₁‖ in L² and in the largest norm by unknown."""
    points, w = one.state.equations.rule(other.state.equations)
    l2, largest, sizes = {}, {}, {}
    for name in problem.unknowns:
        if not problem.alphabet.along(name):
            continue  # an unknown of no place
        jets = [Jet(field, (0,) * points.shape[1]) for field in problem.fields_of(name)]
        factors = one.state.equations.weights(jets[0].field, points)
        a, b = (factors * np.stack([*s.piece.values(jets, points).values()]) for s in (one, other))
        gap, own = np.sum((a - b) ** 2, axis=0), np.sum(a**2, axis=0)
        l2[name], sizes[name] = float(np.sqrt(w @ gap)), float(np.sqrt(w @ own))
        largest[name] = float(np.sqrt(np.max(gap)) / max(np.sqrt(np.max(own)), np.finfo(float).tiny))
    least = max(Options(tol=1.0).smallest * max(sizes.values()), np.finfo(float).tiny)
    return {name: gap / max(sizes[name], least) for name, gap in l2.items()}, largest


def residual_of(problem: Problem, piece: Piece) -> float:
    """Σ |F| over Σ |terms of F| on points that were not used."""
    rng = np.random.default_rng(0)
    unit = rng.random((SCANS.points, problem.domain.dimension))
    points = np.column_stack([fill(problem.domain, unit, 0.0, rng), np.zeros(SCANS.points)])
    return residual_at(problem.rows, piece, points)
