# SPDX-License-Identifier: MIT
"""Whether rows that leave a part of an unknown undetermined have a solution at all:  Nᵀ r = 0,  N the left null space of ∂r/∂p.

p_xx = f on a circle determines p up to a constant, and has a solution only where the mean of f vanishes; with p_n given all around, only where the
fluxes balance f. Each part that no row feels is one condition on what is given. Least squares, or functions that are fine enough to hide a needle,
"solve" such rows without one:  |Nᵀ r| / (‖∂r/∂p · p‖ + |Nᵀ r|)  is what they leave, at the start and after every step.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lrfm.linalg.pivoted import Pivoted
from lrfm.problem import ProblemError
from lrfm.solver.lines.gauge import gauge_fields, joined
from lrfm.solver.lines.projected import ProjectedRows

ALLOWED = 10.0  # tolerances that rows may contradict each other by: what they hold is known to one
ROUNDING = 1e-11  # of matrices times coefficients, that is no contradiction


@dataclass(frozen=True)
class Balance:
    """The rows of algebraic unknowns with equations of their own, their matrix, each group of rows by its largest, and its left null space."""

    mine: np.ndarray  # which rows
    sizes: np.ndarray
    matrix: np.ndarray
    left: np.ndarray
    rated: bool  # whether they hold rates, which are not known at the start

    @staticmethod
    def of(system: ProjectedRows, time: float, y: np.ndarray, z: np.ndarray) -> Balance:
        form, size, fields = system.form, system.basis.size, gauge_fields(system)
        owners = {form.last[i] for i in fields}
        groups = [*zip(system.sizes, system.owners, strict=True)]
        mine = np.concatenate([np.full(count, own in owners) for count, own in groups])
        columns = np.concatenate([np.arange(i * size, (i + 1) * size) for i in fields])
        matrix = system.linearize(time, y, z)[1][np.ix_(mine, columns)]
        # Not row by row: that of a constant is rounding.
        counts = [count for count, own in groups if own in owners]
        norms = np.split(np.linalg.norm(matrix, axis=1), np.cumsum(counts)[:-1])
        sizes = np.concatenate([np.full(len(n), max(n.max(initial=0.0), 1e-300)) for n in norms])
        rows = [form.equations[i] for i in fields] + [c.row for c in form.conditions if c.own in owners]
        rated = any(form.entry(jet).rate for row in rows for jet in row.jets)
        scaled = matrix / sizes[:, None]
        return Balance(mine, sizes, scaled, Pivoted.null_of(scaled.T), rated)


def contradiction(system: ProjectedRows, time: float, y: np.ndarray, z: np.ndarray | None = None) -> float:
    """|Nᵀ r| relative to its terms at a state (components, R), and its rates where they are known; zero where rows determine their unknowns."""
    if system.gauge is None or not system.gauge.shape[1]:
        return 0.0
    rates = np.zeros_like(y) if z is None else z
    if system.balance is None:
        system.balance = Balance.of(system, time, y, rates)
    balance = system.balance
    if not balance.left.shape[1] or (z is None and balance.rated):
        return 0.0
    rows = system.residual(np.array([time]), y[None], rates[None])[0][balance.mine] / balance.sizes
    left = float(np.linalg.norm(balance.left.T @ rows))
    own = [system.form.last[i] for i in gauge_fields(system)]
    made = float(np.linalg.norm(balance.matrix @ y[own].ravel()))
    # Not by the unknowns themselves: what no row feels of them runs away where rows contradict each other.
    others = float(np.linalg.norm(np.delete(y, own, axis=0), axis=1).max(initial=0.0))
    floor = ROUNDING * (made + others / float(balance.sizes.max()))
    return left / (made + left) if left > floor else 0.0


def check_start(system: ProjectedRows, time: float, y: np.ndarray, tol: float) -> None:
    """Refuse a statement whose rows contradict each other by more than a tolerance allows before a step is made."""
    found = contradiction(system, time, y)
    if found > ALLOWED * tol:
        raise ProblemError(f"{sentence(system, time)} They miss it by {found:.1e} of their terms.")


def contradicts(system: ProjectedRows, time: float, y: np.ndarray, z: np.ndarray | None, tol: float) -> bool:
    """Whether they do after a step."""
    return contradiction(system, time, y, z) > ALLOWED * tol


def sentence(system: ProjectedRows, time: float) -> str:
    """That there is no solution, of what, and what to do."""
    names = joined(system.undetermined).constants
    what = " and ".join(f"`{name}`" for name in names) or "An unknown"
    name = names[0] if names else "u"
    return (
        f"{what} {'are' if len(names) > 1 else 'is'} determined up to a constant only, and the equations for it have a solution only where what is given "
        f"in them and on the boundary balances, as the mean of f does in `{name}_xx = f` on a circle; at t = {time:.6g} it does not: there is no solution. "
        f"Subtract the mean, balance the fluxes through the boundary, or give `{name}` on a face."
    )
