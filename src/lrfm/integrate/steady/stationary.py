# SPDX-License-Identifier: MIT
"""Steady states on cells:  F(x, D^a u) = 0 by Newton's method, cells split until the coefficients of u decay in all of them.

The statement is that of an evolution in which nothing moves: rows, cells, matrices and indicators are those of its `Discretization` and
`SpaceAdapter`. A linear statement that is singular by constants, as −lap u = f with ∂u/∂n = 0 on the boundary, is bordered:

    A y + Σ_i μ_i e_i = r,   mean(y_i) = 0,

with the equation's constant sources e_i. The multiplier μ_i is what the equation of the field i lacks: data balance where it is zero.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Protocol, Self

import numpy as np

from lrfm.discretize.evolution import EvolutionSystem, Unsuited
from lrfm.discretize.options import ROUNDING, SAFEGUARDS, SCANS, Options
from lrfm.integrate.steady.newton import Found
from lrfm.integrate.steady.path import solved
from lrfm.linalg.banded import PatternSolver, Solve
from lrfm.linalg.deadline import check_deadline
from lrfm.rows.pieces import InSteps

Transfer = Callable[[np.ndarray], np.ndarray]


class Incompatible(ValueError):
    """Sources and fluxes do not balance: there is no solution. The message says by how much."""


class Discretized(Protocol):
    """A steady statement on a space of functions: equations, coefficients, and how they are refined."""

    @property
    def linear(self) -> bool: ...

    @property
    def dimension(self) -> int:
        """Of space: cells of half the size are 2^d times as many."""
        ...

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

    equations: Any
    u: np.ndarray
    converged: bool
    iterations: int
    refinements: int
    resolved: bool
    left: float


@dataclass
class SpaceEquations(ABC):
    """F(y) = 0 on the cells of one mesh; `pinned` fields are known up to constants. `adapter` makes, judges and changes the cells."""

    adapter: Any
    mesh: Any
    options: Options
    pinned: tuple[int, ...] = ()
    transfer: Transfer | None = field(default=None, repr=False)  # from the cells before to these
    held: np.ndarray | float = 0.0  # means of pinned fields
    made: Any = field(init=False, repr=False)

    bordered: ClassVar[Callable[[np.ndarray, np.ndarray, int], PatternSolver]]

    def __post_init__(self) -> None:
        self.made = self.adapter.discretize(self.mesh)
        self._instant = self.made.at(np.zeros(1))

    # What a kind of cells is asked for ----------------------------------------------------------------------

    @staticmethod
    @abstractmethod
    def system_of(problem: Any) -> EvolutionSystem:
        """The statement as rows; Unsuited where these cells do not hold it."""

    @staticmethod
    @abstractmethod
    def adapter_of(system: EvolutionSystem, options: Options) -> Any:
        """What makes cells for a statement; Unsuited where these cells do not hold it."""

    @classmethod
    @abstractmethod
    def coarse(cls, system: EvolutionSystem, options: Options) -> Self:
        """The equations on few cells: enough to see which functions they leave free."""

    @staticmethod
    def beginning(adapter: Any, first: SpaceEquations) -> tuple[Any, np.ndarray]:
        """First cells of a comparison solve, and the guess on them."""
        return adapter.initial()

    @abstractmethod
    def constant(self, i: int) -> np.ndarray:
        """One in every equation of a field."""

    @property
    @abstractmethod
    def inner(self) -> np.ndarray:
        """Which rows hold an equation, and not a condition or a joint alone."""

    @abstractmethod
    def everywhere(self) -> Any:
        """The change that splits all cells."""

    @abstractmethod
    def given(self) -> float:
        """How large sources and fluxes at the boundary are, integrated over the domain."""

    @abstractmethod
    def values(self, y: np.ndarray) -> np.ndarray:
        """Fields (fields, cells, size) at points of the cells, (fields, points)."""

    @abstractmethod
    def piece(self, u: np.ndarray) -> InSteps:
        """The state as a step in which nothing moves."""

    @abstractmethod
    def rule(self, other: Self) -> tuple[np.ndarray, np.ndarray]:
        """Points (n, axes + 1) and weights of a rule for the domain that two discretizations can be compared by."""

    @property
    def gauged(self) -> list[int]:
        """Components that are known up to a constant, which the discretization itself fixes."""
        return []

    def sign(self, i: int) -> float:
        """Of an equation as it is solved, relative to how it was stated."""
        return 1.0

    @property
    @abstractmethod
    def degree(self) -> int:
        """Of the polynomials."""

    def singular(self, budget: float) -> Any:
        """The change that splits cells in which solutions are singular for reasons that their coefficients do not tell; None where they are small enough."""
        return None

    def blunt(self, budget: float, u: np.ndarray | None = None) -> bool:
        """Whether such cells are larger than they should be, and cannot be split any more; of a state, with what of a singularity is in it."""
        return False

    # The same for all of them -------------------------------------------------------------------------------

    @classmethod
    def begun(
        cls,
        system: EvolutionSystem,
        options: Options,
        pinned: tuple[int, ...] = (),
        first: SpaceEquations | None = None,
    ) -> tuple[Self, np.ndarray]:
        """The equations on first cells, which resolve all that is given and the guess, and the guess on them; with `first`, where the guess is a state of these."""
        adapter = cls.adapter_of(system, options)
        mesh, y = adapter.initial() if first is None else cls.beginning(adapter, first)
        equations = cls(adapter, mesh, options, pinned)
        return equations.sharp(options.space_share * options.tol, equations.gathered(y))

    def sharp(self, budget: float, u: np.ndarray) -> tuple[Self, np.ndarray]:
        """The same on cells that are small enough for singularities at corners; those of a comparison are smaller yet."""
        equations = self
        while (change := equations.singular(budget)) is not None:
            equations, u = equations.changed(u, change)
        return equations, u

    @property
    def linear(self) -> bool:
        return self.made.system.linear

    @property
    def dimension(self) -> int:
        """Of space."""
        return self.made.system.problem.domain.dimension

    @property
    def size(self) -> int:
        return self.made.size + len(self.pinned)

    def forget(self) -> None:
        """Drop what is kept of the rows: a number in them has changed."""
        self._instant = self.made.at(np.zeros(1))

    def scattered(self, u: np.ndarray) -> np.ndarray:
        """Coefficients (fields, cells, size)."""
        return self.made.scatter(u[: self.made.size])

    def gathered(self, y: np.ndarray) -> np.ndarray:
        """The vector of coefficients, with multipliers that are zero."""
        return np.append(self.made.gather(y), np.zeros(len(self.pinned)))

    def taken(self, y: np.ndarray) -> np.ndarray:
        """Coefficients (fields, cells, size) of the cells before on these."""
        assert self.transfer is not None
        return self.transfer(y)

    def residual(self, u: np.ndarray) -> np.ndarray:
        y = self.scattered(u)[None]
        found = self._instant.residual(y, np.zeros_like(y))[0]
        if self.pinned:
            found = found + self._sources @ u[self.made.size :]
            found = np.append(found, self.means(u) - self.held)
        return found

    def means(self, u: np.ndarray) -> np.ndarray:
        """Of pinned fields over the domain."""
        return self._means @ u[: self.made.size]

    @cached_property
    def _sources(self) -> np.ndarray:
        """e_i of pinned fields, as columns."""
        return np.stack([self.constant(i) for i in self.pinned], axis=1)

    @cached_property
    def _means(self) -> np.ndarray:
        """Means of pinned fields: the first coefficient of each cell, weighted by its part of the domain."""
        result = np.zeros((len(self.pinned), self.made.size))
        for n, i in enumerate(self.pinned):
            y = np.zeros_like(self.made.scatter(result[n]))
            y[i, :, 0] = self.made.shares
            result[n] = self.made.gather(y)
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
        return type(self).bordered(rows, columns, self.size).factor(values)

    def sizes(self, u: np.ndarray) -> np.ndarray:
        """What errors of the fields are relative to."""
        found = self.norms(self.scattered(u))
        told = np.maximum(found, max(self.options.smallest * float(np.max(found)), np.finfo(float).tiny))
        means = [f.field for f in self.made.system.problem.functionals if f.whole]
        told[[self.made.system.fields.index(name) for name in means]] = np.inf
        return told

    def relative(self, change: np.ndarray, u: np.ndarray) -> float:
        return float(np.max(self.norms(self.scattered(change)) / self.sizes(u)))

    def norms(self, y: np.ndarray) -> np.ndarray:
        """Root mean squares over the domain of fields (fields, cells, size)."""
        return self.made.norms(y)

    def weights(self, field: str, points: np.ndarray) -> np.ndarray:
        """Factors of a field at points in norms of errors."""
        return np.ones(len(points))

    @property
    def weighted(self) -> str:
        """What is said of fields whose factors are not one."""
        return ""

    def tails(self, u: np.ndarray, rounding: float) -> np.ndarray:
        """What each cell leaves out, in units of its budget; above one where it is to be split."""
        system = self.made.system
        own = [system.fields.index(name) for name, _ in system.components]  # a chain has one function
        worst = np.max(self.cell_tails(self.scattered(u)[own], self.sizes(u)[own]), axis=0)
        budget = max(self.options.space_share * self._strict, self.options.floor, rounding)
        return self.adapter.marked(worst / budget, 1.0)

    @property
    def _strict(self) -> float:
        """The tolerance; of a comparison a part of it. At kinks and roots inside, as those of |x|^(1 + a), errors everywhere follow from what the cells there miss by a power of their size below one
        more than that of their own error, and cells are halved: with a quarter both solves shared two thirds of it."""
        return self.options.tol / (Options.closer if self.options.comparison else 1.0)

    def cell_tails(self, y: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        """The same by component and cell, in its own units."""
        return self.adapter.tails(self.made, y, sizes)

    def refined(self, u: np.ndarray, rounding: float) -> tuple[Self, np.ndarray] | None:
        change = self.adapter.refinement(self.mesh, self.tails(u, rounding), self.scattered(u))
        return None if change is None else self.changed(u, change)

    def resolved(self, u: np.ndarray, rounding: float) -> bool:
        if self.blunt(self.options.space_share * self.options.tol, u):
            return False
        return float(np.max(self.tails(u, rounding))) <= self.options.overshoot

    def halved(self, u: np.ndarray) -> tuple[Self, np.ndarray]:
        return self.changed(u, self.everywhere())

    def on(self, change: Any) -> Self:
        """The equations on other cells."""
        mesh, transfer = self.adapter.changed(self.mesh, change)
        return type(self)(self.adapter, mesh, self.options, self.pinned, transfer, self.held)

    def changed(self, u: np.ndarray, change: Any) -> tuple[Self, np.ndarray]:
        """The same on other cells."""
        finer = self.on(change)
        y = finer.gathered(finer.taken(self.scattered(u)))
        y[finer.made.size :] = u[self.made.size :]
        return finer, y

    def imbalance(self, u: np.ndarray) -> dict[str, float]:
        """What the equation of each pinned field lacks, over the domain; what balances is zero to rounding."""
        domain, fields = self.made.system.problem.domain, self.made.system.fields
        symmetry = getattr(domain, "symmetry", None)  # with one rows are multiplied by r^d already
        measure = (
            domain.measure() if symmetry is None else symmetry.around * np.prod(domain.upper - domain.lower)
        )
        return {
            fields[i]: float(-u[self.made.size + n] * measure) * self.sign(i)
            for n, i in enumerate(self.pinned)
        }


def null_fields(coarse: SpaceEquations) -> tuple[int, ...]:
    """Fields that a linear statement leaves a constant of, without those that are gauged already; Unsuited where it leaves more than that."""
    system, size = coarse.made.system, coarse.made.size
    rows, columns, values = coarse.matrix(np.zeros(coarse.size))
    scale = np.zeros(size)
    np.maximum.at(scale, rows, np.abs(values))
    values = values / np.where(scale > 0, scale, 1.0)[rows]
    constants, nothing = [], coarse.scattered(np.zeros(coarse.size))
    for i in range(len(system.fields)):
        y = nothing.copy()
        y[i, :, 0] = 1.0
        v = coarse.made.gather(y)
        if i not in coarse.made.lumped:
            found = np.bincount(rows, values * v[columns], minlength=size)
            constants += [i] if np.max(np.abs(found)) < ROUNDING.solved else []
    left = tuple(i for i in constants if system.last[i] not in coarse.gauged)
    if size > SAFEGUARDS.dense:
        return left
    matrix = np.zeros((size, size))
    np.add.at(matrix, (rows, columns), values)
    sigma = np.linalg.svd(matrix, compute_uv=False)
    nullity = int(np.sum(sigma < ROUNDING.solved * sigma[0]))
    if len(constants) != nullity:
        raise Unsuited(
            f"The statement leaves {nullity} free constant{'s' if nullity > 1 else ''}: other functions than constants solve it with zero in the "
            "place of all that is given. Add a condition, or change the number that makes it singular."
        )
    return left


def stationary(equations: Discretized, u: np.ndarray, options: Options) -> SteadyState:
    """A steady state, on cells that are split until it is resolved."""
    goal = options.newton_goal
    total, failures = 0, 0
    found = Found(u, False, 0, np.inf)
    for count in range(SAFEGUARDS.iterations + 1):
        check_deadline()
        found = solved(equations, u, goal)
        total += found.iterations
        if not found.converged:
            # On cells that are too coarse there may be no solution near the guess: it is tried again on finer ones.
            failures += 1
            if failures > SCANS.cells // equations.dimension:
                return SteadyState(equations, found.u, False, total, count, False, found.left)
            equations, u = equations.halved(u)
            continue
        rounding = found.left if found.left > goal else 0.0
        following = equations.refined(found.u, rounding)
        if following is None:
            resolved = equations.resolved(found.u, rounding)
            return SteadyState(equations, found.u, True, total, count, resolved, found.left)
        if count < SAFEGUARDS.iterations:
            equations, u = following
    return SteadyState(equations, found.u, found.converged, total, SAFEGUARDS.iterations, False, found.left)
