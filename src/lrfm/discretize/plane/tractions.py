# SPDX-License-Identifier: MIT
"""Conditions on fluxes of several fields at once, such as the tractions of an elastic body:  B_b = Σ_j β_bj·∇u_j + r_b = 0.

On the boundary  f̂·n = f·n − Σ_b K_b B_b  is free of normal derivatives, which nothing bounds there, with  K = A N⁻¹,   A_j = n·a_j n,   N_bj = β_bj·n.

What is left are derivatives along the boundary. A mixed derivative of another field has many weak forms,

    C ∂ₓ∂_y v = ∂ₓ((½ + θ) C ∂_y v) + ∂_y((½ − θ) C ∂ₓ v),      f·n changes by θ C τ·∇v,     τ = (−n_y, n_x),

and one of them leaves nothing: of  μ lap u + (λ + μ) ∂ₓ(u_x + v_y)  it is the one whose flux is the stress (θ = ½ (λ − μ)/(λ + μ); Brenner, Scott, The Mathematical Theory of Finite Element Methods, 2008, ch. 11).
Without such conditions θ is the one of −½, 0, ½ for which the smallest eigenvalue of the tensor of all fields is the largest: with θ = 0 that of λ > μ is negative, and cells have no inequality of Korn's each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from lrfm.discretize.evolution import PLACES
from lrfm.discretize.line.collocation import _slopes
from lrfm.discretize.options import ROUNDING
from lrfm.discretize.plane.weak import Diffusion, WeakEquation, weak
from lrfm.problem import Row
from lrfm.problem.expression import is_zero

if TYPE_CHECKING:
    from lrfm.discretize.plane.layout import PartCondition, PlaneLayout


def levels(equation: WeakEquation) -> dict[int, list[Diffusion]]:
    """Diffusions by the order in time of what diffuses."""
    found: dict[int, list[Diffusion]] = {}
    for d in equation.diffusions:
        found.setdefault(d.jet.index[-1], []).append(d)
    return found


def grouped_fluxes(
    conditions: Sequence[PartCondition], fields: set[int], names: Sequence[str]
) -> list[PartCondition]:
    """Conditions on fluxes of some fields on a part, and those of all fields whose slopes they hold."""
    found: list[PartCondition] = []
    wanted = [*fields]
    for field in wanted:
        for c in conditions:
            if c.flux and c.field == field:
                found.append(c)
                more = {names.index(jet.whole) for jet in c.row.jets if sum(jet.index[:-1]) == 1}
                wanted += [other for other in sorted(more) if other not in wanted]
    return found


def factors(across: Sequence[np.ndarray], slopes: Sequence[Sequence[np.ndarray]]) -> list[np.ndarray]:
    """K = A N⁻¹ at points: A_j, and N_bj as lists over b of lists over j."""
    if len(across) == 1:
        return [across[0] / slopes[0][0]]
    shape = np.broadcast_shapes(*(a.shape for a in across))
    matrix = np.stack(
        [np.stack([np.broadcast_to(v, shape) for v in row], axis=-1) for row in slopes], axis=-1
    )
    right = np.stack([np.broadcast_to(a, shape) for a in across], axis=-1)
    found = np.linalg.solve(matrix, right[..., None])[..., 0]
    return [found[..., b] for b in range(len(across))]


def turned(layout: PlaneLayout, rows: Mapping[int, Row]) -> dict[int, WeakEquation]:
    """Equations, by number of their field, with the weak forms of mixed derivatives that suit their conditions."""
    found, fields = {i: weak(row) for i, row in rows.items()}, layout.system.fields
    mixed = [
        (i, fields.index(d.jet.whole))
        for i, equation in found.items()
        for d in equation.diffusions
        if d.jet.whole != fields[i]
        and fields.index(d.jet.whole) in found
        and not is_zero(d.tensor[0][1].expression)
    ]
    if not mixed or layout.dimension != 2 or layout.system.problem.domain.moving:
        return found
    samples = _Samples(layout, found)
    theta = {pair: told for pair in mixed if (told := samples.by_conditions(*pair)) is not None}
    # The tensor of an energy is the same with its two fields exchanged.
    theta |= {(i, j): -theta[j, i] for i, j in mixed if (i, j) not in theta and (j, i) in theta}
    for i, j in mixed:
        if (i, j) not in theta:
            theta[i, j] = max((0.0, 0.5, -0.5), key=lambda s, i=i, j=j: samples.least(i, j, s))
            theta[j, i] = -theta[i, j]
    turns = {i: {fields[j]: s for (k, j), s in theta.items() if k == i} for i in rows}
    return {i: weak(row, turns[i]) if turns[i] else found[i] for i, row in rows.items()}


class _Samples:
    """Tensors of equations and slopes of conditions at some points, without a state."""

    def __init__(self, layout: PlaneLayout, equations: Mapping[int, WeakEquation]):
        self.layout, self.equations = layout, equations
        self.fields, self.problem = layout.system.fields, layout.system.problem

    def tensor(self, i: int, j: int, points: np.ndarray) -> np.ndarray:
        """a of the field j in the equation i, (points, 2, 2)."""
        result = np.zeros((len(points), 2, 2))
        for d in self.equations[i].diffusions:
            if d.jet.whole == self.fields[j]:
                for k, line in enumerate(d.tensor):
                    for m, row in enumerate(line):
                        nothing = {jet: np.zeros(()) for jet in row.jets}
                        result[:, k, m] += row.residual_of(row.known(points), nothing)
        return result

    def by_conditions(self, i: int, j: int) -> float | None:
        """θ with which the derivative of the field j along the boundary is that of the conditions on the equation i; None where these differ, or there are none."""
        found = []
        for part, conditions in self.layout.conditions.items():
            if part in self.layout.interfaces or not any(c.flux and c.field == i for c in conditions):
                continue
            rule = self.problem.domain.parts[part].quadrature(PLACES**2)
            points = np.column_stack([rule.points, np.full(len(rule.points), self.problem.time[0])])
            used = {self.fields.index(d.jet.whole) for d in self.equations[i].diffusions}
            group = grouped_fluxes(conditions, used, self.fields)
            beta = [self._slopes(c.row, points) for c in group]
            n = rule.normals
            across = [np.einsum("pk,pkm,pm->p", n, self.tensor(i, c.field, points), n) for c in group]
            slopes = [[np.sum(b[c.field] * n, axis=1) for c in group] for b in beta]
            try:
                known = factors(across, slopes)
            except np.linalg.LinAlgError:
                return None
            own = self.tensor(i, j, points)
            left = np.einsum("pk,pkm->pm", n, own)
            for b, k in zip(beta, known, strict=True):
                left = left - k[:, None] * b[j]
            whole = own[:, 0, 1] + own[:, 1, 0]
            found.append(-np.sum(left * rule.tangents, axis=1) / whole)
        values = np.concatenate(found) if found else np.array([np.nan])
        if not np.all(np.isfinite(values)) or np.ptp(values) > ROUNDING.root * (1 + np.max(np.abs(values))):
            return None
        return float(np.mean(values))

    def _slopes(self, row: Row, points: np.ndarray) -> list[np.ndarray]:
        """∂B/∂∇u_j of each field, (points, 2)."""
        result = [np.zeros((len(points), 2)) for _ in self.fields]
        for jet, slope in _slopes(row, points, {jet: np.zeros(len(points)) for jet in row.jets}).items():
            if sum(jet.index[:-1]) == 1:
                result[self.fields.index(jet.whole)][:, jet.index.index(1)] += slope
        return result

    def least(self, i: int, j: int, theta: float) -> float:
        """The smallest eigenvalue of the tensor of two fields, relative to the largest, at points of the domain."""
        places = self.problem.domain.quadrature(PLACES**2).points
        points = np.column_stack([places, np.full(len(places), self.problem.time[0])])
        blocks = [[self.tensor(a, b, points) for b in (i, j)] for a in (i, j)]
        for a, b, s in ((0, 1, theta), (1, 0, -theta)):
            whole = s * (blocks[a][b][:, 0, 1] + blocks[a][b][:, 1, 0])
            blocks[a][b][:, 0, 1] += whole
            blocks[a][b][:, 1, 0] -= whole
        tensor = np.block([[blocks[0][0], blocks[0][1]], [blocks[1][0], blocks[1][1]]])
        values = np.linalg.eigvalsh(tensor + np.swapaxes(tensor, 1, 2))
        return float(np.min(values[:, 0] / np.max(np.abs(values), axis=1)))
