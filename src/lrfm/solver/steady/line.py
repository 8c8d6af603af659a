# SPDX-License-Identifier: MIT
"""A steady state of an interval and its comparison solve: pieces of a solution from coefficients on cells."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lrfm.discretize.evolution import EvolutionSystem
from lrfm.discretize.options import PAIRS, STEADY, Options
from lrfm.integrate.stationary import (
    CellEquations,
    Incompatible,
    SteadyState,
    cell_equations,
    null_fields,
    stationary,
)
from lrfm.problem import Jet, Problem
from lrfm.problem.absent import STILL
from lrfm.rows.cell_steps import CellSteps
from lrfm.rows.pieces import Piece


@dataclass(frozen=True)
class Solved:
    """One steady solve: its piece, whether it can be compared with another one, and what it says of itself."""

    piece: CellSteps
    state: SteadyState
    words: dict[str, str]

    @property
    def fine(self) -> bool:
        return self.state.converged and self.state.resolved


class OnInterval:
    """Steady solves of a statement in one dimension, each to a tolerance."""

    def __init__(self, problem: Problem):
        self.problem = problem
        self.system = EvolutionSystem(problem)

    @cached_property
    def pinned(self) -> tuple[int, ...]:
        """Fields that are known up to a constant."""
        return null_fields(self.system, Options(tol=STEADY.rounding)) if self.system.linear else ()

    @property
    def undetermined(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.system.fields[i].partition(".")[0] for i in self.pinned))

    def solved(self, tol: float, first: Solved | None = None) -> Solved:
        """A solve; with `first`, its comparison, which begins from it on other cells with other degrees."""
        options = Options(tol=max(tol, PAIRS.strictest))
        system = self.system
        if first is not None:
            options = options.compared()
            system = EvolutionSystem(beginning_from(self.problem, first.piece))
        equations, u = cell_equations(system, options, self.pinned)
        state = stationary(equations, u, options)
        assert isinstance(state.equations, CellEquations)
        self._check_balance(state.equations, state.u)
        return Solved(piece_of(state.equations, state.u), state, _words(state.equations, state))

    def _check_balance(self, equations: CellEquations, u: np.ndarray) -> None:
        """Refuse sources and fluxes that do not balance, with the integral that is not zero."""
        given = sum(self._given(equations))
        for field, lacks in equations.imbalance(u).items():
            if abs(lacks) > STEADY.balance * given:
                raise Incompatible(
                    f"There is no steady state: `{field}` is determined up to a constant, and what is given does not balance. The integral of "
                    f"its equation over the domain, with the fluxes at the boundary, is {lacks:.6g} instead of zero. Change the source or the "
                    "fluxes so that it is zero, or fix a value at one end."
                )

    def _given(self, equations: CellEquations) -> list[float]:
        """Sizes of what is given, over the domain: sources, and data at the ends."""
        made, length = equations.made, float(np.sum(equations.mesh.widths))
        nothing = np.zeros((len(made.system.components), made.mesh.size, made.layout.size))
        found = made.at(np.zeros(1)).residual(nothing[None], nothing[None])[0]
        inner = max(
            (np.max(np.abs(found[made.numbers.rows_of[i]]), initial=0.0) for i in equations.pinned),
            default=0.0,
        )
        ends = [abs(float(found[at])) for at in made.numbers.rows_of_conditions]
        return [length * float(inner), *ends, np.finfo(float).tiny]


def piece_of(equations: CellEquations, u: np.ndarray) -> CellSteps:
    """The state as a step in which nothing moves."""
    y = equations.scattered(u)
    rows = np.zeros((y.shape[1], 2, y.shape[0], y.shape[2]))
    rows[:, 0] = y.transpose(1, 0, 2)
    edges = equations.mesh.edges
    return CellSteps(
        tuple(equations.made.system.fields),
        np.array(STILL),
        np.zeros(1, dtype=np.int64),
        edges.copy(),
        np.array([0, len(edges)]),
        rows,
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


def beginning_from(problem: Problem, piece: Piece) -> Problem:
    """The same statement with a piece as its guess."""
    return problem.with_guesses({(name, 0): PieceDatum(piece) for name in problem.unknowns})


def _spatial(problem: Problem) -> list[str]:
    return [name for name, kind in problem.unknowns.items() if not isinstance(kind, str)]


def _words(equations: CellEquations, state: SteadyState) -> dict[str, str]:
    return {
        "cells": f"{equations.mesh.size}",
        "degree": f"{equations.made.layout.size - 1}",
        "Newton steps": f"{state.iterations}",
        "rounds of splitting": f"{state.refinements}",
    }


def differences(
    problem: Problem, one: CellSteps, other: CellSteps
) -> tuple[dict[str, float], dict[str, float]]:
    """‖u₁ − u₂‖/‖u₁‖ in L² and in the largest norm by unknown, by Gauss' rule between all edges of both."""
    edges = np.union1d(one.cell_edges, other.cell_edges)
    nodes, weights = np.polynomial.legendre.leggauss(STEADY.nodes)
    half = 0.5 * np.diff(edges)
    x = (0.5 * (edges[:-1] + edges[1:])[:, None] + half[:, None] * nodes).ravel()
    w = (half[:, None] * weights).ravel()
    points = np.column_stack([x, np.zeros_like(x)])
    l2, largest, sizes = {}, {}, {}
    for name in _spatial(problem):
        jets = [Jet(field, (0, 0)) for field in problem.fields_of(name)]
        a, b = (np.stack([*p.values(jets, points).values()]) for p in (one, other))
        gap, own = np.sum((a - b) ** 2, axis=0), np.sum(a**2, axis=0)
        l2[name], sizes[name] = float(np.sqrt(w @ gap)), float(np.sqrt(w @ own))
        largest[name] = float(np.sqrt(np.max(gap)) / max(np.sqrt(np.max(own)), np.finfo(float).tiny))
    least = max(Options(tol=1.0).smallest * max(sizes.values()), np.finfo(float).tiny)
    return {name: gap / max(sizes[name], least) for name, gap in l2.items()}, largest


def residual_of(problem: Problem, piece: CellSteps) -> float:
    """Σ |F| over Σ |terms of F| on points that were not used."""
    box = problem.domain
    unit = np.random.default_rng(0).random((PAIRS.fresh, 2))
    points = np.column_stack([box.lower + (box.upper - box.lower) * unit[:, :1], np.zeros(PAIRS.fresh)])
    found, sizes = 0.0, 0.0
    for row in problem.rows:
        residual, terms = row.compared(points, piece.values(row.jets, points))
        found, sizes = max(found, float(np.sum(np.abs(residual)))), max(sizes, float(np.sum(terms)))
    return found / sizes if sizes > 0 else 0.0
