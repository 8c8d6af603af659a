# SPDX-License-Identifier: MIT
"""The controller: a pure function from the errors of a step h to a decision.

    not converged:            Retry(h/2, or less as Newton's method diverged)
    η_t > b_t:                Retry(φh)
    η_x > c b_x:              Adapt(h)
    else:                     Accept(φh),  cells with η_x > b_x are split

    φ = safety (b_t/η_t)^(1/(K + ½))

A step h of a run of length T may add tol √(h/T) to the error, so that the squares of all additions sum up to tol²: these are the budgets b. The larger culprit acts, the step size or the cells.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from lrfm.discretize.options import Options


@dataclass(frozen=True)
class Errors:
    """What the estimator found for one step, relative to the unknowns: in time, in space, and the budgets of both."""

    time: float
    time_budget: float
    space: float
    space_budget: float
    converged: bool = True
    rate: float = 0.0
    expected: float = 0.0  # in space, after one more step like this
    grown: float = 1.0  # error in time over h^(K + ½), in units of that of the step before
    singular: bool = False  # whether the step begins where data may contradict each other


@dataclass(frozen=True)
class Accept:
    """Keep the step; go on with this step size, after splitting cells where `refine` says so."""

    length: float
    refine: bool = False


@dataclass(frozen=True)
class Retry:
    """Repeat the step with this step size, on split cells where `refine` says so."""

    length: float
    refine: bool = False


@dataclass(frozen=True)
class Adapt:
    """Repeat the step on split cells."""

    length: float


Decision = Accept | Retry | Adapt


def decide(errors: Errors, length: float, options: Options, splittable: bool = True) -> Decision:
    """What follows from the errors of a step of some length; `splittable`: whether the cells that ask for it can be split."""
    if not errors.converged:
        return Retry(length * max(1 / 4, 0.5 / max(errors.rate, 1.0)))
    coarse = errors.space > options.overshoot * errors.space_budget and splittable
    if errors.time > errors.time_budget:
        return Retry(length * min(step_factor(errors, options), options.safety), coarse)
    if coarse:
        return Adapt(length)
    factor = step_factor(errors, options, errors.grown)
    if 1 <= factor < options.keep:
        factor = 1.0
    return Accept(length * factor, refine=max(errors.space, errors.expected) > errors.space_budget)


def step_factor(errors: Errors, options: Options, grown: float = 1.0) -> float:
    """h_new/h = safety (budget/(g error))^(1/(K + ½)): the error is C h^(K+1), its budget O(h^½), and C is going to grow by g.

    A kept step knows by how much C has grown since the step before; where it falls, nothing follows (Gustafsson, ACM Trans. Math. Software 20, 1994; Hairer, Wanner, IV.8).
    Where data contradict each other, an error that is too large is of first order in h, whatever the scheme.
    """
    error = errors.time * max(grown, 1.0)
    ratio = errors.time_budget / error if error > 0 else math.inf
    order = 1.0 if errors.singular and ratio < 1 else options.stages + 0.5
    raw = options.safety * ratio ** (1 / order)
    return min(options.grow, max(options.shrink, raw))
