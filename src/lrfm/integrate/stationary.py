# SPDX-License-Identifier: MIT
"""Steady states on cells:  F(x, D^a u) = 0 by Newton's method, cells split until the coefficients of u decay in all of them.

The statement is that of an evolution in which nothing moves: rows, cells, matrices and indicators are those of `CellCollocation` and
`CellAdapter`. A linear statement that is singular by constants, as −u″ = f with u′ = 0 at both ends, is bordered:

    A y + Σ_i μ_i e_i = r,   mean(y_i) = 0,

with the equation's constant sources e_i. The multiplier μ_i is what the equation of the field i lacks: data balance where it is zero.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np

from lrfm.adapt.cells import CellAdapter
from lrfm.adapt.given import Given
from lrfm.discretize.collocation import CellCollocation
from lrfm.discretize.evolution import EvolutionSystem, Unsuited
from lrfm.discretize.layout import Layout
from lrfm.discretize.options import STEADY, Options
from lrfm.integrate.newton import Found, solved
from lrfm.linalg.banded import Bordered, Solve
from lrfm.linalg.clock import look
from lrfm.spaces.cells import Mesh, Regrid


class Incompatible(ValueError):
    """Sources and fluxes do not balance: there is no solution. The message says by how much."""


class Discretized(Protocol):
    """A steady statement on a space of functions: equations, coefficients, and how they are refined."""

    @property
    def linear(self) -> bool: ...

    def residual(self, u: np.ndarray) -> np.ndarray: ...

    def factored(self, u: np.ndarray) -> Solve: ...

    def relative(self, change: np.ndarray, u: np.ndarray) -> float: ...

    def refined(self, u: np.ndarray, rounding: float) -> tuple[Discretized, np.ndarray] | None:
        """A finer space with u on it; None where u is resolved, as far as its relative rounding lets that be seen."""
        ...

    def resolved(self, u: np.ndarray, rounding: float) -> bool:
        """Whether the space holds u within its budget."""
        ...

    def halved(self, u: np.ndarray) -> tuple[Discretized, np.ndarray]:
        """A space that is finer everywhere, with u on it."""
        ...


@dataclass(frozen=True)
class SteadyState:
    """Coefficients on the last cells, and how they were found."""

    equations: Discretized
    u: np.ndarray
    converged: bool
    iterations: int
    refinements: int
    resolved: bool
    left: float


@dataclass
class CellEquations:
    """F(y) = 0 on the cells of one mesh; `pinned` fields are known up to constants."""

    adapter: CellAdapter
    mesh: Mesh
    options: Options
    pinned: tuple[int, ...] = ()
    came: Regrid | None = field(default=None, repr=False)  # how its cells follow from those before
    made: CellCollocation = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.made = CellCollocation(self.adapter.layout, self.mesh)
        self._instant = self.made.at(np.zeros(1))

    @property
    def linear(self) -> bool:
        return self.made.system.linear

    @property
    def size(self) -> int:
        return self.made.size + len(self.pinned)

    def scattered(self, u: np.ndarray) -> np.ndarray:
        """Coefficients (fields, cells, size)."""
        return self.made.scatter(u[: self.made.size])

    def gathered(self, y: np.ndarray) -> np.ndarray:
        """The vector of coefficients, with multipliers that are zero."""
        return np.append(self.made.gather(y), np.zeros(len(self.pinned)))

    def taken(self, y: np.ndarray) -> np.ndarray:
        """Coefficients (fields, cells, size) of the cells before on these."""
        assert self.came is not None
        return self.adapter.transfer(self.came, y)

    def residual(self, u: np.ndarray) -> np.ndarray:
        y = self.scattered(u)[None]
        found = self._instant.residual(y, np.zeros_like(y))[0]
        if self.pinned:
            found = found + self._sources @ u[self.made.size :]
            found = np.append(found, self._means @ u[: self.made.size])
        return found

    @cached_property
    def _sources(self) -> np.ndarray:
        """e_i: one in every equation of a pinned field."""
        result = np.zeros((self.made.size, len(self.pinned)))
        for n, i in enumerate(self.pinned):
            result[self.made.numbers.rows_of[i].ravel(), n] = 1.0
        return result

    @cached_property
    def _means(self) -> np.ndarray:
        """Means of pinned fields: the first coefficient of each cell, weighted by its width."""
        result = np.zeros((len(self.pinned), self.made.size))
        for n, i in enumerate(self.pinned):
            result[n, self.made.numbers.columns_of[i][:, 0]] = self.made.shares
        return result

    def matrix(self, u: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Rows, columns and entries of F′(y), without its border."""
        y = self.scattered(u)
        pencil = self.made.linearize(0.0, y, np.zeros_like(y))
        return self.made.rows, self.made.columns, pencil.entries(0)

    def factored(self, u: np.ndarray) -> Solve:
        rows, columns, values = self.matrix(u)
        if not self.pinned:
            return self.made.solver.factor(values)
        n = self.made.size
        at, own = np.nonzero(self._sources)
        below, along = np.nonzero(self._means)
        rows = np.concatenate([rows, at, n + below])
        columns = np.concatenate([columns, n + own, along])
        values = np.concatenate([values, self._sources[at, own], self._means[below, along]])
        return Bordered(rows, columns, self.size).factor(values)

    def sizes(self, u: np.ndarray) -> np.ndarray:
        """What errors of the fields are relative to."""
        found = self.made.norms(self.scattered(u))
        told = np.maximum(found, max(self.options.smallest * float(np.max(found)), np.finfo(float).tiny))
        means = [f.field for f in self.made.system.problem.functionals]
        told[[self.made.system.fields.index(name) for name in means]] = np.inf
        return told

    def relative(self, change: np.ndarray, u: np.ndarray) -> float:
        return float(np.max(self.made.norms(self.scattered(change)) / self.sizes(u)))

    def tails(self, u: np.ndarray, rounding: float) -> np.ndarray:
        """What each cell leaves out, in units of its budget."""
        system = self.made.system
        own = [system.fields.index(name) for name, _ in system.components]  # a chain has one function
        y, sizes = self.scattered(u)[own], self.sizes(u)[own]
        worst = np.max(self.adapter.tails(self.made, y, sizes), axis=0)
        return worst / max(self.options.space_share * self.options.tol, self.options.floor, rounding)

    def refined(self, u: np.ndarray, rounding: float) -> tuple[CellEquations, np.ndarray] | None:
        change = self.adapter.refinement(self.mesh, self.tails(u, rounding))
        return None if change is None else self._split(u, change.split)

    def resolved(self, u: np.ndarray, rounding: float) -> bool:
        return float(np.max(self.tails(u, rounding))) <= self.options.overshoot

    def halved(self, u: np.ndarray) -> tuple[CellEquations, np.ndarray]:
        return self._split(u, np.ones(self.mesh.size, dtype=bool))

    def _split(self, u: np.ndarray, splits: np.ndarray) -> tuple[CellEquations, np.ndarray]:
        mesh, regrid = self.mesh.regrid(splits, np.zeros_like(splits))
        finer = CellEquations(self.adapter, mesh, self.options, self.pinned, regrid)
        y = finer.gathered(finer.taken(self.scattered(u)))
        y[finer.made.size :] = u[self.made.size :]
        return finer, y

    def imbalance(self, u: np.ndarray) -> dict[str, float]:
        """What the equation of each pinned field lacks, over the interval; what balances is zero to rounding."""
        length, fields = float(np.sum(self.mesh.widths)), self.made.system.fields
        return {fields[i]: float(-u[self.made.size + n]) * length for n, i in enumerate(self.pinned)}


def cell_equations(
    system: EvolutionSystem, options: Options, pinned: tuple[int, ...] = ()
) -> tuple[CellEquations, np.ndarray]:
    """The equations on first cells, which resolve all that is given and the guess, and the guess on them."""
    layout, given = Layout(system, options.points(system.tops[0])), Given(system)
    layout.check()
    if system.multipliers:
        raise Unsuited("An unknown does not occur in its own equation.")
    adapter = CellAdapter(layout, given, options)
    mesh, y = adapter.initial()
    equations = CellEquations(adapter, mesh, options, pinned)
    return equations, equations.gathered(y)


def null_fields(system: EvolutionSystem, options: Options) -> tuple[int, ...]:
    """Fields that a linear statement leaves a constant of; Unsuited where it leaves more than that."""
    layout = Layout(system, options.points(system.tops[0]))
    layout.check()
    box = system.problem.domain
    edges = np.linspace(float(box.lower[0]), float(box.upper[0]), STEADY.coarse + 1)
    adapter = CellAdapter(layout, Given(system), options)
    coarse = CellEquations(adapter, Mesh.of(edges, bool(system.problem.periodic)), options)
    rows, columns, values = coarse.matrix(np.zeros(coarse.size))
    matrix = np.zeros((coarse.size, coarse.size))
    np.add.at(matrix, (rows, columns), values)
    scale = np.max(np.abs(matrix), axis=1, keepdims=True)
    matrix = matrix / np.where(scale > 0, scale, 1.0)
    sigma = np.linalg.svd(matrix, compute_uv=False)
    nullity = int(np.sum(sigma < STEADY.null * sigma[0]))
    if not nullity:
        return ()
    constants = []
    for i in layout.spatial:
        y = np.zeros((len(system.fields), STEADY.coarse, layout.size))
        y[i, :, 0] = 1.0
        if np.max(np.abs(matrix @ coarse.made.gather(y))) < STEADY.null:
            constants.append(i)
    if len(constants) != nullity:
        raise Unsuited(
            f"The statement leaves {nullity} free constant{'s' if nullity > 1 else ''}: other functions than constants solve it with zero in the "
            "place of all that is given. Add a condition, or change the number that makes it singular."
        )
    return tuple(constants)


def stationary(equations: Discretized, u: np.ndarray, options: Options) -> SteadyState:
    """A steady state, on cells that are split until it is resolved."""
    goal = max(options.newton_share * options.space_share * options.tol, options.floor)
    total, failures = 0, 0
    found = Found(u, False, 0, np.inf)
    for count in range(STEADY.refinements + 1):
        look()
        found = solved(equations, u, goal)
        total += found.iterations
        if not found.converged:
            # On cells that are too coarse there may be no solution near the guess: it is tried again on finer ones.
            failures += 1
            if failures > STEADY.coarse:
                return SteadyState(equations, found.u, False, total, count, False, found.left)
            equations, u = equations.halved(u)
            continue
        rounding = found.left if found.left > goal else 0.0
        following = equations.refined(found.u, rounding)
        if following is None:
            resolved = equations.resolved(found.u, rounding)
            return SteadyState(equations, found.u, True, total, count, resolved, found.left)
        if count < STEADY.refinements:
            equations, u = following
    return SteadyState(equations, found.u, found.converged, total, STEADY.refinements, False, found.left)
