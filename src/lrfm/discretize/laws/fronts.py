# SPDX-License-Identifier: MIT
"""u_t + f(u)_x = Φ(u)_xx + s with a diffusion Φ′ ≥ 0 that vanishes for some values, by finite volumes:

    h ū_i′ = F̂_(i−½) − F̂_(i+½) + (Φ(ū_(i+1)) − 2 Φ(ū_i) + Φ(ū_(i−1)))/h + h s(ū_i).

Written in Φ, not in Φ′ u_x, the scheme is monotone for Euler steps up to h²/(2 max Φ′): it makes no new extrema, keeps the sign of u and the speed of fronts, and
converges to the weak solution (Evje, Karlsen, SIAM J. Numer. Anal. 37, 2000). Means beyond a value at which Φ′ changes its sign, as rounding and
stabilized steps leave them, count as that value: nothing flows out of them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lrfm.discretize.evolution import EvolutionSystem, Unsuited
from lrfm.discretize.laws.boundary_flux import BoundaryFlux
from lrfm.discretize.laws.flux_cells import NotAdmissible
from lrfm.discretize.laws.law import Compiled, Law
from lrfm.discretize.laws.volumes import Bounds, Volumes
from lrfm.problem import Row
from lrfm.problem.algebra import ONE
from lrfm.problem.expression import derivative, is_zero, substituted
from lrfm.problem.jets import Jet, jet_symbol
from lrfm.spaces.cells import Mesh


class Diffusion:
    """Φ and Φ′ of a scalar law, with the values between which Φ′ is not negative as far as `low` and `high` of the data tell."""

    def __init__(self, law: Law, coordinates: tuple[str, str], low: float, high: float):
        form = law.form
        slope = derivative(form.diffused[0], {form.symbols[0]: ONE})
        self._formulas = Compiled([form.diffused[0], slope], form.symbols, coordinates)
        around = max(high - low, np.finfo(float).tiny)
        outside = self._formulas(np.array([[low - around, high + around]]), np.zeros(2), 0.0)[1]
        # Whether data end where diffusion does: beyond it is negative, or no number.
        self.low, self.high = (
            edge if not slope >= 0 else bound
            for edge, slope, bound in zip((low, high), outside, (-np.inf, np.inf), strict=True)
        )

    def __call__(self, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Φ and Φ′."""
        values, slopes = self._formulas(np.clip(u, self.low, self.high)[None], u, 0.0)
        return values, slopes


class DiffusiveEnd:
    """One end of the interval: a value of u, or nothing that goes through."""

    def __init__(self, law: Law, rows: Sequence[Row], place: float, side: int):
        self.place, self.closed = place, False
        (field,) = law.form.fields
        slope, given = jet_symbol(Jet(field, (1, 0))), list(rows)
        if len(rows) == 1 and any(jet.index == (1, 0) for jet in rows[0].jets):
            rest = substituted(rows[0].expression, dict.fromkeys([slope], 0 * ONE))
            if not is_zero(rest):
                raise Unsuited(
                    f"{rows[0].label} is neither a value nor `{field}_x = 0`: other fluxes through an end are not known where diffusion vanishes."
                )
            self.closed, given = True, []
        if len(rows) != 1:
            raise Unsuited("Where something diffuses, each end has one condition.")
        self.flux = BoundaryFlux(law, given, place, side)

    def value(self, inside: np.ndarray, time: float) -> float:
        """u at this end."""
        return float(inside[0]) if self.closed else float(self.flux.met(inside, time)[0])


class Fronts(Volumes):
    """A scalar law with diffusion on cells of equal width."""

    def __init__(
        self,
        law: Law,
        diffusion: Diffusion,
        mesh: Mesh,
        ends: Sequence[DiffusiveEnd],
        least: np.ndarray,
        system: EvolutionSystem,
    ):
        super().__init__(law, mesh, [end.flux for end in ends], least, system)
        self.diffusion, self.limits = diffusion, ends
        self.still = all(map(is_zero, law.form.flux))

    def rates(self, time: float, q: np.ndarray, bounds: Bounds | None = None) -> np.ndarray:
        """ū′."""
        rates = np.zeros_like(q) if self.still else super().rates(time, q, bounds)
        if self.still and self.law.source is not None:
            rates += self.law.source(q, self.x, time)
        flow = self._flow(time, q[0])
        rates[0] += (flow[1:] - flow[:-1]) / self.width
        return rates

    def _flow(self, time: float, u: np.ndarray) -> np.ndarray:
        """Φ_x at all edges."""
        inside, _ = self.diffusion(u)
        flow = np.zeros(len(u) + 1)
        flow[1:-1] = np.diff(inside) / self.width
        if self.mesh.periodic:
            flow[0] = flow[-1] = (inside[0] - inside[-1]) / self.width
            return flow
        for end, at, sign in zip(self.limits, (0, -1), (1, -1), strict=True):
            if not end.closed:
                outside, _ = self.diffusion(np.array([end.value(u[[at]], time)]))
                flow[at] = sign * 2 * (inside[at] - outside[0]) / self.width
        return flow

    def spreading(self, q: np.ndarray) -> float:
        """The longest Euler step that diffusion allows."""
        fastest = float(np.max(self.diffusion(q[0])[1]))
        if not np.isfinite(fastest):
            raise NotAdmissible
        return self.width**2 / (2 * max(fastest, np.finfo(float).tiny))
