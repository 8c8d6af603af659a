# SPDX-License-Identifier: MIT
"""How long a step may be in which explicit stages carry waves and implicit ones damp them, at all places and for all waves k that are held:

    h Σ_a (k_a |c_a| − γ s d_a(k_a)) ≤ s,      c_a = ∂N/∂(∂_a u)  of the rest N of each equation,      d_a(k) = Re Σ_n c_n (ik)^n  of its linear terms along an axis,

s the part of the imaginary axis on which explicit stages keep oscillations, and 1 + γ h d what an implicit stage divides by. Beyond it the shortest waves grow tenfold in a step from
next to nothing, which looks like waves that are missing, and with more of them it is worse.
"""

from __future__ import annotations

import math
from collections import defaultdict

import numpy as np

from lrfm.discretize.box.on_grid import GridTerms
from lrfm.discretize.box.spectral_form import SpectralForm
from lrfm.discretize.options import SCANS
from lrfm.problem.algebra import Expr, number, symbols_in
from lrfm.problem.expression import derivative, is_zero
from lrfm.problem.jets import Jet, JetSymbol, jets_among
from lrfm.problem.program import Program


class Transport:
    """What the rest of each equation carries its unknown with, and what damps that."""

    def __init__(self, form: SpectralForm):
        axes, speeds = range(form.dimension), list[Expr]()
        self._rows: list[tuple[float, list[dict[int, float]]]] = []  # rates, and c_n by axis
        for field, rest, constants in zip(form.system.fields, form.rests, form.constants, strict=True):
            rate = sum(c.factor for c in constants if c.rate and not any(c.index))
            along = [Jet(field, (*(int(b == a) for b in axes), 0)) for a in axes]
            slopes = [derivative(rest, {JetSymbol(jet): number(1.0)}) for jet in along]
            if rate == 0 or all(map(is_zero, slopes)):
                continue
            damping: list[dict[int, float]] = [defaultdict(float) for _ in axes]
            for c in constants:
                own = not c.rate and form.system.components[c.component][0] == field and c.profile is None
                for a in axes:
                    if own and c.index[a] == sum(c.index) and c.index[a] % 2 == 0:
                        damping[a][c.index[a]] += c.factor
            self._rows.append((rate, damping))
            speeds += slopes
        self._program, self._jets = Program(speeds), jets_among(symbols_in(*speeds))

    def longest(self, terms: GridTerms, y: np.ndarray, time: float, reach: float, implicit: float) -> float:
        """The longest step from coefficients y of all components; `reach` is s, `implicit` γ."""
        if not self._rows:
            return math.inf
        found = self._program({**terms.given(time), **terms.jets(self._jets, y)})
        mesh, most, some = terms.mesh, 0.0, np.arange(SCANS.coarse + 1) / SCANS.coarse
        for n, (rate, damping) in enumerate(self._rows):
            left: float | np.ndarray = 0.0
            for a in range(mesh.dimension):
                speed = np.abs(found[n * mesh.dimension + a]) / abs(rate)
                fastest = float(np.max(speed))
                if not 0 < fastest < math.inf:
                    continue
                top = (2 if mesh.periodic[a] else 1) * math.pi / mesh.lengths[a] * mesh.counts[a]
                k = top * some
                damped = sum(((-1) ** (m // 2) * c * k**m for m, c in damping[a].items()), 0 * k) / rate
                # The wave that is left most of, by its speed, which counts as the next larger one of some.
                worst = np.max(np.outer(fastest * some, k) - implicit * reach * damped, axis=1)
                left = left + np.append(worst[1:], worst[-1])[(speed * (SCANS.coarse / fastest)).astype(int)]
            most = max(most, float(np.max(left)))
        return reach / most if most > 0 else math.inf
