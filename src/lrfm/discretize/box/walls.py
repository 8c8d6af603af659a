# SPDX-License-Identifier: MIT
"""A statement on a box with walls, in series along the other axes and polynomials across:  F(t, y, y′) = 0  in coefficients.

What is linear with numbers, or with functions of the coordinate across, is a matrix per mode (`WallPencil`), boundary conditions and algebraic unknowns included: a differential-algebraic
system of index two where there is a pressure. The rest is evaluated on a grid; Newton's method leaves it out of its matrices.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from lrfm.discretize.box.on_grid import GridTerms
from lrfm.discretize.box.rows import BoxPencil, BoxRows
from lrfm.discretize.box.spectral_form import SpectralForm
from lrfm.discretize.box.transport import Transport
from lrfm.discretize.box.wall_pencil import WallPencil
from lrfm.discretize.box.wall_rows import WallRows
from lrfm.discretize.options import ROUNDING
from lrfm.spaces.series import Modes


class WalledDiscretization:
    """The split statement with so many modes."""

    def __init__(self, form: SpectralForm, mesh: Modes):
        self.form, self.mesh, self.system = form, mesh, form.system
        self.size = mesh.reals * len(form.system.fields)
        self.auxiliary: list[int] = []
        self.filters = False
        self.shares = np.ones(mesh.size)
        self.rows: WallRows | BoxRows = (WallRows if len(form.polynomial) == 1 else BoxRows)(form, mesh)
        self.terms = GridTerms(form, mesh, tuple(range(len(form.system.components))))

    @cached_property
    def pencil(self) -> WallPencil | BoxPencil:
        """Of the linear terms: the same at all states."""
        return WallPencil(self.rows) if isinstance(self.rows, WallRows) else BoxPencil(self.rows)

    def linearize(self, time: float, y: np.ndarray, z: np.ndarray) -> WallPencil | BoxPencil:
        """A(s), whatever the state is."""
        return self.pencil

    @cached_property
    def lowest(self) -> np.ndarray:
        """The lowest power of s of every row: (n,)."""
        return np.repeat(self.rows.lowest_rows.reshape(-1), self.mesh.reals // self.mesh.count)

    @property
    def undetermined(self) -> list[int]:
        """Algebraic components whose mean nothing determines."""
        return list(self.rows.undetermined)

    # Residuals ----------------------------------------------------------------------------------------------

    def at(self, times: np.ndarray) -> WallInstants:
        """The rows at some times."""
        return WallInstants(self, times)

    def residual(self, times: np.ndarray, y: np.ndarray, z: np.ndarray) -> np.ndarray:
        """F of all rows at some times: (times, n)."""
        return self.at(times).residual(y, z)

    def rest(self, y: np.ndarray, time: float) -> np.ndarray:
        """Wᵀ n̂ of all equations at a time: (fields, *shape)."""
        form = self.form
        values = form.program({**self.terms.given(time), **self.terms.jets(form.jets, y)})
        n = self.terms.collected(form.fluxes, values)
        self.rows.test(n, {f.row for f in form.fluxes})
        return n

    @cached_property
    def _transport(self) -> Transport:
        return Transport(self.form)

    def longest(self, state: np.ndarray, time: float, reach: float, implicit: float) -> float:
        """The longest step in which explicit stages keep what the rest carries (`lrfm.discretize.box.transport`)."""
        return self._transport.longest(self.terms, self.mesh.complexes(state[:, 0]), time, reach, implicit)

    # Parts of states, as vectors (n,) -------------------------------------------------------------------------

    @cached_property
    def _moves(self) -> np.ndarray:
        """Which numbers of a vector belong to fields that have rates."""
        moving = [c not in self.system.algebraic for c in self.system.last]
        return np.repeat(moving, self.mesh.reals)

    def moving(self, vector: np.ndarray) -> np.ndarray:
        """A vector without algebraic unknowns."""
        return np.where(self._moves, vector, 0.0)

    def only_multipliers(self, vector: np.ndarray) -> np.ndarray:
        """Its algebraic unknowns alone."""
        return np.where(self._moves, 0.0, vector)

    @property
    def plain(self) -> bool:
        """Whether fields are components, of first order in time or multipliers."""
        return not self.system.links and self.system.algebraic == self.system.multipliers

    def admissible(self, vector: np.ndarray, time: float) -> np.ndarray:
        """The nearest state that meets constraints and conditions."""
        given = self._flat(self.rows.given(time))
        found = self.pencil.projected(np.where(self.lowest == 0, self.pencil.apply(vector, 0), -given))
        return self.moving(found)

    def rest_of(self, vector: np.ndarray, time: float) -> np.ndarray:
        """Wᵀn of a state without links."""
        if not self.form.fluxes:
            return np.zeros(self.size)
        return self._flat(self.rest(self._coefficients(vector), time))

    def linear_of(self, vector: np.ndarray) -> np.ndarray:
        """The linear terms of rows with rates, without the rates themselves."""
        own = self._coefficients(vector)[None]
        return np.where(self.lowest == 0, self._flat(self.rows.linear(own, np.zeros_like(own))[0]), 0.0)

    def terms_of(self, vector: np.ndarray, time: float) -> np.ndarray:
        """All terms of the rows with rates but these."""
        return self.rest_of(vector, time) + self.linear_of(vector)

    def _coefficients(self, vector: np.ndarray) -> np.ndarray:
        return self.mesh.complexes(self.scatter(vector)[:, 0])

    def _flat(self, coefficients: np.ndarray) -> np.ndarray:
        return self.mesh.flat(coefficients).reshape(-1)

    def stage(self, vector: np.ndarray, shift: float, time: float) -> np.ndarray:
        """The right side of (E + sA) y = E x with conditions at a time."""
        given = self._flat(self.rows.given(time))
        return np.where(self.lowest == 0, self.pencil.apply(vector, 0), -shift * given)

    def projected(self, right: np.ndarray, time: float | None) -> tuple[np.ndarray, np.ndarray]:
        """z and q with  E z + A_q q = r,  C z = 0,  B z = −g′(t);  conditions are homogeneous where no time is given."""
        alone = np.zeros(self.size) if time is None else -self._flat(self.rows.given_rate(time))
        found = self.pencil.projected(np.where(self.lowest == 0, right, alone))
        return self.moving(found), self.only_multipliers(found)

    # Other numbers of modes -----------------------------------------------------------------------------------

    def corrected(self, moved: np.ndarray, before: WalledDiscretization, old: np.ndarray) -> np.ndarray:
        """A state that was moved here from other modes, changed as little as possible so that constraints hold, and conditions as they did there:

        E d + A_q q = 0,   C (y + d) = 0,   B (y + d) = B y_old.

        Without it the next step would bring velocities back to those without divergence, by an impulse of the pressure. States are (components, 1, reals).
        """
        if not (isinstance(self.rows, WallRows) and isinstance(before.rows, WallRows)):
            return moved
        here, there = self._linear_of(moved), before._linear_of(old)
        right = np.zeros_like(here)
        for i, c in enumerate(self.system.last):
            if c in self.system.multipliers:
                right[i] = -here[i]
            elif self.rows.conditions[i]:
                kept = before.mesh.moved(before.on_walls(there[i], i), self.mesh)
                gap = kept - self.on_walls(here[i], i)
                right[i] = np.roll(gap, self.rows.tests[i].shape[1], axis=self.rows.axis)
        if not np.any(right):
            return moved
        length = ROUNDING.small**2 * (self.system.problem.time[1] - self.system.problem.time[0])
        found = self.scatter(self.pencil.at(length)(length * self.gather(self.mesh.flat(right)[:, None])))
        result, lasting = (
            moved.copy(),
            [i for i, c in enumerate(self.system.last) if c not in self.system.algebraic],
        )
        result[[self.system.last[i] for i in lasting]] += found[lasting]
        return result

    def _linear_of(self, y: np.ndarray) -> np.ndarray:
        own = self.mesh.complexes(y[None, :, 0])
        return self.rows.linear(own, np.zeros_like(own))[0]

    def on_walls(self, rows: np.ndarray, i: int) -> np.ndarray:
        """The rows of the conditions of a field, moved to the front of an array that is zero elsewhere."""
        assert isinstance(self.rows, WallRows)
        first, axis = self.rows.tests[i].shape[1], self.rows.axis
        found = np.roll(rows, -first, axis=axis)
        found[(*[slice(None)] * axis, slice(len(self.rows.conditions[i]), None))] = 0.0
        return found

    # States -------------------------------------------------------------------------------------------------

    def scatter(self, vector: np.ndarray) -> np.ndarray:
        """Coefficients (…, fields, 1, reals) from a vector (…, n)."""
        return vector.reshape(*vector.shape[:-1], len(self.system.fields), 1, self.mesh.reals)

    def predicted(self, rates: np.ndarray) -> np.ndarray:
        """Rates as they are extended from an earlier step: every coefficient has a row."""
        return rates

    def gather(self, coefficients: np.ndarray) -> np.ndarray:
        """The vector (…, n) of coefficients (…, fields, 1, reals)."""
        return coefficients.reshape(*coefficients.shape[:-3], -1)

    def norms(self, coefficients: np.ndarray) -> np.ndarray:
        """Root mean squares over the box of (…, 1, reals)."""
        return np.sqrt((coefficients**2) @ self.mesh.flat_weights)[..., 0]


class WallInstants:
    """The rows at some times."""

    def __init__(self, made: WalledDiscretization, times: np.ndarray):
        self.made, self.times = made, times
        self._given = np.stack([made.rows.given(float(t)) for t in times])

    def residual(self, y: np.ndarray, z: np.ndarray) -> np.ndarray:
        """F of all rows: y and z are (times, components, 1, reals), the result (times, n)."""
        made = self.made
        own, rates = made.mesh.complexes(y[:, :, 0]), made.mesh.complexes(z[:, :, 0])
        found = made.rows.linear(own, rates) + self._given
        if made.form.fluxes:
            for n, time in enumerate(self.times):
                found[n] += made.rest(own[n], float(time))
        made.rows.replace(found, own, rates)
        return made.mesh.flat(found).reshape(len(found), -1)
