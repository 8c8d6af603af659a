# SPDX-License-Identifier: MIT
"""What can be handed back before a first step: the initial data, fitted by functions of space, a₀ = argmin ‖Σ a_m ψ_m − u₀‖.

Nothing is searched for and no condition is met: a few slopes of the same number of functions are tried, and the one that holds the data best is taken.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lrfm.linalg.clock import looking
from lrfm.problem import Problem
from lrfm.problem.checks import MAX_POINTS
from lrfm.problem.shapes.protocol import is_layered
from lrfm.rows.beginning import Beginning
from lrfm.solution.report import WindowReport
from lrfm.solution.status import Status
from lrfm.spaces.regions.basis import RegionBasis, make_region_basis
from lrfm.spaces.regions.families import Family, draw_ridges
from lrfm.spaces.regions.layered import LayeredFamilies

FEATURES, POINTS = 160, 4  # functions, and points for each of them: a tenth of a second
SLOPES = (1.0, 3.0, 9.0)
CUT = 1e-12  # of singular values


def beginning(problem: Problem, seed: int) -> tuple[Beginning, float] | None:
    """The initial data on functions of space, and by how much these miss them, relative; None where nothing is given at the start."""
    known = [(field, order) for name, order in problem.initial_data for field in problem.fields_of(name)]
    if not known or not problem.forward:
        return None
    rng = np.random.default_rng([seed, 17])
    # The clock has run out, or nobody waits any more: these tenths of a second are not asked for.
    with looking(lambda *ahead: None):
        rules = _rules(problem, rng)
        found = [_fitted(problem, known, slope, rules, rng) for slope in SLOPES]
    return min(found, key=lambda pair: pair[1])


def report_on(piece: Beginning, misfit: float, status: Status, reason: str) -> WindowReport:
    """The window of no length that such a piece is."""
    features = piece.basis.features
    return WindowReport(
        window=piece.window, rows=POINTS * FEATURES, columns=features, rank=piece.basis.size, condition=None, updates=(),
        converged=False, status=status, reason=reason, fit_residual=misfit, residual=np.nan,
    )  # fmt: skip


def _rules(problem: Problem, rng: np.random.Generator) -> list[tuple[np.ndarray, np.ndarray]]:
    """Points with weights to fit with, and others to look at; of a domain that is no box from the rule by which the statement was checked."""
    box = problem.domain.is_box
    count = 2 * POINTS * FEATURES if box else MAX_POINTS
    points, weights = problem.domain.quadrature(count, None, problem.time[0])
    order = rng.permutation(len(points))
    cut = len(order) * 2 // 3 if box else min(len(order) * 2 // 3, POINTS * FEATURES)
    last = len(order) if box else cut + cut // 2
    return [(points[some], weights[some]) for some in (order[:cut], order[cut:last])]


def _fitted(
    problem: Problem,
    known: Sequence[tuple[str, int]],
    slope: float,
    rules: Sequence[tuple[np.ndarray, np.ndarray]],
    rng: np.random.Generator,
) -> tuple[Beginning, float]:
    """Least squares with functions of one slope, and the worst relative misfit on other points."""
    (points, weights), (fresh, shares) = rules
    basis = _basis(problem, slope, (points, weights), (fresh, shares), rng)
    a = basis.project(_given(problem, known, points))
    zero = (0,) * problem.domain.dimension
    exact = _given(problem, known, fresh)
    gaps = (basis.sums(fresh, [zero], a)[zero] - exact) ** 2 @ shares
    sizes = exact**2 @ shares
    misfit = float(np.sqrt(np.max(gaps / np.maximum(sizes, 1e-300), where=sizes > 0, initial=0.0)))
    return Beginning(basis, tuple(problem.fields), problem.time[0], tuple(known), a), misfit


def _given(problem: Problem, known: Sequence[tuple[str, int]], points: np.ndarray) -> np.ndarray:
    """The data at points (n, d): (known, n)."""
    full = np.column_stack([points, np.full(len(points), problem.time[0])])
    data = problem.initial_data
    return np.array([data[field.partition(".")[0], order].part(full, field) for field, order in known])


def _basis(
    problem: Problem,
    slope: float,
    rule: tuple[np.ndarray, np.ndarray],
    checks: tuple[np.ndarray, np.ndarray],
    rng: np.random.Generator,
) -> RegionBasis:
    domain = problem.domain
    families: list[Family]
    if is_layered(domain):
        owner, members = domain.owner(rule[0]), []
        for number, layer in enumerate(domain.layers.values()):
            inside = rule[0][owner == number]
            members.append(
                (draw_ridges(FEATURES, slope, layer.lower, layer.upper, inside, rng, constant=True),)
            )
        families = [LayeredFamilies(domain, tuple(members))]
    else:
        families = [draw_ridges(FEATURES, slope, domain.lower, domain.upper, rule[0], rng, constant=True)]
    return make_region_basis(families, rule, checks, (), (), CUT)
