# SPDX-License-Identifier: MIT
"""A statement together with its derivatives along directions:  (u, δ₁, …, δ_k)  with

    F(x, t, {Dᵃu}) = 0,      Σ_a ∂F/∂(Dᵃu) Dᵃδ_i + s_i dF_i = 0,      δ_i(t₀) = s_i dd_i,

the equations of first variation (Hairer, Nørsett, Wanner, Solving Ordinary Differential Equations I, I.14), conditions likewise. It is a statement as any other:
whatever space solves the first line of it has a way to solve the whole, with its own cells, steps and errors. With the scales s_i = |p_i| all unknowns are of the size of u.

A space may not hold second derivatives of u in the equation of δ. Where the highest derivatives of dF are c times those of F, as by a diffusivity, dF − cF holds none of them: a *reduced* statement
with the same solution.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from numbers import Real

from lrfm.problem.algebra import ONE, Expr, Symbol, add, mul, number, symbols_in
from lrfm.problem.data import Datum
from lrfm.problem.equation import Row
from lrfm.problem.errors import ProblemError
from lrfm.problem.expression import Value, derivative
from lrfm.problem.free import freed, slope
from lrfm.problem.functionals import Functional
from lrfm.problem.jets import SIDE, Jet, JetSymbol, jets_among
from lrfm.problem.problem import Problem

MARK = "~"  # between the name of an unknown and the number of a direction; no user text can contain it


@dataclass(frozen=True)
class Direction:
    """What is moved: a name for messages, the numbers that become symbols, and the seed of every symbol that moves."""

    name: str
    free: tuple[str, ...]
    seed: Callable[[Symbol], Expr | None]

    def magnitude(self, problem: Problem) -> float:
        """The largest |p| among the numbers that are moved."""
        given = (problem.parameters[name] for name in self.free)
        return max((abs(float(p)) for p in given if isinstance(p, Real)), default=0.0)

    def scale(self, problem: Problem) -> float:
        """s: by what δ is multiplied."""
        return self.magnitude(problem) or 1.0


def moved(field: str, i: int) -> str:
    """The name of δ_i of a field: of ``psi.re@core`` it is ``psi~0.re@core``."""
    whole, at, side = field.partition(SIDE)
    unknown, dot, part = whole.partition(".")
    return f"{unknown}{MARK}{i}{dot}{part}{at}{side}"


def with_variations(problem: Problem, directions: Sequence[Direction], reduced: bool = False) -> Problem:
    """The statement of u and of all δ_i, as it is or `reduced`; ProblemError where a direction is none of its numbers, or there is no such statement."""
    if problem.delays or (problem.functionals and not problem.steady):
        raise ProblemError(
            "Derivatives by parameters are integrated for statements about one point and one time each: there are none yet of means, memory and delays here."
        )
    names = list(dict.fromkeys(name for d in directions for name in d.free))
    twin = freed(problem, names) if names else problem
    made = _Made(problem, twin, directions, reduced)
    count = range(len(directions))
    unknowns = {
        **problem.unknowns,
        **{moved(u, i): kind for i in count for u, kind in problem.unknowns.items()},
    }
    orders = {
        **problem.time_orders,
        **{moved(u, i): n for i in count for u, n in problem.time_orders.items()},
    }
    faces = {
        part: (*rows, *(row for i in count for row in made.rows(rows, twin.face_rows[part], i)))
        for part, rows in problem.face_rows.items()
    }
    functionals = (*problem.functionals, *(f for i in count for f in made.functionals(i)))
    known = problem.alphabet.functionals
    return problem.restated(
        unknowns=unknowns,
        fields=(*problem.fields, *(moved(f, i) for i in count for f in problem.fields)),
        time_orders=orders,
        rows=(*problem.rows, *(row for i in count for row in made.rows(problem.rows, twin.rows, i))),
        face_rows=faces,
        functionals=functionals,
        initial_data={**problem.initial_data, **made.data()},
        reference=None,
        alike=None,
        _alphabet=replace(
            problem.alphabet,
            unknowns=unknowns,
            functionals=known and replace(known, found={(f.field,): f for f in functionals}),
        ),
    )


@dataclass(frozen=True)
class _Made:
    """Rows and data of δ; `twin` is the statement with numbers as symbols."""

    problem: Problem
    twin: Problem
    directions: Sequence[Direction]
    reduced: bool

    def rows(self, ours: Sequence[Row], theirs: Sequence[Row], i: int) -> list[Row]:
        """The rows of δ_i that belong to some rows of u."""
        direction = self.directions[i]
        scale = number(direction.scale(self.problem))
        found = []
        for row, twin in zip(ours, theirs, strict=True):
            seeds: dict[Symbol, Expr] = {
                JetSymbol(jet): JetSymbol(Jet(moved(jet.field, i), jet.index)) for jet in row.jets
            }
            along = mul(scale, slope(twin.expression, direction.seed))
            along = _reduced(along, row) if self.reduced else along
            total = add(derivative(row.expression, seeds), along)
            found.append(Row(total, row.coordinates, f"{row.label} by `{direction.name}`"))
        return found

    def functionals(self, i: int) -> list[Functional]:
        """Means, integrals and values of δ_i."""
        ours = self.problem.functionals
        rows = self.rows([f.row for f in ours], [f.row for f in self.twin.functionals], i)
        return [replace(f, field=moved(f.field, i), row=row) for f, row in zip(ours, rows, strict=True)]

    def data(self) -> dict[tuple[str, int], Datum]:
        """What δ starts with."""
        return {
            (moved(name, i), level): self._along(datum, i)
            for i in range(len(self.directions))
            for (name, level), datum in self.twin.initial_data.items()
        }

    def _along(self, datum: Datum, i: int) -> Datum:
        """The derivative of data, in each layer where these differ; functions do not depend on numbers."""
        direction = self.directions[i]
        scale = number(direction.scale(self.problem))
        value = datum.value or Value(number(0.0))
        found = datum.holding(Value(*(mul(scale, slope(part, direction.seed)) for part in value)))
        found.sides = {layer: self._along(side, i) for layer, side in datum.sides.items()}
        return found


def _reduced(along: Expr, row: Row) -> Expr:
    """dF − cF with the c that takes the highest derivatives of u out of dF; dF itself where there is none."""
    top = max((sum(jet.index[:-1]) for jet in row.jets), default=0)
    ratios = []
    for jet in row.jets:
        if top and sum(jet.index[:-1]) == top:
            own, other = (derivative(f, {JetSymbol(jet): ONE}) for f in (row.expression, along))
            ratios.append(other / own)
    if not ratios or any(r != ratios[0] for r in ratios) or jets_among(symbols_in(ratios[0])):
        return along
    return add(along, mul(number(-1.0), ratios[0], row.expression))
