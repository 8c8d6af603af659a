# SPDX-License-Identifier: MIT
"""What can be handed back before a first step: the initial data, fitted by polynomials of total degree p, a = argmin ‖Σ a_k T_k − u₀‖.

Nothing is searched for and no condition is met.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

import numpy as np

from lrfm.linalg.deadline import deadline
from lrfm.problem import Problem
from lrfm.problem.checks import MAX_POINTS
from lrfm.problem.jets import Jet
from lrfm.problem.shapes.protocol import Domain, Layered, Rule, is_layered
from lrfm.rows.beginning import Beginning, terms
from lrfm.solution.report import WindowReport
from lrfm.solution.status import Status

TERMS, POINTS = 160, 4  # of a polynomial at the most, and points for each of them: a tenth of a second
CUT = 1e-12  # of singular values


def beginning(problem: Problem, seed: int) -> tuple[Beginning, float] | None:
    """The initial data as polynomials, and by how much these miss them, relative; None where nothing is given at the start."""
    known = [(field, order) for name, order in problem.initial_data for field in problem.fields_of(name)]
    if not known or not problem.forward:
        return None
    # The clock has run out, or nobody waits any more: these tenths of a second are not asked for.
    with deadline(lambda *ahead: None):
        rules = _rules(problem, np.random.default_rng([seed, 17]))
        piece = _fitted(problem, known, [fitting for fitting, _ in rules])
        return piece, _misfit(problem, piece, [checking for _, checking in rules])


def report_on(piece: Beginning, misfit: float, status: Status, reason: str) -> WindowReport:
    """The window of no length that such a piece is."""
    columns = piece.coefficients.shape[2]
    return WindowReport(
        window=piece.window, rows=POINTS * TERMS, columns=columns, rank=columns, condition=None, updates=(),
        converged=False, status=status, reason=reason, fit_residual=misfit, residual=np.nan,
    )  # fmt: skip


def _parts(problem: Problem) -> tuple[list[Domain], Layered | None]:
    """What has polynomials of its own: the layers of a domain, or all of it."""
    domain = problem.domain
    layers = domain if is_layered(domain) else None
    return ([domain] if layers is None else list(layers.layers.values())), layers


def _rules(problem: Problem, rng: np.random.Generator) -> list[tuple[Rule, Rule]]:
    """For each part points with weights to fit with, and others to look at: Gauss' own in a box, since polynomials of degree p swing at the ends of an interval
    unless points lie as close as 1/p² there; elsewhere some of the rule by which the statement was checked."""
    parts, layers = _parts(problem)
    count, start = POINTS * TERMS, problem.time[0]
    rules: list[tuple[Rule, Rule]] = []
    for number, part in enumerate(parts):
        if part.is_box:
            rules.append((part.quadrature(count, None, start), part.quadrature(count // 2 + 1, None, start)))
            continue
        points, weights = problem.domain.quadrature(MAX_POINTS, None, start)
        own = np.arange(len(points)) if layers is None else np.flatnonzero(layers.owner(points) == number)
        order = rng.permutation(own)
        cut = min(len(order) * 2 // 3, count)
        some = order[:cut], order[cut : cut + cut // 2]
        fitting, checking = (Rule(points[k], weights[k]) for k in some)
        rules.append((fitting, checking))
    return rules


def _fitted(problem: Problem, known: Sequence[tuple[str, int]], rules: Sequence[Rule]) -> Beginning:
    """Least squares with as many terms as there may be, part by part."""
    parts, layers = _parts(problem)
    axes = problem.domain.dimension
    degree = max(p for p in range(TERMS) if comb(p + axes, axes) <= TERMS)
    boxes = np.array([[part.lower, part.upper] for part in parts], dtype=float)
    coefficients = []
    for (points, weights), box in zip(rules, boxes, strict=True):
        scale = np.sqrt(weights)
        table, data = terms(points, box, degree, (0,) * axes), _given(problem, known, points)
        coefficients.append(np.linalg.lstsq(table * scale[:, None], (data * scale).T, rcond=CUT)[0].T)
    return Beginning(
        tuple(problem.fields), problem.time[0], tuple(known), degree, boxes, np.array(coefficients), layers
    )


def _misfit(problem: Problem, piece: Beginning, rules: Sequence[Rule]) -> float:
    """The worst relative difference from the data, on points that were not fitted."""
    points, weights = (np.concatenate(found) for found in zip(*rules, strict=True))
    exact = _given(problem, piece.known, points)
    full = np.column_stack([points, np.full(len(points), problem.time[0])])
    jets = [Jet(field, (*(0,) * problem.domain.dimension, order)) for field, order in piece.known]
    found = piece.values(jets, full)
    gaps = (np.array([found[jet] for jet in jets]) - exact) ** 2 @ weights
    sizes = exact**2 @ weights
    return float(np.sqrt(np.max(gaps / np.maximum(sizes, 1e-300), where=sizes > 0, initial=0.0)))


def _given(problem: Problem, known: Sequence[tuple[str, int]], points: np.ndarray) -> np.ndarray:
    """The data at points (n, d): (known, n)."""
    full = np.column_stack([points, np.full(len(points), problem.time[0])])
    data = problem.initial_data
    return np.array([data[field.partition(".")[0], order].part(full, field) for field, order in known])
