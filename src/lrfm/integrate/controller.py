# SPDX-License-Identifier: MIT
"""The controller: a pure function from errors to a decision.

A step h of a run of length T may add tol √(h/T) to the error, so that the squares of all additions sum up to tol². It is accepted if the error in time and
the error in space are within their budgets; else the larger culprit acts: the step size, or the cells.
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
    factor = step_factor(errors, options)
    excess = errors.space / errors.space_budget
    if errors.time > errors.time_budget:
        return Retry(length * min(factor, options.safety), excess > options.overshoot and splittable)
    if excess > options.overshoot and splittable:
        return Adapt(length)
    if 1 <= factor < options.keep:
        factor = 1.0
    return Accept(length * factor, refine=max(errors.space, errors.expected) > errors.space_budget)


def step_factor(errors: Errors, options: Options) -> float:
    """h_new/h = safety (budget/error)^(1/(K + ½)): the error is O(h^(K+1)), its budget O(h^½)."""
    ratio = errors.time_budget / errors.time if errors.time > 0 else math.inf
    raw = options.safety * ratio ** (1 / (options.stages + 0.5))
    return min(options.grow, max(options.shrink, raw))
