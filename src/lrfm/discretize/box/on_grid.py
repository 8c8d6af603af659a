# SPDX-License-Identifier: MIT
"""The rest of the equations of a box on a grid:  n̂ = Σ_a Dᵃ Ĝ_a,   G_a(x, t, Dᵇy) by values of derivatives, coefficients of products by transforms."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np

from lrfm.discretize.box.spectral_form import Flux, SpectralForm
from lrfm.discretize.options import COSTS
from lrfm.problem import Jet
from lrfm.problem.algebra import Symbol
from lrfm.problem.jets import GivenSymbol, jet_symbol
from lrfm.spaces.series import Modes, Parity, turned
from lrfm.spaces.series.modes import Work
from lrfm.spaces.series.polynomials import along


class GridTerms:
    """Terms of a form with so many modes; `components` are those that states hold, in their order.

    `single`: transforms and formulas take numbers of single precision, which are half as many bytes; coefficients that come in and go out are of double precision.
    """

    def __init__(self, form: SpectralForm, mesh: Modes, components: tuple[int, ...], single: bool = False):
        self.form, self.mesh, self.system = form, mesh, form.system
        # Short rows on one circle spend their time elsewhere.
        self.single = single and not mesh.ring
        self._at = {c: n for n, c in enumerate(components)}
        self._plans: dict[tuple[tuple[Jet, ...], bool], list] = {}
        self._operators: dict[int, np.ndarray] = {}
        self._work: Work = {}

    @cached_property
    def _points(self) -> np.ndarray:
        return self.mesh.points()

    def given(self, time: float) -> dict[Symbol, np.ndarray | float]:
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

    def _plan(
        self, jets: tuple[Jet, ...]
    ) -> list[tuple[Parity, tuple[int, ...], list[Symbol], list[int], np.ndarray | None]]:
        """Jets by their parity, and by their orders along polynomial axes: one transform each, of components times factors."""
        if (jets, self.single) not in self._plans:
            groups: dict[tuple[Parity, tuple[int, ...]], list[tuple[Jet, int, np.ndarray]]] = {}
            for jet in jets:
                c, index, _ = self.system.entry(jet)
                factor, parity = self.mesh.symbol(tuple(index), self.form.parities[c])
                orders = tuple(index[a] for a in self.mesh.polynomial)
                groups.setdefault((parity, orders), []).append(
                    (jet, self._at[c], np.broadcast_to(factor, self.mesh.shape))
                )
            self._plans[jets, self.single] = [
                (
                    parity,
                    orders,
                    [jet_symbol(jet) for jet, _, _ in members],
                    [c for _, c, _ in members],
                    None
                    if all(np.all(f == 1) for _, _, f in members)
                    else self._numbers(np.stack([f for _, _, f in members])),
                )
                for (parity, orders), members in groups.items()
            ]
        return self._plans[jets, self.single]

    def jets(self, jets: tuple[Jet, ...], v: np.ndarray) -> dict[Symbol, np.ndarray]:
        """Values of derivatives on the grid."""
        found, v = {}, self._numbers(v)
        for parity, orders, symbols, components, factors in self._plan(jets):
            own = v if len(components) == len(v) and components == list(range(len(v))) else v[components]
            own = own if factors is None else own * factors
            for a, order in zip(self.mesh.polynomial, orders, strict=True):
                own = along(self.mesh.slope(a, order), own, 1 + a) if order else own
            values = self.mesh.values(own, parity, self._work, self.single)
            found |= zip(symbols, values.reshape(len(symbols), -1), strict=True)
        return found

    @cached_property
    def short(self) -> Callable[[np.ndarray], np.ndarray] | None:
        """All terms where they are one transform each way of products of unknowns alone: short series spend their time in what is around that."""
        form, mesh = self.form, self.mesh
        if form.algebraic or form.given or self._direct is None or mesh.count > COSTS.short:
            return None
        plan = self._plan(form.jets)
        if len(plan) != 1 or any(plan[0][1]):
            return None
        ((parity, _, symbols, components, _),) = plan
        plain = components == list(range(len(form.differential)))
        order = [symbols.index(symbol) for symbol in form.program.inputs]
        target, operators = self._direct
        run, fluxes = form.program.run, len(form.fluxes)

        def short(v: np.ndarray) -> np.ndarray:
            ((*_, factors),) = self._plan(form.jets)
            own = self._numbers(v if plain else v[components])
            own = own if factors is None else own * factors
            values = mesh.values(own, parity, self._work, self.single)
            found = [np.asarray(f) for f in run([values[i] for i in order])]
            if any(f.ndim == 0 for f in found):
                return self.collected(form.fluxes, [f.ravel() if f.ndim else float(f) for f in found])
            stacked = found[0][None] if fluxes == 1 else np.stack(found)
            result = mesh.coefficients(stacked, target)
            return result if operators is None else result * operators

        return short

    def collected(self, fluxes: list[Flux], values: list) -> np.ndarray:
        """Σ Dᵃ Ĝ of some fluxes by equation; values that are the same array are transformed once."""
        mesh, groups = self.mesh, {}
        different = len({id(v) for v in values}) == len(values)
        own = fluxes is self.form.together[0] or fluxes is self.form.fluxes
        if own and different and self._direct is not None and all(np.ndim(v) for v in values):
            # One flux per equation: the usual case, without arrays that are filled one by one.
            parity, factors = self._direct
            stacked = np.concatenate(values) if len(values) > 1 else values[0]
            found = mesh.coefficients(self._numbers(stacked).reshape(len(values), *mesh.grid), parity)
            return found if factors is None else found * factors
        n = np.zeros((len(self.system.fields), *mesh.shape), dtype=mesh.dtype)
        for flux, value in zip(fluxes, values, strict=True):
            if np.ndim(value) == 0:
                # Derivatives of a number are zero.
                number = float(value) * sum(c for index, c in flux.symbols if not any(index))
                self._constant(n[flux.row], number, self.form.row_parities[flux.row])
            else:
                groups.setdefault(self._flux_parity(flux), []).append((flux, value))
        for parity, members in groups.items():
            once = {id(value): value for _, value in members}
            stacked = np.concatenate(list(once.values())) if len(once) > 1 else members[0][1]
            found = mesh.coefficients(self._numbers(stacked).reshape(len(once), *mesh.grid), parity)
            at = {key: n for n, key in enumerate(once)}
            for flux, value in members:
                c, scale = found[at[id(value)]], flux.scale
                n[flux.row] += c if scale == 1 else c * (scale or self._differential(flux, parity))
        return n

    def _numbers(self, values: np.ndarray) -> np.ndarray:
        """Values, or coefficients, as they are transformed: what is given on the grid has made them of double precision."""
        if not self.single:
            return values
        return values.astype(np.complex64 if np.iscomplexobj(values) else np.float32, copy=False)

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
        return tuple(0 if p else turned(q, i) for p, q, i in zip(self.mesh.periodic, own, index, strict=True))

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
