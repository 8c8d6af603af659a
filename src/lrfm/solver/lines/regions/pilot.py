# SPDX-License-Identifier: MIT
"""What a basis makes of a statement, before anything is marched: its data, and a first step of three lengths, T/50, T/8 and T.

Looked at are the residual on fresh points, as what it adds in the step, and the ends of the steps, to compare with those on another basis.
The last one is coarse in time; it tells how large a solution becomes that starts from nothing, so that layers of its first moments
are not resolved for their own sake.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lrfm.integrate.schemes import radau
from lrfm.linalg.clock import EIGENVALUES, look_before
from lrfm.solver.lines.monitor import residual
from lrfm.solver.lines.newton import Stage, solve_stages
from lrfm.solver.lines.regions.system import RegionSystem
from lrfm.solver.lines.rules import Rules
from lrfm.solver.lines.samples import Data
from lrfm.solver.lines.stages import DenseParts
from lrfm.solver.lines.start import settled_start

LENGTHS = (0.02, 0.125, 1.0)  # of the steps, in parts of the whole time; the last one need not be solvable


@dataclass(frozen=True)
class Pilot:
    """How well a basis does: misfit of the data, residual of the steps, their ends at common points, the fitted data, and sizes."""

    misfit: float
    residual: float
    ends: np.ndarray | None
    start: np.ndarray | None = None
    sizes: np.ndarray | None = None

    @property
    def score(self) -> float:
        """What is compared: the residual exceeds the error by far."""
        return self.misfit + self.residual / 10 if np.isfinite(self.residual) else np.inf

    def away(self, other: Pilot) -> float:
        """Relative distance of the ends of the steps; the worst of them."""
        if self.ends is None or other.ends is None:
            return np.inf
        both = min(len(self.ends), len(other.ends))
        gaps = np.linalg.norm(self.ends[:both] - other.ends[:both], axis=-1)
        sizes = np.maximum(np.linalg.norm(self.ends, axis=-1).max(axis=0), 1e-300)
        return float(np.max(gaps / sizes))


def try_out(system: RegionSystem, data: Data, watched: tuple[np.ndarray, np.ndarray], rules: Rules) -> Pilot:
    """Fit the data on a basis and make a step or two; `watched` are points and weights at which pilots are compared."""
    form, basis = system.form, system.basis
    start, stop = form.problem.time
    zero = (0,) * form.problem.domain.dimension
    given = data.on(basis.grid.points)
    y0 = settled_start(system, start, basis.project(given))
    misfit = _misfit(system, data, y0)
    firsts = [form.first[f] for f in form.fields]
    stages = [_step(system, start, part * (stop - start), y0, rules) for part in LENGTHS]
    stages = stages if stages[-1].solved else stages[:-1]
    sizes = np.max([np.linalg.norm(y, axis=1) for y in (y0, *(stage.end for stage in stages))], axis=0)
    sizes = np.maximum(sizes, 1e-2 * sizes.max())
    added, ends = 0.0, []
    points, weights = watched
    for part, stage in zip(LENGTHS, stages, strict=False):
        s = part * (stop - start)
        found = residual(system, start + s, stage.values[-1], stage.rates[-1], sizes)
        added = max(added, s * found.rate)
        ends.append(basis.sums(points, [zero], stage.end[firsts])[zero] * np.sqrt(weights))
    return Pilot(misfit, added if np.isfinite(added) else np.inf, np.array(ends), y0, sizes)


def _step(system: RegionSystem, start: float, length: float, y0: np.ndarray, rules: Rules) -> Stage:
    """The stages of one step from the data."""
    form, scheme = system.form, radau(rules.stages)
    z0 = np.zeros_like(y0)
    system.set_tests(start, y0, z0)
    stages = DenseParts(system, start + 0.5 * length, y0, z0).stages(form, scheme, length)
    guess = np.zeros((scheme.stages, len(form.last), system.shape[1]))
    return solve_stages(system, stages, start, y0, guess, np.linalg.norm(y0, axis=1), rules)


def _misfit(system: RegionSystem, data: Data, y: np.ndarray) -> float:
    grid, weights = system.basis.fresh
    exact = data.on(grid.points)
    gaps = np.sum(weights * (grid.evaluate(y, (0,) * grid.points.shape[1]) - exact) ** 2, axis=1)
    sizes = np.sum(weights * exact**2, axis=1)
    known = [c for c, _, _ in data.given]
    largest = max((sizes[c] for c in known), default=0.0)
    return float(
        max((np.sqrt(gaps[c] / max(sizes[c], 1e-4 * largest)) for c in known if largest > 0), default=0.0)
    )


def spectrum_of(system: RegionSystem, y: np.ndarray) -> np.ndarray:
    """Rates of growth of the projected equations, linearized at a state: λᵐ A₀ + … + A_m singular on what satisfies the conditions."""
    time, z = system.form.problem.time[0], np.zeros_like(y)
    system.set_tests(time, y, z)
    equations = sum(place.size for place in system.places)
    from scipy.linalg import block_diag  # takes 0.2 s, and boxes have no use for it

    free = block_diag(
        *(np.eye(system.shape[1]) if p.complements[0] is None else p.complements[0] for p in system.places)
    )
    return rates_of([power[:equations] @ free for power in system.linearize(time, y, z)])


def rates_of(powers: Sequence[np.ndarray]) -> np.ndarray:
    """Eigenvalues of a matrix polynomial with a regular first matrix; none where it is singular."""
    from scipy.linalg import eigvals

    m, size = len(powers) - 1, len(powers[0])
    look_before(EIGENVALUES * (m * size) ** 3)
    try:
        rest = np.linalg.solve(powers[0], np.concatenate(powers[1:], axis=1))
    except np.linalg.LinAlgError:
        return np.zeros(0)
    parts = [-rest[:, i * size : (i + 1) * size] for i in range(m)]
    if m == 2 and not np.any(parts[0]):
        roots = np.sqrt(np.asarray(eigvals(parts[1])).astype(complex))
        return np.concatenate([roots, -roots])
    companion = np.eye(m * size, k=size)
    companion[(m - 1) * size :] = np.concatenate(parts[::-1], axis=1)
    return np.asarray(eigvals(companion))
