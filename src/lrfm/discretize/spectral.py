# SPDX-License-Identifier: MIT
"""A statement on a box, split into what series solve and the rest:  y′ = L(k) y + B(k) n̂,   n = N(x, t, Dᵃy).

Every equation is  Σ c Dᵃ(y or y′) + Σ Dᵃ G_a(x, t, Dᵇy) = 0  with numbers c. The first sum is a small matrix per mode k; G is evaluated on a grid. With E of the
rates, A of the rest, algebraic unknowns a by their own equations, and multipliers q by constraints C y = 0 (a pressure by div u = 0),

    a = −A_aa⁻¹ (A_ad y + n_a),    q = −(C E⁻¹ A_q)⁻¹ C E⁻¹ (A y + n),    y′ = −Π E⁻¹ (A y + n),    Π = 1 − E⁻¹A_q (C E⁻¹A_q)⁻¹ C,

mode by mode: Π takes velocities to those without divergence. Where a matrix is zero, at k = 0, nothing is said about an unknown: its mean is zero.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple

import numpy as np

from lrfm.discretize.evolution import EvolutionSystem, Unsuited
from lrfm.discretize.fluxes import Symbols, as_fluxes
from lrfm.discretize.modewise import LinearPart, ModeMatrix, entries_of
from lrfm.discretize.options import SERIES
from lrfm.discretize.parity import parities_of, parity_of
from lrfm.linalg.room import reserve
from lrfm.problem import Box, Jet, Row
from lrfm.problem.algebra import Expr, Symbol, add, symbols_in
from lrfm.problem.expression import is_zero
from lrfm.problem.jets import GivenSymbol, JetSymbol, jet_symbol, jets_among
from lrfm.problem.program import Program
from lrfm.spaces.orders import MultiIndex
from lrfm.spaces.series import Modes, Parity


class Constant(NamedTuple):
    """c Dᵃ of a component, or of its rate."""

    component: int
    index: MultiIndex
    rate: bool
    factor: float


class Flux(NamedTuple):
    """(Σ c Dᵃ) G of an equation."""

    row: int
    symbols: Symbols
    formula: Expr

    @property
    def plain(self) -> bool:
        """Whether G is not differentiated."""
        return not any(any(index) for index, _ in self.symbols)


class SpectralForm:
    """The split of a statement; what does not depend on the number of modes."""

    def __init__(self, system: EvolutionSystem):
        problem = system.problem
        if not isinstance(problem.domain, Box):
            raise Unsuited("Series need a box.")
        if system.flat or problem.functionals or system.motion is not None:
            raise Unsuited("Series hold no means, no unknowns of time alone and no moving boxes.")
        self.system = system
        self.periodic = tuple(name in problem.periodic for name in problem.domain.names)
        self.constants: list[list[Constant]] = []
        self.rests: list[Expr] = []
        for row in system.equations:
            constants, rest = self._split(row)
            self.constants.append(constants)
            self.rests.append(rest)
        self.parities = parities_of(system, self.constants, self.periodic)
        self.row_parities = self._row_parities()
        self._ordered()
        self.fluxes = [
            Flux(r, s, g)
            for r, rest in enumerate(self.rests)
            if not is_zero(rest)
            for s, g in as_fluxes(rest, self.dimension)
        ]
        self.jets = jets_among(symbols_in(*(f.formula for f in self.fluxes)))
        if any(system.entry(jet).rate for jet in self.jets):
            raise Unsuited("A rate is multiplied by something that is not a number.")
        self._check_rows()

    @property
    def dimension(self) -> int:
        return self.system.problem.domain.dimension

    def _split(self, row: Row) -> tuple[list[Constant], Expr]:
        constants, rest = [], [row.source_part, row.nonlinear_part]
        for jet, coefficient in row.linear_part.items():
            entry = self.system.entry(jet)
            if symbols_in(coefficient):
                rest.append(coefficient * JetSymbol(jet))
            else:
                factor = float(np.asarray(Program([coefficient])({})[0]))
                constants.append(Constant(entry.component, tuple(entry.index), entry.rate, factor))
        return constants, add(*rest)

    def _row_parities(self) -> list[Parity]:
        """Of each equation along each axis, by its constant terms: all have to agree."""
        found = []
        for constants in self.constants:
            own = {
                tuple(
                    0 if p else (q + n) % 2
                    for p, q, n in zip(self.periodic, self.parities[c.component], c.index, strict=True)
                )
                for c in constants
            }
            if len(own) != 1:
                raise Unsuited("The terms of an equation are not all even or all odd between the walls.")
            found.append(own.pop())
        return found

    def _ordered(self) -> None:
        """Which components and equations are differential, determined algebraic ones, and multipliers with their constraints."""
        system = self.system
        fields = range(len(system.fields))
        self.differential = [c for c in range(len(system.components)) if c not in system.algebraic]
        self.algebraic = list(system.determined)
        self.multipliers = list(system.multipliers)
        by_first = {system.first[f]: i for i, f in enumerate(system.fields)}
        self.moving_rows = [i for i in fields if system.orders[system.fields[i]] > 0]
        self.algebraic_rows = [by_first[c] for c in self.algebraic]
        self.constraint_rows = [by_first[c] for c in self.multipliers]
        if self.multipliers and system.links:
            raise Unsuited("A constraint on an unknown of second order in time is not solved by series.")
        for i in (*self.algebraic_rows, *self.constraint_rows):
            if any(c.rate for c in self.constants[i]):
                raise Unsuited("An equation without a rate of its own holds another one's.")
        if any(not is_zero(self.rests[i]) for i in self.constraint_rows):
            raise Unsuited("A constraint is not linear with numbers as coefficients.")
        for i in self.algebraic_rows:
            held = {system.entry(j).component for j in jets_among(symbols_in(self.rests[i]))}
            if held & {*self.algebraic, *self.multipliers}:
                raise Unsuited("An algebraic equation is not linear in its own unknown.")
            if any(c.component in self.multipliers for c in self.constants[i]):
                raise Unsuited("A multiplier stands in an algebraic equation.")
        held = {system.entry(j).component for i in fields for j in jets_among(symbols_in(self.rests[i]))}
        if held & set(self.multipliers):
            raise Unsuited("A multiplier is multiplied by something that is not a number.")

    def _check_rows(self) -> None:
        """Fluxes have to be even or odd as their equations are."""
        for f in self.fluxes:
            found = parity_of(f.formula, self._jet_parity, self.dimension, self.periodic)
            for a in (a for a, p in enumerate(self.periodic) if not p):
                own = found[a]
                if own is None or any((own + i[a]) % 2 != self.row_parities[f.row][a] for i, _ in f.symbols):
                    raise Unsuited("The terms of an equation are not all even or all odd between the walls.")

    def _jet_parity(self, jet: Jet) -> Parity:
        entry = self.system.entry(jet)
        own = self.parities[entry.component]
        return tuple((q + n) % 2 for q, n in zip(own, entry.index, strict=True))

    @cached_property
    def program(self) -> Program:
        """All G at once."""
        return Program([f.formula for f in self.fluxes])

    @cached_property
    def algebraic_fluxes(self) -> list[int]:
        """Numbers of the fluxes of algebraic equations, which are needed before the others."""
        return [n for n, f in enumerate(self.fluxes) if f.row in self.algebraic_rows]

    @cached_property
    def first_program(self) -> tuple[Program, tuple[Jet, ...]]:
        """G of algebraic equations alone, and the jets in them."""
        formulas = [self.fluxes[n].formula for n in self.algebraic_fluxes]
        return Program(formulas), jets_among(symbols_in(*formulas))

    @cached_property
    def given(self) -> list[Symbol]:
        """What is given in G: coordinates and functions of the user."""
        return [s for s in self.program.symbols if not isinstance(s, JetSymbol)]

    @property
    def exact(self) -> bool:
        """Whether nothing is left beside L: exponentials solve it."""
        return not self.fluxes

    def check_stiffness(self) -> None:
        """Unsuited where the rest holds derivatives as high as those that exponentials solve: explicit stages would have to follow them."""
        for row, rest in enumerate(self.rests):
            held = [sum(jet.index[:-1]) for jet in jets_among(symbols_in(rest))]
            solved = max((sum(c.index) for c in self.constants[row]), default=0)
            if held and max(held) >= max(solved, 1) and not self._conserving(row, solved):
                raise Unsuited("The highest derivatives do not stand alone with numbers before them.")

    def _conserving(self, row: int, solved: int) -> bool:
        """First derivatives beside no higher ones: transport, which is not stiff."""
        held = [sum(jet.index[:-1]) for jet in jets_among(symbols_in(self.rests[row]))]
        return max(held) <= 1 and solved <= 1


class SpectralDiscretization:
    """The split statement with so many modes."""

    def __init__(self, form: SpectralForm, mesh: Modes):
        self.form, self.mesh, self.system = form, mesh, form.system
        self.size = mesh.reals * len(form.system.components)
        self.lumped: list[int] = []
        self.auxiliary: list[int] = []
        self.filters = False
        self.shares = np.ones(mesh.size)
        self._plans: dict[tuple[Jet, ...], list] = {}
        self._operators: dict[int, np.ndarray] = {}
        self._assemble()

    # Matrices per mode --------------------------------------------------------------------------------------

    def _matrix(self, rows: list[int], components: list[int], rate: bool) -> np.ndarray:
        """c Dᵃ of some components, or of their rates, in some equations: (modes, rows, components)."""
        mesh, form = self.mesh, self.form
        found = np.zeros((mesh.count, len(rows), len(components)), dtype=complex)
        for i, r in enumerate(rows):
            for c in form.constants[r]:
                if c.rate == rate and c.component in components:
                    factor = mesh.symbol(c.index, form.parities[c.component])[0]
                    whole = np.broadcast_to(c.factor * factor, mesh.shape)
                    found[:, i, components.index(c.component)] += whole.ravel()
        return found

    def _assemble(self) -> None:
        form, mesh, system = self.form, self.mesh, self.system
        d, a, q = form.differential, form.algebraic, form.multipliers
        # A dozen matrices per mode while they are made, complex.
        reserve(24 * mesh.count * len(system.components) ** 2)
        moving, own, bound = form.moving_rows, form.algebraic_rows, form.constraint_rows
        last = [system.last[i] for i in moving]
        inverse = _inverse(self._matrix(moving, last, True))
        to_d, to_a, to_q = (self._matrix(moving, c, False) for c in (d, a, q))
        solve_a = _inverse(self._matrix(own, a, False))
        a_of_d = -solve_a @ self._matrix(own, d, False)  # a = a_of_d y − solve_a n_a
        to_d = to_d + to_a @ a_of_d
        bound_d = self._matrix(bound, d, False) + self._matrix(bound, a, False) @ a_of_d
        lasts = [d.index(c) for c in last]
        c_last = bound_d[:, :, lasts]
        q_of = -_inverse(c_last @ inverse @ to_q) @ c_last @ inverse  # q = q_of (A y + n)
        projected = inverse + inverse @ to_q @ q_of
        rates = np.zeros((mesh.count, len(d), len(d)), dtype=complex)
        forcing = np.zeros((mesh.count, len(d), len(system.fields)), dtype=complex)
        for n, c in enumerate(d):
            if c in system.links:
                rates[:, n, d.index(c + 1)] = 1.0
        of_rest = np.zeros(
            (mesh.count, len(moving), len(system.fields)), dtype=complex
        )  # n of moving rows, a eliminated
        for i, r in enumerate(moving):
            of_rest[:, i, r] = 1.0
        of_rest[:, :, own] = -to_a @ solve_a
        rates[:, lasts] = -self._without_multipliers(inverse @ to_d, projected @ to_d, inverse, to_q, c_last)
        forcing[:, lasts] = -projected @ of_rest
        others = np.zeros((mesh.count, len(a) + len(q), len(d)), dtype=complex)
        of_n = np.zeros((mesh.count, len(a) + len(q), len(system.fields)), dtype=complex)
        others[:, : len(a)], of_n[:, : len(a), own] = a_of_d, -solve_a
        others[:, len(a) :], of_n[:, len(a) :] = q_of @ to_d, q_of @ of_rest
        shape, fields = mesh.shape, len(system.fields)
        self.linear = LinearPart(len(d), entries_of(rates, shape), shape)
        self.forcing = ModeMatrix.of(len(d), fields, entries_of(forcing, shape))
        self._others = ModeMatrix.of(len(a) + len(q), len(d), entries_of(others, shape))
        self._others_of_n = ModeMatrix.of(len(a) + len(q), fields, entries_of(of_n, shape))
        self._a_of_d = ModeMatrix.of(len(a), len(d), entries_of(a_of_d, shape))
        self._a_of_n = ModeMatrix.of(len(a), fields, entries_of(of_n[:, : len(a)], shape))
        if q:
            # The part of a state that meets the constraints: y − E⁻¹A_q (C E⁻¹A_q)⁻¹ C y.
            kept = np.eye(len(d)) - inverse @ to_q @ _inverse(c_last @ inverse @ to_q) @ c_last
            self.admissible = ModeMatrix.of(len(d), len(d), entries_of(kept, shape))
        else:
            self.admissible = None
        #  Where an algebraic unknown or a multiplier is not determined: its mean.
        blank = [not np.any(solve_a[0, n]) for n in range(len(a))] + [
            not np.any(q_of[0, n]) for n in range(len(q))
        ]
        self.undetermined = [c for c, missing in zip((*a, *q), blank, strict=True) if missing]

    @staticmethod
    def _without_multipliers(
        free: np.ndarray, projected: np.ndarray, inverse: np.ndarray, to_q: np.ndarray, bound: np.ndarray
    ) -> np.ndarray:
        """E⁻¹A where it keeps what meets the constraints, as a viscosity does, and ΠE⁻¹A elsewhere: the first one couples less."""
        if not to_q.shape[2]:
            return free
        meets = np.eye(free.shape[1]) - inverse @ to_q @ _inverse(bound @ inverse @ to_q) @ bound
        gap = np.abs(bound @ free @ meets)
        return (
            free
            if np.max(gap, initial=0.0) <= 1e-12 * np.max(np.abs(bound)) * np.max(np.abs(free))
            else projected
        )

    # The rest -----------------------------------------------------------------------------------------------

    @cached_property
    def _points(self) -> np.ndarray:
        return self.mesh.points()

    def _given(self, time: float) -> dict[Symbol, np.ndarray | float]:
        """Coordinates and functions of the user on the grid."""
        found: dict[Symbol, np.ndarray | float] = {}
        names = (*self.system.problem.domain.names, "t")
        whole = None
        for symbol in self.form.given:
            if isinstance(symbol, GivenSymbol):
                if whole is None:
                    whole = np.column_stack([self._points, np.full(len(self._points), time)])
                found[symbol] = symbol.function(whole)
            elif symbol.name == "t":
                found[symbol] = time
            else:
                found[symbol] = self._points[:, names.index(symbol.name)]
        return found

    def _plan(self, jets: tuple[Jet, ...]) -> list[tuple[Parity, list[Symbol], list[int], np.ndarray | None]]:
        """Jets by their parity: one transform each, of components times factors."""
        if jets not in self._plans:
            groups: dict[Parity, list[tuple[Jet, int, np.ndarray]]] = {}
            for jet in jets:
                c, index, _ = self.system.entry(jet)
                factor, parity = self.mesh.symbol(tuple(index), self.form.parities[c])
                groups.setdefault(parity, []).append(
                    (jet, self._places[c], np.broadcast_to(factor, self.mesh.shape))
                )
            self._plans[jets] = [
                (
                    parity,
                    [jet_symbol(jet) for jet, _, _ in members],
                    [c for _, c, _ in members],
                    None
                    if all(np.all(f == 1) for _, _, f in members)
                    else np.stack([f for _, _, f in members]),
                )
                for parity, members in groups.items()
            ]
        return self._plans[jets]

    @cached_property
    def _places(self) -> dict[int, int]:
        """Where components stand among the differential and, after these, the algebraic ones."""
        return {c: n for n, c in enumerate((*self.form.differential, *self.form.algebraic))}

    def _jets(self, jets: tuple[Jet, ...], v: np.ndarray) -> dict[Symbol, np.ndarray]:
        """Values of derivatives on the grid."""
        found = {}
        for parity, symbols, components, factors in self._plan(jets):
            own = v if len(components) == len(v) and components == list(range(len(v))) else v[components]
            values = self.mesh.values(own if factors is None else own * factors, parity)
            found |= zip(symbols, values.reshape(len(symbols), -1), strict=True)
        return found

    def rest(self, v: np.ndarray, time: float) -> np.ndarray:
        """n̂: coefficients of the rest of every equation, (fields, *shape)."""
        if self._short is not None:
            return self._short(v)
        form, given = self.form, self._given(time)
        if form.algebraic:
            algebraic = self._a_of_d(v)
            if form.algebraic_fluxes:
                program, jets = form.first_program
                found = program({**given, **self._jets(jets, v)})
                algebraic = algebraic + self._a_of_n(
                    self._collected([form.fluxes[i] for i in form.algebraic_fluxes], found)
                )
            v = np.concatenate([v, algebraic])
        return self._collected(form.fluxes, form.program({**given, **self._jets(form.jets, v)}))

    @cached_property
    def _short(self) -> Callable[[np.ndarray], np.ndarray] | None:
        """The same where it is one transform each way of products of unknowns alone: short series spend their time in what is around that."""
        form, mesh = self.form, self.mesh
        if form.algebraic or form.given or self._direct is None or mesh.count > SERIES.short:
            return None
        plan = self._plan(form.jets)
        if len(plan) != 1:
            return None
        ((parity, symbols, components, factors),) = plan
        plain = components == list(range(len(form.differential)))
        order = [symbols.index(symbol) for symbol in form.program.inputs]
        target, operators = self._direct
        run, fluxes = form.program.run, len(form.fluxes)

        def short(v: np.ndarray) -> np.ndarray:
            own = v if plain else v[components]
            values = mesh.values(own if factors is None else own * factors, parity)
            found = run([values[i] for i in order])
            if any(np.ndim(f) == 0 for f in found):
                return self._collected(form.fluxes, [f.ravel() if np.ndim(f) else f for f in found])
            stacked = found[0][None] if fluxes == 1 else np.stack(found)
            result = mesh.coefficients(stacked, target)
            return result if operators is None else result * operators

        return short

    def _collected(self, fluxes: list[Flux], values: list) -> np.ndarray:
        """Σ Dᵃ Ĝ of some fluxes by equation."""
        mesh, groups = self.mesh, {}
        if fluxes is self.form.fluxes and self._direct is not None and all(np.ndim(v) for v in values):
            # One flux per equation: the usual case, without arrays that are filled one by one.
            parity, factors = self._direct
            stacked = np.concatenate(values) if len(values) > 1 else values[0]
            found = mesh.coefficients(stacked.reshape(len(values), *mesh.grid), parity)
            return found if factors is None else found * factors
        n = np.zeros((len(self.system.fields), *mesh.shape), dtype=mesh.dtype)
        for flux, value in zip(fluxes, values, strict=True):
            if np.ndim(value) == 0:
                self._constant(n[flux.row], float(value), self.form.row_parities[flux.row])
            else:
                groups.setdefault(self._flux_parity(flux), []).append((flux, value))
        for parity, members in groups.items():
            stacked = np.concatenate([v for _, v in members]) if len(members) > 1 else members[0][1]
            found = mesh.coefficients(stacked.reshape(len(members), *mesh.grid), parity)
            for (flux, _), c in zip(members, found, strict=True):
                n[flux.row] += c if flux.plain else c * self._differential(flux, parity)
        return n

    @cached_property
    def _direct(self) -> tuple[Parity, np.ndarray | None] | None:
        """The parity of all fluxes and their factors, if each equation has one, and all are of the same parity."""
        fluxes = self.form.fluxes
        parities = {self._flux_parity(f) for f in fluxes}
        if [f.row for f in fluxes] != list(range(len(self.system.fields))) or len(parities) != 1:
            return None
        (parity,) = parities
        if all(f.plain for f in fluxes):
            return parity, None
        return parity, np.stack([self._differential(f, parity) for f in fluxes])

    def _flux_parity(self, flux: Flux) -> Parity:
        own, index = self.form.row_parities[flux.row], flux.symbols[0][0]
        return tuple(0 if p else (q + i) % 2 for p, q, i in zip(self.mesh.periodic, own, index, strict=True))

    def _differential(self, flux: Flux, parity: Parity) -> np.ndarray:
        """Σ c Dᵃ of a flux as a factor."""
        key = id(flux)
        if key not in self._operators:
            terms = [c * self.mesh.symbol(index, parity)[0] for index, c in flux.symbols]
            self._operators[key] = np.broadcast_to(sum(terms[1:], terms[0]), self.mesh.shape)
        return self._operators[key]

    def _constant(self, n: np.ndarray, value: float, parity: Parity) -> None:
        if any(parity):
            n += self.mesh.coefficients(np.full(self.mesh.grid, value), parity)
        else:
            n[(0,) * self.mesh.dimension] += value

    def forced(self, n: np.ndarray) -> np.ndarray:
        """B n̂: what the rest adds to the rates."""
        return self.forcing(n)

    @property
    def others_of_rest(self) -> bool:
        """Whether algebraic unknowns or multipliers depend on the rest of the equations."""
        return bool(self._others_of_n.entries)

    def others(self, v: np.ndarray, n: np.ndarray) -> np.ndarray:
        """Algebraic unknowns and multipliers, (count, *shape)."""
        return self._others(v) + self._others_of_n(n)

    def check_means(self, v: np.ndarray, n: np.ndarray) -> None:
        """Unsuited where an equation that leaves the mean of its unknown open asks for another mean to be zero, and that is not: it has no solution then."""
        form, origin = self.form, (0,) * self.mesh.dimension
        if not self.undetermined:
            return
        sizes = np.sqrt(np.sum(self.mesh.weights * np.abs(v) ** 2, axis=tuple(range(1, v.ndim))))
        for c, row in zip(form.algebraic, form.algebraic_rows, strict=True):
            if c not in self.undetermined:
                continue
            left, size = n[(row, *origin)], float(np.sqrt(np.sum(self.mesh.weights * np.abs(n[row]) ** 2)))
            for term in form.constants[row]:
                if term.component in form.differential and not any(term.index):
                    at = form.differential.index(term.component)
                    left, size = left + term.factor * v[(at, *origin)], size + abs(term.factor) * sizes[at]
            if abs(left) > 1e-9 * size:
                raise Unsuited(
                    "The mean of an equation without rates is not zero, where it says nothing else: there is no solution."
                )

    # States -------------------------------------------------------------------------------------------------

    def split(self, y: np.ndarray) -> np.ndarray:
        """Differential components of a state (components, 1, reals), complex: (count, *shape)."""
        return self.mesh.complexes(y[self.form.differential, 0])

    def joined(self, v: np.ndarray, others: np.ndarray | None) -> np.ndarray:
        """States (…, components, 1, reals) from their differential components (…, count, *shape) and the others."""
        form, flat = self.form, self.mesh.flat(v)
        if len(form.differential) == len(self.system.components):
            return flat[..., None, :]
        y = np.zeros((*flat.shape[:-2], len(self.system.components), 1, self.mesh.reals))
        y[..., form.differential, 0, :] = flat
        if others is not None:
            y[..., [*form.algebraic, *form.multipliers], 0, :] = self.mesh.flat(others)
        return y

    def norms(self, coefficients: np.ndarray) -> np.ndarray:
        """Root mean squares over the box of (…, 1, reals)."""
        return np.sqrt((coefficients**2) @ self.mesh.flat_weights)[..., 0]

    def linearize(self, time: float, y: np.ndarray, z: np.ndarray) -> None:
        """Nothing is linearized: the constant part is the same everywhere."""
        return None


def _inverse(matrices: np.ndarray) -> np.ndarray:
    """The inverse of each matrix; the pseudo-inverse of those that have none, zero of zero."""
    count, n, _ = matrices.shape
    if n == 0 or count == 0:
        return np.swapaxes(matrices, 1, 2)
    if n == 1:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(matrices != 0, 1 / matrices, 0.0)
    scale = np.max(np.abs(matrices), axis=(1, 2), keepdims=True)
    scaled = matrices / np.where(scale > 0, scale, 1.0)
    with np.errstate(all="ignore"):
        singular = ~(np.abs(np.linalg.det(scaled)) > 1e-12)
    result = np.zeros_like(matrices)
    if not singular.all():
        result[~singular] = np.linalg.inv(scaled[~singular])
    if singular.any():
        result[singular] = np.linalg.pinv(scaled[singular], rcond=1e-12)
    return result / np.where(scale > 0, scale, 1.0)
