# SPDX-License-Identifier: MIT
"""A statement on a box as it stands, in polynomials between walls and Fourier series along circles: every term is in the matrices, whatever its coefficients are."""

from __future__ import annotations

from functools import cached_property

from lrfm.discretize.evolution import EvolutionSystem, Unsuited, is_box
from lrfm.discretize.options import SAFEGUARDS
from lrfm.problem.algebra import symbols_in
from lrfm.spaces.series import EVEN, NEITHER, Parity


class BoxForm:
    """What does not depend on the number of modes."""

    def __init__(self, system: EvolutionSystem):
        problem = system.problem
        if not is_box(problem):
            raise Unsuited("Series need a box.")
        if system.motion is not None:
            raise Unsuited("Series hold no moving boxes.")
        self.system = system
        self.periodic = tuple(name in problem.periodic for name in problem.domain.names)
        self.polynomial = tuple(a for a, p in enumerate(self.periodic) if not p)
        if any(c.axis not in self.polynomial for c in system.conditions):
            raise Unsuited("A condition is given on no wall.")
        own: Parity = tuple(EVEN if p else NEITHER for p in self.periodic)
        self.parities = [own] * len(system.components)
        self.row_parities = [own] * len(system.equations)

    @property
    def dimension(self) -> int:
        return len(self.periodic)

    @cached_property
    def iterates(self) -> bool:
        """Whether GMRES with a separable operator solves it: without means and rates in conditions, and multipliers that are no pressure, for which a matrix is made and factored."""
        system = self.system
        rates = any(system.entry(j).rate for c in system.conditions for j in c.row.jets)
        return not (system.flat or rates) and (not system.multipliers or self._flows)

    @property
    def _flows(self) -> bool:
        """Whether the multiplier is a pressure: of one velocity along each axis, the constraint is Σ_a d_a ∂u_a/∂x_a and the force g_a ∂p/∂x_a, with numbers, and all that is not the pressure has rates of first order."""
        system = self.system
        if len(system.multipliers) > 1 or system.links or system.algebraic != system.multipliers:
            return False
        (c,) = system.multipliers
        row, name = system.equations[system.last.index(c)], system.components[c][0]
        down = {(system.fields.index(j.whole), j.index[:-1]): f for j, f in row.linear_part.items()}
        up = {
            (i, j.index[:-1]): row.linear_part.get(j)
            for i, row in enumerate(system.equations)
            for j in row.jets
            if j.whole == name
        }
        numbers = all(f is not None and not symbols_in(f) for f in (*down.values(), *up.values()))
        axes = {index for _, index in down if sum(index) == 1}
        each = len(axes) == len(down) == len({i for i, _ in down}) == self.dimension
        return row.linear and numbers and each and down.keys() == up.keys()

    @cached_property
    def most(self) -> tuple[int, ...]:
        """The highest mode along each axis, so that one dense matrix, or memory, holds all unknowns: two functions each along circles."""
        most = SAFEGUARDS.unknowns if self.iterates else SAFEGUARDS.box_unknowns
        each = min(most / len(self.system.fields), float(SAFEGUARDS.polynomials + 1) ** self.dimension)
        functions = int(each ** (1 / self.dimension)) - 1
        return tuple(functions // 2 if p else functions for p in self.periodic)
