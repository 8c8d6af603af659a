# SPDX-License-Identifier: MIT
"""Additive Runge-Kutta for  y′ = L y + N(y, t)  on a constraint,  B y = g(t),  C y = 0:  L by six stages that are implicit, N by explicit ones (ARK4(3)6L[2]SA of Kennedy, Carpenter, Appl. Numer. Math. 44, 2003),

    Y_i = X_i + hγ L Y_i,    X_i = y₀ + h Σ_{j<i} (a_ij L Y_j + â_ij Π N_j),    y₁ = y₀ + h Σ b_i (L Y_i + Π N_i),    error = h Σ (b_i − b̂_i)(L Y_i + Π N_i).

Order four, the embedded formula three; L-stable. In rows: (E + hγA) Y_i = E X_i with conditions at t_i, a matrix per mode, and Π N by the matrix of E with its constraints, which is made once: divergence and
conditions hold at the ends of steps. Between the ends a step is a cubic, by its values and rates at both; a pressure is one through four points.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.polynomial import Polynomial, legendre

from lrfm.discretize.box.walls import WalledDiscretization
from lrfm.integrate.schemes.radau import Iteration, StepResult, few
from lrfm.integrate.schemes.tableaus import PlainSteps, radau
from lrfm.integrate.state import IntegratorState
from lrfm.linalg.banded import Solve


@lru_cache(maxsize=1)
def tableau() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """c, a of the implicit stages, â of the explicit ones, b and b̂."""
    c = np.array([0, 1 / 2, 83 / 250, 31 / 50, 17 / 20, 1])
    implicit = np.zeros((6, 6))
    implicit[1, :2] = 1 / 4, 1 / 4
    implicit[2, :3] = 8611 / 62500, -1743 / 31250, 1 / 4
    implicit[3, :4] = 5012029 / 34652500, -654441 / 2922500, 174375 / 388108, 1 / 4
    implicit[4, :5] = (
        15267082809 / 155376265600,
        -71443401 / 120774400,
        730878875 / 902184768,
        2285395 / 8070912,
        1 / 4,
    )
    implicit[5] = 82889 / 524892, 0, 15625 / 83664, 69875 / 102672, -2260 / 8211, 1 / 4
    explicit = np.zeros((6, 6))
    explicit[1, 0] = 1 / 2
    explicit[2, :2] = 13861 / 62500, 6889 / 62500
    explicit[3, :3] = (
        -116923316275 / 2393684061468,
        -2731218467317 / 15368042101831,
        9408046702089 / 11113171139209,
    )
    explicit[4, :4] = (
        -451086348788 / 2902428689909,
        -2682348792572 / 7519795681897,
        12662868775082 / 11960479115383,
        3355817975965 / 11060851509271,
    )
    explicit[5, :5] = (
        647845179188 / 3216320057751,
        73281519250 / 8382639484533,
        552539513391 / 3454668386233,
        3354512671639 / 8306763924573,
        4040 / 17871,
    )
    lower = np.array(
        [
            4586570599 / 29645900160,
            0,
            178811875 / 945068544,
            814220225 / 1159782912,
            -3700637 / 11593932,
            61727 / 225920,
        ]
    )
    return c, implicit, explicit, implicit[5], lower


@lru_cache(maxsize=1)
def imaginary_limit() -> float:
    """The largest y up to which explicit stages keep oscillations, |R(iy)| ≤ 1 (4.0): with order four |R|² − 1 begins with y⁶."""
    _, _, explicit, b, _ = tableau()
    terms = [1.0, *(b @ np.linalg.matrix_power(explicit, k) @ np.ones(len(b)) for k in range(len(b)))]
    real, odd = (np.where(np.arange(len(terms)) % 2 == p, terms, 0.0) for p in (0, 1))
    signs = np.array([1, 1, -1, -1] * 2)[: len(terms)]
    parts = [Polynomial(signs * own) for own in (real, odd)]
    roots = Polynomial((parts[0] ** 2 + parts[1] ** 2 - 1).coef[6:]).roots()
    return float(min(root.real for root in roots if np.isreal(root) and root.real > 0))


@lru_cache(maxsize=1)
def _cubic() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rates at three Radau points of a cubic by (y₀, y₁, h y′₀, h y′₁), of one by its values at 0, ⅓, ⅔, 1; and the last two Legendre coefficients of the latter."""
    tau = radau(3).nodes
    hermite = np.stack(
        [6 * tau * (tau - 1), 6 * tau * (1 - tau), 1 - 4 * tau + 3 * tau**2, 3 * tau**2 - 2 * tau], axis=1
    )
    to_legendre = np.linalg.inv(legendre.legvander(2 * np.arange(4) / 3 - 1, 3))
    slopes = 2 * legendre.legvander(2 * tau - 1, 2) @ legendre.legder(to_legendre, axis=0)
    return hermite, slopes, to_legendre[-2:]


class AdditiveRungeKutta(PlainSteps):
    """Steps of ARK4(3)6L[2]SA; `sizes` of them per power of two."""

    order = 3  # of the embedded formula; steps are kept as cubics

    def __init__(self, duration: float, sizes: int):
        self.duration, self.sizes = duration, sizes
        self._stable: tuple[np.ndarray, float] | None = None
        self._known: tuple[np.ndarray, float, np.ndarray, np.ndarray, np.ndarray] | None = None

    def quantized(self, length: float) -> float:
        """Few step sizes: matrices are made once for each."""
        return few(length, self.sizes)

    def longest(self, made: WalledDiscretization, state: IntegratorState) -> float:
        """That in which explicit stages keep what the rest carries; repeated steps begin with the same state."""
        if self._stable is None or self._stable[0] is not state.y:
            found = made.longest(state.y, state.time, imaginary_limit(), tableau()[1][1, 1])
            self._stable = state.y, found
        return self._stable[1]

    # One step -----------------------------------------------------------------------------------------------

    def step(
        self,
        made: WalledDiscretization,
        pencil: object,
        state: IntegratorState,
        length: float,
        iteration: Iteration,
    ) -> StepResult:
        """One attempt."""
        h, t = length, state.time
        nodes, implicit, explicit, weights, lower = tableau()
        shift = h / 4
        solve, y0 = made.pencil.at(shift), made.gather(state.y)
        with np.errstate(all="ignore"):
            n, rates, pressure = self._at(made, state.y, y0, t)
            free = made.projected(-n, None)[0]
            slopes, forces = [rates - free], [free]
            y0 = made.moving(y0)
            for i in range(1, len(nodes)):
                x = y0 + h * (_sum(implicit[i], slopes) + _sum(explicit[i], forces))
                time = t + nodes[i] * h
                y = made.moving(solve(made.stage(x, shift, time)))
                if not np.all(np.isfinite(y)):
                    return StepResult.failed(1, np.inf)
                slopes.append((y - x) / shift)
                forces.append(made.projected(-made.rest_of(y, time), None)[0])
            y1 = y0 + h * (_sum(weights, slopes) + _sum(weights, forces))
            gap = h * (_sum(weights - lower, slopes) + _sum(weights - lower, forces))
            gap = self._filtered(made, solve, gap)
            if not np.all(np.isfinite(y1)):
                return StepResult.failed(1, np.inf)
            return self._kept(made, state, h, (y0, y1), rates, pressure, gap)

    def _at(
        self, made: WalledDiscretization, key: np.ndarray, y: np.ndarray, t: float
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Wᵀn, the rates and the multipliers of a state: those of the end of the step before, if it is that."""
        if self._known is None or self._known[0] is not key or self._known[1] != t:
            y = made.moving(y)
            n = made.rest_of(y, t)
            self._known = key, t, n, *made.projected(-n - made.linear_of(y), t)
        return self._known[2:]

    @staticmethod
    def _filtered(made: WalledDiscretization, solve: Solve, gap: np.ndarray) -> np.ndarray:
        """(E + hγA)⁻¹ E e: what a step damps does not count (Hairer, Wanner, Solving Ordinary Differential Equations II, IV.8)."""
        return made.moving(solve(made.pencil.apply(gap, 0)))

    # What is kept ---------------------------------------------------------------------------------------------

    def _kept(
        self,
        made: WalledDiscretization,
        state: IntegratorState,
        h: float,
        ends: tuple[np.ndarray, np.ndarray],
        rates: np.ndarray,
        pressure: np.ndarray,
        gap: np.ndarray,
    ) -> StepResult:
        """The step as rates at Radau points, and its errors."""
        t, (y0, y1) = state.time, ends
        hermite, slopes, last = _cubic()
        end = made.scatter(y1)
        n, final, after = self._at(made, end, y1, t + h)
        own = hermite @ np.stack([y0, y1, h * rates, h * final]) / h
        inside = np.zeros_like(y1)
        multipliers = made.system.multipliers
        if multipliers:
            values = [pressure]
            for tau in (1 / 3, 2 / 3):
                y = (1 + 2 * tau) * (1 - tau) ** 2 * y0 + tau**2 * (3 - 2 * tau) * y1
                y = y + h * tau * (1 - tau) * ((1 - tau) * rates - tau * final)
                values.append(
                    made.projected(-made.rest_of(y, t + tau * h) - made.linear_of(y), t + tau * h)[1]
                )
            points = np.stack([*values, after])
            points[0] = made.only_multipliers(made.gather(state.y))
            own = own + slopes @ points / h
            before, inside = last @ points
            end = made.scatter(y1 + after)
            inside = inside * self._ratio(made, inside, before)
        self._known = end, t + h, n, final, after
        error = made.scatter(gap * math.sqrt(self.duration / h) + inside * math.sqrt(h / self.duration))
        return StepResult(True, made.scatter(own), end, error, made.scatter(inside), 1, 0.0)

    @staticmethod
    def _ratio(made: WalledDiscretization, last: np.ndarray, before: np.ndarray) -> np.ndarray:
        """How fast coefficients decay, by field: at most one, repeated for all numbers of a field."""
        own, other = (made.norms(made.scatter(v)) for v in (last, before))
        found = np.minimum(1.0, own / np.maximum(other, np.finfo(float).tiny))
        return np.repeat(found, made.mesh.reals)


def _sum(weights: np.ndarray, vectors: list[np.ndarray]) -> np.ndarray:
    """Σ_j w_j v_j over as many as there are."""
    return np.tensordot(weights[: len(vectors)], np.stack(vectors), axes=1)
