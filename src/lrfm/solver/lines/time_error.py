# SPDX-License-Identifier: MIT
"""The error of a step in time, of the polynomial and not of its end alone.

h |c_K| / 4K times the decay of the Legendre coefficients c of y', fast modes damped as the scheme damps them, and a part of it without
that damping where the coefficients decay fast: what follows its equation at once is exact at the stages, and not between them. For a multiplier,
which follows y' as closely as that is known, |d_K| times the decay of the coefficients d of its values at the stages. Where nothing is
known of it at the start, half of what the polynomial without the first stage differs by, |d_K| ‖ℓ₁‖ / |d_K(ℓ₁)|: a layer that opens makes a
pressure grow like √t, of which the stages of one step show a decay that goes on for none of the next.
"""

from __future__ import annotations

import numpy as np

from lrfm.integrate.schemes import Scheme
from lrfm.solver.lines.form import Form
from lrfm.solver.lines.newton import Stage
from lrfm.solver.lines.stages import Stages

SHARE = 0.1  # of a multiplier's error: it is not carried from step to step
BETWEEN = 0.3  # of an error between the stages, for the same reason
SMOOTH = 0.3  # decay from one coefficient to the next of what is smooth in a step
FULL = 0.02  # steps in parts of the whole time whose error counts fully in L² over time

LEAST = 0.25  # order to which the measured fall of an error is trusted,
LEAP = 1e-3  # and the least part of a step that follows from it


def time_error(
    form: Form, stages: Stages, tried: Stage, h: float, scales: np.ndarray, first: bool = False
) -> float:
    """The worst of all fields, each relative to its size; of the first step, where `first` says so."""
    scheme, worst = stages.scheme, 0.0
    tail = np.tensordot(scheme.to_legendre[-3:], tried.rates, axes=1)
    share = h / (4 * np.arange(scheme.stages - 2, scheme.stages + 1))[:, None]
    norms = share * np.linalg.norm(stages.smooth(tail), axis=2)  # (3, fields)
    plain = share * np.linalg.norm(tail[:, form.last], axis=2)
    for i, name in enumerate(form.fields):
        if form.orders[name] > 0:
            size = scales[form.first[name]]
            worst = max(worst, _decaying(norms[:, i], size))
            if form.orders[name] == 1:
                worst = max(worst, _between(plain[:, i], size))
    start, end = form.problem.time
    weight = SHARE * np.sqrt(min(1.0, h / (FULL * (end - start))))
    for c in form.multipliers:
        values = np.linalg.norm(np.tensordot(scheme.to_legendre[-3:], tried.values[:, c], axes=1), axis=1)
        found = _decaying(values, scales[c])
        if first and c in form.unstarted:
            found = max(found, _without_first(scheme) * values[-1] / max(scales[c], 1e-300))
        worst = max(worst, weight * found)
    return worst


def _without_first(scheme: Scheme) -> float:
    """½ ‖ℓ₁‖ / |d_K(ℓ₁)| in L² of a step: what the first stage adds to a polynomial whose last coefficient is one."""
    first = scheme.to_legendre[:, 0]
    size = np.sqrt(np.sum(first**2 / (2 * np.arange(scheme.stages) + 1)))
    return 0.5 * float(size / np.abs(first[-1]))


def longer(error: float, tol: float, stages: int) -> float:
    """By which the length of a step is to be multiplied for the error in time that is wanted, (tol / error)^(1/(K + 1))."""
    return min(4.0, max(0.2, 0.85 * (tol / max(error, 1e-300)) ** (1 / (stages + 1))))


def shorter(late: list[tuple[float, float]], tol: float, stages: int) -> float:
    """By which the length of a step is to be multiplied, (tol / error)^(1/p), after some lengths whose error was too large.

    p = K + 1 for what is smooth; where the start contradicts the conditions an error falls as slowly as the last two say.
    """
    (h, error), order = late[-1], stages + 1.0
    if len(late) > 1:
        longest, before = late[-2]
        order = min(order, max(LEAST, np.log(before / max(error, 1e-300)) / np.log(longest / h)))
    smallest = 0.2 if len(late) == 1 else LEAP
    return min(0.8, max(smallest, 0.85 * (tol / max(error, 1e-300)) ** (1 / order)))


def _between(norms: np.ndarray, size: float) -> float:
    """What a polynomial leaves between the stages of a step of something that follows its equation at once, smoothly.

    The filter takes it for what is damped. It is not carried on, so that a larger part of a tolerance is left to it; coefficients that do not decay
    are those of a transient, of which the scheme makes little.
    """
    third, second, top = np.maximum(norms, 1e-300)
    return BETWEEN * _decaying(norms, size) if max(top / second, second / third) < SMOOTH else 0.0


def _decaying(norms: np.ndarray, size: float) -> float:
    """What comes after three coefficients, relative to a size; nothing where nothing moves, whatever its size."""
    if norms[2] == 0.0:
        return 0.0
    third, second, top = np.maximum(norms, 1e-300)
    return top * min(1.0, max(top / second, second / third)) / max(size, 1e-300)
